"""Clock and temperature of a device while a cell of a sweep is measured."""

from __future__ import annotations

import threading
from typing import Final, Protocol

import numpy as np


class Sensors(Protocol):
    """Tells how a device is doing while a cell is measured."""

    def clock_and_temperature(self, device: str) -> tuple[float, float] | None:
        """Return MHz and °C of a device by its id in the engine; None if they are not known."""


class ClockWatch:
    """Reads clock and temperature of a device while a cell runs."""

    INTERVAL: Final = 0.02

    def __init__(self, sensors: Sensors | None, device: str) -> None:
        self._sensors, self._device = sensors, device
        self._readings: list[tuple[float, float]] = []
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> ClockWatch:
        if self._sensors is not None:
            self._thread = threading.Thread(target=self._read, args=(self._sensors,), name="swgui-clock", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()

    @property
    def clock(self) -> float:
        """Median MHz; 0 if it is not known."""
        return float(np.median([clock for clock, _ in self._readings])) if self._readings else 0.0

    @property
    def temperature(self) -> float:
        """Highest °C; 0 if it is not known."""
        return max((temperature for _, temperature in self._readings), default=0.0)

    def _read(self, sensors: Sensors) -> None:
        while not self._stop.wait(self.INTERVAL):
            reading = sensors.clock_and_temperature(self._device)
            if reading is None:
                return
            self._readings.append(reading)
