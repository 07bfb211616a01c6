"""Databases on a device: resident while they fit, else streamed part by part."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.trace import part
from swgui.engines.cuda.card import Card
from swgui.engines.cuda.streaming.host_residues import HostResidues
from swgui.engines.cuda.streaming.layout import PADDING_BLOCKS, DatabaseLayout

BLOCK_BYTES: Final = 8
COPY_THREADS: Final = 4
STREAMED_PARTS: Final = 4  # three under way and one arriving


@dataclass(frozen=True, eq=False)
class ResidueStream:
    """The residues of a range of pairs on a device, as ``pack.cu`` lays them out.

    Parameters
    ----------
    first_pair, last_pair : int
        Half-open range.
    first_block : int
        Block of the database with which `words` begins.
    blocks : int
        Blocks of the range; padding follows them.
    words : device array, shape=((blocks + PADDING_BLOCKS) * 2,), dtype=uint32
    ready : cupy.cuda.Event
        When the residues are in place.
    """

    first_pair: int
    last_pair: int
    first_block: int
    blocks: int
    words: Any = field(repr=False)
    ready: Any = field(repr=False)

    def holds(self, first_pair: int, last_pair: int) -> bool:
        """Whether a range of pairs is in here."""
        return self.first_pair <= first_pair and last_pair <= self.last_pair


def _copy(target: NDArray[np.uint8], source: NDArray[np.uint8]) -> None:
    """Copy into the beginning of `target`; one thread alone is slower than the transfer behind it."""
    step = max(-(-len(source) // COPY_THREADS), 1 << 20)

    def copy(start: int) -> None:
        end = min(start + step, len(source))
        np.copyto(target[start:end], source[start:end])

    with ThreadPoolExecutor(COPY_THREADS) as pool:
        list(pool.map(copy, range(0, len(source), step)))


class DeviceDatabase:
    """One database as one GPU sees it.

    Parameters
    ----------
    card : Card
    database : EncodedDatabase
    memory : int
        Bytes that residues may take on the device.
    host_memory : int
        Bytes of page-locked memory of the host that residues may take if they do not fit the device.
    """

    def __init__(self, card: Card, database: EncodedDatabase, memory: int, host_memory: int = 0) -> None:
        self.card = card
        self.checksum = database.checksum
        self.layout = DatabaseLayout.of(np.asarray(database.offsets))
        self.codes = database.codes
        self.letters = len(database.alphabet)
        self.block_of = card.constant(self.layout.block_of)
        total = self.layout.blocks(0, self.layout.pairs)
        self.resident = (total + PADDING_BLOCKS) * BLOCK_BYTES <= memory
        # When streaming, some parts are searched while the next one arrives.
        self.part_blocks = total if self.resident else max(memory // (STREAMED_PARTS * BLOCK_BYTES) - PADDING_BLOCKS, 1)
        self._units: dict[tuple[int, int, int], Any] = {}
        self._whole: ResidueStream | None = None
        self._staging: list[Any] = []
        self._host = HostResidues(self.layout, 0 if self.resident else host_memory, card.spare_host_words)

    @property
    def device_bytes(self) -> int:
        """Memory that residues take, or took at most, on the device."""
        parts = 1 if self.resident else STREAMED_PARTS
        return parts * (self.part_blocks + PADDING_BLOCKS) * BLOCK_BYTES

    def is_of(self, database: EncodedDatabase) -> bool:
        """Whether this is how `database` lies on the device."""
        return self.checksum == database.checksum and self.codes.size == database.codes.size

    def stream(self, first_pair: int, last_pair: int) -> ResidueStream:
        """Bring a range of pairs onto the device; the transfer goes on in the background.

        A resident database is brought as a whole the first time.
        """
        if not self.resident:
            with part("upload"):
                return self._bring(first_pair, last_pair)
        if self._whole is None:
            with part("upload"):
                self._whole = self._bring(0, self.layout.pairs)
        elif self._staging and self._whole.ready.done:
            self._staging.clear()  # it will not be needed again
        return self._whole

    def units(self, first_pair: int, last_pair: int, groups: int) -> Any:
        """Return `DatabaseLayout.units` as a device array."""
        key = (first_pair, last_pair, groups)
        if key not in self._units:
            self._units[key] = self.card.constant(self.layout.units(*key))
        return self._units[key]

    def _bring(self, first_pair: int, last_pair: int) -> ResidueStream:
        card, layout = self.card, self.layout
        blocks = layout.blocks(first_pair, last_pair)
        first_block = int(layout.block_of[first_pair])
        words = card.empty((blocks + PADDING_BLOCKS) * 2, np.uint32)
        pack = card.kernel("pack.cu", "pack", (f"-DSW_LETTERS={self.letters}",))
        with card.copy_stream as stream:
            padding = words[blocks * 2 :]
            card.cupy.cuda.runtime.memsetAsync(padding.data.ptr, self.letters, padding.nbytes, stream.ptr)
            for number, (first, last) in enumerate(self._host.pieces(first_pair, last_pair)):
                target = words[(int(layout.block_of[first]) - first_block) * 2 :]
                kept = self._host.kept(first, last)
                if kept is not None:
                    card.upload(target, kept, stream)
                    continue
                codes, offsets, subjects = self._stage(number % 2, first, last)
                grid = -(-layout.blocks(first, last) // 256)
                arguments = (codes, offsets, self.block_of, np.int32(first), np.int32(last - first), subjects, target)
                pack((grid,), (256,), arguments)
                self._staging[number % 2][4].record(stream)
                place = self._host.place_for(first, last)
                if place is not None:  # whoever reads it does so later on this same stream
                    card.download(place, target, stream)
            ready = card.cupy.cuda.Event(disable_timing=True)
            ready.record(stream)
        return ResidueStream(first_pair, last_pair, first_block, blocks, words, ready)

    def _stage(self, side: int, first: int, last: int) -> tuple[Any, Any, np.int32]:
        """Copy codes and offsets of some pairs to the device through one of two sets of buffers."""
        card, layout = self.card, self.layout
        stop = min(2 * last, layout.subjects)
        offsets = layout.offsets[2 * first : stop + 1]
        codes = self.codes[int(offsets[0]) : int(offsets[-1])]
        while len(self._staging) <= side:
            self._staging.append(None)
        held = self._staging[side]
        if held is not None:
            held[4].synchronize()  # the buffers are in use until their piece is packed
        if held is None or len(held[0]) < len(codes) or len(held[1]) < len(offsets):
            sizes = max(len(codes), 1), len(offsets)
            held = (
                card.host_array(sizes[0], np.uint8),
                card.host_array(sizes[1], np.int64),
                card.empty(sizes[0], np.uint8),
                card.empty(sizes[1], np.int64),
                card.cupy.cuda.Event(disable_timing=True),
            )
            self._staging[side] = held
        host_codes, host_offsets, device_codes, device_offsets, _ = held
        _copy(host_codes, codes)
        host_offsets[: len(offsets)] = offsets
        card.upload(device_codes, host_codes[: len(codes)], card.copy_stream)
        card.upload(device_offsets, host_offsets[: len(offsets)], card.copy_stream)
        return device_codes, device_offsets, np.int32(len(offsets) - 1)
