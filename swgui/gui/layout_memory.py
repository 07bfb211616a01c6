"""Where the window and its docks were, kept in ``window.ini``."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSettings, QSize
from PySide6.QtWidgets import QDockWidget, QMainWindow

from swgui import paths
from swgui.gui.theme import grid

VERSION = 1  # of docks and toolbar; a stored layout of another version is not restored
SIZE = (160, 108)  # of a new window, in grid units


class LayoutMemory:
    """Remembers the layout of a window; made once the window has all its docks.

    Parameters
    ----------
    window : QMainWindow
    at_need : QDockWidget
        A dock that shows itself when it is needed: it is hidden at every start.
    """

    def __init__(self, window: QMainWindow, at_need: QDockWidget) -> None:
        self._window = window
        self._at_need = at_need
        self._shipped = window.saveState(VERSION)

    def save(self) -> None:
        """Write size and docks."""
        file = self._file()
        file.setValue("ui/geometry", self._window.saveGeometry())
        file.setValue("ui/state", self._window.saveState(VERSION))
        file.sync()

    def restore(self) -> None:
        """Put the window as it was left; as shipped where nothing usable is stored."""
        file, window = self._file(), self._window
        geometry, state = file.value("ui/geometry"), file.value("ui/state")
        if not (isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)):
            window.resize(self._size())
        if isinstance(state, QByteArray):
            window.restoreState(state, VERSION)
        self._at_need.hide()
        for dock in window.findChildren(QDockWidget):
            dock.setFloating(False)  # a screen that is gone must not take a dock with it

    def reset(self) -> None:
        """Put the window as it was shipped."""
        self._window.restoreState(self._shipped, VERSION)
        self._window.resize(self._size())

    def _file(self) -> QSettings:
        return QSettings(str(paths.config_dir() / "window.ini"), QSettings.Format.IniFormat)

    def _size(self) -> QSize:
        return QSize(grid(SIZE[0]), grid(SIZE[1])).boundedTo(self._window.screen().availableGeometry().size())
