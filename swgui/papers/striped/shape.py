"""The shape of strips: cuts of the score matrix of one pair, and their memory.

After Li, Ranka and Sahni, "Pairwise Sequence Alignment for Very Long Sequences on GPUs". The paper's m rows are the
shorter sequence, its n columns the longer one; a strip is s columns wide, a chunk h rows high, and T rows of a
strip's border column are handed to the next strip at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.pair.problem import PairProblem

FRONT: Final = 128  # letters that kernels may read before the first row
NARROWEST: Final = ((64, 2), (128, 4))  # strips of at most so many columns: columns per thread; 8 beyond
MAX_THREADS: Final = 1024
STATE_WORDS: Final = 1 << 32  # a start state is a row and a column in one word
LARGEST: Final = 1 << 28  # scores stay below: nothing can come near the ends of 32 bits


class States(IntEnum):
    """Scope of start states."""

    NONE = 0
    STRIP = 1
    CHUNK = 2


def rows_at_once(states: States, *, directions: bool = False) -> int:
    """Rows that a thread computes at a time; fewer where a cell has more states."""
    return 2 if states or directions else 4


@dataclass(frozen=True, slots=True)
class StripShape:
    """Cuts of the matrix, with all constants that the kernels are compiled for."""

    # strip, chunk, batch: the paper's s, h (0 if no rows are saved) and T
    strip: int
    chunk: int
    batch: int
    states: States
    letters: int  # of the alphabet
    score_bytes: int  # 1, 2 or 4: bytes of a score in shared memory
    gap_first: int
    gap_extend: int
    column_first: bool  # whether of equal scores the leftmost counts, not the topmost
    dpx: bool

    @property
    def columns(self) -> int:
        narrow = next((columns for width, columns in NARROWEST if self.strip <= width), 8)
        return max(narrow, 4 // self.score_bytes)

    @property
    def warps(self) -> int:
        return -(-self.strip // (32 * self.columns))

    @property
    def threads(self) -> int:
        """Threads of a block: one warp more, which hands the border columns on."""
        return 32 * self.warps + 32

    def delay(self, states: States, *, directions: bool = False) -> int:
        """Batches that a warp is behind the one to its left."""
        steps = self.batch // rows_at_once(states, directions=directions)
        return -(-(steps + 31) // steps)

    @property
    def pack_bytes(self) -> int:
        """Bytes that the directions of one thread's columns take, at 4 bits a cell."""
        return self.columns // 2

    @property
    def direction_row(self) -> int:
        """Bytes that the directions of one row of a strip take."""
        return -(-self.strip // self.columns) * self.pack_bytes

    @property
    def pad(self) -> int:
        """Letters that kernels may read behind the last row."""
        return self.batch + 160

    def shared_bytes(self, states: States, *, directions: bool = False) -> int:
        """Shared memory of a block that carries such states, or finds directions."""
        edge = 16 if states else 8  # bytes per row
        profile = (self.letters + 1) * 32 * self.warps * self.columns * self.score_bytes
        ring = (self.delay(states, directions=directions) + 1) * self.batch
        return max(profile + (4 * self.batch + (self.warps - 1) * ring) * edge, 16 * self.threads)

    def strips(self, columns: int) -> int:
        return -(-columns // self.strip)

    def saved(self, rows: int) -> int:
        return rows // self.chunk if self.chunk else 0

    def most_pieces(self, rows: int, columns: int) -> int:
        """Pieces that a path can be cut into."""
        return self.strips(columns) + (self.saved(rows) if self.states is States.CHUNK else 0) + 1

    def defines(self, states: States, *, directions: bool = False) -> tuple[str, ...]:
        """Return the compiler's options for a kernel that carries such states, or finds directions."""
        values = {
            "": self.strip,
            "_COLS": self.columns,
            "_ROWS": rows_at_once(states, directions=directions),
            "_WARPS": self.warps,
            "_BATCH": self.batch,
            "_CHUNK": self.chunk,
            "_STATES": int(states),
            "_LETTERS": self.letters,
            "_BYTES": self.score_bytes,
            "_FIRST": self.gap_first,
            "_FURTHER": self.gap_extend,
            "_COLUMN_FIRST": int(self.column_first),
            "_DPX": int(self.dpx),
        }
        return (
            *(f"-DSTRIP{name}={value}" for name, value in values.items()),
            *(("-DSTRIP_DIRECTIONS",) if directions else ()),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Sides:
    """Sequence along the rows, and sequence along the columns."""

    swapped: bool  # whether the subject goes along the rows
    # rows, columns: shape (m,) and (n,)
    rows: NDArray[np.uint8]
    columns: NDArray[np.uint8]
    # Scores of a row letter in a column of a kind, which is the column's code, or its position, shape (kinds,
    # letters).
    table: NDArray[np.int16]
    by_position: bool

    @classmethod
    def of(cls, problem: PairProblem) -> Sides:
        """Put the shorter sequence along the rows; a profile belongs to the columns, which are kept."""
        query, subject, matrix = problem.query, problem.subject, problem.scheme.matrix.scores
        if query.profile is not None:
            return cls(True, subject, query.codes, np.ascontiguousarray(query.profile), True)
        if len(query) > len(subject):
            return cls(True, subject, query.codes, np.ascontiguousarray(matrix), False)
        return cls(False, query.codes, subject, np.ascontiguousarray(matrix.T), False)

    @property
    def highest(self) -> int:
        """The most one pair can add to a score."""
        return max(0, int(self.table.max(initial=0)))

    def score_bytes(self, first: int) -> int:
        """Size of a score in shared memory; scores are kept with `first` added, the lowest value is not a score."""
        low, high = int(self.table.min(initial=0)) + first, int(self.table.max(initial=0)) + first
        for size in (1, 2):
            limit = 1 << (8 * size - 1)
            if -limit < low and high < limit:
                return size
        return 4

    def padded_rows(self, shape: StripShape) -> NDArray[np.uint8]:
        """Return the row letters as the kernels want them: with letters before and behind that end everything."""
        padded = np.full(FRONT + len(self.rows) + shape.pad, shape.letters, dtype=np.uint8)
        padded[FRONT : FRONT + len(self.rows)] = self.rows
        return padded


def memory_of(shape: StripShape, rows: int, columns: int, kinds: int) -> dict[str, int]:
    """Return the device memory of a run by purpose, in bytes; of directions and path the most that can be.

    Start states are kept only where borders are, one word for each matrix a path can cross them in. A path goes
    down `rows` rows at most and is in one strip at a time, so directions never take more than that many rows
    of a strip, and one more for each piece: less than the 5 / 8 x rows x columns of the paper's StripedAlignment and
    the 5 / 8 x (rows x s + columns x h) of its ChunkedAlignments.
    """
    strips = shape.strips(columns)
    memory = {
        "sequences": FRONT + rows + shape.pad + columns + 2 * kinds * shape.letters,
        "progress": 4 * (strips + 3) + 8 + 16 * strips,
    }
    if not shape.states:
        return {**memory, "border column": 8 * rows}
    pieces = shape.most_pieces(rows, columns)
    memory["border columns"] = 8 * rows * max(strips - 1, 1)
    memory["start states"] = 8 * rows * max(strips - 1, 1)
    if shape.chunk:
        memory["saved rows"] = 8 * columns * max(shape.saved(rows), 1)
    if shape.states is States.CHUNK:
        memory["start states of saved rows"] = 8 * columns * max(shape.saved(rows), 1)
    memory["pieces"] = (32 + 8 + 8 + 4) * (pieces + 1)
    memory["directions"] = shape.direction_row * (rows + pieces)
    memory["path"] = rows + columns
    return memory


def formula_of(shape: StripShape, rows: int, columns: int) -> int:
    """Bytes of directions by the paper's formula: all of the matrix, or the chunks that a path can touch."""
    if shape.chunk:
        return 5 * (rows * shape.strip + columns * shape.chunk) // 8
    return 5 * rows * columns // 8
