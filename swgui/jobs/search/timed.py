"""A search that also tells in how many parts its time goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from swgui.core.trace import tracing
from swgui.jobs.search.events import Finished, Parted, Progress

Event = TypeVar("Event")


def timed(events: Iterable[Event]) -> Iterator[Event | Parted]:
    """Yield the events of a search, and `Parted` behind every `Progress` and before the last one."""
    with tracing() as trace:
        for event in events:
            if isinstance(event, Finished):
                yield Parted(trace.seconds())
            yield event
            if isinstance(event, Progress):
                yield Parted(trace.seconds())
