"""Which pairs of a comparison are kept: the law of E by published statistics, and what every law knows of the sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault
from swgui.core.hits.scores import ChunkScores, distinct
from swgui.core.network.edges import Edges
from swgui.io.saved.log import Arrays
from swgui.jobs.network.aligning import Candidates
from swgui.jobs.network.all_against_all import AllAgainstAll

BINS: Final = 64  # of lengths: the lowest score within the limit is looked up for each pair of bins
HIGHEST: Final = 1 << 20  # highest score tried for a limit

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]
Scored = tuple[_Ints, NDArray[np.int32]]  # subjects and their scores


class Law(Protocol):
    """Which pairs are kept, by their scores.

    The queries of a block are of the first set (side 0), their subjects of the second; or the other way round (side 1).
    """

    def near(self, side: int, query: int, chunk: ChunkScores) -> Scored:
        """Return the subjects that may be kept with a query, and their scores."""
        ...

    def kept(self, side: int, near: Candidates, check: Check) -> tuple[Candidates, _Floats]:
        """Return the pairs of a block that are kept, of the first set and the second, and the logarithm of their E.

        Parameters
        ----------
        near : Candidates
            Of queries with subjects.
        """
        ...

    def edges(self, columns: Arrays) -> Edges:
        """Return pairs that were kept by an earlier run, without E."""
        ...


class Sets:
    """The sets of a comparison as laws see them: in the order of storage, and which sequences are identical."""

    def __init__(self, asked: AllAgainstAll) -> None:
        self._asked, self._log10 = asked, float(np.log10(asked.evalue))
        self._of = asked.queries, asked.subjects
        self._lengths = tuple(one.lengths.astype(np.int64) for one in self._of)
        self._order = tuple(np.asarray(one.order, dtype=np.int64) for one in self._of)
        self._same = identical(asked)
        self._same_stored = tuple(same[order] for same, order in zip(self._same, self._order, strict=True))
        if asked.one_set:
            self._repeated = (_repeated(self._same[0]),) * 2
        else:
            self._repeated = np.isin(*self._same), np.isin(*self._same[::-1])

    def stored(self, side: int, chunk: ChunkScores) -> tuple[int, NDArray[np.int32]]:
        """Return where the subjects of a chunk are stored consecutively, and their scores."""
        subjects, order = self._of[1 - side], self._order[1 - side]
        db_index, scores = np.asarray(chunk.db_index), np.asarray(chunk.scores)
        begin = int(subjects.position[db_index[0]]) if len(db_index) else 0
        if not np.array_equal(db_index, order[begin : begin + len(db_index)]):
            raise EngineFault("Scores of subjects that are not consecutive came back.")
        return begin, scores

    def chosen(self, side: int, query: int, begin: int, scores: NDArray[np.int32], near: NDArray[np.bool_]) -> Scored:
        """Return the subjects of a chunk that are near a query, and those identical with it; their scores."""
        subjects = 1 - side
        if self._repeated[side][query]:
            near = near | (self._same_stored[subjects][begin : begin + len(scores)] == self._same[side][query])
        rows = np.flatnonzero(near)
        return self._order[subjects][begin + rows], scores[rows]


class PublishedE(Sets):
    """Pairs within an E by published statistics.

    E is looked up in bins of lengths first, the same for both sets. With the finite-size correction it is an area that
    grows with both lengths, over the shorter length: the area of the shortest sequences of two bins, over the longest
    length of the lower bin, is not above that of any other of them. With effective lengths only the longer one matters.
    """

    def __init__(self, asked: AllAgainstAll) -> None:
        super().__init__(asked)
        self._at_zero = lru_cache(maxsize=None)(self._classic_at_zero)
        self._from, self._longest, (self._query_bin, bins) = _bins(self._lengths)
        bin_of_stored = bins[self._order[1]]
        least = self._least_scores()  # once: threads that score would all compute them
        self._least: Callable[[int], NDArray[np.int32]]
        self._least = lru_cache(maxsize=None)(lambda query_bin: least[query_bin][bin_of_stored])

    def _classic_at_zero(self, longer: int) -> float:
        """Return the decadic logarithm of E of score 0 by effective lengths."""
        return float(self._asked.statistics.log10_evalues([0], longer, [1], *self._asked.search_space)[0])

    def _evalues(self, longer: _Ints, shorter: _Ints, scores: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the decadic logarithm of E of pairs, by the lengths of the longer sequence and of the shorter one."""
        statistics, space = self._asked.statistics, self._asked.search_space
        if statistics.gumbel is not None:
            return statistics.log10_evalues(scores, longer, shorter, *space)
        lengths, of = np.unique(longer, return_inverse=True)
        at_zero = np.array([self._at_zero(length) for length in lengths.tolist()])
        return at_zero[of] + self._below_zero(scores)

    def _below_zero(self, scores: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the reduction of the logarithm of E by effective lengths, for scores."""
        space = self._asked.search_space
        return self._asked.statistics.log10_evalues(scores, 1, np.ones(len(scores)), *space) - self._at_zero(1)

    @cached_property
    def _lowest_at_zero(self) -> NDArray[np.float64]:
        """The lowest E of score 0 by effective lengths of each bin, which need not be that of its shortest sequence."""
        lengths = distinct(np.concatenate(self._lengths))
        lowest = np.full(len(self._from), np.inf)
        bins = np.maximum(np.searchsorted(self._from, lengths, side="right") - 1, 0)
        np.minimum.at(lowest, bins, np.array([self._at_zero(length) for length in lengths.tolist()]))
        return lowest

    def _lower_bound(self, longer: _Ints, shorter: _Ints, scores: _Ints) -> NDArray[np.float64]:
        """Return lower limits of E of pairs, by the bins of their lengths."""
        if self._asked.statistics.gumbel is None:
            return self._lowest_at_zero[longer] + self._below_zero(scores)
        ratio = np.log10(self._longest[shorter] / self._from[shorter])
        return self._evalues(self._from[longer], self._from[shorter], scores) - ratio

    def _least_scores(self) -> NDArray[np.int32]:
        """Return the score of each two bins below which no pair is within the limit, shape (bins, bins), by halving."""
        bins = len(self._from)
        a, b = (ends.ravel() for ends in np.indices((bins, bins)))
        longer, shorter = np.maximum(a, b), np.minimum(a, b)
        low, high = np.zeros(len(a), np.int64), np.full(len(a), HIGHEST, np.int64)
        while (high - low > 1).any():
            middle = (low + high) // 2
            within = self._lower_bound(longer, shorter, middle) <= self._log10
            low, high = np.where(within, low, middle), np.where(within, middle, high)
        return high.astype(np.int32).reshape(bins, bins)

    def near(self, side: int, query: int, chunk: ChunkScores) -> Scored:
        """Return as of `Law`; of one set those stored behind the query."""
        begin, scores = self.stored(side, chunk)
        end = begin + len(scores)
        if self._asked.one_set:
            behind = min(max(begin, int(self._of[0].position[query]) + 1), end)
            begin, scores = behind, scores[behind - begin :]
        least = self._least(int(self._query_bin[query]))[begin:end]
        return self.chosen(side, query, begin, scores, scores >= least)

    def kept(self, side: int, near: Candidates, check: Check) -> tuple[Candidates, _Floats]:
        """Return as of `Law`."""
        log10 = self._pairs_evalues(near.first, near.second, near.scores)
        same = self._same[0][near.first] == self._same[1][near.second]
        rows = np.flatnonzero((same | (log10 <= self._log10)) & (near.scores > 0))
        return near.take(rows), log10[rows]

    def edges(self, columns: Arrays) -> Edges:
        """Return as of `Law`."""
        first, second = columns["first"].astype(np.int64), columns["second"].astype(np.int64)
        return Edges(log10_evalues=self._pairs_evalues(first, second, columns["scores"]), **columns)

    def _pairs_evalues(self, first: _Ints, second: _Ints, scores: NDArray[np.integer]) -> NDArray[np.float64]:
        lengths = self._lengths[0][first], self._lengths[1][second]
        return self._evalues(np.maximum(*lengths), np.minimum(*lengths), scores)


def _bins(lengths: tuple[_Ints, ...]) -> tuple[_Ints, _Ints, tuple[NDArray[np.uint8], ...]]:
    """Return the shortest and the longest length of each of some bins, and the bins of the lengths of each set."""
    every = np.concatenate(lengths)
    shortest, longest = max(int(every.min(initial=1 << 40)), 1), max(int(every.max(initial=1)), 1)
    first = distinct(np.floor(np.geomspace(min(shortest, longest), longest, BINS)).astype(np.int64))
    of_each = tuple(np.maximum(np.searchsorted(first, one, side="right") - 1, 0).astype(np.uint8) for one in lengths)
    return first, np.append(first[1:] - 1, longest), of_each


def identical(asked: AllAgainstAll) -> tuple[_Ints, _Ints]:
    """Return a number for each sequence of two sets, the same for those with the same residues.

    Where both strands are compared, reverse complements have the same number, too.
    """
    numbers: dict[bytes, int] = {}
    turned = asked.scheme.alphabet.reverse_complement if len(asked.strands) > 1 else None

    def content(codes: NDArray[np.uint8]) -> bytes:
        if turned is None:
            return codes.tobytes()
        other = turned(codes)
        return min(other.tobytes(), turned(other).tobytes())  # twice, as a T comes back of U

    def of(database: EncodedDatabase) -> Iterator[int]:
        for index in range(len(database)):
            yield numbers.setdefault(content(database.subject(index)), len(numbers))

    own = np.fromiter(of(asked.queries), np.int64, len(asked.queries))
    return own, own if asked.one_set else np.fromiter(of(asked.subjects), np.int64, len(asked.subjects))


def _repeated(numbers: _Ints) -> NDArray[np.bool_]:
    """Return which of some numbers occur more than once, shape as `numbers`."""
    return np.bincount(numbers)[numbers] > 1 if len(numbers) else np.zeros(0, dtype=np.bool_)
