"""One pair tile by tile, whatever the kernels run on: borders of tiles on the host, one tile's cells on the device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.errors import EngineFault
from swgui.core.pair.problem import PairEnd
from swgui.papers.tiled.shape import BLOCK, TileShape

NEVER: Final = -(1 << 29)  # as in tile_params.cuh
POSITION_BITS: Final = 17


@dataclass(frozen=True, slots=True, eq=False)
class TileWork:
    """One tile, with the parts of the borders that go in and come out.

    Parameters
    ----------
    top, left : ndarray, dtype=int32
        Values above and left of it.
    corners : ndarray, shape=(2 x blocks + 2,), dtype=int32
        H up-left of the blocks of the first row and column, and 0: the number of launches so far.
    bottom, right : ndarray, dtype=int32
        Where those of its last row and column go.
    """

    place: NDArray[np.int32]  # shape (4,): first row, first column, rows, columns
    top: NDArray[np.int32]
    left: NDArray[np.int32]
    corners: NDArray[np.int32]
    bottom: NDArray[np.int32]
    right: NDArray[np.int32]


class TileMachine(Protocol):
    """What tiles are computed on: a card, or in tests the CPU."""

    def border(self, lines: int, length: int, words: int) -> NDArray[np.int32]:
        """Allocate a host array of such a shape."""

    def fill(self, work: TileWork) -> None:
        """Begin to compute a tile; it may go on beside others until `finish`."""

    def finish(self) -> None:
        """Wait for all tiles."""

    def best(self) -> int:
        """Return the best cell so far as the kernels pack it."""

    def trace(self, work: TileWork, cursor: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Compute a tile with directions and walk through it; `cursor` is as in ``walk_tile``."""


@dataclass(slots=True, eq=False)
class TileRun:
    """The borders of all tiles of one pair.

    Parameters
    ----------
    rows, columns : int
        Lengths of query and subject.
    """

    machine: TileMachine
    shape: TileShape
    rows: int
    columns: int
    _across: NDArray[np.int32] = field(init=False, repr=False)  # above each row of tiles, and below the last
    _down: NDArray[np.int32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        shape = self.shape
        self._across = self.machine.border(shape.tiles(self.rows) + 1, self.columns, shape.border_words)
        self._down = self.machine.border(shape.tiles(self.columns) + 1, self.rows, shape.border_words)
        for border in (self._across, self._down):
            border[0, :, 0] = 0
            border[0, :, 1:] = NEVER

    @property
    def diagonals(self) -> int:
        return self.shape.tiles(self.rows) + self.shape.tiles(self.columns) - 1

    def fill(self, diagonal: int) -> Iterator[int]:
        """Compute the tiles of an anti-diagonal; yields the cells of each when it has been begun."""
        across, down = self.shape.tiles(self.columns), self.shape.tiles(self.rows)
        for i in range(max(0, diagonal - across + 1), min(diagonal, down - 1) + 1):
            work = self.work(i, diagonal - i)
            self.machine.fill(work)
            yield int(work.place[2]) * int(work.place[3])
        self.machine.finish()

    def work(self, i: int, j: int) -> TileWork:
        """Return the tile in row `i` and column `j` of tiles."""
        size = self.shape.tile
        row, column = i * size, j * size
        last_row, last_column = min(row + size, self.rows), min(column + size, self.columns)
        top, left = self._across[i, column:last_column], self._down[j, row:last_row]
        middle = self.shape.blocks
        corners = np.zeros(2 * middle + 2, dtype=np.int32)
        corners[middle] = self._across[i, column - 1, 0] if i and j else 0
        # The corner of a block on the tile's first row (column) is the last value above (left of) the block before it.
        above, beside = top[BLOCK - 1 :: BLOCK, 0], left[BLOCK - 1 :: BLOCK, 0]
        corners[middle - len(above) : middle] = above[::-1]
        corners[middle + 1 : middle + 1 + len(beside)] = beside
        return TileWork(
            place=np.array([row, column, last_row - row, last_column - column], dtype=np.int32),
            top=top,
            left=left,
            corners=corners,
            bottom=self._across[i + 1, column:last_column],
            right=self._down[j + 1, row:last_row],
        )

    def end(self) -> PairEnd:
        """Return the best cell of the tiles that are finished."""
        packed = self.machine.best()
        if not packed:
            return PairEnd(0, 0, 0)
        last = (1 << POSITION_BITS) - 1
        row, column = last - (packed & last), last - (packed >> POSITION_BITS & last)
        return PairEnd(packed >> 2 * POSITION_BITS, row + 1, column + 1)

    def path(self, end: PairEnd) -> Iterator[int | Alignment]:
        """Walk from the best cell back through its tiles, each computed again; yields their cells, then the alignment.

        Raises
        ------
        EngineFault
            If the walk does not end where a path can begin.
        """
        size = self.shape.tile
        row, column, matrix = end.query_end, end.subject_end, 0
        parts = []
        begins = False
        while row and column and not begins:
            i, j = (row - 1) // size, (column - 1) // size
            work = self.work(i, j)
            cursor = np.array([row - i * size, column - j * size, matrix, 0, 0], dtype=np.int32)
            parts.append(self.machine.trace(work, cursor))
            before = row, column
            row, column, matrix = i * size + int(cursor[0]), j * size + int(cursor[1]), int(cursor[2])
            begins = bool(cursor[4])
            if (row, column) == before and not begins:
                break
            yield int(work.place[2]) * int(work.place[3])
        if not begins and ((row and column) or matrix):
            raise EngineFault(
                "The path through the tiles does not reach where it begins: a fault in the program.",
                hint="Align with another method, and report this with both sequences.",
            )
        path = np.concatenate([*parts, np.zeros(0, np.uint8)])[::-1]
        edges = np.flatnonzero(np.diff(path, prepend=255, append=255))
        runs = zip(path[edges[:-1]].tolist(), np.diff(edges).tolist(), strict=True)
        yield Alignment.from_runs(row, column, runs, end.score)


def check_launches(shape: TileShape, counted: int) -> None:
    """Refuse a tile of which not every anti-diagonal was computed.

    Raises
    ------
    EngineFault
    """
    if counted != shape.diagonals:
        raise EngineFault(
            f"Of {shape.diagonals} launches for a tile {counted} took place.",
            hint="Choose other launches (streams or graph), or another method.",
        )


def launches(shape: TileShape, pointers: tuple[Any, ...]) -> Iterator[tuple[int, tuple[Any, ...]]]:
    """Return blocks and arguments of every launch of one tile, in order."""
    for diagonal in range(shape.diagonals):
        yield shape.grid(diagonal), (*pointers, np.int32(shape.blocks), np.int32(diagonal))
