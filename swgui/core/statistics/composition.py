"""What the composition of two sequences does to the significance of their alignment.

Scores of pairs rich in the same residues are high by chance alone: the scale lambda of such scores is smaller than
that of the background (Karlin and Altschul 1990; scaled for composition as Schaffer et al. 2001, Nucleic Acids Res.
29:2994), and where one pattern is repeated, no lambda says how high chance goes. Hence two steps, of which the larger
E counts:

* **lambda**: lambda of the compositions over that of the background, at most 1, once for the aligned regions and once
  for the whole sequences; the smaller ratio multiplies the scale of E (`loss`);
* **shuffles** of the aligned region of the subject against that of the query: the location and the scale of their
  scores give a probability, and the size of the search makes an E of it (`log10_shuffled`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.scoring import SubstitutionMatrix
from swgui.core.statistics.background import background, ungapped_lambda
from swgui.core.statistics.evalue import LN10
from swgui.core.statistics.fit import EULER, ln_exceedance

Floats = NDArray[np.float64]

REGION_PSEUDO: Final = 40.0  # residues of background added to an aligned region
WHOLE_PSEUDO: Final = 100.0  # and to a whole sequence, which may hold domains of any composition
CONFIDENCE: Final = 2.0  # standard errors by which the scale of shuffled scores is taken in favour of the hit
SPREAD_ERROR: Final = 1.05  # standard error of an extreme-value deviation, times the root of the number of scores
DEVIATION_FLOOR: Final = 0.5  # scores are whole numbers
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


@dataclass(frozen=True, slots=True, eq=False)
class LambdaScale:
    """The lambdas of compositions with one matrix, over a lambda that counts as usual.

    Parameters
    ----------
    matrix : SubstitutionMatrix
        Any; need not be symmetric.
    usual : float
        Lambda of what E was computed for without a correction; 0 if there is none, and then no ratio is below 1.
    """

    matrix: SubstitutionMatrix
    usual: float
    _background: Floats = field(init=False, repr=False)
    _order: NDArray[np.int64] = field(init=False, repr=False)
    _starts: NDArray[np.int64] = field(init=False, repr=False)
    _values: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        frequencies = background(self.matrix.alphabet)
        plain = np.flatnonzero(frequencies)
        scores = self.matrix.scores[np.ix_(plain, plain)].ravel().astype(np.float64)
        order = np.argsort(scores, kind="stable")
        values, starts = np.unique(scores[order], return_index=True)
        for name, value in (
            ("_background", frequencies[plain]),
            ("_order", order),
            ("_starts", starts.astype(np.int64)),
            ("_values", values),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def of_background(cls, matrix: SubstitutionMatrix) -> LambdaScale:
        """Return the scale for published statistics: usual are two sequences of the background's composition."""
        return cls(matrix, ungapped_lambda(matrix.scores, background(matrix.alphabet)) or 0.0)

    @classmethod
    def of_query(cls, matrix: SubstitutionMatrix, codes: NDArray[np.uint8]) -> LambdaScale:
        """Return the scale for statistics fitted to a query's own scores: usual is the query with the background.

        What the query's composition does to the scores of unrelated subjects is in such a fit already.
        """
        plain = cls.of_background(matrix)
        counts = count_residues([codes], matrix)
        usual = plain.lambdas(plain.compositions(counts, WHOLE_PSEUDO), plain._background[np.newaxis])
        return cls(matrix, min(float(usual[0]), plain.usual)) if usual[0] > 0 else plain

    def compositions(self, counts: Floats, pseudo: float) -> Floats:
        """Return frequencies from counts, shape (n, plain residues), with `pseudo` residues of background added."""
        mixed: Floats = (counts + pseudo * self._background) / (counts.sum(axis=1, keepdims=True) + pseudo)
        return mixed

    def lambdas(self, queries: Floats, subjects: Floats, ceiling: float = 0.0) -> Floats:
        """Solve ``sum p_i q_j exp(lambda s_ij) = 1`` for every pair of compositions at once.

        The left side is convex, so Newton's steps from any value above the solution fall to it and never pass it.

        Parameters
        ----------
        queries, subjects : ndarray, shape=(n, plain residues); one row stands for n
        ceiling : float
            Lambdas above it are given as it; 0 for none.

        Returns
        -------
        ndarray, shape=(n,), dtype=float64
            0 where the mean score is not negative: scores then grow without end.
        """
        queries, subjects = np.broadcast_arrays(queries, subjects)
        pairs = (queries[:, :, np.newaxis] * subjects[:, np.newaxis, :]).reshape(len(queries), -1)
        weights = np.add.reduceat(pairs[:, self._order], self._starts, axis=1)
        values, best = self._values, float(self._values[-1])
        if best <= 0:
            return np.full(len(queries), ceiling)
        # At this lambda the best pairs alone add up to 1.
        lambdas = -np.log(np.maximum(weights[:, -1], 1e-300)) / best
        if ceiling:
            lambdas = np.minimum(lambdas, ceiling)
        moving = (weights * values).sum(axis=1) < 0
        lambdas = np.where(moving, np.maximum(lambdas, 0.0), 0.0)
        # Each row by itself and no longer than it needs: what it becomes must not depend on the others.
        for _ in range(NEWTON_STEPS):
            terms = weights * np.exp(lambdas[:, np.newaxis] * values)
            excess, slope = terms.sum(axis=1) - 1.0, (terms * values).sum(axis=1)
            moving &= (excess > 0) & (slope > 0)
            step = np.where(moving, excess / np.where(slope > 0, slope, 1.0), 0.0)
            lambdas = np.maximum(lambdas - step, 0.0)
            moving &= step > 1e-9 * np.maximum(lambdas, 1e-3)
            if not moving.any():
                break
        return lambdas

    def ratios(self, queries: Floats, subjects: Floats, pseudo: float) -> Floats:
        """Return lambda over the usual one for pairs of residue counts, from 0 to 1; shape (n,)."""
        shape = np.broadcast_shapes(queries.shape, subjects.shape)
        if not self.usual or not shape[0]:
            return np.ones(shape[0])
        mixed = [self.compositions(counts, pseudo) for counts in (queries, subjects)]
        return self.lambdas(mixed[0], mixed[1], ceiling=self.usual) / self.usual


def loss(scale: float, scores: NDArray[np.integer] | Floats, ratios: Floats) -> Floats:
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


@dataclass(frozen=True, slots=True)
class Chance:
    """What shuffles say about a score.

    Parameters
    ----------
    log10_evalue : float
    z : float
        Standard deviations of the score above the location of the shuffles' scores.
    """

    log10_evalue: float
    z: float


def log10_shuffled(
    score: int, shuffled: NDArray[np.int32], trials: float, least_mean: float = 0.0, confidence: float = CONFIDENCE
) -> Chance:
    """Return the E that the scores of shuffles give, by an extreme-value distribution.

    Its scale is taken `confidence` standard errors in favour of the hit, so that no chance among a few shuffles makes
    a clear relative look worse; what shuffles really reach stays out of reach of that.

    Parameters
    ----------
    score : int
    shuffled : ndarray, shape=(count,), dtype=int32
        At least two.
    trials : float
        How many such pairs the search has.
    least_mean : float
        A mean of chance scores that is known from elsewhere; the larger one counts.
    """
    values = shuffled.astype(np.float64)
    deviation = max(float(values.std(ddof=1)), DEVIATION_FLOOR)
    scale = pi / sqrt(6.0) / deviation * (1.0 + confidence * SPREAD_ERROR / sqrt(len(values)))
    above = score - max(float(values.mean()), least_mean)
    ln_p = float(ln_exceedance(np.array([scale * above + EULER]))[0])
    return Chance((ln_p + np.log(max(trials, 1.0))) / LN10, above / deviation)


def find_period(codes: NDArray[np.uint8]) -> int:
    """Return after how many residues a sequence repeats itself; 0 if it does not, or not clearly.

    Counted are the residues that come again after p positions, for all p up to `LONGEST_PERIOD` and a third of the
    length; of multiples of a period the first that is nearly as clear as the clearest.
    """
    n = codes.size
    if n < SHORTEST_PERIODIC:
        return 0
    frequencies = np.bincount(codes) / n
    same = max(float((frequencies * frequencies).sum()), 0.02)
    if same > 0.9:  # one letter: no shuffle changes it
        return 0
    periods = np.arange(2, min(LONGEST_PERIOD, n // 3) + 1)
    found = np.array([np.count_nonzero(codes[:-p] == codes[p:]) for p in periods.tolist()])
    places = n - periods
    clear = (found - places * same) / np.sqrt(places * same * (1.0 - same))
    most = float(clear.max())
    return int(periods[np.flatnonzero(clear >= 0.8 * most)[0]]) if most >= PERIODIC else 0


def shuffle_periods(
    codes: NDArray[np.uint8], period: int, count: int, generator: np.random.Generator
) -> NDArray[np.uint8]:
    """Shuffle the residues within every period of a sequence alike, so that what is repeated stays repeated.

    Returns
    -------
    ndarray, shape=(count, n), dtype=uint8
    """
    n = codes.size
    places = np.arange(-(-n // period) * period).reshape(-1, period)
    shuffled = np.empty((count, n), dtype=np.uint8)
    for row in shuffled:
        order = places[:, generator.permutation(period)].ravel()
        row[:] = codes[order[order < n]]
    return shuffled
