"""Which hits a round includes in the next profile, as the inclusion threshold of PSI-BLAST does."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.hits.rounds import CALIBRATION_LIMITS
from swgui.core.hits.scores import among
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import measure
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.statistics.fit import z_of_expectation
from swgui.core.statistics.lengths import SubjectLengths
from swgui.engines.native.fitting import at_least


@dataclass(frozen=True, slots=True, eq=False)
class Inclusion:
    """The criteria by which a round includes subjects."""

    evalue: float  # up to which they are included
    most: int  # subjects at most, and rows of an alignment besides the query
    # always, never: subjects that are included in any case, or never, by source index
    always: Collection[int] = field(default=(), repr=False)
    never: Collection[int] = field(default=(), repr=False)


def included_hits(
    result: SearchResult, query_index: int, inclusion: Inclusion, hits: HitColumns | None = None
) -> HitColumns:
    """Return the hits of a query that its next profile is made of, best first; never the query itself.

    Parameters
    ----------
    hits : HitColumns, optional
        In place of those of the result.
    """
    hits = result.queries[query_index].hits if hits is None else hits
    chosen = hits.log10_evalues <= np.log10(inclusion.evalue)
    chosen |= listed_among(hits.db_index, inclusion.always)
    chosen &= ~listed_among(hits.db_index, inclusion.never)
    included = hits.take(chosen)
    included = included.take(~copies_of_query(result, query_index, included.db_index))
    beyond = set(inclusion.always) - set(hits.db_index.tolist())
    if not beyond:
        return included.take(slice(0, inclusion.most))
    forced = unlisted_hits(result, query_index, beyond)
    return HitColumns.join([included.take(slice(0, inclusion.most - len(forced))), forced])


def listed_among(db_index: NDArray[np.int64], some: Collection[int]) -> NDArray[np.bool_]:
    """Return a mask of the subjects that are in a collection; shape of `db_index`."""
    return among(db_index, np.array(list(some), dtype=np.int64))


def copies_of_query(result: SearchResult, query_index: int, db_index: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the subjects that have the residues of the query; shape of `db_index`."""
    database, alphabet = result.database, result.scheme.alphabet
    codes = alphabet.encode(result.queries[query_index].query.residues)
    alike = database.lengths_of(db_index) == len(codes)
    for place in np.flatnonzero(alike).tolist():
        alike[place] = alphabet.same(database.subject(int(db_index[place])), codes).all()
    return np.asarray(alike, dtype=np.bool_)


def unlisted_hits(result: SearchResult, query_index: int, wanted: set[int]) -> HitColumns:
    """Return subjects that are not listed as hits, with score and E; those that score 0 are left out."""
    query = result.queries[query_index]
    db_index = np.array(sorted(wanted), dtype=np.int64)
    scores = query.scores[db_index] if query.scores is not None else np.zeros(len(db_index), dtype=np.int32)
    db_index, scores = db_index[scores > 0], scores[scores > 0]
    statistics = fit_of(result, query_index).statistics
    length = result.searched_length(query_index)
    bits, log10_evalues = measure(length, db_index, scores, result.database, statistics, result.search.limits)
    strands = np.ones(len(db_index), dtype=np.int8) if query.strands is None else query.strands[db_index]
    return HitColumns(db_index, scores, strands, bits, log10_evalues)


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
    listed = np.concatenate([included.db_index, query.hits.db_index[left_out]])
    others[np.searchsorted(db_index, listed[among(listed, db_index)])] = False
    db_index = db_index[others]
    z_scores = np.sort(statistics.z_scores(query.scores[db_index], lengths[db_index]))
    return tuple((len(z_scores) - np.searchsorted(z_scores, limits)).tolist())


@lru_cache(maxsize=16)
def _z_scores(sequences: float) -> NDArray[np.float64]:
    """Return the z-scores of `CALIBRATION_LIMITS`."""
    return np.array([z_of_expectation(math.log10(limit), sequences) for limit in CALIBRATION_LIMITS])
