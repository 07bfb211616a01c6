"""Half-open ranges: cut to one another, and the indices of many at once, one range after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Stretch = tuple[int, int]  # half-open range of storage positions
_Ints = NDArray[np.int64]


def range_offsets(sizes: NDArray[Any] | Sequence[int]) -> _Ints:
    """Return the start of each of consecutive ranges, and the end of the last one; shape (n + 1,)."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


def concatenated_ranges(starts: NDArray[Any], sizes: NDArray[Any]) -> _Ints:
    """Return the indices of ranges: ``starts[i]`` to ``starts[i] + sizes[i] - 1``.

    Parameters
    ----------
    starts, sizes : ndarray, shape=(n,), dtype=int64

    Returns
    -------
    ndarray, shape=(sizes.sum(),), dtype=int64
    """
    offsets = range_offsets(sizes)
    indices: _Ints = np.arange(offsets[-1]) - np.repeat(offsets[:-1] - starts, sizes)
    return indices


def places_within(sizes: NDArray[Any]) -> _Ints:
    """Return the place of each element within its range, from 0.

    Parameters
    ----------
    sizes : ndarray, shape=(n,), dtype=int64

    Returns
    -------
    ndarray, shape=(sizes.sum(),), dtype=int64
    """
    return concatenated_ranges(np.zeros(len(sizes), dtype=np.int64), sizes)


def within(stretch: Stretch | None, first: int, count: int) -> Stretch:
    """Return those of some consecutive places that lie in a stretch; all of them for None."""
    if stretch is None:
        return 0, count
    start, stop = (min(max(edge - first, 0), count) for edge in stretch)
    return start, max(start, stop)
