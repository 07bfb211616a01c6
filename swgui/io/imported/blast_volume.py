"""One volume of a BLAST database: index, sequences and deflines, of format version 4 or 5.

All numbers of the index are big-endian but the number of residues. Behind its head stand where the deflines of each
sequence begin in the header file, and where its residues begin in the sequence file; of nucleotides also where its
ambiguities begin there. Each list has one number more than there are sequences.
"""

from __future__ import annotations

import mmap
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.errors import DatabaseError
from swgui.io.imported.ber import Damaged
from swgui.io.imported.deflines import Deflines, read_deflines
from swgui.io.opening import open_to_read

LETTERS: Final = b"-ABCDEFGHIKLMNPQRSTVWXYZU*OJ"  # of proteins, by their number in these files
_UNKNOWN: Final = b"X"
_AMBIGUOUS: Final = b"-ACMGRSVTWYHKDBN"  # a bit for each of A, C, G, T
_VERSIONS: Final = (4, 5)
_KINDS: Final = {0: NUCLEOTIDE, 1: PROTEIN}
LETTER_OF: Final = {PROTEIN.name: "p", NUCLEOTIDE.name: "n"}
COPY_AGAIN: Final = "Copy or download the database again, all files of it."
_LONGEST_TEXT: Final = 1 << 16  # bytes of a title

_PROTEIN_TABLE: Final = (LETTERS + _UNKNOWN * 256)[:256]
_FOUR_BASES: Final = np.frombuffer(
    bytes(b"ACGT"[number >> shift & 3] for number in range(256) for shift in (6, 4, 2, 0)), dtype="<u4"
)


@dataclass(frozen=True, slots=True)
class _Head:
    """The head of an index."""

    kind: Alphabet
    sequences: int
    lists: int  # byte at which the lists begin


class Volume:
    """A volume that is open; use it in a ``with`` statement.

    Parameters
    ----------
    name : Path
        Without an ending.
    kind : Alphabet

    Attributes
    ----------
    sequences : int

    Raises
    ------
    DatabaseError
        If a file is missing, no such index, or shorter than the index says.
    """

    def __init__(self, name: Path, kind: Alphabet) -> None:
        self.name, self.kind = name, kind
        letter = LETTER_OF[kind.name]
        self._index, self._headers, self._residues = (
            name.with_name(f"{name.name}.{letter}{ending}") for ending in ("in", "hr", "sq")
        )
        self._stack = ExitStack()
        try:
            index, self._header_file, self._residue_file = (
                self._opened(path) for path in (self._index, self._headers, self._residues)
            )
            head = self._read_head(index)
            self.sequences = head.sequences
            self._read_lists(index, head)
        except BaseException:
            self._stack.close()
            raise

    def __enter__(self) -> Volume:
        return self

    def __exit__(self, *_: object) -> None:
        self.header_starts = self.starts = self.ambiguities = np.zeros(1, dtype=">u4")  # or the map stays open
        self._stack.close()

    def error(self, path: Path, message: str) -> DatabaseError:
        """Make an error about one of its files."""
        return DatabaseError(str(path), f"'{path.name}' {message}.", hint=COPY_AGAIN)

    def _opened(self, path: Path) -> IO[bytes]:
        if not path.exists():
            message = f"There is no '{path.name}' among the files of the BLAST database."
            raise DatabaseError(str(path), message, hint=COPY_AGAIN)
        return self._stack.enter_context(open_to_read(path, "a file of a BLAST database", DatabaseError))

    def _read_head(self, index: IO[bytes]) -> _Head:
        """Read the beginning of the index: version, kind, title, date and counts."""
        wrong = self.error(self._index, "is no index of a BLAST database")
        wrong.hint = "Give the name of a BLAST database, or one of its files."

        def number() -> int:
            data = index.read(4)
            if len(data) < 4:
                raise wrong
            return int.from_bytes(data, "big")

        version = number()
        if version not in _VERSIONS:
            if version < 100:
                wrong.message = f"'{self._index.name}' is of version {version} of BLAST's format; 4 and 5 are read."
            raise wrong
        if _KINDS.get(number()) is not self.kind:
            raise wrong
        texts = 2
        if version > 4:
            number()  # of the volume
            texts = 3  # the name of a further file
        for _ in range(texts):
            size = number()
            if size > _LONGEST_TEXT or len(index.read(size)) < size:
                raise wrong
        sequences = number()
        if len(index.read(12)) < 12:  # residues in all, longest
            raise wrong
        return _Head(self.kind, sequences, index.tell())

    def _read_lists(self, index: IO[bytes], head: _Head) -> None:
        """Check the lists of the index, which stay on disk, against the sizes of the files."""
        count = head.sequences + 1
        lists = 3 if self.kind is NUCLEOTIDE else 2
        size = index.seek(0, 2)
        if size < head.lists + 4 * lists * count:
            raise self.error(self._index, f"ends too early for the {head.sequences:,} sequences that it should have")
        mapped = mmap.mmap(index.fileno(), 0, access=mmap.ACCESS_READ)
        self._stack.callback(_close_map, mapped)
        numbers = np.frombuffer(mapped, dtype=">u4", count=lists * count, offset=head.lists)
        self.header_starts, self.starts = numbers[:count], numbers[count : 2 * count]
        self.ambiguities = numbers[2 * count :] if lists == 3 else self.starts
        for path, file, starts in (
            (self._headers, self._header_file, self.header_starts),
            (self._residues, self._residue_file, self.starts),
        ):
            have, needed = file.seek(0, 2), int(starts[-1])
            if have < needed:
                raise self.error(path, f"has {have:,} bytes, but its index gives {needed:,}: it is truncated")

    def numbers(self, starts: NDArray[np.uint32], first: int, stop: int, path: Path) -> NDArray[np.int64]:
        """Return where some sequences begin, and where the last of them ends."""
        numbers = starts[first : stop + 1].astype(np.int64)
        if (np.diff(numbers) < 0).any() or int(numbers[-1]) > int(starts[-1]):
            raise self.error(self._index, f"is damaged: its offsets in '{path.name}' do not ascend")
        return numbers

    def _read(self, file: IO[bytes], path: Path, start: int, stop: int) -> bytes:
        try:
            file.seek(start)
            data = file.read(stop - start)
        except OSError as fault:
            raise DatabaseError(str(path), f"'{path.name}' cannot be read: {fault.strerror or fault}.") from fault
        if len(data) < stop - start:
            raise self.error(path, "ends too early: it is truncated, or was changed while it was read")
        return data

    def deflines(self, first: int, stop: int) -> Deflines:
        """Return the deflines of some sequences, numbered from 0."""
        starts = self.numbers(self.header_starts, first, stop, self._headers)
        data = np.frombuffer(
            self._read(self._header_file, self._headers, int(starts[0]), int(starts[-1])), dtype=np.uint8
        )
        try:
            return read_deflines(data, starts[:-1] - starts[0], starts[1:] - starts[0])
        except Damaged as fault:
            raise self.error(
                self._headers, f"is damaged: the title of sequence {first + fault.entry + 1:,} cannot be read"
            ) from None

    def letters(self, first: int, stop: int) -> tuple[bytes, NDArray[np.int64]]:
        """Return the residues of some sequences as letters, concatenated, and their lengths."""
        starts = self.numbers(self.starts, first, stop, self._residues)
        data = self._read(self._residue_file, self._residues, int(starts[0]), int(starts[-1]))
        return self._proteins(data, starts, first) if self.kind is PROTEIN else self._bases(data, starts, first, stop)

    def _proteins(self, data: bytes, starts: NDArray[np.int64], first: int) -> tuple[bytes, NDArray[np.int64]]:
        """Each is followed by a zero, which is a gap sign within one."""
        lengths = np.diff(starts) - 1
        signs = np.frombuffer(data, dtype=np.uint8)
        ends = starts[1:] - starts[0] - 1
        wrong = int(np.argmin(lengths)) if (lengths < 0).any() else int(np.argmax(signs[ends] != 0))
        if lengths[wrong] < 0 or signs[ends[wrong]]:
            raise self.error(self._residues, f"is damaged: sequence {first + wrong + 1:,} does not end where it should")
        if data.count(0) == len(lengths):
            return data.translate(_PROTEIN_TABLE, b"\0"), lengths
        return np.delete(signs, ends).tobytes().translate(_PROTEIN_TABLE), lengths

    def _bases(self, data: bytes, starts: NDArray[np.int64], first: int, stop: int) -> tuple[bytes, NDArray[np.int64]]:
        """Four to a byte; the last byte says in its low two bits how many it holds. Then come the ambiguities."""
        packed = np.frombuffer(data, dtype=np.uint8)
        ends = self.ambiguities[first:stop].astype(np.int64)
        begins, behind = starts[:-1] - starts[0], starts[1:] - starts[0]
        ends -= starts[0]
        if (wrong := (ends <= begins) | (ends > behind)).any():
            raise self.error(
                self._residues,
                f"is damaged: sequence {first + int(np.argmax(wrong)) + 1:,} does not end where it should",
            )
        last = packed[ends - 1] & 3
        lengths = (ends - begins - 1) * 4 + last
        letters = _FOUR_BASES[packed].view(np.uint8)
        # What belongs to no base: the rest of each last byte, and ambiguities.
        spans = np.stack([lengths, (behind - begins) * 4 - lengths], axis=1).ravel()
        kept = np.tile(np.array([True, False]), len(lengths))
        # A chromosome, which is read alone, is not copied for it.
        letters = letters[np.repeat(kept, spans)] if len(lengths) > 1 else letters[: int(lengths[0])]
        firsts = np.cumsum(lengths) - lengths
        for row in np.flatnonzero(behind > ends).tolist():
            table = packed[ends[row] : behind[row]]
            self._ambiguous(letters[firsts[row] : firsts[row] + lengths[row]], table.tobytes(), first + row)
        return letters.tobytes(), lengths

    def _ambiguous(self, letters: NDArray[np.uint8], table: bytes, index: int) -> None:
        """Write the letters of runs over what stands in their places.

        A table is a list of numbers of 32 bits behind their count. In the older layout each is a run: letter, length
        (4 bits), place (24 bits); in the newer one, told by the highest bit of the count, two are: letter, length
        (12 bits), then the place.
        """
        words = np.frombuffer(table[: len(table) // 4 * 4], dtype=">u4").astype(np.int64)
        count = int(words[0]) & 0x7FFFFFFF if len(words) else 0
        wide = bool(len(words) and int(words[0]) >> 31)
        damaged = self.error(
            self._residues, f"is damaged: the ambiguous letters of sequence {index + 1:,} cannot be read"
        )
        if len(words) <= count or (wide and count % 2):
            raise damaged
        runs = words[1 : count + 1]
        if wide:
            signs, sizes, places = runs[0::2] >> 28, (runs[0::2] >> 16 & 0xFFF) + 1, runs[1::2]
        else:
            signs, sizes, places = runs >> 28, (runs >> 24 & 0xF) + 1, runs & 0xFFFFFF
        if (places + sizes > len(letters)).any():
            raise damaged
        where = np.repeat(places - (np.cumsum(sizes) - sizes), sizes) + np.arange(int(sizes.sum()))
        letters[where] = np.frombuffer(_AMBIGUOUS, dtype=np.uint8)[np.repeat(signs, sizes)]


def _close_map(mapped: mmap.mmap) -> None:
    with suppress(BufferError):  # an array over it is still in use; it is freed with that
        mapped.close()
