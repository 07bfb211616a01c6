"""The logo of a profile above its alignment: letters by their share of the information, and what gaps cost."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPolygonF,
    QTransform,
)
from PySide6.QtWidgets import QWidget

from swgui.gui.kit import theme
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.family.data import Logo
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.stacked.area import MARGIN, Sight, StackArea

LETTERS: Final = 8.5  # height of the letters, in grid units
COSTS: Final = 3.5  # height of the track of gap costs
DEAREST: Final = 8.0  # bits at the top of that track
USUAL: Final = 5.0  # bits where as many gaps open as are expected
MIN_PIXELS: Final = 1.5  # height of a letter that is drawn
READABLE: Final = 2.2  # contrast of a letter with its ground at least
MIN_TOP: Final = 0.5  # bits at the top
NARROW: Final = 0.45  # width of the narrowest letter, the widest being 1


class LogoTrack(QWidget):
    """Draws the columns that a stack below has in sight.

    Parameters
    ----------
    area : StackArea
        Gives places and colours.

    Signals
    -------
    pointed(str)
        What is under the pointer; empty if nothing.
    """

    pointed = Signal(str)

    def __init__(self, area: StackArea, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "profileLogo", accessible="Logo of the profile, and costs of gaps")
        self.setMouseTracking(True)
        theme.keep_size(self, height=LETTERS + COSTS)
        self.setMaximumHeight(theme.grid(LETTERS + COSTS))
        self._area = area
        self._logo: Logo | None = None
        self._waiting = ""
        self._top = MIN_TOP
        area.horizontalScrollBar().valueChanged.connect(lambda _value: self.update())
        area.horizontalScrollBar().rangeChanged.connect(lambda *_range: self.update())

    @property
    def logo(self) -> Logo | None:
        """The profile shown."""
        return self._logo

    def show_logo(self, logo: Logo | None, waiting: str = "") -> None:
        """Show a profile, or nothing but what is waited for."""
        self._logo, self._waiting = logo, waiting
        highest = float(logo.information.max()) if logo is not None else 0.0
        self._top = max(math.ceil(10 * highest) / 10, MIN_TOP)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        if event.type() == QEvent.Type.FontChange:
            self.setMaximumHeight(theme.grid(LETTERS + COSTS))
        super().changeEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what is under the pointer."""
        sight = self._area.sight()
        at = int((event.position().x() - sight.x) // sight.width)
        inside = event.position().x() >= sight.left and 0 <= at < len(sight.columns)
        column = int(sight.columns[at]) if inside else -1
        text = f"Column {column + 1:,}   {self._logo.describe(column)}" if self._logo and column >= 0 else ""
        self.pointed.emit(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint letters and costs of the columns in sight, and the axes beside them."""
        painter = QPainter(self)
        shades = theme.colours(self)
        painter.fillRect(self.rect(), QColor(shades.base))
        if self._logo is None:
            painter.setPen(QColor(shades.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._waiting)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sight = self._area.sight()
        costs = theme.grid(COSTS)
        letters = QRectF(sight.left, 4, self.width() - sight.left, self.height() - costs - 6)
        track = QRectF(sight.left, self.height() - costs + 2, letters.width(), costs - 5)
        self._paint_axes(painter, letters, track, shades)
        painter.setClipRect(QRectF(sight.left, 0, letters.width(), self.height()))
        self._paint_letters(painter, self._logo, sight, letters, shades)
        self._paint_costs(painter, self._logo, sight, track, shades)

    def _paint_axes(self, painter: QPainter, letters: QRectF, track: QRectF, shades: theme.Colours) -> None:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, font.pointSizeF() * 0.85))
        painter.setFont(font)
        height = QFontMetricsF(font).height()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        label = QRectF(MARGIN, 0, letters.left() - MARGIN - 6, height)
        of_letters = (letters.top(), f"{self._top:.1f} bits", shades.muted), (letters.bottom(), "0", shades.muted)
        of_costs = (track.top(), "insertion", shades.series[0]), (track.bottom(), "deletion", shades.series[1])
        for area, entries in ((letters, of_letters), (track, of_costs)):
            for y, text, colour in entries:
                place = QRectF(label)
                place.moveTop(y if y == area.top() else y - height)
                painter.setPen(QColor(colour))
                painter.drawText(place, right, text)
            painter.setPen(QPen(QColor(shades.border), 1))
            painter.drawLine(QPointF(area.left(), area.bottom() + 0.5), QPointF(area.right(), area.bottom() + 0.5))
        painter.setPen(QColor(shades.text))
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        for area, name in ((letters, "Logo"), (track, "Gap costs")):
            place = QRectF(MARGIN, area.top(), label.width(), height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_letters(self, painter: QPainter, logo: Logo, sight: Sight, place: QRectF, shades: theme.Colours) -> None:
        styles, brushes = self._area.styles(), self._brushes(shades)
        shapes = [letter_shape(letter) for letter in logo.letters]
        codes = np.frombuffer(logo.letters.encode("ascii"), dtype=np.uint8)
        unit = place.height() / self._top
        painter.setPen(Qt.PenStyle.NoPen)
        for at, column in enumerate(sight.columns.tolist()):
            if column < 0:
                continue
            order = logo.order[column]
            heights = logo.frequencies[column, order] * logo.information[column] * unit
            left, bottom = sight.x + at * sight.width, place.bottom() - float(heights[heights < MIN_PIXELS].sum())
            for letter, height in zip(order.tolist(), heights.tolist(), strict=True):
                if height < MIN_PIXELS:
                    continue
                bottom -= height
                spot = QTransform(sight.width * 0.94, 0, 0, height, left + sight.width * 0.03, bottom)
                painter.fillPath(spot.map(shapes[letter]), brushes[int(styles[codes[letter], column])])

    def _brushes(self, shades: theme.Colours) -> list[QColor]:
        """Return the colour of letters by style: the fill of the scheme, made to stand out from the ground."""
        made = []
        for at, style in enumerate(styling.cell_styles(self._area.scheme, self.palette())):
            colour = QColor(shades.text) if not at else style.fill
            share = 0.0
            while theme.contrast(colour.name(), shades.base) < READABLE and share < 1:
                share += 0.1
                colour = styling.blend(style.fill, QColor(shades.text), share)
            made.append(colour)
        return made

    def _paint_costs(self, painter: QPainter, logo: Logo, sight: Sight, track: QRectF, shades: theme.Colours) -> None:
        usual = track.bottom() - track.height() * USUAL / DEAREST
        painter.setPen(QPen(QColor(shades.border), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(track.left(), usual), QPointF(track.right(), usual))
        for costs, colour in ((logo.deletion, shades.series[1]), (logo.insertion, shades.series[0])):
            painter.setPen(QPen(QColor(colour), 1.3))
            line = QPolygonF()
            for at, column in enumerate(sight.columns.tolist()):
                if column < 0:  # an insertion is unfolded: the line goes on behind it
                    painter.drawPolyline(line)
                    line = QPolygonF()
                    continue
                y = track.bottom() - track.height() * min(float(costs[column]), DEAREST) / DEAREST
                left = sight.x + at * sight.width
                line.append(QPointF(left, y))
                line.append(QPointF(left + sight.width, y))
            painter.drawPolyline(line)


@lru_cache(maxsize=64)
def letter_shape(letter: str) -> QPainterPath:
    """Return the outline of a letter as high as the square from (0, 0) to (1, 1), and as wide unless it is narrow."""
    font = QFont("sans-serif", 64)
    font.setStyleHint(QFont.StyleHint.SansSerif)
    font.setBold(True)
    path = QPainterPath()
    path.addText(0, 0, font, letter)
    box = path.boundingRect()
    if box.isEmpty():
        path.addRect(0, 0, 1, 1)
        box = path.boundingRect()
    width = max(NARROW, min(1.0, box.width() / QFontMetricsF(font).tightBoundingRect("W").width() * 1.4))
    centred = path.translated(-box.left(), -box.top())
    return QTransform(width / box.width(), 0, 0, 1 / box.height(), (1 - width) / 2, 0).map(centred)
