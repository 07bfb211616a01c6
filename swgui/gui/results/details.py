"""The Details dock: everything known of the current hit, its star, and what the user writes about it."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from swgui.core.hits.marks import LONGEST_NOTE, Kind
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.hits.data import HitData
from swgui.gui.kit import theme
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.translation import tr
from swgui.gui.kit.widgets import push_button
from swgui.gui.results.marks import MarkStore
from swgui.gui.words import formatting

WRITTEN_MS = 800  # after the last key a note is taken over
NO_HIT = "Choose a hit to see all that is known of it."

# What stands one below the other: keys of columns; those without a value are left out.
FACTS = (
    "accession", "organism", "gene", "slen", "rank", "score", "bitscore", "evalue", "evalue_fit", "zscore", "sstrand",
    "pident", "ppos", "gaps", "length", "qcovhsp", "scovhsp", "qstart", "qend", "sstart", "send",
)  # fmt: skip
PERCENT = ("pident", "ppos", "qcovhsp", "scovhsp")


class DetailsPanel(QWidget):
    """Shows one hit.

    Parameters
    ----------
    marks : MarkStore

    Signals
    -------
    explain_wanted()
        The numbers should be derived.
    left()
        Escape was pressed in the note: the keyboard goes back to the table.
    """

    explain_wanted = Signal()
    left = Signal()

    def __init__(self, marks: MarkStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("detailsPanel")
        self._marks = marks
        self._data: HitData | None = None
        self._row = -1
        self.name = QLabel(NO_HIT)
        self.name.setObjectName("detailsName")
        self.title = QLabel()
        self.title.setObjectName("detailsTitle")
        for label, level in ((self.name, "heading"), (self.title, "")):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            theme.set_role(label, level=level)
        self.star = self._switch("detailsStar", "Give the hit a star, or take it off (S in the table)")
        self.star.clicked.connect(lambda on: self._mark("starred", on))
        self.hide_button = self._switch("detailsHide", "Put the hit aside, or show it again (H in the table)")
        self.hide_button.clicked.connect(lambda on: self._mark("hidden", on))
        self.entry = self._button("detailsEntry", "Open entry", "Open the page of this entry at its database")
        self.entry.clicked.connect(self._open_entry)
        self.explain = self._button("detailsExplain", "How computed?", "The formulas behind the numbers of this hit")
        self.explain.clicked.connect(self.explain_wanted)
        row = FlowRow()
        for button in (self.star, self.hide_button, self.entry, self.explain):
            row.add(button)
        note = QLabel("&Note")
        theme.set_role(note, level="section")
        self.note = QPlainTextEdit()
        self.note.setObjectName("detailsNote")
        self.note.setAccessibleName("Note about the current hit")
        self.note.setPlaceholderText("What you want to remember of this hit. Kept with the search.")
        self.note.setToolTip("Kept with the search, shown in the column Note, and written by exports that ask for it")
        self.note.setTabChangesFocus(True)
        self.note.installEventFilter(self)
        note.setBuddy(self.note)
        self._facts = QWidget()
        self._form = QFormLayout(self._facts)
        theme.arrange(self._form, 0, 0.5)
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        inner = QWidget()
        column = QVBoxLayout(inner)
        theme.arrange(column, (1.5, 1, 1.5, 1), 1)
        for widget in (self.name, self.title, row, note, self.note, self._facts):
            column.addWidget(widget)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setObjectName("detailsScroll")
        scroll.setWidgetResizable(True)
        scroll.setWidget(inner)
        layout = QVBoxLayout(self)
        theme.arrange(layout, 0, 0)
        layout.addWidget(scroll)
        self._values: dict[str, QLabel] = {}
        for key in FACTS:
            self._add_fact(key)
        self._written = QTimer(self)
        self._written.setSingleShot(True)
        self._written.setInterval(WRITTEN_MS)
        self._written.timeout.connect(self.keep_note)
        self.note.textChanged.connect(self._written.start)
        marks.changed.connect(self._marks_changed)
        self._fit()
        self._show()

    def _switch(self, name: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setToolTip(tip)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        return button

    def _button(self, name: str, text: str, tip: str) -> QPushButton:
        return push_button(name, text, tip, role="quiet")

    def _add_fact(self, key: str) -> None:
        column = BY_KEY[key]
        head, value = QLabel(tr(column.title)), QLabel()
        head.setToolTip(column.tool_tip(tr))
        theme.set_role(head, level="muted")
        value.setObjectName(f"details-{key}")
        value.setAccessibleName(tr(column.title))
        value.setTextFormat(Qt.TextFormat.PlainText)
        value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        value.setWordWrap(True)
        value.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self._form.addRow(head, value)
        self._values[key] = value

    # What the page tells

    def show_hit(self, data: HitData | None, row: int) -> None:
        """Show a hit; what was written about the one before is taken over."""
        self.keep_note()
        self._data, self._row = (data, row) if data is not None and row >= 0 else (None, -1)
        self._show()

    def refresh(self) -> None:
        """Show values that have arrived since."""
        data, row = self._data, self._row
        for place, (key, value) in enumerate(self._values.items()):
            text = data.text(row, BY_KEY[key]) if data is not None else ""
            if key == "rank" and data is not None:
                text = f"{row + 1:,} of {len(data):,}"
            known = text not in ("", formatting.NOTHING)
            if known and key in PERCENT:
                text += " %"
            self._form.setRowVisible(place, known)
            value.setText(text)

    def focus_note(self) -> None:
        """Go to the note."""
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.note.moveCursor(self.note.textCursor().MoveOperation.End)

    def keep_note(self) -> None:
        """Take over what was written."""
        self._written.stop()
        if self._about is not None:
            self._marks.write(*self._about, self.note.toPlainText().strip()[:LONGEST_NOTE])

    @property
    def _about(self) -> tuple[int, int] | None:
        """Query and subject (source index) shown; None for none."""
        return (self._data.query_index, self._data.subject(self._row)) if self._data is not None else None

    def _show(self) -> None:
        data, row = self._data, self._row
        header = data.header(row) if data is not None else None
        self.name.setText(header.name if header else NO_HIT)
        self.title.setText(header.title if header else "")
        self.title.setVisible(bool(self.title.text()))
        for widget in (self.star, self.hide_button, self.explain, self.note):
            widget.setEnabled(data is not None)
        self.entry.setEnabled(bool(header and header.url))
        self.entry.setText(f"Open at {header.source}" if header and header.url else "Open entry")
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

    def _open_entry(self) -> None:
        if self._data is not None:
            QDesktopServices.openUrl(QUrl(self._data.header(self._row).url))

    def _fit(self) -> None:
        self.note.setFixedHeight(round(self.note.fontMetrics().height() * 5.5))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the note over when the keyboard leaves it; Escape leaves."""
        if watched is self.note and event.type() == QEvent.Type.FocusOut:
            self.keep_note()
        pressed = event.key() if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress else None
        if watched is self.note and pressed == Qt.Key.Key_Escape:
            self.keep_note()
            self.left.emit()
            return True
        return super().eventFilter(watched, event)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the text size."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "note"):
            self.note.setFont(QApplication.font())
            self._fit()
