"""The table of databases."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QColor, QGuiApplication

from swgui.gui.databases.rows import KINDS, STATES, DatabaseRow, day_and_time, sources_text
from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import Role, RowTable
from swgui.gui.kit.theme import colours
from swgui.gui.words.formatting import file_size

CHECKSUM_DIGITS = 8


@dataclass(frozen=True, slots=True)
class Column:
    """One column: title, tip, text of a cell, what it is sorted by (the text if None) and its tool tip."""

    title: str
    tip: str
    text: Callable[[DatabaseRow], str]
    key: Callable[[DatabaseRow], Any] | None = None
    cell_tip: Callable[[DatabaseRow], str] | None = None
    side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft


def _of(read: Callable[[Any], str]) -> Callable[[DatabaseRow], str]:
    return lambda row: read(row.known) if row.known else ""


def _key(read: Callable[[Any], int]) -> Callable[[DatabaseRow], int]:
    return lambda row: read(row.known) if row.known else -1


COLUMNS = (
    Column("Name", "", lambda row: row.name, lambda row: row.name.lower(), lambda row: str(row.path)),
    Column(
        "State",
        "Whether the sources are as they were",
        lambda row: STATES[row.state].text,
        lambda row: list(STATES).index(row.state),
        lambda row: row.reason or STATES[row.state].meaning,
    ),
    Column("Type", "", _of(lambda known: KINDS[known.alphabet.name])),
    Column("Sequences", "", _of(lambda known: f"{known.sequences:,}"),
           _key(lambda known: known.sequences), side=Qt.AlignmentFlag.AlignRight),
    Column("Residues", "Of DNA: bases", _of(lambda known: f"{known.residues:,}"), _key(lambda known: known.residues),
           side=Qt.AlignmentFlag.AlignRight),
    Column("Longest", "Residues of the longest sequence", _of(lambda known: f"{known.longest:,}"),
           _key(lambda known: known.longest), side=Qt.AlignmentFlag.AlignRight),
    Column("Size", "Of the database file on disk", _of(lambda known: file_size(known.size)),
           _key(lambda known: known.size), side=Qt.AlignmentFlag.AlignRight),
    Column("Made", "When it was built", _of(lambda known: known.made[:10]), _of(lambda known: known.made),
           _of(lambda known: day_and_time(known.made)), side=Qt.AlignmentFlag.AlignHCenter),
    Column("Source", "What it was built from", sources_text,
           cell_tip=_of(lambda known: "\n".join(map(str, known.sources)))),
    Column("Checksum", "Of letters and names: the same content has the same checksum",
           _of(lambda known: known.checksum[:CHECKSUM_DIGITS]), cell_tip=_of(lambda known: known.checksum)),
)  # fmt: skip
NAME, STATE, SOURCE = (next(at for at, column in enumerate(COLUMNS) if column.title == title)
                       for title in ("Name", "State", "Source"))  # fmt: skip


class DatabaseTable(RowTable):
    """One row per database."""

    heads = COLUMNS

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[DatabaseRow] = []

    def show_rows(self, rows: list[DatabaseRow]) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def row_of(self, path: Path) -> int:
        """Return the row of a database, -1 if it is not listed."""
        return next((at for at, row in enumerate(self.rows) if row.path == path), -1)

    def row_count(self) -> int:
        """Return the number of databases."""
        return len(self.rows)

    def data(self, index: QModelIndex, role: int = Role.DisplayRole) -> Any:
        """Return text, key to sort by, tool tip and colour of a cell."""
        row, column = self.rows[index.row()], COLUMNS[index.column()]
        if role == Role.DisplayRole:
            return column.text(row)
        if role == Role.UserRole:
            return (column.key or column.text)(row)
        if role == Role.ToolTipRole:
            return plain(column.cell_tip(row) if column.cell_tip else column.text(row))
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        if role == Role.ForegroundRole and index.column() == STATE:
            return QColor(getattr(colours(QGuiApplication.palette()), STATES[row.state].tone))
        return None
