"""Work on several threads: the share of each, tasks whose results come as they finish, and series in order."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Final, Generic, TypeVar

import msgspec

from swgui.core.control import Check, checking
from swgui.engines.host import usable_cores

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
WAITING: Final = 257  # values of each series made ahead of the caller, a batch of 256 and its end: else a core waits
PATIENCE: Final = 0.05  # seconds, poll interval of a blocked producer

_Series = queue.Queue["tuple[T] | None"]  # values as they are made; None behind the last


class Tuning(msgspec.Struct, frozen=True):
    """Numbers that were chosen by measurements, and the computer of these."""

    measured_on: str
    # Lists at a time, also while a device scans: more wait for each other's Python (11,206 domains: 3.1, 3.5 s; with 2
    # while it scans 3.9, with 4 3.4, 3.5, with 4 and then 14 3.3, 3.8 s).
    workers: int
    many: int  # tasks of a core from which on each has one thread: to hand work over costs more than it saves
    group: int  # tasks that are done together, at most (lists of 11,206 domains: 15 % less Python than of 64)
    groups: int  # of a core, at least: so that all cores end at about the same time
    long_scan: (
        float  # seconds that it still takes, from which on hits are described meanwhile (500 lists, 1.5 s: no gain)
    )
    describers: int  # threads for that (500 lists: the scan takes 1.5 s, with 2 of them 1.6, with 4 1.8, with 8 2.8)
    ahead: int  # series of each thread that are begun before the first one ends, which may take long


TUNING: Final = Tuning(
    measured_on="a computer with 16 cores and one GPU, November 2026 (BENCHMARKS.md)",
    workers=8,
    many=4,
    group=256,
    groups=6,
    long_scan=2.0,
    describers=3,
    ahead=4,
)


def workers_and_threads(tasks: int, threads: int) -> tuple[int, int]:
    """Return how many of some tasks are done at a time, and the threads of each, as `in_pieces` takes them.

    All of them may use all threads, so that the last and longest one has them for itself in the end; of many tasks
    only what takes long is shared out.
    """
    threads = threads or usable_cores()
    return max(min(tasks, threads, TUNING.workers), 1), -threads if tasks >= TUNING.many * threads else threads


def group_size(tasks: int, threads: int, *, on_device: bool = False, most: int = 1 << 30) -> int:
    """Return how many of some tasks are done together.

    Parameters
    ----------
    on_device : bool
        Whether a device does most of the work.
    most : int
        How many may be done together.
    """
    groups = 2 * TUNING.workers if on_device else TUNING.groups * (threads or usable_cores())
    return max(1, min(TUNING.group, most, tasks // groups))


def grouped(costs: Sequence[int], threads: int, *, on_device: bool = False, most: int = 1 << 30) -> list[list[int]]:
    """Return tasks by number in groups of about the same cost, which are done together; others as of `group_size`.

    Parameters
    ----------
    costs : sequence of int
        Of each task.
    """
    order = sorted(range(len(costs)), key=lambda task: -costs[task])
    groups = -(-len(costs) // group_size(len(costs), threads, on_device=on_device, most=most))
    return [order[number::groups] for number in range(groups)]


class Tasks(Generic[K, T]):
    """Tasks on threads of their own, whose results are yielded as they finish; a ``with`` statement waits at its end.

    Parameters
    ----------
    workers : int
        That are done at a time.
    """

    def __init__(self, workers: int, name: str) -> None:
        self._pool, self._workers = ThreadPoolExecutor(workers, thread_name_prefix=name), workers
        self._begun: dict[Future[T], K] = {}

    def __enter__(self) -> Tasks[K, T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        """Return how many are not done, or not taken."""
        return len(self._begun)

    @property
    def free(self) -> int:
        """Number of threads that have nothing to do, at least."""
        return max(0, self._workers - len(self._begun))

    def begin(self, key: K, work: Callable[[], T]) -> None:
        """Have one more task done; `key` says which one it was."""
        self._begun[self._pool.submit(work)] = key

    def done(self, *, patient: bool) -> Iterator[tuple[K, T]]:
        """Yield keys and results of tasks that were done since the last call; raises what a task raised.

        Parameters
        ----------
        patient : bool
            Whether to wait until there is any.
        """
        if patient:
            wait(self._begun, return_when=FIRST_COMPLETED)
        for future in [future for future in self._begun if future.done()]:
            yield self._begun.pop(future), future.result()

    def succeeded(self) -> Iterator[tuple[K, T]]:
        """Yield keys and results as `done` does, of tasks that raised nothing; others are left to it."""
        for future in [future for future in self._begun if future.done()]:
            if not future.cancelled() and future.exception() is None:
                yield self._begun.pop(future), future.result()

    def close(self) -> None:
        """Begin no other task, and wait for those under way."""
        self._pool.shutdown(cancel_futures=True)


def in_order(makers: Sequence[Callable[[Check], Iterable[T]]], threads: int) -> Iterator[T]:
    """Yield the values of several series in order, while the next ones are made on other threads.

    The error of a maker is raised where its values end. Once the iterator is closed nothing more is made.

    Parameters
    ----------
    makers : sequence of callable
        Each is given a callable that raises `Stopped` once its values are not wanted any more.
    threads : int
        Series that are made at a time, at least 1.
    """
    over = threading.Event()
    check = checking(over, "The rest is not asked for any more.")

    def put(series: _Series[T], value: tuple[T] | None) -> None:
        while True:
            check()
            try:
                return series.put(value, timeout=PATIENCE)
            except queue.Full:
                continue

    def make(maker: Callable[[Check], Iterable[T]], series: _Series[T]) -> None:
        try:
            for value in maker(check):
                put(series, (value,))
        finally:
            put(series, None)

    with ThreadPoolExecutor(threads, thread_name_prefix="swgui-ahead") as pool:
        waiting = iter(makers)
        begun: deque[tuple[Future[None], _Series[T]]] = deque()

        def begin() -> None:
            if (maker := next(waiting, None)) is not None:
                series: _Series[T] = queue.Queue(WAITING)
                begun.append((pool.submit(make, maker, series), series))

        try:
            for _ in range(TUNING.ahead * threads):
                begin()
            while begun:
                future, series = begun[0]
                while (value := series.get()) is not None:
                    yield value[0]
                future.result()
                begun.popleft()
                begin()
        finally:
            over.set()
