"""Whether chance scores as high as aligned pairs of regions: shuffles of the subjects' regions, in several ways.

* uniform: only composition is kept; * in windows: the composition of every stretch is kept; * by periods: repeats stay
repeats, though with another pattern; only for regions that repeat themselves; * reversed: one sequence, which keeps
every property that does not depend on the direction.

The kind with the largest E counts, unless all of them agree that the hit is not by chance: then E is that of lambda.
Shuffles come in portions, those of many pairs in one call; a decided pair drops out. The decision on a pair does not
depend on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.judging.correction_work import (
    PERIODS,
    REVERSED,
    WHOLE,
    WINDOWS,
    CorrectionWork,
    QueryScores,
    bound_of,
)
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.composition import Floats, Numbers
from swgui.core.statistics.evalue import LN10
from swgui.core.statistics.fit import EULER, ln_exceedance
from swgui.core.stretches import Subjects

SEED: Final = 1
FIRST: Final = 15  # shuffles that decide whether more are needed; 16 copies, with the reversed one, share a table
ENOUGH: Final = 47  # for a hit that is chance in any case
MAX_SHUFFLES: Final = 111
MIN_SHUFFLES: Final = 5  # below, shuffles say nothing
WINDOW: Final = 10  # residues within which local composition is kept
MAX_CELLS: Final = 200_000_000  # of the shuffles of one pair and kind
NEAR_IDEAL: Final = 0.9  # ratio of lambdas from which on shuffles are no surprise
FAR_BEYOND: Final = -6.0  # log10 of an E that they would not change then
OF_INTEREST: Final = -1.0  # log10 of an E above which a hit is chance in any case
CLEAR: Final = -10.0  # log10 of an E by shuffles from which on they agree that a hit is none of chance
SURPRISE: Final = 1.0  # decades of E by which a few shuffles may be off
BIASED: Final = 0.8  # ratio of lambdas below which shuffles decide alone
STRICT: Final = 0.5  # standard errors in favour of the hit then
FEW_PATTERNS: Final = -2.0  # standard errors, against a hit: a period has few shuffles, whose scores have a long tail
HOPEFUL: Final = 3.0  # standard errors in favour of a hit that is given up
REVERSED_ABOVE: Final = 3.0  # in units of 1/lambda: largest score by chance of one sequence above the mean of many
CONFIDENCE: Final = 2.0  # standard errors that reduce the scale of shuffled scores in favour of the hit
SPREAD_ERROR: Final = 1.05  # standard error of an extreme-value deviation, times the root of the number of scores
DEVIATION_FLOOR: Final = 0.5  # scores are whole numbers
LONGEST_PERIOD: Final = 60
SHORTEST_PERIODIC: Final = 12
PERIODIC: Final = 5.0  # standard deviations above chance of the residues that come again after one period
LARGEST_SCORE: Final = (1 << 31) - (1 << 25)  # of queries that shuffles are scored against

KINDS: Final = (WHOLE, WINDOWS, PERIODS)
_Ints = NDArray[np.int64]
_Bools = NDArray[np.bool_]


class Chances(msgspec.Struct, frozen=True, eq=False):
    """Statistics that shuffles give scores."""

    # log10_evalues, z: E, and standard deviations of the score above the location of the shuffles' scores; NaN if
    # unknown, same shape
    log10_evalues: Floats
    z: Floats

    def take(self, which: NDArray[np.bool_]) -> Chances:
        """Return some of the last axis."""
        return Chances(self.log10_evalues[..., which], self.z[..., which])


def log10_shuffled(
    scores: Numbers, means: Floats, deviations: Floats, counts: Numbers, trials: Floats, confidence: Floats | float
) -> Chances:
    """Return the E that the scores of shuffles give, by an extreme-value distribution.

    Its scale is reduced by `confidence` standard errors in favour of the hit, so that no chance among a few shuffles
    makes a clear relative look worse; scores that shuffles really reach stay out of reach of that.

    Parameters
    ----------
    scores : ndarray
        Scores of the hits; all arrays have shapes that fit.
    means, deviations, counts : ndarray
        Mean, standard deviation and number of the scores of each one's shuffles, at least two.
    trials : ndarray
        How many such pairs the search has.
    """
    deviations = np.maximum(deviations, DEVIATION_FLOOR)
    scale = pi / sqrt(6.0) / deviations * (1.0 + confidence * SPREAD_ERROR / np.sqrt(counts))
    above = scores - means
    ln_p = ln_exceedance(scale * above + EULER)
    return Chances((ln_p + np.log(np.maximum(trials, 1.0))) / LN10, above / deviations)


def find_periods(
    repeats: NDArray[np.int64], residues: NDArray[np.int64], lengths: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return after how many residues sequences repeat themselves; 0 where one does not, or not clearly.

    Looked at are all p up to `LONGEST_PERIOD` and a third of the length; of multiples of a period it is the first that
    is nearly as clear as the clearest.

    Parameters
    ----------
    repeats : ndarray, shape=(k, LONGEST_PERIOD + 1)
        Residues that come again after p positions.
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


class RegionPairs(msgspec.Struct, frozen=True, eq=False):
    """The aligned regions of one query with many subjects, and their scores and statistics."""

    profile: QueryScores  # of the whole query
    alphabet: Alphabet
    # query_start, query_length: shape (k,)
    query_start: _Ints
    query_length: _Ints
    subjects: Subjects  # the k regions of the subjects
    scores: NDArray[np.integer]  # shape (k,)
    ratios: Floats  # of the lambdas, shape (k,)
    log10_evalues: Floats  # with the scales that these ratios give, shape (k,)
    trials: Floats  # how many such pairs the search has, shape (k,)
    gaps: PositionGaps | None = None  # gap costs of the whole query, if it has its own

    def __len__(self) -> int:
        return len(self.scores)

    def take(self, places: _Ints) -> RegionPairs:
        """Return some of the pairs."""
        return RegionPairs(
            self.profile,
            self.alphabet,
            self.query_start[places],
            self.query_length[places],
            self.subjects.take(places),
            self.scores[places],
            self.ratios[places],
            self.log10_evalues[places],
            self.trials[places],
            self.gaps,
        )


def is_plain(ratios: Floats, log10_evalues: Floats) -> _Bools:
    """Return a mask of pairs that shuffles cannot change: near-ideal, and far beyond chance or chance in any case."""
    between = (log10_evalues > FAR_BEYOND) & (log10_evalues <= OF_INTEREST)
    return (ratios >= NEAR_IDEAL) & ~between


class _ShuffledScores:
    """The shuffles made so far: how many of each kind and pair, and sums of their scores less those of the first."""

    def __init__(self, pairs: RegionPairs, score: Callable[[_Ints], NDArray[np.int32]], widths: _Ints) -> None:
        self.pairs = pairs
        self.score = score  # given jobs, returns the scores of their copies
        self.widths = widths  # shape (kinds, k)
        shape = len(KINDS), len(pairs)
        self.counts = np.zeros(shape, dtype=np.int64)
        self.first, self.totals, self.squares = (np.zeros(shape) for _ in range(3))
        self.from_behind = np.zeros(shape[1])

    def raise_to(self, wanted: _Ints) -> None:
        """Have so many shuffles scored of each kind and pair, shape (kinds, k)."""
        kinds, places = np.nonzero(wanted > self.counts)
        if not len(kinds):
            return
        pairs, done = self.pairs, self.counts[kinds, places]
        behind = (kinds == WHOLE) & (done == 0)
        number = np.where(behind, REVERSED, done)
        count = wanted[kinds, places] - number
        regions = pairs.query_start, pairs.query_length, pairs.subjects.starts, pairs.subjects.lengths
        columns = [column[places] for column in regions]
        jobs = np.stack([*columns, kinds, self.widths[kinds, places], number, count], axis=1)
        scores = self.score(jobs).astype(np.float64)
        starts = np.cumsum(count) - count
        self.from_behind[places[behind]] = scores[starts[behind]]
        new = done == 0
        self.first[kinds[new], places[new]] = scores[(starts + behind)[new]]
        less = scores - np.repeat(self.first[kinds, places], count)
        less[starts[behind]] = 0.0
        self.totals[kinds, places] += np.add.reduceat(less, starts)
        self.squares[kinds, places] += np.add.reduceat(less * less, starts)
        self.counts[kinds, places] = wanted[kinds, places]

    def chances(self, places: _Ints, confidence: Floats | float, least_means: Floats | None = None) -> Chances:
        """Return the statistics of the shuffles, shape (kinds, len(places)); E = 0 for a kind without any.

        Parameters
        ----------
        confidence : ndarray, shape=(kinds, len(places)), or float
        least_means : ndarray, shape=(kinds, len(places)), optional
            Means of chance scores that are known from elsewhere; the larger one counts.
        """
        pairs, counts = self.pairs, self.counts[:, places]
        some = np.maximum(counts, 2)
        mean = self.totals[:, places] / some
        deviations = np.sqrt(np.maximum(self.squares[:, places] - mean * self.totals[:, places], 0.0) / (some - 1))
        means = self.first[:, places] + mean
        if least_means is not None:
            means = np.maximum(means, least_means)
        said = log10_shuffled(pairs.scores[places], means, deviations, some, pairs.trials[places], confidence)
        return Chances(np.where(counts > 0, said.log10_evalues, -np.inf), said.z)


class _Decision:
    """State of the decision on pairs, portion by portion.

    Parameters
    ----------
    score : callable
        As of `_ShuffledScores`.
    most : ndarray, shape=(k,), dtype=int64
        Shuffles of each kind that may be made of a pair.
    scales : ndarray, shape=(k,)
        As of `chances_of`, like `limit` and `work`.
    """

    def __init__(
        self,
        pairs: RegionPairs,
        score: Callable[[_Ints], NDArray[np.int32]],
        most: _Ints,
        scales: Floats,
        limit: float,
        work: CorrectionWork,
    ) -> None:
        lengths = pairs.subjects.lengths
        self._pairs, self._most, self._limit, self._work = pairs, most, limit, work
        self._shuffled = _ShuffledScores(
            pairs, score, np.stack([lengths, np.full_like(lengths, WINDOW), np.zeros_like(lengths)])
        )
        self._reversed_above = REVERSED_ABOVE / scales
        self._strict = pairs.ratios < BIASED
        self._left = np.arange(len(pairs))
        self.said = Chances(np.full(len(pairs), np.nan), np.full(len(pairs), np.nan))

    @property
    def open(self) -> bool:
        """Whether anything is left to be decided."""
        return len(self._left) > 0

    def uniform(self) -> None:
        """Settle the pairs that a first portion of uniform shuffles decides."""
        first = np.zeros_like(self._shuffled.counts)
        first[WHOLE] = np.minimum(FIRST, self._most)
        self._shuffled.raise_to(first)
        chances, expected = self._shuffled.chances(self._left, CONFIDENCE), self._pairs.log10_evalues
        near = self._pairs.ratios >= NEAR_IDEAL
        self._settle(near & (chances.log10_evalues[WHOLE] <= expected + SURPRISE), chances, agreeing=True)
        self._give_up(WHOLE)

    def others(self) -> None:
        """Settle the pairs that a first portion of the other kinds decides."""
        left, shuffled = self._left, self._shuffled
        wanted = shuffled.counts.copy()
        shuffled.widths[PERIODS, left] = _periods(self._pairs.subjects.take(left), self._pairs.alphabet, self._work)
        wanted[WINDOWS, left] = np.where(self._strict[left], wanted[WHOLE, left], 0)
        wanted[PERIODS, left] = np.where(shuffled.widths[PERIODS, left] > 0, wanted[WHOLE, left], 0)
        shuffled.raise_to(wanted)
        self._give_up(WINDOWS)
        self._give_up(PERIODS)
        least = np.tile(shuffled.from_behind[self._left] - self._reversed_above[self._left], (len(KINDS), 1))
        doubtful = shuffled.chances(self._left, FEW_PATTERNS, least).log10_evalues.max(axis=0)
        self._settle(doubtful <= CLEAR, shuffled.chances(self._left, CONFIDENCE), (WHOLE,), agreeing=True)

    def last(self) -> None:
        """Settle the rest by as many shuffles as allowed, and by fewer for pairs that are chance in any case."""
        left, shuffled = self._left, self._shuffled
        wanted, most = shuffled.counts.copy(), self._most[left]
        hopeless = shuffled.chances(left, CONFIDENCE).log10_evalues.max(axis=0) > OF_INTEREST
        wanted[:, left] = np.where(wanted[:, left] > 0, np.where(hopeless, np.minimum(most, ENOUGH), most), 0)
        shuffled.raise_to(wanted)
        confidence = np.tile(np.where(self._strict[left], STRICT, CONFIDENCE), (len(KINDS), 1))
        confidence[PERIODS] = FEW_PATTERNS
        least = np.full(confidence.shape, -np.inf)
        least[WHOLE] = shuffled.from_behind[left] - self._reversed_above[left]
        chances = shuffled.chances(left, confidence, least)
        agree = chances.log10_evalues.max(axis=0) <= CLEAR
        self._settle(agree, chances, agreeing=True)
        self._settle(np.ones(len(self._left), dtype=np.bool_), chances.take(~agree))

    def _give_up(self, kind: int) -> None:
        """Settle the pairs that a kind of shuffles puts beyond the limit, even with its spread in favour of the hit."""
        beyond = self._shuffled.chances(self._left, HOPEFUL).log10_evalues[kind] > self._limit
        if beyond.any():
            self._settle(beyond, self._shuffled.chances(self._left, CONFIDENCE), (kind,))

    def _settle(self, which: _Bools, given: Chances, kinds: tuple[int, ...] = KINDS, *, agreeing: bool = False) -> None:
        """Settle some of the remaining pairs by the kind, of those given, with the largest E.

        Where kinds agree that a hit is none of chance, E is left to lambda: theirs is extrapolated from a few, and
        would shuffle clear hits.
        """
        places, columns = self._left[which], np.flatnonzero(which)
        kind = given.log10_evalues[list(kinds)][:, columns].argmax(axis=0)
        rows = np.array(kinds)[kind]
        evalues = given.log10_evalues[rows, columns]
        self.said.log10_evalues[places] = (
            np.minimum(evalues, self._pairs.log10_evalues[places]) if agreeing else evalues
        )
        self.said.z[places] = given.z[rows, columns]
        self._left = self._left[~which]


def chances_of(
    pairs: RegionPairs,
    scheme: ScoringScheme,
    scales: Floats,
    limit: float,
    work: CorrectionWork,
    *,
    threads: int = 0,
    check: Callable[[], None] = lambda: None,
) -> Chances:
    """Return the chance statistics of the scores of pairs, by the strictest kind of shuffles.

    Parameters
    ----------
    scales : ndarray, shape=(k,)
        Lambda of the statistics of each.
    limit : float
        Decadic logarithm of an E above which nothing more needs to be known.

    Returns
    -------
    Chances
        Shape (k,); NaN where the regions or their scores are too large for shuffles.
    """
    said = Chances(np.full(len(pairs), np.nan), np.full(len(pairs), np.nan))
    most = np.minimum(MAX_SHUFFLES, MAX_CELLS // np.maximum(pairs.query_length * pairs.subjects.lengths, 1))
    asked = np.flatnonzero(most >= MIN_SHUFFLES)
    if not len(asked) or bound_of(pairs.profile) > LARGEST_SCORE:
        return said

    def score(jobs: _Ints) -> NDArray[np.int32]:
        query = pairs.profile, pairs.subjects.codes, jobs, scheme.gap_first, scheme.gap_extend, SEED
        return work.shuffled_scores(*query, gaps=pairs.gaps, tracks=scheme.tracks, threads=threads, check=check)

    decision = _Decision(pairs.take(asked), score, most[asked], scales[asked], limit, work)
    for step in (decision.uniform, decision.others, decision.last):
        if decision.open:
            step()
    said.log10_evalues[asked], said.z[asked] = decision.said.log10_evalues, decision.said.z
    return said


def _periods(regions: Subjects, alphabet: Alphabet, work: CorrectionWork) -> _Ints:
    """Return the periods of regions; in two tracks of their residues."""
    if isinstance(alphabet, TwoTracks):
        regions, alphabet = regions.tracks(alphabet)[0], alphabet.residue_alphabet
    repeats, residues = work.count_repeats(regions, LONGEST_PERIOD), work.count_symbols(regions, len(alphabet))
    return find_periods(repeats, residues, regions.lengths)
