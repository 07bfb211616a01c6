"""No method for long pairs is trusted on a device before it has given the CPU's scores there."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter, Stopped
from swgui.core.pair.problem import PairAligned, PairMode, PairPlan, PairProblem, PairScored
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.base import DeviceInfo
from swgui.engines.pair import registry
from swgui.io.matrices import load_matrix
from swgui.jobs.check import pair as pair_selfcheck
from swgui.jobs.check.pair import checked_pairs, require_exact_pair
from swgui.jobs.pair import run as pair_run
from swgui.jobs.pair.request import PairRequest
from swgui.jobs.pair.run import align_pair
from tests.asking import DNA_SCHEME

DEVICE = DeviceInfo("7", "Test card")
ACGT = np.arange(4, dtype=np.uint8)


class Fake:
    """The cpu method under the name of another, which is wrong from some size on if requested."""

    method = "wavefront"
    devices = (DEVICE,)

    def __init__(self, wrong_from=10**9, misaligned=False, refuses=()):
        self.inner = registry.make_pair_engine("cpu", EngineOptions(threads=1))
        self.wrong_from, self.misaligned, self.refuses = wrong_from, misaligned, refuses
        self.runs = 0

    def plan(self, problem):
        if problem.rows in self.refuses:
            raise InvalidParameter("tile", 1, "Too small.")
        plan = self.inner.plan(problem)
        return replace(plan, method=self.method, settings={"rows": "4", "columns": "2", "shape": "4 x 2"})

    def run(self, problem, cancel, resume=None):
        self.runs += 1
        for step in self.inner.run(problem, cancel, resume):
            if isinstance(step, PairScored) and problem.rows >= self.wrong_from:
                step = PairScored(replace(step.end, score=step.end.score + 1))
            elif isinstance(step, PairAligned) and self.misaligned:
                step = replace(step, alignment=replace(step.alignment, score=step.alignment.score - 1))
            yield step

    def close(self):
        self.inner.close()


@pytest.fixture(autouse=True)
def world(tmp_path, monkeypatch):
    """Give the test a memory of its own, small pairs, and the engines it puts into the list."""
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setattr(pair_selfcheck, "SIZES", ((1, 1), (40, 70), (90, 130)))
    made = []
    engines = [Fake()]

    def make(method, options):
        made.append((method, dict(options.settings)))
        return engines[0] if method == "wavefront" else registry.make_pair_engine(method, options)

    monkeypatch.setattr(pair_selfcheck, "make_pair_engine", make)
    return engines, made


def require(engine, scheme=DNA_SCHEME, mode=PairMode.LOCAL, cancel=None, residues=b"GATTACAC"):
    codes = scheme.alphabet.encode(residues)
    problem = PairProblem(EncodedQuery("q", codes), codes, scheme, mode)
    plan = engine.plan(PairProblem.outline(200, 300, scheme, mode))
    require_exact_pair(engine, plan, problem, cancel or threading.Event())


@pytest.mark.parametrize("mode", PairMode)
@pytest.mark.parametrize("alphabet", [NUCLEOTIDE, PROTEIN])
def test_a_right_method_is_checked_once_for_each_kind_of_work(world, mode, alphabet):
    engines, made = world
    matrix = match_mismatch(NUCLEOTIDE, 2, -3) if alphabet is NUCLEOTIDE else load_matrix("BLOSUM62", PROTEIN)
    scheme = ScoringScheme.from_blast(matrix, 5, 2)
    require(engines[0], scheme, mode)
    assert engines[0].runs == 3
    assert ("wavefront", {"columns": "2", "rows": "4"}) in made  # the kernel that the plan names
    require(engines[0], scheme, mode)
    assert engines[0].runs == 3
    require(engines[0], ScoringScheme.from_blast(matrix, 6, 2), mode)
    assert engines[0].runs == 6
    require(
        engines[0], scheme, mode, residues=b"ACCGTN" if alphabet is NUCLEOTIDE else b"ACGTW"
    )  # another kernel, maybe
    assert engines[0].runs == 9


@pytest.mark.parametrize("fake", [{"wrong_from": 90}, {"misaligned": True}])
def test_a_wrong_method_is_refused_and_stays_so(world, fake):
    engines, _ = world
    engines[0] = Fake(**fake)
    for _ in range(2):
        with pytest.raises(EngineUnavailable, match=r"gave \d of 3 checked scores wrong on Test card"):
            require(engines[0])
    assert engines[0].runs == 3


def test_pairs_that_a_method_refuses_are_left_out(world):
    engines, _ = world
    engines[0] = Fake(refuses=(1, 40))
    require(engines[0])
    assert engines[0].runs == 1


def test_stop_leaves_no_outcome(world):
    engines, _ = world
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        require(engines[0], cancel=cancel)
    require(engines[0])
    assert engines[0].runs > 1


def test_the_cpu_needs_no_check(world):
    _, made = world
    engine = registry.make_pair_engine("cpu", EngineOptions())
    require_exact_pair(engine, PairPlan("cpu", (), 1, 1), PairProblem.outline(4, 4, DNA_SCHEME), threading.Event())
    engine.close()
    assert made == []


def test_the_pairs_are_related_and_always_the_same():
    pairs, again = list(checked_pairs(ACGT, ACGT)), list(checked_pairs(ACGT, ACGT))
    assert all((a[0].codes == b[0].codes).all() and (a[1] == b[1]).all() for a, b in zip(pairs, again, strict=True))
    assert [(len(query), len(subject)) for query, subject in pairs] == list(pair_selfcheck.SIZES)
    query, subject = pairs[-1]
    engine = registry.make_pair_engine("cpu", EngineOptions())
    steps = list(engine.run(PairProblem(query, subject, DNA_SCHEME, score_only=True), threading.Event()))
    engine.close()
    (scored,) = (step for step in steps if isinstance(step, PairScored))
    assert scored.end.score > 0.2 * 2 * len(query)
    assert np.unique(query.codes).tolist() == ACGT.tolist()
    assert all(set(query.codes) <= {1, 3} for query, _ in checked_pairs(ACGT[[1, 3]], ACGT))


@pytest.mark.parametrize("method", ["auto", "wavefront"])
def test_a_pair_runs_on_the_cpu_instead_only_if_the_choice_was_ours(world, monkeypatch, method):
    engines, _ = world
    engines[0] = Fake(wrong_from=1)
    monkeypatch.setattr(pair_run, "resolve_method", lambda name: "wavefront")
    monkeypatch.setattr(
        pair_run,
        "make_pair_engine",
        lambda name, options: engines[0] if name == "wavefront" else registry.make_pair_engine(name, options),
    )
    request = PairRequest(
        SequenceRecord("q", "", b"ACGTACGTAC"), SequenceRecord("s", "", b"ACGTACGTAC"), DNA_SCHEME, method=method
    )
    if method == "wavefront":
        with pytest.raises(EngineUnavailable, match="It is not used"):
            list(align_pair(request, threading.Event()))
        return
    result = list(align_pair(request, threading.Event()))[-1].outcome
    assert result.method == "cpu"
    assert result.best.score == 20
    assert any("The CPU is used instead" in remark for remark in result.remarks)
