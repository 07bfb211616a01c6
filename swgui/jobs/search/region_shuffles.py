"""Whether chance scores as high as an aligned pair of regions: shuffles of the subject's region, in several ways.

* uniform: only composition is kept;
* in windows: the composition of every stretch is kept;
* by periods: what is repeated stays repeated, though its pattern is another one; where the region repeats itself;
* reversed: one sequence, which keeps all that is the same from both ends.

The kind that gives the largest E counts, unless all of them agree that the hit is none of chance: then E is that of
lambda. Shuffles come in portions, and what is decided is not asked again.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.score_profile import PositionGaps
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.composition import CONFIDENCE, Chance, find_period, log10_shuffled, shuffle_periods
from swgui.core.statistics.shuffling import shuffles
from swgui.engines.native import scoring
from swgui.engines.native.subjects import Subjects

SEED: Final = 1
FIRST: Final = 20  # shuffles that decide whether more are needed
ENOUGH: Final = 40  # for a hit that is chance in any case
MAX_SHUFFLES: Final = 100
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
REVERSED_ABOVE: Final = 3.0  # in units of 1/lambda: what one sequence may score above the mean of many by chance

PERIODS: Final = 2  # number of that kind of shuffles

_Shuffle = Callable[[int, np.random.Generator], NDArray[np.uint8]]


@dataclass(frozen=True, slots=True, eq=False)
class RegionPair:
    """The aligned regions of a pair, and what is known of their score.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
        Scores of the query's region.
    subject : ndarray, shape=(n,), dtype=uint8
    score : int
    ratio : float
        Of the lambdas.
    log10_evalue : float
        With the scale that this ratio gives.
    trials : float
        How many such pairs the search has.
    gaps : PositionGaps, optional
        Gap costs of the query's region, if it has its own.
    """

    profile: NDArray[np.int16]
    subject: NDArray[np.uint8]
    score: int
    ratio: float
    log10_evalue: float
    trials: float
    gaps: PositionGaps | None = None

    @property
    def plain(self) -> bool:
        """Whether shuffles would change nothing: near-ideal, and far beyond chance or chance in any case."""
        return self.ratio >= NEAR_IDEAL and not FAR_BEYOND < self.log10_evalue <= OF_INTEREST


class _Kind:
    """One kind of shuffles of a region, made and scored in portions."""

    def __init__(self, number: int, shuffle: _Shuffle, pair: RegionPair, scheme: ScoringScheme) -> None:
        self._generator = np.random.default_rng([SEED, number, zlib.crc32(pair.subject.tobytes())])
        self.number = number
        self._shuffle, self._pair, self._scheme = shuffle, pair, scheme
        self._scores = np.zeros(0, dtype=np.int32)

    def raise_to(self, count: int) -> None:
        """Have so many shuffles scored."""
        missing = count - len(self._scores)
        if missing > 0:
            found = _score(self._pair, self._shuffle(missing, self._generator), self._scheme)
            self._scores = np.concatenate([self._scores, found])

    def chance(self, least_mean: float = 0.0, confidence: float = CONFIDENCE) -> Chance:
        """Return what the shuffles made so far say."""
        return log10_shuffled(self._pair.score, self._scores, self._pair.trials, least_mean, confidence)


def chance_of(pair: RegionPair, scheme: ScoringScheme, scale: float, limit: float) -> Chance | None:
    """Return what chance makes of the score of a pair, by the strictest kind of shuffles.

    The same for the same pair, whatever else is looked at.

    Parameters
    ----------
    scale : float
        Lambda of the statistics.
    limit : float
        Decadic logarithm of an E above which nothing more needs to be known.

    Returns
    -------
    Chance or None
        None if the regions are too large for shuffles.
    """
    most = min(MAX_SHUFFLES, MAX_CELLS // max(pair.profile.shape[0] * pair.subject.size, 1))
    if most < MIN_SHUFFLES:
        return None
    first = min(FIRST, most)
    uniform = _Kind(0, partial(_windows, pair.subject, 0), pair, scheme)
    uniform.raise_to(first)
    worst = uniform.chance()
    if pair.ratio >= NEAR_IDEAL and worst.log10_evalue <= pair.log10_evalue + SURPRISE:
        return _agreeing(worst, pair)
    kinds = [uniform]
    strict = pair.ratio < BIASED
    if strict:
        kinds.append(_Kind(1, partial(_windows, pair.subject, WINDOW), pair, scheme))
    if period := find_period(pair.subject):
        kinds.append(_Kind(PERIODS, partial(_periods, pair.subject, period), pair, scheme))
    for kind in kinds:
        kind.raise_to(first)
        if kind.chance(confidence=HOPEFUL).log10_evalue > limit:
            return kind.chance()
    from_behind = int(_score(pair, pair.subject[np.newaxis, ::-1], scheme)[0])
    least_mean = from_behind - REVERSED_ABOVE / scale
    doubtful = max(kind.chance(least_mean, FEW_PATTERNS).log10_evalue for kind in kinds)
    if doubtful <= CLEAR:
        return _agreeing(uniform.chance(), pair)
    if max(kind.chance().log10_evalue for kind in kinds) > OF_INTEREST:
        most = min(most, ENOUGH)
    for kind in kinds:
        kind.raise_to(most)
    favour = STRICT if strict else CONFIDENCE
    found = [kind.chance(confidence=FEW_PATTERNS if kind.number == PERIODS else favour) for kind in kinds]
    found.append(uniform.chance(least_mean, confidence=favour))
    worst = max(found, key=lambda chance: chance.log10_evalue)
    return _agreeing(worst, pair) if worst.log10_evalue <= CLEAR else worst


def _agreeing(chance: Chance, pair: RegionPair) -> Chance:
    """Leave E to lambda where shuffles agree: theirs is extrapolated from a few, and would shuffle clear hits."""
    return replace(chance, log10_evalue=min(chance.log10_evalue, pair.log10_evalue))


def _windows(codes: NDArray[np.uint8], window: int, count: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    return shuffles(codes, count, window, generator)


def _periods(codes: NDArray[np.uint8], period: int, count: int, generator: np.random.Generator) -> NDArray[np.uint8]:
    return shuffle_periods(codes, period, count, generator)


def _score(pair: RegionPair, block: NDArray[np.uint8], scheme: ScoringScheme) -> NDArray[np.int32]:
    """Score every row of a block, shape (count, n), against the query's region."""
    subjects = Subjects.packed(np.ravel(block), np.arange(len(block) + 1) * block.shape[1])
    costs = scheme.gap_first, scheme.gap_extend
    if scoring.usable(pair.profile):
        found = np.zeros(len(block), dtype=np.int32)
        scoring.Scorer(pair.profile, *costs, pair.gaps).score_into(found, subjects, np.arange(len(block)))
        return found
    return scoring.scores(pair.profile, subjects, *costs, gaps=pair.gaps, threads=1).astype(np.int32)
