"""What scrolled views have in common: the keyboard's frame, scroll ranges, and bringing something into sight."""

from __future__ import annotations

import math

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollBar, QWidget

from swgui.gui.kit import theme


class ScrolledView(QAbstractScrollArea):
    """A scrolled field that takes the keyboard and follows the mouse; subclasses paint it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setMouseTracking(True)

    def set_range(self, bar: QScrollBar, total: float, seen: float, step: float) -> None:
        """Let a bar scroll over a length, of which a part is seen at a time; all in pixels."""
        bar.setRange(0, max(0, math.ceil(total - seen)))
        bar.setPageStep(max(1, int(seen)))
        bar.setSingleStep(max(1, int(step)))
        self.viewport().update()

    def bring_into_sight(self, top: float, bottom: float, room: float) -> None:
        """Scroll up or down until what lies between two heights is seen; `room` is seen at a time."""
        bar = self.verticalScrollBar()
        if top < bar.value():
            bar.setValue(int(top))
        elif bottom > bar.value() + room:
            bar.setValue(math.ceil(bottom - room))

    def paint_focus(self, painter: QPainter) -> None:
        """Draw a frame if the keyboard is here."""
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(theme.colours(self).focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the frame."""
        self.viewport().update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the frame away."""
        self.viewport().update()
        super().focusOutEvent(event)
