"""The pages of the window and the rail that leads to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QScrollArea, QSizePolicy, QStackedWidget, QToolButton, QWidget

from swgui.gui.kit.layouts import in_column, in_row, scrolling
from swgui.gui.kit.pages import Page, PageWidget, Services
from swgui.gui.kit.theme import grid, set_role
from swgui.gui.kit.widgets import tool_button


class Rail(QScrollArea):
    """As wide as its buttons, and scrolling where large text leaves no room for all of them.

    Parameters
    ----------
    pages : iterable of (str, str, str)
        Name, title and icon of each page, from top to bottom.
    """

    chosen = Signal(str)  # name of the page whose button was pressed

    def __init__(self, pages: Iterable[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        strip = self._strip = QFrame()
        strip.setObjectName("rail")
        group = QButtonGroup(self)
        self.buttons: dict[str, QToolButton] = {}
        for number, (name, title, icon) in enumerate(pages, 1):
            button = tool_button(f"rail-{name}", title, f"{title} (Ctrl+{number})", icon=icon, checkable=True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            set_role(button, role="rail")
            button.clicked.connect(lambda _checked=False, page=name: self.chosen.emit(page))
            group.addButton(button)
            self.buttons[name] = button
        in_column(*self.buttons.values(), 1, margins=(0.5, 1, 0.5, 1), spacing=0.5, parent=strip)
        self.setWidget(strip)

    def choose(self, name: str) -> None:
        self.buttons[name].setChecked(True)
        self.ensureWidgetVisible(self.buttons[name])

    def restyle(self) -> None:
        for button in self.buttons.values():
            button.setIconSize(QSize(grid(3), grid(3)))
            button.setMinimumSize(grid(10), grid(7.5))

    def sizeHint(self) -> QSize:
        return QSize(self._strip.minimumSizeHint().width(), self._strip.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._strip.minimumSizeHint().width(), grid(8))


W = TypeVar("W", bound=QWidget)


class PageStack(QWidget):
    """One page at a time, with the rail on its left. A page is made when it is first shown or asked for.

    Parameters
    ----------
    pages : sequence of Page
    services : Services
        What they are made with.
    """

    turned = Signal(str)  # name of the page that is shown now
    made = Signal(str)  # name of a page that was just made

    def __init__(self, pages: Sequence[Page], services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.records = {page.name: page for page in pages}
        self.widgets: dict[str, PageWidget] = {}  # those that are made
        self._services = services
        self._once_made: dict[str, list[Callable[[Any], object]]] = {}
        self._stack = QStackedWidget()
        self._places = {page.name: QWidget() for page in pages}  # an empty one until the page is made
        for place in self._places.values():
            self._stack.addWidget(place)
        self.rail = Rail([(page.name, page.title, page.icon) for page in pages])
        self.rail.chosen.connect(self.show_page)
        in_row(self.rail, (self._stack, 1), spacing=0, parent=self)

    @property
    def page(self) -> str:
        return next(name for name, place in self._places.items() if place is self._stack.currentWidget())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all pages, from top to bottom."""
        return tuple(self._places)

    @property
    def states(self) -> set[str]:
        """What is possible now on any page that is made, as commands name it."""
        shown = self.page
        return {state for name, widget in self.widgets.items() for state in widget.states(name == shown)}

    @property
    def strip_height(self) -> int:
        """Height in pixels of the strip at the lower edge of the page that is shown."""
        return self[self.page].strip_height

    def __getitem__(self, name: str) -> PageWidget:
        """Return a page; it is made if it was not yet."""
        self.ensure(name)
        return self.widgets[name]

    def ensure(self, name: str) -> None:
        """Make a page if it was not yet."""
        if name not in self.widgets:
            self._make(name)

    def place(self, name: str) -> QWidget:
        """Return what stands for a page in the stack: itself, what scrolls it, or nothing yet."""
        return self._places[name]

    def once_made(self, name: str, use: Callable[[Any], object]) -> None:
        """Call a function with a page: now if it is made, otherwise as soon as it is, before anybody sees it."""
        if name in self.widgets:
            use(self.widgets[name])
        else:
            self._once_made.setdefault(name, []).append(use)

    def _make(self, name: str) -> None:
        page, empty = self.records[name], self._places[name]
        widget = self.widgets[name] = page.make(self._services)
        place = self._places[name] = scrolling(widget) if page.scrolls else widget
        shown = self._stack.currentWidget() is empty
        self._stack.insertWidget(self._stack.indexOf(empty), place)
        if shown:
            self._stack.setCurrentWidget(place)
        self._stack.removeWidget(empty)
        empty.deleteLater()
        for use in self._once_made.pop(name, ()):
            use(widget)
        self.made.emit(name)

    def part(self, kind: type[W]) -> W:
        """Return the page, or the part of a page, of a class; pages are made until it is found.

        Raises
        ------
        LookupError
            If there is none.
        """
        for widget in map(self.__getitem__, (*self.widgets, *self.records)):
            if isinstance(widget, kind):
                return widget
            if (found := widget.findChild(kind)) is not None:
                return found
        raise LookupError(f"No page has a {kind.__name__}.")

    def show_page(self, name: str) -> None:
        self.ensure(name)
        self._stack.setCurrentWidget(self._places[name])
        self.rail.choose(name)
        self.turned.emit(name)

    def restyle(self) -> None:
        self.rail.restyle()
        for widget in self.widgets.values():
            widget.restyle()

    def shutdown(self) -> None:
        """Let every page stop what it does in the background, without waiting."""
        for widget in self.widgets.values():
            widget.shutdown()
