"""What the composition of two sequences does to the significance of their alignment.

Scores of pairs rich in the same residues are high by chance alone: the scale lambda of such scores is smaller than
that of the background (Karlin and Altschul 1990; scaled for composition as Schaffer et al. 2001, Nucleic Acids Res.
29:2994), and where one pattern is repeated, no lambda says how high chance goes. Hence two steps, of which the larger
E counts:

* **lambda**: lambda of the compositions over that of the background, at most 1, once for the aligned regions and once
  for the whole sequences; the smaller ratio multiplies the scale of E (`loss`);
* **shuffles** of the aligned region of the subject against that of the query: the location and the scale of their
  scores give a probability, and the size of the search makes an E of it (`log10_shuffled`).

Both ask how high sequences of such a make-up score that are not related. Of two that are nearly the same from end to
end that is not asked: whatever they are made of, their E stays as it is (`nearly_identical`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from math import pi, sqrt
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import SubstitutionMatrix
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.core.statistics.evalue import LN10
from swgui.core.statistics.fit import EULER, ln_exceedance

Floats = NDArray[np.float64]
Numbers = NDArray[np.integer] | Floats

REGION_PSEUDO: Final = 40.0  # residues of background added to an aligned region
WHOLE_PSEUDO: Final = 100.0  # and to a whole sequence, which may hold domains of any composition
CONFIDENCE: Final = 2.0  # standard errors by which the scale of shuffled scores is taken in favour of the hit
SPREAD_ERROR: Final = 1.05  # standard error of an extreme-value deviation, times the root of the number of scores
DEVIATION_FLOOR: Final = 0.5  # scores are whole numbers
NEARLY_IDENTICAL: Final = 0.8  # share of the highest score there can be, and of the longer length
LONGEST_PERIOD: Final = 60
SHORTEST_PERIODIC: Final = 12
PERIODIC: Final = 5.0  # standard deviations above chance of the residues that come again after one period
NEWTON_STEPS: Final = 40


def count_residues(sequences: list[NDArray[np.uint8]], matrix: SubstitutionMatrix) -> Floats:
    """Count the residues of sequences, leaving out those that the background does not know.

    Parameters
    ----------
    sequences : list of ndarray, dtype=uint8

    Returns
    -------
    ndarray, shape=(len(sequences), plain residues), dtype=float64
    """
    plain = np.flatnonzero(background(matrix.alphabet))
    counts = np.zeros((len(sequences), len(matrix.alphabet)))
    for row, codes in zip(counts, sequences, strict=True):
        row[:] = np.bincount(codes, minlength=len(row))
    return counts[:, plain]


Solver = Callable[["LambdaScale", Floats, Floats, Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class LambdaScale:
    """The lambdas of compositions with one matrix, over a lambda that counts as usual.

    Parameters
    ----------
    matrix : SubstitutionMatrix
        Any; need not be symmetric.
    usual : float
        Lambda of what E was computed for without a correction; 0 if there is none, and then no ratio is below 1.
    of_queries, of_subjects : ndarray, shape=(plain residues,), optional
        How often residues occur by chance on either side; those of the background where it is not said.

    Attributes
    ----------
    region_pseudo : float
        Residues of background added to an aligned region.
    background : ndarray, shape=(plain residues,), dtype=float64
    values : ndarray, shape=(different scores,), dtype=int64
        Of pairs of plain residues, ascending.
    groups : ndarray, shape=(plain residues, plain residues), dtype=int64
        Which of `values` each pair has.
    """

    region_pseudo: ClassVar[float] = REGION_PSEUDO

    matrix: SubstitutionMatrix
    usual: float
    of_queries: Floats | None = field(default=None, repr=False)
    of_subjects: Floats | None = field(default=None, repr=False)
    background: Floats = field(init=False, repr=False)
    values: NDArray[np.int64] = field(init=False, repr=False)
    groups: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        frequencies = background(self.matrix.alphabet)
        plain = np.flatnonzero(frequencies)
        values, groups = np.unique(self.matrix.scores[np.ix_(plain, plain)], return_inverse=True)
        object.__setattr__(self, "background", frequencies[plain])
        object.__setattr__(self, "values", values.astype(np.int64))
        object.__setattr__(self, "groups", groups.reshape(len(plain), -1).astype(np.int64))

    @classmethod
    def of_background(cls, matrix: SubstitutionMatrix) -> LambdaScale:
        """Return the scale for published statistics: usual are two sequences of the background's composition."""
        return _of_background(matrix)

    @classmethod
    def of_query(cls, matrix: SubstitutionMatrix, codes: NDArray[np.uint8]) -> LambdaScale:
        """Return the scale for statistics fitted to a query's own scores: usual is the query with the background.

        What the query's composition does to the scores of unrelated subjects is in such a fit already.
        """
        plain = cls.of_background(matrix)
        counts = count_residues([codes], matrix)
        usual = plain.lambdas(plain.compositions(counts, WHOLE_PSEUDO), plain.background[np.newaxis])
        return cls(matrix, min(float(usual[0]), plain.usual)) if usual[0] > 0 else plain

    def compositions(self, counts: Floats, pseudo: float, chance: Floats | None = None) -> Floats:
        """Return frequencies from counts, shape (n, plain residues), with `pseudo` residues of background added.

        Parameters
        ----------
        chance : ndarray, shape=(plain residues,), optional
            What is added in place of the background.
        """
        added = self.background if chance is None else chance
        mixed: Floats = (counts + pseudo * added) / (counts.sum(axis=1, keepdims=True) + pseudo)
        return mixed

    def lambdas(self, queries: Floats, subjects: Floats, ceiling: float = 0.0, solve: Solver | None = None) -> Floats:
        """Solve ``sum p_i q_j exp(lambda s_ij) = 1`` for every pair of compositions at once.

        Parameters
        ----------
        queries, subjects : ndarray, shape=(n, plain residues); one row of queries stands for n
        ceiling : float
            Lambdas above it are given as it; 0 for none.
        solve : callable
            `solve_bases`, or what does the same.

        Returns
        -------
        ndarray, shape=(n,), dtype=float64
            0 where the mean score is not negative: scores then grow without end.
        """
        best = int(self.values[-1])
        if best <= 0:
            return np.full(len(subjects), ceiling)
        if ceiling:
            above = np.full(len(subjects), np.exp(ceiling))
        else:  # at this lambda the best pairs alone add up to 1
            rows, columns = np.nonzero(self.groups == len(self.values) - 1)
            weights = (queries[:, rows] * subjects[:, columns]).sum(axis=1)
            above = np.maximum(np.exp(-np.log(np.maximum(weights, 1e-300)) / best), 1.0)
        bases = (solve or solve_bases)(self, queries, subjects, above)
        found: Floats = np.log(bases)
        return np.where(bases == above, ceiling, found) if ceiling else found

    def ratios(self, queries: Floats, subjects: Floats, pseudo: float, solve: Solver | None = None) -> Floats:
        """Return lambda over the usual one for pairs of residue counts, from 0 to 1; shape (n,).

        Parameters
        ----------
        queries, subjects : ndarray, shape=(n, plain residues); one row of queries stands for n
        pseudo : float
            Residues of background added to each.
        solve : callable
            `solve_bases`, or what does the same.
        """
        if not self.usual or not len(subjects):
            return np.ones(len(subjects))
        mixed = (
            self.compositions(queries, pseudo, self.of_queries),
            self.compositions(subjects, pseudo, self.of_subjects),
        )
        return self.lambdas(*mixed, self.usual, solve) / self.usual


@lru_cache(maxsize=8)
def _of_background(matrix: SubstitutionMatrix) -> LambdaScale:
    return LambdaScale(matrix, ungapped_lambda(matrix.scores, background(matrix.alphabet)) or 0.0)


def solve_bases(scale: LambdaScale, queries: Floats, subjects: Floats, above: Floats) -> Floats:
    """Solve ``sum p_i q_j base^s_ij = 1`` for base > 1: what lambda is the logarithm of.

    Scores are whole numbers, so nothing but products and sums is needed. They are taken in one order, each row for
    itself: what it becomes depends on no other, and is the same to the last bit as in ``kernels/cpu/composition.c``.
    The left side is convex, so Newton's steps from above the solution fall to it and never pass it.

    Parameters
    ----------
    queries, subjects : ndarray, shape=(n, plain residues)
        Compositions; one row of queries stands for n.
    above : ndarray, shape=(n,)
        Where the steps begin; returned where the solution is not below.

    Returns
    -------
    ndarray, shape=(n,), dtype=float64
        1 where the mean score is not negative.
    """
    return bases_of(scale.values, weights_of(queries, subjects, scale.groups, len(scale.values)), above)


def weights_of(queries: Floats, subjects: Floats, groups: NDArray[np.int64], count: int) -> Floats:
    """Return how often each score occurs, shape (count, n); parameters as for `solve_bases` and `LambdaScale`."""
    weights = np.zeros((count, len(subjects)))
    for a, row in enumerate(groups.tolist()):
        for b, group in enumerate(row):
            weights[group] += queries[:, a] * subjects[:, b]
    return weights


def bases_of(values: NDArray[np.int64], weights: Floats, above: Floats) -> Floats:
    """Solve ``sum of weights * base^values = 1`` for base > 1, as `solve_bases`.

    Parameters
    ----------
    values : ndarray, shape=(different scores,)
        Ascending.
    weights : ndarray, shape=(different scores, n)
    """
    mean = np.zeros(weights.shape[1])
    for value, weight in zip(values.tolist(), weights, strict=True):
        mean += weight * value
    moving = mean < 0
    bases: Floats = np.where(moving, above, 1.0)
    for _ in range(NEWTON_STEPS):
        total, slope = _sums(values.tolist(), weights, bases)
        moving &= (total > 1) & (slope > 0)
        share = np.where(moving, (total - 1) / np.where(slope > 0, slope, 1.0), 0.0)
        bases = np.where(moving, np.maximum(bases - bases * share, 1.0), bases)
        moving &= share > 1e-9
        if not moving.any():
            break
    return bases


def _sums(values: list[int], weights: Floats, bases: Floats) -> tuple[Floats, Floats]:
    """Return the sum of weights times powers, and the same times the values: upwards from 0, then downwards."""
    total, slope = np.zeros(len(bases)), np.zeros(len(bases))
    positive = next(at for at, value in enumerate([*values, 1]) if value > 0)
    upwards, downwards = range(positive, len(values)), range(positive - 1, -1, -1)
    for base, places in ((bases, upwards), (1 / bases, downwards)):
        power, reached = np.ones(len(bases)), 0
        for at in places:
            power = power * _raised(base, abs(values[at] - reached))
            reached = values[at]
            total += weights[at] * power
            slope += weights[at] * power * reached
    return total, slope


def _raised(base: Floats, exponent: int) -> Floats:
    power = np.ones(len(base))
    while exponent:
        if exponent & 1:
            power = power * base
        base, exponent = base * base, exponent >> 1
    return power


def loss(scale: float, scores: Numbers, ratios: Floats) -> Floats:
    """Return by how much the decadic logarithm of E grows when its scale is multiplied by a ratio.

    E falls as ``exp(-scale * score)``, be it published or fitted; what stands before it is left as it is.

    Parameters
    ----------
    scale : float
        Lambda of the statistics E was computed with.
    scores, ratios : ndarray, shape=(n,)
    """
    grown: Floats = scale * np.asarray(scores, dtype=np.float64) * (1.0 - ratios) / LN10
    return grown


def nearly_identical(
    scores: Numbers, bounds: Numbers | int, queries: Numbers | int, subjects: Numbers | int
) -> NDArray[np.bool_]:
    """Tell which whole sequences are nearly the same: of one length, nearly, and with nearly the highest score.

    Parameters
    ----------
    scores : ndarray, shape=(n,)
    bounds : ndarray, shape=(n,), or int
        What no subject can exceed against the query.
    queries, subjects : ndarray, shape=(n,), or int
        Lengths in residues.
    """
    alike = np.minimum(queries, subjects) >= NEARLY_IDENTICAL * np.maximum(queries, subjects)
    same: NDArray[np.bool_] = alike & (scores > 0) & (scores >= NEARLY_IDENTICAL * bounds)
    return same


@dataclass(frozen=True, slots=True, eq=False)
class Chances:
    """What shuffles say about scores.

    Parameters
    ----------
    log10_evalues, z : ndarray, same shape, dtype=float64
        E, and standard deviations of the score above the location of the shuffles' scores; NaN where nothing is said.
    """

    log10_evalues: Floats
    z: Floats

    def take(self, which: NDArray[np.bool_]) -> Chances:
        """Return some of the last axis."""
        return Chances(self.log10_evalues[..., which], self.z[..., which])


def log10_shuffled(
    scores: Numbers, means: Floats, deviations: Floats, counts: Numbers, trials: Floats, confidence: Floats | float
) -> Chances:
    """Return the E that the scores of shuffles give, by an extreme-value distribution.

    Its scale is taken `confidence` standard errors in favour of the hit, so that no chance among a few shuffles makes
    a clear relative look worse; what shuffles really reach stays out of reach of that.

    Parameters
    ----------
    scores : ndarray
        Of the hits; all arrays have shapes that fit.
    means, deviations, counts : ndarray
        Of the scores of each one's shuffles, of which there are at least two.
    trials : ndarray
        How many such pairs the search has.
    confidence : ndarray or float
    """
    deviations = np.maximum(deviations, DEVIATION_FLOOR)
    scale = pi / sqrt(6.0) / deviations * (1.0 + confidence * SPREAD_ERROR / np.sqrt(counts))
    above = scores - means
    ln_p = ln_exceedance(scale * above + EULER)
    return Chances((ln_p + np.log(np.maximum(trials, 1.0))) / LN10, above / deviations)


def count_repeats(sequences: list[NDArray[np.uint8]]) -> NDArray[np.int64]:
    """Count the residues that come again after p positions, shape (len(sequences), `LONGEST_PERIOD` + 1)."""
    return np.array(
        [
            [np.count_nonzero(codes[: max(codes.size - p, 0)] == codes[p:]) for p in range(LONGEST_PERIOD + 1)]
            for codes in sequences
        ],
        dtype=np.int64,
    ).reshape(len(sequences), LONGEST_PERIOD + 1)


def find_periods(
    repeats: NDArray[np.int64], residues: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return after how many residues sequences repeat themselves; 0 where one does not, or not clearly.

    Looked at are all p up to `LONGEST_PERIOD` and a third of the length; of multiples of a period it is the first that
    is nearly as clear as the clearest.

    Parameters
    ----------
    repeats : ndarray, shape=(k, LONGEST_PERIOD + 1)
        As `count_repeats` counts them.
    residues : ndarray, shape=(k, symbols)
        How often each symbol occurs.
    lengths : ndarray, shape=(k,)

    Returns
    -------
    ndarray, shape=(k,), dtype=int64
    """
    if not len(lengths):
        return np.zeros(0, dtype=np.int64)
    same = np.maximum((residues**2).sum(axis=1) / np.maximum(lengths, 1) ** 2, 0.02)
    fit = (lengths >= SHORTEST_PERIODIC) & (same <= 0.9)  # of one letter no shuffle changes anything
    same = np.where(fit, same, 0.5)[:, np.newaxis]
    periods = np.arange(2, LONGEST_PERIOD + 1)
    places = np.maximum(lengths[:, np.newaxis] - periods, 1)
    clear = (repeats[:, 2:] - places * same) / np.sqrt(places * same * (1.0 - same))
    clear = np.where(fit[:, np.newaxis] & (periods <= lengths[:, np.newaxis] // 3), clear, -np.inf)
    most = clear.max(axis=1)
    first = (clear >= 0.8 * most[:, np.newaxis]).argmax(axis=1)
    return np.where(most >= PERIODIC, periods[first], 0)
