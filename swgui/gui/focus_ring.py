"""A frame around the control that has the keyboard, in both themes, while the keyboard is used."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QApplication, QWidget

from swgui.gui.theme import colours, grid

WIDTH = 2
MOVES = {QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Hide, QEvent.Type.Show}


class FocusRing(QWidget):
    """Draws a ring over its window; it takes neither mouse nor keyboard."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("focusRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._target: QWidget | None = None
        self._keyboard = False
        self.hide()
        app = QApplication.instance()
        app.installEventFilter(self)
        app.focusChanged.connect(self._focus_changed)

    def detach(self) -> None:
        """Stop listening to the application."""
        app = QApplication.instance()
        app.removeEventFilter(self)
        app.focusChanged.disconnect(self._focus_changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell keyboard from mouse, and follow the control when it moves."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress and event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            self._keyboard = True
        elif kind == QEvent.Type.MouseButtonPress:
            self._keyboard = False
            self.hide()
        elif kind in MOVES and watched is self._target:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours(self).focus), WIDTH))
        inset = WIDTH // 2 + 1
        radius = grid(0.5)
        painter.drawRoundedRect(self.rect().adjusted(inset, inset, -inset, -inset), radius, radius)

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        self._target = new if new is not None and self.parentWidget().isAncestorOf(new) else None
        self._place()

    def _place(self) -> None:
        target = self._target
        if target is None or not self._keyboard or not target.isVisible():
            self.hide()
            return
        window = self.parentWidget()
        frame = QRect(target.mapTo(window, QPoint(0, 0)), target.size())
        # Large areas get the ring inside their edge, where nothing cuts it off.
        large = isinstance(target, QAbstractItemView | QAbstractScrollArea)
        self.setGeometry(frame if large else frame.adjusted(-WIDTH - 1, -WIDTH - 1, WIDTH + 1, WIDTH + 1))
        self.raise_()
        self.show()
