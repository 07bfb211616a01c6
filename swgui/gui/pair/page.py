"""The Pair page: exact alignment of two sequences of any length, and its views."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QFrame,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from swgui.core.errors import InvalidParameter, Stopped, SwguiError
from swgui.core.pair.problem import PairPlan
from swgui.core.pair.result import PairResult
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Strand
from swgui.engines.base import EngineStatus
from swgui.gui.inputs.features import FeatureChoice
from swgui.gui.inputs.methods_dialog import MethodsDialog
from swgui.gui.inputs.saving_dialog import SavingDialog, first_lines
from swgui.gui.kit import motion
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Sheets, in_column, in_row, scrolling
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Tell
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    combo_box,
    make_menu,
    menu_command,
    plain,
    progress_bar,
    push_button,
    text_label,
    tool_button,
)
from swgui.gui.pair import wording as pair_wording
from swgui.gui.pair.control import PairController, PairRunState
from swgui.gui.pair.result import PairResultView
from swgui.gui.pair.setup import PairSetup
from swgui.gui.pair.wording import size
from swgui.gui.words import wording
from swgui.io.export.base import TextOut
from swgui.io.export.pairs import PAIR_FORMATS, PairFormat, check_pair_format, write_pair
from swgui.io.methods.pairs import pair_methods
from swgui.io.saved.pair import open_pair_result
from swgui.io.whole_file import save_text
from swgui.jobs.pair.events import PairEvent
from swgui.jobs.pair.request import AlignPair, PairRequest
from swgui.jobs.pair.run import plan_pair
from swgui.runs import Runs
from swgui.runs.pairs import Unfinished
from swgui.settings import Settings

log = logging.getLogger(__name__)
PLAN_DELAY_MS = 150
KEPT_RESULTS = 8
RESULT_FILES = "Pair results (*.json);;All files (*)"
PARTS = (
    ("setup", "Sequences and settings", "Sequences and settings"),
    ("result", "Result", "Result of the alignment"),
)
PlanPair = Callable[[PairRequest], PairPlan]
BAR_STEPS = 1_000
WAITING = "Waiting: another run uses this device. The alignment begins when that has ended or is paused."
PREVIEW_CHARACTERS = 40_000


class _Enough(Exception):
    """Stops a preview that has enough text."""


class _Beginning(io.StringIO):
    """Takes the beginning of a text and then refuses more."""

    def write(self, text: str) -> int:
        super().write(text[:PREVIEW_CHARACTERS])
        if self.tell() >= PREVIEW_CHARACTERS:
            raise _Enough
        return len(text)


class _Watched:
    """Passes text to a file, counts it, and stops on request."""

    def __init__(self, file: TextOut, tell: Tell, cancel: threading.Event) -> None:
        self._file, self._tell, self._cancel = file, tell, cancel
        self._size = 0

    def write(self, text: str) -> object:
        if self._cancel.is_set():
            raise Stopped
        self._size += len(text)
        self._tell(0, 0, f"{size(self._size)} written")
        return self._file.write(text)


class PairExportJob:
    """One export: a result and the name of a format."""

    def __init__(self, result: PairResult, name: str) -> None:
        self.result, self.name = result, name

    @property
    def form(self) -> PairFormat:
        return PAIR_FORMATS[self.name]

    @property
    def problem(self) -> str:
        """Why there is nothing to write, as one sentence; empty if there is something."""
        nucleotides = bool(self.result.scheme.alphabet.complements)
        try:
            check_pair_format(self.name, aligned=bool(self.result.alignments), nucleotides=nucleotides)
        except ValueError as error:
            return wording.explain(error)
        return ""

    def preview(self, _cancel: threading.Event) -> str:
        file = _Beginning()
        whole = True
        try:
            write_pair(self.name, self.result, file)
        except _Enough:
            whole = False
        return first_lines(file.getvalue(), more=not whole)

    def save(self, path: Path, tell: Tell, cancel: threading.Event) -> Path:
        """Write the file completely or not at all; `tell` receives the progress, `cancel` stops it.

        Raises
        ------
        Stopped
        FileNotWritten
        """
        save_text(path, lambda file: write_pair(self.name, self.result, _Watched(file, tell, cancel)))
        return path


class PairExportDialog(SavingDialog[PairFormat, PairExportJob]):
    """Asks how to write a result and writes it, by a worker."""

    def __init__(self, tasks: Tasks, result: PairResult, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "pairExport", "Export the pair", PAIR_FORMATS, "pair", parent)
        self._result = result
        self.arrange(size=(92, 70))
        self.changed()

    def job(self) -> PairExportJob | None:
        """Return the export as it is set, None if the format cannot hold the result."""
        return None if self._chosen.problem else self._chosen

    def nothing(self) -> str:
        return self._chosen.problem

    @property
    def _chosen(self) -> PairExportJob:
        return PairExportJob(self._result, self.format_box.currentData())


class PairStrip(QFrame):
    """States what Align will do, and its progress while it works."""

    align_wanted = Signal()  # and queue_wanted, stop_wanted, copy_command_wanted: a button was pressed
    queue_wanted = Signal()
    stop_wanted = Signal()
    pause_wanted = Signal(bool)  # pause was pressed or released
    copy_command_wanted = Signal()
    copy_python_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairStrip")
        set_role(self, role="strip")
        self._layers = Sheets(self._build_plan(), self._build_progress())
        in_column(self._layers, parent=self)

    def show_plan(self, text: str, begun: str = "", details: str = "", *, possible: bool, tone: str = "") -> None:
        """Show the plan of Align, or the reason why it cannot run.

        Parameters
        ----------
        begun : str
            The plan for an earlier run.
        details : str
            Settings and memory, for the tool tip of the text.
        tone : str
            ``"warning"`` or ``"danger"`` where something is wrong.
        """
        self._plan.setText(wording.unbroken(text))
        set_role(self._plan, level="" if possible or tone else "muted", tone=tone)
        self._plan.setToolTip(details)
        self._begun.setText(begun)
        self._begun.setVisible(bool(begun))
        self.align_button.setEnabled(possible)
        self.align_button.setToolTip("Align the two sequences (Ctrl+Return)" if possible else text)
        self._copy.setEnabled(possible)

    def set_narrow(self, narrow: bool) -> None:
        """Hide the buttons: the Pair menu has these commands, too."""
        for button in (self._copy, self._queue):
            button.setHidden(narrow)

    def allow_queue(self, on: bool) -> None:
        self._queue.setEnabled(on)

    def show_phase(self, phase: str) -> None:
        """Show progress while a job runs or waits, the plan otherwise."""
        self.stop_button.setEnabled(phase in ("waiting", "running"))
        self.pause_button.setEnabled(phase == "running")
        self._layers.show_sheet(0 if phase == "idle" else 1)
        if phase == "waiting":
            self._title.setText(WAITING)
            self._line.clear()
            self._left.clear()
            motion.be_measured(self.bar, BAR_STEPS)
            self.bar.setValue(0)
        elif phase == "stopping":
            self._left.setText("Stopping…")

    def set_paused(self, on: bool) -> None:
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")
        self._left.setText("Paused" if on else "")

    def show_state(self, state: PairRunState, *, stopping: bool) -> None:
        motion.show_fraction(self.bar, state.fraction)
        self._title.setText(state.title)
        self._line.setText(state.line)
        paused = self.pause_button.isChecked()
        self._left.setText("Stopping…" if stopping else "Paused" if paused else state.time_left)

    def _build_plan(self) -> QWidget:
        self._plan = text_label("", "pairPlan", wrap=True, plain=True)
        self._begun = text_label("", "pairBegun", wrap=True, plain=True, level="muted")
        copy = make_menu("pairCopyCommands", self)
        tip = "Copy the terminal command that does the same"
        menu_command(copy, "pairCopyCommand", "Copy command", tip, self.copy_command_wanted.emit)
        tip = "Copy lines of Python that do the same"
        menu_command(copy, "pairCopyPython", "Copy as Python", tip, self.copy_python_wanted.emit)
        self._copy = push_button("pairCopyMenuButton", "⋯", "Command line and Python", accessible="Copy this pair")
        self._copy.setMenu(copy)
        self.align_button = push_button("pairAlign", "Align", does=self.align_wanted, role="primary")
        keep_size(self.align_button, width=16, height=4.5)
        layer = QWidget()
        words = in_column(self._plan, self._begun, spacing=0.25)
        buttons = FlowRow.of(self._copy, self.align_button)
        in_row((words, 1), buttons, margins=(4, 1.5, 4, 1.5), parent=layer)
        return layer

    def _build_progress(self) -> QWidget:
        self._title = text_label("", "pairStage", plain=True, level="heading")
        self._line = text_label("", "pairProgress", plain=True, level="muted", wrap=True)
        self._left = text_label("", "pairTimeLeft", plain=True)
        self.bar = progress_bar("pairBar", "Progress of the alignment")
        self.bar.setRange(0, BAR_STEPS)
        tip = "Stop now and keep the results so far, marked as partial (Ctrl+.)"
        self.stop_button = push_button("pairStop", "Stop", tip, self.stop_wanted, icon="stop")
        keep_size(self.stop_button, width=16, height=4.5)
        tip = "Pause, for example while a search needs the GPU; its memory stays in use"
        self.pause_button = push_button("pairPause", "Pause", tip, self.pause_wanted, icon="pause")
        self.pause_button.setCheckable(True)
        keep_size(self.pause_button, height=4.5)
        layer = QWidget()
        head = in_row(self._title, 1, self._left)
        words = in_column(head, self.bar, self._line, spacing=0.5)
        tip = "Align this after the searches and pairs that are waiting"
        self._queue = push_button("pairQueueNext", "Add to queue", tip, self.queue_wanted)
        buttons = FlowRow.of(self._queue, self.pause_button, self.stop_button)
        in_row((words, 1), buttons, margins=(4, 1, 4, 1), spacing=2, parent=layer)
        return layer


class PairPage(PageWidget):
    """Everything about one pair of sequences."""

    control: PairController
    changed = Signal()  # the plan, whether it can run, or the current work changed
    said = Signal(str, str, str)  # level, title and text of a message to keep
    failed = Signal(object)  # an exception to show
    place_wanted = Signal(object)  # a `Place` to show on its sequence
    finished = Signal()  # a result is there
    resume_wanted = Signal(str)  # the run of the history with this id should be resumed

    def __init__(
        self,
        settings: Settings,
        history: Runs,
        choice: FeatureChoice | None = None,
        parent: QWidget | None = None,
        *,
        align: AlignPair | None = None,
        plan: PlanPair = plan_pair,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("pairPage")
        self._plan_pair = plan
        self._settings = settings
        self._history = history
        self.tasks = Tasks(self)  # its own: keys and fields are the same as on the Search page
        self.tasks.failed.connect(lambda _key, error: self.failed.emit(error))
        self._plan: PairPlan | None = None
        self._plan_problem = ""
        self._earlier = Unfinished()
        self._results: list[PairResult] = []
        self.control = PairController(self, align=align or partial(_align, history))
        self.setup = PairSetup(settings, self.tasks)
        self.result_view = PairResultView(self.tasks, choice or FeatureChoice(self.tasks))
        self.strip = PairStrip()
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(PLAN_DELAY_MS)
        self._later.timeout.connect(self._make_plan)
        self._build()
        self._connect()
        self.changed.connect(self.states_changed)
        self.show_part("setup")
        self.refresh()

    # -- what the window calls ---------------------------------------------------------------------

    @property
    def problem(self) -> str:
        """Why Align is disabled, as one sentence; empty if it is not."""
        return self.setup.problem or self._plan_problem

    @property
    def ready(self) -> bool:
        return not self.problem and self._plan is not None and self.control.phase == "idle"

    @property
    def running(self) -> bool:
        return self.control.phase in ("waiting", "running")

    @property
    def holds_device(self) -> bool:
        return self.control.active

    @property
    def result(self) -> PairResult | None:
        return self.result_view.result

    def states(self) -> set[str]:
        states = {
            "pair-running": self.running,
            "pair-ready": self.ready,
            "pair-described": not self.setup.problem,
            "pair-result": self.result is not None,
            "pair-alignment": self.result is not None and bool(self.result.alignments),
        }
        return {state for state, is_so in states.items() if is_so}

    @property
    def strip_height(self) -> int:
        """Height of the strip with the Align button, which messages must not cover."""
        return self.strip.height() if not self.strip.isHidden() else 0

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        self.setup.options.show_engines(statuses)
        self.setup.options.probe()

    def shutdown(self) -> None:
        self._later.stop()
        self.control.shutdown()
        self.tasks.shutdown()

    # -- commands ----------------------------------------------------------------------------------

    def align(self) -> None:
        """Start the alignment that the page describes; several go into the queue."""
        plan = self._plan
        if plan is None or not self.ready:
            return
        if self.setup.number > 1:
            self.queue()
            return
        try:
            request = self.setup.request()
        except SwguiError as error:
            self.failed.emit(error)
            return
        self.control.start(replace(request, run_id=self._earlier.run_id, plan=plan))

    def align_these(
        self, query: SequenceRecord, subject: SequenceRecord, scheme: ScoringScheme, strand: Strand
    ) -> None:
        """Take two sequences and align them locally, by a scheme and strand, regardless of the page's settings."""
        self.setup.set_pair(query, subject, scheme.alphabet.name)
        method, options = self.setup.options.method, self.setup.options.options
        asked = PairRequest(query=query, subject=subject, scheme=scheme, strand=strand, method=method, options=options)
        if self.control.phase != "idle":
            self.failed.emit(InvalidParameter("pair", "", "Another pair is being aligned.", hint="Stop it, or wait."))
            return
        make = partial(self._plan_pair, asked)
        start = self.control.start
        self.tasks.submit("pair-again", make, lambda plan: start(replace(asked, plan=plan)), self.failed.emit)

    def queue(self) -> None:
        """Align as the page describes, after the searches and pairs that wait."""
        try:
            self.queue_wanted.emit(self.setup.requests())
        except SwguiError as error:
            self.failed.emit(error)

    def stop(self) -> None:
        """Stop the alignment; keep the results so far."""
        self.control.stop()

    def copy_command(self) -> None:
        self._copy(self.setup.command_line, "The command was copied.")

    def copy_python(self) -> None:
        """Copy lines of Python that align the same pair; of several pairs there is no call."""
        if self.setup.pairing != "one":
            self.said.emit("info", "Nothing was copied.", "A call in Python aligns one pair; copy the command instead.")
            return
        self._copy(self.setup.python_call, "The lines of Python were copied.")

    def _copy(self, make: Callable[[], str], said: str) -> None:
        if self.problem:
            return
        QGuiApplication.clipboard().setText(make())
        named = self.setup.from_files
        hint = "It does the same." if named else "Save the typed sequences first, under the name in the command."
        self.said.emit("success", said, hint)

    def methods(self) -> None:
        """Show the methods text of the pair that is shown."""
        if (result := self.result) is not None:
            how = f"{result.scheme.describe()}, method '{result.method}'"
            MethodsDialog(pair_methods(result), how, self.tasks, self.message.emit, self).open()

    def export(self) -> PairExportDialog | None:
        """Open the dialog that writes the result shown to a file, and return it."""
        if self.result is None:
            return None
        dialog = PairExportDialog(self.tasks, self.result, self)
        dialog.saved.connect(lambda path, _job: self.message.emit(f"Written to {path}."))
        dialog.open()
        return dialog

    def save_result(self) -> PairExportDialog | None:
        """Open the same dialog for the format that this page opens again."""
        dialog = self.export()
        if dialog is not None:
            dialog.choose("json")
        return dialog

    def paste_query(self) -> None:
        self.show_part("setup")
        self.setup.query.paste()

    def open_result(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Open result", self._settings.recent.folder, RESULT_FILES)
        if name:
            self._settings.recent.folder = str(Path(name).parent)
            self.open_result_file(Path(name))

    def open_result_file(self, path: Path) -> None:
        def opened(result: PairResult) -> None:
            self.open_kept(result)
            self.message.emit(f"{path.name} is open.")

        note_input(path, "result that was opened")
        self.message.emit(f"Reading {path.name}…")
        self.tasks.submit("pair-open", lambda: open_pair_result(path).encode(), opened, self.failed.emit)

    def show_part(self, name: str) -> None:
        """Show ``setup`` or ``result``."""
        self._stack.setCurrentWidget(self._parts[name])
        self._tabs[name].setChecked(True)
        self._show_strip()

    def _show_strip(self) -> None:
        shows_setup = self._stack.currentWidget() is self._parts["setup"]
        self.strip.setVisible(shows_setup or self.control.phase != "idle")

    def next_difference(self) -> None:
        self.result_view.differences.step(1)

    def previous_difference(self) -> None:
        self.result_view.differences.step(-1)

    # -- building ----------------------------------------------------------------------------------

    def _build(self) -> None:
        self._tabs: dict[str, QToolButton] = {}
        group = QButtonGroup(self)
        for name, text, tip in PARTS:
            button = self._tabs[name] = tool_button(f"pairPart-{name}", text, tip)
            button.setCheckable(True)
            button.clicked.connect(partial(self.show_part, name))
            group.addButton(button)
        tip = "Show a result that was exported as JSON"
        opener = push_button("pairOpenResult", "Open result…", tip, self.open_result, icon="open", role="quiet")
        self._list = combo_box(
            "pairResults", "The newest results of this session; all are on the Runs page", self._result_chosen,
            accessible="Results of this session", characters=32,
        )  # fmt: skip
        self._list.hide()
        head = in_row(FlowRow.of(*self._tabs.values(), opener, self._list), margins=(2, 1, 2, 0))
        self._stack = QStackedWidget()
        self._parts: dict[str, QWidget] = {"setup": scrolling(self.setup), "result": scrolling(self.result_view)}
        for part in self._parts.values():
            self._stack.addWidget(part)
        in_column(head, (self._stack, 1), self.strip, spacing=0, parent=self)

    def _connect(self) -> None:
        self.setup.changed.connect(self.refresh)
        self.setup.taken.connect(partial(self.show_part, "setup"))
        self.strip.align_wanted.connect(self.align)
        self.strip.queue_wanted.connect(self.queue)
        self.strip.stop_wanted.connect(self.stop)
        self.strip.copy_command_wanted.connect(self.copy_command)
        self.strip.copy_python_wanted.connect(self.copy_python)
        self.strip.pause_wanted.connect(self.control.pause)
        self.control.pause_changed.connect(self.strip.set_paused)
        self.result_view.message.connect(self.message)
        self.result_view.export_wanted.connect(self.export)
        self.result_view.place_wanted.connect(self.place_wanted)
        self.result_view.resume_wanted.connect(self.resume_wanted)
        self.control.phase_changed.connect(self._phase_changed)
        self.control.state_changed.connect(self._state_changed)
        self.control.result_ready.connect(self._result_ready)
        self.control.failed.connect(self._failed)

    # -- before ------------------------------------------------------------------------------------

    def refresh(self) -> None:
        self._plan, self._plan_problem = None, ""
        self.tasks.drop("pair-plan")
        self.strip.allow_queue(not self.setup.problem)
        problem = self.problem
        if problem:
            self._later.stop()
            wrong = problem == self.setup.misfit and not problem.endswith("…")
            self.strip.show_plan(problem, "", possible=False, tone="warning" if wrong else "")
        else:
            self._later.start()
        self.changed.emit()

    def _make_plan(self) -> None:
        try:
            request = self.setup.request()
        except SwguiError as error:
            self._not_planned(error)
            return
        self.strip.show_plan("Estimating time and memory…", possible=False)
        self.tasks.submit(
            "pair-plan",
            lambda: (plan := self._plan_pair(request), self._history.of("pair").unfinished(request, plan)),
            lambda made: self._planned(request, *made),
            self._not_planned,
        )

    def _planned(self, request: PairRequest, plan: PairPlan, earlier: Unfinished) -> None:
        self._plan, self._plan_problem, self._earlier = plan, "", earlier
        sentence = pair_wording.several(self.setup.number) + pair_wording.plan(request, plan)
        self.strip.show_plan(
            sentence, pair_wording.begun_before(earlier, plan.method), pair_wording.plan_details(plan), possible=True
        )
        self.changed.emit()

    def _not_planned(self, error: Exception) -> None:
        if not isinstance(error, SwguiError):
            log.error("The pair could not be planned", exc_info=error)
        self._plan, self._plan_problem = None, wording.explain(error)
        self.strip.show_plan(self._plan_problem, possible=False, tone="warning")
        self.changed.emit()

    # -- meanwhile and after -----------------------------------------------------------------------

    def _phase_changed(self, phase: str) -> None:
        self.strip.show_phase(phase)
        self._show_strip()
        self.changed.emit()

    def _state_changed(self, state: PairRunState) -> None:
        self.strip.show_state(state, stopping=self.control.phase == "stopping")

    def _result_ready(self, result: PairResult) -> None:
        self.open_kept(result)
        if result.state == "failed":
            self.said.emit("danger", "The alignment ended early.", pair_wording.state(result))
        elif result.state == "stopped":
            self.said.emit("info", "The alignment was stopped.", pair_wording.state(result))
        if result.state != "finished":
            self.refresh()  # an unfinished run can be resumed
        self.finished.emit()
        self.changed.emit()

    def take_outcome(self, outcome: PairResult) -> None:
        self.open_kept(outcome)

    def open_kept(self, result: PairResult) -> None:
        others = [other for other in self._results if not result.run_id or other.run_id != result.run_id]
        self._results = [result, *others][:KEPT_RESULTS]
        self._fill_results()
        self.show_result(result)
        self.changed.emit()

    def _failed(self, error: Exception) -> None:
        self.failed.emit(error)
        self.changed.emit()

    def show_result(self, result: PairResult) -> None:
        self.result_view.show_result(result)
        self.tasks.drop("pair-resumable")
        if result.run_id and result.state != "finished":
            record = partial(self._history.record, result.run_id)
            offer = self.result_view.offer_resume
            self.tasks.submit("pair-resumable", record, lambda made: offer(made.resumable), lambda _error: None)
        self.show_part("result")
        if self.isVisible() and result.alignments:
            self.result_view.map.setFocus(Qt.FocusReason.OtherFocusReason)

    def _fill_results(self) -> None:
        self._list.clear()
        for result in self._results:
            self._list.addItem(pair_wording.result_name(result))
            tip = f"{result.query.header}\n{result.subject.header}\n{pair_wording.how(result)}"
            self._list.setItemData(self._list.count() - 1, plain(tip), Qt.ItemDataRole.ToolTipRole)
        self._list.setVisible(len(self._results) > 1)

    def _result_chosen(self, place: int) -> None:
        self.show_result(self._results[place])
        self.changed.emit()

    # -- Qt's events -------------------------------------------------------------------------------

    def restyle(self) -> None:
        self.setup.restyle()
        self.result_view.restyle()
        super().restyle()

    def set_narrow(self, narrow: bool) -> None:
        self.setup.set_narrow(narrow)
        self.strip.set_narrow(narrow)
        self.result_view.set_narrow(narrow)


def _align(
    runs: Runs, request: PairRequest, cancel: threading.Event, plan: PairPlan | None = None
) -> Iterator[PairEvent]:
    return runs.run("pair", replace(request, plan=plan), cancel)
