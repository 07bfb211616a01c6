"""Columns of a table of the user's own, for hits."""

from __future__ import annotations

from collections.abc import Sequence

from swgui.core.errors import InvalidParameter
from swgui.io.export.columns import HIT_COLUMNS, Column
from swgui.io.metadata import Metadata


def own_columns(own: Metadata, by: str | None = None, taken: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return the columns of a table of the user's own; `by` is the column of hits to look up, the subject's if None.

    Parameters
    ----------
    taken : sequence of str
        Keys of columns that are there besides those of hits.

    Raises
    ------
    InvalidParameter
        If hits have no such column.
    """
    key = by or "sseqid"
    if key not in HIT_COLUMNS:
        raise InvalidParameter("metadata_for", key, f"Hits have no column '{key}' to join by.", hint="Usual: sseqid.")
    columns = own.columns(HIT_COLUMNS[key].values, [*HIT_COLUMNS, *taken])
    return tuple(
        Column(
            one.key, one.title, one.description, one.kind, "own", read=one.read, decimals=one.decimals, on_request=True
        )
        for one in columns
    )


def bring_columns(own: Metadata) -> tuple[Column, ...]:
    """Add the columns to those that hits can have, as an installed package does, until the program ends."""
    columns = own_columns(own)
    HIT_COLUMNS.update((column.key, column) for column in columns)
    return columns
