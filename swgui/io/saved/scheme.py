"""The scoring of a run as a record in its files: matrices with all their values, and gap costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from swgui.core.alphabet import ALPHABETS
from swgui.core.plain import Count
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix, TwoTrackMatrix, two_track_matrix


@dataclass(frozen=True, slots=True)
class TrackFacts:
    """The matrix of one of two tracks and its weight."""

    alphabet: str
    letters: str
    matrix: str
    scores: list[list[int]]
    weight: Count

    @classmethod
    def of(cls, matrix: SubstitutionMatrix, weight: int) -> TrackFacts:
        """Return the record of a matrix."""
        return cls(matrix.alphabet.name, matrix.alphabet.letters, matrix.name, matrix.scores.tolist(), weight)

    def substitution_matrix(self) -> SubstitutionMatrix:
        """Make the matrix again; `ValueError` or `KeyError` if that is not one."""
        alphabet = ALPHABETS[self.alphabet]
        if self.letters != alphabet.letters:
            raise ValueError("letters")
        scores = np.array(self.scores, dtype=np.int64)
        if scores.size and np.abs(scores).max() > np.iinfo(np.int16).max:
            raise ValueError("scores")
        return SubstitutionMatrix(self.matrix, alphabet, scores.astype(np.int16))


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemeFacts:
    """Substitution matrix (all its values) and gap costs, with the gap rule in words; of two tracks both matrices."""

    description: str = ""
    alphabet: str
    letters: str
    matrix: str
    scores: list[list[int]]
    first: Count
    further: Count
    gap_rule: str = "a gap of length k costs first + (k - 1) * further"
    tracks: tuple[TrackFacts, ...] = ()

    @classmethod
    def of(cls, scheme: ScoringScheme) -> SchemeFacts:
        """Return the record of a scheme."""
        matrix = scheme.matrix
        both = isinstance(matrix, TwoTrackMatrix)
        return cls(
            description=scheme.describe(),
            alphabet=scheme.alphabet.name,
            letters=scheme.alphabet.letters,
            matrix=scheme.matrix.name,
            scores=[] if both else matrix.scores.tolist(),
            tracks=tuple(map(TrackFacts.of, matrix.matrices, matrix.weights))
            if isinstance(matrix, TwoTrackMatrix)
            else (),
            first=scheme.gap_first,
            further=scheme.gap_extend,
        )

    def scheme(self) -> ScoringScheme:
        """Make the scheme again; `ValueError` or `KeyError` if that is not one."""
        if self.tracks:
            residues, letters = self.tracks
            parts = residues.substitution_matrix(), letters.substitution_matrix()
            both = two_track_matrix(*parts, (residues.weight, letters.weight))
            return ScoringScheme(both, self.first, self.further)
        matrix = TrackFacts(self.alphabet, self.letters, self.matrix, self.scores, 1).substitution_matrix()
        return ScoringScheme(matrix, self.first, self.further)
