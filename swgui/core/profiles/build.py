"""From an alignment to the profile that is searched with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.log_odds import UNITS_PER_BIT, log_odds_scores, plain_letters
from swgui.core.profiles.recipe import LONG_QUERY, Recipe
from swgui.core.profiles.score_profile import PositionGaps, ScoreProfile
from swgui.core.profiles.weights import RowCounts, count_rows, select_rows
from swgui.core.statistics.background import background

CHEAPEST_GAP: Final = 1.0  # bits
# Unrelated sequences are joined all along a long query if gaps are cheap at many of its positions, and no E is small
# then: beyond `LONG_QUERY` residues the expected share of gaps grows with the square of the length, so often at most.
MAX_EXPECTED: Final = 3.0
DEAREST_ABOVE: Final = 3.0  # bits beyond the cost of a gap that is as frequent as expected

_Codes = NDArray[np.uint8]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class BuiltProfile:
    """A profile and what it was made of.

    Parameters
    ----------
    frequencies : ndarray, shape=(m, letters), dtype=float64
        Of residues in each column, with pseudocounts.
    effective : ndarray, shape=(m,), dtype=float64
        Independent observations of each column.
    information : float
        Mean relative entropy of the columns, in bits.
    """

    profile: ScoreProfile
    frequencies: _Floats = field(repr=False)
    effective: _Floats = field(repr=False)
    information: float

    @property
    def effective_sequences(self) -> float:
        """Mean number of independent observations of a column."""
        return float(self.effective.mean())


def build_profile(
    alignment: MasterAlignment,
    conditional: _Floats,
    recipe: Recipe | None = None,
    name: str = "",
) -> BuiltProfile:
    """Make a profile of an alignment.

    Rows that say little or nothing new are left out first (`select_rows`), then::

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
    chosen, alphabet = recipe or Recipe(), alignment.alphabet
    letters = plain_letters(alphabet)
    kept, codes = select_rows(alignment.codes, letters, chosen)
    if chosen.mask or chosen.mask_coils:
        from swgui.core.profiles.masking import masked_rows  # here: every search loads this module

        codes = masked_rows(codes, alphabet, low=chosen.mask, coils=chosen.mask_coils)
    counts = count_rows(codes, _insertions_of(alignment, kept), letters)
    chance = background(alphabet)[:letters]
    present = counts.sums.sum(axis=1)
    known = (present > 0)[:, np.newaxis]
    observed = np.where(known, counts.sums / np.maximum(present, 1e-12)[:, np.newaxis], chance)
    occupancy = present / np.maximum(counts.reached, 1e-12)
    alpha = (np.maximum(counts.effective - 1.0, 0.0) * occupancy)[:, np.newaxis]
    expected = np.where(known, observed @ conditional, chance)
    frequencies = (alpha * observed + chosen.beta * expected) / (alpha + chosen.beta)
    frequencies /= frequencies.sum(axis=1, keepdims=True)
    gaps = _gap_costs(counts, chosen, alone=len(kept) == 1)
    profile = ScoreProfile(name, alphabet, log_odds_scores(frequencies, alphabet), gaps, UNITS_PER_BIT)
    information = float((frequencies * np.log2(frequencies / chance)).sum(axis=1).mean())
    return BuiltProfile(profile, frequencies, counts.effective, information)


def _insertions_of(alignment: MasterAlignment, kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the insertions of some rows: the place of the row among them, and the column before it."""
    place = np.full(len(alignment), -1)
    place[kept] = np.arange(len(kept))
    found = alignment.insertions
    row = place[found[:, 0]]
    return np.stack([row, found[:, 1]], axis=1)[row >= 0]


def _gap_costs(counts: RowCounts, recipe: Recipe, *, alone: bool) -> PositionGaps:
    """Return gap costs by position: cheap where rows open gaps, dear where none does.

    Of the rows that could open a gap at a place the weighted share phi does. With A observations of the expected
    share p0 beside it, ``p = ((N - 1) phi + A p0) / (N - 1 + A)``, and the gap costs ``first - kappa log2(p / p0)``
    bits. This is the form of transition probabilities of profile HMMs (Durbin, Eddy, Krogh and Mitchison 1998,
    Biological sequence analysis, chapter 5) as a cost.
    """
    extend = np.full(len(counts.effective), round(recipe.gap_extend * UNITS_PER_BIT), dtype=np.int16)
    if not recipe.position_gaps or alone:
        return PositionGaps.constant(len(extend), round(recipe.gap_first * UNITS_PER_BIT), int(extend[0]))
    possible = np.maximum(counts.both[:-1], 1e-9)
    insertion, deletion = np.zeros(len(extend)), np.zeros(len(extend))
    insertion[:-1] = counts.insertion[:-1] / possible
    deletion[1:] = counts.deletion[1:] / possible
    first = [_opening_costs(share, counts.effective, recipe) for share in (insertion, deletion)]
    return PositionGaps(np.maximum(first[0], extend), extend, np.maximum(first[1], extend), extend)


def _opening_costs(share: _Floats, effective: _Floats, recipe: Recipe) -> NDArray[np.int16]:
    """Return what gaps cost to open where this share of the rows opens one, in units."""
    seen, prior = np.maximum(effective - 1.0, 0.0), recipe.gap_prior
    expected = expected_gaps(len(share), recipe)
    chance = (seen * np.minimum(share, 1.0) + prior * expected) / (seen + prior)
    bits = recipe.gap_first - recipe.gap_scale * np.log2(chance / expected)
    bits = np.clip(bits, CHEAPEST_GAP, recipe.gap_first + DEAREST_ABOVE)
    return np.rint(bits * UNITS_PER_BIT).astype(np.int16)


def expected_gaps(columns: int, recipe: Recipe) -> float:
    """Return the share of gaps that is expected at a position of a query of so many residues."""
    longer = min(max(1.0, columns / LONG_QUERY) ** 2, MAX_EXPECTED)
    return min(recipe.gap_chance * longer, 0.5)
