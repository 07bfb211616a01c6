"""Base of views that paint themselves: theme, the keyboard's frame, zoom, keys, and scroll ranges."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, SignalInstance
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollBar, QWidget

from swgui.gui.kit import theme

# Mixed into widgets of several classes, so none of them itself.
if TYPE_CHECKING:
    _Widget = QWidget
else:
    _Widget = object
WHEEL_ZOOM: Final = 1.25  # a notch of the wheel
KEY_ZOOM: Final = 1.6


class Painted(_Widget):
    """Mixed into a widget that paints itself: again with the theme and the focus, with a frame if it has focus."""

    @property
    def canvas(self) -> QWidget:
        return self

    def refresh(self) -> None:
        self.canvas.update()

    def paint_focus(self, painter: QPainter, place: QRectF | None = None) -> None:
        """Draw a frame around a place, or around everything, if the keyboard is here."""
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(theme.colours(self).focus), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(place or QRectF(self.canvas.rect()).adjusted(1, 1, -1, -1))

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.canvas.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.canvas.update()
        super().focusOutEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.refresh()


class Zoomed(Painted):
    """Mixed into a painted widget that is zoomed by wheel and keys; 0 and Home show all, Escape leaves.

    Widgets have a signal `left`.
    """

    left: SignalInstance

    def zoom(self, factor: float, point: QPointF | None = None) -> None:
        """Zoom in (factor above 1) or out around a point."""
        raise NotImplementedError

    def show_whole(self) -> None:
        raise NotImplementedError

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(WHEEL_ZOOM ** (event.angleDelta().y() / 120), event.position())
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match Qt.Key(event.key()):
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom(KEY_ZOOM)
            case Qt.Key.Key_Minus:
                self.zoom(1 / KEY_ZOOM)
            case Qt.Key.Key_0 | Qt.Key.Key_Home:
                self.show_whole()
            case Qt.Key.Key_Escape:
                self.left.emit()
            case _:
                super().keyPressEvent(event)


class ScrolledView(Painted, QAbstractScrollArea):
    """A scrolled field that takes the keyboard and follows the mouse; subclasses paint it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setMouseTracking(True)

    @property
    def canvas(self) -> QWidget:
        return self.viewport()

    def set_range(self, bar: QScrollBar, total: float, seen: float, step: float) -> None:
        """Let a bar scroll over a length, of which a part is seen at a time; all in pixels."""
        bar.setRange(0, max(0, math.ceil(total - seen)))
        bar.setPageStep(max(1, int(seen)))
        bar.setSingleStep(max(1, int(step)))
        self.viewport().update()

    def bring_into_sight(self, top: float, bottom: float, room: float) -> None:
        """Scroll up or down until the part between two heights is visible; `room` is the visible height."""
        bar = self.verticalScrollBar()
        if top < bar.value():
            bar.setValue(int(top))
        elif bottom > bar.value() + room:
            bar.setValue(math.ceil(bottom - room))
