"""The line that scores of unrelated subjects follow over the logarithm of their lengths, in NumPy.

Scores are added up by bin of length (`collect_bins`). The line goes through the means of bins, and again without the
subjects that are far from it and without bins of unusual spread (`swgui.core.statistics.fit` has the steps).
"""

from __future__ import annotations

import math
from typing import Any, Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import SwguiError
from swgui.core.statistics.lengths import BINS_PER_E, SubjectLengths

LOWEST_Z: Final = 20.0  # z' below which a subject is left out
MIN_VARIANCE: Final = 0.1
SCATTERED: Final = "The subjects' lengths are too scattered to fit statistics to their scores."
ALIKE: Final = "All scores are the same: no statistics can be fitted to them."


class FitError(SwguiError, ValueError):
    """Scores from which no statistics can be fitted."""


class Line(msgspec.Struct, frozen=True):
    """The line that tells relatives: z' is ``50 + 10 (score - slope ln(length) - intercept) / deviation``."""

    slope: float
    intercept: float
    deviation: float
    # lowest, highest: subjects with a z' beyond them are left out
    lowest: float
    highest: float


class Regression(msgspec.Struct, frozen=True):
    """The last line: mean score as ``slope * bin + intercept``, with `BINS_PER_E` bins per unit of ln(length)."""

    slope: float
    intercept: float
    variance: float  # of the scores around it
    used: int  # scores behind it
    related: int  # subjects that are left out because they are far from the first line
    # odd_bins, bins: bins left out for their spread, and all with two scores or more
    odd_bins: int
    bins: int
    odd_sequences: int  # subjects in odd bins


class Regress(Protocol):
    """Fits the line."""

    def __call__(
        self, scores: NDArray[np.integer[Any]], lengths: SubjectLengths, cap: float, highest: float, *, trims: bool
    ) -> Regression:
        """Return the line of some scores.

        Parameters
        ----------
        scores : ndarray, shape=(n,)
            Scores of groups, one for all subjects of a group.
        cap : float
            Higher scores count as this.
        highest : float
            z' above which a subject is left out.
        trims : bool
            Whether subjects and bins are left out.

        Raises
        ------
        FitError
            If no bin has two scores, or all scores are the same.
        """


def regress(
    scores: NDArray[np.integer[Any]], lengths: SubjectLengths, cap: float, highest: float, *, trims: bool
) -> Regression:
    """Do as `Regress` says, in NumPy."""
    first = _Bins(*collect_bins(scores, lengths, cap, None)[0]).regress()
    line = Line(first.slope * BINS_PER_E, first.intercept, math.sqrt(first.variance), LOWEST_Z, highest)
    sums, related = collect_bins(scores, lengths, cap, line if trims else None)
    table = _Bins(*sums)
    middle = table.regress()
    odd = table.unusual(middle) if trims else np.zeros(len(table.count), dtype=bool)
    left = table.without(odd)
    last = left.regress()
    return Regression(
        last.slope,
        last.intercept,
        last.variance,
        used=int(left.count.sum()),
        related=related,
        odd_bins=int(odd.sum()),
        bins=int((table.count > 1).sum()),
        odd_sequences=int(table.count[odd].sum()),
    )


def collect_bins(
    scores: NDArray[np.integer[Any]], lengths: SubjectLengths, cap: float, line: Line | None
) -> tuple[NDArray[np.float64], int]:
    """Return of each bin the number of scores, their sum and that of their squares, shape (3, bins); and a number.

    Parameters
    ----------
    scores : ndarray, shape=(n,)
        Scores of groups, one for all subjects of a group.
    cap : float
        Higher scores count as this.
    line : Line, optional
        Leaves subjects out; how many is the number.
    """
    if lengths.times is not None:
        spread = np.repeat(np.arange(len(scores)), lengths.times)
        each = SubjectLengths(lengths.values[spread], lengths.logarithms[spread], lengths.bins[spread])
        return collect_bins(scores[spread], each, cap, line)
    values, bins, size, left_out = scores.astype(np.float64), lengths.bins, lengths.bin_count, 0
    if line is not None:
        z = 50.0 + 10.0 * (values - (line.slope * lengths.logarithms + line.intercept)) / line.deviation
        kept = ~((z < line.lowest) | (z > line.highest))
        values, bins, left_out = values[kept], bins[kept], int((~kept).sum())
    capped = np.minimum(values, cap)
    sums = np.bincount(bins, capped, minlength=size), np.bincount(bins, capped * capped, minlength=size)
    return np.stack([np.bincount(bins, minlength=size), *sums]).astype(np.float64), left_out


class _Fitted(msgspec.Struct, frozen=True):
    slope: float
    intercept: float
    variance: float


class _Bins(msgspec.Struct, eq=False):
    """Sums of the scores by bin of ln(length)."""

    count: NDArray[np.float64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]

    @property
    def center(self) -> NDArray[np.float64]:
        return np.arange(len(self.count), dtype=np.float64) + 0.5

    def without(self, left_out: NDArray[np.bool_]) -> _Bins:
        keep = ~left_out
        return _Bins(self.count * keep, self.total * keep, self.squares * keep)

    def regress(self) -> _Fitted:
        """Fit a line through the bin means and pool the residual variance of bins with two scores or more."""
        used = self.count > 1
        if not used.any():
            raise FitError(SCATTERED)
        count, x = self.count[used], self.center[used]
        mean = self.total[used] / count
        spread = np.maximum((self.squares[used] / count - mean * mean) / (count - 1), MIN_VARIANCE)
        slope, intercept = _weighted_line(x, mean, count / spread)
        line = slope * x + intercept
        residual = self.squares[used] - 2 * line * self.total[used] + count * line * line
        variance = float(residual.sum() / count.sum())
        if not variance > 0:
            raise FitError(ALIKE)
        return _Fitted(slope, intercept, variance)

    def unusual(self, fitted: _Fitted) -> NDArray[np.bool_]:
        """Find bins whose residual variance is more than 3 RMS off its own regression on the bin.

        Distances are weighed by the root of the degrees of freedom, as a variance of few scores may be
        far off by chance.
        """
        odd = np.zeros(len(self.count), dtype=bool)
        used = self.count > 1
        count, x = self.count[used], self.center[used]
        line = fitted.slope * x + fitted.intercept
        variance = (self.squares[used] - 2 * line * self.total[used] + count * line * line) / (count - 1)
        slope, intercept = _weighted_line(x, variance, count)
        distance = (variance - (slope * x + intercept)) * np.sqrt(count - 1)
        odd[used] = np.abs(distance) > 3.0 * math.sqrt(float(np.mean(distance * distance)))
        return odd


def _weighted_line(x: NDArray[np.float64], y: NDArray[np.float64], weight: NDArray[np.float64]) -> tuple[float, float]:
    """Weighted least squares; a flat line if there is only one x."""
    total = float(weight.sum())
    mean_x, mean_y = float((weight * x).sum()) / total, float((weight * y).sum()) / total
    spread = float((weight * (x - mean_x) ** 2).sum())
    slope = float((weight * (x - mean_x) * (y - mean_y)).sum()) / spread if spread > 0 else 0.0
    return slope, mean_y - slope * mean_x
