"""Gotoh's algorithm as in the textbook: the judge of every engine.

Written from the recurrences (Smith and Waterman 1981, Gotoh 1982) and sharing nothing with the program.
With a gap of length k costing ``gap_first + (k - 1) * gap_extend``:

    E[i,j] = max(H[i,j-1] - gap_first, E[i,j-1] - gap_extend)
    F[i,j] = max(H[i-1,j] - gap_first, F[i-1,j] - gap_extend)
    H[i,j] = max(0, H[i-1,j-1] + s(i,j), E[i,j], F[i,j])

A *profile* is the query as a table, ``profile[i][letter]``; for an ordinary query it is the matrix's row of
each residue.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import ParamSpec, TypeVar

import numpy as np

MINUS_INFINITY = -(10**15)
Given = ParamSpec("Given")
Answer = TypeVar("Answer")


def remembered(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Compute once for equal arguments: engines and instruction sets are given the same problems."""
    known: dict[bytes, Answer] = {}

    @functools.wraps(function)
    def call(*given: Given.args, **named: Given.kwargs) -> Answer:
        key = hashlib.sha1(pickle.dumps((given, named)), usedforsecurity=False).digest()
        if key not in known:
            known[key] = function(*given, **named)
        return known[key]

    return call


@remembered
def gotoh_score(profile: Sequence[Sequence[int]], subject: Sequence[int], gap_first: int, gap_extend: int) -> int:
    """Return the Smith-Waterman score of one pair, cell by cell."""
    return gotoh_by_position(profile, subject, [(gap_first, gap_extend) * 2] * len(profile))


@remembered
def gotoh_by_position(profile: Sequence[Sequence[int]], subject: Sequence[int], gaps: Sequence[Sequence[int]]) -> int:
    """Return the score with gap costs by position, cell by cell.

    `gaps` has, for each position, the cost of the first and each other residue of an insertion behind it, that of a
    deletion that begins with it, and of one that continues to it.
    """
    columns = len(subject)
    above, down = [0] * (columns + 1), [MINUS_INFINITY] * (columns + 1)
    best = 0
    for scores, (insertion, longer, deletion, further) in zip(profile, gaps, strict=True):
        row, along = [0] * (columns + 1), MINUS_INFINITY
        for j in range(1, columns + 1):
            along = max(row[j - 1] - insertion, along - longer)
            down[j] = max(above[j] - deletion, down[j] - further)
            row[j] = max(0, above[j - 1] + int(scores[subject[j - 1]]), along, down[j])
        best = max(best, *row)
        above = row
    return best


@remembered
def gotoh_score_wide(profile: np.ndarray, subject: np.ndarray, gap_first: int, gap_extend: int) -> int:
    """Return the same for longer pairs: the cells of one anti-diagonal depend only on the two before it."""
    m, n = len(profile), len(subject)
    if not m or not n:
        return 0
    profile, subject = np.asarray(profile, dtype=np.int64), np.asarray(subject, dtype=np.int64)
    before_last, last = np.zeros(m + 1, dtype=np.int64), np.zeros(m + 1, dtype=np.int64)  # H by query position
    along = np.full(m + 1, MINUS_INFINITY, dtype=np.int64)
    down = np.full(m + 1, MINUS_INFINITY, dtype=np.int64)
    best = 0
    for diagonal in range(2, m + n + 1):
        i = np.arange(max(1, diagonal - n), min(m, diagonal - 1) + 1)
        j = diagonal - i
        # A cell's left neighbour has the same i on the last diagonal, its upper neighbour i - 1.
        new_along = np.maximum(last[i] - gap_first, along[i] - gap_extend)
        new_down = np.maximum(last[i - 1] - gap_first, down[i - 1] - gap_extend)
        pair = before_last[i - 1] + profile[i - 1, subject[j - 1]]
        h = np.zeros(m + 1, dtype=np.int64)
        h[i] = np.maximum(np.maximum(pair, 0), np.maximum(new_along, new_down))
        best = max(best, int(h[i].max()))
        along = np.full(m + 1, MINUS_INFINITY, dtype=np.int64)
        down = np.full(m + 1, MINUS_INFINITY, dtype=np.int64)
        along[i], down[i] = new_along, new_down
        before_last, last = last, h
    return best


def reference_scores(profile: np.ndarray, subjects: Iterable[np.ndarray], gap_first: int, gap_extend: int) -> list[int]:
    """Return the score of one query with each subject, by whichever of the two is quicker."""
    rows = np.asarray(profile).tolist()
    scores = []
    for subject in subjects:
        if len(rows) * len(subject) < 3_000:
            scores.append(gotoh_score(rows, np.asarray(subject).tolist(), gap_first, gap_extend))
        else:
            scores.append(gotoh_score_wide(profile, subject, gap_first, gap_extend))
    return scores


def global_score(profile: Sequence[Sequence[int]], subject: Sequence[int], gap_first: int, gap_extend: int) -> int:
    """Return the best score of aligning all of the query with all of the subject."""
    best, along, down = {(0, 0): 0}, {}, {}
    for i in range(len(profile) + 1):
        for j in range(len(subject) + 1):
            along[i, j] = down[i, j] = MINUS_INFINITY
            if j:
                along[i, j] = max(best[i, j - 1] - gap_first, along[i, j - 1] - gap_extend)
            if i:
                down[i, j] = max(best[i - 1, j] - gap_first, down[i - 1, j] - gap_extend)
            if i or j:
                pair = best[i - 1, j - 1] + int(profile[i - 1][subject[j - 1]]) if i and j else MINUS_INFINITY
                best[i, j] = max(pair, along[i, j], down[i, j])
    return best[len(profile), len(subject)]
