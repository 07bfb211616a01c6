"""The fit: known distributions are found again, relatives do not bend it, ssearch36 agrees."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme, match_mismatch, two_track_matrix
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.core.statistics.evalue import format_log10
from swgui.core.statistics.fit import EULER, SCALE, FitsOfHits, FittedStatistics, fit_statistics, z_of_expectation
from swgui.core.statistics.histogram import BINS, SINGLE, describe_tail, score_histogram, tail_excess
from swgui.core.statistics.regression import FitError
from swgui.io.matrices import load_matrix
from swgui.io.sequences.reader import read_sequences
from tests.asking import BLOSUM62, DNA_SCHEME, answer, search_request
from tests.core.statistics.test_golden import HALF_BITS, read_table

PROTEINS = BLOSUM62


def simulated(count: int, seed: int = 3) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Extreme-value scores with mean 7 + 4 ln(length) and standard deviation 4.5."""
    chance = np.random.default_rng(seed)
    lengths = np.clip(np.exp(chance.normal(5.8, 0.8, count)), 12, 9000).astype(np.int64)
    standard = (chance.gumbel(size=count) - EULER) / SCALE
    return np.rint(7 + 4 * np.log(lengths) + 4.5 * standard).astype(np.int64), lengths


def fitted(count: int = 20_000) -> FittedStatistics:
    return fit_statistics(*simulated(count), 200, PROTEINS)


def test_a_known_distribution_is_found_again() -> None:
    fit = fitted()
    assert fit.rho == pytest.approx(4, abs=0.1)
    assert fit.mu == pytest.approx(7, abs=0.6)
    assert fit.variance == pytest.approx(4.5**2, rel=0.04)
    assert fit.lambda_ == pytest.approx(SCALE / 4.5, rel=0.02)
    assert fit.used + fit.related + fit.odd_sequences == fit.sequences == 20_000


def test_expectation_counts_what_was_drawn() -> None:
    scores, lengths = simulated(20_000)
    log10_e = fitted().log10_evalues(scores, 200, lengths, 1, 20_000)
    for expected in (1.0, 10.0, 100.0, 1000.0):
        found = int((log10_e <= math.log10(expected)).sum())
        assert abs(found - expected) < 4 * math.sqrt(expected) + 0.05 * expected


def test_relatives_do_not_bend_the_fit() -> None:
    scores, lengths = simulated(5_000)
    plain = fit_statistics(scores, lengths, 200, PROTEINS)
    scores[::50] = 400 + np.arange(100) * 5
    bent = fit_statistics(scores, lengths, 200, PROTEINS)
    assert bent.related >= 100
    assert bent.rho == pytest.approx(plain.rho, rel=0.03)
    assert bent.variance == pytest.approx(plain.variance, rel=0.05)


def test_five_hundred_sequences_are_enough_and_fewer_are_refused() -> None:
    scores, lengths = simulated(500)
    fit = fit_statistics(scores, lengths, 200, PROTEINS)
    assert fit.mean_scores([330])[0] == pytest.approx(7 + 4 * math.log(330), rel=0.05)
    with pytest.raises(FitError, match="499 subjects"):
        fit_statistics(scores[:499], lengths[:499], 200, PROTEINS)
    scores[0] = -1  # not scored
    with pytest.raises(FitError, match="499 subjects"):
        fit_statistics(scores, lengths, 200, PROTEINS)


def test_scores_of_shuffles_in_two_tracks_are_not_capped() -> None:
    """Of rearranged chains most score above the cap, which is made for residues alone."""
    scores, lengths = simulated(500)
    letters = load_matrix("3Di", ALPHABETS["3Di"])
    tracks = ScoringScheme(two_track_matrix(PROTEINS.matrix, letters, (1, 1)), 11, 1)
    fit = fit_statistics(scores + 120, lengths, 200, tracks, origin="shuffles")
    assert fit.variance == pytest.approx(4.5**2, rel=0.2)
    assert fit.mean_scores([330])[0] == pytest.approx(127 + 4 * math.log(330), rel=0.02)


def test_shuffles_stand_in_for_a_small_database() -> None:
    chance = np.random.default_rng(7)
    lengths = np.repeat([80, 150, 400], 100)
    scores = np.rint(20 + 4 * np.log(lengths) + 4 * (chance.gumbel(size=300) - EULER) / SCALE).astype(int)
    fit = fit_statistics(scores, lengths, 200, PROTEINS, origin="shuffles")
    assert (fit.used, fit.related, fit.odd_bins) == (300, 0, 0)
    assert "shuffled" in fit.describe()
    assert fit.variance == pytest.approx(16, rel=0.3)


def test_one_length_only_gives_a_flat_line() -> None:
    scores, _ = simulated(600)
    fit = fit_statistics(scores, np.full(600, 300), 200, PROTEINS)
    assert fit.rho == 0
    assert fit.mean_scores([50])[0] == fit.mean_scores([5000])[0]


def test_equal_scores_are_refused() -> None:
    with pytest.raises(FitError, match="same"):
        fit_statistics(np.full(600, 40), np.full(600, 300), 200, PROTEINS)
    with pytest.raises(FitError, match="too few"):
        fit_statistics(np.full(600, 40), np.full(600, 9), 200, PROTEINS)


def test_no_score_underflows_and_short_subjects_count_as_ten_residues() -> None:
    fit = fitted()
    found = fit.log10_evalues([0, 50, 500, 200_000], 200, [0, 300, 300, 36_000], 1, 20_000)
    assert np.isfinite(found).all()
    assert found[3] < -10_000
    assert found[0] == pytest.approx(math.log10(20_000), abs=1e-6)
    assert fit.mean_scores([0, 9, 10]).tolist() == [fit.mean_scores([10])[0]] * 3
    assert np.isnan(fit.log10_evalues([-1], 200, [300], 1, 20_000)).all()
    with pytest.raises(ValueError, match="length 200"):
        fit.log10_evalues([50], 201, [300], 1, 20_000)


def test_z_of_expectation_is_the_inverse() -> None:
    fit = fitted()
    for log10_e in (-40.0, -3.0, 0.0, 1.5):
        z = z_of_expectation(log10_e, 20_000)
        score = fit.mean_scores([300])[0] + (z - 50) / 10 * fit.standard_deviation
        assert fit.log10_evalues([score], 200, [300], 1, 20_000)[0] == pytest.approx(log10_e, abs=1e-6)
    assert z_of_expectation(0.0, 20_305) == pytest.approx(122.8, abs=0.05)  # as ssearch36 prints it


def test_nucleotides_count_residues() -> None:
    scores, lengths = simulated(2_000)
    fit = fit_statistics(scores, lengths, 200, DNA_SCHEME)
    assert fit.per_residue
    one, ten = (fit.log10_evalues([60], 200, [n], 1_000_000, 5)[0] for n in (100, 1000))
    p_one, p_ten = (fit.log10_evalues([60], 200, [n], n, 5)[0] for n in (100, 1000))
    assert one - p_one == pytest.approx(4)
    assert ten - p_ten == pytest.approx(3)


def test_explanation_ends_in_the_number_of_the_table() -> None:
    fit = fitted()
    text = fit.explain(70, 200, 300, 1, 20_000)
    assert text.endswith(f"E = {format_log10(fit.log10_evalues([70], 200, [300], 1, 20_000)[0])}")
    assert f"z′ = 50 + 10 z = {fit.z_scores([70], [300])[0]:.1f}" in text
    assert f"= {fit.bit_scores([70], [300])[0]:.1f}" in text


def test_parameters_are_json() -> None:
    stored = json.loads(json.dumps(fitted().as_dict()))
    assert stored["rho"] == fitted().rho
    assert stored["origin"] == "search"


@pytest.mark.parametrize("logarithmic", [True, False])
def test_histogram_counts_every_subject_once(logarithmic: bool) -> None:
    scores, lengths = simulated(3_000)
    fit = fit_statistics(scores, lengths, 200, PROTEINS)
    scores[0], scores[1] = 5_000, -1
    histogram = score_histogram(scores, lengths, fit, logarithmic=logarithmic)
    assert (np.diff(histogram.edges) >= 1).all()
    assert histogram.counts.sum() == 2_999
    assert histogram.unscored == 1
    assert histogram.expected is not None
    assert histogram.expected.sum() == pytest.approx(2_999)
    last = np.flatnonzero(histogram.counts)[-1]
    assert histogram.edges[last] <= 5_000 < histogram.edges[last + 1]
    assert json.loads(json.dumps(histogram.as_dict()))["counts"] == histogram.counts.tolist()
    assert len(histogram.counts) <= BINS + (SINGLE + 2) * logarithmic
    assert (np.diff(histogram.edges, 2) >= 0).all()


def test_scores_of_unrelated_subjects_have_a_bin_each() -> None:
    """Bins of several scores make notches in the expected curve where their widths change."""
    scores, lengths = simulated(3_000)
    scores[0] = 5_000
    edges = score_histogram(scores, lengths).edges
    assert (np.diff(edges[edges < SINGLE]) == 1).all()
    assert (np.diff(edges[edges > 2 * SINGLE]) > 1).all()


def test_histogram_follows_the_fit() -> None:
    scores, lengths = simulated(20_000)
    histogram = score_histogram(scores, lengths, fitted())
    assert histogram.expected is not None
    well_filled = histogram.expected > 100
    assert well_filled.sum() > 10
    deviation = (histogram.counts - histogram.expected)[well_filled] / np.sqrt(histogram.expected[well_filled])
    assert np.sqrt(np.mean(deviation**2)) < 2.5


def test_a_heavy_tail_is_noticed() -> None:
    scores, lengths = simulated(20_000)
    fit = fitted()
    usual = tail_excess(fit, scores, lengths, 1, 20_000)
    assert 0.7 < usual < 1.3
    assert describe_tail(usual) == ""
    # One subject in forty is biased and scores well above what its length explains.
    scores[::40] += 12
    assert tail_excess(fit, scores, lengths, 1, 20_000) > 1.5
    assert describe_tail(1.83).startswith("1.8 times")


def test_bins_of_high_scores_are_even_on_a_logarithmic_axis() -> None:
    scores = np.array([0, 1_000])
    edges = score_histogram(scores, np.array([50, 50]), bins=10).edges + 0.5
    assert edges[: SINGLE + 2].tolist() == list(range(SINGLE + 2))
    growth = (1_001 / (SINGLE + 1)) ** (1 / 10)  # ten bins from one score each up to the highest
    expected, edge = [], SINGLE + 1
    while edge <= 1_000:
        edge += math.ceil(edge * (growth - 1))
        expected.append(edge)
    assert edges[SINGLE + 2 :].tolist() == expected == [183, 222, 269, 326, 394, 477, 577, 698, 844, 1_020]


def test_histogram_of_nothing() -> None:
    assert score_histogram([-1, -1], [10, 20]).unscored == 2
    assert score_histogram([0, 0, 0], [10, 20, 30]).counts.tolist() == [3]


def test_ungapped_lambda_is_the_published_one() -> None:
    # Ungapped rows of resources/statistics/protein.tsv.
    published = {
        "BLOSUM45": 0.2291, "BLOSUM50": 0.2318, "BLOSUM62": 0.3176, "BLOSUM80": 0.343, "BLOSUM90": 0.3346,
        "PAM250": 0.2252, "PAM30": 0.34, "PAM70": 0.3345,
    }  # fmt: skip
    for name, value in published.items():
        wanted = str(HALF_BITS) if name == "BLOSUM80" else name
        found = ungapped_lambda(load_matrix(wanted, PROTEIN).scores, background(PROTEIN))
        assert found == pytest.approx(value, abs=6e-4), name
    simple = ungapped_lambda(match_mismatch(NUCLEOTIDE, 1, -3).scores, background(NUCLEOTIDE))
    assert simple == pytest.approx(1.374, abs=1e-3)
    assert ungapped_lambda(match_mismatch(NUCLEOTIDE, 5, -1).scores, background(NUCLEOTIDE)) is None


@pytest.mark.data
def test_four_queries_agree_with_ssearch36(data_dir: Path) -> None:
    """rho, mu, variance within 1 %; E within 20 % for nine of ten hits; bits within the printed digit."""
    folder = data_dir / "proteins"
    request = search_request(
        queries=tuple(read_sequences(folder / "cudasw_20queries.fasta", PROTEIN))[:4],
        database=folder / "swissprot_16species.fasta.gz",
        scheme=PROTEINS,
        engine="cpu",
    )
    result = answer(request)
    database, size = result.database, (result.database.residues, len(result.database))
    index = {database.ids[i]: i for i in range(len(database))}
    fits = {row["query"]: row for row in read_table("ssearch36_fit.tsv")}
    ratios = []
    for query in result.queries:
        assert query.scores is not None
        length, expected = len(query.query.residues), fits[query.query.id]
        fit = fit_statistics(query.scores, database.lengths, length, PROTEINS)
        for name in ("rho", "mu", "variance"):
            assert getattr(fit, name) == pytest.approx(float(expected[name]), rel=0.01), name
        for name in ("related", "odd_sequences", "odd_bins"):
            assert getattr(fit, name) == int(expected[name]), name
        for row in read_table("ssearch36_hits.tsv"):
            if row["query"] != query.query.id:
                continue
            at = index[row["subject"]]
            assert query.scores[at] == int(row["score"])
            log10_e = fit.log10_evalues(query.scores[[at]], length, database.lengths[[at]], *size)[0]
            ratios.append(10 ** (log10_e - math.log10(float(row["evalue"]))))
            bits = fit.bit_scores(query.scores[[at]], database.lengths[[at]])[0]
            assert bits == pytest.approx(float(row["bits"]), abs=0.1)
    close = np.abs(np.array(ratios) - 1) < 0.2
    assert len(ratios) > 30
    assert close.mean() >= 0.9


def test_hits_of_many_queries_are_measured_as_those_of_each():
    random = np.random.default_rng(53)
    base = FittedStatistics(300, 4.0, 8.0, 30.0, 900, 880, 20, 0, 30, 0, 80.0)
    for per_residue in (False, True):
        fits = [
            replace(base, query_length=int(length), rho=rho, variance=variance, per_residue=per_residue)
            for length, rho, variance in zip(
                random.integers(1, 900, 20), random.normal(4, 1, 20), random.uniform(4, 60, 20), strict=True
            )
        ]
        of, scores, lengths = random.integers(0, 20, 500), random.integers(-1, 400, 500), random.integers(1, 3000, 500)
        of_hits = FitsOfHits.of(fits, of)
        bits, evalues, z_scores = *of_hits.measure(scores, lengths, 1e6, 5e3), of_hits.z_scores(scores, lengths)
        for number, by in enumerate(fits):
            own = of == number
            given = scores[own], by.query_length, lengths[own], 1e6, 5e3
            assert np.array_equal(bits[own], by.bit_scores(scores[own], lengths[own]), equal_nan=True)
            assert np.array_equal(evalues[own], by.log10_evalues(*given), equal_nan=True)
            assert np.array_equal(z_scores[own], by.z_scores(scores[own], lengths[own]), equal_nan=True)
