"""The ``cpu`` engine: exact scores by the program's own compiled library (`swgui.engines.native`), on all cores.

It puts one subject into each SIMD lane if subjects are many, and lays the query along the lanes for a single one.
Queries whose score could leave 32 bits go to the plain form of the reference engine, which counts in 64; empty subjects
and empty queries score 0 without any call.

Stop. Work is cut into pieces of about 60 ms by residues, and the iterator never waits for a piece after a stop. A
subject of more than a hundred million cells is cut into windows that overlap by the longest possible alignment
(`swgui.engines.windows`), so a chromosome also runs on all cores. A single subject of 35,000 residues against a query
of 5,000 is 175 million cells: about 15 ms.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase, DatabaseChunk, take_chunk
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped
from swgui.core.hits.scores import ChunkScores, WindowScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix, check_same_alphabet
from swgui.engines import host, native
from swgui.engines.base import DeviceInfo, EngineStatus, whole_number
from swgui.engines.facts import CPU
from swgui.engines.windows import cut, longest_span, part_step, window_step

PIECE_NS: Final = 60e6  # a piece is at most this long, unless one subject alone is longer
LANE_CELLS: Final = 100_000_000  # a subject with more cells than this is too long for one lane
LONGEST_SUBJECT: Final = 1 << 18  # residues; longer subjects are cut into windows
WINDOWS: Final = 64  # that fill the lanes of the widest vector
MAX_SCORE: Final = int(np.iinfo(np.int32).max)
KEPT_SUBJECTS: Final = 1 << 20  # of a database whose chunks are kept from one query to the next
POLL_SECONDS: Final = 0.05  # how long a Stop may go unseen
_Timed = tuple["NDArray[np.integer] | None", float]
NAME: Final = CPU.name
CHUNK: Final = "chunk_residues"


class Tuning(msgspec.Struct, frozen=True):
    """Numbers that were chosen by measurements, and the computer of these; a wrong one costs time only."""

    measured_on: str
    column_ns: float  # of a residue of a subject, whatever the query
    cell_ns: float
    numpy_cell_ns: float  # without the compiled library
    numpy_row_ns: float  # of a row of cells there
    numpy_min: int  # residues: of fewer a row is mostly the overhead of NumPy's calls
    shortest_chunk_ns: float
    longest_chunk_ns: float
    chunks_per_thread: int  # where the database is large enough, so that threads end together


TUNING: Final = Tuning(
    measured_on="one core with AVX2",
    column_ns=7.0,
    cell_ns=1 / 15.5,
    numpy_cell_ns=6.0,
    numpy_row_ns=20_000.0,
    numpy_min=4_096,
    shortest_chunk_ns=12e6,
    longest_chunk_ns=60e6,
    chunks_per_thread=16,
)


def residues_for(ns: float, query_length: int) -> int:
    """Return the number of residues of middling subjects that need about `ns` nanoseconds."""
    return max(1, int(ns / (TUNING.column_ns + query_length * TUNING.cell_ns)))


class PreparedQuery:
    """A query in the form of the compiled library, and bounds of all its scores.

    Scores that could leave 32 bits are computed by the plain form of the reference engine, which counts in 64.
    """

    def __init__(self, query: EncodedQuery, scheme: ScoringScheme) -> None:
        self.profile = query.scores(scheme)
        self.gap_first, self.gap_extend, self.gaps = scheme.gap_first, scheme.gap_extend, query.gaps
        self.bound = query.bound(scheme)
        self.span = longest_span(query, scheme)
        costs = self.gap_first, self.gap_extend
        self.compiled: native.Scorer | None = None
        self.tracks: native.TrackScorer | None = None
        if not native.countable(self.profile.shape[1], self.bound):
            return
        if isinstance(scheme.matrix, TwoTrackMatrix) and query.profile is None:
            self.tracks = native.TrackScorer(scheme.matrix.profiles(query.codes), *costs)
        else:
            self.compiled = native.Scorer(self.profile, *costs, self.gaps)

    def __len__(self) -> int:
        return len(self.profile)

    @property
    def lane_limit(self) -> int:
        """Length above which a subject is scored by itself, in windows."""
        return min(LONGEST_SUBJECT, max(1, LANE_CELLS // max(1, len(self))))

    @property
    def piece_residues(self) -> int:
        if self.compiled or self.tracks:
            return residues_for(PIECE_NS, len(self))
        return max(TUNING.numpy_min, int((PIECE_NS / max(1, len(self)) - TUNING.numpy_row_ns) / TUNING.numpy_cell_ns))


class ChunkPart(msgspec.Struct, frozen=True):
    """Part of a chunk: the subjects ``start`` to ``stop``, or windows of one subject."""

    start: int
    stop: int
    # Half-open ranges of residues of the one subject, each of which is scored; empty if it is scored whole.
    windows: tuple[tuple[int, int], ...] = ()


def split(query: PreparedQuery, chunk: DatabaseChunk) -> list[ChunkPart]:
    """Cut a chunk into pieces that take at most about 60 ms; empty subjects are in none.

    Most chunks that `chunk_limits` asked for are one piece. A subject too long for one lane becomes
    windows (or one piece, where gaps cost nothing and it cannot be cut).
    """
    if query.bound == 0:
        return []
    most, (shortest, longest) = query.piece_residues, chunk.extremes
    if chunk.residues <= most and shortest > 0 and longest <= query.lane_limit:
        return [ChunkPart(0, len(chunk))] if len(chunk) else []
    lengths = chunk.lengths
    pieces: list[ChunkPart] = []
    start, residues = 0, 0
    for index, length in enumerate(lengths.tolist()):
        alone = length > query.lane_limit
        if alone or not length or residues + length > most:
            if residues:
                pieces.append(ChunkPart(start, index))
            start, residues = index, 0
        if alone:
            # As far apart as leaves enough of them in a piece to be scored side by side.
            step = min(window_step(query.span), max(part_step(query.span), most // WINDOWS))
            pieces += [ChunkPart(index, index + 1, group) for group in _groups(cut(length, query.span, step), most)]
        if alone or not length:
            start = index + 1
        else:
            residues += length
    if residues:
        pieces.append(ChunkPart(start, len(lengths)))
    return pieces


def _groups(windows: list[tuple[int, int]], residues: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Group consecutive windows, up to so many residues; a larger one is a group of its own."""
    many = max(1, residues // (windows[0][1] - windows[0][0]))
    return (tuple(windows[first : first + many]) for first in range(0, len(windows), many))


def score_piece(
    query: PreparedQuery, chunk: DatabaseChunk, piece: ChunkPart, stop: NDArray[np.int32]
) -> NDArray[np.integer] | None:
    """Return one score for each subject or window of a piece; None or `Stopped` once `stop`, shape (1,), is not 0."""
    offsets = chunk.offsets[piece.start : piece.stop + 1]
    ranges = np.array(piece.windows, dtype=np.int64) + offsets[0] if piece.windows else None
    starts, ends = (offsets[:-1], offsets[1:]) if ranges is None else (ranges[:, 0], ranges[:, 1])
    starts = np.ascontiguousarray(starts, dtype=np.int64)
    subjects = native.Subjects(np.ascontiguousarray(chunk.codes), starts, ends - starts)
    if query.tracks is not None and chunk.letters is not None:
        return query.tracks.scores(subjects, chunk.letters)
    if query.compiled is not None:
        return query.compiled.scores(subjects, stop)
    from swgui.engines.rowscan import local_scores  # here: for scores beyond the range of the library

    codes = np.concatenate([chunk.codes[start:end] for start, end in zip(starts, ends, strict=True)])
    bounds, costs = np.concatenate([[0], np.cumsum(subjects.lengths)]), (query.gap_first, query.gap_extend)
    return local_scores(query.profile, codes, bounds, *costs, lambda: bool(stop[0]), gaps=query.gaps)


class _Job(msgspec.Struct, eq=False):
    """One query against one plan, while its pieces are under way."""

    query_index: int
    chunk: DatabaseChunk
    cells: int
    pieces: int
    scores: NDArray[np.integer]  # int64 while there are several pieces, of a single one as they come
    seconds: float = 0.0
    windows: dict[int, list[tuple[int, int, int]]] = msgspec.field(default_factory=lambda: defaultdict(list))

    def window_scores(self) -> Iterator[WindowScores]:
        """Yield where the subjects that were cut into windows score."""
        for index, windows in self.windows.items():
            starts, stops, scores = np.array(sorted(windows), dtype=np.int64).T
            yield WindowScores(int(self.chunk.db_index[index]), starts, stops, scores.astype(np.int32))

    def add(self, piece: ChunkPart, scores: NDArray[np.integer], seconds: float) -> None:
        """Take over a piece; windows of one subject leave the best of them."""
        self.pieces -= 1
        self.seconds += seconds
        if len(scores) == len(self.scores) and not piece.windows:
            self.scores = scores
            return
        part = self.scores[piece.start : piece.stop]
        if len(scores) == len(piece.windows):
            scored = zip(piece.windows, scores.tolist(), strict=True)
            self.windows[piece.start] += [(*window, score) for window, score in scored]
        np.maximum(part, scores.max() if piece.windows else scores, out=part)


class CpuEngine:
    """Scores with the compiled library on all cores.

    Parameters
    ----------
    chunk_residues : int
        Sizes of chunks; 0 for those that suit the queries.
    """

    name = CPU.name

    def __init__(self, device: DeviceInfo, threads: int, chunk_residues: int = 0) -> None:
        self.devices = (device,)
        self.threads = threads
        self._chunk_residues = chunk_residues
        # A pool of its own, which `in_parallel` is not: a stopped search leaves its threads without waiting for them.
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="swgui-cpu")

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        """Cut so that a chunk of a middling query takes 60 ms on one core, or less where that leaves too few."""
        if self._chunk_residues:
            return ChunkLimits(residues=self._chunk_residues)
        if not queries:
            return ChunkLimits(residues=max(1, database.residues))
        length = sum(len(query) for query in queries) // len(queries)
        whole = database.residues * 1e6 / residues_for(1e6, length)
        ns = min(
            max(whole / (self.threads * TUNING.chunks_per_thread), TUNING.shortest_chunk_ns), TUNING.longest_chunk_ns
        )
        return ChunkLimits(residues=residues_for(ns, length))

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan, one query after the other.

        Once `cancel` is set the iterator ends without waiting for the threads; each of them leaves its library call
        soon after. ``seconds`` of a result is the time of all threads divided by their number, and ``rescored`` is 0:
        the library widens its arithmetic by itself and does not report it.
        """
        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        stop = np.zeros(1, dtype=np.int32)
        running: dict[Future[_Timed], tuple[_Job, ChunkPart]] = {}
        todo = self._pieces(queries, database, plans, scheme)
        more = True
        try:
            while not cancel.is_set():
                while more and len(running) < 2 * self.threads:
                    step = next(todo, None)
                    more = step is not None
                    if step is None:
                        break
                    prepared, job, piece = step
                    if piece is None:
                        yield self._finish(job)
                    else:
                        running[self._pool.submit(_timed, prepared, job.chunk, piece, stop)] = job, piece
                    if cancel.is_set():
                        return
                if not running:
                    return
                done, _ = wait(running, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    job, piece = running.pop(future)
                    scores, seconds = _result(future, queries[job.query_index].id)
                    if scores is None:
                        return  # stopped
                    job.add(piece, scores, seconds)
                    if job.pieces == 0:
                        yield self._finish(job)
                        if cancel.is_set():
                            return
        finally:
            stop[0] = 1
            for future in running:
                future.cancel()

    def close(self) -> None:
        """Wait for the threads."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _pieces(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
    ) -> Iterator[tuple[PreparedQuery, _Job, ChunkPart | None]]:
        """Lay out the work, as late as possible; a job without pieces (all scores 0) comes with None."""
        kept: dict[tuple[int, bool], DatabaseChunk] = {}  # the same for every query
        for query_index, query in enumerate(queries):
            try:
                prepared = PreparedQuery(query, scheme)
            except Exception as error:
                raise _fault(error, query.id) from error
            apart = prepared.tracks is not None
            keeps = len(queries) > 1 and len(database) <= KEPT_SUBJECTS and (apart or database.track is None)
            for number, plan in enumerate(plans):
                chunk = kept.get((number, apart)) or take_chunk(database, plan, apart=apart)
                if keeps:  # views, but for the offsets
                    kept[number, apart] = chunk
                pieces = split(prepared, chunk)
                scores = np.zeros(len(chunk), dtype=np.int64)
                job = _Job(query_index, chunk, len(query) * chunk.residues, len(pieces), scores)
                if not pieces:
                    yield prepared, job, None
                for piece in pieces:
                    yield prepared, job, piece

    def _finish(self, job: _Job) -> ChunkScores:
        if job.scores.dtype != np.int32 and job.scores.max(initial=0) > MAX_SCORE:
            raise EngineFault(
                "A score is above 2,147,483,647 and cannot be reported.",
                hint="Use a matrix with smaller values; the ratios to the gap costs decide the ranking.",
            )
        return ChunkScores(
            query_index=job.query_index,
            db_index=job.chunk.db_index,
            scores=job.scores.astype(np.int32, copy=False),
            cells=job.cells,
            device=self.devices[0].name,
            seconds=job.seconds / self.threads,
            windows=tuple(job.window_scores()),
            stored=job.chunk.stored,
        )


def _timed(query: PreparedQuery, chunk: DatabaseChunk, piece: ChunkPart, stop: NDArray[np.int32]) -> _Timed:
    begin = time.perf_counter()
    try:
        scores = None if stop[0] else score_piece(query, chunk, piece, stop)
    except Stopped:
        scores = None
    return scores, time.perf_counter() - begin


def _result(future: Future[_Timed], query_id: str) -> _Timed:
    try:
        return future.result()
    except Exception as error:
        raise _fault(error, query_id) from error


def _fault(error: Exception, query_id: str) -> EngineFault:
    """Return the error of the library or a thread."""
    if isinstance(error, MemoryError):
        return EngineFault(
            f"There is too little free memory to score '{query_id}' on the CPU.",
            hint="Close other programs, or search with fewer threads.",
        )
    return EngineFault(
        f"Scoring '{query_id}' on the CPU failed: {error}",
        hint="Try the engine 'reference', and report this with the query.",
    )


def status() -> EngineStatus:
    """Return whether the compiled library works here."""
    if problem := native.problem():
        return EngineStatus(NAME, available=False, reason=f"{problem}.", hint=native.REMEDY)
    return EngineStatus(NAME, available=True, devices=(_device(),))


def create(options: EngineOptions) -> CpuEngine:
    """Make the engine.

    Parameters
    ----------
    options : EngineOptions
        ``threads``; ``devices`` may name ``"cpu"``; ``settings`` knows ``chunk_residues``: how large chunks are,
        ``auto`` (default) or a number.

    Raises
    ------
    EngineUnavailable
        If the compiled library cannot be used.
    InvalidParameter
        If an option is unknown.
    """
    if problem := native.problem():
        raise EngineUnavailable(NAME, f"{problem}.", hint=native.REMEDY)
    for device in options.devices:
        if device != NAME:
            raise InvalidParameter("device", device, f"The CPU engine has no device '{device}', only 'cpu'.")
    for name in options.settings:
        if name != CHUNK:
            raise InvalidParameter(name, options.settings[name], f"The CPU engine has no setting '{name}'.")
    given = options.settings.get(CHUNK, "auto")
    residues = 0 if given == "auto" else whole_number(CHUNK, given)
    return CpuEngine(_device(), options.threads or host.usable_cores(), residues)


def _device() -> DeviceInfo:
    facts = {"cores": str(host.usable_cores()), **native.facts()}
    return DeviceInfo(id=NAME, name=host.cpu_name(), memory=host.memory(), facts=facts)
