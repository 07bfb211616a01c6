"""Lambda of pairs of sequences in two tracks, against sums over all pairs of symbols."""

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.judging.correction import in_real_folds
from swgui.core.scoring import two_track_matrix
from swgui.core.statistics.background import background, lambda_of_scores, matrix_lambda
from swgui.core.statistics.composition import WHOLE_PSEUDO, LambdaScale, count_residues
from swgui.core.stretches import Subjects
from swgui.engines.native.correction import HOST
from swgui.io.matrices import load_matrix
from tests.correction_reference import solve_bases

LETTERS = ALPHABETS["3Di"]
MATRIX = two_track_matrix(load_matrix("BLOSUM62", PROTEIN), load_matrix("3Di", LETTERS), (1, 1))
CHANCE = background(PROTEIN), background(LETTERS)
HELICES = np.array([0.999 * (letter == "V") + 0.001 * (letter in "ALPQ") / 4 for letter in LETTERS.letters])


def made(rng, length, letters=CHANCE[1]):
    return MATRIX.alphabet.join(
        *(rng.choice(len(p), length, p=p / p.sum()).astype(np.uint8) for p in (CHANCE[0], letters))
    )


def counts(*sequences):
    ends = np.cumsum([0, *map(len, sequences)])
    return count_residues(Subjects.packed(np.concatenate(sequences), ends), MATRIX.alphabet, HOST)


def shares(symbols, pseudo):
    """Return how often each symbol occurs, if residues and letters are independent."""
    mixed = [
        (np.bincount(codes, minlength=len(p)) * (p > 0) + pseudo * p) / (len(codes) + pseudo)
        for codes, p in zip(MATRIX.alphabet.split(symbols), CHANCE, strict=True)
    ]
    return np.outer(*mixed).ravel()


def solved(one, other):
    return lambda_of_scores(np.outer(one, other).ravel(), MATRIX.scores.astype(np.float64).ravel())


def test_ratios_are_those_of_all_pairs_of_symbols(rng):
    query, *subjects = (made(rng, 150, letters) for letters in (CHANCE[1], CHANCE[1], HELICES, HELICES + CHANCE[1]))
    scale = LambdaScale.of_background(MATRIX).of_each(Subjects.stacked([query]), HOST)[0]
    usual = min(matrix_lambda(MATRIX), solved(shares(query, WHOLE_PSEUDO), np.outer(*CHANCE).ravel()))
    assert scale.usual == pytest.approx(usual, rel=1e-6)
    expected = [min(1.0, solved(shares(query, 30), shares(subject, 30)) / usual) for subject in subjects]
    assert scale.ratios(counts(query), counts(*subjects), 30.0, HOST) == pytest.approx(expected, rel=1e-6)


def test_those_of_several_queries_are_those_of_each(rng):
    queries = [made(rng, length, letters) for length in (1, 30, 150) for letters in (CHANCE[1], HELICES)]
    background = LambdaScale.of_background(MATRIX)
    together = background.of_each(Subjects.stacked(queries), HOST)
    alone = [background.of_each(Subjects.stacked([query]), HOST)[0] for query in queries]
    assert [scale.usual for scale in together] == [scale.usual for scale in alone]
    assert len({scale.usual for scale in alone}) > 3


def test_those_of_the_background_are_published_parameters_own(rng):
    scale = LambdaScale.of_background(MATRIX)
    assert scale.usual == pytest.approx(matrix_lambda(MATRIX), rel=1e-6)
    assert LambdaScale.of_background(MATRIX) is scale
    other = LambdaScale.of_background(
        MATRIX, np.append(HELICES[:-1], 0.5)
    )  # half of them unknown, which does not count
    assert other.usual < 0.5 * scale.usual
    assert other.of_subjects[1].sum() == pytest.approx(1)


def test_two_of_helices_score_high_by_chance(rng):
    one, other, plain = (made(rng, 150, p) for p in (HELICES, HELICES, CHANCE[1]))
    scale = LambdaScale.of_background(MATRIX).of_each(Subjects.stacked([one]), HOST)[0]
    alike, usual = scale.ratios(counts(one), counts(other, plain), WHOLE_PSEUDO, HOST)
    assert alike < 0.5 * usual
    assert len(scale.ratios(counts(one), counts(other)[:0], WHOLE_PSEUDO, HOST)) == 0


def test_the_compiled_library_says_the_same_to_the_last_bit(rng):
    sequences = [made(rng, int(n), p) for n in rng.integers(1, 300, 20) for p in (CHANCE[1], HELICES + CHANCE[1])]
    some, scale = counts(*sequences), LambdaScale.of_background(MATRIX)
    shares = (some + 20.0 * np.concatenate(scale.of_queries)) / (some.sum(axis=1, keepdims=True) / 2 + 20.0)
    for queries in (shares[:1], shares[::-1]):
        given = queries, shares, scale.groups, scale.values, np.full(len(some), np.exp(scale.usual))
        compiled = HOST.solve_bases(*given)
        assert compiled.tolist() == solve_bases(*given).tolist()
        assert len(set(compiled.tolist())) > 10


def test_e_of_two_tracks_falls_more_slowly_and_never_below_what_it_was():
    evalues = np.linspace(-300.0, 4.0, 500)
    small, large = (in_real_folds(evalues + np.log10(n), n) for n in (3_500.0, 3_500_000.0))
    assert large - small == pytest.approx(np.full(500, 3.0))  # E grows with the database as it should
    assert (small >= evalues + np.log10(3_500.0)).all()
    assert (np.diff(small) > 0).all()  # the order stays
    assert in_real_folds(np.array([-5.3, 2.5]), 3_453.0) == pytest.approx([-3.07, 2.5], abs=0.01)
