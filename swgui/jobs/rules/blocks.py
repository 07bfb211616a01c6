"""A database in blocks that are scanned, counted, kept and checked one at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.plain import replace
from swgui.core.rules.places import Places
from swgui.jobs.rules.frames import among_bases, translated_text
from swgui.jobs.rules.scan import RuleScan, Text

LARGEST: Final = 1 << 26  # residues of a block; a longer subject is one of its own
SMALLEST: Final = 1 << 20
CELLS: Final = 10_000_000_000  # of a block: some seconds of a CPU
FEWEST: Final = 16  # blocks of a database that is not tiny, so that a sample can be checked


@dataclass(frozen=True, slots=True)
class Block:
    """Subjects ``first`` to ``last`` (exclusive) in storage order, and what was found in them."""

    first: int
    last: int
    tested: int = 0  # places or cells that were computed
    found: int = 0  # places that are listed
    digest: str = ""  # SHA-256 of these places


def blocks_of(database: EncodedDatabase, first: int = 0, cells: int = 0) -> Iterator[Block]:
    """Yield the blocks of a database from some subject on, smaller ones where a residue costs many cells."""
    size = min(max(database.residues // FEWEST, SMALLEST), LARGEST)
    size = min(size, max(CELLS // max(cells, 1), 1))
    while first < len(database):
        border = int(np.searchsorted(database.offsets, database.offsets[first] + size, side="right")) - 1
        last = min(max(border, first + 1), len(database))
        yield Block(first, last)
        first = last


def text_of(database: EncodedDatabase, block: Block) -> Text:
    """Return the residues of a block as a text."""
    begins = np.asarray(database.offsets[block.first : block.last + 1], np.int64)
    return Text(np.ascontiguousarray(database.codes[begins[0] : begins[-1]]), begins - begins[0])


def scan_block(scan: RuleScan, database: EncodedDatabase, block: Block) -> tuple[Block, Places]:
    """Scan a block; the places have indices of the database and are sorted."""
    text = text_of(database, block)
    scanned = translated_text(text, scan.frames, scan.code) if scan.frames else text
    places = scan.places(scanned)
    if scan.frames:
        places = among_bases(places, scan.frames, np.diff(text.begins))
    subjects = np.asarray(database.order[block.first : block.last], np.int64)
    places = replace(places, subject=subjects[places.subject]).sorted()
    tested = scan.expected(np.diff(scanned.begins))
    return replace(block, tested=tested, found=len(places), digest=digest_of(places)), places


def digest_of(places: Places) -> str:
    """Return the SHA-256 of places as hex digits; every column counts, as 64-bit integers."""
    digest = hashlib.sha256()
    for name in Places.__dataclass_fields__:
        digest.update(np.ascontiguousarray(getattr(places, name), "<i8").tobytes())
    return digest.hexdigest()
