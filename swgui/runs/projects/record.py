"""The record of a project: a small JSON file that names what belongs to it. Its keys are in users' files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Final

import msgspec

from swgui.core.errors import SwguiError
from swgui.core.plain import from_plain, plain
from swgui.io.database.file import database_facts
from swgui.io.database.format import SUFFIX
from swgui.io.whole_file import whole_file
from swgui.paths import PROJECT, beside_project
from swgui.runs.records import NeededFile

FORMAT: Final = "swgui project 1"
RUNS, TABLES, DATABASES = "runs", "tables", "databases"  # folders of a project
OF_FILE: Final = "sha256:"  # before the checksum of a file, where it is not that of residues
_CHUNK: Final = 1 << 20


class ProjectError(SwguiError, OSError):
    """A project that cannot be made, read, packed or unpacked; ``path`` names its folder or file."""

    def __init__(self, path: str | Path, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = str(path)


class ProjectFacts(msgspec.Struct, frozen=True):
    """The facts of a project apart from its runs and marks.

    Parameters
    ----------
    name : str
        For people.
    made : str
        When; local time, ISO 8601.
    note : str
        The user's text on the whole project.
    databases : tuple of NeededFile
        Databases and files of sequences that were added; those that runs refer to are known from the runs.
    tables : tuple of NeededFile
        Tables of the user's own, which lie in the folder of tables.
    """

    name: str
    made: str
    note: str = ""
    databases: tuple[NeededFile, ...] = ()
    tables: tuple[NeededFile, ...] = ()
    format: str = FORMAT


def read_record(folder: Path) -> ProjectFacts:
    """Read the record of a project.

    Raises
    ------
    ProjectError
        If the folder is no project, or its record is damaged.
    """
    path = folder / PROJECT
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        hint = "'swgui project make FOLDER' and File › Project make one."
        raise ProjectError(
            folder, f"'{folder}' is no project: there is no file '{PROJECT}' in it.", hint=hint
        ) from None
    except OSError as fault:
        raise ProjectError(folder, f"'{path}' cannot be read: {fault.strerror or fault}.") from fault
    return record_of(content, path)


def record_of(content: bytes, path: Path) -> ProjectFacts:
    """Return the record in the bytes of a file; `ProjectError` if it is damaged."""
    try:
        facts = from_plain(ProjectFacts, json.loads(content))
    except (ValueError, RecursionError) as fault:
        hint = "Restore it from a copy of the project. Runs and notes are in files of their own."
        raise ProjectError(path, f"The record '{path}' of the project is damaged.", hint=hint) from fault
    if facts.format != FORMAT:
        message = f"'{path}' has the form '{facts.format[:40]}', which this version does not know."
        raise ProjectError(path, message, hint="Update swgui.")
    return facts


def written_record(facts: ProjectFacts) -> bytes:
    """Return the bytes of a record."""
    return json.dumps(plain(facts), ensure_ascii=False, indent=1).encode()


def write_record(folder: Path, facts: ProjectFacts) -> None:
    """Write the record of a project, whole or not at all; `FileNotWritten` if that fails."""
    with whole_file(folder / PROJECT) as file:
        file.write(written_record(facts))


def described_file(path: Path) -> NeededFile:
    """Return the facts of a file by which it is found again.

    Raises
    ------
    DatabaseError, OSError
        If it cannot be read.
    """
    place = path.absolute()
    return NeededFile(place.name, str(place), checksum_of(place), place.stat().st_size)


def checksum_of(path: Path) -> str:
    """Return the checksum of the residues of a database file, and of any other file the one of its bytes."""
    if path.suffix == SUFFIX:
        return database_facts(path).checksum
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while some := file.read(_CHUNK):
            digest.update(some)
    return f"{OF_FILE}{digest.hexdigest()}"


def find_file(wanted: NeededFile, project: Path) -> Path | None:
    """Return where a file of a project is: where it was, or next to the project; None if it is nowhere."""
    places = [Path(wanted.path)] if wanted.path and "\0" not in wanted.path else []
    for name in dict.fromkeys((wanted.path, wanted.name)):
        places += beside_project(name, project)
    return next((place for place in places if place.is_file() and is_file_of(wanted, place)), None)


def is_file_of(wanted: NeededFile, place: Path) -> bool:
    """Whether a file can be the one that is wanted: of its size and, where that is quick to compare, its content."""
    try:
        if place.suffix == SUFFIX:
            return not wanted.checksum or database_facts(place).checksum == wanted.checksum
        if wanted.size and place.stat().st_size != wanted.size:
            return False
        return not wanted.checksum.startswith(OF_FILE) or checksum_of(place) == wanted.checksum
    except (SwguiError, OSError):
        return False
