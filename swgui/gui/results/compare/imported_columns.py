"""Columns of a file with another program's hits, as the file has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import parse_header
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn
from swgui.gui.words import formatting
from swgui.io.export import HIT_COLUMNS
from swgui.io.tables.hits import HitTable

# Number columns in the order of the table; what they mean is said where all columns are.
ORDER: Final = (
    "evalue", "bitscore", "score", "pident", "ppos", "qcovs", "qcovhsp", "scovhsp", "length", "nident", "positive",
    "mismatch", "gapopen", "gaps", "qstart", "qend", "sstart", "send", "qlen", "slen",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class ImportedColumns:
    """A file's hits ready to be shown; made by a worker.

    Parameters
    ----------
    table : HitTable
    hits : ColumnSource
        One row for each line, in the order of the file.
    queries : ColumnSource
        One row for each query, with the number of its subjects; those without hits last.
    query_of_line : ndarray, shape=(n,), dtype=int64
        Row in `queries` of each line.
    """

    table: HitTable
    hits: ColumnSource
    queries: ColumnSource
    query_of_line: NDArray[np.int64]


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
    """Return the name inside each identifier, where its layout is known."""
    return lambda row: parse_header(names[row], "").name


def _text_of(name: str, values: NDArray[np.float64]) -> Callable[[int], str]:
    if name == "evalue":
        return lambda row: _evalue(float(values[row]))
    show = BY_KEY[name].show if HIT_COLUMNS[name].kind == "real" else _number
    return lambda row: show(float(values[row]))


def _evalue(value: float) -> str:
    """Write E like everywhere in the window; 0 is what the program wrote."""
    return "0" if value == 0 else formatting.evalue(math.log10(value) if value > 0 else math.nan)


def _number(value: float) -> str:
    if math.isnan(value):
        return formatting.NOTHING
    return f"{int(value):,}" if value.is_integer() else f"{value:,.10g}"
