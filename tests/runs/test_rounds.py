"""Searches in rounds among the kept runs: they show their rounds again, and are run again with all of them."""

import threading
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.core.plain import replace
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.recipe import Recipe
from swgui.io.database.build import save_database
from swgui.io.saved import search
from swgui.io.saved.search import write_profiles
from swgui.jobs.events import Progress, run_to_end
from swgui.jobs.iterate.request import in_rounds, profile_of
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.events import RoundStarted
from swgui.runs import RunError, Runs, searches
from tests.asking import BLOSUM62, search_request
from tests.jobs.iterate.family import family_records
from tests.runs.life import at_log

pytestmark = pytest.mark.usefixtures("user_folders")
SETTINGS = IterationSettings(rounds=3, preset="wide", inclusion_evalue=0.05, exclude_ids=("kin3",))


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory):
    """Return the files of a family and of one of it, and the search of that one in rounds."""
    folder = tmp_path_factory.mktemp("family")
    records = family_records()
    query = next(one for one in records if one.id == "kin0")
    save_database(encode_database(records, PROTEIN, "family"), folder / "family.swdb")
    (folder / "query.fasta").write_bytes(b">kin0\n" + query.residues + b"\n")
    plain = search_request(queries=(query,), database=folder / "family.swdb", scheme=BLOSUM62, engine="cpu")
    return folder, in_rounds(plain, SETTINGS)


def rounds_of(events):
    return list(events)[-1].outcome.queries[0].rounds


def test_a_run_shows_its_rounds_and_is_run_again_with_all_of_them(on_disk, tmp_path):
    history = Runs(tmp_path / "runs")
    first = rounds_of(history.run("search", on_disk[1], threading.Event()))
    assert len(first) == 3
    run_id = history.list()[0].id
    opened = history.open(run_id).result.queries[0].rounds
    assert [one.included.tolist() for one in opened.rounds] == [one.included.tolist() for one in first.rounds]
    again = history.again(run_id)
    assert again.search.iteration == SETTINGS
    assert again.scheme.matrix.name == "BLOSUM62"
    assert again.queries[0].profile is None
    second = rounds_of(history.run("search", again, threading.Event()))
    assert len(second) == len(first)
    for one, other in zip(first.rounds, second.rounds, strict=True):
        assert np.array_equal(one.included, other.included)
        assert np.array_equal(one.log10_evalues, other.log10_evalues)


def test_the_command_keeps_rounds_in_the_history(on_disk, tmp_path, capsys):
    folder, _ = on_disk
    words = ["search", "-q", str(folder / "query.fasta"), "-d", str(folder / "family.swdb"), "--engine", "cpu"]
    words += ["--iterations", "3", "--preset", "careful", "--history", "Family", "-o", str(tmp_path / "hits.tsv")]
    assert main(words) == 0
    (record,) = Runs().list()
    assert (record.name, record.state) == ("Family", "done")
    again = Runs().again(record.id)
    assert (again.search.iteration.rounds, again.search.iteration.preset, again.name) == (3, "careful", "Family")
    assert len(Runs().open(record.id).result.queries[0].rounds) > 1


def stopped_in(number, request, history):
    """Search until a round begins, and stop as a user would."""
    cancel = threading.Event()
    events = []
    for event in history.run("search", request, cancel):
        events.append(event)
        if isinstance(event, RoundStarted) and event.number == number:
            cancel.set()
    return events


@pytest.mark.parametrize("number", [2, 3])
def test_a_stopped_run_goes_on_behind_its_last_whole_round(on_disk, tmp_path, number):
    whole = rounds_of(Runs(tmp_path / "whole").run("search", on_disk[1], threading.Event()))
    history = Runs(tmp_path / "runs")
    assert len(rounds_of(stopped_in(number, on_disk[1], history))) == number - 1
    (record,) = history.list()
    assert (record.state, record.resumable, record.rounds) == ("partial", True, number - 1)
    events = list(history.run("search", history.resume(record.id), threading.Event()))
    begun = [event.number for event in events if isinstance(event, RoundStarted)]
    assert begun == list(range(number, 4))  # no round is searched twice
    for rounds in (events[-1].outcome.queries[0].rounds, history.open(record.id).result.queries[0].rounds):
        assert rounds.ended == whole.ended
        for one, other in zip(rounds.rounds, whole.rounds, strict=True):
            assert np.array_equal(one.included, other.included)
            assert np.array_equal(one.log10_evalues, other.log10_evalues)
    (done,) = history.list()
    assert (done.id, done.state, done.resumable) == (record.id, "done", False)


@pytest.fixture(scope="module")
def of_two(on_disk):
    """Return a search whose rounds are of one database and whose hits of another, and its whole result."""
    folder, request = on_disk
    save_database(encode_database(family_records()[::-2], PROTEIN, "half"), folder / "half.swdb")
    asked = replace(request, database=folder / "half.swdb", build_database=folder / "family.swdb")
    return asked, run_to_end(iteration_steps(asked, threading.Event()))


@pytest.mark.parametrize("number", [2, 4])
def test_rounds_of_another_database_continue_where_they_were_stopped(of_two, tmp_path, number):
    asked, whole = of_two
    assert len(whole.queries[0].rounds) == 3  # so that 4 is the search behind them
    history = Runs(tmp_path / "runs")
    partial = stopped_in(number, asked, history)[-1].outcome
    assert (partial.state, partial.database.name, len(partial.queries[0].rounds)) == ("stopped", "family", number - 1)
    assert ("'half' did not end" in partial.message) == (number == 4)
    (record,) = history.list()
    assert (record.state, record.resumable, record.database) == ("partial", True, "half")
    assert {one.path for one in history.of("search").needs(record.id)} == {
        str(asked.database),
        str(asked.build_database),
    }
    events = list(history.run("search", history.resume(record.id), threading.Event()))
    assert [event.number for event in events if isinstance(event, RoundStarted)] == list(range(number, 5))
    for result in (events[-1].outcome, history.open(record.id).result):
        (found,), (wanted,) = result.queries, whole.queries
        assert (result.state, result.database.name, found.rounds.database) == ("complete", "half", "family")
        assert found.hits.db_index.tolist() == wanted.hits.db_index.tolist()
        assert np.array_equal(found.hits.log10_evalues, wanted.hits.log10_evalues)
    again = history.again(record.id)
    assert (again.database, again.build_database) == (asked.database, asked.build_database)
    assert [one.resumable for one in history.list()] == [False]


def test_the_command_resumes_rounds_of_another_database(of_two, tmp_path, capsys):
    asked, out = of_two[0], tmp_path / "hits.tsv"
    words = ["search", "-q", str(asked.database.with_name("query.fasta")), "-d", str(asked.database)]
    words += ["--iterations", "2", "--build-database", str(asked.build_database), "--history", "two", "-o", str(out)]
    assert main(words) == 0
    first = out.read_text()
    assert main(words) == 0
    assert "run 'two' is complete" in capsys.readouterr().err
    assert out.read_text() == first
    built = Path(words[words.index("--build-database") + 1])
    words[words.index("--build-database") + 1] = str(built.with_name("half.swdb"))
    assert main(words) == 0  # other rounds are another run
    assert "is complete" not in capsys.readouterr().err
    assert len(Runs().list()) == 2


def test_a_resumed_run_that_is_stopped_at_once_keeps_what_there_was(on_disk, tmp_path):
    history = Runs(tmp_path / "runs")
    first = rounds_of(stopped_in(2, on_disk[1], history))
    (record,) = history.list()
    again = rounds_of(stopped_in(2, history.resume(record.id), history))
    assert [one.included.tolist() for one in again.rounds] == [one.included.tolist() for one in first.rounds]
    assert history.list()[0].resumable


def test_rounds_that_began_with_a_profile_begin_with_it_again(on_disk, tmp_path):
    history, request = Runs(tmp_path / "runs"), on_disk[1]
    alignment = rounds_of(history.run("search", request, threading.Event())).rounds[0].alignment
    profile = profile_of(alignment, request.scheme.matrix, Recipe(), "given").profile
    begun = replace(request, queries=(replace(request.queries[0], profile=profile),))
    first = rounds_of(history.run("search", begun, threading.Event()))
    assert first.from_profile
    run_id = history.list()[0].id
    again = history.again(run_id)
    assert again.queries[0].profile.name == "given"
    assert np.array_equal(again.queries[0].profile.scores, profile.scores)
    second = rounds_of(history.run("search", again, threading.Event()))
    assert second.from_profile
    for one, other in zip(first.rounds, second.rounds, strict=True):
        assert np.array_equal(one.log10_evalues, other.log10_evalues)
    opened = history.open(run_id).result.queries[0].rounds
    assert np.array_equal(opened.rounds[0].profile.scores, profile.scores)
    assert not any(number and one.profile is not None for number, one in enumerate(opened.rounds[:-1]))


def test_a_profile_that_was_not_kept_is_asked_for(on_disk, tmp_path, monkeypatch):
    history, request = Runs(tmp_path / "runs"), on_disk[1]
    alignment = rounds_of(history.run("search", request, threading.Event())).rounds[0].alignment
    profile = profile_of(alignment, request.scheme.matrix, Recipe(), "given").profile
    begun = replace(request, queries=(replace(request.queries[0], profile=profile),))
    with monkeypatch.context() as older:
        older.setattr(
            search, "write_all_profiles", lambda pack, queries: write_profiles(pack, [one.query for one in queries])
        )
        list(history.run("search", begun, threading.Event()))
    with pytest.raises(RunError, match="began with a profile"):
        history.again(history.list()[0].id)


def test_what_the_first_round_scored_before_the_program_ended_is_not_scored_again(on_disk, small_chunks, monkeypatch):
    history, request = Runs(), on_disk[1]
    reached = threading.Event()
    with monkeypatch.context() as patch:
        at_log(patch, lambda _log: reached.set(), 5)  # the database and four chunks
        patch.setattr("swgui.jobs.search.run.PROGRESS_INTERVAL", 0.0)
        events = history.run("search", request, threading.Event())
        while not reached.is_set():
            next(events)
        events.close()  # as a program that is killed: nothing is kept at the end
    (record,) = history.list()
    assert (record.state, record.resumable) == ("interrupted", True)
    assert 0 < record.fraction < 1
    small_chunks.scored.clear()
    events = list(history.run("search", history.resume(record.id), threading.Event()))
    assert len(rounds_of(events)) == 3
    first = next(event for event in events if isinstance(event, Progress))
    assert first.done == pytest.approx(record.fraction * first.total)  # just what is in the journal
    assert history.list()[0].state == "done"


def test_whole_rounds_are_kept_while_the_next_one_runs(on_disk, tmp_path, monkeypatch):
    monkeypatch.setattr(searches, "ROUND_SECONDS", 0.0)
    history = Runs(tmp_path / "runs")
    events = history.run("search", on_disk[1], threading.Event())
    for event in events:
        if isinstance(event, RoundStarted) and event.number == 3:
            break
    (record,) = history.list()
    assert (record.state, record.rounds, record.resumable) == ("partial", 2, False)  # it is running
    with pytest.raises(RunError, match="active"):
        history.resume(record.id)
    events.close()  # as a program that is killed: nothing is kept at the end
    assert history.list()[0].resumable
    begun = [
        one
        for one in history.run("search", history.resume(record.id), threading.Event())
        if isinstance(one, RoundStarted)
    ]
    assert [one.number for one in begun] == [3]


def test_whole_runs_are_not_resumed(on_disk, tmp_path):
    history = Runs(tmp_path / "runs")
    list(history.run("search", on_disk[1], threading.Event()))
    with pytest.raises(RunError):
        history.resume(history.list()[0].id)
