"""Places of a rule as files: a table, BED, GFF3, and the columns that PEPMatch writes."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import Final, TextIO
from urllib.parse import quote

from swgui.core.database import EncodedDatabase
from swgui.core.rules.matching import match_table
from swgui.core.rules.places import Places
from swgui.core.rules.reference import Fit
from swgui.core.rules.request import RuleRequest
from swgui.core.rules.rows import aligned_columns, as_rows
from swgui.core.rules.rule import Primers, percent

Rows = Iterable[dict[str, object]]
COLUMNS: Final = ("query", "sequence", "start", "end", "strand", "differences", "identity")
MORE: Final = (
    *("mismatches", "insertions", "deletions", "query_start", "query_end", "windows"),
    *("query_row", "subject_row"),
)


def rows(request: RuleRequest, database: EncodedDatabase, places: Places) -> Iterator[dict[str, object]]:
    """Yield one place after the other by the names of `COLUMNS` and `MORE`, counted from 1, ends inclusive."""
    names, alphabet = request.names, request.alphabet
    codes = [alphabet.encode(record.residues) for record in request.queries]
    table = match_table(alphabet, request.ambiguity)
    for row in range(len(places)):
        number, subject = int(places.query[row]), int(places.subject[row])
        start, end, plus = int(places.start[row]), int(places.end[row]), places.strand[row] > 0
        begin, stop = int(places.query_start[row]), int(places.query_end[row])
        upper = lower = ""
        if not isinstance(request.rule, Primers):
            part = database.subject(subject)[start:end]
            query = codes[number][begin:stop]
            query = query if plus else alphabet.reverse_complement(query)
            fit = Fit(
                0, len(part), *(int(getattr(places, name)[row]) for name in ("mismatches", "insertions", "deletions"))
            )
            columns = aligned_columns(query, part, table, fit)
            upper, lower = as_rows(alphabet.decode(query).decode(), alphabet.decode(part).decode(), columns)
        identity = Fraction(int(places.matches[row]), int(places.columns[row]))
        yield {
            "query": names[number],
            "sequence": database.ids[subject],
            "start": start + 1,
            "end": end,
            "strand": "+" if plus else "-",
            "differences": int(places.differences[row]),
            "identity": percent(identity),
            "mismatches": int(places.mismatches[row]),
            "insertions": int(places.insertions[row]),
            "deletions": int(places.deletions[row]),
            "query_start": begin + 1,
            "query_end": stop,
            "windows": int(places.windows[row]),
            "query_row": upper,
            "subject_row": lower,
        }


def write_tsv(rows: Rows, request: RuleRequest, file: TextIO) -> None:
    """Write a table with a line of column names."""
    writer = csv.DictWriter(file, (*COLUMNS, *MORE), delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


def write_bed(rows: Rows, request: RuleRequest, file: TextIO) -> None:
    """Write BED with six columns; positions count from 0 and the score is 1,000 less 100 for each difference."""
    for row in rows:
        score = max(0, 1000 - 100 * int(str(row["differences"])))
        line = row["sequence"], int(str(row["start"])) - 1, row["end"], row["query"], score, row["strand"]
        file.write("\t".join(map(str, line)) + "\n")


def write_gff3(rows: Rows, request: RuleRequest, file: TextIO) -> None:
    """Write GFF3."""
    file.write("##gff-version 3\n")
    for number, row in enumerate(rows, start=1):
        facts = f"ID=place{number};Name={quote(str(row['query']), safe=' ')};differences={row['differences']}"
        sequence = quote(str(row["sequence"]), safe="|.:^*$@!+_?-")
        line = sequence, "swgui", "match", row["start"], row["end"], row["identity"], row["strand"], ".", facts
        file.write("\t".join(map(str, line)) + "\n")


def write_pepmatch(rows: Rows, request: RuleRequest, file: TextIO) -> None:
    """Write a CSV with the columns that PEPMatch has for a place."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(
        (
            "Query ID",
            "Query Sequence",
            "Matched Sequence",
            "Protein ID",
            "Mismatches",
            "Mutated Positions",
            "Index start",
            "Index end",
        )
    )
    sequences = {record.id: record.residues.decode() for record in request.queries}
    for row in rows:
        upper, lower = str(row["query_row"]), str(row["subject_row"])
        changed = [column for column, (a, b) in enumerate(zip(upper, lower, strict=True), start=1) if a != b]
        query, matched = sequences[str(row["query"])], lower.replace("-", "")
        line = row["query"], query, matched, row["sequence"], row["differences"], changed, row["start"], row["end"]
        writer.writerow(line)


FORMATS: Final[dict[str, Callable[[Rows, RuleRequest, TextIO], None]]] = {
    "tsv": write_tsv,
    "bed": write_bed,
    "gff3": write_gff3,
    "pepmatch": write_pepmatch,
}
