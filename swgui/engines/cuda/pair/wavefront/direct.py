"""Pieces of an alignment that are small enough for all their directions to be kept, many at a time."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Op
from swgui.core.errors import EngineFault
from swgui.engines.cuda.pair.wavefront.device import NULL, Device, Kernel
from swgui.engines.cuda.pair.wavefront.letters import Pair
from swgui.engines.cuda.pair.wavefront.tuning import TUNING

FILE: Final = "pair_wavefront_direct.cu"
LANE_ROWS: Final = 8
BAND: Final = 32 * LANE_ROWS
BATCH_BYTES: Final = 4 << 30  # of directions at a time, at most
Runs = tuple[NDArray[np.uint8], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class PathPiece:
    """A stretch of the path from corner to corner."""

    row: int
    rows: int
    column: int
    columns: int
    # gap_at_start, gap_at_end: True if a gap in the subject continues from the piece before, or into the piece behind:
    # its first residue then costs no more than the others
    gap_at_start: bool
    gap_at_end: bool
    value: int  # score of the best path through the piece

    @property
    def words(self) -> int:
        """32-bit words that its directions take."""
        return -(-self.rows // BAND) * (self.columns + 31) * 32

    def is_small(self, cells: int) -> bool:
        """Whether it is to be aligned directly, where pieces are to have so many cells, or up to twice as many."""
        return self.rows * self.columns <= 2 * cells or self.rows <= LANE_ROWS * 4

    @property
    def is_gap(self) -> bool:
        """Whether there is nothing to be aligned."""
        return not self.rows or not self.columns


def cells_of_pieces(length: int) -> int:
    """Return the best number of cells of a path's pieces: small ones need many cuts, large ones keep a warp busy long.

    Parameters
    ----------
    length : int
        Residues of the longer side of the path.
    """
    side = (length * TUNING.cut_seconds / (2 * TUNING.cell_seconds)) ** (1 / 3)
    return min(max(int(side * side), TUNING.fewest_cells), TUNING.most_cells)


def gap_runs(piece: PathPiece) -> Runs:
    """Return the runs of a piece that is one gap, or empty."""
    length = piece.rows + piece.columns
    op = Op.INSERTION if piece.rows else Op.DELETION
    count = int(length > 0)
    return np.full(count, int(op), dtype=np.uint8), np.full(count, length, dtype=np.int64)


def align_directly(pair: Pair, pieces: Sequence[PathPiece]) -> Generator[Any, None, list[Runs | EngineFault]]:
    """Align pieces that are not gaps; yields the mark that it waits for.

    Returns
    -------
    list of Runs or EngineFault
        Runs of each piece; a fault if its score differs from the expected one.
    """
    device, facts = pair.device, pair.facts
    count = len(pieces)
    table = np.zeros((count, 8), dtype=np.int64)
    words = steps = scratch = 0
    for number, piece in enumerate(pieces):
        flags = int(piece.gap_at_start) | 2 * int(piece.gap_at_end)
        table[number, :8] = (piece.row, piece.rows, piece.column, piece.columns, flags, words, scratch, steps)
        words += piece.words
        scratch += piece.columns
        steps += piece.rows + piece.columns
    values = {
        "LETTERS": facts.letters,
        "FIRST": facts.gap_first,
        "FURTHER": facts.gap_extend,
        "WORST": facts.worst,
        "BARRED": int(pair.excluded is not None),
    }
    kernel = Kernel(FILE, "pair_direct", tuple(f"-DPAIR_{name}={value}" for name, value in values.items()))
    written = device.empty(steps, np.uint8)
    results = device.upload(np.zeros(2 * count + 1, dtype=np.int32))
    starts, excluded = pair.excluded or (NULL, NULL)
    uploaded, directions = device.upload(table.ravel()), device.empty(words, np.uint32)
    device.launch(
        kernel,
        min(count, TUNING.warps * device.multiprocessors),
        uploaded,
        np.int32(count),
        pair.row_codes,
        pair.subject,
        pair.matrix,
        directions,
        device.empty(2 * scratch, np.int32),
        written,
        results[:count],
        results[count : 2 * count],
        results[2 * count :],
        starts,
        excluded,
        device.cancel_flag,
    )
    told, _ = device.fetch(results)
    path, arrived = device.fetch(written)
    yield arrived
    ends = table[:, 7] + table[:, 1] + table[:, 3]
    return [
        join_steps(path[end - length : end]) if value == piece.value else _wrong(device, value, piece)
        for piece, end, value, length in zip(
            pieces, ends.tolist(), *told[: 2 * count].reshape(2, -1).tolist(), strict=True
        )
    ]


def _wrong(device: Device, value: int, piece: PathPiece) -> EngineFault:
    return EngineFault(
        f"{device.label} aligned a piece of the pair to {value} instead of {piece.value}.",
        hint="Please report this with both sequences; the CPU method does without the device.",
    )


def join_steps(steps: NDArray[np.uint8]) -> Runs:
    """Return the operations and lengths of runs of equal steps; `steps` of shape (n,)."""
    if not len(steps):
        return np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int64)
    starts = np.flatnonzero(np.concatenate([[True], steps[1:] != steps[:-1]]))
    return steps[starts].astype(np.uint8), np.diff(np.append(starts, len(steps))).astype(np.int64)


def join_runs(parts: Sequence[Runs]) -> Runs:
    """Return parts of a path as one, equal neighbours joined."""
    if not parts:
        return np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int64)
    ops = np.concatenate([part for part, _ in parts])
    lengths = np.concatenate([part for _, part in parts])
    if not len(ops):
        return ops, lengths
    starts = np.flatnonzero(np.concatenate([[True], ops[1:] != ops[:-1]]))
    return ops[starts], np.add.reduceat(lengths, starts)
