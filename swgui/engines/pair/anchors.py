"""A score that a pair is sure to reach, found quickly from words that both sequences have once.

The words that occur once in either sequence and are in the same order in both form a chain: pairs along the diagonal,
then one gap to the next diagonal at the place of least cost. That is an alignment, seldom the best one, and its score
is a bound: parts of the matrix that cannot reach it need no computation. For unrelated sequences the bound is useless.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.pair.problem import PairMode, PairProblem
from swgui.core.plain import replace
from swgui.engines.pair.tuning import TUNING

_LONGEST_WORD: Final = 16  # nucleotides, or half as many symbols of other alphabets
_MIXER: Final = 0x9E37_79B9_7F4A_7C15


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """An alignment of words that both sequences have, as stretches of pairs with gaps between them."""

    score: int  # of the alignment, in the requested mode
    # rows, columns, lengths: where each stretch begins in query and subject, ascending, and its pairs, shape
    # (stretches,)
    rows: NDArray[np.int64] = field(repr=False)
    columns: NDArray[np.int64] = field(repr=False)
    lengths: NDArray[np.int64] = field(repr=False)
    # Sum of the alignment before each pair, and behind the last, shape (pairs + 1,).
    sums: NDArray[np.int64] = field(repr=False)

    @property
    def first(self) -> NDArray[np.int64]:
        """Number of the first pair of each stretch; shape=(stretches,)."""
        return np.cumsum(self.lengths) - self.lengths

    def backward(self, rows: int, columns: int) -> Chain:
        """Return the same alignment of both sequences from their ends, given their lengths."""
        return Chain(
            self.score,
            rows - (self.rows + self.lengths)[::-1],
            columns - (self.columns + self.lengths)[::-1],
            self.lengths[::-1],
            self.sums[-1] - self.sums[::-1],
        )

    def ahead(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rest of the alignment from some rows on.

        Returns
        -------
        columns : ndarray, shape=(n,), dtype=int64
            Which column each row is paired with; -1 if with none.
        scores : ndarray, shape=(n,), dtype=int64
            The most that the alignment earns from that pair on.
        """
        paired, columns, pairs = self._pairs(rows)
        most = np.maximum.accumulate(self.sums[::-1])[::-1]
        return np.where(paired, columns, -1), most[pairs] - self.sums[pairs]

    def behind(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rest of the alignment behind the pairs of some rows, if it is highest there.

        Returns
        -------
        columns : ndarray, shape=(n,), dtype=int64
            Which column each row is paired with; -1 if with none, or if the sum is never as high again as before.
        scores : ndarray, shape=(n,), dtype=int64
            What the highest sum of all exceeds that behind the pair by.
        """
        paired, columns, pairs = self._pairs(rows)
        last = len(self.sums) - 1 - int(np.argmax(self.sums[::-1]))
        behind = np.minimum(pairs + 1, last)
        return np.where(paired & (pairs < last), columns, -1), self.sums[last] - self.sums[behind]

    def _pairs(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64]]:
        """Return a mask of paired rows, their columns, and the numbers of the pairs."""
        stretch = np.maximum(np.searchsorted(self.rows, rows, side="right") - 1, 0)
        inside = rows - self.rows[stretch]
        paired = (inside >= 0) & (inside < self.lengths[stretch])
        return paired, self.columns[stretch] + inside, np.where(paired, self.first[stretch] + inside, 0)


def find_chain(pair: PairProblem) -> Chain | None:
    """Return an alignment that begins and ends as the mode demands; None if no word is common.

    Parameters
    ----------
    pair : PairProblem
        Its query without a profile, and no pair excluded.
    """
    query, subject, scheme = pair.query.codes, pair.subject, pair.scheme
    rows, columns = _ascending(*_common(query, subject, bool(scheme.alphabet.complements)))
    if not len(rows):
        return None
    turns = np.flatnonzero(np.diff(columns - rows, prepend=columns[0] - rows[0] - 1))
    rows, columns = rows[turns], columns[turns]
    lead = min(int(rows[0]), int(columns[0]))
    rows[0] -= lead
    columns[0] -= lead
    chain = _string(pair, rows, columns)
    sums = chain.sums
    if pair.mode is PairMode.LOCAL:
        return replace(chain, score=int((sums - np.minimum.accumulate(sums)).max()))
    score = int(sums[-1])
    if pair.mode is PairMode.GLOBAL:
        ends = chain.rows[-1] + chain.lengths[-1], chain.columns[-1] + chain.lengths[-1]
        behind = abs(len(query) - int(ends[0]) - len(subject) + int(ends[1]))
        score -= scheme.gap_cost(abs(int(rows[0]) - int(columns[0]))) + scheme.gap_cost(behind)
    return replace(chain, score=score)


def _string(pair: PairProblem, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Chain:
    """Go along the diagonal from each place, over to the next one where it is best, and from the last to an edge."""
    row_steps, column_steps = np.diff(rows, append=len(pair.query)), np.diff(columns, append=len(pair.subject))
    steps = np.minimum(row_steps, column_steps)
    row_steps[-1] = column_steps[-1] = steps[-1]  # there is no next diagonal
    first = np.cumsum(steps) - steps
    own = _pair_scores(pair, rows, columns, steps)
    other = _pair_scores(pair, rows + row_steps - steps, columns + column_steps - steps, steps)
    # Gain of a change at this place or later: the highest such sum.
    gained = np.concatenate([[0], np.cumsum(own - other, dtype=np.int64)])
    highest = np.maximum(np.maximum.reduceat(gained[:-1], first), gained[first + steps])
    over = np.append(np.flatnonzero(gained[:-1] == np.repeat(highest, steps)), len(own))
    before = np.minimum(over[np.searchsorted(over, first)], first + steps) - first  # pairs before it changes over
    behind = steps - before
    on_first = np.repeat(np.tile([True, False], len(steps)), np.stack([before, behind], axis=1).ravel())
    scores = np.where(on_first, own, other).astype(np.int64)
    longer = np.abs(row_steps - column_steps)
    jumps = np.flatnonzero(longer)
    gaps = pair.scheme.gap_first + (longer[jumps] - 1) * pair.scheme.gap_extend
    np.subtract.at(scores, first[jumps] + before[jumps], gaps)
    back = np.concatenate([[0], behind[:-1]])  # of each diagonal, the sum lost before its place
    lengths = back + before
    lengths[-1] += behind[-1]
    used = lengths > 0
    sums = np.concatenate([[0], np.cumsum(scores)])
    return Chain(0, (rows - back)[used], (columns - back)[used], lengths[used], sums)


def _pair_scores(
    pair: PairProblem, rows: NDArray[np.int64], columns: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Return the scores of all pairs of some stretches, concatenated."""
    stretches = [stretch.tolist() for stretch in (rows, columns, lengths)]
    query, subject, table = pair.query.codes, pair.subject, pair.scheme.matrix.scores
    of_query = np.concatenate([query[row : row + length] for row, _, length in zip(*stretches, strict=True)])
    of_subject = np.concatenate([subject[start : start + length] for _, start, length in zip(*stretches, strict=True)])
    index = of_query.astype(np.uint16) * np.uint16(table.shape[1]) + of_subject
    scores: NDArray[np.int32] = table.astype(np.int32).ravel()[index]
    return scores


def _packed(codes: NDArray[np.uint8], nucleotides: bool) -> NDArray[np.unsignedinteger]:
    """Return a number for every word of a sequence; words of odd symbols may share theirs with others."""
    words: NDArray[np.unsignedinteger] = codes & np.uint8(3) if nucleotides else codes.astype(np.uint64)
    length, bits = 1, 2 if nucleotides else 8
    while length * (1 if nucleotides else 2) < _LONGEST_WORD:
        if nucleotides and 2 * length * bits > 8:
            words = words.astype(f"u{length * bits // 4}")
        count = len(words) - length
        words = words[:count] << words.dtype.type(length * bits) | words[length:]
        length *= 2
    return words


def _words(
    codes: NDArray[np.uint8], nucleotides: bool, share: int
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int64]]:
    """Return the words that occur once, ascending, and where; of many only one in `share`, the same in any sequence."""
    if len(codes) < _LONGEST_WORD:
        return np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int64)
    words = _packed(codes, nucleotides)
    if share == 1:
        places = np.arange(len(words))
    else:
        bits = 8 * words.itemsize
        mixed = words * words.dtype.type(_MIXER >> (64 - bits) | 1)
        places = np.flatnonzero(mixed < words.dtype.type((1 << bits) // share))
        words = words[places]
    order = np.argsort(words, kind="stable")
    words = words[order]
    differs = np.concatenate([[True], words[1:] != words[:-1], [True]])
    once = differs[1:] & differs[:-1]
    return words[once], places[order[once]]


def _common(
    query: NDArray[np.uint8], subject: NDArray[np.uint8], nucleotides: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of words that both have once, in the order of the query; along a diagonal not all of them."""
    share = max(1, min(len(query), len(subject)) // TUNING.sampled_words)
    (of_query, rows), (of_subject, columns) = (_words(codes, nucleotides, share) for codes in (query, subject))
    _, in_query, in_subject = np.intersect1d(of_query, of_subject, assume_unique=True, return_indices=True)
    rows, columns = rows[in_query], columns[in_subject]
    order = np.argsort(rows, kind="stable")
    rows, columns = rows[order], columns[order]
    diagonal = columns - rows
    keep = np.arange(len(rows)) % TUNING.thinned == 0
    keep[1:] |= diagonal[1:] != diagonal[:-1]
    return rows[keep], columns[keep]


def _ascending(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return a longest subsequence of which the columns ascend, too (patience sorting)."""
    ends: list[int] = []  # smallest last column of a subsequence of each length
    places: list[int] = []  # and its place
    before = [0] * len(columns)
    for place, column in enumerate(columns.tolist()):
        length = bisect_left(ends, column)
        if length == len(ends):
            ends.append(column)
            places.append(place)
        else:
            ends[length], places[length] = column, place
        before[place] = places[length - 1] if length else -1
    chosen = []
    place = places[-1] if places else -1
    while place >= 0:
        chosen.append(place)
        place = before[place]
    picked = np.array(chosen[::-1], dtype=np.int64)
    return rows[picked], columns[picked]
