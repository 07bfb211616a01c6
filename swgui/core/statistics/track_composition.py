"""How the compositions of two sequences in two tracks change the scale of their scores.

Letters of structures are far from evenly spread: a protein of helices has other letters than one of strands, and two of
a kind score high by chance. As `swgui.core.statistics.composition` does for residues, lambda is solved for the
compositions of each pair: ``sum over pairs of frequencies * exp(lambda * sum of scores) = 1``. Residues and letters of
a sequence are taken to be independent, so that the sum is a product of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.letters.tracks import TwoTrackMatrix
from swgui.core.statistics.background import background, lambda_of_scores
from swgui.core.statistics.composition import WHOLE_PSEUDO, Floats, bases_of, weights_of

Solver = Callable[["TrackScale", Floats, Floats, Floats], Floats]


@dataclass(frozen=True, slots=True, eq=False)
class TrackScale:
    """The lambdas of compositions in two tracks, over a lambda that counts as usual; as `LambdaScale` for one.

    Parameters
    ----------
    matrix : TwoTrackMatrix
    letters : ndarray, shape=(letters,), dtype=float64
        How often letters occur by chance.
    usual : float
        Lambda of what E was computed for without a correction; 0 if there is none, and then no ratio is below 1.

    Attributes
    ----------
    region_pseudo : float
        Positions of background added to an aligned region. With 60 of them reversed domains of SCOP have E up to 1 as
        often as E says (`packaging/measuring/shape.py`).
    values : ndarray, shape=(different scores,), dtype=int64
        All sums from the lowest to the highest.
    groups : tuple of ndarray, dtype=int64
        Scores of residues and of letters, less the lowest of each.
    """

    region_pseudo: ClassVar[float] = 60.0

    matrix: TwoTrackMatrix
    letters: Floats
    usual: float = 0.0
    values: NDArray[np.int64] = field(init=False, repr=False)
    groups: tuple[NDArray[np.int64], ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        wide = [part.astype(np.int64) for part in self.matrix.parts]
        ends = [sum(int(part.min()) for part in wide), sum(int(part.max()) for part in wide)]
        object.__setattr__(self, "values", np.arange(ends[0], ends[1] + 1))
        object.__setattr__(self, "groups", tuple(np.ascontiguousarray(part - part.min()) for part in wide))

    @classmethod
    def of_background(cls, matrix: TwoTrackMatrix, letters: Floats | None = None) -> TrackScale:
        """Return the scale for parameters of random sequences: usual are two of the background's composition."""
        return _of_background(matrix, _shares(matrix, letters).tobytes())

    @classmethod
    def of_query(
        cls, matrix: TwoTrackMatrix, counts: Floats, letters: Floats | None = None, solve: Solver | None = None
    ) -> TrackScale:
        """Return the scale for statistics fitted to a query's own scores: usual is the query with the background.

        Parameters
        ----------
        counts : ndarray, shape=(1, residues + letters)
            Of the query.
        letters : ndarray, shape=(letters,), optional
            How often letters occur in what is searched; without it as the alphabet says.
        solve : callable
            `solve_track_bases`, or what does the same.
        """
        plain = cls.of_background(matrix, letters)
        own, chance = plain.compositions(counts, WHOLE_PSEUDO), plain.compositions(0 * counts, 1.0)
        usual = float(plain.lambdas(own, chance, plain.usual, solve)[0])
        return cls(matrix, plain.letters, usual) if usual > 0 else plain

    def compositions(self, counts: Floats, pseudo: float) -> Floats:
        """Return frequencies from counts, shape (n, residues + letters), with `pseudo` of background."""
        mixed, begin = np.zeros_like(counts), 0
        for chance in (background(self.matrix.matrices[0].alphabet), self.letters):
            some = slice(begin, begin + len(chance))
            known = counts[:, some] * (chance > 0)
            mixed[:, some] = (known + pseudo * chance) / (known.sum(axis=1, keepdims=True) + pseudo)
            begin = some.stop
        return mixed

    def lambdas(self, queries: Floats, subjects: Floats, ceiling: float, solve: Solver | None = None) -> Floats:
        """Solve ``sum p_i q_j exp(lambda s_ij) = 1`` for every pair of compositions, shape (n,).

        Parameters
        ----------
        queries, subjects : ndarray, shape=(n, residues + letters); one row of queries stands for n
        ceiling : float
            Lambdas above it are given as it.
        solve : callable
            `solve_track_bases`, or what does the same.
        """
        above = np.full(len(subjects), np.exp(ceiling))
        bases = (solve or solve_track_bases)(self, queries, subjects, above)
        found: Floats = np.log(bases)
        return np.where(bases == above, ceiling, found)

    def ratios(self, queries: Floats, subjects: Floats, pseudo: float, solve: Solver | None = None) -> Floats:
        """Return lambda over the usual one for pairs of counts, from 0 to 1; as `LambdaScale.ratios`."""
        if not self.usual or not len(subjects):
            return np.ones(len(subjects))
        mixed = [self.compositions(counts, pseudo) for counts in (queries, subjects)]
        return self.lambdas(mixed[0], mixed[1], self.usual, solve) / self.usual


@lru_cache(maxsize=8)
def _of_background(matrix: TwoTrackMatrix, letters: bytes) -> TrackScale:
    plain = TrackScale(matrix, np.frombuffer(letters))
    chance = plain.compositions(np.zeros((1, sum(map(len, matrix.parts)))), 1.0)
    usual = lambda_of_scores(score_weights(plain, chance, chance)[:, 0], plain.values.astype(np.float64))
    return TrackScale(matrix, plain.letters, usual or 0.0)


def solve_track_bases(scale: TrackScale, queries: Floats, subjects: Floats, above: Floats) -> Floats:
    """Do as `solve_bases` in two tracks; the same to the last bit as in ``kernels/cpu/composition.c``."""
    return bases_of(scale.values, score_weights(scale, queries, subjects), above)


def score_weights(scale: TrackScale, queries: Floats, subjects: Floats) -> Floats:
    """Return how often each sum of scores occurs, shape (different scores, n)."""
    weights, begin = [], 0
    for groups in scale.groups:
        some = slice(begin, begin + len(groups))
        weights.append(weights_of(queries[:, some], subjects[:, some], groups, int(groups.max()) + 1))
        begin = some.stop
    sums = np.zeros((len(scale.values), len(subjects)))
    for at, weight in enumerate(weights[0]):
        for beside, other in enumerate(weights[1], at):
            sums[beside] += weight * other
    return sums


def _shares(matrix: TwoTrackMatrix, letters: Floats | None) -> Floats:
    """Return how often letters occur by chance, those that are unknown left out."""
    known = background(matrix.matrices[1].alphabet)
    if letters is None or not (letters * (known > 0)).any():
        return known
    some = np.where(known > 0, letters, 0.0)
    return np.asarray(some / some.sum())
