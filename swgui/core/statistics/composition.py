"""Effect of the compositions of two sequences on the scale of their scores, lambda.

Scores of pairs rich in the same residues are high by chance alone: the scale lambda of such scores is smaller than that
of the background (Karlin and Altschul 1990; scaled for composition as Schaffer et al. 2001, Nucleic Acids Res.
29:2994). In two tracks residues and letters of structures are assumed independent, so that the sum over pairs of
symbols, whose scores add up, is a product of two; letters are far from evenly spread: a protein of helices has other
letters than one of strands. `swgui.core.judging.correction` describes when this applies, and the other corrections.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet, TwoTracks
from swgui.core.plain import replace
from swgui.core.scoring import SubstitutionMatrix, TwoTrackMatrix
from swgui.core.statistics.background import background, matrix_lambda
from swgui.core.statistics.evalue import LN10

if TYPE_CHECKING:
    from swgui.core.stretches import Subjects

Floats = NDArray[np.float64]
Numbers = NDArray[np.integer] | Floats
Shares = tuple[Floats, ...]  # of each track, how often its plain symbols occur

REGION_PSEUDO: Final = 40.0  # residues of background added to an aligned region
TRACKS_PSEUDO: Final = 60.0  # positions in two tracks; found with reversed domains (packaging/measuring/shape.py)
WHOLE_PSEUDO: Final = 100.0  # and to a whole sequence, which may hold domains of any composition
NEARLY_IDENTICAL: Final = 0.8  # share of the highest score there can be, and of the longer length


class CompositionWork(Protocol):
    """Counts and roots that the compiled library, or an engine's device, computes for many subjects at once."""

    def count_symbols(self, subjects: Subjects, symbols: int) -> NDArray[np.int64]:
        """Count the symbols of subjects, shape (k, symbols)."""

    def solve_bases(
        self,
        queries: NDArray[np.float64],
        subjects: NDArray[np.float64],
        groups: Sequence[NDArray[np.int64]],
        values: NDArray[np.int64],
        above: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Solve ``sum p_i q_j base^s_ij = 1`` for base > 1, whose logarithm is lambda.

        The left side is convex, so Newton's steps from above the solution fall to it and never pass it. What becomes
        of a pair depends on no other, to the last bit.

        Parameters
        ----------
        queries, subjects : ndarray, shape=(n, symbols)
            Compositions, those of two tracks concatenated; one row of queries counts for n.
        groups : sequence of ndarray, shape=(symbols, symbols)
            Which of `values` each pair scores; of two tracks, whose scores add up, the sum of both is.
        values : ndarray, shape=(different scores,)
            Ascending.
        above : ndarray, shape=(n,)
            Where the steps begin; returned where the solution is not below.

        Returns
        -------
        ndarray, shape=(n,), dtype=float64
            1 where the mean score is not negative.
        """


def parts_of(alphabet: Alphabet) -> tuple[Alphabet, ...]:
    """Return the alphabets of the tracks."""
    return alphabet.parts if isinstance(alphabet, TwoTracks) else (alphabet,)


def count_residues(subjects: Subjects, alphabet: Alphabet, work: CompositionWork) -> Floats:
    """Count the residues of subjects that the background knows, shape (k, plain symbols of all tracks)."""
    tracks = subjects.tracks(alphabet) if isinstance(alphabet, TwoTracks) else (subjects,)
    counts = [
        work.count_symbols(track, len(part))[:, np.flatnonzero(background(part))]
        for track, part in zip(tracks, parts_of(alphabet), strict=True)
    ]
    return np.hstack(counts).astype(np.float64)


class LambdaScale(msgspec.Struct, frozen=True, eq=False):
    """The lambdas of compositions with one matrix, over a lambda that counts as usual."""

    matrix: SubstitutionMatrix  # any; need not be symmetric
    # Lambda of E before the correction; 0 if there is none, and then no ratio is below 1.
    usual: float
    # of_queries, of_subjects: how often plain symbols occur by chance on either side, track by track
    of_queries: Shares
    of_subjects: Shares
    # Of pairs of plain symbols, ascending; in two tracks all sums from the lowest to the highest, shape (different
    # scores,)
    values: NDArray[np.int64]
    # Index of each pair in `values`; in two tracks scores less the lowest of the track, shape (plain symbols, plain
    # symbols)
    groups: tuple[NDArray[np.int64], ...]

    @classmethod
    def of_background(cls, matrix: SubstitutionMatrix, letters: Floats | None = None) -> LambdaScale:
        """Return the scale for published statistics: usual are two sequences of the background's composition.

        Parameters
        ----------
        letters : ndarray, shape=(letters,), optional
            Frequencies of the letters of a second track in the searched database; by default those of the alphabet.
        """
        return _of_background(matrix, b"" if letters is None else letters.tobytes())

    def of_each(self, queries: Subjects, work: CompositionWork) -> list[LambdaScale]:
        """Return this scale of the background for statistics that were fitted to the own scores of each query.

        The usual case is the query with the background: such a fit already includes the effect of the query's
        composition on the scores of unrelated subjects.
        """
        if not self.usual:
            return [self] * len(queries)
        own = _mixed(count_residues(queries, self.matrix.alphabet, work), WHOLE_PSEUDO, self.of_queries)
        chance = np.broadcast_to(np.concatenate(self.of_subjects), own.shape)
        # Every query has one: data computed from the matrix stay the same.
        each = self.lambdas(own, chance, work).tolist()
        return [replace(self, usual=usual) if usual > 0 else self for usual in each]

    @property
    def region_pseudo(self) -> float:
        """Residues of background added to an aligned region."""
        return TRACKS_PSEUDO if len(self.groups) > 1 else REGION_PSEUDO

    def lambdas(
        self, queries: Floats, subjects: Floats, work: CompositionWork, usual: Floats | float | None = None
    ) -> Floats:
        """Solve ``sum p_i q_j exp(lambda s_ij) = 1`` for every pair of compositions at once.

        Parameters
        ----------
        queries, subjects : ndarray, shape=(n, plain symbols); one row of queries stands for n
        usual : ndarray, shape=(n,), optional
            What is usual for each pair, in place of `LambdaScale.usual`.

        Returns
        -------
        ndarray, shape=(n,), dtype=float64
            At most the usual lambda; 0 where the mean score is not negative: scores then grow without end.
        """
        most = np.broadcast_to(self.usual if usual is None else usual, len(subjects))
        above = np.exp(most)
        bases = work.solve_bases(queries, subjects, self.groups, self.values, above)
        return np.where(bases == above, most, np.log(bases))

    def ratios(
        self, queries: Floats, subjects: Floats, pseudo: float, work: CompositionWork, usual: Floats | None = None
    ) -> Floats:
        """Return lambda over the usual one for pairs of residue counts, from 0 to 1; shape (n,).

        Parameters
        ----------
        queries, subjects : ndarray, shape=(n, plain symbols); one row of queries stands for n
        pseudo : float
            Residues of background added to each.
        usual : ndarray, shape=(n,), optional
            As for `lambdas`.
        """
        if not self.usual or not len(subjects):
            return np.ones(len(subjects))
        mixed = _mixed(queries, pseudo, self.of_queries), _mixed(subjects, pseudo, self.of_subjects)
        return self.lambdas(*mixed, work, usual) / (self.usual if usual is None else usual)


def scales_of_one_kind(scales: Sequence[LambdaScale]) -> list[tuple[LambdaScale, list[int], Floats]]:
    """Return a scale for those that differ at most in their usual lambda, their places, and the usual lambda of all.

    Fitted statistics have a scale for each query; compositions of all of them are solved for in one call.
    """
    usual, groups = np.array([scale.usual for scale in scales]), dict[tuple[int, ...], list[int]]()
    different = {id(scale): scale for scale in scales}
    kinds = {
        number: (id(scale.matrix), id(scale.of_queries), id(scale.of_subjects), int(scale.usual > 0))
        for number, scale in different.items()
    }
    for place, scale in enumerate(scales):
        groups.setdefault(kinds[id(scale)], []).append(place)
    return [(scales[places[0]], places, usual) for places in groups.values()]


def _mixed(counts: Floats, pseudo: float, chance: Shares) -> Floats:
    """Return frequencies from counts, shape (n, plain symbols), with `pseudo` residues of background in each track."""
    mixed, begin = np.empty_like(counts), 0
    for shares in chance:
        some = slice(begin, begin + len(shares))
        part = counts[:, some]
        mixed[:, some] = (part + pseudo * shares) / (part.sum(axis=1, keepdims=True) + pseudo)
        begin = some.stop
    return mixed


@lru_cache(maxsize=8)
def _of_background(matrix: SubstitutionMatrix, letters: bytes) -> LambdaScale:
    chance = [background(part) for part in parts_of(matrix.alphabet)]
    if letters and len(chance) > 1 and (some := np.where(chance[-1] > 0, np.frombuffer(letters), 0.0)).any():
        chance[-1] = some / some.sum()
    plain = [np.flatnonzero(background(part)) for part in parts_of(matrix.alphabet)]
    if isinstance(matrix, TwoTrackMatrix):
        wide = [part.astype(np.int64) for part in matrix.parts]
        values = np.arange(sum(int(part.min()) for part in wide), sum(int(part.max()) for part in wide) + 1)
        groups = [(part - part.min())[np.ix_(few, few)] for part, few in zip(wide, plain, strict=True)]
    else:
        values, group = np.unique(matrix.scores[np.ix_(plain[0], plain[0])], return_inverse=True)
        groups = [group.reshape(len(plain[0]), -1).astype(np.int64)]
    shares = tuple(of_part[few] for of_part, few in zip(chance, plain, strict=True))
    usual = matrix_lambda(matrix, chance) or 0.0
    return LambdaScale(matrix, usual, shares, shares, values.astype(np.int64), tuple(map(np.ascontiguousarray, groups)))


def loss(scale: Floats | float, scores: Numbers, ratios: Floats) -> Floats:
    """Return by how much the decadic logarithm of E grows when its scale is multiplied by a ratio.

    E falls as ``exp(-scale * score)``, published or fitted; its factor stays the same.

    Parameters
    ----------
    scale : ndarray, shape=(n,), or float
        Lambda of the statistics E was computed with.
    scores, ratios : ndarray, shape=(n,)
    """
    grown: Floats = scale * np.asarray(scores, dtype=np.float64) * (1.0 - ratios) / LN10
    return grown


def bits_after(bits: Floats, grown: Floats) -> Floats:
    """Return the bits that belong to E when its decadic logarithm has grown: E halves with every bit; shape (k,)."""
    return np.asarray(bits - grown / np.log10(2.0))


def nearly_identical(
    scores: Numbers, bounds: Numbers | int, queries: Numbers | int, subjects: Numbers | int
) -> NDArray[np.bool_]:
    """Return a mask of whole sequences that are nearly the same: nearly equal lengths, and nearly the highest score.

    Parameters
    ----------
    scores : ndarray, shape=(n,)
    bounds : ndarray, shape=(n,), or int
        What no subject can exceed against the query.
    queries, subjects : ndarray, shape=(n,), or int
        Lengths in residues.
    """
    alike = np.minimum(queries, subjects) >= NEARLY_IDENTICAL * np.maximum(queries, subjects)
    same: NDArray[np.bool_] = alike & (scores > 0) & (scores >= NEARLY_IDENTICAL * bounds)
    return same
