"""Effect of stop codons and the composition of DNA on the significance of alignments of translated sequences.

Stop codons end chance alignments of translated DNA, which makes them rarer than between proteins. A stop is a letter
like others here: lambda that solves ``sum p_i q_j exp(lambda s_ij) = 1`` for the letters of translated random DNA is
larger with it than without. E falls as ``exp(-lambda S)``, so by the factor ``(K m n)^-gain`` at the score of which one
is expected, with `gain` the increase of lambda by stops, relative to the usual one.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.database import EncodedDatabase
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import SubstitutionMatrix
from swgui.core.statistics.background import background, lambda_of_scores
from swgui.core.statistics.composition import LambdaScale
from swgui.core.translation.genetic_codes import BASES, CODON, genetic_code
from swgui.core.translation.programs import Translation

STOP: Final = "*"
GC_STEPS: Final = 50  # G+C counts in steps of 2 %, so that similar queries are corrected together
SAMPLE: Final = 1 << 10  # stretches of a database whose bases are counted, evenly spread
STRETCH: Final = 1 << 12  # bases of each: a page of the file
EVEN_GC: Final = 0.5

# The rest was fitted to searches of random DNA (``packaging/measuring/translated_calibration.py``).
OPEN_SHARE: Final = 0.3  # share of chance alignments that no stop codon ends
SHIFT_GAIN: Final = 1000.0  # how many times as many a frameshift without cost leaves
GC_LIMIT: Final = 0.675  # G+C above which E falls more slowly with the score, for frameshifts that cost much
GC_LIMIT_DROP: Final = 2.15  # how much lower that limit is for frameshifts without cost
GC_SLOWDOWN: Final = 1.5  # share of lambda that is lost for each share of G+C above the limit
MAX_SLOWDOWN: Final = 0.9
SLOWDOWN_FROM: Final = 4.0  # natural logarithm of E below which the slower fall begins
MIN_SHIFT_NATS: Final = 3.0  # lambda without gaps times the lowest cost of a frameshift that was calibrated
GAPPED_FACTOR: Final = 1.25  # how much more stops change lambda with gaps than without


def open_share_of(lambda_: float, shift: int) -> float:
    """Return the fraction of open chance alignments in addition to the effect on the score.

    A frameshift leads around a stop codon, and back: twice its cost is lost with the probability of chance.

    Parameters
    ----------
    shift : int
        Cost of a frameshift; 0 where the reading cannot shift.
    """
    return OPEN_SHARE * (1.0 + SHIFT_GAIN * math.exp(-2.0 * lambda_ * shift) if shift else 1.0)


def lambda_slowdown(lambda_: float, shift: int, gc: float) -> float:
    """Return the relative slowdown of the decay of E if the reading may shift; 0 if it cannot.

    DNA rich in G and C has few stops, and similar residues in all its frames: there a shift soon pays for its cost, and
    chance alignments grow long.

    Parameters
    ----------
    shift : int
        Cost of a frameshift; 0 where the reading cannot shift.
    gc : float
        Fraction of G and C in the translated sequences.
    """
    beyond = gc - GC_LIMIT + GC_LIMIT_DROP * math.exp(-lambda_ * shift)
    return min(GC_SLOWDOWN * max(beyond, 0.0), MAX_SLOWDOWN) if shift else 0.0


def uncalibrated(matrix: SubstitutionMatrix, translation: Translation | None) -> str:
    """Return the reason for no E if frameshifts cost less than those tested with random DNA; empty if E exists.

    With such shifts chance alignments extend without bound, for a published as for a fitted E.

    Parameters
    ----------
    matrix : SubstitutionMatrix
        Matrix of proteins.
    """
    shift, usual = 0 if translation is None else translation.shift, LambdaScale.of_background(matrix).usual
    if not shift or not usual or usual * shift >= MIN_SHIFT_NATS:
        return ""
    return (
        "There are no E-values: they were calibrated for frameshifts that cost "
        f"{math.ceil(MIN_SHIFT_NATS / usual)} and more with these scores, and here one costs {shift}."
    )


class RandomDna(msgspec.Struct, frozen=True):
    """Random DNA that is translated."""

    code: int  # genetic code, by NCBI's number
    gc: float = EVEN_GC  # share of G and C among its bases

    @property
    def letters(self) -> NDArray[np.float64]:
        """Frequencies of the codes of `PROTEIN`, stops among them; they add up to 1."""
        shares = {base: (self.gc if base in "GC" else 1.0 - self.gc) / 2 for base in BASES}
        frequencies = np.zeros(len(PROTEIN))
        for codon, residue in zip(product(BASES, repeat=CODON), genetic_code(self.code).residues, strict=True):
            frequencies[PROTEIN.letters.index(residue)] += np.prod([shares[base] for base in codon])
        return frequencies


def gc_share(bases: NDArray[np.uint8]) -> float:
    """Return the share of G and C among plain bases, in steps of 2 %; a half where there are none.

    Parameters
    ----------
    bases : ndarray, shape=(n,), dtype=uint8
        Codes of `NUCLEOTIDE`; of many some are counted.
    """
    return _in_steps(*_strong_and_weak(bases))


def gc_share_of(database: EncodedDatabase) -> float:
    """Return the same of a database: from stretches evenly spread in source order, whatever order it is stored in."""
    if database.residues <= SAMPLE * STRETCH:
        counts = [_strong_and_weak(piece.open().codes) for piece in database.pieces]
        return _in_steps(*np.sum(counts, axis=0).tolist())
    starts = np.linspace(0, database.residues - STRETCH, SAMPLE).astype(np.int64)
    counts, before = [], 0
    for piece in database.pieces:  # of whose subjects the lengths are not all in memory
        own = starts[(starts >= before) & (starts < before + piece.residues)] - before
        before += piece.residues
        if len(own):
            lengths = database.lengths_of(np.arange(piece.first, piece.stop)).astype(np.int64)
            ends = np.cumsum(lengths)
            rows = np.searchsorted(ends, own, side="right")
            inside = own - (ends[rows] - lengths[rows])
            parts = inside, np.minimum(inside + STRETCH, lengths[rows])
            codes, begins, sizes = database.placed(piece.first + rows, None, parts)
            stretches = zip(begins.tolist(), (begins + sizes).tolist(), strict=True)
            counts += [_strong_and_weak(codes[begin:end]) for begin, end in stretches]
    return _in_steps(*np.sum(counts, axis=0).tolist())


def _strong_and_weak(bases: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the counts of G or C, and of A or T, in a sample of many bases."""
    if len(bases) > SAMPLE * STRETCH:
        starts = np.linspace(0, len(bases) - STRETCH, SAMPLE).astype(np.int64).tolist()
        bases = np.concatenate([bases[start : start + STRETCH] for start in starts])
    strong, weak = (
        sum(int(np.count_nonzero(bases == NUCLEOTIDE.letters.index(base))) for base in pair) for pair in ("GC", "AT")
    )
    return strong, weak


def _in_steps(strong: float, weak: float) -> float:
    return round(GC_STEPS * strong / (strong + weak)) / GC_STEPS if strong + weak else EVEN_GC


def random_dna_of(query: SequenceRecord, translation: Translation) -> tuple[RandomDna | None, RandomDna | None]:
    """Return the model of random DNA for a query and its database; None for a side of proteins."""
    of, subject = translation.of, RandomDna(translation.subject_code, translation.subject_gc or EVEN_GC)
    bases = NUCLEOTIDE.encode(query.residues) if of.translates_query else None
    own = None if bases is None else RandomDna(translation.query_code, gc_share(bases))
    return own, subject if of.translates_database else None


@lru_cache(maxsize=64)
def stop_gain(matrix: SubstitutionMatrix, query: RandomDna | None, subject: RandomDna | None) -> float:
    """Return the relative increase of lambda by stop codons; 0 without translation.

    Parameters
    ----------
    matrix : SubstitutionMatrix
        Matrix of proteins.
    query, subject : RandomDna, optional
        None for a side of proteins.
    """
    sides = [background(PROTEIN) if side is None else side.letters for side in (query, subject)]
    without = [_without_stops(letters) for letters in sides]
    lambdas = _lambda(matrix.scores, *sides), _lambda(matrix.scores, *without)
    usual = LambdaScale.of_background(matrix).usual
    if not usual:
        return 0.0
    with_stops, plain = (GAPPED_FACTOR * (lambda_ / usual - 1.0) for lambda_ in lambdas)
    # The correction of E covers the effect of composition on lambda, hit by hit, except for the share of gaps.
    return with_stops - plain + min(plain, 0.0) * (1.0 - 1.0 / GAPPED_FACTOR)


@lru_cache(maxsize=64)
def translated_scale(matrix: SubstitutionMatrix, query: RandomDna | None, subject: RandomDna | None) -> LambdaScale:
    """Return the lambdas of compositions of which random DNA is the background where a side is translated."""
    scale, plain = LambdaScale.of_background(matrix), np.flatnonzero(background(PROTEIN))
    queries, subjects = (
        scale.of_queries if side is None else (_without_stops(side.letters)[plain],) for side in (query, subject)
    )
    return replace(scale, of_queries=queries, of_subjects=subjects)


def _without_stops(letters: NDArray[np.float64]) -> NDArray[np.float64]:
    kept = letters.copy()
    kept[PROTEIN.letters.index(STOP)] = 0.0
    return np.asarray(kept / kept.sum())


def _lambda(scores: NDArray[np.int16], queries: NDArray[np.float64], subjects: NDArray[np.float64]) -> float:
    """Solve ``sum p_i q_j exp(lambda s_ij) = 1``; 0 where nothing does."""
    return lambda_of_scores(np.outer(queries, subjects).ravel(), scores.ravel().astype(np.float64)) or 0.0


def with_composition(translation: Translation | None, database: EncodedDatabase) -> Translation | None:
    """Return the translation of a search, with the composition of its database if that is translated."""
    if translation is None or not translation.of.translates_database:
        return translation
    return replace(translation, subject_gc=gc_share_of(database))
