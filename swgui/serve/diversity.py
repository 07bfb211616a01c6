"""The filter of rows, unless a client asks for ``nofilter``: fewer rows, but relatives at every distance."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.profiles.log_odds import plain_letters
from swgui.core.profiles.msa import Purge

ENOUGH: Final = 1_000  # up to this number of rows, all are kept
KEPT: Final = 3_000  # rows at most, about
SIMILAR: Final = 0.95  # from this identity on, one of two rows is left out
STEPS: Final = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)  # limits of identity to thin out a crowded distance
DISTANCES: Final = 5  # number of bins of the identity with the query


def diverse(alignment: MasterAlignment, purge: Purge) -> MasterAlignment:
    """Return an alignment without near copies, and of each distance from the query with a share of the best rows.

    Parameters
    ----------
    purge : callable
        As of `swgui.core.profiles.msa.filtered`.
    """
    if len(alignment) - 1 <= ENOUGH:
        return alignment
    codes, letters = alignment.codes, plain_letters(alignment.alphabet)
    kept = purge(codes, letters, SIMILAR)[1:]
    if len(kept) > KEPT:
        alike = alignment.alphabet.alike_codes
        present = codes[kept] < DELETION
        same = ((alike[codes[kept]] == alike[codes[0]]) & present).sum(axis=1)
        part = np.minimum(same * DISTANCES // np.maximum(present.sum(axis=1), 1), DISTANCES - 1)
        counts = np.bincount(part, minlength=DISTANCES)
        share = _shares(counts, KEPT)
        parts = [_thinned(codes, kept[part == which], int(share[which]), letters, purge) for which in range(DISTANCES)]
        kept = np.sort(np.concatenate(parts))
    return alignment.take(np.concatenate([[0], kept]))


def _shares(counts: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Return the number to keep of each count, shape of `counts`: equal shares, and all of a count below its share."""
    shares = np.zeros_like(counts)
    while (left := total - int(shares.sum())) > 0 and (open_ := counts > shares).any():
        shares[open_] += max(1, left // int(open_.sum()))
        shares = np.minimum(shares, counts)
    return shares


def _thinned(
    codes: NDArray[np.uint8], rows: NDArray[np.int64], share: int, letters: int, purge: Purge
) -> NDArray[np.int64]:
    """Return a number of rows, best first and as diverse as necessary."""
    if len(rows) <= share:
        return rows
    for similar in STEPS[1:]:
        left = rows[purge(codes[rows], letters, similar)]
        if len(left) <= share:
            missing = np.setdiff1d(rows, left)[: share - len(left)]
            return np.concatenate([left, missing])
        rows = left
    return rows[:share]
