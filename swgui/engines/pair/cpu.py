"""One long pair on the CPU: exact, in linear memory, for computers without a GPU.

Three stages, each of them exact by itself.

1. *Scoring.* The score and the cell it ends in. A small local pair is scored in one call, the query along the lanes
   (`swgui.engines.native.regions`), which gives the start, too; it can be neither interrupted nor watched, so it gets
   work of a second at most. Anything larger is computed in steps that can stop, report and continue from a checkpoint:
   similar sequences in a band along the diagonal (`band`), others in tiles (`sweep`); both skip parts that cannot reach
   a score known from common words (`anchors`).
2. *Finding the start.* The same from the end backwards, with the score known (local and semi-global mode).
3. *Aligning.* The traceback inside the rectangle between start and end, through tiles (`walk`) or in a band.

Which of several best alignments is given is the same as in `swgui.engines.traceback`, whatever the sizes: the one that
ends first in the subject, then in the query; of these the one that starts last in the subject, then in the query; of
these, from the end, pairs before insertions before deletions.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache, partial
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.control import AnyEvent, start_thread
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, ScoreMismatch, Stopped
from swgui.core.methods.pair import CPU_METHOD, PAIR_METHODS
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairPlan,
    PairProblem,
    PairProgress,
    PairScored,
    PairStep,
)
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines import host, native
from swgui.engines.base import DeviceInfo
from swgui.engines.pair.anchors import find_chain
from swgui.engines.pair.band import Band
from swgui.engines.pair.band_walk import KEPT_BYTES, STRETCH_BYTES, BandWalk, spacing_for
from swgui.engines.pair.base import nothing_aligned, rescored
from swgui.engines.pair.problem import Problem, make_problem
from swgui.engines.pair.sweep import POLL_SECONDS, End, Rules, Start, Sweep, outer_borders
from swgui.engines.pair.tile import Best, compute_tile
from swgui.engines.pair.tuning import TUNING
from swgui.engines.pair.walk import BLOCK, STATE_VALUES, Walk
from swgui.engines.traceback.rectangle import Rectangle, find_rectangle

PROFILE_BYTES: Final = 1 << 30  # of a query laid out for one call, at most
CHECKPOINT_SECONDS: Final = 5.0
TICK_SECONDS: Final = 0.1
_SCORING, _STARTING, _ALIGNING = "Scoring", "Finding the start", "Aligning"
_SCORED, _LOCATED = "scored", "located"  # stages of checkpoints, apart from those of progress

T = TypeVar("T")
NAME: Final = CPU_METHOD


class Job:
    """One run.

    Parameters
    ----------
    memory_bytes : int
        Memory in the report, in bytes.

    Attributes
    ----------
    left : threading.Event
        Set once the caller no longer listens.
    """

    def __init__(
        self,
        threads: int,
        memory_bytes: int,
        asked: PairProblem,
        cancel: threading.Event,
    ) -> None:
        self.threads, self.memory_bytes = threads, memory_bytes
        self.asked = asked
        self.cancel = cancel
        self.left = threading.Event()  # the caller no longer listens
        self.problem: Problem  # made by `run`
        self.cells = self.pruned = 0
        # Cells of each stage, as far as they are known: first scoring, then finding the start, then aligning.
        self.stages = [asked.cells, 0, 0]
        self.best: PairEnd | None = None
        self.first: tuple[int, int] | None = None  # where the best alignment begins, if scoring told
        self._ticked = self._saved = time.monotonic()

    def run(self, resume: PairCheckpoint | None) -> Iterator[PairStep]:
        """Score, find the start, align."""
        # For two genomes that takes a while.
        prepare = partial(make_problem, self.asked)
        self.problem = yield from self._aside(_SCORING, prepare)
        mode, (h, w) = self.asked.mode, self.problem.shape
        if not h or not w:
            yield from nothing_aligned(self.asked)
            return
        place = self._known(resume)
        if len(place) < 3:
            end = yield from self._score(resume)
            place = (end.score, end.query_end, end.subject_end)
            yield PairCheckpoint(_SCORED, self.cells, self._facts(place))
        score, row, column = place[:3]
        yield PairScored(PairEnd(score, row, column))
        if self.asked.score_only:
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

    # -- stages

    def _score(self, resume: PairCheckpoint | None) -> Generator[PairStep, None, PairEnd]:
        """Find the score and where it is reached."""
        asked, (h, w) = self.asked, self.problem.shape
        mode = asked.mode
        if mode is PairMode.LOCAL and self._quick(self.problem):
            region = yield from self._region(_SCORING, h, w)
            self.first = region.query_start, region.subject_start
            return PairEnd(region.score, region.query_end, region.subject_end)
        bound = None
        if h * w >= TUNING.anchored_cells and not asked.excluded and asked.query.profile is None:
            chain = yield from self._aside(_SCORING, partial(find_chain, asked))
            bound = chain.score if chain is not None else None
        rules = {
            PairMode.LOCAL: Rules(Start.ANYWHERE, End.ANYWHERE, bound),
            PairMode.GLOBAL: Rules(Start.CORNER, End.CORNER, bound),
            PairMode.SEMIGLOBAL: Rules(Start.BORDER, End.BORDER, bound),
        }[mode]
        nothing = None if mode is PairMode.GLOBAL else Best(0, 0, 0)
        way: Sweep | Band
        if bound is not None and _close(self.problem, bound):
            way = Band(self.problem, rules, nothing)
            if not asked.score_only:  # the alignment will run through most of both sequences
                self.stages[1:] = [0 if mode is PairMode.GLOBAL else h * w, h * w]
        else:
            way = Sweep(self.problem, rules, tile_size(h, w), best=nothing)
        if resume is not None and resume.stage == _SCORING:
            way.restore(_integers(resume))
        yield from self._swept(_SCORING, way, {})
        best = way.best
        return PairEnd(best.score, best.row, best.column) if best.score or mode is PairMode.GLOBAL else PairEnd(0, 0, 0)

    def _start(
        self, score: int, row: int, column: int, resume: PairCheckpoint | None
    ) -> Generator[PairStep, None, tuple[int, int]]:
        """Find the vertex from which the score is reached: an alignment of the reversed prefixes ends there.

        It must begin at their first vertex, or there would be one as good that ends earlier. In local mode each of its
        beginnings scores above 0, or the part before would be as good and end earlier.
        """
        if self.first is not None:
            return self.first
        backward = self.problem.part(0, row, 0, column, backward=True)
        facts = self._facts((score, row, column))
        self.stages[1:] = [row * column, self.stages[2] and row * column]
        if self.asked.mode is PairMode.LOCAL and self._quick(backward):
            region = yield from self._region(_STARTING, row, column)
            return region.query_start, region.subject_start
        local = self.asked.mode is PairMode.LOCAL
        rules = Rules(Start.CORNER, End.ANYWHERE if local else End.BORDER, score, positive=local)
        way: Sweep | Band
        if _close(backward, score):
            way = Band(backward, rules, Best(score))
        else:
            way = Sweep(backward, rules, _path_tile(row, column), best=Best(score))
        if resume is not None and resume.stage == _STARTING:
            way.restore(_integers(resume))
        yield from self._swept(_STARTING, way, facts)
        if not way.best.known:
            raise ScoreMismatch("the subject", score, 0)
        return row - way.best.row, column - way.best.column

    def _align(self, place: tuple[int, ...], resume: PairCheckpoint | None) -> Iterator[PairStep]:
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
            with self._pool() as pool:
                for whole in walk.run(pool):
                    self.cells, self.pruned = cells + walk.cells, pruned + walk.pruned
                    self.stages[2] = h * w + walk.again
                    if whole and self._due():
                        yield PairCheckpoint(_ALIGNING, self.cells, {**facts, **walk.state()})
                    yield from self._tick(_ALIGNING)
            runs = walk.runs()
        else:  # semi-global, only a gap
            runs = [(int(Op.INSERTION), h), (int(Op.DELETION), w)]
        alignment = Alignment.from_runs(first_row, first_column, runs, score)
        answer = rescored(self.asked, alignment, score, self.memory_bytes)
        self.stages[2] = 0  # the earlier work was all of it
        yield self._progress(_ALIGNING)
        yield answer

    # -- ways of computing

    def _walk(self, part: Problem, score: int) -> Walk | BandWalk:
        stop, positive = AnyEvent(self.cancel, self.left), self.asked.mode is PairMode.LOCAL
        spacing = spacing_for(part, score) if _close(part, score) else 0
        if spacing:
            return BandWalk(part, score, positive=positive, stop=stop, spacing=spacing)
        return Walk(part, score, positive=positive, stop=stop)

    def _quick(self, problem: Problem) -> bool:
        """Whether one call does it exactly, and soon enough."""
        (h, w), scheme = problem.shape, self.asked.scheme
        return (
            not self.asked.excluded
            and fits_a_call(h, w, problem.table.shape[1])
            and native.usable(self.asked.query.scores(scheme))
        )

    def _region(self, stage: str, rows: int, columns: int) -> Generator[PairStep, None, Rectangle]:
        """Find where the best local alignment of two beginnings lies, in one call."""
        query, scheme = self.asked.query.part(slice(rows)), self.asked.scheme
        rectangle = yield from self._aside(stage, partial(find_rectangle, query, self.asked.subject[:columns], scheme))
        self.cells += rows * columns
        if stage == _SCORING:
            self.best = PairEnd(rectangle.score, rectangle.query_end, rectangle.subject_end)
        yield self._progress(stage)
        return rectangle

    def _aside(self, stage: str, work: Callable[[], T]) -> Generator[PairStep, None, T]:
        """Do something that cannot be interrupted in a thread that is left alone if the user stops."""
        working = start_thread(work, "swgui-pair", daemon=True)
        while not wait([working], POLL_SECONDS).done:
            if self.cancel.is_set():
                raise Stopped
            yield from self._tick(stage)
        return working.result()

    def _swept(self, stage: str, sweep: Sweep | Band, facts: Mapping[str, NDArray[np.int64]]) -> Iterator[PairStep]:
        """Run a sweep on the threads; checkpoints of it have `facts`, too."""
        cells, pruned = self.cells, self.pruned
        with self._pool() as pool:
            for whole in sweep.run(AnyEvent(self.cancel, self.left), pool if sweep.threaded else None):
                self.cells, self.pruned = cells + sweep.progress(), pruned + sweep.pruned
                if stage == _SCORING and sweep.best.known and self.asked.mode is not PairMode.GLOBAL:
                    self.best = PairEnd(sweep.best.score, sweep.best.row, sweep.best.column)
                if whole and self._due():
                    yield PairCheckpoint(stage, self.cells, {**facts, **sweep.state()})
                yield from self._tick(stage)
        self.cells, self.pruned = cells + sweep.cells, pruned + sweep.pruned
        yield self._progress(stage)

    @contextmanager
    def _pool(self) -> Iterator[ThreadPoolExecutor]:
        """Threads for tiles; none is started before there is a tile for it."""
        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="swgui-pair")
        try:
            yield pool
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    # -- reports

    def _due(self) -> bool:
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
        """Return the content of a checkpoint: score and end, and the start."""
        if resume is None or "place" not in resume.arrays:
            return ()
        self.cells, self.pruned, *self.stages = (int(number) for number in resume.arrays["counts"])
        place = tuple(int(number) for number in resume.arrays["place"])
        self.best = PairEnd(*place[:3])
        return place


def _integers(checkpoint: PairCheckpoint) -> dict[str, NDArray[np.signedinteger]]:
    return {name: np.asarray(array).astype(np.int64) for name, array in checkpoint.arrays.items()}


def _close(problem: Problem, score: int) -> bool:
    """Whether a score is so close to the highest there could be that the best alignment lies in a band."""
    return score >= TUNING.close_share * problem.step * min(problem.shape)


def fits_a_call(rows: int, columns: int, symbols: int) -> bool:
    """Whether a pair is small enough for one call, which can be neither interrupted nor watched."""
    return rows * columns <= TUNING.call_cells and profile_bytes(rows, symbols) <= PROFILE_BYTES


def profile_bytes(rows: int, symbols: int) -> int:
    """Return the memory of one call for a query: scores of each row against each symbol, given and in two widths."""
    return rows * symbols * (2 + 2 + 4)


def tile_size(h: int, w: int) -> tuple[int, int]:
    """Return rows and columns of a tile for scoring."""
    rows = TUNING.shortest_tile
    while rows < TUNING.longest_tile and rows * 16 <= max(h, w):
        rows *= 2
    return rows, 2 * rows


def _path_tile(h: int, w: int) -> tuple[int, int]:
    """Return rows and columns of a tile where only those along the path are computed."""
    rows = TUNING.shortest_tile
    while rows < TUNING.longest_tile // 4 and rows * 64 <= min(h, w):
        rows *= 2
    return rows, rows


def create_pair_engine(method: str, options: EngineOptions) -> CpuPairEngine:
    """Make the engine.

    Parameters
    ----------
    options : EngineOptions
        ``threads``; ``devices`` may name ``"cpu"``; there are no settings.

    Raises
    ------
    InvalidParameter
        If an option is unknown.
    EngineUnavailable
        If the compiled library cannot be used.
    """
    if problem := native.problem():
        raise EngineUnavailable(NAME, f"{problem}.", hint=native.REMEDY)
    for device in options.devices:
        if device != NAME:
            raise InvalidParameter("device", device, f"The CPU method has no device '{device}', only 'cpu'.")
    PAIR_METHODS[NAME].check(options.settings)
    return CpuPairEngine(options.threads or host.usable_cores())


class CpuPairEngine:
    """Aligns long pairs with the compiled library."""

    method = NAME

    def __init__(self, threads: int) -> None:
        facts = {"cores": str(host.usable_cores()), **native.facts()}
        self.devices = (DeviceInfo(id=NAME, name=host.cpu_name(), memory=host.memory(), facts=facts),)
        self.threads = threads

    def plan(self, problem: PairProblem) -> PairPlan:
        """Return a plan with the cost, before the run; measures this computer for a moment the first time."""
        rows, columns, cells, mode = problem.rows, problem.columns, problem.cells, problem.mode
        passes = 1 if problem.score_only else 2 if mode is PairMode.GLOBAL else 3
        quick = _is_quick(problem)
        nucleotides = bool(problem.scheme.alphabet.complements)
        seconds = cells / TUNING.call_rate
        if not quick:
            seconds = _seconds(rows, columns, threads=self.threads, nucleotides=nucleotides)
        if not problem.score_only:
            seconds += TUNING.global_path * seconds if mode is PairMode.GLOBAL else 0.0
            seconds += TUNING.path_seconds * (rows + columns)
        tile = tile_size(rows, columns)
        remarks = []
        if not quick and cells >= 1e10:
            remarks.append("The time is that of unrelated sequences; similar ones take a fraction of it.")
        return PairPlan(
            method=NAME,
            devices=tuple(device.name for device in self.devices),
            cells=cells,
            cells_at_most=passes * cells,
            memory=self._memory(problem),
            settings={"threads": str(self.threads), "tile": f"{tile[0]} x {tile[1]}"},
            seconds=seconds,
            remarks=tuple(remarks),
        )

    def run(
        self, problem: PairProblem, cancel: threading.Event, resume: PairCheckpoint | None = None
    ) -> Iterator[PairStep]:
        memory = sum(self._memory(problem).values())
        job = Job(self.threads, memory, problem, cancel)
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

    def _memory(self, problem: PairProblem) -> dict[str, int]:
        rows, columns, cells, bytes_each = problem.rows, problem.columns, problem.cells, 4
        memory = {
            "sequences": 24 * (rows + columns),
            "borders of tiles": 4 * bytes_each * (rows + columns),
            "tiles": self.threads * 16 * bytes_each * sum(tile_size(rows, columns)),
        }
        if _is_quick(problem):
            memory["query profile"] = profile_bytes(rows, len(problem.scheme.alphabet))
        if not problem.score_only:
            memory["lines for the traceback"] = min(KEPT_BYTES, 4 * bytes_each * max(1, cells // BLOCK))
            largest = max(4 * bytes_each * STATE_VALUES, STRETCH_BYTES)
            memory["blocks of the traceback"] = min(largest, 8 * bytes_each * (cells + BLOCK))
        return memory


def _is_quick(problem: PairProblem) -> bool:
    return problem.mode is PairMode.LOCAL and fits_a_call(problem.rows, problem.columns, len(problem.scheme.alphabet))


def _speed_up(threads: int, rows: int) -> float:
    """Estimate the gain of several threads: a part of each step is the interpreter's, for one thread at a time."""
    return 1 + 0.5 * min(threads - 1, 7) if threads > 1 and rows >= 1 << 18 else 1.0


def _seconds(h: int, w: int, *, threads: int, nucleotides: bool) -> float:
    """Estimate the time to score a pair in tiles, all of them."""
    step, cell = _tile_costs()
    rows, columns = (min(side, whole) for side, whole in zip(tile_size(h, w), (h, w), strict=True))
    # With more symbols than matches and mismatches, scores are looked up, which takes longer.
    cell = cell if nucleotides else TUNING.looked_up * cell
    return h * w * (cell + step * (rows + columns) / max(1, rows * columns)) / _speed_up(threads, h)


@cache
def _tile_costs() -> tuple[float, float]:
    """Measure the seconds that one anti-diagonal of a tile takes, and one cell."""
    times = []
    for size in (1 << 9, 1 << 13):
        query, subject = np.random.default_rng(1).integers(0, 4, (2, size), dtype=np.uint8)
        scheme = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
        problem = make_problem(PairProblem(EncodedQuery("", query), subject, scheme))
        before = outer_borders(problem, Start.ANYWHERE)
        taken = []
        for _ in range(2):  # the shorter one: other programs may have the CPU just now
            began = time.perf_counter()
            compute_tile(problem, (0, size, 0, size), before, Best(0, 0, 0), floor=True, check=lambda cells: None)
            taken.append(time.perf_counter() - began)
        times.append((size, min(taken)))
    (small, quick), (large, slow) = times
    # Both take 2 x size anti-diagonals and size x size cells.
    step = quick / (2 * small)
    return step, max(slow - 2 * large * step, 0.1 * slow) / large**2
