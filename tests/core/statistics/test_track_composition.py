"""Lambda of pairs of sequences in two tracks, against sums over all pairs of symbols."""

import numpy as np
import pytest

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.letters.tracks import two_track_matrix
from swgui.core.statistics.background import background, lambda_of_scores
from swgui.core.statistics.track_composition import PSEUDO, TrackScale
from swgui.io.matrices import load_matrix

LETTERS = ALPHABETS["3Di"]
MATRIX = two_track_matrix(load_matrix("BLOSUM62", PROTEIN), load_matrix("3Di", LETTERS), (1, 1))
CHANCE = background(PROTEIN), background(LETTERS)


def made(rng, length, letters=CHANCE[1]):
    return MATRIX.alphabet.join(*(rng.choice(len(p), length, p=p).astype(np.uint8) for p in (CHANCE[0], letters)))


def shares(symbols):
    """Return how often each symbol occurs, if residues and letters are independent."""
    parts = MATRIX.alphabet.split(symbols)
    mixed = [
        (np.bincount(codes, minlength=len(p)) * (p > 0) + PSEUDO * p) / (len(codes) + PSEUDO)
        for codes, p in zip(parts, CHANCE, strict=True)
    ]
    return np.outer(*mixed).ravel()


def test_ratios_are_those_of_all_pairs_of_symbols(rng):
    helices = np.zeros(len(LETTERS))
    helices[LETTERS.code("V")] = 1
    query, *subjects = (
        made(rng, 150, letters) for letters in (CHANCE[1], CHANCE[1], helices, 0.5 * (helices + CHANCE[1]))
    )
    scores = MATRIX.scores.astype(np.float64).ravel()

    def solved(one, other):
        return lambda_of_scores(np.outer(one, other).ravel(), scores)

    scale = TrackScale(MATRIX, query, CHANCE[1])
    reference = solved(shares(query), np.outer(*CHANCE).ravel())
    assert scale.reference == pytest.approx(reference, rel=1e-6)
    expected = [min(1.0, solved(shares(query), shares(subject)) / reference) for subject in subjects]
    assert scale.ratios(subjects) == pytest.approx(expected, rel=1e-6)


def test_two_of_helices_score_high_by_chance(rng):
    helices = np.full(len(LETTERS), 1e-9)
    helices[LETTERS.code("V")] = 1
    one, other, plain = (made(rng, 150, p / p.sum()) for p in (helices, helices, CHANCE[1]))
    scale = TrackScale(MATRIX, one, CHANCE[1])
    alike, usual = scale.ratios([other, plain])
    assert alike < 0.5 * usual
    assert len(scale.ratios([])) == 0
