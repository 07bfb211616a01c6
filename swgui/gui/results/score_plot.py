"""Histogram of the scores of a whole database, with what the fit expects, the limit and the chosen hit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from swgui.core import words
from swgui.core.statistics.histogram import ScoreHistogram
from swgui.gui.kit.plots.histogram_frame import TICKS, HistogramFrame, mark
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.theme import Colours, grid, plot_pen

FLOOR = 0.5  # a bin with one sequence must stand above the axis, which is logarithmic


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


class ScorePlot(HistogramFrame):
    """Sequences per score, both axes logarithmic: bars are counted, the line is what the fit expects."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scores of all sequences", "score (logarithmic)", 22, float(np.log10(FLOOR)), parent)
        self.setObjectName("scorePlot")
        self._figure: ScoreFigure | None = None
        self._score = 0
        self._expected = pg.PlotDataItem([], [])
        self._limit = pg.InfiniteLine(angle=90, movable=False)
        self._hit = pg.InfiniteLine(angle=90, movable=False)
        for part in (self._expected, self._limit, self._hit):
            self.plot.addItem(part)
        self.clear()

    def sizeHint(self) -> QSize:
        """Return a size at which the bars can be told apart."""
        return QSize(grid(42), grid(26))

    def clear(self) -> None:
        """Hide bars, curve and lines."""
        self._figure, self._score = None, 0
        for part in (self.bars, self._expected, self._limit, self._hit):
            part.hide()
        self.restyle()

    def show_figure(self, figure: ScoreFigure) -> None:
        """Draw the histogram of another query or of other limits."""
        self._figure = figure
        histogram = figure.histogram
        edges = np.log10(np.maximum(histogram.edges, FLOOR))
        self.bars.setData(edges, np.log10(np.maximum(histogram.counts, FLOOR)))
        self.bars.show()
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
        self.restyle()

    def mark(self, score: int) -> None:
        """Mark the score of the chosen hit; 0 for none."""
        self._score = score
        self._hit.setVisible(score > 0)
        if score > 0:
            self._hit.setPos(np.log10(score))
        self.describe()

    def _set_ticks(self, low: float, high: float, top: float) -> None:
        steps = TICKS[min(int(np.log10(high / low) / 0.75), len(TICKS) - 1)]
        every = (step * 10**power for power in range(8) for step in steps)
        scores = [tick for tick in every if low <= tick <= high and tick == int(tick)]
        powers = range(int(np.floor(np.log10(max(top, 10.0)))) + 1)
        self.set_ticks(
            [(float(np.log10(tick)), f"{tick:,.0f}") for tick in scores],
            [(power, f"{10**power:,}") for power in powers],
        )

    def restyle_lines(self, shades: Colours) -> None:
        """Colour curve, limit and chosen hit."""
        self._expected.setPen(plot_pen(self.plot, shades.series[1], 2))
        self._limit.setPen(pg.mkPen(shades.muted, width=1, style=Qt.PenStyle.DashLine))
        self._hit.setPen(plot_pen(self.plot, shades.series[2], 2))

    def legend_text(self, shades: Colours) -> tuple[str, str]:
        """Say what was counted, what was expected, and where limit and hit are."""
        if self._figure is None:
            return "", ""
        histogram = self._figure.histogram
        counted = words.count(int(histogram.counts.sum()), "subject")
        parts = [f"{mark(shades.series[0], '▮')} {counted}"]
        if histogram.expected is not None:
            parts.append(f"{mark(shades.series[1], '—')} expected if all were unrelated")
        if self._figure.limit_score > 0:
            parts.append(f"╎ hits from score {self._figure.limit_score:,} on")
        if self._score > 0:
            parts.append(f"{mark(shades.series[2], '│')} current hit: score {self._score:,}")
        plain = f"{counted}; hits from score {self._figure.limit_score:,} on; current hit: score {self._score:,}."
        return "&nbsp;&nbsp; ".join(parts), plain
