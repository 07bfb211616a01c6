"""Residues to 2 or 5 bits and back (kernels/cpu/packed.c), and checksums of blocks (kernels/cpu/checksum.c).

`swgui.io.database.packed.codec` has the layout.
"""

from __future__ import annotations

import ctypes
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.engines.native.library import function, problem
from swgui.engines.native.scoring import pointers

__all__ = ["checksum", "pack", "problem", "unpack"]

_POINTER = ctypes.c_void_p
_ARGUMENTS = (*[_POINTER] * 3, *[ctypes.c_int64] * 3, _POINTER)
_INVERTED = 0xFFFFFFFF
_FOLDED = 64  # bytes that are folded at a time


def pack(
    codes: NDArray[np.uint8], offsets: NDArray[np.int64], order: NDArray[np.int64], bits: int, out: NDArray[np.uint8]
) -> None:
    """Pack sequences, concatenated, in an order.

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


def checksum(data: Any, crc: int = 0) -> int:
    """Return the CRC-32 of bytes that follow others, as `zlib.crc32`, sooner where the CPU can."""
    bare = memoryview(data).cast("B")
    size = len(bare) // _FOLDED * _FOLDED
    rest = np.empty(16, np.uint8)
    call = function("fold_checksum", _POINTER, ctypes.c_int64, ctypes.c_int64, _POINTER)
    if not size or not call(np.frombuffer(bare, np.uint8).ctypes.data, size, crc ^ _INVERTED, rest.ctypes.data):
        return zlib.crc32(bare, crc)
    return zlib.crc32(bare[size:], zlib.crc32(rest.tobytes(), _INVERTED))
