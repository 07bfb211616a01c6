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
be tried; E of the subject is the smallest over r. The functions take and return E-values only; the modules that compute
E decide on its meaning and on the lengths of sequences.
"""

from __future__ import annotations

import importlib
import math
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

COMPILED: Final = "swgui.engines.native.normal"  # adds up the same series, to the same bits
LN10: Final = math.log(10.0)
TAIL: Final = 8.0  # below -TAIL of u = ln g, exp(-exp(u)) is 1 within 0.04 %
STEPS: Final = 120
MAX_TOGETHER: Final = 200  # alignments that count; the others only make E smaller still
_FROM_THE_TOP: Final = 300.0  # of y: from here on the last terms of the series of exp(y) are the largest
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


def sum_log10_evalues(log10_evalues: _Floats, first: _Ints, copies: _Floats) -> _Floats:
    """Return the decadic logarithm of E of all alignments of each subject together.

    Parameters
    ----------
    log10_evalues : ndarray, shape=(n,)
        Logarithms of E of each alignment alone, those of a subject together, best first; NaN if unknown.
    first : ndarray, shape=(k,), dtype=int64
        Where the alignments of each subject begin; all have some.
    copies : ndarray, shape=(k,)
        How many times each subject fits into the database that E refers to, in residues.

    Returns
    -------
    ndarray, shape=(k,)
        Never above that of the best alignment; NaN where E is unknown.
    """
    counts = np.diff(np.append(first, len(log10_evalues)))
    together = log10_evalues[first]
    if len(first) == len(log10_evalues):
        return together
    unknown = np.logical_or.reduceat(np.isnan(log10_evalues), first)
    several = np.flatnonzero((counts > 1) & ~unknown)
    together = np.where(unknown, np.nan, together)
    ln_copies = np.log(np.maximum(copies[several], 1.0))
    high = np.minimum(counts[several], MAX_TOGETHER)
    number = np.arange(int(high.max(initial=1)))
    every = np.minimum(first[several, np.newaxis] + number, len(log10_evalues) - 1)
    each = ln_copies[:, np.newaxis] - log10_evalues[every] * LN10
    totals = np.cumsum(np.where(number < high[:, np.newaxis], each, 0.0), axis=1)

    def of(rows: _Ints, number: _Ints) -> _Floats:
        ln_together = ln_probabilities(totals[rows, number - 1], number) + ln_copies[rows]
        log10_sum = (ln_together + (number - 1) * math.log(2.0)) / LN10
        return np.where(number == 1, log10_evalues[first[several[rows]]], log10_sum)

    # Alignments come best first, so each helps less than the one before: E falls up to the best number, then rises.
    low, best = np.ones_like(high), np.zeros(len(several))
    while len(rows := np.flatnonzero(low < high)):
        middle = (low[rows] + high[rows]) // 2
        of_middle, of_next = np.split(of(np.tile(rows, 2), np.concatenate([middle, middle + 1])), 2)
        better = of_next < of_middle
        low[rows], high[rows] = np.where(better, middle + 1, low[rows]), np.where(better, high[rows], middle)
        best[rows] = np.where(better, of_next, of_middle)
    together[several] = np.minimum(together[several], best)
    return together


def ln_probabilities(totals: _Floats, counts: _Ints) -> _Floats:
    """Return the natural logarithm of the chance that the best normalized scores add up to a total or more.

    Parameters
    ----------
    totals : ndarray, shape=(k,)
    counts : ndarray, shape=(k,), dtype=int64
        r of each, at least 1.

    Returns
    -------
    ndarray, shape=(k,)
    """
    with np.errstate(over="ignore", divide="ignore"):
        alone = np.where(totals < 30, np.log(-np.expm1(-np.exp(-totals))), -totals)
    ln_p, rows = alone, np.flatnonzero(counts > 1)
    if len(rows):
        ln_p[rows] = _of_several(totals[rows], counts[rows])
    return ln_p


def _of_several(totals: _Floats, counts: _Ints) -> _Floats:
    """Do it for two or more."""
    # Everything is in units of exp(-total), so that nothing underflows; u = ln g.
    far = totals > counts * TAIL
    bottom = np.minimum(-totals / counts, 0.0)
    u = np.linspace(np.where(far, np.maximum(bottom, -TAIL), bottom - TAIL), 5.0, STEPS, axis=-1)
    y = totals[:, None] + counts[:, None] * u
    ln_q = np.where(y > 0, _ln_partial_exponentials(np.maximum(y, 1e-300), counts - 1), y)
    ln_gamma = _ln_gammas()[counts]
    heights = ln_q - np.exp(u) - ln_gamma[:, None]
    top = heights.max(axis=1)
    inside = top + np.log(np.trapezoid(np.exp(heights - top[:, None]), u, axis=1))
    # Below, exp(-exp(u)) is 1: the polynomial term by term; i = 0 is the part below y = 0.
    at_start = np.where(far, totals - counts * TAIL, 1.0)[:, None]
    below = _ln_partial_exponentials(at_start, counts)[:, 0] - np.log(counts) - ln_gamma
    return np.asarray(np.minimum(np.where(far, np.logaddexp(inside, below), inside) - totals, 0.0))


@cache
def _ln_gammas() -> _Floats:
    """Return the logarithms of the gamma function of 0 (infinite), 1, ... `MAX_TOGETHER`."""
    return np.array([math.inf, *map(math.lgamma, range(1, MAX_TOGETHER + 1))])


def _ln_partial_exponentials(y: _Floats, terms: _Ints) -> _Floats:
    """Logarithm of the first terms of the series of exp(y), for y > 0.

    Parameters
    ----------
    y : ndarray, shape=(k, s)
    terms : ndarray, shape=(k,), dtype=int64
        At most `MAX_TOGETHER`.

    Returns
    -------
    ndarray, shape=(k, s)
    """
    compiled = importlib.import_module(COMPILED)
    if not compiled.problem():
        logarithms: _Floats = np.log(compiled.first_terms(y, terms, _FROM_THE_TOP))
        large, last = y > _FROM_THE_TOP, terms - 1
        if large.any():
            logarithms[large] += _last_terms(y, last)[large]
        return logarithms
    order = np.argsort(-terms, kind="stable")  # so that those with i terms and more are the first
    values, sizes, last = y[order], -terms[order], terms[order] - 1
    large = values > _FROM_THE_TOP
    rows = np.searchsorted(sizes, -np.arange(1, int(terms.max())))  # that have i terms and more, of each i
    found = np.empty_like(values)
    found[~large] = np.log(_from_below(values[~large], _ends(~large, rows)))
    found[large] = _last_terms(values, last)[large] + np.log(_from_above(values[large], _ends(large, rows)))
    logarithms = np.empty_like(values)
    logarithms[order] = found
    return logarithms


def _last_terms(y: _Floats, last: _Ints) -> _Floats:
    """Return the logarithms of the terms with these numbers, for large y."""
    ln_factorials = _ln_gammas()[last + 1]
    return np.asarray(last[:, None] * np.log(np.maximum(y, _FROM_THE_TOP)) - ln_factorials[:, None])


def _ends(those: NDArray[np.bool_], rows: _Ints) -> list[int]:
    """Return how many of some values, row by row, lie in the first rows, for several numbers of these."""
    ends: list[int] = np.append(0, np.cumsum(those.sum(axis=1)))[rows].tolist()
    return ends


def _from_below(values: _Floats, ends: list[int]) -> _Floats:
    """Return the sums of the first terms; those with i terms and more are the first `ends` of i - 1."""
    term, total, factor = np.ones_like(values), np.ones_like(values), np.ones_like(values)
    # In place, since most of the time would go into finding memory.
    for i, end in enumerate(ends, 1):
        term[:end] *= np.divide(values[:end], i, out=factor[:end])
        total[:end] += term[:end]
    return total


def _from_above(values: _Floats, ends: list[int]) -> _Floats:
    """Return the same sums divided by their last terms."""
    nested, factor = np.ones_like(values), np.ones_like(values)
    for i, end in enumerate(ends, 1):
        nested[:end] *= np.divide(i, values[:end], out=factor[:end])
        nested[:end] += 1.0
    return nested
