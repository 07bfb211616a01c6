"""All scores of one query at once, and reference scores that another engine must agree with."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase, TextColumn
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped
from swgui.core.packing import ChunkPlan, plan_chunks
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import registry
from swgui.engines.base import Engine
from swgui.engines.facts import CPU, REFERENCE

REFERENCE_CELLS: Final = 400_000_000  # largest work for the NumPy engine: two or three seconds


@dataclass(frozen=True, slots=True, eq=False)
class QueryScores:
    """Scores of one query, and the seconds they took."""

    scores: NDArray[np.int64]  # shape (subjects,): in source order; -1 where there is none
    seconds: float  # by the clock
    kernel_seconds: float  # as the engine counts them; 0 if it does not


def score_all(
    engine: Engine,
    query: EncodedQuery,
    database: ArrayDatabase,
    plans: Sequence[ChunkPlan],
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> QueryScores | None:
    """Score everything once; None if it was cancelled. Subjects that got no score have -1."""
    scores = np.full(len(database), -1, dtype=np.int64)
    kernel = 0.0
    began = time.perf_counter()
    for chunk in engine.score((query,), database, plans, scheme, cancel):
        scores[chunk.db_index] = chunk.scores
        kernel += chunk.seconds
    seconds = time.perf_counter() - began
    return None if cancel.is_set() else QueryScores(scores, seconds, kernel)


class Reference:
    """Scores of one query that every cell must give.

    If the other engine is too slow for the whole database, it scores a part. Settings that agree with it there
    represent the rest: all other settings must agree with them.

    Parameters
    ----------
    db_index : ndarray, shape=(n,), dtype=int64
        Source index of the subjects that the other engine scored.
    scores : ndarray, shape=(n,), dtype=int64
    made_by : str
        The other engine, in words.
    """

    def __init__(
        self, query: EncodedQuery, db_index: NDArray[np.int64], scores: NDArray[np.int64], made_by: str
    ) -> None:
        self.query, self.made_by = query, made_by
        self._db_index, self._scores = db_index, scores
        self._whole: NDArray[np.int64] | None = None

    @classmethod
    def make(
        cls,
        query: EncodedQuery,
        database: ArrayDatabase,
        scheme: ScoringScheme,
        measured: str,
        cancel: threading.Event,
    ) -> Reference:
        """Score with an engine other than the one that is measured; `Stopped` if that is stopped."""
        name = CPU.name if measured != CPU.name and registry.probe(CPU.name).available else REFERENCE.name
        if name == REFERENCE.name:
            database, db_index = _part(database, REFERENCE_CELLS // len(query))
        else:
            db_index = np.arange(len(database), dtype=np.int64)
        with closing(registry.make_engine(name, EngineOptions())) as engine:
            plans = plan_chunks(database.offsets, engine.chunk_limits((query,), database))
            scored = score_all(engine, query, database, plans, scheme, cancel)
        if scored is None:
            raise Stopped("The sweep was stopped.")
        return cls(query, db_index, scored.scores, f"the engine '{name}'")

    def compare(self, scores: NDArray[np.int64]) -> tuple[int, int]:
        """Return the number of compared scores, and the number of differences."""
        wrong = int(np.count_nonzero(scores[self._db_index] != self._scores))
        if wrong or len(self._scores) == len(scores):
            return len(self._scores), wrong
        if self._whole is None:
            self._whole = scores
        return len(scores), int(np.count_nonzero(scores != self._whole))


def _part(database: ArrayDatabase, residues: int) -> tuple[ArrayDatabase, NDArray[np.int64]]:
    """Return subjects of all lengths with about so many residues, and their source indices."""
    step = max(1, -(-database.residues // max(1, residues)))
    chosen = np.arange(0, len(database), step)
    lengths = np.diff(database.offsets)[chosen]
    offsets = np.zeros(len(chosen) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    starts = database.offsets[chosen]
    codes = [database.codes[start : start + length] for start, length in zip(starts, lengths, strict=True)]
    none = TextColumn.from_texts(())
    part = replace(
        database,
        codes=np.concatenate(codes),
        offsets=offsets,
        order=np.arange(len(chosen), dtype=np.int64),
        ids=none,
        descriptions=none,
        checksum=f"{database.checksum} every {step}",
    )
    return part, np.asarray(database.order[chosen], dtype=np.int64)
