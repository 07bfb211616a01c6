"""The pair alignment in the user's hand: columns are pointed at, selected and copied."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip

from swgui.gui.viewer.pair import text_form
from swgui.gui.viewer.pair.area import PairArea
from swgui.gui.viewer.pair.layout import Kind, describe_column


class PairView(PairArea):
    """An alignment of which columns are selected by mouse and keyboard, and copied in several forms."""

    # -- selection ---------------------------------------------------------------------------------

    def select(self, start: int, stop: int) -> None:
        """Select columns and bring them into sight."""
        self._anchor, self._cursor = start, stop - 1
        self.ensure_column_visible(start)
        self._moved()

    def go_to_query(self, position: int) -> bool:
        """Put the cursor on a residue of the query; False if it is not shown."""
        column = self._layout.column_of_query(position)
        if column < 0:
            return False
        self.select(column, column + 1)
        return True

    def selected_text(self, form: str = "numbered") -> str:
        """Return the selected columns (or all) as text.

        Parameters
        ----------
        form : {"numbered", "bare", "fasta", "ungapped", "query", "subject"}
        """
        if self._records is None:
            return ""
        start, stop = self.selection() or (0, len(self._layout))
        match form:
            case "bare":
                return text_form.bare_text(self._layout, start, stop)
            case "fasta" | "ungapped":
                return text_form.aligned_fasta(self._records, self._layout, start, stop, gaps=form == "fasta")
            case "query" | "subject":
                symbols = self._layout.query if form == "query" else self._layout.subject
                return symbols[start:stop].tobytes().decode("ascii").replace("-", "").strip()
        return text_form.wrapped_text(self._layout, self._width, start, stop)

    def _moved(self) -> None:
        if 0 <= self._cursor < len(self._layout):
            self.pointed.emit(self._describe_selection())
        self.viewport().update()

    def _describe_selection(self) -> str:
        selected = self.selection()
        if selected is None:
            return ""
        start, stop = selected
        if stop - start == 1:
            return describe_column(self._layout, start)
        kinds = self._layout.kinds[start:stop]
        identical, positive = int((kinds == Kind.IDENTITY).sum()), int((kinds == Kind.POSITIVE).sum())
        return (
            f"{stop - start:,} columns selected: {identical:,} identical, {positive:,} more positive, "
            f"{int((kinds == Kind.GAP).sum()):,} gaps, score {int(self._layout.scores[start:stop].sum()):,}"
        )

    # -- Qt's events -------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the cursor."""
        if self._cursor < 0 and len(self._layout):
            self._anchor = self._cursor = 0
            self._moved()
        super().focusInEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin a selection."""
        column = self.column_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton:
            if column >= 0 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._anchor >= 0:
                self._cursor = column
            else:
                self._anchor = self._cursor = column
            self._moved()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is under the pointer, or extend the selection."""
        point = event.position().toPoint()
        if event.buttons() & Qt.MouseButton.LeftButton and self._anchor >= 0:
            self._cursor = self.column_at(point, nearest=True)
            self.ensure_column_visible(self._cursor)
            self._moved()
            return
        column = self.column_at(point)
        self.pointed.emit(describe_column(self._layout, column) if column >= 0 else "")
        QToolTip.showText(event.globalPosition().toPoint(), self.features_at(point), self)

    def leaveEvent(self, event: QEvent) -> None:
        """Say what is under the cursor again."""
        self.pointed.emit(self._describe_selection())
        QToolTip.hideText()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor; with Shift, select."""
        if not len(self._layout):
            super().keyPressEvent(event)
            return
        if event.key() == Qt.Key.Key_Escape:
            if self._anchor != self._cursor:
                self._anchor = self._cursor
                self._moved()
            else:
                self.left.emit()
            return
        page = self._width * max(1, int(self.viewport().height() // self._block_height()))
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._width,
            Qt.Key.Key_Down: self._width,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -len(self._layout),
            Qt.Key.Key_End: len(self._layout),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._cursor = min(max(max(self._cursor, 0) + step, 0), len(self._layout) - 1)
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = self._cursor
        self.ensure_column_visible(self._cursor)
        self._moved()

    def select_all(self) -> None:
        """Select every column."""
        if len(self._layout):
            self._anchor, self._cursor = 0, len(self._layout) - 1
            self._moved()
