"""What a page shows while it has nothing to show: why, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from swgui.gui.kit.buttons import push_button
from swgui.gui.kit.theme import arrange, set_icon, set_role

Offer = tuple[str, str, str, str, Callable[[], None], str]  # name, text, icon, tool tip, slot, role


class EmptyBox(QFrame):
    """A title, a sentence and the buttons that lead on, in the middle of a page.

    Parameters
    ----------
    name : str
        Of this object.
    title, text : str
        What is not there, and how it comes.
    buttons : sequence of QPushButton
    """

    def __init__(
        self, name: str, title: str, text: str, buttons: Sequence[QPushButton], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        set_role(self, role="drop")
        head = QLabel(title)
        head.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        set_role(head, level="title")
        self.text = QLabel(text)
        self.text.setWordWrap(True)
        self.text.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        set_role(self.text, level="muted")
        words, row = QHBoxLayout(), QHBoxLayout()
        arrange(words, 0, 0)
        words.addStretch(1)
        words.addWidget(self.text, 3)
        words.addStretch(1)
        arrange(row, 0, 1)
        row.addStretch(1)
        for button in buttons:
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        arrange(layout, 3, 1.5)
        layout.addStretch(2)
        layout.addWidget(head)
        layout.addLayout(words)
        layout.addLayout(row)
        layout.addStretch(3)


def offers(where: str, table: Sequence[Offer]) -> list[QPushButton]:
    """Return buttons of a table; `where` begins their names."""
    made = []
    for name, text, icon, tip, slot, role in table:
        button = push_button(f"{where}{name}", text, tip, lambda _on=False, slot=slot: slot())
        if role:
            set_role(button, role=role)
        else:
            set_icon(button, icon)
        made.append(button)
    return made
