"""Bit scores and E-values from published Karlin-Altschul parameters.

Everything is computed in logarithms, so that no E-value underflows however high the score.

Two corrections for the ends of sequences exist, and the program uses the one BLAST+ uses:

* proteins: the finite-size correction of Park, Sheetlin, Ma, Madden and Spouge (2012), BMC Res. Notes 5:286,
  which looks at query and subject one pair at a time;
* nucleotides, for which no Gumbel parameters are published: the classic length adjustment of Altschul and
  Gish (1996), Methods Enzymol. 266:460, one number for the whole database.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from typing import Final, cast

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

LN2: Final = math.log(2.0)
LN10: Final = math.log(10.0)
SQRT2: Final = math.sqrt(2.0)
MIDDLE: Final = 3.5  # the argument that the series sees as 0
COMPILED: Final = "swgui.engines.native.normal"
SERIES: Final = np.array([  # of (1 + 2 x) erfcx(x)
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
])  # fmt: skip
Tails = Callable[[NDArray[np.float64], NDArray[np.float64], float], NDArray[np.float64]]


class GumbelParameters(msgspec.Struct, frozen=True):
    """Parameters of the finite-size correction in addition to lambda and K."""

    # a, alpha, sigma: growth with the score of the expected length of an alignment, of its variance, and of the
    # covariance of its two lengths, with gaps
    a: float
    alpha: float
    sigma: float
    # ungapped_a, ungapped_alpha: the same for the matrix without gaps
    ungapped_a: float
    ungapped_alpha: float


class KarlinAltschul(msgspec.Struct, frozen=True):
    """Published parameters of one matrix with one pair of gap costs, and values derived from them."""

    matrix: str  # name of the matrix, or ``+2/-3`` for match and mismatch
    # gap_open, gap_extend: by the BLAST rule: a gap of length k costs ``gap_open + k * gap_extend``
    gap_open: int
    gap_extend: int
    # lambda_, k, h: scale and search-space constant of the score distribution, and relative entropy in nats
    lambda_: float
    k: float
    h: float
    # alpha, beta: slope and intercept of the length adjustment (``a`` and ``beta`` of BLAST's tables)
    alpha: float
    beta: float
    # With them E uses the finite-size correction, without them the classic effective lengths.
    gumbel: GumbelParameters | None = None
    even: bool = False  # odd scores are rounded down to even ones before E
    source: str = ""  # where the figures are published
    simulated: bool = False  # whether they are not, but come from random sequences
    # Relative increase of lambda by stop codons if DNA is translated (`swgui.core.statistics.stops`).
    stops: float | None = None
    open_share: float = 1.0  # of chance alignments of translated DNA, in addition to the score
    # Relative slowdown of the decay of E where the reading shifts in DNA rich in G and C; negative for faster.
    slower: float = 0.0

    def describe(self) -> str:
        """Return one line for headers and captions."""
        correction = "finite-size correction" if self.gumbel else "effective lengths"
        origin = "simulated" if self.simulated else "published"
        return (
            f"Karlin-Altschul with {origin} parameters for {self.matrix}, gap {self.gap_open}/{self.gap_extend} "
            f"(lambda {self.lambda_:g}, K {self.k:g}; {correction})"
        )

    def usable_scores(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return scores as E takes them: rounded down to even where the parameters ask for it.

        Parameters
        ----------
        scores : array_like of int
            Raw scores; below 0 means not scored and gives NaN.

        Returns
        -------
        ndarray, dtype=float64, same shape
        """
        values = _scored(scores)
        return 2.0 * np.floor(values / 2.0) if self.even else values

    def bit_scores(self, scores: ArrayLike) -> NDArray[np.float64]:
        """Return bit scores, ``(lambda S - ln K) / ln 2`` of the raw score (never rounded to even).

        Returns
        -------
        ndarray, dtype=float64, same shape
            NaN where the score is below 0 (not scored).
        """
        return (self.lambda_ * _scored(scores) - math.log(self.k)) / LN2

    def log10_evalues(
        self,
        scores: ArrayLike,
        query_length: int | NDArray[np.int64],
        subject_lengths: ArrayLike,
        database_residues: float,
        database_sequences: float,
    ) -> NDArray[np.float64]:
        """Return the decadic logarithm of E for every subject.

        Parameters
        ----------
        scores : array_like of int, shape=(n,)
            Below 0 means not scored and gives NaN.
        query_length : int or ndarray, shape=(n,)
            Length of each subject's own query, with the finite-size correction alone.
        subject_lengths : array_like of int, shape=(n,)
        database_residues, database_sequences : float
            Size of the database E refers to; need not be the size of the one searched.

        Returns
        -------
        ndarray, shape=(n,), dtype=float64
        """
        y = self.usable_scores(np.maximum(scores, 0))  # rows without a score become NaN at the end
        lengths = np.asarray(subject_lengths, dtype=np.float64)
        if self.gumbel is None:
            ln_space = self._ln_effective_space(int(query_length), database_residues, database_sequences)
            ln_evalues = np.full(np.broadcast_shapes(y.shape, lengths.shape), ln_space) - self.lambda_ * y
        else:
            ln_area = self._ln_pair_area(y, query_length, lengths)
            ln_copies = math.log(max(database_residues, 1.0)) - np.log(np.maximum(lengths, 1.0))
            ln_evalues = ln_area + ln_copies - self.lambda_ * y
        ln_evalues += math.log(self.k) + self.ln_open(y, query_length, database_residues)
        return np.where(np.asarray(scores) < 0, np.nan, ln_evalues / LN10)

    def ln_open(self, scores: ArrayLike, query_length: ArrayLike, database_residues: float) -> NDArray[np.float64]:
        """Return the logarithm of the share of chance alignments that no stop codon ends; 0 without translation.

        The share falls with the score; above the score of which one is expected it is left as it is there, or grows
        where frameshifts make chance alignments long.
        """
        reduced = self.lambda_ * np.asarray(scores, dtype=np.float64)
        if self.stops is None:
            return np.zeros_like(reduced)
        space = np.log(np.maximum(self.k * np.asarray(query_length) * database_residues, 1.0))
        return math.log(self.open_share) - self.stops * np.minimum(reduced, space) + self.slower * (reduced - space)

    def length_adjustment(self, query_length: int, database_residues: float, database_sequences: float) -> int:
        """Return the residues BLAST takes off the query and off every subject (classic correction).

        The largest whole l from 0 on with ``l <= beta + alpha/lambda (ln K + ln((m - l)(n - N l)))`` that
        leaves a search space of more than ``max(m, n) / K``; m is the query's length, n and N are residues
        and sequences of the database.
        """
        m, n, sequences = float(query_length), float(database_residues), max(float(database_sequences), 1.0)
        least = max(m, n) / self.k

        def fits(length: int) -> bool:
            space = (m - length) * (n - sequences * length)
            if m - length <= 0 or n - sequences * length <= 0 or space < least:
                return False
            return length <= self.beta + self.alpha / self.lambda_ * (math.log(self.k) + math.log(space))

        # The right side falls with l, so the solutions form an interval from 0 on.
        low, high = 0, max(0, math.floor(min(m, n / sequences))) + 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        return low

    def _ln_effective_space(self, query_length: int, residues: float, sequences: float) -> float:
        adjustment = self.length_adjustment(query_length, residues, sequences)
        query, database = query_length - adjustment, residues - max(sequences, 1.0) * adjustment
        return math.log(max(query, 1)) + math.log(max(database, 1.0))

    def _ln_pair_area(
        self, y: NDArray[np.float64], query_length: int | NDArray[np.int64], lengths: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Logarithm of the area in which an alignment of score y can end, for each pair."""
        terms = self._finite_size(y)
        both = np.empty((2, *np.broadcast_shapes(y.shape, lengths.shape)))  # in one go: most of it are calls
        both[0], both[1] = query_length, lengths
        (ln_mean_m, ln_mean_n), (ln_inside_m, ln_inside_n) = _ln_room(both, terms)
        area: NDArray[np.float64] = np.logaddexp(
            ln_mean_m + ln_mean_n, np.log(terms.covariance) + ln_inside_m + ln_inside_n
        )
        return area

    def _finite_size(self, y: NDArray[np.float64]) -> _FiniteSize:
        g = self.gumbel
        assert g is not None
        doubled = 2.0 * (self.gap_open + self.gap_extend)
        return _FiniteSize(
            span=g.a * y + doubled * (g.ungapped_a - g.a),
            variance=np.maximum(2 * g.alpha / self.lambda_, g.alpha * y + doubled * (g.ungapped_alpha - g.alpha)),
            covariance=np.maximum(2 * g.sigma / self.lambda_, g.sigma * y + doubled * (g.ungapped_alpha - g.sigma)),
        )

    def explain_bits(self, score: int) -> str:
        """Return the derivation of the bit score of a raw score, with the values put in."""
        bits = float(self.bit_scores(score))
        return (
            f"bits = (λ S − ln K) / ln 2 = ({self.lambda_:g} × {score} − ln {self.k:g}) / {LN2:.5f} = {bits:.2f}\n"
            f"λ and K: {self._origin()}"
        )

    def explain(
        self,
        score: int,
        query_length: int,
        subject_length: int,
        database_residues: float,
        database_sequences: float,
    ) -> str:
        """Return the derivation of an E-value: the formula with the values put in, as text.

        Parameters
        ----------
        database_residues, database_sequences : float
            As in `log10_evalues`.
        """
        used = float(self.usable_scores(score))
        log10_e = float(
            self.log10_evalues([score], query_length, [subject_length], database_residues, database_sequences)[0]
        )
        lines = []
        if used != score:
            even = f"the parameters of {self.matrix} hold for even scores."
            lines.append(f"S = {score} is rounded down to {used:g}: {even}")
        closed = ""
        if self.stops is not None:
            share = float(np.exp(self.ln_open(used, query_length, database_residues)))
            closed = f" × {share:.3g}"
            lines.append(
                f"Stop codons and composition leave {share:.3g} of chance alignments of translated DNA: "
                f"{self.open_share:.4g} × exp(−{self.stops:.4f} × λ S), with λ S at most where E is 1."
                + (f" Frameshifts multiply it by (e^λ S / K m n)^{self.slower:.4f}." if self.slower else "")
            )
        if self.gumbel is None:
            adjustment = self.length_adjustment(query_length, database_residues, database_sequences)
            query = max(query_length - adjustment, 1)
            database = max(database_residues - max(database_sequences, 1.0) * adjustment, 1.0)
            lines += [
                "E = K (m − l)(n − N l) exp(−λ S), classic effective lengths",
                f"m = {query_length} (length of the query), n = {database_residues:.0f} (of the database), "
                f"N = {database_sequences:.0f} sequences",
                f"l = {adjustment}, the length adjustment from α = {self.alpha:g}, β = {self.beta:g}",
                f"E = {self.k:g} × {query:.0f} × {database:.0f} × exp(−{self.lambda_:g} × {used:g}){closed} "
                f"= {format_log10(log10_e)}",
            ]
        else:
            lines += self._explain_finite_size(used, query_length, subject_length, database_residues)
            lines.append(
                f"E = A × {self.k:g} × exp(−{self.lambda_:g} × {used:g}) × {database_residues:.0f} / "
                f"{max(subject_length, 1)}{closed} = {format_log10(log10_e)}"
            )
        lines.append(
            f"Parameters: {self.source or 'published'} for {self.matrix}, gap {self.gap_open}/{self.gap_extend}."
        )
        return "\n".join(lines)

    def _explain_finite_size(
        self, y: float, query_length: int, subject_length: int, database_residues: float
    ) -> list[str]:
        terms = self._finite_size(np.array([y]))
        span, variance, covariance = (float(v[0]) for v in (terms.span, terms.variance, terms.covariance))
        ln_area = float(self._ln_pair_area(np.array([y]), query_length, np.array([float(subject_length)]))[0])
        rooms = []
        for name, length in (("query", query_length), ("subject", subject_length)):
            ln_mean, ln_inside = (float(v[0]) for v in _ln_room(np.array([float(length)]), terms))
            rooms.append(
                f"{name}: x = {length} − {span:.2f} = {length - span:.2f}, "
                f"P = {format_log10(ln_inside / LN10)}, p = {format_log10(ln_mean / LN10)}"
            )
        return [
            "E = A K exp(−λ S) × database size / subject length, finite-size correction of Park et al. (2012)",
            "A = p(query) p(subject) + c P(query) P(subject), P = Φ(x/√v), p = x P + √v φ(x/√v), x = length − span",
            f"span = {span:.2f}, v = {variance:.2f}, c = {covariance:.2f} at S = {y:g}",
            *rooms,
            f"A = {format_log10(ln_area / LN10)}; database size {database_residues:.0f}",
        ]

    def _origin(self) -> str:
        return f"{self.matrix}, gap {self.gap_open}/{self.gap_extend}; {self.source or 'published'}."


def _scored(scores: ArrayLike) -> NDArray[np.float64]:
    """Scores as float64, NaN where they are below 0 (not scored)."""
    values = np.asarray(scores).astype(np.float64)
    return np.where(values < 0, np.nan, values)


class _FiniteSize(msgspec.Struct, frozen=True):
    """Expected span of an alignment of each score, its variance and the covariance of both spans."""

    span: NDArray[np.float64]
    variance: NDArray[np.float64]
    covariance: NDArray[np.float64]


def _ln_room(
    length: float | NDArray[np.float64], terms: _FiniteSize
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Logarithms of p = x P + sqrt(v) phi(x / sqrt(v)) and of P = Phi(x / sqrt(v)), x = length - span."""
    sd = np.sqrt(terms.variance)
    f = (length - terms.span) / sd
    ln_mean, ln_inside = ln_above_zero(f)
    return np.log(sd) + ln_mean, ln_inside


def ln_above_zero(f: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return ln E[max(0, Z + f)] = ln(f Phi(f) + phi(f)) and ln P(Z + f > 0) for standard normal Z.

    Both have the shape of `f`, and are right where they underflow. Below f = -30 the terms of the first nearly cancel;
    there the asymptotic series of the Mills ratio is used (relative error below 1e-10).
    """
    tail = erfcx(np.abs(f) / SQRT2)  # most of the time goes into it
    ln_inside = log_ndtr(f, tail)
    ln_phi = -0.5 * f * f - 0.5 * math.log(2 * math.pi)
    g = np.minimum(f, 0.0)
    near = 1.0 + np.maximum(g, -30.0) * math.sqrt(math.pi / 2) * tail  # where f < 0 and not below -30
    u = 1.0 / np.square(np.minimum(g, -30.0))
    far = u * (1 - u * (3 - u * (15 - u * (105 - u * 945))))
    negative = ln_phi + np.log(np.where(g < -30.0, far, near))
    h = np.maximum(f, 0.0)
    positive = np.log(h * np.exp(ln_inside) + np.exp(-0.5 * h * h) / math.sqrt(2 * math.pi))
    return np.where(f < 0, negative, positive), ln_inside


def format_log10(log10_value: float) -> str:
    """Write a number given by its decadic logarithm, for example ``3.1e-412``: also far outside float64's range."""
    if math.isnan(log10_value):
        return "unknown"
    if math.isinf(log10_value):
        return "0" if log10_value < 0 else "infinite"
    if -3 <= log10_value < 5:
        return f"{10**log10_value:.3g}"
    exponent = math.floor(log10_value)
    mantissa = round(10 ** (log10_value - exponent), 1)
    if mantissa >= 10:
        mantissa, exponent = 1.0, exponent + 1
    return f"{mantissa:.1f}e{exponent:+03d}"


def erfcx(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``exp(x * x) erfc(x)``, the same shape, for ``x >= 0``; NaN stays."""
    return scaled_tails()(x, SERIES, MIDDLE)


def scaled_tails() -> Tails:
    """Return the function of `erfcx`: the compiled library's, or the Python code below if there is no library."""
    compiled = importlib.import_module(COMPILED)
    return tails_plainly if compiled.problem() else cast(Tails, compiled.scaled_tails)


def tails_plainly(x: NDArray[np.float64], series: NDArray[np.float64], middle: float) -> NDArray[np.float64]:
    """Return ``exp(x * x) erfc(x)`` by a series, the same shape."""
    twice = 2.0 - 4.0 * middle / (x + middle)
    last, before, following = np.zeros_like(twice), np.zeros_like(twice), np.empty_like(twice)
    for coefficient in series[:0:-1]:  # Clenshaw's recurrence, without new memory for each step
        np.multiply(twice, last, out=following)
        np.add(following, coefficient, out=following)
        np.subtract(following, before, out=following)
        last, before, following = following, last, before
    value: NDArray[np.float64] = (series[0] + 0.5 * twice * last - before) / (1.0 + 2.0 * x)
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
