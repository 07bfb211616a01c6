"""GFF3: every alignment a feature of the sequence it lies on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, TextIO
from urllib.parse import quote

from swgui.core.alignment import OP_LETTERS, PLAIN, Alignment
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.results import Hit, SearchResult
from swgui.core.words import format_evalue
from swgui.io.export.annotation.sides import AnnotatedNames, Side, sides
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.grouping import by_alignment
from swgui.io.export.provenance import provenance_lines
from swgui.io.export.values import clean_text

_TURNED: Final = str.maketrans("ID", "DI")  # for a query that is the DNA
_NAME: Final = "|.:^*$@!+_?-"  # signs that names of sequences may have; letters and digits besides
_VALUE: Final = "|.:^*$@!+_?-/()[]{}<>~#'\" "


def write_gff3(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write GFF3, a line per alignment, on the subjects; on the queries where these alone are DNA (blastx).

    The score is E. ``Target`` names the other sequence and the part of it that is aligned, from 1; bases where it is
    DNA. Of searches with frameshifts ``Gap`` has the path (`gap_attribute`), and ``frameshifts`` their number. A
    sequence whose name another one has already is named with its number in the database, or among the queries. Hits
    without an alignment (score 0) are left out.
    """
    file.write("##gff-version 3\n")
    for line in provenance_lines(result):
        file.write(f"# {line}\n")
    kind = "nucleotide_match" if result.scheme.alphabet.name == NUCLEOTIDE.name else "protein_match"
    names = AnnotatedNames(result, lambda identifier: quote(identifier, safe=_NAME))
    for number, row in enumerate(by_alignment(hits), 1):
        if (pair := sides(result, row)) is None:
            continue
        on, other = pair
        name, new = names.name(row)
        if new:
            file.write(f"##sequence-region {name} 1 {len(on.record.residues)}\n")
        evalue = format_evalue(row.log10_evalue) or "."
        where = on.first, on.last, evalue, "+" if on.plus else "-", "."
        attributes = ";".join(f"{key}={value}" for key, value in _attributes(row, number, on, other))
        file.write("\t".join(map(str, (name, "swgui", kind, *where, attributes))) + "\n")


def _attributes(row: Hit, number: int, on: Side, other: Side) -> Iterator[tuple[str, object]]:
    yield "ID", f"match{number}"
    yield "Name", quote(clean_text(other.record.id), safe=_VALUE)
    sign = ("+" if other.plus else "-") if other.frame else "+"
    yield "Target", f"{quote(other.record.id, safe=_NAME)} {other.first} {other.last} {sign}"
    if other.record.description:
        yield "Note", quote(clean_text(other.record.description), safe=_VALUE)
    yield "rank", row.rank
    yield "alignment", row.hsp + 1
    yield "raw_score", row.score
    if row.bit_score == row.bit_score:  # not NaN
        yield "bits", f"{row.bit_score:.1f}"
    if row.counts is not None:
        yield "identity", f"{row.counts.pident:.1f}"
    if on.frame:
        yield "frame", on.frame
    if row.alignment is not None and row.counts is not None and row.alignment.steps != PLAIN:
        yield "frameshifts", row.counts.frameshifts
        yield "Gap", gap_attribute(row.alignment)


def gap_attribute(found: Alignment) -> str:
    """Return the runs of a protein on DNA as GFF3 writes them: I a residue without codon, D a codon without residue.

    M, I and D count codons, F the bases that are skipped and R those that are read twice.
    """
    letters = OP_LETTERS if found.steps[0] == 1 else OP_LETTERS.translate(_TURNED)
    return " ".join(f"{letters[op]}{n}" for op, n in zip(found.ops.tolist(), found.lengths.tolist(), strict=True))


FORMATS: Final = (
    ExportFormat(
        "gff3", "GFF3", ".gff3", "features of the sequences that hits lie on, a line per alignment", write_gff3
    ),
)
