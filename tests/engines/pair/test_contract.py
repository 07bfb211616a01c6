"""The contract of all methods for one long pair: the textbook's score and end, and alignments that add up."""

from __future__ import annotations

import importlib
import threading

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.methods.pair import PAIR_METHODS
from swgui.core.pair.problem import PairAligned, PairEnd, PairMode, PairProblem, PairProgress, PairScored
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.pair import cpu
from swgui.engines.pair.registry import make_pair_engine, pair_status
from swgui.engines.traceback.alternatives import next_local
from tests.engines.conftest import random_codes, random_matrix, relative
from tests.engines.pair.reference import Answer, ask, pairs_of, textbook
from tests.reference import gotoh_score_wide

MODES = tuple(PairMode)
EMPTY = np.zeros(0, dtype=np.uint8)
# At and next to the widths of vectors, warps, strips and tiles.
EDGES = (1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)
WIDE_EDGES = (127, 128, 129, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025)
CASES = [("cpu", ""), ("cpu", "tiles"), *((name, "") for name in PAIR_METHODS if name != "cpu")]


def _name(case) -> str:
    return "-".join(filter(None, case))


@pytest.fixture(
    scope="module",
    params=[pytest.param(case, id=_name(case), marks=[pytest.mark.gpu] if case[0] != "cpu" else []) for case in CASES],
)
def engine(request):
    name, way = request.param
    status = pair_status(name)
    if not status.available:
        pytest.skip(f"{status.reason} {status.hint}")
    made = make_pair_engine(name, EngineOptions(threads=2))
    with pytest.MonkeyPatch.context() as patch:
        if way == "tiles":  # not in one call
            patch.setattr(cpu, "TUNING", replace(cpu.TUNING, call_cells=0))
        yield made
    made.close()


def compare(engine, query, subject, scheme, mode=PairMode.LOCAL) -> Answer | None:
    """Compare an engine with the textbook, with and without the alignment."""
    profile = scheme.matrix.scores[query]
    want = textbook(profile, subject, scheme.gap_first, scheme.gap_extend, mode)
    answer = ask(engine, query, subject, scheme, mode)
    if answer is not None:
        assert answer.end == want
    only = ask(engine, query, subject, scheme, mode, score_only=True)
    if only is not None:
        assert only.end == want
    assert answer is not None or only is not None or mode is not PairMode.LOCAL, "every method scores locally"
    return answer


def engine_repeats(engine) -> bool:
    """Whether an engine finds further alignments; the published methods do not."""
    return engine.method in {"wavefront", "cpu"}


def test_the_module_of_every_method_can_be_imported():
    for method in PAIR_METHODS.values():
        assert callable(importlib.import_module(method.module).create_pair_engine)


@pytest.mark.parametrize("mode", MODES)
def test_related_sequences_with_random_schemes(engine, rng, mode):
    for _ in range(12):
        letters = int(rng.choice([2, 4, 15]))
        query = random_codes(rng, int(rng.integers(1, 60)), letters)
        subject = relative(rng, query, letters)[:80]
        gap_extend = int(rng.integers(0, 5))
        matrix = match_mismatch(NUCLEOTIDE, int(rng.integers(1, 6)), -int(rng.integers(1, 7)))
        compare(engine, query, subject, ScoringScheme(matrix, gap_extend + int(rng.integers(0, 8)), gap_extend), mode)


@pytest.mark.parametrize("mode", MODES)
def test_proteins_and_matrices_that_are_not_symmetric(engine, rng, protein_scheme, mode):
    schemes = (protein_scheme, ScoringScheme(random_matrix(rng, PROTEIN, -9, 9), 7, 2))
    for scheme in schemes:
        for _ in range(3):
            query = random_codes(rng, int(rng.integers(10, 70)), 27)
            compare(engine, query, relative(rng, query, 27)[:90], scheme, mode)


@pytest.mark.parametrize("mode", MODES)
def test_unrelated_sequences(engine, rng, dna_scheme, protein_scheme, mode):
    for scheme, letters in ((dna_scheme, 4), (protein_scheme, 20)):
        for _ in range(3):
            lengths = rng.integers(1, 70, 2)
            compare(engine, *(random_codes(rng, int(length), letters) for length in lengths), scheme, mode)


@pytest.mark.parametrize("mode", MODES)
def test_odd_sizes(engine, rng, dna_scheme, mode):
    for number, rows in enumerate(EDGES):
        columns = EDGES[-1 - number] + number % 2
        query = random_codes(rng, rows, 3)
        subject = np.concatenate([random_codes(rng, columns, 3), query])[-columns:] if columns else EMPTY
        compare(engine, query, subject, dna_scheme, mode)


def test_sizes_beside_tiles(engine, rng, dna_scheme):
    for rows, columns in zip(WIDE_EDGES, reversed(WIDE_EDGES), strict=True):
        query = random_codes(rng, rows, 4)
        subject = np.resize(relative(rng, query, 4), columns)
        answer = ask(engine, query, subject, dna_scheme)
        assert answer is not None or ask(engine, query, subject, dna_scheme, score_only=True) is not None
        if answer is not None:
            profile = dna_scheme.matrix.scores[query]
            assert answer.end.score == gotoh_score_wide(profile, subject, dna_scheme.gap_first, dna_scheme.gap_extend)


@pytest.mark.parametrize("mode", MODES)
def test_nothing_against_something(engine, dna_scheme, mode):
    some = NUCLEOTIDE.encode(b"ACGTA")
    for query, subject in ((EMPTY, some), (some, EMPTY), (EMPTY, EMPTY)):
        answer = ask(engine, query, subject, dna_scheme, mode)
        if answer is None:
            continue
        if mode is PairMode.GLOBAL:
            score = -dna_scheme.gap_cost(len(query) + len(subject))
            assert answer.end == PairEnd(score, len(query), len(subject))
        else:
            assert answer.end == PairEnd(0, 0, 0)
            assert answer.alignment.columns == 0


@pytest.mark.parametrize("mode", MODES)
def test_nothing_in_common(engine, dna_scheme, mode):
    answer = compare(engine, NUCLEOTIDE.encode(b"A" * 40), NUCLEOTIDE.encode(b"C" * 50), dna_scheme, mode)
    if answer is not None and mode is not PairMode.GLOBAL:
        assert answer.alignment.columns == 0


def test_gaps_that_cost_nothing(engine, rng):
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 1, -1), 0, 0)
    for mode in MODES:
        compare(engine, random_codes(rng, 30, 4), random_codes(rng, 40, 4), scheme, mode)


def test_gaps_that_cost_more_than_anything(engine, rng):
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), 1_000_000, 1_000_000)
    query = random_codes(rng, 50, 4)
    answer = compare(engine, query, relative(rng, query, 4), scheme)
    assert answer is None or set(answer.alignment.ops.tolist()) == {0}


def test_long_gaps_on_either_side(engine, rng, dna_scheme):
    left, right, middle = (random_codes(rng, length, 4) for length in (300, 300, 200))
    long, short = np.concatenate([left, middle, right]), np.concatenate([left, right])
    for query, subject in ((long, short), (short, long)):
        for mode in MODES:
            answer = ask(engine, query, subject, dna_scheme, mode)
            if answer is not None:
                assert answer.end == PairEnd(1200 - dna_scheme.gap_cost(200), len(query), len(subject))


def test_every_letter_scores_by_our_matrix(engine, rng, dna_scheme):
    letters = len(NUCLEOTIDE)
    for _ in range(3):
        query = random_codes(rng, 60, letters)
        compare(engine, query, relative(rng, query, letters)[:80], dna_scheme)


def test_scores_beyond_16_bits(engine, rng):
    scheme = ScoringScheme(match_mismatch(NUCLEOTIDE, 5, -4), 10, 1)
    query = random_codes(rng, 7_000, 4)
    subject = np.delete(query, np.arange(100, 6_900, 997))
    lost = len(query) - len(subject)
    for only in (True, False):
        answer = ask(engine, query, subject, scheme, score_only=only)
        if answer is not None:
            assert answer.end == PairEnd(5 * len(subject) - 10 * lost, len(query), len(subject))


def test_further_alignments_share_no_pair(engine, rng, dna_scheme):
    unit = random_codes(rng, 40, 4)
    query = np.concatenate([unit, random_codes(rng, 20, 4), relative(rng, unit, 4)])
    subject = np.concatenate([relative(rng, unit, 4), random_codes(rng, 30, 4), unit, relative(rng, unit, 4)])
    encoded, profile = EncodedQuery("q", query), dna_scheme.matrix.scores[query]
    found = []
    for _ in range(5):
        if found and not engine_repeats(engine):
            with pytest.raises(InvalidParameter, match="the best alignment only"):
                engine.plan(PairProblem(encoded, subject, dna_scheme, excluded=tuple(found)))
            return
        forbidden = set().union(*map(pairs_of, found)) if found else set()
        want = textbook(profile, subject, dna_scheme.gap_first, dna_scheme.gap_extend, PairMode.LOCAL, forbidden)
        answer = ask(engine, query, subject, dna_scheme, found=found)
        if answer is None:
            return  # a method that scores only
        assert answer.end == want == textbook_of(next_local(encoded, subject, dna_scheme, found))
        found.append(answer.alignment)


def textbook_of(alignment) -> PairEnd:
    return PairEnd(alignment.score, alignment.query_end, alignment.subject_end)


def test_a_run_may_be_left_at_any_step_and_the_engine_used_again(engine, rng, dna_scheme):
    query = random_codes(rng, 500, 4)
    subject = relative(rng, query, 4)
    score_only = ask(engine, query, subject, dna_scheme) is None
    problem = PairProblem(EncodedQuery("q", query), subject, dna_scheme, score_only=score_only)
    for kind in (PairProgress, PairScored):
        steps = engine.run(problem, threading.Event())
        for step in steps:
            if isinstance(step, kind):
                break
        steps.close()
    again = ask(engine, query, subject, dna_scheme, score_only=score_only)
    profile = dna_scheme.matrix.scores[query]
    assert again.end.score == gotoh_score_wide(profile, subject, dna_scheme.gap_first, dna_scheme.gap_extend)


def test_cancel_before_the_start_gives_no_alignment(engine, rng, dna_scheme):
    query = random_codes(rng, 3_000, 4)
    cancel = threading.Event()
    cancel.set()
    score_only = engine.method == "striped-score"
    problem = PairProblem(EncodedQuery("q", query), query, dna_scheme, score_only=score_only)
    steps = list(engine.run(problem, cancel))
    assert not any(isinstance(step, PairAligned) for step in steps)


@pytest.mark.parametrize("mode", MODES)
def test_every_checkpoint_leads_to_the_same_alignment(engine, rng, dna_scheme, mode):
    query = random_codes(rng, 700, 4)
    subject = relative(rng, query, 4)
    whole = ask(engine, query, subject, dna_scheme, mode)
    if whole is None:
        return
    for checkpoint in whole.checkpoints:
        resumed = ask(engine, query, subject, dna_scheme, mode, resume=checkpoint)
        assert (resumed.end, resumed.alignment) == (whole.end, whole.alignment)
