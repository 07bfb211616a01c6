"""The comparison of sequences all against all: its request, its steps, and its outcome, a network."""

from __future__ import annotations

import threading
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet
from swgui.core.contexts import NO_CONTEXT, context_said
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.engines import registry
from swgui.io.database.any_file import open_any_database
from swgui.io.matrices import load_matrix
from swgui.io.network.file import SUFFIX, load_network
from swgui.io.network.graphs import Network
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.jobs.events import Event, Stage
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import compared_of, network_from, stopped_at

EVALUE: Final = 1e-5  # up to which pairs are kept, as EFI-EST keeps edges


@dataclass(frozen=True, slots=True, eq=False)
class NetworkRequest:
    """Sequences to be compared all against all.

    Parameters
    ----------
    sequences : Path, EncodedDatabase or Network
        A file of them, which the steps open, or the sequences themselves; or a network of them (a ``.swnet`` file),
        whose pairs are not compared again.
    source : str
        File that what is in memory was read from; empty if there is none, or it is `sequences`.
    evalue : float
        Pairs up to it are kept.
    scheme : ScoringScheme, optional
        By default the usual one of the kind of sequences (`usual_scheme`).
    strand : {"", "both", "plus"}
        Strands of nucleotides. With a `scheme` of proteins it is refused; with the usual scheme proteins ignore it.
    context : str
        As of `AllAgainstAll`. With a `scheme` of nucleotides it is refused; with the usual scheme nucleotides ignore
        it.
    name : str
        Name in a list of runs; by default that of the file.
    """

    kind: ClassVar[str] = "network"
    sequences: Path | EncodedDatabase | Network = field(repr=False)
    source: str = ""
    evalue: float = EVALUE
    scheme: ScoringScheme | None = None
    engine: str = registry.AUTO
    options: EngineOptions = field(default_factory=EngineOptions)
    strand: str = ""
    context: str = NO_CONTEXT
    name: str = ""

    @property
    def file(self) -> str:
        """Path of the file of the sequences; empty if there is none."""
        return str(self.sequences.absolute()) if isinstance(self.sequences, Path) else self.source

    @property
    def comparison(self) -> NetworkRequest:
        """The comparison that the outcome follows from: itself."""
        return self

    @property
    def is_saved(self) -> bool:
        """Whether it reads a saved network, whose pairs are not compared again."""
        place = self.sequences
        return isinstance(place, Network) or (isinstance(place, Path) and place.suffix == SUFFIX)

    def saved(self) -> Network | None:
        """Return the saved network, which is read if need be; None where sequences are compared."""
        place = self.sequences
        if isinstance(place, Path) and place.suffix == SUFFIX:
            return load_network(place)
        return place if isinstance(place, Network) else None

    @property
    def scoring(self) -> str:
        """The scoring in words; empty for the usual one of the sequences."""
        if isinstance(self.sequences, Network):
            return self.sequences.said
        if self.context != NO_CONTEXT:
            return context_said(self.context)
        return self.scheme.describe() if self.scheme is not None else ""

    @property
    def has_strands(self) -> bool:
        """Whether these sequences, which are open, were or will be compared on both strands or plus alone."""
        place = self.sequences
        assert not isinstance(place, Path)  # it was opened
        return bool(place.strand if isinstance(place, Network) else place.alphabet.complements)

    @property
    def called(self) -> str:
        """Name in a list of runs."""
        database = self.sequences
        return self.name or database.name or "Network"

    def opened(self, cancel: threading.Event) -> AllAgainstAll:
        """Open the sequences and return the requested comparison; errors as of `AllAgainstAll`.

        Raises
        ------
        InvalidParameter
            If it is a network, which lacks residues.
        SwguiError
            If the file cannot be read.
        """
        place = self.sequences
        if isinstance(place, Network) or (isinstance(place, Path) and place.suffix == SUFFIX):
            message = "This network does not name the file of its sequences, so they cannot be compared again."
            raise InvalidParameter("sequences", self.called, message, hint="Give the file of the sequences.")
        database = open_any_database(place, cancel=cancel, listed=False) if isinstance(place, Path) else place
        scheme, strand, context = self.scheme, self.strand, self.context
        if scheme is None:  # the strand counts only if these are nucleotides, the context if they are not
            scheme = usual_scheme(database.alphabet)
            strand, context = (strand, NO_CONTEXT) if scheme.alphabet.complements else ("", context)
        arrays = database.arrays()
        how = self.evalue, self.engine, self.options
        return AllAgainstAll(arrays, arrays, scheme, *how, strand=strand, context=context)


@dataclass(frozen=True, slots=True, eq=False)
class NetworkOutcome:
    """A network, of all pairs or of those that were compared before Stop.

    Parameters
    ----------
    seconds : float
        Wall time of the comparison, pauses left out.
    cells : int
        Cells that were computed.
    database : EncodedDatabase, optional
        The sequences, where they are in memory.
    """

    network: Network
    seconds: float = 0.0
    cells: int = 0
    database: EncodedDatabase | None = field(default=None, repr=False)

    @property
    def complete(self) -> bool:
        """Whether every pair was compared."""
        return self.network.complete

    @property
    def sentence(self) -> str:
        """The outcome in words; a partial network says that it is partial."""
        made = self.network
        said = made.census.said(f"with E up to {made.evalue:g}{made.ways}")
        return f"{said} {made.partly}".rstrip()


def network_steps(
    asked: NetworkRequest, control: threading.Event, log: Log | NoLog = NO_LOG
) -> Generator[Event, None, NetworkOutcome]:
    """Compare sequences all against all; after Stop the outcome has the pairs that were compared by then.

    A saved network, also a partial one, gives its own pairs up to the E of the request.

    Parameters
    ----------
    control : Event
        Stops the comparison; a `RunControl` pauses it, too, between two blocks.
    log : Log
        Has the blocks that an earlier run compared, and takes those that are compared now.

    Raises
    ------
    Stopped
        If it is stopped before any block was compared.
    SwguiError
        As of `NetworkRequest.opened` and `compared_of`.
    """
    if (saved := asked.saved()) is not None:
        return NetworkOutcome(saved.up_to(asked.evalue))
    yield Stage("Reading sequences")
    pairs = asked.opened(control)
    compared = yield from compared_of(pairs, control, log)
    made = network_from(pairs, compared.edges, asked.file, compared.share)
    return NetworkOutcome(made, compared.seconds, compared.cells, pairs.subjects)


def whole_network(
    asked: NetworkRequest, control: threading.Event, log: Log | NoLog = NO_LOG
) -> Generator[Event, None, NetworkOutcome]:
    """Return the requested network with all pairs up to its E: a saved one's own, or compared ones.

    Raises
    ------
    Stopped
        If it is stopped before all pairs were compared.
    InvalidParameter
        If a saved network lacks pairs.
    SwguiError
        As of `network_steps`.
    """
    outcome = yield from network_steps(asked, control, log)
    if asked.is_saved:
        outcome.network.check_complete()
    elif not outcome.complete:
        raise stopped_at(outcome.network.compared)
    return outcome


def usual_scheme(alphabet: Alphabet) -> ScoringScheme:
    """Return BLAST's scoring of nucleotides (2, -3, gaps 5/2), or of proteins (BLOSUM62, gaps 11/1)."""
    if alphabet.name == NUCLEOTIDE.name:
        return ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2)
    return ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
