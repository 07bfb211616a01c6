"""The wavefront method as a whole, its kernels run on the CPU: against the textbook and against itself."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairProblem,
    PairProgress,
    PairScored,
)
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.cuda.arithmetic import TOP
from swgui.engines.cuda.pair.wavefront import cells as wavefront_cells
from swgui.engines.cuda.pair.wavefront import direct as wavefront_direct
from swgui.engines.cuda.pair.wavefront import engine as wavefront
from swgui.engines.cuda.pair.wavefront import follow as wavefront_follow
from swgui.engines.cuda.pair.wavefront.cells import SHAPES, SchemeFacts, Shape, plan_cells
from tests.asking import DNA_SCHEME
from tests.engines.conftest import random_codes, random_matrix, relative
from tests.engines.pair.reference import ask, pairs_of, textbook
from tests.kernels.on_cpu import COMPILER
from tests.kernels.pair_on_cpu import cpu_engine

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")

MODES = tuple(PairMode)


@pytest.fixture
def cut_small(monkeypatch):
    """Cut even small pairs at many borders, and pieces again."""
    monkeypatch.setattr(wavefront, "TUNING", replace(wavefront.TUNING, saved_rows=1))
    monkeypatch.setattr(
        wavefront_direct, "TUNING", replace(wavefront_direct.TUNING, fewest_cells=1_500, most_cells=1_500)
    )
    monkeypatch.setattr(wavefront_follow, "EXTRA_COLUMNS", 5)


def check(engine, query, subject, scheme, mode=PairMode.LOCAL, found=()):
    forbidden = set().union(*map(pairs_of, found)) if found else None
    profile = scheme.matrix.scores[query]
    answer = ask(engine, query, subject, scheme, mode, found=found)
    assert answer.end == textbook(profile, subject, scheme.gap_first, scheme.gap_extend, mode, forbidden)
    return answer.alignment


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_lengths_beside_bands_and_steps(rng, cut_small, mode):
    # The default shape has bands of two tiers of 128 rows, and steps of two columns.
    engine = cpu_engine()
    for rows, columns in ((1, 9), (2, 1), (127, 66), (128, 131), (129, 127)):
        query = random_codes(rng, rows, 4)
        check(engine, query, np.resize(relative(rng, query, 4), columns), DNA_SCHEME, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_any_scheme_through_a_profile(rng, cut_small, mode):
    # Scores below -first are stored below zero; they may differ with the order of the letters.
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, -9, 9), 4, 1)
    query = random_codes(rng, 140, 27)
    check(cpu_engine(), query, relative(rng, query, 27)[:150], scheme, mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_schemes_that_16_bits_cannot_hold(rng, cut_small, mode):
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 1000, -2000), 9000, 700)
    assert plan_cells(SchemeFacts.in_general(scheme), SHAPES[0][0], dpx=True).bits == 32
    query = random_codes(rng, 100, 4)
    check(cpu_engine(), query, relative(rng, query, 4)[:120], scheme, mode)


def test_halves_do_not_borrow_from_each_other_without_fused_instructions(rng):
    # The lower half never leaves 0, the upper one has long gaps in the subject.
    letters = random_codes(rng, 64, 3) + 1
    query = np.concatenate([np.zeros(64, np.uint8), letters]).astype(np.uint8)
    subject = np.concatenate([letters[:24], letters[29:46], letters[50:]]).astype(np.uint8)
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 5, -9), 5, 2)
    answer = ask(cpu_engine({"rows": "2"}, dpx=False), query, subject, scheme, score_only=True)
    assert answer.end == textbook(scheme.matrix.scores[query], subject, 5, 2, PairMode.LOCAL)


@pytest.mark.parametrize(("slack", "prune"), [(20, "on"), (90, "off")])
@pytest.mark.sampled(1)
def test_values_above_a_base_that_moves(rng, cut_small, monkeypatch, slack, prune):
    # Scores of 1,000 with as little room as if they were 100 times as high.
    plan = wavefront_cells.narrow
    monkeypatch.setattr(wavefront_cells, "narrow", lambda *given: replace(plan(*given), slack=slack))
    query = random_codes(rng, 500, 4)
    subject = np.concatenate([random_codes(rng, 60, 4), relative(rng, query, 4), random_codes(rng, 90, 4)])
    answer = ask(cpu_engine({"prune": prune}), query, subject, DNA_SCHEME)
    wide = ask(cpu_engine({"bits": "32", "prune": "off"}), query, subject, DNA_SCHEME)
    assert answer.end == wide.end
    assert answer.end.score > 400


def test_what_cannot_reach_the_best_is_left_out(rng, cut_small, monkeypatch):
    # After the diagonal nothing can catch up any more; where a good score is known, before it too.
    query = random_codes(rng, 1_000, 4)
    subject = relative(rng, query, 4)
    pruned, found = [], []
    for prune, known in (("off", True), ("on", True), ("on", False)):
        if not known:
            monkeypatch.setattr(wavefront, "find_chain", lambda _: None)
        answer = ask(cpu_engine({"prune": prune, "rows": "1"}), query, subject, DNA_SCHEME)
        pruned.append(max(step.pruned for step in answer.progress) / (query.size * subject.size))
        found.append((answer.end, answer.alignment.cigar))
    assert found[0] == found[1] == found[2]
    assert pruned[0] == 0
    assert pruned[1] > pruned[2] + 0.1 > 0.2


def test_what_scores_less_than_is_wanted_may_be_left_out(rng, cut_small):
    query = random_codes(rng, 600, 4)
    subject = relative(rng, query, 4)
    engine = cpu_engine({"prune": "on", "rows": "1"})
    best = ask(engine, query, subject, DNA_SCHEME)

    def steps(wanted):
        problem = PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME, wanted=wanted)
        return list(engine.run(problem, threading.Event()))

    same = steps(best.end.score)
    assert next(step.end for step in same if isinstance(step, PairScored)) == best.end
    assert same[-1].alignment.cigar == best.alignment.cigar
    none = steps(best.end.score + 1)
    assert next(step.end for step in none if isinstance(step, PairScored)) == PairEnd(0, 0, 0)
    assert not none[-1].alignment.columns


def test_ties_end_first_in_the_subject_then_in_the_query(rng, cut_small):
    unit = random_codes(rng, 30, 4)
    spacer = np.full(25, 3, np.uint8)
    query = np.concatenate([unit, spacer, unit])
    subject = np.concatenate([spacer, unit, spacer, unit])
    check(cpu_engine({"rows": "1"}), query, subject, ScoringScheme(match_mismatch(NUCLEOTIDE, 1, -9), 30, 30))


def test_next_best_alignments_share_no_pair(rng, cut_small):
    unit = random_codes(rng, 45, 4)
    query = np.concatenate([unit, random_codes(rng, 20, 4), relative(rng, unit, 4)])
    subject = np.concatenate([relative(rng, unit, 4), random_codes(rng, 30, 4), unit])
    engine, found = cpu_engine(), []
    for _ in range(4):
        found.append(check(engine, query, subject, DNA_SCHEME, found=found))
        assert all(not pairs_of(found[-1]) & pairs_of(one) for one in found[:-1])


def test_excluded_pairs_are_sorted_by_row_and_column(rng):
    query = random_codes(rng, 60, 4)
    answer = ask(cpu_engine(), query, relative(rng, query, 4), DNA_SCHEME)
    excluded = answer.alignment, answer.alignment
    problem = PairProblem(EncodedQuery("q", query), query, DNA_SCHEME, excluded=excluded)
    assert list(map(tuple, problem.excluded_pairs())) == sorted([*pairs_of(answer.alignment)] * 2)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(2)
def test_gaps_longer_than_pieces(rng, cut_small, mode):
    left, middle, right = (random_codes(rng, length, 4) for length in (150, 220, 170))
    engine, scheme = cpu_engine(), ScoringScheme(match_mismatch(NUCLEOTIDE, 5, -4), 12, 1)
    for query, subject in (
        (np.concatenate([left, right]), np.concatenate([left, middle, right])),
        (np.concatenate([left, middle, right]), np.concatenate([left, right])),
    ):
        answer = ask(engine, query, subject, scheme, mode)
        assert answer.end == PairEnd(1_600 - scheme.gap_cost(220), len(query), len(subject))
        assert answer.alignment.cigar.count("M") >= 2


def test_position_specific_scores(rng):
    profile = rng.integers(-4, 8, (70, len(PROTEIN))).astype(np.int16)
    subject = random_codes(rng, 90, 20)
    scheme = ScoringScheme(random_matrix(rng, PROTEIN, -4, 7), 11, 1)
    query = EncodedQuery("q", random_codes(rng, 70, 20), profile)
    steps = list(cpu_engine().run(PairProblem(query, subject, scheme), threading.Event()))
    want = textbook(profile, subject, 11, 1, PairMode.LOCAL)
    assert [step.end for step in steps if isinstance(step, PairScored)] == [want]
    assert [step.alignment.score for step in steps if isinstance(step, PairAligned)] == [want.score]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(1)
def test_checkpoints_lead_to_the_same_end(rng, cut_small, monkeypatch, mode):
    monkeypatch.setattr(wavefront, "ROUND_SECONDS", 0.0)
    engine = cpu_engine({"rows": "1"})
    query = random_codes(rng, 2_300, 4)
    subject = random_codes(rng, 60, 4)
    subject[10:50] = query[2_200:2_240]
    problem = PairProblem(EncodedQuery("q", query), subject, DNA_SCHEME, mode)
    steps = list(engine.run(problem, threading.Event()))
    checkpoints = [step for step in steps if isinstance(step, PairCheckpoint)]
    assert len(checkpoints) >= 2
    [end] = [step.end for step in steps if isinstance(step, PairScored)]
    for checkpoint in checkpoints:
        again = list(engine.run(problem, threading.Event(), checkpoint))
        assert [step.end for step in again if isinstance(step, PairScored)] == [end]
        # Fewer borders were kept: of equally good paths another one may be found. The engine rescores it.
        [alignment] = [step.alignment for step in again if isinstance(step, PairAligned)]
        assert (alignment.score, alignment.query_end, alignment.subject_end) == (
            end.score,
            end.query_end,
            end.subject_end,
        )
        done = [step.cells_done for step in again if isinstance(step, PairProgress)]
        assert done[0] >= checkpoint.cells_done


def test_progress_never_falls_and_ends_whole(rng, cut_small):
    query = random_codes(rng, 700, 4)
    answer = ask(cpu_engine({"prune": "on"}), query, relative(rng, query, 4), DNA_SCHEME)
    done = [step.cells_done + step.pruned for step in answer.progress]
    assert done == sorted(done)
    assert all(step.cells_done + step.pruned <= step.cells_total for step in answer.progress)


def test_cancelling_ends_without_a_result(rng):
    query = random_codes(rng, 900, 4)
    cancel = threading.Event()
    kinds = []
    for step in cpu_engine().run(PairProblem(EncodedQuery("q", query), query, DNA_SCHEME), cancel):
        kinds.append(type(step))
        cancel.set()
    assert PairProgress in kinds
    assert PairAligned not in kinds


def test_plan_says_what_it_costs():
    engine = cpu_engine()
    plan = engine.plan(PairProblem.outline(100_000, 120_000, DNA_SCHEME))
    assert plan.cells == 12_000_000_000
    assert plan.cells_at_most > plan.cells
    assert plan.settings["bits"] == "16"
    assert plan.memory["Kept rows"] < 1 << 30
    only = engine.plan(PairProblem.outline(100_000, 120_000, DNA_SCHEME, score_only=True))
    assert only.memory_bytes < plan.memory_bytes
    assert only.cells_at_most == only.cells


def test_scores_that_might_not_fit_are_refused():
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 15_000, -15_000), 10, 1)
    with pytest.raises(InvalidParameter, match="may not fit 31 bits"):
        cpu_engine().plan(PairProblem.outline(1_000_000, 1_000_000, scheme))


def test_what_the_user_asks_for_is_done_or_refused():
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 1000, -2000), 9000, 700)
    with pytest.raises(InvalidParameter, match="do not fit 16 bits"):
        cpu_engine({"bits": "16"}).plan(PairProblem.outline(1_000, 1_000, scheme))
    plan = cpu_engine({"rows": "3", "columns": "1", "prune": "on"}).plan(
        PairProblem.outline(1_000, 1_000, DNA_SCHEME, PairMode.GLOBAL)
    )
    assert plan.settings == {"bits": "16", "rows": "3", "columns": "1", "prune": "off"}
    assert plan.remarks == ("Only local alignments are pruned: nothing is left out here.",)


@pytest.mark.parametrize("highest", [1, 2, 5, 11, 40])
@pytest.mark.parametrize("gap_extend", [0, 1, 2, 6])
@pytest.mark.sampled
def test_16_bits_hold_what_is_planned(highest, gap_extend):
    # The largest value: as far above the base as border, slack and distance allow.
    scheme = SchemeFacts(16, 5 + gap_extend, gap_extend, -4, highest, True)
    for shape in (*(one for one, _ in SHAPES), Shape(1, 1, tiers=1, batch=8)):
        cells = plan_cells(scheme, shape, dpx=True)
        if cells.bits == 32:
            continue
        distance = cells.band + shape.chunk * shape.columns
        rise = 6 * scheme.gap_first + (highest + gap_extend) * distance + highest
        assert cells.zero + cells.slack + cells.down + rise <= TOP
        assert cells.down >= 2 * scheme.gap_first + gap_extend * distance
        assert cells.zero > scheme.gap_first + scheme.gap_extend  # F and G can be lessened without borrowing
