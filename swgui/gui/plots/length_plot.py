"""Histogram of the lengths of a database's sequences."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from swgui.gui.models.database_details import LengthFigure
from swgui.gui.plots.score_plot import TICKS
from swgui.gui.plots.speed import ceiling
from swgui.gui.theme import arrange, colours, grid, set_role, style_plot
from swgui.gui.wording import count

UNITS = ((1_000_000_000, "G"), (1_000_000, "M"), (100_000, "k"))  # shorter than thousands separators
LEVELS = 4  # ticks of the upright axis at most
LEAST_DECADES = 0.12  # or one bar would fill the plot


class LengthPlot(QWidget):
    """Sequences per length; the length axis is logarithmic."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lengthPlot")
        self.setAccessibleName("Lengths of all sequences")
        self.plot = pg.PlotWidget(enableMenu=False)
        item = self.plot.getPlotItem()
        item.hideButtons()
        item.setMouseEnabled(False, False)
        item.disableAutoRange()
        item.setLabel("left", "sequences")
        item.setLabel("bottom", "length")
        item.layout.setContentsMargins(0, grid(1), grid(1.5), 0)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.plot.setMinimumHeight(grid(16))
        self._bars = pg.PlotDataItem([0, 1], [0], stepMode="center", fillLevel=0)
        self._median = pg.InfiniteLine(angle=90, movable=False)
        for part in (self._bars, self._median):
            self.plot.addItem(part)
        self.plot.scene().sigMouseMoved.connect(self._point_at)
        self._legend = QLabel()
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        set_role(self._legend, level="small")
        layout = QVBoxLayout(self)
        arrange(layout, 0, 0.5)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self._legend)
        self.show_figure(None)

    def sizeHint(self) -> QSize:
        """Return a size at which the bars can be told apart."""
        return QSize(grid(48), grid(24))

    def show_figure(self, figure: LengthFigure | None) -> None:
        """Draw the lengths of a database, or nothing."""
        self._figure = figure
        for part in (self._bars, self._median):
            part.setVisible(figure is not None)
        if figure is not None:
            edges = np.log10(figure.edges)
            self._bars.setData(edges, figure.counts)
            self._median.setPos(math.log10(figure.median + 0.5))
            spare = max(0.0, LEAST_DECADES - float(edges[-1] - edges[0])) / 2 + 0.01
            self.plot.setXRange(float(edges[0]) - spare, float(edges[-1]) + spare, padding=0)
            top = ceiling(float(figure.counts.max()) * 1.02)
            self.plot.setYRange(0, top, padding=0)
            self._set_ticks(figure, top)
            self.plot.getPlotItem().setLabel("bottom", f"length in {figure.letters}s")
        self._restyle()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_figure"):
            self._restyle()

    def describe_bin(self, length: float) -> str:
        """Say how many sequences have about this length; empty outside of the bars."""
        figure = self._figure
        if figure is None or not figure.edges[0] <= length < figure.edges[-1]:
            return ""
        at = int(np.searchsorted(figure.edges, length, side="right")) - 1
        low, high = int(figure.edges[at]), int(figure.edges[at + 1]) - 1
        span = f"{low:,} to {high:,}" if high > low else f"{low:,}"
        return f"{span} {figure.letters}s: {count(int(figure.counts[at]), 'sequence')}"

    def _point_at(self, position: QPointF) -> None:
        box = self.plot.getPlotItem().getViewBox()
        text = ""
        if box.sceneBoundingRect().contains(position):
            text = self.describe_bin(10 ** min(box.mapSceneToView(position).x(), 15.0))
        QToolTip.showText(self.plot.mapToGlobal(self.plot.mapFromScene(position)), text, self.plot)

    def _set_ticks(self, figure: LengthFigure, top: float) -> None:
        low, high = int(figure.edges[0]), int(figure.edges[-1]) - 1
        decades = math.log10(figure.edges[-1] / low)
        steps = TICKS[min(int(decades), len(TICKS) - 1)]
        every = (step * 10**power for power in range(12) for step in steps)
        lengths = [int(tick) for tick in every if low <= tick <= high and tick == int(tick)]
        if len(lengths) < 2:
            lengths = sorted({low, high})
        step = max(1, round(ceiling(top / LEVELS)))
        item = self.plot.getPlotItem()
        item.getAxis("bottom").setTicks([[(math.log10(tick + 0.5), _short(tick)) for tick in lengths]])
        item.getAxis("left").setTicks([[(level, f"{level:,}") for level in range(0, int(top) + 1, step)]])

    def _restyle(self) -> None:
        shades = colours(self)
        style_plot(self.plot)
        self._bars.setBrush(pg.mkBrush(shades.accent_soft))
        self._bars.setPen(pg.mkPen(shades.series[0], width=1))
        self._median.setPen(pg.mkPen(shades.series[1], width=1, style=Qt.PenStyle.DashLine))
        figure = self._figure
        if figure is None:
            self._legend.setText("")
            self.setAccessibleDescription("")
            return
        self._legend.setText(
            f'<span style="color:{shades.series[0]}">▮</span> {count(int(figure.counts.sum()), "sequence")}'
            f'&nbsp;&nbsp; <span style="color:{shades.series[1]}">╎</span> median {figure.median:,}'
            f"&nbsp;&nbsp; longest {figure.longest:,}"
        )
        self.setAccessibleDescription(
            f"{count(int(figure.counts.sum()), 'sequence')}, median length {figure.median:,}, "
            f"longest {figure.longest:,} {figure.letters}s."
        )


def _short(number: int) -> str:
    for size, unit in UNITS:
        if number >= size:
            return f"{number / (1000 if unit == 'k' else size):g} {unit}"
    return f"{number:,}"
