"""The E-value of several local alignments of one subject together (sum statistics).

Karlin and Altschul (1993), PNAS 90:5873. The normalized score of an alignment, ``x = lambda S - ln(K m n)``, is minus
the logarithm of how many alignments as good chance gives in this pair. The normalized scores that chance gives are the
points of a Poisson process whose density falls as ``exp(-x)``; for the sum T of the r best, in any order and anywhere
in the pair, that means::

    P(T >= t) = integral over g > 0 of  g^(r-1) exp(-g) / (r-1)!  Q(r - 1, t + r ln g) dg
    Q(k, y)   = exp(-y) sum over i < k of y^i / i!   for y > 0, otherwise 1

(the r-th best has exp(-x) = g, and the others are above it by independent exponential amounts). For large t it becomes
the formula of the paper, ``exp(-t) t^(r-1) / (r! (r-1)!)``. This is the form without regard to order: repeats and
domains of one subject may come in any.

E of r alignments is that probability times the number of such pairs in the database, times 2^(r-1), because every r may
be tried; E of the subject is the smallest over r. Only E-values go in and come out: what E is, and how long the
sequences are, is decided where E is computed.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

LN10: Final = math.log(10.0)
TAIL: Final = 8.0  # below -TAIL of u = ln g, exp(-exp(u)) is 1 within 0.04 %
STEPS: Final = 120
MAX_TOGETHER: Final = 200  # alignments that are looked at; the others only make E smaller still


def sum_log10_evalue(log10_evalues: NDArray[np.float64], copies: float) -> float:
    """Return the decadic logarithm of E of all alignments of a subject together.

    Parameters
    ----------
    log10_evalues : ndarray, shape=(r,)
        Of each alignment alone, best first; NaN if unknown.
    copies : float
        How many times the subject fits into the database that E refers to, in residues.

    Returns
    -------
    float
        Never above that of the best alignment; NaN if E is unknown or there is no alignment.
    """
    if not len(log10_evalues) or np.isnan(log10_evalues).any():
        return float("nan")
    ln_copies = math.log(max(copies, 1.0))
    totals = np.cumsum(ln_copies - log10_evalues * LN10)

    def of(count: int) -> float:
        ln_together = ln_probability(float(totals[count - 1]), count) + ln_copies + (count - 1) * math.log(2.0)
        return float(log10_evalues[0]) if count == 1 else ln_together / LN10

    # Alignments come best first, so each helps less than the one before: E falls up to the best number, then rises.
    low, high = 1, min(len(log10_evalues), MAX_TOGETHER)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if of(middle + 1) < of(middle) else (low, middle)
    return min(of(1), of(low))


def ln_probability(total: float, count: int) -> float:
    """Return the natural logarithm of the chance that the `count` best normalized scores add up to `total` or more.

    Parameters
    ----------
    total : float
    count : int
        r, at least 1.
    """
    if count == 1:
        return math.log(-math.expm1(-math.exp(-total))) if total < 30 else -total
    # Everything is in units of exp(-total), so that nothing underflows; u = ln g.
    bottom = min(-total / count, 0.0)
    start = max(bottom, -TAIL) if total > count * TAIL else bottom - TAIL
    u = np.linspace(start, 5.0, STEPS)
    y = total + count * u
    ln_q = np.where(y > 0, _ln_partial_exponential(np.maximum(y, 1e-300), count - 1), y)
    heights = ln_q - np.exp(u) - math.lgamma(count)
    top = float(heights.max())
    parts = [top + math.log(float(np.trapezoid(np.exp(heights - top), u)))]
    if total > count * TAIL:
        # Below, exp(-exp(u)) is 1: the polynomial term by term; i = 0 stands for what lies below y = 0.
        at_start = np.array([total - count * TAIL])
        parts.append(float(_ln_partial_exponential(at_start, count)[0]) - math.log(count) - math.lgamma(count))
    return min(float(np.logaddexp.reduce(parts)) - total, 0.0)


def _ln_partial_exponential(y: NDArray[np.float64], terms: int) -> NDArray[np.float64]:
    """Logarithm of the first terms of the series of exp(y), for y > 0; shape as y."""
    i = np.arange(terms, dtype=np.float64)
    factorials = np.cumsum(np.log(np.maximum(i, 1.0)))
    found: NDArray[np.float64] = np.logaddexp.reduce(np.log(y)[:, None] * i - factorials, axis=1)
    return found
