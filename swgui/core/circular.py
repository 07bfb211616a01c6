"""Circular records as a search sees them: read on behind their ends from their beginnings, so that no end cuts there.

A search reads a record of n bases as ``n + min(behind, n - 1)`` bases: its own, and the first ones again. An alignment
that begins in the record and crosses the origin ends behind position n; one that begins behind n is moved back by n.
Only displays fold positions behind n back.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from swgui.core.alignment import Alignment, spell_out
from swgui.core.database import ArrayDatabase, DatabaseView, EncodedDatabase, Parts, TextColumn
from swgui.core.errors import DatabaseError
from swgui.core.packing import sort_by_length
from swgui.core.records import SequenceRecord

Which = Literal["declared", "all", "none"]
WHICH: Final[tuple[Which, ...]] = get_args(Which)
_Ints = NDArray[np.int64]


class Circles(msgspec.Struct, frozen=True):
    """Records of a database that a search reads as circular, and the length of the extension.

    Parameters
    ----------
    which : {"declared", "all", "none"}
        Those whose entries say so, all of them, or none.
    behind : int
        Bases that are read on behind the end of each, as the search was scored; 0 where none was read on.
    """

    which: Which = "declared"
    behind: Annotated[int, msgspec.Meta(ge=0)] = 0

    def rows(self, database: EncodedDatabase) -> _Ints:
        """Return the source indices of the records that are read as circular, ascending, shape (k,)."""
        if self.which == "none" or not database.in_stretches:
            return np.zeros(0, np.int64)
        return np.arange(len(database)) if self.which == "all" else database.circular

    def more(self, database: EncodedDatabase) -> NDArray[np.int64]:
        """Return the number of bases that extend each record, by source index, shape (N,)."""
        more = np.zeros(len(database), np.int64)
        rows = self.rows(database)
        more[rows] = np.minimum(self.behind, database.lengths[rows].astype(np.int64) - 1).clip(0)
        return more


class UnrolledDatabase(DatabaseView):
    """A database whose circular records are searched as they are read on.

    Lengths, records, names and checksum are those of the original database: E refers to them. `subject`, `reading` and
    `placed` give the extended records that a search scores.

    Parameters
    ----------
    given : EncodedDatabase
    text : EncodedDatabase
        What engines score: the same subjects, read on, in a storage order of its own.
    """

    def __init__(self, given: EncodedDatabase, text: EncodedDatabase) -> None:
        super().__init__(given)
        self.text = text

    @property
    def places(self) -> TextColumn | None:
        return self.given.places

    def renamed(self, name: str) -> UnrolledDatabase:
        return UnrolledDatabase(self.given.renamed(name), self.text)

    def searchable(self) -> EncodedDatabase:
        return self.given.searchable()

    @property
    def members(self) -> tuple[EncodedDatabase, ...]:
        return self.given.members

    @property
    def names(self) -> tuple[str, ...]:
        return self.given.names

    def names_of(self, db_index: NDArray[np.int64]) -> list[str]:
        return self.given.names_of(db_index)

    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        """Return one subject as it is read on, by source index."""
        return self.text.subject(db_index, strand)

    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return residues in which some subjects lie as they are read on; as `EncodedDatabase.placed`."""
        return self.text.placed(db_index, strands, parts)

    def record(self, db_index: int) -> SequenceRecord:
        """Return one subject as it was given, by source index."""
        return self.given.record(db_index)


def in_memory(database: EncodedDatabase) -> bool:
    """Return True if all residues of a database are available as arrays, so that a search can extend the records."""
    try:
        as_given(database).arrays()
    except DatabaseError:
        return False
    return True


def as_given(database: EncodedDatabase) -> EncodedDatabase:
    """Return a database as it was before its records were read on."""
    return database.given if isinstance(database, UnrolledDatabase) else database


def text_of(database: EncodedDatabase) -> EncodedDatabase:
    """Return the database that engines score: itself, or its extended records."""
    return database.text if isinstance(database, UnrolledDatabase) else database


def turn_of(database: EncodedDatabase, db_index: _Ints) -> _Ints:
    """Return the lengths of those of some subjects that are read on, by source index, else 0, shape (k,)."""
    if not isinstance(database, UnrolledDatabase):
        return np.zeros(len(db_index), np.int64)
    own = database.lengths[db_index].astype(np.int64)
    return np.where(database.text.lengths[db_index] > own, own, 0)


def unrolled(database: EncodedDatabase, circles: Circles) -> EncodedDatabase:
    """Return a database with its circular records read on; itself where there are none. It must be `in_memory`."""
    database = as_given(database)
    more = circles.more(database) if circles.behind else np.zeros(0, np.int64)
    if not more.any():
        return database
    made: dict[Circles, UnrolledDatabase] = vars(database).setdefault("_unrolled", {})
    if circles not in made:
        made.clear()  # each has all residues
        made[circles] = UnrolledDatabase(database, _text(database.arrays(), more, circles))
    return made[circles]


def _text(database: ArrayDatabase, more: _Ints, circles: Circles) -> ArrayDatabase:
    """Return all subjects as they are read on, longest first."""
    sizes = database.lengths.astype(np.int64) + more
    order = sort_by_length(sizes)
    stored = np.asarray(database.position[order], dtype=np.int64)
    longer = more[order]
    # Subjects that are consecutive before and after are copied together, up to the next circular one.
    starts = np.flatnonzero(np.append(True, (np.diff(stored) != 1) | (longer[:-1] > 0))[: len(stored)])
    stops = np.append(starts[1:], len(stored))
    first, last = database.offsets[stored[starts]], database.offsets[stored[stops - 1] + 1]
    begins, tails = database.offsets[stored[stops - 1]], longer[stops - 1]
    codes = [np.zeros(0, np.uint8)]
    for start, stop, begin, tail in zip(first.tolist(), last.tolist(), begins.tolist(), tails.tolist(), strict=True):
        codes += [database.codes[start:stop], database.codes[begin : begin + tail]]
    return ArrayDatabase(
        name=database.name,
        alphabet=database.alphabet,
        codes=np.concatenate(codes),
        offsets=np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int64),
        order=order,
        ids=database.ids,
        descriptions=database.descriptions,
        checksum=f"{database.checksum} circular {circles.which} {circles.behind}" if database.checksum else "",
    )


def folded(positions: ArrayLike, lengths: ArrayLike) -> _Ints:
    """Return positions, counted from 1, of records of some lengths, those behind the end counted from the origin.

    Parameters
    ----------
    positions, lengths : array_like of int, shape=(n,)

    Returns
    -------
    ndarray, shape=(n,), dtype=int64
    """
    given, size = np.asarray(positions, dtype=np.int64), np.asarray(lengths, dtype=np.int64)
    return np.where(given > size, (given - 1) % np.maximum(size, 1) + 1, given)


def turns(start: int, end: int, length: int) -> list[tuple[int, int]]:
    """Return the parts of a record that a stretch of it lies on: one, or those before and behind the origin.

    Parameters
    ----------
    start, end : int
        From 0, the end excluded; it may be behind `length`.

    Returns
    -------
    list of (int, int)
        From 0, in order, the end of each excluded.
    """
    if end <= length:
        return [(start, end)]
    return [(max(start - turn, 0), min(end - turn, length)) for turn in range(start // length * length, end, length)]


def location(start: int, end: int, length: int) -> str:
    """Return a stretch that crosses the origin as GenBank writes it, ``join(98..100,1..5)``; empty for others."""
    parts = turns(start, end, length)
    return f"join({','.join(f'{first + 1}..{last}' for first, last in parts)})" if len(parts) > 1 else ""


def without_copies(of: _Ints, turn: _Ints, aligned: Sequence[Alignment]) -> NDArray[np.bool_]:
    """Return a mask of alignments that share no aligned pair, on the circle, with a better one, shape (n,).

    Parameters
    ----------
    of : ndarray, shape=(n,), dtype=int64
        A number of the subject, in one strand, of each alignment; those of one together, best first.
    turn : ndarray, shape=(n,), dtype=int64
        Length of the subject of each where it is read on, else 0.
    aligned : sequence of Alignment
        The n alignments; the function skips subjects without an alignment across the origin.
    """
    kept = np.ones(len(of), np.bool_)
    edges = np.flatnonzero(np.append(True, of[1:] != of[:-1])[: len(of)])
    for start, stop in pairwise([*edges.tolist(), len(of)]):
        length, seen = int(turn[start]), np.zeros(0, np.int64)
        if not length or stop - start < 2 or all(aligned[row].subject_end <= length for row in range(start, stop)):
            continue
        for row in range(start, stop):
            columns = spell_out(aligned[row])
            paired = (columns.query >= 0) & (columns.subject >= 0)
            pairs = columns.query[paired] * length + columns.subject[paired] % length
            kept[row] = not np.isin(pairs, seen).any()
            seen = np.concatenate([seen, pairs]) if kept[row] else seen
    return kept
