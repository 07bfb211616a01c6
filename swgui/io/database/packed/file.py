"""A packed database file that is open: its directory, blocks, names; every fault of reading is a sentence."""

from __future__ import annotations

import os
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, alphabet_by_name
from swgui.core.control import Check
from swgui.core.errors import DatabaseError
from swgui.io.database.format import BESIDE_BLOCKS, DIRECTORY, Digest, SectionReader, damaged, read_header, truncated
from swgui.io.database.packed.codec import PLANES, checksum
from swgui.io.database.packed.layout import HEAD, PAGE, BlockIndex, directory_of, whole_bits
from swgui.io.database.packed.names import INDEX_BYTES, Frame, NameSource, frame_of, index_of
from swgui.io.opening import open_to_read

T = TypeVar("T")
REQUEST: Final = 1 << 22  # bytes asked for at a time: of a slow drive, too, a few have come within a second
_LENGTHS: Final = 1 << 25  # lengths that are kept of blocks, of some of these at least: two bytes each in most files
_AGAIN: Final = "Wait until the program that writes it has finished, and start again."


class LruCache(Generic[T]):
    """The `most` values used last, by key, for any number of threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[tuple[int, ...], T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[int, ...], make: Callable[[], T]) -> T:
        """Return the value of a key, made if it is not there."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        made = make()
        with self._lock:
            self._made[key] = made
            while len(self._made) > self._most:
                self._made.popitem(last=False)
        return made


def _state(descriptor: int) -> tuple[int, ...]:
    status = os.fstat(descriptor)
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev


class PackedFile(NameSource):
    """A packed database file, open for reading by any number of threads.

    Raises
    ------
    DatabaseError
        If it is missing, foreign, truncated, damaged, or of a newer version.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._file = open_to_read(self.path, "a database", DatabaseError)
        weakref.finalize(self, self._file.close)
        self._lock = threading.Lock()
        self.header = read_header(self._file, str(path))
        self._stamp = _state(self._file.fileno())
        facts, section = self.header.facts, self.header.sections[DIRECTORY]
        data = SectionReader(self._file, section)[:]
        digest = Digest()
        digest.update(data)
        if digest.hex() != section.checksum:
            raise self.fault("its directory")
        self.directory = self.checked(
            "its directory", directory_of, data, facts.sequences, facts.residues, section.offset
        )
        self.firsts = np.append(self.directory["first"], facts.sequences).astype(np.int64)
        self.alphabet = alphabet_by_name(facts.alphabet)
        self.track = alphabet_by_name(facts.track.alphabet) if facts.track else None
        self._frames: LruCache[tuple[int, Frame]] = LruCache(64)
        many = max(16, _LENGTHS // int(self.directory["sequences"].max(initial=1)))
        self._indices: LruCache[tuple[BlockIndex, NDArray[np.integer[Any]]]] = LruCache(many)
        self._names: LruCache[NDArray[np.int64]] = LruCache(64)

    def __len__(self) -> int:
        return len(self.directory)

    def fault(self, what: str) -> DatabaseError:
        """Make the error for a part that is not what was written."""
        return damaged(str(self.path), self.path.name, what)

    def block_name(self, block: int) -> str:
        """Return the name of a block in messages."""
        return f"block {block + 1} of {len(self):,}"

    def checked(self, what: str, read: Callable[..., T], *values: Any) -> T:
        """Return the result of a function of bytes of the file; its `ValueError` becomes a `DatabaseError`."""
        try:
            return read(*values)
        except ValueError:
            raise self.fault(what) from None

    def check_unchanged(self) -> None:
        """Raise `DatabaseError` if the file has changed since it was opened."""
        if _state(self._file.fileno()) != self._stamp:
            message = f"'{self.path.name}' was changed while it was read."
            raise DatabaseError(str(self.path), message, hint=_AGAIN)

    def is_same(self, descriptor: int) -> bool:
        """Whether a descriptor is of this very file, as it was when it was opened."""
        return _state(descriptor) == self._stamp

    def forget(self, offset: int, size: int) -> None:
        """Tell the system that some bytes need not stay in its cache."""
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(self._file.fileno(), offset, size, os.POSIX_FADV_DONTNEED)

    def read_into(
        self,
        view: memoryview,
        offset: int,
        what: str,
        descriptor: int | None = None,
        check: Check = lambda: None,
    ) -> int:
        """Fill a view with bytes of the file; return their CRC-32.

        Parameters
        ----------
        descriptor : int, optional
            Of the same file, opened in another way.
        check : callable
            Called before each request; raises `Stopped` to read no more.

        Raises
        ------
        DatabaseError
            If the file ends before, cannot be read, or was changed.
        """
        done = crc = 0
        try:
            while done < len(view):
                check()
                count = self._read_some(view[done : done + REQUEST], offset + done, descriptor)
                if not count:
                    raise truncated(str(self.path), self.path.name)
                crc = checksum(view[done : done + count], crc)
                done += count
            self.check_unchanged()
            return crc
        except OSError as fault:
            message = f"'{self.path.name}' cannot be read ({what}): {fault.strerror or fault}."
            raise DatabaseError(str(self.path), message, hint="Copy the file to another drive.") from fault

    def _read_some(self, view: memoryview, offset: int, descriptor: int | None) -> int:
        if hasattr(os, "preadv"):
            return os.preadv(self._file.fileno() if descriptor is None else descriptor, [view], offset)
        with self._lock:  # Windows: one place in the file for all threads
            self._file.seek(offset)
            return int(self._file.readinto(view))  # type: ignore[attr-defined]

    def read(self, offset: int, size: int, what: str) -> bytearray:
        """Return some bytes of the file; errors as of `read_into`."""
        data = bytearray(size)
        self.read_into(memoryview(data), offset, what)
        return data

    def section(self, name: str) -> NDArray[Any] | None:
        """Return a section other than the blocks, None if there is none; `DatabaseError` if it is damaged."""
        section = self.header.sections.get(name)
        if section is None:
            return None
        data = self.read(section.offset, section.size, name)
        digest = Digest()
        digest.update(data)
        if digest.hex() != section.checksum:
            raise self.fault(f"the part '{name}'")
        return np.frombuffer(data, BESIDE_BLOCKS[name])

    def index(self, block: int) -> tuple[BlockIndex, NDArray[np.integer[Any]]]:
        """Return the head of a block, and the lengths of its subjects, without reading its residues."""
        return self._indices.get((block,), lambda: self._index(block))

    def _index(self, block: int) -> tuple[BlockIndex, NDArray[np.integer[Any]]]:
        entry, what = self.directory[block], self.block_name(block)
        offset = int(entry["offset"])
        head = self.read(offset, PAGE, what)[: HEAD.size]
        index = self.checked(what, BlockIndex.of, head, entry, block, self.track is not None)
        return index, self.checked(what, index.lengths_in, self.read(offset, index.needed, what))

    def names_index(self, block: int) -> NDArray[np.int64]:
        """Return first subject, beginning and unpacked size of each frame of the names of a block, and the end.

        Returns
        -------
        ndarray, shape=(frames + 1, 3), dtype=int64
        """
        return self._names.get((block,), lambda: self._names_index(block))

    def _names_index(self, block: int) -> NDArray[np.int64]:
        entry, what = self.directory[block], f"the list of names of {self.block_name(block)}"
        size, frames = int(entry["names_size"]), int(entry["frames"])
        begin = size - INDEX_BYTES * frames
        if begin < 0:
            raise self.fault(what)
        data = self.read(int(entry["names"]) + begin, INDEX_BYTES * frames, what)
        index = self.checked(what, index_of, data, int(entry["sequences"]), begin)
        return np.vstack([index, [[int(entry["sequences"]), begin, 0]]])

    def _frame(self, block: int, number: int) -> Frame:
        index, what = self.names_index(block), f"the list of names of {self.block_name(block)}"
        (first, begin, size), (stop, end, _) = index[number].tolist(), index[number + 1].tolist()
        data = self.read(int(self.directory["names"][block]) + begin, end - begin, what)
        return self.checked(what, frame_of, data, size, stop - first)

    def frame_at(self, block: int, row: int) -> tuple[int, Frame]:
        """Return the frame that has a subject of a block, and its first subject; the last ones are kept."""
        index = self.names_index(block)
        number = int(np.searchsorted(index[:, 0], row, side="right")) - 1
        return self._frames.get((block, number), lambda: (int(index[number, 0]), self._frame(block, number)))

    def names_size(self, block: int) -> int:
        """Return the bytes of all texts of a block, unpacked."""
        return int(self.names_index(block)[:, 2].sum())

    def frames_of(self, block: int) -> Iterator[Frame]:
        """Yield all frames of a block, none of which is kept."""
        for number in range(len(self.names_index(block)) - 1):
            yield self._frame(block, number)

    @property
    def on_devices(self) -> bool:
        """Whether devices unpack its residues, which take five bits or two."""
        return whole_bits(self.alphabet) == PLANES

    def letters_of(self) -> dict[str, Alphabet]:
        """Return the alphabet of each part of a block that holds letters."""
        return {"residues": self.alphabet} | ({"letters": self.track} if self.track is not None else {})
