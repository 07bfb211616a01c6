"""The score matrix tile by tile, in linear memory, leaving out tiles that cannot matter.

Tiles of one anti-diagonal are independent and go to the threads together. Between them only a frontier is kept: the
lowest row computed so far in every column and the rightmost column in every row. Where the path is wanted afterwards
some whole rows and columns are kept, too (`Lines`).

**Left out.** From a vertex with value V no alignment can gain more than ``step`` per row and column left. Where V and
that stay below a score that is known to be reached, the vertex is not on a best alignment; a tile whose borders have no
better vertex (and in which none may start) is not computed. Its own lower and right borders then count as never
reached, or as starts, which is below their true value, so nothing that matters changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from typing import Final

import numpy as np

from swgui.core.errors import Stopped
from swgui.engines.pair.problem import Problem
from swgui.engines.pair.tile import Best, Borders, Values, compute_tile
from swgui.engines.pair.tuning import TUNING

POLL_SECONDS: Final = 0.05

TileRange = tuple[int, int, int, int]  # first and end row, first and end column


class Start(Enum):
    """Places where an alignment may start."""

    ANYWHERE = auto()
    BORDER = auto()  # any vertex without query or without subject residues used
    CORNER = auto()  # the first vertex
    GIVEN = auto()  # the borders have values


class End(Enum):
    """Places where an alignment may end."""

    ANYWHERE = auto()
    BORDER = auto()  # any vertex with all of the query or all of the subject used
    CORNER = auto()  # the last vertex


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Goal of the sweep."""

    start: Start
    end: End
    bound: int | None = None  # A score known to be reachable; parts that cannot reach it are skipped
    positive: bool = False  # whether values below 0 cannot be on the alignment looked for


class _Frontier:
    """Values up to which the matrix is computed.

    Parameters
    ----------
    starts : list of int
        First row of each row of tiles.
    """

    def __init__(self, borders: Borders, starts: list[int]) -> None:
        self.row_h, self.row_f = borders.row_h.copy(), borders.row_f.copy()
        self.column_h, self.column_e = borders.column_h.copy(), borders.column_e.copy()
        # H of the vertex at which the next tile of each row of tiles begins.
        self.corners = self.column_h[starts].copy()

    def before(self, row: int, place: TileRange) -> Borders:
        """Return upper and left borders of a tile; copies, because its neighbours move on."""
        r0, r1, c0, c1 = place
        row_h, column_h = self.row_h[c0 : c1 + 1].copy(), self.column_h[r0 : r1 + 1].copy()
        row_h[0] = column_h[0] = self.corners[row]
        return Borders(row_h, self.row_f[c0 : c1 + 1].copy(), column_h, self.column_e[r0 : r1 + 1].copy())

    def move(self, row: int, place: TileRange, after: Borders) -> None:
        """Take over a tile's lower and right borders."""
        r0, r1, c0, c1 = place
        self.corners[row] = self.row_h[c1]
        self.row_h[c0 + 1 : c1 + 1], self.row_f[c0 + 1 : c1 + 1] = after.row_h[1:], after.row_f[1:]
        self.column_h[r0 + 1 : r1 + 1], self.column_e[r0 + 1 : r1 + 1] = after.column_h[1:], after.column_e[1:]


class Lines:
    """Whole rows and columns of vertices that are kept.

    Parameters
    ----------
    spacing : int
        Vertices between two lines; a multiple of the tiles' size.
    never : int
        Value of a skipped vertex.
    """

    def __init__(self, borders: Borders, spacing: int, never: int) -> None:
        self.spacing, self.never = spacing, never
        self.rows: dict[int, tuple[Values, Values]] = {0: (borders.row_h, borders.row_f)}
        self.columns: dict[int, tuple[Values, Values]] = {0: (borders.column_h, borders.column_e)}

    def keep(self, place: TileRange, after: Borders) -> None:
        """Keep the borders of a tile that lie on a line."""
        r0, r1, c0, c1 = place
        if r1 % self.spacing == 0:
            h, f = self._row(r1)
            h[c0 + 1 : c1 + 1], f[c0 + 1 : c1 + 1] = after.row_h[1:], after.row_f[1:]
        if c1 % self.spacing == 0:
            h, e = self._column(c1)
            h[r0 + 1 : r1 + 1], e[r0 + 1 : r1 + 1] = after.column_h[1:], after.column_e[1:]

    def _row(self, index: int) -> tuple[Values, Values]:
        return self._line(self.rows, index, self.rows[0][0], self.columns[0][0])

    def _column(self, index: int) -> tuple[Values, Values]:
        return self._line(self.columns, index, self.columns[0][0], self.rows[0][0])

    def _line(
        self, lines: dict[int, tuple[Values, Values]], index: int, along: Values, across: Values
    ) -> tuple[Values, Values]:
        if index not in lines:
            lines[index] = np.full(len(along), self.never, dtype=along.dtype), np.full_like(along, self.never)
            lines[index][0][0] = across[index]
        return lines[index]

    def state(self) -> dict[str, Values]:
        """Return all lines but the outer borders, by name."""
        kept = {}
        for kind, lines in (("row", self.rows), ("column", self.columns)):
            for index, (h, gap) in lines.items():
                if index:
                    kept[f"{kind} {index} h"], kept[f"{kind} {index} gap"] = h.copy(), gap.copy()
        return kept

    def restore(self, state: Mapping[str, Values]) -> None:
        """Take over the result of `state`."""
        for name in state:
            kind, *numbers = name.split(" ")
            if kind in ("row", "column") and numbers[1] == "h":
                lines = self.rows if kind == "row" else self.columns
                dtype = self.rows[0][0].dtype
                lines[int(numbers[0])] = state[name].astype(dtype), state[f"{kind} {numbers[0]} gap"].astype(dtype)

    def block(self, row: int, column: int) -> tuple[TileRange, Borders]:
        """Return the block of which a vertex, not of the first row or column, is the last one."""
        r0, c0 = (row - 1) // self.spacing * self.spacing, (column - 1) // self.spacing * self.spacing
        # No tile on one side of a line may have mattered; then it is made now.
        (row_h, row_f), (column_h, column_e) = self._row(r0), self._column(c0)
        inside = slice(c0, column + 1), slice(r0, row + 1)
        return (r0, row, c0, column), Borders(
            row_h[inside[0]], row_f[inside[0]], column_h[inside[1]], column_e[inside[1]]
        )


def outer_borders(problem: Problem, start: Start) -> Borders:
    """Return the upper and left borders of a whole pair."""
    h, w = problem.shape
    if start is Start.CORNER:
        row_h, column_h = problem.gaps(w), problem.gaps(h)
    else:
        row_h, column_h = np.zeros(w + 1, dtype=problem.dtype), np.zeros(h + 1, dtype=problem.dtype)
    # A gap along a border is in H; its continuation in the other direction is a new gap.
    return Borders(row_h, np.full_like(row_h, problem.never), column_h, np.full_like(column_h, problem.never))


class Sweep:
    """All tiles of a problem.

    Parameters
    ----------
    borders : Borders, optional
        Upper and left borders; those of a whole pair if not given.
    spacing : int
        Keep lines that far apart; 0 for none.

    Attributes
    ----------
    cells, pruned : int
        Cells computed and left out so far.
    """

    def __init__(
        self,
        problem: Problem,
        rules: Rules,
        tile: tuple[int, int],
        *,
        borders: Borders | None = None,
        spacing: int = 0,
        best: Best | None = None,
    ) -> None:
        h, w = problem.shape
        self.problem, self.rules = problem, rules
        borders = borders or outer_borders(problem, rules.start)
        self.rows = list(pairwise([*range(0, h, tile[0]), h]))
        self.columns = list(pairwise([*range(0, w, tile[1]), w]))
        self.frontier = _Frontier(borders, [r0 for r0, _ in self.rows])
        self.lines = Lines(borders, spacing, problem.never) if spacing else None
        self.best = best or Best(problem.never)
        self.wave = 0
        self.cells = self.pruned = 0
        self._under_way = 0

    @property
    def threaded(self) -> bool:
        """Whether tiles are worth threads: small ones are mostly the interpreter's work, which does one at a time.

        A large one takes seconds, so it goes to a thread, also if there is only one, for the caller to hear of it.
        """
        rows: int = self.rows[0][1]
        return rows >= TUNING.threaded_rows

    @property
    def waves(self) -> int:
        """Number of anti-diagonals of tiles."""
        return len(self.rows) + len(self.columns) - 1

    def state(self) -> dict[str, Values]:
        """Return the state from which another sweep of the same problem can continue; copies."""
        f = self.frontier
        numbers = [self.wave, self.cells, self.pruned, self.best.score, self.best.column, self.best.row]
        return {
            "row_h": f.row_h.copy(),
            "row_f": f.row_f.copy(),
            "column_h": f.column_h.copy(),
            "column_e": f.column_e.copy(),
            "corners": f.corners.copy(),
            "known": np.array(numbers, dtype=np.int64),
            **(self.lines.state() if self.lines is not None else {}),
        }

    def restore(self, state: Mapping[str, Values]) -> bool:
        """Continue from a state; False if it does not fit."""
        f = self.frontier
        names = ("row_h", "row_f", "column_h", "column_e", "corners")
        if any(name not in state or state[name].shape != getattr(f, name).shape for name in names):
            return False
        for name in names:
            setattr(f, name, state[name].astype(self.problem.dtype))
        self.wave, self.cells, self.pruned, score, column, row = state["known"].tolist()
        self.best = Best(score, column, row)
        self._under_way = self.cells
        if self.lines is not None:
            self.lines.restore(state)
        return True

    def run(self, stop: threading.Event, pool: Executor | None = None) -> Iterator[bool]:
        """Compute everything; yields now and then, True where `state` is whole.

        Without a pool everything is computed by the caller's thread.

        Raises
        ------
        Stopped
            Soon after `stop` is set.
        """
        while self.wave < self.waves:
            low = max(0, self.wave - len(self.columns) + 1)
            high = min(self.wave, len(self.rows) - 1)
            alive = []
            for row in range(low, high + 1):
                if stop.is_set():  # to leave out hundreds of tiles takes a while, too
                    raise Stopped
                place = (*self.rows[row], *self.columns[self.wave - row])
                before = self.frontier.before(row, place)
                if self._matters(place, before):
                    alive.append((row, place, before))
                else:
                    self._leave_out(row, place)
            yield from self._compute(alive, stop, pool)
            self.wave += 1
            yield True
        if self.rules.end is End.CORNER:
            self.best.offer(int(self.frontier.row_h[-1]), *reversed(self.problem.shape))

    def _compute(
        self, alive: list[tuple[int, TileRange, Borders]], stop: threading.Event, pool: Executor | None
    ) -> Iterator[bool]:
        left = threading.Event()  # no caller waits for the tiles any more

        def check(cells: int) -> None:
            self._under_way += cells
            if stop.is_set() or left.is_set():
                raise Stopped

        if pool is None:
            for row, place, before in alive:
                self._take(row, place, *self.compute_next(place, before, check))
                yield False
            return
        futures: dict[Future[tuple[Borders, Best]], tuple[int, TileRange]] = {
            pool.submit(self.compute_next, place, before, check): (row, place) for row, place, before in alive
        }
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for future in done:
                    self._take(*futures[future], *future.result())
                yield False
        finally:
            left.set()
            for future in waiting:
                future.cancel()
            wait(waiting)

    def compute_next(self, place: TileRange, before: Borders, check: Callable[[int], None]) -> tuple[Borders, Best]:
        best = Best(self.best.score, self.best.column, self.best.row)
        asked = best if self.rules.end is End.ANYWHERE else None
        floor = self.rules.start is Start.ANYWHERE
        return compute_tile(self.problem, place, before, asked, floor=floor, check=check), best

    def _take(self, row: int, place: TileRange, after: Borders, best: Best) -> None:
        self.frontier.move(row, place, after)
        if self.lines is not None:
            self.lines.keep(place, after)
        r0, r1, c0, c1 = place
        self.cells += (r1 - r0) * (c1 - c0)
        if best.known:
            self.best.offer(best.score, best.column, best.row)
        if self.rules.end is End.BORDER:
            h, w = self.problem.shape
            if r1 == h:
                index = int(np.argmax(after.row_h[1:])) + 1  # the first of equals
                self.best.offer(int(after.row_h[index]), c0 + index, h)
            if c1 == w:
                index = int(np.argmax(after.column_h[1:])) + 1
                self.best.offer(int(after.column_h[index]), w, r0 + index)

    def _leave_out(self, row: int, place: TileRange) -> None:
        r0, r1, c0, c1 = place
        never, dtype = self.problem.never, self.problem.dtype
        least = 0 if self.rules.start is Start.ANYWHERE else never
        row_h, column_h = np.full(c1 - c0 + 1, least, dtype=dtype), np.full(r1 - r0 + 1, least, dtype=dtype)
        after = Borders(row_h, np.full_like(row_h, never), column_h, np.full_like(column_h, never))
        self.frontier.move(row, place, after)
        self.pruned += (r1 - r0) * (c1 - c0)

    def _matters(self, place: TileRange, before: Borders) -> bool:
        """Whether a best alignment can run through a tile."""
        rules, problem = self.rules, self.problem
        r0, r1, c0, c1 = place
        h, w = problem.shape
        bound = rules.bound
        if rules.start is Start.ANYWHERE:
            bound = max(self.best.score, 0 if bound is None else bound)
            if problem.step * min(h - r0, w - c0) >= bound:
                return True
        most = max(int(before.row_h.max()), int(before.column_h.max()))
        if most <= problem.never // 2 or (rules.positive and most < 0):
            return False
        if bound is None:
            return True
        columns, rows = np.arange(c0, c1 + 1), np.arange(r0, r1 + 1)
        return self._reaches(before.row_h, h - r0, w - columns, bound) or self._reaches(
            before.column_h, h - rows, w - c0, bound
        )

    def _reaches(self, values: Values, rows: int | Values, columns: int | Values, bound: int) -> bool:
        """Whether a vertex with so many rows and columns left can still reach the bound."""
        reached = values + self.problem.step * np.minimum(rows, columns)
        if self.rules.end is End.CORNER:
            reached -= self.problem.gap_extend * np.abs(np.subtract(rows, columns))
        if self.rules.positive:
            reached[values < 0] = self.problem.never
        return bool(reached.max() >= bound)

    def progress(self) -> int:
        """Return the cells computed so far, those of tiles under way included."""
        return max(self.cells, self._under_way)
