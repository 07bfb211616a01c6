"""The ``reference`` engine: plain NumPy, one core, any scheme and profile. Slow, and always there."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from swgui.core.database import ArrayDatabase, take_chunk
from swgui.core.devices import CPU
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme, check_same_alphabet
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.facts import REFERENCE
from swgui.engines.rowscan import BATCH_RESIDUES, local_scores

NAME: Final = REFERENCE.name
CELLS_PER_CHUNK: Final = 5_000_000  # about 50 ms
MIN_RESIDUES: Final = 4_096  # below that a row is mostly the overhead of NumPy's calls


def status() -> EngineStatus:
    """Return that it can run: it needs NumPy only."""
    return EngineStatus(NAME, available=True, devices=(_device(),))


def create(options: EngineOptions) -> ReferenceEngine:
    """Make the engine; `InvalidParameter` for devices or settings it does not have.

    ``options.threads`` is not used: it works on one core.
    """
    for device in options.devices:
        if device != CPU:
            raise InvalidParameter("device", device, f"The reference engine has no device '{device}', only '{CPU}'.")
    for name, value in options.settings.items():
        raise InvalidParameter(name, value, f"The reference engine has no setting '{name}'.")
    return ReferenceEngine()


def _device() -> DeviceInfo:
    return DeviceInfo(id=CPU, name="NumPy, one core", facts={"NumPy": np.__version__})


class ReferenceEngine:
    """Scores with `swgui.engines.rowscan`."""

    name = NAME

    def __init__(self) -> None:
        self.devices = (_device(),)

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        length = max(1, sum(len(query) for query in queries) // max(1, len(queries)))
        return ChunkLimits(residues=min(max(MIN_RESIDUES, CELLS_PER_CHUNK // length), BATCH_RESIDUES))

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        for query_index, query in enumerate(queries):
            profile = query.scores(scheme)
            for plan in plans:
                if cancel.is_set():
                    return
                begin = time.perf_counter()
                chunk = take_chunk(database, plan)
                scores = local_scores(
                    profile,
                    chunk.codes,
                    chunk.offsets,
                    scheme.gap_first,
                    scheme.gap_extend,
                    stop=cancel.is_set,
                    gaps=query.gaps,
                )
                if scores is None:
                    return
                if scores.max(initial=0) > np.iinfo(np.int32).max:
                    raise EngineFault(
                        f"A score of '{query.id}' is above 2,147,483,647 and cannot be reported.",
                        hint="Use a matrix with smaller values; the ratios to the gap costs decide the ranking.",
                    )
                yield ChunkScores(
                    query_index=query_index,
                    db_index=chunk.db_index,
                    scores=scores.astype(np.int32),
                    cells=len(query) * chunk.residues,
                    device=self.devices[0].name,
                    seconds=time.perf_counter() - begin,
                    stored=chunk.stored,
                )

    def close(self) -> None:
        """Nothing is held."""
