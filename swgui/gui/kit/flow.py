"""A row of buttons that wraps where the window is narrow or the text large."""

from __future__ import annotations

import itertools

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy, QWidget

from swgui.gui.kit.theme import grid


class FlowRow(QWidget):
    """Places widgets from left to right, line by line.

    A widget that moves its children, not a layout: a layout written in Python holds items that Qt deletes, and
    PySide then takes any object at their address for such an item.
    """

    def __init__(self, parent: QWidget | None = None, *, right: bool = False) -> None:
        super().__init__(parent)
        self._right = right  # whether lines end at the right instead of beginning at the left
        self._widgets: list[QWidget] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    @classmethod
    def of(cls, *widgets: QWidget, right: bool = False) -> FlowRow:
        """Return a row of these; ending at the right, if `right`."""
        row = cls(right=right)
        for widget in widgets:
            row.add(widget)
        return row

    def add(self, widget: QWidget, index: int | None = None) -> None:
        widget.setParent(self)
        widget.installEventFilter(self)
        self._widgets.insert(len(self._widgets) if index is None else index, widget)
        self.updateGeometry()

    @property
    def widgets(self) -> list[QWidget]:
        """The widgets from left to right."""
        return list(self._widgets)

    def take_away(self, widget: QWidget) -> None:
        if widget in self._widgets:
            self._widgets.remove(widget)
            widget.removeEventFilter(self)
            widget.hide()
            widget.deleteLater()
            self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(width, move=False)

    def sizeHint(self) -> QSize:
        shown = self._shown()
        hints = [_size(widget) for widget in shown]
        width = sum(hint.width() for hint in hints) + sum(_gap(*both) for both in itertools.pairwise(shown))
        return QSize(width, max((hint.height() for hint in hints), default=0))

    def minimumSizeHint(self) -> QSize:
        size = QSize()
        for widget in self._shown():
            size = size.expandedTo(_size(widget))
        return size

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setMinimumHeight(self._place(self.width(), move=True))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest, QEvent.Type.FontChange):
            self._arrange()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        self.updateGeometry()
        self.setMinimumHeight(self._place(self.width(), move=True))

    def _shown(self) -> list[QWidget]:
        return [widget for widget in self._widgets if not widget.isHidden()]

    def _place(self, width: int, *, move: bool) -> int:
        """Place the widgets line by line and return the height; low widgets are centred in their line."""
        lines: list[list[tuple[QWidget, int, QSize]]] = [[]]
        x = 0
        for widget in self._shown():
            hint = _size(widget)
            if lines[-1]:
                x += _gap(lines[-1][-1][0], widget)
                if x + hint.width() > width:
                    x = 0
                    lines.append([])
            lines[-1].append((widget, x, hint))
            x += hint.width()
        y = 0
        for number, line in enumerate(lines):
            y += grid(0.5) if number else 0
            height = max((hint.height() for _, _, hint in line), default=0)
            if move and line:
                shift = max(width - line[-1][1] - line[-1][2].width(), 0) if self._right else 0
                for widget, left, hint in line:
                    widget.setGeometry(QRect(QPoint(shift + left, y + (height - hint.height()) // 2), hint))
            y += height
        return y


def _size(widget: QWidget) -> QSize:
    return widget.sizeHint().expandedTo(widget.minimumSize())


def _gap(before: QWidget, behind: QWidget) -> int:
    return grid(1.5 if isinstance(before, QCheckBox) or isinstance(behind, QCheckBox) else 0.5)
