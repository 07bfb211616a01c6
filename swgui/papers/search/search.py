"""One GPU that searches by a published method; what the method cannot do, the engine's own kernel does.

The module of these methods (`swgui.engines.cuda.methods.MethodModule`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault, OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores, TopHits
from swgui.core.methods.search import DEFAULT_METHOD
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.streaming import ranking
from swgui.engines.cuda.streaming.batch import TakeChunk
from swgui.engines.cuda.streaming.launch import Slot
from swgui.engines.cuda.streaming.search import MEMORY_SHARE, StreamingSearch
from swgui.papers.search.batch import MethodBatch
from swgui.papers.search.config import published_limits
from swgui.papers.search.database import GroupedDatabase
from swgui.papers.search.kernel_use import kernel_uses
from swgui.papers.search.launch import MethodScan, limits_of, plan_query

__all__ = ["PublishedSearch", "kernel_uses", "make_search"]


class PublishedSearch(StreamingSearch):
    """Scores chunks on one GPU by a published method.

    Parameters
    ----------
    card, memory, host_memory, pair_queries
        As for `StreamingSearch`.
    settings : Mapping[str, str]
        Of the method, checked.
    """

    def __init__(
        self,
        card: Card,
        memory: int,
        host_memory: int = 0,
        *,
        pair_queries: bool,
        method: str,
        settings: Mapping[str, str],
    ) -> None:
        super().__init__(card, memory, host_memory, pair_queries=pair_queries)
        self.method = method
        self.settings = dict(settings)
        self.limits = limits_of(card)
        self._grouped: GroupedDatabase | None = None
        self._method_slots: list[Slot] = []

    @property
    def translates(self) -> bool:
        """No: codons are not read on the device."""
        return False

    def chunk_limits(self, length: int, residues: int, devices: int) -> ChunkLimits:
        """As `published_limits`."""
        return published_limits(length, residues, devices)

    def foresee(self, queries: Sequence[EncodedQuery], database: EncodedDatabase, scheme: ScoringScheme) -> None:
        """Do nothing: the kernels are compiled when they are launched."""

    def run(
        self,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
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

        batch = MethodBatch(self, take_and_note, able, database)
        try:
            while results := self._on_card(batch.step, cancel):
                yield from results
        finally:
            with suppress(EngineFault):  # a lost device can do no more than fail again
                self._on_card(batch.abandon)
        if others and not cancel.is_set():
            left = iter(taken)
            chosen = [queries[index] for index in others]
            for chunk in super().run(lambda: next(left, None), chosen, database, scheme, cancel):
                yield replace(chunk, query_index=others[chunk.query_index])

    def grouped_database(self, database: EncodedDatabase) -> GroupedDatabase:
        """Return the database as the methods want it; another one held before is dropped."""
        held = self._grouped
        if held is not None and held.is_of(database):
            return held
        self._grouped = held = None
        self.card.cupy.get_default_memory_pool().free_all_blocks()
        self._grouped = GroupedDatabase(self.card, database, self.memory or int(MEMORY_SHARE * self.card.free_memory()))
        return self._grouped

    def method_slots(self, count: int) -> list[Slot]:
        """Return slots, made when first needed."""
        while len(self._method_slots) < count:
            self._method_slots.append(Slot(self.card))
        return self._method_slots[:count]

    def shrink(self, error: OutOfDeviceMemory) -> None:
        """After running out of memory: keep half as much on the device; `error` if that is little already."""
        if self._grouped is not None:
            self.memory = self._grouped.device_bytes
        # 32 subjects of very unequal length take as much as 32 of the longest.
        error.hint = f"The method '{self.method}' needs more than the program's own: choose {DEFAULT_METHOD}."
        super().shrink(error)

    def _release(self) -> None:
        self._grouped = None
        self._method_slots.clear()
        super()._release()

    def _best(
        self, query: EncodedQuery, database: EncodedDatabase, scheme: ScoringScheme, limit: int, cancel: threading.Event
    ) -> tuple[TopHits, float] | None:
        plan = plan_query(0, query, scheme, self.method, self.settings, self.limits)
        if plan.config.fallback:
            return super()._best(query, database, scheme, limit, cancel)
        device = self.grouped_database(database)
        if not device.resident:
            return None
        slot, subjects = self.method_slots(1)[0], device.layout.subjects
        scan = MethodScan(slot, plan, device, device.bring(0, device.layout.groups), 0, subjects)
        scan.launch()
        ranking.launch(slot, scan.scores, subjects, limit)
        done = self.card.cupy.cuda.Event(disable_timing=True)
        done.record(slot.stream)
        if not self.card.wait(done, cancel, scan.seconds_at_most):
            return None
        hits = ranking.best_hits(slot, scan.scores, subjects, limit, database.order)
        return hits, scan.milliseconds_since(None)


make_search = PublishedSearch
