"""DIAMOND databases (``.dmnd``, version 3 of their format) as a source of records.

Behind the header stand the entries: 255, a byte for each residue, 255, the title and a zero. The directory has for each
entry where it begins and how many residues it has, 16 bytes each, and at last where the entries end. The highest bit of
a residue says that it is masked in searches.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import DatabaseError
from swgui.io.imported.gathering import gathered, headers
from swgui.io.opening import is_file, open_to_read
from swgui.io.sequences.record_source import RecordBlock, RecordSource

FORM: Final = "DIAMOND database"
SUFFIX: Final = ".dmnd"
MAGIC: Final = (0x24AF8A415EE186D).to_bytes(8, "little")
_VERSION: Final = 3
_HEAD: Final = struct.Struct("<8sIIQQQ")  # magic, build, version; sequences, residues, where the directory begins
_ENTRY: Final = np.dtype([("start", "<i8"), ("length", "<u4"), ("spare", "<u4")])
_LETTERS: Final = b"ARNDCQEGHILKMFPSTWYVBJZX*"
_MASKED: Final = 0x80
_WRONG: Final = 0
_TABLE: Final = bytes(_LETTERS[code & ~_MASKED] if code & ~_MASKED < len(_LETTERS) else _WRONG for code in range(256))
_EDGE: Final = 255
_BLOCK_BYTES: Final = 1 << 22
_BLOCK_SEQUENCES: Final = 1 << 14
_COPY_AGAIN: Final = "Copy it again, or make it again with 'diamond makedb'."


@dataclass(frozen=True, slots=True)
class DiamondDatabase:
    """A DIAMOND database that is there."""

    what: ClassVar[str] = "a DIAMOND database"
    name: Path  # as DIAMOND takes it
    file: Path

    def files(self) -> list[Path]:
        """Return its files: one."""
        return [self.file]


def find_diamond_database(path: str | os.PathLike[str]) -> DiamondDatabase | None:
    """Return the DIAMOND database that a path means, with its ending or without; None if it means none."""
    place = Path(path)
    named = place.suffix == SUFFIX or is_file(place) or not place.name  # '.' and '/' have no name
    file = place if named else place.with_name(place.name + SUFFIX)
    if file.suffix != SUFFIX or not is_file(file):
        return None
    return DiamondDatabase(file.with_name(file.name.removesuffix(SUFFIX)), file)


class DiamondSource(RecordSource):
    """A DIAMOND database, read block by block.

    Raises
    ------
    DatabaseError
        If the file is of another version, truncated or damaged.
    """

    def __init__(self, database: DiamondDatabase) -> None:
        super().__init__(f"'{database.file.name}' (a DIAMOND database)", str(database.file), PROTEIN, FORM)
        self._place = database.file
        with open_to_read(self._place, "a DIAMOND database", DatabaseError) as file:
            head = file.read(_HEAD.size)
            self._size = os.fstat(file.fileno()).st_size
        if len(head) < _HEAD.size or not head.startswith(MAGIC):
            raise DatabaseError(self.path, f"'{self._place.name}' is no DIAMOND database.", hint="Check the name.")
        _, _, version, self._sequences, self._residues, self._directory = _HEAD.unpack(head)
        if version != _VERSION:
            raise DatabaseError(
                self.path,
                f"{self.name} has version {version} of its format; version {_VERSION} is read.",
                hint=f"With DIAMOND installed, 'diamond getseq -d {self._place.name} > NAME.fasta' writes it as FASTA.",
            )
        if not self._sequences:
            raise DatabaseError(self.path, f"{self.name} has no sequences.", hint=_COPY_AGAIN)
        if self._directory + _ENTRY.itemsize * (self._sequences + 1) > self._size:
            raise self._fault("is truncated")

    def _fault(self, what: str) -> DatabaseError:
        return DatabaseError(self.path, f"{self.name} {what}.", hint=_COPY_AGAIN)

    def blocks(self) -> Generator[RecordBlock, None, None]:
        """Yield all records; `DatabaseError` where the file is damaged."""
        directory = np.memmap(self._place, _ENTRY, "r", self._directory, (self._sequences + 1,))
        data, first, residues = np.memmap(self._place, np.uint8, "r"), 0, 0
        while first < self._sequences:
            some = np.array(directory[first : first + _BLOCK_SEQUENCES + 1])
            starts = some["start"]
            if starts[0] < _HEAD.size or (np.diff(starts) < some["length"][:-1] + 3).any():
                raise self._fault("is damaged: its directory leads back and forth")
            if starts[-1] > self._directory:
                raise self._fault("is damaged: its directory leads behind its entries")
            count = max(int(np.searchsorted(starts, starts[0] + _BLOCK_BYTES, side="right")) - 1, 1)
            some = some[: count + 1]
            self.position = int(some["start"][-1])
            yield self._block(first + 1, np.array(data[some["start"][0] : self.position]), some)
            residues += int(some["length"][:-1].sum(dtype=np.int64))
            first += count
        if residues != self._residues:
            raise self._fault(f"is damaged: it has {residues:,} residues, and says {self._residues:,}")

    def _block(self, number: int, data: NDArray[np.uint8], entries: NDArray[np.void]) -> RecordBlock:
        begins = entries["start"] - entries["start"][0]
        starts, lengths, ends = begins[:-1] + 1, entries["length"][:-1].astype(np.int64), begins[1:] - 1
        titles = starts + lengths + 1
        letters = gathered(data, starts, lengths).translate(_TABLE)
        edges = (data[starts - 1] == _EDGE) & (data[titles - 1] == _EDGE) & (data[ends] == 0)
        if not edges.all() or _WRONG in letters:
            raise self._fault("is damaged: an entry does not begin and end where its directory says")
        return RecordBlock(number, letters, lengths, *headers(data, titles, ends))
