"""The list of databases on the Databases page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from swgui.gui.kit.tables.row_table import RIGHT, Index, ListTable, Role, RowColumn, row_table
from swgui.gui.kit.theme import colours, grid, keep_size
from swgui.gui.kit.widgets import plain
from swgui.gui.words.formatting import file_size
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.database.library import KnownDatabase, lost_databases, user_databases

CHECKSUM_DIGITS = 8
BOLD = 1.12  # extra width of the titles of columns over plain text
MIN_WIDTH = 24  # minimum width of a name or a source, in grid units


@dataclass(frozen=True, slots=True)
class State:
    """Problems that a database can have."""

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
    "bare": State("• no source", "muted", "It can be searched, but it does not name its source files."),
    "site": State("✓ of this site", "success", "Your site keeps it up to date; you can only read it."),
    "damaged": State("✗ damaged", "danger", "The check found that its file has changed since it was written."),
    "missing": State(
        "✗ file missing",
        "danger",
        "The file of this database is not where it was. Choose its new place, or remove it from the list.",
    ),
    "unreadable": State(
        "✗ cannot be read", "danger", "The file is cut off, from a newer version, or not a database of this program."
    ),
}


@dataclass(frozen=True, slots=True)
class DatabaseRow:
    """One row."""

    path: Path  # needs of a search
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
    def shared(self) -> bool:
        """Whether it is one of the site, which is only read."""
        return self.known is not None and self.known.shared

    @property
    def usable(self) -> bool:
        return self.known is not None and self.state != "damaged"

    @property
    def updatable(self) -> bool:
        if self.shared:
            return False
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
    rows = [DatabaseRow(base.path, rename(base.path) or base.name, _state(base), base) for base in user_databases()]
    for lost in lost_databases():
        state = "unreadable" if lost.path.exists() else "missing"
        rows.append(DatabaseRow(lost.path, lost.path.stem, state, reason=str(lost.error)))
    return rows


def _state(database: KnownDatabase) -> str:
    if database.shared:
        return "site"
    if not database.sources:
        return "bare"
    if not all(source.exists() for source in database.sources):
        return "orphan"
    return "changed" if database.outdated else "current"


def day_and_time(moment: str) -> str:
    """Return an ISO 8601 time as ``2026-11-20 11:50``."""
    return moment[:16].replace("T", " ")


def sources_text(row: DatabaseRow) -> str:
    if row.known is None or not row.known.sources:
        return ""
    first, *more = (source.name for source in row.known.sources)
    return f"{first} and {len(more):,} more" if more else first


Column = RowColumn[DatabaseRow]


def _of(read: Callable[[KnownDatabase], str]) -> Callable[[DatabaseRow], str]:
    return lambda row: read(row.known) if row.known else ""


def _number(title: str, tip: str, read: Callable[[KnownDatabase], int]) -> Column:
    return RowColumn(
        title,
        tip,
        _of(lambda db: f"{read(db):,}"),
        lambda row: read(row.known) if row.known else -1,
        side=RIGHT,
    )


COLUMNS: tuple[Column, ...] = (
    RowColumn("Name", "", lambda row: row.name, lambda row: row.name.lower(), lambda row: str(row.path)),
    RowColumn(
        "State",
        "Whether the sources are unchanged",
        lambda row: STATES[row.state].text,
        lambda row: list(STATES).index(row.state),
        lambda row: row.reason or STATES[row.state].meaning,
    ),
    RowColumn("Type", "", _of(lambda db: KIND_NAMES[db.alphabet.name])),
    _number("Sequences", "", lambda db: db.sequences),
    _number("Residues", "Of DNA: bases", lambda db: db.residues),
    _number("Longest", "Residues of the longest sequence", lambda db: db.longest),
    RowColumn("Size", "Of the database file on disk", _of(lambda db: file_size(db.size)),
           lambda row: row.known.size if row.known else -1, side=RIGHT),
    RowColumn("Made", "When it was built", _of(lambda db: db.made[:10]), _of(lambda db: db.made),
           _of(lambda db: day_and_time(db.made)), side=Qt.AlignmentFlag.AlignHCenter),
    RowColumn("Source", "Source files", sources_text,
           cell_tip=_of(lambda db: "\n".join(map(str, db.sources)))),
    RowColumn("Checksum", "Of residues and names: the same content has the same checksum",
           _of(lambda db: db.checksum[:CHECKSUM_DIGITS]), cell_tip=_of(lambda db: db.checksum)),
)  # fmt: skip
NAME, STATE, SOURCE, *SPARE = (
    next(index for index, column in enumerate(COLUMNS) if column.title == title)
    # Columns that a narrow window hides first, after the three; the line of the chosen database has their values.
    for title in ("Name", "State", "Source", "Checksum", "Longest", "Made", "Source", "Size", "Residues")
)


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
        return next((index for index, row in enumerate(self.rows) if row.path == path), -1)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == Role.ToolTipRole and column.cell_tip is None:
            return plain(column.text(row))
        if role == Role.ForegroundRole and index.column() == STATE:
            return QColor(getattr(colours(QGuiApplication.palette()), STATES[row.state].tone))
        return super().data(index, role)


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
        row = self.table.row_of(path) if path is not None else -1
        if row < 0:
            shown = [self._sorted.mapToSource(self._sorted.index(row, NAME)).row() for row in range(len(self.rows))]
            row = next((row for row in shown if self.rows[row].usable), shown[0])
        index = self._sorted.mapFromSource(self.table.index(row, NAME))
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
        """Show every column whole if there is room; names and sources shrink first, then whole columns are hidden."""
        header = self.horizontalHeader()
        metrics = QFontMetricsF(header.font())
        widths = []
        for index, column in enumerate(COLUMNS):
            arrow = grid(2) if index == header.sortIndicatorSection() else 0
            title = round(metrics.horizontalAdvance(column.title) * BOLD + grid(1.5)) + arrow
            widths.append(max(self.sizeHintForColumn(index) + grid(1.5), title))
        spare = self.viewport().width() - sum(widths)
        for index in (SOURCE, NAME):  # the columns that are cut first
            given = max(min(widths[index], grid(MIN_WIDTH)), widths[index] + min(0, spare))
            spare += widths[index] - given
            widths[index] = given
        for index in SPARE:
            header.setSectionHidden(index, spare < 0)
            spare += widths[index] if spare < 0 else 0
        for index, width in enumerate(widths):
            header.resizeSection(index, width)
