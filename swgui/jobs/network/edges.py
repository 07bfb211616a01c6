"""Every pair of one set of sequences, or of two, scored; pairs within an E are aligned and counted.

Within one set each pair is scored once: blocks of queries go through the sequences in storage order, longest first, and
each block is compared with sequences that are not longer than its first query. Each of several devices takes the next
block when it is done with one, and what of its alignments is wanted is counted there. A pair is kept where E is within
the limit, and identical sequences are kept whatever their E.

Nucleotides are compared on both strands unless the request is for the plus strand alone: the reverse complements of a
block are further queries, and a pair has the better score of its two.

A pair has one score, one E and one alignment, whichever set its sequences are of (`swgui.jobs.network.aligning`). With
context scores it has two scores, of which one E follows (`swgui.jobs.network.both`): blocks go through all other
sequences, of two sets also those of the second through the first.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import swgui
from swgui.core.contexts import NO_CONTEXT
from swgui.core.control import Check, RunControl, checking
from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped
from swgui.core.network.edges import Edges, rows_of
from swgui.core.packing import ChunkPlan, plan_chunks
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import registry
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.choice import Work
from swgui.engines.host import usable_cores
from swgui.io.database.any_file import open_any_database
from swgui.io.network.graphs import Network
from swgui.io.saved.log import NO_LOG, Log, NoLog
from swgui.jobs.check.device import require_exact_engine
from swgui.jobs.events import PAUSED, SHORT_CELLS, Event, Foretold, Progress, Stage
from swgui.jobs.network.aligning import Candidates, align_pairs, figures_of
from swgui.jobs.network.all_against_all import AllAgainstAll
from swgui.jobs.network.limit import Law, PublishedE, Scored
from swgui.jobs.network.resume import add_block, kept_blocks
from swgui.jobs.threads import Tasks
from swgui.paths import moved

STAGE: Final = "Comparing all pairs"
BLOCK: Final = 512  # queries that are scored together, at most
BLOCK_RESIDUES: Final = 1 << 17  # of them, at most: to align those of the longest takes much longer
LARGEST_PART: Final = 0.999  # highest share reported of an incomplete comparison

_Ints = NDArray[np.int64]


class Block(NamedTuple):
    """Queries that are scored together, from `begin` to `end` in storage order."""

    side: int  # 0 if the queries are of the first set and the subjects of the second, 1 the other way round
    begin: int
    end: int

    @property
    def key(self) -> int:
        """The number of the block in the log."""
        return self.begin if not self.side else -1 - self.begin


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
    made = Network(database.name, *texts, database.lengths, edges, asked.bits(edges), asked.evalue, compared=share)
    place = str(Path(source).absolute()) if source else ""
    made = replace(made, source=place, checksum=database.checksum, scheme=asked.scheme, strand=asked.compared)
    return replace(made, context=asked.context)


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
    return AllAgainstAll(arrays, arrays, scheme, network.evalue, strand=strand, context=network.context)


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
    check_shown(network.context)
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


def check_shown(context: str) -> None:
    """Refuse the alignment of a pair by a matrix where it was scored by context; `InvalidParameter`."""
    if context != NO_CONTEXT:
        raise InvalidParameter(
            "context",
            context,
            "This pair was scored by the surroundings of its residues, and the page Pair aligns by a matrix.",
            hint="Search for one of the two sequences with context scores: the hit shows the alignment.",
        )


def _scored(
    asked: AllAgainstAll, engine: Engine, cancel: threading.Event, log: Log | NoLog
) -> Generator[Event, None, Compared]:
    parts, facts, cells = dict[int, Edges](), facts_of(asked), _cells_by_block(asked)
    clock, total = _Clock(cancel), max(asked.cells, 1)
    law: Law
    if asked.scoring.by_context:
        from swgui.jobs.network.both import both_directions_of  # here: few comparisons are by context

        law = yield from both_directions_of(asked, engine, cancel)
    else:
        law = PublishedE(asked)
    for key, seconds, columns in kept_blocks(log, facts):
        parts[key] = law.edges(columns)
        clock.earlier = max(clock.earlier, seconds)
    done = sum(cells[key] for key in parts)
    if not parts and asked.cells >= SHORT_CELLS:
        from swgui.jobs.forecast import foretelling  # here: few take long
        from swgui.jobs.network.forecast import comparison_forecast

        yield from foretelling(comparison_forecast(asked))
    with ExitStack() as stack:
        engines = _side_by_side(engine, asked, stack)
        scorer = _Scorer(asked, law, engines, cancel)
        tasks = stack.enter_context(Tasks[int, Edges](usable_cores() + len(engines), "swgui-pairs"))
        stack.callback(scorer.over.set)
        for block in _blocks(asked):
            if block.key not in parts:
                tasks.begin(block.key, partial(scorer.edges, block))
        try:
            while tasks:
                yield from clock.rest()
                yield Progress(done, total, clock.seconds, stage=STAGE)
                for key, edges in tasks.done(patient=True):
                    parts[key], done = edges, done + cells[key]
                    add_block(log, key, clock.seconds, edges, facts)
        except Stopped:
            if not parts:
                raise
    joined = Edges.join([parts[key] for key in sorted(parts)])
    return Compared(joined, done, total, clock.seconds, complete=len(parts) == len(cells))


def _cells_by_block(asked: AllAgainstAll) -> dict[int, int]:
    """Return the cells of the pairs of each block, by its key; together they are those of all pairs."""
    sums = []
    for own, other in ((asked.queries, asked.subjects), (asked.subjects, asked.queries)):
        offsets = own.offsets.astype(np.int64)
        lengths, others = np.diff(offsets), np.full(len(own), other.residues)
        if asked.one_set:
            others = others - lengths if asked.scoring.by_context else offsets[-1] - offsets[1:]
        sums.append(np.concatenate([[0], np.cumsum(len(asked.strands) * lengths * others)]))
    return {block.key: int(sums[block.side][block.end] - sums[block.side][block.begin]) for block in _blocks(asked)}


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
        batches = (_encoded(asked, block) for block in _blocks(asked))
        others = engine.side_by_side(asked.subjects, asked.scoring.scheme, batches)
    for other in others:
        stack.callback(other.close)
    return others or [engine]


class _Scorer:
    """Scores blocks of queries, each by an engine that is free, and has what is kept of them aligned."""

    def __init__(self, asked: AllAgainstAll, law: Law, engines: Sequence[Engine], cancel: threading.Event) -> None:
        self._asked, self._law, self.cancel = asked, law, cancel
        self._free = queue.SimpleQueue[Engine]()
        self.over = threading.Event()  # set to take no more blocks
        for engine in engines:
            self._free.put(engine)

    def edges(self, block: Block) -> Edges:
        """Return the pairs of a block that are kept."""
        asked = self._asked
        rows, queries = _rows(asked, block), _encoded(asked, block, checking(self.cancel))
        if isinstance(self.cancel, RunControl):
            self.cancel.wait_while_paused()
        engine = self._free.get()
        try:
            checking(self.over)()
            found = self._scores(engine, block, rows, queries)
        finally:
            self._free.put(engine)
        checking(self.cancel)()
        return aligned_edges(asked, self._law, block.side, _scored_pairs(rows, found), engine, self.cancel)

    def _scores(
        self, engine: Engine, block: Block, rows: _Ints, queries: Sequence[EncodedQuery]
    ) -> Sequence[Sequence[Scored]]:
        asked = self._asked
        plans, subjects = _plans(asked, engine, queries, block), asked.side(block.side)[1]
        found: list[list[Scored]] = [[] for _ in queries]
        for chunk in engine.score(queries, subjects, plans, asked.scoring.scheme, self.cancel):
            query = int(rows[chunk.query_index % len(rows)])
            found[chunk.query_index].append(self._law.near(block.side, query, chunk))
        return found


def _blocks(asked: AllAgainstAll) -> Iterator[Block]:
    """Yield blocks of queries; of two sets whose pairs have two scores each set is that of the queries in turn."""
    for side in (0, 1) if asked.scoring.by_context and not asked.one_set else (0,):
        yield from _blocks_of(asked, side)


def _blocks_of(asked: AllAgainstAll, side: int) -> Iterator[Block]:
    """Yield blocks of queries of one set; those of two strands are half as large."""
    begin, queries = 0, asked.side(side)[0]
    number, residues = max(BLOCK // len(asked.strands), 1), BLOCK_RESIDUES // len(asked.strands)
    while begin < len(queries):
        most = int(np.searchsorted(queries.offsets, queries.offsets[begin] + residues, side="right")) - 1
        end = min(max(most, begin + 1), begin + number, len(queries))
        if end < len(queries):  # two queries share a kernel: one that is left over needs another
            end -= (end - begin) % 2 if end - begin > 1 else 0
        yield Block(side, begin, end)
        begin = end


def _rows(asked: AllAgainstAll, block: Block) -> _Ints:
    """Return the queries of a block, by source index."""
    return asked.side(block.side)[0].order[block.begin : block.end].astype(np.int64)


def _encoded(asked: AllAgainstAll, block: Block, check: Check = lambda: None) -> list[EncodedQuery]:
    """Return the queries of a block, and behind them their reverse complements where both strands are compared."""
    queries, rows = asked.side(block.side)[0], _rows(asked, block).tolist()
    return [query for strand in asked.strands for query in asked.scoring.encoded(queries, rows, strand, check)]


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
        **({"other context scores": asked.scoring.checksum} if asked.scoring.by_context else {}),
    }


def _plans(asked: AllAgainstAll, engine: Engine, queries: Sequence[EncodedQuery], block: Block) -> list[ChunkPlan]:
    """Return the chunks for a block of queries; of one set with one score only from its first query on."""
    subjects = asked.side(block.side)[1]
    offsets, limits = subjects.offsets, engine.chunk_limits(queries, subjects)
    first = block.begin if asked.one_set and not asked.scoring.by_context else 0
    rest = plan_chunks(np.asarray(offsets[first:]) - offsets[first], limits)
    return [ChunkPlan(plan.start + first, plan.stop + first, plan.residues) for plan in rest]


def _scored_pairs(block: _Ints, found: Sequence[Sequence[Scored]]) -> Candidates:
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
    asked: AllAgainstAll, law: Law, side: int, near: Candidates, engine: Engine, cancel: threading.Event
) -> Edges:
    """Return the pairs that are kept of those that may be, with their alignments."""
    check, sets = checking(cancel), (asked.queries, asked.subjects)
    pairs, log10 = law.kept(side, near, check)
    scores, back = pairs.both_scores(sets)
    edges = _edges(pairs, scores, back, log10, figures_of(sets, pairs, asked.scoring, engine, check))
    return in_order(edges) if asked.one_set else edges


def in_order(edges: Edges) -> Edges:
    """Return pairs of one set with the smaller source index first."""
    turned = edges.first > edges.second

    def smaller_first(a: NDArray[np.int32], b: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return np.where(turned, b, a), np.where(turned, a, b)

    first, second = smaller_first(edges.first, edges.second)
    spans = smaller_first(edges.first_span, edges.second_span)
    return replace(edges, first=first, second=second, first_span=spans[0], second_span=spans[1])


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
    aligned, figures = align_pairs(sets, pairs, asked.scoring, asked.strands, checking(cancel))
    back = np.full(len(pairs), -1) if asked.scoring.by_context else None
    return _edges(aligned, aligned.scores, back, np.full(len(pairs), np.nan), figures)


def _edges(
    pairs: Candidates,
    scores: NDArray[np.integer],
    back: NDArray[np.integer] | None,
    log10_evalues: NDArray[np.float64],
    figures: NDArray[np.integer],
) -> Edges:
    first, second, scores = (values.astype(np.int32) for values in (pairs.first, pairs.second, scores))
    identities, columns, *spans = (values.astype(np.int32) for values in figures.T)
    other = None if back is None else back.astype(np.int32)
    counts = identities, columns, spans[0], spans[1]
    return Edges(first, second, scores, log10_evalues, *counts, pairs.strands, other)
