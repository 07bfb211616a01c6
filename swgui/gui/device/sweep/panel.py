"""Sweeps on the Device page: one button for everybody, axes for those who want them, a map of what was measured."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Signal
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import (
    QFrame,
    QStackedWidget,
    QWidget,
)

from swgui.core.alphabet import PROTEIN
from swgui.core.devices import CPU
from swgui.core.engines import EngineFacts, EngineOptions, Kind
from swgui.core.errors import SwguiError
from swgui.core.scoring import ScoringScheme
from swgui.core.sweep.axes import quick_axes
from swgui.core.sweep.data import default_residues, synthetic_database, synthetic_query
from swgui.core.sweep.grid import QUERY_AXIS, WORTH, Axis, Cell, SweepResult, places
from swgui.core.sweep.report import as_csv, describe, sentence
from swgui.engines.base import EngineStatus
from swgui.engines.registry import devices_of_kind, facts, of_kind
from swgui.gui.device.sweep.drawings import HeatMap, SweepLines, explain_cell
from swgui.gui.device.sweep.form import Context, SweepForm
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import card, in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import MakeEvents, Task
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    combo_box,
    progress_bar,
    push_button,
    shrinkable,
    text_label,
)
from swgui.gui.live.watch import DeviceWatch
from swgui.gui.words import wording
from swgui.io.matrices import load_matrix
from swgui.io.tuning import Tuned, keep_sweep, load_tuned, use_settings
from swgui.io.whole_file import whole_file
from swgui.jobs.events import Finished, Stage
from swgui.jobs.sweep.events import CellDone
from swgui.jobs.sweep.in_use import InUse, in_use, key_of, why_not_used
from swgui.jobs.sweep.request import SweepRequest
from swgui.jobs.sweep.run import sweep

QUICK_SECONDS = 30
STEPS = 1_000
WRONG_NAMED = 3
QUICK_HELP = (
    "Measures a handful of sensible settings with the query chosen below and offers the best for queries of that "
    "length. Every score is compared with that of another engine: a setting that gives a wrong one is never offered."
)


class SweepResultCard(QFrame):
    """Shows one sweep, under way or kept."""

    shown = Signal(object)  # the `SweepResult` that is shown now, or None
    # What to use for the queries of the sweep from now on, a dict, None for automatic; and what that is in words.
    settings_wanted = Signal(object, str)
    changed = Signal()  # another cell, or another sweep
    message = Signal(str)  # for the status line

    def __init__(self, files: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, role="card")
        self._files = files
        self._statuses: tuple[EngineStatus, ...] = ()
        self._tuned: tuple[Tuned, ...] = ()
        self.result: SweepResult | None = None
        self.running = False
        self._build()
        self.show_tuned(None)

    def use_engines(self, statuses: Sequence[EngineStatus]) -> None:
        self._statuses = tuple(statuses)

    def show_kept(self, tuned: Sequence[Tuned]) -> None:
        """Offer the sweeps that are kept, and show the one that was shown, or the newest."""
        self._tuned = tuple(tuned)
        self._kept.clear()
        for entry in tuned:
            result = entry.result
            axes = " × ".join(axis.title.lower() for axis in result.axes)
            used = ", in use" if entry.chosen is not None and not self._why_stale(entry) else ""
            lengths = " to ".join(result.key.query_class.split("-"))
            query = "" if any(axis.name == QUERY_AXIS for axis in result.axes) else f", query of {lengths} residues"
            self._kept.addItem(f"{result.made[:10]}  {result.device}: {axes}{query}{used}")
        if tuned and not self.running:
            now = self.result
            shown = next((index for index, e in enumerate(tuned) if now and e.result.made == now.made), 0)
            self._kept.setCurrentIndex(shown)
            self.show_tuned(tuned[shown])
        self.show_buttons()

    @property
    def in_use(self) -> tuple[InUse, ...]:
        return in_use(self._tuned, self._statuses)

    @property
    def worth_using(self) -> bool:
        """Whether the best of the sweep is faster than anything automatic, and not in use yet."""
        entry = self._entry()
        return entry is not None and not self.running and self._worth_using(entry)

    def show_cells(self, result: SweepResult) -> None:
        """Show the cells of a sweep under way; the cursor stays where it is."""
        fresh = self.result is None or self.result.axes != result.axes
        self.result = result
        if fresh:
            self._fresh()
        self._draw()

    def use_best(self) -> None:
        """Choose the cell of the best settings and ask for them; nothing without a best one."""
        if self.result is not None and self.result.best is not None:
            self.map.choose(self.result.best.place)
            self._use_clicked()

    def _build(self) -> None:
        self._kept = combo_box("keptSweeps", "Sweeps that were run before, newest first", self._kept_chosen)
        shrinkable(self._kept, 24)
        self._as_lines = push_button("sweepAsLines", "Lines", "Draw lines instead of a map", self._show_drawing)
        self._as_lines.setCheckable(True)
        self._stale = text_label(name="sweepStale", wrap=True, tone="warning")
        self._title = text_label(wrap=True, level="section")
        self.map, self.lines = HeatMap(), SweepLines()
        self.map.chosen.connect(self._cell_chosen)
        self._drawing = QStackedWidget()
        self._drawing.addWidget(self.map)
        self._drawing.addWidget(self.lines)
        keep_size(self._drawing, height=36)
        self._cell_text = text_label(name="sweepCell", wrap=True, plain=True, selectable=True)
        self._use = push_button("useSettings", "Use these settings", does=self._use_clicked)
        self._automatic = push_button(
            "useAutomatic", "Back to automatic", does=lambda: self.settings_wanted.emit(None, "")
        )
        self._csv = push_button(
            "exportSweepCsv", "Export CSV…", does=lambda: self._ask_file("csv", "Table (*.csv)"), role="quiet"
        )
        self._png = push_button(
            "exportSweepPng", "Export PNG…", does=lambda: self._ask_file("png", "Picture (*.png)"), role="quiet"
        )
        in_column(
            in_row(text_label("Sweeps", buddy=self._kept), (self._kept, 1), self._as_lines),
            self._stale,
            self._title,
            self._drawing,
            self._cell_text,
            in_row(self._use, self._automatic, 1, self._csv, self._png),
            margins=(2, 1.5, 2, 1.5),
            parent=self,
        )

    def _kept_chosen(self, index: int) -> None:
        if 0 <= index < len(self._tuned) and not self.running:
            self.show_tuned(self._tuned[index])

    def show_tuned(self, tuned: Tuned | None) -> None:
        self.result = tuned.result if tuned else None
        self.setVisible(tuned is not None)
        self._fresh()
        self._draw()
        if tuned is not None:
            self.map.choose(tuned.result.best.place if tuned.result.best else None)
        self.shown.emit(self.result)

    def _why_stale(self, tuned: Tuned) -> str:
        return why_not_used(tuned, self._statuses)

    def _entry(self) -> Tuned | None:
        made = self.result.made if self.result else ""
        return next((entry for entry in self._tuned if made and entry.result.made == made), None)

    def _fresh(self) -> None:
        self.setVisible(self.result is not None)
        result = self.result
        if result is None:
            return
        as_lines = len(result.axes) == 1 or any(axis.name == QUERY_AXIS for axis in result.axes)
        self._as_lines.setChecked(as_lines)
        self._show_drawing()

    def _show_drawing(self, *_: object) -> None:
        self._drawing.setCurrentWidget(self.lines if self._as_lines.isChecked() else self.map)

    def _draw(self) -> None:
        result = self.result
        self.map.show_result(result, self._capability(result))
        self.lines.show_result(result)
        if result is None:
            return
        time = "under way" if not result.made else "kernel time" if result.kernel_time else "overall"
        data = f"{result.database}, {result.residues:,} residues" if result.residues else ""
        self._title.setText(f"GCUPS (median, {time}), {result.device}, {result.queries}{', ' + data if data else ''}")
        entry = self._entry()
        stale = self._why_stale(entry) if entry else ""
        self._stale.setText(f"{stale} Its settings are not used." if stale else "")
        self._stale.setVisible(bool(stale))
        self._cell_chosen(self.map.cell)

    def _capability(self, result: SweepResult | None) -> str:
        if result is None:
            return ""
        device = next((d for d in devices_of_kind(self._statuses, Kind.GPU) if d.name == result.device), None)
        return device.facts.get("compute capability", "") if device else ""

    def _cell_chosen(self, cell: Cell | None) -> None:
        result = self.result
        text = ""
        if cell is not None and result is not None:
            text = explain_cell(result, cell, self._capability(result)).replace("\n", "   ·   ")
        self._cell_text.setText(text)
        self.show_buttons()

    def show_buttons(self) -> None:
        cell, entry = self.map.cell, self._entry()
        usable = cell is not None and cell.usable and entry is not None and not self._why_stale(entry)
        query_axis = self.result is not None and any(axis.name == QUERY_AXIS for axis in self.result.axes)
        self._use.setEnabled(bool(usable) and not query_axis and not self.running)
        self._use.setToolTip(
            "Settings for one length of queries come from a sweep with a query of that length"
            if query_axis
            else "For queries of this length class, on this device and driver, until the kernels change"
        )
        self._automatic.setVisible(entry is not None and entry.chosen is not None)
        for button in (self._csv, self._png):
            button.setEnabled(self.result is not None and bool(self.result.made))
        self.changed.emit()

    def _worth_using(self, entry: Tuned) -> bool:
        result, best = entry.result, entry.result.best
        if best is None or result.gain < WORTH or self._why_stale(entry):
            return False
        beaten = result.own is None or not result.own.usable or best.median > (1 + WORTH) * result.own.median
        return beaten and entry.chosen != result.settings_of(best)

    def _use_clicked(self) -> None:
        cell, result = self.map.cell, self.result
        if cell is not None and result is not None and cell.usable:
            self.settings_wanted.emit(result.settings_of(cell), describe(result.axes, cell.place))

    def _ask_file(self, suffix: str, kinds: str) -> None:
        tell = lambda error: self.message.emit(str(error))  # noqa: E731
        if path := ask_save_path(self, "Export sweep", f"sweep.{suffix}", kinds, tell):
            self.export(path)

    def export(self, path: Path) -> None:
        """Write the sweep that is shown as a table or as a picture, by the ending of the name."""
        result = self.result
        if result is None:
            return
        if path.suffix.lower() == ".png":
            drawing = self.lines if self._as_lines.isChecked() else self.map
            image = drawing.picture((self._title.text(), sentence(result)))
            work = partial(_write_picture, image, path)
        else:
            work = partial(_write, as_csv(result).encode(), path)
        self._files.submit(f"export {path}", work, lambda _: self.message.emit(f"Saved {path.name}."))


def _write(data: bytes, path: Path) -> None:
    with whole_file(path) as file:
        file.write(data)


def _write_picture(image: QImage, path: Path) -> None:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    _write(bytes(buffer.data().data()), path)


class SweepPanel(QWidget):
    """Runs sweeps, shows them, and lets the best settings be used."""

    shown = Signal(object)  # the `SweepResult` that is shown now, or None
    in_use_changed = Signal(object)  # a tuple of `InUse`: settings of sweeps that hold for searches
    busy_changed = Signal(bool)  # a sweep began or ended
    wrong_found = Signal(str)  # settings gave wrong scores; which, as one sentence
    message = Signal(str)  # for the status line

    def __init__(
        self,
        watch: DeviceWatch,
        parent: QWidget | None = None,
        *,
        sweep: Callable[..., Iterator[object]] = sweep,
        residues: Callable[[EngineFacts, int], int] = default_residues,
    ) -> None:
        super().__init__(parent)
        self._watch, self._sweep, self._residues = watch, sweep, residues
        self._statuses: tuple[EngineStatus, ...] = ()
        self._blocked = ""
        self._axes_now: tuple[Axis, ...] = ()
        self._task = Task(self)
        self._task.part.connect(self._event)
        self._task.failed.connect(lambda error: self._say(wording.explain(error), "danger"))
        self._task.finished.connect(self._finished)
        self._files = Tasks(self, threads=1)
        self._files.failed.connect(lambda _key, error: self._say(wording.explain(error), "danger"))
        self.form = SweepForm()
        self.form.run_wanted.connect(self.run)
        self.card = SweepResultCard(self._files)
        self.card.message.connect(self.message)
        self.card.shown.connect(self._shown)
        self.card.settings_wanted.connect(self._use)
        in_column(self._build_quick(), self.form, self.card, 1, spacing=1.5, parent=self)
        self.card.changed.connect(self._show_buttons)
        self._show_buttons()

    @property
    def running(self) -> bool:
        return self._task.busy

    @property
    def result(self) -> SweepResult | None:
        return self.card.result

    def use_context(self, context: Callable[[], Context]) -> None:
        self.form.context = context

    def show_engines(self, statuses: Sequence[EngineStatus]) -> None:
        self._statuses = tuple(statuses)
        before = self._engine.currentData()
        self._engine.clear()
        for status in self._statuses:
            if status.available and facts(status.name).tunable:
                for device in status.devices:
                    title = facts(status.name).title
                    kind = f"{title} {device.id}" if device.id != CPU else title
                    self._engine.addItem(f"{kind}: {device.name}", (status.name, device.id))
        index = self._engine.findData(before)
        self._engine.setCurrentIndex(max(index, 0))
        gpu = of_kind(self._statuses, Kind.GPU)
        note = ""
        if gpu is not None and not gpu.available:
            note = f"{gpu.reason} Until there is a GPU, threads and chunk size of the CPU can be swept. {gpu.hint}"
        self._no_gpu.setText(note)
        self._no_gpu.setVisible(bool(note))
        self.card.use_engines(self._statuses)
        self._engine_chosen()
        self.reload()

    def block(self, reason: str) -> None:
        """Say why no sweep can start now; a sweep that runs is stopped, what it measured is kept."""
        self._blocked = reason
        if reason and self.running:
            self.stop()
        self._show_buttons()

    def run_quick(self) -> None:
        """Measure few sensible settings for the chosen length of queries, within a fixed time."""
        engine, device = self._device()
        self._start(quick_axes(facts(engine), self.form.length, self._cores), {}, engine, device, QUICK_SECONDS)

    def run(self) -> None:
        try:
            axes = self.form.axes()
            self._start(axes, self.form.base(axes), *self._device(), self.form.budget)
        except SwguiError as error:
            self._say(str(error), "danger")

    def stop(self) -> None:
        """Stop; what was measured stays."""
        self._task.stop()
        self._stop.setEnabled(False)

    def reload(self) -> None:
        """Read the sweeps that are kept, in the background; `in_use_changed` tells what holds now."""
        self._files.submit("load", partial(_load, self._statuses), self._loaded)

    def shutdown(self) -> None:
        self._task.shutdown()
        self._files.shutdown()

    def _build_quick(self) -> QFrame:
        self._no_gpu = text_label(name="sweepNoGpu", wrap=True, selectable=True, tone="warning")
        self._no_gpu.hide()
        self._engine = shrinkable(combo_box("sweepEngine", "Where the sweep runs", self._engine_chosen), 20)
        self._quick = push_button(
            "findFastest", f"Find the fastest settings ({QUICK_SECONDS} s)", does=self.run_quick, role="primary"
        )
        self._stop = push_button("sweepStop", "Stop", does=self.stop, icon="stop")
        self._bar = progress_bar("sweepBar", "Progress of the sweep", hidden=True)
        self._bar.setRange(0, STEPS)
        self._verdict = text_label(name="sweepVerdict", wrap=True)
        self._verdict.hide()
        self._use_best = push_button("useFastest", "Use the fastest settings", does=self.card.use_best)
        self._use_best.hide()
        return card(
            "",
            text_label("Speed", level="heading"),
            text_label(QUICK_HELP, wrap=True, level="muted"),
            self._no_gpu,
            in_row(text_label("Device", buddy=self._engine), self._engine, 1, self._stop, self._quick),
            self._bar,
            in_row((self._verdict, 1), in_column(self._use_best, 1)),
        )

    # Running

    def _start(self, axes: Sequence[Axis], base: dict[str, str], engine: str, device: str, budget: float) -> None:
        if self.running or self._blocked or not engine:
            return
        if missing := self.form.missing:
            self._say(missing, "danger")
            return
        context = self.form.context()
        self._axes_now = tuple(axes)
        make = self._make_events(tuple(axes), base, engine, device, budget, context)
        self._say("Preparing…")
        motion.be_busy(self._bar)
        self._bar.show()
        self._task.follow(make)
        self.card.running = True
        self.busy_changed.emit(True)
        self._show_buttons()

    def _make_events(
        self, axes: tuple[Axis, ...], base: dict[str, str], engine: str, device: str, budget: float, context: Context
    ) -> MakeEvents:
        mine, current = self.form.mine, self.form.current
        length, residues, monitor = self.form.length, self._residues(facts(engine), self._cores), self._watch.monitor
        run = self._sweep

        def events(cancel: threading.Event) -> Iterator[object]:
            # Here, on the worker's thread: making up sequences takes a moment.
            yield Stage("Making up sequences")
            scheme = context.scheme or ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
            database, query = context.database if current else None, context.query if mine else None
            if database is None:
                database = synthetic_database(residues, scheme.alphabet)
            if query is None:
                query = synthetic_query(length, scheme.alphabet)
            options = EngineOptions((device,), settings=base)
            request = SweepRequest(engine, axes, database.arrays(), scheme, query, options, budget=budget)
            yield from run(request, cancel, sensors=monitor if device in monitor.devices else None)

        return events

    def _event(self, event: object) -> None:
        if isinstance(event, Stage):
            if not event.total:
                motion.be_busy(self._bar)
            else:
                motion.be_measured(self._bar, STEPS)
                self._bar.setValue(round(STEPS * event.done / event.total))
            self._say(f"{event.name}…")
        elif isinstance(event, CellDone):
            self._add_cell(event.cell)
        elif isinstance(event, Finished):
            self._ended(event.outcome)

    def _add_cell(self, cell: Cell) -> None:
        result = self.card.result
        if result is None or result.made or result.axes != self._axes_now:
            result = self._empty()
        self.card.show_cells(result.with_cell(cell))

    def _empty(self) -> SweepResult:
        engine, device_id = self._device()
        device = next(d for s in self._statuses if s.name == engine for d in s.devices if d.id == device_id)
        return SweepResult(
            axes=self._axes_now,
            cells={place: Cell(place) for place in places(self._axes_now)},
            default=None,
            default_again=None,
            key=key_of(engine, device, 0, self.form.length),
            device=device.name,
            query_length=self.form.length,
            residues=0,
            subjects=0,
            database="",
            complete=False,
        )

    def _ended(self, result: SweepResult) -> None:
        if result.empty:  # what was shown before stays
            self._say(sentence(result), "warning")
            return
        self._files.submit("keep", partial(_keep, result, self._statuses), self._loaded)
        self.card.show_cells(result)
        wrong = [cell for cell in result.cells.values() if cell.state == "wrong"]
        self._say(sentence(result), "danger" if wrong else "")
        if wrong:
            named = "; ".join(describe(result.axes, cell.place) for cell in wrong[:WRONG_NAMED])
            more = f" and {len(wrong) - WRONG_NAMED} more" if len(wrong) > WRONG_NAMED else ""
            self.wrong_found.emit(f"{result.device}, query of {result.query_length} residues: {named}{more}.")
        self.card.map.choose(result.best.place if result.best else None)
        self.shown.emit(result)

    def _finished(self, stopped: bool) -> None:
        self._bar.hide()
        self.card.running = False
        if stopped and (self.result is None or not self.result.made):
            self._say("The sweep was stopped before anything was measured.", "warning")
        self.busy_changed.emit(False)
        self._show_buttons()

    # Results

    def _loaded(self, tuned: tuple[Tuned, ...]) -> None:
        self.card.show_kept(tuned)
        self.in_use_changed.emit(self.card.in_use)

    def _shown(self, result: SweepResult | None) -> None:
        if result is not None and not self.running:
            self._say(sentence(result))
        self.shown.emit(result)

    def _use(self, settings: dict[str, str] | None, name: str) -> None:
        result = self.result
        if result is None:
            return
        self._files.submit("use", partial(_use, result, settings, self._statuses), self._loaded)
        low, high = result.key.query_class.split("-")
        if settings is None:
            self.message.emit("Automatic settings are used again.")
        else:
            self.message.emit(f"Used for queries of {low} to {high} residues: {name}. Others stay automatic.")

    def export(self, path: Path) -> None:
        """Write the sweep that is shown as a table or as a picture, by the ending of the name."""
        self.card.export(path)

    @property
    def _cores(self) -> int:
        told = (device.facts.get("cores", "") for device in devices_of_kind(self._statuses, Kind.CPU))
        return max(1, next((int(text) for text in told if text.isdecimal()), 1))

    def _device(self) -> tuple[str, str]:
        chosen = self._engine.currentData()
        return tuple(chosen) if chosen else ("", "")

    def _engine_chosen(self, *_: object) -> None:
        self.form.use_engine(self._device()[0], self._cores)
        self._show_buttons()

    def _show_buttons(self) -> None:
        running = self.running
        ready = not running and not self._blocked and self._engine.count() > 0
        self._quick.setEnabled(ready)
        self._quick.setToolTip(self._blocked)
        self.form.allow(ready)
        self._stop.setVisible(running)
        self._stop.setEnabled(running and not self._task.stopping)
        self._use_best.setVisible(self.card.worth_using)

    def _say(self, text: str, tone: str = "") -> None:
        self._verdict.setText(text)
        set_role(self._verdict, tone=tone)
        self._verdict.setVisible(bool(text))


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
