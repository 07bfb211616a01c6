"""Scores added up by bin of length: all that a fit needs of those of a database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from swgui.core.statistics.lengths import SubjectLengths


@dataclass(frozen=True, slots=True)
class Line:
    """The line that tells relatives: z' is ``50 + 10 (score - slope ln(length) - intercept) / deviation``.

    Parameters
    ----------
    slope, intercept, deviation : float
    lowest, highest : float
        Whoever has a z' beyond them is left out.
    """

    slope: float
    intercept: float
    deviation: float
    lowest: float
    highest: float


class Collect(Protocol):
    """Adds scores up by bin of length."""

    def __call__(
        self, scores: NDArray[np.integer[Any]], lengths: SubjectLengths, cap: float, line: Line | None
    ) -> tuple[NDArray[np.float64], int]:
        """Return of each bin the number of scores, their sum and that of their squares, shape (3, bins); and a number.

        Parameters
        ----------
        scores : ndarray, shape=(n,)
        lengths : SubjectLengths
            Of the same subjects.
        cap : float
            Higher scores count as this.
        line : Line, optional
            Leaves subjects out; how many is the number.
        """


def collect_bins(
    scores: NDArray[np.integer[Any]], lengths: SubjectLengths, cap: float, line: Line | None
) -> tuple[NDArray[np.float64], int]:
    """Do as `Collect` says, in NumPy."""
    values, bins, size, left_out = scores.astype(np.float64), lengths.bins, lengths.bin_count, 0
    if line is not None:
        z = 50.0 + 10.0 * (values - (line.slope * lengths.logarithms + line.intercept)) / line.deviation
        kept = ~((z < line.lowest) | (z > line.highest))
        values, bins, left_out = values[kept], bins[kept], int((~kept).sum())
    capped = np.minimum(values, cap)
    sums = np.bincount(bins, capped, minlength=size), np.bincount(bins, capped * capped, minlength=size)
    return np.stack([np.bincount(bins, minlength=size), *sums]).astype(np.float64), left_out
