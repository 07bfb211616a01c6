"""One long pair from request to result: strands, further alignments, stops and faults."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.control import RunControl
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter
from swgui.core.pair.problem import PairAligned, PairEnd, PairMode, PairProgress, PairScored
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.engines.pair import cpu
from swgui.engines.traceback.alternatives import next_local
from swgui.jobs.events import Finished
from swgui.jobs.pair import run as pair_run
from swgui.jobs.pair.events import PairFound, PairProgressed, PairStarted
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair, plan_pair, prepare_engine
from tests.asking import BLOSUM62
from tests.jobs.pair.pair_by_hand import ONE_THREAD, SCHEME, record, request_for, run, small_steps


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

    with pytest.raises(InvalidParameter, match="one strand"):
        PairRequest(protein, protein, BLOSUM62, strand="both")
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
    assert (last.outcome.score, last.outcome.remarks) == (150, ("As planned.",))


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
        assert last.outcome.score == 150
        assert last.outcome.best.query_end > 0


def test_where_the_best_ends_is_kept_whichever_is_told_first(pair):
    request = request_for(pair, strand="both", method="cpu")
    engine, plan = prepare_engine(request)
    work = pair_run.PairWork(request, request.problems(), engine, plan)
    for end, strand in (
        (PairEnd(150, 0, 0), "plus"),
        (PairEnd(150, 75, 80), "plus"),
        (PairEnd(150, 0, 0), "minus"),
        (PairEnd(150, 60, 60), "minus"),
    ):
        work.note_best(end, strand)
    assert work.best == (PairEnd(150, 75, 80), "plus")


def test_progress_grows_and_names_a_time(pair, monkeypatch):
    small_steps(monkeypatch)
    monkeypatch.setattr(pair_run, "KNOWN_AFTER", 0.0)
    events = list(align_pair(request_for(pair, options=ONE_THREAD), threading.Event()))
    progress = [event for event in events if isinstance(event, PairProgressed)]
    assert {event.step.stage for event in progress} >= {"Scoring", "Finding the start", "Aligning"}
    assert all(a.step.cells_done <= b.step.cells_done for a, b in itertools.pairwise(progress))
    assert progress[-1].seconds_left is not None
    assert progress[-1].step.best.score == 150


def test_a_stop_keeps_the_score_and_the_alignments_found(pair, monkeypatch):
    small_steps(monkeypatch)
    cancel = threading.Event()
    result = None
    for event in align_pair(request_for(pair, strand="both", limit=3, options=ONE_THREAD), cancel):
        if isinstance(event, PairFound):
            cancel.set()
        if isinstance(event, Finished):
            result = event.outcome
    assert (result.state, len(result.alignments), result.score) == ("stopped", 1, 150)
    assert result.reason


def test_a_run_that_is_held_up_rests_and_goes_on(pair, monkeypatch):
    small_steps(monkeypatch)
    control, helped = RunControl(), []

    def go_on() -> None:
        helped.append(control.paused)
        control.resume()

    for event in align_pair(request_for(pair, options=ONE_THREAD), control):
        if isinstance(event, PairStarted):
            control.pause()
            threading.Timer(0.2, go_on).start()
    assert helped == [True]
    assert event.outcome.state == "finished"
    assert event.outcome.score == 150


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
    monkeypatch.setattr(pair_run, "make_pair_engine", lambda method, options: engine)
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

    monkeypatch.setattr(pair_run, "make_pair_engine", lambda method, options: Wrong(EngineFault("")))
    result = run(request_for(pair))
    assert (result.state, result.alignments) == ("failed", ())
    assert "adds up" in result.reason


def test_automatic_falls_back_to_the_cpu(pair, monkeypatch):
    real = pair_run.make_pair_engine

    def make(method, options):
        if method == "wavefront":
            raise EngineUnavailable(method, "The GPU is busy.")
        return real(method, options)

    monkeypatch.setattr(pair_run, "resolve_method", lambda method: "wavefront")
    monkeypatch.setattr(pair_run, "make_pair_engine", make)
    result = run(request_for(pair, method="auto"))
    assert result.method == "cpu"
    assert any("GPU is busy" in remark for remark in result.remarks)
    with pytest.raises(EngineUnavailable):
        list(align_pair(request_for(pair, method="wavefront"), threading.Event()))
