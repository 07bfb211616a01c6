"""The Databases page: what there is to search in, and building, updating, checking and removing it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QShowEvent
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QStackedWidget, QWidget

from swgui.core.errors import Stopped
from swgui.gui.databases import jobs as database_jobs
from swgui.gui.databases.details_panel import DatabaseDetails, describe_database
from swgui.gui.databases.jobs import Outcome, RemoveBox, WorkCard
from swgui.gui.inputs.database import GPU_BYTES_PER_RESIDUE, SAMPLE_NAME, SEQUENCE_FILES, BuildDialog, sample_database
from swgui.gui.inputs.drop import DATABASE_SUFFIX, DropLayer, Dropped, Target, is_source
from swgui.gui.kit.empty import EmptyBox, offers
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.pages import PageWidget
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task, Tell
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import text_label
from swgui.gui.words import wording
from swgui.io.organisms.assign import NO_FILES, OrganismFiles
from swgui.settings import Settings

if TYPE_CHECKING:
    from swgui.gui.databases.download import DownloadDialog
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QSortFilterProxyModel
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import RIGHT, Index, ListTable, Role, RowColumn
from swgui.gui.kit.tables.row_view import row_table
from swgui.gui.kit.theme import colours, keep_size
from swgui.gui.words.formatting import file_size
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.database.library import KnownDatabase, lost_databases, user_databases


@dataclass(frozen=True, slots=True)
class State:
    """What can be the matter with a database."""

    text: str  # for the table, with a sign that does not need colour
    tone: str  # name of a theme colour: ``text``, ``muted``, ``warning`` or ``danger``
    meaning: str  # one sentence


STATES = {
    "current": State("✓ up to date", "success", "Its source files are as they were when it was built."),
    "changed": State(
        "⚠ source changed", "warning", "A source file changed since: “Update from source” reads it again."
    ),
    "orphan": State(
        "• source gone", "muted", "It can be searched, but not updated: a source file is not where it was."
    ),
    "bare": State("• no source", "muted", "It can be searched; it does not say what it was made from."),
    "damaged": State("✗ damaged", "danger", "The check found that its file is not as it was written."),
    "missing": State(
        "✗ file missing",
        "danger",
        "The file of this database is not where it was. Say where it is now, or remove it from the list.",
    ),
    "unreadable": State(
        "✗ cannot be read", "danger", "The file of this database is cut off, of a newer version, or none of ours."
    ),
}


@dataclass(frozen=True, slots=True)
class DatabaseRow:
    """One row."""

    path: Path  # what a search takes
    name: str
    state: str  # key of `STATES`
    known: KnownDatabase | None = None  # none if the file is missing or cannot be read
    reason: str = ""  # why it is damaged or cannot be read, for the user

    @property
    def file(self) -> Path:
        return self.known.file if self.known else self.path

    @property
    def converted(self) -> bool:
        """Whether it is a sequence file that was read once and kept in the cache."""
        return self.known is not None and self.known.file != self.path

    @property
    def usable(self) -> bool:
        return self.known is not None and self.state != "damaged"

    @property
    def updatable(self) -> bool:
        if self.converted:
            return self.state in ("changed", "damaged")
        return self.known is not None and bool(self.known.sources) and all(map(Path.exists, self.known.sources))


def list_rows(rename: Callable[[Path], str | None]) -> list[DatabaseRow]:
    """Look up all databases of the user; reads the beginning of each file, so call it from a worker.

    Parameters
    ----------
    rename : callable
        Gives the name to show for a path, None for its own.
    """
    rows = [
        DatabaseRow(known.path, rename(known.path) or known.name, _state(known), known) for known in user_databases()
    ]
    for lost in lost_databases():
        state = "unreadable" if lost.path.exists() else "missing"
        rows.append(DatabaseRow(lost.path, lost.path.stem, state, reason=str(lost.error)))
    return rows


def _state(known: KnownDatabase) -> str:
    if not known.sources:
        return "bare"
    if not all(source.exists() for source in known.sources):
        return "orphan"
    return "changed" if known.outdated else "current"


def day_and_time(moment: str) -> str:
    """Return an ISO 8601 time as ``2026-11-20 11:50``."""
    return moment[:16].replace("T", " ")


def sources_text(row: DatabaseRow) -> str:
    """Return the names of the files a database was made from."""
    if row.known is None or not row.known.sources:
        return ""
    first, *more = (source.name for source in row.known.sources)
    return f"{first} and {len(more):,} more" if more else first


CHECKSUM_DIGITS = 8


Column = RowColumn[DatabaseRow]


def _of(read: Callable[[KnownDatabase], str]) -> Callable[[DatabaseRow], str]:
    return lambda row: read(row.known) if row.known else ""


def _number(title: str, tip: str, read: Callable[[KnownDatabase], int]) -> Column:
    return RowColumn(
        title,
        tip,
        _of(lambda known: f"{read(known):,}"),
        lambda row: read(row.known) if row.known else -1,
        side=RIGHT,
    )


COLUMNS: tuple[Column, ...] = (
    RowColumn("Name", "", lambda row: row.name, lambda row: row.name.lower(), lambda row: str(row.path)),
    RowColumn(
        "State",
        "Whether the sources are as they were",
        lambda row: STATES[row.state].text,
        lambda row: list(STATES).index(row.state),
        lambda row: row.reason or STATES[row.state].meaning,
    ),
    RowColumn("Type", "", _of(lambda known: KIND_NAMES[known.alphabet.name])),
    _number("Sequences", "", lambda known: known.sequences),
    _number("Residues", "Of DNA: bases", lambda known: known.residues),
    _number("Longest", "Residues of the longest sequence", lambda known: known.longest),
    RowColumn("Size", "Of the database file on disk", _of(lambda known: file_size(known.size)),
           lambda row: row.known.size if row.known else -1, side=RIGHT),
    RowColumn("Made", "When it was built", _of(lambda known: known.made[:10]), _of(lambda known: known.made),
           _of(lambda known: day_and_time(known.made)), side=Qt.AlignmentFlag.AlignHCenter),
    RowColumn("Source", "What it was built from", sources_text,
           cell_tip=_of(lambda known: "\n".join(map(str, known.sources)))),
    RowColumn("Checksum", "Of residues and names: the same content has the same checksum",
           _of(lambda known: known.checksum[:CHECKSUM_DIGITS]), cell_tip=_of(lambda known: known.checksum)),
)  # fmt: skip
NAME, STATE, SOURCE = (next(at for at, column in enumerate(COLUMNS) if column.title == title)
                       for title in ("Name", "State", "Source"))  # fmt: skip


class DatabaseTable(ListTable[DatabaseRow]):
    """One row per database."""

    def __init__(self) -> None:
        super().__init__(COLUMNS)

    def show_rows(self, rows: list[DatabaseRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def row_of(self, path: Path) -> int:
        """Return the row of a database, -1 if it is not listed."""
        return next((at for at, row in enumerate(self.rows) if row.path == path), -1)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == Role.ToolTipRole and column.cell_tip is None:
            return plain(column.text(row))
        if role == Role.ForegroundRole and index.column() == STATE:
            return QColor(getattr(colours(QGuiApplication.palette()), STATES[row.state].tone))
        return super().data(index, role)


BOLD = 1.12  # how much wider the titles of columns are than plain text
MIN_WIDTH = 24  # grid units a name or a source keeps, however little room there is
GIVE_WAY = (SOURCE, NAME)  # columns that are cut first


class DatabaseList(QTableView):
    """Shows the databases, one of them chosen."""

    chosen_changed = Signal()  # another one is chosen, or none
    use_wanted = Signal()  # and remove_wanted: enter or a double click; Delete
    remove_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row_table(self, "databasesTable", "Databases", single=True)
        self.table = DatabaseTable()
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.table)
        self._sorted.setSortRole(Qt.ItemDataRole.UserRole)
        self.setModel(self._sorted)
        self.setSortingEnabled(True)
        self.sortByColumn(NAME, Qt.SortOrder.AscendingOrder)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        keep_size(self, height=20, rows=2.75)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.sortIndicatorChanged.connect(lambda _section, _order: self._fit_columns())
        self.selectionModel().currentRowChanged.connect(lambda _now, _before: self.chosen_changed.emit())
        self.activated.connect(lambda _index: self.use_wanted.emit())

    @property
    def rows(self) -> list[DatabaseRow]:
        return self.table.rows

    @property
    def chosen(self) -> DatabaseRow | None:
        index = self._sorted.mapToSource(self.currentIndex())
        return self.table.rows[index.row()] if index.isValid() else None

    def show_rows(self, rows: list[DatabaseRow], choose: Path | None) -> None:
        """Replace all rows and choose one: this, else the first that can be searched."""
        if rows != self.rows:
            self.table.show_rows(rows)
            self._fit_columns()
        if rows:
            self.choose(choose)
        self.chosen_changed.emit()

    def choose(self, path: Path | None) -> None:
        at = self.table.row_of(path) if path is not None else -1
        if at < 0:
            shown = [self._sorted.mapToSource(self._sorted.index(row, NAME)).row() for row in range(len(self.rows))]
            at = next((row for row in shown if self.rows[row].usable), shown[0])
        index = self._sorted.mapFromSource(self.table.index(at, NAME))
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Delete):
            self.remove_wanted.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "table"):
            self._fit_columns()

    def _fit_columns(self) -> None:
        """Show every column whole if there is room; names and sources give way first."""
        header = self.horizontalHeader()
        metrics = QFontMetricsF(header.font())
        widths = []
        for at, column in enumerate(COLUMNS):
            arrow = grid(2) if at == header.sortIndicatorSection() else 0
            title = round(metrics.horizontalAdvance(column.title) * BOLD + grid(1.5)) + arrow
            widths.append(max(self.sizeHintForColumn(at) + grid(1.5), title))
        spare = self.viewport().width() - sum(widths)
        for at in GIVE_WAY:
            given = max(min(widths[at], grid(MIN_WIDTH)), widths[at] + min(0, spare))
            spare += widths[at] - given
            widths[at] = given
        for at, width in enumerate(widths):
            header.resizeSection(at, width)


INTRO = "What you can search in. Sequence files are read once; after that a database opens at once, whatever its size."
EMPTY = (
    "Drop a FASTA, GenBank, EMBL or UniProt file here, or a folder of structures, or press “Add sequence files…”. "
    "The sample database is small and good for a first try."
)


class DatabasesPage(PageWidget):
    """Lists the databases of this user."""

    use_wanted = Signal(object)  # a database should be searched; its path
    changed = Signal()  # the list of databases, or one of them, is another now
    rebuilt = Signal(object)  # the file at this path was built anew; whoever has it open still reads the older content
    message = Signal(str)  # for the status line
    failed = Signal(object)  # an exception; the page says itself what it means, this is for the log

    def __init__(self, settings: Settings, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("databasesPage")
        self._settings = settings
        self._tasks = tasks
        self._gpu_memory = 0
        self._wanted: Path | None = None  # to be chosen when the list is there
        self._damaged: dict[Path, str] = {}  # what a check found, until the file is another
        self._download: DownloadDialog | None = None
        self.work = Task(self)
        self._build()
        self.work.changed.connect(lambda: self.details.set_busy(self.work.busy))
        self._drop = DropLayer(self._targets(), self)
        self._show_empty()

    # What others ask

    @property
    def busy(self) -> bool:
        return self.work.busy

    def refresh(self, choose: Path | None = None) -> None:
        self._wanted = choose or self._wanted
        self._tasks.submit("databases-list", partial(list_rows, _shown_name), self._take_rows, self._refuse)

    def add_files(self) -> None:
        """Ask for sequence files to build a database of, or for database files to list."""
        names, _ = QFileDialog.getOpenFileNames(
            self, "Add sequence files", self._settings.recent.folder, SEQUENCE_FILES
        )
        if names:
            self._settings.recent.folder = str(Path(names[0]).parent)
            self.take_files([Path(name) for name in names])

    def take_files(self, files: Sequence[Path], name: str = "") -> None:
        """List the database files among these, and offer to build a database of the others."""
        databases = [file for file in files if file.suffix == DATABASE_SUFFIX]
        sources = [file for file in files if file.suffix != DATABASE_SUFFIX]
        if databases:
            self._tasks.submit(
                "databases-remember", partial(database_jobs.remember, databases), self._listed, self._refuse
            )
        if sources and not self._refuse_second():
            self._ask_build(sources, name)

    def build(
        self, sources: Sequence[Path], out: Path, name: str, organisms: OrganismFiles = NO_FILES, min_plddt: float = 0.0
    ) -> None:
        self._start(f"Building “{name}”", partial(database_jobs.build, tuple(sources), out, name, organisms, min_plddt))

    def add_sample(self) -> None:
        path = sample_database()
        if any(row.path == path for row in self.list.rows):
            self.list.choose(path)
        else:
            self._start(f"Reading “{SAMPLE_NAME}”", partial(database_jobs.convert, path, SAMPLE_NAME))

    def show_downloads(self) -> None:
        """Open the list of public sets; nothing is contacted before a button is pressed there."""
        # Imported here: what speaks to the network makes the start slower, and is seldom wanted.
        from swgui.gui.databases.download import DownloadDialog

        if self._download is None:
            self._download = DownloadDialog(self._tasks, self.window())
            self._download.build_wanted.connect(lambda path, name: self.take_files([path], name))
            self._download.destroyed.connect(self._forget_download)
        self._download.show()
        self._download.raise_()
        self._download.activateWindow()

    def set_gpu_memory(self, size: int) -> None:
        """Say how much memory the GPU has, in bytes; 0 if there is none."""
        if size != self._gpu_memory:
            self._gpu_memory = size
            self._show_chosen()

    def shutdown(self) -> None:
        if self._download is not None:
            self._download.shutdown()
        self.work.shutdown()
        for key in ("list", "remember", "details", "remove"):
            self._tasks.drop(f"databases-{key}")

    # Building

    def _build(self) -> None:
        self._head_buttons = self._buttons("")
        row = FlowRow()
        for button in self._head_buttons:
            row.add(button)
        self.list = DatabaseList()
        self.list.chosen_changed.connect(self._show_chosen)
        self.list.use_wanted.connect(self.use)
        self.list.remove_wanted.connect(self.remove)
        self.list.customContextMenuRequested.connect(self._open_menu)
        self.details = DatabaseDetails()
        self._split = in_splitter(Qt.Orientation.Vertical, (self.list, 3), (self.details, 2), name="databasesSplit")
        self._split.setHandleWidth(grid(1.5))
        self._split.setSizes([grid(45), grid(48)])
        self._stack = QStackedWidget()
        self._stack.addWidget(self._split)
        self._stack.addWidget(EmptyBox("databasesEmpty", "No database yet", EMPTY, self._buttons("Empty")[::-1]))
        self.card = WorkCard(self.work)
        in_column(
            in_row((text_label("Databases", level="title"), 1), row),
            text_label(INTRO, level="muted", wrap=True),
            self.card,
            (self._stack, 1),
            margins=3,
            spacing=1.5,
            parent=self,
        )
        details = self.details
        details.use_wanted.connect(self.use)
        details.update_wanted.connect(self.update_chosen)
        details.check_wanted.connect(self.check_chosen)
        details.folder_wanted.connect(self.show_folder)
        details.locate_wanted.connect(self.locate)
        details.remove_wanted.connect(self.remove)

    def _buttons(self, where: str) -> list[QPushButton]:
        table = (
            ("Download", "Download…", "download", "Public sets, for example Swiss-Prot", self.show_downloads, ""),
            ("Sample", "Sample database", "sample", "Put the sample database on the list", self.add_sample, ""),
            ("Add", "Add sequence files…", "add", "Build a database of sequence files, or list a database file",
             self.add_files, "primary"),
        )  # fmt: skip
        return offers(f"databases{where}", table)

    def _targets(self) -> tuple[Target, ...]:
        def is_list(what: Dropped) -> bool:
            return bool(what.files) and all(file.suffix == DATABASE_SUFFIX for file in what.files)

        return (
            Target(
                "Build a database",
                "Of these sequence files or structures",
                is_source,
                lambda what: self.take_files((*what.files, *what.folders)),
            ),
            Target("Add to the list", "The file stays where it is", is_list, lambda what: self.take_files(what.files)),
        )

    # The list

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _take_rows(self, rows: list[DatabaseRow]) -> None:
        rows = [
            replace(row, state="damaged", reason=self._damaged[row.path]) if row.path in self._damaged else row
            for row in rows
        ]
        before = self.chosen
        wanted, self._wanted = self._wanted or (before.path if before else None), None
        another = rows != self.list.rows
        self.list.show_rows(rows, wanted)
        self._show_empty()
        if another:
            self.changed.emit()

    def _show_empty(self) -> None:
        empty = not self.list.rows
        self._stack.setCurrentIndex(1 if empty else 0)
        for button in self._head_buttons:
            button.setVisible(not empty)

    @property
    def chosen(self) -> DatabaseRow | None:
        return self.list.chosen

    def _show_chosen(self) -> None:
        row = self.chosen
        self.details.show_row(row)
        if row is None:
            self._tasks.drop("databases-details")
            return
        self._tasks.submit(
            "databases-details",
            partial(describe_database, row, self._gpu_memory, GPU_BYTES_PER_RESIDUE),
            self.details.show_details,
            lambda error: self.details.show_error(wording.explain(error)),
        )

    def _open_menu(self, position: QPoint) -> None:
        row = self.chosen
        if row is None or not self.list.indexAt(position).isValid():
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for button in self.details.buttons.values():
            if not button.isHidden():
                action = menu.addAction(button.text())
                action.setEnabled(button.isEnabled())
                action.triggered.connect(button.click)
        menu.addSeparator()
        menu.addAction("Copy path").triggered.connect(lambda: self._copy(str(row.path), "path"))
        if row.known is not None:
            checksum = row.known.checksum
            menu.addAction("Copy checksum").triggered.connect(lambda: self._copy(checksum, "checksum"))
        menu.popup(self.list.viewport().mapToGlobal(position))

    def _copy(self, text: str, what: str) -> None:
        QGuiApplication.clipboard().setText(text)
        self.message.emit(f"The {what} was copied.")

    # What is done with the chosen database

    def use(self) -> None:
        row = self.chosen
        if row is not None and row.usable:
            self.use_wanted.emit(row.path)

    def update_chosen(self) -> None:
        row = self.chosen
        if row is not None and row.updatable:
            self._start(f"Updating “{row.name}”", partial(database_jobs.update, row), self.rebuilt.emit)

    def check_chosen(self) -> None:
        row = self.chosen
        if row is not None and row.known is not None:
            self._start(
                f"Checking “{row.name}”", partial(database_jobs.check, row), failed=partial(self._check_failed, row)
            )

    def show_folder(self) -> None:
        row = self.chosen
        if row is None:
            return
        folder = row.path.parent
        if not folder.is_dir() or not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self.message.emit(f"The folder {folder} cannot be shown.")

    def locate(self) -> None:
        row = self.chosen
        if row is None:
            return
        wanted = f"Databases (*{DATABASE_SUFFIX});;All files (*)"
        name, _ = QFileDialog.getOpenFileName(self, f"Where is {row.path.name}?", str(row.path.parent), wanted)
        if name:
            self._tasks.submit(
                "databases-remember", partial(database_jobs.relocate, row, Path(name)), self._listed, self._refuse
            )

    def remove(self) -> None:
        """Ask whether the chosen database should go, and whether its file should."""
        row = self.chosen
        if row is None or self._refuse_second():
            return
        box = RemoveBox(row, self)
        box.accepted.connect(lambda: self._remove(row, box.delete_file))
        box.open()

    def _remove(self, row: DatabaseRow, delete_file: bool) -> None:
        def done(text: str) -> None:
            self.message.emit(text)
            self.refresh()

        self._tasks.submit("databases-remove", partial(database_jobs.remove, row, delete_file), done, self._refuse)

    # Long work

    def _ask_build(self, sources: Sequence[Path], name: str) -> None:
        dialog = BuildDialog(self._settings.recent.folder, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.name.setText(name)
        dialog.add(sources)
        dialog.accepted.connect(
            lambda: self.build(
                dialog.sources, dialog.out, dialog.name.text().strip(), dialog.organisms, dialog.min_plddt
            )
        )
        dialog.open()

    def _start(
        self,
        title: str,
        work: Callable[[Tell, threading.Event], Outcome],
        then: Callable[[Path], None] | None = None,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        def done(outcome: Outcome) -> None:
            self._damaged.pop(outcome.path, None)
            self.card.say(outcome.text, "success", outcome.report)
            self.message.emit(outcome.text)
            self.refresh(outcome.path)
            if then is not None:
                then(outcome.path)

        if not self._refuse_second():
            self.work.start(lambda control: work(control.tell, control), done, failed or self._failed, title=title)

    def _refuse_second(self) -> bool:
        if self.work.busy:
            text = f"{self.work.title} is still running: wait until it is done, or stop it."
            self.card.say_busy(text)
            self.message.emit(text)
        return self.work.busy

    def _failed(self, error: Exception) -> None:
        if isinstance(error, Stopped):
            self.card.say(str(error), "info")
        else:
            self._refuse(error)
        self.refresh()

    def _check_failed(self, row: DatabaseRow, error: Exception) -> None:
        if not isinstance(error, Stopped):
            self._damaged[row.path] = wording.explain(error)
        self._failed(error)

    def _refuse(self, error: Exception) -> None:
        say = self.card.say_busy if self.work.busy else partial(self.card.say, tone="danger")
        say(wording.explain(error))
        self.failed.emit(error)

    def _listed(self, path: Path) -> None:
        self.message.emit(f"“{path.stem}” is on the list.")
        self.refresh(path)

    def _forget_download(self) -> None:
        self._download = None


def _shown_name(path: Path) -> str | None:
    return SAMPLE_NAME if path == sample_database() else None
