"""Logos of the two profiles of a hit: shares and information of the residues in the columns of its alignment."""

from __future__ import annotations

from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase, places_at_hand
from swgui.core.profiles.log_odds import relative_entropy
from swgui.core.profiles.stored import UNITS, columns_of_scores
from swgui.core.score_profile import ScoreProfile

MIN_TOP: Final = 2.0  # bits at the top
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class Logo(msgspec.Struct, frozen=True, eq=False):
    """The logo of one side in the n columns of an alignment."""

    shares: _Floats  # of the residues (`swgui.core.profiles.context.RESIDUES`), shape (n, 20); zeros in gaps
    information: _Floats  # against the background of the database, in bits, shape (n,); zeros in gaps
    top: float  # bits at the top, the same for both sides

    def heights(self, column: int) -> tuple[list[int], list[float]]:
        """Return the residues of a column from the bottom, and the height of each as a share of the whole."""
        shares = self.shares[column]
        order = np.argsort(shares, kind="stable")
        return order.tolist(), (shares[order] * max(float(self.information[column]), 0.0) / self.top).tolist()


def logos_of(
    database: EncodedDatabase, profile: ScoreProfile | None, db_index: int, positions: tuple[_Ints, _Ints]
) -> tuple[Logo, Logo] | None:
    """Return the logos of query and subject where profiles were compared; None of any other hit.

    Parameters
    ----------
    profile : ScoreProfile, optional
        Of the query, as it was searched with.
    db_index : int
        The subject.
    positions : (ndarray, ndarray), shape=(n,) each
        Of the residues of query and subject in the columns of the alignment, from 1; 0 in gaps.
    """
    profiles = database.profiles
    if profiles is None or profile is None or profile.units_per_bit != UNITS:
        return None
    (place,) = places_at_hand(database, np.array([db_index])).tolist()
    sides = columns_of_scores(profile.scores, UNITS), profiles.columns(place)
    made = [
        _in_columns(columns.astype(np.float64), at, profiles.background)
        for columns, at in zip(sides, positions, strict=True)
    ]
    top = max(MIN_TOP, *(float(information.max(initial=0.0)) for _, information in made))
    query, subject = (Logo(*of_side, top) for of_side in made)
    return query, subject


def _in_columns(columns: _Floats, positions: _Ints, background: _Floats) -> tuple[_Floats, _Floats]:
    """Return shares and information in the columns of an alignment: zeros where a side has no residue."""
    shares = np.where((positions > 0)[:, np.newaxis], columns[np.maximum(positions, 1) - 1], 0.0)
    return shares, relative_entropy(shares, background)
