"""One pass of the wavefront over a rectangle of the score matrix, forwards or backwards.

A pass is a plain sequence of launches on one stream. What it leaves behind stays on the device: the border
below its last row, borders saved every so many bands, the border right of its last column.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.pair.wavefront.cells import Cells, PassGoal
from swgui.engines.cuda.pair.wavefront.device import NULL, Kernel
from swgui.engines.cuda.pair.wavefront.letters import (
    PADDING,
    TOOL_DEFINES,
    TOOL_THREADS,
    TOOLS,
    Pair,
    Rectangle,
    along,
    grid_for,
)
from swgui.engines.pair.anchors import Chain

NOTHING: Final = (1 << 64) - 1  # where nothing was found
BORDER_BYTES: Final = 8  # G and F of one column

# Places in the array of counters, 64 bits each.
COUNTER, BEST, DONE, PRUNED, FOUND = range(5)


@dataclass(frozen=True, slots=True)
class Border:
    """H along the edge before the first column or row: ``-(lead + slope * k)`` at cell k from the corner, from 1."""

    lead: int = 0
    slope: int = 0

    def at(self, k: int) -> int:
        """H at the k-th cell; 0 in the corner."""
        return -(self.lead + self.slope * k) if k else 0


def new_counters(best: int = 0) -> NDArray[np.uint64]:
    """Return counters before anything is done."""
    counters = np.zeros(5, dtype=np.uint64)
    counters[BEST], counters[FOUND] = best, NOTHING
    return counters


def first_of(records: NDArray[np.int32], rows: int) -> tuple[int, int, int]:
    """Return the best score of records, shape (k, 3), and the first cell that has it: score, column and row."""
    score = int(records[:, 0].max(initial=0))
    tied = records[(records[:, 0] == score) & (records[:, 2] < rows)]
    if not score or not len(tied):
        return 0, 0, 0
    column = int(tied[:, 1].min())
    return score, column, int(tied[tied[:, 1] == column, 2].min())


@dataclass(frozen=True, slots=True)
class Outlook:
    """Messages between a pass and one from the other end of its matrix; see `pair_outlook.cuh`."""

    incoming: Any  # possible gain beyond each of the other pass's borders
    received: Any  # shape (2,): how many of them are there, and the other pass's best score
    rows: int  # between two borders
    columns: int  # that share a value
    outgoing: Any  # the same as `incoming`, for the other pass
    ready: Any  # shape (borders,): whether `outgoing` holds the border
    # Column in which a known alignment crosses each border (-1: in none), and its remaining score there, shape (2 *
    # borders,), int32.
    known: Any


@dataclass(frozen=True, slots=True)
class _LaunchRange:
    """Range of a pass in one launch: bands, their rows, and the arguments."""

    first_band: int
    last_band: int
    first_row: int
    rows: int
    counter: Any = None
    most_blocks: int = 0
    is_new: bool = False  # the counter has its first value


@dataclass(eq=False)
class Pass:
    """A pass over a rectangle; `launch` may be called for some bands at a time."""

    ahead: ClassVar[int] = 0  # launches in flight during the wait for one

    pair: Pair
    rectangle: Rectangle
    cells: Cells
    task: PassGoal
    left: Border = field(default_factory=Border)
    above: Border = field(default_factory=Border)
    save_every: int = 0  # bands between two saved borders; 0 for none
    # Whether the border below the very last row is wanted (rows that do not fill a thread are then computed by a
    # kernel of one row per thread).
    exact: bool = False
    # For a block of columns of a wider matrix: `last_column` of the pass over the columns before. `left` then only
    # gives H in the corner, ``-left.lead``. Shape (2 * rows,), int32.
    beside: Any = NULL
    beyond: int = 0  # columns of the matrix right of the rectangle
    right: bool = False  # whether the border right of the last column is wanted
    best: int = 0  # best score known, or the least that is wanted
    # A local alignment of the whole pair that is known: wherever the pass meets it, the best one scores as much as is
    # reached there and is left of it.
    chain: Chain | None = None
    target: int = 0  # score to find, with ``task.track == 2``
    # Output of G of the last column and E behind it; made if `right` is set, shape (2 * rows,), int32.
    last_column: Any = NULL
    # Those of other passes on the same device, to share the best score; made if there are none, shape (5,), uint64.
    counters: Any = None
    outlook: Outlook | None = None  # of a pass over the same matrix from its other end; for passes that prune

    def __post_init__(self) -> None:
        device, rectangle = self.pair.device, self.rectangle
        shape = self.cells.shape
        self.main_rows = rectangle.rows - rectangle.rows % shape.rows if self.exact else rectangle.rows
        self.bands = -(-self.main_rows // self.cells.band)
        self.tail_bands = int(self.main_rows < rectangle.rows)
        self._rows = self.pair.row_letters(rectangle, self.cells)
        self._columns = self.pair.column_letters(rectangle, self.cells)
        padded = rectangle.columns + PADDING
        self._borders = device.empty(2 * padded, np.uint32), device.empty(2 * padded, np.uint32)
        every = self.bands + self.tail_bands
        self._reached = device.empty(every + 1, np.int32)  # and the counter of the last band, if that is one of its own
        self.saved_rows = self.bands // self.save_every if self.save_every else 0
        self.saved_stride = padded
        self.saved: Any = device.empty(2 * padded * self.saved_rows, np.int32) if self.saved_rows else NULL
        if self.right and self.last_column is NULL:
            self.last_column = device.empty(2 * rectangle.rows, np.int32)
        groups = -(-rectangle.rows // shape.rows) + 1
        self.records: Any = device.empty(4 * groups, np.int32) if self.task.track == 1 else NULL
        if self.counters is None:
            self.counters = device.upload(new_counters(self.best))
        self._known_way: Any = NULL
        if self.chain is not None:
            columns, scores = self.chain.ahead(self.cells.band * np.arange(1, self.bands + 1))
            columns -= rectangle.column + 1  # of the pair before
            columns[(columns < 0) | (columns >= rectangle.columns)] = -1
            self._known_way = device.upload(np.stack([columns, scores], axis=1).astype(np.int32).ravel())
        first = self.cells.scheme.gap_first
        edge = padded, self.above.lead, self.above.slope, first
        self._tool("pair_open", *self._borders, *edge, self._reached, every, self.bands)

    def launch(self, first_band: int, last_band: int, counter: Any = None, most_blocks: int = 0) -> None:
        """Enqueue some bands; those before must have been enqueued.

        Launches may run at the same time if each has a `counter` (int32) of its own and all of their blocks have places
        on the GPU at the same time: a band waits for bands before it.
        """
        is_new = counter is None and first_band == 0  # as `new_counters` says
        place = _LaunchRange(first_band, last_band, 0, self.main_rows, counter, most_blocks, is_new)
        self._launch(self.cells, place)

    def launch_tail(self, counter: Any = None) -> None:
        """Enqueue the rows that do not fill a thread."""
        if self.tail_bands:
            own = self._reached[self.bands + 1 :] if counter is None else counter
            place = _LaunchRange(
                self.bands, self.bands + 1, self.main_rows, self.rectangle.rows, own, is_new=counter is None
            )
            self._launch(self.cells.with_rows(1), place)

    def run(self) -> None:
        if self.bands:
            self.launch(0, self.bands)
        self.launch_tail()

    def restore(self, border: NDArray[np.int32], band: int) -> None:
        """Continue with a band, given the border above it as `border_below` returned it."""
        saved = self.pair.device.upload(border.ravel())
        above, below = self._borders[band % 2], self._borders[1 - band % 2]
        self.pair.device.fill(self._reached[:band], self.rectangle.columns)
        self._tool("pair_resume", above, below, self.rectangle.columns, saved, band)

    def below(self, bands: int | None = None) -> Any:
        """Return the border array below so many bands (all by default), as the kernel keeps it."""
        count = self.bands + self.tail_bands if bands is None else bands
        return self._borders[count % 2]

    def border_below(self, bands: int) -> NDArray[np.int32]:
        """Return the border below so many bands, once it is there: G and F of every column, shape=(columns, 2)."""
        kept = self.pair.device.empty(2 * self.rectangle.columns, np.int32)
        self.keep_border(bands, kept)
        return self.pair.device.download(kept).reshape(-1, 2)

    def keep_border(self, bands: int, kept: Any) -> None:
        """Enqueue a copy of the border below so many bands."""
        self._tool("pair_keep", self.below(bands), self.rectangle.columns, kept)

    def hear(self, best: Any) -> None:
        """Enqueue that a best score (uint64) found elsewhere is known here, too."""
        self._tool("pair_hear", self.counters[BEST : BEST + 1], best)

    def saved_border(self, number: int) -> Any:
        """Return a saved border: G and F of every column."""
        return self.saved[2 * self.saved_stride * number : 2 * self.saved_stride * (number + 1)]

    def wait(self, cancel: threading.Event) -> Iterator[NDArray[np.uint64]]:
        """Wait until all is done; meanwhile give copies of the counters now and then."""
        yield from self.pair.device.watch(self.counters, cancel)

    def close(self) -> None:
        """Do nothing: later work waits for all enqueued launches."""

    def state(self, band: int) -> dict[str, NDArray[Any]]:
        """Return the input of `take_up` that continues with a band, once those before are done."""
        arrays: dict[str, NDArray[Any]] = {f"border {band}": self.border_below(band), "counters": self.read_counters()}
        if self.task.track == 1:
            arrays["records"] = self.pair.device.download(self.records)
        if self.right:
            arrays["last column"] = self.pair.device.download(self.last_column)
        return arrays

    def take_up(self, arrays: Mapping[str, NDArray[Any]], band: int) -> None:
        """Continue from such a state."""
        upload = self.pair.device.upload
        self.restore(np.asarray(arrays[f"border {band}"], dtype=np.int32), band)
        self.counters = upload(np.asarray(arrays["counters"], dtype=np.uint64))
        if self.task.track == 1:
            self.records = upload(np.asarray(arrays["records"], dtype=np.int32))
        if self.right:
            self.last_column = upload(np.asarray(arrays["last column"], dtype=np.int32))

    def read_counters(self) -> NDArray[np.uint64]:
        """Return the counters, once all is done."""
        return self.pair.device.download(self.counters)

    def corner(self) -> int:
        """H of the last cell, once all is done."""
        place = 2 * (self.rectangle.columns - 1)
        g = int(self.pair.device.download(self.below()[place : place + 1])[0])
        return (g - (1 << 32) if g >> 31 else g) // 2 + self.cells.scheme.gap_first

    def bottom_scores(self) -> NDArray[np.int64]:
        """H of the last row, once all is done; shape=(columns,)."""
        border = self.pair.device.download(self.below())[: 2 * self.rectangle.columns : 2]
        return border.view(np.int32).astype(np.int64) // 2 + self.cells.scheme.gap_first

    def right_scores(self) -> NDArray[np.int64]:
        """H of the last column, once all is done; shape=(rows,)."""
        g = self.pair.device.download(self.last_column)[: 2 * self.rectangle.rows : 2]
        return g.astype(np.int64) + self.cells.scheme.gap_first

    def first_best(self) -> tuple[int, int, int]:
        """Return the best score and the first cell that has it: score, column and row of the rectangle."""
        return first_of(self.read_records(), self.rectangle.rows)

    def read_records(self) -> NDArray[np.int32]:
        """Return best score, its column and its row per group of rows, once all is done; shape=(groups, 4)."""
        groups = -(-self.rectangle.rows // self.cells.shape.rows)
        return self.pair.device.download(self.records).reshape(-1, 4)[:groups]

    def _launch(self, cells: Cells, place: _LaunchRange) -> None:
        first, last, first_row = place.first_band, place.last_band, place.first_row
        if first >= last:
            return
        device, rectangle = self.pair.device, self.rectangle
        counter = self.counters[COUNTER : COUNTER + 1] if place.counter is None else place.counter
        if not place.is_new:
            device.fill(counter, first)
        first_query, step = along(rectangle.row, rectangle.rows, rectangle.backward)
        first_column, _ = along(rectangle.column, rectangle.columns, rectangle.backward)
        starts, excluded = self.pair.excluded or (NULL, NULL)
        outlook = self.outlook
        # Bands of this kernel are counted from the first one it can have, so that rows follow from numbers.
        origin = 0 if first_row == 0 else first
        arguments = (
            self._columns,
            np.int32(rectangle.columns),
            self._rows,
            np.int32(place.rows),
            self.pair.matrix,
            np.int32(self.left.lead),
            np.int32(self.left.slope),
            self.beside,
            np.int32(self.beyond),
            np.int32(origin),
            np.int32(last),
            np.int32(first_row),
            *self._borders,
            self._reached,
            self.saved if first_row == 0 else NULL,
            np.int64(self.saved_stride),
            np.int32(max(self.save_every, 1)),
            self.last_column,
            self.records,
            counter,
            self.counters[BEST : BEST + 1],
            self.counters[DONE : DONE + 2],
            self.counters[FOUND : FOUND + 1],
            np.int32(self.target),
            self._known_way if first_row == 0 else NULL,
            *((outlook.incoming, outlook.received) if outlook else (NULL, NULL)),
            np.int32(outlook.rows if outlook else 0),
            np.int32(outlook.columns if outlook else 0),
            *((outlook.outgoing, outlook.ready, outlook.known) if outlook else (NULL, NULL, NULL)),
            starts,
            excluded,
            np.int32(first_query),
            np.int32(first_column),
            np.int32(step),
            device.cancel_flag,
        )
        most = place.most_blocks or device.multiprocessors * cells.shape.blocks
        device.launch(cells.kernel(self.task), min(last - first, most), *arguments)

    def _tool(self, name: str, *arguments: Any) -> None:
        given = [np.int32(one) if isinstance(one, int) else one for one in arguments]
        self.pair.device.launch(
            Kernel(TOOLS, name, TOOL_DEFINES, TOOL_THREADS), grid_for(self.rectangle.columns), *given
        )
