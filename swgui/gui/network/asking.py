"""The frame of what the Network page asks for: reading, a forecast of long work, the queue, progress and remarks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.errors import Stopped
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.control import JobController, JobState
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task, TaskControl
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import progress_bar, push_button, text_label
from swgui.gui.network.requests import LongRequest, Using, kind_of
from swgui.gui.words import wording
from swgui.runs import Runs
from swgui.runs.plain import Kept, Resumed

NOTHING: Final = "Stopped before any pairs were compared."
WAITS: Final = "The comparison waits for its turn, on the Runs page."


class Asking(QWidget):
    """Prepares requests of some kinds of run, hands them to the queue, and shows progress and remarks in two rows.

    Parameters
    ----------
    name : str
        Object names begin with it.
    kinds : sequence of str
        Names of the kinds of run.
    """

    ready = Signal(object, str, float)  # a result, its name, and the seconds of its comparison
    ended = Signal()  # a comparison ended, or something was read, with any outcome
    queue_wanted = Signal(object)  # requests, to be carried out after the runs that wait
    state_changed = Signal()
    message = Signal(str)

    def __init__(self, name: str, kinds: Sequence[str], history: Runs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name, self._history = name, history
        self._forecast: LongRequest | None = None  # a comparison that waits for the user to agree
        self.partial = ""  # the run that can be continued
        self.preparing, self.opening = Task(self), Task(self)
        self.controls = {kind: JobController(kind, partial(history.run, kind), self) for kind in kinds}
        self._build()
        self.preparing.changed.connect(self._show_state)
        self.preparing.progressed.connect(self.show_progress)
        for control in self.controls.values():
            control.phase_changed.connect(lambda _phase: self._show_state())
            control.state_changed.connect(self._run_progressed)
            control.pause_changed.connect(self._paused)
            control.result_ready.connect(self.take_outcome)
            control.stopped.connect(partial(self.take_stop, control))
            control.failed.connect(self.fail)
        self._show_state()

    @property
    def running(self) -> bool:
        """Whether something is read or compared."""
        return self.preparing.busy or any(control.phase != "idle" for control in self.controls.values())

    @property
    def away(self) -> bool:
        """Whether another computer compares."""
        active = (control for control in self.controls.values() if control.phase != "idle")
        return any(self._history.of(one.kind).engine(one.request)[1].on for one in active)

    @property
    def resumable(self) -> bool:
        """Whether a comparison that ended early can continue."""
        return bool(self.partial) and not self.running

    def take_outcome(self, outcome: Kept) -> None:
        """Show the outcome of a run."""
        raise NotImplementedError

    def take_stop(self, control: JobController) -> None:
        """Note that a run was stopped before there was anything, or left."""
        self.fail(Stopped())
        if control.left:
            self.say(control.left)

    def resume(self) -> None:
        """Compare the pairs that are left after a stop."""
        if self.resumable:
            run_id, resume = self.partial, self._history.resume
            self.opening.start(lambda _: resume(run_id), self.enqueue, self.fail)

    def begin(self) -> None:
        """Begin the comparison that was forecast to take long."""
        if self._forecast is not None:
            asked, self._forecast = self._forecast.asked, None
            self.enqueue(asked)

    def stop(self) -> None:
        """End the comparison; keep the results so far."""
        self.preparing.stop()
        for control in self.controls.values():
            control.stop()

    def pause(self, on: bool) -> None:
        """Pause the comparison, or let it continue."""
        for control in self.controls.values():
            control.pause(on)

    def shutdown(self) -> None:
        """Stop the workers."""
        self.preparing.shutdown()
        self.opening.shutdown()
        for control in self.controls.values():
            control.shutdown()

    def prepare(self, work: Callable[[TaskControl], object], name: str, seconds: float = 0.0) -> None:
        """Have a worker read a result, or make a request, which is put in the queue.

        Parameters
        ----------
        work : callable
            Returns a request, its `LongRequest`, or anything else, which is `ready`.
        seconds : float
            Time that the comparison took, if it has ended.
        """
        self._forecast = None
        motion.be_busy(self._bar)
        self._told.setText(f"Reading {name}")
        self.preparing.start(work, partial(self._prepared, name, seconds), self.fail, title=name)

    def enqueue(self, asked: Any) -> None:
        """Put a request in the queue."""
        self.say(WAITS)  # until it begins
        self.queue_wanted.emit([asked])
        self._show_state()

    def say(self, text: str, tone: str = "") -> None:
        """Show a remark; none for an empty text."""
        self._note.setText(text)
        set_role(self._note, tone=tone)
        self._note.setVisible(bool(text))

    def fail(self, error: Exception) -> None:
        """Show why something did not work."""
        stopped = isinstance(error, Stopped)
        self.say(NOTHING if stopped else wording.explain(error), "" if stopped else "danger")
        self.ended.emit()
        self._show_state()

    def show_progress(self, share: int, text: str) -> None:
        """Show the share that is done, in thousandths, and the name of the work."""
        motion.show_share(self._bar, share)
        self._told.setText(text)

    def accept(self, made: Any) -> str:
        """Note a result that was read, and return a remark on it; empty for none."""
        return ""

    def _prepared(self, name: str, seconds: float, made: Any) -> None:
        if isinstance(made, LongRequest):
            self._forecast = made
            self.say(made.sentence)
            self._show_state()
        elif isinstance(made, Resumed) or kind_of(made):
            self.enqueue(made)
        else:
            remark = self.accept(made)
            self._show_state()
            self.say(remark, "warning")
            self.ready.emit(made, name, seconds)
            self.ended.emit()

    def _paused(self, on: bool) -> None:
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")

    def _run_progressed(self, state: JobState) -> None:
        proceeds = state.progress is None or state.said == state.progress.stage  # no time is left while it does not
        far = wording.share_and_left(state.figures.fraction, state.figures.seconds) if proceeds else ""
        told = f"{state.said}: {far}" if far else state.said
        self.show_progress(round(1000 * state.figures.fraction), told)

    def _show_state(self) -> None:
        running = any(control.phase == "running" for control in self.controls.values())
        reading = self.preparing.busy and not self.preparing.stopping
        self._going.setVisible(self.running)
        self.stop_button.setEnabled(reading or running)
        self.pause_button.setEnabled(running)
        self.begin_button.setVisible(self._forecast is not None and not self.running)
        self.resume_button.setVisible(self.resumable and self._forecast is None)
        if self.running:
            self._note.hide()
        self.state_changed.emit()

    def _build(self) -> None:
        name = self._name
        self._note = text_label(name=f"{name}Note", wrap=True, plain=True, tone="danger")
        self._note.hide()
        self.resume_button = push_button(
            f"{name}Resume", "Resume", "Compare the remaining pairs", self.resume, icon="play"
        )
        self.begin_button = push_button(f"{name}Begin", "Compare", "Begin the comparison", self.begin, role="primary")
        self._going = QWidget()
        self._bar = progress_bar(f"{name}Bar", "How many of the pairs are compared")
        self._told = text_label(name=f"{name}Told", plain=True)
        self.stop_button = push_button(f"{name}Stop", "Stop", "End the comparison (Ctrl+.)", self.stop, icon="stop")
        tip = "Pause between two blocks of sequences; the memory stays in use"
        self.pause_button = push_button(f"{name}Pause", "Pause", tip, self.pause, icon="pause")
        self.pause_button.setCheckable(True)
        in_row((self._bar, 1), self._told, self.pause_button, self.stop_button, spacing=2, parent=self._going)
        remarks = in_row((self._note, 1), self.begin_button, self.resume_button, spacing=2)
        in_column(remarks, self._going, spacing=1, parent=self)


class AskingTab(QWidget):
    """A tab of the Network page: its signals, its small tasks, and the stars and notes of sequences."""

    states_changed = Signal()
    message = Signal(str)
    queue_wanted = Signal(object)  # requests, to be carried out after the runs that wait
    made = Signal(str, float)  # title of a result, and the seconds after which it appeared
    kept = Signal()  # something changed among the runs
    pair_wanted = Signal(object, object, object, str)  # query and subject, their `ScoringScheme`, and the strand

    def __init__(self, using: Using, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tasks = Tasks(self)
        self.marks = using.marks or SharedMarks(using.history, self.tasks, self)
