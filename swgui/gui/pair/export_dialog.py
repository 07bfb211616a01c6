"""The dialog that writes the result of a pair: format, first lines, file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core.errors import Stopped
from swgui.core.pair.result import PairResult
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import arrange, fixed_font, grid, set_role
from swgui.gui.pair.export_job import PairExportJob
from swgui.gui.words import wording
from swgui.io.pair_export import PAIR_FORMATS

PREVIEW_KEY = "pair-export-preview"


class PairExportDialog(QDialog):
    """Asks how to write a result and writes it, by a worker.

    Signals
    -------
    saved(str)
        Path of the file that was written.
    """

    saved = Signal(str)

    def __init__(self, tasks: Tasks, result: PairResult, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairExportDialog")
        self.setWindowTitle("Export the pair")
        self._tasks, self._result = tasks, result
        self._saving = Task(self)
        self._saving.progressed.connect(lambda _share, text: self._say(text))
        self._build()
        self._changed()

    def _build(self) -> None:
        self.format_box = QComboBox()
        self.format_box.setObjectName("pairExportFormat")
        for name, form in PAIR_FORMATS.items():
            self.format_box.addItem(form.title, name)
            tip = form.sentence
            self.format_box.setItemData(self.format_box.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.format_box.currentIndexChanged.connect(self._changed)
        label = QLabel("&Format")
        label.setBuddy(self.format_box)
        set_role(label, level="section")
        self._note = QLabel()
        self._note.setObjectName("pairExportNote")
        self._note.setWordWrap(True)
        set_role(self._note, level="muted")
        first = QLabel("First lines")
        set_role(first, level="section")
        self.preview = QPlainTextEdit()
        self.preview.setObjectName("pairExportPreview")
        self.preview.setAccessibleName("First lines of the file")
        self.preview.setReadOnly(True)
        self.preview.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.preview.setFont(fixed_font())
        self._status = QLabel()
        self._status.setObjectName("pairExportStatus")
        self._status.setWordWrap(True)
        self.save_button = QPushButton("Save as…")
        self.save_button.setObjectName("pairExportSave")
        self.save_button.setDefault(True)
        set_role(self.save_button, role="primary")
        self.save_button.clicked.connect(self._ask_path)
        self.cancel_button = QPushButton("Cancel")
        self.cancel_button.setObjectName("pairExportCancel")
        self.cancel_button.clicked.connect(self._cancel)
        buttons = QDialogButtonBox()
        buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.cancel_button, QDialogButtonBox.ButtonRole.ActionRole)
        foot = QHBoxLayout()
        arrange(foot, 0, 1)
        foot.addWidget(self._status, 1)
        foot.addWidget(buttons)
        layout = QVBoxLayout(self)
        arrange(layout, 2, 1)
        for widget in (label, self.format_box, self._note, first):
            layout.addWidget(widget)
        layout.addWidget(self.preview, 1)
        layout.addLayout(foot)
        self.resize(grid(92), grid(70))

    def choose(self, name: str) -> None:
        """Choose a format."""
        self.format_box.setCurrentIndex(self.format_box.findData(name))

    def _changed(self) -> None:
        job = PairExportJob(self._result, self.format_box.currentData())
        self._note.setText(job.form.sentence)
        problem = job.problem
        self.save_button.setEnabled(not problem and not self._saving.busy)
        self._say(problem, "warning")
        if problem:
            self._tasks.drop(PREVIEW_KEY)
            self.preview.clear()
            return
        self._tasks.submit(PREVIEW_KEY, job.preview, self.preview.setPlainText, self._failed)

    def _say(self, text: str, tone: str = "") -> None:
        self._status.setText(text)
        set_role(self._status, level="" if tone else "muted", tone=tone)

    def _ask_path(self) -> None:
        form = PAIR_FORMATS[self.format_box.currentData()]
        kinds = f"{form.title} (*{form.suffix});;All files (*)"
        if path := ask_save_path(self, "Export the pair", f"pair{form.suffix}", kinds, self._failed):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the file; `saved` follows, or a sentence says why not."""
        if self._saving.busy:
            return
        job = PairExportJob(self._result, self.format_box.currentData())
        self.save_button.setEnabled(False)
        self.format_box.setEnabled(False)
        self.cancel_button.setText("Stop")
        self._saving.start(lambda control: job.save(path, control.tell, control), self._done, self._not_saved)

    def _ended(self) -> None:
        self.cancel_button.setText("Cancel")
        self.format_box.setEnabled(True)
        self.save_button.setEnabled(True)

    def _done(self, path: Path) -> None:
        self._ended()
        self.saved.emit(str(path))
        self.accept()

    def _not_saved(self, error: Exception) -> None:
        self._ended()
        self._failed(error)

    def _failed(self, error: Exception) -> None:
        stopped = isinstance(error, Stopped)
        self._say("Stopped; no file was written." if stopped else wording.explain(error), "" if stopped else "danger")

    def _cancel(self) -> None:
        if self._saving.busy:
            self._saving.stop()
        else:
            self.reject()

    def done(self, result: int) -> None:
        """Close; an export that still runs is stopped and leaves no file."""
        self._saving.shutdown()
        self._tasks.drop(PREVIEW_KEY)
        super().done(result)
