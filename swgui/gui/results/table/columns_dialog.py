"""Which columns the hit table shows, in what order, and what they mean."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from swgui.gui.hits.columns import BY_KEY, COLUMNS
from swgui.gui.kit import theme
from swgui.gui.kit.translation import tr

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
        self.list = QListWidget()
        self.list.setObjectName("columnList")
        self.list.setAccessibleName("Columns, in their order")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.name = QLabel()
        self.name.setObjectName("columnName")
        theme.set_role(self.name, level="heading")
        self.definition = QLabel()
        self.definition.setObjectName("columnDefinition")
        self.definition.setWordWrap(True)
        self.definition.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.definition.setMinimumWidth(theme.grid(34))
        self.facts = QLabel()
        self.facts.setObjectName("columnFacts")
        self.facts.setWordWrap(True)
        theme.set_role(self.facts, level="muted")
        self.up, self.down = QPushButton("Move up"), QPushButton("Move down")
        self.up.setObjectName("columnUp")
        self.down.setObjectName("columnDown")
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))
        self.reset = QPushButton("Usual columns")
        self.reset.setObjectName("columnReset")
        self.reset.clicked.connect(self._reset)
        self.close_button = QPushButton("Close")
        self.close_button.setObjectName("columnClose")
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.accept)

        side = QVBoxLayout()
        theme.arrange(side, spacing=1)
        for widget in (self.name, self.definition, self.facts):
            side.addWidget(widget)
        side.addStretch(1)
        moves = QHBoxLayout()
        theme.arrange(moves, spacing=1)
        moves.addWidget(self.up)
        moves.addWidget(self.down)
        moves.addStretch(1)
        side.addLayout(moves)
        halves = QHBoxLayout()
        theme.arrange(halves, spacing=2)
        halves.addWidget(self.list, 1)
        halves.addLayout(side, 1)
        foot = QHBoxLayout()
        theme.arrange(foot, spacing=1)
        foot.addWidget(self.reset)
        foot.addStretch(1)
        foot.addWidget(self.close_button)
        layout = QVBoxLayout(self)
        theme.arrange(layout, 2, 1.5)
        layout.addLayout(halves, 1)
        layout.addLayout(foot)
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
            item = QListWidgetItem(tr(BY_KEY[key].title))
            item.setData(KEY, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if key in shown else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)

    def keys(self) -> list[str]:
        """Return the columns to show, from left to right."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return [*ALWAYS, *(item.data(KEY) for item in items if item.checkState() == Qt.CheckState.Checked)]

    def _tell(self) -> None:
        self.chosen.emit(self.keys())

    def _explain(self, item: QListWidgetItem | None) -> None:
        column = BY_KEY[item.data(KEY)] if item is not None else None
        self.name.setText(tr(column.title) if column else "")
        self.definition.setText(tr(column.description) if column else "")
        lines = [f"Head of the column: {column.head}", f"In files: {column.key}"] if column else []
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
