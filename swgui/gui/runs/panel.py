"""The current run: stages, progress, time left, speed, best scores so far, Stop."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.headers import header_of, parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.trace import OTHER
from swgui.core.words import duration
from swgui.engines.monitor import SensorReading
from swgui.engines.registry import facts
from swgui.gui.kit import motion
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.plots.still import ceiling, pg, still_plot
from swgui.gui.kit.tables.row_table import RIGHT, Index, PlainHead, Role, RowTable, row_table
from swgui.gui.kit.theme import colours, grid, set_role, style_plot
from swgui.gui.kit.widgets import combo_box, described, plain, progress_bar, push_button, text_label
from swgui.gui.live.run_state import POINTS, RunState
from swgui.gui.live.run_trace import Curve, RunTrace
from swgui.gui.live.watch import Look, describe
from swgui.gui.words import wording
from swgui.jobs.events import PAUSED
from swgui.jobs.search.events import PartialHits
from swgui.jobs.search.request import SearchRequest

DEFINITION = (
    "GCUPS = query residues × database residues scored ÷ seconds ÷ 10⁹. "
    "Solid: overall, everything included, smoothed, with the band of its values. Dashed: while the device computed."
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
UNITS = ((3 * 3600, 3600, "hours"), (5 * 60, 60, "minutes"), (0, 1, "seconds"))  # from this number of seconds on
BAR_STEPS = 1_000
BEST_SHOWN = 50
# The line of speed is a mean over neighbours on either side: a twentieth of all points, at most the second number.
SMOOTHED, MAX_REACH = 20, 20
APART = 0.05  # relative difference from which a device has a line of its own
QUERIES_LISTED = 1_000  # a longer list could not be used anyway
EXPECTED_STAGES = ("Preparing the engine", "Scoring", "Ranking")


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


def smoothed(curve: Curve) -> tuple[Curve, NDArray[np.float64], NDArray[np.float64]]:
    """Return the running mean of a curve, and its running least and largest values, shape=(n,) each."""
    x, y = curve
    reach = min(len(y) // SMOOTHED, MAX_REACH)
    if not reach:
        return curve, y, y
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(y, reach, mode="edge"), 2 * reach + 1)
    return (x, windows.mean(axis=1)), windows.min(axis=1), windows.max(axis=1)


def differs(curve: Curve, from_: Curve) -> bool:
    """Return whether the speed of a device lies apart from that of the run, by more than `APART` in the median."""
    (x, y), (other_x, other_y) = curve, from_
    if not len(x) or not len(other_x):
        return False
    apart = np.abs(np.interp(other_x, x, y) - other_y) / np.maximum(other_y, 1e-12)
    return float(np.median(apart)) > APART


def parts_line(seconds: Mapping[str, float]) -> str:
    """Return the time of a run by phase, the largest first; empty before any took time."""
    told = sorted(((took, PART_NAMES[name]) for name, took in seconds.items() if took >= SHOWN_FROM), reverse=True)
    return "Time: " + ",  ".join(f"{name} {duration(took)}" for took, name in told) if told else ""


class SpeedPlot(QWidget):
    """GCUPS against time: a smooth line by the clock in the band of its values; below, the state of the devices.

    A device has a dashed line of its own if its speed is another one, or there are several.
    A long run shows its newest minutes; a button shows all of it.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("speedPlot")
        self.setAccessibleName("Speed of the run")
        self.setToolTip(DEFINITION)
        self.plot = still_plot("GCUPS", "seconds")
        self.plot.getPlotItem().getAxis("bottom").enableAutoSIPrefix(False)  # 0.05 seconds, not 50 seconds (x0.001)
        self._wall, self._least, self._most = (self.plot.plot([], []) for _ in range(3))
        self._band = pg.FillBetweenItem(self._least, self._most)
        self.plot.addItem(self._band)
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
        self._parts.setToolTip("Time of the run by phase")
        self._parts.hide()
        self._devices: dict[str, pg.PlotDataItem] = {}
        self._legend = text_label(name="speedLegend", level="section")
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
        self._fit_labels()

    def _fit_labels(self) -> None:
        """Hide the axis titles of a low plot: the legend names both axes."""
        for side in ("left", "bottom"):
            self.plot.getPlotItem().getAxis(side).showLabel(self.height() >= grid(22))

    def minimumSizeHint(self) -> QSize:
        return QSize(grid(32), grid(15))

    def sizeHint(self) -> QSize:
        return QSize(grid(48), grid(22))

    def clear(self) -> None:
        for curve in self._devices.values():
            self.plot.removeItem(curve)
        self._devices.clear()
        for curve in (self._wall, self._least, self._most):
            curve.setData([], [])
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
        """Draw the current curves of a run."""
        self._state, self._kept = state, None
        self._parts.setText(parts_line(state.parts))
        self._parts.setVisible(bool(self._parts.text()))
        self._whole.setVisible(len(state.wall) >= POINTS)  # before that the ring holds the whole run
        self._draw()

    def end(self) -> None:
        """Show no current speed any more: the speed of the whole run replaces it and fills the plot."""
        self._over = True
        self._right = 0.0
        self._draw()

    def show_trace(self, trace: RunTrace) -> None:
        """Draw the curves of a saved run."""
        self.clear()
        self._right = 0.0
        self._kept = trace
        self._draw()

    def show_readings(self, readings: dict[str, SensorReading]) -> None:
        """Show the state of the devices; ``cpu`` is this program on the CPU."""
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

    def curves(self) -> dict[str, pg.PlotDataItem]:
        """Return the curve of the whole run, under an empty name, and those of its devices."""
        return {"": self._wall, **self._devices}

    def _draw(self) -> None:
        (x, y), devices = self._curves()
        last = float(x[-1]) if len(x) else 1.0
        _, factor, unit = next(entry for entry in UNITS if last >= entry[0])
        if unit != self.plot.getPlotItem().getAxis("bottom").labelText:
            self.plot.setLabel("bottom", unit)
            self._right = 0.0
            style_plot(self.plot)
            self._fit_labels()
        devices = {name: one for name, one in devices.items() if len(devices) > 1 or differs(one, (x, y))}
        for name in [name for name in self._devices if name not in devices]:
            self.plot.removeItem(self._devices.pop(name))
        newest = self._state is not None and len(x) >= POINTS and not self._whole.isChecked()
        trace = self._kept if self._state is None else self._state.trace
        moments = np.insert(x, 0, trace.resumed if trace is not None else 0.0)
        if not newest:
            x, y = begun((x, y), moments)
        (_, mean), least, most = smoothed((x, y))
        for line, values in ((self._wall, mean), (self._least, least), (self._most, most)):
            line.setData(x / factor, values)
        top = float(y.max()) if len(y) else 0.0
        for name, (device_x, device_y) in devices.items():
            if name not in self._devices:
                self._devices[name] = self.plot.plot([], [])
                self._restyle()
            if not newest:
                device_x, device_y = begun((device_x, device_y), moments)
            self._devices[name].setData(device_x / factor, smoothed((device_x, device_y))[0][1])
            top = max(top, float(device_y.max()) if len(device_y) else 0.0)
        begin = float(x[0]) / factor if len(x) and (newest or moments[0] > 0) else None  # after Resume, where it began
        self._range(top, last / factor, begin)
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
        empty = not len(self._wall.getData()[0] if self._wall.getData()[0] is not None else ())
        ticks = [(level, f"{level:g}") for level in (0.0, self._top / 2, self._top)]
        self.plot.getPlotItem().getAxis("left").setTicks([[] if empty else ticks])
        self.plot.getPlotItem().getAxis("bottom").setTicks([[]] if empty else None)

    def _restyle(self) -> None:
        shades = colours(self)
        style_plot(self.plot)
        self._wall.setPen(pg.mkPen(shades.series[0], width=2))
        pale = pg.mkColor(shades.series[0])
        pale.setAlpha(60)
        self._band.setBrush(pg.mkBrush(pale))
        for line in (self._least, self._most):
            line.setPen(None)
        for index, curve in enumerate(self._devices.values()):
            colour = shades.series[(index + 1) % len(shades.series)]
            curve.setPen(pg.mkPen(colour, width=1, style=Qt.PenStyle.DashLine))


class BestHits(RowTable):
    """The best subjects of one query so far, named as on the Results page; the tool tips have the whole headers."""

    heads = (
        PlainHead("#", side=RIGHT),
        PlainHead("Subject"),
        PlainHead("Description"),
        PlainHead("Score", side=RIGHT),
    )

    def __init__(self) -> None:
        super().__init__()
        self._database: EncodedDatabase | None = None
        self._hits: list[tuple[int, int]] = []  # subject and score

    def show_hits(self, database: EncodedDatabase | None, hits: PartialHits | None) -> None:
        """Replace all rows."""
        self.beginResetModel()
        self._database = database
        self._hits = [] if hits is None else list(zip(hits.db_index.tolist(), hits.scores.tolist(), strict=True))
        self.endResetModel()

    def row_count(self) -> int:
        return len(self._hits)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if role == Role.TextAlignmentRole:
            return self.side(index.column())
        if role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        text = self._text(index.row(), index.column(), whole=role == Role.ToolTipRole)
        return plain(text) if role == Role.ToolTipRole else text

    def _text(self, row: int, column: int, *, whole: bool) -> str:
        subject, score = self._hits[row]
        if column in (1, 2) and self._database is not None:
            header = self._database.ids[subject], self._database.descriptions[subject]
            read = parse_header(*header)
            return header[column - 1] if whole else (read.name, read.title)[column - 1]
        return (f"{row + 1}", f"sequence {subject + 1:,}", "", f"{score:,}")[column]


class RunPanel(QWidget):
    """Shows one run."""

    stop_wanted = Signal()  # stop was pressed
    pause_wanted = Signal(bool)  # pause was pressed, or pressed again

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("runPanel")
        self._database: EncodedDatabase | None = None
        self._state = RunState()
        self._title = described(ElidedLabel(), "runTitle")
        set_role(self._title, level="heading")
        self._title.set_text("No run yet. Press Search, and it shows here.")
        self._left = text_label(name="runTimeLeft")
        self._done = text_label(name="runProgressText", level="muted")
        self._stages = text_label(name="runStages", level="small", plain=True)
        self.bar = progress_bar("runBar", "Progress of the run")
        self.bar.setRange(0, BAR_STEPS)
        self.stop_button = push_button(
            "runStop",
            "Stop",
            "Stop the run now and keep the scores so far, marked as partial (Ctrl+.)",
            self.stop_wanted,
            icon="stop",
        )
        self.pause_button = push_button(
            "runPause",
            "Pause",
            "Pause, for example to leave the GPU to another program; press again to resume. "
            "The memory of the device stays in use.",
            self.pause_wanted,
            icon="pause",
        )
        self.pause_button.setCheckable(True)
        self.speed = SpeedPlot()
        top = in_row((self._title, 1), self._done, self._left, self.pause_button, self.stop_button, spacing=2)
        self._strip = in_column(top, self.bar, self._stages)
        best = self._make_best()
        split = self._details = in_splitter(Qt.Orientation.Horizontal, (self.speed, 1), (best, 1), name="runSplit")
        split.setSizes([grid(80), grid(72)])
        split.setMinimumHeight(1)  # the panel may become too low for it: then it is hidden
        self._layout = in_column(self._strip, (split, 1), 0, margins=(2, 1, 2, 1), parent=self)
        self.allow(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        margins, spacing = self._layout.contentsMargins(), self._layout.spacing()
        strip = margins.top() + self._strip.sizeHint().height() + 2 * spacing + margins.bottom()
        self._details.setVisible(self.height() - strip >= self._details.minimumSizeHint().height())

    def begin(self, request: SearchRequest) -> None:
        """Show a run that is about to start."""
        self._database = request.database if isinstance(request.database, EncodedDatabase) else None
        self._queries = words.count(len(request.queries), "query", "queries")
        self._title.set_text(f"{self._queries} against {request.database_name}")
        self._left.clear()
        self._done.clear()
        self.speed.clear()
        self.best.show_hits(None, None)
        self._query.clear()
        self._query.addItems([header_of(query).name for query in request.queries[:QUERIES_LISTED]])
        self._query.setVisible(len(request.queries) > 1)
        self._follow = True
        self._title_of_best.setText("Best scores so far")
        self.allow(True)
        set_role(self._left, tone="")
        self.show_state(RunState())

    def show_state(self, state: RunState) -> None:
        self._state = state
        opened = state.started.database if state.started is not None else None
        if opened is not None and opened is not self._database:
            self._database = opened
            self._title.set_text(f"{self._queries} against {opened.name}")
        motion.show_fraction(self.bar, state.fraction)
        self._stages.setText(self._stage_line(state))
        self._done.setText(self._progress_line(state))
        if state.paused:
            self._left.setText("Paused")
        elif self.pause_button.isChecked():
            self._left.setText("Pausing…")
        else:
            left = state.seconds_left if state.stage.name == "Scoring" else None
            about = "" if state.steady else "about "
            self._left.setText(f"{about}{words.duration(left)} left" if left is not None else "")
        self.speed.show_state(state)
        if state.hits and self._follow:
            self._query.setCurrentIndex(min(max(state.hits), self._query.count() - 1))
        self._show_best()

    def show_look(self, look: Look) -> None:
        """Show the state of the devices during a run; the trace of the run keeps it."""
        if not self.stop_button.isEnabled():
            return
        readings = {device: reading for device, reading in look.readings.items() if self._takes_part(device)}
        self._state.trace.add_readings(readings)
        self.speed.show_readings(readings)

    def show_kept(self, trace: RunTrace, title: str) -> None:
        if self.stop_button.isEnabled():
            return
        self._title.set_text(title)
        self.speed.show_trace(trace)

    @property
    def trace(self) -> RunTrace:
        """The speed of the run that is shown."""
        return self._state.trace

    def _takes_part(self, device: str) -> bool:
        started = self._state.started
        if started is None:
            return True
        on_gpu = facts(started.engine).on_gpu
        return on_gpu if device != CPU else not on_gpu

    def show_paused(self, on: bool) -> None:
        self.pause_button.setChecked(on)
        self.pause_button.setText("Resume" if on else "Pause")
        self.show_state(self._state)

    def allow(self, on: bool) -> None:
        """Offer Stop and Pause, or hide them."""
        for button in (self.stop_button, self.pause_button):
            button.setEnabled(on)
            button.setVisible(on)

    def stopping(self) -> None:
        self.allow(False)
        self._left.setText("Stopping…")

    def end(self, sentence: str, tone: str = "", result: SearchResult | None = None) -> None:
        """Show the outcome of the run; `tone` is empty, ``warning`` or ``danger``."""
        motion.be_measured(self.bar, BAR_STEPS)
        self.bar.setValue(0)
        if result is not None:
            if result.cells_total:
                self.bar.setValue(round(BAR_STEPS * result.cells_done / result.cells_total))
                self._done.setText(wording.progress(result.cells_done, result.cells_total))
            self._database = result.database
            for index, of_query in enumerate(result.queries[:QUERIES_LISTED]):
                best = of_query.hits.take(slice(BEST_SHOWN))
                self._state.hits[index] = PartialHits(index, best.db_index, best.scores)
            self._title_of_best.setText("Best scores")
            self._query.setCurrentIndex(0)
            self._show_best()
        self.allow(False)
        self.speed.end()
        self._left.setText(sentence)
        set_role(self._left, tone=tone)

    def _make_best(self) -> QWidget:
        self.best = BestHits()
        view = row_table(QTableView(), "runBestHits", "Best scores so far", self.best, rows=2.75)
        view.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        header = view.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for column, width in ((0, 5), (3, 9)):
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Fixed)
            header.resizeSection(column, grid(width))
        self._query = combo_box(
            "runQuery",
            "Query whose best scores are shown; until one is chosen, the newest",
            self._query_chosen,
            accessible="Query whose best scores are shown",
        )
        self._query.hide()
        self._follow = True
        self._title_of_best = text_label("Best scores so far", level="section")
        panel = QWidget()
        row = in_row(self._title_of_best, (self._query, 1), 0)
        in_column(row, (view, 1), margins=(1, 0, 0, 0), spacing=0.5, parent=panel)
        return panel

    def _query_chosen(self) -> None:
        self._follow = False  # keep the user's choice from now on
        self._show_best()

    def _show_best(self) -> None:
        hits = self._state.hits.get(max(0, self._query.currentIndex()))
        self.best.show_hits(self._database, hits)

    def _progress_line(self, state: RunState) -> str:
        progress = state.progress
        if progress is None or state.stage.name not in ("Scoring", PAUSED):
            stage = state.stage
            return wording.progress(stage.done, stage.total) if stage.total else ""
        done, total = wording.scaled(progress.done), wording.cells(progress.total)
        return f"{wording.progress(progress.done, progress.total)}   {done} of {total}"

    def _stage_line(self, state: RunState) -> str:
        over = state.finished is not None
        cut_short = (
            state.finished is not None and state.finished.outcome.cells_done < state.finished.outcome.cells_total
        )
        marks = []
        names = [*state.stages, *(name for name in EXPECTED_STAGES if name not in state.stages)]
        for name in names:
            goes_on = name == state.stage.name or (state.paused and name == "Scoring")
            partly = cut_short and name == "Scoring"
            mark = "○" if name not in state.stages else "●" if goes_on and not over else "◐" if partly else "✓"
            marks.append(f"{mark} {name}")
        line = "     ".join(marks)
        return f"{state.round.name}     {line}" if state.round is not None else line
