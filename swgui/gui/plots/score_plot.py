"""Histogram of the scores of a whole database, with what the fit expects, the limit and the chosen hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QVBoxLayout, QWidget

from swgui.core.statistics_histogram import ScoreHistogram
from swgui.gui.theme import arrange, colours, grid, set_role, style_plot

FLOOR = 0.5  # a bin with one sequence must stand above the axis, which is logarithmic
# Round scores within a decade: the more decades there are, the fewer of them have room.
TICKS = ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1, 3), (1,))


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFigure:
    """What the plot shows.

    Parameters
    ----------
    histogram : ScoreHistogram
    limit_score : int
        Lowest score among the hits; 0 for none.
    """

    histogram: ScoreHistogram
    limit_score: int


class ScorePlot(QWidget):
    """Sequences per score, both axes logarithmic: bars are counted, the line is what the fit expects."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scorePlot")
        self.setAccessibleName("Scores of all sequences")
        self.plot = pg.PlotWidget(enableMenu=False)
        item = self.plot.getPlotItem()
        item.hideButtons()
        item.setMouseEnabled(False, False)
        item.disableAutoRange()
        item.setLabel("left", "sequences")
        item.setLabel("bottom", "score")
        item.layout.setContentsMargins(0, grid(1), grid(1), 0)
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.plot.setMinimumHeight(grid(22))
        self._bars = pg.PlotDataItem([0, 1], [0], stepMode="center", fillLevel=np.log10(FLOOR))
        self._expected = pg.PlotDataItem([], [])
        self._limit = pg.InfiniteLine(angle=90, movable=False)
        self._hit = pg.InfiniteLine(angle=90, movable=False)
        for part in (self._bars, self._expected, self._limit, self._hit):
            self.plot.addItem(part)
        self._legend = QLabel()
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._legend.setWordWrap(True)
        set_role(self._legend, level="small")
        layout = QVBoxLayout(self)
        arrange(layout, 0, 0.5)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self._legend)
        self.clear()

    def sizeHint(self) -> QSize:
        """Return a size at which the bars can be told apart."""
        return QSize(grid(42), grid(26))

    def clear(self) -> None:
        """Show nothing."""
        self._figure: ScoreFigure | None = None
        self._score = 0
        for part in (self._bars, self._expected, self._limit, self._hit):
            part.hide()
        self._restyle()

    def show_figure(self, figure: ScoreFigure) -> None:
        """Draw the histogram of another query or of other limits."""
        self._figure = figure
        histogram = figure.histogram
        edges = np.log10(np.maximum(histogram.edges, FLOOR))
        self._bars.setData(edges, np.log10(np.maximum(histogram.counts, FLOOR)))
        self._bars.show()
        top = float(histogram.counts.max())
        if histogram.expected is not None:
            seen = histogram.expected > FLOOR / 5
            seen[[0, -1]] = False  # these two stand for everything below and above, no point of the curve
            centers = np.log10(np.maximum(histogram.centers, FLOOR))
            self._expected.setData(centers[seen], np.log10(histogram.expected[seen]))
            top = max(top, float(histogram.expected.max()))
        self._expected.setVisible(histogram.expected is not None)
        self._limit.setVisible(figure.limit_score > 0)
        if figure.limit_score > 0:
            self._limit.setPos(np.log10(max(figure.limit_score - 0.5, FLOOR)))
        self.plot.setXRange(float(edges[0]), float(edges[-1]) + 0.05, padding=0)
        self.plot.setYRange(np.log10(FLOOR), np.log10(max(top, 10.0)) + 0.15, padding=0)
        self._set_ticks(float(10 ** edges[0]), float(10 ** edges[-1]), top)
        self._restyle()

    def mark(self, score: int) -> None:
        """Mark the score of the chosen hit; 0 for none."""
        self._score = score
        self._hit.setVisible(score > 0)
        if score > 0:
            self._hit.setPos(np.log10(score))
        self._describe()

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_legend"):
            self._restyle()

    def _set_ticks(self, low: float, high: float, top: float) -> None:
        item = self.plot.getPlotItem()
        steps = TICKS[min(int(np.log10(high / low) / 0.75), len(TICKS) - 1)]
        every = (step * 10**power for power in range(8) for step in steps)
        scores = [tick for tick in every if low <= tick <= high and tick == int(tick)]
        powers = range(int(np.floor(np.log10(max(top, 10.0)))) + 1)
        item.getAxis("bottom").setTicks([[(np.log10(tick), f"{tick:,.0f}") for tick in scores]])
        item.getAxis("left").setTicks([[(power, f"{10**power:,}") for power in powers]])

    def _restyle(self) -> None:
        shades = colours(self)
        style_plot(self.plot)
        self._bars.setBrush(pg.mkBrush(shades.accent_soft))
        self._bars.setPen(pg.mkPen(shades.series[0], width=1))
        self._expected.setPen(pg.mkPen(shades.series[1], width=2))
        self._limit.setPen(pg.mkPen(shades.muted, width=1, style=Qt.PenStyle.DashLine))
        self._hit.setPen(pg.mkPen(shades.series[2], width=2))
        self._describe()

    def _describe(self) -> None:
        if self._figure is None:
            self._legend.setText("")
            return
        shades, histogram = colours(self), self._figure.histogram
        parts = [f'<span style="color:{shades.series[0]}">▮</span> {int(histogram.counts.sum()):,} sequences counted']
        if histogram.expected is not None:
            parts.append(f'<span style="color:{shades.series[1]}">—</span> expected of unrelated ones')
        if self._figure.limit_score > 0:
            parts.append(f"╎ hits from {self._figure.limit_score:,} on")
        if self._score > 0:
            parts.append(f'<span style="color:{shades.series[2]}">│</span> chosen hit {self._score:,}')
        text = "&nbsp;&nbsp; ".join(parts)
        self._legend.setText(text)
        self.setAccessibleDescription(
            f"{int(histogram.counts.sum()):,} sequences; hits from score {self._figure.limit_score:,} on; "
            f"chosen hit {self._score:,}."
        )
