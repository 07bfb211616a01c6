"""Base of all dialogs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from swgui.gui.kit.layouts import in_column, in_row, scrolling
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import push_button


class Dialog(QDialog):
    """A dialog that fits its screen, and that is deleted once it is closed.

    Parameters
    ----------
    size : (float, float), optional
        In grid units; by default the size that the parts of the dialog need.
    """

    def __init__(
        self, name: str, title: str, parent: QWidget | None = None, *, size: tuple[float, float] | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if size is not None:
            self.fit(*size)

    def showEvent(self, event: QShowEvent) -> None:
        """Let Return press the default button, wherever the cursor is.

        Qt accepts a default button only if it is already in the dialog; otherwise it
        makes the first button of the dialog the default one.
        """
        for button in self.findChildren(QPushButton):
            if button.isDefault():
                button.setDefault(False)
                button.setDefault(True)
        super().showEvent(event)

    def fit(self, width: float, height: float) -> None:
        """Resize, in grid units, at most to the screen; a height of 0 is the height of the parts."""
        fit_dialog(self, width, height)


class Sheet(QDialog):
    """Shows settings of a page, one part below the other; changes apply at once, and it is kept when it is closed.

    Parameters
    ----------
    parts : sequence of QWidget
        The first one takes the room that is left.
    narrow : callable
        Told whether the sheet is narrow, before it is shown.
    """

    def __init__(
        self, name: str, title: str, parts: Sequence[QWidget], narrow: Callable[[bool], object], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWindowTitle(title)
        self._narrow = narrow
        close = push_button(f"{name}Close", "Close", does=self.reject)
        self._inside = QWidget()
        in_column((parts[0], 1), *parts[1:], spacing=1, parent=self._inside)
        self._foot = in_row(1, close, margins=(2, 1, 2, 1))
        self._area = scrolling(self._inside)
        in_column((self._area, 1), self._foot, parent=self)

    def open(self) -> None:
        """Show the sheet as large as it needs, and the screen allows."""
        room = self.screen().availableSize()
        width = min(grid(110), room.width() - grid(4))
        self._narrow(width < grid(80))
        needs = self._inside.heightForWidth(width) + self._foot.sizeHint().height() + grid(1)
        self.resize(width, min(max(needs, grid(40)), room.height() - grid(6)))
        self._area.verticalScrollBar().setValue(0)
        super().open()
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)


def fit_dialog(dialog: QDialog, width: float, height: float) -> None:
    """Make any dialog as large as `Dialog.fit` does."""
    room = dialog.screen().availableSize()
    wanted = grid(height) if height else dialog.sizeHint().height()
    dialog.resize(min(grid(width), room.width() - grid(2)), min(wanted, room.height() - grid(4)))
