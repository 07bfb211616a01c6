"""The path of a long pair followed from many borders at once: what is guessed never decides what is found."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.errors import EngineFault
from swgui.core.pair.problem import PairMode
from swgui.engines.cuda.pair.wavefront import trace
from swgui.engines.cuda.pair.wavefront.follow import Follower, PathPoint
from swgui.engines.cuda.pair.wavefront.trace import Lanes
from tests.asking import DNA_SCHEME
from tests.engines.conftest import random_codes, relative
from tests.engines.pair.reference import ask
from tests.engines.pair.test_wavefront_devices import small  # noqa: F401
from tests.kernels.on_cpu import COMPILER
from tests.kernels.pair_devices import several_engines
from tests.kernels.pair_on_cpu import CpuDevice, cpu_engine

SETTINGS = {"rows": "1", "columns": "2"}  # bands of 64 rows
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


@pytest.fixture
def followed(small, monkeypatch):  # noqa: F811
    """Which device followed a stretch from where, in order."""
    told = []

    def stretch(self, place, *given, follow=Follower.stretch, **more):
        told.append((self.pair.device, place))
        return follow(self, place, *given, **more)

    monkeypatch.setattr(Follower, "stretch", stretch)
    return told


def pair(rng):
    query = random_codes(rng, 900, 4)
    near = relative(rng, query, 4)
    return query, np.concatenate([random_codes(rng, 80, 4), near[:400], random_codes(rng, 200, 4), near[400:]])


@needs_compiler
@pytest.mark.parametrize("mode", tuple(PairMode))
@pytest.mark.sampled(1)
def test_whatever_is_guessed_the_alignment_is_the_same(rng, followed, monkeypatch, mode):
    query, subject = pair(rng)

    def wrong(self, forward, numbers):
        columns = rng.integers(1, self.pair.columns, len(numbers)).tolist()
        scores = rng.integers(-50, 2_000, len(numbers)).tolist()
        rows = [forward.saved[number].row for number in numbers]
        return [PathPoint(*place, False, score) for *place, score in zip(rows, columns, scores, strict=True)]

    answers = [ask(cpu_engine(SETTINGS), query, subject, DNA_SCHEME, mode)]
    good = len(followed)
    for guess in (wrong, lambda *_: []):
        followed.clear()
        monkeypatch.setattr(Follower, "highest", guess)
        answers.append(ask(cpu_engine(SETTINGS), query, subject, DNA_SCHEME, mode))
    assert len({(answer.end, answer.alignment.cigar) for answer in answers}) == 1
    assert good <= len(followed) + 2 * trace.TUNING.followed_at_once, "good guesses come to the path at once"


@needs_compiler
def test_guesses_are_followed_before_the_path_comes_there(rng, followed):
    query, subject = pair(rng)
    ask(cpu_engine(SETTINGS), query, subject, DNA_SCHEME)
    whole = [place.row for _, place in followed if place.row % 64 == 0 or place.row > 850]
    assert min(whole[:4]) < 600 < max(whole[:4])


@needs_compiler
def test_all_devices_follow_and_cut(rng, followed):
    query, subject = pair(rng)
    engine, _ = several_engines(2, SETTINGS)
    answer = ask(engine, query, subject, DNA_SCHEME)
    assert len({id(device) for device, _ in followed}) == 2
    assert answer.alignment.cigar == ask(cpu_engine(SETTINGS), query, subject, DNA_SCHEME).alignment.cigar


@needs_compiler
@pytest.mark.parametrize("name", ["cut", "stretch"])
def test_a_fault_counts_where_it_is_needed(rng, small, monkeypatch, name):  # noqa: F811
    def fault(self, *given, **more):
        raise EngineFault("It failed.", hint="")
        yield

    monkeypatch.setattr(Follower, name, fault)
    query, subject = pair(rng)
    with pytest.raises(EngineFault, match="It failed"):
        ask(cpu_engine(SETTINGS), query, subject, DNA_SCHEME)


def test_lanes_are_shared_and_given_back():
    devices, at_work, most = [CpuDevice(), CpuDevice()], [0, 0], [0, 0]

    def work(number):
        at_work[number] += 1
        most[number] = max(most[number], at_work[number])
        yield
        yield
        at_work[number] -= 1
        return number

    ended = []
    lanes = Lanes(devices, {"one": 2, "other": 1})
    for _ in range(9):
        lanes.begin("one", work, ended.append)
    assert lanes.busy("one") == 9
    assert lanes.busy("other") == 0
    while lanes.busy("one"):
        lanes.turn()
    assert sorted(set(ended)) == [0, 1]
    assert (len(ended), most) == (9, [2, 2])


def test_lanes_that_are_left_stop_their_devices(monkeypatch):
    devices, halted, closed = [CpuDevice(), CpuDevice()], [], []
    monkeypatch.setattr(CpuDevice, "halt", lambda self: halted.append(self))

    def endless(_):
        try:
            while True:
                yield
        finally:
            closed.append(len(halted))

    lanes = Lanes(devices, {"one": 1})
    for _ in range(3):
        lanes.begin("one", endless, lambda _: None)
    lanes.turn()
    lanes.close()
    assert halted == devices
    assert closed == [2, 2]
    assert lanes.busy("one") == 0
