"""Common parts of all boxes for sequences: a box takes text, files and known records, and has them read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, QSize, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import QComboBox, QFrame, QLabel, QPlainTextEdit, QWidget

from swgui.core.alphabet import ALPHABETS, Alphabet
from swgui.gui.inputs import detection
from swgui.gui.inputs.detection import Detected, Doubt, Row
from swgui.gui.inputs.report import InputReport
from swgui.gui.kit import motion
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import bring_into_sight, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.theme import fixed_font, grid, set_role
from swgui.gui.kit.widgets import combo_box, described, progress_bar, push_button, text_label
from swgui.gui.words import wording

PARSE_DELAY_MS = 150
LAID_OUT_MS = 100  # from a question to its place
KINDS = (("Auto", "auto"), ("Protein", "protein"), ("DNA or RNA", "nucleotide"))
Read = Callable[[Alphabet | None, TaskControl], Detected]


def kinds() -> tuple[tuple[str, str], ...]:
    """Return title and name of the kinds of sequence: built-in ones, then other alphabets."""
    names = {name for _, name in KINDS}
    return (*KINDS, *((name, name) for name in ALPHABETS if name not in names))


@dataclass(slots=True)
class InputContent:
    """Contents of a box."""

    source: Path | None = None  # the file it came from, until the text is edited
    held: bool = False  # whether the box only shows the beginning of something larger and cannot be edited
    read: Read | None = None  # reads the contents, again for another kind; None for records that were known already
    # The records; None before the text was read, and if it is empty or cannot be read
    detected: Detected | None = None
    error: str = ""  # why it cannot be read; empty if it can

    @property
    def rows(self) -> tuple[Row, ...]:
        """The records that were read."""
        return self.detected.rows if self.detected is not None else ()

    @property
    def alphabet(self) -> Alphabet | None:
        """Kind of the records, None before anything was read."""
        return self.detected.alphabet if self.detected is not None and self.detected.rows else None


class _Box(QPlainTextEdit):
    """Takes the whole free space; its minimum is a few lines."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), max(self.minimumHeight(), self.minimumSizeHint().height()))


class SequenceInput(QFrame):
    """A box for sequences with their kind, report and records; pages put the parts in order.

    Parameters
    ----------
    name : str
        Begins the names of all objects.
    title : str
        Role of the sequences: ``Query``.
    lines : int
        Lines of the box at least.
    tasks : Tasks
        Reads in the background.
    """

    changed = Signal()  # the records, their kind or the state of reading changed
    open_wanted = Signal()  # the user wants to choose a file

    def __init__(self, name: str, title: str, lines: int, tasks: Tasks) -> None:
        super().__init__()
        set_role(self, role="card")
        self.title = title
        self._name = name
        self._lines = lines
        self._tasks = tasks
        self.reading = InputContent()
        self._key = f"read-{name}"
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PARSE_DELAY_MS)
        self._pause.timeout.connect(self._parse)
        noun = title.lower()
        self._where = described(ElidedLabel(), f"{name}Source")
        set_role(self._where, level="muted")
        self.box = described(_Box(), f"{name}Box")
        self.box.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.box.setTabChangesFocus(True)
        self.box.setAcceptDrops(False)  # the window takes drops and shows their possible uses
        self.box.textChanged.connect(self._edited)
        self._kind = combo_box(
            f"{name}Kind",
            "Read the symbols as protein or as nucleotides; Auto decides by the symbols",
            changed=lambda: self._parse_soon(0),
            items=kinds(),
            accessible=f"Kind of the {noun}",
        )
        self._kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._summary = text_label(name=f"{name}Summary", wrap=True, plain=True)
        self._report = push_button(
            f"{name}Report",
            "Remarks…",
            "Show the sequences as read, and every change made to them",
            self.show_report,
            role="quiet",
        )
        self.bar = progress_bar(f"{name}Progress", f"How much of the {noun} is read")
        stop = push_button(f"{name}Stop", "Stop", f"Stop reading the {noun}", self.clear, role="quiet")
        self._progress = QWidget()
        in_row((self.bar, 1), stop, spacing=0.5, parent=self._progress)
        self._progress.hide()
        tasks.progressed.connect(self._progressed)
        self._answered = ""  # a text without further questions
        self._question = text_label(name=f"{name}Question", wrap=True, plain=True)
        tip = "Replace the text in the box by this"
        self._meant = push_button(f"{name}Meant", "Use the suggestion", tip, self._take_meant)
        keep = push_button(f"{name}AsItIs", "Keep as it is", "Every symbol is a residue", self._keep_as_it_is)
        self._doubt = QFrame()
        set_role(self._doubt, role="note", tone="warning")
        in_row((self._question, 1), self._meant, keep, margins=(1, 0.5, 1, 0.5), parent=self._doubt)
        self._doubt.hide()
        self._fit_box()

    # What pages call

    @property
    def doubt(self) -> Doubt | None:
        """Questions about the text."""
        detected = self.reading.detected
        return detected.doubt if detected is not None and self.box.toPlainText() != self._answered else None

    @property
    def alphabet(self) -> Alphabet | None:
        """Kind of the records, None before anything was read."""
        return self.reading.alphabet

    @property
    def source(self) -> Path | None:
        """The file the sequences came from, None if they were pasted, edited or known already."""
        return self.reading.source

    @property
    def busy(self) -> bool:
        """Whether a worker reads the text or is about to."""
        return self._pause.isActive() or self._tasks.pending(self._key)

    @property
    def kind(self) -> str:
        """The user's kind of sequence: ``auto``, or the name of an alphabet."""
        return str(self._kind.currentData() or KINDS[0][1])

    def set_kind(self, kind: str) -> None:
        """Set the kind of sequence."""
        self._kind.setCurrentIndex(max(0, self._kind.findData(kind)))

    # Actions of users

    def set_text(self, text: str, source: Path | None = None) -> None:
        self._release()
        self.box.setPlainText(text)
        self.reading.source = source
        self._parse_soon(0)

    def clear(self) -> None:
        """Empty the box."""
        self.set_text("")
        self.box.setFocus()

    def paste(self) -> None:
        """Replace the contents by the text of the clipboard."""
        if text := QGuiApplication.clipboard().text().strip():
            self.set_text(text)

    def _take_meant(self) -> None:
        if self.doubt is not None:
            self.set_text(self.doubt.text)

    def _keep_as_it_is(self) -> None:
        self._answered = self.box.toPlainText()
        self._changed()

    def show_report(self) -> None:
        if self.reading.detected is not None:
            InputReport(self.reading.detected.report, self.window()).open()

    def restyle(self) -> None:
        """Follow the theme and the text size."""
        self._fit_box()

    # What pages show

    def _show(self) -> None:
        reading = self.reading
        self._where.set_text(reading.source.name if reading.source else "", str(reading.source or ""))
        read = reading.alphabet
        self._kind.setItemText(0, f"Auto: {wording.KIND_NAMES[read.name]}" if read else "Auto")
        doubt = self.doubt
        if doubt is not None and self._doubt.isHidden():  # large text may leave it below the visible part
            QTimer.singleShot(LAID_OUT_MS, self._doubt, lambda: bring_into_sight(self._doubt))
        self._doubt.setVisible(doubt is not None)
        if doubt is not None:
            self._question.setText(doubt.question)
            self._meant.setText(doubt.answer)
        if not self.busy:
            self._progress.hide()

    def _progressed(self, key: str, share: int, _text: str) -> None:
        if key == self._key:
            motion.show_share(self.bar, share)
            self._progress.show()

    def _fill(self) -> None:
        """List the records that were read."""

    @property
    def _kind_parts(self) -> tuple[QLabel, QComboBox]:
        return text_label("Kind", level="muted", buddy=self._kind), self._kind

    def _fit_box(self) -> None:
        self.box.setFont(fixed_font())
        self.box.viewport().setFont(fixed_font())  # with it Qt draws the placeholder of an empty box
        self.box.setMinimumHeight(round(QFontMetricsF(self.box.font()).lineSpacing() * self._lines) + grid(2))

    # Reading

    def _read_file(self, path: Path) -> None:
        self._hold(f"Reading {path.name}…")
        self.reading.source, self.reading.read = path, partial(detection.detect_in_file, path)
        self._parse()

    def _edited(self) -> None:
        if not self.reading.held:
            self.reading.source = None
            self._parse_soon(PARSE_DELAY_MS)

    def _parse_soon(self, delay: int) -> None:
        self.reading.error = ""
        self._pause.start(delay)
        self.changed.emit()

    def _parse(self) -> None:
        reading, text = self.reading, self.box.toPlainText()
        if reading.held and reading.read is None:  # records that were known already
            self._take(reading.detected)
        elif not reading.held and not text.strip():
            self._tasks.drop(self._key)
            self._take(None)
        else:
            read = reading.read or self._reader_of(text)
            self._tasks.start(self._key, partial(read, ALPHABETS.get(self.kind)), self._take, self._refused)
            self.changed.emit()

    def _reader_of(self, text: str) -> Read:
        return partial(detection.detect_in_text, text)

    def _hold(self, text: str) -> None:
        self._pause.stop()
        self._tasks.drop(self._key)
        self.reading = InputContent(held=True)
        self.box.setReadOnly(True)
        self.box.setPlainText(text)
        self._fill()
        self._show()

    def _release(self) -> None:
        self.reading.held, self.reading.read, self.reading.source = False, None, None
        self.box.setReadOnly(False)

    def _take(self, detected: Detected | None) -> None:
        self.reading.detected, self.reading.error = detected, ""
        if detected is not None and self.reading.held:
            self.box.setPlainText(detection.preview(detected))
        self._changed()

    def _refused(self, error: Exception) -> None:
        self.reading.detected, self.reading.error = None, wording.explain(error)
        if self.reading.held:  # it cannot be shown: the box becomes editable again
            with QSignalBlocker(self.box):
                self.box.clear()
            self._release()
        self._changed()

    def _changed(self) -> None:
        self._fill()
        self._show()
        self.changed.emit()
