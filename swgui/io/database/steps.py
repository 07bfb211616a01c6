"""The common first and last steps of making a database file: reading, progress, the facts of the header."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from swgui import __version__
from swgui.core.alphabet import Alphabet
from swgui.core.errors import DatabaseError, Stopped
from swgui.core.records import SequenceRecord
from swgui.io.database.facts import HeaderFacts, RemarkFacts, ReportFacts, SourceFacts
from swgui.io.imported.opening import open_source
from swgui.io.imported.parquet import USUAL, Columns
from swgui.io.read_report import ReadReport
from swgui.io.sequences.ledger import IdLedger
from swgui.io.sequences.plain_fasta import RecordBatch
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.record_source import RecordSource
from swgui.io.sequences.sources import TextSource

REMARKS_STORED: Final = 100  # per kind; the counts are complete


class Steps:
    """Progress and cancelling of one building.

    Parameters
    ----------
    progress : callable, optional
        Called with (done, total).
    columns : Columns
        What the columns of Parquet files hold.

    Attributes
    ----------
    facts : list of dict
        Each source, as it was at the start.
    """

    def __init__(
        self,
        sources: Sequence[str | os.PathLike[str]],
        progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
        columns: Columns = USUAL,
    ) -> None:
        self.columns = columns
        self._progress = progress
        self._cancel = cancel
        self._read = 0
        self.facts: list[SourceFacts] = []
        for path in sources:
            with suppress(OSError, ValueError):  # opening it will tell
                self.facts.append(SourceFacts.of(path))
        self._sources_size = sum(fact.size for fact in self.facts)
        self._total = self._sources_size * 5 // 4 or 1  # reading takes about four fifths of the time

    def check(self) -> None:
        """Raise `Stopped` if the user wants that."""
        if self._cancel is not None and self._cancel.is_set():
            raise Stopped("Building the database was stopped.", hint="Nothing was written.")

    def watched(
        self, items: Iterator[SequenceRecord | RecordBatch], source: TextSource | RecordSource
    ) -> Iterator[SequenceRecord | RecordBatch]:
        """Pass records on, telling progress and looking for a cancel every now and then."""
        told = -1
        self.check()
        for item in items:
            yield item
            del item
            if source.position != told:
                told = source.position
                self.check()
                self._tell(self._read + told)
        self._read += source.position

    def written(self, share: float) -> None:
        """Tell that a share of the sorted residues is written."""
        self.check()
        self._tell(self._sources_size + int((self._total - self._sources_size) * share))

    def finish(self) -> None:
        """Tell that everything is done."""
        self._tell(self._total)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(min(done, self._total), self._total)


def known_kind(target: Path, alphabet: Alphabet | None) -> Alphabet:
    """Return the kind of the sequences that were read; `DatabaseError` if there were no files to read."""
    if alphabet is None:
        raise DatabaseError(str(target), "A database needs at least one source.", hint="Choose a file.")
    return alphabet


def no_partner(identifier: str, what: str) -> DatabaseError:
    """Make the error for a record, or its letters, that stands alone."""
    return DatabaseError(
        "", f"'{identifier}' has no {what}.", hint="Both tracks of a database need the same identifiers."
    )


class Taker(Protocol):
    """Takes records as a reader yields them."""

    def add(self, record: SequenceRecord, alphabet: Alphabet | None) -> None:
        """Take one record."""

    def add_batch(self, batch: RecordBatch, alphabet: Alphabet | None) -> None:
        """Take many records."""


def read_all(
    sources: Sequence[Path],
    spool: Taker,
    steps: Steps,
    report: ReadReport,
    alphabet: Alphabet | None,
    refuse_other_kind: bool,
    ledger: IdLedger,
) -> None:
    """Read all sources, one after the other."""
    for number, path in enumerate(sources):
        with open_source(path, steps.columns) as source:
            strict = refuse_other_kind or (number > 0 and alphabet is None)
            reader = SequenceReader(
                source, alphabet or report.alphabet, report, refuse_other_kind=strict, ledger=ledger
            )
            said = len(report.remarks)
            for item in steps.watched(reader.batches(), source):
                if isinstance(item, RecordBatch):
                    spool.add_batch(item, report.alphabet)
                else:
                    spool.add(item, report.alphabet)
                del item  # or it would still be there while the next one is read
            if len(sources) > 1:
                report.name_source(said, source.name)
            del reader


def report_facts(report: ReadReport) -> ReportFacts:
    """Return the part of a report that a file keeps."""
    kept: dict[str, int] = {}
    remarks = []
    for remark in report.remarks:
        kept[remark.kind] = kept.get(remark.kind, 0) + 1
        if kept[remark.kind] <= REMARKS_STORED:
            remarks.append(RemarkFacts(remark.kind, remark.message, remark.record, remark.line, remark.count))
    return ReportFacts(report.format, dict(report.counts), tuple(remarks))


def described(name: str, alphabet: Alphabet) -> HeaderFacts:
    """Return a header with source and time; counts are added later."""
    return HeaderFacts(
        name=name,
        alphabet=alphabet.name,
        letters=alphabet.letters,
        sequences=0,
        residues=0,
        longest=0,
        checksum="",
        made=datetime.now().astimezone().isoformat(timespec="seconds"),
        program=f"swgui {__version__}",
    )
