"""Boxes of many strands, in which a device found alignments: where the best of each lies, what of a stretch is left."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.scores import WindowScores

_Ints = NDArray[np.int64]


class KnownBoxes:
    """Where the subjects of items score, as far as it is known from boxes.

    Parameters
    ----------
    windows : sequence of WindowScores or None
        Of each item.
    least : ndarray, shape=(n,), dtype=int64
        The lowest score that is wanted of each.

    Attributes
    ----------
    know : ndarray, shape=(n,), dtype=bool
        Of which items there are boxes.
    """

    def __init__(self, windows: Sequence[WindowScores | None], least: _Ints) -> None:
        both = zip(windows, least.tolist(), strict=True)
        own = [one if one is not None and one.boxes(low) else None for one, low in both]
        self.least, self.know = least, np.array([one is not None for one in own], dtype=bool)
        kinds: tuple[list[_Ints], ...] = ([], [], [])
        for item, one in enumerate(own):
            if one is not None:
                boxes = np.stack([one.starts, one.stops, one.scores.astype(np.int64)])
                for kind, ranges in zip(kinds, (boxes, one.begins, one.ends), strict=True):
                    enough = ranges[:, ranges[2] >= least[item]]
                    kind.append(np.concatenate([np.full((1, enough.shape[1]), item), enough]))
        nothing = np.zeros((4, 0), dtype=np.int64)
        self._boxes, self._begins, self._ends = (np.concatenate([nothing, *kind], axis=1) for kind in kinds)
        # Places of different items are far away from each other, so that one search finds those of all.
        self._apart = 2 + max(int(ranges[2].max(initial=0)) for ranges in (self._boxes, self._begins, self._ends))
        self._stops = [
            np.maximum.accumulate(self._place(ranges[0], ranges[2])) for ranges in (self._begins, self._ends)
        ]

    def _place(self, item: _Ints, at: _Ints) -> _Ints:
        return np.asarray(item * self._apart + at)

    def around_best(self) -> tuple[_Ints, _Ints, _Ints, _Ints, _Ints]:
        """Return the boxes that reach the least score, as five columns.

        Of each its item, the residues, or codons, that hold its best alignment, of equals the one that ends first, and
        those of the box.
        """
        item, starts, stops, _ = self._boxes
        first, last = (self._first_with(ranges)[number] for ranges, number in ((self._begins, 1), (self._ends, 2)))
        return item, first, last, starts, stops

    def _first_with(self, ranges: _Ints) -> _Ints:
        """Return the first range of each box that has its score."""
        item, starts, _, scores = self._boxes
        box = np.searchsorted(self._place(item, starts), self._place(ranges[0], ranges[2] - 1), side="right") - 1
        enough = np.flatnonzero(ranges[3] >= scores[box])
        return np.asarray(ranges[:, enough[np.searchsorted(box[enough], np.arange(len(item)))]])

    def left_of(self, item: _Ints, starts: _Ints, stops: _Ints) -> tuple[_Ints, _Ints, _Ints]:
        """Return what of stretches may hold an alignment that lies wholly in them: items, first columns and columns."""
        begins, ends = self._begins, self._ends
        first = np.searchsorted(self._stops[0], self._place(item, starts), side="right")
        last = np.searchsorted(self._place(ends[0], ends[1]), self._place(item, np.minimum(stops, self._apart - 1))) - 1
        low, high = starts.copy(), stops.copy()
        known = self.know[item]
        some = np.flatnonzero(known)
        if len(some):
            padded = np.concatenate([begins, [[len(self.know)], [0], [0], [0]]], axis=1)
            of_begin, begin = padded[0, first[some]], padded[1, first[some]]
            reached = np.concatenate([self._stops[1], [-1]])[last[some]] - item[some] * self._apart
            there = (of_begin == item[some]) & (begin < stops[some]) & (reached > starts[some])
            low[some] = np.maximum(starts[some], begin)
            high[some] = np.where(there, np.minimum(stops[some], reached), low[some])
        kept = high > low
        return item[kept], low[kept], (high - low)[kept]
