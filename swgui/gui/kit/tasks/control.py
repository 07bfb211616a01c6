"""One job of any kind of run: it starts, pauses, stops and reports its progress."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from swgui.core.control import RunControl
from swgui.core.errors import Stopped
from swgui.gui.kit import motion
from swgui.gui.kit.tasks.task import MakeEvents, Task
from swgui.jobs.events import Finished, Progress, Stage

log = logging.getLogger(__name__)


class Figures(NamedTuple):
    """Progress of a run for lists: share that is done, seconds of work, and speed where cells are counted.

    Parameters
    ----------
    begun : bool
        Whether the work itself began; it is prepared until then.
    paused : bool or None
        Whether it is paused; None for kinds of run without this state.
    engine : str
        The engine that it began with; empty while or where it is not known.
    """

    begun: bool = False
    fraction: float = 0.0
    seconds: float = 0.0
    gcups: float = 0.0
    paused: bool | None = None
    engine: str = ""


class JobState:
    """Takes the events of one run, of a kind without a state of its own."""

    def __init__(self) -> None:
        self.stage: Stage | None = None
        self.progress: Progress | None = None
        self.finished: Finished | None = None
        self.said = ""  # name of the work, as the newest event has it

    def feed(self, event: object) -> None:
        match event:
            case Stage():
                self.stage, self.said = event, event.name
            case Progress():
                self.progress, self.said = event, event.stage
            case Finished():
                self.finished = event

    @property
    def figures(self) -> Figures:
        progress = self.progress
        if progress is None:
            stage = self.stage
            share = stage.done / stage.total if stage is not None and stage.total else 0.0
            return Figures(bool(share), share)
        speed = progress.done / progress.seconds / 1e9 if progress.unit == "cells" and progress.seconds else 0.0
        return Figures(True, progress.fraction or 0.0, progress.seconds, speed)


class JobController(QObject):
    """Carries out one request of a kind at a time, gathers its events in a state and reports it at a steady pace.

    Parameters
    ----------
    kind : str
        Name of the `swgui.jobs.kind.Kind`.
    run : callable
        Called by a worker with a request and what stops or pauses it; gives the events of the run.
    make_state : callable
        Makes what takes the events: with ``feed(event)``, ``finished`` and ``figures``.

    Attributes
    ----------
    may_begin : callable
        Whether a request may begin now: what knows the devices of all runs gives it.
    """

    waits = Signal(object)  # the request that waits for a device, and begins when `release` is called
    begun = Signal(object)  # the request that runs now
    phase_changed = Signal(str)  # ``idle``, ``waiting``, ``running`` or ``stopping``
    pause_changed = Signal(bool)  # the job is to pause, or resumes
    state_changed = Signal(object)  # the state, at most ten times a second, and once more at the end
    result_ready = Signal(object)  # the outcome, whole or partial
    stopped = Signal()  # the job was stopped before it had a result
    failed = Signal(object)  # the exception that ended the job without a result

    def __init__(
        self,
        kind: str,
        run: Callable[[Any, RunControl], Iterable[object]],
        parent: QObject | None = None,
        *,
        make_state: Callable[[], Any] = JobState,
    ) -> None:
        super().__init__(parent)
        self.kind = kind
        self.request: Any = None  # the current run, or the last one
        self.began = ""  # its time; local time, ISO 8601
        self.may_begin: Callable[[Any], bool] = lambda _request: True
        self._run, self._make_state = run, make_state
        self._phase = "idle"
        self._paused = False
        self._error: Exception | None = None
        self._changed = False
        self.state = make_state()
        self.task = Task(self)
        self.task.part.connect(self._on_event)
        self.task.failed.connect(self._on_failed)
        self.task.finished.connect(self._on_finished)
        self._pace = QTimer(self)
        self._pace.timeout.connect(self._tell)

    @property
    def phase(self) -> str:
        return self._phase

    @property
    def paused(self) -> bool:
        return self._paused

    @property
    def left(self) -> str:
        """Why the last job was left, which continues on another computer; empty if it has ended."""
        return str(self._error) if isinstance(self._error, Stopped) and self._error.continues else ""

    @property
    def active(self) -> bool:
        """Whether a job has begun and not ended."""
        return self._phase in ("running", "stopping")

    def start(self, request: Any) -> None:
        """Carry out a request, once it may begin; cancels a running one and drops its outcome."""
        self.request = request
        if self.active or self.may_begin(request):
            self._begin(request)
            return
        self.began, self.state = "", self._make_state()
        self._enter("waiting")
        self.waits.emit(request)

    def release(self) -> None:
        """Begin what waits, if it may."""
        if self._phase == "waiting" and self.may_begin(self.request):
            self._begin(self.request)

    def _begin(self, request: Any) -> None:
        run = self._run
        self._launch(lambda cancel: run(request, cancel))
        log.info("A run of the kind '%s' started", self.kind)
        self.began = datetime.now().astimezone().isoformat(timespec="seconds")
        self.begun.emit(request)
        self._under_way()

    def pause(self, on: bool) -> None:
        if self._phase == "running" and on != self._paused:
            self.task.pause(on)
            self._note_pause(on)

    def stop(self) -> None:
        """End the job soon; the results so far come as a partial result."""
        if self._phase == "waiting":
            self._enter("idle")
            self.stopped.emit()
        elif self._phase == "running":
            self._note_pause(False)
            self.task.stop()
            self._enter("stopping")

    def shutdown(self) -> None:
        """Stop any running job; its later events are dropped."""
        self._pace.stop()
        self.task.shutdown()

    def _launch(self, make_events: MakeEvents) -> None:
        self.state = self._make_state()
        self._error, self._changed = None, False
        self._note_pause(False)
        self.task.follow(make_events)

    def _under_way(self) -> None:
        self._enter("running")
        self._pace.start(motion.repaint_ms())

    @Slot(object)
    def _on_event(self, event: object) -> None:
        self.state.feed(event)
        self._changed = True

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._error = error

    @Slot(bool)
    def _on_finished(self, _stopped: bool) -> None:
        self._pace.stop()
        self._changed = True
        self._tell()
        self._note_pause(False)
        self._enter("idle")
        if self.state.finished is not None and self._error is None:
            self.result_ready.emit(self.state.finished.outcome)
        elif self._error is None or isinstance(self._error, Stopped):
            self.stopped.emit()
        else:
            self.failed.emit(self._error)

    def _note_pause(self, on: bool) -> None:
        if on != self._paused:
            self._paused = on
            self.pause_changed.emit(on)

    def _tell(self) -> None:
        if self._changed:
            self._changed = False
            self.state_changed.emit(self.state)

    def _enter(self, phase: str) -> None:
        if phase != self._phase:
            self._phase = phase
            self.phase_changed.emit(phase)
