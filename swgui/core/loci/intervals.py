"""Half-open ranges, found by overlap with binary searches, and laid into lanes in which none overlap."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.ranges import concatenated_ranges

_Ints = NDArray[np.int64]


class Overlaps(NamedTuple):
    """Pairs of a place and a range that overlap, by place, then by range."""

    place: _Ints  # shape (n,)
    row: _Ints  # shape (n,)
    shift: _Ints  # what brings the place to the positions of the range: 0, or the length of a circle, shape (n,)


class Intervals(msgspec.Struct, frozen=True, eq=False, dict=True):
    """k ranges, ascending by their start."""

    # starts, ends: shape (k,)
    starts: _Ints
    ends: _Ints

    def overlapping(self, starts: _Ints, ends: _Ints, circle: int = 0) -> Overlaps:
        """Return pairs of places and ranges that have a position in common, at most one of each two.

        Parameters
        ----------
        starts, ends : ndarray, shape=(n,), dtype=int64
            Half-open ranges.
        circle : int
            Length of a circle on which places and ranges may end behind its origin; 0 for a line.
        """
        found: list[tuple[_Ints, _Ints, _Ints]] = []
        for rows, begins, longest in self._levels:
            for shift in (0, -circle, circle) if circle else (0,):
                low, high = starts + shift, ends + shift
                first = np.searchsorted(begins, low - longest, "right")
                sizes = np.maximum(np.searchsorted(begins, high, "left") - first, 0)
                row, place = rows[concatenated_ranges(first, sizes)], np.repeat(np.arange(len(starts)), sizes)
                kept = self.ends[row] > low[place]
                found.append((place[kept], row[kept], np.full(int(kept.sum()), shift, np.int64)))
        if not found:
            return Overlaps(*(np.zeros(0, np.int64) for _ in range(3)))
        place, row, shift_of = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((np.abs(shift_of), row, place))
        place, row, shift_of = place[order], row[order], shift_of[order]
        new = np.ones(len(place), np.bool_)
        new[1:] = (np.diff(place) != 0) | (np.diff(row) != 0)
        return Overlaps(place[new], row[new], shift_of[new])

    def within(self, start: int, end: int) -> _Ints:
        """Return the rows of the ranges that overlap one place, ascending."""
        found = []
        for rows, begins, longest in self._levels:
            first, behind = np.searchsorted(begins, [start - longest + 1, end])
            some = rows[first:behind]
            found.append(some[self.ends[some] > start])
        return np.sort(np.concatenate(found)) if found else np.zeros(0, np.int64)

    @cached_property
    def _levels(self) -> list[tuple[_Ints, _Ints, int]]:
        """Rows, their starts and the longest of them, of the ranges of similar length.

        Ranges of a class are at most twice as long as each other, so that at most about half of the candidates between
        two binary searches do not overlap.
        """
        sizes = self.ends - self.starts
        levels = np.log2(np.maximum(sizes, 1)).astype(np.int64)
        return [
            (rows, self.starts[rows], int(sizes[rows].max()))
            for rows in (np.flatnonzero(levels == level) for level in np.unique(levels))
        ]

    def lanes(self, most: int) -> NDArray[np.int16]:
        """Return a lane for each range, so that no two of a lane overlap; the last lane takes what is left.

        Parameters
        ----------
        most : int
            Number of lanes at most.

        Returns
        -------
        ndarray, shape=(k,), dtype=int16
        """
        taken = [int(self.starts[0]) if len(self.starts) else 0] * most  # where each lane is free again
        lanes = np.empty(len(self.starts), np.int16)
        for row, (start, end) in enumerate(zip(self.starts.tolist(), self.ends.tolist(), strict=True)):
            lane = next((lane for lane, free in enumerate(taken) if free <= start), most - 1)
            taken[lane] = max(taken[lane], end)
            lanes[row] = lane
        return lanes
