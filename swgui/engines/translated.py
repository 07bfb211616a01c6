"""Scoring what a search has not scored yet, and frames of a database of DNA piece by piece, with any engine.

An engine sees proteins, whole frames of whole sequences: what it does with long subjects holds for frames of genomes as
well, so that no alignment is lost at a border.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from swgui.core.database import EncodedDatabase
from swgui.core.hits.scores import ChunkScores
from swgui.core.hits.tally import Tally
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.database import frame_offsets, translated_piece
from swgui.core.translation.programs import Translation
from swgui.engines.base import Elsewhere, Engine, EngineOptions

PIECES: Final = ChunkLimits(1 << 26)  # of one frame that are in memory at a time; a longer sequence is a piece


def score_frame(
    engine: Engine,
    queries: Sequence[EncodedQuery],
    database: EncodedDatabase,
    frame: tuple[int, Translation],
    plans: Sequence[ChunkPlan],
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Score queries against a frame of stored subjects; as `Engine.score` otherwise.

    Parameters
    ----------
    queries : sequence of EncodedQuery
        Proteins.
    database : EncodedDatabase
        Of DNA.
    frame : (int, Translation)
        Frame, and how it is translated.
    plans : sequence of ChunkPlan
        Pieces that are translated one after the other.
    """
    for plan in plans:
        if cancel.is_set():
            return
        piece, order = translated_piece(database, *frame, plan), database.order[plan.start : plan.stop]
        chunks = plan_chunks(piece.offsets, engine.chunk_limits(queries, piece))
        for chunk in engine.score(queries, piece, chunks, scheme, cancel):
            windows = (replace(one, db_index=int(order[one.db_index])) for one in chunk.windows)
            yield replace(chunk, db_index=order[chunk.db_index], windows=tuple(windows))


def score_missing(
    engine: Engine,
    rows: Sequence[EncodedQuery],
    frames: Sequence[int],
    database: EncodedDatabase,
    translation: Translation | None,
    tally: Tally,
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> Iterator[ChunkScores]:
    """Score what a tally has no scores of; rows that lack the same chunks go to the engine together.

    Parameters
    ----------
    rows : sequence of EncodedQuery
    frames : sequence of int
        Of each row the frame in which it is compared with subjects; 0 for subjects as they are.
    database : EncodedDatabase
        As the user gave it.
    translation : Translation, optional
        How the database is translated, where frames are read.
    """
    for frame in dict.fromkeys(frames):
        offsets = frame_offsets(database, frame)
        plans = plan_chunks(offsets, PIECES if frame else engine.chunk_limits(rows, database))
        batches: dict[tuple[ChunkPlan, ...], list[int]] = {}
        for row in (row for row, of_row in enumerate(frames) if of_row == frame):
            if missing := tuple(tally.unscored(row, plans, database.order, offsets)):
                batches.setdefault(missing, []).append(row)
        for some, of_some in batches.items():
            queries = [rows[row] for row in of_some]
            if frame and translation is not None:
                scored = score_frame(engine, queries, database, (frame, translation), some, scheme, cancel)
            else:
                scored = engine.score(queries, database, some, scheme, cancel)
            for chunk in scored:
                yield replace(chunk, query_index=of_some[chunk.query_index])


def with_frameshifts(
    engine: Engine, scheme: ScoringScheme, translation: Translation | None, options: EngineOptions
) -> Engine:
    """Return an engine that scores with the frameshifts of a translation on the devices of another; itself without."""
    if translation is None or not translation.shift:
        return engine
    if isinstance(engine, Elsewhere):
        return engine.with_frameshifts(translation)
    from swgui.engines.shift_search import ShiftSearch  # here: few searches have frameshifts

    return ShiftSearch(engine, scheme, translation, options)
