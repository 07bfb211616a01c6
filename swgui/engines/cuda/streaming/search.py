"""One GPU at work: its memory, its databases, and the searches that run on it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Final, ParamSpec, TypeVar

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault, OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores, TopHits
from swgui.core.packing import ChunkLimits
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.ahead import Ahead
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.scans import Plan, Scan, ScanBatch, Slot, TakeChunk
from swgui.engines.cuda.streaming import ranking
from swgui.engines.cuda.streaming.batch import SMALL_BLOCKS, Batch, plan_all
from swgui.engines.cuda.streaming.buffers import DeviceDatabase
from swgui.engines.cuda.streaming.launch import QueryPlan, StreamingScan, plan_queries
from swgui.engines.cuda.streaming.layout import DatabaseLayout

# Scans under way at once: few on a large database, where each fills the GPU; more on a small one, where most of
# the GPU waits for the longest subject of each.
SLOTS: Final = 3
SLOTS_SMALL: Final = 12
MEMORY_SHARE: Final = 0.7  # of the free memory that residues may take, if the user sets no limit
SMALLEST_MEMORY: Final = 1 << 20
CELLS_PER_CHUNK: Final = 300_000_000_000  # about 50 ms on a large GPU
SMALLEST_CHUNK: Final = 4_000_000  # residues; below this a GPU is not filled
CELLS_WORTH: Final = 26_000_000_000  # about 4 ms: below this the host's work on a chunk, 0.3 ms, begins to show
CHUNKS_PER_DEVICE: Final = 6  # so that several GPUs end together, and little is left to rank at the end

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def streaming_limits(length: int, residues: int, devices: int) -> ChunkLimits:
    """Return how to cut a database: into some chunks for every device, each long enough to be worth its overhead.

    Parameters
    ----------
    length : int
        Mean residues of the queries.
    residues : int
        Of the database.
    """
    shared = residues // (CHUNKS_PER_DEVICE * devices)
    most = min(max(shared, CELLS_WORTH // length), CELLS_PER_CHUNK // length)
    return ChunkLimits(residues=max(most, SMALLEST_CHUNK))


def scans_at_once(blocks: int) -> int:
    """Return how many scans of a database, or a part of it, are under way at once.

    Parameters
    ----------
    blocks : int
        Of four columns of two subjects.
    """
    return SLOTS_SMALL if blocks < SMALL_BLOCKS else SLOTS


class StreamingSearch:
    """Scores chunks on one GPU.

    Parameters
    ----------
    memory : int
        Bytes that a database may take on the device; 0 for most of what is free.
    host_memory : int
        Bytes of page-locked memory of the host for a database that does not fit the device.
    pair_queries : bool
        Whether queries of similar length are scored two at a time.
    """

    def __init__(self, card: Card, memory: int, host_memory: int = 0, *, pair_queries: bool) -> None:
        self.card = card
        self.memory = memory
        self.host_memory = host_memory
        self.pair_queries = pair_queries
        self._database: DeviceDatabase | None = None
        self._slots: list[Slot] = []

    @property
    def translates(self) -> bool:
        """Whether codons are read on the device."""
        return True

    def chunk_limits(self, length: int, residues: int, devices: int) -> ChunkLimits:
        """As `streaming_limits`."""
        return streaming_limits(length, residues, devices)

    def run(
        self,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against the chunks taken, until there are none or `cancel` is set.

        Raises
        ------
        EngineFault
        """
        yield from self._steps(lambda: Batch(self, take, queries, database, scheme), cancel)

    def _steps(self, make: Callable[[], ScanBatch[Plan]], cancel: threading.Event) -> Iterator[ChunkScores]:
        """Make a batch and take its steps to the end."""
        batch = self._on_card(make)
        try:
            while results := self._on_card(batch.step, cancel):
                yield from results
        finally:
            with suppress(EngineFault):  # a lost device can do no more than fail again
                self._on_card(batch.abandon)

    def compile_ahead(self, queries: Sequence[EncodedQuery], database: EncodedDatabase, scheme: ScoringScheme) -> None:
        """Have the kernels of a search to come compiled in threads, as far as they are not kept; returns at once."""
        layout = DatabaseLayout.of(np.asarray(database.offsets))
        with self.card:
            Ahead(self.card, plan_all(self, queries, scheme, layout)).begin()

    def best(
        self, query: EncodedQuery, database: EncodedDatabase, scheme: ScoringScheme, limit: int, cancel: threading.Event
    ) -> tuple[TopHits, float] | None:
        """Return the best subjects of one query, ranked, and the milliseconds its kernels took.

        Returns None if cancelled, or if the database does not fit the device's memory.
        """
        return self._on_card(self._best, query, database, scheme, limit, cancel)

    def close(self) -> None:
        """Release the device's memory; the search cannot be used afterwards."""
        self.card.cancel_flag = None
        with suppress(EngineFault):
            self._on_card(self._release)

    def device_database(self, database: EncodedDatabase) -> DeviceDatabase:
        """Return the database as it lies on the device; another one held before is dropped."""
        held = self._database
        if held is not None and held.is_of(database):
            return held
        self._database = held = None
        self.card.cupy.get_default_memory_pool().free_all_blocks()
        memory = self.memory or int(MEMORY_SHARE * self.card.free_memory())
        self._database = DeviceDatabase(self.card, database, memory, self.host_memory)
        return self._database

    def slots(self) -> list[Slot]:
        """Return the slots, made when first needed."""
        held = self._database
        count = SLOTS if held is None else scans_at_once(held.part_blocks)
        return self.some_slots(count)

    def some_slots(self, count: int) -> list[Slot]:
        """Return so many slots, made when first needed."""
        self._slots += [Slot(self.card) for _ in range(count - len(self._slots))]
        return self._slots[:count]

    def plan(
        self,
        indices: tuple[int, ...],
        queries: Sequence[EncodedQuery],
        scheme: ScoringScheme,
        layout: DatabaseLayout | None,
    ) -> QueryPlan:
        """Choose how one query, or two at once, will be scored."""
        return plan_queries(indices, queries, scheme, self.card, layout)

    def shrink(self, error: OutOfDeviceMemory) -> None:
        """After running out of memory: keep half as much on the device; `error` if that is little already."""
        held = self._database.device_bytes if self._database else self.memory or self.card.free_memory()
        self._release()
        self.memory = held // 2
        if self.memory < SMALLEST_MEMORY:
            raise error

    def _release(self) -> None:
        self._database = None
        self._slots.clear()
        self.card.release()

    def _on_card(
        self, function: Callable[Arguments, Result], *arguments: Arguments.args, **named: Arguments.kwargs
    ) -> Result:
        """Call a function with the GPU as the current device, and explain what CUDA complains of."""
        with self.card.at_work():
            return function(*arguments, **named)

    def _best(
        self, query: EncodedQuery, database: EncodedDatabase, scheme: ScoringScheme, limit: int, cancel: threading.Event
    ) -> tuple[TopHits, float] | None:
        scan = self._scan_of_all(query, database, scheme)
        if scan is None:
            return None
        slot, subjects = scan.slot, scan.stop
        scan.launch()
        ranking.launch(slot, scan.scores, subjects, limit)
        scan.download_counts()
        if not self.card.wait(slot.mark(), cancel, scan.seconds_at_most):
            return None
        milliseconds = scan.milliseconds_since(None)
        if scan.redo_overflowed():
            ranking.launch(slot, scan.scores, subjects, limit)
        return ranking.best_hits(slot, scan.scores, subjects, limit, database.order), milliseconds

    def _scan_of_all(self, query: EncodedQuery, database: EncodedDatabase, scheme: ScoringScheme) -> Scan | None:
        """Return a scan of one query against a whole database; None if it does not fit the device."""
        device = self.device_database(database)
        if not device.resident:
            return None
        plan = self.plan((0,), (query,), scheme, device.layout)
        letters = device.stream(0, device.layout.pairs)
        return StreamingScan(self.slots()[0], plan, device, letters, 0, device.layout.subjects)
