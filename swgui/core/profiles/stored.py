"""The profiles of a database: one of each of its sequences, column by column."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.plain import replace
from swgui.core.profiles.context import Columns
from swgui.core.profiles.log_odds import IN_UNITS, in_eighths_of_bits
from swgui.core.profiles.log_odds import UNITS_PER_BIT as EIGHTHS
from swgui.core.profiles.pairs import UNITS_PER_BIT, PairGaps, ProfileSet
from swgui.core.score_profile import PROFILE_LIMIT, PositionGaps, ScoreProfile
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.statistics.background import background

GAPS: Final = PairGaps()
DIVERSITY_STEPS: Final = 10  # of one effective residue
UNITS: Final = 320  # a bit, of profiles that keep the probabilities of a query
_RESIDUES: Final = 20
_UNIT: Final = f"{UNITS_PER_BIT} bit"
_MIN: Final = 1e-12


class StoredProfiles(msgspec.Struct, frozen=True, eq=False):
    """The profiles of a database, in the order in which its residues are stored; R columns of N profiles."""

    pairs: ProfileSet
    diversity: NDArray[np.uint8]  # effective number of residues around each column, in tenths, shape (R,)
    background: NDArray[np.float64]  # mean probabilities of all columns, shape (20,)
    made: str = ""  # how they were made, as a sentence
    checksum: str = ""  # hex digest of the columns
    # Columns of the members that are certain alone, of as many columns as `pairs`; None if all members are.
    certain: ProfileSet | None = None

    def take(self, positions: NDArray[np.int64]) -> StoredProfiles:
        """Return copies of some profiles, by their places in storage order."""
        part = self.pairs.take(positions)
        starts, sizes = self.pairs.offsets[positions], self.pairs.lengths[positions]
        rows = np.repeat(starts - part.offsets[:-1], sizes) + np.arange(len(part.scales))
        certain = None if self.certain is None else self.certain.take(positions)
        return replace(self, pairs=part, diversity=self.diversity[rows], certain=certain)

    def columns(self, position: int) -> Columns:
        """Return the probabilities of a profile, shape (n, 20), as exact as they are stored."""
        one = self.pairs[position]
        odds = one.codes * np.exp2(-one.scales[:, None] / UNITS_PER_BIT) * np.sqrt(self.background)
        return np.asarray(odds / np.maximum(odds.sum(axis=1, keepdims=True), _MIN), dtype=np.float32)


def pair_scheme(matrix: SubstitutionMatrix) -> ScoringScheme:
    """Return a matrix and gap costs in the units in which profiles are compared.

    Raises
    ------
    ProfileError
        If no frequencies follow from the matrix.
    """
    of, _, unit = matrix.name.partition(IN_UNITS)
    scores = matrix.scores if unit else in_eighths_of_bits(matrix).scores
    if unit != _UNIT:
        scores = scores * (UNITS_PER_BIT // EIGHTHS)
    name = f"{of}{IN_UNITS}{_UNIT}"
    return ScoringScheme(SubstitutionMatrix(name, matrix.alphabet, scores), GAPS.first, GAPS.extend)


def scores_of_columns(columns: Columns, name: str, certain: Columns | None = None) -> ScoreProfile:
    """Return the probabilities of a query as log-odds, in `UNITS` a bit: `columns_of_scores` returns them again.

    Parameters
    ----------
    certain : ndarray, shape=(m, 20), optional
        Those of its certain members alone.
    """
    factor = UNITS / UNITS_PER_BIT
    gaps = PositionGaps.constant(len(columns), round(GAPS.first * factor), round(GAPS.extend * factor))
    others = None if certain is None else _log_odds(certain)
    return ScoreProfile(name, PROTEIN, _log_odds(columns), gaps, float(UNITS), others)


def _log_odds(columns: Columns) -> NDArray[np.int16]:
    chance = background(PROTEIN)[:_RESIDUES]
    exact = UNITS * np.log2(np.maximum(columns.astype(np.float64), _MIN) / chance)
    scores = np.zeros((len(columns), len(PROTEIN)), dtype=np.int16)
    scores[:, :_RESIDUES] = np.rint(np.clip(exact, -PROFILE_LIMIT, PROFILE_LIMIT))
    return scores


def columns_of_scores(scores: NDArray[np.int16], units_per_bit: float) -> Columns:
    """Return the probabilities of the residues at each position whose log-odds are given, shape (m, 20).

    Parameters
    ----------
    scores : ndarray, shape=(m, symbols), dtype=int16
        Of `PROTEIN`; those of its 20 residues count.
    """
    odds = np.exp2(scores[:, :_RESIDUES].astype(np.float64) / units_per_bit) * background(PROTEIN)[:_RESIDUES]
    return np.asarray(odds / odds.sum(axis=1, keepdims=True), dtype=np.float32)
