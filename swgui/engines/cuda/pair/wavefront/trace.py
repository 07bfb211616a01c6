"""The alignment behind a score, in linear memory.

The forward pass has kept borders of the matrix every so many rows. From the end of the path a pass goes
backwards to the last border before it; where both add up to what the path is worth, the path crosses. So it
goes on from border to border, only as far to the left as the crossing lies. What lies between two crossings
is a piece from corner to corner; large ones are cut again in the same way by a forward pass of their own, small
ones are aligned directly.

A path may cross within a gap in the subject. Forwards, F is what the gap is worth with one more residue, and so
is F backwards: both have paid for two residues too many, and for a first one that is an ordinary one,

    path = F forwards + F backwards + gap_first + gap_extend.

Which of several best alignments is found: the one that ends first in the subject, then first in the query.
For local alignments the start is the last in the subject, then in the query, of those between the last two borders
crossed; otherwise, of several crossings the last in the subject that is not within a gap; inside a small piece,
from the end to the start, an aligned pair where there is a choice, else a query residue against a gap.
"""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment
from swgui.core.errors import EngineFault, Stopped
from swgui.core.pair.problem import PairEnd, PairMode
from swgui.engines.cuda.pair.wavefront.cells import Cells, PassGoal, Shape, plan_cells
from swgui.engines.cuda.pair.wavefront.device import NULL, Kernel
from swgui.engines.cuda.pair.wavefront.direct import (
    BATCH_BYTES,
    Piece,
    Runs,
    align_directly,
    cells_of_pieces,
    gap_runs,
    join_runs,
)
from swgui.engines.cuda.pair.wavefront.one_pass import (
    BORDER_BYTES,
    FOUND,
    NOTHING,
    TOOL_DEFINES,
    TOOL_THREADS,
    TOOLS,
    Border,
    Pair,
    Pass,
    Rectangle,
    grid_for,
)

# Passes of a traceback are small and many: few rows per thread.
SMALL: Final = Shape(4, 2, tiers=4)
WATCHED_CELLS: Final = 20_000_000_000  # passes beyond are waited for with an eye on cancelling
EXTRA_COLUMNS: Final = 256
CUTS_AT_ONCE: Final = 12  # pieces that are cut beside each other, each in a lane of its own
FIRST_LANE: Final = 1
REST_SECONDS: Final = 2e-5  # between two looks at them all
IN_GAP: Final = 1 << 32
BATCH_SHARE: Final = 4  # of the free memory, at most, for directions
MAX_SAVED: Final = 1 << 29  # bytes of borders kept to cut pieces


@dataclass(frozen=True, slots=True)
class Saved:
    """A border kept by a forward pass.

    Parameters
    ----------
    row : int
        Rows of the query above it.
    read : callable
        Returns G and F of every column on the device.
    """

    row: int
    read: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Forward:
    """What a forward pass has left behind.

    Parameters
    ----------
    row, column : int
        Its corner.
    left : Border
    free : bool
        Whether a path may start anywhere at the left and upper edge.
    saved : tuple of Saved
        From above downwards.
    """

    row: int
    column: int
    left: Border
    free: bool
    saved: tuple[Saved, ...]


@dataclass(slots=True)
class _Path:
    """How far the path has been followed: it goes on before this place, with so much left to be earned."""

    row: int
    column: int
    in_gap: bool
    left: int


@dataclass
class Trace:
    """Finds one alignment.

    Parameters
    ----------
    pair : Pair
    mode : PairMode
    cells : Cells
        Of the forward pass; decides bits.
    cancel : threading.Event
    """

    pair: Pair
    mode: PairMode
    cells: Cells
    cancel: threading.Event
    alignment: Alignment | None = None
    done: int = 0
    _pieces: list[Piece] = field(default_factory=list)
    _small: Cells = field(init=False)
    _piece_cells: int = 0

    def __post_init__(self) -> None:
        self._small = plan_cells(self.cells.scheme, SMALL, dpx=self.cells.dpx, wide=self.cells.bits == 32)

    def run(self, end: PairEnd, forward: Forward) -> Iterator[int]:
        """Yield the number of cells done now and then; the alignment is in `alignment` afterwards."""
        path = _Path(end.query_end, end.subject_end, False, end.score)
        self._piece_cells = cells_of_pieces(max(end.query_end, end.subject_end))
        found = yield from self._follow(path, forward, self.mode)
        pieces = yield from self._cut_all(found)
        runs: list[Runs] = []
        for batch in _batches(pieces, min(BATCH_BYTES, self.pair.device.free_memory() // BATCH_SHARE) // 4):
            self._check()
            aligned = iter(align_directly(self.pair, [piece for piece in batch if not piece.is_gap]))
            runs += [gap_runs(piece) if piece.is_gap else next(aligned) for piece in batch]
            self.done += sum(piece.rows * piece.columns for piece in batch)
            yield self.done
        ops, lengths = join_runs(runs)
        self.alignment = Alignment(path.row, end.query_end, path.column, end.subject_end, ops, lengths, end.score)

    def _cut_all(self, found: list[Piece]) -> Generator[int, None, list[Piece]]:
        """Cut pieces beside each other into small ones, in order; returns them."""
        device, small = self.pair.device, [[piece] for piece in found]
        waiting = [number for number, piece in enumerate(found) if not piece.is_gap][::-1]
        free = list(range(FIRST_LANE, FIRST_LANE + CUTS_AT_ONCE))
        at_work: dict[int, tuple[int, Generator[int, None, list[Piece]]]] = {}  # by lane
        ready = device.mark()  # what was uploaded for all
        while waiting or at_work:
            while waiting and free:
                number, lane = waiting.pop(), free.pop()
                at_work[lane] = number, self._cut(found[number])
                with device.at_work(lane):
                    device.wait_for(ready)
            before = self.done
            for lane, (number, cutting) in list(at_work.items()):
                try:
                    with device.at_work(lane):
                        next(cutting)
                except StopIteration as end:
                    small[number] = end.value
                    free.append(lane)
                    del at_work[lane]
            if self.done == before:
                time.sleep(REST_SECONDS)
            yield self.done
        return list(itertools.chain.from_iterable(small))

    def _cut(self, piece: Piece) -> Generator[int, None, list[Piece]]:
        """Cut a piece into small ones, in order; returns them."""
        if piece.is_gap or piece.is_small(self._piece_cells):
            return [piece]
        facts = self.pair.facts
        opening = facts.gap_first - facts.gap_extend
        band_rows = max(1, min(SMALL.rows, piece.rows // (4 * self._small.halves * 32)))
        cells = self._small.with_rows(band_rows) if band_rows < self._small.shape.rows else self._small
        # As many rows as make small pieces of it if the path runs from corner to corner; what memory allows.
        wanted = math.isqrt(self._piece_cells * piece.rows // piece.columns)
        fewest = -(-piece.rows // max(1, MAX_SAVED // CUTS_AT_ONCE // (BORDER_BYTES * piece.columns)))
        every = max(1, max(wanted, fewest) // cells.band)
        parts = (piece.rows - 1) // (every * cells.band)
        if not parts:
            return [piece]
        rectangle = Rectangle(piece.row, parts * every * cells.band, piece.column, piece.columns)
        left = Border(0 if piece.gap_at_start else opening, facts.gap_extend)
        sweep = Pass(
            self.pair,
            rectangle,
            cells,
            self._task(0),
            left=left,
            above=Border(opening, facts.gap_extend),
            save_every=every,
        )
        yield from self._run(sweep)
        saved = tuple(
            Saved(piece.row + (number + 1) * every * cells.band, partial(sweep.saved_border, number))
            for number in range(parts)
        )
        forward = Forward(piece.row, piece.column, left, False, saved)
        path = _Path(piece.row + piece.rows, piece.column + piece.columns, piece.gap_at_end, piece.value)
        found = yield from self._follow(path, forward, PairMode.GLOBAL, piece.gap_at_start)
        small: list[Piece] = []
        for part in found:
            small += (yield from self._cut(part)) if part.rows < piece.rows else [part]
        return small

    def _follow(
        self, path: _Path, forward: Forward, mode: PairMode, gap_at_start: bool = False
    ) -> Generator[int, None, list[Piece]]:
        """Follow the path back to where it starts; returns its pieces in order. `path` is there afterwards."""
        pieces: list[Piece] = []
        started = False
        for saved in reversed(forward.saved):
            if saved.row >= path.row or path.column == forward.column:
                continue
            before = _Path(path.row, path.column, path.in_gap, path.left)
            started = yield from self._step(path, forward, saved, mode)
            pieces.append(self._piece(path, before))
            if started:
                break
        if not started:
            before = _Path(path.row, path.column, path.in_gap, path.left)
            if mode is PairMode.GLOBAL:
                path.row, path.column, path.in_gap, path.left = forward.row, forward.column, gap_at_start, 0
                pieces.append(
                    Piece(
                        path.row,
                        before.row - path.row,
                        path.column,
                        before.column - path.column,
                        gap_at_start,
                        before.in_gap,
                        before.left,
                    )
                )
            elif path.row > forward.row and path.column > forward.column:
                top = Saved(forward.row, lambda: NULL) if mode is PairMode.SEMIGLOBAL else None
                yield from self._step(path, forward, top, mode)
                pieces.append(self._piece(path, before))
        return pieces[::-1]

    def _piece(self, path: _Path, before: _Path) -> Piece:
        """Return the piece between two places of the path."""
        facts = self.pair.facts
        value = before.left - path.left
        if path.in_gap:
            value += facts.gap_first - facts.gap_extend
        return Piece(
            path.row,
            before.row - path.row,
            path.column,
            before.column - path.column,
            path.in_gap,
            before.in_gap,
            value,
        )

    def _step(self, path: _Path, forward: Forward, saved: Saved | None, mode: PairMode) -> Generator[int, None, bool]:
        """Follow the path back to a border (or None: to its start); returns whether it starts here."""
        facts = self.pair.facts
        opening = facts.gap_first - facts.gap_extend
        top = saved.row if saved is not None else forward.row
        rows, columns = path.row - top, path.column - forward.column
        width = min(columns, rows + rows // 2 + EXTRA_COLUMNS)
        while True:
            rectangle = Rectangle(top, rows, path.column - width, width, backward=True)
            sweep = Pass(
                self.pair,
                rectangle,
                self._small,
                self._task(2 if mode is PairMode.LOCAL else 0),
                left=Border(0 if path.in_gap else opening, facts.gap_extend),
                above=Border(opening, facts.gap_extend),
                exact=True,
                right=mode is PairMode.SEMIGLOBAL and width == columns,
                target=path.left,
            )
            yield from self._run(sweep)
            place = (yield from self._found(sweep)) if mode is PairMode.LOCAL else NOTHING
            if place != NOTHING:
                path.row -= 1 + (place & 0xFFFFFFFF)
                path.column -= 1 + (place >> 32)
                path.in_gap, path.left = False, 0
                return True
            if saved is not None and (yield from self._cross(path, forward, saved, sweep)):
                return mode is PairMode.SEMIGLOBAL and top == forward.row
            if sweep.right:
                reached = np.flatnonzero(sweep.right_scores() == path.left)
                if len(reached):
                    path.row -= int(reached[0]) + 1
                    path.column, path.in_gap, path.left = forward.column, False, 0
                    return True
            if width == columns:
                raise EngineFault(
                    f"{self.pair.device.label} did not find the traceback from row {path.row}, column {path.column}.",
                    hint="Please report this with both sequences; the CPU method does without the device.",
                )
            width = min(columns, 2 * width)

    def _cross(self, path: _Path, forward: Forward, saved: Saved, sweep: Pass) -> Generator[int, None, bool]:
        """Look where the path crosses a border, and move it there; returns whether it does."""
        device, facts = self.pair.device, self.pair.facts
        border, rows = saved.read(), path.row - saved.row
        h_beside = forward.left.at(saved.row - forward.row)
        f_beside = h_beside - facts.gap_first if forward.free else forward.left.at(saved.row - forward.row + 1)
        h_behind = sweep.left.at(rows)
        end = path.column - forward.column
        width = sweep.rectangle.columns
        device.launch(
            Kernel(TOOLS, "pair_join", TOOL_DEFINES, TOOL_THREADS),
            grid_for(width + 1),
            sweep.below(),
            np.int32(width),
            np.int32(h_behind),
            np.int32(h_behind - facts.gap_extend),
            border,
            np.int32(end),
            np.int32(h_beside),
            np.int32(f_beside),
            np.int32(0),
            np.int32(0),
            np.int32(facts.gap_first),
            np.int32(facts.gap_extend),
            np.int32(path.left),
            sweep.counters[FOUND : FOUND + 1],
        )
        place = yield from self._found(sweep)
        if place == NOTHING:
            return False
        path.row = saved.row
        path.column -= place % IN_GAP
        path.in_gap = place >= IN_GAP
        column = path.column - forward.column
        if border is NULL:
            path.left = 0
        elif column:
            g, f = (yield from self._fetch(border[2 * (column - 1) : 2 * column])).tolist()
            path.left = f + facts.gap_first if path.in_gap else g + facts.gap_first
        else:
            path.left = f_beside + facts.gap_first if path.in_gap else h_beside
        return True

    def _run(self, sweep: Pass) -> Iterator[int]:
        """Enqueue a pass, and wait for it with an eye on cancelling if it is long."""
        self._check()
        sweep.run()
        if sweep.rectangle.cells > WATCHED_CELLS:
            for _ in sweep.wait(self.cancel):
                yield self.done
        self._check()
        self.done += sweep.rectangle.cells
        yield self.done

    def _found(self, sweep: Pass) -> Generator[int, None, int]:
        """Return what a pass, or a look at its border, has found, once that is done."""
        return int((yield from self._fetch(sweep.counters))[FOUND])

    def _fetch(self, array: Any) -> Generator[int, None, NDArray[Any]]:
        """Return an array once it has come to the host."""
        device = self.pair.device
        host, arrived = device.fetch(array)
        try:
            while not device.reached(arrived):
                yield self.done
        except GeneratorExit:  # nobody waits any more, and the place is given to others
            device.halt()
            device.settle()
            raise
        return host

    def _task(self, track: int) -> PassGoal:
        return PassGoal(local=False, track=track, excluded=self.pair.excluded is not None)

    def _check(self) -> None:
        if self.cancel.is_set():
            raise Stopped


def _batches(pieces: list[Piece], most: int) -> Iterator[list[Piece]]:
    """Yield as many pieces at a time as have directions in so many words."""
    batch: list[Piece] = []
    words = 0
    for piece in pieces:
        if batch and words + piece.words > most:
            yield batch
            batch, words = [], 0
        batch.append(piece)
        words += piece.words
    if batch:
        yield batch
