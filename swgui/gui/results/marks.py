"""The marks of the result that is shown: ticks, stars, hidden hits and notes, each of which can be undone."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoCommand, QUndoStack

from swgui.core import words
from swgui.core.hits.marks import Kind, Marks

# Actions on hits, on and off, as the Edit menu names them after "Undo".
_WORDS: dict[Kind, tuple[str, str]] = {
    "ticked": ("tick", "untick"),
    "starred": ("star", "take the star off"),
    "hidden": ("hide", "show again"),
}
MAX_UNDONE = 200


class MarkStore(QObject):
    """Changes `Marks` and remembers how to change them back."""

    # Kind of mark (a `Kind` or ``"note"``), its query, and the subjects (source indices)
    changed = Signal(str, int, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks = Marks()
        self.undo_stack = QUndoStack(self)
        self.undo_stack.setUndoLimit(MAX_UNDONE)

    def use(self, marks: Marks) -> None:
        """Take the marks of another result; clears the undo history."""
        self.undo_stack.clear()
        self.marks = marks

    def set(self, kind: Kind, query: int, subjects: Iterable[int], on: bool) -> None:
        """Mark hits or take their mark away."""
        wanted = {subject for subject in subjects if self.marks.has(kind, query, subject) != on}
        if wanted:
            self.undo_stack.push(_Marking(self, kind, query, wanted, on))

    def toggle(self, kind: Kind, query: int, subjects: Iterable[int]) -> None:
        """Mark hits, or take the mark away if all have it."""
        wanted = list(subjects)
        self.set(kind, query, wanted, not all(self.marks.has(kind, query, subject) for subject in wanted))

    def write(self, query: int, subject: int, text: str) -> None:
        """Set the note about a hit, as one step to undo; an empty text takes it away."""
        before = self.marks.note(query, subject)
        if text != before:
            self.undo_stack.push(_Noting(self, query, subject, before, text))


class _Marking(QUndoCommand):
    """A mark set or taken away."""

    def __init__(self, store: MarkStore, kind: Kind, query: int, subjects: set[int], on: bool) -> None:
        done = _WORDS[kind][0 if on else 1]
        super().__init__(f"{done}: {words.count(len(subjects), 'hit')}")
        self._store, self._kind, self._query, self._subjects, self._on = store, kind, query, subjects, on

    def redo(self) -> None:
        self._apply(self._on)

    def undo(self) -> None:
        self._apply(not self._on)

    def _apply(self, on: bool) -> None:
        self._store.marks.change(self._kind, self._query, self._subjects, on)
        self._store.changed.emit(self._kind, self._query, self._subjects)


class _Noting(QUndoCommand):
    """A note written or changed."""

    def __init__(self, store: MarkStore, query: int, subject: int, before: str, after: str) -> None:
        super().__init__("note")
        self._store, self._query, self._subject, self._before, self._after = store, query, subject, before, after

    def redo(self) -> None:
        self._apply(self._after)

    def undo(self) -> None:
        self._apply(self._before)

    def _apply(self, text: str) -> None:
        self._store.marks.set_note(self._query, self._subject, text)
        self._store.changed.emit("note", self._query, {self._subject})
