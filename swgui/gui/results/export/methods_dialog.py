"""The methods paragraph of a result, to be copied or saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QWidget

from swgui.core.hits.results import SearchResult
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box, push_button, text_label, text_view
from swgui.gui.results.header import how_it_was_searched
from swgui.io.export import FORMS, methods_text
from swgui.io.whole_file import save_text


class MethodsDialog(QDialog):
    """Shows the paragraph in the form chosen.

    Signals
    -------
    message(str)
        What was done, for the status line.
    """

    message = Signal(str)

    def __init__(self, result: SearchResult, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("methodsDialog")
        self.setWindowTitle("Methods text and references")
        self._result = result
        self._tasks = tasks
        forms = [(form.title, name) for name, form in FORMS.items()]
        self.form = combo_box("methodsForm", "How text and references are written", items=forms, changed=self._show)
        self.text = text_view("methodsText", "Methods text", fixed=False, wrap=True)
        self.copy_button = push_button("methodsCopy", "Copy", does=self._copy, role="primary", default=True)
        self.save_button = push_button("methodsSave", "Save as…", does=self._ask)
        self.close_button = push_button("methodsClose", "Close", does=self.reject)
        in_column(
            in_row(text_label("&Form", buddy=self.form), self.form, 1),
            text_label(how_it_was_searched(result), "methodsHow", level="muted", wrap=True, plain=True),
            (self.text, 1),
            in_row(1, self.close_button, self.save_button, self.copy_button),
            margins=2,
            spacing=1.5,
            parent=self,
        )
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
        self._tasks.submit(
            "results-methods",
            lambda: save_text(path, lambda file: file.write(text)),
            lambda _done: self.message.emit(f"Methods text written to {path}."),
            self._failed,
        )

    def _failed(self, error: Exception) -> None:
        self.message.emit(str(error))
