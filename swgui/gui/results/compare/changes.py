"""Changes since a run: compares it with the same search of a newer release of its database."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from swgui.core import words
from swgui.core.compare.changes import Change, changes_in_words
from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.words import agree
from swgui.gui.inputs.opened import SEQUENCE_FILES
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.widgets import check_box
from swgui.gui.results.compare.base import ComparedFile, FileComparisonDialog
from swgui.gui.results.compare.columns import changes_source
from swgui.io.database.any_file import open_any_database
from swgui.io.tables.changes import changes_table
from swgui.jobs.events import Progress, Stage, run_to_end
from swgui.jobs.several.diff import SearchDiff, diff_steps

KINDS = {
    "gained": "Hits of the newer database alone",
    "lost": "Hits of this run alone",
    "moved": "Hits of both in another order, or with another verdict",
    "another E alone": "Hits of both in the same order and with the same verdict",
}


def shown_kind(change: Change) -> str:
    """Return the box of `KINDS` that shows a change."""
    return "another E alone" if change.in_order else change.change


class ChangesDialog(FileComparisonDialog):
    """Searches the new sequences of a newer database, and shows which hits were gained, lost and moved, and why."""

    hit_wanted = Signal(int, int, int)  # run (1 or 2), query and source index of a row that the user wants to see
    file_name_offered = "changes.tsv"

    file = ComparedFile(
        noun="database",
        input="database",
        prompt="Drop a newer release of the database here. Only sequences that are new or changed are searched, with "
        "the settings of this run; E refers to the newer size.",
        title="A newer release of the database",
        kinds=SEQUENCE_FILES,
        reading="Comparing with",
    )

    def __init__(self, tasks: Tasks, result: SearchResult, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "changes", "What changed since?", (150, 80), result, parent)
        self.found: SearchDiff | None = None
        self.kinds = QButtonGroup(self)
        self.kinds.setExclusive(False)
        boxes = [
            check_box(f"changesKind-{kind}", f"{kind[0].upper()}{kind[1:]}", tip, on=True)
            for kind, tip in KINDS.items()
        ]
        for index, box in enumerate(boxes):
            self.kinds.addButton(box, index)
        self.kinds.idToggled.connect(lambda _at, _on: self._choose_kinds())
        self.view = ColumnView(self._tasks, "changesRows", "Hits that changed")
        self.view.chosen.connect(self._want)
        self.filter.textChanged.connect(self.view.set_words)
        self._parts = (self.headline, self.filter, *boxes, self.view)
        line = in_row(*boxes, 1, spacing=1.5)
        self._lines = in_column(
            self.run, self.place, self.headline, line, self.filter, (self.view, 1), self.progress, self.status,
            self.buttons, margins=2, parent=self,
        )  # fmt: skip
        self.show_parts(False)

    def compare(self, path: Path, control: TaskControl) -> tuple[SearchDiff, ColumnSource]:
        return find_changes(path, self._result, control)

    def show_made(self, path: Path, made: tuple[SearchDiff, ColumnSource]) -> None:
        found, source = made
        self.found = found
        self.file_name.set_text(
            f"{path.name}: {words.count(found.searched, 'sequence')} of {len(found.now.database):,} searched"
            + (f"; {found.gone:,} of the older {agree(found.gone, 'is', 'are')} gone." if found.gone >= 0 else ".")
        )
        counts = Counter(map(shown_kind, found.changes))
        self.headline.setText(changes_in_words(found.changes))
        first = next((kind for kind in KINDS if counts[kind]), "gained")
        for index, kind in enumerate(KINDS):
            self.kinds.button(index).setText(f"{kind[0].upper()}{kind[1:]} ({counts[kind]:,})")
            # Those that moved would hide the others.
            self.kinds.button(index).setChecked(kind in ("gained", "lost", first))
        self.view.show_source(source)
        self.view.sort_by("change")  # gained first
        self._choose_kinds()

    def _choose_kinds(self) -> None:
        if self.found is not None:
            chosen = [kind for index, kind in enumerate(KINDS) if self.kinds.button(index).isChecked()]
            self.view.set_mask(np.array([shown_kind(change) in chosen for change in self.found.changes], dtype=bool))

    def _want(self, row: int) -> None:
        if self.found is None:
            return
        change: Change = self.found.changes[row]
        run, result = (1, self.found.before) if change.change == "lost" else (2, self.found.now)
        names = [query.query.id for query in result.queries]
        query, rank = names.index(change.query), (change.before if run == 1 else change.now).rank
        self.hit_wanted.emit(run, query, int(result.queries[query].hits.db_index[rank - 1]))

    def save_to(self, path: Path) -> None:
        """Write all rows, tab-separated, as ``swgui diff`` does."""
        if self.found is not None:
            changes = self.found.changes
            noun = words.count(len(changes), "row")
            self.write(path, changes_table(changes), len(changes), noun)

    def forget(self) -> None:
        super().forget()
        self.view.forget()


def find_changes(path: Path, result: SearchResult, control: TaskControl) -> tuple[SearchDiff, ColumnSource]:
    """Compare a run with a newer database; for a worker.

    Raises
    ------
    SwguiError
        If the database cannot be read or searched.
    Stopped
        If the user stopped it.
    """
    kind = result.search.database_alphabet.residue_alphabet
    database = open_any_database(path, alphabet=kind, cancel=control)

    def hear(event: object) -> None:
        if isinstance(event, Progress):
            control.tell(event.done, max(event.total, 1))
        elif isinstance(event, Stage) and event.total:
            control.tell(event.done, event.total)

    found = run_to_end(diff_steps(result, database, control), hear)
    if found is None:
        raise Stopped
    return found, changes_source(found.changes)
