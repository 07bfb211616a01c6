"""Fields below their titles, in one row or, where there is less room, in several."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QWidget

from swgui.gui.kit.theme import arrange
from swgui.gui.kit.widgets import text_label

PER_ROW_NARROW = 3


class FieldGrid(QGridLayout):
    """A layout of titled fields; all of them stand in one row at first.

    Parameters
    ----------
    fields : sequence of (str, QWidget, int)
        Title, field, and how much its column stretches.
    """

    def __init__(self, fields: Sequence[tuple[str, QWidget, int]]) -> None:
        super().__init__()
        arrange(self, 0, (2, 0.5))
        self._fields = [(text_label(text, level="small", buddy=field), field, share) for text, field, share in fields]
        self.set_narrow(False)

    def set_narrow(self, narrow: bool) -> None:
        """Put the fields in rows of three, or in one row."""
        per_row = PER_ROW_NARROW if narrow else len(self._fields)
        for place, (label, field, share) in enumerate(self._fields):
            row, column = divmod(place, per_row)
            self.addWidget(label, 2 * row, column)
            self.addWidget(field, 2 * row + 1, column)
            if row == 0:
                self.setColumnStretch(column, share)
        for column in range(per_row, len(self._fields)):
            self.setColumnStretch(column, 0)

    def show_field(self, wanted: QWidget, on: bool) -> None:
        for label, field, _ in self._fields:
            if field is wanted:
                label.setVisible(on)
                field.setVisible(on)
