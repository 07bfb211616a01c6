"""The tab of questions on sets: the form, the run, and the answer."""

from __future__ import annotations

from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from swgui.commands.copying import command_of, python_of
from swgui.gui.inputs.drop import DropLayer, Dropped, Target, is_source
from swgui.gui.kit.layouts import Sheets, Upright, in_column, in_splitter
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import EmptyBox
from swgui.gui.network.asking import Asking, AskingTab
from swgui.gui.network.requests import Using
from swgui.gui.network.sets.form import SetsForm
from swgui.gui.network.sets.questions import QUESTIONS
from swgui.gui.network.sets.result import SetsResultView
from swgui.gui.network.sets.work import SetsResult, asked_by, left_by, opened, write_samples
from swgui.runs import Runs
from swgui.runs.plain import Kept, Resumed

EMPTY: Final = (
    "Two sets or one: is a test sequence in the training set, which pairs did a clustering part wrongly, how are "
    "sequences put into parts without a leak? Every pair is scored, none is left out. The answer appears here."
)
KEPT: Final = "Stopped. The pairs that were compared are kept; Resume compares the rest."


class SetsRun(Asking):
    """Carries out the questions, and opens their outcomes."""

    def __init__(self, history: Runs, parent: QWidget | None = None) -> None:
        super().__init__("sets", tuple(question.kind for question in QUESTIONS), history, parent)

    def take_outcome(self, outcome: Kept) -> None:
        """Show the outcome of a run."""
        self.prepare(partial(opened, outcome), "the result", outcome.outcome.seconds)

    def take_stop(self, control: JobController) -> None:
        """Offer to continue a run that was stopped, if it kept something."""
        super().take_stop(control)
        if isinstance(control.request, Resumed):
            self._take_left(control.left, control.request.run_id)
        else:
            history, kind, began = self._history, control.kind, control.began
            take = partial(self._take_left, control.left)
            self.opening.start(lambda _: left_by(history, kind, began), take, self.fail)

    def accept(self, made: SetsResult) -> str:
        """Return the remark on an outcome: why it is not kept."""
        self.partial = ""
        return made.kept.not_kept

    def _take_left(self, why: str, run_id: str) -> None:
        self.partial = run_id
        if run_id:
            self.say(why or KEPT)
            self._show_state()


class SetsTab(AskingTab):
    """Everything about leaks, judged clusters, splits and clusters."""

    def __init__(self, using: Using, parent: QWidget | None = None) -> None:
        super().__init__(using, parent)
        self.setObjectName("setsTab")
        self._choose_engine = using.choose_engine
        self._narrow = False
        self.form, self.asking = SetsForm(using.settings), SetsRun(using.history)
        self.view = SetsResultView(using.history, self.marks)
        self._build()
        self._connect()
        text = "Take these files for the question on the left"
        self._drop = DropLayer((Target("Sets", text, _is_given, lambda dropped: self.form.take(dropped.files)),), self)
        self._show_state()

    @property
    def running(self) -> bool:
        """Whether something is read, compared, or computed again."""
        return self.asking.running or self.view.verifying.busy

    def states(self) -> set[str]:
        """Return the states that commands need."""
        states = {
            "sets-ready": not self.form.problem and not self.running,
            "network-running": self.running,
            "network-there": self.view.result is not None,
            "network-resumable": self.asking.resumable,
        }
        return {state for state, is_so in states.items() if is_so}

    def start(self) -> None:
        """Ask the question of the form."""
        if self.form.problem or self.running:
            return
        question, given = self.form.question, self.form.values()
        work = partial(asked_by, question, given, *self._choose_engine())
        self.asking.prepare(work, "the sequences")

    def save(self) -> None:
        """Write the run of the answer to one file."""
        self.view.save()

    def export(self) -> None:
        """Write the table of the answer."""
        self.view.export()

    def methods(self) -> None:
        """Show the paragraph for a Methods section."""
        self.view.methods()

    def resume(self) -> None:
        """Compare the pairs that are left after a stop."""
        self.asking.resume()

    def stop(self) -> None:
        """End the comparison and the verification."""
        self.asking.stop()
        self.view.verifying.stop()

    def take_outcome(self, outcome: Kept) -> None:
        """Show the outcome of a run."""
        self.asking.take_outcome(outcome)

    def use_sample(self) -> None:
        """Fill in files of the sample."""
        work = partial(write_samples, self.form.question)
        self.asking.opening.start(lambda _: work(), lambda paths: self.form.use(**paths), self.asking.fail)

    def copy_command(self) -> None:
        """Copy the command of the answer that is shown."""
        if (result := self.view.result) is not None:
            self._copy(command_of(result.kind, result.kept.asked), "The command was copied.")

    def copy_python(self) -> None:
        """Copy lines of Python that give the answer that is shown."""
        if (result := self.view.result) is not None:
            self._copy(python_of(result.kind, result.kept.asked), "The lines of Python were copied.")

    def set_narrow(self, narrow: bool) -> None:
        """Show either the form or the answer if there is no room for both."""
        self._narrow = narrow
        self.view.set_narrow(narrow)
        self.show_form(self.view.result is None)

    def show_form(self, form: bool) -> None:
        """Show the form, or the answer, where there is no room for both."""
        self._side.setVisible(form or not self._narrow)
        self._sheets.setVisible(not form or not self._narrow)

    def restyle(self) -> None:
        """Follow theme and text size."""
        self.view.restyle()

    def shutdown(self) -> None:
        """Stop the workers."""
        for part in (self.asking, self.view, self.tasks):
            part.shutdown()

    def _copy(self, text: str, said: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.message.emit(said)

    def _take(self, result: SetsResult, name: str, seconds: float) -> None:
        self._sheets.show_sheet(1)
        self.view.show_result(result)
        self.show_form(False)
        if self.isVisible():
            self.view.table.setFocus(Qt.FocusReason.OtherFocusReason)  # its keys move from row to row
        self._show_state()
        self.made.emit(result.name, seconds)

    def _show_state(self) -> None:
        self.form.show_running(self.running)
        self.states_changed.emit()

    def _build(self) -> None:
        self._side = Upright(self.form, "setsSide")
        self._sheets = Sheets(EmptyBox("setsEmpty", "No answer yet", EMPTY, ()), Upright(self.view, "setsAnswerArea"))
        split = in_splitter(Qt.Orientation.Horizontal, (self._side, 2), (self._sheets, 3), name="setsSplit")
        split.setSizes([grid(48), grid(80)])
        in_column((split, 1), self.asking, margins=(2, 1.5, 2, 1.5), spacing=1, parent=self)

    def _connect(self) -> None:
        asking, view, form = self.asking, self.view, self.form
        form.changed.connect(self._show_state)
        form.start_wanted.connect(self.start)
        form.sample_wanted.connect(self.use_sample)
        asking.ready.connect(self._take)
        asking.ended.connect(self.kept)
        asking.queue_wanted.connect(self.queue_wanted)
        asking.state_changed.connect(self._show_state)
        view.message.connect(self.message)
        view.form_wanted.connect(lambda: self.show_form(True))
        view.pair_wanted.connect(self.pair_wanted)
        view.state_changed.connect(self._show_state)


def _is_given(dropped: Dropped) -> bool:
    return is_source(dropped) and not dropped.folders
