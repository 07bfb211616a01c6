"""Changes since a run: compares it with the same search of a newer release of its database."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core import words
from swgui.core.compare.changes import Change, changes_in_words
from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.words import agree
from swgui.gui.inputs.opened import SEQUENCE_FILES
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.tables.column_table import ColumnSource
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.results.compare.base import ComparedFile, FileComparisonDialog
from swgui.gui.results.compare.changes_panel import ChangesPanel
from swgui.gui.results.compare.columns import changes_source
from swgui.io.database.any_file import open_any_database
from swgui.io.tables.changes import changes_table
from swgui.jobs.events import Progress, Stage, run_to_end
from swgui.jobs.several.diff import SearchDiff, diff_steps


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
        self.panel = ChangesPanel(self._tasks, "changes", self.filter)
        self.panel.chosen.connect(self._want)
        self.kinds, self.view = self.panel.kinds, self.panel.view
        self._parts = (self.headline, self.panel)
        self._lines = in_column(
            self.run, self.place, self.headline, (self.panel, 1), self.progress, self.status, self.buttons, margins=2,
            parent=self,
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
        self.headline.setText(changes_in_words(found.changes))
        self.panel.show_changes(found.changes, source)

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
        self.panel.forget()


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
