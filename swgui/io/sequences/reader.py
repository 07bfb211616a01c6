"""Reading sequences: every format, cleaned, with a report of all that was changed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TextIO

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet, guess_alphabet
from swgui.core.entries.features import Feature, within
from swgui.core.errors import AlphabetMismatch, SequenceError, SwguiError, sentence_of
from swgui.core.records import Remark, SequenceRecord
from swgui.core.words import count
from swgui.io.plugins import add_installed
from swgui.io.sequences.ledger import IdLedger
from swgui.io.sequences.parsers import PARSERS, RawRecord, drained, raw_fasta, scan_fasta
from swgui.io.sequences.plain_fasta import RecordBatch, parse_plain
from swgui.io.sequences.report import ReadReport, shown
from swgui.io.sequences.sniffing import EMBL, FASTA, GENBANK, known_by_first_line, sniff
from swgui.io.sequences.sources import TextSource, open_file, open_text

if TYPE_CHECKING:
    from swgui.io.sequences.record_source import RecordSource

__all__ = ["ReadReport", "SequenceReader", "read_sequences", "read_text"]

GROUP: Final = "swgui.readers"


class SequenceFormat(msgspec.Struct, frozen=True):
    """A format that a package reads."""

    name: str
    # Takes the first bytes of a text, unpacked and in UTF-8, and says whether it is in this format. It is asked where
    # the program itself does not know the first line.
    found: Callable[[bytes], bool]
    # Takes the open text and yields identifier, description and residues of each record. What it raises becomes an
    # error with the name of the file.
    read: Callable[[TextIO], Iterable[tuple[str, str, str]]]

    def parse(self, source: TextSource, report: ReadReport) -> Iterator[RawRecord]:
        """Yield the records of a source, as the parsers of the program do."""
        try:
            for number, (identifier, description, residues) in enumerate(self.read(source.text()), start=1):
                yield RawRecord(number, 0, identifier, description, residues.encode())
        except SwguiError:
            raise
        except Exception as fault:  # whatever a package of somebody else does
            raise source.error(f"{source.name} could not be read as {self.name}: {sentence_of(fault)}") from fault


@cache
def installed_formats() -> Mapping[str, SequenceFormat]:
    """Return the formats of installed packages by name; those of the program are never replaced."""
    formats: dict[str, SequenceFormat] = {}
    add_installed(formats, GROUP, SequenceFormat, lambda form: form.name)
    return MappingProxyType({name: form for name, form in formats.items() if name not in PARSERS})


def installed_format(head: bytes) -> str:
    """Return the name of the first of these formats that a text is in; empty if it is in none."""
    for form in installed_formats().values():
        try:
            if form.found(head):
                return form.name
        except Exception as fault:  # as above
            raise SequenceError(
                f"The reader '{form.name}' of an installed package fails: {sentence_of(fault)}",
                hint="Remove the package, or ask its authors.",
            ) from fault
    return ""


# Entries of these databases may only refer to others.
_EMPTY_HINTS: Final = {
    GENBANK: "Download it again in the form 'GenBank (full)', which includes the sequence.",
    EMBL: "Download the expanded entry, which includes the sequence.",
}

GUESS_RECORDS: Final = 100
_GUESS_BYTES: Final = 1 << 20

# A nucleotide record with more letters than this from beyond the alphabet is no nucleotide record.
# Proteins have about 35 % (E F I L P Q), DNA with inosine or a typing error far less than 10 %.
_INVALID_SHARE: Final = 0.1
_FEW_LETTERS: Final = 10

_NUMBERS: Final = re.compile(rb"\s*-?\d[-\d.\s]*")


def read_sequences(
    path: str | os.PathLike[str],
    alphabet: Alphabet | None = None,
    report: ReadReport | None = None,
    *,
    expected: Alphabet | None = None,
) -> Iterator[SequenceRecord]:
    """Read a sequence file, record by record.

    Parameters
    ----------
    path : path
        FASTA, FASTQ, GenBank, EMBL, IMGT, Swiss-Prot text or PIR, also packed with gzip, bgz, bzip2, xz or zstd;
        told by content. UTF-8 and UTF-16, any line ends.
    alphabet : Alphabet, optional
        The kind of the sequences; guessed for the whole file from its first records if not given.
    report : ReadReport, optional
        Filled while reading: what was changed, left out or noticed.
    expected : Alphabet, optional
        For the guess, where the letters allow more than one kind.

    Yields
    ------
    SequenceRecord
        Cleaned; records without letters are left out with a remark.

    Raises
    ------
    SequenceError
        If the file cannot be read, is none of these formats, breaks the rules of its format, or has
        no sequences. Raised while iterating.
    """
    with open_file(path) as source:
        yield from SequenceReader(source, alphabet, report, expected=expected)


def read_text(
    text: str,
    alphabet: Alphabet | None = None,
    report: ReadReport | None = None,
    *,
    expected: Alphabet | None = None,
) -> list[SequenceRecord]:
    """Read pasted text: any format of `read_sequences`, or bare letters with numbers and blanks.

    Bare letters become one record with the id ``query``.
    """
    with open_text(text) as source:
        return list(SequenceReader(source, alphabet, report, expected=expected, raw_allowed=True))


class SequenceReader:
    """Iterates over the cleaned records of one open source.

    Parameters
    ----------
    source : TextSource or RecordSource
        Its `position` tells how far the reading got.
    raw_allowed : bool
        Whether letters without a header are fine.
    refuse_other_kind : bool
        Raise `AlphabetMismatch` if protein is asked for and all records look like nucleotides.
    ledger : IdLedger, optional
        Of files that were read before as parts of the same database: an identifier of theirs is no new one.
    """

    def __init__(
        self,
        source: TextSource | RecordSource,
        alphabet: Alphabet | None = None,
        report: ReadReport | None = None,
        *,
        expected: Alphabet | None = None,
        raw_allowed: bool = False,
        refuse_other_kind: bool = False,
        ledger: IdLedger | None = None,
    ) -> None:
        self.source = source
        self.report = report if report is not None else ReadReport()
        self.format = _format_of(source, raw_allowed) if isinstance(source, TextSource) else source.form
        self._given, self._expected = alphabet, expected
        self._refuse_other_kind = refuse_other_kind
        self._ledger = ledger

    def __iter__(self) -> Iterator[SequenceRecord]:
        """Yield the records; the source can be read once."""
        for item in self._records(self._raws()):
            assert isinstance(item, SequenceRecord)  # nobody asked for more
            yield item
            del item

    def batches(self) -> Iterator[SequenceRecord | RecordBatch]:
        """Yield the records, those of FASTA about which nothing has to be said many at a time; once."""
        source = self.source
        if isinstance(source, TextSource):
            first = _first_of(source) if self.format == FASTA else []
        else:
            first = source.first(GUESS_RECORDS)
        if not first:
            return self._records(self._raws())
        alphabet = self._begin(first)
        plain = LetterCleaner(alphabet).plain_letters
        if isinstance(source, TextSource):
            return self._handed_on(parse_plain(source, alphabet, plain, self.report), alphabet)
        return self._handed_on(source.items(alphabet, plain), alphabet)

    def _raws(self) -> Iterator[RawRecord]:
        if not isinstance(self.source, TextSource):
            return self.source.raws()
        parse = PARSERS[self.format] if self.format in PARSERS else installed_formats()[self.format].parse
        return parse(self.source, self.report)

    def _records(self, raws: Iterator[RawRecord]) -> Iterator[SequenceRecord | RecordBatch]:
        first = _take_first(raws)
        alphabet = self._begin(first)
        again = drained(first)
        return self._handed_on(chain(again, raws), alphabet)

    def _begin(self, first: list[RawRecord]) -> Alphabet:
        """Look at the first records of the source, and say of which kind its sequences are."""
        report, source = self.report, self.source
        packing = f", {source.packing}" if source.packing else ""
        encoding = f", {source.encoding.upper()}" if source.encoding != "utf-8" else ""
        report.add_format(f"{self.format}{packing}{encoding}")
        self._refuse_numbers(first)
        alphabet = self._given or _guess(first, self._expected)
        report.alphabet = alphabet
        self._note_doubtful_kind(first, alphabet)
        return alphabet

    def _handed_on(
        self, items: Iterator[RawRecord | RecordBatch], alphabet: Alphabet
    ) -> Iterator[SequenceRecord | RecordBatch]:
        report = self.report
        cleaner = LetterCleaner(alphabet)
        ledger = self._ledger or IdLedger()
        ledger.begin(self.source.name)
        handed_on = empty = 0
        for item in items:
            if isinstance(item, RecordBatch):
                said = ledger.add_many(item.ids, item.id_lengths, item.number, item.lines)
                handed_on, residues = handed_on + len(item), len(item.codes)
                report.records += len(item)
                ready: list[SequenceRecord | RecordBatch] = [item]
            else:
                record = self._cleaned(item, cleaner)
                if record is None:
                    empty += 1
                    continue
                said = ledger.add(record.id, item.number, item.line)
                handed_on, residues = handed_on + 1, len(record.residues)
                report.records += 1
                ready = [record]
                del record
            for remark in said:
                report.add(remark)
            report.residues += residues
            del item  # the consumer must not wait with two copies of a chromosome in memory
            yield ready.pop()
        for remark in ledger.flush():
            report.add(remark)
        if cleaner.lower_case_records:
            count = cleaner.lower_case_records
            noun = "record has lower-case letters" if count == 1 else "records have lower-case letters"
            report.add(Remark("note", f"{count:,} {noun} (often a mask); they were read as upper case."))
        if not handed_on:
            self._refuse_empty(empty)

    def _refuse_empty(self, empty: int) -> None:
        source = self.source
        if empty:
            which = "the only record is" if empty == 1 else f"all {empty} records are"
            raise source.error(f"{source.name} has no sequence: {which} empty.", hint=_EMPTY_HINTS.get(self.format, ""))
        raise source.error(f"{source.name} has no records that could be read as {self.format}.")

    def _cleaned(self, raw: RawRecord, cleaner: LetterCleaner) -> SequenceRecord | None:
        """Clean one record; None if it is empty."""
        report = self.report
        residues = cleaner.plain(raw.body)
        if residues is None:
            place = RecordPosition(raw.number, raw.line, shown(raw.id), raw.by_lines)
            residues, remarks = cleaner.clean(raw.body, place)
            if any(remark.kind == "replaced" for remark in remarks):
                self._refuse_invalid(raw, cleaner)
            for remark in remarks:
                report.add(remark)
        if not residues:
            message = f"Record {raw.number} '{shown(raw.id)}' has no residues and was left out."
            report.add(Remark("empty", message, raw.number, raw.line))
            return None
        identifier = raw.id
        if not identifier:
            identifier = f"record_{raw.number}"
            message = f"Record {raw.number} has no identifier; it is called '{identifier}'."
            report.add(Remark("note", message, raw.number, raw.line))
        whole = len(residues) == len(raw.body)
        letters, places = (raw.letters, raw.places) if whole else (None, b"")
        features = self._placed(raw, residues)
        return SequenceRecord(
            identifier, raw.description, residues, features, letters=letters, places=places, taxid=raw.taxid
        )

    def _placed(self, raw: RawRecord, residues: bytes) -> tuple[Feature, ...]:
        """Return the features of a record, which count letters that were not removed."""
        if not raw.features:
            return ()
        features = within(raw.features, len(residues))
        if len(residues) != len(raw.body):
            features = ()
        if lost := len(raw.features) - len(features):
            message = f"Record {raw.number} '{shown(raw.id)}': {count(lost, 'feature')} could not be placed."
            self.report.add(Remark("note", message, raw.number, raw.line, lost))
        return features

    def _refuse_invalid(self, raw: RawRecord, cleaner: LetterCleaner) -> None:
        if len(raw.body) < _FEW_LETTERS or (share := cleaner.invalid_share(raw.body)) <= _INVALID_SHARE:
            return
        name = cleaner.alphabet.name
        raise self.source.error(
            f"Record {raw.number} '{shown(raw.id)}' of {self.source.name} is no {name} sequence: "
            f"{100 * share:.0f} % of its letters are not {name} letters.",
            line=raw.line,
            record=raw.number,
            hint="A file must hold one kind of sequence"
            + ("; choose protein if this is one." if self._given else ", and its first records are nucleotide."),
        )

    def _refuse_numbers(self, first: list[RawRecord]) -> None:
        """Refuse a file of base qualities, which looks like FASTA with numbers instead of letters."""
        bodies = [raw.body for raw in first if raw.body.strip()] if self.format == FASTA else []
        if bodies and all(_NUMBERS.fullmatch(body) for body in bodies):
            raise self.source.error(
                f"{self.source.name} has numbers where letters should be; it looks like a file of base qualities.",
                line=first[0].line + 1,
                record=first[0].number,
                hint="Choose the FASTA or FASTQ file that belongs to it.",
            )

    def _note_doubtful_kind(self, first: list[RawRecord], alphabet: Alphabet) -> None:
        """Remark that what is read as protein looks like DNA, in all or in some records."""
        if alphabet is not PROTEIN:
            return
        judged = [raw for raw in first if len(raw.body) >= _FEW_LETTERS]
        doubtful = [raw for raw in judged if (raw.alphabet or _guess([raw])) is NUCLEOTIDE]
        if doubtful and len(doubtful) == len(judged) and self._refuse_other_kind:
            mismatch = AlphabetMismatch(PROTEIN.name, NUCLEOTIDE.name, f"file {self.source.name}")
            mismatch.hint = "A database holds one kind of sequence."
            raise mismatch
        if doubtful:
            which = "All" if len(doubtful) == len(judged) else f"{len(doubtful)} of the first {len(judged)}"
            example = f"record {doubtful[0].number} '{shown(doubtful[0].id)}'"
            message = f"{which} records look like nucleotides, for example {example}; they are read as protein."
            self.report.add(Remark("note", message, doubtful[0].number, doubtful[0].line, len(doubtful)))


def _format_of(source: TextSource, raw_allowed: bool) -> str:
    installed = "" if known_by_first_line(source.head) else installed_format(source.head)
    return installed or sniff(source, raw_allowed=raw_allowed)


def _take_first(raws: Iterator[RawRecord]) -> list[RawRecord]:
    """Take enough records to tell the kind of a file."""
    first: list[RawRecord] = []
    size = filled = 0
    for raw in raws:
        first.append(raw)
        size += len(raw.body)
        filled += not raw.body.isspace() and bool(raw.body)
        if size >= _GUESS_BYTES or filled >= GUESS_RECORDS:
            break
    return first


def _first_of(source: TextSource) -> list[RawRecord]:
    """Return the records of the head that tell the kind of a FASTA file; none if they are not all in it, whole."""
    if not source.head.startswith(b">"):
        return []
    complete = source.head[: source.head.rfind(b"\n>") + 1]
    scanned = enumerate(scan_fasta(iter([complete])))
    raws = (raw_fasta(number, line, title, body, ReadReport()) for number, (line, title, body) in scanned if number)
    first = _take_first(raws)
    enough = len(first) >= GUESS_RECORDS or sum(len(raw.body) for raw in first) >= _GUESS_BYTES
    return first if enough else []


_NOT_LETTERS: Final = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))


def _guess(first: list[RawRecord], expected: Alphabet | None = None) -> Alphabet:
    """Tell the kind of a file from its first records: by what it says, else by the letters.

    X is not counted: it masks nucleotides and proteins alike.
    """
    stated = {raw.alphabet.name: raw.alphabet for raw in first if raw.alphabet and raw.body}
    if len(stated) == 1:
        return next(iter(stated.values()))
    sample = b"".join(raw.body[:_GUESS_BYTES] for raw in first)
    return guess_alphabet(sample.translate(None, _NOT_LETTERS + b"Xx"), expected)


_BLANKS: Final = b" \t\n\r\f\v"
_UPPER: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_GAPS: Final = b"-.~_"
_COMMENT_LINE: Final = re.compile(rb"^[;#!][^\n]*", re.MULTILINE)
_NON_ASCII: Final = re.compile(r"[^\x00-\x7f]")
_BLOCK: Final = 1 << 20

# Why a rare letter deserves a remark.
_ODD_LETTERS: Final = {
    ("protein", "B"): "aspartate or asparagine",
    ("protein", "Z"): "glutamate or glutamine",
    ("protein", "J"): "leucine or isoleucine",
    ("protein", "U"): "selenocysteine, scored as cysteine unless the matrix has U",
    ("protein", "O"): "pyrrolysine, scored as X unless the matrix has O",
    ("protein", "*"): "a stop",
}


class RecordPosition(msgspec.Struct, frozen=True):
    """Where a record stands, for messages."""

    record: int  # from 1
    line: int  # line of its header, 0 if unknown
    name: str
    by_lines: bool = False  # whether the letters are given with their line breaks, the first line being ``line + 1``


class LetterCleaner:
    """Turns raw text of records into letters of one alphabet, upper-case ones unless case matters there.

    Blanks and line ends are dropped without a word. A record of plain upper-case letters costs two
    passes of ``bytes.translate``; only others are looked at more closely.

    Attributes
    ----------
    plain_letters : bytes
        About which nothing is said.
    """

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet = alphabet
        self.lower_case_records = 0
        rare = {letter for kind, letter in _ODD_LETTERS if kind == alphabet.name}
        rare |= set(alphabet.expansions) - {alphabet.wildcard, "U"} if alphabet.name == "nucleotide" else set()
        letters = alphabet.letters.encode()
        self._rare = "".join(sorted(rare)).encode()
        self.plain_letters = letters.translate(None, self._rare)
        self._plain = self.plain_letters + _BLANKS
        # '?' is the unknown residue of alignment formats; every other letter becomes the wildcard.
        table = bytearray(range(256))
        wildcard = ord(alphabet.wildcard)
        for letter in _UPPER:
            lower = letter + 32 if alphabet.case_matters else letter
            table[letter] = letter if letter in letters else wildcard
            table[letter + 32] = lower if lower in letters else wildcard
        table[ord("?")] = wildcard
        self._table = bytes(table)
        kept = set(letters) | set(_UPPER) | set(_UPPER.lower()) | {ord("?")}
        self._left_out = bytes(sorted(set(range(128)) - kept))

    def plain(self, body: bytes) -> bytes | None:
        """Return the letters of a record if nothing has to be said about them, else None."""
        return None if body.translate(None, self._plain) else body.translate(None, _BLANKS)

    def clean(self, body: bytes, place: RecordPosition) -> tuple[bytes, list[Remark]]:
        """Return the letters of a record, and what was done to get them.

        Parameters
        ----------
        body : bytes
            UTF-8 text of the record without its header.
        """
        remarks: list[Remark] = []
        suspicious = body.translate(None, self._plain)
        if re.search(rb"[;#!]", suspicious):
            body = self._without_comments(body, place, remarks)
        if not suspicious.isascii():
            body = self._without_invalid_characters(body, place, remarks)
        suspicious = body.translate(None, self._plain)
        counts = _count_bytes(suspicious)
        if counts[97:123].any() and not self.alphabet.case_matters:
            self.lower_case_records += 1
            counts[65:91] += counts[97:123]
            counts[97:123] = 0
        for symbol in np.flatnonzero(counts):
            remark = self._remark(int(symbol), int(counts[symbol]), body, place)
            if remark:
                remarks.append(remark)
        return body.translate(self._table, self._left_out), remarks

    def invalid_share(self, body: bytes) -> float:
        """Return the share of letters that are not of the alphabet (X, the mask of both, not counted)."""
        letters = body.translate(None, bytes(sorted(set(range(256)) - set(_UPPER) - set(_UPPER.lower()))))
        invalid = self.alphabet.invalid(letters.translate(None, b"Xx"))
        return len(invalid) / len(letters) if letters else 0.0

    def _remark(self, symbol: int, count: int, body: bytes, place: RecordPosition) -> Remark | None:
        letter = chr(symbol)
        kind: Literal["odd", "replaced", "removed"]
        if symbol in self._rare:
            why = _ODD_LETTERS.get((self.alphabet.name, letter)) or "one of " + "".join(
                self.alphabet.expansions[letter]
            )
            kind, fault = "odd", f"'{letter}' ({why}) {_was(count)} kept"
        elif symbol in _UPPER or symbol in _UPPER.lower() or letter == "?":
            if letter in self.alphabet.letters:
                return None  # lower case, and nothing else
            kind, fault = "replaced", f"'{letter}' {_was(count)} replaced by {self.alphabet.wildcard}"
        elif symbol in _GAPS:
            kind, fault = "removed", f"'{letter}' (gap sign) {_was(count)} left out"
        else:
            sign = f"'{letter}'" if letter.isprintable() else f"the control character {symbol}"
            kind, fault = "removed", f"{sign} {_was(count)} left out"
        return self._located(kind, fault, count, _place_of(body, symbol), body, place)

    def _located(
        self,
        kind: Literal["odd", "replaced", "removed", "note"],
        fault: str,
        count: int,
        position: int,
        body: bytes,
        place: RecordPosition,
    ) -> Remark:
        times = f"{count:,} × " if count > 1 else ""
        line = place.line
        if place.by_lines:
            line = place.line + 1 + body.count(b"\n", 0, position)
            column = position - body.rfind(b"\n", 0, position)
            where = f"line {line}, column {column}"
        else:
            where = f"position {position + 1}"
        first = "first at " if count > 1 else "at "
        message = f"Record {place.record} '{place.name}': {times}{fault}, {first}{where}."
        return Remark(kind, message, place.record, line, count)

    def _without_comments(self, body: bytes, place: RecordPosition, remarks: list[Remark]) -> bytes:
        """Blank out lines that begin with ; # or !, which old FASTA files use for comments."""
        if not place.by_lines:
            return body
        comments = list(_COMMENT_LINE.finditer(body))
        if comments:
            text = shown(comments[0].group().decode("utf-8", "replace"), 40)
            fault = f"comment line '{text}' {_was(len(comments))} left out"
            remarks.append(self._located("note", fault, len(comments), comments[0].start(), body, place))
        return _COMMENT_LINE.sub(b"", body)

    def _without_invalid_characters(self, body: bytes, place: RecordPosition, remarks: list[Remark]) -> bytes:
        """Replace letters beyond ASCII by the wildcard and leave out other signs; blanks go silently."""
        text = body.decode("utf-8", "surrogateescape")
        counts: dict[str, int] = {}
        for match in _NON_ASCII.finditer(text):
            counts[match.group()] = counts.get(match.group(), 0) + 1
        wildcard = self.alphabet.wildcard
        replacement: dict[int, str] = {}
        for sign, number in counts.items():
            is_letter = sign.isalpha()
            replacement[ord(sign)] = wildcard if is_letter else ""
            if sign.isspace() or sign in "\ufeff\u200b":
                continue
            name = shown(sign) if sign.isprintable() else f"the character U+{ord(sign):04X}"
            fault = f"'{name}' {_was(number)} " + (f"replaced by {wildcard}" if is_letter else "left out")
            position = len(text[: text.index(sign)].encode("utf-8", "surrogateescape"))
            remarks.append(self._located("replaced" if is_letter else "removed", fault, number, position, body, place))
        return text.translate(replacement).encode("ascii")


def _was(number: int) -> str:
    return "was" if number == 1 else "were"


def _count_bytes(data: bytes) -> NDArray[np.int64]:
    """Count each byte value, in blocks because `bincount` widens its input eightfold."""
    counts = np.zeros(256, dtype=np.int64)
    for start in range(0, len(data), _BLOCK):
        counts += np.bincount(np.frombuffer(data[start : start + _BLOCK], dtype=np.uint8), minlength=256)
    return counts


def _place_of(body: bytes, symbol: int) -> int:
    """Position of the first occurrence in either case."""
    places = [position for sign in {symbol, ord(chr(symbol).lower())} if (position := body.find(bytes([sign]))) >= 0]
    return min(places)
