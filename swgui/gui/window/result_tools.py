"""Actions on the current result: explain, find, shuffle, audit, compare, show a pair."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QDockWidget

from swgui.core.errors import SwguiError
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.judging.explain import explain_hit
from swgui.gui.inputs.engine import EngineBox
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid
from swgui.gui.results.compare.audit import AuditDialog
from swgui.gui.results.compare.changes import ChangesDialog
from swgui.gui.results.compare.runs import CompareDialog
from swgui.gui.results.details import DetailsPanel
from swgui.gui.results.page import ResultsPage
from swgui.gui.results.scores import ScoresPanel
from swgui.gui.results.shuffles import ShuffleDialog
from swgui.gui.window import look
from swgui.gui.window.actions import Frame
from swgui.gui.window.help import TextDialog, sections_text
from swgui.gui.window.messages.notifications import Notifications
from swgui.io.statistics import load_statistics
from swgui.jobs.search.describe import describe_subject, find_subject
from swgui.runs.watches.watch import watches_folder

SHOW_KEY = "show-pair"
_HINT = "Search again to see it."
WIDE = 190  # grid units of the window from which on Details open with the first result


def show_pair(
    page: ResultsPage,
    tasks: Tasks,
    result: SearchResult,
    query_index: int,
    db_index: int,
    failed: Callable[[Exception], None],
) -> None:
    """Show the alignment of a pair of this run, whatever the page shows now.

    Parameters
    ----------
    result : SearchResult
        Shown on the page if that has another run; one with moved limits is the same run.
    failed : callable
        Called with an exception: the scores were not kept, or the pair has no alignment.
    """
    tasks.drop(SHOW_KEY)
    if page.result is None or not _same_run(page.result, result):
        page.show_result(result, query_index)
    elif page.query_index != query_index:
        page.queries.search.clear()
        page.queries.with_hits.setChecked(False)
        page.queries.choose(query_index)

    def show() -> None:
        shown, data = page.result, page.hits.data
        if shown is None or not _same_run(shown, result) or page.query_index != query_index:
            return  # the user has left the page meanwhile
        rows = [] if data is None else np.flatnonzero(data.hits.db_index == db_index).tolist()
        if not rows or not page.hits.table.select_row(rows[0]):
            tasks.submit(SHOW_KEY, lambda: _describe(shown, query_index, db_index), page.show_hit, failed)

    page.when_listed(show)


def _same_run(first: SearchResult, second: SearchResult) -> bool:
    return (
        first.database is second.database
        and first.scheme == second.scheme
        and len(first.queries) == len(second.queries)
        and all(a.query is b.query for a, b in zip(first.queries, second.queries, strict=True))
    )


def _describe(result: SearchResult, query_index: int, db_index: int) -> Hit:
    name = result.database.ids[db_index]
    if result.queries[query_index].scores is None:
        raise SwguiError(f"The scores of this search were not kept, so '{name}' cannot be shown.", hint=_HINT)
    subject = find_subject(result, query_index, db_index)
    if subject.score < 0:
        raise SwguiError(f"The search was stopped before '{name}' was scored.", hint=_HINT)
    if subject.score == 0:
        raise SwguiError(f"'{name}' has a score of 0 with this query: it has no alignment.")
    return describe_subject(result, query_index, subject)


class ResultTools(QObject):
    """The commands of the Results menu other than navigation."""

    def __init__(
        self,
        window: Frame,
        page: ResultsPage,
        scores: ScoresPanel,
        scores_dock: QDockWidget,
        details: DetailsPanel,
        details_dock: QDockWidget,
        engine: EngineBox,
        tasks: Tasks,
        notifications: Notifications,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._page = page
        self._scores = scores
        self._scores_dock = scores_dock
        self._details = details
        self._details_dock = details_dock
        self._details_sized = self._details_offered = False
        self._engine = engine
        self._tasks = tasks
        self._notifications = notifications
        self._earlier: SearchResult | None = None
        self._latest: SearchResult | None = None
        page.query_shown.connect(self._show_scores)
        page.hit_shown.connect(scores.show_hit)
        page.current_changed.connect(details.show_hit)
        page.filler.filled.connect(lambda _rows: details.refresh())
        page.hit_shown.connect(lambda _hit: details.refresh())
        page.note_wanted.connect(self.write_note)
        details.explain_wanted.connect(self.explain_hit)
        details.left.connect(self._leave_details)
        page.hits.subject_sought.connect(self.find_subject)
        scores.subject_wanted.connect(page.show_hit)
        scores.failed.connect(notifications.error)
        scores.reranked.connect(page.show_moved)

    # Commands

    def toggle_scores(self) -> None:
        if look.in_sight(self._scores_dock):
            self._scores_dock.hide()
        else:
            self._show_scores_dock()

    def offer_details(self) -> None:
        """Show the details of the current hit with the first result, if the window is wide."""
        if not self._details_offered and self._window.width() >= grid(WIDE):
            self._show_details()
        self._details_offered = True

    def toggle_details(self) -> None:
        if look.in_sight(self._details_dock):
            self._details_dock.hide()
        else:
            self._show_details()

    def write_note(self) -> None:
        self._show_details()
        self._details.focus_note()

    def _show_scores_dock(self) -> None:
        self._window.show_page("results")
        look.reveal(self._scores_dock)

    def _show_details(self) -> None:
        self._window.show_page("results")
        look.reveal(self._details_dock)
        if not self._details_sized:  # as wide as necessary; the user's width from then on
            self._size_details()

    def _leave_details(self) -> None:
        if self._window.pages.put_aside:
            self._details_dock.hide()
        self._page.hits.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def restyle(self) -> None:
        """Give the details the width that the text needs now."""
        if self._details_sized and look.in_sight(self._details_dock):
            self._size_details()

    def _size_details(self) -> None:
        self._details_sized = True
        if not self._window.pages.put_aside:
            self._window.resizeDocks([self._details_dock], [grid(look.SIDE)], Qt.Orientation.Horizontal)

    def find_subject(self, text: str = "") -> None:
        """Go to the box that finds any subject of the database, and look for a text."""
        if text:
            self._scores.wanted.setText(text)
        self._show_scores_dock()
        self._scores.focus_find()

    def explain_hit(self) -> None:
        result, hit = self._page.result, self._page.alignment.hit
        if result is None or hit is None:
            self._say("Choose a hit first.")
            return
        index = self._page.query_index
        self._tasks.submit(
            "explain-hit",
            lambda: explain_hit(result, index, hit, load_statistics(result.scheme)),
            lambda sections: TextDialog(
                f"How was this computed? {hit.subject.id}", sections_text(sections), self._window
            ).open(),
        )

    def shuffle_hits(self) -> None:
        data, rows = self._page.hits.data, self._page.hits.table.selected_rows()
        if data is None or not len(rows):
            self._say("Choose one or more hits first.")
            return
        choice = self._engine.choice
        ShuffleDialog(data.listed, rows.tolist(), choice.engine, choice.options, self._window).open()

    def audit(self, path: Path | None = None) -> None:
        result = self._page.result
        if result is None:
            self._say("Search first: the audit compares a table with an exact run.")
            return
        dialog = AuditDialog(self._tasks, result, self._window)
        dialog.hit_wanted.connect(lambda query, subject: self._show_hit(result, query, subject))
        dialog.show()
        if path is not None:
            dialog.open_file(path)

    def compare_runs(self) -> None:
        """Show new, lost and moved hits of the last run against the one before."""
        if self._earlier is None or self._latest is None:
            self._say("There is one run so far; search again, for example with another matrix, to compare.")
            return
        self.compare(self._earlier, self._latest)

    def compare(self, earlier: SearchResult, later: SearchResult) -> None:
        dialog = CompareDialog(self._tasks, earlier, later, self._window)
        dialog.hit_wanted.connect(
            lambda run, query, subject: self._show_hit(earlier if run == 1 else later, query, subject)
        )
        dialog.show()

    def what_changed(self, path: Path | None = None) -> None:
        """Show the changes of this run's hits in a newer release of its database."""
        result = self._page.result
        if result is None:
            self._say("Open a run first: a newer release of its database is compared with it.")
            return
        dialog = ChangesDialog(self._tasks, result, self._window)

        def want(run: int, query: int, subject: int) -> None:
            found = dialog.found
            if found is not None:
                self._show_hit(found.before if run == 1 else found.now, query, subject)

        dialog.hit_wanted.connect(want)
        dialog.show()
        if path is not None:
            dialog.open_file(path)

    def watch_search(self) -> None:
        """Ask how this search is watched, add the watch, and make its first pass."""
        if (result := self._page.result) is None:
            self._say("Open a run first: its search is repeated with each new release of its database.")
            return
        self.watch(result)

    def watch(self, result: SearchResult) -> None:
        """Ask how the search of a result is watched."""
        from swgui.gui.results.compare.watch_this import WatchThisDialog  # here, as below: few searches are watched

        first = result.queries[0].query
        name = parse_header(first.id, first.description).name
        dialog = WatchThisDialog(result, name, watches_folder(), self._window)
        dialog.added.connect(self.show_watches)
        dialog.open()

    def show_watches(self, name: str = "") -> None:
        """List the watches; make a pass of one, if it is named."""
        from swgui.gui.results.compare.watches import WatchesDialog

        dialog = WatchesDialog(self._tasks, watches_folder(), self._window)
        dialog.hit_wanted.connect(self._show_hit)
        dialog.show()
        if name:
            dialog.run(name)

    # Events from the window

    def take(self, result: SearchResult) -> None:
        """Remember a new run, so that it can be compared with the one before."""
        self._earlier, self._latest = self._latest, result

    def _show_hit(self, result: SearchResult, query_index: int, db_index: int) -> None:
        self._window.show_page("results")
        show_pair(self._page, self._tasks, result, query_index, db_index, self._notifications.error)

    def _show_scores(self, query_index: int) -> None:
        if self._page.result is not None:
            self._scores.show_query(self._page.result, query_index)

    def _say(self, text: str) -> None:
        self._window.statusBar().showMessage(text, 8000)
