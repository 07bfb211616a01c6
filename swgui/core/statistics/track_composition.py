"""How the compositions of two sequences in two tracks change the scale of their scores.

Letters of structures are far from evenly spread: a protein of helices has other letters than one of strands, and two of
a kind score high by chance. As `swgui.core.statistics.composition` does for residues, lambda is solved for the
compositions of each pair: ``sum over pairs of frequencies * exp(lambda * sum of scores) = 1``. Residues and letters of
a sequence are taken to be independent, so that the sum is a product of two.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.letters.tracks import TwoTrackMatrix, TwoTracks
from swgui.core.statistics.background import background

Floats = NDArray[np.float64]

PSEUDO: Final = 35.0  # positions of background that each composition is given
STEPS: Final = 40  # halvings of the range in which lambda is looked for


class TrackScale:
    """Ratios of lambda for one query.

    Parameters
    ----------
    matrix : TwoTrackMatrix
    query : ndarray, shape=(m,)
        Symbols of both tracks.
    letters : ndarray, shape=(letters,), dtype=float64
        How often letters occur in what is searched.
    """

    def __init__(self, matrix: TwoTrackMatrix, query: NDArray[np.uint8], letters: Floats) -> None:
        assert isinstance(matrix.alphabet, TwoTracks)
        self._alphabet = matrix.alphabet
        self._chance = background(matrix.alphabet.parts[0]), letters
        self._values: list[Floats] = []
        self._shares: list[Floats] = []  # of each symbol of a subject, how often each score occurs, [symbols][scores]
        for part, own in zip(matrix.parts, self._compositions([query]), strict=True):
            low, size = int(part.min()), int(part.max()) - int(part.min()) + 1
            columns = [np.bincount(part[:, b] - low, weights=own[0], minlength=size) for b in range(part.shape[1])]
            self._values.append(np.arange(low, low + size).astype(np.float64))
            self._shares.append(np.stack(columns))
        self.reference = float(self._solved([chance[None, :] for chance in self._chance], 4.0)[0])

    def ratios(self, subjects: Iterable[NDArray[np.uint8]]) -> Floats:
        """Return lambda of the query with each subject over that with the background, at most 1, shape (k,)."""
        if not self.reference:
            return np.ones(len(list(subjects)))
        return np.asarray(self._solved(self._compositions(subjects), self.reference) / self.reference)

    def _compositions(self, sequences: Iterable[NDArray[np.uint8]]) -> list[Floats]:
        """Return the frequencies of residues and of letters, each with a row for every sequence."""
        tracks: tuple[list[Floats], list[Floats]] = ([], [])
        for symbols in sequences:
            for rows, codes, chance in zip(tracks, self._alphabet.split(symbols), self._chance, strict=True):
                counts = np.bincount(codes, minlength=len(chance)) * (chance > 0)
                rows.append((counts + PSEUDO * chance) / (counts.sum() + PSEUDO))
        sizes = [len(chance) for chance in self._chance]
        return [np.array(rows).reshape(-1, size) for rows, size in zip(tracks, sizes, strict=True)]

    def _solved(self, compositions: list[Floats], highest: float) -> Floats:
        """Return lambda for each pair of compositions, up to `highest`; 0 where the mean score is not below 0."""
        spread = [own @ shares for own, shares in zip(compositions, self._shares, strict=True)]
        means = sum(part @ values for part, values in zip(spread, self._values, strict=True))
        low, high = np.zeros(len(spread[0])), np.full(len(spread[0]), highest)

        def total(scale: Floats) -> Floats:
            sums = [
                (part * np.exp(np.minimum(scale[:, None] * values, 300.0))).sum(axis=1)
                for part, values in zip(spread, self._values, strict=True)
            ]
            return np.asarray(sums[0] * sums[1])

        above = total(high) < 1
        for _ in range(STEPS):
            middle = (low + high) / 2
            less = total(middle) < 1
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        found = np.where(above, highest, (low + high) / 2)
        return np.where(means < 0, found, 0.0)
