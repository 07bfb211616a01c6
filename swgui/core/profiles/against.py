"""One profile against others: the similarity of their columns, as a local alignment.

The score of two columns is ``log2(sum_a Q(a) Q'(a) / P(a))`` bits, less a constant (Soding 2005, Bioinformatics
21:951, without secondary structure). This is the definition and the only implementation, for a hundred profiles.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

SHIFT: Final = 0.1  # bits
GAP_FIRST: Final = 3.0  # bits
GAP_EXTEND: Final = 0.25
TOGETHER: Final = 64  # profiles at a time, for the memory they take
_NEVER: Final = -1e3  # bits, of a column that is none
_Floats = NDArray[np.float64]


def local_scores(own: _Floats, others: Sequence[_Floats], chance: _Floats) -> _Floats:
    """Return the score of the best local alignment of a profile with each of others, in bits; shape (k,)."""
    scores = [_together(own, others[first : first + TOGETHER], chance) for first in range(0, len(others), TOGETHER)]
    return np.concatenate([np.zeros(0), *scores])


def _together(own: _Floats, others: Sequence[_Floats], chance: _Floats) -> _Floats:
    longest = max(map(len, others))
    odds = np.zeros((len(others), longest, len(chance)))
    for index, other in enumerate(others):
        odds[index, : len(other)] = other / chance
    present = odds.any(axis=2)
    steps = GAP_EXTEND * np.arange(longest)
    above = np.zeros((len(others), longest))  # the row before, H and the gap that comes from above
    down = np.full_like(above, _NEVER)
    best = np.zeros(len(others))
    for column in own:
        score = np.where(present, np.log2(np.maximum(odds @ column, 1e-300)) - SHIFT, _NEVER)
        down = np.maximum(above - GAP_FIRST, down - GAP_EXTEND)
        now = np.maximum(score, 0.0)
        now[:, 1:] = np.maximum(above[:, :-1] + score[:, 1:], 0.0)
        now = np.maximum(now, down)
        # A gap along the row began at the largest H so far, with the cost of each step added back.
        reached = np.maximum.accumulate(now + steps, axis=1)
        now[:, 1:] = np.maximum(now[:, 1:], reached[:, :-1] - GAP_FIRST + GAP_EXTEND - steps[1:])
        best = np.maximum(best, np.where(present, now, 0.0).max(axis=1))
        above = now
    return np.asarray(best, dtype=np.float64)


def shuffled(profiles: Sequence[_Floats], copies: int, seed: int = 1) -> list[_Floats]:
    """Return copies of profiles with their columns in another order: a model of chance for profiles of their kind."""
    random = np.random.default_rng(seed)
    return [profile[random.permutation(len(profile))] for _ in range(copies) for profile in profiles]
