"""Networks for other programs: a record for each format, written as a stream."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TextIO

import numpy as np
from numpy.typing import NDArray

from swgui.core.contexts import NO_CONTEXT, context_said
from swgui.core.errors import InvalidParameter
from swgui.core.network.clusters import Census, Graph, components, upgma_joins
from swgui.core.network.edges import STRANDS_SAID, Edges, lengths_of
from swgui.core.network.measures import IDENTITIES, EdgeLimit, alignment_scores
from swgui.core.network.tree import grow, newick, upgma
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.core.table import Column, Kind, Table
from swgui.io.cells import clean_text, sequence_names
from swgui.io.network.edge_tables import EdgeRows, edge_table
from swgui.io.network.sequence_tables import NodeRows, node_table
from swgui.io.table_files import write_tsv

# What graphs call the kinds of columns.
_TYPES: Final[Mapping[Kind, str]] = {
    "integer": "integer", "real": "double", "evalue": "double", "text": "string", "word": "string",
}  # fmt: skip
_ENDS: Final = ("source", "target")
_ATTRIBUTES: Final[Mapping[Kind, Callable[[Column[Any]], Callable[[Any], str | int | float]]]] = {
    "integer": lambda column: int,
    "real": lambda column: lambda value: round(float(value), column.decimals),
    "evalue": lambda column: lambda value: float(f"{10.0**value:.2e}"),
    "text": lambda column: clean_text,
    "word": lambda column: str,
}
_OF_EFI: Final = {"pident": "%id", "length": "alignment_len"}  # edges; its alignment_score has the same name


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Sequences and the pairs of them that are joined.

    Parameters
    ----------
    name : str
    ids, descriptions : sequence of str
        Of N sequences.
    lengths : ndarray, shape=(N,)
    bits : ndarray, shape=(n,), dtype=float64
        Bit scores of the edges.
    evalue : float
        Up to which pairs were kept when the network was made.
    columns : dict of str to sequence
        More to say of each sequence: number, size or organism of its cluster, or what the user gave.
    source : str
        File of the sequences, empty if it is not known.
    checksum : str
        Of the sequences, empty in files of before.
    scheme : ScoringScheme or None
        What it was scored with; None if a file of before says so in words alone, and not of a known matrix.
    scoring : str
        Those words; empty where the scheme itself is there.
    strand : {"", "both", "plus"}
        The strands that nucleotides were compared on; empty of proteins.
    context : str
        Library of contexts that each sequence was scored by, in both directions of each pair: ``own``, a file, or
        ``none``.
    compared : float
        Share of the cells of all pairs that was computed: below 1 where the comparison was stopped, so that pairs are
        missing.
    """

    name: str
    ids: Sequence[str] = field(repr=False)
    descriptions: Sequence[str] = field(repr=False)
    lengths: NDArray[np.integer] = field(repr=False)
    edges: Edges = field(repr=False)
    bits: NDArray[np.float64] = field(repr=False)
    evalue: float = 1e-5
    columns: dict[str, Sequence[str | int | float]] = field(default_factory=dict, repr=False)
    source: str = ""
    checksum: str = ""
    scheme: ScoringScheme | None = None
    scoring: str = ""
    strand: str = ""
    compared: float = 1.0
    context: str = NO_CONTEXT

    @property
    def complete(self) -> bool:
        """Whether every pair was compared."""
        return self.compared >= 1

    @property
    def letter(self) -> str:
        """Word for one letter of its sequences: base or residue."""
        return "base" if self.strand else "residue"

    @property
    def partly(self) -> str:
        """Sentence on what is missing of a comparison that was stopped; empty of a complete one."""
        if self.complete:
            return ""
        return f"Partial: {100 * self.compared:.1f} % of the pairs were compared, so that edges are missing."

    @property
    def census(self) -> Census:
        """Its numbers: clusters that the edges join, and sequences that are alone."""
        first, second = self.edges.first.astype(np.int64), self.edges.second.astype(np.int64)
        labels = components(Graph(self.lengths, first, second, np.zeros(len(first))))
        return Census.of(np.unique(labels, return_counts=True)[1], len(first))

    def check_complete(self) -> None:
        """Refuse what follows only from all pairs; `InvalidParameter` if some were not compared."""
        if not self.complete:
            raise InvalidParameter(
                "network",
                self.name,
                f"Only {100 * self.compared:.1f} % of the pairs of '{self.name}' were compared: sequences may be "
                "similar that it does not join.",
                hint="Compare all pairs first: resume the run, or compare the sequences again.",
            )

    @property
    def said(self) -> str:
        """The scoring, in words."""
        if self.context != NO_CONTEXT:
            return context_said(self.context)
        return self.scheme.describe() if self.scheme else self.scoring or "an unstated scoring"

    @property
    def ways(self) -> str:
        """The strands or directions that pairs were compared in, behind other words; empty of proteins by a matrix."""
        return f", {context_said(self.context)}" if self.context != NO_CONTEXT else STRANDS_SAID[self.strand]

    @property
    def names(self) -> list[str]:
        """Names of the sequences in files, no two equal (`sequence_names`)."""
        return sequence_names(self.ids)

    def take(self, rows: NDArray[np.bool_]) -> Network:
        """Return it with some of its edges."""
        return replace(self, edges=self.edges.take(rows), bits=self.bits[rows])

    def up_to(self, evalue: float | None) -> Network:
        """Return it with the edges within an E, and those of identical sequences, as a comparison up to it has.

        Raises
        ------
        InvalidParameter
            If it was compared up to a lower E: pairs would be missing.
        """
        if evalue is None or evalue == self.evalue:
            return self
        if evalue > self.evalue:
            raise InvalidParameter(
                "evalue",
                evalue,
                f"The network '{self.name}' holds pairs with E up to {self.evalue:g} only.",
                hint="Give the file of the sequences, which are then compared again.",
            )
        edges, (first, second) = self.edges, lengths_of(self.edges, self.lengths, self.lengths)
        identical = (edges.identities == first) & (edges.identities == second)
        return replace(self.take(identical | (edges.log10_evalues <= np.log10(evalue))), evalue=evalue)

    def reaching(self, limit: EdgeLimit) -> Network:
        """Return it with the edges that reach a limit."""
        return self.take(limit.reached(self.edges, lengths_of(self.edges, self.lengths, self.lengths)))

    def similar(self, limit: EdgeLimit) -> Graph:
        """Return the pairs that reach a limit, with their identities.

        Raises
        ------
        InvalidParameter
            If not all pairs were compared.
        """
        self.check_complete()
        edges = self.reaching(limit).edges
        identity, _ = limit.values(edges, lengths_of(edges, self.lengths, self.lengths))
        return Graph(self.lengths, edges.first.astype(np.int64), edges.second.astype(np.int64), identity)

    def edge_rows(self) -> EdgeRows:
        """Return the edges with what is read of them."""
        names, lengths = self.names, self.lengths
        return EdgeRows(self.edges, (names, names), (lengths, lengths), self.bits, self.strand)

    def edges_table(self) -> Table[EdgeRows]:
        """Return the edges as a table."""
        return edge_table(self.edge_rows())

    def nodes_table(self) -> Table[NodeRows]:
        """Return the sequences as a table."""
        return node_table(NodeRows(self.names, self.lengths, self.descriptions, self.columns))


def attributes(table: Table[Any]) -> Iterator[dict[str, str | int | float]]:
    """Yield the values of each row by the keys of its columns, E as a number: 0 below the smallest there is."""
    kept = [(column.key, _ATTRIBUTES[column.kind](column)) for column in table.columns]
    for row in table.rows():
        yield {key: write(value) for (key, write), value in zip(kept, row, strict=True)}


def _edge_types(network: Network) -> dict[str, str]:
    return {one.key: _TYPES[one.kind] for one in network.edges_table().columns if one.key not in _ENDS}


def _node_types(network: Network) -> dict[str, str]:
    return {one.key: _TYPES[one.kind] for one in network.nodes_table().columns if one.key != "id"}


def write_edges(network: Network, file: TextIO) -> None:
    """Write the edges as a table by tabs."""
    write_tsv(network.edges_table(), file)


def write_nodes(network: Network, file: TextIO) -> None:
    """Write the sequences as a table by tabs."""
    write_tsv(network.nodes_table(), file)


def write_sif(network: Network, file: TextIO) -> None:
    """Write the simple interaction format of Cytoscape; sequences without an edge stand alone on a line."""
    ids, edges = network.names, network.edges
    for first, second in zip(edges.first.tolist(), edges.second.tolist(), strict=True):
        file.write(f"{ids[first]}\tpp\t{ids[second]}\n")
    joined = np.zeros(len(ids), dtype=np.bool_)
    joined[edges.first] = joined[edges.second] = True
    for index in np.flatnonzero(~joined).tolist():
        file.write(f"{ids[index]}\n")


def write_graphml(network: Network, file: TextIO) -> None:
    """Write GraphML: keys with types, nodes, edges."""
    names, edge_types = {"integer": "long", "double": "double", "string": "string"}, _edge_types(network)
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n')
    for of, types in (("node", {"name": "string", **_node_types(network)}), ("edge", edge_types)):
        for name, kind in types.items():
            key = f'id="{of[0]}_{name}" for="{of}" attr.name={_quoted(name)} attr.type="{names[kind]}"'
            file.write(f"  <key {key}/>\n")
    file.write(f'  <graph id={_quoted(network.name)} edgedefault="undirected">\n')
    for index, row in enumerate(attributes(network.nodes_table())):
        data = {"name": row.pop("id"), **row}
        said = "".join(f'<data key="n_{key}">{_text(value)}</data>' for key, value in data.items())
        file.write(f'    <node id="n{index}">{said}</node>\n')
    for number, row in enumerate(attributes(network.edges_table())):
        ends = f'source="n{network.edges.first[number]}" target="n{network.edges.second[number]}"'
        said = "".join(f'<data key="e_{key}">{_text(row[key])}</data>' for key in edge_types)
        file.write(f'    <edge id="e{number}" {ends}>{said}</edge>\n')
    file.write("  </graph>\n</graphml>\n")


def write_xgmml(network: Network, file: TextIO) -> None:
    """Write XGMML with the names of edge attributes that EFI-EST and Cytoscape know."""
    names = {"integer": "integer", "double": "real", "string": "string"}

    def said(row: dict[str, str | int | float], types: dict[str, str], called: Mapping[str, str]) -> Iterator[str]:
        for key, kind in types.items():
            value = f"name={_quoted(called.get(key, key))} value={_quoted(row[key])}"
            yield f'<att type="{names[kind]}" {value}/>'

    file.write('<?xml version="1.0" encoding="UTF-8"?>\n')
    file.write(f'<graph label={_quoted(network.name)} directed="0" xmlns="http://www.cs.rpi.edu/XGMML">\n')
    types, edge_types = _node_types(network), _edge_types(network)
    for row in attributes(network.nodes_table()):
        said_of = "".join(said(row, types, {}))
        file.write(f"  <node id={_quoted(row['id'])} label={_quoted(row['id'])}>{said_of}</node>\n")
    for row in attributes(network.edges_table()):
        ends = f"source={_quoted(row['source'])} target={_quoted(row['target'])}"
        label = _quoted(f"{row['source']},{row['target']}")
        file.write(f"  <edge label={label} {ends}>{''.join(said(row, edge_types, _OF_EFI))}</edge>\n")
    file.write("</graph>\n")


def write_gexf(network: Network, file: TextIO) -> None:
    """Write GEXF 1.3 for Gephi."""
    names, edge_types = {"integer": "long", "double": "double", "string": "string"}, _edge_types(network)
    file.write('<?xml version="1.0" encoding="UTF-8"?>\n<gexf xmlns="http://gexf.net/1.3" version="1.3">\n')
    file.write('  <graph defaultedgetype="undirected">\n')
    for of, types in (("node", _node_types(network)), ("edge", edge_types)):
        file.write(f'    <attributes class="{of}">\n')
        for name, kind in types.items():
            file.write(f'      <attribute id={_quoted(name)} title={_quoted(name)} type="{names[kind]}"/>\n')
        file.write("    </attributes>\n")
    file.write("    <nodes>\n")
    for index, row in enumerate(attributes(network.nodes_table())):
        label = row.pop("id")
        file.write(f'      <node id="{index}" label={_quoted(label)}>{_attvalues(row)}</node>\n')
    file.write("    </nodes>\n    <edges>\n")
    for number, row in enumerate(attributes(network.edges_table())):
        ends = f'source="{network.edges.first[number]}" target="{network.edges.second[number]}"'
        weight = f'weight="{max(int(row["alignment_score"]), 1)}"'
        values = _attvalues({key: row[key] for key in edge_types})
        file.write(f'      <edge id="{number}" {ends} {weight}>{values}</edge>\n')
    file.write("    </edges>\n  </graph>\n</gexf>\n")


def _attvalues(row: dict[str, str | int | float]) -> str:
    values = "".join(f"<attvalue for={_quoted(key)} value={_quoted(value)}/>" for key, value in row.items())
    return f"<attvalues>{values}</attvalues>"


def write_cx2(network: Network, file: TextIO) -> None:
    """Write CX2 for Cytoscape and NDEx: one list of aspects."""
    nodes = [
        {"id": index, "v": {"name": row.pop("id"), **row}}
        for index, row in enumerate(list(attributes(network.nodes_table())))
    ]
    ends = zip(network.edges.first.tolist(), network.edges.second.tolist(), strict=True)
    types = _edge_types(network)
    edges = [
        {"id": number, "s": first, "t": second, "v": {key: row[key] for key in types}}
        for number, ((first, second), row) in enumerate(zip(ends, attributes(network.edges_table()), strict=True))
    ]
    declared = {
        "networkAttributes": {"name": {"d": "string"}},
        "nodes": {name: {"d": kind} for name, kind in {"name": "string", **_node_types(network)}.items()},
        "edges": {name: {"d": kind} for name, kind in types.items()},
    }
    counts = (("attributeDeclarations", 1), ("networkAttributes", 1), ("nodes", len(nodes)), ("edges", len(edges)))
    aspects = [
        {"CXVersion": "2.0", "hasFragments": False},
        {"metaData": [{"name": name, "elementCount": number} for name, number in counts]},
        {"attributeDeclarations": [declared]},
        {"networkAttributes": [{"name": clean_text(network.name)}]},
        {"nodes": nodes},
        {"edges": edges},
        {"status": [{"success": True}]},
    ]
    json.dump(aspects, file)


def write_newick(network: Network, file: TextIO) -> None:
    """Write the single-linkage tree of the alignment scores in Newick format."""
    edges, lengths = network.edges, lengths_of(network.edges, network.lengths, network.lengths)
    scores = alignment_scores(edges, lengths, network.bits).astype(np.float64)
    tree = grow(len(network.ids), edges.first.astype(np.int64), edges.second.astype(np.int64), scores)
    file.write(newick(tree, network.names, float(scores.max(initial=0.0))))


def write_upgma(network: Network, file: TextIO) -> None:
    """Write the UPGMA tree of identities in percent in Newick format; pairs without an edge count as 0."""
    edges, lengths = network.edges, lengths_of(network.edges, network.lengths, network.lengths)
    identity = 100 * IDENTITIES["columns"].of(edges, lengths)
    graph = Graph(network.lengths, edges.first.astype(np.int64), edges.second.astype(np.int64), identity)
    file.write(newick(upgma(len(network.ids), upgma_joins(graph)), network.names, 100.0))


def _text(value: object) -> str:
    from xml.sax.saxutils import escape  # here and below: it brings a client of HTTP along

    return escape(_printable(value))


def _quoted(value: object) -> str:
    from xml.sax.saxutils import quoteattr

    return quoteattr(_printable(value))


def _printable(value: object) -> str:
    """Return a value as a text of one line, without what XML cannot hold."""
    return "".join(sign for sign in clean_text(str(value)) if sign not in "\ufffe\uffff")


@dataclass(frozen=True, slots=True)
class GraphFormat:
    """A file format of networks; `has_columns` if it has a place for columns of sequences."""

    name: str
    suffixes: tuple[str, ...]
    meaning: str
    write: Callable[[Network, TextIO], None]
    has_columns: bool = True


GRAPH_FORMATS: Final = {
    form.name: form
    for form in (
        GraphFormat("graphml", (".graphml",), "GraphML, for Cytoscape, yEd, Gephi and networkx", write_graphml),
        GraphFormat("xgmml", (".xgmml",), "XGMML with the attributes of EFI-EST, for Cytoscape", write_xgmml),
        GraphFormat("gexf", (".gexf",), "GEXF, for Gephi", write_gexf),
        GraphFormat("cx2", (".cx2",), "CX2, for Cytoscape and NDEx", write_cx2),
        GraphFormat("sif", (".sif",), "pairs alone, for Cytoscape", write_sif, False),
        GraphFormat("edges", (".tsv", ".edges"), "a table of edges", write_edges, False),
        GraphFormat("nodes", (".nodes",), "a table of sequences", write_nodes),
        GraphFormat("newick", (".nwk", ".newick"), "the tree of all thresholds (single linkage)", write_newick, False),
        GraphFormat("upgma", (".upgma",), "the UPGMA tree of identities, in Newick format", write_upgma, False),
    )
}


def graph_format(name: str, path: str | Path) -> GraphFormat:
    """Return the format of a name, without one that of the ending of a file.

    Raises
    ------
    InvalidParameter
        If there is none.
    """
    ending = Path(path).suffix.lower()
    forms = (form for form in GRAPH_FORMATS.values() if name == form.name or (not name and ending in form.suffixes))
    if (form := next(forms, None)) is not None:
        return form
    said = f"'{name or path}' is no format of networks."
    raise InvalidParameter("format", name or ending, said, hint=f"The formats are {', '.join(GRAPH_FORMATS)}.")
