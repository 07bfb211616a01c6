"""Rounds of many queries overlap: profiles of some are built while others are searched with."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from swgui.jobs.search.events import Progress, SearchEvent
from swgui.jobs.search.ranking import at_once

T = TypeVar("T")
N = TypeVar("N", int, float)

TOGETHER: Final = 32  # queries that are searched with together, once so many of them have their profiles
SHARE: Final = 4  # of those that go on: the fewer they are, the less is waited for


def enough(going_on: int) -> int:
    """Return how many of the queries that go on must be ready before some are searched with."""
    return max(1, min(TOGETHER, going_on // SHARE))


@dataclass(frozen=True, slots=True, eq=False)
class Built(Generic[T]):
    """What was made of one query of a search.

    Parameters
    ----------
    query : int
    made : object
    """

    query: int
    made: T


class Builders(Generic[T]):
    """Threads that do what follows a search, query by query; the end of a ``with`` statement waits for them.

    Parameters
    ----------
    queries : int
        There are at most.
    threads : int
        0 for all cores.
    """

    def __init__(self, queries: int, threads: int) -> None:
        self._pool = ThreadPoolExecutor(at_once(queries, threads)[0], thread_name_prefix="swgui-build")
        self._begun: dict[Future[T], int] = {}

    def __enter__(self) -> Builders[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)

    def __len__(self) -> int:
        """Return how many queries are not done, or were not asked for."""
        return len(self._begun)

    def begin(self, query: int, make: Callable[[], T]) -> None:
        """Have something made of a query."""
        self._begun[self._pool.submit(make)] = query

    def done(self, *, patient: bool) -> Iterator[Built[T]]:
        """Yield what was made since the last call, in the order it was begun; raises what making it raised.

        Parameters
        ----------
        patient : bool
            Whether to wait until there is anything.
        """
        if patient:
            wait(self._begun, return_when=FIRST_COMPLETED)
        for future in [one for one in self._begun if one.done()]:
            yield Built(self._begun.pop(future), future.result())


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
