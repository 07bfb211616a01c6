"""Sums of series for statistics by the compiled library (kernels/cpu/normal.c, kernels/cpu/series.c)."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from swgui.engines.native.library import function, problem
from swgui.engines.native.scoring import pointer

__all__ = ["first_terms", "problem", "scaled_tails"]

_POINTER, _LONG, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_BRIEF = 20_000  # values that take less time than to get the interpreter's lock back
_BRIEF_TERMS = 100_000  # likewise


def scaled_tails(values: NDArray[np.float64], series: NDArray[np.float64], middle: float) -> NDArray[np.float64]:
    """Return ``exp(x * x) erfc(x)`` by the series of `swgui.core.statistics.evalue`, the same shape."""
    given = np.asarray(values, dtype=np.float64, order="C")
    made = np.empty_like(given)
    call = function("scaled_tails", _POINTER, _LONG, _POINTER, _LONG, _DOUBLE, _POINTER, brief=given.size < _BRIEF)
    call(pointer(given), given.size, pointer(series), len(series), middle, pointer(made))
    return made


def first_terms(values: NDArray[np.float64], terms: NDArray[np.int64], top: float) -> NDArray[np.float64]:
    """Return the sums of the first terms of the series of ``exp(y)``; above `top` divided by the last of these terms.

    Parameters
    ----------
    values : ndarray, shape=(k, s)
        Above 0.
    terms : ndarray, shape=(k,), dtype=int64
        Of each row, 1 or more.

    Returns
    -------
    ndarray, shape=(k, s)
    """
    given, many = np.ascontiguousarray(values), np.ascontiguousarray(terms)
    made, brief = np.empty_like(given), int(many.sum()) * given.shape[1] < _BRIEF_TERMS
    call = function("series", _POINTER, _POINTER, _LONG, _LONG, _DOUBLE, _POINTER, brief=brief)
    call(pointer(given), pointer(many), *given.shape, top, pointer(made))
    return made
