"""Showing docks, also those that lie behind another in a tab; docks of one page; and the tabs themselves."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QMainWindow, QTabBar, QWidget

from swgui.gui.window.layout.page_stack import PageStack


def add(
    window: QMainWindow,
    name: str,
    title: str,
    widget: QWidget | None = None,
    area: Qt.DockWidgetArea = Qt.DockWidgetArea.BottomDockWidgetArea,
) -> QDockWidget:
    """Put a widget, which may come later, into a dock of the window, hidden at first, and return the dock."""
    dock = QDockWidget(title, window)
    dock.setObjectName(name)
    if widget is not None:
        dock.setWidget(widget)
    window.addDockWidget(area, dock)
    dock.hide()
    return dock


def in_sight(dock: QDockWidget) -> bool:
    """Whether a dock is shown and not behind another one."""
    return dock.isVisible() and not dock.visibleRegion().isEmpty()


def reveal(dock: QDockWidget) -> None:
    """Show a dock, before others that share its place."""
    dock.show()
    dock.raise_()


def toggle(dock: QDockWidget) -> None:
    """Hide a dock that is in sight, reveal any other."""
    dock.hide() if in_sight(dock) else reveal(dock)


def skip_idle_tabs(window: QMainWindow) -> None:
    """Let the Tab key reach the tabs of docks that share a place, and no others: Qt keeps idle ones out of sight."""
    for tabs in window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
        tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus if tabs.count() > 1 else Qt.FocusPolicy.NoFocus)
        tabs.setAccessibleName("Docks")


class PageDocks(QObject):
    """Docks that speak of one page: put away while another is shown, so that it has the room, and back with theirs.

    Those that float stay where they are: they take nothing from a page.

    Parameters
    ----------
    page : str
        Name of the page they belong to.
    docks : tuple of QDockWidget
    """

    def __init__(self, pages: PageStack, page: str, docks: tuple[QDockWidget, ...], parent: QObject) -> None:
        super().__init__(parent)
        self._page = page
        self._docks = docks
        self._away: list[QDockWidget] = []  # the one in front last
        pages.turned.connect(self._turned)

    def bring_back(self) -> None:
        away, self._away = self._away, []
        for dock in away:
            reveal(dock)

    def forget(self) -> None:
        self._away = []

    def _turned(self, page: str) -> None:
        if page == self._page:
            self.bring_back()
            return
        open_ones = [dock for dock in self._docks if not dock.isHidden() and not dock.isFloating()]
        open_ones.sort(key=in_sight)
        for dock in open_ones:
            dock.hide()
        self._away += [dock for dock in open_ones if dock not in self._away]


class OneSide(QObject):
    """Lets a page's own panel at the side and docks beside it come one at a time, so that both leave the page its room.

    Parameters
    ----------
    panel : QAbstractButton
        Checked while the panel of the page is shown.
    docks : tuple of QDockWidget
        Those that float take nothing from the page.
    """

    def __init__(self, panel: QAbstractButton, docks: tuple[QDockWidget, ...], parent: QObject) -> None:
        super().__init__(parent)
        self._panel, self._docks = panel, docks
        panel.toggled.connect(self._panel_toggled)
        for dock in docks:
            dock.visibilityChanged.connect(lambda on, dock=dock: self._dock_shown(dock, on))

    def _panel_toggled(self, on: bool) -> None:
        for dock in self._docks if on else ():
            if not dock.isFloating():
                dock.hide()

    def _dock_shown(self, dock: QDockWidget, on: bool) -> None:
        if on and not dock.isFloating():
            self._panel.setChecked(False)
