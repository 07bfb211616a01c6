"""What was used before: the menu of recent queries and results, and the last result after a restart."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from swgui.gui.kit.plain import plain
from swgui.gui.window.frame import Frame
from swgui.gui.window.opening import Opening
from swgui.history import History
from swgui.settings import RecentSettings

if TYPE_CHECKING:
    from swgui.gui.results.page import ResultsPage
    from swgui.gui.runs.page import RunsPage

LISTED = 8  # of each kind
LONGEST = 60  # characters of a name
CLEAR = "forget-recent"  # the command at the end of the menu, which is found by it


class Recent(QObject):
    """Fills the menu of what was used before, and brings back the result that was shown last.

    Parameters
    ----------
    opening : Opening
        Opens what is chosen.
    """

    def __init__(self, window: Frame, settings: RecentSettings, history: History, opening: Opening) -> None:
        super().__init__(window)
        self._window, self._settings, self._history, self._opening = window, settings, history, opening
        self._added: list[QAction] = []
        window.pages.turned.connect(self._turned)

    def follow(self) -> None:
        """Fill the menu of the command `CLEAR` whenever it is opened."""
        for menu in self._window.actions_table[CLEAR].associatedObjects():
            if isinstance(menu, QMenu):
                menu.aboutToShow.connect(partial(self._fill, menu))

    def forget(self) -> None:
        """Empty the menu; the runs stay on the Runs page."""
        self._settings.queries.clear()
        self._settings.results.clear()

    def keep(self) -> None:
        """Note what is shown, for the next start."""
        results = self._window.pages.widgets.get("results")
        if results is not None and (result := cast("ResultsPage", results).result) is not None:
            self._settings.run = result.run_id

    def _turned(self, name: str) -> None:
        """Open the result that was shown last when the empty Results page is gone to for the first time."""
        run_id = self._settings.run
        if name != "results" or not run_id:
            return
        self._settings.run = ""  # not a second time
        shown = cast("ResultsPage", self._window.pages["results"]).result
        if shown is None and self._history.has_result(run_id):
            self._runs.open_run(run_id, "the result that was shown last", "search")

    @property
    def _runs(self) -> RunsPage:
        return cast("RunsPage", self._window.pages["runs"])

    def _fill(self, menu: QMenu) -> None:
        for action in self._added:
            menu.removeAction(action)
            action.deleteLater()
        self._added = []
        first = self._window.actions_table[CLEAR]
        first.setEnabled(bool(self._settings.queries or self._settings.results))
        for title, entries in (("Queries", self._queries()), ("Results", self._results())):
            if entries:
                self._add(menu, first, QAction(title, menu), enabled=False)
            for name, tip, does in entries:
                action = QAction(name.replace("&", "&&"), menu)
                action.setToolTip(plain(tip))
                action.triggered.connect(does)
                self._add(menu, first, action)
        if self._added:
            self._added.append(menu.insertSeparator(first))

    def _add(self, menu: QMenu, before: QAction, action: QAction, *, enabled: bool = True) -> None:
        action.setEnabled(enabled)
        menu.insertAction(before, action)
        self._added.append(action)

    def _queries(self) -> list[tuple[str, str, Callable[[], None]]]:
        """Return name, tip and what opens it of the query files used last that are still there."""
        paths = [path for path in map(Path, self._settings.queries) if path.is_file()]
        return [(path.name, str(path), partial(self._opening.use_query_file, path)) for path in paths[:LISTED]]

    def _results(self) -> list[tuple[str, str, Callable[[], None]]]:
        """Return the same of the newest runs that have a result, and of result files."""
        found: list[tuple[str, str, Callable[[], None]]] = []
        for record in [one for one in self._runs.records if one.state in ("done", "partial", "failed")][:LISTED]:
            name = record.name if len(record.name) <= LONGEST else f"{record.name[: LONGEST - 1]}…"
            what = f"{name} in {record.database}" if record.database else name
            opens = partial(self._runs.open_run, record.id, record.name, record.kind)
            found.append((what, f"{record.name}, {record.started[:16].replace('T', ' ')}", opens))
        paths = [path for path in map(Path, self._settings.results) if path.is_file()]
        return found + [(path.name, str(path), partial(self._opening.open_result, path)) for path in paths[:LISTED]]
