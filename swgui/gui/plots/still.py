"""A plot that shows and does not let itself be moved: its axes are set by whoever draws."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import Qt

from swgui.gui.theme import grid


def still_plot(left: str, bottom: str = "") -> pg.PlotWidget:
    """Return a plot without menu, buttons, mouse and focus, with these labels of its axes."""
    plot = pg.PlotWidget(enableMenu=False)
    item = plot.getPlotItem()
    item.hideButtons()
    item.setMouseEnabled(False, False)
    item.disableAutoRange()
    item.setLabel("left", left)
    if bottom:
        item.setLabel("bottom", bottom)
    item.layout.setContentsMargins(0, grid(1), grid(1.5), 0)
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return plot
