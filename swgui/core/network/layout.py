"""Positions of the sequences of a network in a drawing: each component by forces, in rows, the largest first.

Sequences push each other apart by the density of a grid, edges pull like springs. The same network is always laid out
in the same way.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.network.clusters import Graph, components
from swgui.core.network.tree import grow
from swgui.core.ranges import places_within

STEPS: Final = 150
NEAREST: Final = 4  # edges of each sequence that pull, in addition to those of the tree: more only cost time
GAP, GAP_ALONE = 1.6, 0.8  # between components, and sequences that are alone, in distances of neighbours
GOLDEN: Final = np.pi * (3 - np.sqrt(5))
_SPRING: Final = 0.18
_PUSH: Final = 0.9
_HOME: Final = 0.02

_Places = NDArray[np.float64]


def lay_out(graph: Graph, *, check: Check = lambda: None) -> _Places:
    """Return the position of each sequence, shape (N, 2); neighbours are about 1 apart.

    Parameters
    ----------
    check : callable
        Called after each step; may raise to give up.
    """
    labels = components(graph)
    _, numbers, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    centres, radii = _packed(sizes)
    places = centres[numbers] + _spirals(numbers, sizes, graph)
    first, second = _pulling(graph)
    if not len(first):
        return places
    home = centres[numbers]
    for step in range(STEPS):
        check()
        moves = _springs(places, first, second) + _pushes(places) - _HOME * (places - home)
        longest = 1.0 - 0.95 * step / STEPS
        size = np.maximum(np.hypot(*moves.T), 1e-12)
        places = places + moves * (np.minimum(size, longest) / size)[:, None]
    return _at_home(places, numbers, centres, radii, sizes)


def _packed(sizes: NDArray[np.int64]) -> tuple[_Places, NDArray[np.float64]]:
    """Return the centre and the radius of each component: in rows, the largest first."""
    radii = np.where(sizes > 1, 0.9 * np.sqrt(sizes) + 0.4, 0.0)
    widths = 2 * radii + np.where(sizes > 1, GAP, GAP_ALONE)
    across = max(float(np.sqrt((widths**2).sum())) * 1.25, float(widths.max(initial=0.0)))
    centres = np.empty((len(sizes), 2))
    x = y = height = 0.0
    for number in np.lexsort((np.arange(len(sizes)), -sizes)).tolist():
        if x and x + widths[number] > across:
            x, y, height = 0.0, y + height, 0.0
        height = max(height, float(widths[number]))
        centres[number] = x + widths[number] / 2, y + height / 2
        x += float(widths[number])
    return centres, radii


def _spirals(numbers: NDArray[np.int64], sizes: NDArray[np.int64], graph: Graph) -> _Places:
    """Return the first positions around the centre of their component: on a spiral, those with most edges inside."""
    degree = np.bincount(np.concatenate([graph.first, graph.second]), minlength=len(graph))
    order = np.lexsort((np.arange(len(graph)), -degree, numbers))
    rank = np.empty(len(graph))
    rank[order] = places_within(sizes)
    far, angle = 0.8 * np.sqrt(rank), GOLDEN * rank
    return np.stack([far * np.cos(angle), far * np.sin(angle)], axis=1)


def _pulling(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the edges that pull: those of the tree, and the strongest ones of each sequence."""
    tree = grow(len(graph), graph.first, graph.second, graph.similarity)
    order = np.argsort(-graph.similarity, kind="stable")
    chosen = np.zeros(len(order), dtype=np.bool_)
    for ends in (graph.first[order], graph.second[order]):
        by_end = np.argsort(ends, kind="stable")
        begins = np.searchsorted(ends[by_end], ends[by_end])
        chosen[order[by_end[np.arange(len(order)) - begins < NEAREST]]] = True
    return (
        np.concatenate([tree.first, graph.first[chosen]]),
        np.concatenate([tree.second, graph.second[chosen]]),
    )


def _springs(places: _Places, first: NDArray[np.int64], second: NDArray[np.int64]) -> _Places:
    apart = places[second] - places[first]
    far = np.maximum(np.hypot(*apart.T), 1e-9)
    pull = _SPRING * (far - 1.0) / far
    moves = np.zeros_like(places)
    counts = np.maximum(np.bincount(np.concatenate([first, second]), minlength=len(places)), 1)
    for axis in (0, 1):
        force = pull * apart[:, axis]
        moves[:, axis] += np.bincount(first, force, len(places)) - np.bincount(second, force, len(places))
    return moves / np.sqrt(counts)[:, None]


def _pushes(places: _Places) -> _Places:
    """Return the slope of the density of sequences where each of them is, downhill."""
    low = places.min(axis=0) - 3
    cells = np.floor(places - low).astype(np.int64)
    shape = cells.max(axis=0) + 4
    density = np.bincount(cells[:, 0] * shape[1] + cells[:, 1], minlength=int(shape.prod())).astype(np.float64)
    density = density.reshape(shape)
    for _ in range(2):
        for axis in (0, 1):
            density = (np.roll(density, 1, axis) + 2 * density + np.roll(density, -1, axis)) / 4
    inside = places - low - cells - 0.5
    moves = np.empty_like(places)
    for axis in (0, 1):
        slope = (np.roll(density, -1, axis) - np.roll(density, 1, axis)) / 2
        moves[:, axis] = -_PUSH * slope[cells[:, 0], cells[:, 1]] + 0.05 * inside[:, axis]
    return moves


def _at_home(
    places: _Places,
    numbers: NDArray[np.int64],
    centres: _Places,
    radii: NDArray[np.float64],
    sizes: NDArray[np.int64],
) -> _Places:
    """Return places with each component around its centre, and within its radius."""
    means = np.stack([np.bincount(numbers, places[:, axis], len(sizes)) / sizes for axis in (0, 1)], axis=1)
    around = places - means[numbers]
    reach = np.zeros(len(sizes))
    np.maximum.at(reach, numbers, np.hypot(*around.T))
    shrink = np.minimum(1.0, radii / np.maximum(reach, 1e-9))
    return centres[numbers] + around * np.where(sizes > 1, shrink, 0.0)[numbers][:, None]
