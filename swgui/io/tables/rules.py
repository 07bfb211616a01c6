"""Places of a rule as files: a table, BED, GFF3, and the columns that PEPMatch writes."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TextIO
from urllib.parse import quote

from swgui.core.rules.request import RuleRequest
from swgui.io.cells import sequence_names, spreadsheet_text

Rows = Iterable[dict[str, object]]
Complete = Callable[[], bool]  # asked after the last row: whether these were all places
COLUMNS: Final = ("query", "sequence", "start", "end", "strand", "differences", "identity")
MORE: Final = (
    *("mismatches", "insertions", "deletions", "query_start", "query_end", "windows", "other_readings"),
    *("join", "query_row", "subject_row"),
)


def write_tsv(rows: Rows, request: RuleRequest, file: TextIO, complete: Complete, more: Sequence[str] = ()) -> None:
    """Write a table with a line of column names; `more` names further columns of the rows."""
    frame = ("frame",) if request.frames else ()
    writer = csv.DictWriter(file, (*COLUMNS, *MORE, *frame, *more), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(map(_protected, rows))


def _protected(row: dict[str, object]) -> dict[str, object]:
    """Return a row whose names are fit for cells of spreadsheets."""
    return row | {name: spreadsheet_text(str(row[name])) for name in ("query", "sequence")}


def write_bed(rows: Rows, request: RuleRequest, file: TextIO, complete: Complete) -> None:
    """Write BED with six columns; positions count from 0 and the score is 1,000 less 100 for each difference.

    A place that crosses the origin of a circular record has a line for each of its parts.
    """
    for row in rows:
        score = max(0, 1000 - 100 * int(str(row["differences"])))
        for start, end in _spans(row):
            line = row["sequence"], start - 1, end, row["query"], score, row["strand"]
            file.write("\t".join(map(str, line)) + "\n")


def _spans(row: Mapping[str, object]) -> list[tuple[int, int]]:
    """Return first and last position of each part of a place; one unless it crosses the origin of its record."""
    parts = re.findall(r"(\d+)\.\.(\d+)", str(row["join"])) or [(str(row["start"]), str(row["end"]))]
    return [(int(first), int(last)) for first, last in parts]


def write_gff3(rows: Rows, request: RuleRequest, file: TextIO, complete: Complete) -> None:
    """Write GFF3; a place that crosses the origin of a circular record ends behind its length, as GFF3 has it."""
    file.write("##gff-version 3\n")
    for number, row in enumerate(rows, start=1):
        facts = f"ID=place{number};Name={quote(str(row['query']), safe=' ')};differences={row['differences']}"
        sequence = quote(str(row["sequence"]), safe="|.:^*$@!+_?-")
        spans = _spans(row)
        end = spans[0][0] - 1 + sum(last - first + 1 for first, last in spans)
        line = sequence, "swgui", "match", row["start"], end, row["identity"], row["strand"], ".", facts
        file.write("\t".join(map(str, line)) + "\n")


PEPMATCH: Final = (
    *("Query ID", "Query Sequence", "Matched Sequence", "Protein ID", "Protein Name", "Species", "Taxon ID", "Gene"),
    *("Mismatches", "Mutated Positions", "Index start", "Index end", "Protein Existence Level"),
)


def write_pepmatch(rows: Rows, request: RuleRequest, file: TextIO, complete: Complete) -> None:
    """Write a CSV with the columns of PEPMatch; what is not known here is empty, and so is a query without places.

    Where not all places are known, queries without one are left out.
    """
    writer = csv.DictWriter(file, PEPMATCH, restval="", lineterminator="\n")
    writer.writeheader()
    names = sequence_names(record.id for record in request.queries)
    sequences = dict(zip(names, (record.residues.decode() for record in request.queries), strict=True))
    left = dict(sequences)
    for row in rows:
        name, upper, lower = (str(row[key]) for key in ("query", "query_row", "subject_row"))
        changed = [column for column, (a, b) in enumerate(zip(upper, lower, strict=True), start=1) if a != b]
        query = sequences.get(name, "")
        left.pop(name, None)
        own = _protected(row)
        values = own["query"], query, lower.replace("-", ""), own["sequence"], *4 * ("",), row["differences"], changed
        writer.writerow(dict(zip(PEPMATCH, (*values, row["start"], row["end"]), strict=False)))
    for name, query in left.items() if complete() else ():
        writer.writerow({"Query ID": spreadsheet_text(name), "Query Sequence": query, "Mutated Positions": "[]"})


FORMATS: Final[dict[str, Callable[[Rows, RuleRequest, TextIO, Complete], None]]] = {
    "tsv": write_tsv,
    "bed": write_bed,
    "gff3": write_gff3,
    "pepmatch": write_pepmatch,
}
