"""Hits as annotation of the sequences they lie on: GFF3 and GenBank."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TextIO
from urllib.parse import quote

import msgspec

from swgui.core.alignment import OP_LETTERS, PLAIN, Alignment
from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.circular import turns
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.records import SequenceRecord
from swgui.core.words import format_evalue
from swgui.io.cells import clean_text
from swgui.io.export.base import ExportOptions
from swgui.io.export.grouping import UniqueNames, by_alignment
from swgui.io.export.provenance import provenance_lines
from swgui.io.export.rows import read_on_span

COMPLEMENT: Final = bytes.maketrans(
    NUCLEOTIDE.letters.encode(), "".join(NUCLEOTIDE.complements[c] for c in NUCLEOTIDE.letters).encode()
)
_LONGEST_NAME: Final = 16  # that fit into the first line of a GenBank entry next to any length
_TURNED: Final = str.maketrans("ID", "DI")  # for a query that is the DNA
_NAME: Final = "|.:^*$@!+_?-"  # signs that names of sequences may have in GFF3; letters and digits besides
_VALUE: Final = "|.:^*$@!+_?-/()[]{}<>~#'\" "


class Side(msgspec.Struct, frozen=True):
    """One of the two sequences of an alignment."""

    record: SequenceRecord  # as it was given
    name: str  # in the file, that of no other sequence
    # first, last: ends of the aligned part, from 1, ascending; behind the origin of a circular record counted on
    first: int
    last: int
    plus: bool  # whether it is read forwards
    frame: int  # 0 where it is not translated

    def residues(self, flank: int = 0) -> tuple[int, int, bytes]:
        """Return first and last position, and residues of the part with its flanks, in the direction of reading."""
        if self.last > len(self.record.residues):
            return self._around(flank)
        first, last = max(1, self.first - flank), min(len(self.record.residues), self.last + flank)
        part = self.record.residues[first - 1 : last]
        return (first, last, part) if self.plus else (last, first, part.upper().translate(COMPLEMENT)[::-1])

    def parts(self) -> list[tuple[int, int]]:
        """Return first and last position of each part: two where it crosses the origin of a circular record."""
        return [(start + 1, end) for start, end in turns(self.first - 1, self.last, len(self.record.residues))]

    def _around(self, flank: int) -> tuple[int, int, bytes]:
        length = len(self.record.residues)
        room = max(length - (self.last - self.first + 1), 0)
        before = min(flank, room)
        first, last = self.first - before, self.last + min(flank, room - before)
        part = bytes(self.record.residues[place % length] for place in range(first - 1, last))
        start, end = (first - 1) % length + 1, (last - 1) % length + 1
        return (start, end, part) if self.plus else (end, start, part.upper().translate(COMPLEMENT)[::-1])


def on_query(result: SearchResult) -> bool:
    """Return whether hits annotate the queries: where these alone are DNA."""
    return result.translation is not None and not result.translation.of.translates_database


def annotated_kind(result: SearchResult) -> Alphabet:
    """Return the kind of sequence that is annotated."""
    if result.translation is None:
        return result.scheme.alphabet
    return result.translation.of.query if on_query(result) else result.translation.of.database


def aligned_sides(
    result: SearchResult, hits: Iterable[Hit], write_name: Callable[[str], str] = clean_text
) -> Iterator[tuple[int, Hit, Side, Side]]:
    """Yield each alignment with its number from 1, the sequence that it annotates and the other; only what is aligned.

    Parameters
    ----------
    write_name : callable
        Makes an identifier fit for the format.
    """
    names, turned = UniqueNames(result, write_name), on_query(result)
    for number, hit in enumerate(by_alignment(hits), 1):
        if hit.alignment is None:
            continue
        start, end, first, last = read_on_span(hit)
        query = _side(hit.query_record, names.query(hit), start, end, hit.frames[0])
        subject = _side(hit.subject, names.subject(hit), first, last, hit.frames[1], minus=hit.strand < 0)
        yield number, hit, *((query, subject) if turned else (subject, query))


def _side(record: SequenceRecord, name: str, start: int, end: int, frame: int, *, minus: bool = False) -> Side:
    return Side(record, name, min(start, end), max(start, end), not (frame < 0 or minus), frame)


def write_gff3(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write GFF3, a line per alignment, on the subjects; on the queries where these alone are DNA (blastx).

    The score is E. ``Target`` names the other sequence and the part of it that is aligned, from 1; bases where it is
    DNA. Of searches with frameshifts ``Gap`` has the path (`gap_attribute`), and ``frameshifts`` their number. A
    sequence whose name another one has already is named with its number in the database, or among the queries. Hits
    without an alignment (score 0) are left out. One that crosses the origin of a circular record ends behind its
    length, as GFF3 has it, and the record has a line that says ``Is_circular=true``.
    """
    circles = result.search.circles
    file.write("##gff-version 3\n")
    for line in provenance_lines(result):
        file.write(f"# {line}\n")
    kind = "nucleotide_match" if result.scheme.alphabet.name == NUCLEOTIDE.name else "protein_match"
    named: set[str] = set()
    for number, row, on, other in aligned_sides(result, hits, lambda identifier: quote(identifier, safe=_NAME)):
        if on.name not in named:
            named.add(on.name)
            file.write(f"##sequence-region {on.name} 1 {len(on.record.residues)}\n")
            if circles.behind and (on.record.circular or circles.which == "all"):
                whole = on.name, "swgui", "region", 1, len(on.record.residues), ".", "+", ".", "Is_circular=true"
                file.write("\t".join(map(str, whole)) + "\n")
        evalue = format_evalue(row.log10_evalue) or "."
        where = on.first, on.last, evalue, "+" if on.plus else "-", "."
        attributes = ";".join(f"{key}={value}" for key, value in _attributes(row, number, on, other))
        file.write("\t".join(map(str, (on.name, "swgui", kind, *where, attributes))) + "\n")


def _attributes(row: Hit, number: int, on: Side, other: Side) -> Iterator[tuple[str, object]]:
    yield "ID", f"match{number}"
    yield "Name", quote(clean_text(other.record.id), safe=_VALUE)
    sign = ("+" if other.plus else "-") if other.frame else "+"
    yield "Target", f"{other.name} {other.first} {other.last} {sign}"
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


def gap_attribute(path: Alignment) -> str:
    """Return the runs of a protein on DNA as GFF3 writes them: I a residue without codon, D a codon without residue.

    M, I and D count codons, F the bases that are skipped and R those that are read twice.
    """
    letters = OP_LETTERS if path.steps[0] == 1 else OP_LETTERS.translate(_TURNED)
    return " ".join(f"{letters[op]}{n}" for op, n in zip(path.ops.tolist(), path.lengths.tolist(), strict=True))


def write_genbank(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write GenBank entries of the subjects, or of the queries where these alone are DNA (blastx), whole.

    Every alignment is a ``misc_feature``, which claims nothing but a place. Subjects come in the order in which they
    are found first; one whose name another one has already is named with its number in the database, or among the
    queries. Hits without an alignment (score 0) are left out.
    """
    features: dict[str, list[tuple[Side, Side, Hit]]] = {}
    for _, row, on, other in aligned_sides(result, hits, _genbank_name):
        features.setdefault(on.name, []).append((on, other, row))
    kind = "DNA" if annotated_kind(result).name == NUCLEOTIDE.name else "protein"
    for name, of_entry in features.items():
        _write_entry(name, of_entry, kind, file)


def _genbank_name(identifier: str) -> str:
    return "_".join(clean_text(identifier).split()) or "sequence"


def _write_entry(name: str, features: list[tuple[Side, Side, Hit]], kind: str, file: TextIO) -> None:
    from Bio import SeqIO
    from Bio.Seq import Seq
    from Bio.SeqFeature import CompoundLocation, SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    record = features[0][0].record
    entry = SeqRecord(Seq(record.residues.decode("ascii")), name, name[:_LONGEST_NAME], clean_text(record.description))
    entry.annotations["molecule_type"] = kind
    if record.circular:
        entry.annotations["topology"] = "circular"
    for on, other, row in features:
        sign = 1 if on.plus else -1
        parts = [SimpleLocation(first - 1, last, sign) for first, last in on.parts()][::sign]
        place = parts[0] if len(parts) == 1 else CompoundLocation(parts)
        entry.features.append(SeqFeature(place, "misc_feature", qualifiers=_qualifiers(on, other, row)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that are longer than usual
        SeqIO.write(entry, file, "genbank")


def _qualifiers(on: Side, other: Side, row: Hit) -> dict[str, list[str]]:
    evalue = format_evalue(row.log10_evalue) or "unknown"
    identity = f", identity {row.counts.pident:.1f} %" if row.counts is not None else ""
    frame = f", frame {on.frame}" if on.frame else ""
    facts = f"score {row.score}, E {evalue}{identity}{frame}"
    name = clean_text(other.record.id)
    described = f"{name} {other.first}-{other.last}: {clean_text(other.record.description)}".rstrip(": ")
    return {"label": [name], "note": [f"{described}; {facts}"], "inference": [f"alignment:swgui:{name}"]}
