"""Database files: save, open, check, build."""

from __future__ import annotations

import os
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from swgui import __version__
from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.database import EncodedDatabase, TextColumn, content_checksum
from swgui.core.errors import DatabaseError, SwguiError
from swgui.core.packing import sort_by_length
from swgui.core.records import Remark, SequenceRecord
from swgui.io.database_format import (
    BLOCK,
    SECTIONS,
    SUFFIX,
    DatabaseWriter,
    Digest,
    Header,
    SectionReader,
    damaged_section,
    map_sections,
    read_header,
)
from swgui.io.report import ReadReport
from swgui.io.sequences import SequenceReader
from swgui.io.sources import TextSource, open_file
from swgui.io.whole_file import not_written, whole_file

__all__ = [
    "SUFFIX",
    "BuildStopped",
    "DatabaseFacts",
    "build_database",
    "check_database",
    "database_facts",
    "open_database",
    "save_database",
    "stored_report",
]

_REMARKS_STORED: Final = 100  # per kind; the counts are complete
_BATCH: Final = 1 << 20


class BuildStopped(SwguiError):
    """The user stopped the building of a database; nothing was written."""


@dataclass(frozen=True, slots=True)
class DatabaseFacts:
    """What a database file says about itself, without opening its sections.

    Parameters
    ----------
    path : Path
    name : str
    alphabet : Alphabet
    sequences, residues, longest : int
    checksum : str
        Of the content, as in `EncodedDatabase`.
    made : str
        Local time, ISO 8601.
    program : str
        Name and version of the program that made it.
    sources : tuple of dict
        ``path``, ``size`` and ``mtime_ns`` of each source file.
    format : str
        Format of the sources.
    counts : Mapping[str, int]
        What the reader changed, by kind of remark.
    size : int
        Bytes of the file.
    """

    path: Path
    name: str
    alphabet: Alphabet
    sequences: int
    residues: int
    longest: int
    checksum: str
    made: str
    program: str
    sources: tuple[Mapping[str, Any], ...]
    format: str
    counts: Mapping[str, int]
    size: int


def save_database(database: EncodedDatabase, path: str | os.PathLike[str]) -> None:
    """Write a database held in memory to a file, whole or not at all.

    Raises
    ------
    DatabaseError
        If it cannot be written.
    """
    with whole_file(path, DatabaseError) as file:
        writer = DatabaseWriter(file)
        writer.array("codes", database.codes)
        writer.array("offsets", database.offsets)
        writer.array("order", database.order)
        for name, offsets, column in (
            ("ids", "id_offsets", database.ids),
            ("descriptions", "description_offsets", database.descriptions),
        ):
            writer.array(name, column.data)
            writer.array(offsets, column.offsets)
        longest = int(database.lengths.max(initial=0))
        facts = _facts(database.name, database.alphabet, len(database), database.residues, longest)
        writer.finish(facts | {"checksum": _content(writer, database.alphabet)})


def _facts(name: str, alphabet: Alphabet, sequences: int, residues: int, longest: int) -> dict[str, Any]:
    return {
        "name": name,
        "alphabet": alphabet.name,
        "letters": alphabet.letters,
        "sequences": sequences,
        "residues": residues,
        "longest": longest,
        "checksum": "",
        "made": datetime.now().astimezone().isoformat(timespec="seconds"),
        "program": f"swgui {__version__}",
    }


def open_database(path: str | os.PathLike[str]) -> EncodedDatabase:
    """Open a database file, memory-mapped: quick whatever its size.

    Header, file size and (up to a million sequences) the index are verified; `check_database` verifies all.

    Raises
    ------
    DatabaseError
        If the file is missing, foreign, truncated, damaged or of a newer version.
    """
    with _opened(path) as file:
        header = read_header(file, str(path))
        arrays = map_sections(file, header, str(path))
    facts = header.facts
    return EncodedDatabase(
        name=facts["name"],
        alphabet=alphabet_by_name(facts["alphabet"]),
        codes=arrays["codes"],
        offsets=arrays["offsets"],
        order=arrays["order"],
        ids=TextColumn(arrays["ids"], arrays["id_offsets"]),
        descriptions=TextColumn(arrays["descriptions"], arrays["description_offsets"]),
        checksum=facts["checksum"],
    )


def check_database(path: str | os.PathLike[str]) -> DatabaseFacts:
    """Read a whole database file and verify every checksum and the rules of the format.

    Raises
    ------
    DatabaseError
        If a single bit is wrong.
    """
    where = str(path)
    with _opened(path) as file:
        header = read_header(file, where)
        for name in SECTIONS:
            digest = Digest()
            for block in SectionReader(file, header.sections[name]).blocks():
                digest.update(block)
            if digest.hex() != header.sections[name].checksum:
                raise damaged_section(where, name)
        readers = {name: SectionReader(file, header.sections[name]) for name in SECTIONS}
        _check_rules(readers, header, where)
        alphabet = alphabet_by_name(header.facts["alphabet"])
        if _content_of(readers, alphabet) != header.facts["checksum"]:
            raise damaged_section(where, "checksum of the content")
    return _facts_of(Path(path), header)


def _check_rules(readers: Mapping[str, SectionReader], header: Header, path: str) -> None:
    """Check what checksums cannot: that whoever wrote the file kept the rules."""
    letters = len(header.facts["letters"])
    if any(len(block) and int(block.max()) >= letters for block in readers["codes"].blocks()):
        raise damaged_section(path, "codes")
    offsets, order = readers["offsets"][:], readers["order"][:]
    lengths = np.diff(offsets)
    if len(lengths) and (lengths.min() < 0 or (np.diff(lengths) > 0).any()):
        raise damaged_section(path, "offsets")
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        raise damaged_section(path, "order")
    for name in ("id_offsets", "description_offsets"):
        if (np.diff(readers[name][:]) < 0).any():
            raise damaged_section(path, name)


def database_facts(path: str | os.PathLike[str]) -> DatabaseFacts:
    """Read what a database file says about itself; quick.

    Raises
    ------
    DatabaseError
        As `open_database`.
    """
    with _opened(path) as file:
        header = read_header(file, str(path))
    return _facts_of(Path(path), header)


def _facts_of(path: Path, header: Header) -> DatabaseFacts:
    facts = header.facts
    report = facts.get("report") or {}
    return DatabaseFacts(
        path=path,
        name=facts["name"],
        alphabet=alphabet_by_name(facts["alphabet"]),
        sequences=int(facts["sequences"]),
        residues=int(facts["residues"]),
        longest=int(facts["longest"]),
        checksum=facts["checksum"],
        made=facts["made"],
        program=facts["program"],
        sources=tuple(facts.get("sources") or ()),
        format=str(report.get("format", "")),
        counts=dict(report.get("counts", {})),
        size=header.size,
    )


def stored_report(path: str | os.PathLike[str]) -> ReadReport:
    """Return the report of the reading a database was built from (its first remarks, all counts)."""
    with _opened(path) as file:
        facts = read_header(file, str(path)).facts
    stored = facts.get("report") or {}
    report = ReadReport(
        records=int(facts["sequences"]),
        residues=int(facts["residues"]),
        format=str(stored.get("format", "")),
        alphabet=alphabet_by_name(facts["alphabet"]),
    )
    for values in stored.get("remarks", []):
        report.add(Remark(*values))
    report.counts.clear()
    report.counts.update(stored.get("counts", {}))
    return report


def _opened(path: str | os.PathLike[str]) -> IO[bytes]:
    place = Path(path)
    try:
        if place.is_dir():
            raise DatabaseError(str(place), f"'{place.name}' is a folder, not a database.", hint="Choose a file in it.")
        return open(place, "rb")
    except FileNotFoundError:
        hint = "Check the name; it may have been moved or deleted."
        raise DatabaseError(str(place), f"There is no database '{place}'.", hint=hint) from None
    except PermissionError:
        raise DatabaseError(str(place), f"'{place.name}' may not be read by you.", hint="Ask its owner.") from None
    except DatabaseError:
        raise
    except (OSError, ValueError) as fault:
        raise DatabaseError(str(place), f"'{place.name}' cannot be opened: {fault}.") from fault


def build_database(
    sources: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    alphabet: Alphabet | None = None,
    name: str = "",
    report: ReadReport | None = None,
    progress: Callable[[int, int], None] | None = None,
    cancel: threading.Event | None = None,
    refuse_other_kind: bool = False,
) -> EncodedDatabase:
    """Convert sequence files into a database file, streaming: memory does not grow with the residues.

    About 80 bytes per sequence are held in memory, and at most two copies of the longest record.

    Parameters
    ----------
    sources : sequence of paths
        Read one after the other as one database.
    out : path
        Replaced when the new file is complete, untouched otherwise.
    alphabet : Alphabet, optional
        Guessed from the first records of the first source if not given.
    name : str
        Shown to users; the name of `out` without its suffix if empty.
    report : ReadReport, optional
    progress : callable, optional
        Called with (done, total) in units of source bytes.
    cancel : threading.Event, optional
    refuse_other_kind : bool
        Refuse nucleotides where `alphabet` says protein, instead of remarking on them.

    Returns
    -------
    EncodedDatabase
        Memory-mapped from `out`.

    Raises
    ------
    SequenceError, AlphabetMismatch
        If a source cannot be read.
    DatabaseError
        If the file cannot be written.
    BuildStopped
        If `cancel` was set.
    """
    report = report if report is not None else ReadReport()
    steps = _Steps(sources, progress, cancel)
    target = Path(out)
    with whole_file(target, DatabaseError) as file, _Spool(target) as spool:
        for number, path in enumerate(sources):
            with open_file(path) as source:
                strict = refuse_other_kind or (number > 0 and alphabet is None)
                reader = SequenceReader(source, alphabet or report.alphabet, report, refuse_other_kind=strict)
                for record in steps.watched(reader, source):
                    spool.add(record, report.alphabet)
                    del record  # or it would still be there while the next one is read
        steps.check()
        kind = spool.finish(report.alphabet)
        writer = DatabaseWriter(file)
        longest = spool.write_to(writer, steps)
        facts = _facts(name or target.name.removesuffix(SUFFIX), kind, len(spool), spool.residues, longest)
        facts |= {"checksum": _content(writer, kind), "sources": steps.facts, "report": _report_facts(report)}
        writer.finish(facts)
        steps.check()
    steps.finish()
    return open_database(target)


def _report_facts(report: ReadReport) -> dict[str, Any]:
    kept: dict[str, int] = {}
    remarks = []
    for remark in report.remarks:
        kept[remark.kind] = kept.get(remark.kind, 0) + 1
        if kept[remark.kind] <= _REMARKS_STORED:
            remarks.append([remark.kind, remark.message, remark.record, remark.line, remark.count])
    return {"format": report.format, "counts": dict(report.counts), "remarks": remarks}


def _content(writer: DatabaseWriter, alphabet: Alphabet) -> str:
    writer.file.flush()
    return _content_of({name: SectionReader(writer.file, s) for name, s in writer.sections.items()}, alphabet)


def _content_of(readers: Mapping[str, SectionReader], alphabet: Alphabet) -> str:
    """Return the content checksum of sections on disk; they are sliced in blocks like arrays."""
    array_like = {name: cast("NDArray[Any]", reader) for name, reader in readers.items()}
    ids = TextColumn(array_like["ids"], array_like["id_offsets"])
    return content_checksum(alphabet, array_like["codes"], array_like["offsets"], ids)


class _Steps:
    """Progress and cancelling of one building."""

    def __init__(
        self,
        sources: Sequence[str | os.PathLike[str]],
        progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
    ) -> None:
        self._progress = progress
        self._cancel = cancel
        self._read = 0
        self.facts: list[dict[str, Any]] = []
        for path in sources:
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue  # opening it will tell
            self.facts.append(
                {"path": str(Path(path).absolute()), "size": found.st_size, "mtime_ns": found.st_mtime_ns}
            )
        self._sources_size = sum(fact["size"] for fact in self.facts)
        self._total = self._sources_size * 5 // 4 or 1  # reading takes about four fifths of the time

    def check(self) -> None:
        if self._cancel is not None and self._cancel.is_set():
            raise BuildStopped("Building the database was stopped.", hint="Nothing was written.")

    def watched(self, reader: SequenceReader, source: TextSource) -> Iterator[SequenceRecord]:
        """Pass records on, telling progress and looking for a cancel every now and then."""
        told = -1
        self.check()
        for record in reader:
            yield record
            del record
            if source.position != told:
                told = source.position
                self.check()
                self._tell(self._read + told)
        self._read += source.position

    def written(self, share: float) -> None:
        """Tell that a share of the sorted residues is written."""
        self.check()
        self._tell(self._sources_size + int((self._total - self._sources_size) * share))

    def finish(self) -> None:
        self._tell(self._total)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(min(done, self._total), self._total)


class _Spool:
    """Records in source order on disk, until their number and lengths are known.

    The temporary files have no name (or vanish when closed), beside the target, where there is room
    if there is room for the target.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._stack = ExitStack()
        self._lengths = {name: array("q") for name in ("codes", "ids", "descriptions")}
        self._batch: dict[str, list[bytes]] = {name: [] for name in self._lengths}
        self._batched = 0
        self._alphabet: Alphabet | None = None
        self.residues = 0

    def __enter__(self) -> _Spool:
        folder = self._target.resolve().parent
        try:
            self._files = {
                name: self._stack.enter_context(tempfile.TemporaryFile(dir=folder, buffering=0))  # noqa: SIM115
                for name in self._lengths
            }
        except OSError as fault:
            self._stack.close()
            raise not_written(self._target, fault, DatabaseError) from fault
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __len__(self) -> int:
        return len(self._lengths["codes"])

    def add(self, record: SequenceRecord, alphabet: Alphabet | None) -> None:
        """Take one record."""
        self._alphabet = alphabet
        if len(record.residues) >= _BATCH:
            self._flush()  # so that the long record is not joined with others, which would copy it
        parts = {
            "codes": record.residues,
            "ids": record.id.encode("utf-8", "replace"),
            "descriptions": record.description.encode("utf-8", "replace"),
        }
        for name, part in parts.items():
            self._lengths[name].append(len(part))
            self._batch[name].append(part)
            self._batched += len(part)
        self.residues += len(record.residues)
        if self._batched >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        for name, batch in self._batch.items():
            data = b"".join(batch)
            batch.clear()
            encoder = self._alphabet if name == "codes" else None
            _write_all(self._files[name], encoder.encode(data).data if encoder else data)
        self._batched = 0

    def finish(self, alphabet: Alphabet | None) -> Alphabet:
        """Write what is left; return the kind of the sequences."""
        self._flush()
        if alphabet is None:
            raise DatabaseError(str(self._target), "A database needs at least one source.", hint="Choose a file.")
        return alphabet

    def write_to(self, writer: DatabaseWriter, steps: _Steps) -> int:
        """Write all sections, the residues longest first; return the length of the longest."""
        lengths = np.frombuffer(self._lengths["codes"], dtype=np.int64)
        order = sort_by_length(lengths)
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths[order], out=offsets[1:])
        with writer.section("codes") as section:
            for block in self._sorted_blocks(lengths, order, offsets):
                section.write(block)
                steps.written(section.size / max(1, self.residues))
        writer.array("offsets", offsets)
        writer.array("order", order)
        for name, index in (("ids", "id_offsets"), ("descriptions", "description_offsets")):
            self._files[name].seek(0)
            with writer.section(name) as section:
                while text := self._files[name].read(BLOCK):
                    section.write(text)
            starts = np.zeros(len(lengths) + 1, dtype=np.int64)
            np.cumsum(np.frombuffer(self._lengths[name], dtype=np.int64), out=starts[1:])
            writer.array(index, starts)
        return int(lengths[order[0]])

    def _sorted_blocks(
        self, lengths: NDArray[np.int64], order: NDArray[np.int64], offsets: NDArray[np.int64]
    ) -> Iterator[memoryview]:
        """Yield the residues in storage order, gathered into blocks of a few megabytes."""
        starts = np.zeros(len(lengths), dtype=np.int64)
        np.cumsum(lengths[:-1], out=starts[1:])
        file = self._files["codes"]
        buffer = memoryview(bytearray(BLOCK))
        first, count = 0, len(order)
        while first < count:
            stop = max(first + 1, int(np.searchsorted(offsets, offsets[first] + BLOCK, side="right")) - 1)
            if stop == first + 1:  # perhaps longer than the buffer
                source = int(order[first])
                yield from self._long_record(int(starts[source]), int(lengths[source]), buffer)
            else:
                at = 0
                chosen = order[first:stop]
                for start, length in zip(starts[chosen].tolist(), lengths[chosen].tolist(), strict=True):
                    _read_all(file, start, buffer[at : at + length])
                    at += length
                yield buffer[:at]
            first = stop

    def _long_record(self, start: int, length: int, buffer: memoryview) -> Iterator[memoryview]:
        for at in range(0, length, BLOCK):
            part = buffer[: min(BLOCK, length - at)]
            _read_all(self._files["codes"], start + at, part)
            yield part


def _write_all(file: IO[bytes], data: bytes | memoryview) -> None:
    """Write to an unbuffered file, which may take less than it is given."""
    view = memoryview(data).cast("B")
    done = 0
    while done < len(view):
        done += file.write(view[done:])


def _read_all(file: IO[bytes], start: int, target: memoryview) -> None:
    """Fill `target` from an unbuffered file."""
    file.seek(start)
    done = 0
    while done < len(target):
        count = cast("Any", file).readinto(target[done:])
        if not count:
            raise OSError("a temporary file is shorter than what was written to it")
        done += count
