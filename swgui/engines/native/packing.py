"""Residues to 2 or 5 bits and back (kernels/cpu/packed.c); `swgui.io.database.packed.codec` has the layout."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from swgui.engines.native.library import function, problem
from swgui.engines.native.scoring import pointers

__all__ = ["pack", "problem", "unpack"]

_POINTER = ctypes.c_void_p
_ARGUMENTS = (*[_POINTER] * 3, *[ctypes.c_int64] * 3, _POINTER)


def pack(
    codes: NDArray[np.uint8], offsets: NDArray[np.int64], order: NDArray[np.int64], bits: int, out: NDArray[np.uint8]
) -> None:
    """Pack sequences one behind the other, in an order.

    Parameters
    ----------
    codes : ndarray, shape=(residues,), dtype=uint8
    offsets : ndarray, shape=(n + 1,), dtype=int64
        Where each begins in `codes`.
    order : ndarray, shape=(n,), dtype=int64
    bits : {2, 5}
    out : ndarray, dtype=uint8
        Filled: 8 times `bits` bytes for every 64 residues that are begun.
    """
    call = function("pack_residues", *_ARGUMENTS)
    call(*pointers(codes, offsets, order), len(order), bits, len(out) // (8 * bits), out.ctypes.data)


def unpack(
    packed: NDArray[np.uint8], edges: NDArray[np.int64], places: NDArray[np.int64], bits: int, out: NDArray[np.uint8]
) -> None:
    """Unpack stretches of residues.

    Parameters
    ----------
    edges : ndarray, shape=(n + 1,), dtype=int64
        Where each stretch begins among the residues, and where the last ends.
    places : ndarray, shape=(n,), dtype=int64
        Where each goes in `out`.
    """
    call = function("unpack_residues", *_ARGUMENTS)
    call(*pointers(packed, edges, places), len(places), bits, len(packed) // (8 * bits), out.ctypes.data)
