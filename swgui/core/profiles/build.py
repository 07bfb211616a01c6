"""From an alignment to the profile that is searched with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import DELETION, OUTSIDE, MasterAlignment, part_of_row
from swgui.core.profiles.log_odds import UNITS_PER_BIT, log_odds_scores, plain_letters
from swgui.core.profiles.recipe import Recipe
from swgui.core.profiles.score_profile import PositionGaps, ScoreProfile
from swgui.core.profiles.weights import effective_numbers, position_based_weights, purge, supported_ends
from swgui.core.statistics.background import background

CHEAPEST_GAP: Final = 1.0  # bits
# Unrelated sequences are joined all along a long query if gaps are cheap at many of its positions, and no E is small
# then: of more residues than these the expected share of gaps grows with the square of the length, up to so many times.
LONG_QUERY: Final = 250
MAX_EXPECTED: Final = 3.0
DEAREST_ABOVE: Final = 3.0  # bits beyond the cost of a gap that is as frequent as expected

_Codes = NDArray[np.uint8]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BuiltProfile:
    """A profile and what it was made of.

    Parameters
    ----------
    profile : ScoreProfile
    alignment : MasterAlignment
        The rows that count.
    frequencies : ndarray, shape=(m, letters), dtype=float64
        Of residues in each column, with pseudocounts.
    effective : ndarray, shape=(m,), dtype=float64
        Independent observations of each column.
    """

    profile: ScoreProfile
    alignment: MasterAlignment
    frequencies: _Floats = field(repr=False)
    effective: _Floats = field(repr=False)

    @property
    def effective_sequences(self) -> float:
        """Mean number of independent observations of a column."""
        return float(self.effective.mean())


def build_profile(
    alignment: MasterAlignment, conditional: _Floats, recipe: Recipe | None = None, name: str = ""
) -> BuiltProfile:
    """Make a profile of an alignment.

    Rows that say little or nothing new are left out first (`selected_rows`), then::

        Q = (alpha f + beta g) / (alpha + beta),  g(b) = sum_a f(a) P(b|a),  alpha = (N - 1) occupancy

    with f the weighted frequencies of residues in a column and N its effective number (Altschul et al. 1997, Nucleic
    Acids Res. 25:3389; pseudocounts after Tatusov et al. 1994, PNAS 91:12091). Scores are log-odds, so that the
    ungapped lambda of every column is that of bits without any rescaling.

    Parameters
    ----------
    conditional : ndarray, shape=(letters, letters)
        P(b | a), of `conditional_frequencies`.
    recipe : Recipe, optional
    name : str
        Of the profile.
    """
    chosen = recipe or Recipe()
    used = selected_rows(alignment, chosen)
    letters = plain_letters(used.alphabet)
    codes = _masked(used, chosen)
    weights = position_based_weights(codes, letters)
    effective = effective_numbers(codes, letters)
    chance = background(used.alphabet)[:letters]
    observed, present = _frequencies(codes, weights, chance)
    occupancy = present / np.maximum(weights @ (codes != OUTSIDE), 1e-12)
    alpha = (np.maximum(effective - 1.0, 0.0) * occupancy)[:, np.newaxis]
    expected = np.where(present[:, np.newaxis] > 0, observed @ conditional, chance)
    frequencies = (alpha * observed + chosen.beta * expected) / (alpha + chosen.beta)
    frequencies /= frequencies.sum(axis=1, keepdims=True)
    scores = log_odds_scores(frequencies, used.alphabet)
    gaps = _gap_costs(codes, used.inserted, weights, effective, chosen)
    profile = ScoreProfile(name, used.alphabet, scores, gaps, UNITS_PER_BIT)
    return BuiltProfile(profile, used, frequencies, effective)


def selected_rows(alignment: MasterAlignment, recipe: Recipe) -> MasterAlignment:
    """Return the rows that count: long enough, without ends that nobody shares, no near copies."""
    letters = plain_letters(alignment.alphabet)
    rows = list(alignment.rows[1:])
    if recipe.end_support > 0 and rows:
        ends = supported_ends(np.stack([row.codes for row in rows]), recipe.end_support)
        trimmed = (part_of_row(row, *end) for row, end in zip(rows, ends.tolist(), strict=True))
        rows = [row for row in trimmed if row is not None]
    least = max(recipe.min_residues, int(np.ceil(recipe.min_coverage * alignment.columns)))
    rows = [row for row in rows if row.residues >= min(least, alignment.columns)]
    long_enough = alignment.with_rows(rows)
    kept = purge(long_enough.codes, letters, recipe.max_identity)
    return alignment.with_rows([long_enough.rows[row] for row in kept[1:].tolist()])


def _masked(alignment: MasterAlignment, recipe: Recipe) -> _Codes:
    """Return the codes of an alignment with what says little of descent as unknown residues."""
    if not (recipe.mask or recipe.mask_coils):
        return alignment.codes
    from swgui.core.profiles.masking import masked_rows  # here: every search loads this module

    return masked_rows(alignment.codes, alignment.alphabet, low=recipe.mask, coils=recipe.mask_coils)


def _frequencies(codes: _Codes, weights: _Floats, chance: _Floats) -> tuple[_Floats, _Floats]:
    """Return the weighted frequencies of residues in each column, and the weight of the rows that have one there.

    Returns
    -------
    ndarray, shape=(m, letters)
        Every row adds up to 1; that of a column without residues is what chance gives.
    ndarray, shape=(m,)
    """
    letters, columns = len(chance), codes.shape[1]
    row, column = np.nonzero(codes < letters)
    sums = np.bincount(column * letters + codes[row, column], weights[row], minlength=columns * letters)
    sums = sums.reshape(columns, letters)
    present = sums.sum(axis=1)
    known = (present > 0)[:, np.newaxis]
    return np.where(known, sums / np.maximum(present, 1e-12)[:, np.newaxis], chance), present


def _gap_costs(
    codes: _Codes, inserted: NDArray[np.int32], weights: _Floats, effective: _Floats, recipe: Recipe
) -> PositionGaps:
    """Return gap costs by position: cheap where rows open gaps, dear where none does.

    Of the rows that could open a gap at a place the weighted share phi does. With A observations of the expected
    share p0 beside it, ``p = ((N - 1) phi + A p0) / (N - 1 + A)``, and the gap costs ``first - kappa log2(p / p0)``
    bits. This is the form of transition probabilities of profile HMMs (Durbin, Eddy, Krogh and Mitchison 1998,
    Biological sequence analysis, chapter 5) as a cost.
    """
    extend = np.full(codes.shape[1], round(recipe.gap_extend * UNITS_PER_BIT), dtype=np.int16)
    if not recipe.position_gaps or len(codes) == 1:
        return PositionGaps.constant(len(extend), round(recipe.gap_first * UNITS_PER_BIT), int(extend[0]))
    inside, deleted = codes != OUTSIDE, codes == DELETION
    both = inside[:, 1:] & inside[:, :-1]
    possible = np.maximum(weights @ both, 1e-9)
    insertion, deletion = np.zeros(len(extend)), np.zeros(len(extend))
    insertion[:-1] = (weights @ ((inserted[:, :-1] > 0) & both)) / possible
    deletion[1:] = (weights @ (deleted[:, 1:] & ~deleted[:, :-1])) / possible
    first = [_opening_costs(share, effective, recipe) for share in (insertion, deletion)]
    return PositionGaps(np.maximum(first[0], extend), extend, np.maximum(first[1], extend), extend)


def _opening_costs(share: _Floats, effective: _Floats, recipe: Recipe) -> NDArray[np.int16]:
    """Return what gaps cost to open where this share of the rows opens one, in units."""
    seen, prior = np.maximum(effective - 1.0, 0.0), recipe.gap_prior
    longer = min(max(1.0, len(share) / LONG_QUERY) ** 2, MAX_EXPECTED)
    expected = min(recipe.gap_chance * longer, 0.5)
    chance = (seen * np.minimum(share, 1.0) + prior * expected) / (seen + prior)
    bits = recipe.gap_first - recipe.gap_scale * np.log2(chance / expected)
    bits = np.clip(bits, CHEAPEST_GAP, recipe.gap_first + DEAREST_ABOVE)
    return np.rint(bits * UNITS_PER_BIT).astype(np.int16)
