"""Several iterators of scores, each in a thread of its own, read as one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping

from swgui.core.errors import EngineFault
from swgui.core.hits.scores import ChunkScores

Run = Callable[[threading.Event], Iterator[ChunkScores]]
AHEAD = 4  # chunks a run may be ahead of whoever reads: when a search is held up, the devices rest soon
POLL_SECONDS = 0.05


def merge(runs: Mapping[str, Run], cancel: threading.Event) -> Iterator[ChunkScores]:
    """Yield what all runs yield, as it comes, until all have ended.

    Parameters
    ----------
    runs : Mapping[str, callable]
        By name of the device, for messages. Each is called in its thread with an event that tells it to stop.

    Raises
    ------
    EngineFault
        The first fault of any, once the others have stopped; what was yielded stays valid.
    """
    results: queue.SimpleQueue[ChunkScores | EngineFault | None] = queue.SimpleQueue()
    room = threading.Semaphore(AHEAD * len(runs))
    stop = AnyEvent(cancel)

    def work(name: str, run: Run) -> None:
        try:
            for chunk in run(stop):
                while not room.acquire(timeout=POLL_SECONDS) and not stop.is_set():
                    pass
                results.put(chunk)
            results.put(None)
        except EngineFault as error:
            results.put(error)
        except BaseException as error:  # whatever it is, the search must end with it
            unknown = EngineFault(f"{name} failed ({error}).")
            unknown.__cause__ = error
            results.put(unknown)

    threads = [threading.Thread(target=work, args=item, daemon=True) for item in runs.items()]
    for thread in threads:
        thread.start()
    fault: EngineFault | None = None
    try:
        running = len(threads)
        while running:
            result = results.get()
            if isinstance(result, ChunkScores):
                room.release()
                yield result
                continue
            running -= 1
            if result is not None:
                fault = fault or result
                stop.set()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    if fault is not None:
        raise fault


class AnyEvent(threading.Event):
    """Set if it was set itself, or if another event is."""

    def __init__(self, *others: threading.Event) -> None:
        super().__init__()
        self._others = others

    def is_set(self) -> bool:
        return super().is_set() or any(other.is_set() for other in self._others)

    def wait(self, timeout: float | None = None) -> bool:
        return self.is_set() or super().wait(timeout) or self.is_set()
