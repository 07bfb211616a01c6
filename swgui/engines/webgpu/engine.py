"""The engine: queries against chunks of a database on adapters, and on the cores what the kernels do not do.

A query takes the narrow arithmetic where its scores and costs fit it, and the subjects whose score reaches the limit
are scored again in 32 bits. The cores score subjects too long for one workgroup, two tracks, and queries whose scores
could leave 32 bits.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence, Set
from functools import partial
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import ArrayDatabase, DatabaseChunk, take_chunk
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits, ChunkPlan, clipped
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix, check_same_alphabet
from swgui.engines.base import DeviceEngine, DeviceInfo, Engine
from swgui.engines.facts import WEBGPU
from swgui.engines.side_by_side import Run, merge
from swgui.engines.webgpu import checking, shapes, speeds
from swgui.engines.webgpu.card import Begun, Card, Prepared, Resident, prepare
from swgui.engines.webgpu.layout import Layout, lay_out
from swgui.engines.webgpu.shader import COLUMNS, NUMBERS, Shape

LONGEST: Final = 8_192  # residues of a subject; a longer one would keep one workgroup busy when all others have ended
# Residues of a chunk on cards of their own, on other adapters and in software: the same for all queries, so that
# layouts can stay on the card. Long queries are cut into launches instead.
CARD_CHUNK: Final = 64_000_000
OTHER_CHUNK: Final = 8_000_000
SOFTWARE_CHUNK: Final = 200_000
AHEAD: Final = 1  # batches that a card computes while the engine reads the scores of another
BATCH_SECONDS: Final = 0.1  # of queries whose scores come back together
BATCH_BYTES: Final = 64 << 20
CORES: Final = "cores"  # name of their thread
_log = logging.getLogger(__name__)


class Form(msgspec.Struct, frozen=True, eq=False):
    """A query and the kernel that scores it on one card."""

    index: int
    query: EncodedQuery
    shape: Shape
    again: Shape | None  # kernel of scores that reach the limit; None if no score can

    def prepared(self, scheme: ScoringScheme, *, again: bool = False) -> Prepared:
        """Return the query as its kernel, or that of scores at the limit, reads it."""
        shape = self.again if again and self.again is not None else self.shape
        profile = self.query.scores(scheme)
        return prepare(shape, profile, scheme.gap_first, scheme.gap_extend, self.query.gaps)


class _Waiting(msgspec.Struct, frozen=True, eq=False):
    """Queries and a chunk whose scores a card computes."""

    forms: Sequence[Form]
    chunk: DatabaseChunk
    begun: Begun


class Worker:
    """A card, the kernels that are right on it, and their speeds."""

    def __init__(self, card: Card) -> None:
        self.card = card
        self._speeds = speeds.of(card.adapter)
        self._right: dict[Shape, bool] = {}

    def form(self, index: int, query: EncodedQuery, scheme: ScoringScheme) -> Form | None:
        """Return the kernels of a query; None if the cores must score it.

        Raises
        ------
        EngineFault
            If the card fails.
        """
        exact = {number for number, arithmetic in NUMBERS.items() if query.bound(scheme) < arithmetic.limit}
        if query.gaps is not None or 8 * int(query.scores(scheme).max(initial=0)) > NUMBERS[shapes.NARROW].limit:
            usable = exact - {shapes.NARROW}
        else:
            usable = exact | {shapes.NARROW}
        first = self._soonest(query, scheme, usable)
        if first is None or first.number in exact:
            return None if first is None else Form(index, query, first, None)
        again = self._soonest(query, scheme, exact)
        return None if again is None else Form(index, query, first, again)

    def _soonest(self, query: EncodedQuery, scheme: ScoringScheme, numbers: Set[str]) -> Shape | None:
        """Return the right kernel that scores a query soonest in some arithmetics; None without one."""
        letters, gaps, adapter = len(scheme.alphabet) + 1, query.gaps is not None, self.card.adapter
        choices = [choice for choice in shapes.CHOICES if choice.number in numbers]
        fitting = shapes.fitting(choices, letters, adapter.limits, adapter.features, gaps=gaps)
        best = shapes.best(fitting, len(query), self._speeds)
        return next((shape for one in best if self._is_right(shape := one.shape(letters, gaps=gaps))), None)

    def _is_right(self, shape: Shape) -> bool:
        """Whether a kernel gave the right scores of made-up pairs on this card: each is tried once."""
        if shape not in self._right:
            self._right[shape] = checking.is_right(self.card, shape)
            if not self._right[shape]:
                _log.warning("A kernel gives wrong scores on %s and is not used: %s", self.card.name, shape)
        return self._right[shape]

    def score(
        self,
        forms: Sequence[Form],
        database: ArrayDatabase,
        plans: Iterator[ChunkPlan],
        scheme: ScoringScheme,
        stop: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Yield the scores of queries and plans, until there are no more plans or `stop` is set."""
        waiting: deque[_Waiting] = deque()
        for plan in plans:
            chunk = take_chunk(database, plan)

            def laid_out(chunk: DatabaseChunk = chunk) -> Layout:
                return lay_out(chunk.codes, chunk.lengths, len(scheme.alphabet))

            resident = self.card.keep((database.checksum, plan.start, plan.stop), laid_out, chunk.residues)
            for some in self._batches(forms, resident):
                begun = self.card.begin(resident, [form.prepared(scheme) for form in some], stop.is_set)
                if begun is None:
                    return
                waiting.append(_Waiting(some, chunk, begun))
                if len(waiting) > AHEAD:
                    yield from self._finished(waiting.popleft(), scheme, stop)
        while waiting and not stop.is_set():
            yield from self._finished(waiting.popleft(), scheme, stop)

    def _finished(self, one: _Waiting, scheme: ScoringScheme, stop: threading.Event) -> Iterator[ChunkScores]:
        """Yield the scores of launched queries; fewer if it was stopped."""
        scores = self.card.finish(one.begun)
        seconds = (time.perf_counter() - one.begun.began) / max(1, sum(len(form.query) for form in one.forms))
        chunk = one.chunk
        for form, of_query in zip(one.forms, scores, strict=True):
            again = self._again(form, of_query, chunk, scheme, stop)
            if again is None:
                return
            yield ChunkScores(
                query_index=form.index,
                db_index=chunk.db_index,
                scores=of_query.astype(np.int32),
                cells=len(form.query) * chunk.residues,
                rescored=again,
                device=self.card.name,
                seconds=seconds * len(form.query),
                stored=chunk.stored,
            )

    def _again(
        self, form: Form, scores: NDArray[np.int64], chunk: DatabaseChunk, scheme: ScoringScheme, stop: threading.Event
    ) -> int | None:
        """Replace the scores that reached the limit; returns how many, None if it was stopped."""
        reached = np.flatnonzero(scores >= form.shape.arithmetic.limit) if form.again is not None else ()
        if not len(reached):
            return 0
        lengths = chunk.lengths[reached]
        codes = np.concatenate([chunk.codes[chunk.offsets[k] : chunk.offsets[k + 1]] for k in reached])
        some = self.card.bring(lay_out(codes, lengths, len(scheme.alphabet)), len(codes))
        try:
            better = self.card.score(some, [form.prepared(scheme, again=True)], stop.is_set)
        finally:
            self.card.drop(some)
        if better is None:
            return None
        scores[reached] = better[0]
        return len(reached)

    def _batches(self, forms: Sequence[Form], resident: Resident) -> Iterator[list[Form]]:
        """Group queries whose scores come back together: a tenth of a second, and not too many bytes."""
        some: list[Form] = []
        seconds = size = 0.0
        for form in forms:
            some.append(form)
            seconds += len(form.query) * resident.residues / self.card.gcups / 1e9
            size += (form.shape.letters * len(form.query) + resident.subjects) * 4
            if seconds > BATCH_SECONDS or size > BATCH_BYTES:
                yield some
                some, seconds, size = [], 0.0, 0.0
        if some:
            yield some


class WebGpuEngine(DeviceEngine):
    """Scores on adapters; the cores take what the kernels do not do.

    Parameters
    ----------
    cards : sequence of Card
        Closed by the engine.
    cores : Engine
        Engine of the cores, closed by this one.
    """

    name = WEBGPU.name

    def __init__(self, cards: Sequence[Card], cores: Engine) -> None:
        self._workers = [Worker(card) for card in cards]
        self._cores = cores
        self.devices: tuple[DeviceInfo, ...] = tuple(card.adapter.info for card in cards)

    @property
    def cards(self) -> tuple[Card, ...]:
        """Adapters in use."""
        return tuple(worker.card for worker in self._workers)

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        """Cut so that layouts fit the adapters, whatever the queries: then they can stay there."""
        chunks = (_chunk(card) for card in self.cards)
        return ChunkLimits(residues=min(chunks), sequences=min(card.most_subjects for card in self.cards))

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan, one plan after the other; the adapters and the cores share them.

        ``seconds`` of a result is the time from the launch of its batch to its scores, by the share of its query.
        """
        check_same_alphabet(scheme.alphabet, database.alphabet, "database")
        if isinstance(scheme.matrix, TwoTrackMatrix):
            yield from self._cores.score(queries, database, plans, scheme, cancel)
            return
        forms = [[worker.form(index, query, scheme) for index, query in enumerate(queries)] for worker in self._workers]
        ours = [index for index in range(len(queries)) if all(of_card[index] for of_card in forms)]
        others = sorted(set(range(len(queries))) - set(ours))
        long, short = _by_length(database, plans)
        todo = _Shared(short)
        runs: dict[str, Run] = {}
        for worker, of_card in zip(self._workers, forms, strict=True):
            some = [form for index in ours if (form := of_card[index]) is not None]
            runs[worker.card.adapter.info.id] = partial(_on_card, worker, some, database, todo, scheme)
        runs[CORES] = partial(self._on_cores, queries, ((ours, long), (others, plans)), database, scheme)
        yield from merge(runs, cancel)

    def _on_cores(
        self,
        queries: Sequence[EncodedQuery],
        work: Sequence[tuple[Sequence[int], Sequence[ChunkPlan]]],
        database: ArrayDatabase,
        scheme: ScoringScheme,
        stop: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Yield the scores of queries, by their numbers, and plans that the cores take."""
        for numbers, plans in work:
            if not (numbers and plans):
                continue
            some = [queries[number] for number in numbers]
            for part in self._cores.score(some, database, plans, scheme, stop):
                yield replace(part, query_index=numbers[part.query_index])

    def close(self) -> None:
        """Free the cards and end the threads of the cores."""
        for worker in self._workers:
            worker.card.close()
        self._cores.close()


def _chunk(card: Card) -> int:
    """Return the residues of a chunk on a card."""
    if card.adapter.software:
        return SOFTWARE_CHUNK
    return min(CARD_CHUNK if card.adapter.discrete else OTHER_CHUNK, card.largest * COLUMNS // 2)


class _Shared:
    """Plans that several threads take one after the other."""

    def __init__(self, plans: Sequence[ChunkPlan]) -> None:
        self._plans = iter(plans)
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[ChunkPlan]:
        return self

    def __next__(self) -> ChunkPlan:
        with self._lock:
            return next(self._plans)


def _on_card(
    worker: Worker,
    forms: Sequence[Form],
    database: ArrayDatabase,
    plans: Iterator[ChunkPlan],
    scheme: ScoringScheme,
    stop: threading.Event,
) -> Iterator[ChunkScores]:
    return worker.score(forms, database, plans, scheme, stop) if forms else iter(())


def _by_length(database: ArrayDatabase, plans: Sequence[ChunkPlan]) -> tuple[list[ChunkPlan], list[ChunkPlan]]:
    """Return the plans of long subjects, and of others: storage is sorted, the longest first."""
    lengths = np.diff(database.offsets)
    first_short = int(np.count_nonzero(lengths > LONGEST))
    offsets = database.offsets
    return (
        clipped(plans, 0, first_short, offsets),
        clipped(plans, first_short, len(lengths), offsets),
    )
