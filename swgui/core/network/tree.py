"""The tree of all thresholds: the order in which clusters join as pairs are added from the best to the worst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """A tree of N sequences: the pairs that join two clusters, from the best on.

    Parameters
    ----------
    sequences : int
    first, second : ndarray, shape=(k,), dtype=int64
        Source indices of the pairs.
    weights : ndarray, shape=(k,), dtype=float64
        Weight of each pair, descending.
    """

    sequences: int
    first: _Ints
    second: _Ints
    weights: NDArray[np.float64]

    def cut(self, weight: float) -> _Ints:
        """Return for each sequence the smallest source index of its cluster, where pairs of at least `weight` join."""
        parent = list(range(self.sequences))
        taken = int(np.searchsorted(-self.weights, -weight, side="right"))
        for a, b in zip(self.first[:taken].tolist(), self.second[:taken].tolist(), strict=True):
            _join(parent, a, b)
        return np.array([_root(parent, number) for number in range(self.sequences)], dtype=np.int64)

    def counts(self, weights: NDArray[np.float64]) -> _Ints:
        """Return the number of clusters at each of some cuts, shape as `weights`."""
        return np.asarray(self.sequences - np.searchsorted(-self.weights, -weights, side="right"), dtype=np.int64)


def grow(sequences: int, first: _Ints, second: _Ints, weights: NDArray[np.float64]) -> Tree:
    """Return the tree of pairs (Kruskal's method); of equal weights the pair of the first sequences joins.

    Parameters
    ----------
    first, second : ndarray, shape=(n,), dtype=int64
    weights : ndarray, shape=(n,), dtype=float64
        The more the more alike.
    """
    order = np.lexsort((second, first, -weights))
    parent, kept = list(range(sequences)), []
    pairs = zip(order.tolist(), first[order].tolist(), second[order].tolist(), strict=True)
    for number, a, b in pairs:
        if _join(parent, a, b):
            kept.append(number)
            if len(kept) == sequences - 1:
                break
    chosen = np.array(kept, dtype=np.int64)
    return Tree(sequences, first[chosen], second[chosen], weights[chosen])


def upgma(sequences: int, joins: Sequence[tuple[int, int, float]]) -> Tree:
    """Return the tree of the joins of `upgma_joins`, whose clusters are named by their first sequences."""
    first, second, weights = zip(*joins, strict=True) if joins else ((), (), ())
    ends = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
    return Tree(sequences, *ends, np.array(weights, dtype=np.float64))


def _root(parent: list[int], number: int) -> int:
    while parent[number] != number:
        parent[number] = number = parent[parent[number]]
    return number


def _join(parent: list[int], a: int, b: int) -> bool:
    """Join two clusters under the smaller number; False if they are one already."""
    a, b = _root(parent, a), _root(parent, b)
    if a == b:
        return False
    parent[max(a, b)] = min(a, b)
    return True


def newick(tree: Tree, names: list[str], depth: float) -> str:
    """Return the tree in Newick format; a join at weight w lies at height (`depth` - w) / 2.

    Clusters that no pair joins hang below a root at height `depth` / 2. Names are quoted with ``'``.
    """
    parent = list(range(tree.sequences))
    texts = {number: "'" + name.replace("'", "''") + "'" for number, name in enumerate(names)}
    heights = dict.fromkeys(texts, 0.0)
    for a, b, weight in zip(tree.first.tolist(), tree.second.tolist(), tree.weights.tolist(), strict=True):
        a, b = sorted((_root(parent, a), _root(parent, b)))
        height = max((depth - weight) / 2, heights[a], heights[b])
        joined = ",".join(f"{texts.pop(end)}:{height - heights.pop(end):.6g}" for end in (a, b))
        _join(parent, a, b)
        texts[a], heights[a] = f"({joined})", height
    if len(texts) == 1:
        return f"{next(iter(texts.values()))};\n"
    top = max(depth / 2, *heights.values())
    return "(" + ",".join(f"{text}:{top - heights[number]:.6g}" for number, text in texts.items()) + ");\n"
