"""The engines of the published pair methods without a GPU: a GPU that runs kernels on the CPU."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alignment import rescore
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter, ScoreMismatch
from swgui.core.pair.problem import PairAligned, PairEnd, PairMode, PairProblem, PairProgress, PairScored
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.rowscan import local_end
from swgui.io.matrices import load_matrix
from swgui.jobs.pair.request import PairRequest
from swgui.papers.striped import engine as striped
from swgui.papers.striped.run import StripRun
from swgui.papers.tiled import engine as tiled
from tests.asking import DNA_SCHEME
from tests.fakes import FakeGpu
from tests.kernels.on_cpu import COMPILER
from tests.papers.kernels.strips_machine import CpuMachine
from tests.papers.kernels.test_pair_tiled import CpuTiles

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

STRIPS = tuple(striped.METHODS)


class SmallGpu(FakeGpu):
    multiprocessors = 4
    dpx = False


class FakeMachine(CpuMachine):
    """Everything has been done when it is waited for, in a second."""

    def __init__(self, gpu):
        super().__init__()

    def mark(self):
        pass

    def elapsed(self):
        return 0.5

    @property
    def used_bytes(self):
        return sum(self.used.values())

    def peek(self, array):
        return array

    def watch(self, cancel, expected, seconds):
        assert expected > 0
        if cancel.is_set():
            yield False
            return
        yield True
        seconds.append(1.0)


@pytest.fixture
def strips(monkeypatch):
    monkeypatch.setattr(striped, "GpuMachine", FakeMachine)

    def make(method, *, memory=1 << 30, shared=99 << 10, **settings):
        return striped.StripedEngine(method, SmallGpu(memory=memory, shared=shared), settings)

    return make


def pair():
    rng = np.random.default_rng(6)
    one = rng.integers(0, 4, 300).astype(np.uint8)
    other = one.copy()
    drawn = rng.random(300) < 0.15
    other[drawn] = rng.integers(0, 4, int(drawn.sum()))
    return EncodedQuery("q", one), np.delete(other, slice(100, 130))


def check_steps(engine, score_only):
    query, subject = pair()
    problem = PairProblem(query, subject, DNA_SCHEME, score_only=score_only)
    plan = engine.plan(problem)
    steps = list(engine.run(problem, threading.Event()))
    expected = local_end(query.scores(DNA_SCHEME), subject, DNA_SCHEME.gap_first, DNA_SCHEME.gap_extend)
    scored = [step.end for step in steps if isinstance(step, PairScored)]
    assert scored == [PairEnd(expected.score, expected.query_end, expected.subject_end)]
    done = [step.cells_done for step in steps if isinstance(step, PairProgress)]
    assert done == sorted(done)
    assert done[-1] <= plan.cells_at_most
    if score_only:
        return plan
    aligned = steps[-1]
    assert isinstance(aligned, PairAligned)
    assert rescore(aligned.alignment, query, subject, DNA_SCHEME) == expected.score
    assert 0 < aligned.memory_bytes <= plan.memory_bytes
    return plan


@needs_compiler
@pytest.mark.parametrize("method", STRIPS)
def test_strips_from_plan_to_alignment(method, strips):
    chunk = {"chunk": "8"} if method.startswith("chunked") else {}
    engine = strips(method, strip="37", threshold="16", **chunk)
    plan = check_steps(engine, method == "striped-score")
    assert plan.settings["strip"] == "37"
    assert plan.settings["threshold"] == "16"
    assert engine.phases["phase 1"] == 1.0
    assert any("checkpoints" in remark for remark in plan.remarks)
    if method != "striped-score":
        assert any("paper's formula" in remark for remark in plan.remarks)
        assert engine.phases["phase 2"] == engine.phases["phase 3"] == 0.5


@needs_compiler
def test_cancelled_strips_have_no_score(strips):
    query, subject = pair()
    cancel = threading.Event()
    cancel.set()
    engine = strips("striped-score", strip="37", threshold="16")
    steps = list(engine.run(PairProblem(query, subject, DNA_SCHEME, score_only=True), cancel))
    assert not any(isinstance(step, PairScored) for step in steps)


@pytest.mark.parametrize("method", STRIPS)
def test_pairs_without_anything_to_align(method, strips):
    nothing = np.zeros(0, np.uint8)
    score_only = method == "striped-score"
    some = np.zeros(5, np.uint8)
    for query, subject in ((nothing, some), (some, nothing)):
        steps = list(
            strips(method).run(
                PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME, score_only=score_only), threading.Event()
            )
        )
        assert isinstance(steps[0], PairScored)
        assert steps[0].end == PairEnd(0, 0, 0)
        assert len(steps) == (1 if score_only else 2)


@needs_compiler
def test_a_path_that_misses_its_start_is_a_fault(strips, monkeypatch):
    query, subject = pair()
    engine = strips("striped-align", strip="37", threshold="16")
    genuine = StripRun.start_path

    def broken(run, pieces):
        cells = genuine(run, pieces)
        run.arrays["written"][0] = -1
        return cells

    monkeypatch.setattr(StripRun, "start_path", broken)
    with pytest.raises(EngineFault, match="a fault in the program"):
        list(engine.run(PairProblem(query, subject, DNA_SCHEME), threading.Event()))


@needs_compiler
def test_an_alignment_that_does_not_add_up_is_refused(strips, monkeypatch):
    query, subject = pair()
    monkeypatch.setattr("swgui.engines.pair.base.score_and_count", lambda *_: (1, None))
    engine = strips("striped-align", strip="37", threshold="16")
    with pytest.raises(ScoreMismatch):
        list(engine.run(PairProblem(query, subject, DNA_SCHEME), threading.Event()))


def test_widths_that_do_not_fit_are_refused_with_the_reason(strips):
    protein = ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
    with pytest.raises(InvalidParameter, match=r"takes \d+ KiB of shared memory"):
        strips("striped-score", strip="4096").plan(PairProblem.outline(10_000, 10_000, protein, score_only=True))
    with pytest.raises(InvalidParameter, match="MiB of device memory"):
        strips("striped-align", strip="64").plan(PairProblem.outline(100_000, 100_000, DNA_SCHEME))
    with pytest.raises(InvalidParameter, match="more start states than fit"):
        strips("striped-align", memory=1 << 50, strip="2048").plan(
            PairProblem.outline(3_000_000, 3_000_000, DNA_SCHEME)
        )
    with pytest.raises(InvalidParameter, match="cannot do 3,000,000 x 3,000,000 residues") as caught:
        strips("striped-align").plan(PairProblem.outline(3_000_000, 3_000_000, DNA_SCHEME))
    assert "wavefront or cpu" in str(caught.value)


def test_memory_makes_strips_wider(strips):
    wide = strips("chunked-align-1", memory=1 << 32).plan(PairProblem.outline(100_000, 100_000, DNA_SCHEME))
    narrow = strips("chunked-align-1", memory=600 << 20).plan(PairProblem.outline(100_000, 100_000, DNA_SCHEME))
    assert int(narrow.settings["strip"]) >= int(wide.settings["strip"])
    assert narrow.memory_bytes <= 600 << 20
    assert any("Strips narrower than" in remark for remark in narrow.remarks)
    assert wide.seconds > 0


def test_tasks_that_are_not_theirs(strips):
    for method in STRIPS:
        with pytest.raises(InvalidParameter, match="local alignments only"):
            strips(method).plan(PairProblem.outline(10, 10, DNA_SCHEME, mode=PairMode.GLOBAL, score_only=True))
    with pytest.raises(InvalidParameter, match="not the alignment"):
        strips("striped-score").plan(PairProblem.outline(10, 10, DNA_SCHEME))
    query, subject = pair()
    engine = strips("striped-align")
    with pytest.raises(InvalidParameter, match="not the next ones"):
        list(engine.run(PairProblem(query, subject, DNA_SCHEME, excluded=(object(),)), threading.Event()))
    records = (SequenceRecord(name, "", b"ACGT") for name in "qs")
    with pytest.raises(InvalidParameter, match="not the next ones"):
        engine.plan(PairRequest(*records, DNA_SCHEME, limit=2).outline)  # beforehand, not after the first alignment
    with pytest.raises(InvalidParameter, match="one device"):
        striped.check_one_device("striped-align", (SmallGpu.info, SmallGpu.info))
    huge = ScoringScheme(match_mismatch(NUCLEOTIDE, 16_000, -1), 1, 1)
    long = np.zeros(40_000, np.uint8)
    with pytest.raises(EngineFault, match="could not be reported"):
        list(engine.run(PairProblem(EncodedQuery("q", long), long, huge), threading.Event()))


@pytest.fixture
def tiles(monkeypatch):
    class Machine(CpuTiles):
        def __init__(self, gpu, shape, way, slots, query, subject, table, *, by_position):
            super().__init__(shape, query, subject, table, by_position)
            self.used_bytes = 1
            assert way in ("streams", "dynamic", "graph")
            assert slots >= 1

    monkeypatch.setattr(tiled, "GpuTiles", Machine)
    return lambda *, memory=1 << 30, **settings: tiled.TiledEngine(SmallGpu(memory=memory), settings)


@needs_compiler
@pytest.mark.parametrize("score_only", [True, False])
def test_tiles_from_plan_to_alignment(tiles, score_only):
    plan = check_steps(tiles(tile="128"), score_only)
    assert plan.settings == {"tile": "128", "launch": "graph", "host_memory": "pinned"}
    assert ("directions" in plan.memory) is not score_only


def test_tile_sizes_follow_the_paper(tiles):
    # 4 multiprocessors of 128 cores: 512 / sqrt(2) = 363 rows, rounded up to whole blocks.
    plan = tiles().plan(PairProblem.outline(5000, 4000, DNA_SCHEME))
    assert plan.settings["tile"] == "384"
    assert "t = 363 on" in plan.remarks[0]
    small = tiles().plan(PairProblem.outline(200, 100, DNA_SCHEME))
    assert small.settings["tile"] == "256"
    assert any("whole matrix" in remark for remark in small.remarks)
    with pytest.raises(InvalidParameter, match="does not fit the memory"):
        tiles(memory=1 << 20, tile="8192").plan(PairProblem.outline(9000, 9000, DNA_SCHEME))
    with pytest.raises(InvalidParameter, match="65,536 residues; one has 70,000"):
        tiles().plan(PairProblem.outline(70_000, 10, DNA_SCHEME))


def test_without_a_gpu_there_is_a_reason(monkeypatch):
    from swgui.core.errors import EngineUnavailable
    from swgui.engines.base import EngineStatus

    status = EngineStatus("cuda", False, reason="There is no GPU.", hint="Run on the CPU.")
    for module in (striped, tiled):
        monkeypatch.setattr(module.device, "probe", lambda: status)
        with pytest.raises(EngineUnavailable, match="There is no GPU"):
            module.create_pair_engine("striped-score" if module is striped else "tiled", EngineOptions())
