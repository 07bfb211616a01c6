"""Statistics fitted to the scores of the search itself, as the FASTA programs do it.

An exact search scores every subject, and nearly all subjects are unrelated to the query: their scores are the null
distribution, for any matrix and any gap costs. The mean score grows with the logarithm of the subject's length; the
remainder follows an extreme-value distribution (Pearson 1998, J. Mol. Biol. 276:71; the steps are those of ``ssearch36
-z 1``):

1. Scores are capped (`_score_cap`), so that strong relatives cannot bend the first regression.
2. Subjects are binned by ``10 ln length``; score is regressed on the bin, weighted by count and spread.
3. z' = 50 + 10 (score - mean at this length) / standard deviation.
4. Subjects with z' below 20 or above the z' of E = 1 are left out; so are bins whose spread is far off the
   spread of the others. The regression is repeated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.alphabet import NUCLEOTIDE, TwoTracks
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.statistics.background import matrix_lambda
from swgui.core.statistics.evalue import LN2, LN10, format_log10
from swgui.core.statistics.lengths import BINS_PER_E, SubjectLengths
from swgui.core.statistics.regression import FitError, Regress, regress
from swgui.core.words import agree, count

MIN_SEQUENCES: Final = 500  # fewer subjects than these need the scores of shuffled subjects
MIN_LENGTH: Final = 10  # shorter subjects say nothing about the distribution
MIN_USABLE: Final = 50
SCALE: Final = math.pi / math.sqrt(6.0)  # an extreme-value variate of variance 1
EULER: Final = 0.57721566490153286
# Share of relatives from which E cannot be fitted to the scores of a search: a line through all scores, even capped
# ones, is so far above those of chance then that no relative is far from it.
FLOOD: Final = 0.01
UNGAPPED_K: Final = 0.134  # of BLOSUM62; nearly the same for every matrix, and used for the cap only

Numbers = float | NDArray[np.float64]  # one of all, or of each
Origin = Literal["search", "shuffles", "decoys"]
SOURCES: Final[dict[Origin, str]] = {
    "search": "this search",
    "shuffles": "shuffled subjects",
    "decoys": "sequences read from the end or shuffled",
}


class FittedStatistics(msgspec.Struct, frozen=True):
    """Extreme-value statistics of one query, fitted to scores of unrelated subjects."""

    query_length: int
    rho: float  # growth of the mean score per unit of ``ln(length)``
    mu: float  # mean score at ``ln(length) = 0``
    variance: float  # of the scores around their mean
    sequences: int  # scores offered to the fit (at least 10 residues long)
    used: int  # scores the last regression saw
    related: int  # left out because z' was above the values of chance, or below 20
    # odd_bins, bins: bins of length left out for their spread, and all with two scores or more
    odd_bins: int
    bins: int
    odd_sequences: int  # subjects in those bins
    threshold: float  # z' above which a subject counted as a relative
    origin: Origin = "search"  # of the scores: the database, shuffled subjects, or these and subjects read from the end
    per_residue: bool = False  # E counts residues of the database per subject length (nucleotides) instead of sequences

    @property
    def standard_deviation(self) -> float:
        """Square root of the variance."""
        return math.sqrt(self.variance)

    @property
    def lambda_(self) -> float:
        """Scale of the fitted distribution, comparable with a Karlin-Altschul lambda."""
        return SCALE / self.standard_deviation

    def describe(self) -> str:
        """Return one line for headers and captions."""
        return (
            f"Fitted to {self.used:,} scores of {SOURCES[self.origin]}: mean {self.mu:.2f} + "
            f"{self.rho:.3f} ln(length), variance {self.variance:.2f}, lambda {self.lambda_:.4f}"
        )

    def as_dict(self) -> dict[str, object]:
        """Return all parameters for JSON."""
        return {
            "origin": self.origin,
            "query_length": self.query_length,
            "rho": self.rho,
            "mu": self.mu,
            "variance": self.variance,
            "lambda": self.lambda_,
            "sequences": self.sequences,
            "used": self.used,
            "related": self.related,
            "odd_bins": self.odd_bins,
            "bins": self.bins,
            "odd_sequences": self.odd_sequences,
            "threshold_z": self.threshold,
            "per_residue": self.per_residue,
        }

    def mean_scores(self, subject_lengths: ArrayLike) -> NDArray[np.float64]:
        """Return the mean score of unrelated subjects of these lengths; below 10 residues that of 10."""
        return _mean_scores(subject_lengths, self.rho, self.mu)

    def z_scores(self, scores: ArrayLike, subject_lengths: ArrayLike) -> NDArray[np.float64]:
        """Return z' of every subject: 50 for the mean of its length, 10 per standard deviation.

        Parameters
        ----------
        scores, subject_lengths : array_like of int, shape=(n,)
            A score below 0 means not scored and gives NaN.

        Returns
        -------
        ndarray, shape=(n,), dtype=float64
        """
        return _z_scores(scores, self.mean_scores(subject_lengths), self.standard_deviation)

    def score_at(self, z_score: float, subject_length: int) -> float:
        """Return the score that has a z' in a subject of this length."""
        return float(self.mean_scores(subject_length)) + self.standard_deviation * (z_score - 50.0) / 10.0

    def chance_below(self, score: float, subject_lengths: ArrayLike) -> NDArray[np.float64]:
        """Return the chance that unrelated subjects of these lengths score below `score`.

        Returns
        -------
        ndarray, shape=(n,), dtype=float64
        """
        deviation = (score - self.mean_scores(subject_lengths)) / self.standard_deviation
        below: NDArray[np.float64] = np.exp(-np.exp(np.minimum(-(SCALE * deviation + EULER), 700.0)))
        return below

    def bit_scores(self, scores: ArrayLike, subject_lengths: ArrayLike) -> NDArray[np.float64]:
        """Return bit scores: ``(pi / sqrt(6) z + 0.5772 + ln(m n)) / ln 2``.

        Parameters
        ----------
        scores, subject_lengths : array_like of int, shape=(n,)
        """
        return _bits(self._reduced(scores, subject_lengths), subject_lengths, float(max(self.query_length, 1)))

    def log10_evalues(
        self,
        scores: ArrayLike,
        query_length: int | NDArray[np.int64],
        subject_lengths: ArrayLike,
        database_residues: float,
        database_sequences: float,
    ) -> NDArray[np.float64]:
        """Return the decadic logarithm of E, as `KarlinAltschul.log10_evalues`; `query_length` is that of the fit.

        Raises
        ------
        ValueError
            If the fit belongs to a query of another length.
        """
        if query_length != self.query_length:
            raise ValueError(f"The fit belongs to a query of length {self.query_length}, not {query_length}.")
        sizes = database_residues, database_sequences
        return _log10_evalues(self._reduced(scores, subject_lengths), subject_lengths, *sizes, self.per_residue)

    def explain(
        self,
        score: int,
        query_length: int,
        subject_length: int,
        database_residues: float,
        database_sequences: float,
    ) -> str:
        """Return the derivation of z', bits and E of one subject, with the values put in."""
        z_prime = float(self.z_scores([score], [subject_length])[0])
        bits = float(self.bit_scores([score], [subject_length])[0])
        log10_e = float(
            self.log10_evalues([score], query_length, [subject_length], database_residues, database_sequences)[0]
        )
        mean = float(self.mean_scores([subject_length])[0])
        z = (z_prime - 50) / 10
        counted = max(subject_length, MIN_LENGTH)
        if self.per_residue:
            trials = f"{database_residues:.0f} / {max(subject_length, 1)}"
        else:
            trials = f"{database_sequences:.0f}"
        return "\n".join(
            [
                f"Fit to the scores of {SOURCES[self.origin]}: {self.used} of {self.sequences} used; "
                f"{self.related} left out as related or odd, {self.odd_sequences} in {self.odd_bins} of {self.bins} "
                "bins of length with unusual spread.",
                f"mean(length) = ρ ln(length) + μ = {self.rho:.4f} × ln {counted} + {self.mu:.4f} = {mean:.2f}",
                f"z = (S − mean) / √variance = ({score} − {mean:.2f}) / √{self.variance:.4f} = {z:.2f}",
                f"z′ = 50 + 10 z = {z_prime:.1f}",
                f"bits = (π/√6 z + 0.5772 + ln(m n)) / ln 2 = ({SCALE:.4f} × {z:.2f} + 0.5772 + "
                f"ln({self.query_length} × {counted})) / {LN2:.4f} = {bits:.1f}",
                f"E = N (1 − exp(−exp(−(π/√6 z + 0.5772)))), N = {trials}: E = {format_log10(log10_e)}",
            ]
        )

    def _reduced(self, scores: ArrayLike, subject_lengths: ArrayLike) -> NDArray[np.float64]:
        """Scores on the scale of the standard extreme-value distribution."""
        return _reduced_scores(self.z_scores(scores, subject_lengths))


class FitsOfHits(msgspec.Struct, frozen=True, eq=False):
    """Statistics of k hits of several queries of one search, each by the fit of its query: as `FittedStatistics`."""

    # rho, mu, deviations: of the fit of each hit, the last one the root of its variance, shape (k,)
    rho: NDArray[np.float64]
    mu: NDArray[np.float64]
    deviations: NDArray[np.float64]
    query_lengths: NDArray[np.float64]  # shape (k,), at least 1
    per_residue: bool

    @classmethod
    def of(cls, fits: Sequence[FittedStatistics], of: NDArray[np.int64]) -> FitsOfHits:
        """Return those of hits, by the number of each one's query."""
        figures = [(by.rho, by.mu, by.standard_deviation, float(max(by.query_length, 1))) for by in fits]
        rho, mu, deviations, lengths = np.array(figures, dtype=np.float64).T[:, of]
        return cls(rho, mu, deviations, lengths, fits[0].per_residue)

    def z_scores(self, scores: ArrayLike, subject_lengths: ArrayLike) -> NDArray[np.float64]:
        """Return z' of every hit, shape (k,)."""
        return _z_scores(scores, _mean_scores(subject_lengths, self.rho, self.mu), self.deviations)

    def scores_at(self, z_score: float, subject_lengths: ArrayLike) -> NDArray[np.float64]:
        """Return the score that has a z' in the subject of every hit, shape (k,)."""
        means = _mean_scores(subject_lengths, self.rho, self.mu)
        return np.asarray(means + self.deviations * (z_score - 50.0) / 10.0)

    def measure(
        self, scores: ArrayLike, subject_lengths: ArrayLike, database_residues: float, database_sequences: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return bit scores and decadic logarithms of E, shape (k,)."""
        reduced = _reduced_scores(self.z_scores(scores, subject_lengths))
        sizes = database_residues, database_sequences
        bits = _bits(reduced, subject_lengths, self.query_lengths)
        return bits, _log10_evalues(reduced, subject_lengths, *sizes, self.per_residue)

    def log10_evalues(
        self, scores: ArrayLike, subject_lengths: ArrayLike, database_residues: float, database_sequences: float
    ) -> NDArray[np.float64]:
        """Return decadic logarithms of E, shape (k,)."""
        reduced = _reduced_scores(self.z_scores(scores, subject_lengths))
        return _log10_evalues(reduced, subject_lengths, database_residues, database_sequences, self.per_residue)


def _mean_scores(subject_lengths: ArrayLike, rho: Numbers, mu: Numbers) -> NDArray[np.float64]:
    """Return `FittedStatistics.mean_scores` by the figures of one fit, or of that of each subject."""
    lengths = np.maximum(np.asarray(subject_lengths, dtype=np.float64), MIN_LENGTH)
    return np.asarray(rho * np.log(lengths) + mu)


def _z_scores(scores: ArrayLike, means: NDArray[np.float64], deviations: Numbers) -> NDArray[np.float64]:
    """Return `FittedStatistics.z_scores` by the means of the lengths of subjects and standard deviations."""
    values = np.asarray(scores).astype(np.float64)
    return np.where(values < 0, np.nan, 50.0 + 10.0 * ((values - means) / deviations))


def _reduced_scores(z_scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return z' on the scale of the standard extreme-value distribution."""
    return SCALE * (z_scores - 50.0) / 10.0 + EULER


def _bits(reduced: NDArray[np.float64], subject_lengths: ArrayLike, query_lengths: Numbers) -> NDArray[np.float64]:
    """Return `FittedStatistics.bit_scores` of reduced scores; `query_lengths` are at least 1."""
    lengths = np.maximum(np.asarray(subject_lengths, dtype=np.float64), MIN_LENGTH)
    return np.asarray((reduced + np.log(query_lengths * lengths)) / LN2)


def _log10_evalues(
    reduced: NDArray[np.float64],
    subject_lengths: ArrayLike,
    database_residues: float,
    database_sequences: float,
    per_residue: bool,
) -> NDArray[np.float64]:
    """Return `FittedStatistics.log10_evalues` of reduced scores."""
    ln_p = ln_exceedance(reduced)
    if not per_residue:
        return (ln_p + math.log(max(float(database_sequences), 1.0))) / LN10
    lengths = np.maximum(np.asarray(subject_lengths, dtype=np.float64), 1.0)
    return (ln_p + math.log(max(float(database_residues), 1.0)) - np.log(lengths)) / LN10


def ln_exceedance(reduced: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithm of ``1 - exp(-exp(-t))`` for reduced scores t of any shape, without underflow."""
    t = np.asarray(reduced, dtype=np.float64)
    # exp(-t) is below 1e-15 from 36 on, where the logarithm is -t to the last digit.
    middle = np.clip(t, -700.0, 36.0)
    return np.where(t > 36.0, -t, np.log(-np.expm1(-np.exp(-middle))))


def z_of_expectation(log10_e: float, sequences: float) -> float:
    """Return the z' at which `sequences` unrelated subjects give E = 10**log10_e."""
    ln_p = min(log10_e * LN10 - math.log(max(sequences, 2.0)), -1e-12)
    # Solve ln(1 - exp(-exp(-t))) = ln p for t.
    inner = -math.log1p(-math.exp(ln_p)) if ln_p > -36 else math.exp(ln_p)
    t = -math.log(inner) if inner > 0 else -ln_p
    return 50.0 + 10.0 * (t - EULER) / SCALE


def fit_statistics(
    scores: ArrayLike,
    subject_lengths: ArrayLike,
    query_length: int,
    scheme: ScoringScheme,
    *,
    origin: Origin = "search",
    regress: Regress = regress,
    times: NDArray[np.int64] | None = None,
) -> FittedStatistics:
    """Fit extreme-value statistics to the scores of a database, or to those of shuffled subjects.

    Parameters
    ----------
    scores, subject_lengths : array_like of int, shape=(N,)
        All subjects, related ones included; a score below 0 means not scored and is ignored.
    scheme : ScoringScheme
        Any matrix and gap costs. For nucleotides E counts residues of the database per subject length, for
        proteins sequences, as ssearch36 does.
    origin : {"search", "shuffles", "decoys"}
        Shuffles and decoys are unrelated by construction, so none is left out of them, no shuffle of two tracks is
        capped (most of these scores may be above `_score_cap`), and no number of them is too small beyond `MIN_USABLE`.
    regress : Regress
        Fits the line.
    times : ndarray, shape=(N,), optional
        How many subjects have each length and score; one if not given.

    Raises
    ------
    FitError
        If there are too few scores, or they do not vary.
    """
    given = np.asarray(scores), SubjectLengths.of(subject_lengths, times)
    values, lengths = _usable(*given, MIN_SEQUENCES if origin == "search" else MIN_USABLE)
    free = origin == "shuffles" and isinstance(scheme.alphabet, TwoTracks)
    cap = math.inf if free else _score_cap(lengths, query_length, scheme)
    threshold = z_of_expectation(0.0, lengths.count)
    found = regress(values, lengths, cap, threshold, trims=origin == "search")
    return FittedStatistics(
        query_length=query_length,
        rho=found.slope * BINS_PER_E,
        mu=found.intercept,
        variance=found.variance,
        sequences=lengths.count,
        used=found.used,
        related=found.related,
        odd_bins=found.odd_bins,
        bins=found.bins,
        odd_sequences=found.odd_sequences,
        threshold=threshold,
        origin=origin,
        per_residue=scheme.alphabet.name == NUCLEOTIDE.name,
    )


def _usable(
    all_scores: NDArray[np.integer[Any]], lengths: SubjectLengths, needed: int
) -> tuple[NDArray[np.integer[Any]], SubjectLengths]:
    """Return scores and lengths of the subjects that were scored and are long enough; `FitError` if too few are."""
    usable, kept = lengths.from_on(MIN_LENGTH)
    if len(all_scores) and all_scores.min() < 0:  # as seldom
        usable = (all_scores >= 0) & usable
        kept = lengths.take(usable)
    if (number := kept.count) < needed:
        verb = agree(number, "is", "are")
        raise FitError(
            f"{count(number, 'subject')} of length {MIN_LENGTH} or more {verb} too few to fit statistics to their "
            f"scores; {needed} are needed.",
            hint="Use published parameters, or scores of shuffled subjects.",
        )
    return (all_scores, lengths) if number == lengths.count else (all_scores[usable], kept)


def share_of_relatives(
    scores: NDArray[np.integer[Any]],
    subject_lengths: ArrayLike,
    query_length: int,
    scheme: ScoringScheme,
    times: NDArray[np.int64] | None = None,
) -> float:
    """Return the share of subjects, 0 to 1, whose scores are far above those of chance, and need no fit to be so.

    Parameters
    ----------
    scores, subject_lengths : array_like of int, shape=(N,)
        All subjects.
    times : ndarray, shape=(N,), optional
        How many subjects have each length and score; one if not given.
    """
    lengths = SubjectLengths.of(subject_lengths, times)
    if not lengths.count:
        return 0.0
    beyond = scores >= _score_cap(lengths, query_length, scheme)
    return int(beyond.sum() if times is None else times[beyond].sum()) / lengths.count


def _score_cap(lengths: SubjectLengths, query_length: int, scheme: ScoringScheme) -> float:
    """Score far above those of chance: expected in one of 600 searches, were lambda a third smaller.

    With these constants the scores trimmed are those ``ssearch36`` reports to trim (20 queries of 20 on 16
    species of Swiss-Prot); the published description leaves them open.
    """
    lambda_ = _lambda_of(scheme.matrix)
    if lambda_ is None:
        return math.inf
    space = lengths.count * UNGAPPED_K * max(query_length, 1) * lengths.mean
    return max(math.log(space * 600) / (0.7 * lambda_), 1.0)


@lru_cache(maxsize=16)
def _lambda_of(matrix: SubstitutionMatrix) -> float | None:
    return matrix_lambda(matrix)
