"""Blocks of a packed file, read ahead by threads: in order, verified, and past the system's cache where they are many.

A file that is larger than a part of the memory is read directly (O_DIRECT) into buffers at addresses of pages; where a
file system has none, what was read is given back to the system. A smaller one may stay in the cache: the next search
finds it there.
"""

from __future__ import annotations

import mmap
import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import Allocator
from swgui.core.errors import Stopped
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.layout import PAGE, Block

T = TypeVar("T")
_MEMORY: Final = partial(mmap.mmap, -1)
CACHED_SHARE: Final = 4  # a file of at most this part of the memory may stay in the system's cache
THREADS: Final = 4
_DIRECT: Final = getattr(os, "O_DIRECT", 0)


def memory() -> int:
    """Return the bytes of memory of this computer."""
    import psutil

    return int(psutil.virtual_memory().total)


def _serve(asked: SimpleQueue[Callable[[], None] | None]) -> None:
    """Do one work after the other until there is none."""
    while (work := asked.get()) is not None:
        work()
        del work  # and the block it has


class BlockReader:
    """Reads blocks of a packed file. Use it in a ``with`` statement, whose end waits for what is being read.

    Parameters
    ----------
    threads : int
        Which read, compare checksums and do what is to be done with each block.
    direct : bool, optional
        Whether to go past the system's cache; by the size of the file if not given.
    room : callable
        Gives the memory that blocks are read into, which begins at a page.
    """

    def __init__(
        self, file: PackedFile, *, threads: int = THREADS, direct: bool | None = None, room: Allocator = _MEMORY
    ) -> None:
        self.file = file
        self.direct = file.header.size > memory() // CACHED_SHARE if direct is None else direct
        self._stack = ExitStack()
        self._threads = max(1, min(threads, len(file)))
        self._descriptor = self._opened_directly() if self.direct else None
        self._room = room
        self._buffers: SimpleQueue[mmap.mmap] = SimpleQueue()  # that is free
        self._largest = int(file.directory["size"].max(initial=PAGE))
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.readers: list[threading.Thread] = []
        self.closed = threading.Event()

    def _opened_directly(self) -> int | None:
        """Open the file once more past the cache; None where that cannot be, or the name leads to another file now."""
        if not _DIRECT:
            return None
        with suppress(OSError):
            descriptor = os.open(self.file.path, os.O_RDONLY | _DIRECT)
            self._stack.callback(os.close, descriptor)
            if self.file.is_same(descriptor):
                return descriptor
        return None

    def __enter__(self) -> BlockReader:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Read no more; requests that are under way are waited for."""
        self.closed.set()
        for _ in self.readers:
            self._asked.put(None)
        for thread in self.readers:
            if thread is not threading.current_thread():  # which collects garbage
                thread.join()
        self._stack.close()

    def begin(self, block: int, use: Callable[[Block], T]) -> Future[T]:
        """Begin to read a block; the future has what a function makes of it, as of `each`, or that it was stopped."""
        return self.also(lambda: use(self._block(block)))

    def also(self, task: Callable[[], T]) -> Future[T]:
        """Have something else done by the threads."""
        future: Future[T] = Future()

        def work() -> None:
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(task())
                except BaseException as fault:  # for a reader that waits
                    future.set_exception(fault)

        if self.closed.is_set():
            work()  # which raises that
            return future
        self._asked.put(work)
        # Not of a pool, for whose threads the program would wait when it ends.
        if len(self.readers) < self._threads:
            self.readers.append(threading.Thread(target=_serve, args=(self._asked,), name="swgui-blocks", daemon=True))
            self.readers[-1].start()
        return future

    def _check(self) -> None:
        if self.closed.is_set():
            raise Stopped("Reading was stopped.")

    def rate(self, seconds: float = 0.5) -> float:
        """Return how many bytes a second are read, which takes about so long; 0 if there is nothing to read."""
        begun, done = time.monotonic(), 0
        sizes = self.file.directory["size"].tolist()
        for size, _ in zip(sizes, self.each(lambda block: block.index.number), strict=True):
            done += size
            if time.monotonic() - begun > seconds:
                break
        return done / max(time.monotonic() - begun, 1e-9)

    def each(self, use: Callable[[Block], T], blocks: Iterable[int] | None = None) -> Iterator[T]:
        """Yield the result of a function of each block, in order; threads call it, a few blocks ahead.

        Raises
        ------
        DatabaseError
            If a block is damaged, cannot be read or was changed.
        """
        waiting = iter(range(len(self.file)) if blocks is None else blocks)
        ahead: deque[Future[T]] = deque()
        try:
            for number in waiting:
                ahead.append(self.begin(number, use))
                if len(ahead) > self._threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            for future in ahead:
                future.cancel()

    def _buffer(self) -> NDArray[np.uint8]:
        """Return a buffer for a block, which is used again once no block refers to it."""
        try:
            buffer = self._buffers.get_nowait()
        except Empty:
            buffer = self._room(self._largest)
        array = np.frombuffer(buffer, np.uint8)
        weakref.finalize(array, self._buffers.put, buffer).atexit = False
        return array

    def _block(self, number: int) -> Block:
        entry, file = self.file.directory[number], self.file
        data, offset, what = self._buffer()[: int(entry["size"])], int(entry["offset"]), file.block_name(number)
        if file.read_into(data.data, offset, what, self._descriptor, self._check) != int(entry["crc"]):
            raise file.fault(what)
        if self.direct and self._descriptor is None:
            file.forget(offset, len(data))
        return file.checked(what, Block.of, data, entry, number, file.track is not None)
