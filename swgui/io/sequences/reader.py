"""Reading sequences: every format, cleaned, with a report of all that was changed."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, TextIO

import msgspec

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet, guess_alphabet
from swgui.core.errors import AlphabetMismatch, SequenceError, SwguiError, sentence_of
from swgui.core.features import Feature, within
from swgui.core.records import Remark, SequenceRecord
from swgui.core.words import count
from swgui.io.plugins import add_installed
from swgui.io.read_report import ReadReport, shown
from swgui.io.sequences.cleaning import MODIFIED, LetterCleaner, RecordPosition
from swgui.io.sequences.ledger import IdLedger
from swgui.io.sequences.parsers import PARSERS, RawRecord, drained, raw_fasta, scan_fasta
from swgui.io.sequences.plain_fasta import RecordBatch, parse_plain
from swgui.io.sequences.sniffing import EMBL, FASTA, GENBANK, known_by_first_line, sniff
from swgui.io.sequences.sources import TextSource, open_file, open_text

if TYPE_CHECKING:
    from swgui.io.sequences.record_source import RecordSource

__all__ = ["ReadReport", "SequenceReader", "read_sequences", "read_text"]

GROUP: Final = "swgui.readers"

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
_NUMBERS: Final = rb"\s*-?\d[-\d.\s]*"
_NUMBER_STARTS: Final = b"-0123456789"
_NOT_LETTERS: Final = bytes(set(range(256)) - set(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))


class SequenceFormat(msgspec.Struct, frozen=True):
    """A format that a package reads."""

    name: str
    # Takes the first bytes of a text, unpacked and in UTF-8, and returns whether it is in this format. Called if the
    # program itself does not know the first line.
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
        except Exception as fault:  # whatever a package of others does
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
        FASTA, FASTQ, GenBank, EMBL, IMGT, Swiss-Prot text or PIR, also compressed with gzip, bgz, bzip2, xz or zstd;
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
        Raise `AlphabetMismatch` if protein is requested and all records look like nucleotides.
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
            assert isinstance(item, SequenceRecord)  # the caller wanted no more
            yield item
            del item

    def batches(self) -> Iterator[SequenceRecord | RecordBatch]:
        """Yield the records, those of FASTA that need no remark many at a time; once."""
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
        handed_on = empty = circular = 0
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
                circular += record.circular
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
        if circular:
            noted = count(circular, "record is", "records are")
            report.add(Remark("note", f"{noted} circular; only rules look across the origin of a subject."))
        if cleaner.lower_case_records:
            masked = count(cleaner.lower_case_records, "record has", "records have")
            report.add(Remark("note", f"{masked} lower-case letters (often a mask); they were read as upper case."))
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
            try:
                residues, remarks = cleaner.clean(raw.body, place)
            except SequenceError as joined:
                message = f"{self.source.name}: {joined.message}"
                raise self.source.error(message, line=joined.line, record=raw.number, hint=joined.hint) from None
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
            identifier,
            raw.description,
            residues,
            features,
            letters=letters,
            places=places,
            taxid=raw.taxid,
            circular=raw.circular,
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
        if bodies and bodies[0].lstrip()[:1] in _NUMBER_STARTS and all(re.fullmatch(_NUMBERS, body) for body in bodies):
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


def _guess(first: list[RawRecord], expected: Alphabet | None = None) -> Alphabet:
    """Tell the kind of a file from its first records: by what it says, else by the letters.

    X is not counted: it masks nucleotides and proteins alike.
    """
    stated = {raw.alphabet.name: raw.alphabet for raw in first if raw.alphabet and raw.body}
    if len(stated) == 1:
        return next(iter(stated.values()))
    sample = b"".join(raw.body[:_GUESS_BYTES] for raw in first)
    if b"(" in sample:
        sample = re.sub(MODIFIED, b"", sample)
    return guess_alphabet(sample.translate(None, _NOT_LETTERS + b"Xx"), expected)
