"""Depth of an alignment: how many rows below the query have a residue in each of its columns."""

from __future__ import annotations

import string
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import DELETION, MasterAlignment

SHALLOW: Final = 30  # rows; predictions of AlphaFold 2 get worse below about so many (Jumper et al., 2021)
_NAMED: Final = 3  # stretches in a sentence
_NO_COLUMNS: Final = f"{string.ascii_lowercase}.\r\n".encode()  # of an A3M row: insertions, and ends of lines
_GAP: Final = ord("-")


def depth_of(alignment: MasterAlignment) -> NDArray[np.int64]:
    """Return the depth of each column, shape (columns,)."""
    depth: NDArray[np.int64] = (alignment.codes[1:] < DELETION).sum(axis=0, dtype=np.int64)
    return depth


def depth_of_a3m(text: bytes) -> NDArray[np.int64]:
    """Return the depth of each column of an alignment in A3M form, shape (columns,); its first row is the query.

    Raises
    ------
    ValueError
        If rows differ in their columns.
    """
    entries = text.lstrip(b"\n>").split(b"\n>")
    rows = [entry.partition(b"\n")[2].translate(None, _NO_COLUMNS) for entry in entries]
    columns = len(rows[0])
    if any(len(row) != columns for row in rows):
        raise ValueError("The rows of the alignment differ in their columns.")
    codes = np.frombuffer(b"".join(rows[1:]), np.uint8).reshape(len(rows) - 1, columns)
    depth: NDArray[np.int64] = (codes != _GAP).sum(axis=0, dtype=np.int64)
    return depth


def shallow_stretches(depth: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the first and the last column, from 1, of each stretch whose columns have fewer than `SHALLOW` rows.

    Parameters
    ----------
    depth : ndarray, shape=(columns,)
    """
    shallow = np.concatenate([[False], depth < SHALLOW, [False]])
    edges = np.flatnonzero(np.diff(shallow.astype(np.int8)))
    return [(first + 1, last) for first, last in edges.reshape(-1, 2).tolist()]


def depth_said(depth: NDArray[np.int64]) -> str:
    """Return the depth in words: the range, the median, and the stretches below `SHALLOW`; without a full stop.

    Parameters
    ----------
    depth : ndarray, shape=(columns,)
    """
    low, high, middle = int(depth.min()), int(depth.max()), int(np.median(depth))
    text = f"{low:,} in every column" if low == high else f"{low:,} to {high:,} in a column, median {middle:,}"
    stretches = shallow_stretches(depth)
    if not stretches:
        return text
    if stretches == [(1, len(depth))]:
        return f"{text}; fewer than {SHALLOW} everywhere"
    longest = sorted(sorted(stretches, key=lambda one: one[0] - one[1])[:_NAMED])
    named = ", ".join(f"{first:,}–{last:,}" if first < last else f"{first:,}" for first, last in longest)
    more = f" and {len(stretches) - _NAMED:,} shorter stretches" if len(stretches) > _NAMED else ""
    return f"{text}; fewer than {SHALLOW} at {named}{more}"
