"""The work of the page in the background: comparing, cutting at a threshold, laying out, drawing large networks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.headers import header_of
from swgui.core.network.clusters import CLUSTER_RULES, Census, Graph
from swgui.core.network.drawing import edge_density, put_discs
from swgui.core.network.edges import lengths_of, rows_of
from swgui.core.network.layout import lay_out
from swgui.core.network.measures import IDENTITIES, EdgeLimit, alignment_scores
from swgui.core.network.tree import Tree, grow
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Strand
from swgui.core.table import Value
from swgui.gui.kit.tasks.task import TaskControl
from swgui.gui.network.requests import LongRequest, compared_by, long_or_not
from swgui.io.network.file import SUFFIX, load_network
from swgui.io.network.graphs import Network
from swgui.io.sample_files import write_sample
from swgui.jobs.network.aligning import turned
from swgui.jobs.network.edges import scheme_of, sequences_of
from swgui.jobs.network.request import NetworkOutcome, NetworkRequest
from swgui.paths import cache_dir
from swgui.runs.plain import Kept

SAMPLE_FOLDER: Final = "sample"
COVERED: Final = 0.8  # of the shorter sequence, for representatives
MANY: Final = 8_000  # from this number of visible edges and sequences on a worker draws them
CLASSES: Final = 12  # clusters that have a colour of their own


@dataclass(frozen=True, eq=False)
class LoadedNetwork:
    """A network with the values derived from it once.

    Parameters
    ----------
    path : Path or None
        The file it was read from; None if it was not saved yet.
    database : EncodedDatabase or None
        The sequences; None if they were not read.
    whole : LoadedNetwork or None
        The network of which this shows representatives, or some sequences.
    sequences : ndarray, shape=(N,), dtype=int64
        Numbers of these sequences in the whole network; empty if this is the whole.
    members : ndarray, shape=(N,), dtype=int64
        Number of sequences that each represents; empty if they represent none.
    run_id : str
        The run it is kept as; empty if it is none.
    not_kept : str
        Why it is not kept among the runs.
    """

    network: Network
    path: Path | None = None
    database: EncodedDatabase | None = field(default=None, repr=False)
    whole: LoadedNetwork | None = field(default=None, repr=False)
    sequences: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)
    members: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64), repr=False)
    run_id: str = ""
    not_kept: str = ""

    @property
    def resumable(self) -> bool:
        """Whether it is partial, and kept among the runs, so that its comparison can continue."""
        return bool(self.run_id) and not self.network.complete

    def stands_for(self, index: int) -> int:
        """Return the number of sequences that one of those shown represents."""
        return int(self.members[index]) if len(self.members) else 1

    @cached_property
    def scores(self) -> NDArray[np.int64]:
        """Alignment score of each edge."""
        made = self.network
        return alignment_scores(made.edges, lengths_of(made.edges, made.lengths, made.lengths), made.bits)

    @cached_property
    def identities(self) -> NDArray[np.float64]:
        """Identity of each edge over the columns of its alignment, in percent."""
        made = self.network
        return 100 * IDENTITIES["columns"].of(made.edges, lengths_of(made.edges, made.lengths, made.lengths))

    @cached_property
    def tree(self) -> Tree:
        """Order in which clusters join when the threshold falls."""
        edges = self.network.edges
        ends = edges.first.astype(np.int64), edges.second.astype(np.int64)
        return grow(len(self.network.ids), *ends, self.scores.astype(np.float64))

    @cached_property
    def names(self) -> list[str]:
        """Names of the sequences as files have them."""
        return self.network.names

    @cached_property
    def organisms(self) -> list[str]:
        """The organism of each sequence, as far as its header names one."""
        texts = zip(self.network.ids, self.network.descriptions, strict=True)
        return [header_of(SequenceRecord(name, text, b"")).organism for name, text in texts]

    @property
    def range(self) -> tuple[int, int]:
        """The least and the highest alignment score."""
        return (int(self.scores.min()), int(self.scores.max())) if len(self.scores) else (0, 0)

    def proposed(self) -> int:
        """Return the threshold to begin with: where edges are 35 % identical, as EFI-EST advises, or half are left."""
        low, high = self.range
        if not len(self.scores):
            return low
        half = int(np.median(self.scores))
        order = np.argsort(self.scores, kind="stable")
        scores, identities = self.scores[order], self.identities[order]
        for threshold in np.unique(np.linspace(low, high, 60).astype(np.int64)).tolist():
            near = identities[np.searchsorted(scores, threshold) :][: max(len(scores) // 50, 20)]
            if len(near) and np.median(near) >= 35:
                return min(int(threshold), half)
        return half

    @property
    def remark(self) -> str:
        """Notes for the user."""
        where = " It is kept among Runs." if self.resumable else ""
        partly = f"{self.network.partly}{where}" if self.network.partly else ""
        return " ".join(filter(None, (partly, self.not_kept)))


@dataclass(frozen=True, eq=False)
class Cut:
    """A network at a threshold.

    Parameters
    ----------
    threshold : int
        Edges of at least this alignment score are there.
    edges : ndarray, shape=(k,), dtype=int64
        Their rows.
    clusters : ndarray, shape=(N,), dtype=int64
        Cluster of each sequence, numbered from the largest on.
    sizes : ndarray, shape=(clusters,), dtype=int64
    places : ndarray, shape=(N, 2)
    """

    threshold: int
    edges: NDArray[np.int64] = field(repr=False)
    clusters: NDArray[np.int64] = field(repr=False)
    sizes: NDArray[np.int64] = field(repr=False)
    places: NDArray[np.float64] = field(repr=False)

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Which sequences have no edge, shape (N,)."""
        alone: NDArray[np.bool_] = self.sizes[self.clusters] == 1
        return alone

    def said(self, noun: str = "sequence") -> str:
        """Return the numbers of the network as a sentence."""
        alone = f" (pairwise E ≤ 1e-{self.threshold})" if self.threshold > 0 else ""
        which = f"with an alignment score of at least {self.threshold:,}{alone}"
        return Census.of(self.sizes, len(self.edges)).said(which, noun)


# A file, what gives sequences, a run to show or to resume, or a request.
Source = Path | Callable[[], EncodedDatabase] | Kept


@dataclass(frozen=True)
class Comparing:
    """How sequences are compared: by which engine, nucleotides on which strands, proteins by which contexts."""

    engine: str
    options: EngineOptions
    strand: str  # both or plus
    context: str  # own or none


def prepare(
    source: Source, name: str, how: Comparing, control: TaskControl
) -> LoadedNetwork | LongRequest | NetworkRequest:
    """Read a network or the outcome of a run, or return the requested comparison, with its sequences open.

    A comparison that takes long is only forecast.

    Parameters
    ----------
    name : str
        Its name in the list of runs.

    Raises
    ------
    SwguiError
        If the network cannot be read or the comparison not prepared.
    Stopped
        If the user stopped it.
    """
    if isinstance(source, Path) and source.suffix == SUFFIX:
        made = LoadedNetwork(load_network(source), source)
    elif isinstance(source, Kept):
        outcome: NetworkOutcome = source.outcome
        made = LoadedNetwork(outcome.network, database=outcome.database, run_id=source.run_id, not_kept=source.not_kept)
    else:
        sequences = source if isinstance(source, Path) else source()
        request = NetworkRequest(
            sequences, engine=how.engine, options=how.options, strand=how.strand, context=how.context, name=name
        )
        compared = compared_by(request, control)
        assert compared is not None  # a saved network is a file
        request = replace(request, sequences=compared.subjects, source=request.file, context=compared.context)
        asked = long_or_not(request, compared)
        checking(control)()
        return cast("LongRequest | NetworkRequest", asked)
    _ = made.tree, made.identities
    return made


def sequences_again(source: Source) -> Source:
    """Return the sequences of a source, to be compared in another way."""
    if not isinstance(source, Kept):
        return source
    sequences = source.asked.sequences
    assert not isinstance(sequences, Network)  # a saved one is a file for this page
    return sequences if isinstance(sequences, Path) else partial(_itself, sequences)


def _itself(sequences: EncodedDatabase) -> EncodedDatabase:
    return sequences


def part_of(whole: LoadedNetwork, only: NDArray[np.bool_] | None, control: TaskControl) -> LoadedNetwork:
    """Return the network of some sequences and the edges between them; `only`, shape=(N,), or None for all."""
    if only is None:
        return whole
    checking(control)()
    return _shown(whole, np.flatnonzero(only), np.zeros(0, np.int64))


def collapse(
    whole: LoadedNetwork,
    identity: float,
    expanded: frozenset[int],
    only: NDArray[np.bool_] | None,
    control: TaskControl,
) -> LoadedNetwork:
    """Return a network of representatives, by greedy clustering of edges that reach an identity and `COVERED`.

    Parameters
    ----------
    identity : float
        Share of 1; 0 for all sequences.
    expanded : frozenset of int
        Representatives, by index in the whole, all members of whose groups are shown.
    only : ndarray, shape=(N,), optional
        Sequences of the whole to use; all without it.
    """
    part = part_of(whole, only, control)
    if not identity:
        return part
    network, at = part.network, part.sequences if only is not None else np.arange(len(whole.network.ids))
    of = CLUSTER_RULES["greedy"].cluster(network.similar(EdgeLimit(identity, COVERED)), identity).representative
    checking(control)()
    open_ = np.isin(at[of], np.array(sorted(expanded), dtype=np.int64))
    shown = np.flatnonzero(open_ | (of == np.arange(len(of))))
    members = np.where(open_[shown], 1, np.bincount(of, minlength=len(of))[shown])
    return _shown(whole, at[shown], members)


def _shown(whole: LoadedNetwork, shown: NDArray[np.int64], members: NDArray[np.int64]) -> LoadedNetwork:
    """Return the network of some sequences, by index in the whole, and of the edges between them."""
    network = whole.network
    edges = network.edges
    number = np.full(len(network.ids), -1, dtype=np.int32)
    number[shown] = np.arange(len(shown))
    rows = np.flatnonzero((number[edges.first] >= 0) & (number[edges.second] >= 0))
    kept = edges.take(rows)
    kept = replace(kept, first=number[kept.first], second=number[kept.second])
    ids, descriptions = ([texts[index] for index in shown.tolist()] for texts in (whole.names, network.descriptions))
    made = replace(
        network, ids=ids, descriptions=descriptions, lengths=network.lengths[shown], edges=kept, bits=network.bits[rows]
    )
    collapsed = LoadedNetwork(made, whole.path, whole.database, whole, shown, members)
    _ = collapsed.tree, collapsed.identities
    return collapsed


def records_of(
    loaded: LoadedNetwork, pair: tuple[int, int], control: TaskControl
) -> tuple[SequenceRecord, SequenceRecord, ScoringScheme, Strand]:
    """Return two sequences of a network, the query first, their scoring, and the strand of the query.

    Raises
    ------
    InvalidParameter
        If the file they were read from is not there any more, or holds others now, or the scoring is not known.
    """
    whole = loaded.whole or loaded
    database = whole.database or sequences_of(whole.network, control)
    a, b = (int(loaded.sequences[index]) if len(loaded.sequences) else index for index in pair)
    scheme, edges = scheme_of(whole.network, (a, b), database, control), whole.network.edges
    if turned((database, database), np.array([a]), np.array([b]))[0]:
        a, b = b, a
    row = int(rows_of(np.array([sorted((a, b))]), edges.first, edges.second)[0])
    strand: Strand = "both" if whole.network.strand == "both" else "plus"  # where there is no edge
    if row >= 0:
        strand = "plus" if edges.strands[row] > 0 else "minus"
    return database.record(a), database.record(b), scheme, strand


def cut(loaded: LoadedNetwork, threshold: int, control: TaskControl) -> Cut:
    """Return a network at a threshold, laid out."""
    edges, rows = loaded.network.edges, np.flatnonzero(loaded.scores >= threshold)
    labels = loaded.tree.cut(float(threshold))
    _, numbers, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.lexsort((np.arange(len(sizes)), -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    ends = edges.first[rows].astype(np.int64), edges.second[rows].astype(np.int64)
    graph = Graph(loaded.network.lengths, *ends, loaded.scores[rows].astype(np.float64))
    places = lay_out(graph, check=checking(control))
    return Cut(threshold, rows, rank[numbers], sizes[order], places)


def curves(loaded: LoadedNetwork) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return thresholds, and how many edges and clusters there are at each of them."""
    low, high = loaded.range
    thresholds = np.unique(np.linspace(low, high, 200).astype(np.int64))
    ascending = np.sort(loaded.scores)
    edges = len(ascending) - np.searchsorted(ascending, thresholds, side="left")
    return thresholds, edges, loaded.tree.counts(thresholds.astype(np.float64))


def classes_of(loaded: LoadedNetwork, made: Cut, kind: str) -> tuple[NDArray[np.int64], list[str]]:
    """Return the colour class of each sequence, -1 for none, and the name of each class.

    Parameters
    ----------
    kind : {"cluster", "organism", "length", "neighbours"}
    """
    if kind == "cluster":
        named = int(min((made.sizes > 1).sum(), CLASSES))
        classes = np.where(made.clusters < named, made.clusters, -1)
        return classes, [f"Cluster {number + 1} ({made.sizes[number]:,})" for number in range(named)]
    if kind == "organism":
        return _most_frequent(loaded.organisms)
    values = loaded.network.lengths.astype(np.int64)
    if kind == "neighbours":
        edges = loaded.network.edges
        ends = np.concatenate([edges.first[made.edges], edges.second[made.edges]])
        values = np.bincount(ends, minlength=len(loaded.network.ids))
    return _quarters(values)


def classes_by(values: Sequence[Value]) -> tuple[NDArray[np.int64], list[str]]:
    """Return the colour class of each sequence by a value of a table of the user's own; as of `classes_of`.

    Texts that are frequent have a colour each, numbers one of four with about as many sequences; None has none.
    """
    if any(isinstance(value, str) for value in values) or all(value is None for value in values):
        return _most_frequent(["" if value is None else str(value) for value in values])
    known = np.array([value is not None for value in values], np.bool_)
    numbers = np.array([0.0 if value is None else float(value) for value in values], np.float64)
    classes = np.full(len(values), -1, np.int64)
    classes[known], names = _quarters(numbers[known])
    return classes, names


def _quarters(values: NDArray[Any]) -> tuple[NDArray[np.int64], list[str]]:
    """Return a class of each of some numbers, four with about as many each, and the name of each class."""
    if values.dtype.kind == "f" and not np.array_equal(values, np.floor(values)):
        borders = np.unique(np.quantile(values, [0.25, 0.5, 0.75]))
        ends = [float(values.min()), *borders.tolist(), float(values.max())]
        return np.searchsorted(borders, values, side="right"), [
            f"{low:,.4g} to {high:,.4g}" for low, high in pairwise(ends)
        ]
    values = values.astype(np.int64)
    borders = np.unique(np.quantile(values, [0, 0.25, 0.5, 0.75, 1]).astype(np.int64)) if len(values) else values
    steps = borders[1:-1] if len(borders) > 2 else borders[1:]
    classes = np.searchsorted(steps, values, side="right")
    ends_of = [*(steps - 1).tolist(), int(values.max(initial=0))]
    begins = [int(values.min(initial=0)), *steps.tolist()]
    return classes, [f"{a:,} to {b:,}" if a < b else f"{a:,}" for a, b in zip(begins, ends_of, strict=True)]


def _most_frequent(texts: Sequence[str]) -> tuple[NDArray[np.int64], list[str]]:
    names, numbers, counts = np.unique(
        np.array(texts, dtype=object).astype(str), return_inverse=True, return_counts=True
    )
    counts = np.where(names == "", 0, counts)
    order = np.lexsort((names, -counts))[:CLASSES]
    order = order[counts[order] > 0]
    place = np.full(len(names), -1)
    place[order] = np.arange(len(order))
    return place[numbers], [f"{names[number]} ({counts[number]:,})" for number in order.tolist()]


@dataclass(frozen=True, eq=False)
class Drawing:
    """Points and edges to draw of a large network.

    Parameters
    ----------
    points : ndarray, shape=(N, 2)
        In pixels.
    ends : tuple of ndarray
        The two sequences of each edge.
    colours : ndarray, shape=(N, 4), dtype=uint8
        Red, green, blue, opacity.
    """

    points: NDArray[np.float64] = field(repr=False)
    ends: tuple[NDArray[np.int64], NDArray[np.int64]] = field(repr=False)
    colours: NDArray[np.uint8] = field(repr=False)
    size: tuple[int, int]
    radius: int
    edge_colour: tuple[int, int, int]


def drawn(asked: Drawing, control: TaskControl) -> NDArray[np.uint8]:
    """Return a large network as a picture, shape (height, width, 4)."""
    width, height = asked.size
    picture = np.zeros((height, width, 4), dtype=np.uint8)
    picture[:, :, :3] = asked.edge_colour
    density = edge_density(asked.points[asked.ends[0]], asked.points[asked.ends[1]], width, height)
    picture[:, :, 3] = 150 * density
    if not control.is_set():
        put_discs(picture, asked.points, asked.colours, asked.radius)
    return picture


def sample_file(name: str) -> Path:
    """Write a file of the sample, and return it; errors as of `write_sample`."""
    folder = cache_dir() / SAMPLE_FOLDER
    for _ in write_sample(folder, [name]):
        pass
    return folder / name
