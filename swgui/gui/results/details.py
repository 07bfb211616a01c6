"""The Details dock: every fact of the current hit, its star, and the user's note on it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QFormLayout, QLabel, QPlainTextEdit, QSizePolicy, QToolButton, QWidget

from swgui.core.hits.marks import LONGEST_NOTE, Kind
from swgui.core.hits.results import SearchResult
from swgui.core.links import Link
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.kit.browser import open_page
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Upright, in_column, in_form
from swgui.gui.kit.widgets import delayed, described, push_button, text_label, tool_button
from swgui.gui.results.marks import MarkStore
from swgui.gui.words import formatting
from swgui.io.export.columns import SUBJECT_COLUMNS

WRITTEN_MS = 800  # time after the last key until a note is saved
NO_HIT = "Choose a hit to see its details."

# Keys of the columns in their order; columns without a value are left out.
FACTS = (
    "accession", "organism", "gene", "slen", "rank", "score", "bitscore", "evalue", "zscore", "sstrand",
    "n_hsps", "total_score", "sum_evalue", "qcovs", "scovs", "pident", "ppos", "gaps", "length", "qcovhsp", "scovhsp",
    "qstart", "qend", "sstart", "send", "join",
)  # fmt: skip
PERCENT = ("pident", "ppos", "qcovhsp", "scovhsp", "qcovs", "scovs")


def has_one_strand(result: SearchResult) -> bool:
    """Whether proteins are compared, or bases of a single strand."""
    return result.translation is None and result.search.strand == "plus"


class DetailsPanel(QWidget):
    """Shows one hit."""

    explain_wanted = Signal()  # the user wants the derivation of the numbers
    left = Signal()  # Escape was pressed in the note: the keyboard goes back to the table

    def __init__(self, marks: MarkStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("detailsPanel")
        self._marks = marks
        self._data: HitData | None = None
        self._row = -1
        self.name = text_label(NO_HIT, "detailsName", level="heading", wrap=True, plain=True, selectable=True)
        self.title = text_label(name="detailsTitle", wrap=True, plain=True, selectable=True)
        self.verdict = text_label(name="detailsVerdict", wrap=True, plain=True, selectable=True)
        self.verdict.setToolTip(BY_KEY["verdict"].tool_tip())
        tip = "Give the hit a star, or take it off (S in the table)"
        self.star = self._switch("detailsStar", tip, lambda on: self._mark("starred", on))
        tip = "Hide the hit, or show it again (H in the table)"
        self.hide_button = self._switch("detailsHide", tip, lambda on: self._mark("hidden", on))
        tip = "The formulas behind the numbers of this hit"
        self.explain = push_button("detailsExplain", "How computed?", tip, self.explain_wanted, role="quiet")
        self.links = FlowRow()
        self.links.setAccessibleName("Pages about this subject")
        self._make_note()
        self._values: dict[str, QLabel] = {}
        self._facts = QWidget()
        self._form = in_form(spacing=0.5, parent=self._facts)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        for key in FACTS:
            self._add_fact(key)
        self._lay_out()
        marks.changed.connect(self._marks_changed)
        self._fit()
        self._show()

    def _make_note(self) -> None:
        self.note = described(
            QPlainTextEdit(),
            "detailsNote",
            "Kept with the search, shown in the column Note, and written by exports with this column",
            "Note about the current hit",
        )
        self.note.setPlaceholderText("Your note on this hit. Kept with the search.")
        self.note.setTabChangesFocus(True)
        self.note.installEventFilter(self)
        self._written = delayed(self, WRITTEN_MS, self.keep_note)
        self.note.textChanged.connect(self._written.start)

    def _lay_out(self) -> None:
        row = FlowRow()
        for button in (self.star, self.hide_button, self.explain):
            row.add(button)
        note = text_label("&Note", level="section", buddy=self.note)
        inner = QWidget()
        parts = (self.name, self.title, self.verdict, row, self.links, note, self.note, self._facts, 1)
        in_column(*parts, margins=(1.5, 1, 1.5, 1), parent=inner)
        in_column(Upright(inner, "detailsScroll"), spacing=0, parent=self)

    def _switch(self, name: str, tip: str, does: Callable[[bool], None]) -> QToolButton:
        button = tool_button(name, tip=tip, checkable=True)
        button.clicked.connect(does)  # not checked by the program
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _add_fact(self, key: str) -> None:
        column = BY_KEY[key]
        head = text_label(column.title, tip=column.tool_tip(), level="muted", wrap=True)
        value = text_label(name=f"details-{key}", wrap=True, plain=True, selectable=True, accessible=column.title)
        value.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._form.addRow(head, value)
        self._values[key] = value

    # What the page calls

    def show_hit(self, data: HitData | None, row: int) -> None:
        """Show a hit; the note on the one before is saved first."""
        self.keep_note()
        self._data, self._row = (data, row) if data is not None and row >= 0 else (None, -1)
        self._show()

    def refresh(self) -> None:
        """Show values that were computed since."""
        data, row = self._data, self._row
        self.verdict.setText(data.verdict(row) if data is not None else "")
        self.verdict.setVisible(data is not None)
        for place, (key, value) in enumerate(self._values.items()):
            text = data.text(row, BY_KEY[key]) if data is not None else ""
            if key == "rank" and data is not None:
                text = f"{row + 1:,} of {len(data):,}"
            alone = key in SUBJECT_COLUMNS and data is not None and data.how_many(row)[0] < 2
            strandless = key == "sstrand" and data is not None and has_one_strand(data.result)
            has_value = text not in ("", formatting.NOTHING) and not alone and not strandless
            if has_value and key in PERCENT:
                text += " %"
            self._form.setRowVisible(place, has_value)
            value.setText(text)

    def focus_note(self) -> None:
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.note.moveCursor(self.note.textCursor().MoveOperation.End)

    def keep_note(self) -> None:
        """Keep the note on the hit shown, at most `LONGEST_NOTE` characters."""
        self._written.stop()
        if self._about is not None:
            self._marks.write(*self._about, self.note.toPlainText().strip()[:LONGEST_NOTE])

    @property
    def _about(self) -> tuple[int, int] | None:
        return (self._data.query_index, self._data.subject(self._row)) if self._data is not None else None

    def _show(self) -> None:
        data, row = self._data, self._row
        header = data.header(row) if data is not None else None
        self.name.setText(header.name if header else NO_HIT)
        self.title.setText(header.title if header else "")
        self.title.setVisible(bool(self.title.text()))
        for widget in (self.star, self.hide_button, self.explain, self.note):
            widget.setEnabled(data is not None)
        self._show_links(header.links if header else ())
        self._show_marks()
        self._show_note()
        self.refresh()

    def _show_marks(self) -> None:
        about, marks = self._about, self._marks.marks
        self.star.setChecked(about is not None and marks.has("starred", *about))
        self.hide_button.setChecked(about is not None and marks.has("hidden", *about))
        self.star.setText("★ Star" if self.star.isChecked() else "☆ Star")  # not by colour alone
        self.hide_button.setText("Hidden" if self.hide_button.isChecked() else "Hide")

    def _show_note(self) -> None:
        note = self._marks.marks.note(*self._about) if self._about is not None else ""
        if note != self.note.toPlainText().strip():
            self.note.blockSignals(True)
            self.note.setPlainText(note)
            self.note.blockSignals(False)

    def _marks_changed(self, kind: str, query: int, subjects: Collection[int]) -> None:
        if self._about is not None and query == self._about[0] and self._about[1] in subjects:
            (self._show_note if kind == "note" else self._show_marks)()

    def _mark(self, kind: Kind, on: bool) -> None:
        if self._about is not None:
            query, subject = self._about
            self._marks.set(kind, query, [subject], on)

    def _show_links(self, links: Sequence[Link]) -> None:
        for button in self.links.widgets:
            self.links.take_away(button)
            button.deleteLater()
        for link in links:
            name = f"detailsLink-{link.name}"
            opens = partial(open_page, link.url)
            button = push_button(name, link.name, link.url, opens, icon="external", role="quiet")
            self.links.add(button)
            button.show()  # its row may be visible already
        self.links.setVisible(bool(links))

    def _fit(self) -> None:
        self.note.setFixedHeight(round(self.note.fontMetrics().height() * 5.5))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.note and event.type() == QEvent.Type.FocusOut:
            self.keep_note()
        pressed = event.key() if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress else None
        if watched is self.note and pressed == Qt.Key.Key_Escape:
            self.keep_note()
            self.left.emit()
            return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "note"):
            self.note.setFont(QApplication.font())
            self._fit()
