"""Runs of every kind: those that use the same device run one after another, those of a page before those that wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from swgui.engines.base import EngineStatus
from swgui.engines.registry import AUTO, auto_names
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.live.run_state import RunState
from swgui.gui.words import wording
from swgui.jobs.events import finishing
from swgui.jobs.kind import kinds
from swgui.jobs.search.events import IterationEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.timed import search_steps, timed
from swgui.runs import Runs
from swgui.runs.queue import ACTIVE, QueuedRun, Turns

if TYPE_CHECKING:
    import threading

RunSearch = Callable[[SearchRequest, "threading.Event"], Iterator[IterationEvent]]


class SearchController(JobController):
    """Starts a search, gathers its events and hands over its result.

    Parameters
    ----------
    search : RunSearch
        Carries out a request; by default without keeping it.
    """

    def __init__(self, parent: QObject | None = None, *, search: RunSearch | None = None) -> None:
        events = search or (lambda request, cancel: finishing(search_steps(request, cancel)))
        super().__init__("search", lambda request, cancel: timed(events(request, cancel)), parent, make_state=RunState)


class RunQueue(QObject):
    """Hands runs to the controller of their kind, one after another.

    It also lists runs that a page starts directly. A run that ended with a result leaves the queue: it is in the
    history. One that failed without a result stays until it is removed.

    Parameters
    ----------
    controller : SearchController
        The controller of searches; `register` adds those of other kinds, or their first run makes them.
    runs : Runs, optional
        By default the user's runs.
    """

    changed = Signal()  # runs were added, removed or changed their state
    progressed = Signal()  # a run has progressed
    waits = Signal(object, object)  # a run that was started, and the run whose device it waits for
    shares = Signal(object, object)  # a run that was paused and continues, and the run whose device it uses, too
    ended = Signal()  # a run has ended, with any outcome

    def __init__(self, controller: SearchController, runs: Runs | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self.make_page: Callable[[str], object] = lambda page: None  # makes the page of a kind, which may register
        self._store = runs or Runs()
        self._turns = Turns(self._store)
        self.controllers: dict[str, JobController] = {}
        self.register(controller)

    def register(self, controller: JobController) -> None:
        """Register the controller of a kind of run."""
        kind = controller.kind
        self.controllers[kind] = controller
        controller.may_begin = lambda request: self._turns.in_the_way(kind, request) is None
        controller.waits.connect(partial(self._waits, controller))
        controller.begun.connect(partial(self._begun, controller))
        controller.state_changed.connect(partial(self._progressed, controller))
        controller.phase_changed.connect(partial(self._phase_changed, controller))
        controller.pause_changed.connect(partial(self._pause_changed, controller))
        controller.result_ready.connect(partial(self._leave, kind))
        controller.stopped.connect(partial(self._leave, kind))
        controller.failed.connect(partial(self._failed, kind))
        if controller.phase != "idle":
            self._begun(controller, controller.request)

    @property
    def runs(self) -> tuple[QueuedRun, ...]:
        """The runs that are active, those that wait in their order, those that failed."""
        return self._turns.runs

    @property
    def waiting(self) -> int:
        return self._turns.waiting

    def use_engines(self, statuses: Iterable[EngineStatus]) -> None:
        """Take in which engines can be used, so that "auto" is one of them."""
        available = {status.name for status in statuses if status.available}
        self._turns.auto = next((name for name in auto_names() if name in available), AUTO)

    def add(self, request: Any, kind: str = "search") -> int:
        """Put a run at the end of the queue; it starts at once if its devices are free. Returns its id."""
        run = self._turns.add(request, kind)
        self._start_next()
        self.changed.emit()
        return run.id

    def stop(self, run_id: int) -> None:
        """Stop an active run (its results so far are kept), or remove a waiting one from the queue."""
        run = self._turns.find(run_id)
        if run is not None and run.state in ACTIVE:
            self.controllers[run.kind].stop()
        else:
            self.remove(run_id)

    def pause(self, run_id: int, on: bool) -> None:
        """Pause a run that is active, or resume it."""
        run = self._turns.find(run_id)
        if run is not None and run.state in ACTIVE:
            self.controllers[run.kind].pause(on)

    def again(self, run_id: int) -> None:
        """Put a failed run at the end of the queue, with its original settings."""
        run = self._turns.find(run_id)
        if run is not None and run.state == "failed":
            self.remove(run_id)
            self.add(self._store.of(run.kind).anew(run.request), run.kind)

    def remove(self, run_id: int) -> None:
        """Take off a run that waits or has failed."""
        run = self._turns.find(run_id)
        if run is not None and run.state in ("waiting", "failed"):
            self._turns.remove(run)
            if run is self._turns.current(run.kind):  # its own controller makes it wait
                self.controllers[run.kind].stop()
            self.changed.emit()

    def move_up(self, run_id: int) -> None:
        """Move a waiting run before the one above it."""
        run = self._turns.find(run_id)
        if run is not None and self._turns.move_up(run):
            self.changed.emit()

    def _controller(self, kind: str) -> JobController:
        if kind not in self.controllers:
            self.make_page(kinds()[kind].page)
        if kind not in self.controllers:
            self.register(JobController(kind, partial(self._store.run, kind), self))
        return self.controllers[kind]

    def _start_next(self) -> None:
        for begun in self._turns.runs:
            if begun.state == "waiting" and begun is self._turns.current(begun.kind):
                self.controllers[begun.kind].release()
        if (run := self._turns.next()) is not None and (controller := self._controller(run.kind)).phase == "idle":
            with self._turns.starting(run):
                controller.start(run.request)

    def _waits(self, controller: JobController, request: Any) -> None:
        self._begun(controller, request)
        run, other = self._turns.current(controller.kind), self._turns.in_the_way(controller.kind, request)
        if run is not None and other is not None:
            self.waits.emit(run, other)

    def _begun(self, controller: JobController, request: Any) -> None:
        self._turns.begun(controller.kind, request, controller.began, waits=controller.phase == "waiting")
        self.changed.emit()

    def _progressed(self, controller: JobController, state: Any) -> None:
        run = self._turns.current(controller.kind)
        if run is None:
            return
        before, figures = run.state, state.figures
        if figures.begun and run.state in ("preparing", "running", "paused"):
            run.state = "paused" if (run.paused if figures.paused is None else figures.paused) else "running"
        run.fraction, run.seconds, run.gcups = figures.fraction, figures.seconds, figures.gcups
        left = bool(figures.engine) and self._turns.began_with(run, figures.engine)
        if left or (run.state == "paused" and before != "paused"):
            self._start_later()
        (self.progressed if run.state == before else self.changed).emit()

    def _phase_changed(self, controller: JobController, phase: str) -> None:
        run = self._turns.current(controller.kind)
        if run is not None and phase == "stopping":
            run.state = "stopping"
            self.changed.emit()
        elif run is not None and phase == "running" and run.state == "waiting":
            run.state = "preparing"
            self.changed.emit()

    def _pause_changed(self, controller: JobController, on: bool) -> None:
        if (run := self._turns.current(controller.kind)) is not None:
            run.paused = on
            if not on and run.state == "paused":
                QTimer.singleShot(0, self, partial(self._resumed, controller, run))  # unless Stop ended the pause
            self._progressed(controller, controller.state)
            self.changed.emit()

    def _resumed(self, controller: JobController, run: QueuedRun) -> None:
        other = self._turns.in_the_way(run.kind, run.request)
        if controller.phase == "running" and run is self._turns.current(run.kind) and other is not None:
            self.shares.emit(run, other)

    def _failed(self, kind: str, error: Exception) -> None:
        self._leave(kind, reason=wording.explain(error))

    def _leave(self, kind: str, _result: object = None, *, reason: str | None = None) -> None:
        if self._turns.ended(kind, reason):
            self.changed.emit()
            self.ended.emit()
            self._start_later()

    def _start_later(self) -> None:
        QTimer.singleShot(0, self, self._start_next)  # later: the window has not yet received the end of the run
