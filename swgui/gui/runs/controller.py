"""Runs searches for the window: one at a time, in the background, with events at a pace the eye can follow."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Signal

from swgui.gui.kit.tasks.control import JobController
from swgui.gui.live.run_state import RunState
from swgui.jobs.iterate.events import IterationEvent
from swgui.jobs.search.events import Finished
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.timed import run_search, timed

RunSearch = Callable[[SearchRequest, threading.Event], Iterator[IterationEvent]]
log = logging.getLogger(__name__)


class SearchController(JobController):
    """Starts a search, gathers its events and hands over its result.

    Parameters
    ----------
    search : RunSearch
        What a job runs, `swgui.jobs.search.run.run_search`.
    """

    begun = Signal(object)  # the `SearchRequest` that runs now
    result_ready = Signal(object)  # the `SearchResult`, whole or partial
    stopped = Signal()  # the search was stopped before it had anything to show

    def __init__(self, parent: QObject | None = None, *, search: RunSearch = run_search) -> None:
        super().__init__(RunState(), parent)
        self._search = search
        self.request: SearchRequest | None = None

    def start(self, request: SearchRequest) -> None:
        """Search; a search that still runs is cancelled and its result dropped."""
        self.request = request
        search = self._search
        self._launch(lambda cancel: timed(search(request, cancel)), RunState())
        log.info("Search of %d queries started, %s", len(request.queries), request.scheme.describe())
        self.begun.emit(request)
        self._under_way()

    def _ended(self) -> None:
        finished: Finished | None = self.state.finished
        if finished is not None:
            self.result_ready.emit(finished.result)
        else:
            self.stopped.emit()
