"""Scores as log-odds in eighths of a bit, and the frequencies that a substitution matrix implies."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.errors import ProfileError
from swgui.core.profiles.recipe import Recipe
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.statistics.background import background, ungapped_lambda

Floats = NDArray[np.float64]

UNITS_PER_BIT: Final = 8  # fine enough: ungapped lambda of a profile comes out within 1 % of ln 2 / 8
WILDCARD_BITS: Final = -0.5  # a residue that is not known speaks a little against a relation
IN_UNITS: Final = " in 1/"  # behind the name of a matrix whose scores were turned into those of profiles
HIGHEST: Final = 127  # so that scores fit into 8 bits

_Floats = NDArray[np.float64]


def plain_letters(alphabet: Alphabet) -> int:
    """Return the number of letters that are residues of their own; their codes come first."""
    return int((background(alphabet) > 0).sum())


def conditional_frequencies(matrix: SubstitutionMatrix) -> _Floats:
    """Return the frequencies at which a residue a is replaced by b, as a matrix implies them.

    Every matrix is one of log-odds: ``q_ab = p_a p_b exp(lambda s_ab)`` for the lambda at which these add up to 1
    (Altschul 1991, J. Mol. Biol. 219:555), with p of Robinson and Robinson (1991).

    Returns
    -------
    ndarray, shape=(letters, letters), dtype=float64
        P(b | a); every row adds up to 1.

    Raises
    ------
    ProfileError
        If the matrix implies none, because its mean score is not negative.
    """
    letters = plain_letters(matrix.alphabet)
    chance = background(matrix.alphabet)[:letters]
    scores = matrix.scores[:letters, :letters]
    scale = ungapped_lambda(scores, chance)
    if scale is None:
        raise ProfileError(
            f"No frequencies of replacements follow from the matrix '{matrix.name}': its mean score is not negative.",
            hint="Choose another matrix, for example BLOSUM62.",
        )
    joint = np.outer(chance, chance) * np.exp(scale * scores)
    return np.asarray(joint / joint.sum(axis=1, keepdims=True), dtype=np.float64)


def log_odds_scores(
    frequencies: _Floats, alphabet: Alphabet, chance: _Floats | None = None, scale: float = 1.0
) -> NDArray[np.int16]:
    """Return scores ``8 log2(Q(b) / P(b))``, times a scale, of every position against every symbol.

    An ambiguous symbol scores as the mean over its residues, the wildcard `WILDCARD_BITS`, any other symbol as the
    worst residue of its position.

    Parameters
    ----------
    frequencies : ndarray, shape=(m, letters)
        Q; every row adds up to 1.
    chance : ndarray, shape=(letters,), optional
        P; by default `background` of the alphabet.
    scale : float
        Factor of the scores.

    Returns
    -------
    ndarray, shape=(m, symbols), dtype=int16
        In units of `UNITS_PER_BIT`, within -127 and 127.
    """
    letters = plain_letters(alphabet)
    with np.errstate(divide="ignore"):  # a frequency of 0 scores as low as there is
        odds = frequencies / (background(alphabet)[:letters] if chance is None else chance)
        exact = scale * UNITS_PER_BIT * np.log2(odds)
    exact = np.clip(exact, -HIGHEST, HIGHEST)
    scores = np.empty((len(frequencies), len(alphabet)))
    scores[:, :letters] = exact
    for code, meant in _ambiguous(alphabet).items():
        scores[:, code] = exact[:, meant].mean(axis=1) if meant else UNITS_PER_BIT * WILDCARD_BITS
    for code in range(letters, len(alphabet)):
        if alphabet.letters[code] not in alphabet.expansions and alphabet.letters[code] != alphabet.wildcard:
            scores[:, code] = exact.min(axis=1)
    return np.rint(scores).astype(np.int16)


def meant_by_symbols(alphabet: Alphabet) -> NDArray[np.int8]:
    """Return the residues that each symbol behind them means, as `log_odds_scores` scores them.

    Returns
    -------
    ndarray, shape=(symbols, letters), dtype=int8
        1 for each residue; none for the wildcard, -1 in the first place for symbols that score as the worst residue.
    """
    letters = plain_letters(alphabet)
    table = np.zeros((len(alphabet), letters), dtype=np.int8)
    table[letters:, 0] = -1
    table[alphabet.code(alphabet.wildcard), 0] = 0
    for code, meant in _ambiguous(alphabet).items():
        table[code] = 0
        table[code, meant] = 1
    return table


def in_eighths_of_bits(matrix: SubstitutionMatrix) -> SubstitutionMatrix:
    """Return a matrix in the units of profiles: the scores of a query before it has relatives.

    Raises
    ------
    ProfileError
        If no frequencies follow from the matrix.
    """
    alphabet = matrix.alphabet
    letters = plain_letters(alphabet)
    rows = np.empty((len(alphabet), letters))
    rows[:] = background(alphabet)[:letters]
    rows[:letters] = conditional_frequencies(matrix)
    for code, meant in _ambiguous(alphabet).items():
        if meant:
            rows[code] = rows[meant].mean(axis=0)
    scores = log_odds_scores(rows, alphabet)
    return SubstitutionMatrix(f"{matrix.name}{IN_UNITS}{UNITS_PER_BIT} bit", alphabet, scores)


def profile_scheme(matrix: SubstitutionMatrix, recipe: Recipe) -> ScoringScheme:
    """Return a matrix in the units of profiles, with the gap costs of a recipe.

    Raises
    ------
    ProfileError
        If no frequencies follow from the matrix.
    """
    costs = round(recipe.gap_first * UNITS_PER_BIT), round(recipe.gap_extend * UNITS_PER_BIT)
    return ScoringScheme(in_eighths_of_bits(matrix), *costs)


def _ambiguous(alphabet: Alphabet) -> dict[int, list[int]]:
    """Return the codes of residues that each ambiguous code means; none if it may be any."""
    letters = plain_letters(alphabet)
    meant = {}
    for symbol, expansion in alphabet.expansions.items():
        codes = [alphabet.code(letter) for letter in expansion]
        anything = len(codes) >= letters or max(codes) >= letters
        meant[alphabet.code(symbol)] = [] if anything else codes
    return meant


def relative_entropy(frequencies: Floats, chance: Floats) -> Floats:
    """Return the relative entropy of the frequencies of each position against chance, in bits; shape (m,)."""
    safe = np.maximum(frequencies, 1e-12)
    return np.asarray((frequencies * np.log2(safe / chance)).sum(axis=1), dtype=np.float64)
