"""Several databases that are searched one after the other, and ranked as one.

Source order is the order of the members, concatenated; so is storage order, in which the subjects of each member are
longest first. A search scores one *piece* at a time (`EncodedDatabase.pieces`): engines need no concatenated copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.checksums import blake2b
from swgui.core.database import (
    ArrayDatabase,
    EncodedDatabase,
    LetterTrack,
    Parts,
    Piece,
    Residues,
    TextColumn,
    share_of_counts,
)
from swgui.core.errors import InvalidParameter
from swgui.core.features import Feature
from swgui.core.hits.scores import distinct
from swgui.core.organisms.limit import DatabasePart
from swgui.core.organisms.subjects import UNKNOWN, Organism, SubjectOrganisms, grouped
from swgui.core.ranges import concatenated_ranges
from swgui.core.records import SequenceRecord
from swgui.core.scoring import check_same_alphabet


class JoinedTexts(TextColumn):
    """Columns of texts, concatenated, put together only for who reads all of them."""

    def __init__(self, columns: Sequence[TextColumn]) -> None:
        self._columns = tuple(columns)
        self._ends = np.cumsum([len(column) for column in columns])

    @cached_property
    def data(self) -> NDArray[np.uint8]:  # type: ignore[override]
        """All texts, concatenated."""
        return np.concatenate([np.asarray(column.data) for column in self._columns])

    @cached_property
    def offsets(self) -> NDArray[np.int64]:  # type: ignore[override]
        """Start of each text in `data`."""
        sizes = [np.diff(column.offsets) for column in self._columns]
        return np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes]))

    def __len__(self) -> int:
        return int(self._ends[-1])

    @property
    def size(self) -> int:
        """Bytes of all texts."""
        return sum(column.size for column in self._columns)

    def __iter__(self) -> Iterator[str]:
        for column in self._columns:
            yield from column

    def raw(self, index: int) -> bytes:
        """Return one text as it is stored."""
        row = int(index) + (len(self) if index < 0 else 0)
        if not 0 <= row < len(self):
            raise IndexError(index)
        member = int(np.searchsorted(self._ends, row, side="right"))
        return self._columns[member].raw(row - int(self._ends[member - 1] if member else 0))

    def parts(self) -> Iterator[tuple[int, TextColumn]]:
        """Yield all texts, some at a time, as a column in memory, with the number of the first of them."""
        for column, end in zip(self._columns, self._ends.tolist(), strict=True):
            yield from ((end - len(column) + first, part) for first, part in column.parts())

    def decoded(self, rows: NDArray[np.int64]) -> list[str]:
        """Return the texts of some rows, in their order."""
        return [self[row] for row in rows.tolist()]

    def take(self, rows: NDArray[np.int64]) -> TextColumn:
        """Return the texts of some rows, in their order, as a column."""
        return TextColumn.from_bytes([self.raw(row) for row in rows.tolist()])


class JoinedDatabase(EncodedDatabase):
    """Databases of one kind as one; made by `joined`.

    Parameters
    ----------
    members : sequence of EncodedDatabase
        Members with one alphabet; their names distinguish them.
    checksum : str
        That of the members together if not given.
    part, whole : DatabasePart; EncodedDatabase, optional
        Database of which this is a part; the members then are parts of its members, or of its pieces.
    """

    def __init__(
        self,
        members: Sequence[EncodedDatabase],
        name: str = "",
        checksum: str = "",
        *,
        part: DatabasePart | None = None,
        whole: EncodedDatabase | None = None,
    ) -> None:
        known = all(member.checksum for member in members)
        tracks = [member.track for member in members]
        self._members = tuple(members)
        self.name = name or " + ".join(member.name for member in members)
        self.alphabet = members[0].alphabet
        self.checksum = checksum or (_digest([member.checksum for member in members]) if known else "")
        self.part, self.whole = part, whole
        self.track = _track([track for track in tracks if track is not None]) if all(tracks) else None
        # Source index of the first subject of each member, and the end, shape (members + 1,).
        self.begins = np.cumsum([0, *map(len, members)])

    name: str
    alphabet: Alphabet
    checksum: str
    part: DatabasePart | None
    whole: EncodedDatabase | None
    track: LetterTrack | None

    def __len__(self) -> int:
        return int(self.begins[-1])

    @property
    def members(self) -> tuple[EncodedDatabase, ...]:
        return self._members

    @property
    def residues(self) -> int:
        return sum(member.residues for member in self.members)

    def lengths_of(self, db_index: NDArray[np.int64]) -> NDArray[np.int32]:
        lengths, of = np.empty(len(db_index), np.int32), self._of(db_index)
        for number in distinct(of).tolist():
            own = of == number
            lengths[own] = self.members[number].lengths_of(db_index[own] - self.begins[number])
        return lengths

    def _each(self) -> Iterator[tuple[int, EncodedDatabase]]:
        """Yield the members, each with the source index of its first subject."""
        yield from zip(self.begins.tolist(), self.members, strict=False)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return tuple(piece.shifted(first) for first, member in self._each() for piece in member.pieces)

    def renamed(self, name: str) -> JoinedDatabase:
        return JoinedDatabase(self.members, name, self.checksum, part=self.part, whole=self.whole)

    def arrays(self) -> ArrayDatabase:
        return self._arrays

    @cached_property
    def _arrays(self) -> ArrayDatabase:
        members = [member.arrays() for member in self.members]
        sizes = [np.diff(member.offsets) for member in members]
        letters = [member.track.codes for member in members if member.track is not None]
        track = self.track
        return ArrayDatabase(
            name=self.name,
            alphabet=self.alphabet,
            codes=np.concatenate([np.asarray(member.codes) for member in members]),
            offsets=np.cumsum(np.concatenate([np.zeros(1, np.int64), *sizes])),
            order=np.concatenate([first + member.order for first, member in zip(self.begins, members, strict=False)]),
            ids=self.ids,
            descriptions=self.descriptions,
            checksum=self.checksum,
            stored_organisms=self.stored_organisms,
            feature_texts=self.feature_texts,
            part=self.part,
            whole=self.whole,
            track=LetterTrack(track.alphabet, np.concatenate(letters), track.checksum) if track is not None else None,
            places=self.places,
        )

    def sources(self, start: int, stop: int) -> NDArray[np.int64]:
        parts = (
            first + member.sources(max(start - first, 0), min(stop - first, len(member)))
            for first, member in self._each()
            if start < first + len(member) and stop > first
        )
        return np.concatenate([np.zeros(0, np.int64), *parts])

    @cached_property
    def position(self) -> NDArray[np.signedinteger[Any]]:
        position: NDArray[np.signedinteger[Any]] = np.empty(len(self), np.int32 if len(self) < 1 << 31 else np.int64)
        for first, member in self._each():
            np.add(member.position, first, out=position[first : first + len(member)], casting="same_kind")
        return position

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        return np.concatenate([member.lengths for member in self.members])

    @cached_property
    def ids(self) -> TextColumn:
        return JoinedTexts([member.ids for member in self.members])

    @cached_property
    def descriptions(self) -> TextColumn:
        return JoinedTexts([member.descriptions for member in self.members])

    @cached_property
    def feature_texts(self) -> TextColumn | None:
        return _texts([member.feature_texts for member in self.members], self.members)

    @cached_property
    def places(self) -> TextColumn | None:
        return _texts([member.places for member in self.members], self.members)

    @cached_property
    def stored_organisms(self) -> SubjectOrganisms | None:
        return self.organisms if any(member.stored_organisms is not None for member in self.members) else None

    @cached_property
    def organisms(self) -> SubjectOrganisms:
        return together([member.organisms for member in self.members])

    @cached_property
    def letter_shares(self) -> NDArray[np.float64] | None:
        if self.track is None:
            return None
        shares = [member.letter_shares for member in self.members]
        weighed = [member.residues * one for member, one in zip(self.members, shares, strict=True) if one is not None]
        return share_of_counts(np.sum(weighed, axis=0))  # the mean of the members, by their residues

    def lengths_seen(self, count: int) -> tuple[int, ...]:
        return tuple(sorted({length for member in self.members for length in member.lengths_seen(count)}))

    def in_two_tracks(self) -> EncodedDatabase:
        if self.track is None or isinstance(self.alphabet, TwoTracks):
            return self
        members = [member.in_two_tracks() for member in self.members]
        return JoinedDatabase(members, self.name, part=self.part, whole=self.whole)

    def _of(self, db_index: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the member that each of some subjects is of, shape (k,)."""
        return np.searchsorted(self.begins, db_index, side="right") - 1

    def member_of(self, db_index: int) -> tuple[EncodedDatabase, int]:
        """Return the member of a subject, and its source index there."""
        member = int(np.searchsorted(self.begins, db_index, side="right")) - 1
        return self.members[member], int(db_index) - int(self.begins[member])

    def names_of(self, db_index: NDArray[np.int64]) -> list[str]:
        return [self.members[member].name for member in self._of(db_index).tolist()]

    def organism(self, db_index: int) -> Organism:
        member, index = self.member_of(db_index)
        return member.organism(index)

    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        member, index = self.member_of(db_index)
        return member.subject(index, strand)

    def reading(self, db_index: int, strand: int = 1) -> Residues:
        member, index = self.member_of(db_index)
        return member.reading(index, strand)

    def record(self, db_index: int) -> SequenceRecord:
        member, index = self.member_of(db_index)
        return member.record(index)

    def features(self, db_index: int) -> tuple[Feature, ...]:
        member, index = self.member_of(db_index)
        return member.features(index)

    def letters_of(self, db_index: int) -> NDArray[np.uint8]:
        member, index = self.member_of(db_index)
        return member.letters_of(index)

    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        of = self._of(db_index)
        starts, lengths = np.zeros(len(db_index), np.int64), np.zeros(len(db_index), np.int64)
        codes: list[NDArray[np.uint8]] = []
        size = 0
        for member in np.unique(of).tolist():
            rows = np.flatnonzero(of == member)
            inside = None if parts is None else (parts[0][rows], parts[1][rows])
            signs = None if strands is None else strands[rows]
            given, begins, sizes = self.members[member].placed(db_index[rows] - self.begins[member], signs, inside)
            kept = np.cumsum(sizes) - sizes
            codes.append(given[concatenated_ranges(begins, sizes)])
            starts[rows], lengths[rows] = size + kept, sizes
            size += int(sizes.sum())
        return np.concatenate(codes) if codes else np.zeros(0, np.uint8), starts, lengths


def joined(databases: Sequence[EncodedDatabase]) -> EncodedDatabase:
    """Return databases as one that is searched and ranked as a whole; one alone as it is.

    Equal names get a number, from the second on.

    Raises
    ------
    AlphabetMismatch
        If they are of different kinds.
    InvalidParameter
        If one is given twice.
    """
    first = databases[0]
    if len(databases) == 1:
        return first
    members: list[EncodedDatabase] = []
    for database in databases:
        check_same_alphabet(first.alphabet, database.alphabet, "database")
        same = next((one for one in members if one.checksum and one.checksum == database.checksum), None)
        if same is not None:
            raise InvalidParameter(
                "database",
                database.name,
                f"'{database.name}' has the same sequences as '{same.name}', which is searched already.",
                hint="Name each database once.",
            )
        members.append(database.renamed(_free_name(database.name, [one.name for one in members])))
    return JoinedDatabase(members)


def _free_name(name: str, taken: Sequence[str]) -> str:
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return next(one for one in (name, *numbered) if one not in taken)


def _digest(checksums: Sequence[str]) -> str:
    return blake2b(f"joined {' '.join(checksums)}".encode(), digest_size=16).hexdigest()


def _track(tracks: Sequence[LetterTrack]) -> LetterTrack | None:
    """Return the track if all members have letters; the letters themselves are those of the members."""
    if len({track.alphabet.name for track in tracks}) != 1:
        return None
    return LetterTrack(tracks[0].alphabet, np.zeros(0, np.uint8), _digest([track.checksum for track in tracks]))


def _texts(columns: Sequence[TextColumn | None], members: Sequence[EncodedDatabase]) -> TextColumn | None:
    if all(column is None for column in columns):
        return None
    return JoinedTexts(
        [
            TextColumn(np.zeros(0, np.uint8), np.zeros(len(member) + 1, np.int64)) if column is None else column
            for column, member in zip(columns, members, strict=True)
        ]
    )


def together(stored: Sequence[SubjectOrganisms]) -> SubjectOrganisms:
    """Return the organisms of several databases as those of one; the tree is that of the first that has one."""
    names = [name for one in stored for name in one.names]
    places = dict[str, int]()
    for name in names:
        places.setdefault(name, len(places))
    of, taxids = [], []
    for one in stored:
        own = np.array([places[name] for name in one.names] + [UNKNOWN], dtype=np.int64)
        numbers = np.append(one.taxids, 0).astype(np.int32)
        of.append(own[one.of])  # the unknown one is the last
        taxids.append(numbers[one.of])
    made = grouped(np.concatenate(of), tuple(places), np.concatenate(taxids))
    trees = [one.tree for one in stored if one.tree is not None]
    return SubjectOrganisms(made.of, made.names, made.taxids, trees[0] if trees else None)
