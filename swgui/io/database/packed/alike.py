"""What two packed files have in common: blocks of the same residues and names, wherever they stand."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.several.releases import Stretch
from swgui.io.database.packed.file import PackedFile
from swgui.io.database.packed.layout import HEAD, placed_at
from swgui.io.database.packed.names import StoredTexts


def alike_blocks(older: EncodedDatabase, newer: EncodedDatabase, check: Check) -> list[Stretch]:
    """Return where subjects of two databases have the same residues and identifiers, by the checksums of their blocks.

    A block that stands where it stood is not read; one that was moved is, as its checksum is of its place as well.

    Raises
    ------
    DatabaseError
        If a file cannot be read.
    """
    one, other = _whole_file(older), _whole_file(newer)
    if one is None or other is None or one.letters_of() != other.letters_of():
        return []
    before: dict[tuple[Any, ...], list[int]] = {}
    for number, entry in enumerate(one.directory):
        before.setdefault(_said(entry), []).append(number)
    found = []
    for number, entry in enumerate(other.directory):
        check()
        for candidate in before.get(_said(entry), ())[:1]:
            if _is_same(one, candidate, other, number):
                before[_said(entry)].remove(candidate)
                found.append((int(one.firsts[candidate]), int(other.firsts[number]), int(entry["sequences"])))
    return found


def _whole_file(database: EncodedDatabase) -> PackedFile | None:
    """Return the packed file of which a database has all subjects; None if there is none."""
    source = database.ids.source if isinstance(database.ids, StoredTexts) else None
    if not isinstance(source, PackedFile) or database.part is not None or database.whole is not None:
        return None
    return source if len(database) == source.header.facts.sequences else None


def _said(entry: Any) -> tuple[Any, ...]:
    """Return what a directory says of a block wherever it stands."""
    counts = (int(entry[name]) for name in ("size", "sequences", "residues", "longest", "shortest"))
    return *counts, entry["names_digest"].tobytes()


def _is_same(one: PackedFile, block: int, other: PackedFile, number: int) -> bool:
    wanted, entry = one.directory[block]["digest"].tobytes(), other.directory[number]
    if (block, one.firsts[block]) == (number, other.firsts[number]):
        return bool(wanted == entry["digest"].tobytes())
    data = np.frombuffer(other.read(int(entry["offset"]), int(entry["size"]), other.block_name(number)), np.uint8)
    digest = hashlib.blake2b(placed_at(data[: HEAD.size], block, int(one.firsts[block])), digest_size=16)
    digest.update(data[HEAD.size :].data)
    return bool(digest.digest() == wanted)
