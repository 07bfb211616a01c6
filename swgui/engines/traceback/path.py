"""The best global alignment inside a rectangle, in bounded memory.

Gotoh's three states per cell (i query and j subject residues used): ``pair``, the alignment ends with an
aligned pair; ``insertion``, with a query residue against a gap; ``deletion``, with a subject residue
against a gap. The path is read from the corner back to the origin; wherever several predecessors are
best, a pair is preferred to an insertion and an insertion to a deletion. That is the order of
Biopython's aligner too, so both give the same path.

Memory. Keeping all cells of m rows takes m x n values. Instead some rows are kept (checkpoints), and the
rows between two of them are computed again when the path reaches them, from the last stretch to the
first and only as far to the right as the path still can be. A stretch too large for the memory allowed is
divided in the same way once more (Grice, Hughey and Speck 1997). Scores and path are those of the
full matrix.

Time. The score is known beforehand, and a path that strays far from the diagonal has to pay for gaps and
go without pairs. How far a path with that score can stray at most is computed (`reach`), and no cell
outside is; for similar sequences that is a narrow band. Nothing is lost: every best path lies inside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from types import MappingProxyType
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Op
from swgui.core.control import Check
from swgui.core.score_profile import PositionGaps
from swgui.engines.rowscan import row_costs

BLOCK_BYTES: Final = 64 << 20  # rows of a stretch that are kept as a whole
CHECKPOINT_BYTES: Final = 128 << 20  # rows kept per division
MAX_CHECKPOINTS: Final = 64
PAIR, INSERTION, DELETION = int(Op.MATCH), int(Op.INSERTION), int(Op.DELETION)
Forbidden = Mapping[int, NDArray[np.int64]]
_Values = NDArray[np.signedinteger]


def reach(
    profile: NDArray[np.int16],
    columns: int,
    gap_first: int,
    gap_extend: int,
    score: int,
    gaps: PositionGaps | None = None,
) -> tuple[int, int]:
    """Return the farthest distance from the main diagonal of a global path with a score.

    A path with k insertions has m - k pairs, with a sum of at most the m - k largest row maxima of the profile, and n -
    m + k deletions; either kind costs at least one gap of that length. With the largest k for which this still allows
    `score`, the column minus the row stays between -k and n - m + k.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
    columns : int
        The subject's residues, n.
    gaps : PositionGaps, optional
        Costs by position instead: those of the cheapest gaps count.

    Returns
    -------
    low, high : int
        Limits of column minus row.

    Raises
    ------
    ValueError
        If no path can have this score.
    """
    rows = len(profile)
    gains = np.sort(profile.max(axis=1).astype(np.int64))[::-1]
    best_pairs = np.concatenate([[0], np.cumsum(gains)])
    insertions = np.arange(max(0, rows - columns), rows + 1)
    deletions = insertions + columns - rows
    plain = gap_first, gap_extend
    cheapest = (plain, plain) if gaps is None else (gaps.cheapest_deletion, gaps.cheapest_insertion)
    costs = sum(
        np.where(gap > 0, first + (gap - 1) * extend, 0)
        for gap, (first, extend) in zip((insertions, deletions), cheapest, strict=True)
    )
    possible = insertions[best_pairs[rows - insertions] - costs >= score]
    if not len(possible):
        raise ValueError(f"No alignment of {rows} with {columns} residues can score {score}.")
    most = int(possible[-1])
    return -most, columns - rows + most


class _KeptRow(msgspec.Struct, frozen=True):
    """One row: the values of the columns from `left` on, shape (3, width); those outside are "never"."""

    left: int
    values: _Values


class _Problem(msgspec.Struct, frozen=True):
    """A rectangle: scores of its rows by letter, letters of its columns, gap costs of its rows, the band.

    `letters` begins with one that is never looked at, so that column j (j residues used) has ``letters[j]``.
    `forbidden` has, for some rows, the columns (from 0) that must not be aligned with them.
    """

    profile: _Values
    letters: NDArray[np.intp]
    costs: list[tuple[int, int, int, int]]
    never: int
    low: int
    high: int
    check: Check
    forbidden: Forbidden

    @property
    def width(self) -> int:
        """Columns of the band, at most."""
        return min(self.high - self.low + 1, len(self.letters))

    def window(self, row: int) -> tuple[int, int]:
        """Return the half-open range of columns inside the band."""
        return max(0, row + self.low), min(len(self.letters), row + self.high + 1)

    def origin(self) -> _KeptRow:
        """Return row 0: no residue of the query used."""
        columns = self.window(0)[1]
        values = np.full((3, columns), self.never, dtype=self.profile.dtype)
        values[PAIR, 0] = 0
        first, extend = self.costs[0][:2]
        values[DELETION, 1:] = -(first + extend * np.arange(columns - 1))
        return _KeptRow(0, values)

    def frame(self, rows: int, kept: _KeptRow, right: int) -> _Values:
        """Return room for rows that begin with a kept one, a column of "never" on either side.

        Column j is at index ``j - kept.left + 1``.
        """
        frame = np.empty((rows, 3, right - kept.left + 2), dtype=self.profile.dtype)
        inside = min(kept.values.shape[1], right - kept.left)
        frame[0, :, 0] = self.never
        frame[0, :, 1 : inside + 1] = kept.values[:, :inside]
        frame[0, :, inside + 1 :] = self.never
        return frame

    def rows(self, start: int, stop: int, kept: _KeptRow, right: int) -> _Values:
        """Return the rows `start` (which is `kept`) to `stop`, in a frame of columns below `right`."""
        frame = self.frame(stop - start + 1, kept, right)
        for number in range(1, stop - start + 1):
            self._step(start + number, frame[number - 1], frame[number], kept.left, right)
        return frame

    def advance(self, start: int, stop: int, kept: _KeptRow, right: int) -> _KeptRow:
        """Return the row `stop` alone."""
        frame = self.frame(2, kept, right)
        for number in range(1, stop - start + 1):
            self._step(start + number, frame[(number - 1) % 2], frame[number % 2], kept.left, right)
        first, last = self.window(stop)
        left = first - kept.left + 1
        return _KeptRow(first, frame[(stop - start) % 2, :, left : min(last, right) - kept.left + 1].copy())

    def _step(self, row: int, old: _Values, new: _Values, left: int, right: int) -> None:
        """Compute one row from the one above it."""
        self.check()
        first, extend, removed_first, removed_extend = self.costs[row - 1]
        first_column, last_column = self.window(row)
        last_column = min(last_column, right)
        start, stop = first_column - left + 1, last_column - left + 1
        above = np.maximum(old[PAIR, start - 1 : stop], old[DELETION, start - 1 : stop])
        pair, insertion, deletion = new[:, start:stop]
        np.subtract(old[INSERTION, start:stop], removed_extend, out=insertion)
        np.maximum(insertion, above[1:] - removed_first, out=insertion)
        np.maximum(above, old[INSERTION, start - 1 : stop], out=above)
        np.take(self.profile[row - 1], self.letters[first_column:last_column], out=pair, mode="clip")
        pair += above[:-1]
        if first_column == 0:
            pair[0] = self.never
        if row - 1 in self.forbidden:
            columns = self.forbidden[row - 1] + 1
            pair[columns[(columns >= first_column) & (columns < last_column)] - first_column] = self.never
        # Along the row: the best opening so far, less one extension per column since (see rowscan).
        ramp = np.arange(stop - start, dtype=new.dtype) * extend
        along = np.maximum(pair, insertion)
        along += ramp
        np.maximum.accumulate(along, out=along)
        deletion[0] = self.never
        np.subtract(along[:-1], ramp[1:], out=deletion[1:])
        deletion[1:] += extend - first
        new[:, start - 1] = self.never
        new[:, stop : stop + 1] = self.never


def global_path(
    profile: NDArray[np.int16],
    subject: NDArray[np.uint8],
    gap_first: int,
    gap_extend: int,
    score: int | None = None,
    *,
    gaps: PositionGaps | None = None,
    check: Check = lambda: None,
    forbidden: Forbidden = MappingProxyType({}),
) -> tuple[int, list[tuple[int, int]]]:
    """Align a whole query stretch with a whole subject stretch.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        Rows of the query stretch, m >= 1.
    subject : ndarray, shape=(n,), dtype=uint8
        n >= 1.
    gap_first, gap_extend : int
        Gap costs, ``gap_extend <= gap_first``.
    score : int, optional
        The best score, if it is known: saves the cells that cannot matter.
    forbidden : mapping of int to ndarray
        For some rows the columns, both from 0, that must not be aligned with them.

    Returns
    -------
    score : int
    runs : list of (op, length)
        From the first column to the last.

    Raises
    ------
    ValueError
        If no path can have the score given.
    """
    rows, columns = len(profile), len(subject)
    low, high = (-rows, columns) if score is None else reach(profile, columns, gap_first, gap_extend, score, gaps)
    # Above any sum that can occur, also after subtraction of costs from "never" on the way.
    largest = int(np.abs(profile.astype(np.int64)).max(initial=0))
    costs = list(row_costs(rows, gap_first, gap_extend, gaps))
    first, extend = (int(np.abs(np.array(costs)[:, pair]).max()) for pair in ([0, 2], [1, 3]))
    sums = first + (extend + largest) * (rows + columns)
    dtype = np.int32 if sums < 1 << 29 else np.int64
    never = -(1 << 30) if dtype is np.int32 else -(1 << 61)
    letters = np.concatenate([[0], subject]).astype(np.intp)
    problem = _Problem(profile.astype(dtype), letters, costs, never, low, high, check, forbidden)
    walk = _Walk(problem, rows, columns)
    walk.stretch(0, rows, problem.origin())
    return walk.score, walk.runs()


class _Walk:
    """The traceback from the last cell, with the rows it needs computed as it goes."""

    def __init__(self, problem: _Problem, rows: int, columns: int) -> None:
        self.problem = problem
        self.row, self.column = rows, columns
        self.state = -1  # not chosen yet
        self.score = 0
        self._backwards: list[list[int]] = []

    def runs(self) -> list[tuple[int, int]]:
        """Return the runs walked, first column first."""
        return [(op, length) for op, length in reversed(self._backwards)]

    def stretch(self, start: int, stop: int, kept: _KeptRow) -> None:
        """Walk from row `stop` back to row `start`, which is `kept`."""
        cell = 3 * self.problem.profile.itemsize
        width = min(self.problem.width, self.column + 1)
        # r rows of a band take r x (width + r) cells, for it moves one column per row.
        fitting = max(1, int((math.sqrt(width**2 + 4 * BLOCK_BYTES / cell) - width) / 2))
        if stop - start <= fitting:
            self._block(start, stop, kept)
            return
        divisions = min(max(2, CHECKPOINT_BYTES // (cell * width)), MAX_CHECKPOINTS)
        starts = list(range(start, stop, max(fitting, -(-(stop - start) // divisions))))
        rows = [kept]
        for first, after in pairwise(starts):
            rows.append(self.problem.advance(first, after, rows[-1], self._right(after)))
        for first, after in zip(reversed(starts), reversed([*starts[1:], stop]), strict=True):
            self.stretch(first, after, rows.pop())

    def _right(self, row: int) -> int:
        """Return the column before which everything that matters at and above a row lies."""
        return min(self.problem.window(row)[1], self.column + 1)

    def _block(self, start: int, stop: int, kept: _KeptRow) -> None:
        """Walk through rows that are all in memory."""
        problem = self.problem
        rows = problem.rows(start, stop, kept, self._right(stop))
        shift = 1 - kept.left
        if self.state < 0:
            corner = rows[-1, :, self.column + shift]
            self.score = int(corner.max())
            self.state = int(np.argmax(corner))  # the first of equals: pair, insertion, deletion
        # Row `start` belongs to the stretch above, except for row 0, which is above nothing.
        while self.row > start or (self.row == 0 and self.column > 0):
            value = int(rows[self.row - start, self.state, self.column + shift])
            self._record(self.state)
            costs = [0] * 3
            if self.state == PAIR:
                self.row, self.column = self.row - 1, self.column - 1
                gain = int(problem.profile[self.row, problem.letters[self.column + 1]])
                costs = [-gain] * 3
            elif self.state == INSERTION:
                self.row -= 1
                _, _, first, extend = problem.costs[self.row]
                costs = [first, extend, first]
            else:
                self.column -= 1
                first, extend, _, _ = problem.costs[max(self.row - 1, 0)]
                costs = [first, first, extend]
            if self.row == 0 and self.column == 0:
                return
            before = rows[self.row - start, :, self.column + shift]
            self.state = next(op for op in (PAIR, INSERTION, DELETION) if int(before[op]) - costs[op] == value)

    def _record(self, op: int) -> None:
        if self._backwards and self._backwards[-1][0] == op:
            self._backwards[-1][1] += 1
        else:
            self._backwards.append([op, 1])
