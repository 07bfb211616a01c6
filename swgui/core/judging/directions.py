"""One E of a pair that is scored in both directions: by the profile of each sequence against the other.

Scores by position (context scores) depend on which of two sequences is the query. Each direction has an E of its own,
from a fit of that profile's scores to the same decoys. With z the standard deviations that an E stands for (`z_of`),
the pair has::

    z = (z_1 + z_2 - m) / s,  E = N (1 - exp(-exp(-(pi / sqrt(6) z + 0.5772))))

m and s are mean and standard deviation of ``z_1 + z_2`` of sequences of the database that are not related
(`chance_of`). The same E follows whichever of the two is the query.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.statistics.evalue import LN2, LN10
from swgui.core.statistics.fit import EULER, MIN_LENGTH, SCALE, ln_exceedance

FITTED_IN_BOTH: Final = "Fitted in each direction to the scores of"  # how the source of such an E begins
RELATED: Final = 4.0  # z from which on a pair of the database says nothing about pairs that are not related
FEWEST: Final = 100  # pairs from which the distribution of the sum follows
MIDDLE: Final = 0.5  # quantiles that decide it, so that relatives among the pairs hardly matter
UPPER: Final = 0.95
TINY: Final = 1e-9  # standard deviations, for rounding
_CERTAIN: Final = -1e-12  # logarithm of a chance that counts as 1

Floats = NDArray[np.float64]


# z of a chance that counts as 1: none is below it.
LOWEST: Final = (-math.log(-math.log(-_CERTAIN)) - EULER) / SCALE


class Chance(msgspec.Struct, frozen=True):
    """Distribution of the sum of z of both directions of pairs that are not related."""

    mean: float = 0.0
    spread: float = 2.0  # standard deviation; 2 if both directions were the same, which makes no E too small


def z_of(log10_evalues: Floats, sequences: float) -> Floats:
    """Return the standard deviations above chance that E of one direction stand for, shape as `log10_evalues`."""
    ln_p = np.minimum(log10_evalues * LN10 - math.log(max(sequences, 2.0)), _CERTAIN)
    rare = ln_p < -36.0
    inner = -np.log1p(-np.exp(np.where(rare, -1.0, ln_p)))
    return np.asarray((np.where(rare, -ln_p, -np.log(inner)) - EULER) / SCALE)


def of_both(forward: Floats, back: Floats, sequences: float, chance: Chance) -> Floats:
    """Return decadic logarithms of the E of pairs by both directions.

    Parameters
    ----------
    forward, back : ndarray, shape=(k,)
        Decadic logarithms of E of each direction; which is which makes no difference.
    sequences : float
        Sequences that E refers to.
    """
    return of_sum(z_of(forward, sequences) + z_of(back, sequences), sequences, chance)


def of_sum(z: Floats, sequences: float, chance: Chance) -> Floats:
    """Return decadic logarithms of E of both directions from the sums of their z, shape as `z`."""
    own = (z - chance.mean) / chance.spread
    return np.asarray((ln_exceedance(SCALE * own + EULER) + math.log(max(sequences, 2.0))) / LN10)


def least_sum(log10_evalue: float, sequences: float, chance: Chance) -> float:
    """Return a sum of z below which no pair has E of both within a limit; minus infinity if every pair has."""
    if log10_evalue * LN10 >= math.log(max(sequences, 2.0)):
        return -math.inf
    return chance.mean + chance.spread * float(z_of(np.array([log10_evalue]), sequences)[0]) - TINY


def bits_of_both(log10_evalues: Floats, lengths: Sequence[NDArray[np.integer]], sequences: float) -> Floats:
    """Return the bit scores that E of both directions stands for, as `FittedStatistics.bit_scores` has them.

    Parameters
    ----------
    lengths : (ndarray, ndarray)
        Residues of both sequences of each pair.
    sequences : float
        That E refers to.
    """
    space = sum(np.log(np.maximum(length, MIN_LENGTH).astype(np.float64)) for length in lengths)
    return np.asarray((SCALE * z_of(log10_evalues, sequences) + EULER + space) / LN2)


def chance_of(z: Floats) -> Chance:
    """Return the distribution of the sum of both directions, from sequences of a database; usual values of too few.

    Parameters
    ----------
    z : ndarray, shape=(n, n)
        Of the profile of each (rows) against each other.
    """
    rows, columns = np.triu_indices(len(z), 1)
    one, other = z[rows, columns], z[columns, rows]
    sums = (one + other)[(one < RELATED) & (other < RELATED)]
    if len(sums) < FEWEST:
        return Chance()
    low, high = np.quantile(sums, [MIDDLE, UPPER]).tolist()
    at_low, at_high = _z_at(MIDDLE), _z_at(UPPER)
    spread = (high - low) / (at_high - at_low)
    return Chance(low - spread * at_low, spread) if spread > 0 else Chance()


def _z_at(quantile: float) -> float:
    return (-math.log(-math.log(quantile)) - EULER) / SCALE
