"""Live plot of the speed of a run."""

from __future__ import annotations

import html
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from swgui.core.devices import CPU
from swgui.core.trace import OTHER
from swgui.core.words import duration
from swgui.engines.monitor import Reading
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.plots.still import ceiling, pg, still_plot
from swgui.gui.kit.theme import colours, grid, set_role, style_plot
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.live.run_state import POINTS, RunState
from swgui.gui.live.run_trace import Curve, RunTrace
from swgui.gui.live.watch import describe

DEFINITION = (
    "GCUPS = query residues × database residues scored ÷ seconds ÷ 10⁹. "
    "Solid: overall, everything included. Dashed: while the device computed."
)
PART_NAMES = {
    "import": "loading the program",
    "open": "opening",
    "compile": "compiling kernels",
    "upload": "to the GPU",
    "scan": "scoring",
    "rank": "ranking",
    "align": "aligning",
    "format": "formatting",
    "write": "writing",
    OTHER: "the rest",
}
SHOWN_FROM = 0.05  # seconds of a part
UNITS = ((3 * 3600, 3600, "hours"), (5 * 60, 60, "minutes"), (0, 1, "seconds"))  # from so many seconds on


def begun(curve: Curve, moments: NDArray[np.float64]) -> Curve:
    """Return a curve from where its first stretch begins: its points are where stretches end.

    Parameters
    ----------
    curve : tuple of ndarray, dtype=float64, shape=(n,)
        Seconds and GCUPS.
    moments : ndarray, dtype=float64
        Seconds at which any stretch ends, ascending.
    """
    x, y = curve
    if not len(x):
        return curve
    before = np.searchsorted(moments, x[0])
    return np.insert(x, 0, moments[before - 1] if before else 0.0), np.insert(y, 0, y[0])


def parts_line(seconds: Mapping[str, float]) -> str:
    """Return in how many parts the time of a run has gone, the largest first; empty before any took time."""
    told = sorted(((took, PART_NAMES[name]) for name, took in seconds.items() if took >= SHOWN_FROM), reverse=True)
    return "Time: " + ",  ".join(f"{name} {duration(took)}" for took, name in told) if told else ""


class SpeedPlot(QWidget):
    """GCUPS against time: one solid line by the clock, one dashed line per device; below, how the devices are doing.

    A run that goes on for long shows its newest minutes; a button shows all of it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speedPlot")
        self.setAccessibleName("Speed of the run")
        self.setToolTip(DEFINITION)
        self.plot = still_plot("GCUPS", "seconds")
        self.plot.getPlotItem().getAxis("bottom").enableAutoSIPrefix(False)  # 0.05 seconds, not 50 seconds (x0.001)
        self._wall = self.plot.plot([], [])
        self._whole = push_button(
            "speedWhole",
            "Whole run",
            "Show the run from its beginning instead of its newest part",
            lambda _on: self._draw(),
            role="quiet",
        )
        self._whole.setCheckable(True)
        self._whole.hide()
        self._devices_now = text_label("", "speedDevices", level="small", wrap=True, plain=True)
        self._devices_now.hide()
        self._parts = text_label("", "speedParts", level="small", wrap=True, plain=True)
        self._parts.setToolTip("In how many parts the time of the run has gone")
        self._parts.hide()
        self._devices: dict[str, pg.PlotDataItem] = {}
        self._legend = text_label()
        self._legend.setTextFormat(Qt.TextFormat.RichText)
        self._definition = text_label(DEFINITION, level="small", wrap=True)
        in_column(
            in_row((self._legend, 1), self._whole),
            (self.plot, 1),
            self._devices_now,
            self._parts,
            self._definition,
            spacing=0.5,
            parent=self,
        )
        self.clear()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._definition.setVisible(self.height() >= grid(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(grid(32), grid(13))

    def sizeHint(self) -> QSize:
        return QSize(grid(48), grid(18))

    def clear(self) -> None:
        """Forget the curves."""
        for curve in self._devices.values():
            self.plot.removeItem(curve)
        self._devices.clear()
        self._wall.setData([], [])
        self._state: RunState | None = None
        self._kept: RunTrace | None = None
        self._over = False
        self._legend.setText("Speed")
        self._devices_now.hide()
        self._parts.hide()
        self._whole.hide()
        self._whole.setChecked(False)
        self._top = self._right = 0.0
        self._range(1.0, 1.0)
        self._restyle()

    def show_state(self, state: RunState) -> None:
        """Draw the curves of a run as they are now."""
        self._state, self._kept = state, None
        self._parts.setText(parts_line(state.parts))
        self._parts.setVisible(bool(self._parts.text()))
        self._whole.setVisible(len(state.wall) >= POINTS)  # before that the ring holds the whole run
        self._draw()

    def end(self) -> None:
        """Say no speed of the moment any more: that of the whole run counts now, and it fills the plot."""
        self._over = True
        self._right = 0.0
        self._draw()

    def show_trace(self, trace: RunTrace) -> None:
        """Draw the curves of a saved run."""
        self.clear()
        self._right = 0.0
        self._kept = trace
        self._draw()

    def show_readings(self, readings: dict[str, Reading]) -> None:
        """Say how the devices are doing; ``cpu`` is this program on the CPU."""
        lines = [f"{'CPU' if name == CPU else f'GPU {name}'}: {describe(r)}" for name, r in readings.items()]
        self._devices_now.setText("\n".join(lines))
        self._devices_now.setVisible(bool(lines))
        slowed = any(reading.slowed for reading in readings.values())
        set_role(self._devices_now, tone="warning" if slowed else "")

    def _curves(self) -> tuple[Curve, dict[str, Curve]]:
        if self._kept is not None:
            return self._kept.wall(), {name: self._kept.device(name) for name in self._kept.devices}
        state = self._state
        if state is None:
            return RunTrace().wall(), {}
        if self._whole.isChecked() and not self._whole.isHidden():
            return state.trace.wall(), {name: state.trace.device(name) for name in state.trace.devices}
        return state.wall.points(), {name: ring.points() for name, ring in state.devices.items()}

    def _draw(self) -> None:
        (x, y), devices = self._curves()
        last = float(x[-1]) if len(x) else 1.0
        _, factor, unit = next(entry for entry in UNITS if last >= entry[0])
        if unit != self.plot.getPlotItem().getAxis("bottom").labelText:
            self.plot.setLabel("bottom", unit)
            self._right = 0.0
            style_plot(self.plot)
        newest = self._state is not None and len(x) >= POINTS and not self._whole.isChecked()
        moments = x
        if not newest:
            x, y = begun((x, y), moments)
        self._wall.setData(x / factor, y)
        top = float(y.max()) if len(y) else 0.0
        for name, (device_x, device_y) in devices.items():
            if name not in self._devices:
                self._devices[name] = self.plot.plot([], [])
                self._restyle()
            if not newest:
                device_x, device_y = begun((device_x, device_y), moments)
            self._devices[name].setData(device_x / factor, device_y)
            top = max(top, float(device_y.max()) if len(device_y) else 0.0)
        self._range(top, last / factor, float(x[0]) / factor if newest else None)
        if self._state is not None or self._kept is not None:
            self._legend.setText(self._describe(devices))
        now = self._state.gcups if self._state is not None else 0.0
        self.setAccessibleDescription(f"Now {now:.1f} GCUPS overall. {DEFINITION}")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_wall"):
            self._restyle()
            self._draw()

    def _describe(self, devices: dict[str, Curve]) -> str:
        shades = colours(self)
        state = None if self._over else self._state  # None once it is over
        parts = [f'<b>Speed</b>&nbsp;&nbsp; <span style="color:{shades.series[0]}">—</span> overall']
        if state is not None and state.gcups:
            parts[0] += f" <b>{state.gcups:,.1f}</b>"
        for index, (name, (_, speeds)) in enumerate(devices.items()):
            colour = shades.series[(index + 1) % len(shades.series)]
            newest = f" <b>{speeds[-1]:,.1f}</b>" if len(speeds) and state is not None else ""
            parts.append(f'<span style="color:{colour}">╌</span> {html.escape(name)}{newest}')
        return "&nbsp;&nbsp;&nbsp; ".join(parts) + " GCUPS"

    def _range(self, top: float, right: float, left: float | None = None) -> None:
        """Fit the axes; with `left` the newest part of a run moves along, else the axes grow in steps."""
        self._top = max(self._top, ceiling(top * 1.05))
        if left is None:
            self._right = max(self._right, ceiling(right))
            self.plot.setXRange(0, self._right, padding=0)
        else:
            self.plot.setXRange(left, right, padding=0)
        self.plot.setYRange(0, self._top, padding=0)

    def _restyle(self) -> None:
        shades = colours(self)
        style_plot(self.plot)
        self._wall.setPen(pg.mkPen(shades.series[0], width=1))
        for index, curve in enumerate(self._devices.values()):
            colour = shades.series[(index + 1) % len(shades.series)]
            curve.setPen(pg.mkPen(colour, width=1, style=Qt.PenStyle.DashLine))
