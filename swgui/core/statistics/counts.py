"""Counts of each score among the subjects of each length: the complete input of a fit to the scores of a search.

Where the score of every subject is too much to keep, this is not: it grows with the lengths and scores there are, not
with the subjects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

_SCORE_BITS: Final = 32
_TOGETHER: Final = 1 << 20  # numbers gathered before equal ones are put together
Counted = tuple[NDArray[np.int64], NDArray[np.int64]]  # lengths and scores in one number each, and how many have them


class ScoreCounts:
    """Counts the scores of one query; of several strands each subject counts with its better one.

    Parameters
    ----------
    lengths_of : callable
        Gives the lengths of some subjects as they are scored, by source index.
    strands : int
        Rows of the query, each of which scores every subject.
    """

    def __init__(self, lengths_of: Callable[[NDArray[np.int64]], NDArray[np.int32]], strands: int) -> None:
        self._lengths_of, self._strands = lengths_of, strands
        self._parts: list[Counted] = []
        self._size = 0
        self._waiting: dict[tuple[int, int], dict[int, NDArray[np.int32]]] = {}

    def add(self, strand: int, scores: NDArray[np.int32], db_index: NDArray[np.int64]) -> None:
        """Take in scores of one strand; those of the others are of the same subjects together."""
        if not len(scores):
            return
        if self._strands > 1:
            key = int(db_index[0]), len(db_index)
            of_all = self._waiting.setdefault(key, {})
            of_all[strand] = scores
            if len(of_all) < self._strands:
                return
            scores = np.max(list(self._waiting.pop(key).values()), axis=0)
        self.merge(*_counted(self._lengths_of(db_index), scores))

    def merge(self, numbers: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
        """Add counts from elsewhere, in the form of `counted`; both shape (k,)."""
        self._parts.append((numbers, counts))
        self._size += len(numbers)
        if self._size > _TOGETHER and len(self._parts) > 1:
            self._parts = [self.counted]
            self._size = len(self._parts[0][0])

    @property
    def counted(self) -> Counted:
        """Each length with each score, as a number, ascending, and how many subjects have them."""
        empty = np.zeros(0, dtype=np.int64)
        numbers, counts = (np.concatenate(column) for column in zip(*self._parts, (empty, empty), strict=True))
        if len(self._parts) < 2 or not len(numbers):
            return numbers, counts
        order = np.argsort(numbers, kind="stable")
        numbers, counts = numbers[order], counts[order]
        first = np.concatenate([np.ones(1, dtype=bool), numbers[1:] != numbers[:-1]])
        return numbers[first], np.add.reduceat(counts, np.flatnonzero(first))

    def columns(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]:
        """Return the scores and lengths of the counts, and the number of subjects that have both, shape (k,) each."""
        numbers, counts = self.counted
        return (numbers & ((1 << _SCORE_BITS) - 1)).astype(np.int32), numbers >> _SCORE_BITS, counts


def _counted(lengths: NDArray[np.int32], scores: NDArray[np.int32]) -> Counted:
    numbers = np.sort(lengths.astype(np.int64) << _SCORE_BITS | scores)
    first = np.flatnonzero(np.concatenate([np.ones(1, dtype=bool), numbers[1:] != numbers[:-1]]))
    return numbers[first], np.diff(np.append(first, len(numbers)))
