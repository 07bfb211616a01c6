"""Searches by rule among the runs: kept while they run, opened, resumed, renamed and deleted."""

import threading

import numpy as np
import pytest

import swgui
from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import DatabaseError, SwguiError
from swgui.core.records import SequenceRecord
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rule import Mismatches
from swgui.io.database.any_file import open_any_database
from swgui.jobs.events import Finished
from swgui.jobs.rules import blocks
from swgui.jobs.rules.run import RuleRun, certificate
from swgui.runs import Runs, rules, search_facts
from swgui.runs.plain import kind_of_file
from swgui.runs.records import RunError


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(blocks, "SMALLEST", 200)


@pytest.fixture
def run(tmp_path, user_folders):
    letters = np.frombuffer(b"ARND", np.uint8)
    rng = np.random.default_rng(1)
    path = tmp_path / "proteins.fasta"
    path.write_bytes(b"".join(b">s%d\n%s\n" % (n, letters[rng.integers(0, 4, 40)].tobytes()) for n in range(60)))
    queries = tuple(SequenceRecord(f"q{n}", "", letters[rng.integers(0, 4, 7)].tobytes()) for n in range(3))
    request = RuleRequest(Mismatches(2), queries, PROTEIN, str(path), engine="cpu")
    return RuleRun(request, open_any_database(path, alphabet=PROTEIN))


def go(history, run, run_id="", stop_after=0):
    """Run as the page does; with `stop_after` blocks it is stopped."""
    run.run_id, run.command, cancel = run_id, "swgui rule", threading.Event()
    for event in history.of("rule").run(run, cancel):
        if isinstance(event, Finished):
            return event.outcome
        if stop_after and len(run.blocks) >= stop_after:
            cancel.set()
    raise AssertionError("it has no outcome")


def test_a_run_is_listed_and_opens_as_it_was(tmp_path, run):
    history = Runs(tmp_path / "runs")
    kept = go(history, run)
    facts = kept.outcome
    assert not kept.not_kept
    (record,) = history.list()
    assert (record.id, record.kind, record.state, record.queries) == (kept.run_id, "rule", "done", 3)
    assert record.name == "q0 and 2 more"
    assert (record.about, record.found) == ("Peptides, 2 mismatches", facts["found"])
    assert f"{facts['found']:,} places" in record.reason
    opened = history.of("rule").open(kept.run_id)
    assert opened.outcome == facts
    assert opened.asked.complete
    assert certificate(opened.asked, "swgui rule")["result_sha256"] == facts["result_sha256"]
    history.rename(kept.run_id, "epitopes")
    assert history.record(kept.run_id).name == "epitopes"
    history.delete(kept.run_id)
    assert not history.list()
    assert not list((tmp_path / "runs").iterdir())


def test_what_cannot_be_kept_goes_on_and_says_so(tmp_path, run, monkeypatch):
    history = Runs(tmp_path / "runs")
    monkeypatch.setattr(rules, "MAX_PLACES", 10)
    kept = go(history, run)
    assert "more than 10 places are not kept" in kept.not_kept
    assert (kept.run_id, kept.outcome["complete"]) == ("", True)
    assert history.list() == []
    (tmp_path / "a file").write_text("")
    kept = go(Runs(tmp_path / "a file"), RuleRun(run.request, run.database))
    assert "not be kept" in kept.not_kept
    assert (kept.run_id, kept.outcome["complete"]) == ("", True)


def test_a_database_that_changed_or_is_gone_is_said(tmp_path, run, monkeypatch):
    history = Runs(tmp_path / "runs")
    kept = go(history, run)
    path = tmp_path / "proteins.fasta"
    path.write_text(">other\nARNDARND\n")
    with pytest.raises(DatabaseError, match="another checksum"):
        history.of("rule").open(kept.run_id)
    path.unlink()
    monkeypatch.setattr(search_facts, "user_databases", list)  # nor is a copy known
    with pytest.raises(RunError, match="was not found"):
        history.of("rule").open(kept.run_id)


def test_a_damaged_run_is_listed_as_such_and_can_be_deleted(tmp_path, run):
    history = Runs(tmp_path / "runs")
    kept = go(history, run)
    for suffix in (".certificate", ".json"):
        history.files.place(kept.run_id, suffix).write_text("{")
    (record,) = history.list()
    assert record.state == "damaged"
    with pytest.raises(SwguiError):
        history.of("rule").open(kept.run_id)
    history.files.place(kept.run_id, ".rule").write_bytes(b"nothing")
    assert [record.state for record in history.list()] == ["damaged"]
    history.delete(kept.run_id)
    assert history.list() == []


def test_two_programs_do_not_resume_one_run(tmp_path, run):
    history = Runs(tmp_path / "runs")
    kept = go(history, run, stop_after=2)
    first = history.of("rule").run(history.of("rule").resume(kept.run_id), threading.Event())
    next(first)
    second = go(history, history.of("rule").open(kept.run_id).asked, kept.run_id)
    assert "in use" in second.not_kept
    assert second.outcome["complete"]
    assert history.files.place(kept.run_id, ".rule").is_file()
    with pytest.raises(RunError, match="active"):
        history.delete(kept.run_id)
    first.close()
    assert history.record(kept.run_id).resumable


def test_a_full_disk_ends_what_is_kept_and_not_the_run(tmp_path, run, monkeypatch):
    history, add = Runs(tmp_path / "runs"), rules.add_block

    def full(log, run):
        add(log, run)
        log.problem = "No space left."

    monkeypatch.setattr(rules, "add_block", full)
    kept = go(history, run)
    assert (kept.run_id, "No space left." in kept.not_kept) == ("", True)
    assert kept.outcome["complete"]
    assert not list((tmp_path / "runs").iterdir())


@pytest.mark.parametrize("stopped", [0, 2])
def test_places_and_certificate_are_one_file(tmp_path, run, stopped, capsys):
    history = Runs(tmp_path / "runs")
    kept, path = go(history, run, stop_after=stopped), tmp_path / "places.result"
    history.of("rule").export(kept.run_id, path)
    assert kind_of_file(path) == "rule"
    opened = history.of("rule").open_file(path)
    assert opened.outcome == kept.outcome
    assert opened.asked.complete == (not stopped)
    found = swgui.load(path)
    assert found.to_arrays()["sseqid"].tolist() == swgui_places(run)
    found.save(tmp_path / "again.result")
    again = history.of("rule").open_file(tmp_path / "again.result")
    assert (again.outcome["result_sha256"], again.asked.complete) == (kept.outcome["result_sha256"], not stopped)
    assert main(["show", str(path), "--columns", "qseqid,sseqid"]) == (3 if stopped else 0)
    assert len(capsys.readouterr().out.splitlines()) == 1 + len(run.found())
    if not stopped:
        assert main(["verify", str(path), "--full", "--engine", "cpu"]) == 0
        assert "The certificate holds" in capsys.readouterr().out


def swgui_places(run):
    """Return the names of the sequences with places, in order."""
    return [run.database.ids[index] for index in run.found().subject.tolist()]


def test_a_damaged_file_says_so(tmp_path, run):
    history = Runs(tmp_path / "runs")
    kept, path = go(history, run), tmp_path / "places.result"
    history.of("rule").export(kept.run_id, path)
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(SwguiError, match=r"damaged|cannot be read|no saved"):
        history.of("rule").open_file(path)
