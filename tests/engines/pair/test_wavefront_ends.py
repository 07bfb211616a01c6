"""The wavefront method on two made-up devices that begin at both ends of a matrix and tell each other of it."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.pair.problem import PairAligned, PairCheckpoint, PairMode, PairProblem, PairProgress
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.engines.cuda.pair.wavefront import both_ends
from swgui.engines.cuda.pair.wavefront.engine import WavefrontEngine
from swgui.engines.pair.anchors import find_chain
from tests.asking import DNA_SCHEME
from tests.engines.conftest import random_codes
from tests.engines.pair.reference import ask, textbook
from tests.engines.pair.test_wavefront_devices import small  # noqa: F401
from tests.kernels import pair_devices
from tests.kernels.on_cpu import COMPILER
from tests.kernels.pair_devices import World, several_engines
from tests.kernels.pair_on_cpu import cpu_engine

pytestmark = [
    pytest.mark.skipif(COMPILER is None, reason="no C++ compiler"),
    pytest.mark.usefixtures("small"),
]

SETTINGS = {"rows": "1", "columns": "1", "prune": "on"}  # bands of 64 rows, chunks of 64 columns


@pytest.fixture
def told(monkeypatch):
    """Small launches, so that one pass hears of the other while it runs; gives the messages and their senders."""
    monkeypatch.setattr(pair_devices, "SAME_ORDER", 8)
    monkeypatch.setattr(both_ends, "LAUNCH_BANDS", 2)
    monkeypatch.setattr(both_ends, "TUNING", replace(both_ends.TUNING, shared_columns=16))
    said = []

    def send(self, first, last, send=both_ends._Messages.send_columns):
        said.extend((self._source.rectangle.backward, number) for number in range(first, last))
        send(self, first, last)

    monkeypatch.setattr(both_ends._Messages, "send_columns", send)
    return said


def check(query, subject, seed=1, **more):
    """Compare two devices with the textbook and with one; returns the cells computed by two and by one."""
    engine, _ = several_engines(2, SETTINGS, seed=seed)
    answer = ask(engine, query, subject, DNA_SCHEME, **more)
    profile = DNA_SCHEME.matrix.scores[query]
    assert answer.end == textbook(profile, subject, DNA_SCHEME.gap_first, DNA_SCHEME.gap_extend, PairMode.LOCAL)
    alone = ask(cpu_engine(SETTINGS), query, subject, DNA_SCHEME, **more)
    if answer.alignment is not None:
        assert answer.alignment.cigar == alone.alignment.cigar
    matrix = query.size * subject.size
    return [matrix - max(step.pruned for step in one.progress) for one in (answer, alone)]


def moved(rng, query):
    """A near relative with a piece left out, one put in, and something else at either end."""
    near = query.copy()
    near[rng.choice(query.size, query.size // 50, replace=False)] = 3
    third = query.size // 3
    parts = near[:third], random_codes(rng, third // 2, 4), near[third + third // 3 :]
    return np.concatenate([random_codes(rng, 50, 4), *parts, random_codes(rng, 60, 4)])


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.sampled(1)
def test_both_ends_find_what_one_finds_in_whatever_order(rng, told, seed):
    query = random_codes(rng, 600 + 33 * seed, 4)
    check(query, moved(rng, query), seed=seed)
    assert {way for way, _ in told} == {False, True}, "both told something"


def test_what_was_heard_leaves_out_more(rng, told, monkeypatch):
    def all_but_forwards(self, ready=World.ready):
        keys = ready(self)
        return [key for key in keys if key != (0, 0)] or keys

    monkeypatch.setattr(World, "ready", all_but_forwards)
    monkeypatch.setattr(pair_devices, "STEPS_PER_LOOK", 1)
    query = random_codes(rng, 1_000, 4)
    two, one = check(query, moved(rng, query), score_only=True)
    assert told[0] == (True, 0)
    assert two < 0.97 * one


def test_ends_that_tie(rng, told, monkeypatch):
    monkeypatch.setattr(both_ends, "TUNING", replace(both_ends.TUNING, enough=0))
    unit, spacer = random_codes(rng, 100, 4), np.full(110, 3, np.uint8)
    check(np.concatenate([unit, spacer, spacer, unit, spacer, unit]), np.concatenate([unit, unit]))
    assert told


def test_sequences_that_are_not_alike_are_shared_by_columns(rng, told):
    engine, _ = several_engines(2, SETTINGS)
    query, subject = random_codes(rng, 400, 4), random_codes(rng, 200, 4)
    assert ask(engine, query, subject, DNA_SCHEME).end == ask(cpu_engine(SETTINGS), query, subject, DNA_SCHEME).end
    assert not told


def test_the_plan_has_room_for_all_columns_on_both(told):
    problem = PairProblem.outline(5_000, 6_000, DNA_SCHEME)
    two, one = several_engines(2, SETTINGS)[0].plan(problem), cpu_engine(SETTINGS).plan(problem)
    for purpose in ("Sequences", "Borders", "Kept rows"):
        assert two.memory[purpose] >= 2 * one.memory[purpose] > 0
    assert "one begins at the last row" in " ".join(two.remarks)


def test_checkpoints_of_both_ends_serve_two_devices_and_one(rng, told, monkeypatch):
    def choose(self, facts, problem, choose=WavefrontEngine.choose_blocks):
        return replace(choose(self, facts, problem), round_bands=4)

    monkeypatch.setattr(WavefrontEngine, "choose_blocks", choose)
    query = random_codes(rng, 600, 4)
    problem = PairProblem(EncodedQuery("q", query), moved(rng, query), DNA_SCHEME)
    steps = list(several_engines(2, SETTINGS)[0].run(problem, threading.Event()))
    checkpoints = [step for step in steps if isinstance(step, PairCheckpoint)]
    assert len(checkpoints) > 1
    found = [step.alignment for step in steps if isinstance(step, PairAligned)]
    for engine in (several_engines(2, SETTINGS, seed=2)[0], cpu_engine(SETTINGS)):
        again = engine.run(problem, threading.Event(), checkpoints[0])
        found += [step.alignment for step in again if isinstance(step, PairAligned)]
    assert len(found) == 3
    assert len({(one.score, one.query_end, one.subject_end, one.cigar) for one in found}) == 1
    assert told


def test_cancelling_and_leaving_stop_both(rng, told):
    query = random_codes(rng, 700, 4)
    problem = PairProblem(EncodedQuery("q", query), moved(rng, query), DNA_SCHEME)
    engine, world = several_engines(2, SETTINGS)
    cancel, kinds = threading.Event(), []
    for step in engine.run(problem, cancel):
        kinds.append(type(step))
        cancel.set()
    assert PairAligned not in kinds
    assert not any(world.lanes.values())
    steps = engine.run(problem, threading.Event())
    assert isinstance(next(steps), PairProgress)
    steps.close()
    assert not any(world.lanes.values())


def test_a_chain_backwards_is_the_same_alignment(rng):
    query = random_codes(rng, 3_000, 4)
    problem = PairProblem(EncodedQuery("q", query), moved(rng, query), DNA_SCHEME)
    chain = find_chain(problem)
    rows, columns = problem.rows, problem.columns
    back = chain.backward(rows, columns)
    assert (back.sums[-1], back.lengths.sum()) == (chain.sums[-1], chain.lengths.sum())
    for one, other in ((chain, back), (back, chain)):
        places = np.arange(rows)
        at, left = one.ahead(places)
        there, behind = other.behind(rows - 1 - places)
        both = (at >= 0) & (there >= 0)
        assert both.any()
        assert np.array_equal(at[both], columns - 1 - there[both])
        assert (left[both] + behind[both] <= one.sums.max() - one.sums.min()).all()
    assert np.array_equal(back.backward(rows, columns).sums - back.sums[0], chain.sums - chain.sums[0])
