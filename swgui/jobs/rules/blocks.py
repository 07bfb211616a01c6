"""A database in blocks that are scanned, counted, kept and checked one at a time.

No block has subjects of two pieces of the database (`EncodedDatabase.pieces`), of which one at a time is in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.control import Check, run_interruptible
from swgui.core.database import EncodedDatabase, Piece
from swgui.core.plain import replace
from swgui.core.rules.places import Places
from swgui.jobs.rules.frames import among_bases, translated_text
from swgui.jobs.rules.scan import RuleScan
from swgui.jobs.rules.text import Text

LARGEST: Final = 1 << 26  # residues of a block; a longer subject is one of its own
SMALLEST: Final = 1 << 20
CELLS: Final = 10_000_000_000  # cells of a block: some seconds of a CPU
FEWEST: Final = 16  # blocks of a database that is not tiny, so that a sample can be checked
ADDED: Final = ("other_readings",)  # columns of places that earlier certificates lack
COUNTED: Final = 1 << 20  # residues in one step


@dataclass(frozen=True, slots=True)
class Block:
    """Subjects ``first`` to ``last`` (exclusive) in storage order, and what was found in them."""

    first: int
    last: int
    tested: int = 0  # places or cells that were computed
    found: int = 0  # places that are listed
    digest: str = ""  # SHA-256 of these places
    ambiguous: int = 0  # ambiguous residues


def blocks_of(
    database: EncodedDatabase, first: int = 0, cells: int = 0, check: Check = lambda: None
) -> Iterator[Block]:
    """Yield the blocks of a database from some subject on, smaller ones where a residue costs many cells."""
    size = min(max(database.residues // FEWEST, SMALLEST), LARGEST)
    size = min(size, max(CELLS // max(cells, 1), 1))
    for piece in database.pieces:
        if first >= piece.stop:
            continue
        offsets = (
            part := run_interruptible(piece.open, check)
        ).offsets  # the piece stays open while its blocks are scanned
        while first < piece.stop:
            begin = first - piece.first
            border = int(np.searchsorted(offsets, offsets[begin] + size, side="right")) - 1
            last = piece.first + min(max(border, begin + 1), piece.sequences)
            yield Block(first, last)
            first = last
        del part


def piece_of(database: EncodedDatabase, block: Block) -> Piece | None:
    """Return the piece of a database in which a block is; None if none has all its subjects."""
    inside = (piece for piece in database.pieces if piece.first <= block.first < block.last <= piece.stop)
    return next(inside, None)


def residues_until(database: EncodedDatabase, stop: int) -> int:
    """Return the residues of all subjects before a storage position."""
    total = 0
    for piece in database.pieces:
        if piece.stop <= stop:
            total += piece.residues
        elif piece.first < stop:
            total += int(piece.open().offsets[stop - piece.first])
    return total


def open_block(database: EncodedDatabase, block: Block) -> tuple[Text, NDArray[np.int64]]:
    """Return the residues of a block as a text, and the source index of each of its subjects."""
    piece = piece_of(database, block)
    assert piece is not None
    part, inside = piece.open(), slice(block.first - piece.first, block.last - piece.first)
    begins = np.asarray(part.offsets[inside.start : inside.stop + 1], np.int64)
    text = Text(np.ascontiguousarray(part.codes[begins[0] : begins[-1]]), begins - begins[0])
    return text, piece.first + np.asarray(part.order[inside], np.int64)


def scan_block(scan: RuleScan, database: EncodedDatabase, block: Block) -> tuple[Block, Places]:
    """Scan a block; the places have indices of the database and are sorted."""
    text, subjects = open_block(database, block)
    whole = scan.circles.unrolled(text, subjects)
    scanned = translated_text(whole, scan.frames, scan.code) if scan.frames else whole
    places = scan.places(scanned)
    if scan.frames:
        places = among_bases(places, scan.frames, np.diff(whole.begins))
    places = scan.circles.rolled(places, subjects, np.diff(text.begins))
    places = replace(places, subject=subjects[places.subject]).sorted()
    tested, ambiguous = scan.expected(np.diff(scanned.begins)), ambiguous_residues(text, database.alphabet)
    return replace(block, tested=tested, found=len(places), digest=digest_of(places), ambiguous=ambiguous), places


def ambiguous_residues(text: Text, alphabet: Alphabet) -> int:
    """Return how many residues of a text are ambiguous."""
    several = np.zeros(256, np.bool_)
    several[: len(alphabet)] = [len(alphabet.expansions.get(letter, "")) > 1 for letter in alphabet.letters]
    parts = (text.codes[begin : begin + COUNTED] for begin in range(0, len(text.codes), COUNTED))
    return sum(int(np.count_nonzero(several[part])) for part in parts)


def digest_of(places: Places) -> str:
    """Return the SHA-256 of places as hex digits; every column counts, as 64-bit integers.

    A column of `ADDED` counts where it is not 0 everywhere, so that certificates made before it was added still hold.
    """
    import hashlib  # here: for certificates and the place of a stopped run

    digest = hashlib.sha256()
    for name in Places.__dataclass_fields__:
        column = getattr(places, name)
        if name not in ADDED or column.any():
            digest.update(np.ascontiguousarray(column, "<i8").tobytes())
    return digest.hexdigest()
