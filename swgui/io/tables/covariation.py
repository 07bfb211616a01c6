"""Pairs of columns that vary together, as a table; the first columns are those of R-scape's list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.covariation.pairs import NEW, STATES, Covariation, ListedPairs
from swgui.core.table import Column, Table, Values

_Read = Callable[[ListedPairs], Values]


def _known(pairs: ListedPairs, values: NDArray[np.int64]) -> Values:
    """Values of pairs that were compared, None for others."""
    return [value if rows else None for value, rows in zip(values.tolist(), pairs.rows.tolist(), strict=True)]


def _share(pairs: ListedPairs) -> Values:
    return np.where(pairs.rows > 0, 100.0 * pairs.paired / np.maximum(pairs.rows, 1), np.nan)


COLUMNS: Final[tuple[Column[ListedPairs], ...]] = (
    Column("in_structure", "In structure", "* if the structure has the pair.", "word",
           read=lambda pairs: [None if state == NEW else "*" for state in pairs.states]),
    Column("left_pos", "Left", "Left column of the alignment, from 1.", "integer",
           read=lambda pairs: pairs.left + 1),
    Column("right_pos", "Right", "Right column of the alignment, from 1.", "integer",
           read=lambda pairs: pairs.right + 1),
    Column("score", "Score", "G of both columns less what each shares with all others (APC).", "real", decimals=2,
           read=lambda pairs: pairs.scores),
    Column("evalue", "E-value", "Expected pairs with such a score among pairs of this set (structure, others) whose "
           "columns change alone.", "evalue", short="E", read=lambda pairs: pairs.log10_evalues),
    Column("substitutions", "Substitutions", "Changes of both columns along the tree of the rows.", "integer",
           short="Changes", read=lambda pairs: _known(pairs, pairs.changes.sum(axis=1))),
    Column("left_substitutions", "Left substitutions", "Those of the left column.", "integer", on_request=True,
           read=lambda pairs: _known(pairs, pairs.changes[:, 0])),
    Column("right_substitutions", "Right substitutions", "Those of the right column.", "integer", on_request=True,
           read=lambda pairs: _known(pairs, pairs.changes[:, 1])),
    Column("rows", "Rows", "Compared rows with bases in both columns.", "integer",
           read=lambda pairs: _known(pairs, pairs.rows)),
    Column("paired", "Paired", "Share of these rows whose bases pair (AU, CG, GU).", "real", unit="%", decimals=1,
           read=_share),
    Column("state", "State", "; ".join(f"{state}: {about}" for state, about in STATES.items()) + ".", "word",
           read=lambda pairs: list(pairs.states)),
)  # fmt: skip


def covariation_table(found: Covariation) -> Table[Any]:
    """Pairs as a table, a row each; the least E first."""
    return Table(COLUMNS, lambda: (found.pairs,))
