"""The databases at hand: the user's list, and what was converted.

Programs running at the same time do no harm to each other: every file here is written whole and replaced at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from swgui import paths
from swgui.core.alphabet import Alphabet
from swgui.core.errors import DatabaseError, SwguiError
from swgui.core.plain import replace
from swgui.io.database.any_file import database_files, open_any_database
from swgui.io.database.conversions import (
    cache_folder,
    conversions,
    forget_conversion,
    note_name,
    read_note,
    write_note,
)
from swgui.io.database.facts import SourceFacts
from swgui.io.database.file import DatabaseFacts, database_facts
from swgui.io.database.format import SUFFIX
from swgui.io.database.named import site_folders, user_folder
from swgui.io.unpacking import plain_name

__all__ = [
    "KnownDatabase",
    "LostDatabase",
    "cache_folder",
    "database_files",
    "forget_database",
    "lost_databases",
    "open_any_database",
    "remember_database",
    "user_databases",
    "user_folder",
]


@dataclass(frozen=True, slots=True)
class KnownDatabase:
    """One line of the list of databases."""

    path: Path  # what `open_any_database` takes: a ``.swdb`` file, or the source of a converted one
    file: Path  # the ``.swdb`` file itself; in the cache if `path` is a sequence file
    name: str
    sequences: int
    residues: int
    longest: int
    alphabet: Alphabet
    made: str  # local time, ISO 8601
    checksum: str  # of the content, as in `EncodedDatabase`
    size: int  # bytes on disk of the database file
    sources: tuple[Path, ...] = ()  # files it was made from
    outdated: bool = False  # whether a source changed since
    profiles: bool = False  # whether it is a database of profiles
    shared: bool = False  # whether it is one of the site, which its users only read


@dataclass(frozen=True, slots=True)
class KnownNote:
    """A database file on the user's list."""

    path: str
    hidden_mtime_ns: int | None = None  # time of change of the file when it left the list; None if it is on it


@dataclass(frozen=True, slots=True)
class LostDatabase:
    """A database file on the user's list that is gone or cannot be read."""

    path: Path
    error: DatabaseError  # why


def site_databases() -> Iterator[KnownDatabase]:
    """Databases in the folders of the site; of one name the first, which is found by that name."""
    names = set()
    for path in (path for folder in site_folders() for path in sorted(folder.glob(f"*{SUFFIX}"))):
        if path.stem in names:
            continue
        names.add(path.stem)
        with suppress(DatabaseError):
            yield replace(_known(path, database_facts(path)), shared=True)


def user_databases() -> list[KnownDatabase]:
    """List the databases at hand: of the user's folder, remembered ones, converted files, and those of the site.

    Files that cannot be opened are left out; `lost_databases` says why.
    """
    databases: dict[Path, KnownDatabase] = {}
    for path in _listed():
        with suppress(DatabaseError):
            databases[path] = _known(path, database_facts(path))
    for entry in _converted():
        databases.setdefault(entry.path, entry)
    databases |= {entry.path: entry for entry in site_databases()}
    return sorted(databases.values(), key=lambda entry: (entry.name.lower(), str(entry.path)))


def lost_databases() -> list[LostDatabase]:
    """List the database files of the user's list that are gone or cannot be read."""
    lost = []
    for path in _listed():
        try:
            database_facts(path)
        except DatabaseError as error:
            lost.append(LostDatabase(path, error))
    return lost


def _listed() -> list[Path]:
    """Return the files of the user's folder, of the project in use, and the remembered ones, but those removed."""
    notes = dict(_notes())
    files = {*user_folder().glob(f"*{SUFFIX}"), *notes}
    if (project := paths.project_dir()) is not None:
        files |= {*(project / "databases").glob(f"*{SUFFIX}")}
    return sorted(path for path in files if not notes.get(path, False))


def _known(path: Path, facts: DatabaseFacts) -> KnownDatabase:
    sources = tuple(Path(source.path) for source in facts.sources)
    outdated = any(source.changed() for source in facts.sources)
    return KnownDatabase(
        path=path,
        file=facts.path,
        name=facts.name,
        sequences=facts.sequences,
        residues=facts.residues,
        longest=facts.longest,
        alphabet=facts.alphabet,
        made=facts.made,
        checksum=facts.checksum,
        size=facts.size,
        sources=sources,
        outdated=outdated,
        profiles=facts.profiles is not None,
    )


def _converted() -> Iterator[KnownDatabase]:
    """Sequence files that were opened as databases and are still there."""
    for note in (note for note in conversions() if note.listed):
        path = Path(note.path)
        try:
            if not path.is_file():
                continue
            entry = _known(path, database_facts(note.database))
        except (DatabaseError, OSError, ValueError):
            continue
        outdated = SourceFacts(note.path, note.size, note.mtime_ns).changed()
        yield replace(entry, name=plain_name(path.name), sources=(path,), outdated=outdated)


def remember_database(path: str | os.PathLike[str]) -> None:
    """Put a database file from any folder on the list; no error if that cannot be written down."""
    _note(Path(os.path.abspath(path)))


def forget_database(path: str | os.PathLike[str]) -> None:
    """Take a database or a converted file off the list; no file of the user is touched."""
    place = Path(os.path.abspath(path))
    with suppress(OSError):
        _memory_of(place).unlink()
    if place.parent == Path(os.path.abspath(user_folder())):
        with suppress(OSError):  # everything in this folder is on the list unless a note says otherwise
            _note(place, place.stat().st_mtime_ns)
    forget_conversion(place)


def _note(place: Path, hidden_mtime_ns: int | None = None) -> None:
    with suppress(SwguiError, OSError):
        note = _memory_of(place)
        paths.make_folder(note.parent)
        write_note(note, KnownNote(str(place), hidden_mtime_ns))


def _memory_of(place: Path) -> Path:
    return user_folder() / "known" / note_name(place)


def _notes() -> Iterator[tuple[Path, bool]]:
    """Yield each file with a note, and whether the user removed it from the list and it was not built again."""
    for note in sorted((user_folder() / "known").glob("*.json")):
        entry = read_note(note, KnownNote)
        if entry is None:
            continue
        place, hidden = Path(entry.path), entry.hidden_mtime_ns is not None
        with suppress(OSError, ValueError):  # a file that is gone stays off the list
            hidden = hidden and place.stat().st_mtime_ns == entry.hidden_mtime_ns
        yield place, hidden
