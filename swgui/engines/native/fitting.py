"""Statistics fitted to the scores of a whole database, and how many are beyond, outside the interpreter's lock."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.statistics.fit import MIN_LENGTH, FittedStatistics
from swgui.core.statistics.lengths import BINS_PER_E, SubjectLengths
from swgui.core.statistics.regression import ALIKE, LOWEST_Z, MIN_VARIANCE, SCATTERED, FitError, Regression
from swgui.core.statistics.regression import regress as in_numpy
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointer, pointers

_POINTER, _LONG, _INT, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_double
_Ints = NDArray[np.int64]

TROUBLES: Final = {1: SCATTERED, 2: ALIKE}  # by what `fit_scores` returns
FIGURES: Final = 8  # that it gives: the fields of a `Regression`
COUNTED: Final = np.dtype(  # as `counted_scores` in kernels/cpu/fit.c
    [("scores", "i8"), ("rho", "f8"), ("mu", "f8"), ("deviation", "f8"), ("listed", "i8"), ("count", "i8"),
     ("found", "i8")]
)  # fmt: skip


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


def count_beyond(
    fits: Sequence[FittedStatistics],
    scores: Sequence[NDArray[np.int32]],
    listed: Sequence[_Ints],
    lengths: SubjectLengths,
    limits: NDArray[np.float64],
) -> _Ints:
    """Count the subjects of each fit that score above 0 and have at least each of some z-scores.

    Parameters
    ----------
    scores : sequence of ndarray, shape=(N,), dtype=int32
        Of each fit.
    listed : sequence of ndarray, shape=(k,)
        Different subjects that do not count, of each fit.
    limits : ndarray, shape=(l,), dtype=float64

    Returns
    -------
    ndarray, shape=(fits, l), dtype=int64
    """
    given, own = [np.ascontiguousarray(one, np.int32) for one in scores], [np.ascontiguousarray(one) for one in listed]
    orders, found = np.zeros(len(fits), dtype=COUNTED), np.zeros((len(fits), len(limits)), dtype=np.int64)
    orders["scores"], orders["listed"], orders["found"] = pointers(*given), pointers(*own), pointers(*found)
    orders["count"] = [len(one) for one in own]
    orders["rho"], orders["mu"], orders["deviation"] = zip(
        *((by.rho, by.mu, by.standard_deviation) for by in fits), strict=True
    )
    call = library.function("count_beyond", _POINTER, _LONG, _POINTER, _LONG, _DOUBLE, _POINTER, _LONG)
    shortest = float(np.log(float(MIN_LENGTH)))
    sizes = pointer(lengths.logarithms), len(lengths.logarithms), shortest, pointer(limits), len(limits)
    checked(call(pointer(orders), len(orders), *sizes))
    return found
