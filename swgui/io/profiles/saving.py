"""Alignments and profiles into files: the format by the ending, a file for each query and round."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from swgui.core.errors import InvalidParameter
from swgui.io.profiles.base import ProfileFormat
from swgui.io.profiles.formats import FORMATS

ROUND: Final = "{round}"  # in the name of a file: one for every round
_ODD: Final = re.compile(r"[^\w.+-]+")
_LONGEST: Final = 60  # characters of an id in the name of a file

Content = Literal["alignment", "profile"]


def written_formats(content: Content) -> tuple[ProfileFormat, ...]:
    """Return the formats in which alignments, or profiles, are written."""
    return tuple(form for form in FORMATS if (form.write_alignment if content == "alignment" else form.write))


def format_for(path: str, content: Content, option: str) -> ProfileFormat:
    """Return the format of a file by its ending.

    Raises
    ------
    InvalidParameter
        If no format has it.
    """
    formats = written_formats(content)
    for form in formats:
        if path.lower().endswith(form.suffixes):
            return form
    endings = ", ".join(f"{form.suffixes[0]} ({form.name})" for form in formats)
    raise InvalidParameter(
        option, path, f"The ending of '{path}' is not that of a format of {content}s.", hint=f"It may be {endings}."
    )


def file_names(path: str, ids: Sequence[str], rounds: int = 0) -> list[list[Path]]:
    """Return the files of every query, one for each round if the name asks for it (`ROUND`).

    With several queries the id of each stands before the ending: ``family.a3m`` becomes ``family.P69905.a3m``. An id
    that would be the name of an earlier query, also where case does not count, has the first number that is free.

    Parameters
    ----------
    rounds : int
        Rounds at most.
    """
    place = Path(path)
    names = _free_names(ids) if len(ids) > 1 else [""] * len(ids)
    several = range(1, rounds + 1) if ROUND in place.name else (0,)
    files: list[list[Path]] = []
    for name in names:
        file = f"{place.stem}.{name}{place.suffix}" if name else place.name
        files.append([place.with_name(file.replace(ROUND, str(number))) for number in several])
    return files


def _free_names(ids: Sequence[str]) -> list[str]:
    """Return a part of a file name for each id, no two alike on any file system."""
    names: dict[str, str] = {}  # by what a file system takes for one name
    numbers: dict[str, int] = {}
    for identifier in ids:
        base = name = _ODD.sub("_", identifier)[:_LONGEST].strip(".") or "query"
        key = _folded(base)
        while _folded(name) in names:
            numbers[key] = numbers.get(key, 1) + 1
            name = f"{base}_{numbers[key]}"
        names[_folded(name)] = name
    return list(names.values())


def _folded(name: str) -> str:
    """Return a key under which a file system may take names for one: case and Unicode forms removed."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
