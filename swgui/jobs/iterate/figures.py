"""What is told of a round besides whom it includes: how far rows reach, how sharp its profile is, if E is right."""

from __future__ import annotations

import math
from collections.abc import Collection
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.hits.scores import among
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.profiles.rounds import CALIBRATION_LIMITS
from swgui.core.statistics.fit import z_of_expectation
from swgui.core.statistics.fitting import fit_of
from swgui.core.statistics.lengths import SubjectLengths
from swgui.engines.native.fitting import at_least
from swgui.jobs.iterate.inclusion import copies_of_query, listed_among


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
    statistics = fit_of(result, query_index).statistics
    if statistics is None:
        return (0,) * len(CALIBRATION_LIMITS)
    left_out = listed_among(query.hits.db_index, never) | copies_of_query(result, query_index, query.hits.db_index)
    _, sequences = result.search.limits.database_size(result.database)
    limits = _z_scores(sequences)
    lengths = result.database.lengths
    db_index = at_least(query.scores, SubjectLengths.of(lengths), statistics, float(limits.min()))
    others = query.scores[db_index] > 0
    known = np.concatenate([included.db_index, query.hits.db_index[left_out]])
    others[np.searchsorted(db_index, known[among(known, db_index)])] = False
    db_index = db_index[others]
    z_scores = np.sort(statistics.z_scores(query.scores[db_index], lengths[db_index]))
    return tuple((len(z_scores) - np.searchsorted(z_scores, limits)).tolist())


@lru_cache(maxsize=16)
def _z_scores(sequences: float) -> NDArray[np.float64]:
    """Return the z-scores of `CALIBRATION_LIMITS`."""
    return np.array([z_of_expectation(math.log10(limit), sequences) for limit in CALIBRATION_LIMITS])
