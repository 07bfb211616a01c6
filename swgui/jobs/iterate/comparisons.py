"""Hits of queries whose rounds are over, compared with shuffled copies: of some while others are in later rounds."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from functools import partial
from typing import Final

import numpy as np

from swgui.core.control import Check, checking
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import HitColumns, QueryResult, SearchResult
from swgui.core.judging.correction import STAGE, by_shuffles, uncorrected
from swgui.core.judging.correction_work import CorrectionWork
from swgui.core.judging.fitting import fit_of
from swgui.core.judging.ranking import in_order
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.engines.native.correction import HOST
from swgui.jobs.events import Stage
from swgui.jobs.search.ranking import Ranker, RankRequest, ranker_of
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.threads import Tasks, grouped, workers_and_threads

TOGETHER: Final = 16  # queries that are compared at once while others are in later rounds

Sums = Callable[[SearchResult, QueryResult, Check], HitColumns | None]
_Hits = Mapping[int, HitColumns]  # of queries by number


class Comparisons:
    """Compares the hits of queries within the E limit with shuffled copies of their regions; close it after use.

    Parameters
    ----------
    sums : callable
        Compares the hits of one query by sums over all alignments; None where no sums are computed for it.
    """

    def __init__(self, request: SearchRequest, sums: Sums, cancel: threading.Event) -> None:
        self._request, self._sums, self._cancel = request, sums, cancel
        self._threads = request.search.options.threads
        self._waiting: dict[int, QueryResult] = {}
        self._begun: set[int] = set()
        self._tasks: Tasks[None, _Hits] | None = None
        self._made: dict[int, HitColumns] = {}

    def add(self, number: int, query: QueryResult, search: SearchResult, work: CorrectionWork) -> None:
        """Have the hits of a query that has ended compared, once there are enough to do so together."""
        self._waiting[number] = query
        if len(self._waiting) == TOGETHER:
            group, self._waiting = self._waiting, {}
            self._begun.update(group)
            self._at_work().begin(None, partial(self._tried, group, search, work))

    def _at_work(self) -> Tasks[None, _Hits]:
        if self._tasks is None:
            workers, _ = workers_and_threads(len(self._request.queries), self._threads)
            self._tasks = Tasks(workers, "swgui-shuffles")
        return self._tasks

    def _tried(self, group: Mapping[int, QueryResult], search: SearchResult, work: CorrectionWork) -> _Hits:
        """Return the hits of some queries; of none where that fails, so that it is tried again in the end."""
        with suppress(SwguiError):
            return self._compared(group, replace(search, queries=tuple(group.values())), work, -1)
        return {}

    def _compared(
        self, group: Mapping[int, QueryResult], result: SearchResult, work: CorrectionWork, threads: int
    ) -> _Hits:
        """Return the hits of some queries, which are all that a result has, best first."""
        limits, made = self._request.search.limits, dict[int, HitColumns]()
        asked, check = dict[int, int](), checking(self._cancel)
        within = [_within(query.hits, limits.max_evalue) for query in result.queries]
        for place, (number, query) in enumerate(group.items()):
            made[number] = uncorrected(query.hits)
            if len(within[place]) and fit_of(result, place).statistics is not None:
                found = replace(query, hits=within[place])
                if (summed := self._sums(result, found, check)) is None:
                    asked[number] = place
                else:
                    made[number] = in_order(summed)
        if asked:
            ranker: Ranker = replace(ranker_of(result, limits), threads=threads, work=work)
            places = list(asked.values())
            of, fits = (
                [result.queries[place] for place in places],
                [fit_of(result, place).statistics for place in places],
            )
            wanted = RankRequest([query.query for query in of], fits, [query.windows for query in of])
            lists = by_shuffles(ranker.corrector(wanted, self._cancel), [within[place] for place in places])
            made |= {number: in_order(hits) for number, hits in zip(asked, lists, strict=True)}
        return made

    def finished(self, result: SearchResult, work: CorrectionWork) -> Generator[Stage, None, SearchResult]:
        """Compare what is left; queries whose hits were compared by an earlier run keep these."""
        asked = {number: query for number, query in enumerate(result.queries) if query.hits.composition is None}
        made, tasks = self._made, self._at_work()
        self._keep({number: uncorrected(asked[number].hits) for number in self._alone(result, asked)})
        with suppress(Stopped):
            for known in (self._begun, set[int]()):  # and again what failed then
                names = [number for number in asked if number not in made and number not in known]
                costs = [len(asked[number].hits) * len(asked[number].query.residues) for number in names]
                _, threads = workers_and_threads(len(names), self._threads)
                for places in grouped(costs, self._threads, on_device=work is not HOST):
                    group = {names[place]: asked[names[place]] for place in places}
                    of = replace(result, queries=tuple(group.values()))
                    tasks.begin(None, partial(self._compared, group, of, work, threads))
                while tasks:
                    yield Stage(STAGE, len(made), len(asked))
                    for _, some in tasks.done(patient=True):
                        self._keep(some)
        self.close()
        left = asked.keys() - made.keys()  # after Stop
        made.update({number: uncorrected(asked[number].hits) for number in left})
        queries = [
            replace(query, hits=made[number]) if number in asked else query
            for number, query in enumerate(result.queries)
        ]
        if not left:
            return replace(result, queries=tuple(queries))
        message = f"Hits of {count(len(left), 'query', 'queries')} were not compared with shuffled copies."
        return replace(result, queries=tuple(queries), message=f"{result.message} {message}".strip())

    def _alone(self, result: SearchResult, asked: Mapping[int, QueryResult]) -> list[int]:
        """Return the queries whose hits have nothing to be compared with: without hits, or without a fit."""
        most = self._request.search.limits.max_evalue
        left = [number for number in asked if number not in self._made]
        hits = {number: len(_within(asked[number].hits, most)) for number in left}
        return [number for number in left if not hits[number] or fit_of(result, number).statistics is None]

    def _keep(self, hits: _Hits) -> None:
        self._made.update(hits)

    def close(self) -> None:
        """Begin no further comparison, and wait for those under way."""
        if self._tasks is not None:
            self._tasks.close()


def _within(hits: HitColumns, max_evalue: float) -> HitColumns:
    return hits.take(hits.log10_evalues <= np.log10(max_evalue))
