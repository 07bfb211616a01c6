"""Query box and what was understood of it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSplitter,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from swgui.core.alphabet import ALPHABETS, Alphabet
from swgui.core.records import SequenceRecord
from swgui.gui.inputs import understanding as search_input
from swgui.gui.inputs.query_table import QueryTable
from swgui.gui.inputs.report import InputReport
from swgui.gui.inputs.understanding import Understood
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.kit.theme import arrange, fixed_font, grid, keep_size, set_role
from swgui.gui.kit.widgets import push_button
from swgui.gui.words import wording
from swgui.io.sequences.reader import ReadReport

PARSE_DELAY_MS = 150
SAMPLED = 200  # rows measured for the width of a column
KINDS = (("auto", "Auto"), ("protein", "Protein"), ("nucleotide", "DNA or RNA"))
KIND_NAMES = {"protein": "protein", "nucleotide": "DNA or RNA"}
PLACEHOLDER = (
    "Paste sequences here: FASTA, GenBank, EMBL, UniProt text, or bare letters.\nOr drop a file anywhere on the window."
)


class QueryPanel(QFrame):
    """Takes queries as text or file and shows what was understood.

    Signals
    -------
    changed()
        The ticked records, their kind or the state of reading changed.
    file_read(object)
        A query file was read; its path.
    open_wanted(), sample_wanted()
        A button was pressed.
    """

    changed = Signal()
    file_read = Signal(object)
    open_wanted = Signal()
    sample_wanted = Signal()

    def __init__(self, short_jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPanel")
        set_role(self, role="card")
        self._jobs = short_jobs
        self._understood: Understood | None = None
        self._path: Path | None = None  # the file, while the box only shows its beginning
        self._source: Path | None = None  # the file the text came from, until the text is edited
        self._error = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PARSE_DELAY_MS)
        self._pause.timeout.connect(self._parse)
        self._build()
        self._show()

    # What the page asks

    @property
    def records(self) -> tuple[SequenceRecord, ...]:
        """The ticked records."""
        return self.table.records() if self._understood else ()

    @property
    def residues(self) -> int:
        """Residues of the ticked records."""
        return self.table.residues() if self._understood else 0

    @property
    def shortest(self) -> SequenceRecord | None:
        """The first of the shortest ticked records."""
        return min(self.records, key=lambda record: len(record.residues), default=None)

    @property
    def alphabet(self) -> Alphabet | None:
        """Kind of the records, None before anything was read."""
        return self._understood.alphabet if self._understood else None

    @property
    def source(self) -> Path | None:
        """The file the queries came from, None if they were pasted or edited."""
        return self._path or self._source

    @property
    def report(self) -> ReadReport | None:
        """What the reader noticed."""
        return self._understood.report if self._understood else None

    @property
    def busy(self) -> bool:
        """Whether reading goes on or is about to begin."""
        return self._pause.isActive() or self._jobs.pending("parse-query")

    @property
    def problem(self) -> str:
        """Why there is nothing to search with, as one sentence; empty if there is."""
        if self._error:
            return self._error
        if self.busy:
            return "Reading the query…"
        if self._understood is None or not self._understood.rows:
            return "Add a sequence first."
        if not self.table.records():
            return "Tick at least one sequence."
        return ""

    @property
    def kind(self) -> str:
        """What the user says the sequences are: ``auto``, ``protein`` or ``nucleotide``."""
        return str(self._kind.currentData())

    def set_kind(self, kind: str) -> None:
        """Say what the sequences are."""
        self._kind.setCurrentIndex(max(0, self._kind.findData(kind)))

    # What the user does

    def set_text(self, text: str, source: Path | None = None) -> None:
        """Replace the query by a text."""
        self._path = None
        self.box.setReadOnly(False)
        self.box.setPlainText(text)
        self._source = source
        self._parse_soon(0)

    def open_file(self, path: Path) -> None:
        """Replace the query by a file."""
        note_input(path, "query")
        self._jobs.drop("parse-query")
        self._pause.stop()
        self._error = ""
        self._jobs.submit("open-query", partial(search_input.text_of, path), partial(self._opened, path), self._refused)

    def clear(self) -> None:
        """Empty the box."""
        self.set_text("")
        self.box.setFocus()

    def paste(self) -> None:
        """Replace the query by the text of the clipboard."""
        if text := QGuiApplication.clipboard().text().strip():
            self.set_text(text)

    def focus_box(self) -> None:
        """Put the cursor into the box."""
        self.box.setFocus()

    # Inside

    def _build(self) -> None:
        title = QLabel("Query")
        set_role(title, level="heading")
        self._where = ElidedLabel()
        self._where.setObjectName("querySource")
        set_role(self._where, level="muted")
        buttons = (
            ("queryOpen", "Open…", "open", "Read the queries from a file", self.open_wanted.emit),
            ("queryPaste", "Paste", "paste", "Replace the query by the text of the clipboard", self.paste),
            ("querySample", "Sample", "sample", "Search with the sample sequences", self.sample_wanted.emit),
            ("queryClear", "Clear", "clear", "Empty the query box", self.clear),
        )
        head = QHBoxLayout()
        arrange(head, 0, 0.5)
        head.addWidget(title)
        head.addSpacing(grid(1))
        head.addWidget(self._where, 1)
        for name, text, icon, tip, slot in buttons:
            button = push_button(name, text, tip, slot, icon=icon, role="quiet")
            head.addWidget(button)
        self.box = QPlainTextEdit()
        self.box.setObjectName("queryBox")
        self.box.setToolTip("FASTA, GenBank, EMBL, UniProt text, FASTQ or bare letters, one or many")
        self.box.setAccessibleName("Query sequences")
        self.box.setPlaceholderText(PLACEHOLDER)
        self.box.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.box.setFont(fixed_font())
        self.box.setTabChangesFocus(True)
        self.box.setAcceptDrops(False)  # the window takes what is dropped and names the targets
        self.box.textChanged.connect(self._edited)
        self._kind = QComboBox()
        self._kind.setObjectName("queryKind")
        self._kind.setToolTip("Read the letters as protein or as nucleotides; Auto tells by the letters")
        self._kind.setAccessibleName("Kind of the query")
        self._kind.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        for data, text in KINDS:
            self._kind.addItem(text, data)
        self._kind.currentIndexChanged.connect(lambda: self._parse_soon(0))
        left = self._left = QWidget()
        left_layout = QVBoxLayout(left)
        arrange(left_layout, (0, 0, 1, 0), 1)
        left_layout.addLayout(head)
        left_layout.addWidget(self.box, 1)
        split = self._split = QSplitter(Qt.Orientation.Horizontal)
        split.setObjectName("querySplit")
        split.setChildrenCollapsible(False)
        split.addWidget(left)
        self._right = self._build_understood()
        split.addWidget(self._right)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([grid(90), grid(60)])
        layout = QVBoxLayout(self)
        arrange(layout, (2, 1, 2, 1.5), 0)
        layout.addWidget(split)
        self._fit_heights()

    def _build_understood(self) -> QWidget:
        title = QLabel("What I understood")
        set_role(title, level="heading")
        kind_label = QLabel("Kind")
        kind_label.setBuddy(self._kind)
        set_role(kind_label, level="muted")
        head = QHBoxLayout()
        arrange(head, 0, 1)
        head.addWidget(title, 1)
        head.addWidget(kind_label)
        head.addWidget(self._kind)
        self.table = QueryTable()
        self.table.ticked.connect(self._ticks_changed)
        view = self.view = QTableView()
        view.setObjectName("queryTable")
        view.setAccessibleName("Sequences that were read; tick those to search with")
        view.setModel(self.table)
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setTabKeyNavigation(False)
        keep_size(view, rows=2.75)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # long notes are in the tool tip
        view.verticalHeader().hide()
        header = view.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self._summary = QLabel()
        self._summary.setObjectName("querySummary")
        self._summary.setWordWrap(True)
        self._summary.setTextFormat(Qt.TextFormat.PlainText)
        self._all = QPushButton("Tick all")
        self._none = QPushButton("Tick none")
        self._report = QPushButton("Input report…")
        foot = QHBoxLayout()
        arrange(foot, 0, 0.5)
        foot.addWidget(self._summary, 1)
        rows = (
            (self._all, "queryTickAll", lambda: self.table.tick_all(True)),
            (self._none, "queryTickNone", lambda: self.table.tick_all(False)),
            (self._report, "queryReport", self.show_report),
        )
        for button, name, slot in rows:
            button.setObjectName(name)
            set_role(button, role="quiet")
            button.clicked.connect(slot)
            foot.addWidget(button)
        self._report.setToolTip("Show what was read and every change that was made")
        panel = QWidget()
        layout = QVBoxLayout(panel)
        arrange(layout, (1, 0, 0, 0), 1)
        layout.addLayout(head)
        layout.addWidget(view, 1)
        layout.addLayout(foot)
        return panel

    def show_report(self) -> None:
        """Open the input report."""
        if self._understood is not None:
            InputReport(self._understood.report, self.window()).open()

    def _fit_heights(self) -> None:
        lines = QFontMetricsF(self.box.font()).lineSpacing()
        self.box.setMinimumHeight(round(lines * 7) + grid(2))
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give names the room they need, but never all of it."""
        metrics = QFontMetricsF(self.view.font())
        rows = self._understood.rows[:SAMPLED] if self._understood else ()
        widest = max((metrics.horizontalAdvance(row.record.id) for row in rows), default=0.0)
        tick_and_padding = grid(5)
        width = min(max(grid(18), round(widest) + tick_and_padding), max(grid(18), self.view.width() * 3 // 5))
        header = self.view.horizontalHeader()
        header.resizeSection(0, width)
        header.resizeSection(1, max(grid(9), header.sectionSizeHint(1)))

    def set_narrow(self, narrow: bool) -> None:
        """Put what was understood below the box instead of beside it."""
        self._split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        arrange(self._left.layout(), (0, 0, 0 if narrow else 1, 0), 1)
        arrange(self._right.layout(), (0, 1, 0, 0) if narrow else (1, 0, 0, 0), 1)
        self.view.setMinimumHeight(grid(14) if narrow else 0)

    def restyle(self) -> None:
        """Follow the theme and the text size."""
        self.box.setFont(fixed_font())
        self._fit_heights()

    def _edited(self) -> None:
        if self._path is None:
            self._source = None
            self._parse_soon(PARSE_DELAY_MS)

    def _parse_soon(self, delay: int) -> None:
        self._pause.start(delay)
        self._error = ""
        self.changed.emit()

    def _given(self) -> Alphabet | None:
        return ALPHABETS.get(self.kind)

    def _parse(self) -> None:
        if self._path is not None:
            work = partial(search_input.understand_file, self._path, self._given())
        else:
            text = self.box.toPlainText()
            if not text.strip():
                self._jobs.drop("parse-query")
                self._take(None)
                return
            work = partial(search_input.understand_text, text, self._given())
        self._jobs.submit("parse-query", work, self._take, self._refused)
        self.changed.emit()

    def _opened(self, path: Path, text: str | None) -> None:
        self.file_read.emit(path)
        if text is not None:
            self.set_text(text, path)
            return
        self._path, self._source = path, None
        self._understood = None
        self.box.setReadOnly(True)
        self.box.setPlainText(f"Reading {path.name}…")
        self._parse_soon(0)

    def _take(self, understood: Understood | None) -> None:
        self._understood = understood
        self._error = ""
        if understood is not None and understood.path is not None:
            self.box.setPlainText(search_input.preview(understood))
        self.table.show_rows(understood.rows if understood else ())
        self._fit_columns()
        self._show()
        self.changed.emit()

    def _refused(self, error: Exception) -> None:
        self._understood = None
        if self._path is not None:  # the file cannot be shown: the box is for typing again
            self._path = None
            self.box.blockSignals(True)
            self.box.clear()
            self.box.blockSignals(False)
            self.box.setReadOnly(False)
        self.table.show_rows(())
        self._error = wording.explain(error)
        self._show()
        self.changed.emit()

    def _ticks_changed(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        understood = self._understood
        rows = understood.rows if understood else ()
        source = self.source
        self._where.set_text(source.name if source else "", str(source) if source else "")
        for button in (self._all, self._none):
            button.setVisible(len(rows) > 1)
        self._report.setVisible(understood is not None)
        self.view.setVisible(bool(rows) or not self._error)
        self._kind.setItemText(0, f"Auto: {KIND_NAMES[understood.alphabet.name]}" if understood else "Auto")
        set_role(self._summary, level="muted", tone="danger" if self._error else "")
        if self._error:
            self._summary.setText(self._error)
        elif understood is None:
            self._summary.setText("Nothing yet.")
        else:
            text = wording.queries(len(self.table.records()), self.table.residues(), understood.alphabet.name)
            if empty := understood.report.counts["empty"]:
                text += f"; {wording.count(empty, 'empty record')} left out"
            self._summary.setText(text)
