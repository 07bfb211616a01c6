"""Lambdas of compositions, periods, and what shuffles say, against plain calculation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.judging.region_shuffles import LONGEST_PERIOD, find_periods, log10_shuffled
from swgui.core.scoring import build_matrix, match_mismatch
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.core.statistics.composition import LambdaScale, count_residues, loss
from swgui.core.stretches import Subjects
from swgui.engines.native.correction import HOST
from swgui.io.matrices import load_matrix

BLOSUM62 = load_matrix("BLOSUM62", PROTEIN)
SCALE = LambdaScale.of_background(BLOSUM62)
residues = st.text(alphabet=PROTEIN.letters, min_size=1, max_size=80)


def counts(*sequences):
    return count_residues(Subjects.stacked([PROTEIN.encode(text.encode()) for text in sequences]), PROTEIN, HOST)


def mixed(counted, pseudo):
    return (counted + pseudo * SCALE.of_queries[0]) / (counted.sum(axis=1, keepdims=True) + pseudo)


def plain_lambda(scores, p, q):
    """Halve an interval."""
    weights = np.outer(p, q)
    if (weights * scores).sum() >= 0:
        return 0.0
    low, high = 0.0, 5.0
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if (weights * np.exp(middle * scores)).sum() > 1 else (middle, high)
    return low


@given(st.lists(st.tuples(residues, residues), min_size=1, max_size=6))
def test_all_lambdas_at_once_are_those_of_each(pairs):
    queries, subjects = counts(*(a for a, _ in pairs)), counts(*(b for _, b in pairs))
    p, q = mixed(queries, 20.0), mixed(subjects, 20.0)
    scores = BLOSUM62.scores[:20, :20].astype(float)
    expected = [plain_lambda(scores, a, b) for a, b in zip(p, q, strict=True)]
    assert SCALE.lambdas(p, q, HOST) == pytest.approx([min(value, SCALE.usual) for value in expected], abs=1e-6)
    ratios = SCALE.ratios(queries, subjects, 20.0, HOST)
    assert ratios == pytest.approx([min(1.0, value / SCALE.usual) for value in expected], abs=1e-6)


def test_background_against_itself_is_usual():
    assert pytest.approx(0.3176, abs=1e-3) == SCALE.usual
    assert SCALE.ratios(np.zeros((1, 20)), np.zeros((1, 20)), 1.0, HOST) == pytest.approx([1.0])
    assert SCALE.ratios(counts("S" * 300), counts("S" * 300), 40.0, HOST)[0] == 0.0  # the mean score is above 0


def test_letters_without_background_do_not_count():
    assert counts("SSTTXXB*").tolist() == counts("SSTT").tolist()
    assert SCALE.ratios(counts("X" * 500), counts("MKV"), 40.0, HOST) == pytest.approx([1.0], abs=0.02)


def test_any_matrix_will_do():
    skewed = {(a, b): (5 if a == b else -2 - (a < b)) for a in PROTEIN.letters[:20] for b in PROTEIN.letters[:20]}
    matrix = build_matrix("mine", PROTEIN, skewed)  # not symmetric
    scale = LambdaScale.of_background(matrix)
    assert scale.usual == ungapped_lambda(matrix.scores, background(PROTEIN))
    some, other = counts("SSSTTTAAKK"), counts("TTTTSSSGGG")
    p, q = mixed(some, 40.0), mixed(other, 40.0)
    expected = plain_lambda(matrix.scores[:20, :20].astype(float), p[0], q[0])
    assert scale.lambdas(p, q, HOST) == pytest.approx([expected], abs=1e-7)
    assert expected < scale.usual
    positive = build_matrix("all above 0", PROTEIN, dict.fromkeys(skewed, 1))
    assert LambdaScale.of_background(positive).ratios(some, other, 40.0, HOST).tolist() == [
        1.0
    ]  # E knows no lambda either


def test_what_a_query_does_by_itself_is_in_a_fit_already():
    codes = PROTEIN.encode(b"STSTSTPSTS" * 20)
    of_query = SCALE.of_each(Subjects.stacked([codes]), HOST)[0]
    assert of_query.usual < SCALE.usual
    some = counts("STSTSTPSTS" * 20), counts("STSGAPEAAVLKDE" * 4)
    assert of_query.ratios(*some, 40.0, HOST)[0] > SCALE.ratios(*some, 40.0, HOST)[0]


def test_bases_are_counted_by_fours():
    matrix = match_mismatch(NUCLEOTIDE, 2, -3)
    scale = LambdaScale.of_background(matrix)
    rich = count_residues(Subjects.stacked([NUCLEOTIDE.encode(b"ATTATAATTTAN" * 20)]), NUCLEOTIDE, HOST)
    assert rich.shape == (1, 4)
    assert 0.3 < scale.ratios(rich, rich, 40.0, HOST)[0] < 0.8


def test_the_scale_multiplies_e():
    assert loss(0.267, np.array([100]), np.array([0.5])) == pytest.approx([0.267 * 50 / math.log(10)])


def chance(score, shuffled, trials, least_mean=-math.inf, confidence=2.0):
    mean = max(shuffled.mean(), least_mean)
    return log10_shuffled(*map(np.float64, (score, mean, shuffled.std(ddof=1), len(shuffled), trials)), confidence)


def test_shuffles_with_many_scores_give_the_probability_itself():
    shuffled = np.rint(np.random.default_rng(1).gumbel(40.0, 1 / 0.267, 200_000))
    found = chance(80, shuffled, 1000.0)
    expected = math.log10(1000 * -math.expm1(-math.exp(-0.267 * (80 - 40.0))))
    assert found.log10_evalues == pytest.approx(expected, abs=0.1)
    assert found.z == pytest.approx((80 - shuffled.mean()) / shuffled.std(), rel=1e-3)


def test_chance_among_few_shuffles_hardly_ever_harms_a_clear_relative():
    numbers, worse = np.random.default_rng(2), 0
    for _ in range(500):
        shuffled = np.rint(numbers.gumbel(40.0, 1 / 0.267, 100))
        worse += chance(300, shuffled, 1.0).log10_evalues > -0.267 * 260 / math.log(10)
    assert worse < 20


def test_a_mean_that_is_known_counts():
    shuffled = 40 + np.arange(100) % 5
    plain, raised = chance(60, shuffled, 100.0), chance(60, shuffled, 100.0, 59.0)
    assert raised.log10_evalues > plain.log10_evalues
    assert chance(42, shuffled, 100.0, 90.0).log10_evalues == pytest.approx(2.0, abs=0.01)  # all reach it


def test_what_is_said_of_many_is_what_is_said_of_each():
    scores, means, trials = np.array([60.0, 45.0, 300.0]), np.array([41.5, 44.0, 90.0]), np.array([10.0, 1e6, 1.0])
    every = log10_shuffled(scores, means, np.array([4.0, 0.1, 9.0]), np.full(3, 20), trials, 2.0)
    for at, deviation in enumerate([4.0, 0.1, 9.0]):
        one = log10_shuffled(*(np.array([x]) for x in (scores[at], means[at], deviation, 20, trials[at])), 2.0)
        assert (one.log10_evalues[0], one.z[0]) == (every.log10_evalues[at], every.z[at])


@pytest.mark.parametrize(
    ("sequence", "period"),
    [
        ("NITGDCNETDDC" * 12, 12),
        ("ENKFQDTENKFLDTESKFQDTENKFLDK" * 6, 7),
        ("GPPGAPGKP" * 10, 3),
        ("MKVLWAALLVTFLAGCQAKVEQAVETEPEPELRQQTEWQSGQRWELALGRFWDYLRWVQTLSEQ", 0),
        ("Q" * 40, 0),
        ("MKV", 0),
    ],
)
def test_periods_are_found(sequence, period):
    codes = PROTEIN.encode(sequence.encode())
    residues = np.bincount(codes, minlength=len(PROTEIN))[np.newaxis]
    found = int(
        find_periods(HOST.count_repeats(Subjects.stacked([codes]), LONGEST_PERIOD), residues, np.array([codes.size]))[0]
    )
    assert found == period or (period and found and found % period == 0)


def test_of_nothing_no_period_is_found():
    none = np.zeros((0, 61), dtype=np.int64)
    assert find_periods(none, none, np.zeros(0, dtype=np.int64)).tolist() == []
