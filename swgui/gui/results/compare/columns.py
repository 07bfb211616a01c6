"""Columns of the tables that show an audit, a comparison of runs, or another program's hits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.compare.audit import Audit, AuditRows, TheirPlaces
from swgui.core.compare.audit_summary import evalue_differences
from swgui.core.compare.changes import CAUSES, Change
from swgui.core.compare.runs import STATES, RunComparison
from swgui.core.headers import Header, parse_header
from swgui.core.hits.places import SubjectRanks
from swgui.core.hits.results import SearchResult
from swgui.gui.hits.columns import BY_KEY
from swgui.gui.kit.tables.column_table import ColumnSource, TableColumn
from swgui.gui.words import formatting


def audit_source(audit: Audit, rows: AuditRows) -> ColumnSource:
    """Return the table of one part of an audit; columns that nothing is known of are left out."""
    result, ours, theirs = audit.result, rows.ours, rows.theirs
    columns = _name_columns(result, rows.query_index, rows.db_index)
    if rows is audit.both or rows is audit.only_there:
        columns += _both_sides(ours, theirs)
    else:
        columns += _place_columns(ours, "", "among all subjects scored")
    if rows is audit.both:
        difference = evalue_differences(rows)
        tip = "log10 of E there − log10 of E here; above 0: E is higher there"
        columns += _known(_number("difference", "Δ log E", tip, difference, _signed))
    if rows is audit.only_there:
        columns.append(TableColumn("reason", "Why not listed here", "What the limits of this search say", audit.reason))
    return ColumnSource([*columns, _title_column(result, rows.db_index)], len(rows))


def _both_sides(ours: SubjectRanks, theirs: TheirPlaces) -> list[TableColumn]:
    """Return each figure of this run beside that of the table; bits only where there are no raw scores."""
    scores = [
        _figure("score", "score", "", "Exact score", _known_scores(ours)),
        _figure("score", "their_score", " there", "Raw score in the table", theirs.scores, _shortest),
    ]
    bits = [
        _figure("bitscore", "bits", "", "Bit score here", ours.bit_scores),
        _figure("bitscore", "their_bits", " there", "Bit score in the table", theirs.bit_scores, _shortest),
    ]
    compared = scores if not np.isnan(theirs.scores).all() else [scores[0], *bits]
    return [
        _number("rank", "Rank", "Among all subjects scored", ours.ranks, _whole),
        _number("their_rank", "Rank there", "Among the subjects of its query in the table", theirs.ranks, _whole),
        *_known(
            *compared,
            _figure("evalue", "evalue", "", "E-value here", ours.log10_evalues),
            _figure(
                "evalue", "their_evalue", " there", "In the best line of this pair", theirs.log10_evalues, _their_evalue
            ),
        ),
        _number("segments", "Lines", "Lines (alignments) of this pair in the table", theirs.segments, _whole),
    ]


def unmatched_source(audit: Audit) -> ColumnSource:
    """Return the table of names that could not be compared."""
    entries = audit.unmatched
    columns = [
        TableColumn("kind", "What", "Where the name stands in the table", lambda row: entries[row].kind),
        TableColumn("name", "Name", "As the table has it", lambda row: entries[row].name),
        _number("lines", "Lines", "Lines with it", np.array([entry.lines for entry in entries], dtype=float), _whole),
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

    states = comparison.states
    ranks = [places.ranks.astype(float) for places in comparison.places]
    change = np.where((ranks[0] > 0) & (ranks[1] > 0), ranks[1] - ranks[0], np.nan)
    columns = [
        TableColumn("state", "State", "same, moved, new (run 2 only) or lost (run 1 only)", lambda r: STATES[states[r]])
    ]
    if len(first.queries) > 1:
        columns.append(_query_column(first, comparison.query_index[0]))
    columns.append(
        TableColumn("subject", "Subject", "Its name", lambda row: _header(*place(row)).name, full=identifier)
    )
    sides = [
        _place_columns(places, f"_{number}", f"in run {number}", f" {number}")
        for number, places in enumerate(comparison.places, 1)
    ]
    columns += [column for pair in zip_longest(*sides) for column in pair if column is not None]
    columns.append(_number("change", "Δ rank", "Rank in run 2 − rank in run 1", change, _change))
    columns.append(TableColumn("title", "Description", "What the header says", lambda row: _header(*place(row)).title))
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
    sides = [_changed_side(changes, before=True), _changed_side(changes, before=False)]
    columns += [column for pair in zip(*sides, strict=True) for column in _known(*pair)]
    if any(change.other for change in changes):
        columns.append(TableColumn("other", "Other name", "Of the same sequence", lambda row: changes[row].other))
    columns.append(TableColumn("title", "Description", "What the header says", lambda row: header(row).title))
    return ColumnSource(columns, len(changes))


def _changed_side(changes: Sequence[Change], *, before: bool) -> list[TableColumn]:
    """Return rank, E and score of hits in one of the two databases."""
    mark, suffix, where = ("_before", " before", "in this run") if before else ("", " now", "in the newer database")
    sides = [change.before if before else change.now for change in changes]
    scores = np.array([side.score if side.score >= 0 else math.nan for side in sides], dtype=float)
    evalues = np.array([side.log10_evalue for side in sides], dtype=float)
    ranks = np.array([side.rank for side in sides], dtype=float)
    return [
        _number(f"rank{mark}", f"Rank{suffix}", f"Rank {where}", ranks, _whole),
        _figure("evalue", f"evalue{mark}", suffix, f"E-value {where}", evalues),
        _figure("score", f"score{mark}", suffix, f"Exact score {where}", scores),
    ]


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
        "title", "Description", "What the subject's header says",
        lambda row: _header(result, int(db_index[row])).title,
    )  # fmt: skip


def _header(result: SearchResult, db_index: int) -> Header:
    database = result.database
    return parse_header(database.ids[db_index], database.descriptions[db_index])


def _place_columns(places: SubjectRanks, mark: str, where: str, suffix: str = "") -> list[TableColumn]:
    return [
        _number(f"rank{mark}", f"Rank{suffix}", f"Rank {where}", places.ranks, _whole),
        _figure("score", f"score{mark}", suffix, f"Exact score {where}", _known_scores(places)),
        *_known(
            _figure("bitscore", f"bits{mark}", suffix, f"Bit score {where}", places.bit_scores),
            _figure("evalue", f"evalue{mark}", suffix, f"E-value {where}", places.log10_evalues),
        ),
    ]


def _known_scores(places: SubjectRanks) -> NDArray[np.float64]:
    return np.where(places.scores >= 0, places.scores, np.nan)


def _number(key: str, title: str, tip: str, values: NDArray[Any], show: Callable[[float], str]) -> TableColumn:
    return TableColumn(key, title, tip, lambda row: show(float(values[row])), values)


def _figure(
    column: str, key: str, suffix: str, tip: str, values: NDArray[Any], show: Callable[[float], str] | None = None
) -> TableColumn:
    """Return a column that the hit table has, too, with its head and in its form unless `show` is another."""
    view = BY_KEY[column]
    return _number(key, f"{view.head}{suffix}", tip, values, show or view.show)


def _known(*columns: TableColumn) -> list[TableColumn]:
    return [column for column in columns if column.numbers is not None and not np.isnan(column.numbers).all()]


def _whole(value: float) -> str:
    return f"{int(value):,}" if value > 0 else formatting.NOTHING


def _shortest(value: float) -> str:
    return formatting.NOTHING if math.isnan(value) else f"{value:.7g}"


def _their_evalue(log10_evalue: float) -> str:
    return "0" if log10_evalue == -math.inf else formatting.evalue(log10_evalue)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}") if math.isfinite(value) else formatting.NOTHING


def _change(value: float) -> str:
    return formatting.NOTHING if math.isnan(value) else formatting.signed(int(value))
