"""Histogram of all scores of a query with the expectation of the fit, and their agreement where hits begin."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.statistics.fit import FittedStatistics

BINS: Final = 80
SINGLE: Final = 150  # scores up to it have a bin each: bins of several would be uneven in the curve
TAIL_EVALUES: Final = (3.0, 100.0)
TAIL_SUSPICIOUS: Final = 1.4


@dataclass(frozen=True, slots=True, eq=False)
class ScoreHistogram:
    """Subjects per bin of the score."""

    edges: NDArray[np.float64] = field(repr=False)  # between whole scores (x.5), ascending, shape (b + 1,)
    counts: NDArray[np.int64] = field(repr=False)  # shape (b,)
    # Subjects per bin if all were unrelated, by the fit, shape (b,).
    expected: NDArray[np.float64] | None = field(repr=False)
    unscored: int = 0  # subjects without a score (the search was stopped)

    @property
    def centers(self) -> NDArray[np.float64]:
        """Middle of every bin, shape (b,)."""
        return (self.edges[:-1] + self.edges[1:]) / 2

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
    bins: int = BINS,
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
        About so many beyond the scores that have a bin each.
    logarithmic : bool
        A bin for each score up to `SINGLE`, where unrelated subjects lie, then bins of equal width on a logarithmic
        axis, so that a self hit of 5,000 does not squeeze the bulk at 40 into one bar.
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
    """Return the number of unrelated subjects of these lengths that the fit expects between neighbouring edges.

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
    for index, edge in enumerate(edges):
        below[index] = float((count * fit.chance_below(edge, lengths)).sum())
    below[0], below[-1] = 0.0, float(count.sum())
    return np.asarray(np.diff(below), dtype=np.float64)


def tail_excess(
    fit: FittedStatistics,
    scores: ArrayLike,
    subject_lengths: ArrayLike,
    database_residues: float,
    database_sequences: float,
) -> float:
    """Return the ratio of found to expected subjects with an E-value between 3 and 100.

    About 1 if the fit holds where hits begin; 0.1 either way is chance. Of 200 shuffled queries it is above 1.4 for
    7 of the 12 that had 6 or more subjects with E <= 1, and for 3 of the 188 others. Queries with many remote
    relatives are above it, too.

    Parameters
    ----------
    scores, subject_lengths : array_like of int, shape=(N,)
        The whole database.
    database_residues, database_sequences : float
        Size of the database that was searched (not an effective one).
    """
    log10_e = fit.log10_evalues(scores, fit.query_length, subject_lengths, database_residues, database_sequences)
    low, high = TAIL_EVALUES
    between = int(((log10_e > np.log10(low)) & (log10_e <= np.log10(high))).sum())
    return between / (high - low)


def describe_tail(excess: float) -> str:
    """Return a sentence for the user if `tail_excess` is suspicious, else nothing."""
    if excess <= TAIL_SUSPICIOUS:
        return ""
    low, high = TAIL_EVALUES
    return (
        f"{excess:.1f} times as many subjects as expected have an E-value between {low:g} and {high:g}: a large "
        "family, or stretches of the same biased composition. In the second case E-values near 1 are too low; masking "
        "low-complexity stretches helps."
    )


def _edges(low: int, high: int, bins: int, logarithmic: bool) -> NDArray[np.float64]:
    """Edges at x.5 that hold low and high."""
    if not logarithmic:
        width = max(1, math.ceil((high - low + 1) / bins))
        return np.arange(low - 0.5, high + 0.5 + width, width, dtype=np.float64)
    edges, width = list(range(low, min(high, SINGLE) + 1)) or [low], 1
    edges.append(edges[-1] + 1)
    growth = ((high + 1) / edges[-1]) ** (1 / bins) - 1
    while edges[-1] <= high:
        # Widths never shrink: rounding to and fro would show as teeth.
        width = max(width, math.ceil(edges[-1] * growth))
        edges.append(edges[-1] + width)
    return np.array(edges, dtype=np.float64) - 0.5
