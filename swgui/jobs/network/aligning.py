"""The one alignment of a pair: the longer sequence is the query, of two as long the one whose residues come first.

Several alignments may have the best score, and which of them is taken depends on the query. Since the query does not
depend on who asks, a pair has the same identity and coverage wherever it is compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.hits.stretches import ScoredPairs, Subjects
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.host import usable_cores
from swgui.engines.traceback.many import align_each

RESIDUES: Final = 1 << 17  # of queries that are aligned together

_Ints = NDArray[np.int64]
Sets = tuple[EncodedDatabase, EncodedDatabase]  # that the first and the second sequence of each pair are of
_Group = tuple[_Ints, list[int], ScoredPairs]
_SPANS: Final = {False: [0, 1, 2, 3], True: [0, 1, 3, 2]}  # whether turned -> figures by first and second sequence


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Some pairs of sequences, by source index, shape (n,) each.

    Parameters
    ----------
    scores : ndarray, shape=(n,), optional
        What an engine scored them.
    """

    first: _Ints
    second: _Ints
    scores: NDArray[np.integer] | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.first)


def turned(sets: Sets, pairs: Pairs) -> NDArray[np.bool_]:
    """Tell of which pairs the second sequence is the query, shape (n,)."""
    first, second = (one.lengths_of(rows) for one, rows in zip(sets, (pairs.first, pairs.second), strict=True))
    second_is = second > first
    for row in np.flatnonzero(first == second).tolist():
        residues = (one.subject(int(rows[row])) for one, rows in zip(sets, (pairs.first, pairs.second), strict=True))
        a, b = (codes.tobytes() for codes in residues)
        second_is[row] = b < a
    return second_is


def figures_of(sets: Sets, pairs: Pairs, scheme: ScoringScheme, engine: Engine, check: Check) -> NDArray[np.int32]:
    """Return what the alignments of scored pairs consist of.

    Returns
    -------
    ndarray, shape=(n, 4), dtype=int32
        Identical pairs, columns, and the residues of the first and of the second sequence that are covered.

    Raises
    ------
    ScoreMismatch
        If an alignment does not add up to its score.
    Stopped
        If `check` says so.
    """
    figures = np.full((len(pairs), 4), -1, dtype=np.int32)
    for rows, spans, group in _groups(sets, pairs, scheme):
        counted = engine.count_pairs(group, check) if isinstance(engine, DeviceEngine) else None
        found = np.full((len(group), 4), -1, dtype=np.int32) if counted is None else counted
        left = np.flatnonzero(found[:, 0] < 0)
        found[left] = _aligned(group.take(left), check, -usable_cores())[1]
        figures[rows] = found[:, spans]
    return figures


def align_pairs(
    sets: Sets, pairs: Pairs, scheme: ScoringScheme, check: Check
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the scores of pairs, shape (n,), and their figures as of `figures_of`."""
    scores, figures = np.zeros(len(pairs), dtype=np.int64), np.zeros((len(pairs), 4), dtype=np.int32)
    for rows, spans, group in _groups(sets, pairs, scheme):
        scores[rows], found = _aligned(group, check, 0)
        figures[rows] = found[:, spans]
    return scores, figures


def _groups(sets: Sets, pairs: Pairs, scheme: ScoringScheme) -> Iterator[_Group]:
    """Yield pairs in groups with as many queries as are aligned together: rows, the order of figures, and pairs."""
    second_is = turned(sets, pairs)
    for is_turned, spans in _SPANS.items():
        own = np.flatnonzero(second_is == is_turned)
        (queries, of), (subjects, others) = zip(sets, (pairs.first[own], pairs.second[own]), strict=True)
        if is_turned:
            queries, of, subjects, others = subjects, others, queries, of
        order = np.argsort(of, kind="stable")
        numbers, number_of = np.unique(of[order], return_inverse=True)
        lengths = queries.lengths_of(numbers).astype(np.int64)
        groups = (np.cumsum(lengths) - lengths) // RESIDUES
        for group in np.unique(groups).tolist():
            used = numbers[groups == group].tolist()
            encoded = [EncodedQuery("", np.ascontiguousarray(queries.subject(index))) for index in used]
            inside = np.flatnonzero(groups[number_of] == group)
            rows, of_group = own[order[inside]], number_of[inside] - number_of[inside[0]]
            scores = np.full(len(rows), -1) if pairs.scores is None else pairs.scores[rows]
            given = Subjects.of(subjects, others[order[inside]])
            yield rows, spans, ScoredPairs(encoded, of_group, given, scheme, scores)


def _aligned(pairs: ScoredPairs, check: Check, threads: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return scores and figures of pairs; scores below 0 are not known."""
    known = pairs.scores if (pairs.scores >= 0).all() else None
    aligned = align_each(pairs.queries, pairs.of, pairs.subjects, pairs.scheme, known, threads=threads, check=check)
    totals = aligned.totals
    figures = np.stack([totals.nident, totals.length, totals.query_span, totals.subject_span], axis=1)
    return totals.scores, figures.astype(np.int32)
