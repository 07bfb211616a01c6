"""Runs searches for the window: one at a time, in the background, with events at a pace the eye can follow."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from swgui.core.events import Finished, SearchEvent
from swgui.gui import motion
from swgui.gui.jobs import JobRunner
from swgui.gui.pages.run_state import RunState
from swgui.search import SearchRequest, run_search

Phase = Literal["idle", "running", "stopping"]
RunSearch = Callable[[SearchRequest, threading.Event], Iterator[SearchEvent]]
log = logging.getLogger(__name__)


class SearchController(QObject):
    """Starts a search, gathers its events and hands over its result.

    Parameters
    ----------
    search : Callable[[SearchRequest, threading.Event], Iterator[SearchEvent]]
        What a job runs, `swgui.search.run_search`.

    Signals
    -------
    phase_changed(str)
        ``idle``, ``running`` or ``stopping``.
    begun(object)
        The `SearchRequest` that runs now.
    state_changed(object)
        The `RunState`, at most ten times a second, and once more at the end.
    result_ready(object)
        The `SearchResult`, whole or partial.
    failed(object)
        The exception that ended the search without a result.
    stopped()
        The search was stopped before it had anything to show.
    held(bool)
        The search is to rest between two chunks, or goes on.
    """

    phase_changed = Signal(str)
    begun = Signal(object)
    state_changed = Signal(object)
    result_ready = Signal(object)
    failed = Signal(object)
    stopped = Signal()
    held = Signal(bool)

    def __init__(self, parent: QObject | None = None, *, search: RunSearch = run_search) -> None:
        super().__init__(parent)
        self._search = search
        self._phase: Phase = "idle"
        self._error: Exception | None = None
        self._changed = False
        self._paused = False
        self.request: SearchRequest | None = None
        self.state = RunState()
        self._runner = JobRunner(self)
        self._runner.event.connect(self._on_event)
        self._runner.failed.connect(self._on_failed)
        self._runner.finished.connect(self._on_finished)
        self._pace = QTimer(self)
        self._pace.timeout.connect(self._tell)

    @property
    def phase(self) -> Phase:
        """What goes on."""
        return self._phase

    def start(self, request: SearchRequest) -> None:
        """Search; a search that still runs is cancelled and its result dropped."""
        self.request = request
        self.state = RunState()
        self._error = None
        self._changed = False
        self._hold(False)
        search = self._search
        self._runner.start(lambda cancel: search(request, cancel))
        log.info("Search of %d queries started, %s", len(request.queries), request.scheme.describe())
        self.begun.emit(request)
        self._enter("running")
        self._pace.start(motion.repaint_ms())

    def stop(self) -> None:
        """End the search soon; what was scored comes as a partial result."""
        if self._phase == "running":
            self._hold(False)
            self._runner.cancel()
            self._enter("stopping")

    @property
    def paused(self) -> bool:
        """Whether the search rests, or will before its next chunk."""
        return self._paused

    def pause(self, on: bool) -> None:
        """Let the search rest between two chunks, or go on. Memory stays taken."""
        if self._phase == "running" and on != self._paused:
            self._runner.hold(on)
            self._hold(on)

    def _hold(self, on: bool) -> None:
        if on != self._paused:
            self._paused = on
            self.held.emit(on)

    def shutdown(self) -> None:
        """Stop whatever runs and join the thread."""
        self._pace.stop()
        self._runner.shutdown()

    @Slot(int, object)
    def _on_event(self, job_id: int, event: SearchEvent) -> None:
        if job_id == self._runner.current:
            self.state.feed(event)
            self._changed = True

    @Slot(int, object)
    def _on_failed(self, job_id: int, error: Exception) -> None:
        if job_id == self._runner.current:
            self._error = error

    @Slot(int, bool)
    def _on_finished(self, job_id: int, cancelled: bool) -> None:
        if job_id != self._runner.current:
            return
        self._pace.stop()
        self._changed = True
        self._tell()
        self._hold(False)
        self._enter("idle")
        finished: Finished | None = self.state.finished
        if self._error is not None:
            self.failed.emit(self._error)
        elif finished is not None:
            self.result_ready.emit(finished.result)
        else:
            self.stopped.emit()

    def _tell(self) -> None:
        if self._changed:
            self._changed = False
            self.state_changed.emit(self.state)

    def _enter(self, phase: Phase) -> None:
        if phase != self._phase:
            self._phase = phase
            self.phase_changed.emit(phase)
