"""Packed files as databases in memory, and what a whole file is checked for."""

from __future__ import annotations

import hashlib
import os
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import ArrayDatabase, EncodedDatabase, LetterTrack
from swgui.core.packing import sort_by_length
from swgui.core.several.joined import joined
from swgui.core.words import printable
from swgui.io.database.facts import HeaderFacts
from swgui.io.database.format import BESIDE_BLOCKS, Header
from swgui.io.database.packed.database import Blocks, PackedDatabase
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.layout import Block, content_checksum_of
from swgui.io.database.packed.names import COLUMNS, StoredTexts
from swgui.io.database.packed.parts import check_codes, has_organisms, stored_organisms
from swgui.io.database.packed.reading import BlockReader, memory

WHOLE_SHARE: Final = 2  # a database that takes at most this share of the memory is held there
_EACH: Final = 24  # bytes of memory for a subject of an open database, without its residues
_Stretches = tuple[NDArray[np.int64], NDArray[np.int64]]


def open_packed(path: str | os.PathLike[str], *, in_blocks: bool = False) -> EncodedDatabase:
    """Open a packed file as a database in memory; names are read from the file on demand.

    A file that would take more than half of the memory is searched block by block.

    Parameters
    ----------
    in_blocks : bool
        Whether that is enough in any case: for facts about the file nothing else is read.

    Raises
    ------
    DatabaseError
        If the file cannot be opened, or is damaged.
    """
    file = PackedFile(path)
    facts = file.header.facts
    if in_blocks or not fits_memory(facts):
        return PackedDatabase(Blocks(file))
    unpacked = Unpacked(file)
    with BlockReader(file) as reader:
        for _ in reader.each(unpacked.take):
            pass
    return unpacked.database()


def bytes_in_memory(facts: HeaderFacts) -> int:
    """Return the memory of a packed file that is held completely, in bytes."""
    return facts.residues * (2 if facts.track else 1) + _EACH * facts.sequences


def fits_memory(facts: HeaderFacts) -> bool:
    """Whether a packed file is held in memory when it is opened."""
    return bytes_in_memory(facts) <= memory() // WHOLE_SHARE


def in_blocks(database: EncodedDatabase) -> EncodedDatabase:
    """Return a database in the storage order of its files: of a packed one that of its blocks, in memory or not.

    Parts of a search that are scored on different computers have that order in common.
    """
    if len(database.members) > 1:
        return joined([in_blocks(member) for member in database.members])
    file = database.ids.source if isinstance(database.ids, StoredTexts) else None
    if isinstance(database, PackedDatabase) or not isinstance(file, PackedFile):
        return database
    return PackedDatabase(Blocks(file), database.name)


class Unpacked:
    """All blocks of a file in memory, as they are unpacked one by one: sorted by length through all of them."""

    def __init__(self, file: PackedFile) -> None:
        self.file = file
        facts = file.header.facts
        self._lengths = np.concatenate([np.zeros(0, np.int32), *map(self._lengths_of, range(len(file)))])
        self._order = sort_by_length(self._lengths)
        self._offsets = np.zeros(len(self._order) + 1, np.int64)
        np.cumsum(self._lengths[self._order], out=self._offsets[1:])
        self._codes = np.empty(facts.residues, np.uint8)
        self._letters = np.empty(facts.residues if facts.track else 0, np.uint8)
        self._of = np.empty(facts.sequences if has_organisms(file.header) else 0, np.int32)
        self._places = self._all_places()

    def _lengths_of(self, block: int) -> NDArray[np.int32]:
        return self.file.index(block)[1].astype(np.int32)

    def _all_places(self) -> list[_Stretches]:
        """Return for each block where its stretches of equally long subjects begin in it, and in the whole."""
        sizes, counts = np.unique(self._lengths, return_counts=True)
        sizes, counts = sizes[::-1].astype(np.int64), counts[::-1].astype(np.int64)
        of_length = np.asarray(sizes * counts, np.int64)  # residues
        begins = np.asarray(np.cumsum(of_length) - of_length, np.int64)  # a block's stand behind those before it
        made = []
        for first, stop in zip(self.file.firsts[:-1].tolist(), self.file.firsts[1:].tolist(), strict=True):
            own, own_counts = np.unique(self._lengths[first:stop], return_counts=True)
            own, own_counts = own[::-1].astype(np.int64), own_counts[::-1]
            rows: NDArray[np.int64] = len(sizes) - 1 - np.searchsorted(sizes[::-1], own)
            edges = np.zeros(len(own) + 1, np.int64)
            np.cumsum(own * own_counts, out=edges[1:])
            made.append((edges, begins[rows]))
            begins[rows] += own * own_counts
        return made

    def take(self, block: Block) -> None:
        """Unpack a block to where it belongs; any number of threads may do this at a time."""
        number = block.index.number
        edges, places = self._places[number]
        self.file.checked(self.file.block_name(number), block.unpack, edges, places, self._codes)
        if len(self._letters):
            block.unpack_letters(edges, places, self._letters)
        if len(self._of):
            first = block.index.first
            found = self.file.checked(self.file.block_name(number), block.organisms)
            self._of[first : first + block.index.sequences] = found

    def database(self) -> ArrayDatabase:
        """Return the unpacked block."""
        file, facts, packed = self.file, self.file.header.facts, self.file.header.facts.packed
        assert packed is not None
        check_codes(file, self._codes, file.alphabet)
        if file.track:
            check_codes(file, self._letters, file.track)
        texts = {name: StoredTexts(file, number, 0, len(file)) for number, name in enumerate(COLUMNS)}
        track = LetterTrack(file.track, self._letters, facts.track.checksum) if file.track and facts.track else None
        return ArrayDatabase(
            name=printable(facts.name),
            alphabet=file.alphabet,
            codes=self._codes,
            offsets=self._offsets,
            order=self._order,
            ids=texts["ids"],
            descriptions=texts["descriptions"],
            checksum=facts.checksum,
            stored_organisms=stored_organisms(file, self._of) if len(self._of) else None,
            feature_texts=texts["features"] if packed.features else None,
            places=texts["places"] if packed.places else None,
            track=track,
        )


def check_packed(path: str | os.PathLike[str], check: Check) -> Header:
    """Read a whole packed file and verify every checksum and the rules of the format.

    Raises
    ------
    DatabaseError
        If a single bit is wrong.
    Stopped
        By `check`, which is called for each block.
    """
    file = PackedFile(path)
    facts = file.header.facts
    for name in file.header.sections:
        if name in BESIDE_BLOCKS:
            file.section(name)
    largest = 0
    with BlockReader(file) as reader:
        for most in reader.each(partial(_check_block, file)):
            check()
            largest = max(largest, most)
    alphabets = [facts.alphabet, *([facts.track.alphabet] if facts.track else [])]
    if content_checksum_of(alphabets, file.directory) != facts.checksum or largest != facts.longest:
        raise file.fault("its content")
    return file.header


def _check_block(file: PackedFile, block: Block) -> int:
    """Compare the checksums of a block and its names, and look at every letter; return the longest length."""
    index, what = block.index, file.block_name(block.index.number)
    entry = file.directory[index.number]
    if hashlib.blake2b(block.data.data, digest_size=16).digest() != entry["digest"].tobytes():
        raise file.fault(what)
    edges, places = np.array([0, index.residues], np.int64), np.zeros(1, np.int64)
    for alphabet, unpack in ((file.alphabet, block.unpack), (file.track, block.unpack_letters)):
        if alphabet is not None:
            codes = np.empty(index.residues, np.uint8)
            file.checked(what, unpack, edges, places, codes)
            check_codes(file, codes, alphabet)
    names = file.read(int(entry["names"]), int(entry["names_size"]), f"the list of names of {what}")
    if hashlib.blake2b(names, digest_size=16).digest() != entry["names_digest"].tobytes():
        raise file.fault(f"the list of names of {what}")
    for _ in file.frames_of(index.number):
        pass
    return index.longest
