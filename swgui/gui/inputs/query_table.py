"""The records that were read from the query, as a table with ticks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication

from swgui.core.records import SequenceRecord
from swgui.gui.inputs.detection import Row
from swgui.gui.kit.plain import plain
from swgui.gui.kit.tables.row_table import RIGHT, Index, PlainHead, Role, RowTable
from swgui.gui.kit.theme import colours


class QueryTable(RowTable):
    """The records that were read, each with a tick."""

    heads = (PlainHead("Name"), PlainHead("Length", side=RIGHT), PlainHead("Notes"))
    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        self._ticks = np.zeros(0, dtype=bool)
        self._ticked: tuple[SequenceRecord, ...] | None = ()  # None: to be gathered anew
        self._residues = 0

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows; ticks of the same names in the same order are kept."""
        same = [row.record.id for row in rows] == [row.record.id for row in self._rows]
        self.beginResetModel()
        self._rows = rows
        self._ticked = None
        if not same:
            self._ticks = np.ones(len(rows), dtype=bool)
        self.endResetModel()

    def records(self) -> tuple[SequenceRecord, ...]:
        """Return the ticked records, in the order of the text or file."""
        if self._ticked is None:
            self._ticked = tuple(row.record for row, tick in zip(self._rows, self._ticks, strict=True) if tick)
            self._residues = sum(len(record.residues) for record in self._ticked)
        return self._ticked

    def residues(self) -> int:
        """Return the number of residues of the ticked records."""
        self.records()
        return self._residues

    def tick_all(self, on: bool) -> None:
        """Tick all rows or none."""
        self._ticks[:] = on
        self._ticked = None
        if len(self._rows):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0), [Role.CheckStateRole])
        self.ticked.emit()

    def row_count(self) -> int:
        """Return the number of records."""
        return len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Let the first column be ticked."""
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Return text, tick, colour and tip of a cell."""
        row, column = self._rows[index.row()], index.column()
        length = len(row.record.residues)
        if role == Role.CheckStateRole and column == 0:
            return Qt.CheckState.Checked if self._ticks[index.row()] else Qt.CheckState.Unchecked
        if role == Role.DisplayRole:
            warning = "⚠ " if row.warns else ""
            return (row.record.id, f"{length:,}", f"{warning}{row.notes}")[column]
        if role == Role.ToolTipRole:
            return plain((row.record.header, f"{length:,} residues", row.notes)[column])
        if role == Role.TextAlignmentRole:
            return self.side(column)
        if role == Role.ForegroundRole and column == 2 and row.warns:
            return QColor(colours(QGuiApplication.palette()).warning)
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Take a tick."""
        if role != Role.CheckStateRole or index.column() != 0:
            return False
        self._ticks[index.row()] = Qt.CheckState(value) == Qt.CheckState.Checked
        self._ticked = None
        self.dataChanged.emit(index, index, [role])
        self.ticked.emit()
        return True
