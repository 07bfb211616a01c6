"""Heat map of a sweep: one rectangle per combination, its speed written in it.

Colours run from dark blue to yellow (viridis: even to the eye, and told apart by colour-blind people); marks say the
rest without colour: a star for the best, a diamond for what automatic chose, hatching for what cannot run, a cross for
wrong scores. Arrow keys move a cursor, Return chooses.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from swgui.core.sweep.grid import Cell, Place, SweepResult
from swgui.gui.device.sweep.explain import explain_cell
from swgui.gui.device.sweep.heat_paint import HeatPainting
from swgui.gui.kit import theme
from swgui.gui.kit.theme import Colours, colours, grid

PNG_SCALE = 3
NOTHING = "Nothing was measured yet."
MOVES = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


class HeatMap(QWidget):
    """Draws a sweep with two axes, or with one as a single row.

    Signals
    -------
    chosen(object)
        The `Cell` under the cursor changed, by mouse or keys; None if there is none.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("heatMap")
        self.setAccessibleName("Speed by settings")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._result: SweepResult | None = None
        self._place: Place | None = None
        self.capability = ""

    @property
    def cell(self) -> Cell | None:
        """The cell under the cursor; None if there is none."""
        return self._result.cells.get(self._place) if self._result and self._place else None

    def show_result(self, result: SweepResult | None, capability: str = "") -> None:
        """Draw a sweep, also one that is under way; the cursor stays where it is."""
        changed = result is None or self._result is None or result.axes != self._result.axes
        self._result, self.capability = result, capability
        if changed:
            self._place = None
        self.setAccessibleDescription(self._describe())
        self.update()

    def choose(self, place: Place | None) -> None:
        """Put the cursor on the cell of a place and tell `chosen`; nowhere for a place that the sweep has not."""
        self._place = place if self._result and place in self._result.cells else None
        self.setAccessibleDescription(self._describe())
        self.update()
        self.chosen.emit(self.cell)

    def picture(self, lines: tuple[str, ...]) -> QImage:
        """Return the map as a picture for a paper, in the colours of a light window, with `lines` above it."""
        metrics = QFontMetricsF(self.font())
        head = metrics.height() * (len(lines) + 1)
        size = self.size().expandedTo(self.sizeHint())
        image = QImage(size.width() * PNG_SCALE, round(size.height() + head) * PNG_SCALE, QImage.Format.Format_RGB32)
        image.fill(QColor(theme.LIGHT.base))
        image.setDevicePixelRatio(PNG_SCALE)
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self.font())
        painter.setPen(QColor(theme.LIGHT.text))
        for at, line in enumerate(lines):
            text = metrics.elidedText(line, Qt.TextElideMode.ElideRight, size.width() - 2 * grid())
            painter.drawText(QPointF(grid(), metrics.height() * (at + 1)), text)
        painter.translate(0, head)
        self._paint(painter, QRectF(0, 0, size.width(), size.height()), theme.LIGHT, None)
        painter.end()
        return image

    def sizeHint(self) -> QSize:
        """Return a size at which every number can be read."""
        columns, rows = self._shape()
        return QSize(grid(16 + 7 * columns), grid(9 + 4.5 * rows))

    def minimumSizeHint(self) -> QSize:
        """Return a size below which nothing could be read."""
        columns, rows = self._shape()
        return QSize(grid(14 + 4 * columns), grid(9 + 3 * rows))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.updateGeometry()
            self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the cursor."""
        super().focusInEvent(event)
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the cell that is clicked on."""
        if event.button() == Qt.MouseButton.LeftButton:
            place = self._place_at(event.position())
            if place is not None:
                self.choose(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor by arrow keys."""
        move = MOVES.get(Qt.Key(event.key()))
        if move is None or self._result is None:
            super().keyPressEvent(event)
            return
        across, *other = self._result.axes
        place = self._place or (self._result.best.place if self._result.best else next(iter(self._result.cells)))
        column = across.values.index(place[0]) + (move[0] if self._place else 0)
        column = min(max(column, 0), len(across.values) - 1)
        if not other:
            self.choose((across.values[column],))
            return
        (up,) = other
        row = min(max(up.values.index(place[1]) + (move[1] if self._place else 0), 0), len(up.values) - 1)
        self.choose((across.values[column], up.values[row]))

    def event(self, event: QEvent) -> bool:
        """Explain the cell under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place, result = self._place_at(QPointF(event.pos())), self._result
            text = explain_cell(result, result.cells[place], self.capability) if place and result else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, QRectF(self.rect()), colours(self), self._place)
        painter.end()

    def painting(self) -> HeatPainting | None:
        """Return where the cells lie now; None before anything was measured."""
        if self._result is None:
            return None
        return HeatPainting(self._result, QRectF(self.rect()), self.font(), colours(self))

    def _place_at(self, point: QPointF) -> Place | None:
        painting = self.painting()
        return painting.place_at(point) if painting else None

    def _shape(self) -> tuple[int, int]:
        """Return columns and rows."""
        if self._result is None:
            return 6, 4
        across, *other = self._result.axes
        return len(across.values), len(other[0].values) if other else 1

    def _paint(self, painter: QPainter, whole: QRectF, shades: Colours, cursor: Place | None) -> None:
        if self._result is not None:
            HeatPainting(self._result, whole, self.font(), shades).paint(painter, cursor)
            return
        painter.setPen(QColor(shades.muted))
        painter.drawText(whole, Qt.AlignmentFlag.AlignCenter, NOTHING)

    def _describe(self) -> str:
        if self._result is None:
            return NOTHING
        if self.cell is not None:
            return explain_cell(self._result, self.cell, self.capability).replace("\n", ". ")
        usable = len(self._result.measured)
        return f"{usable} of {len(self._result.cells)} settings measured. Arrow keys move over them."
