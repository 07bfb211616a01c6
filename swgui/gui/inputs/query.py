"""Query box and the sequences that were found in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QGuiApplication, QMouseEvent, QPainter, QPaintEvent, QTextOption
from PySide6.QtWidgets import (
    QHeaderView,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QSizePolicy,
    QTableView,
    QToolTip,
    QWidget,
)

from swgui.core import words
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.entries.lookup import Entry, UnknownAccession, accessions_in, gene_in
from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.verdict.complexity import Complexity, in_words, measure
from swgui.gui.inputs import detection
from swgui.gui.inputs.detection import Detected, Row
from swgui.gui.inputs.sequence import Read, SequenceInput
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.plots import features as tracks
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tables.row_table import RIGHT, Index, PlainHead, Role, RowTable, row_table
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.kit.theme import colours, grid, set_role
from swgui.gui.kit.widgets import described, line_edit, make_menu, menu_command, plain, push_button, text_label
from swgui.gui.words import wording
from swgui.io.online_entries import fetch_entry, hosts_of
from swgui.io.sequences.reader import ReadReport

MARGIN = 6.0
DRAG = "Drag to search a part of the query alone; a click takes all of it again"
TIP: Final = (
    "Regions made of few different residues, found by SEG in proteins and by DUST in nucleotides. They score highly "
    "against others of the same kind, related or not. Masking, among the settings of the search, leaves them out."
)
BOX_LINES = 7
MANY = 20_000  # from this number of queries on a database was probably meant
SAMPLED = 200  # rows measured for the width of a column
PLACEHOLDER = (
    "Paste sequences: FASTA, GenBank, EMBL, UniProt text, or bare residues.\nOr drop a file on the window. "
    "An accession (P69905), gene and organism (ADH1 yeast), or a link to UniProt, AlphaFold or the PDB is looked up."
)


class QueryPicture(QWidget):
    """Shows one query."""

    chosen = Signal(object)  # the `QueryRange` that was dragged, None after a click

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPicture")
        self.setAccessibleName("Picture of the query")
        self.setAccessibleDescription("Type the part to search in the field next to it.")
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._record: SequenceRecord | None = None
        self._placed: list[tracks.PlacedFeature] = []
        self._part: QueryRange | None = None
        self.stretches: Sequence[tuple[int, int]] = ()
        self._dragged: tuple[int, int] | None = None

    def show_query(self, record: SequenceRecord | None, part: QueryRange | None) -> None:
        if record is not self._record:
            self._placed = tracks.place(record.features) if record is not None else []
            self.updateGeometry()
        self._record, self._part = record, part
        self.update()

    def show_stretches(self, stretches: Sequence[tuple[int, int]]) -> None:
        self.stretches = stretches
        self.update()

    @property
    def _length(self) -> int:
        return len(self._record.residues) if self._record is not None else 0

    def x_of(self, position: float) -> float:
        return MARGIN + (self.width() - 2 * MARGIN) * position / max(self._length, 1)

    def _residue(self, x: float) -> int:
        residue = (x - MARGIN) / max(1.0, self.width() - 2 * MARGIN) * self._length
        return min(max(int(residue) + 1, 1), self._length)

    def _track(self) -> QRectF:
        lanes = max(tracks.lanes_of(self._placed), 1 if self._placed else 0)
        height = QFontMetricsF(self._small()).height() + 3
        return QRectF(MARGIN, 1, self.width() - 2 * MARGIN, lanes * height)

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, self.font().pointSizeF() * 0.82))
        return font

    def sizeHint(self) -> QSize:
        return QSize(300, int(self._track().height() + QFontMetricsF(self._small()).height() + 14))

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self._length:
            return
        painter, shades = QPainter(self), theme.colours(self)
        small, track = self._small(), self._track()
        tracks.paint(painter, self._placed, self.x_of, track, shades, small)
        line = track.bottom() + 4
        painter.fillRect(QRectF(MARGIN, line, self.width() - 2 * MARGIN, 3), QColor(shades.muted))
        for start, end in self.stretches:
            left = self.x_of(start)
            painter.fillRect(QRectF(left, line - 1, max(self.x_of(end) - left, 1.5), 5), QColor(shades.warning))
        shown = self._dragged or ((self._part.first, self._part.last) if self._part is not None else None)
        numbers = [1, self._length]
        if shown is not None:
            first, last = sorted(min(place, self._length) for place in shown)
            numbers = [first, last]
            veil = QColor(shades.base)
            veil.setAlpha(190)
            for left, right in ((0.0, self.x_of(first - 1)), (self.x_of(last), float(self.width()))):
                painter.fillRect(QRectF(left, 0, right - left, line + 4), veil)
            chosen = QRectF(self.x_of(first - 1), line + 5, max(self.x_of(last) - self.x_of(first - 1), 2), 2)
            painter.fillRect(chosen, QColor(shades.accent))
        self._paint_numbers(painter, numbers, line + 7, small, shades)

    def _paint_numbers(
        self, painter: QPainter, numbers: list[int], top: float, font: QFont, shades: theme.Colours
    ) -> None:
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        painter.setPen(QColor(shades.muted))
        left = QRectF(max(0.0, self.x_of(numbers[0] - 1)), top, 0, metrics.height())
        texts = [f"{number:,}" for number in numbers]
        widths = [metrics.horizontalAdvance(text) for text in texts]
        x = [min(left.left(), self.width() - sum(widths) - 12), self.x_of(numbers[1]) - widths[1]]
        x[1] = min(max(x[1], x[0] + widths[0] + 12), self.width() - widths[1])
        for place, text, width in zip(x, texts, widths, strict=True):
            painter.drawText(QRectF(place, top, width + 1, metrics.height()), Qt.AlignmentFlag.AlignLeft, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._length and event.button() == Qt.MouseButton.LeftButton:
            residue = self._residue(event.position().x())
            self._dragged = (residue, residue)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._length:
            return
        residue, where = self._residue(event.position().x()), event.globalPosition().toPoint()
        if self._dragged is not None:
            self._dragged = (self._dragged[0], residue)
            first, last = sorted(self._dragged)
            QToolTip.showText(where, f"Search {first:,} to {last:,} alone", self)
            self.update()
            return
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        reach = self._length / max(self.width(), 1) * 2
        told = tracks.told_at((placed.feature for placed in self._placed), residue - 1 - reach, residue - 1 + reach)
        if any(start <= residue - 1 + reach and residue - 1 - reach < end for start, end in self.stretches):
            told = "\n".join(part for part in (told, "Low complexity") if part)
        QToolTip.showText(where, told or DRAG, self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragged is None:
            return
        first, last = sorted(self._dragged)
        self._dragged = None
        self.update()
        self.chosen.emit(QueryRange(first, last) if last > first else None)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange):
            self.updateGeometry()
            self.update()


class QueryPart(QWidget):
    """Asks for the part of the query."""

    changed = Signal()  # another part, or none, was chosen by the user

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("queryPart")
        self._records: Sequence[SequenceRecord] = ()
        self.value: QueryRange | None = None
        self.asked = False
        self._error = ""
        tip = (
            "Search with a part of every query alone, as in 10-250, counted from 1; empty for all of it. "
            "Positions in the results stay those of the whole query"
        )
        self.field = line_edit("queryRange", tip, hint="all", edited=self._typed, width=14, clear=True)
        self.field.textChanged.connect(lambda text: None if text else self._typed())  # its button clears it
        self.picture = QueryPicture()
        self.picture.chosen.connect(self._dragged)
        label = text_label("Query subrange", buddy=self.field)
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
        wanted = self.asked or bool(self.field.text()) or any(record.features for record in self._records)
        self.setVisible(bool(self._records) and wanted)
        set_role(self.field, invalid=bool(self.problem))
        self.picture.show_query(self._records[0] if self._records else None, self.value)


class ComplexityLine(ElidedLabel):
    """Shows the share of low complexity in the queries; hidden if there is none."""

    measured = Signal(object)  # the stretches of the first query, whose picture shows them; none until they are known

    def __init__(self, tasks: Tasks) -> None:
        super().__init__()
        described(self, "queryComplexity")
        set_role(self, level="muted")
        self._tasks = tasks
        self._looked: tuple[tuple[SequenceRecord, ...], Alphabet | None] = ((), None)
        self.hide()

    def look(self, records: tuple[SequenceRecord, ...], alphabet: Alphabet | None) -> None:
        """Show other queries; the line about the last ones disappears at once."""
        if self._looked == (records, alphabet):
            return
        self._looked = records, alphabet
        self.hide()
        self.measured.emit(())
        self._tasks.drop("query-complexity")
        if records and alphabet in (PROTEIN, NUCLEOTIDE):  # SEG and DUST do not apply to other alphabets
            self._tasks.start("query-complexity", lambda stop: measure(records, alphabet, stop), self._show)

    def _show(self, complexities: list[Complexity]) -> None:
        text = in_words(complexities, len(self._looked[0]))
        self.set_text(text, f"{text}. {TIP}")
        self.setVisible(bool(text))
        self.measured.emit(complexities[0].stretches if complexities else ())


class QueryTable(RowTable):
    """The records that were read, each with a tick."""

    heads = (PlainHead("Name"), PlainHead("Length", side=RIGHT), PlainHead("Remarks"))
    ticked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[Row] = ()
        self._ticks = np.zeros(0, dtype=bool)
        self._ticked: tuple[SequenceRecord, ...] | None = ()  # None: to be gathered again
        self._residues = 0

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Replace all rows; ticks of the same names in the same order are kept."""
        same = [row.record.id for row in rows] == [row.record.id for row in self._rows]
        self.beginResetModel()
        self._rows = rows
        self._ticked = None
        if not same:
            self._ticks = np.ones(len(rows), dtype=bool)
        self.endResetModel()

    def records(self) -> tuple[SequenceRecord, ...]:
        if self._ticked is None:
            self._ticked = tuple(row.record for row, tick in zip(self._rows, self._ticks, strict=True) if tick)
            self._residues = sum(len(record.residues) for record in self._ticked)
        return self._ticked

    def residues(self) -> int:
        self.records()
        return self._residues

    def tick_all(self, on: bool) -> None:
        self._ticks[:] = on
        self._ticked = None
        if len(self._rows):
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, 0), [Role.CheckStateRole])
        self.ticked.emit()

    def row_count(self) -> int:
        return len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsUserCheckable if index.column() == 0 else flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row, column = self._rows[index.row()], index.column()
        length = len(row.record.residues)
        if role == Role.CheckStateRole and column == 0:
            return Qt.CheckState.Checked if self._ticks[index.row()] else Qt.CheckState.Unchecked
        if role == Role.DisplayRole:
            warning = "⚠ " if row.warns else ""
            return (row.record.id, f"{length:,}", f"{warning}{row.remarks}")[column]
        if role == Role.ToolTipRole:
            return plain((row.record.header, f"Length {length:,}", row.remarks)[column])
        if role == Role.TextAlignmentRole:
            return self.side(column)
        if role == Role.ForegroundRole and column == 2 and row.warns:
            return QColor(colours(QGuiApplication.palette()).warning)
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.CheckStateRole or index.column() != 0:
            return False
        self._ticks[index.row()] = Qt.CheckState(value) == Qt.CheckState.Checked
        self._ticked = None
        self.dataChanged.emit(index, index, [role])
        self.ticked.emit()
        return True


def _fetched(accessions: Sequence[str], control: TaskControl) -> dict[str, Entry]:
    """Ask for entries, one after the other; for a worker. Raises as `fetch_entry`."""
    return {accession: fetch_entry(accession, control) for accession in accessions}


class QueryPanel(SequenceInput):
    """Takes queries as text or file and shows what it detects; `changed` also reports other ticks.

    Attributes
    ----------
    databases : callable
        Returns the databases in which accessions are looked up.
    """

    file_read = Signal(object)  # a query file was read; its path
    sample_wanted = Signal()  # the button was pressed

    def __init__(self, tasks: Tasks) -> None:
        super().__init__("query", "Query", BOX_LINES, tasks)
        self.setObjectName("queryPanel")
        self.databases: Callable[[], Sequence[EncodedDatabase]] = tuple
        self._fetched: dict[str, Entry] = {}
        self._unknown: tuple[str, ...] = ()
        self._known: Sequence[SequenceRecord] = ()  # that were given as records, with their features and letters
        self._kind_asked = False
        self.part = QueryPart()
        self.part.changed.connect(self.changed)
        self._build()
        self._show()

    # What the page calls

    @property
    def records(self) -> tuple[SequenceRecord, ...]:
        return self.table.records() if self.reading.detected else ()

    @property
    def whole_file(self) -> Path | None:
        """The file whose sequences, all of them, are ticked; None if there is none."""
        return self.source if len(self.records) == len(self.reading.rows) else None

    @property
    def residues(self) -> int:
        return self.table.residues() if self.reading.detected else 0

    @property
    def shortest(self) -> SequenceRecord | None:
        return min(self.records, key=lambda record: len(record.residues), default=None)

    @property
    def report(self) -> ReadReport | None:
        """Remarks and changes of the reader; None before anything was read."""
        return self.reading.detected.report if self.reading.detected else None

    @property
    def problem(self) -> str:
        """Why there is nothing to search with, as one sentence; empty if there is."""
        if self.reading.error:
            return self.reading.error
        if self.busy:
            return "Reading the query…"
        if not self.reading.rows:
            return "Add a sequence first."
        if self.doubt is not None:
            return "Answer first how to read the text."
        return self.part.problem if self.table.records() else "Tick at least one sequence."

    @property
    def query_range(self) -> QueryRange | None:
        """The part of every query that is searched with; None for all of it."""
        return self.part.value

    @property
    def searched_residues(self) -> int:
        return self.residues if self.query_range is None else len(self.query_range) * len(self.records)

    # Actions of the user

    def set_text(self, text: str, source: Path | None = None) -> None:
        """Replace the text; all of it is searched."""
        self.part.choose(None)
        super().set_text(text, source)

    def use_record(self, record: SequenceRecord, part: QueryRange | None = None) -> None:
        self.use_records((record,), part)

    def use_records(self, records: Sequence[SequenceRecord], part: QueryRange | None = None) -> None:
        """Search with records that are known; as text if that is not too long.

        Features, second tracks and coordinates stay until the text is edited.
        """
        if sum(len(record.residues) for record in records) <= detection.TEXT_LIMIT:
            lines = (f">{record.header}\n{record.residues.decode('ascii')}" for record in records)
            self._known = tuple(records)
            self.set_text("\n".join(lines))
        else:
            self._hold("")
            self._take(detection.known_records(records))
        self.part.choose(part)

    def open_file(self, path: Path) -> None:
        """Replace the query by a file: its text if it is short, otherwise its beginning; all of it is searched."""
        self.part.choose(None)
        note_input(path, "query")
        self._tasks.drop(self._key)
        self._pause.stop()
        self.reading.error = ""
        self._show()
        self._tasks.submit("open-query", partial(detection.text_of, path), partial(self._opened, path), self._refused)

    def open_files(self, paths: Sequence[Path]) -> None:
        """Replace the query by several files, read as one; all of it is searched."""
        self.part.choose(None)
        for path in paths:
            note_input(path, "query")
        self._hold(f"Reading {words.count(len(paths), 'file')}…")
        self.reading.read = partial(detection.detect_in_files, tuple(paths))
        self._parse()
        for path in reversed(paths):
            self.file_read.emit(path)

    def focus_box(self) -> None:
        self.box.setFocus()

    def look_again(self) -> None:
        text = self.box.toPlainText()
        if accessions_in(text) or gene_in(text) is not None:
            self._parse_soon(0)

    def look_online(self) -> None:
        """Ask public databases for the accessions that were not found, if the user agrees."""
        hosts = hosts_of(self._unknown)
        names = ", ".join(self._unknown)
        if not hosts:
            QMessageBox.information(self.window(), "Look up online", f"No public database has accessions like {names}.")
            return
        question = f"Send {names} to {' and '.join(hosts)}?\n\nOnly the accession is sent."
        if QMessageBox.question(self.window(), "Look up online", question) == QMessageBox.StandardButton.Yes:
            self._online.setEnabled(False)
            unknown = self._unknown
            self._tasks.start("online-query", partial(_fetched, unknown), self._take_fetched, self._not_fetched)

    # Inside

    def _reader_of(self, text: str) -> Read:
        wanted = accessions_in(text)
        if not wanted and (named := gene_in(text)) is not None:
            return partial(detection.detect_gene, text, named, tuple(self.databases()))
        if not wanted:
            return super()._reader_of(text)
        return partial(detection.detect_entries, wanted, tuple(self.databases()), dict(self._fetched))

    def _take_fetched(self, entries: dict[str, Entry]) -> None:
        self._online.setEnabled(True)
        self._fetched |= entries
        self._parse_soon(0)

    def _not_fetched(self, error: Exception) -> None:
        self._online.setEnabled(True)
        self._refused(error)

    def _take(self, detected: Detected | None) -> None:
        self._unknown = ()
        if detected is not None and self._known:
            records = {(record.header, record.residues): record for record in self._known}
            rows = (
                replace(row, record=records.get((row.record.header, row.record.residues), row.record))
                for row in detected.rows
            )
            detected = replace(detected, rows=tuple(rows))
        super()._take(detected)

    def _refused(self, error: Exception) -> None:
        self._unknown = error.accessions if isinstance(error, UnknownAccession) else ()
        super()._refused(error)

    def _opened(self, path: Path, text: str | None) -> None:
        self.file_read.emit(path)
        if text is not None and text.strip():
            self.set_text(text, path)
        else:
            self._read_file(path)

    def _build(self) -> None:
        described(
            self.box,
            tip="FASTA, GenBank, EMBL, UniProt text, FASTQ or bare residues, one or many",
            accessible="Query sequences",
        )
        self.box.setPlaceholderText(PLACEHOLDER)
        self.box.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.box.setWordWrapMode(QTextOption.WrapMode.WrapAnywhere)
        opens = push_button("queryOpen", "Open…", "Read the queries from a file", self.open_wanted, role="quiet")
        tip = "Replace the query by the text of the clipboard"
        paste = push_button("queryPaste", "Paste", tip, self.paste, role="quiet")
        sample = "Search with the sample sequences"
        self._sample = push_button("querySample", "Use the sample", sample, self.sample_wanted, role="quiet")
        more = push_button("queryMore", "⋯", "Sample, clear, kind of sequence, a part, remarks", role="quiet",
                           accessible="More about the query")  # fmt: skip
        more.setMenu(self._build_menu(more))
        head = in_row(
            text_label("Query", level="heading"), (self._where, 1), self._sample, paste, opens, more, spacing=0.5
        )
        head.insertSpacing(1, grid(1))
        left = QWidget()
        self._left = in_column((self.box, 1), self._doubt, parent=left)
        self._right = self._build_detected()
        self._split = in_splitter(Qt.Orientation.Horizontal, (left, 3), (self._right, 2), name="querySplit")
        self._split.setSizes([grid(90), grid(60)])
        self._kinds = QWidget()
        in_row(*self._kind_parts, parent=self._kinds)
        tip = "Fetch entries that the database lacks from UniProt, NCBI or the PDB; asks you first"
        self._online = push_button("queryOnline", "Look up online…", tip, self.look_online, role="quiet")
        self._online.hide()
        foot = in_row((self._summary, 1), self._kinds, self._online, self._report, spacing=0.5)
        column = (head, (self._split, 1), self._progress, foot, self.complexity, self.part)
        in_column(*column, margins=(2, 1, 2, 1), spacing=0.5, parent=self)
        self._fit_columns()

    def _build_menu(self, parent: QWidget) -> QMenu:
        menu = make_menu("queryMenu", parent)
        menu_command(menu, "querySampleMenu", "Sample", "Search with the sample sequences", self.sample_wanted.emit)
        menu_command(menu, "queryClear", "Clear", "Empty the query box", self.clear)
        menu.addSeparator()
        tip = "Search with a part of every query"
        self._part = menu_command(menu, "queryOnlyPart", "Query subrange…", tip, self._ask_part)
        tip = "Read the symbols as protein or as nucleotides"
        menu_command(menu, "queryAskKind", "Kind of sequence…", tip, self._choose_kind)
        self._ticks = [
            menu_command(menu, "queryTickAll", "Tick all", "Search with all", lambda: self.table.tick_all(True)),
            menu_command(menu, "queryTickNone", "Tick none", "Tick none", lambda: self.table.tick_all(False)),
        ]
        tip = "Show the sequences as read, and every change made to them"
        self._reports = menu_command(menu, "queryInputReport", "Remarks…", tip, self.show_report)
        return menu

    def _build_detected(self) -> QWidget:
        self.table = QueryTable()
        self.complexity = ComplexityLine(self._tasks)
        self.complexity.measured.connect(self.part.picture.show_stretches)
        self.table.ticked.connect(self._ticks_changed)
        self.view = row_table(
            QTableView(), "queryTable", "Sequences found; tick those to search with", self.table, rows=2.75
        )
        self.view.setHorizontalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )  # long remarks are in the tool tip
        self.view.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        panel = QWidget()
        in_column((self.view, 1), parent=panel)
        return panel

    def ask_kind(self, on: bool) -> None:
        self._kinds.setVisible(on or self._kind_asked or self.kind != "auto")

    def _choose_kind(self) -> None:
        self._kind_asked = True
        self.ask_kind(True)
        self._kind.setFocus()

    def _ask_part(self) -> None:
        self.part.asked = True
        self.part.show_queries(self.records)
        self.part.field.setFocus()

    def _fit_columns(self) -> None:
        metrics = QFontMetricsF(self.view.font())
        rows = self.reading.rows[:SAMPLED]
        widest = max((metrics.horizontalAdvance(row.record.id) for row in rows), default=0.0)
        tick_and_padding = grid(5)
        width = min(max(grid(12), round(widest) + tick_and_padding), max(grid(18), self.view.width() * 3 // 5))
        header, mode = self.view.horizontalHeader(), QHeaderView.ResizeMode
        noted = any(row.remarks for row in self.reading.rows)
        header.setSectionHidden(2, not noted)
        header.setStretchLastSection(noted)
        header.setSectionResizeMode(0, mode.Interactive if noted else mode.Stretch)
        header.resizeSection(0, width)
        header.resizeSection(1, max(grid(9), header.sectionSizeHint(1)))

    def set_narrow(self, narrow: bool) -> None:
        """Put the detected kind below the box instead of next to it."""
        self._split.setOrientation(Qt.Orientation.Vertical if narrow else Qt.Orientation.Horizontal)
        self.view.setMinimumHeight(grid(14) if narrow else 0)

    def restyle(self) -> None:
        super().restyle()
        self._fit_columns()

    def _fill(self) -> None:
        self.table.show_rows(self.reading.rows)
        self._fit_columns()

    def _ticks_changed(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        super()._show()
        detected, error = self.reading.detected, self.reading.error
        rows = self.reading.rows
        for action in self._ticks:
            action.setEnabled(len(rows) > 1)
        self._part.setEnabled(bool(rows))
        self._reports.setEnabled(detected is not None)
        self._sample.setVisible(not rows and not self.busy)
        self._report.setVisible(any(row.warns for row in rows))
        self._online.setVisible(bool(self._unknown))
        self.part.show_queries(self.records)
        self._right.setVisible(len(rows) > 1)
        set_role(self._summary, level="muted", tone="danger" if error else "")
        self.complexity.look(self.records, self.alphabet)
        if error or detected is None:
            self._summary.setText(error or ("Reading…" if self.busy else ""))
            return
        ticked = self.table.records()
        text = wording.queries(len(ticked), self.table.residues(), detected.alphabet.name)
        if detected.where:
            text += (
                f": {rows[0].record.header}, from {detected.where}" if len(rows) == 1 else f", from {detected.where}"
            )
        elif len(rows) == 1 and ticked and rows[0].remarks:
            text += f": {rows[0].remarks}"
        if empty := detected.report.counts["empty"]:
            text += f"; {words.count(empty, 'empty record')} left out"
        if detected.repeated:
            text += f"; {words.count(detected.repeated, 'sequence')} that repeat another"
        if len(rows) >= MANY:
            text += ". To search in them instead, open the file as the database"
        self._summary.setText(text)
