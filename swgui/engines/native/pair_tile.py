"""Tiles of long pairs in compiled code (``kernels/cpu/pair_tile.c``), as `swgui.engines.pair.tile` defines them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.engines.native import library

Values = NDArray[np.signedinteger]
_POINTER, _LONG = ctypes.c_void_p, ctypes.c_int64
_TILE = ("top", "along", "down", "line0", "line1", "line2", "bottom", "pair", "table", "query", "subject")
_INDICES = ("row", "column", "forbidden")
_SIZES = ("h", "w", "opening", "extend", "never", "plain", "match", "delta", "floor", "asked", "r0", "c0", "forbidden")


class _Tile(ctypes.Structure):
    _fields_ = [(name, _POINTER) for name in (*_TILE, *_INDICES)]


class _Sizes(ctypes.Structure):
    _fields_ = [(name, _LONG) for name in _SIZES]


@dataclass(frozen=True, slots=True, eq=False)
class TileScores:
    """Scores of the pairs of a tile: one for equal numbers and one for others, or those of a table."""

    # match, delta: score of equal numbers, and its distance from that of others
    match: int = 0
    delta: int = 0
    # query, subject: numbers; the subject's from its end, shape (h,) and (w,)
    query: Values | None = None
    subject: Values | None = None
    table: Values | None = None  # shape (r, symbols)
    # rows, columns: indices into `table`; the subject's from its end, shape (h,) and (w,)
    rows: NDArray[np.int64] | None = None
    columns: NDArray[np.int64] | None = None
    # Anti-diagonal and row, from 1, of pairs that must not be aligned, in order, shape (f, 2).
    forbidden: NDArray[np.int64] = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))


class Filling:
    """A tile that is filled some anti-diagonals at a time.

    Parameters
    ----------
    costs : tuple of int
        Cost of opening above that of extending, cost of extending, and a value below every score.
    origin : tuple of int
        First row and column of the tile.
    floor : bool
        Whether an alignment may start anywhere.
    asked : bool
        True to find the best vertex.
    arrays : sequence of ndarrays
        ``top, along, down``, three lines, ``bottom``: all of one type, int32 or int64, and lifted; filled in place.
    """

    def __init__(
        self,
        scores: TileScores,
        costs: tuple[int, int, int],
        origin: tuple[int, int],
        arrays: Sequence[Values],
        *,
        floor: bool,
        asked: bool,
    ) -> None:
        top, along = arrays[:2]
        shape = len(along) - 1, len(top) - 1
        self._arguments = Arguments(scores, shape, costs, arrays, origin, floor=floor, asked=asked)
        self._call = library.function(f"pair_fill{8 * top.dtype.itemsize}", _POINTER, _POINTER, _LONG, _LONG, _POINTER)

    def fill(self, first: int, end: int, best: NDArray[np.int64]) -> None:
        """Fill anti-diagonals; `best` is score, column and row of the best vertex so far, and is kept up to date."""
        self._call(*self._arguments.pointers, first, end, best.ctypes.data)


def fill_states(
    scores: TileScores, costs: tuple[int, int, int], best: Values, pair: Values, insertion: Values, deletion: Values
) -> None:
    """Compute all values of a small problem whose first row and column are set.

    Parameters
    ----------
    scores, costs
        As for `Filling`.
    best, pair, insertion, deletion : ndarray, shape=(h + w + 1, h + 1)
        Arrays of one type, int32 or int64; filled in place.
    """
    h = best.shape[1] - 1
    arguments = Arguments(scores, (h, best.shape[0] - h - 1), costs, (), (0, 0), floor=False, asked=False, of=best)
    call = library.function(f"pair_states{8 * best.dtype.itemsize}", *[_POINTER] * 6)
    call(*arguments.pointers, *(array.ctypes.data for array in (best, pair, insertion, deletion)))


class Arguments:
    """Arguments of the library; keeps the arrays alive."""

    def __init__(
        self,
        scores: TileScores,
        shape: tuple[int, int],
        costs: tuple[int, int, int],
        arrays: Sequence[Values],
        origin: tuple[int, int],
        *,
        floor: bool,
        asked: bool,
        of: Values | None = None,
    ) -> None:
        dtype = (of if of is not None else arrays[0]).dtype
        given: dict[str, NDArray[Any]] = dict(zip(_TILE, arrays, strict=False))
        given["pair"] = np.empty(shape[0] + 1, dtype=dtype)
        if scores.query is not None and scores.subject is not None:
            given |= {"query": scores.query, "subject": scores.subject}
        elif scores.table is not None and scores.rows is not None and scores.columns is not None:
            given |= {"row": scores.rows.astype(np.int32), "column": scores.columns.astype(np.int32)}
            given["table"] = scores.table
        given["forbidden"] = scores.forbidden
        exact = {name: np.ascontiguousarray(array) for name, array in given.items()}
        assert all(exact[name] is given[name] for name in _TILE[:7] if name in given)  # filled in place
        assert all(exact[name].dtype == dtype for name in _TILE if name in exact)
        sizes = (*shape, *costs, "query" in given, scores.match, scores.delta, floor, asked, *origin)
        self._kept = exact
        self._tile = _Tile(**{name: array.ctypes.data for name, array in exact.items()})
        self._sizes = _Sizes(*map(int, sizes), len(scores.forbidden))
        self.pointers = ctypes.addressof(self._tile), ctypes.addressof(self._sizes)
