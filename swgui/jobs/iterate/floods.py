"""Floods: more relatives beyond doubt than a profile has rows, as of an rRNA in a database of rRNA.

The best of them are copies of the query, and a profile of copies finds no more than the query. The candidates stand at
equal distances in the list of all, from the best to the last, and rows are those of them that differ.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.hits.scores import among
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import evalues, in_order, least_scores
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.diversity import diverse_rows
from swgui.core.profiles.recipe import Recipe
from swgui.engines.native.rows import purge
from swgui.jobs.iterate.certain import CERTAIN
from swgui.jobs.iterate.inclusion import Inclusion, copies_of_query, listed_among, unlisted_hits
from swgui.jobs.iterate.rows import aligned_with, subjects_of_rows

CANDIDATES: Final = 3  # that are aligned, for each row of a profile


def subjects_within(result: SearchResult, query_index: int, evalue: float) -> NDArray[np.int64]:
    """Return all subjects with E up to a limit by source index, best first; those listed where scores are not kept.

    Those that are listed have the E that counts. The others have that of their best alignments: neither sums over all
    alignments nor corrections are computed for what is not listed, which may be most of a database.
    """
    query, limit = result.queries[query_index], math.log10(evalue)
    listed = query.hits.db_index[query.hits.log10_evalues <= limit]  # with the E that counts
    if query.scores is None:
        return listed
    statistics, length = fit_of(result, query_index).statistics, result.searched_length(query_index)
    limits = replace(result.search.limits, max_evalue=evalue)
    (least,) = least_scores([length], result.database, [statistics], limits)
    others = np.flatnonzero(query.scores >= max(least, 1))
    others = others[~among(others, query.hits.db_index)]
    log10_evalues = evalues(length, others, query.scores[others], result.database, statistics, limits)
    order = np.argsort(log10_evalues, kind="stable")
    within = others[order[: np.searchsorted(log10_evalues[order], limit, side="right")]]
    return np.concatenate([listed, within])


class Flood(NamedTuple):
    """More relatives of a query than a profile has rows."""

    relatives: int  # beyond doubt
    candidates: HitColumns  # that the rows of the next profile are chosen from


def flood_of(result: SearchResult, query_index: int, inclusion: Inclusion) -> Flood | None:
    """Return the flood of relatives of a query; None where a profile has rows for all that are beyond doubt."""
    if len(result.queries[query_index].hits) <= inclusion.most:
        return None
    found = subjects_within(result, query_index, min(10.0**CERTAIN, inclusion.evalue))
    found = found[~listed_among(found, inclusion.never)]
    if len(found) <= inclusion.most:
        return None
    number = min(CANDIDATES * inclusion.most, len(found))
    spread = found[np.linspace(0, len(found) - 1, number).astype(np.int64)]
    spread = spread[~copies_of_query(result, query_index, spread)]
    return Flood(len(found), in_order(unlisted_hits(result, query_index, {*spread.tolist(), *inclusion.always})))


def chosen_rows(
    result: SearchResult,
    query_index: int,
    flood: Flood,
    inclusion: Inclusion,
    recipe: Recipe,
    threads: int,
    check: Check,
) -> tuple[MasterAlignment, HitColumns]:
    """Return a query with the candidates that differ, as many rows as a profile has, and these candidates."""
    given = flood.candidates
    more = replace(inclusion, most=len(given))
    alignment = aligned_with(result, query_index, given, more, recipe, threads, check)
    of_rows = subjects_of_rows(alignment, given.db_index, result.database)
    kept = np.union1d(diverse_rows(alignment, purge, inclusion.most, inclusion.most), _rows_of(inclusion, of_rows))
    return alignment.take(kept), given.take(np.isin(given.db_index, of_rows[kept]))


def _rows_of(inclusion: Inclusion, of_rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the query's row and those of the subjects that are included in any case."""
    return np.append(np.flatnonzero(listed_among(of_rows, inclusion.always)), 0)
