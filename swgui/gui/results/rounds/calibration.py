"""Whether E-values of the rounds mean what they say: sequences found beyond those included, against those expected."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QWidget

from swgui.core.profiles.rounds import CALIBRATION_LIMITS, QueryRounds
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.plots.histogram_frame import mark
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.plots.still import still_plot
from swgui.gui.kit.theme import Colours, colours, grid, plot_pen, style_plot
from swgui.gui.kit.widgets import described, text_label

FEWEST: Final = 0.3  # in place of nobody, which has no logarithm
SIGNS: Final = {"o": "●", "s": "■"}  # of symbols, in texts

_Numbers = NDArray[np.float64]


class CalibrationPlot(QWidget):
    """Draws a line for every round; right E-values lie on the diagonal."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "calibrationPlot", accessible="Other sequences found, against those expected by chance")
        self.plot = still_plot("other sequences found", "expected by chance: E up to")
        self._legend = text_label(name="calibrationLegend", level="small")
        in_column(self._legend, (self.plot, 1), spacing=0.5, parent=self)
        self._rounds: QueryRounds | None = None

    def sizeHint(self) -> QSize:
        """Return a size at which the lines can be told apart."""
        return QSize(grid(60), grid(32))

    def show_rounds(self, rounds: QueryRounds, sequences: int) -> None:
        """Draw the rounds of a search of so many sequences."""
        self._rounds, self._shown = rounds, [limit <= sequences for limit in CALIBRATION_LIMITS]
        self._draw(colours(self))

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and getattr(self, "_rounds", None):
            self._draw(colours(self))

    def _draw(self, shades: Colours) -> None:
        item = self.plot.getPlotItem()
        item.clear()
        style_plot(self.plot, shades)
        assert self._rounds is not None
        limits = np.array(CALIBRATION_LIMITS)[self._shown]
        across = np.log10(limits)
        ends = np.array([across[0], across[-1]])
        item.addItem(pg.PlotDataItem(ends, ends, pen=plot_pen(self.plot, shades.muted, 1, style=Qt.PenStyle.DashLine)))
        highest, last = across[-1], len(self._rounds)
        for number in (*range(2, last), 1, last):  # what is told apart lies above the others
            one = self._rounds.rounds[number - 1]
            if not one.beyond:
                continue
            found = np.log10(np.maximum(np.array(one.beyond, dtype=float)[self._shown], FEWEST))
            highest = max(highest, float(found.max()))
            item.addItem(self._line(across, found, *self._look(number, shades)))
        item.getAxis("bottom").setTicks([[(at, f"{10**at:g}") for at in across.tolist()]])
        lowest = np.log10(FEWEST)
        ticks = [(lowest, "0"), *((at, f"{10**at:,.0f}") for at in range(int(highest) + 1))]
        item.getAxis("left").setTicks([ticks])
        item.setXRange(across[0] - 0.2, across[-1] + 0.2, padding=0)
        item.setYRange(lowest - 0.2, highest + 0.2, padding=0)
        self._legend.setText("&nbsp;&nbsp;&nbsp; ".join(self._entries(shades)))

    def _entries(self, shades: Colours) -> Iterator[str]:
        """Yield what the legend says, as rich text."""
        assert self._rounds is not None
        for number in sorted({1, len(self._rounds)}):
            colour, symbol = self._look(number, shades)
            yield f"{mark(colour, SIGNS[symbol])} Round {number}"
        if len(self._rounds) > 2:
            yield f"{mark(shades.control, '—')} the rounds between"
        yield f"{mark(shades.muted, '- -')} as chance gives"

    def _look(self, number: int, shades: Colours) -> tuple[str, str]:
        """Return colour and symbol of a round."""
        if number == len(self._rounds or ()):
            return shades.series[0], "o"
        return (shades.series[1], "s") if number == 1 else (shades.control, "")

    def _line(
        self, across: NDArray[np.float64], found: NDArray[np.float64], colour: str, symbol: str
    ) -> pg.PlotDataItem:
        pen = plot_pen(self.plot, colour, 1.5 if symbol else 1)
        points = {"symbol": symbol, "symbolSize": grid(0.9), "symbolBrush": colour, "symbolPen": None} if symbol else {}
        return pg.PlotDataItem(across, found, pen=pen, **points)
