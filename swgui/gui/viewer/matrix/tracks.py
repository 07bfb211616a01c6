"""A pair of two tracks seen by one of them: residues alone, letters alone, or both. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from swgui.core.letters.tracks import TwoTrackMatrix
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix

Track: TypeAlias = Literal["both", "residues", "letters"]
BOTH: Final[Track] = "both"
_PARTS: Final[dict[Track, int]] = {"residues": 0, "letters": 1}


def track_matrix(scheme: ScoringScheme, track: Track) -> SubstitutionMatrix:
    """Return what a track is scored with: that of the scheme for both, and where there is one track."""
    matrix = scheme.matrix
    return matrix.matrices[_PARTS[track]] if isinstance(matrix, TwoTrackMatrix) and track in _PARTS else matrix


def of_track(codes: NDArray[np.uint8], scheme: ScoringScheme, track: Track) -> NDArray[np.uint8]:
    """Return the codes of one track of symbols; the symbols themselves for both, and where there is one track."""
    matrix = scheme.matrix
    if not isinstance(matrix, TwoTrackMatrix) or track not in _PARTS:
        return codes
    return matrix.split_symbols(codes)[_PARTS[track]]


def seen_by(
    query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme, track: Track
) -> tuple[EncodedQuery, NDArray[np.uint8], ScoringScheme]:
    """Return query, codes of the subject and scheme of one track, without the weights of two.

    Parameters
    ----------
    query : EncodedQuery
    subject : ndarray, shape=(n,)
    scheme : ScoringScheme
    track : {"both", "residues", "letters"}
    """
    matrix = track_matrix(scheme, track)
    if matrix is scheme.matrix:
        return query, subject, scheme
    alone = replace(query, codes=of_track(query.codes, scheme, track), profile=None, gaps=None)
    return alone, of_track(subject, scheme, track), replace(scheme, matrix=matrix)
