"""The overview as it is seen: one bar per hit along the query, in the order of the table, those in sight only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.kit import theme
from swgui.gui.kit.delay import delayed
from swgui.gui.viewer.overview.layout import (
    CLASS_COLOURS,
    SCORE_CLASSES,
    Bar,
    axis_marks,
    coverage_depth,
    score_class,
)
from swgui.gui.viewer.scrolled import ScrolledView
from swgui.gui.words import formatting

NAME_SHARE = 0.17  # part of the width for names
MARGIN = 10
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class OverviewArea(ScrolledView):
    """Shows where on the query the hits lie.

    Signals
    -------
    rows_in_sight(list)
        Rows of the ranked list whose bars can be seen, after scrolling has settled.
    """

    rows_in_sight = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("overview")
        self.setAccessibleName("Hits along the query")
        self.setAccessibleDescription(
            "One bar for each hit in the order of the table. Up and Down move, as in the table, which has the same "
            "numbers as text. Drag on the axis to keep the hits that cover a region."
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._data: HitData | None = None
        self._rows: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._classes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._depth: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._complete = False  # whether the depth counts every hit shown
        self._current = -1
        self._hovered = -1
        self._region: tuple[int, int] | None = None
        self._covers: tuple[int, int] | None = None
        self._settled = delayed(self, 60, self._tell_rows_in_sight)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._settled.start())
        self._arrived = delayed(self, 120, self._update_depth)

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

    def bar(self, data: HitData, place: int) -> Bar:
        """Return the bar at a place."""
        row = int(self._rows[place])
        start, end = data.value(row, "qstart"), data.value(row, "qend")
        known = start == start  # not NaN
        return Bar(
            place=place,
            row=row,
            start=int(start) if known else 0,
            end=int(end) if known else 0,
            score_class=int(self._classes[row]),
            strand=int(data.hits.strands[row]),
        )

    def describe(self, place: int) -> str:
        """Say what the table says of the hit at a place; empty while nothing is shown."""
        data = self._data
        if data is None:
            return ""
        bar = self.bar(data, place)
        header = data.header(bar.row)
        parts = [f"{bar.row + 1:,}  {header.name}", header.title]
        figures = [f"score {int(data.hits.scores[bar.row]):,}"]
        if data.has_statistics:
            figures.append(f"{formatting.tenths(float(data.hits.bit_scores[bar.row]))} bits")
            figures.append(f"E = {formatting.evalue(float(data.hits.log10_evalues[bar.row]))}")
        if bar.start:
            figures.append(f"identity {data.text(bar.row, BY_KEY['pident'])} %")
            figures.append(f"query {bar.start:,} to {bar.end:,}")
            if bar.strand < 0:
                figures.append("minus strand")
        return "\n".join([*(part for part in parts if part), ", ".join(figures)])

    def _place(self, row: int) -> int:
        found = np.flatnonzero(self._rows == row)
        return int(found[0]) if row >= 0 and len(found) else -1

    def _update_depth(self) -> None:
        if self._data is None or not len(self._rows):
            self._depth = np.zeros(0, dtype=np.int64)
            return
        starts, ends = (self._data.values(key)[self._rows].astype(np.float64) for key in ("qstart", "qend"))
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

    @property
    def _length(self) -> int:
        """Residues of the query; 0 while nothing is shown."""
        return self._data.query_length if self._data is not None else 0

    def _x(self, position: float) -> float:
        """Return where a residue begins; `position` counts from 1."""
        left, right = self._track()
        return left + (right - left) * (position - 1) / max(1, self._length)

    def _residue(self, x: float) -> int:
        left, right = self._track()
        position = int((x - left) / max(1.0, right - left) * self._length) + 1
        return min(max(position, 1), self._length)

    def _fit(self) -> None:
        room, total = self.viewport().height() - self._head(), self._row_height() * len(self._rows) + 4
        self.set_range(self.verticalScrollBar(), total, room, self._row_height())

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

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the axis, the coverage curve and the bars in sight."""
        painter = QPainter(self.viewport())
        shades, data = theme.colours(self), self._data
        painter.fillRect(self.viewport().rect(), QColor(shades.base))
        if data is None or not data.query_length:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.setClipRect(QRectF(0, self._head(), self.viewport().width(), self.viewport().height()))
        colours = CLASS_COLOURS[shades.dark]
        for place in self._places_in_sight():
            self._paint_bar(painter, data, self.bar(data, place), colours, shades)
        painter.restore()
        self._paint_head(painter, shades)
        self.paint_focus(painter)

    def _paint_bar(
        self, painter: QPainter, data: HitData, bar: Bar, colours: tuple[str, ...], shades: theme.Colours
    ) -> None:
        height = self._row_height()
        top = self._head() + bar.place * height - self.verticalScrollBar().value()
        middle = top + height / 2
        current, hovered = bar.row == self._current, bar.row == self._hovered
        if current or hovered:
            ground = QColor(shades.accent_soft if current else shades.hover)
            painter.fillRect(QRectF(0, top, self.viewport().width(), height), ground)
        left, right = self._track()
        name_font = self._small_font(0.78, bold=current)
        painter.setFont(name_font)
        painter.setPen(QColor(shades.text if current else shades.muted))
        place = QRectF(MARGIN, top, left - 2 * MARGIN, height)
        name = QFontMetricsF(name_font).elidedText(
            data.header(bar.row).name, Qt.TextElideMode.ElideMiddle, place.width()
        )
        painter.drawText(place, RIGHT, name)
        if not bar.start:
            painter.setPen(QPen(QColor(shades.border), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(left, middle), QPointF(right, middle))
            return
        thickness = (height - 2) * SCORE_CLASSES[bar.score_class][2] / 6
        begin, end = self._x(bar.start), max(self._x(bar.end + 1), self._x(bar.start) + 2)
        colour = QColor(colours[bar.score_class])
        painter.fillRect(QRectF(begin, middle - thickness / 2, end - begin, thickness), colour)
        if data.result.strand != "plus":
            self._paint_chevron(painter, bar, begin, end, middle, height, colour)

    def _small_font(self, share: float, *, bold: bool = False) -> QFont:
        """Return the font of the widget, smaller."""
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, self.font().pointSizeF() * share))
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

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
        self._paint_marks(painter, shades, axis_y, line)
        painter.setPen(QColor(shades.text))
        painter.drawText(QRectF(MARGIN, axis_y - line * 0.6, left - 2 * MARGIN, line), RIGHT, "Query")

    def _paint_marks(self, painter: QPainter, shades: theme.Colours, axis_y: float, line: float) -> None:
        """Write residue numbers above the axis."""
        left, right = self._track()
        small = self._small_font(0.82)
        metrics = QFontMetricsF(small)
        painter.setFont(small)
        painter.setPen(QColor(shades.muted))
        widest = metrics.horizontalAdvance(f"{self._length:,}") + 18
        for number in axis_marks(self._length, (right - left) / widest):
            x = (self._x(number) + self._x(number + 1)) / 2
            painter.drawLine(QPointF(x, axis_y - 3), QPointF(x, axis_y))
            place = QRectF(x - 60, axis_y - 4 - line, 120, line)
            half = metrics.horizontalAdvance(f"{number:,}") / 2
            place.translate(min(0.0, self.viewport().width() - 1 - x - half), 0)  # the last one whole
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, f"{number:,}")

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
        small = self._small_font(0.78)
        painter.setFont(small)
        painter.setPen(QColor(shades.muted))
        place = QRectF(MARGIN, top - 1, left - 2 * MARGIN, line)
        so_far = "" if self._complete else " so far"
        texts = (f"depth{so_far}, up to {highest:,}", f"depth ≤ {highest:,}", f"≤ {highest:,}")
        metrics = QFontMetricsF(small)
        text = next((text for text in texts if metrics.horizontalAdvance(text) <= place.width()), texts[-1])
        painter.drawText(place, RIGHT, text)

    # -- Qt's events -------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the scroll range."""
        self._fit()
        self._settled.start()
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Ask for the alignments that are needed now."""
        self._settled.start()
        super().showEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Take over new colours or another font."""
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._fit()
        super().changeEvent(event)
