"""Work of a worker: keep shards and one local engine, and score units. No Dask, no files."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.alphabet import alphabet_by_name
from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.translation.programs import Translation
from swgui.engines.base import Engine
from swgui.engines.cluster.shards import ShardData, ShardName, shard_database, take_shard

RUNS_REMEMBERED: Final = 64  # stopped runs whose units may still be on their way


@dataclass(frozen=True, slots=True)
class WorkerFacts:
    """A worker's description of itself."""

    version: str  # of the program
    name: str = ""  # of the worker, as the scheduler knows it
    # problem, hint: why it cannot score; empty if it can
    problem: str = ""
    hint: str = ""
    # engine, device: its local engine and the names of that engine's devices
    engine: str = ""
    device: str = ""
    facts: dict[str, str] = field(default_factory=dict)  # more to show about the device
    memory: int = 0  # bytes of the device, 0 if unknown
    gcups: float = 0.0  # speed over everything it scored so far; 0 before that
    shards: frozenset[ShardName] = frozenset()  # shards in its memory


@dataclass(frozen=True, slots=True, eq=False)
class UnitRequest:
    """A unit as it travels to a worker."""

    run: str  # names the search, so that it can be stopped
    shard: ShardName
    # start, stop: half-open range of positions within the shard
    start: int
    stop: int
    queries: tuple[EncodedQuery, ...]
    scheme: ScoringScheme
    translation: Translation | None = None  # with whose frameshifts to score; the shard is of codons or queries are


@dataclass(frozen=True, slots=True, eq=False)
class UnitScores:
    """The answer to a `UnitRequest`."""

    state: str  # ``"scored"``; ``"missing"``, the shard is not here (any more); ``"stopped"``; ``"failed"``
    # The narrower one if all scores of the unit fit, for they travel, shape (queries, positions).
    scores: NDArray[np.uint16] | NDArray[np.int32] | None = field(default=None, repr=False)
    seconds: float = 0.0  # time the local engine took
    rescored: NDArray[np.int64] | None = field(default=None, repr=False)  # shape (queries,)
    # message, hint: of the fault
    message: str = ""
    hint: str = ""


class Scorer:
    """Shards and the local engine of one worker process.

    Parameters
    ----------
    make_engine : callable
        Returns the best local engine, checked; raises `SwguiError` if there is none. Called once.
    find_database : callable
        Returns the database with a checksum if this machine has a file of it, else None.
    keep_bytes : int
        Bytes of residues kept at most; the shard in use is always kept.
    shifting : callable
        Returns an engine that scores with frameshifts on the devices of another.
    """

    def __init__(
        self,
        make_engine: Callable[[], Engine],
        find_database: Callable[[str], EncodedDatabase | None],
        keep_bytes: int,
        shifting: Callable[[Engine, ScoringScheme, Translation], Engine],
    ) -> None:
        self._make_engine = make_engine
        self._find_database = find_database
        self._keep_bytes = keep_bytes
        self._make_shifting = shifting
        self._engine: Engine | None = None
        self._shifting: tuple[tuple[Any, ...], Engine] | None = None  # the last with frameshifts, and its parameters
        self._shards: OrderedDict[ShardName, ArrayDatabase] = OrderedDict()
        self._lock = threading.Lock()  # an engine serves one thread at a time
        self._runs: OrderedDict[str, threading.Event] = OrderedDict()
        self._runs_lock = threading.Lock()
        self._cells = 0
        self._seconds = 0.0

    def facts(self) -> WorkerFacts:
        """Make the engine if there is none yet, and describe it."""
        with self._lock:
            try:
                engine = self._ready()
            except SwguiError as error:
                return WorkerFacts(swgui.__version__, problem=error.message, hint=error.hint)
            devices = engine.devices
            return WorkerFacts(
                version=swgui.__version__,
                engine=engine.name,
                device=" + ".join(device.name for device in devices),
                facts={name: value for device in devices for name, value in device.facts.items()},
                memory=sum(device.memory for device in devices),
                gcups=self._cells / self._seconds / 1e9 if self._seconds else 0.0,
                shards=frozenset(self._shards),
            )

    def open_shard(self, name: ShardName) -> bool:
        """Return True if the shard is here, after a look for a file of its database."""
        with self._lock:
            if name in self._shards:
                return True
            database = self._find_database(name.checksum)
            if database is None or len(database) < name.stop or database.checksum != name.checksum:
                return False
            self._keep(name, take_shard(database.arrays(), name))
            return True

    def keep_shard(self, name: ShardName, data: ShardData) -> None:
        with self._lock:
            self._keep(name, data)

    def score(self, request: UnitRequest) -> UnitScores:
        """Score a unit, all of it or nothing."""
        stop = self._stop_of(request.run)
        with self._lock:
            if stop.is_set():
                return UnitScores("stopped")
            shard = self._shards.get(request.shard)
            if shard is None:
                return UnitScores("missing")
            self._shards.move_to_end(request.shard)
            try:
                return self.score_with(self._engine_for(request), shard, request, stop)
            except SwguiError as error:
                return UnitScores("failed", message=error.message, hint=error.hint)

    def stop(self, run: str) -> None:
        """Stop running work of a run and refuse later work; does not wait."""
        self._stop_of(run).set()

    def close(self) -> None:
        with self._runs_lock:
            for event in self._runs.values():
                event.set()
        with self._lock:
            if self._engine is not None:
                self._engine.close()
            self._engine = self._shifting = None
            self._shards.clear()

    def _ready(self) -> Engine:
        if self._engine is None:
            self._engine = self._make_engine()
        return self._engine

    def _engine_for(self, request: UnitRequest) -> Engine:
        how, scheme = request.translation, request.scheme
        if how is None:
            return self._ready()
        wanted = how, scheme.matrix.scores.tobytes(), scheme.gap_first, scheme.gap_extend
        if self._shifting is None or self._shifting[0] != wanted:
            self._shifting = wanted, self._make_shifting(self._ready(), scheme, how)
        return self._shifting[1]

    def _stop_of(self, run: str) -> threading.Event:
        with self._runs_lock:
            event = self._runs.setdefault(run, threading.Event())
            self._runs.move_to_end(run)
            while len(self._runs) > RUNS_REMEMBERED:
                self._runs.popitem(last=False)
            return event

    def _keep(self, name: ShardName, data: ShardData) -> None:
        self._shards[name] = shard_database(name, alphabet_by_name(data.alphabet), data)
        self._shards.move_to_end(name)
        while len(self._shards) > 1 and sum(shard.residues for shard in self._shards.values()) > self._keep_bytes:
            self._shards.popitem(last=False)

    def score_with(
        self, engine: Engine, shard: ArrayDatabase, request: UnitRequest, stop: threading.Event
    ) -> UnitScores:
        queries, start, end = request.queries, request.start, request.stop
        scores = np.full((len(queries), end - start), -1, dtype=np.int32)
        rescored = np.zeros(len(queries), dtype=np.int64)
        cells, began = 0, time.perf_counter()
        plans = _plans(shard, start, end, engine.chunk_limits(queries, shard))
        for chunk in engine.score(queries, shard, plans, request.scheme, stop):
            scores[chunk.query_index, chunk.db_index - start] = chunk.scores
            rescored[chunk.query_index] += chunk.rescored
            cells += chunk.cells
        if stop.is_set():
            return UnitScores("stopped")
        if scores.size and scores.min() < 0:
            return UnitScores("failed", message=f"The engine '{engine.name}' left subjects out.", hint="Report this.")
        seconds = time.perf_counter() - began
        self._cells += cells
        self._seconds += seconds
        narrow = scores.max(initial=0) <= np.iinfo(np.uint16).max
        return UnitScores("scored", scores.astype(np.uint16) if narrow else scores, seconds, rescored)


def _plans(shard: ArrayDatabase, start: int, stop: int, limits: ChunkLimits) -> list[ChunkPlan]:
    """Cut a range of a shard as the local engine likes it."""
    plans = plan_chunks(shard.offsets[start : stop + 1] - shard.offsets[start], limits)
    return [ChunkPlan(start + plan.start, start + plan.stop, plan.residues) for plan in plans]
