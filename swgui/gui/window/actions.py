"""The actions of all commands; menus, palette and the list of keys are made from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial, reduce
from typing import Final, NamedTuple, cast

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar, QWidget

from swgui.gui.kit.pages import Answer, Command, Std
from swgui.gui.kit.theme import Colours, icon
from swgui.gui.window.look import PageStack

LATE = ("results_page", "runs_page", "tools")  # of the window, made with their pages
NOT_HERE: Final = "Not now: it does not apply to this page."


class Offer(NamedTuple):
    """One way to carry out a command."""

    page: str  # whose path is called; empty for the window
    how: Answer


class ActionTable(QObject):
    """The actions of a list of commands.

    A command of a page is enabled while that page is shown. A command of the window is carried out by the page that is
    shown, if it answers the command, otherwise by the window.

    Raises
    ------
    AttributeError
        If a command names something that the window, or a page once it is made, does not have: a menu has no dead
        entries.
    KeyError
        If a page answers a command that the window does not have.
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
        self._offers: dict[str, Offer] = {}  # how each command is carried out now
        self._reasons: dict[str, str] = {}  # why each command is disabled; empty if it is not
        self._page_of = {command.id: page for command, page in commands}
        self._answered = {identifier for page in pages.records.values() for identifier in page.answers}
        self._menus: dict[str, QMenu] = {}
        for command, page in commands:
            self.actions[command.id] = self._make(command, page)
            self._set_keys(command.id, self.usual_keys(command.id))
        self._check_answers()

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
            Command to its keys as portable text, several with ``; `` between them; unknown commands are ignored.
        """
        for identifier in self.commands:
            own = changed.get(identifier)
            keys = self.usual_keys(identifier) if own is None else QKeySequence.listFromString(own)
            self._set_keys(identifier, [key for key in keys if not key.isEmpty()])

    def _set_keys(self, identifier: str, keys: list[QKeySequence]) -> None:
        self.actions[identifier].setShortcuts(keys)
        self._explain(identifier)

    def update(self, states: Set[str]) -> None:
        """Enable the commands that can run; the tool tips of the others name the missing condition.

        Parameters
        ----------
        states : set of str
            Current states, as commands name them.
        """
        for identifier in self.commands:
            before = self._offers.get(identifier), self._reasons.get(identifier)
            offer, reason = self._choose(identifier, states)
            self._reasons[identifier] = reason
            self._offers[identifier] = offer
            self.actions[identifier].setEnabled(not reason)
            if before != (offer, reason):
                self._explain(identifier)

    def _choose(self, identifier: str, states: Set[str]) -> tuple[Offer, str]:
        """Return the function of a command now, and the reason why it cannot run; empty if it can."""
        offers = self._possible(identifier)
        reasons = []
        for offer in offers:
            missing = sorted(offer.how.needs - states)
            if not missing:
                return offer, ""
            reasons.append(self._why_not[missing[0]])
        return (offers[0], reasons[0]) if offers else (self._own(identifier), NOT_HERE)

    def _possible(self, identifier: str) -> list[Offer]:
        """Return the objects that could carry out a command while a page is shown, in the order of preference."""
        shown, own = self._pages.page, self._own(identifier)
        if own.page:
            return [own] if own.page == shown else []
        answer = self._pages.records[shown].answers.get(identifier)
        return [*([Offer(shown, answer)] if answer else []), *([own] if own.how.does else [])]

    def _own(self, identifier: str) -> Offer:
        command = self.commands[identifier]
        return Offer(self._page_of[identifier], Answer(command.does, command.needs, command.arguments))

    def _explain(self, identifier: str) -> None:
        action, command = self.actions[identifier], self.commands[identifier]
        how = self._offers.get(identifier, self._own(identifier)).how
        if identifier in self._answered:  # others, such as Undo, are named by their action
            action.setText(how.text or command.text)
            action.setIconText((how.text or command.text).replace("&", "").rstrip("…"))
        tip = how.tip or command.tip
        action.setStatusTip(tip)
        action.setWhatsThis(tip)
        if shown := action.shortcut().toString(QKeySequence.SequenceFormat.NativeText):
            tip += f" ({shown})"
        if reason := self._reasons.get(identifier):
            tip += f"\n{reason}"
        action.setToolTip(tip)

    def _check_answers(self) -> None:
        for page in self._pages.records.values():
            for identifier, answer in page.answers.items():
                if self._page_of[identifier]:
                    raise KeyError(f"The page {page.name} answers {identifier}, which is a command of a page.")
                self._pages.once_made(page.name, partial(follow, path=answer.does))

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
        """Show the menus of a page, and those that belong to no single page."""
        pages: dict[str, set[str]] = {}
        for identifier, command in self.commands.items():
            pages.setdefault(command.menu.partition("/")[0], set()).add(self._page_of[identifier])
        for menu, of in pages.items():
            self._menus[menu].menuAction().setVisible(bool({"", shown} & of) or len(of) > 1)

    def _root(self, page: str) -> QWidget:
        return self._pages[page] if page else self._window

    def _carry_out(self, identifier: str, *also: object) -> None:
        offer = self._offers.get(identifier, self._own(identifier))
        call = cast("Callable[..., object]", follow(self._root(offer.page), offer.how.does))
        call(*offer.how.arguments, *also)

    def _make(self, command: Command, page: str) -> QAction:
        if page:
            self._pages.once_made(page, lambda root: follow(root, command.does))
        elif command.does and command.does.partition(".")[0] not in LATE:
            follow(self._window, command.does)
        action = QAction(command.text, self._window)
        action.setObjectName(command.id)
        action.setIconText(command.text.replace("&", "").rstrip("…"))
        action.setCheckable(command.checkable or bool(command.choice))
        if command.choice:
            group = self._groups.get(command.choice)
            if group is None:
                group = self._groups[command.choice] = QActionGroup(self)
            group.addAction(action)
        if command.checkable:
            action.toggled.connect(lambda on: self._carry_out(command.id, on))
        else:
            action.triggered.connect(lambda _checked=False: self._carry_out(command.id))
        if command.scope:
            # Where the keys mean something else in other places, for example Ctrl+C in a text box.
            action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._pages.once_made(page, lambda root: cast("QWidget", follow(root, command.scope)).addAction(action))
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


def follow(root: object, path: str) -> object:
    """Return the object at the end of a path of names; raises `AttributeError` if there is none."""
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
