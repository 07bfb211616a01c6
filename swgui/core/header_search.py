"""Headers, among many, that hold a word: a search without an index, fast enough to follow typing."""

from __future__ import annotations

import os
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase, TextColumn
from swgui.core.texts import take_slices

BLOCK_ROWS = 10_000  # about a megabyte: the block stays in the cache during the comparison
KEPT_WORDS = 16  # the rows found so far are kept: further typing narrows the search
FEW = 50_000  # rows that are searched one by one
COMPARED = 3  # letters compared everywhere; the others only where these were found
THREADS = min(4, os.cpu_count() or 1)
P = TypeVar("P")
T = TypeVar("T")
# Letters from the most to the least common in headers; others are so rare that their order does not matter.
_COMMON = b"eiantrosl cpmudhgbyfvk=1x0wq2345z6789j|_"


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Texts of some rows, concatenated, without anything between them."""

    first: int  # row of the first text
    letters: NDArray[np.uint8]  # lower case, UTF-8, shape (size,)
    edges: NDArray[np.int64]  # where each text begins, and the end of the last, shape (rows + 1,)

    def rows_with(self, word: bytes) -> NDArray[np.bool_]:
        rows = np.zeros(len(self.edges) - 1, dtype=bool)
        starts = len(self.letters) - len(word) + 1
        if starts <= 0:
            return rows
        word_starts = np.zeros(len(self.letters), dtype=bool)  # where the word begins
        begins, same = word_starts[:starts], np.empty(starts, dtype=bool)
        order = sorted(
            range(len(word)), key=lambda offset: _COMMON.find(word[offset : offset + 1]), reverse=True
        )  # rare ones first
        for number, offset in enumerate(order):
            if number == COMPARED:
                places = np.flatnonzero(begins)
                if len(places) < starts // 20:
                    for rest in order[number:]:
                        places = places[self.letters[places + rest] == word[rest]]
                    word_starts[:] = False
                    word_starts[places] = True
                    break
            letters = self.letters[offset : offset + starts]
            if number:
                np.equal(letters, word[offset], out=same)
                np.logical_and(begins, same, out=begins)
            else:
                np.equal(letters, word[offset], out=begins)
        for short in range(1, len(word)):  # the end of one text and the beginning of the next are no word
            word_starts[self.edges[1:] - short] = False
        filled = self.edges[1:] > self.edges[:-1]
        rows[filled] = np.logical_or.reduceat(word_starts, self.edges[:-1][filled])
        return rows

    def has(self, row: int, word: bytes) -> bool:
        index = row - self.first
        return word in self.letters[self.edges[index] : self.edges[index + 1]].tobytes()


class HeaderSearch:
    """Finds words in the headers of some subjects.

    Parameters
    ----------
    db_index : ndarray, shape=(k,), dtype=int64
        Subject of each row.
    """

    def __init__(self, database: EncodedDatabase, db_index: NDArray[np.int64]) -> None:
        self._database = database
        self._db_index = db_index
        self._blocks: list[tuple[_Block, _Block]] | None = None
        self._one_at_a_time = threading.Lock()
        self._found: OrderedDict[bytes, NDArray[np.bool_]] = OrderedDict()

    def matches(self, text: str) -> NDArray[np.bool_]:
        """Return a mask of the rows that have every word of `text` in their header, upper or lower case.

        Returns
        -------
        ndarray, shape=(k,), dtype=bool
        """
        rows = np.ones(len(self._db_index), dtype=bool)
        with self._one_at_a_time:
            for word in dict.fromkeys(text.casefold().split()):
                rows &= self._contains(word.encode())
        return rows

    def prepare(self) -> None:
        """Read all headers, so that the first word is found as fast as the others."""
        with self._one_at_a_time:
            self._header_blocks()

    def _contains(self, word: bytes) -> NDArray[np.bool_]:
        if word in self._found:
            self._found.move_to_end(word)
            return self._found[word]
        blocks = self._header_blocks()
        # A header without a part of the word lacks the word.
        parts = [rows for shorter, rows in self._found.items() if shorter in word]
        possible = min(parts, key=np.count_nonzero, default=None)
        matches = np.zeros(len(self._db_index), dtype=bool)
        if possible is not None and np.count_nonzero(possible) <= FEW:
            for row in np.flatnonzero(possible).tolist():
                matches[row] = any(block.has(row, word) for block in blocks[row // BLOCK_ROWS])
        else:
            rows = _side_by_side(lambda pair: pair[0].rows_with(word) | pair[1].rows_with(word), blocks)
            matches = np.concatenate([*rows, matches[:0]])
        self._found[word] = matches
        while len(self._found) > KEPT_WORDS:
            self._found.popitem(last=False)
        return matches

    def _header_blocks(self) -> list[tuple[_Block, _Block]]:
        if self._blocks is None:
            database, index = self._database, self._db_index

            def read(first: int) -> tuple[_Block, _Block]:
                rows = index[first : first + BLOCK_ROWS]
                return _read(database.ids, rows, first), _read(database.descriptions, rows, first)

            # One after the other: this runs behind the window, which needs the other cores.
            self._blocks = [read(first) for first in range(0, len(index), BLOCK_ROWS)]
        return self._blocks


def _side_by_side(work: Callable[[P], T], parts: Sequence[P]) -> list[T]:
    """Return the results of `work` for all parts, in their order."""
    if THREADS == 1 or len(parts) < 2:
        return list(map(work, parts))
    with ThreadPoolExecutor(THREADS, thread_name_prefix="swgui-headers") as pool:
        return list(pool.map(work, parts))


def _read(column: TextColumn, rows: NDArray[np.int64], first: int) -> _Block:
    letters, edges = take_slices(np.asarray(column.data), column.offsets, rows)
    if len(letters) and letters.max() >= 0x80:  # case is more than a bit there
        texts = [
            letters[start:stop].tobytes().decode("utf-8", "replace").casefold().encode()
            for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ]
        edges = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
        return _Block(first, np.frombuffer(b"".join(texts), dtype=np.uint8), edges)
    letters |= ((letters >= ord("A")) & (letters <= ord("Z"))).view(np.uint8) << 5
    return _Block(first, letters, edges)
