"""One sequence from a file, and the reader's remarks on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.errors import SequenceError
from swgui.core.features import Feature
from swgui.core.plain import replace
from swgui.core.score_profile import ScoreProfile


class Letters(NamedTuple):
    """A second letter for every residue of a sequence: of its structure, for example."""

    alphabet: str  # its name (`swgui.core.alphabet.ALPHABETS`)
    text: bytes  # as many letters as there are residues


class SequenceRecord(msgspec.Struct, frozen=True, weakref=True):
    """One named sequence, cleaned: upper-case letters of its alphabet only."""

    id: str  # first word of the header, as the file has it
    description: str  # the rest of the header, without the id
    residues: bytes  # upper-case ASCII letters
    features: tuple[Feature, ...] = ()  # features of its stretches from its entry
    # Position-specific scores to search with; those of the residues without one. One position per residue; of DNA that
    # is translated one per residue of its six frames, one frame behind the other.
    profile: ScoreProfile | None = None
    letters: Letters | None = None  # a second track
    # Coordinates of the residues, and their confidence (`swgui.core.structures.compact`); empty if unknown.
    places: bytes = b""
    taxid: int = 0  # taxid of its organism, if the source gives it apart from the header; 0 if not
    circular: bool = False  # whether its entry says that its ends are joined

    @property
    def header(self) -> str:
        """Id and description as one line."""
        return f"{self.id} {self.description}".rstrip()


def letters_beside(record: SequenceRecord, alphabet: str) -> bytes:
    """Return the letters of a record, one for each residue.

    Parameters
    ----------
    alphabet : str
        Name of that of the letters.

    Raises
    ------
    SequenceError
        If it has none of that alphabet, or fewer or more than residues.
    """
    if record.letters is None or record.letters.alphabet != alphabet:
        raise SequenceError(f"'{record.id}' has no symbols of the alphabet '{alphabet}'.")
    given, wanted = len(record.letters.text), len(record.residues)
    if given != wanted:
        raise SequenceError(
            f"'{record.id}' has {wanted:,} residues and {given:,} letters of the alphabet '{alphabet}'.",
            hint="Every residue needs a letter.",
        )
    return record.letters.text


def with_letters(
    queries: Iterable[SequenceRecord], letters: Iterable[SequenceRecord], alphabet: str, where: str
) -> tuple[SequenceRecord, ...]:
    """Return records with letters that other records hold under the same identifiers, those of one name in order.

    Parameters
    ----------
    alphabet : str
        Name of that of the letters.
    where : str
        Whose letters they are, for errors.

    Raises
    ------
    SequenceError
        If a record has no letters, or not as many as residues.
    """
    letters_of: dict[str, list[bytes]] = {}
    for record in letters:
        letters_of.setdefault(record.id, []).append(record.residues)
    result = []
    for query in queries:
        if not letters_of.get(query.id):
            raise SequenceError(f"The query '{query.id}' has no symbols in {where}.")
        lettered = replace(query, letters=Letters(alphabet, letters_of[query.id].pop(0)))
        letters_beside(lettered, alphabet)  # checks them
        result.append(lettered)
    return tuple(result)


def encode_record(record: SequenceRecord, alphabet: Alphabet) -> NDArray[np.uint8]:
    """Encode a record in an alphabet, with its letters if the alphabet has two tracks.

    Raises
    ------
    SequenceError
        If it has no letters that fit.
    """
    if not isinstance(alphabet, TwoTracks):
        return alphabet.encode(record.residues)
    return alphabet.encode_tracks(record.residues, letters_beside(record, alphabet.parts[1].name))


class Remark(msgspec.Struct, frozen=True):
    """Something a reader changed or noticed; nothing is changed without one."""

    # ``replaced``: a letter or sign became the wildcard; ``removed``: gap signs, digits or controls were left out;
    # ``odd``: kept, but rare; ``empty``: a record without residues was left out; ``duplicate``: the id was there
    # before (kept); ``unread``: a file of many could not be read and was left out; ``note``: anything else.
    kind: Literal["replaced", "removed", "odd", "empty", "duplicate", "unread", "note"]
    message: str  # one sentence for the user
    record: int = 0  # number of the record in the file, from 1; 0 if it concerns the whole file
    line: int = 0  # line in the file, from 1; 0 if the format gives none
    count: int = 1  # how many letters or records it concerns
