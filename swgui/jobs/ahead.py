"""Work that is done ahead of who takes it, in order and with bounded memory."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeVar

from swgui.core.errors import Stopped

T = TypeVar("T")
WAITING: Final = 8  # values of each series that are made before they are taken
PATIENCE: Final = 0.05  # seconds until somebody with a value too many looks whether it is still wanted

Check = Callable[[], None]
_Series = queue.Queue["tuple[T] | None"]  # values as they are made; None behind the last


def one_after_the_other(makers: Sequence[Callable[[Check], Iterable[T]]], threads: int) -> Iterator[T]:
    """Yield the values of several series in order, while the next ones are made on other threads.

    What a maker raises is raised where its values end. Once the iterator is closed nothing more is made.

    Parameters
    ----------
    makers : sequence of callable
        Each is given a callable that raises `Stopped` once its values are not wanted any more.
    threads : int
        Series that are made at a time, at least 1.
    """
    over = threading.Event()

    def check() -> None:
        if over.is_set():
            raise Stopped("The rest is not asked for any more.")

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
            for _ in range(threads):
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
