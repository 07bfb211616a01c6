"""Parts of long subjects scored side by side by any engine, and put together again, with where the subjects score.

An engine sees parts as subjects of their own, which overlap by the longest span of an alignment, so that none is lost
at a border: of subjects as they are stored, or of frames of DNA. All frames of a query are scored together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase
from swgui.core.hits.scores import ChunkScores, WindowScores
from swgui.core.packing import PIECES, ChunkLimits, ChunkPlan, plan_chunks
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.frames import frame_lengths
from swgui.core.translation.parts import FrameParts, codon_parts, parts_of, stored_parts, translated_parts
from swgui.core.translation.programs import Translation
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.windows import cut, longest_spans, part_step

SCORES: Final = 1 << 28  # of parts that are kept until those of a query are together, 4 bytes each
SIDE_BY_SIDE: Final = 64  # parts of a chunk, at least: as many as a vector has lanes


class PartSearch(msgspec.Struct, frozen=True, eq=False):
    """A database that is scored in parts."""

    engine: Engine
    database: ArrayDatabase
    translation: Translation | None  # None if it is scored as it is stored
    frames: tuple[int, ...]  # frames of it that every query is compared with
    scheme: ScoringScheme
    pieces: ChunkLimits = PIECES

    def score(
        self, queries: Sequence[EncodedQuery], plans: Sequence[ChunkPlan], cancel: threading.Event
    ) -> Iterator[tuple[int, ChunkScores]]:
        """Yield frames and scores of queries against stored sequences in them, all of a query and plan together."""
        alike = spans_of(queries, self.scheme)
        for plan in plans:
            for span, group in alike.items():
                parts = parts_for(self.database, plan, self.frames, span)
                most = max(SCORES // max(len(parts), 1), 1)
                for some in (group[first : first + most] for first in range(0, len(group), most)):
                    fold = _Fold(self.database, plan, self.frames, parts, queries, some)
                    yield from self._score_parts(fold, cancel)
                    if cancel.is_set():
                        return

    def _score_parts(self, fold: _Fold, cancel: threading.Event) -> Iterator[tuple[int, ChunkScores]]:
        """Score all parts, some at a time, and yield the complete results."""
        for piece in plan_chunks(fold.parts.offsets, self.pieces):
            yield from self._score_piece(fold, piece, cancel)
            if cancel.is_set():
                return

    def _score_piece(self, fold: _Fold, piece: ChunkPlan, cancel: threading.Event) -> Iterator[tuple[int, ChunkScores]]:
        parts = fold.parts.take(slice(piece.start, piece.stop))
        subjects = self._subjects(parts)
        limits = self.engine.chunk_limits(fold.queries, subjects)
        longest = int(parts.stops[0] - parts.starts[0])
        limits = replace(limits, residues=max(limits.residues, SIDE_BY_SIDE * longest))
        chunks = plan_chunks(subjects.offsets, limits)
        for chunk in self.engine.score(fold.queries, subjects, chunks, self.scheme, cancel):
            yield from fold.add(chunk, piece.start)

    def _subjects(self, parts: FrameParts) -> ArrayDatabase:
        """Return parts as an engine takes them."""
        how = self.translation
        if how is None:
            return stored_parts(self.database, parts)
        reads = isinstance(self.engine, DeviceEngine) and self.engine.translates and how.min_orf < 2
        return (codon_parts if reads else translated_parts)(self.database, how, parts)


def compile_parts(
    engine: DeviceEngine,
    queries: Sequence[EncodedQuery],
    database: ArrayDatabase,
    translation: Translation | None,
    frames: Sequence[int],
    scheme: ScoringScheme,
) -> None:
    """Have an engine compile the kernels that a `PartSearch` of these needs for most of the queries."""
    plan = ChunkPlan(0, len(database), database.residues)
    spans = spans_of(queries, scheme)
    parts = parts_for(database, plan, frames, max(spans, key=lambda span: len(spans[span])))
    first = parts.take(slice(0, plan_chunks(parts.offsets, PIECES)[0].stop))
    subjects = stored_parts(database, first) if translation is None else codon_parts(database, translation, first)
    engine.compile_ahead(queries, subjects, scheme)


def spans_of(queries: Sequence[EncodedQuery], scheme: ScoringScheme) -> Mapping[int | None, list[int]]:
    """Return queries whose longest alignments are alike, by the longest of them; None if there is no limit."""
    groups: dict[int | None, list[tuple[int, int]]] = {}
    for index, span in enumerate(longest_spans(queries, scheme).tolist()):
        groups.setdefault(None if span < 0 else max(span - 1, 0).bit_length(), []).append((span, index))
    return {
        None if key is None else max(span for span, _ in some): [index for _, index in some]
        for key, some in groups.items()
    }


def parts_for(database: ArrayDatabase, plan: ChunkPlan, frames: Sequence[int], span: int | None) -> FrameParts:
    """Return the parts of stored sequences for engines, for queries with alignments no longer than a span."""
    step = part_step(span)
    most = None if span is None else max(step, span) + span
    return parts_of(database, plan, frames, most, partial(cut, span=span, step=step))


class _Known(msgspec.Struct):
    """Scores of parts of a query, as far as they are known."""

    scores: NDArray[np.int32]
    left: int  # parts without one
    seconds: float = 0.0
    rescored: int = 0


class _Fold:
    """Puts the scores of parts together to those of sequences, query by query.

    Parameters
    ----------
    parts : FrameParts
        Parts of all sequences of the plan in these frames.
    numbers : sequence of int
        Which of the queries are scored: `queries` are these, and complete results have the numbers.
    """

    def __init__(
        self,
        database: ArrayDatabase,
        plan: ChunkPlan,
        frames: tuple[int, ...],
        parts: FrameParts,
        queries: Sequence[EncodedQuery],
        numbers: Sequence[int],
    ) -> None:
        self.parts, self.queries, self._numbers = parts, [queries[number] for number in numbers], numbers
        self._frames, self._index = frames, np.asarray(database.order[plan.start : plan.stop], dtype=np.int64)
        self._stored = plan.start, plan.stop
        bases = np.diff(database.offsets[plan.start : plan.stop + 1])
        self._residues = [int(frame_lengths(bases, frame).sum()) for frame in frames]
        self._share = max(sum(self._residues), 1)
        number = np.empty(len(parts), dtype=np.int64)
        for index, frame in enumerate(frames):
            number[parts.frames == frame] = index
        group = number * len(plan) + parts.positions - plan.start
        self._order = np.lexsort((parts.starts, group))
        counts = np.bincount(group, minlength=len(frames) * len(plan))
        self._begins = np.cumsum(counts) - counts
        starts, stops = parts.starts[self._order], parts.stops[self._order]
        self._several: list[tuple[int, slice, tuple[int, NDArray[np.int64], NDArray[np.int64]]]] = []
        for of in np.flatnonzero(counts > 1).tolist():
            inside = slice(int(self._begins[of]), int(self._begins[of] + counts[of]))
            window = int(self._index[of % len(plan)]), starts[inside], stops[inside]
            self._several.append((of // len(plan), inside, window))
        self._known: dict[int, _Known] = {}

    def add(self, chunk: ChunkScores, first: int) -> Iterator[tuple[int, ChunkScores]]:
        """Take in scores of parts, counted from one of them, and yield those of a query once they are whole."""
        known = self._known.get(chunk.query_index)
        if known is None:
            known = self._known[chunk.query_index] = _Known(np.empty(len(self.parts), dtype=np.int32), len(self.parts))
        known.scores[first + chunk.db_index] = chunk.scores
        known.left -= len(chunk.db_index)
        known.seconds += chunk.seconds
        known.rescored += chunk.rescored
        if not known.left:
            del self._known[chunk.query_index]
            yield from self._whole(chunk.query_index, known, chunk.device)

    def _whole(self, query: int, known: _Known, device: str) -> Iterator[tuple[int, ChunkScores]]:
        scores = known.scores[self._order]
        best = np.maximum.reduceat(scores, self._begins).reshape(len(self._frames), -1)
        windows: list[list[WindowScores]] = [[] for _ in self._frames]
        for frame, inside, window in self._several:
            windows[frame].append(WindowScores(*window, scores[inside].copy()))  # not all of them are kept
        length = len(self.queries[query])
        for index, (frame, residues) in enumerate(zip(self._frames, self._residues, strict=True)):
            yield (
                frame,
                ChunkScores(
                    query_index=self._numbers[query],
                    db_index=self._index,
                    scores=best[index],
                    cells=length * residues,
                    rescored=0 if index else known.rescored,
                    device=device,
                    seconds=known.seconds * residues / self._share,
                    windows=tuple(windows[index]),
                    stored=self._stored,
                ),
            )
