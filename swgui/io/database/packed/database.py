"""A packed file that is not in memory: searched block by block, and read where hits are.

Source order is that of the file; storage order is that of the blocks in turn, in each of which the
subjects are longest first.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from functools import cached_property, partial
from typing import Any, Final, Never
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TRACKS, Alphabet, TwoTracks, two_tracks
from swgui.core.database import (
    Allocator,
    ArrayDatabase,
    EncodedDatabase,
    LetterTrack,
    PackedResidues,
    Parts,
    Piece,
    Residues,
    TextColumn,
)
from swgui.core.errors import DatabaseError
from swgui.core.hits.scores import distinct
from swgui.core.organisms.subjects import Organism, SubjectOrganisms
from swgui.core.packing import sort_by_length
from swgui.core.plain import replace
from swgui.core.words import printable
from swgui.io.database.packed.codec import FEW, GROUP, PLANES, unpack
from swgui.io.database.packed.file import LruCache, PackedFile
from swgui.io.database.packed.layout import Block, BlockIndex, organisms_in
from swgui.io.database.packed.names import COLUMNS, StoredTexts
from swgui.io.database.packed.parts import check_codes, has_organisms, stored_organisms
from swgui.io.database.packed.reading import BlockReader

_SAMPLED: Final = 16  # blocks whose lengths are read to estimate those of all
_FEW: Final = 16  # less than one in so many residues of a block are read stretch by stretch, more as a whole block
_COUNTED: Final = 100  # subjects of a block up to which those before each are counted, not all of them sorted
_AHEAD: Final = 1  # blocks read while one is scored
_THREADS: Final = min(12, os.cpu_count() or 4)  # that read blocks for devices, and compare checksums
_BEGUN: Final = 16  # blocks read ahead for devices, at most


class Blocks:
    """The blocks of a file as databases, for any number of threads.

    The next one is read ahead for callers that take one after the other. Blocks whose residues stay packed are read on
    request.
    """

    def __init__(self, file: PackedFile) -> None:
        self.file = file
        self.places: LruCache[BlockPlaces] = LruCache(16)
        self.orders: LruCache[NDArray[np.int64]] = LruCache(4)
        self.organisms: LruCache[NDArray[np.int32]] = LruCache(4)
        self.lengths_seen: LruCache[tuple[int, ...]] = LruCache(4)
        self._reader = BlockReader(file, threads=_AHEAD + 1)
        weakref.finalize(self, self._reader.close)
        self._coming: dict[int, Future[ArrayDatabase]] = {}
        self.begun: dict[tuple[int, bool], Future[ArrayDatabase]] = {}
        self._for_devices: BlockReader | None = None
        self._open: WeakValueDictionary[int, ArrayDatabase] = WeakValueDictionary()  # in use
        self._lock = threading.Lock()

    def get(self, number: int) -> ArrayDatabase:
        """Return a block, and begin to read the next; the same object as long as it is in use."""
        if (there := self._open.get(number)) is not None:
            return there
        wanted = [number, *range(number + 1, min(number + 1 + _AHEAD, len(self.file)))]
        with self._lock:
            coming = {block: self._coming[block] for block in wanted if block in self._coming}
            for block in wanted:
                if block not in coming:
                    coming[block] = self._reader.begin(block, partial(block_database, self.file))
            self._coming = coming
            own = coming.pop(number)
        return self._open.setdefault(number, own.result())

    def begin(self, number: int, bare: bool, room: Allocator) -> None:
        """Begin to read a block whose residues stay packed, or are left out."""
        with self._lock:
            if (number, bare) not in self.begun:
                self.begun[number, bare] = self._begun(number, bare, room)
            while len(self.begun) > _BEGUN:  # of a search that was stopped
                self.begun.pop(next(iter(self.begun))).cancel()

    def _begun(self, number: int, bare: bool, room: Allocator) -> Future[ArrayDatabase]:
        if self._for_devices is None:
            self._for_devices = BlockReader(self.file, threads=_THREADS, room=room)
            weakref.finalize(self, self._for_devices.close)
        if bare:
            return self._for_devices.also(partial(self._bare, number, room))
        return self._for_devices.begin(number, partial(packed_block, self.file))

    def packed(self, number: int, bare: bool, room: Allocator) -> Future[ArrayDatabase]:
        """Return a block whose residues stay packed, or are left out; it may still be read."""
        with self._lock:
            return self.begun.pop((number, bare), None) or self._begun(number, bare, room)

    def _bare(self, number: int, room: Allocator) -> ArrayDatabase:
        index, lengths = self.file.index(number)

        def data() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
            residues = self.packed(number, False, room).result().packed
            assert residues is not None
            return residues.data()

        return _still_packed(self.file, index, sort_by_length(lengths), lengths, data)


def packed_block(file: PackedFile, block: Block) -> ArrayDatabase:
    """Return a block as a database of its own whose residues stay packed."""
    if block.index.bits not in (PLANES, FEW):
        return block_database(file, block)
    runs, none = file.checked(file.block_name(block.index.number), block.runs), np.zeros(0, np.uint8)
    if runs is not None:
        check_codes(file, runs.codes, file.alphabet)
    data = block.part("residues"), none if runs is None else runs.data()
    return _still_packed(file, block.index, block.order, block.lengths, lambda: data)


def _still_packed(
    file: PackedFile,
    index: BlockIndex,
    order: NDArray[np.int64],
    lengths: NDArray[np.integer[Any]],
    data: Callable[[], tuple[NDArray[np.uint8], NDArray[np.uint8]]],
) -> ArrayDatabase:
    offsets = np.zeros(len(order) + 1, np.int64)
    np.cumsum(lengths[order], out=offsets[1:])
    texts = [StoredTexts(file, place, index.number, index.number + 1) for place in range(2)]
    return ArrayDatabase(
        name=printable(file.header.facts.name),
        alphabet=file.alphabet,
        codes=np.zeros(0, np.uint8),
        offsets=offsets,
        order=order,
        ids=texts[0],
        descriptions=texts[1],
        checksum=f"{file.header.facts.checksum} {index.number}",
        packed=PackedResidues(index.bits, data, file.header.facts.residues),
    )


def block_database(file: PackedFile, block: Block) -> ArrayDatabase:
    """Return a block as a database of its own, in memory."""
    facts, index, packed = file.header.facts, block.index, file.header.facts.packed
    number, edges, start = index.number, np.array([0, index.residues], np.int64), np.zeros(1, np.int64)
    codes = np.empty(index.residues, np.uint8)
    file.checked(file.block_name(number), block.unpack, edges, start, codes)
    check_codes(file, codes, file.alphabet)
    track = None
    if file.track is not None and facts.track is not None:
        letters = np.empty(index.residues, np.uint8)
        block.unpack_letters(edges, start, letters)
        check_codes(file, letters, file.track)
        track = LetterTrack(file.track, letters, f"{facts.track.checksum} {number}")
    texts = {name: StoredTexts(file, place, number, number + 1) for place, name in enumerate(COLUMNS)}
    return ArrayDatabase(
        name=printable(facts.name),
        alphabet=file.alphabet,
        codes=codes,
        offsets=block.offsets,
        order=block.order,
        ids=texts["ids"],
        descriptions=texts["descriptions"],
        checksum=f"{facts.checksum} {number}",
        stored_organisms=stored_organisms(file, file.checked(file.block_name(number), block.organisms))
        if has_organisms(file.header)
        else None,
        feature_texts=texts["features"] if packed is not None and packed.features else None,
        places=texts["places"] if packed is not None and packed.places else None,
        track=track,
    )


class BlockPlaces:
    """Where subjects of a block are among its residues, without these."""

    def __init__(self, file: PackedFile, number: int) -> None:
        self._file, self._number = file, number
        self.index, self.lengths = file.index(number)
        self._sizes, counts = np.unique(self.lengths, return_counts=True)
        behind = np.cumsum(self._sizes.astype(np.int64) * counts)
        self._longer = self.index.residues - behind  # residues of subjects longer than each size
        begin, size = self.index.places["runs"]
        data = file.read(self._begin + begin, size, file.block_name(number))
        self.runs = file.checked(file.block_name(number), self.index.runs_in, data)

    def starts(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where some subjects begin among the residues, shape (k,)."""
        if len(rows) > _COUNTED:
            order, starts = sort_by_length(self.lengths), np.empty(len(self.lengths), np.int64)
            sizes = self.lengths[order].astype(np.int64)
            starts[order] = np.cumsum(sizes) - sizes
            return starts[rows]
        own = self.lengths[rows]
        before = [np.count_nonzero(self.lengths[:row] == size) for row, size in zip(rows.tolist(), own, strict=True)]
        return self._longer[np.searchsorted(self._sizes, own)] + np.array(before, np.int64) * own.astype(np.int64)

    def position(self) -> NDArray[np.int64]:
        """Return the storage position of each subject in the block."""
        position = np.empty(len(self.lengths), np.int64)
        position[sort_by_length(self.lengths)] = np.arange(len(position))
        return position

    @property
    def _begin(self) -> int:
        return int(self._file.directory["offset"][self._number])

    def residues(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return stretches of residues, concatenated."""
        return self._stretches("residues", self.index.bits, starts, stops)

    def letters(self, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the symbols of the second track for stretches of residues."""
        return self._stretches("letters", self.index.letter_bits, starts, stops)

    def _stretches(
        self, part: str, bits: int, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        out, done = np.empty(int((stops - starts).sum()), np.uint8), 0
        for start, stop in zip(starts.tolist(), stops.tolist(), strict=True):
            first, last = start // GROUP, -(-stop // GROUP)
            edges = np.array([start, stop], np.int64)
            unpack(self._groups(part, bits, first, last), edges - first * GROUP, np.array([done]), bits, out)
            if self.runs is not None and part == "residues":
                self.runs.lay(edges, np.array([done]), out)
            done += stop - start
        return out

    def _groups(self, part: str, bits: int, first: int, last: int) -> NDArray[np.uint8]:
        """Read some groups of residues; those of 5 bits lie in two planes, of 4 bits and of 1."""
        begin, what = self._begin + self.index.places[part][0], self._file.block_name(self._number)
        every = -(-self.index.residues // GROUP)
        planes = ((0, 32), (32 * every, 8)) if bits == 5 else ((0, 8 * bits),)
        read = [self._file.read(begin + at + size * first, size * (last - first), what) for at, size in planes]
        return np.frombuffer(b"".join(read), np.uint8)


class _Reading:
    """Residues of one subject, read where they are looked at."""

    def __init__(self, database: PackedDatabase, db_index: int, length: int) -> None:
        self._database, self._db_index, self._length = database, np.array([db_index]), length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, part: slice) -> NDArray[np.uint8]:
        return self._database.placed(self._db_index, None, (np.array([part.start]), np.array([part.stop])))[0]


class PackedDatabase(EncodedDatabase):
    """A packed file as a database of which nothing is in memory but its directory and the block that is scored.

    Parameters
    ----------
    blocks : Blocks
    name : str
        That of the file if empty.
    in_tracks : bool
        Whether its symbols are those of both tracks.
    """

    def __init__(self, blocks: Blocks, name: str = "", *, in_tracks: bool = False) -> None:
        file = blocks.file
        facts, packed = file.header.facts, file.header.facts.packed
        texts = {column: StoredTexts(file, place, 0, len(file)) for place, column in enumerate(COLUMNS)}
        track, alphabet, checksum = None, file.alphabet, facts.checksum
        if file.track is not None and facts.track is not None:
            track = LetterTrack(file.track, np.zeros(0, np.uint8), facts.track.checksum)
            if in_tracks:
                alphabet, checksum = two_tracks(alphabet, file.track), f"{checksum}{TRACKS}{facts.track.checksum}"
        self.blocks, self.alphabet, self.checksum, self.track = blocks, alphabet, checksum, track
        self.name = name or printable(facts.name)
        self.ids, self.descriptions = texts["ids"], texts["descriptions"]
        self.feature_texts = texts["features"] if packed is not None and packed.features else None
        self.places = texts["places"] if packed is not None and packed.places else None

    name: str
    alphabet: Alphabet
    ids: TextColumn
    descriptions: TextColumn
    checksum: str
    feature_texts: TextColumn | None
    places: TextColumn | None
    track: LetterTrack | None
    part = None
    whole = None

    @property
    def _file(self) -> PackedFile:
        return self.blocks.file

    def __len__(self) -> int:
        return self._file.header.facts.sequences

    @property
    def residues(self) -> int:
        return self._file.header.facts.residues

    @property
    def pieces(self) -> tuple[Piece, ...]:
        table = self._file.directory
        numbers = zip(table["first"].tolist(), table["sequences"].tolist(), table["residues"].tolist(), strict=True)
        pieces = (Piece(*counts, partial(self._piece, block)) for block, counts in enumerate(numbers))
        if not self._file.on_devices or isinstance(self.alphabet, TwoTracks):
            return tuple(pieces)
        blocks, checksum, longest = self.blocks, self.checksum, table["longest"].tolist()
        return tuple(
            replace(
                piece,
                packed=partial(blocks.packed, block),
                begin=partial(blocks.begin, block),
                key=f"{checksum} {block}",
                longest=longest[block],
            )
            for block, piece in enumerate(pieces)
        )

    def _piece(self, block: int) -> ArrayDatabase:
        database = self.blocks.get(block)
        return database.in_two_tracks() if isinstance(self.alphabet, TwoTracks) else database

    def renamed(self, name: str) -> PackedDatabase:
        return PackedDatabase(self.blocks, name, in_tracks=isinstance(self.alphabet, TwoTracks))

    def in_two_tracks(self) -> PackedDatabase:
        return PackedDatabase(self.blocks, self.name, in_tracks=True) if self.track is not None else self

    def arrays(self) -> Never:
        """Raise `DatabaseError`: residues are not in memory."""
        size = self.residues * (2 if self.track is not None else 1) / 1e9
        raise DatabaseError(
            str(self._file.path),
            f"'{self.name}' is not in memory, where this needs it as a whole ({size:,.1f} GB).",
            hint="Search it, which goes block by block, or use a computer with more memory.",
        )

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        lengths = np.empty(len(self), np.int32)
        for block, (first, stop) in enumerate(zip(self._file.firsts[:-1], self._file.firsts[1:], strict=True)):
            lengths[first:stop] = self._file.index(block)[1]
        return lengths

    @cached_property
    def position(self) -> NDArray[np.signedinteger[Any]]:
        position: NDArray[np.signedinteger[Any]] = np.empty(len(self), np.int32 if len(self) < 1 << 31 else np.int64)
        for block, (first, stop) in enumerate(zip(self._file.firsts[:-1], self._file.firsts[1:], strict=True)):
            position[first:stop] = self._places(block).position() + first
        return position

    def sources(self, start: int, stop: int) -> NDArray[np.int64]:
        parts = [np.zeros(0, np.int64)]
        edges = np.array([start, max(stop - 1, start)])
        first, last = self._blocks_of(edges).tolist() if start < stop else (0, -1)
        for block in range(first, last + 1):
            begin, order = int(self._file.firsts[block]), self._order_of(block)
            parts.append(begin + order[max(start - begin, 0) : stop - begin])
        return np.concatenate(parts)

    def _order_of(self, block: int) -> NDArray[np.int64]:
        return self.blocks.orders.get((block,), lambda: sort_by_length(self._file.index(block)[1]))

    def lengths_of(self, db_index: NDArray[np.int64]) -> NDArray[np.int32]:
        lengths, blocks = np.empty(len(db_index), np.int32), self._blocks_of(db_index)
        for block in distinct(blocks).tolist():
            own = blocks == block
            lengths[own] = self._file.index(block)[1][db_index[own] - self._file.firsts[block]]
        return lengths

    def lengths_seen(self, count: int) -> tuple[int, ...]:
        return self.blocks.lengths_seen.get((count,), lambda: self._lengths_seen(count))

    def _lengths_seen(self, count: int) -> tuple[int, ...]:
        table = self._file.directory
        seen = set(table["shortest"].tolist()) | set(table["longest"].tolist())
        for block in np.unique(np.linspace(0, len(table) - 1, _SAMPLED).astype(int)).tolist() if len(table) else []:
            lengths = np.sort(self._file.index(block)[1])
            seen |= set(lengths[np.linspace(0, len(lengths) - 1, count).astype(int)].tolist())
        return tuple(sorted(seen))

    @cached_property
    def stored_organisms(self) -> SubjectOrganisms | None:
        if not has_organisms(self._file.header):
            return None
        of = [self._organisms_in(block) for block in range(len(self._file))]
        return stored_organisms(self._file, np.concatenate([np.zeros(0, np.int32), *of]))

    def organism(self, db_index: int) -> Organism:
        return self.organisms_at(np.array([db_index])).organism(0)

    def organisms_at(self, rows: NDArray[np.int64]) -> SubjectOrganisms:
        if not has_organisms(self._file.header) or "stored_organisms" in vars(self):
            return super().organisms_at(rows)
        of, blocks = np.empty(len(rows), np.int32), self._blocks_of(rows)
        for block in np.unique(blocks).tolist():
            own = blocks == block
            of[own] = self._organisms_in(block)[rows[own] - self._file.firsts[block]]
        organisms = stored_organisms(self._file, of)
        assert organisms is not None
        return organisms

    def _organisms_in(self, block: int) -> NDArray[np.int32]:
        return self.blocks.organisms.get((block,), lambda: self._read_organisms(block))

    def _read_organisms(self, block: int) -> NDArray[np.int32]:
        file, (index, _) = self._file, self._file.index(block)
        begin, size = index.places["organisms"]
        data = file.read(int(file.directory["offset"][block]) + begin, size, file.block_name(block))
        return file.checked(file.block_name(block), organisms_in, data, index.sequences)

    def _places(self, block: int) -> BlockPlaces:
        return self.blocks.places.get((block,), lambda: BlockPlaces(self._file, block))

    def _blocks_of(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.searchsorted(self._file.firsts, rows, side="right") - 1

    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        return self.placed(np.array([db_index]))[0]

    def reading(self, db_index: int, strand: int = 1) -> Residues:
        block = int(self._blocks_of(np.array([db_index]))[0])
        length = int(self._places(block).lengths[db_index - int(self._file.firsts[block])])
        return _Reading(self, db_index, length)

    def letters_of(self, db_index: int) -> NDArray[np.uint8]:
        block = int(self._blocks_of(np.array([db_index]))[0])
        places, inside = self._places(block), db_index - int(self._file.firsts[block])
        begin = places.starts(np.array([inside]))
        return places.letters(begin, begin + places.lengths[inside])

    def _some_of(
        self, block: int, places: BlockPlaces, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> NDArray[np.uint8]:
        """Return stretches of a block, concatenated; where they are much of it, it is read as a whole."""
        if int((stops - starts).sum()) * _FEW > places.index.residues:
            part = self._piece(block)
            edges = zip(starts.tolist(), stops.tolist(), strict=True)
            return np.concatenate([part.symbols(slice(start, stop)) for start, stop in edges])
        residues = places.residues(starts, stops)
        if isinstance(self.alphabet, TwoTracks):
            return self.alphabet.join(residues, places.letters(starts, stops))
        return residues

    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        blocks = self._blocks_of(db_index)
        starts, lengths = np.zeros(len(db_index), np.int64), np.zeros(len(db_index), np.int64)
        codes: list[NDArray[np.uint8]] = [np.zeros(0, np.uint8)]
        size = 0
        for block in np.unique(blocks).tolist():
            rows, places = np.flatnonzero(blocks == block), self._places(block)
            inside = db_index[rows] - self._file.firsts[block]
            begins, sizes = places.starts(inside), places.lengths[inside].astype(np.int64)
            if parts is not None:
                first, last = parts[0][rows], parts[1][rows]
                begins, sizes = begins + first, np.where(last < 0, sizes, last) - first
            codes.append(self._some_of(block, places, begins, begins + sizes))
            lengths[rows], starts[rows] = sizes, size + np.cumsum(sizes) - sizes
            size += len(codes[-1])
        return np.concatenate(codes), starts, lengths
