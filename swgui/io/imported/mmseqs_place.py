"""Where an MMseqs2 database is: by its name as MMseqs2 takes it, or by any of its files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from swgui.io.opening import is_file

HEADERS: Final = "_h"  # behind the name: titles, a database of their own
_ENDINGS: Final = (".index", ".dbtype", ".lookup", ".source", "_mapping", "_taxonomy")


@dataclass(frozen=True, slots=True)
class MmseqsDatabase:
    """An MMseqs2 database that is there."""

    what: ClassVar[str] = "an MMseqs2 database"
    name: Path  # as MMseqs2 takes it
    file: Path  # its index; stands for it in lists

    def files(self) -> list[Path]:
        """Return its files."""
        names = [self.name.name + part for part in ("", *_ENDINGS)]
        titles = [self.name.name + HEADERS + part for part in ("", *_ENDINGS)]
        beside = {*names, *titles}
        return sorted(
            path for path in self.name.parent.iterdir() if path.name in beside or _is_piece(self.name.name, path.name)
        )


def _is_piece(name: str, other: str) -> bool:
    base, _, number = other.rpartition(".")
    return number.isdecimal() and base in (name, name + HEADERS)


def find_mmseqs_database(path: str | os.PathLike[str]) -> MmseqsDatabase | None:
    """Return the MMseqs2 database that a path means: its name, or one of its files; None if it means none."""
    place = Path(path)
    names = [place.name, *(place.name.removesuffix(ending) for ending in _ENDINGS if place.name.endswith(ending))]
    names += [name.removesuffix(HEADERS) for name in names if name.endswith(HEADERS)][::-1]
    for name in filter(None, reversed(names)):
        if all(is_file(place.with_name(name + part)) for part in (".index", ".dbtype", f"{HEADERS}.index")):
            return MmseqsDatabase(place.with_name(name), place.with_name(f"{name}.index"))
    return None
