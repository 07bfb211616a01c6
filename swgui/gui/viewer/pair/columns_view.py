"""The pair view for alignments of any length: a window of columns that moves along where one scrolls to its end."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.records import SequenceRecord
from swgui.gui.viewer.pair.columns import PairColumns
from swgui.gui.viewer.pair.layout import EMPTY
from swgui.gui.viewer.pair.view import PairView

WINDOW = 16_000  # columns in the layout at a time


class PairColumnsView(PairView):
    """Shows some columns of a long alignment at a time."""

    column_chosen = Signal(int)  # the cursor was moved to a column of the alignment, as `PairColumns` counts them

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._columns: PairColumns | None = None
        self._start = 0  # first column of the layout
        self._shifting = False
        self._quiet = False
        self.verticalScrollBar().valueChanged.connect(self._scrolled)

    @property
    def columns(self) -> PairColumns | None:
        return self._columns

    @property
    def first_column(self) -> int:
        return self._start

    def show_columns(self, columns: PairColumns | None, query: SequenceRecord, subject: SequenceRecord) -> None:
        """Show another alignment from its beginning, or nothing."""
        self._columns, self._start = columns, 0
        self._records = (query, subject) if columns is not None else None
        self._begin()

    def go_to(self, column: int) -> None:
        """Put the cursor on a column of the alignment, in the middle of what is seen where it was not."""
        if self._columns is None or not len(self._columns):
            return
        column = min(max(column, 0), len(self._columns) - 1)
        if not self._start + self._width <= column < self._start + len(self._layout) - self._width:
            self._lay_out_around(self._columns, column)
        self._quiet = True
        try:
            self.select(column - self._start, column - self._start + 1)
        finally:
            self._quiet = False

    @property
    def chosen_column(self) -> int | None:
        return self._start + self._cursor if self._columns is not None and self._cursor >= 0 else None

    @property
    def copied_columns(self) -> tuple[int, int]:
        """Columns of the alignment that `selected_text` writes: those selected, else all of the layout."""
        chosen, columns = self.selection(), len(self._layout)
        start, stop = chosen if chosen is not None and chosen[1] - chosen[0] > 1 else (0, columns)
        return self._start + start, self._start + stop

    def selected_text(self, form: str = "numbered") -> str:
        """Return the selected columns as text; with only the cursor, all columns of the layout around it."""
        anchor, cursor = self._anchor, self._cursor
        if anchor == cursor:
            self._anchor = self._cursor = -1
        try:
            return super().selected_text(form)
        finally:
            self._anchor, self._cursor = anchor, cursor

    def _lay_out(self) -> None:
        columns = self._columns
        self._layout = columns.window(self._start, self._start + WINDOW) if columns is not None else EMPTY
        self._restyle()
        self.fit()

    def _lay_out_around(self, columns: PairColumns, column: int) -> None:
        """Lay out a window with a column in its middle; lines begin at multiples of the width."""
        wanted = min(column - WINDOW // 2, len(columns) - WINDOW)
        start = max(0, -(-wanted // self._width) * self._width)
        moved = start - self._start
        if moved == 0:
            return
        line = self._block_height()
        offset = self.verticalScrollBar().value() - moved / self._width * line
        self._start = start
        if self._cursor >= 0:
            self._anchor, self._cursor = self._anchor - moved, self._cursor - moved
            if not 0 <= self._cursor < WINDOW:
                self._anchor = self._cursor = -1
        self._shifting = True
        try:
            self._lay_out()
            self.verticalScrollBar().setValue(round(offset))
        finally:
            self._shifting = False

    def _scrolled(self, value: int) -> None:
        """Move the window along when its first or last line is reached."""
        if self._shifting or self._columns is None:
            return
        bar = self.verticalScrollBar()
        before = value == bar.minimum() and self._start > 0
        behind = value == bar.maximum() and self._start + len(self._layout) < len(self._columns)
        if before or behind:
            line = int(value // self._block_height())
            self._lay_out_around(self._columns, self._start + line * self._width)

    def _moved(self) -> None:
        super()._moved()
        if not self._quiet and self.chosen_column is not None:
            self.column_chosen.emit(self.chosen_column)
