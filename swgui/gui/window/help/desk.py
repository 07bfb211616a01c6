"""The Help menu: help of the page, documentation, tour, keys, what the program is."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QWhatsThis, QWidget

from swgui import paths
from swgui.gui.window.frame import Frame
from swgui.gui.window.help import dialog as help_texts
from swgui.gui.window.help.tour import Tour
from swgui.gui.window.messages.notifications import Notifications
from swgui.gui.window.palette import CommandPalette
from swgui.settings import Settings


class HelpDesk(QObject):
    """The commands that explain.

    Parameters
    ----------
    window : Frame
        Has the widgets the tour points at.
    settings : Settings
        Where the tour's step and the user's keys are kept.
    notifications : Notifications
    """

    def __init__(self, window: Frame, settings: Settings, notifications: Notifications) -> None:
        super().__init__(window)
        self._window = window
        self._settings = settings
        self._notifications = notifications
        self.tour = Tour(window, settings)

    def explain_tips(self, part: QWidget) -> None:
        """Make every tool tip of a part of the window reachable by Shift+F1."""
        for widget in part.findChildren(QWidget):
            if widget.toolTip() and not widget.whatsThis():
                widget.setWhatsThis(widget.toolTip())

    def show_help(self) -> help_texts.HelpDialog:
        """Open the help of the page that is shown, and return it."""
        window = self._window
        dialog = help_texts.HelpDialog(window.actions_table, window.pages.records[window.page].help, window)
        dialog.documentation_wanted.connect(self.open_documentation)
        dialog.open()
        return dialog

    def show_documentation(self) -> None:
        """Open the documentation at its first page."""
        self.open_documentation("index")

    def open_documentation(self, name: str) -> None:
        """Open a page of the documentation, without a network: in the browser, or its text in a window."""
        index = paths.documentation()
        if index is None:
            self._notifications.post(
                "info", "The documentation is not in this installation.", "F1 has the help of every page."
            )
            return
        page = _page(index, name)
        if page.suffix == ".html":
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))
        else:
            help_texts.DocumentDialog(page, self._window).open()

    def start_tour(self) -> None:
        """Begin the guided tour, or go on where it was left."""
        self.tour.start()

    def show_palette(self) -> None:
        """Open the command palette."""
        palette = CommandPalette(self._window.actions_table, self._window)
        palette.open()
        palette.box.setFocus()

    def whats_this(self) -> None:
        """Explain what is clicked on next."""
        QWhatsThis.enterWhatsThisMode()

    def copy_report(self) -> None:
        """Copy a fault report."""
        QGuiApplication.clipboard().setText(self._notifications.report())
        self._notifications.post(
            "success", "The report was copied.", "It holds versions, devices and the log; no sequences."
        )

    def show_about(self) -> None:
        """Say what the program is."""
        help_texts.TextDialog("About swgui", help_texts.ABOUT, self._window, (70, 44)).open()


def _page(index: Path, name: str) -> Path:
    """Return a page beside the first one; the first one if it is not there."""
    page = index.with_name(f"{name}{index.suffix}")
    return page if page.is_file() else index
