"""One long pair on the CPU: exact, in linear memory, for computers without a GPU.

Three stages, each of them exact by itself.

1. *Scoring.* The score and the cell it ends in. A small pair goes to parasail, whose SIMD kernels have no equal there;
   they can be neither interrupted nor watched, so they get what takes a second or two at most. Anything larger is
   computed in NumPy, which can stop, report and go on from a checkpoint: similar sequences in a band along the diagonal
   (`band`), others in tiles (`sweep`); both leave out what cannot reach a score known from common words (`anchors`).
2. *Finding the start.* The same from the end backwards, with the score known (local and semi-global mode).
3. *Aligning.* The way back inside the rectangle between start and end, through tiles (`walk`) or in a band.

Which of several best alignments is given is the same as in `swgui.engines.traceback`, whatever the sizes: the one that
ends first in the subject, then in the query; of these the one that starts last in the subject, then in the query; of
these, from the end, pairs before insertions before deletions.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import EngineFault, InvalidParameter, ScoreMismatch
from swgui.core.pair import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProgress,
    PairScored,
    PairStep,
    PairTask,
)
from swgui.core.pair_methods import PAIR_METHODS
from swgui.core.pair_view import score_and_count
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines import host
from swgui.engines.base import DeviceInfo, EngineOptions
from swgui.engines.pair.anchors import lower_bound
from swgui.engines.pair.band import KEPT_BYTES, STRETCH_BYTES, Band, BandWalk, spacing_for
from swgui.engines.pair.problem import Problem, make_problem
from swgui.engines.pair.sweep import End, Rules, Start, Stopped, Sweep, outer_borders
from swgui.engines.pair.tile import Best, compute_tile
from swgui.engines.pair.walk import BLOCK, STATE_VALUES, Walk
from swgui.engines.rowscan import LocalEnd
from swgui.engines.simd import striped
from swgui.engines.simd.striped import StripedQuery, can_score, profile_bound

NAME: Final = "cpu"
STRIPED_CELLS: Final = 3_000_000_000  # of one call to parasail, about a second
STRIPED_RATE: Final = 4e9  # cells per second, of long pairs on one core
ANCHORED_CELLS: Final = 4_000_000  # below this everything is computed before anchors are found
CLOSE_SHARE: Final = 0.5  # of the highest score there could be: from here on a band is narrow enough
CHECKPOINT_SECONDS: Final = 5.0
TICK_SECONDS: Final = 0.1
# Rows of a tile: short rows waste time in NumPy's calls, long ones leave the cache and less can be left out.
SHORTEST_TILE, LONGEST_TILE = 1 << 10, 1 << 15
_SCORING, _STARTING, _ALIGNING = "Scoring", "Finding the start", "Aligning"
_SCORED, _LOCATED = "scored", "located"  # stages of checkpoints, besides those of progress

T = TypeVar("T")


def create_pair_engine(method: str, options: EngineOptions) -> CpuPairEngine:
    """Make the engine.

    Parameters
    ----------
    options : EngineOptions
        ``threads``; ``devices`` may name ``"cpu"``; ``settings`` knows ``library``: ``auto`` (default), ``parasail``
        for every pair it can score exactly, however long it takes to stop, or ``numpy``.

    Raises
    ------
    InvalidParameter
        If an option is unknown.
    """
    for device in options.devices:
        if device != NAME:
            raise InvalidParameter("device", device, f"The CPU method has no device '{device}', only 'cpu'.")
    if options.threads < 0:
        raise InvalidParameter("threads", options.threads, f"{options.threads} threads cannot be used.")
    PAIR_METHODS[NAME].check(options.settings)
    chosen = options.settings.get("library", "auto")
    if chosen == "parasail" and (problem := striped.problem()):
        raise InvalidParameter("library", chosen, f"{problem}.", hint="Choose the library numpy.")
    return CpuPairEngine(options.threads or host.usable_cores(), chosen)


class CpuPairEngine:
    """Aligns long pairs with parasail and NumPy.

    Parameters
    ----------
    threads : int
    library : {"auto", "parasail", "numpy"}
    """

    method = NAME

    def __init__(self, threads: int, library: str = "auto") -> None:
        facts = {"cores": str(host.usable_cores()), **striped.facts()}
        self.devices = (DeviceInfo(id=NAME, name=host.processor_name(), memory=host.memory(), facts=facts),)
        self.threads = threads
        self.striped_cells = {"auto": STRIPED_CELLS, "parasail": 1 << 62, "numpy": 0}[library]
        if striped.problem():
            self.striped_cells = 0
        self._library = library

    def plan(self, query_length: int, subject_length: int, scheme: ScoringScheme, task: PairTask) -> PairPlan:
        """Say beforehand what it will cost; measures this computer for a moment the first time."""
        cells = query_length * subject_length
        passes = 1 if task.score_only else 2 if task.mode is PairMode.GLOBAL else 3
        quick = task.mode is PairMode.LOCAL and cells <= self.striped_cells
        rate = STRIPED_RATE if quick else _tile_rate() * _speed_up(self.threads, query_length)
        tile = _tile_size(query_length, subject_length)
        bytes_each = 4
        memory = {
            "sequences": 24 * (query_length + subject_length),
            "frontier": 4 * bytes_each * (query_length + subject_length),
            "tiles": self.threads * 16 * bytes_each * sum(tile),
        }
        if not task.score_only:
            memory["lines for the way back"] = min(KEPT_BYTES, 4 * bytes_each * max(1, cells // BLOCK))
            largest = max(4 * bytes_each * STATE_VALUES, STRETCH_BYTES)
            memory["blocks of the way back"] = min(largest, 8 * bytes_each * (cells + BLOCK))
        remarks = (
            []
            if quick or cells < 1e10
            else ["The time is that of unrelated sequences; similar ones take a fraction of it."]
        )
        return PairPlan(
            method=NAME,
            devices=tuple(device.name for device in self.devices),
            cells=cells,
            cells_at_most=passes * cells,
            memory=memory,
            settings={
                "library": "parasail" if quick else "numpy",
                "threads": str(self.threads),
                "tile": f"{tile[0]} x {tile[1]}",
            },
            seconds=cells / rate,
            remarks=tuple(remarks),
        )

    def run(
        self,
        query: EncodedQuery,
        subject: NDArray[np.uint8],
        scheme: ScoringScheme,
        task: PairTask,
        cancel: threading.Event,
        found: Sequence[Alignment] = (),
        resume: PairCheckpoint | None = None,
    ) -> Iterator[PairStep]:
        """Find the best alignment; see `swgui.engines.pair.base.PairEngine`."""
        job = _Job(self, query, subject, scheme, task, cancel, tuple(found))
        try:
            yield from job.run(resume)
        except Stopped:
            return
        except MemoryError as fault:
            raise EngineFault(
                "There is not enough memory for this pair.", hint="Close other programs, or align shorter sequences."
            ) from fault
        finally:
            job.left.set()

    def close(self) -> None:
        """Nothing is held between runs."""


class _Job:
    """One run."""

    def __init__(
        self,
        engine: CpuPairEngine,
        query: EncodedQuery,
        subject: NDArray[np.uint8],
        scheme: ScoringScheme,
        task: PairTask,
        cancel: threading.Event,
        found: tuple[Alignment, ...],
    ) -> None:
        self.engine, self.query, self.subject, self.scheme = engine, query, subject, scheme
        self.task, self.found = task, found
        self.cancel = cancel
        self.left = threading.Event()  # nobody listens any more
        self.problem = make_problem(query, subject, scheme, found)
        self.cells = self.pruned = 0
        # Cells of each stage, as far as they are known: first scoring, then finding the start, then aligning.
        self.stages = [len(query) * len(subject), 0, 0]
        self.best: PairEnd | None = None
        self._ticked = self._saved = time.monotonic()

    def run(self, resume: PairCheckpoint | None) -> Iterator[PairStep]:
        """Score, find the start, align."""
        mode, (h, w) = self.task.mode, self.problem.shape
        if not h or not w:
            yield from self._without_cells()
            return
        place = self._known(resume)
        if len(place) < 3:
            end = yield from self._score(resume)
            place = (end.score, end.query_end, end.subject_end)
            yield PairCheckpoint(_SCORED, self.cells, self._facts(place))
        score, row, column = place[:3]
        yield PairScored(PairEnd(score, row, column))
        if self.task.score_only:
            return
        if score == 0 and mode is not PairMode.GLOBAL:
            yield PairAligned(Alignment.from_runs(0, 0, [], 0))
            return
        if len(place) < 5:
            first = (0, 0)
            if mode is not PairMode.GLOBAL:
                first = yield from self._start(score, row, column, resume)
            place = (score, row, column, *first)
            yield PairCheckpoint(_LOCATED, self.cells, self._facts(place))
        yield from self._align(place, resume)

    def _without_cells(self) -> Iterator[PairStep]:
        h, w = self.problem.shape
        if self.task.mode is not PairMode.GLOBAL:
            h = w = 0
        alignment = Alignment.from_runs(
            0, 0, [(int(Op.INSERTION), h), (int(Op.DELETION), w)], -self.problem.gap(max(h, w))
        )
        yield PairScored(PairEnd(alignment.score, h, w))
        if not self.task.score_only:
            yield PairAligned(alignment)

    # -- stages

    def _score(self, resume: PairCheckpoint | None) -> Generator[PairStep, None, PairEnd]:
        """Find the score and where it is reached."""
        mode, (h, w) = self.task.mode, self.problem.shape
        if mode is PairMode.LOCAL and self._quick(self.problem):
            last = yield from self._striped(_SCORING, self.query.scores(self.scheme), self.subject, 0)
            return PairEnd(last.score, last.query_end, last.subject_end)
        bound = None
        if h * w >= ANCHORED_CELLS and not self.found and self.query.profile is None:
            codes = self.query.codes, self.subject
            bound = yield from self._aside(_SCORING, lambda: lower_bound(self.problem, *codes, mode))
        rules = {
            PairMode.LOCAL: Rules(Start.ANYWHERE, End.ANYWHERE, bound),
            PairMode.GLOBAL: Rules(Start.CORNER, End.CORNER, bound),
            PairMode.SEMIGLOBAL: Rules(Start.BORDER, End.BORDER, bound),
        }[mode]
        nothing = None if mode is PairMode.GLOBAL else Best(0, 0, 0)
        way: Sweep | Band
        if bound is not None and _close(self.problem, bound):
            way = Band(self.problem, rules, nothing)
            if not self.task.score_only:  # the alignment will run through most of both sequences
                self.stages[1:] = [0 if mode is PairMode.GLOBAL else h * w, h * w]
        else:
            way = Sweep(self.problem, rules, _tile_size(h, w), best=nothing)
        if resume is not None and resume.stage == _SCORING:
            way.restore(_integers(resume))
        yield from self._swept(_SCORING, way, {})
        best = way.best
        return PairEnd(best.score, best.row, best.column) if best.score or mode is PairMode.GLOBAL else PairEnd(0, 0, 0)

    def _start(
        self, score: int, row: int, column: int, resume: PairCheckpoint | None
    ) -> Generator[PairStep, None, tuple[int, int]]:
        """Find the vertex from which the score is reached: an alignment of the reversed prefixes ends there.

        It must begin at their first vertex, or there would be one as good that ends earlier. In local mode each of
        its beginnings scores above 0, or what comes before would be as good and end earlier.
        """
        turned = self.problem.part(0, row, 0, column, turned=True)
        facts = self._facts((score, row, column))
        self.stages[1:] = [row * column, self.stages[2] and row * column]
        if self.task.mode is PairMode.LOCAL and self._quick(turned):
            profile = np.ascontiguousarray(self.query.scores(self.scheme)[:row][::-1])
            letters = np.ascontiguousarray(self.subject[:column][::-1])
            last = yield from self._striped(_STARTING, profile, letters, score)
            return row - last.query_end, column - last.subject_end
        local = self.task.mode is PairMode.LOCAL
        rules = Rules(Start.CORNER, End.ANYWHERE if local else End.BORDER, score, positive=local)
        way: Sweep | Band
        if _close(turned, score):
            way = Band(turned, rules, Best(score))
        else:
            way = Sweep(turned, rules, _path_tile(row, column), best=Best(score))
        if resume is not None and resume.stage == _STARTING:
            way.restore(_integers(resume))
        yield from self._swept(_STARTING, way, facts)
        if not way.best.known:
            raise ScoreMismatch("the subject", score, 0)
        return row - way.best.row, column - way.best.column

    def _align(self, place: tuple[int, ...], resume: PairCheckpoint | None) -> Iterator[PairStep]:
        """Find the alignment between two vertices."""
        score, row, column, first_row, first_column = place
        part = self.problem.part(first_row, row, first_column, column)
        h, w = part.shape
        cells, pruned, facts = self.cells, self.pruned, self._facts(place)
        self.stages[2] = h * w
        runs: list[tuple[int, int]]
        if h and w:
            walk = self._walk(part, score)
            if resume is not None and resume.stage == _ALIGNING and "walk" in resume.arrays:
                walk.restore(_integers(resume))
            for whole in walk.run():
                self.cells, self.pruned = cells + walk.cells, pruned + walk.pruned
                if whole and self._due():
                    yield PairCheckpoint(_ALIGNING, self.cells, {**facts, **walk.state()})
                yield from self._tick(_ALIGNING)
            runs = walk.runs()
        else:  # semi-global, nothing but a gap
            runs = [(int(Op.INSERTION), h), (int(Op.DELETION), w)]
        alignment = Alignment.from_runs(first_row, first_column, runs, score)
        actual, _ = score_and_count(alignment, self.query, self.subject, self.scheme)
        if actual != score:
            raise ScoreMismatch("the subject", score, actual)
        yield self._progress(_ALIGNING)
        plan = self.engine.plan(*self.problem.shape, self.scheme, self.task)
        yield PairAligned(alignment, plan.memory_bytes)

    # -- ways of computing

    def _walk(self, part: Problem, score: int) -> Walk | BandWalk:
        stop, positive = _Either(self.cancel, self.left), self.task.mode is PairMode.LOCAL
        spacing = spacing_for(part, score) if _close(part, score) else 0
        if spacing:
            return BandWalk(part, score, positive=positive, stop=stop, spacing=spacing)
        return Walk(part, score, positive=positive, stop=stop)

    def _quick(self, problem: Problem) -> bool:
        """Whether parasail does it exactly, and soon enough."""
        h, w = problem.shape
        return (
            not self.found
            and h * w <= self.engine.striped_cells
            and can_score(self.query.scores(self.scheme), self.scheme.first, self.scheme.further)
        )

    def _striped(
        self, stage: str, profile: NDArray[np.int16], subject: NDArray[np.uint8], expected: int
    ) -> Generator[PairStep, None, LocalEnd]:
        def work() -> LocalEnd:
            if profile_bound(profile) == 0:
                return LocalEnd(0, 0, 0)
            return StripedQuery(profile, self.scheme.first, self.scheme.further, expected).end(subject)

        last = yield from self._aside(stage, work)
        self.cells += len(profile) * len(subject)
        self.best = PairEnd(last.score, last.query_end, last.subject_end) if stage == _SCORING else self.best
        yield self._progress(stage)
        return last

    def _aside(self, stage: str, work: Callable[[], T]) -> Generator[PairStep, None, T]:
        """Do something that cannot be interrupted in a thread that is left alone if the user stops."""
        done: queue.SimpleQueue[T | BaseException] = queue.SimpleQueue()

        def run() -> None:
            try:
                done.put(work())
            except BaseException as fault:
                done.put(fault)

        threading.Thread(target=run, name="swgui-pair", daemon=True).start()
        while True:
            try:
                result = done.get(timeout=TICK_SECONDS / 2)
            except queue.Empty:
                if self.cancel.is_set():
                    raise Stopped from None
                yield from self._tick(stage)
                continue
            if isinstance(result, BaseException):
                raise result
            return result

    def _swept(self, stage: str, sweep: Sweep | Band, facts: Mapping[str, NDArray[np.int64]]) -> Iterator[PairStep]:
        """Run a sweep on the threads; checkpoints of it have `facts`, too."""
        cells, pruned = self.cells, self.pruned
        pool = ThreadPoolExecutor(self.engine.threads, thread_name_prefix="swgui-pair") if sweep.threaded else None
        try:
            for whole in sweep.run(_Either(self.cancel, self.left), pool):
                self.cells, self.pruned = cells + sweep.progress(), pruned + sweep.pruned
                if stage == _SCORING and sweep.best.known and self.task.mode is not PairMode.GLOBAL:
                    self.best = PairEnd(sweep.best.score, sweep.best.row, sweep.best.column)
                if whole and self._due():
                    yield PairCheckpoint(stage, self.cells, {**facts, **sweep.state()})
                yield from self._tick(stage)
        finally:
            if pool is not None:
                pool.shutdown(wait=False, cancel_futures=True)
        self.cells, self.pruned = cells + sweep.cells, pruned + sweep.pruned
        yield self._progress(stage)

    # -- reports

    def _due(self) -> bool:
        """Whether it is time for a checkpoint."""
        now = time.monotonic()
        if now - self._saved < CHECKPOINT_SECONDS:
            return False
        self._saved = now
        return True

    def _tick(self, stage: str) -> Iterator[PairStep]:
        if self.cancel.is_set():
            raise Stopped
        now = time.monotonic()
        if now - self._ticked >= TICK_SECONDS:
            self._ticked = now
            yield self._progress(stage)

    def _progress(self, stage: str) -> PairProgress:
        total = max(sum(self.stages), self.cells + self.pruned)
        return PairProgress(stage, self.cells, total, self.pruned, self.best)

    def _facts(self, place: tuple[int, ...]) -> dict[str, NDArray[np.int64]]:
        return {"place": np.array(place, dtype=np.int64), "counts": np.array([self.cells, self.pruned, *self.stages])}

    def _known(self, resume: PairCheckpoint | None) -> tuple[int, ...]:
        """Return what a checkpoint knows: score and end, and the start."""
        if resume is None or "place" not in resume.arrays:
            return ()
        self.cells, self.pruned, *self.stages = (int(number) for number in resume.arrays["counts"])
        place = tuple(int(number) for number in resume.arrays["place"])
        self.best = PairEnd(*place[:3])
        return place


class _Either(threading.Event):
    """Is set when one of two events is."""

    def __init__(self, one: threading.Event, other: threading.Event) -> None:
        super().__init__()
        self._events = one, other

    def is_set(self) -> bool:
        """Whether one of them is set."""
        return any(event.is_set() for event in self._events)


def _integers(checkpoint: PairCheckpoint) -> dict[str, NDArray[np.signedinteger]]:
    return {name: np.asarray(array).astype(np.int64) for name, array in checkpoint.arrays.items()}


def _close(problem: Problem, score: int) -> bool:
    """Whether a score is so close to the highest there could be that the best alignment lies in a band."""
    return score >= CLOSE_SHARE * problem.step * min(problem.shape)


def _tile_size(h: int, w: int) -> tuple[int, int]:
    """Return rows and columns of a tile for scoring."""
    rows = SHORTEST_TILE
    while rows < LONGEST_TILE and rows * 16 <= max(h, w):
        rows *= 2
    return rows, 2 * rows


def _path_tile(h: int, w: int) -> tuple[int, int]:
    """Return rows and columns of a tile where only those along the path are computed."""
    rows = SHORTEST_TILE
    while rows < LONGEST_TILE // 4 and rows * 64 <= min(h, w):
        rows *= 2
    return rows, rows


def _speed_up(threads: int, rows: int) -> float:
    """Estimate what several threads gain: a part of each step is the interpreter's, for one thread at a time."""
    return 1 + 0.5 * min(threads - 1, 7) if threads > 1 and rows >= 1 << 18 else 1.0


@cache
def _tile_rate() -> float:
    """Measure cells per second of one thread in a tile."""
    size = 1 << 13
    query, subject = np.random.default_rng(1).integers(0, 4, (2, size), dtype=np.uint8)
    scheme = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
    problem = make_problem(EncodedQuery("", query), subject[: size // 4], scheme)
    before = outer_borders(problem, Start.ANYWHERE)
    began = time.perf_counter()
    compute_tile(problem, (0, size, 0, size // 4), before, None, floor=True, check=lambda cells: None)
    return size * (size // 4) / max(time.perf_counter() - began, 1e-6)
