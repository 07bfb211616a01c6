"""Residues as 2, 5 or 8 bits and back.

Sixty-four residues are a group, the last of which is filled up with zeros. Of 5 bits the lower four are one plane, 32
bytes a group (residue j and residue j + 32 share byte j), behind which the highest are another, 8 bytes a group (bit k
of byte j is that of residue 8 k + j): half again as quick as six residues in a word of 32 bits, and 6 % smaller. Of 2
bits residues j, j + 16, j + 32 and j + 48 share byte j of 16. Alphabets of more than 32 letters are stored as they are.

The compiled library has the same (kernels/cpu/packed.c); it is known by the name of its module here.
"""

from __future__ import annotations

import importlib
import zlib
from functools import cache
from types import SimpleNamespace
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.texts import take_slices

COMPILED: Final = "swgui.engines.native.packing"
GROUP: Final = 64
PLAIN: Final = 8  # bits of residues that are not packed
FEW: Final = 2  # bits of the first four letters of an alphabet
PLANES: Final = 5  # bits of the letters of an alphabet of at most 32
BITS: Final = (FEW, PLANES, PLAIN)
_STEP: Final = 1 << 14  # groups taken at a time where nothing is compiled

_Bytes = NDArray[np.uint8]
_Places = NDArray[np.int64]
_SHIFTS: Final = np.arange(8, dtype=np.uint8)[:, None]


def packed_size(residues: int, bits: int) -> int:
    """Return the bytes that packed residues take."""
    return -(-residues // GROUP) * 8 * bits


@cache
def best_codec() -> Any:
    """Return the codec: the compiled library, or the Python code below if there is no library."""
    compiled = importlib.import_module(COMPILED)
    plain = SimpleNamespace(pack=pack_plainly, unpack=unpack_plainly, checksum=zlib.crc32)
    return plain if compiled.problem() else compiled


def checksum(data: Any, crc: int = 0) -> int:
    """Return the CRC-32 of bytes, or of them behind others that have a checksum."""
    made: int = best_codec().checksum(data, crc)
    return made


def pack(codes: _Bytes, offsets: _Places, order: _Places, bits: int) -> _Bytes:
    """Return sequences packed, concatenated, in an order.

    Parameters
    ----------
    codes : ndarray, shape=(residues,), dtype=uint8
    offsets : ndarray, shape=(n + 1,), dtype=int64
        Where each begins in `codes`; the last entry is their number.
    order : ndarray, shape=(n,), dtype=int64
        All of them, each once.
    """
    if bits == PLAIN:
        packed = np.zeros(packed_size(len(codes), bits), np.uint8)
        packed[: len(codes)] = take_slices(codes, offsets, order)[0]
        return packed
    packed = np.empty(packed_size(len(codes), bits), np.uint8)
    best_codec().pack(codes, offsets, order, bits, packed)
    return packed


def unpack(packed: _Bytes, edges: _Places, places: _Places, bits: int, out: _Bytes) -> None:
    """Unpack stretches of residues.

    Parameters
    ----------
    edges : ndarray, shape=(n + 1,), dtype=int64
        Where each stretch begins among the residues, and where the last ends.
    places : ndarray, shape=(n,), dtype=int64
        Where each goes in `out`.
    """
    if bits == PLAIN:
        for first, stop, place in zip(edges[:-1].tolist(), edges[1:].tolist(), places.tolist(), strict=True):
            out[place : place + stop - first] = packed[first:stop]
        return
    best_codec().unpack(packed, edges, places, bits, out)


def pack_plainly(codes: _Bytes, offsets: _Places, order: _Places, bits: int, out: _Bytes) -> None:
    """Do as `swgui.engines.native.packing.pack`."""
    groups = len(out) // (8 * bits)
    sorted_codes = np.zeros(groups * GROUP, np.uint8)
    sorted_codes[: len(codes)] = take_slices(codes, offsets, order)[0]
    for first in range(0, groups, _STEP):
        stop = min(first + _STEP, groups)
        part = sorted_codes[first * GROUP : stop * GROUP]
        if bits == FEW:
            four = part.reshape(-1, 4, 16) & 3
            out[first * 16 : stop * 16] = (four[:, 0] | four[:, 1] << 2 | four[:, 2] << 4 | four[:, 3] << 6).ravel()
            continue
        two = part.reshape(-1, 2, 32) & 15
        out[first * 32 : stop * 32] = (two[:, 0] | two[:, 1] << 4).ravel()
        eight = part.reshape(-1, 8, 8) >> 4 & 1
        high = out[groups * 32 :]
        high[first * 8 : stop * 8] = np.bitwise_or.reduce(eight << _SHIFTS, axis=1).ravel()


def unpack_plainly(packed: _Bytes, edges: _Places, places: _Places, bits: int, out: _Bytes) -> None:
    """Do as `swgui.engines.native.packing.unpack`."""
    groups = len(packed) // (8 * bits)
    for first, stop, place in zip(edges[:-1].tolist(), edges[1:].tolist(), places.tolist(), strict=True):
        for group in range(first // GROUP, -(-stop // GROUP), _STEP):
            last = min(group + _STEP, groups)
            begin, end = max(first, group * GROUP), min(stop, last * GROUP)
            codes = _groups(packed, group, last, groups, bits)
            out[place + begin - first : place + end - first] = codes[begin - group * GROUP : end - group * GROUP]


def _groups(packed: _Bytes, first: int, stop: int, groups: int, bits: int) -> _Bytes:
    if bits == FEW:
        bytes_of = packed[first * 16 : stop * 16].reshape(-1, 1, 16)
        return np.asarray(bytes_of >> _SHIFTS[0:8:2] & 3, np.uint8).ravel()
    low = packed[first * 32 : stop * 32].reshape(-1, 1, 32)
    high = packed[groups * 32 + first * 8 : groups * 32 + stop * 8].reshape(-1, 1, 8)
    codes = np.concatenate([low & 15, low >> 4], axis=1).reshape(-1, 8, 8)
    return np.asarray(codes | (high >> _SHIFTS & 1) << 4, np.uint8).ravel()


class Runs(msgspec.Struct, frozen=True, eq=False):
    """Where residues are not of the first four letters: stretches of one letter each, in order."""

    starts: NDArray[np.int64]  # among the packed residues, shape (k,)
    lengths: NDArray[np.int64]
    codes: NDArray[np.uint8]

    @classmethod
    def of(cls, codes: _Bytes, offsets: _Places, order: _Places) -> Runs:
        """Return those of sequences that are packed in an order; parameters as of `pack`."""
        odd = codes >= 1 << FEW
        if not odd.any():
            return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint8))
        begins = odd.copy()  # a match that continues from the base before is no beginning, unless a sequence begins
        begins[1:] &= codes[1:] != codes[:-1]
        heads = offsets[:-1][np.diff(offsets) > 0]
        begins[heads] = odd[heads]
        starts = np.flatnonzero(begins)
        ends = np.flatnonzero(odd & ~np.append(odd[1:] & ~begins[1:], False)) + 1
        lengths = np.diff(offsets)
        moved = np.empty(len(order), np.int64)  # how far each sequence is moved
        moved[order] = np.cumsum(lengths[order]) - lengths[order] - offsets[:-1][order]
        of = np.searchsorted(offsets, starts, side="right") - 1
        places = starts + moved[of]
        sorted_by = np.argsort(places, kind="stable")
        return cls(places[sorted_by], (ends - starts)[sorted_by], codes[starts][sorted_by])

    def data(self) -> _Bytes:
        """Return them as bytes: starts, lengths, and letters, array after array."""
        return np.concatenate([self.starts.view(np.uint8), self.lengths.view(np.uint8), self.codes])

    def lay(self, edges: _Places, places: _Places, out: _Bytes) -> None:
        """Put the letters where residues were unpacked to; parameters as of `unpack`."""
        ends = self.starts + self.lengths
        for first, stop, place in zip(edges[:-1].tolist(), edges[1:].tolist(), places.tolist(), strict=True):
            inside = slice(np.searchsorted(ends, first, side="right"), np.searchsorted(self.starts, stop))
            starts = np.maximum(self.starts[inside], first)
            stops = np.minimum(ends[inside], stop)
            rows = zip((starts + place - first).tolist(), (stops + place - first).tolist(), strict=True)
            for (begin, end), code in zip(rows, self.codes[inside].tolist(), strict=True):
                out[begin:end] = code
