"""How long a search will take: a model with a few numbers, measured once for each device and remembered.

A search of queries of lengths ``L1 ... Lq`` in a database of ``R`` residues takes about::

    start + cold * R + sum over queries of (per_query + R * rate(L))

`start` is the engine's own time, `cold` brings a database to the device, `rate` is what one residue of the database
costs a query of that length, host work included; between the lengths that were measured it is interpolated on
logarithms. The numbers come from a few small searches through `swgui.search.run_search` itself, so that nothing that
users wait for is left out but what happens once only: the compilation of kernels, and reading the file. They hold for
one program version, one driver and one set of kernels; every real search makes them a little better (`learn`).
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, Final

from swgui import paths
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import EngineUnavailable
from swgui.core.events import Stage
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.sweep_data import made_up_database, made_up_query
from swgui.engines import registry
from swgui.engines.base import DeviceInfo, EngineOptions
from swgui.io.matrices import load_matrix
from swgui.io.whole_file import not_written, whole_file
from swgui.search import SearchRequest, run_search
from swgui.selfcheck import fingerprint

FORMAT: Final = 1
SEVERAL: Final = 4  # queries of the second search of each length
MANY: Final = 9  # queries of the second search of the small database
REPEATS: Final = 2  # the quicker of so many searches counts
LEARN_FROM: Final = 0.3  # seconds; what is shorter says more about the moment than about the device
FARTHEST: Final = 4.0  # real searches move an estimate by no more than this factor; what is farther off was disturbed


@dataclass(frozen=True, slots=True)
class _Plan:
    """Residues of the small and of the large database, and the lengths of queries, that an engine is measured with."""

    small: int
    large: int
    lengths: tuple[int, ...]


_PLANS: Final = MappingProxyType(
    {
        "cuda": _Plan(8_000_000, 40_000_000, (50, 200, 800, 3200)),
        "cpu": _Plan(60_000, 3_000_000, (50, 200, 800)),
        "reference": _Plan(4_000, 40_000, (50, 200)),
    }
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """The numbers of the model for one engine and its devices.

    Parameters
    ----------
    engine : str
    devices : tuple of str
        Names of the devices.
    fingerprint : str
        Digest of everything they depend on.
    start, per_query : float
        Seconds.
    cold : float
        Seconds per residue of the database.
    rates : tuple of (int, float)
        Length of a query, seconds per residue of the database; ascending.
    factor : float
        What real searches have taken by what was estimated.
    made : str
        Local time, ISO 8601.
    """

    engine: str
    devices: tuple[str, ...]
    fingerprint: str
    start: float
    per_query: float
    cold: float
    rates: tuple[tuple[int, float], ...]
    factor: float = 1.0
    made: str = ""

    def rate(self, length: int) -> float:
        """Return seconds per residue of the database for a query of `length` residues."""
        points = self.rates
        longest, last = points[-1]
        if length >= longest:  # by the two longest: a part that is the same for all, and one for each residue
            before, rate = points[-2] if len(points) > 1 else (0, 0.0)
            slope = max((last - rate) / (longest - before), 0.5 * last / longest)
            return last + slope * (length - longest)
        for (short, slow), (long, fast) in pairwise(points):
            if length <= long:
                share = math.log(max(length, 1) / short) / math.log(long / short)
                return float(slow * (fast / slow) ** max(share, -1.0))
        return points[0][1]

    def seconds(self, lengths: Sequence[int], residues: int) -> float:
        """Return what a search takes from pressing Search to its hits.

        Parameters
        ----------
        lengths : sequence of int
            Of the queries, each as often as it has strands to be searched.
        residues : int
            Of the database.
        """
        scans = sum(self.per_query + residues * self.rate(length) for length in lengths)
        return (self.start + self.cold * residues + scans) * self.factor


def calibrate(engine: str, options: EngineOptions, cancel: threading.Event) -> Iterator[Stage | Calibration]:
    """Measure the numbers of an engine with small searches; takes a few seconds.

    Yields stages, then the `Calibration`; ends without it once `cancel` is set.

    Raises
    ------
    EngineUnavailable
        If the engine cannot run.
    """
    status = registry.probe(engine)
    if not status.available:
        raise EngineUnavailable(engine, status.reason, hint=status.hint)
    devices = _devices(engine, options)
    plan = _PLANS.get(engine, _PLANS["cuda"])
    large_size = plan.large
    if engine == "cpu" and (cores := devices[0].facts.get("cores", "")).isdecimal():
        large_size *= max(1, int(cores) // 4)
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    small, large = made_up_database(plan.small), made_up_database(large_size)
    shortest = plan.lengths[0]
    searches = [(small, shortest, 1), (small, shortest, MANY)]
    searches += [(large, length, count) for length in plan.lengths for count in (1, SEVERAL)]
    times: list[float] = []
    for number, (database, length, count) in enumerate(searches):
        yield Stage("Measuring how fast this device is", number, len(searches))
        request = SearchRequest(_queries(length, count), database, scheme, engine=engine, options=options)
        seconds = _time(request, cancel)
        if seconds is None:
            return
        times.append(seconds)
    yield _solve(engine, devices, plan.lengths, small.residues, large.residues, times)


def _solve(
    engine: str,
    devices: tuple[DeviceInfo, ...],
    lengths: Sequence[int],
    small: int,
    large: int,
    times: Sequence[float],
) -> Calibration:
    """Find the numbers that explain the times: one and many queries on the small, then one and several per length."""
    one_small, many_small = times[:2]
    each_small = max(many_small - one_small, 1e-6) / (MANY - 1)
    each = [max(times[at + 1] - times[at], 1e-6) / (SEVERAL - 1) for at in range(2, len(times), 2)]
    rate_small = max(each[0] - each_small, 0.05 * each[0]) / (large - small)
    per_query = max(each_small - rate_small * small, 0.0)
    rates = []
    least = 0.0
    for length, seconds in zip(lengths, each, strict=True):
        least = max(least, max(seconds - per_query, 0.05 * seconds) / large)  # longer queries take no less
        rates.append((length, least))
    cold = [times[2 + 2 * at] - each[at] - (one_small - each_small) for at in range(len(each))]
    per_residue = max(median(cold), 0.0) / (large - small)
    return Calibration(
        engine=engine,
        devices=tuple(device.name for device in devices),
        fingerprint=_fingerprint(engine, devices),
        start=max(one_small - each_small - per_residue * small, 0.0),
        per_query=per_query,
        cold=per_residue,
        rates=tuple(rates),
        made=datetime.now().astimezone().isoformat(timespec="seconds"),
    )


def _queries(length: int, count: int) -> tuple[SequenceRecord, ...]:
    whole = PROTEIN.decode(made_up_query(length + 17 * count).codes)
    return tuple(SequenceRecord(f"query {i + 1}", "", whole[17 * i : 17 * i + length]) for i in range(count))


def _time(request: SearchRequest, cancel: threading.Event) -> float | None:
    """Return the seconds of the quickest of some searches, after one that compiles; None if cancelled."""
    best = math.inf
    for number in range(REPEATS + 1):
        began = time.perf_counter()
        for _ in run_search(request, cancel):
            pass
        if cancel.is_set():
            return None
        if number:
            best = min(best, time.perf_counter() - began)
    return best


def _devices(engine: str, options: EngineOptions) -> tuple[DeviceInfo, ...]:
    found = registry.probe(engine).devices
    if not options.devices:
        return found[:1]
    return tuple(device for device in found if device.id in options.devices)


def _fingerprint(engine: str, devices: Sequence[DeviceInfo]) -> str:
    return " ".join(fingerprint(engine, device) for device in devices)


def remembered(engine: str, options: EngineOptions, path: Path | None = None) -> Calibration | None:
    """Return what was measured for an engine and devices; None if nothing was, or anything has changed since.

    Probes the engine, which may take a second the first time: not for the window's thread.
    """
    devices = _devices(engine, options)
    found = _load(path).get(_key(engine, tuple(device.name for device in devices)))
    return found if found is not None and devices and found.fingerprint == _fingerprint(engine, devices) else None


def remember(calibration: Calibration, path: Path | None = None) -> None:
    """Keep a calibration in the user's configuration folder.

    Raises
    ------
    FileNotWritten
    """
    target = path or paths.config_dir() / "calibrations.json"
    kept = {**_load(path), _key(calibration.engine, calibration.devices): calibration}
    stored = {"format": FORMAT, "calibrations": [asdict(kept[key]) for key in sorted(kept)]}
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
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


def _key(engine: str, devices: tuple[str, ...]) -> str:
    return " | ".join((engine, *devices))


def _load(path: Path | None) -> dict[str, Calibration]:
    """Read what is kept; what cannot be read counts as not measured."""
    found = {}
    try:
        stored = json.loads((path or paths.config_dir() / "calibrations.json").read_text("utf-8"))
        entries = stored["calibrations"] if stored["format"] == FORMAT else []
        for entry in entries:
            calibration = _read(entry)
            found[_key(calibration.engine, calibration.devices)] = calibration
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    return found


def _read(entry: dict[str, Any]) -> Calibration:
    rates = tuple((int(length), float(rate)) for length, rate in entry["rates"])
    numbers = {name: float(entry[name]) for name in ("start", "per_query", "cold", "factor")}
    usable = all(math.isfinite(value) and value >= 0 for value in numbers.values())
    if not usable or not rates or any(length < 1 or not rate > 0 for length, rate in rates) or not numbers["factor"]:
        raise ValueError("a calibration holds an impossible number")
    return Calibration(
        engine=str(entry["engine"]),
        devices=tuple(map(str, entry["devices"])),
        fingerprint=str(entry["fingerprint"]),
        start=numbers["start"],
        per_query=numbers["per_query"],
        cold=numbers["cold"],
        rates=rates,
        factor=numbers["factor"],
        made=str(entry["made"]),
    )
