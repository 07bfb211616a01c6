"""A database of subjects, encoded and sorted: the interface of all databases, and the one with arrays.

Two orders exist and must not be mixed up. *Source order* is the order of the file the user gave; every
``db_index`` is a position in it, and results are reported in it. *Storage order* is longest first;
chunks are slices of it. ``order[position]`` is the source index stored at a position.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol, Self
from weakref import WeakValueDictionary

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE, TRACKS, Alphabet, TwoTracks, alphabet_by_name, two_tracks
from swgui.core.checksums import blake2b
from swgui.core.features import Feature, as_text, circular_rows, from_text, is_circular
from swgui.core.index_check import Sliceable
from swgui.core.organisms.limit import DatabasePart
from swgui.core.packing import ChunkPlan, sort_by_length
from swgui.core.plain import replace
from swgui.core.records import Letters, SequenceRecord, encode_record, letters_beside
from swgui.core.subject_kind import PROFILES, SEQUENCES, SubjectKind, SubjectProfiles
from swgui.core.texts import TextColumn

if TYPE_CHECKING:
    from concurrent.futures import Future
    from mmap import mmap

    from swgui.core.organisms.subjects import Organism, SubjectOrganisms
    from swgui.core.tracks import JoinedTracks

__all__ = [
    "ArrayDatabase",
    "Codons",
    "DatabaseChunk",
    "EncodedDatabase",
    "LetterTrack",
    "PackedResidues",
    "Piece",
    "Residues",
    "TextColumn",
    "content_checksum",
    "content_digest",
    "encode_database",
    "places_at_hand",
    "share_of_counts",
    "take_chunk",
    "track_checksum",
    "tracks_of",
]


Parts = tuple[NDArray[np.int64], NDArray[np.int64]]
Open = Callable[[], "ArrayDatabase"]
Allocator = Callable[[int], "mmap"]  # returns memory of this many bytes, into which residues are read
LONG_RECORD: Final = 100_000  # residues that take milliseconds to decode
SHARES_SEEN: Final = 10_000_000  # letters of a second track that are counted
_BLOCK: Final = 1 << 20  # subjects per step, which limits the size of temporary arrays


class Residues(Protocol):
    """Codes of a sequence, in memory or made from another form on access."""

    def __len__(self) -> int:
        """Return the number of residues."""

    def __getitem__(self, part: slice, /) -> NDArray[np.uint8]:
        """Return some of them; the slice has a start and a stop within the sequence, and no step."""


class LetterTrack(msgspec.Struct, frozen=True, eq=False):
    """A second letter for every residue of a database."""

    alphabet: Alphabet
    codes: NDArray[np.uint8]  # in the order of the residues, shape (R,)
    checksum: str = ""  # hex digest of alphabet and letters (`track_checksum`)


class PackedResidues(msgspec.Struct, frozen=True, eq=False):
    """Residues in storage order as a file packs them (`swgui.io.database.packed.codec`), for devices that unpack."""

    bits: int  # of a residue
    # Residues, and ambiguous codes that two bits cannot hold (`Runs.data`); callers that keep them from an earlier
    # search do not ask.
    data: Callable[[], tuple[NDArray[np.uint8], NDArray[np.uint8]]]
    of_all: int  # residues of the database of which this is a piece


class Codons(msgspec.Struct, frozen=True, eq=False):
    """Subjects that are parts of frames of DNA, which an engine translates itself."""

    bases: NDArray[np.uint8]  # codes of `NUCLEOTIDE`, of all sequences
    # Lowest base of each part's first codon, f; where the opposite strand is read -1 - f, and the next codon is three
    # bases below, shape (n,).
    firsts: NDArray[np.int64]
    tables: NDArray[np.uint8]  # as of `strand_tables`, shape (2, 4096)


class Piece(msgspec.Struct, frozen=True, eq=False):
    """Subjects that are consecutive in source and in storage order, and are scored together.

    Searches open one at a time and close it, so that a database need not be in memory as a whole.
    """

    first: int  # source index, and storage position, of the first of them
    sequences: int
    residues: int
    open: Open  # returns them as arrays of their own
    # Begins to read the piece again with its packed residues, or without them if the argument says so, into the
    # caller's memory. None if they are in memory.
    packed: Callable[[bool, Allocator], Future[ArrayDatabase]] | None = None
    begin: Callable[[bool, Allocator], None] | None = None  # reads the result of `packed` ahead
    key: str = ""  # checksum of the result of `packed`
    longest: int = 0  # residues of the longest of them, where `packed` is given

    @property
    def stop(self) -> int:
        """Source index, and storage position, behind the last of them."""
        return self.first + self.sequences

    def shifted(self, subjects: int) -> Piece:
        """Return the piece shifted by a number of subjects that come before it."""
        return replace(self, first=self.first + subjects)

    def unpacked(self) -> Piece:
        """Return the piece for callers that read its residues as letters."""
        return replace(self, packed=None, begin=None)


class EncodedDatabase(ABC):
    """Subjects ready for a search: the interface of all databases, wherever their residues are.

    `ArrayDatabase` has them as arrays. A packed file, several databases joined, a translation and the stored subjects
    of a saved search keep the same contract and *have* their sources as attributes. Searches use `pieces`, each of
    which opens as arrays.
    """

    address: str = ""  # of the computer that has the sequences; empty for this one

    if TYPE_CHECKING:  # fields of some classes, computed on access by others

        @property
        def name(self) -> str:
            """Name shown to the user."""

        @property
        def alphabet(self) -> Alphabet:
            """Alphabet of the residues; a `TwoTracks` if subjects are symbols of both tracks."""

        @property
        def ids(self) -> TextColumn:
            """Identifiers in source order."""

        @property
        def descriptions(self) -> TextColumn:
            """Descriptions in source order."""

        @property
        def checksum(self) -> str:
            """Hex digest of alphabet, residues and ids (`content_checksum`): its name in caches, devices, results."""

        @property
        def stored_organisms(self) -> SubjectOrganisms | None:
            """Organisms of the subjects, if their file stores them; None if callers must read headers."""

        @property
        def feature_texts(self) -> TextColumn | None:
            """Features in source order (`swgui.core.features`); None where no entry has any."""

        @property
        def places(self) -> TextColumn | None:
            """Coordinates of each subject, as `SequenceRecord.places` has them."""

        @property
        def track(self) -> LetterTrack | None:
            """A second letter for every residue; searched by `in_two_tracks` alone."""

        @property
        def profiles(self) -> SubjectProfiles | None:
            """A profile of each subject, in storage order; searches compare profiles with them."""

        @property
        def part(self) -> DatabasePart | None:
            """Part of another database that this one is."""

        @property
        def whole(self) -> EncodedDatabase | None:
            """The other database, if available."""

    else:
        profiles = None

    @abstractmethod
    def __len__(self) -> int: ...

    @property
    @abstractmethod
    def residues(self) -> int:
        """Residues of all subjects."""

    @property
    @abstractmethod
    def pieces(self) -> tuple[Piece, ...]:
        """Pieces that a search scores one at a time, in order; together they are the whole database."""

    @property
    @abstractmethod
    def lengths(self) -> NDArray[np.int32]:
        """Length of each subject, shape (N,), source order."""

    @property
    @abstractmethod
    def position(self) -> NDArray[np.signedinteger[Any]]:
        """Storage position of each source index, shape (N,), in as few bytes as hold it."""

    @abstractmethod
    def sources(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the source indices of the subjects between two storage positions; no others need be known."""

    @abstractmethod
    def arrays(self) -> ArrayDatabase:
        """Return all subjects as arrays, for work that does not go piece by piece.

        Raises
        ------
        DatabaseError
            If their residues are not in memory.
        """

    @abstractmethod
    def renamed(self, name: str) -> EncodedDatabase:
        """Return the same database under another name."""

    @abstractmethod
    def in_two_tracks(self) -> EncodedDatabase:
        """Return the database as one of symbols of both its tracks; itself where it has one track."""

    @abstractmethod
    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        """Return the codes of one subject (a view), by source index.

        Parameters
        ----------
        strand : int
            Strand of the query, or the reading, as searches have it; it matters for translated subjects alone.
        """

    @abstractmethod
    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return residues in which some subjects lie, by source index, where each begins in them, and their lengths.

        Parameters
        ----------
        strands : ndarray, shape=(k,), optional
            As for `subject`.
        parts : (ndarray, ndarray), shape=(k,) each, optional
            First residue, and the end, of the part of each that is wanted; an end below 0 is that of the subject.
        """

    @property
    def subject_kind(self) -> SubjectKind:
        """The record that says what the scores of a search are, and what it can do."""
        return SEQUENCES if self.profiles is None else PROFILES

    @property
    def at_hand(self) -> NDArray[np.int64] | None:
        """Source indices of the subjects whose residues are known, ascending; None where those of all are."""
        return None

    def searchable(self) -> EncodedDatabase:
        """Return the subjects `at_hand` as a database that can be searched; place i of it is ``at_hand[i]``."""
        return self

    @property
    def members(self) -> tuple[EncodedDatabase, ...]:
        """The databases of which this is made, as the user named them; itself where it is one."""
        return (self,)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the members, each once."""
        return tuple(dict.fromkeys(member.name for member in self.members))

    def names_of(self, db_index: NDArray[np.int64]) -> list[str]:
        """Return the names of the databases that some subjects are of, by source index."""
        return [self.name] * len(db_index)

    def lengths_of(self, db_index: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the lengths of some subjects, by source index, shape (k,); of a file no others need be known."""
        return self.lengths[db_index]

    def lengths_seen(self, count: int) -> tuple[int, ...]:
        """Return lengths of some subjects, in order, the shortest and the longest among them."""
        if not len(self):
            return ()
        longest_first = np.sort(self.lengths)[::-1]
        return tuple(sorted(set(longest_first[np.linspace(0, len(self) - 1, count).astype(np.int64)].tolist())))

    def stored_offsets(self) -> NDArray[np.int64]:
        """Return the start of each subject among the residues in storage order, shape (N + 1,)."""
        lengths = self.lengths[self.sources(0, len(self))]
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])

    @cached_property
    def letter_shares(self) -> NDArray[np.float64] | None:
        """Frequencies of the letters of the second track, estimated from ten million at most; None without one."""
        if self.track is None:
            return None
        counts, left = np.zeros(len(self.track.alphabet), np.int64), SHARES_SEEN
        for piece in self.pieces:
            track = piece.open().track if left > 0 else None
            if track is not None:
                counts += np.bincount(track.codes[:left], minlength=len(counts))
                left -= len(track.codes)
        return share_of_counts(counts.astype(np.float64))

    @cached_property
    def organisms(self) -> SubjectOrganisms:
        """The organism of each subject; a million headers take a second or two, once."""
        if self.stored_organisms is not None:
            return self.stored_organisms
        from swgui.core.organisms.scan import scan_organisms  # here, as below: many searches ask for no organism

        return scan_organisms(self.ids, self.descriptions)

    def organism(self, db_index: int) -> Organism:
        """Return the organism of one subject, by source index, without asking the headers of others."""
        if self.stored_organisms is not None:
            return self.stored_organisms.organism(db_index)
        from swgui.core.organisms.subjects import organism_of

        return organism_of(self.ids[db_index], self.descriptions[db_index])

    def organisms_at(self, rows: NDArray[np.int64]) -> SubjectOrganisms:
        """Return the organisms of some subjects, by source index, without asking the headers of others."""
        if self.stored_organisms is not None or "organisms" in vars(self):
            return self.organisms.take(rows)
        from swgui.core.organisms.scan import scan_organisms

        return scan_organisms(self.ids.take(rows), self.descriptions.take(rows))

    def same_content(self, other: EncodedDatabase) -> bool:
        """Return True if data computed from this database serves another one: it is this one, or has its content."""
        own, its = ((database.checksum, database.alphabet.name, database.residues) for database in (self, other))
        return other is self or (bool(self.checksum) and own == its)

    @property
    def search_space(self) -> tuple[float, float]:
        """Residues and sequences that E refers to, each counted as often as it is compared."""
        return self.residues, len(self)

    @property
    def in_stretches(self) -> bool:
        """Whether subjects may be long and have many places for alignments, like genomes."""
        return self.alphabet.name == NUCLEOTIDE.name

    def reading(self, db_index: int, strand: int = 1) -> Residues:
        """Return one subject as `subject` does, but compute nothing before the first access."""
        return self.subject(db_index, strand)

    def record(self, db_index: int) -> SequenceRecord:
        """Return one subject as a record, by source index; a long one is one shared object while it is in use."""
        codes = self.subject(db_index)
        if len(codes) < LONG_RECORD:
            return self._spelled_out(db_index, codes)
        record = self._long_records.get(db_index)
        if record is None:
            record = self._long_records[db_index] = self._spelled_out(db_index, codes)
        return record

    @cached_property
    def _long_records(self) -> WeakValueDictionary[int, SequenceRecord]:
        return WeakValueDictionary()

    def _spelled_out(self, db_index: int, codes: NDArray[np.unsignedinteger[Any]]) -> SequenceRecord:
        letters = None
        if isinstance(self.alphabet, TwoTracks):
            letters = Letters(self.alphabet.parts[1].name, self.alphabet.decode_letters(codes))
        elif self.track is not None:
            letters = Letters(self.track.alphabet.name, self.track.alphabet.decode(self.letters_of(db_index)))
        residues, features = self.alphabet.decode(codes), self.features(db_index)
        return SequenceRecord(
            self.ids[db_index],
            self.descriptions[db_index],
            residues,
            features,
            letters=letters,
            places=self.places_of(db_index),
            circular=self.feature_texts is not None and is_circular(self.feature_texts[db_index]),
        )

    def letters_of(self, db_index: int) -> NDArray[np.uint8]:
        """Return the codes of the second track of one subject, by source index; none without a track."""
        return np.zeros(0, np.uint8)

    def places_of(self, db_index: int) -> bytes:
        """Return the coordinates of the residues of one subject, by source index; empty if unknown."""
        return self.places.raw(db_index) if self.places is not None else b""

    def features(self, db_index: int) -> tuple[Feature, ...]:
        """Return the features in the entry of one subject, by source index."""
        return from_text(self.feature_texts[db_index]) if self.feature_texts is not None else ()

    @cached_property
    def circular(self) -> NDArray[np.int64]:
        """Source indices of the subjects whose entries say that they are circular, ascending, shape (k,)."""
        rows = [np.zeros(0, np.int64)]
        if self.feature_texts is not None and self.in_stretches:
            rows += [first + circular_rows(part.data, part.offsets) for first, part in self.feature_texts.parts()]
        return np.concatenate(rows)


class DatabaseView(EncodedDatabase):
    """Another database in a different reading: subjects, names, pieces and orders are those of the original.

    Parameters
    ----------
    given : EncodedDatabase
        The original.
    """

    def __init__(self, given: EncodedDatabase) -> None:
        self.given = given

    track = None

    @property
    def name(self) -> str:
        return self.given.name

    @property
    def alphabet(self) -> Alphabet:
        return self.given.alphabet

    @property
    def ids(self) -> TextColumn:
        return self.given.ids

    @property
    def descriptions(self) -> TextColumn:
        return self.given.descriptions

    @property
    def checksum(self) -> str:
        return self.given.checksum

    @property
    def stored_organisms(self) -> SubjectOrganisms | None:
        return self.given.stored_organisms

    @property
    def feature_texts(self) -> TextColumn | None:
        return self.given.feature_texts

    @property
    def part(self) -> DatabasePart | None:
        return self.given.part

    @property
    def whole(self) -> EncodedDatabase | None:
        return self.given.whole

    def __len__(self) -> int:
        return len(self.given)

    @property
    def residues(self) -> int:
        return self.given.residues

    @property
    def pieces(self) -> tuple[Piece, ...]:
        return self.given.pieces

    @property
    def lengths(self) -> NDArray[np.int32]:
        return self.given.lengths

    @property
    def position(self) -> NDArray[np.signedinteger[Any]]:
        return self.given.position

    def sources(self, start: int, stop: int) -> NDArray[np.int64]:
        return self.given.sources(start, stop)

    def arrays(self) -> ArrayDatabase:
        """Return all subjects of the original."""
        return self.given.arrays()

    def in_two_tracks(self) -> Self:
        return self

    @property
    def at_hand(self) -> NDArray[np.int64] | None:
        return self.given.at_hand


@dataclass(frozen=True, eq=False)
class ArrayDatabase(EncodedDatabase):
    """Subjects as arrays, in memory or memory-mapped: a database as engines take it."""

    name: str
    alphabet: Alphabet
    codes: NDArray[np.uint8] = field(repr=False)  # residues of all subjects in storage order, shape (R,)
    offsets: NDArray[np.int64] = field(repr=False)  # where each subject begins in `codes`, shape (N + 1,)
    order: NDArray[np.int64] = field(repr=False)  # source index of each storage position, shape (N,)
    ids: TextColumn = field(repr=False)
    descriptions: TextColumn = field(repr=False)
    checksum: str = ""
    stored_organisms: SubjectOrganisms | None = field(default=None, repr=False)
    feature_texts: TextColumn | None = field(default=None, repr=False)
    part: DatabasePart | None = None
    whole: EncodedDatabase | None = field(default=None, repr=False)
    track: LetterTrack | None = field(default=None, repr=False)
    places: TextColumn | None = field(default=None, repr=False)
    # The residues, where they are packed, or made of bases; there are no `codes` then, and only devices can use it.
    profiles: SubjectProfiles | None = field(default=None, repr=False)
    packed: PackedResidues | None = field(default=None, repr=False)
    codons: Codons | None = field(default=None, repr=False)
    cut: bool = False  # whether its subjects are parts of sequences, which are not cut again

    def __len__(self) -> int:
        return len(self.order)

    @property
    def residues(self) -> int:
        """Residues of all subjects."""
        return int(self.offsets[-1])

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All of it."""
        return (Piece(0, len(self), self.residues, lambda: self),)

    def arrays(self) -> ArrayDatabase:
        """Return the database itself."""
        return self

    def renamed(self, name: str) -> ArrayDatabase:
        """Return the same database under another name."""
        return self if name == self.name else replace(self, name=name)

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Length of each subject, shape (N,), source order."""
        lengths = np.empty(len(self), dtype=np.int32)
        for first in range(0, len(self), _BLOCK):
            lengths[self.order[first : first + _BLOCK]] = np.diff(self.offsets[first : first + _BLOCK + 1])
        return lengths

    def sources(self, start: int, stop: int) -> NDArray[np.int64]:
        """Return the source indices of the subjects between two storage positions."""
        return np.asarray(self.order[start:stop], dtype=np.int64)

    def stored_offsets(self) -> NDArray[np.int64]:
        """Return `offsets`."""
        return self.offsets

    def lengths_seen(self, count: int) -> tuple[int, ...]:
        """Return lengths of some subjects, in order, the shortest and the longest among them."""
        if not len(self):
            return ()
        stored = np.linspace(0, len(self) - 1, count).astype(np.int64)  # which are in order of length
        return tuple(sorted(set((self.offsets[stored + 1] - self.offsets[stored]).tolist())))

    @cached_property
    def position(self) -> NDArray[np.signedinteger[Any]]:
        """Storage position of each source index, shape (N,)."""
        position: NDArray[np.signedinteger[Any]] = np.empty(len(self), np.int32 if len(self) < 1 << 31 else np.int64)
        for first in range(0, len(self), _BLOCK):
            part = self.order[first : first + _BLOCK]
            position[part] = np.arange(first, first + len(part))
        return position

    def subject(self, db_index: int, strand: int = 1) -> NDArray[np.uint8]:
        """Return the codes of one subject (a view), by source index."""
        position = int(self.position[db_index])
        return self.symbols(slice(self.offsets[position], self.offsets[position + 1]))

    def symbols(self, residues: slice) -> NDArray[np.uint8]:
        """Return codes of some residues in storage order; of both tracks (a copy, uint16) where both are searched."""
        if isinstance(self.alphabet, TwoTracks) and self.track is not None:
            return self.alphabet.join(self.codes[residues], self.track.codes[residues])
        return self.codes[residues]

    def in_two_tracks(self) -> ArrayDatabase:
        """Return the database as one of symbols of both its tracks."""
        if self.track is None or isinstance(self.alphabet, TwoTracks):
            return self
        checksum = f"{self.checksum}{TRACKS}{self.track.checksum}" if self.checksum else ""
        return replace(self, alphabet=two_tracks(self.alphabet, self.track.alphabet), checksum=checksum)

    def placed(
        self,
        db_index: NDArray[np.int64],
        strands: NDArray[np.integer[Any]] | None = None,
        parts: Parts | None = None,
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
        """Return residues in which some subjects lie: all there are, uncopied, unless both tracks are searched."""
        positions = self.position[db_index]
        starts = np.asarray(self.offsets[positions], dtype=np.int64)
        lengths = np.asarray(self.offsets[positions + 1], dtype=np.int64) - starts
        if parts is not None:
            starts, lengths = starts + parts[0], np.where(parts[1] < 0, lengths, parts[1]) - parts[0]
        if self._joined is None:
            return self.codes, starts, lengths
        return *self._joined.placed(starts, lengths), lengths

    @cached_property
    def _joined(self) -> JoinedTracks | None:
        if not isinstance(self.alphabet, TwoTracks) or self.track is None:
            return None
        from swgui.core.tracks import JoinedTracks  # here: most searches have one track

        return JoinedTracks(self.alphabet, self.codes, self.track.codes)

    def letters_of(self, db_index: int) -> NDArray[np.uint8]:
        """Return the codes of the second track of one subject, by source index."""
        if self.track is None:
            return np.zeros(0, np.uint8)
        position = int(self.position[db_index])
        return self.track.codes[self.offsets[position] : self.offsets[position + 1]]


def places_at_hand(database: EncodedDatabase, db_index: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where some subjects lie among the stored ones: the places of their profiles, shape (k,).

    Parameters
    ----------
    db_index : ndarray, shape=(k,), dtype=int64
    """
    known = database.at_hand
    places = database.position[db_index] if known is None else np.searchsorted(known, db_index)
    return np.asarray(places, dtype=np.int64)


def tracks_of(alphabet: Alphabet, codes: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], LetterTrack | None]:
    """Return residues and second letters of symbols, shape (R,) each; no letters of an alphabet of one track."""
    if not isinstance(alphabet, TwoTracks):
        return codes, None
    residues, letters = alphabet.split(codes)
    return residues, LetterTrack(alphabet.parts[1], letters)


def share_of_counts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each of some counts, shape (n,), as its share of all; zeros where there are none."""
    return np.asarray(counts / max(counts.sum(), 1.0))


class DatabaseChunk(msgspec.Struct, frozen=True, eq=False, dict=True):
    """A slice of a database: views, nothing copied but the offsets."""

    codes: NDArray[np.uint8]  # of two tracks symbols of both, dtype uint16, shape (r,)
    offsets: NDArray[np.int64]  # relative to `codes`, shape (n + 1,)
    db_index: NDArray[np.int64]  # source index of each subject, shape (n,)
    letters: NDArray[np.uint8] | None = None  # the second track, where `codes` are residues alone, shape (r,)
    stored: tuple[int, int] | None = None  # storage positions of the subjects

    def __len__(self) -> int:
        return len(self.db_index)

    @cached_property
    def lengths(self) -> NDArray[np.int32]:
        """Length of each subject, shape (n,)."""
        return np.diff(self.offsets).astype(np.int32)

    @cached_property
    def extremes(self) -> tuple[int, int]:
        """Lengths of the shortest and of the longest subject; 1 and 0 if there is none."""
        return int(self.lengths.min(initial=1)), int(self.lengths.max(initial=0))

    @property
    def residues(self) -> int:
        """Residues of the chunk."""
        return int(self.codes.size)


def take_chunk(database: ArrayDatabase, plan: ChunkPlan, *, apart: bool = False) -> DatabaseChunk:
    """Return the subjects of a plan.

    Parameters
    ----------
    apart : bool
        Whether to leave two tracks apart: residues and letters, nothing copied.
    """
    offsets = database.offsets[plan.start : plan.stop + 1]
    inside, track = slice(offsets[0], offsets[-1]), database.track
    return DatabaseChunk(
        codes=database.codes[inside] if apart else database.symbols(inside),
        offsets=offsets - offsets[0],
        db_index=database.order[plan.start : plan.stop],
        letters=track.codes[inside] if apart and track is not None else None,
        stored=(plan.start, plan.stop),
    )


def content_digest(alphabet: Alphabet) -> blake2b:
    """Return a checksum (BLAKE2b, 128 bits) begun with the kind of the codes; the codes come next."""
    return blake2b(alphabet.name.encode(), digest_size=16)


def content_checksum(alphabet: Alphabet, codes: NDArray[np.uint8], offsets: NDArray[np.int64], ids: TextColumn) -> str:
    """Return the checksum of a database's content (BLAKE2b, 128 bits, hex).

    Parameters
    ----------
    codes : ndarray, shape=(residues,), dtype=uint8
    offsets : ndarray, shape=(N + 1,), dtype=int64
        In storage order, which is a function of the content.
    """
    digest = content_digest(alphabet)
    for array in (codes, offsets, ids.data, ids.offsets):
        # In blocks, so that a memory-mapped database is not read into memory as a whole.
        for start in range(0, len(array), 1 << 22):
            digest.update(np.ascontiguousarray(array[start : start + (1 << 22)]).data)
    return digest.hexdigest()


def track_checksum(alphabet: Alphabet, codes: Sliceable) -> str:
    """Return the checksum of a second track: of the name of its alphabet and its letters in storage order."""
    digest = content_digest(alphabet)
    for start in range(0, len(codes), 1 << 22):
        digest.update(np.ascontiguousarray(codes[start : start + (1 << 22)]).data)
    return digest.hexdigest()


def encode_database(records: Iterable[SequenceRecord], alphabet: Alphabet, name: str = "") -> ArrayDatabase:
    """Encode and sort records in memory; large files go through ``io.database_file`` instead.

    Parameters
    ----------
    records : iterable of SequenceRecord
        Cleaned; records without residues are allowed and score 0. If one has letters, all have, of one alphabet.
    """
    kept = list(records)
    encoded = [encode_record(record, alphabet) for record in kept]
    lengths = np.array([codes.size for codes in encoded], dtype=np.int64)
    order = sort_by_length(lengths)
    offsets = np.zeros(len(kept) + 1, dtype=np.int64)
    np.cumsum(lengths[order], out=offsets[1:])
    codes = np.concatenate([encoded[i] for i in order]) if kept else np.zeros(0, dtype=np.uint8)
    ids = TextColumn.from_texts(record.id for record in kept)
    residues, track = tracks_of(alphabet, codes)
    return ArrayDatabase(
        name=name,
        alphabet=alphabet,
        codes=residues,
        offsets=offsets,
        order=order,
        ids=ids,
        descriptions=TextColumn.from_texts(record.description for record in kept),
        checksum=content_checksum(alphabet, codes, offsets, ids),
        feature_texts=_feature_texts(kept),
        places=_places(kept),
        track=track if isinstance(alphabet, TwoTracks) else _track(kept, order),
    )


def _track(records: Sequence[SequenceRecord], order: NDArray[np.int64]) -> LetterTrack | None:
    first = next((record.letters for record in records if record.letters is not None), None)
    if first is None:
        return None
    alphabet = alphabet_by_name(first.alphabet)
    encoded = [alphabet.encode(letters_beside(record, alphabet.name)) for record in records]
    codes = np.concatenate([encoded[i] for i in order])
    return LetterTrack(alphabet, codes, track_checksum(alphabet, codes))


def _feature_texts(records: Sequence[SequenceRecord]) -> TextColumn | None:
    if not any(record.features or record.circular for record in records):
        return None
    return TextColumn.from_texts(as_text(record.features, circular=record.circular) for record in records)


def _places(records: Sequence[SequenceRecord]) -> TextColumn | None:
    return TextColumn.from_bytes([record.places for record in records]) if any(r.places for r in records) else None
