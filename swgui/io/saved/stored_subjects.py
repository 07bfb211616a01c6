"""Databases of which not all sequences are at hand; of a saved search those of the hits are."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.circular import UnrolledDatabase, in_memory, unrolled
from swgui.core.database import EncodedDatabase, Parts, Piece, TextColumn, encode_database
from swgui.core.errors import DatabaseError
from swgui.core.organisms.limit import DatabasePart
from swgui.core.organisms.subjects import SubjectOrganisms
from swgui.core.packing import sort_by_length
from swgui.core.plain import replace
from swgui.core.search import Search
from swgui.core.subject_kind import SubjectProfiles

if TYPE_CHECKING:
    from swgui.io.saved.facts import MemberFacts


class WithoutResidues(EncodedDatabase):
    """Stands for a database that cannot be searched here: names and lengths are known, but not all residues.

    Whatever asks for all of them gets the `DatabaseError` of `arrays`.
    """

    if TYPE_CHECKING:
        name: str
    track = whole = None

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return (Piece(0, len(self), self.residues, self.arrays),)

    def renamed(self, name: str) -> Self:
        made = copy(self)
        made.name = name
        return made

    def in_two_tracks(self) -> Self:
        return self


class StoredSubjects(WithoutResidues):
    """Stands for a whole database: every length is known, but only some residues.

    Source indices are those of the whole database, so that hits, score vectors, E-values and fits stay what they
    were. Whatever asks for residues that are not here gets a `DatabaseError` that says so; above all an engine
    cannot search it, because there are no `arrays`.

    Parameters
    ----------
    lengths : ndarray, shape=(N,), dtype=int32
        Of all subjects, in source order.
    ids, descriptions : TextColumn
        Of all subjects; empty where not known.
    checksum : str
        Of the whole database.
    stored : ndarray, shape=(k,), dtype=int64
        Source indices of the subjects whose residues are here, ascending.
    residue_codes : ndarray, dtype=uint8
        Residues of these subjects, in that order; symbols of both tracks (uint16) where both were searched.
    part : DatabasePart, optional
        Which part of which other database the whole one is.
    stored_organisms : SubjectOrganisms, optional
        Of all subjects; unknown for those that are not here.
    feature_texts : TextColumn, optional
        Features of the subjects, empty where not known.
    places : TextColumn, optional
        Coordinates of the subjects, likewise.
    member_facts : tuple of MemberFacts
        The databases that were searched as one; empty if it was one.
    profiles : SubjectProfiles, optional
        Of the subjects whose residues are here, in the order of `stored`.
    """

    def __init__(
        self,
        name: str,
        alphabet: Alphabet,
        lengths: NDArray[np.int32],
        ids: TextColumn,
        descriptions: TextColumn,
        checksum: str,
        stored: NDArray[np.int64],
        residue_codes: NDArray[np.uint8],
        part: DatabasePart | None = None,
        feature_texts: TextColumn | None = None,
        stored_organisms: SubjectOrganisms | None = None,
        places: TextColumn | None = None,
        member_facts: tuple[MemberFacts, ...] = (),
        profiles: SubjectProfiles | None = None,
    ) -> None:
        self.name, self.alphabet, self.checksum, self.part = name, alphabet, checksum, part
        self.ids, self.descriptions, self.feature_texts, self.places = ids, descriptions, feature_texts, places
        self.stored_organisms, self.member_facts, self.profiles = stored_organisms, member_facts, profiles
        self._lengths, self.stored, self._residue_codes = lengths, stored, residue_codes
        self._starts = np.cumsum([0, *lengths[stored].tolist()], dtype=np.int64)

    name: str
    alphabet: Alphabet
    ids: TextColumn
    descriptions: TextColumn
    checksum: str
    part: DatabasePart | None
    feature_texts: TextColumn | None
    stored_organisms: SubjectOrganisms | None
    places: TextColumn | None
    profiles: SubjectProfiles | None

    def __len__(self) -> int:
        return len(self._lengths)

    @property
    def residues(self) -> int:
        return int(self._lengths.sum(dtype=np.int64))

    @property
    def lengths(self) -> NDArray[np.int32]:
        return self._lengths

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return sort_by_length(self._lengths)

    @cached_property
    def position(self) -> NDArray[np.signedinteger[Any]]:
        position = np.empty(len(self), np.int64)
        position[self._order] = np.arange(len(self))
        return position

    def sources(self, start: int, stop: int) -> NDArray[np.int64]:
        return self._order[start:stop]

    def arrays(self) -> NoReturn:
        """Raise `DatabaseError`: not all residues are here."""
        self._refuse(f"Of '{self.name}' only the sequences of the hits are at hand, so it cannot be searched.")

    @property
    def at_hand(self) -> NDArray[np.int64]:
        return self.stored

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the databases that were searched as one."""
        return tuple(member.name for member in self.member_facts if member.searched) or (self.name,)

    def names_of(self, db_index: NDArray[np.int64]) -> list[str]:
        ends = np.cumsum([member.searched for member in self.member_facts if member.searched] or [len(self)])
        names = self.names
        return [names[of] for of in np.searchsorted(ends, db_index, side="right").tolist()]

    def has(self, db_index: int) -> bool:
        """Whether the residues of a subject are here."""
        row = int(np.searchsorted(self.stored, db_index))
        return row < len(self.stored) and int(self.stored[row]) == db_index

    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        """Return the codes of one subject, by source index; `DatabaseError` if they are not here."""
        if not self.has(db_index):
            which = self.ids[db_index] or f"number {db_index + 1}"
            self._refuse(f"The sequence of '{which}' is not in the saved search.")
        row = int(np.searchsorted(self.stored, db_index))
        return self._residue_codes[self._starts[row] : self._starts[row + 1]]

    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return the residues that are here, and where some subjects lie in them; `DatabaseError` if one does not."""
        for rows in db_index.tolist():
            if not self.has(rows):
                self.subject(rows)
        rows = np.searchsorted(self.stored, db_index)
        starts, lengths = self._starts[rows], self._starts[rows + 1] - self._starts[rows]
        if parts is None:
            return self._residue_codes, starts, lengths
        return self._residue_codes, starts + parts[0], np.where(parts[1] < 0, lengths, parts[1]) - parts[0]

    def searchable(self) -> EncodedDatabase:
        records = [replace(self.record(int(index)), features=()) for index in self.stored]
        database = encode_database(records, self.alphabet, self.name)
        if self.profiles is None:
            return database
        return replace(database, profiles=self.profiles.take(database.order))

    def _refuse(self, message: str) -> NoReturn:
        raise DatabaseError(
            "", message, hint=f"Put the database '{self.name}' into the folder of the file and open it again."
        )


def can_be_read_on(database: EncodedDatabase, search: Search) -> bool:
    """Return whether a database can replace the one that was searched: if its records were read, it is in memory."""
    return not search.circles.behind or in_memory(database)


def read_on(database: EncodedDatabase, search: Search) -> EncodedDatabase:
    """Return the database of a saved search as it was searched: its circular records read on, as far as they were."""
    circles = search.circles
    if not isinstance(database, StoredSubjects):
        return unrolled(database, circles)
    if not circles.behind:
        return database
    more, stored = circles.more(database), database.stored
    own = [database.subject(index) for index in stored.tolist()]
    tails = [codes[:size] for codes, size in zip(own, more[stored].tolist(), strict=True)]
    parts = [part for both in zip(own, tails, strict=True) for part in both]
    text = StoredSubjects(
        database.name,
        database.alphabet,
        (database.lengths + more).astype(np.int32),
        database.ids,
        database.descriptions,
        database.checksum,
        stored,
        np.concatenate([np.zeros(0, np.uint8), *parts]),
    )
    return UnrolledDatabase(database, text)


def spread_texts(count: int, places: NDArray[np.int64], texts: TextColumn) -> TextColumn:
    """Return a column of `count` texts that has `texts` at some places (ascending) and is empty elsewhere."""
    sizes = np.zeros(count, dtype=np.int64)
    sizes[places] = np.diff(texts.offsets)
    offsets = np.zeros(count + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return TextColumn(texts.data, offsets)
