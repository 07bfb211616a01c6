"""What a search and the alignment of a pair have in common: one job that runs, pauses, stops and tells its progress."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from swgui.gui.kit import motion
from swgui.gui.kit.tasks.task import MakeEvents, Task


class JobController(QObject):
    """Gathers the events of one job at a time in a state and tells of it at a steady pace.

    Parameters
    ----------
    state : object
        With a method ``feed(event)``; `_launch` takes a new one for each job.
    """

    phase_changed = Signal(str)  # ``idle``, ``running``, ``stopping``, or what a subclass adds
    pause_changed = Signal(bool)  # the job is to pause, or resumes
    state_changed = Signal(object)  # the state, at most ten times a second, and once more at the end
    failed = Signal(object)  # the exception that ended the job without a result

    def __init__(self, state: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._phase = "idle"
        self._paused = False
        self._error: Exception | None = None
        self._changed = False
        self.state = state
        self._task = Task(self)
        self._task.part.connect(self._on_event)
        self._task.failed.connect(self._on_failed)
        self._task.finished.connect(self._on_finished)
        self._pace = QTimer(self)
        self._pace.timeout.connect(self._tell)

    @property
    def phase(self) -> str:
        return self._phase

    @property
    def paused(self) -> bool:
        return self._paused

    def pause(self, on: bool) -> None:
        if self._phase == "running" and on != self._paused:
            self._task.pause(on)
            self._note_pause(on)

    def stop(self) -> None:
        """End the job soon; what is known by then comes as a partial result."""
        if self._phase == "running":
            self._note_pause(False)
            self._task.stop()
            self._enter("stopping")

    def shutdown(self) -> None:
        """Stop whatever runs; nothing is heard of it any more."""
        self._pace.stop()
        self._task.shutdown()

    def _launch(self, make_events: MakeEvents, state: Any) -> None:
        """Run a job; one that still runs is cancelled and falls silent."""
        self.state = state
        self._error, self._changed = None, False
        self._note_pause(False)
        self._task.follow(make_events)

    def _under_way(self) -> None:
        self._enter("running")
        self._pace.start(motion.repaint_ms())

    def _ended(self) -> None:
        """Hand over what the job has given; it did not fail."""
        raise NotImplementedError

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
        if self._error is not None:
            self.failed.emit(self._error)
        else:
            self._ended()

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
