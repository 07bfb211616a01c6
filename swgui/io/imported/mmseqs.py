"""MMseqs2 databases as a source of records: residues and titles in two files with an index each, joined by keys.

An index has a line for each entry: key, where it begins, its length with a line break and one byte more. Many data
files (``NAME.0``, ``NAME.1``) count as one, in this order.
"""

from __future__ import annotations

import mmap
import os
from bisect import bisect_right
from collections.abc import Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, Alphabet
from swgui.core.errors import DatabaseError
from swgui.io.imported.gathering import headers
from swgui.io.imported.mmseqs_place import HEADERS, MmseqsDatabase
from swgui.io.opening import is_file, open_to_read
from swgui.io.sequences.record_source import RecordBlock, RecordSource
from swgui.io.unpacking import zstd_module

FORM: Final = "MMseqs2 database"
_AMINO_ACIDS, _NUCLEOTIDES = 0, 1
# What else these databases may be (the low 16 bits of their type).
_OTHER_KINDS: Final = {
    2: "profiles", 3: "profiles", 4: "profiles", 5: "alignments", 6: "clusters", 7: "prefilter results",
    8: "taxonomy results", 9: "an index", 10: "alignments", 11: "alignments", 12: "titles or other texts",
}  # fmt: skip
_COMPRESSED: Final = 1 << 31
_PACKED_MIN: Final = 5  # bytes of a packed entry
_BLOCK_SEQUENCES: Final = 1 << 14
_BLOCK_BYTES: Final = 1 << 22
_INDEX_BYTES: Final = 1 << 22  # of an index, read at a time
_DIGITS: Final = 18  # of a number at most
_COPY_AGAIN: Final = "Copy the database again, all files of it, or make it again."


class MmseqsSource(RecordSource):
    """An MMseqs2 database of sequences. In memory are its indices, 24 bytes an entry each.

    Raises
    ------
    DatabaseError
        If it is of another kind, or files are missing, truncated or damaged.
    """

    def __init__(self, database: MmseqsDatabase) -> None:
        kind = _kind(database)
        super().__init__(f"'{database.name.name}' (an MMseqs2 database)", str(database.file), kind, FORM)
        self._residues = _Entries(database.name)
        self._titles = _Entries(database.name.with_name(database.name.name + HEADERS))
        if not len(self._residues):
            raise DatabaseError(self.path, f"{self.name} has no sequences.", hint=_COPY_AGAIN)
        self._taxids = _read_taxids(database.name.with_name(f"{database.name.name}_mapping"))
        self._size = database.file.stat().st_size

    def blocks(self) -> Generator[RecordBlock, None, None]:
        """Yield all records, by their keys; `DatabaseError` where a file is damaged."""
        with self._residues as residues, self._titles as titles:
            count = len(residues)
            where = titles.places(residues.keys)
            ends = np.cumsum(residues.lengths)
            first = 0
            while first < count:
                before = int(ends[first] - residues.lengths[first])
                fitting = int(np.searchsorted(ends, before + _BLOCK_BYTES, side="right"))
                stop = min(max(fitting, first + 1), first + _BLOCK_SEQUENCES, count)
                letters, lengths = residues.texts(np.arange(first, stop))
                self.position = self._size * stop // count
                yield self._block(first, letters, lengths, titles, where[first:stop])
                first = stop

    def _block(
        self, first: int, letters: bytes, lengths: NDArray[np.int64], titles: _Entries, where: NDArray[np.int64]
    ) -> RecordBlock:
        text, sizes = titles.texts(where)
        signs = np.frombuffer(text, dtype=np.uint8)
        ends = np.cumsum(sizes)
        keys = self._residues.keys[first : first + len(lengths)]
        taxids = self._taxids.of(keys) if self._taxids is not None else None
        return RecordBlock(first + 1, letters, lengths, *headers(signs, ends - sizes, ends), taxids)


def _type(name: Path) -> int:
    """Return the kind of a database, as a number."""
    path = name.with_name(f"{name.name}.dbtype")
    with open_to_read(path, "a file of an MMseqs2 database", DatabaseError) as file:
        data = file.read(4)
    if len(data) < 4:
        raise DatabaseError(str(path), f"'{path.name}' is truncated.", hint=_COPY_AGAIN)
    return int.from_bytes(data, "little")


def _kind(database: MmseqsDatabase) -> Alphabet | None:
    """Return the kind of a database of sequences; None where its type may be wrong, and only the letters tell."""
    number = _type(database.name) & ~_COMPRESSED
    if number not in (_AMINO_ACIDS, _NUCLEOTIDES):
        layout = number >= 1 << 16
        what = "sequences in a layout" if layout else _OTHER_KINDS.get(number, "another kind of data")
        raise DatabaseError(
            str(database.file),
            f"'{database.name.name}' is an MMseqs2 database of {what} (type {number}); those that 'mmseqs createdb' "
            "makes are read.",
            hint="Give the database of sequences it was made of.",
        )
    return NUCLEOTIDE if number == _NUCLEOTIDES else None


class _Entries:
    """The entries of a data file, or of several that count as one, by key; use it in a ``with`` statement."""

    def __init__(self, name: Path) -> None:
        self._name = name
        self._index = name.with_name(f"{name.name}.index")
        self._files = self._data_files()
        sizes = [path.stat().st_size for path in self._files]
        self._begins = [0, *np.cumsum(sizes).tolist()]  # of each file among all, and the end
        table = _read_index(self._index)
        if len(table) and (table[1:, 0] <= table[:-1, 0]).any():
            table = table[np.argsort(table[:, 0], kind="stable")]
        self.keys, self.starts, self.lengths = (np.ascontiguousarray(column) for column in table.T)
        self._packed = bool(_type(name) & _COMPRESSED)
        # The length of a packed entry is that of its text. The last byte of a text may be missing.
        needed = _PACKED_MIN if self._packed else self.lengths - 1
        wrong = (self.lengths < 1) | (self.starts > self._begins[-1] - needed)
        if wrong.any():
            raise DatabaseError(
                str(self._index),
                f"'{name.name}' has {self._begins[-1]:,} bytes, and '{self._index.name}' names more: it is truncated.",
                hint=_COPY_AGAIN,
            )
        if (self.keys[1:] == self.keys[:-1]).any():
            raise DatabaseError(str(self._index), f"'{self._index.name}' names an entry twice.", hint=_COPY_AGAIN)
        self._stack = ExitStack()
        self._maps: list[mmap.mmap | bytes] = []

    def __len__(self) -> int:
        return len(self.keys)

    def __enter__(self) -> _Entries:
        for path in self._files:
            with open(path, "rb") as file:
                if os.fstat(file.fileno()).st_size:
                    mapped = self._stack.enter_context(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
                    self._maps.append(mapped)
                else:
                    self._maps.append(b"")
        return self

    def __exit__(self, *_: object) -> None:
        self._maps.clear()
        self._stack.close()

    def _data_files(self) -> list[Path]:
        if is_file(self._name):
            return [self._name]
        files: list[Path] = []
        while is_file(piece := self._name.with_name(f"{self._name.name}.{len(files)}")):
            files.append(piece)
        if not files:
            raise DatabaseError(
                str(self._name), f"There is no '{self._name.name}' next to '{self._index.name}'.", hint=_COPY_AGAIN
            )
        return files

    def places(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return where these keys stand; -1 where one is missing."""
        return _places_of(keys, self.keys)

    def texts(self, rows: NDArray[np.int64]) -> tuple[bytes, NDArray[np.int64]]:
        """Return entries without line breaks, concatenated, and their lengths; nothing for a row of -1."""
        starts, sizes = np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
        known = rows >= 0
        starts[known], sizes[known] = self.starts[rows[known]], self.lengths[rows[known]] - 1
        whole = self._joined(starts, sizes)
        signs = np.frombuffer(whole, dtype=np.uint8)
        breaks = np.flatnonzero(signs == ord("\n"))
        lost = np.bincount(np.searchsorted(np.cumsum(sizes), breaks, side="right"), minlength=len(rows))
        return whole.translate(None, b"\n"), sizes - lost

    def _joined(self, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> bytes:
        read = self._unpacked if self._packed else self._plain
        pieces: list[bytes] = []
        for start, size in zip(starts.tolist(), sizes.tolist(), strict=True):
            if not size:
                continue
            file = bisect_right(self._begins, start) - 1
            piece = read(self._maps[file], start - self._begins[file], size)
            if len(piece) < size:
                raise DatabaseError(
                    str(self._files[file]),
                    f"An entry in '{self._files[file].name}' is truncated or damaged.",
                    hint=_COPY_AGAIN,
                )
            pieces.append(piece)
        return b"".join(pieces)

    @staticmethod
    def _plain(data: mmap.mmap | bytes, begin: int, size: int) -> bytes:
        return data[begin : begin + size]

    @staticmethod
    def _unpacked(data: mmap.mmap | bytes, begin: int, size: int) -> bytes:
        """Return an entry of a packed file: its length, then packed text and a zero, or plain text and another byte."""
        begin, length = begin + 4, int.from_bytes(data[begin : begin + 4], "little")
        text, mark = data[begin : begin + length], data[begin + length : begin + length + 1]
        if mark == b"\0":
            zstd = zstd_module()
            try:
                return bytes(zstd.ZstdDecompressor().decompress(text, max_length=size + 1))[:size]
            except (zstd.ZstdError, EOFError):
                return b""
        return text[:size] if mark else b""


def _places_of(wanted: NDArray[np.int64], keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places of some keys among ascending ones; -1 where one is missing."""
    if not len(keys):
        return np.full(len(wanted), -1)
    places = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where(keys[places] == wanted, places, -1)


def _read_index(path: Path) -> NDArray[np.int64]:
    """Return the lines of an index, shape (n, 3); `DatabaseError` if they are not three numbers each."""
    wrong = DatabaseError(str(path), f"'{path.name}' is no index of an MMseqs2 database.", hint=_COPY_AGAIN)
    return _read_numbers(path, 3, wrong)


def _read_numbers(path: Path, columns: int, wrong: DatabaseError) -> NDArray[np.int64]:
    """Return the lines of a file of numbers, shape (n, columns); raise `wrong` if they are none."""
    parts = [np.zeros((0, columns), dtype=np.int64)]
    with open_to_read(path, "a file of an MMseqs2 database", DatabaseError) as file:
        while block := file.read(_INDEX_BYTES):
            parts.append(_numbers(block + file.readline(), columns, wrong))
    return np.concatenate(parts)


def _numbers(text: bytes, columns: int, wrong: DatabaseError) -> NDArray[np.int64]:
    """Return lines of numbers between tabs; raise `wrong` if they are none."""
    signs = np.frombuffer(text.removesuffix(b"\n") + b"\n", dtype=np.uint8)
    separators = np.flatnonzero(signs < ord("0"))
    starts = np.append(0, separators[:-1] + 1)
    widths = separators - starts
    pattern = np.array([*b"\t" * (columns - 1), *b"\n"], dtype=np.uint8)
    if len(separators) % columns or (signs > ord("9")).any() or widths.min() < 1 or widths.max() > _DIGITS:
        raise wrong
    if (signs[separators].reshape(-1, columns) != pattern).any():
        raise wrong
    numbers = np.zeros(len(separators), dtype=np.int64)
    for place in range(int(widths.max())):
        within = place < widths
        numbers[within] = numbers[within] * 10 + (signs[starts[within] + place] - ord("0"))
    return numbers.reshape(-1, columns)


@dataclass(frozen=True, slots=True, eq=False)
class _Taxids:
    """The taxids of entries by their keys, ascending."""

    keys: NDArray[np.int64]
    taxids: NDArray[np.int64]

    def of(self, keys: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the taxids of entries; 0 where unknown."""
        places = _places_of(keys, self.keys)
        return np.where(places >= 0, self.taxids[places], 0).astype(np.int32)


def _read_taxids(path: Path) -> _Taxids | None:
    """Read which taxid each key has; None if no file says so."""
    if not is_file(path):
        return None
    wrong = DatabaseError(
        str(path), f"'{path.name}' needs two numbers in each line, a key and a taxid.",
        hint="Move it out of the folder to read the database without taxids.",
    )  # fmt: skip
    table = _read_numbers(path, 2, wrong)
    if not len(table):
        return None
    table = table[np.argsort(table[:, 0], kind="stable")]
    table[table[:, 1] > np.iinfo(np.int32).max, 1] = 0
    return _Taxids(table[:, 0], table[:, 1])
