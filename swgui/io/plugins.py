"""Additions of installed packages to the program's tables, through entry points."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from types import UnionType
from typing import TYPE_CHECKING, TypeVar

from swgui.packages import entry_points

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
log = logging.getLogger(__name__)


def add_installed(table: dict[str, T], group: str, kind: type[T] | UnionType, key: Callable[[T], str]) -> None:
    """Add the records that installed packages offer to a table; unusable ones are logged and left out.

    Parameters
    ----------
    table : dict
        From a record's key to the record. Existing records are never replaced.
    group : str
        Of the entry points, each of which names a record or a tuple of records.
    key : callable
        Returns the key of a record.
    """
    for entry in entry_points(group):
        for record in _records(entry):
            if not isinstance(record, kind):
                log.warning(
                    "%s of %s is no %s and is left out.", entry.value, _package(entry), getattr(kind, "__name__", kind)
                )
            elif key(record) in table:
                log.warning("%s offers '%s', which is there already; it is left out.", _package(entry), key(record))
            else:
                table[key(record)] = record


def _records(entry: EntryPoint) -> Iterator[object]:
    try:
        loaded = entry.load()
    except Exception as fault:  # whatever a stranger's package does, the program must start
        log.warning("%s of %s cannot be loaded and is left out: %s", entry.value, _package(entry), fault)
        return
    yield from loaded if isinstance(loaded, (tuple, list)) else (loaded,)


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "A package"
