"""Time of a search before it begins: a model with a few numbers for each device, kept in the user's folder.

A search of queries of lengths ``L1 ... Lq``, the longest of them ``L``, in a database of ``R`` residues takes about::

    start + cold * R + alone * L + sum over queries of (per_query + max(R * rate(Li), least * Li))

`start` is the time of the engine, `cold` brings a database to the device, `rate` is the time of one database residue
for a query of that length, host work included; between the lengths that were measured it is interpolated on
logarithms. `alone` and `least` are the costs of long subjects with little else at the same time: once, because the last
query of a search has nothing behind it, and of every query in a database too small to fill the device.

`swgui.jobs.search.calibration` measures the numbers; every real search makes them a little better (`learn`). They hold
for one program version, one driver, one set of kernels and one list of settings.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.engines import EngineOptions, Kind
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import DEFAULT_METHOD
from swgui.core.plain import from_plain, plain, replace
from swgui.core.sweep.grid import METHOD_AXIS
from swgui.engines import registry
from swgui.engines.base import DeviceInfo
from swgui.io.whole_file import not_written, whole_file
from swgui.jobs.check.device import fingerprint

FORMAT: Final = 2
MAX_KEPT: Final = 100  # calibrations
SHIFT_TIMES: Final = {Kind.GPU: 4.5, Kind.CPU: 2.8, Kind.REFERENCE: 2.5}  # as docs/howto/translated-search.md says
WITHOUT: Final = ("memory_mib", "host_memory_mib")  # settings that decide what fits a device, not how fast it is
HARDLY_FASTER: Final = 0.8  # least time of a residue beyond the longest query measured, over the mean before it
LEARN_FROM: Final = 0.3  # seconds; shorter ones measure the moment more than the device
FARTHEST: Final = 4.0  # real searches move an estimate by no more than this factor; values farther off were disturbed


@dataclass(frozen=True, slots=True)
class Calibration:
    """The numbers of the model for one engine and its devices."""

    engine: str
    devices: tuple[str, ...]
    fingerprint: str  # digest of everything they depend on
    # start, per_query: seconds
    start: float
    per_query: float
    cold: float  # seconds per residue of the database
    rates: tuple[tuple[int, float], ...]  # length of a query, seconds per residue of the database; ascending
    factor: float = 1.0  # time of real searches over the estimate
    made: str = ""  # local time, ISO 8601
    # alone, least: seconds per residue of the longest query, and of every query at least
    alone: float = 0.0
    least: float = 0.0
    settings: tuple[tuple[str, str], ...] = ()  # settings of the engine (`settings_of`)

    def rate(self, length: int) -> float:
        """Return seconds per residue of the database for a query of `length` residues."""
        points = self.rates
        longest, last = points[-1]
        if length >= longest:  # by the two longest: a part that is the same for all, and one for each residue
            before, rate = points[-2] if len(points) > 1 else (0, 0.0)
            slope = max((last - rate) / (longest - before), HARDLY_FASTER * last / longest)
            return last + slope * (length - longest)
        for (short, slow), (long, fast) in pairwise(points):
            if length <= long:
                share = math.log(max(length, 1) / short) / math.log(long / short)
                return float(slow * (fast / slow) ** max(share, -1.0))
        return points[0][1]

    def seconds(self, lengths: Sequence[int], residues: int) -> float:
        """Return the seconds of a search from pressing Search to its hits.

        Parameters
        ----------
        lengths : sequence of int
            Of the queries, each as often as it has strands to be searched.
        """
        scans = sum(self.per_query + max(residues * self.rate(n), self.least * n) for n in lengths)
        once = self.start + self.cold * residues + self.alone * max(lengths, default=0)
        return (once + scans) * self.factor


def shift_times(engine: str) -> float:
    """Return how many times as long a search takes whose reading may shift, of an engine's name."""
    kind = registry.facts(engine).kind if engine in registry.installed() else Kind.GPU
    return SHIFT_TIMES.get(kind, SHIFT_TIMES[Kind.GPU])


def settings_of(options: EngineOptions) -> tuple[tuple[str, str], ...]:
    """Return the settings that decide how fast an engine is: the key of calibrations, with engine and devices.

    Settings left to the engine's own choice are left out, so that naming it changes nothing.
    """
    told = {name: value for name, value in options.settings.items() if name not in WITHOUT and value != AUTO}
    if told.get(METHOD_AXIS) == DEFAULT_METHOD:
        del told[METHOD_AXIS]
    if options.threads:
        told["threads of the CPU"] = str(options.threads)
    return tuple(sorted(told.items()))


def devices_of(engine: str, options: EngineOptions) -> tuple[DeviceInfo, ...]:
    """Return the devices that an engine takes with some options; the first one by default."""
    devices = registry.probe(engine).devices
    if not options.devices:
        return devices[:1]
    return tuple(device for device in devices if device.id in options.devices)


def fingerprint_of(engine: str, devices: Sequence[DeviceInfo]) -> str:
    """Return the digest of everything that the numbers of some devices depend on."""
    return " ".join(fingerprint(engine, device) for device in devices)


def remembered(engine: str, options: EngineOptions, path: Path | None = None) -> Calibration | None:
    """Return the calibration of an engine, devices and settings; None if there is none, or anything has changed.

    Probes the engine, which may take a second the first time: not for the window's thread.
    """
    devices = devices_of(engine, options)
    kept = _load(path).get(_key(engine, tuple(device.name for device in devices), settings_of(options)))
    return kept if kept is not None and devices and kept.fingerprint == fingerprint_of(engine, devices) else None


def all_remembered(path: Path | None = None) -> tuple[Calibration, ...]:
    """Return all that was ever measured on this computer, the newest first; devices may be gone by now."""
    return tuple(sorted(_load(path).values(), key=lambda c: c.made, reverse=True))


def remember(calibration: Calibration, path: Path | None = None) -> None:
    """Keep a calibration in the user's configuration folder, and the newest of the others.

    Raises
    ------
    FileNotWritten
    """
    target = path or paths.config_dir() / "calibrations.json"
    kept = {**_load(path), _key_of(calibration): calibration}
    newest = sorted(kept.values(), key=lambda c: c.made, reverse=True)[:MAX_KEPT]
    stored = {"format": FORMAT, "calibrations": [plain(c) for c in sorted(newest, key=_key_of)]}
    try:
        paths.make_folder(target.parent)
    except OSError as fault:
        raise not_written(target, fault) from fault
    with whole_file(target) as file:
        file.write(json.dumps(stored, indent=1).encode())


def learn(calibration: Calibration, estimated: float, taken: float) -> Calibration:
    """Return a calibration that has moved half-way (on logarithms) towards what a real search took."""
    low, high = sorted((estimated, taken))
    if high < LEARN_FROM or low <= 0 or high > FARTHEST * low:  # compiling, another program, a computer asleep
        return calibration
    factor = calibration.factor * math.sqrt(taken / estimated)
    return replace(calibration, factor=min(max(factor, 1 / FARTHEST), FARTHEST))


def _key(engine: str, devices: tuple[str, ...], settings: Sequence[tuple[str, str]]) -> str:
    return " | ".join((engine, *devices, *(f"{name}={value}" for name, value in settings)))


def _key_of(calibration: Calibration) -> str:
    return _key(calibration.engine, calibration.devices, calibration.settings)


def _load(path: Path | None) -> dict[str, Calibration]:
    """Read the file of calibrations; unreadable ones count as not measured."""
    calibrations = {}
    try:
        stored = json.loads((path or paths.config_dir() / "calibrations.json").read_text("utf-8"))
        entries = stored["calibrations"] if stored["format"] == FORMAT else []
        for entry in entries:
            calibration = _read(entry)
            calibrations[_key_of(calibration)] = calibration
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return calibrations


def _read(entry: dict[str, Any]) -> Calibration:
    speed = from_plain(Calibration, entry)
    numbers = (
        speed.start,
        speed.per_query,
        speed.cold,
        speed.factor,
        speed.alone,
        speed.least,
    )
    usable = all(math.isfinite(value) and value >= 0 for value in numbers) and speed.factor > 0
    if not usable or not speed.rates or any(length < 1 or not rate > 0 for length, rate in speed.rates):
        raise ValueError("a calibration holds an impossible number")
    return speed
