"""Stars and notes that all pages share, on sequences by identifier and on runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QInputDialog, QPlainTextEdit, QWidget

from swgui.core.plain import replace
from swgui.gui.kit.pages import Services
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid
from swgui.io.marks import (
    Mark,
    MarkBook,
    MarkFinder,
    Of,
    add_marks,
    give_stars,
    marks_place,
    read_marks,
    write_note,
)
from swgui.paths import is_project
from swgui.runs import Runs

if TYPE_CHECKING:
    from swgui.io.metadata import Metadata

WHERE: Final = "Kept with your list of runs; a project keeps and sends it with its runs (File › Project)."
IN_PROJECT: Final = "Kept in the project."


class SharedMarks(QObject):
    """The stars and notes of the project in use, or of the user's list of runs.

    They change on the screen at once; a worker writes the changes, one after the other.
    """

    changed = Signal()  # some mark is another one now
    failed = Signal(object)  # an exception: marks could not be read or written
    message = Signal(str)  # where marks are kept, with the first one

    def __init__(self, history: Runs, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history, self._tasks = history, tasks
        self._numbers, self._said = count(), False
        self._waiting: list[Callable[[], MarkBook]] = []
        self._writing = threading.Lock()
        self._use(MarkBook())

    def read(self) -> None:
        """Read the marks of the runs that are listed now; `changed` follows."""
        self._tasks.submit("marks-read", partial(read_marks, marks_place(self._history.folder)), self._take, self._fail)

    def of(self, name: str) -> Mark:
        """Return the mark of a sequence, which may be kept by a part of its identifier."""
        found = self._finder.find(name)
        return Mark() if found is None else found[1]

    def of_run(self, run_id: str) -> Mark:
        """Return the mark of a run."""
        return self.book.of_run(run_id)

    def toggle(self, names: Sequence[str], of: Of = "records") -> None:
        """Give a star, or take it back if all have one."""
        known = self.of if of == "records" else self.of_run
        self.star(names, not all(known(name).star for name in names), of)

    def star(self, names: Iterable[str], on: bool, of: Of = "records") -> None:
        """Give sequences or runs a star, or take it back."""
        keys = list(dict.fromkeys(map(self._key, names) if of == "records" else names))
        marks = {key: replace(getattr(self.book, of).get(key, Mark()), star=on) for key in keys}
        self._change(marks, of, partial(give_stars, names=keys, on=on, of=of))
        place = IN_PROJECT if self.in_project else WHERE
        if on and not self._said:
            self._said = True
            self.message.emit(place)

    def write(self, name: str, text: str, of: Of = "records") -> None:
        """Write a note on a sequence or a run; an empty text takes it back."""
        key = self._key(name) if of == "records" else name
        mark = replace(getattr(self.book, of).get(key, Mark()), note=text.strip())
        self._change({key: mark}, of, partial(write_note, name=key, text=text, of=of))

    def add(self, marks: dict[str, Mark]) -> None:
        """Add marks of sequences that are kept elsewhere; none is lost."""
        if marks:
            self._waiting.append(partial(add_marks, marks_place(self._history.folder), marks))
            self._tasks.submit(f"marks-write-{next(self._numbers)}", self._write, self._take, self._fail)

    def ask_note(self, name: str, title: str, parent: QWidget, of: Of = "records") -> None:
        """Open a window for the note on a sequence or a run."""
        mark = self.of(name) if of == "records" else self.of_run(name)
        dialog = QInputDialog(parent)
        dialog.setObjectName("noteDialog")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle("Note")
        dialog.setLabelText(f"Note on {title}")
        dialog.setOption(QInputDialog.InputDialogOption.UsePlainTextEditForTextInput)
        dialog.setTextValue(mark.note)
        dialog.setOkButtonText("Keep")
        dialog.resize(grid(60), grid(26))
        dialog.textValueSelected.connect(lambda text: self.write(name, text, of))
        dialog.open()
        if (box := dialog.findChild(QPlainTextEdit)) is not None:
            box.moveCursor(QTextCursor.MoveOperation.End)  # a key must not replace all of it

    @property
    def in_project(self) -> bool:
        """Whether the marks lie in a project."""
        return is_project(self._history.folder.parent)

    def as_table(self) -> Metadata | None:
        """Return the marks of sequences as columns that files of a table can have; None if there are none."""
        from swgui.io.metadata import marks_metadata  # here: few tables are written

        name = self._history.folder.parent.name if self.in_project else "stars and notes"
        return marks_metadata(self.book.records, name) if self.book.records else None

    def flush(self) -> None:
        """Write the changes that wait; the window is about to close. Raises as `give_stars`."""
        self._write()

    def _key(self, name: str) -> str:
        """Return the name under which a sequence has its mark."""
        found = self._finder.find(name)
        return name if found is None else found[0]

    def _change(self, marks: dict[str, Mark], of: Of, work: Callable[..., MarkBook]) -> None:
        after = {key: mark for key, mark in {**getattr(self.book, of), **marks}.items() if mark}
        self._waiting.append(partial(work, marks_place(self._history.folder)))
        self._take(replace(self.book, records=after) if of == "records" else replace(self.book, runs=after))
        self._tasks.submit(f"marks-write-{next(self._numbers)}", self._write, lambda _book: None, self._fail)

    def _write(self) -> MarkBook:
        """Write the waiting changes in order; returns the marks in the file, or those shown if nothing waited."""
        book = self.book
        with self._writing:
            while self._waiting:
                self._history.files.make()
                book = self._waiting.pop(0)()
        return book

    def _take(self, book: MarkBook) -> None:
        if book != self.book:
            self._use(book)
            self.changed.emit()

    def _use(self, book: MarkBook) -> None:
        self.book, self._finder = book, MarkFinder(book.records)

    def _fail(self, error: Exception) -> None:
        self.failed.emit(error)
        self._said = False


def marks_of(services: Services) -> SharedMarks:
    """Return the marks that all pages share."""
    return services.shared(SharedMarks, lambda: SharedMarks(services.history, services.tasks))
