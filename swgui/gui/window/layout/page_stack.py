"""The pages of the window and the rail that leads to them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from swgui.gui.kit.layouts import in_row, scrolling
from swgui.gui.kit.pages import Page, PageWidget, Services
from swgui.gui.window.layout.rail import Rail

W = TypeVar("W", bound=QWidget)


class PageStack(QWidget):
    """One page at a time, with the rail on its left.

    Parameters
    ----------
    pages : sequence of Page
    services : Services
        What they are made with.

    Signals
    -------
    turned(str)
        Name of the page that is shown now.
    """

    turned = Signal(str)

    def __init__(self, pages: Sequence[Page], services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.records = {page.name: page for page in pages}
        self.widgets: dict[str, PageWidget] = {}
        self._stack = QStackedWidget()
        self._places: dict[str, QWidget] = {}
        for page in pages:
            widget = self.widgets[page.name] = page.make(services)
            self._places[page.name] = scrolling(widget) if page.scrolls else widget
            self._stack.addWidget(self._places[page.name])
        self.rail = Rail([(page.name, page.title, page.icon) for page in pages])
        self.rail.chosen.connect(self.show_page)
        in_row(self.rail, (self._stack, 1), spacing=0, parent=self)

    @property
    def page(self) -> str:
        """Name of the page that is shown."""
        return next(name for name, place in self._places.items() if place is self._stack.currentWidget())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all pages, from top to bottom."""
        return tuple(self._places)

    @property
    def states(self) -> set[str]:
        """What is possible now on any page, as commands name it."""
        shown = self.page
        return {state for name, widget in self.widgets.items() for state in widget.states(name == shown)}

    @property
    def strip_height(self) -> int:
        """Height in pixels of the strip at the lower edge of the page that is shown."""
        return self.widgets[self.page].strip_height

    def part(self, kind: type[W]) -> W:
        """Return the page, or the part of a page, of a class.

        Raises
        ------
        LookupError
            If there is none.
        """
        for widget in self.widgets.values():
            if isinstance(widget, kind):
                return widget
            if (found := widget.findChild(kind)) is not None:
                return found
        raise LookupError(f"No page has a {kind.__name__}.")

    def show_page(self, name: str) -> None:
        """Go to a page."""
        self._stack.setCurrentWidget(self._places[name])
        self.rail.choose(name)
        self.turned.emit(name)

    def restyle(self) -> None:
        """Let every page follow the theme and the text size."""
        self.rail.restyle()
        for widget in self.widgets.values():
            widget.restyle()

    def shutdown(self) -> None:
        """Let every page stop what it does in the background, without waiting."""
        for widget in self.widgets.values():
            widget.shutdown()
