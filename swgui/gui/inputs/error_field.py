"""A field of a form: label, control, and the error of its value below them."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import text_label


class ErrorField(QWidget):
    """Holds a control below its label; classes made of it read and show its value."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        self._error = text_label(name=f"{name}-error", tone="danger", wrap=True, plain=True)
        self._error.hide()

    def hold(self, control: QWidget, label: str) -> QLabel:
        """Place the control below its label, which is returned; a check box has its own and takes an empty one."""
        self._held = control
        title = text_label(label or " ", level="small")
        in_column(title, control, self._error, margins=(0, 0, 1.5, 0.5), spacing=0.5, parent=self)
        return title

    def show_error(self, text: str) -> None:
        """Show an error; hide it for an empty text."""
        self._error.setText(text)
        self._error.setVisible(bool(text))
        if isinstance(self._held, QLineEdit):
            set_role(self._held, invalid=bool(text))
        self.updateGeometry()
