"""Lines of a sweep: speed against the values of one axis, with whiskers, one line for each value of the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from swgui.core.methods.base import AUTO
from swgui.core.sweep.grid import Cell, SweepResult
from swgui.core.sweep.report import grouped
from swgui.gui.device.sweep.explain import titled
from swgui.gui.kit import theme
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.plots.scale import ceiling
from swgui.gui.kit.plots.still import still_plot
from swgui.gui.kit.theme import Colours, arrange, colours, grid, set_role, style_plot

SYMBOLS = ("o", "s", "t", "d", "+", "x", "star", "p")
SIGNS = ("●", "■", "▼", "◆", "✚", "✖", "★", "⬟")
STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine)
PNG_SCALE = 3
MARGIN = 8


class SweepLines(QWidget):
    """Draws the cells of a sweep as lines; the first axis runs along the bottom."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sweepLines")
        self.setAccessibleName("Speed by settings, as lines")
        self.plot = still_plot("GCUPS")
        self._legend = QLabel()
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._legend.setWordWrap(True)
        set_role(self._legend, level="small")
        layout = QVBoxLayout(self)
        arrange(layout, 0, 0.5)
        layout.addWidget(self._legend)
        layout.addWidget(self.plot, 1)
        self._result: SweepResult | None = None

    def sizeHint(self) -> QSize:
        """Return a size at which the lines can be told apart."""
        return QSize(grid(56), grid(28))

    def show_result(self, result: SweepResult | None) -> None:
        """Draw a sweep, also one that is under way."""
        self._result = result
        self._draw(colours(self))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_result"):
            self._draw(colours(self))

    def picture(self, lines: Sequence[str]) -> QImage:
        """Return the plot as a picture for a paper, in the colours of a light window, with `lines` above it."""
        height = self.fontMetrics().height()
        names = [f"{SIGNS[at % len(SIGNS)]} {name}" for at, name in enumerate(self._names()) if name]
        texts = [*lines, *(["   ".join(names)] if names else [])]
        head = height * len(texts) + 2 * MARGIN
        size = self.plot.size()
        image = QImage(size.width() * PNG_SCALE, (size.height() + head) * PNG_SCALE, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(PNG_SCALE)
        image.fill(QColor(theme.LIGHT.base))
        painter = QPainter(image)
        painter.setPen(QColor(theme.LIGHT.text))
        painter.setFont(self.font())
        for at, text in enumerate(texts):
            painter.drawText(MARGIN, MARGIN + height * (at + 1), text)
        self._draw(theme.LIGHT)
        try:
            self.plot.render(painter, QRectF(0, head, size.width(), size.height()), self.plot.viewport().rect())
        finally:
            painter.end()
            self._draw(colours(self))
        return image

    def _names(self) -> tuple[str, ...]:
        axes = self._result.axes if self._result else ()
        return axes[1].values if len(axes) > 1 else ("",)

    def _draw(self, shades: Colours) -> None:
        item = self.plot.getPlotItem()
        item.clear()
        style_plot(self.plot, shades)
        result = self._result
        if result is None:
            self._legend.setText("")
            return
        across = result.axes[0]
        top, entries = 0.0, []
        for index, name in enumerate(self._names()):
            cells = [result.cells[(value, name) if name else (value,)] for value in across.values]
            colour = shades.series[index % len(shades.series)]
            style = STYLES[index // len(shades.series) % len(STYLES)]
            top = max(top, self._line(cells, colour, style, SYMBOLS[index % len(SYMBOLS)]))
            if name:
                text = "automatic" if name == AUTO else grouped(name)
                entries.append(f'<span style="color:{colour}">{SIGNS[index % len(SIGNS)]}</span> {text}')
        item.setLabel("bottom", titled(across))
        item.getAxis("bottom").setTicks([list(enumerate(map(grouped, across.values)))])
        item.setXRange(-0.4, len(across.values) - 0.6, padding=0)
        item.setYRange(0, ceiling(top * 1.05), padding=0)
        self._legend.setText("&nbsp;&nbsp;&nbsp; ".join(entries))
        self._legend.setVisible(bool(entries))
        self.setAccessibleDescription(f"{len(result.measured)} of {len(result.cells)} points measured.")

    def _line(self, cells: Sequence[Cell], colour: str, style: Qt.PenStyle, symbol: str) -> float:
        """Draw the usable cells of one line; returns the highest value."""
        points = [(at, cell) for at, cell in enumerate(cells) if cell.usable]
        if not points:
            return 0.0
        x, y = [at for at, _ in points], [cell.median for _, cell in points]
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
