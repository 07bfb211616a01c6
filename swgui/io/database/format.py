"""The layout of a ``.swdb`` file: what stands where, and what keeps it honest.

::

    0      magic, format version, where the header is, size of the file, checksum of all this and the header
    64     sections, each at a multiple of 64 bytes, little-endian
    ...    header: JSON with the facts and the section table (offset, bytes, dtype, checksum of each)

The header comes last because it is known last: sections are streamed. Checksums are BLAKE2b with 128 bits.

Version 3 has packed blocks (`swgui.io.database.packed`) in place of the sections that grow with the sequences, and one
section that says where they are. No file was ever of version 2.
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, cast

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.checksums import blake2b
from swgui.core.errors import DatabaseError
from swgui.core.index_check import Sliceable, are_offsets, is_permutation
from swgui.core.plain import from_plain, plain
from swgui.io.database import features, organisms
from swgui.io.database.facts import (
    CERTAIN_SECTIONS,
    PROFILE_ENTRIES,
    PROFILE_SECTIONS,
    PROFILE_VERSION,
    HeaderFacts,
    NewerProfiles,
    UnknownAlphabet,
)

if TYPE_CHECKING:
    from io import BufferedReader

MAGIC: Final = b"\x93SWDB\r\n\x1a"  # not ASCII, and damaged visibly by a transfer as text
VERSION: Final = 1
PACKED: Final = 3  # the version with packed blocks
ALIGNMENT: Final = 64
BLOCK: Final = 1 << 22
SUFFIX: Final = ".swdb"

_PRELUDE: Final = struct.Struct("<8sIIQQ16s")  # magic, version, header length, header offset, file size, checksum
_LARGEST_HEADER: Final = 1 << 26

# Name and dtype of every section. "ids" and "descriptions" are texts and where each of them begins.
SECTIONS: Final = {
    "codes": "<u1",
    "offsets": "<i8",
    "order": "<i8",
    "ids": "<u1",
    "id_offsets": "<i8",
    "descriptions": "<u1",
    "description_offsets": "<i8",
}
# What a file may hold besides; the modules of these names know what it means.
OPTIONAL: Final = {**organisms.SECTIONS, **features.SECTIONS, **PROFILE_SECTIONS, **CERTAIN_SECTIONS, "letters": "<u1"}
DIRECTORY: Final = "directory"  # of packed blocks
NUMBERS: Final = "organism_numbers"  # the organism of each number that blocks have; the same without it
KNOWN: Final = {**SECTIONS, **OPTIONAL}
# Sections other than packed blocks; data of single subjects are in the blocks.
BESIDE_BLOCKS: Final = {
    DIRECTORY: "<u1",
    NUMBERS: "<i4",
    **{name: dtype for name, dtype in organisms.SECTIONS.items() if name != organisms.OF_SUBJECTS},
}
# Where something stands, and what it leads into. With "order", they are the index: looked through whenever a file is
# opened, because a wrong one could lead an engine out of the array.
_DATA_OF: Final = {"offsets": "codes", "id_offsets": "ids", "description_offsets": "descriptions"}
INDEX_SECTIONS: Final = (*_DATA_OF, "order")
_SMALL_INDEX: Final = 1 << 25  # bytes, up to which its checksums are verified, too
# Residues up to this size are looked through for codes of no symbol, which could lead an engine astray.
_SMALL_CODES: Final = 1 << 27

_REPAIR_HINT: Final = "Build the database again from its source, or copy the file again."


class Section(msgspec.Struct, frozen=True):
    """Where a section stands."""

    # offset, size: bytes
    offset: int
    size: int
    dtype: str
    checksum: str  # hex digest

    @property
    def count(self) -> int:
        """Number of entries."""
        return self.size // np.dtype(self.dtype).itemsize


class Header(msgspec.Struct, frozen=True):
    """All that a database file says about itself."""

    facts: HeaderFacts
    sections: Mapping[str, Section]
    size: int  # bytes of the whole file
    version: int = VERSION


class Digest:
    """The checksum of one section while it is written or read."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def update(self, data: Any) -> None:
        """Add bytes or a contiguous array."""
        self._hash.update(data)

    def hex(self) -> str:
        """Return the checksum so far."""
        return self._hash.hexdigest()


class DatabaseWriter:
    """Writes sections one after the other, then the header.

    Parameters
    ----------
    file : binary file
        Open for writing and reading, empty.
    """

    def __init__(self, file: IO[bytes], version: int = VERSION) -> None:
        self.file = file
        self.version = version
        self.sections: dict[str, Section] = {}
        self.end = ALIGNMENT
        file.write(bytes(ALIGNMENT))

    def append(self, parts: Iterable[Any], alignment: int = 1) -> tuple[int, int]:
        """Write bytes and arrays that are no section, at a multiple; return where they begin, and their size."""
        self.file.seek(0, os.SEEK_END)
        start = self.end + -self.end % alignment
        self.file.write(bytes(start - self.end))
        self.end = start
        for part in parts:
            view = memoryview(part).cast("B")
            self.file.write(view)
            self.end += len(view)
        return start, self.end - start

    @contextmanager
    def section(self, name: str) -> Iterator[_SectionWriter]:
        """Begin a section; its data goes to the writer that is given."""
        self.file.seek(0, os.SEEK_END)
        self.file.write(bytes(-self.end % ALIGNMENT))
        start = self.end + -self.end % ALIGNMENT
        writer = _SectionWriter(self.file)
        yield writer
        self.end = start + writer.size
        self.sections[name] = Section(start, writer.size, self._dtype(name), writer.digest.hex())

    def array(self, name: str, array: NDArray[Any]) -> None:
        """Write an array as a section, block by block."""
        with self.section(name) as writer:
            for start in range(0, len(array), BLOCK):
                writer.write(np.ascontiguousarray(array[start : start + BLOCK], dtype=self._dtype(name)).data)

    def _dtype(self, name: str) -> str:
        return (KNOWN if self.version == VERSION else BESIDE_BLOCKS)[name]

    def finish(self, facts: HeaderFacts) -> None:
        """Write header and prelude; the file is complete afterwards."""
        table = {name: [s.offset, s.size, s.dtype, s.checksum] for name, s in self.sections.items()}
        header = json.dumps({**plain(facts), "sections": table}, ensure_ascii=True).encode("ascii")
        size = self.end + len(header)
        self.file.seek(0, os.SEEK_END)
        self.file.write(header)
        self.file.seek(0)
        self.file.write(_prelude(self.version, len(header), self.end, size, header))


class _SectionWriter:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = Digest()
        self.size = 0

    def write(self, data: bytes | memoryview) -> None:
        view = memoryview(data).cast("B")
        self._file.write(view)
        self.digest.update(view)
        self.size += len(view)


def _prelude(version: int, length: int, offset: int, size: int, header: bytes) -> bytes:
    numbers = struct.pack("<IIQQ", version, length, offset, size)
    checksum = blake2b(numbers + header, digest_size=16).digest()
    return _PRELUDE.pack(MAGIC, version, length, offset, size, checksum)


def read_header(file: IO[bytes], path: str) -> Header:
    """Read and verify header and file size.

    Raises
    ------
    DatabaseError
        If the file is foreign, truncated, damaged or of a newer version.
    """
    name = Path(path).name
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    start = file.read(_PRELUDE.size)
    if start[: len(MAGIC)] != MAGIC[: len(start)] or not start:
        raise DatabaseError(
            path,
            f"'{name}' is empty." if not size else f"'{name}' is not a database of this program.",
            hint=f"Choose a {SUFFIX} file; 'swgui makedb' and the Databases page make one of sequence files.",
        )
    if len(start) < _PRELUDE.size:
        raise truncated(path, name)
    _, version, length, offset, whole, checksum = _PRELUDE.unpack(start)
    if version > PACKED:
        raise DatabaseError(
            path,
            f"'{name}' was made by a newer version of this program (format {version}, this one reads {PACKED}).",
            hint="Update the program, or build the database again.",
        )
    if size < whole:
        raise truncated(path, name)
    if version not in (VERSION, PACKED) or length > _LARGEST_HEADER or offset + length != whole or size != whole:
        raise damaged(path, name, "its beginning")
    file.seek(offset)
    header = file.read(length)
    if _prelude(version, length, offset, whole, header)[-len(checksum) :] != checksum:
        raise damaged(path, name, "its header")
    try:
        stored = json.loads(header)
        facts = from_plain(HeaderFacts, stored)
        table = from_plain(dict[str, tuple[int, int, str, str]], stored["sections"])
        sections = {key: Section(*values) for key, values in table.items()}
        (_check_table if version == VERSION else _check_packed_table)(facts, sections, offset)
    except UnknownAlphabet as unknown:
        raise DatabaseError(
            path,
            f"'{name}' has letters of the alphabet '{unknown}', which is not known here, or has other letters.",
            hint="Put the file of the alphabet into the folder of alphabets, or install the package that brings it.",
        ) from None
    except NewerProfiles as newer:
        raise DatabaseError(
            path,
            f"The profiles of '{name}' are of a newer version of this program (format {newer}, this one reads "
            f"{PROFILE_VERSION}).",
            hint="Update the program, or build the database again.",
        ) from None
    except (ValueError, TypeError, KeyError, RecursionError):
        raise damaged(path, name, "its header") from None
    return Header(facts, sections, size, version)


def _check_table(facts: HeaderFacts, sections: dict[str, Section], end: int) -> None:
    """Raise `ValueError` unless the sections agree with the facts and lie within the file."""
    count, residues = facts.sequences, facts.residues
    entries = {"codes": residues, "offsets": count + 1, "order": count}
    entries |= {"id_offsets": count + 1, "description_offsets": count + 1, "letters": residues}
    if (facts.track is None) != ("letters" not in sections):
        raise ValueError("letters")
    if any((facts.profiles is None) != (name not in sections) for name in PROFILE_SECTIONS):
        raise ValueError("profiles")
    certain = facts.profiles is not None and facts.profiles.certain
    if any(certain != (name in sections) for name in CERTAIN_SECTIONS):
        raise ValueError("certain")
    entries |= {name: each * residues for name, each in PROFILE_ENTRIES.items()}
    for name, dtype in KNOWN.items():
        if name not in OPTIONAL or name in sections:
            _check_section(name, sections[name], dtype, end, entries.get(name))


def _check_section(name: str, section: Section, dtype: str, end: int, entries: int | None = None) -> None:
    if section.dtype != dtype:  # before anything makes a dtype of it
        raise ValueError(name)
    if section.size % np.dtype(dtype).itemsize or entries not in (None, section.count):
        raise ValueError(name)
    if section.offset % ALIGNMENT or not ALIGNMENT <= section.offset <= end - section.size or section.size < 0:
        raise ValueError(name)


def _check_packed_table(facts: HeaderFacts, sections: dict[str, Section], end: int) -> None:
    """Do as `_check_table` for a file of blocks."""
    if facts.packed is None or DIRECTORY not in sections:
        raise ValueError(DIRECTORY)
    for name, dtype in BESIDE_BLOCKS.items():
        if name in sections:
            _check_section(name, sections[name], dtype, end)


def map_sections(file: IO[bytes], header: Header, path: str) -> dict[str, NDArray[Any]]:
    """Map all sections into memory, read-only, and check that nothing in them leads outside an array.

    Raises
    ------
    DatabaseError
        If an index is damaged, or a residue is of no symbol.
    """
    whole = np.memmap(file, dtype=np.uint8, mode="r")
    arrays: dict[str, NDArray[Any]] = {}
    for name, section in header.sections.items():
        if name in KNOWN:
            # A plain array over the map: slices of `np.memmap` itself are several times slower.
            arrays[name] = np.asarray(whole[section.offset : section.offset + section.size]).view(section.dtype)
    sound = all(index_is_sound(name, arrays, header) for name in INDEX_SECTIONS)
    if sound and sum(header.sections[name].size for name in INDEX_SECTIONS) <= _SMALL_INDEX:
        sound = all(_digest_of(arrays[name]) == header.sections[name].checksum for name in INDEX_SECTIONS)
    if not sound:
        raise damaged(path, Path(path).name, "its index")
    for track, letters in letters_of(header).items():
        codes = arrays[track]
        if 0 < codes.size <= _SMALL_CODES and int(codes.max()) >= letters:
            raise damaged_section(path, track)
    return arrays


def letters_of(header: Header) -> dict[str, int]:
    """Return how many letters there are for each section that holds codes of them."""
    track = header.facts.track
    return {"codes": len(header.facts.letters)} | ({"letters": len(track.letters)} if track else {})


def index_is_sound(name: str, sections: Mapping[str, Sliceable], header: Header) -> bool:
    """Whether a section of the index leads only to what is there: offsets in order, subjects longest first.

    Parameters
    ----------
    name : str
        One of `INDEX_SECTIONS`.
    sections : Mapping[str, sliceable]
        Mapped or on disk.
    """
    if name == "order":
        return is_permutation(sections[name])
    return are_offsets(sections[name], header.sections[_DATA_OF[name]].count, longest_first=name == "offsets")


def _digest_of(array: NDArray[Any]) -> str:
    digest = Digest()
    digest.update(array)
    return digest.hex()


class SectionReader:
    """A section on disk that can be sliced like an array, without mapping it into memory.

    Blocks that were read do not count as memory of the process, however large the file.

    Parameters
    ----------
    watch : callable, optional
        Called before each reading; may raise to stop a long one.
    """

    def __init__(self, file: IO[bytes], section: Section, watch: Callable[[], None] | None = None) -> None:
        self._file = file
        self._section = section
        self._watch = watch
        self._dtype = np.dtype(section.dtype)

    def __len__(self) -> int:
        return self._section.count

    def __getitem__(self, part: slice) -> NDArray[Any]:
        if self._watch is not None:
            self._watch()
        start, stop, step = part.indices(len(self))
        array = np.empty(len(range(start, stop, step)), dtype=self._dtype)
        self._file.seek(self._section.offset + start * self._dtype.itemsize)
        if cast("BufferedReader", self._file).readinto(array.data.cast("B")) != array.nbytes:
            raise truncated(str(self._file.name), Path(str(self._file.name)).name)
        return array

    def blocks(self) -> Iterator[NDArray[Any]]:
        """Yield the section in blocks."""
        for start in range(0, len(self), BLOCK):
            yield self[start : start + BLOCK]


def truncated(path: str, name: str) -> DatabaseError:
    """Make the error for a file that ends too early."""
    return DatabaseError(path, f"'{name}' is shorter than it should be: it was cut off.", hint=_REPAIR_HINT)


def damaged(path: str, name: str, part: str) -> DatabaseError:
    """Make the error for a part of a file that is not what was written."""
    return DatabaseError(path, f"'{name}' is damaged: {part} does not match its checksum.", hint=_REPAIR_HINT)


def damaged_section(path: str, section: str) -> DatabaseError:
    """Make the error for a section whose checksum is wrong."""
    return damaged(path, Path(path).name, f"the part '{section}'")
