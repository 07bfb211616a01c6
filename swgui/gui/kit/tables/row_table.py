"""Tables of few rows: how many rows there are, what their columns are called, and what stands in the cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from swgui.gui.kit.plain import plain

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
T = TypeVar("T")
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
        raise NotImplementedError

    def side(self, column: int) -> Qt.AlignmentFlag:
        return self.heads[column].side | Qt.AlignmentFlag.AlignVCenter

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else self.row_count()

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.DisplayRole:
            return self.heads[section].title
        if role == Role.ToolTipRole:
            return self.heads[section].tip or None
        return self.side(section) if role == Role.TextAlignmentRole else None


@dataclass(frozen=True, slots=True)
class RowColumn(Generic[T]):
    """One column of a table whose rows are objects."""

    title: str  # and tip: head of the column, and what it means
    tip: str
    text: Callable[[T], str]  # what a cell shows, by the object of its row
    # What the column is sorted by: a number, NaN where it is not known, or a text; the text shown unless given.
    key: Callable[[T], float | str] | None = None
    cell_tip: Callable[[T], str] | None = None  # tool tip of a cell; none unless given
    side: Qt.AlignmentFlag = LEFT  # where head and cells stand


class ListTable(RowTable, Generic[T]):
    """Shows one object in each row."""

    def __init__(self, columns: Sequence[RowColumn[T]]) -> None:
        super().__init__()
        self.heads = self.columns = tuple(columns)
        self.rows: list[T] = []

    def clear(self) -> None:
        self.beginResetModel()
        self.rows = []
        self.endResetModel()

    def add(self, row: T) -> None:
        self.beginInsertRows(QModelIndex(), len(self.rows), len(self.rows))
        self.rows.append(row)
        self.endInsertRows()

    def row_count(self) -> int:
        return len(self.rows)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = self.rows[index.row()], self.columns[index.column()]
        if role == Role.DisplayRole:
            return column.text(row)
        if role == Role.UserRole:
            return (column.key or column.text)(row)
        if role == Role.ToolTipRole:
            return plain(column.cell_tip(row)) if column.cell_tip is not None else None
        return self.side(index.column()) if role == Role.TextAlignmentRole else None

    def as_text(self) -> str:
        """Return the table tab-separated with a header line, for the clipboard."""
        lines = [[column.title for column in self.columns]]
        lines += [[column.text(row) for column in self.columns] for row in self.rows]
        return "".join("\t".join(line) + "\n" for line in lines)
