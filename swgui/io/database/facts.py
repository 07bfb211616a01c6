"""The facts in a database file's header. The names of fields are keys in users' files."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from swgui.core.alphabet import ALPHABETS
from swgui.core.plain import Count
from swgui.io.organism_files import OrganismFiles
from swgui.io.structures.naming import is_structure_name

PROFILE_VERSION: Final = 2  # 2: with columns of certain members, where some are in doubt
RESIDUES_OF_PROFILES: Final = 20
PROFILE_CODES: Final = "profile_codes"
PROFILE_SCALES: Final = "profile_scales"
PROFILE_DIVERSITY: Final = "profile_diversity"
CERTAIN_CODES: Final = "certain_codes"
CERTAIN_SCALES: Final = "certain_scales"
# Sections of profiles: name and dtype, and how many entries a residue has (`swgui.io.database.profiles`).
PROFILE_SECTIONS: Final = {PROFILE_CODES: "<u1", PROFILE_SCALES: "<i2", PROFILE_DIVERSITY: "<u1"}
# Sections of the profiles of certain members, where they differ.
CERTAIN_SECTIONS: Final = {CERTAIN_CODES: "<u1", CERTAIN_SCALES: "<i2"}
PROFILE_ENTRIES: Final = {
    PROFILE_CODES: RESIDUES_OF_PROFILES,
    PROFILE_SCALES: 1,
    PROFILE_DIVERSITY: 1,
    CERTAIN_CODES: RESIDUES_OF_PROFILES,
    CERTAIN_SCALES: 1,
}
WITH_PROFILES: Final = "-profiles-"  # between the checksum of the sequences and that of the columns


class SourceFacts(msgspec.Struct, frozen=True):
    """A file that a database was built from, as it was then."""

    path: str = ""  # of a file, or of a folder of structures
    # size, mtime_ns: Bytes, and when it was changed (ns); of a folder of all structures in it together, and of the
    # newest of them and of the folders. -1 where not known.
    size: int = -1
    mtime_ns: int = -1

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> SourceFacts:
        """Return size and time of change of a file or a folder; `OSError` or `ValueError` if there is none."""
        status = os.stat(path)
        if not stat.S_ISDIR(status.st_mode):
            return cls(os.path.abspath(path), status.st_size, status.st_mtime_ns)
        size, newest = 0, 0
        for top, _, names in os.walk(path):
            inside = [os.stat(os.path.join(top, name)) for name in names if is_structure_name(name)]
            size += sum(entry.st_size for entry in inside)
            newest = max(newest, os.stat(top).st_mtime_ns, *(entry.st_mtime_ns for entry in inside))
        return cls(os.path.abspath(path), size, newest)

    def changed(self) -> bool:
        """Whether the file or folder is there and not what it was."""
        try:
            return SourceFacts.of(self.path) != self
        except (OSError, ValueError):
            return False


class UnknownAlphabet(Exception):
    """A file is of an alphabet that is not known here, or was another one; the text is its name."""


def _check_alphabet(name: str, letters: str) -> None:
    alphabet = ALPHABETS.get(name)
    if alphabet is None or alphabet.letters != letters:
        raise UnknownAlphabet(name)


class RemarkFacts(NamedTuple):
    """A `Remark` of the reader, as a list."""

    kind: str
    message: str
    record: int = 0
    line: int = 0
    times: int = 1


class ReportFacts(msgspec.Struct, frozen=True):
    """Format of the sources, how often what was changed or noticed in them, and the first remarks of each kind."""

    format: str = ""
    counts: Mapping[str, int] = msgspec.field(default_factory=dict)
    remarks: tuple[RemarkFacts, ...] = ()


class TrackFacts(msgspec.Struct, frozen=True):
    """The second track of a file: its alphabet, the checksum of its letters, and the file they are of."""

    alphabet: str
    letters: str
    checksum: str
    source: str = ""

    def __post_init__(self) -> None:
        _check_alphabet(self.alphabet, self.letters)


class StructureSources(msgspec.Struct, frozen=True):
    """Sources of a database of structures, to build it again: folders, archives and ``FILE:CHAIN``."""

    paths: tuple[str, ...]
    min_plddt: float = 0.0


class PackedFacts(msgspec.Struct, frozen=True):
    """Facts of packed files only: which texts any subject has, and how many were merged with an equal one."""

    features: bool = False
    places: bool = False
    merged: Count = 0


class ReleaseFacts(msgspec.Struct, frozen=True):
    """A release that a packed file was built of or updated to, and what that changed."""

    name: str = ""  # as the user says
    made: str = ""  # local time, ISO 8601
    sequences: Count = 0
    residues: Count = 0
    blocks: Count = 0  # of the release before
    kept: Count = 0  # of these, whose residues were reused
    # came, went, changed: Identifiers that are new, are gone, or stand for another sequence. -1 where not known.
    came: int = -1
    went: int = -1
    changed: int = -1


class NewerProfiles(Exception):
    """The columns of a file are of a newer version; the text is its number."""


class ProfileFacts(msgspec.Struct, frozen=True):
    """Facts of a file about its profiles."""

    version: Count
    background: tuple[float, ...]
    checksum: str
    made: str = ""
    certain: bool = False  # whether there are profiles of the certain members alone

    def __post_init__(self) -> None:
        if self.version > PROFILE_VERSION:
            raise NewerProfiles(str(self.version))
        if len(self.background) != RESIDUES_OF_PROFILES or not all(0 < share <= 1 for share in self.background):
            raise ValueError("background")


class HeaderFacts(msgspec.Struct, frozen=True, kw_only=True):
    """The header of a database file without its table of sections; see `swgui.io.database.file.DatabaseFacts`."""

    name: str
    alphabet: str
    letters: str
    sequences: Count
    residues: Count
    longest: Count
    checksum: str
    made: str
    program: str
    sources: tuple[SourceFacts, ...] | None = ()
    report: ReportFacts | None = None
    organism_files: OrganismFiles | None = None
    track: TrackFacts | None = None
    structures: StructureSources | None = None
    columns: str = ""  # of Parquet files, as `swgui.io.imported.parquet.Columns.read` takes them
    packed: PackedFacts | None = None  # of version 3
    profiles: ProfileFacts | None = None  # of a database of profiles
    releases: tuple[ReleaseFacts, ...] = ()  # of a packed file that was updated, the newest last

    def __post_init__(self) -> None:
        _check_alphabet(self.alphabet, self.letters)
