"""Sequence files converted into databases, once: the cache and its notes.

The converted file is named by the content of the source, so that a copy or a renamed file is not converted again and
a changed one is; a note per path (size and time of the source) saves reading the source at all when nothing changed.
Programs running at the same time do no harm to each other: every file here is written whole and replaced at once.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from swgui import paths
from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.errors import AlphabetMismatch, DatabaseError, SequenceError, Stopped, SwguiError, reason_of
from swgui.core.plain import from_plain, plain
from swgui.io.database.file import open_database
from swgui.io.database.format import SUFFIX, VERSION
from swgui.io.read_report import ReadReport
from swgui.io.replacing import delete_file
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.sources import open_file
from swgui.io.unpacking import plain_name
from swgui.io.whole_file import whole_file

T = TypeVar("T")
FOLDER: Final = "databases"
NOTES: Final = "paths"  # folder of notes there
FORM: Final = f"swdb {VERSION} with topologies"  # of what a conversion makes; another version may leave something out
_BLOCK: Final = 1 << 20
# A file changed this shortly before it was read may change again without its time telling.
_DOUBTFUL_NS: Final = 2_000_000_000
_ABANDONED_S: Final = 86_400


def cache_folder() -> Path:
    """Folder of converted sequence files."""
    return paths.cache_dir() / FOLDER


def shared_folders() -> tuple[Path, ...]:
    """Folders with converted files of the site, which are looked into first and never written to."""
    shared = paths.shared_cache_dir()
    return () if shared is None else (shared / FOLDER,)


@dataclass(frozen=True, slots=True)
class ConversionNote:
    """Facts about a sequence file from its conversion, or from its last opening."""

    path: str
    kind: str  # alphabet its sequences look like
    key: str  # digest of its content
    # size, mtime_ns: of the file, and `seen_at` (ns) when it was looked at; -1 where not known
    size: int = -1
    mtime_ns: int = -1
    seen_at: int = -1
    form: str = ""  # `FORM` of the program that wrote the note; empty for earlier ones
    listed: bool = True  # whether it was opened as a database, and not only to be compared with itself

    @property
    def database(self) -> Path:
        """Where the converted form is."""
        name = f"{self.key}-{self.kind}{SUFFIX}"
        return next((folder / name for folder in shared_folders() if (folder / name).is_file()), cache_folder() / name)


class Source:
    """A sequence file, what it holds, and where its converted form is or would be.

    `kind` is the kind that its sequences look like, `alphabet` the one to read them as; `listed` whether it joins the
    list of databases.

    Raises
    ------
    SequenceError, AlphabetMismatch
        If it cannot be read, or is of another kind than `wanted`.
    """

    def __init__(
        self, path: Path, wanted: Alphabet | None, cancel: threading.Event | None = None, *, listed: bool = True
    ) -> None:
        self.path = path
        self._listed = listed
        self._cancel = cancel
        self.absolute = Path(os.path.abspath(path))
        self.name = plain_name(path.name)
        self._seen_at = time.time_ns()
        with open_file(path) as opened:
            self._stat = os.fstat(opened.fileno())
            noted = self._noted()
            if noted is None:
                reader = SequenceReader(opened)
                next(iter(reader))
                kind = reader.report.alphabet
                self.kind = kind.name if kind else PROTEIN.name
                self.key = self.hash_files()
            else:
                self.kind, self.key = noted
        if wanted is PROTEIN and self.kind == NUCLEOTIDE.name:
            mismatch = AlphabetMismatch(wanted.name, self.kind, "database")
            mismatch.hint += f" If it is {wanted.name} after all, build it with 'swgui makedb --type {wanted.name}'."
            raise mismatch
        self.alphabet = wanted or ALPHABETS[self.kind]

    @property
    def target(self) -> Path:
        """Where the converted file belongs."""
        return cache_folder() / f"{self.key}-{self.alphabet.name}{SUFFIX}"

    @property
    def places(self) -> Iterator[Path]:
        """Where the converted file may be, in the order to look: shared caches, then the user's."""
        for folder in (*shared_folders(), cache_folder()):
            yield folder / self.target.name

    @property
    def unchanged(self) -> bool:
        """Whether the file is still what it was when it was looked at."""
        try:
            now = self.path.stat()
        except OSError:
            return False
        return (now.st_size, now.st_mtime_ns) == (self._stat.st_size, self._stat.st_mtime_ns)

    def note(self) -> None:
        """Remember what this path holds, so that it need not be read the next time; a note that says so stays."""
        before, valid = read_note(self._note_path, ConversionNote), self._noted_at(self._note_path) is not None
        listed = self._listed or (before is not None and before.listed)  # as long as it is not removed from the list
        if valid and before is not None and before.listed == listed:
            return  # to write a file takes as long as to open a database
        size, changed = self._stat.st_size, self._stat.st_mtime_ns
        note = ConversionNote(str(self.absolute), self.kind, self.key, size, changed, self._seen_at, FORM, listed)
        with suppress(SwguiError, OSError):
            paths.make_folder(self._note_path.parent)
            write_note(self._note_path, note)

    def _noted(self) -> tuple[str, str] | None:
        shared = (folder / NOTES / self._note_path.name for folder in shared_folders())
        return next((noted for path in (self._note_path, *shared) if (noted := self._noted_at(path))), None)

    def _noted_at(self, path: Path) -> tuple[str, str] | None:
        note = read_note(path, ConversionNote)
        if note is None or note.kind not in ALPHABETS or note.form != FORM:
            return None
        same = (
            note.path == str(self.absolute)
            and (note.size, note.mtime_ns) == (self._stat.st_size, self._stat.st_mtime_ns)
            and note.mtime_ns + _DOUBTFUL_NS < note.seen_at
        )
        return (note.kind, note.key) if same else None

    @property
    def _note_path(self) -> Path:
        return _note_of(self.absolute)

    def hash_files(self) -> str:
        """Return the digest of the files that are read."""
        digest = hashlib.blake2b(f"{FORM}\n".encode(), digest_size=16)
        try:
            with open(self.path, "rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
                    if self._cancel is not None and self._cancel.is_set():
                        raise Stopped("Reading the database was stopped.", hint="Nothing was written.")
        except OSError as fault:
            raise SequenceError(
                f"'{self.path.name}' cannot be read: {reason_of(fault)}.", path=str(self.path)
            ) from fault
        return digest.hexdigest()


def kind_of_sequences(path: Path, expected: Alphabet | None = None) -> Alphabet | None:
    """Return the kind of sequence that the first records of a file look like; `SequenceError` if it has none."""
    with open_file(path) as opened:
        reader = SequenceReader(opened, expected=expected)
        next(iter(reader), None)
    return reader.report.alphabet


def note_name(path: Path) -> str:
    """Return the name of the file for notes of a path."""
    return f"{hashlib.blake2b(str(path).encode('utf-8', 'surrogateescape'), digest_size=16).hexdigest()}.json"


def _note_of(path: Path) -> Path:
    return cache_folder() / NOTES / note_name(path)


def open_converted(path: Path) -> EncodedDatabase | None:
    """Open a converted file; None if it is missing or damaged, so that it is made again."""
    try:
        return open_database(path)
    except DatabaseError:
        return None


def convert(
    source: Source,
    report: ReadReport | None,
    progress: Callable[[int, int], None] | None,
    cancel: threading.Event | None,
) -> EncodedDatabase:
    """Convert a source into the cache, or into a temporary folder if the cache cannot be written."""
    from swgui.io.database.build import build_database  # here and below: most files were converted before

    try:
        paths.make_folder(source.target.parent)
        _sweep(source.target.parent)
        database = build_database(
            [source.path],
            source.target,
            alphabet=source.alphabet,
            name=source.name,
            report=report,
            progress=progress,
            cancel=cancel,
            refuse_other_kind=True,
        )
    except SequenceError as fault:
        if source.alphabet.name != source.kind:
            raise AlphabetMismatch(source.alphabet.name, source.kind, "database") from fault
        raise
    except (DatabaseError, OSError):
        return convert_for_now(source.path, source.alphabet, report, progress, cancel)
    if source.unchanged:
        source.note()
    else:  # it was written to while it was read; the result is good for this once
        with suppress(OSError):
            delete_file(source.target)
    return database


def convert_for_now(
    path: Path,
    alphabet: Alphabet | None,
    report: ReadReport | None,
    progress: Callable[[int, int], None] | None,
    cancel: threading.Event | None,
) -> EncodedDatabase:
    """Convert into a temporary folder that is deleted when the program ends."""
    try:
        folder = Path(tempfile.mkdtemp(prefix="swgui-"))
    except OSError as fault:
        raise DatabaseError(
            str(path),
            f"'{path.name}' cannot be converted: neither {cache_folder()} nor a temporary folder can be written.",
            hint="Make one of them writable, or set SWGUI_CACHE_DIR to a folder that is.",
        ) from fault
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    from swgui.io.database.build import build_database

    name = plain_name(path.name)
    if report is not None:
        report.become(ReadReport())
    return build_database(
        [path],
        folder / f"database{SUFFIX}",
        alphabet=alphabet,
        name=name,
        report=report,
        progress=progress,
        cancel=cancel,
        refuse_other_kind=True,
    )


def _sweep(folder: Path) -> None:
    """Delete what crashed programs left behind."""
    for part in folder.glob(".*.part"):
        with suppress(OSError):
            if time.time() - part.stat().st_mtime > _ABANDONED_S:
                part.unlink()


def read_note(path: Path, kind: type[T]) -> T | None:
    """Return the content of a note; None if it is missing or damaged."""
    try:
        return from_plain(kind, json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, RecursionError):
        return None


def write_note(path: Path, note: object) -> None:
    """Write a note, whole or not at all."""
    with whole_file(path) as file:
        file.write(json.dumps(plain(note)).encode("ascii"))


def conversions() -> Iterator[ConversionNote]:
    """Yield the note of each sequence file that was converted."""
    for path in sorted((cache_folder() / NOTES).glob("*.json")):
        if (note := read_note(path, ConversionNote)) is not None:
            yield note


def forget_conversion(path: Path) -> None:
    """Forget that a sequence file was converted; what was made of it stays in the cache."""
    with suppress(OSError):
        _note_of(path).unlink()
