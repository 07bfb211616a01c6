"""Gathering records on disk while a database is built, and telling how far the building is."""

from __future__ import annotations

import os
import tempfile
import threading
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.entries.features import as_text
from swgui.core.errors import DatabaseError, Stopped
from swgui.core.packing import sort_by_length
from swgui.core.records import SequenceRecord
from swgui.io.database.facts import SourceFacts
from swgui.io.database.format import DatabaseWriter
from swgui.io.sequences.reader import SequenceReader
from swgui.io.sequences.sources import TextSource
from swgui.io.whole_file import not_written

BATCH: Final = 1 << 20  # bytes gathered before they are encoded and written
BLOCK: Final = 1 << 22  # bytes sorted at a time


class Steps:
    """Progress and cancelling of one building.

    Parameters
    ----------
    sources : sequence of paths
    progress : callable, optional
        Called with (done, total).
    cancel : threading.Event, optional

    Attributes
    ----------
    facts : list of dict
        Path, size and time of each source, as they were at the start.
    """

    def __init__(
        self,
        sources: Sequence[str | os.PathLike[str]],
        progress: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
    ) -> None:
        self._progress = progress
        self._cancel = cancel
        self._read = 0
        self.facts: list[SourceFacts] = []
        for path in sources:
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue  # opening it will tell
            self.facts.append(SourceFacts(str(Path(path).absolute()), found.st_size, found.st_mtime_ns))
        self._sources_size = sum(fact.size for fact in self.facts)
        self._total = self._sources_size * 5 // 4 or 1  # reading takes about four fifths of the time

    def check(self) -> None:
        """Raise `Stopped` if the user wants that."""
        if self._cancel is not None and self._cancel.is_set():
            raise Stopped("Building the database was stopped.", hint="Nothing was written.")

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
        """Tell that everything is done."""
        self._tell(self._total)

    def _tell(self, done: int) -> None:
        if self._progress is not None:
            self._progress(min(done, self._total), self._total)


class _Column:
    """One kind of data of all records, on disk but for what came last."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.lengths = array("q")  # of what was taken
        self.batch: list[bytes] = []

    def taken(self) -> bytes:
        data = b"".join(self.batch)
        self.lengths.extend(map(len, self.batch))
        self.batch.clear()
        return data


class Spool:
    """Records in source order on disk, until their number and lengths are known.

    The temporary files have no name (or vanish when closed), beside the target, where there is room
    if there is room for the target. In memory stay 32 bytes per record.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._stack = ExitStack()
        self._batched = 0
        self._alphabet: Alphabet | None = None
        self.residues = 0

    def __enter__(self) -> Spool:
        folder = self._target.resolve().parent
        try:
            self._codes, self._ids, self._descriptions, self._features = (
                _Column(self._stack.enter_context(tempfile.TemporaryFile(dir=folder, buffering=0)))  # noqa: SIM115
                for _ in range(4)
            )
        except OSError as fault:
            self._stack.close()
            raise not_written(self._target, fault, DatabaseError) from fault
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def __len__(self) -> int:
        return len(self._codes.lengths) + len(self._codes.batch)

    def add(self, record: SequenceRecord, alphabet: Alphabet | None) -> None:
        """Take one record."""
        self._alphabet = alphabet
        size = len(record.residues)
        if size >= BATCH:
            self._flush()  # so that the long record is not joined with others, which would copy it
        features = as_text(record.features).encode("utf-8", "replace") if record.features else b""
        self._codes.batch.append(record.residues)
        self._ids.batch.append(record.id.encode("utf-8", "replace"))
        self._descriptions.batch.append(record.description.encode("utf-8", "replace"))
        self._features.batch.append(features)
        self._batched += size + len(record.id) + len(record.description) + len(features)
        self.residues += size
        if self._batched >= BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._alphabet is not None:
            _write_all(self._codes.file, self._alphabet.encode(self._codes.taken()).data)
        for texts in (self._ids, self._descriptions, self._features):
            _write_all(texts.file, texts.taken())
        self._batched = 0

    def finish(self, alphabet: Alphabet | None) -> Alphabet:
        """Write what is left; return the kind of the sequences."""
        self._flush()
        if alphabet is None:
            raise DatabaseError(str(self._target), "A database needs at least one source.", hint="Choose a file.")
        return alphabet

    def write_to(self, writer: DatabaseWriter, steps: Steps) -> int:
        """Write all sections, the residues longest first; return the length of the longest."""
        lengths = np.frombuffer(self._codes.lengths, dtype=np.int64)
        order = sort_by_length(lengths)
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths[order], out=offsets[1:])
        with writer.section("codes") as section:
            for block in self._sorted_blocks(lengths, order, offsets):
                section.write(block)
                steps.written(section.size / max(1, self.residues))
        writer.array("offsets", offsets)
        writer.array("order", order)
        for name, index, texts in (
            ("ids", "id_offsets", self._ids),
            ("descriptions", "description_offsets", self._descriptions),
            ("features", "feature_offsets", self._features),
        ):
            if texts is self._features and not any(texts.lengths):
                continue  # no entry has any
            texts.file.seek(0)
            with writer.section(name) as section:
                while text := texts.file.read(BLOCK):
                    section.write(text)
            starts = np.zeros(len(lengths) + 1, dtype=np.int64)
            np.cumsum(np.frombuffer(texts.lengths, dtype=np.int64), out=starts[1:])
            writer.array(index, starts)
        return int(lengths[order[0]])

    def _sorted_blocks(
        self, lengths: NDArray[np.int64], order: NDArray[np.int64], offsets: NDArray[np.int64]
    ) -> Iterator[memoryview]:
        """Yield the residues in storage order, gathered into blocks of a few megabytes."""
        starts = np.zeros(len(lengths), dtype=np.int64)
        np.cumsum(lengths[:-1], out=starts[1:])
        file = self._codes.file
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
                for start, length in _stretches(starts[chosen], lengths[chosen]):
                    _read_all(file, start, buffer[at : at + length])
                    at += length
                yield buffer[:at]
            first = stop

    def _long_record(self, start: int, length: int, buffer: memoryview) -> Iterator[memoryview]:
        for at in range(0, length, BLOCK):
            part = buffer[: min(BLOCK, length - at)]
            _read_all(self._codes.file, start + at, part)
            yield part


def _stretches(starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield where to read and how much; what lies one behind the other, as many of one length do, is read at once."""
    ends = starts + lengths
    firsts = np.flatnonzero(np.concatenate([[True], starts[1:] != ends[:-1]]))
    lasts = np.append(firsts[1:], len(starts)) - 1
    yield from zip(starts[firsts].tolist(), (ends[lasts] - starts[firsts]).tolist(), strict=True)


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
