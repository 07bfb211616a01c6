"""How many rows of an alignment cover each position of the query, over its whole length; a click goes there."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core import words
from swgui.gui.kit import theme
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.stacked.area import MARGIN, StackArea

HEIGHT = 3.5  # in grid units


class CoverageMap(QWidget):
    """Draws the coverage of the query, and the part of it that a stack below has in sight.

    Parameters
    ----------
    area : StackArea

    Signals
    -------
    chosen(int)
        Residue of the query, from 0, that was clicked or dragged to.
    pointed(str)
        What is under the pointer; empty if nothing.
    """

    chosen = Signal(int)
    pointed = Signal(str)

    def __init__(self, area: StackArea, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tip = "How many of the included sequences cover each position of the query. A click goes there."
        described(self, "coverageMap", tip, "Coverage of the query")
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.keep_size(self, height=HEIGHT)
        self.setMaximumHeight(theme.grid(HEIGHT))
        self._area = area
        self._coverage: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        area.horizontalScrollBar().valueChanged.connect(lambda _value: self.update())
        area.horizontalScrollBar().rangeChanged.connect(lambda *_range: self.update())

    def show_coverage(self, coverage: NDArray[np.int64], rows: int) -> None:
        """Show how many of some rows cover each position."""
        self._coverage, self._rows = coverage, rows
        most = int(coverage.max(initial=0))
        self.setAccessibleDescription(f"Up to {most:,} of {words.count(rows, 'row')} cover a position of the query.")
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        if event.type() == QEvent.Type.FontChange:
            self.setMaximumHeight(theme.grid(HEIGHT))
        super().changeEvent(event)

    def _place(self) -> QRectF:
        left = self._area.sight().left
        return QRectF(left, 4, max(1.0, self.width() - left - MARGIN), self.height() - 8)

    def residue_at(self, x: float) -> int:
        """Return the residue of the query, from 0, at a place; -1 outside."""
        place, length = self._place(), len(self._coverage)
        at = int((x - place.left()) / place.width() * length) if length else -1
        return at if 0 <= at < length and x >= place.left() else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say how many rows cover a position; scroll along while a button is held."""
        at = self.residue_at(event.position().x())
        text = f"{self._coverage[at]:,} of {words.count(self._rows, 'row')} cover residue {at + 1:,}" if at >= 0 else ""
        self.pointed.emit(text)
        if at >= 0 and event.buttons() & Qt.MouseButton.LeftButton:
            self.chosen.emit(at)
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to a position."""
        at = self.residue_at(event.position().x())
        if at >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(at)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the coverage and what is in sight."""
        painter = QPainter(self)
        shades = theme.colours(self)
        painter.fillRect(self.rect(), QColor(shades.base))
        length, place = len(self._coverage), self._place()
        if not length:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = max(1, int(self._coverage.max()))
        self._paint_axis(painter, place, most, shades)
        across = np.linspace(place.left(), place.right(), length + 1)
        heights = place.bottom() - self._coverage / most * place.height()
        shape = QPolygonF([QPointF(place.left(), place.bottom())])
        for at, y in enumerate(heights.tolist()):
            shape.append(QPointF(float(across[at]), y))
            shape.append(QPointF(float(across[at + 1]), y))
        shape.append(QPointF(place.right(), place.bottom()))
        fill = QColor(shades.series[0])
        fill.setAlphaF(0.35)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(shape)
        self._paint_sight(painter, place, length, shades)

    def _paint_sight(self, painter: QPainter, place: QRectF, length: int, shades: theme.Colours) -> None:
        """Frame the residues that are in sight, unless all are."""
        shown = self._area.sight().columns
        shown = shown[shown >= 0]
        if not len(shown) or len(shown) >= length:
            return
        step = place.width() / length
        frame = QRectF(
            place.left() + shown[0] * step, 1.5, max(3.0, (shown[-1] + 1 - shown[0]) * step), self.height() - 3
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(shades.accent), 1.5))
        painter.drawRoundedRect(frame, 2, 2)

    def _paint_axis(self, painter: QPainter, place: QRectF, most: int, shades: theme.Colours) -> None:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, font.pointSizeF() * 0.85))
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(shades.text))
        label = QRectF(MARGIN, 0, place.left() - MARGIN - 6, self.height())
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, "Coverage")
        font.setWeight(QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(shades.muted))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        painter.drawText(label.adjusted(0, 2, 0, 0), right, f"{most:,} of {self._rows:,}")
        painter.fillRect(QRectF(place.left(), place.bottom(), place.width(), 1), QColor(shades.border))
