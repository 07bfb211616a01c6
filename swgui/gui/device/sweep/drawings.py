"""A sweep as a heat map, one cell for each combination of settings, and as lines over the values of one axis.

Colours of the map run from dark blue to yellow (viridis: even to the eye, and told apart by colour-blind people); marks
say the rest without colour: a star for the best, a diamond for the automatic choice, hatching for failures, a
cross for wrong scores. Arrow keys move a cursor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QImage, QKeyEvent, QPainter
from PySide6.QtWidgets import QApplication, QGraphicsItem, QGraphicsRectItem, QToolTip, QWidget

from swgui.core.methods.base import AUTO
from swgui.core.methods.occupancy import KernelNeeds, card_limits, occupancy
from swgui.core.sweep.grid import Axis, Cell, Place, SweepResult
from swgui.core.sweep.report import describe, grouped
from swgui.core.words import count
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.plots.still import ceiling, pg, still_plot
from swgui.gui.kit.theme import Colours, colours, grid, style_bar, style_plot
from swgui.gui.kit.widgets import text_label
from swgui.gui.words import wording

SYMBOLS: Final = ("o", "s", "t", "d", "+", "x", "star", "p")
SIGNS: Final = ("●", "■", "▼", "◆", "✚", "✖", "★", "⬟")
STYLES: Final = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
MAP: Final = "viridis"
PNG_SCALE: Final = 3
MARGIN: Final = 8
NOTHING: Final = "Nothing was measured yet."
MOVES: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}


def short(speed: float) -> str:
    """Return a speed with three or four digits, with as many decimals as others of its size: ``11.0``."""
    if speed >= 99.95:
        return f"{speed:,.0f}"
    return f"{speed:.1f}" if speed >= 9.995 else f"{speed:.2f}" if speed >= 1 else f"{speed:.3g}"


def explain_cell(result: SweepResult, cell: Cell, capability: str = "") -> str:
    """Return everything known of a cell, line by line.

    Parameters
    ----------
    capability : str
        Compute capability of the GPU, for its occupancy; empty if it is none.
    """
    lines = [describe(result.axes, cell.place)]
    if cell.gcups:
        low, high = cell.quartiles
        lines.append(f"{cell.median:,.4g} GCUPS, quartiles {low:,.4g} to {high:,.4g}, {count(len(cell.gcups), 'run')}")
        if result.kernel_time:
            whole = sorted(cell.whole)[len(cell.whole) // 2]
            lines.append(f"{whole:,.4g} GCUPS overall, transfers of scores included")
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


def titled(axis: Axis) -> str:
    title, unit = axis.title, axis.unit
    return f"{title} ({unit})" if unit and unit.lower() not in title.lower() and unit != AUTO else title


class SweepDrawing(QWidget):
    """A sweep in a plot with a legend above it; subclasses draw it. The first axis runs along the bottom."""

    def __init__(self, left: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._result: SweepResult | None = None
        self._entries: list[tuple[str, str, str]] = []  # of the legend: colour, sign and words
        self.capability = ""
        self.plot = still_plot(left)
        self._legend = text_label("", wrap=True, level="small")
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        in_column(self._legend, (self.plot, 1), spacing=0.5, parent=self)

    def show_result(self, result: SweepResult | None, capability: str = "") -> None:
        self._result, self.capability = result, capability
        self._redraw(colours(self))
        self.setAccessibleDescription(self._describe())

    def picture(self, lines: Sequence[str]) -> QImage:
        """Return the plot as a picture for a paper, in the colours of a light window, with `lines` above it."""
        height = self.fontMetrics().height()
        texts = [
            *lines,
            *(["   ".join(f"{sign} {words}" for _, sign, words in self._entries)] if self._entries else []),
        ]
        head = height * len(texts) + 2 * MARGIN
        size = self.plot.size()
        image = QImage(size.width() * PNG_SCALE, (size.height() + head) * PNG_SCALE, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(PNG_SCALE)
        image.fill(QColor(theme.LIGHT.base))
        painter = QPainter(image)
        painter.setPen(QColor(theme.LIGHT.text))
        painter.setFont(self.font())
        for line, text in enumerate(texts):
            painter.drawText(MARGIN, MARGIN + height * (line + 1), text)
        self._redraw(theme.LIGHT)
        try:
            self.plot.render(painter, QRectF(0, head, size.width(), size.height()), self.plot.viewport().rect())
        finally:
            painter.end()
            self._redraw(colours(self))
        return image

    def _redraw(self, shades: Colours) -> None:
        style_plot(self.plot, shades)
        if self._result is not None:
            across = self._result.axes[0]
            bottom = self.plot.getPlotItem().getAxis("bottom")
            bottom.setLabel(titled(across), **bottom.labelStyle)
            bottom.setTicks([list(enumerate(map(grouped, across.values)))])
        self._entries = self._draw(self._result, shades)
        marks = (f'<span style="color:{colour}">{sign}</span> {words}' for colour, sign, words in self._entries)
        self._legend.setText("&nbsp;&nbsp;&nbsp; ".join(marks) if self._result is not None else NOTHING)
        self._legend.setVisible(bool(self._entries) or self._result is None)

    def _draw(self, result: SweepResult | None, shades: Colours) -> list[tuple[str, str, str]]:
        raise NotImplementedError

    def _describe(self) -> str:
        if self._result is None:
            return NOTHING
        return f"{len(self._result.measured)} of {len(self._result.cells)} settings measured."

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_legend"):
            self.updateGeometry()
            self._redraw(colours(self))


class SweepLines(SweepDrawing):
    """Speed against the values of one axis, with whiskers, one line for each value of the other."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("GCUPS", parent)
        self.setObjectName("sweepLines")
        self.setAccessibleName("Speed by settings, as lines")

    def sizeHint(self) -> QSize:
        return QSize(grid(56), grid(28))

    def _draw(self, result: SweepResult | None, shades: Colours) -> list[tuple[str, str, str]]:
        item = self.plot.getPlotItem()
        item.clear()
        if result is None:
            return []
        across, top, entries = result.axes[0], 0.0, []
        names = result.axes[1].values if len(result.axes) > 1 else ("",)
        for index, name in enumerate(names):
            cells = [result.cells[(value, name) if name else (value,)] for value in across.values]
            colour = shades.series[index % len(shades.series)]
            style = STYLES[index // len(shades.series) % len(STYLES)]
            top = max(top, self._line(cells, colour, style, SYMBOLS[index % len(SYMBOLS)]))
            if name:
                entries.append((colour, SIGNS[index % len(SIGNS)], "automatic" if name == AUTO else grouped(name)))
        item.setXRange(-0.4, len(across.values) - 0.6, padding=0)
        item.setYRange(0, ceiling(top * 1.05), padding=0)
        return entries

    def _line(self, cells: Sequence[Cell], colour: str, style: Qt.PenStyle, symbol: str) -> float:
        """Draw the usable cells of one line; returns the highest value."""
        points = [(index, cell) for index, cell in enumerate(cells) if cell.usable]
        if not points:
            return 0.0
        x, y = [index for index, _ in points], [cell.median for _, cell in points]
        low, high = zip(*(cell.quartiles for _, cell in points), strict=True)
        pen, middle = pg.mkPen(colour, width=1), np.asarray(y)
        self.plot.addItem(
            pg.ErrorBarItem(
                x=np.asarray(x, dtype=float),
                y=middle,
                top=np.asarray(high) - middle,
                bottom=middle - np.asarray(low),
                beam=0.12,
                pen=pen,
            )
        )
        line = pg.mkPen(colour, width=1, style=style)
        self.plot.plot(x, y, pen=line, symbol=symbol, symbolSize=grid(1), symbolBrush=colour, symbolPen=pen)
        return float(max(high))


class HeatMap(SweepDrawing):
    """A cell for each combination of two axes, its speed written in it; of one axis a single row."""

    chosen = Signal(object)  # the `Cell` under the cursor changed, by mouse or keys; None if there is none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setObjectName("heatMap")
        self.setAccessibleName("Speed by settings")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._place: Place | None = None
        self._image = pg.ImageItem(axisOrder="row-major")
        self._bar = pg.ColorBarItem(interactive=False, width=12, colorMap=MAP)
        self._bar.setImageItem(self._image, insert_in=self.plot.getPlotItem())
        self._cursor = QGraphicsRectItem()
        self._cursor.setZValue(9)
        for item in (self._image, self._cursor):
            self.plot.addItem(item)
        self._marks: list[QGraphicsItem] = []  # texts, hatching and signs over the cells
        self.plot.scene().sigMouseClicked.connect(lambda event: self._clicked(event.scenePos()))
        self.plot.viewport().installEventFilter(self)

    @property
    def cell(self) -> Cell | None:
        """The cell under the cursor; None if there is none."""
        return self._result.cells.get(self._place) if self._result and self._place else None

    def show_result(self, result: SweepResult | None, capability: str = "") -> None:
        """Draw a sweep, also one that is under way; the cursor stays where it is."""
        if result is None or self._result is None or result.axes != self._result.axes:
            self._place = None
        super().show_result(result, capability)

    def choose(self, place: Place | None) -> None:
        """Put the cursor on the cell of a place and emit `chosen`; no cursor for a place outside the sweep."""
        self._place = place if self._result and place in self._result.cells else None
        self.setAccessibleDescription(self._describe())
        self._show_cursor(colours(self))
        self.chosen.emit(self.cell)

    def picture(self, lines: Sequence[str]) -> QImage:
        place, self._place = self._place, None
        try:
            return super().picture(lines)
        finally:
            self._place = place
            self._show_cursor(colours(self))

    def cell_rect(self, place: Place) -> QRectF:
        """Return the rectangle of a cell in the plot, in pixels."""
        column, row = self._at(place)
        seen = self.plot.getPlotItem().vb.mapViewToScene
        return QRectF(seen(QPointF(column - 0.5, row + 0.5)), seen(QPointF(column + 0.5, row - 0.5))).normalized()

    # -- drawing -----------------------------------------------------------------------------------

    def _shape(self) -> tuple[int, int]:
        if self._result is None:
            return 6, 4
        across, *other = self._result.axes
        return len(across.values), len(other[0].values) if other else 1

    def _at(self, place: Place) -> tuple[int, int]:
        assert self._result is not None
        column, *row = (axis.values.index(value) for axis, value in zip(self._result.axes, place, strict=True))
        return column, row[0] if row else 0

    def _draw(self, result: SweepResult | None, shades: Colours) -> list[tuple[str, str, str]]:
        for mark in self._marks:
            self.plot.removeItem(mark)
        self._marks = []
        self._bar.setVisible(result is not None)
        self._show_cursor(shades)
        if result is None:
            self._image.clear()
            return []
        columns, rows = self._shape()
        left = self.plot.getPlotItem().getAxis("left")
        left.setLabel(titled(result.axes[1]) if len(result.axes) > 1 else "", **left.labelStyle)
        left.setTicks([list(enumerate(map(grouped, result.axes[1].values))) if len(result.axes) > 1 else []])
        self.plot.setRange(QRectF(-0.5, -0.5, columns, rows), padding=0)
        speeds = np.full((rows, columns), np.nan)
        for place, cell in result.cells.items():
            if cell.usable:
                speeds[self._at(place)[::-1]] = cell.median
        levels = _levels(speeds)
        self._image.setImage(speeds, autoLevels=False)
        self._image.setRect(QRectF(-0.5, -0.5, columns, rows))
        self._bar.setLevels(levels)
        style_bar(self._bar, shades)
        for place, cell in result.cells.items():
            share = (cell.median - levels[0]) / (levels[1] - levels[0])
            ink = _ink(pg.colormap.get(MAP).mapToQColor(min(max(share, 0.0), 1.0))) if cell.usable else shades.text
            self._mark_cell(*self._at(place), cell, ink, shades)
            for sign, symbol, marked in (("★", "star", result.best), ("◇", "d", result.in_use)):
                if place == (marked.place if isinstance(marked, Cell) else marked):
                    self._sign(*self._at(place), symbol, ink, filled=sign == "★")
        return _legend_of(result, shades)

    def _add(self, item: QGraphicsItem) -> None:
        self._marks.append(item)
        self.plot.addItem(item)

    def _mark_cell(self, column: int, row: int, cell: Cell, ink: str, shades: Colours) -> None:
        wrong = cell.state == "wrong"
        if not cell.usable:
            ground = QGraphicsRectItem(column - 0.48, row - 0.48, 0.96, 0.96)
            ground.setPen(pg.mkPen(shades.border))
            ground.setBrush(QColor(shades.danger_soft if wrong else shades.alternate))
            self._add(ground)
        if cell.state == "impossible":
            hatched = QGraphicsRectItem(ground.rect())
            hatched.setPen(pg.mkPen(None))
            brush = QBrush(QColor(shades.control), Qt.BrushStyle.BDiagPattern)
            hatched.setBrush(brush)
            self._add(hatched)
            return
        said = f"✖ {cell.differing:,}" if wrong else "·"
        text = pg.TextItem(
            short(cell.median) + (" ↓" if cell.slowed else "") if cell.usable else said,
            color=ink if cell.usable else shades.danger if wrong else shades.muted,
            anchor=(0.5, 0.5),
        )
        text.setFont(QApplication.font())
        text.setPos(column, row)
        self._add(text)

    def _sign(self, column: int, row: int, symbol: str, ink: str, *, filled: bool) -> None:
        mark = pg.ScatterPlotItem(
            [column + (0.36 if filled else 0.24)], [row + 0.32], symbol=symbol, size=grid(1.6), pen=pg.mkPen(ink),
            brush=pg.mkBrush(ink if filled else None), useCache=False,
        )  # fmt: skip
        self._add(mark)

    def _show_cursor(self, shades: Colours) -> None:
        self._cursor.setVisible(self._place is not None)
        if self._place is not None:
            column, row = self._at(self._place)
            self._cursor.setRect(column - 0.5, row - 0.5, 1, 1)
            self._cursor.setPen(pg.mkPen(shades.accent, width=4))

    def _describe(self) -> str:
        if self._result is None or self.cell is None:
            return super()._describe() + (" Arrow keys move over them." if self._result is not None else "")
        return explain_cell(self._result, self.cell, self.capability).replace("\n", ". ")

    # -- Qt's events -------------------------------------------------------------------------------

    def sizeHint(self) -> QSize:
        columns, rows = self._shape()
        return QSize(grid(16 + 7 * columns), grid(13 + 4.5 * rows))

    def minimumSizeHint(self) -> QSize:
        columns, rows = self._shape()
        return QSize(grid(14 + 4 * columns), grid(13 + 3 * rows))

    def _place_at(self, scene_point: QPointF) -> Place | None:
        """Return the cell at a point of the plot, None outside of the cells."""
        point = self.plot.getPlotItem().vb.mapSceneToView(scene_point)
        cell = round(point.x()), round(point.y())
        return next((place for place in self._result.cells if self._at(place) == cell), None) if self._result else None

    def _clicked(self, scene_point: QPointF) -> None:
        place = self._place_at(scene_point)
        if place is not None:
            self.choose(place)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            place, result = self._place_at(self.plot.mapToScene(event.pos())), self._result
            text = explain_cell(result, result.cells[place], self.capability) if place and result else ""
            QToolTip.showText(event.globalPos(), text, self)
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move, result = MOVES.get(Qt.Key(event.key())), self._result
        if move is None or result is None:
            super().keyPressEvent(event)
            return
        place = self._place or (result.best.place if result.best else next(iter(result.cells)))
        right, up = move if self._place else (0, 0)
        column, row = self._at(place)
        steps = zip(result.axes, (column + right, row + up), strict=False)
        self.choose(tuple(axis.values[min(max(index, 0), len(axis.values) - 1)] for axis, index in steps))


def _levels(speeds: np.ndarray) -> tuple[float, float]:
    measured = speeds[np.isfinite(speeds)]
    low, high = (float(measured.min()), float(measured.max())) if len(measured) else (0.0, 1.0)
    return (low if high > low else 0.0), high


def _ink(ground: QColor) -> str:
    light = 0.299 * ground.red() + 0.587 * ground.green() + 0.114 * ground.blue()
    return "#10151C" if light > 128 else "#FFFFFF"


def _legend_of(result: SweepResult, shades: Colours) -> list[tuple[str, str, str]]:
    cells = result.cells.values()
    states = {cell.state for cell in cells}
    entries = (
        (shades.text, "★", "best", result.best is not None),
        (shades.text, "◇", "automatic", result.in_use is not None),
        (shades.control, "▨", "cannot run", "impossible" in states),
        (shades.danger, "✖", "wrong scores", "wrong" in states),
        (shades.text, "·", "not measured", "waiting" in states),
        (shades.text, "↓", "at a lower clock", any(cell.slowed for cell in cells)),
    )
    return [entry[:3] for entry in entries if entry[3]]
