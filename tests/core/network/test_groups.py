"""Groups of the sequences of a network: sizes, clusters and edges, counted by hand."""

from __future__ import annotations

import numpy as np

from swgui.core.network.groups import Group, groups_of


def test_groups_are_counted() -> None:
    values = ["b", "a", "b", "", "b", "a"]
    clusters = np.array([0, 0, 0, 1, 2, 3])
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])  # a triangle of two b and one a
    assert groups_of(values, clusters, first, second) == [
        Group("b", 3, 2, 1, 2),
        Group("a", 2, 2, 0, 2),
        Group("", 1, 1, 0, 0),
    ]
    assert groups_of([], clusters[:0], first[:0], second[:0]) == []
