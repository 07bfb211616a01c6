"""Significance by shuffling, as jobs: Z-values of chosen hits, and a fit for databases whose own scores allow none.

The shuffles of all hits of a batch are one database in memory, scored by the engine in one call.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.database import ArrayDatabase, EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable, InvalidParameter
from swgui.core.hits.results import HitList, SearchResult
from swgui.core.packing import plan_chunks
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.fit import FittedStatistics, fit_statistics
from swgui.core.statistics.regression import FitError
from swgui.core.statistics.shuffling import ShufflePlan, ZValue, rearranged, shuffled_batches, z_value
from swgui.core.statistics.shuffling import shuffles as shuffles_of
from swgui.engines import registry
from swgui.engines.base import Engine
from swgui.engines.translated import with_frameshifts
from swgui.jobs.check import device as selfcheck
from swgui.jobs.events import Stage

MIN_SHUFFLES: Final = 100  # of a hit, for its Z-value
MAX_SHUFFLES: Final = 10_000
FIT_SEED: Final = 1
FIT_SHUFFLES: Final = 2000  # shuffled scores of the fit of a small database
FIT_RESIDUES: Final = 4_000_000  # residues these shuffles have at most; above, pieces of subjects are shuffled
STRETCH: Final = 30  # residues that stay together in two tracks
FIT_PIECES: Final = (500, 1000, 2000, 4000)  # residues of such pieces


@dataclass(frozen=True, slots=True, eq=False)
class ZRequest:
    """Everything that decides a run of shuffles."""

    listed: HitList  # hits of a query, or other subjects of the run
    rows: Sequence[int]  # positions in ``listed.columns``
    plan: ShufflePlan = field(default_factory=ShufflePlan)  # 100 to 10,000 shuffles of each hit
    engine: str = "auto"  # as in a search; Z-values do not depend on it
    options: EngineOptions = field(default_factory=EngineOptions)

    def __post_init__(self) -> None:
        if not self.rows:
            raise InvalidParameter("rows", 0, "No hit is chosen.", hint="Choose the hits to shuffle.")
        check_shuffled(self.listed.result.database)
        count = self.plan.count
        if not MIN_SHUFFLES <= count <= MAX_SHUFFLES:
            raise InvalidParameter(
                "count", count, f"{count:,} shuffles are not between {MIN_SHUFFLES} and {MAX_SHUFFLES:,}."
            )


def check_shuffled(database: EncodedDatabase) -> None:
    """Raise `InvalidParameter` if the hits of a database cannot be compared with shuffles of its sequences."""
    database.subject_kind.check("shuffles", database.name)


def z_values(request: ZRequest, cancel: threading.Event) -> Iterator[Stage | ZValue]:
    """Score the query of a result against shuffles of chosen subjects.

    Yields a `Stage` when a batch begins and one `ZValue` per hit, in the order of the rows, as soon as all of its
    shuffles are scored. Ends early once `cancel` is set; what was yielded stays valid.

    Raises
    ------
    SwguiError
        If the engine is not available, gave wrong scores in its self-check, or fails.
    """
    result, plan = request.listed.result, request.plan
    hits = request.listed.columns
    db_index = [int(hits.db_index[row]) for row in request.rows]
    strands = [int(hits.strands[row]) for row in request.rows]
    subjects = [result.searched.subject(*place) for place in zip(db_index, strands, strict=True)]
    queries = queries_of(result, request.listed.query_index)
    total = plan.count * len(subjects)
    done = finished = 0
    scores = np.full((len(subjects), plan.count), -1, dtype=np.int32)
    filled = np.zeros(len(subjects), dtype=np.int64)
    yield Stage("Shuffling", 0, total)
    name, options = yield from _exact_engine(request, cancel)
    if cancel.is_set():
        return
    with closing(registry.make_engine(name, options)) as made:
        engine = with_frameshifts(made, result.scheme, result.translation, options)
        for shuffled, owners in shuffled_batches(subjects, db_index, plan, result.scheme.alphabet):
            vector = best_scores(engine, queries, shuffled, result.scheme, cancel)
            if vector is None:
                return
            for owner in np.unique(owners):
                of_owner = vector[owners == owner]
                start = int(filled[owner])
                scores[owner, start : start + len(of_owner)] = of_owner
                filled[owner] += len(of_owner)
            done += len(owners)
            while finished < len(subjects) and filled[finished] == plan.count:
                row = int(request.rows[finished])
                yield z_value(row, db_index[finished], int(hits.scores[row]), scores[finished], plan)
                finished += 1
            yield Stage("Shuffling", done, total)


def _exact_engine(request: ZRequest, cancel: threading.Event) -> Generator[Stage, None, tuple[str, EngineOptions]]:
    """Choose the engine as a search does: a device that gave a wrong score in its self-check is not used."""
    choices, options = list(registry.resolve(request.engine)), request.options
    while True:
        name = choices.pop(0)
        try:
            yield from selfcheck.require_exact_engine(name, options, cancel)
        except EngineUnavailable:
            if not choices:
                raise
            options = EngineOptions(threads=options.threads)  # devices and settings were those of the other engine
        else:
            return name, options


def fit_to_shuffles(
    queries: Sequence[EncodedQuery],
    database: EncodedDatabase,
    scheme: ScoringScheme,
    engine: Engine,
    cancel: threading.Event,
    *,
    shuffles: int = FIT_SHUFFLES,
) -> FittedStatistics | None:
    """Fit statistics to shuffles of a database with too few subjects, or too many relatives, to fit to its own scores.

    Every subject is shuffled equally often, so that lengths and composition are those of the database. Where that
    would be more than 4 million residues (chromosomes), pieces of 500 to 4,000 residues are shuffled instead, and the
    growth of the score with ln(length) carries over to the whole lengths.

    In two tracks helices and strands stay whole (`rearranged`): shuffles of single positions score far below chains
    that are not related.

    Parameters
    ----------
    queries : sequence of EncodedQuery
        The query, for a search of both strands also its reverse complement.
    shuffles : int
        Number of shuffles in all, about.

    Returns
    -------
    FittedStatistics or None
        None once `cancel` is set.

    Raises
    ------
    FitError
        If the database is empty or the scores do not vary.
    """
    if not len(database):
        raise FitError("A database without sequences has nothing to shuffle.")
    subjects, count = to_shuffle(database, shuffles)
    scores, lengths = [], []
    tracks = isinstance(scheme.alphabet, TwoTracks)
    plan, make = (
        (ShufflePlan(count, STRETCH, FIT_SEED), rearranged)
        if tracks
        else (ShufflePlan(count, 0, FIT_SEED), shuffles_of)
    )
    for shuffled, _ in shuffled_batches(subjects, range(len(subjects)), plan, scheme.alphabet, make=make):
        vector = best_scores(engine, queries, shuffled, scheme, cancel)
        if vector is None:
            return None
        scores.append(vector)
        lengths.append(shuffled.lengths)
    return fit_statistics(np.concatenate(scores), np.concatenate(lengths), len(queries[0]), scheme, origin="shuffles")


def to_shuffle(database: EncodedDatabase, shuffles: int) -> tuple[list[NDArray[np.uint8]], int]:
    """Return the sequences to shuffle for a fit, and how often each."""
    count = -(-shuffles // len(database))
    if count * database.residues <= FIT_RESIDUES:
        return [database.subject(index) for index in range(len(database))], count
    chance = np.random.default_rng([FIT_SEED, len(database)])
    pieces = []
    for number in range(shuffles):
        whole = database.subject(number % len(database))
        length = FIT_PIECES[number // len(database) % len(FIT_PIECES)]
        start = int(chance.integers(max(whole.size - length, 0) + 1))
        pieces.append(whole[start : start + length])
    return pieces, 1


def queries_of(result: SearchResult, query_index: int) -> list[EncodedQuery]:
    """Return a query as it was searched: one entry per strand."""
    return [result.searched_query(query_index, strand) for strand in result.search.strands]


def best_scores(
    engine: Engine,
    queries: Sequence[EncodedQuery],
    database: ArrayDatabase,
    scheme: ScoringScheme,
    cancel: threading.Event,
) -> NDArray[np.int32] | None:
    """Score a whole database and take the best strand of every subject.

    Returns
    -------
    ndarray, shape=(N,), dtype=int32, or None
        Source order; None if `cancel` was set before all were scored.
    """
    best = np.full((len(queries), len(database)), -1, dtype=np.int32)
    plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
    with closing(engine.score(queries, database, plans, scheme, cancel)) as chunks:  # type: ignore[type-var]
        for chunk in chunks:
            best[chunk.query_index, chunk.db_index] = chunk.scores
    return None if (best < 0).any() else best.max(axis=0)
