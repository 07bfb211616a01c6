"""The lists of the queries of a search, made in groups: some while other queries are scored, the rest in the end."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property, partial

import numpy as np

from swgui.core.hits.results import HitColumns, QueryResult
from swgui.core.judging.correction import STAGE
from swgui.jobs.events import Stage, run_to_end
from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.listing import Listing
from swgui.jobs.search.ranking import CANDIDATES
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.threads import Tasks, group_size, grouped, workers_and_threads

RANKING = "Ranking"  # name of a stage
TOGETHER = 1_280_000  # candidates of queries whose lists are made together, some 130 bytes each
BY_CHANCE = 10  # most candidates of a query by chance, in units of the limit of E; relatives come on top
GROUP_OF_BLOCKS = 100  # queries whose lists are made together where a database is searched piece by piece


class Lists:
    """Makes the lists of all queries of a request, on threads where there are several groups of them.

    Parameters
    ----------
    one_piece : bool
        Whether the database is searched as a whole, so that some queries are scored before others.
    """

    def __init__(self, request: SearchRequest, listing: Listing, *, one_piece: bool) -> None:
        self._request, self._listing, self._one_piece = request, listing, one_piece
        self._tasks: Tasks[tuple[int, ...], list[QueryResult]] | None = None  # groups of queries
        self._begun: set[int] = set()  # queries of such groups
        self._waiting: list[int] = []  # for others, to make a group
        self._group = 1
        self._made: dict[int, QueryResult] = {}  # by query
        self._new: list[int] = []  # queries of lists that were made early, until `news`
        self._before_others = False  # whether an engine leaves the cores to lists

    @property
    def early(self) -> bool:
        """Whether lists are made while others are scored."""
        return self._tasks is not None

    @property
    def made(self) -> list[QueryResult]:
        """The lists, by query."""
        return [self._made[index] for index in range(len(self._made))]

    @property
    def so_far(self) -> tuple[QueryResult, ...]:
        """Those of `news` by query, and empty ones of other queries."""
        return tuple(self._slots)

    @cached_property
    def _slots(self) -> list[QueryResult]:
        nothing = np.zeros(0)
        hits = HitColumns(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int8), nothing, nothing)
        return [QueryResult(query, hits, 0) for query in self._listing.queries]

    def news(self) -> list[int]:
        """Return the queries whose lists were made since the last call, where an engine leaves the cores to lists."""
        if self._tasks is not None:
            for of, lists in self._tasks.succeeded():
                self._keep(of, lists)
        new, self._new = self._new, []
        return new

    def _keep(self, of: Sequence[int], lists: Sequence[QueryResult]) -> None:
        self._made.update(zip(of, lists, strict=True))
        if self._before_others:
            self._new.extend(of)
            for index, made in zip(of, lists, strict=True):
                self._slots[index] = made

    def close(self) -> None:
        """Begin no further list, and wait for those under way."""
        if self._tasks is not None:
            self._tasks.close()

    def begin_early(self, *, helped: bool) -> None:
        """Have the lists of many queries made while others are scored.

        Parameters
        ----------
        helped : bool
            Whether the device of the engine does some of the work.
        """
        queries, threads = len(self._request.queries), self._request.search.options.threads
        self._group = group_size(queries, threads, on_device=helped, most=self._most)
        self._before_others = True
        if not self._one_piece:  # all scores of a query are there when everything is scored
            return
        if self._tasks is None and (self._group > 1 or (helped and queries > 1)):
            workers, _ = workers_and_threads(queries, threads)
            self._tasks = Tasks(workers, "swgui-lists")

    def add(self, query_index: int, cancel: threading.Event) -> None:
        """Have the list of one more query made, once there are enough for a group."""
        self._waiting.append(query_index)
        if len(self._waiting) == self._group:
            self._begin(self._waiting, cancel)
            self._waiting = []

    def make(self, cancel: threading.Event) -> Iterator[SearchEvent]:
        """Make the lists of all queries that have none yet."""
        request, threads = self._request, self._request.search.options.threads
        stage = STAGE if request.search.composition != "none" else RANKING
        groups = self._groups_left()
        if self._tasks is None and len(groups) == 1:
            left = sorted(groups[0])
            self._made.update(zip(left, (yield from self._listing.query_results(left, cancel)), strict=True))
        elif self._tasks is None and groups:
            self._tasks = Tasks(workers_and_threads(len(groups), threads)[0], "swgui-lists")
        if self._tasks is None:
            return
        for group in sorted(groups, key=lambda group: -sum(request.lengths[index] for index in group)):
            self._begin(group, cancel)
        while self._tasks:
            if not cancel.is_set():
                yield Stage(stage, len(self._made), len(request.queries))
            for of, lists in self._tasks.done(patient=True):
                self._keep(of, lists)

    def _groups_left(self) -> list[list[int]]:
        """Return the queries that have no list yet, in groups whose lists are made together."""
        request = self._request
        known = self._begun | self._made.keys()
        left = [index for index in range(len(request.queries)) if index not in known]
        if self.early:  # the last ones of many
            return [left[first : first + self._group] for first in range(0, len(left), self._group)]
        if self._one_piece or request.search.composition != "none" or self._listing.published is None:
            numbers = grouped(
                [request.lengths[index] for index in left], request.search.options.threads, most=self._most
            )
            return [[left[index] for index in group] for group in numbers]
        # The lengths of subjects are read from all blocks, once for each group.
        return [left[first : first + GROUP_OF_BLOCKS] for first in range(0, len(left), GROUP_OF_BLOCKS)]

    @property
    def _most(self) -> int:
        """Queries whose candidates are held at a time, at most."""
        limits, database = self._request.search.limits, self._listing.ranker.database
        candidates = min(len(database), CANDIDATES)
        if self._listing.published is not None:
            candidates = min(candidates, int(BY_CHANCE * limits.max_evalue) + limits.top)
        return max(TOGETHER // max(candidates, 1), 1)

    def _begin(self, group: Sequence[int], cancel: threading.Event) -> None:
        assert self._tasks is not None
        self._tasks.begin(tuple(group), partial(run_to_end, self._listing.query_results(group, cancel)))
        self._begun.update(group)
