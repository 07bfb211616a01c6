"""One GPU at work: its memory, its databases, and the searches that run on it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, ParamSpec, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase
from swgui.core.errors import EngineFault, OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores, TopHits
from swgui.core.packing import ChunkLimits
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.ahead import Ahead
from swgui.engines.cuda.arithmetic import Gaps, Pairing
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.scans import Scan, ScanBatch, ScanOwner, Slot, TakeChunk
from swgui.engines.cuda.streaming.buffers import DeviceDatabase, ResidueStream
from swgui.engines.cuda.streaming.kept import KeptResidues
from swgui.engines.cuda.streaming.launch import NULL, QueryPlan, StreamingScan, pairs_of, plan_queries
from swgui.engines.cuda.streaming.layout import COLUMNS, DatabaseLayout

BINS: Final = 8192  # scores from 8191 on are not told apart until they are on the host
THREADS: Final = 256  # of a block that ranks
CAPACITY: Final = 1 << 16  # subjects that a ranking may find
_DEFINES: Final = (f"-DRANK_BINS={BINS}",)


def launch_ranking(slot: Slot, scores: Any, subjects: int, wanted: int) -> None:
    """Enqueue the search for the subjects that reach the score of the `wanted`-th best one.

    Parameters
    ----------
    scores : device array, dtype=int32
        At least `subjects` scores, storage order.
    """
    gpu, stream = slot.gpu, slot.stream
    histogram = slot.device("histogram", BINS, np.int32)
    state = slot.device("rank state", 2, np.int32)
    best = slot.device("rank best", 2 * CAPACITY, np.int32)
    gpu.clear(histogram, stream)
    gpu.clear(state, stream)
    count = gpu.kernel("ranking.cu", "count_scores", _DEFINES, 4 * BINS)
    find = gpu.kernel("ranking.cu", "find_threshold", _DEFINES, 4 * THREADS)
    collect = gpu.kernel("ranking.cu", "collect_scores", _DEFINES)
    grid = max(1, min(2 * gpu.multiprocessors, -(-subjects // THREADS)))
    with stream:
        count((grid,), (THREADS,), (scores, np.int32(subjects), histogram), shared_mem=4 * BINS)
        find((1,), (THREADS,), (histogram, np.int32(min(wanted, subjects)), state), shared_mem=4 * THREADS)
        collect((grid,), (THREADS,), (scores, np.int32(subjects), np.int32(CAPACITY), state, best))


def fetch_best(slot: Slot, head: int = 256) -> tuple[NDArray[np.int64], NDArray[np.int32]] | None:
    """Return storage positions and scores of the subjects found, in no order; waits for them.

    Parameters
    ----------
    head : int
        Entries fetched together with their number; more take a second transfer.

    Returns
    -------
    tuple of ndarrays, or None
        None if so many subjects share the last score that they were not all kept.
    """
    gpu, stream = slot.gpu, slot.stream
    state = slot.host("rank state", 2, np.int32)
    best = slot.host("rank best", 2 * CAPACITY, np.int32)
    gpu.download(state, slot.device("rank state", 2, np.int32), stream)
    gpu.download(best[: 2 * head], slot.device("rank best", 2 * CAPACITY, np.int32), stream)
    stream.synchronize()
    count = int(state[1])
    if count > CAPACITY:
        return None
    if count > head:
        gpu.download(best[: 2 * count], slot.device("rank best", 2 * CAPACITY, np.int32), stream)
        stream.synchronize()
    pairs = best[: 2 * count].reshape(-1, 2)
    return pairs[:, 0].astype(np.int64), pairs[:, 1].copy()


def best_hits(slot: Slot, scores: Any, subjects: int, limit: int, order: NDArray[np.int64]) -> TopHits:
    """Return the subjects that `launch_ranking` found, ranked; all are ranked here if too many share the last score.

    Parameters
    ----------
    scores : device array, dtype=int32
        At least `subjects` scores, storage order.
    order : ndarray, shape=(N,), dtype=int64
        Source index of each storage position.
    """
    best = fetch_best(slot)
    if best is None:
        best = np.arange(subjects, dtype=np.int64), scores[:subjects].get(slot.stream)
    hits = TopHits(limit)
    hits.update(best[1], order[best[0]])
    return hits


BLOCKS: Final = 16  # of threads for each pair: eight pairs fill a large GPU
PAIRS: Final = 32  # of queries in a launch, at most
CELLS_OF_A_PAIR: Final = 4_000_000_000  # half a millisecond of a large GPU; what takes longer has a launch of its own,
CELLS_OF_MANY: Final = 30_000_000_000  # or four milliseconds, where thousands of queries follow each other
SCORES: Final = 8_000_000  # that come back from a launch, at most


def share_launches(
    plans: Sequence[QueryPlan], layout: DatabaseLayout, most_cells: int = CELLS_OF_A_PAIR
) -> list[QueryPlan]:
    """Put pairs of short queries that have one kernel together, in their order.

    Parameters
    ----------
    most_cells : int
        Of a pair that is short.
    """
    shared: list[QueryPlan] = []
    for (short, *_), some in groupby(
        plans, lambda plan: (_is_short(plan, layout, most_cells), plan.arithmetic, plan.tile)
    ):
        alike = list(some)
        most = max(min(PAIRS, SCORES // max(4 * layout.pairs, 1)), 1) if short else 1
        shared += [_joined(alike[start : start + most]) for start in range(0, len(alike), most)]
    return shared


def spread_launches(plans: Sequence[QueryPlan]) -> list[QueryPlan]:
    """Return plans in their order, but those of several pairs evenly between the others.

    Each of them gives the host the scores of many queries at once: at the end, the GPU would wait for the host.
    """
    alone = [plan for plan in plans if not plan.several]
    several = [plan for plan in plans if plan.several]
    placed = [(number / len(alone), plan) for number, plan in enumerate(alone)]
    placed += [((number + 0.5) / (len(several) + 1), plan) for number, plan in enumerate(several)]
    return [plan for _, plan in sorted(placed, key=itemgetter(0))]


def _is_short(plan: QueryPlan, layout: DatabaseLayout, most_cells: int) -> bool:
    """Tell whether a plan may share a launch: two queries in one pass, of which no subject can overflow."""
    arithmetic = plan.arithmetic
    plain = arithmetic.pairing is Pairing.QUERIES and arithmetic.positions is Gaps.SCHEME
    cells = 4 * COLUMNS * layout.blocks(0, layout.pairs) * plan.length if layout.pairs else 0
    fits = plan.length <= plan.tile.height and cells <= most_cells
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
        return super().seconds_at_most * len(self.indices)

    def launch(self) -> None:
        slot, gpu, database = self.slot, self.slot.gpu, self.database
        slot.stream.wait_event(self.letters.ready)
        profiles = slot.send("several profiles", np.concatenate([table.ravel() for table in self.tables]))
        table = slot.send("several", np.array([*kernel_table(self.tables)], dtype=np.int32))
        gpu.clear(self._counters, slot.stream)
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
            gpu.cancel_flag,
            table,
        )
        grid = (BLOCKS * (len(self.indices) // 2),)
        self.began.record(slot.stream)
        with slot.stream:
            gpu.variant(variant)(grid, (variant.tile.threads,), arguments, shared_mem=variant.shared_bytes)
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


class Owner(ScanOwner, Protocol):
    """What a batch of the program's own kernel needs of the GPU it runs on."""

    pair_queries: bool
    cells_of_a_pair: int  # of pairs of queries that share a launch, at most

    def device_database(self, database: ArrayDatabase) -> DeviceDatabase:
        """Return the database as it lies on the device."""

    def slots(self) -> list[Slot]:
        """Return the buffers for scans."""

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

    The longest come first, short ones in between.
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
    return spread_launches(share_launches(plans, layout, owner.cells_of_a_pair))


def scans_beside(plans: Sequence[QueryPlan]) -> int:
    """Return how many scans of a small database share a GPU: fewer where one of them would be the last by far."""
    lengths = [plan.length for plan in plans]
    return max(1, min(BESIDE, sum(lengths) // (2 * max(lengths))))


class Batch(ScanBatch[Owner, QueryPlan, ResidueStream]):
    """All queries of a search against the chunks one GPU takes, by the program's own kernel; none for empty ones."""

    def __init__(
        self,
        owner: Owner,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        scheme: ScoringScheme,
    ) -> None:
        plans = plan_all(owner, queries, scheme, owner.device_database(database).layout)
        self._kernels = Ahead(owner.gpu, plans)
        self._kernels.load_kept()
        super().__init__(owner, take, queries, database, plans)

    @cached_property
    def _beside(self) -> int:
        return scans_beside(self._plans)

    def abandon(self) -> None:
        self._kernels.stop()
        super().abandon()

    def _slots(self) -> list[Slot]:
        return self._owner.slots()

    def _ready(self, plan: QueryPlan, cancel: threading.Event) -> bool:
        return self._kernels.load(plan, cancel)

    def _parts(self, start: int, stop: int) -> list[tuple[int, int]]:
        device = self._owner.device_database(self._database)
        windows = device.layout.windows(*pairs_of(start, stop), device.part_blocks)
        return [(max(start, 2 * first), min(stop, 2 * last)) for first, last in windows]

    def _scan(self, slot: Slot, start: int, stop: int, plan: QueryPlan) -> Scan:
        device = self._owner.device_database(self._database)
        residues = self._brought(device.stream, *pairs_of(start, stop))
        kind = SharedScan if plan.several else StreamingScan
        among = self._beside if device.part_blocks < SMALL_BLOCKS else 1
        return kind(slot, plan, device, residues, start, stop, self._gpu.multiprocessors // among)


# Scans under way at once: few on a large database, where each fills the GPU; more on a small one, where most of
# the GPU waits for the longest subject of each.
SLOTS: Final = 3
SLOTS_SMALL: Final = 12
MEMORY_SHARE: Final = 0.7  # of the free memory that residues may take, if the user sets no limit
SMALLEST_MEMORY: Final = 1 << 20
CELLS_PER_CHUNK: Final = 300_000_000_000  # about 50 ms on a large GPU
SMALLEST_CHUNK: Final = 4_000_000  # residues; below this a GPU is not filled
CELLS_WORTH: Final = 26_000_000_000  # about 4 ms: below this the host's work on a chunk, 0.3 ms, begins to show
CELLS_ALONE: Final = 2 * CELLS_WORTH  # where no other GPU is to end at the same time
CHUNKS_PER_DEVICE: Final = 6  # so that several GPUs end together, and little is left to rank at the end

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def streaming_limits(length: int, residues: int, devices: int) -> ChunkLimits:
    """Return how to cut a database: into some chunks for every device, each long enough to be worth its overhead.

    Parameters
    ----------
    length : int
        Mean residues of the queries.
    """
    shared = residues // (CHUNKS_PER_DEVICE * devices)
    worth = CELLS_ALONE if devices == 1 else CELLS_WORTH
    most = min(max(shared, worth // length), CELLS_PER_CHUNK // length)
    return ChunkLimits(residues=max(most, SMALLEST_CHUNK))


def scans_at_once(blocks: int) -> int:
    """Return how many scans of a database, or a part of it, are under way at once.

    Parameters
    ----------
    blocks : int
        Of four columns of two subjects.
    """
    return SLOTS_SMALL if blocks < SMALL_BLOCKS else SLOTS


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
        Bytes that a database may take on the device; 0 for most of what is free.
    host_memory : int
        Bytes of page-locked memory of the host for a database that does not fit the device.
    pair_queries : bool
        Whether queries of similar length are scored two at a time.
    """

    cells_of_a_pair = CELLS_OF_A_PAIR

    def __init__(self, gpu: Gpu, memory: int, host_memory: int = 0, *, pair_queries: bool) -> None:
        self.gpu = gpu
        self.memory = memory
        self.host_memory = host_memory
        self.pair_queries = pair_queries
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
            with suppress(EngineFault):  # a lost device can do no more than fail again
                self._on_gpu(batch.abandon)

    def compile_ahead(
        self, batches: Iterable[Sequence[EncodedQuery]], database: ArrayDatabase, scheme: ScoringScheme
    ) -> Ahead | None:
        """Have threads compile what is not compiled; returns what stops them, None if nothing is compiled ahead.

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
        return self.some_slots(scans_at_once(held.part_blocks) if isinstance(held, DeviceDatabase) else SLOTS)

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
        """Call a function with the GPU as the current device, and explain what CUDA complains of."""
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
        letters = device.stream(0, device.layout.pairs)
        return StreamingScan(self.slots()[0], plan, device, letters, 0, device.layout.subjects)
