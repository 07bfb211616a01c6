"""The window: pages on the left rail, docks, status bar, and the wiring between them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QWidget

from swgui import settings as store
from swgui.core import words
from swgui.core.errors import SwguiError
from swgui.core.hits.marks import Marks
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.words import agree
from swgui.gui.device.entry import watch_of
from swgui.gui.inputs.drop import DropLayer
from swgui.gui.inputs.marks import marks_of
from swgui.gui.kit.pages import Page, PageWidget, Services
from swgui.gui.kit.saving import last_folder
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import stop_all
from swgui.gui.kit.theme import Theme, fit_all
from swgui.gui.runs.entry import queue_of
from swgui.gui.runs.measures import RunMeasures
from swgui.gui.runs.queue import RunSearch
from swgui.gui.search.page import SearchPage
from swgui.gui.window import look
from swgui.gui.window.actions import ActionTable
from swgui.gui.window.device_traffic import DeviceTraffic
from swgui.gui.window.help import HelpDesk
from swgui.gui.window.late import LateParts, Undo
from swgui.gui.window.look import FocusRing, Look, PageStack
from swgui.gui.window.messages.notifications import Action, LogView, MessageList, NoteStack, Notifications
from swgui.gui.window.messages.status import Attention, StatusStrip
from swgui.gui.window.network_link import NetworkLink
from swgui.gui.window.opening import Opening, Recent
from swgui.gui.window.pages import PAGES, commands_of, why_not
from swgui.gui.window.pair_link import PairLink
from swgui.gui.window.project_desk import ProjectDesk
from swgui.gui.window.run_view import RunView
from swgui.gui.window.waiting import WaitingNotes
from swgui.jobs.iterate.again import across_shifts, compare_profiles, search_again
from swgui.jobs.kind import kinds, load
from swgui.jobs.search.request import SearchRequest
from swgui.paths import users_runs
from swgui.runs import Runs
from swgui.runs.holding import Holding
from swgui.settings import Settings

if TYPE_CHECKING:
    from swgui.core.loci.place import Place
    from swgui.gui.databases.page import DatabasesPage
    from swgui.gui.locus.page import LocusPage
    from swgui.gui.results.page import ResultsPage
    from swgui.gui.runs.page import RunsPage
    from swgui.gui.runs.panel import RunPanel

LATER_MS = 500  # the history is read after the first picture
log = logging.getLogger(__name__)


class MainWindow(LateParts):
    """The program's one window."""

    def __init__(
        self, settings: Settings, theme: Theme, *, search: RunSearch | None = None, pages: Sequence[Page] = PAGES
    ) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("swgui")
        self.settings = settings
        self.theme = theme
        self.notifications = Notifications(self)
        self.notifications.facts = self._facts
        self.tasks = Tasks(self)
        self.tasks.failed.connect(lambda _key, error: self.notifications.error(error))
        self.history = Runs(users_runs())
        self._closed = False
        last_folder(settings.recent.folder)
        self._build_pages(pages, search or partial(self.history.run, "search"))
        self._build_docks()
        self._build_helpers()
        self._build_commands(pages)
        self._notes = NoteStack(self.notifications, self.pages)
        self._notes.lift = lambda: self.pages.strip_height
        self._ring = FocusRing(self)
        self._drop = DropLayer(self.pair_link.targets(self.opening.targets), self)
        self.help_desk.explain_tips(self)
        self._connect()
        self.look.restore()
        self._restyle()
        self._show_theme(theme.mode)
        self.show_page("search")
        self.search_page.query.focus_box()
        self.update_states()

    # Commands (the table in swgui.gui.window.actions calls these)

    def run_search(self) -> None:
        if not self.search_page.ready or (request := self._request()) is None:
            return
        self._notes.clear()
        self.search_page.end_welcome()
        self._save_settings()
        self._measures.note(self.search_page.chosen)
        self.controller.start(request)

    def queue_search(self) -> None:
        if (request := self._request()) is None:
            return
        self.waiting.enqueue("search", [request])

    def search_again(self, query: int, members: frozenset[int], settings: IterationSettings) -> None:
        """Search in rounds with hits of the current result, after the waiting runs."""
        if (result := self.results_page.result) is None:
            return
        engine, options = self.devices.choice()
        try:
            self.queue.add(search_again(result, query, members, settings, engine, options))
        except SwguiError as error:
            self.notifications.error(error)

    def compare_profiles(self, query: int, database: Path) -> None:
        """Compare the profile of the current result's last round with a database of profiles, after waiting runs."""
        if (result := self.results_page.result) is None:
            return
        try:
            self.queue.add(compare_profiles(result, query, database, *self.devices.choice()))
        except SwguiError as error:
            self.notifications.error(error)

    def search_across_shifts(self) -> None:
        """Search with the current query across frameshifts, after the waiting runs."""
        page = self.results_page
        if page.result is None:
            return
        try:
            self.queue.add(across_shifts(page.result, page.query_index, *self.devices.choice()))
        except SwguiError as error:
            self.notifications.error(error)

    def stop_search(self) -> None:
        """Stop the run; keep the scores so far."""
        self.controller.stop()

    def pause_search(self, on: bool) -> None:
        self.controller.pause(on)

    def copy_command_line(self) -> None:
        self._copy(self.search_page.command_line, "The command was copied.")

    def copy_python(self) -> None:
        self._copy(self.search_page.python_call, "The lines of Python were copied.")

    def _copy(self, make: Callable[[], str], said: str) -> None:
        if not self.search_page.described:
            return
        QGuiApplication.clipboard().setText(make())
        query = self.search_page.query
        hint = "It does the same search."
        if query.whole_file is None:
            origin = "The query was typed" if query.source is None else "The query is a part of its file"
            hint = f"{origin}: save it as queries.fasta first."
        self.notifications.post("success", said, hint)

    def toggle_activity(self) -> None:
        self.run_view.toggle_dock()

    def toggle_log(self) -> None:
        look.toggle(self.log_dock)

    def run_self_check(self) -> None:
        self.show_page("device")
        self.device_page.run_check()

    def show_messages(self) -> None:
        self._notes.clear()
        MessageList(self.notifications, self).open()

    # What the start-up, drops and tests call

    def show_result(self, result: SearchResult, layout: Mapping[str, Any] | None = None) -> None:
        """Show a result of an earlier run, with the stars and notes that were kept with it."""
        self.tools.take(result)
        marks = Marks.from_facts((layout or {}).get("marks"), len(result.queries), len(result.database))
        self.results_page.show_result(result, marks=marks)
        self.results_page.also_kept = self._measures.show_kept(result, layout or {})
        self.show_page("results")

    def choose_features(self) -> None:
        """Ask for a file of genes and other features, which all pages then use."""
        self.features.ask(self)

    def show_alignment(self) -> None:
        """Ask for an alignment, and show its pairs of columns that vary together in a window of their own."""
        from swgui.gui.viewer.covariation.dialog import AlignmentDialog  # here: few sessions have one

        dialog = AlignmentDialog(self.tasks, self)
        dialog.show()
        dialog.ask()

    def show_locus(self, place: Place) -> None:
        """Show a place of a result on its sequence."""
        cast("LocusPage", self.pages["locus"]).show_place(place)
        self.show_page("locus")

    def begin(self, query: Path | None = None) -> None:
        """Fill the Search page as it was left, or with the sample on the first start, and look for devices."""
        for problem in self.settings.problems:
            self.notifications.post("warning", "Settings", problem)
        self.projects.begin()
        self.opening.begin(query)
        if self.settings.cluster.scheduler:
            self.cluster_panel.begin()
        self.devices.begin()
        # The Runs page shows whether the program ended in the middle of a run.
        QTimer.singleShot(LATER_MS, self, lambda: None if self._closed else self.runs_page)

    @property
    def states(self) -> set[str]:
        """Current states, as commands name them."""
        phases = {"running": {"running", "stoppable"}, "waiting": {"stoppable"}}
        phase = phases.get(self.controller.phase, set())
        return self.pages.states | phase | self.undo.states | self.projects.states

    def focusNextPrevChild(self, forward: bool) -> bool:
        held = self.focusWidget()
        if held is not None and not (held.isVisible() and held.isEnabled()):
            return self._leave_hidden(held, forward)
        self._ring.by_key = True
        look.skip_idle_tabs(self)
        try:
            return super().focusNextPrevChild(forward)
        finally:
            self._ring.by_key = False

    def _leave_hidden(self, held: QWidget, forward: bool) -> bool:
        """Move the keyboard from a hidden or disabled control, within its page: on the rail Return would turn it."""
        moved, page = super().focusNextPrevChild(forward), self.pages[self.page]
        if page.isAncestorOf(held) and not page.isAncestorOf(self.focusWidget()):
            page.setFocus(Qt.FocusReason.OtherFocusReason)
        return moved

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._closed and not self.leaving.may_close():
            event.ignore()
            return
        if not self._closed:
            self._closed = True
            if "results" in self.pages.widgets:
                self.details_panel.keep_note()
            self.help_desk.tour.leave()
            self.attention.dismiss()
            self.recent.keep()
            self.opening.keep()
            self._save_settings()
            self.look.save()
            self.run_view.close()
            self.devices.shutdown()
            self.watch.shutdown()
            self.pages.shutdown()
            self.tasks.shutdown()
            stop_all()
            self.log_view.detach()
            self._ring.detach()
            self.projects.leave()
            self.theme.changed.disconnect(self._restyle)
        super().closeEvent(event)

    # Building

    def _build_pages(self, pages: Sequence[Page], search: RunSearch) -> None:
        services = Services(self.settings, self.tasks, self.history, search, lambda: self.devices.choice())
        self.pages = PageStack(pages, services)
        self.queue = queue_of(services)
        self.controller = self.queue.controller
        self.queue.make_page = lambda name: self.pages.ensure(name) if name in self.pages.names else None
        self.watch, self.holding = watch_of(services), services.shared(Holding, Holding)
        for shared in (self.queue, self.controller, self.watch):
            shared.setParent(self)
        self._services = services
        self.search_page = cast("SearchPage", self.pages["search"])
        self.setCentralWidget(self.pages)

    def _build_docks(self) -> None:
        self.log_view = LogView(self.notifications)
        self.add_late_docks(self._run_panel_made)
        self.log_dock = look.add(self, "logDock", "Log", self.log_view)
        self.tabifyDockWidget(self.activity_dock, self.log_dock)
        self.page_docks = look.PageDocks(self.pages, "results", (self.scores_dock, self.details_dock), self)
        self._in_place = look.InPlace(self, self.pages, (self.scores_dock, self.details_dock))

    def _build_helpers(self) -> None:
        self.status = StatusStrip(self, self.notifications)
        self.status.messages.clicked.connect(self.show_messages)
        self.status.stop.clicked.connect(self.stop_search)
        settings, notifications, controller = self.settings, self.notifications, self.controller
        search = self.search_page
        self._measures = RunMeasures(controller, lambda: self.run_panel, self.watch, search.estimates, self)
        self.devices = DeviceTraffic(self, search, self.holding, self.watch, self.queue, self.status, notifications)
        self.run_view = RunView(
            controller, lambda: self.run_panel, self.activity_dock, self.status, notifications, settings, self
        )
        self.opening = Opening(self, settings, search, notifications)
        self.recent = Recent(self, settings.recent, self.history, self.opening)
        marks = marks_of(self._services)
        self.projects = ProjectDesk(self, settings.recent, self.history, self.queue, marks, self.tasks, notifications)
        self.recent.projects = self.projects.recent
        marks.failed.connect(notifications.error)
        marks.message.connect(self._say)
        self.look = Look(self, self.theme, settings, self.activity_dock, self.page_docks)
        self.undo = Undo(self.pages, self)
        self.attention = Attention(self, controller, settings)
        self.pair_link = PairLink(self, self.attention, search, notifications)
        self.waiting = WaitingNotes(self, self.queue, notifications)
        self.network_link = NetworkLink(self, self.attention, self.pair_link, notifications)
        self.help_desk = HelpDesk(self, settings, notifications)

    def _build_commands(self, pages: Sequence[Page]) -> None:
        self.actions_table = ActionTable(commands_of(pages), self, self.pages, why_not(pages))
        self.actions_table.use_keys(self.settings.shortcuts)
        display = self.settings.display
        for name, on in (("reduced-motion", display.reduced_motion), ("notify", display.notify)):
            self.actions_table[name].setChecked(on)
        self.actions_table.fill_menus(self.menuBar())
        self.recent.follow()

    def _connect(self) -> None:
        page, controller = self.search_page, self.controller
        for name in self.pages.names:
            self.pages.once_made(name, lambda page: page.states_changed.connect(self.update_states))
            self.pages.once_made(name, lambda page: page.message.connect(self._say))
            self.pages.once_made(name, self._connect_queue)
        self.pages.once_made("results", self._connect_results)
        self.pages.once_made("runs", self._connect_runs)
        for name in ("results", "rules", "pair"):
            self.pages.once_made(name, lambda page: page.place_wanted.connect(self.show_locus))
        for name in ("results", "rules", "locus"):
            self.pages.once_made(name, lambda _page: self.features)  # whose messages are shown from then on
        self.pages.once_made("databases", self._connect_databases)
        self.pages.made.connect(self._page_made)
        page.search_wanted.connect(self.run_search)
        page.queue_wanted.connect(self.queue_search)
        page.welcome.tour_wanted.connect(self.help_desk.start_tour)
        page.welcome.set_wanted.connect(self.opening.get_set)
        page.copy_command_wanted.connect(self.copy_command_line)
        page.copy_python_wanted.connect(self.copy_python)
        page.open_query_wanted.connect(self.opening.open_query)
        page.choose_database_wanted.connect(self.opening.open_database)
        page.build_database_wanted.connect(self.opening.build_database)
        page.database.beside_wanted.connect(self.opening.open_beside)
        page.database.failed.connect(lambda error: log.warning("Database: %s", error))
        controller.pause_changed.connect(self.actions_table["pause"].setChecked)
        controller.phase_changed.connect(self.update_states)
        controller.result_ready.connect(self._result_ready)
        self.undo.changed.connect(self._undo_changed)
        self.projects.changed.connect(self._project_changed)
        self.look.theme_chosen.connect(self._show_theme)
        self.pages.turned.connect(self._page_turned)
        self.theme.changed.connect(self._restyle)

    def _connect_results(self, page: ResultsPage) -> None:
        self.fill_result_docks(page)
        look.OneSide(page.hits.filters_button, (self.scores_dock, self.details_dock), self)
        page.search_wanted.connect(lambda: self.show_page("search"))
        page.save_wanted.connect(self.opening.save_search)
        page.query_wanted.connect(self.opening.use_record)
        page.part_wanted.connect(self.opening.use_record)
        page.marks_changed.connect(self._keep_marks)
        page.again.wanted.connect(self.search_again)
        page.again.profiles_wanted.connect(self.compare_profiles)
        page.hits.details_wanted.connect(lambda: self.tools.toggle_details())
        page.alignment.shifts_wanted.connect(self.search_across_shifts)
        page.header.resume_wanted.connect(lambda run_id: self.runs_page.resume_run(run_id))
        page.header.resume_wanted.connect(lambda _run_id: self._notes.clear())  # dismiss notes that offer Resume

    def _connect_queue(self, page: PageWidget) -> None:
        """Register the controllers of a page's runs with the queue."""
        for control in page.runners:
            self.queue.register(control)
        if page.runners:
            page.queue_wanted.connect(partial(self._take_into_queue, page))

    def _take_into_queue(self, page: PageWidget, requests: Sequence[Any]) -> None:
        if requests:
            self.waiting.enqueue(page.kind_of(requests[0]), requests)

    def show_outcome(self, kind: str, outcome: Any) -> None:
        """Show the outcome of a saved run on the page of its kind; without a page, a message with the outcome."""
        if not (name := kinds()[kind].page):
            said = " ".join(load(kinds()[kind].codec).sentences(outcome.outcome))
            self.notifications.post("info", kinds()[kind].title, said)
            return
        self.show_page(name)
        self.pages[name].take_outcome(outcome)

    def _connect_runs(self, page: RunsPage) -> None:
        page.opened.connect(self.show_outcome)
        page.open_wanted.connect(self.show_result)
        page.compare_wanted.connect(lambda earlier, later: self.tools.compare(earlier, later))
        page.watch_wanted.connect(lambda result: self.tools.watch(result))
        page.noted.connect(lambda text: self.notifications.post("info", "Saved search", text))
        page.failed.connect(self.notifications.error)
        page.file_opened.connect(lambda path: self.settings.remember_result(path))
        page.interrupted_found.connect(self._say_interrupted)
        page.left_found.connect(lambda records: self.leaving.say_left(records))
        page.sample_wanted.connect(self.opening.load_sample)

    def _connect_databases(self, page: DatabasesPage) -> None:
        page.use_wanted.connect(self.opening.use_database_file)
        page.changed.connect(self.search_page.database.refresh_known)
        page.rebuilt.connect(self.opening.reopen)
        page.failed.connect(lambda error: log.warning("Databases: %s", error))

    def _run_panel_made(self, panel: RunPanel) -> None:
        panel.stop_wanted.connect(self.stop_search)
        panel.pause_wanted.connect(self.controller.pause)
        self._settle_in(self.activity_dock)

    def _page_made(self, name: str) -> None:
        self.pages[name].restyle()
        self._settle_in(self.pages.place(name))
        if name == "results":
            self._settle_in(self.scores_dock)
            self._settle_in(self.details_dock)
        self.update_states()

    def _settle_in(self, part: QWidget) -> None:
        fit_all(part)
        self.look.adopt(part)
        self.help_desk.explain_tips(part)

    def _say(self, text: str) -> None:
        self.statusBar().showMessage(text, 8000)

    # Run

    def _request(self) -> SearchRequest | None:
        """Return the search that the Search page describes; None if there is none yet, or if it is wrong."""
        if not self.search_page.described:
            return None
        try:
            request = self.search_page.request()
        except SwguiError as error:
            self.notifications.error(error)
            return None
        if self.search_page.left_out:
            self.notifications.post("warning", "Not every query is searched with.", self.search_page.left_out)
        return request

    def _result_ready(self, result: SearchResult) -> None:
        self.tools.take(result)
        self.results_page.show_result(result)
        self.results_page.also_kept = self._measures.take(result)
        if self.results_page.layout_facts:
            self._keep_marks()
        self.devices.measured()
        self.search_page.refresh()
        if self.page == "search":
            self.show_page("results")
        if self.page == "results":
            self.results_page.when_listed(self._begin_with_hits)
        self.update_states()

    def _begin_with_hits(self) -> None:
        """Let the keys go from hit to hit, and show all of the first one where there is room."""
        self.results_page.hits.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self.tools.offer_details()

    # Small things

    def _keep_marks(self) -> None:
        result = self.results_page.result
        if result is not None and self.history.has_result(result.run_id):
            self.runs_page.keep_layout(result.run_id, self.results_page.layout_facts)
        elif result is not None:  # opened from a file, which only the user saves
            self.statusBar().showMessage("Save the search to keep stars, notes and ticks.", 5000)

    def _undo_changed(self) -> None:
        self.undo.name_actions(self.actions_table)
        self.update_states()

    def _project_changed(self) -> None:
        self.runs_page.show_project(self.projects.name)
        self.search_page.database.refresh_known()
        self.update_states()

    def _page_turned(self, name: str) -> None:
        self.undo.turn_to(name)
        self.actions_table.show_menus_of(name)
        self.update_states()
        self._notes.place()

    def _say_interrupted(self, number: int) -> None:
        runs = words.count(number, "run")
        title = f"{runs} {agree(number, 'was', 'were')} not finished when the program was closed."
        show = Action("Show the runs", lambda: self.show_page("runs"))
        self.notifications.post("warning", title, "The scores so far are kept; you can resume the run.", action=show)

    def _facts(self) -> dict[str, str]:
        scheme = self.search_page.scoring.scheme
        facts = {"scoring": scheme.describe() if scheme else "none", "settings": str(store.default_path())}
        return self.devices.facts | facts

    def update_states(self) -> None:
        self.actions_table.update(self.states)
        shown = self.results_page.title if self.page == "results" else ""
        self.setWindowTitle(" – ".join(filter(None, (shown, self.projects.name, "swgui"))))

    def _show_theme(self, mode: str) -> None:
        self.actions_table[f"theme-{mode}"].setChecked(True)

    def _restyle(self) -> None:
        self.actions_table.recolour(self.theme.colours)
        self.pages.restyle()
        if "results" in self.pages.widgets:
            self.tools.restyle()
        self._in_place.settle()

    # Settings and layout

    def _save_settings(self) -> None:
        self.settings.recent.folder = last_folder() or self.settings.recent.folder
        try:
            store.save(self.settings)
        except OSError as error:
            self.notifications.error(error, "The settings could not be saved.")
