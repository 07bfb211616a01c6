"""From text to raw records, one function per format.

FASTA is scanned here, in blocks of bytes: Biopython's parser joins a record's lines at once, so that the
line and column of a bad letter are lost and a chromosome is held four times over. Structures are
read by `swgui.io.structures`; every other format goes through Biopython.
"""

from __future__ import annotations

import io
import re
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Final, TypeVar

import msgspec

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.errors import SequenceError
from swgui.core.features import KINDS, Feature
from swgui.core.plain import replace
from swgui.core.records import Letters, Remark
from swgui.io.read_report import ReadReport, shown
from swgui.io.sequences import sniffing
from swgui.io.sequences.sources import TextSource

_NAMES: Final = (
    "region_name",
    "site_type",
    "gene",
    "product",
    "locus_tag",
    "mobile_element_type",
    "rpt_family",
    "note",
)
_GENE_NAMES: Final = ("gene", "locus_tag", "product", "note")  # of one, in which a product names many
_OF_GENES: Final = ("gene", "mRNA", "CDS")
_UNIPROT_NAMES: Final = ("note", "ligand", "description")
_LONGEST_NAME: Final = 80
_GENE: Final = "gene"
_BONDS: Final = ("DISULFID", "CROSSLNK")
_Item = TypeVar("_Item")
LONGEST_RECORD: Final = (1 << 31) - 1  # lengths are int32 from here on

# `warnings.catch_warnings` swaps state of the whole process; readers in two threads must take turns.
_warnings_lock = threading.Lock()
_KINDS: Final = {"protein": PROTEIN, "DNA": NUCLEOTIDE, "RNA": NUCLEOTIDE}
_QUALITIES: Final = r"[!-~]*"


def kept_only(scanner: type[Any]) -> Any:
    """Return a scanner of Biopython that reads the features that are kept, and passes over what it cannot read.

    Parameters
    ----------
    scanner : type
        ``Bio.GenBank.Scanner.GenBankScanner`` or ``EmblScanner``.
    """

    class Scanner(scanner):  # type: ignore[misc]  # Biopython has no types
        def parse_feature(self, feature_key: str, lines: list[str]) -> Any:
            if feature_key not in KINDS:
                return None
            try:
                return super().parse_feature(feature_key, lines)
            except Exception:  # whatever it raises, the sequence itself is not touched by it
                warnings.warn(f"A feature '{feature_key}' cannot be read and was left out", stacklevel=2)
                return None

        def _feed_feature_table(self, consumer: Any, features: list[Any]) -> None:
            for feature in features:
                if feature is None:
                    continue
                try:
                    super()._feed_feature_table(consumer, [feature])
                except Exception:
                    warnings.warn(f"A feature '{feature[0]}' cannot be read and was left out", stacklevel=2)

    return Scanner()


def features_of(entries: Iterable[Any], names: Sequence[str] = _NAMES) -> tuple[Feature, ...]:
    """Return those features of an entry that are kept, by their start.

    Parameters
    ----------
    names : sequence of str
        Qualifiers that name one, the best first.
    """
    features = [feature for entry in entries if (feature := _feature(entry, names)) is not None]
    coded = {(feature.start, feature.end, feature.strand) for feature in features if feature.kind != _GENE}
    kept = [f for f in features if f.kind != _GENE or (f.start, f.end, f.strand) not in coded]
    return tuple(sorted(kept, key=lambda feature: (feature.start, -feature.end)))


def uniprot_features(entries: Iterable[Any]) -> tuple[Feature, ...]:
    """Return those features of a UniProt entry that are kept; evidence behind old names is left out."""
    features = features_of(entries, _UNIPROT_NAMES)
    return tuple(replace(f, name=f.name.split(" {ECO:")[0].rstrip("."), spans=_spans(f)) for f in features)


def _spans(feature: Feature) -> tuple[tuple[int, int], ...]:
    """Return the two residues of a bond, which is written as a range; one where it leads to another chain."""
    first, last = feature.start, feature.end - 1
    bond = feature.kind in _BONDS and last > first
    return ((first, first + 1), (last, last + 1)) if bond else feature.spans


def _feature(entry: Any, names: Sequence[str]) -> Feature | None:
    """Return one feature; None for a kind that is not kept, or for one whose place is not known."""
    if entry.type not in KINDS or entry.location is None:
        return None
    try:
        spans = tuple(sorted((int(part.start), int(part.end)) for part in entry.location.parts))
    except (TypeError, ValueError, AttributeError):  # a place like '?'
        return None
    if not spans or any(start < 0 or end <= start for start, end in spans):
        return None
    if any(getattr(part, "ref", None) for part in entry.location.parts):  # on another entry
        return None
    names = _GENE_NAMES if entry.type in _OF_GENES else names
    return Feature(entry.type, spans, _name(entry.qualifiers, names), -1 if entry.location.strand == -1 else 1)


def _name(qualifiers: dict[str, Any], names: Sequence[str]) -> str:
    for key in names:
        value = qualifiers.get(key)
        text = " ".join(str(value[0] if isinstance(value, list) and value else value or "").split())
        if text:
            return text[:_LONGEST_NAME]
    return ""


class RawRecord(msgspec.Struct, frozen=True):
    """A record before its letters are looked at."""

    number: int  # from 1, empty records counted
    line: int  # line of its header, 0 if unknown
    id: str
    description: str
    body: bytes  # UTF-8 text of the letters
    by_lines: bool = False  # whether `body` still has its line breaks
    alphabet: Alphabet | None = None  # the kind that the file states
    remark: str = ""  # a doubt about the record, as a sentence; empty if nothing
    features: tuple[Feature, ...] = ()  # at positions of the letters in `body`
    letters: Letters | None = None  # a second track, as long as `body`
    places: bytes = b""  # coordinates, as in `SequenceRecord`
    taxid: int = 0  # of its organism, if the source states it apart from the header; else 0
    circular: bool = False  # whether its entry says so


def split_title(title: str) -> tuple[str, str]:
    """Split a header into id and description."""
    words = title.split(None, 1)
    return (words[0], words[1].rstrip()) if len(words) == 2 else (words[0] if words else "", "")


def decode_title(title: bytes) -> tuple[str, bool]:
    """Decode a header; True if it is not UTF-8 and was read as Latin-1."""
    try:
        return title.decode("utf-8"), False
    except UnicodeDecodeError:
        return title.decode("latin-1"), True


def parse_fasta(source: TextSource, report: ReadReport) -> Iterator[RawRecord]:
    """Scan FASTA; text before the first ``>`` is left out with a remark."""
    yield from fasta_records(source.blocks(), source, report)


def fasta_records(
    blocks: Iterator[bytes], source: TextSource, report: ReadReport, number: int = 1, line: int = 1
) -> Generator[RawRecord, None, int]:
    """Scan a part of a FASTA file whose first record and line have these numbers.

    Returns
    -------
    int
        Number of the record behind the last.

    Raises
    ------
    SequenceError
        If a record is longer than `LONGEST_RECORD`.
    """
    for offset, title, body in scan_fasta(blocks):
        if offset == 0:
            _remark_on_text_before(body, report)
            continue
        head = line + offset - 1
        if len(body) > LONGEST_RECORD:
            raise source.error(
                f"Record {number} of {source.name} has more than {LONGEST_RECORD:,} letters.",
                line=head,
                record=number,
                hint="Split it into shorter, overlapping pieces.",
            )
        # Handed over, not kept: this function waits at `yield` while the record is worked on.
        ready = [raw_fasta(number, head, title, body, report)]
        del body
        number += 1
        yield ready.pop()
    return number


def _remark_on_text_before(body: bytes, report: ReadReport) -> None:
    if body.strip():
        lines = body.rstrip().count(b"\n") + 1
        first = shown(body.strip().split(b"\n", 1)[0].decode("utf-8", "replace"))
        message = f"Text before the first '>' was left out ({lines} lines, beginning '{first}')."
        report.add(Remark("note", message, 0, 1, lines))


def raw_fasta(number: int, line: int, title: bytes, body: bytes, report: ReadReport) -> RawRecord:
    """Make a record of its header, without ``>``, and its letters, with their line breaks."""
    text, latin = decode_title(title)
    identifier, description = split_title(text)
    if latin:
        message = f"Record {number} '{shown(identifier)}': the header is not UTF-8 and was read as Latin-1."
        report.add(Remark("note", message, number, line))
    return RawRecord(number, line, identifier, description, body, by_lines=True)


def drained(items: list[_Item]) -> Iterator[_Item]:
    """Yield items and forget them, so that no second reference keeps a long record in memory."""
    items.reverse()
    while items:
        yield items.pop()


def scan_fasta(blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes, bytes]]:
    """Cut FASTA text into (line of the header, header without ``>``, body with its line breaks).

    The first item is the text before the first header, with line 0; it may be empty. Nothing that was
    yielded is kept.
    """
    line = 0  # of the part being collected; the line break put in front makes the first line number 1
    pieces: list[bytes] = []
    carry = b"\n"  # so that a '>' at the very start follows a line break, too
    for block in blocks:
        block = carry + block
        # A break at the end is kept for the next block, whose first letter may be '>'.
        carry = b"\n" if block.endswith(b"\n") else b""
        parts = (block[:-1] if carry else block).split(b"\n>")
        pieces.append(parts[0])
        if len(parts) == 1:
            continue
        count = sum(piece.count(b"\n") for piece in pieces) + 1
        yield cut(line, pieces)
        line += count
        pieces = [parts.pop()]
        for part in parts[1:]:
            yield cut(line, [part])
            line += part.count(b"\n") + 1
    yield cut(line, pieces)


def cut(line: int, pieces: list[bytes]) -> tuple[int, bytes, bytes]:
    """Join the pieces of a part, and take its first line off as the title; empties the list."""
    title = b""
    if line:
        broken = next((index for index, piece in enumerate(pieces) if b"\n" in piece), len(pieces) - 1)
        title, _, rest = b"".join(pieces[: broken + 1]).partition(b"\n")
        pieces[: broken + 1] = [rest]
    body = pieces[0] if len(pieces) == 1 else b"".join(pieces)
    pieces.clear()
    return line, title, body


def parse_raw(source: TextSource, report: ReadReport) -> Iterator[RawRecord]:
    """Take letters without a header as one record."""
    yield RawRecord(1, 0, "query", "", b"".join(source.blocks()), by_lines=True)


class _Lines:
    """A text file that counts its lines; offers what Biopython's parsers use."""

    def __init__(self, text: io.TextIOBase) -> None:
        self._text = text
        self.number = 0

    def read(self, size: int = -1) -> str:
        return self._text.read(size)

    def readline(self, size: int = -1) -> str:
        line = self._text.readline(size)
        self.number += bool(line)
        return line

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def close(self) -> None:
        self._text.close()


@contextmanager
def _caught_warnings() -> Iterator[Sequence[warnings.WarningMessage]]:
    with _warnings_lock, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught


def _through_biopython(
    open_parser: Callable[[_Lines], Iterator[Any]], convert: Callable[[int, Any], RawRecord], *, warns: bool = True
) -> Callable[[TextSource, ReadReport], Iterator[RawRecord]]:
    """Make a parser of raw records from one of Biopython's.

    Whatever Biopython raises becomes a `SequenceError` that tells record and line; its warnings
    become remarks. Catching them takes longer than a read of FASTQ, whose parser (`warns`) has none.
    """

    def parse(source: TextSource, report: ReadReport) -> Iterator[RawRecord]:
        number = 1
        with source.text() as text:
            lines = _Lines(text)
            records: Iterator[Any] | None = None
            while True:
                try:
                    with _caught_warnings() if warns else nullcontext(()) as caught:
                        if records is None:
                            records = open_parser(lines)
                        entry = next(records, None)
                        raw = convert(number, entry) if entry is not None else None
                except (SequenceError, MemoryError):
                    raise
                except Exception as fault:
                    raise _explained(source, number, lines.number, fault) from fault
                remarks = Counter(_first_sentence(warning.message) for warning in caught)
                if raw is not None and raw.remark:
                    remarks[raw.remark] += 1
                for remark, count in remarks.items():
                    times = f"{count} × " if count > 1 else ""
                    message = f"Record {number}: {times}{shown(remark, 200)}"
                    report.add(Remark("note", message, number, lines.number, count))
                if raw is None:
                    return
                yield raw
                number += 1

    return parse


def _explained(source: TextSource, number: int, line: int, fault: Exception) -> SequenceError:
    reason = shown(_first_sentence(fault), 200)
    if not reason or isinstance(fault, AssertionError):  # Biopython asserts what its format promises
        reason = "The format does not allow this here."
    return source.error(
        f"Record {number} of {source.name} cannot be read, at line {line}: {reason}",
        line=line,
        record=number,
        hint="Correct or remove this record, or export the sequences again.",
    )


def _first_sentence(fault: Exception | Warning | str) -> str:
    text = str(fault).split("\n")[0].strip().removesuffix(" - is this correct?").rstrip(".:!?")
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def _letters(seq: object) -> bytes:
    """Letters of a Biopython sequence; none if the file gives only its length."""
    from Bio.Seq import UndefinedSequenceError  # here: Biopython takes a while to import

    try:
        return bytes(seq)  # type: ignore[call-overload, no-any-return]
    except UndefinedSequenceError:
        return b""


def _text(text: str) -> str:
    """Undo the surrogates that stand for bytes which are not UTF-8."""
    return text if text.isascii() else decode_title(text.encode("utf-8", "surrogateescape"))[0]


def _open_fastq(lines: _Lines) -> Iterator[Any]:
    from Bio.SeqIO.QualityIO import FastqGeneralIterator

    records: Iterator[Any] = FastqGeneralIterator(lines)
    return records


def _from_fastq(number: int, record: tuple[str, str, str]) -> RawRecord:
    title, letters, qualities = record
    identifier, description = split_title(_text(title))
    body = letters.encode("utf-8", "surrogateescape")
    known = re.fullmatch(_QUALITIES, qualities)
    remark = "" if known else "The quality line has signs that are no qualities (not used here)."
    return RawRecord(number, 0, identifier, description, body, alphabet=NUCLEOTIDE, remark=remark)


def _open_genbank(lines: _Lines) -> Iterator[Any]:
    from Bio.GenBank.Scanner import GenBankScanner

    records: Iterator[Any] = kept_only(GenBankScanner).parse_records(lines)
    return records


def _open_embl(lines: _Lines) -> Iterator[Any]:
    from Bio.GenBank.Scanner import EmblScanner

    records: Iterator[Any] = kept_only(EmblScanner).parse_records(lines)
    return records


def _open_imgt(lines: _Lines) -> Iterator[Any]:
    from Bio import SeqIO

    records: Iterator[Any] = SeqIO.parse(lines, "imgt")
    return records


def _open_pir(lines: _Lines) -> Iterator[Any]:
    from Bio import SeqIO

    records: Iterator[Any] = SeqIO.parse(lines, "pir")
    return records


def _from_seq_record(number: int, record: Any) -> RawRecord:
    """Convert a SeqRecord; a missing accession is replaced by the entry's name."""
    kind = str(record.annotations.get("molecule_type") or "")
    alphabet = next((alphabet for word, alphabet in _KINDS.items() if word in kind), None)
    identifier = _text(str(record.id or ""))
    if identifier in ("", "<unknown id>", "."):
        identifier = _text(str(record.name or ""))
    description = _text(str(record.description or ""))
    if description in ("<unknown description>", "."):
        description = ""
    description = " ".join(description.split())
    if description.startswith(f"{identifier} "):  # PIR entries mostly repeat it
        description = description[len(identifier) + 1 :]
    features = features_of(record.features)
    if alphabet is PROTEIN:  # its coding sequence is all of it
        features = tuple(feature for feature in features if feature.group != "gene")
    circular = record.annotations.get("topology") == "circular"
    return RawRecord(
        number,
        0,
        identifier,
        description,
        _letters(record.seq),
        alphabet=alphabet,
        features=features,
        circular=circular,
    )


def _open_swiss_prot(lines: _Lines) -> Iterator[Any]:
    from Bio import SwissProt

    records: Iterator[Any] = SwissProt.parse(lines)
    return records


def _from_swiss_prot(number: int, record: Any) -> RawRecord:
    """Take the first accession as the id, as Biopython does, and the full name with the organism."""
    identifier = record.accessions[0] if record.accessions else record.entry_name
    name = record.description.split(";")[0].removeprefix("RecName: Full=").removeprefix("SubName: Full=")
    words = [record.entry_name, name.split(" {ECO:")[0].strip()]
    if record.organism:
        words.append(f"OS={record.organism.rstrip('.')}")
        words += [f"OX={taxid}" for taxid in record.taxonomy_id[:1]]
    description = " ".join(_text(" ".join(words)).split())
    body = record.sequence.encode("utf-8", "surrogateescape")
    features = uniprot_features(record.features)
    return RawRecord(number, 0, _text(identifier), description, body, alphabet=PROTEIN, features=features)


def parse_structure(source: TextSource, report: ReadReport) -> Iterator[RawRecord]:
    """Yield the chains of protein of a PDB or mmCIF file, with their 3Di symbols."""
    from swgui.io.structures.reading import SHAPE, read_structure  # gemmi is needed only here

    structure = read_structure(b"".join(source.blocks()), source.name.strip("'"), source.chain, source.model)
    for remark in structure.remarks:
        report.add(Remark("note", remark))
    for number, chain in enumerate(structure.chains, 1):
        letters = Letters(SHAPE, chain.shape) if chain.shape else None
        about = (chain.id, chain.description, chain.residues)
        yield RawRecord(
            number, 0, *about, alphabet=PROTEIN, features=chain.features, letters=letters, places=chain.places
        )


PARSERS: Final[dict[str, Callable[[TextSource, ReadReport], Iterator[RawRecord]]]] = {
    sniffing.FASTA: parse_fasta,
    sniffing.RAW: parse_raw,
    sniffing.FASTQ: _through_biopython(_open_fastq, _from_fastq, warns=False),
    sniffing.GENBANK: _through_biopython(_open_genbank, _from_seq_record),
    sniffing.EMBL: _through_biopython(_open_embl, _from_seq_record),
    sniffing.IMGT: _through_biopython(_open_imgt, _from_seq_record),
    sniffing.PIR: _through_biopython(_open_pir, _from_seq_record),
    sniffing.PDB: parse_structure,
    sniffing.MMCIF: parse_structure,
    sniffing.SWISS_PROT: _through_biopython(_open_swiss_prot, _from_swiss_prot),
}
