"""The pages of the window and the rail that leads to them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from swgui.gui.kit.layouts import in_row, scrolling
from swgui.gui.window.layout.rail import Rail


@dataclass(frozen=True, slots=True)
class Page:
    """One page.

    Parameters
    ----------
    name : str
        What `PageStack.show_page` is called with.
    title : str
        On the rail.
    icon : str
        Name of a drawing in ``resources/icons``.
    widget : QWidget
    scrolls : bool
        Whether a page that needs more room than the window has is scrolled. With large text on a small screen it
        must be; it never pushes the window off the screen. False for pages that scroll by themselves.
    """

    name: str
    title: str
    icon: str
    widget: QWidget
    scrolls: bool = True


class PageStack(QWidget):
    """One page at a time, with the rail on its left.

    Signals
    -------
    turned(str)
        Name of the page that is shown now.
    """

    turned = Signal(str)

    def __init__(self, pages: tuple[Page, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._stack = QStackedWidget()
        self._places: dict[str, QWidget] = {}
        for page in pages:
            self._places[page.name] = scrolling(page.widget) if page.scrolls else page.widget
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

    def show_page(self, name: str) -> None:
        """Go to a page."""
        self._stack.setCurrentWidget(self._places[name])
        self.rail.choose(name)
        self.turned.emit(name)
