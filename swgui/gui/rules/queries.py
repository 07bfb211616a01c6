"""The box for the queries of a rule."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QSizePolicy

from swgui.core import words
from swgui.gui.inputs import detection
from swgui.gui.inputs.sequence import SequenceInput
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import note_input
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import described, push_button, text_label
from swgui.gui.words import wording

LINES = 5


class RuleQueries(SequenceInput):
    """Takes queries as text or file; all of them are searched."""

    def __init__(self, tasks: Tasks) -> None:
        super().__init__("ruleQuery", "Query", LINES, tasks)
        self.setObjectName("ruleQueries")
        self._build()
        self._show()

    @property
    def rows(self) -> tuple[detection.Row, ...]:
        return self._reading.rows

    @property
    def problem(self) -> str:
        """Why there is nothing to search with, as one sentence; empty if there is."""
        if self._reading.error:
            return self._reading.error
        if self.busy:
            return "Reading the queries…"
        if not self._reading.rows:
            return "Add a sequence first."
        return "Answer first how the text is to be read." if self.doubt is not None else ""

    def open_files(self, paths: tuple[Path, ...]) -> None:
        """Replace the queries by those of one or several files."""
        for path in paths:
            note_input(path, "query")
        if len(paths) == 1:
            self._tasks.submit(
                f"open-{self._name}", partial(detection.text_of, paths[0]), partial(self._opened, paths[0]),
                self._refused,
            )  # fmt: skip
            return
        self._hold(f"Reading {words.count(len(paths), 'file')}…")
        self._reading.read = partial(detection.detect_in_files, paths)
        self._parse()

    def show_hint(self, text: str) -> None:
        """Say in the empty box what belongs there."""
        self.box.setPlaceholderText(text)

    def _opened(self, path: Path, text: str | None) -> None:
        if text is not None and text.strip():
            self.set_text(text, path)
        else:
            self._read_file(path)

    def _build(self) -> None:
        described(self.box, tip="FASTA, GenBank, EMBL, UniProt text or bare residues", accessible="Queries of the rule")
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)  # no taller than it must be
        buttons = FlowRow()
        for part, text, tip, does in (
            ("Paste", "Paste", "Replace the queries by the text of the clipboard", self.paste),
            ("Open", "Open…", "Read the queries from a file", self.open_wanted),
            ("Clear", "Clear", "Empty the box", self.clear),
        ):
            buttons.add(push_button(f"ruleQuery{part}", text, tip, does, role="quiet"))
        head = in_row(text_label("Queries", level="heading"), (self._where, 1), buttons, spacing=1)
        foot = in_row((self._summary, 1), self._report, *self._kind_parts)
        in_column(
            head, (self.box, 1), self._doubt, self._progress, foot, margins=(2, 1, 2, 1), spacing=0.75, parent=self
        )

    def _show(self) -> None:
        super()._show()
        detected, error = self._reading.detected, self._reading.error
        self._report.setVisible(detected is not None and bool(detected.report.remarks))
        set_role(self._summary, level="muted", tone="danger" if error else "")
        if error or detected is None:
            self._summary.setText(error or ("Reading…" if self.busy else ""))
            return
        residues = sum(len(row.record.residues) for row in self.rows)
        text = wording.queries(len(self.rows), residues, detected.alphabet.name)
        repeated = f"; {words.count(detected.repeated, 'sequence')} with the residues of another"
        self._summary.setText(text + (repeated if detected.repeated else ""))
