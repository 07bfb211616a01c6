"""The normal distribution far out in its tails, where its probabilities underflow.

`erfcx` is a Chebyshev series in the manner of Shepherd and Laframboise (1981), Math. Comp. 36:249, with a relative
error below 1e-14; `tests/data/statistics/normal.tsv` holds what another library says.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

SQRT2: Final = math.sqrt(2.0)
_MIDDLE: Final = 3.5  # the argument that the series sees as 0
_SERIES: Final = (  # of (1 + 2 x) erfcx(x)
    1.1776327316361248,
    -0.0016301772834145208,
    -0.08733682573463132,
    0.058009748370293344,
    -0.024340115396182166,
    0.007529483715635917,
    -0.001743881757711236,
    0.000282698298165669,
    -2.3184911611189832e-05,
    -2.1117666980870817e-06,
    8.76576015798112e-07,
    -6.105702628533781e-08,
    -1.7116664665975164e-08,
    3.3913603552344774e-09,
    2.546617104810348e-10,
    -1.248278135362462e-10,
    -2.2121928624948723e-12,
    4.427353093497124e-12,
    -3.357544592116587e-14,
    -1.651114136090792e-13,
    2.0342510417821674e-15,
    6.680743411699467e-15,
    1.2266347333467e-16,
    -1.857124986286904e-16,
    6.574762170738314e-17,
)


def erfcx(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``exp(x * x) erfc(x)``, the same shape, for ``x >= 0``; NaN stays."""
    twice = 2.0 - 4.0 * _MIDDLE / (x + _MIDDLE)
    last, before, following = np.zeros_like(twice), np.zeros_like(twice), np.empty_like(twice)
    for coefficient in _SERIES[:0:-1]:  # Clenshaw's recurrence, without new memory for each step
        np.multiply(twice, last, out=following)
        np.add(following, coefficient, out=following)
        np.subtract(following, before, out=following)
        last, before, following = following, last, before
    value: NDArray[np.float64] = (_SERIES[0] + 0.5 * twice * last - before) / (1.0 + 2.0 * x)
    return value


def log_ndtr(x: NDArray[np.float64], scaled_tail: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """Return the natural logarithm of the normal distribution function, the same shape; NaN stays.

    Parameters
    ----------
    scaled_tail : ndarray, optional
        ``erfcx(abs(x) / SQRT2)``, where it is known already.
    """
    tail = 0.5 * (erfcx(np.abs(x) / SQRT2) if scaled_tail is None else scaled_tail)  # beyond |x|, over exp(-x * x / 2)
    half_square = 0.5 * x * x
    with np.errstate(divide="ignore"):  # nothing lies below minus infinity
        return np.where(x < 0, np.log(tail) - half_square, np.log1p(-tail * np.exp(-half_square)))
