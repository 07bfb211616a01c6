"""Histogram of the lengths of a database's sequences."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core.words import count
from swgui.gui.databases.details import LengthFigure
from swgui.gui.kit.plots.histogram_frame import TICKS, HistogramFrame, mark
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.plots.scale import ceiling
from swgui.gui.kit.theme import Colours, grid

UNITS = ((1_000_000_000, "G"), (1_000_000, "M"), (100_000, "k"))  # shorter than thousands separators
LEVELS = 4  # ticks of the upright axis at most
MIN_DECADES = 0.12  # or one bar would fill the plot


class LengthPlot(HistogramFrame):
    """Sequences per length; the length axis is logarithmic."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Lengths of all sequences", "length", 16, parent=parent)
        self.setObjectName("lengthPlot")
        self._figure: LengthFigure | None = None
        self._median = pg.InfiniteLine(angle=90, movable=False)
        self.plot.addItem(self._median)
        self.plot.scene().sigMouseMoved.connect(self._point_at)
        self.show_figure(None)

    def sizeHint(self) -> QSize:
        """Return a size at which the bars can be told apart."""
        return QSize(grid(48), grid(24))

    def show_figure(self, figure: LengthFigure | None) -> None:
        """Draw the lengths of a database, or nothing."""
        self._figure = figure
        for part in (self.bars, self._median):
            part.setVisible(figure is not None)
        if figure is not None:
            edges = np.log10(figure.edges)
            self.bars.setData(edges, figure.counts)
            self._median.setPos(math.log10(figure.median + 0.5))
            spare = max(0.0, MIN_DECADES - float(edges[-1] - edges[0])) / 2 + 0.01
            self.plot.setXRange(float(edges[0]) - spare, float(edges[-1]) + spare, padding=0)
            top = ceiling(float(figure.counts.max()) * 1.02)
            self.plot.setYRange(0, top, padding=0)
            self._set_ticks(figure, top)
            self.plot.getPlotItem().setLabel("bottom", f"length in {figure.unit}s")
        self.restyle()

    def describe_bin(self, length: float) -> str:
        """Say how many sequences have about this length; empty outside of the bars."""
        figure = self._figure
        if figure is None or not figure.edges[0] <= length < figure.edges[-1]:
            return ""
        at = int(np.searchsorted(figure.edges, length, side="right")) - 1
        low, high = int(figure.edges[at]), int(figure.edges[at + 1]) - 1
        span = f"{low:,} to {high:,}" if high > low else f"{low:,}"
        return f"{span} {figure.unit}s: {count(int(figure.counts[at]), 'sequence')}"

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
        self.set_ticks(
            [(math.log10(tick + 0.5), _short(tick)) for tick in lengths],
            [(level, f"{level:,}") for level in range(0, int(top) + 1, step)],
        )

    def restyle_lines(self, shades: Colours) -> None:
        """Colour the median."""
        self._median.setPen(pg.mkPen(shades.series[1], width=1, style=Qt.PenStyle.DashLine))

    def legend_text(self, shades: Colours) -> tuple[str, str]:
        """Say how many sequences there are, and how long."""
        figure = self._figure
        if figure is None:
            return "", ""
        sequences = count(int(figure.counts.sum()), "sequence")
        text = (
            f"{mark(shades.series[0], '▮')} {sequences}&nbsp;&nbsp; {mark(shades.series[1], '╎')} median "
            f"{figure.median:,}&nbsp;&nbsp; longest {figure.longest:,}"
        )
        return text, f"{sequences}, median length {figure.median:,}, longest {figure.longest:,} {figure.unit}s."


def _short(number: int) -> str:
    for size, unit in UNITS:
        if number >= size:
            return f"{number / (1000 if unit == 'k' else size):g} {unit}"
    return f"{number:,}"
