"""The release of a database: its name, or the day of the files that it was built from."""

from __future__ import annotations

import os
import time
from pathlib import Path

from swgui.core.database import EncodedDatabase
from swgui.core.errors import DatabaseError
from swgui.io.database.file import database_facts, mapped_file


def release_of(path: str | os.PathLike[str]) -> str:
    """Return the release of a database file or a sequence file in words; empty if nothing is known of it.

    That is the name that a packed file has for its newest release; else the day of the newest file that it was built
    from, as that file was then: ``file of 2026-06-10``.
    """
    try:
        facts = database_facts(path)
    except DatabaseError:
        return _day(path)
    if facts.release:
        return f"release {facts.release}"
    newest = max((source.mtime_ns for source in facts.sources), default=-1)
    return f"file of {_written(newest / 1e9)}" if newest > 0 else ""


def release_searched(database: EncodedDatabase) -> str:
    """Return the release of a database that was opened from one file; empty of several, and in memory."""
    database = database.whole or database
    place = mapped_file(database) if len(database.members) < 2 else None
    return release_of(place) if place is not None else ""


def _day(path: str | os.PathLike[str]) -> str:
    try:
        return f"file of {_written(Path(path).stat().st_mtime)}"
    except OSError:
        return ""


def _written(seconds: float) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
