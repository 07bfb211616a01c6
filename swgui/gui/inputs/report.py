"""The input report: what was read, and every change that was made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QSortFilterProxyModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from swgui.core.records import Remark
from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import PlainHead, Role, RowTable
from swgui.gui.kit.theme import arrange, grid, keep_size, set_role
from swgui.io.sequences.reader import ReadReport


class RemarkTable(RowTable):
    """Every change and warning of a reading."""

    heads = tuple(map(PlainHead, ("Record", "Line", "Kind", "What")))
    WORDS = {  # noqa: RUF012 - a table of words, never changed
        "replaced": "replaced",
        "removed": "left out",
        "odd": "rare, kept",
        "empty": "empty",
        "duplicate": "twice",
        "note": "note",
    }

    def __init__(self, remarks: Sequence[Remark]) -> None:
        super().__init__()
        self._remarks = remarks

    def row_count(self) -> int:
        """Return the number of remarks."""
        return len(self._remarks)

    def data(self, index: QModelIndex, role: int = Role.DisplayRole) -> Any:
        """Return the text of a cell; numbers for sorting."""
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        remark = self._remarks[index.row()]
        values = (remark.record, remark.line, self.WORDS[remark.kind], remark.message)
        if role == Role.UserRole:
            return values[index.column()]
        if role == Role.DisplayRole:
            value = values[index.column()]
            return "" if value == 0 else f"{value:,}" if isinstance(value, int) else value
        return plain(values[3]) if role == Role.ToolTipRole else None


class InputReport(QDialog):
    """What was read, and every change that was made."""

    def __init__(self, report: ReadReport, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inputReport")
        self.setWindowTitle("Input report")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(grid(105), grid(60))
        self._report = report
        summary = QLabel(report.summary())
        summary.setWordWrap(True)
        summary.setTextFormat(Qt.TextFormat.PlainText)
        rest = QLabel()
        rest.setWordWrap(True)
        set_role(rest, level="muted")
        if not report.remarks:
            rest.setText("Nothing was changed: every letter is as it was given.")
        elif not report.complete:
            rest.setText(f"The first {len(report.remarks):,} changes are listed; all of them are counted above.")
        rest.setVisible(bool(rest.text()))
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(RemarkTable(report.remarks))
        self._sorted.setSortRole(Role.UserRole)
        table = QTableView()
        table.setObjectName("remarks")
        table.setAccessibleName("Changes made to the input")
        table.setModel(self._sorted)
        table.setSortingEnabled(True)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setShowGrid(False)
        table.verticalHeader().hide()
        keep_size(table, rows=2.75)
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setHighlightSections(False)
        for column, width in ((0, 10), (1, 10), (2, 14)):
            table.horizontalHeader().resizeSection(column, grid(width))
        table.setVisible(bool(report.remarks))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        arrange(layout, 2, 1)
        layout.addWidget(summary)
        layout.addWidget(rest)
        layout.addWidget(table, 1)
        if not report.remarks:
            layout.addStretch(1)
        layout.addWidget(buttons)
        buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()

    def _copy(self) -> None:
        lines = [self._report.summary()]
        lines += [f"record {r.record}\tline {r.line}\t{r.kind}\t{r.message}" for r in self._report.remarks]
        QGuiApplication.clipboard().setText("\n".join(lines))
