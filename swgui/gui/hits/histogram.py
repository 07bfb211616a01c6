"""How the values of a column are spread: the histogram behind a range filter."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.gui.hits.data import HitData

BINS = 40
SAMPLE = 200_000  # values counted at most; more do not change the picture
PERCENTAGES = ("pident", "ppos", "qcovhsp", "scovhsp")


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts between two limits, in equal steps.

    Parameters
    ----------
    low, high : float
        Limits of the slider; E-values are decadic logarithms.
    counts : ndarray, shape=(bins,), dtype=int64
    known, rows : int
        Values known, and rows of the list.
    """

    low: float
    high: float
    counts: NDArray[np.int64]
    known: int
    rows: int


NO_VALUES = Histogram(0.0, 1.0, np.zeros(BINS, dtype=np.int64), 0, 0)


def histogram(data: HitData, key: str) -> Histogram:
    """Count the values of one column.

    Values that are not known are left out; percentages always span 0 to 100.
    """
    values = np.asarray(data.values(key), dtype=np.float64)
    known = values[np.isfinite(values)]
    if key in PERCENTAGES:
        low, high = 0.0, 100.0
    elif len(known):
        low, high = math.floor(known.min()), math.ceil(known.max())
        high = max(high, low + 1)
    else:
        low, high = 0.0, 1.0
    sample = known[:: max(1, len(known) // SAMPLE)]
    counts, _ = np.histogram(sample, bins=BINS, range=(low, high))
    return Histogram(float(low), float(high), counts.astype(np.int64), len(known), len(values))
