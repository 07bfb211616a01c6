"""Database files: save, open, check, build."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from swgui import __version__
from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.database import EncodedDatabase, TextColumn, content_checksum
from swgui.core.errors import DatabaseError, Stopped
from swgui.core.records import Remark
from swgui.io.database.blast import blast_files, find_blast_database, open_source, source_file
from swgui.io.database.facts import HeaderFacts, RemarkFacts, ReportFacts, SourceFacts
from swgui.io.database.format import (
    INDEX_SECTIONS,
    SECTIONS,
    SUFFIX,
    DatabaseWriter,
    Digest,
    Header,
    SectionReader,
    damaged_section,
    index_is_sound,
    map_sections,
    read_header,
)
from swgui.io.database.spool import Spool, Steps
from swgui.io.outputs import keep_inputs
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.report import IdLedger, ReadReport
from swgui.io.whole_file import whole_file

__all__ = [
    "SUFFIX",
    "DatabaseFacts",
    "build_database",
    "check_database",
    "database_facts",
    "open_database",
    "save_database",
    "stored_report",
    "update_database",
]

_REBUILD_HINT: Final = "Build it anew from a sequence file."
_REMARKS_STORED: Final = 100  # per kind; the counts are complete


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What a database file says about itself, without opening its sections.

    Parameters
    ----------
    path : Path
    name : str
    alphabet : Alphabet
    sequences, residues, longest : int
    checksum : str
        Of the content, as in `EncodedDatabase`.
    made : str
        Local time, ISO 8601.
    program : str
        Name and version of the program that made it.
    sources : tuple of SourceFacts
    format : str
        Format of the sources.
    counts : Mapping[str, int]
        What the reader changed, by kind of remark.
    size : int
        Bytes of the file.
    """

    path: Path
    name: str
    alphabet: Alphabet
    sequences: int
    residues: int
    longest: int
    checksum: str
    made: str
    program: str
    sources: tuple[SourceFacts, ...]
    format: str
    counts: Mapping[str, int]
    size: int


def save_database(database: EncodedDatabase, path: str | os.PathLike[str]) -> None:
    """Write a database held in memory to a file, whole or not at all.

    Raises
    ------
    DatabaseError
        If it cannot be written.
    """
    with whole_file(path, DatabaseError) as file:
        writer = DatabaseWriter(file)
        writer.array("codes", database.codes)
        writer.array("offsets", database.offsets)
        writer.array("order", database.order)
        for name, offsets, column in (
            ("ids", "id_offsets", database.ids),
            ("descriptions", "description_offsets", database.descriptions),
        ):
            writer.array(name, column.data)
            writer.array(offsets, column.offsets)
        longest = int(np.diff(database.offsets).max(initial=0))
        facts = _facts(database.name, database.alphabet, len(database), database.residues, longest)
        writer.finish(replace(facts, checksum=_content(writer, database.alphabet)))


def _facts(name: str, alphabet: Alphabet, sequences: int, residues: int, longest: int) -> HeaderFacts:
    return HeaderFacts(
        name=name,
        alphabet=alphabet.name,
        letters=alphabet.letters,
        sequences=sequences,
        residues=residues,
        longest=longest,
        checksum="",
        made=datetime.now().astimezone().isoformat(timespec="seconds"),
        program=f"swgui {__version__}",
    )


def open_database(path: str | os.PathLike[str]) -> EncodedDatabase:
    """Open a database file, memory-mapped: quick however many residues it has.

    Header and file size are verified, and that no entry of the index leads outside the file or out of order; of a
    small index (up to a million sequences) every bit; and that all residues are symbols of the
    alphabet (up to 134 million). `check_database` verifies every bit.

    Raises
    ------
    DatabaseError
        If the file is missing, foreign, truncated, damaged or of a newer version.
    """
    with _opened(path) as file:
        header = read_header(file, str(path))
        arrays = map_sections(file, header, str(path))
    facts = header.facts
    return EncodedDatabase(
        name=facts.name,
        alphabet=alphabet_by_name(facts.alphabet),
        codes=arrays["codes"],
        offsets=arrays["offsets"],
        order=arrays["order"],
        ids=TextColumn(arrays["ids"], arrays["id_offsets"]),
        descriptions=TextColumn(arrays["descriptions"], arrays["description_offsets"]),
        checksum=facts.checksum,
    )


def check_database(path: str | os.PathLike[str], *, cancel: threading.Event | None = None) -> DatabaseFacts:
    """Read a whole database file and verify every checksum and the rules of the format.

    Raises
    ------
    DatabaseError
        If a single bit is wrong.
    Stopped
        If `cancel` was set.
    """
    where = str(path)

    def watch() -> None:
        if cancel is not None and cancel.is_set():
            raise Stopped("The check was stopped.", hint="Nothing is known of the rest of the file.")

    with _opened(path) as file:
        header = read_header(file, where)
        for name in SECTIONS:
            digest = Digest()
            for block in SectionReader(file, header.sections[name], watch).blocks():
                digest.update(block)
            if digest.hex() != header.sections[name].checksum:
                raise damaged_section(where, name)
        readers = {name: SectionReader(file, header.sections[name], watch) for name in SECTIONS}
        _check_rules(readers, header, where)
        alphabet = alphabet_by_name(header.facts.alphabet)
        if _content_of(readers, alphabet) != header.facts.checksum:
            raise damaged_section(where, "checksum of the content")
    return _facts_of(Path(path), header)


def _check_rules(readers: Mapping[str, SectionReader], header: Header, path: str) -> None:
    """Check what checksums cannot: that whoever wrote the file kept the rules."""
    letters = len(header.facts.letters)
    if any(len(block) and int(block.max()) >= letters for block in readers["codes"].blocks()):
        raise damaged_section(path, "codes")
    for name in INDEX_SECTIONS:
        if not index_is_sound(name, readers, header):
            raise damaged_section(path, name)


def database_facts(path: str | os.PathLike[str]) -> DatabaseFacts:
    """Read what a database file says about itself; quick.

    Raises
    ------
    DatabaseError
        As `open_database`.
    """
    with _opened(path) as file:
        header = read_header(file, str(path))
    return _facts_of(Path(path), header)


def _facts_of(path: Path, header: Header) -> DatabaseFacts:
    facts, report = header.facts, header.facts.report or ReportFacts()
    return DatabaseFacts(
        path=path,
        name=facts.name,
        alphabet=alphabet_by_name(facts.alphabet),
        sequences=facts.sequences,
        residues=facts.residues,
        longest=facts.longest,
        checksum=facts.checksum,
        made=facts.made,
        program=facts.program,
        sources=facts.sources or (),
        format=report.format,
        counts=report.counts,
        size=header.size,
    )


def stored_report(path: str | os.PathLike[str]) -> ReadReport:
    """Return the report of the reading a database was built from (its first remarks, all counts)."""
    with _opened(path) as file:
        facts = read_header(file, str(path)).facts
    stored = facts.report or ReportFacts()
    report = ReadReport(
        records=facts.sequences,
        residues=facts.residues,
        format=stored.format,
        alphabet=alphabet_by_name(facts.alphabet),
    )
    for remark in stored.remarks:
        report.add(Remark(cast(Any, remark.kind), *remark[1:]))  # a newer version may know other kinds
    report.counts.clear()
    report.counts.update(stored.counts)
    return report


def _opened(path: str | os.PathLike[str]) -> IO[bytes]:
    place = Path(path)
    try:
        if place.is_dir():
            raise DatabaseError(str(place), f"'{place.name}' is a folder, not a database.", hint="Choose a file in it.")
        return open(place, "rb")
    except FileNotFoundError:
        hint = "Check the name; it may have been moved or deleted."
        raise DatabaseError(str(place), f"There is no database '{place}'.", hint=hint) from None
    except PermissionError:
        raise DatabaseError(str(place), f"'{place.name}' may not be read by you.", hint="Ask its owner.") from None
    except DatabaseError:
        raise
    except (OSError, ValueError) as fault:
        raise DatabaseError(str(place), f"'{place.name}' cannot be opened: {fault}.") from fault


def build_database(
    sources: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    alphabet: Alphabet | None = None,
    name: str = "",
    report: ReadReport | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
    refuse_other_kind: bool = False,
) -> EncodedDatabase:
    """Convert sequence files into a database file, streaming: memory does not grow with the residues.

    About 50 bytes per sequence are held in memory, and at most two copies of the longest record.

    Parameters
    ----------
    sources : sequence of paths
        Sequence files or BLAST databases, read one after the other as one database.
    out : path
        Replaced when the new file is complete, untouched otherwise.
    alphabet : Alphabet, optional
        Guessed from the first records of the first source if not given.
    name : str
        Shown to users; the name of `out` without its suffix if empty.
    report : ReadReport, optional
    progress : callable, optional
        Called with (done, total) in units of source bytes.
    cancel : threading.Event, optional
    refuse_other_kind : bool
        Refuse nucleotides where `alphabet` says protein, instead of remarking on them.

    Returns
    -------
    EncodedDatabase
        Memory-mapped from `out`.

    Raises
    ------
    SequenceError, AlphabetMismatch
        If a source cannot be read.
    DatabaseError
        If the file cannot be written.
    InvalidParameter
        If `out` is one of the sources.
    Stopped
        If `cancel` was set.
    """
    report = report if report is not None else ReadReport()
    for given in sources:
        blast = find_blast_database(given)
        keep_inputs(out, [("sequences", file) for file in (blast_files(blast) if blast else [given])])
    sources = [source_file(source) for source in sources]
    steps = Steps(sources, progress, cancel)
    target = Path(out)
    ledger = IdLedger()
    with whole_file(target, DatabaseError) as file, Spool(target) as spool:
        for number, path in enumerate(sources):
            with open_source(path) as source:
                strict = refuse_other_kind or (number > 0 and alphabet is None)
                reader = SequenceReader(
                    source, alphabet or report.alphabet, report, refuse_other_kind=strict, ledger=ledger
                )
                said = len(report.remarks)
                for record in steps.watched(reader, source):
                    spool.add(record, report.alphabet)
                    del record  # or it would still be there while the next one is read
                if len(sources) > 1:
                    report.name_source(said, source.name)
                del reader
        del ledger  # with what it remembers of identifiers
        steps.check()
        kind = spool.finish(report.alphabet)
        writer = DatabaseWriter(file)
        longest = spool.write_to(writer, steps)
        facts = _facts(name or target.name.removesuffix(SUFFIX), kind, len(spool), spool.residues, longest)
        checksum = _content(writer, kind, steps.check)
        writer.finish(replace(facts, checksum=checksum, sources=tuple(steps.facts), report=_report_facts(report)))
        steps.check()
    steps.finish()
    return open_database(target)


def update_database(
    path: str | os.PathLike[str],
    *,
    report: ReadReport | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
) -> EncodedDatabase:
    """Build a database file again from the sources it was built from, in place.

    Raises
    ------
    DatabaseError
        If the file does not say what it was built from, or a source is gone.
    SequenceError, Stopped
        As `build_database`; the older file stays as it is.
    """
    facts = database_facts(path)
    sources = [Path(source.path) for source in facts.sources]
    if not sources:
        raise DatabaseError(str(path), f"'{Path(path).name}' does not say what it was built from.", hint=_REBUILD_HINT)
    if missing := next((source for source in sources if not source.is_file()), None):
        raise DatabaseError(
            str(path), f"'{missing}', from which '{Path(path).name}' was built, is gone.", hint=_REBUILD_HINT
        )
    return build_database(
        sources, path, alphabet=facts.alphabet, name=facts.name, report=report, progress=progress, cancel=cancel
    )


def _report_facts(report: ReadReport) -> ReportFacts:
    kept: dict[str, int] = {}
    remarks = []
    for remark in report.remarks:
        kept[remark.kind] = kept.get(remark.kind, 0) + 1
        if kept[remark.kind] <= _REMARKS_STORED:
            remarks.append(RemarkFacts(remark.kind, remark.message, remark.record, remark.line, remark.count))
    return ReportFacts(report.format, dict(report.counts), tuple(remarks))


def _content(writer: DatabaseWriter, alphabet: Alphabet, watch: Callable[[], None] | None = None) -> str:
    writer.file.flush()
    readers = {name: SectionReader(writer.file, section, watch) for name, section in writer.sections.items()}
    return _content_of(readers, alphabet)


def _content_of(readers: Mapping[str, SectionReader], alphabet: Alphabet) -> str:
    """Return the content checksum of sections on disk; they are sliced in blocks like arrays."""
    array_like = {name: cast("NDArray[Any]", reader) for name, reader in readers.items()}
    ids = TextColumn(array_like["ids"], array_like["id_offsets"])
    return content_checksum(alphabet, array_like["codes"], array_like["offsets"], ids)
