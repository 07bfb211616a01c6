"""The nearest training sequence of each test sequence, and what that says of a split."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import Alphabet
from swgui.core.contexts import NO_CONTEXT, context_said
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.network.edges import STRANDS_SAID, Edges, lengths_of
from swgui.core.network.measures import TINY, EdgeLimit
from swgui.core.plain import replace
from swgui.core.scoring import ScoringScheme
from swgui.core.table import Table
from swgui.core.words import count
from swgui.engines.registry import AUTO
from swgui.io.cells import sequence_names
from swgui.io.database.any_file import open_any_database
from swgui.io.network.clusters import read_clusters
from swgui.io.network.edge_tables import EdgeRows, NearestRows, nearest_table
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.jobs.events import Event, Stage
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.edges import compared_of
from swgui.jobs.network.request import usual_scheme

STEPS: Final = (100, 95, 90, 80, 70, 50, 40, 30)  # percent identity
SURE: Final = 1e-3  # up to this E an alignment is no chance, whatever it covers


@dataclass(frozen=True, slots=True, eq=False)
class SequenceSet:
    """Sequences by name and length: all that a saved leak knows of a set."""

    name: str
    ids: Sequence[str] = field(repr=False)
    lengths: NDArray[np.integer] = field(repr=False)
    checksum: str

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def residues(self) -> int:
        """Residues of all sequences."""
        return int(self.lengths.sum())


@dataclass(frozen=True, slots=True, eq=False)
class Leaks:
    """Test sequences with their nearest training sequences, the most identical first.

    Parameters
    ----------
    test, train : EncodedDatabase or SequenceSet
    order : ndarray, shape=(N,), dtype=int64
        Test sequences by source index; those without a relative last.
    nearest : ndarray, shape=(N,), dtype=int64
        For each of them, in this order, its row of `edges`; -1 without a relative.
    edges : Edges
        All relatives: the first sequence is one of the test, the second one of the training.
    identity, coverage : ndarray, shape=(n,), dtype=float64
        Of all edges, by the measures of `limit`.
    strands : {"", "both", "plus"}
        Of nucleotides those that were compared.
    """

    test: EncodedDatabase | SequenceSet = field(repr=False)
    train: EncodedDatabase | SequenceSet = field(repr=False)
    order: NDArray[np.int64] = field(repr=False)
    nearest: NDArray[np.int64] = field(repr=False)
    edges: Edges = field(repr=False)
    identity: NDArray[np.float64] = field(repr=False)
    coverage: NDArray[np.float64] = field(repr=False)
    limit: EdgeLimit
    strands: str = ""

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Names of the sequences of testing and of training in files (`sequence_names`)."""
        return sequence_names(self.test.ids), sequence_names(self.train.ids)

    def counts(self) -> dict[int, int]:
        """Return how many test sequences have a relative of at least so many percent identity."""
        return {step: self.reaching(step / 100) for step in STEPS}

    def reaching(self, identity: float) -> int:
        """Return how many test sequences have a relative of at least this identity, from 0 to 1."""
        return int((self.identity[self.nearest[self.nearest >= 0]] >= identity - TINY).sum())

    def table(self) -> Table[NearestRows]:
        """Return every test sequence with its nearest training sequence."""
        tested, _ = names = self.names
        found, lengths = self.nearest >= 0, (self.test.lengths, self.train.lengths)
        edges = self.edges.take(self.nearest[found])
        rows = EdgeRows(edges, names, lengths, np.full(len(edges), np.nan), self.strands)
        return nearest_table(NearestRows([tested[index] for index in self.order.tolist()], found, rows))

    def summary(self) -> list[str]:
        """Return the outcome, a sentence each."""
        related = int((self.nearest >= 0).sum())
        total = count(len(self.order), "test sequence has", "test sequences have")
        steps = ", ".join(f"{number:,} at {step} %" for step, number in self.counts().items())
        sure = int((self.edges.log10_evalues[self.nearest[self.nearest >= 0]] <= np.log10(SURE)).sum())
        among = count(len(self.train), "training sequence")
        return [
            f"{related:,} of {total} a neighbour among {among}{STRANDS_SAID[self.strands]}; {sure:,} with E up to "
            f"{SURE:g}.",
            f"Test sequences with a training sequence of at least so much identity: {steps}.",
        ]


@dataclass(frozen=True, slots=True, eq=False)
class LeakRequest:
    """A request for the nearest training sequences of test sequences.

    Parameters
    ----------
    train, test : Path or EncodedDatabase
        `test` is None where `split` tells both sets apart.
    limit : EdgeLimit
        Neighbours reach it.
    space, context
        As of `AllAgainstAll`.
    split : str
        A table of sequence and part; then the file of `train` has all parts.
    train_part, test_part : str
        Names of the parts of training and of testing in that table.
    sources : (str, str)
        Files that sets in memory were read from; empty if there are none.
    """

    kind: ClassVar[str] = "leak"
    is_saved: ClassVar[bool] = False  # networks have one set
    train: Path | EncodedDatabase = field(repr=False)
    test: Path | EncodedDatabase | None = field(repr=False)
    limit: EdgeLimit
    evalue: float = 10.0
    scheme: ScoringScheme | None = None
    engine: str = AUTO
    options: EngineOptions = field(default_factory=EngineOptions)
    strand: str = ""
    space: tuple[float, float] | None = None
    context: str = NO_CONTEXT
    split: str = ""
    train_part: str = "train"
    test_part: str = "test"
    sources: tuple[str, str] = ("", "")

    @property
    def comparison(self) -> LeakRequest:
        """The comparison that the outcome follows from: itself."""
        return self

    @property
    def scoring(self) -> str:
        """The scoring in words; empty for the usual one of the sequences."""
        if self.context != NO_CONTEXT:
            return context_said(self.context)
        return self.scheme.describe() if self.scheme is not None else ""

    @property
    def train_file(self) -> str:
        """Path of the file of training; empty if there is none."""
        return str(self.train) if isinstance(self.train, Path) else self.sources[0]

    @property
    def test_file(self) -> str | None:
        """Path of the file of testing; empty if there is none, None where `split` tells both sets apart."""
        if self.split:
            return None
        return str(self.test) if isinstance(self.test, Path) else self.sources[1]

    @property
    def parts(self) -> tuple[str, str]:
        """Names of both parts."""
        return self.train_part, self.test_part

    def opened(self, cancel: threading.Event) -> AllAgainstAll:
        """Open both sets and return the requested comparison; errors as of `AllAgainstAll` and of the files."""
        space = self.space
        if self.test is None:
            train, test, space = parts_of(self.train_file, self.split, self.parts, cancel)
        else:
            train = _opened(self.train, cancel)
            test = _opened(self.test, cancel, train.alphabet)
        scheme, strand = self.scheme, self.strand
        if scheme is None:
            scheme = usual_scheme(train.alphabet)
            strand = strand if scheme.alphabet.complements else ""
        return AllAgainstAll(
            test.arrays(), train.arrays(), scheme, self.evalue, self.engine, self.options, space, strand, self.context
        )


@dataclass(frozen=True, slots=True, eq=False)
class LeakOutcome:
    """The nearest training sequences; `asked` is the comparison, None where it was read from a file."""

    of_pairs: ClassVar[bool] = True  # whether rows of the table are pairs of sequences
    leaks: Leaks
    asked: AllAgainstAll | None = None
    seconds: float = 0.0
    cells: int = 0
    complete: bool = True

    @property
    def found(self) -> int:
        """How many test sequences have a neighbour."""
        return int((self.leaks.nearest >= 0).sum())

    @property
    def sentences(self) -> list[str]:
        """Return the outcome, a sentence each."""
        return self.leaks.summary()

    def edge_at(self, row: int) -> Edges | None:
        """Return the pair of a row of the table; None without a neighbour."""
        edge = int(self.leaks.nearest[row])
        return self.leaks.edges.take(slice(edge, edge + 1)) if edge >= 0 else None

    def table(self) -> Table[NearestRows]:
        """Return every test sequence with its nearest training sequence."""
        return self.leaks.table()


def leak_steps(
    asked: LeakRequest, control: threading.Event, log: Log | NoLog = NO_LOG
) -> Generator[Event, None, LeakOutcome]:
    """Find the nearest training sequence of each test sequence; errors as of `edges_of`.

    The nearest one follows from all pairs: after Stop there is none, and the blocks that were compared stay in the log.
    """
    yield Stage("Reading sequences")
    pairs = asked.opened(control)
    compared = yield from compared_of(pairs, control, log)
    leaks = nearest_of(pairs, compared.whole(), asked.limit)
    return LeakOutcome(leaks, pairs, compared.seconds, compared.cells)


def _opened(
    place: Path | EncodedDatabase, cancel: threading.Event, alphabet: Alphabet | None = None
) -> EncodedDatabase:
    return (
        open_any_database(place, alphabet=alphabet, cancel=cancel, listed=False) if isinstance(place, Path) else place
    )


def parts_of(
    path: str, table: str, parts: Sequence[str], cancel: threading.Event
) -> tuple[EncodedDatabase, EncodedDatabase, tuple[float, float]]:
    """Return the sequences of training and of testing that a table tells apart, and the search space of the whole file.

    Parameters
    ----------
    parts : sequence of str
        The names of both parts.
    """
    whole, listed = open_any_database(path, cancel=cancel, listed=False), read_clusters(table)
    made, names = [], sequence_names(whole.ids)
    for part in parts:
        chosen = [index for index, name in enumerate(names) if listed.cluster.get(name) == part]
        if not chosen:
            raise InvalidParameter(
                "split",
                table,
                f"No sequence of '{path}' is in the part '{part}' of '{table}'.",
                hint="Name the parts with --train-part and --test-part.",
            )
        records = (replace(whole.record(index), id=names[index]) for index in chosen)
        made.append(encode_database(records, whole.alphabet, f"{whole.name}: {part}"))
    return made[0], made[1], whole.search_space


def nearest_of(asked: AllAgainstAll, edges: Edges, limit: EdgeLimit) -> Leaks:
    """Find the nearest training sequence of each test sequence.

    That is the most identical one among those that reach the limit; of equals that with the better score, then the
    first.

    Parameters
    ----------
    asked : AllAgainstAll
        Its queries are those of the test, its subjects those of the training.
    edges : Edges
        What came of it.
    """
    test, train = asked.queries, asked.subjects
    lengths = lengths_of(edges, test.lengths, train.lengths)
    identity, coverage = limit.values(edges, lengths)
    order = np.lexsort((edges.second, -edges.scores.astype(np.int64), -identity, edges.first))
    order = order[limit.reached(edges, lengths)[order]]
    nearest = np.full(len(test), -1, dtype=np.int64)
    first, rows = np.unique(edges.first[order], return_index=True)
    nearest[first] = order[rows]
    known = nearest >= 0
    value = np.full(len(test), -1.0)
    value[known] = identity[nearest[known]]
    ranked = np.lexsort((np.arange(len(test)), -value))
    return Leaks(test, train, ranked, nearest[ranked], edges, identity, coverage, limit, asked.compared)
