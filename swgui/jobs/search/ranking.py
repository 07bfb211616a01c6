"""From the scores of a search to its lists: candidates, correction, limits, order. The same when limits move later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.limits import Limits
from swgui.core.hits.ranking import Statistics, in_order, least_scores, rank_each, statistics_of
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.hits.scores import WindowScores, best_indices
from swgui.core.letters.tracks import TwoTracks
from swgui.core.query_range import QueryRange, searched_length
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Correction
from swgui.core.statistics.composition import LambdaScale
from swgui.core.statistics.correction import Corrector, best_of, corrected_by, uncorrected
from swgui.core.statistics.correction_work import CorrectionWork
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.statistics.stops import readings_of, translated_scale
from swgui.core.translation.programs import Translation, shifting
from swgui.engines.host import usable_cores
from swgui.engines.native.correction import HOST
from swgui.io.saved.stored_subjects import StoredSubjects
from swgui.io.statistics import load_statistics
from swgui.jobs.stage import Stage, run_to_end

Windows = Mapping[tuple[int, int], WindowScores]
Scored = tuple[SequenceRecord, NDArray[np.int64] | None, NDArray[np.int32], NDArray[np.int8] | None]
CANDIDATES: Final = 20_000  # subjects of a query, best first, that are looked at for a list


T = TypeVar("T")
TOGETHER: Final = 8  # queries that are corrected together, at most
TOGETHER_HELPED: Final = 64
PORTIONS: Final = 6  # such groups of a core, at least: so that all cores end at about the same time
LISTS_AT_ONCE: Final = 8  # more wait for each other's Python: 500 lists on 16 cores take 4.6 s, with 16 at once 5.3 s
THOUSANDS: Final = 2_000  # lists of which a device does what is compiled: Python is left, which holds up the thread
AT_ONCE_OF_THOUSANDS: Final = 2  # that launches scans: it takes 0.9 s with 2 of them at once, with 8 of them 1.6 s
MANY: Final = 4  # lists of a core from which on none is shared out among several: to hand work over costs more


def at_once(lists: int, threads: int) -> tuple[int, int]:
    """Return how many of some lists are made at a time, and the threads of each, as `in_pieces` takes them.

    All of them may use all threads, so that the last and longest one has them for itself in the end; of many lists
    only what takes long is shared out.

    Parameters
    ----------
    threads : int
        0 for all cores.
    """
    threads = threads or usable_cores()
    return max(min(lists, threads, LISTS_AT_ONCE), 1), -threads if lists >= MANY * threads else threads


def dealt(costs: Sequence[int], threads: int) -> list[list[int]]:
    """Return groups of lists that are made together, each of about the same cost.

    Parameters
    ----------
    costs : sequence of int
        Of each list.
    threads : int
        0 for all cores.
    """
    order = sorted(range(len(costs)), key=lambda at: -costs[at])
    groups = -(-len(costs) // together(len(costs), threads))
    return [order[at::groups] for at in range(groups)]


def together(lists: int, threads: int, helped: bool = False) -> int:
    """Return how many of some lists are made together.

    Parameters
    ----------
    threads : int
        0 for all cores.
    helped : bool
        Whether a device does most of the work: then only Python is left to be shared out.
    """
    if helped:
        return max(1, min(TOGETHER_HELPED, lists // (2 * LISTS_AT_ONCE)))
    return max(1, min(TOGETHER, lists // (PORTIONS * (threads or usable_cores()))))


class MadeEarly(Generic[T]):
    """Lists that are made on other threads as soon as all is known that they need.

    Parameters
    ----------
    make : callable
        Given places of some lists, returns the generator that makes them together.
    lists, threads : int
        How many there will be, and threads for them; 0 for all cores.
    together : int
        How many are made together.
    """

    def __init__(
        self, make: Callable[[Sequence[int]], Generator[Any, None, list[T]]], lists: int, threads: int, together: int
    ) -> None:
        self._make, self._together = make, together
        self._pool = ThreadPoolExecutor(at_once(lists, threads)[0], thread_name_prefix="swgui-early")
        self._waiting: list[int] = []
        self._begun: dict[Future[list[T]], list[int]] = {}

    def add(self, place: int) -> None:
        """Have one more list made, as soon as there are some."""
        self._waiting.append(place)
        if len(self._waiting) == self._together:
            self._begun[self._pool.submit(run_to_end, self._make(self._waiting))] = self._waiting
            self._waiting = []

    @property
    def places(self) -> set[int]:
        """Those that are made."""
        return {place for some in self._begun.values() for place in some}

    def results(self, name: str, cancel: threading.Event) -> Generator[Stage, None, dict[int, T]]:
        """Return what was made, by place; yields a `Stage` whenever some of them are done."""
        made: dict[int, T] = {}
        total = len(self.places)
        for future in as_completed(self._begun):
            made.update(zip(self._begun[future], future.result(), strict=True))
            if not cancel.is_set():
                yield Stage(name, len(made), total)
        return made

    def close(self) -> None:
        """Begin no other list, and wait for those under way."""
        self._pool.shutdown(cancel_futures=True)


def side_by_side(
    lists: Sequence[Callable[[], Generator[Any, None, T]]],
    name: str,
    threads: int,
    cancel: threading.Event,
    costs: Sequence[int] = (),
) -> Generator[Any, None, list[T]]:
    """Run generators on several threads and return what they return, in their order.

    Yields what a single one yields; of several a `Stage` whenever one of them has ended.

    Parameters
    ----------
    name : str
        Of the stage.
    threads : int
        0 for all cores.
    costs : sequence of int, optional
        What each takes, about: the longest begin first.
    """
    if len(lists) < 2:
        return [(yield from lists[0]())]
    yield Stage(name, 0, len(lists))
    pool = ThreadPoolExecutor(at_once(len(lists), threads)[0], thread_name_prefix="swgui-rank")
    try:
        order = sorted(range(len(lists)), key=lambda at: -costs[at] if costs else at)
        begun = {at: pool.submit(run_to_end, lists[at]()) for at in order}
        for done, running in enumerate(as_completed(begun.values()), start=1):
            running.result()
            if not cancel.is_set():
                yield Stage(name, done, len(lists))
        return [begun[at].result() for at in range(len(lists))]
    finally:
        pool.shutdown(cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What the list of one query is made of.

    Parameters
    ----------
    query : SequenceRecord
    candidates : HitColumns
        What `Ranker.candidates` returned.
    statistics : KarlinAltschul or FittedStatistics, optional
        What E was computed with.
    windows : mapping of (int, int) to WindowScores
        Where long subjects score, by source index and strand, as far as it is known.
    """

    query: SequenceRecord
    candidates: HitColumns
    statistics: Statistics | None
    windows: Windows


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """Makes the lists of one search.

    Parameters
    ----------
    database : EncodedDatabase
    scheme : ScoringScheme
    limits : Limits
    composition : {"none", "lambda", "full"}
    strands : tuple of int
        Those that were searched.
    query_range : QueryRange, optional
    threads : int
        For the correction; 0 for all cores.
    work : CorrectionWork
        What finds regions and scores shuffles for it.
    translation : Translation, optional
        Of a translated search, whose translated database this is.
    """

    database: EncodedDatabase
    scheme: ScoringScheme
    limits: Limits
    composition: Correction
    strands: tuple[int, ...]
    query_range: QueryRange | None = None
    threads: int = 0
    work: CorrectionWork = HOST
    translation: Translation | None = None

    def threads_beside(self, lists: int, threads: int) -> int:
        """Return the threads for so many lists that are made while others are scored."""
        return AT_ONCE_OF_THOUSANDS if self.work is not HOST and lists >= THOUSANDS else threads

    def steps(
        self, wanted: Sequence[Wanted], cancel: threading.Event
    ) -> Generator[tuple[int, int], None, list[HitColumns]]:
        """Return the lists of some queries; yields (done, total) while E-values are corrected.

        Queries whose statistics have one lambda are corrected together, which saves most of the time between the
        compiled parts.

        Raises
        ------
        Stopped
            Once `cancel` is set while E-values are corrected.
        """
        if self.composition == "none":
            return [one.candidates.take(slice(0, self.limits.top)) for one in wanted]
        if shifting(self.translation):
            return [self._cut(self.shifts_corrected(one, cancel)) for one in wanted]
        lists = [uncorrected(one.candidates.take(slice(0, self.limits.top))) for one in wanted if not one.statistics]
        groups: dict[float, list[int]] = {}
        for at, one in enumerate(wanted):
            if one.statistics is not None:
                groups.setdefault(one.statistics.lambda_, []).append(at)
        made: dict[int, HitColumns] = {}
        for group in groups.values():
            several = [wanted[at] for at in group]
            correctors = [self.corrector(one.query, one.statistics, cancel, one.windows) for one in several]
            found = yield from best_of(correctors, [one.candidates for one in several], self.limits)
            made.update(zip(group, found, strict=True))
        left = iter(lists)
        return [made[at] if at in made else next(left) for at in range(len(wanted))]

    def _cut(self, hits: HitColumns) -> HitColumns:
        """Return corrected hits within the limits, in order."""
        within = hits.take(~(hits.log10_evalues > np.log10(self.limits.max_evalue)))
        return in_order(within).take(slice(0, self.limits.top))

    def candidates(
        self,
        query: SequenceRecord,
        db_index: NDArray[np.int64] | None,
        scores: NDArray[np.int32],
        strands: NDArray[np.int8] | None,
        statistics: Statistics | None,
    ) -> HitColumns:
        """Return all subjects within the limits before any correction, in order.

        Parameters
        ----------
        db_index : ndarray, shape=(k,), optional
            Subjects in any order; without it `scores` has all of the database, in source order.
        scores : ndarray, shape=(k,)
            Below 0 where a subject was not scored.
        strands : ndarray, shape=(k,), dtype=int8, optional
            The strand each score comes from; needed if both were searched.
        """
        return self.candidates_of([(query, db_index, scores, strands)], [statistics])[0]

    def candidates_of(self, asked: Sequence[Scored], statistics: Sequence[Statistics | None]) -> list[HitColumns]:
        """Return `candidates` of several queries.

        Parameters
        ----------
        asked : sequence of (SequenceRecord, ndarray or None, ndarray, ndarray or None)
            Of each query what `candidates` takes.
        statistics : sequence of KarlinAltschul, FittedStatistics or None
        """
        lists, lengths = [], [searched_length(query, self.query_range, self.translation) for query, *_ in asked]
        least = least_scores(lengths, self.database, statistics, self.limits)
        for (_, db_index, scores, strands), of_query in zip(asked, least, strict=True):
            chosen = np.flatnonzero(scores >= max(of_query, self.limits.least_score))
            index = chosen if db_index is None else db_index[chosen]
            if len(chosen) > CANDIDATES:
                best = best_indices(scores[chosen], index, CANDIDATES)
                chosen, index = chosen[best], index[best]
            signs = np.full(len(chosen), self.strands[0], dtype=np.int8) if strands is None else strands[chosen]
            lists.append((index, scores[chosen], signs))
        return rank_each(lengths, lists, self.database, statistics, self.limits)

    def shifts_corrected(self, one: Wanted, cancel: threading.Event) -> HitColumns:
        """Return the candidates of a query of a search with frameshifts with E corrected by lambda, in their order."""
        if one.statistics is None:
            return uncorrected(one.candidates)
        from swgui.jobs.search.shifts.correction import corrected_shifts  # here: few searches have frameshifts

        return corrected_shifts(self.corrector(one.query, one.statistics, cancel), one.candidates, one.windows)

    def corrector(
        self,
        query: SequenceRecord,
        statistics: Statistics | None,
        cancel: threading.Event,
        windows: Windows = MappingProxyType({}),
    ) -> Corrector:
        """Return what corrects the E-values of one query, which must have statistics."""
        assert statistics is not None
        encoded = {
            sign: encode_part(query, self.scheme, sign, self.query_range, self.translation) for sign in self.strands
        }
        return Corrector(
            self.composition,
            encoded,
            self.database,
            self.scheme,
            statistics,
            self.limits,
            cancel,
            HOST if isinstance(self.scheme.alphabet, TwoTracks) else self.work,  # devices know one track
            self.threads,
            windows,
            self._lambdas(query, statistics),
        )

    def _lambdas(self, query: SequenceRecord, statistics: Statistics) -> LambdaScale | None:
        """Return what compositions are compared by where DNA is translated; None elsewhere."""
        if self.translation is None or not isinstance(statistics, KarlinAltschul):
            return None
        return translated_scale(self.scheme.matrix, *readings_of(query, self.translation))


def ranker_of(result: SearchResult, limits: Limits) -> Ranker:
    """Return what makes the lists of a finished search with these limits."""
    return Ranker(
        result.searched,
        result.scheme,
        limits,
        result.search.composition,
        result.search.strands,
        result.search.query_range,
        translation=result.translation,
    )


def rerank(
    result: SearchResult, published: KarlinAltschul | None, limits: Limits, cancel: threading.Event | None = None
) -> SearchResult:
    """Return what a new search with other limits would give, from the scores that were kept.

    Parameters
    ----------
    published : KarlinAltschul, optional
        Parameters of the result's scheme, as the search itself got them.
    cancel : threading.Event, optional
        Set it to give up.

    Raises
    ------
    InvalidParameter
        If the score vectors were not kept.
    Stopped
        If `cancel` was set.
    """
    return replace(
        result,
        queries=tuple(
            replace(query, hits=ranked(result, index, published, limits, cancel))
            for index, query in enumerate(result.queries)
        ),
        search=replace(result.search, limits=limits),
        asked=replace(result.asked, limits=limits),
    )


def ranked(
    result: SearchResult,
    query_index: int,
    published: KarlinAltschul | None,
    limits: Limits,
    cancel: threading.Event | None = None,
) -> HitColumns:
    """Return what other limits would list for one query; parameters and errors as for `rerank`."""
    query = result.queries[query_index]
    if query.scores is None:
        raise InvalidParameter(
            "scores",
            query.query.id,
            "The scores of this search were not kept, so its limits cannot be moved.",
            hint="Search again with the new limits.",
        )
    statistics = statistics_of(result, query_index, published)
    ranker = ranker_of(result, limits)
    candidates = ranker.candidates(query.query, None, query.scores, query.strands, statistics)
    if result.search.composition != "none" and isinstance(result.database, StoredSubjects):
        return in_order(_corrected_before(candidates, query.hits, limits)).take(slice(0, limits.top))
    wanted = Wanted(query.query, candidates, statistics, query.windows)
    return run_to_end(ranker.steps([wanted], cancel or threading.Event()))[0]


def corrected(result: SearchResult, query_index: int, columns: HitColumns) -> HitColumns:
    """Return subjects that are not listed, in the order given, with the E that counts, whatever it is.

    Parameters
    ----------
    columns : HitColumns
        With E before any correction.
    """
    if result.search.composition == "none":
        return columns
    query = result.queries[query_index]
    statistics = statistics_of(result, query_index, load_statistics(result.scheme))
    if statistics is None:
        return uncorrected(columns)
    ranker = ranker_of(result, result.search.limits)
    if shifting(result.translation):
        return ranker.shifts_corrected(Wanted(query.query, columns, statistics, query.windows), threading.Event())
    return ranker.corrector(query.query, statistics, threading.Event(), query.windows).all_of(columns)


def _corrected_before(candidates: HitColumns, hits: HitColumns, limits: Limits) -> HitColumns:
    """Correct candidates as they were before, without their sequences; what was not listed then is left out.

    A correction multiplies E by a number that depends on the pair alone.
    """
    order = np.argsort(hits.db_index)
    known = candidates.take(np.isin(candidates.db_index, hits.db_index))
    rows = order[np.searchsorted(hits.db_index, known.db_index, sorter=order)]
    before = hits.take(rows)
    assert before.composition is not None  # or the result would not be called corrected
    by = before.composition
    log10_evalues = known.log10_evalues + (before.log10_evalues - by.log10_uncorrected)
    moved = corrected_by(known, log10_evalues, by.lambda_ratio, by.shuffle_z)
    return moved.take(~(moved.log10_evalues > np.log10(limits.max_evalue)))
