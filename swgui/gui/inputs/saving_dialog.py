"""Common parts of dialogs that write a file: a format, the first lines of the file, and the writing."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QFrame, QLabel, QWidget

from swgui.core.errors import Stopped
from swgui.gui.kit import motion, theme
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import Part, in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task, Tell
from swgui.gui.kit.widgets import combo_box, described, head_items, progress_bar, push_button, text_label, text_view
from swgui.gui.words import wording

PREVIEW_LINES: Final = 60
PREVIEW_WIDTH: Final = 400  # characters of a line that are shown; sequences in JSON can be long


class Form(Protocol):
    """A format of files."""

    @property
    def title(self) -> str:
        """As the list of formats offers it."""

    @property
    def sentence(self) -> str:
        """Purpose of the format."""

    @property
    def suffix(self) -> str:
        """Ending of its files."""


class FileJob(Protocol):
    """A file ready to be previewed or written, both by a worker."""

    def preview(self, cancel: threading.Event) -> str:
        """Return the first lines of the file; `cancel` ends it, by `Stopped`."""

    def save(self, path: Path, tell: Tell, cancel: threading.Event) -> Path:
        """Write the file whole or not at all, and return its path."""


F = TypeVar("F", bound=Form)
J = TypeVar("J", bound=FileJob)


class SavingDialog(Dialog, Generic[F, J]):
    """Asks how to write a file, shows its first lines, and writes it by a worker.

    Subclasses define the contents (`job`), arrange the parts (`arrange`) and then call `changed`.

    Parameters
    ----------
    name : str
        Object names and the key of the preview begin with it.
    forms : mapping of str to Form
    file_name : str
        Suggested name, without its ending.
    headings : mapping of str to str, optional
        The heading below which each form is listed, in the order of the headings.
    """

    saved = Signal(str, object)  # path of the file that was written, and its job

    def __init__(
        self,
        tasks: Tasks,
        name: str,
        title: str,
        forms: Mapping[str, F],
        file_name: str,
        parent: QWidget | None,
        headings: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(f"{name}Dialog", title, parent)
        self._tasks, self._forms, self.file_name = tasks, forms, file_name
        self._preview_key = f"{name}-preview"
        self._saving = Task(self)
        self._saving.progressed.connect(self._show_progress)
        items = [(forms[key].title, key, forms[key].sentence) for key in headings or forms]
        self.format_box = combo_box(f"{name}Format", items=items, changed=self.changed, accessible="Format")
        if headings:
            head_items(self.format_box, list(headings.values()))
        self.format_note = text_label("", f"{name}FormatNote", level="muted", wrap=True)
        self.preview = text_view(f"{name}Preview", "First lines of the file")
        self.note_text = text_label("", f"{name}NoteText", wrap=True)
        self.note = described(QFrame(), f"{name}Note")
        theme.set_role(self.note, role="note", tone="danger")
        in_row(self.note_text, margins=(1, 0.5, 1, 0.5), parent=self.note)
        self.note.hide()
        self.bar = progress_bar(f"{name}Progress", "How much is written", hidden=True)
        self.bar_text = text_label("", f"{name}ProgressText", level="muted")
        self.save_button = push_button(f"{name}Save", "Save as…", does=self._ask_path, role="primary", default=True)
        self.cancel_button = push_button(f"{name}Cancel", "Cancel", does=self._cancel)

    def arrange(self, *parts: Part, size: tuple[float, float]) -> None:
        """Put the dialog together: the format, `parts`, the preview and the buttons; `size` is in grid units."""
        buttons = QDialogButtonBox()
        for button in (self.save_button, self.cancel_button):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        in_column(
            section("&Format", self.format_box),
            self.format_box,
            self.format_note,
            *parts,
            section("First lines"),
            (self.preview, 1),
            self.note,
            in_row((self.bar, 1), self.bar_text, 0, buttons),
            margins=2,
            parent=self,
        )
        self.fit(*size)

    def choose(self, name: str) -> None:
        self.format_box.setCurrentIndex(self.format_box.findData(name))

    def suggest(self, file_name: str, form: str) -> None:
        """Suggest a name without its ending, and a format where one of this name exists."""
        self.file_name = file_name
        if form in self._forms:
            self.choose(form)

    @property
    def form(self) -> F:
        return self._forms[self.format_box.currentData()]

    def job(self) -> J | None:
        """Return the file as it is set, None if there is nothing to write."""
        raise NotImplementedError

    def nothing(self) -> str:
        raise NotImplementedError

    def changed(self) -> None:
        """Show the choice and the first lines of its file."""
        self.format_note.setText(self.form.sentence)
        job = self.job()
        self.save_button.setEnabled(job is not None and not self._saving.busy)
        self.note.hide()
        if job is None:
            self._tasks.drop(self._preview_key)
            self.preview.setPlainText(self.nothing())
            return
        self._tasks.start(self._preview_key, job.preview, self._show_preview, self._preview_failed)

    def _show_preview(self, text: str) -> None:
        self.preview.setPlainText(in_columns(text))

    def _preview_failed(self, error: Exception) -> None:
        self.preview.clear()
        self._say(wording.explain(error))

    def _say(self, text: str) -> None:
        self.note_text.setText(text)
        self.note.show()

    def _ask_path(self) -> None:
        kinds = f"{self.form.title} (*{self.form.suffix});;All files (*)"
        name = f"{self.file_name}{self.form.suffix}"
        if path := ask_save_path(self, self.windowTitle(), name, kinds, self._failed):
            named = [form for form in self._forms.values() if form.suffix == path.suffix]
            if named and path.suffix not in (self.form.suffix, ".txt"):
                self._say(f"'{path.name}' is named like {named[0].title}, but the format is {self.form.title}. "
                          "Choose the format, or another ending.")  # fmt: skip
            else:
                self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the file; `saved` reports success, a note reports a failure."""
        job = self.job()
        if job is None or self._saving.busy:
            return
        self.note.hide()
        motion.show_share(self.bar, 0)
        self.bar.show()
        self.save_button.setEnabled(False)
        self.cancel_button.setText("Stop")
        self._saving.start(
            lambda control: job.save(path, control.tell, control), partial(self._done, job), self._failed
        )

    def _show_progress(self, share: int, text: str) -> None:
        motion.show_share(self.bar, share)
        self.bar_text.setText(text)

    def _ended(self) -> None:
        self.bar.hide()
        self.bar_text.clear()
        self.cancel_button.setText("Cancel")
        self.save_button.setEnabled(self.job() is not None)

    def _done(self, job: J, path: Path) -> None:
        self._ended()
        self.saved.emit(str(path), job)
        self.accept()

    def _failed(self, error: Exception) -> None:
        self._ended()
        self._say("Stopped; no file was written." if isinstance(error, Stopped) else wording.explain(error))

    def _cancel(self) -> None:
        if self._saving.busy:
            self._saving.stop()
        else:
            self.reject()

    def done(self, result: int) -> None:
        """Close; an export that still runs is stopped and leaves no file."""
        self._saving.shutdown()
        self._tasks.drop(self._preview_key)
        super().done(result)


def section(text: str, buddy: QWidget | None = None) -> QLabel:
    """Return the heading of a part of a dialog."""
    return text_label(text, level="section", buddy=buddy)


def first_lines(text: str, *, more: bool) -> str:
    """Return the beginning of a file as a preview shows it; `more` marks a file longer than `text`."""
    lines = text.splitlines()
    shown = [f"{line[:PREVIEW_WIDTH]}…" if len(line) > PREVIEW_WIDTH else line for line in lines[:PREVIEW_LINES]]
    return "\n".join([*shown, "…"] if more or len(lines) > PREVIEW_LINES else shown)


def in_columns(text: str) -> str:
    """Arrange tab-separated lines in columns, for reading; other lines stay as they are."""
    lines = [line.split("\t") for line in text.split("\n")]
    tables = [cells for cells in lines if len(cells) > 1]
    if not tables:
        return text
    widths = [max(len(cells[at]) for cells in tables if at < len(cells)) for at in range(max(map(len, tables)))]
    return "\n".join(
        "  ".join(cell.ljust(widths[at]) for at, cell in enumerate(cells)).rstrip() if len(cells) > 1 else cells[0]
        for cells in lines
    )
