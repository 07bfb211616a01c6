"""The rail on the left: one button per page."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QScrollArea, QSizePolicy, QToolButton, QWidget

from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.theme import grid, set_role
from swgui.gui.kit.widgets import tool_button


class Rail(QScrollArea):
    """As wide as its buttons, and scrolling where large text leaves no room for all of them.

    Parameters
    ----------
    pages : iterable of (str, str, str)
        Name, title and icon of each page, from top to bottom.

    Signals
    -------
    chosen(str)
        Name of the page whose button was pressed.
    """

    chosen = Signal(str)

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
        """Mark the button of a page."""
        self.buttons[name].setChecked(True)
        self.ensureWidgetVisible(self.buttons[name])

    def restyle(self) -> None:
        """Follow the text size."""
        for button in self.buttons.values():
            button.setIconSize(QSize(grid(3), grid(3)))
            button.setMinimumSize(grid(10), grid(7.5))

    def sizeHint(self) -> QSize:
        """Ask for the width of the buttons."""
        return QSize(self._strip.minimumSizeHint().width(), self._strip.sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Do with the height of one button."""
        return QSize(self._strip.minimumSizeHint().width(), grid(8))
