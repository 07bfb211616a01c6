"""What is left of a search with frameshifts, taken piece by piece by whoever is free.

GPUs take long queries from the front of the line; a CPU beside them takes short ones from its end, and leaves what the
GPUs do soon to them. As the end comes near pieces become smaller, so that all end at about the same time.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.packing import ChunkPlan
from swgui.engines.shifted import NUMBERED

PAIRS: Final = 1_000_000  # of a piece
EVEN: Final = 2  # pieces that what is left makes for each of those who take, at least
SMALLEST: Final = 16  # parts of what is worth a call, at most
WORTH: Final = 2  # calls of the others: with less left whoever takes from the end does not help


@dataclass(frozen=True, slots=True)
class ShiftPiece:
    """Some queries with some subjects.

    Parameters
    ----------
    plan : ChunkPlan
    queries : list of int
    """

    plan: ChunkPlan
    queries: list[int]


def even_share(cells: int, left: int, takers: int) -> int:
    """Return how much of what is left somebody takes for whom so many `cells` are worth a call."""
    return cells if takers < 2 else min(cells, max(left // (EVEN * takers), cells // SMALLEST))


class ShiftLine:
    """Plans and the queries that they are to be scored with; taken from both ends by several threads.

    Parameters
    ----------
    plans : sequence of ChunkPlan
    offsets : ndarray, shape=(n + 1,)
        Where the subjects of the database begin, in storage order.
    lengths : sequence of int
        Of the queries.
    takers : int
        How many take from the front.
    """

    def __init__(
        self, plans: Sequence[ChunkPlan], offsets: NDArray[np.int64], lengths: Sequence[int], takers: int
    ) -> None:
        order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
        self._left = deque((plan, deque(order)) for plan in plans if order)
        self._offsets, self._lengths, self._takers = offsets, lengths, takers
        self._cells = sum(lengths) * sum(plan.residues for plan in plans)
        self._lock = threading.Lock()

    def take(self, cells: int) -> ShiftPiece | None:
        """Return the next piece of about so many residues times bases; None if nothing is left."""
        with self._lock:
            if not self._left:
                return None
            plan, queries = self._left[0]
            some = self._some(plan, queries, even_share(cells, self._cells, self._takers), last=False)
            if not queries:
                self._left.popleft()
            return self._taken(plan, some)

    def take_last(self, cells: int, of_others: int) -> ShiftPiece | None:
        """Return the last piece of at most so many residues times bases; None if the others do what is left soon.

        Parameters
        ----------
        cells : int
        of_others : int
            What is worth a call for those who take from the front.
        """
        with self._lock:
            if not self._left or self._cells < WORTH * of_others:
                return None
            plan, queries = self._left.pop()
            wanted = self._offsets[plan.stop] - cells // max(1, self._lengths[queries[-1]])
            start = plan.start + int(np.searchsorted(self._offsets[plan.start : plan.stop], wanted))
            if start > plan.start:
                self._left.append((self._plan(plan.start, start), queries))
            if start == plan.stop:  # not even one subject
                return None
            plan, queries = self._plan(start, plan.stop), queries.copy()
            some = self._some(plan, queries, cells, last=True)
            if queries:
                self._left.append((plan, queries))
            return self._taken(plan, some)

    def _some(self, plan: ChunkPlan, queries: deque[int], cells: int, *, last: bool) -> list[int]:
        """Remove one query and more from an end, as many as make so many cells."""
        some: list[int] = []
        pairs = plan.stop - plan.start + plan.residues // NUMBERED
        while queries:
            cells -= self._lengths[queries[-1 if last else 0]] * plan.residues
            if some and (cells < 0 or (len(some) + 1) * pairs > PAIRS):
                break
            some.append(queries.pop() if last else queries.popleft())
        return some

    def _taken(self, plan: ChunkPlan, queries: list[int]) -> ShiftPiece:
        self._cells -= sum(self._lengths[at] for at in queries) * plan.residues
        return ShiftPiece(plan, queries)

    def _plan(self, start: int, stop: int) -> ChunkPlan:
        return ChunkPlan(start, stop, int(self._offsets[stop] - self._offsets[start]))
