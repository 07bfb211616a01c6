"""The progress of a run, on disk: one append-only file for every kind of run, which survives a crash.

::

    magic                         8 bytes
    entries                       each of one or more frames (`swgui.io.frames`)

An entry is plain facts and named arrays. The first one holds the request, and the kind of the run; each of the
others is a piece of work that was done, or a state that replaces all pieces before it. Reading ends at the first entry
that is not whole; writing continues there. An open log is locked, so that no other program resumes the same run.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Final, NamedTuple
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import start_thread
from swgui.core.errors import LogError, SwguiError
from swgui.io.frames import framed, read_frame
from swgui.io.locking import lock
from swgui.io.replacing import PART, replace_file
from swgui.io.whole_file import FileNotWritten, not_written

MAGIC: Final = b"\x93SWLOG1\n"
SYNC_SECONDS: Final = 2.0  # between two flushes to the disk itself, for power cuts
FRAME: Final = 1 << 26  # bytes of a frame; an entry with more has several
FACTS_ALONE: Final = 1 << 20  # bytes of arrays above which the facts of an entry have a frame of their own

Arrays = Mapping[str, NDArray[Any]]
NO_ARRAYS: Final[Arrays] = MappingProxyType({})
_guard: Final = threading.Lock()  # of the logs below
_open: Final[WeakValueDictionary[Path, Log]] = WeakValueDictionary()  # those of this program that are open, by file


class Entry(NamedTuple):
    """One piece of work that was done: plain facts, and arrays by name."""

    facts: dict[str, Any]
    arrays: dict[str, NDArray[Any]]


class Log:
    """The open log of a run.

    Parameters
    ----------
    path : Path
        Of a new file, or, without ``facts``, of one from which the run continues.
    kind : str
        Name of the kind of run (`swgui.jobs.kind`).
    facts : Mapping, optional
        The request, as plain JSON values; without it the log must exist.
    arrays : Mapping of str to ndarray
        What belongs to the request and is no JSON: residues, for example.

    Raises
    ------
    LogError
        If an existing log is of another kind of run, in use, or cannot be read.
    FileNotWritten
        If a new one cannot be made.

    Attributes
    ----------
    asked : Entry
        The request for which the log was made.
    problem : str
        Why no more is kept, as one sentence; the run itself continues. Empty while all is well.
    """

    def __init__(
        self, path: Path, kind: str, facts: Mapping[str, Any] | None = None, arrays: Arrays = NO_ARRAYS
    ) -> None:
        self.path, self.kind, self.problem = path, kind, ""
        self._new = facts is not None
        self.added = 0
        self._end = len(MAGIC)  # where the next entry is written
        self._synced = time.monotonic()
        self._syncing: Future[None] | None = None
        self._writer = _Writer(self)
        self._leaving: Future[None] | None = None
        settle(path)  # an earlier run of this program may have left it
        self._file = _opened(path, new=self._new)
        try:
            if not lock(self._file):
                raise used(path)
            if facts is None:
                self.asked = _asked(self._file, path, kind)
            else:
                self.asked = Entry(dict(facts), dict(arrays))
                self._file.write(MAGIC)
                self.write_frames(_frames({"kind": kind, **facts}, arrays))
            self._head = self._end = self._file.tell()
        except BaseException as fault:
            self._file.close()
            if self._new:
                with suppress(OSError):
                    path.unlink()
            if isinstance(fault, OSError) and not isinstance(fault, SwguiError):
                raise not_written(path, fault) from fault
            raise
        with _guard:
            _open[_same(path)] = self

    @property
    def worth_keeping(self) -> bool:
        """Whether a later run can continue from it: there are entries, or there may be."""
        return self.added > 0 or not self._new

    def entries(self) -> Iterator[Entry]:
        """Yield the entries behind the first; new ones are added behind them, in place of an incomplete one.

        A reader that ends early has found an entry it cannot use: this and all behind it are dropped.
        """
        self._end = self._file.seek(self._head)
        try:
            for entry in _entries(self._file):
                yield entry
                self._end = self._file.tell()
        finally:  # also where the reader finds an entry that is none, and looks at no other
            with suppress(OSError):  # a disk that has failed: the next write says so
                self._file.truncate(self._end)

    def state(self) -> Entry | None:
        """Return the state that `replace` kept; None if none was kept yet.

        Raises
        ------
        LogError
            If the file is damaged: a state is written whole, or not at all.
        """
        self._file.seek(self._head)
        state = _read_entry(self._file)
        if state is None and self._file.seek(0, os.SEEK_END) > self._head:
            raise no_log(self.path)
        return state

    def add(self, facts: Mapping[str, Any], arrays: Arrays = NO_ARRAYS) -> None:
        """Keep a piece of work that was done.

        A full disk ends the log, not the run: `problem` says so from then on.
        """
        if self.problem:
            return
        try:
            self._file.seek(self._end)
            self.write_frames(_frames(facts, arrays))
            self._end = self._file.tell()
            self.added += 1
            self._sync_now_and_then()
        except OSError as fault:
            self.problem = f"The progress of the run could not be kept: {fault.strerror or fault}."

    def replace(self, facts: Mapping[str, Any], arrays: Arrays = NO_ARRAYS) -> None:
        """Keep a state that replaces all entries behind the first, soon: it is written by a thread.

        The state before it stays until the new one is complete. If several states wait, only the newest is
        written.
        The arrays must not be changed any more.
        """
        self._writer.begin(facts, arrays)

    def forget(self) -> None:
        """Drop all entries behind the first: the run is done, and only the request is of use."""
        self._writer.settle(None)
        with suppress(OSError):
            self._file.truncate(self._head)
            self._end = self._head

    def due(self, seconds: float) -> bool:
        """Whether no state is being written, and the last one is so many seconds, and twenty times its own, old."""
        return self._writer.due(seconds)

    def settle(self, seconds: float | None = None) -> None:
        """Wait until no state is being written, and a log that was left is closed, at most so many seconds."""
        self._writer.settle(seconds)
        if self._leaving is not None:
            wait([self._leaving], seconds)

    def leave(self) -> None:
        """Close the file as soon as no state is being written, without waiting for that.

        A thread does it, which is no daemon: the program does not end before. A log that keeps nothing is deleted.
        """
        if self._writer.busy:
            self._leaving = start_thread(self._close_or_delete, "swgui-log-left")
        else:
            self._close_or_delete()

    def close(self) -> None:
        """Close and unlock the file once all is written; safe to call twice."""
        self._writer.settle(None)
        if self._syncing is not None:
            wait([self._syncing])
        self._file.close()
        with _guard:
            if _open.get(_same(self.path)) is self:
                del _open[_same(self.path)]

    def delete(self) -> None:
        """Close and delete the file: the run needs it no longer."""
        self._writer.settle(None)
        for path in (_part(self.path), self.path):  # a program that was killed left the first one
            with suppress(OSError):
                if sys.platform == "win32":  # an open file cannot be deleted there
                    self.close()
                path.unlink()
        self.close()

    def _close_or_delete(self) -> None:
        self._writer.settle(None)
        if self.worth_keeping:
            self.close()
        else:
            self.delete()

    def write_frames(self, frames: Iterable[bytes]) -> None:
        """Append frames to the file, each of them whole."""
        for frame in frames:
            left = memoryview(frame)
            while left:
                left = left[self._file.write(left) :]

    def _sync_now_and_then(self) -> None:
        """Flush to the disk itself from a thread: a slow disk must not hold up a fast GPU."""
        if time.monotonic() - self._synced < SYNC_SECONDS or (self._syncing is not None and not self._syncing.done()):
            return
        self._synced = time.monotonic()
        self._syncing = start_thread(partial(flush_to_disk, self._file.fileno()), "swgui-log", daemon=True)

    def replace_now(self, facts: Mapping[str, Any], arrays: Arrays) -> None:
        """Write the first entry and a state into a new file, and put it in the place of this one."""
        place = _part(self.path)
        with suppress(OSError):
            place.unlink()
        file = _opened(place, new=True)
        try:
            lock(file)
            with open(self.path, "rb") as before:
                left = self._head
                while left > 0 and (some := before.read(min(left, FRAME))):
                    file.write(some)
                    left -= len(some)
            earlier, self._file = self._file, file
            try:
                self.write_frames(_frames(facts, arrays))
                os.fsync(file.fileno())
                if sys.platform == "win32":  # neither of the two can be renamed while it is open
                    earlier.close()
                    file.close()
                replace_file(place, self.path)
            except BaseException:
                self._file = earlier
                raise
            if sys.platform == "win32":
                self._file = _opened(self.path, new=False)
                lock(self._file)
                self._file.seek(0, os.SEEK_END)
            self._end = self._file.tell()
            self.added += 1
            earlier.close()
        except BaseException as fault:
            file.close()
            with suppress(OSError):
                place.unlink()
            if isinstance(fault, OSError) and not isinstance(fault, SwguiError):
                raise not_written(self.path, fault) from fault
            raise


class NoLog:
    """Stands in the place of a log where nothing is kept."""

    def entries(self) -> Iterator[Entry]:
        """Yield nothing."""
        return iter(())

    def add(self, facts: Mapping[str, Any], arrays: Arrays = NO_ARRAYS) -> None:
        """Keep nothing."""

    def replace(self, facts: Mapping[str, Any], arrays: Arrays = NO_ARRAYS) -> None:
        """Keep nothing."""


NO_LOG: Final = NoLog()


class _Writer:
    """Writes the states of one log in a thread, the newest that waits each time.

    The thread is no daemon, so that the program does not end before the file is whole.
    """

    def __init__(self, log: Log) -> None:
        self._log, self._guard = log, threading.Lock()
        self._waiting: tuple[Mapping[str, Any], Arrays] | None = None
        self._running: Future[None] | None = None
        self._written, self._took = time.monotonic(), 0.0

    def begin(self, facts: Mapping[str, Any], arrays: Arrays) -> None:
        with self._guard:
            self._waiting = (facts, arrays)
            if self._running is None or self._running.done():
                self._running = start_thread(self._write_all, "swgui-log-state")

    @property
    def busy(self) -> bool:
        with self._guard:
            return self._running is not None and not self._running.done()

    def due(self, seconds: float) -> bool:
        return not self.busy and time.monotonic() - self._written >= max(seconds, 20 * self._took)

    def settle(self, seconds: float | None) -> None:
        with self._guard:
            running = self._running
        if running is not None:
            wait([running], seconds)

    def _write_all(self) -> None:
        while True:
            with self._guard:
                waiting, self._waiting = self._waiting, None
                if waiting is None:
                    self._running = None
                    return
            began = time.monotonic()
            try:
                self._log.replace_now(*waiting)
                self._log.problem = ""
            except FileNotWritten as fault:
                self._log.problem = str(fault)
            except MemoryError:
                self._log.problem = f"There is not enough memory to write '{self._log.path.name}'."
            self._written = time.monotonic()
            self._took = self._written - began


def settle(path: Path, seconds: float | None = None) -> None:
    """Wait until this program writes no state of the log at a place, and has closed it if it was left.

    Parameters
    ----------
    seconds : float, optional
        To wait at most.
    """
    with _guard:
        log = _open.get(_same(path))
    if log is not None:
        log.settle(seconds)


def read_log(path: Path, kind: str) -> tuple[Entry, Iterator[Entry]]:
    """Return the request in a log, and one entry after the other, without changing the file.

    Raises
    ------
    LogError
        If it is no log of this kind of run, or damaged.
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as file:
        asked, begin = _asked(file, path, kind), file.tell()

    def entries() -> Iterator[Entry]:
        with open(path, "rb") as file:
            file.seek(begin)
            yield from _entries(file)

    return asked, entries()


def read_state_facts(path: Path, kind: str) -> dict[str, Any]:
    """Return the facts of the state that a log holds, without reading its arrays; empty where it holds none.

    Raises
    ------
    LogError
        If it is no log of this kind of run, or damaged.
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as file:
        _asked(file, path, kind)
        frame = read_frame(file)
    head = None if frame is None else _head(frame)
    return {} if head is None else head.facts


def kind_of_log(path: Path) -> str:
    """Return the kind of run that a log is of.

    Raises
    ------
    LogError
        If it is no log, or damaged.
    OSError
        If it cannot be read.
    """
    with open(path, "rb") as file:
        first = _read_entry(file) if file.read(len(MAGIC)) == MAGIC else None
    if first is None:
        raise no_log(path)
    return str(first.facts.get("kind", ""))


def no_log(path: Path) -> LogError:
    """Return the error that a file is no log."""
    return LogError(
        f"'{path.name}' is no state of a run of this program, or damaged.", hint="Name another file, or delete it."
    )


def is_log(path: Path) -> bool:
    """Tell from its first bytes whether a file is a log of a run."""
    try:
        with open(path, "rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def used(path: Path) -> LogError:
    """Return the error that another program has a log open."""
    return LogError(
        f"'{path.name}' is in use: another program works on this run.", hint="Wait until it ends, or stop it there."
    )


def in_use(path: Path) -> bool:
    """Whether a program has a log, or another locked file, open."""
    try:
        with open(path, "r+b") as file:
            return not lock(file)
    except OSError:
        return True


def compare(before: Mapping[str, Any], now: Mapping[str, Any], path: Path, remedy: str) -> None:
    """Check that a log is of the request at hand.

    Parameters
    ----------
    before, now : Mapping
        What must agree, by what the user reads of a difference: ``another rule``.
    remedy : str
        What to do otherwise: ``name another file with --checkpoint``.

    Raises
    ------
    LogError
        If it is of another one.
    """
    plain = json.loads(json.dumps(now))
    if other := [name for name, value in plain.items() if before.get(name) != value]:
        raise LogError(
            f"The state '{path.name}' is of {' and '.join(other)}.",
            hint=f"Repeat the command of this log, {remedy}, or delete it.",
        )


def _opened(path: Path, *, new: bool) -> IO[bytes]:
    """Open a log without a buffer: what was written is in the system's hands, also if this program is killed."""
    try:
        return open(path, "x+b" if new else "r+b", buffering=0, opener=lambda name, flags: os.open(name, flags, 0o600))
    except OSError as fault:
        if new:
            raise not_written(path, fault) from fault
        raise LogError(f"'{path.name}' cannot be opened: {fault.strerror or fault}.") from fault


def _asked(file: IO[bytes], path: Path, kind: str) -> Entry:
    first = _read_entry(file) if file.read(len(MAGIC)) == MAGIC else None
    if first is None:
        raise no_log(path)
    if (other := first.facts.pop("kind", "")) != kind:
        raise LogError(f"'{path.name}' is the state of another kind of run ({other}).", hint="Name another file.")
    return first


def _entries(file: IO[bytes]) -> Iterator[Entry]:
    """Yield the entries that are whole."""
    while (entry := _read_entry(file)) is not None:
        yield entry


class _Head(NamedTuple):
    """The beginning of an entry."""

    facts: dict[str, Any]
    listed: list[tuple[str, str, list[int]]]  # its arrays: name, type, shape
    length: int  # bytes of its arrays
    size: int  # bytes of all this in the frame; arrays follow


def _frames(facts: Mapping[str, Any], arrays: Arrays) -> Iterator[bytes]:
    """Yield the frames of an entry: its head and the arrays, unless they are large, then the rest."""
    parts = [np.asarray(array, order="C") for array in arrays.values()]
    listed = [
        [name, part.dtype.newbyteorder("<").str, list(part.shape)] for name, part in zip(arrays, parts, strict=True)
    ]
    raw = b"".join([part.astype(part.dtype.newbyteorder("<"), copy=False).tobytes() for part in parts])
    head, first = json.dumps([facts, listed, len(raw)]).encode(), FRAME if len(raw) <= FACTS_ALONE else 0
    yield framed(b"".join([len(head).to_bytes(4, "little"), head, raw[:first]]))
    for begin in range(first, len(raw), FRAME):
        yield framed(raw[begin : begin + FRAME])


def _head(frame: bytes) -> _Head | None:
    """Read the head of an entry from its first frame; None if that has none."""
    size = 4 + int.from_bytes(frame[:4], "little")
    try:
        facts, listed, length = json.loads(frame[4:size])
    except (ValueError, TypeError, RecursionError):
        return None
    return _Head(facts, listed, length, size) if isinstance(facts, dict) and isinstance(length, int) else None


def _read_entry(file: IO[bytes]) -> Entry | None:
    """Return the entry that follows; None where none is whole."""
    frame = read_frame(file)
    head = None if frame is None else _head(frame)
    if frame is None or head is None:
        return None
    parts, have = [frame[head.size :]], len(frame) - head.size
    while have < head.length and (more := read_frame(file)) is not None:
        parts.append(more)
        have += len(more)
    if have != head.length:
        return None
    try:
        return Entry(head.facts, dict(_arrays(head.listed, b"".join(parts))))
    except (ValueError, TypeError, AttributeError):
        return None


def _arrays(listed: list[tuple[str, str, list[int]]], raw: bytes) -> Iterator[tuple[str, NDArray[Any]]]:
    begin = 0
    for name, kind, shape in listed:
        dtype, count = np.dtype(kind), int(np.prod(shape, dtype=np.int64))
        if dtype.hasobject or count < 0:
            raise ValueError(name)
        yield name, np.frombuffer(raw, dtype, count, begin).reshape(shape)
        begin += count * dtype.itemsize


def flush_to_disk(descriptor: int) -> None:
    """Have the system write what it holds of an open file; a disk that cannot is no obstacle."""
    with suppress(OSError):
        os.fsync(descriptor)


def _same(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _part(path: Path) -> Path:
    """Return the name of a log that is not whole yet; those who sweep a folder know such names."""
    return path.with_name(f".{path.name}{PART}")
