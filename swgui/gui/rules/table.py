"""The columns of the table of places, over the columns that a search by rule returns."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.rules.rule import Primers, Window, Words, percent
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn
from swgui.gui.rules.work import RuleResult


def _number(key: str, title: str, tip: str, values: NDArray[np.integer]) -> TableColumn:
    return TableColumn(key, title, tip, lambda row: f"{values[row]:,}", values)


def source_of(result: RuleResult) -> ColumnSource:
    """Return the table of a result; columns that say nothing for its rule are left out."""
    places, rule, database = result.places, result.request.rule, result.database
    names = result.request.names
    identities = places.matches / np.maximum(places.columns, 1)
    text: Callable[[int], str] = lambda row: f"{percent(_identity(result, row))} %"  # noqa: E731
    gapped = bool(places.insertions.any() or places.deletions.any())
    query = TableColumn(
        "query", "Query", "Name of the query", lambda row: names[int(places.query[row])], order=places.query
    )
    columns = [
        *([query] if len(names) > 1 else []),
        TableColumn("sequence", "Sequence", "Of the database", lambda row: database.ids[int(places.subject[row])]),
        _number("start", "Start", "First residue of the place, from 1", places.start + 1),
        _number("end", "End", "Last residue of the place", places.end),
    ]
    if result.request.alphabet.name == NUCLEOTIDE.name:
        columns.append(
            TableColumn(
                "strand", "Strand", "+ as it stands, − for the reverse complement of the query",
                lambda row: "+" if places.strand[row] > 0 else "−", order=places.strand,
            )
        )  # fmt: skip
    if isinstance(rule, Words):
        columns.append(_number("length", "Residues", "Length of the run", places.end - places.start))
    elif gapped:
        columns.append(_number("differences", "Differences", "Mismatches and gap positions", places.differences))
    else:
        columns.append(_number("mismatches", "Mismatches", "Residues that differ", places.mismatches))
    if not isinstance(rule, Words | Primers):
        columns.append(
            TableColumn("identity", "Identity", "Largest identity that is attained, over all columns", text, identities)
        )
    gaps = (
        ("mismatches", "Mismatches", "Residues that differ"),
        ("insertions", "Insertions", "Residues of the sequence that the query lacks; DNA bulges of a guide"),
        ("deletions", "Deletions", "Residues of the query that the sequence lacks; RNA bulges of a guide"),
    )
    for name, title, tip in gaps if gapped else ():
        values = getattr(places, name)
        if values.any():
            columns.append(_number(name, title, tip, values))
    if isinstance(rule, Words | Window):
        columns.append(_number("query_start", "Query start", "First residue of the query", places.query_start + 1))
        columns.append(_number("query_end", "Query end", "Last residue of the query", places.query_end))
    if isinstance(rule, Window):
        if (fasta := result.fasta) is not None:
            tip = (
                "Identity of the alignment with the best score of this window, as FASTA gives it: BLOSUM50, a gap of k "
                "residues costs 10 + 2k; over 80 residues at least"
            )
            shown: Callable[[int], str] = lambda row: f"{100 * fasta[row]:.4g} %"  # noqa: E731
            columns.insert(_at(columns, "identity") + 1, TableColumn("fasta", "FASTA", tip, shown, fasta))
        columns.append(_number("windows", "Windows", "Windows of the query that exceed the limit", places.windows))
    columns.append(
        TableColumn(
            "description", "Description", "Of the sequence", lambda row: database.descriptions[int(places.subject[row])]
        )
    )
    return ColumnSource(columns, len(places))


def _at(columns: list[TableColumn], key: str) -> int:
    return [column.key for column in columns].index(key)


def _identity(result: RuleResult, row: int) -> Fraction:
    return Fraction(int(result.places.matches[row]), int(result.places.columns[row]))
