"""Residues of a database that does not fit a device, kept in page-locked memory of the host, ready to be sent.

A database that is streamed is read, copied into page-locked memory and laid out on the device, part by
part. The reading and copying takes longer than the transfer behind it. So what is streamed a second time
is brought back from the device as it was laid out, and from then on sent as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.streaming.layout import DatabaseLayout

SLAB_BLOCKS: Final = 4 << 20  # of 8 bytes: large enough for full speed, small enough to be had quickly

Allocate = Callable[[int], NDArray[np.uint32] | None]


class HostResidues:
    """Page-locked residues of one database, in slabs that are allocated when they are first kept.

    Parameters
    ----------
    limit : int
        Bytes that may be kept; 0 keeps nothing.
    allocate : callable
        Gives a page-locked array of so many 32-bit words, or None if there is none to be had.
    slab_blocks : int
        Blocks of a slab.
    block_words : int
        Words of a block: 2, of two tracks 4.
    """

    def __init__(
        self,
        layout: DatabaseLayout,
        limit: int,
        allocate: Allocate,
        slab_blocks: int = SLAB_BLOCKS,
        block_words: int = 2,
    ) -> None:
        self._words_of_block = block_words
        self._block_of = layout.block_of
        self._left = limit
        self._allocate = allocate
        borders = [first for first, _ in layout.windows(0, layout.pairs, slab_blocks)]
        self._borders = np.array([*borders, layout.pairs], dtype=np.int64)
        self._slabs: list[NDArray[np.uint32] | None] = [None] * len(borders)
        self._seen: NDArray[np.bool_] = np.zeros(layout.pairs, dtype=bool)
        self._kept: NDArray[np.bool_] = np.zeros(layout.pairs, dtype=bool)

    @property
    def nbytes(self) -> int:
        """Memory of the host that is taken."""
        return sum(slab.nbytes for slab in self._slabs if slab is not None)

    def pieces(self, first_pair: int, last_pair: int) -> Iterator[tuple[int, int]]:
        """Cut a range of pairs where slabs end."""
        inside = self._borders[(self._borders > first_pair) & (self._borders < last_pair)].tolist()
        yield from zip([first_pair, *inside], [*inside, last_pair], strict=True)

    def kept(self, first_pair: int, last_pair: int) -> NDArray[np.uint32] | None:
        """Return the words of a piece if they are here."""
        return self._words(first_pair, last_pair) if self._kept[first_pair:last_pair].all() else None

    def place_for(self, first_pair: int, last_pair: int) -> NDArray[np.uint32] | None:
        """Return where the words of a piece are to be kept, if it is streamed for the second time and there is room.

        The caller must write them before anyone reads what `kept` returns.
        """
        if not self._seen[first_pair:last_pair].all():
            self._seen[first_pair:last_pair] = True
            return None
        slab = int(np.searchsorted(self._borders, first_pair, side="right")) - 1
        if self._slabs[slab] is None:
            self._slabs[slab] = self._make(slab)
        if self._slabs[slab] is None:
            return None
        self._kept[first_pair:last_pair] = True
        return self._words(first_pair, last_pair)

    def _make(self, slab: int) -> NDArray[np.uint32] | None:
        words = self._words_of_block * (
            int(self._block_of[self._borders[slab + 1]]) - int(self._block_of[self._borders[slab]])
        )
        if 4 * words > self._left:
            self._left = 0  # the slabs that follow are asked for in vain
            return None
        self._left -= 4 * words
        array = self._allocate(words)
        if array is None:
            self._left = 0
        return array

    def _words(self, first_pair: int, last_pair: int) -> NDArray[np.uint32]:
        slab = int(np.searchsorted(self._borders, first_pair, side="right")) - 1
        held: Any = self._slabs[slab]
        origin, each = int(self._block_of[self._borders[slab]]), self._words_of_block
        words: NDArray[np.uint32] = held[
            each * (int(self._block_of[first_pair]) - origin) : each * (int(self._block_of[last_pair]) - origin)
        ]
        return words
