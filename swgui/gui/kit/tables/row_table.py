"""Tables of few rows: what all of them have in common is how many rows there are and what their columns are called."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight


class Head(Protocol):
    """What a table must know of a column: its title, what that means, and the side where it and its cells stand."""

    @property
    def title(self) -> str:
        """Few words."""

    @property
    def tip(self) -> str:
        """A sentence, or nothing."""

    @property
    def side(self) -> Qt.AlignmentFlag:
        """Left, right or middle."""


@dataclass(frozen=True, slots=True)
class PlainHead:
    """A column of which no more than its head is known."""

    title: str
    tip: str = ""
    side: Qt.AlignmentFlag = LEFT


class RowTable(QAbstractTableModel):
    """Answers Qt's questions about the size and the heads of a table; `data` is left to those that hold the rows."""

    heads: Sequence[Head] = ()

    def row_count(self) -> int:
        """Return the number of rows."""
        raise NotImplementedError

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Return how the cells of a column are aligned."""
        return self.heads[column].side | Qt.AlignmentFlag.AlignVCenter

    def rowCount(self, parent: Index | None = None) -> int:
        """Return the number of rows; no row has rows of its own."""
        return 0 if parent is not None and parent.isValid() else self.row_count()

    def columnCount(self, parent: Index | None = None) -> int:
        """Return the number of columns."""
        return 0 if parent is not None and parent.isValid() else len(self.heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        """Return titles, what they mean, and how they are aligned."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return self.heads[section].title
        if role == Role.ToolTipRole:
            return self.heads[section].tip or None
        return self.side(section) if role == Role.TextAlignmentRole else None
