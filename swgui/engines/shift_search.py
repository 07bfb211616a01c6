"""The engine of a search with frameshifts: chunks of scores from whatever scores proteins with strands.

It takes the place of an engine: one side of its input are codons, one from each base on (`SHIFTING`), the other side
proteins. Strands are cut into pieces that overlap by the longest span of an alignment, so none is lost at a border, and
several queries are scored in one call. Several devices take items from one work queue.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check, checking
from swgui.core.database import ArrayDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped
from swgui.core.hits.scores import ChunkScores, WindowScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.stretches import Subjects
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation
from swgui.engines.base import DeviceInfo, Engine
from swgui.engines.facts import CPU
from swgui.engines.shifted import (
    ENGINES,
    NUMBERED,
    TOO_HIGH,
    CpuShifts,
    ShiftEngine,
    ShiftScheme,
    cut_pieces,
    make_shift_engines,
)
from swgui.engines.side_by_side import merge

PAIRS: Final = 1_000_000  # of a piece
EVEN: Final = 2  # smallest number of pieces that the rest makes for each device
PAIRED: Final = 2  # strands that a GPU scores side by side
SMALLEST: Final = 16  # largest number of parts of the work worth a call
Windows = Callable[[int, "NDArray[np.int64]"], Iterator[WindowScores]]
_Scored = tuple["NDArray[np.int64]", "NDArray[np.bool_]", Windows]  # by row and subject; windows of a row


@dataclass(frozen=True, slots=True)
class ShiftItem:
    """Some queries with some subjects."""

    plan: ChunkPlan
    queries: list[int]


def even_share(cells: int, left: int, takers: int) -> int:
    """Return the share of the remaining cells for a thread for which so many `cells` are worth a call."""
    return cells if takers < 2 else min(cells, max(left // (EVEN * takers), cells // SMALLEST))


class ShiftQueue:
    """A work queue of several threads: plans, each with the queries that it is still to be scored with."""

    def __init__(self, plans: Sequence[ChunkPlan], lengths: Sequence[int], takers: int) -> None:
        order = sorted(range(len(lengths)), key=lambda index: -lengths[index])
        self._left = deque((plan, deque(order)) for plan in plans if order)
        self._lengths, self._takers = lengths, takers
        self._cells = sum(lengths) * sum(plan.residues for plan in plans)
        self._lock = threading.Lock()

    def take(self, cells: int) -> ShiftItem | None:
        """Return the next item, of about so many residues times bases; None if nothing is left."""
        with self._lock:
            if not self._left:
                return None
            plan, queries = self._left[0]
            some = self._some(plan, queries, even_share(cells, self._cells, self._takers))
            if not queries:
                self._left.popleft()
            return self._taken(plan, some)

    def _some(self, plan: ChunkPlan, queries: deque[int], cells: int) -> list[int]:
        """Remove one query and more, as many as make so many cells."""
        some: list[int] = []
        pairs = plan.stop - plan.start + plan.residues // NUMBERED
        while queries:
            cells -= self._lengths[queries[0]] * plan.residues
            if some and (cells < 0 or (len(some) + 1) * pairs > PAIRS):
                break
            some.append(queries.popleft())
        if len(some) > PAIRED and len(some) % PAIRED and queries:
            queries.appendleft(some.pop())
        return some

    def _taken(self, plan: ChunkPlan, queries: list[int]) -> ShiftItem:
        self._cells -= sum(self._lengths[index] for index in queries) * plan.residues
        return ShiftItem(plan, queries)


class ShiftSearch:
    """Scores as engines do, with frameshifts.

    Parameters
    ----------
    engine : Engine
        Whose devices are used, all of them; its own scores are without frameshifts. The cores take the place of one
        that cannot score frameshifts: ``auto`` may have chosen it.
    translation : Translation
        With a cost of frameshifts.

    Raises
    ------
    EngineUnavailable
        If its devices cannot be used.
    """

    def __init__(self, engine: Engine, scheme: ScoringScheme, translation: Translation, options: EngineOptions) -> None:
        self._dna_query = translation.of.translates_query
        self._scheme = ShiftScheme.of(scheme, translation.shift, protein_query=not self._dna_query)
        self._exact = CpuShifts(self._scheme, options.threads)
        able = engine.name in ENGINES
        self.name: str = engine.name if able else CPU.name
        self.devices: tuple[DeviceInfo, ...] = engine.devices if able else (DeviceInfo(CPU.name, self._exact.label),)
        self._scorers = make_shift_engines(self.name, self._scheme, options)

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        """Cut so that a call for the longest query is not much more than it is worth, and all devices have some."""
        lengths = [*map(len, queries), 1]
        cells = even_share(self._scorers[0].cells, sum(lengths) * database.residues, len(self._scorers))
        return ChunkLimits(max(1, cells // max(lengths)), PAIRS)

    def close(self) -> None:
        """Release nothing; the owner closes the engine itself."""

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan, as `Engine.score`; whichever device is free takes the next piece."""
        todo = ShiftQueue(plans, [*map(len, queries)], len(self._scorers))
        runs = {
            scorer.label: partial(self._run, scorer, partial(todo.take, scorer.cells), queries, database)
            for scorer in self._scorers
        }
        if len(self._scorers) == 1:
            (run,) = runs.values()
            yield from run(cancel)
        else:
            yield from merge(runs, cancel)

    def _run(
        self,
        scorer: ShiftEngine,
        take: Callable[[], ShiftItem | None],
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score with one device the items of `take` until it returns None."""
        check = checking(cancel, "Scoring was stopped.")
        spans: dict[int, int] = {}  # of subjects that are proteins, by where their plan begins: of many it takes long
        before: tuple[ShiftItem, Callable[[], _Scored]] | None = None  # a device does the next piece meanwhile
        ended = time.perf_counter()
        while not cancel.is_set():
            piece, following = take(), None
            try:
                if piece is not None:
                    following = piece, self._begin(scorer, piece, queries, database, spans, check)
                if before is not None:
                    scored = before[1]()
                    seconds, ended = time.perf_counter() - ended, time.perf_counter()
                    yield from self._chunks(scorer, before[0], queries, database, scored, seconds)
            except Stopped:
                return
            if following is None:
                return
            before = following

    def _begin(
        self,
        scorer: ShiftEngine,
        piece: ShiftItem,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        spans: dict[int, int],
        check: Check,
    ) -> Callable[[], _Scored]:
        """Begin to score a piece; returns a function that waits for its scores."""
        plan = piece.plan
        first, last = int(database.offsets[plan.start]), int(database.offsets[plan.stop])
        offsets = database.offsets[plan.start : plan.stop + 1] - first
        subjects = Subjects.packed(database.codes[first:last], offsets)
        rows = Subjects.stacked([queries[index].codes for index in piece.queries])
        if not self._dna_query or plan.start not in spans:
            spans[plan.start] = self._scheme.span(subjects if self._dna_query else rows)
        proteins, strands = (subjects, rows) if self._dna_query else (rows, subjects)
        pieces = cut_strands(strands.lengths, spans[plan.start], scorer.overlaps)
        parts = Subjects(strands.codes, strands.starts[pieces[:, 0]] + pieces[:, 1], pieces[:, 2].copy())
        return partial(self._scored, scorer.begin(proteins, parts, check), proteins, len(strands), parts, pieces, check)

    def _chunks(
        self,
        scorer: ShiftEngine,
        piece: ShiftItem,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        scored: _Scored,
        seconds: float,
    ) -> Iterator[ChunkScores]:
        """Yield the scores of each query of a piece."""
        plan, (scores, rescored, windows) = piece.plan, scored
        index = database.order[plan.start : plan.stop]
        for row, query_index in enumerate(piece.queries):
            yield ChunkScores(
                query_index=query_index,
                db_index=index,
                scores=scores[row].astype(np.int32),
                cells=len(queries[query_index]) * plan.residues,
                rescored=int(rescored[row].sum()),
                device=scorer.label,
                seconds=seconds / len(piece.queries),
                windows=tuple(windows(row, index)),
                stored=(plan.start, plan.stop),
            )

    def _scored(
        self,
        wait: Callable[[], NDArray[np.int64]],
        proteins: Subjects,
        strands: int,
        parts: Subjects,
        pieces: NDArray[np.int64],
        check: Check,
    ) -> _Scored:
        """Return the score of each row with each subject, which were scored again, and where long subjects score.

        Parameters
        ----------
        wait : callable
            Returns the score of each protein with each part.
        strands : int
            How many there are.
        parts : Subjects
            Parts of strands; `pieces` gives their places, as `cut_strands`.
        """
        scores = wait()
        again = scores == TOO_HIGH
        if again.any():
            scores[again] = self._exact.ends(proteins, parts, np.argwhere(again), check)[:, 0]
        firsts = np.searchsorted(pieces[:, 0], np.arange(strands))
        best, rescored = np.maximum.reduceat(scores, firsts, axis=1), np.logical_or.reduceat(again, firsts, axis=1)
        if self._dna_query:
            return best.T, rescored.T, lambda row, index: iter(())

        def windows(row: int, index: NDArray[np.int64]) -> Iterator[WindowScores]:
            ends = [*firsts[1:].tolist(), len(pieces)]
            for number, (start, stop) in enumerate(zip(firsts.tolist(), ends, strict=True)):
                if stop - start > 1:
                    begins, sizes = pieces[start:stop, 1], pieces[start:stop, 2]
                    window_scores = scores[row, start:stop].astype(np.int32)
                    yield WindowScores(int(index[number]), begins, begins + sizes + CODON - 1, window_scores)

        return best, rescored, windows


def cut_strands(sizes: NDArray[np.int64], overlap: int, times: int = 2) -> NDArray[np.int64]:
    """Return strand, first codon and codons of pieces that overlap; whole strands for an overlap below 0.

    Parameters
    ----------
    sizes : ndarray, shape=(s,)
    times : int
        How often a piece holds it, at least.
    """
    if overlap < 0:
        return np.stack([np.arange(len(sizes)), np.zeros_like(sizes), sizes], axis=1)
    return cut_pieces(sizes.tolist(), overlap, max(NUMBERED, times * overlap))
