"""Any pair of query and subject on the results page: a hit of the list is selected, another one aligned on demand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from swgui.core.errors import SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.results.page import ResultsPage
from swgui.jobs.search.describe import describe_subject, find_subject

SHOW_KEY = "show-pair"
_HINT = "Search again to see it."


def show_pair(
    page: ResultsPage,
    tasks: Tasks,
    result: SearchResult,
    query_index: int,
    db_index: int,
    failed: Callable[[Exception], None],
) -> None:
    """Show the alignment of a pair of this run, whatever the page shows now.

    Parameters
    ----------
    result : SearchResult
        Shown on the page if that has another run; one with moved limits is the same run.
    failed : callable
        Called with an exception: the scores were not kept, or the pair has no alignment.
    """
    tasks.drop(SHOW_KEY)
    if page.result is None or not _same_run(page.result, result):
        page.show_result(result, query_index)
    elif page.query_index != query_index:
        page.queries.search.clear()
        page.queries.with_hits.setChecked(False)
        page.queries.choose(query_index)

    def show() -> None:
        shown, data = page.result, page.hits.data
        if shown is None or not _same_run(shown, result) or page.query_index != query_index:
            return  # the user went elsewhere meanwhile
        rows = [] if data is None else np.flatnonzero(data.hits.db_index == db_index).tolist()
        if not rows or not page.hits.table.select_row(rows[0]):
            tasks.submit(SHOW_KEY, lambda: _describe(shown, query_index, db_index), page.show_hit, failed)

    page.when_listed(show)


def _same_run(first: SearchResult, second: SearchResult) -> bool:
    return (
        first.database is second.database
        and first.scheme == second.scheme
        and len(first.queries) == len(second.queries)
        and all(a.query is b.query for a, b in zip(first.queries, second.queries, strict=True))
    )


def _describe(result: SearchResult, query_index: int, db_index: int) -> Hit:
    name = result.database.ids[db_index]
    if result.queries[query_index].scores is None:
        raise SwguiError(f"The scores of this search were not kept, so '{name}' cannot be shown.", hint=_HINT)
    subject = find_subject(result, query_index, db_index)
    if subject.score < 0:
        raise SwguiError(f"The search was stopped before '{name}' was scored.", hint=_HINT)
    if subject.score == 0:
        raise SwguiError(f"'{name}' has a score of 0 with this query: nothing of it can be aligned.")
    return describe_subject(result, query_index, subject)
