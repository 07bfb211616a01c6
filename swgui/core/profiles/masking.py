"""Stretches of rows that say little about descent: low complexity, and coiled coils.

What repeats itself scores well against all that repeats itself alike, whatever it descends from. In a profile such
residues count as unknown.

* Low complexity: SEG (`swgui.core.masking`).
* Coiled coils: COILS, Lupas, Van Dyke and Stock (1991), Science 252:1162, with the frequencies MTIDK and the score
  distributions of Lupas (1996), Methods Enzymol. 266:513, for windows of 28 without weights.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN, Alphabet
from swgui.core.profiles.alignment import DELETION

MASKED: Final = 250  # code of a residue that counts as unknown
WINDOW: Final = 28  # residues, four heptads
COIL_PROBABILITY: Final = 0.5  # probability from which a window is a coiled coil
_HEPTAD: Final = 7
# How much more often a residue is at the positions a ... g of heptads than elsewhere.
_MTIDK: Final = {
    "L": (2.998, 0.269, 0.367, 3.852, 0.510, 0.514, 0.562),
    "I": (2.408, 0.261, 0.345, 0.931, 0.402, 0.440, 0.289),
    "V": (1.525, 0.479, 0.350, 0.887, 0.286, 0.350, 0.362),
    "M": (2.161, 0.605, 0.442, 1.441, 0.607, 0.457, 0.570),
    "F": (0.490, 0.075, 0.391, 0.639, 0.125, 0.081, 0.038),
    "Y": (1.319, 0.064, 0.081, 1.526, 0.204, 0.118, 0.096),
    "G": (0.084, 0.215, 0.432, 0.111, 0.153, 0.367, 0.125),
    "A": (1.283, 1.364, 1.077, 2.219, 0.490, 1.265, 0.903),
    "K": (1.233, 2.194, 1.817, 0.611, 2.095, 1.686, 2.027),
    "R": (1.014, 1.476, 1.771, 0.114, 1.667, 2.006, 1.844),
    "H": (0.590, 0.646, 0.584, 0.842, 0.307, 0.611, 0.396),
    "E": (0.281, 3.351, 2.998, 0.789, 4.868, 2.735, 3.812),
    "D": (0.068, 2.103, 1.646, 0.182, 0.664, 1.581, 1.401),
    "Q": (0.311, 2.290, 2.330, 0.811, 2.596, 2.155, 2.585),
    "N": (1.231, 1.683, 2.157, 0.197, 1.653, 2.430, 2.065),
    "S": (0.332, 0.753, 0.930, 0.424, 0.734, 0.801, 0.518),
    "T": (0.197, 0.543, 0.647, 0.680, 0.905, 0.643, 0.808),
    "C": (0.918, 0.002, 0.385, 0.440, 0.138, 0.432, 0.079),
    "W": (0.066, 0.064, 0.065, 0.747, 0.006, 0.115, 0.014),
    "P": (0.004, 0.108, 0.018, 0.006, 0.010, 0.004, 0.007),
}
# Mean and standard deviation of scores, in coiled coils and in globular proteins, and how many more of these there are.
_COILED: Final = (1.69, 0.18)
_GLOBULAR: Final = (0.80, 0.18)
_RATIO: Final = 30.0

_Codes = NDArray[np.uint8]
_Bools = NDArray[np.bool_]


def masked_rows(codes: _Codes, alphabet: Alphabet, *, low: bool, coils: bool) -> _Codes:
    """Return rows of an alignment with what says little as `MASKED`.

    Coiled coils of the first row, the query, stay: where no other row says anything its columns then score as the
    query alone does.

    Parameters
    ----------
    codes : ndarray, shape=(n, m), dtype=uint8
    low, coils : bool
        Whether stretches of low complexity, and of coiled coils, are masked.
    """
    masked = codes.copy()
    if alphabet.name != PROTEIN.name:
        return masked
    row, column = np.nonzero(codes < DELETION)
    residues, starts = codes[row, column], np.searchsorted(row, np.arange(len(codes) + 1))
    hidden = np.zeros(len(residues), dtype=bool)
    if low:
        hidden |= _low_complexity(residues, starts)
    if coils:
        hidden[starts[1] :] |= coiled_coils(residues[starts[1] :], starts[1:] - starts[1])
    masked[row[hidden], column[hidden]] = MASKED
    return masked


def coiled_coils(residues: _Codes, starts: NDArray[np.int64], least: float = COIL_PROBABILITY) -> _Bools:
    """Say which residues of some sequences lie in a window that is a coiled coil.

    Parameters
    ----------
    residues : ndarray, shape=(n,), dtype=uint8
        One sequence behind the other.
    starts : ndarray, shape=(k + 1,)
        Where each begins; the last is n.
    least : float
        Probability from which a window is one.

    Returns
    -------
    ndarray, shape=(n,), dtype=bool
    """
    known = residues < len(HEPTADS)
    place = np.arange(len(residues))
    which = np.where(known, residues, 0)
    first = _windows(starts, WINDOW)
    score = np.full(len(first), -math.inf)
    for frame in range(_HEPTAD):  # of windows that begin here, the first residue is at position a
        each = np.where(known, HEPTADS[which, (place - frame) % _HEPTAD], 0.0)
        sums, counts = (np.concatenate([[0.0], np.cumsum(values)]) for values in (each, known))
        own = first % _HEPTAD == frame
        begin = first[own]
        total = np.maximum(counts[begin + WINDOW] - counts[begin], 1)
        score[own] = (sums[begin + WINDOW] - sums[begin]) / total
    return _covered(first[np.exp(score) >= coil_score(least)], WINDOW, len(residues))


def coil_score(least: float = COIL_PROBABILITY) -> float:
    """Return the score at which a window is a coiled coil with a probability.

    ``P = G_c / (30 G_g + G_c)``, G being normal distributions; both have the same deviation, so P grows with the score.
    """
    (coiled, deviation), (globular, _) = _COILED, _GLOBULAR
    odds = math.log(_RATIO * least / (1.0 - least))
    return (coiled + globular) / 2 + deviation**2 * odds / (coiled - globular)


def _low_complexity(residues: _Codes, starts: NDArray[np.int64]) -> _Bools:
    """Say which residues SEG finds; sequences without a window at which it could begin are not looked at."""
    from swgui.core.masking import SegSettings, seg  # here: modules that searches load need this one's tables

    settings = SegSettings()
    plain = len(_MTIDK)
    first = _windows(starts, settings.window)
    below = np.zeros((len(residues) + 1, plain), dtype=np.int16)
    np.cumsum(residues[:, np.newaxis] == np.arange(plain), axis=0, out=below[1:])
    counts = below[first + settings.window] - below[first]
    table = np.array([0.0] + [c * math.log2(c) for c in range(1, settings.window + 1)])
    total = np.maximum(counts.sum(axis=1), 1)
    begins = first[np.log2(total) - table[counts].sum(axis=1) / total <= settings.low + 1e-6]
    hidden = np.zeros(len(residues), dtype=bool)
    for sequence in np.unique(np.searchsorted(starts, begins, side="right") - 1).tolist():
        start, end = int(starts[sequence]), int(starts[sequence + 1])
        for left, right in seg(residues[start:end]):
            hidden[start + left : start + right] = True
    return hidden


def _windows(starts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return where windows of a size begin that lie in one sequence."""
    counts = np.maximum(np.diff(starts) - size + 1, 0)
    ahead = np.cumsum(counts) - counts
    return np.asarray(np.arange(counts.sum()) - np.repeat(ahead - starts[:-1], counts))


def _covered(first: NDArray[np.int64], size: int, length: int) -> _Bools:
    """Say which of some places lie in windows."""
    change = np.zeros(length + 1, dtype=np.int64)
    np.add.at(change, first, 1)
    np.subtract.at(change, first + size, 1)
    return np.asarray(np.cumsum(change[:-1]) > 0)


HEPTADS: Final = np.log([_MTIDK[letter] for letter in PROTEIN.letters[: len(_MTIDK)]])  # by code and position
