"""Run a search whose modules are imported only when it begins, and report the seconds of its parts."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Iterator
from typing import TypeVar

from swgui.core.hits.results import SearchResult
from swgui.core.trace import tracing
from swgui.jobs.events import Finished, Progress
from swgui.jobs.search.events import Parted, SearchEvent
from swgui.jobs.search.request import SearchRequest

Event = TypeVar("Event")


def search_steps(request: SearchRequest, cancel: threading.Event) -> Generator[SearchEvent, None, SearchResult | None]:
    """Search as `swgui.jobs.search.run.search_steps` does."""
    from swgui.jobs.search import run

    return run.search_steps(request, cancel)


def timed(events: Iterable[Event]) -> Iterator[Event | Parted]:
    """Yield the events of a search; after each `Progress` and before the end the seconds of its parts (`Parted`)."""
    with tracing() as trace:
        for event in events:
            if isinstance(event, Finished):
                yield Parted(trace.seconds())
            yield event
            if isinstance(event, Progress):
                yield Parted(trace.seconds())
