"""Clusters, parts and judgements of clusters as runs: the request, the steps, and the outcome.

They follow from all pairs of the sequences. After Stop some pairs were not compared, so that there is no outcome: the
blocks that were compared stay in the log, from which the run continues.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.network.clusters import CLUSTER_RULES, Verification, verify
from swgui.core.network.edges import Edges, lengths_of, rows_of
from swgui.core.network.judging import judge
from swgui.core.network.measures import IDENTITIES, EdgeLimit
from swgui.core.network.splitting import DROPPED, split
from swgui.core.table import Table
from swgui.core.words import count
from swgui.io.network.clusters import ListedClusters, labels_of
from swgui.io.network.edge_tables import JudgedRows, judged_table
from swgui.io.network.graphs import Network
from swgui.io.network.sequence_tables import ClusterRows, NamedClusters, PartRows, cluster_table, part_table
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.jobs.events import Event, Stage
from swgui.jobs.network.edges import asked_again, identities_of, sequences_of
from swgui.jobs.network.request import NetworkOutcome, NetworkRequest, usual_scheme, whole_network


@dataclass(frozen=True, slots=True, eq=False)
class GroupingRequest:
    """A request for an outcome of all pairs of sequences.

    Parameters
    ----------
    network : NetworkRequest
        How they are compared.
    limit : EdgeLimit
        Pairs that reach it are similar.
    """

    kind: ClassVar[str]
    network: NetworkRequest
    limit: EdgeLimit

    @property
    def comparison(self) -> NetworkRequest:
        """The comparison that the outcome follows from."""
        return self.network

    @property
    def engine(self) -> str:
        """The engine that compares them."""
        return self.network.engine

    @property
    def options(self) -> EngineOptions:
        """Its devices and settings."""
        return self.network.options


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class GroupingOutcome:
    """The outcome of all pairs: `complete` always, since it needs all of them.

    Parameters
    ----------
    relation : str
        Which pairs are similar, in words.
    seconds : float
        Wall time of the comparison, pauses left out.
    cells : int
        Cells that were computed.
    """

    of_pairs: ClassVar[bool] = False  # whether rows of the table are pairs of sequences
    asked: ClassVar[None] = None  # the comparison, where it is kept open
    relation: str
    seconds: float = 0.0
    cells: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ClusterRequest(GroupingRequest):
    """Sequences to be clustered.

    Parameters
    ----------
    rule : str
        Key of `CLUSTER_RULES`.
    aligned : bool
        Whether the identity of each member with its representative is wanted, and of nucleotides its strand.
    """

    kind: ClassVar[str] = "cluster"
    rule: str = "greedy"
    aligned: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ClusterOutcome(GroupingOutcome):
    """Clusters, and what was counted of them."""

    named: NamedClusters
    rule: str
    counted: Verification

    @property
    def found(self) -> int:
        """How many clusters there are."""
        return len(self.named.clusters)

    @property
    def sentences(self) -> list[str]:
        """Return the outcome, a sentence each; the promise of the rule is counted, not assumed."""
        rule, counted = CLUSTER_RULES[self.rule], self.counted
        apart = count(counted.apart, "similar pair lies", "similar pairs lie")
        within = count(counted.unlike_within, "pair of a cluster is", "pairs of a cluster are") + " not similar"
        said = [
            f"{count(self.found, 'cluster')} of {count(len(self.named.names), 'sequence')}.",
            f"Similar: {self.relation}.",
            f"Counted again: {apart} in two clusters; {within}.",
        ]
        if rule.broken is not None:
            said.append(f"Promised by '{rule.name}': {rule.promise}. Broken {count(rule.broken(counted), 'time')}.")
        return said

    def table(self) -> Table[ClusterRows]:
        """Return every sequence with its cluster."""
        return cluster_table(self.named)


def cluster_steps(
    asked: ClusterRequest, control: threading.Event, log: Log | NoLog = NO_LOG
) -> Generator[Event, None, ClusterOutcome]:
    """Compare sequences all against all, or take a network, and cluster them; errors as of `whole_network`."""
    compared = yield from whole_network(asked.network, control, log)
    made, rule = compared.network, CLUSTER_RULES[asked.rule]
    yield Stage("Clustering")
    graph = made.similar(asked.limit)
    clusters = rule.cluster(graph, asked.limit.identity)
    checking(control)()
    named = NamedClusters(clusters, made.names, made.lengths)
    if asked.aligned:
        named = _with_identities(named, asked.network, compared, control)
    return ClusterOutcome(named, asked.rule, verify(clusters, graph), **_common(compared, asked.limit))


def _with_identities(
    named: NamedClusters, asked: NetworkRequest, compared: NetworkOutcome, control: threading.Event
) -> NamedClusters:
    """Return clusters with the identity of each member with its representative, and of nucleotides its strand."""
    made, representative = compared.network, named.clusters.representative
    members = np.flatnonzero(representative != np.arange(len(representative)))
    pairs = np.sort(np.stack([members, representative[members]], axis=1), axis=1)
    edges = _alignments(asked, compared, pairs, control)
    identities, strands = np.ones(len(representative)), np.ones(len(representative), np.int8)
    identities[members] = IDENTITIES["shorter"].of(edges, lengths_of(edges, made.lengths, made.lengths))
    strands[members] = edges.strands
    return named._replace(identities=identities, strands=strands if made.strand else None, compared=made.strand)


@dataclass(frozen=True, slots=True, eq=False)
class SplitRequest(GroupingRequest):
    """Sequences to be put into parts with no similar pair between two of them.

    Parameters
    ----------
    bins : sequence of float
        Sizes of the parts; only their ratios count.
    names : sequence of str
        Of the parts.
    drop : bool
        Whether sequences are left out where parts would otherwise be too large.

    Raises
    ------
    InvalidParameter
        If there is not one name for each part.
    """

    kind: ClassVar[str] = "split"
    bins: Sequence[float]
    names: Sequence[str]
    drop: bool = False

    def __post_init__(self) -> None:
        check_names(self.names, self.bins)


def check_names(names: Sequence[str], bins: Sequence[float]) -> None:
    """Refuse parts without a name of their own each; `InvalidParameter`."""
    if len(names) != len(bins) or len(set(names)) != len(names):
        raise InvalidParameter(
            "names",
            ",".join(names),
            f"{count(len(bins), 'part')} cannot be called {', '.join(names)}.",
            hint="Give a name for each with --names.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class SplitOutcome(GroupingOutcome):
    """The part of each sequence, by number of `names`, `DROPPED` for none; and what was counted of it.

    Parameters
    ----------
    largest : int
        Sequences of the largest group of relatives.
    between : int
        Similar pairs in two parts, counted.
    """

    sequences: Sequence[str] = field(repr=False)
    part: NDArray[np.int64] = field(repr=False)
    names: Sequence[str]
    largest: int
    between: int
    strand: str = ""

    @property
    def found(self) -> int:
        """How many sequences are in a part."""
        return int((self.part != DROPPED).sum())

    @property
    def sentences(self) -> list[str]:
        """Return the outcome, a sentence each."""
        sizes = [int((self.part == number).sum()) for number in range(len(self.names))]
        said = ", ".join(f"{name} {size:,}" for name, size in zip(self.names, sizes, strict=True))
        dropped, largest = len(self.part) - self.found, count(self.largest, "sequence")
        return [
            f"{said}; {dropped:,} left out; the largest group of relatives has {largest}.",
            f"Similar: {self.relation}.",
            f"Counted again: {count(self.between, 'similar pair lies', 'similar pairs lie')} in two parts.",
        ]

    def table(self) -> Table[PartRows]:
        """Return which part each sequence is in."""
        called = {DROPPED: "dropped", **dict(enumerate(self.names))}
        return part_table(PartRows(self.sequences, [called[number] for number in self.part.tolist()], self.strand))


def split_steps(
    asked: SplitRequest, control: threading.Event, log: Log | NoLog = NO_LOG
) -> Generator[Event, None, SplitOutcome]:
    """Compare sequences all against all, or take a network, and put them into parts; errors as of `whole_network`."""
    compared = yield from whole_network(asked.network, control, log)
    made = compared.network
    yield Stage("Splitting")
    graph = made.similar(asked.limit)
    parts = split(graph, list(asked.bins), drop=asked.drop)
    first, second = parts.part[graph.first], parts.part[graph.second]
    between = int(((first != second) & (first != DROPPED) & (second != DROPPED)).sum())
    facts = parts.part, tuple(asked.names), parts.largest, between, made.strand
    return SplitOutcome(made.names, *facts, **_common(compared, asked.limit))


@dataclass(frozen=True, slots=True, eq=False)
class JudgeRequest(GroupingRequest):
    """Given clusters to be compared with the similar pairs.

    Parameters
    ----------
    clusters : ListedClusters
    file : str
        Where they were read from.
    joined : {"every", "representative"}
        Which pairs of a cluster should be similar: every one, or those with the representative.
    """

    kind: ClassVar[str] = "judge"
    clusters: ListedClusters = field(repr=False)
    file: str
    joined: str = "every"


@dataclass(frozen=True, slots=True, eq=False)
class JudgeOutcome(GroupingOutcome):
    """Pairs that clusters part or join wrongly: the first `parted` of the rows are similar and in two clusters."""

    of_pairs: ClassVar[bool] = True
    judged: JudgedRows
    parted: int

    @property
    def found(self) -> int:
        """How many pairs are parted or joined wrongly."""
        return len(self.judged.kinds)

    def edge_at(self, row: int) -> Edges:
        """Return the pair of a row of the table."""
        return self.judged.rows.edges.take(slice(row, row + 1))

    @property
    def sentences(self) -> list[str]:
        """Return the outcome, a sentence each."""
        unlike = count(self.found - self.parted, "pair is joined that is", "pairs are joined that are") + " not similar"
        parted = count(self.parted, "similar pair is", "similar pairs are")
        return [f"{parted} parted; {unlike}.", f"Similar: {self.relation}."]

    def table(self) -> Table[JudgedRows]:
        """Return the pairs."""
        return judged_table(self.judged)


def judge_steps(
    asked: JudgeRequest, control: threading.Event, log: Log | NoLog = NO_LOG
) -> Generator[Event, None, JudgeOutcome]:
    """Compare sequences all against all, or take a network, and count what clusters part or join wrongly.

    Raises
    ------
    ClusterFileError
        If the clusters are of other sequences.
    SwguiError
        As of `whole_network`.
    """
    compared = yield from whole_network(asked.network, control, log)
    made = compared.network
    labels, representative = labels_of(asked.clusters, made.ids, asked.file)
    yield Stage("Judging")
    found = judge(labels, representative, made.similar(asked.limit), every=asked.joined == "every")
    edges = _alignments(asked.network, compared, np.concatenate([found.parted, found.joined]), control)
    kinds = ["parted"] * len(found.parted) + ["joined"] * len(found.joined)
    rows = made.edge_rows()._replace(edges=edges, bits=np.full(len(edges), np.nan))
    return JudgeOutcome(JudgedRows(kinds, rows), len(found.parted), **_common(compared, asked.limit))


def _common(compared: NetworkOutcome, limit: EdgeLimit) -> dict[str, Any]:
    """Return the facts of the comparison that every outcome states."""
    relation = relation_of(compared.network, limit)
    return {"relation": relation, "seconds": compared.seconds, "cells": compared.cells}


def relation_of(made: Network, limit: EdgeLimit) -> str:
    """Return in words which pairs of a network are similar."""
    among = f"{count(len(made.ids), 'sequence')}{made.ways}"
    return f"{limit.describe()}; E up to {made.evalue:g} among {among}"


def _alignments(
    asked: NetworkRequest, compared: NetworkOutcome, pairs: NDArray[np.int64], control: threading.Event
) -> Edges:
    """Return pairs with their alignments, in the order given: their edges, or new ones where they have none."""
    made = compared.network
    rows = rows_of(pairs, made.edges.first, made.edges.second)
    known = rows >= 0
    if known.all():
        return made.edges.take(rows)
    sequences: EncodedDatabase = compared.database or sequences_of(made, control)
    scheme = made.scheme or asked.scheme or usual_scheme(sequences.alphabet)
    if made.scheme is None and scheme.describe() != made.scoring:
        raise InvalidParameter(
            "matrix",
            scheme.matrix.name,
            f"'{asked.file or made.name}' was made with {made.said}.",
            hint="Ask for the same matrix and gap costs.",
        )
    others = identities_of(asked_again(made, sequences, scheme), pairs[~known], control)
    edges = Edges.join([made.edges.take(rows[known]), others])
    return edges.take(rows_of(pairs, edges.first, edges.second))
