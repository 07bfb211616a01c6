"""Two engines on one line of chunks: who takes what, and what a fault of one does."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable
from swgui.core.packing import ChunkLimits, ChunkPlan, plan_chunks
from swgui.engines import together
from swgui.engines.base import EngineStatus
from swgui.engines.registry import make_engine
from tests.engines.conftest import all_scores, database_of, make_stand_in, query_of, random_codes


@pytest.fixture
def job(protein_scheme):
    rng = np.random.default_rng(3)
    database = database_of([random_codes(rng, int(n), 20) for n in rng.gamma(2, 60, 700)], PROTEIN)
    queries = [query_of(random_codes(rng, n, 20), f"q{n}") for n in (80, 0, 33)]
    return queries, database, protein_scheme


def let_the_back_begin(engine, monkeypatch, score):
    """Replace what the back does by `score`, and hold the front after its first chunk until the back is asked."""
    asked = threading.Event()
    front = engine._front.score_taken

    def patient(*given):
        for number, chunk in enumerate(front(*given)):
            yield chunk
            if number == 0:
                asked.wait(10)

    def noted(*given):
        asked.set()
        return score(*given)

    monkeypatch.setattr(together, "WORTH_SECONDS", 0.0)  # the searches of these tests are done in no time
    monkeypatch.setattr(together, "FIRST_SPEED", 1e6)
    monkeypatch.setattr(engine._front, "score_taken", patient)
    monkeypatch.setattr(engine._back, "score", noted)


def test_both_ends_work_and_every_subject_is_scored_once(job, monkeypatch):
    queries, database, scheme = job
    engine = make_stand_in()
    taken = []
    back = engine._back.score
    let_the_back_begin(engine, monkeypatch, lambda *given: taken.append(given[2]) or back(*given))
    scores = all_scores(engine, queries, database, scheme, ChunkLimits(residues=1_000))
    assert (scores[1] == 0).all()
    assert scores[0].min() > 0
    assert taken
    engine.close()


def test_a_short_search_is_left_to_the_gpus(job):
    queries, database, scheme = job
    engine = make_stand_in()
    engine._back.score = None  # would fail if it were called
    all_scores(engine, queries, database, scheme, ChunkLimits(residues=5_000))
    engine.close()


def taken(line, *names):
    """Empty a line from the ends named, in turn; returns what each took."""
    plans = {name: [] for name in names}
    idle = 0
    while idle < len(names):
        for name in names:
            plan = getattr(line, name)()
            idle = 0 if plan else idle + 1
            if plan:
                plans[name].append(plan)
                if name == "take_front":
                    line.note_front(plan.residues * 10)
                else:
                    line.note_back(plan.residues * 10, 0.01)
    return plans


def test_the_line_is_taken_from_both_ends(job, monkeypatch):
    monkeypatch.setattr(together, "WORTH_SECONDS", 0.0)
    monkeypatch.setattr(together, "FIRST_SPEED", 30_000)
    monkeypatch.setattr(together, "PIECE_SECONDS", 1.0)
    database = job[1]
    offsets = np.asarray(database.offsets)
    plans = plan_chunks(offsets, ChunkLimits(residues=9_000))
    line = together._Line(plans, offsets, 10)
    line.note_front(1)  # so slow that there is time enough
    parts = taken(line, "take_back", "take_front")
    front, back = parts["take_front"], parts["take_back"]
    assert front[0].start == 0
    assert back[0].stop == len(database)
    assert 3_000 - int(database.lengths.max()) <= back[0].residues <= 3_000
    everything = sorted(front + back, key=lambda plan: plan.start)
    assert everything[0].start == 0
    assert everything[-1].stop == len(database)
    assert all(a.stop == b.start for a, b in pairwise(everything))
    assert all(plan.residues == offsets[plan.stop] - offsets[plan.start] > 0 for plan in everything)


def test_the_slow_end_leaves_the_last_piece_to_the_fast_one():
    offsets = np.arange(101, dtype=np.int64)
    line = together._Line([ChunkPlan(0, 100, 100)], offsets, 1)
    line.note_front(10**15)  # at this speed the rest takes no time
    assert line.take_back() is None
    assert line.take_front() == ChunkPlan(0, 100, 100)
    assert line.take_back() is None


def test_a_fault_of_the_processor_ends_the_search(job, monkeypatch):
    queries, database, scheme = job
    engine = make_stand_in()

    def fail(*arguments):
        raise EngineFault("The processor is on fire.")

    let_the_back_begin(engine, monkeypatch, fail)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=1_000))
    with pytest.raises(EngineFault, match="on fire"):
        list(engine.score(queries, database, plans, scheme, threading.Event()))
    engine.close()


def test_without_a_gpu_it_says_why(monkeypatch):
    none = EngineStatus("cuda", available=False, reason="There is no GPU.", hint="Run on the CPU.")
    monkeypatch.setattr(together.cuda, "status", lambda: none)
    assert together.status().reason == "There is no GPU."
    monkeypatch.setattr("swgui.engines.registry._probed", {})
    with pytest.raises(EngineUnavailable, match="no GPU"):
        make_engine("cuda+cpu", EngineOptions())
