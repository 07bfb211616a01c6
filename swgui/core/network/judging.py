"""Another program's clusters compared with all pairs: wrongly separated and wrongly joined sequences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from swgui.core.network.clusters import Graph
from swgui.core.network.edges import rows_of

_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """Counts of all pairs that judge clusters.

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
    graph : Graph
        The similar pairs, by first and second sequence.
    every : bool
        Whether every pair of a cluster should be similar, not only those with the representative.
    """
    apart = labels[graph.first] != labels[graph.second]
    parted = np.stack([graph.first[apart], graph.second[apart]], axis=1)
    within = graph.first[~apart], graph.second[~apart]
    joined = [pairs[rows_of(pairs, *within) < 0] for pairs in _expected(labels, representative, every=every)]
    return Judgement(parted, np.concatenate([np.zeros((0, 2), dtype=np.int64), *joined]))


def _expected(labels: _Ints, representative: _Ints, *, every: bool) -> Iterator[_Ints]:
    """Yield the pairs of each cluster that should be similar, the smaller source index first, shape (k, 2)."""
    order = np.argsort(labels, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else ():
        main = int(representative[group[0]])
        if every or main < 0:
            yield np.stack([group[ends] for ends in np.triu_indices(len(group), 1)], axis=1)
        else:
            others = group[group != main]
            yield np.stack([np.minimum(others, main), np.maximum(others, main)], axis=1)
