"""The lowest scores that are within a limit of E, of many subjects at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.statistics.evalue import LN10

STRAIGHT: Final = 5  # steps after which a limit of E is looked for by halves
ASIDE: Final = np.array([[-1], [0], [1]])  # scores that are tried together
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


def lowest_within(
    best: _Ints,
    log10_evalues: _Floats,
    lambdas: _Floats | float,
    limit: float,
    measure: Callable[[_Ints, NDArray[np.int32]], _Floats],
    at_least: _Floats | float = 0.0,
) -> _Ints:
    """Return the lowest score within a limit of each subject; above its best where nothing else can be.

    Parameters
    ----------
    best : ndarray, shape=(k,), dtype=int64
        The highest score of each.
    log10_evalues : ndarray, shape=(k,), dtype=float64
        Of these, before any correction.
    lambdas : ndarray, shape=(k,), dtype=float64, or float
        Of the statistics E is computed with; NaN without.
    limit : float
        Decadic logarithm of E.
    measure : callable
        Given subjects by number and a score of each, returns the decadic logarithm of E before any correction.
    at_least : ndarray, shape=(k,), dtype=float64
        By how much a correction raises it at least, for each unit of the score.
    """
    known = np.isfinite(lambdas)
    more: _Floats = np.broadcast_to(at_least, len(best))
    slope = np.maximum(np.where(known, lambdas, 1.0) / LN10 - more, 1e-3)

    def nearer(scores: _Ints, above: _Floats, rows: _Ints) -> _Ints:
        """Follow the straight line that log10 of E is, nearly."""
        further = np.ceil(above / slope[rows])
        return scores + np.where(np.isfinite(further), further, 0.0).astype(np.int64)

    low, high, step, aside = np.where(known, 1, best + 1), best + 1, 0, np.zeros((1, 1), dtype=np.int64)
    tried = nearer(best, log10_evalues + at_least * best - limit, np.arange(len(best)))
    while len(rows := np.flatnonzero(low < high)):
        first, last = low[rows], high[rows]
        asked = np.clip(tried[rows] + aside, first, last - 1)
        found = measure(np.tile(rows, len(asked)), asked.astype(np.int32).ravel())
        above = found.reshape(asked.shape) + more[rows] * asked - limit
        within = above <= 0
        high[rows] = np.where(within, asked, last).min(axis=0)
        low[rows] = np.where(within, first, asked + 1).max(axis=0)
        step += 1
        middle = len(asked) // 2
        tried[rows] = nearer(asked[middle], above[middle], rows) if step < STRAIGHT else (low + high)[rows] // 2
        aside = ASIDE if step < STRAIGHT else aside[:1] * 0
    return low
