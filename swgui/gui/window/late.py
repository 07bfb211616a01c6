"""The parts of the window that are made on demand: pages but the first, and the contents of their docks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QUndoGroup, QUndoStack

from swgui.gui.kit.layouts import scrolling
from swgui.gui.kit.pages import PageWidget, Services
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.window import look
from swgui.gui.window.actions import ActionTable, Frame
from swgui.gui.window.look import PageStack
from swgui.gui.window.messages.notifications import Notifications

if TYPE_CHECKING:
    from swgui.gui.device.cluster import ClusterPanel
    from swgui.gui.device.page import DevicePage
    from swgui.gui.inputs.features import FeatureChoice
    from swgui.gui.results.details import DetailsPanel
    from swgui.gui.results.page import ResultsPage
    from swgui.gui.results.scores import ScoresPanel
    from swgui.gui.runs.page import RunsPage
    from swgui.gui.runs.panel import RunPanel
    from swgui.gui.runs.queue import RunQueue
    from swgui.gui.search.page import SearchPage
    from swgui.gui.window.leaving import Leaving
    from swgui.gui.window.result_tools import ResultTools


class Undo(QObject):
    """Undoes the last action on the current page."""

    changed = Signal()  # the action to undo changed

    def __init__(self, pages: PageStack, parent: QObject) -> None:
        super().__init__(parent)
        self._stacks: dict[str, QUndoStack] = {}
        self._group = QUndoGroup(self)
        for name in pages.names:
            pages.once_made(name, partial(self._add, name))
        for signal in (self._group.canUndoChanged, self._group.canRedoChanged, self._group.indexChanged):
            signal.connect(self._moved)

    def _add(self, name: str, page: PageWidget) -> None:
        if (stack := page.undo_steps) is not None:
            self._stacks[name] = stack
            self._group.addStack(stack)

    def _moved(self, _now: object) -> None:
        self.changed.emit()

    def undo(self) -> None:
        self._group.undo()

    def redo(self) -> None:
        self._group.redo()

    def turn_to(self, page: str) -> None:
        self._group.setActiveStack(self._stacks.get(page))  # type: ignore[arg-type] # None for no history
        self.changed.emit()

    @property
    def states(self) -> set[str]:
        return {name for name, can in (("undo", self._group.canUndo()), ("redo", self._group.canRedo())) if can}

    def name_actions(self, actions: ActionTable) -> None:
        for name, action in (("undo", self._group.undoText()), ("redo", self._group.redoText())):
            plain = actions.commands[name].text
            actions[name].setText(f"{plain} {action}" if action else plain)


class LateParts(Frame):
    """A window whose pages and panels are made on the first access by their names here."""

    tasks: Tasks
    notifications: Notifications
    queue: RunQueue
    search_page: SearchPage
    _run_panel: RunPanel | None = None
    _services: Services

    def add_late_docks(self, run_panel_made: Callable[[RunPanel], object]) -> None:
        """Add the docks whose panels come later: the run's, and those next to the Results page."""
        self._run_panel_made_then = run_panel_made
        self.activity_dock = look.add(self, "activityDock", "Activity")
        self.activity_dock.visibilityChanged.connect(lambda shown: self.run_panel if shown else None)
        self.scores_dock, self.details_dock = (
            look.add(self, name, title, area=Qt.DockWidgetArea.RightDockWidgetArea)
            for name, title in (("scoresDock", "Scores"), ("detailsDock", "Details"))
        )
        self.tabifyDockWidget(self.scores_dock, self.details_dock)

    def fill_result_docks(self, page: ResultsPage) -> None:
        from swgui.gui.results.details import DetailsPanel
        from swgui.gui.results.scores import ScoresPanel
        from swgui.gui.window.result_tools import ResultTools

        self._scores_panel, self._details_panel = ScoresPanel(self.tasks), DetailsPanel(page.marks)
        self.scores_dock.setWidget(self._scores_panel)
        self.details_dock.setWidget(self._details_panel)
        docked = (self._scores_panel, self.scores_dock, self._details_panel, self.details_dock)
        self._tools = ResultTools(self, page, *docked, self.search_page.engine, self.tasks, self.notifications)

    @property
    def run_panel(self) -> RunPanel:
        """Contents of the activity dock, made for the first run or when the dock is opened."""
        if self._run_panel is None:
            from swgui.gui.runs.panel import RunPanel

            self._run_panel = RunPanel()
            self.activity_dock.setWidget(scrolling(self._run_panel))
            self._run_panel_made_then(self._run_panel)
        return self._run_panel

    def _say(self, text: str) -> None:
        """Show a message in the status line."""
        raise NotImplementedError

    @cached_property
    def features(self) -> FeatureChoice:
        """The file of features that all pages use."""
        from swgui.gui.inputs.features import FeatureChoice

        choice = self._services.shared(FeatureChoice, lambda: FeatureChoice(self.tasks))
        choice.failed.connect(self.notifications.error)
        choice.message.connect(self._say)
        return choice

    @cached_property
    def leaving(self) -> Leaving:
        """Messages on runs of other computers, when the window opens and closes."""
        from swgui.gui.window.leaving import Leaving

        return Leaving(self, self.queue, self.notifications)

    @property
    def results_page(self) -> ResultsPage:
        return cast("ResultsPage", self.pages["results"])

    @property
    def runs_page(self) -> RunsPage:
        return cast("RunsPage", self.pages["runs"])

    @property
    def device_page(self) -> DevicePage:
        return cast("DevicePage", self.pages["device"])

    @property
    def cluster_panel(self) -> ClusterPanel:
        from swgui.gui.device.cluster import ClusterPanel

        return self.pages.part(ClusterPanel)

    @property
    def tools(self) -> ResultTools:
        self.pages.ensure("results")
        return self._tools

    @property
    def scores_panel(self) -> ScoresPanel:
        self.pages.ensure("results")
        return self._scores_panel

    @property
    def details_panel(self) -> DetailsPanel:
        self.pages.ensure("results")
        return self._details_panel
