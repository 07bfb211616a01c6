"""Where sequences are drawn, and large networks as pictures."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.control import checking
from swgui.core.errors import Stopped
from swgui.core.network.clusters import Graph, components
from swgui.core.network.drawing import edge_density, put_discs
from swgui.core.network.layout import lay_out


def families(sizes: list[int], seed: int = 0) -> Graph:
    rng = np.random.default_rng(seed)
    first, second, begin = [], [], 0
    for size in sizes:
        for number in range(1, size):
            first.append(begin + int(rng.integers(0, number)))
            second.append(begin + number)
        begin += size
    ends = np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)
    return Graph(np.full(begin, 100), *ends, rng.random(len(first)))


def test_components_do_not_overlap() -> None:
    graph = families([40, 12, 5, 2, 1, 1])
    places, labels = lay_out(graph), components(graph)
    boxes = []
    for label in np.unique(labels):
        own = places[labels == label]
        centre = own.mean(axis=0)
        boxes.append((centre, np.hypot(*(own - centre).T).max()))
    for number, (centre, reach) in enumerate(boxes):
        for other, far in boxes[number + 1 :]:
            assert np.hypot(*(centre - other)) > reach + far


def test_neighbours_are_closer_than_others() -> None:
    graph = families([60])
    places = lay_out(graph)
    near = np.hypot(*(places[graph.first] - places[graph.second]).T)
    rng = np.random.default_rng(1)
    pairs = rng.integers(0, 60, (500, 2))
    far = np.hypot(*(places[pairs[:, 0]] - places[pairs[:, 1]]).T)
    assert np.median(near) < 0.6 * np.median(far)
    assert np.isfinite(places).all()


def test_the_same_network_is_laid_out_the_same() -> None:
    np.testing.assert_array_equal(lay_out(families([20, 3])), lay_out(families([20, 3])))


@pytest.mark.parametrize("sizes", [[1], [2], [1, 1, 1]])
def test_few_sequences(sizes: list[int]) -> None:
    places = lay_out(families(sizes))
    assert places.shape == (sum(sizes), 2)
    assert len(np.unique(places.round(6), axis=0)) == sum(sizes)


def test_it_can_be_given_up() -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        lay_out(families([10]), check=checking(stop))


def test_edges_darken_the_pixels_they_cross() -> None:
    density = edge_density(np.array([[1.5, 2.5]]), np.array([[8.5, 2.5]]), 12, 6)
    assert (density[2, 1:9] > 0).all()
    assert density[[0, 1, 3, 4, 5]].max() == 0
    twice = edge_density(np.array([[1.5, 2.5]] * 2), np.array([[8.5, 2.5]] * 2), 12, 6)
    assert twice[2, 4] > density[2, 4]
    assert edge_density(np.array([[-9.0, -9.0]]), np.array([[-1.0, -1.0]]), 12, 6).max() == 0
    assert edge_density(np.zeros((0, 2)), np.zeros((0, 2)), 4, 3).shape == (3, 4)


def test_discs_are_cut_at_the_border() -> None:
    picture = np.zeros((10, 10, 4), np.uint8)
    put_discs(picture, np.array([[0.0, 0.0], [5.0, 5.0], [90.0, 5.0]]), np.full((3, 4), 255, np.uint8), 2)
    assert picture[0, 0, 0] == picture[5, 7, 0] == 255
    assert picture[9, 0, 0] == picture[7, 7, 0] == 0
