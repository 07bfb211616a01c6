"""Statistics fitted to the scores of a whole database, and who is above a line, outside the interpreter's lock."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.statistics.fit import MIN_LENGTH, FittedStatistics
from swgui.core.statistics.lengths import BINS_PER_E, SubjectLengths
from swgui.core.statistics.regression import ALIKE, LOWEST_Z, MIN_VARIANCE, SCATTERED, FitError, Regression
from swgui.core.statistics.regression import regress as in_numpy
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointers

_POINTER, _LONG, _INT, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_double
_Ints = NDArray[np.int64]

TROUBLES: Final = {1: SCATTERED, 2: ALIKE}  # by what `fit_scores` returns
FIGURES: Final = 8  # that it gives: the fields of a `Regression`
MARGIN: Final = 0.5  # of a score: against rounding of sums


def regress(
    scores: NDArray[np.integer[Any]], lengths: SubjectLengths, cap: float, highest: float, *, trims: bool
) -> Regression:
    """Do as `swgui.core.statistics.regression.regress`, to the last bit; `scores` has the shape (N,)."""
    if scores.dtype != np.int32:
        return in_numpy(scores, lengths, cap, highest, trims=trims)
    given, found = np.ascontiguousarray(scores), np.zeros(FIGURES)
    figures = np.array([cap, MIN_VARIANCE, LOWEST_Z, highest, BINS_PER_E])
    call = library.function("fit_scores", *[_POINTER] * 4, _LONG, _POINTER, _INT, _LONG, _POINTER)
    times = (None,) if lengths.times is None else pointers(np.ascontiguousarray(lengths.times))
    arrays = *pointers(given, lengths.logarithms, lengths.bins), *times
    status = call(*arrays, len(given), *pointers(figures), trims, lengths.bin_count, *pointers(found))
    if status in TROUBLES:
        raise FitError(TROUBLES[status])
    checked(status)
    slope, intercept, variance, *counts = found.tolist()
    return Regression(slope, intercept, variance, *map(int, counts))


def at_least(scores: NDArray[np.int32], lengths: SubjectLengths, by: FittedStatistics, z_score: float) -> _Ints:
    """Return the subjects with at least a z-score, by place in ascending order; maybe some with half a point less too.

    Parameters
    ----------
    scores : ndarray, shape=(n,), dtype=int32
    """
    intercept, shortest = by.score_at(z_score, 1) - by.rho * math.log(MIN_LENGTH) - MARGIN, math.log(MIN_LENGTH)
    given, rows = np.ascontiguousarray(scores, dtype=np.int32), np.empty(len(scores), dtype=np.int64)
    call = library.function("above_line", _POINTER, _POINTER, _LONG, *[_DOUBLE] * 3, _POINTER)
    line = by.rho, intercept, shortest
    return rows[: call(*pointers(given, lengths.logarithms), len(given), *line, *pointers(rows))]
