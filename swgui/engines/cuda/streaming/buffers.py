"""Databases on a device: resident while they fit, else streamed part by part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.database import ArrayDatabase
from swgui.core.trace import part
from swgui.core.translation.parts import bases_among
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.streaming.kept import DeviceResidues, KeptResidues, rounded
from swgui.engines.cuda.streaming.layout import PADDING_BLOCKS, DatabaseLayout
from swgui.engines.cuda.streaming.tuning import TUNING
from swgui.engines.native.subjects import in_parallel

GROUP: Final = 64  # packed residues that planes have side by side (`swgui.io.database.packed.codec`)
PLANES: Final = 5  # bits of a residue that has them in two planes
RUN_BYTES: Final = 17  # of a stretch of a letter that two bits leave out
LAID_OUT: Final = 256 * 8  # blocks of columns that a block of threads of ``pack.cu`` lays out
THREADS: Final = 256

Allocate = Callable[[int], NDArray[np.uint32] | None]


class HostResidues:
    """Page-locked residues of one database, in slabs that are allocated when they are first kept.

    Parameters
    ----------
    limit : int
        Bytes that may be kept; 0 keeps nothing.
    allocate : callable
        Returns a page-locked array of a number of 32-bit words, or None if there is no memory.
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
        slab_blocks: int = TUNING.slab_blocks,
        block_words: int = 2,
    ) -> None:
        self._words_of_block = block_words
        self._block_of = layout.block_of
        self._left = limit
        self._allocate = allocate
        borders = [first for first, _ in layout.windows(0, layout.twins, slab_blocks)]
        self._borders = np.array([*borders, layout.twins], dtype=np.int64)
        self._slabs: list[NDArray[np.uint32] | None] = [None] * len(borders)
        self._seen: NDArray[np.bool_] = np.zeros(layout.twins, dtype=bool)
        self._kept: NDArray[np.bool_] = np.zeros(layout.twins, dtype=bool)

    @property
    def nbytes(self) -> int:
        return sum(slab.nbytes for slab in self._slabs if slab is not None)

    def pieces(self, first_twin: int, last_twin: int) -> Iterator[tuple[int, int]]:
        """Cut a range of twins where slabs end."""
        inside = self._borders[(self._borders > first_twin) & (self._borders < last_twin)].tolist()
        yield from zip([first_twin, *inside], [*inside, last_twin], strict=True)

    def kept(self, first_twin: int, last_twin: int) -> NDArray[np.uint32] | None:
        """Return the words of a piece if they are here."""
        return self._words(first_twin, last_twin) if self._kept[first_twin:last_twin].all() else None

    def place_for(self, first_twin: int, last_twin: int) -> NDArray[np.uint32] | None:
        """Return the place for the words of a piece, if it is streamed for the second time and fits.

        The caller must write them before any caller reads the result of `kept`.
        """
        if not self._seen[first_twin:last_twin].all():
            self._seen[first_twin:last_twin] = True
            return None
        slab = int(np.searchsorted(self._borders, first_twin, side="right")) - 1
        if self._slabs[slab] is None:
            self._slabs[slab] = self._make(slab)
        if self._slabs[slab] is None:
            return None
        self._kept[first_twin:last_twin] = True
        return self._words(first_twin, last_twin)

    def _make(self, slab: int) -> NDArray[np.uint32] | None:
        words = self._words_of_block * (
            int(self._block_of[self._borders[slab + 1]]) - int(self._block_of[self._borders[slab]])
        )
        if 4 * words > self._left:
            self._left = 0  # requests for the following slabs would be useless
            return None
        self._left -= 4 * words
        array = self._allocate(words)
        if array is None:
            self._left = 0
        return array

    def _words(self, first_twin: int, last_twin: int) -> NDArray[np.uint32]:
        slab = int(np.searchsorted(self._borders, first_twin, side="right")) - 1
        held: Any = self._slabs[slab]
        origin, each = int(self._block_of[self._borders[slab]]), self._words_of_block
        words: NDArray[np.uint32] = held[
            each * (int(self._block_of[first_twin]) - origin) : each * (int(self._block_of[last_twin]) - origin)
        ]
        return words


@dataclass(frozen=True, eq=False)
class ResidueStream:
    """The residues of a range of twins on a device, as ``pack.cu`` lays them out."""

    # first_twin, last_twin: half-open range
    first_twin: int
    last_twin: int
    first_block: int  # block of the database with which `words` begins
    blocks: int  # blocks of the range; padding follows them
    # Twice as many in two tracks: residues of both subjects of a twin, then their letters, shape ((blocks +
    # PADDING_BLOCKS) * 2,), uint32.
    words: Any = field(repr=False)
    ready: Any = field(repr=False)  # when the residues are in place

    def holds(self, first_twin: int, last_twin: int) -> bool:
        return self.first_twin <= first_twin and last_twin <= self.last_twin


def _copy(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy into the beginning of `target`; one thread alone is slower than the transfer behind it."""
    step = max(-(-len(source) // TUNING.copy_threads), 1 << 20)

    def copy(start: int) -> None:
        end = min(start + step, len(source))
        np.copyto(target[start:end], source[start:end])

    in_parallel(range(0, len(source), step), copy, threads=TUNING.copy_threads)


@dataclass(frozen=True, slots=True, eq=False)
class _Staging:
    """Buffers of the host and of the device for arrays on their way, and when they are free again."""

    host: list[NDArray[Any]]
    device: list[Any]
    free: Any


class DeviceDatabase:
    """One database as one GPU sees it.

    Parameters
    ----------
    host_memory : int
        Bytes of page-locked memory of the host that residues may take if they do not fit the device.
    kept : KeptResidues, optional
        Where packed residues stay.
    """

    def __init__(
        self,
        gpu: Gpu,
        database: ArrayDatabase,
        memory: int,
        host_memory: int = 0,
        kept: KeptResidues | None = None,
    ) -> None:
        self.gpu, self._database = gpu, database
        self.checksum = database.checksum
        self.layout = DatabaseLayout.of(np.asarray(database.offsets))
        self._codons = database.codons
        self._packed = database.packed
        self._kept = kept or KeptResidues()
        self._sent: DeviceResidues | None = None
        self._given: tuple[NDArray[np.uint8], ...] = ()  # keeps data on their way to the device alive
        tracks = [(database.codes, len(database.alphabet.residue_alphabet))]
        if isinstance(database.alphabet, TwoTracks) and database.track is not None:
            tracks.append((database.track.codes, len(database.track.alphabet)))
        self.residues, self._tracks = database.residues, tracks
        self.block_words = 2 * len(tracks)
        self.block_bytes = 4 * self.block_words
        self.block_of = gpu.constant(self.layout.block_of)
        total = self.layout.blocks(0, self.layout.twins)
        each = self.block_bytes
        self.resident = (total + PADDING_BLOCKS) * each <= memory
        # When streaming, some parts are searched while the next one arrives.
        self.part_blocks = total if self.resident else max(memory // (TUNING.streamed_parts * each) - PADDING_BLOCKS, 1)
        self._keeps_laid_out = False
        if self._packed is not None:
            of_all, packed = self._packed.of_all, rounded(self._packed.bits * self.residues // 8)
            sizes = 4 * rounded((total + PADDING_BLOCKS) * self.block_words, 4), packed
            has_room = self._kept.has_room(self.checksum, self.residues, of_all, sizes, memory)
            self._keeps_laid_out = has_room and self.resident
        self._units: dict[tuple[int, int, int], Any] = {}
        self._whole: ResidueStream | None = None
        self._staging: list[_Staging | None] = []
        host_memory = 0 if self.resident else host_memory
        self._host = HostResidues(self.layout, host_memory, gpu.spare_host_words, block_words=self.block_words)
        row = np.concatenate([[letters * 0x01010101] * 2 for _, letters in tracks])
        self._padding = gpu.host_array(PADDING_BLOCKS * self.block_words, np.uint32)
        self._padding[:] = np.tile(row, PADDING_BLOCKS)

    @property
    def device_bytes(self) -> int:
        """Memory that residues take, or took at most, on the device."""
        parts = 1 if self.resident else TUNING.streamed_parts
        return parts * (self.part_blocks + PADDING_BLOCKS) * self.block_bytes

    def is_of(self, database: ArrayDatabase) -> bool:
        return self._database.same_content(database)

    def stream(self, first_twin: int, last_twin: int) -> ResidueStream:
        """Bring a range of twins onto the device; the transfer continues in the background.

        A resident database is brought as a whole the first time.
        """
        if not self.resident:
            with part("upload"):
                return self._bring(first_twin, last_twin)
        if self._whole is None:
            kept = None if self._packed is None else self._kept.get(self.checksum)
            if isinstance(kept, ResidueStream):
                self._whole = kept
                return kept
            with part("upload"):
                self._whole = self._bring(0, self.layout.twins)
            if self._keeps_laid_out:
                self._kept.keep(self.checksum, self._whole, self._whole.words.nbytes, self.residues)
        elif self._staging and self._whole.ready.done:
            self._staging.clear()  # it will not be needed again
        return self._whole

    def units(self, first_twin: int, last_twin: int, groups: int) -> Any:
        """Return `DatabaseLayout.units` as a device array."""
        key = (first_twin, last_twin, groups)
        if key not in self._units:
            self._units[key] = self.gpu.constant(self.layout.units(*key))
        return self._units[key]

    def _bring(self, first_twin: int, last_twin: int) -> ResidueStream:
        gpu, layout = self.gpu, self.layout
        blocks = layout.blocks(first_twin, last_twin)
        first_block = int(layout.block_of[first_twin])
        each = self.block_words
        words = gpu.empty(rounded((blocks + PADDING_BLOCKS) * each, 4), np.uint32)
        with gpu.copy_stream as stream:
            gpu.upload(words[blocks * each :], self._padding, stream)
            for number, (first, last) in enumerate(self._host.pieces(first_twin, last_twin)):
                target = words[(int(layout.block_of[first]) - first_block) * each :]
                kept = self._host.kept(first, last)
                if kept is not None:
                    gpu.upload(target, kept, stream)
                    continue
                self._pack(number, first, last, target)
                place = self._host.place_for(first, last)
                if place is not None:  # readers use this same stream later
                    gpu.download(place, target, stream)
            ready = gpu.cupy.cuda.Event(disable_timing=True)
            ready.record(stream)
        return ResidueStream(first_twin, last_twin, first_block, blocks, words, ready)

    def _pack(self, number: int, first: int, last: int, target: Any) -> None:
        """Lay out some twins, track by track, on the stream that copies."""
        gpu, layout = self.gpu, self.layout
        stop = min(2 * last, layout.subjects)
        offsets = layout.offsets[2 * first : stop + 1]
        for track, (codes, letters) in enumerate(self._tracks):
            side = (number * len(self._tracks) + track) % 2
            given: tuple[Any, ...] = ()
            sent = self._unpacked_from()
            if sent is not None and self._packed is not None:
                of_planes = self._packed.bits == PLANES
                given = sent.words, *([np.int64(-(-self.residues // GROUP))] if of_planes else [])
                kernel, staged = "pack_planes" if of_planes else "pack_bases", self._stage(side, offsets)
            elif self._codons is None:
                kernel, staged = "pack", self._stage(side, codes[int(offsets[0]) : int(offsets[-1])], offsets)
            else:
                bases, firsts = bases_among(self._database, 2 * first, stop)
                kernel = "pack_codons"
                staged = self._stage(side, bases, self._codons.tables.reshape(-1), firsts, offsets)
            defines = (f"-DSW_LETTERS={letters}", f"-DSW_BLOCK_WORDS={self.block_words}")
            grid = -(-layout.blocks(first, last) // LAID_OUT)
            where = *staged.device, self.block_of, np.int32(first)
            subjects, place = np.int32(stop - 2 * first), target[2 * track :]
            arguments = *given, *where, np.int32(last - first), subjects, place
            gpu.kernel("pack.cu", kernel, defines)((grid,), (THREADS,), arguments)
            if sent is not None and sent.runs:
                runs, grid = (sent.words[sent.begin :], np.int32(sent.runs)), -(-sent.runs // (THREADS // 32))
                gpu.kernel("pack.cu", "lay_runs", defines)((grid,), (THREADS,), (*runs, *where, subjects, place))
            staged.free.record(gpu.copy_stream)

    def _unpacked_from(self) -> DeviceResidues | None:
        """Return packed residues on the device, brought there unless they are there since an earlier search."""
        if self._packed is None or self._sent is not None:
            return self._sent
        gpu, stream = self.gpu, self.gpu.copy_stream
        held = self._kept.get(self.checksum)
        if not isinstance(held, DeviceResidues):
            self._given = given = residues, runs = self._packed.data()
            size, ready = sum(map(len, given)), gpu.cupy.cuda.Event(disable_timing=True)
            held = DeviceResidues(gpu.empty(rounded(size), np.uint8), len(runs) // RUN_BYTES, len(residues), ready)
            gpu.upload(held.words, residues, stream)
            gpu.upload(held.words[held.begin :], runs, stream)
            ready.record(stream)
            if not self._keeps_laid_out:
                self._kept.keep(self.checksum, held, held.words.nbytes, self.residues)
        stream.wait_event(held.ready)
        self._sent = held
        return held

    def _stage(self, side: int, *given: NDArray[Any]) -> _Staging:
        """Copy arrays to the device through one of two sets of buffers."""
        gpu = self.gpu
        while len(self._staging) <= side:
            self._staging.append(None)
        held = self._staging[side]
        if held is not None:
            held.free.synchronize()  # the buffers are in use until their piece is packed
        if held is None or any(len(here) < len(one) for here, one in zip(held.host, given, strict=True)):
            sizes = [(max(rounded(len(one), one.itemsize), 1), one.dtype) for one in given]
            held = self._staging[side] = _Staging(
                [gpu.host_array(*size) for size in sizes],
                [gpu.empty(*size) for size in sizes],
                gpu.cupy.cuda.Event(disable_timing=True),
            )
        for here, there, one in zip(held.host, held.device, given, strict=True):
            _copy(here, one)
            gpu.upload(there, here[: len(one)], gpu.copy_stream)
        return held
