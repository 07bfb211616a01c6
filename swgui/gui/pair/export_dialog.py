"""The dialog that writes the result of a pair: format, first lines, file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.pair.result import PairResult
from swgui.gui.inputs.saving_dialog import SavingDialog
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.pair.export_job import PairExportJob
from swgui.io.pair_export import PAIR_FORMATS, PairFormat


class PairExportDialog(SavingDialog[PairFormat, PairExportJob]):
    """Asks how to write a result and writes it, by a worker.

    Signals
    -------
    saved(str)
        Path of the file that was written.
    """

    saved = Signal(str)

    def __init__(self, tasks: Tasks, result: PairResult, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "pairExport", "Export the pair", PAIR_FORMATS, "pair", parent)
        self._result = result
        self.arrange(size=(92, 70))
        self.changed()

    def job(self) -> PairExportJob | None:
        """Return the export as it is set, None if the format cannot hold the result."""
        return None if self._chosen.problem else self._chosen

    def nothing(self) -> str:
        """Say why the format cannot hold the result."""
        return self._chosen.problem

    def tell_saved(self, path: Path, job: PairExportJob) -> None:
        """Emit the path."""
        self.saved.emit(str(path))

    @property
    def _chosen(self) -> PairExportJob:
        return PairExportJob(self._result, self.format_box.currentData())
