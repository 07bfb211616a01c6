"""Pages of the window as records: every fact of a page that the window needs, declared by the room of the page.

The window makes the page of a record when it first needs it, puts it behind a button of the rail, and offers its
commands, its help and its undo. Commands of the window such as Export or Print
act on the page that is shown, if its record answers them (`Page.answers`), and are disabled otherwise. The window calls
every existing page when the theme changes and when it closes. A record is read at every start: ``make`` imports the
modules that its page needs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QUndoStack
from PySide6.QtWidgets import QWidget

from swgui.core.engines import EngineOptions
from swgui.gui.kit.tasks.control import JobController
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid
from swgui.jobs.search.events import IterationEvent
from swgui.jobs.search.request import SearchRequest
from swgui.runs import Runs
from swgui.settings import Settings

Keys = tuple[str | QKeySequence.StandardKey, ...]
Std = QKeySequence.StandardKey
T = TypeVar("T")
NARROW: Final = 110  # grid units; the width below which parts of a page go below each other


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    id: str  # also the ``objectName`` of its action
    text: str  # with ``&`` before the letter that the menu underlines
    tip: str  # one sentence; shown in tool tips, the status line and the help
    menu: str  # title of the menu, ``View/Theme`` for a submenu
    # Function to call, as a path of attributes from the page that declares it, or from the window. Empty for a command
    # of the window that only pages carry out.
    does: str
    arguments: tuple[object, ...] = ()  # its arguments
    keys: Keys = ()  # shortcuts, the first is shown
    icon: str = ""  # name of a drawing in ``resources/icons``
    group: int = 0  # commands of one menu with different groups are separated by a line
    choice: str = ""  # name of a set of commands of which one is ticked
    checkable: bool = False  # whether it is switched on and off; called with the new state
    scope: str = ""  # the widget, as a path of attributes like `does`, in which the keys work; everywhere if empty
    needs: frozenset[str] = frozenset()  # states of the window or of a page without which it is disabled

    @property
    def plain_text(self) -> str:
        return self.text.replace("&", "")


def needs(*states: str) -> frozenset[str]:
    return frozenset(states)


@dataclass(frozen=True, slots=True)
class Answer:
    """How a page carries out a command of the window while the page is shown."""

    does: str  # function to call, as a path of attributes from the page
    needs: frozenset[str] = frozenset()  # states without which it is disabled
    arguments: tuple[object, ...] = ()  # its arguments
    text: str = ""  # in place of the command's text
    tip: str = ""


def answer_by(commands: Sequence[Command], identifier: str, *, text: bool = False) -> Answer:
    """Return the answer that does the same as a command of the page's own.

    Parameters
    ----------
    text : bool
        Whether the menu shows the text of the page's command.
    """
    own = next(command for command in commands if command.id == identifier)
    return Answer(own.does, own.needs, own.arguments, own.text if text else "", own.tip)


@dataclass(frozen=True, slots=True)
class Services:
    """Context that pages are made with."""

    settings: Settings
    tasks: Tasks  # shared by all pages
    history: Runs  # the saved runs
    # The function of a search: called with a `SearchRequest` and its stop, gives events.
    search: Callable[[SearchRequest, threading.Event], Iterator[IterationEvent]]
    # Returns the engine that the user has chosen, and its options.
    choose_engine: Callable[[], tuple[str, EngineOptions]]
    _shared: dict[type, object] = field(default_factory=dict, init=False, repr=False, compare=False)

    def shared(self, kind: type[T], make: Callable[[], T]) -> T:
        """Return the one object of a class that pages and window share; makes it on the first call."""
        if kind not in self._shared:
            self._shared[kind] = make()
        return cast("T", self._shared[kind])


class PageWidget(QWidget):
    """A page, with no-op defaults."""

    states_changed = Signal()  # the states of the page changed
    message = Signal(str)  # a message for the window's status line
    queue_wanted = Signal(object)  # requests of one kind (`kind_of`), to be carried out after the runs that wait
    control: JobController | None = None  # carries out the plan of the page
    _narrow: bool | None = None

    def states(self) -> set[str]:
        """Return the states in which commands can run while the page is shown, as commands name them."""
        return set()

    @property
    def runners(self) -> Sequence[JobController]:
        """Controllers of the kinds of run of the page: `control`, if a page does not have several."""
        return () if self.control is None else (self.control,)

    def kind_of(self, asked: Any) -> str:
        """Return the kind of run of a request of the page: that of `control`, if a page does not have several."""
        return "" if self.control is None else self.control.kind

    @property
    def running(self) -> bool:
        """Whether the page computes for the user."""
        return False

    @property
    def holds_device(self) -> bool:
        """Whether that uses a device, so that nothing may measure meanwhile."""
        return self.running

    @property
    def strip_height(self) -> int:
        """Height in pixels of a strip at the lower edge, which messages must not cover."""
        return 0

    @property
    def undo_steps(self) -> QUndoStack | None:
        return None

    def set_narrow(self, narrow: bool) -> None:
        """Put parts below each other, which fit side by side unless the page is narrow."""

    def restyle(self) -> None:
        self._fit_width()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_width()

    def _fit_width(self) -> None:
        narrow = self.width() < grid(NARROW)
        if narrow != self._narrow:
            self._narrow = narrow
            self.set_narrow(narrow)

    def take_outcome(self, outcome: Any) -> None:
        """Show the outcome of a run that was kept (`swgui.jobs.kind.Kind.page`)."""

    def shutdown(self) -> None:
        """Stop the page's background work, without waiting; the window is about to close."""


@dataclass(frozen=True, slots=True)
class PageHelp:
    """Help of one page."""

    title: str
    text: str  # HTML of our own
    document: str  # name of the page of the documentation, without its ending
    menus: tuple[str, ...]  # menus whose commands belong to the page


@dataclass(frozen=True, slots=True)
class Page:
    """One page."""

    name: str  # by which the page makes the window show it
    title: str  # on the rail
    command: str  # text of the command that goes there, with ``&`` before the letter that the menu underlines
    tip: str  # what that command does, in one sentence
    icon: str  # name of a drawing in ``resources/icons``
    make: Callable[[Services], PageWidget]
    help: PageHelp
    commands: tuple[Command, ...] = ()  # their paths begin at the page; they are disabled while another is shown
    # Text of a tool tip while a state of the page is missing that a command needs.
    why_not: Mapping[str, str] = field(default_factory=dict)
    menu: str = "&Window"  # of the command that goes there; pages of the Window menu are on the rail
    # Commands of the window that act on this page while it is shown. One that a page does not list is done by the
    # window, and is disabled where the window does not do it either.
    answers: Mapping[str, Answer] = field(default_factory=dict)
