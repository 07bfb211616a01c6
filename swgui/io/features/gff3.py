"""Features of a GFF3 file: genes with the exons of their transcripts.

Lines with one ID are one feature in several parts, and so are the coding regions of one transcript. A child has the
name of the gene above it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple
from urllib.parse import unquote

import msgspec

from swgui.core.features import KINDS, Feature
from swgui.core.words import count

FIELDS: Final = 9
GTF: Final = 'gene_id "'  # as attributes of GTF begin
_EXON: Final = "exon"
_GENE, _TRANSCRIPT, _CODING = "gene", "mRNA", "CDS"
# Types that repeat parts of a transcript, and those of whole sequences.
_PARTS: Final = frozenset(
    (
        *("five_prime_UTR", "three_prime_UTR", "UTR", "start_codon", "stop_codon", "intron", "codon", "polypeptide"),
        *("five_prime_cis_splice_site", "three_prime_cis_splice_site", "protein"),
    )
)
WHOLES: Final = frozenset(
    (
        *("region", "chromosome", "scaffold", "contig", "supercontig", "databank_entry", "biological_region"),
        *("sequence_assembly", "plasmid"),
    )
)
_BY_TYPE: Final = {
    **{key: key for key in KINDS},
    **{kind.title.lower().replace(" ", "_"): key for key, kind in reversed(KINDS.items())},
    **dict.fromkeys(("transcript", "primary_transcript", "pseudogenic_transcript"), _TRANSCRIPT),
    **dict.fromkeys(
        ("dispersed_repeat", "tandem_repeat", "direct_repeat", "inverted_repeat", "satellite_DNA"), "repeat_region"
    ),
    **dict.fromkeys(
        ("mobile_genetic_element", "transposable_element", "insertion_sequence", "transposon"), "mobile_element"
    ),
    **dict.fromkeys(
        (
            *("TF_binding_site", "enhancer", "silencer", "terminator", "attenuator", "operator", "riboswitch"),
            *("regulatory_region", "transcriptional_cis_regulatory_region"),
        ),
        "regulatory",
    ),
    **dict.fromkeys(("sequence_feature", "origin_of_replication", "oriT"), "misc_feature"),
}
_NAMES: Final = ("gene", "Name", "locus_tag", "gene_name", "product", "Note", "ID")


class Line(NamedTuple):
    """One feature line."""

    kind: str  # of `KINDS`, or the type of an exon
    start: int  # from 0
    end: int
    strand: int
    id: str
    parents: tuple[str, ...]
    gene: str  # attribute ``gene``
    name: str


class Gff3(msgspec.Struct, eq=False):
    """Lines of a file, by sequence, and what was left out."""

    lines: dict[str, list[Line]]
    lengths: dict[str, int]
    circular: set[str]
    others: Counter[str]  # types that are left out
    broken: list[tuple[int, str]]  # number and fault of each line that is left out

    @property
    def names(self) -> Iterable[str]:
        """Names of the sequences, in the order of the file."""
        return self.lines

    def remarks(self) -> Iterator[str]:
        """Yield parts of a sentence on the lines that were left out."""
        if self.broken:
            number, fault = self.broken[0]
            several = len(self.broken) > 1
            left = f"{count(len(self.broken), 'line')} are left out: " if several else ""
            yield f"{left}line {number:,} {fault}{'' if several else ', and is left out'}"
        if self.others:
            usual = ", ".join(kind for kind, _ in self.others.most_common(3))
            total = self.others.total()
            yield f"{count(total, 'feature')} of other types {'is' if total == 1 else 'are'} left out ({usual})"


def read_gff3(lines: Iterable[str]) -> Gff3:
    """Read the lines of a file; those that break the rules of the format are counted (`Gff3.broken`)."""
    read = Gff3({}, {}, set(), Counter(), [])
    for number, text in enumerate(lines, 1):
        text = text.rstrip("\r\n")
        if text.startswith(("##FASTA", ">")):
            break
        if text.startswith("##sequence-region"):
            words = text.split()
            if len(words) == 4 and words[3].isdigit():
                read.lengths[unquote(words[1])] = int(words[3])
        elif text and not text.startswith("#") and (fault := _take(text, read)):
            read.broken.append((number, fault))
    return read


def _take(text: str, read: Gff3) -> str:
    """Add one line; returns the fault of a broken one."""
    fields = text.split("\t")
    if len(fields) != FIELDS:
        return f"has {count(len(fields), 'field')}, not {FIELDS}"
    name, _, kind, first, last, _, sign, _, attributes = fields
    if not (first.isdigit() and last.isdigit() and 0 < int(first) <= int(last)):
        return f"has no range of positions ({first} to {last})"
    name = unquote(name) if "%" in name else name
    values = dict([part.strip().partition("=")[::2] for part in attributes.split(";")])
    whole = kind in WHOLES
    if whole and values.get("Is_circular") == "true":
        read.circular.add(name)
        read.lengths.setdefault(name, int(last))
    known = _kind_of(kind)
    if not known and kind != _EXON:
        if not whole and kind not in _PARTS:
            read.others[kind] += 1
        return ""
    where = int(first) - 1, int(last), -1 if sign == "-" else 1
    parents = tuple(values["Parent"].split(",")) if "Parent" in values else ()
    lines = read.lines.setdefault(name, [])
    if kind == _EXON:  # most lines of an annotated genome; no name is read of one
        lines.append(Line(_EXON, *where, "", parents, "", ""))
        return ""
    label = next((values[key] for key in _NAMES if key in values), "")
    lines.append(Line(known, *where, values.get("ID", ""), parents, _plain(values.get("gene", "")), _plain(label)))
    return ""


def _plain(text: str) -> str:
    return unquote(text) if "%" in text else text


@cache
def _kind_of(kind: str) -> str:
    """Key of `KINDS` for a type of the Sequence Ontology; empty for one that is left out."""
    if kind in _PARTS or kind in WHOLES or kind == _EXON:
        return ""
    known = _BY_TYPE.get(kind) or _BY_TYPE.get(kind.lower().replace(" ", "_"))
    if known:
        return known
    if kind.endswith("gene"):
        return _GENE
    return "ncRNA" if kind.endswith("RNA") else _TRANSCRIPT if kind.endswith("transcript") else ""


def features_in(lines: Iterable[Line]) -> list[Feature]:
    """Features of one sequence: lines with one ID together, transcripts in their exons, each by the name of its gene.

    A gene with the extent of its only transcript or coding region is left out, as in entries of GenBank.
    """
    groups: dict[tuple[str, str], list[Line]] = {}
    exons: dict[str, list[tuple[int, int]]] = {}
    for number, line in enumerate(lines):
        if line.kind == _EXON:
            for parent in line.parents:
                exons.setdefault(parent, []).append((line.start, line.end))
            continue
        key = line.id or (line.parents[0] if line.kind == _CODING and line.parents else f"\0{number}")
        groups.setdefault((line.kind, key), []).append(line)
    above = {part[0].id: part[0] for part in groups.values() if part[0].id}
    made = []
    for (kind, _), parts in groups.items():
        spans = exons.get(parts[0].id, []) if kind != _CODING and KINDS[kind].group in ("gene", "rna") else []
        spans = sorted(set(spans or ((part.start, part.end) for part in parts)))
        made.append(Feature(kind, tuple(spans), _name(parts[0], above), parts[0].strand))
    coded = {(one.start, one.end, one.strand) for one in made if one.kind != _GENE}
    return [
        one for one in made if one.kind != _GENE or len(one.spans) > 1 or (one.start, one.end, one.strand) not in coded
    ]


def _name(line: Line, above: dict[str, Line]) -> str:
    """Name of the gene above a feature, or its own."""
    seen, top = {line.id}, line
    while top.parents and top.parents[0] in above and top.parents[0] not in seen:
        top = above[top.parents[0]]
        seen.add(top.id)
    return line.gene or (top.gene or top.name if top is not line else line.name)
