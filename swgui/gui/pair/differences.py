"""The table of differences of the Pair page with its filter and the steps from one difference to the next."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QToolButton, QWidget

from swgui.core import words
from swgui.core.loci.annotation import Locator
from swgui.core.pair.view import DELETION, INSERTION, KINDS, SUBSTITUTION, Differences
from swgui.gui.inputs.features import locus_column
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box, spin_box, text_label, tool_button

RESIDUES_SHOWN = 12  # of a gap; the rest is counted
KIND_TITLES = {"all": "All", "substitution": "Substitutions", "insertion": "Insertions", "deletion": "Deletions"}
KIND_WORDS = tuple(name.capitalize() for name in KINDS)


def query_positions(diff: Differences, query_length: int, *, backwards: bool) -> NDArray[np.int64]:
    """Return the residue number (from 1) of the query as it was written, for every row.

    For an insertion it is the first residue concerned, for a deletion the one before which residues of the subject are
    missing, both as the query is read.
    """
    if not backwards:
        return diff.query + 1
    shift = np.where(diff.kind == DELETION, 1, np.where(diff.kind == INSERTION, 1 - diff.length, 0))
    return query_length - diff.query + shift


def differences_source(
    diff: Differences, query_length: int, *, backwards: bool, locator: Locator | None = None
) -> ColumnSource:
    """Return the table of differences: residues of the subject against residues of the query.

    Parameters
    ----------
    backwards : bool
        Whether the minus strand of the query is aligned; positions are those of the query as it was written, residues
        those of the strand that is aligned.
    locator : Locator, optional
        Says where differences lie in the subject; there is no column of it otherwise.
    """
    query, subject = query_positions(diff, query_length, backwards=backwards), diff.subject + 1

    strand = "; residues of the query are those of its minus strand" if backwards else ""

    def change(row: int) -> str:
        of_subject, of_query = diff.letters(row)
        match int(diff.kind[row]):
            case kind if kind == SUBSTITUTION:
                return f"{of_subject} → {of_query}"
            case kind if kind == INSERTION:
                return f"+ {_short(of_query)}"
        return f"\N{MINUS SIGN} {_short(of_subject)}"

    def whole_change(row: int) -> str:
        of_subject, of_query = diff.letters(row)
        return f"{of_subject or '-'} → {of_query or '-'}"

    columns = (
        TableColumn(
            "number", "#", "Place in the alignment", lambda row: f"{row + 1:,}", np.arange(1, len(diff) + 1)
        ),
        TableColumn(
            "query", "Query", "Position in the query; of deletions, the one behind",
            lambda row: f"{query[row]:,}", query,
        ),
        TableColumn(
            "subject", "Subject", "Position in the subject; of insertions, the one behind",
            lambda row: f"{subject[row]:,}", subject,
        ),
        TableColumn(
            "change", "Subject → query",
            "Change in the query: + only in the query, \N{MINUS SIGN} only in the subject" + strand,
            change, full=whole_change, order=change_order(diff),
        ),
        TableColumn("length", "Length", "Bases or residues", lambda row: f"{diff.length[row]:,}", diff.length),
        TableColumn(
            "kind", "Kind", "Kind of difference", lambda row: KIND_WORDS[diff.kind[row]], order=diff.kind
        ),
    )  # fmt: skip
    if locator is None:
        return ColumnSource(columns, len(diff))
    ends = diff.subject + np.where(diff.kind == INSERTION, 0, diff.length)
    lies = locus_column(locator, np.zeros(len(diff), np.int64), diff.subject, np.maximum(ends, diff.subject + 1))
    return ColumnSource((*columns, lies), len(diff))


def stretches(
    diff: Differences, query_length: int, *, backwards: bool
) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return where residues differ: starts (from 0, as written) and lengths in the query and in the subject."""
    in_query, in_subject = diff.kind != DELETION, diff.kind != INSERTION
    starts = query_positions(diff, query_length, backwards=backwards) - 1
    return (starts[in_query], diff.length[in_query]), (diff.subject[in_subject], diff.length[in_subject])


def change_order(diff: Differences) -> NDArray[np.int64]:
    """Return numbers that sort changes: substitutions by their residues, then insertions and deletions by length."""
    letters = np.frombuffer(diff.alphabet_letters.encode("ascii"), dtype=np.uint8).astype(np.int64)
    substituted = diff.kind == SUBSTITUTION
    order = diff.kind.astype(np.int64) << 40
    order += np.where(substituted, 0, diff.length)
    pair = letters[diff.subject_codes[diff.subject[substituted]]] * 256
    order[substituted] += pair + letters[diff.query_codes[diff.query[substituted]]]
    return order


def mask_of(diff: Differences, kind: str, shortest: int = 1) -> NDArray[np.bool_] | None:
    """Return which rows are of a kind and a length; None for all.

    Parameters
    ----------
    kind : str
        ``"all"`` or one of `swgui.core.pair.view.KINDS`.
    """
    mask = None if kind == "all" else diff.kind == KINDS.index(kind)
    if shortest > 1:
        long = diff.length >= shortest
        mask = long if mask is None else mask & long
    return mask


def summary(diff: Differences) -> str:
    numbers = np.bincount(diff.kind, minlength=len(KINDS))
    parts = [words.count(int(number), name) for number, name in zip(numbers, KINDS, strict=True)]
    return ", ".join(parts)


def _short(letters: str) -> str:
    rest = len(letters) - RESIDUES_SHOWN
    return letters if rest <= 0 else f"{letters[:RESIDUES_SHOWN]}… {rest:,} more"


class DifferencesPanel(QWidget):
    """Lists substitutions, insertions and deletions."""

    column_chosen = Signal(int)  # column of the difference that was clicked or stepped to

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pairDifferencesPanel")
        self.found: Differences | None = None
        self._columns: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._order: NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # rows by column
        self.table = ColumnView(tasks, "pairDifferences", "Differences of the two sequences")
        self.table.chosen.connect(self._row_chosen)
        self.table.arranged.connect(self._arranged)
        self._kind = combo_box(
            "pairDifferenceKind",
            "Which differences are listed",
            self._filter,
            items=[(title, key) for key, title in KIND_TITLES.items()],
            accessible="Kind of differences shown",
        )
        tip = "Only differences of at least this length"
        limits = (1, 2**31 - 1)
        self._shortest = spin_box("pairDifferenceLength", limits, 1, tip, self._filter, grouped=True, width=11)
        self.previous_button = self._step_button("previousDifference", "arrow-up", "Previous difference (Shift+F8)", -1)
        self.next_button = self._step_button("nextDifference", "arrow-down", "Next difference (F8)", 1)
        self._count = text_label("", "pairDifferenceCount", level="muted", wrap=True)
        length = text_label("of at least", buddy=self._shortest)
        steps = (self.previous_button, self.next_button)
        bar = in_row(self._kind, length, self._shortest, text_label("positions"), 1, *steps, spacing=0.75)
        in_column(bar, (self.table, 1), self._count, margins=(0, 1, 0, 0), spacing=0.75, parent=self)
        self._at = -1  # column of the cursor
        self.clear("")

    def clear(self, text: str) -> None:
        self.found = None
        self._columns = self._order = np.zeros(0, dtype=np.int64)
        self.table.forget()
        self.table.hide()
        self._count.setText(text)
        self._enable()

    def show_differences(
        self,
        diff: Differences,
        columns: NDArray[np.int64],
        query_length: int,
        *,
        backwards: bool,
        locator: Locator | None = None,
    ) -> None:
        """List the differences of an alignment.

        Parameters
        ----------
        columns : ndarray, shape=(k,), dtype=int64
            Columns of the differences, as the view counts them.
        locator : Locator, optional
            As of `differences_source`.
        """
        self.found, self._columns = diff, columns
        self._order = np.argsort(columns, kind="stable") if backwards else np.arange(len(columns))
        self.table.show()
        self.table.show_source(differences_source(diff, query_length, backwards=backwards, locator=locator))
        self._filter()
        self._enable()

    def set_place(self, column: int) -> None:
        """Note where the cursor is: steps go from there."""
        self._at = column

    def step(self, direction: int) -> None:
        """Go to the next (1) or the previous (-1) difference from the cursor, whatever the filter."""
        rows = self._order
        if not len(rows):
            return
        ordered = self._columns[rows]
        index = int(np.searchsorted(ordered, self._at, side="right" if direction > 0 else "left"))
        index = index if direction > 0 else index - 1
        if 0 <= index < len(rows):
            self._select(int(rows[index]))
            self.column_chosen.emit(int(ordered[index]))

    def _select(self, row: int) -> None:
        model = self.table.rows_model
        place = np.flatnonzero(model.rows == row)
        if len(place):
            self.table.setCurrentIndex(model.index(int(place[0]), 0))

    def _row_chosen(self, row: int) -> None:
        self.column_chosen.emit(int(self._columns[row]))

    def _filter(self, _value: object = None) -> None:
        if self.found is not None:
            self.table.set_mask(mask_of(self.found, str(self._kind.currentData()), self._shortest.value()))

    def _arranged(self, shown: int) -> None:
        if self.found is None:
            return
        text = summary(self.found)
        if shown < len(self.found):
            text = f"{words.count(shown, 'row')} of {len(self.found):,}; in all {text}"
        self._count.setText(f"{text}." if len(self.found) else "The aligned regions are identical.")

    def _enable(self) -> None:
        for widget in (self._kind, self._shortest, self.previous_button, self.next_button):
            widget.setEnabled(len(self._columns) > 0)

    def _step_button(self, name: str, icon: str, tip: str, direction: int) -> QToolButton:
        accessible = tip.partition(" (")[0]
        return tool_button(name, "", tip, lambda: self.step(direction), icon=icon, accessible=accessible)
