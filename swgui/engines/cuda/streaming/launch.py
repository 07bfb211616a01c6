"""Launching the streaming kernel: passes over a query, windows of a database, subjects rescored in 32 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import accumulate
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
from swgui.engines.cuda.streaming.tables import Tables
from swgui.engines.cuda.streaming.tuning import TUNING
from swgui.engines.cuda.streaming.variants import KernelVariant, Load, Tile, passes, select_tile

BORDER_BYTES: Final = 32  # G and F of four columns
BORDER_LIMIT: Final = 4 << 30  # bytes of a border above which the database is searched window by window
NULL: Final = np.uint64(0)


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def variants(self) -> list[tuple[int, KernelVariant]]:
        """First row and kernel of each pass, without those of subjects that overflow."""
        found = passes(self.tile, self.arithmetic, self.length)
        return [(row, replace(one, several=True) if self.several else one) for row, one in found]

    @cached_property
    def may_overflow(self) -> bool:
        """Whether the best possible match of a whole query leaves the arithmetic's range."""
        plain = all(query.profile is None for query in self.queries) and not self.arithmetic.beside
        if plain and self.length * _best_score(self.scheme.matrix) < self.arithmetic.limit:
            return False
        return max(_perfect(query, self.scheme) for query in self.queries) >= self.arithmetic.limit

    @cached_property
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
    length, loaded = max(map(len, chosen)), layout is not None and layout.twins > 0
    if tile is None and not loaded and all(query.profile is None and query.gaps is None for query in chosen):
        usual = _usual(len(chosen), length, scheme, gpu.shared_limit, gpu.tables, dpx=gpu.dpx)
        return QueryPlan(tuple(indices), *usual, chosen, scheme)
    costs = Costs.for_queries(scheme, chosen)
    wide = plan_arithmetic(Twins.NONE, costs, dpx=gpu.dpx)
    load = load_of(layout, gpu.multiprocessors) if layout is not None and layout.twins else None
    wide_tile = select_tile(length, wide, gpu.shared_limit, load, gpu.tables)
    narrow = plan_arithmetic(_twins(len(indices)), costs, dpx=gpu.dpx)
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


def _twins(queries: int) -> Twins:
    return Twins.SUBJECTS if queries == 1 else Twins.QUERIES


@lru_cache(maxsize=4096)
def _usual(
    queries: int, length: int, scheme: ScoringScheme, shared_limit: int, tables: Tables, *, dpx: bool
) -> tuple[Arithmetic, Tile, Arithmetic, Tile]:
    """Return arithmetic and tile, in 16 and in 32 bits, of one or two queries without scores of their own."""
    costs = Costs.for_queries(scheme)
    wide, narrow = (plan_arithmetic(twins, costs, dpx=dpx) for twins in (Twins.NONE, _twins(queries)))
    wide_tile, tile = (select_tile(length, one, shared_limit, None, tables) for one in (wide, narrow))
    return narrow, tile, wide, wide_tile


def profile_of(query: EncodedQuery, scheme: ScoringScheme) -> NDArray[np.int16]:
    """Return the scores of a query by symbol, shape (letters, m); of two tracks residues, then letters."""
    if isinstance(scheme.matrix, TwoTrackMatrix):
        return np.ascontiguousarray(np.concatenate(scheme.matrix.profiles(query.codes), axis=1).T)
    return np.ascontiguousarray(query.scores(scheme).T)


def profiles_of(queries: Sequence[EncodedQuery], scheme: ScoringScheme) -> NDArray[np.int16]:
    """Return `profile_of` of several queries, one after the other, shape (letters * residues of all,)."""
    matrix = scheme.matrix
    if isinstance(matrix, TwoTrackMatrix) or any(query.profile is not None for query in queries):
        return np.concatenate([profile_of(query, scheme).ravel() for query in queries])
    of_all = np.ascontiguousarray(matrix.scores.T).take(np.concatenate([query.codes for query in queries]), axis=1)
    letters, begin, profiles = len(of_all), 0, np.empty(of_all.size, dtype=np.int16)
    for end in accumulate(map(len, queries)):
        profiles[letters * begin : letters * end].reshape(letters, end - begin)[:] = of_all[:, begin:end]
        begin = end
    return profiles


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


@lru_cache(maxsize=8)
def _best_score(matrix: SubstitutionMatrix) -> int:
    return int(_best_scores(matrix).max(initial=0))


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
            gpu.clear(self.redo, slot.stream, slice(self._redo_begin(i), self._redo_begin(i) + 1))
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
            self.slot.gpu.download(counts[i : i + 1], self.redo, self.slot.stream, self._redo_begin(i))

    def redo_overflowed(self) -> bool:
        """Score the subjects that overflowed again in 32 bits, on the device; waits for their list only."""
        counts = self._counts.tolist()
        for i, count in enumerate(counts):
            if not count:
                continue
            self.rescored[i] = count
            begin = self._redo_begin(i) + 1
            entries = self.redo[begin : begin + count].get(self.slot.stream)
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

    def _redo_begin(self, i: int) -> int:
        """Return where the list of a query begins: how many subjects it has, then which they are."""
        return i * (self.stride + 1)

    def _run(self, arithmetic: Arithmetic, tile: Tile, redo: NDArray[np.int32] | None, query: int) -> None:
        halves = 1 if arithmetic.twins is Twins.SUBJECTS else 2
        layout = self.database.layout
        variants = self.plan.variants if redo is None else passes(tile, arithmetic, self.plan.length)
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
