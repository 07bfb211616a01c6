"""A plot that shows and does not let itself be moved: its axes are set by whoever draws."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.theme import grid


class CountAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph has no types
    """An axis whose numbers have their thousands apart, as everywhere in the window."""

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
