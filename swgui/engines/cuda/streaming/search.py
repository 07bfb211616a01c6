"""One GPU at work: its memory, its databases, and the searches that run on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final, ParamSpec, Protocol, TypeVar

import numpy as np

from swgui.core.database import ArrayDatabase
from swgui.core.errors import EngineFault, OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores, TopHits
from swgui.core.packing import ChunkLimits
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.ahead import Ahead
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.scans import Scan, ScanBatch, Slot, TakeChunk
from swgui.engines.cuda.streaming.batch import Batch, plan_all
from swgui.engines.cuda.streaming.buffers import DeviceDatabase
from swgui.engines.cuda.streaming.kept import KeptResidues
from swgui.engines.cuda.streaming.launch import QueryPlan, StreamingScan, plan_queries
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.ranking import best_hits, launch_ranking
from swgui.engines.cuda.streaming.tuning import TUNING

MEMORY_SHARE: Final = 0.7  # of the free memory that residues may take, if the user sets no limit
SMALLEST_MEMORY: Final = 1 << 20

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def streaming_limits(length: int, residues: int, devices: int) -> ChunkLimits:
    """Return limits that cut a database: into some chunks for every device, each long enough to be worth its overhead.

    For one device they are as long as they may be: queries that are scored one after the other have their lists made
    while the next are scored.

    Parameters
    ----------
    length : int
        Mean residues of the queries.
    """
    longest = TUNING.cells_per_chunk // length
    shared = residues // (TUNING.chunks_per_device * devices)
    most = longest if devices == 1 else min(max(shared, TUNING.cells_worth // length), longest)
    return ChunkLimits(residues=max(most, TUNING.smallest_chunk))


def scans_at_once(blocks: int) -> int:
    """Return the number of scans of a database, or a part of it, that run at once.

    Parameters
    ----------
    blocks : int
        Blocks of four columns of two subjects.
    """
    return TUNING.scans_of_small if blocks < TUNING.small_blocks else TUNING.scans


class DatabaseOnDevice(Protocol):
    """A database in the form that a kernel wants: made of GPU, database, bytes it may take, and more."""

    @property
    def device_bytes(self) -> int:
        """Memory that residues take, or take at most, on the device."""

    def is_of(self, database: ArrayDatabase) -> bool:
        """Whether it holds this database."""


OnDevice = TypeVar("OnDevice", bound=DatabaseOnDevice)


class StreamingSearch:
    """Scores chunks on one GPU.

    Parameters
    ----------
    memory : int
        Bytes of the device for a database; 0 for most of its free memory.
    host_memory : int
        Bytes of page-locked memory of the host for a database that does not fit the device.
    twin_queries : bool
        Whether queries of similar length are scored two at a time.
    """

    cells_of_twins = TUNING.cells_of_twins

    def __init__(self, gpu: Gpu, memory: int, host_memory: int = 0, *, twin_queries: bool) -> None:
        self.gpu = gpu
        self.memory = memory
        self.host_memory = host_memory
        self.twin_queries = twin_queries
        self._held: dict[object, Any] = {}  # databases by their kind, the one that was used last behind
        self._slots: list[Slot] = []
        self.packed = KeptResidues()

    def share(self, other: StreamingSearch) -> None:
        """Use kernels that another search has brought to the same device, and the packed residues kept there."""
        self.gpu.kernels, self.packed, self.gpu.blocking_sync = other.gpu.kernels, other.packed, True

    @property
    def translates(self) -> bool:
        return True

    def chunk_limits(self, length: int, residues: int, devices: int) -> ChunkLimits:
        return streaming_limits(length, residues, devices)

    def run(
        self,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against the chunks taken, until there are none or `cancel` is set.

        Raises
        ------
        EngineFault
        """
        try:
            yield from self._steps(lambda: Batch(self, take, queries, database, scheme), cancel)
        finally:
            if database.packed is not None:  # of which another piece comes next: the memory it was read into is free
                with suppress(EngineFault):
                    self._on_gpu(self.gpu.copy_stream.synchronize)
                self._held.pop(DeviceDatabase, None)

    def _steps(self, make: Callable[[], ScanBatch[Any, Any, Any]], cancel: threading.Event) -> Iterator[ChunkScores]:
        """Make a batch and take its steps to the end."""
        batch = self._on_gpu(make)
        try:
            while results := self._on_gpu(batch.step, cancel):
                yield from results
        finally:
            with suppress(EngineFault):  # on a lost device this fails again at worst
                self._on_gpu(batch.abandon)

    def compile_ahead(
        self, batches: Iterable[Sequence[EncodedQuery]], database: ArrayDatabase, scheme: ScoringScheme
    ) -> Ahead | None:
        """Compile missing kernels in threads; returns a function that stops them, None if nothing is compiled ahead.

        Parameters
        ----------
        batches : iterable of sequences
            Queries that will be scored together.
        """
        layout = DatabaseLayout.of(np.asarray(database.offsets))
        ahead = Ahead(self.gpu, [plan for queries in batches for plan in plan_all(self, queries, scheme, layout)])
        with self.gpu:
            ahead.begin()
        return ahead

    def best(
        self, query: EncodedQuery, database: ArrayDatabase, scheme: ScoringScheme, limit: int, cancel: threading.Event
    ) -> tuple[TopHits, float] | None:
        """Return the best subjects of one query, ranked, and the milliseconds its kernels took.

        Returns None if cancelled, or if the database does not fit the device's memory.
        """
        return self._on_gpu(self._best, query, database, scheme, limit, cancel)

    def close(self) -> None:
        self.gpu.cancel_flag = None
        with suppress(EngineFault):
            self._on_gpu(self._release)

    def device_database(self, database: ArrayDatabase) -> DeviceDatabase:
        """Return the database as it lies on the device; another one held before is dropped."""
        if database.packed is None:
            self.packed.clear()
        return self.held(DeviceDatabase, database, self.host_memory, self.packed)

    def held(self, kind: Callable[..., OnDevice], database: ArrayDatabase, *more: Any) -> OnDevice:
        """Return the database in the form that a kernel wants; another one held before in this form is dropped."""
        held: OnDevice | None = self._held.pop(kind, None)
        if held is None or not held.is_of(database):
            held = None  # before the next one takes memory
            held = kind(self.gpu, database, self.memory or int(MEMORY_SHARE * self.gpu.free_memory()), *more)
        self._held[kind] = held
        return held

    def slots(self) -> list[Slot]:
        held = self._held.get(DeviceDatabase)
        return self.some_slots(scans_at_once(held.part_blocks) if isinstance(held, DeviceDatabase) else TUNING.scans)

    def some_slots(self, count: int) -> list[Slot]:
        """Return so many slots, made when first needed."""
        self._slots += [Slot(self.gpu) for _ in range(count - len(self._slots))]
        return self._slots[:count]

    def plan(
        self,
        indices: tuple[int, ...],
        queries: Sequence[EncodedQuery],
        scheme: ScoringScheme,
        layout: DatabaseLayout | None,
    ) -> QueryPlan:
        return plan_queries(indices, queries, scheme, self.gpu, layout)

    def shrink(self, error: OutOfDeviceMemory) -> None:
        """After running out of memory: keep half as much on the device; `error` if that is little already."""
        last = next(reversed(self._held.values()), None)
        held = last.device_bytes if last else self.memory or self.gpu.free_memory()
        self._release()
        self.memory = held // 2
        if self.memory < SMALLEST_MEMORY:
            raise error

    def _release(self) -> None:
        self._held.clear()
        self._slots.clear()
        self.packed.clear()
        self.gpu.release()

    def _on_gpu(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Call a function with the GPU as the current device, and explain CUDA's errors."""
        with self.gpu.at_work():
            return function(*arguments, **named)

    def _best(
        self, query: EncodedQuery, database: ArrayDatabase, scheme: ScoringScheme, limit: int, cancel: threading.Event
    ) -> tuple[TopHits, float] | None:
        scan = self._scan_of_all(query, database, scheme)
        if scan is None:
            return None
        slot, subjects = scan.slot, scan.stop
        scan.launch()
        launch_ranking(slot, scan.scores, subjects, limit)
        scan.download_counts()
        if not self.gpu.wait(slot.mark(), cancel, scan.seconds_at_most):
            return None
        milliseconds = scan.milliseconds_since(None)
        if scan.redo_overflowed():
            launch_ranking(slot, scan.scores, subjects, limit)
        return best_hits(slot, scan.scores, subjects, limit, database.order), milliseconds

    def _scan_of_all(self, query: EncodedQuery, database: ArrayDatabase, scheme: ScoringScheme) -> Scan | None:
        """Return a scan of one query against a whole database; None if it does not fit the device."""
        device = self.device_database(database)
        if not device.resident:
            return None
        plan = self.plan((0,), (query,), scheme, device.layout)
        letters = device.stream(0, device.layout.twins)
        return StreamingScan(self.slots()[0], plan, device, letters, 0, device.layout.subjects)
