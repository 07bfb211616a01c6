"""The methods text of a run: shown, copied, saved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box, push_button, text_label, text_view
from swgui.io.methods.forms import FORMS, MethodsText, written
from swgui.io.whole_file import save_text


class MethodsDialog(Dialog):
    """Shows the paragraph in the form chosen.

    Parameters
    ----------
    made : MethodsText
    how : str
        One line on how the search was run, above the text.
    say : callable
        Takes a message for the status line. It outlives the dialog, which may be closed while a file is written.
    """

    def __init__(
        self, made: MethodsText, how: str, tasks: Tasks, say: Callable[[str], object], parent: QWidget | None = None
    ) -> None:
        super().__init__("methodsDialog", "Methods text and references", parent, size=(90, 60))
        self._made = made
        self._tasks, self._say = tasks, say
        forms = [(form.title, name) for name, form in FORMS.items()]
        self.form = combo_box("methodsForm", "Format of text and references", items=forms, changed=self._show)
        self.text = text_view("methodsText", "Methods text", fixed=False, wrap=True)
        self.copy_button = push_button("methodsCopy", "Copy", does=self._copy, role="primary", default=True)
        self.save_button = push_button("methodsSave", "Save as…", does=self._ask)
        self.close_button = push_button("methodsClose", "Close", does=self.reject)
        in_column(
            in_row(text_label("&Form", buddy=self.form), self.form, 1),
            text_label(how, "methodsHow", level="muted", wrap=True, plain=True),
            (self.text, 1),
            in_row(1, self.close_button, self.save_button, self.copy_button),
            margins=2,
            spacing=1.5,
            parent=self,
        )
        self._show()

    def _show(self) -> None:
        self.text.setPlainText(written(self._made, self.form.currentData()))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self._say("Methods text copied.")

    def _ask(self) -> None:
        form = FORMS[self.form.currentData()]
        kinds = f"{form.title} (*{form.suffix});;All files (*)"
        failed = partial(_say_error, self._say)
        if path := ask_save_path(self, "Save methods text", f"methods{form.suffix}", kinds, failed):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the text, whole or not at all, by a worker."""
        text, say = written(self._made, self.form.currentData()), self._say
        self._tasks.submit(
            "results-methods",
            lambda: save_text(path, lambda file: file.write(text)),
            lambda _done: say(f"Methods text written to {path}."),
            partial(_say_error, say),
        )


def _say_error(say: Callable[[str], object], error: Exception) -> None:
    say(str(error))
