"""Somebody's clusters held against all pairs: which are wrongly parted, and which wrongly joined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from swgui.core.network.clusters import Graph

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What all pairs say of clusters.

    Parameters
    ----------
    parted : ndarray, shape=(k, 2), dtype=int64
        Similar pairs in two clusters.
    joined : ndarray, shape=(m, 2), dtype=int64
        Pairs of one cluster that are not similar: all of them, or those of a sequence and its representative.
    """

    parted: _Ints = field(repr=False)
    joined: _Ints = field(repr=False)


def judge(labels: _Ints, representative: _Ints, graph: Graph, *, every: bool) -> Judgement:
    """Compare clusters with the similar pairs.

    Parameters
    ----------
    labels : ndarray, shape=(N,)
        Cluster of each sequence.
    representative : ndarray, shape=(N,)
        Source index of its representative, -1 where that is not known: then every pair of the cluster counts.
    every : bool
        Whether every pair of a cluster should be similar, not only those with the representative.
    """
    apart = labels[graph.first] != labels[graph.second]
    parted = np.stack([graph.first[apart], graph.second[apart]], axis=1)
    alike = set(zip(graph.first.tolist(), graph.second.tolist(), strict=True))
    pairs = _expected(labels, representative, every=every)
    joined = [pair for pair in pairs if pair not in alike]
    return Judgement(parted, np.array(joined, dtype=np.int64).reshape(-1, 2))


def _expected(labels: _Ints, representative: _Ints, *, every: bool) -> Iterator[tuple[int, int]]:
    """Yield the pairs that should be similar, the smaller source index first."""
    order = np.argsort(labels, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else ():
        members = sorted(group.tolist())
        main = int(representative[members[0]])
        if every or main < 0:
            for number, first in enumerate(members):
                yield from ((first, second) for second in members[number + 1 :])
        else:
            yield from ((min(main, other), max(main, other)) for other in members if other != main)
