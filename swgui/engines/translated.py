"""Scoring what a search has not scored yet, and frames of a database of DNA piece by piece, with any engine.

An engine sees proteins: parts of frames, which overlap by what an alignment can span at most, so that none is lost at a
border. All frames that a query is compared with are scored together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase, Piece
from swgui.core.engines import EngineOptions
from swgui.core.hits.scores import ChunkScores, WindowScores
from swgui.core.hits.tally import Tally
from swgui.core.packing import ChunkLimits, ChunkPlan, clipped, plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.several.shares import Stretch, within
from swgui.core.translation.database import frame_offsets, translated_piece
from swgui.core.translation.frames import SHIFTING, frame_lengths, query_frame, subject_frame
from swgui.core.translation.parts import FrameParts, codon_parts, parts_of, translated_parts
from swgui.core.translation.programs import Translation
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.windows import cut, longest_span, part_step

PIECES: Final = ChunkLimits(1 << 26)  # residues that are translated at a time
SCORES: Final = 1 << 28  # of parts that are kept until those of a query are together, 4 bytes each
SIDE_BY_SIDE: Final = 64  # parts of a chunk, at least: as many as a vector has lanes
_Plans = tuple[ChunkPlan, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FrameSearch:
    """What is scored of a database of DNA."""

    engine: Engine
    database: EncodedDatabase  # of DNA
    translation: Translation
    frames: tuple[int, ...]  # frames of it that every query is compared with
    scheme: ScoringScheme
    pieces: ChunkLimits = PIECES

    def score(
        self, queries: Sequence[EncodedQuery], plans: Sequence[ChunkPlan], cancel: threading.Event
    ) -> Iterator[tuple[int, ChunkScores]]:
        """Yield frames and scores of proteins against stored sequences in them, all of a query and plan together."""
        alike = spans_of(queries, self.scheme)
        for plan in plans:
            for span, group in alike.items():
                parts = parts_for(self.database, plan, self.frames, span)
                most = max(SCORES // max(len(parts), 1), 1)
                for some in (group[first : first + most] for first in range(0, len(group), most)):
                    fold = _Fold(self.database, plan, self.frames, parts, [queries[index] for index in some])
                    for frame, chunk in self._score_parts(fold, cancel):
                        yield frame, replace(chunk, query_index=some[chunk.query_index])
                    if cancel.is_set():
                        return

    def _score_parts(self, fold: _Fold, cancel: threading.Event) -> Iterator[tuple[int, ChunkScores]]:
        """Score all parts, some at a time, and yield what is known whole."""
        for piece in plan_chunks(fold.parts.offsets, self.pieces):
            yield from self._score_piece(fold, piece, cancel)
            if cancel.is_set():
                return

    def _score_piece(self, fold: _Fold, piece: ChunkPlan, cancel: threading.Event) -> Iterator[tuple[int, ChunkScores]]:
        parts = fold.parts.take(slice(piece.start, piece.stop))
        reads = isinstance(self.engine, DeviceEngine) and self.engine.translates and self.translation.min_orf < 2
        proteins = (codon_parts if reads else translated_parts)(self.database, self.translation, parts)
        limits = self.engine.chunk_limits(fold.queries, proteins)
        longest = int(parts.stops[0] - parts.starts[0])
        limits = replace(limits, residues=max(limits.residues, SIDE_BY_SIDE * longest))
        chunks = plan_chunks(proteins.offsets, limits)
        for chunk in self.engine.score(fold.queries, proteins, chunks, self.scheme, cancel):
            yield from fold.add(chunk, piece.start)


def spans_of(queries: Sequence[EncodedQuery], scheme: ScoringScheme) -> Mapping[int | None, list[int]]:
    """Return queries whose longest alignments are alike, by the longest of them; None if there is no limit."""
    groups: dict[int | None, list[tuple[int | None, int]]] = {}
    for index, query in enumerate(queries):
        span = longest_span(query.scores(scheme), scheme.gap_first, scheme.gap_extend, query.gaps)
        groups.setdefault(None if span is None else max(span - 1, 0).bit_length(), []).append((span, index))
    return {
        None if key is None else max(span or 0 for span, _ in some): [index for _, index in some]
        for key, some in groups.items()
    }


def parts_for(database: EncodedDatabase, plan: ChunkPlan, frames: Sequence[int], span: int | None) -> FrameParts:
    """Return what engines are given of stored sequences, for queries with alignments no longer than a span."""
    step = part_step(span)
    most = None if span is None else max(step, span) + span
    return parts_of(database, plan, frames, most, partial(cut, span=span, step=step))


class _Fold:
    """Puts the scores of parts together to those of sequences, query by query.

    Parameters
    ----------
    parts : FrameParts
        Of all sequences of the plan in these frames.
    """

    def __init__(
        self,
        database: EncodedDatabase,
        plan: ChunkPlan,
        frames: tuple[int, ...],
        parts: FrameParts,
        queries: Sequence[EncodedQuery],
    ) -> None:
        self.parts, self.queries = parts, queries
        self._frames, self._index = frames, database.order[plan.start : plan.stop]
        bases = np.diff(database.offsets[plan.start : plan.stop + 1])
        self._residues = [int(frame_lengths(bases, frame).sum()) for frame in frames]
        number = np.empty(len(parts), dtype=np.int64)
        for index, frame in enumerate(frames):
            number[parts.frames == frame] = index
        group = number * len(plan) + parts.positions - plan.start
        self._order = np.lexsort((parts.starts, group))
        counts = np.bincount(group, minlength=len(frames) * len(plan))
        self._begins = np.cumsum(counts) - counts
        self._several = np.flatnonzero(counts > 1)
        self._ends = self._begins + counts
        self._starts, self._stops = parts.starts[self._order], parts.stops[self._order]
        self._known: dict[int, tuple[NDArray[np.int32], list[ChunkScores]]] = {}

    def add(self, chunk: ChunkScores, first: int) -> Iterator[tuple[int, ChunkScores]]:
        """Take in scores of parts, counted from one of them, and yield those of a query once they are whole."""
        scores, chunks = self._known.setdefault(chunk.query_index, (np.empty(len(self.parts), dtype=np.int32), []))
        scores[first + chunk.db_index] = chunk.scores
        chunks.append(chunk)
        if sum(len(part.db_index) for part in chunks) == len(self.parts):
            del self._known[chunk.query_index]
            yield from self._whole(scores[self._order], chunks)

    def _whole(self, scores: NDArray[np.int32], chunks: Sequence[ChunkScores]) -> Iterator[tuple[int, ChunkScores]]:
        best = np.maximum.reduceat(scores, self._begins).reshape(len(self._frames), -1)
        seconds, rescored = sum(part.seconds for part in chunks), sum(part.rescored for part in chunks)
        query, share = chunks[0].query_index, max(sum(self._residues), 1)
        windows: list[list[WindowScores]] = [[] for _ in self._frames]
        for group in self._several.tolist():
            frame, sequence = divmod(group, len(self._index))
            inside = slice(self._begins[group], self._ends[group])
            kept = self._starts[inside], self._stops[inside], scores[inside].copy()  # not all of them are kept
            windows[frame].append(WindowScores(int(self._index[sequence]), *kept))
        for index, frame in enumerate(self._frames):
            yield (
                frame,
                ChunkScores(
                    query_index=query,
                    db_index=np.asarray(self._index, dtype=np.int64),
                    scores=best[index],
                    cells=len(self.queries[query]) * self._residues[index],
                    rescored=0 if index else rescored,
                    device=chunks[-1].device,
                    seconds=seconds * self._residues[index] / share,
                    windows=tuple(windows[index]),
                ),
            )


def compile_ahead(
    engine: DeviceEngine,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    database: EncodedDatabase,
    translation: Translation | None,
    scheme: ScoringScheme,
) -> None:
    """Have an engine compile what `score_missing` will ask of it; parameters are those of that."""
    database = database.pieces[0].open()
    plan = ChunkPlan(0, len(database), database.residues)
    frames = tuple(dict.fromkeys(subject_frame(strand) for strand in strands))
    if translation is None or not any(frames):
        engine.compile_ahead(rows, database, scheme)
    elif not translation.shift:  # what shifts is scored by other kernels
        first = [row for index, row in enumerate(rows) if subject_frame(strands[index % len(strands)]) == frames[0]]
        spans = spans_of(first, scheme)
        usual = max(spans, key=lambda span: len(spans[span]))
        parts = parts_for(database, plan, frames, usual)
        engine.compile_ahead(first, codon_parts(database, translation, parts), scheme)


def score_missing(
    engine: Engine,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    database: EncodedDatabase,
    translation: Translation | None,
    tally: Tally,
    scheme: ScoringScheme,
    cancel: threading.Event,
    stretch: Stretch | None = None,
) -> Iterator[ChunkScores]:
    """Score what a tally has no scores of; rows that lack the same chunks go to the engine together.

    Parameters
    ----------
    rows : sequence of EncodedQuery
        Queries in the same strands, or readings, one query behind the other.
    database : EncodedDatabase
        As the user gave it; its pieces are opened one after the other.
    translation : Translation, optional
        How the database is translated, where frames are read.
    stretch : (int, int), optional
        Storage positions that are scored; all of them without it.
    """
    for piece in database.pieces:
        if cancel.is_set():
            return
        inside = within(stretch, piece.first, piece.sequences)
        if inside[0] == inside[1]:
            continue
        for chunk in _score_piece(engine, rows, strands, piece, inside, translation, tally, scheme, cancel):
            yield _behind(chunk, piece.first)


def _behind(chunk: ChunkScores, subjects: int) -> ChunkScores:
    """Return scores as they are where so many subjects stand before."""
    if not subjects:
        return chunk
    windows = tuple(replace(one, db_index=one.db_index + subjects) for one in chunk.windows)
    return replace(chunk, db_index=np.asarray(chunk.db_index) + subjects, windows=windows)


def _score_piece(
    engine: Engine,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    piece: Piece,
    inside: Stretch,
    translation: Translation | None,
    tally: Tally,
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Score what a tally has no scores of in a piece, whose subjects are counted from 0; as `score_missing`."""
    frames = [subject_frame(strand) for strand in strands]
    read = tuple(frame for frame in dict.fromkeys(frames) if frame and abs(frame) != SHIFTING)
    database = piece.open()
    if translation is not None and read:
        search = FrameSearch(engine, database, translation, read, scheme)
        yield from _score_frames(search, rows, strands, inside, tally, piece.first, cancel)
        return
    for frame in dict.fromkeys(frames):
        offsets = frame_offsets(database, frame)
        limits = PIECES if frame else engine.chunk_limits(rows, database)
        plans = clipped(plan_chunks(offsets, limits), *inside, offsets)
        batches: dict[_Plans, list[int]] = {}
        for row in (row for row in range(len(rows)) if frames[row % len(frames)] == frame):
            if missing := tuple(tally.unscored(row, plans, database.order, offsets, piece.first)):
                batches.setdefault(missing, []).append(row)
        for some, of_some in batches.items():
            queries = [rows[row] for row in of_some]
            if frame and translation is not None:
                scored = score_strand(engine, queries, database, (frame, translation), some, scheme, cancel)
            else:
                scored = engine.score(queries, database, some, scheme, cancel)
            for chunk in scored:
                yield replace(chunk, query_index=of_some[chunk.query_index])


def _score_frames(
    search: FrameSearch,
    rows: Sequence[EncodedQuery],
    strands: Sequence[int],
    inside: Stretch,
    tally: Tally,
    first: int,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Score what a tally has no scores of in all frames; rows that are one sequence are scored once.

    Parameters
    ----------
    inside : (int, int)
        Which stored sequences.
    first : int
        What the tally calls the first subject.
    """
    database = search.database
    offsets = frame_offsets(database, 1)
    plans = clipped(plan_chunks(offsets, ChunkLimits(PIECES.residues // len(search.frames))), *inside, offsets)
    lacking: dict[tuple[int, int, _Plans], dict[int, int]] = {}
    for row in range(len(rows)):
        query, index = divmod(row, len(strands))
        if missing := tuple(tally.unscored(row, plans, database.order, offsets, first)):
            own = lacking.setdefault((query, query_frame(strands[index]), missing), {})
            own[subject_frame(strands[index])] = row
    alike: dict[tuple[tuple[int, ...], _Plans], list[dict[int, int]]] = {}
    for (_, _, missing), own in lacking.items():
        alike.setdefault((tuple(own), missing), []).append(own)
    for (frames, missing), places in alike.items():
        queries = [rows[place[frames[0]]] for place in places]
        for frame, chunk in replace(search, frames=frames).score(queries, missing, cancel):
            yield replace(chunk, query_index=places[chunk.query_index][frame])


def score_strand(
    engine: Engine,
    queries: Sequence[EncodedQuery],
    database: EncodedDatabase,
    strand: tuple[int, Translation],
    plans: Sequence[ChunkPlan],
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Score proteins against a whole strand of stored subjects whose reading may shift; as `Engine.score` otherwise.

    Parameters
    ----------
    strand : (int, Translation)
        Its frame (`SHIFTING`), and how it is translated.
    plans : sequence of ChunkPlan
        Pieces that are translated one after the other.
    """
    for plan in plans:
        if cancel.is_set():
            return
        piece, order = translated_piece(database, *strand, plan), database.order[plan.start : plan.stop]
        chunks = plan_chunks(piece.offsets, engine.chunk_limits(queries, piece))
        for chunk in engine.score(queries, piece, chunks, scheme, cancel):
            windows = (replace(window, db_index=int(order[window.db_index])) for window in chunk.windows)
            yield replace(chunk, db_index=order[chunk.db_index], windows=tuple(windows))


def with_frameshifts(
    engine: Engine, scheme: ScoringScheme, translation: Translation | None, options: EngineOptions
) -> Engine:
    """Return an engine that scores with the frameshifts of a translation on the devices of another; itself without."""
    if translation is None or not translation.shift:
        return engine
    remote = engine.with_frameshifts(translation) if isinstance(engine, DeviceEngine) else None
    if remote is not None:
        return remote
    from swgui.engines.shift_search import ShiftSearch  # here: few searches have frameshifts

    return ShiftSearch(engine, scheme, translation, options)
