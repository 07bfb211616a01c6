"""One long pair from request to result: strands, further alignments, stops, faults and checkpoints."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
from dataclasses import replace

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.control import RunControl
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.pair.problem import PairAligned, PairEnd, PairMode, PairProgress, PairScored
from swgui.core.pair.result import PairResult
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.base import EngineOptions
from swgui.engines.pair import cpu, cpu_job
from swgui.engines.traceback import next_local
from swgui.io.saved import pair_checkpoint
from swgui.io.saved.pair_checkpoint import CheckpointError, CheckpointFile, settle
from swgui.io.whole_file import FileNotWritten
from swgui.jobs.pair import plan as pair_plan
from swgui.jobs.pair import work as pair_work
from swgui.jobs.pair.events import PairFinished, PairFound, PairProgressed, PairStarted
from swgui.jobs.pair.plan import plan_pair, prepare_engine
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair

SCHEME = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)


def record(name: str, codes: np.ndarray) -> SequenceRecord:
    return SequenceRecord(name, "", NUCLEOTIDE.decode(codes))


@pytest.fixture
def pair():
    """A query whose first part is in the subject as it is, and whose second part on the other strand."""
    rng = np.random.default_rng(3)
    one, two = (rng.integers(0, 4, length).astype(np.uint8) for length in (80, 60))
    query = np.concatenate([one, rng.integers(0, 4, 20).astype(np.uint8), two])
    subject = np.concatenate([NUCLEOTIDE.reverse_complement(two), rng.integers(0, 4, 30).astype(np.uint8), one[:75]])
    return record("q", query), record("s", subject)


def request_for(pair, **changes) -> PairRequest:
    return PairRequest(*pair, SCHEME, **({"method": "cpu"} | changes))


def run(request: PairRequest) -> PairResult:
    events = list(align_pair(request, threading.Event()))
    assert isinstance(events[0], PairStarted)
    assert isinstance(events[-1], PairFinished)
    result = events[-1].result
    found = [event.found for event in events if isinstance(event, PairFound)]
    assert tuple(found) == result.alignments
    assert [one.index for one in found] == list(range(1, len(found) + 1))
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    return result


def test_alignments_of_both_strands_come_best_first(pair):
    result = run(request_for(pair, strand="both", limit=2))
    first, second = result.alignments
    assert (first.strand, first.score, second.strand, second.score) == ("plus", 150, "minus", 120)
    assert second.query_range(len(pair[0].residues)) == (100, 160)
    assert (second.alignment.subject_start, second.alignment.subject_end) == (0, 60)
    assert result.score == 150
    assert result.best_strand == "plus"
    assert result.state == "finished"
    assert result.method == "cpu"
    assert first.counts.nident == 75
    assert first.bit_score > second.bit_score > 0
    assert first.log10_evalue < second.log10_evalue < 0
    assert "+2/-3" in result.statistics


def test_one_alignment_of_both_strands_is_the_better_one(pair):
    turned = record("t", NUCLEOTIDE.reverse_complement(NUCLEOTIDE.encode(pair[0].residues)))
    for query, strand in ((pair[0], "plus"), (turned, "minus")):
        result = run(request_for((query, pair[1]), strand="both"))
        assert [(one.strand, one.score) for one in result.alignments] == [(strand, 150)]
    assert run(request_for(pair, strand="minus")).alignments[0].score == 120


def test_further_alignments_are_those_of_waterman_and_eggert(pair):
    result = run(request_for(pair, limit=4))
    query = EncodedQuery("q", NUCLEOTIDE.encode(pair[0].residues))
    subject, previous = NUCLEOTIDE.encode(pair[1].residues), []
    for one in result.alignments:
        assert one.alignment == next_local(query, subject, SCHEME, previous)
        previous.append(one.alignment)
    assert len(previous) == 4


def test_a_least_score_ends_the_list_but_not_before_the_first(pair):
    assert [one.score for one in run(request_for(pair, strand="both", limit=9, min_score=100)).alignments] == [150, 120]
    assert [one.score for one in run(request_for(pair, limit=9, min_score=1_000)).alignments] == [150]


@pytest.mark.parametrize("mode", [PairMode.GLOBAL, PairMode.SEMIGLOBAL])
def test_other_modes_have_no_statistics(pair, mode):
    result = run(request_for(pair, mode=mode))
    assert len(result.alignments) == 1
    assert np.isnan(result.alignments[0].bit_score)
    assert result.statistics == ""


def test_only_the_score(pair):
    result = run(request_for(pair, strand="both", score_only=True))
    assert (result.score, result.alignments) == (150, ())
    assert (result.best.query_end, result.best.subject_end) == (75, 165)


def test_nothing_in_common_is_a_result_without_alignments():
    result = run(request_for((record("a", np.zeros(9, np.uint8)), record("c", np.ones(9, np.uint8)))))
    assert (result.score, result.alignments, result.state) == (0, (), "finished")


def test_requests_that_make_no_sense(pair):
    empty = SequenceRecord("none", "", b"")
    protein = SequenceRecord("p", "", b"ACDEF")
    for changes in (
        {"limit": 0},
        {"min_score": 0},
        {"limit": 2, "mode": PairMode.GLOBAL},
        {"limit": 2, "score_only": True},
    ):
        with pytest.raises(InvalidParameter):
            request_for(pair, **changes)
    with pytest.raises(InvalidParameter, match="no residues"):
        request_for((pair[0], empty))
    from swgui.io.matrices import load_matrix

    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    with pytest.raises(InvalidParameter, match="one strand"):
        PairRequest(protein, protein, scheme, strand="both")
    with pytest.raises(InvalidParameter, match="no pair method"):
        list(align_pair(request_for(pair, method="magic"), threading.Event()))


def test_the_plan_is_made_without_running(pair):
    plan = plan_pair(request_for(pair, strand="both"))
    assert plan.cells == len(pair[0].residues) * len(pair[1].residues)
    assert plan.memory_bytes > 0


def test_what_was_planned_is_not_planned_again(pair, monkeypatch):
    request = request_for(pair)
    plan = replace(plan_pair(request), remarks=("As planned.",))
    monkeypatch.setattr(cpu.CpuPairEngine, "plan", None)
    started, *_, last = align_pair(request, threading.Event(), plan)
    assert started == PairStarted(plan, ("plus",))
    assert (last.result.score, last.result.remarks) == (150, ("As planned.",))


def test_the_second_strand_is_asked_for_what_is_of_use_only(pair, monkeypatch):
    wanted = []
    run = cpu.CpuPairEngine.run

    def noted(self, problem, cancel, resume=None):
        wanted.append(problem.wanted)
        return run(self, problem, cancel, resume)

    monkeypatch.setattr(cpu.CpuPairEngine, "run", noted)
    for asked, expected in (
        ({"limit": 1}, [0, 150]),
        ({"limit": 2, "min_score": 140}, [0, 0]),
        ({"score_only": True}, [0, 150]),
    ):
        wanted.clear()
        *_, last = align_pair(request_for(pair, strand="both", method="cpu", **asked), threading.Event())
        assert wanted[:2] == expected
        assert last.result.score == 150
        assert last.result.best.query_end > 0


def test_where_the_best_ends_is_kept_whichever_is_told_first(pair):
    request = request_for(pair, strand="both", method="cpu")
    engine, plan = prepare_engine(request)
    work = pair_work.PairWork(request, request.problems(), engine, plan)
    for end, strand in (
        (PairEnd(150, 0, 0), "plus"),
        (PairEnd(150, 75, 80), "plus"),
        (PairEnd(150, 0, 0), "minus"),
        (PairEnd(150, 60, 60), "minus"),
    ):
        work._note_best(end, strand)
    assert work.best == (PairEnd(150, 75, 80), "plus")


def small_steps(monkeypatch) -> None:
    """Let the CPU report, and save, at every tile."""
    for name, value in (
        ("SHORTEST_TILE", 16),
        ("LONGEST_TILE", 16),
        ("TICK_SECONDS", 0.0),
        ("CHECKPOINT_SECONDS", 0.0),
    ):
        monkeypatch.setattr(cpu_job, name, value)
    monkeypatch.setattr(pair_work, "CHECKPOINT_SECONDS", 0.0)


NUMPY = EngineOptions(threads=1, settings={"library": "numpy"})


def test_progress_grows_and_names_a_time(pair, monkeypatch):
    small_steps(monkeypatch)
    monkeypatch.setattr(pair_work, "KNOWN_AFTER", 0.0)
    events = list(align_pair(request_for(pair, options=NUMPY), threading.Event()))
    progress = [event for event in events if isinstance(event, PairProgressed)]
    assert {event.step.stage for event in progress} >= {"Scoring", "Finding the start", "Aligning"}
    assert all(a.step.cells_done <= b.step.cells_done for a, b in itertools.pairwise(progress))
    assert progress[-1].seconds_left is not None
    assert progress[-1].step.best.score == 150


def test_a_stop_keeps_the_score_and_the_alignments_found(pair, monkeypatch):
    small_steps(monkeypatch)
    cancel = threading.Event()
    result = None
    for event in align_pair(request_for(pair, strand="both", limit=3, options=NUMPY), cancel):
        if isinstance(event, PairFound):
            cancel.set()
        if isinstance(event, PairFinished):
            result = event.result
    assert (result.state, len(result.alignments), result.score) == ("stopped", 1, 150)
    assert result.reason


def test_a_run_that_is_held_up_rests_and_goes_on(pair, monkeypatch):
    small_steps(monkeypatch)
    control, helped = RunControl(), []

    def go_on() -> None:
        helped.append(control.paused)
        control.resume()

    for event in align_pair(request_for(pair, options=NUMPY), control):
        if isinstance(event, PairStarted):
            control.pause()
            threading.Timer(0.2, go_on).start()
    assert helped == [True]
    assert event.result.state == "finished"
    assert event.result.score == 150


class Broken:
    """An engine that fails after the score."""

    method = "cpu"
    devices = ()

    def __init__(self, fault: Exception) -> None:
        self.fault, self.closed = fault, False

    def plan(self, *arguments):
        return cpu.CpuPairEngine(1).plan(*arguments)

    def run(self, *arguments):
        from swgui.core.pair.problem import PairEnd

        yield PairProgress("Scoring", 1, 2, best=PairEnd(7, 1, 1))
        yield PairScored(PairEnd(9, 1, 1))
        raise self.fault

    def close(self) -> None:
        self.closed = True


def test_a_fault_keeps_the_score_and_says_why(pair, monkeypatch):
    engine = Broken(EngineFault("The device fell off."))
    monkeypatch.setattr(pair_plan, "make_pair_engine", lambda method, options: engine)
    result = run(request_for(pair))
    assert (result.state, result.score, result.alignments) == ("failed", 9, ())
    assert "fell off" in result.reason
    assert engine.closed


def test_an_alignment_that_does_not_add_up_is_no_result(pair, monkeypatch):
    class Wrong(Broken):
        def run(self, *arguments):
            for step in cpu.CpuPairEngine(1).run(*arguments):
                if isinstance(step, PairAligned):
                    step = PairAligned(replace(step.alignment, score=step.alignment.score + 1))
                yield step

    monkeypatch.setattr(pair_plan, "make_pair_engine", lambda method, options: Wrong(EngineFault("")))
    result = run(request_for(pair))
    assert (result.state, result.alignments) == ("failed", ())
    assert "adds up" in result.reason


def test_automatic_falls_back_to_the_cpu(pair, monkeypatch):
    real = pair_plan.make_pair_engine

    def make(method, options):
        if method == "wavefront":
            raise EngineUnavailable(method, "The GPU is busy.")
        return real(method, options)

    monkeypatch.setattr(pair_plan, "resolve_method", lambda method: "wavefront")
    monkeypatch.setattr(pair_plan, "make_pair_engine", make)
    result = run(request_for(pair, method="auto"))
    assert result.method == "cpu"
    assert any("GPU is busy" in remark for remark in result.remarks)
    with pytest.raises(EngineUnavailable):
        list(align_pair(request_for(pair, method="wavefront"), threading.Event()))


def test_a_stopped_run_goes_on_from_its_checkpoint(pair, monkeypatch, tmp_path):
    small_steps(monkeypatch)
    whole = run(request_for(pair, strand="both", limit=3, options=NUMPY))
    path = tmp_path / "pair.checkpoint"
    request = request_for(pair, strand="both", limit=3, options=NUMPY, checkpoint=path)
    rounds = 0
    while True:
        rounds += 1
        assert rounds < 200
        cancel, seen = threading.Event(), 0
        for event in align_pair(request, cancel):
            seen += isinstance(event, PairProgressed)
            if seen > 10:  # every round a little further
                cancel.set()
            if isinstance(event, PairFinished):
                result = event.result
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
    request = request_for(pair, options=NUMPY, checkpoint=path)

    def stop_after(events: int) -> int:
        """Stop a run after so much progress and return how far its state in the file is."""
        cancel, seen = threading.Event(), 0
        for event in align_pair(request, cancel):
            seen += isinstance(event, PairProgressed)
            if (isinstance(event, PairStarted) and not events) or seen == events > 0:
                cancel.set()
        assert event.result.state == "stopped"
        settle(path)
        with np.load(path) as archive:
            return json.loads(archive["facts"].tobytes())["strands"]["plus"]["resume"]["cells_done"]

    done = stop_after(40)
    assert done > 0
    assert stop_after(0) == done
    monkeypatch.setattr(cpu_job, "CHECKPOINT_SECONDS", 1e9)
    assert stop_after(2) == done


def test_work_that_was_stopped_before_anything_is_known_leaves_no_state(pair, tmp_path):
    path, cancel = tmp_path / "pair.checkpoint", threading.Event()
    cancel.set()
    *_, last = align_pair(request_for(pair, checkpoint=path, strand="both"), cancel)
    assert (last.result.state, last.result.score) == ("stopped", None)
    settle(path)
    assert list(tmp_path.iterdir()) == []


KILLED = """
import os, signal, sys, threading
from pathlib import Path
from swgui.jobs.pair import work as pair_work
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from swgui.jobs.pair.events import PairProgressed
from swgui.engines.pair import cpu_job
from swgui.io.saved.pair_checkpoint import settle
from tests.jobs.pair.test_run import NUMPY, SCHEME
from swgui.core.records import SequenceRecord
for name, value in (("SHORTEST_TILE", 16), ("LONGEST_TILE", 16), ("TICK_SECONDS", 0.0), ("CHECKPOINT_SECONDS", 0.0)):
    setattr(cpu_job, name, value)
pair_work.CHECKPOINT_SECONDS = 0.0
query, subject, path, steps = sys.argv[1:]
records = (SequenceRecord("q", "", query.encode()), SequenceRecord("s", "", subject.encode()))
request = PairRequest(*records, SCHEME, method="cpu", options=NUMPY, checkpoint=Path(path))
seen = 0
for event in align_pair(request, threading.Event()):
    seen += isinstance(event, PairProgressed)
    if seen == int(steps):
        settle(Path(path))
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_run_goes_on_from_its_checkpoint(pair, monkeypatch, tmp_path, repository):
    path = tmp_path / "pair.checkpoint"
    letters = [one.residues.decode() for one in pair]
    done = subprocess.run([sys.executable, "-c", KILLED, *letters, str(path), "40"], cwd=repository, check=False)
    assert done.returncode == -9
    small_steps(monkeypatch)
    pair = tuple(replace(one, id=name) for one, name in zip(pair, "qs", strict=True))
    request = request_for(pair, options=NUMPY, checkpoint=path)
    file = CheckpointFile(path, {})
    with pytest.raises(CheckpointError):
        file.read()
    events = list(align_pair(request, threading.Event()))
    first = next(event for event in events if isinstance(event, PairProgressed))
    assert first.step.cells_done > 16 * 16, "it went on from where it was"
    assert events[-1].result.alignments[0].alignment == run(request_for(pair)).alignments[0].alignment
    assert not path.exists()


def test_a_checkpoint_of_something_else_is_refused(pair, monkeypatch, tmp_path):
    small_steps(monkeypatch)
    path = tmp_path / "pair.checkpoint"
    cancel = threading.Event()
    for event in align_pair(request_for(pair, options=NUMPY, checkpoint=path), cancel):
        if isinstance(event, PairProgressed):
            cancel.set()
    settle(path)
    kept = path.read_bytes()
    other = ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 1, -2), 2, 2)
    with pytest.raises(CheckpointError, match="another matrix and other gap costs"):
        list(align_pair(replace(request_for(pair, options=NUMPY, checkpoint=path), scheme=other), threading.Event()))
    with pytest.raises(CheckpointError, match="another query and another subject"):
        list(align_pair(request_for(pair[::-1], options=NUMPY, checkpoint=path), threading.Event()))
    assert path.read_bytes() == kept


@pytest.mark.parametrize("damage", [lambda b: b"", lambda b: b[: len(b) // 2], lambda b: b"x" * 100, lambda b: b[:-9]])
def test_a_damaged_checkpoint_is_refused_with_a_sentence(pair, monkeypatch, tmp_path, damage):
    small_steps(monkeypatch)
    path = tmp_path / "pair.checkpoint"
    cancel = threading.Event()
    request = request_for(pair, options=NUMPY, checkpoint=path)
    for event in align_pair(request, cancel):
        if isinstance(event, PairProgressed):
            cancel.set()
    settle(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(CheckpointError, match="no checkpoint"):
        list(align_pair(request, threading.Event()))


def test_a_checkpoint_that_cannot_be_written_is_said_before_the_work(pair, monkeypatch, tmp_path):
    monkeypatch.setattr(pair_plan, "make_pair_engine", None)
    for path, said in ((tmp_path / "none" / "x", "does not exist"), (tmp_path, "is a folder")):
        with pytest.raises(FileNotWritten, match=said):
            list(align_pair(request_for(pair, checkpoint=path), threading.Event()))
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def full_disk(monkeypatch):
    """Checkpoints find no space from now on."""

    def no_space(path, **_options):
        raise FileNotWritten(str(path), "There is no space left.")

    monkeypatch.setattr(pair_checkpoint, "whole_file", no_space)


def test_a_full_disk_does_not_end_the_work(pair, monkeypatch, tmp_path, full_disk):
    small_steps(monkeypatch)
    result = run(request_for(pair, options=NUMPY, checkpoint=tmp_path / "x"))
    assert (result.state, result.score, len(result.alignments)) == ("finished", 150, 1)


def test_a_stop_says_that_the_state_is_not_kept(pair, monkeypatch, tmp_path, full_disk):
    small_steps(monkeypatch)
    monkeypatch.setattr(pair_work, "STOP_SECONDS", 60.0)
    cancel = threading.Event()
    for event in align_pair(request_for(pair, options=NUMPY, checkpoint=tmp_path / "x"), cancel):
        if isinstance(event, PairProgressed):
            cancel.set()
    assert event.result.state == "stopped"
    assert event.result.reason == ("Stopped by you. The newest state of the work is not kept: There is no space left.")


def test_neither_work_nor_stop_wait_for_the_disk(pair, monkeypatch, tmp_path):
    """A checkpoint of genomes takes a while to be written; the newest state is in the file in the end."""
    small_steps(monkeypatch)
    monkeypatch.setattr(pair_work, "STOP_SECONDS", 0.0)
    writing, enough, real, written = threading.Event(), threading.Event(), pair_checkpoint.np.savez, []

    def slow(file, **arrays):
        writing.set()
        assert enough.wait(60)
        written.append(json.loads(arrays["facts"].tobytes()))
        real(file, **arrays)

    def write(self, states, spent):
        begin(self, states, spent)
        assert writing.wait(60)

    begin = CheckpointFile.write
    monkeypatch.setattr(CheckpointFile, "write", write)
    monkeypatch.setattr(pair_checkpoint.np, "savez", slow)
    cancel, path, after = threading.Event(), tmp_path / "x", 0
    request = request_for(pair, options=NUMPY, checkpoint=path)
    for event in align_pair(request, cancel):
        after += isinstance(event, PairProgressed) and writing.is_set()
        if after == 5:
            cancel.set()
    assert event.result.state == "stopped"
    assert not written
    enough.set()
    settle(path)
    assert path.exists()
    done = [document["strands"]["plus"]["resume"]["cells_done"] for document in written]
    assert len(done) == 2, "the first and the newest; what was between them was not worth the disk's time"
    assert done[0] < done[1]
    assert run(request).alignments[0].alignment == run(request_for(pair)).alignments[0].alignment
