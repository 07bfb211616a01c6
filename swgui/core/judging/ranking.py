"""From scores to the list a user sees: statistics, limits, order. `swgui.jobs.search.ranking` puts it to work."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import HitColumns, JoinedHits, SearchResult
from swgui.core.hits.scores import distinct
from swgui.core.judging.fitting import QueryFit, fit_of
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.statistics.fit import FLOOD, FitsOfHits, FittedStatistics, z_of_expectation
from swgui.core.statistics.stops import (
    SLOWDOWN_FROM,
    lambda_slowdown,
    open_share_of,
    random_dna_of,
    stop_gain,
    uncalibrated,
)
from swgui.core.translation.programs import Translation

Statistics = KarlinAltschul | FittedStatistics
BEYOND_SCORE: Final = 1 << 20  # beyond this every E is 0
LENGTHS_TRIED: Final = 16
ALIKE_BITS: Final = 4  # of the length of a query that count: a sixteenth is less than half a point of most scores
SCORES_TRIED: Final = 48
_TRIED: Final = np.array(sorted(set(np.geomspace(1, BEYOND_SCORE, SCORES_TRIED).astype(np.int64).tolist())))  # first
SCORE_MARGIN: Final = 3  # for lengths between those that were tried
FITTED_TO_ITSELF: Final = "Fitted to the scores of each query: no parameters are published for these costs"
FITTED_AMONG_RELATIVES: Final = (
    f"Fitted to the scores of each query, or to scores of shuffled sequences where more than {100 * FLOOD:g} % of the "
    "database score far above chance: no parameters are published for these costs"
)


def rank_each(
    query_lengths: Sequence[int],
    db_index: NDArray[np.int64],
    scores: NDArray[np.int32],
    strands: NDArray[np.int8],
    of: NDArray[np.int64],
    database: EncodedDatabase,
    statistics: Sequence[Statistics | None],
    limits: Limits,
) -> JoinedHits:
    """Give subjects their bits and E-values, leave out those beyond the limits of E and score, and order the others.

    Parameters
    ----------
    query_lengths : sequence of int
        Of each query, q of them.
    db_index, scores, strands : ndarrays, shape=(k,)
        Subjects of all queries in any order.
    of : ndarray, shape=(k,), dtype=int64
        The query of each.
    statistics : sequence of KarlinAltschul, FittedStatistics or None
        Of each query; None leaves bits and E unknown (NaN), and no limit of E applies.

    Returns
    -------
    JoinedHits
        All within the E limit, however many; see `in_order`.
    """
    bits, log10_evalues = measure_each(query_lengths, db_index, scores, of, database, statistics, limits)
    hits = HitColumns(db_index, scores, strands, bits, log10_evalues)
    kept = ~(log10_evalues > np.log10(limits.max_evalue)) & (scores >= limits.least_score)
    return in_order_each(JoinedHits(hits, of, len(query_lengths)).take(np.flatnonzero(kept)))


def measure_each(
    query_lengths: Sequence[int],
    db_index: NDArray[np.int64],
    scores: NDArray[np.int32],
    of: NDArray[np.int64],
    database: EncodedDatabase,
    statistics: Sequence[Statistics | None],
    limits: Limits,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return bits and decadic logarithms of E of subjects of several queries, as `measure`: where E allows, at once."""
    kinds: dict[Hashable, list[NDArray[np.int64]]] = {}
    lengths = np.array(query_lengths, dtype=np.int64)
    for by, some in alike(statistics):
        if not isinstance(by, KarlinAltschul) or vectorises_over_lengths(by):
            kinds.setdefault(by.per_residue if isinstance(by, FittedStatistics) else by, []).append(some)
        else:
            for length in distinct(lengths[some]).tolist():
                kinds.setdefault((by, length), []).append(some[lengths[some] == length])
    if len(kinds) == 1:
        return _measured(lengths, db_index, scores, of, database, statistics, limits)
    bits, log10_evalues = np.full((2, len(scores)), np.nan)
    for parts in kinds.values():
        some = np.sort(np.concatenate(parts))
        place = np.full(len(lengths), -1, dtype=np.int64)
        place[some] = np.arange(len(some))
        rows = np.flatnonzero(place[of] >= 0)
        given = lengths[some], db_index[rows], scores[rows], place[of[rows]], database
        bits[rows], log10_evalues[rows] = _measured(*given, [statistics[query] for query in some.tolist()], limits)
    return bits, log10_evalues


def _measured(
    lengths: NDArray[np.int64],
    db_index: NDArray[np.int64],
    scores: NDArray[np.int32],
    of: NDArray[np.int64],
    database: EncodedDatabase,
    statistics: Sequence[Statistics | None],
    limits: Limits,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return `measure_each` for statistics of one kind."""
    if fits := [by for by in statistics if isinstance(by, FittedStatistics)]:
        subjects = database.lengths_of(db_index), *limits.database_size(database)
        return FitsOfHits.of(fits, of).measure(scores, *subjects)
    each = lengths[of] if vectorises_over_lengths(statistics[0]) else int(lengths[0])
    return measure(each, db_index, scores, database, statistics[0], limits)


def vectorises_over_lengths(statistics: Statistics | None) -> bool:
    """Whether E of hits of queries of several lengths is computed at once, as arrays."""
    return isinstance(statistics, KarlinAltschul) and statistics.gumbel is not None


def in_order(hits: HitColumns) -> HitColumns:
    """Return hits in the order of lists: E ascending (unknown last), then score descending, then source index."""
    return hits.take(np.lexsort((hits.db_index, -hits.scores.astype(np.int64), hits.log10_evalues)))


def in_order_each(lists: JoinedHits) -> JoinedHits:
    """Return hits in the order of lists, each list as `in_order`."""
    hits = lists.hits
    return lists.take(np.lexsort((hits.db_index, -hits.scores.astype(np.int64), hits.log10_evalues, lists.of)))


def least_scores(
    query_lengths: Sequence[int], database: EncodedDatabase, statistics: Sequence[Statistics | None], limits: Limits
) -> list[int]:
    """Return of each query a score below which no subject of any length is within the E limit: most need no E at all.

    It may be a little lower than necessary: published E grows with the query, so a shorter one represents those of
    about its length.
    """
    if not len(database):
        return [0] * len(query_lengths)
    asked, seen = np.array(query_lengths, dtype=np.int64), database.lengths_seen(LENGTHS_TRIED)
    between = np.geomspace(max(seen[0], 1), max(seen[-1], 1), LENGTHS_TRIED)  # E is least of neither end
    subjects = tuple(sorted({*seen, *between.astype(np.int64).tolist()}))
    least = np.zeros(len(asked), dtype=np.int64)
    for by, some in alike(statistics):
        if by is None:
            continue
        lengths = asked[some]
        if isinstance(by, KarlinAltschul):
            dropped = np.maximum(np.frexp(lengths)[1] - ALIKE_BITS, 0)
            lengths = lengths >> dropped << dropped
        different = distinct(lengths)
        found = [_least_of(length, subjects, database, by, limits) for length in different.tolist()]
        least[some] = np.array(found)[np.searchsorted(different, lengths)]
    made: list[int] = least.tolist()
    return made


def alike(statistics: Sequence[Statistics | None]) -> list[tuple[Statistics | None, NDArray[np.int64]]]:
    """Return the distinct objects among the statistics of queries, and the queries that have each."""
    different = {id(by): by for by in statistics}
    if len(different) == 1:
        return [(statistics[0], np.arange(len(statistics)))]
    places: dict[int, list[int]] = {number: [] for number in different}
    for place, by in enumerate(statistics):
        places[id(by)].append(place)
    return [(by, np.array(places[number])) for number, by in different.items()]


def _least_of(
    query_length: int, lengths: tuple[int, ...], database: EncodedDatabase, statistics: Statistics, limits: Limits
) -> int:
    """Return the same of one query, from some lengths of subjects in order."""
    if isinstance(statistics, FittedStatistics) and not statistics.per_residue:
        return _least_fitted(lengths[0], lengths[-1], limits.database_size(database)[1], statistics, limits)
    return _least_score(query_length, lengths, *limits.database_size(database), statistics, limits.max_evalue)


def _least_fitted(shortest: int, longest: int, sequences: float, statistics: FittedStatistics, limits: Limits) -> int:
    """Return the same where E depends on how far a score is from the mean of its length alone."""
    if limits.max_evalue >= sequences:
        return 0
    z_score = z_of_expectation(math.log10(limits.max_evalue), sequences)
    least = min(statistics.score_at(z_score, length) for length in (shortest, longest))
    return max(math.floor(least) - SCORE_MARGIN, 0)


@lru_cache(maxsize=1024)
def _least_score(
    query_length: int,
    subject_lengths: tuple[int, ...],
    residues: float,
    sequences: float,
    statistics: Statistics,
    max_evalue: float,
) -> int:
    lengths = np.array(subject_lengths)
    limit, low, high = np.log10(max_evalue), 0, BEYOND_SCORE
    while high - low > 1:
        tried = distinct(np.linspace(low + 1, high, SCORES_TRIED).astype(np.int64)) if low else _TRIED
        log10_evalues = statistics.log10_evalues(
            np.repeat(tried, len(lengths)), query_length, np.tile(lengths, len(tried)), residues, sequences
        )
        within = tried[log10_evalues.reshape(len(tried), -1).min(axis=1) <= limit]
        high = int(within[0]) if len(within) else high
        low = int(max(tried[tried < high], default=low))
    return max(low - SCORE_MARGIN, 0)


def measure(
    query_length: int | NDArray[np.int64],
    db_index: NDArray[np.int64],
    scores: NDArray[np.int32],
    database: EncodedDatabase,
    statistics: Statistics | None,
    limits: Limits,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return bit scores and decadic logarithms of E of some subjects, shape (k,); NaN without statistics.

    Parameters
    ----------
    query_length : int or ndarray, shape=(k,)
        Length of each subject's own query, if there are several.
    """
    if statistics is None:
        bits = np.full(len(scores), np.nan)
    elif isinstance(statistics, KarlinAltschul):
        bits = statistics.bit_scores(scores)
    else:
        bits = statistics.bit_scores(scores, database.lengths_of(db_index))
    return bits, evalues(query_length, db_index, scores, database, statistics, limits)


def evalues(
    query_length: int | NDArray[np.int64],
    db_index: NDArray[np.int64],
    scores: NDArray[np.int32],
    database: EncodedDatabase,
    statistics: Statistics | None,
    limits: Limits,
) -> NDArray[np.float64]:
    """Return decadic logarithms of E of some subjects, shape (k,); as `measure`."""
    if statistics is None:
        return np.full(len(scores), np.nan)
    residues, sequences = limits.database_size(database)
    return statistics.log10_evalues(
        scores,
        query_length=query_length,
        subject_lengths=database.lengths_of(db_index),
        database_residues=residues,
        database_sequences=sequences,
    )


def choose_statistics(published: KarlinAltschul | None, fit: QueryFit | None) -> Statistics | None:
    """Return the statistics of E: published parameters if there are any, else the fit to the search."""
    return published or (fit.statistics if fit else None)


def published_for(
    published: KarlinAltschul | None, query: SequenceRecord, scheme: ScoringScheme, translation: Translation | None
) -> KarlinAltschul | None:
    """Return published parameters for a query: with the effect of stop codons if DNA is translated."""
    if published is None or translation is None:
        return published
    readings = random_dna_of(query, translation)
    lambda_, shift, gc = (published.lambda_, translation.shift, max(dna.gc for dna in readings if dna is not None))
    slower = lambda_slowdown(lambda_, shift, gc)
    share = open_share_of(lambda_, shift) * math.exp(SLOWDOWN_FROM * slower)
    return replace(published, stops=stop_gain(scheme.matrix, *readings), open_share=share, slower=slower)


def open_share(
    statistics: Statistics, scores: NDArray[np.integer[Any]], query_length: ArrayLike, residues: float
) -> NDArray[np.float64]:
    """Return the share of chance alignments of such scores that no stop codon ends, shape (k,); 1 as a rule."""
    if isinstance(statistics, KarlinAltschul):
        return np.exp(statistics.ln_open(scores, query_length, residues))
    return np.ones(len(scores))


def statistics_of(result: SearchResult, query_index: int, published: KarlinAltschul | None) -> Statistics | None:
    """Return the statistics of E of a query of a result."""
    if uncalibrated(result.scheme.matrix, result.translation):
        return None
    query = result.queries[query_index].query
    adjusted = published_for(published, query, result.scheme, result.translation)
    return choose_statistics(adjusted, None if adjusted else fit_of(result, query_index))
