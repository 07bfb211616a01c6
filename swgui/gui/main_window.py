"""The window: pages on the left rail, docks, status bar, and the wiring between them."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import (
    QApplication,
    QDockWidget,
    QFileDialog,
    QHBoxLayout,
    QMainWindow,
    QScrollArea,
    QStackedWidget,
    QToolBar,
    QWhatsThis,
    QWidget,
)

from swgui import settings as store
from swgui.core.errors import SwguiError
from swgui.core.records import SequenceRecord
from swgui.core.results import SearchResult
from swgui.doctor import Finding
from swgui.engines.base import EngineOptions, EngineStatus
from swgui.gui import help as help_texts
from swgui.gui import wording
from swgui.gui.actions import COMMANDS, ActionTable
from swgui.gui.controller import RunSearch, SearchController
from swgui.gui.drop import DropLayer, Dropped, Target, is_database, is_query, is_source
from swgui.gui.focus_ring import FocusRing
from swgui.gui.jobs import ShortJobs
from swgui.gui.layout_memory import LayoutMemory
from swgui.gui.log_view import LogView
from swgui.gui.notifications import MessageList, NoteStack, Notifications
from swgui.gui.pages.databases import DatabasesPage
from swgui.gui.pages.device import DevicePage
from swgui.gui.pages.results import ResultsPage
from swgui.gui.pages.run import RunPanel
from swgui.gui.pages.runs import RunsPage
from swgui.gui.pages.scores import ScoresPanel
from swgui.gui.pages.search import SearchPage, sample_queries
from swgui.gui.pages.search_database import SEQUENCE_FILES, BuildDialog, sample_database
from swgui.gui.palette import CommandPalette
from swgui.gui.rail import Rail
from swgui.gui.result_tools import ResultTools
from swgui.gui.run_queue import RunQueue
from swgui.gui.run_view import RunView
from swgui.gui.status import StatusStrip
from swgui.gui.theme import Theme, arrange, grid
from swgui.history import History, default_name
from swgui.settings import Settings

SAVED_FILES = "Saved searches (*.swgui)"
QUERY_FILES = (
    "Sequence files (*.fa *.fasta *.faa *.fna *.ffn *.fas *.fq *.fastq *.gb *.gbk *.embl *.dat *.pir *.txt *.gz *.bgz)"
    ";;All files (*)"
)
PAGES = (
    ("search", "Search", "search"),
    ("results", "Results", "results"),
    ("runs", "Runs", "runs"),
    ("databases", "Databases", "database"),
    ("device", "Device", "device"),
)
log = logging.getLogger(__name__)


class MainWindow(QMainWindow):
    """The program's one window.

    Parameters
    ----------
    settings : Settings
    theme : Theme
    search : RunSearch, optional
        What a job runs; `swgui.search.run_search` with its journal in the history unless given.
    """

    def __init__(self, settings: Settings, theme: Theme, *, search: RunSearch | None = None) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("swgui")
        self.settings = settings
        self.theme = theme
        self.notifications = Notifications(self)
        self.notifications.facts = self._facts
        self.short_jobs = ShortJobs(self)
        self.short_jobs.failed.connect(lambda _key, error: self.notifications.error(error))
        self.history = History()
        self.controller = SearchController(self, search=search or self.history.search)
        self.queue = RunQueue(self.controller, self.history, self)
        self._engines: tuple[EngineStatus, ...] = ()
        self._closed = False
        self._build_pages()
        self._build_docks()
        self.status = StatusStrip(self, self.notifications, self.short_jobs)
        self.status.messages.clicked.connect(self.show_messages)
        self.badge = self.status.badge
        self.run_view = RunView(
            self.controller, self.run_panel, self.activity_dock, self.status.run, self.notifications, settings, self
        )
        self.tools = ResultTools(
            self,
            self.results_page,
            self.scores_panel,
            self.scores_dock,
            self.search_page.engine,
            self.short_jobs,
            self.notifications,
        )
        self.actions_table = ActionTable(COMMANDS, self)
        self.actions_table.fill_menus(self.menuBar())
        self._build_toolbar()
        self._notes = NoteStack(self.notifications, self._central)
        self._notes.lift = lambda: self.search_page.strip_height if self.search_page.isVisible() else 0
        self._ring = FocusRing(self)
        self._drop = DropLayer(self._targets(), self)
        self._explain_everything()
        self._connect()
        self._layout_memory = LayoutMemory(self, self.activity_dock)
        self._layout_memory.restore()
        self._restyle()
        self._show_theme()
        self.show_page("search")
        self.search_page.query.focus_box()
        self._update_states()

    # Commands (the table in swgui.gui.actions calls these)

    def new_search(self) -> None:
        """Empty the query and go to the Search page."""
        self.show_page("search")
        self.search_page.query.clear()

    def open_query(self) -> None:
        """Ask for a query file and read it."""
        name, _ = QFileDialog.getOpenFileName(self, "Open query", self.settings.recent.folder, QUERY_FILES)
        if name:
            self.use_query_file(Path(name))

    def open_database(self) -> None:
        """Ask for a database or sequence file and open it as the database."""
        name, _ = QFileDialog.getOpenFileName(self, "Choose database", self.settings.recent.folder, SEQUENCE_FILES)
        if name:
            self.use_database_file(Path(name))

    def build_database(self) -> None:
        """Ask for sequence files and build a database of them."""
        self._ask_build(())

    def load_sample(self) -> None:
        """Put the sample query and database in place."""
        self.show_page("search")
        self.search_page.load_sample_query()
        self.search_page.load_sample_database()

    def paste_query(self) -> None:
        """Replace the query by the clipboard's text."""
        self.show_page("search")
        self.search_page.query.paste()

    def run_search(self) -> None:
        """Start the search that the Search page describes."""
        if not self.search_page.ready:
            return
        try:
            request = self.search_page.request()
        except SwguiError as error:
            self.notifications.error(error)
            return
        self._notes.clear()
        self.search_page.end_welcome()
        self._save_settings()
        self.controller.start(request)

    def queue_search(self) -> None:
        """Search after the runs that are waiting."""
        if not self.search_page.ready:
            return
        try:
            request = self.search_page.request()
        except SwguiError as error:
            self.notifications.error(error)
            return
        self.queue.add(request, default_name(request))
        self.statusBar().showMessage("The search is in the queue.", 5000)

    def save_search(self) -> None:
        """Ask for a file and save the result that is shown in it."""
        result = self.results_page.result
        if result is None:
            return
        name, _ = QFileDialog.getSaveFileName(self, "Save search", self.settings.recent.folder, SAVED_FILES)
        if name:
            self.runs_page.save_result(result, Path(name if name.endswith(".swgui") else f"{name}.swgui"))

    def stop_search(self) -> None:
        """Stop the run; what was scored is kept."""
        self.controller.stop()

    def copy_command_line(self) -> None:
        """Copy the terminal command of the search."""
        if self.search_page.problem:
            return
        QGuiApplication.clipboard().setText(self.search_page.command_line())
        pasted = self.search_page.query.source is None
        hint = "The query was typed: save it as queries.fasta first." if pasted else "It does the same search."
        self.notifications.post("success", "The command was copied.", hint)

    def find_hit(self) -> None:
        """Go to the box that filters hits."""
        self.show_page("results")
        self.results_page.find()

    def use_theme(self, mode: Literal["system", "light", "dark"]) -> None:
        """Change the colours."""
        self.settings.display.theme = mode
        self.theme.use(mode)
        self._show_theme()

    def step_text(self, step: int) -> None:
        """Make all text larger (+1) or smaller (-1)."""
        self.settings.display.text_scale = self.theme.step_scale(step)
        self.statusBar().showMessage(f"Text size {self.theme.scale} %", 3000)

    def reset_text(self) -> None:
        """Give text its usual size."""
        self.settings.display.text_scale = 100
        self.theme.use(scale=100)

    def set_full_screen(self, on: bool) -> None:
        """Use the whole screen or not."""
        self.showFullScreen() if on else self.showNormal()

    def show_page(self, name: str) -> None:
        """Go to a page."""
        self._stack.setCurrentWidget(self._pages[name])
        self._rail.choose(name)
        self._update_states()
        self._notes.place()

    def toggle_activity(self) -> None:
        """Show or hide the activity dock."""
        self.run_view.toggle_dock()

    def toggle_log(self) -> None:
        """Show or hide the log."""
        self.log_dock.setVisible(self.log_dock.isHidden())

    def run_self_check(self) -> None:
        """Compare the scores of every engine with stored ones."""
        self.show_page("device")
        self.device_page.run_check()

    def show_messages(self) -> None:
        """Open the list of messages."""
        self._notes.clear()
        MessageList(self.notifications, self).open()

    def show_palette(self) -> None:
        """Open the command palette."""
        palette = CommandPalette(self.actions_table, self)
        palette.open()
        palette.box.setFocus()

    def reset_layout(self) -> None:
        """Put docks and size back as shipped."""
        self._layout_memory.reset()

    def show_help(self) -> None:
        """Open the help."""
        help_texts.TextDialog("Help and keys", help_texts.help_text(self.actions_table), self).open()

    def whats_this(self) -> None:
        """Explain what is clicked on next."""
        QWhatsThis.enterWhatsThisMode()

    def copy_report(self) -> None:
        """Copy a fault report."""
        QGuiApplication.clipboard().setText(self.notifications.report())
        self.notifications.post(
            "success", "The report was copied.", "It holds versions, devices and the log; no sequences."
        )

    def show_about(self) -> None:
        """Say what the program is."""
        help_texts.TextDialog("About swgui", help_texts.ABOUT, self, (70, 44)).open()

    # What the start-up, drops and tests call

    def use_query_file(self, path: Path) -> None:
        """Read a query file."""
        self.show_page("search")
        self.search_page.query.open_file(path)

    def show_result(self, result: SearchResult) -> None:
        """Show a result of an earlier run."""
        self.tools.take(result)
        self.results_page.show_result(result)
        self.show_page("results")

    def use_database_file(self, path: Path) -> None:
        """Open a database or sequence file as the database."""
        self.show_page("search")
        self.settings.recent.folder = str(path.parent)
        self.search_page.database.open(path)

    def begin(self, query: Path | None = None) -> None:
        """Fill the Search page as it was left, or with the sample on the first start, and look for devices."""
        for problem in self.settings.problems:
            self.notifications.post("warning", "Settings", problem)
        remembered = Path(self.settings.recent.database) if self.settings.recent.database else None
        if remembered is not None and not remembered.exists():
            self.notifications.post(
                "warning", "The database used last is not where it was.", f"{remembered} The sample is used instead."
            )
            remembered = None
        database = remembered or sample_database()
        self.search_page.database.open(database)
        if query is not None and query.suffix == ".swgui":
            self.runs_page.open_file(query)
        elif query is not None:
            self.use_query_file(query)
        elif database == sample_database():
            self.search_page.load_sample_query()
        self.search_page.engine.probe()

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return next(name for name, page in self._pages.items() if page is self._stack.currentWidget())

    @property
    def states(self) -> set[str]:
        """What is possible now; commands name what they need."""
        found = set()
        if self.search_page.ready:
            found.add("ready")
        if self.search_page.query.report is not None:
            found.add("query")
        if self.controller.phase == "running":
            found.add("running")
        if self.results_page.result is not None:
            found.add("result")
        return found

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Move the focus for the Tab key, with a ring around the control it reaches."""
        self._ring.by_key = True
        try:
            return super().focusNextPrevChild(forward)
        finally:
            self._ring.by_key = False

    def closeEvent(self, event: QCloseEvent) -> None:
        """Stop what runs, remember settings and layout, and go."""
        if not self._closed:
            self._closed = True
            self._save_settings()
            self._layout_memory.save()
            self.run_view.close()
            self.controller.shutdown()
            self.search_page.shutdown()
            self.device_page.shutdown()
            self.databases_page.shutdown()
            self.runs_page.shutdown()
            self.short_jobs.shutdown()
            self.log_view.detach()
            self._ring.detach()
            self.theme.changed.disconnect(self._restyle)
        super().closeEvent(event)

    # Building

    def _build_pages(self) -> None:
        self.search_page = SearchPage(self.settings, self.short_jobs)
        self.results_page = ResultsPage(self.short_jobs)
        self.results_page.use_settings(self.settings.results)
        # With large text on a small screen a page scrolls; it never pushes the window off the screen.
        self.device_page = DevicePage(self.settings)
        self.databases_page = DatabasesPage(self.settings, self.short_jobs)
        self.runs_page = RunsPage(self.queue, self.history, self.short_jobs, choose_engine=self._engine_choice)
        self._pages: dict[str, QWidget] = {
            "search": self.search_page,
            "results": _scrolling(self.results_page),
            "runs": _scrolling(self.runs_page),
            "databases": _scrolling(self.databases_page),
            "device": self.device_page,
        }
        self._stack = QStackedWidget()
        for name, _, _ in PAGES:
            self._stack.addWidget(self._pages[name])
        self._rail = Rail(PAGES)
        self._rail.chosen.connect(self.show_page)
        self._central = QWidget()
        layout = QHBoxLayout(self._central)
        arrange(layout, 0, 0)
        layout.addWidget(self._rail)
        layout.addWidget(self._stack, 1)
        self.setCentralWidget(self._central)

    def _build_docks(self) -> None:
        self.run_panel = RunPanel()
        self.log_view = LogView(self.notifications)
        self.activity_dock = self._dock("activityDock", "Activity", _scrolling(self.run_panel))
        self.log_dock = self._dock("logDock", "Log", self.log_view)
        self.scores_panel = ScoresPanel(self.short_jobs)
        self.scores_dock = self._dock("scoresDock", "Scores", self.scores_panel, Qt.DockWidgetArea.RightDockWidgetArea)

    def _dock(
        self,
        name: str,
        title: str,
        widget: QWidget,
        area: Qt.DockWidgetArea = Qt.DockWidgetArea.BottomDockWidgetArea,
    ) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        dock.hide()
        return dock

    def _build_toolbar(self) -> None:
        bar = QToolBar("Toolbar")
        bar.setObjectName("toolbar")
        bar.setMovable(False)
        bar.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        self.actions_table.fill_toolbar(bar)
        self.addToolBar(bar)
        self._toolbar = bar

    def _targets(self) -> tuple[Target, ...]:
        return (
            Target("Use as query", "Search with these sequences", is_query, self._drop_query),
            Target("Use as database", "Search in these sequences", is_database, self._drop_database),
            Target("Build a database", "Keep these sequences as a named database", is_source, self._drop_sources),
        )

    def _drop_query(self, what: Dropped) -> None:
        if what.files:
            self.use_query_file(what.files[0])
        else:
            self.show_page("search")
            self.search_page.query.set_text(what.text)

    def _drop_database(self, what: Dropped) -> None:
        self.use_database_file(what.files[0])

    def _drop_sources(self, what: Dropped) -> None:
        self._ask_build(what.files)

    def _ask_build(self, files: tuple[Path, ...]) -> None:
        dialog = BuildDialog(self.settings.recent.folder, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.add(files)

        def build() -> None:
            self.show_page("search")
            self.search_page.database.build(dialog.sources, dialog.out, dialog.name.text().strip())

        dialog.accepted.connect(build)
        dialog.open()

    def _explain_everything(self) -> None:
        """Make every tool tip reachable by Shift+F1."""
        for widget in self.findChildren(QWidget):
            if widget.toolTip() and not widget.whatsThis():
                widget.setWhatsThis(widget.toolTip())

    def _connect(self) -> None:
        page, controller = self.search_page, self.controller
        page.changed.connect(self._update_states)
        page.search_wanted.connect(self.run_search)
        page.copy_command_wanted.connect(self.copy_command_line)
        page.open_query_wanted.connect(self.open_query)
        page.choose_database_wanted.connect(self.open_database)
        page.build_database_wanted.connect(self.build_database)
        page.query_opened.connect(self._remember_query)
        page.database.failed.connect(lambda error: log.warning("Database: %s", error))
        page.engine.probed.connect(self._show_engines)
        self.runs_page.open_wanted.connect(self.show_result)
        self.runs_page.compare_wanted.connect(self.tools.compare)
        self.runs_page.message.connect(lambda text: self.statusBar().showMessage(text, 8000))
        self.runs_page.noted.connect(lambda text: self.notifications.post("info", "Saved search", text))
        self.runs_page.failed.connect(self.notifications.error)
        self.runs_page.interrupted_found.connect(self._say_interrupted)
        self.databases_page.use_wanted.connect(self.use_database_file)
        self.databases_page.changed.connect(page.database.refresh_known)
        self.databases_page.rebuilt.connect(self._reopen)
        self.databases_page.message.connect(lambda text: self.statusBar().showMessage(text, 8000))
        self.databases_page.failed.connect(lambda error: log.warning("Databases: %s", error))
        self.device_page.probe_wanted.connect(page.engine.probe_again)
        self.device_page.choice_wanted.connect(self._use_device)
        self.device_page.checked.connect(self._self_checked)
        self.device_page.message.connect(lambda text: self.statusBar().showMessage(text, 4000))
        self.results_page.message.connect(lambda text: self.statusBar().showMessage(text, 8000))
        self.results_page.query_wanted.connect(self._use_record)
        self.run_panel.stop_wanted.connect(self.stop_search)
        controller.phase_changed.connect(self._phase_changed)
        controller.result_ready.connect(self._result_ready)
        self.theme.changed.connect(self._restyle)

    # Run

    def _phase_changed(self, phase: str) -> None:
        self.search_page.set_running(phase != "idle")
        self.device_page.set_searching(phase != "idle")
        self._update_states()

    def _result_ready(self, result: SearchResult) -> None:
        self.status.judge(self._engines)
        self.tools.take(result)
        self.results_page.show_result(result)
        self.device_page.show_engines(self._engines)  # with the speed just measured
        self.search_page.refresh()
        if self.page == "search":
            self.show_page("results")
        QApplication.alert(self)
        self._update_states()

    # Small things

    def _self_checked(self, findings: list[Finding]) -> None:
        for finding in findings:
            log.info("Self-check, %s: %s %s", finding.topic, finding.message, finding.hint)
            if finding.level == "problem":
                self.notifications.post("danger", f"Self-check, {finding.topic}", finding.message, finding.hint)

    def _engine_choice(self) -> tuple[str, EngineOptions]:
        choice = self.search_page.engine.choice
        return choice.engine, EngineOptions(devices=tuple(part for part in choice.device.split(",") if part))

    def _say_interrupted(self, number: int) -> None:
        runs = wording.count(number, "run")
        self.notifications.post("warning", f"{runs} did not end when the program ended last.", "Resume: Runs page.")

    def _reopen(self, path: Path) -> None:
        """Read a database again that is open and was built anew."""
        if self.search_page.database.path == path:
            self.search_page.database.open(path)

    def _use_device(self, engine: str, device: str) -> None:
        self.show_page("search")
        self.search_page.engine.choose(engine, device)

    def _use_record(self, record: SequenceRecord) -> None:
        residues = record.residues.decode("ascii")
        lines = [residues[at : at + 60] for at in range(0, len(residues), 60)]
        self.show_page("search")
        self.search_page.query.set_text("\n".join([f">{record.header}", *lines]))

    def _remember_query(self, path: Path) -> None:
        if path != sample_queries():
            self.settings.remember_query(path)

    def _show_engines(self, statuses: tuple[EngineStatus, ...]) -> None:
        self._engines = statuses
        self.device_page.show_engines(statuses)
        gpus = [d for status in statuses if status.name == "cuda" and status.available for d in status.devices]
        self.databases_page.set_gpu_memory(max((gpu.memory for gpu in gpus), default=0))
        self.status.show_engines(statuses)
        for status in statuses:
            log.info("Engine %s: %s", status.name, "ready" if status.available else status.reason)

    def _facts(self) -> dict[str, str]:
        facts = {
            f"engine {status.name}": ", ".join(d.name for d in status.devices) if status.available else status.reason
            for status in self._engines
        }
        scheme = self.search_page.scoring.scheme
        return facts | {"scoring": scheme.describe() if scheme else "none", "settings": str(store.default_path())}

    def _update_states(self) -> None:
        if hasattr(self, "actions_table"):
            self.actions_table.update(self.states)
            self.status.show_database(self.search_page.database.database)

    def _show_theme(self) -> None:
        self.actions_table[f"theme-{self.theme.mode}"].setChecked(True)

    def _restyle(self) -> None:
        self.actions_table.recolour(self.theme.colours)
        self._toolbar.setIconSize(QSize(grid(2.25), grid(2.25)))
        self._rail.restyle()
        self.search_page.restyle()

    # Settings and layout

    def _save_settings(self) -> None:
        try:
            store.save(self.settings)
        except OSError as error:
            self.notifications.error(error, "The settings could not be saved.")


def _scrolling(page: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area
