"""Columns of a table of the user's own as columns of the sequences of a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from swgui.core.plain import replace
from swgui.core.table import Value

if TYPE_CHECKING:
    from swgui.io.metadata import Metadata
    from swgui.io.network.graphs import Network


def own_values(network: Network, own: Metadata) -> dict[str, Sequence[Value]]:
    """Return the values of each sequence in a table of the user's own, by the title of the column."""
    columns = own.columns(lambda names: names, [column.key for column in network.nodes_table().columns])
    return {column.title: column.values(network.ids) for column in columns}


def with_own(network: Network, own: Metadata) -> Network:
    """Return a network whose sequences also have the columns of a table of the user's own."""
    more = {title: one_type(values) for title, values in own_values(network, own).items()}
    return replace(network, columns={**network.columns, **more})


def one_type(values: Sequence[Value]) -> Sequence[str | int | float]:
    """Return values of one type: texts where some are not known."""
    if None in values:
        return ["" if value is None else str(value) for value in values]
    return [value for value in values if value is not None]
