"""Sweeps on the Device page: one button for everybody, axes for those who want them, a map of what was measured."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QComboBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSpinBox,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.events import Stage
from swgui.core.methods import AUTO
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.search_methods import SEARCH_METHODS
from swgui.core.sweep import (
    METHOD_AXIS,
    QUERY_AXIS,
    WORTH,
    Axis,
    Cell,
    CellDone,
    SweepEnded,
    SweepResult,
    as_csv,
    describe,
    places,
    sentence,
)
from swgui.core.sweep_axes import make_axis, method_of, presets_of, quick_axes, settings_of
from swgui.core.sweep_data import default_residues, made_up_database, made_up_query
from swgui.engines.base import EngineOptions, EngineStatus
from swgui.engines.host import usable_cores
from swgui.gui import wording
from swgui.gui.jobs import JobRunner, MakeEvents, ShortJobs
from swgui.gui.pages.device_options import InUse, titled
from swgui.gui.pages.device_settings import shrinkable
from swgui.gui.pages.device_watch import DeviceWatch
from swgui.gui.plots.heat_lines import SweepLines
from swgui.gui.plots.heat_map import HeatMap, explain_cell
from swgui.gui.theme import arrange, keep_size, set_icon, set_role
from swgui.io.matrices import load_matrix
from swgui.io.tuning import Tuned, keep_sweep, load_tuned, use_settings
from swgui.io.whole_file import whole_file
from swgui.tuning import SweepRequest, key_of, sweep

QUICK_SECONDS = 30
TYPICAL = 350  # residues of the usual query
STEPS = 1_000
QUICK_HELP = (
    "Measures a handful of sensible settings with the query chosen below and offers the best for queries of that "
    "length. Every score is compared with that of another engine: a setting that gives a wrong one is never offered."
)
NO_AXIS = "—"
PAPER_METHODS = ("shared", "simt")
FIGURES = (
    "Figures 6 and 7 of the paper on short queries were made on cards with 13 and 30 multiprocessors. There 64 "
    "blocks fill the card, and a block takes nearly all shared memory of a multiprocessor: threads per block "
    "hardly change the speed, and further blocks only wait in line. A card with more multiprocessors than blocks "
    "stands partly idle: on it speed grows with threads per block until shared memory or registers end, and with "
    "blocks until each multiprocessor has its share. Beyond that more blocks cost speed, as in the paper. Set "
    "blocks in all to 64, or threads per block to 64, to see the two figures; those of one card are in "
    "BENCHMARKS.md."
)


@dataclass(frozen=True, slots=True)
class Context:
    """What the Search page would search with now; parts that are not there are None."""

    query: EncodedQuery | None = None
    database: EncodedDatabase | None = None
    scheme: ScoringScheme | None = None


class SweepPanel(QWidget):
    """Runs sweeps, shows them, and lets the best settings be used.

    Signals
    -------
    shown(object)
        The `SweepResult` that is shown now, or None.
    in_use_changed(object)
        A tuple of `InUse`: settings of sweeps that hold for searches.
    busy_changed(bool)
        A sweep began or ended.
    message(str)
        For the status line.
    """

    shown = Signal(object)
    in_use_changed = Signal(object)
    busy_changed = Signal(bool)
    message = Signal(str)

    def __init__(
        self,
        watch: DeviceWatch,
        parent: QWidget | None = None,
        *,
        sweep: Callable[..., Iterator[object]] = sweep,
        residues: Callable[[str, int], int] = default_residues,
    ) -> None:
        super().__init__(parent)
        self._watch, self._sweep, self._residues = watch, sweep, residues
        self._statuses: tuple[EngineStatus, ...] = ()
        self._tuned: tuple[Tuned, ...] = ()
        self._result: SweepResult | None = None
        self._blocked = ""
        self._axes_now: tuple[Axis, ...] = ()
        self.context: Callable[[], Context] = Context
        self._jobs = JobRunner(self)
        self._jobs.event.connect(self._event)
        self._jobs.failed.connect(lambda _job, error: self._say(wording.explain(error), "danger"))
        self._jobs.finished.connect(self._finished)
        self._files = ShortJobs(self, threads=1)
        self._files.failed.connect(lambda _key, error: self._say(wording.explain(error), "danger"))
        layout = QVBoxLayout(self)
        arrange(layout, 0, 1.5)
        layout.addWidget(self._build_quick())
        layout.addWidget(self._build_axes())
        layout.addWidget(self._build_result())
        layout.addStretch(1)
        self._show_result(None)
        self._show_buttons()

    @property
    def running(self) -> bool:
        """Whether a sweep runs."""
        return self._jobs.running

    @property
    def result(self) -> SweepResult | None:
        """The sweep that is shown."""
        return self._result

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        """Offer the engines that have something to sweep."""
        self._statuses = tuple(statuses)
        before = self._engine.currentData()
        self._engine.clear()
        for status in self._statuses:
            if status.available and status.name in ("cuda", "cpu"):
                for device in status.devices:
                    kind = f"GPU {device.id}" if status.name == "cuda" else "CPU"
                    self._engine.addItem(f"{kind}: {device.name}", (status.name, device.id))
        at = self._engine.findData(before)
        self._engine.setCurrentIndex(max(at, 0))
        gpu = next((s for s in self._statuses if s.name == "cuda"), None)
        note = ""
        if gpu is not None and not gpu.available:
            note = f"{gpu.reason} Until there is a GPU, threads and chunk size of the CPU can be swept. {gpu.hint}"
        self._no_gpu.setText(note)
        self._no_gpu.setVisible(bool(note))
        self._engine_chosen()
        self.reload()

    def block(self, reason: str) -> None:
        """Say why no sweep can start now; a sweep that runs is stopped, what it measured is kept."""
        self._blocked = reason
        if reason and self.running:
            self.stop()
        self._show_buttons()

    def run_quick(self) -> None:
        """Find the fastest settings."""
        engine, device = self._device()
        length = self._length()
        self._start(quick_axes(engine, length, usable_cores()), {}, engine, device, QUICK_SECONDS)

    def run(self) -> None:
        """Run the sweep that the fields describe."""
        engine, device = self._device()
        method = self._chosen_method()
        try:
            axes = tuple(
                make_axis(engine, method, str(box.currentData()), _values(values.text()), usable_cores())
                for box, values in self._axes
                if box.currentData()
            )
            if not axes:
                raise InvalidParameter("axes", 0, "Choose at least one thing to vary.")
            self._start(axes, method_of(axes, method), engine, device, self._budget.value())
        except SwguiError as error:
            self._say(str(error), "danger")

    def stop(self) -> None:
        """Stop; what was measured stays."""
        self._jobs.cancel()
        self._stop.setEnabled(False)

    def reload(self) -> None:
        """Read the sweeps that are kept."""
        self._files.submit("load", partial(_load, self._statuses), self._loaded)

    def shutdown(self) -> None:
        """Stop whatever runs and wait for it."""
        self._jobs.shutdown()
        self._files.shutdown()

    # Building

    def _build_quick(self) -> QFrame:
        card = QFrame()
        set_role(card, role="card")
        title = QLabel("Speed")
        set_role(title, level="heading")
        text = QLabel(QUICK_HELP)
        text.setWordWrap(True)
        set_role(text, level="muted")
        self._no_gpu = QLabel()
        self._no_gpu.setObjectName("sweepNoGpu")
        self._no_gpu.setWordWrap(True)
        self._no_gpu.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        set_role(self._no_gpu, tone="warning")
        self._no_gpu.hide()
        self._engine = QComboBox()
        self._engine.setObjectName("sweepEngine")
        self._engine.activated.connect(self._engine_chosen)
        shrinkable(self._engine, 20)
        label = QLabel("Device")
        label.setBuddy(self._engine)
        self._quick = QPushButton(f"Find the fastest settings ({QUICK_SECONDS} s)")
        self._quick.setObjectName("findFastest")
        set_role(self._quick, role="primary")
        self._quick.clicked.connect(self.run_quick)
        self._stop = QPushButton("Stop")
        self._stop.setObjectName("sweepStop")
        set_icon(self._stop, "stop")
        self._stop.clicked.connect(self.stop)
        row = QHBoxLayout()
        arrange(row, 0, 1)
        row.addWidget(label)
        row.addWidget(self._engine)
        row.addStretch(1)
        row.addWidget(self._stop)
        row.addWidget(self._quick)
        self._bar = QProgressBar()
        self._bar.setObjectName("sweepBar")
        self._bar.setAccessibleName("Progress of the sweep")
        self._bar.setTextVisible(False)
        self._bar.setRange(0, STEPS)
        self._bar.hide()
        self._verdict = QLabel()
        self._verdict.setObjectName("sweepVerdict")
        self._verdict.setWordWrap(True)
        self._verdict.hide()
        layout = QVBoxLayout(card)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        for part in (title, text, self._no_gpu):
            layout.addWidget(part)
        layout.addLayout(row)
        layout.addWidget(self._bar)
        self._use_best = QPushButton("Use the fastest settings")
        self._use_best.setObjectName("useFastest")
        self._use_best.clicked.connect(self._use_best_clicked)
        self._use_best.hide()
        end = QHBoxLayout()
        arrange(end, 0, 1)
        end.addWidget(self._verdict, 1)
        end.addWidget(self._use_best, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(end)
        return card

    def _build_axes(self) -> QFrame:
        card = QFrame()
        set_role(card, role="card")
        title = QLabel("Sweep through settings")
        set_role(title, level="section")
        self._preset = QComboBox()
        self._preset.setObjectName("sweepPreset")
        self._preset.activated.connect(self._preset_chosen)
        self._method = QComboBox()
        self._method.setObjectName("sweepMethod")
        for method in SEARCH_METHODS.values():
            self._method.addItem(titled(method), method.name)
        self._method.activated.connect(self._method_chosen)
        self._query = QComboBox()
        self._query.setObjectName("sweepQuery")
        self._query.addItem(f"typical, {TYPICAL} residues", "typical")
        self._query.addItem("first query of the Search page", "mine")
        for length in (64, 128, 512, 1024, 2048, 4096):
            self._query.addItem(f"made up, {length:,} residues", str(length))
        self._database = QComboBox()
        self._database.setObjectName("sweepDatabase")
        self._database.addItem("made-up sequences", "made up")
        self._database.addItem("database of the Search page", "current")
        self._budget = QSpinBox()
        self._budget.setObjectName("sweepBudget")
        self._budget.setRange(0, 86_400)
        self._budget.setSpecialValueText("no limit")
        self._budget.setSuffix(" s")
        self._budget.setValue(120)
        self._budget.setToolTip("After this time no further setting is measured; compiling counts")
        self._run = QPushButton("Run sweep")
        self._run.setObjectName("runSweep")
        set_icon(self._run, "play")
        self._run.clicked.connect(self.run)
        form = QGridLayout()
        arrange(form, 0, (1.5, 0.75))
        fields = (
            ("Sweep", self._preset),
            ("Query", self._query),
            ("Database", self._database),
            ("Time limit", self._budget),
            ("Method", self._method),
        )
        self._method_label = QLabel()
        for at, (text, field) in enumerate(fields):
            label = QLabel(text)
            label.setBuddy(field)
            if field is self._method:
                self._method_label = label
            if isinstance(field, QComboBox):
                shrinkable(field, 12)
            form.addWidget(label, at // 3 * 2, at % 3)
            form.addWidget(field, at // 3 * 2 + 1, at % 3)
        form.addWidget(self._run, 3, 2)
        for column in range(3):
            form.setColumnStretch(column, 1)
        self._axes: list[tuple[QComboBox, QLineEdit]] = []
        lines = QGridLayout()
        arrange(lines, 0, (1.5, 0.75))
        lines.setColumnStretch(1, 1)
        lines.setColumnStretch(2, 3)
        for row, text in enumerate(("Along the bottom", "Upwards")):
            box, values = QComboBox(), QLineEdit()
            box.setObjectName(f"sweepAxis{row}")
            values.setObjectName(f"sweepValues{row}")
            values.setToolTip("The values, with commas between them; auto leaves the choice to the engine")
            values.setAccessibleName(f"Values {text.lower()}")
            box.activated.connect(partial(self._axis_chosen, row))
            shrinkable(box, 18)
            label = QLabel(text)
            label.setBuddy(box)
            for column, widget in enumerate((label, box, values)):
                lines.addWidget(widget, row, column)
            self._axes.append((box, values))
        self._figures = QLabel(FIGURES)
        self._figures.setObjectName("sweepFigures")
        self._figures.setWordWrap(True)
        set_role(self._figures, level="small")
        layout = QVBoxLayout(card)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addWidget(title)
        layout.addLayout(form)
        layout.addLayout(lines)
        layout.addWidget(self._figures)
        return card

    def _build_result(self) -> QFrame:
        card = QFrame()
        set_role(card, role="card")
        self._kept = QComboBox()
        self._kept.setObjectName("keptSweeps")
        self._kept.activated.connect(self._kept_chosen)
        shrinkable(self._kept, 24)
        label = QLabel("Sweeps")
        label.setBuddy(self._kept)
        self._as_lines = QPushButton("Lines")
        self._as_lines.setObjectName("sweepAsLines")
        self._as_lines.setCheckable(True)
        self._as_lines.setToolTip("Draw lines instead of a map")
        self._as_lines.clicked.connect(self._show_drawing)
        row = QHBoxLayout()
        arrange(row, 0, 1)
        row.addWidget(label)
        row.addWidget(self._kept, 1)
        row.addWidget(self._as_lines)
        self._stale = QLabel()
        self._stale.setObjectName("sweepStale")
        self._stale.setWordWrap(True)
        set_role(self._stale, tone="warning")
        self._title = QLabel()
        self._title.setWordWrap(True)
        set_role(self._title, level="section")
        self.map, self.lines = HeatMap(), SweepLines()
        self.map.chosen.connect(self._cell_chosen)
        self._drawing = QStackedWidget()
        self._drawing.addWidget(self.map)
        self._drawing.addWidget(self.lines)
        keep_size(self._drawing, height=36)
        self._cell_text = QLabel()
        self._cell_text.setObjectName("sweepCell")
        self._cell_text.setWordWrap(True)
        self._cell_text.setTextFormat(Qt.TextFormat.PlainText)
        self._cell_text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._use = QPushButton("Use these settings")
        self._use.setObjectName("useSettings")
        self._use.clicked.connect(self._use_clicked)
        self._automatic = QPushButton("Back to automatic")
        self._automatic.setObjectName("useAutomatic")
        self._automatic.clicked.connect(lambda: self._choose_settings(None))
        self._csv = QPushButton("Export CSV…")
        self._csv.setObjectName("exportSweepCsv")
        self._csv.clicked.connect(lambda: self._ask_file("csv", "Table (*.csv)"))
        self._png = QPushButton("Export PNG…")
        self._png.setObjectName("exportSweepPng")
        self._png.clicked.connect(lambda: self._ask_file("png", "Picture (*.png)"))
        buttons = QHBoxLayout()
        arrange(buttons, 0, 1)
        for button in (self._use, self._automatic):
            buttons.addWidget(button)
        buttons.addStretch(1)
        for button in (self._csv, self._png):
            set_role(button, role="quiet")
            buttons.addWidget(button)
        layout = QVBoxLayout(card)
        arrange(layout, (2, 1.5, 2, 1.5), 1)
        layout.addLayout(row)
        for part in (self._stale, self._title, self._drawing, self._cell_text):
            layout.addWidget(part)
        layout.addLayout(buttons)
        self._card = card
        return card

    # Choosing

    def _device(self) -> tuple[str, str]:
        chosen = self._engine.currentData()
        return tuple(chosen) if chosen else ("", "")

    def _chosen_method(self) -> str:
        return str(self._method.currentData()) if self._device()[0] == "cuda" else ""

    def _engine_chosen(self, *_: object) -> None:
        gpu = self._device()[0] == "cuda"
        self._method.setVisible(gpu)
        self._method_label.setVisible(gpu)
        self._method_chosen()
        self._show_buttons()

    def _method_chosen(self, *_: object) -> None:
        engine, method = self._device()[0], self._chosen_method()
        before = self._preset.currentData()
        self._preset.clear()
        for preset in presets_of(engine, method) if engine else ():
            self._preset.addItem(preset.title, preset.name)
            self._preset.setItemData(self._preset.count() - 1, preset.help, Qt.ItemDataRole.ToolTipRole)
        self._preset.setCurrentIndex(max(0, self._preset.findData(before)))
        for row, (box, _) in enumerate(self._axes):
            box.clear()
            if row:
                box.addItem(NO_AXIS, "")
            if not engine:
                continue
            for setting in settings_of(engine, method, usable_cores()):
                box.addItem(setting.title, setting.name)
            box.addItem("Query length", QUERY_AXIS)
            if engine == "cuda":
                box.addItem("Method", METHOD_AXIS)
        self._preset_chosen()

    def _preset_chosen(self, *_: object) -> None:
        name = self._preset.currentData()
        preset = next((p for p in presets_of(self._device()[0], self._chosen_method()) if p.name == name), None)
        wanted = preset.axes if preset else ()
        for row, (box, _) in enumerate(self._axes):
            box.setCurrentIndex(max(0, box.findData(wanted[row] if row < len(wanted) else "")))
            self._axis_chosen(row)

    def _axis_chosen(self, row: int, *_: object) -> None:
        box, values = self._axes[row]
        name = box.currentData()
        values.setEnabled(bool(name))
        names = {box.currentData() for box, _ in self._axes}
        of_paper = self._chosen_method() in PAPER_METHODS and bool(names & {"threads", "blocks", "grid"})
        self._figures.setVisible(of_paper)
        if not name:
            values.clear()
            return
        axis = make_axis(self._device()[0], self._chosen_method(), str(name), cores=usable_cores())
        values.setText(", ".join(axis.values))

    def _length(self) -> int:
        choice = self._query.currentData()
        if choice == "typical":
            return TYPICAL
        if choice == "mine":
            query = self.context().query
            return len(query) if query is not None and len(query) else TYPICAL
        return int(choice)

    # Running

    def _start(self, axes: Sequence[Axis], base: dict[str, str], engine: str, device: str, budget: float) -> None:
        if self.running or self._blocked or not engine:
            return
        context = self.context()
        mine = self._query.currentData() == "mine"
        if mine and (context.query is None or not len(context.query)):
            self._say("There is no query on the Search page.", "danger")
            return
        if self._database.currentData() == "current" and context.database is None:
            self._say("There is no database on the Search page.", "danger")
            return
        self._axes_now = tuple(axes)
        make = self._make_events(tuple(axes), base, engine, device, budget, context)
        self._say("Preparing…")
        self._bar.setRange(0, 0)
        self._bar.show()
        self._jobs.start(make)
        self.busy_changed.emit(True)
        self._show_buttons()

    def _make_events(
        self, axes: tuple[Axis, ...], base: dict[str, str], engine: str, device: str, budget: float, context: Context
    ) -> MakeEvents:
        mine, current = self._query.currentData() == "mine", self._database.currentData() == "current"
        length, residues, monitor = self._length(), self._residues(engine, usable_cores()), self._watch.monitor
        run = self._sweep

        def events(cancel: threading.Event) -> Iterator[object]:
            # Here, on the worker's thread: making up sequences takes a moment.
            yield Stage("Making up sequences")
            scheme = context.scheme or ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
            database = context.database if current else made_up_database(residues, scheme.alphabet)
            query = context.query if mine else made_up_query(length, scheme.alphabet)
            assert database is not None
            assert query is not None
            options = EngineOptions((device,), settings=base)
            request = SweepRequest(engine, axes, database, scheme, query, options, budget=budget)
            yield from run(request, cancel, sensors=monitor if device in monitor.devices else None)

        return events

    def _event(self, _job: int, event: object) -> None:
        if isinstance(event, Stage):
            self._bar.setRange(0, STEPS if event.total else 0)
            if event.total:
                self._bar.setValue(round(STEPS * event.done / event.total))
            self._say(f"{event.name}…")
        elif isinstance(event, CellDone):
            self._add_cell(event.cell)
        elif isinstance(event, SweepEnded):
            self._ended(event.result)

    def _add_cell(self, cell: Cell) -> None:
        """Show a cell as soon as it is measured."""
        if self._result is None or self._result.complete or self._result.axes != self._axes_now:
            engine, device_id = self._device()
            device = next(d for s in self._statuses if s.name == engine for d in s.devices if d.id == device_id)
            empty = {place: Cell(place) for place in places(self._axes_now)}
            self._result = SweepResult(
                axes=self._axes_now,
                cells=empty,
                default=None,
                default_again=None,
                key=key_of(engine, device, 0, max(1, self._length())),
                device=device.name,
                query_length=self._length(),
                residues=0,
                subjects=0,
                database="",
                complete=False,
            )
            self._fresh()
        self._result = self._result.with_cell(cell)
        self._draw()

    def _ended(self, result: SweepResult) -> None:
        self._result = result
        self._files.submit("keep", partial(_keep, result, self._statuses), self._loaded)
        self._fresh()
        self._draw()
        self._say(sentence(result), "danger" if any(c.state == "wrong" for c in result.cells.values()) else "")
        self.map.choose(result.best.place if result.best else None)
        self.shown.emit(result)

    def _finished(self, _job: int, cancelled: bool) -> None:
        self._bar.hide()
        if cancelled and (self._result is None or not self._result.made):
            self._say("The sweep was stopped before anything was measured.", "warning")
        self.busy_changed.emit(False)
        self._show_buttons()

    # Results

    def _loaded(self, tuned: tuple[Tuned, ...]) -> None:
        self._tuned = tuned
        self._kept.clear()
        for entry in tuned:
            result = entry.result
            axes = " × ".join(axis.title.lower() for axis in result.axes)
            used = ", in use" if entry.chosen is not None and not self._why_stale(entry) else ""
            self._kept.addItem(f"{result.made[:10]}  {result.device}: {axes}, query {result.key.query_class}{used}")
        if tuned and not self.running:
            shown = next((at for at, e in enumerate(tuned) if self._result and e.result.made == self._result.made), 0)
            self._kept.setCurrentIndex(shown)
            self._show_result(tuned[shown])
        self.in_use_changed.emit(
            tuple(InUse(e.result.key, e.chosen) for e in tuned if e.chosen is not None and not self._why_stale(e))
        )

    def _kept_chosen(self, at: int) -> None:
        if 0 <= at < len(self._tuned) and not self.running:
            self._show_result(self._tuned[at])

    def _show_result(self, tuned: Tuned | None) -> None:
        self._result = tuned.result if tuned else None
        self._card.setVisible(tuned is not None)
        self._fresh()
        self._draw()
        if tuned is not None:
            self.map.choose(tuned.result.best.place if tuned.result.best else None)
            if not self.running:
                self._say(sentence(tuned.result))
        self.shown.emit(self._result)

    def _why_stale(self, tuned: Tuned) -> str:
        key = tuned.result.key
        for status in self._statuses:
            for device in status.devices if status.name == key.engine else ():
                now = key_of(key.engine, device, key.letters, 1)
                if now.device == key.device:
                    return tuned.stale(now)
        return "Its device is not in this computer now."

    def _entry(self) -> Tuned | None:
        made = self._result.made if self._result else ""
        return next((entry for entry in self._tuned if made and entry.result.made == made), None)

    def _fresh(self) -> None:
        """Fit the drawing to the axes of the result."""
        self._card.setVisible(self._result is not None)
        result = self._result
        if result is None:
            return
        as_lines = len(result.axes) == 1 or any(axis.name == QUERY_AXIS for axis in result.axes)
        self._as_lines.setChecked(as_lines)
        self._show_drawing()

    def _show_drawing(self, *_: object) -> None:
        self._drawing.setCurrentWidget(self.lines if self._as_lines.isChecked() else self.map)

    def _draw(self) -> None:
        result = self._result
        self.map.show_result(result, self._capability(result))
        self.lines.show_result(result)
        if result is None:
            return
        time = "under way" if not result.made else "kernel time" if result.kernel_time else "by the clock"
        what = f"{result.database}, {result.residues:,} residues" if result.residues else ""
        self._title.setText(
            f"GCUPS (median, {time}), {result.device}, query of {result.query_length:,} residues"
            f"{', ' + what if what else ''}"
        )
        entry = self._entry()
        stale = self._why_stale(entry) if entry else ""
        self._stale.setText(f"{stale} Its settings are not used." if stale else "")
        self._stale.setVisible(bool(stale))
        self._cell_chosen(self.map.cell)

    def _capability(self, result: SweepResult | None) -> str:
        if result is None:
            return ""
        devices = (d for s in self._statuses if s.name == "cuda" for d in s.devices)
        device = next((d for d in devices if d.name == result.device), None)
        return device.facts.get("compute capability", "") if device else ""

    def _cell_chosen(self, cell: Cell | None) -> None:
        result = self._result
        text = ""
        if cell is not None and result is not None:
            text = explain_cell(result, cell, self._capability(result)).replace("\n", "   ·   ")
        self._cell_text.setText(text)
        self._show_buttons()

    def _show_buttons(self) -> None:
        running, cell, entry = self.running, self.map.cell, self._entry()
        ready = not running and not self._blocked and self._engine.count() > 0
        self._quick.setEnabled(ready)
        self._run.setEnabled(ready)
        self._quick.setToolTip(self._blocked)
        self._stop.setVisible(running)
        self._stop.setEnabled(running and not self._jobs.cancelling)
        usable = cell is not None and cell.usable and entry is not None and not self._why_stale(entry)
        query_axis = self._result is not None and any(axis.name == QUERY_AXIS for axis in self._result.axes)
        self._use.setEnabled(bool(usable) and not query_axis and not running)
        self._use.setToolTip(
            "Settings for one length of queries come from a sweep with a query of that length"
            if query_axis
            else "For queries of this length class, on this device and driver, until the kernels change"
        )
        self._use_best.setVisible(entry is not None and not running and self._worth_using(entry))
        self._use_best.setToolTip(self._use.toolTip())
        self._automatic.setVisible(entry is not None and entry.chosen is not None)
        for button in (self._csv, self._png):
            button.setEnabled(self._result is not None and bool(self._result.made))

    # Using and exporting

    def _worth_using(self, entry: Tuned) -> bool:
        """Whether the best of a sweep is faster than anything automatic, and not in use yet."""
        result, best = entry.result, entry.result.best
        if best is None or result.gain < WORTH or self._why_stale(entry):
            return False
        beaten = result.own is None or not result.own.usable or best.median > (1 + WORTH) * result.own.median
        return beaten and entry.chosen != result.settings_of(best)

    def _use_best_clicked(self) -> None:
        if self._result is not None and self._result.best is not None:
            self.map.choose(self._result.best.place)
            self._use_clicked()

    def _use_clicked(self) -> None:
        cell, result = self.map.cell, self._result
        if cell is None or result is None:
            return
        try:
            self._choose_settings(result.settings_of(cell))
        except InvalidParameter as error:
            self._say(str(error), "danger")

    def _choose_settings(self, settings: dict[str, str] | None) -> None:
        result = self._result
        if result is None:
            return
        self._files.submit("use", partial(_use, result, settings, self._statuses), self._loaded)
        low, high = result.key.query_class.split("-")
        if settings is None:
            self.message.emit("Automatic settings are used again.")
        else:
            cell = self.map.cell
            name = describe(result.axes, cell.place) if cell else ""
            self.message.emit(f"Used for queries of {low} to {high} residues: {name}. Others stay automatic.")

    def _ask_file(self, suffix: str, kinds: str) -> None:
        name, _ = QFileDialog.getSaveFileName(self, "Export sweep", f"sweep.{suffix}", kinds)
        if name:
            self.export(Path(name if name.lower().endswith(f".{suffix}") else f"{name}.{suffix}"))

    def export(self, path: Path) -> None:
        """Write the sweep that is shown as a table or as a picture, by the ending of the name."""
        result = self._result
        if result is None:
            return
        if path.suffix.lower() == ".png":
            drawing = self.lines if self._as_lines.isChecked() else self.map
            image = drawing.picture((self._title.text(), sentence(result)))
            work = partial(_write_picture, image, path)
        else:
            work = partial(_write, as_csv(result).encode(), path)
        self._files.submit(f"export {path}", work, lambda _: self.message.emit(f"Saved {path.name}."))

    def _say(self, text: str, tone: str = "") -> None:
        self._verdict.setText(text)
        set_role(self._verdict, tone=tone)
        self._verdict.setVisible(bool(text))


def _values(text: str) -> list[str]:
    parts = [part.strip() for part in text.replace(";", ",").split(",")]
    return [AUTO if part == "automatic" else part for part in parts if part]


def _load(statuses: Sequence[EngineStatus]) -> tuple[Tuned, ...]:
    for status in statuses:  # digests of the kernels are needed for what is stale, and are remembered
        if status.devices:
            key_of(status.name, status.devices[0], 0, 1)
    return load_tuned()


def _keep(result: SweepResult, statuses: Sequence[EngineStatus]) -> tuple[Tuned, ...]:
    keep_sweep(result)
    return _load(statuses)


def _use(result: SweepResult, settings: dict[str, str] | None, statuses: Sequence[EngineStatus]) -> tuple[Tuned, ...]:
    use_settings(result, settings)
    return _load(statuses)


def _write(data: bytes, path: Path) -> None:
    with whole_file(path) as file:
        file.write(data)


def _write_picture(image: QImage, path: Path) -> None:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")
    _write(bytes(buffer.data()), path)
