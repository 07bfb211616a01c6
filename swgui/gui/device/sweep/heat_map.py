"""Heat map of a sweep: one rectangle per combination, its speed written in it.

Colours run from dark blue to yellow (viridis: even to the eye, and told apart by colour-blind people); marks say the
rest without colour: a star for the best, a diamond for what automatic chose, hatching for what cannot run, a cross for
wrong scores. Arrow keys move a cursor, Return chooses.
"""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QImage,
    QKeyEvent,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from swgui.core.methods.base import AUTO
from swgui.core.methods.occupancy import KernelNeeds, card_limits, occupancy
from swgui.core.sweep.grid import Axis, Cell, Place, SweepResult
from swgui.core.sweep.report import describe, grouped
from swgui.gui.kit import theme
from swgui.gui.kit.theme import Colours, colours, grid
from swgui.gui.words import wording

MAP = "viridis"
PNG_SCALE = 3
LEGEND = ("★ best", "◇ automatic", "▨ cannot run", "✖ wrong scores", "· not measured", "↓ at a lower clock")
MOVES = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


def short(speed: float) -> str:
    """Return a speed with three or four digits, so many after the point as others of its size: ``11.0``."""
    if speed >= 99.95:
        return f"{speed:,.0f}"
    return f"{speed:.1f}" if speed >= 9.995 else f"{speed:.2f}" if speed >= 1 else f"{speed:.3g}"


def explain_cell(result: SweepResult, cell: Cell, capability: str = "") -> str:
    """Return everything known of a cell, line by line.

    Parameters
    ----------
    capability : str
        Compute capability of the card, for its occupancy; empty if it is none.
    """
    lines = [describe(result.axes, cell.place)]
    if cell.gcups:
        low, high = cell.quartiles
        lines.append(f"{cell.median:,.4g} GCUPS, quartiles {low:,.4g} to {high:,.4g}, {len(cell.gcups)} runs")
        if result.kernel_time:
            whole = sorted(cell.whole)[len(cell.whole) // 2]
            lines.append(f"{whole:,.4g} GCUPS by the clock, transfers of scores included")
    if cell.reason:
        lines.append(cell.reason)
    elif cell.state == "measured":
        lines.append(f"{cell.compared:,} scores compared: all equal")
    elif cell.state == "waiting":
        lines.append("not measured")
    use = cell.use
    if use.get("threads"):
        lines.append(
            f"{use['registers']} registers per thread, {use['shared_bytes'] / 1024:.1f} KiB shared memory per block, "
            f"{use['blocks']:,} blocks of {use['threads']}"
        )
        if capability:
            needs = KernelNeeds(use["threads"], use["registers"], use["shared_bytes"])
            lines.append(f"occupancy {wording.percent(occupancy(needs, card_limits(capability)).ratio)}")
    if cell.clock:
        warm = f", {cell.temperature:.0f} °C" if cell.temperature else ""
        lower = ": lower than in other cells" if cell.slowed else ""
        lines.append(f"clock {cell.clock:,.0f} MHz{warm}{lower}")
    return "\n".join(lines)


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
        self._shades: Colours | None = None  # other than the window's, while a picture is made
        self.capability = ""
        self._scale = pg.colormap.get(MAP)

    @property
    def cell(self) -> Cell | None:
        """The cell under the cursor."""
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
        """Put the cursor on a cell."""
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
        self._shades = theme.LIGHT
        try:
            self._paint(painter, QRectF(0, 0, size.width(), size.height()))
        finally:
            self._shades = None
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
            place = self._at(event.position())
            if place is not None:
                self.choose(place)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor by arrow keys."""
        move = MOVES.get(Qt.Key(event.key()))
        if move is None or self._result is None:
            super().keyPressEvent(event)
            return
        across, up = self._axes()
        place = self._place or (self._result.best.place if self._result.best else next(iter(self._result.cells)))
        column = across.values.index(place[0]) + (move[0] if self._place else 0)
        column = min(max(column, 0), len(across.values) - 1)
        if up is None:
            self.choose((across.values[column],))
            return
        row = min(max(up.values.index(place[1]) + (move[1] if self._place else 0), 0), len(up.values) - 1)
        self.choose((across.values[column], up.values[row]))

    def event(self, event: QEvent) -> bool:
        """Explain the cell under the pointer."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place = self._at(QPointF(event.pos()))
            text = explain_cell(self._result, self._result.cells[place], self.capability) if place else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint(painter, QRectF(self.rect()))
        painter.end()

    # Geometry

    def _axes(self) -> tuple[Axis, Axis | None]:
        assert self._result is not None
        axes = self._result.axes
        return axes[0], axes[1] if len(axes) > 1 else None

    def _shape(self) -> tuple[int, int]:
        if self._result is None:
            return 6, 4
        across, up = self._axes()
        return len(across.values), len(up.values) if up else 1

    def _field(self, whole: QRectF) -> QRectF:
        """Return where the cells are: room for values on the left, titles below, the colour scale on the right."""
        metrics = QFontMetricsF(self.font())
        left = metrics.height() * 1.6 + grid(1)
        if self._result is not None and self._axes()[1] is not None:
            left += max(metrics.horizontalAdvance(grouped(value)) for value in self._axes()[1].values)
        right = metrics.horizontalAdvance("8,888") + grid(4.5)
        bottom = metrics.height() * 4.6
        return QRectF(whole.left() + left, whole.top() + 2, whole.width() - left - right, whole.height() - bottom)

    def _rect(self, field: QRectF, column: int, row: int) -> QRectF:
        columns, rows = self._shape()
        width, height = field.width() / columns, field.height() / rows
        return QRectF(field.left() + column * width, field.bottom() - (row + 1) * height, width, height)

    def _at(self, point: QPointF) -> Place | None:
        if self._result is None:
            return None
        field = self._field(QRectF(self.rect()))
        if not field.contains(point):
            return None
        columns, rows = self._shape()
        column = min(int((point.x() - field.left()) / field.width() * columns), columns - 1)
        row = min(int((field.bottom() - point.y()) / field.height() * rows), rows - 1)
        across, up = self._axes()
        return (across.values[column], up.values[row]) if up else (across.values[column],)

    # Drawing

    def _paint(self, painter: QPainter, whole: QRectF) -> None:
        shades = self._shades or colours(self)
        painter.setFont(self.font())
        if self._result is None:
            painter.setPen(QColor(shades.muted))
            painter.drawText(whole, int(Qt.AlignmentFlag.AlignCenter), "Nothing was measured yet.")
            return
        result, (across, up) = self._result, self._axes()
        speeds = [cell.median for cell in result.cells.values() if cell.usable]
        low, high = (min(speeds), max(speeds)) if speeds else (0.0, 1.0)
        low = low if high > low else 0.0
        field = self._field(whole)
        best = result.best.place if result.best else None
        for column, value in enumerate(across.values):
            for row, other in enumerate(up.values if up else ("",)):
                place = (value, other) if up else (value,)
                rect = self._rect(field, column, row).adjusted(1, 1, -1, -1)
                self._draw_cell(painter, rect, result.cells[place], low, high, shades)
                marks = ("★" if place == best else "") + ("◇" if place == result.in_use else "")
                self._draw_marks(painter, rect, marks, result.cells[place], low, high, shades)
        if self._place in result.cells and self._shades is None:
            self._draw_cursor(painter, field, shades)
        self._draw_labels(painter, field, shades)
        self._draw_scale(painter, field, whole, low, high, shades)
        self._draw_legend(painter, field, whole, shades)

    def _fill(self, cell: Cell, low: float, high: float) -> QColor:
        share = (cell.median - low) / (high - low) if high > low else 1.0
        return self._scale.mapToQColor(min(max(share, 0.0), 1.0))

    def _ink(self, ground: QColor) -> QColor:
        light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue()
        return QColor("#10151C" if light > 128 else "#FFFFFF")

    def _draw_cell(self, painter: QPainter, rect: QRectF, cell: Cell, low: float, high: float, shades: Colours) -> None:
        if cell.usable:
            ground = self._fill(cell, low, high)
            painter.fillRect(rect, ground)
            painter.setPen(self._ink(ground))
            text = short(cell.median) + (" ↓" if cell.slowed else "")
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), text)
            return
        painter.fillRect(rect, QColor(shades.alternate if cell.state != "wrong" else shades.danger_soft))
        if cell.state == "impossible":
            painter.fillRect(rect, QBrush(QColor(shades.control), Qt.BrushStyle.BDiagPattern))
        elif cell.state == "wrong":
            painter.setPen(QColor(shades.danger))
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), f"✖ {cell.differing:,}")
        else:
            painter.setPen(QColor(shades.muted))
            painter.drawText(rect, int(Qt.AlignmentFlag.AlignCenter), "·")
        painter.setPen(QPen(QColor(shades.border), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(rect)

    def _draw_marks(
        self, painter: QPainter, rect: QRectF, marks: str, cell: Cell, low: float, high: float, shades: Colours
    ) -> None:
        ink = self._ink(self._fill(cell, low, high)) if cell.usable else QColor(shades.text)
        size = min(rect.height() * 0.24, grid(0.9))
        at = QPointF(rect.right() - size * 1.2, rect.top() + size * 1.2)
        for mark in marks:
            draw_mark(painter, mark, at, size, ink)
            at -= QPointF(size * 2.2, 0)

    def _draw_cursor(self, painter: QPainter, field: QRectF, shades: Colours) -> None:
        across, up = self._axes()
        column, row = across.values.index(self._place[0]), up.values.index(self._place[1]) if up else 0
        rect = self._rect(field, column, row)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(shades.base), 4))
        painter.drawRect(rect)
        painter.setPen(QPen(QColor(shades.text), 2))
        painter.drawRect(rect)

    def _draw_labels(self, painter: QPainter, field: QRectF, shades: Colours) -> None:
        metrics, (across, up) = QFontMetricsF(self.font()), self._axes()
        line = metrics.height()
        painter.setPen(QColor(shades.text))
        for column, value in enumerate(across.values):
            rect = self._rect(field, column, 0)
            place = QRectF(rect.left(), field.bottom() + 2, rect.width(), line)
            text = metrics.elidedText(grouped(value), Qt.TextElideMode.ElideRight, rect.width())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), text)
        for row, value in enumerate(up.values if up else ()):
            rect = self._rect(field, 0, row)
            place = QRectF(0, rect.top(), field.left() - grid(0.75), rect.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), grouped(value))
        painter.setPen(QColor(shades.muted))
        below = QRectF(field.left(), field.bottom() + line + 4, field.width(), line)
        painter.drawText(below, int(Qt.AlignmentFlag.AlignCenter), titled(across))
        if up:
            painter.save()
            painter.translate(line * 0.8, field.center().y())
            painter.rotate(-90)
            half = max(field.height(), metrics.horizontalAdvance(titled(up))) / 2
            place = QRectF(-half, -line / 2, 2 * half, line)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), titled(up))
            painter.restore()

    def _draw_scale(
        self, painter: QPainter, field: QRectF, whole: QRectF, low: float, high: float, shades: Colours
    ) -> None:
        bar = QRectF(field.right() + grid(1.5), field.top(), grid(1.25), field.height())
        gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
        for at in range(11):
            gradient.setColorAt(at / 10, self._scale.mapToQColor(at / 10))
        painter.fillRect(bar, gradient)
        line = QFontMetricsF(self.font()).height()
        painter.setPen(QColor(shades.muted))
        ends = ((high, bar.top()), (low, bar.bottom() - line))
        if bar.height() > 4 * line:
            ends = (*ends, ((low + high) / 2, bar.center().y() - line / 2))
        for speed, y in ends:
            place = QRectF(bar.right() + grid(0.5), y, whole.right() - bar.right() - grid(0.5), line)
            painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), short(speed))

    def _draw_legend(self, painter: QPainter, field: QRectF, whole: QRectF, shades: Colours) -> None:
        metrics = QFontMetricsF(self.font())
        states = {cell.state for cell in self._result.cells.values()}
        slowed = any(cell.slowed for cell in self._result.cells.values())
        wanted = (
            self._result.best is not None,
            self._result.in_use is not None,
            "impossible" in states,
            "wrong" in states,
            "waiting" in states,
            slowed,
        )
        entries = [text for text, on in zip(LEGEND, wanted, strict=True) if on]
        x, y = field.left(), field.bottom() + metrics.height() * 3
        size = metrics.height() * 0.3
        for entry in entries:
            mark, _, words = entry.partition(" ")
            draw_mark(painter, mark, QPointF(x + size, y + metrics.height() / 2), size, QColor(shades.text), shades)
            width = metrics.horizontalAdvance(words) + grid(1)
            painter.setPen(QColor(shades.muted))
            place = QRectF(x + size * 3.4, y, width, metrics.height())
            painter.drawText(place, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), words)
            x += size * 3.4 + width + grid(1)

    def _describe(self) -> str:
        if self._result is None:
            return "Nothing was measured yet."
        if self.cell is not None:
            return explain_cell(self._result, self.cell, self.capability).replace("\n", ". ")
        usable = len(self._result.measured)
        return f"{usable} of {len(self._result.cells)} settings measured. Arrow keys move over them."


def titled(axis: Axis) -> str:
    """Return the title of an axis with its unit, if that says more."""
    title, unit = axis.title, axis.unit
    return f"{title} ({unit})" if unit and unit.lower() not in title.lower() and unit != AUTO else title


def draw_mark(
    painter: QPainter, mark: str, at: QPointF, size: float, ink: QColor, shades: Colours | None = None
) -> None:
    """Draw one of the marks around a point: fonts draw these signs too differently, or not at all."""
    painter.save()
    painter.setPen(QPen(ink, max(1.0, size / 4)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    box = QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size)
    match mark:
        case "★":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            painter.drawPolygon(_star(at, size))
        case "◇":
            painter.drawPolygon(
                QPolygonF(
                    [at + QPointF(0, -size), at + QPointF(size, 0), at + QPointF(0, size), at + QPointF(-size, 0)]
                )
            )
        case "▨":
            painter.fillRect(box, QBrush(QColor(shades.control) if shades else ink, Qt.BrushStyle.BDiagPattern))
            painter.setPen(QPen(QColor(shades.control) if shades else ink, 1))
            painter.drawRect(box)
        case "✖":
            painter.setPen(QPen(QColor(shades.danger) if shades else ink, max(1.5, size / 3)))
            painter.drawLine(box.topLeft(), box.bottomRight())
            painter.drawLine(box.topRight(), box.bottomLeft())
        case _:
            painter.drawText(box.adjusted(-2, -4, 2, 4), int(Qt.AlignmentFlag.AlignCenter), mark)
    painter.restore()


# Corners of a five-pointed star on the unit circle, outer and inner in turn.
_CORNERS = (
    (0.0, -1.0), (0.225, -0.309), (0.951, -0.309), (0.363, 0.118), (0.588, 0.809),
    (0.0, 0.382), (-0.588, 0.809), (-0.363, 0.118), (-0.951, -0.309), (-0.225, -0.309),
)  # fmt: skip


def _star(at: QPointF, size: float) -> QPolygonF:
    return QPolygonF([at + QPointF(x * size, y * size) for x, y in _CORNERS])
