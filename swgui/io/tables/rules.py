"""Places of a rule as other programs write them: BED, GFF3, and the columns of PEPMatch."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple, TextIO
from urllib.parse import quote

from swgui.core.rules.request import RuleRequest
from swgui.core.table import Table
from swgui.core.words import count
from swgui.io.cells import sequence_names, spreadsheet_text
from swgui.io.table_files import write_table
from swgui.io.whole_file import write_text

FASTA_LINE: Final = 60
Complete = Callable[[], bool]  # asked after the last row: whether these were all places
PEPMATCH: Final = (
    *("Query ID", "Query Sequence", "Matched Sequence", "Protein ID", "Protein Name", "Species", "Taxon ID", "Gene"),
    *("Mismatches", "Mutated Positions", "Index start", "Index end", "Protein Existence Level"),
)


class _Place(NamedTuple):
    """One place, in the direction of its sequence."""

    query: str
    sequence: str
    strand: str  # "+" or "-"
    spans: list[tuple[int, int]]  # first and last position of each part; one unless it crosses the origin
    differences: int
    row: dict[str, Any]


def _places(table: Table[Any], more: Sequence[str] = ()) -> Iterator[_Place]:
    """Yield the places of a table; `more` names further columns."""
    keys = ("qseqid", "sseqid", "sstart", "send", "sstrand", "differences", "join", *more)
    for values in table.choose(keys).rows():
        row: dict[str, Any] = dict(zip(keys, values, strict=True))
        minus = row["sstrand"] == "minus"
        ends = (row["send"], row["sstart"]) if minus else (row["sstart"], row["send"])
        parts = [(int(first), int(last)) for first, last in re.findall(r"(\d+)\.\.(\d+)", row["join"] or "")]
        yield _Place(row["qseqid"], row["sseqid"], "-" if minus else "+", parts or [ends], row["differences"], row)


def write_bed(table: Table[Any], request: RuleRequest, file: TextIO, complete: Complete) -> None:
    """Write BED with six columns; positions count from 0 and the score is 1,000 less 100 for each difference.

    A place that crosses the origin of a circular record has a line for each of its parts.
    """
    for place in _places(table):
        score = max(0, 1000 - 100 * place.differences)
        for start, end in place.spans:
            line = place.sequence, start - 1, end, place.query, score, place.strand
            file.write("\t".join(map(str, line)) + "\n")


def write_gff3(table: Table[Any], request: RuleRequest, file: TextIO, complete: Complete) -> None:
    """Write GFF3; a place that crosses the origin of a circular record ends behind its length, as GFF3 has it."""
    file.write("##gff-version 3\n")
    for number, place in enumerate(_places(table, ["identity"]), start=1):
        facts = f"ID=place{number};Name={quote(place.query, safe=' ')};differences={place.differences}"
        sequence, start = quote(place.sequence, safe="|.:^*$@!+_?-"), place.spans[0][0]
        end = start - 1 + sum(last - first + 1 for first, last in place.spans)
        identity = f"{round(place.row['identity'], 2):g}"
        line = sequence, "swgui", "match", start, end, identity, place.strand, ".", facts
        file.write("\t".join(map(str, line)) + "\n")


def write_pepmatch(table: Table[Any], request: RuleRequest, file: TextIO, complete: Complete) -> None:
    """Write a CSV with the columns of PEPMatch; unknown values are empty, and so is a query without places.

    Where not all places are known, queries without one are left out.
    """
    writer = csv.DictWriter(file, PEPMATCH, restval="", lineterminator="\n")
    writer.writeheader()
    names = sequence_names(record.id for record in request.queries)
    sequences = dict(zip(names, (record.residues.decode() for record in request.queries), strict=True))
    left = dict(sequences)
    for place in _places(table, ["qseq", "sseq"]):
        upper, lower = place.row["qseq"], place.row["sseq"]
        changed = [column for column, (a, b) in enumerate(zip(upper, lower, strict=True), start=1) if a != b]
        left.pop(place.query, None)
        query, sequence = map(spreadsheet_text, (place.query, place.sequence))
        matched = sequences.get(place.query, ""), lower.replace("-", "")
        values = query, *matched, sequence, *4 * ("",), place.differences, changed
        writer.writerow(dict(zip(PEPMATCH, (*values, place.spans[0][0], place.spans[-1][1]), strict=False)))
    for name, query in left.items() if complete() else ():
        writer.writerow({"Query ID": spreadsheet_text(name), "Query Sequence": query, "Mutated Positions": "[]"})


def write_fasta(table: Table[Any], request: RuleRequest, file: TextIO, complete: Complete) -> None:
    """Write the residues of each place, of bases in the direction of the query: products of primers."""
    for place in _places(table, ["place"]):
        where = ",".join(f"{first}-{last}" for first, last in place.spans)
        residues = place.row["place"]
        of = count(len(residues), "residue")
        differ = count(place.differences, "difference")
        name = f"{place.query}_{place.sequence}:{where}({place.strand})".replace(" ", "_")
        file.write(f">{name} {of}, {differ}\n")
        file.writelines(f"{residues[at : at + FASTA_LINE]}\n" for at in range(0, len(residues), FASTA_LINE))


# Besides those that all tables have.
PLACE_FORMATS: Final[dict[str, Callable[[Table[Any], RuleRequest, TextIO, Complete], None]]] = {
    "bed": write_bed,
    "gff3": write_gff3,
    "pepmatch": write_pepmatch,
    "fasta": write_fasta,
}


def write_places(
    path: str | None, table: Table[Any], request: RuleRequest, form: str, complete: Complete = lambda: True
) -> None:
    """Write places in one of `PLACE_FORMATS` or of the formats of all tables; as `write_table` otherwise."""
    if form in PLACE_FORMATS:
        write_text(path, lambda file: PLACE_FORMATS[form](table, request, file, complete))
    else:
        write_table(path, table, form)
