"""Following a path of a matrix back from border to border, and cutting long pieces of it, on one device.

From a place on the path a pass goes backwards to the last border before it; where both add up to the path's score, the
path crosses. The part between two crossings is a piece from corner to corner; large ones are cut again in the same way
by a forward pass of their own.

A path may cross within a gap in the subject. Forwards, F is the score of the gap with one more residue, and so is F
backwards: both have paid for two residues too many, and for a first one that is an ordinary one,

    path = F forwards + F backwards + gap_first + gap_extend.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import EngineFault
from swgui.core.pair.problem import PairMode
from swgui.engines.cuda.pair.wavefront.cells import Cells, PassGoal, Shape, plan_cells
from swgui.engines.cuda.pair.wavefront.device import NULL, Device, Kernel
from swgui.engines.cuda.pair.wavefront.direct import PathPiece, cells_of_pieces
from swgui.engines.cuda.pair.wavefront.letters import TOOL_DEFINES, TOOL_THREADS, TOOLS, Pair, Rectangle, grid_for
from swgui.engines.cuda.pair.wavefront.one_pass import BORDER_BYTES, FOUND, NOTHING, Border, Pass
from swgui.engines.cuda.pair.wavefront.tuning import TUNING

# Passes of a traceback are small and many: few rows per thread.
SMALL: Final = Shape(4, 2, tiers=4)
EXTRA_COLUMNS: Final = 256
IN_GAP: Final = 1 << 32
MAX_SAVED: Final = 1 << 29  # bytes of borders kept on a device to cut pieces


@dataclass(frozen=True, slots=True)
class Saved:
    """A border kept by a forward pass."""

    row: int  # rows of the query above it
    read: Callable[[], Any]  # returns G and F of every column, on the device of the pass


@dataclass(frozen=True, slots=True)
class Forward:
    """Results that a forward pass leaves."""

    device: Device  # that has it
    # row, column: its corner
    row: int
    column: int
    left: Border
    free: bool  # whether a path may start anywhere at the left and upper edge
    saved: tuple[Saved, ...]  # from above downwards

    def before(self, place: PathPoint) -> Saved | None:
        """Return the last border that a path crosses on its way back from a place; None if there is none."""
        if place.column == self.column:
            return None
        return next((saved for saved in reversed(self.saved) if saved.row < place.row), None)


@dataclass(frozen=True, slots=True)
class PathPoint:
    """Place up to which a path has been followed back."""

    # row, column: residues of either sequence before it
    row: int
    column: int
    in_gap: bool  # whether it is within a gap in the subject
    left: int  # score of the path up to here


@dataclass(frozen=True, slots=True)
class PathSegment:
    """A part of a path."""

    piece: PathPiece | None  # none if it has no residues
    start: PathPoint
    is_first: bool  # whether the path starts here


class Follower:
    """Follows paths of one pair on one device, each in whatever lane is current.

    Its methods are generators that yield the marks of the device that they wait for.

    Parameters
    ----------
    cells : Cells
        Cells of the forward pass over the whole matrix.
    longest : int
        Residues of the longer side of the path.
    """

    def __init__(self, pair: Pair, cells: Cells, longest: int) -> None:
        self.pair = pair
        self.done = 0  # cells
        self._small = plan_cells(cells.scheme, SMALL, dpx=pair.device.dpx, wide=cells.bits == 32)
        self._piece_cells = cells_of_pieces(longest)
        with pair.device.at_work():
            pair.prepare(self._small)

    def stretch(
        self, place: PathPoint, forward: Forward, mode: PairMode, *, gap_at_start: bool = False
    ) -> Generator[Any, None, PathSegment]:
        """Follow a path back to the border before a place, or to its start."""
        saved = forward.before(place)
        if saved is not None:
            start, is_first = yield from self._step(place, forward, saved, mode)
            return PathSegment(self._piece(start, place), start, is_first)
        if mode is PairMode.GLOBAL:
            start = PathPoint(forward.row, forward.column, gap_at_start, 0)
            sides = start.row, place.row - start.row, start.column, place.column - start.column
            return PathSegment(PathPiece(*sides, gap_at_start, place.in_gap, place.left), start, True)
        if place.row > forward.row and place.column > forward.column:
            top = Saved(forward.row, lambda: NULL) if mode is PairMode.SEMIGLOBAL else None
            start, _ = yield from self._step(place, forward, top, mode)
            return PathSegment(self._piece(start, place), start, True)
        return PathSegment(None, place, True)

    def highest(self, forward: Forward, numbers: list[int]) -> list[PathPoint]:
        """Return the places of the highest scores of some borders, which lie on this device."""
        device, facts = self.pair.device, self.pair.facts
        found = device.upload(np.zeros(len(numbers), dtype=np.uint64))
        for index, number in enumerate(numbers):
            border = forward.saved[number].read()
            tool = Kernel(TOOLS, "pair_highest", TOOL_DEFINES, TOOL_THREADS)
            count = self.pair.columns
            device.launch(tool, grid_for(count), border, np.int32(count), found[index : index + 1])
        places = []
        for number, one in zip(numbers, device.download(found)[: len(numbers)].tolist(), strict=True):
            score = (one >> 32) - (1 << 31) + facts.gap_first
            places.append(PathPoint(forward.saved[number].row, (one & 0xFFFFFFFF) + 1, False, score))
        return places

    def cut(self, piece: PathPiece) -> Generator[Any, None, list[PathPiece]]:
        """Cut a piece into small ones, in order."""
        if piece.is_gap or piece.is_small(self._piece_cells):
            return [piece]
        facts = self.pair.facts
        opening = facts.gap_first - facts.gap_extend
        band_rows = max(1, min(SMALL.rows, piece.rows // (4 * self._small.halves * 32)))
        cells = self._small.with_rows(band_rows) if band_rows < self._small.shape.rows else self._small
        # As many rows as make small pieces of it if the path runs from corner to corner, within the memory.
        wanted = math.isqrt(self._piece_cells * piece.rows // piece.columns)
        fewest = -(-piece.rows // max(1, MAX_SAVED // TUNING.cuts_at_once // (BORDER_BYTES * piece.columns)))
        every = max(1, max(wanted, fewest) // cells.band)
        parts = (piece.rows - 1) // (every * cells.band)
        if not parts:
            return [piece]
        rectangle = Rectangle(piece.row, parts * every * cells.band, piece.column, piece.columns)
        left = Border(0 if piece.gap_at_start else opening, facts.gap_extend)
        above = Border(opening, facts.gap_extend)
        sweep = Pass(self.pair, rectangle, cells, self._task(0), left=left, above=above, save_every=every)
        self._run(sweep)
        saved = tuple(
            Saved(piece.row + (number + 1) * every * cells.band, partial(sweep.saved_border, number))
            for number in range(parts)
        )
        forward = Forward(self.pair.device, piece.row, piece.column, left, False, saved)
        place = PathPoint(piece.row + piece.rows, piece.column + piece.columns, piece.gap_at_end, piece.value)
        small: list[list[PathPiece]] = []
        is_first = False
        while not is_first:
            part = yield from self.stretch(place, forward, PairMode.GLOBAL, gap_at_start=piece.gap_at_start)
            assert part.piece is not None, "a path from corner to corner has residues everywhere"
            again = part.piece.rows < piece.rows
            small.append((yield from self.cut(part.piece)) if again else [part.piece])
            place, is_first = part.start, part.is_first
        return [piece for some in reversed(small) for piece in some]

    def _piece(self, start: PathPoint, end: PathPoint) -> PathPiece:
        facts = self.pair.facts
        value = end.left - start.left
        if start.in_gap:
            value += facts.gap_first - facts.gap_extend
        sides = start.row, end.row - start.row, start.column, end.column - start.column
        return PathPiece(*sides, start.in_gap, end.in_gap, value)

    def _step(
        self, place: PathPoint, forward: Forward, saved: Saved | None, mode: PairMode
    ) -> Generator[Any, None, tuple[PathPoint, bool]]:
        """Follow a path back to a border (or None: to its start); returns where to, and whether it starts there."""
        facts = self.pair.facts
        opening = facts.gap_first - facts.gap_extend
        top = saved.row if saved is not None else forward.row
        rows, columns = place.row - top, place.column - forward.column
        width = min(columns, rows + rows // 2 + EXTRA_COLUMNS)
        while True:
            sweep = Pass(
                self.pair,
                Rectangle(top, rows, place.column - width, width, backward=True),
                self._small,
                self._task(2 if mode is PairMode.LOCAL else 0),
                left=Border(0 if place.in_gap else opening, facts.gap_extend),
                above=Border(opening, facts.gap_extend),
                exact=True,
                right=mode is PairMode.SEMIGLOBAL and width == columns,
                target=place.left,
            )
            self._run(sweep)
            packed = (yield from self._found(sweep)) if mode is PairMode.LOCAL else NOTHING
            if packed != NOTHING:
                row, column = place.row - 1 - (packed & 0xFFFFFFFF), place.column - 1 - (packed >> 32)
                return PathPoint(row, column, False, 0), True
            if saved is not None:
                crossing = yield from self._cross(place, forward, saved, sweep)
                if crossing is not None:
                    return crossing, mode is PairMode.SEMIGLOBAL and top == forward.row
            if sweep.right:
                reached = np.flatnonzero(sweep.right_scores() == place.left)
                if len(reached):
                    return PathPoint(place.row - int(reached[0]) - 1, forward.column, False, 0), True
            if width == columns:
                raise EngineFault(
                    f"{self.pair.device.label} did not find the traceback from row {place.row}, column {place.column}.",
                    hint="Please report this with both sequences; the CPU method does without the device.",
                )
            width = min(columns, 2 * width)

    def _cross(
        self, place: PathPoint, forward: Forward, saved: Saved, sweep: Pass
    ) -> Generator[Any, None, PathPoint | None]:
        """Return the place where the path crosses a border; None if it does so elsewhere."""
        device, facts = self.pair.device, self.pair.facts
        rows, width = place.row - saved.row, sweep.rectangle.columns
        end = place.column - forward.column
        border, first = self._border(forward, saved, max(0, end - width - 1), end)
        h_beside = forward.left.at(saved.row - forward.row)
        f_beside = h_beside - facts.gap_first if forward.free else forward.left.at(saved.row - forward.row + 1)
        h_behind = sweep.left.at(rows)
        device.launch(
            Kernel(TOOLS, "pair_join", TOOL_DEFINES, TOOL_THREADS),
            grid_for(width + 1),
            sweep.below(),
            np.int32(width),
            np.int32(h_behind),
            np.int32(h_behind - facts.gap_extend),
            border,
            np.int32(end - first),
            np.int32(h_beside),
            np.int32(f_beside),
            np.int32(0),
            np.int32(0),
            np.int32(facts.gap_first),
            np.int32(facts.gap_extend),
            np.int32(place.left),
            sweep.counters[FOUND : FOUND + 1],
        )
        packed = yield from self._found(sweep)
        if packed == NOTHING:
            return None
        column, in_gap = end - packed % IN_GAP, packed >= IN_GAP
        if border is NULL:
            left = 0
        elif column:
            index = 2 * (column - first)
            g, f = (yield from self._fetch(border[index - 2 : index])).tolist()
            left = (f if in_gap else g) + facts.gap_first
        else:
            left = f_beside + facts.gap_first if in_gap else h_beside
        return PathPoint(saved.row, forward.column + column, in_gap, left)

    def _border(self, forward: Forward, saved: Saved, first: int, end: int) -> tuple[Any, int]:
        """Return some columns of a border on this device, at least, and the number of the first it has.

        If that is not the first of all, no path leads along the left edge.
        """
        device, home = self.pair.device, forward.device
        if home is device:
            return saved.read(), 0
        with home.at_work():
            whole = saved.read()
            there = home.mark()
        if whole is NULL:
            return NULL, 0
        window = device.empty(2 * (end - first), np.int32)
        arrived = home.send(whole[2 * first : 2 * end], device, window, (there, device.mark()))
        device.wait_for(arrived)
        return window, first

    def _run(self, sweep: Pass) -> None:
        """Enqueue a pass; later work in this lane waits for it."""
        sweep.run()
        self.done += sweep.rectangle.cells

    def _found(self, sweep: Pass) -> Generator[Any, None, int]:
        """Return the result of a pass, or of a look at its border, once that is done."""
        return int((yield from self._fetch(sweep.counters))[FOUND])

    def _fetch(self, array: Any) -> Generator[Any, None, NDArray[Any]]:
        device = self.pair.device
        host, arrived = device.fetch(array)
        yield arrived
        return host

    def _task(self, track: int) -> PassGoal:
        return PassGoal(local=False, track=track, excluded=self.pair.excluded is not None)
