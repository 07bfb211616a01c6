"""Data of the lengths of a database's subjects, computed once for the fits of all queries."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.columns import ByIdentity

BINS_PER_E: Final = 10.0  # bins of ln(length)


class SubjectLengths(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Lengths of subjects, n of them, or of n groups of subjects that are alike."""

    values: NDArray[np.int64]  # shape (n,)
    logarithms: NDArray[np.float64]  # natural ones; of a length of 0 that of 1, shape (n,)
    bins: NDArray[np.int64]  # the bin of each length, `BINS_PER_E` for each unit of the logarithm, shape (n,)
    times: NDArray[np.int64] | None = None  # how many subjects are of each group, shape (n,)

    @cached_property
    def bin_count(self) -> int:
        """One more than the largest bin."""
        return int(self.bins.max(initial=-1)) + 1

    @cached_property
    def count(self) -> int:
        """Subjects."""
        return len(self.values) if self.times is None else int(self.times.sum())

    @cached_property
    def mean(self) -> float:
        """That of the lengths."""
        total = int((self.values if self.times is None else self.values * self.times).sum())
        return total / self.count if self.count else 0.0

    @classmethod
    def of(cls, subject_lengths: ArrayLike, times: NDArray[np.int64] | None = None) -> SubjectLengths:
        """Return those of subjects; of one array always the same."""
        given = np.asarray(subject_lengths)
        cached = _known.get(given) if times is None else None
        if cached is None:
            values = given.astype(np.int64)
            logarithms = np.log(np.maximum(values, 1))
            cached = cls(values, logarithms, np.floor(BINS_PER_E * logarithms + 0.5).astype(np.int64), times)
            if times is None:
                _known.put(given, cached)
        return cached

    def take(self, which: NDArray[np.bool_]) -> SubjectLengths:
        """Return some of them."""
        times = None if self.times is None else self.times[which]
        return SubjectLengths(self.values[which], self.logarithms[which], self.bins[which], times)

    def from_on(self, shortest: int) -> tuple[NDArray[np.bool_], SubjectLengths]:
        """Return the subjects of at least this length, and their lengths; computed once."""
        cached = _long.get(self.values)
        if cached is None or cached[0] != shortest:
            which = self.values >= shortest
            cached = shortest, which, self.take(which)
            _long.put(self.values, cached)
        return cached[1:]


_known: ByIdentity[SubjectLengths] = ByIdentity()
_long: ByIdentity[tuple[int, NDArray[np.bool_], SubjectLengths]] = ByIdentity()
