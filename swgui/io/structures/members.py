"""The structure files that folders, tar archives and names of files stand for."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from swgui.core.errors import SequenceError, reason_of
from swgui.core.plain import replace
from swgui.io.structures.naming import Choice, chosen, is_archive_name, is_structure_name, stem
from swgui.io.unpacking import Bomb, Damaged, packing_of

_HEAD: Final = 32  # bytes that tell how an archive is packed
LARGEST: Final = 1 << 30  # bytes of one structure, unpacked: it is held in memory as a whole


def check_size(size: int, name: str) -> None:
    """Raise `SequenceError` if a structure of this many bytes is not read."""
    if size > LARGEST:
        message = f"'{name}' is larger than {LARGEST >> 20:,} MB, as no structure is."
        raise SequenceError(message, path=name, hint="Give its parts as files of their own.")


@dataclass(frozen=True, slots=True)
class Member:
    """One structure file, where it lies."""

    name: str  # of the file, without folders
    path: Path  # it, or the archive that holds it
    size: int  # bytes
    changed: int  # when it was last changed, in nanoseconds; that of the archive
    offset: int = -1  # where it begins in an archive that is not packed; -1 for a file by itself
    data: bytes | None = None  # its content, where it comes from a packed archive
    choice: Choice | None = None  # a chain or a model of it

    @property
    def key(self) -> str:
        """Marks that tell this file from others, and from itself before a change."""
        part = f"{self.choice.model}/{self.choice.chain}" if self.choice else ""
        return f"{self.path}\t{self.name}\t{part}\t{self.size}\t{self.changed}"

    def read(self) -> bytes:
        """Return its content, packed as it is; `OSError` if that fails, `SequenceError` if it is too large."""
        if self.data is not None:
            return self.data
        check_size(self.size, self.name)
        with open(self.path, "rb") as file:
            if self.offset >= 0:
                file.seek(self.offset)
                return file.read(self.size)
            return file.read()


def members(sources: Iterable[str | os.PathLike[str]], left_out: Callable[[str], None]) -> Iterator[Member]:
    """Yield the structures of sources, in the order of their names within each.

    Parameters
    ----------
    sources : iterable of paths
        Folders (with those inside them), tar archives, files, and ``FILE:CHAIN``.
    left_out : callable
        Told in a sentence what is passed over: a model that is there in two formats, an archive that ends too early.

    Raises
    ------
    SequenceError
        If a source is not there.
    """
    for source in sources:
        place = Path(source)
        if place.is_dir():
            yield from _without_twins(_of_folder(place), left_out)
        elif is_archive_name(place) and place.is_file():
            yield from _without_twins(_of_archive(place, left_out), left_out)
        else:
            yield _of_file(chosen(source))


def _of_file(choice: Choice) -> Member:
    try:
        facts = choice.path.stat()
    except (OSError, ValueError):
        message = f"There is no structure file '{choice.path}'."
        raise SequenceError(message, path=str(choice.path), hint="Check its name and its folder.") from None
    part = choice if choice.chain or choice.model else None
    return Member(choice.path.name, choice.path, facts.st_size, facts.st_mtime_ns, choice=part)


def _of_folder(folder: Path) -> Iterator[Member]:
    for top, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(top, name)
            if is_structure_name(name) and path.is_file():
                facts = path.stat()
                yield Member(name, path, facts.st_size, facts.st_mtime_ns)


def _of_archive(path: Path, left_out: Callable[[str], None]) -> Iterator[Member]:
    """Yield the structures of a tar archive; those of a packed one with their content."""
    changed = path.stat().st_mtime_ns
    try:
        with open(path, "rb") as file:
            packing = packing_of(file.peek(_HEAD)[:_HEAD])
            mode: Literal["r|", "r:"] = "r|" if packing else "r:"
            with tarfile.open(fileobj=packing.opened(file) if packing else file, mode=mode) as archive:
                for entry in archive:
                    if entry.isfile() and is_structure_name(entry.name):
                        member = Member(Path(entry.name).name, path, entry.size, changed, entry.offset_data)
                        yield member if packing is None else _taken_out(member, archive, entry)
                    archive.members = []  # type: ignore[attr-defined]  # or every entry would stay in memory
    except Bomb as fault:
        left_out(f"'{path.name}' {fault}; the rest of the archive is left out.")
    except (tarfile.TarError, EOFError, OSError, Damaged) as fault:
        left_out(f"'{path.name}' is no whole tar archive and cannot be read to its end ({reason_of(fault)}).")


def _taken_out(member: Member, archive: tarfile.TarFile, entry: tarfile.TarInfo) -> Member:
    """Return a structure of a packed archive with its content; without it if it is too large to be read."""
    file = archive.extractfile(entry) if entry.size <= LARGEST else None
    return replace(member, offset=-1, data=file.read() if file is not None else None)


def _without_twins(members: Iterator[Member], left_out: Callable[[str], None]) -> Iterator[Member]:
    """Pass on the first of the files that are called alike but for their format: AlphaFold's archives hold both."""
    seen: set[int] = set()
    for member in members:
        key = hash((member.path.parent if member.offset < 0 else None, stem(member.name)))
        if key in seen:
            left_out(f"'{member.name}' is there in another format, too; it is left out.")
            continue
        seen.add(key)
        yield member
