"""The ``cuda+cpu`` engine: GPUs and the CPU work on one search, whoever is free takes the next piece.

The GPUs take chunks from the front of the database, where the long subjects are; the CPU takes
small pieces from its end, each about a tenth of a second of its own work, and smaller ones as the end comes
near, so that the GPUs do not wait for it. It begins once the speed of the GPUs is known, and leaves searches
alone that they finish soon. Scores are those of either engine alone: both are exact.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.engines import EngineOptions
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.scoring import EncodedQuery, ScoringScheme, check_same_alphabet
from swgui.engines import cpu, host
from swgui.engines.base import DeviceInfo, Engine, EngineStatus
from swgui.engines.cuda import adapter as cuda
from swgui.engines.facts import TOGETHER
from swgui.engines.side_by_side import merge

if TYPE_CHECKING:
    from swgui.engines.cuda.streaming.batch import TakeChunk

NAME: Final = TOGETHER.name
PIECE_SECONDS: Final = 0.1
FIRST_SPEED: Final = 5e9  # cells per second, before anything is known about the CPU
WORTH_SECONDS: Final = 0.4  # of the GPUs: with less left the CPU does not help
LOOK_SECONDS: Final = 0.02  # between two looks whether the GPUs have done anything
SHARE_OF_REST: Final = 0.25  # of the time the rest will take, at most, for a piece


def status() -> EngineStatus:
    """Say whether there is a GPU that can be used, and a library for the CPU."""
    parts = cuda.status(), cpu.status()
    for part in parts:
        if not part.available:
            return EngineStatus(NAME, available=False, reason=part.reason, hint=part.hint)
    return EngineStatus(NAME, available=True, devices=parts[0].devices + parts[1].devices)


def create(options: EngineOptions) -> TogetherEngine:
    """Make the engine from the GPUs named (or the first) and the CPU.

    Settings are those of the ``cuda`` engine. One core is left to each GPU unless ``threads`` says otherwise.

    Raises
    ------
    EngineUnavailable, InvalidParameter
        As the two engines.
    """
    gpus = tuple(device for device in options.devices if device != CPU)
    first = cuda.create(EngineOptions(devices=gpus, settings=options.settings))
    threads = options.threads or max(1, host.usable_cores() - len(first.devices))
    return TogetherEngine(first, cpu.create(EngineOptions(threads=threads)))


class TakingEngine(Engine, Protocol):
    """An engine whose devices take chunks when they are free."""

    def score_taken(
        self,
        take: TakeChunk,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query that has residues against what `take` gives until it gives None."""


class TogetherEngine:
    """Two engines on one queue of chunks.

    Parameters
    ----------
    front : TakingEngine
        Takes chunks as they were planned.
    back : Engine
        Takes small pieces from the end.
    """

    name = NAME

    def __init__(self, front: TakingEngine, back: Engine) -> None:
        self._front, self._back = front, back
        self.devices: tuple[DeviceInfo, ...] = front.devices + back.devices

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: EncodedDatabase) -> ChunkLimits:
        """As the GPUs want them."""
        return self._front.chunk_limits(queries, database)

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: EncodedDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every subject of the plans once."""
        from swgui.engines.cuda.engine import score_empty  # here: it is loaded only where there is a driver

        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        yield from score_empty(queries, database, plans)
        length = sum(len(query) for query in queries)
        if not length:
            return
        line = _Line(plans, np.asarray(database.offsets), length)

        def front(stop: threading.Event) -> Iterator[ChunkScores]:
            for chunk in self._front.score_taken(line.take_front, queries, database, scheme, stop):
                line.note_front(chunk.cells)
                yield chunk

        def back(stop: threading.Event) -> Iterator[ChunkScores]:
            line.wait_for_front(stop)
            while not stop.is_set() and (plan := line.take_back()) is not None:
                began = time.perf_counter()
                for chunk in self._back.score(queries, database, (plan,), scheme, stop):
                    if len(queries[chunk.query_index]):  # the others have their zeros
                        yield chunk
                line.note_back(plan.residues * length, time.perf_counter() - began)

        yield from merge({"The GPU": front, "The CPU": back}, cancel)

    def close(self) -> None:
        """Close both."""
        self._front.close()
        self._back.close()


class _Line:
    """What is left of a search; taken from both ends by several threads."""

    def __init__(self, plans: Sequence[ChunkPlan], offsets: NDArray[np.int64], length: int) -> None:
        self._plans = deque(plans)
        self._offsets = offsets
        self._length = length
        self._lock = threading.Lock()
        self._began = time.perf_counter()
        self._front_cells = 0
        self._back_speed = FIRST_SPEED

    def take_front(self) -> ChunkPlan | None:
        """Return the next chunk."""
        with self._lock:
            return self._plans.popleft() if self._plans else None

    def take_back(self) -> ChunkPlan | None:
        """Return a piece of the last chunk; None if what is left is done soon without help."""
        with self._lock:
            seconds = self._seconds_left()
            if not self._plans or seconds < WORTH_SECONDS:
                return None
            cells = self._back_speed * min(PIECE_SECONDS, SHARE_OF_REST * seconds)
            last = self._plans.pop()
            wanted = self._offsets[last.stop] - cells / self._length
            start = int(np.searchsorted(self._offsets[last.start : last.stop], wanted)) + last.start
            if start >= last.stop:  # not even one subject
                self._plans.append(last)
                return None
            if start > last.start:
                self._plans.append(self._plan(last.start, start))
            return self._plan(start, last.stop)

    def wait_for_front(self, stop: threading.Event) -> None:
        """Wait until the other side has done something, or has nothing left to do."""
        while not self._front_cells and self._plans and not stop.wait(LOOK_SECONDS):
            pass

    def note_front(self, cells: int) -> None:
        """Remember what the other side has done."""
        with self._lock:
            self._front_cells += cells

    def note_back(self, cells: int, seconds: float) -> None:
        """Remember how fast a piece was."""
        with self._lock:
            self._back_speed = cells / max(seconds, 1e-6)

    def _seconds_left(self) -> float:
        left = sum(plan.residues for plan in self._plans) * self._length
        speed = self._front_cells / max(time.perf_counter() - self._began, 1e-6)
        return left / speed if speed else 0.0

    def _plan(self, start: int, stop: int) -> ChunkPlan:
        return ChunkPlan(start, stop, int(self._offsets[stop] - self._offsets[start]))
