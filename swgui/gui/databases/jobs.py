"""What the Databases page does in the background: build, update, convert, check, remove. No Qt."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from swgui.core.database import EncodedDatabase
from swgui.core.words import count, duration
from swgui.gui.databases.rows import DatabaseRow
from swgui.gui.words.wording import KIND_WORDS, LETTERS
from swgui.io.database.file import check_database, database_facts
from swgui.io.database.library import forget_database, open_any_database, remember_database
from swgui.io.organisms.assign import OrganismFiles
from swgui.io.replacing import delete_file
from swgui.io.sequences.report import ReadReport
from swgui.io.structures.database import build_of_any, update_of_any
from swgui.paths import make_folder

Tell = Callable[[int, int, str], None]
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What came of it."""

    path: Path  # the database, to be chosen in the list
    text: str  # one or two sentences
    report: ReadReport | None = None  # what the reader found, if sequences were read


def build(
    sources: Sequence[Path],
    out: Path,
    name: str,
    organisms: OrganismFiles,
    min_plddt: float,
    tell: Tell,
    cancel: threading.Event,
) -> Outcome:
    """Build a database file of sequence files, or of structures."""

    def read(report: ReadReport, progress: Progress) -> EncodedDatabase:
        make_folder(out.parent)
        return build_of_any(
            sources, out, name=name, report=report, progress=progress, cancel=cancel, organisms=organisms,
            min_plddt=min_plddt,
        )  # fmt: skip

    return _read(out, f"Built “{name}”", read, tell)


def update(row: DatabaseRow, tell: Tell, cancel: threading.Event) -> Outcome:
    def read(report: ReadReport, progress: Progress) -> EncodedDatabase:
        if row.converted:
            if row.state == "damaged":
                with suppress(FileNotFoundError):
                    delete_file(row.file)
            return open_any_database(row.path, report=report, progress=progress, cancel=cancel)
        return update_of_any(row.path, report=report, progress=progress, cancel=cancel)

    return _read(row.path, f"Updated “{row.name}”", read, tell)


def convert(path: Path, name: str, tell: Tell, cancel: threading.Event) -> Outcome:
    return _read(
        path,
        f"“{name}” is on the list",
        lambda report, progress: open_any_database(path, report=report, progress=progress, cancel=cancel),
        tell,
    )


def check(row: DatabaseRow, tell: Tell, cancel: threading.Event) -> Outcome:
    """Read the whole file of a database and compare all checksums."""
    begun = time.monotonic()
    tell(0, 0, "comparing checksums")
    facts = check_database(row.file, cancel=cancel)
    took = duration(time.monotonic() - begun)
    return Outcome(
        row.path, f"Checked “{row.name}” in {took}: all {count(facts.size, 'byte')} are as they were written."
    )


def remember(files: Sequence[Path]) -> Path:
    """Put database files on the list; returns the last one.

    Raises
    ------
    DatabaseError
        If one of them is none.
    """
    for file in files:
        database_facts(file)
        remember_database(file)
    return files[-1]


def relocate(row: DatabaseRow, found: Path) -> Path:
    """Replace a lost entry of the list by the file's new place.

    Raises
    ------
    DatabaseError
        If that file is no database; the list stays as it is.
    """
    remember([found])
    if found != row.path:
        forget_database(row.path)
    return found


def remove(row: DatabaseRow, with_file: bool) -> str:
    """Take a database off the list and delete its file if that is wanted; sources are never touched.

    Raises
    ------
    OSError
        If the file cannot be deleted; it stays on the list then.
    """
    if with_file:
        with suppress(FileNotFoundError):
            delete_file(row.file)
    forget_database(row.path)
    return f"“{row.name}” was {'deleted' if with_file else 'taken off the list'}."


def _read(path: Path, what: str, read: Callable[[ReadReport, Progress], EncodedDatabase], tell: Tell) -> Outcome:
    report, begun = ReadReport(), time.monotonic()
    database = read(report, lambda done, total: tell(done, total, f"{count(report.records, 'sequence')} read"))
    kind = database.alphabet.name
    text = (
        f"{what} in {duration(time.monotonic() - begun)}: {count(len(database), *KIND_WORDS[kind])}, "
        f"{count(database.residues, LETTERS[kind])}."
    )
    remarks = sum(report.counts.values())
    return Outcome(path, f"{text} {count(remarks, 'remark')} in the input report." if remarks else text, report)
