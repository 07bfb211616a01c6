"""Base of all dialogs."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QDialog, QPushButton, QWidget

from swgui.gui.kit.theme import grid


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


def fit_dialog(dialog: QDialog, width: float, height: float) -> None:
    """Make any dialog as large as `Dialog.fit` does."""
    room = dialog.screen().availableSize()
    wanted = grid(height) if height else dialog.sizeHint().height()
    dialog.resize(min(grid(width), room.width() - grid(2)), min(wanted, room.height() - grid(4)))
