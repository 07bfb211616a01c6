"""Base of the windows that compare a run with something else: a file, filter, status, saving, closing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QBoxLayout, QDialogButtonBox, QFileDialog, QFrame, QLabel, QPushButton, QWidget

from swgui.core import words
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.table import Table
from swgui.core.words import count
from swgui.gui.inputs.drop import dropped
from swgui.gui.kit import motion
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.elided import WrappedLabel
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.saving import ask_save_path, last_folder, note_input
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import described, line_edit, progress_bar, push_button, text_label
from swgui.io.table_files import write_table

T = TypeVar("T")


class ComparisonDialog(Dialog):
    """Compares by a worker and saves the result as a table. Not modal: the window stays usable.

    Parameters
    ----------
    name : str
        Object names and keys of tasks begin with it.
    size : tuple of (float, float)
        In grid units.
    """

    saved = Signal(str, int)  # path and number of rows written

    def __init__(
        self, tasks: Tasks, name: str, title: str, size: tuple[float, float], parent: QWidget | None = None
    ) -> None:
        super().__init__(f"{name}Dialog", title, parent, size=size)
        self._tasks = tasks
        self._name = name
        self.headline = self.label("Headline")
        set_role(self.headline, level="heading")
        self.filter = line_edit(
            f"{name}Filter", hint="Words in query, subject or description", clear=True, accessible="Filter the rows"
        )
        self.status = self.label("Status")
        self.status.hide()
        self._failed: Callable[[Exception], object] = self.fail
        self.bar = progress_bar(f"{name}Progress", "Progress of the comparison")
        stop = push_button(f"{name}Stop", "Stop", "Stop comparing", self._stop)
        self.progress = QWidget()
        in_row((self.bar, 1), stop, parent=self.progress)
        self.progress.hide()
        tasks.progressed.connect(self._show_progress)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.save_button = self.buttons.addButton("Save as table…", QDialogButtonBox.ButtonRole.ActionRole)
        self.save_button.setObjectName(f"{name}Save")
        self.save_button.clicked.connect(self.save)
        self.buttons.rejected.connect(self.close)
        for button in self.buttons.findChildren(QPushButton):
            button.setAutoDefault(False)  # the buttons ignore Enter in the filter or in a table

    def label(self, part: str) -> QLabel:
        return text_label(name=f"{self._name}{part}", wrap=True, plain=True)

    def work(
        self,
        function: Callable[[TaskControl], T],
        done: Callable[[T], object],
        failed: Callable[[Exception], object],
    ) -> None:
        """Let a worker compare, with progress and Stop; drops an earlier comparison."""

        def ended(then: Callable[[Any], object], outcome: object) -> None:
            self.progress.hide()
            then(outcome)

        self._failed = failed
        motion.be_busy(self.bar)
        self.progress.show()
        self._tasks.start(self._key, function, partial(ended, done), partial(ended, failed))

    @property
    def _key(self) -> str:
        return f"{self._name}-compare-{id(self)}"  # more than one such window may be open

    def _stop(self) -> None:
        self._tasks.drop(self._key)
        self.progress.hide()
        self._failed(Stopped())

    def _show_progress(self, key: str, share: int, _text: str) -> None:
        if key == self._key:
            motion.show_share(self.bar, share)

    def save(self) -> None:
        """Ask for a file and write the whole comparison into it."""
        if path := ask_save_path(self, "Save the comparison", self.file_name_offered, "Table (*.tsv)", self.fail):
            self.save_to(path)

    file_name_offered = "comparison.tsv"

    def save_to(self, path: Path) -> None:
        """Write the whole comparison, tab-separated, with comments on how it was made."""
        raise NotImplementedError

    def write(self, path: Path, table: Table[Any], count: int, noun: str, comments: Sequence[str] = ()) -> None:
        """Let a worker write a table, completely or not at all, and report the outcome.

        Parameters
        ----------
        count : int
            Rows of the file.
        noun : str
            Name of the rows, for the message.
        """
        self.say(f"Writing {path.name}…")
        self._tasks.submit(
            f"{self._name}-save-{id(self)}",
            lambda: write_table(str(path), table, comments=comments),
            lambda _none: self._tell_saved(path, count, noun),
            self.fail,
        )

    def _tell_saved(self, path: Path, count: int, noun: str) -> None:
        self.say(f"{noun} written to {path.name}.", "success")
        self.saved.emit(str(path), count)

    def fail(self, error: Exception) -> None:
        """Report an error; faults of the program also appear among the messages."""
        if isinstance(error, Stopped):
            self.say("Stopped.")
            return
        if not isinstance(error, SwguiError):
            self._tasks.failed.emit(self._name, error)
            self.say(f"An unexpected fault: {error}", "danger")
            return
        self.say(str(error), "danger")

    def say(self, text: str, tone: str = "") -> None:
        self.status.setText(text)
        self.status.setVisible(bool(text))  # its line would take a row from the tables
        set_role(self.status, tone=tone)

    def forget(self) -> None:
        self._tasks.drop(self._key)
        self._tasks.drop(f"{self._name}-save-{id(self)}")

    def done(self, result: int) -> None:
        """Close, by button, key or window frame."""
        self.forget()
        super().done(result)


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """The object of the comparison, and how the dialog asks for it."""

    noun: str  # kind of the object: file, database
    input: str  # name under which the program remembers it
    prompt: str  # what may be dropped, as long as nothing was
    title: str  # title of the dialog
    kinds: str  # the filter of that dialog
    reading: str  # text while it is read, before its name


class FileComparisonDialog(ComparisonDialog):
    """Compares a run with a file that is chosen, or dropped on it."""

    file: ClassVar[ComparedFile]

    def __init__(
        self,
        tasks: Tasks,
        name: str,
        title: str,
        size: tuple[float, float],
        result: SearchResult,
        parent: QWidget | None,
    ) -> None:
        super().__init__(tasks, name, title, size, parent)
        self.setAcceptDrops(True)
        self._result = result
        self.file_name = described(WrappedLabel(), f"{name}File")
        self.file_name.set_text(self.file.prompt)
        self.choose = push_button(f"{name}Choose", f"Choose {self.file.noun}…", does=self.choose_file, role="primary")
        self.place = QFrame()
        set_role(self.place, role="drop")
        in_row((self.file_name, 1), self.choose, margins=1.5, spacing=2, parent=self.place)
        self.run = text_label(_describe(result), f"{name}Run", level="muted", plain=True, wrap=True)
        self._parts: tuple[QWidget, ...] = ()  # shown after the comparison
        self._lines: QBoxLayout | None = None
        self._compared = False

    def compare(self, path: Path, control: TaskControl) -> Any:
        """Read the file and compare; for a worker."""
        raise NotImplementedError

    def show_made(self, path: Path, made: Any) -> None:
        """Show the result of `compare`."""
        raise NotImplementedError

    def show_parts(self, on: bool) -> None:
        """Show or hide the parts that need a comparison."""
        for part in self._parts:
            part.setVisible(on)
        if self._lines is not None:  # a large area for drops while it is empty
            self._lines.setStretchFactor(self.place, 0 if on else 1)
        side = Qt.AlignmentFlag.AlignLeft if on else Qt.AlignmentFlag.AlignHCenter
        self.file_name.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        self.save_button.setEnabled(on)

    def choose_file(self) -> None:
        path, _ = QFileDialog.getOpenFileName(self, self.file.title, last_folder(), self.file.kinds)
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        """Let a worker compare with a file."""
        note_input(path, self.file.input)
        self.file_name.set_text(f"{self.file.reading} {path.name}…")
        self.say("")
        self.choose.setEnabled(False)
        self.work(partial(self.compare, path), partial(self._show, path), self._refuse)

    def _show(self, path: Path, made: Any) -> None:
        self._compared = True
        self.choose.setEnabled(True)
        self.choose.setText(f"Another {self.file.noun}…")
        set_role(self.choose, role="")
        self.show_made(path, made)
        self.file_name.setToolTip(str(path))
        self.show_parts(True)

    def _refuse(self, error: Exception) -> None:
        self.choose.setEnabled(True)
        before = f"The comparison below is with the {self.file.noun} before."
        self.file_name.set_text(before if self._compared else self.file.prompt)
        self.fail(error)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if len(dropped(event.mimeData()).files) == 1:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        self.open_file(dropped(event.mimeData()).files[0])


def _describe(result: SearchResult) -> str:
    finished = f", {result.finished_at[:16].replace('T', ' ')}" if result.finished_at else ""
    queries = words.count(len(result.queries), "query", "queries")
    return f"This run{finished}: {queries} against {result.database.name}, {count(len(result.database), 'sequence')}."
