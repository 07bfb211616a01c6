"""Identifiers, descriptions, features and coordinates of a packed file: in frames that are unpacked for hits alone.

A frame holds the texts of subjects that follow each other, packed with zstd: how long each is (four numbers of 32 bits
a subject, kind after kind of text), then the texts. Behind the frames of a block stands for each its first
subject, where it begins, and how large it is unpacked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.texts import TextColumn
from swgui.io.database.packed.layout import squeeze, unsqueeze

COLUMNS: Final = ("ids", "descriptions", "features", "places")
SUBJECTS: Final = 4096  # of a frame at most
TEXT: Final = 1 << 20  # bytes of texts from which on a frame is full
LARGEST: Final = 1 << 32  # bytes of a frame that are unpacked
_HELD: Final = 1 << 15  # subjects gathered before frames are made of them
_INDEX: Final = 3  # numbers for each frame
INDEX_BYTES: Final = 8 * _INDEX

Texts = tuple[bytes | memoryview, NDArray[np.integer[Any]]]  # concatenated, and the bytes of each
NOTHING: Final = b""


class NameWriter:
    """Makes frames of texts as they come.

    Parameters
    ----------
    write : callable
        Takes the bytes of a frame, to stand behind those before it.
    """

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self._write = write
        self._held: list[tuple[Texts, ...]] = []
        self._subjects = self._bytes = 0
        self.any_of = [False] * len(COLUMNS)  # whether a subject had such a text
        self._begin()

    def _begin(self) -> None:
        self._index: list[tuple[int, int, int]] = []
        self._done = 0  # subjects in frames
        self.size = 0
        self._digest = hashlib.blake2b(digest_size=16)

    def add(self, columns: tuple[Texts, ...]) -> None:
        """Take texts of subjects that follow each other, of each kind."""
        self._held.append(columns)
        self._subjects += len(columns[0][1])
        self._bytes += sum(len(text) for text, _ in columns)
        if self._subjects >= _HELD or self._bytes >= TEXT * 4:
            self._frames(final=False)

    def end_block(self) -> tuple[int, int, bytes]:
        """Write the rest and the index; return bytes, frames and checksum of the names of this block."""
        self._frames(final=True)
        frames = len(self._index)
        self._put(np.array(self._index, "<i8").reshape(-1, _INDEX).tobytes())
        made = self.size, frames, self._digest.digest()
        self._begin()
        return made

    def _put(self, data: bytes) -> None:
        self._digest.update(data)
        self._write(data)
        self.size += len(data)

    def _frames(self, *, final: bool) -> None:
        """Make frames of what is held; the last only if it is full, or nothing comes behind."""
        if not self._held:
            return
        texts, lengths, offsets = [], [], []
        for number in range(len(COLUMNS)):
            texts.append(memoryview(b"".join([columns[number][0] for columns in self._held])))
            lengths.append(np.concatenate([columns[number][1] for columns in self._held]).astype("<u4"))
            offsets.append(np.concatenate([[0], np.cumsum(lengths[-1], dtype=np.int64)]))
            self.any_of[number] |= len(texts[-1]) > 0
        sizes, count, first = np.sum(offsets, axis=0), self._subjects, 0
        while first < count:
            full = int(np.searchsorted(sizes, sizes[first] + TEXT, side="right")) - 1
            stop = max(first + 1, min(first + SUBJECTS, full, count))
            if stop == count and not final and stop < first + SUBJECTS:
                break
            raw: list[bytes | memoryview] = [column[first:stop].tobytes() for column in lengths]
            raw += [text[at[first] : at[stop]] for text, at in zip(texts, offsets, strict=True)]
            joined = b"".join(raw)
            self._index.append((self._done, self.size, len(joined)))
            self._put(squeeze(joined))
            self._done += stop - first
            first = stop
        ends = list(zip(texts, offsets, lengths, strict=True))
        rest = tuple((bytes(text[at[first] :]), column[first:].copy()) for text, at, column in ends)
        self._held = [rest] if first < count else []
        self._subjects, self._bytes = count - first, sum(len(text) for text, _ in rest)


class Frame:
    """The texts of some subjects that follow each other.

    Parameters
    ----------
    raw : bytes
        Unpacked; `ValueError` if the lengths do not fit.
    """

    def __init__(self, raw: bytes, subjects: int) -> None:
        lengths = np.frombuffer(raw, "<u4", len(COLUMNS) * subjects).reshape(len(COLUMNS), subjects)
        ends = 4 * lengths.size + np.cumsum(lengths.ravel(), dtype=np.int64)
        if int(ends[-1]) != len(raw):
            raise ValueError("names")
        self.raw = raw
        self._ends = ends.reshape(lengths.shape)
        self._lengths = lengths

    def text(self, column: int, row: int) -> bytes:
        """Return one text."""
        end = int(self._ends[column, row])
        return self.raw[end - int(self._lengths[column, row]) : end]

    def column(self, column: int) -> tuple[bytes, NDArray[np.integer[Any]]]:
        """Return all texts of a kind, concatenated, and their lengths."""
        lengths, ends = self._lengths[column], self._ends[column]
        return self.raw[int(ends[0]) - int(lengths[0]) : int(ends[-1])], lengths


def index_of(data: Any, subjects: int, size: int) -> NDArray[np.int64]:
    """Return the index of the frames of a block, shape (frames, 3); `ValueError` if it leads nowhere.

    Parameters
    ----------
    size : int
        Bytes of the frames together.
    """
    index = np.frombuffer(data, "<i8").reshape(-1, _INDEX)
    starts = np.vstack([index[:, :2], [[subjects, size]]])
    if starts[0].any() or (np.diff(starts, axis=0) <= 0).any() or (index[:, 2] < 0).any():
        raise ValueError("names")
    if (index[:, 2] > LARGEST).any():
        raise ValueError("names")
    return index


def frame_of(data: Any, size: int, subjects: int) -> Frame:
    """Unpack a frame; `ValueError` if it is not what the index says."""
    if size < 4 * len(COLUMNS) * subjects:
        raise ValueError("names")
    return Frame(unsqueeze(data, size), subjects)


class NameSource:
    """Where frames are read from: blocks with subjects; what `StoredTexts` asks."""

    path: Path
    firsts: NDArray[np.int64]  # source index of the first subject of each block, and the end

    def frame_at(self, block: int, row: int) -> tuple[int, Frame]:
        """Return the frame that has a subject of a block, and its first subject."""
        raise NotImplementedError

    def names_size(self, block: int) -> int:
        """Return the bytes of all texts of a block, unpacked."""
        raise NotImplementedError

    def frames_of(self, block: int) -> Any:
        """Yield all frames of a block."""
        raise NotImplementedError


class StoredTexts(TextColumn):
    """Texts of one kind in a packed file, read on demand.

    Parameters
    ----------
    source : NameSource
    column : int
        Place in `COLUMNS`.
    first, stop : int
        Of which blocks.
    """

    def __init__(self, source: NameSource, column: int, first: int, stop: int) -> None:
        self.source, self._column, self._first, self._stop = source, column, first, stop
        self._begin, self._end = int(source.firsts[first]), int(source.firsts[stop])

    @property
    def file(self) -> Path | None:
        """The file of the source."""
        return self.source.path

    def __len__(self) -> int:
        return self._end - self._begin

    def raw(self, index: int) -> bytes:
        """Return one text as it is stored."""
        row = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= row < len(self):
            raise IndexError(index)
        subject = row + self._begin
        block = int(np.searchsorted(self.source.firsts, subject, side="right")) - 1
        inside = subject - int(self.source.firsts[block])
        first, frame = self.source.frame_at(block, inside)
        return frame.text(self._column, inside - first)

    def parts(self) -> Iterator[tuple[int, TextColumn]]:
        """Yield all texts, some at a time: those of a frame, none of which is kept."""
        for block in range(self._first, self._stop):
            first = int(self.source.firsts[block]) - self._begin
            for frame in self.source.frames_of(block):
                text, lengths = frame.column(self._column)
                yield first, TextColumn(np.frombuffer(text, np.uint8), _edges([lengths]))
                first += len(lengths)

    def decoded(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the texts of some rows, in their order."""
        return self.take(rows).decoded(np.arange(len(rows)))

    def take(self, rows: NDArray[np.int64]) -> TextColumn:
        """Return the texts of some rows, in their order, as a column in memory; each frame is unpacked once."""
        order = np.argsort(rows, kind="stable")
        subjects, done = rows[order] + self._begin, 0
        parts: list[TextColumn] = []
        while done < len(rows):
            block = int(np.searchsorted(self.source.firsts, subjects[done], side="right")) - 1
            begin = int(self.source.firsts[block])
            first, frame = self.source.frame_at(block, int(subjects[done]) - begin)
            text, lengths = frame.column(self._column)
            stop = int(np.searchsorted(subjects, begin + first + len(lengths)))
            column = TextColumn(np.frombuffer(text, np.uint8), _edges([lengths]))
            parts.append(column.take(subjects[done:stop] - begin - first))
            done = stop
        sizes = _edges([np.diff(part.offsets) for part in parts])
        taken = TextColumn(np.concatenate([np.zeros(0, np.uint8), *(part.data for part in parts)]), sizes)
        back = np.empty(len(rows), np.int64)
        back[order] = np.arange(len(rows))
        return taken if (np.diff(rows) >= 0).all() else taken.take(back)

    @property
    def size(self) -> int:
        """Bytes of all texts of all kinds, unpacked: more than this kind has."""
        return sum(self.source.names_size(block) for block in range(self._first, self._stop))

    @cached_property
    def _all(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        parts = [part for _, part in self.parts()]
        data = np.concatenate([np.zeros(0, np.uint8), *(part.data for part in parts)])
        return data, _edges([np.diff(part.offsets) for part in parts])

    @property
    def data(self) -> NDArray[np.uint8]:  # type: ignore[override]
        """All texts, concatenated: read as a whole on demand."""
        return self._all[0]

    @property
    def offsets(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Where each text begins in `data`."""
        return self._all[1]


def _edges(lengths: Sequence[NDArray[np.integer[Any]]]) -> NDArray[np.int64]:
    """Return where texts of these lengths begin, and the end."""
    return np.cumsum(np.concatenate([np.zeros(1, np.int64), *lengths]), dtype=np.int64)
