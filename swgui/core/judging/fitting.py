"""Fits statistics to one query's scores of a finished search, and remembers the fit."""

from __future__ import annotations

from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.columns import ByIdentity
from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.fit import FittedStatistics, fit_statistics
from swgui.core.statistics.regression import FitError, Regress, regress
from swgui.core.statistics.stops import uncalibrated

CUT_OUT: Final = 4.0  # lengths of a query that the sequences of a database have in the mean, where they are cut out

_fits: ByIdentity[QueryFit] = ByIdentity()  # by the scores


class QueryFit(msgspec.Struct, frozen=True):
    """The fit of one query, or why there is none."""

    statistics: FittedStatistics | None
    reason: str = ""


def fit_scores(
    scores: NDArray[np.int32] | None,
    database: EncodedDatabase,
    query_length: int,
    scheme: ScoringScheme,
    regress: Regress = regress,
) -> QueryFit:
    """Fit extreme-value statistics to the scores of one query against a whole database (`statistics_fit`).

    Takes milliseconds for 10,000 subjects and a few tenths of a second for a million.

    Parameters
    ----------
    scores : ndarray, shape=(N,), dtype=int32, optional
        Source order; -1 where not scored; None if they were not kept.
    regress : Regress
        Fits the line.
    """
    if scores is None:
        return QueryFit(None, "The scores of this search were not kept, so no statistics can be fitted to them.")
    return fit_lengths(scores, database.lengths, query_length, scheme, regress)


def fit_lengths(
    scores: NDArray[np.int32],
    lengths: NDArray[np.integer[Any]],
    query_length: int,
    scheme: ScoringScheme,
    regress: Regress = regress,
    times: NDArray[np.int64] | None = None,
) -> QueryFit:
    """Do as `fit_scores` for subjects of these lengths, `times` of each; all shape (n,), in any order."""
    try:
        return QueryFit(fit_statistics(scores, lengths, query_length, scheme, regress=regress, times=times))
    except FitError as error:
        return QueryFit(None, str(error))


def counted(fit: QueryFit, query: SequenceRecord, database: EncodedDatabase) -> QueryFit:
    """Return the fit of a query with E that counts sequences where it is a profile for sequences as long as itself.

    E of nucleotides counts residues otherwise: a chromosome is no single sequence. In databases of RNA, whose sequences
    are cut out, a short sequence is as likely a relative as a long one.
    """
    statistics, columns = fit.statistics, len(query.residues)
    if query.profile is None or statistics is None or not statistics.per_residue:
        return fit
    if database.residues > CUT_OUT * columns * len(database):
        return fit
    return QueryFit(replace(statistics, per_residue=False), fit.reason)


def fit_of(result: SearchResult, query_index: int) -> QueryFit:
    """Return the fit of a query of a result; computed at the first call, so call it from a worker."""
    query = result.queries[query_index]
    if reason := uncalibrated(result.scheme.matrix, result.translation):
        return QueryFit(None, reason)
    if query.fit is not None:
        return counted(QueryFit(query.fit), query.query, result.searched)
    if query.scores is None:
        return fit_scores(None, result.searched, 0, result.scheme)
    fit = _fits.get(query.scores)
    if fit is None:
        fit = fit_scores(query.scores, result.searched, result.searched_length(query_index), result.scheme)
        fit = counted(fit, query.query, result.searched)
        _fits.put(query.scores, fit)
    return fit


def remember(query: QueryResult, fit: QueryFit) -> None:
    """Keep the fit of a query, for this result and whatever is made of it with the same scores."""
    if query.scores is not None:
        _fits.put(query.scores, fit)
