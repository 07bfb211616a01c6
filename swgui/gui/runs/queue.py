"""Runs that wait for their turn, of any kind: those that use the same device run one after another, in order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from PySide6.QtCore import QObject, QTimer, Signal

from swgui.engines.facts import GPU
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.live.run_state import RunState
from swgui.gui.words import wording
from swgui.jobs.kind import kinds
from swgui.jobs.search.events import IterationEvent
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.timed import run_search, timed
from swgui.runs import Runs
from swgui.runs.queue import devices_of, meet
from swgui.runs.records import started_by_id

if TYPE_CHECKING:
    import threading

    from swgui.runs.kept import About

RunSearch = Callable[[SearchRequest, "threading.Event"], Iterator[IterationEvent]]
QueueState = Literal["waiting", "preparing", "running", "paused", "stopping", "failed"]
ACTIVE = ("preparing", "running", "paused", "stopping")


class SearchController(JobController):
    """Starts a search, gathers its events and hands over its result.

    Parameters
    ----------
    search : RunSearch
        What a job runs, `swgui.jobs.search.run.run_search`.
    """

    def __init__(self, parent: QObject | None = None, *, search: RunSearch = run_search) -> None:
        super().__init__("search", lambda request, cancel: timed(search(request, cancel)), parent, make_state=RunState)


@dataclass(slots=True, eq=False)
class QueuedRun:
    """A run that waits, runs, or failed without a result."""

    id: int
    kind: str
    request: Any
    about: About
    devices: frozenset[str]  # that it may use
    state: QueueState = "waiting"
    paused: bool = False  # whether it is paused, or will be soon
    started: str = ""  # local time, ISO 8601; empty while it waits
    fraction: float = 0.0  # share of the work that is done
    # seconds, gcups: wall time of the work so far, and speed
    seconds: float = 0.0
    gcups: float = 0.0
    reason: str = ""  # why it failed

    @property
    def name(self) -> str:
        return self.about.name


class RunQueue(QObject):
    """Hands runs to the controller of their kind, one after another.

    Runs that a page starts directly are seen, too. A run that ended with a result leaves the queue: it is in the
    history. One that failed without a result stays until it is removed.

    Parameters
    ----------
    controller : SearchController
        Of searches; those of other kinds are added by `register`, or made when their first run has its turn.
    runs : Runs, optional
        By default those of the user.
    """

    changed = Signal()  # runs came, went or changed their state
    progressed = Signal()  # a run has progressed
    ended = Signal()  # a run has ended, however

    def __init__(self, controller: SearchController, runs: Runs | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.controller = controller
        self.make_page: Callable[[str], object] = lambda page: None  # makes the page of a kind, which may register
        self._store = runs or Runs()
        self._ids = itertools.count(1)
        self._runs: list[QueuedRun] = []
        self._controllers: dict[str, JobController] = {}
        self._current: dict[str, QueuedRun] = {}  # by kind
        self._own: QueuedRun | None = None  # the run that the queue began last, while it runs
        self._starting: QueuedRun | None = None
        self.register(controller)

    def register(self, controller: JobController) -> None:
        """Take what carries out the runs of a kind."""
        kind = controller.kind
        self._controllers[kind] = controller
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
        return tuple(self._runs)

    @property
    def waiting(self) -> int:
        return sum(run.state == "waiting" for run in self._runs)

    def on_gpu(self, without: Sequence[str] = ()) -> bool:
        """Whether an active run may use a GPU; those of some kinds left out."""
        active = (run for kind, run in self._current.items() if kind not in without and run.state in ACTIVE)
        return any(meet(run.devices, (GPU.name,)) for run in active)

    def add(self, request: Any, kind: str = "search") -> int:
        """Put a run at the end of the queue; it starts at once if its devices are free. Returns its id."""
        run = self._entry(request, kind)
        first_failed = next((row for row, other in enumerate(self._runs) if other.state == "failed"), len(self._runs))
        self._runs.insert(first_failed, run)
        self._start_next()
        self.changed.emit()
        return run.id

    def stop(self, run_id: int) -> None:
        """Stop a run that is active (what was found is kept), or take one that waits off the queue."""
        run = self._find(run_id)
        if run is not None and run.state in ACTIVE:
            self._controllers[run.kind].stop()
        else:
            self.remove(run_id)

    def pause(self, run_id: int, on: bool) -> None:
        """Pause a run that is active, or resume it."""
        run = self._find(run_id)
        if run is not None and run.state in ACTIVE:
            self._controllers[run.kind].pause(on)

    def again(self, run_id: int) -> None:
        """Put a run that failed at the end of the queue, as it was when it was asked for."""
        run = self._find(run_id)
        if run is not None and run.state == "failed":
            self.remove(run_id)
            self.add(self._store.of(run.kind).anew(run.request), run.kind)

    def remove(self, run_id: int) -> None:
        """Take off a run that waits or has failed."""
        run = self._find(run_id)
        if run is not None and run.state in ("waiting", "failed"):
            self._runs.remove(run)
            if run in self._current.values():  # its own controller lets it wait
                self._controllers[run.kind].stop()
            self.changed.emit()

    def move_up(self, run_id: int) -> None:
        """Let a run that waits go before the one that waits above it."""
        run = self._find(run_id)
        index = self._runs.index(run) if run is not None else 0
        if run is not None and run.state == "waiting" and index > 0 and self._runs[index - 1].state == "waiting":
            self._runs[index - 1], self._runs[index] = run, self._runs[index - 1]
            self.changed.emit()

    def _entry(self, request: Any, kind: str) -> QueuedRun:
        kept = self._store.of(kind)
        return QueuedRun(next(self._ids), kind, request, kept.about(request), devices_of(*kept.engine(request)))

    def _find(self, run_id: int) -> QueuedRun | None:
        return next((run for run in self._runs if run.id == run_id), None)

    def _controller(self, kind: str) -> JobController:
        if kind not in self._controllers:
            self.make_page(kinds()[kind].page)
        if kind not in self._controllers:
            self.register(JobController(kind, partial(self._store.run, kind), self))
        return self._controllers[kind]

    def _start_next(self) -> None:
        begun = self._current.values()
        waiting = [run for run in self._runs if run.state == "waiting" and run not in begun]
        # What measures waits for all others
        run = next((run for run in waiting if not kinds()[run.kind].gives_way), waiting[0] if waiting else None)
        if run is None or self._own is not None or any(meet(run.devices, other.devices) for other in begun):
            return
        if kinds()[run.kind].gives_way and begun:
            return
        controller = self._controller(run.kind)
        if controller.phase == "idle" and run.kind not in self._current:
            self._starting = self._own = run
            controller.start(run.request)
            self._starting = None

    def _begun(self, controller: JobController, request: Any) -> None:
        kind, run = controller.kind, self._starting
        earlier = self._current.get(kind)
        if earlier is not None:  # it waited, or it was replaced by this one, and its result dropped
            self._runs.remove(earlier)
        if earlier is not None and earlier.request is request:
            run = earlier
        elif run is None or run.request is not request:
            run = self._entry(request, kind)
        else:
            self._runs.remove(run)
        self._runs.insert(0, run)
        run.state = "preparing" if controller.phase != "waiting" else "waiting"
        # A run that is resumed began earlier
        run.started = started_by_id(getattr(request, "run_id", "")) or controller.began
        if earlier is not run and earlier is self._own:
            self._own = None
        self._current[kind] = run
        self.changed.emit()

    def _progressed(self, controller: JobController, state: Any) -> None:
        run = self._current.get(controller.kind)
        if run is None:
            return
        before, figures = run.state, state.figures
        if figures.begun and run.state in ("preparing", "running", "paused"):
            run.state = "paused" if (run.paused if figures.paused is None else figures.paused) else "running"
        run.fraction, run.seconds, run.gcups = figures.fraction, figures.seconds, figures.gcups
        (self.progressed if run.state == before else self.changed).emit()

    def _phase_changed(self, controller: JobController, phase: str) -> None:
        run = self._current.get(controller.kind)
        if run is not None and phase == "stopping":
            run.state = "stopping"
            self.changed.emit()
        elif run is not None and phase == "running" and run.state == "waiting":
            run.state = "preparing"
            self.changed.emit()

    def _pause_changed(self, controller: JobController, on: bool) -> None:
        if (run := self._current.get(controller.kind)) is not None:
            run.paused = on
            self._progressed(controller, controller.state)
            self.changed.emit()

    def _failed(self, kind: str, error: Exception) -> None:
        if (run := self._current.get(kind)) is not None:
            run.state, run.reason = "failed", wording.explain(error)
            self._runs.remove(run)
            self._runs.append(run)
            self._move_on(kind)

    def _leave(self, kind: str, _result: object = None) -> None:
        if (run := self._current.get(kind)) is not None:
            if run in self._runs:
                self._runs.remove(run)
            self._move_on(kind)

    def _move_on(self, kind: str) -> None:
        if self._current.pop(kind) is self._own:
            self._own = None
        self.changed.emit()
        self.ended.emit()
        # Not at once: the window has yet to hear of the run that ended.
        QTimer.singleShot(0, self, self._start_next)
