"""Measurement of the numbers by which a search is estimated (`swgui.jobs.search.estimate`), by a few small searches.

They go through `search_steps` itself, so that nothing that users wait for is left out but what happens once only: the
compilation of kernels, and reading the file. Every method of a GPU is measured by itself.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise
from statistics import median
from typing import Any, Final

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable
from swgui.core.methods.base import AUTO
from swgui.core.methods.search import DEFAULT_METHOD
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.core.sweep.grid import METHOD_AXIS
from swgui.engines import registry
from swgui.io.matrices import load_matrix
from swgui.jobs.events import Stage, run_to_end
from swgui.jobs.search.estimate import Calibration, devices_of, fingerprint_of, settings_of
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.timed import search_steps

SEVERAL: Final = 4  # queries of the second search of each length; twice as many of those whose time is soon over
SOON_OVER: Final = 200  # residues
MANY: Final = 9  # shortest queries of the second search of the small database
SHORT_FASTER: Final = 4.0  # times the speed of longer queries that shorter ones may have with a published method
UNLIKE: Final = 1.2  # a scan of a small database that takes longer than this times its model has another cost
CLOSE: Final = 1.02  # two lengths between which a method gives way to another are this near to each other
REPEATS: Final = 2  # searches, of which the quickest counts


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
    devices = devices_of(engine, options)
    samples = registry.facts(engine).samples
    if samples is None:
        raise EngineUnavailable(engine, f"The speed of the engine '{engine}' is not measured.")
    large_size = samples.large
    if samples.per_cores and (cores := devices[0].facts.get("cores", "")).isdecimal():
        large_size *= max(1, int(cores) // samples.per_cores)
    scheme = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    yield Stage("Measuring how fast this device is")
    small, large = synthetic_database(samples.small), synthetic_database(large_size)
    runs = runs_of(engine, options, scheme, samples.lengths)
    lengths = [length for run in runs for length in run]
    shortest, longest = lengths[0], lengths[-1]
    searches = [(small, shortest, 1), (small, shortest, MANY), (small, longest, 1), (small, longest, SEVERAL)]
    searches += [(large, length, count) for length in lengths for count in (1, _several(length))]
    search, times = Search(scheme=scheme, engine=engine, options=options), list[float]()
    for number, (database, length, count) in enumerate(searches):
        yield Stage("Measuring how fast this device is", number, len(searches))
        request = SearchRequest(_queries(length, count), database, search)
        seconds = time_of(request, cancel)
        if seconds is None:
            return
        times.append(seconds)
    faster = 1.0 if _own_method(options) else SHORT_FASTER
    solved = _solve(runs, small.residues, large.residues, times, faster)
    yield Calibration(
        engine=engine,
        devices=tuple(device.name for device in devices),
        fingerprint=fingerprint_of(engine, devices),
        made=datetime.now().astimezone().isoformat(timespec="seconds"),
        settings=settings_of(options),
        **solved,
    )


def runs_of(
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
        As for `smoothed`.
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
        rates += smoothed(run, [max(seconds - per_query, 0.05 * seconds) / large for seconds in of_run], faster)
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


def smoothed(lengths: Sequence[int], rates: Sequence[float], faster: float) -> list[float]:
    """Correct impossible rates: those of longer queries that take less, or of shorter ones that are far faster.

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


def time_of(request: SearchRequest, cancel: threading.Event) -> float | None:
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
