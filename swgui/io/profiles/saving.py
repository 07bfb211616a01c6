"""Alignments and profiles into files: the format by the ending, a file for each query and round."""

from __future__ import annotations

import re
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
    return tuple(one for one in FORMATS if (one.write_alignment if content == "alignment" else one.write))


def format_for(path: str, content: Content, option: str) -> ProfileFormat:
    """Return the format of a file by its ending.

    Raises
    ------
    InvalidParameter
        If no format has it.
    """
    formats = written_formats(content)
    for one in formats:
        if path.lower().endswith(one.suffixes):
            return one
    endings = ", ".join(f"{one.suffixes[0]} ({one.name})" for one in formats)
    raise InvalidParameter(
        option, path, f"The ending of '{path}' is not that of a format of {content}s.", hint=f"It may be {endings}."
    )


def file_names(path: str, ids: Sequence[str], rounds: int = 0) -> list[list[Path]]:
    """Return the files of every query, one for each round if the name asks for it (`ROUND`).

    With several queries the id of each stands before the ending, and a number where two ids would be one name:
    ``family.a3m`` becomes ``family.P69905.a3m``.

    Parameters
    ----------
    rounds : int
        Rounds at most.
    """
    names: list[list[Path]] = []
    used: dict[str, int] = {}
    for identifier in ids:
        place = Path(path)
        if len(ids) > 1:
            name = _ODD.sub("_", identifier)[:_LONGEST].strip(".") or "query"
            used[name.lower()] = used.get(name.lower(), 0) + 1
            name += f"_{used[name.lower()]}" if used[name.lower()] > 1 else ""
            place = place.with_name(f"{place.stem}.{name}{place.suffix}")
        several = range(1, rounds + 1) if ROUND in place.name else (0,)
        names.append([place.with_name(place.name.replace(ROUND, str(number))) for number in several])
    return names
