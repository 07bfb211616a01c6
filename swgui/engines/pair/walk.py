"""The best global alignment of a problem whose score is known: the traceback through tiles, in bounded memory.

The matrix is swept once and some rows and columns are kept. The traceback from the last vertex visits the blocks
between them one after the other; each is swept again in the same way with closer lines, until a block is small enough
for all of its values. Only tiles that can lie on an alignment with the known score are computed, so for similar
sequences it is a narrow band that becomes narrower on every level.

Which of several best alignments is found does not depend on tiles, lines or memory. Read from the end, it has an
aligned pair where there is a choice, else a query residue against a gap: the order of `swgui.engines.traceback.path`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from typing import Final

import numpy as np

from swgui.core.alignment import STATES, Op
from swgui.core.errors import Stopped
from swgui.engines.pair.problem import Problem
from swgui.engines.pair.sweep import End, Rules, Start, Sweep, outer_borders
from swgui.engines.pair.tile import Borders, States, Values, compute_states

LINE_BYTES: Final = 256 << 20  # kept rows and columns of one level
BLOCK: Final = 1024  # rows and columns of the smallest blocks
STATE_VALUES: Final = (2 * BLOCK + 1) * (BLOCK + 1)
LARGEST_TILE: Final = 1 << 15


class Walk:
    """The traceback.

    Parameters
    ----------
    problem : Problem
        With at least one row and one column.
    score : int
        Score of its best global alignment.
    positive : bool
        Whether every beginning of that alignment scores above 0.

    Attributes
    ----------
    cells, pruned, again : int
        Cells computed on all levels, left out on the first, and to be computed on further ones, as far as is known.
    """

    def __init__(self, problem: Problem, score: int, *, positive: bool, stop: threading.Event) -> None:
        self.problem, self.positive, self.stop = problem, positive, stop
        self.row, self.column = problem.shape
        # Value that each state of the vertex needs if the alignment runs through it.
        self.wanted = dict.fromkeys(STATES, score)
        self.cells = self.pruned = self.again = 0
        self._backwards: list[tuple[int, int]] = []
        self._sweep: Sweep | None = None  # of the first level
        self._resume: Mapping[str, Values] | None = None

    def state(self) -> dict[str, Values]:
        """Return the state from which another walk of the same problem can continue; copies. Empty without any."""
        if self._sweep is None:
            return {}
        numbers = [self.row, self.column, *self.wanted.values(), self.cells]
        return {
            **self._sweep.state(),
            "walk": np.array(numbers, dtype=np.int64),
            "runs": np.array(self._backwards, dtype=np.int64).reshape(-1, 2),
        }

    def restore(self, state: Mapping[str, Values]) -> None:
        """Continue from a state; call it before `run`."""
        self.row, self.column, *wanted, self.cells = state["walk"].tolist()
        self.wanted = dict(zip(STATES, wanted, strict=True))
        self._backwards = [(op, length) for op, length in state["runs"].tolist()]
        self._resume = state

    def run(self, pool: Executor | None = None) -> Iterator[bool]:
        """Go all the way; yields now and then, True where `state` is whole.

        Without a pool everything is computed by the caller's thread.

        Raises
        ------
        Stopped
            Soon after `stop` is set.
        ValueError
            If there is no alignment with this score.
        """
        borders = outer_borders(self.problem, Start.CORNER)
        yield from self._solve(self.problem, borders, Start.CORNER, (0, 0), pool, first=True)
        self._record(Op.DELETION, self.column)
        self._record(Op.INSERTION, self.row)

    def runs(self) -> list[tuple[int, int]]:
        """Return the runs walked, first column first."""
        return list(reversed(self._backwards))

    def _record(self, op: int, length: int) -> None:
        if length:
            self._backwards.append((int(op), length))

    def _solve(
        self,
        problem: Problem,
        borders: Borders,
        start: Start,
        origin: tuple[int, int],
        pool: Executor | None,
        *,
        first: bool = False,
    ) -> Iterator[bool]:
        """Walk from the last vertex of a part of the problem to its first row or column."""
        h, w = problem.shape
        if (h + w + 1) * (h + 1) <= STATE_VALUES:
            self._block(problem, compute_states(problem, borders, self._check), origin)
            yield False
            return
        spacing = self._spacing(problem)
        tile = min(spacing, LARGEST_TILE)
        rules = Rules(start, End.CORNER, min(self.wanted.values()), self.positive)
        sweep = Sweep(problem, rules, (tile, tile), borders=borders, spacing=spacing)
        if first:
            self._sweep = sweep
            self.again = (h + w) * spacing  # the blocks of the path
            if self._resume is not None:
                sweep.restore(self._resume)
        done = self.cells - sweep.cells
        for whole in sweep.run(self.stop, pool if sweep.threaded else None):
            self.cells = done + sweep.progress()
            if first:
                self.pruned = sweep.pruned
            yield first and whole
        assert sweep.lines is not None
        while self.row > origin[0] and self.column > origin[1]:
            (r0, r1, c0, c1), inner = sweep.lines.block(self.row - origin[0], self.column - origin[1])
            part = problem.part(r0, r1, c0, c1)
            yield from self._solve(part, inner, Start.GIVEN, (origin[0] + r0, origin[1] + c0), pool)
            yield first

    @staticmethod
    def _spacing(problem: Problem) -> int:
        """Return the distance of lines that fits the memory."""
        h, w = problem.shape
        least = -(-4 * h * w * problem.dtype.itemsize // LINE_BYTES)
        spacing = BLOCK
        while spacing < least:
            spacing *= 2
        return min(spacing, max(BLOCK, 1 << (max(h, w) - 1).bit_length() - 1))

    def _check(self, cells: int) -> None:
        self.cells += cells
        if self.stop.is_set():
            raise Stopped

    def _block(self, problem: Problem, states: States, origin: tuple[int, int]) -> None:
        """Walk through a block of which all values are known."""
        of = {Op.MATCH: states.pair, Op.INSERTION: states.insertion, Op.DELETION: states.deletion}
        gap_first, gap_extend = problem.gap_first, problem.gap_extend
        i, j = self.row - origin[0], self.column - origin[1]
        while i > 0 and j > 0:
            op = next((op for op in STATES if int(of[op][i + j, i]) == self.wanted[op]), None)
            if op is None:
                raise ValueError(f"No alignment with the score looked for runs through {(self.row, self.column)}.")
            value = self.wanted[op]
            if op is Op.MATCH:
                length, value = self._pairs(problem, states, i, j)
                i, j = i - length, j - length
                self.wanted = dict.fromkeys(STATES, value)
                self._record(op, length)
                continue
            self.wanted = {other: value + (gap_extend if other is op else gap_first) for other in STATES}
            i, j = (i - 1, j) if op is Op.INSERTION else (i, j - 1)
            self._record(op, 1)
        self.row, self.column = origin[0] + i, origin[1] + j

    @staticmethod
    def _pairs(problem: Problem, states: States, i: int, j: int) -> tuple[int, int]:
        """Return the number of consecutive pairs from a vertex, and the wanted state of the vertex before them."""
        steps = min(i, j)
        back = np.arange(steps)
        values = states.pair[i + j - 2 * back, i - back].astype(np.int64)
        left = values - problem.pair_scores(i - 1 - back, j - 1 - back)
        apart = np.flatnonzero(values[1:] != left[:-1])
        length = int(apart[0]) + 1 if len(apart) else steps
        return length, int(left[length - 1])
