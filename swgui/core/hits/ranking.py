"""From scores to the list a user sees: statistics, limits, order. The same for a new search and for moved limits."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.minimums import NO_MINIMUMS, Minimums
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.hits.scores import best_indices
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.statistics.fit import FittedStatistics
from swgui.core.statistics.fitting import QueryFit, fit_of

Statistics = KarlinAltschul | FittedStatistics
FITTED_TO_ITSELF = "Fitted to the scores of each query: no parameters are published for these costs"


@dataclass(frozen=True, slots=True)
class Limits:
    """What decides which subjects are listed.

    Parameters
    ----------
    top : int
        Hits per query at most.
    max_evalue : float
        Hits with a higher E-value are left out; without statistics it has no effect.
    effective_residues : int
        Residues of the database E refers to; 0 for those of the database itself. The number of
        sequences is scaled alike.
    minimums : Minimums
        What hits must reach besides; those of alignments are held against them once hits are aligned.
    """

    top: int = 500
    max_evalue: float = 10.0
    effective_residues: int = 0
    minimums: Minimums = NO_MINIMUMS

    def __post_init__(self) -> None:
        if self.top < 1:
            raise InvalidParameter("top", self.top, f"A list of {self.top} hits is empty.", hint="Ask for 1 or more.")
        if not self.max_evalue > 0:
            raise InvalidParameter(
                "max_evalue", self.max_evalue, f"The E-value limit {self.max_evalue} is not above 0."
            )
        if self.effective_residues < 0:
            size = self.effective_residues
            raise InvalidParameter("effective_residues", size, f"A database of {size} residues makes no sense.")

    def database_size(self, database: EncodedDatabase) -> tuple[float, float]:
        """Return residues and sequences of the database E refers to."""
        if not self.effective_residues:
            return float(database.residues), float(len(database))
        return float(self.effective_residues), len(database) * self.effective_residues / max(database.residues, 1)


def rank(
    query_length: int,
    db_index: NDArray[np.int64],
    scores: NDArray[np.int32],
    strands: NDArray[np.int8],
    database: EncodedDatabase,
    statistics: Statistics | None,
    limits: Limits,
) -> HitColumns:
    """Give ranked subjects their bits and E-values, and leave out those beyond the limits of E and score.

    Parameters
    ----------
    db_index, scores, strands : ndarrays, shape=(k,)
        The best subjects, in order, at most ``limits.top``.
    statistics : KarlinAltschul or FittedStatistics, optional
        None leaves bits and E unknown (NaN) and keeps all.
    """
    bits, log10_evalues = measure(query_length, db_index, scores, database, statistics, limits)
    hits = HitColumns(db_index, scores, strands, bits, log10_evalues)
    within = ~(log10_evalues > np.log10(limits.max_evalue))  # NaN stays
    return hits.take(within & (scores >= limits.minimums.score))


def measure(
    query_length: int,
    db_index: NDArray[np.int64],
    scores: NDArray[np.int32],
    database: EncodedDatabase,
    statistics: Statistics | None,
    limits: Limits,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return bit scores and decadic logarithms of E of some subjects, shape (k,); NaN without statistics."""
    if statistics is None:
        unknown = np.full(len(scores), np.nan)
        return unknown, unknown
    lengths = database.lengths[db_index]
    if isinstance(statistics, KarlinAltschul):
        bits = statistics.bit_scores(scores)
    else:
        bits = statistics.bit_scores(scores, lengths)
    residues, sequences = limits.database_size(database)
    log10_evalues = statistics.log10_evalues(
        scores,
        query_length=query_length,
        subject_lengths=lengths,
        database_residues=residues,
        database_sequences=sequences,
    )
    return bits, log10_evalues


def choose_statistics(published: KarlinAltschul | None, fit: QueryFit | None) -> Statistics | None:
    """Return what E is computed with: published parameters if there are any, else the fit to the search."""
    return published or (fit.statistics if fit else None)


def limits_of(result: SearchResult) -> Limits:
    """Return the limits a result was made with."""
    return Limits(result.top, result.max_evalue, result.effective_residues, result.minimums)


def rerank(result: SearchResult, published: KarlinAltschul | None, limits: Limits) -> SearchResult:
    """Return what a new search with other limits would give, from the scores that were kept.

    Parameters
    ----------
    published : KarlinAltschul, optional
        Parameters of the result's scheme, as the search itself got them.

    Raises
    ------
    InvalidParameter
        If the score vectors were not kept.
    """
    return replace(
        result,
        queries=tuple(
            replace(query, hits=ranked(result, index, published, limits)) for index, query in enumerate(result.queries)
        ),
        top=limits.top,
        max_evalue=limits.max_evalue,
        effective_residues=limits.effective_residues,
        minimums=limits.minimums,
    )


def ranked(result: SearchResult, query_index: int, published: KarlinAltschul | None, limits: Limits) -> HitColumns:
    """Return what other limits would list for one query; parameters and errors as for `rerank`."""
    query = result.queries[query_index]
    if query.scores is None:
        raise InvalidParameter(
            "scores",
            query.query.id,
            "The scores of this search were not kept, so its limits cannot be moved.",
            hint="Search again with the new limits.",
        )
    scored = np.flatnonzero(query.scores >= 0)
    best = scored[best_indices(query.scores[scored], scored, limits.top)]
    strands = query.strands[best] if query.strands is not None else _only_strand(result, len(best))
    statistics = choose_statistics(published, None if published else fit_of(result, query_index))
    return rank(
        result.searched_length(query_index), best, query.scores[best], strands, result.database, statistics, limits
    )


def _only_strand(result: SearchResult, count: int) -> NDArray[np.int8]:
    return np.full(count, -1 if result.strand == "minus" else 1, dtype=np.int8)
