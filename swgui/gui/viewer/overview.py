"""The overview: places of the hits on the query, and choices there by mouse and keyboard."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core.entries.projection import Carried, along_query
from swgui.core.hits.along_query import CLASS_COLOURS, SCORE_CLASSES, axis_marks, lanes_of, score_class
from swgui.core.hits.table import Hit
from swgui.core.translation.frames import directions
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.hits.places import SUBJECT, Places, part_text
from swgui.gui.kit import theme
from swgui.gui.kit.plots import features
from swgui.gui.kit.plots.features import PlacedFeature, colour_of
from swgui.gui.kit.theme import Colours
from swgui.gui.kit.widgets import delayed
from swgui.gui.viewer.painted import Painted, ScrolledView
from swgui.gui.words import formatting

WORDS = tuple(words for _, words, _ in SCORE_CLASSES)
SHORT_WORDS = (f"< {SCORE_CLASSES[1][0]:.0f}", *(f"≥ {low:.0f}" for low, _, _ in SCORE_CLASSES[1:]))
LANES = 2  # of the query
STRIPE = 3.0  # pixels of drawings on a bar
NAME_SHARE = 0.17  # part of the width for names
MARGIN = 10
NAME = BY_KEY["sseqid"]
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class ScoreLegend(Painted, QWidget):
    """The five score classes, as bars of their colour and height."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scoreLegend")
        self._unit = "bits"
        self.setAccessibleName("Legend: bars are coloured by bit score, stronger hits are darker and thicker")

    def set_unit(self, has_statistics: bool) -> None:
        self._unit = "bits" if has_statistics else "score"
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        return QSize(int(self._width(metrics, WORDS)), int(metrics.height() + 2))

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        return QSize(int(self._width(metrics, SHORT_WORDS)), int(metrics.height() + 2))

    @staticmethod
    def _width(metrics: QFontMetricsF, names: tuple[str, ...]) -> float:
        return metrics.horizontalAdvance("score") + 10 + sum(metrics.horizontalAdvance(words) + 34 for words in names)

    def paintEvent(self, event: QPaintEvent) -> None:
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


class OverviewFeatures:
    """Known features of one query and its hits."""

    def __init__(self, data: HitData | None = None) -> None:
        self._data = data
        self.placed: list[PlacedFeature] = features.place(data.query.features, LANES) if data is not None else []
        self._of_parts: dict[tuple[int, int], list[Carried]] = {}
        self._subjects = data is not None and data.result.database.feature_texts is not None

    @property
    def lanes(self) -> int:
        """Lanes that the query's features take; sites alone need one, too."""
        return max(features.lanes_of(self.placed), 1) if self.placed else 0

    def of_part(self, row: int, part: int) -> list[Carried]:
        """Return the features of a subject on the query, as one of its alignments lays them there."""
        if not self._subjects or self._data is None:
            return []
        if (row, part) not in self._of_parts:
            hit = self._data.hit(row)
            if hit is None:
                return []
            rows = list(hit.rows())
            self._of_parts[row, part] = along_query(rows[part]) if part < len(rows) else []
        return self._of_parts[row, part]

    def paint_on_bar(
        self, painter: QPainter, row: int, part: int, x: Callable[[float], float], bar: QRectF, shades: Colours
    ) -> None:
        """Paint a stripe below the middle of a bar, in the colours of the kinds, set off from the bar by a line."""
        carried = self.of_part(row, part)
        for site in (False, True):  # sites above the others
            for item in carried:
                if (item.feature.group == "site") is not site:
                    continue
                for start, end in item.drawn.spans:
                    left, right = x(start + 1), max(x(end + 1), x(start + 1) + 2)
                    stripe = QRectF(left, bar.bottom() - STRIPE, right - left, STRIPE)
                    painter.fillRect(stripe.adjusted(-0.5, -1, 0.5, 1), QColor(shades.base))
                    painter.fillRect(stripe, colour_of(item.feature, shades))

    def told(self, row: int, part: int, residue: float, reach: float) -> str:
        """Return the subject features at a residue of the query (from 1), a line each; empty if there are none."""
        features = [
            item.feature
            for number in ([part] if part >= 0 else range(len(self._known_parts(row))))
            for item in self.of_part(row, number)
            if any(start <= residue - 1 + reach and residue - 1 - reach < end for start, end in item.drawn.spans)
        ]
        lines = [f.describe() for f in sorted(set(features), key=lambda f: f.end - f.start)]
        return "\n".join(f"Subject: {line}" for line in lines[:6])

    def _known_parts(self, row: int) -> list[int]:
        return [part for row_of, part in self._of_parts if row_of == row]


@dataclass(frozen=True, slots=True)
class Bar:
    """One alignment in the overview."""

    place: int  # in the order of the table, from 0
    row: int  # in the ranked list, from 0
    part: int  # number of the alignment within its subject, from 0
    start: int  # and end: residues of the query from 1, both included
    end: int
    score_class: int  # place in `SCORE_CLASSES`
    strand: int  # 1 or -1, or of translated searches the reading
    # lane, lanes: which part of the height is its own, so that alignments over the same residues stand below each
    # other.
    lane: int = 0
    lanes: int = 1


def bars_of(alignments: Sequence[tuple[Hit, tuple[int, int]]], place: int, row: int, part: int) -> list[Bar]:
    """Return the bars of a place.

    Parameters
    ----------
    alignments : sequence of (Hit, (int, int))
        All alignments of the subject, with first and last residue of the query in each, from 1.
    part : int
        The only alignment to draw, -1 for all.
    """
    shown = range(len(alignments)) if part < 0 else range(part, min(part + 1, len(alignments)))
    chosen = [alignments[index] for index in shown]
    classes = score_class(
        np.array([hit.bit_score for hit, _ in chosen], dtype=np.float64),
        np.array([hit.score for hit, _ in chosen], np.int32),
    )
    lanes = lanes_of([ends for _, ends in chosen])
    count = max(lanes, default=0) + 1
    return [
        Bar(place, row, index, *ends, int(of_score), hit.strand, lane, count)
        for index, (hit, ends), of_score, lane in zip(shown, chosen, classes, lanes, strict=True)
    ]


def coverage_depth(starts: NDArray[np.float64], ends: NDArray[np.float64], length: int) -> NDArray[np.int64]:
    """Return how many hits cover each residue of the query.

    Parameters
    ----------
    starts, ends : ndarray, shape=(k,)
        From 1, both included; NaN where not known.

    Returns
    -------
    ndarray, shape=(length,), dtype=int64
    """
    placed = ~np.isnan(starts)
    steps = np.zeros(length + 1, dtype=np.int64)
    np.add.at(steps, starts[placed].astype(np.int64) - 1, 1)
    np.add.at(steps, ends[placed].astype(np.int64), -1)
    return np.cumsum(steps)[:length]


class Overview(ScrolledView):
    """Shows the places of hits on the query; the user chooses hits and regions of the query from it."""

    rows_in_sight = Signal(list)  # rows of the ranked list whose bars can be seen, after scrolling has settled
    row_chosen = Signal(int, int)  # row of the ranked list that was clicked, and which of its alignments, -1 for all
    region_chosen = Signal(int, int)  # a stretch of the query (from 1, both included) that was dragged on the axis

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("overview")
        self.setAccessibleName("Hits along the query")
        self.setAccessibleDescription(
            "A row for each hit in the order of the table, a bar for each of its alignments. Up and Down move, as in "
            "the table, which has the same numbers as text. Drag on the axis to keep the hits that cover a region."
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._data: HitData | None = None
        self.features = OverviewFeatures()
        self._places = Places.of(np.zeros(0, dtype=np.int64), {})
        self.coverage: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._complete = False  # whether the depth counts every hit shown
        self._current = (-1, SUBJECT)  # row and part
        self._hovered = -1  # place
        self._region: tuple[int, int] | None = None
        self._covers: tuple[int, int] | None = None
        self._settled = delayed(self, 60, self._tell_rows_in_sight)
        self.verticalScrollBar().valueChanged.connect(lambda _value: self._settled.start())
        self._arrived = delayed(self, 120, self._update_depth)

    # -- display -----------------------------------------------------------------------------------

    def show_places(self, data: HitData | None, places: Places, covers: tuple[int, int] | None = None) -> None:
        """Show rows of the ranked list, in the order of the table and unfolded as there."""
        if data is not self._data:
            self.features = OverviewFeatures(data)
        self._data, self._covers = data, covers
        self.set_places(places)
        self._update_depth()

    def set_places(self, places: Places) -> None:
        """Show the same hits, folded or unfolded otherwise."""
        self._places, self._hovered = places, -1
        self._fit()
        self._settled.start()
        self.viewport().update()

    def refresh(self) -> None:
        self.viewport().update()
        if not self._arrived.isActive():
            self._arrived.start()

    def set_current(self, row: int, part: int = SUBJECT) -> None:
        """Mark the current hit, or one of its alignments, and bring it into sight."""
        self._current = row, part
        place = self._places.place_of(row, part)
        if place >= 0:
            bar, height = self.verticalScrollBar(), self.row_height()
            top = place * height
            room = max(height, self.viewport().height() - self.head_height())  # it may not have its size yet
            if top < bar.value():
                bar.setValue(int(top))
            elif top + height > bar.value() + room:
                bar.setValue(int(np.ceil((top + height - room) / height) * height))  # no half rows on top
        self.viewport().update()

    def bars(self, data: HitData, place: int) -> list[Bar]:
        """Return the bars at a place; none while the alignments are not known."""
        row, part = self._places.at(place)
        return bars_of(data.along_query(row), place, row, part)

    def describe(self, place: int) -> str:
        """Return the table's text on the hit at a place; empty while nothing is shown."""
        data = self._data
        if data is None:
            return ""
        row, part = self._places.at(place)
        header = data.header(row)
        lines = [f"{row + 1:,}  {header.name}", header.title]
        if data.how_many(row)[0] > 1:
            lines.append(data.said_alignments(row) if part < 0 else f"alignment {part_text(data, row, part, NAME)}")
        figures = [f"score {self._figure(data, row, part, 'score')}"]
        if data.has_statistics:
            figures.append(f"{self._figure(data, row, part, 'bitscore')} bits")
            figures.append(f"E = {self._figure(data, row, part, 'evalue')}".replace("= <", "<"))
        if bars := self.bars(data, place):
            figures.append(f"identity {self._figure(data, row, part, 'pident')} %")
            figures.append(f"query {bars[0].start:,} to {bars[0].end:,}")
            if read := formatting.strand(bars[0].strand):
                figures.append(read)
        return "\n".join([*(line for line in lines if line), ", ".join(figures)])

    @staticmethod
    def _figure(data: HitData, row: int, part: int, key: str) -> str:
        view = BY_KEY[key]
        return part_text(data, row, part, view) if part >= 0 else data.text(row, view)

    def _update_depth(self) -> None:
        if self._data is None or not len(self._places):
            self.coverage = np.zeros(0, dtype=np.int64)
            return
        starts, ends = self._data.spans(self._places.subjects)
        self.coverage = coverage_depth(starts, ends, self._data.query_length)
        self._complete = not np.isnan(starts).any()
        self.viewport().update()

    # -- geometry ----------------------------------------------------------------------------------

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.font())

    def row_height(self) -> float:
        return max(9.0, round(self._metrics().height() * 0.84))

    def head_height(self) -> float:
        return self.axis_height() + 5 + round(self.features.lanes * self.lane_height())

    def axis_height(self) -> float:
        return round(self._metrics().height() * 2.5) - 5

    def lane_height(self) -> float:
        return QFontMetricsF(self._small_font(0.78)).height() + 3

    def track(self) -> tuple[float, float]:
        width = self.viewport().width()
        return round(MARGIN + width * NAME_SHARE), width - MARGIN - 6.0

    @property
    def _length(self) -> int:
        """Residues of the query; 0 while nothing is shown."""
        return self._data.query_length if self._data is not None else 0

    def x_of(self, position: float) -> float:
        """Return where a residue begins; `position` counts from 1."""
        left, right = self.track()
        return left + (right - left) * (position - 1) / max(1, self._length)

    def _residue(self, x: float) -> int:
        left, right = self.track()
        position = int((x - left) / max(1.0, right - left) * self._length) + 1
        return min(max(position, 1), self._length)

    def _fit(self) -> None:
        room, total = self.viewport().height() - self.head_height(), self.row_height() * len(self._places) + 4
        self.set_range(self.verticalScrollBar(), total, room, self.row_height())

    def place_at(self, y: float) -> int:
        """Return the place whose bar is at a height of the viewport, -1 if there is none."""
        if y < self.head_height():
            return -1
        place = int((y - self.head_height() + self.verticalScrollBar().value()) // self.row_height())
        return place if 0 <= place < len(self._places) else -1

    def _places_in_sight(self) -> range:
        height = self.row_height()
        first = int(self.verticalScrollBar().value() // height)
        last = int((self.verticalScrollBar().value() + self.viewport().height() - self.head_height()) // height) + 1
        return range(min(first, len(self._places)), min(last, len(self._places)))

    def _tell_rows_in_sight(self) -> None:
        if self._data is not None and self.isVisible():
            seen = self._places_in_sight()
            self.rows_in_sight.emit(self._places.between(seen.start, seen.stop - 1).tolist())

    def sizeHint(self) -> QSize:
        return QSize(640, int(self.head_height() + 12 * self.row_height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, int(self.head_height() + 2 * self.row_height()))

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        shades, data = theme.colours(self), self._data
        painter.fillRect(self.viewport().rect(), QColor(shades.base))
        if data is None or not data.query_length:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.save()
        painter.setClipRect(QRectF(0, self.head_height(), self.viewport().width(), self.viewport().height()))
        colours = CLASS_COLOURS[shades.dark]
        current = self._places.place_of(*self._current)
        for place in self._places_in_sight():
            self._paint_row(painter, data, place, shades, current=place == current)
            for bar in self.bars(data, place):
                self._paint_bar(painter, data, bar, colours[bar.score_class], shades)
        painter.restore()
        self._paint_head(painter, shades)
        self.paint_focus(painter)

    def _paint_row(self, painter: QPainter, data: HitData, place: int, shades: theme.Colours, *, current: bool) -> None:
        height, top = self.row_height(), self.top_of(place)
        row, part = self._places.at(place)
        if current or place == self._hovered:
            ground = QColor(shades.accent_soft if current else shades.hover)
            painter.fillRect(QRectF(0, top, self.viewport().width(), height), ground)
        left, right = self.track()
        font = self._small_font(0.78, bold=current)
        painter.setFont(font)
        painter.setPen(QColor(shades.text if current else shades.muted))
        room = QRectF(MARGIN, top, left - 2 * MARGIN, height)
        number = data.how_many(row)[0]
        count = f"  ×{number:,}" if number > 1 and part < 0 else ""
        name = part_text(data, row, part, NAME) if part >= 0 else data.header(row).name
        metrics = QFontMetricsF(font)
        width = room.width() - metrics.horizontalAdvance(count)
        painter.drawText(room, RIGHT, metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, width) + count)
        if not number:
            painter.setPen(QPen(QColor(shades.border), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(left, top + height / 2), QPointF(right, top + height / 2))

    def top_of(self, place: int) -> float:
        return self.head_height() + place * self.row_height() - self.verticalScrollBar().value()

    def _paint_bar(self, painter: QPainter, data: HitData, bar: Bar, shade: str, shades: theme.Colours) -> None:
        height = (self.row_height() - 2) / bar.lanes
        middle = self.top_of(bar.place) + 1 + (bar.lane + 0.5) * height
        thickness = max(1.0, (height - (bar.lanes > 1)) * SCORE_CLASSES[bar.score_class][2] / 6)
        begin, end = self.x_of(bar.start), max(self.x_of(bar.end + 1), self.x_of(bar.start) + 2)
        colour, outline = QColor(shade), QRectF(begin, middle - thickness / 2, end - begin, thickness)
        painter.fillRect(outline, colour)
        self.features.paint_on_bar(painter, bar.row, bar.part, self.x_of, outline, shades)
        if (bar.row, bar.part) == self._current and bar.lanes > 1:
            painter.setPen(QPen(QColor(shades.warning), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(outline)
        if data.result.search.strand != "plus" or data.result.translation is not None:
            self._paint_chevron(painter, bar, begin, end, middle, height + 2, colour)

    def _small_font(self, share: float, *, bold: bool = False) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, self.font().pointSizeF() * share))
        if bold:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    @staticmethod
    def _paint_chevron(
        painter: QPainter, bar: Bar, begin: float, end: float, middle: float, height: float, colour: QColor
    ) -> None:
        tip, reach = (end, 4.0) if directions(bar.strand) > 0 else (begin, -4.0)
        half = (height - 2) / 2
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawPolygon(
            QPolygonF([QPointF(tip, middle - half), QPointF(tip + reach, middle), QPointF(tip, middle + half)])
        )

    def _paint_head(self, painter: QPainter, shades: theme.Colours) -> None:
        left, right = self.track()
        axis_y, line = self.axis_height(), self._metrics().height()
        if len(self.coverage) and self.coverage.max() > 0:
            self._paint_depth(painter, shades, left, right, line)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        region = self._region or self._covers
        if region:
            x = self.x_of(min(region))
            veil = QColor(shades.accent)
            veil.setAlpha(60)
            painter.fillRect(QRectF(x, 0, self.x_of(max(region) + 1) - x, self.viewport().height()), veil)
        part = self._data.result.search.query_range if self._data is not None else None
        painter.fillRect(QRectF(left, axis_y, right - left, 3), QColor(shades.border if part else shades.text))
        if part is not None:  # the only query
            begin, end = self.x_of(part.first), self.x_of(part.last + 1)
            painter.fillRect(QRectF(begin, axis_y, max(end - begin, 2), 3), QColor(shades.text))
        self._paint_marks(painter, shades, axis_y, line)
        if self.features.placed:
            track = QRectF(left, axis_y + 5, right - left, self.features.lanes * self.lane_height())
            font = self._small_font(0.78)
            features.paint(painter, self.features.placed, lambda residue: self.x_of(residue + 1), track, shades, font)
        painter.setPen(QColor(shades.text))
        painter.setFont(self._small_font(0.78))
        painter.drawText(QRectF(MARGIN, axis_y + 3 - line, left - 2 * MARGIN, line), RIGHT, "Query")

    def _paint_marks(self, painter: QPainter, shades: theme.Colours, axis_y: float, line: float) -> None:
        left, right = self.track()
        small = self._small_font(0.82)
        metrics = QFontMetricsF(small)
        painter.setFont(small)
        painter.setPen(QColor(shades.muted))
        widest = metrics.horizontalAdvance(f"{self._length:,}") + 18
        for number in axis_marks(self._length, (right - left) / widest):
            x = (self.x_of(number) + self.x_of(number + 1)) / 2
            painter.drawLine(QPointF(x, axis_y - 3), QPointF(x, axis_y))
            place = QRectF(x - 60, axis_y - 4 - line, 120, line)
            half = metrics.horizontalAdvance(f"{number:,}") / 2
            place.translate(min(0.0, self.viewport().width() - 1 - x - half), 0)  # the last one whole
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, f"{number:,}")

    def _paint_depth(self, painter: QPainter, shades: theme.Colours, left: float, right: float, line: float) -> None:
        width = max(2, int(right - left))
        columns = np.minimum((np.arange(width) * len(self.coverage) / width).astype(np.int64), len(self.coverage) - 1)
        highest = int(self.coverage.max())
        top, room = 3.0, line * 0.9
        heights = room * self.coverage[columns] / highest
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
        of_aligned = "" if self._complete else ", aligned hits"
        texts = (
            f"coverage depth up to {highest:,}{of_aligned}",
            f"coverage depth ≤ {highest:,}",
            f"depth ≤ {highest:,}",
            f"≤ {highest:,}",
        )
        metrics = QFontMetricsF(small)
        text = next((text for text in texts if metrics.horizontalAdvance(text) <= place.width()), texts[-1])
        painter.drawText(place, RIGHT, text)

    # -- Qt's events -------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        self._settled.start()
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        self._settled.start()
        super().showEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self._fit()
        super().changeEvent(event)

    # -- mouse and keyboard ------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._length:
            return
        if self._region is not None:
            self._region = (self._region[0], self._residue(event.position().x()))
            first, last = sorted(self._region)
            QToolTip.showText(event.globalPosition().toPoint(), f"Hits that cover {first:,} to {last:,}", self)
            self.viewport().update()
            return
        place = self.place_at(event.position().y())
        on_axis = event.position().y() < self.head_height() and event.position().x() >= self.track()[0]
        shape = Qt.CursorShape.SizeHorCursor if on_axis else Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape if on_axis or place >= 0 else Qt.CursorShape.ArrowCursor)
        if place != self._hovered:
            self._hovered = place
            self.viewport().update()
        text = self.describe(place) if place >= 0 else ""
        if event.position().x() >= self.track()[0]:
            text = "\n".join(part for part in (text, self.features_at(place, event.position().x())) if part)
        if on_axis:
            drag = "Drag to show only hits that cover a region of the query"
            text = "\n".join(part for part in (text, drag) if part)
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def features_at(self, place: int, x: float) -> str:
        """Features at `x` of the viewport, a line each: of the subject at a place, or of the query if that is -1."""
        residue, reach = self._residue(x), 2.0 * self._length / max(self.viewport().width(), 1)
        if place >= 0:
            return self.features.told(*self._places.at(place), residue, reach)
        own = (placed.feature for placed in self.features.placed)
        return features.told_at(own, residue - 1 - reach, residue - 1 + reach)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._data is None or event.button() != Qt.MouseButton.LeftButton:
            return
        place = self.place_at(event.position().y())
        if place >= 0:
            self.row_chosen.emit(*self._places.at(place))
        elif event.position().y() < self.head_height() and event.position().x() >= self.track()[0]:
            residue = self._residue(event.position().x())
            self._region = (residue, residue)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._region is not None:
            first, last = sorted(self._region)
            self._region = None
            self.viewport().update()
            if last > first:
                self.region_chosen.emit(first, last)

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = -1
        self.viewport().update()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or not len(self._places):
            super().keyPressEvent(event)
            return
        place = min(max(self._places.place_of(*self._current) + step, 0), len(self._places) - 1)
        self.row_chosen.emit(*self._places.at(place))
