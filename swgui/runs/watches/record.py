"""The records of a watch: small JSON files in its folder. Their keys are in users' files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from swgui.core.compare.changes import CHANGED, Change
from swgui.core.errors import SwguiError
from swgui.core.plain import Count, from_plain, plain
from swgui.io.whole_file import whole_file

FORMAT: Final = "swgui watch 1"
WATCH: Final = "watch.json"
STATE: Final = "state.json"
T = TypeVar("T")


class WatchError(SwguiError, OSError):
    """A watch that cannot be made, read or run; ``path`` names its folder or file."""

    def __init__(self, path: str | Path, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = str(path)


class WatchFacts(msgspec.Struct, frozen=True):
    """A standing query, as it was added.

    Parameters
    ----------
    id : str
        UUID, of which the ids of its feed and of the entries are made.
    made : str
        When; local time, ISO 8601 with the time zone.
    asked : Mapping
        Queries and settings, as `RequestFacts` has them: most passes do not need them.
    databases : tuple of str
        Files, or names of databases, which are looked up in each pass; several are searched as one.
    feed : str
        File of the feed; empty for the one in the folder of the watch.
    mail : str
        Command that mails a message; empty for none.
    """

    id: str
    name: str
    made: str
    asked: Mapping[str, Any]
    databases: tuple[str, ...]
    feed: str = ""
    mail: str = ""
    format: str = FORMAT


class SeenFile(msgspec.Struct, frozen=True):
    """A file of the database as the last pass saw it; another file, size or time is looked at."""

    path: str
    size: Count
    mtime_ns: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> SeenFile:
        """Return the record of a file; `OSError` if there is none."""
        facts = path.stat()
        return cls(str(path), facts.st_size, facts.st_mtime_ns, facts.st_ino)


class PassFacts(msgspec.Struct, frozen=True):
    """A pass that found another content of the database; the first one is the baseline, without changes.

    Parameters
    ----------
    number : int
        From 1.
    when : str
        Local time, ISO 8601 with the time zone.
    database, release, checksum : str
        Name, release in words (empty if not known), and checksum of the content.
    sequences, searched : int
        Sequences of the database, and those that had to be scored.
    gone : int
        Sequences of the database before that this one lacks; -1 where that is not known.
    hits : int
        Of all queries together.
    significant : int, optional
        The significant ones of them; None where not all have an E-value.
    changes : tuple of Change
        As `swgui diff` gives them.
    """

    number: Count
    when: str
    database: str
    release: str
    checksum: str
    sequences: Count
    searched: Count
    gone: int
    hits: Count
    significant: Count | None
    changes: tuple[Change, ...] = ()

    @property
    def news(self) -> list[Change]:
        """The changes that feed and message have: hits gained, lost, with another sequence or another verdict."""
        return [change for change in self.changes if _matters(change)]

    @property
    def where(self) -> str:
        """Name of the database, with its release."""
        return f"{self.database} ({self.release})" if self.release else self.database


class WatchState(msgspec.Struct, frozen=True):
    """The state of a watch: what is before it stands, what comes behind it was not finished.

    Parameters
    ----------
    last : int
        Number of the last pass that was finished; 0 before the first.
    looked : str
        When a pass looked at the database last.
    seen : tuple of SeenFile
        Files of the database then.
    unsent : tuple of int
        Passes whose message was not mailed.
    fault : str
        Why the last attempt failed, in a sentence; empty if it did not.
    """

    last: Count = 0
    looked: str = ""
    seen: tuple[SeenFile, ...] = ()
    unsent: tuple[Count, ...] = ()
    fault: str = ""


def _matters(change: Change) -> bool:
    """Whether a change is more than another rank or E."""
    return change.change != "moved" or change.cause == CHANGED or change.before.verdict != change.now.verdict


def read_facts(kind: type[T], path: Path) -> T:
    """Read one of the records; `WatchError` if it is damaged or cannot be read."""
    try:
        return from_plain(kind, json.loads(path.read_bytes()))
    except OSError as fault:
        raise WatchError(path, f"'{path}' cannot be read: {fault.strerror or fault}.") from fault
    except (ValueError, RecursionError) as fault:
        raise damaged(path) from fault


def damaged(path: Path) -> WatchError:
    """Return the error for a record that cannot be read."""
    hint = "Restore it from a copy, or remove the watch and add it again."
    return WatchError(path, f"The record '{path}' of the watch is damaged.", hint=hint)


def write_facts(path: Path, facts: object) -> None:
    """Write one of the records, whole or not at all; `FileNotWritten` if that fails."""
    with whole_file(path) as file:
        file.write(json.dumps(plain(facts), ensure_ascii=False, indent=1).encode("utf-8", "replace"))
