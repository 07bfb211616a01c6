"""Sweeps on the Device page: one button that needs no choices, axes to choose, and a map of the measurements."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Signal
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import (
    QFrame,
    QStackedWidget,
    QWidget,
)

from swgui.commands.bench import sweep_command, to_be_saved
from swgui.core.alphabet import PROTEIN
from swgui.core.devices import CPU
from swgui.core.engines import EngineFacts, EngineOptions, Kind
from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.sweep.axes import quick_axes
from swgui.core.sweep.data import default_residues
from swgui.core.sweep.grid import QUERY_AXIS, WORTH, Axis, Cell, Place, SweepResult, places
from swgui.core.sweep.report import cells_table, describe, sentence
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.registry import devices_of_kind, facts, of_kind
from swgui.gui.device.sweep.drawings import HeatMap, SweepLines, explain_cell
from swgui.gui.device.sweep.form import Context, SweepForm
from swgui.gui.device.sweep.tiles import TilesRow
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import card, in_column, in_row
from swgui.gui.kit.saving import TABLE_FILES, ask_save_path
from swgui.gui.kit.tasks.control import JobController, JobState
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    combo_box,
    progress_bar,
    push_button,
    shrinkable,
    text_label,
)
from swgui.gui.words import wording
from swgui.io.matrices import load_matrix
from swgui.io.table_files import form_of, write_table
from swgui.io.tuning import InUse, load_in_use, use_settings
from swgui.io.whole_file import whole_file
from swgui.jobs.sweep.events import CellDone
from swgui.jobs.sweep.in_use import in_use, key_of, why_not_used
from swgui.jobs.sweep.request import SweepRequest
from swgui.runs import Runs
from swgui.runs.plain import Kept, Resumed
from swgui.runs.sweeps import kept_sweeps

Loaded = tuple[tuple[Kept, ...], tuple[InUse, ...]]  # sweeps, newest first, and the settings in use
QUICK_SECONDS = 30
STEPS = 1_000
WRONG_NAMED = 3
QUICK_HELP = (
    "Measures a handful of sensible settings with the query chosen below and offers the best for queries of that "
    "length. Every score is compared with that of another engine: a setting that gives a wrong one is never offered."
)


class SweepState(JobState):
    """Takes the events of a sweep, and holds its measured cells."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: dict[Place, Cell] = {}
        self._begun: tuple[str, int, float] = ("", 0, 0.0)  # name of the stage; done, and when, as it began

    def feed(self, event: object) -> None:
        if isinstance(event, CellDone):
            self.cells[event.cell.place] = event.cell
        super().feed(event)
        if (stage := self.stage) is not None and stage.name != self._begun[0]:
            self._begun = (stage.name, stage.done, time.monotonic())

    @property
    def left(self) -> str:
        """The share of the stage that is done and the time left by its speed so far; empty while that is short."""
        name, first, since = self._begun
        if (stage := self.stage) is None or stage.name != name or stage.total <= first:
            return ""
        return wording.share_and_left((stage.done - first) / (stage.total - first), time.monotonic() - since)


class SweepResultCard(QFrame):
    """Shows one sweep, under way or kept."""

    shown = Signal(object)  # the `SweepResult` that is shown now, or None
    # Settings for the queries of the sweep from now on, a dict, None for automatic; and the same in words.
    settings_wanted = Signal(object, str)
    changed = Signal()  # another cell, or another sweep
    message = Signal(str)  # for the status line

    def __init__(self, files: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, role="card")
        self._files = files
        self._statuses: tuple[EngineStatus, ...] = ()
        self._runs: tuple[Kept, ...] = ()
        self._chosen: tuple[InUse, ...] = ()
        self._run_id = ""  # of the sweep that is shown; empty while it is under way
        self.result: SweepResult | None = None
        self.running = False
        self._build()
        self.show_run(None)

    def use_engines(self, statuses: Sequence[EngineStatus]) -> None:
        self._statuses = tuple(statuses)

    def show_kept(self, loaded: Loaded) -> None:
        """Offer the saved sweeps, and show the last one shown, or the newest."""
        self._runs, self._chosen = loaded
        self._kept.clear()
        for run in self._runs:
            result: SweepResult = run.outcome
            axes = " × ".join(axis.title.lower() for axis in result.axes)
            used = ", in use" if self._settings_of(result) is not None and not self._why_stale(result) else ""
            lengths = " to ".join(result.key.query_class.split("-"))
            query = "" if any(axis.name == QUERY_AXIS for axis in result.axes) else f", query of {lengths} residues"
            self._kept.addItem(f"{result.made[:10]}  {result.device}: {axes}{query}{used}")
        if self._runs and not self.running:
            index = next((row for row, run in enumerate(self._runs) if run.run_id == self._run_id), 0)
            self._kept.setCurrentIndex(index)
            self.show_run(self._runs[index])
        self.show_buttons()

    def take(self, run: Kept) -> None:
        """Show a sweep of the list of runs."""
        index = next((row for row, other in enumerate(self._runs) if other.run_id == run.run_id), -1)
        self._kept.setCurrentIndex(index)
        self.show_run(run)

    def _settings_of(self, result: SweepResult) -> Mapping[str, str] | None:
        """Return the settings in use under the conditions of a sweep, if it has measured them."""
        chosen = next((entry.settings for entry in self._chosen if entry.key == result.key), None)
        measured = (result.settings_of(cell) for cell in result.measured)
        return chosen if chosen is not None and any(chosen == settings for settings in measured) else None

    @property
    def in_use(self) -> tuple[InUse, ...]:
        return in_use(self._chosen, self._statuses)

    @property
    def worth_using(self) -> bool:
        """Whether the best of the sweep is faster than anything automatic, and not in use yet."""
        return self.result is not None and self._is_kept and not self.running and self._worth_using(self.result)

    def show_cells(self, result: SweepResult, run_id: str = "") -> None:
        """Show the cells of a sweep under way, or that has ended; the cursor stays where it is."""
        fresh = self.result is None or self.result.axes != result.axes
        self.result, self._run_id = result, run_id
        if fresh:
            self._fresh()
        self._draw()

    def use_best(self) -> None:
        """Choose the cell of the best settings and ask for them; nothing without a best one."""
        if self.result is not None and self.result.best is not None:
            self.map.choose(self.result.best.place)
            self._use_clicked()

    def _build(self) -> None:
        self._kept = combo_box("keptSweeps", "Earlier sweeps, newest first", self._kept_chosen)
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
            "exportSweepTable", "Export table…", "The speed of every setting", self.ask_table, role="quiet"
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
        if 0 <= index < len(self._runs) and not self.running:
            self.show_run(self._runs[index])

    def show_run(self, run: Kept | None) -> None:
        result: SweepResult | None = run.outcome if run is not None else None
        self.result, self._run_id = result, run.run_id if run is not None else ""
        self.setVisible(result is not None)
        self._fresh()
        self._draw()
        if result is not None:
            self.map.choose(result.best.place if result.best else None)
        self.shown.emit(result)

    def _why_stale(self, result: SweepResult) -> str:
        return why_not_used(result.key, self._statuses)

    @property
    def _is_kept(self) -> bool:
        return any(run.run_id == self._run_id for run in self._runs)

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
        stale = self._why_stale(result) if self._is_kept else ""
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
        cell, result = self.map.cell, self.result if self._is_kept else None
        usable = cell is not None and cell.usable and result is not None and not self._why_stale(result)
        query_axis = self.result is not None and any(axis.name == QUERY_AXIS for axis in self.result.axes)
        self._use.setEnabled(bool(usable) and not query_axis and not self.running)
        self._use.setToolTip(
            "Settings for one length of queries come from a sweep with a query of that length"
            if query_axis
            else "For queries of this length class, on this device and driver, until the kernels change"
        )
        self._automatic.setVisible(result is not None and self._settings_of(result) is not None)
        for button in (self._csv, self._png):
            button.setEnabled(self.result is not None and bool(self.result.made))
        self.changed.emit()

    def _worth_using(self, result: SweepResult) -> bool:
        best = result.best
        if best is None or result.gain < WORTH or self._why_stale(result):
            return False
        beaten = result.own is None or not result.own.usable or best.median > (1 + WORTH) * result.own.median
        return beaten and self._settings_of(result) != result.settings_of(best)

    def _use_clicked(self) -> None:
        cell, result = self.map.cell, self.result
        if cell is not None and result is not None and cell.usable:
            self.settings_wanted.emit(result.settings_of(cell), describe(result.axes, cell.place))

    def ask_table(self) -> None:
        """Ask for a file, and write the sweep that is shown as a table."""
        self._ask_file("csv", TABLE_FILES)

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
            work = partial(write_table, str(path), cells_table(result), form_of(str(path), "csv"))
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
    """Runs sweeps, shows them, and lets the user apply the best settings."""

    shown = Signal(object)  # the `SweepResult` that is shown now, or None
    in_use_changed = Signal(object)  # a tuple of `InUse`: settings of sweeps that hold for searches
    busy_changed = Signal(bool)  # a sweep began or ended
    queue_wanted = Signal(object)  # sweeps to be run after the runs that wait
    wrong_found = Signal(str)  # settings gave wrong scores; which, as one sentence
    message = Signal(str)  # for the status line

    def __init__(
        self,
        runs: Runs,
        parent: QWidget | None = None,
        *,
        residues: Callable[[EngineFacts, int], int] = default_residues,
    ) -> None:
        super().__init__(parent)
        self.runs, self._residues = runs, residues
        self._statuses: tuple[EngineStatus, ...] = ()
        self.blocked = ""
        self.control = JobController("sweep", partial(runs.run, "sweep"), self, make_state=SweepState)
        self.control.begun.connect(self._begun)
        self.control.state_changed.connect(self._progressed)
        self.control.phase_changed.connect(self._phase_changed)
        self.control.result_ready.connect(self._ended)
        self.control.stopped.connect(self._stopped_early)
        self.control.failed.connect(lambda error: self._say(wording.explain(error), "danger"))
        self._files = Tasks(self, threads=1)
        self._files.failed.connect(lambda _key, error: self._say(wording.explain(error), "danger"))
        self.tiles = TilesRow(self._files)
        self.tiles.busy_changed.connect(self._tiles_busy)
        self.tiles.message.connect(self.message)
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
    def settled(self) -> bool:
        """Whether no file of a sweep is being read or written."""
        return self._files.idle

    @property
    def running(self) -> bool:
        """Whether a sweep or the tiles are measured."""
        return self.sweeping or self.tiles.running

    @property
    def sweeping(self) -> bool:
        return self.control.phase != "idle"

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
        """Set the reason why no sweep can start now, empty for none; it stops a running sweep, whose results stay."""
        self.blocked = reason
        if reason and self.running:
            self.stop()
        self._show_buttons()

    def run_quick(self) -> None:
        """Measure few sensible settings for the chosen length of queries, within a fixed time."""
        self._start(self._quick_request)

    def run(self) -> None:
        self._start(self._request)

    def queue(self) -> None:
        """Run the sweep of the form after the runs that wait."""
        if (asked := self._asked_by(self._request)) is not None:
            self.queue_wanted.emit([asked])

    def command(self) -> tuple[str, str]:
        """Return the command that runs the sweep of the form, and what to do first; empty if it cannot run."""
        if (asked := self._asked_by(self._request)) is None:
            return "", ""
        missing = " and ".join(to_be_saved(asked))
        return sweep_command(asked), f"Save the sequences as {missing} first." if missing else ""

    def stop(self) -> None:
        """Stop; keep the measurements of a sweep."""
        self.tiles.stop()
        self.control.stop()
        self._stop.setEnabled(False)

    def take(self, run: Kept) -> None:
        """Show a sweep of the list of runs."""
        if not self.running:
            self.card.take(run)

    def reload(self) -> None:
        """Read the saved sweeps in the background; `in_use_changed` reports the settings in use."""
        self._files.submit("load", partial(_load, self.runs, self._statuses), self._loaded)

    def shutdown(self) -> None:
        self.control.shutdown()
        self.tiles.shutdown()
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
            self.tiles,
        )

    # Running

    def _request(self) -> SweepRequest:
        axes = self.form.axes()
        return self._sweep_of(axes, self.form.base(axes), self.form.budget)

    def _quick_request(self) -> SweepRequest:
        return self._sweep_of(quick_axes(facts(self._device()[0]), self.form.length, self._cores), {}, QUICK_SECONDS)

    def _sweep_of(self, axes: tuple[Axis, ...], base: dict[str, str], budget: float) -> SweepRequest:
        (engine, device), context = self._device(), self.form.context()
        scheme = context.scheme or ScoringScheme(load_matrix("BLOSUM62", PROTEIN), 12, 1)
        database = context.database if self.form.current else None
        query = context.query if self.form.mine else None
        residues = self._residues(facts(engine), self._cores)
        options = EngineOptions((device,), settings=base)
        return SweepRequest(
            engine,
            axes,
            residues if database is None else database,
            scheme,
            self.form.length if query is None else EncodedQuery(query.id, query.codes),
            options,
            budget=budget,
            source=context.source if database is not None else "",
            query_file=context.query_file if query is not None else "",
        )

    def _asked_by(self, make: Callable[[], SweepRequest]) -> SweepRequest | None:
        """Return the request of the form; None, with a message, if it cannot be made."""
        if not self._device()[0]:
            return None
        try:
            if missing := self.form.missing:
                self._say(missing, "danger")
                return None
            return make()
        except SwguiError as error:
            self._say(str(error), "danger")
            return None

    def _start(self, make: Callable[[], SweepRequest]) -> None:
        if not self.running and not self.blocked and (asked := self._asked_by(make)) is not None:
            self.control.start(asked)

    def _begun(self, asked: SweepRequest | Resumed) -> None:
        self._now = _empty(asked.asked if isinstance(asked, Resumed) else asked, self._statuses)
        self._say("Preparing…")
        motion.be_busy(self._bar)
        self._bar.show()

    def _tiles_busy(self, _busy: bool) -> None:
        self.busy_changed.emit(self.running)
        self._show_buttons()

    def _phase_changed(self, phase: str) -> None:
        self.card.running = self.sweeping
        self._bar.setVisible(self.sweeping)
        self.busy_changed.emit(self.running)
        self._show_buttons()
        self.card.show_buttons()

    def _progressed(self, state: SweepState) -> None:
        if state.cells and state.finished is None:
            self.card.show_cells(replace(self._now, cells={**self._now.cells, **state.cells}))
        if (stage := state.stage) is None or state.finished is not None:
            return
        if not stage.total:
            motion.be_busy(self._bar)
        else:
            motion.be_measured(self._bar, STEPS)
            self._bar.setValue(round(STEPS * stage.done / stage.total))
        left = f"; {state.left}" if state.left else ""
        self._say(f"{stage.name}, {stage.done:,} of {stage.total:,}{left}…" if stage.total else f"{stage.name}…")

    def _stopped_early(self) -> None:
        self._say("The sweep was stopped before anything was measured.", "warning")

    def _ended(self, run: Kept) -> None:
        result: SweepResult = run.outcome
        self.card.show_cells(result, run.run_id)
        self.reload()
        wrong = [cell for cell in result.cells.values() if cell.state == "wrong"]
        self._say(" ".join(filter(None, (sentence(result), run.not_kept))), "danger" if wrong else "")
        if wrong:
            named = "; ".join(describe(result.axes, cell.place) for cell in wrong[:WRONG_NAMED])
            more = f" and {len(wrong) - WRONG_NAMED} more" if len(wrong) > WRONG_NAMED else ""
            self.wrong_found.emit(f"{result.device}, query of {result.query_length} residues: {named}{more}.")
        self.card.map.choose(result.best.place if result.best else None)
        self.shown.emit(result)

    # Results

    def _loaded(self, loaded: Loaded) -> None:
        self.card.show_kept(loaded)
        self.in_use_changed.emit(self.card.in_use)

    def _shown(self, result: SweepResult | None) -> None:
        if result is not None and not self.sweeping:
            self._say(sentence(result))
        self.shown.emit(result)

    def _use(self, settings: dict[str, str] | None, name: str) -> None:
        result = self.result
        if result is None:
            return
        use = partial(_use, self.runs, result, settings, self._statuses)
        self._files.submit("use", use, self._loaded)
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
        engine, device = self._device()
        self.form.use_engine(engine, self._cores)
        devices = [one for status in self._statuses if status.name == engine for one in status.devices]
        self.tiles.show_device(engine, next((one for one in devices if one.id == device), None))
        self._show_buttons()

    def _show_buttons(self) -> None:
        ready = not self.running and not self.blocked and self._engine.count() > 0
        self._quick.setEnabled(ready)
        self._quick.setToolTip(self.blocked)
        self.form.allow(ready)
        self.tiles.allow(ready, self.blocked)
        self._stop.setVisible(self.sweeping)
        self._stop.setEnabled(self.control.phase == "running")
        self._use_best.setVisible(self.card.worth_using)

    def _say(self, text: str, tone: str = "") -> None:
        self._verdict.setText(text)
        set_role(self._verdict, tone=tone)
        self._verdict.setVisible(bool(text))


def _empty(asked: SweepRequest, statuses: Sequence[EngineStatus]) -> SweepResult:
    """Return a sweep before anything is measured."""
    devices = [device for status in statuses if status.name == asked.engine for device in status.devices]
    wanted = asked.options.devices
    device = next((device for device in devices if not wanted or device.id == wanted[0]), None)
    device = device or DeviceInfo(wanted[0] if wanted else "", asked.engine)
    return SweepResult(
        axes=asked.axes,
        cells={place: Cell(place) for place in places(asked.axes)},
        default=None,
        default_again=None,
        key=key_of(asked.engine, device, 0, asked.length),
        device=device.name,
        query_length=asked.length,
        residues=0,
        subjects=0,
        database="",
        complete=False,
    )


def _load(runs: Runs, statuses: Sequence[EngineStatus]) -> Loaded:
    for status in statuses:  # stale measurements are found by digests of the kernels, which are remembered
        if status.devices:
            key_of(status.name, status.devices[0], 0, 1)
    return kept_sweeps(runs), load_in_use()


def _use(runs: Runs, result: SweepResult, settings: dict[str, str] | None, statuses: Sequence[EngineStatus]) -> Loaded:
    use_settings(result.key, settings)
    return _load(runs, statuses)
