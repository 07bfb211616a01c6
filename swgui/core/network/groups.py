"""Groups of the sequences of a network by a value of each, such as one of a column of the user's own table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Group(NamedTuple):
    """The sequences of one value.

    Parameters
    ----------
    value : str
        Empty for sequences without a value.
    sequences : int
    clusters : int
        Clusters with at least one of these sequences; a sequence that is alone is a cluster.
    inside, between : int
        Edges that join two of these sequences, and edges that join one of them with a sequence of another value.
    """

    value: str
    sequences: int
    clusters: int
    inside: int
    between: int


def groups_of(
    values: Sequence[str], clusters: NDArray[np.integer], first: NDArray[np.integer], second: NDArray[np.integer]
) -> list[Group]:
    """Return the groups of a network, the largest first, sequences without a value last.

    Parameters
    ----------
    values : sequence of str
        Value of each of N sequences; empty where there is none.
    clusters : ndarray, shape=(N,)
        Number of the cluster of each sequence.
    first, second : ndarray, shape=(n,)
        The two sequences of each edge.
    """
    if not len(values):
        return []
    names, number = np.unique(np.array(values, dtype=object).astype(str), return_inverse=True)
    total = len(names)
    sizes = np.bincount(number, minlength=total)
    of_cluster = np.bincount(np.unique(np.stack([number, clusters]), axis=1)[0], minlength=total)
    ends = number[first], number[second]
    same = ends[0] == ends[1]
    inside = np.bincount(ends[0][same], minlength=total)
    between = np.bincount(ends[0][~same], minlength=total) + np.bincount(ends[1][~same], minlength=total)
    order = np.lexsort((names, -sizes, names == "")).tolist()
    numbers = np.stack([sizes, of_cluster, inside, between], axis=1).tolist()
    return [Group(str(names[at]), *numbers[at]) for at in order]
