"""``--save`` and ``--history``: the whole search in one file, or among the runs of the window."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.jobs.iterate.events import IterationEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import run_search

if TYPE_CHECKING:
    from swgui.jobs.iterate.request import IterationRequest


def run_with_history(request: SearchRequest, cancel: threading.Event, name: str | None) -> Iterator[IterationEvent]:
    """Search, in the history if a name (perhaps empty) is given; it is not written to unless that is asked for."""
    if name is None:
        yield from run_search(request, cancel)
        return
    from swgui.history import History  # here, as below: most searches keep nothing

    yield from History().search(replace(request, name=name), cancel)


def check_kept(iteration: IterationRequest, name: str) -> None:
    """Refuse to keep what cannot be run again from the history.

    Raises
    ------
    InvalidParameter
        If the rounds begin with an alignment, or are of another database than the hits.
    """
    if iteration.starts or iteration.build_database is not None:
        raise InvalidParameter(
            "history",
            name,
            "Rounds that begin with a file, or are of another database, are not kept among the runs of the window.",
            hint="Give --save a file instead of --history.",
        )


def rounds_with_history(
    iteration: IterationRequest, cancel: threading.Event, name: str | None
) -> Iterator[IterationEvent]:
    """Search in rounds, in the history if a name (perhaps empty) is given."""
    if name is not None:
        from swgui.jobs.iterate.request import in_rounds

        yield from run_with_history(in_rounds(iteration.search, iteration.settings), cancel, name)
        return
    from swgui.jobs.iterate.run import run_iteration  # here: most searches have one round

    yield from run_iteration(iteration, cancel)


def save_result(result: SearchResult, request: SearchRequest, path: Path) -> None:
    """Write a search to a file."""
    from swgui.io.saved.search import save_search

    place = None if isinstance(request.database, EncodedDatabase) else request.database
    save_search(result, path, database_path=place)
