"""Audits and comparisons of runs as tab-separated tables with a header line."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain
from typing import Final, TextIO

from swgui.core.compare.audit import Audit, AuditRows
from swgui.core.compare.audit_summary import summary
from swgui.core.compare.runs import STATES, RunComparison
from swgui.core.words import format_evalue
from swgui.io.cells import listed_names, sequence_names, spreadsheet_text, table_line
from swgui.io.export.provenance import provenance_lines, write_comments

AUDIT_COLUMNS: Final = (
    "found_by", "qseqid", "sseqid", "stitle", "rank", "score", "bitscore", "evalue", "log10_evalue",
    "table_rank", "table_segments", "table_score", "table_bitscore", "table_evalue", "reason",
)  # fmt: skip
COMPARISON_COLUMNS: Final = (
    "state", "qseqid", "sseqid", "stitle", "rank_1", "rank_2", "rank_change", "score_1", "score_2",
    "bitscore_1", "bitscore_2", "evalue_1", "evalue_2", "log10_evalue_1", "log10_evalue_2",
)  # fmt: skip


def write_audit(audit: Audit, file: TextIO, *, comments: bool = False) -> None:
    """Write every pair of query and subject, then the names that could not be compared.

    The column ``found_by`` is both, here, there or unclear; rows of names that mean nothing or several
    things have ``no query``, ``no subject``, ``ambiguous query`` or ``ambiguous subject``.

    Parameters
    ----------
    comments : bool
        Begin with ``#`` lines that say how the run was made and what the audit found.
    """
    if comments:
        write_comments(file, [*provenance_lines(audit.result), f"compared with: {audit.program or 'a table'}"])
        write_comments(file, summary(audit))
    file.write(table_line(AUDIT_COLUMNS))
    queries = sequence_names(query.query.id for query in audit.result.queries)
    kinds = audit.both, audit.only_here, audit.only_there, audit.unclear
    subjects = listed_names(audit.result.database.ids, chain.from_iterable(rows.db_index.tolist() for rows in kinds))
    for found_by, rows in (
        ("both", audit.both),
        ("here", audit.only_here),
        ("there", audit.only_there),
        ("unclear", audit.unclear),
    ):
        for row in range(len(rows)):
            reason = audit.reason(row) if rows is audit.only_there else ""
            names = queries[int(rows.query_index[row])], subjects[int(rows.db_index[row])]
            description = audit.result.database.descriptions[int(rows.db_index[row])]
            texts = map(spreadsheet_text, (*names, description))
            file.write("\t".join([found_by, *texts, *_figures(rows, row), reason]) + "\n")
    for entry in audit.unmatched:
        found_by = f"{'ambiguous' if entry.candidates else 'no'} {entry.kind}"
        fields = dict.fromkeys(AUDIT_COLUMNS, "") | {
            "found_by": found_by,
            "qseqid" if entry.kind == "query" else "sseqid": entry.name,
            "table_segments": str(entry.lines),
            "reason": entry.reason,
        }
        file.write(table_line(fields.values()))


def _figures(rows: AuditRows, row: int) -> Iterator[str]:
    ours, theirs = rows.ours, rows.theirs
    yield _whole(int(ours.ranks[row]))
    yield _whole(int(ours.scores[row]), least=0)
    yield _decimal(float(ours.bit_scores[row]))
    yield format_evalue(float(ours.log10_evalues[row]))
    yield _decimal(float(ours.log10_evalues[row]), digits=4)
    yield _whole(int(theirs.ranks[row]))
    yield _whole(int(theirs.segments[row]))
    yield _shortest(float(theirs.scores[row]))
    yield _shortest(float(theirs.bit_scores[row]))
    yield format_evalue(float(theirs.log10_evalues[row]), 3)


def write_comparison(comparison: RunComparison, file: TextIO, *, comments: bool = False) -> None:
    """Write every hit of two runs with its state: same, moved, new or lost.

    Parameters
    ----------
    comments : bool
        Begin with ``#`` lines that say how both runs were made.
    """
    runs = comparison.first, comparison.second
    if comments:
        for number, run in enumerate(runs, 1):
            write_comments(file, [f"run {number}, {line}" for line in provenance_lines(run)])
    file.write(table_line(COMPARISON_COLUMNS))
    queries = [sequence_names(query.query.id for query in run.queries) for run in runs]
    listed = [index[index >= 0].tolist() for index in comparison.db_index]
    subjects = [listed_names(run.database.ids, some) for run, some in zip(runs, listed, strict=True)]
    for row in range(len(comparison)):
        side = 0 if comparison.db_index[0][row] >= 0 else 1
        db_index, description = int(comparison.db_index[side][row]), runs[side].database.descriptions
        names = queries[side][int(comparison.query_index[side][row])], subjects[side][db_index]
        one, other = comparison.places
        ranks = int(one.ranks[row]), int(other.ranks[row])
        fields = [
            STATES[comparison.states[row]],
            *map(spreadsheet_text, (*names, description[db_index])),
            *map(_whole, ranks),
            str(ranks[1] - ranks[0]) if all(ranks) else "",
            *(_whole(int(side.scores[row]), least=0) for side in (one, other)),
            *(_decimal(float(side.bit_scores[row])) for side in (one, other)),
            *(format_evalue(float(side.log10_evalues[row])) for side in (one, other)),
            *(_decimal(float(side.log10_evalues[row]), digits=4) for side in (one, other)),
        ]
        file.write("\t".join(fields) + "\n")


def _whole(value: int, least: int = 1) -> str:
    """Write a number; empty if it is below what is possible, which stands for not known."""
    return str(value) if value >= least else ""


def _decimal(value: float, digits: int = 1) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}f}"


def _shortest(value: float) -> str:
    """Write a number of the table as short as it was."""
    return "" if math.isnan(value) else f"{value:.10g}"
