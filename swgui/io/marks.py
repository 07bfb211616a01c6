"""Stars and notes of the user on sequences, by identifier, and on runs: one small file, written whole.

The file lies in the folder of runs, of a project or of the user. A change reads the file, changes what is meant and
writes it again under a lock, so that two programs never undo each other's marks.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from swgui.core.errors import SwguiError
from swgui.core.hits.marks import LONGEST_NOTE
from swgui.core.plain import from_plain, plain, replace
from swgui.io.locking import lock
from swgui.io.whole_file import whole_file

NAME: Final = "marks.json"
FORMAT: Final = "swgui marks 1"
PATIENCE: Final = 10.0  # seconds to wait for another program that writes
STAR_SIGN: Final = "★"
Of = Literal["records", "runs"]


if TYPE_CHECKING:
    from swgui.core.compare.matching import NameIndex


class MarksError(SwguiError, OSError):
    """Stars and notes that cannot be read or written; ``path`` names their file."""

    def __init__(self, path: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.path = path


class Mark(msgspec.Struct, frozen=True):
    """A star, a note, or both."""

    star: bool = False
    note: str = ""

    def __bool__(self) -> bool:
        return self.star or bool(self.note)


class MarkBook(msgspec.Struct, frozen=True):
    """The marks in a file: of sequences by identifier, and of runs by id; in the order in which they were given."""

    records: dict[str, Mark] = {}
    runs: dict[str, Mark] = {}
    format: str = FORMAT

    def __bool__(self) -> bool:
        return bool(self.records or self.runs)

    def of(self, name: str) -> Mark:
        """Return the mark of a sequence; an empty one if it has none."""
        return self.records.get(name, Mark())

    def of_run(self, run_id: str) -> Mark:
        """Return the mark of a run; an empty one if it has none."""
        return self.runs.get(run_id, Mark())


class MarkFinder:
    """Finds the mark of a sequence by its identifier.

    Where one of the two names has no bars, a part of the other one is enough: ``P69905`` and ``sp|P69905|HBA_HUMAN``.
    """

    def __init__(self, marks: Mapping[str, Mark]) -> None:
        self._marks = marks
        self._indexes: dict[bool, tuple[list[str], NameIndex]] = {}  # of plain names alone, and of all

    def __bool__(self) -> bool:
        return bool(self._marks)

    def find(self, name: str) -> tuple[str, Mark] | None:
        """Return the name under which the mark is kept, and the mark; None without one, or if several fit."""
        if (mark := self._marks.get(name)) is not None:
            return name, mark
        if not self._marks:
            return None
        names, index = self._index(plain_alone="|" in name)
        places = index.find(name) if names else []
        return (names[places[0]], self._marks[names[places[0]]]) if len(places) == 1 else None

    def _index(self, *, plain_alone: bool) -> tuple[list[str], NameIndex]:
        if plain_alone not in self._indexes:
            from swgui.core.compare.matching import NameIndex  # here: most names are kept whole

            names = [name for name in self._marks if not plain_alone or "|" not in name]
            self._indexes[plain_alone] = names, NameIndex(names)
        return self._indexes[plain_alone]


def marks_place(runs: Path) -> Path:
    """Return the file of the marks that belong to a folder of runs."""
    return runs / NAME


def read_marks(path: Path) -> MarkBook:
    """Read stars and notes; none if there is no such file.

    Raises
    ------
    MarksError
        If it cannot be read, or is damaged.
    """
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return MarkBook()
    except OSError as fault:
        message = f"The stars and notes in '{path}' cannot be read: {fault.strerror or fault}."
        raise MarksError(str(path), message) from fault
    try:
        book = from_plain(MarkBook, json.loads(content))
        if book.format != FORMAT:
            raise ValueError(book.format)
    except (ValueError, RecursionError) as fault:
        message = f"The stars and notes in '{path}' are damaged, or of a newer version."
        raise MarksError(str(path), message, hint="Restore the file from a copy, or move it away.") from fault
    return book


def give_stars(path: Path, names: Iterable[str], on: bool, of: Of = "records") -> MarkBook:
    """Give sequences or runs a star, or take it away; return all marks.

    Raises
    ------
    MarksError
        If the file is damaged, or another program does not leave it.
    FileNotWritten
        If it cannot be written.
    """
    wanted = dict.fromkeys(names)
    return _changed(path, of, lambda marks: {name: Mark(on, marks.get(name, Mark()).note) for name in wanted})


def write_note(path: Path, name: str, text: str, of: Of = "records") -> MarkBook:
    """Write a note on a sequence or a run; an empty text takes it away. Returns and raises as `give_stars`."""
    note = text.strip()[:LONGEST_NOTE]
    return _changed(path, of, lambda marks: {name: Mark(marks.get(name, Mark()).star, note)})


def add_marks(path: Path, marks: Mapping[str, Mark], of: Of = "records") -> MarkBook:
    """Add marks of another file: a star stays, two different notes stand one below the other. As `give_stars`."""

    def joined(before: Mapping[str, Mark]) -> dict[str, Mark]:
        return {name: _both(before.get(name, Mark()), mark) for name, mark in marks.items()}

    return _changed(path, of, joined)


def _both(first: Mark, second: Mark) -> Mark:
    notes = [first.note, *([second.note] if second.note not in first.note else [])]
    return Mark(first.star or second.star, "\n".join(filter(None, notes))[:LONGEST_NOTE])


def _changed(path: Path, of: Of, change: Callable[[Mapping[str, Mark]], Mapping[str, Mark]]) -> MarkBook:
    """Read the marks, change some, and write all, while no other program does."""
    with _alone(path):
        book = read_marks(path)
        marks = dict(getattr(book, of))
        for name, mark in change(marks).items():
            if mark:
                marks[name] = mark
            else:
                marks.pop(name, None)
        changed = replace(book, records=marks) if of == "records" else replace(book, runs=marks)
        if changed != book:
            with whole_file(path) as file:
                file.write(json.dumps(plain(changed), ensure_ascii=False, indent=1).encode())
    return changed


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold the lock of a file of marks; `MarksError` if another program holds it for too long."""
    guard = path.with_name(".marks.lock")
    try:
        with open(guard, "ab") as file:
            until = time.monotonic() + PATIENCE
            while not lock(file):
                if time.monotonic() > until:
                    message = f"Another program is writing '{path}'."
                    raise MarksError(str(path), message, hint="Try again once it is done.")
                time.sleep(0.02)
            yield
    except OSError as fault:
        if isinstance(fault, SwguiError):
            raise
        message = f"Stars and notes cannot be kept in '{path.parent}': {fault.strerror or fault}."
        raise MarksError(str(path), message) from fault
