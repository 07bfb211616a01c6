"""The actions of all commands; menus, palette and the list of keys are made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import reduce
from typing import cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar, QWidget

from swgui.gui.kit.pages import Command, Std
from swgui.gui.kit.theme import Colours, icon
from swgui.gui.window.look import PageStack

LATE = ("results_page", "runs_page", "tools")  # of the window, made with their pages


class ActionTable(QObject):
    """The actions of a list of commands.

    Raises
    ------
    AttributeError
        If a command names something that the window, or a page once it is made, does not have: a menu has no dead
        entries.
    """

    def __init__(
        self,
        commands: Sequence[tuple[Command, str]],
        window: QWidget,
        pages: PageStack,
        why_not: Mapping[str, str],
    ) -> None:
        super().__init__(window)
        self._window, self._pages = window, pages
        self.commands = {command.id: command for command, _ in commands}
        self.actions: dict[str, QAction] = {}
        self._why_not = why_not
        self._groups: dict[str, QActionGroup] = {}
        self._missing: dict[str, str] = {}  # what each command lacks, empty if nothing
        self._page_of = {command.id: page for command, page in commands}
        self._menus: dict[str, QMenu] = {}
        for command, page in commands:
            self.actions[command.id] = self._make(command, page)
            self._set_keys(command.id, self.usual_keys(command.id))

    def __getitem__(self, identifier: str) -> QAction:
        return self.actions[identifier]

    # Keys

    def usual_keys(self, identifier: str) -> list[QKeySequence]:
        return [part for key in self.commands[identifier].keys for part in _sequences(key)]

    def use_keys(self, changed: Mapping[str, str]) -> None:
        """Give commands the user's own keys, and the usual ones to all others.

        Parameters
        ----------
        changed : Mapping[str, str]
            Command to its keys as portable text, several with ``; `` between them; what is no command is passed over.
        """
        for identifier in self.commands:
            own = changed.get(identifier)
            keys = self.usual_keys(identifier) if own is None else QKeySequence.listFromString(own)
            self._set_keys(identifier, [key for key in keys if not key.isEmpty()])

    def _set_keys(self, identifier: str, keys: list[QKeySequence]) -> None:
        self.actions[identifier].setShortcuts(keys)
        self._explain(identifier)

    def update(self, states: Set[str]) -> None:
        """Enable the commands whose needs are met; the tool tips of the others say what is missing."""
        for identifier, command in self.commands.items():
            missing = next(iter(sorted(command.needs - states)), "")
            self.actions[identifier].setEnabled(not missing)
            if self._missing.get(identifier) != missing:
                self._missing[identifier] = missing
                self._explain(identifier)

    def _explain(self, identifier: str) -> None:
        action, tip = self.actions[identifier], self.commands[identifier].tip
        if shown := action.shortcut().toString(QKeySequence.SequenceFormat.NativeText):
            tip += f" ({shown})"
        if missing := self._missing.get(identifier):
            tip += f"\n{self._why_not[missing]}"
        action.setToolTip(tip)

    def recolour(self, shades: Colours) -> None:
        for identifier, command in self.commands.items():
            if command.icon:
                self.actions[identifier].setIcon(icon(command.icon, shades))

    def fill_menus(self, bar: QMenuBar) -> None:
        menus: dict[str, QMenu] = {}
        last_group: dict[str, int] = {}
        for command in self.commands.values():
            menu = self._menu(command.menu, bar, menus)
            if last_group.setdefault(command.menu, command.group) != command.group:
                menu.addSeparator()
                last_group[command.menu] = command.group
            menu.addAction(self.actions[command.id])
        self._menus = menus

    def show_menus_of(self, shown: str) -> None:
        """Show the menus of a page, and those that are not of one page alone."""
        pages: dict[str, set[str]] = {}
        for identifier, command in self.commands.items():
            pages.setdefault(command.menu.partition("/")[0], set()).add(self._page_of[identifier])
        for menu, of in pages.items():
            self._menus[menu].menuAction().setVisible(bool({"", shown} & of) or len(of) > 1)

    def _root(self, page: str) -> QWidget:
        return self._pages[page] if page else self._window

    def _make(self, command: Command, page: str) -> QAction:
        def target(*arguments: object) -> None:
            cast("Callable[..., object]", _at(self._root(page), command.does))(*arguments)

        if page:
            self._pages.once_made(page, lambda root: _at(root, command.does))
        elif command.does.partition(".")[0] not in LATE:
            _at(self._window, command.does)
        action = QAction(command.text, self._window)
        action.setObjectName(command.id)
        action.setStatusTip(command.tip)
        action.setWhatsThis(command.tip)
        action.setIconText(command.text.replace("&", "").rstrip("…"))
        action.setCheckable(command.checkable or bool(command.choice))
        if command.choice:
            group = self._groups.get(command.choice)
            if group is None:
                group = self._groups[command.choice] = QActionGroup(self)
            group.addAction(action)
        if command.checkable:
            action.toggled.connect(lambda on: target(*command.arguments, on))
        else:
            action.triggered.connect(lambda _checked=False: target(*command.arguments))
        if command.scope:
            # Where the keys mean something else in other places, for example Ctrl+C in a text box.
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._pages.once_made(page, lambda root: cast("QWidget", _at(root, command.scope)).addAction(action))
        else:
            self._window.addAction(action)
        return action

    def _menu(self, path: str, bar: QMenuBar, menus: dict[str, QMenu]) -> QMenu:
        if path not in menus:
            parent, _, title = path.rpartition("/")
            menu = (self._menu(parent, bar, menus) if parent else bar).addMenu(title)
            menu.setToolTipsVisible(True)
            menus[path] = menu
        return menus[path]


def _at(root: object, path: str) -> object:
    """Return what is at the end of a path of names; `AttributeError` if there is nothing."""
    return reduce(getattr, path.split("."), root)


def _sequences(key: str | Std) -> list[QKeySequence]:
    return QKeySequence.keyBindings(key)[:1] if isinstance(key, Std) else [QKeySequence(key)]


class Frame(QMainWindow):
    """A window with pages and commands."""

    pages: PageStack
    actions_table: ActionTable

    @property
    def page(self) -> str:
        return self.pages.page

    def show_page(self, name: str) -> None:
        self.pages.show_page(name)
