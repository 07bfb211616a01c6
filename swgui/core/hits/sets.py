"""Sets of whole numbers, done without `numpy.isin` and `numpy.unique`: their first call loads masked arrays, 11 ms."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Kind = TypeVar("Kind", bound=np.generic)


def among(values: NDArray[Kind], some: NDArray[Kind]) -> NDArray[np.bool_]:
    """Say which values are among some; shape of `values`, shape=(n,)."""
    if not len(some):
        return np.zeros(len(values), dtype=np.bool_)
    known = np.sort(some)
    return np.asarray(known[np.minimum(np.searchsorted(known, values), len(known) - 1)] == values)


def distinct(values: NDArray[Kind]) -> NDArray[Kind]:
    """Return the different values, ascending."""
    known = np.sort(values)
    first = np.ones(len(known), dtype=np.bool_)
    first[1:] = known[1:] != known[:-1]
    return known[first]
