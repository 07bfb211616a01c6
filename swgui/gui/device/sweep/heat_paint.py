"""A sweep painted into a rectangle: cells, marks, cursor, values of the axes, colour scale and legend."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QLinearGradient, QPainter, QPen

from swgui.core.sweep.grid import Cell, Place, SweepResult
from swgui.core.sweep.report import grouped
from swgui.gui.device.sweep.explain import short, titled
from swgui.gui.device.sweep.marks import draw_mark
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.theme import Colours, grid

MAP = "viridis"
CENTRED = Qt.AlignmentFlag.AlignCenter
ON_THE_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ON_THE_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class HeatPainting:
    """Where the cells of a sweep lie in a rectangle, and how they are painted.

    Parameters
    ----------
    result : SweepResult
        With one axis, or with two.
    whole : QRectF
        The rectangle, in pixels.
    font : QFont
    shades : Colours
    """

    def __init__(self, result: SweepResult, whole: QRectF, font: QFont, shades: Colours) -> None:
        self._result, self._whole, self._font, self._shades = result, whole, font, shades
        self._metrics = QFontMetricsF(font)
        self._line = self._metrics.height()
        self._scale = pg.colormap.get(MAP)
        self._across, self._up = result.axes[0], result.axes[1] if len(result.axes) > 1 else None
        self._rows: tuple[str, ...] = self._up.values if self._up else ("",)
        speeds = [cell.median for cell in result.cells.values() if cell.usable]
        low, self._high = (min(speeds), max(speeds)) if speeds else (0.0, 1.0)
        self._low = low if self._high > low else 0.0
        self._field = self._cells_field()

    def place_at(self, point: QPointF) -> Place | None:
        """Return the cell at a point, None beside them."""
        field = self._field
        if not field.contains(point):
            return None
        columns, rows = len(self._across.values), len(self._rows)
        column = min(int((point.x() - field.left()) / field.width() * columns), columns - 1)
        row = min(int((field.bottom() - point.y()) / field.height() * rows), rows - 1)
        return self._place(column, row)

    def paint(self, painter: QPainter, cursor: Place | None = None) -> None:
        """Paint everything, with the cursor around a cell if one is given."""
        painter.setFont(self._font)
        best = self._result.best.place if self._result.best else None
        for column in range(len(self._across.values)):
            for row in range(len(self._rows)):
                place = self._place(column, row)
                rect, cell = self.cell_rect(column, row).adjusted(1, 1, -1, -1), self._result.cells[place]
                self._draw_cell(painter, rect, cell)
                marks = ("★" if place == best else "") + ("◇" if place == self._result.in_use else "")
                self._draw_marks(painter, rect, marks, cell)
        if cursor is not None and cursor in self._result.cells:
            self._draw_cursor(painter, cursor)
        self._draw_labels(painter)
        self._draw_scale(painter)
        self._draw_legend(painter)

    def _cells_field(self) -> QRectF:
        """Return where the cells are: room for values on the left, titles below, the colour scale on the right."""
        left = self._line * 1.6 + grid(1)
        if self._up is not None:
            left += max(self._metrics.horizontalAdvance(grouped(value)) for value in self._up.values)
        right = self._metrics.horizontalAdvance("8,888") + grid(4.5)
        whole = self._whole
        return QRectF(
            whole.left() + left, whole.top() + 2, whole.width() - left - right, whole.height() - self._line * 4.6
        )

    def _place(self, column: int, row: int) -> Place:
        value = self._across.values[column]
        return (value, self._rows[row]) if self._up else (value,)

    def cell_rect(self, column: int, row: int) -> QRectF:
        """Return where a cell lies, by the places of its values on both axes."""
        field = self._field
        width, height = field.width() / len(self._across.values), field.height() / len(self._rows)
        return QRectF(field.left() + column * width, field.bottom() - (row + 1) * height, width, height)

    def _fill(self, cell: Cell) -> QColor:
        share = (cell.median - self._low) / (self._high - self._low) if self._high > self._low else 1.0
        return QColor(self._scale.mapToQColor(min(max(share, 0.0), 1.0)))

    def _draw_cell(self, painter: QPainter, rect: QRectF, cell: Cell) -> None:
        shades = self._shades
        if cell.usable:
            ground = self._fill(cell)
            painter.fillRect(rect, ground)
            painter.setPen(_ink(ground))
            painter.drawText(rect, CENTRED, short(cell.median) + (" ↓" if cell.slowed else ""))
            return
        painter.fillRect(rect, QColor(shades.alternate if cell.state != "wrong" else shades.danger_soft))
        if cell.state == "impossible":
            painter.fillRect(rect, QBrush(QColor(shades.control), Qt.BrushStyle.BDiagPattern))
        else:
            wrong = cell.state == "wrong"
            painter.setPen(QColor(shades.danger if wrong else shades.muted))
            painter.drawText(rect, CENTRED, f"✖ {cell.differing:,}" if wrong else "·")
        painter.setPen(QPen(QColor(shades.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)

    def _draw_marks(self, painter: QPainter, rect: QRectF, marks: str, cell: Cell) -> None:
        ink = _ink(self._fill(cell)) if cell.usable else QColor(self._shades.text)
        size = min(rect.height() * 0.24, grid(0.9))
        at = QPointF(rect.right() - size * 1.2, rect.top() + size * 1.2)
        for mark in marks:
            draw_mark(painter, mark, at, size, ink)
            at -= QPointF(size * 2.2, 0)

    def _draw_cursor(self, painter: QPainter, place: Place) -> None:
        row = self._rows.index(place[1]) if self._up else 0
        rect = self.cell_rect(self._across.values.index(place[0]), row)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for colour, width in ((self._shades.base, 4), (self._shades.text, 2)):
            painter.setPen(QPen(QColor(colour), width))
            painter.drawRect(rect)

    def _draw_labels(self, painter: QPainter) -> None:
        field, metrics, line = self._field, self._metrics, self._line
        painter.setPen(QColor(self._shades.text))
        for column, value in enumerate(self._across.values):
            rect = self.cell_rect(column, 0)
            text = metrics.elidedText(grouped(value), Qt.TextElideMode.ElideRight, rect.width())
            painter.drawText(QRectF(rect.left(), field.bottom() + 2, rect.width(), line), CENTRED, text)
        for row, value in enumerate(self._rows):
            rect = self.cell_rect(0, row)
            place = QRectF(0, rect.top(), field.left() - grid(0.75), rect.height())
            painter.drawText(place, ON_THE_RIGHT, grouped(value))
        painter.setPen(QColor(self._shades.muted))
        below = QRectF(field.left(), field.bottom() + line + 4, field.width(), line)
        painter.drawText(below, CENTRED, titled(self._across))
        if self._up:
            title = titled(self._up)
            painter.save()
            painter.translate(line * 0.8, field.center().y())
            painter.rotate(-90)
            half = max(field.height(), metrics.horizontalAdvance(title)) / 2
            painter.drawText(QRectF(-half, -line / 2, 2 * half, line), CENTRED, title)
            painter.restore()

    def _draw_scale(self, painter: QPainter) -> None:
        field, line, low, high = self._field, self._line, self._low, self._high
        bar = QRectF(field.right() + grid(1.5), field.top(), grid(1.25), field.height())
        gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
        for at in range(11):
            gradient.setColorAt(at / 10, self._scale.mapToQColor(at / 10))
        painter.fillRect(bar, gradient)
        painter.setPen(QColor(self._shades.muted))
        ends = [(high, bar.top()), (low, bar.bottom() - line)]
        if bar.height() > 4 * line:
            ends.append(((low + high) / 2, bar.center().y() - line / 2))
        for speed, y in ends:
            place = QRectF(bar.right() + grid(0.5), y, self._whole.right() - bar.right() - grid(0.5), line)
            painter.drawText(place, ON_THE_LEFT, short(speed))

    def _draw_legend(self, painter: QPainter) -> None:
        cells = self._result.cells.values()
        states = {cell.state for cell in cells}
        entries = (
            ("★", "best", self._result.best is not None),
            ("◇", "automatic", self._result.in_use is not None),
            ("▨", "cannot run", "impossible" in states),
            ("✖", "wrong scores", "wrong" in states),
            ("·", "not measured", "waiting" in states),
            ("↓", "at a lower clock", any(cell.slowed for cell in cells)),
        )
        shades, line = self._shades, self._line
        x, y = self._field.left(), self._field.bottom() + line * 3
        size = line * 0.3
        for mark, words, shown in entries:
            if not shown:
                continue
            draw_mark(painter, mark, QPointF(x + size, y + line / 2), size, QColor(shades.text), shades)
            width = self._metrics.horizontalAdvance(words) + grid(1)
            painter.setPen(QColor(shades.muted))
            painter.drawText(QRectF(x + size * 3.4, y, width, line), ON_THE_LEFT, words)
            x += size * 3.4 + width + grid(1)


def _ink(ground: QColor) -> QColor:
    """Return black or white, whichever is read on a ground."""
    light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue()
    return QColor("#10151C" if light > 128 else "#FFFFFF")
