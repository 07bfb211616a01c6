"""Making database files: of a database in memory, of sequence files, and anew of what they were built from."""

from __future__ import annotations

import mmap
import os
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Final, cast

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.database import ArrayDatabase, EncodedDatabase, track_checksum
from swgui.core.errors import DatabaseError
from swgui.core.features import as_text
from swgui.core.organisms.subjects import SubjectOrganisms
from swgui.core.packing import sort_by_length
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord, letters_beside
from swgui.core.texts import TextColumn
from swgui.core.words import printable
from swgui.io.database.checked import remember_written
from swgui.io.database.facts import HeaderFacts, StructureSources, TrackFacts
from swgui.io.database.features import text_columns
from swgui.io.database.file import content_of, database_facts, open_database
from swgui.io.database.format import SUFFIX, DatabaseWriter, SectionReader
from swgui.io.database.organisms import sections_of
from swgui.io.database.packed.build import build_packed, pack_file
from swgui.io.database.packed.keeping import Older
from swgui.io.database.packed.merging import merge_identical
from swgui.io.database.steps import Steps, described, known_kind, no_partner, read_all, report_facts
from swgui.io.imported.finding import source_files, sources_of
from swgui.io.imported.opening import open_source
from swgui.io.imported.parquet import USUAL, Columns
from swgui.io.organism_files import NO_FILES, OrganismFiles
from swgui.io.organisms.assign import OrganismSource
from swgui.io.outputs import keep_inputs
from swgui.io.read_report import ReadReport
from swgui.io.sequences.ledger import IdLedger
from swgui.io.sequences.plain_fasta import RecordBatch
from swgui.io.sequences.reader import SequenceReader
from swgui.io.whole_file import not_written, staged, whole_file
from swgui.paths import resolved

BATCH: Final = 1 << 20  # bytes gathered before they are encoded and written
BLOCK: Final = 1 << 22  # bytes sorted at a time
_REBUILD_HINT: Final = "Build it again from a sequence file."
Finish = Callable[[Path, Path], object]  # makes the file that is wanted, the second, of one that was built, the first


class _Column:
    """One kind of data of all records, on disk but for what came last."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.lengths = array("i")  # of the records that were read
        self.batch: list[bytes] = []

    def take(self, data: bytes | memoryview, lengths: NDArray[np.int32]) -> None:
        """Write many at once."""
        _write_all(self.file, data)
        self.lengths.frombytes(lengths.tobytes())

    def taken(self) -> bytes:
        data = b"".join(self.batch)
        self.lengths.extend(map(len, self.batch))
        self.batch.clear()
        return data


class Spool:
    """Records in source order on disk, until their number and lengths are known.

    The temporary files have no name (or vanish when closed), and lie in the folder of the target, which must have room
    anyway. In memory stay 16 bytes per record, 20 where sources say of which organism it is.

    Attributes
    ----------
    letters : Alphabet or None
        Of the second track, if there is one.
    letters_file : str
        Where it is from, unless it came with the records.
    residues : int
        So far.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._stack = ExitStack()
        self._batched = 0
        self._alphabet: Alphabet | None = None
        self._partners: NDArray[np.int64] | None = None
        self._bare = ""  # the first record without letters
        self.letters: Alphabet | None = None
        self.letters_file = ""
        self.residues = 0
        self._taxids = array("i")  # of the first records; all others have none

    def __enter__(self) -> Spool:
        folder = resolved(self._target).parent
        try:
            self._codes, self._ids, self._descriptions, self._features, self._letters, self._places = (
                _Column(self._stack.enter_context(tempfile.TemporaryFile(dir=folder, buffering=0)))  # noqa: SIM115
                for _ in range(6)
            )
        except OSError as fault:
            self._stack.close()
            raise not_written(self._target, fault, DatabaseError) from fault
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __len__(self) -> int:
        return len(self._codes.lengths) + len(self._codes.batch)

    def add(self, record: SequenceRecord, alphabet: Alphabet | None) -> None:
        """Take one record."""
        self._alphabet = alphabet
        size = len(record.residues)
        if size >= BATCH:
            self._flush()  # so that the long record is not joined with others, which would copy it
        if record.taxid:
            self._note_taxids(np.array([record.taxid], dtype=np.int32))
        features = as_text(record.features, circular=record.circular).encode("utf-8", "replace")
        if record.letters is not None:
            if self.letters is None:
                self.letters = alphabet_by_name(record.letters.alphabet)
            letters = letters_beside(record, self.letters.name)
            self._letters.batch.append(self.letters.encode(letters).tobytes())
        else:
            self._bare = self._bare or record.id
        self._codes.batch.append(record.residues)
        self._ids.batch.append(record.id.encode("utf-8", "replace"))
        self._descriptions.batch.append(record.description.encode("utf-8", "replace"))
        self._features.batch.append(features)
        self._places.batch.append(record.places)
        self._batched += size + len(record.id) + len(record.description) + len(features) + len(record.places)
        self.residues += size
        if self._batched >= BATCH:
            self._flush()

    def add_batch(self, batch: RecordBatch, alphabet: Alphabet | None) -> None:
        """Take many records."""
        self._flush()
        self._alphabet = alphabet
        self._bare = self._bare or bytes(batch.ids[: int(batch.id_lengths[0])]).decode("utf-8", "replace")
        if batch.taxids is not None and batch.taxids.any():
            self._note_taxids(batch.taxids)
        self._codes.take(batch.codes.data, batch.lengths)
        self._ids.take(batch.ids, batch.id_lengths)
        self._descriptions.take(batch.descriptions, batch.description_lengths)
        for rare in (self._features, self._places):
            if rare.lengths:
                rare.take(b"", np.zeros(len(batch), np.int32))
        self.residues += len(batch.codes)

    def _note_taxids(self, taxids: NDArray[np.int32]) -> None:
        """Note of which organisms the records behind those that are here are."""
        self._taxids.frombytes(bytes(4 * (len(self) - len(self._taxids))))
        self._taxids.frombytes(taxids.astype(np.int32).tobytes())

    def taxids(self) -> NDArray[np.int32] | None:
        """Return the organism of every record as its source states it; None if no source states any."""
        if not self._taxids:
            return None
        known = np.frombuffer(self._taxids, dtype=np.int32)
        return np.append(known, np.zeros(len(self) - len(known), dtype=np.int32))

    def _flush(self) -> None:
        if not self._codes.batch:
            return
        rare = (self._features, self._places)
        for column in rare:
            if any(column.batch) and not column.lengths:  # none before had any
                column.take(b"", np.zeros(len(self._codes.lengths), np.int32))
        if self._alphabet is not None:
            _write_all(self._codes.file, self._alphabet.encode(self._codes.taken()).data)
        if self._letters.batch:
            _write_all(self._letters.file, self._letters.taken())
        for texts in (
            self._ids,
            self._descriptions,
            *(column for column in rare if column.lengths or any(column.batch)),
        ):
            _write_all(texts.file, texts.taken())
        for column in rare:
            column.batch.clear()
        self._batched = 0

    def finish(self, alphabet: Alphabet | None) -> Alphabet:
        """Write the rest; return the kind of the sequences."""
        self._flush()
        kind = known_kind(self._target, alphabet)
        if self.letters is not None and self._partners is None and self._bare:
            raise no_partner(self._bare, "letters")
        return kind

    def pair_letters(self, letters: Iterable[SequenceRecord | RecordBatch], alphabet: Alphabet, name: str) -> None:
        """Take the letters of all records from another file, in any order; call it when all records are here.

        Parameters
        ----------
        letters : iterable
            Records whose residues are letters.

        Raises
        ------
        DatabaseError
            If a record has no letters, letters have no record, or they are not as many.
        """
        self._flush()
        self.letters = alphabet
        ids: list[bytes] = []
        for item in letters:
            if isinstance(item, RecordBatch):
                ids += _texts(bytes(item.ids), item.id_lengths)
                self._letters.take(item.codes.data, item.lengths)
            else:
                ids.append(item.id.encode("utf-8", "replace"))
                codes = alphabet.encode(item.residues)
                self._letters.take(codes.data, np.array([len(codes)], dtype=np.int32))
        self._ids.file.seek(0)
        own = _texts(self._ids.file.read(), np.frombuffer(self._ids.lengths, dtype=np.int32))
        self._partners = _partners(own, ids, name)
        wanted = np.frombuffer(self._codes.lengths, dtype=np.int32)
        given = np.frombuffer(self._letters.lengths, dtype=np.int32)[self._partners]
        if len(wrong := np.flatnonzero(given != wanted)):
            index = int(wrong[0])
            raise DatabaseError(
                str(self._target),
                f"'{own[index].decode()}' has {wanted[index]:,} residues and {given[index]:,} letters in {name}.",
                hint=f"Every residue needs a letter; unknown ones are written as {alphabet.wildcard}.",
            )

    def write_to(self, writer: DatabaseWriter, steps: Steps) -> int:
        """Write all sections, the residues longest first; return the length of the longest."""
        self._write_texts(writer)  # first, as where texts begin is not held in memory any more then
        lengths = np.frombuffer(self._codes.lengths, dtype=np.int32)
        order = sort_by_length(lengths)
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths[order], out=offsets[1:])
        with writer.section("codes") as section:
            for block in sorted_blocks(self._codes, order, offsets):
                section.write(block)
                steps.written(section.size / max(1, self.residues))
        if self.letters is not None:
            with writer.section("letters") as section:
                for block in sorted_blocks(
                    self._letters, order if self._partners is None else self._partners[order], offsets
                ):
                    section.write(block)
        writer.array("offsets", offsets)
        writer.array("order", order)
        return int(lengths[order[0]])

    def _write_texts(self, writer: DatabaseWriter) -> None:
        for name, index, texts in (
            ("ids", "id_offsets", self._ids),
            ("descriptions", "description_offsets", self._descriptions),
            ("features", "feature_offsets", self._features),
            ("places", "place_offsets", self._places),
        ):
            if not texts.lengths:
                continue  # no entry has any
            texts.file.seek(0)
            with writer.section(name) as section:
                while text := texts.file.read(BLOCK):
                    section.write(text)
            starts = np.zeros(len(texts.lengths) + 1, dtype=np.int64)
            np.cumsum(np.frombuffer(texts.lengths, dtype=np.int32), out=starts[1:])
            writer.array(index, starts)
            texts.lengths = array("i")


def _texts(joined: bytes, lengths: NDArray[np.int32]) -> list[bytes]:
    ends = np.cumsum(lengths, dtype=np.int64).tolist()
    return [joined[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]


def _partners(own: list[bytes], others: list[bytes], name: str) -> NDArray[np.int64]:
    """Return which letters belong to each record; those of the same name in their order."""
    if own == others:
        return np.arange(len(own))
    places: dict[bytes, list[int]] = {}
    for index in range(len(others) - 1, -1, -1):
        places.setdefault(others[index], []).append(index)
    partners = np.empty(len(own), dtype=np.int64)
    for row, identifier in enumerate(own):
        if not places.get(identifier):
            raise no_partner(identifier.decode(), f"letters in {name}")
        partners[row] = places[identifier].pop()
    if alone := next((identifier for identifier, left in places.items() if left), None):
        raise no_partner(alone.decode(), f"residues, but letters in {name}")
    return partners


def sorted_blocks(
    column: _Column, order: NDArray[np.int64], offsets: NDArray[np.int64]
) -> Iterator[bytes | memoryview]:
    """Yield the entries of a column for all records in a given order, gathered into blocks of a few megabytes.

    Parameters
    ----------
    order : ndarray, shape=(N,)
        Numbers of records in the column.
    offsets : ndarray, shape=(N + 1,)
        Where each of them begins in the output.
    """
    lengths = np.frombuffer(column.lengths, dtype=np.int32)
    starts = np.zeros(len(lengths), dtype=np.int64)
    np.cumsum(lengths[:-1], out=starts[1:])
    with mmap.mmap(column.file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as spooled:
        first, count = 0, len(order)
        while first < count:
            stop = max(first + 1, int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1)
            chosen = order[first:stop]
            if stop == first + 1:  # perhaps longer than a block
                yield from _long_record(spooled, int(starts[chosen[0]]), int(lengths[chosen[0]]))
            else:
                pieces = [spooled[start:end] for start, end in _stretches(starts[chosen], lengths[chosen])]
                block = b"".join(pieces)
                del pieces  # before the reader may end this: a map in use cannot be closed
                yield block
            if hasattr(mapped, "madvise"):  # or what was read would count as memory of the process
                mapped.madvise(mmap.MADV_DONTNEED)
            first = stop


def _long_record(spooled: memoryview, start: int, length: int) -> Iterator[memoryview]:
    for begin in range(start, start + length, BLOCK):
        with spooled[begin : min(begin + BLOCK, start + length)] as part:
            yield part


def _stretches(starts: NDArray[np.int64], lengths: NDArray[np.int32]) -> Iterator[tuple[int, int]]:
    """Yield the start and stop of each read; consecutive sequences, also of one length, are read at once."""
    ends = starts + lengths
    firsts = np.flatnonzero(np.concatenate([[True], starts[1:] != ends[:-1]]))
    lasts = np.append(firsts[1:], len(starts)) - 1
    yield from zip(starts[firsts].tolist(), ends[lasts].tolist(), strict=True)


def _write_all(file: IO[bytes], data: bytes | memoryview) -> None:
    """Write to an unbuffered file, which may take less than it is given."""
    view = memoryview(data).cast("B")
    done = 0
    while done < len(view):
        done += file.write(view[done:])


def save_database(database: ArrayDatabase, path: str | os.PathLike[str]) -> None:
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
        for name, offsets, column in text_columns(database):
            writer.array(name, column.data)
            writer.array(offsets, column.offsets)
        _write_organisms(writer, database.stored_organisms)
        track = database.track
        if track is not None:
            writer.array("letters", track.codes)
        of_profiles = None
        if database.profiles is not None:
            from swgui.io.database import profiles  # here: few databases are of profiles

            of_profiles = profiles.facts_of(database.profiles)
            for name, array in profiles.sections_of(database.profiles).items():
                writer.array(name, array)
        longest = int(np.diff(database.offsets).max(initial=0))
        alphabet = database.alphabet.residue_alphabet
        facts = _facts(database.name, alphabet, len(database), database.residues, longest)
        beside = _track_facts(writer, track.alphabet if track is not None else None)
        writer.finish(replace(facts, checksum=_content(writer, alphabet), track=beside, profiles=of_profiles))


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
    packed: bool = False,
    columns: Columns = USUAL,
    older: Older | None = None,
    finish: Finish | None = None,
) -> EncodedDatabase:
    """Convert sequence files into a database file, streaming: memory does not grow with the residues.

    In memory: 40 bytes per sequence (of a packed file a block), identifiers with `letters`, twice the longest record.

    Parameters
    ----------
    sources : sequence of paths
        Sequence files or databases of other programs, read one after the other as one database.
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
    packed : bool; write version 3 of the format (`swgui.io.database.packed`)
    columns : Columns, of Parquet files
    older : Older, optional; a packed file, whose blocks are reused where they are the same
    finish : callable, optional; makes `out`, its second file, of what was built, its first

    Raises
    ------
    SequenceError, AlphabetMismatch, TaxonomyError, DatabaseError, InvalidParameter
        If a source, or what says of organisms, cannot be used; letters do not fit; the file cannot be written.
    Stopped
        If `cancel` was set.
    """
    report, target = report if report is not None else ReadReport(), Path(out)
    files, called = _source_files(sources, out, organisms, letters), printable(name or target.name.removesuffix(SUFFIX))
    steps = Steps(files, progress, cancel, columns)
    with built_first(target, finish) as first:
        given = files, first, called, steps, report, alphabet, refuse_other_kind
        if packed and not organisms and letters is None:  # or the texts of subjects are put together first
            build_packed(*given, older)
        else:
            _build_mapped(*given, organisms, letters, packed, older)
    steps.finish()
    return opened_as_written(target)


def _build_mapped(
    files: Sequence[Path],
    target: Path,
    name: str,
    steps: Steps,
    report: ReadReport,
    alphabet: Alphabet | None,
    refuse_other_kind: bool,
    organisms: OrganismFiles | None,
    letters: LetterFile | None,
    packed: bool,
    older: Older | None,
) -> None:
    about = OrganismSource(organisms, steps.check) if organisms else None
    with built_first(target, _packing(packed, older)) as first, whole_file(first, DatabaseError) as file:
        with Spool(target) as spool:
            read_all(files, spool, steps, report, alphabet, refuse_other_kind, IdLedger())
            if letters is not None:
                letters.read_into(spool, steps)
            _write(file, spool, name, steps, report, about)
        del spool  # and what it holds of every record, before the file is opened
        steps.check()


def _packing(packed: bool, older: Older | None) -> Finish | None:
    """Return the writer of a packed file, if the file is to be packed."""
    return partial(pack_file, older=older) if packed else None


@contextmanager
def built_first(target: Path, finish: Finish | None) -> Iterator[Path]:
    """Yield the path to write to: a temporary file in the folder of the target if a packed file is made from it."""
    if finish is None:
        yield target
        return
    with staged(target, DatabaseError) as first:
        yield first
        finish(first, target)


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
    packed: bool = False,
    older: Older | None = None,
    finish: Finish | None = None,
) -> EncodedDatabase:
    """Build a database file from records as they come, streaming; with a second track if they have one.

    Parameters
    ----------
    records : iterable of SequenceRecord
        Cleaned. If one has letters, all have, of one alphabet. An older file stays as it is after an error.
    out : path
        Replaced when the new file is complete.
    sources : sequence of paths
        What the file says it was made of.
    structures : StructureSources, optional
        The same as it was given, where the records are of structures.
    cancel, organisms, packed, older, finish
        As for `build_database`.

    Raises
    ------
    DatabaseError, SequenceError
        If there is no record, one lacks letters that others have, or the file cannot be written.
    """
    report, target = report if report is not None else ReadReport(), Path(out)
    steps = Steps(sources, None, cancel)
    about = OrganismSource(organisms, steps.check) if organisms else None
    with ExitStack() as stack:
        built = stack.enter_context(built_first(target, finish))
        file = stack.enter_context(
            whole_file(stack.enter_context(built_first(built, _packing(packed, older))), DatabaseError)
        )
        with Spool(target) as spool:
            for record in records:
                spool.add(record, alphabet)
                report.records += 1
                report.residues += len(record.residues)
            report.alphabet = alphabet if len(spool) else None
            _write(file, spool, printable(name or target.name.removesuffix(SUFFIX)), steps, report, about, structures)
        del spool
    return opened_as_written(target)


def opened_as_written(target: Path) -> EncodedDatabase:
    """Open a file that was just written, whose checksums need not be compared; a packed one block by block."""
    remember_written(target)
    return open_database(target, in_blocks=True)


@dataclass(frozen=True, slots=True)
class LetterFile:
    """A file with a letter for every residue of other files, as FASTA or another format of sequences."""

    path: str | os.PathLike[str]  # its records have the identifiers of the residues, in any order
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
    organisms: OrganismFiles | None = None,
    letters: LetterFile | None = None,
) -> list[Path]:
    """Return the files with sequences; `InvalidParameter` if `out` is one of those that are read."""
    if letters is not None:
        keep_inputs(out, [("letters", letters.path)])
    if organisms and organisms.table:
        keep_inputs(out, [("list of organisms", organisms.table)])
    for given in sources:
        keep_inputs(out, [("sequences", file) for file in source_files(given)])
    return sources_of(sources)


def _write(
    file: IO[bytes],
    spool: Spool,
    name: str,
    steps: Steps,
    report: ReadReport,
    about: OrganismSource | None = None,
    structures: StructureSources | None = None,
) -> None:
    """Write the sorted records with the facts about them."""
    steps.check()
    kind = spool.finish(report.alphabet)
    writer = DatabaseWriter(file)
    longest = spool.write_to(writer, steps)
    taxids = spool.taxids()
    if about is not None or taxids is not None:
        about_all = about or OrganismSource(NO_FILES, steps.check)
        ids, descriptions = (_stored_texts(writer, part) for part in ("id", "description"))
        _write_organisms(writer, about_all.assign(ids, descriptions, taxids))
    facts = _facts(name, kind, len(spool), spool.residues, longest)
    checksum = _content(writer, kind, steps.check)
    sources, said = tuple(steps.facts), about.files if about is not None else None
    facts = replace(facts, checksum=checksum, sources=sources, report=report_facts(report), organism_files=said)
    facts = replace(facts, columns=steps.columns.text())
    track = _track_facts(writer, spool.letters, spool.letters_file)
    writer.finish(replace(facts, track=track, structures=structures))


def _track_facts(writer: DatabaseWriter, alphabet: Alphabet | None, source: str = "") -> TrackFacts | None:
    """Return the facts of the header about the second track; None if there is none."""
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


def update_database(
    path: str | os.PathLike[str],
    *,
    sources: Sequence[str | os.PathLike[str]] = (),
    out: str | os.PathLike[str] | None = None,
    older: Older | None = None,
    report: ReadReport | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
) -> EncodedDatabase:
    """Build a database file again from the sources it was built from, or from those of a newer release.

    Parameters
    ----------
    sources : sequence of paths
        The newer release; those that the file names if empty.
    out : path, optional
        Written in place of the file itself.
    older : Older, optional
        What the file holds now, if it is packed: blocks with the same sequences are reused.

    Raises
    ------
    DatabaseError
        If the file does not say what it was built from, or a source is gone.
    SequenceError, Stopped
        As `build_database`; the older file stays as it is.
    """
    facts = database_facts(path)
    files = [Path(source) for source in sources] or [Path(source.path) for source in facts.sources]
    letters = LetterFile(facts.letters_file, facts.letters) if facts.letters is not None else None
    if not files or (letters is not None and not letters.path):
        raise DatabaseError(str(path), f"'{Path(path).name}' does not name its sources.", hint=_REBUILD_HINT)
    check_sources(path, ([] if sources else files) + ([] if letters is None else [Path(letters.path)]))
    merges = facts.packed is not None and facts.packed.merged > 0
    return build_database(
        files,
        out or path,
        alphabet=facts.alphabet,
        name=facts.name,
        report=report,
        progress=progress,
        cancel=cancel,
        refuse_other_kind=bool(sources),
        organisms=facts.organism_files,
        letters=letters,
        packed=facts.packed is not None,
        columns=Columns.read(facts.columns),
        older=None if merges else older,
        finish=partial(merge_identical, older=older) if merges else None,
    )


def check_sources(path: str | os.PathLike[str], needed: Sequence[Path]) -> None:
    """Raise `DatabaseError` if one of the files or folders that a database was built from is not there."""
    if missing := next((source for source in needed if not source.exists()), None):
        raise DatabaseError(
            str(path), f"'{missing}', from which '{Path(path).name}' was built, is gone.", hint=_REBUILD_HINT
        )


def _facts(name: str, alphabet: Alphabet, sequences: int, residues: int, longest: int) -> HeaderFacts:
    return replace(described(name, alphabet), sequences=sequences, residues=residues, longest=longest)


def _content(writer: DatabaseWriter, alphabet: Alphabet, watch: Callable[[], None] | None = None) -> str:
    writer.file.flush()
    readers = {name: SectionReader(writer.file, section, watch) for name, section in writer.sections.items()}
    return content_of(readers, alphabet)
