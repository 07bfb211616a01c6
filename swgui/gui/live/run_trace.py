"""The speed of a whole run, from its first second to its last, in little memory however long it runs. No Qt.

Cells and seconds are kept as they have added up at some moments. When there are too many moments every other one
is dropped: the rest still gives the exact mean speed between any two of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.engines.monitor import SensorReading
from swgui.jobs.events import Progress

POINTS = 1_000
SHORTEST = 0.05  # seconds between two moments at first
READINGS = ("busy", "memory_used", "clock", "temperature", "power")

Curve = tuple[NDArray[np.float64], NDArray[np.float64]]


@dataclass(slots=True)
class _Device:
    """Cells and seconds of work of one device so far, at every moment."""

    cells: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


class RunTrace:
    """Speed of a run by the clock and by device, and the state of the devices."""

    def __init__(self) -> None:
        self._width = SHORTEST
        self._at: list[float] = []
        self._cells: list[float] = []
        self._devices: dict[str, _Device] = {}
        self._last: Progress | None = None
        self._reading_width = SHORTEST
        self._readings: dict[str, list[tuple[float, SensorReading]]] = {}
        self.resumed = 0.0  # seconds of scoring before the run was resumed, whose speeds are not known

    def __len__(self) -> int:
        return len(self._at)

    @property
    def seconds(self) -> float:
        """Time since scoring began, at the newest moment."""
        return self._last.seconds if self._last is not None else self._at[-1] if self._at else 0.0

    @property
    def devices(self) -> tuple[str, ...]:
        return tuple(self._devices)

    @property
    def watched(self) -> tuple[str, ...]:
        return tuple(self._readings)

    def add(self, progress: Progress) -> None:
        """Take in the progress of the run."""
        self._last = progress
        if self._at and progress.seconds - self._at[-1] < self._width:
            return
        self._take(progress)
        if len(self._at) > POINTS:
            self._thin()

    def add_readings(self, readings: Mapping[str, SensorReading]) -> None:
        """Take in the current state of the devices."""
        now = self.seconds
        for device, reading in readings.items():
            kept = self._readings.setdefault(device, [])
            if kept and now - kept[-1][0] < self._reading_width:
                continue
            kept.append((now, reading))
            if len(kept) > POINTS:
                self._reading_width = max(2 * self._reading_width, (kept[-1][0] - kept[0][0]) / POINTS * 2)
                del kept[1:-1:2]

    def wall(self) -> Curve:
        """Return seconds and GCUPS by the clock: the mean up to each moment since the one before."""
        seconds, cells = self._with_last()
        return _slopes(seconds, seconds, cells, self.resumed)

    def device(self, name: str) -> Curve:
        of = self._devices[name]
        moments, _ = self._with_last()
        seconds, cells = list(of.seconds), list(of.cells)
        if len(moments) > len(seconds) and self._last is not None:
            seconds.append(self._last.device_seconds.get(name, 0.0))
            cells.append(float(self._last.device_done.get(name, 0)))
        return _slopes(moments, seconds, cells, self.resumed)

    def reading(self, device: str, name: str) -> Curve:
        """Return seconds and values of one of `READINGS`; moments at which it was not known are left out."""
        points = [(time, getattr(reading, name)) for time, reading in self._readings.get(device, ())]
        known = [(time, value) for time, value in points if value >= 0]
        return np.array([time for time, _ in known]), np.array([value for _, value in known], dtype=np.float64)

    def facts(self) -> dict[str, Any]:
        """Return everything as JSON values; nothing for a run without two moments."""
        moments, cells = self._with_last()
        if len(moments) < 2:
            return {}
        devices = {}
        for name, of in self._devices.items():
            seconds, done = list(of.seconds), list(of.cells)
            if len(moments) > len(seconds) and self._last is not None:
                seconds.append(self._last.device_seconds.get(name, 0.0))
                done.append(float(self._last.device_done.get(name, 0)))
            devices[name] = {"seconds": _rounded(seconds), "cells": done}
        readings = {
            device: {"at": _rounded([moment for moment, _ in kept])}
            | {name: [round(float(getattr(r, name)), 3) for _, r in kept] for name in READINGS}
            for device, kept in self._readings.items()
            if kept
        }
        facts = {"at": _rounded(moments), "cells": list(cells), "devices": devices, "readings": readings}
        return facts | ({"resumed": round(self.resumed, 4)} if self.resumed else {})

    @classmethod
    def from_facts(cls, facts: object) -> RunTrace | None:
        """Return a trace that was kept; None if it is none."""
        try:
            return cls._read(facts)  # type: ignore[arg-type]
        except (TypeError, ValueError, KeyError, AttributeError):
            return None

    @classmethod
    def _read(cls, facts: Mapping[str, Any]) -> RunTrace | None:
        made = cls()
        made._at, made._cells = _numbers(facts["at"]), _numbers(facts["cells"])
        (made.resumed,) = _numbers([facts.get("resumed", 0.0)])
        if len(made._at) < 2 or len(made._at) != len(made._cells) or len(made._at) > 2 * POINTS:
            return None
        for name, of in facts["devices"].items():
            device = _Device(_numbers(of["cells"]), _numbers(of["seconds"]))
            if len(device.cells) != len(made._at) or len(device.seconds) != len(made._at):
                return None
            made._devices[str(name)] = device
        for name, of in facts["readings"].items():
            columns = [_numbers(of[name]) for name in ("at", *READINGS)]
            rows = zip(*columns, strict=True)
            made._readings[str(name)] = [
                (moment, SensorReading(busy, int(memory), -1, clock, warm, power))
                for moment, busy, memory, clock, warm, power in rows
            ]
        return made

    def _take(self, progress: Progress) -> None:
        for name in progress.device_done:
            if name not in self._devices:  # it had not computed at the moments before
                self._devices[name] = _Device([0.0] * len(self._at), [0.0] * len(self._at))
        self._at.append(progress.seconds)
        self._cells.append(float(progress.done))
        for name, of in self._devices.items():
            of.cells.append(float(progress.device_done.get(name, of.cells[-1] if of.cells else 0.0)))
            of.seconds.append(progress.device_seconds.get(name, of.seconds[-1] if of.seconds else 0.0))

    def _thin(self) -> None:
        self._width = max(2 * self._width, 2 * (self._at[-1] - self._at[0]) / POINTS)
        for values in (self._at, self._cells, *(v for of in self._devices.values() for v in (of.cells, of.seconds))):
            del values[1:-1:2]

    def _with_last(self) -> tuple[list[float], list[float]]:
        moments, cells = list(self._at), list(self._cells)
        if self._last is not None and moments and self._last.seconds > moments[-1]:
            moments.append(self._last.seconds)
            cells.append(float(self._last.done))
        return moments, cells


def _slopes(moments: list[float], seconds: list[float], cells: list[float], resumed: float) -> Curve:
    """Return the end of each stretch and its cells per second in 10^9.

    Stretches without time are left out, and so is the time before a run was resumed.
    """
    if not moments:
        return np.empty(0), np.empty(0)
    spent = np.diff(np.array(seconds), prepend=0.0)
    done = np.diff(np.array(cells), prepend=0.0)
    good = (spent > 0) & (done > 0) & (np.array(moments) > resumed)
    return np.array(moments)[good], done[good] / spent[good] / 1e9


def _rounded(values: list[float]) -> list[float]:
    return [round(value, 4) for value in values]


def _numbers(values: object) -> list[float]:
    if not isinstance(values, list):
        raise TypeError("no list of numbers")
    numbers = [float(value) for value in values]
    if not all(math.isfinite(value) for value in numbers):
        raise ValueError("not a number")
    return numbers
