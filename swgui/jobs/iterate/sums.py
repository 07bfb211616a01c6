"""E of hits of short nucleotide profiles, by sums over all alignments.

Where the sequences of a database are cut out, as in collections of RNA, and gaps are cheap, the best alignment of
distant relatives is seldom much better than others, and the sum over all of them tells more. It is computed for the
hits that a search lists, and for sequences that cannot be related: those of the database read from the end, and
shuffled where it has few. The mean of their sums follows the logarithm of the length, and the E of a hit is read from
the tail beyond it: scores of cheap gaps fall faster there than the moments of an extreme-value distribution say.

Hits of the last list are compared with shuffles of their own as well. If these have far larger sums than sequences of
their length, as those of low complexity do, E grows by what is beyond the spread of unrelated sequences.
"""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import CompositionColumns, HitColumns, QueryResult, SearchResult
from swgui.core.judging.ranking import in_order
from swgui.core.plain import replace
from swgui.core.profiles.bases import SearchedBases, longest_summed
from swgui.core.profiles.recipe import Recipe
from swgui.core.score_profile import ScoreProfile
from swgui.core.statistics.composition import bits_after
from swgui.core.statistics.fit import EULER, SCALE, FittedStatistics
from swgui.core.statistics.regression import ALIKE, FitError
from swgui.core.statistics.shuffling import shuffles
from swgui.core.stretches import Subjects
from swgui.engines.native.sums import summed_scores
from swgui.jobs.iterate.rows import oriented

DEARER: Final = (1.0, 0.25)  # bits that the first and each other residue of a gap cost more in sums
DECOYS: Final = 2_000  # sequences that the tail is read from
FEWEST: Final = 500  # decoys; shuffled copies make up what the database lacks
DECOY_CELLS: Final = 400_000_000  # of the decoys of one profile at most
TAIL: Final = 0.03  # share of the decoys that are its tail
# PRIOR, USUAL: mean excess over where the tail begins, in standard deviations, and how many decoys it counts as
PRIOR: Final = 20.0
USUAL: Final = 0.55
SHUFFLES: Final = 40  # of a hit
MIN_DEVIATION: Final = 0.1  # bits
# Standard deviations of sums by chance that the mean of a hit's shuffles may be above others: compositions differ among
# the sequences that the tail is read from, too.
ALLOWED: Final = 1.5
SURE: Final = -20.0  # log10 of E from which on the best alignment alone is enough
CANDIDATES: Final = 100.0  # E by the best alignment up to which sums are computed
_SEED: Final = 1

Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class SumStatistics(msgspec.Struct, frozen=True):
    """Statistics of the sums over all alignments of a profile with unrelated sequences."""

    statistics: FittedStatistics  # of sums in bits
    mean: float  # sum of unrelated sequences less the slope times the logarithm of their length
    deviation: float  # standard deviation of the same
    longest: float  # longer sequences have no sum: theirs do not follow the line

    def log10_evalues(self, sums: Floats, lengths: NDArray[np.integer[Any]], sequences: float) -> Floats:
        """Return decadic logarithms of E, shape (k,)."""
        return self.statistics.log10_evalues(sums, self.statistics.query_length, lengths, 0.0, sequences)


def statistics_of_sums(
    result: SearchResult, found: QueryResult, recipe: Recipe, bases: SearchedBases | None, check: Check
) -> SumStatistics | None:
    """Return the statistics of sums over all alignments with the profile of a query; None if none are computed.

    Parameters
    ----------
    recipe, bases
        How the profiles of the rounds are made, and facts of the database that these searched.
    """
    profile = found.query.profile
    if profile is None or not profile.units_per_bit or result.search.query_range is not None:
        return None
    longest = longest_summed(len(profile), recipe, bases)
    full = found.fit is not None and found.fit.origin == "shuffles"
    with suppress(FitError):
        return sum_statistics(profile, result.searched, longest, check, full=full) if longest else None
    return None


def sum_statistics(
    profile: ScoreProfile, database: EncodedDatabase, longest: float, check: Check, *, full: bool = False
) -> SumStatistics:
    """Return the statistics of sums of a profile, from sequences that are not related to it; `full` as of `decoys_of`.

    Raises
    ------
    FitError
        If the database has too few sequences, or all sums are the same.
    """
    decoys = decoys_of(database, len(profile), longest, full=full)
    sums = summed_scores(profile, decoys, dearer=DEARER, check=check)
    logarithms = np.log(decoys.lengths)
    spread = logarithms - logarithms.mean()
    slope = float((spread * sums).sum() / max((spread * spread).sum(), 1e-9))
    above = np.sort(sums - slope * logarithms)[::-1]
    mean, deviation, count = float(above.mean()), float(above.std()), round(TAIL * len(above))
    if not deviation > 0:
        raise FitError(ALIKE)
    begin = float(above[count])
    excess = (float((above[:count] - begin).sum()) + PRIOR * USUAL * deviation) / (count + PRIOR)
    location = begin + excess * math.log(-math.log1p(-TAIL))
    fitted = FittedStatistics(
        query_length=len(profile),
        rho=slope,
        mu=location + EULER * excess,
        variance=(SCALE * excess) ** 2,
        sequences=len(decoys),
        used=count,
        related=0,
        odd_bins=0,
        bins=1,
        odd_sequences=0,
        threshold=math.inf,
        origin="decoys",
    )
    return SumStatistics(fitted, mean, deviation, longest)


def decoys_of(database: EncodedDatabase, columns: int, longest: float, *, full: bool = False) -> Subjects:
    """Return sequences of a database read from the end, spread over all of it, and shuffled copies if these are few.

    Where a database is full of relatives of the query, all are shuffled: read from the end they are all alike.

    Raises
    ------
    FitError
        If no sequence is short enough.
    """
    able = np.flatnonzero((database.lengths > 0) & (database.lengths <= longest))
    if not len(able):
        raise FitError("No sequence of the database is short enough for sums over all alignments.")
    most = int(DECOY_CELLS // max(columns * float(database.lengths[able].mean()), 1.0))
    chosen = able[np.linspace(0, len(able) - 1, min(len(able), max(min(most, DECOYS), FEWEST))).astype(np.int64)]
    own = Subjects.of(database, chosen)
    read = [np.ascontiguousarray(own[number][::-1]) for number in range(len(own))]
    random = np.random.default_rng(_SEED)
    if full:
        read = [random.permutation(one) for one in read]
    read += [random.permutation(read[number % len(own)]) for number in range(FEWEST - len(own))]
    return Subjects.stacked(read)


class _Asked(NamedTuple):
    """The hits of a query that are judged by sums."""

    statistics: SumStatistics
    profile: ScoreProfile
    places: _Ints  # in the list
    lengths: NDArray[np.integer[Any]]  # of their subjects
    subjects: Subjects  # on the strands that the hits are on


def _asked(
    result: SearchResult, found: QueryResult, recipe: Recipe, bases: SearchedBases | None, check: Check
) -> _Asked | None:
    """Return the hits of a query that are judged by sums, which may be none; None if no sums are computed for it."""
    hits, profile = found.hits, found.query.profile
    statistics = statistics_of_sums(result, found, recipe, bases, check)
    if statistics is None or profile is None:
        return None
    lengths = result.database.lengths_of(hits.db_index)
    places = np.flatnonzero((lengths <= statistics.longest) & (hits.log10_evalues > SURE))
    subjects = oriented(result.database, hits.db_index[places], hits.strands[places])
    return _Asked(statistics, profile, places, lengths[places], subjects)


def by_sums(
    result: SearchResult, found: QueryResult, recipe: Recipe, bases: SearchedBases | None, check: Check
) -> HitColumns:
    """Return the hits of a query with E of the sums over all alignments, in order; those that have none keep theirs.

    Long sequences have none, nor those whose best alignment alone is beyond doubt. Parameters are those of
    `statistics_of_sums`.
    """
    hits, asked = found.hits, _asked(result, found, recipe, bases, check)
    if asked is None or not len(asked.places):
        return hits
    sums = summed_scores(asked.profile, asked.subjects, dearer=DEARER, check=check)
    log10_evalues = hits.log10_evalues.copy()
    log10_evalues[asked.places] = asked.statistics.log10_evalues(sums, asked.lengths, _trials(result))
    bits = bits_after(hits.bit_scores, log10_evalues - hits.log10_evalues)
    return in_order(replace(hits, bit_scores=bits, log10_evalues=log10_evalues))


def compared_with_shuffles(
    result: SearchResult, found: QueryResult, recipe: Recipe, bases: SearchedBases | None, check: Check
) -> HitColumns | None:
    """Return hits whose shuffles have far larger sums than others of their length with a larger E, in order.

    None if no sums are computed for this query. Parameters are those of `statistics_of_sums`.
    """
    hits, asked = found.hits, _asked(result, found, recipe, bases, check)
    if asked is None:
        return None
    statistics, places, own = asked.statistics, asked.places, asked.subjects
    grown, z = np.zeros(len(hits)), np.full(len(hits), np.nan)
    if len(places):
        copies = list[NDArray[np.uint8]]()
        for number, subject in enumerate(hits.db_index[places].tolist()):  # the same, whatever else is listed
            copies.extend(shuffles(own[number], SHUFFLES, 0, np.random.default_rng([_SEED, subject])))
            check()
        several = Subjects.join([own, Subjects.stacked(copies)])
        sums = summed_scores(asked.profile, several, dearer=DEARER, check=check)
        shuffled = sums[len(own) :].reshape(len(own), SHUFFLES)
        means, deviations = shuffled.mean(axis=1), np.maximum(shuffled.std(axis=1), MIN_DEVIATION)
        line = statistics.statistics.rho * np.log(asked.lengths) + statistics.mean
        more = means - line - ALLOWED * statistics.deviation
        grown[places] = np.maximum(more, 0.0) * statistics.statistics.lambda_ / math.log(10.0)
        z[places] = (sums[: len(own)] - means) / deviations
    bits = bits_after(hits.bit_scores, grown)
    columns = CompositionColumns(hits.log10_evalues, np.full(len(hits), np.nan), z)
    return in_order(replace(hits, bit_scores=bits, log10_evalues=hits.log10_evalues + grown, composition=columns))


def _trials(result: SearchResult) -> float:
    """Return the number of sequences that E counts, each once for each strand that is searched."""
    _, sequences = result.search.limits.database_size(result.database)
    return sequences * (2 if result.search.strand == "both" else 1)
