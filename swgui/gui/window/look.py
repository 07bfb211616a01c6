"""How the window looks: colours, size of text, full screen, layout."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QWidget

from swgui.gui.kit import motion
from swgui.gui.kit.theme import Theme
from swgui.gui.window.layout.docks import PageDocks
from swgui.gui.window.layout.memory import LayoutMemory
from swgui.settings import Settings


class Look(QObject):
    """The commands of the View menu that are about the whole window.

    Parameters
    ----------
    window : QMainWindow
    theme : Theme
    settings : Settings
    at_need : QDockWidget
        A dock that shows itself when it is needed: it is hidden at every start.
    page_docks : PageDocks
        Those that are put away count as open.

    Signals
    -------
    theme_chosen(str)
        ``system``, ``light`` or ``dark``.
    """

    theme_chosen = Signal(str)

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
        """Remember the layout for the next start."""
        if self._memory is not None:
            self._page_docks.bring_back()
            self._memory.save()

    def use_theme(self, mode: Literal["system", "light", "dark"]) -> None:
        """Change the colours."""
        self._settings.display.theme = mode
        self._theme.use(mode)
        self.theme_chosen.emit(self._theme.mode)

    def step_text(self, step: int) -> None:
        """Make all text larger (+1) or smaller (-1)."""
        self._settings.display.text_scale = self._theme.step_scale(step)
        self._window.statusBar().showMessage(f"Text size {self._theme.scale} %", 3000)

    def reset_text(self) -> None:
        """Give text its usual size."""
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
        """Put docks and size back as shipped."""
        if self._memory is not None:
            self._page_docks.forget()
            self._memory.reset()
