"""The scans of one search on one GPU: several under way, so that the next begins while the last groups finish."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import OutOfDeviceMemory
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.ahead import Ahead
from swgui.engines.cuda.arithmetic import Gaps, Pairing
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.scans import Scan, ScanBatch, Slot, TakeChunk
from swgui.engines.cuda.streaming.buffers import DeviceDatabase
from swgui.engines.cuda.streaming.launch import NULL, QueryPlan, StreamingScan, pairs_of
from swgui.engines.cuda.streaming.layout import COLUMNS, DatabaseLayout

BLOCKS: Final = 16  # of threads for each pair: eight pairs fill a large GPU
PAIRS: Final = 32  # of queries in a launch, at most
CELLS_OF_A_PAIR: Final = 4_000_000_000  # half a millisecond of a large GPU; what takes longer has a launch of its own
SCORES: Final = 8_000_000  # that come back from a launch, at most


def share_launches(plans: Sequence[QueryPlan], layout: DatabaseLayout) -> list[QueryPlan]:
    """Put pairs of short queries that have one kernel together, in their order."""
    shared: list[QueryPlan] = []
    for (short, *_), some in groupby(plans, lambda plan: (_is_short(plan, layout), plan.arithmetic, plan.tile)):
        alike = list(some)
        most = max(min(PAIRS, SCORES // max(4 * layout.pairs, 1)), 1) if short else 1
        shared += [_joined(alike[start : start + most]) for start in range(0, len(alike), most)]
    return shared


def _is_short(plan: QueryPlan, layout: DatabaseLayout) -> bool:
    """Tell whether a plan may share a launch: two queries in one pass, of which no subject can overflow."""
    arithmetic = plan.arithmetic
    plain = arithmetic.pairing is Pairing.QUERIES and arithmetic.positions is Gaps.SCHEME
    cells = 4 * COLUMNS * layout.blocks(0, layout.pairs) * plan.length if layout.pairs else 0
    fits = plan.length <= plan.tile.height and cells <= CELLS_OF_A_PAIR
    return plain and fits and plan.perfect < arithmetic.limit


def _joined(plans: Sequence[QueryPlan]) -> QueryPlan:
    if len(plans) == 1:
        return plans[0]
    indices = tuple(index for plan in plans for index in plan.indices)
    queries = tuple(query for plan in plans for query in plan.queries)
    return replace(plans[0], indices=indices, queries=queries, several=True)


def kernel_table(profiles: Sequence[NDArray[np.int16]], blocks: int = BLOCKS) -> Iterator[int]:
    """Yield the kernel's table: blocks of each pair, then where profiles begin, and their lengths."""
    yield blocks
    begin = 0
    for profile in profiles:
        yield from (begin, profile.shape[1])
        begin += profile.size


class SharedScan(StreamingScan):
    """Several pairs of queries against a range of subjects, in one launch; none of them can overflow."""

    def _allocate(self) -> None:
        slot, queries = self.slot, len(self.indices)
        self.scores = slot.device("scores", queries * self.stride, np.int32)
        self.redo = slot.device("redo", queries * (self.stride + 1), np.int32)
        self._counters = slot.device("several counters", PAIRS, np.int32)
        self.tables = self.plan.profiles
        slot.device("several profiles", sum(table.size for table in self.tables), np.int16)
        slot.device("several", 1 + 4 * PAIRS, np.int32)

    @property
    def seconds_at_most(self) -> float:
        """A generous guess of how long the kernel takes."""
        return super().seconds_at_most * len(self.indices)

    def launch(self) -> None:
        """Enqueue everything up to the scores."""
        slot, card, database = self.slot, self.slot.card, self.database
        slot.stream.wait_event(self.letters.ready)
        profiles = slot.send("several profiles", np.concatenate([table.ravel() for table in self.tables]))
        table = slot.send("several", np.array([*kernel_table(self.tables)], dtype=np.int32))
        card.clear(self._counters, slot.stream)
        ((_, variant),) = self.plan.variants
        units = database.units(self.first_pair, self.last_pair, BLOCKS * variant.groups)
        first_block = int(database.layout.block_of[self.first_pair])
        skipped = first_block - self.letters.first_block
        arguments = (
            np.uint64(self.letters.words.data.ptr + database.block_bytes * skipped),
            database.block_of,
            units,
            np.int32(len(units) - 1),
            NULL,
            np.uint32(first_block),
            np.uint32(self.letters.blocks - skipped),
            profiles,
            np.int32(0),
            NULL,
            np.int32(0),
            NULL,
            NULL,
            np.int32(0),
            self._counters,
            np.uint64((self.scores.data.ptr - 4 * self.first) % (1 << 64)),
            np.int64(self.stride),
            self.redo,
            NULL,
            card.cancel_flag,
            table,
        )
        grid = (BLOCKS * (len(self.indices) // 2),)
        self.began.record(slot.stream)
        with slot.stream:
            card.variant(variant)(grid, (variant.tile.threads,), arguments, shared_mem=variant.shared_bytes)
        self.ended.record(slot.stream)

    def download_counts(self) -> None:
        """Do nothing: no subject can overflow."""

    def redo_overflowed(self) -> bool:
        """Return False: no subject can overflow."""
        return False


ALIKE: Final = 0.93  # two queries are scored at once if the shorter has at least this share of the longer

# Where a scan takes a millisecond, a fifth of it is the beginning and the end of its blocks of threads: profiles are
# built, lanes have nothing yet, or nothing more. A quarter of the blocks, each of which does four times as much, lose a
# quarter of that.
BESIDE: Final = 4
SMALL_BLOCKS: Final = 8 << 20  # of four columns of two subjects: 64 million residues


class Owner(Protocol):
    """What a batch needs of the GPU it runs on."""

    card: Card
    pair_queries: bool

    def device_database(self, database: EncodedDatabase) -> DeviceDatabase:
        """Return the database as it lies on the device."""

    def slots(self) -> list[Slot]:
        """Return the buffers for scans."""

    def shrink(self, error: OutOfDeviceMemory) -> None:
        """Use less memory from now on; raise `error` if that is not possible."""

    def plan(
        self,
        indices: tuple[int, ...],
        queries: Sequence[EncodedQuery],
        scheme: ScoringScheme,
        layout: DatabaseLayout | None,
    ) -> QueryPlan:
        """Choose how one query, or two at once, will be scored."""


def plan_all(
    owner: Owner, queries: Sequence[EncodedQuery], scheme: ScoringScheme, layout: DatabaseLayout
) -> list[QueryPlan]:
    """Choose how queries will be scored against a database, two alike at once and short ones in few launches.

    The longest come first.
    """
    # With many scans one behind the other, nobody waits for the longest subject of each.
    against = layout if len(queries) == 1 else None
    lengths, plain = [len(query) for query in queries], [query.gaps is None for query in queries]
    order = deque(sorted((i for i, length in enumerate(lengths) if length), key=lambda i: (plain[i], -lengths[i])))
    plans = []
    while order:
        longer = order.popleft()
        alike = order and lengths[order[0]] >= ALIKE * lengths[longer] and plain[order[0]] == plain[longer]
        if alike and owner.pair_queries:
            pair = owner.plan((longer, order[0]), queries, scheme, against)
            if pair.arithmetic.pairing is Pairing.QUERIES:
                order.popleft()
                plans.append(pair)
                continue
        plans.append(owner.plan((longer,), queries, scheme, against))
    return share_launches(plans, layout)


def scans_beside(plans: Sequence[QueryPlan]) -> int:
    """Return how many scans of a small database share a GPU: fewer where one of them would be the last by far."""
    lengths = [plan.length for plan in plans]
    return max(1, min(BESIDE, sum(lengths) // (2 * max(lengths))))


class Batch(ScanBatch[QueryPlan]):
    """All queries of a search against the chunks one GPU takes, by the program's own kernel; none for empty ones."""

    def __init__(
        self,
        owner: Owner,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
    ) -> None:
        self._owner = owner
        plans = plan_all(owner, queries, scheme, owner.device_database(database).layout)
        self._kernels = Ahead(owner.card, plans)
        self._kernels.load_kept()
        super().__init__(owner.card, take, queries, database, plans)

    def abandon(self) -> None:
        """Stop what is under way; its scores are lost."""
        self._kernels.stop()
        super().abandon()

    def _slots(self) -> list[Slot]:
        return self._owner.slots()

    def _shrink(self, error: OutOfDeviceMemory) -> None:
        self._owner.shrink(error)

    def _ready(self, plan: QueryPlan, cancel: threading.Event) -> bool:
        return self._kernels.load(plan, cancel)

    def _parts(self, start: int, stop: int) -> list[tuple[int, int]]:
        device = self._owner.device_database(self._database)
        windows = device.layout.windows(*pairs_of(start, stop), device.part_blocks)
        return [(max(start, 2 * first), min(stop, 2 * last)) for first, last in windows]

    def _scan(self, slot: Slot, start: int, stop: int, plan: QueryPlan) -> Scan:
        device = self._owner.device_database(self._database)
        pairs = pairs_of(start, stop)
        if self._residues is None or not self._residues.holds(*pairs):
            self._residues = None
            self._residues = device.stream(*pairs)
        kind = SharedScan if plan.several else StreamingScan
        among = scans_beside(self._plans) if device.part_blocks < SMALL_BLOCKS else 1
        return kind(slot, plan, device, self._residues, start, stop, self._card.multiprocessors // among)
