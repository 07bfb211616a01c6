"""The textbook's alignment of one pair in every mode, and the requests to pair engines in tests.

Three states per cell (Gotoh 1982), cell by cell, sharing nothing with the program.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from swgui.core.alignment import Alignment, rescore, spell_out
from swgui.core.errors import InvalidParameter
from swgui.core.pair.problem import (
    PairAligned,
    PairCheckpoint,
    PairEnd,
    PairMode,
    PairProblem,
    PairProgress,
    PairScored,
)
from swgui.core.scoring import EncodedQuery, ScoringScheme
from tests.reference import remembered

NEVER = -(10**15)


@remembered
def textbook(
    profile: np.ndarray,
    subject: np.ndarray,
    gap_first: int,
    gap_extend: int,
    mode: PairMode,
    forbidden: set[tuple[int, int]] | None = None,
) -> PairEnd:
    """Return the best score and where it is reached: first in the subject, then first in the query."""
    rows, letters = np.asarray(profile).tolist(), np.asarray(subject).tolist()
    m, n = len(rows), len(letters)
    free, forbidden = mode is not PairMode.GLOBAL, forbidden or set()
    above = [0] + [0 if free else -(gap_first + (j - 1) * gap_extend) for j in range(1, n + 1)]
    down = [NEVER] * (n + 1)
    best = (0, 0, 0)  # score, and column and row below zero, so that the largest is the first
    for i in range(1, m + 1):
        row = [0 if free else -(gap_first + (i - 1) * gap_extend)] + [0] * n
        along, scores = NEVER, rows[i - 1]
        for j in range(1, n + 1):
            along = max(row[j - 1] - gap_first, along - gap_extend)
            down[j] = max(above[j] - gap_first, down[j] - gap_extend)
            pair = NEVER if (i - 1, j - 1) in forbidden else above[j - 1] + scores[letters[j - 1]]
            value = max(pair, along, down[j])
            if mode is PairMode.LOCAL:
                value = max(value, 0)
            row[j] = value
            if (mode is PairMode.LOCAL or i == m or j == n) and value > 0:
                best = max(best, (value, -j, -i))
        above = row
    if mode is PairMode.GLOBAL:
        return PairEnd(above[n], m, n)
    return PairEnd(best[0], -best[2], -best[1])


def pairs_of(alignment: Alignment) -> set[tuple[int, int]]:
    """Return the aligned pairs of positions."""
    columns = spell_out(alignment)
    both = (columns.query >= 0) & (columns.subject >= 0)
    return set(zip(columns.query[both].tolist(), columns.subject[both].tolist(), strict=True))


@dataclass
class Answer:
    """The answer of an engine."""

    end: PairEnd | None = None
    alignment: Alignment | None = None
    checkpoints: list[PairCheckpoint] = field(default_factory=list)
    progress: list[PairProgress] = field(default_factory=list)


def ask(
    engine,
    query: np.ndarray | EncodedQuery,
    subject: np.ndarray,
    scheme: ScoringScheme,
    mode: PairMode = PairMode.LOCAL,
    *,
    score_only: bool = False,
    found: Sequence[Alignment] = (),
    resume: PairCheckpoint | None = None,
) -> Answer | None:
    """Run an engine and check that its answer is consistent; None if its plan refuses the request."""
    query = query if isinstance(query, EncodedQuery) else EncodedQuery("q", query)
    problem = PairProblem(query, subject, scheme, mode, score_only, tuple(found))
    try:
        plan = engine.plan(problem)
    except InvalidParameter:
        return None
    assert plan.method == engine.method
    assert plan.cells == len(query) * len(subject)
    answer = Answer()
    for step in engine.run(problem, threading.Event(), resume):
        match step:
            case PairScored(end):
                assert answer.end is None, "scored twice"
                answer.end = end
            case PairAligned():
                assert answer.end is not None, "aligned before it was scored"
                assert answer.alignment is None, "aligned twice"
                answer.alignment = step.alignment
            case PairProgress():
                before = answer.progress[-1].cells_done if answer.progress else 0
                assert before <= step.cells_done
                assert step.cells_done + step.pruned <= step.cells_total
                answer.progress.append(step)
            case PairCheckpoint():
                answer.checkpoints.append(step)
    assert answer.end is not None
    assert (answer.alignment is None) == score_only
    if answer.alignment is not None:
        check(answer.alignment, answer.end, query, subject, scheme, mode)
        taken = set().union(*map(pairs_of, found)) if found else set()
        assert not taken & pairs_of(answer.alignment)
    return answer


def check(
    alignment: Alignment,
    end: PairEnd,
    query: EncodedQuery,
    subject: np.ndarray,
    scheme: ScoringScheme,
    mode: PairMode,
) -> None:
    """Compare an alignment with its score, its end and its mode."""
    assert alignment.score == end.score == rescore(alignment, query, subject, scheme)
    assert (alignment.query_end, alignment.subject_end) == (end.query_end, end.subject_end)
    assert 0 <= alignment.query_start <= alignment.query_end <= len(query)
    assert 0 <= alignment.subject_start <= alignment.subject_end <= len(subject)
    if mode is PairMode.GLOBAL:
        assert (alignment.query_start, alignment.subject_start) == (0, 0)
        assert (alignment.query_end, alignment.subject_end) == (len(query), len(subject))
    if mode is PairMode.SEMIGLOBAL and alignment.columns:
        assert alignment.query_start == 0 or alignment.subject_start == 0
        assert alignment.query_end == len(query) or alignment.subject_end == len(subject)
    if mode is PairMode.LOCAL and alignment.columns:
        assert alignment.ops[0] == alignment.ops[-1] == 0, "a local alignment begins and ends with a pair"
