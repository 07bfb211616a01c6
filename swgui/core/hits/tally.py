"""The state of a search so far: best subjects, score vectors and counts."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.scores import ChunkScores, Gathering, StrandScores, TopHits, WindowScores, best_indices
from swgui.core.packing import ChunkPlan
from swgui.core.plain import replace

if TYPE_CHECKING:
    from swgui.core.statistics.counts import ScoreCounts

NOT_SCORED = -1  # in score vectors; exact local scores are never below zero
LATE_SUBJECTS: Final = 1_000_000  # up to so many the best of a score vector are computed on access
WAITING: Final = 1 << 18  # scores of chunks that wait for each other, at most
_BESIDE: Final = 5  # a score with its subject needs as much memory as so many in order
MAX_WINDOWS: Final = (
    20_000_000  # kept of long subjects, 20 bytes each; of those beyond it is not known where they score
)


class Stretches:
    """Whole numbers, as stretches that do not touch, in order."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._stops: list[int] = []

    def add(self, start: int, stop: int) -> None:
        """Take in those from a first one on, up to another."""
        first, last = bisect_left(self._stops, start), bisect_right(self._starts, stop)
        if first < last:
            start, stop = min(start, self._starts[first]), max(stop, self._stops[last - 1])
        self._starts[first:last], self._stops[first:last] = [start], [stop]

    def inside(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Return the stretches between two numbers, the second one excluded."""
        first, last = bisect_right(self._stops, start), bisect_left(self._starts, stop)
        edges = zip(self._starts[first:last], self._stops[first:last], strict=True)
        return [(max(one, start), min(other, stop)) for one, other in edges]


class Tally:
    """Collects the chunks of one run.

    A *row* is one sequence as engines see it; a nucleotide query searched on both strands has two.

    Parameters
    ----------
    subjects : int
        N, subjects of the database.
    top : int
        Best subjects kept per row.
    keep_scores : bool
        Keep every score: ``rows x N`` int32.
    position : callable, optional
        Returns the storage position of each subject, shape (N,), for chunks that do not say where theirs are stored;
        without it, and without scores, `unscored` does not know.
    least : sequence of int, optional
        Of each row a score below which no subject is looked at, where not every score is kept.
    gathering : Gathering, optional
        Takes in the scores of several chunks.
    """

    def __init__(
        self,
        rows: int,
        subjects: int,
        top: int,
        *,
        keep_scores: bool,
        position: Callable[[], NDArray[np.signedinteger[Any]]] | None = None,
        least: Sequence[int] | None = None,
        gathering: Gathering | None = None,
    ) -> None:
        self._subjects, self._gathering = subjects, gathering or Gathering()
        self._waiting: list[ChunkScores] = []  # chunks whose scores are not in their place yet
        self._scores_waiting = 0
        self._least = None if keep_scores else least
        self._top = (
            [TopHits(top) for _ in range(rows)] if self._least is None else [TopHits(top, n) for n in self._least]
        )
        self._lists_late = keep_scores and subjects <= LATE_SUBJECTS
        self._scores = np.empty((rows, subjects), dtype=np.int32) if keep_scores else None
        self._unset = set(range(rows if keep_scores else 0))  # rows of that table without any number so far
        self._position = position
        self._done = [Stretches() for _ in range(rows)]  # storage positions, but those of
        self._scattered = [False] * rows  # whose chunks do not say where they are stored
        self._lock = threading.Lock()  # threads that score read the state
        self.counts: list[ScoreCounts] = []  # of each query, where they are to be counted
        self.of_each_strand = True  # or other strands than the better one of a subject may have more than is known
        self.scored = np.zeros(rows, dtype=np.int64)
        self.cells = 0
        self.rescored = 0
        self.windows: list[dict[int, WindowScores]] = [{} for _ in range(rows)]
        self._room_for_windows = MAX_WINDOWS
        self.device_cells: dict[str, int] = {}
        self.device_seconds: dict[str, float] = {}

    @property
    def keeps_scores(self) -> bool:
        """Whether every score is kept."""
        return self._scores is not None

    @property
    def scores(self) -> NDArray[np.int32] | None:
        """Every score, shape (rows, N); `NOT_SCORED` where there is none so far. None unless they are kept."""
        with self._lock:
            self._take_in()
            for row in sorted(self._unset):
                self._row(row)
        return self._scores

    def vector(self, row: int) -> NDArray[np.int32]:
        """Return every score of a row, where they are kept, shape (N,); `NOT_SCORED` where there is none so far."""
        with self._lock:
            self._take_in()
            return self._row(row)

    def _row(self, row: int) -> NDArray[np.int32]:
        """Return the place of the scores of a row."""
        assert self._scores is not None
        vector: NDArray[np.int32] = self._scores[row]
        if row in self._unset:
            vector.fill(NOT_SCORED)
            self._unset.discard(row)
        return vector

    def add(self, chunk: ChunkScores) -> None:
        """Take in one chunk; each (row, subject) may come once."""
        row, count = chunk.query_index, len(chunk.db_index)
        if self.counts and chunk.best_of is None:
            query, strand = divmod(row, len(self._top) // len(self.counts))
            self.counts[query].add(strand, chunk.scores, chunk.db_index)
        if not self._lists_late and self._least is None:
            self._top[row].update(chunk.scores, chunk.db_index)
        stored = chunk.best_of or chunk.stored
        asked = stored is None and self._scores is None and self._position is not None and count > 0
        with self._lock:
            for start, stop in self._runs(chunk.db_index) if asked else (() if stored is None else (stored,)):
                self._done[row].add(start, stop)
            if stored is None and not asked and count > 0:
                self._scattered[row] = True
            if self._scores is not None or self._least is not None:
                self._waiting.append(chunk)
                self._scores_waiting += count
                if self._scores_waiting > WAITING:
                    self._take_in()
        self.scored[row] += count if chunk.best_of is None else chunk.best_of[1] - chunk.best_of[0]
        self.cells += chunk.cells
        self.rescored += chunk.rescored
        for windows in chunk.windows:
            if len(windows.scores) <= self._room_for_windows:
                self._room_for_windows -= len(windows.scores)
                self.windows[row][windows.db_index] = windows
        if chunk.device:
            self.device_cells[chunk.device] = self.device_cells.get(chunk.device, 0) + chunk.cells
            self.device_seconds[chunk.device] = self.device_seconds.get(chunk.device, 0.0) + chunk.seconds

    def _take_in(self) -> None:
        """Put the scores that wait in their place; to be called with the lock."""
        if not self._waiting:
            return
        chunks, self._waiting, self._scores_waiting = self._waiting, [], 0
        given = [(chunk.scores, chunk.db_index) for chunk in chunks]
        if self._scores is not None:
            for chunk in chunks:
                if len(chunk.scores) == self._subjects:  # all of its row
                    self._unset.discard(chunk.query_index)
            self._gathering.put(given, [self._row(chunk.query_index) for chunk in chunks])
        elif self._least is not None:
            taken = self._gathering.at_least(given, [self._least[chunk.query_index] for chunk in chunks])
            for chunk, some in zip(chunks, taken, strict=True):
                self._top[chunk.query_index].take(*some)

    @property
    def needs(self) -> int:
        """Number of subjects of a row that can be in its list, if no other score is wanted; 0 if all are."""
        return self._top[0].limit if self._scores is None and self._position is not None and not self.counts else 0

    def reduced(self, chunk: ChunkScores) -> ChunkScores:
        """Return a received chunk reduced to candidates of the list, if no more is needed and that is smaller."""
        best = self._top[chunk.query_index]
        if not self.needs or chunk.stored is None:
            return chunk
        kept = np.flatnonzero(chunk.scores >= best.least)
        if _BESIDE * len(kept) >= len(chunk.scores):
            return chunk
        return replace(
            chunk, db_index=chunk.db_index[kept], scores=chunk.scores[kept], best_of=chunk.stored, stored=None
        )

    def _runs(self, db_index: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
        """Yield stretches of storage positions of some subjects."""
        assert self._position is not None
        positions = np.sort(self._position()[db_index])
        begins = np.flatnonzero(np.diff(positions, prepend=-2) > 1)
        for begin, end in zip(begins, [*begins[1:], len(positions)], strict=True):
            yield int(positions[begin]), int(positions[end - 1]) + 1

    def best(self, row: int, most: int | None = None) -> TopHits:
        """Return the best subjects of a row so far, perhaps some of them at most."""
        if not self._lists_late:
            with self._lock:
                self._take_in()
            return self._top[row]
        limit, scores = self._top[row].limit, self.vector(row)
        top, scored = TopHits(limit if most is None else min(most, limit)), np.flatnonzero(scores > NOT_SCORED)
        top.update(scores[scored], scored)
        return top

    def is_scored(self, rows: range) -> bool:
        """Return True if consecutive rows have all their scores."""
        return all(self.scored.item(row) == self._subjects for row in rows)

    def windows_of(self, rows: Sequence[int], strands: Sequence[int]) -> dict[tuple[int, int], WindowScores]:
        """Return the windows in which long subjects score, by source index and strand, as far as known."""
        of_rows = zip(rows, strands, strict=True)
        return {(index, sign): windows for row, sign in of_rows for index, windows in self.windows[row].items()}

    def by_strand(self, rows: range, strands: Sequence[int], db_index: NDArray[np.int64]) -> StrandScores | None:
        """Return the scores of subjects in each of several strands, as far as they are known; None where they are not.

        They are known if all scores are kept, or all that may be listed.
        """
        if len(rows) < 2 or not self.of_each_strand:
            return None
        ordered = np.sort(db_index)
        if self._scores is not None:
            return StrandScores(tuple(strands), ordered, np.stack([self.vector(row)[ordered] for row in rows]))
        if self._least is None or any(self.best(row).is_cut or self._scattered[row] for row in rows):
            return None
        return StrandScores(tuple(strands), ordered, np.stack([self._at_most(row, ordered) for row in rows]))

    def _at_most(self, row: int, ordered: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the scores of some subjects, ascending; the highest there may be where they were not looked at."""
        assert self._least is not None
        found, best = np.full(len(ordered), self._least[row] - 1, dtype=np.int32), self.best(row)
        if self.scored[row] < self._subjects:
            found[~self._is_done(row, ordered)] = NOT_SCORED
        if len(best) and len(ordered):
            place = np.minimum(np.searchsorted(ordered, best.db_index), len(ordered) - 1)
            wanted = ordered[place] == best.db_index
            found[place[wanted]] = best.scores[wanted]
        return found

    def _is_done(self, row: int, db_index: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which subjects a row has scores of, shape (k,)."""
        assert self._position is not None
        positions, done = self._position()[db_index], np.zeros(len(db_index), dtype=np.bool_)
        with self._lock:
            stretches = self._done[row].inside(0, self._subjects)
        for start, stop in stretches:
            done |= (positions >= start) & (positions < stop)
        return done

    def unscored(
        self,
        row: int,
        plans: Sequence[ChunkPlan],
        order: NDArray[np.int64],
        offsets: NDArray[np.int64],
        first: int = 0,
    ) -> list[ChunkPlan]:
        """Return the parts of the plans of which a row has no scores yet.

        Parameters
        ----------
        order : ndarray, shape=(n,), dtype=int64
            Source index of each storage position, in the piece of the database that the plans are of.
        offsets : ndarray, shape=(n + 1,), dtype=int64
            Where each stored subject begins.
        first : int
            Subjects before the piece.
        """
        if not self.scored[row]:
            return list(plans)
        with self._lock:
            done, scattered = self._done[row].inside(first, first + len(order)), self._scattered[row]
        if not scattered:
            if not done:
                return list(plans)
            missing = np.ones(len(order), dtype=bool)
            for start, stop in done:
                missing[start - first : stop - first] = False
        elif self._scores is not None:
            missing = self.vector(row)[first : first + len(order)][order] == NOT_SCORED
        else:
            raise ValueError("Without score vectors and positions it is not known what was scored.")
        return [part for plan in plans for part in _missing_parts(plan, missing, offsets)]


def _missing_parts(plan: ChunkPlan, missing: NDArray[np.bool_], offsets: NDArray[np.int64]) -> Iterator[ChunkPlan]:
    """Yield the runs of a plan's positions that are missing."""
    edges = np.diff(missing[plan.start : plan.stop].astype(np.int8), prepend=0, append=0)
    for start, stop in zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0), strict=True):
        first, last = plan.start + int(start), plan.start + int(stop)
        yield ChunkPlan(first, last, int(offsets[last] - offsets[first]))


def best_of_strands(
    rows: Sequence[int], strands: Sequence[int], tally: Tally, most: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]:
    """Rank the subjects of one query with a score in any strand; each has its better strand.

    A subject among the best of the query is among the best of the strand it scores on, so the top lists
    of the strands are enough. At equal scores the first strand counts.

    Parameters
    ----------
    most : int, optional
        Subjects at most.

    Returns
    -------
    db_index, scores, strands : ndarrays, shape=(k,)
    """
    lists = [tally.best(row, most) for row in rows]
    if len(lists) == 1:
        some = slice(0, int(np.count_nonzero(lists[0].scores > 0)))  # in order
        return lists[0].db_index[some], lists[0].scores[some], np.full(some.stop, strands[0], dtype=np.int8)
    db_index = np.concatenate([best.db_index for best in lists])
    scores = np.concatenate([best.scores for best in lists])
    strand = np.repeat(np.asarray(strands, dtype=np.int8), [len(best) for best in lists])
    ranked = best_indices(scores, db_index, len(scores))
    _, first = np.unique(db_index[ranked], return_index=True)
    kept = ranked[np.sort(first)][: lists[0].limit]
    kept = kept[scores[kept] > 0]
    return db_index[kept], scores[kept], strand[kept]


def found_of(
    rows: Sequence[int], strands: Sequence[int], tally: Tally
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int8] | None]:
    """Return `best_of_strands` in any order, and no strands where there is one."""
    if len(rows) > 1:
        return best_of_strands(rows, strands, tally)
    scores, db_index = tally.best(rows[0]).unordered()
    return db_index, scores, None


def best_vector(
    rows: Sequence[int], strands: Sequence[int], tally: Tally
) -> tuple[NDArray[np.int32] | None, NDArray[np.int8] | None]:
    """Return the score of every subject over the strands searched, and the strand of each if there are two."""
    if not tally.keeps_scores:
        return None, None
    if len(rows) == 1:
        return tally.vector(rows[0]), None
    vectors = np.stack([tally.vector(row) for row in rows])
    signs = np.asarray(strands, dtype=np.int8)
    return vectors.max(axis=0), signs[vectors.argmax(axis=0)]
