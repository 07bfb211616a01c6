"""Texts put together from stretches of a buffer, many at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def gathered(data: NDArray[np.uint8], starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> bytes:
    """Return stretches of a buffer, concatenated, in the order in which they are given."""
    filled = lengths > 0
    starts, lengths = starts[filled], lengths[filled]
    if not len(lengths):
        return b""
    before = np.cumsum(lengths) - lengths
    places = np.repeat(starts - before, lengths)
    places += np.arange(len(places))
    text: bytes = data[places].tobytes()
    return text


def first_words(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the first word of each stretch ends and where the next one begins."""
    blank = np.append(np.isin(data, (32, 9)), True)
    blanks, others = np.flatnonzero(blank), np.append(np.flatnonzero(~blank), len(data))
    words = np.minimum(blanks[np.searchsorted(blanks, starts)], ends)
    return words, np.minimum(others[np.searchsorted(others, words)], ends)


def headers(
    data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[bytes, NDArray[np.int64], bytes, NDArray[np.int64]]:
    """Return the first words of stretches, ids, and what follows them, descriptions: texts and lengths of both."""
    words, rest = first_words(data, starts, ends)
    return gathered(data, starts, words - starts), words - starts, gathered(data, rest, ends - rest), ends - rest


class Buffer:
    """Bytes to gather from: those of a file, and texts put behind them.

    Attributes
    ----------
    size : int
        So far.
    """

    def __init__(self, data: NDArray[np.uint8]) -> None:
        self._parts = [data]
        self.size = len(data)

    def add(self, text: bytes) -> int:
        """Put a text behind what is there; return where it begins."""
        start = self.size
        self._parts.append(np.frombuffer(text, dtype=np.uint8))
        self.size += len(text)
        return start

    def add_numbers(self, numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Put numbers behind what is there, as decimals; return where each begins and its length."""
        texts = numbers.astype("S20")
        start = self.add(texts.tobytes())
        lengths: NDArray[np.int64] = np.char.str_len(texts).astype(np.int64)
        return start + 20 * np.arange(len(texts), dtype=np.int64), lengths

    def bytes(self) -> NDArray[np.uint8]:
        """Return all of it."""
        return self._parts[0] if len(self._parts) == 1 else np.concatenate(self._parts)
