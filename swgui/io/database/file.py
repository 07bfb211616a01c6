"""Database files: open, describe, check; `swgui.io.database.build` makes them."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.database import (
    ArrayDatabase,
    EncodedDatabase,
    LetterTrack,
    TextColumn,
    content_checksum,
    content_digest,
)
from swgui.core.errors import DatabaseError, Stopped
from swgui.core.records import Remark
from swgui.core.subject_kind import SubjectProfiles
from swgui.core.words import printable
from swgui.io.database.facts import (
    WITH_PROFILES,
    HeaderFacts,
    PackedFacts,
    ProfileFacts,
    ReportFacts,
    SourceFacts,
    StructureSources,
)
from swgui.io.database.features import features_of, places_of
from swgui.io.database.format import (
    INDEX_SECTIONS,
    KNOWN,
    PACKED,
    SUFFIX,
    Digest,
    Header,
    SectionReader,
    damaged_section,
    index_is_sound,
    letters_of,
    map_sections,
    read_header,
)
from swgui.io.database.organisms import organisms_of
from swgui.io.opening import open_to_read
from swgui.io.organism_files import OrganismFiles
from swgui.io.read_report import ReadReport

T = TypeVar("T")

__all__ = [
    "SUFFIX",
    "DatabaseFacts",
    "check_database",
    "content_of",
    "database_facts",
    "open_database",
    "stored_report",
]


class DatabaseFacts(msgspec.Struct, frozen=True):
    """The facts of a database file, without opening its sections."""

    path: Path
    name: str
    alphabet: Alphabet
    sequences: int
    residues: int
    longest: int
    checksum: str  # of the content, as in `EncodedDatabase`
    made: str  # local time, ISO 8601
    program: str  # name and version of the program that made it
    sources: tuple[SourceFacts, ...]
    format: str  # format of the sources
    counts: Mapping[str, int]  # what the reader changed, by kind of remark
    size: int  # bytes of the file
    organism_files: OrganismFiles | None = None  # what said of organisms when it was built
    letters: Alphabet | None = None  # of the second track, if it has one
    letters_file: str = ""  # the file those letters are of; empty where they came with the sequences
    structures: StructureSources | None = None  # of structures it was made of
    columns: str = ""  # what the columns of Parquet files hold
    packed: PackedFacts | None = None  # what a packed file says besides
    profiles: str | None = None  # how the profiles of a database of profiles were made
    release: str = ""  # name of the newest release in a packed file


def open_database(path: str | os.PathLike[str], *, in_blocks: bool = False) -> EncodedDatabase:
    """Open a database file, memory-mapped: quick however many residues it has.

    A packed one is read into memory if it takes no more than half of that, else searched block by block; with
    `in_blocks` in any case.

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
        if header.version == PACKED:
            from swgui.io.database.packed.opening import open_packed  # here, as below: most files are not packed

            return open_packed(path, in_blocks=in_blocks)
        arrays = map_sections(file, header, str(path))
    facts = header.facts
    return ArrayDatabase(
        name=printable(facts.name),
        alphabet=alphabet_by_name(facts.alphabet),
        codes=arrays["codes"],
        offsets=arrays["offsets"],
        order=arrays["order"],
        ids=TextColumn(arrays["ids"], arrays["id_offsets"]),
        descriptions=TextColumn(arrays["descriptions"], arrays["description_offsets"]),
        checksum=_checksum(facts),
        stored_organisms=_optional(organisms_of, arrays, header, str(path)),
        feature_texts=_optional(features_of, arrays, header, str(path)),
        places=_optional(places_of, arrays, header, str(path)),
        track=LetterTrack(alphabet_by_name(facts.track.alphabet), arrays["letters"], facts.track.checksum)
        if facts.track
        else None,
        profiles=_optional(_profiles(facts.profiles), arrays, header, str(path)) if facts.profiles else None,
    )


def _profiles(facts: ProfileFacts) -> Callable[[Mapping[str, NDArray[Any]], int], SubjectProfiles | None]:
    from swgui.io.database.profiles import profiles_of  # here: few databases are of profiles

    return lambda arrays, _: profiles_of(arrays, arrays["offsets"], facts)


def _checksum(facts: HeaderFacts) -> str:
    """Return the checksum of a database: of its sequences, and of its profiles where it has any."""
    return facts.checksum + (f"{WITH_PROFILES}{facts.profiles.checksum}" if facts.profiles is not None else "")


def _optional(
    read: Callable[[Mapping[str, NDArray[Any]], int], T | None],
    arrays: Mapping[str, NDArray[Any]],
    header: Header,
    path: str,
) -> T | None:
    """Return the content of optional sections, read by the module that knows them; None if they are missing."""
    try:
        return read(arrays, header.facts.sequences)
    except ValueError as fault:
        raise damaged_section(path, str(fault)) from None


def mapped_file(database: EncodedDatabase) -> Path | None:
    """Return the database file that a database was opened from, None if it is of none."""
    database = database.whole or database
    if database.ids.file is not None:
        return database.ids.file
    array: Any = database.ids.offsets
    while array is not None:
        if isinstance(array, np.memmap):
            return Path(array.filename) if array.filename else None
        array = getattr(array, "base", None)
    return None


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
        if header.version == PACKED:
            from swgui.io.database.packed.opening import check_packed

            return _facts_of(Path(path), check_packed(path, watch))
        readers = {name: SectionReader(file, header.sections[name], watch) for name in KNOWN if name in header.sections}
        _check_sections(readers, header, where)
        for name in INDEX_SECTIONS:  # what checksums cannot tell: that the writer of the file kept the rules
            if not index_is_sound(name, readers, header):
                raise damaged_section(where, name)
    return _facts_of(Path(path), header)


def _check_sections(readers: Mapping[str, SectionReader], header: Header, path: str) -> None:
    """Compare all checksums and look at every letter, reading each section once while the block before is hashed."""
    track = header.facts.track
    content = content_digest(alphabet_by_name(header.facts.alphabet))
    letters = content_digest(alphabet_by_name(track.alphabet)) if track is not None else None
    contents = {**dict.fromkeys(("codes", "offsets", "ids", "id_offsets"), content), "letters": letters}
    symbols = letters_of(header)
    with ThreadPoolExecutor(2, "swgui-digest") as pool:  # of each block one digest a thread, while the next is read
        for name, reader in readers.items():
            own = Digest()
            updates = [digest.update for digest in (own, contents.get(name)) if digest is not None]
            hashed: list[Future[None]] = []
            for block in reader.blocks():
                if name in symbols and int(block.max(initial=0)) >= symbols[name]:
                    raise damaged_section(path, name)
                for future in hashed:
                    future.result()
                hashed = [pool.submit(update, block.data) for update in updates]
            for future in hashed:
                future.result()
            if own.hex() != header.sections[name].checksum:
                raise damaged_section(path, name)
    if content.hexdigest() != header.facts.checksum:
        raise damaged_section(path, "checksum of the content")
    if track is not None and letters is not None and letters.hexdigest() != track.checksum:
        raise damaged_section(path, "checksum of the letters")


def database_facts(path: str | os.PathLike[str]) -> DatabaseFacts:
    """Read the facts in the header of a database file; quick.

    Raises
    ------
    DatabaseError
        As `open_database`.
    """
    with _opened(path) as file:
        header = read_header(file, str(path))
    return _facts_of(Path(path), header)


def header_facts(path: str | os.PathLike[str]) -> HeaderFacts:
    """Return the header of a database file; errors as of `database_facts`."""
    with _opened(path) as file:
        return read_header(file, str(path)).facts


def _facts_of(path: Path, header: Header) -> DatabaseFacts:
    facts, report = header.facts, header.facts.report or ReportFacts()
    return DatabaseFacts(
        path=path,
        name=facts.name,
        alphabet=alphabet_by_name(facts.alphabet),
        sequences=facts.sequences,
        residues=facts.residues,
        longest=facts.longest,
        checksum=_checksum(facts),
        made=facts.made,
        program=facts.program,
        release=facts.releases[-1].name if facts.releases else "",
        sources=facts.sources or (),
        format=report.format,
        counts=report.counts,
        size=header.size,
        organism_files=facts.organism_files,
        columns=facts.columns,
        letters=alphabet_by_name(facts.track.alphabet) if facts.track else None,
        letters_file=facts.track.source if facts.track else "",
        structures=facts.structures,
        packed=facts.packed,
        profiles=facts.profiles.made if facts.profiles is not None else None,
    )


def stored_report(path: str | os.PathLike[str]) -> ReadReport:
    """Return the report of the reading a database was built from (its first remarks, all counts)."""
    facts = header_facts(path)
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
    return open_to_read(Path(path), "a database", DatabaseError)


def content_of(readers: Mapping[str, SectionReader], alphabet: Alphabet) -> str:
    """Return the content checksum of sections on disk; they are sliced in blocks like arrays."""
    array_like = {name: cast("NDArray[Any]", reader) for name, reader in readers.items()}
    ids = TextColumn(array_like["ids"], array_like["id_offsets"])
    return content_checksum(alphabet, array_like["codes"], array_like["offsets"], ids)
