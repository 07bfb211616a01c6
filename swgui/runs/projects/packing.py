"""A project as one file that is sent to others (ZIP), and the folder of such a file; hostile files are refused."""

from __future__ import annotations

import os
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Final, NamedTuple

from swgui import paths
from swgui.core.errors import SwguiError
from swgui.core.plain import replace
from swgui.core.words import count, file_size
from swgui.io.outputs import keep_inputs
from swgui.io.whole_file import staged, whole_file
from swgui.paths import PROJECT
from swgui.runs.projects.folder import FilePart, Project
from swgui.runs.projects.record import (
    DATABASES,
    RUNS,
    TABLES,
    ProjectError,
    record_of,
    written_record,
)

SUFFIX: Final = ".zip"
FOLDERS: Final = (RUNS, TABLES, DATABASES)
MAX_FILES: Final = 100_000
MAX_RATIO: Final = 200  # unpacked bytes of a packed one: sequences and scores of real projects stay below 20
ALWAYS: Final = 64 << 20  # unpacked bytes for which no ratio is too large
_CHUNK: Final = 1 << 20
_STORED: Final = (".swgui", ".result", ".gz", ".zst", ".xz", ".bz2", ".xlsx", ".swnet")  # compressed already
_PLAIN: Final = re.compile(r'[^/\\:*?"<>|\x00-\x1f]+')  # names that every system takes
_DEVICES: Final = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")  # that are no files on Windows
_CALLED: Final = "It is no project that 'swgui project pack' made."


class Packed(NamedTuple):
    """Content of a packed project: files, bytes before packing, and the databases that were left out or not found."""

    files: int
    size: int
    named: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def sentences(self) -> list[str]:
        """The facts that the receiver has to know, a sentence each."""
        said = [f"{count(self.files, 'file')}, {file_size(self.size)} before packing."]
        if self.named:
            said.append(f"Named by checksum and size, not included: {', '.join(self.named)}.")
        if self.missing:
            said.append(f"Not found here, so named alone: {', '.join(self.missing)}.")
        return said


def pack(project: Project, path: Path, *, databases: bool = False) -> Packed:
    """Write a project into one file, whole or not at all.

    Parameters
    ----------
    databases : bool
        Whether databases and files of sequences are included; otherwise they are named by checksum and size.

    Raises
    ------
    ProjectError
        If a run is active, a table is missing, or the file would lie in the project.
    InvalidParameter
        If the file is one of the inputs.
    FileNotWritten
        If it cannot be written.
    """
    parts = project.files()
    _check(project, path, parts)
    found = [part for part in parts if part.part == "database" and part.place is not None]
    included = _named(found) if databases else {}
    record = replace(project.facts, databases=tuple(part.wanted for part in parts if part.part == "database"))
    files = {f"{RUNS}/{file.name}": file for file in _visible(project.folder / RUNS)}
    files |= {f"{TABLES}/{one.name}": project.folder / TABLES / one.name for one in project.facts.tables}
    files |= {f"{DATABASES}/{name}": place for name, place in included.items()}
    with whole_file(path) as out, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        archive.writestr(PROJECT, written_record(record))
        for name, place in files.items():
            how = zipfile.ZIP_STORED if name.endswith(_STORED) else zipfile.ZIP_DEFLATED
            archive.write(place, name, how)
    size = sum(place.stat().st_size for place in files.values())
    places = set(included.values())
    named = tuple(part.wanted.name for part in found if part.place not in places)
    missing = tuple(part.wanted.name for part in parts if part.part == "database" and part.place is None)
    return Packed(len(files) + 1, size, named, missing)


def _check(project: Project, path: Path, parts: list[FilePart]) -> None:
    """Refuse to pack what is active or incomplete, and to write over what is packed."""
    for record in project.runs.list():
        if project.runs.files.active(record.id):
            message = f"The run '{record.name}' is active."
            raise ProjectError(project.folder, message, hint="Stop it, or wait until it has ended.")
    if lost := [part for part in parts if part.part == "table" and part.place is None]:
        raise ProjectError(project.folder, lost[0].said)
    if path.absolute().resolve().is_relative_to(project.folder.resolve()):
        raise ProjectError(path, f"'{path}' lies in the project itself.", hint="Choose another folder.")
    keep_inputs(path, [("database", part.place) for part in parts if part.place is not None])


def _visible(folder: Path) -> list[Path]:
    """Return the files of a folder, without links, folders, and files that are being written."""
    if not folder.is_dir():
        return []
    return sorted(
        place for place in folder.iterdir() if place.is_file() and not place.is_symlink() and place.name[0] != "."
    )


def _named(parts: list[FilePart]) -> dict[str, Path]:
    """Return the files to include, each under its name; a second one of a name gets a number."""
    named: dict[str, Path] = {}
    for part in parts:
        place = part.place
        if place is None or place in named.values():
            continue
        name, number = place.name, 2
        while name.casefold() in {known.casefold() for known in named}:
            name, number = f"{place.stem}-{number}{place.suffix}", number + 1
        named[name] = place
    return named


def unpack(path: Path, folder: Path) -> Project:
    """Make the folder of a project of a packed one, whole or not at all, and open it.

    Parameters
    ----------
    folder : Path
        A new folder.

    Raises
    ------
    ProjectError
        If the folder is there already or cannot be made; or if the file is no packed project, is damaged, or could do
        harm: names outside of the folder, links, more than it says or than the disk has room for.
    """
    target = folder.absolute()
    if target.exists():
        raise ProjectError(target, f"'{target}' is there already.", hint="Choose a new folder.")
    with _opened(path) as archive:
        members = _members(archive, path)
        needed = sum(member.file_size for member in members)
        try:
            paths.make_folder(target.parent)
            free = shutil.disk_usage(target.parent).free
            if needed > free:
                message = f"'{path.name}' needs {file_size(needed)}, and there are {file_size(free)} left."
                raise ProjectError(path, message, hint="Free some space or choose another folder.")
            with staged(target, lambda place, text, hint="": ProjectError(place, text, hint=hint)) as place:
                for member in members:
                    _extract(archive, member, place, path)
                record_of((place / PROJECT).read_bytes(), path)
                os.rename(place, target)
        except OSError as fault:
            if isinstance(fault, SwguiError):
                raise
            raise ProjectError(target, f"'{target}' cannot be made: {fault.strerror or fault}.") from fault
    return Project(target)


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a packed project; all that a damaged file raises becomes a sentence."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except FileNotFoundError as fault:
        if isinstance(fault, SwguiError):
            raise
        raise ProjectError(path, f"There is no file '{path}'.", hint="Check the name.") from fault
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, UnicodeError) as fault:
        message = f"'{path.name}' is damaged, or no packed project."
        raise ProjectError(path, message, hint="Have it sent again.") from fault
    except OSError as fault:
        if isinstance(fault, SwguiError):
            raise
        raise ProjectError(path, f"'{path}' cannot be read: {fault.strerror or fault}.") from fault


def _members(archive: zipfile.ZipFile, path: Path) -> list[zipfile.ZipInfo]:
    """Return the members of a packed project once every one was looked at; `ProjectError` if one could do harm."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) > MAX_FILES:
        raise _refused(path, f"{count(len(members), 'file')} are too many")
    names = set()
    for member in members:
        where = _where(member.filename)
        if where is None:
            raise _refused(path, f"its file '{member.filename[:80]!s}' would lie outside of a project")
        if stat.S_IFMT(member.external_attr >> 16) not in (0, stat.S_IFREG):
            raise _refused(path, f"its file '{where}' is a link or a device")
        if member.flag_bits & 1:
            raise _refused(path, f"its file '{where}' is encrypted")
        if str(where).casefold() in names:
            raise _refused(path, f"it has the file '{where}' twice")
        names.add(str(where).casefold())
    if PROJECT not in names:
        raise _refused(path, f"it has no '{PROJECT}'")
    unpacked, packed = (sum(getattr(one, size) for one in members) for size in ("file_size", "compress_size"))
    if unpacked > ALWAYS + MAX_RATIO * packed:
        raise _refused(path, f"its {file_size(packed)} would become {file_size(unpacked)}")
    return members


def _refused(path: Path, why: str) -> ProjectError:
    return ProjectError(path, f"'{path.name}' was not unpacked: {why}.", hint=_CALLED)


def _where(name: str) -> PurePosixPath | None:
    """Return the place of a member in the project; None if no member of a project is called so."""
    parts = name.split("/")
    known = parts == [PROJECT] or (len(parts) == 2 and parts[0] in FOLDERS)
    own = parts[-1]
    safe = _PLAIN.fullmatch(own) and not _DEVICES.fullmatch(own) and own[0] not in ".-" and own[-1] not in ". "
    return PurePosixPath(name) if known and safe and len(own.encode()) < 256 else None


def _extract(archive: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, path: Path) -> None:
    """Write one member into a folder; `ProjectError` if it has more bytes than it says."""
    place = folder.joinpath(*PurePosixPath(member.filename).parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(member) as source, open(place, "xb") as target:
        left = _copied(source, target, member.file_size)
        if left < 0:
            raise _refused(path, f"its file '{member.filename}' has more bytes than it says")
        target.flush()
        os.fsync(target.fileno())


def _copied(source: IO[bytes], target: IO[bytes], size: int) -> int:
    """Copy at most so many bytes; return how many are left, negative if there are more."""
    left = size
    while some := source.read(_CHUNK):
        left -= len(some)
        if left < 0:
            return left
        target.write(some)
    return left
