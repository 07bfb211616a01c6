"""One card that searches by a published method; what the method cannot do, the engine's own kernel does."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault, OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores, TopHits
from swgui.core.methods.search import DEFAULT_METHOD
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.published.database import GroupedDatabase, GroupLetters
from swgui.engines.cuda.published.launch import MethodPlan, MethodScan, MethodSlot, limits_of, plan_query
from swgui.engines.cuda.published.variants import WARP
from swgui.engines.cuda.streaming import ranking
from swgui.engines.cuda.streaming.batch import Take
from swgui.engines.cuda.streaming.tuned import TunedWorker
from swgui.engines.cuda.streaming.worker import MEMORY_SHARE, Worker

CELLS_PER_CHUNK: Final = (
    300_000_000_000  # 0.1 to 0.3 s on a large card: a thread's longest subject must be little of it
)
SMALLEST_CHUNK: Final = 4_000_000  # residues
CHUNKS_PER_DEVICE: Final = 6  # so that several cards end together


def published_limits(length: int, residues: int, devices: int) -> ChunkLimits:
    """Return how to cut a database for a published method: as large as cancelling and sharing allow.

    Parameters
    ----------
    length : int
        Mean residues of the queries.
    residues : int
        Of the database.
    devices : int
    """
    most = CELLS_PER_CHUNK // length
    if devices > 1:
        most = min(most, residues // (CHUNKS_PER_DEVICE * devices))
    return ChunkLimits(residues=max(most, SMALLEST_CHUNK))


class MethodWorker(Worker):
    """Scores chunks on one card by a published method.

    Parameters
    ----------
    card, memory, host_memory, pair_queries
        As for `Worker`.
    method : str
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
        self._method_slots: list[MethodSlot] = []

    def run(
        self,
        take: Take,
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

    def method_slots(self, count: int) -> list[MethodSlot]:
        """Return slots, made when first needed."""
        while len(self._method_slots) < count:
            self._method_slots.append(MethodSlot(self.card))
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
        found = ranking.fetch(slot)
        if found is None:  # more ties than places: rank on the host
            found = np.arange(subjects, dtype=np.int64), scan.scores[:subjects].get(slot.stream)
        hits = TopHits(limit)
        hits.update(found[1], database.order[found[0]])
        return hits, scan.milliseconds_since(None)


class _Flight:
    """A scan under way, and where its scores arrive."""

    def __init__(self, scan: MethodScan) -> None:
        self.scan = scan
        slot = scan.slot
        self.scores = slot.host("scores", scan.stop - scan.ranges.begin, np.int32)
        self.rescored = slot.host("rescored", 1, np.int32)
        scan.launch()
        scan.download(self.scores, self.rescored)
        self.done = slot.card.cupy.cuda.Event(disable_timing=True)
        self.done.record(slot.stream)


class MethodBatch:
    """All queries of a search against the chunks one card takes.

    Parameters
    ----------
    worker : MethodWorker
    take : callable
        Gives the next chunk, or None.
    plans : sequence of MethodPlan
        At least one; none of them falls back.
    database : EncodedDatabase
    """

    def __init__(
        self, worker: MethodWorker, take: Take, plans: Sequence[MethodPlan], database: EncodedDatabase
    ) -> None:
        self._worker = worker
        self._take = take
        self._plans = plans
        self._database = database
        self._jobs: deque[tuple[int, int, MethodPlan]] = deque()
        self._free: deque[MethodSlot] | None = None
        self._flights: deque[_Flight] = deque()
        self._letters: GroupLetters | None = None
        self._previous_end: Any = None

    def step(self, cancel: threading.Event) -> list[ChunkScores]:
        """Start what can be started, wait for the oldest scan and return its scores; nothing at the end."""
        if self._free is None:
            self._free = self._slots()
        while self._free and (self._jobs or self._take_more()):
            if cancel.is_set() or not self._start(self._free):
                break
        if not self._flights:
            return []
        oldest = self._flights[0]
        if not self._worker.card.wait(oldest.done, cancel, oldest.scan.seconds_at_most):
            self._flights.clear()
            return []
        self._flights.popleft()
        results = [self._collect(oldest)]
        self._free.append(oldest.scan.slot)
        return results

    def abandon(self) -> None:
        """Stop what is under way; its scores are lost."""
        if self._flights:
            self._worker.card.stop()
            self._flights.clear()

    def _slots(self) -> deque[MethodSlot]:
        return deque(self._worker.method_slots(self._plans[0].config.streams))

    def _take_more(self) -> bool:
        chunk = self._take()
        if chunk is None:
            return False
        self._jobs.extend((chunk.start, chunk.stop, plan) for plan in self._plans)
        return True

    def _start(self, free: deque[MethodSlot]) -> bool:
        """Launch the next scan; False if memory is short until another has ended."""
        try:
            device = self._worker.grouped_database(self._database)
            start, stop, plan = self._cut(device)
            first_group, last_group = start // WARP, -(-stop // WARP)
            if self._letters is None or not self._letters.holds(first_group, last_group):
                self._letters = None
                self._letters = device.bring(first_group, last_group)
            self._flights.append(_Flight(MethodScan(free[0], plan, device, self._letters, start, stop)))
        except OutOfDeviceMemory as error:
            self._letters = None
            if self._flights:
                return False
            self._worker.shrink(error)
            free.clear()
            free.extend(self._slots())
            return True
        self._jobs.popleft()
        free.popleft()
        return True

    def _cut(self, device: GroupedDatabase) -> tuple[int, int, MethodPlan]:
        """Make the next job small enough for the device; returns it and leaves it in the queue."""
        start, stop, _ = self._jobs[0]
        layout, first_group, last_group = device.layout, start // WARP, -(-stop // WARP)
        if last_group - first_group > 1 and layout.rows(first_group, last_group) > device.part_rows:
            whole = [job for job in self._jobs if job[:2] == (start, stop)]
            rest = [job for job in self._jobs if job[:2] != (start, stop)]
            windows = layout.group_windows(first_group, last_group, device.part_rows)
            parts = [(max(start, WARP * a), min(stop, WARP * b)) for a, b in windows]
            # Part by part, so that each is on the device once for all queries.
            self._jobs = deque([(a, b, job[2]) for a, b in parts for job in whole] + rest)
        return self._jobs[0]

    def _collect(self, flight: _Flight) -> ChunkScores:
        scan = flight.scan
        offsets, plan = self._database.offsets, scan.plan
        seconds = scan.milliseconds_since(self._previous_end) / 1000
        self._previous_end = scan.ended
        return ChunkScores(
            query_index=plan.index,
            db_index=np.asarray(self._database.order[scan.start : scan.stop], dtype=np.int64),
            scores=flight.scores[scan.start - scan.ranges.begin :].copy(),
            cells=plan.length * int(offsets[scan.stop] - offsets[scan.start]),
            rescored=int(flight.rescored[0]) if scan.may_overflow else 0,
            device=self._worker.card.label,
            seconds=seconds,
        )


def make_worker(
    card: Card,
    memory: int,
    host_memory: int = 0,
    *,
    pair_queries: bool,
    method: str = DEFAULT_METHOD,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Worker:
    """Return the worker for a method.

    Parameters
    ----------
    card, memory, host_memory, pair_queries
        As for `Worker`.
    method : str
    settings : Mapping[str, str]
        Of the method, checked, without those left to ``auto``.
    """
    if method != DEFAULT_METHOD:
        return MethodWorker(card, memory, host_memory, pair_queries=pair_queries, method=method, settings=settings)
    if not settings:
        return Worker(card, memory, host_memory, pair_queries=pair_queries)
    tuned = TunedWorker(card, memory, host_memory, pair_queries=pair_queries)
    tuned.settings = dict(settings)
    return tuned
