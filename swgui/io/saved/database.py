"""The database in a saved search: its identity, its possible places, and the stored parts of it."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from dataclasses import fields
from functools import singledispatch
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import ALPHABETS, TRACKS, Alphabet, TwoTracks
from swgui.core.circular import as_given
from swgui.core.database import EncodedDatabase, TextColumn, places_at_hand
from swgui.core.errors import Stopped, SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.index_check import are_offsets
from swgui.core.organisms.subjects import UNKNOWN, SubjectOrganisms
from swgui.core.plain import replace
from swgui.core.several.joined import joined
from swgui.core.several.part import restricted
from swgui.core.subject_kind import SubjectProfiles
from swgui.io.database.facts import (
    CERTAIN_CODES,
    CERTAIN_SECTIONS,
    PROFILE_ENTRIES,
    PROFILE_SECTIONS,
    PROFILE_VERSION,
    RESIDUES_OF_PROFILES,
    ProfileFacts,
)
from swgui.io.database.features import text_columns
from swgui.io.database.file import database_facts, mapped_file
from swgui.io.database.library import cache_folder, open_any_database, user_databases
from swgui.io.database.organisms import SECTIONS, organisms_of, sections_of
from swgui.io.saved.facts import DatabaseFileFacts, MemberFacts, PartFacts, SavedDatabaseFacts, SubjectFacts
from swgui.io.saved.pack import PackReader, PackWriter, damaged
from swgui.io.saved.stored_subjects import StoredSubjects, spread_texts
from swgui.paths import beside_project, is_project

_FIRST: Final = next(iter(SECTIONS))
_BACKGROUND: Final = "subjects/profile_background"
EMBEDDED: Final = 50 << 20  # bytes of subject sequences that are stored without being asked for


def write_organisms(pack: PackWriter, stored: SubjectOrganisms | None, index: NDArray[np.int64]) -> None:
    """Write the organisms of some subjects that a database stores; nothing if it stores none."""
    if stored is not None:
        for name, array in sections_of(stored.take(index).condensed()).items():
            pack.array(f"subjects/{name}.npy", array)


def read_organisms(pack: PackReader, count: int, index: NDArray[np.int64]) -> SubjectOrganisms | None:
    """Return the organisms from `write_organisms`, for a database of `count` subjects; None if it wrote nothing.

    Raises
    ------
    RunFileError
        If it is damaged.
    """
    if f"subjects/{_FIRST}.npy" not in pack:
        return None
    parts = {name: f"subjects/{name}.npy" for name in SECTIONS}
    arrays = {name: pack.array(part, np.dtype(SECTIONS[name]).str, (pack.count(part),)) for name, part in parts.items()}
    try:
        organisms = organisms_of(arrays, len(index))
    except ValueError as fault:
        raise damaged(pack.path, f"the part 'subjects/{fault}.npy' leads nowhere") from None
    if organisms is None:
        return None
    of = np.full(count, UNKNOWN, dtype=np.int32)
    of[index] = organisms.of
    return replace(organisms, of=of)


def facts_of_database(
    database: EncodedDatabase, target: Path, given: str | os.PathLike[str] | None
) -> SavedDatabaseFacts:
    """Return the facts of a database to write, with the place the user opened it from; an empty `given` is no place."""
    place = Path(os.path.abspath(given)) if given else database_file_of(database) if given is None else None
    return SavedDatabaseFacts(
        **_of_file(database, target, place),
        part=PartFacts.of(database.part) if database.part is not None else None,
        members=_member_facts(database, target),
    )


def _of_file(database: EncodedDatabase, target: Path, place: Path | None) -> dict[str, Any]:
    """Return the fields of `DatabaseFileFacts`."""
    facts: dict[str, Any] = {
        "name": database.name,
        "alphabet": database.alphabet.name,
        "sequences": len(database),
        "residues": database.residues,
        "checksum": database.checksum,
    }
    if place is not None:
        facts["path"] = str(place)
        with suppress(ValueError):  # another drive
            facts["relative"] = Path(os.path.relpath(place, target.absolute().parent)).as_posix()
        with suppress(OSError):
            facts["size"] = place.stat().st_size
    return facts


@singledispatch
def _member_facts(database: EncodedDatabase, target: Path) -> tuple[MemberFacts, ...]:
    """Return the facts of the members of a database; nothing if it is one."""
    whole = database.whole or database
    if len(whole.members) < 2:
        return ()
    searched = {member.name: len(member) for member in database.members}
    return tuple(
        MemberFacts(**_of_file(member, target, database_file_of(member)), searched=searched.get(member.name, 0))
        for member in whole.members
    )


@_member_facts.register
def _(database: StoredSubjects, target: Path) -> tuple[MemberFacts, ...]:
    return database.member_facts


def database_file_of(database: EncodedDatabase) -> Path | None:
    """Return the file a database was opened from, None if it is held in memory.

    Of a converted sequence file that is its source: the cache may be cleared.
    """
    database = database.whole or database
    if len(database.members) > 1:
        return None
    place = mapped_file(database)
    if place is not None and cache_folder() in place.parents:
        sources = [entry.path for entry in user_databases() if entry.checksum == database.checksum]
        return sources[0] if sources else place
    return place


class SubjectParts:
    """The stored parts of the database: all lengths, all names if they are not too much, sequences of the hits."""

    def __init__(self, result: SearchResult, with_subjects: bool | None, only: NDArray[np.int64] | None = None) -> None:
        self.database = as_given(result.database)
        db_index = [query.hits.db_index for query in result.queries] if only is None else [only]
        self.index = np.unique(np.concatenate(db_index)) if db_index else np.zeros(0, dtype=np.int64)
        if self.database.at_hand is not None:
            self.index = np.intersect1d(self.index, self.database.at_hand)
        size = int(self.database.lengths[self.index].sum(dtype=np.int64))
        self.with_residues = size < EMBEDDED if with_subjects is None else with_subjects
        self.with_ids = only is None and self.database.ids.size < EMBEDDED

    def write(self, pack: PackWriter) -> None:
        """Write these parts."""
        database = self.database
        pack.array("database/lengths.npy", database.lengths.astype("<i4"))
        if self.with_ids:
            _write_texts(pack, "database/ids", "database/id_offsets", database.ids)
        pack.array("subjects/index.npy", self.index.astype("<i8"))
        for name, offsets, column in text_columns(database):
            _write_texts(pack, f"subjects/{name}", f"subjects/{offsets}", column.take(self.index))
        write_organisms(pack, database.stored_organisms, self.index)
        if self.with_residues:
            codes = self._codes()
            if isinstance(self.database.alphabet, TwoTracks):
                codes, letters = self.database.alphabet.split(codes)
                pack.array("subjects/letters.npy", letters)
            pack.array("subjects/codes.npy", codes)
            if (profiles := self.database.profiles) is not None:
                _write_profiles(pack, profiles.take(places_at_hand(self.database, self.index)))

    def _codes(self) -> NDArray[np.uint8]:
        codes, starts, lengths = self.database.placed(self.index)
        edges = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        parts = [codes[start:stop] for start, stop in edges]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.uint8)


def _write_profiles(pack: PackWriter, profiles: SubjectProfiles) -> None:
    from swgui.io.database.profiles import sections_of as columns_of  # here, as below: few searches are of profiles

    for name, array in columns_of(profiles).items():
        pack.array(f"subjects/{name}.npy", array)
    pack.array(f"{_BACKGROUND}.npy", profiles.background)


def _read_profiles(pack: PackReader, lengths: NDArray[np.int32]) -> SubjectProfiles | None:
    """Return the profiles of the stored subjects, whose lengths are given; None if there are none."""
    if f"{_BACKGROUND}.npy" not in pack:
        return None
    from swgui.io.database.profiles import profiles_of

    certain = f"subjects/{CERTAIN_CODES}.npy" in pack
    size, dtypes = int(lengths.sum(dtype=np.int64)), {**PROFILE_SECTIONS, **(CERTAIN_SECTIONS if certain else {})}
    arrays = {
        name: pack.array(f"subjects/{name}.npy", dtype.replace("<u1", "|u1"), (size * PROFILE_ENTRIES[name],))
        for name, dtype in dtypes.items()
    }
    background = pack.array(f"{_BACKGROUND}.npy", "<f8", (RESIDUES_OF_PROFILES,))
    try:
        facts = ProfileFacts(PROFILE_VERSION, tuple(background.tolist()), "", certain=certain)
        return profiles_of(arrays, np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]), facts)
    except ValueError:
        raise damaged(pack.path, "its profiles do not fit their sequences") from None


def _write_texts(pack: PackWriter, data: str, offsets: str, column: TextColumn) -> None:
    pack.array(f"{data}.npy", column.data)
    pack.array(f"{offsets}.npy", column.offsets.astype("<i8"))


class SavedDatabase:
    """The database a saved search was made with, and where it may be; `RunFileError` if the two do not fit."""

    def __init__(self, facts: SavedDatabaseFacts, kind: Alphabet, saved: Path) -> None:
        self._facts = facts
        self.name, self.checksum = facts.name, facts.checksum
        self.part = facts.part.part() if facts.part is not None else None
        self._whole = self.part.checksum if self.part else self.checksum.partition(TRACKS)[0]
        self.sequences, self.residues = facts.sequences, facts.residues
        if ALPHABETS.get(facts.alphabet) is not kind:
            raise damaged(saved, "its database has other letters than its search")
        self.alphabet = kind
        self._folder = saved.absolute().parent

    def places(self) -> list[Path]:
        """Return where the file may be, best first, each once."""
        named = [Path(self._facts.path)] if self._facts.path else []
        if self._facts.relative:
            named.append(Path(os.path.normpath(self._folder / self._facts.relative)))
        parts = [part for part in (self._facts.path, self._facts.relative) if part]
        named += [self._folder / Path(part.replace("\\", "/")).name for part in parts]
        of_project = self._folder.parent  # the folder of a project has one of runs
        for part in parts:
            named += beside_project(part, of_project if is_project(of_project) else None)
        return list(dict.fromkeys(place for place in named if "\0" not in str(place)))

    def find(
        self, remarks: list[str], cancel: threading.Event | None = None
    ) -> tuple[EncodedDatabase | None, Path | None]:
        """Open the database and say where it is; None if it is nowhere, with a remark of what stood in its place."""
        if not self.checksum:
            return None, None
        if self._facts.members:
            return self._find_members(remarks, cancel), None
        other = None
        for place in self.places():
            if not place.is_file():
                continue
            with suppress(SwguiError, OSError):
                if self._worth_opening(place):
                    database = self._open(place, cancel)
                    if database.checksum == self.checksum:
                        return database, place
            other = other or place
        for entry in user_databases():
            if entry.checksum == self._whole:
                with suppress(SwguiError, OSError):
                    database = self._open(entry.path, cancel)
                    if database.checksum == self.checksum:
                        return database, entry.path
        if other is not None:
            remarks.append(f"'{other}' has changed since the search, so it was not used.")
        return None, None

    def _find_members(self, remarks: list[str], cancel: threading.Event | None) -> EncodedDatabase | None:
        """Return the members as the one database they were searched as; None if one is nowhere."""
        kind = self.alphabet.residue_alphabet
        members = []
        for facts in self._facts.members:
            values = {entry.name: getattr(facts, entry.name) for entry in fields(DatabaseFileFacts)}
            member = replace(SavedDatabaseFacts(**values), alphabet=kind.name)
            found, _ = SavedDatabase(member, kind, self._folder / "saved").find(remarks, cancel)
            if found is None:
                return None
            members.append(found)
        return self._as_searched(joined(members))

    def _worth_opening(self, place: Path) -> bool:
        """Whether a file can be the database: the facts of a database file say so, a sequence file's size must fit."""
        try:
            return database_facts(place).checksum == self._whole
        except SwguiError:
            return place.stat().st_size == self._facts.size

    def _open(self, place: Path, cancel: threading.Event | None) -> EncodedDatabase:
        try:
            alphabet = self.alphabet.residue_alphabet
            return self._as_searched(open_any_database(place, alphabet=alphabet, cancel=cancel))
        except Stopped:
            raise
        except SwguiError:
            if cancel is not None and cancel.is_set():
                raise Stopped("Opening the saved search was stopped.") from None
            raise

    def _as_searched(self, database: EncodedDatabase) -> EncodedDatabase:
        """Return a whole database as the part, and by the name, that was searched."""
        if self.part is not None:
            database = restricted(database.renamed(self.part.name or database.name), self.part.limit)
        if isinstance(self.alphabet, TwoTracks):
            database = database.in_two_tracks()
        return database.renamed(self.name or database.name)

    @property
    def members(self) -> tuple[MemberFacts, ...]:
        """The databases that were searched as one; empty if it was one."""
        return self._facts.members


def stored_database(
    pack: PackReader, subjects: SubjectFacts, about: SavedDatabase, remarks: list[str]
) -> StoredSubjects:
    """Return the sequences stored in the file in place of the database, with a remark of what is missing."""
    count = about.sequences
    lengths = pack.array("database/lengths.npy", "<i4", (count,))
    if lengths.min(initial=0) < 0 or int(lengths.sum(dtype=np.int64)) != about.residues:
        raise damaged(pack.path, "lengths and residues of the database do not agree")
    index = pack.array("subjects/index.npy", "<i8", (subjects.count,))
    if len(index) and (index[0] < 0 or index[-1] >= count or (np.diff(index) <= 0).any()):
        raise damaged(pack.path, "the stored sequences are not of this database")
    ids = spread_texts(count, index, _read_texts(pack, "subjects/ids", "subjects/id_offsets", len(index)))
    if subjects.all_ids:
        ids = _read_texts(pack, "database/ids", "database/id_offsets", count)
    descriptions = _read_texts(pack, "subjects/descriptions", "subjects/description_offsets", len(index))
    features, places = (
        spread_texts(count, index, _read_texts(pack, f"subjects/{name}s", f"subjects/{name}_offsets", len(index)))
        if f"subjects/{name}s.npy" in pack
        else None
        for name in ("feature", "place")
    )
    stored, codes = index[:0], np.zeros(0, dtype=np.uint8)
    if subjects.residues:
        stored, size = index, int(lengths[index].sum(dtype=np.int64))
        codes = _read_codes(pack, about.alphabet, size)
    remarks.append(_what_is_missing(about.name, subjects.residues, subjects.all_ids))
    return StoredSubjects(
        about.name,
        about.alphabet,
        lengths,
        ids,
        spread_texts(count, index, descriptions),
        about.checksum,
        stored,
        codes,
        about.part,
        features,
        read_organisms(pack, count, index),
        places,
        about.members,
        _read_profiles(pack, lengths[stored]),
    )


def _read_codes(pack: PackReader, alphabet: Alphabet, size: int) -> NDArray[np.uint8]:
    """Return the stored residues; of two tracks symbols of both."""
    if isinstance(alphabet, TwoTracks):
        return alphabet.join(
            *(_read_track(pack, *track, size) for track in zip(("codes", "letters"), alphabet.parts, strict=True))
        )
    return _read_track(pack, "codes", alphabet, size)


def _read_track(pack: PackReader, name: str, alphabet: Alphabet, size: int) -> NDArray[np.uint8]:
    codes = pack.array(f"subjects/{name}.npy", "|u1", (size,))
    if codes.max(initial=0) >= len(alphabet):
        raise damaged(pack.path, f"the part 'subjects/{name}.npy' holds an invalid residue")
    return codes


def _what_is_missing(name: str, with_residues: bool, all_ids: bool) -> str:
    rest = "its score and its name" if all_ids else "its score"
    if with_residues:
        return (
            f"The database '{name}' was not found: alignments are drawn from the sequences of the hits that the file "
            f"holds; any other sequence has {rest}, but no alignment."
        )
    return f"The database '{name}' was not found and the file holds no sequences: there are scores, but no alignments."


def _read_texts(pack: PackReader, data: str, offsets: str, count: int) -> TextColumn:
    starts = pack.array(f"{offsets}.npy", "<i8", (count + 1,))
    if not are_offsets(starts, int(starts[-1])):
        raise damaged(pack.path, f"the part '{offsets}.npy' leads nowhere")
    return TextColumn(pack.array(f"{data}.npy", "|u1", (int(starts[-1]),)), starts)
