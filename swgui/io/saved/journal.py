"""What a run has scored so far, on disk: an append-only file that survives a crash at any moment.

::

    magic                         8 bytes
    records                       as in `swgui.io.frames`

The first record is JSON: what is searched. The second is JSON: the database as it was opened. Every other one is a
chunk of scores; of a search that keeps the best of each row alone, those that may be among them, and which subjects
were scored. Reading ends at the first record that is not whole; writing continues there. While a journal
is open it is locked, so that no other program resumes the same run.
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from swgui.core.control import beside
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.core.hits.scores import ChunkScores
from swgui.core.statistics.counts import Counted
from swgui.io.frames import framed, read_frame
from swgui.io.locking import lock
from swgui.io.whole_file import not_written

MAGIC: Final = b"\x93SWRUN1\n"
SYNC_SECONDS: Final = 2.0  # between two flushes to the disk itself, for power cuts
SPARE_BYTES: Final = 1 << 28  # left free on the disk
LARGEST: Final = 1 << 32  # bytes of all scores; of searches that have more the best alone come

_CHUNK: Final = struct.Struct("<IIqqddqHB")  # row, count, cells, rescored, seconds, elapsed, start, name bytes, width
# Instead of a start: source indices follow, because they are no slice of the database; or the storage positions that
# were scored follow, and source indices of the best of them.
_SCATTERED: Final = -1
_BEST: Final = -2
_STRETCH: Final = struct.Struct("<qq")


class JournalError(SwguiError, OSError):
    """A run that cannot be resumed."""


class Journal:
    """An open journal; see `swgui.jobs.search.events.Journal` for how a search uses it.

    Parameters
    ----------
    facts : Mapping, optional
        What is searched, for a new journal; without it an existing one is opened.

    Raises
    ------
    JournalError
        If an existing journal is in use or cannot be read.
    FileNotWritten
        If a new one cannot be made.

    Attributes
    ----------
    cells : int
        Cells of all chunks in it.
    problem : str
        Why no more chunks are kept, as one sentence; the run itself continues.
    """

    def __init__(self, path: Path, facts: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self.problem = ""
        self.cells = 0
        self._new = facts is not None
        self._earlier = 0.0
        self._began = time.monotonic()
        self._synced = self._began
        self._syncing: Future[None] | None = None
        self._database: EncodedDatabase | None = None
        try:
            # No buffer: what was written is in the system's hands, also if this program is killed.
            self._file: IO[bytes] = open(  # noqa: SIM115
                path,
                "r+b" if facts is None else "x+b",
                buffering=0,
                opener=lambda name, flags: os.open(name, flags, 0o600),
            )
        except OSError as fault:
            if facts is not None:
                raise not_written(path, fault) from fault
            raise JournalError(f"The journal '{path.name}' cannot be opened: {fault.strerror or fault}.") from fault
        try:
            if not lock(self._file):
                raise JournalError(f"The run '{path.stem}' is active in another window of this program.")
            if facts is None:
                self.facts = _read_json(self._file, path)
            else:
                self.facts = dict(facts)
                self._file.write(MAGIC)
                self._append(json.dumps(self.facts).encode("ascii"))
        except OSError as fault:
            self._file.close()
            if isinstance(fault, SwguiError):
                raise
            if facts is not None:
                with suppress(OSError):
                    path.unlink()
            raise not_written(path, fault) from fault

    @property
    def worth_keeping(self) -> bool:
        """Whether there may be scores in it."""
        return self.cells > 0 or not self._new

    @property
    def seconds(self) -> float:
        """Time that earlier runs spent scoring, as far as is known."""
        return self._earlier

    @property
    def whole(self) -> bool:
        """Whether it is known to give all scores there are: never, for a run may end at any time."""
        return False

    @property
    def of_each_strand(self) -> bool:
        """Whether its scores are those of each strand."""
        return True

    @property
    def counts(self) -> tuple[Counted, ...]:
        """How often scores occur beside those it gives: it gives all."""
        return ()

    def begin(self, database: EncodedDatabase, rows: int, best: int = 0) -> Iterator[ChunkScores]:
        """Yield the chunks of earlier runs; what is added later comes behind them.

        Raises
        ------
        JournalError
            If the database is another one than before.
        """
        self._database = database
        described: dict[str, Any] = {"checksum": database.checksum, "sequences": len(database), "rows": rows}
        described["residues"] = database.residues
        if database.whole is not None:
            described["whole"] = database.whole.checksum
        if len(database.pieces) > 1:  # the same content in other pieces has another storage order
            described["pieces"] = len(database.pieces)
        if best:
            described["best"] = best
        records = _records(self._file, self.path)
        next(records, None)
        end = self._file.tell()
        second = next(records, None)
        if second is not None:
            if _parsed(second) != described:
                raise JournalError(
                    f"The database '{database.name}' is not what it was when the run was interrupted.",
                    hint="Run the search again from the start.",
                )
            end = self._file.tell()
            for record in records:
                chunk = self._chunk(record, rows)
                if chunk is None:
                    break
                self.cells += chunk.cells
                yield chunk
                end = self._file.tell()
        self._continue_from(end, second is None, described)

    def _continue_from(self, end: int, new: bool, described: Mapping[str, Any]) -> None:
        self._began = time.monotonic()
        try:
            self._file.truncate(end)
            self._file.seek(end)
            needed = min(4 * int(described["rows"]) * int(described["sequences"]), LARGEST)
            if shutil.disk_usage(self.path.parent).free < needed + SPARE_BYTES:
                self.problem = "There is too little space on the disk to keep what is scored while the search runs."
            elif new:
                self._append(json.dumps(described).encode("ascii"))
        except OSError as fault:
            self._give_up(fault)

    def add(self, chunk: ChunkScores) -> None:
        """Keep a chunk; a full disk ends the journal, not the run."""
        if self.problem:
            return
        elapsed = self._earlier + time.monotonic() - self._began
        try:
            self._append(self._record(chunk, elapsed))
            self.cells += chunk.cells
            self._sync_now_and_then()
        except OSError as fault:
            self._give_up(fault)

    def _sync_now_and_then(self) -> None:
        """Flush to the disk itself from a thread of its own: a slow disk must not hold up a fast GPU."""
        if time.monotonic() - self._synced < SYNC_SECONDS or (self._syncing is not None and not self._syncing.done()):
            return
        self._synced = time.monotonic()
        self._syncing = beside(partial(_sync, self._file.fileno()), "swgui-journal", daemon=True)

    def close(self) -> None:
        """Close and unlock; safe to call twice."""
        if self._syncing is not None:
            self._syncing.result()
        self._file.close()

    def delete(self) -> None:
        """Close and delete."""
        with suppress(OSError):
            if sys.platform == "win32":  # an open file cannot be deleted there
                self.close()
            self.path.unlink()
        self.close()

    def _give_up(self, fault: OSError) -> None:
        self.problem = f"What is scored could not be kept while the search ran: {fault.strerror or fault}."

    def _append(self, content: bytes) -> None:
        record = memoryview(framed(content))
        while record:
            record = record[self._file.write(record) :]

    def _record(self, chunk: ChunkScores, elapsed: float) -> bytes:
        start = self._slice_start(chunk) if chunk.best_of is None else _BEST
        width = 2 if int(chunk.scores.max(initial=0)) <= np.iinfo(np.int16).max else 4
        name = chunk.device.encode("utf-8", "replace")[:1000]
        head = _CHUNK.pack(
            chunk.query_index, len(chunk.scores), chunk.cells, chunk.rescored, chunk.seconds, elapsed, start, len(name),
            width,
        )  # fmt: skip
        where = chunk.db_index.astype("<i8").tobytes() if start < 0 else b""
        if chunk.best_of is not None:
            where = _STRETCH.pack(*chunk.best_of) + where
        return b"".join([head, name, where, chunk.scores.astype(f"<i{width}").tobytes()])

    def _slice_start(self, chunk: ChunkScores) -> int:
        """Return where in storage order the subjects stand, if they are known to stand there one behind the other."""
        if self._database is None or chunk.stored is None:
            return _SCATTERED
        same = np.array_equal(self._database.sources(*chunk.stored), chunk.db_index)
        return chunk.stored[0] if same else _SCATTERED

    def _chunk(self, record: bytes, rows: int) -> ChunkScores | None:
        """Return the chunk of a record; None if it is none."""
        assert self._database is not None
        if len(record) < _CHUNK.size:
            return None
        row, count, cells, rescored, seconds, elapsed, start, name_bytes, width = _CHUNK.unpack_from(record)
        begin, stretch, stored = _CHUNK.size + name_bytes, None, None
        device = record[_CHUNK.size : begin].decode("utf-8", "replace")
        index_bytes = 8 * count if start < 0 else 0
        subjects = len(self._database)
        if start == _BEST and len(record) >= begin + _STRETCH.size:
            stretch = _STRETCH.unpack_from(record, begin)
            begin += _STRETCH.size
            if not 0 <= stretch[0] <= stretch[1] - count or stretch[1] > subjects:
                return None
        if row >= rows or width not in (2, 4) or len(record) != begin + index_bytes + count * width:
            return None
        if start == _SCATTERED or stretch is not None:
            db_index = np.frombuffer(record, "<i8", count, begin).astype(np.int64)
            if count and not 0 <= db_index.min() <= db_index.max() < subjects:
                return None
        elif 0 <= start <= subjects - count:
            db_index, stored = self._database.sources(start, start + count), (start, start + count)
        else:
            return None
        self._earlier = max(self._earlier, elapsed)
        return ChunkScores(
            query_index=row,
            db_index=db_index,
            scores=np.frombuffer(record, f"<i{width}", count, begin + index_bytes).astype(np.int32),
            cells=cells,
            rescored=rescored,
            device=device,
            seconds=seconds,
            best_of=stretch,
            stored=stored,
        )


def read_facts(path: Path) -> tuple[dict[str, Any], int, float]:
    """Return what a journal says is searched, the cells scored so far and the time that took.

    Under ``opened`` stands what is known of the database, an empty dict before it was opened.

    Raises
    ------
    JournalError
        If it is none.
    """
    try:
        with open(path, "rb") as file:
            facts = _read_json(file, path)
            records = _records(file, path)
            cells, elapsed = 0, 0.0
            facts["opened"] = {}
            for number, record in enumerate(records):
                if number == 1:
                    facts["opened"] = _parsed(record) or {}
                if number >= 2 and len(record) >= _CHUNK.size:
                    values = _CHUNK.unpack_from(record)
                    cells, elapsed = cells + values[2], max(elapsed, values[5])
    except OSError as fault:
        if isinstance(fault, SwguiError):
            raise
        raise JournalError(f"The journal '{path.name}' cannot be read: {fault.strerror or fault}.") from fault
    return facts, cells, elapsed


def in_use(path: Path) -> bool:
    """Whether a program has a journal open."""
    try:
        with open(path, "r+b") as file:
            return not lock(file)
    except OSError:
        return True


def _read_json(file: IO[bytes], path: Path) -> dict[str, Any]:
    first = next(_records(file, path), b"")
    facts = _parsed(first)
    if facts is None:
        raise JournalError(f"The journal '{path.name}' is damaged, so its run cannot be resumed.")
    return facts


def _parsed(record: bytes) -> dict[str, Any] | None:
    try:
        facts = json.loads(record)
    except (ValueError, RecursionError):
        return None
    return facts if isinstance(facts, dict) else None


def _records(file: IO[bytes], path: Path) -> Iterator[bytes]:
    """Yield the records from the start, up to the first that is not whole."""
    file.seek(0)
    if file.read(len(MAGIC)) != MAGIC:
        raise JournalError(f"'{path.name}' is no journal of this program, or damaged.")
    while (content := read_frame(file)) is not None:
        yield content


def _sync(descriptor: int) -> None:
    with suppress(OSError):
        os.fsync(descriptor)
