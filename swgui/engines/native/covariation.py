"""Aligned rows of bases: without near copies, joined to a tree, and pairs of bases counted in pairs of columns."""

from __future__ import annotations

import ctypes
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.covariation.alignment import ABSENT, BASES
from swgui.core.covariation.alone import Tree
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers
from swgui.engines.native.stopping import stop_flag

_POINTER, _LONG, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_WORD: Final = 64  # bits

_Codes = NDArray[np.uint8]
_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


class RowsOfBases:
    """The compiled parts of covariation (`swgui.core.covariation.pairs.Compiled`)."""

    def distinct(self, codes: _Codes, close: float, most: int, check: Check = lambda: None) -> _Ints:
        """Rows that differ from each row above that is kept in more than this share of their common columns.

        Parameters
        ----------
        codes : ndarray, shape=(rows, columns), dtype=uint8
            As of `swgui.core.covariation.alignment.BaseAlignment`.
        most : int
            Rows that are kept at most.
        check : callable
            Its error stops the call.
        """
        planes, words = _planes(codes)
        kept, total = np.empty(most, dtype=np.int64), np.zeros(1, dtype=np.int64)
        call = library.function("distinct_rows", _POINTER, _LONG, _LONG, _DOUBLE, _LONG, *[_POINTER] * 3)
        with stop_flag(check) as stop:
            checked(call(pointer(planes), len(codes), words, close, most, *pointers(kept, total, stop)))
        return kept[: total[0]]

    def join(self, codes: _Codes, weights: _Floats, close: float, check: Check = lambda: None) -> Tree:
        """Tree of rows, one at least.

        Parameters
        ----------
        weights : ndarray, shape=(columns,)
            Of columns in the distance of two rows.
        close : float
            Rows at most so far apart are neighbours.
        check : callable
            Its error stops the call.
        """
        begins, levels, places = _grouped(weights)
        spread = np.full((len(codes), int(begins[-1]) * _WORD), ABSENT, dtype=np.uint8)
        spread[:, places] = codes
        planes, words = _planes(spread)
        order, parents, neighbours = (np.empty(len(codes), dtype=np.int64) for _ in range(3))
        distances = np.empty(len(codes))
        given = _POINTER, _POINTER, _LONG
        call = library.function("join_rows", _POINTER, _LONG, _LONG, *given, _DOUBLE, *[_POINTER] * 5)
        made = order, parents, distances, neighbours
        with stop_flag(check) as stop:
            columns = *pointers(begins, levels), len(levels)
            checked(call(pointer(planes), len(codes), words, *columns, close, *pointers(*made, stop)))
        return Tree(*made)

    def counter(self, codes: _Codes, weights: _Floats) -> Counter:
        """Counter of pairs of bases of rows with weights, shape (rows,)."""
        return Counter(codes, weights)


class Counter:
    """Counts pairs of bases; parameters as of `RowsOfBases.counter`."""

    def __init__(self, codes: _Codes, weights: _Floats) -> None:
        self._begins, self._weights, places = _grouped(weights)
        self._words = int(self._begins[-1])
        placed = np.full((codes.shape[1], self._words * _WORD), ABSENT, dtype=np.uint8)
        placed[:, places] = codes.T
        bits = np.stack([np.packbits(placed == base, axis=1, bitorder="little") for base in range(BASES)], axis=1)
        self._columns = np.ascontiguousarray(bits).view(np.uint64)

    def __call__(self, start: int, stop: int) -> _Floats:
        """Weight of rows with each pair of bases in some columns and all from the first of these on.

        Returns
        -------
        ndarray, shape=(stop - start, 4, columns - start, 4), dtype=float64
        """
        columns = len(self._columns)
        counts = np.empty((stop - start, BASES, columns - start, BASES))
        call = library.function(
            "count_pairs", _POINTER, _LONG, _LONG, _POINTER, _POINTER, _LONG, _LONG, _LONG, _POINTER
        )
        given = pointer(self._columns), columns, self._words, *pointers(self._begins, self._weights)
        checked(call(*given, len(self._weights), start, stop, pointer(counts)))
        return counts


def _grouped(weights: _Floats) -> tuple[_Ints, _Floats, _Ints]:
    """Words in which the rows or columns of each weight begin, these weights, and the place of each among all bits."""
    levels, level = np.unique(weights, return_inverse=True)
    sizes = np.bincount(level.ravel(), minlength=len(levels))
    begins = np.concatenate([[0], np.cumsum(-(-sizes // _WORD))]).astype(np.int64)
    order = np.argsort(level.ravel(), kind="stable")
    places = np.empty(len(weights), dtype=np.int64)
    places[order] = np.repeat(begins[:-1] * _WORD - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(weights))
    return begins, np.ascontiguousarray(levels, np.float64), places


def _planes(codes: _Codes) -> tuple[NDArray[np.uint64], int]:
    """Planes of bits of rows, shape (rows, 3, words), and the words of each."""
    rows, columns = codes.shape
    words = max(1, -(-columns // _WORD))
    bits = np.zeros((rows, 3, words * _WORD), dtype=np.uint8)
    present = codes < ABSENT
    for plane, values in enumerate(((codes & 1) != 0, (codes & 2) != 0, present)):
        bits[:, plane, :columns] = values & present
    return np.ascontiguousarray(np.packbits(bits, axis=2, bitorder="little")).view(np.uint64), words
