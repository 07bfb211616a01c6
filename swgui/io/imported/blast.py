"""Where a BLAST database is: by its name as BLAST takes it, or by any of its files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.io.opening import is_file

FOLDERS: Final = "BLASTDB"  # environment variable with folders where databases are looked for
# What an index or an alias of either kind ends in; an alias comes first, as it stands for all volumes.
_ENTRANCES: Final = ((".pal", PROTEIN), (".nal", NUCLEOTIDE), (".pin", PROTEIN), (".nin", NUCLEOTIDE))
_PART: Final = re.compile(r"\.[pn](al|in|sq|hr|db|og|os|ot|tf|to|sd|si|nd|ni|pd|pi|hd|hi|js|jm)$")
ALIAS: Final = "al"


@dataclass(frozen=True, slots=True)
class BlastDatabase:
    """A BLAST database that is there."""

    what: ClassVar[str] = "a BLAST database"
    name: Path  # as BLAST takes it: without an ending
    kind: Alphabet
    file: Path  # its index or alias; stands for it in lists, and changes when it is made anew

    def files(self) -> list[Path]:
        """Return all files in the folder of its index or alias, those of its volumes too."""
        part = re.compile(re.escape(self.name.name) + r"(\.\d+)?" + _PART.pattern)
        return sorted(file for file in self.file.parent.iterdir() if part.fullmatch(file.name))


def find_blast_database(path: str | os.PathLike[str]) -> BlastDatabase | None:
    """Return the BLAST database that a path means: one of its files, or its name; None if it means none.

    A name is looked for in the folders of the environment variable `FOLDERS`, too.
    """
    place = Path(path)
    chosen = _PART.search(place.name)
    if chosen is None:
        try:
            if place.exists():  # a file of another kind, or a folder
                return None
        except (OSError, ValueError):
            return None
    name = place.with_name(place.name[: chosen.start()]) if chosen else place
    # A file of one kind means the database of that kind; "x.pin" and "x.nin" may lie side by side.
    letter = place.name[chosen.start() + 1] if chosen else "pn"
    for candidate in [name] if chosen else places_of(name):
        for ending, kind in _ENTRANCES:
            file = candidate.with_name(candidate.name + ending)
            if ending[1] in letter and is_file(file):
                return BlastDatabase(candidate, kind, file)
    return None


def places_of(name: Path, folder: Path | None = None) -> Iterator[Path]:
    """Yield the paths that a name may mean: in a folder (or here), and in those of `FOLDERS`."""
    yield folder / name if folder is not None else name
    if not name.is_absolute() and name.name:
        yield from (Path(place) / name for place in os.environ.get(FOLDERS, "").split(os.pathsep) if place)
