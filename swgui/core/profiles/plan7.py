"""Models of HMMER3, read as profiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.log_odds import UNITS_PER_BIT
from swgui.core.score_profile import PositionGaps

Floats = NDArray[np.float64]

NEVER: Final = 4000  # units: 500 bits, more than any alignment outweighs
TRANSITIONS: Final = ("MM", "MI", "MD", "IM", "II", "DM", "DD")


@dataclass(frozen=True, slots=True, eq=False)
class Plan7:
    """A model of M match states."""

    match: Floats = field(repr=False)  # probability of each plain residue at each match state, shape (M, K)
    # Natural logarithms of the probabilities `TRANSITIONS` that lead out of each node, node 0 first, shape (M + 1,
    # 7).
    transitions: Floats = field(repr=False)


def local_profile(model: Plan7, background: Floats) -> tuple[NDArray[np.int16], PositionGaps]:
    """Return the profile that gives the local Viterbi scores of a model.

    Scores and costs are rounded to whole units. Costs are clipped to those that `PositionGaps` allows: an insertion
    costs 0 or more and its extension no more than its first residue; ``phi`` is lowered where a deletion as a whole
    would add to a score. Impossible steps cost `NEVER`.

    Parameters
    ----------
    background : ndarray, shape=(K,)
        Frequencies of the plain residues in the searched database.

    Returns
    -------
    scores : ndarray, shape=(M, K), dtype=int16
    gaps : PositionGaps
    """
    units = UNITS_PER_BIT / log(2)
    mm, mi, md, im, ii, dm, dd = np.maximum(model.transitions, -NEVER / units).T
    with np.errstate(divide="ignore"):
        emitted = np.log(model.match / background)
    entered = np.concatenate([[0.0], mm[1:-1]])  # of position 1, nothing: every path may begin there
    scores = _whole(units * np.maximum(emitted + entered[:, None], -NEVER / units))
    first = np.clip(_whole(units * (mm - mi - im))[1:], 0, NEVER)
    extend = np.clip(_whole(-units * ii)[1:], 0, first)
    opened, extended = _deletions(_whole(-units * md), _whole(-units * dd), _whole(units * (dm - mm)))
    costs = (first, extend, opened, extended)
    return scores.astype(np.int16), PositionGaps(*(cost.astype(np.int16) for cost in costs))


def _whole(values: Floats) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)


def _deletions(
    md: NDArray[np.int64], dd: NDArray[np.int64], phi: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return costs of opening and extending deletions at each position, from whole costs of nodes 0 to M."""
    phi = phi.copy()
    phi[-1] = 0  # nothing follows the last position
    cheapest = 2 * NEVER
    for k in range(1, len(phi)):
        cheapest = min(int(md[k - 1]), cheapest + int(dd[k - 1]))
        phi[k] = min(phi[k], cheapest)  # a deletion that ends here costs 0 or more
    opened = md[:-1] - phi[1:]
    extended = dd[:-1] - phi[1:] + np.concatenate([[0], phi[1:-1]])
    return opened, np.minimum(extended, opened)
