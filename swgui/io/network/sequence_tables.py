"""Columns of sequences: those of a network, with their clusters, and with their parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.network.clusters import Clusters
from swgui.core.network.edges import STRAND_NAMES
from swgui.core.table import Column, Kind, Table
from swgui.io.network.edge_tables import SSTRAND, STRANDS

NODE_COLUMNS: Final[tuple[Column[NodeRows], ...]] = (
    Column("id", "Sequence", "Its name.", "text", read=lambda nodes: nodes.names),
    Column("length", "Residues", "Its residues.", "integer", read=lambda nodes: nodes.lengths),
    Column("description", "Description", "The rest of its header.", "text", read=lambda n: n.descriptions),
)
_KINDS: Final[Mapping[type, Kind]] = {int: "integer", float: "real", str: "text"}
CLUSTER_COLUMNS: Final[tuple[Column[ClusterRows], ...]] = (
    Column("sequence", "Sequence", "Its name.", "text",
           read=lambda rows: [rows.made.names[index] for index in rows.members.tolist()]),
    Column("cluster", "Cluster", "From 0, the largest first.", "integer", read=lambda rows: rows.numbers),
    Column("representative", "Representative", "That of the cluster.", "text",
           read=lambda rows: [rows.made.names[index] for index in rows.representatives.tolist()]),
    Column("length", "Residues", "Of the sequence.", "integer", read=lambda rows: rows.made.lengths[rows.members]),
)  # fmt: skip
PART_COLUMNS: Final[tuple[Column[PartRows], ...]] = (
    Column("sequence", "Sequence", "Its name.", "text", read=lambda rows: rows.names),
    Column("part", "Part", "The part it is in.", "text", read=lambda rows: rows.parts),
)


class NodeRows(NamedTuple):
    """Sequences of a network.

    Parameters
    ----------
    more : Mapping of str to sequence
        Further columns.
    """

    names: Sequence[str]
    lengths: NDArray[np.integer]
    descriptions: Sequence[str]
    more: Mapping[str, Sequence[str | int | float]]


def node_table(nodes: NodeRows) -> Table[NodeRows]:
    """Return the sequences of a network."""

    def column(key: str) -> Column[NodeRows]:
        values = nodes.more[key]
        kind = _KINDS[type(values[0])] if len(values) else "text"
        return Column(key, key, "", kind, decimals=4, read=lambda rows: rows.more[key])

    return Table([*NODE_COLUMNS, *map(column, nodes.more)], lambda: (nodes,))


class NamedClusters(NamedTuple):
    """Clusters to write.

    Parameters
    ----------
    clusters : Clusters
    names : sequence of str
        Of N sequences, no two equal.
    lengths : ndarray, shape=(N,)
    identities : ndarray, shape=(N,), optional
        Of each sequence with its representative, as CD-HIT counts: identical pairs over the residues of the shorter
        one. Formats with `ClusterFormat.has_identities` need them.
    strands : ndarray, shape=(N,), optional
        1, or -1 where it is the reverse complement that is like the representative; None for proteins.
    compared : {"", "both", "plus"}
        The strands of nucleotides that were compared.
    """

    clusters: Clusters
    names: Sequence[str]
    lengths: NDArray[np.integer]
    identities: NDArray[np.float64] | None = None
    strands: NDArray[np.integer] | None = None
    compared: str = ""

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """Yield number of the cluster, representative and member of every sequence; the largest cluster first."""
        for number, group in enumerate(self.clusters.members()):
            for member in group.tolist():
                yield number, int(self.clusters.representative[member]), member


class ClusterRows(NamedTuple):
    """Clusters with their rows: numbers, representatives and members, shape=(N,) each."""

    made: NamedClusters
    numbers: NDArray[np.int64]
    representatives: NDArray[np.int64]
    members: NDArray[np.int64]


_CLUSTER_STRANDS: Final[tuple[Column[ClusterRows], ...]] = (
    SSTRAND.read_by(lambda rows: [STRAND_NAMES[strand] for strand in _strands(rows).tolist()]),
    STRANDS.read_by(lambda rows: [rows.made.compared] * len(rows.members)),
)


def _strands(rows: ClusterRows) -> NDArray[np.integer]:
    assert rows.made.strands is not None  # the column is there with strands alone
    return rows.made.strands[rows.members]


def cluster_table(made: NamedClusters) -> Table[ClusterRows]:
    """Return every sequence with its cluster."""
    rows = np.array(list(made.rows()), dtype=np.int64).reshape(-1, 3)
    return Table(
        [*CLUSTER_COLUMNS, *(() if made.strands is None else _CLUSTER_STRANDS)],
        lambda: (ClusterRows(made, *rows.T),),
    )


class PartRows(NamedTuple):
    """Sequences and the part each is in; of nucleotides the strands that were compared."""

    names: Sequence[str]
    parts: Sequence[str]
    strands: str


_PART_STRANDS: Final[Column[PartRows]] = STRANDS.read_by(lambda rows: [rows.strands] * len(rows.names))


def part_table(rows: PartRows) -> Table[PartRows]:
    """Return which part each sequence is in."""
    return Table([*PART_COLUMNS, *((_PART_STRANDS,) if rows.strands else ())], lambda: (rows,))
