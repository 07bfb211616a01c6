"""What a page shows while it has nothing to show: why, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import push_button, text_label

Offer = tuple[str, str, str, str, Callable[[], None], str]  # name, text, icon, tool tip, slot, role


class EmptyBox(QFrame):
    """A title, a sentence and the buttons that lead on, in the middle of a page."""

    def __init__(
        self, name: str, title: str, text: str, buttons: Sequence[QPushButton], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        set_role(self, role="drop")
        self.text = text_label(text, level="muted", wrap=True, centred=True)
        in_column(
            2,
            text_label(title, level="title", centred=True),
            in_row(1, (self.text, 3), 1, spacing=0),
            in_row(1, *buttons, 1),
            3,
            margins=3,
            spacing=1.5,
            parent=self,
        )


def offers(where: str, table: Sequence[Offer]) -> list[QPushButton]:
    """Return buttons of a table; `where` begins their names. Those with a role have no icon."""
    return [
        push_button(
            f"{where}{name}", text, tip, lambda _on=False, slot=slot: slot(), icon="" if role else icon, role=role
        )
        for name, text, icon, tip, slot, role in table
    ]
