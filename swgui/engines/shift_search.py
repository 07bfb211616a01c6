"""The engine of a search with frameshifts: chunks of scores from whatever scores proteins with strands.

It stands where engines stand: one side of what it is given are codons, one from each base on (`SHIFTING`), the other
side proteins. Strands are cut into pieces that overlap by what an alignment can span at most, so none is lost at a
border, and several queries are scored in one call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import Stopped
from swgui.core.hits.scores import ChunkScores, WindowScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation
from swgui.engines.base import DeviceInfo, Engine, EngineOptions
from swgui.engines.native.subjects import Subjects
from swgui.engines.shifted import NUMBERED, TOO_HIGH, CpuShifts, ShiftScheme, cut_pieces, make_shift_engine

PAIRS: Final = 1_000_000  # of a call
Windows = Callable[[int, "NDArray[np.int64]"], Iterator[WindowScores]]


class ShiftSearch:
    """Scores as engines do, with frameshifts.

    Parameters
    ----------
    engine : Engine
        Whose devices are used; its own scores are without frameshifts.
    scheme : ScoringScheme
    translation : Translation
        With a cost of frameshifts.
    options : EngineOptions

    Raises
    ------
    EngineUnavailable, InvalidParameter
        If the engine cannot score with frameshifts.
    """

    def __init__(self, engine: Engine, scheme: ScoringScheme, translation: Translation, options: EngineOptions) -> None:
        self._dna_query = translation.of.translates_query
        self._scheme = ShiftScheme.of(scheme, translation.shift, protein_query=not self._dna_query)
        self._scorer = make_shift_engine(engine.name, self._scheme, options)
        self._exact = CpuShifts(self._scheme, options.threads)
        self.name: str = engine.name
        self.devices: tuple[DeviceInfo, ...] = engine.devices[:1]

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: EncodedDatabase) -> ChunkLimits:
        """Cut so that a call for the longest query is not much more than it is worth."""
        longest = max(map(len, queries), default=1)
        return ChunkLimits(max(1, self._scorer.cells // max(longest, 1)), PAIRS)

    def close(self) -> None:
        """Release nothing; the engine itself is closed by whoever made it."""

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan, as `Engine.score`; long queries first."""

        def check() -> None:
            if cancel.is_set():
                raise Stopped("Scoring was stopped.")

        order = sorted(range(len(queries)), key=lambda at: -len(queries[at]))
        for plan in plans:
            first, last = int(database.offsets[plan.start]), int(database.offsets[plan.stop])
            offsets = database.offsets[plan.start : plan.stop + 1] - first
            subjects = Subjects.packed(database.codes[first:last], offsets)
            index = database.order[plan.start : plan.stop]
            for group in self._groups(queries, order, plan):
                began = time.perf_counter()
                rows = Subjects.stacked([queries[at].codes for at in group])
                try:
                    scores, rescored, windows = self._scored(rows, subjects, check)
                except Stopped:
                    return
                seconds = (time.perf_counter() - began) / len(group)
                for row, at in enumerate(group):
                    yield ChunkScores(
                        query_index=at,
                        db_index=index,
                        scores=scores[row].astype(np.int32),
                        cells=len(queries[at]) * plan.residues,
                        rescored=int(rescored[row].sum()),
                        device=self.devices[0].name if self.devices else self.name,
                        seconds=seconds,
                        windows=tuple(windows(row, index)),
                    )

    def _groups(self, queries: Sequence[EncodedQuery], order: Sequence[int], plan: ChunkPlan) -> Iterator[list[int]]:
        """Yield which queries are scored together."""
        group: list[int] = []
        cells = pairs = 0
        for at in order:
            own, subjects = len(queries[at]) * plan.residues, plan.stop - plan.start + plan.residues // NUMBERED
            if group and (cells + own > self._scorer.cells or pairs + subjects > PAIRS):
                yield group
                group, cells, pairs = [], 0, 0
            group.append(at)
            cells, pairs = cells + own, pairs + subjects
        if group:
            yield group

    def _scored(
        self, rows: Subjects, subjects: Subjects, check: Callable[[], None]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_], Windows]:
        """Return the score of each row with each subject, which were scored again, and where long subjects score."""
        proteins, strands = (subjects, rows) if self._dna_query else (rows, subjects)
        overlap = self._scheme.span(proteins)
        pieces = cut_strands(strands.lengths, overlap)
        parts = Subjects(strands.codes, strands.starts[pieces[:, 0]] + pieces[:, 1], pieces[:, 2].copy())
        scores = self._scorer.grid(proteins, parts, check)
        again = scores == TOO_HIGH
        if again.any():
            scores[again] = self._exact.ends(proteins, parts, np.argwhere(again), check)[:, 0]
        firsts = np.searchsorted(pieces[:, 0], np.arange(len(strands)))
        best, rescored = np.maximum.reduceat(scores, firsts, axis=1), np.logical_or.reduceat(again, firsts, axis=1)
        if self._dna_query:
            return best.T, rescored.T, lambda row, index: iter(())

        def windows(row: int, index: NDArray[np.int64]) -> Iterator[WindowScores]:
            ends = [*firsts[1:].tolist(), len(pieces)]
            for number, (start, stop) in enumerate(zip(firsts.tolist(), ends, strict=True)):
                if stop - start > 1:
                    begins, sizes = pieces[start:stop, 1], pieces[start:stop, 2]
                    found = scores[row, start:stop].astype(np.int32)
                    yield WindowScores(int(index[number]), begins, begins + sizes + CODON - 1, found)

        return best, rescored, windows


def cut_strands(sizes: NDArray[np.int64], overlap: int) -> NDArray[np.int64]:
    """Return strand, first codon and codons of pieces that overlap; whole strands for an overlap below 0."""
    if overlap < 0:
        return np.stack([np.arange(len(sizes)), np.zeros_like(sizes), sizes], axis=1)
    return cut_pieces(sizes.tolist(), overlap, max(NUMBERED, 2 * overlap))
