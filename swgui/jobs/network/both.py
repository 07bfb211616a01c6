"""The law of pairs that are scored in both directions: by the profile of each sequence's contexts with the other.

E of each direction is fitted to the scores of that profile with decoys; E of a pair follows from both
(`swgui.core.judging.directions`). Both scores of every pair decide: in a pair within the limit at least one direction
has half of the sum of z that the limit demands, so the profiles of all sequences go through all others, the pairs that
reach this half are collected, and the other direction of these is scored then.
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check, checking
from swgui.core.database import ArrayDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.scores import ChunkScores
from swgui.core.judging.directions import LOWEST, TINY, Chance, least_sum, of_sum
from swgui.core.network.edges import Edges
from swgui.core.statistics.fit import MIN_LENGTH
from swgui.core.statistics.regression import FitError
from swgui.core.stretches import Subjects
from swgui.engines.base import Engine
from swgui.engines.traceback.many import align_each
from swgui.io.saved.log import Arrays
from swgui.jobs.events import Stage
from swgui.jobs.network.aligning import Candidates, turned
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.limit import Scored, Sets
from swgui.jobs.search.decoys import BATCH, DECOYS, DecoyFits, decoys_of, members_of

FITTING: Final = "Fitting E of each sequence"
PAIRS: Final = 1 << 12  # whose other direction is scored together

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]


class Fits(msgspec.Struct, frozen=True, eq=False):
    """E of the profiles of one set: the mean score is ``rho ln(length) + mu``; shape (n,) each."""

    rho: _Floats
    mu: _Floats
    deviation: _Floats

    def least(self, rows: _Ints | int, logarithms: _Floats, z: float) -> _Floats:
        """Return the scores of some profiles that have a z with subjects of some logarithms of lengths."""
        if not np.isfinite(z):
            return np.full(np.shape(logarithms), z)
        return self.rho[rows] * logarithms + (self.mu[rows] + self.deviation[rows] * z)

    def z(self, rows: _Ints, scores: NDArray[np.integer], logarithms: _Floats) -> _Floats:
        """Return the standard deviations above chance of scores of some profiles, at least `LOWEST`."""
        mean = self.rho[rows] * logarithms + self.mu[rows]
        return np.maximum((scores - mean) / self.deviation[rows], LOWEST)


def both_directions_of(
    asked: AllAgainstAll, engine: Engine, cancel: threading.Event
) -> Generator[Stage, None, BothDirections]:
    """Fit E of every sequence to decoys of the second set; returns the law that follows.

    Raises
    ------
    InvalidParameter
        If no E can be fitted to the scores of any sequence of a set.
    Stopped
        If `cancel` is set.
    """
    check = checking(cancel)
    fitting, decoys = DecoyFits(engine, asked.scoring.scheme, cancel, check), decoys_of(asked.subjects, DECOYS)
    sets = (asked.subjects,) if asked.one_set else (asked.queries, asked.subjects)
    total, done, found = sum(map(len, sets)), 0, list[Fits]()
    for database in sets:
        values = np.full((3, len(database)), np.nan)
        for begin in range(0, len(database), BATCH):
            yield Stage(FITTING, done + begin, total)
            rows = database.order[begin : begin + BATCH].tolist()
            values[:, rows] = _fitted(fitting, asked, database, rows, decoys)
        if not np.isfinite(values[1]).any():
            raise InvalidParameter(
                "context",
                asked.context,
                f"No E can be fitted to the context scores of any sequence of '{database.name}'.",
                hint="Leave out --context: the E of a matrix needs no fit.",
            )
        done += len(database)
        found.append(Fits(*values))
    members = asked.scoring.encoded(asked.subjects, members_of(asked.subjects), check=check)
    chance = fitting.chance(members, fitting.fits(members, decoys))
    return BothDirections(asked, (found[0], found[-1]), chance)


def _fitted(
    fitting: DecoyFits, asked: AllAgainstAll, database: ArrayDatabase, rows: list[int], decoys: ArrayDatabase
) -> _Floats:
    """Return rho, mu and deviation of some sequences, shape (3, k).

    A sequence that scores the same with all decoys (of one residue, of unknown ones) has no fit: no score of it is
    above chance.
    """
    queries = asked.scoring.encoded(database, rows, check=fitting.check)
    values = np.tile([[0.0], [np.inf], [1.0]], len(rows))
    for at, fit in enumerate(fitting.fits(queries, decoys)):
        if not isinstance(fit, FitError):
            values[:, at] = fit.rho, fit.mu, fit.standard_deviation
    return values


class BothDirections(Sets):
    """Pairs within an E of both directions, and identical sequences.

    A pair needs an alignment in both directions. One that both profiles find is kept once: of one set by the block of
    the sequence that is stored first, of two by that of the first set.

    Parameters
    ----------
    fits : (Fits, Fits)
        Of both sets.
    """

    def __init__(self, asked: AllAgainstAll, fits: tuple[Fits, Fits], chance: Chance) -> None:
        super().__init__(asked)
        self._fits, self._chance, self._sequences = fits, chance, asked.search_space[1]
        half = least_sum(self._log10, self._sequences, chance) / 2
        self._half = half - TINY if half > LOWEST else -np.inf
        self._ln = tuple(np.log(np.maximum(lengths, MIN_LENGTH)) for lengths in self._lengths)
        self._ln_stored = tuple(ln[order] for ln, order in zip(self._ln, self._order, strict=True))

    def near(self, side: int, query: int, chunk: ChunkScores) -> Scored:
        """Return as of `Law`: the subjects with which the query's profile alone has half of what the limit demands."""
        begin, scores = self.stored(side, chunk)
        logarithms = self._ln_stored[1 - side][begin : begin + len(scores)]
        least = self._fits[side].least(query, logarithms, self._half)
        subjects, found = self.chosen(side, query, begin, scores, scores >= least)
        if not self._asked.one_set:
            return subjects, found
        others = subjects != query
        return subjects[others], found[others]

    def kept(self, side: int, near: Candidates, check: Check) -> tuple[Candidates, _Floats]:
        """Return as of `Law`."""
        own, other = near.first, near.second
        back = self._back(side, near, check)
        same = self._same[side][own] == self._same[1 - side][other]
        found_by_other = same | (back >= self._fits[1 - side].least(other, self._ln[side][own], self._half))
        position = self._of[0].position
        earlier = position[other] < position[own] if self._asked.one_set else np.full(len(near), side == 1)
        rows = np.flatnonzero(~(found_by_other & earlier) & (near.scores > 0) & (back > 0))
        pairs = Candidates(own, other, near.strands, near.scores, back).take(rows)
        if side:
            assert pairs.back is not None
            pairs = Candidates(pairs.second, pairs.first, pairs.strands, pairs.back, pairs.scores)
        log10 = self._evalues(pairs)
        rows = np.flatnonzero(same[rows] | (log10 <= self._log10))
        return pairs.take(rows), log10[rows]

    def edges(self, columns: Arrays) -> Edges:
        """Return as of `Law`."""
        first, second = columns["first"].astype(np.int64), columns["second"].astype(np.int64)
        ends = columns["scores"], columns["back_scores"]
        second_is = turned(self._of, first, second)
        scores, back = np.where(second_is, *ends[::-1]), np.where(second_is, *ends)
        log10 = self._evalues(Candidates(first, second, columns["strands"], scores, back))
        return Edges(log10_evalues=log10, **columns)

    def _evalues(self, pairs: Candidates) -> _Floats:
        """Return the decadic logarithms of E of both directions, of the first set with the second."""
        assert pairs.back is not None
        ones = self._fits[0].z(pairs.first, pairs.scores, self._ln[1][pairs.second])
        others = self._fits[1].z(pairs.second, pairs.back, self._ln[0][pairs.first])
        return of_sum(ones + others, self._sequences, self._chance)

    def _back(self, side: int, near: Candidates, check: Check) -> NDArray[np.int32]:
        """Return the scores of the subjects' own profiles with the queries."""
        owners, others, asked = self._of[1 - side], self._of[side], self._asked
        scores = np.zeros(len(near), dtype=np.int32)
        order = np.argsort(near.second, kind="stable")
        for begin in range(0, len(order), PAIRS):
            rows = order[begin : begin + PAIRS]
            numbers, of = np.unique(near.second[rows], return_inverse=True)
            profiles = asked.scoring.encoded(owners, numbers.tolist(), check=check)
            subjects = Subjects.of(others, near.first[rows], np.ones(len(rows), np.int8))
            aligned = align_each(profiles, of, subjects, asked.scoring.scheme, check=check)
            scores[rows] = aligned.totals.scores
        return scores
