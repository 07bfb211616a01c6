"""The comparison behind a network: what is compared, its forecast, its progress, and remarks on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.database import EncodedDatabase
from swgui.core.errors import Stopped
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.control import JobController, JobState
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import progress_bar, push_button, text_label
from swgui.gui.network.work import (
    Choose,
    Comparing,
    Forecast,
    LoadedNetwork,
    Source,
    prepare,
    request_of,
    sequences_again,
)
from swgui.gui.words import wording
from swgui.io.network.file import SUFFIX
from swgui.jobs.network.request import NetworkRequest
from swgui.runs import Runs
from swgui.runs.plain import Kept, Resumed

NOTHING = "Stopped before any pairs were compared."


class Comparison(QWidget):
    """Compares sequences all against all, or reads a network; shows progress and remarks in two rows.

    Parameters
    ----------
    choose_engine : callable
        Returns engine and options.
    strand : callable
        Returns the strands to compare, ``both`` or ``plus``.
    """

    ready = Signal(object, str, float)  # a `LoadedNetwork`, its name, and the seconds of its comparison
    ended = Signal()  # a comparison ended, or something was read, with any outcome
    queue_wanted = Signal(object)  # requests, to be carried out after the runs that wait
    state_changed = Signal()
    message = Signal(str)

    def __init__(
        self, choose_engine: Choose, history: Runs, strand: Callable[[], str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._choose_engine, self._history, self._strand = choose_engine, history, strand
        self._source: tuple[Source, str] | None = None  # the last comparison, and its name
        self._forecast: Forecast | None = None  # a comparison that waits for the user to agree
        self._partial = ""  # the run that can be continued
        self.comparing, self.opening = Task(self), Task(self)
        self.control = JobController("network", partial(history.run, "network"), self)
        self._build()
        self.comparing.changed.connect(self._show_state)
        self.comparing.progressed.connect(self.show_progress)
        self.control.phase_changed.connect(lambda _phase: self._show_state())
        self.control.state_changed.connect(self._run_progressed)
        self.control.pause_changed.connect(self._paused)
        self.control.result_ready.connect(self.take_outcome)
        self.control.stopped.connect(lambda: self.fail(Stopped()))
        self.control.failed.connect(self.fail)
        self._show_state()

    @property
    def running(self) -> bool:
        """Whether sequences are read or compared."""
        return self.comparing.busy or self.control.phase != "idle"

    @property
    def resumable(self) -> bool:
        """Whether what is shown is partial, and its comparison can continue."""
        return bool(self._partial) and not self.running

    @property
    def is_file(self) -> bool:
        """Whether the last source is a saved network, so that nothing was compared."""
        source = self._source[0] if self._source is not None else None
        return isinstance(source, Path) and source.suffix == SUFFIX

    def use_file(self, path: Path) -> None:
        """Compare the sequences of a file all against all, or read a network."""
        note_input(path, "network" if path.suffix == SUFFIX else "sequences")
        self._prepare(path, path.name)

    def use_sequences(self, give: Callable[[], EncodedDatabase], name: str) -> None:
        """Compare known sequences; a worker calls `give`."""
        self._prepare(give, name)

    def take_outcome(self, outcome: Kept) -> None:
        """Show the result of a comparison, whole or partial."""
        self.comparing.stop()
        self._prepare(outcome, request_of(outcome).called, seconds=outcome.outcome.seconds)

    def take_run(self, run: Kept | Resumed | NetworkRequest) -> None:
        """Show a run of the list of runs, continue it, or carry out a request again."""
        if self.running:
            self.message.emit("Sequences are being compared: stop that first.")
        else:
            self._prepare(run, request_of(run).called)

    def resume(self) -> None:
        """Compare the pairs that are left after a stop."""
        if self.resumable:
            run_id, resume = self._partial, self._history.resume
            self.opening.start(lambda _: resume(run_id), self.take_run, self.fail)

    def begin(self) -> None:
        """Begin the comparison that was forecast to take long."""
        if self._forecast is not None:
            self._prepare(self._forecast.asked, self._forecast.asked.called, agreed=True)

    def compare_again(self) -> None:
        """Compare the same sequences in another way."""
        if self._source is not None:
            source, name = self._source
            self._prepare(sequences_again(source), name)

    def stop(self) -> None:
        """End the comparison; keep and show the results so far."""
        self.comparing.stop()
        self.control.stop()

    def shutdown(self) -> None:
        """Stop the workers."""
        for task in (self.comparing, self.opening, self.control):
            task.shutdown()

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
        """Show how much is done, in thousandths, and what."""
        motion.show_share(self._bar, share)
        self._told.setText(text)

    def _prepare(self, source: Source, name: str, *, agreed: bool = False, seconds: float = 0.0) -> None:
        """Show a known network, or queue the comparison of its sequences behind waiting runs.

        Parameters
        ----------
        seconds : float
            Time that the comparison took, if it has ended.
        """
        self._forecast = None
        motion.be_busy(self._bar)
        self._told.setText(f"Reading {name}")
        self._source = source, name
        how = Comparing(*self._choose_engine(), self._strand(), agreed)
        take = partial(self._prepared, name, seconds)
        self.comparing.start(partial(prepare, source, name, how), take, self.fail, title=name)

    def _prepared(self, name: str, seconds: float, made: LoadedNetwork | Forecast | NetworkRequest | Resumed) -> None:
        match made:
            case LoadedNetwork():
                self._partial = made.run_id if made.resumable else ""
                self._show_state()
                self.say(made.remark, "warning")
                self.ready.emit(made, name, seconds)
                self.ended.emit()
            case Forecast():
                self._forecast = made
                self.say(made.sentence)
                self._show_state()
            case _:
                self.say("The comparison waits for its turn, on the Runs page.")  # until it begins
                self.queue_wanted.emit([made])

    def _paused(self, on: bool) -> None:
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")

    def _run_progressed(self, state: JobState) -> None:
        told = state.progress.stage if state.progress is not None else state.stage.name if state.stage else ""
        self.show_progress(round(1000 * state.figures.fraction), told)

    def _show_state(self) -> None:
        self._going.setVisible(self.running)
        comparing = self.comparing.busy and not self.comparing.stopping
        self.stop_button.setEnabled(comparing or self.control.phase == "running")
        self.pause_button.setEnabled(self.control.phase == "running")
        self.begin_button.setVisible(self._forecast is not None and not self.running)
        self.resume_button.setVisible(self.resumable and self._forecast is None)
        if self.running:
            self._note.hide()
        self.state_changed.emit()

    def _build(self) -> None:
        self._note = text_label(name="networkNote", wrap=True, plain=True, tone="danger")
        self._note.hide()
        self.resume_button = push_button(
            "networkResume", "Resume", "Compare the remaining pairs", self.resume, icon="play"
        )
        self.begin_button = push_button(
            "networkBegin", "Compare", "Begin the comparison", self.begin, icon="play", role="primary"
        )
        self._going = QWidget()
        self._bar = progress_bar("networkBar", "How many of the pairs are compared")
        self._told = text_label(name="networkTold", plain=True)
        self.stop_button = push_button("networkStop", "Stop", "End the comparison (Ctrl+.)", self.stop, icon="stop")
        tip = "Pause between two blocks of sequences; the memory stays in use"
        self.pause_button = push_button("networkPause", "Pause", tip, self.control.pause, icon="pause")
        self.pause_button.setCheckable(True)
        in_row((self._bar, 1), self._told, self.pause_button, self.stop_button, spacing=2, parent=self._going)
        remarks = in_row((self._note, 1), self.begin_button, self.resume_button, spacing=2)
        in_column(remarks, self._going, spacing=1, parent=self)
