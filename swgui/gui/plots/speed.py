"""Live plot of the speed of a run."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from swgui.gui.pages.run_state import RunState
from swgui.gui.theme import arrange, colours, grid, set_role, style_plot

DEFINITION = (
    "GCUPS = query residues × database residues scored ÷ seconds ÷ 10⁹. "
    "Solid: by the clock, everything included. Dashed: while the device computed."
)
STEPS = (1, 1.5, 2, 3, 4, 5, 6, 8, 10)


def ceiling(value: float) -> float:
    """Return the next round number at or above `value`: axes grow in steps and do not jitter."""
    if value <= 0 or not math.isfinite(value):
        return 1.0
    power = 10 ** math.floor(math.log10(value))
    return next(step * power for step in STEPS if step * power >= value * (1 - 1e-9))


class SpeedPlot(QWidget):
    """GCUPS against seconds: one solid line by the clock, one dashed line per device."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speedPlot")
        self.setAccessibleName("Speed of the run")
        self.plot = pg.PlotWidget()
        item = self.plot.getPlotItem()
        item.setMenuEnabled(False)
        item.layout.setContentsMargins(0, grid(1), grid(1.5), 0)
        item.hideButtons()
        item.setMouseEnabled(False, False)
        item.disableAutoRange()
        item.setLabel("left", "GCUPS")
        item.setLabel("bottom", "seconds")
        self.plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._wall = self.plot.plot([], [])
        self._devices: dict[str, pg.PlotDataItem] = {}
        self._legend = QLabel()
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        definition = QLabel(DEFINITION)
        definition.setWordWrap(True)
        set_role(definition, level="small")
        layout = QVBoxLayout(self)
        arrange(layout, 0, 0.5)
        layout.addWidget(self._legend)
        layout.addWidget(self.plot, 1)
        layout.addWidget(definition)
        self.clear()

    def minimumSizeHint(self) -> QSize:
        """Return a size below which nothing could be read."""
        return QSize(grid(32), grid(17))

    def sizeHint(self) -> QSize:
        """Return a size at which the curve can be read."""
        return QSize(grid(48), grid(18))

    def clear(self) -> None:
        """Forget the curves."""
        for curve in self._devices.values():
            self.plot.removeItem(curve)
        self._devices.clear()
        self._wall.setData([], [])
        self._state: RunState | None = None
        self._legend.setText("Speed")
        self._top = self._right = 0.0
        self._range(1.0, 1.0)
        self._restyle()

    def show_state(self, state: RunState) -> None:
        """Draw the curves of a run as they are now."""
        self._state = state
        x, y = state.wall.points()
        self._wall.setData(x, y)
        top = float(y.max()) if len(y) else 0.0
        for name, ring in state.devices.items():
            if name not in self._devices:
                self._devices[name] = self.plot.plot([], [])
                self._restyle()
            device_x, device_y = ring.points()
            self._devices[name].setData(device_x, device_y)
            top = max(top, float(device_y.max()))
        left = float(x[0]) if len(x) else 0.0
        self._range(top, float(x[-1]) if len(x) else 1.0, left if len(state.wall) >= 2000 else 0.0)
        self._legend.setText(self._describe(state))
        self.setAccessibleDescription(f"Now {state.gcups:.1f} GCUPS by the clock. {DEFINITION}")

    def changeEvent(self, event: QEvent) -> None:
        """Follow the theme and the text size."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_wall"):
            self._restyle()
            if self._state is not None:
                self._legend.setText(self._describe(self._state))

    def _describe(self, state: RunState) -> str:
        shades = colours(self)
        parts = [f'<b>Speed</b>&nbsp;&nbsp; <span style="color:{shades.series[0]}">—</span> by the clock']
        if state.gcups:
            parts[0] += f" <b>{state.gcups:,.1f}</b>"
        for index, (name, ring) in enumerate(state.devices.items()):
            colour = shades.series[(index + 1) % len(shades.series)]
            newest = ring.points()[1][-1]
            parts.append(f'<span style="color:{colour}">╌</span> {name} <b>{newest:,.1f}</b>')
        return "&nbsp;&nbsp;&nbsp; ".join(parts) + " GCUPS"

    def _range(self, top: float, right: float, left: float = 0.0) -> None:
        self._top = max(self._top, ceiling(top * 1.05))
        self._right = max(self._right, ceiling(right))
        self.plot.setXRange(left, self._right, padding=0)
        self.plot.setYRange(0, self._top, padding=0)

    def _restyle(self) -> None:
        shades = colours(self)
        style_plot(self.plot)
        self._wall.setPen(pg.mkPen(shades.series[0], width=1))
        for index, curve in enumerate(self._devices.values()):
            colour = shades.series[(index + 1) % len(shades.series)]
            curve.setPen(pg.mkPen(colour, width=1, style=Qt.PenStyle.DashLine))
