"""Several iterators of scores, each in a thread of its own, read as one."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import wait
from functools import partial

from swgui.core.control import POLL_SECONDS, AnyEvent, start_thread
from swgui.core.errors import EngineFault, SwguiError
from swgui.core.hits.scores import ChunkScores

Run = Callable[[threading.Event], Iterator[ChunkScores]]
AHEAD = 4  # largest lead of a run over its reader, in chunks: if a search is held up, the devices soon pause


def merge(runs: Mapping[str, Run], cancel: threading.Event) -> Iterator[ChunkScores]:
    """Yield the results of all runs in order of arrival, until all have ended.

    Parameters
    ----------
    runs : Mapping[str, callable]
        By name of the device, for messages. Each is called in its thread with an event that tells it to stop.

    Raises
    ------
    SwguiError
        The first fault of any, once the others have stopped; the results yielded so far stay valid.
    """
    results: queue.SimpleQueue[ChunkScores | SwguiError | None] = queue.SimpleQueue()
    room = threading.Semaphore(AHEAD * len(runs))
    stop = AnyEvent(cancel)

    def work(name: str, run: Run) -> None:
        try:
            for chunk in run(stop):
                while not room.acquire(timeout=POLL_SECONDS) and not stop.is_set():
                    pass
                results.put(chunk)
            results.put(None)
        except SwguiError as error:
            results.put(error)
        except BaseException as error:  # whatever it is, the search must end with it
            unknown = EngineFault(f"{name} failed ({error}).")
            unknown.__cause__ = error
            results.put(unknown)

    works = [start_thread(partial(work, name, run), f"swgui-{name}", daemon=True) for name, run in runs.items()]
    fault: SwguiError | None = None
    try:
        running = len(works)
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
        wait(works)
    if fault is not None:
        raise fault
