"""Energy that a device takes: by its counter where it has one, else by its power, sampled."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from typing import Final, Literal, NamedTuple, Protocol

from swgui.core.control import start_thread

Source = Literal["", "counter", "samples"]


class PowerSensors(Protocol):
    """Tells what a device takes, by its id in the engine."""

    def energy(self, device: str) -> float | None:
        """Return joules since some moment; None if the device does not count them."""

    def power(self, device: str) -> float | None:
        """Return watts now; None if they are not known."""


class Energy(NamedTuple):
    """Energy of a device between two moments."""

    joules: float = 0.0  # 0 if it is not known
    seconds: float = 0.0
    source: Source = ""

    @property
    def watts(self) -> float:
        """Mean power; 0 if it is not known."""
        return self.joules / self.seconds if self.seconds else 0.0


class EnergyMeter:
    """Measures what a device takes from `begin` to `end`."""

    INTERVAL: Final = 0.02

    def __init__(self, sensors: PowerSensors | None, device: str) -> None:
        self._sensors, self._device = sensors, device
        self._began = 0.0
        self._counted: float | None = None
        self._samples: list[float] = []
        self._stop = threading.Event()
        self._sampling: Future[None] | None = None

    def begin(self) -> None:
        """Start to measure; it may be called again."""
        self._stop.clear()
        self._samples.clear()
        if self._sensors is not None:
            self._counted = self._sensors.energy(self._device)
            if self._counted is None:
                self._sampling = start_thread(self._sample, "swgui-power", daemon=True)
        self._began = time.perf_counter()

    def end(self) -> Energy:
        """Return the energy since `begin`."""
        seconds = time.perf_counter() - self._began
        self._stop.set()
        if self._sampling is not None:
            wait([self._sampling])
            self._sampling = None
        if self._sensors is None:
            return Energy()
        if self._counted is not None and (now := self._sensors.energy(self._device)) is not None:
            return Energy(now - self._counted, seconds, "counter")
        if not self._samples:
            return Energy()
        return Energy(sum(self._samples) / len(self._samples) * seconds, seconds, "samples")

    def _sample(self) -> None:
        sensors = self._sensors
        while sensors is not None and (watts := sensors.power(self._device)) is not None:
            self._samples.append(watts)
            if self._stop.wait(self.INTERVAL):
                return
