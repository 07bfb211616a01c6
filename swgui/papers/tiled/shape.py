"""Tiles of the score matrix of one pair: how large, how many, and what they take.

After the paper on tiling with dynamic and concurrent kernels: its equations 7 to 9
(`swgui.papers.occupancy.equations.tile_limits`) say how large a tile must be for its diagonal to keep all cores busy,
and how large it may be to fit the memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

BLOCK: Final = 128  # rows and columns of a block of cells
LONGEST: Final = 65_536  # residues of either sequence
LARGEST: Final = 1 << 29  # scores stay below
STREAMS: Final = 8  # tiles under way at once


@dataclass(frozen=True, slots=True)
class TileShape:
    """How the matrix is cut, with all that the kernels are compiled for."""

    tile: int  # the paper's t, a multiple of `BLOCK`
    letters: int
    gap_first: int
    gap_extend: int

    @property
    def affine(self) -> bool:
        """Whether a gap's first residue costs more than the others, so that E and F are needed."""
        return self.gap_first != self.gap_extend

    @property
    def border_words(self) -> int:
        """32-bit words of a value on a border: H, and with affine gaps E or F."""
        return 2 if self.affine else 1

    @property
    def blocks(self) -> int:
        """Blocks along a side of a tile."""
        return self.tile // BLOCK

    @property
    def diagonals(self) -> int:
        """Anti-diagonals of blocks: launches per tile."""
        return 2 * self.blocks - 1

    def grid(self, diagonal: int) -> int:
        """Blocks on an anti-diagonal."""
        return min(diagonal + 1, self.diagonals - diagonal)

    def defines(self, *, directions: bool = False) -> tuple[str, ...]:
        return (
            f"-DTILE_BLOCK={BLOCK}",
            f"-DTILE_AFFINE={int(self.affine)}",
            f"-DTILE_LETTERS={self.letters}",
            f"-DTILE_FIRST={self.gap_first}",
            f"-DTILE_FURTHER={self.gap_extend}",
            f"-DTILE_DIRECTIONS={int(directions)}",
        )

    def tiles(self, length: int) -> int:
        return -(-length // self.tile)

    def at_once(self, rows: int, columns: int) -> int:
        """Tiles that can be under way at once: those of the longest anti-diagonal, as far as there are streams."""
        return max(1, min(self.tiles(rows), self.tiles(columns), STREAMS))


def memory_of(shape: TileShape, rows: int, columns: int, kinds: int, *, aligned: bool) -> dict[str, int]:
    """Return the device memory of a run by purpose, in bytes; the buffers are those of `kernels/papers/pair_tiled.cu`.

    Parameters
    ----------
    kinds : int
        Rows of the table of scores: query letters, or query positions.
    """
    borders = 2 * shape.tile * 4 * shape.border_words + 4 * (2 * shape.blocks + 2) + 16
    memory = {
        "sequences": rows + columns + 2 * kinds * shape.letters,
        "tile borders": shape.at_once(rows, columns) * borders + 8,
    }
    if aligned:
        memory["directions"] = shape.tile * shape.tile // 2
        memory["path"] = 2 * shape.tile + 20
    return memory


def host_bytes(shape: TileShape, rows: int, columns: int) -> int:
    """Bytes of host memory that the borders of all tiles take."""
    lines = (shape.tiles(rows) + 1) * columns + (shape.tiles(columns) + 1) * rows
    return 4 * shape.border_words * lines
