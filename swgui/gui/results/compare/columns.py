"""Columns of the tables that show an audit, a comparison of runs, or another program's hits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.compare.audit import Audit, AuditRows, TheirPlaces
from swgui.core.compare.audit_summary import evalue_differences
from swgui.core.compare.changes import CAUSES, Change
from swgui.core.compare.runs import STATES, RunComparison
from swgui.core.headers import Header, parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.table import Column
from swgui.gui.hits.columns import shown_as
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn, number_column
from swgui.gui.words import formatting
from swgui.io.tables.changes import CHANGE_COLUMNS
from swgui.io.tables.comparisons import AUDIT_COLUMNS, COMPARISON_COLUMNS, AuditPart, ComparedRows, Named

S = TypeVar("S")
_AUDIT: Final = {column.key: column for column in AUDIT_COLUMNS}
_COMPARISON: Final = {column.key: column for column in COMPARISON_COLUMNS}
_CHANGES: Final = {column.key: column for column in CHANGE_COLUMNS}


def audit_source(audit: Audit, rows: AuditRows) -> ColumnSource:
    """Return the table of one part of an audit; empty columns are left out."""
    result = audit.result
    part = AuditPart((), Named((), (), ()), rows.ours, rows.theirs, ())
    columns = _name_columns(result, rows.query_index, rows.db_index)
    both = rows is audit.both or rows is audit.only_there
    keys = _both_sides(rows.theirs) if both else ("rank", "score", "bitscore", "evalue")
    columns += [column for key in keys for column in _figure(_AUDIT[key], part)]
    if rows is audit.both:
        difference = evalue_differences(rows)
        tip = "log10 of E there − log10 of E here; above 0: E is higher there"
        column = TableColumn("difference", "Δ log E", tip, lambda row: _signed(float(difference[row])), difference)
        columns += _known(column)
    if rows is audit.only_there:
        columns.append(
            TableColumn("reason", "Why not listed here", "The limit that leaves it out of this search", audit.reason)
        )
    return ColumnSource([*columns, _title_column(result, rows.db_index)], len(rows))


def _both_sides(theirs: TheirPlaces) -> tuple[str, ...]:
    """Return pairs of columns, this run's figure and the table's; bits only if there are no raw scores."""
    bits = ("bitscore", "table_bitscore") if np.isnan(theirs.scores).all() else ()
    return ("rank", "table_rank", "score", "table_score", *bits, "evalue", "table_evalue", "table_segments")


def unmatched_source(audit: Audit) -> ColumnSource:
    """Return the table of names that could not be compared."""
    entries = audit.unmatched
    lines = np.array([entry.lines for entry in entries], dtype=float)
    columns = [
        TableColumn("kind", "Kind", "Column of the table with the name", lambda row: entries[row].kind),
        TableColumn("name", "Name", "As the table has it", lambda row: entries[row].name),
        TableColumn("lines", "Lines", "Lines with it", lambda row: formatting.whole(float(lines[row])), lines),
        TableColumn("reason", "Why not compared", "", lambda row: entries[row].reason),
    ]
    return ColumnSource(columns, len(entries))


def comparison_source(comparison: RunComparison) -> ColumnSource:
    """Return the table of two runs."""
    first, second = comparison.first, comparison.second
    inside = comparison.db_index[0] >= 0

    def place(row: int) -> tuple[SearchResult, int]:
        side = 0 if inside[row] else 1
        return (first, second)[side], int(comparison.db_index[side][row])

    def identifier(row: int) -> str:
        result, db_index = place(row)
        return result.database.ids[db_index]

    states, rows = comparison.states, ComparedRows(Named((), (), ()), comparison)
    columns = [
        TableColumn("state", "State", "same, moved, new (run 2 only) or lost (run 1 only)", lambda r: STATES[states[r]])
    ]
    if len(first.queries) > 1:
        columns.append(_query_column(first, comparison.query_index[0]))
    columns.append(
        TableColumn("subject", "Subject", "Its name", lambda row: _header(*place(row)).name, full=identifier)
    )
    keys = [f"{figure}_{side}" for figure in ("rank", "score", "bitscore", "evalue") for side in (1, 2)]
    columns += [column for key in keys for column in _figure(_COMPARISON[key], rows)]
    columns.append(number_column(_COMPARISON["rank_change"], rows, _change))
    columns.append(TableColumn("title", "Description", "Text of the header", lambda row: _header(*place(row)).title))
    return ColumnSource(columns, len(comparison))


def changes_source(changes: Sequence[Change]) -> ColumnSource:
    """Return the table of what changed between two releases of a database."""

    def header(row: int) -> Header:
        return parse_header(changes[row].subject, changes[row].description)

    columns = [
        TableColumn("change", "Change", "Gained, lost, or moved", lambda row: changes[row].change),
        TableColumn("cause", "Cause", "Why; in full as a tip", lambda row: changes[row].cause,
                    full=lambda row: CAUSES[changes[row].cause]),
    ]  # fmt: skip
    if len({change.query for change in changes}) > 1:
        columns.append(
            TableColumn(
                "query", "Query", "Its name",
                lambda row: parse_header(changes[row].query, "").name,
                full=lambda row: changes[row].query,
            )
        )  # fmt: skip
    columns.append(
        TableColumn("subject", "Subject", "Its name", lambda row: header(row).name, full=lambda r: changes[r].subject)
    )
    keys = [f"{figure}{side}" for figure in ("rank", "evalue", "score") for side in ("_before", "")]
    columns.insert(1, TableColumn("verdict", "Verdict", "By its E", lambda row: verdict_of(changes[row])))
    columns += [column for key in keys for column in _figure(_CHANGES[key], changes)]
    if any(change.other for change in changes):
        columns.append(TableColumn("other", "Other name", "Of the same sequence", lambda row: changes[row].other))
    columns.append(TableColumn("title", "Description", "Text of the header", lambda row: header(row).title))
    return ColumnSource(columns, len(changes))


def verdict_of(change: Change) -> str:
    """Return the verdict on a change: that before and that now where they differ."""
    words = (change.before.verdict, change.now.verdict)
    return " → ".join(dict.fromkeys(word for word in words if word))


def _figure(column: Column[S], source: S) -> list[TableColumn]:
    """Return a column of numbers as it is shown; None if no number is known."""
    shown = {"table_evalue": _their_evalue}.get(column.key) or shown_as(column)
    return _known(number_column(column, source, shown))


def _name_columns(
    result: SearchResult, query_index: NDArray[np.int64], db_index: NDArray[np.int64]
) -> list[TableColumn]:
    subject = TableColumn(
        "subject", "Subject", "Its name",
        lambda row: _header(result, int(db_index[row])).name,
        full=lambda row: result.database.ids[int(db_index[row])],
    )  # fmt: skip
    return [_query_column(result, query_index), subject] if len(result.queries) > 1 else [subject]


def _query_column(result: SearchResult, query_index: NDArray[np.int64]) -> TableColumn:
    records = [query.query for query in result.queries]
    return TableColumn(
        "query", "Query", "Its name",
        lambda row: parse_header(records[int(query_index[row])].id, records[int(query_index[row])].description).name,
        full=lambda row: records[int(query_index[row])].id,
    )  # fmt: skip


def _title_column(result: SearchResult, db_index: NDArray[np.int64]) -> TableColumn:
    return TableColumn(
        "title", "Description", "Text of the subject's header",
        lambda row: _header(result, int(db_index[row])).title,
    )  # fmt: skip


def _header(result: SearchResult, db_index: int) -> Header:
    database = result.database
    return parse_header(database.ids[db_index], database.descriptions[db_index])


def _known(*columns: TableColumn) -> list[TableColumn]:
    return [column for column in columns if column.numbers is not None and not np.isnan(column.numbers).all()]


def _their_evalue(log10_evalue: float) -> str:
    return "0" if log10_evalue == -math.inf else formatting.evalue(log10_evalue)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}") if math.isfinite(value) else formatting.NOTHING


def _change(value: float) -> str:
    return formatting.NOTHING if math.isnan(value) else formatting.signed(int(value))
