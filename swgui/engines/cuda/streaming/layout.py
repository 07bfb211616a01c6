"""Layout of subjects on the device: twins, blocks of four columns, and units of work. Pure functions of lengths.

Storage order is longest first, so subjects ``2p`` and ``2p + 1`` have nearly the same length; they share
the two halves of a register: together they are *twin* ``p``. A twin fills ``max(length) // 4 + 1`` *blocks* of four
columns; the last column of the last block is always empty and ends the twin. A *unit* is a run of
twins that a group of threads takes at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.scores import distinct
from swgui.engines.cuda.streaming.tuning import TUNING

COLUMNS: Final = 4  # residues of one subject per 32-bit word, columns per block
PADDING_BLOCKS: Final = 40  # behind the last block: groups read it until their pipeline is empty


def twin_blocks(offsets: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the first block of each twin.

    Parameters
    ----------
    offsets : ndarray, shape=(N + 1,), dtype=int64
        Where each subject begins, storage order (longest first).

    Returns
    -------
    ndarray, shape=(twins + 1,), dtype=uint32
        The last entry is the number of blocks.

    Raises
    ------
    OverflowError
        If there are more than 2**32 blocks (34 billion residues).
    """
    longest = offsets[1::2] - offsets[:-1:2]
    first = np.zeros(len(longest) + 1, dtype=np.int64)
    np.cumsum((longest >> 2) + 1, out=first[1:])
    if first[-1] >= 1 << 32:
        raise OverflowError(f"{first[-1]} blocks do not fit the device layout.")
    return first.astype(np.uint32)


def cut_units(block_of: NDArray[np.uint32], first_twin: int, last_twin: int, groups: int) -> NDArray[np.int32]:
    """Cut a range of twins into units, large ones first.

    Every round hands out half of the rest, one unit to each group: few units in all, and small ones at the end, so that
    groups finish together.

    Parameters
    ----------
    block_of : ndarray, shape=(twins + 1,), dtype=uint32
    groups : int
        Groups of threads that share the work.

    Returns
    -------
    ndarray, shape=(units + 1,), dtype=int32
        First twin of each unit, then `last_twin`.
    """
    first, last = int(block_of[first_twin]), int(block_of[last_twin])
    sizes = [np.zeros(1, dtype=np.int64)]
    left = last - first
    while left > 0:
        size = max(left // (2 * groups), TUNING.min_unit_blocks)
        count = min(groups, -(-left // size))
        sizes.append(np.full(count, size, dtype=np.int64))
        left -= count * size
    wanted = first + np.cumsum(np.concatenate(sizes))
    starts = np.searchsorted(block_of[first_twin : last_twin + 1], wanted) + first_twin
    return distinct(np.append(starts[starts < last_twin], last_twin)).astype(np.int32)


@dataclass(frozen=True, eq=False)
class DatabaseLayout:
    """Layout of the subjects of one database on a device."""

    offsets: NDArray[np.int64]  # shape (N + 1,): of the database, storage order
    block_of: NDArray[np.uint32]  # shape (twins + 1,)
    _units: dict[tuple[int, int, int], NDArray[np.int32]] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, offsets: NDArray[np.int64]) -> DatabaseLayout:
        """Lay out a database by its offsets."""
        return cls(offsets, twin_blocks(offsets))

    @property
    def subjects(self) -> int:
        return len(self.offsets) - 1

    @property
    def twins(self) -> int:
        return len(self.block_of) - 1

    def blocks(self, first_twin: int, last_twin: int) -> int:
        return int(self.block_of[last_twin]) - int(self.block_of[first_twin])

    def units(self, first_twin: int, last_twin: int, groups: int) -> NDArray[np.int32]:
        key = (first_twin, last_twin, groups)
        if key not in self._units:
            self._units[key] = cut_units(self.block_of, first_twin, last_twin, groups)
        return self._units[key]

    def windows(self, first_twin: int, last_twin: int, blocks: int) -> Iterator[tuple[int, int]]:
        """Cut a range of twins into ranges of at most `blocks` blocks (or of one longer twin)."""
        last_block = int(self.block_of[last_twin])
        if first_twin < last_twin and last_block - int(self.block_of[first_twin]) <= blocks:
            yield first_twin, last_twin
            return
        while first_twin < last_twin:
            # Same type as the searched array, or NumPy would convert all of that.
            end = np.uint32(min(int(self.block_of[first_twin]) + blocks, last_block))
            stop = int(np.searchsorted(self.block_of, end, side="right")) - 1
            stop = min(max(stop, first_twin + 1), last_twin)
            yield first_twin, stop
            first_twin = stop
