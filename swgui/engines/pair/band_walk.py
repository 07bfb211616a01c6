"""The best global alignment of two similar sequences whose score is known: the traceback through a band.

The window of a band is kept every few hundred anti-diagonals. The stretch between two of these is computed again with
all of its values when the path reaches it, from the last stretch to the first.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from typing import Final

import numpy as np

from swgui.core.alignment import STATES, Op
from swgui.core.errors import Stopped
from swgui.engines.pair.band import CUT_EVERY, Band, BandPart
from swgui.engines.pair.problem import Problem
from swgui.engines.pair.sweep import End, Rules, Start
from swgui.engines.pair.tile import Values

KEPT_BYTES: Final = 512 << 20  # windows kept for the traceback
STRETCH_BYTES: Final = 192 << 20  # all values of one stretch
_SPACINGS: Final = (256, 512, 1024, 2048, 4096)  # multiples of `CUT_EVERY`


def spacing_for(problem: Problem, score: int) -> int:
    """Return the number of anti-diagonals between two kept windows; 0 if the memory is too small for any.

    Parameters
    ----------
    score : int
        Score of the best global alignment.
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
    positive : bool
        Whether no beginning of that alignment scores below 0.
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
        self.wanted = dict.fromkeys(STATES, score)
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
            band.advance(self.stop, (band.at // self.spacing + 1) * self.spacing)
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
            stretch, before = BandPart(band, end), band.cells
            while band.at < end and not band.ended:
                band.advance(self.stop, end, stretch)
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

    def _walk(self, stretch: BandPart) -> None:
        """Walk to the start of a stretch."""
        gap_first, gap_extend = self.problem.gap_first, self.problem.gap_extend
        while self.row > 0 and self.column > 0 and (d := self.row + self.column) > stretch.start:
            ops = STATES if stretch.has(d, self.row) else ()
            op = next((op for op in ops if stretch.value(op, d, self.row) == self.wanted[op]), None)
            if op is None:
                raise ValueError(f"No alignment with the score looked for runs through {(self.row, self.column)}.")
            if op is Op.MATCH:
                self._pairs(stretch, d)
                continue
            value = self.wanted[op]
            self.wanted = {other: value + (gap_extend if other is op else gap_first) for other in STATES}
            self.row, self.column = self.row - (op is Op.INSERTION), self.column - (op is Op.DELETION)
            self._record(op, 1)

    def _pairs(self, stretch: BandPart, d: int) -> None:
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
        self.wanted = dict.fromkeys(STATES, int(left[length - 1]))
        self.row, self.column = self.row - length, self.column - length
        self._record(Op.MATCH, length)
