"""Protocol of the scanners of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check


@dataclass(frozen=True, slots=True, eq=False)
class Patterns:
    """Queries as a scanner takes them."""

    codes: NDArray[np.uint8] = field(repr=False)  # of all queries, concatenated; below 32
    begins: NDArray[np.int64] = field(repr=False)  # where each begins in `codes`, shape (count + 1,)
    # Bit s of ``masks[q]`` is set where symbol q of a query matches symbol s of a subject, shape (32,)
    masks: NDArray[np.uint32] = field(repr=False)

    def __len__(self) -> int:
        return len(self.begins) - 1

    @property
    def longest(self) -> int:
        """Residues of the longest query."""
        return int(np.diff(self.begins).max(initial=1))

    def __getitem__(self, query: int) -> NDArray[np.uint8]:
        return self.codes[self.begins[query] : self.begins[query + 1]]


def patterns(queries: Sequence[NDArray[np.uint8]], masks: NDArray[np.uint32]) -> Patterns:
    """Return queries, each of shape (m,), as patterns; `masks` has the shape (at most 32,)."""
    begins = np.concatenate([[0], np.cumsum([len(query) for query in queries])]).astype(np.int64)
    codes = np.concatenate([np.zeros(0, np.uint8), *queries]).astype(np.uint8, copy=False)
    return patterns_of(codes, begins, masks)


def patterns_of(codes: NDArray[np.uint8], begins: NDArray[np.int64], masks: NDArray[np.uint32]) -> Patterns:
    """Return patterns of the codes of all queries; `masks` has the shape (at most 32,)."""
    padded = np.zeros(32, np.uint32)
    padded[: len(masks)] = masks
    return Patterns(np.ascontiguousarray(codes), begins, padded)


@dataclass(frozen=True, slots=True, eq=False)
class Hits:
    """Places that a scanner lists, in any order."""

    query: NDArray[np.int32] = field(repr=False)  # shape (k,)
    # In the text: the first residue of a window, or the exclusive end of a fit, shape (k,)
    position: NDArray[np.int64] = field(repr=False)
    differences: NDArray[np.uint8] = field(repr=False)  # mismatches, or a lower bound of the differences, shape (k,)

    def __len__(self) -> int:
        return len(self.query)

    def take(self, rows: NDArray[np.bool_] | NDArray[np.int64]) -> Hits:
        """Return some of them."""
        return Hits(self.query[rows], self.position[rows], self.differences[rows])


def joined(parts: Sequence[Hits]) -> Hits:
    """Return the places of several answers as those of one, sorted by query and position."""
    query = np.concatenate([np.zeros(0, np.int32), *(part.query for part in parts)])
    position = np.concatenate([np.zeros(0, np.int64), *(part.position for part in parts)])
    differences = np.concatenate([np.zeros(0, np.uint8), *(part.differences for part in parts)])
    return Hits(query, position, differences).take(np.lexsort((position, query)))


class Scanner(Protocol):
    """Finds in a text, the concatenated residues of subjects, candidates for the list of a rule.

    The first two know no borders between subjects: the caller drops windows that cross one and fits the text before
    each end behind one. Each calls `check` every few hundred milliseconds; it raises `Stopped` to give up.
    """

    def mismatches(self, text: NDArray[np.uint8], queries: Patterns, most: int, check: Check) -> Hits:
        """Return every window that differs from a query in at most so many residues, 0 <= most <= 250."""

    def ends(
        self, text: NDArray[np.uint8], queries: Patterns, most: int, allowed: NDArray[np.uint8] | None, check: Check
    ) -> Hits:
        """Return every end position at which a query of at most 64 residues may fit with so many differences.

        Parameters
        ----------
        allowed : ndarray, shape=(len(text),), dtype=uint8, optional
            Not 0 at the last residue of the only wanted fits.
        """

    def scores(
        self,
        text: NDArray[np.uint8],
        ranges: NDArray[np.int64],
        queries: Patterns,
        up: NDArray[np.int32],
        down: NDArray[np.int32],
        check: Check,
    ) -> NDArray[np.int32]:
        """Return the best score of each whole query for each part of the text, ends of the part free.

        Parameters
        ----------
        ranges : ndarray, shape=(2, n), dtype=int64
            Begin and end of each part; those of similar length are neighbours.
        up, down : ndarray, shape=(n,), dtype=int32
            Gain of a match, and cost of every other column, in each part.

        Returns
        -------
        ndarray, shape=(queries, n), dtype=int32
        """
