"""The table of databases."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication

from swgui.gui.databases.rows import STATES, DatabaseRow, day_and_time, sources_text
from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import RIGHT, Index, ListTable, Role, RowColumn
from swgui.gui.kit.theme import colours
from swgui.gui.words.formatting import file_size
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.database.library import KnownDatabase

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
        """Replace all rows."""
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def row_of(self, path: Path) -> int:
        """Return the row of a database, -1 if it is not listed."""
        return next((at for at, row in enumerate(self.rows) if row.path == path), -1)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return text, key to sort by, tool tip (the text, where there is no other) and colour of a cell."""
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == Role.ToolTipRole and column.cell_tip is None:
            return plain(column.text(row))
        if role == Role.ForegroundRole and index.column() == STATE:
            return QColor(getattr(colours(QGuiApplication.palette()), STATES[row.state].tone))
        return super().data(index, role)
