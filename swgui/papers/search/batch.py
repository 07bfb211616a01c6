"""A search by a published method on one GPU: scans under way, and chunks made small enough for its memory."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.errors import OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.intra import WARP
from swgui.engines.cuda.streaming.batch import TakeChunk
from swgui.engines.cuda.streaming.launch import Slot
from swgui.papers.search.database import GroupedDatabase, GroupResidues
from swgui.papers.search.launch import MethodPlan, MethodScan


class MethodRoom(Protocol):
    """What a batch needs of the GPU it runs on."""

    card: Card

    def grouped_database(self, database: EncodedDatabase) -> GroupedDatabase:
        """Return the database as it lies on the device."""

    def method_slots(self, count: int) -> list[Slot]:
        """Return the buffers for scans."""

    def shrink(self, error: OutOfDeviceMemory) -> None:
        """Use less memory from now on; raise `error` if that is not possible."""


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
    """All queries of a search against the chunks one GPU takes.

    Parameters
    ----------
    take : callable
        Gives the next chunk, or None.
    plans : sequence of MethodPlan
        At least one; none of them falls back.
    """

    def __init__(
        self, room: MethodRoom, take: TakeChunk, plans: Sequence[MethodPlan], database: EncodedDatabase
    ) -> None:
        self._room = room
        self._take = take
        self._plans = plans
        self._database = database
        self._jobs: deque[tuple[int, int, MethodPlan]] = deque()
        self._free: deque[Slot] | None = None
        self._flights: deque[_Flight] = deque()
        self._letters: GroupResidues | None = None
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
        if not self._room.card.wait(oldest.done, cancel, oldest.scan.seconds_at_most):
            self._flights.clear()
            return []
        self._flights.popleft()
        results = [self._collect(oldest)]
        self._free.append(oldest.scan.slot)
        return results

    def abandon(self) -> None:
        """Stop what is under way; its scores are lost."""
        if self._flights:
            self._room.card.stop()
            self._flights.clear()

    def _slots(self) -> deque[Slot]:
        return deque(self._room.method_slots(self._plans[0].config.streams))

    def _take_more(self) -> bool:
        chunk = self._take()
        if chunk is None:
            return False
        self._jobs.extend((chunk.start, chunk.stop, plan) for plan in self._plans)
        return True

    def _start(self, free: deque[Slot]) -> bool:
        """Launch the next scan; False if memory is short until another has ended."""
        try:
            device = self._room.grouped_database(self._database)
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
            self._room.shrink(error)
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
            device=self._room.card.label,
            seconds=seconds,
        )
