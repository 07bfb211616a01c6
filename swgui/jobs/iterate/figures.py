"""What is told of a round besides whom it includes: how far rows reach, how sharp its profile is, if E is right."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from swgui.core.hits.ranking import evalues, least_score, limits_of
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.profiles.rounds import CALIBRATION_LIMITS
from swgui.core.statistics.fitting import fit_of
from swgui.jobs.iterate.inclusion import among, copies_of_query


def median_coverage(alignment: MasterAlignment) -> float | None:
    """Return the median share of the query, 0 to 1, that has a residue of a row; None without rows."""
    if len(alignment) == 1:
        return None
    covered = np.sort((alignment.codes[1:] < DELETION).mean(axis=1))
    return float(covered[(len(covered) - 1) // 2 : len(covered) // 2 + 1].mean())  # np.median would load numpy.ma


def counted_beyond(
    result: SearchResult, query_index: int, included: HitColumns, never: Collection[int]
) -> tuple[int, ...]:
    """Return how many other sequences have E up to each of `CALIBRATION_LIMITS`.

    Others are neither included, nor the query, nor among those that the user excluded (`never`). Empty where the scores
    of all sequences were not kept.
    """
    query = result.queries[query_index]
    if query.scores is None:
        return ()
    left_out = among(query.hits.db_index, never) | copies_of_query(result, query_index, query.hits.db_index)
    statistics = fit_of(result, query_index).statistics
    length, limits = result.searched_length(query_index), replace(limits_of(result), max_evalue=CALIBRATION_LIMITS[-1])
    # Most sequences score too little for any of the limits: their E need not be known.
    others = query.scores >= max(least_score(length, result.database, statistics, limits), 1)
    others[included.db_index] = False
    others[query.hits.db_index[left_out]] = False
    db_index = np.flatnonzero(others)
    log10_evalues = evalues(length, db_index, query.scores[db_index], result.database, statistics, limits)
    counts = np.searchsorted(np.sort(log10_evalues), np.log10(CALIBRATION_LIMITS), side="right")
    return tuple(counts.tolist())
