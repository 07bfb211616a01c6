"""``swgui.network``: sequences all against all, their clusters, and what edges there are."""

from __future__ import annotations

import argparse
import os
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

from numpy.typing import NDArray

from swgui.commands.engine import check_method
from swgui.commands.network import NETWORK_EVALUE, check_scoring, network_options, network_request
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.network.clusters import CLUSTER_RULES
from swgui.core.network.measures import PairLimit
from swgui.core.table import Table
from swgui.core.words import count
from swgui.io.database.any_file import open_any_database
from swgui.io.network.file import SUFFIX, load_network, save_network
from swgui.io.network.graphs import GRAPH_FORMATS, Network
from swgui.io.network.tables import EdgeRows
from swgui.io.outputs import check_outputs
from swgui.io.whole_file import save_text
from swgui.jobs.events import Event
from swgui.jobs.network.request import network_steps
from swgui.library.calls import public
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.frames import Tabular
from swgui.library.options import Parameters, described
from swgui.library.result import Result
from swgui.library.session import OnProgress, finish, warn
from swgui.library.values import path_of

_FILES: Final = ("fasta", "out", "export", "format", "min_alignment_score", "min_identity", "min_coverage")
NETWORK: Final = Parameters("network", network_options, without=_FILES)


class NetworkEdges(Tabular, Mapping[str, "NDArray[Any]"]):
    """Edges of a network: an array for each column, and data frames.

    Parameters
    ----------
    table : Table
        Its form may change between versions.
    """

    def __init__(self, table: Table[EdgeRows]) -> None:
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


class SequenceNetwork(Result):
    """Sequences and all pairs of them up to an E-value, each with the figures of its best alignment.

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

    def __len__(self) -> int:
        return len(self.network.ids)

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
        limit = PairLimit(identity, coverage, identity_over, coverage_of)
        return NetworkEdges(self.network.up_to(evalue).reaching(limit).edges_table())

    def to_pandas(self, **limits: Any) -> Any:
        """Return `edges` as a ``pandas.DataFrame``; `MissingPackage` if pandas is not installed."""
        return self.edges(**limits).to_pandas()

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
        made = CLUSTER_RULES[rule].cluster(kept.similar(PairLimit(identity, coverage)), identity)
        ids = kept.names
        return {ids[index]: ids[other] for index, other in enumerate(made.representative.tolist())}

    @public
    def write(self, path: str | os.PathLike[str], format: str = "") -> None:
        """Write the network, whole or not at all: a ``.swnet`` file, or one of the formats of ``swgui network``.

        Raises
        ------
        InvalidParameter
            If there is no such format, or the file is one that was read.
        FileNotWritten
            If it cannot be written.
        """
        check_outputs({"path": path}, self._inputs)
        place = path_of(path)
        if not format and place.suffix == SUFFIX:
            save_network(self.network, place)
            return
        by_ending = (form for form in GRAPH_FORMATS.values() if place.suffix in form.suffixes)
        form = GRAPH_FORMATS.get(format) if format else next(by_ending, None)
        if form is None:
            raise InvalidParameter(
                "format",
                format or place.suffix,
                "This is no format of networks.",
                hint=f"There are {[*GRAPH_FORMATS]}.",
            )
        save_text(place, lambda file: form.write(self.network, file))


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
    if isinstance(sequences, str | os.PathLike) and str(sequences).endswith(SUFFIX):
        saved = load_network(path_of(sequences))
        check_scoring(arguments, saved)
        return SequenceNetwork(saved.up_to(arguments.evalue), [("network", path_of(sequences))])
    check_method(arguments)
    arguments.evalue = NETWORK_EVALUE if arguments.evalue is None else arguments.evalue
    place = to_search(sequences)
    made, _ = finish(partial(_compared, arguments, place), progress)
    if made.partly:
        warn(made.partly)
    return SequenceNetwork(made, [("sequences", place)] if isinstance(place, Path) else [])


def _compared(
    arguments: argparse.Namespace, place: Path | EncodedDatabase, cancel: threading.Event
) -> Generator[Event, None, Network]:
    database = place if isinstance(place, EncodedDatabase) else open_any_database(place, cancel=cancel)
    source = str(place) if isinstance(place, Path) else ""
    outcome = yield from network_steps(network_request(arguments, database, arguments.evalue, source), cancel)
    return outcome.network
