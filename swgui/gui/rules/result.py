"""The result of a search by rule: the verdict, the places, and the alignment of the chosen one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QWidget

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.answer import Where
from swgui.core.headers import Header, parse_header
from swgui.core.loci.annotation import Annotation, Locator
from swgui.core.plain import replace
from swgui.core.rules.base import Rule
from swgui.core.table import Column
from swgui.core.words import count, duration
from swgui.gui.inputs.features import TIP, FeatureChoice, locus_column
from swgui.gui.inputs.marked_table import let_mark, marked, star_filter
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.inputs.own_table import ask_own_table, fault_of, own_columns, read_own_table
from swgui.gui.inputs.saving_dialog import SavingDialog
from swgui.gui.kit.answers import AnswerView
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import Sheets, card, in_column, in_row, in_splitter, turn
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn, number_column
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid, keep_size, set_role
from swgui.gui.kit.widgets import line_edit, push_button, text_label, text_view
from swgui.gui.rules.places import place_of
from swgui.gui.rules.work import (
    CERTIFICATES,
    REPAIRS,
    TABLES,
    CertificateJob,
    FileForm,
    RuleResult,
    TableJob,
    alignment_text,
    place_rows,
)
from swgui.io.metadata import Metadata
from swgui.jobs.rules.table import (
    BEFORE,
    BEHIND,
    DIFFERING,
    FASTA,
    PAM_COLUMN,
    PLACE_COLUMNS,
    PRACTICE,
    SEED_COLUMN,
    PlaceRows,
)

_COLUMNS: Final = {column.key: column for column in PLACE_COLUMNS}
SHORT: Final = 30  # residues of queries whose places are shown in the list
MEASURED: Final = 60  # rows whose organisms decide whether there is a column of them
CONTROLS = (
    "Before each search sequences are made that just meet the rule (positive controls), and others that just miss it "
    "(negative controls). There is no result unless all of them give the expected outcome."
)
D = TypeVar("D", "RuleTableDialog", "CertificateDialog")


def source_of(result: RuleResult, locator: Locator | None = None) -> ColumnSource:
    """Return the table of a result; without columns that its rule does not use.

    Parameters
    ----------
    locator : Locator, optional
        Says where places lie; there is no column of it otherwise.
    """
    places, rule, database = result.places, result.request.rule, result.database
    rows, names = result.found.rows, result.request.names
    gapped = bool(places.insertions.any() or places.deletions.any())

    def shown(*keys: str) -> list[TableColumn]:
        return [number_column(_COLUMNS[key], rows) for key in keys]

    columns = _named(result, names)
    if result.fasta is not None:
        columns += [*_identity(rule, rows), number_column(FASTA, rows), _reading(result)]
    columns += shown("sstart", "send")
    if result.request.alphabet.name == NUCLEOTIDE.name:
        columns.append(_text("sstrand", lambda row: "+" if places.strand[row] > 0 else "−", order=places.strand))
    columns += shown("size") if rule.paired else []
    columns += [_lies_in(result, locator)] if locator is not None else []
    columns += [_word(PAM_COLUMN, result)] if rule.beside_pam else []
    columns += shown(rule.counted or ("differences" if gapped else "mismatch"))
    columns += [_word(SEED_COLUMN, result), _word(DIFFERING, result)] if rule.beside_pam else []
    if rule.shows_identity and result.fasta is None and not rule.beside_pam:
        columns += _identity(rule, rows)
    if gapped and result.fasta is None:
        columns += shown(*(key for key in ("mismatch", "insertions", "deletions") if _COLUMNS[key].numbers(rows).any()))
    columns += shown(*rule.columns)
    columns += shown("other_readings") if places.other_readings.any() else []
    longest = max(len(record.residues) for record in result.request.queries)
    if not rule.paired and not rule.beside_pam and longest <= SHORT:
        columns.append(_word(_COLUMNS["sseq"], result, "Residues"))
    if not rule.paired and not result.request.frames and longest <= SHORT:
        columns += [_word(BEFORE, result), _word(BEHIND, result)]
    if len(database) > 1 or columns[-1].kind == "number":  # of one sequence it would say the same in each row
        columns += _described(result)
    return ColumnSource(columns, len(places))


def _identifiers(rows: PlaceRows) -> list[str]:
    """Return the identifier of the sequence of each place."""
    subjects = rows.places.subject.astype(np.int64)
    names = dict(zip(subjects.tolist(), rows.database.ids.decoded(subjects), strict=True))
    return [names[index] for index in subjects.tolist()]


def _text(key: str, text: Callable[[int], str], **more: Any) -> TableColumn:
    column = _COLUMNS[key]
    return TableColumn(column.key, column.head, column.description, text, **more)


def _word(column: Column[PlaceRows], result: RuleResult, title: str = "") -> TableColumn:
    """Return a column that is read a row at a time, since it needs the alignment."""

    def text(row: int) -> str:
        (value,) = column.values(place_rows(result, row))
        return "" if value is None else str(value)

    return TableColumn(column.key, title or column.title, column.description, text, figures=column.kind == "integer")


def _header(result: RuleResult, row: int) -> Header:
    index, database = int(result.places.subject[row]), result.database
    return parse_header(database.ids[index], database.descriptions[index])


def _named(result: RuleResult, names: Sequence[str]) -> list[TableColumn]:
    """Return the columns of the names: of the query, where there are several, and of the sequence."""
    places, database = result.places, result.database
    sequence = _text(
        "sseqid", lambda row: _header(result, row).name, full=lambda row: database.ids[int(places.subject[row])]
    )
    query = _text("qseqid", lambda row: names[int(places.query[row])], order=places.query)
    return [query, sequence] if len(names) > 1 else [sequence]


def _lies_in(result: RuleResult, locator: Locator) -> TableColumn:
    """Return the column of the places among features."""
    places = result.places
    return locus_column(
        locator, places.subject, places.start, places.end, places.strand if result.request.frames else None
    )


def _described(result: RuleResult) -> list[TableColumn]:
    """Return the organism of each sequence, if headers of the first places have one, and its title."""
    some = range(min(MEASURED, len(result.places)))
    organism = TableColumn("organism", "Organism", "Of the sequence", lambda row: _header(result, row).organism)
    title = TableColumn("stitle", "Description", "Of the sequence", lambda row: _header(result, row).title)
    return [organism, title] if any(_header(result, row).organism for row in some) else [title]


def _identity(rule: Rule, rows: PlaceRows) -> list[TableColumn]:
    tip = f"Largest identity that is attained, over {rule.counted_over}"
    return [replace(number_column(_COLUMNS["identity"], rows), tip=tip)]


def _reading(result: RuleResult) -> TableColumn:
    """Return the column of the reading by which a sequence passes."""
    passes = PRACTICE.numbers(result.found.rows)
    tip = "FAO/WHO practice: FASTA's alignment of the window exceeds the limit, too. Strictest: any alignment does"
    said = ("strictest reading", "FAO/WHO practice")
    return TableColumn("practice", "Passes by", tip, lambda row: said[int(passes[row])], order=-passes)


class RuleTableDialog(SavingDialog[FileForm, TableJob]):
    """Asks how to write the places and writes them."""

    def __init__(
        self,
        tasks: Tasks,
        result: RuleResult,
        own: Metadata | None = None,
        annotation: Annotation | None = None,
        parent: QWidget | None = None,
        *,
        marks: Metadata | None = None,
    ) -> None:
        super().__init__(tasks, "ruleExport", "Export the places", TABLES, result.request.rule.name, parent)
        self._result, self._own, self._annotation, self._marks = result, own, annotation, marks
        self.arrange(size=(92, 60))
        self.changed()

    def job(self) -> TableJob:
        return TableJob(self._result, self.format_box.currentData(), self._own, self._annotation, self._marks)


class CertificateDialog(SavingDialog[FileForm, CertificateJob]):
    """Shows the certificate and writes it."""

    def __init__(self, tasks: Tasks, result: RuleResult, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "ruleCertificate", "Certificate", CERTIFICATES, "certificate", parent)
        self._result = result
        self.arrange(text_label(result.facts["not_said"], level="muted", wrap=True), size=(92, 72))
        self.changed()

    def job(self) -> CertificateJob:
        return CertificateJob(self._result, self.format_box.currentData())


class RuleResultView(QWidget):
    """Shows one result; `resume_wanted` asks to continue a stopped one, `repair_wanted` to ask again."""

    message = Signal(str)
    resume_wanted = Signal()
    repair_wanted = Signal(object)  # the `Repair` of a question that found nothing
    place_wanted = Signal(object)  # the `Place` of the chosen row, to be shown on its sequence

    def __init__(self, tasks: Tasks, choice: FeatureChoice, marks: SharedMarks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ruleResult")
        self._tasks, self._choice, self.marks = tasks, choice, marks
        choice.changed.connect(self._find_loci)
        self.result: RuleResult | None = None
        self.own: Metadata | None = None  # a table of the user's own, whose columns places have
        self._locator: Locator | None = None  # says where the places of the result lie, once their features are read
        self._build()

    def show_result(self, result: RuleResult) -> None:
        """Show a result; its first place is chosen."""
        self.result, self._locator = result, None
        title, sentence = result.verdict
        complete, number = result.run.complete, len(result.places)
        self.title.setText(title)
        self.sentence.setText(sentence)
        set_role(self.sentence, tone="" if complete else "warning")
        self.rule.setText(result.request.sentence())
        self.checks.setText(_checks(result))
        self.answer.show_answer(result.answer)
        self._show_all()
        self.resume_button.setVisible(not complete)
        self.show_background(result.facts.get("background", {}).get("sentence", ""))
        self.export_button.setEnabled(number > 0)
        self.locus_button.setEnabled(number > 0)
        self.none_title.setText(title)
        self.none_text.setText(f"{sentence} {'The certificate says what was tested.' if complete else ''}")
        for index, button in enumerate(self.repair_buttons):
            button.setHidden(index >= len(result.repairs))
            button.setText(result.repairs[index].said if index < len(result.repairs) else "")
        self.stack.show_sheet(1 if number else 0)
        self._above.setVisible(number > 0)
        self.title.setVisible(number > 0)
        self.sentence.setVisible(number > 0)
        if number:
            self._show_source(result, source_of(result))
            self._join()
            self._find_loci()
            self.table.setFocus()

    def _find_loci(self) -> None:
        """Read the features of the sequences with places, in a worker, then show the column of loci."""
        result, annotation = self.result, self._choice.annotation
        if result is None or not len(result.places):
            return
        if annotation is None and result.database.feature_texts is None:
            return

        def read() -> Locator:
            locator = Locator(result.database, annotation)
            for subject in np.unique(result.places.subject).tolist():
                locator.table(subject)
            return locator

        self._tasks.submit("rule-loci", read, lambda locator: self._show_loci(result, locator))

    def _show_loci(self, result: RuleResult, locator: Locator) -> None:
        if self.result is not result:
            return
        self._locator = locator
        self._show_source(result, source_of(result, locator))
        self._join()
        if self.isVisible() and (said := locator.summary()):  # features may have been chosen on another page
            self.message.emit(said)

    def take_background(self, result: RuleResult) -> None:
        """Replace the result by itself with a background."""
        self.result = result
        self.answer.show_answer(result.answer)
        self.show_background(result.facts["background"]["sentence"])

    def show_chosen(self, where: tuple[Where, ...], said: str) -> None:
        """Show only the places that a number of the answer counts."""
        if self.result is None or not len(self.result.places):
            return
        mask = np.zeros(len(self.result.places), np.bool_)
        mask[self.result.found.chosen(where)] = True
        self.table.set_mask(mask)
        self.shown.setText(f"{said}: {int(mask.sum()):,} of {count(len(mask), 'place')}")
        self._shown.show()

    def _show_all(self) -> None:
        """Show all places again."""
        self._shown.hide()
        self.table.set_mask(None)

    def show_background(self, text: str) -> None:
        """Show the number of sequences that pass by chance, or that it is being measured; nothing for an empty text."""
        self.background.setText(text)
        self.background.setVisible(bool(text))

    def export(self) -> RuleTableDialog | None:
        if self.result is None:
            return None
        marks = self.marks.as_table()
        return self._open(
            RuleTableDialog(self._tasks, self.result, self.own, self._choice.annotation, self, marks=marks)
        )

    def certificate(self) -> CertificateDialog | None:
        return self._open(CertificateDialog(self._tasks, self.result, self)) if self.result else None

    def ask_table(self) -> None:
        """Ask for a table of the user's own, and add its columns to the places."""
        if (path := ask_own_table(self)) is not None:
            self.add_table(path)

    def add_table(self, path: Path) -> None:
        """Add the columns of a file, to later results as well; the message says how many names have a row."""
        if self.result is None:
            return
        names = _identifiers(self.result.found.rows)
        self.message.emit(f"Reading {path.name}…")
        self._tasks.submit("rule-own", partial(read_own_table, path, names), self._take_own, self._no_own)

    def _take_own(self, own: Metadata) -> None:
        self.own = own
        self._join()

    def _no_own(self, error: Exception) -> None:
        self.message.emit(fault_of(error))

    def _join(self) -> None:
        """Show the places with the columns of the user's own table, if there is one."""
        if (own := self.own) is None or (result := self.result) is None:
            return
        source = source_of(result, self._locator)
        taken = [column.key for column in source.columns]
        self._tasks.submit(
            "rule-own-columns",
            partial(own_columns, own, _identifiers, result.found.rows, taken),
            partial(self._show_joined, own, result, source),
        )

    def _show_joined(
        self, own: Metadata, result: RuleResult, source: ColumnSource, more: Sequence[TableColumn]
    ) -> None:
        if result is self.result:
            self._show_source(result, ColumnSource([*source.columns, *more], source.count))
            self.message.emit(own.summary())

    def _show_source(self, result: RuleResult, source: ColumnSource) -> None:
        places, ids = result.places, result.database.ids
        self.table.show_source(marked(source, self.marks, lambda row: ids[int(places.subject[row])], "sseqid"))
        if result.fasta is not None:
            self.table.sort_by(FASTA.key, descending=True)  # the reading of practice first

    def _open(self, dialog: D) -> D:
        dialog.saved.connect(lambda path, _job: self.message.emit(f"Written to {path}."))
        dialog.open()
        return dialog

    def _show_place(self, row: int) -> None:
        if self.result is not None:
            work = partial(alignment_text, self.result, row)
            self._tasks.submit("rule-alignment", work, self.alignment.setPlainText)

    def _arranged(self, count: int) -> None:
        if count and not self.table.selectionModel().hasSelection():
            self.table.selectRow(0)

    def _selected(self) -> None:
        if (row := self._current()) is not None:
            self._show_place(row)

    def _current(self) -> int | None:
        """Row of the chosen place in the result; None if none is chosen."""
        index = self.table.currentIndex()
        inside = index.isValid() and index.row() < len(self.table.rows_model.rows)
        return int(self.table.rows_model.rows[index.row()]) if inside else None

    def show_on_sequence(self) -> None:
        """Show the chosen place on the Locus page."""
        if self.result is not None and (row := self._current()) is not None:
            self.place_wanted.emit(place_of(self.result, row))

    def _build(self) -> None:
        self.title = text_label(name="ruleVerdict", level="heading", plain=True)
        self.sentence = text_label(name="ruleVerdictSentence", wrap=True, plain=True)
        self.rule = text_label(name="ruleAsked", level="muted", wrap=True, plain=True)
        self.checks = text_label(name="ruleChecks", level="small", wrap=True, plain=True)
        self.checks.setToolTip(CONTROLS)
        self.background = text_label(name="ruleBackground", wrap=True, plain=True)
        tip = "Show and save the rule, the tests and the result"
        certificate = push_button("ruleCertificate", "Certificate…", tip, self.certificate, icon="report")
        self.export_button = push_button(
            "ruleExport", "Export…", "Write the places: TSV, BED, GFF3, CSV", self.export, icon="export"
        )
        tip = "Show the chosen place among genes, bases and frames of its sequence (Ctrl+L)"
        self.locus_button = push_button("ruleLocus", "Show on the sequence", tip, self.show_on_sequence, icon="locus")
        tip = "Scan the rest of the database"
        self.resume_button = push_button("ruleResume", "Resume", tip, self.resume_wanted, icon="play")
        buttons = FlowRow.of(self.resume_button, self.locus_button, certificate, self.export_button, right=True)
        self.answer = AnswerView(self._tasks, "ruleAnswer")
        self.answer.wanted.connect(self.show_chosen)
        words = in_column(
            self.answer.sentence, self.title, self.sentence, self.rule, self.background, self.checks, spacing=0.25
        )
        self._head = in_row((words, 3), (buttons, 1), spacing=2)
        head = card("ruleHead", self._head)
        self.table = ColumnView(self._tasks, "ruleTable", "Places that meet the rule")
        let_mark(self.table, self.marks)
        self.table.arranged.connect(self._arranged)
        self.table.selectionModel().currentRowChanged.connect(lambda *_: self._selected())
        self.alignment = text_view("ruleAlignment", "Alignment of the place that is chosen")
        self.alignment.setToolTip("Both rows of the chosen place; select and copy")
        keep_size(self.alignment, height=14)
        split = in_splitter(Qt.Orientation.Vertical, (self.table, 3), (self.alignment, 1), name="ruleSplit")
        split.setSizes([grid(60), grid(18)])
        self.stack = Sheets(self._build_none(), split)
        self.shown = text_label(name="ruleShown", plain=True)
        everything = push_button("ruleShowAll", "Show all", "Show all places again", self._show_all, role="quiet")
        self.filter = line_edit("ruleFilter", "Show only places with these words", accessible="Filter of the places")
        self.filter.setPlaceholderText("Filter by names")
        self.filter.textChanged.connect(self.table.set_words)
        self.starred = star_filter("ruleStarred", "places", self.table.set_starred)
        self._shown = QWidget()
        in_row(self.shown, everything, parent=self._shown)
        self._above = QWidget()
        tip = "Add the columns of a table (CSV, TSV, XLSX) with one row for each sequence"
        add = push_button("ruleOwn", "Add a table…", tip, self.ask_table, role="quiet")
        features = push_button("ruleFeatures", "Features…", TIP, lambda: self._choice.ask(self), role="quiet")
        in_row((self._shown, 0), 1, features, add, self.starred, self.filter, parent=self._above)
        in_column(head, self.answer, self._above, (self.stack, 1), margins=2, spacing=1, parent=self)

    def set_narrow(self, narrow: bool) -> None:
        """Put the buttons below the sentences, or next to them."""
        turn(self._head, narrow)

    def _build_none(self) -> QFrame:
        frame = QFrame()
        frame.setObjectName("ruleNone")
        set_role(frame, role="drop")
        self.none_title = text_label(name="ruleNoneTitle", level="title", centred=True, plain=True)
        self.none_text = text_label(name="ruleNoneText", level="heading", centred=True, wrap=True, plain=True)
        self.repair_buttons = [
            push_button(f"ruleMend{number}", "", "Repair the question, and look again", partial(self._mend, number))
            for number in range(REPAIRS)
        ]
        buttons = in_row(1, *self.repair_buttons, 1, spacing=1)
        in_column(2, self.none_title, self.none_text, buttons, 3, margins=3, spacing=1.5, parent=frame)
        return frame

    def _mend(self, number: int) -> None:
        if self.result is not None:
            self.repair_wanted.emit(self.result.repairs[number])


def _checks(result: RuleResult) -> str:
    """Return sentences on the tests: planted controls that meet the rule, and controls that just miss it."""
    facts, controls = result.facts, result.run.controls
    unit = result.request.rule.unit
    parts = [f"{facts['tested']:,} of {facts['expected']:,} {unit} tested"]
    if controls is not None:
        planted = count(controls.within, "positive control")
        beyond = f", {controls.beyond_found:,} of {controls.beyond:,} negative controls" if controls.beyond else ""
        parts.append(
            f"{controls.within_found:,} of {planted} found{beyond}" if controls.within else "no control planted"
        )
    parts.append(f"{result.run.device}, {duration(result.run.seconds, measured=True)}")
    kept = "Kept among Runs." if result.run_id else result.not_kept
    return f"{'; '.join(parts)}. {kept}".strip()
