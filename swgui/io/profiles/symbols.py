"""Scores of the symbols that a profile has none for, from those it has."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet

Whole = NDArray[np.int64]


def all_symbols(columns: Mapping[str, Whole], alphabet: Alphabet) -> NDArray[np.int16]:
    """Return scores for every symbol of an alphabet, as `swgui.core.scoring.build_matrix` derives those of a matrix.

    A symbol without scores of its own has the mean of those it stands for, rounded down; ``*`` the lowest of all.

    Parameters
    ----------
    columns : mapping of str to ndarray, shape=(m,)
        Scores of symbols at every position; those of all plain ones among them.

    Returns
    -------
    ndarray, shape=(m, symbols), dtype=int16
    """

    def of(symbol: str) -> Whole:
        if symbol in columns:
            return columns[symbol]
        if symbol not in alphabet.expansions:
            return np.full_like(lowest, lowest.min())
        meant = [of(one) for one in alphabet.expansions[symbol]]
        return np.asarray(sum(meant) // len(meant), dtype=np.int64)

    lowest = np.min(list(columns.values()), axis=0)
    return np.stack([of(symbol) for symbol in alphabet.letters], axis=1).astype(np.int16)
