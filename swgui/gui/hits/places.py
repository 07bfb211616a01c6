"""Rows of the ranked list as they stand below each other, unfolded ones followed by their alignments. Without Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

SUBJECT = -1  # the part of a place that stands for a whole subject


@dataclass(frozen=True, eq=False)
class Places:
    """What stands at each place of a list."""

    subjects: NDArray[np.int64] = field(repr=False)  # rows of the ranked list in the order shown, shape (k,)
    # Row of each place; `subjects` itself while nothing is unfolded, shape (n,)
    rows: NDArray[np.int64] = field(repr=False)
    # Number of the alignment of each place from 0, `SUBJECT` where it stands for all; None while nothing is unfolded,
    # shape (n,)
    parts: NDArray[np.int64] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, subjects: NDArray[np.int64], unfolded: Mapping[int, int]) -> Places:
        """Return the places of some rows.

        Parameters
        ----------
        subjects : ndarray, shape=(k,), dtype=int64
        unfolded : mapping of int to int
            Rows to unfold, with how many alignments they have.
        """
        if not unfolded:
            return cls(subjects, subjects)
        sizes = np.ones(len(subjects), dtype=np.int64)
        for row in np.flatnonzero(np.isin(subjects, list(unfolded))).tolist():
            sizes[row] += unfolded[int(subjects[row])]
        starts = np.cumsum(sizes) - sizes
        parts = np.arange(sizes.sum(), dtype=np.int64) - np.repeat(starts, sizes) - 1
        return cls(subjects, np.repeat(subjects, sizes), parts)

    def __len__(self) -> int:
        return len(self.rows)

    def part(self, place: int) -> int:
        """Return the alignment at a place, `SUBJECT` for all of them."""
        return SUBJECT if self.parts is None else int(self.parts[place])

    @cached_property
    def _place_of_row(self) -> NDArray[np.int64]:
        whole = np.arange(len(self.rows)) if self.parts is None else np.flatnonzero(self.parts == SUBJECT)
        places = np.full(int(self.subjects.max(initial=-1)) + 1, -1, dtype=np.int64)
        places[self.rows[whole]] = whole
        return places

    def place_of(self, row: int, part: int = SUBJECT) -> int:
        """Return where a row, or an alignment of it, stands; the row where it is folded, -1 if it is not shown."""
        place = int(self._place_of_row[row]) if 0 <= row < len(self._place_of_row) else -1
        inside = place >= 0 and part >= 0 and self.at(place + 1 + part) == (row, part)
        return place + 1 + part if inside else place

    def places_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places of those of some rows that are shown, shape (n,), dtype int64."""
        places = self._place_of_row[rows[rows < len(self._place_of_row)]]
        shown: NDArray[np.int64] = places[places >= 0]
        return shown

    def at(self, place: int) -> tuple[int, int]:
        """Return row and part of a place, (-1, `SUBJECT`) beyond the ends."""
        return (int(self.rows[place]), self.part(place)) if 0 <= place < len(self.rows) else (-1, SUBJECT)

    def between(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the rows from one place to another, both included, each once, shape (n,), dtype int64."""
        rows = self.rows[first : last + 1]
        if self.parts is None or len(rows) < 2:
            return rows
        first_of_each = np.concatenate([[True], rows[1:] != rows[:-1]])
        return np.compress(first_of_each, rows)
