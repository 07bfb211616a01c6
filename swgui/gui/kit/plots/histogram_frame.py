"""Common parts of histograms: a plot that cannot be dragged, bars, ticks and a legend below."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.plots.still import pg, still_plot
from swgui.gui.kit.theme import Colours, colours, keep_size, style_plot
from swgui.gui.kit.widgets import text_label

# Round values within a decade of a logarithmic axis: the more decades there are, the fewer have room.
TICKS = ((1, 1.5, 2, 3, 4, 5, 7), (1, 2, 5), (1, 3), (1,))


class HistogramFrame(QWidget):
    """A plot of sequences, or of something else (`left`), per something.

    Subclasses put lines into ``plot`` and override `restyle_lines` and `legend_text`.

    Parameters
    ----------
    height : float
        Least height in grid units.
    """

    def __init__(
        self,
        name: str,
        bottom: str,
        height: float,
        fill_level: float = 0,
        parent: QWidget | None = None,
        *,
        left: str = "sequences",
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.plot = still_plot(left, bottom)
        self.plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        keep_size(self.plot, height=height)
        self.bars = pg.PlotDataItem([0, 1], [0], stepMode="center", fillLevel=fill_level)
        self.plot.addItem(self.bars)
        self.legend = text_label(level="small", wrap=True)
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self._column = in_column((self.plot, 1), self.legend, spacing=0.5, parent=self)

    def set_ticks(self, bottom: list[tuple[float, str]], left: list[tuple[float, str]]) -> None:
        item = self.plot.getPlotItem()
        item.getAxis("bottom").setTicks([bottom])
        item.getAxis("left").setTicks([left])

    def restyle(self) -> None:
        shades = colours(self)
        style_plot(self.plot)
        self.bars.setBrush(pg.mkBrush(shades.accent_soft))
        self.bars.setPen(pg.mkPen(shades.series[0], width=1))
        self.restyle_lines(shades)
        self.describe()

    def describe(self) -> None:
        text, plain = self.legend_text(colours(self))
        self.legend.setText(text)
        self.setAccessibleDescription(plain)
        self._keep_legend_in_sight()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_legend_in_sight()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._column.setGeometry(self.contentsRect())  # Qt does not report a minimum height set while it was hidden

    def _keep_legend_in_sight(self) -> None:
        legend = self.legend.heightForWidth(self.width()) if self.legend.text() else 0
        self.setMinimumHeight(self.plot.minimumHeight() + self._column.spacing() + legend)

    def restyle_lines(self, shades: Colours) -> None:
        raise NotImplementedError

    def legend_text(self, shades: Colours) -> tuple[str, str]:
        """Return the legend as rich text of our own, and as plain words."""
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "legend"):
            self.restyle()
            QTimer.singleShot(0, self, self._keep_legend_in_sight)  # the plot has its new height then


def mark(colour: str, sign: str) -> str:
    return f'<span style="color:{colour}">{sign}</span>'
