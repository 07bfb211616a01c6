"""Best scores of proteins with DNA whose reading may shift, on one GPU: what ``kernels/shifts.cu`` is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import ScoringScheme
from swgui.engines.cuda.modules import Kernel, load

FILE: Final = "shifts.cu"
KERNEL: Final = "shifts"
LANES: Final = 32
ROWS: Final = (4, 8, 12, 16)  # of a lane
MIN_BLOCKS: Final = {
    4: 16,
    8: 14,
    12: 10,
    16: 8,
}  # of a warp each, on a multiprocessor, so that registers are not spilled
MAX_SYMBOLS: Final = 31
MAX_COST: Final = 16_000
WORD: Final = 4
UNIT: Final = 6  # first residue, residues, first codon and codons of either piece


@dataclass(frozen=True, slots=True)
class ShiftVariant:
    """One way to compile the kernel.

    Parameters
    ----------
    rows : int
        Residues of a lane, of `ROWS`.
    symbols : int
        Of the alphabet of proteins, at most `MAX_SYMBOLS`.
    gap_first, gap_extend, shift : int
        At most `MAX_COST`.
    """

    rows: int
    symbols: int
    gap_first: int
    gap_extend: int
    shift: int

    def defines(self) -> tuple[str, ...]:
        """Return the options of the compiler."""
        given = {
            "ROWS": self.rows,
            "CODES": self.symbols,
            "FIRST": self.gap_first,
            "EXTEND": self.gap_extend,
            "SHIFT": self.shift,
            "MIN_BLOCKS": MIN_BLOCKS[self.rows],
        }
        return tuple(f"-DSW_{name}={value}" for name, value in given.items())

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block: the scores of its rows for each letter, 16 bits each."""
        return (self.symbols + 1) * self.rows * LANES * 2


def rows_for(length: int) -> int:
    """Return how many residues a lane holds of proteins of up to `length`: as few as hold all of them at once."""
    return next((rows for rows in ROWS if LANES * rows >= length), ROWS[-1])


def fits(scheme: ScoringScheme, shift: int) -> bool:
    """Tell whether the kernel can score by a scheme."""
    return (
        len(scheme.alphabet) <= MAX_SYMBOLS and max(scheme.gap_first, shift) <= MAX_COST and scheme.max_step <= MAX_COST
    )


def border_groups(units: NDArray[np.int64], rows: int) -> int:
    """Return the blocks of three columns of the longest piece whose protein takes several passes; 0 without one."""
    several = units[units[:, 1] > LANES * rows]
    return int(-(-several[:, [3, 5]].max(initial=0) // 3))


class ShiftScorer:
    """Scores units of work on the current device.

    Parameters
    ----------
    cupy : module
    scheme : ScoringScheme
        One that `fits`; rows of its matrix are residues of proteins, columns what codons are translated to.
    shift : int
        Cost of a frameshift.
    multiprocessors : int
    """

    def __init__(self, cupy: Any, scheme: ScoringScheme, shift: int, multiprocessors: int) -> None:
        self._cupy, self._scheme, self._shift, self._multiprocessors = cupy, scheme, shift, multiprocessors
        self._table = cupy.asarray(scheme.matrix.scores)
        self._kernels: dict[int, tuple[Kernel, ShiftVariant]] = {}
        self.most = int(np.iinfo(np.int16).max) - scheme.max_step

    def score(self, residues: Any, codons: Any, units: NDArray[np.int64]) -> NDArray[np.int32]:
        """Score every unit; those above `most` may score more.

        Parameters
        ----------
        residues, codons : cupy.ndarray, dtype=uint8
        units : ndarray, shape=(k, 6), dtype=int64
            First residue and number of residues; first codon and number of codons of two pieces, 0 for none.

        Returns
        -------
        ndarray, shape=(k, 2), dtype=int32
        """
        scores = np.zeros((len(units), 2), dtype=np.int32)
        for rows, numbers in self._by_rows(units[:, 1]):
            scores[numbers] = self._launch(rows, residues, codons, units[numbers])
        return scores

    @staticmethod
    def _by_rows(lengths: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield which units a kernel of so many rows takes, most work first."""
        wanted = np.array([rows_for(length) for length in lengths.tolist()], dtype=np.int64)
        for rows in ROWS[::-1]:
            numbers = np.flatnonzero(wanted == rows)
            if len(numbers):
                yield rows, numbers[np.argsort(-lengths[numbers], kind="stable")]

    def _launch(self, rows: int, residues: Any, codons: Any, units: NDArray[np.int64]) -> NDArray[np.int32]:
        cupy = self._cupy
        grid = min(len(units), self._multiprocessors * MIN_BLOCKS[rows])
        groups = border_groups(units, rows)
        borders = cupy.empty(max(1, grid * groups * 6), dtype=cupy.uint32)
        state, scores = cupy.zeros(2, dtype=cupy.int32), cupy.zeros((len(units), 2), dtype=cupy.int32)
        given = residues, codons, self._table, cupy.asarray(units), np.int32(len(units)), borders, np.int32(groups)
        kernel, variant = self._kernel(rows)
        kernel((grid,), (LANES,), (*given, state[:1], scores, state[1:]), shared_mem=variant.shared_bytes)
        return np.asarray(scores.get(), dtype=np.int32)

    def _kernel(self, rows: int) -> tuple[Kernel, ShiftVariant]:
        if rows not in self._kernels:
            scheme = self._scheme
            variant = ShiftVariant(rows, len(scheme.alphabet), scheme.gap_first, scheme.gap_extend, self._shift)
            kernel = load(self._cupy, FILE, KERNEL, variant.defines(), variant.shared_bytes)
            self._kernels[rows] = kernel, variant
        return self._kernels[rows]


def cut_pieces(lengths: Sequence[int], overlap: int, most: int) -> NDArray[np.int64]:
    """Cut strands into pieces that overlap, so that every stretch of `overlap` codons lies in one of them.

    Parameters
    ----------
    lengths : sequence of int
        Codons of each strand, one from each base on.
    overlap : int
    most : int
        Codons of a piece, above `overlap`.

    Returns
    -------
    ndarray, shape=(k, 3), dtype=int64
        Strand, first codon and codons of each piece.
    """
    pieces = [
        (number, start, min(most, length - start))
        for number, length in enumerate(lengths)
        for start in range(0, max(1, length - overlap), most - overlap)
    ]
    return np.array(pieces, dtype=np.int64).reshape(-1, 3)
