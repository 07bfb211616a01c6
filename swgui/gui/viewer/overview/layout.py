"""Hits along the query: score classes, bars, coverage depth and axis marks. Pure, without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.gui.hits.alignments import Stretch

# Lower bound in bits, words for the legend, and bar height in sixths of the row: the classes of the BLAST page,
# told apart by height as well as by colour.
SCORE_CLASSES: tuple[tuple[float, str, int], ...] = (
    (-np.inf, "below 40", 2),
    (40.0, "40 to 50", 3),
    (50.0, "50 to 80", 4),
    (80.0, "80 to 200", 5),
    (200.0, "200 and more", 6),
)
MAX_LANES = 4  # alignments below each other in a row; more of them lie over one another
# From dark (strong) to light: a single ramp in lightness, safe for every colour vision.
CLASS_COLOURS = {
    False: ("#A3B4C2", "#6399C6", "#347BB8", "#0B559F", "#06305E"),
    True: ("#4C5866", "#3D6F99", "#4594CF", "#7CC0FF", "#D6ECFF"),
}


def score_class(bits: NDArray[np.float64], scores: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return the class (0 to 4) of every hit, by bits; by raw score where no bits are known.

    Parameters
    ----------
    bits : ndarray, shape=(k,)
    scores : ndarray, shape=(k,)

    Returns
    -------
    ndarray, shape=(k,), dtype=int64
    """
    measure = np.where(np.isnan(bits), scores, bits)
    bounds = [low for low, _, _ in SCORE_CLASSES[1:]]
    return np.searchsorted(bounds, measure, side="right").astype(np.int64)


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
    strand : {1, -1}
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


def bars_of(stretches: Sequence[Stretch], place: int, row: int, part: int) -> list[Bar]:
    """Return the bars of a place.

    Parameters
    ----------
    stretches : sequence of Stretch
        All alignments of the subject.
    place, row : int
    part : int
        The only alignment to draw, -1 for all.
    """
    shown = range(len(stretches)) if part < 0 else range(part, min(part + 1, len(stretches)))
    chosen = [stretches[at] for at in shown]
    classes = score_class(
        np.array([one.bits for one in chosen], dtype=np.float64), np.array([one.score for one in chosen], np.int32)
    )
    lanes = lanes_of([(one.start, one.end) for one in chosen])
    count = max(lanes, default=0) + 1
    return [
        Bar(place, row, at, one.start, one.end, int(of_score), one.strand, lane, count)
        for at, one, of_score, lane in zip(shown, chosen, classes, lanes, strict=True)
    ]


def lanes_of(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return a lane for each span so that none hides another, as far as `MAX_LANES` lanes allow.

    Parameters
    ----------
    spans : sequence of (int, int)
        First and last residue, both included; the first spans get the first lanes.
    """
    lanes: list[list[tuple[int, int]]] = []
    chosen = []
    for start, end in spans:
        free = (at for at, taken in enumerate(lanes) if all(end < first or start > last for first, last in taken))
        lane = next(free, len(lanes))
        if lane == len(lanes) and lane < MAX_LANES:
            lanes.append([])
        lane = min(lane, MAX_LANES - 1)
        lanes[lane].append((start, end))
        chosen.append(lane)
    return chosen


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


def axis_marks(length: int, room: float) -> list[int]:
    """Return residue numbers to write on the query's axis: 1, round numbers, and the last one.

    Parameters
    ----------
    length : int
        Residues of the query.
    room : float
        How many labels fit beside each other.
    """
    if length < 1:
        return []
    wanted = length / max(room, 1.0)
    scale = 10 ** np.floor(np.log10(max(wanted, 1)))
    step = int(next(scale * factor for factor in (1, 2, 5, 10) if scale * factor >= wanted))
    marks = [1, *range(step, length, step)]
    if len(marks) > 1 and marks[1] == 1:
        marks = marks[1:]
    if length - marks[-1] < 0.6 * step and len(marks) > 1:
        marks.pop()
    return [*marks, length] if marks[-1] != length else marks
