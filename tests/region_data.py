"""Queries that the kernels for regions and shuffles take: gap costs by position, two tracks."""

import numpy as np

import swgui.io  # noqa: F401, the alphabets of files
from swgui.core.alphabet import ALPHABETS, PROTEIN, two_tracks
from swgui.core.profiles.score_profile import PositionGaps


def gaps_of(rng, rows, refunds=False):
    """Costs of which each is another; with refunds deletions that get some back."""
    first, extend = (rng.integers(least, most, (2, rows)) for least, most in ((6, 30), (0, 6)))
    if refunds:
        extend[1][rng.random(rows) < 0.3] = -1
        first[1] += np.cumsum(extend[1]).max() - np.cumsum(extend[1]).min()
    return PositionGaps(first[0], extend[0], first[1], extend[1])


def track_data(rng, rows, symbols):
    """Alphabet in two tracks, a profile whose scores are sums, and symbols."""
    alphabet = two_tracks(PROTEIN, ALPHABETS["3Di"])
    first, second = (rng.integers(-4, 6, (rows, len(part))).astype(np.int16) for part in alphabet.parts)
    second[:, alphabet.parts[1].code(alphabet.parts[1].wildcard)] = 0
    profile = (first[:, :, None] + second[:, None, :]).reshape(rows, len(alphabet))
    return alphabet, profile, rng.integers(0, len(alphabet), symbols).astype(np.uint16)
