"""The work of a search that depends on the kind of its subjects: how they are prepared, scored, fitted and aligned."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

import msgspec

from swgui.core.statistics.fit import FittedStatistics

if TYPE_CHECKING:  # so that listing hits imports nothing that scores
    import threading

    import numpy as np
    from numpy.typing import NDArray

    from swgui.core.control import Check
    from swgui.core.database import EncodedDatabase
    from swgui.core.engines import EngineOptions
    from swgui.core.hits.results import HitColumns
    from swgui.core.judging.ranking import Statistics
    from swgui.core.limits import Limits
    from swgui.core.query_range import QueryRange
    from swgui.core.records import SequenceRecord
    from swgui.core.scoring import EncodedQuery, ScoringScheme
    from swgui.core.subject_kind import SubjectKind
    from swgui.engines.base import Engine
    from swgui.engines.traceback.many import QueryAlignments
    from swgui.jobs.events import Stage
    from swgui.jobs.search.listed_rows import ListedRows
    from swgui.jobs.search.request import SearchRequest

Fits = dict[int, FittedStatistics]


class FitRequest(msgspec.Struct, frozen=True, eq=False):
    """The queries whose E is fitted to subjects of chance, where a database is too small for a fit to its own."""

    request: SearchRequest
    database: EncodedDatabase  # as it is searched
    queries: Sequence[list[EncodedQuery]]  # each in every strand or reading that is searched
    cells: int  # of the whole search


class JudgeRequest(msgspec.Struct, frozen=True, eq=False):
    """Hits of one query whose E is to be judged by more than their scores."""

    query: SequenceRecord
    hits: HitColumns  # with E by their scores
    statistics: Statistics | None
    database: EncodedDatabase
    scheme: ScoringScheme
    limits: Limits
    query_range: QueryRange | None
    threads: int


class SubjectWork(msgspec.Struct, frozen=True):
    """The functions of one kind of subjects.

    Parameters
    ----------
    prepared : callable
        Takes request, open database and what stops it; returns the request as it is carried out, and remarks.
    engine : callable
        Takes an engine, the database, options and the cells of the search; returns the engine that scores.
    fits : callable
        Takes a `FitRequest`, that engine and what stops it; returns statistics by query, fewer where E stays unknown.
    aligned : callable
        Takes listed rows, places that have a score (one or more), threads and a check; returns which of them have an
        alignment, and these.
    judged : callable, optional
        Takes a `JudgeRequest`; returns its hits in the same order with the E that counts. None where E by scores
        counts, or is corrected for composition.
    checked : callable, optional
        Takes a request and the open database; raises `InvalidParameter` if it asks for what such subjects lack, as
        `prepared` does. None where nothing is lacking.
    """

    prepared: Callable[[SearchRequest, EncodedDatabase, threading.Event], tuple[SearchRequest, list[str]]]
    engine: Callable[[Engine, EncodedDatabase, EngineOptions, float], Engine]
    fits: Callable[[FitRequest, Engine, threading.Event], Generator[Stage, None, Fits]]
    aligned: Callable[[ListedRows, NDArray[np.int64], int, Check], tuple[NDArray[np.int64], QueryAlignments]]
    judged: Callable[[JudgeRequest], HitColumns] | None = None
    checked: Callable[[SearchRequest, EncodedDatabase], None] | None = None


def work_of(kind: SubjectKind) -> SubjectWork:
    """Return the functions of a kind of subjects."""
    return _named(kind.work)


@cache
def _named(place: str) -> SubjectWork:
    module, _, name = place.partition(":")
    return cast("SubjectWork", getattr(import_module(module), name))
