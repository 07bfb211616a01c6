"""Hits along the query: score classes with their colours, lanes of alignments, numbers on the axis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

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
        free = (lane for lane, taken in enumerate(lanes) if all(end < first or start > last for first, last in taken))
        lane = next(free, len(lanes))
        if lane == len(lanes) and lane < MAX_LANES:
            lanes.append([])
        lane = min(lane, MAX_LANES - 1)
        lanes[lane].append((start, end))
        chosen.append(lane)
    return chosen


def axis_marks(length: int, room: float) -> list[int]:
    """Return residue numbers to write on the query's axis: 1, round numbers, and the last one.

    Parameters
    ----------
    length : int
        Residues of the query.
    room : float
        Number of labels that fit side by side.
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
