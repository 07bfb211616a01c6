"""The ``cluster`` engine as the registry sees it. Dask is imported when an engine is made, not before."""

from __future__ import annotations

import importlib.util
import queue
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING, Final

import numpy as np

from swgui.core.database import ArrayDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, SwguiError
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme, check_same_alphabet
from swgui.core.translation.programs import Translation
from swgui.engines.base import DeviceEngine, DeviceInfo, EngineStatus
from swgui.engines.cluster.scorer import UnitScores
from swgui.engines.cluster.security import NAME, read_settings
from swgui.engines.cluster.shards import Unit, WorkPool, name_shards

if TYPE_CHECKING:
    from swgui.engines.cluster.session import ClusterWorker, Session

SMALLEST_CHUNK: Final = 1 << 16  # residues
CHUNKS: Final = 1_024  # per database, where it is large enough
POLL_SECONDS: Final = 0.05  # how long a Stop may go unseen


def status() -> EngineStatus:
    """Return whether Dask is installed; connects to nothing, so it knows no devices."""
    missing = [name for name in ("dask", "distributed") if importlib.util.find_spec(name) is None]
    if missing:
        return EngineStatus(
            NAME,
            available=False,
            reason=f"The cluster engine needs {' and '.join(missing)}.",
            hint="Install them with: pip install 'swgui-core[cluster]'",
        )
    return EngineStatus(NAME, available=True)


def create(options: EngineOptions) -> ClusterEngine:
    """Connect to a scheduler.

    Parameters
    ----------
    options : EngineOptions
        ``settings`` as in `security.SETTINGS`; without ``scheduler`` the variable SWGUI_SCHEDULER counts.
        ``devices`` are names of workers; ``threads`` is the workers' own matter and not used.

    Raises
    ------
    EngineUnavailable
        If Dask is not installed, the connection is not safe, or there is no scheduler or no worker that
        can be used.
    InvalidParameter
        If a setting is unknown or cannot be used.
    """
    now = status()
    if not now.available:
        raise EngineUnavailable(NAME, now.reason, hint=now.hint)
    settings = read_settings(options.settings)
    from swgui.engines.cluster.session import Session

    return ClusterEngine(Session(settings, options.devices))


class ClusterEngine(DeviceEngine):
    """Scores on the workers of a Dask scheduler."""

    name = NAME

    def __init__(self, session: Session, translation: Translation | None = None) -> None:
        self.session, self._translation = session, translation

    def with_frameshifts(self, translation: Translation) -> ClusterEngine:
        return ClusterEngine(self.session, translation)

    @property
    def devices(self) -> tuple[DeviceInfo, ...]:
        """The workers there are now, by their names."""
        members = sorted(self.session.members.values(), key=lambda member: member.facts.name)
        return tuple(_device(member) for member in members)

    @property
    def refused(self) -> tuple[str, ...]:
        """Reasons why workers of the scheduler are not used, one sentence for each."""
        return tuple(str(refusal) for _, refusal in sorted(self.session.refused.items()))

    def refresh(self) -> None:
        """Look again which workers there are; `EngineFault` if the scheduler is lost."""
        self.session.refresh()

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        """Return limits just fine enough to distribute the work: workers cut further for their own engine."""
        largest = max(SMALLEST_CHUNK, self.session.settings.shard_residues)
        return ChunkLimits(residues=min(max(database.residues // CHUNKS, SMALLEST_CHUNK), largest))

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan; a plan that crosses a shard's edge comes in parts.

        Once `cancel` is set the iterator tells the workers to stop and ends without waiting for them. ``seconds`` of a
        result is its share of the time in a worker's engine.
        """
        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        if cancel.is_set() or not queries or not plans:
            return
        from swgui.engines.cluster.run import Run

        shards = name_shards(database, self.session.settings.shard_residues)
        pool = WorkPool(shards, plans, database.offsets, [len(query) for query in queries])
        run = Run(self.session, queries, database, scheme, pool, self._translation)
        ended = self.session.start(run.main())
        try:
            while not cancel.is_set():
                over = ended.done()  # before looking for results, so that none is missed
                try:
                    unit, answer, label = run.results.get(timeout=0 if over else POLL_SECONDS)
                except queue.Empty:
                    if over:
                        _raise_fault(ended)
                        return
                    continue
                for chunk in _chunks(unit, answer, label, queries, database):
                    yield chunk
                    if cancel.is_set():
                        return
        finally:
            ended.cancel()

    def close(self) -> None:
        """Leave the scheduler; the workers keep their data."""
        self.session.close()


def _chunks(
    unit: Unit, answer: UnitScores, label: str, queries: Sequence[EncodedQuery], database: ArrayDatabase
) -> Iterator[ChunkScores]:
    """Cut the scores of a unit into chunks."""
    assert answer.scores is not None
    assert answer.rescored is not None
    scores, rescored = answer.scores.astype(np.int32, copy=False), answer.rescored
    first = unit.queries[0]
    share = answer.seconds / unit.cells if unit.cells else 0.0
    for row in range(unit.queries[1] - first):
        for piece in unit.pieces:
            cells = len(queries[first + row]) * piece.residues
            yield ChunkScores(
                query_index=first + row,
                db_index=database.order[piece.start : piece.stop],
                scores=scores[row, piece.start - unit.start : piece.stop - unit.start],
                cells=cells,
                rescored=int(rescored[row]) if piece is unit.pieces[0] else 0,
                device=label,
                seconds=cells * share,
                stored=(piece.start, piece.stop),
            )


def _raise_fault(ended: Future[None]) -> None:
    """Raise the fault that ended the search, if it was incomplete."""
    error = None if ended.cancelled() else ended.exception()
    if isinstance(error, SwguiError):
        raise error
    if error is not None or ended.cancelled():
        raise EngineFault(f"The cluster engine failed: {error or 'it was closed while it worked.'}") from error


def _device(member: ClusterWorker) -> DeviceInfo:
    facts = {"engine": member.facts.engine, "address": member.address}
    if member.speed:
        facts["speed"] = f"{member.speed / 1e9:.1f} GCUPS"
    return DeviceInfo(
        id=member.facts.name,
        name=member.label,
        memory=member.facts.memory,
        facts={**facts, **member.facts.facts},
    )
