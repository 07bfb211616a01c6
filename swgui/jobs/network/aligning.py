"""The one alignment of a pair: the longer sequence is the query, of equally long ones that with the first residues.

On the minus strand the query is the reverse complement of that sequence. Several alignments may have the best score,
and the query decides which of them is reported. Since the query does not depend on the caller, a pair has the same
identity and coverage wherever it is compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.hits.scores import distinct
from swgui.core.plain import replace
from swgui.core.stretches import ScoredPairs, Subjects
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.host import usable_cores
from swgui.engines.traceback.many import align_each
from swgui.jobs.network.scoring import PairScoring

RESIDUES: Final = 1 << 18  # of queries that are aligned together: twice those of a block, to which others come

_Ints = NDArray[np.int64]
Sets = tuple[EncodedDatabase, EncodedDatabase]  # that the first and the second sequence of each pair are of
_Group = tuple[_Ints, NDArray[np.bool_], ScoredPairs]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Candidates for edges: scored pairs of sequences, by source index, shape (n,) each.

    Parameters
    ----------
    strands : ndarray, shape=(n,), dtype=int8
        1, or -1 where the reverse complement of one of the two is aligned with the other.
    scores : ndarray, shape=(n,)
        Of the first sequence as the query. Below 0 where they are not known.
    back : ndarray, shape=(n,), optional
        Of the second one, where that is another score.
    """

    first: _Ints
    second: _Ints
    strands: NDArray[np.int8] = field(repr=False)
    scores: NDArray[np.integer] = field(repr=False)
    back: NDArray[np.integer] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.first)

    def take(self, rows: _Ints) -> Candidates:
        """Return some of them, by number."""
        back = None if self.back is None else self.back[rows]
        return Candidates(self.first[rows], self.second[rows], self.strands[rows], self.scores[rows], back)

    def both_scores(self, sets: Sets) -> tuple[NDArray[np.integer], NDArray[np.integer] | None]:
        """Return the scores of the sequences that are the queries of the alignments, and of the others."""
        if self.back is None:
            return self.scores, None
        second_is = turned(sets, self.first, self.second)
        return np.where(second_is, self.back, self.scores), np.where(second_is, self.scores, self.back)


def turned(sets: Sets, first: _Ints, second: _Ints) -> NDArray[np.bool_]:
    """Tell of which pairs the second sequence is the query, shape (n,)."""
    of_each = tuple(zip(sets, (first, second), strict=True))
    lengths = [database.lengths_of(rows) for database, rows in of_each]
    second_is = lengths[1] > lengths[0]
    for row in np.flatnonzero(lengths[0] == lengths[1]).tolist():
        a, b = (database.subject(int(rows[row])).tobytes() for database, rows in of_each)
        second_is[row] = b < a
    return second_is


def figures_of(sets: Sets, pairs: Candidates, scoring: PairScoring, engine: Engine, check: Check) -> NDArray[np.int32]:
    """Return the counts of the alignments of scored pairs.

    Returns
    -------
    ndarray, shape=(n, 4), dtype=int32
        Identical pairs, columns, and the residues of the first and of the second sequence that are covered.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to its score.
    Stopped
        If `check` raises it.
    """
    figures = np.full((len(pairs), 4), -1, dtype=np.int32)
    for rows, second_is, group in _groups(sets, pairs, scoring, check):
        counted = engine.count_pairs(group, check) if isinstance(engine, DeviceEngine) else None
        found = np.full((len(group), 4), -1, dtype=np.int32) if counted is None else counted
        left = np.flatnonzero(found[:, 0] < 0)
        found[left] = _aligned(group.take(left), check, -usable_cores())[1]
        figures[rows] = _by_sequence(found, second_is)
    return figures


def align_pairs(
    sets: Sets, pairs: _Ints, scoring: PairScoring, strands: Sequence[int], check: Check
) -> tuple[Candidates, NDArray[np.int32]]:
    """Score pairs and align them, each on the strand on which it scores more.

    Parameters
    ----------
    pairs : ndarray, shape=(n, 2), dtype=int64
        Source indices.
    strands : sequence of int
        That are looked at.

    Returns
    -------
    Candidates, ndarray
        Scored, and their figures as of `figures_of`.
    """
    first, second = pairs[:, 0], pairs[:, 1]
    unknown = Candidates(first, second, np.ones(len(pairs), np.int8), np.full(len(pairs), -1))
    best, figures = unknown, np.zeros((len(pairs), 4), dtype=np.int32)
    for strand in strands:
        scores, found = np.zeros(len(pairs), dtype=np.int64), figures.copy()
        asked = replace(unknown, strands=np.full(len(pairs), strand, np.int8))
        for rows, second_is, group in _groups(sets, asked, scoring, check):
            scores[rows], counted = _aligned(group, check, 0)
            found[rows] = _by_sequence(counted, second_is)
        better = scores > best.scores
        figures = np.where(better[:, None], found, figures)
        chosen = np.where(better, asked.strands, best.strands), np.where(better, scores, best.scores)
        best = Candidates(first, second, *chosen)
    return best, figures


def _groups(sets: Sets, pairs: Candidates, scoring: PairScoring, check: Check) -> Iterator[_Group]:
    """Yield pairs in groups with as many queries as are aligned together: rows, whose second one is the query, pairs.

    Within one set the queries of a group may be first or second ones: each group is a launch, which takes as long as
    its longest pair.
    """
    second_is, (scores, _) = turned(sets, pairs.first, pairs.second), pairs.both_scores(sets)
    query, other = (np.where(second_is, *ends) for ends in ((pairs.second, pairs.first), (pairs.first, pairs.second)))
    parts = [(sets, ~second_is), (sets[::-1], second_is)]
    if sets[0] is sets[1]:
        parts = [(sets, np.ones(len(pairs), dtype=np.bool_))]
    for ((queries, subjects), here), strand in ((part, strand) for part in parts for strand in (1, -1)):
        own = np.flatnonzero(here & (pairs.strands == strand))
        own = own[np.argsort(query[own], kind="stable")]
        numbers, number_of = np.unique(query[own], return_inverse=True)
        lengths = queries.lengths_of(numbers).astype(np.int64)
        groups = (np.cumsum(lengths) - lengths) // RESIDUES
        for group in distinct(groups).tolist():
            used = scoring.encoded(queries, numbers[groups == group].tolist(), strand, check)
            inside = np.flatnonzero(groups[number_of] == group)
            rows, of_group = own[inside], number_of[inside] - number_of[inside[0]]
            given = Subjects.of(subjects, other[rows])
            yield rows, second_is[rows], ScoredPairs(used, of_group, given, scoring.scheme, scores[rows])


def _by_sequence(figures: NDArray[np.int32], second_is: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return figures with the span of the first sequence before that of the second, whichever was the query."""
    return np.where(second_is[:, None], figures[:, [0, 1, 3, 2]], figures)


def _aligned(pairs: ScoredPairs, check: Check, threads: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return scores and figures of pairs; scores below 0 are not known."""
    known = pairs.scores if (pairs.scores >= 0).all() else None
    aligned = align_each(pairs.queries, pairs.of, pairs.subjects, pairs.scheme, known, threads=threads, check=check)
    totals = aligned.totals
    figures = np.stack([totals.nident, totals.length, totals.query_span, totals.subject_span], axis=1)
    return totals.scores, figures.astype(np.int32)
