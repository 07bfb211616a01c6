"""``--save`` and ``--history``: the whole search in one file, or among the runs of the window."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.jobs.iterate.events import IterationEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import run_search


def run_with_history(request: SearchRequest, cancel: threading.Event, name: str | None) -> Iterator[IterationEvent]:
    """Search, in the history if a name (perhaps empty) is given; it is not written to unless that is asked for."""
    if name is not None:
        from swgui.history import History  # here, as below: most searches keep nothing

        yield from History().search(replace(request, name=name), cancel)
    elif request.search.iteration is not None:
        from swgui.jobs.iterate.run import run_iteration

        yield from run_iteration(request, cancel)
    else:
        yield from run_search(request, cancel)


def check_kept(request: SearchRequest, name: str | None) -> None:
    """Refuse to keep what cannot be run again from the history.

    Raises
    ------
    InvalidParameter
        If the rounds begin with an alignment, or are of another database than the hits.
    """
    if name is not None and (request.starts or request.build_database is not None):
        raise InvalidParameter(
            "history",
            name,
            "Rounds that begin with a file, or are of another database, are not kept among the runs of the window.",
            hint="Give --save a file instead of --history.",
        )


def save_result(result: SearchResult, request: SearchRequest, path: Path) -> None:
    """Write a search to a file."""
    from swgui.io.saved.search import save_search

    place = None if isinstance(request.database, EncodedDatabase) else request.database
    save_search(result, path, database_path=place)
