"""Which columns the hit table shows, in what order, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QDialog, QListWidget, QListWidgetItem, QWidget

from swgui.gui.hits.columns import BY_KEY, COLUMNS
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.widgets import described, line_edit, push_button, text_label
from swgui.io.export import HIT_COLUMNS

KEY = Qt.ItemDataRole.UserRole
ALWAYS = ("tick", "rank")  # where the user is in the list


class ColumnDialog(QDialog):
    """A list of all columns to tick and to move, with the definition of the current one.

    Signals
    -------
    chosen(list)
        Keys of the columns to show, from left to right; sent at every change.
    """

    chosen = Signal(list)

    def __init__(self, shown: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("columnDialog")
        self.setWindowTitle("Columns of the hit table")
        self.search = line_edit(
            "columnFind", "Names and meanings of columns", hint="Find a column", does=self._show_found
        )
        self.list = described(QListWidget(), "columnList", accessible="Columns, in their order")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.name = text_label("", "columnName", level="heading")
        self.description = text_label("", "columnDefinition", wrap=True)
        self.description.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.description.setMinimumWidth(theme.grid(34))
        self.facts = text_label("", "columnFacts", level="muted", wrap=True)
        self.up = push_button("columnUp", "Move up", does=lambda: self._move(-1))
        self.down = push_button("columnDown", "Move down", does=lambda: self._move(1))
        self.reset = push_button("columnReset", "Usual columns", does=self._reset)
        self.close_button = push_button("columnClose", "Close", does=self.accept, default=True)
        side = in_column(self.name, self.description, self.facts, 1, in_row(self.up, self.down, 1))
        in_column(
            (in_row((in_column(self.search, (self.list, 1)), 1), (side, 1), spacing=2), 1),
            in_row(self.reset, 1, self.close_button),
            margins=2,
            spacing=1.5,
            parent=self,
        )
        self._fill(shown)
        self.list.itemChanged.connect(lambda _item: self._tell())
        self.list.currentItemChanged.connect(lambda item, _before: self._explain(item))
        self.list.model().rowsMoved.connect(lambda *_: self._tell())
        self.list.setCurrentRow(0)
        self.resize(theme.grid(80), theme.grid(62))

    def _fill(self, shown: Sequence[str]) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        others = [column.key for column in COLUMNS if column.key not in shown]
        for key in [*(key for key in shown if key not in ALWAYS), *(key for key in others if key not in ALWAYS)]:
            item = QListWidgetItem(BY_KEY[key].title)
            item.setData(KEY, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if key in shown else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)
        self._show_found()

    def _show_found(self) -> None:
        """List the columns that have the words typed in name, key or meaning; all of them stay chosen as they are."""
        words = self.search.text().casefold().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            column = BY_KEY[item.data(KEY)]
            text = f"{column.title} {column.head} {column.key} {column.description}".casefold()
            item.setHidden(not all(word in text for word in words))
        current = self.list.currentItem()
        if current is not None and current.isHidden():
            rows = (row for row in range(self.list.count()) if not self.list.item(row).isHidden())
            self.list.setCurrentRow(next(rows, -1))
        for button in (self.up, self.down):
            button.setEnabled(not words)

    def keys(self) -> list[str]:
        """Return the columns to show, from left to right."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return [*ALWAYS, *(item.data(KEY) for item in items if item.checkState() == Qt.CheckState.Checked)]

    def _tell(self) -> None:
        self.chosen.emit(self.keys())

    def _explain(self, item: QListWidgetItem | None) -> None:
        column = BY_KEY[item.data(KEY)] if item is not None else None
        self.name.setText(column.title if column else "")
        self.description.setText(column.description if column else "")
        lines = [f"Head of the column: {column.head}"] if column and column.head else []
        if column and column.key in HIT_COLUMNS:
            lines.append(f"In files: {column.key}")
        if column and column.late:
            lines.append("Known once a hit has been aligned, which happens as you scroll.")
        self.facts.setText("\n".join(lines))

    def _move(self, step: int) -> None:
        row = self.list.currentRow()
        if 0 <= row + step < self.list.count():
            self.list.blockSignals(True)
            item = self.list.takeItem(row)
            self.list.insertItem(row + step, item)
            self.list.setCurrentRow(row + step)
            self.list.blockSignals(False)
            self._tell()

    def _reset(self) -> None:
        self._fill([column.key for column in COLUMNS if column.shown])
        self.list.setCurrentRow(0)
        self._tell()
