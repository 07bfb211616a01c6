"""Tiles and bands in NumPy, whole anti-diagonals at a time: the reference of compiled code."""

from __future__ import annotations

import numpy as np

from swgui.core.alignment import STATES
from swgui.core.errors import Stopped
from swgui.engines.pair import band
from swgui.engines.pair.band import Band
from swgui.engines.pair.sweep import End, Start
from swgui.engines.pair.tile import States, forbidden_by_diagonal

CHECK_EVERY = 32  # anti-diagonals between two calls of `check`


def fill(
    problem,
    place,
    work,
    best,
    *,
    floor,
    check,
):
    (h, w), (r0, _, c0, _) = work.shape, place
    gap_extend, opening, never = problem.gap_extend, problem.gap_first - problem.gap_extend, problem.never
    top, along, down, lines, bottom = work.top, work.along, work.down, work.lines, work.bottom
    pairs = PairScores(problem, place, 2 * gap_extend)
    forbidden = forbidden_by_diagonal(problem, place)
    pair, opened, zero = (np.empty(h + 1, dtype=problem.dtype) for _ in range(3))
    done = 0
    for d in range(2, h + w + 1):
        low, high = max(1, d - w), min(h, d - 1)
        size, shift = high - low + 1, w - d
        here, last, before_last = lines[d % 3], lines[(d - 1) % 3], lines[(d - 2) % 3]
        x = pair[:size]
        pairs.add(before_last[low - 1 : high], low, shift, x)
        if d in forbidden:
            x[forbidden[d] - low] = never
        gap = opened[: size + 1]
        np.subtract(last[low - 1 : high + 1], opening, out=gap)
        e, f = along[low : high + 1], down[shift + low : shift + high + 1]
        np.maximum(e, gap[1:], out=e)
        np.maximum(f, gap[:-1], out=f)
        np.maximum(x, e, out=x)
        if floor:
            zero[:size].fill(gap_extend * d)
            np.maximum(x, zero[:size], out=x)
        h_new = here[low : high + 1]
        np.maximum(x, f, out=h_new)
        if d <= w:
            here[0] = top[d]
        if high == h:
            bottom[d - h] = here[h]
        if best is not None:
            most = int(np.maximum.reduce(h_new)) - gap_extend * d
            if most >= best.score:
                # The last of them has the smallest column.
                row = high - int(np.argmax(h_new[::-1] == most + gap_extend * d))
                best.offer(most, c0 + d - row, r0 + row)
        done += size
        if d % CHECK_EVERY == 0:
            check(done)
            done = 0
    check(done)


class PairScores:
    """Adds the scores of the pairs of an anti-diagonal, lifted, to the values before it."""

    def __init__(self, problem, place, lift):
        r0, r1, c0, c1 = place
        plain = problem.plain
        self.plain = plain is not None and plain.holds(slice(r0, r1), slice(c0, c1))
        if plain is not None and self.plain:
            self.query = plain.query[r0:r1]
            self.subject = np.ascontiguousarray(plain.subject[c0:c1][::-1])
            # As a row: a minimum with a number is several times slower than one with an array.
            self.delta = np.full(r1 - r0, plain.match - plain.mismatch, dtype=problem.dtype)
            self.match = plain.match + lift
        else:
            symbols = problem.table.shape[1]
            self.table = problem.table.ravel() + problem.dtype.type(lift)
            self.query = problem.rows[r0:r1] * symbols
            self.subject = np.ascontiguousarray(problem.subject[c0:c1][::-1])
            self.index = np.empty(r1 - r0, dtype=np.intp)

    def add(self, values, low, shift, out):
        """Put ``values + score`` of rows from `low` into `out`; the column of row i is ``-shift - i`` from the end."""
        query, subject = self.query[low - 1 : low - 1 + len(out)], self.subject[shift + low : shift + low + len(out)]
        if self.plain:
            np.bitwise_xor(query, subject, out=out)
            np.minimum(out, self.delta[: len(out)], out=out)
            np.subtract(values, out, out=out)
            np.add(out, self.match, out=out)
        else:
            index = self.index[: len(out)]
            np.add(query, subject, out=index)
            np.take(self.table, index, out=out, mode="clip")
            np.add(values, out, out=out)


def states(problem, before, check):
    h, w = problem.shape
    dtype, gap_first, gap_extend = problem.dtype, problem.gap_first, problem.gap_extend
    best, pair, insertion, deletion = (np.empty((h + w + 1, h + 1), dtype=dtype) for _ in range(4))
    rows, columns = np.arange(h + 1), np.arange(w + 1)
    best[columns, 0] = np.maximum(before.row_h, problem.never)
    insertion[columns, 0] = np.maximum(before.row_f, problem.never)
    best[rows[1:], rows[1:]] = np.maximum(before.column_h[1:], problem.never)
    deletion[rows[1:], rows[1:]] = np.maximum(before.column_e[1:], problem.never)
    scores = PairScores(problem, (0, h, 0, w), 0)
    forbidden = forbidden_by_diagonal(problem, (0, h, 0, w))
    gap = np.empty(h + 1, dtype=dtype)
    for d in range(2, h + w + 1):
        low, high = max(1, d - w), min(h, d - 1)
        here, above = slice(low, high + 1), slice(low - 1, high)
        p, i, e, g = pair[d, here], insertion[d, here], deletion[d, here], gap[: high - low + 1]
        scores.add(best[d - 2, above], low, w - d, p)
        if d in forbidden:
            p[forbidden[d] - low] = problem.never
        np.subtract(deletion[d - 1, here], gap_extend, out=e)
        np.subtract(best[d - 1, here], gap_first, out=g)
        np.maximum(e, g, out=e)
        np.subtract(insertion[d - 1, above], gap_extend, out=i)
        np.subtract(best[d - 1, above], gap_first, out=g)
        np.maximum(i, g, out=i)
        np.maximum(p, i, out=g)
        np.maximum(g, e, out=best[d, here])
        if d % CHECK_EVERY == 0:
            check(0)
    check(h * w)
    return States(pair, insertion, deletion)


class NumpyBand(Band):
    """A band of which every anti-diagonal is a step in NumPy."""

    def __init__(self, problem, rules, best=None):
        super().__init__(problem, rules, best)
        h, w = problem.shape
        self._pair, self._gap, self._zero = (np.empty(h + 2, dtype=problem.dtype) for _ in range(3))
        self._looked = 0  # cells computed at the last look at the stop flag
        self._scores = PairScores(problem, (0, h, 0, w), 2 * problem.gap_extend)
        self._forbidden = forbidden_by_diagonal(problem, (0, h, 0, w))

    def go(self, stop, end, kept=None):
        self.step(kept)
        cut = self.at % band.CUT_EVERY == 0
        if not cut and self.cells - self._looked < band.LOOK_CELLS:
            return False
        self._looked = self.cells
        if stop.is_set():
            raise Stopped
        if cut:
            self.cut()
        return True

    def step(self, kept=None):
        """Continue to the next anti-diagonal; all of its values are put into `kept`."""
        problem = self.problem
        h, w = problem.shape
        gap_extend, never = problem.gap_extend, problem.never
        self.at = d = self.at + 1
        self.low, self.high = low, high = max(self.low, d - w), min(self.high + 1, h, d)
        if low > high:
            self.ended = True
            return
        here, last, before = (self._lines[(d - back) % 3] for back in range(3))
        first, end = max(low, 1), min(high, d - 1)
        if first <= end:
            size, shift = end - first + 1, w - d
            x, gap = self._pair[:size], self._gap[: size + 1]
            self._scores.add(before[first - 1 : end], first, shift, x)
            if d in self._forbidden:
                rows = self._forbidden[d]
                x[rows[(rows >= first) & (rows <= end)] - first] = never
            np.subtract(last[first - 1 : end + 1], problem.gap_first - gap_extend, out=gap)
            e, f = self._along[first : end + 1], self._down[shift + first : shift + end + 1]
            np.maximum(e, gap[1:], out=e)
            np.maximum(f, gap[:-1], out=f)
            if kept is not None:
                put(kept, d, first, x, f, e)
            np.maximum(x, e, out=x)
            if self.rules.start is Start.ANYWHERE:
                self._zero[:size].fill(gap_extend * d)
                np.maximum(x, self._zero[:size], out=x)
            values = here[first : end + 1]
            np.maximum(x, f, out=values)
            self.cells += size
            if self.rules.end is End.ANYWHERE:
                most = int(np.maximum.reduce(values)) - gap_extend * d
                if most >= self.best.score:
                    row = end - int(np.argmax(values[::-1] == most + gap_extend * d))
                    self.best.offer(most, d - row, row)
        # A gap along a border costs the same whatever its length, once it is lifted.
        border = gap_extend - problem.gap_first if self.rules.start is Start.CORNER else gap_extend * d
        if low == 0:
            here[0] = border
        if high == d:
            here[d] = border
        if low > 0:
            here[low - 1] = never
        here[high + 1] = never
        if self.rules.end is End.BORDER:
            if high == h:
                self.best.offer(self._value(h), d - h, h)
            if low == d - w:
                self.best.offer(self._value(low), w, low)

    def cut(self):
        """Cut the window back to what can still reach the bound."""
        if self.ended:
            return
        # From the line before, a pair leads past this one to the next.
        this, earlier = self._reaching(0), self._reaching(1)
        if not len(this) and not len(earlier):
            self.ended = True
            return
        lows = [int(rows[0]) + past for rows, past in ((this, 0), (earlier, 1)) if len(rows)]
        highs = [int(rows[-1]) for rows in (this, earlier) if len(rows)]
        self.low, self.high = max(self.low, min(lows)), min(self.high, max(highs))
        here = self._lines[self.at % 3]
        if self.low > 0:
            here[self.low - 1] = self.problem.never
        here[self.high + 1] = self.problem.never

    def _reaching(self, back):
        """Return the rows of this anti-diagonal, or the one before, that can reach the bound."""
        problem, rules, d = self.problem, self.rules, self.at - back
        h, w = problem.shape
        rows = np.arange(max(0, self.low - back, d - w), min(self.high, d) + 1)
        values = self._lines[d % 3][rows[0] : rows[-1] + 1] - problem.dtype.type(problem.gap_extend * d)
        rows_left, columns_left = h - rows, w - d + rows
        reached = values + problem.step * np.minimum(rows_left, columns_left)
        if rules.end is End.CORNER:
            reached -= problem.gap_extend * np.abs(rows_left - columns_left)
        bound = self._bound
        if rules.start is Start.ANYWHERE:
            bound = max(bound, self.best.score)
        reaches = reached >= bound
        if rules.positive:
            reaches &= values >= 0
        return rows[reaches]


def put(kept, d, first, pair, insertion, deletion):
    """Take over the values of an anti-diagonal from a row on, lifted."""
    at, columns = d - kept.start - 1, slice(first - kept.left, first - kept.left + len(pair))
    for op, values in zip(STATES, (pair, insertion, deletion), strict=True):
        kept.of[op][at, columns] = values
    kept.first[at], kept.end[at] = first, first + len(pair) - 1
