"""Arcs of pairs over the columns of an alignment, for drawings."""

from __future__ import annotations

from typing import Final

import msgspec

from swgui.core.covariation.pairs import CONTRADICTED, GAPPED, NEW, OPEN, STATES, SUPPORTED, UNCHANGED, ListedPairs

# Pairs of these states are drawn first, below all others.
FAINT: Final = (GAPPED, UNCHANGED, OPEN)
FLATTEST: Final = 0.16  # height of the arc of neighbours, relative to the highest


class Arc(msgspec.Struct, frozen=True):
    """One pair: half an ellipse between the middles of two columns.

    Parameters
    ----------
    left, right : int
        Columns, from 0.
    height : float
        0 to 1.
    state : str
        One of `STATES`.
    pair : int
        Number of the pair in its list, from 0.
    """

    left: int
    right: int
    height: float
    state: str
    pair: int


def arcs_of(pairs: ListedPairs) -> list[Arc]:
    """Arcs in the order in which they are drawn: pairs without support first, then those with the largest E."""
    widest = max([1, *(pairs.right - pairs.left).tolist()])
    made = [
        Arc(left, right, FLATTEST + (1 - FLATTEST) * ((right - left) / widest) ** 0.7, state, number)
        for number, (left, right, state) in enumerate(
            zip(pairs.left.tolist(), pairs.right.tolist(), pairs.states, strict=True)
        )
    ]
    rank = {state: place for place, state in enumerate((*FAINT, CONTRADICTED, NEW, SUPPORTED))}
    assert set(rank) == set(STATES)
    return sorted(made, key=lambda arc: (rank[arc.state], -arc.pair))
