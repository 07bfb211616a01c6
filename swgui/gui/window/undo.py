"""Undo and Redo of the Edit menu: one history for each page that has one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QUndoGroup, QUndoStack

from swgui.gui.kit.pages import PageWidget
from swgui.gui.window.actions import ActionTable
from swgui.gui.window.layout.page_stack import PageStack


class Undo(QObject):
    """Undoes what was done last on the page that is shown."""

    changed = Signal()  # something else, or nothing, can be undone now

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
        """What is possible now, as commands name it."""
        return {name for name, can in (("undo", self._group.canUndo()), ("redo", self._group.canRedo())) if can}

    def name_actions(self, actions: ActionTable) -> None:
        for name, what in (("undo", self._group.undoText()), ("redo", self._group.redoText())):
            plain = actions.commands[name].text
            actions[name].setText(f"{plain} {what}" if what else plain)
