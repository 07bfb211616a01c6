"""Two letters at every position, as one symbol: what a search in two tracks is a search of.

A residue with code ``r`` and a letter with code ``l`` are the symbol ``r * len(letters) + l``. A matrix over such
symbols adds the scores of both, each with its weight; whatever knows codes and matrices knows two tracks then. Where
it pays, an engine takes the two apart again (`TwoTrackMatrix`) and looks two scores up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TRACKS, Alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.letters.record import Beside
from swgui.core.records import Letters, SequenceRecord
from swgui.core.scoring import SCORE_LIMIT, ScoringScheme, SubstitutionMatrix

WEIGHT_LIMIT: Final = 1_000


@dataclass(frozen=True)
class TwoTracks(Alphabet):
    """The symbols of two alphabets side by side; what is shown and counted of them are the residues.

    Parameters
    ----------
    residues, second : Alphabet
        Made by `two_tracks`. Everything else is that of `residues`.
    """

    residues: Alphabet | None = None
    second: Alphabet | None = None

    def __len__(self) -> int:
        return len(self.parts[0]) * len(self.parts[1])

    def __reduce__(self) -> tuple[object, ...]:
        return (two_tracks, self.parts)

    @property
    def parts(self) -> tuple[Alphabet, Alphabet]:
        """Alphabets of the residues and of the letters."""
        assert self.residues is not None
        assert self.second is not None
        return self.residues, self.second

    @property
    def residue_alphabet(self) -> Alphabet:
        """That of the residues."""
        return self.parts[0]

    def join(self, residues: NDArray[np.uint8], letters: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the symbols of two lists of codes of one length; their dtype is uint16 if there are more than 256."""
        symbols: NDArray[Any] = residues.astype(np.uint8 if len(self) <= 1 << 8 else np.uint16)
        symbols *= symbols.dtype.type(len(self.parts[1]))
        symbols += letters
        return symbols

    def split(self, symbols: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return codes of residues and of letters."""
        residues, letters = np.divmod(symbols, symbols.dtype.type(len(self.parts[1])))
        return residues.astype(np.uint8), letters.astype(np.uint8)

    def apart(self, profile: NDArray[np.int16]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """Return two tables whose sums a profile of symbols holds, shapes (m, residues) and (m, letters).

        Parameters
        ----------
        profile : ndarray, shape=(m, symbols), dtype=int16
            Rows of a `TwoTrackMatrix`.
        """
        first, second = self.parts
        sums, unknown = profile.reshape(len(profile), len(first), len(second)), second.code(second.wildcard)
        return sums[:, :, unknown].copy(), sums[:, 0, :] - sums[:, 0, unknown, np.newaxis]

    def encode(self, residues: bytes) -> NDArray[np.uint8]:
        """Turn residues into symbols whose letters are unknown; `encode_record` takes both."""
        first, second = self.parts
        letters = np.full(len(residues), second.code(second.wildcard), dtype=np.uint8)
        return self.join(first.encode(residues), letters)

    def encode_tracks(self, residues: bytes, letters: bytes) -> NDArray[np.uint8]:
        """Turn residues and letters, as many, into symbols."""
        first, second = self.parts
        return self.join(first.encode(residues), second.encode(letters))

    def decode(self, codes: NDArray[np.uint8]) -> bytes:
        """Return the residues of symbols."""
        return self.parts[0].decode(self.split(codes)[0])

    def decode_letters(self, codes: NDArray[np.uint8]) -> bytes:
        """Return the letters of symbols."""
        return self.parts[1].decode(self.split(codes)[1])

    @property
    def alike_codes(self) -> NDArray[np.uint8]:
        """The residue that each symbol counts as, shape (symbols,): pairs of equal residues are identities."""
        first, second = self.parts
        return np.repeat(first.alike_codes[: len(first)], len(second))


_MADE: Final[dict[tuple[str, ...], TwoTracks]] = {}


def two_tracks(residues: Alphabet, letters: Alphabet) -> TwoTracks:
    """Return the alphabet of residues with letters beside them; the same object for the same two."""
    key = residues.name, residues.letters, letters.name, letters.letters
    if key not in _MADE:
        _MADE[key] = _made(residues, letters)
    return _MADE[key]


def _made(residues: Alphabet, letters: Alphabet) -> TwoTracks:
    return TwoTracks(
        f"{residues.name}{TRACKS}{letters.name}",
        residues.letters,
        residues.wildcard,
        residues.expansions,
        {},
        residues.alike,
        residues.case_matters,
        {},
        residues,
        letters,
    )


@dataclass(frozen=True, eq=False)
class TwoTrackMatrix(SubstitutionMatrix):
    """Scores of symbols of two tracks, and the two tables they are the sums of.

    Parameters
    ----------
    parts : tuple of ndarray, dtype=int16
        Scores of residues and of letters, each with its weight in it.
    matrices : tuple of SubstitutionMatrix
        Without it.
    weights : tuple of int
        Of residues and of letters.
    """

    parts: tuple[NDArray[np.int16], ...] = ()
    matrices: tuple[SubstitutionMatrix, ...] = ()
    weights: tuple[int, ...] = (1, 1)

    def __reduce__(self) -> tuple[object, ...]:
        return (two_track_matrix, (*self.matrices, self.weights))

    @property
    def of_residues(self) -> SubstitutionMatrix:
        """That of the residues, without its weight."""
        return self.matrices[0]

    def profiles(self, symbols: NDArray[np.uint8]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """Return the scores of a query against residues and against letters, shapes (m, residues) and (m, letters)."""
        residues, letters = self.split_symbols(symbols)
        return self.parts[0][residues], self.parts[1][letters]

    def split_symbols(self, symbols: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return codes of residues and of letters."""
        assert isinstance(self.alphabet, TwoTracks)
        return self.alphabet.split(symbols)


@lru_cache(maxsize=8)
def two_track_matrix(
    residues: SubstitutionMatrix, letters: SubstitutionMatrix, weights: tuple[int, int]
) -> TwoTrackMatrix:
    """Add two matrices up, each with its weight.

    Raises
    ------
    InvalidParameter
        If a weight is negative or above 1,000, both are 0, or a sum is beyond ±16,000.
    """
    for name, weight in zip(("residues-weight", "letters-weight"), weights, strict=True):
        if not 0 <= weight <= WEIGHT_LIMIT:
            raise InvalidParameter(name, weight, f"The weight {weight} is not between 0 and {WEIGHT_LIMIT:,}.")
    if not any(weights):
        raise InvalidParameter("letters-weight", 0, "Residues and letters have a weight of 0, so nothing would score.")
    wide = [w * m.scores.astype(np.int64) for w, m in zip(weights, (residues, letters), strict=True)]
    if sum(int(np.abs(part).max()) for part in wide) > SCORE_LIMIT:
        raise InvalidParameter(
            "letters-weight",
            weights[1],
            f"With the weights {weights[0]} and {weights[1]} scores are beyond ±{SCORE_LIMIT:,}.",
        )
    parts = tuple(np.ascontiguousarray(part, dtype=np.int16) for part in wide)
    alphabet = two_tracks(residues.alphabet, letters.alphabet)
    sums = parts[0][:, None, :, None] + parts[1][None, :, None, :]
    names = (m.name if w == 1 else f"{w}x{m.name}" for w, m in zip(weights, (residues, letters), strict=True))
    return TwoTrackMatrix(
        TRACKS.join(names),
        alphabet,
        sums.reshape(len(alphabet), len(alphabet)),
        parts,
        (residues, letters),
        weights,
    )


def two_track_scheme(scheme: ScoringScheme, letters: SubstitutionMatrix, beside: Beside) -> ScoringScheme:
    """Return the scheme in which letters stand beside the residues of another one, with the gap costs of both.

    Raises
    ------
    InvalidParameter
        If weights or costs make no sense.
    """
    matrix = two_track_matrix(scheme.matrix, letters, (beside.residues_weight, beside.letters_weight))
    return ScoringScheme.from_blast(matrix, beside.gap_open, beside.gap_extend)


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
        raise SequenceError(f"'{record.id}' has no letters of the alphabet '{alphabet}'.")
    found, wanted = len(record.letters.text), len(record.residues)
    if found != wanted:
        raise SequenceError(
            f"'{record.id}' has {wanted:,} residues and {found:,} letters of the alphabet '{alphabet}'.",
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
    known: dict[str, list[bytes]] = {}
    for record in letters:
        known.setdefault(record.id, []).append(record.residues)
    found = []
    for query in queries:
        if not known.get(query.id):
            raise SequenceError(f"The query '{query.id}' has no letters in {where}.")
        lettered = replace(query, letters=Letters(alphabet, known[query.id].pop(0)))
        letters_beside(lettered, alphabet)  # checks them
        found.append(lettered)
    return tuple(found)


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
