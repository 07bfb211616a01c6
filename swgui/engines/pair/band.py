"""The score matrix of two similar sequences along its diagonal: a window of each anti-diagonal, as wide as it must be.

Where a score is known that is close to the highest there could be, the vertices that can lie on a best alignment form a
narrow band. A window follows it from the first to the last vertex: it may grow by a row on every anti-diagonal, and now
and then its ends are cut back to the vertices that can still reach the bound (the rule of `sweep`). Values are lifted,
and E and F kept, as in `tile`.

For the traceback the window is kept every few hundred anti-diagonals. The stretch between two of these is computed
again with all of its values when the path reaches it, from the last stretch to the first.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from typing import Final

import numpy as np

from swgui.core.alignment import Op
from swgui.core.errors import Stopped
from swgui.engines.pair.problem import Problem
from swgui.engines.pair.sweep import End, Rules, Start
from swgui.engines.pair.tile import Best, PairScores, Values, forbidden_by_diagonal

CUT_EVERY: Final = 64  # anti-diagonals between two looks at the ends of the window
LOOK_CELLS: Final = 2_000_000  # between two looks at the stop flag, at most: a wide window takes long to cross
KEPT_BYTES: Final = 512 << 20  # windows kept for the traceback
STRETCH_BYTES: Final = 192 << 20  # all values of one stretch
_SPACINGS: Final = (256, 512, 1024, 2048, 4096)


class Band:
    """All anti-diagonals of a problem, in a window.

    Parameters
    ----------
    problem : Problem
        With at least one row and one column.
    rules : Rules
        With a bound.
    best : Best, optional
        Best vertex so far.

    Attributes
    ----------
    cells, pruned : int
        Cells computed and left out so far.
    best : Best
    """

    threaded: Final = False

    def __init__(self, problem: Problem, rules: Rules, best: Best | None = None) -> None:
        h, w = problem.shape
        self.problem, self.rules = problem, rules
        self.best = best or Best(problem.never)
        self.cells = self.pruned = 0
        never, dtype = problem.never, problem.dtype
        # H of three anti-diagonals and E by row, F by w - column; one more row stands for what lies outside.
        self._lines = [np.full(h + 2, never, dtype=dtype) for _ in range(3)]
        self._along, self._down = np.full(h + 1, never, dtype=dtype), np.full(w + 1, never, dtype=dtype)
        self._pair, self._gap, self._zero = (np.empty(h + 2, dtype=dtype) for _ in range(3))
        self._scores = PairScores(problem, (0, h, 0, w), 2 * problem.gap_extend)
        self._forbidden = forbidden_by_diagonal(problem, (0, h, 0, w))
        self.at = 0  # anti-diagonal of the window
        self.low = self.high = 0  # its rows; one more may come before the next anti-diagonal
        self.ended = False  # nothing can reach the bound
        self._looked = 0  # cells computed at the last look at the stop flag
        self._lines[0][0] = 0

    @property
    def last(self) -> int:
        """Number of the last anti-diagonal."""
        return sum(self.problem.shape)

    def run(self, stop: threading.Event, pool: Executor | None = None) -> Iterator[bool]:
        """Compute everything; yields True now and then, when `state` is whole.

        Raises
        ------
        Stopped
            Soon after `stop` is set.
        """
        while self.at < self.last and not self.ended:
            if self.go(stop):
                yield True
        h, w = self.problem.shape
        self.pruned = h * w - self.cells
        if self.rules.end is End.CORNER and not self.ended:
            self.best.offer(self._value(h), w, h)
        yield True

    def progress(self) -> int:
        """Return the cells computed so far."""
        h, w = self.problem.shape
        inside, rows, columns = (max(0, self.at - less) for less in (1, h + 1, w + 1))
        passed = (inside * (inside + 1) - rows * (rows + 1) - columns * (columns + 1)) // 2
        self.pruned = max(self.pruned, passed - self.cells)
        return self.cells

    def _value(self, row: int) -> int:
        return int(self._lines[self.at % 3][row]) - self.problem.gap_extend * self.at

    def go(self, stop: threading.Event, kept: Stretch | None = None) -> bool:
        """Take a step, cut now and then, and say whether `stop` was looked at: so the caller may report.

        Raises
        ------
        Stopped
            If it is set.
        """
        self.step(kept)
        cut = self.at % CUT_EVERY == 0
        if not cut and self.cells - self._looked < LOOK_CELLS:
            return False
        self._looked = self.cells
        if stop.is_set():
            raise Stopped
        if cut:
            self.cut()
        return True

    def step(self, kept: Stretch | None = None) -> None:
        """Go on to the next anti-diagonal; all of its values are put into `kept`."""
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
                kept.put(d, first, x, f, e)
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

    def cut(self) -> None:
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

    def _reaching(self, back: int) -> Values:
        """Return the rows of this anti-diagonal, or the one before, that can reach the bound."""
        problem, rules, d = self.problem, self.rules, self.at - back
        h, w = problem.shape
        rows = np.arange(max(0, self.low - back, d - w), min(self.high, d) + 1)
        values = self._lines[d % 3][rows[0] : rows[-1] + 1] - problem.dtype.type(problem.gap_extend * d)
        rows_left, columns_left = h - rows, w - d + rows
        reached = values + problem.step * np.minimum(rows_left, columns_left)
        if rules.end is End.CORNER:
            reached -= problem.gap_extend * np.abs(rows_left - columns_left)
        bound = rules.bound if rules.bound is not None else problem.never
        if rules.start is Start.ANYWHERE:
            bound = max(bound, self.best.score)
        reaches = reached >= bound
        if rules.positive:
            reaches &= values >= 0
        found: Values = rows[reaches]
        return found

    def state(self) -> dict[str, Values]:
        """Return from where another band of the same problem can go on; copies."""
        low, high, d, w = max(0, self.low - 1), self.high + 2, self.at, self.problem.shape[1]
        f = slice(max(0, w - d + low), max(0, w - d + high))
        best = self.best
        known = [d, self.low, self.high, self.cells, best.score, best.column, best.row]
        return {
            "this": self._lines[d % 3][low:high].copy(),
            "earlier": self._lines[(d - 1) % 3][low:high].copy(),
            "along": self._along[low:high].copy(),
            "down": self._down[f].copy(),
            "known": np.array(known, dtype=np.int64),
        }

    def restore(self, state: Mapping[str, Values], ahead: int | None = None) -> bool:
        """Go on from a state; False if it does not fit.

        Parameters
        ----------
        ahead : int, optional
            How many anti-diagonals will be computed, if not all of them: saves time.
        """
        if "this" not in state:
            return False
        w = self.problem.shape[1]
        d, self.low, self.high, self.cells, *best = state["known"].tolist()
        self.at, self.best = d, Best(*best)
        self.ended, self._looked = False, self.cells
        ahead = self.last - d if ahead is None else ahead
        low, high = max(0, self.low - 1), self.high + 2
        for array in (*self._lines, self._along):
            array[low : high + ahead] = self.problem.never
        self._down[max(0, w - d - ahead + low) : max(0, w - d + high + ahead)] = self.problem.never
        self._lines[d % 3][low:high] = state["this"]
        self._lines[(d - 1) % 3][low:high] = state["earlier"]
        self._along[low:high] = state["along"]
        self._down[max(0, w - d + low) : max(0, w - d + high)] = state["down"]
        return True


class Stretch:
    """All values of some anti-diagonals: ``[d - start - 1, row - left]``.

    Parameters
    ----------
    band : Band
        At the anti-diagonal before the first.
    end : int
        The last anti-diagonal.
    """

    def __init__(self, band: Band, end: int) -> None:
        self.start, self.left = band.at, band.low
        self.gap_extend = band.problem.gap_extend
        count = end - band.at
        shape = count, band.high - band.low + 1 + count
        self.of = {op: np.empty(shape, dtype=band.problem.dtype) for op in Op}
        # Rows that have values, end included; empty where there are none.
        self.first, self.end = np.ones(count, dtype=np.int64), np.zeros(count, dtype=np.int64)

    def put(self, d: int, first: int, pair: Values, insertion: Values, deletion: Values) -> None:
        """Take over the values of an anti-diagonal from a row on, lifted."""
        at, columns = d - self.start - 1, slice(first - self.left, first - self.left + len(pair))
        for op, values in ((Op.MATCH, pair), (Op.INSERTION, insertion), (Op.DELETION, deletion)):
            self.of[op][at, columns] = values
        self.first[at], self.end[at] = first, first + len(pair) - 1

    def has(self, d: int, row: int) -> bool:
        """Whether a vertex has values."""
        return bool(self.first[d - self.start - 1] <= row <= self.end[d - self.start - 1])

    def value(self, op: Op, d: int, row: int) -> int:
        """Return the value of a state of a vertex."""
        return int(self.of[op][d - self.start - 1, row - self.left]) - self.gap_extend * d


def spacing_for(problem: Problem, score: int) -> int:
    """Return how many anti-diagonals to leave between two windows kept; 0 if the memory is too small for any.

    Parameters
    ----------
    score : int
        Of the best global alignment.
    """
    h, w = problem.shape
    slack = max(0, problem.step * min(h, w) - score)
    width = abs(h - w) + 2 * CUT_EVERY + 2 * slack // max(1, 2 * problem.gap_extend + problem.step)
    width = min(width, min(h, w) + 1)
    item = problem.dtype.itemsize
    for spacing in _SPACINGS:
        kept, stretch = 4 * item * width * ((h + w) // spacing + 1), 3 * item * spacing * (width + spacing)
        if kept <= KEPT_BYTES and stretch <= STRETCH_BYTES:
            return spacing
    return 0


class BandWalk:
    """The best global alignment of a problem whose score is known, as `swgui.engines.pair.walk.Walk`, in a band.

    Parameters
    ----------
    problem : Problem
    score : int
    positive : bool
        Whether no beginning of that alignment scores below 0.
    stop : threading.Event
    spacing : int
        As `spacing_for` gives it.

    Attributes
    ----------
    cells, pruned, again : int
        Cells computed in both directions, left out, and to be computed a second time as far as is known.
    """

    def __init__(self, problem: Problem, score: int, *, positive: bool, stop: threading.Event, spacing: int) -> None:
        self.problem, self.stop, self.spacing = problem, stop, spacing
        self.rules = Rules(Start.CORNER, End.CORNER, score, positive)
        self.row, self.column = problem.shape
        self.wanted = dict.fromkeys(Op, score)
        self.cells = self.pruned = self.again = 0
        self._backwards: list[tuple[int, int]] = []

    def runs(self) -> list[tuple[int, int]]:
        """Return the runs walked, first column first."""
        return list(reversed(self._backwards))

    def state(self) -> dict[str, Values]:
        """Return nothing: a band is quick to begin again."""
        return {}

    def restore(self, state: Mapping[str, Values]) -> None:
        """Begin again."""

    def run(self, pool: Executor | None = None) -> Iterator[bool]:
        """Go all the way; yields now and then.

        Raises
        ------
        Stopped
            Soon after `stop` is set.
        ValueError
            If there is no alignment with this score.
        """
        band = Band(self.problem, self.rules)
        kept = [band.state()]
        while band.at < band.last and not band.ended:
            if band.go(self.stop):
                band.progress()
                self.cells, self.pruned = band.cells, band.pruned
                yield False
            if band.at % self.spacing == 0:
                kept.append(band.state())
        self.cells, done = band.cells, band.cells
        self.pruned = self.problem.shape[0] * self.problem.shape[1] - band.cells
        self.again = band.cells  # or a little more, because stretches are cut later
        while self.row > 0 and self.column > 0:
            end = self.row + self.column
            while kept and int(kept[-1]["known"][0]) >= end:
                kept.pop()
            state = kept.pop()
            band.restore(state, end - int(state["known"][0]))
            stretch, before = Stretch(band, end), band.cells
            while band.at < end and not band.ended:
                if band.go(self.stop, stretch):
                    self.cells = done + band.cells - before
                    yield False
            done += band.cells - before
            self.cells = done
            if self.stop.is_set():
                raise Stopped
            self._walk(stretch)
            yield False
        self._record(Op.DELETION, self.column)
        self._record(Op.INSERTION, self.row)

    def _record(self, op: int, length: int) -> None:
        if length:
            self._backwards.append((int(op), length))

    def _walk(self, stretch: Stretch) -> None:
        """Walk to the start of a stretch."""
        gap_first, gap_extend = self.problem.gap_first, self.problem.gap_extend
        while self.row > 0 and self.column > 0 and (d := self.row + self.column) > stretch.start:
            ops = Op if stretch.has(d, self.row) else ()
            op = next((op for op in ops if stretch.value(op, d, self.row) == self.wanted[op]), None)
            if op is None:
                raise ValueError(f"No alignment with the score looked for runs through {(self.row, self.column)}.")
            if op is Op.MATCH:
                self._pairs(stretch, d)
                continue
            value = self.wanted[op]
            self.wanted = {other: value + (gap_extend if other is op else gap_first) for other in Op}
            self.row, self.column = self.row - (op is Op.INSERTION), self.column - (op is Op.DELETION)
            self._record(op, 1)

    def _pairs(self, stretch: Stretch, d: int) -> None:
        """Take all pairs that follow each other."""
        back = np.arange(min(self.row, self.column, (d - stretch.start + 1) // 2))
        rows, columns, lines = self.row - back, self.column - back, d - 2 * back - stretch.start - 1
        inside = (rows >= stretch.first[lines]) & (rows <= stretch.end[lines])
        outside = np.flatnonzero(~inside)
        if len(outside):
            stop = int(outside[0])
            back, rows, columns, lines = back[:stop], rows[:stop], columns[:stop], lines[:stop]
        values = stretch.of[Op.MATCH][lines, rows - stretch.left].astype(np.int64) - stretch.gap_extend * (d - 2 * back)
        left = values - self.problem.pair_scores(rows - 1, columns - 1)
        apart = np.flatnonzero(values[1:] != left[:-1])
        length = int(apart[0]) + 1 if len(apart) else len(back)
        self.wanted = dict.fromkeys(Op, int(left[length - 1]))
        self.row, self.column = self.row - length, self.column - length
        self._record(Op.MATCH, length)
