"""The table of the Runs page: rows chosen by key, whatever their order."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QSize, QSortFilterProxyModel, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QWidget

from swgui.gui.kit.tables.row_view import row_table
from swgui.gui.kit.theme import grid, keep_size
from swgui.gui.runs.table import COLUMNS, KEY_ROLE, NAME, SORT_ROLE, SPARE, RunRow, RunTable

Key = tuple[str, int | str]


class RunTableView(QTableView):
    """Lists runs, sorted by any column.

    Signals
    -------
    open_wanted()
        Return or a double click.
    delete_wanted()
        Del.
    chosen_changed()
        Other rows are selected.
    """

    open_wanted = Signal()
    delete_wanted = Signal()
    chosen_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row_table(self, "runsTable", "Runs")
        self.runs = RunTable()
        self.runs.setParent(self)
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(self.runs)
        self._sorted.setSortRole(SORT_ROLE)
        self.setModel(self._sorted)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.horizontalHeader().setStretchLastSection(False)
        keep_size(self, height=16, rows=3.25)
        self._fit_columns()
        self.doubleClicked.connect(lambda _index: self.open_wanted.emit())
        self.selectionModel().selectionChanged.connect(lambda *_: self.chosen_changed.emit())

    def show_rows(self, rows: list[RunRow]) -> None:
        """Show other rows; those that were chosen stay chosen, or the first is where none of them is left."""
        chosen, before = {row.key for row in self.chosen()}, [row.key for row in self.runs.rows]
        self.runs.show(rows)
        if before == [row.key for row in rows]:
            return
        self._choose(chosen)
        if rows and (chosen or not before) and not self.chosen():
            self.selectRow(0)

    def chosen(self) -> list[RunRow]:
        """Return the selected rows."""
        keys = {index.data(KEY_ROLE) for index in self.selectionModel().selectedRows()}
        return [row for row in self.runs.rows if row.key in keys]

    def edit_name(self, key: Key) -> None:
        self.edit(self._index(key, NAME))

    def _choose(self, keys: Iterable[Key]) -> None:
        flags = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        for key in keys:
            index = self._index(key, 0)
            if index.isValid():
                self.selectionModel().select(index, flags)

    def _index(self, key: Key, column: int) -> QModelIndex:
        at = next((at for at, row in enumerate(self.runs.rows) if row.key == key), -1)
        return self._sorted.mapFromSource(self.runs.index(at, column))

    def _fit_columns(self) -> None:
        self.setIconSize(QSize(grid(2), grid(2)))
        for at, column in enumerate(COLUMNS):
            if at != NAME:
                self.horizontalHeader().resizeSection(at, grid(column.width))
        self._fit_name()

    def _fit_name(self) -> None:
        """Give the names the room that is left, but not less than they need to be told apart: others go before."""
        header, least, room = self.horizontalHeader(), grid(0.75 * COLUMNS[NAME].width), self.viewport().width()
        for at in SPARE:
            header.showSection(at)
        others = sum(header.sectionSize(at) for at in range(len(COLUMNS)) if at != NAME)
        for at in SPARE:
            if others + least > room:
                others -= header.sectionSize(at)
                header.hideSection(at)
        header.resizeSection(NAME, max(room - others, least))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_name()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "runs"):
            self._fit_columns()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        editing = self.state() == QAbstractItemView.State.EditingState
        if not editing and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.open_wanted.emit()
        elif not editing and event.key() == Qt.Key.Key_Delete:
            self.delete_wanted.emit()
        else:
            super().keyPressEvent(event)
