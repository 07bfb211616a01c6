"""Columns that change alone along a tree of the rows: the alignments that scores of pairs are compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.covariation.alignment import ABSENT, BASES

_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Rows, each joined to its nearest one of those before: a minimum spanning tree.

    Parameters
    ----------
    order : ndarray, shape=(rows,), dtype=int64
        Rows as they were joined, the first one first.
    parents : ndarray, shape=(rows,), dtype=int64
        Row that each was joined to; -1 for the first.
    distances : ndarray, shape=(rows,)
        To it: the share of columns with bases in both rows that differ.
    neighbours : ndarray, shape=(rows,), dtype=int64
        How many rows are close to each, itself included.
    """

    order: _Ints
    parents: _Ints
    distances: _Floats
    neighbours: _Ints

    def edges(self) -> tuple[_Ints, _Ints]:
        """Rows behind the first one in the order of `order`, and the row that each was joined to."""
        later = self.order[1:]
        return later, self.parents[later]


def substitutions(codes: NDArray[np.uint8], tree: Tree) -> _Ints:
    """Edges of the tree whose ends have different bases in each column, shape (columns,)."""
    later, parents = tree.edges()
    both = (codes[later] < ABSENT) & (codes[parents] < ABSENT)
    return np.asarray(((codes[later] != codes[parents]) & both).sum(axis=0), dtype=np.int64)


class LoneColumns:
    """Source of alignments whose columns change alone.

    A copy has the gaps of the original and its tree. In each column as many edges change the base as in the original,
    on average, the longer ones more often, and the new base is drawn from the other bases of the column.

    Parameters
    ----------
    codes : ndarray, shape=(rows, columns), dtype=uint8
        As of `BaseAlignment`.
    tree : Tree
    weights : ndarray, shape=(rows,)
        Weigh the bases of a column.
    """

    def __init__(self, codes: NDArray[np.uint8], tree: Tree, weights: _Floats) -> None:
        self._absent, self._first = codes == ABSENT, int(tree.order[0])
        self._later, self._parents = tree.edges()
        distances = tree.distances[self._later][:, None]
        both = ~self._absent[self._later] & ~self._absent[self._parents]
        expected = (both * distances).sum(axis=0)
        rates = substitutions(codes, tree) / np.maximum(expected, 1e-12)
        self._changes = np.minimum(rates * distances, 1.0)  # chance of a change, [edges][columns]
        shares = np.stack([((codes == base) * weights[:, None]).sum(axis=0) for base in range(BASES)])
        shares = shares / np.maximum(shares.sum(axis=0), 1e-12)
        self._starts = np.cumsum(shares, axis=0)[:-1]
        # Where the draw of a new base ends for each base but the last, by the base before: [bases][bases - 1][columns].
        self._others = np.stack([_without(shares, base) for base in range(BASES)])

    def copy(self, random: np.random.Generator, chosen: _Ints) -> NDArray[np.uint8]:
        """Codes of one alignment of some columns, shape (rows, chosen)."""
        rows, columns = len(self._absent), len(chosen)
        made = np.empty((rows, columns), dtype=np.uint8)
        made[self._first] = (random.random(columns) > self._starts[:, chosen]).sum(axis=0)
        changes = random.random((rows - 1, columns)) < self._changes[:, chosen]
        draws, others = random.random((rows - 1, columns)), self._others[:, :, None, chosen]
        new = np.zeros((BASES, rows - 1, columns), dtype=np.uint8)
        for base in range(BASES - 1):
            new += draws > others[:, base]
        every = np.arange(columns)
        for edge, (row, parent) in enumerate(zip(self._later.tolist(), self._parents.tolist(), strict=True)):
            before = made[parent]
            made[row] = np.where(changes[edge], new[before, edge, every], before)
        made[self._absent[:, chosen]] = ABSENT
        return made


def _without(shares: _Floats, base: int) -> _Floats:
    """Return sums of the shares of bases but one, scaled to 1, but the last sum; the base itself where it is alone."""
    others = shares.copy()
    others[base] = 0
    total = others.sum(axis=0)
    others = np.where(total > 0, others / np.maximum(total, 1e-12), (np.arange(BASES) == base)[:, None])
    return np.cumsum(others, axis=0)[:-1]
