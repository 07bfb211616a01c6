"""BLAST databases as a source of records: all volumes, block by block.

In memory are a block, and what the aliases list; the index of a volume stays on disk. Of version 5 the same files are
read as of version 4: index, residues and deflines, which have the taxid of every entry, as ``blastdbcmd`` shows it. Its
tables of identifiers and taxids (``.pdb``, ``.pos``, ``.pot``, ``.pto``, ``.ptf``) say nothing more, and may be gone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import DatabaseError
from swgui.io.imported.blast import BlastDatabase
from swgui.io.imported.blast_alias import AliasReader, Chosen
from swgui.io.imported.blast_volume import COPY_AGAIN, Volume
from swgui.io.imported.deflines import Deflines
from swgui.io.sequences.record_source import RecordBlock, RecordSource

FORM: Final = "BLAST database"
_BLOCK_SEQUENCES: Final = 1 << 13  # sequences of a block
_BLOCK_BYTES: Final = 1 << 22  # of residues, and of deflines; a longer sequence is a block of its own


class BlastSource(RecordSource):
    """A BLAST database; every volume is looked at when it is opened, and read one after the other.

    Raises
    ------
    DatabaseError
        If it has no sequences, or files are missing, damaged, or of a kind that is not understood.
    """

    def __init__(self, database: BlastDatabase) -> None:
        super().__init__(f"'{database.name.name}' (a BLAST database)", str(database.file), database.kind, FORM)
        self._database = database
        self._total = 0

        def sequences(name: Path) -> int:
            with Volume(name, database.kind) as volume:
                return volume.sequences

        reader = AliasReader(database.kind, sequences)
        self._volumes = reader.volumes(database.name)
        self._total = reader.sequences
        if not self._total:
            raise DatabaseError(self.path, f"{self.name} has no sequences.", hint=COPY_AGAIN)
        self._size = database.file.stat().st_size

    def blocks(self) -> Generator[RecordBlock, None, None]:
        """Yield all records; `DatabaseError` where a file is damaged."""
        number, before = 1, 0
        for name, ways in self._volumes.items():
            with Volume(name, self._database.kind) as volume:
                for first, stop in _pieces(volume):
                    block = _block(volume, first, stop, ways, number)
                    self.position = self._size * (before + stop) // self._total
                    if block is not None:
                        number += len(block)
                        yield block
                before += volume.sequences


def _pieces(volume: Volume) -> Iterator[tuple[int, int]]:
    """Yield first and last of the sequences of each block."""
    first = 0
    while first < volume.sequences:
        stop = min(first + _BLOCK_SEQUENCES, volume.sequences)
        for starts in (volume.starts, volume.header_starts):
            part = starts[first : stop + 1].astype(np.int64)
            fitting = int(np.searchsorted(part, part[0] + _BLOCK_BYTES, side="right")) - 1
            stop = min(stop, first + max(1, fitting))
        yield first, stop
        first = stop


def _block(volume: Volume, first: int, stop: int, ways: list[tuple[Chosen, ...]], number: int) -> RecordBlock | None:
    """Read a block; None if no entry of it is left."""
    narrowed = () not in ways
    if narrowed and not _wanted(ways, first, stop).any():
        return None
    deflines = volume.deflines(first, stop)
    letters, lengths = volume.letters(first, stop)
    count = stop - first
    if narrowed:
        deflines = deflines.take(_kept(ways, deflines, first, stop))
        ids, id_lengths, descriptions, description_lengths, taxids = deflines.texts(count)
        left = np.zeros(count, dtype=bool)
        left[deflines.entries] = True
        if not left.any():
            return None
        letters = np.frombuffer(letters, dtype=np.uint8)[np.repeat(left, lengths)].tobytes()
        lengths, id_lengths, description_lengths = lengths[left], id_lengths[left], description_lengths[left]
        taxids = taxids[left]
    else:
        ids, id_lengths, descriptions, description_lengths, taxids = deflines.texts(count)
    return RecordBlock(number, letters, lengths, ids, id_lengths, descriptions, description_lengths, taxids)


def _wanted(ways: list[tuple[Chosen, ...]], first: int, stop: int) -> NDArray[np.bool_]:
    """Return which sequences may stay, by their numbers."""
    wanted = np.zeros(stop - first, dtype=bool)
    for way in ways:
        wanted |= _allowed(way, first, stop)
    return wanted


def _allowed(way: tuple[Chosen, ...], first: int, stop: int) -> NDArray[np.bool_]:
    allowed = np.ones(stop - first, dtype=bool)
    for chosen in way:
        allowed &= chosen.sequences(first, stop)
    return allowed


def _kept(ways: list[tuple[Chosen, ...]], deflines: Deflines, first: int, stop: int) -> NDArray[np.bool_]:
    """Return which deflines stay."""
    kept = np.zeros(len(deflines), dtype=bool)
    for way in ways:
        allowed = _allowed(way, first, stop)[deflines.entries]
        for chosen in way:
            allowed &= chosen.deflines(deflines)
        kept |= allowed
    return kept
