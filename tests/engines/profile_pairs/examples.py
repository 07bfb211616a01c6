"""Profiles that are alike in part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from swgui.core.profiles.pairs import ProfileSet, quantised

BACKGROUND = np.linspace(0.02, 0.08, 20)


def columns(seed: int, lengths: Sequence[int]) -> list[np.ndarray]:
    """Probabilities of profiles that share columns of one long profile, with noise and gaps."""
    rng = np.random.default_rng(seed)
    longest = max(lengths) + 9
    ancestor = rng.dirichlet(BACKGROUND * 4, size=longest)
    profiles = []
    for length in lengths:
        kept = np.sort(rng.permutation(longest)[:length])
        if length > 20:
            first = int(rng.integers(0, longest - length + 1))
            kept = np.arange(first, first + length)
            kept[length // 2 :] = np.minimum(kept[length // 2 :] + int(rng.integers(0, 9)), longest - 1)
        profiles.append(0.7 * ancestor[kept] + 0.3 * rng.dirichlet(BACKGROUND * 4, size=length))
    return profiles


def related(seed: int, lengths: Sequence[int], split: int) -> tuple[ProfileSet, ProfileSet]:
    """The first `split` profiles, and the others."""
    profiles = quantised(columns(seed, lengths), BACKGROUND)
    return profiles.part(0, split), profiles.part(split, len(lengths))
