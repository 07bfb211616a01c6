"""Ranks of many subjects for one query, listed or not: score, rank, bits and E in columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from swgui.core.columns import ColumnRecord
from swgui.core.hits.results import HitColumns, QueryResult, SearchResult
from swgui.core.judging.ranking import measure, statistics_of
from swgui.core.statistics.evalue import KarlinAltschul


class SubjectRanks(ColumnRecord, frozen=True):
    """Standings of some subjects."""

    # Among all subjects scored, from 1: those listed as they are listed, then the others by score. 0 where not known.
    # Shape (n,).
    ranks: NDArray[np.int64]
    # -1 where not known: the search was stopped before, or its scores were not kept, shape (n,).
    scores: NDArray[np.int32]
    # bit_scores, log10_evalues: NaN where not known; of subjects that are not listed as they are without a correction
    # for composition, shape (n,)
    bit_scores: NDArray[np.float64]
    log10_evalues: NDArray[np.float64]


def unknown_ranks(count: int) -> SubjectRanks:
    """Return places of which nothing is known."""
    nothing = np.full(count, np.nan)
    return SubjectRanks(np.zeros(count, dtype=np.int64), np.full(count, -1, dtype=np.int32), nothing, nothing)


def ranks_of_hits(result: SearchResult, query_index: int) -> SubjectRanks:
    """Return the places of a query's listed hits, in order."""
    hits = result.queries[query_index].hits
    ranks = np.arange(1, len(hits) + 1, dtype=np.int64)
    return SubjectRanks(ranks, hits.scores, hits.bit_scores, hits.log10_evalues)


def rank_subjects(
    result: SearchResult, query_index: int, db_index: NDArray[np.int64], published: KarlinAltschul | None
) -> SubjectRanks:
    """Return the places of any subjects, in the order given, from the score vector of the query.

    Parameters
    ----------
    db_index : ndarray, shape=(n,), dtype=int64
    """
    query = result.queries[query_index]
    places = unknown_ranks(len(db_index))
    if query.scores is None or not len(db_index):
        return places
    scores = query.scores[db_index].astype(np.int32)
    scored = np.flatnonzero(scores >= 0)
    if not len(scored):
        return places
    wanted = db_index[scored]
    ranks = places.ranks
    rows = _rows(query.hits, wanted)
    ranks[scored] = np.where(rows >= 0, rows + 1, _ranks_beyond(query, query.scores, wanted, int(scores[scored].min())))
    statistics = statistics_of(result, query_index, published)
    bits, log10_evalues = np.full(len(db_index), np.nan), np.full(len(db_index), np.nan)
    bits[scored], log10_evalues[scored] = measure(
        result.searched_length(query_index), wanted, scores[scored], result.searched, statistics, result.search.limits
    )
    listed, own = scored[rows >= 0], rows[rows >= 0]
    bits[listed], log10_evalues[listed] = query.hits.bit_scores[own], query.hits.log10_evalues[own]
    return SubjectRanks(ranks, scores, bits, log10_evalues)


def _rows(hits: HitColumns, wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of subjects in a list, from 0; -1 for those outside, shape (n,)."""
    if not len(hits):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(hits.db_index, kind="stable")
    positions = np.minimum(np.searchsorted(hits.db_index, wanted, sorter=order), len(hits) - 1)
    return np.where(hits.db_index[order[positions]] == wanted, order[positions], -1)


def _ranks_beyond(
    query: QueryResult, vector: NDArray[np.int32], wanted: NDArray[np.int64], lowest: int
) -> NDArray[np.int64]:
    """Return the ranks of subjects that are not listed: behind the hits, score descending, then source order."""
    rivals = np.flatnonzero(vector >= lowest)
    rivals = rivals[~np.isin(rivals, query.hits.db_index)]
    order = np.argsort(-vector[rivals].astype(np.int64), kind="stable")
    ranks = np.zeros(len(vector), dtype=np.int64)
    ranks[rivals[order]] = np.arange(len(query.hits) + 1, len(query.hits) + 1 + len(rivals))
    return ranks[wanted]
