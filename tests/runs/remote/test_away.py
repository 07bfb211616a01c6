"""Runs on another computer, inside one process: the same results, also where the line breaks, and after Stop."""

import threading
from pathlib import Path

import pytest

from swgui import paths
from swgui.core.control import RunControl
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.io.database.build import save_database
from swgui.io.remote.computers import link_to
from swgui.io.remote.database import database_on, databases_on
from swgui.io.remote.wire import PROTOCOL, Greeting, Refusal, Unreachable
from swgui.io.whole_file import FileNotWritten
from swgui.jobs.events import Finished, Foretold, Progress, Stage
from swgui.jobs.kind import kinds
from swgui.jobs.network.request import NetworkRequest
from swgui.jobs.search.events import Started
from swgui.runs import Runs
from swgui.runs.remote.away import Detached
from swgui.serve.remote.agent import Agent
from swgui.serve.remote.folder import folder_of, runs_of
from tests.fakes import SlowAdapter
from tests.io.saved.saved_searches import assert_same, protein_request, protein_request_on_disk
from tests.jobs.network.test_edges import families
from tests.other_computer import OtherComputer
from tests.runs.life import fasta_of_families


@pytest.fixture
def other(tmp_path, monkeypatch):
    """Return another computer that has the database of `protein_request`, as ``here`` and there share a folder."""
    monkeypatch.setenv("SWGUI_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "cache"))
    (paths.data_dir() / "databases").mkdir(parents=True)
    save_database(protein_request().database, paths.data_dir() / "databases" / "proteins.swdb")
    return OtherComputer(monkeypatch)


def asked(**more):
    """Return the search on the other computer."""
    request = protein_request()
    options = EngineOptions(on="gpu1", threads=1)
    search = replace(request.search, options=options)
    return replace(request, database=database_on(link_to("gpu1"), "proteins"), search=search, name="mine", **more)


def go(runs, request, cancel=None, kind="search", hear=lambda event: None):
    """Carry a run out; return its outcome and the events before."""
    events = []
    for event in runs.run(kind, request, cancel or RunControl()):
        events.append(event)
        hear(event)
    assert isinstance(events[-1], Finished)
    return events[-1].outcome, events[:-1]


def local(folder):
    request = protein_request_on_disk(paths.data_dir())
    search = replace(request.search, options=EngineOptions(threads=1))
    return go(Runs(folder), replace(request, search=search))[0]


def test_databases_are_listed_with_sizes_and_dates(other):
    (listed,) = databases_on(link_to("gpu1"))
    assert (listed.name, listed.alphabet) == ("proteins", "protein")
    assert (listed.sequences, listed.residues) == (len(protein_request().database), protein_request().database.residues)
    assert listed.size > 0
    assert listed.made[:2] == "20"


def test_a_search_there_has_the_result_of_one_here_and_is_kept_here(other, tmp_path):
    runs = Runs(tmp_path / "runs")
    result, events = go(runs, asked())
    assert_same(replace(result, seconds=0.0, finished_at=""), replace(local(tmp_path), seconds=0.0, finished_at=""))
    (record,) = runs.list()
    assert (record.name, record.state, record.database) == ("mine", "done", protein_request().database.name)
    assert not list((tmp_path / "runs").glob("*.journal"))
    assert runs_of("local") == []  # the other computer has forgotten it
    assert any(isinstance(event, Progress) and event.done for event in events)


@pytest.mark.parametrize(("first", "answers"), [(6, True), (7, False), (8, True)])
def test_the_line_may_break_again_and_again_once_the_run_is_begun(other, tmp_path, first, answers):
    """Five exchanges begin it; after a loss the next one is a greeting."""
    request, want = asked(), local(tmp_path / "here")
    other.asked, other.cut, other.cut_answers = 0, set(range(first, 200, 3)), answers
    result, events = go(Runs(tmp_path / "runs"), request)
    assert result.queries[0].hits.scores.tolist() == want.queries[0].hits.scores.tolist()
    stages = [event for event in events if isinstance(event, Stage | Started)]
    lost = [place for place, event in enumerate(stages) if isinstance(event, Stage) and "No connection" in event.name]
    assert lost
    assert all(stages[place - 1] == stages[place + 1] for place in lost if isinstance(stages[place - 1], Started))


def test_a_computer_that_is_not_there_is_an_error_and_nothing_is_kept(other, tmp_path):
    request = asked()
    other.asked, other.cut = 0, {1}
    with pytest.raises(Unreachable):
        go(Runs(tmp_path / "runs"), request)
    assert Runs(tmp_path / "runs").list() == []


@pytest.fixture
def slow(monkeypatch):
    """Return an engine that scores slowly."""
    from swgui.engines import registry

    adapter = SlowAdapter(0.02)
    monkeypatch.setattr(registry, "adapter_of", lambda _name: adapter)
    monkeypatch.setattr(registry, "probed", {})
    monkeypatch.setattr("swgui.jobs.check.device.require_exact_engine", lambda *_: iter(()))
    return adapter


def test_stop_gives_what_was_found_and_resume_the_rest(other, slow, tmp_path):
    runs, control = Runs(tmp_path / "runs"), RunControl()
    result, _ = go(runs, asked(), control, hear=lambda event: isinstance(event, Progress) and control.set())
    assert result.state == "stopped"
    (record,) = runs.list()
    assert record.resumable
    before = len(slow.scored)
    again, _ = go(runs, runs.resume(record.id))
    assert again.state == "complete"
    assert [one.id for one in runs.list()] == [record.id]
    assert before < len(slow.scored)
    whole = local(tmp_path / "here")
    assert [one.hits.scores.tolist() for one in again.queries] == [one.hits.scores.tolist() for one in whole.queries]


def test_a_window_that_closes_leaves_the_run_and_a_later_start_takes_it_up(other, slow, tmp_path):
    runs, control = Runs(tmp_path / "runs"), RunControl()

    def leave(event):
        if isinstance(event, Progress):
            control.wanted = False

    with pytest.raises(Detached):
        go(runs, asked(), control, hear=leave)
    (record,) = runs.list()
    assert (record.state, record.resumable, record.on) == ("interrupted", True, "gpu1")
    assert "'gpu1'" in record.reason
    assert go(runs, runs.resume(record.id))[0].state == "complete"
    assert len(other.threads) == 1  # it continued meanwhile, and was not begun again


def test_a_database_that_is_not_there_is_named_with_those_that_are(other, tmp_path):
    with pytest.raises(Refusal, match="no database 'nr'") as fault:
        database_on(link_to("gpu1"), "nr")
    assert "proteins" in fault.value.hint
    request = asked()
    (paths.data_dir() / "databases" / "proteins.swdb").unlink()
    with pytest.raises(Refusal, match="no database 'proteins'"):
        go(Runs(tmp_path / "runs"), request)
    assert Runs(tmp_path / "runs").list() == []


def test_a_run_that_fails_there_says_why_and_is_not_kept(other, tmp_path, monkeypatch):
    def fail(*_args, **_more):
        raise InvalidParameter("x", 1, "It cannot be done there.", hint="Do another thing.")

    monkeypatch.setattr("swgui.jobs.search.run.search_steps", fail)
    with pytest.raises(Refusal, match=r"It cannot be done there\. Do another thing"):
        go(Runs(tmp_path / "runs"), asked())
    assert Runs(tmp_path / "runs").list() == []
    assert runs_of("local") == []


def test_a_full_disk_here_leaves_the_result_there(other, tmp_path, monkeypatch):
    runs = Runs(tmp_path / "runs")
    with monkeypatch.context() as patch:
        patch.setattr("swgui.runs.remote.away.open", lambda *_: Path("/dev/full").open("r+b"), raising=False)  # noqa: SIM115
        with pytest.raises(FileNotWritten):
            go(runs, asked())
    (record,) = runs.list()
    assert record.resumable
    assert go(runs, runs.resume(record.id))[0].state == "complete"
    assert len(other.threads) == 1


def test_a_search_that_names_something_of_this_computer_is_refused(other, tmp_path):
    request = asked()
    for more in ({"context": "/home/ann/contexts.lib"}, {"engine": "cluster"}):
        with pytest.raises(InvalidParameter):
            go(Runs(tmp_path / "runs"), replace(request, search=replace(request.search, **more)))
    with pytest.raises(InvalidParameter, match="on this computer"):
        go(Runs(tmp_path / "runs"), replace(request, database=protein_request().database))


@pytest.mark.parametrize("held", [True, False])
def test_sequences_of_a_network_travel_with_it(other, tmp_path, held):
    source = families(5) if held else fasta_of_families(tmp_path)
    request = NetworkRequest(source, evalue=1e-2, engine="cpu")
    want = go(Runs(tmp_path / "here"), request, kind="network")[0].outcome.network
    made = go(Runs(tmp_path / "away"), replace(request, options=EngineOptions(on="gpu1")), kind="network")[0].outcome
    assert [*map(tuple, made.network.edges_table().rows())] == [*map(tuple, want.edges_table().rows())]
    assert (made.network.source, made.network.checksum) == (want.source, want.checksum)


def test_kinds_that_travel_are_those_that_say_so():
    travelling = {name for name in kinds() if Runs().of(name).travels}
    assert travelling == {"search", "network", "cluster", "split", "judge", "leak"}
    for name in set(kinds()) - travelling:
        with pytest.raises(Exception, match="alone"):
            Runs().of(name).sent(None)


def test_a_paused_run_lets_others_pass_and_waits_for_its_turn_again(other, slow, tmp_path):
    first, paused, heard = RunControl(), threading.Event(), []

    def hear(event):
        heard.append(event)
        if isinstance(event, Progress) and not paused.is_set():
            first.pause()
        elif isinstance(event, Stage) and event.name == "Paused":
            paused.set()

    runs = Runs(tmp_path / "first")
    waits = threading.Thread(target=go, args=(runs, asked(), first), kwargs={"hear": hear})
    waits.start()
    assert paused.wait(60)
    (place,) = runs_of("local")
    assert place.standing().state == "paused"
    assert go(Runs(tmp_path / "second"), asked())[0].state == "complete"  # it passes
    assert place.standing().state == "paused"
    first.resume()
    waits.join(60)
    assert [record.state for record in runs.list()] == ["done"]


def test_a_program_that_left_a_paused_run_takes_it_up_again(other, slow, tmp_path):
    runs, control = Runs(tmp_path / "runs"), RunControl()

    def leave(event):
        if isinstance(event, Progress):
            control.pause()
        elif isinstance(event, Stage) and event.name == "Paused":
            control.wanted = False

    with pytest.raises(Detached):
        go(runs, asked(), control, hear=leave)
    assert [place.standing().state for place in runs_of("local")] == ["paused"]
    assert go(runs, runs.resume(runs.list()[0].id))[0].state == "complete"


def test_another_version_with_the_same_protocol_is_named(other, tmp_path, monkeypatch):
    monkeypatch.setattr(Agent, "hello", lambda *_what, **_more: Greeting(PROTOCOL, "0.0.1"))
    result, events = go(Runs(tmp_path / "runs"), asked())
    assert result.state == "complete"
    assert [event.sentence for event in events if isinstance(event, Foretold) and "0.0.1" in event.sentence]


def test_runs_wait_for_their_turn_one_after_another(other, slow, tmp_path):
    """Two clients at once: the second says that it waits."""
    heard, request = {0: [], 1: []}, asked()

    def client(number):
        heard[number] = go(Runs(tmp_path / str(number)), request)[1]

    threads = [threading.Thread(target=client, args=(number,)) for number in heard]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stages = [{event.name for event in events if isinstance(event, Stage)} for events in heard.values()]
    assert sum(any("Waiting" in name for name in names) for names in stages) == 1
    assert not list(folder_of("local").glob("*"))
