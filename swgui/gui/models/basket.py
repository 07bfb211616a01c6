"""The basket: hits ticked by the user, across queries, apart from the selection."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class Basket:
    """A set of hits, named by query and row of its ranked list."""

    def __init__(self) -> None:
        self._rows: dict[int, set[int]] = {}

    def __len__(self) -> int:
        return sum(len(rows) for rows in self._rows.values())

    def contains(self, query_index: int, row: int) -> bool:
        """Whether a hit is ticked."""
        return row in self._rows.get(query_index, ())

    def contains_all(self, query_index: int, rows: Iterable[int]) -> bool:
        """Whether all of some hits of one query are ticked."""
        return self._rows.get(query_index, set()).issuperset(rows)

    def set(self, query_index: int, rows: Iterable[int], ticked: bool) -> None:
        """Tick or untick hits of one query."""
        mine = self._rows.setdefault(query_index, set())
        if ticked:
            mine.update(int(row) for row in rows)
        else:
            mine.difference_update(int(row) for row in rows)

    def clear(self) -> None:
        """Untick everything."""
        self._rows.clear()

    def rows(self, query_index: int) -> list[int]:
        """Return the ticked rows of one query in rank order."""
        return sorted(self._rows.get(query_index, ()))

    def queries(self) -> list[int]:
        """Return the queries that have ticked hits, in order."""
        return sorted(query for query, rows in self._rows.items() if rows)

    def mask(self, query_index: int, length: int) -> NDArray[np.bool_]:
        """Return which rows of one query are ticked, shape (length,)."""
        mask = np.zeros(length, dtype=bool)
        mask[self.rows(query_index)] = True
        return mask
