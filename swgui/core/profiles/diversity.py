"""A filter of rows: fewer of them, but relatives at every distance."""

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
    return alignment if len(alignment) - 1 <= ENOUGH else alignment.take(diverse_rows(alignment, purge))


def diverse_rows(alignment: MasterAlignment, purge: Purge, enough: int = ENOUGH, most: int = KEPT) -> NDArray[np.int64]:
    """Return the rows that `diverse` keeps, by their places in ascending order, the query's 0 first.

    Parameters
    ----------
    enough : int
        Up to this number of rows, all are kept.
    most : int
        Rows at most, about, besides the query.
    """
    if len(alignment) - 1 <= enough:
        return np.arange(len(alignment))
    letters, alike = plain_letters(alignment.alphabet), alignment.alphabet.alike_codes
    present = alignment.codes < DELETION
    codes = np.where(present, alike[np.where(present, alignment.codes, 0)], alignment.codes).astype(np.uint8)
    kept = purge(codes, letters, SIMILAR)[1:]
    if len(kept) > most:
        same = ((codes[kept] == codes[0]) & present[kept]).sum(axis=1)
        part = np.minimum(same * DISTANCES // np.maximum(present[kept].sum(axis=1), 1), DISTANCES - 1)
        counts = np.bincount(part, minlength=DISTANCES)
        share = _shares(counts, most)
        parts = [_thinned(codes, kept[part == which], int(share[which]), letters, purge) for which in range(DISTANCES)]
        kept = np.sort(np.concatenate(parts))
    return np.concatenate([np.zeros(1, np.int64), kept])


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
