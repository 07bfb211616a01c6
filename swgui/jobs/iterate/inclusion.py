"""Which hits a round includes in the next profile, as the inclusion threshold of PSI-BLAST does."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.results import HitColumns, JoinedHits, SearchResult
from swgui.core.hits.rounds import CALIBRATION_LIMITS
from swgui.core.hits.scores import among
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import measure
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.statistics.fit import z_of_expectation
from swgui.core.statistics.lengths import SubjectLengths
from swgui.engines.native.fitting import count_beyond


@dataclass(frozen=True, slots=True, eq=False)
class Inclusion:
    """The criteria by which a round includes subjects."""

    evalue: float  # up to which they are included
    most: int  # subjects at most, and rows of an alignment besides the query
    # always, never: subjects that are included in any case, or never, by source index
    always: Collection[int] = field(default=(), repr=False)
    never: Collection[int] = field(default=(), repr=False)


def included_hits(result: SearchResult, query_index: int, inclusion: Inclusion) -> HitColumns:
    """Return the hits of a query that its next profile is made of, best first; never the query itself."""
    alone = replace(result, queries=(result.queries[query_index],))
    return included_each(alone, JoinedHits.joined([alone.queries[0].hits]), inclusion)[0]


def included_each(result: SearchResult, listed: JoinedHits, inclusion: Inclusion) -> list[HitColumns]:
    """Return the hits that the next profile of every query is made of, best first; never the query itself.

    Parameters
    ----------
    listed : JoinedHits
        With the E that counts.
    """
    hits, of, queries = listed.hits, listed.of, range(len(result.queries))
    chosen = hits.log10_evalues <= np.log10(inclusion.evalue)
    chosen |= listed_among(hits.db_index, inclusion.always)
    chosen &= ~_excluded(result, listed, inclusion.never)
    included, sizes = hits.take(chosen), np.bincount(of[chosen], minlength=len(queries)).tolist()
    ends, made = np.cumsum(sizes).tolist(), []
    for query, end, size in zip(queries, ends, sizes, strict=True):
        beyond = set(inclusion.always) - set(hits.db_index[of == query].tolist()) if inclusion.always else set()
        forced = [unlisted_hits(result, query, beyond)] if beyond else []
        most = min(inclusion.most - sum(map(len, forced)), size)
        own = included.take(slice(end - size, end - size + most))
        made.append(HitColumns.join([own, *forced]) if forced else own)
    return made


def listed_among(db_index: NDArray[np.int64], some: Collection[int]) -> NDArray[np.bool_]:
    """Return a mask of the subjects that are in a collection; shape of `db_index`."""
    return among(db_index, np.array(list(some), dtype=np.int64))


def copies_of_query(result: SearchResult, query_index: int, db_index: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the subjects that have the residues of the query; shape of `db_index`."""
    return _copies(result, np.full(len(db_index), query_index), db_index)


def _excluded(result: SearchResult, listed: JoinedHits, never: Collection[int]) -> NDArray[np.bool_]:
    """Return a mask of the hits that are copies of their query, or that the user excluded."""
    db_index = listed.hits.db_index
    return _copies(result, listed.of, db_index) | listed_among(db_index, never)


def _copies(result: SearchResult, of: NDArray[np.int64], db_index: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of the subjects that have the residues of the query of each."""
    database, alphabet = result.database, result.scheme.alphabet
    queries = [query.query.residues for query in result.queries]
    alike = database.lengths_of(db_index) == np.array([len(residues) for residues in queries])[of]
    for place in np.flatnonzero(alike).tolist():
        codes = alphabet.encode(queries[of[place]])
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
    result: SearchResult, listed: JoinedHits, included: Sequence[HitColumns], never: Collection[int]
) -> list[tuple[int, ...]]:
    """Return of every query how many other sequences have E up to each of `CALIBRATION_LIMITS`.

    Others are neither included, nor the query, nor among those that the user excluded (`never`). Empty where the scores
    of all sequences were not kept.

    Parameters
    ----------
    included : sequence of HitColumns
        Of every query.
    """
    made = [() if query.scores is None else (0,) * len(CALIBRATION_LIMITS) for query in result.queries]
    found = [fit_of(result, query).statistics for query in range(len(made))]
    counted = [(n, by, query.scores) for n, (by, query) in enumerate(zip(found, result.queries, strict=True))]
    some = [(query, by, scores) for query, by, scores in counted if by is not None and scores is not None]
    if not some:
        return made
    left_out = _excluded(result, listed, never)
    others, of = listed.hits.db_index[left_out], listed.of[left_out]
    known = [np.concatenate([included[query].db_index, others[of == query]]) for query, *_ in some]
    _, sequences = result.search.limits.database_size(result.database)
    lengths = SubjectLengths.of(result.database.lengths)
    queries, fits, scores = zip(*some, strict=True)
    for query, numbers in zip(queries, count_beyond(fits, scores, known, lengths, _z_scores(sequences)), strict=True):
        made[query] = tuple(numbers.tolist())
    return made


@lru_cache(maxsize=16)
def _z_scores(sequences: float) -> NDArray[np.float64]:
    """Return the z-scores of `CALIBRATION_LIMITS`."""
    return np.array([z_of_expectation(math.log10(limit), sequences) for limit in CALIBRATION_LIMITS])
