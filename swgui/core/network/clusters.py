"""Clusters of sequences by rules whose promises are checked afterwards."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from swgui.core.words import count

_Ints = NDArray[np.int64]
_Linkage = Callable[[float, float, int, int], "float | None"]  # sum, least, similar pairs, all pairs -> how alike


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """Pairs of similar sequences, with weights.

    Parameters
    ----------
    lengths : ndarray, shape=(N,)
        Residues of each sequence.
    first, second : ndarray, shape=(n,), dtype=int64
        Source indices of similar pairs, each pair once.
    similarity : ndarray, shape=(n,), dtype=float64
        Weight of each pair, larger for more similar ones.
    """

    lengths: NDArray[np.integer]
    first: _Ints = field(repr=False)
    second: _Ints = field(repr=False)
    similarity: NDArray[np.float64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.lengths)

    def longest_first(self) -> _Ints:
        """Return the order in which sequences become representatives: longest first, then as in the source."""
        return np.lexsort((np.arange(len(self)), -self.lengths.astype(np.int64)))

    def neighbours(self) -> tuple[_Ints, _Ints, NDArray[np.float64]]:
        """Return the start of the neighbours of each sequence, shape (N + 1,), the neighbours, and their weights."""
        source = np.concatenate([self.first, self.second])
        order = np.argsort(source, kind="stable")
        begins = np.searchsorted(source[order], np.arange(len(self) + 1))
        target = np.concatenate([self.second, self.first])[order]
        return begins, target, np.concatenate([self.similarity, self.similarity])[order]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Cluster of each of N sequences.

    Parameters
    ----------
    representative : ndarray, shape=(N,), dtype=int64
        Source index of the representative of each sequence's cluster.
    """

    representative: _Ints = field(repr=False)

    def __len__(self) -> int:
        return len(np.unique(self.representative))

    @classmethod
    def of_labels(cls, labels: _Ints, graph: Graph) -> Clusters:
        """Take clusters by any numbers; the longest sequence of each represents it."""
        order = graph.longest_first()
        _, first, inverse = np.unique(labels[order], return_index=True, return_inverse=True)
        representative = np.empty(len(labels), dtype=np.int64)
        representative[order] = order[first[inverse]]
        return cls(representative)

    def members(self) -> list[_Ints]:
        """Return the sequences of each cluster, its representative first; the largest cluster first."""
        order = np.lexsort((np.arange(len(self.representative)), self.representative))
        groups = np.split(order, np.flatnonzero(np.diff(self.representative[order])) + 1) if len(order) else []
        sorted_groups = sorted(groups, key=lambda group: (-len(group), int(self.representative[group[0]])))
        return [
            np.concatenate([[self.representative[group[0]]], group[group != self.representative[group[0]]]])
            for group in sorted_groups
        ]


class Census(NamedTuple):
    """Numbers of a network.

    Parameters
    ----------
    clusters : int
        Groups of two or more sequences that edges join.
    largest : int
        Sequences of the largest of them.
    alone : int
        Sequences without an edge.
    """

    sequences: int
    edges: int
    clusters: int
    largest: int
    alone: int

    @classmethod
    def of(cls, sizes: NDArray[np.integer], edges: int) -> Self:
        """Count components by their sizes, shape (components,)."""
        joined = sizes[sizes > 1]
        return cls(int(sizes.sum()), edges, len(joined), int(joined.max(initial=0)), int((sizes == 1).sum()))

    @property
    def joined(self) -> str:
        """The clusters and the sequences that are alone, in words."""
        if not self.clusters:
            return "no two sequences are joined"
        alone = f"; {count(self.alone, 'sequence is', 'sequences are')} alone" if self.alone else ""
        largest = f", the largest with {self.largest:,} sequences" if self.clusters > 1 else ""
        return f"{count(self.clusters, 'cluster')} of two or more{largest}{alone}"

    def said(self, which: str, noun: str = "sequence") -> str:
        """Return the numbers as a sentence.

        Parameters
        ----------
        which : str
            Which pairs are edges, in words.
        """
        if self.sequences == 1:
            return f"1 {noun}: there is no pair to compare."
        return f"{count(self.sequences, noun)}, {count(self.edges, 'edge')} {which}: {self.joined}."


def components(graph: Graph) -> _Ints:
    """Return for each sequence the smallest source index that it is joined with by a path of pairs, shape (N,)."""
    labels = np.arange(len(graph), dtype=np.int64)
    while True:
        low = np.minimum(labels[graph.first], labels[graph.second])
        before = labels.copy()
        np.minimum.at(labels, before[graph.first], low)
        np.minimum.at(labels, before[graph.second], low)
        while not np.array_equal(jumped := labels[labels], labels):
            labels = jumped
        if np.array_equal(before, labels):
            return labels


def by_components(graph: Graph, limit: float) -> Clusters:
    """Join whatever is joined by a path of similar pairs (single linkage)."""
    return Clusters.of_labels(components(graph), graph)


def by_greedy(graph: Graph, limit: float) -> Clusters:
    """Go from the longest to the shortest: each joins the most similar representative, or becomes one.

    Among several equally similar representatives the first one counts. As CD-HIT does, but exactly.
    """
    begins, target, similarity = graph.neighbours()
    representative = np.full(len(graph), -1, dtype=np.int64)
    rank = np.empty(len(graph), dtype=np.int64)
    order = graph.longest_first()
    rank[order] = np.arange(len(graph))
    for sequence in order.tolist():
        inside = slice(begins[sequence], begins[sequence + 1])
        others = target[inside]
        chosen = others[representative[others] == others]
        if not len(chosen):
            representative[sequence] = sequence
            continue
        alike = similarity[inside][representative[others] == others]
        representative[sequence] = chosen[np.lexsort((rank[chosen], -alike))[0]]
    return Clusters(representative)


def by_complete(graph: Graph, limit: float) -> Clusters:
    """Join the two clusters whose least similar pair is most similar, while every pair of the two is similar."""
    return _linked(graph, lambda total, least, pairs, of: least if pairs == of else None)


def by_upgma(graph: Graph, limit: float) -> Clusters:
    """Join the two clusters that are most similar on average, while that reaches the limit; other pairs count as 0."""

    def average(total: float, least: float, pairs: int, of: int) -> float | None:
        return total / of if total / of >= limit else None

    return _linked(graph, average)


def upgma_joins(graph: Graph) -> list[tuple[int, int, float]]:
    """Return the joins of the UPGMA tree: first sequences of both clusters, and how alike these are on average."""
    joins: list[tuple[int, int, float]] = []
    _linked(graph, lambda total, least, pairs, of: total / of, joins)
    return joins


def _linked(graph: Graph, linkage: _Linkage, joins: list[tuple[int, int, float]] | None = None) -> Clusters:
    """Join the most similar two clusters again and again; of equals those whose first sequences come first.

    Parameters
    ----------
    joins : list, optional
        Takes each join, with how alike the two were.
    """
    between: list[dict[int, tuple[float, float, int]]] = [{} for _ in range(len(graph))]
    pairs = zip(graph.first.tolist(), graph.second.tolist(), graph.similarity.tolist(), strict=True)
    for a, b, alike in pairs:
        between[a][b] = between[b][a] = (alike, alike, 1)
    members = [[number] for number in range(len(graph))]
    heap: list[tuple[float, int, int, int]] = []

    def offer(a: int, b: int) -> None:
        total, least, similar = between[a][b]
        alike = linkage(total, least, similar, len(members[a]) * len(members[b]))
        if alike is not None:
            heapq.heappush(heap, (-round(alike, 12), min(a, b), max(a, b), len(members[a]) + len(members[b])))

    for a, others in enumerate(between):
        for b in others:
            if a < b:
                offer(a, b)
    while heap:
        alike, a, b, size = heapq.heappop(heap)
        if len(members[a]) + len(members[b]) != size or not members[a] or not members[b]:
            continue  # one of them has grown since, or is gone
        if joins is not None:
            joins.append((a, b, -alike))
        members[a] += members[b]
        members[b] = []
        for c, (total, least, similar) in between[b].items():
            if c == a:
                continue
            own = between[a].get(c, (0.0, np.inf, 0))
            joined = (own[0] + total, min(own[1], least), own[2] + similar)
            between[a][c] = between[c][a] = joined
            del between[c][b]
        between[a].pop(b, None)
        between[b] = {}
        for c in between[a]:
            offer(a, c)
    labels = np.empty(len(graph), dtype=np.int64)
    for number, group in enumerate(members):
        labels[group] = number
    return Clusters.of_labels(labels, graph)


@dataclass(frozen=True, slots=True)
class ClusterRule:
    """A rule by which sequences are clustered.

    Parameters
    ----------
    promise : str
        What holds of every result.
    broken : callable, optional
        Number of violations of the promise, among the counted pairs; None without a promise.
    """

    name: str
    meaning: str
    promise: str
    cluster: Callable[[Graph, float], Clusters]
    broken: Callable[[Verification], int] | None


@dataclass(frozen=True, slots=True)
class Verification:
    """Counts of pairs that test clusters.

    Parameters
    ----------
    apart, within : int
        Similar pairs between two clusters, and inside of one.
    unlike_within : int
        Pairs inside of a cluster that are not similar.
    unlike_representative : int
        Sequences that are not similar to their representative.
    like_representatives : int
        Similar pairs of representatives.
    """

    apart: int
    within: int
    unlike_within: int
    unlike_representative: int
    like_representatives: int


def verify(clusters: Clusters, graph: Graph) -> Verification:
    """Count the pairs that agree and disagree with clusters."""
    of = clusters.representative
    same = of[graph.first] == of[graph.second]
    sizes = np.unique(of, return_counts=True)[1].astype(np.int64)
    pairs, within = int((sizes * (sizes - 1) // 2).sum()), int(same.sum())
    own = np.arange(len(graph))
    alone = of != own
    with_representative = (of[graph.first] == graph.second) | (of[graph.second] == graph.first)
    representatives = (of[graph.first] == graph.first) & (of[graph.second] == graph.second)
    return Verification(
        apart=int((~same).sum()),
        within=within,
        unlike_within=pairs - within,
        unlike_representative=int(alone.sum()) - int((with_representative & same).sum()),
        like_representatives=int(representatives.sum()),
    )


CLUSTER_RULES: Final = {
    rule.name: rule
    for rule in (
        ClusterRule(
            "components",
            "whatever a path of similar pairs joins (single linkage)",
            "no similar pair lies in two clusters",
            by_components,
            lambda counted: counted.apart,
        ),
        ClusterRule(
            "greedy",
            "longest first, each to the most similar representative",
            "every sequence is similar to its representative, and no two representatives are",
            by_greedy,
            lambda counted: counted.unlike_representative + counted.like_representatives,
        ),
        ClusterRule(
            "complete",
            "every pair of a cluster is similar (complete linkage)",
            "every pair of a cluster is similar",
            by_complete,
            lambda counted: counted.unlike_within,
        ),
        ClusterRule(
            "upgma",
            "similar on average (UPGMA); pairs that are not similar count as 0",
            "",
            by_upgma,
            None,
        ),
    )
}
