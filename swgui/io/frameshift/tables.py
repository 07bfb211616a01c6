"""A line per alignment: a table for programs, and GFF3 for genome browsers.

Coordinates count from 1. On the opposite strand a table's first base is above the last, as in BLAST; in GFF3 the strand
says so. A path counts codons for M, I and D and bases for F (skipped) and R (read twice), as GFF3's attribute Gap
does for a protein on DNA; I is a residue without a codon there, D a codon without a residue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TextIO
from urllib.parse import quote

from swgui.core.frameshift.hits import ShiftHit
from swgui.io.export.values import clean_text


def _ends(hit: ShiftHit, *, query: bool) -> tuple[int, int]:
    own = hit.alignment
    protein = own.protein_start + 1, own.protein_end
    return protein if query == hit.protein_query else hit.bases


def _lengths(hit: ShiftHit) -> tuple[int, int]:
    lengths = hit.protein_length, hit.dna_length
    return lengths if hit.protein_query else lengths[::-1]


COLUMNS: Final[dict[str, Callable[[ShiftHit], object]]] = {
    "qseqid": lambda hit: clean_text(hit.query),
    "sseqid": lambda hit: clean_text(hit.subject),
    "pident": lambda hit: f"{hit.pident:.2f}",
    "length": lambda hit: hit.length,
    "gaps": lambda hit: hit.gaps,
    "frameshifts": lambda hit: hit.alignment.shifts,
    "qstart": lambda hit: _ends(hit, query=True)[0],
    "qend": lambda hit: _ends(hit, query=True)[1],
    "qlen": lambda hit: _lengths(hit)[0],
    "sstart": lambda hit: _ends(hit, query=False)[0],
    "send": lambda hit: _ends(hit, query=False)[1],
    "slen": lambda hit: _lengths(hit)[1],
    "frame": lambda hit: hit.frame,
    "score": lambda hit: hit.alignment.score,
    "bitscore": lambda hit: f"{hit.bits:.1f}",
    "evalue": lambda hit: f"{hit.evalue:.2g}",
    "path": lambda hit: hit.alignment.cigar,
    "stitle": lambda hit: clean_text(hit.description),
}


def write_tsv(hits: Iterable[ShiftHit], file: TextIO, begins: bool) -> None:
    """Write a table with the names of its columns."""
    if begins:
        file.write("\t".join(COLUMNS) + "\n")
    file.writelines("\t".join(str(value(hit)) for value in COLUMNS.values()) + "\n" for hit in hits)


def write_gff3(hits: Iterable[ShiftHit], file: TextIO, begins: bool) -> None:
    """Write GFF3 (version 1.26): a ``protein_match`` on the DNA for each alignment."""
    if begins:
        file.write("##gff-version 3\n")
    for hit in hits:
        own, (first, last) = hit.alignment, sorted(hit.bases)
        dna, protein = (hit.subject, hit.query) if hit.protein_query else (hit.query, hit.subject)
        gap = " ".join(f"{letter}{n}" for n, letter in hit.alignment.steps)
        attributes = (
            f"Name={_escaped(protein)};Target={_escaped(protein)} {own.protein_start + 1} {own.protein_end};"
            f"Gap={gap};score={own.score};frameshifts={own.shifts}"
        )
        strand = "+" if hit.strand > 0 else "-"
        row = (_escaped(dna), "swgui", "protein_match", first, last, f"{hit.evalue:.2g}", strand, ".", attributes)
        file.write("\t".join(map(str, row)) + "\n")


def _escaped(text: str) -> str:
    return quote(clean_text(text), safe="|.:^*$@!+_?-")
