"""Which run holds a device, and what waits for it."""

from __future__ import annotations

import threading

import pytest

from swgui.commands.serve import serve_arguments
from swgui.core.network.measures import EdgeLimit
from swgui.jobs.kind import kinds
from swgui.jobs.network.grouping import ClusterRequest
from swgui.jobs.network.request import NetworkRequest
from swgui.runs import Runs
from swgui.runs.holding import Holding
from swgui.runs.queue import Turns
from swgui.serve.server import FoldingServer

OF_USERS = [name for name, kind in kinds().items() if not kind.gives_way]


def test_some_kinds_give_way_and_most_do_not():
    assert "sweep" not in OF_USERS
    assert {"search", "pair", "rule", "network"} <= set(OF_USERS)


@pytest.mark.parametrize("name", OF_USERS)
def test_a_run_of_every_kind_goes_before_what_measures(name):
    holding, heard = Holding(), []
    holding.listen(lambda: heard.append(holding.refusal))
    holding.take("sweep", "sweep")
    assert (holding.refusal, holding.held) == ("", True)
    holding.take("mine", name)
    holding.take("mine", name)
    assert holding.refusal == f"Wait until the {kinds()[name].noun} has ended."
    holding.take("another", "search")
    holding.give_back("mine")
    assert holding.refusal == "Wait until the search has ended."
    holding.give_back("another")
    holding.give_back("another")
    assert (holding.refusal, holding.users) == ("", None)
    assert len(heard) == 5  # a change without effect is not reported


def test_who_listens_no_more_hears_nothing():
    holding, heard = Holding(), []
    end = holding.listen(lambda: heard.append(1))
    holding.take("a", "rule")
    end()
    end()
    holding.give_back("a")
    assert heard == [1]


def test_threads_take_and_give_back_at_once():
    holding = Holding()

    def work(number):
        for _ in range(200):
            holding.take(number, "network")
            assert holding.refusal
            holding.give_back(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not holding.held


@pytest.mark.parametrize("name", OF_USERS)
@pytest.mark.sampled(4)
def test_the_folding_server_waits_for_a_run_of_every_kind(name, tmp_path):
    place, holding = tmp_path / "few.fasta", Holding()
    place.write_text(">one\nMKVLWACDEFGHIKLMNPQRSTVWY\n")
    holding.take("before", name)
    values = {"databases": [str(place)], "engine": "cpu", "threads": 1, "address": "127.0.0.1:0"}
    server = FoldingServer(serve_arguments(**values, folder=str(tmp_path / "jobs")), holding)
    try:
        server.start(threading.Event())
        assert server.paused
        holding.give_back("before")
        assert not server.paused
        holding.take("later", name)
        assert server.paused
    finally:
        server.close()
    holding.give_back("later")  # a server that is closed hears no more of it


@pytest.fixture
def turns(tmp_path):
    return Turns(Runs(tmp_path / "runs"))


def asked(tmp_path, engine, kind="network"):
    request = NetworkRequest(tmp_path / "some.fa", engine=engine)
    return request if kind == "network" else ClusterRequest(request, EdgeLimit())


def begin(turns, run):
    with turns.starting(run):
        turns.begun(run.kind, run.request, "", waits=False)


def test_runs_of_the_same_device_take_turns_in_their_order(turns, tmp_path):
    first, second, third = (turns.add(asked(tmp_path, "cpu", kind), kind) for kind in ("network", "network", "cluster"))
    assert turns.move_up(third)
    assert not turns.move_up(first)
    assert [run.id for run in turns.runs] == [first.id, third.id, second.id]
    assert turns.next() is first
    begin(turns, first)
    assert (first.state, turns.waiting, turns.next()) == ("preparing", 2, None)
    assert turns.ended("network")
    assert not turns.ended("network")
    assert turns.next() is third


def test_a_run_beside_another_device_waits_for_its_own_device_alone(turns, tmp_path):
    by_a_page = asked(tmp_path, "cuda")
    turns.begun("network", by_a_page, "", waits=False)
    waiting = turns.add(asked(tmp_path, "cuda", "cluster"), "cluster")
    assert turns.in_the_way("cluster", waiting.request) is turns.current("network")
    assert turns.in_the_way("network", by_a_page) is None
    turns.current("network").state = "paused"
    assert turns.in_the_way("cluster", waiting.request) is None
    assert turns.next() is None
    turns.remove(waiting)
    beside = turns.add(asked(tmp_path, "cpu", "cluster"), "cluster")
    assert turns.next() is beside


def test_a_run_that_failed_stays_behind_those_that_wait(turns, tmp_path):
    failed, later = (turns.add(asked(tmp_path, "cpu"), "network") for _ in range(2))
    begin(turns, failed)
    turns.ended("network", "The device was lost.")
    newest = turns.add(asked(tmp_path, "cpu"), "network")
    assert [run.id for run in turns.runs] == [later.id, newest.id, failed.id]
    assert (failed.state, failed.reason) == ("failed", "The device was lost.")
    assert turns.next() is later
