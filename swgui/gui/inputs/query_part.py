"""Which part of the queries is searched: a field, and a picture on which it is dragged."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.errors import SwguiError
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.gui.inputs.query_picture import QueryPicture
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import line_edit, text_label


class QueryPart(QWidget):
    """Asks for the part.

    Signals
    -------
    changed()
        Another part, or none, was chosen by the user.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPart")
        self._records: Sequence[SequenceRecord] = ()
        self.value: QueryRange | None = None
        self._error = ""
        tip = (
            "Search with a part of every query alone, as in 10-250, counted from 1; empty for all of it. "
            "Positions in the results stay those of the whole query"
        )
        self.field = line_edit("queryRange", tip, hint="all", edited=self._typed, width=14, clear=True)
        self.field.textChanged.connect(lambda text: None if text else self._typed())  # its button clears it
        self.picture = QueryPicture()
        self.picture.chosen.connect(self._dragged)
        label = text_label("Search residues", buddy=self.field)
        in_row((self.picture, 1), label, self.field, parent=self)

    @property
    def problem(self) -> str:
        """Why this part cannot be searched, as a sentence; empty if it can."""
        if self._error or self.value is None:
            return self._error
        try:
            for record in self._records:
                self.value.check(record)
        except SwguiError as error:
            return str(error)
        return ""

    def show_queries(self, records: Sequence[SequenceRecord]) -> None:
        """Show the first of the queries that are searched with; the part stays."""
        self._records = records
        self._show()

    def choose(self, part: QueryRange | None) -> None:
        """Choose a part, or None for whole queries."""
        self.value, self._error = part, ""
        text = str(part) if part is not None else ""
        if self.field.text() != text:
            self.field.blockSignals(True)
            self.field.setText(text)
            self.field.blockSignals(False)
        self._show()
        self.changed.emit()

    def _dragged(self, part: QueryRange | None) -> None:
        self.choose(part)

    def _typed(self, *_text: str) -> None:
        try:
            self.value, self._error = QueryRange.read(self.field.text()), ""
        except SwguiError as error:
            self.value, self._error = None, str(error)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self.setVisible(bool(self._records))
        set_role(self.field, invalid=bool(self.problem))
        self.picture.show_query(self._records[0] if self._records else None, self.value)
