"""Which format a text is in, told by its content."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from swgui.io.sequences.sources import TextSource

FASTA: Final = "FASTA"
FASTQ: Final = "FASTQ"
GENBANK: Final = "GenBank"
EMBL: Final = "EMBL"
IMGT: Final = "IMGT"
SWISS_PROT: Final = "Swiss-Prot"
PIR: Final = "PIR"
PDB: Final = "PDB"
MMCIF: Final = "mmCIF"
RAW: Final = "plain letters"

_HEADERLESS_HINT: Final = "A FASTA record begins with a line such as '>name description'."
_ALIGNMENT_HINT: Final = (
    "Search with it by 'swgui search --start-from', or convert it to FASTA, whose gap signs are left out."
)

# Compiled when they are tried.
FASTA_START: Final = b">"
_PIR_START: Final = rb">(P1|F1|D1|DL|DC|RL|RC|N3|XX);"
# "ID   NAME   Reviewed;   104 AA." and the older "ID   NAME   STANDARD;   PRT;   104 AA."
_SWISS_PROT_START: Final = rb"ID   \S+\s+\w+;(\s+PRT;)?\s+\d+ AA\."
_PDB_START: Final = (
    rb"(HEADER|TITLE |COMPND|EXPDTA|CRYST1|ORIGX1)    |REMARK +\d|MODEL +\d+ *$|PARENT|(ATOM  |HETATM)[ \d]{5} "
)
_MMCIF_START: Final = rb"(?i)(?:\s|#[^\n]*\n)*data_\S"
_CONTROL_BYTES: Final = bytes(set(range(32)) - set(b"\t\n\r\f\v\x01\x1a\x1b")) + b"\x7f"


class _OtherKind(msgspec.Struct, frozen=True):
    """Something that is recognised in order to refuse it with a helpful sentence."""

    start: bytes  # a pattern, compiled when it is tried
    what: str
    hint: str


# Tried on the first line that is not blank, in this order.
_OTHER_KINDS: Final = tuple(
    _OtherKind(start, kind, hint)
    for start, kind, hint in (
        (rb"\x93SWDB", "a database of this program (.swdb)", "Choose it as a database."),
        (rb"%PDF-", "a PDF document", "Save the sequences as plain text."),
        (rb"\{\\rtf", "a rich-text document", "Save it as plain text."),
        (rb"(?i)<!doctype html|<html", "a web page", "Download the sequences themselves, as FASTA."),
        (rb"(?s)<\?xml|<", "an XML document", "Download the same entries as FASTA or as flat text."),
        (rb"[\[{]", "a JSON document", "Export the sequences as FASTA."),
        (rb"CLUSTAL|MUSCLE|PROBCONS", "a Clustal alignment", _ALIGNMENT_HINT),
        (rb"#\s*STOCKHOLM", "a Stockholm alignment", _ALIGNMENT_HINT),
        (rb"(?i)#NEXUS", "a NEXUS file", _ALIGNMENT_HINT),
        (rb"!!(AA|NA|RICH)_", "a GCG file", "Convert it to FASTA."),
        (rb"\s*\d+\s+\d+\s*$", "a PHYLIP alignment", _ALIGNMENT_HINT),
        (rb"@(HD|SQ|RG|PG|CO)\t", "a SAM file", "Extract the reads as FASTQ or FASTA."),
        (rb"##gff-version", "a GFF annotation file", "Choose the sequence file that belongs to it."),
        (rb"##fileformat=VCF", "a VCF file", "Choose the sequence file that belongs to it."),
        (rb"HMMER\d", "a profile HMM", "Search with it by 'swgui search --start-from', or choose sequences."),
    )
)


def sniff(source: TextSource, *, raw_allowed: bool = False) -> str:
    """Return the format of an input.

    Parameters
    ----------
    raw_allowed : bool
        Whether letters without any header are fine (pasted text).

    Raises
    ------
    SequenceError
        If it is none of the formats that are read; the sentence says what it looks like instead.
    """
    head = source.head
    first_line = _first_line(head)
    if not first_line:
        raise source.error(
            f"{source.name} holds nothing but blank lines." if head else f"{source.name} is empty.",
            hint="Choose a file with sequences, for example in FASTA format.",
        )
    for other in () if first_line.startswith(FASTA_START) else _OTHER_KINDS:  # none of which begins so
        if re.match(other.start, first_line.lstrip() if other.what.startswith("a web") else first_line):
            raise source.error(f"{source.name} is {other.what}, not a sequence file.", hint=other.hint)
    unprintable = len(head) - len(head.translate(None, _CONTROL_BYTES))
    if b"\0" in head or unprintable > 0.1 * len(head):
        raise source.error(
            f"{source.name} is a binary file, not text.",
            hint="Choose a text file with sequences: FASTA, FASTQ, GenBank, EMBL, Swiss-Prot, PIR, PDB or mmCIF.",
        )
    return _by_first_line(first_line, head) or _by_later_lines(source, head, raw_allowed)


def known_by_first_line(head: bytes) -> bool:
    """Whether a text begins as one of the formats of the program does."""
    return bool(_by_first_line(_first_line(head), head))


def _first_line(head: bytes) -> bytes:
    return next((line for line in head.split(b"\n") if line.strip()), b"")


def _by_first_line(line: bytes, head: bytes) -> str:
    if line.startswith(FASTA_START):
        return PIR if re.match(_PIR_START, line) else FASTA
    if line.startswith(b"@"):
        return FASTQ
    if line.startswith(b"LOCUS "):
        return GENBANK
    if line.startswith(b"ID   "):
        return _id_format(line, head)
    if re.match(_PDB_START, line):
        return PDB
    if re.match(_MMCIF_START, head):
        return MMCIF
    return ""


def _id_format(line: bytes, head: bytes) -> str:
    """Tell Swiss-Prot, EMBL and IMGT apart; all of them begin with an ID line."""
    entry = head[:end] if (end := head.find(b"\n//")) > 0 else head
    # Patent offices put proteins into EMBL files with old Swiss-Prot ID lines; only EMBL has XX lines.
    if re.match(_SWISS_PROT_START, line) and b"\nXX\n" not in entry:
        return SWISS_PROT
    # IMGT is EMBL with longer feature keys and an ID line of its own.
    return IMGT if b"IMGT" in line or line.count(b";") == 5 else EMBL


def _by_later_lines(source: TextSource, head: bytes, raw_allowed: bool) -> str:
    """Look for a record behind a preamble, as GenBank's release files and hand-edited FASTA have it."""
    if re.search(rb"^LOCUS {2,}\S+ +\d+ (bp|aa)", head, re.MULTILINE):
        return GENBANK
    if re.search(rb"^>", head, re.MULTILINE):
        return FASTA
    if raw_allowed:
        return RAW
    letters = len(head) - len(head.translate(None, b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz*-\n "))
    if letters == len(head):
        raise source.error(f"{source.name} has letters but no header line.", line=1, hint=_HEADERLESS_HINT)
    raise source.error(
        f"{source.name} is in no format that is read here.",
        hint=f"FASTA, FASTQ, GenBank, EMBL, Swiss-Prot, PIR, PDB and mmCIF are read. {_HEADERLESS_HINT}",
    )
