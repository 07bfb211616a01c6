"""Scores of a whole database looked through in compiled code, with the interpreter's lock released."""

from __future__ import annotations

import ctypes
import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.statistics.fit import MIN_LENGTH, FittedStatistics
from swgui.core.statistics.lengths import Line, SubjectLengths, collect_bins
from swgui.engines.native import library
from swgui.engines.native.scoring import pointers

_POINTER, _LONG, _INT, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_double
_Ints = NDArray[np.int64]

MARGIN: Final = 0.5  # of a score: against rounding of sums


def collect(
    scores: NDArray[np.integer[Any]], lengths: SubjectLengths, cap: float, line: Line | None
) -> tuple[NDArray[np.float64], int]:
    """Do as `swgui.core.statistics.lengths.collect_bins`, to the last bit; `scores` has the shape (N,)."""
    if scores.dtype != np.int32:
        return collect_bins(scores, lengths, cap, line)
    given = np.ascontiguousarray(scores)
    limits = (line.slope, line.intercept, line.deviation, line.lowest, line.highest) if line else (0.0,) * 5
    sums, figures = np.zeros((3, lengths.bin_count)), np.array([cap, *limits])
    call = library.function("fit_bins", *[_POINTER] * 4, _LONG, _POINTER, _INT, _LONG, _POINTER)
    times = (None,) if lengths.times is None else pointers(np.ascontiguousarray(lengths.times))
    arrays = *pointers(given, lengths.logarithms, lengths.bins), *times
    left_out = call(*arrays, len(given), *pointers(figures), line is not None, sums.shape[1], *pointers(sums))
    return sums, left_out


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
