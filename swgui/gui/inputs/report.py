"""Remarks on the input: the records that swgui read, and every change it made."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QSortFilterProxyModel, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialogButtonBox, QTableView, QWidget

from swgui.core.records import Remark
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tables.row_table import Index, PlainHead, Role, RowTable, row_table
from swgui.gui.kit.widgets import plain, text_label
from swgui.io.sequences.reader import ReadReport


class RemarkTable(RowTable):
    """Every change and warning of a reading."""

    heads = tuple(map(PlainHead, ("Record", "Line", "Kind", "Message")))
    WORDS = {  # noqa: RUF012 - a table of words, never changed
        "replaced": "replaced",
        "removed": "left out",
        "odd": "rare, kept",
        "empty": "empty",
        "duplicate": "twice",
        "note": "remark",
    }

    def __init__(self, remarks: Sequence[Remark]) -> None:
        super().__init__()
        self._remarks = remarks

    def row_count(self) -> int:
        return len(self._remarks)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
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


class InputReport(Dialog):
    """The records that swgui read, and every change it made."""

    def __init__(self, report: ReadReport, parent: QWidget | None = None) -> None:
        super().__init__("inputReport", "Remarks on the input", parent)
        self._report = report
        rest = ""
        if not report.remarks:
            rest = "Nothing was changed: every residue is as given."
        elif not report.complete:
            rest = f"The first {len(report.remarks):,} changes are listed; all of them are counted above."
        note = text_label(rest, wrap=True, level="muted")
        note.setVisible(bool(rest))
        self._sorted = QSortFilterProxyModel(self)
        self._sorted.setSourceModel(RemarkTable(report.remarks))
        self._sorted.setSortRole(Role.UserRole)
        table = row_table(
            QTableView(), "remarks", "Changes made to the input", self._sorted, rows=2.75, widths=(10, 10, 14)
        )
        table.setSortingEnabled(True)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        table.setVisible(bool(report.remarks))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton("Copy", QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._copy)
        buttons.rejected.connect(self.reject)
        summary = text_label(report.summary(), wrap=True, plain=True)
        layout = in_column(summary, note, (table, 1), margins=2, parent=self)
        if not report.remarks:
            layout.addStretch(1)
        layout.addWidget(buttons)
        buttons.button(QDialogButtonBox.StandardButton.Close).setFocus()
        self.fit(*((105, 60) if report.remarks else (60, 0)))

    def _copy(self) -> None:
        lines = [self._report.summary()]
        lines += [f"record {r.record}\tline {r.line}\t{r.kind}\t{r.message}" for r in self._report.remarks]
        QGuiApplication.clipboard().setText("\n".join(lines))
