"""Search by a published method on one GPU; the engine's own kernel scores the rest.

The module of these methods (`swgui.engines.cuda.methods.MethodModule`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.database import ArrayDatabase
from swgui.core.errors import OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores
from swgui.core.methods.search import DEFAULT_METHOD
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import KernelUse
from swgui.engines.cuda.arithmetic import Costs
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.intra import CELL_BYTES, UNIT_ROWS, WARP
from swgui.engines.cuda.kernel_use import MILLION, ask_driver, in_order, streaming_uses, transfer_settings, use_of
from swgui.engines.cuda.methods import UseTask
from swgui.engines.cuda.scans import Scan, ScanBatch, Slot, TakeChunk
from swgui.engines.cuda.streaming.search import StreamingSearch
from swgui.papers.search.config import LaunchConfig, configure, published_limits
from swgui.papers.search.layout import GroupLayout, arrange_profile
from swgui.papers.search.methods import GpuLimits, MethodVariant, long_variant, published_method

# Databases on a device as the published methods want them: 32 subjects interleaved.

ROW_BYTES: Final = 4 * WARP
PIECE_ROWS: Final = (32 << 20) // ROW_BYTES  # per transfer
STREAMED_PARTS: Final = 4  # some under way and one arriving
KERNEL: Final = ("papers/interleave.cu", "interleave")
BORDER_LIMIT: Final = 4 << 30  # bytes of one launch
BLOCK_SHARE: Final = 8  # an eighth of the blocks must find room for their border at least
SPEED: Final = 1e9  # cells per second that one multiprocessor reaches at least
ALONE: Final = 2.5e-7  # seconds per cell of a subject that one thread scores, at most
NULL: Final = np.uint64(0)
FELL_BACK: Final = "The program's own kernel (streaming) is used instead."
__all__ = ["PublishedSearch", "kernel_uses", "make_search"]


@dataclass(frozen=True, eq=False)
class GroupResidues:
    """The residues of a range of groups on a device."""

    first_group: int
    last_group: int  # the one behind the last
    words: Any = field(repr=False)  # on the device, uint32, shape (32 x rows,): four residues of a subject each
    ready: Any = field(repr=False)  # CUDA event: the words are in place

    def holds(self, first_group: int, last_group: int) -> bool:
        return self.first_group <= first_group and last_group <= self.last_group


class GroupedDatabase:
    """One database on one GPU: held there as a whole if `memory` bytes suffice, else brought part by part."""

    def __init__(self, gpu: Gpu, database: ArrayDatabase, memory: int) -> None:
        self.gpu, self._database = gpu, database
        self.layout = GroupLayout.of(np.asarray(database.offsets))
        self.codes = database.codes
        self.letters = len(database.alphabet)
        self.group_start = gpu.constant(self.layout.group_start)
        self.words_of = gpu.constant(np.append(self.layout.words_of, np.uint32(0)))
        total = self.layout.rows(0, self.layout.groups)
        self.resident = total * ROW_BYTES <= memory
        self.part_rows = total if self.resident else max(memory // (STREAMED_PARTS * ROW_BYTES), 1)
        self._whole: GroupResidues | None = None

    @property
    def device_bytes(self) -> int:
        """Memory that residues take, or take at most, on the device."""
        return (1 if self.resident else STREAMED_PARTS) * self.part_rows * ROW_BYTES

    def is_of(self, database: ArrayDatabase) -> bool:
        return self._database.same_content(database)

    def bring(self, first_group: int, last_group: int) -> GroupResidues:
        """Bring a range of groups onto the device; a resident database is brought as a whole the first time."""
        if not self.resident:
            return self._bring(first_group, last_group)
        if self._whole is None:
            self._whole = self._bring(0, self.layout.groups)
        return self._whole

    def _bring(self, first_group: int, last_group: int) -> GroupResidues:
        gpu, layout = self.gpu, self.layout
        words = gpu.empty(max(WARP * layout.rows(first_group, last_group), 1), np.uint32)
        interleave = gpu.kernel(*KERNEL, (f"-DSW_LETTERS={self.letters}",))
        stages: list[_Stage] = []
        with gpu.copy_stream as stream:
            for number, (first, last) in enumerate(layout.group_windows(first_group, last_group, PIECE_ROWS)):
                begin, end = WARP * first, min(WARP * last, layout.subjects)
                offsets = layout.offsets[begin : end + 1]
                codes = self.codes[int(offsets[0]) : int(offsets[-1])]
                if len(stages) < 2:
                    stages.append(_Stage(gpu))
                stage = stages[number % 2]
                stage.fill(codes, offsets, stream)
                threads = WARP * layout.rows(first, last)
                if threads:
                    arguments = (
                        stage.codes,
                        stage.offsets,
                        self.group_start,
                        np.int32(first_group),
                        np.int32(begin),
                        np.int32(end),
                        words,
                    )
                    interleave((-(-threads // 256),), (256,), arguments)
                stage.done.record(stream)
            ready = gpu.cupy.cuda.Event(disable_timing=True)
            ready.record(stream)
            for stage in stages:
                stage.done.synchronize()  # their buffers are about to be given back
        return GroupResidues(first_group, last_group, words, ready)


class _Stage:
    """Buffers through which one piece of a database goes to the device."""

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu
        self.host: tuple[NDArray[np.uint8], NDArray[np.int64]] | None = None
        self.codes: Any = None
        self.offsets: Any = None
        self.done = gpu.cupy.cuda.Event(disable_timing=True)

    def fill(self, codes: NDArray[np.uint8], offsets: NDArray[np.int64], stream: Any) -> None:
        gpu = self.gpu
        if self.host is not None:
            self.done.synchronize()  # in use until the piece before is laid out
        if self.host is None or len(self.host[0]) < len(codes) or len(self.host[1]) < len(offsets):
            self.host = gpu.host_array(max(len(codes), 1), np.uint8), gpu.host_array(len(offsets), np.int64)
            self.codes = gpu.empty(max(len(codes), 1), np.uint8)
            self.offsets = gpu.empty(len(offsets), np.int64)
        host_codes, host_offsets = self.host
        np.copyto(host_codes[: len(codes)], codes)
        np.copyto(host_offsets[: len(offsets)], offsets)
        gpu.upload(self.codes, host_codes[: len(codes)], stream)
        gpu.upload(self.offsets, host_offsets[: len(offsets)], stream)


@dataclass(frozen=True, slots=True, eq=False)
class MethodPlan:
    """Plan that scores one query."""

    index: int  # position in the list of queries
    config: LaunchConfig
    limits: GpuLimits
    profile: NDArray[np.int16] = field(repr=False)  # shape (m, letters)
    highest: int  # highest score of one pair of residues

    @property
    def length(self) -> int:
        return len(self.profile)


def limits_of(gpu: Gpu) -> GpuLimits:
    """Return the limits that choices depend on."""
    properties = gpu.cupy.cuda.runtime.getDeviceProperties(int(gpu.info.id))
    return GpuLimits(gpu.multiprocessors, gpu.shared_limit, int(properties["maxThreadsPerMultiProcessor"]), gpu.dpx)


def plan_query(
    index: int,
    query: EncodedQuery,
    scheme: ScoringScheme,
    method: str,
    settings: Mapping[str, str],
    limits: GpuLimits,
) -> MethodPlan:
    """Choose how a query will be scored; look at ``config.fallback`` before using it."""
    profile = np.asarray(query.scores(scheme), dtype=np.int16)
    lowest, highest = int(profile.min(initial=0)), int(profile.max(initial=0))
    costs = Costs(len(scheme.alphabet), scheme.gap_first, scheme.gap_extend, lowest, highest)
    config = configure(method, settings, len(query), costs, limits)
    if query.gaps is not None:
        config = replace(config, fallback=config.fallback or "It knows no gap costs by position.")
    if isinstance(scheme.alphabet, TwoTracks):
        config = replace(config, fallback=config.fallback or "It cannot score letters of a second track.")
    return MethodPlan(index, config, limits, profile, highest)


@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of storage positions, by the kernel that scores them."""

    # begin, end: where scores are kept; `begin` is the first subject of a group
    begin: int
    end: int
    # first, cut: subjects with a block of threads each
    first: int
    cut: int

    @classmethod
    def of(cls, layout: GroupLayout, start: int, stop: int, method: str, threshold: int) -> Ranges:
        """Split the subjects [start, stop)."""
        begin = start // WARP * WARP
        if published_method(method).whole_blocks:
            return cls(begin, stop, start, stop)
        long = layout.longer_than(threshold)
        # The others begin with a whole group.
        cut = min(-(-long // WARP) * WARP, stop) if long > start else begin
        return cls(begin, stop, start, max(cut, begin))

    @property
    def long(self) -> int:
        """Subjects with a block of threads each."""
        return max(0, self.cut - self.first)

    @property
    def others(self) -> int:
        """First of the other subjects."""
        return self.cut

    def part(self, name: str) -> tuple[int, int]:
        """Return first and last position of the ``long`` subjects, or of the method's ``own``."""
        return (self.first, self.cut) if name == "long" else (self.others, self.end)


def border_room(gpu: Gpu) -> int:
    """Return the bytes that the border of one launch may take."""
    return min(BORDER_LIMIT, max(gpu.free_memory() // 8, 1 << 20))


def threshold_of(config: LaunchConfig, layout: GroupLayout, start: int, stop: int, border_limit: int) -> int:
    """Return the length above which subjects of a scan get a block of threads each."""
    residues = int(layout.offsets[stop] - layout.offsets[start]) * config.streams
    threshold = config.threshold_for(min(residues, int(layout.offsets[-1])))
    border = CELL_BYTES * config.variant.border_words(1)
    if not border or published_method(config.method).whole_blocks:
        return threshold
    columns = border_limit // (border * max(1, config.grid // BLOCK_SHARE))
    return min(threshold, max(UNIT_ROWS, columns))


def kernels_of(plan: MethodPlan, ranges: Ranges) -> list[tuple[str, MethodVariant, int]]:
    """Return the kernel that scores the subjects first: ``long`` or ``own``, variant, and blocks of the launch."""
    config, limits = plan.config, plan.limits
    whole_blocks = published_method(config.method).whole_blocks
    kernels = []
    if ranges.long and whole_blocks:
        kernels.append(("long", config.variant, config.grid))
    elif ranges.long:
        subjects = -(-ranges.long // config.variant.arithmetic.subjects)
        long = long_variant(plan.length, config.variant.arithmetic, limits, subjects)
        kernels.append(("long", long, long.min_blocks * limits.multiprocessors))
    if ranges.others < ranges.end and not whole_blocks:
        kernels.append(("own", config.variant, config.grid))
    return kernels


class MethodScan(Scan):
    """One query against a range of subjects, from launch to exact scores."""

    def __init__(
        self,
        slot: Slot,
        plan: MethodPlan,
        database: GroupedDatabase,
        letters: GroupResidues,
        start: int,
        stop: int,
    ) -> None:
        super().__init__(slot, (plan.index,), start, stop)
        self.plan = plan
        self.database = database
        self.letters = letters
        layout, config = database.layout, plan.config
        self._border_limit = border_room(slot.gpu)
        threshold = threshold_of(config, layout, start, stop, self._border_limit)
        self.ranges = Ranges.of(layout, start, stop, config.method, threshold)
        self.scores = slot.device("scores", self.stride, np.int32)
        self.redo = slot.device("redo", self.stride + 1, np.int32)
        longest = layout.columns(start)
        self.may_overflow = (
            config.variant.arithmetic.subjects == 2
            and min(plan.length, longest) * plan.highest >= config.variant.arithmetic.limit
        )
        self._launches = list(self._plan_launches())
        for name, variant, *_ in self._launches:
            slot.send(f"profile {name}", arrange_profile(plan.profile, variant))

    @property
    def first(self) -> int:
        """First subject of the first group."""
        return self.ranges.begin

    @property
    def stride(self) -> int:
        """Subjects from there on."""
        return self.stop - self.ranges.begin

    def launch(self) -> None:
        slot, gpu = self.slot, self.slot.gpu
        slot.stream.wait_event(self.letters.ready)
        gpu.clear(self.redo[:1], slot.stream)
        counters = slot.zeros(len(self._launches))
        self.began.record(slot.stream)
        for (name, variant, first, last, grid), counter in zip(self._launches, counters, strict=True):
            beside = name == "long" and len(self._launches) > 1
            stream = slot.side if beside else slot.stream
            if beside:
                slot.side.wait_event(self.began)
            if name == "exact" and self.ranges.long:
                self._join()
            self._run(name, variant, first, last, grid, counter, stream)
        self._join()
        self.ended.record(slot.stream)

    def download_counts(self) -> None:
        self.slot.gpu.download(self._count, self.redo, self.slot.stream)

    def redo_overflowed(self) -> bool:
        """Return False: the launch has already rescored the overflows."""
        self.rescored[0] = int(self._count[0]) if self.may_overflow else 0
        return False

    @property
    def _count(self) -> NDArray[np.int32]:
        return self.slot.host("redo counts", 1, np.int32)

    @property
    def seconds_at_most(self) -> float:
        layout, rows = self.database.layout, self.plan.config.variant.rows(self.plan.length)
        residues = int(layout.offsets[self.stop] - layout.offsets[self.start])
        longest = layout.columns(self.start)
        return rows * (residues / (SPEED * self.slot.gpu.multiprocessors) + longest * ALONE)

    def _plan_launches(self) -> list[tuple[str, MethodVariant, int, int, int]]:
        """Return name, variant, first and last position and blocks of each launch."""
        config, ranges, gpu = self.plan.config, self.ranges, self.slot.gpu
        launches = [(name, variant, *ranges.part(name), grid) for name, variant, grid in kernels_of(self.plan, ranges)]
        if self.may_overflow:
            launches.append(("exact", config.exact, ranges.begin, ranges.end, gpu.multiprocessors))
        return [
            (name, variant, first, last, self._blocks(variant, first, last, grid, name == "exact"))
            for name, variant, first, last, grid in launches
        ]

    def _blocks(self, variant: MethodVariant, first: int, last: int, grid: int, listed: bool) -> int:
        """Return the number of blocks that have work and room for their border."""
        subjects = variant.unit() * (variant.threads // WARP if variant.method.handed_to_warps else 1)
        blocks = min(grid, max(1, -(-(last - first) // (1 if listed else subjects))))
        border = CELL_BYTES * variant.border_words(self.database.layout.columns(first))
        if border and variant.rows(self.plan.length) > variant.method.strip(variant):
            blocks = max(1, min(blocks, self._border_limit // border))
        return blocks

    def _join(self) -> None:
        self.slot.stream.wait_event(self.slot.mark(self.slot.side))

    def _run(
        self, name: str, variant: MethodVariant, first: int, last: int, grid: int, counter: Any, stream: Any
    ) -> None:
        slot, gpu, layout = self.slot, self.slot.gpu, self.database.layout
        rows = variant.rows(self.plan.length)
        columns = layout.columns(first)
        border: Any = NULL
        if rows > variant.method.strip(variant) and variant.border_words(columns):
            border = slot.device(f"border {name}", 2 * grid * variant.border_words(columns), np.uint32)
        base = self.scores.data.ptr - 4 * self.ranges.begin
        shared_bytes = variant.shared_bytes(self.plan.length)
        allowed = variant.most_shared_bytes(self.plan.length, gpu.shared_limit)
        kernel = gpu.kernel(variant.file, variant.kernel, variant.defines(), allowed)
        arguments = (
            self.letters.words,
            self.database.group_start,
            self.database.words_of,
            np.int32(self.letters.first_group),
            np.int32(first),
            np.int32(last),
            self.redo if name == "exact" else NULL,
            slot.device(f"profile {name}", 0, np.int16),
            np.int32(rows // UNIT_ROWS),
            border,
            np.int32(columns),
            counter,
            np.uint64(base % (1 << 64)),
            self.redo,
            gpu.cancel_flag,
        )
        with stream:
            kernel((grid,), (variant.threads,), arguments, shared_mem=shared_bytes)


def kernel_uses(task: UseTask, method: str) -> Iterator[KernelUse]:
    """Return the resources of the kernels of one query: the method's own first, then the one for long subjects."""
    gpu, query = task.gpu, task.query
    plan = plan_query(0, query, task.scheme, method, task.chosen, limits_of(gpu))
    config = plan.config
    if config.fallback:
        chosen = {name: value for name, value in task.chosen.items() if name in ("chunk", "pinned", "streams")}
        yield from streaming_uses(replace(task, chosen=chosen), (config.fallback, FELL_BACK))
        return
    used, variants = _launched(task, plan)
    limits = published_limits(plan.length, task.residues, 1)
    settings = in_order({**config.settings, **used, **transfer_settings(task, limits, config.streams)}, method)
    for variant, grid in variants:
        shared_bytes = variant.shared_bytes(len(query))
        allowed = variant.most_shared_bytes(len(query), gpu.shared_limit)
        kernel = gpu.kernel(variant.file, variant.kernel, variant.defines(), allowed)
        compiled = ask_driver(gpu, kernel, variant.threads, shared_bytes)
        launch = (variant.kernel, variant.threads, grid)
        yield use_of(gpu, method, launch, compiled, shared_bytes, settings, config.remarks)


def _launched(task: UseTask, plan: MethodPlan) -> tuple[dict[str, str], list[tuple[MethodVariant, int]]]:
    """Return settings that the database decides, and the kernels with their blocks, the method's own first."""
    config, database, gpu = plan.config, task.database, task.gpu
    if database is None:
        variants = [(config.variant, config.grid)]
        if not published_method(config.method).whole_blocks:
            variants.append((config.long, config.long.min_blocks * gpu.multiprocessors))
        return {}, variants
    offsets = database.stored_offsets()
    layout = GroupLayout.of(np.asarray(offsets))
    chunk = int(task.chosen.get("chunk", 0)) * MILLION
    limits = ChunkLimits(residues=chunk) if chunk else published_limits(plan.length, task.residues, 1)
    stop = plan_chunks(offsets, limits)[0].stop
    threshold = threshold_of(config, layout, 0, stop, border_room(gpu))
    ranges = Ranges.of(layout, 0, stop, config.method, threshold)
    kernels = [(variant, grid) for _, variant, grid in reversed(kernels_of(plan, ranges))]
    decided = not config.threshold and not published_method(config.method).whole_blocks
    return ({"threshold": str(threshold)} if decided else {}), kernels


class PublishedSearch(StreamingSearch):
    """Scores chunks on one GPU by a published method."""

    def __init__(
        self,
        gpu: Gpu,
        memory: int,
        host_memory: int = 0,
        *,
        twin_queries: bool,
        method: str,
        settings: Mapping[str, str],
    ) -> None:
        super().__init__(gpu, memory, host_memory, twin_queries=twin_queries)
        self.method = method
        self.settings = dict(settings)
        self.limits = limits_of(gpu)

    @property
    def translates(self) -> bool:
        return False

    def chunk_limits(self, length: int, residues: int, devices: int) -> ChunkLimits:
        return published_limits(length, residues, devices)

    def compile_ahead(
        self, batches: Iterable[Sequence[EncodedQuery]], database: ArrayDatabase, scheme: ScoringScheme
    ) -> None:
        """Do nothing: the kernels are compiled when they are launched."""

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
        plans = [
            plan_query(i, query, scheme, self.method, self.settings, self.limits)
            for i, query in enumerate(queries)
            if len(query)
        ]
        able = [plan for plan in plans if not plan.config.fallback]
        others = [plan.index for plan in plans if plan.config.fallback]
        if not able:
            yield from super().run(take, queries, database, scheme, cancel)
            return
        taken: list[ChunkPlan] = []

        def take_and_note() -> ChunkPlan | None:
            chunk = take()
            if chunk is not None:
                taken.append(chunk)
            return chunk

        yield from self._steps(lambda: MethodBatch(self, take_and_note, queries, database, able), cancel)
        if others and not cancel.is_set():
            left = iter(taken)
            chosen = [queries[index] for index in others]
            for chunk in super().run(lambda: next(left, None), chosen, database, scheme, cancel):
                yield replace(chunk, query_index=others[chunk.query_index])

    def grouped_database(self, database: ArrayDatabase) -> GroupedDatabase:
        """Return the database as the methods want it; another one held before is dropped."""
        return self.held(GroupedDatabase, database)

    def shrink(self, error: OutOfDeviceMemory) -> None:
        # 32 subjects of very unequal length take as much as 32 of the longest.
        error.hint = f"The method '{self.method}' needs more than the program's own: choose {DEFAULT_METHOD}."
        super().shrink(error)

    def _scan_of_all(self, query: EncodedQuery, database: ArrayDatabase, scheme: ScoringScheme) -> Scan | None:
        plan = plan_query(0, query, scheme, self.method, self.settings, self.limits)
        if plan.config.fallback:
            return super()._scan_of_all(query, database, scheme)
        device = self.grouped_database(database)
        if not device.resident:
            return None
        residues = device.bring(0, device.layout.groups)
        return MethodScan(self.some_slots(1)[0], plan, device, residues, 0, device.layout.subjects)


class MethodBatch(ScanBatch[PublishedSearch, MethodPlan, GroupResidues]):
    """Queries that a method can score, against the chunks one GPU takes."""

    def _slots(self) -> list[Slot]:
        return self._owner.some_slots(self.plans[0].config.streams)

    def _parts(self, start: int, stop: int) -> list[tuple[int, int]]:
        device, (first, last) = self._owner.grouped_database(self._database), groups_of(start, stop)
        windows = device.layout.group_windows(first, last, device.part_rows)
        return [(max(start, WARP * begin), min(stop, WARP * end)) for begin, end in windows]

    def _scan(self, slot: Slot, start: int, stop: int, plan: MethodPlan) -> Scan:
        device = self._owner.grouped_database(self._database)
        return MethodScan(slot, plan, device, self._brought(device.bring, *groups_of(start, stop)), start, stop)


def groups_of(start: int, stop: int) -> tuple[int, int]:
    """Return the half-open range of the groups of 32 that hold the subjects [start, stop) in storage order."""
    return start // WARP, -(-stop // WARP)


make_search = PublishedSearch
