"""The table of runs: active, waiting and failed ones, and those of the history."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication, QIcon

from swgui.core import words
from swgui.gui.kit.tables.row_table import RIGHT, Index, ListTable, Role, RowColumn
from swgui.gui.kit.theme import colours, grid, icon_pixmap
from swgui.gui.kit.widgets import plain
from swgui.gui.words import wording
from swgui.io.marks import STAR_SIGN, Mark
from swgui.jobs.kind import kinds
from swgui.runs import RunRecord
from swgui.runs.queue import ACTIVE, QueuedRun

SORT_ROLE = Role.UserRole
KEY_ROLE = Role.UserRole + 1
NAME, SETTINGS, PROGRESS, STAR, NOTE = 1, 2, 7, 9, 10
NO_MARK = Mark()


@dataclass(frozen=True, slots=True)
class StateLook:
    """How a state is shown."""

    word: str
    icon: str
    tone: str  # name of a colour of the theme
    rank: int  # place when sorted by state


STATES = {
    "running": StateLook("Running", "play", "accent", 0),
    "paused": StateLook("Paused", "pause", "warning", 1),
    "preparing": StateLook("Preparing", "refresh", "accent", 2),
    "stopping": StateLook("Stopping", "stop", "warning", 3),
    "waiting": StateLook("Waiting", "waiting", "muted", 4),
    "elsewhere": StateLook("Elsewhere", "play", "accent", 5),
    "interrupted": StateLook("Interrupted", "warning", "warning", 5),
    "partial": StateLook("Partial", "warning", "warning", 6),
    "failed": StateLook("Failed", "error", "danger", 7),
    "damaged": StateLook("Damaged", "error", "danger", 8),
    "done": StateLook("Done", "check", "success", 9),
}


@dataclass(frozen=True, slots=True)
class RunRow:
    """One row."""

    # ``("queue", id)`` or ``("saved", id)``
    key: tuple[str, int | str]
    state: str
    name: str
    queries: int
    database: str
    fraction: float
    started: str
    seconds: float
    gcups: float
    reason: str
    about: str = ""
    resumable: bool = False
    opens: bool = False  # whether there is a result to open
    kind: str = "search"
    found: int | None = None  # as of `RunRecord`
    paused: bool = False  # whether it is paused, or will be soon
    mark: Mark = NO_MARK  # the user's star and note

    @property
    def queued(self) -> bool:
        return self.key[0] == "queue"

    @property
    def saved(self) -> bool:
        """Whether it is a run of the history."""
        return self.key[0] == "saved"

    @property
    def active(self) -> bool:
        """Whether it is running now."""
        return self.state in ACTIVE


def row_of_queue(run: QueuedRun) -> RunRow:
    return RunRow(
        key=("queue", run.id),
        state=run.state,
        name=run.name,
        queries=run.about.queries,
        database=run.about.database,
        fraction=run.fraction,
        started=run.started,
        seconds=run.seconds,
        gcups=run.gcups,
        reason=run.reason,
        about=run.about.about,
        kind=run.kind,
        paused=run.paused,
    )


def row_of_record(record: RunRecord, mark: Mark = NO_MARK) -> RunRow:
    return RunRow(
        key=("saved", record.id),
        state="elsewhere" if record.on else record.state,
        name=record.name,
        queries=record.queries,
        database=record.database,
        fraction=record.fraction,
        started=record.started,
        seconds=record.seconds,
        gcups=record.gcups,
        reason=record.reason,
        about=record.about,
        resumable=record.resumable,
        opens=record.state in ("done", "partial", "failed"),
        kind=record.kind,
        found=record.found,
        mark=mark,
    )


def _time(started: str) -> str:
    return started[:16].replace("T", " ")


@dataclass(frozen=True, slots=True)
class RunColumn(RowColumn[RunRow]):
    """A column and its width in grid units."""

    width: float = 0.0


def _word(title: str, width: float, text: Callable[[RunRow], str], tip: str = "") -> RunColumn:
    return RunColumn(title, tip, text, lambda row: text(row).lower(), width=width)


def _number(
    title: str, width: float, text: Callable[[RunRow], str], key: Callable[[RunRow], float], tip: str = ""
) -> RunColumn:
    return RunColumn(title, tip, text, key, side=RIGHT, width=width)


# Texts first, then numbers: so that no number touches a text.
COLUMNS = (
    RunColumn("State", "", lambda row: STATES[row.state].word, lambda row: STATES[row.state].rank, width=14),
    _word("Name", 26, lambda row: row.name, "F2 gives a run another name"),
    _word("Settings", 21, lambda row: row.about, "Settings that differ from other runs of the same query"),
    _word("Database", 17, lambda row: row.database),
    RunColumn("Started", "", lambda row: _time(row.started), lambda row: row.started, width=15),
    _number("Found", 20, lambda row: _found(row), lambda row: -1 if row.found is None else row.found,
            "Significant hits (E up to 0.001) of all queries together, places of a rule, alignments of a pair, edges "
            "of a network"),
    _number("Queries", 9, lambda row: f"{row.queries:,}" if row.queries else "", lambda row: row.queries),
    _number("Progress", 10, lambda row: progress(row), lambda row: row.fraction,
            "Share of the matrix cells that was computed"),
    _number("Duration", 12, lambda row: words.duration(row.seconds) if row.seconds else "", lambda row: row.seconds,
            "Time from the first cell scored to the last, pauses left out"),
    RunColumn(STAR_SIGN, "A star on the run: a click or the key S gives it and takes it back", lambda row: _star(row),
              lambda row: not row.mark.star, width=4),
    _word("Note", 18, lambda row: " ".join(row.mark.note.split()),
          "Your note on the run: a click or the key N opens it"),
)  # fmt: skip
# Columns that a narrow window hides first; details of a run have their values, too.
SPARE = tuple(
    next(index for index, column in enumerate(COLUMNS) if column.title == title)
    for title in ("Queries", "Duration", "Progress", "Started", "Database", "Note", "Found")
)


def _star(row: RunRow) -> str:
    return STAR_SIGN if row.mark.star else "☆" if row.saved else ""


def _found(row: RunRow) -> str:
    return "" if row.found is None else kinds()[row.kind].counted(row.found)


def progress(row: RunRow) -> str:
    if row.state in ("waiting", "elsewhere", "damaged", "done") or (row.state == "failed" and not row.fraction):
        return ""
    return wording.progress(row.fraction, 1.0)


class RunTable(ListTable[RunRow]):
    """All runs as rows."""

    renamed = Signal(object, str)  # the user has renamed the run with this key

    def __init__(self) -> None:
        super().__init__(COLUMNS)

    def show(self, rows: Sequence[RunRow]) -> None:
        """Show these rows; selection and scroll position stay if the runs are the same as before."""
        new = list(rows)
        if [row.key for row in new] == [row.key for row in self.rows]:
            changed = [row for row, (a, b) in enumerate(zip(self.rows, new, strict=True)) if a != b]
            self.rows = new
            for row in changed:
                self.dataChanged.emit(self.index(row, 0), self.index(row, len(COLUMNS) - 1))
            return
        self.beginResetModel()
        self.rows = new
        self.endResetModel()

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if not index.isValid():  # the ground below the rows
            return flags
        row = self.rows[index.row()]
        if index.column() == NAME and row.saved and row.opens:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == Role.EditRole:
            return row.name if index.column() == NAME else None
        if role == KEY_ROLE:
            return row.key
        if role == Role.ToolTipRole:
            return plain(row.reason or self.columns[index.column()].text(row)) or None
        if index.column() == 0:
            shades = colours(QGuiApplication.palette())
            shade = getattr(shades, STATES[row.state].tone)
            if role == Role.ForegroundRole:
                return QColor(shade)
            if role == Role.DecorationRole:
                return _icon(STATES[row.state].icon, shade, shades.on_selection, grid(2))
        return super().data(index, role)

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        name = " ".join(str(value).split())
        row = self.rows[index.row()]
        if role != Role.EditRole or not name or name == row.name:
            return False
        self.renamed.emit(row.key, name)
        return True


@lru_cache(maxsize=64)
def _icon(name: str, shade: str, chosen: str, size: int) -> QIcon:
    ratio = QGuiApplication.primaryScreen().devicePixelRatio()
    made = QIcon()
    made.addPixmap(icon_pixmap(name, shade, size, ratio), QIcon.Mode.Normal)
    made.addPixmap(icon_pixmap(name, chosen, size, ratio), QIcon.Mode.Selected)
    return made
