"""Which part of the queries is searched: a field, and a picture on which it is dragged."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from swgui.core.errors import SwguiError
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.plots import features as tracks
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import line_edit, text_label

MARGIN = 6.0
DRAG = "Drag to search a part of the query alone; a click takes all of it again"


class QueryPicture(QWidget):
    """Shows one query.

    Signals
    -------
    chosen(object)
        The `QueryRange` that was dragged, None after a click.
    """

    chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPicture")
        self.setAccessibleName("Picture of the query")
        self.setAccessibleDescription("The part that is searched can be typed in the field beside it.")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._record: SequenceRecord | None = None
        self._placed: list[tracks.Placed] = []
        self._part: QueryRange | None = None
        self._stretches: Sequence[tuple[int, int]] = ()
        self._dragged: tuple[int, int] | None = None

    def show_query(self, record: SequenceRecord | None, part: QueryRange | None) -> None:
        if record is not self._record:
            self._placed = tracks.place(record.features) if record is not None else []
            self.updateGeometry()
        self._record, self._part = record, part
        self.update()

    def show_stretches(self, stretches: Sequence[tuple[int, int]]) -> None:
        self._stretches = stretches
        self.update()

    @property
    def _length(self) -> int:
        return len(self._record.residues) if self._record is not None else 0

    def _x(self, position: float) -> float:
        return MARGIN + (self.width() - 2 * MARGIN) * position / max(self._length, 1)

    def _residue(self, x: float) -> int:
        at = (x - MARGIN) / max(1.0, self.width() - 2 * MARGIN) * self._length
        return min(max(int(at) + 1, 1), self._length)

    def _track(self) -> QRectF:
        lanes = max(tracks.lanes_of(self._placed), 1 if self._placed else 0)
        height = QFontMetricsF(self._small()).height() + 3
        return QRectF(MARGIN, 1, self.width() - 2 * MARGIN, lanes * height)

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, self.font().pointSizeF() * 0.82))
        return font

    def sizeHint(self) -> QSize:
        return QSize(300, int(self._track().height() + QFontMetricsF(self._small()).height() + 14))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._length:
            return
        painter, shades = QPainter(self), theme.colours(self)
        small, track = self._small(), self._track()
        tracks.paint(painter, self._placed, self._x, track, shades, small)
        line = track.bottom() + 4
        painter.fillRect(QRectF(MARGIN, line, self.width() - 2 * MARGIN, 3), QColor(shades.muted))
        for start, end in self._stretches:
            left = self._x(start)
            painter.fillRect(QRectF(left, line - 1, max(self._x(end) - left, 1.5), 5), QColor(shades.warning))
        shown = self._dragged or ((self._part.first, self._part.last) if self._part is not None else None)
        numbers = [1, self._length]
        if shown is not None:
            first, last = sorted(min(place, self._length) for place in shown)
            numbers = [first, last]
            veil = QColor(shades.base)
            veil.setAlpha(190)
            for left, right in ((0.0, self._x(first - 1)), (self._x(last), float(self.width()))):
                painter.fillRect(QRectF(left, 0, right - left, line + 4), veil)
            chosen = QRectF(self._x(first - 1), line + 5, max(self._x(last) - self._x(first - 1), 2), 2)
            painter.fillRect(chosen, QColor(shades.accent))
        self._paint_numbers(painter, numbers, line + 7, small, shades)

    def _paint_numbers(
        self, painter: QPainter, numbers: list[int], top: float, font: QFont, shades: theme.Colours
    ) -> None:
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QColor(shades.muted))
        left = QRectF(max(0.0, self._x(numbers[0] - 1)), top, 0, metrics.height())
        texts = [f"{number:,}" for number in numbers]
        widths = [metrics.horizontalAdvance(text) for text in texts]
        x = [min(left.left(), self.width() - sum(widths) - 12), self._x(numbers[1]) - widths[1]]
        x[1] = min(max(x[1], x[0] + widths[0] + 12), self.width() - widths[1])
        for place, text, width in zip(x, texts, widths, strict=True):
            painter.drawText(QRectF(place, top, width + 1, metrics.height()), Qt.AlignmentFlag.AlignLeft, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._length and event.button() == Qt.MouseButton.LeftButton:
            at = self._residue(event.position().x())
            self._dragged = (at, at)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._length:
            return
        at, where = self._residue(event.position().x()), event.globalPosition().toPoint()
        if self._dragged is not None:
            self._dragged = (self._dragged[0], at)
            first, last = sorted(self._dragged)
            QToolTip.showText(where, f"Search residues {first:,} to {last:,} alone", self)
            self.update()
            return
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        reach = self._length / max(self.width(), 1) * 2
        told = tracks.told_at((one.feature for one in self._placed), at - 1 - reach, at - 1 + reach)
        if any(start <= at - 1 + reach and at - 1 - reach < end for start, end in self._stretches):
            told = "\n".join(part for part in (told, "Low complexity") if part)
        QToolTip.showText(where, told or DRAG, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            return
        first, last = sorted(self._dragged)
        self._dragged = None
        self.update()
        self.chosen.emit(QueryRange(first, last) if last > first else None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.updateGeometry()
            self.update()


class QueryPart(QWidget):
    """Asks for the part.

    Signals
    -------
    changed()
        Another part, or none, was chosen by the user.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPart")
        self._records: Sequence[SequenceRecord] = ()
        self.value: QueryRange | None = None
        self.asked = False
        self._error = ""
        tip = (
            "Search with a part of every query alone, as in 10-250, counted from 1; empty for all of it. "
            "Positions in the results stay those of the whole query"
        )
        self.field = line_edit("queryRange", tip, hint="all", edited=self._typed, width=14, clear=True)
        self.field.textChanged.connect(lambda text: None if text else self._typed())  # its button clears it
        self.picture = QueryPicture()
        self.picture.chosen.connect(self._dragged)
        label = text_label("Search residues", buddy=self.field)
        in_row((self.picture, 1), label, self.field, parent=self)

    @property
    def problem(self) -> str:
        """Why this part cannot be searched, as a sentence; empty if it can."""
        if self._error or self.value is None:
            return self._error
        try:
            for record in self._records:
                self.value.check(record)
        except SwguiError as error:
            return str(error)
        return ""

    def show_queries(self, records: Sequence[SequenceRecord]) -> None:
        """Show the first of the queries that are searched with; the part stays."""
        self._records = records
        self._show()

    def choose(self, part: QueryRange | None) -> None:
        self.value, self._error = part, ""
        text = str(part) if part is not None else ""
        if self.field.text() != text:
            self.field.blockSignals(True)
            self.field.setText(text)
            self.field.blockSignals(False)
        self._show()
        self.changed.emit()

    def _dragged(self, part: QueryRange | None) -> None:
        self.choose(part)

    def _typed(self, *_text: str) -> None:
        try:
            self.value, self._error = QueryRange.read(self.field.text()), ""
        except SwguiError as error:
            self.value, self._error = None, str(error)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        wanted = self.asked or bool(self.field.text()) or any(record.features for record in self._records)
        self.setVisible(bool(self._records) and wanted)
        set_role(self.field, invalid=bool(self.problem))
        self.picture.show_query(self._records[0] if self._records else None, self.value)
