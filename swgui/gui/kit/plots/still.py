"""A plot that the mouse cannot move: the code that draws sets its axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from swgui.gui.kit.theme import colours, grid, prepare_plots

__all__ = ["pg"]

if isinstance(_app := QApplication.instance(), QApplication):
    prepare_plots(colours(_app.palette()))

STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)


class CountAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis whose numbers have thousands separators, as everywhere in the window."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        plain = super().tickStrings(values, scale, spacing)
        return [
            f"{value * scale:,.0f}" if spacing * scale >= 1 else text for value, text in zip(values, plain, strict=True)
        ]


def still_plot(left: str, bottom: str = "") -> pg.PlotWidget:
    """Return a plot without menu, buttons, mouse and focus, with these labels of its axes."""
    plot = pg.PlotWidget(enableMenu=False, axisItems={"left": CountAxis("left")})
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


def ceiling(value: float) -> float:
    """Return the next round number at or above `value`: axes grow in steps and do not jitter."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10.0 ** math.floor(math.log10(value))
    return next(step * power for step in STEPS if step * power >= value * (1 - 1e-9))
