"""The ``cpu`` engine: pieces of chunks on all cores, put together again as they come."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import DatabaseChunk, EncodedDatabase, take_chunk
from swgui.core.errors import EngineFault
from swgui.core.hits.scores import ChunkScores, WindowScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme, check_same_alphabet
from swgui.engines.base import DeviceInfo
from swgui.engines.cpu.work import Piece, PreparedQuery, residues_for, score_piece, split
from swgui.engines.facts import CPU

SHORTEST_CHUNK_NS: Final = 12e6
LONGEST_CHUNK_NS: Final = 60e6
CHUNKS_PER_THREAD: Final = 16  # where the database is large enough, so that threads end together
POLL_SECONDS: Final = 0.05  # how long a Stop may go unseen

_Timed = tuple["NDArray[np.integer] | None", float]


@dataclass(eq=False)
class _Job:
    """One query against one plan, while its pieces are under way."""

    query_index: int
    chunk: DatabaseChunk
    cells: int
    pieces: int
    scores: NDArray[np.int64]
    seconds: float = 0.0
    windows: dict[int, list[tuple[int, int, int]]] = field(default_factory=lambda: defaultdict(list))

    def window_scores(self) -> Iterator[WindowScores]:
        """Yield where the subjects that were cut into windows score."""
        for at, windows in self.windows.items():
            starts, stops, scores = np.array(sorted(windows), dtype=np.int64).T
            yield WindowScores(int(self.chunk.db_index[at]), starts, stops, scores.astype(np.int32))

    def add(self, piece: Piece, scores: NDArray[np.integer], seconds: float) -> None:
        """Take over a piece; windows of one subject leave the best of them."""
        part = self.scores[piece.start : piece.stop]
        if len(scores) == len(piece.windows):
            found = zip(piece.windows, scores.tolist(), strict=True)
            self.windows[piece.start] += [(*window, score) for window, score in found]
        np.maximum(part, scores.max() if piece.windows else scores, out=part)
        self.pieces -= 1
        self.seconds += seconds


class CpuEngine:
    """Scores with the compiled library on all cores.

    Parameters
    ----------
    chunk_residues : int
        How large chunks are; 0 for what suits the queries.
    """

    name = CPU.name

    def __init__(self, device: DeviceInfo, threads: int, chunk_residues: int = 0) -> None:
        self.devices = (device,)
        self.threads = threads
        self._chunk_residues = chunk_residues
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="swgui-cpu")

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: EncodedDatabase) -> ChunkLimits:
        """Cut so that a chunk of a middling query takes 60 ms on one core, or less where that leaves too few."""
        if self._chunk_residues:
            return ChunkLimits(residues=self._chunk_residues)
        if not queries:
            return ChunkLimits(residues=max(1, database.residues))
        length = sum(len(query) for query in queries) // len(queries)
        whole = database.residues * 1e6 / residues_for(1e6, length)
        ns = min(max(whole / (self.threads * CHUNKS_PER_THREAD), SHORTEST_CHUNK_NS), LONGEST_CHUNK_NS)
        return ChunkLimits(residues=residues_for(ns, length))

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan, one query after the other.

        Once `cancel` is set the iterator ends without waiting for the threads; each of them leaves
        after the library call it is in. ``seconds`` of a result is the time of all threads divided by
        their number, and ``rescored`` is 0: the library widens its arithmetic by itself and does not tell.
        """
        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        left = threading.Event()

        def stop() -> bool:
            return cancel.is_set() or left.is_set()

        running: dict[Future[_Timed], tuple[_Job, Piece]] = {}
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
            left.set()
            for future in running:
                future.cancel()

    def close(self) -> None:
        """Wait for the threads (a library call each at most)."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _pieces(
        self,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
    ) -> Iterator[tuple[PreparedQuery, _Job, Piece | None]]:
        """Lay out the work, as late as possible; a job without pieces (all scores 0) comes with None."""
        for query_index, query in enumerate(queries):
            try:
                prepared = PreparedQuery(query, scheme)
            except Exception as error:
                raise _fault(error, query.id) from error
            for plan in plans:
                chunk = take_chunk(database, plan, apart=prepared.tracks is not None)
                pieces = split(prepared, chunk)
                scores = np.zeros(len(chunk), dtype=np.int64)
                job = _Job(query_index, chunk, len(query) * chunk.residues, len(pieces), scores)
                if not pieces:
                    yield prepared, job, None
                for piece in pieces:
                    yield prepared, job, piece

    def _finish(self, job: _Job) -> ChunkScores:
        if job.scores.max(initial=0) > np.iinfo(np.int32).max:
            raise EngineFault(
                "A score is above 2,147,483,647 and cannot be reported.",
                hint="Use a matrix with smaller values; the ratios to the gap costs decide the ranking.",
            )
        return ChunkScores(
            query_index=job.query_index,
            db_index=job.chunk.db_index,
            scores=job.scores.astype(np.int32),
            cells=job.cells,
            device=self.devices[0].name,
            seconds=job.seconds / self.threads,
            windows=tuple(job.window_scores()),
        )


def _timed(query: PreparedQuery, chunk: DatabaseChunk, piece: Piece, stop: Callable[[], bool]) -> _Timed:
    if stop():
        return None, 0.0
    begin = time.perf_counter()
    scores = score_piece(query, chunk, piece, stop)
    return scores, time.perf_counter() - begin


def _result(future: Future[_Timed], query_id: str) -> _Timed:
    try:
        return future.result()
    except Exception as error:
        raise _fault(error, query_id) from error


def _fault(error: Exception, query_id: str) -> EngineFault:
    """Say what went wrong in the library or a thread."""
    if isinstance(error, MemoryError):
        return EngineFault(
            f"There is too little free memory to score '{query_id}' on the CPU.",
            hint="Close other programs, or search with fewer threads.",
        )
    return EngineFault(
        f"Scoring '{query_id}' on the CPU failed: {error}",
        hint="Try the engine 'reference', and report this with the query.",
    )
