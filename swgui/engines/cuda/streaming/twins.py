"""Launches that several twins of queries share: two queries of similar length, in the halves of a register."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from swgui.core.plain import replace
from swgui.engines.cuda.arithmetic import Gaps, Twins
from swgui.engines.cuda.streaming.launch import NULL, QueryPlan, StreamingScan, profiles_of
from swgui.engines.cuda.streaming.layout import COLUMNS, DatabaseLayout
from swgui.engines.cuda.streaming.tuning import TUNING


def share_launches(
    plans: Sequence[QueryPlan], layout: DatabaseLayout, most_cells: int = TUNING.cells_of_twins
) -> list[QueryPlan]:
    """Put short twins of queries that have one kernel together, in their order.

    Parameters
    ----------
    most_cells : int
        Largest number of cells of short twins.
    """
    shared: list[QueryPlan] = []
    for (short, *_), some in groupby(
        plans, lambda plan: (_is_short(plan, layout, most_cells), plan.arithmetic, plan.tile)
    ):
        alike = list(some)
        most = max(min(TUNING.twins_at_once, TUNING.scores_at_once // max(4 * layout.twins, 1)), 1) if short else 1
        shared += [_joined(alike[start : start + most]) for start in range(0, len(alike), most)]
    return shared


def spread_launches(plans: Sequence[QueryPlan]) -> list[QueryPlan]:
    """Return plans in their order, but those of several twins evenly between the others.

    Each of them gives the host the scores of many queries at once: at the end, the GPU would wait for the host.
    """
    alone = [plan for plan in plans if not plan.several]
    several = [plan for plan in plans if plan.several]
    placed = [(number / len(alone), plan) for number, plan in enumerate(alone)]
    placed += [((number + 0.5) / (len(several) + 1), plan) for number, plan in enumerate(several)]
    return [plan for _, plan in sorted(placed, key=itemgetter(0))]


def _is_short(plan: QueryPlan, layout: DatabaseLayout, most_cells: int) -> bool:
    """Return True if a plan may share a launch: two queries in one pass, without overflow in any subject."""
    arithmetic = plan.arithmetic
    plain = arithmetic.twins is Twins.QUERIES and arithmetic.positions is Gaps.SCHEME
    cells = 4 * COLUMNS * layout.blocks(0, layout.twins) * plan.length if layout.twins else 0
    fits = plan.length <= plan.tile.height and cells <= most_cells
    return plain and fits and not plan.may_overflow


def _joined(plans: Sequence[QueryPlan]) -> QueryPlan:
    if len(plans) == 1:
        return plans[0]
    indices = tuple(index for plan in plans for index in plan.indices)
    queries = tuple(query for plan in plans for query in plan.queries)
    return replace(plans[0], indices=indices, queries=queries, several=True)


def kernel_table(letters: int, lengths: Sequence[int], blocks: int = TUNING.blocks_of_a_twin) -> NDArray[np.int32]:
    """Return the kernel's table: blocks of each twin, then where the profile of each query begins, and its length.

    Parameters
    ----------
    letters : int
        Symbols that profiles have scores of.
    lengths : sequence of int
        Residues of each query.
    """
    table = np.empty(1 + 2 * len(lengths), dtype=np.int32)
    table[0], table[2::2] = blocks, lengths
    table[1::2] = letters * (np.cumsum(lengths) - lengths)
    return table


class SharedScan(StreamingScan):
    """Several twins of queries against a range of subjects, in one launch; none of them can overflow."""

    def _allocate(self) -> None:
        slot, plan, queries = self.slot, self.plan, len(self.indices)
        self.scores = slot.device("scores", queries * self.stride, np.int32)
        self.redo = slot.device("redo", queries * (self.stride + 1), np.int32)
        self._counters = slot.device("several counters", TUNING.twins_at_once, np.int32)
        self._profiles, self._lengths = profiles_of(plan.queries, plan.scheme), [len(query) for query in plan.queries]
        slot.device("several profiles", self._profiles.size, np.int16)
        slot.device("several", 1 + 4 * TUNING.twins_at_once, np.int32)

    @property
    def seconds_at_most(self) -> float:
        return super().seconds_at_most * len(self.indices)

    def launch(self) -> None:
        slot, gpu, database = self.slot, self.slot.gpu, self.database
        slot.stream.wait_event(self.letters.ready)
        profiles = slot.send("several profiles", self._profiles)
        letters = self._profiles.size // sum(self._lengths)
        table = slot.send("several", kernel_table(letters, self._lengths))
        gpu.clear(self._counters, slot.stream)
        ((_, variant),) = self.plan.variants
        units = database.units(self.first_twin, self.last_twin, TUNING.blocks_of_a_twin * variant.groups)
        first_block = int(database.layout.block_of[self.first_twin])
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
        grid = (TUNING.blocks_of_a_twin * (len(self.indices) // 2),)
        self.began.record(slot.stream)
        with slot.stream:
            gpu.variant(variant)(grid, (variant.tile.threads,), arguments, shared_mem=variant.shared_bytes)
        self.ended.record(slot.stream)

    def download_counts(self) -> None:
        """Do nothing: no subject can overflow."""

    def redo_overflowed(self) -> bool:
        """Return False: no subject can overflow."""
        return False
