"""All queries of a search on one GPU: their plans, and their scans of the chunks it takes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from swgui.core.database import ArrayDatabase
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.ahead import Ahead
from swgui.engines.cuda.arithmetic import Twins
from swgui.engines.cuda.scans import Scan, ScanBatch, ScanOwner, Slot, TakeChunk
from swgui.engines.cuda.streaming.buffers import DeviceDatabase, ResidueStream
from swgui.engines.cuda.streaming.launch import QueryPlan, StreamingScan, twins_of
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.tuning import TUNING
from swgui.engines.cuda.streaming.twins import SharedScan, share_launches, spread_launches


class Owner(ScanOwner, Protocol):
    """Interface of a batch of the program's own kernel to the GPU it runs on."""

    twin_queries: bool
    cells_of_twins: int  # of twins of queries that share a launch, at most

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
    # With many scans in turn, none waits for the longest subject of another.
    against = layout if len(queries) == 1 else None
    lengths, plain = [len(query) for query in queries], [query.gaps is None for query in queries]
    order = deque(sorted((i for i, length in enumerate(lengths) if length), key=lambda i: (plain[i], -lengths[i])))
    plans = []
    while order:
        longer = order.popleft()
        alike = order and lengths[order[0]] >= TUNING.alike * lengths[longer] and plain[order[0]] == plain[longer]
        if alike and owner.twin_queries:
            twins = owner.plan((longer, order[0]), queries, scheme, against)
            if twins.arithmetic.twins is Twins.QUERIES:
                order.popleft()
                plans.append(twins)
                continue
        plans.append(owner.plan((longer,), queries, scheme, against))
    return spread_launches(share_launches(plans, layout, owner.cells_of_twins))


def scans_beside(plans: Sequence[QueryPlan]) -> int:
    """Return the number of scans of a small database on a GPU at a time: fewer if one of them would end late."""
    lengths = [plan.length for plan in plans]
    return max(1, min(TUNING.scans_side_by_side, sum(lengths) // (2 * max(lengths))))


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
    def _in_turn(self) -> bool:
        """Whether scans take so long that their ends hardly count: in turn, the first lists begin early."""
        letters = sum(len(self._queries[index]) for plan in self.plans for index in plan.indices)
        return letters * self._database.residues >= TUNING.cells_in_turn * len(self.plans)

    @cached_property
    def _beside(self) -> int:
        return 1 if self._in_turn else scans_beside(self.plans)

    def abandon(self) -> None:
        self._kernels.stop()
        super().abandon()

    def _slots(self) -> list[Slot]:
        slots = self._owner.slots()
        return slots[: TUNING.scans] if self._in_turn else slots

    def _ready(self, plan: QueryPlan, cancel: threading.Event) -> bool:
        return self._kernels.load(plan, cancel)

    def _parts(self, start: int, stop: int) -> list[tuple[int, int]]:
        device = self._owner.device_database(self._database)
        windows = device.layout.windows(*twins_of(start, stop), device.part_blocks)
        return [(max(start, 2 * first), min(stop, 2 * last)) for first, last in windows]

    def _scan(self, slot: Slot, start: int, stop: int, plan: QueryPlan) -> Scan:
        device = self._owner.device_database(self._database)
        residues = self._brought(device.stream, *twins_of(start, stop))
        kind = SharedScan if plan.several else StreamingScan
        among = self._beside if device.part_blocks < TUNING.small_blocks else 1
        return kind(slot, plan, device, residues, start, stop, self._gpu.multiprocessors // among)
