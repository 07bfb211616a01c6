"""The methods paragraph of a result, to be copied or saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core.hits.results import SearchResult
from swgui.gui.kit import theme
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.io.export import FORMS, methods_text, save_whole


class MethodsDialog(QDialog):
    """Shows the paragraph in the form chosen.

    Signals
    -------
    message(str)
        What was done, for the status line.
    """

    message = Signal(str)

    def __init__(self, result: SearchResult, jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("methodsDialog")
        self.setWindowTitle("Methods text and references")
        self._result = result
        self._jobs = jobs
        self.form = QComboBox()
        self.form.setObjectName("methodsForm")
        self.form.setToolTip("How text and references are written")
        for name, form in FORMS.items():
            self.form.addItem(form.title, name)
        self.form.currentIndexChanged.connect(self._show)
        label = QLabel("&Form")
        label.setBuddy(self.form)
        self.text = QPlainTextEdit()
        self.text.setObjectName("methodsText")
        self.text.setAccessibleName("Methods text")
        self.text.setReadOnly(True)
        self.copy_button = QPushButton("Copy")
        self.copy_button.setObjectName("methodsCopy")
        theme.set_role(self.copy_button, role="primary")
        self.copy_button.setDefault(True)
        self.copy_button.clicked.connect(self._copy)
        self.save_button = QPushButton("Save as…")
        self.save_button.setObjectName("methodsSave")
        self.save_button.clicked.connect(self._ask)
        self.close_button = QPushButton("Close")
        self.close_button.setObjectName("methodsClose")
        self.close_button.clicked.connect(self.reject)
        head, foot = QHBoxLayout(), QHBoxLayout()
        for row in (head, foot):
            theme.arrange(row, spacing=1)
        head.addWidget(label)
        head.addWidget(self.form)
        head.addStretch(1)
        foot.addStretch(1)
        for button in (self.close_button, self.save_button, self.copy_button):
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        theme.arrange(layout, 2, 1.5)
        layout.addLayout(head)
        layout.addWidget(self.text, 1)
        layout.addLayout(foot)
        self.resize(theme.grid(90), theme.grid(60))
        self._show()

    def _show(self) -> None:
        self.text.setPlainText(methods_text(self._result, self.form.currentData()))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.message.emit("Methods text copied.")

    def _ask(self) -> None:
        form = FORMS[self.form.currentData()]
        kinds = f"{form.title} (*{form.suffix});;All files (*)"
        if path := ask_save_path(self, "Save methods text", f"methods{form.suffix}", kinds, self._failed):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the text, whole or not at all, by a worker."""
        text = methods_text(self._result, self.form.currentData())
        self._jobs.submit(
            "results-methods",
            lambda: save_whole(path, lambda file: file.write(text)),
            lambda _done: self.message.emit(f"Methods text written to {path}."),
            self._failed,
        )

    def _failed(self, error: Exception) -> None:
        self.message.emit(str(error))
