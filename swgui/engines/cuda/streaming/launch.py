"""Launching the streaming kernel: passes over a query, windows of a database, subjects rescored in 32 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, TwoTrackMatrix
from swgui.engines.cuda import intra
from swgui.engines.cuda.arithmetic import Arithmetic, Costs, Twins, plan_arithmetic
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.scans import Scan, Slot
from swgui.engines.cuda.streaming.alone import LongTwins, plan_long
from swgui.engines.cuda.streaming.buffers import DeviceDatabase, ResidueStream
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.tuning import TUNING
from swgui.engines.cuda.streaming.variants import KernelVariant, Load, Tile, passes, select_tile

BORDER_BYTES: Final = 32  # G and F of four columns
BORDER_LIMIT: Final = 4 << 30  # bytes of a border above which the database is searched window by window
NULL: Final = np.uint64(0)


@dataclass(frozen=True, slots=True, eq=False)
class QueryPlan:
    """Plan that scores one query, or two at once."""

    indices: tuple[int, ...]  # positions in the list of queries
    arithmetic: Arithmetic  # in 16 bits if the scheme allows
    tile: Tile
    # wide, wide_tile: the same in 32 bits, for subjects that overflow
    wide: Arithmetic
    wide_tile: Tile
    queries: tuple[EncodedQuery, ...] = field(repr=False)
    scheme: ScoringScheme = field(repr=False)
    # Gap costs by position, for all queries or none, shape (4, m).
    gaps: tuple[NDArray[np.int16], ...] = field(default=(), repr=False)
    long: LongTwins | None = None  # twins that are not scored by groups of threads; they come first in the database
    several: bool = False  # whether these are several twins of queries that share a launch (`twins.py`)

    @property
    def variants(self) -> list[tuple[int, KernelVariant]]:
        """First row and kernel of each pass, without those of subjects that overflow."""
        found = passes(self.tile, self.arithmetic, self.length)
        return [(row, replace(one, several=True) if self.several else one) for row, one in found]

    @property
    def perfect(self) -> int:
        """Score of the best possible match of a whole query."""
        return max(_perfect(query, self.scheme) for query in self.queries)

    @property
    def length(self) -> int:
        """Residues of the longer query."""
        return max(map(len, self.queries))

    @property
    def profiles(self) -> list[NDArray[np.int16]]:
        """Scores by symbol, shape (letters, m) each, made when asked for; of two tracks residues, then letters."""
        return [profile_of(query, self.scheme) for query in self.queries]


def twins_of(start: int, stop: int) -> tuple[int, int]:
    """Return the half-open range of the twins that hold the subjects [start, stop) in storage order."""
    return start // 2, (stop + 1) // 2


def load_of(layout: DatabaseLayout, multiprocessors: int) -> Load:
    """Return the load for the choice of a tile, of a database that is not empty."""
    return Load(layout.blocks(0, layout.twins), layout.blocks(0, 1), multiprocessors)


def plan_queries(
    indices: Sequence[int],
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    gpu: Gpu,
    layout: DatabaseLayout | None = None,
    tile: Tile | None = None,
) -> QueryPlan:
    """Choose arithmetic and tiles for one query, or for two that are to be scored at once.

    Parameters
    ----------
    indices : sequence of int
        One or two positions in `queries`.
    tile : Tile, optional
        Use this tile whatever the length.
    """
    chosen = tuple(queries[index] for index in indices)
    costs, length = Costs.for_queries(scheme, chosen), max(map(len, chosen))
    wide = plan_arithmetic(Twins.NONE, costs, dpx=gpu.dpx)
    load = load_of(layout, gpu.multiprocessors) if layout is not None and layout.twins else None
    wide_tile = select_tile(length, wide, gpu.shared_limit, load, gpu.tables)
    twins = Twins.SUBJECTS if len(indices) == 1 else Twins.QUERIES
    narrow = plan_arithmetic(twins, costs, dpx=gpu.dpx)
    long = None
    if narrow == wide:
        tile = wide_tile
    elif tile is None and load is not None and layout is not None and len(indices) == 1 and not costs.tracks:
        long, load = plan_long(profile_of(chosen[0], scheme), costs, narrow, gpu, layout)
    return QueryPlan(
        tuple(indices),
        narrow,
        tile or select_tile(length, narrow, gpu.shared_limit, load, gpu.tables),
        wide,
        wide_tile,
        chosen,
        scheme,
        tuple(np.stack(query.gaps.columns) for query in chosen if query.gaps is not None),
        long,
    )


def profile_of(query: EncodedQuery, scheme: ScoringScheme) -> NDArray[np.int16]:
    """Return the scores of a query by symbol, shape (letters, m); of two tracks residues, then letters."""
    if isinstance(scheme.matrix, TwoTrackMatrix):
        return np.ascontiguousarray(np.concatenate(scheme.matrix.profiles(query.codes), axis=1).T)
    return np.ascontiguousarray(query.scores(scheme).T)


def _perfect(query: EncodedQuery, scheme: ScoringScheme) -> int:
    """Return an upper bound of the score of a query: its best possible match, or slightly more."""
    if isinstance(scheme.matrix, TwoTrackMatrix):
        return int(profile_of(query, scheme).max(axis=0).sum())
    if query.profile is not None:
        return int(query.profile.max(axis=1).sum())
    return int(_best_scores(scheme.matrix)[query.codes].sum())


@lru_cache(maxsize=8)
def _best_scores(matrix: SubstitutionMatrix) -> NDArray[np.int64]:
    best: NDArray[np.int64] = matrix.scores.max(axis=1).astype(np.int64)
    return best


class StreamingScan(Scan):
    """One or two queries against a range of subjects.

    Parameters
    ----------
    letters : ResidueStream
        Holds the range.
    blocks : int
        Blocks of threads, one for each multiprocessor that it may keep busy; 0 for all.
    """

    def __init__(
        self,
        slot: Slot,
        plan: QueryPlan,
        database: DeviceDatabase,
        letters: ResidueStream,
        start: int,
        stop: int,
        blocks: int = 0,
    ) -> None:
        super().__init__(slot, plan.indices, start, stop)
        self.plan = plan
        self.database = database
        self.letters = letters
        self.first_twin, self.last_twin = twins_of(start, stop)
        self.blocks = blocks or slot.gpu.multiprocessors
        self._stream = slot.stream  # that passes are launched on
        has_long = plan.long is not None and self.first_twin == 0 and self.last_twin > plan.long.count
        self.long = plan.long if has_long else None
        self._allocate()

    @property
    def first(self) -> int:
        """First subject of the first twin."""
        return 2 * self.first_twin

    @property
    def stride(self) -> int:
        """Subjects of all twins."""
        return 2 * (self.last_twin - self.first_twin)

    def _allocate(self) -> None:
        slot, plan, count = self.slot, self.plan, len(self.indices)
        self.scores = slot.device("scores", count * self.stride, np.int32)
        self.redo = slot.device("redo", count * (self.stride + 1), np.int32)
        self.tables = plan.profiles
        self.profiles = [slot.device(f"profile {i}", table.size, np.int16) for i, table in enumerate(self.tables)]
        self.gaps = [slot.device(f"gaps {i}", gaps.size, np.int16) for i, gaps in enumerate(plan.gaps)]

    def launch(self) -> None:
        """Enqueue everything up to the 16-bit scores (32-bit ones if the scheme needs them)."""
        slot, gpu = self.slot, self.slot.gpu
        slot.stream.wait_event(self.letters.ready)
        for name, tables in (("profile", self.tables), ("gaps", self.plan.gaps)):
            for i, table in enumerate(tables):
                slot.send(f"{name} {i}", table)
        for i in range(len(self.indices)):
            gpu.clear(self._redo_list(i)[:1], slot.stream)
        if self.long is not None:
            slot.send("long profile", self.long.profile)
        self.began.record(slot.stream)
        if self.long is not None:
            self._launch_long(self.long)  # before the passes, which would take all multiprocessors
            slot.side.wait_event(self.began)
            self._stream = slot.side
        self._run(self.plan.arithmetic, self.plan.tile, None, 0)
        if self.long is not None:
            self._stream = slot.stream
            slot.stream.wait_event(slot.mark(slot.side))
        self.ended.record(slot.stream)

    def download_counts(self) -> None:
        counts = self._counts
        for i in range(len(counts)):
            self.slot.gpu.download(counts[i : i + 1], self._redo_list(i), self.slot.stream)

    def redo_overflowed(self) -> bool:
        """Score the subjects that overflowed again in 32 bits, on the device; waits for their list only."""
        counts = self._counts.tolist()
        for i, count in enumerate(counts):
            if not count:
                continue
            self.rescored[i] = count
            entries = self._redo_list(i)[1 : 1 + count].get(self.slot.stream)
            self._run(self.plan.wide, self.plan.wide_tile, np.sort(entries), i)
        return any(counts)

    @property
    def _counts(self) -> NDArray[np.int32]:
        return self.slot.host("redo counts", len(self.indices), np.int32)

    @property
    def seconds_at_most(self) -> float:
        layout = self.database.layout
        blocks = layout.blocks(self.first_twin, self.last_twin)
        longest = layout.blocks(self.first_twin, self.first_twin + 1)
        return 8 * self.plan.length * (blocks / (TUNING.speed * self.blocks) + longest * TUNING.alone_seconds)

    def _redo_list(self, i: int) -> Any:
        return self.redo[i * (self.stride + 1) : (i + 1) * (self.stride + 1)]

    def _run(self, arithmetic: Arithmetic, tile: Tile, redo: NDArray[np.int32] | None, query: int) -> None:
        halves = 1 if arithmetic.twins is Twins.SUBJECTS else 2
        layout = self.database.layout
        variants = passes(tile, arithmetic, self.plan.length)
        blocks = self.letters.blocks if len(variants) == 1 else self._window_blocks(halves)
        begin = self.long.count if self.long is not None and redo is None else self.first_twin
        for first_twin, last_twin in layout.windows(begin, self.last_twin, blocks):
            entries = None if redo is None else redo[(redo >= 2 * first_twin) & (redo < 2 * last_twin)]
            if entries is not None and not len(entries):
                continue
            border: Any = NULL
            if len(variants) > 1:
                places = 1 + halves * layout.blocks(first_twin, last_twin)
                border = self.slot.device("border", places * BORDER_BYTES // 4, np.uint32)
            for first_row, variant in variants:
                self._launch(variant, first_row, first_twin, last_twin, entries, query, border)

    def _launch_long(self, long: LongTwins) -> None:
        slot, gpu, layout, variant = self.slot, self.slot.gpu, self.database.layout, long.variant
        given = {
            "profile": slot.device("long profile", 0, np.int16),
            "border": slot.device("long border", long.border_words(layout), np.uint32),
            "counter": slot.device("long counter", 1, np.int32),  # its own: others are cleared at the same time
            "scores": np.uint64(self.scores.data.ptr),
            "redo": self.redo,
            "cancel": gpu.cancel_flag,
        }
        gpu.clear(given["counter"], slot.stream)
        words = self.letters.words.data.ptr - self.database.block_bytes * self.letters.first_block
        kernel = gpu.kernel(intra.FILE, intra.KERNEL, variant.defines(), variant.shared_bytes)
        with slot.stream:
            arguments = long.arguments(layout, words, self.database.block_of, given)
            kernel((long.count,), (variant.threads,), arguments, shared_mem=variant.shared_bytes)

    def _window_blocks(self, halves: int) -> int:
        free = self.slot.gpu.free_memory() // 4
        free = max(free, self.slot.device_bytes("border"))
        return max(min(free, BORDER_LIMIT) // (BORDER_BYTES * halves), 1)

    def _launch(
        self,
        variant: KernelVariant,
        first_row: int,
        first_twin: int,
        last_twin: int,
        redo: NDArray[np.int32] | None,
        query: int,
        border: Any,
    ) -> None:
        slot, gpu, layout = self.slot, self.slot.gpu, self.database.layout
        grid = self.blocks
        two = variant.arithmetic.twins is Twins.QUERIES
        units: Any = NULL
        unit_count = 0
        redo_list: Any = NULL
        if redo is None:
            units = self.database.units(first_twin, last_twin, grid * variant.groups)
            unit_count = len(units) - 1
            work = unit_count * (1 if variant.arithmetic.twins is Twins.SUBJECTS else 2)
        else:
            work = len(redo)
            with slot.stream:
                redo_list = gpu.cupy.asarray(np.concatenate([[work], redo]).astype(np.int32))
        grid = max(1, min(grid, -(-work // variant.groups)))
        window_block = int(layout.block_of[first_twin])
        skipped = window_block - self.letters.first_block
        profiles = self.profiles if two else [self.profiles[query]]
        gaps = (self.gaps if two else [self.gaps[query]]) if self.gaps else [NULL, NULL]
        lengths = [len(self.plan.queries[i]) for i in ((0, 1) if two else (query,))]
        base = self.scores.data.ptr + 4 * query * self.stride - 4 * 2 * self.first_twin
        arguments = (
            np.uint64(self.letters.words.data.ptr + self.database.block_bytes * skipped),
            self.database.block_of,
            units,
            np.int32(unit_count),
            redo_list,
            np.uint32(window_block),
            np.uint32(self.letters.blocks - skipped),
            profiles[0],
            np.int32(lengths[0]),
            profiles[1] if two else NULL,
            np.int32(lengths[1] if two else 0),
            gaps[0],
            gaps[1] if two else NULL,
            np.int32(first_row),
            slot.zeros(1, self._stream)[0],
            np.uint64(base % (1 << 64)),
            np.int64(self.stride),
            self.redo,
            border,
            gpu.cancel_flag,
            NULL,
        )
        with self._stream:
            gpu.variant(variant)((grid,), (variant.tile.threads,), arguments, shared_mem=variant.shared_bytes)
