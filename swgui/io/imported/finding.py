"""Which database of another program a path means, if any; looks at names of files only."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from swgui.io.imported.blast import find_blast_database
from swgui.io.imported.diamond import find_diamond_database
from swgui.io.imported.mmseqs_place import find_mmseqs_database
from swgui.io.imported.parquet import find_parquet_file


class ImportedDatabase(Protocol):
    """A database of another program."""

    @property
    def what(self) -> str:
        """Kind of the database, with an article."""

    @property
    def name(self) -> Path:
        """Kind of the file to choose."""

    @property
    def file(self) -> Path:
        """Its index; stands for it in lists, and changes when it is made anew."""

    def files(self) -> list[Path]:
        """Return its files."""


def find_imported_database(path: str | os.PathLike[str]) -> ImportedDatabase | None:
    """Return the database of another program that a path means, by name or by one of its files; None if none."""
    finders = find_blast_database, find_mmseqs_database, find_diamond_database, find_parquet_file
    return next((found for find in finders if (found := find(path)) is not None), None)


def sources_of(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return the file that stands for each source: the index of such a database, any other file itself.

    Several files of one database, all of them by a glob for example, are one source; volumes go with their alias.
    """
    found: list[Path] = []
    parts: set[Path] = set()
    for path in paths:
        database = find_imported_database(path)
        if database is None:
            found.append(Path(path))
        elif database.file not in found:
            found.append(database.file)
            parts.update(part for part in database.files() if part.name.count(".") > database.file.name.count("."))
    return [file for file in found if file not in parts]


def source_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return all files of a source."""
    database = find_imported_database(path)
    return database.files() if database else [Path(path)]
