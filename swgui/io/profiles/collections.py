"""Files that hold many alignments or profiles, and folders of such files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Final

from swgui.core.errors import ProfileError
from swgui.core.scoring import ScoringScheme
from swgui.io.profiles.alignments import is_stockholm
from swgui.io.profiles.formats import FORMATS, LARGEST, StartingPoint, start_of
from swgui.io.profiles.hmmer import is_hmm
from swgui.io.sequences.sources import open_file

_END: Final = "//"  # the line behind each model of HMMER, and each alignment in Stockholm format
_NEXT: Final = "\0"  # between the alignments of A3M, in databases of HH-suite and files of ColabFold
_PACKED: Final = (".gz", ".xz", ".zst", ".bz2")


def collection_files(sources: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the files of sources: those that are named, and in folders those whose endings are of profiles.

    Raises
    ------
    ProfileError
        If a folder holds none.
    """
    endings = tuple(suffix for form in FORMATS for suffix in form.suffixes)
    files: list[Path] = []
    for source in map(Path, sources):
        if not source.is_dir():
            files.append(source)
            continue
        inside = [place for place in sorted(source.iterdir()) if _bare(place).endswith(endings) and place.is_file()]
        if not inside:
            raise ProfileError(
                f"The folder '{source.name}' has no file of an alignment or of profiles.",
                hint=f"Their names end in {', '.join(endings)}.",
            )
        files += inside
    return files


def _bare(place: Path) -> str:
    name = place.name.lower()
    return next((name.removesuffix(ending) for ending in _PACKED if name.endswith(ending)), name)


def read_collection(path: str | os.PathLike[str], scheme: ScoringScheme) -> Iterator[StartingPoint]:
    """Yield the alignments and profiles of a file in any format, which its content tells; it may be packed.

    Several are read of Stockholm and HMMER3 files, and of A3M files with a zero byte between them.

    Parameters
    ----------
    scheme : ScoringScheme
        As for `read_start`.

    Raises
    ------
    SequenceError, ProfileError, AlphabetMismatch
        As `read_start`.
    """
    place = Path(path)
    with open_file(place) as source:
        for line, text in _entries(source.text(), place.name):
            yield start_of(text, place.name, scheme, line)


def _entries(lines: Iterable[str], name: str) -> Iterator[tuple[int, str]]:
    """Yield each alignment or model of a text, with the line that it begins at; an empty text as itself."""
    stream, before = iter(lines), 0
    first = ""
    for first in stream:
        before += 1
        if first.strip("\ufeff \t\r\n"):
            break
    begun = first.lstrip("\ufeff \t\r\n")
    rest = chain([begun], stream)
    ended = is_hmm(begun) or is_stockholm(begun)
    found = False
    for line, text in _until_lines(rest, before, name) if ended else _until_zeros(rest, before, name):
        if text.strip("\0 \t\r\n"):
            found = True
            yield line, text
    if not found:
        yield 1, ""


def _until_lines(lines: Iterable[str], first: int, name: str) -> Iterator[tuple[int, str]]:
    part: list[str] = []
    begin = size = 0
    for number, line in enumerate(lines, max(first, 1)):
        begin = begin if part else number
        part.append(line)
        size = _checked(size + len(line), name)
        if line.rstrip() == _END:
            yield begin, "".join(part)
            part, size = [], 0
    yield begin, "".join(part)


def _until_zeros(lines: Iterable[str], first: int, name: str) -> Iterator[tuple[int, str]]:
    part: list[str] = []
    begin, size = max(first, 1), 0
    for number, line in enumerate(lines, begin):
        *ended, last = line.split(_NEXT)
        for text in ended:
            yield begin, "".join([*part, text])
            part, size, begin = [], 0, number
        part.append(last)
        size = _checked(size + len(last), name)
    yield begin, "".join(part)


def _checked(size: int, name: str) -> int:
    if size > LARGEST:
        raise ProfileError(f"'{name}' has an alignment or a profile of more than 512 MiB.", hint="Leave it out.")
    return size
