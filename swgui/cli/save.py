"""``--save`` and ``--history``: the whole search in one file, or among the runs of the window."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import SearchResult
from swgui.jobs.iterate.events import IterationEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import run_search


def run_with_history(request: SearchRequest, cancel: threading.Event, name: str | None) -> Iterator[IterationEvent]:
    """Search, in the history if a name (perhaps empty) is given; it is not written to unless that is asked for."""
    if name is None:
        yield from run_search(request, cancel)
        return
    from swgui.history import History  # here, as below: most searches keep nothing

    yield from History().search(replace(request, name=name), cancel)


def save_result(result: SearchResult, request: SearchRequest, path: Path) -> None:
    """Write a search to a file."""
    from swgui.io.saved.search import save_search

    place = None if isinstance(request.database, EncodedDatabase) else request.database
    save_search(result, path, database_path=place)
