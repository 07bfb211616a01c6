"""Hits of another program as its file has them: a table, not a result of this program.

The results page shows exact scores, and alignments that add up to them. A table of another program has
neither the scores of all subjects nor, often, raw scores or sequences, so it gets a page of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from swgui.core import words
from swgui.core.headers import parse_header
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit.layouts import in_column, in_row, in_splitter
from swgui.gui.kit.tables.column_table import ColumnSource, ColumnView, TableColumn
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import line_edit, push_button, text_label
from swgui.gui.words import formatting
from swgui.io.export import HIT_COLUMNS
from swgui.io.tables.hits import HitTable, read_hit_table

# Number columns in the order of the table; what they mean is said where all columns are.
ORDER: Final = (
    "evalue", "bitscore", "score", "pident", "ppos", "qcovs", "qcovhsp", "scovhsp", "length", "nident", "positive",
    "mismatch", "gapopen", "gaps", "qstart", "qend", "sstart", "send", "qlen", "slen",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class ImportedColumns:
    """A file's hits ready to be shown; made by a worker."""

    table: HitTable
    hits: ColumnSource  # one row for each line, in the order of the file
    queries: ColumnSource  # one row for each query, with the number of its subjects; those without hits last
    query_of_line: NDArray[np.int64]  # row in `queries` of each line, shape (n,)


def imported_columns(table: HitTable) -> ImportedColumns:
    """Arrange a table for the window."""
    names, query_of_line = _numbered(table.queries)
    names += table.without_hits  # at the end: the file says that they were searched
    subjects, subject_of_line = _numbered(table.subjects)
    pairs = np.unique(query_of_line * len(subjects) + subject_of_line)
    counts = np.bincount(pairs // max(len(subjects), 1), minlength=len(names))
    columns = [
        TableColumn("query", "Query", "Its name", _short(table.queries), full=table.queries.__getitem__),
        TableColumn("subject", "Subject", "As the file names it", table.subjects.__getitem__),
    ]
    for name in ORDER:
        values, column = table.values.get(name), HIT_COLUMNS[name]
        if values is not None and not np.isnan(values).all():
            title = column.heading if column.unit == "%" else column.head
            columns.append(TableColumn(name, title, column.description, _text_of(name, values), values))
    queries = [TableColumn("subjects", "Subjects", "Different subjects", lambda row: f"{counts[row]:,}", counts)]
    queries.append(TableColumn("query", "Query", "Its name", _short(names), full=names.__getitem__))
    return ImportedColumns(table, ColumnSource(columns, len(table)), ColumnSource(queries, len(names)), query_of_line)


def _numbered(names: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the different names in order of appearance, and the place of each line's name among them."""
    places: dict[str, int] = {}
    numbers = np.fromiter((places.setdefault(name, len(places)) for name in names), np.int64, len(names))
    return list(places), numbers


def _short(names: Sequence[str]) -> Callable[[int], str]:
    return lambda row: parse_header(names[row], "").name


def _text_of(name: str, values: NDArray[np.float64]) -> Callable[[int], str]:
    if name == "evalue":
        return lambda row: _evalue(float(values[row]))
    show = BY_KEY[name].show if HIT_COLUMNS[name].kind == "real" else _number
    return lambda row: show(float(values[row]))


def _evalue(value: float) -> str:
    return "0" if value == 0 else formatting.evalue(math.log10(value) if value > 0 else math.nan)


def _number(value: float) -> str:
    if math.isnan(value):
        return formatting.NOTHING
    return f"{int(value):,}" if value.is_integer() else f"{value:,.10g}"


OPEN_KEY = "imported-open"
NOTHING_OPEN = "Hits of BLAST, DIAMOND or MMseqs2 appear here once you open their file."
NO_RUN = "Search with the same queries and database first; then the table can be compared with the exact hits."


class ImportedPage(QWidget):
    """Shows a file with hits of another program."""

    compare_wanted = Signal(object)  # path of the file that is to be compared with the current run
    opened = Signal(object)  # path of a file that is shown now
    failed = Signal(object)  # an exception

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("foreignPage")
        self._tasks = tasks
        self._path: Path | None = None
        self._shown: ImportedColumns | None = None
        self._run = ""
        self._build()
        self.clear()

    def _build(self) -> None:
        self.title = text_label(name="foreignTitle", level="heading", plain=True)
        self.facts = text_label(name="foreignFacts", level="muted", plain=True, wrap=True)
        self.compare = push_button(
            "foreignCompare", "Compare with the current run…", does=lambda: self.compare_wanted.emit(self._path),
            role="primary",
        )  # fmt: skip
        head = in_row((in_column(self.title, self.facts, spacing=0.5), 1), spacing=2)
        head.addWidget(self.compare, 0, Qt.AlignmentFlag.AlignTop)
        self.queries = ColumnView(self._tasks, "foreignQueries", "Queries of the file")
        self.hits = ColumnView(self._tasks, "foreignHits", "Hits of the file")
        self.filter = line_edit(
            "foreignFilter", does=self.hits.set_words, hint="Words in query or subject", clear=True,
            accessible="Filter the hits",
        )  # fmt: skip
        self.count = text_label(name="foreignCount", level="small")
        self.all_queries = push_button("foreignAllQueries", "All queries", does=self.show_all_queries)
        self._left = QWidget()
        in_column((self.queries, 1), self.all_queries, parent=self._left)
        self.sides = in_splitter(Qt.Orientation.Horizontal, self._left, (self.hits, 1), name="foreignSides")
        self.sides.setSizes([grid(32), grid(100)])
        self.queries.chosen.connect(self.show_query)
        self.hits.arranged.connect(self._tell_count)
        self._parts = (self.filter, self.count, self.sides, self.compare)
        line = in_row((self.filter, 1), self.count, spacing=1.5)
        in_column(head, line, (self.sides, 1), 0, margins=2, parent=self)

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def table(self) -> HitTable | None:
        """Hits of the file that is shown; None for none."""
        return self._shown.table if self._shown is not None else None

    @property
    def path(self) -> Path | None:
        """File that is shown; None for none."""
        return self._path

    def open_file(self, path: Path) -> None:
        """Read and show a file; a fault leaves what is shown."""
        self._tasks.submit(
            OPEN_KEY,
            lambda: imported_columns(read_hit_table(path)),
            lambda shown: self._show(path, shown),
            self.failed.emit,
        )

    def set_current_run(self, name: str) -> None:
        """Say what the table can be compared with; empty for nothing."""
        self._run = name
        self.compare.setEnabled(bool(name))
        self.compare.setToolTip(f"Which hits of {name} the table misses, and the other way round" if name else NO_RUN)

    def clear(self) -> None:
        """Show no file, and drop one that is being read."""
        self._tasks.drop(OPEN_KEY)
        self._path, self._shown = None, None
        self.title.setText("Hits of another program")
        self.facts.setText(NOTHING_OPEN)
        for part in self._parts:
            part.setVisible(False)
        self.set_current_run(self._run)

    def show_query(self, row: int) -> None:
        if self._shown is not None:
            self.hits.set_mask(self._shown.query_of_line == row)
            self.hits.setColumnHidden(0, True)

    def show_all_queries(self) -> None:
        self.queries.clearSelection()
        self.hits.set_mask(None)
        self.hits.setColumnHidden(0, False)

    def _show(self, path: Path, shown: ImportedColumns) -> None:
        self._path, self._shown = path, shown
        self.title.setText(path.name)
        self.title.setToolTip(str(path))
        queries, lines = shown.queries.count, shown.hits.count
        empty = len(shown.table.without_hits)
        without = f", {empty:,} of them without hits" if empty else ""
        made_by = f"Made by {shown.table.program}: " if shown.table.program else ""
        summary = f"{words.count(lines, 'alignment')} of {words.count(queries, 'query', 'queries')}"
        self.facts.setText(
            f"{made_by}{summary}{without}, with the figures of the file; nothing here was computed by this program."
        )
        for part in self._parts:
            part.setVisible(True)
        self._left.setVisible(queries > 1)
        self.filter.clear()
        self.queries.show_source(shown.queries)
        self.hits.show_source(shown.hits)
        self.hits.setColumnHidden(0, queries == 1)
        self.opened.emit(path)

    def _tell_count(self, count: int) -> None:
        total = self._shown.hits.count if self._shown is not None else 0
        self.count.setText(f"{count:,} of {total:,}" if count != total else f"{total:,}")
