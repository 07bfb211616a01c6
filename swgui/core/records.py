"""One sequence as it came from a file, and what was noticed while reading it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from swgui.core.entries.features import Feature
from swgui.core.profiles.score_profile import ScoreProfile


class Letters(NamedTuple):
    """A second letter for every residue of a sequence: of its structure, for example.

    Parameters
    ----------
    alphabet : str
        Its name (`swgui.core.alphabet.ALPHABETS`).
    text : bytes
        As many letters as there are residues.
    """

    alphabet: str
    text: bytes


@dataclass(frozen=True, slots=True, weakref_slot=True)
class SequenceRecord:
    """One named sequence, cleaned: upper-case letters of its alphabet only.

    Parameters
    ----------
    id : str
        First word of the header, as the file has it.
    description : str
        The rest of the header, without the id.
    residues : bytes
        Upper-case ASCII letters.
    features : tuple of Feature
        What its entry says of stretches of it.
    profile : ScoreProfile, optional
        Position-specific scores to search with; those of the residues without one. One position per residue.
    letters : Letters, optional
        A second track.
    places : bytes
        Where the residues are in space, and how certain that is (`swgui.core.structures.compact`); empty if not known.
    """

    id: str
    description: str
    residues: bytes
    features: tuple[Feature, ...] = ()
    profile: ScoreProfile | None = None
    letters: Letters | None = None
    places: bytes = b""

    @property
    def header(self) -> str:
        """Id and description as one line."""
        return f"{self.id} {self.description}".rstrip()


@dataclass(frozen=True, slots=True)
class Remark:
    """Something a reader changed or noticed; nothing is changed without one.

    Parameters
    ----------
    kind : {"replaced", "removed", "odd", "empty", "duplicate", "unread", "note"}
        ``replaced``: a letter became the wildcard; ``removed``: gap signs, digits or other marks were
        left out; ``odd``: kept, but rare; ``empty``: a record without residues was left out;
        ``duplicate``: the id was there before (kept); ``unread``: a file
        of many could not be read and was left out; ``note``: anything else.
    message : str
        One sentence for the user.
    record : int
        Number of the record in the file, from 1; 0 if it concerns the whole file.
    line : int
        Line in the file, from 1; 0 if the format gives none.
    count : int
        How many letters or records it concerns.
    """

    kind: Literal["replaced", "removed", "odd", "empty", "duplicate", "unread", "note"]
    message: str
    record: int = 0
    line: int = 0
    count: int = 1
