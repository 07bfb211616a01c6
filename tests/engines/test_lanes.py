"""Pieces of a database for several that score at the same time."""

import threading
from concurrent.futures import Future
from typing import NamedTuple

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.database import Piece
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault
from swgui.core.hits.tally import Tally
from swgui.core.several.joined import joined
from swgui.engines import cpu
from swgui.engines.base import DeviceEngine, DeviceInfo
from swgui.engines.translated import Pieces, open_for, score_missing
from tests.engines.conftest import database_of, query_of, random_codes


class Opened(NamedTuple):
    """A piece that is open."""

    bare: bool
    offsets: np.ndarray = np.arange(3)


class Lane(DeviceEngine):
    """A device that keeps some pieces."""

    def __init__(self, number, kept):
        self.devices, self._kept = (DeviceInfo(number, f"Test {number}"),), kept

    unpacks = True

    def keeps(self, key):
        return key in self._kept


def opened(bare, room):
    coming = Future()
    coming.set_result(Opened(bare))
    return coming


def pieces_of(keys, begun):
    return [
        (
            Piece(n, 1, 5, lambda: None, opened, lambda bare, room, key=key: begun.append((key, bare)), key),
            (0, 1),
        )
        for n, key in enumerate(keys)
    ]


def test_each_device_gets_what_it_keeps_and_reads_residues_of_the_rest_alone():
    begun = []
    lanes = [Lane("0", "ad"), Lane("0", "ad"), Lane("1", "c")]
    queue = Pieces(pieces_of("abcdefgh", begun), lanes)
    order = "".join(queue.take(lane)[0].key for lane in [lanes[0], lanes[2], lanes[1], *lanes, *lanes[:2]])
    assert order == "acdbefgh"
    assert queue.take(lanes[0]) is None
    assert {key for key, bare in begun if not bare} == set("befgh")
    assert {key for key, bare in begun if bare} == {"d"}


def test_a_device_that_is_done_takes_what_another_keeps():
    lanes = [Lane("0", "ab"), Lane("1", "")]
    queue = Pieces(pieces_of("ab", []), lanes)
    piece, _ = queue.take(lanes[1])
    never = threading.Event()
    assert not open_for(lanes[1], piece, never).bare
    assert open_for(lanes[0], piece, never).bare
    assert open_for(lanes[1], piece, never, bare=True).bare


def test_stop_does_not_wait_for_what_is_read():
    stopped, coming = threading.Event(), Future()
    stopped.set()
    piece = Piece(0, 1, 5, lambda: None, lambda bare, room: coming)
    assert open_for(Lane("0", ""), piece, stopped) is None
    coming.set_result(Opened(False))
    assert open_for(Lane("0", ""), piece, stopped) is coming.result()
    on_cores = Piece(0, 1, 5, Future().result)
    assert open_for(Lane("0", ""), on_cores, stopped) is None


class TwoLanes(cpu.CpuEngine, DeviceEngine):
    """Cores that score two pieces at the same time."""

    fails = False

    def lanes(self):
        return self, self

    def score(self, queries, database, plans, scheme, cancel):
        if self.fails and len(database) < 20:
            raise EngineFault("It is broken.")
        yield from super().score(queries, database, plans, scheme, cancel)


@pytest.fixture
def scored(rng, protein_scheme):
    members = [
        database_of([random_codes(rng, n, 20) for n in rng.integers(0, 90, size)], PROTEIN) for size in (30, 9, 40)
    ]
    database, queries = joined(members), [query_of(random_codes(rng, n, 20), f"q{n}") for n in (10, 40)]

    def score(engine):
        tally = Tally(2, len(database), 10, keep_scores=True)
        for chunk in score_missing(engine, queries, (1,), database, None, tally, protein_scheme, threading.Event()):
            tally.add(chunk)
        return tally.scores

    return score


def test_pieces_beside_one_another_have_the_scores_of_one_after_the_other(scored):
    device = cpu.create(EngineOptions(threads=1)).devices[0]
    two = TwoLanes(device, 1)
    found, wanted = scored(two), scored(cpu.CpuEngine(device, 1))
    assert np.array_equal(found, wanted)
    assert found.min() >= 0
    two.fails = True
    with pytest.raises(EngineFault, match="broken"):
        scored(two)
