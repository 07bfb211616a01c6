"""The sequences that were found in a box, a text or a file. No Qt: it is computed on a worker thread."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from swgui.core import words
from swgui.core.alphabet import PROTEIN, Alphabet, guess_alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.entries.lookup import Entry, UnknownAccession, find_entries, find_gene
from swgui.core.errors import Stopped
from swgui.core.plain import replace
from swgui.core.records import Remark, SequenceRecord
from swgui.core.scoring import check_same_alphabet
from swgui.gui.kit.tasks.task import TaskControl
from swgui.io.sequences.reader import ReadReport, SequenceReader, read_text
from swgui.io.sequences.sniffing import FASTA, RAW
from swgui.io.sequences.sources import open_file
from swgui.io.structures.naming import is_structure_name

ONE_LETTER: Final = {
    "ala": "A", "arg": "R", "asn": "N", "asp": "D", "cys": "C", "gln": "Q", "glu": "E", "gly": "G", "his": "H",
    "ile": "I", "leu": "L", "lys": "K", "met": "M", "phe": "F", "pro": "P", "ser": "S", "thr": "T", "trp": "W",
    "tyr": "Y", "val": "V", "sec": "U", "pyl": "O", "asx": "B", "glx": "Z", "xle": "J", "xaa": "X", "ter": "*",
}  # fmt: skip
FEWEST_CODES: Final = 3  # of three letters in a line, below which it may be anything
_JOINED: Final = re.compile(r"(?:[A-Z][a-z]{2}){3,}")  # MetValGly
_BETWEEN: Final = re.compile(r"[\s\d.,;\-–]+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_PUNCTUATION: Final = re.compile(r"[,:;!'\"()\[\]{}“”‘’„–—…]")
# Words that do not occur in a line with a sequence.
_PLAIN_WORDS: Final = frozenset(
    ("a", "an", "and", "are", "as", "at", "by", "for", "from", "gene", "in", "is", "it", "my", "not", "of", "on", "or",
     "our", "protein", "sequence", "the", "this", "to", "was", "with")
)  # fmt: skip
TEXT_LIMIT = 256 * 1024  # larger files are not put into the text box
PREVIEW_RECORDS = 40
PREVIEW_RESIDUES = 600
SHORT = {"protein": 30, "nucleotide": 20}  # below it chance matches are common
REMARKS_NAMED = 3
BARE = (FASTA, RAW)  # formats that read words as residues
TOLD_EVERY = 256  # records
_CHANGES = {
    "replaced": "{} replaced by {wildcard}",
    "removed": "digits or signs left out: {}",
    "odd": "rare symbols kept: {}",
}


@dataclass(frozen=True, slots=True)
class Doubt:
    """A question about a text."""

    question: str  # a description of the text
    answer: str  # text of the button that takes `text` instead
    text: str  # the probable intention; empty if nothing is left of it


def find_doubt(text: str) -> Doubt | None:
    """Return a sentence about odd text among bare residues or FASTA; None if it reads like sequences."""
    lines = text.split("\n")
    bodies = [index for index, line in enumerate(lines) if line.strip() and line.strip()[0] not in ">;#!"]
    codes = {index: letters for index in bodies if (letters := _from_codes(lines[index])) is not None}
    if codes:
        first = next(iter(codes.values()))
        shown = f"{first[:12]}…" if len(first) > 12 else first
        meant = "\n".join(codes.get(index, line) for index, line in enumerate(lines))
        return Doubt(f"This looks like three-letter code: {shown} in short.", "Read three-letter code", meant)
    prose = [index for index in bodies if _is_prose(lines[index])]
    if prose:
        first = " ".join(lines[prose[0]].split())
        shown = f"{first[:40]}…" if len(first) > 40 else first
        more = f" and {len(prose) - 1:,} more lines" if len(prose) > 1 else ""
        left = "\n".join(line for index, line in enumerate(lines) if index not in set(prose))
        return Doubt(f"“{shown}”{more} looks like words, not like residues.", "Leave it out", left)
    return None


def _from_codes(line: str) -> str | None:
    if _JOINED.fullmatch(line.strip()):
        codes = [line.strip()[start : start + 3] for start in range(0, len(line.strip()), 3)]
    else:
        codes = [part for part in _BETWEEN.split(line) if part]
    letters = [ONE_LETTER.get(code.lower(), "") for code in codes]
    return "".join(letters) if len(codes) >= FEWEST_CODES and all(letters) else None


def _is_prose(line: str) -> bool:
    words = _WORD.findall(line)
    lengths = {len(word) for word in words[:-1]}
    if not words or (len(words) > 2 and len(lengths) == 1):
        return False
    plain = sum(word.lower() in _PLAIN_WORDS for word in words)
    return bool(_PUNCTUATION.search(line)) or (plain > 0 and len(words) > 1)


@dataclass(frozen=True, slots=True)
class Row:
    """One record as the table shows it; `warns` shows a warning sign."""

    record: SequenceRecord
    remarks: str
    warns: bool


@dataclass(frozen=True, slots=True)
class Detected:
    """Everything that was read."""

    rows: tuple[Row, ...]
    alphabet: Alphabet
    report: ReadReport
    path: Path | None = None  # the file, if it did not fit the text box
    doubt: Doubt | None = None  # the probable intention instead of the text
    repeated: int = 0  # records with the residues of one before
    where: str = ""  # the databases in which the entries were found that were named by their accessions


def detect_in_text(text: str, alphabet: Alphabet | None, _control: TaskControl | None = None) -> Detected:
    """Read the query box.

    Raises
    ------
    SequenceError
        Its message names the fault, its place, and the remedy.
    """
    report = ReadReport()
    records = read_text(text, alphabet, report)
    detected = _detected(records, alphabet, report, None)
    return replace(detected, doubt=find_doubt(text)) if report.format.startswith(BARE) else detected


def detect_entries(
    accessions: Sequence[str],
    databases: Sequence[EncodedDatabase],
    fetched: Mapping[str, Entry],
    _given: object,
    _control: TaskControl | None = None,
) -> Detected:
    """Read entries that are named by their accessions.

    Parameters
    ----------
    databases : sequence of EncodedDatabase
        Searched for accessions that are not among `fetched`.
    fetched : Mapping[str, Entry]
        Entries fetched before.

    Raises
    ------
    UnknownAccession
        If an accession is not found.
    AlphabetMismatch
        If they are of different kinds.
    """
    wanted = [accession for accession in accessions if accession not in fetched]
    looked_up = dict(zip(wanted, find_entries(databases, wanted), strict=True))
    return _of_entries([fetched.get(accession) or looked_up[accession] for accession in accessions])


def detect_gene(
    text: str,
    named: tuple[str, str],
    databases: Sequence[EncodedDatabase],
    alphabet: Alphabet | None,
    control: TaskControl | None = None,
) -> Detected:
    """Read the entries of a gene in an organism; a text that names none of the databases is read as sequences.

    Parameters
    ----------
    named : (str, str)
        Gene and organism.

    Raises
    ------
    UnknownAccession
        If there is no entry, and the name of the gene has a digit, as no residues have.
    """
    entries = find_gene(databases, *named)
    if not entries and any(letter.isdigit() for letter in named[0]):
        names = " or ".join(f"'{database.name}'" for database in databases) or "any database at hand"
        raise UnknownAccession(
            (),
            f"There is no gene {named[0]} of {named[1]} in {names}.",
            hint="Give its accession, which is looked up online, or get the proteome of the organism first.",
        )
    return _of_entries(entries) if entries else detect_in_text(text, alphabet, control)


def _of_entries(entries: Sequence[Entry]) -> Detected:
    alphabet = entries[0].alphabet
    for entry in entries:
        check_same_alphabet(alphabet, entry.alphabet, f"entry {entry.record.id}")
    records = [entry.record for entry in entries]
    where = ", ".join(dict.fromkeys(entry.where for entry in entries))
    residues = sum(len(record.residues) for record in records)
    report = ReadReport(records=len(records), residues=residues, format=f"entries of {where}", alphabet=alphabet)
    return replace(_detected(records, alphabet, report, None), where=where)


def detect_in_file(path: Path, alphabet: Alphabet | None, control: TaskControl | None = None) -> Detected:
    """Read a query file, and report the progress. Raises as `detect_in_text`, and `Stopped`."""
    report, records = ReadReport(), []
    with open_file(path) as source:
        for record in SequenceReader(source, alphabet, report):
            records.append(record)
            if control is not None and not len(records) % TOLD_EVERY:
                if control.is_set():
                    raise Stopped
                control.tell(source.position, source.size)
    return _detected(records, alphabet, report, path)


def known_records(records: Sequence[SequenceRecord]) -> Detected:
    residues = sum(len(record.residues) for record in records)
    report = ReadReport(records=len(records), residues=residues)
    return _detected(records, None, report, None)


def detect_in_files(paths: Sequence[Path], alphabet: Alphabet | None, control: TaskControl | None = None) -> Detected:
    """Read several query files as one, in their order. Raises as `detect_in_file`, and `AlphabetMismatch`."""
    files: list[Detected] = []
    for path in paths:
        files.append(detect_in_file(path, alphabet, control))
        check_same_alphabet(files[0].alphabet, files[-1].alphabet, f"file {path.name}")
    rows = tuple(row for file in files for row in file.rows)
    report = ReadReport(
        records=sum(file.report.records for file in files),
        residues=sum(file.report.residues for file in files),
        format=", ".join(dict.fromkeys(file.report.format for file in files)),
        alphabet=files[0].alphabet,
    )
    for file in files:
        for remark in file.report.remarks:
            report.add(remark)
    repeated = len(rows) - len({row.record.residues for row in rows})
    return Detected(rows, files[0].alphabet, report, repeated=repeated)


def text_of(path: Path) -> str | None:
    """Return the text of a small plain file unchanged, None if it is too large, packed or a structure.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    if path.stat().st_size > TEXT_LIMIT or is_structure_name(path):
        return None
    data = path.read_bytes()
    if b"\0" in data or data[:2] == b"\x1f\x8b":
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def preview(detected: Detected) -> str:
    """Return the beginning as FASTA: 40 records, 600 residues of each, and how many more there are."""
    lines = []
    for row in islice(detected.rows, PREVIEW_RECORDS):
        residues = row.record.residues.decode("ascii")
        lines.append(f">{row.record.header}")
        cut = residues[:PREVIEW_RESIDUES]
        lines += [cut[start : start + 60] for start in range(0, len(cut), 60)]
        if len(cut) < len(residues):
            unit = "base" if detected.alphabet.complements else "residue"
            lines.append(f"… {words.count(len(residues) - len(cut), f'more {unit}')}")
    if len(detected.rows) > PREVIEW_RECORDS:
        lines.append(f"… and {len(detected.rows) - PREVIEW_RECORDS:,} more sequences")
    return "\n".join(lines)


def _detected(
    records: Sequence[SequenceRecord], alphabet: Alphabet | None, report: ReadReport, path: Path | None
) -> Detected:
    chosen = report.alphabet or alphabet or (guess_alphabet(records[0].residues) if records else PROTEIN)
    remarks: dict[int, list[Remark]] = defaultdict(list)
    empty = set()
    for remark in report.remarks:
        if remark.kind == "empty":
            empty.add(remark.record)
        elif remark.record:
            remarks[remark.record].append(remark)
    rows = []
    number = 0
    for record in records:
        number += 1
        while number in empty:  # empty records count in the file but are not in the list
            number += 1
        rows.append(_row(record, chosen, remarks.get(number, [])))
    repeated = len(records) - len({record.residues for record in records})
    return Detected(tuple(rows), chosen, report, path, repeated=repeated)


def _row(record: SequenceRecord, alphabet: Alphabet, remarks: Sequence[Remark]) -> Row:
    counts: Counter[str] = Counter()
    for remark in remarks:
        counts[remark.kind] += remark.count
    stops = _stops(record) if alphabet is PROTEIN else ""
    counts["odd"] -= record.residues.count(b"*") if alphabet is PROTEIN else 0
    said = [f"with {record.letters.alphabet} symbols"] if record.letters is not None else []
    said += [stops] if stops else []
    said += [
        text.format(f"{counts[kind]:,}", wildcard=alphabet.wildcard)
        for kind, text in _CHANGES.items()
        if counts[kind] > 0
    ]
    said += [remark.message for remark in remarks if remark.kind == "note"][:REMARKS_NAMED]
    if counts["duplicate"]:
        said.append("identifier occurs twice")
    length = len(record.residues)
    short = length < SHORT.get(alphabet.name, 0)
    if short:
        said.append("short: chance matches are common")
    return Row(record, "; ".join(said), short or bool(stops or counts["replaced"] or counts["duplicate"]))


def _stops(record: SequenceRecord) -> str:
    """Return a sentence on stops inside a protein, mostly from a wrong reading frame; one at its end is usual."""
    inside = record.residues[:-1]
    if not (number := inside.count(b"*")):
        return ""
    more = f" and {number - 1:,} more" if number > 1 else ""
    return f"stop at {inside.index(b'*') + 1:,}{more}: the reading frame may be wrong"
