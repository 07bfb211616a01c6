"""One long pair that is stopped, killed or cannot write: work that continues from its checkpoint."""

from __future__ import annotations

import threading
from dataclasses import fields

import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.engines import EngineOptions
from swgui.core.errors import LogError
from swgui.core.pair.problem import PairPlan
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.engines.pair import cpu
from swgui.io.saved.log import Log, in_use, read_state_facts, settle
from swgui.io.saved.pair_states import DIFFERENCES
from swgui.io.whole_file import FileNotWritten
from swgui.jobs.events import Finished
from swgui.jobs.pair import run as pair_run
from swgui.jobs.pair.events import PairProgressed, PairStarted
from swgui.jobs.pair.request import CheckpointIdentity, PairRequest
from swgui.jobs.pair.run import align_pair
from tests.asking import DNA_SCHEME
from tests.jobs.pair.pair_by_hand import ONE_THREAD, request_for, run, small_steps


def test_a_stopped_run_goes_on_from_its_checkpoint(pair, monkeypatch, tmp_path):
    small_steps(monkeypatch)
    whole = run(request_for(pair, strand="both", limit=3, options=ONE_THREAD))
    path = tmp_path / "pair.checkpoint"
    request = request_for(pair, strand="both", limit=3, options=ONE_THREAD, checkpoint=path)
    rounds = 0
    while True:
        rounds += 1
        assert rounds < 200
        cancel, seen = threading.Event(), 0
        for event in align_pair(request, cancel):
            seen += isinstance(event, PairProgressed)
            if seen > 10:  # every round a little further
                cancel.set()
            if isinstance(event, Finished):
                result = event.outcome
        if result.state == "finished":
            break
        settle(path)
        assert path.exists()
    assert rounds > 3
    assert [(one.strand, one.alignment) for one in result.alignments] == [
        (one.strand, one.alignment) for one in whole.alignments
    ]
    assert result.score == whole.score
    assert not path.exists(), "a finished pair leaves no checkpoint behind"


def test_work_that_is_stopped_before_it_has_a_newer_state_keeps_the_older_one(pair, monkeypatch, tmp_path):
    small_steps(monkeypatch)
    path = tmp_path / "pair.checkpoint"
    request = request_for(pair, options=ONE_THREAD, checkpoint=path)

    def stop_after(events: int) -> int:
        """Stop a run after so much progress and return how far its state in the file is."""
        cancel, seen = threading.Event(), 0
        for event in align_pair(request, cancel):
            seen += isinstance(event, PairProgressed)
            if (isinstance(event, PairStarted) and not events) or seen == events > 0:
                cancel.set()
        assert event.outcome.state == "stopped"
        settle(path)
        return read_state_facts(path, "pair")["strands"]["plus"]["resume"]["cells_done"]

    done = stop_after(40)
    assert done > 0
    assert stop_after(0) == done
    monkeypatch.setattr(cpu, "CHECKPOINT_SECONDS", 1e9)
    assert stop_after(2) == done


def test_work_that_was_stopped_before_anything_is_known_leaves_no_state(pair, tmp_path):
    path, cancel = tmp_path / "pair.checkpoint", threading.Event()
    cancel.set()
    *_, last = align_pair(request_for(pair, checkpoint=path, strand="both"), cancel)
    assert (last.outcome.state, last.outcome.score) == ("stopped", None)
    settle(path)
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_of_something_else_is_refused(pair, monkeypatch, tmp_path):
    small_steps(monkeypatch)
    path = tmp_path / "pair.checkpoint"
    cancel = threading.Event()
    for event in align_pair(request_for(pair, options=ONE_THREAD, checkpoint=path), cancel):
        if isinstance(event, PairProgressed):
            cancel.set()
    settle(path)
    kept = path.read_bytes()
    other = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 1, -2), 2, 2)
    with pytest.raises(LogError, match="another matrix and other gap costs"):
        list(
            align_pair(replace(request_for(pair, options=ONE_THREAD, checkpoint=path), scheme=other), threading.Event())
        )
    with pytest.raises(LogError, match="another query and another subject"):
        list(align_pair(request_for(pair[::-1], options=ONE_THREAD, checkpoint=path), threading.Event()))
    assert path.read_bytes() == kept


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"x" * 100, lambda b: b[:-9]])
def test_a_damaged_checkpoint_is_refused_with_a_sentence(pair, monkeypatch, tmp_path, damage):
    small_steps(monkeypatch)
    path = tmp_path / "pair.checkpoint"
    cancel = threading.Event()
    request = request_for(pair, options=ONE_THREAD, checkpoint=path)
    for event in align_pair(request, cancel):
        if isinstance(event, PairProgressed):
            cancel.set()
    settle(path)
    path.write_bytes(damage(path.read_bytes()))
    damaged = path.read_bytes()
    with pytest.raises(LogError, match="no state of a run"):
        list(align_pair(request, threading.Event()))
    assert path.read_bytes() == damaged


def test_a_checkpoint_that_cannot_be_written_is_said_before_the_work(pair, monkeypatch, tmp_path):
    monkeypatch.setattr(pair_run, "make_pair_engine", None)
    for path, said in ((tmp_path / "none" / "x", "does not exist"), (tmp_path, "is a folder")):
        with pytest.raises(FileNotWritten, match=said):
            list(align_pair(request_for(pair, checkpoint=path), threading.Event()))
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def full_disk(request, monkeypatch):
    """States find no space from now on: neither a file for them, nor what is written into it."""

    def no_space(log, *_):
        raise FileNotWritten(str(log), "There is no space left.")

    place, name = request.param
    monkeypatch.setattr(place, name, no_space)


FULL = [(Log, "replace_now"), (pair_run, "Log")]


@pytest.mark.parametrize("full_disk", FULL, indirect=True)
def test_a_full_disk_does_not_end_the_work(pair, monkeypatch, tmp_path, full_disk):
    small_steps(monkeypatch)
    result = run(request_for(pair, options=ONE_THREAD, checkpoint=tmp_path / "x"))
    assert (result.state, result.score, len(result.alignments)) == ("finished", 150, 1)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("full_disk", FULL, indirect=True)
def test_a_stop_says_that_the_state_is_not_kept(pair, monkeypatch, tmp_path, full_disk):
    small_steps(monkeypatch)
    monkeypatch.setattr(pair_run, "STOP_SECONDS", 60.0)
    cancel = threading.Event()
    for event in align_pair(request_for(pair, options=ONE_THREAD, checkpoint=tmp_path / "x"), cancel):
        if isinstance(event, PairProgressed):
            cancel.set()
    assert event.outcome.state == "stopped"
    assert event.outcome.reason == ("Stopped by you. The newest state of the work is not kept: There is no space left.")
    settle(tmp_path / "x")
    assert list(tmp_path.iterdir()) == []


def test_neither_work_nor_stop_wait_for_the_disk(pair, monkeypatch, tmp_path):
    """A checkpoint of genomes takes a while to be written; the newest state is in the file in the end."""
    small_steps(monkeypatch)
    monkeypatch.setattr(pair_run, "STOP_SECONDS", 0.0)
    writing, enough, real, written = threading.Event(), threading.Event(), Log.replace_now, []

    def slow(log, facts, arrays):
        writing.set()
        assert enough.wait(60)
        written.append(facts)
        real(log, facts, arrays)

    def replaced(log, facts, arrays):
        begin(log, facts, arrays)
        assert writing.wait(60)

    begin = Log.replace
    monkeypatch.setattr(Log, "replace", replaced)
    monkeypatch.setattr(Log, "replace_now", slow)
    cancel, path, after = threading.Event(), tmp_path / "x", 0
    request = request_for(pair, options=ONE_THREAD, checkpoint=path)
    for event in align_pair(request, cancel):
        after += isinstance(event, PairProgressed) and writing.is_set()
        if after == 5:
            cancel.set()
    assert event.outcome.state == "stopped"
    assert not written
    assert in_use(path), "another program waits until the state is whole"
    enough.set()
    settle(path)
    assert path.exists()
    assert not in_use(path)
    done = [document["strands"]["plus"]["resume"]["cells_done"] for document in written]
    assert len(done) == 2, "the first and the newest; what was between them was not worth the disk's time"
    assert done[0] < done[1]
    assert run(request).alignments[0].alignment == run(request_for(pair)).alignments[0].alignment


# What identifies unfinished work on a pair.

QUERY, SUBJECT = SequenceRecord("q", "", b"GATTACA"), SequenceRecord("s", "", b"GATCACA")
REQUEST = PairRequest(QUERY, SUBJECT, DNA_SCHEME, strand="both", limit=3, min_score=5)
PLAN = PairPlan("wavefront", ("0",), 49, 98, settings={"rows": "8", "bits": "16", "threads": "4"}, seconds=20.0)


def identity_of(request=REQUEST, plan=PLAN):
    return repr(CheckpointIdentity.of(request, plan))


def test_runs_that_are_kept_are_found():
    """The digest stands in the files of runs."""
    assert CheckpointIdentity.of(REQUEST, PLAN).asked == "3d13d1e72c5fd2cced7b23478aafe5d2"


def test_neither_threads_nor_devices_are_part_of_it():
    elsewhere = replace(PLAN, devices=("1",), settings={**PLAN.settings, "threads": "1"})
    assert identity_of(replace(REQUEST, options=EngineOptions(("1",), threads=1)), elsewhere) == identity_of()


def test_all_that_is_asked_is_part_of_it():
    others = [
        replace(REQUEST, **changes)
        for changes in (
            {"query": SUBJECT},
            {"subject": QUERY},
            {"scheme": ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -2), 5, 2)},
            {"scheme": ScoringScheme.from_blast(DNA_SCHEME.matrix, 6, 2)},
            {"limit": 1, "mode": "global"},
            {"strand": "plus"},
            {"limit": 1, "score_only": True},
            {"limit": 2},
            {"min_score": 6},
        )
    ]
    plans = [replace(PLAN, method="tiled"), replace(PLAN, settings={"rows": "4"})]
    found = {identity_of(), *map(identity_of, others), *(identity_of(plan=plan) for plan in plans)}
    assert len(found) == 1 + len(others) + len(plans)


def test_every_fact_has_words_for_the_user():
    facts = CheckpointIdentity.of(REQUEST, PLAN).facts()
    assert set(facts) == set(DIFFERENCES.values())
    assert len(facts) == len(fields(CheckpointIdentity))
