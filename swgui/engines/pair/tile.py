"""One tile of the score matrix, anti-diagonal by anti-diagonal, with any values on its borders.

::

              top: H, F                 vertices (i, j): i query and j subject residues used,
          0---------------- w           0 <= i <= h, 0 <= j <= w
          |  / / / / / / /              cells of one anti-diagonal i + j = d depend only on the two before it
     left |   / / / / / /  right        H lies in three rotating rows, indexed by i
     H, E |  / / / / / /   H, E         E (gap in the query, along a row) in one row, indexed by i
          h----------------             F (gap in the subject, down a column) in one row, indexed by w - j
              bottom: H, F

With E indexed by row and F by column each is updated in place. All values are lifted by ``gap_extend * (i + j)``: an
extension then costs nothing, and neither E nor F needs a subtraction of its own. Everything runs in calls of
compiled code on many anti-diagonals, which leave the interpreter to other threads.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.native import pair_tile as native
from swgui.engines.pair.problem import Problem

CELLS_AT_ONCE: Final = 1 << 22  # between two calls of `check` in compiled code, a few milliseconds
Values = NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True, eq=False)
class Borders:
    """Values on two sides of a tile."""

    row_h: Values  # shape (w + 1,): H of the upper (or lower) row of vertices, with both corners
    row_f: Values  # shape (w + 1,): F of the same; that of the first is never looked at
    # column_h, column_e: H and E of the left (or right) column of vertices; the first are never looked at, shape (h +
    # 1,)
    column_h: Values
    column_e: Values


@dataclass(slots=True)
class Best:
    """The best vertex so far: of equals the one with the smallest column, then row.

    `score` alone may be set, to look for a vertex with at least this score.
    """

    score: int
    column: int = 1 << 62
    row: int = 1 << 62

    def offer(self, score: int, column: int, row: int) -> None:
        """Take a vertex if it is better."""
        if score > self.score or (score == self.score and (column, row) < (self.column, self.row)):
            self.score, self.column, self.row = score, column, row

    @property
    def known(self) -> bool:
        return self.column < 1 << 62


def compute_tile(
    problem: Problem,
    place: tuple[int, int, int, int],
    before: Borders,
    best: Best | None,
    *,
    floor: bool,
    check: Callable[[int], None],
) -> Borders:
    """Compute a tile and return its lower and right borders.

    Parameters
    ----------
    place : tuple of int
        First and end row, first and end column of the tile in the problem.
    best : Best or None
        Receives the best vertices of the tile, in rows and columns of the problem; None for no receiver.
    floor : bool
        Whether an alignment may start anywhere, so that no H is below 0.
    check : callable
        Called now and then with the number of cells computed since; may raise to give up.
    """
    r0, r1, c0, c1 = place
    h, w = r1 - r0, c1 - c0
    work = _Work(problem, before, h, w)
    reached = best if best is not None and _may_reach(problem, before, h, w, best.score) else None
    fill_compiled(
        problem, place, work, tile_scores(problem, place, 2 * problem.gap_extend), reached, floor=floor, check=check
    )
    return work.borders()


class _Work:
    """The three anti-diagonals of H that are known at a time, E by row, F by column, and the borders.

    Everything is kept with ``gap_extend`` added for each row and column, so that a longer gap costs nothing more.
    """

    def __init__(self, problem: Problem, before: Borders, h: int, w: int) -> None:
        dtype, never = problem.dtype, problem.never
        self.ramp = np.arange(h + w + 1, dtype=dtype) * dtype.type(problem.gap_extend)
        self.shape = h, w
        self.top = np.maximum(before.row_h, never) + self.ramp[: w + 1]
        left = np.maximum(before.column_h[1:], never) + self.ramp[1 : h + 1]
        self.along = np.full(h + 1, never, dtype=dtype)
        self.along[1:] = np.maximum(before.column_e[1:], never) + self.ramp[1 : h + 1]
        self.down = np.full(w + 1, never, dtype=dtype)
        self.down[:w] = (np.maximum(before.row_f[1:], never) + self.ramp[1 : w + 1])[::-1]
        self.lines = [np.empty(h + 1, dtype=dtype) for _ in range(3)]
        for number, line in enumerate(self.lines):
            start = number or 3
            line[start::3] = left[start - 1 :: 3]
        self.lines[0][0], self.lines[1][0] = self.top[0], self.top[1]
        self.bottom = np.empty(w + 1, dtype=dtype)
        self.bottom[0] = left[h - 1]

    def borders(self) -> Borders:
        """Return the lower and right borders, once all is filled."""
        (h, w), ramp = self.shape, self.ramp
        right = np.empty(h + 1, dtype=ramp.dtype)
        right[0] = self.top[w]
        for number, line in enumerate(self.lines):
            start = (number - w) % 3 or 3
            right[start::3] = line[start::3]
        return Borders(
            row_h=self.bottom - ramp[h : h + w + 1],
            row_f=self.down[::-1] - ramp[h : h + w + 1],
            column_h=right - ramp[w : h + w + 1],
            column_e=self.along - ramp[w : h + w + 1],
        )


def fill_compiled(
    problem: Problem,
    place: tuple[int, int, int, int],
    work: _Work,
    scores: native.TileScores,
    best: Best | None,
    *,
    floor: bool,
    check: Callable[[int], None],
) -> None:
    """Compute the cells of a tile with the compiled library, into the borders of `work`."""
    (h, w), (r0, _, c0, _) = work.shape, place
    costs = problem.gap_first - problem.gap_extend, problem.gap_extend, problem.never
    arrays = work.top, work.along, work.down, *work.lines, work.bottom
    filling = native.Filling(scores, costs, (r0, c0), arrays, floor=floor, asked=best is not None)
    best_end = np.array([best.score, best.column, best.row] if best is not None else [0, 0, 0], dtype=np.int64)
    step = max(1, CELLS_AT_ONCE // max(min(h, w), 1))
    for first in range(2, h + w + 1, step):
        end = min(first + step, h + w + 1)
        filling.fill(first, end, best_end)
        check(_cells_before(end, h, w) - _cells_before(first, h, w))
    if best is not None and best_end[1] < 1 << 62:
        best.offer(*best_end.tolist())


def _cells_before(d: int, h: int, w: int) -> int:
    """Return the number of cells of a tile on the anti-diagonals below `d`, the first of which is 2."""
    n = d - 2
    return sum(
        sign * max(n - cut, 0) * (max(n - cut, 0) + 1) // 2 for cut, sign in ((0, 1), (h, -1), (w, -1), (h + w, 1))
    )


def tile_scores(problem: Problem, place: tuple[int, int, int, int], lift: int) -> native.TileScores:
    """Return the scores of a tile as compiled code takes them, each with `lift` added."""
    r0, r1, c0, c1 = place
    forbidden = forbidden_by_diagonal(problem, place)
    pairs = [np.stack([np.full(len(rows), d), np.sort(rows)], axis=1) for d, rows in sorted(forbidden.items())]
    refused = np.concatenate([np.empty((0, 2), np.int64), *pairs])
    plain = problem.plain
    if plain is not None and plain.holds(slice(r0, r1), slice(c0, c1)):
        numbers = plain.query[r0:r1], plain.subject[c0:c1][::-1]
        return native.TileScores(plain.match + lift, plain.match - plain.mismatch, *numbers, forbidden=refused)
    table = problem.table + problem.dtype.type(lift)
    indices = problem.rows[r0:r1] * table.shape[1], problem.subject[c0:c1][::-1]
    return native.TileScores(table=table, rows=indices[0], columns=indices[1], forbidden=refused)


def _may_reach(problem: Problem, before: Borders, h: int, w: int, score: int) -> bool:
    """Whether any vertex of a tile can have a score."""
    most = max(int(before.row_h.max()), int(before.column_h[1:].max(initial=problem.never)), 0)
    return most + problem.step * min(h, w) >= score


def forbidden_by_diagonal(problem: Problem, place: tuple[int, int, int, int]) -> dict[int, NDArray[np.int64]]:
    """Return the rows, from 1, of forbidden pairs of a tile by anti-diagonal."""
    r0, r1, c0, c1 = place
    low, high = np.searchsorted(problem.forbidden[:, 0], (r0, r1))
    pairs = problem.forbidden[low:high]
    pairs = pairs[(pairs[:, 1] >= c0) & (pairs[:, 1] < c1)] - (r0 - 1, c0 - 1)
    if not len(pairs):
        return {}
    diagonals = pairs.sum(axis=1)
    order = np.argsort(diagonals, kind="stable")
    numbers, starts = np.unique(diagonals[order], return_index=True)
    return dict(zip(numbers.tolist(), np.split(pairs[order, 0], starts[1:]), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class States:
    """All values of a tile: ``[d, i]`` is the vertex with i query and d - i subject residues used."""

    # pair, insertion, deletion: best score that ends with an aligned pair, a query residue against a gap, a subject
    # residue against a gap, shape (h + w + 1, h + 1)
    pair: Values
    insertion: Values
    deletion: Values


def compute_states(problem: Problem, before: Borders, check: Callable[[int], None]) -> States:
    """Compute all values of a small problem inside its borders."""
    h, w = problem.shape
    dtype, gap_first, gap_extend = problem.dtype, problem.gap_first, problem.gap_extend
    best, pair, insertion, deletion = (np.empty((h + w + 1, h + 1), dtype=dtype) for _ in range(4))
    rows, columns = np.arange(h + 1), np.arange(w + 1)
    best[columns, 0] = np.maximum(before.row_h, problem.never)
    insertion[columns, 0] = np.maximum(before.row_f, problem.never)
    best[rows[1:], rows[1:]] = np.maximum(before.column_h[1:], problem.never)
    deletion[rows[1:], rows[1:]] = np.maximum(before.column_e[1:], problem.never)
    given = tile_scores(problem, (0, h, 0, w), 0)
    native.fill_states(given, (gap_first - gap_extend, gap_extend, problem.never), best, pair, insertion, deletion)
    check(h * w)
    return States(pair, insertion, deletion)
