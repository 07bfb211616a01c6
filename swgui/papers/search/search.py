"""One GPU that searches by a published method; what the method cannot do, the engine's own kernel does.

The module of these methods (`swgui.engines.cuda.methods.MethodModule`).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.errors import OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores
from swgui.core.methods.search import DEFAULT_METHOD
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import KernelUse
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.intra import WARP
from swgui.engines.cuda.kernel_use import (
    MILLION,
    ask_driver,
    in_order,
    streaming_uses,
    transfer_settings,
    use_of,
)
from swgui.engines.cuda.methods import UseTask
from swgui.engines.cuda.scans import Scan, ScanBatch, Slot, TakeChunk
from swgui.engines.cuda.streaming.search import MEMORY_SHARE, StreamingSearch
from swgui.papers.search.config import published_limits
from swgui.papers.search.database import GroupedDatabase
from swgui.papers.search.launch import (
    MethodPlan,
    MethodScan,
    Ranges,
    border_room,
    kernels_of,
    limits_of,
    plan_query,
    threshold_of,
)
from swgui.papers.search.layout import GroupLayout
from swgui.papers.search.methods import MethodVariant, published_method

FELL_BACK: Final = "The program's own kernel (streaming) is used instead."


def kernel_uses(task: UseTask, method: str) -> Iterator[KernelUse]:
    """Say what the kernels for one query take: the method's own first, then the one for long subjects."""
    card, query = task.card, task.query
    plan = plan_query(0, query, task.scheme, method, task.chosen, limits_of(card))
    config = plan.config
    if config.fallback:
        chosen = {name: value for name, value in task.chosen.items() if name in ("chunk", "pinned", "streams")}
        yield from streaming_uses(replace(task, chosen=chosen), (config.fallback, FELL_BACK))
        return
    found, variants = _launched(task, plan)
    limits = published_limits(plan.length, task.residues, 1)
    settings = in_order({**config.settings, **found, **transfer_settings(task, limits, config.streams)}, method)
    for variant, grid in variants:
        shared_bytes = variant.shared_bytes(len(query))
        allowed = variant.most_shared_bytes(len(query), card.shared_limit)
        kernel = card.kernel(variant.file, variant.kernel, variant.defines(), allowed)
        compiled = ask_driver(card, kernel, variant.threads, shared_bytes)
        launch = (variant.kernel, variant.threads, grid)
        yield use_of(card, method, launch, compiled, shared_bytes, settings, config.remarks)


def _launched(task: UseTask, plan: MethodPlan) -> tuple[dict[str, str], list[tuple[MethodVariant, int]]]:
    """Return settings that the database decides, and the kernels with their blocks, the method's own first."""
    config, database, card = plan.config, task.database, task.card
    if database is None:
        variants = [(config.variant, config.grid)]
        if not published_method(config.method).whole_blocks:
            variants.append((config.long, config.long.min_blocks * card.multiprocessors))
        return {}, variants
    layout = GroupLayout.of(np.asarray(database.offsets))
    chunk = int(task.chosen.get("chunk", 0)) * MILLION
    limits = ChunkLimits(residues=chunk) if chunk else published_limits(plan.length, task.residues, 1)
    stop = plan_chunks(database.offsets, limits)[0].stop
    threshold = threshold_of(config, layout, 0, stop, border_room(card))
    ranges = Ranges.of(layout, 0, stop, config.method, threshold)
    kernels = [(variant, grid) for _, variant, grid in reversed(kernels_of(plan, ranges))]
    decided = not config.threshold and not published_method(config.method).whole_blocks
    return ({"threshold": str(threshold)} if decided else {}), kernels


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

    @property
    def translates(self) -> bool:
        return False

    def chunk_limits(self, length: int, residues: int, devices: int) -> ChunkLimits:
        return published_limits(length, residues, devices)

    def compile_ahead(self, queries: Sequence[EncodedQuery], database: EncodedDatabase, scheme: ScoringScheme) -> None:
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

        yield from self._steps(lambda: MethodBatch(self, take_and_note, queries, database, able), cancel)
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

    def shrink(self, error: OutOfDeviceMemory) -> None:
        if self._grouped is not None:
            self.memory = self._grouped.device_bytes
        # 32 subjects of very unequal length take as much as 32 of the longest.
        error.hint = f"The method '{self.method}' needs more than the program's own: choose {DEFAULT_METHOD}."
        super().shrink(error)

    def _release(self) -> None:
        self._grouped = None
        super()._release()

    def _scan_of_all(self, query: EncodedQuery, database: EncodedDatabase, scheme: ScoringScheme) -> Scan | None:
        plan = plan_query(0, query, scheme, self.method, self.settings, self.limits)
        if plan.config.fallback:
            return super()._scan_of_all(query, database, scheme)
        device = self.grouped_database(database)
        if not device.resident:
            return None
        residues = device.bring(0, device.layout.groups)
        return MethodScan(self.some_slots(1)[0], plan, device, residues, 0, device.layout.subjects)


class MethodBatch(ScanBatch[MethodPlan]):
    """Queries that a method can score, against the chunks one GPU takes."""

    def __init__(
        self,
        search: PublishedSearch,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        plans: Sequence[MethodPlan],
    ) -> None:
        self._search = search
        self._streams = plans[0].config.streams
        super().__init__(search.card, take, queries, database, plans)

    def _slots(self) -> list[Slot]:
        return self._search.some_slots(self._streams)

    def _shrink(self, error: OutOfDeviceMemory) -> None:
        self._search.shrink(error)

    def _parts(self, start: int, stop: int) -> list[tuple[int, int]]:
        device, (first, last) = self._search.grouped_database(self._database), groups_of(start, stop)
        windows = device.layout.group_windows(first, last, device.part_rows)
        return [(max(start, WARP * begin), min(stop, WARP * end)) for begin, end in windows]

    def _scan(self, slot: Slot, start: int, stop: int, plan: MethodPlan) -> Scan:
        device, groups = self._search.grouped_database(self._database), groups_of(start, stop)
        if self._residues is None or not self._residues.holds(*groups):
            self._residues = None
            self._residues = device.bring(*groups)
        return MethodScan(slot, plan, device, self._residues, start, stop)


def groups_of(start: int, stop: int) -> tuple[int, int]:
    """Return the half-open range of the groups of 32 that hold the subjects [start, stop) in storage order."""
    return start // WARP, -(-stop // WARP)


make_search = PublishedSearch
