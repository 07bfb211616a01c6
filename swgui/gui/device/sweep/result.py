"""A sweep that was measured: map or lines, what is known of a cell, using it, exporting it, earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, Signal
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtWidgets import (
    QFrame,
    QStackedWidget,
    QWidget,
)

from swgui.core.engines import Kind
from swgui.core.sweep.grid import QUERY_AXIS, WORTH, Cell, SweepResult
from swgui.core.sweep.report import as_csv, describe, sentence
from swgui.engines.base import EngineStatus
from swgui.engines.registry import devices_of_kind
from swgui.gui.device.sweep.drawings import HeatMap, SweepLines
from swgui.gui.device.sweep.explain import explain_cell
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    combo_box,
    push_button,
    shrinkable,
    text_label,
)
from swgui.io.tuning import Tuned
from swgui.io.whole_file import whole_file
from swgui.jobs.sweep.in_use import InUse, in_use, why_not_used


class SweepResultCard(QFrame):
    """Shows one sweep, under way or kept.

    Parameters
    ----------
    files : Tasks
        Writes exports.

    Signals
    -------
    shown(object)
        The `SweepResult` that is shown now, or None.
    settings_wanted(object, str)
        What to use for the queries of the sweep from now on, a dict, None for automatic; and what that is in words.
    changed()
        Another cell, or another sweep.
    message(str)
        For the status line.
    """

    shown = Signal(object)
    settings_wanted = Signal(object, str)
    changed = Signal()
    message = Signal(str)

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
        """Take the devices that kept sweeps are compared with."""
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
            shown = next((at for at, e in enumerate(tuned) if now and e.result.made == now.made), 0)
            self._kept.setCurrentIndex(shown)
            self.show_tuned(tuned[shown])
        self.show_buttons()

    @property
    def in_use(self) -> tuple[InUse, ...]:
        """Settings of kept sweeps that hold for searches."""
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

    def _kept_chosen(self, at: int) -> None:
        if 0 <= at < len(self._tuned) and not self.running:
            self.show_tuned(self._tuned[at])

    def show_tuned(self, tuned: Tuned | None) -> None:
        """Show a sweep that is kept, or none."""
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
        """Fit the drawing to the axes of the result."""
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
        what = f"{result.database}, {result.residues:,} residues" if result.residues else ""
        self._title.setText(f"GCUPS (median, {time}), {result.device}, {result.queries}{', ' + what if what else ''}")
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
        """Let what is possible now be pressed."""
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
        """Whether the best of a sweep is faster than anything automatic, and not in use yet."""
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
        path = ask_save_path(
            self, "Export sweep", f"sweep.{suffix}", kinds, lambda error: self.message.emit(str(error)),
            complete=lambda name, _: Path(name if name.lower().endswith(f".{suffix}") else f"{name}.{suffix}"),
        )  # fmt: skip
        if path:
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
