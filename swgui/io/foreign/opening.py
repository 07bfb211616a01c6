"""Sources of sequences of every kind: files of text, and databases of other programs."""

from __future__ import annotations

import os
from pathlib import Path

from swgui.io.foreign.blast import blast_files, find_blast_database
from swgui.io.foreign.blast_source import BlastSource
from swgui.io.sequences.record_source import RecordSource
from swgui.io.sequences.sources import TextSource, open_file


def open_source(path: str | os.PathLike[str]) -> TextSource | RecordSource:
    """Open a sequence file, or a database of another program.

    Raises
    ------
    SequenceError, DatabaseError
        If it cannot be read.
    """
    database = find_blast_database(path)
    return BlastSource(database) if database else open_file(path)


def source_file(path: str | os.PathLike[str]) -> Path:
    """Return the file that stands for a source: the index of a BLAST database, any other file itself."""
    database = find_blast_database(path)
    return database.file if database else Path(path)


def source_files(path: str | os.PathLike[str]) -> list[Path]:
    """Return all files of a source."""
    database = find_blast_database(path)
    return blast_files(database) if database else [Path(path)]
