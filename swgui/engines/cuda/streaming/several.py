"""Several pairs of short queries in one launch: a small database is searched sooner than they are launched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.arithmetic import Gaps, Pairing
from swgui.engines.cuda.streaming.launch import NULL, QueryPlan, Scan
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
