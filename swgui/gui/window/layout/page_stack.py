"""The pages of the window and the rail that leads to them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QStackedWidget, QWidget

from swgui.gui.kit.theme import arrange
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
        layout = QHBoxLayout(self)
        arrange(layout, 0, 0)
        layout.addWidget(self.rail)
        layout.addWidget(self._stack, 1)

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


def scrolling(page: QWidget) -> QScrollArea:
    """Return a frame in which a widget scrolls when there is less room than it needs."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(page)
    return area
