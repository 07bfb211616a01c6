"""A table view over columns: sorted and filtered by a worker, rows chosen by click or Enter, copied as text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from swgui.gui.kit.tables.column_table import ColumnSource, ColumnTableModel
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid

MEASURED_ROWS = 60  # rows whose texts decide the widths of columns
WIDEST = 42  # grid units, of a column that fits its texts


class ColumnView(QTableView):
    """Shows a `ColumnSource`."""

    chosen = Signal(int)  # a row of the source, by click or Enter
    arranged = Signal(int)  # how many rows are shown now

    def __init__(self, tasks: Tasks, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._tasks = tasks
        self._words = ""
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
        header.setStretchLastSection(True)
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
        self.rows_model.show(source, np.arange(source.count))
        self._fit()
        self.arrange()

    def set_words(self, words: str) -> None:
        """Show only rows with all these words."""
        self._words = words
        self.arrange()

    def set_mask(self, mask: NDArray[np.bool_] | None) -> None:
        """Show only some rows; None for all."""
        self._mask = mask
        self.arrange()

    def arrange(self) -> None:
        """Sort and filter again, by a worker."""
        header, source = self.horizontalHeader(), self._source
        section = header.sortIndicatorSection()
        key = source.columns[section].key if 0 <= section < len(source.columns) else ""
        descending = header.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        words, mask = self._words, self._mask
        self._tasks.submit(
            self._key,
            lambda: source.arrange(key, descending, words, mask),
            lambda rows: self._show_rows(source, rows),
        )

    def forget(self) -> None:
        """Want no answers of workers any more: the view is about to go."""
        self._tasks.drop(self._key)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Put the selected rows on the clipboard, with the columns that are seen."""
        places = sorted(index.row() for index in self.selectionModel().selectedRows())
        if places:
            keys = [column.key for index, column in enumerate(self._source.columns) if not self.isColumnHidden(index)]
            rows = self.rows_model.rows[places].tolist()
            QGuiApplication.clipboard().setText(self._source.as_text(rows, keys))

    @property
    def _key(self) -> str:
        return f"{self.objectName()}-arrange-{id(self)}"

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(int(self.rows_model.rows[index.row()]))

    def _show_rows(self, source: ColumnSource, rows: NDArray[np.int64]) -> None:
        if source is self._source:
            self.rows_model.show(source, rows)
            self.arranged.emit(len(rows))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_source"):
            QTimer.singleShot(0, self, self._fit)  # its header has the new font then

    def _fit(self) -> None:
        """Give rows the height of the text and columns the width of their first texts; the last takes what is left."""
        header, metrics = self.horizontalHeader(), self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.6))
        header.setMinimumSectionSize(grid(4))
        for at, column in enumerate(self._source.columns):
            texts = [column.text(row) for row in range(min(MEASURED_ROWS, self._source.count))]
            needed = max((metrics.horizontalAdvance(text) for text in texts), default=0) + grid(2.5)
            header_width = header.sectionSizeHint(at) + grid(1)
            self.setColumnWidth(at, max(header_width, min(needed, grid(WIDEST))))
