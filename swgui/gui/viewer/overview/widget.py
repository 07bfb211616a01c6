"""The overview: one bar per hit along the query, in the order of the table. Only bars in sight are drawn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QToolTip, QWidget

from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.kit import theme
from swgui.gui.viewer.overview.layout import (
    CLASS_COLOURS,
    SCORE_CLASSES,
    Bar,
    axis_marks,
    coverage_depth,
    score_class,
)
from swgui.gui.words import formatting

NAME_SHARE = 0.17  # part of the width for names
MARGIN = 10
WORDS = tuple(words for _, words, _ in SCORE_CLASSES)
SHORT_WORDS = (f"< {SCORE_CLASSES[1][0]:.0f}", *(f"≥ {low:.0f}" for low, _, _ in SCORE_CLASSES[1:]))


class Overview(QAbstractScrollArea):
    """Shows where on the query the hits lie.

    Signals
    -------
    row_chosen(int)
        Row of the ranked list that was clicked.
    rows_in_sight(list)
        Rows of the ranked list whose bars can be seen, after scrolling has settled.
    region_chosen(int, int)
        A stretch of the query (from 1, both included) that was dragged on the axis.
    """

    row_chosen = Signal(int)
    rows_in_sight = Signal(list)
    region_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("overview")
        self.setAccessibleName("Hits along the query")
        self.setAccessibleDescription(
            "One bar for each hit in the order of the table. Up and Down move, as in the table, which has the same "
            "numbers as text. Drag on the axis to keep the hits that cover a region."
        )
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setMouseTracking(True)
        self._data: HitData | None = None
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._classes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._depth: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._complete = False  # whether the depth counts every hit shown
        self._current = -1
        self._hovered = -1
        self._region: tuple[int, int] | None = None
        self._covers: tuple[int, int] | None = None
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(60)
        self._settled.timeout.connect(self._tell_rows_in_sight)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._settled.start())
        self._arrived = QTimer(self)
        self._arrived.setSingleShot(True)
        self._arrived.setInterval(120)
        self._arrived.timeout.connect(self._update_depth)

    # -- what is shown -----------------------------------------------------------------------------

    def show_rows(self, data: HitData | None, rows: NDArray[np.int64], covers: tuple[int, int] | None = None) -> None:
        """Show rows of the ranked list, in the order of the table.

        Parameters
        ----------
        covers : (int, int), optional
            The region that the filter in use asks for.
        """
        self._data, self._rows, self._covers = data, rows, covers
        self._hovered = -1
        if data is not None:
            self._classes = score_class(data.hits.bit_scores, data.hits.scores)
        self._update_depth()
        self._fit()
        self._settled.start()

    def refresh(self) -> None:
        """Take over alignments that have arrived."""
        self.viewport().update()
        if not self._arrived.isActive():
            self._arrived.start()

    def set_current(self, row: int) -> None:
        """Mark the current hit and bring it into sight."""
        self._current = row
        place = self._place(row)
        if place >= 0:
            bar, height = self.verticalScrollBar(), self._row_height()
            top = place * height
            room = max(height, self.viewport().height() - self._head())  # it may not have its size yet
            if top < bar.value():
                bar.setValue(int(top))
            elif top + height > bar.value() + room:
                bar.setValue(int(np.ceil((top + height - room) / height) * height))  # no half rows on top
        self.viewport().update()

    def bar(self, place: int) -> Bar:
        """Return the bar at a place."""
        row = int(self._rows[place])
        start, end = self._data.value(row, "qstart"), self._data.value(row, "qend")
        known = start == start
        return Bar(
            place=place,
            row=row,
            start=int(start) if known else 0,
            end=int(end) if known else 0,
            score_class=int(self._classes[row]),
            strand=int(self._data.hits.strands[row]),
        )

    def describe(self, place: int) -> str:
        """Say what the table says of a hit."""
        bar, data = self.bar(place), self._data
        header = data.header(bar.row)
        parts = [f"{bar.row + 1:,}  {header.name}", header.title]
        figures = [f"score {int(data.hits.scores[bar.row]):,}"]
        if data.has_statistics:
            figures.append(f"{formatting.bits(float(data.hits.bit_scores[bar.row]))} bits")
            figures.append(f"E = {formatting.evalue(float(data.hits.log10_evalues[bar.row]))}")
        if bar.start:
            figures.append(f"identity {data.text(bar.row, BY_KEY['pident'])} %")
            figures.append(f"query {bar.start:,} to {bar.end:,}")
            if bar.strand < 0:
                figures.append("minus strand")
        return "\n".join([*(part for part in parts if part), ", ".join(figures)])

    def _place(self, row: int) -> int:
        found = np.flatnonzero(self._rows == row) if row >= 0 else ()
        return int(found[0]) if len(found) else -1

    def _update_depth(self) -> None:
        if self._data is None or not len(self._rows):
            self._depth = np.zeros(0, dtype=np.int64)
            return
        starts, ends = self._data.values("qstart")[self._rows], self._data.values("qend")[self._rows]
        self._depth = coverage_depth(starts, ends, self._data.query_length)
        self._complete = not np.isnan(starts).any()
        self.viewport().update()

    # -- geometry ----------------------------------------------------------------------------------

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.font())

    def _row_height(self) -> float:
        return max(9.0, round(self._metrics().height() * 0.84))

    def _head(self) -> float:
        """Return the height of axis and coverage curve."""
        return round(self._metrics().height() * 2.5)

    def _track(self) -> tuple[float, float]:
        """Return left and right end of the query's axis."""
        width = self.viewport().width()
        return round(MARGIN + width * NAME_SHARE), width - MARGIN - 6.0

    def _x(self, position: float) -> float:
        """Return where a residue begins; `position` counts from 1."""
        left, right = self._track()
        return left + (right - left) * (position - 1) / max(1, self._data.query_length)

    def _residue(self, x: float) -> int:
        left, right = self._track()
        position = int((x - left) / max(1.0, right - left) * self._data.query_length) + 1
        return min(max(position, 1), self._data.query_length)

    def _fit(self) -> None:
        room = self.viewport().height() - self._head()
        total = self._row_height() * len(self._rows) + 4
        self.verticalScrollBar().setRange(0, max(0, int(total - room)))
        self.verticalScrollBar().setPageStep(max(1, int(room)))
        self.verticalScrollBar().setSingleStep(int(self._row_height()))
        self.viewport().update()

    def place_at(self, y: float) -> int:
        """Return the place whose bar is at a height of the viewport, -1 if there is none."""
        if y < self._head():
            return -1
        place = int((y - self._head() + self.verticalScrollBar().value()) // self._row_height())
        return place if 0 <= place < len(self._rows) else -1

    def _places_in_sight(self) -> range:
        height = self._row_height()
        first = int(self.verticalScrollBar().value() // height)
        last = int((self.verticalScrollBar().value() + self.viewport().height() - self._head()) // height) + 1
        return range(min(first, len(self._rows)), min(last, len(self._rows)))

    def _tell_rows_in_sight(self) -> None:
        if self._data is not None and self.isVisible():
            self.rows_in_sight.emit([int(self._rows[place]) for place in self._places_in_sight()])

    def sizeHint(self) -> QSize:
        """Ask for the axis and about a dozen bars."""
        return QSize(640, int(self._head() + 12 * self._row_height()))

    def minimumSizeHint(self) -> QSize:
        """Need the axis and a few bars."""
        return QSize(200, int(self._head() + 2 * self._row_height()))

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, event) -> None:
        """Paint the axis, the coverage curve and the bars in sight."""
        painter = QPainter(self.viewport())
        shades = theme.colours(self)
        painter.fillRect(self.viewport().rect(), QColor(shades.base))
        if self._data is None or not self._data.query_length:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.setClipRect(QRectF(0, self._head(), self.viewport().width(), self.viewport().height()))
        colours = CLASS_COLOURS[shades.dark]
        for place in self._places_in_sight():
            self._paint_bar(painter, self.bar(place), colours, shades)
        painter.restore()
        self._paint_head(painter, shades)
        if self.hasFocus():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(shades.focus), 2))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))

    def _paint_bar(self, painter: QPainter, bar: Bar, colours: tuple[str, ...], shades: theme.Colours) -> None:
        height = self._row_height()
        top = self._head() + bar.place * height - self.verticalScrollBar().value()
        middle = top + height / 2
        current, hovered = bar.row == self._current, bar.row == self._hovered
        if current or hovered:
            ground = QColor(shades.accent_soft if current else shades.hover)
            painter.fillRect(QRectF(0, top, self.viewport().width(), height), ground)
        left, right = self._track()
        name_font = QFont(self.font())
        name_font.setPointSizeF(max(5.0, self.font().pointSizeF() * 0.78))
        if current:
            name_font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(name_font)
        painter.setPen(QColor(shades.text if current else shades.muted))
        place = QRectF(MARGIN, top, left - 2 * MARGIN, height)
        name = QFontMetricsF(name_font).elidedText(
            self._data.header(bar.row).name, Qt.TextElideMode.ElideMiddle, place.width()
        )
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)
        if not bar.start:
            painter.setPen(QPen(QColor(shades.border), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
            return
        thickness = (height - 2) * SCORE_CLASSES[bar.score_class][2] / 6
        begin, end = self._x(bar.start), max(self._x(bar.end + 1), self._x(bar.start) + 2)
        colour = QColor(colours[bar.score_class])
        painter.fillRect(QRectF(begin, middle - thickness / 2, end - begin, thickness), colour)
        if self._data.result.strand != "plus":
            self._paint_chevron(painter, bar, begin, end, middle, height, colour)

    @staticmethod
    def _paint_chevron(
        painter: QPainter, bar: Bar, begin: float, end: float, middle: float, height: float, colour: QColor
    ) -> None:
        """Draw an arrow head at the end to which the subject runs."""
        tip, reach = (end, 4.0) if bar.strand > 0 else (begin, -4.0)
        half = (height - 2) / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygonF([QPointF(tip, middle - half), QPointF(tip + reach, middle), QPointF(tip, middle + half)])
        )

    def _paint_head(self, painter: QPainter, shades: theme.Colours) -> None:
        left, right = self._track()
        head, line = self._head(), self._metrics().height()
        if len(self._depth) and self._depth.max() > 0:
            self._paint_depth(painter, shades, left, right, line)
        axis_y = head - 5
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        region = self._region or self._covers
        if region:
            x = self._x(min(region))
            veil = QColor(shades.accent)
            veil.setAlpha(60)
            painter.fillRect(QRectF(x, 0, self._x(max(region) + 1) - x, self.viewport().height()), veil)
        painter.fillRect(QRectF(left, axis_y, right - left, 3), QColor(shades.text))
        small = QFont(self.font())
        small.setPointSizeF(max(5.0, self.font().pointSizeF() * 0.82))
        painter.setFont(small)
        painter.setPen(QColor(shades.muted))
        widest = QFontMetricsF(small).horizontalAdvance(f"{self._data.query_length:,}") + 18
        for number in axis_marks(self._data.query_length, (right - left) / widest):
            x = (self._x(number) + self._x(number + 1)) / 2
            painter.drawLine(QPointF(x, axis_y - 3), QPointF(x, axis_y))
            place = QRectF(x - 60, axis_y - 4 - line, 120, line)
            half = QFontMetricsF(small).horizontalAdvance(f"{number:,}") / 2
            place.translate(min(0.0, self.viewport().width() - 1 - x - half), 0)  # the last one whole
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, f"{number:,}")
        painter.setPen(QColor(shades.text))
        place = QRectF(MARGIN, axis_y - line * 0.6, left - 2 * MARGIN, line)
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, "Query")

    def _paint_depth(self, painter: QPainter, shades: theme.Colours, left: float, right: float, line: float) -> None:
        """Draw how many hits cover each residue, as a curve above the axis."""
        width = max(2, int(right - left))
        columns = np.minimum((np.arange(width) * len(self._depth) / width).astype(np.int64), len(self._depth) - 1)
        highest = int(self._depth.max())
        top, room = 3.0, line * 0.9
        heights = room * self._depth[columns] / highest
        points = [QPointF(left + x, top + room - y) for x, y in enumerate(heights.tolist())]
        outline = QPolygonF([QPointF(left, top + room), *points, QPointF(right, top + room)])
        fill = QColor(shades.accent)
        fill.setAlpha(45)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(outline)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        small = QFont(self.font())
        small.setPointSizeF(max(5.0, self.font().pointSizeF() * 0.78))
        painter.setFont(small)
        painter.setPen(QColor(shades.muted))
        place = QRectF(MARGIN, top - 1, left - 2 * MARGIN, line)
        so_far = "" if self._complete else " so far"
        texts = (f"depth{so_far}, up to {highest:,}", f"depth ≤ {highest:,}", f"≤ {highest:,}")
        metrics = QFontMetricsF(small)
        text = next((text for text in texts if metrics.horizontalAdvance(text) <= place.width()), texts[-1])
        painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    # -- Qt's events -------------------------------------------------------------------------------

    def mouseMoveEvent(self, event) -> None:
        """Show the numbers of the hit under the pointer, or drag a region."""
        if self._data is None or not self._data.query_length:
            return
        if self._region is not None:
            self._region = (self._region[0], self._residue(event.position().x()))
            first, last = sorted(self._region)
            QToolTip.showText(event.globalPosition().toPoint(), f"Hits that cover {first:,} to {last:,}", self)
            self.viewport().update()
            return
        place = self.place_at(event.position().y())
        hovered = int(self._rows[place]) if place >= 0 else -1
        on_axis = event.position().y() < self._head() and event.position().x() >= self._track()[0]
        shape = Qt.CursorShape.SizeHorCursor if on_axis else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape if on_axis or place >= 0 else Qt.CursorShape.ArrowCursor)
        if hovered != self._hovered:
            self._hovered = hovered
            self.viewport().update()
        text = self.describe(place) if place >= 0 else ""
        if on_axis:
            text = "Drag to show only hits that cover a region of the query"
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mousePressEvent(self, event) -> None:
        """Choose a hit, or begin a region on the axis."""
        if self._data is None or event.button() != Qt.MouseButton.LeftButton:
            return
        place = self.place_at(event.position().y())
        if place >= 0:
            self.row_chosen.emit(int(self._rows[place]))
        elif event.position().y() < self._head() and event.position().x() >= self._track()[0]:
            at = self._residue(event.position().x())
            self._region = (at, at)

    def mouseReleaseEvent(self, event) -> None:
        """End a region."""
        if self._region is not None:
            first, last = sorted(self._region)
            self._region = None
            self.viewport().update()
            if last > first:
                self.region_chosen.emit(first, last)

    def leaveEvent(self, event) -> None:
        """Forget the hit under the pointer."""
        self._hovered = -1
        self.viewport().update()
        super().leaveEvent(event)

    def keyPressEvent(self, event) -> None:
        """Move the current hit."""
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not len(self._rows):
            super().keyPressEvent(event)
            return
        place = min(max(self._place(self._current) + step, 0), len(self._rows) - 1)
        self.row_chosen.emit(int(self._rows[place]))

    def focusInEvent(self, event) -> None:
        """Show the focus frame."""
        self.viewport().update()
        super().focusInEvent(event)

    def focusOutEvent(self, event) -> None:
        """Take the focus frame away."""
        self.viewport().update()
        super().focusOutEvent(event)

    def resizeEvent(self, event) -> None:
        """Fit the scroll range."""
        self._fit()
        self._settled.start()
        super().resizeEvent(event)

    def showEvent(self, event) -> None:
        """Ask for the alignments that are needed now."""
        self._settled.start()
        super().showEvent(event)

    def changeEvent(self, event) -> None:
        """Take over new colours or another font."""
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._fit()
        super().changeEvent(event)


class ScoreLegend(QWidget):
    """The five score classes, as bars of their colour and height."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scoreLegend")
        self._unit = "bits"
        self.setAccessibleName("Legend: bars are coloured by bit score, stronger hits are darker and thicker")

    def set_unit(self, has_statistics: bool) -> None:
        """Say bits, or score where no bits are known."""
        self._unit = "bits" if has_statistics else "score"
        self.update()

    def sizeHint(self) -> QSize:
        """Ask for room for all classes."""
        metrics = QFontMetricsF(self.font())
        return QSize(int(self._width(metrics, WORDS)), int(metrics.height() + 2))

    def minimumSizeHint(self) -> QSize:
        """Do with the lower ends of the classes."""
        metrics = QFontMetricsF(self.font())
        return QSize(int(self._width(metrics, SHORT_WORDS)), int(metrics.height() + 2))

    @staticmethod
    def _width(metrics: QFontMetricsF, names: tuple[str, ...]) -> float:
        return metrics.horizontalAdvance("score") + 10 + sum(metrics.horizontalAdvance(words) + 34 for words in names)

    def paintEvent(self, event) -> None:
        """Paint the classes."""
        painter = QPainter(self)
        shades = theme.colours(self)
        metrics = QFontMetricsF(self.font())
        painter.setPen(QColor(shades.muted))
        align = Qt.AlignmentFlag.AlignVCenter
        x = 0.0
        painter.drawText(QRectF(x, 0, 80, self.height()), align, self._unit)
        x += metrics.horizontalAdvance(self._unit) + 10
        names = WORDS if self._width(metrics, WORDS) <= self.width() + 1 else SHORT_WORDS
        for (_, _, sixths), words, colour in zip(SCORE_CLASSES, names, CLASS_COLOURS[shades.dark], strict=True):
            thickness = round(metrics.height() * 0.65 * sixths / 6)
            painter.fillRect(QRectF(round(x), (self.height() - thickness) // 2, 16, thickness), QColor(colour))
            painter.drawText(QRectF(x + 21, 0, 200, self.height()), align, words)
            x += metrics.horizontalAdvance(words) + 34

    def changeEvent(self, event) -> None:
        """Take over new colours."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.update()
