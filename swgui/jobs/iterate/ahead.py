"""Rounds of many queries overlap: profiles of some are built while others are searched with."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Final, TypeVar

from swgui.jobs.search.events import Progress, SearchEvent

T = TypeVar("T")
N = TypeVar("N", int, float)

TOGETHER: Final = 32  # queries that are searched with together, once so many of them have their profiles
SHARE: Final = 4  # of those that go on: the fewer they are, the less is waited for


def enough(going_on: int) -> int:
    """Return how many of the queries that go on must be ready before some are searched with."""
    return max(1, min(TOGETHER, going_on // SHARE))


class Meter:
    """Adds up the progress of searches that follow each other."""

    def __init__(self) -> None:
        self._before: Progress | None = None

    def through(self, steps: Generator[SearchEvent, None, T]) -> Generator[SearchEvent, None, T]:
        """Run a search, its progress added to that of the ones before; returns what it returns."""
        last = self._before
        while True:
            try:
                event = next(steps)
            except StopIteration as end:
                self._before = last
                found: T = end.value
                return found
            if isinstance(event, Progress):
                event = last = _added(self._before, event)
            yield event


def _added(before: Progress | None, now: Progress) -> Progress:
    """Return the progress of a search after others."""
    if before is None:
        return now
    return Progress(
        before.cells_done + now.cells_done,
        before.cells_total + now.cells_total,
        before.seconds + now.seconds,
        _sums(before.device_cells, now.device_cells),
        _sums(before.device_seconds, now.device_seconds),
    )


def _sums(one: Mapping[str, N], other: Mapping[str, N]) -> dict[str, N]:
    return {**one, **{device: one[device] + more if device in one else more for device, more in other.items()}}
