"""Scores as they come from engines, the best of them, and sets of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.ranges import range_offsets

_Kind = TypeVar("_Kind", bound=np.generic)
Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
Scored = tuple[NDArray[np.int32], NDArray[np.int64]]  # scores of subjects, and their source indices, shape (k,)
_LOWEST: Final = int(np.iinfo(np.int32).min)
_NO_RANGES: Final = np.zeros((3, 0), dtype=np.int64)
_NOTHING: Final[Scored] = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int64)


class WindowScores(msgspec.Struct, frozen=True, eq=False):
    """Scores of windows of long subjects: the best score of each, where any alignment lies wholly in one window."""

    db_index: int  # source index of the subject
    # starts, stops: half-open ranges of its residues, ascending; those that follow each other overlap, shape (k,)
    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    scores: NDArray[np.int32]  # shape (k,)
    # Above 0 if they were narrowed to the alignments with this score or more, and none of them overlap.
    least: int = 0
    # ends, begins: of those: where such alignments end, and begin: first residues or codons, those behind the last,
    # and the best score of one that ends, or begins, there; ascending, shape (3, n)
    ends: NDArray[np.int64] = msgspec.field(default_factory=lambda: _NO_RANGES)
    begins: NDArray[np.int64] = msgspec.field(default_factory=lambda: _NO_RANGES)

    def known(self, least: int) -> bool:
        """Return True if they hold all alignments with a score; narrowed ones lack lower scores than before."""
        return self.least <= least

    def boxes(self, least: int) -> bool:
        """Return True if they were narrowed to the alignments with a score."""
        return 0 < self.least <= least


def joined(windows: Sequence[WindowScores]) -> Columns:
    """Return windows of several subjects as columns: the place of each among `windows`, starts, stops and scores."""
    nothing = np.zeros(0, dtype=np.int64)
    of = np.repeat(np.arange(len(windows)), [len(one.scores) for one in windows])
    columns = ([one.starts for one in windows], [one.stops for one in windows], [one.scores for one in windows])
    starts, stops, scores = (np.concatenate([nothing, *column], dtype=np.int64) for column in columns)
    return of, starts, stops, scores


def reaching(windows: Sequence[WindowScores], least: NDArray[np.int64]) -> Columns:
    """Return those windows of `joined` that have the least score of their subject, shape (k,), or more."""
    of, starts, stops, scores = joined(windows)
    enough = np.flatnonzero(scores >= least[of])
    return of[enough], starts[enough], stops[enough], scores[enough]


def highest(windows: Sequence[WindowScores]) -> NDArray[np.int64]:
    """Return the best score of the windows of each of some subjects, shape (k,); 0 without any above it."""
    scores = [one.scores for one in windows]
    best = np.zeros(len(windows), dtype=np.int64)
    some = np.flatnonzero(np.array([len(own) for own in scores], dtype=np.int64))
    if len(some):
        first = range_offsets([len(own) for own in scores])[some]
        best[some] = np.maximum(np.maximum.reduceat(np.concatenate(scores), first), 0)
    return best


class StrandScores(msgspec.Struct, frozen=True, eq=False):
    """Scores of some subjects in every strand or reading of the search."""

    strands: tuple[int, ...]
    db_index: NDArray[np.int64]  # source index of each subject, ascending, shape (k,)
    # Below 0 where a strand was not scored; without score vectors one too low for the list may be the highest such
    # score instead of its own, shape (len(strands), k).
    scores: NDArray[np.int32]

    def of(self, db_index: NDArray[np.int64]) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        """Return a mask of subjects among these, and their scores in every strand, shape (len(strands), n).

        Parameters
        ----------
        db_index : ndarray, shape=(n,), dtype=int64
        """
        if not len(self.db_index):
            return np.zeros(len(db_index), dtype=np.bool_), np.zeros((len(self.strands), len(db_index)), dtype=np.int32)
        place = np.minimum(np.searchsorted(self.db_index, db_index), len(self.db_index) - 1)
        return self.db_index[place] == db_index, self.scores[:, place]


class ChunkScores(msgspec.Struct, frozen=True, eq=False):
    """Exact scores of one query against some subjects."""

    query_index: int  # position in the list of queries given to the engine
    db_index: NDArray[np.int64]  # source index of each subject, shape (n,)
    scores: NDArray[np.int32]  # shape (n,)
    cells: int  # query length x residues of these subjects
    rescored: int = 0  # subjects that overflowed the fast arithmetic and were scored again in 32 bits
    device: str = ""  # name of the device that scored them
    seconds: float = 0.0  # time the device computed, without waiting and transfers
    windows: tuple[WindowScores, ...] = ()  # of long subjects, where an engine scores them so
    # Storage positions that were scored, where only their best subjects are here; None where all of them are.
    best_of: tuple[int, int] | None = None
    stored: tuple[int, int] | None = None  # storage positions of the subjects, where these are all between two


class TopHits:
    """The best `limit` subjects of one query: score descending, then source index ascending.

    `update` may be called in any order and grouping; the outcome is the same. Subjects are sorted on access, or when so
    many wait that memory would grow.

    Parameters
    ----------
    least : int, optional
        Subjects with lower scores are left out.

    Attributes
    ----------
    least : int
        No subject below this score is among the best.
    """

    def __init__(self, limit: int, least: int = _LOWEST) -> None:
        if limit < 0:
            raise ValueError(f"A list of {limit} hits cannot be kept.")
        self.limit, self.least, self._cut = limit, least, False
        # Sorted subjects and those offered since; one object, so that two threads may read at the same time.
        self._state: tuple[Scored, list[Scored]] = _NOTHING, []
        self._waiting = 0

    @property
    def scores(self) -> NDArray[np.int32]:
        """Scores of the best subjects, shape (k,)."""
        return self._ordered()[0]

    @property
    def db_index(self) -> NDArray[np.int64]:
        """Source indices of the best subjects, shape (k,)."""
        return self._ordered()[1]

    def unordered(self) -> Scored:
        """Return scores and source indices of the best subjects in any order, which saves sorting them."""
        best, offered = self._state
        if not offered or len(best[0]) + self._waiting > self.limit:
            return self._ordered()
        if len(offered) == 1 and not len(best[0]):
            return offered[0]
        scores, db_index = (np.concatenate(columns) for columns in zip(best, *offered, strict=True))
        return scores, db_index

    @property
    def is_cut(self) -> bool:
        """Whether there were more than `limit`."""
        self._ordered()
        return self._cut

    @property
    def held(self) -> int:
        """Number of scores in memory: the best ones, and those offered since they were last sorted."""
        best, offered = self._state
        return len(best[0]) + sum(len(scores) for scores, _ in offered)

    def __len__(self) -> int:
        return len(self.scores)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, TopHits)
            and self.limit == other.limit
            and bool(np.array_equal(self.scores, other.scores))
            and bool(np.array_equal(self.db_index, other.db_index))
        )

    __hash__ = None  # type: ignore[assignment]

    def update(self, scores: NDArray[np.int32], db_index: NDArray[np.int64]) -> None:
        """Offer subjects, each at most once in the life of the list.

        Parameters
        ----------
        scores : ndarray, shape=(n,), dtype=int32
        db_index : ndarray, shape=(n,), dtype=int64
        """
        if self.least == _LOWEST and len(scores) > self.limit > 0:
            self.least = int(np.partition(scores, len(scores) - self.limit)[len(scores) - self.limit])
            self._cut = True
        better = np.flatnonzero(scores >= self.least)  # a tie may still win by its index
        self.take(scores[better], db_index[better])

    def take(self, scores: NDArray[np.int32], db_index: NDArray[np.int64]) -> None:
        """Do as `update` with subjects that have the least score, or more; the arrays are kept."""
        if len(scores):
            self._state[1].append((scores, db_index))
            self._waiting += len(scores)
        if self._waiting > self.limit // 2:
            self._ordered()

    def _ordered(self) -> Scored:
        """Return scores and indices of the best, in order."""
        best, offered = self._state
        if not offered:
            return best
        scores, db_index = (np.concatenate(columns) for columns in zip(best, *offered, strict=True))
        ranked = best_indices(scores, db_index, self.limit)
        self._cut |= len(ranked) < len(scores)
        best = scores[ranked], db_index[ranked]
        self._state, self._waiting = (best, []), 0
        if len(ranked) == self.limit > 0:
            self.least = int(best[0][-1])
        return best


class Gathering:
    """Takes in the scores of several chunks at a time; this form by NumPy."""

    def at_least(self, chunks: Sequence[Scored], least: Sequence[int]) -> list[Scored]:
        """Return the subjects of each chunk with a least score, one for each chunk, or more."""
        found = [np.flatnonzero(scores >= bound) for (scores, _), bound in zip(chunks, least, strict=True)]
        return [(scores[some], db_index[some]) for (scores, db_index), some in zip(chunks, found, strict=True)]

    def put(self, chunks: Sequence[Scored], targets: Sequence[NDArray[np.int32]]) -> None:
        """Put the scores of each chunk in their places in a row, its target, shape (N,)."""
        for (scores, db_index), target in zip(chunks, targets, strict=True):
            target[db_index] = scores


def best_indices(scores: NDArray[np.int32], db_index: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return positions of the best `limit` entries: score descending, then `db_index` ascending.

    Only the entries that can be among the best are sorted. Both arrays have the shape (n,).
    """
    candidates = np.arange(len(scores), dtype=np.int64)
    if 0 < limit < len(scores):
        threshold = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        candidates = np.flatnonzero(scores >= threshold)
    ranked = np.lexsort((db_index[candidates], -scores[candidates].astype(np.int64)))
    return candidates[ranked[:limit]]


def among(values: NDArray[_Kind], some: NDArray[_Kind]) -> NDArray[np.bool_]:
    """Return a mask of the values that are among some; shape of `values`.

    `numpy.isin` and `numpy.unique` load masked arrays when they are first called, which takes 11 ms.
    """
    if not len(some):
        return np.zeros(len(values), dtype=np.bool_)
    ascending = np.sort(some)
    return np.asarray(ascending[np.minimum(np.searchsorted(ascending, values), len(ascending) - 1)] == values)


def distinct(values: NDArray[_Kind]) -> NDArray[_Kind]:
    """Return the different values of an array of shape (n,), ascending; unlike `np.unique` it imports nothing."""
    ascending = np.sort(values)
    first = np.ones(len(ascending), dtype=np.bool_)
    first[1:] = ascending[1:] != ascending[:-1]
    return ascending[first]
