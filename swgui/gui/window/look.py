"""How the window looks: colours, size of text, full screen, layout."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QByteArray, QObject, QSettings, QSize, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QSplitter, QWidget

from swgui import paths
from swgui.gui.kit import motion
from swgui.gui.kit.theme import Theme, grid
from swgui.gui.window.layout.docks import PageDocks
from swgui.settings import Settings

VERSION = 1  # of docks and toolbar; a stored layout of another version is not restored
SIZE = (160, 108)  # of a new window, in grid units
FRAME = (2, 5)  # what a desktop puts around a window, in grid units at most
DOCK_SHARE = 0.28  # of the height of the window, for the dock below the pages, until the user drags its edge
DOCK_LOWEST, DOCK_USEFUL, DOCK_HIGHEST = 14, 30, 44  # grid units: progress alone, with curves, and the most of it


class LayoutMemory:
    """Remembers the layout of a window; made once the window has all its docks.

    A splitter is kept only if the user has moved it: the others stay as they are shipped, also by later versions.

    Parameters
    ----------
    at_need : QDockWidget
        A dock that shows itself when it is needed: it is hidden at every start.
    """

    def __init__(self, window: QMainWindow, at_need: QDockWidget) -> None:
        self._window = window
        self._at_need = at_need
        self._shipped = window.saveState(VERSION)
        self._splitters: dict[str, QSplitter] = {}
        self._as_shipped: dict[str, QByteArray] = {}
        self._ways: dict[str, Qt.Orientation] = {}
        self._moved: set[str] = set()
        self._to_be_sized = False
        at_need.visibilityChanged.connect(self._share_height)
        self.adopt(window)

    def adopt(self, part: QWidget) -> None:
        """Put the splitters of a part of the window that was just made as they were left, and keep them from now on."""
        file = self._file()
        for splitter in part.findChildren(QSplitter):
            name = splitter.objectName()
            if not name or name in self._splitters:
                continue
            self._splitters[name] = splitter
            self._as_shipped[name], self._ways[name] = splitter.saveState(), splitter.orientation()
            splitter.splitterMoved.connect(lambda *_place, name=name: self._note(name))
            kept = file.value(f"splitters/{name}")
            if isinstance(kept, QByteArray):
                self._put(name, kept)

    def save(self) -> None:
        """Write size, docks and splitters."""
        file = self._file()
        file.setValue("ui/geometry", self._window.saveGeometry())
        file.setValue("ui/state", self._window.saveState(VERSION))
        file.setValue("ui/docksSized", "no" if self._to_be_sized else "yes")
        for name in self._moved:
            if self._splitters[name].orientation() == self._ways[name]:
                file.setValue(f"splitters/{name}", self._splitters[name].saveState())
        file.sync()

    def restore(self) -> None:
        """Put the window as it was left; as shipped where nothing usable is stored."""
        file, window = self._file(), self._window
        geometry, state = file.value("ui/geometry"), file.value("ui/state")
        if not (isinstance(geometry, QByteArray) and window.restoreGeometry(geometry)):
            window.resize(self._size())
        restored = isinstance(state, QByteArray) and window.restoreState(state, VERSION)
        self._to_be_sized = not (restored and file.value("ui/docksSized") == "yes")
        self._at_need.hide()
        for dock in window.findChildren(QDockWidget):
            dock.setFloating(False)  # a screen that is gone must not take a dock with it

    def reset(self) -> None:
        self._window.restoreState(self._shipped, VERSION)
        self._window.resize(self._size())
        self._to_be_sized = True
        self._moved.clear()
        self._file().remove("splitters")
        for name, shipped in self._as_shipped.items():
            if self._splitters[name].orientation() == self._ways[name]:
                self._put(name, shipped)

    def _note(self, name: str) -> None:
        """Keep a splitter that was moved; below each other in a narrow window, parts have sizes of the moment."""
        if self._splitters[name].orientation() == self._ways[name]:
            self._moved.add(name)

    def _put(self, name: str, state: QByteArray) -> None:
        splitter = self._splitters[name]
        width, way = splitter.handleWidth(), splitter.orientation()
        splitter.restoreState(state)
        splitter.setHandleWidth(width)
        splitter.setOrientation(way)

    def _share_height(self, shown: bool) -> None:
        """Leave the pages most of the height when the dock below them first comes, more where curves do not fit."""
        if not (shown and self._to_be_sized):
            return
        self._to_be_sized = False
        share = min(round(DOCK_SHARE * self._window.height()), grid(DOCK_HIGHEST))
        height = share if share >= grid(DOCK_USEFUL) else grid(DOCK_LOWEST)
        self._window.resizeDocks([self._at_need], [height], Qt.Orientation.Vertical)

    def _file(self) -> QSettings:
        return QSettings(str(paths.config_dir() / "window.ini"), QSettings.Format.IniFormat)

    def _size(self) -> QSize:
        room = self._window.screen().availableGeometry().size() - QSize(grid(FRAME[0]), grid(FRAME[1]))
        return QSize(grid(SIZE[0]), grid(SIZE[1])).boundedTo(room)


class Look(QObject):
    """The commands of the View menu that are about the whole window.

    Parameters
    ----------
    at_need : QDockWidget
        A dock that shows itself when it is needed: it is hidden at every start.
    page_docks : PageDocks
        Those that are put away count as open.
    """

    theme_chosen = Signal(str)  # ``system``, ``light`` or ``dark``

    def __init__(
        self, window: QMainWindow, theme: Theme, settings: Settings, at_need: QDockWidget, page_docks: PageDocks
    ) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._settings = settings
        self._at_need = at_need
        self._page_docks = page_docks
        self._memory: LayoutMemory | None = None

    def restore(self) -> None:
        """Put the window as it was left; called once, when it has all its docks."""
        self._memory = LayoutMemory(self._window, self._at_need)
        self._memory.restore()

    def adopt(self, part: QWidget) -> None:
        """Put a part of the window that was just made as it was left."""
        if self._memory is not None:
            self._memory.adopt(part)

    def save(self) -> None:
        if self._memory is not None:
            self._page_docks.bring_back()
            self._memory.save()

    def use_theme(self, mode: Literal["system", "light", "dark"]) -> None:
        self._settings.display.theme = mode
        self._theme.use(mode)
        self.theme_chosen.emit(self._theme.mode)

    def step_text(self, step: int) -> None:
        """Make all text larger (+1) or smaller (-1)."""
        self._settings.display.text_scale = self._theme.step_scale(step)
        self._window.statusBar().showMessage(f"Text size {self._theme.scale} %", 3000)

    def reset_text(self) -> None:
        self._settings.display.text_scale = 100
        self._theme.use(scale=100)

    def set_full_screen(self, on: bool) -> None:
        """Use the whole screen or not."""
        self._window.showFullScreen() if on else self._window.showNormal()

    def reduce_motion(self, on: bool) -> None:
        """Let nothing blink or run through."""
        self._settings.display.reduced_motion = on
        motion.reduce(on)

    def reset_layout(self) -> None:
        if self._memory is not None:
            self._page_docks.forget()
            self._memory.reset()
