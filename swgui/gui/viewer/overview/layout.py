"""Hits along the query as bars, and how deep they cover it. Pure, without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.along_query import lanes_of, score_class
from swgui.core.hits.results import Hit


@dataclass(frozen=True, slots=True)
class Bar:
    """One alignment in the overview.

    Parameters
    ----------
    place : int
        In the order of the table, from 0.
    row : int
        In the ranked list, from 0.
    part : int
        Number of the alignment within its subject, from 0.
    start, end : int
        Residues of the query from 1, both included.
    score_class : int
        Place in `SCORE_CLASSES`.
    strand : int
        1 or -1, or of translated searches the reading.
    lane, lanes : int
        Which part of the height is its own, so that alignments over the same residues stand below each other.
    """

    place: int
    row: int
    part: int
    start: int
    end: int
    score_class: int
    strand: int
    lane: int = 0
    lanes: int = 1


def bars_of(alignments: Sequence[tuple[Hit, tuple[int, int]]], place: int, row: int, part: int) -> list[Bar]:
    """Return the bars of a place.

    Parameters
    ----------
    alignments : sequence of (Hit, (int, int))
        All alignments of the subject, with first and last residue of the query in each, from 1.
    place, row : int
    part : int
        The only alignment to draw, -1 for all.
    """
    shown = range(len(alignments)) if part < 0 else range(part, min(part + 1, len(alignments)))
    chosen = [alignments[at] for at in shown]
    classes = score_class(
        np.array([hit.bit_score for hit, _ in chosen], dtype=np.float64),
        np.array([hit.score for hit, _ in chosen], np.int32),
    )
    lanes = lanes_of([ends for _, ends in chosen])
    count = max(lanes, default=0) + 1
    return [
        Bar(place, row, at, *ends, int(of_score), hit.strand, lane, count)
        for at, (hit, ends), of_score, lane in zip(shown, chosen, classes, lanes, strict=True)
    ]


def coverage_depth(starts: NDArray[np.float64], ends: NDArray[np.float64], length: int) -> NDArray[np.int64]:
    """Return how many hits cover each residue of the query.

    Parameters
    ----------
    starts, ends : ndarray, shape=(k,)
        From 1, both included; NaN where not known.

    Returns
    -------
    ndarray, shape=(length,), dtype=int64
    """
    known = ~np.isnan(starts)
    steps = np.zeros(length + 1, dtype=np.int64)
    np.add.at(steps, starts[known].astype(np.int64) - 1, 1)
    np.add.at(steps, ends[known].astype(np.int64), -1)
    return np.cumsum(steps)[:length]
