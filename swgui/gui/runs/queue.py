"""Searches and pairs that wait for their turn: one runs at a time, in order."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from swgui.gui.live.run_state import RunState
from swgui.gui.words import wording
from swgui.jobs.search.request import SearchRequest
from swgui.runs import default_name
from swgui.runs.records import started_by_id

if TYPE_CHECKING:
    from swgui.jobs.pair.request import PairRequest
import logging
import threading
from collections.abc import Callable, Iterator

from swgui.gui.kit.tasks.control import JobController
from swgui.jobs.events import Finished
from swgui.jobs.search.events import IterationEvent
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
            self.result_ready.emit(finished.outcome)
        else:
            self.stopped.emit()


QueueState = Literal["waiting", "preparing", "running", "paused", "stopping", "failed"]
ACTIVE = ("preparing", "running", "paused", "stopping")


@dataclass(slots=True, eq=False)
class QueuedRun:
    """A search that waits, runs, or failed without a result; a pair that waits, or could not be begun."""

    id: int
    request: SearchRequest | PairRequest
    state: QueueState = "waiting"
    started: str = ""  # local time, ISO 8601; empty while it waits
    fraction: float = 0.0  # share of the cells that is scored
    # seconds, gcups: wall time of scoring so far, and speed
    seconds: float = 0.0
    gcups: float = 0.0
    reason: str = ""  # why it failed

    @property
    def kind(self) -> str:
        """Whether it is a search or a pair."""
        return "search" if isinstance(self.request, SearchRequest) else "pair"

    @property
    def name(self) -> str:
        if isinstance(self.request, SearchRequest):
            return default_name(self.request)
        from swgui.runs.pairs import pair_name  # here: most queues have none

        return self.request.name or pair_name(self.request.query, self.request.subject)


class RunQueue(QObject):
    """Hands searches to the controller and pairs to the Pair page, one after another.

    Searches and pairs that are started there directly are seen, too. A search that ended with a result leaves the
    queue: it is in the history. One that failed without a result stays until it is removed. A pair leaves it when its
    turn comes.
    """

    changed = Signal()  # runs came, went or changed their state
    progressed = Signal()  # the running search has progressed
    ended = Signal()  # the running search has ended, however
    # It is the turn of a `PairRequest`, with its `PairPlan` or None; `set_aligning` and `pair_refused` tell what came
    # of it
    pair_turn = Signal(object, object)

    def __init__(self, controller: SearchController, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self._ids = itertools.count(1)
        self._runs: list[QueuedRun] = []
        self._current: QueuedRun | None = None
        self._starting: QueuedRun | None = None
        self._turn: QueuedRun | None = None  # the pair whose turn it is
        self._aligning = False
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
        return sum(run.state == "waiting" for run in self._runs)

    def add(self, request: SearchRequest | PairRequest) -> int:
        """Put a search or a pair at the end of the queue; it starts at once if nothing runs. Returns its id."""
        run = QueuedRun(next(self._ids), request)
        first_failed = next((row for row, other in enumerate(self._runs) if other.state == "failed"), len(self._runs))
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
        self.controller.pause(on)

    @property
    def paused(self) -> bool:
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
        index = self._runs.index(run) if run is not None else 0
        if run is not None and run.state == "waiting" and index > 0 and self._runs[index - 1].state == "waiting":
            self._runs[index - 1], self._runs[index] = run, self._runs[index - 1]
            self.changed.emit()

    def set_aligning(self, on: bool) -> None:
        self._aligning = on
        if not on:
            self._turn = None
            QTimer.singleShot(0, self, self._start_next)  # the window has yet to hear of the pair that ended

    def pair_refused(self, error: Exception) -> None:
        run, self._turn = self._turn, None
        if run is not None:
            run.state, run.reason = "failed", wording.explain(error)
            self._runs.append(run)
        self.set_aligning(False)
        self.changed.emit()

    def _find(self, run_id: int) -> QueuedRun | None:
        return next((run for run in self._runs if run.id == run_id), None)

    def _start_next(self) -> None:
        if self.controller.phase != "idle" or self._current is not None or self._turn is not None:
            return
        run = next((run for run in self._runs if run.state == "waiting"), None)
        if run is None:
            return
        if isinstance(run.request, SearchRequest):
            self._starting = run
            self.controller.start(run.request)
            self._starting = None
        elif not self._aligning:
            self._runs.remove(run)
            self._turn = run
            self.changed.emit()
            self.pair_turn.emit(run.request, run.request.plan)

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
            if state.progress.total:
                run.fraction = state.progress.done / state.progress.total
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
