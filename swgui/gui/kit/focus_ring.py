"""A frame around the control that the Tab key has reached, in both themes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QScrollArea, QWidget

from swgui.gui.kit.motion import application
from swgui.gui.kit.theme import colours, grid

WIDTH = 2
MOVES = {QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Hide, QEvent.Type.Show}


class FocusRing(QWidget):
    """Draws a ring over its window; it takes neither mouse nor keyboard.

    The window sets `by_key` while it moves the focus for the Tab key. Only the control that has the ring is
    watched: a filter on the whole application would cost time with every event.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("focusRing")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.by_key = False
        self._window, self._application = window, application()
        self._target: QWidget | None = None
        self.hide()
        self._application.focusChanged.connect(self._focus_changed)

    def detach(self) -> None:
        self._watch(None)
        self._application.focusChanged.disconnect(self._focus_changed)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self._watch(None)
        elif event.type() in MOVES:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(colours(self).focus), WIDTH))
        inset = WIDTH // 2 + 1
        radius = grid(0.5)
        painter.drawRoundedRect(self.rect().adjusted(inset, inset, -inset, -inset), radius, radius)

    def _focus_changed(self, _old: QWidget | None, new: QWidget | None) -> None:
        if new is not None and not (self.by_key and self._window.isAncestorOf(new)):
            new = None
        if new is not None:
            self._bring_into_sight(new)
        self._watch(new)

    @staticmethod
    def _bring_into_sight(target: QWidget) -> None:
        """Scroll to a control; Qt does it only where the focus was in the same scroll area before."""
        area = target.parentWidget()
        while area is not None:
            inner = area.widget() if isinstance(area, QScrollArea) else None
            if isinstance(area, QScrollArea) and inner is not None and inner.isAncestorOf(target):
                area.ensureWidgetVisible(target)
            area = area.parentWidget()

    def _watch(self, target: QWidget | None) -> None:
        for widget, act in ((self._target, "removeEventFilter"), (target, "installEventFilter")):
            if widget is not None:
                getattr(widget, act)(self)
                if isinstance(widget, QAbstractScrollArea):  # its viewport gets the mouse
                    getattr(widget.viewport(), act)(self)
        self._target = target
        self._place()

    def _place(self) -> None:
        target = self._target
        if target is None or not target.isVisible():
            self.hide()
            return
        frame = QRect(target.mapTo(self._window, QPoint(0, 0)), target.size())
        # Large areas get the ring inside their edge, where nothing cuts it off.
        large = isinstance(target, QAbstractScrollArea)
        self.setGeometry(frame if large else frame.adjusted(-WIDTH - 1, -WIDTH - 1, WIDTH + 1, WIDTH + 1))
        self.raise_()
        self.show()
