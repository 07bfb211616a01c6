"""One of the two sequences of a pair: typed, pasted, read from a file or taken from a hit."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize
from PySide6.QtWidgets import QPushButton, QSizePolicy

from swgui.core import words
from swgui.core.alphabet import Alphabet
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.gui.inputs import detection
from swgui.gui.inputs.detection import TEXT_LIMIT, Detected, Row
from swgui.gui.inputs.sequence import InputContent, SequenceInput
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid, set_role
from swgui.gui.kit.widgets import combo_box, described, fill_combo, plain, push_button, text_label
from swgui.gui.pair.wording import called, short
from swgui.io.sequences.reader import ReadReport

PLACEHOLDER = "Paste a sequence, open a file, or drop one on the window."
BOX_LINES = 5
NAME_SHOWN = 120  # characters of a header below the box
LISTED = 2_000  # records of a file that the list names


@dataclass(frozen=True, slots=True)
class Contents:
    """All of a box that another one can take over (`SequencePanel.take_contents`)."""

    reading: InputContent
    busy: bool  # whether it was still to be read
    text: str  # of the box
    kind: int  # and place: place in the list of kinds, and of the chosen record
    place: int


class SequencePanel(SequenceInput):
    """Takes one sequence.

    Parameters
    ----------
    name : str
        ``"query"`` or ``"subject"``: part of object names.
    """

    def __init__(self, name: str, title: str, tasks: Tasks) -> None:
        super().__init__(f"pair{name.capitalize()}", title, BOX_LINES, tasks)
        self.setObjectName(f"pair-{name}")
        self._build()
        self._show()

    # -- what the page calls -----------------------------------------------------------------------

    @property
    def record(self) -> SequenceRecord | None:
        row = self._row
        return row.record if row else None

    @property
    def records(self) -> tuple[SequenceRecord, ...]:
        return tuple(row.record for row in self.reading.rows)

    @property
    def several(self) -> bool:
        return len(self.reading.rows) > 1

    @property
    def place(self) -> int:
        """Which record of its file is chosen, from 0."""
        return max(0, self._records.currentIndex())

    @property
    def problem(self) -> str:
        """Why there is no sequence, as one sentence; empty if there is one."""
        if self.reading.error:
            return f"{self.title}: {self.reading.error}"
        if self.busy:
            return f"Reading the {self.title.lower()}…"
        if self.doubt is not None:
            return f"{self.title}: answer first how to read the text."
        return "" if self.record is not None else f"Add a {self.title.lower()} sequence first."

    # -- actions of the user -----------------------------------------------------------------------

    def set_text(self, text: str, source: Path | None = None) -> None:
        if len(text) <= TEXT_LIMIT:
            super().set_text(text, source)
        else:
            self._hold("Reading the pasted text…")
            self.reading.read = partial(detection.detect_in_text, text)
            self._parse()

    def open_file(self, path: Path) -> None:
        note_input(path, "sequences")
        self._read_file(path)

    def set_record(self, record: SequenceRecord, alphabet: Alphabet) -> None:
        self._hold("")
        self._take(Detected((Row(record, "", False),), alphabet, ReadReport()))

    def contents(self) -> Contents:
        """Return the contents of the panel, for `take_contents` of another one."""
        text, kind = self.box.toPlainText(), self._kind.currentIndex()
        return Contents(replace(self.reading), self.busy, text, kind, self.place)

    def take_contents(self, contents: Contents) -> None:
        self._pause.stop()
        self._tasks.drop(self._key)
        self.reading = contents.reading
        with QSignalBlocker(self.box), QSignalBlocker(self._kind):
            self.box.setPlainText(contents.text)
            self._kind.setCurrentIndex(contents.kind)
        self.box.setReadOnly(contents.reading.held)
        self._fill()
        self._records.setCurrentIndex(contents.place)
        self._show()
        if contents.busy:
            self._parse_soon(0)
        self.changed.emit()

    # -- inside ------------------------------------------------------------------------------------

    @property
    def _row(self) -> Row | None:
        return self.reading.rows[self.place] if self.reading.rows else None

    def _build(self) -> None:
        noun = self.title.lower()
        described(
            self.box,
            tip="Paste a sequence, or drop a file; files of any size are read from disk",
            accessible=f"{self.title} sequence",
        )
        self.box.setPlaceholderText(PLACEHOLDER)
        buttons, self._buttons = FlowRow(), dict[str, QPushButton]()
        for part, text, tip, does in (
            ("Paste", "Paste", f"Take the text of the clipboard as {noun}", self.paste),
            ("Open", "Open…", f"Read the {noun} from a file", self.open_wanted),
            ("Clear", "Clear", "Empty the box", self.clear),
        ):
            self._buttons[part] = push_button(f"{self._name}{part}", text, tip, does, role="quiet")
            buttons.add(self._buttons[part])
        head = in_row(text_label(self.title, level="heading"), (self._where, 1), buttons, spacing=0.5)
        head.insertSpacing(1, grid(1))
        self._records = combo_box(
            f"{self._name}Record",
            "Sequence of the file or text to align",
            self._chosen,
            accessible=f"Record to take as {noun}",
            characters=16,
        )
        self._records.hide()
        self._summary.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)  # names may be long
        self._kind_shown = self._kind_parts
        foot = in_row((self._summary, 1), self._report, *self._kind_shown)
        in_column(
            head,
            (self.box, 1),
            self._doubt,
            self._records,
            self._progress,
            foot,
            margins=(2, 1, 2, 1),
            spacing=0.75,
            parent=self,
        )

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        return QSize(hint.width(), self.heightForWidth(max(hint.width(), self.width())))

    def _fill(self) -> None:
        alphabet, rows = self.reading.alphabet, self.reading.rows
        unit = alphabet.letter if alphabet else ""
        records = [row.record for row in rows[:LISTED]]
        titles = [f"{short(record.id)}, {words.count(len(record.residues), unit)}" for record in records]
        tips = [plain(record.header) for record in records]
        fill_combo(self._records, zip(titles, range(LISTED), tips, strict=False))
        self._records.setVisible(len(rows) > 1)

    def _chosen(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        super()._show()
        reading, row = self.reading, self._row
        empty = not (self.busy or reading.rows or reading.error or self.box.toPlainText())
        for part in (*self._kind_shown, self._buttons["Clear"]):  # of an empty box there is nothing to say or clear
            part.setHidden(empty)
        self._report.setVisible(reading.detected is not None and bool(reading.detected.report.remarks))
        set_role(self._summary, level="" if row else "muted", tone="danger" if reading.error else "")
        self._summary.setToolTip(plain(row.record.header) if row else "")
        if reading.error or row is None or reading.alphabet is None:
            self._summary.setText(reading.error or ("Reading…" if self.busy else ""))
            return
        length = words.count(len(row.record.residues), reading.alphabet.letter)
        text = f"{short(called(row.record), NAME_SHOWN)}: {length}"
        if self.several:
            text += f"; one of {len(reading.rows):,} sequences"
            if len(reading.rows) > LISTED:
                text += f", of which {LISTED:,} are listed"
        self._summary.setText(text + (f"; {row.remarks}" if row.remarks else ""))
