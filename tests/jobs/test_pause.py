"""A search that rests between two chunks, and one that continues without its score vectors."""

import threading
import time

import numpy as np
import pytest

from swgui.core.control import RunControl
from swgui.core.hits.scores import ChunkScores
from swgui.core.plain import replace
from swgui.engines.side_by_side import AHEAD, merge
from swgui.io.saved.score_log import read_facts
from swgui.jobs.events import PAUSED, Finished, Stage, finishing
from swgui.jobs.search.run import search_steps
from swgui.runs import Runs
from tests.asking import answer
from tests.io.saved.saved_searches import nucleotide_request, protein_request

pytestmark = pytest.mark.usefixtures("user_folders", "small_chunks")


def pause_after(adapter, control, chunks):
    adapter.stop_after = (chunks, type("Hold", (), {"set": staticmethod(control.pause)}))


def test_a_held_search_rests_and_ends_with_the_same_result(small_chunks):
    began = time.perf_counter()
    expected = answer(protein_request())
    small_chunks.scored.clear()
    control, rested = RunControl(), []

    def resume():  # as a user would, some time later
        before = len(small_chunks.scored)
        time.sleep(0.2)
        rested.append(len(small_chunks.scored) - before)
        small_chunks.stop_after = None
        control.resume()

    pause_after(small_chunks, control, 3)
    names, result = [], None
    for event in finishing(search_steps(protein_request(), control)):
        if isinstance(event, Stage):
            names.append(event.name)
            if event.name == PAUSED:
                threading.Thread(target=resume).start()
        if isinstance(event, Finished):
            result = event.outcome
    assert names.count(PAUSED) == 1
    assert names[names.index(PAUSED) + 1] == "Scoring"
    assert rested == [0]
    assert result.state == "complete"
    assert result.seconds <= time.perf_counter() - began - 0.2  # the rest is no time of scoring
    assert (result.queries[0].scores == expected.queries[0].scores).all()


def test_stop_ends_a_search_that_rests(small_chunks):
    control = RunControl()
    pause_after(small_chunks, control, 3)
    result = None
    for event in finishing(search_steps(protein_request(), control)):
        if isinstance(event, Stage) and event.name == PAUSED:
            threading.Timer(0.05, control.set).start()
        if isinstance(event, Finished):
            result = event.outcome
    assert result.state == "stopped"
    assert len(small_chunks.scored) <= 4


def test_an_event_that_cannot_hold_stops_all_the_same(monkeypatch):
    control = RunControl()
    monkeypatch.setattr(control, "wait", lambda seconds: pytest.fail("it waits"))
    assert not control.paused
    control.wait_while_paused()
    control.pause()
    assert control.paused
    control.set()
    assert not control.paused  # stopping comes first
    control.wait_while_paused()


def test_devices_side_by_side_are_not_far_ahead_of_who_reads():
    made = {"a": 0, "b": 0}

    def run(name):
        def chunks(stop):
            while not stop.is_set() and made[name] < 200:
                made[name] += 1
                yield ChunkScores(0, *(_nothing(),) * 2, cells=1)

        return chunks

    reader = merge({name: run(name) for name in made}, threading.Event())
    next(reader)
    time.sleep(0.2)
    assert sum(made.values()) <= 2 * AHEAD + 1 + len(made)  # one was read, and each may hold one
    assert sum(1 for _ in reader) == 399
    stopped = threading.Event()
    made.update(a=0, b=0)
    reader = merge({name: run(name) for name in made}, stopped)
    next(reader)
    stopped.set()
    assert len(list(reader)) <= 3 * AHEAD  # ends


def _nothing():
    return np.zeros(0, dtype=np.int64)


@pytest.mark.parametrize("make", [protein_request, nucleotide_request])
def test_a_run_too_large_for_its_vectors_goes_on_where_it_was(make, small_chunks, monkeypatch, tmp_path):
    answer(make())  # fits to shuffles are made once
    small_chunks.scored.clear()
    expected = answer(make())
    chunks = len(small_chunks.scored)
    monkeypatch.setattr("swgui.jobs.search.run.SCORE_BYTES_LIMIT", 10)
    history = Runs(tmp_path / "runs")
    cancel = threading.Event()
    small_chunks.scored.clear()
    small_chunks.stop_after = (4, cancel)
    (*_, stopped) = history.run("search", make(), cancel)
    assert stopped.outcome.state == "stopped"
    assert stopped.outcome.queries[0].scores is None
    (record,) = history.list()
    assert record.resumable
    _, cells, _ = read_facts(next(history.folder.glob("*.journal")))
    assert cells == stopped.outcome.cells_done
    small_chunks.stop_after = None
    small_chunks.scored.clear()
    request = replace(make(), run_id=record.id)
    (*_, finished) = history.run("search", request, threading.Event())
    assert finished.outcome.state == "complete"
    assert len(small_chunks.scored) == chunks - 4
    for one, other in zip(finished.outcome.queries, expected.queries, strict=True):
        assert one.scores is None
        for name in ("db_index", "scores", "strands"):
            assert (getattr(one.hits, name) == getattr(other.hits, name)).all()
