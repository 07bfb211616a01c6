"""A field for one setting of a method, wherever methods can be set."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from swgui.core.methods.base import AUTO, Setting
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import described, shrinkable

AUTOMATIC = "automatic"
TEXT_MARGIN = 2  # pixels that Qt leaves next to the text of an editable box, and not of others


class SettingField(QComboBox):
    """A number or a name that may be left automatic; `width` is in grid units."""

    set_to = Signal(str)  # an allowed value was chosen, or typed and left; ``auto`` for automatic
    edited = Signal()  # something was chosen or typed, allowed or not

    def __init__(self, name: str, setting: Setting, value: str, width: float = 14) -> None:
        super().__init__()
        self.setting = setting
        self.setEditable(not setting.names and not setting.listed)
        self.addItem(AUTOMATIC, AUTO)
        for choice in setting.names or [str(number) for number in setting.values]:
            self.addItem(choice, choice)
        described(self, name, f"{setting.help} It may be {setting.allowed}.", setting.title)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        shrinkable(self, width)
        self.show_value(value)
        self.activated.connect(self._take)
        if line := self._line:
            line.editingFinished.connect(self._take)
            line.textEdited.connect(self._edited)
            line.setTextMargins(-TEXT_MARGIN, 0, 0, 0)

    def show_value(self, value: str) -> None:
        """Show an allowed value without a signal."""
        index = self.findData(value)
        if index >= 0:
            self.setCurrentIndex(index)
        else:
            self.setEditText(value)
        self._show_problem()

    @property
    def value(self) -> str:
        """Text of the field, allowed or not; ``auto`` if it is empty."""
        text = self.currentText().strip().lower().replace(",", "")
        return AUTO if text in ("", AUTOMATIC, AUTO) else text

    @property
    def problem(self) -> str:
        """Why its value cannot be used, as one sentence; empty if it can."""
        if self.setting.allows(self.value):
            return ""
        return f"{self.setting.title} cannot be '{self.value}': it takes {self.setting.allowed}, or automatic."

    @property
    def _line(self) -> QLineEdit | None:
        return self.lineEdit()

    def _show_problem(self) -> None:
        parts: list[QWidget] = [self, *([self._line] if self._line else [])]
        for part in parts:
            set_role(part, invalid=bool(self.problem))

    def _edited(self, *_: object) -> None:
        self._show_problem()
        self.edited.emit()

    def _take(self, *_: object) -> None:
        self._edited()
        if not self.problem:
            self.set_to.emit(self.value)
