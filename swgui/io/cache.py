"""The cache: converted databases, compiled kernels and modules, and fits, their sizes, and which of them are deleted.

All of it is made again when it is needed. A file that a program has open keeps its space until it is closed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui import paths
from swgui.io.database.conversions import NOTES, cache_folder, conversions, forget_conversion
from swgui.io.replacing import delete_file

DAY: Final = 86_400.0  # seconds
KINDS: Final = {  # by folder
    "databases": "database",
    "cubins": "kernel",
    "kernels": "kernel",
    "fits": "fit",
    "modules": "modules",
}


@dataclass(frozen=True, slots=True)
class Cached:
    """One file of the cache."""

    path: Path
    kind: str  # one of the values of `KINDS`
    size: int  # bytes
    used: float  # seconds since 1970: when it was last read or written, as exactly as the system keeps that
    sources: tuple[str, ...] = ()  # sequence files that a database was converted from


def cached() -> list[Cached]:
    """Files of the user's cache, the one used last first."""
    sources: dict[Path, list[str]] = {}
    for note in conversions():
        sources.setdefault(note.database, []).append(note.path)
    files = (found for folder, kind in KINDS.items() for found in _files(paths.cache_dir() / folder, kind, sources))
    return sorted(files, key=lambda file: (-file.used, str(file.path)))


def to_prune(files: Sequence[Cached], size: float | None, days: float | None) -> list[Cached]:
    """Files to delete: those not used for some days, then the ones used longest ago until the rest is small enough.

    Parameters
    ----------
    files : sequence of Cached
        The one used last first.
    size : float, optional
        Bytes that may stay.
    days : float, optional
        Days without use after which a file goes.
    """
    oldest = time.time() - days * DAY if days is not None else float("-inf")
    chosen = [file for file in files if file.used < oldest]
    left = [file for file in files if file.used >= oldest]
    total = sum(file.size for file in left)
    while size is not None and left and total > size:
        chosen.append(left.pop())
        total -= chosen[-1].size
    return chosen


def prune(files: Sequence[Cached]) -> list[Cached]:
    """Delete files of the cache and the notes of them; returns those that could be deleted."""
    gone = []
    for file in files:
        with suppress(OSError):
            delete_file(file.path)
            gone.append(file)
    for source in (source for file in gone for source in file.sources):
        forget_conversion(Path(source))
    return gone


def _files(folder: Path, kind: str, sources: dict[Path, list[str]]) -> Iterator[Cached]:
    for place, folders, names in os.walk(folder):
        if Path(place) == cache_folder() and NOTES in folders:
            folders.remove(NOTES)
        for path in (Path(place, name) for name in names):
            with suppress(OSError):  # another program deleted it
                status = path.stat()
                used = max(status.st_atime, status.st_mtime)
                yield Cached(path, kind, status.st_size, used, tuple(sources.get(path, ())))
