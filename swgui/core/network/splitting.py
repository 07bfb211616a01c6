"""Parts of a set of sequences between which no pair is similar: for training and testing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter
from swgui.core.network.clusters import Graph, components

DROPPED = -1  # in no part
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Part of each of N sequences, `DROPPED` for none.

    Parameters
    ----------
    part : ndarray, shape=(N,), dtype=int64
    largest : int
        Sequences of the largest component, before any was dropped.
    """

    part: _Ints
    largest: int

    def sizes(self, parts: int) -> list[int]:
        """Return the number of sequences of each part."""
        return [int((self.part == number).sum()) for number in range(parts)]


def split(graph: Graph, shares: list[float], *, drop: bool = False) -> Split:
    """Put whole components into parts: the largest first, each where most is left to be filled.

    Parameters
    ----------
    shares : list of float
        Sizes of the parts; only their ratios count.
    drop : bool
        If a component is larger than the largest part: leave out its sequences with the most similar ones, one after
        the other, until the rest fits.

    Returns
    -------
    Split
        No similar pair lies in two parts.

    Raises
    ------
    InvalidParameter
        If a component is larger than the largest part, and nothing may be dropped, or the shares make no sense.
    """
    if len(shares) < 2 or min(shares) <= 0:
        raise InvalidParameter("bins", shares, "There must be two parts or more, each above 0.", hint="Take 80,10,10.")
    wanted = np.array(shares, dtype=np.float64) / sum(shares)
    labels = components(graph)
    largest = int(np.bincount(labels, minlength=1).max()) if len(graph) else 0
    room = max(int(np.ceil(wanted.max() * len(graph))), 1)
    dropped = np.zeros(len(graph), dtype=np.bool_)
    if largest > room:
        if not drop:
            raise InvalidParameter(
                "bins",
                shares,
                f"{largest:,} of {len(graph):,} sequences hang together by similar pairs, and the largest part would "
                f"have {room:,}.",
                hint="Take a higher identity, or leave sequences out with --drop.",
            )
        labels, dropped = _cut(graph, room)
    part = np.full(len(graph), DROPPED, dtype=np.int64)
    kept = np.flatnonzero(~dropped)
    numbers, sizes = np.unique(labels[kept], return_counts=True)
    filled = np.zeros(len(shares))
    for number in np.lexsort((numbers, -sizes)).tolist():
        left = wanted * len(kept) - filled
        chosen = int(np.argmax(left))
        part[kept[labels[kept] == numbers[number]]] = chosen
        filled[chosen] += sizes[number]
    return Split(part, largest)


def _cut(graph: Graph, room: int) -> tuple[_Ints, NDArray[np.bool_]]:
    """Drop the sequence with the most similar ones of the largest component, until every component has room."""
    dropped = np.zeros(len(graph), dtype=np.bool_)
    some = graph
    while True:
        labels = components(some)
        sizes = np.bincount(labels[~dropped], minlength=len(graph))
        if sizes.max() <= room:
            return labels, dropped
        inside = labels == int(np.argmax(sizes))
        degree = np.bincount(np.concatenate([some.first, some.second]), minlength=len(graph)) * (inside & ~dropped)
        excess = max(1, (int(sizes.max()) - room) // 16)  # of a large component several at a time
        worst = np.lexsort((np.arange(len(graph)), -degree))[:excess]
        dropped[worst[degree[worst] > 0]] = True
        left = ~(dropped[some.first] | dropped[some.second])
        some = Graph(graph.lengths, some.first[left], some.second[left], some.similarity[left])
