"""Substitution matrices, gap costs and the profile of a query.

**The gap formula of this program**, written here and nowhere else: a gap of length k costs
``gap_first + (k - 1) * gap_extend``. Users type the BLAST rule, in which "11/1" means ``11 + k * 1``, so
``gap_first = gap_open + gap_extend`` (`ScoringScheme.from_blast`). Libraries that count
``open + (k - 1) * extend`` are given ``(gap_first, gap_extend)`` as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from functools import lru_cache
from itertools import product

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TRACKS, Alphabet, TwoTracks, two_tracks
from swgui.core.errors import AlphabetMismatch, InvalidParameter, MatrixError
from swgui.core.score_profile import PositionGaps

SCORE_LIMIT = 16_000  # largest |matrix value|: a profile is int16, with room for the gap costs
GAP_LIMIT = 1_000_000
WEIGHT_LIMIT = 1_000


class SubstitutionMatrix(msgspec.Struct, frozen=True, eq=False):
    """Scores of every pair of symbols; rows are query symbols, columns subject symbols."""

    name: str  # as shown to the user and written to results
    alphabet: Alphabet
    # ``scores[query_code, subject_code]``; need not be symmetric, shape (symbols, symbols).
    scores: NDArray[np.int16]

    def __post_init__(self) -> None:
        symbols = len(self.alphabet)
        if self.scores.shape != (symbols, symbols):
            raise MatrixError(f"Matrix '{self.name}' has shape {self.scores.shape}, not {(symbols, symbols)}.")
        _check_range(self.name, self.scores)
        scores = np.ascontiguousarray(self.scores, dtype=np.int16)
        scores.setflags(write=False)
        msgspec.structs.force_setattr(self, "scores", scores)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SubstitutionMatrix)
            and self.name == other.name
            and self.alphabet.name == other.alphabet.name
            and bool(np.array_equal(self.scores, other.scores))
        )

    def __hash__(self) -> int:
        return hash((self.name, self.alphabet.name))  # of two tracks the scores are megabytes, and asked for by query

    @property
    def of_residues(self) -> SubstitutionMatrix:
        """Matrix of the residues alone if letters of a second track accompany them; itself otherwise."""
        return self

    def score(self, query_symbol: str, subject_symbol: str) -> int:
        """Return the score of one pair of symbols."""
        return int(self.scores[self.alphabet.code(query_symbol), self.alphabet.code(subject_symbol)])


def build_matrix(name: str, alphabet: Alphabet, pairs: Mapping[tuple[str, str], int]) -> SubstitutionMatrix:
    """Build a matrix from the pairs a file gives; the alphabet's other symbols are derived.

    A symbol that the file lacks scores as the mean over the symbols it means, rounded down (J as I and L, U as C, N as
    the four bases). ``*`` against a symbol scores the lowest value of the file and ``*`` against itself 1, as in NCBI's
    files.

    Parameters
    ----------
    pairs : Mapping[tuple[str, str], int]
        Score of (query symbol, subject symbol), upper case.

    Raises
    ------
    MatrixError
        If a plain symbol of the alphabet is missing or a value is beyond ±16,000.
    """
    if not pairs:
        raise MatrixError(f"Matrix '{name}' has no scores.")
    lowest = min(pairs.values())
    symbols = {symbol for symbol, _ in pairs}
    spelled = {symbol: _spelled_out(alphabet, symbol, symbols) for symbol in alphabet.letters}
    wide = np.zeros((len(alphabet), len(alphabet)), dtype=np.int64)
    for (i, q), (j, s) in product(enumerate(alphabet.letters), repeat=2):
        wide[i, j] = _pair_score(name, alphabet, pairs, lowest, (q, s), spelled)
    _check_range(name, wide)
    return SubstitutionMatrix(name, alphabet, wide.astype(np.int16))


def _check_range(name: str, scores: NDArray[np.int16] | NDArray[np.int64]) -> None:
    if np.abs(scores.astype(np.int64)).max() > SCORE_LIMIT:
        raise MatrixError(f"Matrix '{name}' has a value beyond ±{SCORE_LIMIT}.")


def _pair_score(
    name: str,
    alphabet: Alphabet,
    pairs: Mapping[tuple[str, str], int],
    lowest: int,
    pair: tuple[str, str],
    spelled: Mapping[str, str],
) -> int:
    if pair in pairs:
        return pairs[pair]
    q, s = pair
    if "*" in pair:
        return 1 if q == s else lowest
    try:
        values = [pairs[a, b] for a in spelled[q] for b in spelled[s]]
    except KeyError as missing:
        a, b = missing.args[0]
        raise MatrixError(
            f"Matrix '{name}' has no score for {a} against {b}.",
            hint=f"A {alphabet.name} matrix needs all plain residues.",
        ) from None
    return sum(values) // len(values)


def _spelled_out(alphabet: Alphabet, symbol: str, symbols: Set[str]) -> str:
    """Return the symbols of the file that `symbol` means; itself if the file has no better ones."""
    if symbol in symbols or symbol not in alphabet.expansions:
        return symbol
    return "".join(_spelled_out(alphabet, part, symbols) for part in alphabet.expansions[symbol])


def match_mismatch(alphabet: Alphabet, match: int, mismatch: int) -> SubstitutionMatrix:
    """Build the matrix of a match/mismatch scheme, for example +2/-3.

    An ambiguous symbol scores as the mean over its meanings, rounded down.

    Raises
    ------
    InvalidParameter
        If `match` is not positive, `mismatch` is not negative, or either is beyond ±16,000.
    """
    for name, value in (("match", match), ("mismatch", mismatch)):
        if abs(value) > SCORE_LIMIT:
            raise InvalidParameter(name, value, f"The {name} score {value} is beyond ±{SCORE_LIMIT:,}.")
    if match <= 0:
        raise InvalidParameter("match", match, f"The match score is {match}, it must be above zero.")
    if mismatch >= 0:
        raise InvalidParameter("mismatch", mismatch, f"The mismatch score is {mismatch}, it must be below zero.")
    plain = [c for c in alphabet.letters if c not in alphabet.expansions]
    pairs = {(a, b): match if a == b else mismatch for a, b in product(plain, repeat=2)}
    return build_matrix(f"+{match}/{mismatch}", alphabet, pairs)


class ScoringScheme(msgspec.Struct, frozen=True):
    """A substitution matrix and affine gap costs: all that decides a score.

    Raises
    ------
    InvalidParameter
        If a cost is negative or above 1,000,000, or an extension costs more than the first residue.
    """

    matrix: SubstitutionMatrix
    gap_first: int  # cost of the first residue of a gap (0 or more); with the BLAST rule, gap open plus gap extend
    gap_extend: int  # cost of every other residue of the gap, 0 to `gap_first`; the same by either rule

    def __post_init__(self) -> None:
        for name, value in (("gap_first", self.gap_first), ("gap_extend", self.gap_extend)):
            if not 0 <= value <= GAP_LIMIT:
                raise InvalidParameter(name, value, f"A gap cost of {value} is not between 0 and {GAP_LIMIT}.")
        if self.gap_extend > self.gap_first:
            raise InvalidParameter(
                "gap_extend",
                self.gap_extend,
                f"Extending a gap ({self.gap_extend} per residue) must not cost more than opening ({self.gap_first}).",
                hint="With the BLAST rule every extension is allowed: 11/1 means a first residue of 12.",
            )

    @classmethod
    def from_blast(cls, matrix: SubstitutionMatrix, gap_open: int, gap_extend: int) -> ScoringScheme:
        """Make a scheme from costs by the BLAST rule: a gap of length k costs ``open + k * extend``."""
        for name, value in (("gap open", gap_open), ("gap extend", gap_extend)):
            if value < 0:
                raise InvalidParameter(name, value, f"The {name} cost is {value}; costs are typed as positive numbers.")
        return cls(matrix, gap_open + gap_extend, gap_extend)

    @property
    def alphabet(self) -> Alphabet:
        """The alphabet of the matrix."""
        return self.matrix.alphabet

    @property
    def tracks(self) -> TwoTracks | None:
        """The alphabet if it has letters of a second track; None otherwise."""
        alphabet = self.matrix.alphabet
        return alphabet if isinstance(alphabet, TwoTracks) else None

    @property
    def gap_open(self) -> int:
        """Gap opening by the BLAST rule."""
        return self.gap_first - self.gap_extend

    def gap_cost(self, length: int) -> int:
        """Cost of one gap of `length` residues (0 for none)."""
        return self.gap_first + (length - 1) * self.gap_extend if length > 0 else 0

    def describe(self) -> str:
        """Matrix and gap costs as users write them, for example ``BLOSUM62, gap 11/1 (BLAST rule)``."""
        return f"{self.matrix.name}, gap {self.gap_open}/{self.gap_extend} (BLAST rule)"


class TrackSettings(msgspec.Struct, frozen=True):
    """Defaults for letters next to residues: a cell scores ``residues x r + letters x l``."""

    # residues_weight, letters_weight: factors of the scores of either matrix
    residues_weight: int = 1
    letters_weight: int = 2
    # gap_open, gap_extend: gap costs by the BLAST rule
    gap_open: int = 11
    gap_extend: int = 1


class AlphabetRecord(msgspec.Struct, frozen=True):
    """An alphabet with all that its file says of it."""

    alphabet: Alphabet
    matrix: SubstitutionMatrix  # of the same name
    title: str = ""  # for lists and the manual
    # gap_open, gap_extend: defaults for a search by the letters alone, by the BLAST rule
    gap_open: int = 11
    gap_extend: int = 1
    beside: TrackSettings = msgspec.field(default_factory=TrackSettings)
    colours: Mapping[str, str] = msgspec.field(default_factory=dict)  # ``#rrggbb`` of letters; those it lacks have none

    @property
    def name(self) -> str:
        """Name of the alphabet, and of its matrix."""
        return self.alphabet.name


class TwoTrackMatrix(SubstitutionMatrix, frozen=True):
    """Scores of symbols of two tracks, and the two tables they are the sums of."""

    parts: tuple[NDArray[np.int16], ...] = ()  # scores of residues and of letters, each with its weight in it
    matrices: tuple[SubstitutionMatrix, ...] = ()  # without it
    weights: tuple[int, ...] = (1, 1)  # of residues and of letters

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


def two_track_scheme(scheme: ScoringScheme, letters: SubstitutionMatrix, beside: TrackSettings) -> ScoringScheme:
    """Return the scheme of the residues of another one with letters of a second track, with the gap costs of both.

    Raises
    ------
    InvalidParameter
        If weights or costs make no sense.
    """
    matrix = two_track_matrix(scheme.matrix, letters, (beside.residues_weight, beside.letters_weight))
    return ScoringScheme.from_blast(matrix, beside.gap_open, beside.gap_extend)


def profile_bound(profile: NDArray[np.int16]) -> int:
    """Return a score that no subject can exceed.

    Parameters
    ----------
    profile : ndarray, shape=(m, letters), dtype=int16
    """
    if not profile.size:
        return 0
    return int(np.maximum(profile.max(axis=1), 0).sum(dtype=np.int64))


class EncodedQuery(msgspec.Struct, frozen=True, eq=False):
    """One query as engines see it."""

    id: str
    codes: NDArray[np.uint8]  # shape (m,)
    # Position-specific scores; without one, rows of the matrix are used, shape (m, symbols).
    profile: NDArray[np.int16] | None = None
    strand: int = 1  # -1 if `codes` are the reverse complement of the user's query, one of 1, -1
    # Gap costs by position; without them, those of the scheme are used.
    gaps: PositionGaps | None = None

    def __post_init__(self) -> None:
        if self.profile is not None and self.profile.shape[0] != self.codes.size:
            raise InvalidParameter(
                "profile",
                self.profile.shape,
                f"The profile of '{self.id}' has {self.profile.shape[0]} rows for {self.codes.size} residues.",
            )
        if self.gaps is not None and len(self.gaps) != self.codes.size:
            raise InvalidParameter(
                "gaps",
                len(self.gaps),
                f"'{self.id}' has gap costs for {len(self.gaps)} positions and {self.codes.size} residues.",
            )

    def __len__(self) -> int:
        return int(self.codes.size)

    def scores(self, scheme: ScoringScheme) -> NDArray[np.int16]:
        """Return the profile: score of each position against each symbol.

        Returns
        -------
        ndarray, shape=(m, symbols), dtype=int16
        """
        if self.profile is not None:
            return self.profile
        return scheme.matrix.scores.take(self.codes, axis=0)  # which lets other threads work meanwhile

    def bound(self, scheme: ScoringScheme) -> int:
        """Return a score that no subject can exceed: the highest scores of its positions together."""
        if self.profile is not None:
            return profile_bound(self.profile)
        return int(_highest(scheme.matrix)[self.codes].sum(dtype=np.int64))

    def gap_costs(self, scheme: ScoringScheme) -> PositionGaps:
        """Return the gap costs of each position."""
        if self.gaps is not None:
            return self.gaps
        return PositionGaps.constant(len(self), scheme.gap_first, scheme.gap_extend)

    def part(self, positions: slice) -> EncodedQuery:
        """Return some of the positions as a query of their own."""
        profile = None if self.profile is None else np.ascontiguousarray(self.profile[positions])
        gaps = None if self.gaps is None else self.gaps.take(positions)
        codes = np.ascontiguousarray(self.codes[positions])
        return EncodedQuery(self.id, codes, profile, self.strand, gaps)


def bounds(queries: Sequence[EncodedQuery], scheme: ScoringScheme) -> NDArray[np.int64]:
    """Return `EncodedQuery.bound` of each of some queries, shape (k,): in one go where none has a profile."""
    if any(query.profile is not None for query in queries):
        return np.array([query.bound(scheme) for query in queries], dtype=np.int64)
    codes = np.concatenate([np.zeros(0, dtype=np.uint8), *(query.codes for query in queries)])
    sums = np.concatenate([[0], np.cumsum(_highest(scheme.matrix)[codes], dtype=np.int64)])
    return np.asarray(np.diff(sums[np.cumsum([0, *[query.codes.size for query in queries]])]))


@lru_cache(maxsize=8)
def _highest(matrix: SubstitutionMatrix) -> NDArray[np.int16]:
    """Return the highest score of each query symbol, at least 0, shape (symbols,)."""
    return np.asarray(np.maximum(matrix.scores.max(axis=1), 0))


def require_plain_gaps(query: EncodedQuery, what: str) -> None:
    """Raise `InvalidParameter` if a query has gap costs by position, which `what` does not support."""
    if query.gaps is not None:
        raise InvalidParameter(
            "gaps",
            query.id,
            f"'{query.id}' has gap costs by position, which {what} cannot use.",
            hint="Search a database with it.",
        )


def check_same_alphabet(expected: Alphabet, actual: Alphabet, what: str) -> None:
    """Raise `AlphabetMismatch` unless both are the same alphabet."""
    if expected.name != actual.name:
        raise AlphabetMismatch(expected.name, actual.name, what)


def check_strand(strand: str, alphabet: Alphabet) -> None:
    """Raise `InvalidParameter` unless sequences of the alphabet have the strand: proteins have none but plus."""
    if strand != "plus" and not alphabet.complements:
        raise InvalidParameter("strand", strand, "Proteins have one strand.", hint="Choose strand plus.")
