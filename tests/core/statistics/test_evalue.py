"""Bit scores and E-values: laws, extremes and explanations."""

from __future__ import annotations

import math
import re
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix, build_matrix, match_mismatch
from swgui.core.statistics.evalue import (
    MIDDLE,
    SERIES,
    KarlinAltschul,
    erfcx,
    format_log10,
    ln_above_zero,
    log_ndtr,
    scaled_tails,
    tails_plainly,
)
from swgui.io.matrices import load_matrix
from swgui.io.statistics import load_statistics, tabulated_gaps


def protein(gap_open: int = 11, gap_extend: int = 1, matrix: str = "BLOSUM62") -> KarlinAltschul:
    found = load_statistics(ScoringScheme.from_blast(load_matrix(matrix, PROTEIN), gap_open, gap_extend))
    assert found is not None
    return found


def nucleotide(match: int, mismatch: int, gap_open: int, gap_extend: int) -> KarlinAltschul | None:
    matrix = match_mismatch(NUCLEOTIDE, match, mismatch)
    return load_statistics(ScoringScheme.from_blast(matrix, gap_open, gap_extend))


norm = NormalDist()
SIZE = (8_400_976, 20_307)


def test_formula_written_out_plainly() -> None:
    # Park et al. (2012) with BLOSUM62 11/1, every figure put in by hand.
    y, m, n = 60.0, 144.0, 399.0
    a, alpha, sigma = 1.9, 42.6028, 43.6362
    b, beta, tau = 24 * (0.7916 - a), 24 * (4.96466 - alpha), 24 * (4.96466 - sigma)
    v, c = max(2 * alpha / 0.267, alpha * y + beta), max(2 * sigma / 0.267, sigma * y + tau)
    parts = []
    for length in (m, n):
        x = length - (a * y + b)
        inside = norm.cdf(x / math.sqrt(v))
        parts.append((x * inside + math.sqrt(v) * norm.pdf(x / math.sqrt(v)), inside))
    area = parts[0][0] * parts[1][0] + c * parts[0][1] * parts[1][1]
    expected = area * 0.041 * math.exp(-0.267 * y) * 8_400_976 / n
    found = protein().log10_evalues([60], 144, [399], *SIZE)
    assert 10 ** found[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("statistics", [protein(), nucleotide(2, -3, 5, 2)], ids=["protein", "nucleotide"])
def test_no_score_underflows(statistics: KarlinAltschul) -> None:
    scores = np.array([0, 1, 30, 1_000, 10_000, 200_000, 2_000_000])
    found = statistics.log10_evalues(scores, 36_000, np.full(7, 36_000), *SIZE)
    assert np.isfinite(found).all()
    assert (np.diff(found[1:]) < 0).all()
    assert found[-1] < -100_000


@given(
    scores=st.lists(st.integers(0, 200_000), min_size=1, max_size=20),
    query=st.integers(1, 40_000),
    length=st.integers(0, 40_000),
)
def test_always_finite_and_falling_with_the_score(scores: list[int], query: int, length: int) -> None:
    ranked = np.sort(np.array(scores))
    found = protein().log10_evalues(ranked, query, np.full(len(ranked), length), *SIZE)
    assert np.isfinite(found).all()
    assert (np.diff(found) <= 1e-9).all()


def test_not_scored_is_unknown_not_zero() -> None:
    assert np.isnan(protein().log10_evalues([-1], 100, [100], *SIZE)).all()
    assert np.isnan(protein().bit_scores([-1])).all()


def test_vectors_equal_single_calls() -> None:
    chance = np.random.default_rng(1)
    scores, lengths = chance.integers(0, 3000, 200), chance.integers(1, 4000, 200)
    together = protein().log10_evalues(scores, 350, lengths, *SIZE)
    singly = [protein().log10_evalues([s], 350, [n], *SIZE)[0] for s, n in zip(scores, lengths, strict=True)]
    assert np.array_equal(together, singly)


def test_database_size_scales_protein_evalues() -> None:
    small = protein().log10_evalues([100], 300, [300], *SIZE)
    large = protein().log10_evalues([100], 300, [300], 10 * SIZE[0], 10 * SIZE[1])
    assert large - small == pytest.approx(1.0)


def test_odd_scores_are_rounded_down_for_even_tables() -> None:
    for match, mismatch, gap_open, gap_extend in ((2, -3, 5, 2), (2, -5, 2, 4), (2, -7, 2, 4), (3, -4, 6, 3)):
        statistics = nucleotide(match, mismatch, gap_open, gap_extend)
        assert statistics is not None
        assert statistics.even
        odd, even, next_even = statistics.log10_evalues([41, 40, 42], 100, [500] * 3, *SIZE)
        assert odd == even > next_even
        assert "rounded down to 40" in statistics.explain(41, 100, 500, *SIZE)
    other = nucleotide(1, -3, 2, 2)
    assert other is not None
    assert not other.even


def test_scaled_scheme_is_the_same_statistics() -> None:
    plain, doubled = nucleotide(1, -2, 2, 2), nucleotide(2, -4, 4, 4)
    assert plain is not None
    assert doubled is not None
    assert doubled.log10_evalues([60], 100, [500], *SIZE) == pytest.approx(plain.log10_evalues([30], 100, [500], *SIZE))
    assert doubled.bit_scores(60) == pytest.approx(plain.bit_scores(30))
    assert nucleotide(2, -4, 4, 3) is None


def test_schemes_without_published_parameters_have_none() -> None:
    blosum = load_matrix("BLOSUM62", PROTEIN)
    assert load_statistics(ScoringScheme.from_blast(blosum, 15, 3)) is None
    assert nucleotide(2, -3, 0, 0) is None
    assert nucleotide(7, -3, 5, 2) is None
    # A matrix that only calls itself BLOSUM62 is not taken for it, and the real one under another name is.
    changed = blosum.scores.copy()
    changed[0, 0] += 1
    assert load_statistics(ScoringScheme.from_blast(SubstitutionMatrix("BLOSUM62", PROTEIN, changed), 11, 1)) is None
    renamed = ScoringScheme.from_blast(SubstitutionMatrix("mine", PROTEIN, blosum.scores), 11, 1)
    found = load_statistics(renamed)
    assert found is not None
    assert found.matrix == "BLOSUM62"


def test_blosum80_in_third_bits_has_no_published_parameters() -> None:
    # Biopython ships it in third bits; NCBI's figures are for half bits.
    assert load_statistics(ScoringScheme.from_blast(load_matrix("BLOSUM80", PROTEIN), 10, 1)) is None


def test_transitions_are_not_a_match_mismatch_scheme() -> None:
    pairs = {(a, b): 2 if a == b else -3 for a in "ACGT" for b in "ACGT"}
    pairs["A", "G"] = -1
    matrix = build_matrix("+2/-3", NUCLEOTIDE, pairs)
    assert load_statistics(ScoringScheme.from_blast(matrix, 5, 2)) is None
    assert tabulated_gaps(matrix) == ()


def test_tabulated_gaps() -> None:
    assert (11, 1) in tabulated_gaps(load_matrix("BLOSUM62", PROTEIN))
    assert len(tabulated_gaps(load_matrix("BLOSUM62", PROTEIN))) == 11
    assert (10, 4) in tabulated_gaps(match_mismatch(NUCLEOTIDE, 4, -6))
    for gap_open, gap_extend in tabulated_gaps(match_mismatch(NUCLEOTIDE, 4, -6)):
        assert nucleotide(4, -6, gap_open, gap_extend) is not None


def test_explanation_ends_in_the_number_of_the_table() -> None:
    statistics = protein()
    text = statistics.explain(300, 400, 350, *SIZE)
    log10_e = statistics.log10_evalues([300], 400, [350], *SIZE)[0]
    assert f"= {format_log10(log10_e)}" in text
    assert "8400976 / 350" in text
    assert f"= {statistics.bit_scores(300):.2f}" in statistics.explain_bits(300)
    classic = nucleotide(1, -3, 2, 2)
    assert classic is not None
    explained = classic.explain(60, 100, 500, *SIZE)
    factors = re.search(r"E = (\S+) × (\d+) × (\d+) × exp\(−(\S+) × (\S+)\)", explained)
    assert factors
    k, query, database, lambda_, score = (float(value) for value in factors.groups())
    assert k * query * database * math.exp(-lambda_ * score) == pytest.approx(
        10 ** classic.log10_evalues([60], 100, [500], *SIZE)[0]
    )


def test_describe_names_the_parameters() -> None:
    assert "BLOSUM62, gap 11/1" in protein().describe()
    assert "finite-size" in protein().describe()


def test_series_joins_the_closed_form() -> None:
    f = np.array([-30.0 - 1e-9, -30.0 + 1e-9])
    low, high = ln_above_zero(f)[0]
    assert low == pytest.approx(high, abs=1e-7)
    x = np.array([-25.0, -3.0, -0.5, 0.0, 0.5, 4.0])
    exact = [math.log(v * norm.cdf(v) + norm.pdf(v)) for v in x[1:]]
    assert ln_above_zero(x)[0][1:] == pytest.approx(exact, rel=1e-10)
    assert ln_above_zero(np.array([-1e6]))[0][0] == pytest.approx(-0.5e12, rel=1e-6)


@pytest.mark.parametrize(
    ("log10_value", "text"),
    [
        (-412.5, "3.2e-413"), (-4.0, "1.0e-04"), (-300.0, "1.0e-300"), (-4.0000001, "1.0e-04"), (0.0, "1"),
        (math.log10(0.0123), "0.0123"), (7.3, "2.0e+07"), (float("nan"), "unknown"), (-math.inf, "0"),
    ],
)  # fmt: skip
def test_format_log10(log10_value: float, text: str) -> None:
    assert format_log10(log10_value) == text


def test_simulated_parameters_are_used_only_where_they_are_asked_for(tmp_path) -> None:
    vtml = load_matrix("VTML200", PROTEIN)
    scheme = ScoringScheme.from_blast(vtml, 12, 2)
    found = load_statistics(scheme, simulated=True)
    assert found is not None
    assert 0.15 < found.lambda_ < 0.2310  # below lambda without gaps
    assert "with simulated parameters for VTML200" in found.describe()
    assert load_statistics(scheme) is None  # a search fits its own
    assert load_statistics(ScoringScheme.from_blast(vtml, 12, 1), simulated=True) is None
    other = SubstitutionMatrix("VTML200", PROTEIN, np.where(np.eye(len(PROTEIN), dtype=bool), 5, -4).astype(np.int16))
    assert load_statistics(ScoringScheme.from_blast(other, 12, 2), simulated=True) is None
    assert protein().source != found.source


# The tails of the normal distribution against what SciPy says (tests/data/statistics/normal.tsv).

TABLE = Path(__file__).resolve().parents[2] / "data" / "statistics" / "normal.tsv"
AGREEMENT = 3e-13


def test_tails_agree_with_another_library() -> None:
    x, expected_log, expected_scaled = np.loadtxt(TABLE, skiprows=1, unpack=True)
    assert x[0] == -1e5
    assert x[-1] > 35
    np.testing.assert_allclose(log_ndtr(x), expected_log, rtol=AGREEMENT)
    np.testing.assert_allclose(erfcx(np.abs(x)), expected_scaled, rtol=AGREEMENT)


def test_tails_of_the_library_are_those_of_numpy_bit_for_bit() -> None:
    chance = np.random.default_rng(1)
    for count in (0, 1, 63, 64, 65, 1000):
        x = np.concatenate([chance.uniform(0, 40, count), np.abs(chance.standard_cauchy(count)) * 50])
        compiled, plain = (tails(x, SERIES, MIDDLE) for tails in (scaled_tails(), tails_plainly))
        assert scaled_tails() is not tails_plainly
        assert compiled.tobytes() == plain.tobytes()


def test_what_lies_outside_has_its_limit() -> None:
    low, high, unknown = log_ndtr(np.array([-np.inf, np.inf, np.nan]))
    assert (low, high) == (-np.inf, 0.0)
    assert np.isnan(unknown)
    assert abs(erfcx(np.array([0.0]))[0] - 1.0) < 1e-14


def test_one_point_takes_its_shape() -> None:
    assert abs(log_ndtr(np.array(0.0)) - np.log(0.5)) < 1e-14
