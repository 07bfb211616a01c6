"""What the helpers of the window know of it."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow

from swgui.gui.window.actions import ActionTable
from swgui.gui.window.look import PageStack


class Frame(QMainWindow):
    """A window with pages and commands."""

    pages: PageStack
    actions_table: ActionTable

    @property
    def page(self) -> str:
        return self.pages.page

    def show_page(self, name: str) -> None:
        self.pages.show_page(name)
