"""The changes of hits between two releases of a database: boxes for their kinds, words that filter, and the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QWidget

from swgui.core.compare.changes import Change
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import keep_size
from swgui.gui.kit.widgets import check_box

MIN_HEIGHT = 10  # height of the table in grid units: its head and two rows

KINDS = {
    "gained": "Hits of the newer database alone",
    "lost": "Hits of the older database alone",
    "moved": "Hits of both in another order, or with another verdict",
    "another E alone": "Hits of both in the same order and with the same verdict",
}


def shown_kind(change: Change) -> str:
    """Return the box of `KINDS` that shows a change."""
    return "another E alone" if change.in_order else change.change


class ChangesPanel(QWidget):
    """Shows changes; those that moved are hidden at first, because they would hide the others.

    Parameters
    ----------
    name : str
        Object names begin with it.
    words : QLineEdit
        Filter of the rows.
    """

    chosen = Signal(int)  # a change, by click or Enter

    def __init__(self, tasks: Tasks, name: str, words: QLineEdit) -> None:
        super().__init__()
        self.changes: Sequence[Change] = ()
        self.kinds = QButtonGroup(self)
        self.kinds.setExclusive(False)
        boxes = [check_box(f"{name}Kind-{kind}", _title(kind), tip, on=True) for kind, tip in KINDS.items()]
        for index, box in enumerate(boxes):
            self.kinds.addButton(box, index)
        self.kinds.idToggled.connect(lambda _at, _on: self._choose_kinds())
        self.view = ColumnView(tasks, f"{name}Rows", "Hits that changed")
        self.view.chosen.connect(self.chosen)
        words.textChanged.connect(self.view.set_words)
        keep_size(self.view, height=MIN_HEIGHT)
        in_column(in_row(*boxes, (words, 1), spacing=1.5), (self.view, 1), parent=self)

    def show_changes(self, changes: Sequence[Change], source: ColumnSource) -> None:
        """Show changes, as `changes_source` has made their table."""
        self.changes = changes
        counts = Counter(map(shown_kind, changes))
        first = next((kind for kind in KINDS if counts[kind]), "gained")
        for index, kind in enumerate(KINDS):
            self.kinds.button(index).setText(f"{_title(kind)} ({counts[kind]:,})")
            self.kinds.button(index).setChecked(kind in ("gained", "lost", first))
        self.view.show_source(source)
        self.view.sort_by("change")  # gained first
        self._choose_kinds()

    def forget(self) -> None:
        """Drop the answers of workers from now on."""
        self.view.forget()

    def _choose_kinds(self) -> None:
        shown = [kind for index, kind in enumerate(KINDS) if self.kinds.button(index).isChecked()]
        self.view.set_mask(np.array([shown_kind(change) in shown for change in self.changes], dtype=bool))


def _title(kind: str) -> str:
    return f"{kind[0].upper()}{kind[1:]}"
