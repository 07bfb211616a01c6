"""The Find by rule page: a rule, its queries and a database; every place that meets it, and the certificate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QFrame,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QWidget,
)

from swgui.commands.rule import rule_command, rule_python
from swgui.core import words
from swgui.core.alphabet import Alphabet
from swgui.core.engines import EngineOptions
from swgui.core.errors import Stopped
from swgui.core.rules.base import Rule
from swgui.core.rules.question import Question
from swgui.core.rules.repair import Repair
from swgui.core.rules.request import RuleRequest
from swgui.engines.facts import RULE_ENGINES
from swgui.gui.inputs import detection
from swgui.gui.inputs.build_dialog import BuildDialog
from swgui.gui.inputs.database import DatabasePanel
from swgui.gui.inputs.detection import Row
from swgui.gui.inputs.drop import DropLayer, Target, is_database, is_query
from swgui.gui.inputs.features import FeatureChoice
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.inputs.methods_dialog import MethodsDialog
from swgui.gui.inputs.opened import SEQUENCE_FILES, sample_database
from swgui.gui.inputs.sequence import SequenceInput
from swgui.gui.kit import motion
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Fitted, Sheets, in_column, in_row, scrolling
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.control import JobController, JobState
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import described, progress_bar, push_button, text_label, tool_button
from swgui.gui.rules.form import RuleForm
from swgui.gui.rules.result import RuleResultView
from swgui.gui.rules.work import (
    REPAIRS,
    CheckedRequest,
    RuleResult,
    background,
    checked_request,
    find,
    is_allergen_check,
    opened,
)
from swgui.gui.words import wording
from swgui.io.methods.rules import rule_methods
from swgui.jobs.rules.known import rules
from swgui.jobs.rules.run import RuleRun
from swgui.runs import Runs
from swgui.settings import Settings

if TYPE_CHECKING:
    from swgui.runs.plain import Kept

LINES = 5
PARTS = (("setup", "Rule and sequences", "Rule, queries and database"), ("result", "Result", "Places found"))
PASTED = Path("queries.fasta")  # name in a command of queries that came from no file
CHECK = "rule-request"  # key of the worker that checks the inputs of the page
CHECKING = "Checking the queries…"
MEASURING = "Measuring how many sequences pass by chance, with the residues of each query in random order…"
WAITING = "Waiting: another run uses this device."
QUERY_FILES = "Sequence files (*.fa *.fasta *.faa *.fna *.fas *.gb *.gbk *.embl *.txt *.gz);;All files (*)"


class RuleQueries(SequenceInput):
    """Takes queries as text or file; all of them are searched."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__("ruleQuery", "Query", LINES, tasks)
        self.setObjectName("ruleQueries")
        self._build()
        self._show()

    @property
    def rows(self) -> tuple[detection.Row, ...]:
        return self.reading.rows

    @property
    def problem(self) -> str:
        """Reason why there is nothing to search with, as one sentence; empty if there is."""
        if self.reading.error:
            return self.reading.error
        if self.busy:
            return "Reading the queries…"
        if not self.reading.rows:
            return "Add a sequence first."
        return "Answer first how the text is to be read." if self.doubt is not None else ""

    def open_files(self, paths: tuple[Path, ...]) -> None:
        """Replace the queries by those of one or several files."""
        for path in paths:
            note_input(path, "query")
        if len(paths) == 1:
            self._tasks.submit(
                f"open-{self._name}", partial(detection.text_of, paths[0]), partial(self._opened, paths[0]),
                self._refused,
            )  # fmt: skip
            return
        self._hold(f"Reading {words.count(len(paths), 'file')}…")
        self.reading.read = partial(detection.detect_in_files, paths)
        self._parse()

    def show_hint(self, text: str) -> None:
        """Describe the expected input in the empty box."""
        self.box.setPlaceholderText(text)

    def _opened(self, path: Path, text: str | None) -> None:
        if text is not None and text.strip():
            self.set_text(text, path)
        else:
            self._read_file(path)

    def _build(self) -> None:
        described(self.box, tip="FASTA, GenBank, EMBL, UniProt text or bare residues", accessible="Queries of the rule")
        buttons = FlowRow()
        for part, text, tip, does in (
            ("Paste", "Paste", "Replace the queries by the text of the clipboard", self.paste),
            ("Open", "Open…", "Read the queries from a file", self.open_wanted),
            ("Clear", "Clear", "Empty the box", self.clear),
        ):
            buttons.add(push_button(f"ruleQuery{part}", text, tip, does, role="quiet"))
        head = in_row(text_label("Queries", level="heading"), (self._where, 1), buttons, spacing=1)
        foot = in_row((self._summary, 1), self._report, *self._kind_parts)
        in_column(
            head, (self.box, 1), self._doubt, self._progress, foot, margins=(2, 1, 2, 1), spacing=0.75, parent=self
        )

    def _show(self) -> None:
        super()._show()
        detected, error = self.reading.detected, self.reading.error
        self._report.setVisible(detected is not None and bool(detected.report.remarks))
        set_role(self._summary, level="muted", tone="danger" if error else "")
        if error or detected is None:
            self._summary.setText(error or ("Reading…" if self.busy else ""))
            return
        residues = sum(len(row.record.residues) for row in self.rows)
        text = wording.queries(len(self.rows), residues, detected.alphabet.name)
        repeated = f"; {words.count(detected.repeated, 'sequence')} that repeat another"
        self._summary.setText(text + (repeated if detected.repeated else ""))


class RulePage(PageWidget):
    """Everything about a search by rule."""

    place_wanted = Signal(object)  # a `Place` to show on its sequence
    control: JobController

    def __init__(
        self,
        settings: Settings,
        choose_engine: Callable[[], tuple[str, EngineOptions]],
        history: Runs,
        choice: FeatureChoice | None = None,
        parent: QWidget | None = None,
        *,
        marks: SharedMarks | None = None,
    ) -> None:
        super().__init__(parent)
        self._history = history
        self.setObjectName("rulePage")
        self._settings = settings
        self._choose_engine = choose_engine
        self.problem = ""  # reason why the search cannot run, as one sentence; empty if it can
        self._asked: RuleRequest | None = None  # the request of the page, once a worker has checked it
        self._described_as = ""  # sentences on it
        self._find_next = False  # whether the search begins once the page is checked
        self.tasks = Tasks(self)
        self.control = JobController("rule", partial(find, history), self)
        self.opening = Task(self)  # makes the view of a run of the history
        self.chance = Task(self)  # measures the background of an allergen check
        self.form = RuleForm()
        self.queries = RuleQueries(self.tasks)
        self.database = DatabasePanel(settings.recent, organisms=False)
        self.view = RuleResultView(
            self.tasks, choice or FeatureChoice(self.tasks), marks or SharedMarks(history, self.tasks, self)
        )
        self._build()
        self._connect()
        self._drop = DropLayer(self._targets(), self)
        self._task_changed()
        self.show_part("setup")
        last = Path(settings.recent.database) if settings.recent.database else sample_database()
        self.database.open(last if last.exists() else sample_database())
        self.refresh()

    # What the window calls

    @property
    def ready(self) -> bool:
        return not self.problem and not self.searching

    @property
    def running(self) -> bool:
        return self.searching or self.opening.busy or self.chance.busy

    @property
    def holds_device(self) -> bool:
        return self.control.active or self.chance.busy

    @property
    def searching(self) -> bool:
        """Whether a search by rule runs, or waits for its device."""
        return self.control.phase != "idle"

    @property
    def result(self) -> RuleResult | None:
        return self.view.result

    def methods(self) -> None:
        """Show the methods text of the search that is shown."""
        if self.result is not None:
            facts = self.result.facts
            MethodsDialog(rule_methods(facts), facts["rule"]["sentence"], self.tasks, self.message.emit, self).open()

    def states(self) -> set[str]:
        result = self.result
        states = {
            "rule-described": not self.problem,
            "rule-ready": self.ready,
            "rule-running": self.running,
            "rule-result": result is not None,
            "rule-places": result is not None and len(result.places) > 0,
        }
        return {state for state, is_so in states.items() if is_so}

    @property
    def strip_height(self) -> int:
        return self._strip.height() if not self._strip.isHidden() else 0

    def set_narrow(self, narrow: bool) -> None:
        """Hide the buttons: the Rule menu has these commands, too."""
        for button in (self._command, *self._queue):
            button.setHidden(narrow)
        self.database.set_narrow(narrow)
        self.view.set_narrow(narrow)

    def restyle(self) -> None:
        self.queries.restyle()
        super().restyle()

    def shutdown(self) -> None:
        self.control.shutdown()
        self.opening.shutdown()
        self.chance.shutdown()
        self.database.shutdown()
        self.tasks.shutdown()

    # Commands

    def start(self) -> None:
        """Find every place that meets the rule."""
        if self.ready and (run := self._described()) is not None:
            self.control.start(run)

    def queue(self) -> None:
        """Find the places after the runs that wait."""
        if not self.problem and (run := self._described()) is not None:
            self.queue_wanted.emit([run])

    def _described(self) -> RuleRun | None:
        current = self.database.current
        if self._asked is None or current is None:
            return None
        return RuleRun(self._asked, current.database, reading=current.report, command=self.command())

    def resume(self) -> None:
        """Scan the rest after a stop."""
        result = self.result
        if result is not None and not result.run.complete and not self.searching:
            result.run.run_id = result.run_id
            self.control.start(result.run)

    def take_outcome(self, outcome: Kept) -> None:
        """Show a run of the history."""
        self.opening.start(partial(opened, outcome), self._show_result, self._failed, title="Opening a run")

    def stop(self) -> None:
        """End the search soon; keep the results so far."""
        self.control.stop()
        self.opening.stop()
        self.chance.stop()
        self._show_state()

    def command(self) -> str:
        """Return the terminal command that finds the same places; empty while nothing can be found."""
        return rule_command(self._asked, self.queries.source or PASTED) if self._asked is not None else ""

    def copy_command(self) -> None:
        self._copy(self.command(), "The command was copied.")

    def copy_python(self) -> None:
        """Copy lines of Python that find the same places."""
        if self._asked is not None:
            lines = rule_python(self._asked, self.queries.source or PASTED)
            self._copy(lines, "The lines of Python were copied.")

    def _copy(self, text: str, said: str) -> None:
        if not self.problem:
            QGuiApplication.clipboard().setText(text)
            typed = "" if self.queries.source else " Save the queries as queries.fasta first."
            self.message.emit(f"{said}{typed}")

    def ask_queries(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Open queries", self._settings.recent.folder, QUERY_FILES)
        if names:
            self._settings.recent.folder = str(Path(names[0]).parent)
            self.use_queries(tuple(map(Path, names)))

    def ask_database(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Choose database", self._settings.recent.folder, SEQUENCE_FILES)
        if name:
            self._settings.recent.folder = str(Path(name).parent)
            self.use_database(Path(name))

    def paste_queries(self) -> None:
        self.show_part("setup")
        self.queries.paste()

    def use_queries(self, paths: tuple[Path, ...], text: str = "") -> None:
        """Take files, or a text, as queries."""
        self.show_part("setup")
        if paths:
            self.queries.open_files(paths)
        else:
            self.queries.set_text(text)

    def use_database(self, path: Path) -> None:
        self.show_part("setup")
        self.database.open(path)

    def show_part(self, name: str) -> None:
        """Show ``setup`` or ``result``."""
        self._stack.setCurrentWidget(self._parts[name])
        self._tabs[name].setChecked(True)
        self._show_strip()

    # While it runs

    def _begun(self, _run: RuleRun) -> None:
        self.chance.drop()
        motion.be_busy(self._bar)
        self._told.setText("Planting controls…")

    def _progressed(self, state: JobState) -> None:
        motion.show_fraction(self._bar, state.figures.fraction if state.stage is None else None)
        if state.stage is not None:
            self._told.setText(state.stage.name)
        elif state.progress is not None:
            found = sum(block.found for block in self.control.request.blocks)
            so_far = f"{words.count(found, 'place')} so far"
            far = wording.share_and_left(state.figures.fraction, state.figures.seconds)
            so_far = "; ".join(filter(None, (far, so_far)))
            self._told.setText(f"Paused: {so_far}" if self.control.paused else so_far)

    def _paused(self, on: bool) -> None:
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")
        self._progressed(self.control.state)

    def _done(self, result: RuleResult) -> None:
        self._show_result(result)
        if result.run.complete and is_allergen_check(result.request):
            self.view.show_background(MEASURING)
            work = partial(background, result, self._history)
            self.chance.start(work, self.view.take_background, self._no_background)

    def _show_result(self, result: RuleResult) -> None:
        self.view.show_result(result)
        self._tabs["result"].setEnabled(True)
        self.show_part("result")
        self._show_state()

    def _chance_progressed(self, share: int, _text: str) -> None:
        self.view.show_background(f"{MEASURING} {share // 10} %" if share >= 0 else MEASURING)

    def _no_background(self, error: Exception) -> None:
        why = "it was stopped." if isinstance(error, Stopped) else wording.explain(error)
        self.view.show_background(f"How many sequences pass by chance was not measured: {why}")

    def _failed(self, error: Exception) -> None:
        self._note.setText(wording.explain(error))
        self._note.show()
        self._show_state()

    def _stopped(self) -> None:
        self._note.setText("Stopped before anything was scanned.")
        self._note.show()

    # Building

    def _build(self) -> None:
        self._tabs: dict[str, QToolButton] = {}
        group = QButtonGroup(self)
        for name, text, tip in PARTS:
            button = self._tabs[name] = tool_button(f"rulePart-{name}", text, tip)
            button.setCheckable(True)
            button.clicked.connect(partial(self.show_part, name))
            group.addButton(button)
        self._tabs["result"].setEnabled(False)
        inside = QWidget()
        in_column(self.form, (self.queries, 1), self.database, margins=2, spacing=1.5, parent=inside)
        self._stack = QStackedWidget()
        self._parts: dict[str, QWidget] = {
            "setup": described(scrolling(Fitted(inside)), "ruleScroll"),
            "result": scrolling(Fitted(self.view)),
        }
        for part in self._parts.values():
            self._stack.addWidget(part)
        self._strip = QFrame()
        set_role(self._strip, role="strip")
        self._layers = Sheets(self._build_plan(), self._build_progress())
        in_column(self._layers, parent=self._strip)
        head = in_row(*self._tabs.values(), 1, margins=(2, 1, 2, 0), spacing=0.5)
        in_column(head, (self._stack, 1), self._strip, spacing=0, parent=self)

    def _build_plan(self) -> QWidget:
        plan = QWidget()
        self._plan = text_label(name="rulePlan", wrap=True, plain=True)
        self._plan.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # names may be long
        self._note = text_label(name="ruleNote", wrap=True, plain=True, tone="danger")
        self._note.hide()
        tip = "Copy the terminal command that finds the same places"
        self._command = push_button("ruleCommand", "Copy command", tip, self.copy_command, icon="terminal")
        self.find_button = push_button("ruleFind", "Find", does=self.start, role="primary")
        keep_size(self.find_button, width=16, height=4.5)
        self._queue = [self._queue_button("ruleQueue")]
        self._repairs: tuple[Repair, ...] = ()
        self.repair_buttons = [
            push_button(f"ruleRepair{number}", "", does=partial(self._repair, number)) for number in range(REPAIRS)
        ]
        words = in_column(self._plan, in_row(*self.repair_buttons, 1, spacing=1), self._note, spacing=0.5)
        in_row((words, 1), self._command, *self._queue, self.find_button, margins=(4, 1.5, 4, 1.5), parent=plan)
        return plan

    def _queue_button(self, name: str) -> QPushButton:
        return push_button(name, "Add to queue", "Find these places after the runs that are waiting", self.queue)

    def _build_progress(self) -> QWidget:
        going = QWidget()
        self._bar = progress_bar("ruleBar", "Share of the database that is scanned")
        self._told = text_label(name="ruleTold", plain=True)
        tip = "Stop the search and keep the places so far (Ctrl+.)"
        self.stop_button = push_button("ruleStop", "Stop", tip, self.stop, icon="stop")
        keep_size(self.stop_button, width=16, height=4.5)
        tip = "Pause, for example while a search needs the GPU; its memory stays in use"
        self.pause_button = push_button("rulePause", "Pause", tip, self.control.pause, icon="pause")
        self.pause_button.setCheckable(True)
        keep_size(self.pause_button, height=4.5)
        self._queue.append(self._queue_button("ruleQueueNext"))
        buttons = (self._queue[-1], self.pause_button, self.stop_button)
        in_row((self._bar, 1), self._told, *buttons, margins=(4, 1.5, 4, 1.5), spacing=2, parent=going)
        return going

    def _connect(self) -> None:
        self.form.changed.connect(self.refresh)
        self.form.task_changed.connect(self._task_changed)
        self.queries.changed.connect(self._queries_changed)
        self.queries.open_wanted.connect(self.ask_queries)
        self.database.changed.connect(self.refresh)
        self.database.choose_wanted.connect(self.ask_database)
        self.database.build_wanted.connect(self._ask_build)
        self.database.sample_wanted.connect(lambda: self.database.open(sample_database()))
        self.view.resume_wanted.connect(self.resume)
        self.view.repair_wanted.connect(self._ask_again)
        self.view.message.connect(self.message)
        self.view.place_wanted.connect(self.place_wanted)
        for signal in (self.control.phase_changed, self.opening.changed):
            signal.connect(self._show_state)
        self.control.begun.connect(self._begun)
        self.control.state_changed.connect(self._progressed)
        self.control.pause_changed.connect(self._paused)
        self.control.result_ready.connect(self._done)
        self.control.stopped.connect(self._stopped)
        self.control.failed.connect(self._failed)
        self.chance.changed.connect(self.states_changed)
        self.chance.progressed.connect(self._chance_progressed)

    def _targets(self) -> tuple[Target, ...]:
        return (
            Target("Use as queries", "Look for these sequences", is_query,
                   lambda dropped: self.use_queries(dropped.files, dropped.text)),
            Target("Use as database", "Look in these sequences", is_database,
                   lambda dropped: self.use_database(dropped.files[0])),
        )  # fmt: skip

    def _ask_build(self) -> None:
        dialog = BuildDialog(self._settings.recent.folder, self)
        dialog.accepted.connect(lambda: self.database.build(dialog.asked))
        dialog.finished.connect(dialog.deleteLater)
        dialog.ask()

    def _task_changed(self) -> None:
        self.queries.show_hint(rules()[self.form.task].paste)

    def _queries_changed(self) -> None:
        self.form.use_alphabet(self.queries.alphabet)
        self.refresh()

    # Before

    def refresh(self) -> None:
        """Have a worker check the input of the page again, which may take long with many queries."""
        self._asked = None
        rule, alphabet, opened = self.form.rule, self.queries.alphabet, self.database.current
        missing = self.form.problem or self.queries.problem or self.database.problem
        if missing or rule is None or alphabet is None or opened is None:
            self.tasks.drop(CHECK)
            self._say(missing, wrong=bool(self.form.problem))
            return
        engine, options = self._choose_engine()
        own = engine in RULE_ENGINES
        make = partial(
            _request, rule, self.queries.rows, alphabet, str(opened.path), ambiguity=self.form.ambiguity,
            equate_il=self.form.equate_il, strands=self.form.strands, circular=self.form.circular,
            with_pam=self.form.with_pam,
            engine=engine if own else "auto",
            options=EngineOptions(options.devices, options.threads) if own else EngineOptions(),
        )  # fmt: skip
        self.problem = CHECKING
        self._show_state()
        records = tuple(row.record for row in self.queries.rows)
        question = Question(rule, records, alphabet, self.form.ambiguity, self.form.with_pam, self.form.equate_il)
        check = partial(checked_request, question, make, opened.database)
        self.tasks.submit(CHECK, check, partial(self._checked, question), self._refused)

    def _checked(self, question: Question, asked: CheckedRequest) -> None:
        self._asked, self._described_as = asked.request, asked.sentence
        self._say("" if asked.request is not None else asked.sentence, wrong=True)
        self._offer(question, asked.repairs)
        if self._find_next and not self.queries.busy:
            self._find_next = False
            self.start()

    def _offer(self, question: Question, repairs: Sequence[Repair]) -> None:
        """Offer repairs of a question, a button each."""
        self._repairs = tuple(repairs)
        self._question = question
        for number, button in enumerate(self.repair_buttons):
            button.setHidden(number >= len(repairs))
            if number < len(repairs):
                button.setText(repairs[number].said)
                button.setToolTip(repairs[number].options or "Change the queries of the page")

    def _repair(self, number: int) -> None:
        """Ask the repaired question."""
        self._take(self._question, self._repairs[number].change(self._question))

    def _take(self, before: Question, asked: Question) -> None:
        """Fill the page with a question; its queries only where they differ from those before."""
        if asked.queries != before.queries:
            self.queries.set_text("".join(f">{one.header}\n{one.residues.decode()}\n" for one in asked.queries))
        self.form.take(asked.rule, ambiguity=asked.ambiguity, with_pam=asked.with_pam, equate_il=asked.equate_il)

    def _ask_again(self, repair: Repair) -> None:
        """Repair the question of the result that is shown, and find its places once it is checked."""
        if self.result is None or self.searching:
            return
        request = self.result.request
        given = request.as_given or request.queries
        question = Question(
            request.rule, given, request.alphabet, request.ambiguity, request.with_pam, request.equate_il
        )
        self.form.choose(request.rule.name)
        self._take(question, repair.change(question))
        self.show_part("setup")
        self._find_next = True

    def _refused(self, error: Exception) -> None:
        self._say(wording.explain(error), wrong=True)

    def _say(self, problem: str, *, wrong: bool = False) -> None:
        """Describe the search, or give the reason why it cannot run."""
        self.problem = problem
        self._find_next = self._find_next and not (problem and wrong)
        for button in self.repair_buttons:
            button.hide()
        self._plan.setText(wording.unbroken(problem or (self._described_as if self._asked is not None else "")))
        set_role(self._plan, level="muted" if problem else "", tone="warning" if problem and wrong else "")
        self._show_state()

    def _show_state(self, *_: object) -> None:
        phase, running = self.control.phase, self.searching
        self.stop_button.setEnabled(phase in ("waiting", "running"))
        self.pause_button.setEnabled(phase == "running")
        self._layers.show_sheet(1 if running else 0)
        if running:
            self._note.hide()
        if phase == "waiting":
            motion.be_measured(self._bar, 1)
            self._bar.setValue(0)
            self._told.setText(WAITING)
        self.find_button.setEnabled(not self.problem)
        self.find_button.setToolTip(self.problem or "Find every place that meets the rule (Ctrl+Return)")
        for button in (self._command, *self._queue):
            button.setEnabled(not self.problem)
        self._show_strip()
        self.states_changed.emit()

    def _show_strip(self) -> None:
        self._strip.setVisible(self._stack.currentWidget() is self._parts["setup"] or self.searching)


def _request(rule: Rule, rows: Sequence[Row], alphabet: Alphabet, database: str, **others: Any) -> RuleRequest:
    return RuleRequest.given(rule, tuple(row.record for row in rows), alphabet, database, **others)
