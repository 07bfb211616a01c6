"""Searches of databases of profiles: queries as columns, and the engine that compares them with the profiles."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT
from swgui.core.control import checking
from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, Stopped
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits, ChunkPlan
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.pairs import MAX_COLUMNS, ProfileSet, quantised
from swgui.core.profiles.stored import GAPS, UNITS, columns_of_scores, pair_scheme, scores_of_columns
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.fit import MIN_SEQUENCES, MIN_USABLE, FittedStatistics, fit_statistics
from swgui.core.statistics.regression import FitError
from swgui.core.subject_kind import SubjectProfiles
from swgui.core.words import count
from swgui.engines.base import DeviceInfo, Engine
from swgui.engines.facts import CPU as CPU_ENGINE
from swgui.engines.facts import PAIR_ENGINES
from swgui.engines.profile_pairs import make_pair_engine
from swgui.jobs.events import Stage
from swgui.jobs.profiles.aligning import align_profiles
from swgui.jobs.profiles.columns import ColumnsByContext, columns_of_record
from swgui.jobs.profiles.judging import judged
from swgui.jobs.search.queries import as_searched
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.subjects import FitRequest, Fits, SubjectWork

CELLS_OF_CPU: Final = 1e9  # pairs of columns compared in one call: about a second
CELLS_OF_GPU: Final = 2e11
BYTES: Final = 1 << 26  # of scores that one call returns
SHUFFLED: Final = 2 * MIN_SEQUENCES  # reversed and shuffled profiles that E of a small database is fitted to
WIDER: Final = 1.4  # variance of the scores of unrelated profiles over that of reversed and shuffled ones
MIN_VARIANCE: Final = 16.0**2  # of scores: a quarter of the deviation that local alignments have without gaps
FEWEST: Final = 2 * MIN_USABLE
MAX_SHUFFLED: Final = 1_000_000  # columns of these profiles
STRETCH: Final = 20  # columns that are shuffled together, so that what neighbours have in common stays
_SEED: Final = 1


def as_pairs(request: SearchRequest, database: EncodedDatabase, cancel: threading.Event) -> tuple[SearchRequest, str]:
    """Return a search of a database of profiles as it is carried out, and a sentence on that.

    Each query becomes columns: those of its alignment, of its scores by position, or of its residues and their
    contexts.

    Raises
    ------
    InvalidParameter
        If the search asks for what has no meaning for profiles.
    SwguiError
        If a library of contexts cannot be read.
    Stopped
        If `cancel` was set.
    """
    profiles, search = database.profiles, request.search
    assert profiles is not None
    check_pairs(request, database)
    request, masked = as_searched(replace(request, search=replace(search, context=NO_CONTEXT)), cancel)
    context = OWN_CONTEXT if search.context == NO_CONTEXT else search.context
    scheme = pair_scheme(search.scheme.matrix)
    queries = _with_columns(request, context, cancel)
    search = replace(
        search, scheme=scheme, context=NO_CONTEXT, composition="none", max_hsps=1, strand="plus", beside=None
    )
    said = (
        f"Profiles were compared: that of the query with {count(len(database), 'profile')}, {profiles.made}.",
        "Their scores depend on neither the matrix nor the gap costs of the search.",
    )
    return replace(request, queries=queries, search=search, starts={}), " ".join([*masked, *said])


def check_pairs(request: SearchRequest, database: EncodedDatabase) -> None:
    """Raise `InvalidParameter` if a search asks for what profiles do not have."""
    search, name = request.search, database.name
    long = next((query for query in request.queries if len(query.residues) > MAX_COLUMNS), None)
    if long is not None:
        raise InvalidParameter(
            "queries",
            long.id,
            f"'{long.id}' has {len(long.residues):,} residues, and a profile has {MAX_COLUMNS:,} columns at most.",
            hint="Cut it into domains first.",
        )
    asked = {
        "translation": search.translation is not None,
        "organisms": bool(search.organisms),
        "iterations": search.iteration is not None,
        "directions": search.both_directions,
    }
    for what in (key for key, given in asked.items() if given):
        database.subject_kind.check(what, name)
    if search.engine not in ("auto", *PAIR_ENGINES):
        raise InvalidParameter(
            "engine",
            search.engine,
            f"The engine '{search.engine}' compares no profiles, and '{name}' is a database of profiles.",
            hint="Leave out --engine.",
        )


def _with_columns(request: SearchRequest, context: str, cancel: threading.Event) -> tuple[SequenceRecord, ...]:
    """Return the queries with the probabilities of their columns as scores by position."""
    alignments: dict[int, MasterAlignment] = {}
    made: dict[int, SequenceRecord] = {}
    for index, query in enumerate(request.queries):
        if index in request.starts:
            alignments[index] = request.starts[index]
        elif query.profile is None:
            alignments[index] = MasterAlignment.of_query(query, PROTEIN)
        elif query.profile.units_per_bit == UNITS:  # as it was searched before
            made[index] = query
        else:
            profile = scores_of_columns(columns_of_record(query), query.profile.name)
            made[index] = replace(query, profile=profile)
    if alignments:
        matrix = request.scheme.matrix
        making = ColumnsByContext(context, matrix, threads=request.search.options.threads)
        both = [making.both(one) for one in alignments.values()]
        for of, observed, its, certain in zip(
            alignments.items(), both, *making.mixed_both(both, checking(cancel)), strict=True
        ):
            index, name = of[0], f"columns of {count(len(of[1]), 'sequence')} {making.said}"
            profile = scores_of_columns(its, name, certain if observed.differ else None)
            made[index] = replace(request.queries[index], profile=profile, letters=None)
    return tuple(made[index] for index in range(len(request.queries)))


class PairSearch:
    """The engine of a search of a database of profiles, in place of the one that scores sequences.

    Parameters
    ----------
    engine : Engine
        The other one, on whose device profiles are compared; on the cores where it compares none: ``auto`` may have
        chosen it.
    cells : float
        Columns of all queries times those of the database.
    """

    def __init__(self, engine: Engine, profiles: SubjectProfiles, options: EngineOptions, cells: float) -> None:
        able = engine.name in PAIR_ENGINES
        self.name = engine.name if able else CPU_ENGINE.name
        self._profiles = profiles
        self._pairs, self._device, _ = make_pair_engine(self.name, cells, options)
        self.devices: tuple[DeviceInfo, ...] = tuple(engine.devices[:1])
        if not able:
            self.devices = (DeviceInfo(CPU_ENGINE.name, self._device),)

    def chunk_limits(self, queries: Sequence[EncodedQuery], database: ArrayDatabase) -> ChunkLimits:
        """Return limits without effect: a device keeps all profiles."""
        return ChunkLimits(1 << 62)

    def score(
        self,
        queries: Sequence[EncodedQuery],
        database: ArrayDatabase,
        plans: Sequence[ChunkPlan],
        scheme: ScoringScheme,
        cancel: threading.Event,
    ) -> Iterator[ChunkScores]:
        """Score every query against every plan, as `Engine.score`."""
        for plan in plans:
            whole = len(plan) == len(self._profiles.pairs)
            targets = self._profiles.pairs if whole else self._profiles.pairs.part(plan.start, plan.stop)
            sources = database.sources(plan.start, plan.stop)
            for some in self._batches([len(query) for query in queries], plan):
                began = time.perf_counter()
                scores = self.compared([queries[index] for index in some], targets, cancel)
                if scores is None:
                    return
                seconds = (time.perf_counter() - began) / len(some)
                for index, row in zip(some, scores, strict=True):
                    yield ChunkScores(
                        index, sources, row, len(queries[index]) * plan.residues, device=self._device, seconds=seconds,
                        stored=(plan.start, plan.stop),
                    )  # fmt: skip

    def compared(
        self, queries: Sequence[EncodedQuery], targets: ProfileSet, cancel: threading.Event
    ) -> NDArray[np.int32] | None:
        """Return the scores of some queries, shape (queries, targets); None once `cancel` is set."""
        columns = [columns_of_scores(query.profile, UNITS) for query in queries if query.profile is not None]
        try:
            return self._pairs.scores(quantised(columns, self._profiles.background), targets, GAPS, checking(cancel))
        except Stopped:
            return None

    def _batches(self, lengths: Sequence[int], plan: ChunkPlan) -> Iterator[list[int]]:
        """Yield the queries of each call."""
        cells = CELLS_OF_CPU if self.devices[0].id == CPU else CELLS_OF_GPU
        most, some, total = max(1, BYTES // (4 * len(plan))), list[int](), 0
        for index, length in enumerate(lengths):
            if some and (len(some) == most or (total + length) * plan.residues > cells):
                yield some
                some, total = [], 0
            some.append(index)
            total += length
        if some:
            yield some

    def close(self) -> None:
        """Release nothing: the other engine's owner closes it."""

    def fits(
        self, queries: Sequence[EncodedQuery], scheme: ScoringScheme, cancel: threading.Event
    ) -> dict[int, FittedStatistics]:
        """Return statistics of queries of a small database, fitted to reversed and shuffled profiles.

        There are fewer after Stop, and none of queries whose scores hardly differ.

        Their scores vary less than those of unrelated profiles of nature, by a share that was measured (`WIDER`).
        """
        chance = unrelated(self._profiles.pairs, SHUFFLED)
        lengths = chance.lengths
        made: dict[int, FittedStatistics] = {}
        plan = ChunkPlan(0, len(chance), len(chance.scales))
        for some in self._batches([len(query) for query in queries], plan):
            scores = self.compared([queries[index] for index in some], chance, cancel)
            if scores is None:
                return made
            for index, row in zip(some, scores, strict=True):
                with suppress(FitError):  # E stays unknown, and the result says so
                    fit = fit_statistics(row, lengths, len(queries[index]), scheme, origin="shuffles")
                    if fit.variance >= MIN_VARIANCE:
                        made[index] = replace(fit, variance=fit.variance * WIDER)
        return made


def unrelated(profiles: ProfileSet, least: int) -> ProfileSet:
    """Return profiles read from the end, and then again with stretches of their columns shuffled, `least` or more.

    Where these have many columns, `FEWEST` or more are enough.
    """
    random, orders, sizes = np.random.default_rng(_SEED), list[NDArray[np.int64]](), list[int]()
    while len(sizes) < (least if sum(sizes) < MAX_SHUFFLED else FEWEST):
        for first, last in zip(profiles.offsets[:-1].tolist(), profiles.offsets[1:].tolist(), strict=True):
            order = np.arange(first, last)[::-1]
            if len(sizes) >= len(profiles):
                parts = np.split(order, range(int(random.integers(1, STRETCH + 1)), len(order), STRETCH))
                order = np.concatenate([parts[place] for place in random.permutation(len(parts))])
            orders.append(order)
            sizes.append(last - first)
    rows = np.concatenate(orders)
    return ProfileSet(profiles.codes[rows], profiles.scales[rows], np.cumsum([0, *sizes], dtype=np.int64))


def _prepared(
    request: SearchRequest, database: EncodedDatabase, cancel: threading.Event
) -> tuple[SearchRequest, list[str]]:
    made, said = as_pairs(request, database, cancel)
    return made, [said]


def _engine(engine: Engine, database: EncodedDatabase, options: EngineOptions, cells: float) -> Engine:
    assert database.profiles is not None
    return PairSearch(engine, database.profiles, options, cells)


def _fits(asked: FitRequest, engine: Engine, cancel: threading.Event) -> Generator[Stage, None, Fits]:
    assert isinstance(engine, PairSearch)
    yield Stage("Fitting E-values")
    return engine.fits([query for (query,) in asked.queries], asked.request.scheme, cancel)


PROFILES: Final = SubjectWork(_prepared, _engine, _fits, align_profiles, judged, check_pairs)
