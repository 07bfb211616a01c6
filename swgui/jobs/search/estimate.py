"""How long a search will take: a model with a few numbers, measured once for each device and remembered.

A search of queries of lengths ``L1 ... Lq``, the longest of them ``L``, in a database of ``R`` residues takes about::

    start + cold * R + alone * L + sum over queries of (per_query + max(R * rate(Li), least * Li))

`start` is the engine's own time, `cold` brings a database to the device, `rate` is what one residue of the database
costs a query of that length, host work included; between the lengths that were measured it is interpolated on
logarithms. `alone` and `least` are the costs of long subjects with little else at the same time: once, because the last
query of a search has nothing behind it, and of every query in a database too small to fill the device.

The numbers come from a few small searches through `search_steps` itself, so that nothing that users wait for is left
out but what happens once only: the compilation of kernels, and reading the file. They hold for one program version, one
driver, one set of kernels and one list of settings: every method of a GPU is measured by itself. Every real search
makes them a little better (`learn`).
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final

from swgui import paths
from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions, Kind
from swgui.core.errors import EngineUnavailable
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import DEFAULT_METHOD
from swgui.core.plain import from_plain, plain, replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.core.sweep.grid import METHOD_AXIS
from swgui.engines import registry
from swgui.engines.base import DeviceInfo
from swgui.io.matrices import load_matrix
from swgui.io.whole_file import not_written, whole_file
from swgui.jobs.check.device import fingerprint
from swgui.jobs.events import Stage, run_to_end
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.timed import search_steps

FORMAT: Final = 2
SEVERAL: Final = 4  # queries of the second search of each length; twice as many of those whose time is soon over
SOON_OVER: Final = 200  # residues
MANY: Final = 9  # queries of the second search with the shortest, in the small database
MAX_KEPT: Final = 100  # calibrations
SHIFT_TIMES: Final = {Kind.GPU: 4.5, Kind.CPU: 2.8, Kind.REFERENCE: 2.5}  # as docs/howto/translated-search.md says
WITHOUT: Final = ("memory_mib", "host_memory_mib")  # settings that decide what fits a device, not how fast it is
SHORT_FASTER: Final = 4.0  # times the speed of longer queries that shorter ones may have with a published method
HARDLY_FASTER: Final = 0.8  # time of a residue beyond the longest query that was measured, by its mean until there
UNLIKE: Final = 1.2  # times what a scan of a small database should take: then it is another thing that takes the time
CLOSE: Final = 1.02  # two lengths between which a method gives way to another are this near to each other
REPEATS: Final = 2  # the quicker of so many searches counts
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
    factor: float = 1.0  # what real searches have taken by what was estimated
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
    samples = registry.facts(engine).samples
    if samples is None:
        raise EngineUnavailable(engine, f"The speed of the engine '{engine}' is not measured.")
    large_size = samples.large
    if samples.per_cores and (cores := devices[0].facts.get("cores", "")).isdecimal():
        large_size *= max(1, int(cores) // samples.per_cores)
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    yield Stage("Measuring how fast this device is")
    small, large = synthetic_database(samples.small), synthetic_database(large_size)
    runs = _runs(engine, options, scheme, samples.lengths)
    lengths = [length for run in runs for length in run]
    shortest, longest = lengths[0], lengths[-1]
    searches = [(small, shortest, 1), (small, shortest, MANY), (small, longest, 1), (small, longest, SEVERAL)]
    searches += [(large, length, count) for length in lengths for count in (1, _several(length))]
    search, times = Search(scheme=scheme, engine=engine, options=options), list[float]()
    for number, (database, length, count) in enumerate(searches):
        yield Stage("Measuring how fast this device is", number, len(searches))
        request = SearchRequest(_queries(length, count), database, search)
        seconds = _time(request, cancel)
        if seconds is None:
            return
        times.append(seconds)
    faster = 1.0 if _own_method(options) else SHORT_FASTER
    solved = _solve(runs, small.residues, large.residues, times, faster)
    yield Calibration(
        engine=engine,
        devices=tuple(device.name for device in devices),
        fingerprint=_fingerprint(engine, devices),
        made=datetime.now().astimezone().isoformat(timespec="seconds"),
        settings=settings_of(options),
        **solved,
    )


def _runs(
    engine: str, options: EngineOptions, scheme: ScoringScheme, lengths: tuple[int, ...]
) -> list[tuple[int, ...]]:
    """Return the lengths to measure, divided where a method gives way to another for longer queries.

    The last length that a method can do and the first that it cannot are among them.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        As the engine, for its settings.
    """
    if _own_method(options):
        return [lengths]

    def used(length: int) -> str:
        uses = registry.kernel_use(engine, options, (synthetic_query(length),), scheme)
        return uses[0].method if uses else ""

    methods = [used(length) for length in lengths]
    runs = [[lengths[0]]]
    for (low, high), (before, after) in zip(pairwise(lengths), pairwise(methods), strict=True):
        if before != after:
            short, long = low, high
            while long > max(short + 1, CLOSE * short):
                middle = (short + long) // 2
                short, long = (middle, long) if used(middle) == before else (short, middle)
            runs[-1] += [short] if short > low else []
            runs.append([long] if long < high else [])
        runs[-1].append(high)
    return [tuple(run) for run in runs]


def _own_method(options: EngineOptions) -> bool:
    """Whether the engine's own method is used, and not a published one."""
    return options.settings.get(METHOD_AXIS, AUTO) in (AUTO, DEFAULT_METHOD)


def _several(length: int) -> int:
    return SEVERAL if length > SOON_OVER else 2 * SEVERAL


def _solve(
    runs: Sequence[Sequence[int]], small: int, large: int, times: Sequence[float], faster: float
) -> dict[str, Any]:
    """Find the numbers that explain the times.

    Parameters
    ----------
    runs : sequence of sequence of int
        Lengths, ascending; each run by one method.
    times : sequence of float
        Of one and many of the shortest queries and of one and several of the longest in the small database, then of
        one and several of each length in the large one.
    faster : float
        As for `_smooth`.
    """
    lengths = [length for run in runs for length in run]
    one_small, many_small, one_long, several_long = times[:4]
    ones, several = times[4::2], times[5::2]
    each_small = max(many_small - one_small, 1e-6) / (MANY - 1)
    each_long = max(several_long - one_long, 1e-6) / (SEVERAL - 1)
    times_of_one = [max(b - a, 1e-6) / (_several(n) - 1) for n, a, b in zip(lengths, ones, several, strict=True)]
    rate_small = max(times_of_one[0] - each_small, 0.05 * times_of_one[0]) / (large - small)
    per_query = max(each_small - rate_small * small, 0.0)
    rates: list[float] = []
    for run in runs:
        of_run = [times_of_one[index] for index in range(len(rates), len(rates) + len(run))]
        rates += _smooth(run, [max(seconds - per_query, 0.05 * seconds) / large for seconds in of_run], faster)
    alone = max((one_long - each_long) - (one_small - each_small), 0.0) / max(lengths[-1] - lengths[0], 1)
    scan = max(each_long - per_query, 0.0)
    least = scan / lengths[-1] if scan > UNLIKE * small * rates[-1] else 0.0
    first = one_small - each_small
    cold = [a - b - first - alone * (n - lengths[0]) for n, a, b in zip(lengths, ones, times_of_one, strict=True)]
    per_residue = max(median(cold), 0.0) / (large - small)
    return {
        "start": max(first - per_residue * small - alone * lengths[0], 0.0),
        "per_query": per_query,
        "cold": per_residue,
        "rates": tuple(zip(lengths, rates, strict=True)),
        "alone": alone,
        "least": least,
    }


def _smooth(lengths: Sequence[int], rates: Sequence[float], faster: float) -> list[float]:
    """Take out of measured rates what cannot be: a longer query that takes less, a shorter one with far more speed.

    Parameters
    ----------
    rates : sequence of float
        Seconds per residue of the database, for each length, ascending.
    faster : float
        How many times the speed of a longer query a shorter one may have; 1 where speed grows with length.
    """
    smooth: list[float] = []
    for index, (length, rate) in enumerate(zip(lengths, rates, strict=True), start=1):
        longer = [other / length_ for length_, other in zip(lengths[index:], rates[index:], strict=True)]  # per cell
        smooth.append(max(rate, length * min(longer, default=0.0) / faster, *smooth[-1:]))
    return smooth


def _queries(length: int, count: int) -> tuple[SequenceRecord, ...]:
    whole = PROTEIN.decode(synthetic_query(length + 17 * count).codes)
    return tuple(SequenceRecord(f"query {i + 1}", "", whole[17 * i : 17 * i + length]) for i in range(count))


def _time(request: SearchRequest, cancel: threading.Event) -> float | None:
    """Return the seconds of the quickest of some searches, after one that compiles; None if cancelled."""
    best = math.inf
    for number in range(REPEATS + 1):
        began = time.perf_counter()
        run_to_end(search_steps(request, cancel))
        if cancel.is_set():
            return None
        if number:
            best = min(best, time.perf_counter() - began)
    return best


def _devices(engine: str, options: EngineOptions) -> tuple[DeviceInfo, ...]:
    devices = registry.probe(engine).devices
    if not options.devices:
        return devices[:1]
    return tuple(device for device in devices if device.id in options.devices)


def _fingerprint(engine: str, devices: Sequence[DeviceInfo]) -> str:
    return " ".join(fingerprint(engine, device) for device in devices)


def remembered(engine: str, options: EngineOptions, path: Path | None = None) -> Calibration | None:
    """Return the calibration of an engine, devices and settings; None if there is none, or anything has changed.

    Probes the engine, which may take a second the first time: not for the window's thread.
    """
    devices = _devices(engine, options)
    kept = _load(path).get(_key(engine, tuple(device.name for device in devices), settings_of(options)))
    return kept if kept is not None and devices and kept.fingerprint == _fingerprint(engine, devices) else None


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
