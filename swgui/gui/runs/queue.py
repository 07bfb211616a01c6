"""Searches that wait for their turn: one runs at a time, in order."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from PySide6.QtCore import QObject, QTimer, Signal

from swgui.gui.live.run_state import RunState
from swgui.gui.runs.controller import SearchController
from swgui.gui.words import wording
from swgui.history import default_name
from swgui.history.records import started_by_id
from swgui.jobs.search.request import SearchRequest

QueueState = Literal["waiting", "preparing", "running", "paused", "stopping", "failed"]
ACTIVE = ("preparing", "running", "paused", "stopping")


@dataclass(slots=True, eq=False)
class QueuedRun:
    """A search that waits, runs, or failed without a result.

    Parameters
    ----------
    id : int
    request : SearchRequest
    state : {"waiting", "preparing", "running", "paused", "stopping", "failed"}
    started : str
        Local time, ISO 8601; empty while it waits.
    fraction : float
        Share of the cells that is scored.
    seconds, gcups : float
        Wall time of scoring so far, and speed.
    reason : str
        Why it failed.
    """

    id: int
    request: SearchRequest
    state: QueueState = "waiting"
    started: str = ""
    fraction: float = 0.0
    seconds: float = 0.0
    gcups: float = 0.0
    reason: str = ""

    @property
    def name(self) -> str:
        """What the run is called."""
        return default_name(self.request)


class RunQueue(QObject):
    """Hands searches to the controller, one after another; searches started there directly are seen too.

    A run that ended with a result leaves the queue: it is in the history. One that failed without a result stays
    until it is removed.

    Parameters
    ----------
    controller : SearchController

    Signals
    -------
    changed()
        Runs came, went or changed their state.
    progressed()
        The running search has progressed.
    ended()
        The running search has ended, however.
    """

    changed = Signal()
    progressed = Signal()
    ended = Signal()

    def __init__(self, controller: SearchController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self._ids = itertools.count(1)
        self._runs: list[QueuedRun] = []
        self._current: QueuedRun | None = None
        self._starting: QueuedRun | None = None
        controller.begun.connect(self._begun)
        controller.state_changed.connect(self._progressed)
        controller.phase_changed.connect(self._phase_changed)
        controller.pause_changed.connect(self._pause_changed)
        controller.result_ready.connect(self._leave)
        controller.stopped.connect(self._leave)
        controller.failed.connect(self._failed)

    @property
    def runs(self) -> tuple[QueuedRun, ...]:
        """The running search, those that wait in their order, those that failed."""
        return tuple(self._runs)

    @property
    def waiting(self) -> int:
        """How many searches wait."""
        return sum(run.state == "waiting" for run in self._runs)

    def add(self, request: SearchRequest) -> int:
        """Put a search at the end of the queue; it starts at once if nothing runs. Returns its id."""
        run = QueuedRun(next(self._ids), request)
        first_failed = next((at for at, other in enumerate(self._runs) if other.state == "failed"), len(self._runs))
        self._runs.insert(first_failed, run)
        self._start_next()
        self.changed.emit()
        return run.id

    def stop(self, run_id: int) -> None:
        """Stop the running search (what was scored is kept), or take one that waits off the queue."""
        run = self._find(run_id)
        if run is not None and run.state in ("waiting", "failed"):
            self.remove(run_id)
        elif run is not None and run is self._current:
            self.controller.stop()

    def pause(self, on: bool) -> None:
        """Pause the running search between two chunks, or resume it."""
        self.controller.pause(on)

    @property
    def paused(self) -> bool:
        """Whether the running search is paused, or will be soon."""
        return self.controller.paused

    def remove(self, run_id: int) -> None:
        """Take off a run that waits or has failed."""
        run = self._find(run_id)
        if run is not None and run.state in ("waiting", "failed"):
            self._runs.remove(run)
            self.changed.emit()

    def move_up(self, run_id: int) -> None:
        """Let a run that waits go before the one that waits above it."""
        run = self._find(run_id)
        at = self._runs.index(run) if run is not None else 0
        if run is not None and run.state == "waiting" and at > 0 and self._runs[at - 1].state == "waiting":
            self._runs[at - 1], self._runs[at] = run, self._runs[at - 1]
            self.changed.emit()

    def _find(self, run_id: int) -> QueuedRun | None:
        return next((run for run in self._runs if run.id == run_id), None)

    def _start_next(self) -> None:
        if self.controller.phase != "idle" or self._current is not None:
            return
        run = next((run for run in self._runs if run.state == "waiting"), None)
        if run is not None:
            self._starting = run
            self.controller.start(run.request)
            self._starting = None

    def _begun(self, request: SearchRequest) -> None:
        if self._current is not None:  # it was replaced by this one, and its result dropped
            self._runs.remove(self._current)
        run = self._starting
        if run is None or run.request is not request:
            run = QueuedRun(next(self._ids), request)
            self._runs.insert(0, run)
        else:
            self._runs.remove(run)
            self._runs.insert(0, run)
        run.state = "preparing"
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        run.started = started_by_id(request.run_id) or now  # a run that is resumed began earlier
        self._current = run
        self.changed.emit()

    def _progressed(self, state: RunState) -> None:
        run = self._current
        if run is None:
            return
        before = run.state
        if state.started is not None and run.state in ("preparing", "running", "paused"):
            run.state = "paused" if state.paused else "running"
        if state.progress is not None:
            run.seconds = state.progress.seconds
            if state.progress.cells_total:
                run.fraction = state.progress.cells_done / state.progress.cells_total
            run.gcups = state.gcups
        (self.progressed if run.state == before else self.changed).emit()

    def _phase_changed(self, phase: str) -> None:
        if phase == "stopping" and self._current is not None:
            self._current.state = "stopping"
            self.changed.emit()

    def _pause_changed(self, _on: bool) -> None:
        self.changed.emit()

    def _failed(self, error: Exception) -> None:
        run = self._current
        if run is None:
            return
        run.state, run.reason = "failed", wording.explain(error)
        self._runs.remove(run)
        self._runs.append(run)
        self._move_on()

    def _leave(self, _result: object = None) -> None:
        if self._current is not None:
            self._runs.remove(self._current)
            self._move_on()

    def _move_on(self) -> None:
        self._current = None
        self.changed.emit()
        self.ended.emit()
        # Not at once: the window has yet to hear of the run that ended.
        QTimer.singleShot(0, self, self._start_next)
