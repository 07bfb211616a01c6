"""Files from dialogs, drops, the command line, or an earlier session."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu

from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.gui.inputs.build_dialog import BuildDialog
from swgui.gui.inputs.drop import (
    DATABASE_SUFFIX,
    Dropped,
    Target,
    is_database,
    is_query,
    is_result,
    is_saved,
    is_source,
)
from swgui.gui.inputs.opened import SEQUENCE_FILES, sample_database
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.widgets import plain
from swgui.gui.search.page import SearchPage, sample_queries
from swgui.gui.window.actions import Frame
from swgui.gui.window.messages.notifications import Notifications
from swgui.jobs.kind import kinds
from swgui.runs import RunRecord, Runs
from swgui.settings import RecentSettings, Settings

if TYPE_CHECKING:
    from swgui.gui.databases.page import DatabasesPage
    from swgui.gui.results.page import ResultsPage
    from swgui.gui.runs.page import RunsPage

LISTED = 8  # queries, runs and files of results in the menu, each
LONGEST = 60  # characters of a name
MAX_TYPED = 20_000  # maximum length of a query without a file that the next start restores
CLEAR = "forget-recent"  # the command at the end of the menu
QUERY_FILES = (
    "Sequence files (*.fa *.fasta *.faa *.fna *.ffn *.fas *.fq *.fastq *.gb *.gbk *.embl *.dat *.pir *.txt "
    "*.pdb *.ent *.cif *.mmcif *.gz *.bgz *.bz2 *.xz *.zst)"
    ";;All files (*)"
)


class Recent(QObject):
    """Fills the menu of recent files, and restores the last result shown."""

    def __init__(self, window: Frame, settings: RecentSettings, history: Runs, opening: Opening) -> None:
        super().__init__(window)
        self._window, self._settings, self._history, self._opening = window, settings, history, opening
        self._added: list[QAction] = []
        self.projects: Callable[[], list[tuple[str, str, Callable[[], None]]]] = list  # those of the menu
        window.pages.turned.connect(self._turned)

    def follow(self) -> None:
        """Fill the menu of the command `CLEAR` whenever it is opened."""
        for menu in self._window.actions_table[CLEAR].associatedObjects():
            if isinstance(menu, QMenu):
                menu.aboutToShow.connect(partial(self._fill, menu))

    def forget(self) -> None:
        """Empty the menu; the runs stay on the Runs page."""
        for files in (self._settings.projects, self._settings.queries, self._settings.results):
            files.clear()

    def keep(self) -> None:
        """Note which result is shown, for the next start."""
        results = self._window.pages.widgets.get("results")
        if results is not None and (result := cast("ResultsPage", results).result) is not None:
            self._settings.run = result.run_id

    def _turned(self, name: str) -> None:
        """Open the result that was shown last when the empty Results page is gone to for the first time."""
        run_id = self._settings.run
        if name != "results" or not run_id:
            return
        self._settings.run = ""  # not a second time
        shown = cast("ResultsPage", self._window.pages["results"]).result
        if shown is None and self._history.has_result(run_id):
            self._opening.runs.open_run(run_id, "the result that was shown last", "search")

    def _fill(self, menu: QMenu) -> None:
        for action in self._added:
            menu.removeAction(action)
            action.deleteLater()
        self._added = []
        first = self._window.actions_table[CLEAR]
        settings = self._settings
        first.setEnabled(bool(settings.projects or settings.queries or settings.results))
        for title, entries in (
            ("Projects", self.projects()),
            ("Queries", self._queries()),
            ("Results", self._results()),
        ):
            if entries:
                self._add(menu, first, QAction(title, menu), enabled=False)
            for name, tip, does in entries:
                action = QAction(name.replace("&", "&&"), menu)
                action.setToolTip(plain(tip))
                action.triggered.connect(does)
                self._add(menu, first, action)
        if self._added:
            self._added.append(menu.insertSeparator(first))

    def _add(self, menu: QMenu, before: QAction, action: QAction, *, enabled: bool = True) -> None:
        action.setEnabled(enabled)
        menu.insertAction(before, action)
        self._added.append(action)

    def _queries(self) -> list[tuple[str, str, Callable[[], None]]]:
        paths = [path for path in map(Path, self._settings.queries) if path.is_file()]
        return [(path.name, str(path), partial(self._opening.use_query_file, path)) for path in paths[:LISTED]]

    def _results(self) -> list[tuple[str, str, Callable[[], None]]]:
        results: list[tuple[str, str, Callable[[], None]]] = []
        page = self._opening.runs
        runs = [run for run in page.records if run.state in ("done", "partial", "failed")][:LISTED]
        for label, run in zip(run_labels(runs), runs, strict=True):
            opens = partial(page.open_run, run.id, run.name, run.kind)
            tip = ", ".join(part for part in (run.name, run.about, _time(run)) if part)
            results.append((label, tip, opens))
        paths = [path for path in map(Path, self._settings.results) if path.is_file()]
        return results + [(path.name, str(path), partial(self._opening.open_result, path)) for path in paths[:LISTED]]


def run_labels(runs: Sequence[RunRecord]) -> list[str]:
    """Return the titles of runs in a menu: name and database; settings, then times, where these are the same."""
    names = (run.name if len(run.name) <= LONGEST else f"{run.name[: LONGEST - 1]}…" for run in runs)
    labels = [f"{name} in {run.database}" if run.database else name for name, run in zip(names, runs, strict=True)]
    for differing in ([run.about for run in runs], [_time(run) for run in runs]):
        often = Counter(labels)
        pairs = zip(labels, differing, strict=True)
        labels = [f"{label}, {what}" if often[label] > 1 and what else label for label, what in pairs]
    return labels


def _time(run: RunRecord) -> str:
    return run.started[:16].replace("T", " ")


class Opening(QObject):
    """Brings files to their pages.

    Parameters
    ----------
    window : Frame
        Parent of the dialogs; its ``show_page`` is called.
    """

    def __init__(
        self,
        window: Frame,
        settings: Settings,
        search: SearchPage,
        notifications: Notifications,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._search = search
        self._notifications = notifications
        search.query_opened.connect(self._remember_query)

    # Commands

    def new_search(self) -> None:
        self._window.show_page("search")
        self._search.query.clear()

    def use_record(self, record: SequenceRecord, part: QueryRange | None = None) -> None:
        """Put a sequence into the query box, choose a part of it or all, and go to the Search page."""
        self._window.show_page("search")
        self._search.query.use_record(record, part)

    def edit_search(self) -> None:
        """Put queries, settings and database of the result that is shown on the Search page."""
        if (result := cast("ResultsPage", self._window.pages["results"]).result) is None:
            return
        remarks = self._search.take_result(result)
        self._window.show_page("search")
        if remarks:
            self._notifications.post("warning", "Some settings of the search could not be restored.", " ".join(remarks))

    def open_query(self) -> None:
        if path := self._ask("Open query", QUERY_FILES):
            self.use_query_file(path)

    def open_database(self) -> None:
        if path := self._ask("Choose database", SEQUENCE_FILES):
            self.use_database_file(path)

    def open_beside(self) -> None:
        """Ask for a database to search together with the chosen one."""
        if path := self._ask("Search another database, too", SEQUENCE_FILES):
            self._search.database.add(path)

    def build_database(self) -> None:
        self._ask_build(())

    def get_set(self, key: str) -> None:
        """Offer a public set, by its key, on the Databases page."""
        self._window.show_page("databases")
        cast("DatabasesPage", self._window.pages["databases"]).show_downloads(key)

    def load_sample(self) -> None:
        self._window.show_page("search")
        self._search.load_sample_query()
        self._search.load_sample_database()

    def paste_query(self) -> None:
        self._window.show_page("search")
        self._search.query.paste()

    def save_search(self) -> None:
        results = cast("ResultsPage", self._window.pages["results"])
        result = results.result
        if result is None:
            return
        folder = self._settings.recent.folder
        if path := ask_save_path(
            self._window, "Save search", folder, kinds()["search"].file[1], self._notifications.error
        ):
            self.runs.save_result(result, path, layout=results.layout_facts)

    @property
    def runs(self) -> RunsPage:
        return cast("RunsPage", self._window.pages["runs"])

    # What the start-up and drops call

    def open_result(self, path: Path) -> None:
        self.runs.open_file(path)

    def use_query_files(self, paths: Sequence[Path]) -> None:
        self._window.show_page("search")
        self._search.query.open_files(paths)

    def use_query_file(self, path: Path) -> None:
        self._window.show_page("search")
        self._search.query.open_file(path)

    def use_database_file(self, path: Path) -> None:
        self._window.show_page("search")
        self._settings.recent.folder = str(path.parent)
        self._search.database.open(path)

    def reopen(self, path: Path) -> None:
        if self._search.database.path == path:
            self._search.database.open(path)

    def begin(self, query: Path | None = None) -> None:
        """Restore the inputs of the Search page, or fill in the sample on the first start.

        Parameters
        ----------
        query : Path, optional
            A file to open instead: queries, a database, or a saved run.
        """
        if query is not None and query.suffix == DATABASE_SUFFIX:
            database, query = query, None
        else:
            database = self._last_database()
        self._search.database.open(database)
        if query is not None and is_saved(query):
            self.open_result(query)
        elif query is not None:
            self.use_query_file(query)
        elif (last := self._settings.recent.query) and Path(last).is_file():
            self.use_query_file(Path(last))
        elif typed := self._settings.recent.typed:
            self._search.query.set_text(typed)
        elif database == sample_database():
            self._search.load_sample_query()

    def _last_database(self) -> Path:
        """Return the database used last, or the sample; posts a message if the last one is missing."""
        last = Path(self._settings.recent.database) if self._settings.recent.database else sample_database()
        if last.exists():
            return last
        self._notifications.post(
            "warning", "The file of the last database is missing.", f"{last} The sample is used instead."
        )
        return sample_database()

    def keep(self) -> None:
        """Save the inputs of the Search page for the next start."""
        query, recent = self._search.query, self._settings.recent
        recent.query = str(query.source) if query.source is not None and query.source != sample_queries() else ""
        text = query.box.toPlainText() if query.source is None and not query.box.isReadOnly() else ""
        recent.typed = text if len(text) <= MAX_TYPED else ""

    @property
    def targets(self) -> tuple[Target, ...]:
        return (
            Target("Use as query", "Search with these sequences", is_query, self._drop_query),
            Target(
                "Use as database",
                "Search in these sequences",
                is_database,
                lambda dropped: self.use_database_file(dropped.files[0]),
            ),
            Target(
                "Build a database",
                "Keep these sequences as a named database",
                is_source,
                lambda dropped: self._ask_build((*dropped.files, *dropped.folders)),
            ),
            Target(
                "Open the result",
                "Show this saved run",
                is_result,
                lambda dropped: self.open_result(dropped.files[0]),
                anywhere=True,
            ),
        )

    def _drop_query(self, dropped: Dropped) -> None:
        if len(dropped.files) > 1:
            self.use_query_files(dropped.files)
        elif dropped.files:
            self.use_query_file(dropped.files[0])
        else:
            self._window.show_page("search")
            self._search.query.set_text(dropped.text)

    def _ask(self, title: str, kinds: str) -> Path | None:
        name, _ = QFileDialog.getOpenFileName(self._window, title, self._settings.recent.folder, kinds)
        return Path(name) if name else None

    def _ask_build(self, files: tuple[Path, ...]) -> None:
        dialog = BuildDialog(self._settings.recent.folder, self._window)
        dialog.add(files)

        def build() -> None:
            self._window.show_page("search")
            self._search.database.build(dialog.asked)

        dialog.accepted.connect(build)
        dialog.ask()

    def _remember_query(self, path: Path) -> None:
        if path != sample_queries():
            self._settings.remember_query(path)
