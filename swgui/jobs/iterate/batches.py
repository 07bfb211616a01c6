"""Queries that are searched together, and those whose profiles are made together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MAX_BATCH: Final = 32  # queries of one search, once so many have their profiles
BATCHES: Final = 4  # that continuing queries make, so that the last few need not wait
GROUPS: Final = 8  # of the queries of a search, at least: the profiles of a group are made in one thread
MAX_GROUP: Final = 4  # queries of a group, at most: the first ones are searched with while the others are made


def batch_size(unfinished: int) -> int:
    """Return how many of the continuing queries must be ready before some are searched with."""
    return max(1, min(MAX_BATCH, unfinished // BATCHES))


def together(costs: Sequence[int], free: int) -> list[list[int]]:
    """Return the queries of a search in groups whose profiles are made together: what takes longest first, and alone.

    Parameters
    ----------
    costs : sequence of int
        Of each query.
    free : int
        Threads that wait for work.
    """
    most = max(GROUPS, free)
    size, share = max(1, min(MAX_GROUP, len(costs) // most)), sum(costs) / most
    groups, room = list[list[int]](), 0.0
    for number in sorted(range(len(costs)), key=lambda number: -costs[number]):
        if not groups or len(groups[-1]) == size or costs[number] > room:
            groups.append([])
            room = share
        groups[-1].append(number)
        room -= costs[number]
    return groups
