"""GenBank: the sequences that hits lie on, with an alignment a feature."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Final, TextIO

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.hits.results import Hit, SearchResult
from swgui.core.words import format_evalue
from swgui.io.export.annotation.sides import AnnotatedNames, Side, annotated_kind, sides
from swgui.io.export.base import ExportFormat, ExportOptions
from swgui.io.export.grouping import by_alignment
from swgui.io.export.values import clean_text

_LONGEST_NAME: Final = 16  # that the first line of an entry has room for beside any length


def write_genbank(result: SearchResult, hits: Iterable[Hit], file: TextIO, options: ExportOptions) -> None:
    """Write GenBank entries of the subjects, or of the queries where these alone are DNA (blastx), whole.

    Every alignment is a ``misc_feature``, which claims nothing but a place. Subjects come in the order in which they
    are found first; one whose name another one has already is named with its number in the database, or among the
    queries. Hits without an alignment (score 0) are left out.
    """
    names, found = AnnotatedNames(result, _name), dict[str, list[tuple[Side, Side, Hit]]]()
    for row in by_alignment(hits):
        if (pair := sides(result, row)) is not None:
            found.setdefault(names.name(row)[0], []).append((*pair, row))
    kind = "DNA" if annotated_kind(result).name == NUCLEOTIDE.name else "protein"
    for name, places in found.items():
        _write_entry(name, places, kind, file)


def _name(identifier: str) -> str:
    return "_".join(clean_text(identifier).split()) or "sequence"


def _write_entry(name: str, places: list[tuple[Side, Side, Hit]], kind: str, file: TextIO) -> None:
    from Bio import SeqIO
    from Bio.Seq import Seq
    from Bio.SeqFeature import SeqFeature, SimpleLocation
    from Bio.SeqRecord import SeqRecord

    record = places[0][0].record
    entry = SeqRecord(Seq(record.residues.decode("ascii")), name, name[:_LONGEST_NAME], clean_text(record.description))
    entry.annotations["molecule_type"] = kind
    for on, other, row in places:
        place = SimpleLocation(on.first - 1, on.last, 1 if on.plus else -1)
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


FORMATS: Final = (
    ExportFormat(
        "genbank", "GenBank", ".gb", "entries of the sequences that hits lie on, alignments as features",
        write_genbank,
    ),
)  # fmt: skip
