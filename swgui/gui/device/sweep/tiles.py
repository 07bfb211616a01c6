"""Tiles of a GPU on the Speed tab: where their figures are from, and a button that measures them on it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.sweep.tile_rates import sentence
from swgui.engines.base import NOT_USED, TILES, DeviceInfo
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.control import JobController, JobState
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import progress_bar, push_button, text_label
from swgui.gui.words import wording
from swgui.io.tile_rates import forget_rates
from swgui.jobs.events import finishing
from swgui.jobs.tiles.run import TileRequest, tile_steps

HELP = (
    "A search cuts its query into tiles, by figures of an H200 that came with the program. Measured on this GPU, they "
    "can make searches faster; no score depends on them."
)


class TilesRow(QWidget):
    """Shows where the tiles of one GPU are from, measures them, and forgets what was measured."""

    measured = Signal()  # the tiles of a GPU are others now: devices are to be looked at again
    busy_changed = Signal(bool)  # a measurement began or ended
    message = Signal(str)  # for the status line

    def __init__(self, files: Tasks, parent: QWidget | None = None, *, residues: int = 0) -> None:
        super().__init__(parent)
        self._files, self._residues = files, residues
        self._device: DeviceInfo | None = None
        self._engine, self._allowed, self._why = "", True, ""
        self.control = JobController("sweep", lambda asked, cancel: finishing(tile_steps(asked, cancel)), self)
        self.control.state_changed.connect(self._progressed)
        self.control.phase_changed.connect(self._phase_changed)
        self.control.result_ready.connect(self._ended)
        self.control.stopped.connect(partial(self._say, "The measurement was stopped; the tiles are those of before."))
        self.control.failed.connect(lambda error: self._say(wording.explain(error), "danger"))
        self._now = text_label(name="tilesNow", wrap=True)
        self._verdict = text_label(name="tilesVerdict", wrap=True)
        self._verdict.hide()
        self._bar = progress_bar("tilesBar", "Progress of the measurement of tiles", hidden=True)
        self._measure = push_button("measureTiles", "Measure the tiles (some minutes)", does=self.run)
        self._stop = push_button("tilesStop", "Stop", does=self.control.stop, icon="stop")
        self._forget = push_button("forgetTiles", "Forget", "Use the tiles that came with the program", self._forgotten)
        set_role(self._forget, role="quiet")
        in_column(
            text_label("Tiles", level="section"),
            text_label(HELP, wrap=True, level="muted"),
            in_row((self._now, 1), self._forget, self._stop, self._measure),
            self._bar,
            self._verdict,
            parent=self,
        )
        self._show()

    @property
    def running(self) -> bool:
        return self.control.phase != "idle"

    def show_device(self, engine: str, device: DeviceInfo | None) -> None:
        """Show the tiles of a device; nothing where it has none."""
        self._engine, self._device = engine, device
        self._show()

    def allow(self, allowed: bool, why: str = "") -> None:
        """Allow a measurement to begin, or not, with the reason."""
        self._allowed, self._why = allowed, why
        self._show()

    def run(self) -> None:
        """Measure the tiles of the device that is shown."""
        if self._device is not None and self._allowed and not self.running:
            self.control.start(TileRequest(self._engine, self._device.id, residues=self._residues))

    def stop(self) -> None:
        """Stop; nothing is kept."""
        self.control.stop()

    def shutdown(self) -> None:
        self.control.shutdown()

    def _show(self) -> None:
        facts = self._device.facts if self._device is not None else {}
        said, trouble = facts.get(TILES, ""), facts.get(NOT_USED, "")
        self.setVisible(bool(said))
        self._now.setText(f"In use: {said}. {trouble}".strip())
        set_role(self._now, tone="warning" if trouble else "")
        self._measure.setEnabled(self._allowed and not self.running)
        self._measure.setToolTip(self._why)
        self._measure.setVisible(not self.running)
        self._stop.setVisible(self.running)
        self._forget.setVisible(not self.running and bool(trouble or said.startswith("measured")))

    def _progressed(self, state: JobState) -> None:
        if (stage := state.stage) is None or state.finished is not None:
            return
        if not stage.total:
            motion.be_busy(self._bar)
        else:
            motion.be_measured(self._bar, stage.total)
            self._bar.setValue(stage.done)
        done = f", {stage.done:,} of {stage.total:,}" if stage.total else ""
        self._say(f"{stage.name}{done}…")

    def _phase_changed(self, phase: str) -> None:
        self._bar.setVisible(self.running)
        self._show()
        self.busy_changed.emit(self.running)

    def _ended(self, found: object) -> None:
        self._say(sentence(found))  # type: ignore[arg-type]
        self.measured.emit()

    def _forgotten(self) -> None:
        def tell(_cards: int) -> None:
            self._say("")
            self.message.emit("The tiles that came with the program are used again.")
            self.measured.emit()

        self._files.submit("forget tiles", forget_rates, tell)

    def _say(self, text: str, tone: str = "") -> None:
        self._verdict.setText(text)
        set_role(self._verdict, tone=tone)
        self._verdict.setVisible(bool(text))
