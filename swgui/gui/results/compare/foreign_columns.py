"""Columns of a file with another program's hits, as the file has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.headers import parse_header
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn
from swgui.gui.words import formatting
from swgui.io.tables.hits import HitTable

# Title and meaning of the number columns, by BLAST's names; in this order in the table.
TITLES = {
    "evalue": ("E", "Expected number of chance hits that score as high, as the file says"),
    "bitscore": ("Bits", "Bit score"),
    "score": ("Score", "Raw score"),
    "pident": ("Identity %", "Identical pairs / columns of the alignment"),
    "ppos": ("Positives %", "Pairs with a matrix value above 0 / columns of the alignment"),
    "qcovhsp": ("Query cov. %", "Part of the query inside the alignment"),
    "scovhsp": ("Subject cov. %", "Part of the subject inside the alignment"),
    "length": ("Length", "Columns of the alignment"),
    "nident": ("Identical", "Identical pairs"),
    "positive": ("Positives", "Pairs with a matrix value above 0"),
    "mismatch": ("Mismatches", "Pairs that differ"),
    "gapopen": ("Gap openings", "Number of gaps"),
    "gaps": ("Gap residues", "Residues against gaps"),
    "qstart": ("Query from", "First residue of the query in the alignment"),
    "qend": ("Query to", "Last residue of the query in the alignment"),
    "sstart": ("Subject from", "First residue of the subject in the alignment"),
    "send": ("Subject to", "Last residue of the subject in the alignment"),
    "qlen": ("Query length", "Residues of the query"),
    "slen": ("Subject length", "Residues of the subject"),
}
_DECIMALS = {"bitscore": 1, "pident": 1, "ppos": 1, "qcovhsp": 1, "scovhsp": 1}


@dataclass(frozen=True, slots=True, eq=False)
class ForeignColumns:
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


def foreign_columns(table: HitTable) -> ForeignColumns:
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
    for name, (title, tip) in TITLES.items():
        values = table.values.get(name)
        if values is not None and not np.isnan(values).all():
            columns.append(TableColumn(name, title, tip, _text_of(name, values), values))
    queries = [TableColumn("subjects", "Subjects", "Different subjects", lambda row: f"{counts[row]:,}", counts)]
    queries.append(TableColumn("query", "Query", "Its name", _short(names), full=names.__getitem__))
    return ForeignColumns(table, ColumnSource(columns, len(table)), ColumnSource(queries, len(names)), query_of_line)


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
    decimals = _DECIMALS.get(name)
    if decimals is None:
        return lambda row: _number(float(values[row]))
    return lambda row: formatting.NOTHING if math.isnan(values[row]) else f"{values[row]:,.{decimals}f}"


def _evalue(value: float) -> str:
    """Write E like everywhere in the window; 0 is what the program wrote."""
    return "0" if value == 0 else formatting.evalue(math.log10(value) if value > 0 else math.nan)


def _number(value: float) -> str:
    if math.isnan(value):
        return formatting.NOTHING
    return f"{int(value):,}" if value.is_integer() else f"{value:,.10g}"
