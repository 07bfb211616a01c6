"""Every pair of one set of sequences, or of two, scored; pairs within an E are aligned and counted.

Within one set each pair is scored once: blocks of queries go through the sequences in storage order, longest first, and
each block is compared with sequences that are not longer than its first query. Each of several devices takes the next
block when it
is done with one, and what of its alignments is wanted is counted there. A pair is kept where E is within the limit, and
identical sequences are kept whatever their E.

Nucleotides are compared on both strands unless the request is for the plus strand alone: the reverse complements of a
block
are further queries, and a pair has the better score of its two.

A pair has one score, one E and one alignment, whichever set its sequences are of (`swgui.jobs.network.aligning`).
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.control import RunControl, checking
from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped
from swgui.core.hits.scores import ChunkScores, distinct
from swgui.core.network.edges import Edges, rows_of
from swgui.core.packing import ChunkPlan, plan_chunks
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.words import count
from swgui.engines import registry
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.choice import Work
from swgui.engines.host import memory, usable_cores
from swgui.io.database.any_file import open_any_database
from swgui.io.network.graphs import Network
from swgui.io.saved.log import NO_LOG, Arrays, Log, NoLog
from swgui.io.statistics import load_statistics
from swgui.jobs.check.device import require_exact_engine
from swgui.jobs.events import PAUSED, SHORT_CELLS, Event, Foretold, Progress, Stage
from swgui.jobs.network.aligning import Candidates, align_pairs, encoded, figures_of
from swgui.jobs.network.resume import add_block, kept_blocks
from swgui.jobs.threads import Tasks
from swgui.paths import moved

STAGE: Final = "Comparing all pairs"
BLOCK: Final = 512  # queries that are scored together, at most
BLOCK_RESIDUES: Final = 1 << 17  # of them, at most: to align those of the longest takes much longer
BINS: Final = 64  # of lengths: the lowest score within the limit is looked up for each pair of bins
STRANDS: Final = {"both": (1, -1), "plus": (1,)}
HIGHEST: Final = 1 << 20  # highest score tried for a limit
USUAL: Final = 10.0  # up to this E the pairs by chance are few
PAIR_BYTES: Final = 100  # of a pair that is kept, while pairs are put in order
LARGEST_PART: Final = 0.999  # highest share reported of an incomplete comparison

_Ints = NDArray[np.int64]
_Scored = tuple[_Ints, NDArray[np.int32]]  # subjects and their scores


@dataclass(frozen=True, slots=True, eq=False)
class AllAgainstAll:
    """All requested pairs.

    Parameters
    ----------
    queries, subjects : ArrayDatabase
        The same object for all pairs of one set.
    evalue : float
        Pairs up to it are kept.
    space : (float, float), optional
        Residues and sequences that E refers to: those of all sequences that are compared if not given.
    strand : {"", "both", "plus"}
        Of nucleotides; empty is both of them, or what proteins have.

    Raises
    ------
    InvalidParameter
        If there are no sequences, no E-value is known for the scheme, a pair has no single score by it, the limit is no
        number above 0, the pairs within it may not fit in memory, or the request is for a strand of proteins.
    """

    queries: ArrayDatabase = field(repr=False)
    subjects: ArrayDatabase = field(repr=False)
    scheme: ScoringScheme
    evalue: float
    engine: str = registry.AUTO
    options: EngineOptions = field(default_factory=EngineOptions)
    space: tuple[float, float] | None = None
    strand: str = ""

    def __post_init__(self) -> None:
        for database in (self.queries, self.subjects):
            if not len(database):
                raise InvalidParameter("fasta", database.name, f"'{database.name}' holds no sequence.")
        if not 0 < self.evalue < np.inf:
            raise InvalidParameter(
                "evalue",
                self.evalue,
                f"The limit of E must be a number above 0, not {self.evalue:g}.",
                hint="10 is usual; 1e99 keeps every pair that has an alignment.",
            )
        self._check_room()
        self._check_strand()
        if load_statistics(self.scheme) is None:
            raise InvalidParameter(
                "matrix",
                self.scheme.matrix.name,
                f"No E-values are published for {self.scheme.describe()}.",
                hint="Take a matrix and gap costs that BLAST has, such as BLOSUM62 with 11/1.",
            )
        matrix = self.scheme.matrix
        if not np.array_equal(matrix.scores, matrix.scores.T):
            raise InvalidParameter(
                "matrix",
                matrix.name,
                f"Matrix '{matrix.name}' has another score for A against B than for B against A, so that a pair has "
                "no single score.",
                hint="Take a symmetric matrix.",
            )

    def _check_strand(self) -> None:
        """Refuse strands of proteins, and both strands where it matters which sequence is turned around."""
        alphabet, matrix = self.scheme.alphabet, self.scheme.matrix
        if self.strand and not alphabet.complements:
            raise InvalidParameter("strand", self.strand, "Proteins have no strands.", hint="Leave out the strand.")
        if self.strand not in ("", *STRANDS):
            raise InvalidParameter(
                "strand",
                self.strand,
                f"Pairs cannot be compared on the strand '{self.strand}'.",
                hint="Take both or plus.",
            )
        if len(self.strands) > 1:
            other = alphabet.reverse_complement(np.arange(len(matrix.scores), dtype=np.uint8))[::-1]
            if not np.array_equal(matrix.scores[np.ix_(other, other)], matrix.scores):
                raise InvalidParameter(
                    "matrix",
                    matrix.name,
                    f"Matrix '{matrix.name}' has another score for two bases than for their complements, so that a "
                    "pair has no single score on the minus strand.",
                    hint="Take --strand plus.",
                )

    def _check_room(self) -> None:
        """Refuse a limit of E above the usual by which chance alone may fill the memory."""
        most, every = max(len(self.queries), len(self.subjects)), len(self.queries) * len(self.subjects)
        pairs = min(2 * self.evalue * most, every // 2 if self.one_set else every)
        if self.evalue > USUAL and PAIR_BYTES * pairs > memory() / 2:
            raise InvalidParameter(
                "evalue",
                self.evalue,
                f"Up to {count(int(pairs), 'pair')} with E up to {self.evalue:g} may not fit in memory.",
                hint="Take a lower limit of E, or fewer sequences.",
            )

    @property
    def one_set(self) -> bool:
        """Whether these are the pairs of one set."""
        return self.queries is self.subjects

    @property
    def compared(self) -> str:
        """Which strands are compared: both, plus, or empty of proteins."""
        return (self.strand or "both") if self.scheme.alphabet.complements else ""

    @property
    def strands(self) -> tuple[int, ...]:
        """The strands of the queries."""
        return STRANDS.get(self.compared, (1,))

    @property
    def statistics(self) -> KarlinAltschul:
        """The statistics of E."""
        found = load_statistics(self.scheme)
        assert found is not None  # looked at when this was made
        return found

    @property
    def search_space(self) -> tuple[float, float]:
        """Residues and sequences that E refers to."""
        if self.space is not None:
            return self.space
        sets = (self.subjects,) if self.one_set else (self.queries, self.subjects)
        return sum(one.search_space[0] for one in sets), sum(one.search_space[1] for one in sets)

    @property
    def cells(self) -> int:
        """Cells of all pairs together, on all strands."""
        if not self.one_set:
            return len(self.strands) * self.queries.residues * self.subjects.residues
        squares = int((self.queries.lengths.astype(np.int64) ** 2).sum())
        return len(self.strands) * (self.queries.residues**2 - squares) // 2


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """The pairs of the blocks that were compared: of all blocks, or of those that were done before Stop.

    Parameters
    ----------
    cells, total : int
        Cells of the pairs that were compared, and those of all pairs.
    seconds : float
        Wall time, also of earlier runs that this one continued, pauses left out.
    complete : bool
        Whether every pair was compared.
    """

    edges: Edges
    cells: int
    total: int
    seconds: float
    complete: bool

    @property
    def share(self) -> float:
        """Share of the cells that was computed; below 1 unless every pair was compared."""
        return 1.0 if self.complete else min(self.cells / max(self.total, 1), LARGEST_PART)

    def whole(self) -> Edges:
        """Return the edges of all pairs; `Stopped` if not every pair was compared."""
        if not self.complete:
            raise stopped_at(self.share)
        return self.edges


def stopped_at(share: float) -> Stopped:
    """Return the error that a comparison was stopped, from whose pairs nothing follows."""
    return Stopped(f"Stopped when {100 * share:.1f} % of the pairs were compared.")


def compared_of(
    asked: AllAgainstAll, cancel: threading.Event, log: Log | NoLog = NO_LOG
) -> Generator[Event, None, Compared]:
    """Score all pairs and align those that are kept; after Stop those of the blocks that were done by then.

    Parameters
    ----------
    cancel : Event
        A `RunControl` pauses between two blocks, too.
    log : Log
        Has the blocks that an earlier run did, and takes those that are done.

    Raises
    ------
    LogError
        If the log is of another comparison.
    EngineUnavailable, EngineFault
        If no engine can do it.
    Stopped
        If `cancel` is set before any block was done.
    """
    engines, why = registry.ending_first(asked.engine, asked.options, _work_of(asked))
    if why:
        yield Foretold(why)
    choices = list(engines)
    while True:
        name = choices.pop(0)
        try:
            yield from require_exact_engine(name, asked.options, cancel)
            with registry.new_engine(name, asked.options) as engine:
                return (yield from _scored(asked, engine, cancel, log))
        except (EngineFault, EngineUnavailable):
            if not choices or cancel.is_set():
                raise


def _work_of(asked: AllAgainstAll) -> Work:
    """Return the work of all pairs."""
    residues = max(asked.queries.residues, 1)
    return Work(asked.cells, asked.cells * len(asked.queries) / residues)


def edges_of(asked: AllAgainstAll, cancel: threading.Event, log: Log | NoLog = NO_LOG) -> Generator[Event, None, Edges]:
    """Score all pairs; returns those that are kept, aligned, by first and second sequence.

    Parameters and errors as of `compared_of`.

    Raises
    ------
    Stopped
        If `cancel` is set before all pairs were compared: what follows from all of them does not follow from some.
    """
    return (yield from compared_of(asked, cancel, log)).whole()


def network_of(
    asked: AllAgainstAll, cancel: threading.Event, log: Log | NoLog = NO_LOG, source: str | Path = ""
) -> Generator[Event, None, Network]:
    """Return the sequences of one set with all pairs that are kept; after Stop with those of the pairs compared so far.

    Parameters and errors as of `compared_of`.

    Parameters
    ----------
    source : str or Path
        File of the sequences, if there is one.
    """
    compared = yield from compared_of(asked, cancel, log)
    return network_from(asked, compared.edges, source, compared.share)


def network_from(asked: AllAgainstAll, edges: Edges, source: str | Path = "", share: float = 1.0) -> Network:
    """Return the sequences of one set with the pairs that were kept; `share` of the cells was computed."""
    database = asked.subjects
    texts = list(database.ids), list(database.descriptions)
    bits = asked.statistics.bit_scores(edges.scores)
    made = Network(database.name, *texts, database.lengths, edges, bits, asked.evalue, compared=share)
    place = str(Path(source).absolute()) if source else ""
    return replace(made, source=place, checksum=database.checksum, scheme=asked.scheme, strand=asked.compared)


def sequences_of(network: Network, cancel: threading.Event) -> EncodedDatabase:
    """Open the file that the sequences of a network were read from.

    Raises
    ------
    InvalidParameter
        If it is not there any more, or holds others now.
    SwguiError
        If it cannot be read.
    """
    place = str(moved(Path(network.source))) if network.source else ""
    again = "Compare the file of sequences again."
    hint = again if place else "Make the network again: of a file of sequences, or of the hits."
    if not place or not Path(place).exists():
        said = f"The file of the sequences is not there: '{place}'."
        raise InvalidParameter(
            "sequences",
            place,
            said if place else "This network does not name the file of its sequences.",
            hint=hint,
        )
    database = open_any_database(Path(place), cancel=cancel, listed=False)
    same = len(database) == len(network.ids) and np.array_equal(database.lengths, network.lengths)
    same = same and network.checksum in ("", database.checksum)
    if not same or list(database.ids) != list(network.ids):
        raise InvalidParameter("sequences", place, f"The file '{place}' holds other sequences now.", hint=hint)
    return database


def asked_again(network: Network, sequences: EncodedDatabase, scheme: ScoringScheme) -> AllAgainstAll:
    """Return the comparison that a network came of."""
    strand = (network.strand or "plus") if sequences.alphabet.complements else ""  # as all were compared before
    arrays = sequences.arrays()
    return AllAgainstAll(arrays, arrays, scheme, network.evalue, strand=strand)


def scheme_of(
    network: Network, pair: tuple[int, int], sequences: EncodedDatabase, cancel: threading.Event
) -> ScoringScheme:
    """Return the scoring and options of the alignments of a network's edges: they have the score of the network.

    Raises
    ------
    InvalidParameter
        If a file of an earlier version has them in words that name no known matrix, or another score results.
    Stopped
        If `cancel` is set.
    """
    scheme, ends = network.scheme, np.sort(np.array([pair], dtype=np.int64))
    if scheme is not None and not network.scoring:
        return scheme
    if scheme is not None and scheme.alphabet.name == sequences.alphabet.name:
        row = int(rows_of(ends, network.edges.first, network.edges.second)[0])
        found = identities_of(asked_again(network, sequences, scheme), ends, cancel).scores[0]
        if row < 0 or found == network.edges.scores[row]:
            return scheme
    raise InvalidParameter(
        "scoring",
        network.scoring,
        f"The network was made with {network.said}; its file does not hold those scores, so that the alignment shown "
        "might be another.",
        hint="Compare the file of sequences again.",
    )


def _scored(
    asked: AllAgainstAll, engine: Engine, cancel: threading.Event, log: Log | NoLog
) -> Generator[Event, None, Compared]:
    limit, parts, facts, cells = _Limit(asked), dict[int, Edges](), facts_of(asked), _cells_by_begin(asked)
    clock, total = _Clock(cancel), max(asked.cells, 1)
    for begin, seconds, columns in kept_blocks(log, facts):
        parts[begin] = limit.edges(columns)
        clock.earlier = max(clock.earlier, seconds)
    done = sum(cells[begin] for begin in parts)
    if not parts and asked.cells >= SHORT_CELLS:
        from swgui.jobs.forecast import foretelling  # here: few take long
        from swgui.jobs.network.forecast import comparison_forecast

        yield from foretelling(comparison_forecast(asked))
    with ExitStack() as stack:
        engines = _side_by_side(engine, asked, stack)
        scorer = _Scorer(asked, limit, engines, cancel)
        tasks = stack.enter_context(Tasks[int, Edges](usable_cores() + len(engines), "swgui-pairs"))
        stack.callback(scorer.over.set)
        for begin, end in _blocks(asked):
            if begin not in parts:
                tasks.begin(begin, partial(scorer.edges, begin, end))
        try:
            while tasks:
                yield from clock.rest()
                yield Progress(done, total, clock.seconds, stage=STAGE)
                for begin, edges in tasks.done(patient=True):
                    parts[begin], done = edges, done + cells[begin]
                    add_block(log, begin, clock.seconds, edges, facts)
        except Stopped:
            if not parts:
                raise
    joined = Edges.join([parts[begin] for begin in sorted(parts)])
    return Compared(joined, done, total, clock.seconds, complete=len(parts) == len(cells))


def _cells_by_begin(asked: AllAgainstAll) -> dict[int, int]:
    """Return the cells of the pairs of each block, by where it begins; together they are those of all pairs."""
    offsets = asked.queries.offsets.astype(np.int64)
    behind = offsets[-1] - offsets[1:] if asked.one_set else np.full(len(offsets) - 1, asked.subjects.residues)
    cells = np.concatenate([[0], np.cumsum(len(asked.strands) * np.diff(offsets) * behind)])
    return {begin: int(cells[end] - cells[begin]) for begin, end in _blocks(asked)}


class _Clock:
    """Wall time of a comparison with that of the earlier runs it continues, pauses left out."""

    def __init__(self, cancel: threading.Event) -> None:
        self._control, self._began, self._paused, self.earlier = cancel, time.perf_counter(), 0.0, 0.0

    @property
    def seconds(self) -> float:
        """Seconds of earlier runs and since this was made, pauses left out."""
        return self.earlier + time.perf_counter() - self._began - self._paused

    def rest(self) -> Iterator[Stage]:
        """Wait while the run is paused."""
        if isinstance(self._control, RunControl) and self._control.paused:
            yield Stage(PAUSED)
            self._paused += self._control.wait_while_paused()


def _side_by_side(engine: Engine, asked: AllAgainstAll, stack: ExitStack) -> Sequence[Engine]:
    """Return engines that score at the same time in place of one, until `stack` is closed."""
    others: Sequence[Engine] = ()
    if isinstance(engine, DeviceEngine):
        batches = (_encoded(asked, begin, end) for begin, end in _blocks(asked))
        others = engine.side_by_side(asked.subjects, asked.scheme, batches)
    for other in others:
        stack.callback(other.close)
    return others or [engine]


class _Scorer:
    """Scores blocks of queries, each by an engine that is free, and has what is kept of them aligned."""

    def __init__(self, asked: AllAgainstAll, limit: _Limit, engines: Sequence[Engine], cancel: threading.Event) -> None:
        self._asked, self._limit, self.cancel = asked, limit, cancel
        self._free = queue.SimpleQueue[Engine]()
        self.over = threading.Event()  # set to take no more blocks
        for engine in engines:
            self._free.put(engine)

    def edges(self, begin: int, end: int) -> Edges:
        """Return the pairs of a block that are kept; its places are in storage order."""
        asked = self._asked
        block, queries = asked.queries.order[begin:end].astype(np.int64), _encoded(asked, begin, end)
        if isinstance(self.cancel, RunControl):
            self.cancel.wait_while_paused()
        engine = self._free.get()
        try:
            checking(self.over)()
            found = self._scores(engine, block, queries, begin)
        finally:
            self._free.put(engine)
        checking(self.cancel)()
        return aligned_edges(asked, self._limit, _scored_pairs(block, found), engine, self.cancel)

    def _scores(
        self, engine: Engine, block: _Ints, queries: Sequence[EncodedQuery], begin: int
    ) -> Sequence[Sequence[_Scored]]:
        asked = self._asked
        plans = _plans(asked, engine, queries, begin)
        found: list[list[_Scored]] = [[] for _ in queries]
        for chunk in engine.score(queries, asked.subjects, plans, asked.scheme, self.cancel):
            query = int(block[chunk.query_index % len(block)])
            found[chunk.query_index].append(self._limit.near(query, chunk))
        return found


def _blocks(asked: AllAgainstAll) -> Iterator[tuple[int, int]]:
    """Yield where blocks of queries begin and end in storage order; those of two strands are half as large."""
    begin, queries = 0, asked.queries
    number, residues = max(BLOCK // len(asked.strands), 1), BLOCK_RESIDUES // len(asked.strands)
    while begin < len(queries):
        most = int(np.searchsorted(queries.offsets, queries.offsets[begin] + residues, side="right")) - 1
        end = min(max(most, begin + 1), begin + number, len(queries))
        if end < len(queries):  # two queries share a kernel: one that is left over needs another
            end -= (end - begin) % 2 if end - begin > 1 else 0
        yield begin, end
        begin = end


def _encoded(asked: AllAgainstAll, begin: int, end: int) -> list[EncodedQuery]:
    """Return the queries of a block, and behind them their reverse complements where both strands are compared."""
    block = asked.queries.order[begin:end].tolist()
    return [encoded(asked.queries, index, strand) for strand in asked.strands for index in block]


def facts_of(asked: AllAgainstAll) -> dict[str, object]:
    """Return the request, as plain values, by the names that messages give a difference."""
    scheme = asked.scheme
    return {
        "other sequences": asked.queries.checksum,
        "other sequences they are compared with": asked.subjects.checksum,
        "another scoring": [scheme.matrix.name, scheme.matrix.scores.tolist(), scheme.gap_first, scheme.gap_extend],
        "other strands": asked.compared,
        "another limit of E": asked.evalue,
        "other sequences that E refers to": list(asked.search_space),
        "blocks of another size": [BLOCK, BLOCK_RESIDUES],
        "another version of this program": swgui.__version__,
    }


def _plans(asked: AllAgainstAll, engine: Engine, queries: Sequence[EncodedQuery], begin: int) -> list[ChunkPlan]:
    """Return the chunks for a block of queries; of one set only what is stored from its first query on."""
    offsets, limits = asked.subjects.offsets, engine.chunk_limits(queries, asked.subjects)
    first = begin if asked.one_set else 0
    rest = plan_chunks(np.asarray(offsets[first:]) - offsets[first], limits)
    return [ChunkPlan(plan.start + first, plan.stop + first, plan.residues) for plan in rest]


class _Limit:
    """Which pairs are kept.

    E is looked up in bins of lengths first, the same for both sets. With the finite-size correction it is an area that
    grows with both lengths, over the shorter length: the area of the shortest sequences of two bins, over the longest
    length of the lower bin, is not above that of any other of them. With effective lengths only the longer one matters.
    """

    def __init__(self, asked: AllAgainstAll) -> None:
        self._asked, self._log10 = asked, np.log10(asked.evalue)
        self._lengths = tuple(one.lengths.astype(np.int64) for one in (asked.queries, asked.subjects))
        self._order = np.asarray(asked.subjects.order, dtype=np.int64)
        self._at_zero = lru_cache(maxsize=None)(self._classic_at_zero)
        self._from, self._longest, (self._query_bin, bins) = _bins(self._lengths)
        self._bin = bins[self._order]  # of what is stored at each position
        least = self._least_scores()  # once: threads that score would all compute them
        self._least = lru_cache(maxsize=None)(lambda query_bin: least[query_bin][self._bin])
        self._position = asked.subjects.position
        self._same = identical(asked)
        self._same_stored = self._same[1][self._order]
        self._repeated = np.isin(self._same[0], self._same[1]) if not asked.one_set else _repeated(self._same[0])

    def _classic_at_zero(self, longer: int) -> float:
        """Return the decadic logarithm of E of score 0 by effective lengths."""
        return float(self._asked.statistics.log10_evalues([0], longer, [1], *self._asked.search_space)[0])

    def _evalues(self, longer: _Ints, shorter: _Ints, scores: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the decadic logarithm of E of pairs, by the lengths of the longer sequence and of the shorter one."""
        statistics, space = self._asked.statistics, self._asked.search_space
        if statistics.gumbel is not None:
            return statistics.log10_evalues(scores, longer, shorter, *space)
        lengths, of = np.unique(longer, return_inverse=True)
        at_zero = np.array([self._at_zero(length) for length in lengths.tolist()])
        return at_zero[of] + self._below_zero(scores)

    def _below_zero(self, scores: NDArray[np.integer]) -> NDArray[np.float64]:
        """Return the reduction of the logarithm of E by effective lengths, for scores."""
        space = self._asked.search_space
        return self._asked.statistics.log10_evalues(scores, 1, np.ones(len(scores)), *space) - self._at_zero(1)

    @cached_property
    def _lowest_at_zero(self) -> NDArray[np.float64]:
        """The lowest E of score 0 by effective lengths of each bin, which need not be that of its shortest sequence."""
        lengths = distinct(np.concatenate(self._lengths))
        lowest = np.full(len(self._from), np.inf)
        bins = np.maximum(np.searchsorted(self._from, lengths, side="right") - 1, 0)
        np.minimum.at(lowest, bins, np.array([self._at_zero(length) for length in lengths.tolist()]))
        return lowest

    def _lower_bound(self, longer: _Ints, shorter: _Ints, scores: _Ints) -> NDArray[np.float64]:
        """Return lower limits of E of pairs, by the bins of their lengths."""
        if self._asked.statistics.gumbel is None:
            return self._lowest_at_zero[longer] + self._below_zero(scores)
        ratio = np.log10(self._longest[shorter] / self._from[shorter])
        return self._evalues(self._from[longer], self._from[shorter], scores) - ratio

    def _least_scores(self) -> NDArray[np.int32]:
        """Return the score of each two bins below which no pair is within the limit, shape (bins, bins), by halving."""
        bins = len(self._from)
        a, b = (ends.ravel() for ends in np.indices((bins, bins)))
        longer, shorter = np.maximum(a, b), np.minimum(a, b)
        low, high = np.zeros(len(a), np.int64), np.full(len(a), HIGHEST, np.int64)
        while (high - low > 1).any():
            middle = (low + high) // 2
            within = self._lower_bound(longer, shorter, middle) <= self._log10
            low, high = np.where(within, low, middle), np.where(within, middle, high)
        return high.astype(np.int32).reshape(bins, bins)

    def near(self, query: int, chunk: ChunkScores) -> _Scored:
        """Return the subjects that may be kept with a query, and their scores; of one set those stored behind it."""
        begin, scores = self._stored(chunk)
        end = begin + len(scores)
        if self._asked.one_set:
            behind = min(max(begin, int(self._position[query]) + 1), end)
            begin, scores = behind, scores[behind - begin :]
        near = scores >= self._least(int(self._query_bin[query]))[begin:end]
        if self._repeated[query]:
            near |= self._same_stored[begin:end] == self._same[0][query]
        rows = np.flatnonzero(near)
        return self._order[begin + rows], scores[rows]

    def _stored(self, chunk: ChunkScores) -> tuple[int, NDArray[np.int32]]:
        """Return where the subjects of a chunk are stored consecutively, and their scores."""
        db_index, scores = np.asarray(chunk.db_index), np.asarray(chunk.scores)
        begin = int(self._position[db_index[0]]) if len(db_index) else 0
        if not np.array_equal(db_index, self._order[begin : begin + len(db_index)]):
            raise EngineFault("Scores of subjects that are not consecutive came back.")
        return begin, scores

    def kept(self, first: _Ints, second: _Ints, scores: NDArray[np.integer]) -> tuple[NDArray[np.float64], _Ints]:
        """Return the decadic logarithm of E of pairs, shape (n,), and the numbers of those that are kept."""
        log10 = self._pairs_evalues(first, second, scores)
        same = self._same[0][first] == self._same[1][second]
        return log10, np.flatnonzero((same | (log10 <= self._log10)) & (scores > 0))

    def edges(self, columns: Arrays) -> Edges:
        """Return pairs that were kept by an earlier run, without E."""
        first, second = columns["first"].astype(np.int64), columns["second"].astype(np.int64)
        return Edges(log10_evalues=self._pairs_evalues(first, second, columns["scores"]), **columns)

    def _pairs_evalues(self, first: _Ints, second: _Ints, scores: NDArray[np.integer]) -> NDArray[np.float64]:
        lengths = self._lengths[0][first], self._lengths[1][second]
        return self._evalues(np.maximum(*lengths), np.minimum(*lengths), scores)


def _bins(lengths: tuple[_Ints, ...]) -> tuple[_Ints, _Ints, tuple[NDArray[np.uint8], ...]]:
    """Return the shortest and the longest length of each of some bins, and the bins of the lengths of each set."""
    every = np.concatenate(lengths)
    shortest, longest = max(int(every.min(initial=1 << 40)), 1), max(int(every.max(initial=1)), 1)
    first = distinct(np.floor(np.geomspace(min(shortest, longest), longest, BINS)).astype(np.int64))
    of_each = tuple(np.maximum(np.searchsorted(first, one, side="right") - 1, 0).astype(np.uint8) for one in lengths)
    return first, np.append(first[1:] - 1, longest), of_each


def identical(asked: AllAgainstAll) -> tuple[_Ints, _Ints]:
    """Return a number for each sequence of two sets, the same for those with the same residues.

    Where both strands are compared, reverse complements have the same number, too.
    """
    numbers: dict[bytes, int] = {}
    turned = asked.scheme.alphabet.reverse_complement if len(asked.strands) > 1 else None

    def content(codes: NDArray[np.uint8]) -> bytes:
        if turned is None:
            return codes.tobytes()
        other = turned(codes)
        return min(other.tobytes(), turned(other).tobytes())  # twice, as a T comes back of U

    def of(database: EncodedDatabase) -> Iterator[int]:
        for index in range(len(database)):
            yield numbers.setdefault(content(database.subject(index)), len(numbers))

    own = np.fromiter(of(asked.queries), np.int64, len(asked.queries))
    return own, own if asked.one_set else np.fromiter(of(asked.subjects), np.int64, len(asked.subjects))


def _repeated(numbers: _Ints) -> NDArray[np.bool_]:
    """Return which of some numbers occur more than once, shape as `numbers`."""
    return np.bincount(numbers)[numbers] > 1 if len(numbers) else np.zeros(0, dtype=np.bool_)


def _scored_pairs(block: _Ints, found: Sequence[Sequence[_Scored]]) -> Candidates:
    """Return the candidates of the queries of a block, each pair once, on the strand on which it scores more.

    Parameters
    ----------
    found : sequence
        By query, and then by reverse complement.
    """
    counts = [sum(len(db_index) for db_index, _ in of_query) for of_query in found]
    of = np.repeat(np.arange(len(found)), counts)
    second = np.concatenate([np.zeros(0, np.int64), *(db_index for pairs in found for db_index, _ in pairs)])
    scores = np.concatenate([np.zeros(0, np.int32), *(some for pairs in found for _, some in pairs)])
    first, strands = block[of % len(block)], np.where(of < len(block), 1, -1).astype(np.int8)
    if len(found) == len(block):
        return Candidates(first, second, strands, scores)
    order = np.lexsort((-strands, -scores, second, first))
    first, second = first[order], second[order]
    better = np.ones(len(order), dtype=np.bool_)
    better[1:] = (np.diff(first) != 0) | (np.diff(second) != 0)
    return Candidates(first[better], second[better], strands[order][better], scores[order][better])


def aligned_edges(
    asked: AllAgainstAll, limit: _Limit, near: Candidates, engine: Engine, cancel: threading.Event
) -> Edges:
    """Return the pairs that are kept of those that may be, with their alignments."""
    log10, kept = limit.kept(near.first, near.second, near.scores)
    pairs, sets = near.take(kept), (asked.queries, asked.subjects)
    edges = _edges(pairs, log10[kept], figures_of(sets, pairs, asked.scheme, engine, checking(cancel)))
    return in_order(edges) if asked.one_set else edges


def in_order(edges: Edges) -> Edges:
    """Return pairs of one set with the smaller source index first."""
    turned = edges.first > edges.second

    def smaller_first(a: NDArray[np.int32], b: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return np.where(turned, b, a), np.where(turned, a, b)

    first, second = smaller_first(edges.first, edges.second)
    spans = smaller_first(edges.first_span, edges.second_span)
    counts = edges.identities, edges.columns
    return Edges(first, second, edges.scores, edges.log10_evalues, *counts, *spans, edges.strands)


def identities_of(asked: AllAgainstAll, pairs: _Ints, cancel: threading.Event) -> Edges:
    """Return some pairs of one set with their best local alignments, whatever their E, in the order given.

    Parameters
    ----------
    pairs : ndarray, shape=(n, 2), dtype=int64
        Source indices.

    Raises
    ------
    Stopped
        If `cancel` is set.
    """
    sets = asked.queries, asked.subjects
    aligned, figures = align_pairs(sets, pairs, asked.scheme, asked.strands, checking(cancel))
    return _edges(aligned, np.full(len(pairs), np.nan), figures)


def _edges(pairs: Candidates, log10_evalues: NDArray[np.float64], figures: NDArray[np.integer]) -> Edges:
    first, second, scores = (values.astype(np.int32) for values in (pairs.first, pairs.second, pairs.scores))
    identities, columns, *spans = (values.astype(np.int32) for values in figures.T)
    return Edges(first, second, scores, log10_evalues, identities, columns, spans[0], spans[1], pairs.strands)
