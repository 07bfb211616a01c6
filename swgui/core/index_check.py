"""Check that an index from a file or another computer refers to existing elements only.

Engines pass addresses made of such numbers to libraries that check nothing, so every reader of an index calls this
first. The check runs in blocks that fit into the CPU's cache; it accepts anything that can be sliced like an array, one
on disk too.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 1 << 16


class Sliceable(Protocol):
    """An array, or a section of a file that can be read in slices."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> NDArray[Any]: ...


def are_offsets(offsets: Sliceable, size: int, *, longest_first: bool = False) -> bool:
    """Whether offsets cut data of a known size into parts: from 0 to its end, none beginning before the one before it.

    Parameters
    ----------
    offsets : sliceable, shape=(N + 1,), dtype=int64
    size : int
        Entries of the data.
    longest_first : bool
        Whether no part may be longer than the one before it.
    """
    if not len(offsets) or offsets[:1][0] != 0 or offsets[-1:][0] != size:
        return False
    for start in range(0, len(offsets), BLOCK):
        part = offsets[start : start + BLOCK + 2]  # two more, so that the check sees pairs across the end of a block
        if (part[1:] < part[:-1]).any():
            return False
        if longest_first:
            lengths = part[1:] - part[:-1]
            if (lengths[1:] > lengths[:-1]).any():
                return False
    return True


def is_permutation(order: Sliceable) -> bool:
    """Whether every number below the length stands there once: N marks made, none outside, none missing.

    Takes a byte per entry.

    Parameters
    ----------
    order : sliceable, shape=(N,), dtype=int64
    """
    count = len(order)
    seen = np.zeros(count, dtype=np.bool_)
    for start in range(0, count, BLOCK):
        part = order[start : start + BLOCK]
        if part.min() < 0 or part.max() >= count:
            return False
        seen[part] = True
    return bool(seen.all())
