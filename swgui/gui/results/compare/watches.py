"""Watches: standing queries, the last pass of each, and what changed in it; a pass now."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from swgui.core.compare.changes import Change
from swgui.core.errors import SwguiError
from swgui.core.words import count
from swgui.engines.registry import KeptEngines
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Wrapping, in_column, in_splitter
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.theme import grid, set_role
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.results.compare.base import ComparisonDialog
from swgui.gui.results.compare.changes_panel import ChangesPanel
from swgui.gui.results.compare.columns import changes_source
from swgui.io.saved.search import LoadedSearch, load_search
from swgui.io.tables.changes import changes_table
from swgui.jobs.events import Progress, run_to_end
from swgui.runs.watches.listing import ListedWatch, listed_watches
from swgui.runs.watches.passing import Outcome, passes_steps
from swgui.runs.watches.telling import headline
from swgui.runs.watches.watch import one_pass, remove_watch

NONE: Final = (
    "There is no watch yet. A watch repeats a search with each new release of its database, and lists the hits that "
    "are gained and lost.\n\nTo add one, open a result and choose Results › Watch for newer releases… "
    "Searches in rounds cannot be watched: their profiles depend on the database."
)
NO_PASS: Final = "No pass was made yet: the first one is the baseline, with which later ones are compared."
BASELINE: Final = "Changes are listed here once the database has another release."


class WatchesDialog(ComparisonDialog):
    """Lists the watches of the user, with the changes that their last passes found.

    Parameters
    ----------
    root : Path
        Folder of the watches.
    """

    hit_wanted = Signal(object, int, int)  # result, query and source index of a hit that the user wants to see
    file_name_offered = "changes.tsv"

    def __init__(self, tasks: Tasks, root: Path, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "watches", "Watches", (165, 95), parent)
        self._root = root
        self.rows: Sequence[ListedWatch] = ()
        self._chosen = ""  # name of a watch
        self.table = ColumnView(tasks, "watchesList", "Watches")
        self.table.chosen.connect(lambda row: self.choose(self.rows[row].name))
        self.table.arranged.connect(lambda _count: self._mark())
        self.panel = ChangesPanel(tasks, "watches", self.filter)
        self.panel.chosen.connect(self._want_hit)
        self.note = self.label("Note")
        make = push_button
        self.pass_button = make("watchesPass", "Look now", "Make one pass over all watches", self.run, role="primary")
        self.hits_button = make("watchesHits", "Show the hits", "All hits of the last pass on Results", self.show_hits)
        self.feed_button = make("watchesFeed", "Copy feed", "Copy the place of the Atom feed", self.copy_feed)
        self.remove_button = make("watchesRemove", "Remove…", "Delete the watch with its passes", self.ask_remove)
        row = FlowRow.of(self.pass_button, self.hits_button, self.feed_button, self.remove_button)
        above, below = QWidget(), Wrapping()
        in_column((self.table, 1), row, parent=above)
        in_column(self.headline, self.note, (self.panel, 100), 1, parent=below)
        self.prompt = text_label(NONE, "watchesPrompt", wrap=True, plain=True)
        self.prompt.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.split = in_splitter(Qt.Orientation.Vertical, above, (below, 1), name="watchesSplit")
        self.split.setSizes([grid(26), grid(60)])
        parts = (self.prompt, 1), (self.split, 1), self.progress, self.status, self.buttons
        in_column(*parts, margins=2, parent=self)
        for button in (self.pass_button, self.hits_button, self.feed_button, self.remove_button):
            button.setAutoDefault(False)
        self._show_rows(())
        self.refresh()

    # The list

    def refresh(self) -> None:
        """Read the watches again; a worker does it."""
        self._tasks.submit(f"{self._key}-list", lambda: listed_watches(self._root), self._show_rows, self.fail)

    def _show_rows(self, rows: Sequence[ListedWatch]) -> None:
        self.rows = rows
        self.prompt.setVisible(not rows)
        self.split.setVisible(bool(rows))
        self.table.show_source(_source(rows))
        names = [row.name for row in rows]
        with_news = [row.name for row in rows if row.last is not None and row.last.news]
        self.choose(self._chosen if self._chosen in names else next(iter(with_news or names), ""))

    def choose(self, name: str) -> None:
        """Show the changes of a watch's last pass."""
        self._chosen = name
        row = self._row
        self._mark()
        made = row.last if row is not None else None
        self.headline.setText(f"{headline(name, made)}." if made is not None else name)
        changes: Sequence[Change] = made.changes if made is not None else ()
        state = NO_PASS if made is None else BASELINE if made.number == 1 else ""
        fault = row.fault if row is not None else ""
        self.note.setText(fault or ("" if changes else state))
        set_role(self.note, tone="danger" if fault else "")
        self.note.setVisible(bool(self.note.text()))
        self.panel.setVisible(bool(changes))
        self.panel.show_changes(changes, changes_source(changes))
        self.save_button.setEnabled(bool(changes))
        self.hits_button.setEnabled(made is not None)
        self.feed_button.setEnabled(row is not None and row.watch is not None)
        self.remove_button.setEnabled(row is not None)

    def _mark(self) -> None:
        """Select the row of the chosen watch, wherever the table has it now."""
        shown = [self.rows[at].name for at in self.table.rows_model.rows.tolist() if at < len(self.rows)]
        if self._chosen in shown:
            self.table.setCurrentIndex(self.table.rows_model.index(shown.index(self._chosen), 0))

    @property
    def _row(self) -> ListedWatch | None:
        return next((row for row in self.rows if row.name == self._chosen), None)

    # A pass

    def run(self, *names: str) -> None:
        """Make one pass over some watches; all if none is named."""
        chosen = [name for name in names if isinstance(name, str)]  # a click has a truth value
        self.pass_button.setEnabled(False)
        self.say("Looking for newer releases…")
        self.work(partial(_passed, self._root, chosen), self.show_outcomes, self._not_passed)

    def show_outcomes(self, outcomes: Sequence[Outcome]) -> None:
        """Show the outcome of a pass in a line, and read the watches again."""
        self.pass_button.setEnabled(True)
        faults = [f"{one.watch}: {one.said}" for one in outcomes if one.kind == "failed"]
        faults += [f"{one.watch}: {problem}" for one in outcomes for problem in one.problems]
        fresh = [one for one in outcomes if one.made is not None]
        if fresh:
            self._chosen = next((one.watch for one in fresh if one.kind == "news"), fresh[0].watch)
        baselines = [one.said for one in fresh if one.kind == "baseline"]
        newer = len(fresh) - len(baselines)
        said = [f"{count(len(outcomes), 'watch', 'watches')}: {count(newer, 'newer release')}."]
        said = baselines if baselines and not newer else [*said, *baselines]
        self.say(" ".join([*said, *faults]) if outcomes else NONE, "danger" if faults else "")
        self.refresh()

    def _not_passed(self, error: Exception) -> None:
        self.pass_button.setEnabled(True)
        self.fail(error)
        self.refresh()

    # The chosen watch

    def show_hits(self) -> None:
        """Show the hits of the last pass on the page of results."""
        self._open(lambda loaded: self.hit_wanted.emit(loaded.result, *_first_hit(loaded)))

    def _want_hit(self, at: int) -> None:
        change = self.panel.changes[at]
        if change.change == "lost":
            self.say("This hit is gone; the searches of older releases are not kept.")
            return
        self._open(lambda loaded: self.hit_wanted.emit(loaded.result, *_hit_of(loaded, change)))

    def _open(self, done: object) -> None:
        row = self._row
        if row is None or row.watch is None or row.last is None or not callable(done):
            return
        place = row.watch.result(row.last.number)
        self._tasks.submit(f"{self._key}-open", lambda: load_search(place), done, self.fail)

    def copy_feed(self) -> None:
        """Put the address of the feed on the clipboard."""
        if (row := self._row) is not None and row.watch is not None:
            QGuiApplication.clipboard().setText(row.watch.feed.as_uri())
            self.say(f"Copied: {row.watch.feed}")

    def ask_remove(self) -> None:
        """Ask, and delete the chosen watch."""
        name = self._chosen
        text = f"Delete the watch '{name}' with its passes?"
        if QMessageBox.question(self, "Remove the watch", text) == QMessageBox.StandardButton.Yes:
            self.remove(name)

    def remove(self, name: str) -> None:
        """Delete a watch."""
        try:
            feed = remove_watch(self._root, name)
            self.say(f"The watch '{name}' was removed.{f' Its feed stays: {feed}' if feed else ''}")
        except SwguiError as fault:
            self.fail(fault)
        self.refresh()

    def save_to(self, path: Path) -> None:
        """Write all changes of the chosen watch's last pass, tab-separated, as ``swgui watch show`` does."""
        changes = self.panel.changes
        self.write(path, changes_table(changes), len(changes), count(len(changes), "row"))

    def forget(self) -> None:
        super().forget()
        self._tasks.drop(f"{self._key}-list")
        self._tasks.drop(f"{self._key}-open")
        self.table.forget()
        self.panel.forget()


def _source(rows: Sequence[ListedWatch]) -> ColumnSource:
    def when(text: str) -> str:
        return text[:16].replace("T", " ")

    columns = [
        TableColumn("watch", "Watch", "Its name", lambda row: rows[row].name),
        TableColumn("news", "News", "Outcome of the last pass that found another release",
                    lambda row: rows[row].fault or rows[row].news),
        TableColumn("database", "Database", "Database and release of that pass",
                    lambda row: made.where if (made := rows[row].last) is not None else ""),
        TableColumn("hits", "Hits", "Hits in that release",
                    lambda row: f"{made.hits:,}" if (made := rows[row].last) is not None else "", figures=True),
        TableColumn("compared", "Compared", "When that pass was made",
                    lambda row: when(made.when) if (made := rows[row].last) is not None else ""),
        TableColumn("looked", "Looked", "When a pass looked at the database last",
                    lambda row: when(state.looked) if (state := rows[row].state) is not None else ""),
        TableColumn("query", "Query", "Queries and databases", lambda row: rows[row].about),
    ]  # fmt: skip
    return ColumnSource(columns, len(rows))


def _passed(root: Path, names: Sequence[str], control: TaskControl) -> list[Outcome]:
    """Make one pass; for a worker."""

    def hear(event: object) -> None:
        if isinstance(event, Progress):
            control.tell(event.done, max(event.total, 1))

    with one_pass(root), closing(KeptEngines()) as engines:
        return run_to_end(passes_steps(root, names, control, engines.use), hear)


def _first_hit(loaded: LoadedSearch) -> tuple[int, int]:
    """Return query and source index of the first hit; the first subject where there is none."""
    hits = [(at, query.hits.db_index) for at, query in enumerate(loaded.result.queries)]
    return next(((at, int(rows[0])) for at, rows in hits if len(rows)), (0, 0))


def _hit_of(loaded: LoadedSearch, change: Change) -> tuple[int, int]:
    """Return query and source index of a hit of the newer database."""
    queries = loaded.result.queries
    at = next(at for at, query in enumerate(queries) if query.query.id == change.query)
    return at, int(queries[at].hits.db_index[change.now.rank - 1])
