"""Ends of alignments that are worth too little to be related: cut off.

A local alignment runs on as long as its score does not fall, so behind a shared domain it follows whatever is there at
hardly any gain, and the next round finds relatives of that (over-extension: Gonzalez and Pearson 2010, Nucleic Acids
Res. 38:2177). Of each alignment that stretch is kept whose score, less a small cost of every column, is the highest.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import DELETION, OUTSIDE
from swgui.core.profiles.score_profile import PositionGaps

_Codes = NDArray[np.uint8]
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class CutRows:
    """Rows without their ends, k of them.

    Parameters
    ----------
    codes, places, inserted : ndarrays
        As of `RowTable`.
    before, behind : ndarray, shape=(k,), dtype=int64
        Residues of each that were cut off at its beginning and at its end.
    """

    codes: _Codes = field(repr=False)
    places: _Ints = field(repr=False)
    inserted: _Codes = field(repr=False)
    before: _Ints = field(repr=False)
    behind: _Ints = field(repr=False)


def cut_ends(
    codes: _Codes, places: _Ints, inserted: _Codes, scores: NDArray[np.int16], gaps: PositionGaps, least: float
) -> CutRows:
    """Cut off the ends of rows that gain less than `least` a column.

    Parameters
    ----------
    codes : ndarray, shape=(k, m), dtype=uint8
    places : ndarray, shape=(i, 3), dtype=int64
        Of each insertion its row, the column before it, and its residues.
    inserted : ndarray, dtype=uint8
    scores : ndarray, shape=(m, symbols), dtype=int16
        What the alignments were made with, as `gaps`.
    least : float
        In the units of the scores.
    """
    first, last = _worthwhile(codes, places, scores, gaps, least)
    columns = np.arange(codes.shape[1])
    early, late = columns < first[:, np.newaxis], columns >= last[:, np.newaxis]
    residue = codes < DELETION
    before, behind = (residue & early).sum(axis=1), (residue & late).sum(axis=1)
    row, column, length = places.T
    np.add.at(before, row, np.where(column < first[row], length, 0))
    np.add.at(behind, row, np.where(column >= last[row] - 1, length, 0))
    kept = (column >= first[row]) & (column < last[row] - 1)
    return CutRows(
        np.where(early | late, np.uint8(OUTSIDE), codes),
        places[kept],
        inserted[np.repeat(kept, length)],
        before,
        behind,
    )


def _worthwhile(
    codes: _Codes, places: _Ints, scores: NDArray[np.int16], gaps: PositionGaps, least: float
) -> tuple[_Ints, _Ints]:
    """Return the first column that is kept of each row, and the one behind the last."""
    inside, deleted = codes != OUTSIDE, codes == DELETION
    table = np.zeros((codes.shape[1], OUTSIDE + 1))
    table[:, : scores.shape[1]] = scores
    gains = np.take_along_axis(table, codes.T.astype(np.int64), axis=1).T
    opened = deleted.copy()
    opened[:, 1:] &= ~deleted[:, :-1]
    gains -= np.where(deleted, np.where(opened, gaps.deletion_first, gaps.deletion_extend), 0)
    row, column, length = places.T
    cost = gaps.insertion_first[column] + (length - 1) * gaps.insertion_extend[column].astype(np.int64)
    np.subtract.at(gains, (row, column), cost)
    sums = np.zeros((len(codes), codes.shape[1] + 1))
    np.cumsum(np.where(inside, gains - least, 0.0), axis=1, out=sums[:, 1:])
    last = (sums - np.minimum.accumulate(sums, axis=1)).argmax(axis=1)
    ahead = np.arange(sums.shape[1]) < np.maximum(last, 1)[:, np.newaxis]
    first = np.where(ahead, sums, np.inf).argmin(axis=1)
    none = ~(sums[np.arange(len(codes)), last] > sums[np.arange(len(codes)), first])
    return np.where(none, 0, first), np.where(none, codes.shape[1], last)
