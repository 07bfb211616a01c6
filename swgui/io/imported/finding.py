"""Which database of another program a path means, if any; looks at names of files only."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

from swgui.io.imported.blast import find_blast_database
from swgui.io.imported.mmseqs_place import find_mmseqs_database
from swgui.io.imported.parquet import find_parquet_file


class ImportedDatabase(Protocol):
    """A database of another program."""

    @property
    def what(self) -> str:
        """What it is, with an article."""

    @property
    def name(self) -> Path:
        """What it is called when it is given."""

    @property
    def file(self) -> Path:
        """Its index; stands for it in lists, and changes when it is made anew."""

    def files(self) -> list[Path]:
        """Return its files."""


def find_imported_database(path: str | os.PathLike[str]) -> ImportedDatabase | None:
    """Return the database of another program that a path means, by name or by one of its files; None if none."""
    return find_blast_database(path) or find_mmseqs_database(path) or find_parquet_file(path)


def source_file(path: str | os.PathLike[str]) -> Path:
    """Return the file that stands for a source: the index of such a database, any other file itself."""
    database = find_imported_database(path)
    return database.file if database else Path(path)


def source_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return all files of a source."""
    database = find_imported_database(path)
    return database.files() if database else [Path(path)]
