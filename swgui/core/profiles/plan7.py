"""Plan7 models of HMMER3 as profiles: a local Viterbi alignment needs no states beyond those of gaps with affine costs.

With ``phi(k) = ln tDM(k) - ln tMM(k)`` and ``ln tMM(k-1)`` inside the score of position k, all transitions of a path
add up to four costs by position (`local_profile`), which any engine searches with. What this Viterbi score is:

* It may begin at every match state k, at ``ln tMM(k-1)``, and end at every match state for nothing. HMMER enters
  uniformly at ``ln 2/(M(M+1))``, and adds a model of the lengths of sequences and a correction for composition
  (null2), so that its scores are lower by some bits and of another spread.
* An insertion may follow a deletion at ``tDM tMI / tMM``, and a deletion an insertion at ``tIM tMD / tMM``. HMMER3
  has neither.
* An extension is never dearer than closing the gap and opening one: ``tII`` is ``tIM tMI / tMM`` at least, ``tDD`` is
  ``tDM tMD / tMM`` at least. Fitted models hardly ever have others.
* Residues inserted score 0, as in HMMER3. A gap that would add to a score costs 0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.score_profile import PositionGaps

Floats = NDArray[np.float64]

UNITS_PER_BIT: Final = 8
NEVER: Final = 4000  # units: 500 bits, more than any alignment outweighs
TRANSITIONS: Final = ("MM", "MI", "MD", "IM", "II", "DM", "DD")


@dataclass(frozen=True, slots=True, eq=False)
class Plan7:
    """A model of M match states.

    Parameters
    ----------
    match : ndarray, shape=(M, K), dtype=float64
        Probability of each plain residue at each match state.
    transitions : ndarray, shape=(M + 1, 7), dtype=float64
        Natural logarithms of the probabilities `TRANSITIONS` that lead out of each node, node 0 first.
    """

    match: Floats = field(repr=False)
    transitions: Floats = field(repr=False)


def local_profile(
    model: Plan7, background: Floats, units_per_bit: float = UNITS_PER_BIT
) -> tuple[NDArray[np.int16], PositionGaps]:
    """Return what local Viterbi scores of a model are made of.

    Scores and costs are rounded to whole units. Costs are clipped to those that `PositionGaps` takes: an insertion
    costs 0 or more and its extension no more than its first residue; ``phi`` is lowered where a deletion as a whole
    would add to a score. What is impossible costs `NEVER`.

    Parameters
    ----------
    background : ndarray, shape=(K,)
        Frequencies of the plain residues in what is searched.

    Returns
    -------
    scores : ndarray, shape=(M, K), dtype=int16
    gaps : PositionGaps
    """
    units = units_per_bit / log(2)
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
