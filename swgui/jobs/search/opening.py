"""Opening the database of a search, and saying how far it is."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor

from swgui.core.database import EncodedDatabase
from swgui.io.database.any_file import open_any_database
from swgui.io.sequences.report import ReadReport
from swgui.jobs.search.events import DatabaseAltered, SearchEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.stage import Stage


def open_steps(request: SearchRequest, cancel: threading.Event) -> Generator[SearchEvent, None, EncodedDatabase]:
    """Return the database of a request, opened if it is a file; says how far that is.

    Raises
    ------
    SwguiError
        If it cannot be read.
    Stopped
        If `cancel` was set.
    """
    if isinstance(request.database, EncodedDatabase):
        return request.database
    path, read = request.database, ReadReport()

    def open_it(progress: Callable[[int, int], None]) -> EncodedDatabase:
        return open_any_database(
            path, alphabet=request.database_alphabet, report=read, progress=progress, cancel=cancel
        )

    database = yield from _reporting(f"Reading {path.name}", open_it)
    if read.altered:
        yield DatabaseAltered(path.name, read.summary())
    return database


def _reporting(
    name: str, work: Callable[[Callable[[int, int], None]], EncodedDatabase]
) -> Generator[SearchEvent, None, EncodedDatabase]:
    """Run `work(progress)` in a thread and yield a `Stage` for each of its progress calls."""
    reports: queue.SimpleQueue[tuple[int, int] | None] = queue.SimpleQueue()
    yield Stage(name)
    with ThreadPoolExecutor(1, thread_name_prefix="swgui-read") as pool:
        future = pool.submit(work, lambda done, total: reports.put((done, total)))
        future.add_done_callback(lambda _: reports.put(None))
        while (report := reports.get()) is not None:
            yield Stage(name, *report)
        return future.result()
