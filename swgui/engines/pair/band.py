"""The score matrix of two similar sequences along its diagonal: a window of each anti-diagonal, as wide as it must be.

Where a score is known that is close to the highest there could be, the vertices that can lie on a best alignment form a
narrow band. A window follows it from the first to the last vertex: it may grow by a row on every anti-diagonal, and now
and then its ends are cut back to the vertices that can still reach the bound (the rule of `sweep`). Values are lifted,
and E and F kept, as in `tile`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import STATES, Op
from swgui.core.errors import Stopped
from swgui.engines.native import pair_band as native
from swgui.engines.pair.problem import Problem
from swgui.engines.pair.sweep import End, Rules, Start
from swgui.engines.pair.tile import Best, Values, tile_scores

CUT_EVERY: Final = 64  # anti-diagonals between two looks at the ends of the window
LOOK_CELLS: Final = 2_000_000  # between two looks at the stop flag, at most: a wide window takes long to cross
_STARTS: Final = {Start.ANYWHERE: native.ANYWHERE, Start.BORDER: native.BORDER, Start.CORNER: native.CORNER}
_ENDS: Final = {End.ANYWHERE: native.ANYWHERE, End.BORDER: native.BORDER, End.CORNER: native.CORNER}


class Band:
    """All anti-diagonals of a problem, in a window.

    Parameters
    ----------
    problem : Problem
        With at least one row and one column.
    rules : Rules
        With a bound.

    Attributes
    ----------
    cells, pruned : int
        Cells computed and left out so far.
    """

    threaded: Final = False

    def __init__(self, problem: Problem, rules: Rules, best: Best | None = None) -> None:
        h, w = problem.shape
        self.problem, self.rules = problem, rules
        self.best = best or Best(problem.never)
        self.cells = self.pruned = 0
        never, dtype = problem.never, problem.dtype
        # H of three anti-diagonals and E by row, F by w - column; one more row is the outside.
        self._lines = [np.full(h + 2, never, dtype=dtype) for _ in range(3)]
        self._along, self._down = np.full(h + 1, never, dtype=dtype), np.full(w + 1, never, dtype=dtype)
        self.at = 0  # anti-diagonal of the window
        self.low = self.high = 0  # its rows; one more may come before the next anti-diagonal
        self.ended = False  # nothing can reach the bound
        self._lines[0][0] = 0

    @cached_property
    def _filling(self) -> native.BandFilling:
        problem, rules = self.problem, self.rules
        h, w = problem.shape
        return native.BandFilling(
            tile_scores(problem, (0, h, 0, w), 2 * problem.gap_extend),
            (h, w),
            (problem.gap_first - problem.gap_extend, problem.gap_extend, problem.never),
            (self._along, self._down, *self._lines),
            (_STARTS[rules.start], _ENDS[rules.end], self._bound, int(rules.positive), problem.step, CUT_EVERY),
        )

    @property
    def _bound(self) -> int:
        return self.rules.bound if self.rules.bound is not None else self.problem.never

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
            self.advance(stop, self.last)
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

    def advance(self, stop: threading.Event, end: int, kept: BandPart | None = None) -> None:
        """Advance by about `LOOK_CELLS`, to an anti-diagonal at most, with cuts now and then; `kept` takes all values.

        Raises
        ------
        Stopped
            If it is set.
        """
        if stop.is_set():
            raise Stopped
        best = self.best
        numbers = [self.at, self.low, self.high, self.ended, self.cells, best.score, best.column, best.row]
        state = np.array(numbers, dtype=np.int64)
        self._filling.run(state, end, LOOK_CELLS, kept.arrays() if kept is not None else None)
        self.at, self.low, self.high, ended, self.cells, *rest = state.tolist()
        self.ended = bool(ended)
        best.score, best.column, best.row = rest

    def state(self) -> dict[str, Values]:
        """Return the state from which another band of the same problem can continue; copies."""
        low, high, d, w = max(0, self.low - 1), self.high + 2, self.at, self.problem.shape[1]
        f = slice(max(0, w - d + low), max(0, w - d + high))
        best = self.best
        numbers = [d, self.low, self.high, self.cells, best.score, best.column, best.row]
        return {
            "this": self._lines[d % 3][low:high].copy(),
            "earlier": self._lines[(d - 1) % 3][low:high].copy(),
            "along": self._along[low:high].copy(),
            "down": self._down[f].copy(),
            "known": np.array(numbers, dtype=np.int64),
        }

    def restore(self, state: Mapping[str, Values], ahead: int | None = None) -> bool:
        """Continue from a state; False if it does not fit.

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
        self.ended = False
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


class BandPart:
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
        self.of = {op: np.empty(shape, dtype=band.problem.dtype) for op in STATES}
        # Rows that have values, end included; empty where there are none.
        self.first, self.end = np.ones(count, dtype=np.int64), np.zeros(count, dtype=np.int64)

    def arrays(self) -> tuple[list[NDArray[np.signedinteger]], int, int]:
        """Return everything as compiled code takes it."""
        values = [self.of[op] for op in STATES]
        return [*values, self.first, self.end], self.start, self.left

    def has(self, d: int, row: int) -> bool:
        """Whether a vertex has values."""
        return bool(self.first[d - self.start - 1] <= row <= self.end[d - self.start - 1])

    def value(self, op: Op, d: int, row: int) -> int:
        """Return the value of a state of a vertex."""
        return int(self.of[op][d - self.start - 1, row - self.left]) - self.gap_extend * d
