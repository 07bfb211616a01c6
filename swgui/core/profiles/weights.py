"""Which rows of an alignment count, and how much: purge, trimmed ends, position-based weights, effective numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import DELETION, OUTSIDE
from swgui.core.profiles.recipe import Recipe

JUDGES: Final = 10  # rows beside a row that it takes to say which of its ends nobody shares
TRIMMED_AT_MOST: Final = 0.25  # of the columns of a row, at each end
SHARED: Final = 0.9  # of a row's residues that lie in columns of another one, before the two are compared

_Codes = NDArray[np.uint8]
_Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class RowCounts:
    """What n rows say of m columns.

    Parameters
    ----------
    weights : ndarray, shape=(n,), dtype=float64
        Of the rows.
    effective : ndarray, shape=(m,), dtype=float64
        Independent observations of each column.
    sums : ndarray, shape=(m, letters), dtype=float64
        Weight of the rows with each residue.
    reached, both, insertion, deletion : ndarray, shape=(m,), dtype=float64
        Weight of the rows that reach a column; that reach it and the next one; that have an insertion between these
        two; that open a deletion at the column.
    """

    weights: _Floats = field(repr=False)
    effective: _Floats = field(repr=False)
    sums: _Floats = field(repr=False)
    reached: _Floats = field(repr=False)
    both: _Floats = field(repr=False)
    insertion: _Floats = field(repr=False)
    deletion: _Floats = field(repr=False)


def residues_needed(columns: int, recipe: Recipe) -> int:
    """Return how many residues a row needs to count in an alignment of so many columns."""
    return min(max(recipe.min_residues, int(np.ceil(recipe.min_coverage * columns))), columns)


def select_rows(codes: _Codes, letters: int, recipe: Recipe) -> tuple[NDArray[np.int64], _Codes]:
    """Return the rows that count: long enough, without ends that nobody shares, no near copies; the first always does.

    Parameters
    ----------
    codes : ndarray, shape=(n, m)
        Best row first.
    letters : int
        Codes below it are residues.

    Returns
    -------
    ndarray, shape=(k,), dtype=int64
        Their numbers.
    ndarray, shape=(k, m), dtype=uint8
        Their codes, `OUTSIDE` where an end was cut off.
    """
    cut = codes.copy()
    if recipe.end_support > 0 and len(codes) > 1:
        column, ends = np.arange(codes.shape[1]), supported_ends(codes[1:], recipe.end_support)
        left = (codes[1:] < DELETION) & (column >= ends[:, :1]) & (column < ends[:, 1:])
        first, behind = left.argmax(axis=1), codes.shape[1] - left[:, ::-1].argmax(axis=1)
        behind[~left.any(axis=1)] = 0
        cut[1:][(column < first[:, np.newaxis]) | (column >= behind[:, np.newaxis])] = OUTSIDE
    enough = (cut < DELETION).sum(axis=1) >= residues_needed(codes.shape[1], recipe)
    enough[0] = True
    numbers = np.flatnonzero(enough)
    kept = numbers[purge(cut[numbers], letters, recipe.max_identity)]
    return kept, cut[kept]


def count_rows(codes: _Codes, insertions: NDArray[np.int64], letters: int) -> RowCounts:
    """Return what rows say of their columns.

    Parameters
    ----------
    codes : ndarray, shape=(n, m)
    insertions : ndarray, shape=(k, 2)
        The row of each insertion, and the column before it.
    letters : int
        Codes below it are residues.
    """
    weights = position_based_weights(codes, letters)
    columns = codes.shape[1]
    row, column = np.nonzero(codes < letters)
    sums = np.bincount(column * letters + codes[row, column], weights[row], minlength=columns * letters)
    inside, deleted = codes != OUTSIDE, codes == DELETION
    next_too = inside.copy()
    next_too[:, :-1] &= inside[:, 1:]
    next_too[:, -1] = False
    opened = deleted.copy()
    opened[:, 1:] &= ~deleted[:, :-1]
    opened[:, 0] = False
    inserted = np.zeros_like(inside)
    inserted[insertions[:, 0], insertions[:, 1]] = True
    return RowCounts(
        weights,
        effective_numbers(codes, letters),
        np.asarray(sums.reshape(columns, letters), dtype=np.float64),
        *(weights @ each for each in (inside, next_too, inserted & next_too, opened)),
    )


def purge(codes: _Codes, letters: int, max_identity: float) -> NDArray[np.int64]:
    """Return the rows that are left when near copies are taken out, in their order; the first always is.

    A row is left out if it is identical in at least `max_identity` of the columns it shares with a row above it that
    is kept, where these are 90 % of its residues (Altschul et al. 1997, Nucleic Acids Res. 25:3389, with 98 %).

    Parameters
    ----------
    codes : ndarray, shape=(n, m)
        Best row first.
    letters : int
        Codes below it are residues.
    max_identity : float
        From 0 to 1; above 1 all rows are kept.
    """
    residue = codes < letters
    lengths = residue.sum(axis=1)
    kept = np.zeros(len(codes), dtype=np.int64)
    among = np.empty_like(codes)  # the rows that are kept, without what is no residue
    count = 0
    for row in range(len(codes)):
        own = codes[row, residue[row]]
        above = among[:count, residue[row]]
        shared = (above != OUTSIDE).sum(axis=1)
        same = (above == own).sum(axis=1)
        if ((same >= max_identity * np.maximum(shared, 1)) & (shared >= SHARED * lengths[row])).any():
            continue
        kept[count] = row
        among[count] = np.where(residue[row], codes[row], OUTSIDE)
        count += 1
    return kept[:count]


def supported_ends(codes: _Codes, least: float) -> NDArray[np.int64]:
    """Return the columns at which rows begin and end once ends that hardly any other row shares are cut off.

    Local alignments run on into what is not related, and the next round then finds relatives of that (over-extension:
    Gonzalez and Pearson 2010, Nucleic Acids Res. 38:2177). A column at an end of a row is cut off while fewer than
    `least` of the rows beside it cover it too; rows are beside a row if they cover half of its columns. Without ten of
    them nothing is cut off, nor ever more than a quarter of a row at either end.

    Parameters
    ----------
    codes : ndarray, shape=(n, m)
    least : float
        From 0, which cuts off nothing, to 1.

    Returns
    -------
    ndarray, shape=(n, 2), dtype=int64
        First column, and the column behind the last one.
    """
    ends = _reach(codes)
    covered = (codes != OUTSIDE).astype(np.float32)
    shared = covered @ covered.T
    columns = covered.sum(axis=1)
    beside = (shared >= 0.5 * columns[:, np.newaxis]).astype(np.float32)
    np.fill_diagonal(beside, 0)
    count = beside.sum(axis=1)
    share = (beside @ covered) / np.maximum(count, 1)[:, np.newaxis]
    for row in np.flatnonzero(count >= JUDGES).tolist():
        first, last = (int(end) for end in ends[row])
        most = int(TRIMMED_AT_MOST * (last - first))
        good = np.flatnonzero(share[row, first:last] >= least)
        if len(good):
            ends[row] = first + min(int(good[0]), most), max(first + int(good[-1]) + 1, last - most)
    return ends.astype(np.int64)


def position_based_weights(codes: _Codes, letters: int) -> _Floats:
    """Return the weights of rows: ``w = 1/L sum over columns of 1 / (k n)``.

    k is the number of different residues of a column, n how often the row's own occurs in it, L the residues of the
    row (Henikoff and Henikoff 1994, J. Mol. Biol. 243:574, with L for rows that do not cover every column).

    Returns
    -------
    ndarray, shape=(n,), dtype=float64
        Adds up to 1.
    """
    rows, columns = codes.shape
    residue = codes < letters
    place = np.arange(columns)[np.newaxis, :] * letters + np.where(residue, codes, 0)
    counts = np.bincount(place[residue], minlength=columns * letters)
    different = (counts.reshape(columns, letters) > 0).sum(axis=1)
    each = 1.0 / np.maximum(counts * np.repeat(different, letters), 1)
    weights = np.where(residue, each[place], 0.0).sum(axis=1) / np.maximum(residue.sum(axis=1), 1)
    total = float(weights.sum())
    return np.asarray(weights / total if total > 0 else np.full(rows, 1.0 / rows), dtype=np.float64)


def effective_numbers(codes: _Codes, letters: int) -> _Floats:
    """Return for each column how many independent observations it makes.

    The mean number of different residues in a column, over all columns of those rows alone that reach the column
    (Altschul et al. 1997, Nucleic Acids Res. 25:3389: N_C).

    A row reaches from its first to its last residue. So a residue of column j is seen from the column i if i lies
    between the smallest first and the largest last column of the rows that have it in j: each residue of each column
    is one interval of i.

    Returns
    -------
    ndarray, shape=(m,), dtype=float64
        From 0 (no row) to `letters`.
    """
    columns = codes.shape[1]
    ends = _reach(codes)
    row, column = np.nonzero(codes < letters)
    place = column * letters + codes[row, column]
    first = np.full(columns * letters, columns)
    last = np.zeros(columns * letters, dtype=np.int64)
    np.minimum.at(first, place, ends[row, 0])
    np.maximum.at(last, place, ends[row, 1])
    by_column = first.reshape(columns, letters).min(axis=1), last.reshape(columns, letters).max(axis=1)
    seen, over = _covered(first, last, columns), _covered(*by_column, columns)
    return np.asarray(seen / np.maximum(over, 1), dtype=np.float64)


def _reach(codes: _Codes) -> NDArray[np.int64]:
    """Return the first column of each row and the one behind its last, shape (n, 2)."""
    inside = codes != OUTSIDE
    return np.stack([inside.argmax(axis=1), inside.shape[1] - inside[:, ::-1].argmax(axis=1)], axis=1)


def _covered(first: NDArray[np.int64], last: NDArray[np.int64], columns: int) -> NDArray[np.int64]:
    """Return how many of some intervals cover each column; an interval that ends before it begins is none."""
    some = first < last
    begun = np.bincount(first[some], minlength=columns + 1) - np.bincount(last[some], minlength=columns + 1)
    return np.cumsum(begun)[:columns]
