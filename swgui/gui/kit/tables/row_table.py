"""Tables of few rows: number of rows, titles of columns, and texts of cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from swgui.gui.kit.theme import keep_columns, keep_size, style_of
from swgui.gui.kit.widgets import described, plain

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
T = TypeVar("T")
LEFT, RIGHT = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
View = TypeVar("View", bound=QTableView)


class Head(Protocol):
    """A column of a table: its title, the meaning of it, and the alignment of its cells."""

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
    """A column with nothing but a head."""

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

    title: str  # and tip: head of the column, and its meaning
    tip: str
    text: Callable[[T], str]  # text of a cell, by the object of its row
    # Sort key of the column: a number, NaN if it is not known, or a text; by default the text of the cell.
    key: Callable[[T], float | str] | None = None
    cell_tip: Callable[[T], str] | None = None  # tool tip of a cell; none unless given
    side: Qt.AlignmentFlag = LEFT  # alignment of head and cells


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


def row_table(
    table: View,
    name: str,
    accessible: str,
    model: QAbstractItemModel | None = None,
    *,
    tip: str = "",
    single: bool = False,
    rows: float = 0,
    widths: Sequence[float] = (),
) -> View:
    """Set up a table in which users choose whole rows and edit nothing, and return it.

    Parameters
    ----------
    rows : float
        Height of rows in grid units, 0 for the usual.
    widths : sequence of float
        Of the first columns, in grid units; the user can change them. The last column takes the remaining width.
    """
    described(table, name, tip, accessible)
    if model is not None:
        table.setModel(model)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    if single:
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
    table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
    table.setShowGrid(False)
    table.setWordWrap(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    if rows:
        keep_size(table, rows=rows)
    header = table.horizontalHeader()
    header.setHighlightSections(False)
    header.setStretchLastSection(True)
    if widths:
        keep_columns(table, widths)
    return table


def paint_ground(
    delegate: QStyledItemDelegate, painter: QPainter, option: QStyleOptionViewItem, index: Index
) -> tuple[str, bool]:
    """Paint a cell without its text and its check box; return the text and whether the row is selected."""
    delegate.initStyleOption(option, index)
    text, option.text = option.text, ""
    option.features &= ~QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
    style_of(option.widget).drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, option.widget)
    return text, bool(option.state & QStyle.StateFlag.State_Selected)
