"""Pairs are runs like any other: kept, listed, renamed, deleted, and resumed after whatever ended the program."""

from __future__ import annotations

import json
import os
import threading
import time

import pytest

from swgui import paths
from swgui.core.engines import EngineOptions
from swgui.core.features import Feature
from swgui.core.pair.problem import PairPlan
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.io.saved.log import is_log, read_log, settle
from swgui.io.whole_file import FileNotWritten
from swgui.jobs.events import Finished
from swgui.jobs.pair.events import PairProgressed
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair, plan_pair
from swgui.runs import RunError, Runs
from swgui.runs.pairs import Unfinished
from tests.asking import DNA_SCHEME
from tests.io.saved.older_checkpoint import written_by_0_2
from tests.jobs.pair import pair_by_hand
from tests.jobs.pair.pair_by_hand import dna

pytestmark = pytest.mark.usefixtures("user_folders")


def make_request(**options):
    subject = dna(300, 1)
    query = SequenceRecord(
        "sp|P1|Q_TEST", "a query", dna(40, 2) + subject[50:250], (Feature("misc_feature", ((3, 30),), "x"),)
    )
    return PairRequest(query, SequenceRecord("chr1", "", subject), DNA_SCHEME, method="cpu", **options)


@pytest.fixture
def history(tmp_path):
    return Runs(tmp_path / "runs")


@pytest.fixture
def small_steps(monkeypatch):
    pair_by_hand.small_steps(monkeypatch)


def run(history, request, plan=None):
    *_, last = history.of("pair").run(replace(request, plan=plan or plan_pair(request)), threading.Event())
    assert isinstance(last, Finished)
    return last.outcome


def stopped(history, request, plan=None):
    """Align, and stop once some cells are computed and kept."""
    cancel, seen = threading.Event(), 0
    for event in history.of("pair").run(replace(request, plan=plan or plan_pair(request)), cancel):
        seen += isinstance(event, PairProgressed)
        if seen == 40:
            cancel.set()
    settle(history.folder / f"{event.outcome.run_id}.state")
    return event.outcome


def same(one, other):
    """Whether two results say the same of the same sequences."""
    facts = [
        (r.query, r.subject, r.state, r.score, r.best_strand, [(a.alignment, a.strand, a.counts) for a in r.alignments])
        for r in (one, other)
    ]
    return facts[0] == facts[1]


def test_a_pair_is_kept_and_opened_again(history):
    result = run(history, make_request(strand="both", limit=2))
    (record,) = history.list()
    assert (record.id, record.kind, record.state, record.fraction) == (result.run_id, "pair", "done", 1.0)
    assert record.name == "Q_TEST × chr1"
    assert (record.about, record.found) == ("local, +2/-3 5/2", len(result.alignments))
    assert record.started
    assert record.finished == result.finished_at
    assert record.size == sum(path.stat().st_size for path in history.folder.iterdir() if path.suffix != ".json")
    assert sorted(path.suffix for path in history.folder.iterdir()) == [".json", ".outcome", ".pair"], "no state left"
    assert not record.resumable
    again = Runs(history.folder)
    assert same(again.of("pair").open(record.id), result)
    assert again.of("pair").open(record.id).run_id == record.id


def test_a_score_without_an_alignment_comes_back_with_its_sequences(history):
    result = run(history, make_request(score_only=True))
    opened = history.of("pair").open(result.run_id)
    assert same(opened, result)
    assert opened.has_residues


def test_the_same_can_be_run_again_with_all_that_was_asked(history):
    request = make_request(strand="minus", limit=3, min_score=7, options=EngineOptions(("1",), 2, {"a": "b"}))
    history.of("pair").work = align_pair_as(replace(request, options=EngineOptions()))
    result = run(history, request, plan_pair(replace(request, options=EngineOptions())))
    history.rename(result.run_id, "  A  better name ")
    again = history.of("pair").again(result.run_id)
    names = ("query", "subject", "mode", "strand", "method", "options", "score_only", "limit", "min_score")
    assert [getattr(again, name) for name in names] == [getattr(request, name) for name in names]
    assert (again.name, again.run_id, again.checkpoint) == ("A better name", "", None)
    assert again.scheme.describe() == DNA_SCHEME.describe()


def align_pair_as(other):
    """Return a function that aligns another request instead, with the checkpoint of the one given."""
    return lambda request, cancel, plan: align_pair(replace(other, checkpoint=request.checkpoint), cancel, plan)


def test_a_pair_with_a_setting_that_only_earlier_versions_had_is_resumed(history, small_steps):
    whole = run(history, make_request())
    run_id = stopped(history, make_request()).run_id
    path = history.folder / f"{run_id}.pair"
    head, _, residues = path.read_bytes().partition(b"\n")
    facts = json.loads(head)
    facts["plan"]["settings"]["library"] = facts["settings"]["library"] = "auto"
    path.write_bytes(json.dumps(facts).encode("ascii") + b"\n" + residues)
    request = history.of("pair").resume(run_id)
    assert "library" not in {**request.options.settings, **request.plan.settings}
    assert same(run(history, request, request.plan), whole)


def test_a_state_with_a_setting_that_only_earlier_versions_had_is_gone_on_from(history, small_steps):
    partial = stopped(history, make_request())
    state = history.folder / f"{partial.run_id}.state"
    asked, (entry,) = read_log(state, "pair")
    settings = {**asked.facts["other settings of the method"], "library": "opal"}
    written_by_0_2(state, asked, entry, settings=settings)
    assert not is_log(state)
    assert history.record(partial.run_id).fraction > 0
    request = history.of("pair").resume(partial.run_id)
    events = history.of("pair").run(request, threading.Event())
    first = next(event for event in events if isinstance(event, PairProgressed))
    events.close()
    assert first.step.cells_done > 16 * 16, "it began anew"


def test_a_resumed_pair_whose_program_ended_shows_what_is_kept(history, small_steps):
    before = history.record(stopped(history, make_request()).run_id)
    resumed = history.of("pair").resume(before.id)
    events = history.of("pair").run(resumed, threading.Event())
    for _ in range(30):
        next(events)
    events.close()
    settle(history.files.place(before.id, ".state"))
    record = history.record(before.id)
    assert (record.state, record.resumable) == ("partial", True)
    assert record.fraction > before.fraction
    assert "ended while the run was resumed" in record.reason


def test_the_same_work_finds_its_run(history, small_steps):
    request = make_request()
    plan = plan_pair(request)
    assert history.of("pair").unfinished(request, plan) == Unfinished()
    partial = stopped(history, request)
    assert history.of("pair").unfinished(request, plan) == Unfinished(partial.run_id, frozenset({"cpu"}))
    threads = replace(plan, settings={**plan.settings, "threads": "64"})
    assert history.of("pair").unfinished(request, threads).run_id == partial.run_id
    other = replace(plan, settings={**plan.settings, "library": "other"})
    assert history.of("pair").unfinished(request, other) == Unfinished("", frozenset({"cpu"}))
    assert history.of("pair").unfinished(request, replace(plan, method="tiled")) == Unfinished("", frozenset({"cpu"}))
    assert history.of("pair").unfinished(replace(request, limit=2), plan) == Unfinished()


def test_states_that_version_0_1_kept_are_deleted_after_a_day(history):
    folder = paths.data_dir() / "pairs"
    folder.mkdir(parents=True)
    for name, age in (("old", 2), ("new", 0)):
        (folder / f"{name}.pair").write_bytes(b"")
        os.utime(folder / f"{name}.pair", (time.time() - age * 86_400,) * 2)
    run(history, make_request())
    assert [path.name for path in folder.iterdir()] == ["new.pair"]


def test_a_state_that_does_not_fit_is_thrown_away(history, small_steps):
    request = make_request()
    partial = stopped(history, request)
    (history.folder / f"{partial.run_id}.state").write_bytes(b"no state at all")
    assert history.record(partial.run_id).fraction > 0, "of the note"
    resumed = history.of("pair").resume(partial.run_id)
    assert run(history, resumed, resumed.plan).state == "finished"


def test_a_run_that_is_active_is_neither_deleted_nor_resumed_elsewhere(history, small_steps):
    request, other = make_request(), Runs(history.folder)
    partial = stopped(history, request)
    resumed = history.of("pair").resume(partial.run_id)
    events = history.of("pair").run(resumed, threading.Event())
    next(events)
    for act in (other.delete, other.of("pair").resume):
        with pytest.raises(RunError, match="active"):
            act(partial.run_id)
    with pytest.raises(RunError, match="another window"):
        list(other.of("pair").run(resumed, threading.Event()))
    assert not other.record(partial.run_id).resumable
    events.close()
    assert other.record(partial.run_id).resumable
    other.delete(partial.run_id)
    assert list(history.folder.iterdir()) == []


def test_damage_is_said_and_costs_no_other_run(history):
    first, second = run(history, make_request()), run(history, make_request(limit=2))
    note, outcome = (history.folder / f"{first.run_id}.{end}" for end in ("json", "outcome"))
    note.unlink()
    assert history.record(first.run_id).state == "done", "the note is made again"
    note.unlink()
    outcome.write_text(outcome.read_text().replace('"identities"', '"x').replace("swgui pair", "other"))
    states = {record.id: record.state for record in history.list()}
    assert states == {first.run_id: "damaged", second.run_id: "done"}
    (history.folder / f"{second.run_id}.pair").write_bytes(b"{}")
    with pytest.raises(RunError, match="damaged"):
        history.of("pair").open(second.run_id)
    assert [record.id for record in history.list()][-1] == first.run_id
    history.delete(first.run_id)
    history.delete(second.run_id)
    assert list(history.folder.iterdir()) == []


def test_where_nothing_can_be_kept_the_work_is_done_all_the_same(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    history = Runs(tmp_path / "file" / "runs")
    result = run(history, make_request())
    assert (result.state, result.run_id) == ("finished", "")
    assert "could not be" in result.remarks[-1]


def test_a_full_disk_costs_the_run_but_not_the_result(history, monkeypatch):
    def full(*_):
        raise FileNotWritten("x", "There is no space left.")

    monkeypatch.setattr("swgui.runs.pairs.save_text", full)
    result = run(history, make_request())
    assert result.state == "finished"
    assert "no space left" in result.remarks[-1]


def test_the_oldest_are_deleted_and_what_nobody_can_use(tmp_path):
    history = Runs(tmp_path / "runs", max_runs=2)
    ids = [run(history, make_request(limit=number)).run_id for number in (1, 2, 3)]
    assert [record.id for record in history.list()] == ids[:0:-1]
    orphan = history.folder / f"{ids[0]}.state"
    orphan.write_bytes(b"x")
    history.sweep()
    assert not orphan.exists()


def test_a_plan_is_kept_as_it_was(history, small_steps):
    request = make_request()
    plan = replace(plan_pair(request), seconds=None, remarks=("So.",), memory={"rows": 5})
    kept = history.of("pair").resume(stopped(history, request, plan).run_id).plan
    assert isinstance(kept, PairPlan)
    assert kept == plan
