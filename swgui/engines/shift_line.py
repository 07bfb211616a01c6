"""What is left of a search with frameshifts, taken piece by piece by whichever device is free: long queries first.

As the end comes near pieces become smaller, so that all end at about the same time.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from swgui.core.packing import ChunkPlan
from swgui.engines.shifted import NUMBERED

PAIRS: Final = 1_000_000  # of a piece
EVEN: Final = 2  # pieces that what is left makes for each of those who take, at least
SMALLEST: Final = 16  # parts of what is worth a call, at most


@dataclass(frozen=True, slots=True)
class ShiftPiece:
    """Some queries with some subjects.

    Parameters
    ----------
    queries : list of int
    """

    plan: ChunkPlan
    queries: list[int]


def even_share(cells: int, left: int, takers: int) -> int:
    """Return how much of what is left somebody takes for whom so many `cells` are worth a call."""
    return cells if takers < 2 else min(cells, max(left // (EVEN * takers), cells // SMALLEST))


class ShiftLine:
    """Plans and the queries that they are to be scored with; several threads take of them.

    Parameters
    ----------
    plans : sequence of ChunkPlan
    lengths : sequence of int
        Of the queries.
    takers : int
        How many take.
    """

    def __init__(self, plans: Sequence[ChunkPlan], lengths: Sequence[int], takers: int) -> None:
        order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
        self._left = deque((plan, deque(order)) for plan in plans if order)
        self._lengths, self._takers = lengths, takers
        self._cells = sum(lengths) * sum(plan.residues for plan in plans)
        self._lock = threading.Lock()

    def take(self, cells: int) -> ShiftPiece | None:
        """Return the next piece of about so many residues times bases; None if nothing is left."""
        with self._lock:
            if not self._left:
                return None
            plan, queries = self._left[0]
            some = self._some(plan, queries, even_share(cells, self._cells, self._takers))
            if not queries:
                self._left.popleft()
            return self._taken(plan, some)

    def _some(self, plan: ChunkPlan, queries: deque[int], cells: int) -> list[int]:
        """Remove one query and more, as many as make so many cells."""
        some: list[int] = []
        pairs = plan.stop - plan.start + plan.residues // NUMBERED
        while queries:
            cells -= self._lengths[queries[0]] * plan.residues
            if some and (cells < 0 or (len(some) + 1) * pairs > PAIRS):
                break
            some.append(queries.popleft())
        return some

    def _taken(self, plan: ChunkPlan, queries: list[int]) -> ShiftPiece:
        self._cells -= sum(self._lengths[at] for at in queries) * plan.residues
        return ShiftPiece(plan, queries)
