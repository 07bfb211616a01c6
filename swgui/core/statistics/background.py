"""Frequencies of residues by chance, and the scale of ungapped scores that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet, TwoTracks
from swgui.core.scoring import SubstitutionMatrix, TwoTrackMatrix

# Robinson and Robinson (1991), PNAS 88:8880: occurrences in 1,000 residues.
_AMINO_ACIDS: Final = {
    "A": 78.05, "R": 51.29, "N": 44.87, "D": 53.64, "C": 19.25, "Q": 42.64, "E": 62.95, "G": 73.77, "H": 21.99,
    "I": 51.42, "L": 90.19, "K": 57.44, "M": 22.43, "F": 38.56, "P": 52.03, "S": 71.20, "T": 58.41, "W": 13.30,
    "Y": 32.16, "V": 64.41,
}  # fmt: skip
_BASES: Final = dict.fromkeys("ACGT", 0.25)
_TABLES: Final = {PROTEIN.name: _AMINO_ACIDS, NUCLEOTIDE.name: _BASES}


def background(alphabet: Alphabet) -> NDArray[np.float64]:
    """Return the frequency of every code by chance; ambiguous symbols have none.

    If an alphabet has no frequencies, all plain symbols are equally frequent. Residues and letters of the second track
    are assumed independent.

    Returns
    -------
    ndarray, shape=(symbols,), dtype=float64
        Adds up to 1; not to be written to.
    """
    if isinstance(alphabet, TwoTracks):
        shares: NDArray[np.float64] = np.outer(*map(background, alphabet.parts)).ravel()
        return shares
    if alphabet.name in _TABLES:
        return _shares(alphabet.name, alphabet.letters, ())
    given = alphabet.background or dict.fromkeys(alphabet.plain, 1.0)
    return _shares(alphabet.name, alphabet.letters, tuple(given.items()))


@lru_cache(maxsize=8)
def _shares(name: str, letters: str, given: tuple[tuple[str, float], ...]) -> NDArray[np.float64]:
    """Return the frequencies of letters, from a table of the program or from the argument."""
    table = _TABLES.get(name) or dict(given)
    frequencies = np.array([table.get(letter, 0.0) for letter in letters])
    total = float(frequencies.sum())
    shares = np.asarray(frequencies / total, dtype=np.float64)
    shares.flags.writeable = False
    return shares


def ungapped_lambda(matrix: NDArray[np.int16], frequencies: NDArray[np.float64]) -> float | None:
    """Solve ``sum p_i p_j exp(lambda s_ij) = 1`` for lambda > 0 (Karlin and Altschul 1990, PNAS 87:2264).

    Parameters
    ----------
    matrix : ndarray, shape=(symbols, symbols)
    frequencies : ndarray, shape=(symbols,)

    Returns
    -------
    float or None
        None if the mean score is not negative or no score is positive: then no such lambda exists.
    """
    return lambda_of_scores(np.outer(frequencies, frequencies).ravel(), matrix.ravel().astype(np.float64))


def matrix_lambda(matrix: SubstitutionMatrix, chance: Sequence[NDArray[np.float64]] = ()) -> float | None:
    """Return the lambda of a matrix, as `ungapped_lambda`.

    In two tracks scores of residues and of letters are assumed independent, so that their sums have frequencies.

    Parameters
    ----------
    chance : sequence of ndarray, shape=(symbols,)
        How often the symbols of each track occur; without it by the background of the alphabet.
    """
    if not isinstance(matrix, TwoTrackMatrix):
        return ungapped_lambda(matrix.scores, chance[0] if chance else background(matrix.alphabet))
    shares = []
    chance = chance or [background(track.alphabet) for track in matrix.matrices]
    for part, frequencies in zip(matrix.parts, chance, strict=True):
        low = int(part.min())
        shares.append((low, np.bincount((part - low).ravel(), weights=np.outer(frequencies, frequencies).ravel())))
    (first, one_share), (second, other_share) = shares
    sums = np.convolve(one_share, other_share)
    scores = np.linspace(first + second, first + second + len(sums) - 1, len(sums))
    return lambda_of_scores(np.asarray(sums, dtype=np.float64), np.rint(scores))


def lambda_of_scores(pairs: NDArray[np.float64], scores: NDArray[np.float64]) -> float | None:
    """Solve ``sum pairs * exp(lambda * scores) = 1``, as `ungapped_lambda`; shapes (k,), frequencies may be 0."""
    pairs, scores = pairs[pairs > 0], scores[pairs > 0]
    best = float(scores.max())
    if float((pairs * scores).sum()) >= 0 or best <= 0:
        return None

    def excess(lambda_: float) -> float:
        return float((pairs * np.exp(lambda_ * scores)).sum()) - 1.0

    # At this lambda the best pair alone adds up to 1, so the root lies below.
    low, high = 0.0, -float(np.log(pairs[scores == best].sum())) / best
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) < 0 else (low, middle)
    return (low + high) / 2
