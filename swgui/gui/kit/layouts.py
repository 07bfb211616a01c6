"""Widgets side by side, one below the other, in forms, grids and frames, each made in one call.

Distances are in grid units (`swgui.gui.kit.theme.grid`) and follow the text size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QBoxLayout,
    QFormLayout,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from swgui.gui.kit.theme import arrange, set_role

# An int is room that stretches; a pair gives the stretch of a part, or its alignment in its place.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, Qt.AlignmentFlag]
B = TypeVar("B", bound=QBoxLayout)


def in_row(
    *parts: Part, margins: float | Iterable[float] = 0, spacing: float = 1, parent: QWidget | None = None
) -> QHBoxLayout:
    """Return widgets and layouts side by side.

    Parameters
    ----------
    *parts : QWidget, QLayout, int, or a pair
        An int is room that stretches; a pair is a part and how much it stretches, or a widget and its alignment.
    margins : float or four floats
        Left, top, right, bottom; in grid units.
    spacing : float
        In grid units.
    """
    return _fill(QHBoxLayout(parent) if parent is not None else QHBoxLayout(), parts, margins, spacing)


def in_column(
    *parts: Part, margins: float | Iterable[float] = 0, spacing: float = 1, parent: QWidget | None = None
) -> QVBoxLayout:
    """Return widgets and layouts one below the other; see `in_row`."""
    return _fill(QVBoxLayout(parent) if parent is not None else QVBoxLayout(), parts, margins, spacing)


def turn(row: QBoxLayout, narrow: bool) -> None:
    """Put the parts of a row below each other where it is narrow, side by side otherwise."""
    row.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)


def in_grid(
    *rows: Sequence[QWidget | QLayout | None],
    margins: float | Iterable[float] = 0,
    spacing: float | tuple[float, float] = 1,
    stretch: Sequence[int] = (),
    parent: QWidget | None = None,
) -> QGridLayout:
    """Return widgets and layouts in rows and columns; None leaves a place empty.

    Parameters
    ----------
    margins, spacing : float, or several
        In grid units (`swgui.gui.kit.theme.arrange`).
    """
    layout = arrange(QGridLayout(parent) if parent is not None else QGridLayout(), margins, spacing)
    for down, row in enumerate(rows):
        for across, part in enumerate(row):
            if isinstance(part, QLayout):
                layout.addLayout(part, down, across)
            elif part is not None:
                layout.addWidget(part, down, across)
    for across, share in enumerate(stretch):
        layout.setColumnStretch(across, share)
    return layout


def in_form(
    *rows: tuple[str | QWidget, QWidget | QLayout] | QWidget | QLayout,
    margins: float | Iterable[float] = 0,
    spacing: float | tuple[float, float] = 1,
    parent: QWidget | None = None,
) -> QFormLayout:
    """Return rows of a label and its field; a part without a label takes the whole row.

    The key after ``&`` in a text label moves the focus to its field.
    """
    layout = arrange(QFormLayout(parent) if parent is not None else QFormLayout(), margins, spacing)
    for row in rows:
        if isinstance(row, tuple):
            head, part = row
            layout.addRow(head, part)
        else:
            layout.addRow(row)
    return layout


def in_splitter(
    orientation: Qt.Orientation, *parts: QWidget | tuple[QWidget, int], name: str = "", collapsible: bool = False
) -> QSplitter:
    """Return widgets whose sizes the user changes by the lines between them; a pair gives a part and its stretch."""
    made = QSplitter(orientation)
    made.setObjectName(name)
    made.setChildrenCollapsible(collapsible)
    for index, part in enumerate(parts):
        widget, stretch = part if isinstance(part, tuple) else (part, 0)
        made.addWidget(widget)
        made.setStretchFactor(index, stretch)
    return made


def card(name: str, *parts: Part, margins: float | Iterable[float] = (2, 1.5, 2, 1.5), spacing: float = 1) -> QFrame:
    """Return widgets and layouts one below the other on a card of their own; see `in_row`."""
    frame = QFrame()
    frame.setObjectName(name)
    set_role(frame, role="card")
    in_column(*parts, margins=margins, spacing=spacing, parent=frame)
    return frame


def scrolling(page: QWidget) -> QScrollArea:
    """Return a frame in which a widget scrolls when there is less room than it needs."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area


def bring_into_sight(target: QWidget) -> None:
    """Scroll to a widget in all areas that contain it; Qt does it for the focus alone, and within one area."""
    area = target.parentWidget()
    while area is not None:
        inner = area.widget() if isinstance(area, QScrollArea) else None
        if isinstance(area, QScrollArea) and inner is not None and inner.isAncestorOf(target):
            area.ensureWidgetVisible(target)
        area = area.parentWidget()


class Sheets(QWidget):
    """One of several widgets at a time, the first to begin with.

    Hidden ones take no room; a `QStackedWidget` is as high as the highest of them at its width. The focus of a button
    that is hidden goes to the last button of the sheet that is shown, as from Find to Stop: Qt would give it to a
    widget elsewhere.
    """

    def __init__(self, *sheets: QWidget) -> None:
        super().__init__()
        self.shown = 0  # place among the sheets
        self._sheets = sheets
        in_column(*((sheet, 1) for sheet in sheets), spacing=0, parent=self)
        self.show_sheet(0)

    def show_sheet(self, place: int) -> None:
        focus = QApplication.focusWidget()
        held = isinstance(focus, QAbstractButton) and self._sheets[self.shown].isAncestorOf(focus)
        moved, self.shown = place != self.shown, place
        if held and moved:
            self._sheets[place].show()
            buttons = self._sheets[place].findChildren(QAbstractButton)
            if able := [button for button in buttons if button.isEnabled() and not button.isHidden()]:
                able[-1].setFocus()
        for at, sheet in sorted(enumerate(self._sheets), key=lambda one: one[0] != place):  # so that one is always seen
            sheet.setVisible(at == place)


class Upright(QScrollArea):
    """A frame whose content scrolls up and down only: it is never narrower than its content."""

    def __init__(self, content: QWidget, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._content = content
        self.setWidget(content)
        content.installEventFilter(self)

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(max(least.width(), self._content.minimumSizeHint().width() + bar), least.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)


class Wrapping(QWidget):
    """A part of a splitter that is never lower than its texts are when they wrap: splitters ask for no width."""

    def minimumSizeHint(self) -> QSize:
        least, layout = super().minimumSizeHint(), self.layout()
        if layout is None or not layout.hasHeightForWidth():
            return least
        return least.expandedTo(QSize(0, layout.minimumHeightForWidth(self.width())))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


class Fitted(QWidget):
    """Holds a page as large as itself, with the minimum size of the page, for a frame that scrolls.

    `QScrollArea` gives a widget with a layout its preferred height, and would scroll pages that scroll inside.
    """

    def __init__(self, page: QWidget) -> None:
        super().__init__()
        self._page = page
        page.setParent(self)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def minimumSizeHint(self) -> QSize:
        return self._page.minimumSizeHint().expandedTo(self._page.minimumSize())

    def heightForWidth(self, width: int) -> int:
        layout = self._page.layout()
        return layout.minimumHeightForWidth(width) if layout is not None else self.minimumSizeHint().height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._page.resize(event.size())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)


def _fill(layout: B, parts: Iterable[Part], margins: float | Iterable[float], spacing: float) -> B:
    arrange(layout, margins, spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        inner, how = part if isinstance(part, tuple) else (part, 0)
        stretch, align = (0, how) if isinstance(how, Qt.AlignmentFlag) else (how, Qt.AlignmentFlag(0))
        if isinstance(inner, QLayout):
            layout.addLayout(inner, stretch)
        else:
            layout.addWidget(inner, stretch, align)
    return layout
