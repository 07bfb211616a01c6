"""A score that a pair is sure to reach, found quickly from words that both sequences have once.

The words that occur once in either sequence and are in the same order in both are strung together: pairs along the
diagonal, then one gap to the next diagonal. That is an alignment, seldom the best one, and its score is a bound: parts
of the matrix that cannot reach it need not be computed. For unrelated sequences it says nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.pair.problem import PairMode
from swgui.engines.pair.problem import Problem

_BITS: Final = 60
_LONGEST_WORD: Final = 15
_THINNED: Final = 8  # of words that overlap along a diagonal every eighth is enough


def lower_bound(problem: Problem, query: NDArray[np.uint8], subject: NDArray[np.uint8], mode: PairMode) -> int | None:
    """Return a score that the best alignment has at least; None if no word is common.

    Parameters
    ----------
    problem : Problem
        Without forbidden pairs.
    query, subject : ndarray, dtype=uint8
        As codes.
    mode : PairMode
    """
    symbols = problem.table.shape[1]
    bits = max(1, (symbols - 1).bit_length())
    word = min(_LONGEST_WORD, _BITS // bits)
    rows, columns = _chain(*_common(query, subject, word, bits))
    if not len(rows):
        return None
    h, w = problem.shape
    lead, tail = min(int(rows[0]), int(columns[0])), min(h - int(rows[-1]), w - int(columns[-1]))
    row_steps, column_steps = np.diff(rows), np.diff(columns)
    lengths = np.concatenate([[lead], np.minimum(row_steps, column_steps), [tail]])
    starts_row = np.concatenate([[rows[0] - lead], rows])
    starts_column = np.concatenate([[columns[0] - lead], columns])
    first = np.cumsum(lengths) - lengths  # place of the first pair of each piece
    inside = np.arange(int(lengths.sum())) - np.repeat(first, lengths)
    scores = problem.pair_scores(
        np.repeat(starts_row, lengths) + inside, np.repeat(starts_column, lengths) + inside
    ).astype(np.int64)
    gaps = np.abs(row_steps - column_steps)
    costs = np.where(gaps > 0, problem.gap_first + (gaps - 1) * problem.gap_extend, 0)
    scores[first[2:]] -= costs  # every piece has a pair: the anchors ascend in both sequences
    sums = np.concatenate([[0], np.cumsum(scores)])
    if mode is PairMode.LOCAL:
        return int((sums - np.minimum.accumulate(sums)).max())
    if mode is PairMode.SEMIGLOBAL:
        return int(sums[-1])
    before = abs(int(rows[0]) - int(columns[0]))
    behind = abs((h - int(rows[-1])) - (w - int(columns[-1])))
    return int(sums[-1]) - problem.gap(before) - problem.gap(behind)


def _words(codes: NDArray[np.uint8], word: int, bits: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the words that occur once, ascending, and where."""
    count = len(codes) - word + 1
    if count < 1:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    words = np.zeros(count, dtype=np.int64)
    for offset in range(word):
        words <<= bits
        words |= codes[offset : offset + count]
    order = np.argsort(words, kind="stable")
    words = words[order]
    differs = np.concatenate([[True], words[1:] != words[:-1], [True]])
    once = differs[1:] & differs[:-1]
    return words[once], order[once]


def _common(
    query: NDArray[np.uint8], subject: NDArray[np.uint8], word: int, bits: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where words lie that both have once, in the order of the query; along a diagonal not all of them."""
    (of_query, rows), (of_subject, columns) = _words(query, word, bits), _words(subject, word, bits)
    _, in_query, in_subject = np.intersect1d(of_query, of_subject, assume_unique=True, return_indices=True)
    rows, columns = rows[in_query], columns[in_subject]
    order = np.argsort(rows, kind="stable")
    rows, columns = rows[order], columns[order]
    diagonal = columns - rows
    keep = np.ones(len(rows), dtype=bool)
    keep[1:] = (diagonal[1:] != diagonal[:-1]) | (np.arange(1, len(rows)) % _THINNED == 0)
    return rows[keep], columns[keep]


def _chain(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a longest subsequence of which the columns ascend, too (patience sorting)."""
    ends: list[int] = []  # smallest last column of a subsequence of each length
    at: list[int] = []  # and its place
    before = [0] * len(columns)
    for place, column in enumerate(columns.tolist()):
        length = bisect_left(ends, column)
        if length == len(ends):
            ends.append(column)
            at.append(place)
        else:
            ends[length], at[length] = column, place
        before[place] = at[length - 1] if length else -1
    chosen = []
    place = at[-1] if at else -1
    while place >= 0:
        chosen.append(place)
        place = before[place]
    picked = np.array(chosen[::-1], dtype=np.int64)
    return rows[picked], columns[picked]
