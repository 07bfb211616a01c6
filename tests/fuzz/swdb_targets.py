"""Packed database files: whole ones, and blocks and names whose checksums are made right again."""

from __future__ import annotations

import hashlib
import tempfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.errors import SwguiError
from swgui.core.records import SequenceRecord
from swgui.io.database.file import check_database, open_database
from swgui.io.database.format import DIRECTORY, PACKED, DatabaseWriter
from swgui.io.database.packed.build import save_packed
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.layout import PAGE


@cache
def packed_file() -> bytes:
    """Return a packed file of bases, some of which are none."""
    some = [SequenceRecord(f"s{n}", f"number {n}", b"ACGTNNRACGT" * (n % 5)) for n in range(12)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.swdb"
        save_packed(encode_database(some, NUCLEOTIDE, "x"), path)
        return path.read_bytes()


def _entry(folder: Path) -> tuple[PackedFile, bytes, bytes]:
    path = folder / "given.swdb"
    path.write_bytes(packed_file())
    file = PackedFile(path)
    entry = file.directory[0]
    parts = ((int(entry[place]), int(entry[size])) for place, size in (("names", "names_size"), ("offset", "size")))
    names, block = (packed_file()[begin : begin + size] for begin, size in parts)
    return file, names, block


def blocks() -> Sequence[bytes]:
    """Return the block of the file."""
    with tempfile.TemporaryDirectory() as folder:
        return [_entry(Path(folder))[2]]


def names() -> Sequence[bytes]:
    """Return the names of the file."""
    with tempfile.TemporaryDirectory() as folder:
        return [_entry(Path(folder))[1]]


def _read(names: bytes, block: bytes, file: PackedFile, folder: Path) -> None:
    path, table = folder / "x.swdb", file.directory.copy()
    block += bytes(-len(block) % PAGE)
    with path.open("w+b") as out:
        writer = DatabaseWriter(out, PACKED)
        table["names"], table["names_size"] = writer.append([names])
        table["offset"], table["size"] = writer.append([block], PAGE)
        table["crc"] = zlib.crc32(block)
        for name, data in (("digest", block), ("names_digest", names)):
            table[name] = np.void(hashlib.blake2b(data, digest_size=16).digest())
        writer.array(DIRECTORY, table.view(np.uint8))
        writer.finish(file.header.facts)
    with suppress(SwguiError):
        check_database(path)
    for whole in (False, True):
        with suppress(SwguiError):
            database = open_database(path, in_blocks=whole)
            for row in range(len(database)):
                assert database.record(row).residues is not None


def read_block(data: bytes, folder: Path) -> None:
    """Read a file with another block."""
    file, others, _ = _entry(folder)
    _read(others, data, file, folder)


def read_names(data: bytes, folder: Path) -> None:
    """Read a file with other names."""
    file, _, block = _entry(folder)
    _read(data, block, file, folder)
