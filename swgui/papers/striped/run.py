"""One pair through the phases of the striped and chunked methods, whatever the kernels run on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op
from swgui.core.errors import EngineFault
from swgui.core.pair.problem import PairEnd
from swgui.papers.striped.shape import FRONT, Sides, States, StripShape

PHASE_1: Final = "papers/pair_striped.cu"
PHASES_2_AND_3: Final = "papers/pair_striped_pieces.cu"
PIECE_FIELDS: Final = 8
STRIP, TOP, LAST_ROW, LAST_COLUMN, _, FIRST_ROW, FIRST_COLUMN, _ = range(PIECE_FIELDS)


class Machine(Protocol):
    """Machine that runs kernels: a GPU, or in tests the CPU."""

    def zeros(self, purpose: str, size: int, dtype: Any) -> Any:
        """Allocate an array of zeros, counted under a purpose."""

    def put(self, purpose: str, host: NDArray[Any]) -> Any:
        """Copy a host array."""

    def get(self, array: Any) -> NDArray[Any]:
        """Copy an array to the host, after everything that was launched."""

    def launch(
        self, file: str, kernel: str, defines: tuple[str, ...], blocks: int, shape: Launch, args: list[Any]
    ) -> None:
        """Start a kernel; `blocks` at most, fewer if the GPU cannot hold as many."""

    @property
    def cancel(self) -> Any:
        """The flag that ends kernels, int32[1]."""


@dataclass(frozen=True, slots=True)
class Launch:
    """Size of a block."""

    threads: int
    shared_bytes: int


@dataclass(slots=True, eq=False)
class StripRun:
    """The arrays of one pair and the launches on them."""

    machine: Machine
    shape: StripShape
    sides: Sides
    arrays: dict[str, Any] = field(init=False, repr=False)
    _stride: int = field(init=False)

    def __post_init__(self) -> None:
        shape, sides, machine = self.shape, self.sides, self.machine
        rows, columns = len(sides.rows), len(sides.columns)
        strips = shape.strips(columns)
        aligned = shape.states is not States.NONE
        chunks = shape.states is States.CHUNK
        self._stride = rows if aligned else 0
        borders = rows * max(strips - 1, 1) if aligned else rows
        saved = columns * max(shape.saved(rows), 1) if shape.chunk else 0
        columns_purpose = "border columns" if aligned else "border column"
        letters = machine.put("sequences", sides.padded_rows(shape))
        self.arrays = {
            "letters": letters[FRONT:],
            "columns": machine.put("sequences", sides.columns),
            "table": machine.put("sequences", np.ascontiguousarray(sides.table).ravel()),
            "border": machine.zeros(columns_purpose, 2 * borders, np.int32),
            "border_states": machine.zeros("start states", 2 * borders if aligned else 0, np.uint32),
            "saved": machine.zeros("saved rows", 2 * saved, np.int32),
            "saved_states": machine.zeros("start states of saved rows", 2 * saved if chunks else 0, np.uint32),
            "next": machine.zeros("progress", 1, np.int32),
            "done_rows": machine.zeros("progress", strips, np.int32),
            "best": machine.zeros("progress", 4 * strips, np.int32),
            "done": machine.zeros("progress", 1, np.uint64),
        }

    @property
    def done(self) -> Any:
        """Rows of strips that are computed, roughly; uint64[1] where the kernels run."""
        return self.arrays["done"]

    @property
    def best_cells(self) -> Any:
        """The best cell of each strip that is finished; int32[4 x strips] where the kernels run."""
        return self.arrays["best"]

    def start_scoring(self) -> None:
        """Phase 1: every cell, once."""
        held, shape, sides = self.arrays, self.shape, self.sides
        self.machine.launch(
            PHASE_1,
            "strips",
            shape.defines(shape.states),
            shape.strips(len(sides.columns)),
            Launch(shape.threads, shape.shared_bytes(shape.states)),
            [
                held["letters"],
                np.int32(len(sides.rows)),
                held["columns"],
                np.int32(len(sides.columns)),
                held["table"],
                np.int32(sides.by_position),
                held["border"],
                np.int64(self._stride),
                held["border_states"],
                held["saved"],
                held["saved_states"],
                held["next"],
                held["done_rows"],
                held["best"],
                self.machine.cancel,
                held["done"],
            ],
        )

    def best(self) -> tuple[int, int, int, int]:
        """Return score, row, column (from 0) and start state of the best cell so far; the score is 0 if none is."""
        cells = self.machine.get(self.best_cells).reshape(-1, 4)
        return best_of(cells, column_first=self.shape.column_first)

    def end(self) -> PairEnd:
        """Return the best cell so far as query and subject have it."""
        score, row, column, _ = self.best()
        if score == 0:
            return PairEnd(0, 0, 0)
        ends = (row + 1, column + 1)
        return PairEnd(score, *(reversed(ends) if self.sides.swapped else ends))

    def find_pieces(self) -> NDArray[np.int32]:
        """Phase 2: where the path enters and leaves each strip or chunk.

        Returns
        -------
        ndarray, shape=(pieces, 8), dtype=int32
            As in ``pair_striped_pieces.cu``, the last piece first.
        """
        shape, sides, held, machine = self.shape, self.sides, self.arrays, self.machine
        _, row, column, state = self.best()
        capacity = shape.most_pieces(len(sides.rows), len(sides.columns))
        held["pieces"] = machine.zeros("pieces", PIECE_FIELDS * (capacity + 1), np.int32)
        count = machine.zeros("pieces", 1, np.int32)
        machine.launch(
            PHASES_2_AND_3,
            "walk",
            shape.defines(shape.states),
            1,
            Launch(32, 0),
            [
                np.int32(row),
                np.int32(column),
                np.uint32(state),
                held["border_states"],
                np.int64(self._stride),
                held["saved_states"],
                np.int32(len(sides.columns)),
                held["pieces"],
                np.int32(capacity),
                count,
            ],
        )
        number = int(machine.get(count)[0])
        return machine.get(held["pieces"]).reshape(-1, PIECE_FIELDS)[:number].copy()

    def start_path(self, pieces: NDArray[np.int32]) -> int:
        """Phase 3: the path inside the pieces, all at once; returns the cells that takes at most."""
        shape, sides, held, machine = self.shape, self.sides, self.arrays, self.machine
        wide = pieces.astype(np.int64)
        # Directions are kept from the row of a piece's start on.
        kept = wide[:, LAST_ROW] - np.maximum(wide[:, FIRST_ROW] - 1, wide[:, TOP])
        per_row = shape.direction_row // shape.pack_bytes
        direction_at = np.concatenate([[0], np.cumsum(kept * per_row)])
        spans = wide[:, LAST_ROW] - wide[:, FIRST_ROW] + wide[:, LAST_COLUMN] - wide[:, FIRST_COLUMN]
        held["ops_at"] = np.concatenate([[0], np.cumsum(spans)])
        held["ops"] = machine.zeros("path", int(held["ops_at"][-1]), np.uint8)
        held["written"] = machine.zeros("pieces", len(pieces), np.int32)
        held["directions"] = machine.zeros("directions", int(direction_at[-1]) * shape.pack_bytes, np.uint8)
        machine.launch(
            PHASES_2_AND_3,
            "pieces",
            shape.defines(States.NONE, directions=True),
            len(pieces),
            Launch(shape.threads, shape.shared_bytes(States.NONE, directions=True)),
            [
                held["letters"],
                held["columns"],
                np.int32(len(sides.columns)),
                held["table"],
                np.int32(sides.by_position),
                held["border"],
                np.int64(self._stride),
                held["saved"],
                held["pieces"],
                np.int32(len(pieces)),
                machine.put("pieces", direction_at),
                held["directions"],
                machine.put("pieces", held["ops_at"]),
                held["ops"],
                held["written"],
                machine.zeros("progress", 1, np.int32),
                machine.cancel,
                held["done"],
            ],
        )
        return int((wide[:, LAST_ROW] - wide[:, TOP]).sum()) * shape.strip

    def alignment(self, pieces: NDArray[np.int32]) -> Alignment:
        """Join the pieces' paths.

        Raises
        ------
        EngineFault
            If a path missed the start that phase 2 found for it.
        """
        held, machine = self.arrays, self.machine
        score, row, column, _ = self.best()
        written, ops, ops_at = machine.get(held["written"]), machine.get(held["ops"]), held["ops_at"]
        if (written < 0).any():
            raise EngineFault(
                "The path through a strip does not begin where the strips before it end: a fault in the program.",
                hint="Align with another method, and report this with both sequences.",
            )
        # The last piece comes first, each written from the end of its room backwards.
        parts = [ops[ops_at[i + 1] - written[i] : ops_at[i + 1]] for i in reversed(range(len(pieces)))]
        path = np.concatenate([*parts, np.zeros(0, np.uint8)])
        if self.sides.swapped:
            path = np.array([Op.MATCH, Op.DELETION, Op.INSERTION], dtype=np.uint8)[path]
        edges = np.flatnonzero(np.diff(path, prepend=255, append=255))
        runs = zip(path[edges[:-1]].tolist(), np.diff(edges).tolist(), strict=True)
        ends = (column + 1, row + 1) if self.sides.swapped else (row + 1, column + 1)
        spans = int((path != Op.DELETION).sum()), int((path != Op.INSERTION).sum())
        return Alignment.from_runs(ends[0] - spans[0], ends[1] - spans[1], runs, score)


def best_of(cells: NDArray[np.int32], *, column_first: bool) -> tuple[int, int, int, int]:
    """Return the best of the strips' best cells; of equals the leftmost or the topmost.

    Parameters
    ----------
    cells : ndarray, shape=(strips, 4), dtype=int32
        Score, row, column and start state; a score of 0 is no cell.
    """
    score = int(cells[:, 0].max(initial=0))
    if score == 0:
        return 0, 0, 0, 0
    equal = cells[cells[:, 0] == score]
    order = (equal[:, 1], equal[:, 2]) if column_first else (equal[:, 2], equal[:, 1])
    chosen = equal[np.lexsort(order)[0]]
    return score, int(chosen[1]), int(chosen[2]), int(chosen[3]) & 0xFFFFFFFF
