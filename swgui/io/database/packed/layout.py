"""The layout of a packed database file: places of blocks and names, and the parts of a block.

::

    0        as in `swgui.io.database.format`; the version is 3
    names    of block 0: frames packed with zstd, then where each begins
    4096 k   block 0: its head, then parts at multiples of 64 bytes, filled up to a multiple of 4,096
    names    of block 1, block 1, ...
    ...      directory: for each block where it and its names are, how much is in them, and checksums; then the header

A block holds subjects that follow each other in source order, and stands alone. Its residues are packed longest
subject first, equally long ones in source order, so that lengths in source order, packed with zstd, tell where each
is. Its CRC-32 is compared whenever it is read; BLAKE2b as in all files for readers of a whole file.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.organisms.subjects import UNKNOWN
from swgui.core.packing import sort_by_length
from swgui.io.database.packed.codec import BITS, FEW, Runs, pack, packed_size, unpack
from swgui.io.unpacking import zstd_module

PAGE: Final = 4096  # starts and sizes of blocks are multiples of this: direct reading requires it
PART: Final = 64  # starts of the parts of a block are multiples of this
LIMIT: Final = 1 << 48  # above every number of a directory, so that no sum of them is beyond 64 bits

DIRECTORY: Final = np.dtype(
    [
        ("offset", "<i8"),  # where the block begins in the file
        ("size", "<i8"),
        ("first", "<i8"),  # source index of its first subject
        ("sequences", "<i8"),
        ("residues", "<i8"),
        ("longest", "<i8"),
        ("shortest", "<i8"),
        ("names", "<i8"),  # where its names begin
        ("names_size", "<i8"),
        ("frames", "<i8"),  # frames of its names
        ("crc", "<u4"),
        ("spare", "<u4"),
        ("digest", "V16"),
        ("names_digest", "V16"),
    ]
)
MAGIC: Final = b"SWBLOCK\n"
# Magic, number, source index of the first subject, subjects, residues, longest; bits of residues and of letters (0
# without); sizes of the parts.
HEAD: Final = struct.Struct("<8s5q2q5q")
PARTS: Final = ("lengths", "residues", "runs", "letters", "organisms")
_RUN: Final = 17  # bytes of a run


def squeeze(data: Any) -> bytes:
    """Return data packed with zstd, with a checksum of its own."""
    zstd = zstd_module()
    options = {zstd.CompressionParameter.compression_level: 3, zstd.CompressionParameter.checksum_flag: 1}
    return bytes(zstd.compress(data, options=options))


def unsqueeze(data: Any, size: int) -> bytes:
    """Undo `squeeze`; `ValueError` unless the result has exactly that size."""
    zstd = zstd_module()
    try:
        decompressor = zstd.ZstdDecompressor()
        found = bytes(decompressor.decompress(data, max_length=size + 1))
    except zstd.ZstdError as fault:
        raise ValueError(str(fault)) from None
    if len(found) != size or (size and not decompressor.eof):
        raise ValueError("size")
    return found


def unpacked_size(data: Any) -> int:
    """Return the unpacked size of data from `squeeze`; `ValueError` if they are not packed with zstd."""
    zstd = zstd_module()
    try:
        return zstd.get_frame_info(data).decompressed_size or 0
    except zstd.ZstdError as fault:
        raise ValueError(str(fault)) from None


def padded(size: int, multiple: int) -> int:
    """Return a size filled up to a multiple."""
    return size + -size % multiple


class Content(msgspec.Struct, frozen=True, eq=False):
    """The content of a block, in source order."""

    number: int
    first: int
    codes: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    letters: NDArray[np.uint8] | None = None
    organisms: NDArray[np.int32] | None = None

    def parts(self, alphabet: Alphabet, track: Alphabet | None) -> list[Any]:
        """Return a block as consecutive bytes and arrays."""
        order = sort_by_length(self.lengths)
        offsets = np.zeros(len(self.lengths) + 1, np.int64)
        np.cumsum(self.lengths, out=offsets[1:])
        bits, runs = _bits_of(alphabet, self.codes, offsets, order)
        letters, letter_bits = np.zeros(0, np.uint8), 0
        if self.letters is not None and track is not None:
            letter_bits = whole_bits(track)
            letters = pack(self.letters, offsets, order, letter_bits)
        longest = int(self.lengths.max(initial=0))
        parts: list[Any] = [
            squeeze(self.lengths.astype(_narrow(longest))),
            pack(self.codes, offsets, order, bits),
            squeeze(runs.data()) if runs else b"",
            letters,
            squeeze(self.organisms.astype("<i4")) if self.organisms is not None else b"",
        ]
        counts = self.number, self.first, len(self.lengths), len(self.codes), longest
        sizes = [memoryview(part).nbytes for part in parts]
        pieces: list[Any] = [HEAD.pack(MAGIC, *counts, bits, letter_bits, *sizes)]
        pieces.append(bytes(-HEAD.size % PART))
        for part, size in zip(parts, sizes, strict=True):
            pieces += [part, bytes(-size % PART)] if size else []
        whole = sum(memoryview(piece).nbytes for piece in pieces)
        return [*pieces, bytes(-whole % PAGE)]


def placed_at(head: Any, number: int, first: int) -> bytes:
    """Return the head of a block that moves to another place."""
    magic, _, _, *rest = HEAD.unpack(bytes(head))
    return HEAD.pack(magic, number, first, *rest)


def _narrow(longest: int) -> str:
    return "<u1" if longest < 1 << 8 else "<u2" if longest < 1 << 16 else "<u4"


def whole_bits(alphabet: Alphabet) -> int:
    """Return the bits of a letter that suffice for every letter of an alphabet."""
    return next(bits for bits in BITS if len(alphabet.letters) <= 1 << bits)


def _bits_of(
    alphabet: Alphabet, codes: NDArray[np.uint8], offsets: NDArray[np.int64], order: NDArray[np.int64]
) -> tuple[int, Runs | None]:
    """Return the bits of a residue, and what they leave out: of bases two, unless many are not A, C, G or T."""
    whole = whole_bits(alphabet)
    if alphabet.name == NUCLEOTIDE.name:
        runs = Runs.of(codes, offsets, order)
        if len(runs.starts) * _RUN + packed_size(len(codes), FEW) < packed_size(len(codes), whole):
            return FEW, runs if len(runs.starts) else None
    return whole, None


class BlockIndex(msgspec.Struct, frozen=True, eq=False):
    """The head of a block: all but its residues."""

    number: int
    first: int
    sequences: int
    residues: int
    longest: int
    bits: int
    letter_bits: int
    places: dict[str, tuple[int, int]]  # where each part begins in the block, and its bytes

    @classmethod
    def of(cls, head: Any, entry: Any, place: int, lettered: bool) -> BlockIndex:
        """Read the head of a block; `ValueError` unless it agrees with the directory.

        Parameters
        ----------
        place : int
            Which block of the file it is.
        lettered : bool
            Whether there is a second track.
        """
        magic, *numbers = HEAD.unpack(bytes(memoryview(head)[: HEAD.size]))
        sizes = numbers[7:]
        end, places = padded(HEAD.size, PART), dict[str, tuple[int, int]]()
        for name, size in zip(PARTS, sizes, strict=True):
            if not 0 <= size <= int(entry["size"]):
                raise ValueError(name)
            places[name] = end, size
            end += padded(size, PART)
        number, first, sequences, residues, longest, bits, letter_bits = numbers[:7]
        index = cls(number, first, sequences, residues, longest, bits, letter_bits, places)
        known = tuple(int(entry[name]) for name in ("first", "sequences", "residues", "longest"))
        if magic != MAGIC or number != place or (index.first, index.sequences, index.residues, index.longest) != known:
            raise ValueError("head")
        if padded(end, PAGE) != int(entry["size"]) or index.bits not in BITS or index.letter_bits not in (0, *BITS):
            raise ValueError("head")
        if lettered != (index.letter_bits > 0):
            raise ValueError("letters")
        for name, bits in (("residues", index.bits), ("letters", index.letter_bits)):
            if places[name][1] != packed_size(index.residues, bits):
                raise ValueError(name)
        return index

    @property
    def needed(self) -> int:
        """Bytes at the beginning of a block that hold its lengths."""
        return sum(self.places["lengths"])

    def lengths_in(self, block: Any) -> NDArray[np.integer[Any]]:
        """Return the lengths of the subjects in source order, of the first bytes of a block; `ValueError` if wrong."""
        start, size = self.places["lengths"]
        dtype = np.dtype(_narrow(self.longest))
        data = unsqueeze(memoryview(block)[start : start + size], self.sequences * dtype.itemsize)
        lengths = np.frombuffer(data, dtype)
        if int(lengths.sum(dtype=np.int64)) != self.residues or int(lengths.max(initial=0)) != self.longest:
            raise ValueError("lengths")
        return lengths

    def runs_in(self, data: Any) -> Runs | None:
        """Return the bases that two bits cannot hold, from the bytes of that part; `ValueError` if it is damaged."""
        if not len(data):
            return None
        size = unpacked_size(data)
        count, rest = divmod(size, _RUN)
        if rest or count > self.residues:
            raise ValueError("runs")
        raw = unsqueeze(data, size)
        starts, lengths = np.frombuffer(raw, "<i8", 2 * count).reshape(2, count)
        runs = Runs(starts, lengths, np.frombuffer(raw, np.uint8, count, 16 * count))
        if (starts < 0).any() or (lengths <= 0).any() or (starts + lengths > self.residues).any():
            raise ValueError("runs")
        if (starts[1:] < starts[:-1] + lengths[:-1]).any():
            raise ValueError("runs")
        return runs


class Block(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A block in memory, its residues still packed."""

    index: BlockIndex
    data: NDArray[np.uint8]
    lengths: NDArray[np.integer[Any]]  # source order

    @classmethod
    def of(cls, data: NDArray[np.uint8], entry: Any, place: int, lettered: bool) -> Block:
        """Take a block apart; `ValueError` unless it agrees with the directory."""
        index = BlockIndex.of(data, entry, place, lettered)
        return cls(index, data, index.lengths_in(data))

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """Index in the block of each storage position."""
        return sort_by_length(self.lengths)

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where each subject begins in storage order, and the end."""
        offsets = np.zeros(self.index.sequences + 1, np.int64)
        np.cumsum(self.lengths[self.order], out=offsets[1:])
        return offsets

    def part(self, name: str) -> NDArray[np.uint8]:
        """Return the bytes of a part."""
        start, size = self.index.places[name]
        return self.data[start : start + size]

    def unpack(self, edges: NDArray[np.int64], places: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
        """Put stretches of residues into an array; as `swgui.io.database.packed.codec.unpack`."""
        unpack(self.part("residues"), edges, places, self.index.bits, out)
        if (runs := self.runs()) is not None:
            runs.lay(edges, places, out)

    def runs(self) -> Runs | None:
        """Return the bases that two bits cannot hold; `ValueError` if that part is damaged."""
        return self.index.runs_in(self.part("runs"))

    def unpack_letters(self, edges: NDArray[np.int64], places: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
        """Do the same with letters of the second track."""
        unpack(self.part("letters"), edges, places, self.index.letter_bits, out)

    def organisms(self) -> NDArray[np.int32]:
        """Return the number of each subject's organism, source order; `ValueError` if they are not as many."""
        return organisms_in(self.part("organisms"), self.index.sequences)


def organisms_in(part: Any, subjects: int) -> NDArray[np.int32]:
    """Return the number of each subject's organism, of the bytes of that part; `ValueError` if they are not as many."""
    if not len(part):
        return np.full(subjects, UNKNOWN, np.int32)
    return np.frombuffer(unsqueeze(part, 4 * subjects), "<i4")


def directory_of(data: Any, sequences: int, residues: int, end: int) -> NDArray[Any]:
    """Return a directory; `ValueError` unless its blocks lie in the file and are together what the file says.

    Parameters
    ----------
    data : ndarray, dtype=uint8
    end : int
        Where the directory begins: all blocks and names stand before.
    """
    if len(data) % DIRECTORY.itemsize:
        raise ValueError("directory")
    table = np.frombuffer(bytes(data), DIRECTORY)
    numbers = [name for name in DIRECTORY.names or () if DIRECTORY[name] == np.dtype("<i8")]
    for name in numbers:
        if len(table) and (int(table[name].min()) < 0 or int(table[name].max()) >= LIMIT):
            raise ValueError(name)
    for begin, size in (("offset", "size"), ("names", "names_size")):
        if (table[begin] + table[size] > end).any():
            raise ValueError(begin)
    empty = (table["size"] == 0) | (table["sequences"] == 0)
    if (table["offset"] % PAGE).any() or (table["size"] % PAGE).any() or empty.any():
        raise ValueError("offset")
    counts = [int(count) for count in table["sequences"].tolist()]
    firsts = [0]
    for count in counts:
        firsts.append(firsts[-1] + count)
    if table["first"].tolist() != firsts[:-1] or firsts[-1] != sequences:
        raise ValueError("first")
    if sum(table["residues"].tolist()) != residues:
        raise ValueError("residues")
    return table


def content_checksum_of(names: Sequence[str], table: NDArray[Any]) -> str:
    """Return the checksum of a packed file's content: of its alphabets and of the checksums of its blocks."""
    import hashlib

    digest = hashlib.blake2b(" ".join(names).encode(), digest_size=16)
    for entry in table:
        digest.update(entry["digest"].tobytes() + entry["names_digest"].tobytes())
    return digest.hexdigest()
