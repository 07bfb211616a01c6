"""The tail of the normal distribution by the compiled library (kernels/cpu/normal.c)."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from swgui.engines.native.library import function, problem
from swgui.engines.native.scoring import pointer

__all__ = ["problem", "scaled_tails"]

_POINTER, _LONG, _DOUBLE = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
_BRIEF = 20_000  # values that take less time than to get the interpreter's lock back


def scaled_tails(values: NDArray[np.float64], series: NDArray[np.float64], middle: float) -> NDArray[np.float64]:
    """Return ``exp(x * x) erfc(x)`` by the series of `swgui.core.statistics.evalue`, the same shape."""
    given = np.asarray(values, dtype=np.float64, order="C")
    made = np.empty_like(given)
    call = function("scaled_tails", _POINTER, _LONG, _POINTER, _LONG, _DOUBLE, _POINTER, brief=given.size < _BRIEF)
    call(pointer(given), given.size, pointer(series), len(series), middle, pointer(made))
    return made
