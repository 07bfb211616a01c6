"""The head of the results page: query, database, settings, time and device, and whether the result is complete."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Signal
from PySide6.QtWidgets import QFrame, QWidget

from swgui.core.hits.results import SearchResult
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel, WrappedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row, turn
from swgui.gui.kit.widgets import described, make_menu, push_button
from swgui.gui.results.summary import (
    how_it_was_searched,
    is_resumable,
    what_is_missing,
    what_was_found,
    what_was_searched,
)


def _line(name: str, level: str = "") -> ElidedLabel:
    line = described(ElidedLabel(), name)
    theme.set_role(line, level=level)
    return line


class ResultHeader(QFrame):
    """The strip on top of the page."""

    export_wanted = Signal()  # the export dialog should open
    resume_wanted = Signal(str)  # resume the run with this id, whose result is partial

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("resultHeader")
        self._run_id = ""
        theme.set_role(self, role="strip")
        self.title = _line("resultTitle", "title")
        self.found = described(WrappedLabel(), "resultFound")
        self.information = described(WrappedLabel(), "resultInformation")
        theme.set_role(self.information, level="muted")
        self.again_button = push_button("searchAgain", "Find distant relatives…", role="primary")
        self.more_menu = make_menu("resultMoreMenu", self)
        tip = "Copy, print, how this was done, look deeper"
        self.more_button = push_button("resultMore", "⋯", tip, accessible="More about this result")
        self.more_button.setMenu(self.more_menu)
        tip = "Write hits, alignments or sequences to a file"
        self.export_button = push_button("resultExport", "Export…", tip, self.export_wanted, icon="export")
        self.note_text = described(WrappedLabel(), "partialText")
        self.note = described(QFrame(), "partialNote")
        theme.set_role(self.note, role="note", tone="warning")
        tip = "Score the missing subjects; the run is then complete, under the same name"
        self.resume_button = push_button("resultResume", "Resume", tip, self._resume, icon="play")
        in_row((self.note_text, 1), self.resume_button, margins=(1, 0.75, 1, 0.75), parent=self.note)
        texts = in_column(self.title, self.found, self.information, spacing=0.25)
        buttons = FlowRow.of(self.again_button, self.export_button, self.more_button)
        self._top = in_row((texts, 1), buttons)
        self._lines = in_column(self._top, self.note, margins=(1.5, 1, 1.5, 1), spacing=0.75, parent=self)

    def set_narrow(self, narrow: bool) -> None:
        """Put the buttons below the sentences, or next to them."""
        turn(self._top, narrow)

    def hasHeightForWidth(self) -> bool:
        """Use the height of all lines as the minimum.

        The height of a page at a given width is the preferred height of its parts: the page would scroll long before
        they reach their minimum.
        """
        return False

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        if self._lines.hasHeightForWidth():
            hint.setHeight(self._lines.heightForWidth(self.width()))
        return hint

    def event(self, event: QEvent) -> bool:
        """Keep all lines of the note in sight."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            lines = self._lines
            self.setMinimumHeight(lines.heightForWidth(self.width()) if lines.hasHeightForWidth() else 0)
        return super().event(event)

    def _resume(self) -> None:
        self.resume_button.setEnabled(False)
        self.resume_wanted.emit(self._run_id)

    def show_found(self, result: SearchResult, significance: float, alignments: int = 0) -> None:
        """Show the number of hits; parameters as of `what_was_found`."""
        self.found.set_text(what_was_found(result, significance, alignments))

    def show_result(self, result: SearchResult, significance: float) -> None:
        """Show query, database, settings and number of hits; a note names missing parts."""
        self._run_id = result.run_id
        self.resume_button.setVisible(is_resumable(result) and bool(result.run_id))
        self.resume_button.setEnabled(True)
        checksum = f"\nDatabase checksum {result.database.checksum}" if result.database.checksum else ""
        self.show_found(result, significance)
        statistics = f"\nE-values: {result.statistics}" if result.statistics else ""
        self.title.set_text(what_was_searched(result), how_it_was_searched(result) + statistics + checksum)
        self.information.set_text(result.information)
        self.information.setVisible(bool(result.information))
        missing = what_is_missing(result)
        self.note_text.set_text(missing)
        self.note.setVisible(bool(missing))
