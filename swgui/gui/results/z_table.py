"""Z-values of hits, as a table that fills while shuffles are scored."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Qt

from swgui.core.database import EncodedDatabase
from swgui.core.headers import parse_header
from swgui.core.statistics.shuffling import ZValue
from swgui.gui.kit.plain import plain
from swgui.gui.words import formatting

Role = Qt.ItemDataRole

# Title, what it means, value as a number to sort by (NaN: not known), text.
COLUMNS = (
    ("#", "Rank among the hits", lambda z: z.row + 1, lambda z: f"{z.row + 1:,}"),
    ("Score", "Score of the hit itself", lambda z: z.score, lambda z: f"{z.score:,}"),
    ("Mean", "Mean score of the shuffles", lambda z: z.mean, lambda z: f"{z.mean:.1f}"),
    ("SD", "Standard deviation of the shuffles' scores", lambda z: z.standard_deviation,
     lambda z: f"{z.standard_deviation:.2f}"),
    ("Z", "(score − mean) / standard deviation", lambda z: z.z, lambda z: "" if math.isnan(z.z) else f"{z.z:.1f}"),
    ("p", "Chance that one shuffle scores as high, by an extreme-value distribution", lambda z: z.log10_p,
     lambda z: formatting.evalue(z.log10_p)),
    ("Reached", "Shuffles that score at least as high", lambda z: z.reached, lambda z: f"{z.reached:,}"),
)  # fmt: skip
SUBJECT = 1  # place of the subject's name, which is text, among the columns


class ZTable(QAbstractTableModel):
    """One row per hit that has its Z-value."""

    def __init__(self, database: EncodedDatabase) -> None:
        super().__init__()
        self._database = database
        self.rows: list[ZValue] = []

    @property
    def titles(self) -> list[str]:
        """Titles of the columns from left to right."""
        titles = [title for title, *_ in COLUMNS]
        return [*titles[:SUBJECT], "Subject", *titles[SUBJECT:]]

    def clear(self) -> None:
        """Forget all rows."""
        self.beginResetModel()
        self.rows = []
        self.endResetModel()

    def add(self, value: ZValue) -> None:
        """Append a row."""
        self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows))
        self.rows.append(value)
        self.endInsertRows()

    def rowCount(self, parent: QModelIndex | None = None) -> int:
        """Return the number of Z-values."""
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex | None = None) -> int:
        """Return the number of columns."""
        return len(COLUMNS) + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Return titles and explanations of the columns."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return self.titles[section]
        if role == Role.ToolTipRole and section != SUBJECT:
            return self._column(section)[1]
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == SUBJECT else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: QModelIndex, role: int = Role.DisplayRole) -> Any:
        """Return the text or the number of a cell."""
        value, section = self.rows[index.row()], index.column()
        if section == SUBJECT:
            if role == Role.ToolTipRole:
                return plain(self._name(value))
            return self._name(value) if role in (Role.DisplayRole, Role.UserRole) else None
        _, _, number, text = self._column(section)
        if role == Role.DisplayRole:
            return text(value)
        if role == Role.UserRole:
            return float(number(value))
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Role.ToolTipRole:
            return value.explain()
        return None

    def as_text(self) -> str:
        """Return the table tab-separated with a header line, for the clipboard."""
        lines = ["\t".join(self.titles)]
        for row in range(len(self.rows)):
            cells = (self.index(row, column) for column in range(self.columnCount()))
            lines.append("\t".join(str(cell.data()) for cell in cells))
        return "\n".join(lines) + "\n"

    def _column(self, section: int) -> tuple[str, str, Any, Any]:
        return COLUMNS[section if section < SUBJECT else section - 1]

    def _name(self, value: ZValue) -> str:
        database = self._database
        return parse_header(database.ids[value.db_index], database.descriptions[value.db_index]).name
