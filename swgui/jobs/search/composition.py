"""E-values corrected for composition: a ranked list, hit by hit, until it cannot change any more.

Every E that is corrected is at least what it was, so a list is put together from the front: subjects in the order of
the E that their whole sequences allow, until the worst of those listed is better than all that are left.

A pair's E depends on the pair, the scheme and the size of the database alone: shuffles are drawn from a seed that the
aligned region of the subject gives, so engine, device, threads and order do not matter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import Stopped
from swgui.core.hits.ranking import Limits, Statistics, in_order, open_share
from swgui.core.hits.regions import Regions
from swgui.core.hits.results import CompositionColumns, Correction, HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.composition import WHOLE_PSEUDO, Floats, LambdaScale, loss
from swgui.core.statistics.track_composition import TrackScale
from swgui.engines.host import usable_cores
from swgui.engines.native import composition
from swgui.engines.native.region_work import HOST, RegionQuestion, RegionWork
from swgui.engines.native.subjects import Subjects
from swgui.jobs.search.region_shuffles import RegionPairs, chances_of

STAGE: Final = "Correcting for composition"
LONGEST_WHOLE: Final = 200_000  # residues of which a whole sequence's composition is told; of chromosomes none is
BATCH: Final = 256  # subjects corrected between two looks at Stop
AT_ONCE: Final = 4096  # compositions of whole sequences between two such looks

Progress = Generator[tuple[int, int], None, list[HitColumns]]
_Ints = NDArray[np.integer[Any]]


class Corrector:
    """Corrects the hits of one query.

    Parameters
    ----------
    kind : {"lambda", "full"}
        By lambda alone, or by shuffles as well.
    queries : Mapping[int, EncodedQuery]
        What was searched with, by strand.
    database : EncodedDatabase
    scheme : ScoringScheme
    statistics : KarlinAltschul or FittedStatistics
        What E was computed with.
    limits : Limits
    cancel : threading.Event
    threads : int
        0 for all cores.
    windows : mapping of (int, int) to WindowScores
        Where long subjects score, by source index and strand, as far as it is known.
    work : RegionWork
        What finds regions and scores shuffles.
    lambdas : LambdaScale, optional
        What compositions are compared by; by default what fits the statistics.
    """

    def __init__(
        self,
        kind: Correction,
        queries: Mapping[int, EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        statistics: Statistics,
        limits: Limits,
        cancel: threading.Event,
        threads: int = 0,
        windows: Mapping[tuple[int, int], WindowScores] = MappingProxyType({}),
        work: RegionWork = HOST,
        lambdas: LambdaScale | None = None,
    ) -> None:
        self._kind = kind
        self.queries = queries
        self.database = database
        self.scheme = scheme
        self.scale = statistics.lambda_
        self._limits = limits
        self._cancel = cancel
        self._windows = windows
        self.threads = threads or usable_cores()
        self.work = work
        self.lambdas = lambdas or composition.scale_of(
            statistics, scheme.matrix, next(iter(queries.values())).codes, database.letter_shares
        )
        self._statistics = statistics

    def all_of(self, hits: HitColumns) -> HitColumns:
        """Return the same hits in the same order, whatever their E; errors as for `best`."""
        (draft,) = _drafts([(self, hits, self.ratios_whole(hits))], np.inf)
        _shuffle([draft], np.inf)
        return draft.corrected()

    def check(self) -> None:
        """Raise `Stopped` once the search is stopped."""
        if self._cancel.is_set():
            raise Stopped("Correcting for composition was stopped.")

    def ratios_whole(self, hits: HitColumns) -> NDArray[np.float64]:
        """Return the ratios of lambdas that whole sequences give, shape (k,)."""
        of = np.searchsorted(order := np.array(sorted(self.queries)), hits.strands)
        queries = [self.queries[strand] for strand in order.tolist()]
        return ratios_whole(self.lambdas, queries, of, self.database, hits, self.check)

    def least(self, hits: HitColumns, whole: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decadic logarithm of E that whole sequences give, shape (k,): what counts is never below it."""
        return np.asarray(hits.log10_evalues + loss(self.scale, hits.scores, whole))

    def shares(self, draft: Draft) -> Iterator[_Share]:
        """Yield the hits of a draft that have regions, by strand, with what is asked about them."""
        hits, scheme = draft.hits, self.scheme
        for strand, query in self.queries.items():
            rows = np.flatnonzero((hits.strands == strand) & (hits.scores > 0) & np.isfinite(hits.log10_evalues))
            self.check()
            if len(rows):
                subjects, before = self._where_best(hits, rows)
                costs = scheme.gap_first, scheme.gap_extend
                question = RegionQuestion(query.scores(scheme), subjects, *costs, query.gaps, hits.scores[rows])
                yield _Share(self, draft, query, rows, question, before)

    def pairs(self, share: _Share, regions: Regions) -> RegionPairs:
        """Return the regions of hits, and keep them; what lambda says is left open."""
        hits, rows, subjects = share.draft.hits, share.rows, share.question.subjects
        share.draft.regions.put(rows, regions.moved(0, share.before))
        query_lengths = regions.query_end - regions.query_start
        lengths = regions.subject_end - regions.subject_start
        return RegionPairs(
            profile=share.question.profile,
            alphabet=self.scheme.alphabet,
            query_start=regions.query_start,
            query_length=query_lengths,
            subjects=Subjects(subjects.codes, subjects.starts + regions.subject_start, lengths),
            scores=hits.scores[rows],
            ratios=np.ones(len(rows)),
            log10_evalues=hits.log10_evalues[rows],
            trials=self._trials(hits.scores[rows], len(share.query), query_lengths, lengths),
            gaps=share.query.gaps,
        )

    def settle(self, share: _Share, pairs: RegionPairs, of_regions: NDArray[np.float64], limit: float) -> None:
        """Correct hits by lambda, and say which of them shuffles are asked about.

        Parameters
        ----------
        of_regions : ndarray, shape=(k,)
            Ratios of lambdas.
        limit : float
            Decadic logarithm of an E above which nothing more needs to be known.
        """
        draft, rows = share.draft, share.rows
        hits, ratios, evalues = draft.hits, draft.ratios, draft.log10_evalues
        ratios[rows] = np.minimum(ratios[rows], of_regions)
        evalues[rows] = hits.log10_evalues[rows] + loss(self.scale, hits.scores[rows], ratios[rows])
        if self._kind != "full":
            return
        pairs = replace(pairs, ratios=ratios[rows], log10_evalues=evalues[rows])
        asked = np.flatnonzero(~pairs.plain & (pairs.log10_evalues <= limit))
        if len(asked):
            draft.asked.append((rows[asked], pairs.take(asked)))

    def _where_best(self, hits: HitColumns, rows: NDArray[np.int64]) -> tuple[Subjects, NDArray[np.int64]]:
        """Return the subjects of rows, of long ones only the first window that reaches the score, if it is known.

        The best alignment that ends first lies wholly in it. Returned as well is how many residues are left out before.
        """
        before, behind = np.zeros(len(rows), dtype=np.int64), np.full(len(rows), -1, dtype=np.int64)
        for place, row in enumerate(rows.tolist() if self._windows else ()):
            known = self._windows.get((int(hits.db_index[row]), int(hits.strands[row])))
            if known is None:
                continue
            reached = np.flatnonzero(known.scores == hits.scores[row]).tolist()
            if reached:
                before[place], behind[place] = known.starts[reached[0]], known.stops[reached[0]]
        return Subjects.of(self.database, hits.db_index[rows], hits.strands[rows], (before, behind)), before

    def _trials(self, scores: _Ints, query_length: int, query_parts: _Ints, subject_parts: _Ints) -> Floats:
        """Return how many such pairs of regions the search has: one per subject; in genomes one per stretch."""
        residues, sequences = self._limits.database_size(self.database)
        share = open_share(self._statistics, scores, query_length, residues)
        if not self.database.in_stretches:
            return sequences * len(self.queries) * share
        stretches = np.maximum(residues / np.maximum(subject_parts, 1), 1.0)
        return np.asarray(share * stretches * np.maximum(query_length / np.maximum(query_parts, 1), 1.0))


@dataclass(slots=True, eq=False)
class Draft:
    """Hits of one query, corrected by lambda, then by shuffles.

    Parameters
    ----------
    by : Corrector
    hits : HitColumns
        As they were, k of them.
    ratios, log10_evalues, z : ndarray, shape=(k,), dtype=float64
        Of lambdas; the E that counts as far as it is known; standard deviations above shuffles, NaN without.
    regions : Regions
        Where the best alignments lie.
    asked : list of (ndarray, RegionPairs)
        Those that shuffles are asked about: places, and what is asked.
    """

    by: Corrector
    hits: HitColumns
    ratios: NDArray[np.float64]
    log10_evalues: NDArray[np.float64]
    z: NDArray[np.float64]
    regions: Regions
    asked: list[tuple[NDArray[np.int64], RegionPairs]]

    def corrected(self) -> HitColumns:
        """Return the hits with what was found."""
        columns = CompositionColumns(self.hits.log10_evalues, self.ratios, self.z)
        return replace(self.hits, log10_evalues=self.log10_evalues, composition=columns, regions=self.regions)


@dataclass(frozen=True, slots=True, eq=False)
class _Share:
    """The hits of one draft and strand.

    Parameters
    ----------
    by : Corrector
    draft : Draft
    query : EncodedQuery
        Of the strand.
    rows : ndarray, shape=(k,)
        Of the draft.
    question : RegionQuestion
        Where their best alignments lie.
    before : ndarray, shape=(k,)
        Residues of the subjects that are left out before those asked about.
    """

    by: Corrector
    draft: Draft
    query: EncodedQuery
    rows: NDArray[np.int64]
    question: RegionQuestion
    before: NDArray[np.int64]


def _drafts(asked: Sequence[tuple[Corrector, HitColumns, NDArray[np.float64]]], limit: float) -> list[Draft]:
    """Correct hits of queries by lambda, those of all together, and say which of them shuffles are asked about.

    Parameters
    ----------
    asked : sequence of (Corrector, HitColumns, ndarray)
        What corrects the hits of a query, k of them, and their ratios of lambdas by whole sequences, shape (k,).
    limit : float
        Decadic logarithm of an E above which nothing more needs to be known.
    """
    drafts = []
    for by, hits, whole in asked:
        unknown, regions = np.full(len(hits), np.nan), Regions.unknown(len(hits))
        drafts.append(Draft(by, hits, whole.copy(), by.least(hits, whole), unknown, regions, []))
    shares = [share for draft in drafts for share in draft.by.shares(draft)]
    if shares:
        by = drafts[0].by
        found = by.work.regions_of([share.question for share in shares], threads=by.threads, check=by.check)
        pairs = [share.by.pairs(share, regions) for share, regions in zip(shares, found, strict=True)]
        for share, some, ratios in zip(shares, pairs, _ratios_of_regions(shares, pairs), strict=True):
            share.by.settle(share, some, ratios, limit)
    return drafts


def _ratios_of_regions(shares: Sequence[_Share], pairs: Sequence[RegionPairs]) -> list[NDArray[np.float64]]:
    """Return the ratios of lambdas of regions, of all queries with one scale together."""
    alike: dict[int, list[int]] = {}
    for at, share in enumerate(shares):
        alike.setdefault(id(share.by.lambdas), []).append(at)
    ratios: dict[int, NDArray[np.float64]] = {}
    for places in alike.values():
        by, some = shares[places[0]].by, [pairs[at] for at in places]
        ends = np.cumsum([len(shares[at].query) for at in places])
        codes = np.concatenate([shares[at].query.codes for at in places])
        begins = [0, *ends[:-1].tolist()]
        starts = [one.query_start + begin for one, begin in zip(some, begins, strict=True)]
        own = Subjects(codes, np.concatenate(starts), np.concatenate([one.query_length for one in some]))
        others = Subjects.join([one.subjects for one in some])
        of_query, of_other = (composition.count_residues(one, by.scheme.alphabet) for one in (own, others))
        found = composition.ratios(by.lambdas, of_query, of_other, by.lambdas.region_pseudo)
        ratios.update(zip(places, np.split(found, np.cumsum([len(one) for one in some])[:-1]), strict=True))
    return [ratios[at] for at in range(len(shares))]


def _shuffle(drafts: Sequence[Draft], limit: float) -> None:
    """Hold hits of queries, whose statistics have one lambda, against shuffles, those of all queries together."""
    asked = [(draft, rows, pairs) for draft in drafts for rows, pairs in draft.asked]
    joined = RegionPairs.join([pairs for *_, pairs in asked])
    for places, together in joined:
        by = asked[places[0]][0].by
        found = chances_of(together, by.scheme, by.scale, limit, work=by.work, threads=by.threads, check=by.check)
        ends = np.cumsum([len(asked[at][1]) for at in places])[:-1]
        for at, evalues, z in zip(places, np.split(found.log10_evalues, ends), np.split(found.z, ends), strict=True):
            draft, rows, _ = asked[at]
            draft.log10_evalues[rows] = np.fmax(draft.log10_evalues[rows], evalues)
            draft.z[rows] = z


class _List:
    """The corrected list of one query, as far as it is made.

    Parameters
    ----------
    by : Corrector
    hits : HitColumns
        All subjects within the E limit before the correction, k of them.
    whole : ndarray, shape=(k,)
        Their ratios of lambdas by whole sequences.
    top : int
        How many are listed.
    limit : float
        Decadic logarithm of the largest E listed.
    """

    def __init__(self, by: Corrector, hits: HitColumns, whole: NDArray[np.float64], top: int, limit: float) -> None:
        self.by, self._hits, self._top, self._limit = by, hits, top, limit
        self._whole = whole
        self._least = by.least(hits, whole)
        order = np.argsort(self._least, kind="stable")
        self._order = order[self._least[order] <= limit]
        self._kept: list[HitColumns] = []
        self._found = np.zeros(0)
        self.done, self.total = 0, len(self._order)

    @property
    def open(self) -> bool:
        """Whether any of those left may be listed."""
        if self.done >= self.total:
            return False
        if len(self._found) < self._top:
            return True
        worst = np.partition(self._found, self._top - 1)[self._top - 1]
        return bool(worst >= self._least[self._order[self.done]])

    def begin(self) -> tuple[Corrector, HitColumns, NDArray[np.float64]]:
        """Return the next ones, as `_drafts` takes them."""
        rows = self._order[self.done : self.done + BATCH]
        self.done += len(rows)
        return self.by, self._hits.take(rows), self._whole[rows]

    def take(self, draft: Draft) -> None:
        """Take those that `begin` returned, corrected by shuffles as well."""
        part = draft.corrected()
        part = part.take(part.log10_evalues <= self._limit)
        self._kept.append(part)
        self._found = np.concatenate([self._found, part.log10_evalues])

    def listed(self) -> HitColumns:
        """Return the list."""
        if not self._kept:
            return uncorrected(self._hits.take(slice(0, 0)))
        kept = self._kept[0] if len(self._kept) == 1 else HitColumns.join(self._kept)
        return in_order(kept).take(slice(0, self._top))


def best_of(correctors: Sequence[Corrector], hits: Sequence[HitColumns], limits: Limits) -> Progress:
    """Return the corrected lists of queries, each in order; yields (done, total) candidates meanwhile.

    Parameters
    ----------
    correctors : sequence of Corrector
        One for each query, of one search; their statistics have one lambda.
    hits : sequence of HitColumns
        Of each query all subjects within the E limit before the correction.
    limits : Limits

    Raises
    ------
    Stopped
        Once the search is stopped.
    """
    limit = float(np.log10(limits.max_evalue))
    whole = _ratios_of_whole(correctors, hits)
    lists = [_List(*one, limits.top, limit) for one in zip(correctors, hits, whole, strict=True)]
    while some_open := [one for one in lists if one.open]:
        yield sum(one.done for one in lists), sum(one.total for one in lists)
        drafts = _drafts([one.begin() for one in some_open], limit)
        _shuffle(drafts, limit)
        for one, draft in zip(some_open, drafts, strict=True):
            one.take(draft)
    total = sum(one.total for one in lists)
    yield total, total
    return [one.listed() for one in lists]


def _ratios_of_whole(correctors: Sequence[Corrector], hits: Sequence[HitColumns]) -> list[NDArray[np.float64]]:
    """Return `ratios_whole` of the hits of queries; short lists of queries with one scale and strand together."""
    found: dict[int, NDArray[np.float64]] = {}
    short: dict[int, list[int]] = {}
    for at, (by, some) in enumerate(zip(correctors, hits, strict=True)):
        (query, *others) = by.queries.values()
        if others or len(some) > BATCH or len(query) > LONGEST_WHOLE:
            found[at] = by.ratios_whole(some)
        else:
            short.setdefault(id(by.lambdas), []).append(at)
    for places in short.values():
        by, sizes = correctors[places[0]], [len(hits[at]) for at in places]
        queries = [next(iter(correctors[at].queries.values())) for at in places]
        together = HitColumns.join([hits[at] for at in places])
        ratios = ratios_whole(
            by.lambdas, queries, np.repeat(np.arange(len(places)), sizes), by.database, together, by.check
        )
        found.update(zip(places, np.split(ratios, np.cumsum(sizes)[:-1]), strict=True))
    return [found[at] for at in range(len(correctors))]


def ratios_whole(
    lambdas: LambdaScale | TrackScale,
    queries: Sequence[EncodedQuery],
    of: NDArray[np.int64],
    database: EncodedDatabase,
    hits: HitColumns,
    check: Callable[[], None] = lambda: None,
) -> NDArray[np.float64]:
    """Return ratios from the compositions of whole sequences, shape (k,); 1 where they are too long to have one.

    Parameters
    ----------
    queries : sequence of EncodedQuery
    of : ndarray, shape=(k,), dtype=int64
        The query of each hit.
    """
    alphabet, ratios = lambdas.matrix.alphabet, np.ones(len(hits))
    told = np.array([len(query) <= LONGEST_WHOLE for query in queries], dtype=bool)
    rows = np.flatnonzero(told[of] & (database.lengths[hits.db_index] <= LONGEST_WHOLE))
    if not len(rows):
        return ratios
    ends = np.cumsum([0, *(len(query) if short else 0 for query, short in zip(queries, told, strict=True))])
    codes = np.concatenate([query.codes for query, short in zip(queries, told, strict=True) if short])
    of_queries = composition.count_residues(Subjects.packed(codes, ends), alphabet)
    for start in range(0, len(rows), AT_ONCE):
        check()
        some = rows[start : start + AT_ONCE]
        subjects = Subjects.of(database, hits.db_index[some], hits.strands[some])
        counts = composition.count_residues(subjects, alphabet)
        ratios[some] = composition.ratios(lambdas, of_queries[of[some]], counts, WHOLE_PSEUDO)
    return ratios


def uncorrected(hits: HitColumns) -> HitColumns:
    """Return hits with the columns of a correction that was not made: E as it was, the rest unknown."""
    unknown = np.full(len(hits), np.nan)
    return replace(hits, composition=CompositionColumns(hits.log10_evalues, unknown, unknown))
