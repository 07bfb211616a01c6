"""Order of the subjects and how a database is cut into chunks. Pure functions of lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray


class ChunkLimits(msgspec.Struct, frozen=True):
    """Sizes that an engine wants for its chunks."""

    residues: int  # a chunk is closed once it holds this many residues (one longer subject is a chunk of its own)
    sequences: int = 1 << 62  # subjects per chunk at most


PIECES: Final = ChunkLimits(1 << 26)  # residues that are copied or translated at a time


class ChunkPlan(msgspec.Struct, frozen=True):
    """A contiguous slice of a database in storage order."""

    # start, stop: half-open range of storage positions
    start: int
    stop: int
    residues: int  # residues of the slice

    def __len__(self) -> int:
        return self.stop - self.start


def sort_by_length(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the storage order: longest first, ties in the order of the source.

    Long subjects go first so that no device is left with one of them at the end.

    Parameters
    ----------
    lengths : ndarray, shape=(N,)

    Returns
    -------
    ndarray, shape=(N,), dtype=int64
        Source index of each storage position.
    """
    longest = int(lengths.max(initial=0))
    below = longest - lengths  # 16 bits are sorted by their digits, in little time
    narrow = below.astype(np.uint16) if longest < 1 << 16 else below
    return np.argsort(narrow, kind="stable").astype(np.int64, copy=False)


def clipped(plans: Sequence[ChunkPlan], start: int, stop: int, offsets: NDArray[np.int64]) -> list[ChunkPlan]:
    """Return the parts of some plans that lie between two storage positions.

    Parameters
    ----------
    offsets : ndarray, shape=(N + 1,), dtype=int64
        Offsets of their database.
    """
    edges = ((max(plan.start, start), min(plan.stop, stop)) for plan in plans)
    return [ChunkPlan(a, b, int(offsets[b] - offsets[a])) for a, b in edges if a < b]


def plan_chunks(offsets: NDArray[np.int64], limits: ChunkLimits) -> list[ChunkPlan]:
    """Cut a database into chunks balanced by residues.

    Parameters
    ----------
    offsets : ndarray, shape=(N + 1,), dtype=int64
        Where each stored subject begins; the last entry is the total.

    Returns
    -------
    list of ChunkPlan
        Together they cover every storage position once.
    """
    if limits.residues < 1 or limits.sequences < 1:
        raise ValueError(f"A chunk must be allowed to hold something, not {limits}.")
    plans = []
    start, count = 0, len(offsets) - 1
    while start < count:
        stop = int(np.searchsorted(offsets, offsets[start] + limits.residues, side="right")) - 1
        stop = min(max(stop, start + 1), start + limits.sequences, count)
        plans.append(ChunkPlan(start, stop, int(offsets[stop] - offsets[start])))
        start = stop
    return plans
