"""Many texts in one array of bytes: of databases, their parts, and trees of organisms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_PART: Final = 200_000  # texts looked through at a time, to bound memory


class TextColumn(Sequence[str]):
    """Many texts in one byte array, decoded when asked for.

    Parameters
    ----------
    data : ndarray, dtype=uint8
        All texts as UTF-8, concatenated.
    offsets : ndarray, shape=(N + 1,), dtype=int64
    """

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.data = data
        self.offsets = offsets

    @property
    def file(self) -> Path | None:
        """The file of texts that are read on access; None if the arrays hold them."""
        return None

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> TextColumn:
        """Pack texts held in memory."""
        return cls.from_bytes([text.encode("utf-8", "replace") for text in texts])

    @classmethod
    def from_bytes(cls, parts: Sequence[bytes]) -> TextColumn:
        """Pack encoded texts, perhaps none."""
        offsets = np.zeros(len(parts) + 1, dtype=np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls(np.frombuffer(b"".join(parts), dtype=np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def size(self) -> int:
        """Bytes of all texts."""
        return len(self.data)

    def __getitem__(self, index: int) -> str:  # type: ignore[override]
        return self.raw(index).decode("utf-8", "replace")

    def raw(self, index: int) -> bytes:
        """Return one text as it is stored."""
        row = int(index)
        if row < 0:
            row += len(self)
        if not 0 <= row < len(self):
            raise IndexError(index)
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes()

    def parts(self) -> Iterator[tuple[int, TextColumn]]:
        """Yield all texts, some at a time, as a column in memory, with the number of the first of them."""
        for first in range(0, len(self), _PART):
            offsets = np.asarray(self.offsets[first : first + _PART + 1])
            yield first, TextColumn(np.asarray(self.data[offsets[0] : offsets[-1]]), offsets - offsets[0])

    def decoded(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the texts of some rows, shape (k,), in their order: ten times as fast as indexing one by one."""
        data, offsets = np.asarray(self.data).data, np.asarray(self.offsets)
        edges = zip(offsets[rows].tolist(), offsets[rows + 1].tolist(), strict=True)
        return [str(data[start:stop], "utf-8", "replace") for start, stop in edges]

    def take(self, rows: NDArray[np.int64]) -> TextColumn:
        """Return the texts of some rows, shape (k,), in their order, as a column."""
        return TextColumn(*take_slices(self.data, self.offsets, rows))


class PickedTexts(Sequence[str]):
    """Selection of texts from a larger source; each is read on access.

    Parameters
    ----------
    texts : sequence of str
        The source.
    rows : ndarray, shape=(n,), dtype=int64
        Places of the selected texts in the source, in their order here.
    before : tuple of str, optional
        Texts in front of them.
    """

    def __init__(self, texts: Sequence[str], rows: NDArray[np.int64], before: tuple[str, ...] = ()) -> None:
        self.texts = texts
        self.at = rows
        self.before = before

    def __len__(self) -> int:
        return len(self.before) + len(self.at)

    def __getitem__(self, index: int) -> str:  # type: ignore[override]
        place = range(len(self))[index]
        ahead = len(self.before)
        return self.before[place] if place < ahead else self.texts[int(self.at[place - ahead])]

    def take(self, rows: NDArray[np.int64]) -> PickedTexts:
        """Return some of the texts, by their places in ascending order, shape (k,)."""
        ahead = len(self.before)
        first = int(np.searchsorted(rows, ahead))
        before = tuple(self.before[row] for row in rows[:first].tolist())
        return PickedTexts(self.texts, self.at[rows[first:] - ahead], before)

    def __iter__(self) -> Iterator[str]:
        yield from self.before
        yield from (
            self.texts.decoded(self.at) if isinstance(self.texts, TextColumn) else map(self.texts.__getitem__, self.at)
        )


def take_slices(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], rows: NDArray[np.signedinteger[Any]]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return some of many concatenated byte strings, concatenated in the same way.

    Parameters
    ----------
    data : ndarray, shape=(bytes,), dtype=uint8
    offsets : ndarray, shape=(n + 1,), dtype=int64
        Where each string begins, and where the last one ends.
    rows : ndarray, shape=(k,)
        Which strings, in this order.

    Returns
    -------
    data, offsets : ndarray
        Bytes and starts of the k strings.
    """
    starts, sizes = offsets[rows], offsets[rows + 1] - offsets[rows]
    packed = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(sizes, out=packed[1:])
    taken = np.empty(int(packed[-1]), dtype=np.uint8)
    for first in range(0, len(rows), 1 << 16):  # in blocks: the index arrays are eight times the data
        last = min(first + (1 << 16), len(rows))
        length = sizes[first:last]
        within = np.arange(int(length.sum()), dtype=np.int64) - np.repeat(packed[first:last] - packed[first], length)
        taken[packed[first] : packed[last]] = data[np.repeat(starts[first:last], length) + within]
    return taken, packed


def keep_slices(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return some of many byte strings in the order they have; as `take_slices`, but faster for large selections.

    Parameters
    ----------
    kept : ndarray, shape=(N,), dtype=bool
    """
    sizes = np.diff(offsets)
    packed = np.zeros(int(kept.sum()) + 1, dtype=np.int64)
    np.cumsum(sizes[kept], out=packed[1:])
    taken = np.empty(int(packed[-1]), dtype=np.uint8)
    done = first = 0
    while first < len(kept):
        # In blocks, so that the mask of single bytes stays small.
        last = max(first + 1, int(np.searchsorted(offsets, offsets[first] + (1 << 24), side="right")) - 1)
        last = min(last, len(kept))
        block = data[offsets[first] : offsets[last]][np.repeat(kept[first:last], sizes[first:last])]
        taken[done : done + len(block)] = block
        done, first = done + len(block), last
    return taken, packed
