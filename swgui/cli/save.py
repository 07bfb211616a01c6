"""``--save`` and ``--history``: the whole search in one file, or among the runs of the window."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Iterator
from pathlib import Path

from swgui.core.database import EncodedDatabase
from swgui.core.hits.results import SearchResult
from swgui.history import History
from swgui.io.saved.search import save_search
from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import run_search


def add_save_argument(group: argparse._ArgumentGroup) -> None:
    """Declare ``--save`` and ``--history``, for commands that search."""
    group.add_argument(
        "--save", metavar="FILE.swgui", help="also write the whole search, to be opened by 'swgui show' or the window"
    )

    group.add_argument(
        "--history",
        nargs="?",
        const="",
        metavar="NAME",
        help="also keep the run for the Runs page of the window, while it goes on too: one that is interrupted can be "
        "resumed there",
    )


def run_with_history(request: SearchRequest, cancel: threading.Event, name: str | None) -> Iterator[SearchEvent]:
    """Search, in the history if a name (perhaps empty) is given; it is not written to unless that is asked for."""
    if name is None:
        yield from run_search(request, cancel)
        return
    history = History()
    history.prepare(request, name=name)
    yield from history.search(request, cancel)


def save_result(result: SearchResult, request: SearchRequest, path: Path) -> None:
    """Write a search to a file."""
    place = None if isinstance(request.database, EncodedDatabase) else request.database
    save_search(result, path, database_path=place)
