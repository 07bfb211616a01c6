"""Making database files: of a database in memory, of sequence files, and anew of what they were built from."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Final, cast

import numpy as np
from numpy.typing import NDArray

from swgui import __version__
from swgui.core.alphabet import Alphabet
from swgui.core.database import EncodedDatabase, track_checksum
from swgui.core.errors import DatabaseError
from swgui.core.organisms.subjects import SubjectOrganisms
from swgui.core.records import SequenceRecord
from swgui.core.texts import TextColumn
from swgui.core.words import printable
from swgui.io.database.blast import blast_files, find_blast_database, open_source, source_file
from swgui.io.database.checked import remember_written
from swgui.io.database.facts import HeaderFacts, RemarkFacts, ReportFacts, StructureSources, TrackFacts
from swgui.io.database.file import content_of, database_facts, open_database
from swgui.io.database.format import SUFFIX, DatabaseWriter, SectionReader
from swgui.io.database.organisms import sections_of
from swgui.io.database.spool import Spool, Steps
from swgui.io.organisms.assign import OrganismFiles, OrganismSource
from swgui.io.outputs import keep_inputs
from swgui.io.sequences.ledger import IdLedger
from swgui.io.sequences.plain_fasta import RecordBatch
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.report import ReadReport
from swgui.io.whole_file import whole_file

_REBUILD_HINT: Final = "Build it anew from a sequence file."
_REMARKS_STORED: Final = 100  # per kind; the counts are complete


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
            ("features", "feature_offsets", database.feature_texts),
            ("places", "place_offsets", database.places),
        ):
            if column is None:
                continue
            writer.array(name, column.data)
            writer.array(offsets, column.offsets)
        _write_organisms(writer, database.stored_organisms)
        track = database.track
        if track is not None:
            writer.array("letters", track.codes)
        longest = int(np.diff(database.offsets).max(initial=0))
        alphabet = database.alphabet.residue_alphabet
        facts = _facts(database.name, alphabet, len(database), database.residues, longest)
        beside = _track_facts(writer, track.alphabet if track is not None else None)
        writer.finish(replace(facts, checksum=_content(writer, alphabet), track=beside))


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
    organisms: OrganismFiles | None = None,
    letters: LetterFile | None = None,
) -> EncodedDatabase:
    """Convert sequence files into a database file, streaming: memory does not grow with the residues.

    About 40 bytes per sequence are held in memory, identifiers with `letters`, and twice the longest record.

    Parameters
    ----------
    sources : sequence of paths
        Sequence files or BLAST databases, read one after the other as one database.
    out : path
        Replaced when the new file is complete, untouched otherwise.
    alphabet : Alphabet, optional
        Guessed from the first records if not given.
    name : str
        That of `out` without its suffix if empty.
    progress : callable, optional
        Called with (done, total) in units of source bytes.
    refuse_other_kind : bool
        Refuse nucleotides where `alphabet` says protein; a remark otherwise.
    organisms : OrganismFiles, optional
        What says of which organism each sequence is, to be stored with it.
    letters : LetterFile, optional

    Returns
    -------
    EncodedDatabase, memory-mapped from `out`

    Raises
    ------
    SequenceError, AlphabetMismatch, TaxonomyError, DatabaseError, InvalidParameter
        If a source, or what says of organisms, cannot be used; letters do not fit; the file cannot be written.
    Stopped
        If `cancel` was set.
    """
    report = report if report is not None else ReadReport()
    files, target = _source_files(sources, out, organisms, letters), Path(out)
    steps = Steps(files, progress, cancel)
    about = OrganismSource(organisms, steps.check) if organisms else None
    with whole_file(target, DatabaseError) as file:
        with Spool(target) as spool:
            _read_all(files, spool, steps, report, alphabet, refuse_other_kind)
            if letters is not None:
                letters.read_into(spool, steps)
            _write(file, spool, printable(name or target.name.removesuffix(SUFFIX)), steps, report, about)
        del spool  # and what it holds of every record, before the file is opened
        steps.check()
    steps.finish()
    return _opened_as_written(target)


def build_from_records(
    records: Iterable[SequenceRecord],
    out: str | os.PathLike[str],
    *,
    alphabet: Alphabet,
    name: str = "",
    sources: Sequence[str | os.PathLike[str]] = (),
    structures: StructureSources | None = None,
    report: ReadReport | None = None,
    cancel: threading.Event | None = None,
    organisms: OrganismFiles | None = None,
) -> EncodedDatabase:
    """Make a database file of records as they come, streaming; with letters if they have any.

    Parameters
    ----------
    records : iterable of SequenceRecord
        Cleaned. If one has letters, all have, of one alphabet. What it raises leaves an older file as it is.
    out : path
        Replaced when the new file is complete.
    alphabet : Alphabet
        Of the residues.
    sources : sequence of paths
        What the file says it was made of.
    structures : StructureSources, optional
        The same as it was given, where the records are of structures.
    cancel, organisms
        As for `build_database`.

    Raises
    ------
    DatabaseError, SequenceError
        If there is no record, one lacks letters that others have, or the file cannot be written.
    """
    report, target = report if report is not None else ReadReport(), Path(out)
    steps = Steps(sources, None, cancel)
    about = OrganismSource(organisms, steps.check) if organisms else None
    with whole_file(target, DatabaseError) as file:
        with Spool(target) as spool:
            for record in records:
                spool.add(record, alphabet)
                report.records += 1
                report.residues += len(record.residues)
            report.alphabet = alphabet if len(spool) else None
            _write(file, spool, printable(name or target.name.removesuffix(SUFFIX)), steps, report, about, structures)
        del spool
    return _opened_as_written(target)


def _opened_as_written(target: Path) -> EncodedDatabase:
    remember_written(target)
    return open_database(target)


@dataclass(frozen=True, slots=True)
class LetterFile:
    """A file with a letter for every residue of other files, as FASTA or another format of sequences.

    Parameters
    ----------
    path : path
        Its records have the identifiers of the residues, in any order.
    alphabet : Alphabet
    """

    path: str | os.PathLike[str]
    alphabet: Alphabet

    def read_into(self, spool: Spool, steps: Steps) -> None:
        """Give every record of a spool its letters; `DatabaseError` where one has none, or too many or few."""
        with open_source(self.path) as source:
            reader = SequenceReader(source, self.alphabet, ReadReport())
            spool.letters_file = str(Path(self.path).absolute())
            spool.pair_letters(steps.watched(reader.batches(), source), self.alphabet, source.name)


def _source_files(
    sources: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    organisms: OrganismFiles | None,
    letters: LetterFile | None,
) -> list[Path]:
    """Return the files with sequences; `InvalidParameter` if `out` is one of those that are read."""
    if letters is not None:
        keep_inputs(out, [("letters", letters.path)])
    if organisms and organisms.table:
        keep_inputs(out, [("list of organisms", organisms.table)])
    for given in sources:
        blast = find_blast_database(given)
        keep_inputs(out, [("sequences", file) for file in (blast_files(blast) if blast else [given])])
    return [source_file(source) for source in sources]


def _write(
    file: IO[bytes],
    spool: Spool,
    name: str,
    steps: Steps,
    report: ReadReport,
    about: OrganismSource | None = None,
    structures: StructureSources | None = None,
) -> None:
    """Write what was read, sorted, with the facts about it."""
    steps.check()
    kind = spool.finish(report.alphabet)
    writer = DatabaseWriter(file)
    longest = spool.write_to(writer, steps)
    if about is not None:
        _write_organisms(writer, about.assign(*(_stored_texts(writer, part) for part in ("id", "description"))))
    facts = _facts(name, kind, len(spool), spool.residues, longest)
    checksum = _content(writer, kind, steps.check)
    sources, said = tuple(steps.facts), about.files if about is not None else None
    facts = replace(facts, checksum=checksum, sources=sources, report=_report_facts(report), organism_files=said)
    track = _track_facts(writer, spool.letters, spool.letters_file)
    writer.finish(replace(facts, track=track, structures=structures))


def _track_facts(writer: DatabaseWriter, alphabet: Alphabet | None, source: str = "") -> TrackFacts | None:
    """Return what a header says of the letters that were written; None if there are none."""
    if alphabet is None:
        return None
    writer.file.flush()
    stored = SectionReader(writer.file, writer.sections["letters"])
    return TrackFacts(alphabet.name, alphabet.letters, track_checksum(alphabet, stored), source)


def _stored_texts(writer: DatabaseWriter, part: str) -> TextColumn:
    """Return identifiers or descriptions that were written; only where they begin is held in memory."""
    writer.file.flush()
    data = SectionReader(writer.file, writer.sections[f"{part}s"])
    offsets = SectionReader(writer.file, writer.sections[f"{part}_offsets"])
    return TextColumn(cast("NDArray[np.uint8]", data), offsets[:])


def _write_organisms(writer: DatabaseWriter, organisms: SubjectOrganisms | None) -> None:
    if organisms is not None:
        for name, array in sections_of(organisms).items():
            writer.array(name, array)


def _read_all(
    sources: Sequence[Path],
    spool: Spool,
    steps: Steps,
    report: ReadReport,
    alphabet: Alphabet | None,
    refuse_other_kind: bool,
) -> None:
    """Read all sources into a spool, one after the other; what is known of identifiers goes when it returns."""
    ledger = IdLedger()
    for number, path in enumerate(sources):
        with open_source(path) as source:
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
    letters = LetterFile(facts.letters_file, facts.letters) if facts.letters is not None else None
    if not sources or (letters is not None and not letters.path):
        raise DatabaseError(str(path), f"'{Path(path).name}' does not say what it was built from.", hint=_REBUILD_HINT)
    check_sources(path, sources if letters is None else [*sources, Path(letters.path)])
    return build_database(
        sources,
        path,
        alphabet=facts.alphabet,
        name=facts.name,
        report=report,
        progress=progress,
        cancel=cancel,
        organisms=facts.organism_files,
        letters=letters,
    )


def check_sources(path: str | os.PathLike[str], needed: Sequence[Path]) -> None:
    """Raise `DatabaseError` if one of the files or folders that a database was built from is not there."""
    if missing := next((source for source in needed if not source.exists()), None):
        raise DatabaseError(
            str(path), f"'{missing}', from which '{Path(path).name}' was built, is gone.", hint=_REBUILD_HINT
        )


def _report_facts(report: ReadReport) -> ReportFacts:
    kept: dict[str, int] = {}
    remarks = []
    for remark in report.remarks:
        kept[remark.kind] = kept.get(remark.kind, 0) + 1
        if kept[remark.kind] <= _REMARKS_STORED:
            remarks.append(RemarkFacts(remark.kind, remark.message, remark.record, remark.line, remark.count))
    return ReportFacts(report.format, dict(report.counts), tuple(remarks))


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


def _content(writer: DatabaseWriter, alphabet: Alphabet, watch: Callable[[], None] | None = None) -> str:
    writer.file.flush()
    readers = {name: SectionReader(writer.file, section, watch) for name, section in writer.sections.items()}
    return content_of(readers, alphabet)
