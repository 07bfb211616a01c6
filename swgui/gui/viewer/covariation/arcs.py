"""Pairs of columns as arcs over all columns of the alignment below."""

from __future__ import annotations

import math
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core.covariation.arcs import FAINT, Arc, arcs_of
from swgui.core.covariation.pairs import CONTRADICTED, NEW, STATES, SUPPORTED, Covariation
from swgui.core.words import count
from swgui.gui.kit import theme
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.painted import Painted
from swgui.gui.viewer.stacked.area import MARGIN, StackArea
from swgui.gui.words import formatting

HEIGHT: Final = 11.0  # least height, in grid units
NEAR: Final = 6.0  # pixels between the pointer and the arc that it means
SWATCH: Final = 16.0  # pixels of a line in the legend


def ink_of(state: str, shades: theme.Colours) -> QColor:
    """Colour of the arcs of a state."""
    inks = {SUPPORTED: shades.success, NEW: shades.accent, CONTRADICTED: shades.danger}
    return QColor(inks.get(state, shades.control))


class ArcsMap(Painted, QWidget):
    """Draws the pairs over all columns, above those below where all fit, and frames the columns in sight."""

    chosen = Signal(int)  # number of a pair in its list, from 0
    pointed = Signal(str)  # text on the pair under the pointer; empty if there is none

    def __init__(self, area: StackArea, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tip = "Pairs of columns that vary together. A click on an arc marks both columns below."
        described(self, "covariationArcs", tip, "Pairs of columns as arcs")
        self.setMouseTracking(True)
        theme.keep_size(self, height=HEIGHT)
        self._area = area
        self._found: Covariation | None = None
        self.arcs: list[Arc] = []
        self._current = -1
        area.horizontalScrollBar().valueChanged.connect(lambda _value: self.update())
        area.horizontalScrollBar().rangeChanged.connect(lambda *_range: self.update())

    def show_pairs(self, found: Covariation | None) -> None:
        """Show the pairs of an alignment; nothing for None."""
        self._found, self._current = found, -1
        self.arcs = [] if found is None else arcs_of(found.pairs)
        self.setAccessibleDescription("" if found is None else " ".join(found.sentences()))
        self.update()

    def set_current(self, pair: int) -> None:
        """Mark a pair, by its number in the list; -1 for none."""
        self._current = pair
        self.update()

    # -- geometry ----------------------------------------------------------------------------------

    @property
    def _columns(self) -> int:
        return self._found.alignment.codes.shape[1] if self._found is not None else 0

    def curve_rect(self) -> QRectF:
        """Place of all columns: above them where all fit."""
        sight = self._area.sight()
        room, columns = self.width() - sight.left - MARGIN, len(sight.columns) * sight.width
        return QRectF(sight.left, 8, max(1.0, min(room, columns)), max(1.0, self.height() - 14))

    def x_of(self, column: int) -> float:
        """Middle of a column, from 0."""
        place = self.curve_rect()
        return place.left() + (column + 0.5) * place.width() / max(1, self._columns)

    def _place_of(self, arc: Arc, place: QRectF) -> QRectF:
        """Whole ellipse whose upper half is an arc."""
        step = place.width() / max(1, self._columns)
        left, right = (place.left() + (column + 0.5) * step for column in (arc.left, arc.right))
        high = arc.height * place.height()
        return QRectF(left, place.bottom() - high, right - left, 2 * high)

    def pair_at(self, point: QPointF) -> int:
        """Return the number of the pair whose arc is nearest to a point; -1 if none is near."""
        best, nearest = -1, NEAR
        place = self.curve_rect()
        for arc in reversed(self.arcs):  # those drawn last lie above
            oval = self._place_of(arc, place)
            wide, high = max(oval.width() / 2, 0.5), oval.height() / 2
            across, up = point.x() - oval.center().x(), place.bottom() - point.y()
            far = abs(math.hypot(across / wide, up / high) - 1) * min(wide, high)
            if far < nearest and up >= -2:
                best, nearest = arc.pair, far
        return best

    # -- mouse -------------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        text = self.describe(self.pair_at(event.position()))
        self.setCursor(Qt.CursorShape.PointingHandCursor if text else Qt.CursorShape.ArrowCursor)
        self.pointed.emit(text)
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        pair = self.pair_at(event.position())
        if pair >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(pair)

    def describe(self, pair: int) -> str:
        """Text on a pair; empty for none."""
        if self._found is None or pair < 0:
            return ""
        pairs = self._found.pairs
        text = f"Columns {pairs.left[pair] + 1:,} and {pairs.right[pair] + 1:,}: {pairs.states[pair]}"
        if not pairs.rows[pair]:
            return text
        return (
            f"{text}   ·   E {formatting.evalue(float(pairs.log10_evalues[pair]))}   ·   bases pair in "
            f"{pairs.paired[pair]:,} of {count(int(pairs.rows[pair]), 'row')}   ·   "
            f"{count(int(pairs.changes[pair].sum()), 'substitution')}"
        )

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shades = theme.colours(self)
        self.paint(painter, shades)
        self._paint_sight(painter, shades)

    def paint(self, painter: QPainter, shades: theme.Colours) -> None:
        """Draw everything but the frame of the columns in sight, also for a picture."""
        painter.fillRect(self.rect(), QColor(shades.base))
        if self._found is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        place = self.curve_rect()
        painter.fillRect(QRectF(place.left(), place.bottom(), place.width(), 1), QColor(shades.border))
        for arc in self.arcs:
            self._paint_arc(painter, arc, place, shades, current=False)
        for arc in self.arcs:
            if arc.pair == self._current:
                self._paint_arc(painter, arc, place, shades, current=True)
        self._paint_legend(painter, place, shades)

    def _paint_arc(self, painter: QPainter, arc: Arc, place: QRectF, shades: theme.Colours, *, current: bool) -> None:
        faint = arc.state in FAINT
        pen = QPen(ink_of(arc.state, shades), 3.5 if current else 1.0 if faint else 1.6)
        if faint:
            pen.setStyle(Qt.PenStyle.DashLine)
        if current:
            pen.setColor(QColor(shades.text))
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        oval = self._place_of(arc, place)
        path = QPainterPath()
        path.arcMoveTo(oval, 0)
        path.arcTo(oval, 0, 180)
        painter.drawPath(path)

    def _paint_legend(self, painter: QPainter, place: QRectF, shades: theme.Colours) -> None:
        """Write the states of pairs, and how many there are, next to the arcs."""
        assert self._found is not None
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, font.pointSizeF() * 0.85))
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetricsF(font)
        line, y = metrics.height() * 1.15, 4.0
        width = place.left() - MARGIN - 6
        painter.setFont(bold)
        painter.setPen(QColor(shades.text))
        painter.drawText(QRectF(MARGIN, y, width, line), Qt.AlignmentFlag.AlignVCenter, "Pairs of columns")
        painter.setFont(font)
        for state in STATES:
            if not (number := self._found.number(state)):
                continue
            y += line
            pen = QPen(ink_of(state, shades), 2)
            if state in FAINT:
                pen.setStyle(Qt.PenStyle.DashLine)
            painter.setPen(pen)
            painter.drawLine(QPointF(MARGIN, y + line / 2), QPointF(MARGIN + SWATCH, y + line / 2))
            painter.setPen(QColor(shades.text))
            text = f"{number:,} {state}"
            room = QRectF(MARGIN + SWATCH + 6, y, width - SWATCH - 6, line)
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)

    def _paint_sight(self, painter: QPainter, shades: theme.Colours) -> None:
        """Frame the columns in sight, unless all are."""
        shown = self._area.sight().columns
        shown = shown[shown >= 0]
        if self._found is None or not len(shown) or len(shown) >= self._columns:
            return
        place = self.curve_rect()
        step = place.width() / self._columns
        left, width = place.left() + float(shown[0]) * step, max(3.0, float(shown[-1] + 1 - shown[0]) * step)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(shades.accent), 1.5))
        painter.drawRoundedRect(QRectF(left, 2, width, self.height() - 5), 2, 2)
