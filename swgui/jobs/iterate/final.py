"""Lists of queries whose rounds are over, as the result has them: some are handed over before others are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.search import Search
from swgui.jobs.iterate.request import settings_of
from swgui.jobs.search.events import Listed
from swgui.jobs.search.request import SearchRequest


def lists_are_final(request: SearchRequest) -> bool:
    """Return True if nothing changes the lists of queries any more whose hits were compared with shuffled copies."""
    elsewhere = request.build_database is not None or bool(settings_of(request).evidence)
    return not elsewhere and not request.search.limits.minimums.needs_alignment


def within_limits(query: QueryResult, limits: Limits) -> QueryResult:
    """Return a query with the hits within the limits of E, score and number."""
    beyond = query.hits.log10_evalues > np.log10(limits.max_evalue)
    beyond |= query.hits.scores < limits.minimums.score
    return replace(query, hits=query.hits.take(~beyond).take(slice(0, limits.top)))


class FinalLists:
    """Lists that were handed over, and stay as they are unless the run ends early.

    Attributes
    ----------
    wanted : bool
        Whether lists are handed over.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._request, self.wanted = request, False
        self._search: Search | None = None
        self._made: dict[int, QueryResult] = {}

    def listed(
        self, last: SearchResult, queries: Sequence[QueryResult], new: Mapping[int, QueryResult], *, scoring: bool
    ) -> Listed:
        """Return the event that hands lists over.

        Parameters
        ----------
        last : SearchResult
            The last search.
        queries : sequence of QueryResult
            All queries, in whatever round they are.
        new : mapping of int to QueryResult
            Queries by number, with all candidates and their E, and with their rounds.
        """
        limits = self._request.search.limits
        self._search = self._search or replace(last.search, limits=limits)
        self._made.update({number: within_limits(query, limits) for number, query in new.items()})
        none = queries[0].hits.take(slice(0, 0))
        all_queries = tuple(
            self._made.get(number) or QueryResult(query.query, none, 0) for number, query in enumerate(queries)
        )
        result = replace(last, queries=all_queries, search=self._search, asked=self._request.search)
        return Listed(result, sorted(new), scoring)

    def result_of(self, result: SearchResult) -> SearchResult:
        """Return a result with the lists that were handed over, which are the same; as it is where it ended early."""
        if self._search is None or result.state != "complete":
            return result
        queries = tuple(self._made.get(number, query) for number, query in enumerate(result.queries))
        return replace(result, queries=queries, search=self._search)
