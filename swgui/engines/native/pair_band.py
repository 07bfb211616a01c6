"""A band of a long pair in compiled code (``kernels/cpu/pair_band.h``), as `swgui.engines.pair.band` defines it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.native import library
from swgui.engines.native.pair_tile import Arguments, TileScores, Values

ANYWHERE, BORDER, CORNER = range(3)  # where alignments start and end
STATE: Final = ("at", "low", "high", "ended", "cells", "score", "column", "row")
_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64


class _BandSegment(ctypes.Structure):
    _fields_ = [
        *((name, _POINTER) for name in ("pair", "insertion", "deletion", "first", "end")),
        *((name, _LONG) for name in ("start", "left", "stride")),
    ]


class BandFilling:
    """A band that advances some anti-diagonals at a time.

    Parameters
    ----------
    scores : TileScores
        Scores of the whole pair, each lifted.
    shape : tuple of int
        Rows and columns.
    costs : tuple of int
        Cost of opening above that of extending, cost of extending, and a value below every score.
    arrays : sequence of ndarrays
        E by row, F by column and three lines of H, all of one type, int32 or int64; filled in place.
    rules : tuple of int
        Start and end, the bound, whether values below 0 are left out, the most a pair adds, and anti-diagonals
        between two cuts.
    """

    def __init__(
        self,
        scores: TileScores,
        shape: tuple[int, int],
        costs: tuple[int, int, int],
        arrays: Sequence[Values],
        rules: tuple[int, int, int, int, int, int],
    ) -> None:
        nothing = np.empty(0, dtype=arrays[0].dtype)
        given = [nothing, *arrays, nothing]
        self._arguments = Arguments(scores, shape, costs, given, (0, 0), floor=False, asked=False)
        self._rules = np.array(rules, dtype=np.int64)
        kind = (_POINTER, _POINTER, _POINTER, _POINTER, _LONG, _LONG, _POINTER)
        self._call = library.function(f"pair_band{8 * nothing.dtype.itemsize}", *kind)

    def run(
        self,
        state: NDArray[np.int64],
        end: int,
        most_cells: int,
        kept: tuple[Sequence[NDArray[np.signedinteger]], int, int] | None,
    ) -> None:
        """Continue to an anti-diagonal, or until a number of further cells is computed.

        Parameters
        ----------
        state : ndarray, shape=(8,), dtype=int64
            `STATE`; kept up to date.
        kept : tuple, optional
            Where all values go: those of pairs, insertions and deletions, ``[d - start - 1, row - left]``, first and
            last row of each anti-diagonal; then `start` and `left`.
        """
        stretch = _BandSegment()
        if kept is not None:
            arrays, start, left = kept
            stretch = _BandSegment(*(array.ctypes.data for array in arrays), start, left, arrays[0].shape[1])
        rules, address = self._rules.ctypes.data, ctypes.addressof(stretch)
        self._call(*self._arguments.pointers, rules, state.ctypes.data, end, most_cells, address)
