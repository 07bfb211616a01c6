"""The alignment that an iterated search ends with, as deep as it is wanted."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final

import numpy as np

from swgui.core.control import Check, checking
from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.bases import spelled
from swgui.core.profiles.msa import RowLimits, filtered, together
from swgui.core.profiles.recipe import Recipe
from swgui.engines.native.rows import purge
from swgui.jobs.iterate.floods import subjects_within
from swgui.jobs.iterate.inclusion import Inclusion, included_hits
from swgui.jobs.iterate.rows import aligned_with
from swgui.jobs.threads import Tasks, workers_and_threads

SECONDS_AFTER_STOP: Final = 1.0  # in which hits of a first round that was stopped are still aligned
PARTIAL: Final = "(partial: the search was stopped)"  # behind the description of the query


def deep_alignments(
    results: Sequence[SearchResult], evalue: float, limits: RowLimits, threads: int, cancel: threading.Event
) -> list[MasterAlignment]:
    """Return the alignment of every query with what its last searches found.

    Once `cancel` is set the queries that are left have the rows of their last whole rounds.

    Parameters
    ----------
    results : sequence of SearchResult
        Of the same queries, each in another database.
    evalue : float
        Up to which subjects are rows.
    limits : RowLimits
        Of the rows of all databases together.
    """
    most = max(query.hits.scores.size for result in results for query in result.queries) + 1
    if results[0].database.alphabet.complements:  # a chromosome has many rows
        most = max(most, limits.rows + 1)
    inclusion = Inclusion(evalue, most)
    work, count = _Deep(results, inclusion, limits, checking(cancel)), len(results[0].queries)
    workers, each = workers_and_threads(count, threads)
    with Tasks[int, MasterAlignment](workers, "swgui-align") as tasks:
        for index in range(count):
            tasks.begin(index, partial(work.alignment, index, each))
        made: dict[int, MasterAlignment] = {}
        while tasks:
            made.update(tasks.done(patient=True))
    return [made[index] for index in range(count)]


class _Deep:
    """The alignments of several queries, which threads make at the same time."""

    def __init__(self, results: Sequence[SearchResult], inclusion: Inclusion, limits: RowLimits, check: Check) -> None:
        self._results, self._inclusion, self._limits, self._check = results, inclusion, limits, check
        self._hurried: Check | None = None
        self._lock = threading.Lock()

    def alignment(self, index: int, threads: int) -> MasterAlignment:
        """Return the alignment of a query; after Stop with the rows of its last whole rounds."""
        try:
            self._check()
            masters = [_aligned(result, index, self._inclusion, threads, self._check) for result in self._results]
        except Stopped:
            hurried = self._after_stop()
            masters = [_of_whole_rounds(result, index, self._inclusion, threads, hurried) for result in self._results]
        return spelled(filtered(together(masters), self._limits, purge))

    def _after_stop(self) -> Check:
        """Return the check that ends the work some time after the first thread saw that it is stopped."""
        with self._lock:
            self._hurried = self._hurried or _for_seconds(SECONDS_AFTER_STOP)
            return self._hurried


def relatives_found(results: Sequence[SearchResult], index: int, evalue: float) -> int:
    """Return how many subjects of all searches a query found with E up to a limit, those without a row among them."""
    return sum(len(subjects_within(result, index, evalue)) for result in results)


def marked_partial(alignment: MasterAlignment) -> MasterAlignment:
    """Return an alignment whose query says that the search was stopped."""
    query = replace(alignment.query, description=f"{alignment.query.description} {PARTIAL}".lstrip())
    return MasterAlignment(alignment.alphabet, (query, *alignment.rows[1:]))


def _aligned(result: SearchResult, index: int, inclusion: Inclusion, threads: int, check: Check) -> MasterAlignment:
    rounds = result.queries[index].rounds
    recipe = rounds.recipe if rounds is not None else Recipe()
    return aligned_with(result, index, included_hits(result, index, inclusion), inclusion, recipe, threads, check)


def _of_whole_rounds(
    result: SearchResult, index: int, inclusion: Inclusion, threads: int, check: Check
) -> MasterAlignment:
    """Return the alignments of the last complete round; before its end those made until `check` raises."""
    if rounds := result.queries[index].rounds:
        last, limit = rounds.last.alignment, np.log10(inclusion.evalue)
        return last.with_rows([row for row in last.rows[1:] if row.log10_evalue <= limit])
    with suppress(Stopped):
        check()
        return _aligned(result, index, inclusion, threads, check)
    return MasterAlignment.of_query(result.queries[index].query, result.scheme.alphabet)


def _for_seconds(seconds: float) -> Check:
    """Return a function that raises `Stopped` once some seconds are over."""
    end = time.monotonic() + seconds

    def check() -> None:
        if time.monotonic() > end:
            raise Stopped

    return check
