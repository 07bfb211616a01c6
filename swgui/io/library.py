"""The databases at hand: opening anything as a database, the cache of converted files, the user's list.

A sequence file given as a database is converted once. The converted file is named by the content of the
source, so that a copy or a renamed file is not converted again and a changed one is; a note per path
(size and time of the source) saves reading the source at all when nothing changed. Programs running at
the same time do no harm to each other: every file here is written whole and replaced at once.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import os
import shutil
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.errors import AlphabetMismatch, DatabaseError, SequenceError, SwguiError
from swgui.core.scoring import check_same_alphabet
from swgui.io.blast_database import find_blast_database
from swgui.io.database_file import (
    BuildStopped,
    DatabaseFacts,
    build_database,
    database_facts,
    open_database,
    stored_report,
)
from swgui.io.database_format import MAGIC, SUFFIX, VERSION
from swgui.io.report import ReadReport
from swgui.io.sequences import SequenceReader
from swgui.io.sources import open_file
from swgui.io.whole_file import whole_file

__all__ = [
    "KnownDatabase",
    "LostDatabase",
    "cache_folder",
    "clear_cache",
    "forget_database",
    "lost_databases",
    "open_any_database",
    "remember_database",
    "user_databases",
    "user_folder",
]

_BLOCK: Final = 1 << 20
# A file changed this shortly before it was read may change again without its time telling.
_DOUBTFUL_NS: Final = 2_000_000_000
_ABANDONED_S: Final = 86_400


@dataclass(frozen=True, slots=True)
class KnownDatabase:
    """One line of the list of databases.

    Parameters
    ----------
    path : Path
        What `open_any_database` takes: a ``.swdb`` file, or the source of a converted one.
    file : Path
        The ``.swdb`` file itself; in the cache if `path` is a sequence file.
    name : str
    sequences, residues, longest : int
    alphabet : Alphabet
    made : str
        Local time, ISO 8601.
    checksum : str
        Of the content, as in `EncodedDatabase`.
    size : int
        Bytes on disk of the database file.
    sources : tuple of Path
        Files it was made from.
    outdated : bool
        Whether a source changed since.
    """

    path: Path
    file: Path
    name: str
    sequences: int
    residues: int
    longest: int
    alphabet: Alphabet
    made: str
    checksum: str
    size: int
    sources: tuple[Path, ...] = ()
    outdated: bool = False


@dataclass(frozen=True, slots=True)
class LostDatabase:
    """A database file on the user's list that is gone or cannot be read.

    Parameters
    ----------
    path : Path
    error : DatabaseError
        Why.
    """

    path: Path
    error: DatabaseError


def cache_folder() -> Path:
    """Folder of converted sequence files."""
    return paths.cache_dir() / "databases"


def user_folder() -> Path:
    """Folder of databases built by the user."""
    return paths.data_dir() / "databases"


def open_any_database(
    path: str | os.PathLike[str],
    *,
    alphabet: Alphabet | None = None,
    report: ReadReport | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
) -> EncodedDatabase:
    """Open a database file, or a sequence file as a database.

    Parameters
    ----------
    path : path
        A ``.swdb`` file or any sequence file; told by content.
    alphabet : Alphabet, optional
        The kind that is needed.
    report : ReadReport, optional
        Filled with what the reader found when the sequences were converted, now or then.
    progress : callable, optional
        Called with (done, total) while a file is converted.
    cancel : threading.Event, optional

    Raises
    ------
    DatabaseError, SequenceError
        If the file cannot be opened or read.
    AlphabetMismatch
        If it is of another kind than `alphabet`.
    BuildStopped
        If `cancel` was set while a file was converted.
    """
    place = Path(path)
    if _is_stream(place):  # it can be read only once
        return _convert_for_now(place, alphabet, report, progress, cancel)
    if _is_database(place):
        database = open_database(place)
        if alphabet is not None:
            check_same_alphabet(alphabet, database.alphabet, "database")
        _fill(report, place)
        return database
    if (blast := find_blast_database(place)) is not None:
        raise DatabaseError(
            str(path),
            f"'{place.name}' is a BLAST database, which is not searched as it is.",
            hint=f"Build one of it first, on the Databases page or with 'swgui makedb {blast.name} -o NAME.swdb'.",
        )
    source = _Source(place, alphabet, cancel)
    converted = _open_converted(source.target)
    if converted is not None:
        _fill(report, source.target)
        source.note()
        return replace(converted, name=source.name)
    return _convert(source, report, progress, cancel)


def _is_stream(place: Path) -> bool:
    try:
        mode = place.stat().st_mode
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _is_database(place: Path) -> bool:
    try:
        with open(place, "rb") as file:
            start = file.read(len(MAGIC))
    except (OSError, ValueError):
        return place.suffix == SUFFIX  # the opener says what is wrong
    return start == MAGIC or place.suffix == SUFFIX


def _fill(report: ReadReport | None, database: Path) -> None:
    if report is not None:
        stored = stored_report(database)
        vars(report).update(vars(stored))


class _Source:
    """A sequence file, what it holds, and where its converted form is or would be.

    `kind` is what its letters look like, `alphabet` what it is to be read as.

    Raises
    ------
    SequenceError, AlphabetMismatch
        If it cannot be read, or is of another kind than `wanted`.
    """

    def __init__(self, path: Path, wanted: Alphabet | None, cancel: threading.Event | None = None) -> None:
        self.path = path
        self._cancel = cancel
        self.absolute = Path(os.path.abspath(path))
        self.name = _plain_name(path.name)
        self._seen_at = time.time_ns()
        with open_file(path) as opened:
            self._stat = os.fstat(opened.fileno())
            noted = self._noted()
            if noted is None:
                reader = SequenceReader(opened)
                next(iter(reader))
                kind = reader.report.alphabet
                self.kind = kind.name if kind else PROTEIN.name
                self.key = self._hash()
            else:
                self.kind, self.key = noted
        if wanted is PROTEIN and self.kind == NUCLEOTIDE.name:
            raise AlphabetMismatch(wanted.name, self.kind, "database")
        self.alphabet = wanted or ALPHABETS[self.kind]

    @property
    def target(self) -> Path:
        """Where the converted file belongs."""
        return cache_folder() / f"{self.key}-{self.alphabet.name}{SUFFIX}"

    @property
    def unchanged(self) -> bool:
        """Whether the file is still what it was when it was looked at."""
        try:
            now = self.path.stat()
        except OSError:
            return False
        return (now.st_size, now.st_mtime_ns) == (self._stat.st_size, self._stat.st_mtime_ns)

    def note(self) -> None:
        """Remember what this path holds, so that it need not be read the next time."""
        facts = {
            "path": str(self.absolute),
            "size": self._stat.st_size,
            "mtime_ns": self._stat.st_mtime_ns,
            "seen_at": self._seen_at,
            "kind": self.kind,
            "key": self.key,
        }
        with suppress(SwguiError, OSError):
            self._note_path.parent.mkdir(parents=True, exist_ok=True)
            _write_json(self._note_path, facts)

    def _noted(self) -> tuple[str, str] | None:
        facts = _read_json(self._note_path)
        same = (
            facts.get("path") == str(self.absolute)
            and facts.get("size") == self._stat.st_size
            and facts.get("mtime_ns") == self._stat.st_mtime_ns
            and isinstance(facts.get("seen_at"), int)
            and self._stat.st_mtime_ns + _DOUBTFUL_NS < facts["seen_at"]
            and facts.get("kind") in ALPHABETS
            and isinstance(facts.get("key"), str)
        )
        return (facts["kind"], facts["key"]) if same else None

    @property
    def _note_path(self) -> Path:
        return cache_folder() / "paths" / f"{_digest(str(self.absolute).encode('utf-8', 'surrogateescape'))}.json"

    def _hash(self) -> str:
        digest = hashlib.blake2b(f"swdb {VERSION}\n".encode(), digest_size=16)
        try:
            with open(self.path, "rb") as file:
                while block := file.read(_BLOCK):
                    digest.update(block)
                    if self._cancel is not None and self._cancel.is_set():
                        raise BuildStopped("Reading the database was stopped.", hint="Nothing was written.")
        except OSError as fault:
            raise SequenceError(f"'{self.path.name}' cannot be read: {fault}.", path=str(self.path)) from fault
        return digest.hexdigest()


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _plain_name(name: str) -> str:
    """Strip the endings of a sequence file: ``sprot.fasta.gz`` becomes ``sprot``."""
    for packed in (".gz", ".bgz", ".bgzf"):
        if name.lower().endswith(packed) and len(name) > len(packed):
            name = name[: -len(packed)]
            break
    stem = Path(name).stem
    return stem or name


def _open_converted(path: Path) -> EncodedDatabase | None:
    """Open a converted file; None if it is missing or damaged, so that it is made again."""
    try:
        return open_database(path)
    except DatabaseError:
        return None


def _convert(
    source: _Source,
    report: ReadReport | None,
    progress: Callable[[int, int], None] | None,
    cancel: threading.Event | None,
) -> EncodedDatabase:
    """Convert a source into the cache, or into a temporary folder if the cache cannot be written."""
    try:
        source.target.parent.mkdir(parents=True, exist_ok=True)
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
        return _convert_for_now(source.path, source.alphabet, report, progress, cancel)
    if source.unchanged:
        source.note()
    else:  # it was written to while it was read; what was read is good for this once
        with suppress(OSError):
            source.target.unlink()
    return database


def _convert_for_now(
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
    name = _plain_name(path.name)
    if report is not None:
        vars(report).update(vars(ReadReport()))
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


def _read_json(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _write_json(path: Path, facts: dict[str, Any]) -> None:
    with whole_file(path) as file:
        file.write(json.dumps(facts).encode("ascii"))


def user_databases() -> list[KnownDatabase]:
    """List the databases at hand: those of the user's folder, remembered ones and converted files.

    Files that cannot be opened are left out; `lost_databases` says why.
    """
    known: dict[Path, KnownDatabase] = {}
    for path in _listed():
        with suppress(DatabaseError):
            known[path] = _known(path, database_facts(path))
    for entry in _converted():
        known.setdefault(entry.path, entry)
    return sorted(known.values(), key=lambda entry: (entry.name.lower(), str(entry.path)))


def lost_databases() -> list[LostDatabase]:
    """List the database files of the user's list that are gone or cannot be read."""
    lost = []
    for path in _listed():
        try:
            database_facts(path)
        except DatabaseError as error:
            lost.append(LostDatabase(path, error))
    return lost


def _listed() -> list[Path]:
    """Return the files of the user's folder and the remembered ones, but not those taken off the list."""
    notes = dict(_notes())
    files = {*user_folder().glob(f"*{SUFFIX}"), *notes}
    return sorted(path for path in files if not notes.get(path, False))


def _known(path: Path, facts: DatabaseFacts) -> KnownDatabase:
    sources = tuple(Path(str(source.get("path", ""))) for source in facts.sources)
    outdated = any(_changed(source) for source in facts.sources)
    return KnownDatabase(
        path=path,
        file=facts.path,
        name=facts.name,
        sequences=facts.sequences,
        residues=facts.residues,
        longest=facts.longest,
        alphabet=facts.alphabet,
        made=facts.made,
        checksum=facts.checksum,
        size=facts.size,
        sources=sources,
        outdated=outdated,
    )


def _changed(source: Any) -> bool:
    """Whether a source is there and not what it was."""
    try:
        now = os.stat(source["path"])
    except (OSError, KeyError, TypeError, ValueError):
        return False
    return (now.st_size, now.st_mtime_ns) != (source.get("size"), source.get("mtime_ns"))


def _converted() -> Iterator[KnownDatabase]:
    """Sequence files that were opened as databases and are still there."""
    for note in sorted((cache_folder() / "paths").glob("*.json")):
        facts = _read_json(note)
        try:
            path = Path(facts["path"])
            database = cache_folder() / f"{facts['key']}-{facts['kind']}{SUFFIX}"
            if not path.is_file():
                continue
            entry = _known(path, database_facts(database))
        except (KeyError, TypeError, ValueError, OSError):
            continue
        source = {"path": str(path), "size": facts.get("size"), "mtime_ns": facts.get("mtime_ns")}
        yield replace(entry, name=_plain_name(path.name), sources=(path,), outdated=_changed(source))


def remember_database(path: str | os.PathLike[str]) -> None:
    """Put a database file from any folder on the list; no error if that cannot be written down."""
    _note(Path(os.path.abspath(path)))


def forget_database(path: str | os.PathLike[str]) -> None:
    """Take a database or a converted file off the list; no file of the user is touched."""
    place = Path(os.path.abspath(path))
    with suppress(OSError):
        _memory_of(place).unlink()
    if place.parent == Path(os.path.abspath(user_folder())):
        with suppress(OSError):  # everything in this folder is on the list unless a note says otherwise
            _note(place, place.stat().st_mtime_ns)
    name = f"{_digest(str(place).encode('utf-8', 'surrogateescape'))}.json"
    with suppress(OSError):
        (cache_folder() / "paths" / name).unlink()


def _note(place: Path, hidden_mtime_ns: int | None = None) -> None:
    with suppress(SwguiError, OSError):
        note = _memory_of(place)
        note.parent.mkdir(parents=True, exist_ok=True)
        _write_json(note, {"path": str(place), "hidden_mtime_ns": hidden_mtime_ns})


def _memory_of(place: Path) -> Path:
    return user_folder() / "known" / f"{_digest(str(place).encode('utf-8', 'surrogateescape'))}.json"


def _notes() -> Iterator[tuple[Path, bool]]:
    """Yield each file there is a note of, and whether it was taken off the list and not built anew since."""
    for note in sorted((user_folder() / "known").glob("*.json")):
        facts = _read_json(note)
        if not isinstance(facts.get("path"), str):
            continue
        place, hidden = Path(facts["path"]), facts.get("hidden_mtime_ns")
        with suppress(OSError, ValueError):
            hidden = hidden is not None and place.stat().st_mtime_ns == hidden
        yield place, bool(hidden)


def clear_cache() -> int:
    """Delete all converted files; returns the bytes freed. Databases in use stay readable until closed."""
    freed = 0
    for file in [*cache_folder().glob(f"*{SUFFIX}"), *cache_folder().glob("paths/*.json")]:
        with suppress(OSError):
            size = file.stat().st_size
            file.unlink()
            freed += size
    return freed
