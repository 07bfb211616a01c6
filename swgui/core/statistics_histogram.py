"""Histogram of all scores of a query, with what the fit expects, ready to plot or to write as JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.statistics_fit import FittedStatistics


@dataclass(frozen=True, slots=True, eq=False)
class ScoreHistogram:
    """Subjects per bin of the score.

    Parameters
    ----------
    edges : ndarray, shape=(b + 1,), dtype=float64
        Between whole scores (x.5), rising.
    counts : ndarray, shape=(b,), dtype=int64
    expected : ndarray, shape=(b,), dtype=float64, optional
        Subjects per bin if all were unrelated, by the fit.
    unscored : int
        Subjects without a score (the search was stopped).
    """

    edges: NDArray[np.float64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    expected: NDArray[np.float64] | None = field(repr=False)
    unscored: int = 0

    @property
    def centers(self) -> NDArray[np.float64]:
        """Middle of every bin, shape (b,)."""
        return (self.edges[:-1] + self.edges[1:]) / 2

    def bin_of(self, score: float) -> int:
        """Return the bin a score falls into, -1 if none."""
        at = int(np.searchsorted(self.edges, score, side="right")) - 1
        return at if 0 <= at < len(self.counts) else -1

    def as_dict(self) -> dict[str, object]:
        """Return everything for JSON."""
        return {
            "edges": self.edges.tolist(),
            "counts": self.counts.tolist(),
            "expected": None if self.expected is None else [round(value, 6) for value in self.expected.tolist()],
            "unscored": self.unscored,
        }


def score_histogram(
    scores: ArrayLike,
    subject_lengths: ArrayLike,
    fit: FittedStatistics | None = None,
    *,
    bins: int = 80,
    logarithmic: bool = True,
) -> ScoreHistogram:
    """Count the scores of a whole database.

    Parameters
    ----------
    scores, subject_lengths : array_like of int, shape=(N,)
        Below 0 means not scored.
    fit : FittedStatistics, optional
        Gives the expected counts.
    bins : int
        At most so many.
    logarithmic : bool
        Bins of equal width on a logarithmic axis, so that a self hit of 5,000 does not squeeze the bulk at
        40 into one bar; at small scores a bin is one score wide.
    """
    all_scores = np.asarray(scores).astype(np.int64)
    scored = all_scores >= 0
    values, lengths = all_scores[scored], np.asarray(subject_lengths).astype(np.int64)[scored]
    unscored = int((~scored).sum())
    if not len(values):
        return ScoreHistogram(np.array([-0.5, 0.5]), np.zeros(1, np.int64), None, unscored)
    edges = _edges(int(values.min()), int(values.max()), bins, logarithmic)
    counts = np.histogram(values, edges)[0].astype(np.int64)
    return ScoreHistogram(edges, counts, None if fit is None else expected_counts(fit, edges, lengths), unscored)


def expected_counts(
    fit: FittedStatistics, edges: NDArray[np.float64], subject_lengths: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how many unrelated subjects of these lengths the fit expects between neighbouring edges.

    Parameters
    ----------
    edges : ndarray, shape=(b + 1,)
    subject_lengths : ndarray, shape=(n,)

    Returns
    -------
    ndarray, shape=(b,), dtype=float64
        What lies below the first and above the last edge counts in the first and last bin.
    """
    lengths, count = np.unique(subject_lengths, return_counts=True)
    below = np.empty(len(edges))
    for at, edge in enumerate(edges):
        below[at] = float((count * fit.chance_below(edge, lengths)).sum())
    below[0], below[-1] = 0.0, float(count.sum())
    return np.asarray(np.diff(below), dtype=np.float64)


def _edges(low: int, high: int, bins: int, logarithmic: bool) -> NDArray[np.float64]:
    """Edges at x.5 that hold low and high, at most `bins` + 1 of them."""
    if not logarithmic:
        width = max(1, math.ceil((high - low + 1) / bins))
        return np.arange(low - 0.5, high + 0.5 + width, width, dtype=np.float64)
    steps = np.geomspace(max(low, 1), high + 1, bins + 1)
    whole = np.unique(np.concatenate([[low], np.round(steps)[1:], [high + 1]]).astype(np.int64))
    return whole[whole >= low].astype(np.float64) - 0.5
