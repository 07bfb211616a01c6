"""The answer to a question on sets: its sentences first, then filters, and the table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from swgui.core.answer import Count
from swgui.core.words import count
from swgui.gui.inputs.marked_table import let_mark, marked, star_filter
from swgui.gui.inputs.marks import SharedMarks
from swgui.gui.inputs.methods_dialog import MethodsDialog
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row, turn
from swgui.gui.kit.saving import TABLE_FILES, ask_save_path
from swgui.gui.kit.tables.column_table import NOTE, STAR, ColumnView
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import push_button, text_label, tool_button
from swgui.gui.network.sets.work import (
    Pair,
    SetsResult,
    pair_at,
    problem_text,
    save_certificate,
    save_report,
    verified,
)
from swgui.gui.words import wording
from swgui.io.table_files import form_of, write_table
from swgui.runs import Runs


class SetsResultView(QWidget):
    """Shows one answer, and writes and verifies it."""

    message = Signal(str)
    pair_wanted = Signal(object, object, object, str)  # query and subject, their `ScoringScheme`, and the strand
    form_wanted = Signal()  # the form is to be shown again, where there is no room for both
    state_changed = Signal()

    def __init__(self, history: Runs, marks: SharedMarks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("setsResult")
        self._history, self._marks = history, marks
        self.result: SetsResult | None = None
        self.filters: list[QToolButton] = []
        self.tasks, self.writing, self.verifying, self.pairing = Tasks(self), Task(self), Task(self), Task(self)
        self._build()
        self.verifying.changed.connect(self._show_state)
        self.verifying.progressed.connect(
            lambda share, _text: self._say(f"Computing all again: {max(share, 0) / 10:.0f} %")
        )

    def show_result(self, result: SetsResult) -> None:
        """Show an answer."""
        self.verifying.drop()
        self.result = result
        first, *others = result.answer.texts()
        self.title.setText(result.name)
        self.answer.setText(wording.unbroken(first))
        self.others.setText(wording.unbroken("\n".join(others)))
        self._say("")
        self.report_button.setVisible(result.codec.reported)
        self.certificate_button.setVisible(result.codec.certified)
        self._show_counts(result)
        self.table.show_source(marked(result.source, self._marks, result.name_at, result.kind.marks))
        self._show_state()

    def export(self) -> None:
        """Write the table."""
        if (result := self.result) is not None:
            marks, table = self._marks.as_table(), result.table
            table = table if marks is None else marks.join(table, result.kind.marks)
            self._save("Export the table", f"{result.kind.name}.tsv", TABLE_FILES,
                       lambda path: write_table(str(path), table, form_of(str(path))))  # fmt: skip

    def save(self) -> None:
        """Write request and outcome to one file, which opens on any computer."""
        if (result := self.result) is not None:
            ending, files = result.kind.file
            runs, kept = self._history.of(result.kind.name), result.kept
            self._save("Save the run", f"{result.kind.name}{ending}", files,
                       lambda path: runs.write_file(kept.asked, kept.outcome, path))  # fmt: skip

    def certificate(self) -> None:
        """Write the comparison and its results as JSON that ``swgui verify`` checks."""
        if (result := self.result) is not None:
            name = f"{result.kind.name}.json"
            self._save("Save the certificate", name, "Certificate (*.json)", partial(save_certificate, result))

    def report(self) -> None:
        """Write the page on the results."""
        if (result := self.result) is not None:
            work, kinds = partial(save_report, result), "Page (*.html)"
            if path := ask_save_path(self, "Save the report", f"{result.kind.name}.html", kinds, self._failed):
                self.writing.start(lambda control: work(path, control), partial(self._saved, path), self._failed)

    def methods(self) -> None:
        """Show the paragraph for a Methods section."""
        if (result := self.result) is not None:
            made = result.codec.methods_text(result.kept.asked, result.kept.outcome)
            MethodsDialog(made, result.name, self.tasks, self.message.emit, self).open()

    def verify(self) -> None:
        """Compute all again, and compare."""
        if self.verifying.busy:
            self.verifying.stop()
        elif self.result is not None:
            self._say("Computing all again…")
            self.verifying.start(partial(verified, self.result), self._verified, self._not_verified)

    def open_row(self, row: int) -> None:
        """Align the two sequences of a row on the Pair page."""
        if self.result is not None and self.result.pairs:
            work = partial(pair_at, self.result, row)
            self.pairing.start(work, self._take_pair, self._failed)

    def _clicked_twice(self, index: QModelIndex) -> None:
        if self.table.source.columns[index.column()].key not in (STAR, NOTE):
            self.open_row(int(self.table.rows_model.rows[index.row()]))

    def restyle(self) -> None:
        """Follow theme and text size."""
        self.table.viewport().update()

    def set_narrow(self, narrow: bool) -> None:
        """Put the buttons below the answer if there is no room next to it, and offer the form."""
        turn(self._head, narrow)
        self.form_button.setVisible(narrow)

    def shutdown(self) -> None:
        """Stop the workers."""
        self.table.forget()
        for task in (self.writing, self.verifying, self.pairing, self.tasks):
            task.shutdown()

    def _save(self, title: str, name: str, kinds: str, write: Callable[[Path], object]) -> None:
        if path := ask_save_path(self, title, name, kinds, self._failed):
            self.writing.start(lambda _: write(path), partial(self._saved, path), self._failed)

    def _saved(self, path: Path, _done: object) -> None:
        self.message.emit(f"Written to {path.name}.")

    def _failed(self, error: Exception) -> None:
        self._say(problem_text(error), "danger")

    def _take_pair(self, found: Pair | None) -> None:
        if found is not None:
            self.pair_wanted.emit(*found)

    def _verified(self, sentence: str) -> None:
        self._say(sentence)

    def _not_verified(self, error: Exception) -> None:
        self._say(f"Not verified: {problem_text(error)}", "warning")

    def _say(self, text: str, tone: str = "") -> None:
        self._note.setText(text)
        set_role(self._note, tone=tone)
        self._note.setVisible(bool(text))

    def _show_state(self) -> None:
        self.verify_button.setText("Stop verifying" if self.verifying.busy else "Verify")
        self.state_changed.emit()

    def _show_number(self, number: int) -> None:
        if self.result is not None:
            total = self.result.source.count
            said = count(total, "row") if number == total else f"{number:,} of {count(total, 'row')}"
            more = "; double-click one to see the alignment" if self.result.pairs and total else ""
            self._number.setText(f"{said}{more}")

    def _build(self) -> None:
        self.title = text_label(name="setsTitle", level="muted", wrap=True, plain=True)
        self.answer = text_label(name="setsAnswer", level="heading", wrap=True, plain=True, selectable=True)
        self.others = text_label(name="setsSentences", wrap=True, plain=True, selectable=True)
        self._note = text_label(name="setsResultNote", wrap=True, plain=True)
        self._note.hide()
        self.export_button = push_button("setsExport", "Export…", "Write the table: TSV, CSV, JSON, Excel", self.export,
                                         role="primary")  # fmt: skip
        self.report_button = push_button(
            "setsReport", "Report…", "Write a page with counts, a histogram and the most identical pairs", self.report
        )
        self.certificate_button = push_button(
            "setsCertificate", "Certificate…", "Write what was compared and found, for swgui verify", self.certificate
        )
        self.verify_button = push_button("setsVerify", "Verify", "Compute all again, and compare", self.verify)
        self.form_button = push_button("setsQuestion", "Question…", "Ask another question", self.form_wanted)
        self.form_button.hide()
        buttons = FlowRow.of(
            self.form_button,
            self.verify_button,
            self.certificate_button,
            self.report_button,
            self.export_button,
            right=True,
        )
        words = in_column(self.title, self.answer, self.others, self._note, spacing=0.5)
        self._head = in_row((words, 3), (buttons, 2), spacing=2)
        self._groups, self._exclusive = FlowRow(), QButtonGroup(self)
        self._number = text_label(name="setsRows", level="small", wrap=True, plain=True)
        self.table = ColumnView(self.tasks, "setsTable", "Rows of the answer")
        keep_size(self.table, height=20)
        let_mark(self.table, self._marks)
        self.starred = star_filter("setsStarred", "rows", self.table.set_starred)
        self.table.arranged.connect(self._show_number)
        self.table.doubleClicked.connect(self._clicked_twice)
        in_column(
            self._head,
            self._groups,
            in_row((self._number, 1), self.starred),
            (self.table, 1),
            margins=(1.5, 0, 0, 0),
            spacing=1,
            parent=self,
        )

    def _show_counts(self, result: SetsResult) -> None:
        """Make a button for each number of the answer, which lists its rows."""
        for button in self.filters:
            self._groups.take_away(button)
        self.filters = []
        counts = [count for line in result.answer.lines for count in line.counts]
        for number, one in enumerate([Count("all", result.source.count), *counts]):
            button = tool_button(f"setsCount-{number}", f"{one.head}: {one.number:,}", "List these rows alone")
            button.setCheckable(True)
            button.setChecked(number == 0)
            button.setEnabled(one.number > 0 or number == 0)
            button.clicked.connect(partial(self._list, one))
            self._exclusive.addButton(button)
            self._groups.add(button)
            button.show()
            self.filters.append(button)

    def _list(self, count: Count, _on: bool = False) -> None:
        if self.result is not None:
            self.table.set_mask(self.result.rows(count))
