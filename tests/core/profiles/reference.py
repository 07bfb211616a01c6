"""Profiles of alignments, and ends of rows, in plain NumPy: the reference of the compiled forms."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, OUTSIDE, MasterAlignment
from swgui.core.profiles.log_odds import UNITS_PER_BIT, log_odds_scores, plain_letters
from swgui.core.profiles.recipe import Recipe
from swgui.core.score_profile import PositionGaps, ScoreProfile
from swgui.core.statistics.background import background
from swgui.core.statistics.masking import SegSettings, seg
from swgui.engines.native.profiles import DEAREST_ABOVE, BuiltProfile, expected_gaps
from swgui.engines.native.rows import HEPTADS, coil_score

JUDGES: Final = 10  # rows next to a row that decide which of its ends are unshared
TRIMMED_AT_MOST: Final = 0.25  # of the columns of a row, at each end
SHARED: Final = 0.9  # of a row's residues that lie in columns of another one, before the two are compared
MASKED: Final = 250  # code of a residue that counts as unknown
WINDOW: Final = 28  # residues, four heptads
_HEPTAD: Final = 7

_Codes = NDArray[np.uint8]
_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]
_Floats = NDArray[np.float64]


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
    spelled = alignment.codes
    if alphabet.alike:  # U counts as T
        spelled = np.where(spelled < DELETION, alphabet.alike_codes[spelled], spelled)
    kept, codes = select_rows(spelled, letters, chosen)
    if chosen.mask or chosen.mask_coils:
        codes = masked_rows(codes, alphabet, low=chosen.mask, coils=chosen.mask_coils)
    counts = count_rows(codes, _insertions_of(alignment, kept), letters)
    if chosen.observations == "rows":
        counts = replace(counts, effective=(codes != OUTSIDE).sum(axis=0).astype(np.float64))
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
    if alphabet.complements:
        gaps = _sloping(gaps)
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

    Of the rows that could open a gap at a place the weighted share phi does. With A further observations of the
    expected share p0, ``p = ((N - 1) phi + A p0) / (N - 1 + A)``, and the gap costs ``first - kappa log2(p / p0)``
    bits. This is the form of transition probabilities of profile HMMs (Durbin, Eddy, Krogh and Mitchison 1998,
    Biological sequence analysis, chapter 5) as a cost.
    """
    costs = recipe.gap_costs(len(counts.effective))
    extend = np.full(len(counts.effective), round(costs.extend * UNITS_PER_BIT), dtype=np.int16)
    if not recipe.position_gaps or alone:
        return PositionGaps.constant(len(extend), round(costs.first * UNITS_PER_BIT), int(extend[0]))
    possible = np.maximum(counts.both[:-1], 1e-9)
    insertion, deletion = np.zeros(len(extend)), np.zeros(len(extend))
    insertion[:-1] = counts.insertion[:-1] / possible
    deletion[1:] = counts.deletion[1:] / possible
    first = [_opening_costs(share, counts.effective, recipe) for share in (insertion, deletion)]
    return PositionGaps(np.maximum(first[0], extend), extend, np.maximum(first[1], extend), extend)


def _sloping(gaps: PositionGaps) -> PositionGaps:
    """Return gap costs whose deletions differ by an extension at most from one column to the next."""
    columns, step = np.arange(len(gaps)), int(gaps.deletion_extend[0])
    far = np.abs(columns[:, np.newaxis] - columns) * step
    first = (gaps.deletion_first.astype(np.int64) + far).min(axis=1).astype(np.int16)
    return PositionGaps(gaps.insertion_first, gaps.insertion_extend, first, gaps.deletion_extend)


def _opening_costs(share: _Floats, effective: _Floats, recipe: Recipe) -> NDArray[np.int16]:
    """Return the cost of opening a gap where this share of the rows opens one, in units."""
    seen, prior = np.maximum(effective - 1.0, 0.0), recipe.gap_prior
    expected = expected_gaps(len(share), recipe)
    chance = (seen * np.minimum(share, 1.0) + prior * expected) / (seen + prior)
    costs = recipe.gap_costs(len(share))
    bits = costs.first - recipe.gap_scale * np.log2(chance / expected)
    bits = np.clip(bits, costs.cheapest, costs.first + DEAREST_ABOVE)
    return np.rint(bits * UNITS_PER_BIT).astype(np.int16)


@dataclass(frozen=True, slots=True, eq=False)
class RowCounts:
    """Figures of m columns from n rows.

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


def select_rows(codes: _Codes, letters: int, recipe: Recipe) -> tuple[NDArray[np.int64], _Codes]:
    """Return the rows that count: long enough, without unshared ends, no near copies; the first always does.

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
    enough = (cut < DELETION).sum(axis=1) >= recipe.residues_needed(codes.shape[1])
    enough[0] = True
    numbers = np.flatnonzero(enough)
    kept = numbers[purge(cut[numbers], letters, recipe.max_identity)]
    return kept, cut[kept]


def count_rows(codes: _Codes, insertions: NDArray[np.int64], letters: int) -> RowCounts:
    """Return the figures of columns from their rows.

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
    """Return the rows without near copies, in their order; the first always is among them.

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
    `least` of the rows next to it cover it too; rows are next to a row if they cover half of its columns. Without ten
    of
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
    seen, over = _intervals_over(first, last, columns), _intervals_over(*by_column, columns)
    return np.asarray(seen / np.maximum(over, 1), dtype=np.float64)


def _reach(codes: _Codes) -> NDArray[np.int64]:
    """Return the first column of each row and the one behind its last, shape (n, 2)."""
    inside = codes != OUTSIDE
    return np.stack([inside.argmax(axis=1), inside.shape[1] - inside[:, ::-1].argmax(axis=1)], axis=1)


def _intervals_over(first: NDArray[np.int64], last: NDArray[np.int64], columns: int) -> NDArray[np.int64]:
    """Return how many of some intervals cover each column; an interval that ends before it begins is none."""
    some = first < last
    begun = np.bincount(first[some], minlength=columns + 1) - np.bincount(last[some], minlength=columns + 1)
    return np.cumsum(begun)[:columns]


def masked_rows(codes: _Codes, alphabet: Alphabet, *, low: bool, coils: bool) -> _Codes:
    """Return rows of an alignment with what says little as `MASKED`.

    Coiled coils of the first row, the query, stay: where no other row says anything its columns then score as the
    query alone does.

    Parameters
    ----------
    codes : ndarray, shape=(n, m), dtype=uint8
    low, coils : bool
        Whether stretches of low complexity, and of coiled coils, are masked.
    """
    masked = codes.copy()
    if alphabet.name != PROTEIN.name:
        return masked
    row, column = np.nonzero(codes < DELETION)
    residues, starts = codes[row, column], np.searchsorted(row, np.arange(len(codes) + 1))
    hidden = np.zeros(len(residues), dtype=bool)
    if low:
        hidden |= _low_complexity(residues, starts)
    if coils:
        hidden[starts[1] :] |= coiled_coils(residues[starts[1] :], starts[1:] - starts[1])
    masked[row[hidden], column[hidden]] = MASKED
    return masked


def coiled_coils(residues: _Codes, starts: NDArray[np.int64], least: float = 0.5) -> _Bools:
    """Return a mask of the residues of some sequences that lie in a window that is a coiled coil.

    Parameters
    ----------
    residues : ndarray, shape=(n,), dtype=uint8
        One sequence behind the other.
    starts : ndarray, shape=(k + 1,)
        Where each begins; the last is n.
    least : float
        Probability from which a window is one.

    Returns
    -------
    ndarray, shape=(n,), dtype=bool
    """
    known = residues < len(HEPTADS)
    place = np.arange(len(residues))
    which = np.where(known, residues, 0)
    first = _windows(starts, WINDOW)
    score = np.full(len(first), -math.inf)
    for frame in range(_HEPTAD):  # of windows that begin here, the first residue is at position a
        each = np.where(known, HEPTADS[which, (place - frame) % _HEPTAD], 0.0)
        sums, counts = (np.concatenate([[0.0], np.cumsum(values)]) for values in (each, known))
        own = first % _HEPTAD == frame
        begin = first[own]
        total = np.maximum(counts[begin + WINDOW] - counts[begin], 1)
        score[own] = (sums[begin + WINDOW] - sums[begin]) / total
    return _covered(first[np.exp(score) >= coil_score(least)], WINDOW, len(residues))


def _low_complexity(residues: _Codes, starts: NDArray[np.int64]) -> _Bools:
    """Return a mask of the residues that SEG finds; sequences without a window where it could begin are skipped."""
    settings = SegSettings()
    plain = len(HEPTADS)
    first = _windows(starts, settings.window)
    below = np.zeros((len(residues) + 1, plain), dtype=np.int16)
    np.cumsum(residues[:, np.newaxis] == np.arange(plain), axis=0, out=below[1:])
    counts = below[first + settings.window] - below[first]
    table = np.array([0.0] + [c * math.log2(c) for c in range(1, settings.window + 1)])
    total = np.maximum(counts.sum(axis=1), 1)
    begins = first[np.log2(total) - table[counts].sum(axis=1) / total <= settings.low + 1e-6]
    hidden = np.zeros(len(residues), dtype=bool)
    for sequence in np.unique(np.searchsorted(starts, begins, side="right") - 1).tolist():
        start, end = int(starts[sequence]), int(starts[sequence + 1])
        for left, right in seg(residues[start:end]):
            hidden[start + left : start + right] = True
    return hidden


def _windows(starts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return where windows of a size begin that lie in one sequence."""
    counts = np.maximum(np.diff(starts) - size + 1, 0)
    ahead = np.cumsum(counts) - counts
    return np.asarray(np.arange(counts.sum()) - np.repeat(ahead - starts[:-1], counts))


def _covered(first: NDArray[np.int64], size: int, length: int) -> _Bools:
    """Return a mask of the places that lie in windows."""
    change = np.zeros(length + 1, dtype=np.int64)
    np.add.at(change, first, 1)
    np.subtract.at(change, first + size, 1)
    return np.asarray(np.cumsum(change[:-1]) > 0)


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
