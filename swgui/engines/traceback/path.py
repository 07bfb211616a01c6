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
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Op

BLOCK_BYTES: Final = 64 << 20  # rows of a stretch that are kept as a whole
CHECKPOINT_BYTES: Final = 128 << 20  # rows kept per division
MOST_CHECKPOINTS: Final = 64
PAIR, INSERTION, DELETION = int(Op.MATCH), int(Op.INSERTION), int(Op.DELETION)
Forbidden = Mapping[int, NDArray[np.int64]]
_Row = NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True)
class _Problem:
    """A rectangle: the scores of its rows against letters, its columns' letters and the gap costs.

    `forbidden` has, for some rows, the columns (from 0) that must not be aligned with them.
    """

    profile: NDArray[np.signedinteger]
    letters: NDArray[np.intp]
    first: int
    further: int
    never: int
    check: Callable[[], None]
    forbidden: Forbidden

    def origin(self) -> _Row:
        """Return row 0, shape (3, n + 1): nothing of the query used."""
        row = np.full((3, len(self.letters) + 1), self.never, dtype=self.profile.dtype)
        row[PAIR, 0] = 0
        row[DELETION, 1:] = -(self.first + self.further * np.arange(len(self.letters)))
        return row

    def rows(self, start: int, stop: int, row: _Row) -> NDArray[np.signedinteger]:
        """Return the rows after `start` up to and with `stop`, shape (stop - start, 3, width)."""
        out = np.empty((stop - start, *row.shape), dtype=row.dtype)
        self._sweep(start, row, out, keep_all=True)
        return out

    def advance(self, start: int, stop: int, row: _Row) -> _Row:
        """Return the row `stop` alone, shape (3, width)."""
        if start == stop:
            return row
        out = np.empty((2, *row.shape), dtype=row.dtype)
        return self._sweep(start, row, out, keep_all=False, count=stop - start)

    def _sweep(self, start: int, row: _Row, out: NDArray[np.signedinteger], *, keep_all: bool, count: int = 0) -> _Row:
        width = row.shape[1]
        letters = self.letters[: width - 1]
        ramp = np.arange(width, dtype=row.dtype) * self.further
        best = np.empty(width, dtype=row.dtype)
        along = np.empty(width, dtype=row.dtype)
        for number in range(len(out) if keep_all else count):
            self.check()
            new = out[number if keep_all else number % 2]
            pair, insertion, deletion = new
            old_pair, old_insertion, old_deletion = row
            np.maximum(old_pair, old_deletion, out=best)
            np.subtract(best, self.first, out=along)
            np.subtract(old_insertion, self.further, out=insertion)
            np.maximum(insertion, along, out=insertion)
            np.maximum(best, old_insertion, out=best)
            np.take(self.profile[start + number], letters, out=pair[1:], mode="clip")
            pair[0] = self.never
            pair[1:] += best[:-1]
            if start + number in self.forbidden:
                columns = self.forbidden[start + number]
                pair[columns[columns < width - 1] + 1] = self.never
            # Along the row: the best opening so far, less one `further` per column since (see rowscan).
            np.maximum(pair, insertion, out=along)
            along += ramp
            np.maximum.accumulate(along, out=along)
            deletion[0] = self.never
            np.subtract(along[:-1], ramp[1:], out=deletion[1:])
            deletion[1:] += self.further - self.first
            row = new
        return row


def global_path(
    profile: NDArray[np.int16],
    subject: NDArray[np.uint8],
    first: int,
    further: int,
    check: Callable[[], None] = lambda: None,
    forbidden: Forbidden = MappingProxyType({}),
) -> tuple[int, list[tuple[int, int]]]:
    """Align a whole query stretch with a whole subject stretch.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        Rows of the query stretch, m >= 1.
    subject : ndarray, shape=(n,), dtype=uint8
        n >= 1.
    first, further : int
        Gap costs, ``further <= first``.
    check : callable
        Called once per row; may raise to give up.
    forbidden : mapping of int to ndarray
        For some rows the columns, both from 0, that must not be aligned with them.

    Returns
    -------
    score : int
    runs : list of (op, length)
        From the first column to the last.
    """
    rows, columns = len(profile), len(subject)
    # Above any sum that can occur, also where costs are added to "never" on the way.
    largest = int(np.abs(profile.astype(np.int64)).max(initial=0))
    reach = first + further * (rows + columns) + largest * (rows + columns)
    dtype = np.int32 if reach < 1 << 29 else np.int64
    never = -(1 << 30) if dtype is np.int32 else -(1 << 61)
    problem = _Problem(profile.astype(dtype), subject.astype(np.intp), first, further, never, check, forbidden)
    walk = _Walk(problem, rows, columns)
    walk.stretch(0, rows, problem.origin())
    return walk.score, walk.runs()


class _Walk:
    """The way back from the last cell, with the rows it needs computed as it goes."""

    def __init__(self, problem: _Problem, rows: int, columns: int) -> None:
        self.problem = problem
        self.row, self.column = rows, columns
        self.state = -1  # not chosen yet
        self.score = 0
        self._backwards: list[list[int]] = []

    def runs(self) -> list[tuple[int, int]]:
        """Return the runs walked, first column first."""
        return [(op, length) for op, length in reversed(self._backwards)]

    def stretch(self, start: int, stop: int, row: _Row) -> None:
        """Walk from row `stop` back to row `start`, whose values are `row`."""
        row = row[:, : self.column + 1]
        rows, fitting = stop - start, max(1, BLOCK_BYTES // row.nbytes)
        if rows <= fitting:
            self._block(start, stop, row)
            return
        divisions = min(max(2, CHECKPOINT_BYTES // row.nbytes), MOST_CHECKPOINTS)
        starts = list(range(start, stop, max(fitting, -(-rows // divisions))))
        kept = [row.copy()]
        for at, after in pairwise(starts):
            kept.append(self.problem.advance(at, after, kept[-1]).copy())
        for at, after in zip(reversed(starts), reversed([*starts[1:], stop]), strict=True):
            self.stretch(at, after, kept.pop())

    def _block(self, start: int, stop: int, row: _Row) -> None:
        """Walk through rows that are all in memory."""
        problem = self.problem
        rows = np.concatenate([row[None], problem.rows(start, stop, row)])
        if self.state < 0:
            corner = rows[-1, :, -1]
            self.score = int(corner.max())
            self.state = int(np.argmax(corner))  # the first of equals: pair, insertion, deletion
        # A pair or an insertion leads to the row above, which is in this block unless it is above `start`.
        while self.row > start or (self.row == 0 and self.column > 0):
            value = int(rows[self.row - start, self.state, self.column])
            self._record(self.state)
            costs = [problem.first] * 3
            if self.state == PAIR:
                self.row, self.column = self.row - 1, self.column - 1
                gain = int(problem.profile[self.row, problem.letters[self.column]])
                costs = [-gain] * 3
            elif self.state == INSERTION:
                self.row -= 1
                costs[INSERTION] = problem.further
            else:
                self.column -= 1
                costs[DELETION] = problem.further
            if self.row == 0 and self.column == 0:
                return
            before = rows[self.row - start, :, self.column]
            self.state = next(op for op in (PAIR, INSERTION, DELETION) if int(before[op]) - costs[op] == value)

    def _record(self, op: int) -> None:
        if self._backwards and self._backwards[-1][0] == op:
            self._backwards[-1][1] += 1
        else:
            self._backwards.append([op, 1])
