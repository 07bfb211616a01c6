"""The background work of the Databases page (build, update, convert, check, remove), and the card that shows it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QMessageBox, QWidget

from swgui.core.alphabet import letter_of
from swgui.core.database import EncodedDatabase
from swgui.core.plain import replace
from swgui.core.words import count, duration
from swgui.gui.databases.list import DatabaseRow
from swgui.gui.inputs.opened import Build
from swgui.gui.inputs.report import InputReport
from swgui.gui.kit import motion
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import check_box, progress_bar, push_button, text_label, tool_button
from swgui.gui.words.formatting import file_size
from swgui.gui.words.wording import KIND_WORDS
from swgui.io.database.file import check_database, database_facts
from swgui.io.database.library import forget_database, open_any_database, remember_database
from swgui.io.database.packed.keeping import older_of
from swgui.io.database.structures import update_of_any
from swgui.io.read_report import ReadReport
from swgui.io.replacing import delete_file

Tell = Callable[[int, int, str], None]
Progress = Callable[[int, int], None]


class WorkCard(QFrame):
    """Shows the progress of some work with a Stop button, then its outcome until it is closed."""

    def __init__(self, work: Task, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("databasesWork")
        self._work = work
        self._report: ReadReport | None = None
        self._build()
        work.changed.connect(self._show)
        work.progressed.connect(self._show_progress)
        self._show()
        self.hide()

    def say(self, text: str, tone: str, report: ReadReport | None = None) -> None:
        """Show the outcome of a job: ``success``, ``info`` or ``danger``."""
        self._report = report
        self._doing.setText(text)
        set_role(self, role="note", tone=tone)
        self._show()
        self.show()

    def say_busy(self, text: str) -> None:
        self._note.setText(text)
        self._note.show()

    def show_report(self) -> None:
        if self._report is not None:
            InputReport(self._report, self.window()).open()

    def _build(self) -> None:
        self._doing = text_label(name="databasesDoing", wrap=True, plain=True)
        self._note = text_label(name="databasesBusy", tone="warning", wrap=True, plain=True)
        self._bar = progress_bar("databasesBar", "Progress")
        self._stop = push_button("databasesStop", "Stop", does=self._work.stop, icon="stop")
        self._open_report = push_button("databasesReport", "Remarks…", does=self.show_report, role="quiet")
        close = "Close this message"
        self._close = tool_button("databasesClose", tip=close, does=self.hide, icon="close", accessible=close)
        words = in_column(self._doing, self._bar, self._note, spacing=0.75)
        buttons = (self._stop, self._open_report, self._close)
        row = in_row((words, 1), *buttons, margins=(2, 1, 1.5, 1), parent=self)
        for button in buttons:
            row.setAlignment(button, Qt.AlignmentFlag.AlignVCenter)

    def _show(self) -> None:
        busy = self._work.busy
        for widget, shown in (
            (self._bar, busy),
            (self._stop, busy),
            (self._note, busy and bool(self._note.text())),
            (self._close, not busy),
            (self._open_report, not busy and self._report is not None),
        ):
            widget.setVisible(shown)
        if not busy:
            self._note.setText("")
            return
        stopping = self._work.stopping
        self._report = None
        self._stop.setEnabled(not stopping)
        set_role(self, role="card", tone="")
        self._doing.setText(f"Stopping: {self._work.title}…" if stopping else f"{self._work.title}…")
        motion.show_share(self._bar, -1)
        self.show()

    def _show_progress(self, share: int, text: str) -> None:
        motion.show_share(self._bar, share)
        if not self._work.stopping:
            parts = [self._work.title, f"{share / 10:.0f} %" if share >= 0 else "", text]
            self._doing.setText(" · ".join(part for part in parts if part))


class RemoveBox(QMessageBox):
    """Asks whether to remove a database from the list, and whether to delete its file."""

    def __init__(self, row: DatabaseRow, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("removeDatabase")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Remove a database")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(f"Take “{row.name}” off the list?")
        self.setInformativeText("Its source files stay unchanged.")
        remove = self.addButton("Remove", QMessageBox.ButtonRole.AcceptRole)
        self.addButton(QMessageBox.StandardButton.Cancel)
        self.setDefaultButton(remove)
        size = f" ({file_size(row.known.size)})" if row.known else ""
        self._delete = check_box(
            "deleteFile",
            f"Delete {'its copy in the cache' if row.converted else 'the database file'}, too{size}",
            does=lambda on: remove.setText("Delete" if on else "Remove"),
        )
        if row.state != "missing":
            self.setCheckBox(self._delete)

    @property
    def delete_file(self) -> bool:
        return self.checkBox() is not None and self.checkBox().isChecked()


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """Outcome of a job on a database."""

    path: Path  # the database, to be chosen in the list
    text: str  # one or two sentences
    report: ReadReport | None = None  # remarks of the reader, if sequences were read


def build(asked: Build, tell: Tell, cancel: threading.Event) -> Outcome:
    return _read(
        asked.out, f"Built “{asked.name}”", lambda report, progress: asked.write(report, progress, cancel), tell
    )


def update(row: DatabaseRow, tell: Tell, cancel: threading.Event) -> Outcome:
    older = older_of(row.path) if not row.converted else None

    def read(report: ReadReport, progress: Progress) -> EncodedDatabase:
        if row.converted:
            if row.state == "damaged":
                with suppress(FileNotFoundError):
                    delete_file(row.file)
            return open_any_database(row.path, report=report, progress=progress, cancel=cancel)
        return update_of_any(row.path, older=older, report=report, progress=progress, cancel=cancel)

    outcome = _read(row.path, f"Updated “{row.name}”", read, tell)
    if older is None or older.changes is None:
        return outcome
    return replace(outcome, text=f"{outcome.text} Identifiers: {older.changes.in_words}.")


def convert(path: Path, name: str, tell: Tell, cancel: threading.Event) -> Outcome:
    return _read(
        path,
        f"“{name}” is on the list",
        lambda report, progress: open_any_database(path, report=report, progress=progress, cancel=cancel),
        tell,
    )


def check(row: DatabaseRow, tell: Tell, cancel: threading.Event) -> Outcome:
    begun = time.monotonic()
    tell(0, 0, "comparing checksums")
    facts = check_database(row.file, cancel=cancel)
    took = duration(time.monotonic() - begun)
    return Outcome(
        row.path, f"Checked “{row.name}” in {took}: all {count(facts.size, 'byte')} are as they were written."
    )


def remember(files: Sequence[Path]) -> Path:
    """Put database files on the list; returns the last one.

    Raises
    ------
    DatabaseError
        If one of them is none.
    """
    for file in files:
        database_facts(file)
        remember_database(file)
    return files[-1]


def relocate(row: DatabaseRow, path: Path) -> Path:
    """Replace a lost entry of the list by the file's new place.

    Raises
    ------
    DatabaseError
        If that file is no database; the list stays as it is.
    """
    remember([path])
    if path != row.path:
        forget_database(row.path)
    return path


def remove(row: DatabaseRow, with_file: bool) -> str:
    """Take a database off the list and delete its file on request; never deletes sources.

    Raises
    ------
    OSError
        If the file cannot be deleted; it stays on the list then.
    """
    if with_file:
        with suppress(FileNotFoundError):
            delete_file(row.file)
    forget_database(row.path)
    return f"“{row.name}” was {'deleted' if with_file else 'taken off the list'}."


def _read(path: Path, what: str, read: Callable[[ReadReport, Progress], EncodedDatabase], tell: Tell) -> Outcome:
    report, begun = ReadReport(), time.monotonic()
    database = read(report, lambda done, total: tell(done, total, f"{count(report.records, 'sequence')} read"))
    kind = database.alphabet.name
    text = (
        f"{what} in {duration(time.monotonic() - begun)}: {count(len(database), *KIND_WORDS[kind])}, "
        f"{count(database.residues, letter_of(kind))}."
    )
    remarks = sum(report.counts.values())
    return Outcome(path, f"{text} {count(remarks, 'remark')}." if remarks else text, report)
