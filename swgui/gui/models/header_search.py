"""Words found in the headers of a million hits while they are typed. Pure, for a worker.

Headers are kept as blocks of lower-case text. Blocks, because Python's own text functions stop every other
thread while they run.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase, TextColumn

BLOCK_ROWS = 20_000
KEPT_WORDS = 16  # what they were found in is remembered: typing on narrows the search
FEW = 50_000  # rows that are looked at one by one


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Headers of some rows one behind the other: first row, text, where each begins, and the end of the last."""

    first: int
    text: bytes
    edges: NDArray[np.int64]

    def rows_with(self, word: bytes) -> NDArray[np.bool_]:
        """Return which of its rows have a word."""
        # 0xFF stands in no UTF-8 text, so every such byte afterwards is part of a match.
        marked = self.text.replace(word, b"\xff" * len(word))
        if marked == self.text:
            return np.zeros(len(self.edges) - 1, dtype=bool)
        matched = np.frombuffer(marked, dtype=np.uint8) == 0xFF
        return np.asarray(np.logical_or.reduceat(matched, self.edges[:-1]))


class HeaderSearch:
    """Finds words in the headers of some subjects.

    Parameters
    ----------
    database : EncodedDatabase
    db_index : ndarray, shape=(k,), dtype=int64
        Subject of each row.
    """

    def __init__(self, database: EncodedDatabase, db_index: NDArray[np.int64]) -> None:
        self._database = database
        self._db_index = db_index
        self._blocks: list[_Block] | None = None
        self._one_at_a_time = threading.Lock()
        self._found: OrderedDict[bytes, NDArray[np.bool_]] = OrderedDict()

    def matches(self, text: str) -> NDArray[np.bool_]:
        """Return which rows have every word of `text` in their header, upper or lower case.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        found = np.ones(len(self._db_index), dtype=bool)
        with self._one_at_a_time:
            for word in dict.fromkeys(text.casefold().split()):
                found &= self._contains(word.encode())
        return found

    def prepare(self) -> None:
        """Read all headers, so that the first word is found as fast as the others."""
        with self._one_at_a_time:
            self._header_blocks()

    def _contains(self, word: bytes) -> NDArray[np.bool_]:
        if word in self._found:
            self._found.move_to_end(word)
            return self._found[word]
        blocks = self._header_blocks()
        # Where a part of the word was not found the word is not either.
        parts = [rows for known, rows in self._found.items() if known in word]
        possible = min(parts, key=np.count_nonzero, default=None)
        found = np.zeros(len(self._db_index), dtype=bool)
        if possible is not None and np.count_nonzero(possible) <= FEW:
            for row in np.flatnonzero(possible).tolist():
                block = blocks[row // BLOCK_ROWS]
                at = row - block.first
                found[row] = block.text.find(word, int(block.edges[at]), int(block.edges[at + 1])) >= 0
        else:
            for block in blocks:
                found[block.first : block.first + BLOCK_ROWS] = block.rows_with(word)
        self._found[word] = found
        while len(self._found) > KEPT_WORDS:
            self._found.popitem(last=False)
        return found

    def _header_blocks(self) -> list[_Block]:
        if self._blocks is None:
            self._blocks = [
                self._block(first, self._db_index[first : first + BLOCK_ROWS])
                for first in range(0, len(self._db_index), BLOCK_ROWS)
            ]
        return self._blocks

    def _block(self, first: int, subjects: NDArray[np.int64]) -> _Block:
        ids, titles = _texts(self._database.ids, subjects), _texts(self._database.descriptions, subjects)
        parts: list[bytes | memoryview] = list(chain.from_iterable(zip(ids, titles, strict=True)))
        text = b"\n".join(parts) + b"\n"
        if not text.isascii():  # case is more than a bit there
            parts = [bytes(part).decode("utf-8", "replace").casefold().encode() for part in parts]
            text = b"\n".join(parts) + b"\n"
        lengths = np.fromiter(map(len, parts), dtype=np.int64, count=len(parts)) + 1
        edges = np.concatenate([[0], np.cumsum(lengths.reshape(-1, 2).sum(axis=1))]).astype(np.int64)
        return _Block(first, text.lower() if text.isascii() else text, edges)


def _texts(column: TextColumn, which: NDArray[np.int64]) -> list[memoryview]:
    """Return some texts of a column without decoding them."""
    data = memoryview(np.ascontiguousarray(column.data))
    starts, stops = column.offsets[which].tolist(), column.offsets[which + 1].tolist()
    return [data[start:stop] for start, stop in zip(starts, stops, strict=True)]
