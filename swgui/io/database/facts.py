"""What a database file says of itself: the records of its header. The names of fields are keys in users' files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from swgui.core.alphabet import ALPHABETS
from swgui.core.plain import Count
from swgui.io.organisms.assign import OrganismFiles


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """A file that a database was built from, as it was then.

    Parameters
    ----------
    path : str
    size, mtime_ns : int
        Bytes, and when it was changed (ns); -1 where not known.
    """

    path: str = ""
    size: int = -1
    mtime_ns: int = -1

    def changed(self) -> bool:
        """Whether the file is there and not what it was."""
        try:
            now = os.stat(self.path)
        except (OSError, ValueError):
            return False
        return (now.st_size, now.st_mtime_ns) != (self.size, self.mtime_ns)


class UnknownAlphabet(Exception):
    """A file is of an alphabet that is not known here, or was another one; the text is its name."""


def _check_alphabet(name: str, letters: str) -> None:
    known = ALPHABETS.get(name)
    if known is None or known.letters != letters:
        raise UnknownAlphabet(name)


class RemarkFacts(NamedTuple):
    """A `Remark` of the reader, as a list."""

    kind: str
    message: str
    record: int = 0
    line: int = 0
    times: int = 1


@dataclass(frozen=True, slots=True)
class ReportFacts:
    """Format of the sources, how often what was changed or noticed in them, and the first remarks of each kind."""

    format: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[RemarkFacts, ...] = ()


@dataclass(frozen=True, slots=True)
class TrackFacts:
    """The second track of a file: its alphabet, the checksum of its letters, and the file they are of."""

    alphabet: str
    letters: str
    checksum: str
    source: str = ""

    def __post_init__(self) -> None:
        _check_alphabet(self.alphabet, self.letters)


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderFacts:
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

    def __post_init__(self) -> None:
        _check_alphabet(self.alphabet, self.letters)
