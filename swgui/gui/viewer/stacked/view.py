"""The stacked view in the user's hand: mouse and keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip

from swgui.gui.viewer.stacked.area import StackArea


class StackedView(StackArea):
    """A stack from which hits are chosen and in which insertions are unfolded.

    Signals
    -------
    row_chosen(int, int)
        Row of the ranked list that was clicked, and which of its alignments.
    """

    row_chosen = Signal(int, int)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is under the pointer."""
        at, column = self.cell_at(event.position())
        inside = at >= -1 and column >= 0
        self.pointed.emit(self.describe_cell(at, column) if inside else "")
        if self._shown is not None and at >= 0 and column < 0:
            header = self._shown.data.header(self._shown.stack.rows[at].row)
            QToolTip.showText(event.globalPosition().toPoint(), f"{header.name}\n{header.title}", self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose a hit."""
        at, _ = self.cell_at(event.position())
        if self._shown is not None and at >= 0 and event.button() == Qt.MouseButton.LeftButton:
            chosen = self._shown.stack.rows[at]
            self.row_chosen.emit(chosen.row, chosen.part)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Unfold or fold the insertion beside the residue."""
        at, column = self.cell_at(event.position())
        if self._shown is None or at < 0 or column < 0:
            return
        stack = self._shown.stack
        residue = int(stack.columns[column])
        after = -1 - residue if residue < 0 else residue + 1
        if residue < 0 or after in stack.rows[at].insertions:
            stack.toggle(after)
            self.fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose hits with Up and Down, scroll with Left, Right, Home and End."""
        if self._shown is None or not len(self._shown.stack):
            super().keyPressEvent(event)
            return
        key, bar, stack = Qt.Key(event.key()), self.horizontalScrollBar(), self._shown.stack
        page = max(1, int(self._body().height() // self.glyphs().cell_height))
        rows = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_PageUp: -page, Qt.Key.Key_PageDown: page}
        columns = {
            Qt.Key.Key_Left: bar.value() - bar.singleStep(),
            Qt.Key.Key_Right: bar.value() + bar.singleStep(),
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: bar.maximum(),
        }
        if key in rows:
            chosen = stack.rows[min(max(self.place() + rows[key], 0), len(stack) - 1)]
            self.row_chosen.emit(chosen.row, chosen.part)
        elif key in columns:
            bar.setValue(columns[key])
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)
