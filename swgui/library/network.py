"""``swgui.network``, ``cluster``, ``split``, ``judge`` and ``leak``: sequences all against all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from os import PathLike
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from swgui.commands.network import (
    cluster_options,
    cluster_request,
    judge_options,
    judge_request,
    leak_options,
    leak_request,
    network_options,
    network_request,
    split_options,
    split_request,
)
from swgui.core.errors import InvalidParameter
from swgui.core.network.clusters import CLUSTER_RULES
from swgui.core.network.measures import EdgeLimit
from swgui.core.table import Table
from swgui.core.words import count
from swgui.io.database.any_file import database_files
from swgui.io.network.clusters import ListedClusters
from swgui.io.network.edge_tables import EdgeRows
from swgui.io.network.file import SUFFIX, save_network
from swgui.io.network.graphs import Network, graph_format
from swgui.io.whole_file import save_text
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.frames import Tabular
from swgui.library.kinds import RunResult, run_kind
from swgui.library.options import Parameters, described
from swgui.library.result import RowsResult, Written
from swgui.library.session import OnProgress
from swgui.library.values import needed, path_of
from swgui.library.writing import Output, is_open_file

NETWORK: Final = Parameters("network", network_options, without=("min_alignment_score", "min_identity", "min_coverage"))
CLUSTER: Final = Parameters("cluster", cluster_options, files=("rule",))
SPLIT: Final = Parameters("split", split_options, files=("bins", "names", "drop"))
JUDGE: Final = Parameters("judge", judge_options, files=("joined",))
_ENDS: Final = ("source", "target")  # columns
LEAK: Final = Parameters("leak", leak_options, files=("split", "train_part", "test_part"))


class NetworkEdges(RowsResult, Mapping[str, "NDArray[Any]"]):
    """Edges of a network: an array for each column, and data frames.

    Parameters
    ----------
    table : Table
        Its form may change between versions.
    """

    def __init__(self, table: Table[EdgeRows]) -> None:
        super().__init__()
        self.table = table

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        return self.to_arrays()

    def __getitem__(self, key: str) -> NDArray[Any]:
        return self._arrays[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        return self.table.choose(columns)


class SequenceNetwork(Written, Tabular):
    """Sequences and all pairs of them up to an E-value, each with the figures of its best alignment.

    `write` writes a ``.swnet`` file, or takes one of the formats of ``swgui network``.

    Parameters
    ----------
    network : Network
        Its form may change between versions.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(self, network: Network, inputs: Sequence[tuple[str, Path]] = ()) -> None:
        super().__init__([network.partly] if network.partly else [], inputs)
        self.network = network

    _usual_format = "edges"

    def __len__(self) -> int:
        """Return the number of sequences."""
        return len(self.network.ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self.ids)

    def __contains__(self, name: object) -> bool:
        return name in self.ids

    def __repr__(self) -> str:
        edges = count(len(self.network.edges), "edge")
        partial = "" if self.complete else f", {100 * self.compared:.1f} % of the pairs compared"
        return f"<SequenceNetwork of {self.network.name}: {count(len(self), 'sequence')}, {edges}{partial}>"

    @property
    def partial(self) -> bool:
        """Whether the comparison ended before all pairs were compared."""
        return not self.complete

    @property
    def complete(self) -> bool:
        """Whether all pairs were compared; after Ctrl+C some are missing."""
        return self.network.complete

    @property
    def compared(self) -> float:
        """Share of the cells of all pairs that was computed: 1 unless the comparison was stopped."""
        return self.network.compared

    @property
    def ids(self) -> list[str]:
        """Names of the sequences: their identifiers; all but the first of equal ones have their number behind them."""
        return self.network.names

    @public
    def edges(
        self,
        *,
        evalue: float | None = None,
        identity: float = 0.0,
        coverage: float = 0.0,
        identity_over: str = "columns",
        coverage_of: str = "shorter",
    ) -> NetworkEdges:
        """Return the edges within limits, an array for each column; identities and coverages are in percent.

        Parameters
        ----------
        evalue : float, optional
            At most; all that were kept if not given.
        identity, coverage : float
            At least, shares of 1.
        identity_over, coverage_of : str
            As of ``swgui cluster``: what identical pairs are counted over, and of which sequence a part is covered.

        Raises
        ------
        InvalidParameter
            If there are no such edges, or a limit makes no sense.
        """
        limit = EdgeLimit(identity, coverage, identity_over, coverage_of)
        return NetworkEdges(self.network.up_to(evalue).reaching(limit).edges_table())

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        return self.edges()._table(columns)

    def to_pandas(self, columns: str | Sequence[str] | None = None, **limits: Any) -> Any:
        """Return `edges` as a ``pandas.DataFrame``; `MissingPackage` if pandas is not installed."""
        return self.edges(**limits).to_pandas(columns)

    def to_polars(self, columns: str | Sequence[str] | None = None, **limits: Any) -> Any:
        """Return `edges` as a ``polars.DataFrame``; `MissingPackage` if polars is not installed."""
        return self.edges(**limits).to_polars(columns)

    def to_arrow(self, columns: str | Sequence[str] | None = None, **limits: Any) -> Any:
        """Return `edges` as a ``pyarrow.Table``; `MissingPackage` if pyarrow is not installed."""
        return self.edges(**limits).to_arrow(columns)

    def to_networkx(self, **limits: Any) -> Any:
        """Graph of the sequences with `edges` within limits, a ``networkx.Graph``.

        Nodes are the names of `ids`; an edge has the columns of `edges` as attributes, None where a value is not known.

        Parameters
        ----------
        **limits
            As of `edges`.

        Raises
        ------
        MissingPackage
            If networkx is not installed.
        InvalidParameter
            As of `edges`.
        """
        graph = needed("networkx").Graph(name=self.network.name)
        graph.add_nodes_from(self.ids)
        table, values = self.edges(**limits)._filled(None)
        names = [column.name for column in table.columns]
        for row in zip(*(values[name] for name in names), strict=True):
            facts = dict(zip(names, row, strict=True))
            graph.add_edge(facts.pop(_ENDS[0]), facts.pop(_ENDS[1]), **facts)
        return graph

    @public
    def clusters(
        self, rule: str = "components", *, identity: float = 0.0, coverage: float = 0.0, evalue: float | None = None
    ) -> Mapping[str, str]:
        """Return the representative of each sequence, both by the names that `ids` has.

        Parameters
        ----------
        rule : {"components", "greedy", "complete", "upgma"}
        identity, coverage : float
            Pairs that reach both, shares of 1, are similar: over the columns, and of the shorter sequence.
        evalue : float, optional
            At most; all that were kept if not given.

        Raises
        ------
        InvalidParameter
            If there is no such rule, a share is not from 0 to 1, or not all pairs were compared.
        """
        if rule not in CLUSTER_RULES:
            raise InvalidParameter("rule", rule, f"There is no rule '{rule}'.", hint=f"There are {[*CLUSTER_RULES]}.")
        kept = self.network.up_to(evalue)
        made = CLUSTER_RULES[rule].cluster(kept.similar(EdgeLimit(identity, coverage)), identity)
        ids = kept.names
        return {ids[index]: ids[other] for index, other in enumerate(made.representative.tolist())}

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        name = "" if is_open_file(path) else str(path_of(path))
        if not format and name.endswith(SUFFIX):
            return lambda place: save_network(self.network, place)
        form = graph_format(format or "", name)
        return lambda place: save_text(place, lambda file: form.write(self.network, file))


@described(NETWORK)
def network(sequences: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any) -> SequenceNetwork:
    """Compare sequences all against all, exactly.

    All other parameters are the options of ``swgui network``, with the same names, defaults and checks.

    Parameters
    ----------
    sequences : str, Path, Database, or what queries of `swgui.search` may be
        A text is always a path: of a file of sequences, a ``.swdb`` file, or a ``.swnet`` file, which is read.
    progress : as of `swgui.search`

    Returns
    -------
    SequenceNetwork
        After Ctrl+C with the pairs that were compared by then, and a `SwguiWarning`; its `complete` is False.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        After Ctrl+C before any pairs were compared.
    """
    arguments = NETWORK.arguments(options)
    place = arguments.fasta = to_search(sequences)
    ask = partial(network_request, arguments)
    if isinstance(place, Path) and place.suffix == SUFFIX:
        asked = ask(threading.Event())
        assert isinstance(asked.sequences, Network)
        return SequenceNetwork(asked.sequences.up_to(asked.evalue), [("network", place)])
    found = run_kind("network", ask, progress)
    return SequenceNetwork(found.outcome.network, _files(sequences=place))


@described(CLUSTER)
def cluster(sequences: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any) -> RunResult:
    """Cluster sequences by a rule, of all pairs of them; how often its promise is broken is counted.

    All other parameters are the options of ``swgui cluster``, with the same names, defaults and checks.

    Parameters
    ----------
    sequences, progress : as of `swgui.network`

    Returns
    -------
    RunResult
        A row for each sequence, with its cluster and its representative; `RunResult.sentences` says what was counted.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        After Ctrl+C: clusters follow from all pairs.
    """
    arguments = CLUSTER.arguments(options)
    arguments.fasta = to_search(sequences)
    ask = partial(cluster_request, arguments, aligned=True)
    return run_kind("cluster", ask, progress, _files(sequences=arguments.fasta))


@described(SPLIT)
def split(sequences: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any) -> RunResult:
    """Put sequences into parts with no similar pair between two of them.

    All other parameters are the options of ``swgui split``, with the same names, defaults and checks.

    Parameters
    ----------
    sequences, progress : as of `swgui.network`

    Returns
    -------
    RunResult
        A row for each sequence, with its part.

    Raises
    ------
    SwguiError, KeyboardInterrupt
        As of `swgui.cluster`.
    """
    arguments = SPLIT.arguments(options)
    arguments.fasta = to_search(sequences)
    return run_kind("split", partial(split_request, arguments), progress, _files(sequences=arguments.fasta))


@described(JUDGE)
def judge(
    clusters: str | PathLike[str] | Mapping[str, str],
    sequences: DatabaseLike,
    *,
    progress: OnProgress | bool | None = None,
    **options: Any,
) -> RunResult:
    """List the pairs that given clusters part or join wrongly, of all pairs of the sequences.

    All other parameters are the options of ``swgui judge``, with the same names, defaults and checks.

    Parameters
    ----------
    clusters : str, Path or Mapping of str to str
        A file of clusters, or the cluster of each sequence by its name, as `SequenceNetwork.clusters` returns them.
    sequences, progress : as of `swgui.network`

    Returns
    -------
    RunResult
        A row for each pair.

    Raises
    ------
    SwguiError, KeyboardInterrupt
        As of `swgui.cluster`.
    """
    arguments = JUDGE.arguments(options)
    arguments.fasta = to_search(sequences)
    given: dict[str, Any] = {"sequences": arguments.fasta}
    if isinstance(clusters, Mapping):
        arguments.clusters = ListedClusters("", dict(clusters), {name: name for name in clusters.values()})
    else:
        arguments.clusters = str(path_of(clusters))
        given["clusters"] = Path(arguments.clusters)
    return run_kind("judge", partial(judge_request, arguments), progress, _files(**given))


@described(LEAK)
def leak(
    train: DatabaseLike,
    test: DatabaseLike | None = None,
    *,
    progress: OnProgress | bool | None = None,
    **options: Any,
) -> RunResult:
    """Find the nearest training sequence of every test sequence.

    All other parameters are the options of ``swgui leak``, with the same names, defaults and checks.

    Parameters
    ----------
    train, test : as the sequences of `swgui.network`
        With `split`, `train` is a file of all parts, and `test` is left out.
    progress : as of `swgui.network`

    Returns
    -------
    RunResult
        A row for each test sequence, the most identical first; `RunResult.certificate` can be checked by
        ``swgui verify``.

    Raises
    ------
    SwguiError, KeyboardInterrupt
        As of `swgui.cluster`.
    """
    arguments = LEAK.arguments(options)
    arguments.train, arguments.test = to_search(train), None if test is None else to_search(test)
    files = _files(training=arguments.train, test=arguments.test, split=arguments.split and Path(arguments.split))
    return run_kind("leak", partial(leak_request, arguments), progress, files)


def _files(**given: Any) -> list[tuple[str, Path]]:
    """Return the files among what is given, each with what it holds."""
    return [(name, file) for name, place in given.items() if isinstance(place, Path) for file in database_files(place)]
