"""Launching the streaming kernel: passes over a query, windows of a database, subjects rescored in 32 bits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, TwoTrackMatrix
from swgui.engines.cuda import intra
from swgui.engines.cuda.arithmetic import Arithmetic, Costs, Pairing, plan_arithmetic
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.streaming.alone import LongPairs, plan_long
from swgui.engines.cuda.streaming.buffers import DeviceDatabase, ResidueStream
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.variants import KernelVariant, Load, Tile, passes, select_tile

BORDER_BYTES: Final = 32  # G and F of four columns
BORDER_LIMIT: Final = 4 << 30  # a window of the database is searched at a time if its border would need more
COUNTERS: Final = 64  # launches that can be under way in one slot
SPEED: Final = 2e10  # cells per second that one multiprocessor reaches at least
ALONE: Final = 1e-9  # seconds per cell of a subject that is scored by one group, with nothing beside it
NULL: Final = np.uint64(0)


@dataclass(frozen=True, slots=True, eq=False)
class QueryPlan:
    """How one query, or two at once, will be scored.

    Parameters
    ----------
    indices : tuple of int
        Positions in the list of queries.
    arithmetic : Arithmetic
        In 16 bits if the scheme allows.
    wide, wide_tile
        The same in 32 bits, for subjects that overflow.
    queries : tuple of EncodedQuery
    gaps : tuple of ndarray, shape=(4, m), dtype=int16
        Gap costs by position, for all queries or none.
    long : LongPairs, optional
        Pairs that are not scored by groups of threads; they come first in the database.
    several : bool
        Whether these are several pairs of queries that share a launch (`several.py`).
    """

    indices: tuple[int, ...]
    arithmetic: Arithmetic
    tile: Tile
    wide: Arithmetic
    wide_tile: Tile
    queries: tuple[EncodedQuery, ...] = field(repr=False)
    scheme: ScoringScheme = field(repr=False)
    gaps: tuple[NDArray[np.int16], ...] = field(default=(), repr=False)
    long: LongPairs | None = None
    several: bool = False

    @property
    def variants(self) -> list[tuple[int, KernelVariant]]:
        """First row and kernel of each pass, without those of subjects that overflow."""
        found = passes(self.tile, self.arithmetic, self.length)
        return [(row, replace(one, several=True) if self.several else one) for row, one in found]

    @property
    def perfect(self) -> int:
        """The score of a subject that matches a whole query as well as any can."""
        return max(_perfect(query, self.scheme) for query in self.queries)

    @property
    def length(self) -> int:
        """Residues of the longer query."""
        return max(map(len, self.queries))

    @property
    def profiles(self) -> list[NDArray[np.int16]]:
        """Scores by symbol, shape (letters, m) each, made when asked for; of two tracks residues, then letters."""
        return [_profile(query, self.scheme) for query in self.queries]


def load_of(layout: DatabaseLayout, multiprocessors: int) -> Load:
    """Return what a tile is chosen for, of a database that is not empty."""
    return Load(layout.blocks(0, layout.pairs), layout.blocks(0, 1), multiprocessors)


def plan_queries(
    indices: Sequence[int],
    queries: Sequence[EncodedQuery],
    scheme: ScoringScheme,
    card: Card,
    layout: DatabaseLayout | None = None,
    tile: Tile | None = None,
) -> QueryPlan:
    """Choose arithmetic and tiles for one query, or for two that are to be scored at once.

    Parameters
    ----------
    indices : sequence of int
        One or two positions in `queries`.
    layout : DatabaseLayout, optional
        What they will be scored against.
    tile : Tile, optional
        Use this tile whatever the length.
    """
    chosen = tuple(queries[index] for index in indices)
    costs, length = Costs.for_queries(scheme, chosen), max(map(len, chosen))
    wide = plan_arithmetic(Pairing.NONE, costs, dpx=card.dpx)
    load = load_of(layout, card.multiprocessors) if layout is not None and layout.pairs else None
    wide_tile = select_tile(length, wide, card.shared_limit, load)
    pairing = Pairing.SUBJECTS if len(indices) == 1 else Pairing.QUERIES
    narrow = plan_arithmetic(pairing, costs, dpx=card.dpx)
    long = None
    if narrow == wide:
        tile = wide_tile
    elif tile is None and load is not None and layout is not None and len(indices) == 1 and not costs.tracks:
        long, load = plan_long(_profile(chosen[0], scheme), costs, narrow, card, layout)
    return QueryPlan(
        tuple(indices),
        narrow,
        tile or select_tile(length, narrow, card.shared_limit, load),
        wide,
        wide_tile,
        chosen,
        scheme,
        tuple(np.stack(one.gaps.columns) for one in chosen if one.gaps is not None),
        long,
    )


def _profile(query: EncodedQuery, scheme: ScoringScheme) -> NDArray[np.int16]:
    """Return the scores of a query by symbol, shape (letters, m); of two tracks residues, then letters."""
    if isinstance(scheme.matrix, TwoTrackMatrix):
        return np.ascontiguousarray(np.concatenate(scheme.matrix.profiles(query.codes), axis=1).T)
    return np.ascontiguousarray(query.scores(scheme).T)


def _perfect(query: EncodedQuery, scheme: ScoringScheme) -> int:
    """Return the score of a subject that matches a query as well as any can, or some more."""
    if isinstance(scheme.matrix, TwoTrackMatrix):
        return int(_profile(query, scheme).max(axis=0).sum())
    if query.profile is not None:
        return int(query.profile.max(axis=1).sum())
    return int(_best_scores(scheme.matrix)[query.codes].sum())


@lru_cache(maxsize=8)
def _best_scores(matrix: SubstitutionMatrix) -> NDArray[np.int64]:
    """Return the best score of each symbol, shape (symbols,)."""
    best: NDArray[np.int64] = matrix.scores.max(axis=1).astype(np.int64)
    return best


class Slot:
    """Buffers and a stream for one scan at a time; several slots keep a GPU busy."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self.stream = card.cupy.cuda.Stream(non_blocking=True)
        self._side: Any = None
        self._counters = card.empty(COUNTERS, np.int32)
        self._next_counter = COUNTERS
        self._device: dict[str, Any] = {}
        self._host: dict[str, NDArray[Any]] = {}

    @property
    def side(self) -> Any:
        """A second stream, for what goes on beside the first."""
        if self._side is None:
            self._side = self.card.cupy.cuda.Stream(non_blocking=True)
        return self._side

    def device(self, name: str, size: int, dtype: Any) -> Any:
        """Return a device buffer of at least `size` elements, kept from one scan to the next."""
        held = self._device.get(name)
        if held is None or len(held) < size:
            self._device.pop(name, None)
            del held
            held = self._device[name] = self.card.empty(size, dtype)
        return held

    def host(self, name: str, size: int, dtype: Any) -> NDArray[Any]:
        """Return a host buffer of `size` elements."""
        held = self._host.get(name)
        if held is None or len(held) < size:
            held = self._host[name] = self.card.host_array(size, dtype)
        return held[:size]

    def zeros(self, count: int, stream: Any = None) -> list[Any]:
        """Return counters for launches that follow on a stream, by default the first; each is zero when it gets there.

        Those of one call are cleared together: one that was handed out before all were cleared, and counted
        after that, would not be zero the next time.
        """
        if self._next_counter + count > COUNTERS:
            self.card.clear(self._counters, stream or self.stream)
            self._next_counter = 0
        first = self._next_counter
        self._next_counter += count
        return [self._counters[at : at + 1] for at in range(first, first + count)]


class Scan:
    """One or two queries against a range of pairs, from launch to exact scores.

    Parameters
    ----------
    letters : ResidueStream
        Holds the range.
    blocks : int
        Of threads, one for each multiprocessor that it may keep busy; 0 for all.
    """

    def __init__(
        self,
        slot: Slot,
        plan: QueryPlan,
        database: DeviceDatabase,
        letters: ResidueStream,
        first_pair: int,
        last_pair: int,
        blocks: int = 0,
    ) -> None:
        self.slot = slot
        self.plan = plan
        self.database = database
        self.letters = letters
        self.first_pair = first_pair
        self.last_pair = last_pair
        self.blocks = blocks or slot.card.multiprocessors
        self._stream = slot.stream  # that passes are launched on
        self.rescored = [0] * len(plan.indices)
        self.began = slot.card.cupy.cuda.Event()
        self.ended = slot.card.cupy.cuda.Event()
        self.stride = 2 * (last_pair - first_pair)
        has_long = plan.long is not None and first_pair == 0 and last_pair > plan.long.count
        self.long = plan.long if has_long else None
        self._make_room()

    def _make_room(self) -> None:
        """Have buffers on the device for what is sent there and what comes back."""
        slot, plan, count = self.slot, self.plan, len(self.plan.indices)
        self.scores = slot.device("scores", count * self.stride, np.int32)
        self.redo = slot.device("redo", count * (self.stride + 1), np.int32)
        self.tables = plan.profiles
        self.profiles = [slot.device(f"profile {i}", table.size, np.int16) for i, table in enumerate(self.tables)]
        self.gaps = [slot.device(f"gaps {i}", gaps.size, np.int16) for i, gaps in enumerate(plan.gaps)]

    def launch(self) -> None:
        """Enqueue everything up to the 16-bit scores (32-bit ones if the scheme needs them)."""
        slot, card = self.slot, self.slot.card
        slot.stream.wait_event(self.letters.ready)
        for name, targets, tables in (
            ("profile", self.profiles, self.tables),
            ("gaps", self.gaps, self.plan.gaps),
        ):
            for i, (target, table) in enumerate(zip(targets, tables, strict=True)):
                staged = slot.host(f"{name} {i}", table.size, np.int16)
                staged[:] = table.ravel()
                card.upload(target, staged, slot.stream)
        for i in range(len(self.plan.indices)):
            card.clear(self._redo_list(i)[:1], slot.stream)
        if self.long is not None:
            self._send_long(self.long)
        self.began.record(slot.stream)
        if self.long is not None:
            self._launch_long(self.long)  # before the passes, which would take all multiprocessors
            slot.side.wait_event(self.began)
            self._stream = slot.side
        self._run(self.plan.arithmetic, self.plan.tile, None, 0)
        if self.long is not None:
            self._stream = slot.stream
            done = card.cupy.cuda.Event(disable_timing=True)
            done.record(slot.side)
            slot.stream.wait_event(done)
        self.ended.record(slot.stream)

    def download_redo_counts(self, target: NDArray[np.int32]) -> None:
        """Enqueue the transfer of how many subjects of each query overflowed."""
        for i in range(len(target)):
            self.slot.card.download(target[i : i + 1], self._redo_list(i), self.slot.stream)

    def redo_in_32_bits(self, counts: NDArray[np.int32]) -> None:
        """Score the subjects that overflowed again, on the device; waits for their list only."""
        for i, count in enumerate(counts.tolist()):
            if not count:
                continue
            self.rescored[i] = count
            entries = self._redo_list(i)[1 : 1 + count].get(self.slot.stream)
            self._run(self.plan.wide, self.plan.wide_tile, np.sort(entries), i)

    @property
    def seconds_at_most(self) -> float:
        """A generous guess of how long the kernels take: by all cells, and by the longest subject alone."""
        layout = self.database.layout
        blocks = layout.blocks(self.first_pair, self.last_pair)
        longest = layout.blocks(self.first_pair, self.first_pair + 1)
        return 8 * self.plan.length * (blocks / (SPEED * self.blocks) + longest * ALONE)

    def milliseconds_since(self, previous_end: Any) -> float:
        """Return the time the kernels took, once they are done, without what they shared with an earlier scan.

        Parameters
        ----------
        previous_end : cupy.cuda.Event or None
            When the scan before this one ended on the same device.
        """
        elapsed = self.slot.card.cupy.cuda.get_elapsed_time
        own = float(elapsed(self.began, self.ended))
        if previous_end is None:
            return own
        return max(0.0, min(own, float(elapsed(previous_end, self.ended))))

    def _redo_list(self, i: int) -> Any:
        return self.redo[i * (self.stride + 1) : (i + 1) * (self.stride + 1)]

    def _run(self, arithmetic: Arithmetic, tile: Tile, redo: NDArray[np.int32] | None, query: int) -> None:
        halves = 1 if arithmetic.pairing is Pairing.SUBJECTS else 2
        layout = self.database.layout
        variants = passes(tile, arithmetic, self.plan.length)
        blocks = self.letters.blocks if len(variants) == 1 else self._window_blocks(halves)
        begin = self.long.count if self.long is not None and redo is None else self.first_pair
        for first_pair, last_pair in layout.windows(begin, self.last_pair, blocks):
            entries = None if redo is None else redo[(redo >= 2 * first_pair) & (redo < 2 * last_pair)]
            if entries is not None and not len(entries):
                continue
            border: Any = NULL
            if len(variants) > 1:
                places = 1 + halves * layout.blocks(first_pair, last_pair)
                border = self.slot.device("border", places * BORDER_BYTES // 4, np.uint32)
            for first_row, variant in variants:
                self._launch(variant, first_row, first_pair, last_pair, entries, query, border)

    def _send_long(self, long: LongPairs) -> None:
        """Enqueue the transfer of the profile for long pairs."""
        staged = self.slot.host("long profile", long.profile.size, np.int16)
        staged[:] = long.profile
        self.slot.card.upload(self.slot.device("long profile", staged.size, np.int16), staged, self.slot.stream)

    def _launch_long(self, long: LongPairs) -> None:
        """Enqueue long pairs."""
        slot, card, layout, variant = self.slot, self.slot.card, self.database.layout, long.variant
        given = {
            "profile": slot.device("long profile", 0, np.int16),
            "border": slot.device("long border", long.border_words(layout), np.uint32),
            "counter": slot.device("long counter", 1, np.int32),  # of its own: others are cleared beside
            "scores": np.uint64(self.scores.data.ptr),
            "redo": self.redo,
            "cancel": card.cancel_flag,
        }
        card.clear(given["counter"], slot.stream)
        words = self.letters.words.data.ptr - self.database.block_bytes * self.letters.first_block
        kernel = card.kernel(intra.FILE, intra.KERNEL, variant.defines(), variant.shared_bytes)
        with slot.stream:
            arguments = long.arguments(layout, words, self.database.block_of, given)
            kernel((long.count,), (variant.threads,), arguments, shared_mem=variant.shared_bytes)

    def _window_blocks(self, halves: int) -> int:
        free = self.slot.card.free_memory() // 4
        held = self.slot._device.get("border")
        free = max(free, held.nbytes if held is not None else 0)
        return max(min(free, BORDER_LIMIT) // (BORDER_BYTES * halves), 1)

    def _launch(
        self,
        variant: KernelVariant,
        first_row: int,
        first_pair: int,
        last_pair: int,
        redo: NDArray[np.int32] | None,
        query: int,
        border: Any,
    ) -> None:
        slot, card, layout = self.slot, self.slot.card, self.database.layout
        grid = self.blocks
        two = variant.arithmetic.pairing is Pairing.QUERIES
        units: Any = NULL
        unit_count = 0
        redo_list: Any = NULL
        if redo is None:
            units = self.database.units(first_pair, last_pair, grid * variant.groups)
            unit_count = len(units) - 1
            work = unit_count * (1 if variant.arithmetic.pairing is Pairing.SUBJECTS else 2)
        else:
            work = len(redo)
            with slot.stream:
                redo_list = card.cupy.asarray(np.concatenate([[work], redo]).astype(np.int32))
        grid = max(1, min(grid, -(-work // variant.groups)))
        window_block = int(layout.block_of[first_pair])
        skipped = window_block - self.letters.first_block
        profiles = self.profiles if two else [self.profiles[query]]
        gaps = (self.gaps if two else [self.gaps[query]]) if self.gaps else [NULL, NULL]
        lengths = [len(self.plan.queries[i]) for i in ((0, 1) if two else (query,))]
        base = self.scores.data.ptr + 4 * query * self.stride - 4 * 2 * self.first_pair
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
            card.cancel_flag,
            NULL,
        )
        with self._stream:
            card.variant(variant)((grid,), (variant.tile.threads,), arguments, shared_mem=variant.shared_bytes)
