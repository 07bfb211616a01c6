"""The databases of the user as rows of a table, with the state of each in words. No Qt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from swgui.io.database.library import KnownDatabase, lost_databases, user_databases


@dataclass(frozen=True, slots=True)
class State:
    """What can be the matter with a database."""

    text: str  # for the table, with a sign that does not need colour
    tone: str  # name of a theme colour: ``text``, ``muted``, ``warning`` or ``danger``
    meaning: str  # one sentence


STATES = {
    "current": State("✓ up to date", "success", "Its source files are as they were when it was built."),
    "changed": State(
        "⚠ source changed", "warning", "A source file changed since: “Update from source” reads it again."
    ),
    "orphan": State(
        "• source gone", "muted", "It can be searched, but not updated: a source file is not where it was."
    ),
    "bare": State("• no source", "muted", "It can be searched; it does not say what it was made from."),
    "damaged": State("✗ damaged", "danger", "The check found that its file is not as it was written."),
    "missing": State(
        "✗ file missing",
        "danger",
        "The file of this database is not where it was. Say where it is now, or remove it from the list.",
    ),
    "unreadable": State(
        "✗ cannot be read", "danger", "The file of this database is cut off, of a newer version, or none of ours."
    ),
}


@dataclass(frozen=True, slots=True)
class DatabaseRow:
    """One row."""

    path: Path  # what a search takes
    name: str
    state: str  # key of `STATES`
    known: KnownDatabase | None = None  # none if the file is missing or cannot be read
    reason: str = ""  # why it is damaged or cannot be read, for the user

    @property
    def file(self) -> Path:
        return self.known.file if self.known else self.path

    @property
    def converted(self) -> bool:
        """Whether it is a sequence file that was read once and kept in the cache."""
        return self.known is not None and self.known.file != self.path

    @property
    def usable(self) -> bool:
        return self.known is not None and self.state != "damaged"

    @property
    def updatable(self) -> bool:
        if self.converted:
            return self.state in ("changed", "damaged")
        return self.known is not None and bool(self.known.sources) and all(map(Path.exists, self.known.sources))


def list_rows(rename: Callable[[Path], str | None]) -> list[DatabaseRow]:
    """Look up all databases of the user; reads the beginning of each file, so call it from a worker.

    Parameters
    ----------
    rename : callable
        Gives the name to show for a path, None for its own.
    """
    rows = [
        DatabaseRow(known.path, rename(known.path) or known.name, _state(known), known) for known in user_databases()
    ]
    for lost in lost_databases():
        state = "unreadable" if lost.path.exists() else "missing"
        rows.append(DatabaseRow(lost.path, lost.path.stem, state, reason=str(lost.error)))
    return rows


def _state(known: KnownDatabase) -> str:
    if not known.sources:
        return "bare"
    if not all(source.exists() for source in known.sources):
        return "orphan"
    return "changed" if known.outdated else "current"


def day_and_time(moment: str) -> str:
    """Return an ISO 8601 time as ``2026-11-20 11:50``."""
    return moment[:16].replace("T", " ")


def sources_text(row: DatabaseRow) -> str:
    """Return the names of the files a database was made from."""
    if row.known is None or not row.known.sources:
        return ""
    first, *more = (source.name for source in row.known.sources)
    return f"{first} and {len(more):,} more" if more else first
