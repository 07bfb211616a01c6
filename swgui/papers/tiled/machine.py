"""A card as the tiled method uses it: streams with buffers of their own, and three ways of launching a tile."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.card import Card
from swgui.papers.memory import CountedMemory
from swgui.papers.tiled.dynamic import load_dynamic
from swgui.papers.tiled.run import TileWork, check_launches, launches
from swgui.papers.tiled.shape import BLOCK, TileShape

FILE: Final = "papers/pair_tiled.cu"
LAUNCHES: Final = ("streams", "dynamic", "graph")


@dataclass(slots=True, eq=False)
class TileSlot:
    """A stream and the buffers of the tile it works on."""

    stream: Any
    place: Any = field(repr=False)
    top: Any = field(repr=False)
    left: Any = field(repr=False)
    corners: Any = field(repr=False)
    counted: NDArray[np.int32] = field(repr=False)  # launches of the tile that is done
    graph: Any = field(default=None, repr=False)
    work: TileWork | None = field(default=None, repr=False)  # keeps what is being copied alive


class CardTiles(CountedMemory):
    """Computes tiles on a card.

    Parameters
    ----------
    card : Card
        Its host memory is page-locked or not, as the method's setting says.
    way : {"streams", "dynamic", "graph"}
    slots : int
        Tiles under way at once.
    query, subject : ndarray, dtype=uint8
    table : ndarray, shape=(kinds, letters), dtype=int16
    by_position : bool
        Whether the rows of `table` are those of the query's positions, not of its letters.
    """

    def __init__(
        self,
        card: Card,
        shape: TileShape,
        way: str,
        slots: int,
        query: NDArray[np.uint8],
        subject: NDArray[np.uint8],
        table: NDArray[np.int16],
        *,
        by_position: bool,
    ) -> None:
        super().__init__(card)
        self.shape = shape
        self.way = way
        with self.card.at_work():
            self._kernel = self._load(shape.defines(), "launch_tile" if way == "dynamic" else "fill_diagonal")
            self._given = (
                self.counted("sequences", card.constant(np.ascontiguousarray(query))),
                self.counted("sequences", card.constant(np.ascontiguousarray(subject))),
                self.counted("sequences", card.constant(np.ascontiguousarray(table).ravel())),
                np.int32(by_position),
            )
            self._best = self.counted("tile borders", card.empty(1, np.uint64))
            card.clear(self._best, card.copy_stream)
            card.copy_stream.synchronize()
            self._slots = [self._slot() for _ in range(slots)]
            self._nothing = card.empty(0, np.uint32)
        self._next = 0

    def border(self, lines: int, length: int, words: int) -> NDArray[np.int32]:
        """Allocate host memory for borders."""
        with self.card.at_work():
            return self.card.host_array(lines * length * words, np.int32).reshape(lines, length, words)

    def fill(self, work: TileWork) -> None:
        """Begin to compute a tile on the next stream."""
        slot = self._slots[self._next]
        self._next = (self._next + 1) % len(self._slots)
        with self.card.at_work():
            self._settle(slot)
            self._enter(slot, work)
            self._launch(slot)
            self._leave(slot, work)

    def finish(self) -> None:
        """Wait for all streams."""
        with self.card.at_work():
            for slot in self._slots:
                self._settle(slot)

    def best(self) -> int:
        """Return the best cell so far as the kernels pack it."""
        with self.card.at_work():
            return int(self.card.peek(self._best)[0])

    def trace(self, work: TileWork, cursor: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Compute a tile with directions and walk through it."""
        shape, card = self.shape, self.card
        defines = shape.defines(directions=True)
        if "directions" not in self.used:
            with self.card.at_work():
                self._directions = self.counted("directions", card.empty(shape.tile * shape.tile // 8, np.uint32))
                self._ops = self.counted("path", card.empty(2 * shape.tile, np.uint8))
                self._cursor = self.counted("path", card.empty(5, np.int32))
        with self.card.at_work():
            slot = self._slots[0]
            self._enter(slot, work)
            pointers = (slot.place, *self._given, slot.top, slot.left, slot.corners, self._best, self._directions)
            fill, walk = self._load(defines, "fill_diagonal"), self._load(defines, "walk_tile")
            card.upload(self._cursor, cursor, slot.stream)
            with slot.stream:
                for grid, arguments in launches(shape, pointers):
                    fill((grid,), (BLOCK,), arguments)
                walk((1,), (32,), (self._directions, np.int32(shape.blocks), self._cursor, self._ops))
            card.download(cursor, self._cursor, slot.stream)
            card.download(slot.counted, slot.corners[-1:], slot.stream)
            self._settle(slot)
            ops = np.zeros(int(cursor[3]), np.uint8)
            if len(ops):
                card.download(ops, self._ops, slot.stream)
                slot.stream.synchronize()
        return ops

    def _slot(self) -> TileSlot:
        card, shape = self.card, self.shape
        words = shape.tile * shape.border_words
        return TileSlot(
            card.cupy.cuda.Stream(non_blocking=True),
            self.counted("tile borders", card.empty(4, np.int32)),
            self.counted("tile borders", card.empty(words, np.int32)),
            self.counted("tile borders", card.empty(words, np.int32)),
            self.counted("tile borders", card.empty(2 * shape.blocks + 2, np.int32)),
            card.host_array(1, np.int32),
        )

    def _enter(self, slot: TileSlot, work: TileWork) -> None:
        slot.work = work
        for target, source in (
            (slot.place, work.place),
            (slot.top, work.top),
            (slot.left, work.left),
            (slot.corners, work.corners),
        ):
            self.card.upload(target, source, slot.stream)

    def _leave(self, slot: TileSlot, work: TileWork) -> None:
        self.card.download(work.bottom, slot.top, slot.stream)
        self.card.download(work.right, slot.left, slot.stream)
        self.card.download(slot.counted, slot.corners[-1:], slot.stream)

    def _settle(self, slot: TileSlot) -> None:
        """Wait until the tile of a slot is done."""
        if slot.work is not None:
            slot.stream.synchronize()
            slot.work = None
            check_launches(self.shape, int(slot.counted[0]))

    def _pointers(self, slot: TileSlot) -> tuple[Any, ...]:
        return (slot.place, *self._given, slot.top, slot.left, slot.corners, self._best, self._nothing)

    def _launch(self, slot: TileSlot) -> None:
        shape, pointers = self.shape, self._pointers(slot)
        if self.way == "dynamic":
            with slot.stream:
                self._kernel((1,), (32,), (*pointers, np.int32(shape.blocks)))
            return
        if self.way == "graph":
            if slot.graph is None:
                slot.graph = self._captured(slot, pointers)
            slot.graph.launch(slot.stream)
            return
        with slot.stream:
            for grid, arguments in launches(shape, pointers):
                self._kernel((grid,), (BLOCK,), arguments)

    def _captured(self, slot: TileSlot, pointers: tuple[Any, ...]) -> Any:
        """Capture the launches of a tile; where it lies is read from the device, so the graph serves every tile."""
        slot.stream.synchronize()
        stream = self.card.cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            for grid, arguments in launches(self.shape, pointers):
                self._kernel((grid,), (BLOCK,), arguments)
            return stream.end_capture()

    def _load(self, defines: tuple[str, ...], name: str) -> Any:
        if name == "launch_tile":
            return load_dynamic(self.card.cupy, FILE, name, (*defines, "-DTILE_DYNAMIC"))
        return self.card.kernel(FILE, name, defines)
