"""Tables over columns: any number of rows, text made for visible cells only, order and filter made by a worker."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from swgui.core.table import Column
from swgui.gui.kit.tables.row_table import LEFT, RIGHT, Index, Role, RowTable
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import colours, grid
from swgui.gui.kit.widgets import plain
from swgui.io.marks import STAR_SIGN

S = TypeVar("S")
_BEHIND_NUMBERS: Final = "\u2002"  # keeps a number off the text next to it
MEASURED_ROWS = 60  # rows whose texts decide the widths of columns
STAR, NOTE = "star", "note"  # keys of columns that show the user's marks, and change while they are shown
UNKNOWN: Final = "–"  # of numbers
WIDEST = 42  # grid units, of a column that fits its texts


@dataclass(frozen=True, slots=True)
class TableColumn:
    """One column."""

    key: str
    title: str  # and tip: head of the column, and its meaning
    tip: str
    text: Callable[[int], str]  # text of a cell, by row
    # Sort key of the column, NaN for unknown values; None for a column of texts.
    numbers: NDArray[Any] | None = None
    # The whole text where `text` is short: for the tool tip, the filter and the clipboard.
    full: Callable[[int], str] | None = None
    # Sort key of a column of texts, where making all of its texts would take too long.
    order: NDArray[Any] | None = None
    figures: bool = False  # texts that are numbers, which are made row by row: they stand at the right as numbers do

    @property
    def whole(self) -> Callable[[int], str]:
        return self.full or self.text

    @property
    def kind(self) -> Literal["number", "text"]:
        return "text" if self.numbers is None else "number"

    @property
    def side(self) -> Qt.AlignmentFlag:
        return LEFT if self.numbers is None and not self.figures else RIGHT


def number_column(column: Column[S], source: S, show: Callable[[float], str] | None = None) -> TableColumn:
    """Return a column of numbers of any table as it is shown.

    Parameters
    ----------
    show : callable, optional
        Writes a value; with the digits and the unit of the column if not given.
    """
    values, unit = column.numbers(source), f" {column.unit}" if column.unit else ""
    digits = f"{{:,.{max(column.decimals, 0)}f}}{unit}"

    def in_digits(value: float) -> str:
        return digits.format(value) if value == value else UNKNOWN

    write = show or in_digits
    title, tip = column.short or column.title, column.description
    return TableColumn(column.key, title, tip, lambda row: write(float(values[row])), values)


class ColumnSource:
    """Columns of equal length, with order and selection of the visible rows.

    Parameters
    ----------
    name : callable, optional
        Returns the identifier of a row, to which stars and notes belong; rows have none if it is not given.
    """

    def __init__(self, columns: Sequence[TableColumn], count: int, name: Callable[[int], str] | None = None) -> None:
        self.columns = tuple(columns)
        self.count = count
        self.marked = name is not None
        self.name = name or str
        self._texts = [column.whole for column in self.columns if column.kind == "text"]
        self._orders: dict[str, NDArray[Any]] = {}
        self._search: list[str] | None = None

    def arrange(
        self, key: str = "", descending: bool = False, words: str = "", mask: NDArray[np.bool_] | None = None
    ) -> NDArray[np.int64]:
        """Return the visible rows, in order; may be called by a worker.

        Rows of equal value stay in the order of the source, values that are not known come last.

        Parameters
        ----------
        key : str
            Column to sort by; empty for the order of the source.
        mask : ndarray, shape=(n,), dtype=bool, optional
            Rows that may be seen.
        """
        rows = np.arange(self.count) if mask is None else np.flatnonzero(mask)
        wanted = words.casefold().split()
        if wanted:
            search = self._haystack()
            rows = np.array([row for row in rows.tolist() if all(word in search[row] for word in wanted)], dtype=int)
        column = next((column for column in self.columns if column.key == key), None)
        if column is None:
            return rows.astype(np.int64)
        values = self._order(column)[rows].astype(np.float64)
        unknown = np.isnan(values)
        order = np.argsort(np.where(unknown, np.inf, -values if descending else values), kind="stable")
        order = np.concatenate([order[~unknown[order]], order[unknown[order]]])
        return rows[order].astype(np.int64)

    def _order(self, column: TableColumn) -> NDArray[Any]:
        values = column.numbers if column.order is None else column.order
        if values is not None:
            return values
        if column.key not in self._orders:
            numbers: dict[str, int] = {}  # not `sorted` over all rows, which would hold up the window's thread
            texts = (column.text(row).casefold() for row in range(self.count))
            codes = np.fromiter((numbers.setdefault(text, len(numbers)) for text in texts), np.int64, self.count)
            places = np.empty(len(numbers), dtype=np.int64)
            places[[numbers[text] for text in sorted(numbers)]] = np.arange(len(numbers))
            self._orders[column.key] = places[codes]
        return self._orders[column.key]

    def _haystack(self) -> list[str]:
        if self._search is None:
            self._search = ["\n".join(text(row) for text in self._texts).casefold() for row in range(self.count)]
        return self._search

    def forget_marks(self) -> None:
        """Read stars and notes again: they are others now."""
        for key in (STAR, NOTE):
            self._orders.pop(key, None)
        self._search = None

    def as_text(self, rows: Sequence[int], keys: Sequence[str]) -> str:
        columns = [column for column in self.columns if column.key in keys]
        lines = ["\t".join(column.title for column in columns)]
        lines += ["\t".join(" ".join(column.whole(row).split()) for column in columns) for row in rows]
        return "\n".join(lines) + "\n"


class ColumnTableModel(RowTable):
    """Shows rows of a `ColumnSource`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.source = ColumnSource((), 0)
        self.rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._text = lru_cache(maxsize=8192)(self._make_text)

    def show(self, source: ColumnSource, rows: NDArray[np.int64]) -> None:
        self.beginResetModel()
        if source is not self.source:
            self._text.cache_clear()
        self.source, self.heads, self.rows = source, source.columns, rows
        self.endResetModel()

    def forget_marks(self) -> None:
        """Show stars and notes again."""
        self.source.forget_marks()
        self._text.cache_clear()
        if len(self.rows):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, len(self.heads) - 1))

    def _make_text(self, row: int, section: int) -> str:
        return self.source.columns[section].text(row)

    def row_count(self) -> int:
        return len(self.rows)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        column = self.source.columns[index.column()]
        if role == Role.DisplayRole:
            text = self._text(int(self.rows[index.row()]), index.column())
            return text + _BEHIND_NUMBERS if column.side == RIGHT else text
        if role == Role.ToolTipRole:
            return plain(column.whole(int(self.rows[index.row()]))) if column.kind == "text" else None
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        if role == Role.ForegroundRole and column.key == STAR and self.source.marked:
            shades = colours(QGuiApplication.palette())
            starred = self._text(int(self.rows[index.row()]), index.column()) == STAR_SIGN
            return QColor(shades.warning if starred else shades.control)
        if role == Role.AccessibleTextRole:
            return f"{column.title}: {self._text(int(self.rows[index.row()]), index.column()) or 'not known'}"
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if section >= len(self.heads):
            return None
        shown = super().headerData(section, orientation, role)
        number = role == Role.DisplayRole and shown is not None and self.source.columns[section].side == RIGHT
        return shown + _BEHIND_NUMBERS if number else shown


class ColumnView(QTableView):
    """Shows a `ColumnSource`."""

    chosen = Signal(int)  # a row of the source, by click or Enter
    arranged = Signal(int)  # how many rows are shown now
    star_wanted = Signal(list)  # rows of the source that get a star, or lose it
    note_wanted = Signal(int)  # a row of the source whose note is to be shown

    def __init__(self, tasks: Tasks, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._tasks = tasks
        self._words, self._starred = "", False
        self._mask: NDArray[np.bool_] | None = None
        self._source = ColumnSource((), 0)
        self.rows_model = ColumnTableModel(self)
        self.setModel(self.rows_model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        # To paint itself it asks its model of selections whether every row of a column can be selected, each by a call
        # of Python: half a second for a hundred thousand rows. In a model of its own nothing is ever selected.
        header.setSelectionModel(QItemSelectionModel(self.rows_model, header))
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.sortIndicatorChanged.connect(lambda _section, _order: self.arrange())
        self.clicked.connect(self._choose)

    def show_source(self, source: ColumnSource) -> None:
        """Show another table, in its own order; the words of the filter stay."""
        self._source, self._mask = source, None
        header = self.horizontalHeader()
        header.blockSignals(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.blockSignals(False)
        header.setStretchLastSection(bool(source.columns) and source.columns[-1].side == LEFT)  # numbers stay together
        self.rows_model.show(source, np.arange(source.count))
        self._fit()
        self.arrange()

    def sort_by(self, key: str, *, descending: bool = False) -> None:
        """Sort by a column, as a click on its head does."""
        at = next(at for at, column in enumerate(self._source.columns) if column.key == key)
        order = Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(at, order)

    def set_words(self, words: str) -> None:
        """Show only rows with all these words."""
        self._words = words
        self.arrange()

    def set_mask(self, mask: NDArray[np.bool_] | None) -> None:
        """Show only some rows; None for all."""
        self._mask = mask
        self.arrange()

    @property
    def source(self) -> ColumnSource:
        """The table that is shown."""
        return self._source

    def set_starred(self, only: bool) -> None:
        """Show only rows with a star."""
        self._starred = only
        self.arrange()

    def marks_changed(self) -> None:
        """Show stars and notes again; where they decide on order or filter, sort and filter again."""
        if not self._source.marked:
            return
        self.rows_model.forget_marks()
        self._fit((NOTE,))
        at = self.horizontalHeader().sortIndicatorSection()
        sorted_by = self._source.columns[at].key if 0 <= at < len(self._source.columns) else ""
        if self._words or self._starred or sorted_by in (STAR, NOTE):
            self.arrange()

    def arrange(self) -> None:
        """Sort and filter again, by a worker."""
        header, source = self.horizontalHeader(), self._source
        section = header.sortIndicatorSection()
        key = source.columns[section].key if 0 <= section < len(source.columns) else ""
        descending = header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        words, mask = f"{self._words} {STAR_SIGN if self._starred and source.marked else ''}", self._mask
        self._tasks.submit(
            self._key,
            lambda: source.arrange(key, descending, words, mask),
            lambda rows: self._show_rows(source, rows),
        )

    def forget(self) -> None:
        """Drop the answers of workers from now on: the view is about to close."""
        self._tasks.drop(self._key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain_key = event.modifiers() == Qt.KeyboardModifier.NoModifier and self._source.marked
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif plain_key and event.key() == Qt.Key.Key_S:
            self._want_stars()
        elif plain_key and event.key() == Qt.Key.Key_N and self.currentIndex().isValid():
            self.note_wanted.emit(int(self.rows_model.rows[self.currentIndex().row()]))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the selected rows on the clipboard, with the visible columns."""
        places = sorted(index.row() for index in self.selectionModel().selectedRows())
        if places:
            keys = [column.key for index, column in enumerate(self._source.columns) if not self.isColumnHidden(index)]
            rows = self.rows_model.rows[places].tolist()
            QGuiApplication.clipboard().setText(self._source.as_text(rows, keys))

    @property
    def _key(self) -> str:
        return f"{self.objectName()}-arrange-{id(self)}"

    def _want_stars(self) -> None:
        if rows := [int(self.rows_model.rows[index.row()]) for index in self.selectionModel().selectedRows()]:
            self.star_wanted.emit(rows)

    def _choose(self, index: QModelIndex) -> None:
        row, key = int(self.rows_model.rows[index.row()]), self._source.columns[index.column()].key
        if self._source.marked and key == STAR:
            self.star_wanted.emit([row])
        elif self._source.marked and key == NOTE:
            self.note_wanted.emit(row)
        else:
            self.chosen.emit(row)

    def _show_rows(self, source: ColumnSource, rows: NDArray[np.int64]) -> None:
        if source is self._source:
            self.rows_model.show(source, rows)
            self.arranged.emit(len(rows))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_source"):
            QTimer.singleShot(0, self, self._fit)  # its header has the new font then

    def _fit(self, keys: Sequence[str] = ()) -> None:
        """Give rows the height of the text and columns the width of their first texts; the last takes the rest.

        Parameters
        ----------
        keys : sequence of str
            Columns that are fitted; all if it is empty.
        """
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.6))
        header.setMinimumSectionSize(grid(4))
        for at, column in enumerate(self._source.columns):
            if keys and column.key not in keys:
                continue
            texts = [column.text(row) for row in range(min(MEASURED_ROWS, self._source.count))]
            needed = max((metrics.horizontalAdvance(text) for text in texts), default=0) + grid(2.5)
            header_width = header.sectionSizeHint(at)
            self.setColumnWidth(at, max(header_width, min(needed, grid(WIDEST))))
