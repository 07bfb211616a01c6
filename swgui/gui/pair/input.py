"""One of the two sequences of a pair: typed, pasted, read from a file or taken from a hit."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from swgui.core.alphabet import ALPHABETS, Alphabet
from swgui.core.records import SequenceRecord
from swgui.gui.inputs import understanding as search_input
from swgui.gui.inputs.query import KIND_NAMES, KINDS, PARSE_DELAY_MS
from swgui.gui.inputs.report import InputReport
from swgui.gui.inputs.understanding import TEXT_LIMIT, Row, Understood
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.plain import plain
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.kit.theme import arrange, fixed_font, grid, set_role
from swgui.gui.kit.widgets import push_button
from swgui.gui.pair.wording import short
from swgui.gui.words import wording
from swgui.io.sequences.reader import ReadReport

Work = Callable[[Alphabet | None], Understood]
PLACEHOLDER = "Paste a sequence, open a file, or drop one on the window."
BOX_LINES = 5
NAME_SHOWN = 120  # letters of a header below the box
LISTED = 2_000  # records of a file that the list names


class SequencePanel(QFrame):
    """Takes one sequence.

    Parameters
    ----------
    name : str
        ``"query"`` or ``"target"``: part of object names.
    title : str
    short_jobs : ShortJobs

    Signals
    -------
    changed()
        The sequence or the state of reading changed.
    open_wanted()
        A file should be asked for.
    """

    changed = Signal()
    open_wanted = Signal()

    def __init__(self, name: str, title: str, short_jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"pair-{name}")
        set_role(self, role="card")
        self.title = title
        self._name = name
        self._jobs = short_jobs
        self._understood: Understood | None = None
        self._held = False  # the box shows the beginning of something larger and cannot be edited
        self._path: Path | None = None
        self._error = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PARSE_DELAY_MS)
        self._pause.timeout.connect(self._parse)
        self._work: Work | None = None  # how to read once more, as another kind, what the box does not hold
        self._build()
        self._show()

    # -- what the page asks ------------------------------------------------------------------------

    @property
    def record(self) -> SequenceRecord | None:
        """The sequence that is chosen."""
        rows = self._understood.rows if self._understood else ()
        return rows[max(0, self._records.currentIndex())].record if rows else None

    @property
    def alphabet(self) -> Alphabet | None:
        """Kind of the sequence, None before anything was read."""
        return self._understood.alphabet if self._understood and self._understood.rows else None

    @property
    def source(self) -> Path | None:
        """The file it came from, None if it was pasted, edited or taken from a hit."""
        return self._path

    @property
    def several(self) -> bool:
        """Whether what was read has more than one sequence."""
        return self._understood is not None and len(self._understood.rows) > 1

    @property
    def place(self) -> int:
        """Which record of its file is chosen, from 0."""
        return max(0, self._records.currentIndex())

    @property
    def busy(self) -> bool:
        """Whether reading goes on or is about to begin."""
        return self._pause.isActive() or self._jobs.pending(self._key)

    @property
    def problem(self) -> str:
        """Why there is no sequence, as one sentence; empty if there is one."""
        if self._error:
            return f"{self.title}: {self._error}"
        if self.busy:
            return f"Reading the {self.title.lower()}…"
        return "" if self.record is not None else f"Add a {self.title.lower()} sequence first."

    # -- what the user does ------------------------------------------------------------------------

    def set_text(self, text: str) -> None:
        """Take a text instead of what was there."""
        if len(text) <= TEXT_LIMIT:
            self._release()
            self.box.setPlainText(text)
            self._parse_soon(0)
        else:
            self._hold("Reading what was pasted…")
            self._work = partial(search_input.understand_text, text)
            self._parse()

    def open_file(self, path: Path) -> None:
        """Take a file instead of what was there."""
        note_input(path, "sequences")
        self._hold(f"Reading {path.name}…")
        self._path, self._work = path, partial(search_input.understand_file, path)
        self._parse()

    def set_record(self, record: SequenceRecord, alphabet: Alphabet) -> None:
        """Take a sequence that is known already."""
        self._hold("")
        self._take(Understood((Row(record, "", False),), alphabet, ReadReport()))

    def clear(self) -> None:
        """Empty the box."""
        self._release()
        self.box.clear()
        self._parse_soon(0)
        self.box.setFocus()

    def paste(self) -> None:
        """Take the text of the clipboard."""
        if text := QGuiApplication.clipboard().text().strip():
            self.set_text(text)

    def contents(self) -> tuple[Any, ...]:
        """Return what the panel holds, for `take_contents` of another one."""
        held = (self._held, self._work, self._path, self._understood, self._error)
        return held, self.busy, self.box.toPlainText(), self._kind.currentIndex(), self.place

    def take_contents(self, contents: tuple[Any, ...]) -> None:
        """Hold what another panel held."""
        held, busy, text, kind, place = contents
        self._pause.stop()
        self._jobs.drop(self._key)
        self._held, self._work, self._path, self._understood, self._error = held
        self.box.blockSignals(True)
        self.box.setPlainText(text)
        self.box.setReadOnly(self._held)
        self.box.blockSignals(False)
        self._kind.setCurrentIndex(kind)
        self._fill_records()
        self._records.setCurrentIndex(place)
        self._show()
        if busy:
            self._parse_soon(0)
        self.changed.emit()

    # -- inside ------------------------------------------------------------------------------------

    @property
    def _key(self) -> str:
        return f"pair-read-{self._name}"

    def _build(self) -> None:
        title = QLabel(self.title)
        set_role(title, level="heading")
        self._where = ElidedLabel()
        set_role(self._where, level="muted")
        head = QHBoxLayout()
        arrange(head, 0, 0.5)
        head.addWidget(title)
        head.addSpacing(grid(1))
        head.addWidget(self._where, 1)
        buttons = FlowRow()
        head.addWidget(buttons)
        name = self._name
        for part, text, icon, tip, slot in (
            ("Open", "Open…", "open", f"Read the {self.title.lower()} from a file", self.open_wanted.emit),
            ("Paste", "Paste", "paste", f"Take the text of the clipboard as {self.title.lower()}", self.paste),
            ("Clear", "Clear", "clear", "Empty the box", self.clear),
        ):
            button = push_button(f"pair{name.capitalize()}{part}", text, tip, slot, icon=icon, role="quiet")
            buttons.add(button)
        self.box = QPlainTextEdit()
        self.box.setObjectName(f"pair{name.capitalize()}Box")
        self.box.setToolTip("Paste a sequence, or drop a file; files of any size are read from disk")
        self.box.setAccessibleName(f"{self.title} sequence")
        self.box.setPlaceholderText(PLACEHOLDER)
        self.box.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.box.setTabChangesFocus(True)
        self.box.setAcceptDrops(False)  # the window takes what is dropped and names the targets
        self.box.textChanged.connect(self._edited)
        self._records = QComboBox()
        self._records.setObjectName(f"pair{name.capitalize()}Record")
        self._records.setAccessibleName(f"Record to take as {self.title.lower()}")
        self._records.setToolTip("Which sequence of the file or text is aligned")
        self._records.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._records.setMinimumContentsLength(16)
        self._records.activated.connect(self._chosen)
        self._records.hide()
        self._kind = QComboBox()
        self._kind.setObjectName(f"pair{name.capitalize()}Kind")
        self._kind.setAccessibleName(f"Kind of the {self.title.lower()}")
        self._kind.setToolTip("What the letters are; Auto looks at them")
        self._kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for data, text in KINDS:
            self._kind.addItem(text, data)
        self._kind.activated.connect(self._kind_chosen)
        self._summary = QLabel()
        self._summary.setObjectName(f"pair{name.capitalize()}Summary")
        self._summary.setWordWrap(True)
        self._summary.setTextFormat(Qt.TextFormat.PlainText)
        self._summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # names may be long
        self._report = push_button(
            f"pair{name.capitalize()}Report",
            "Input report…",
            "Show what was read and every change that was made",
            self.show_report,
            role="quiet",
        )
        kind = QLabel("Kind")
        kind.setBuddy(self._kind)
        set_role(kind, level="muted")
        foot = QHBoxLayout()
        arrange(foot, 0, 1)
        foot.addWidget(self._summary, 1)
        foot.addWidget(self._report)
        foot.addWidget(kind)
        foot.addWidget(self._kind)
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1, 2, 1), 0.75)
        layout.addLayout(head)
        layout.addWidget(self.box, 1)
        layout.addWidget(self._records)
        layout.addLayout(foot)
        self.restyle()

    def sizeHint(self) -> QSize:
        """Ask for the height that is needed at this width: Qt would wrap the summary in the narrowest of columns."""
        hint = super().sizeHint()
        return QSize(hint.width(), self.heightForWidth(max(hint.width(), self.width())))

    def show_report(self) -> None:
        """Open the input report."""
        if self._understood is not None:
            InputReport(self._understood.report, self.window()).open()

    def restyle(self) -> None:
        """Follow the theme and the text size."""
        self.box.setFont(fixed_font())
        lines = QFontMetricsF(self.box.font()).lineSpacing()
        self.box.setMinimumHeight(round(lines * BOX_LINES) + grid(2))

    def _given(self) -> Alphabet | None:
        return ALPHABETS.get(str(self._kind.currentData()))

    def _edited(self) -> None:
        if not self._held:
            self._path = None
            self._parse_soon(PARSE_DELAY_MS)

    def _parse_soon(self, delay: int) -> None:
        self._error = ""
        self._pause.start(delay)
        self.changed.emit()

    def _parse(self) -> None:
        if self._held and self._work is None:  # a sequence that was known already
            self._take(self._understood)
            return
        text = self.box.toPlainText()
        if not self._held and not text.strip():
            self._jobs.drop(self._key)
            self._take(None)
            return
        work = self._work if self._held else partial(search_input.understand_text, text)
        self._jobs.submit(self._key, partial(work, self._given()), self._take, self._refused)
        self.changed.emit()

    def _hold(self, text: str) -> None:
        """Show a text that cannot be edited; what was read before is forgotten."""
        self._pause.stop()
        self._jobs.drop(self._key)
        self._held, self._work, self._path, self._understood, self._error = True, None, None, None, ""
        self.box.setReadOnly(True)
        self.box.setPlainText(text)
        self._fill_records()
        self._show()

    def _release(self) -> None:
        """Let the box be edited again."""
        self._held, self._work, self._path = False, None, None
        self.box.setReadOnly(False)

    def _take(self, understood: Understood | None) -> None:
        self._understood, self._error = understood, ""
        if understood is not None and self._held:
            self.box.setPlainText(search_input.preview(understood))
        self._fill_records()
        self._show()
        self.changed.emit()

    def _refused(self, error: Exception) -> None:
        self._understood, self._error = None, wording.explain(error)
        if self._held:
            self.box.blockSignals(True)
            self.box.clear()
            self.box.blockSignals(False)
            self._release()
        self._fill_records()
        self._show()
        self.changed.emit()

    def _fill_records(self) -> None:
        rows = self._understood.rows if self._understood else ()
        self._records.clear()
        for row in rows[:LISTED]:
            length = wording.count(len(row.record.residues), wording.LETTERS[self._understood.alphabet.name])
            self._records.addItem(f"{short(row.record.id)}, {length}")
            self._records.setItemData(self._records.count() - 1, plain(row.record.header), Qt.ItemDataRole.ToolTipRole)
        self._records.setVisible(len(rows) > 1)

    def _chosen(self) -> None:
        self._show()
        self.changed.emit()

    def _kind_chosen(self) -> None:
        self._parse_soon(0)

    def _show(self) -> None:
        understood, record = self._understood, self.record
        self._where.set_text(self._path.name if self._path else "", plain(str(self._path)) if self._path else "")
        self._report.setVisible(understood is not None and bool(understood.report.remarks))
        read = self.alphabet
        self._kind.setItemText(0, f"Auto: {KIND_NAMES[read.name]}" if read else "Auto")
        set_role(self._summary, level="" if record else "muted", tone="danger" if self._error else "")
        if self._error:
            self._summary.setText(self._error)
        elif record is None:
            self._summary.setText("Nothing yet." if not self.busy else "Reading…")
        else:
            rows = understood.rows
            notes = rows[max(0, self._records.currentIndex())].notes
            text = (
                f"{short(record.header, NAME_SHOWN)}: {wording.count(len(record.residues), wording.LETTERS[read.name])}"
            )
            if len(rows) > 1:
                text += f"; one of {len(rows):,} sequences"
                if len(rows) > LISTED:
                    text += f", of which {LISTED:,} are listed"
            self._summary.setText(text + (f"; {notes}" if notes else ""))
        self._summary.setToolTip(plain(record.header) if record is not None else "")
