"""The scans of one search on one GPU: several under way, so that the next begins while the last groups finish."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.ahead import Ahead
from swgui.engines.cuda.arithmetic import Gaps, Pairing
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.streaming.buffers import DeviceDatabase, ResidueStream
from swgui.engines.cuda.streaming.launch import NULL, QueryPlan, Scan, Slot
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
        shared += [_together(alike[start : start + most]) for start in range(0, len(alike), most)]
    return shared


def _is_short(plan: QueryPlan, layout: DatabaseLayout) -> bool:
    """Tell whether a plan may share a launch: two queries in one pass, of which no subject can overflow."""
    arithmetic = plan.arithmetic
    plain = arithmetic.pairing is Pairing.QUERIES and arithmetic.positions is Gaps.SCHEME
    cells = 4 * COLUMNS * layout.blocks(0, layout.pairs) * plan.length if layout.pairs else 0
    fits = plan.length <= plan.tile.height and cells <= CELLS_OF_A_PAIR
    return plain and fits and plan.perfect < arithmetic.limit


def _together(plans: Sequence[QueryPlan]) -> QueryPlan:
    if len(plans) == 1:
        return plans[0]
    indices = tuple(index for plan in plans for index in plan.indices)
    queries = tuple(query for plan in plans for query in plan.queries)
    return replace(plans[0], indices=indices, queries=queries, several=True)


def places_of(profiles: Sequence[NDArray[np.int16]], blocks: int = BLOCKS) -> Iterator[int]:
    """Yield the kernel's table: blocks of each pair, then where profiles begin, and their lengths."""
    yield blocks
    begin = 0
    for profile in profiles:
        yield from (begin, profile.shape[1])
        begin += profile.size


class SeveralScan(Scan):
    """Several pairs of queries against a range of subjects, in one launch; none of them can overflow."""

    def _make_room(self) -> None:
        slot, queries = self.slot, len(self.plan.indices)
        self.scores = slot.device("scores", queries * self.stride, np.int32)
        self.redo = slot.device("redo", queries * (self.stride + 1), np.int32)
        self._counters = slot.device("several counters", PAIRS, np.int32)
        self.tables = self.plan.profiles
        self._table = np.array([*places_of(self.tables)], dtype=np.int32)
        size = sum(table.size for table in self.tables)
        self._profiles = slot.device("several profiles", size, np.int16)
        self._several = slot.device("several", 1 + 4 * PAIRS, np.int32)

    @property
    def seconds_at_most(self) -> float:
        """A generous guess of how long the kernel takes."""
        return super().seconds_at_most * len(self.plan.indices)

    def launch(self) -> None:
        """Enqueue everything up to the scores."""
        slot, card, database = self.slot, self.slot.card, self.database
        slot.stream.wait_event(self.letters.ready)
        staged = slot.host("several profiles", sum(table.size for table in self.tables), np.int16)
        np.concatenate([table.ravel() for table in self.tables], out=staged)
        table = slot.host("several", len(self._table), np.int32)
        table[:] = self._table
        card.upload(self._profiles, staged, slot.stream)
        card.upload(self._several, table, slot.stream)
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
            self._profiles,
            np.int32(0),
            NULL,
            np.int32(0),
            NULL,
            NULL,
            np.int32(0),
            self._counters,
            np.uint64((self.scores.data.ptr - 4 * 2 * self.first_pair) % (1 << 64)),
            np.int64(self.stride),
            self.redo,
            NULL,
            card.cancel_flag,
            self._several,
        )
        grid = (BLOCKS * (len(self.plan.indices) // 2),)
        self.began.record(slot.stream)
        with slot.stream:
            card.variant(variant)(grid, (variant.tile.threads,), arguments, shared_mem=variant.shared_bytes)
        self.ended.record(slot.stream)

    def download_redo_counts(self, target: NDArray[np.int32]) -> None:
        """Say that no subject overflowed."""
        target[:] = 0


ALIKE: Final = 0.93  # two queries are scored at once if the shorter has at least this share of the longer

# Where a scan takes a millisecond, a fifth of it is the beginning and the end of its blocks of threads: profiles are
# built, lanes have nothing yet, or nothing more. A quarter of the blocks, each of which does four times as much, lose a
# quarter of that.
BESIDE: Final = 4
SMALL_BLOCKS: Final = 8 << 20  # of four columns of two subjects: 64 million residues

TakeChunk = Callable[[], ChunkPlan | None]


class Room(Protocol):
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


@dataclass(frozen=True, slots=True)
class Part:
    """Subjects [start, stop) in storage order, and the pairs that hold them."""

    start: int
    stop: int

    @property
    def first_pair(self) -> int:
        """First pair."""
        return self.start // 2

    @property
    def last_pair(self) -> int:
        """End of the pairs."""
        return (self.stop + 1) // 2


class Flight:
    """A scan under way, and where its scores arrive."""

    def __init__(self, scan: Scan, part: Part) -> None:
        self.scan = scan
        self.part = part
        slot, count = scan.slot, len(scan.plan.indices)
        self._scores = slot.host("scores", count * scan.stride, np.int32)
        self._counts = slot.host("redo counts", count, np.int32)
        scan.launch()
        slot.card.download(self._scores, scan.scores, slot.stream)
        scan.download_redo_counts(self._counts)
        self.done = slot.card.cupy.cuda.Event(disable_timing=True)
        self.done.record(slot.stream)

    def finish(self) -> NDArray[np.int32]:
        """Return the exact scores, shape (queries, subjects of the part); the scan must be done."""
        scan = self.scan
        if self._counts.any():
            scan.redo_in_32_bits(self._counts)
            scan.slot.card.download(self._scores, scan.scores, scan.slot.stream)
            scan.slot.stream.synchronize()
        first = self.part.start - 2 * scan.first_pair
        rows = self._scores.reshape(len(scan.plan.indices), scan.stride)
        return rows[:, first : first + self.part.stop - self.part.start].copy()


def plan_all(
    room: Room, queries: Sequence[EncodedQuery], scheme: ScoringScheme, layout: DatabaseLayout
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
        if alike and room.pair_queries:
            pair = room.plan((longer, order[0]), queries, scheme, against)
            if pair.arithmetic.pairing is Pairing.QUERIES:
                order.popleft()
                plans.append(pair)
                continue
        plans.append(room.plan((longer,), queries, scheme, against))
    return share_launches(plans, layout)


def scans_beside(plans: Sequence[QueryPlan]) -> int:
    """Return how many scans of a small database share a GPU: fewer where one of them would be the last by far."""
    lengths = [plan.length for plan in plans]
    return max(1, min(BESIDE, sum(lengths) // (2 * max(lengths))))


class Batch:
    """All queries of a search against the chunks one GPU takes.

    Parameters
    ----------
    take : callable
        Gives the next chunk, or None.
    queries : sequence of EncodedQuery
        Empty ones are left out.
    """

    def __init__(
        self,
        room: Room,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
    ) -> None:
        self._room = room
        self._take = take
        self._queries = queries
        self._database = database
        layout = room.device_database(database).layout
        self._plans = plan_all(room, queries, scheme, layout)
        self._kernels = Ahead(room.card, self._plans)
        self._kernels.load_kept()
        self._jobs: deque[tuple[Part, QueryPlan]] = deque()
        self._free = deque(room.slots())
        self._flights: deque[Flight] = deque()
        self._letters: ResidueStream | None = None
        self._previous_end: Any = None

    def step(self, cancel: threading.Event) -> list[ChunkScores]:
        """Start what can be started, wait for the oldest scan and return its scores; nothing at the end."""
        while self._free and (self._jobs or self._take_more()):
            if cancel.is_set() or not self._start(cancel):
                break
        if not self._flights:
            return []
        if not self._room.card.wait(self._flights[0].done, cancel, self._flights[0].scan.seconds_at_most):
            self._flights.clear()
            return []
        flight = self._flights.popleft()
        results = self._collect(flight)
        self._free.append(flight.scan.slot)
        return results

    def abandon(self) -> None:
        """Stop what is under way; its scores are lost."""
        self._kernels.stop()
        if self._flights:
            self._room.card.stop()
            self._flights.clear()

    def _take_more(self) -> bool:
        chunk = self._take() if self._plans else None
        if chunk is None:
            return False
        self._jobs.extend((Part(chunk.start, chunk.stop), plan) for plan in self._plans)
        return True

    def _start(self, cancel: threading.Event) -> bool:
        """Launch the next scan; False if memory is short until another has ended, or if `cancel` was set meanwhile."""
        try:
            device = self._room.device_database(self._database)
            part, plan = self._cut(device)
            if not self._kernels.load(plan, cancel):
                return False
            if self._letters is None or not self._letters.holds(part.first_pair, part.last_pair):
                self._letters = None
                self._letters = device.stream(part.first_pair, part.last_pair)
            kind = SeveralScan if plan.several else Scan
            among = scans_beside(self._plans) if device.part_blocks < SMALL_BLOCKS else 1
            blocks = self._room.card.multiprocessors // among
            scan = kind(self._free[0], plan, device, self._letters, part.first_pair, part.last_pair, blocks)
            self._flights.append(Flight(scan, part))
        except OutOfDeviceMemory as error:
            self._letters = None
            if self._flights:
                return False
            self._room.shrink(error)
            self._free = deque(self._room.slots())
            return True
        self._jobs.popleft()
        self._free.popleft()
        return True

    def _cut(self, device: DeviceDatabase) -> tuple[Part, QueryPlan]:
        """Make the next job small enough for the device; returns it and leaves it in the queue."""
        part, _ = self._jobs[0]
        if device.layout.blocks(part.first_pair, part.last_pair) > device.part_blocks:
            whole = [job for job in self._jobs if job[0] == part]
            rest = [job for job in self._jobs if job[0] != part]
            windows = device.layout.windows(part.first_pair, part.last_pair, device.part_blocks)
            parts = [Part(max(part.start, 2 * a), min(part.stop, 2 * b)) for a, b in windows]
            # Part by part, so that each is on the device once for all queries.
            self._jobs = deque([(piece, job[1]) for piece in parts for job in whole] + rest)
        return self._jobs[0]

    def _collect(self, flight: Flight) -> list[ChunkScores]:
        scan, part = flight.scan, flight.part
        scores = flight.finish()
        offsets = self._database.offsets
        residues = int(offsets[part.stop] - offsets[part.start])
        seconds = scan.milliseconds_since(self._previous_end) / 1000
        self._previous_end = scan.ended
        share = sum(len(self._queries[index]) for index in scan.plan.indices)
        return [
            ChunkScores(
                query_index=index,
                db_index=np.asarray(self._database.order[part.start : part.stop], dtype=np.int64),
                scores=scores[row],
                cells=len(self._queries[index]) * residues,
                rescored=scan.rescored[row],
                device=self._room.card.label,
                seconds=seconds * len(self._queries[index]) / share,
            )
            for row, index in enumerate(scan.plan.indices)
        ]
