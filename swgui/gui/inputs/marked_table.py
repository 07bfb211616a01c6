"""Tables whose rows have a star and a note, given by a key or a click."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QToolButton

from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.kit.tables.column_table import NOTE, STAR, ColumnSource, ColumnView, TableColumn
from swgui.gui.kit.widgets import tool_button
from swgui.io.marks import STAR_SIGN

NO_STAR: Final = "☆"
STAR_TIP: Final = "A star on the sequence: a click or the key S gives it and takes it back, in every result"
NOTE_TIP: Final = "Your note on the sequence: a click or the key N opens it, in every result"


def marked(source: ColumnSource, marks: SharedMarks, name: Callable[[int], str], behind: str) -> ColumnSource:
    """Return a table with a column of stars before its own, and one of notes behind the one of names.

    Parameters
    ----------
    name : callable
        Returns the identifier of the sequence of a row.
    behind : str
        Key of the column of these names.
    """

    def note(row: int) -> str:
        return " ".join(marks.of(name(row)).note.split())

    star = TableColumn(STAR, STAR_SIGN, STAR_TIP, lambda row: STAR_SIGN if marks.of(name(row)).star else NO_STAR)
    notes = TableColumn(NOTE, "Note", NOTE_TIP, note, full=lambda row: marks.of(name(row)).note)
    at = 1 + next(at for at, column in enumerate(source.columns) if column.key == behind)
    return ColumnSource([star, *source.columns[:at], notes, *source.columns[at:]], source.count, name)


def star_filter(name: str, rows: str, show: Callable[[bool], object]) -> QToolButton:
    """Return a button that lists rows with a star alone."""
    button = tool_button(name, f"{STAR_SIGN} only", f"List only {rows} with a star")
    button.setAccessibleName(f"Only {rows} with a star")
    button.setCheckable(True)
    button.toggled.connect(show)
    return button


def let_mark(view: ColumnView, marks: SharedMarks) -> None:
    """Let a table of `marked` rows give stars and notes by keys and clicks, and follow those that others give."""

    def star(rows: list[int]) -> None:
        marks.toggle([view.source.name(row) for row in rows])

    def note(row: int) -> None:
        name = view.source.name(row)
        marks.ask_note(name, name, view)

    view.star_wanted.connect(star)
    view.note_wanted.connect(note)
    marks.changed.connect(view.marks_changed)
