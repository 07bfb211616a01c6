"""E-values corrected for composition: the quantities, their order and the reasons. This is the one place for it.

E by published or fitted statistics compares a hit with random sequences of average composition. For a pair of
sequences made otherwise, it asks too little. In this order, and never making E smaller:

0. **Nearly identical** whole sequences keep their E: all below asks how high sequences of such a make-up score that are
   not related, a question that does not arise for two that are plainly the same (`nearly_identical`).
1. **Lambda of the whole sequences** (`swgui.core.statistics.composition`): known without an alignment, so it orders the
   candidates, and E is never below it. The list grows from the front, until the worst subject in it is better than all
   remaining ones can be.
2. **Lambda of the aligned regions.** Biased stretches are local; the smaller of both ratios multiplies the scale of E.
3. **Shuffles** of the subject's region against the query's (`swgui.core.judging.region_shuffles`), where lambda
   leaves doubt: where a pattern is repeated no lambda says how high chance goes. The larger E counts; alone, shuffles
   are too kind, for they ignore how the regions were chosen.
4. **Two tracks**: chains that are not related share helices, hairpins and their order, which no shuffle keeps, so E
   falls more slowly than scores say (`in_real_folds`).
5. **Further alignments** of a hit have lambdas of their own regions, and lose the same share of the score that
   shuffles took from the hit (`HspCorrection`).

Searches with frameshifts stop after 2 (`Corrector.by_lambda`): shuffles would not keep the causes of frameshifts.
Profiles have no lambda of compositions: in rounds only shuffles correct the hits of the final list, whatever their E
(`by_shuffles`); the fit to all scores decides on earlier inclusions.

A pair's E depends on the pair, the scheme and the size of the database alone: the aligned region of the subject gives
the seed of the shuffles, so engine, device, threads and order do not matter. Engines only deliver regions, shuffles,
counts and roots on request (`swgui.core.judging.correction_work`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.hits.regions import Regions
from swgui.core.hits.results import CompositionColumns, HitColumns
from swgui.core.hits.scores import WindowScores, among
from swgui.core.judging.correction_work import CorrectionWork, QueryScores, RegionRequest, joined_scores, scores_of
from swgui.core.judging.ranking import Statistics, in_order_each, open_share
from swgui.core.judging.region_shuffles import RegionPairs, chances_of, is_plain
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix
from swgui.core.search import Correction
from swgui.core.statistics.composition import (
    WHOLE_PSEUDO,
    Floats,
    LambdaScale,
    bits_after,
    count_residues,
    loss,
    nearly_identical,
    scales_of_one_kind,
)
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.stretches import Subjects

STAGE: Final = "Correcting for composition"
LONGEST_WHOLE: Final = 200_000  # largest whole sequence, in residues, whose composition is given; chromosomes have none
BATCH: Final = 256  # subjects of a list that are corrected together, at least
LARGEST_BATCH: Final = 2048  # and at most
FEWEST_KEPT: Final = 0.25  # share of corrected subjects that is counted on to stay within the limit, at least
WHOLE_BATCH: Final = 4096  # compositions of whole sequences between two such looks
FOLDS_BEGIN: Final = -0.6  # log10 of the chance of a pair in two tracks, where scores say that it is 1
FOLDS_SLOWER: Final = 0.68  # loss of the logarithm of scores; both fitted to half of SCOP's superfamilies
JOINED_SCORES: Final = 600_000  # of a query's profile that is copied to those of others

Progress = Generator[tuple[int, int], None, list[HitColumns]]
_Ints = NDArray[np.integer[Any]]
T = TypeVar("T")


def in_real_folds(log10_evalues: Floats, sequences: float) -> Floats:
    """Return decadic logarithms of E of pairs in two tracks as domains of other folds have them; never smaller.

    Fitted to domains of one half of SCOP's superfamilies against all others of other folds, and tested with the other
    half (``packaging/measuring/shape.py evalues --decoys themselves``; `docs/howto/search-by-shape.md`).

    Parameters
    ----------
    sequences : float
        Sequences of the search; the chance of one pair is the value that falls more slowly.
    """
    size = np.log10(max(sequences, 1.0))
    return np.asarray(np.maximum(log10_evalues, size + FOLDS_BEGIN + FOLDS_SLOWER * (log10_evalues - size)))


def scales_of(
    statistics: Sequence[Statistics],
    matrix: SubstitutionMatrix,
    queries: Sequence[NDArray[np.uint8]],
    letters: Floats | None,
    work: CorrectionWork,
) -> list[LambdaScale]:
    """Return the lambdas that compositions are compared by, of each query: of the background, or for a fit of its own.

    Parameters
    ----------
    queries : sequence of ndarray, shape=(m,)
        The codes of each.
    letters : ndarray, shape=(letters,), optional
        Frequencies of the letters of a second track in the searched database.
    """
    fitted = [number for number, by in enumerate(statistics) if not isinstance(by, KarlinAltschul)]
    scales = [LambdaScale.of_background(matrix)] * len(statistics)
    if fitted:
        of_fits = Subjects.stacked([queries[number] for number in fitted])
        for number, scale in zip(
            fitted, LambdaScale.of_background(matrix, letters).of_each(of_fits, work), strict=True
        ):
            scales[number] = scale
    return scales


class Corrector:
    """Corrects the hits of one query.

    Parameters
    ----------
    kind : {"lambda", "full"}
        By lambda alone, or by shuffles as well.
    queries : Mapping[int, EncodedQuery]
        What was searched with, by strand.
    statistics : KarlinAltschul or FittedStatistics
        What E was computed with.
    windows : mapping of (int, int) to WindowScores
        Where long subjects score, by source index and strand, as far as it is known.
    lambdas : LambdaScale
        Scale that compares compositions (`scales_of`).
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
        work: CorrectionWork,
        threads: int,
        windows: Mapping[tuple[int, int], WindowScores],
        lambdas: LambdaScale,
    ) -> None:
        self.kind = kind
        self.queries = queries
        self.database = database
        self.scheme = scheme
        self.scale = statistics.lambda_
        self._limits = limits
        self.check = checking(cancel, "Correcting for composition was stopped.")
        self.windows = windows
        self.threads = threads
        self.work = work
        self.lambdas = lambdas
        self.statistics = statistics
        different = {id(query.codes): query for query in queries.values()}  # in several readings it may be one sequence
        bounds = {codes: query.bound(scheme) for codes, query in different.items()}
        self.sizes = {sign: (len(query), bounds[id(query.codes)]) for sign, query in queries.items()}

    def all_of(self, hits: HitColumns) -> HitColumns:
        """Return the same hits in the same order, whatever their E; errors as for `best_of`."""
        return corrected_each([self], hits, np.zeros(len(hits), dtype=np.int64))

    def by_lambda(self, hits: HitColumns, rows: NDArray[np.int64], of_query: Subjects, other: Subjects) -> HitColumns:
        """Return the same hits in the same order, corrected by lambda alone.

        Parameters
        ----------
        rows : ndarray, shape=(n,), dtype=int64
            Hits that have aligned regions.
        of_query, other : Subjects
            Those regions, on either side.
        """
        ratios, nothing = np.ones(len(hits)), np.full(len(hits), np.nan)
        if len(rows):
            whole = self.ratios_whole(hits.take(rows))
            ratios[rows] = np.minimum(whole, ratios_of_regions(self.lambdas, of_query, other, self.work))
        shown = np.where(np.isfinite(hits.log10_evalues), ratios, np.nan)
        return corrected_by(hits, hits.log10_evalues + loss(self.scale, hits.scores, ratios), shown, nothing)

    def ratios_whole(self, hits: HitColumns) -> Floats:
        """Return the ratios of lambdas that whole sequences give, shape (k,)."""
        return ratios_of_whole([self], hits, np.zeros(len(hits), dtype=np.int64))

    def where_best(self, hits: HitColumns) -> tuple[_Ints, _Ints]:
        """Return the places of the best alignments of hits: first residues of subjects, and ends; -1 for theirs.

        In long subjects that is only the first window that reaches the score, if it is known: the best alignment that
        ends first lies wholly in it.
        """
        before, behind = np.zeros(len(hits), dtype=np.int64), np.full(len(hits), -1, dtype=np.int64)
        for place in range(len(hits)):
            window = self.windows.get((int(hits.db_index[place]), int(hits.strands[place])))
            if window is None:
                continue
            reached = np.flatnonzero(window.scores == hits.scores[place]).tolist()
            if reached:
                before[place], behind[place] = window.starts[reached[0]], window.stops[reached[0]]
        return before, behind

    @property
    def sequences(self) -> float:
        """Number of sequences of the database that E refers to."""
        return self._limits.database_size(self.database)[1]

    def trials(self, scores: _Ints, query_lengths: _Ints, query_parts: _Ints, subject_parts: _Ints) -> Floats:
        """Return the number of such pairs of regions in the search: one per subject; in genomes one per stretch."""
        residues, sequences = self._limits.database_size(self.database)
        share = open_share(self.statistics, scores, query_lengths, residues)
        if not self.database.in_stretches:
            return sequences * len(self.queries) * share
        stretches = np.maximum(residues / np.maximum(subject_parts, 1), 1.0)
        return np.asarray(share * stretches * np.maximum(query_lengths / np.maximum(query_parts, 1), 1.0))


class _QueryStrand(msgspec.Struct, frozen=True, eq=False):
    """The hits of one query and strand that have regions."""

    by: Corrector
    query: EncodedQuery  # of the strand
    rows: slice  # of all hits that have regions

    @property
    def batch_key(self) -> str:
        """The batch in which shuffles are scored: "plain", or "gaps" by position; empty for those that stay alone.

        Those are long queries, and those whose deletions may pay for others, which could then reach into the next one.
        """
        gaps = self.query.gaps
        if len(self.query) * len(self.by.scheme.alphabet) > JOINED_SCORES:
            return ""
        if gaps is None:
            return "plain"
        return "gaps" if gaps.deletion_extend.min(initial=0) >= 0 else ""


class _HitCorrection:
    """Hits of one or more queries, corrected by lambda, then by shuffles: those of all queries together.

    Parameters
    ----------
    correctors : sequence of Corrector
        One for each query, of one search.
    hits : HitColumns
        As they were, k of them.
    of : ndarray, shape=(k,), dtype=int64
        The query of each.
    whole : ndarray, shape=(k,), dtype=float64
        Their ratios of lambdas by whole sequences.
    """

    def __init__(self, correctors: Sequence[Corrector], hits: HitColumns, of: NDArray[np.int64], whole: Floats) -> None:
        self._by, self._hits = correctors[0], hits
        self._ratios = whole.copy()
        self._scales = scales_of_hits(correctors, of)
        self._same = same_as_queries(correctors, hits, of)
        self.log10_evalues = least_of(self._scales, hits, whole)  # the one that counts, as far as it is known
        self._z = np.full(len(hits), np.nan)  # standard deviations above shuffles
        self._regions = Regions.unknown(len(hits))
        rows = np.flatnonzero((hits.scores > 0) & np.isfinite(hits.log10_evalues))
        self._rows = rows = rows[np.lexsort((hits.strands[rows], of[rows]))]
        changes = (np.diff(of[rows]) != 0) | (np.diff(hits.strands[rows]) != 0)
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(rows)] if len(rows) else [0]
        whose = zip(of[rows[edges[:-1]]].tolist(), hits.strands[rows[edges[:-1]]].tolist(), strict=True)
        spans = zip(whose, pairwise(edges), strict=True)
        self._shares = [
            _QueryStrand(by := correctors[index], by.queries[sign], slice(*span)) for (index, sign), span in spans
        ]
        self._share_of = np.repeat(np.arange(len(self._shares)), np.diff(edges))  # of each row

    def correct(self, limit: float) -> None:
        """Correct by lambda, and by shuffles the hits within a decadic logarithm of E."""
        by, rows = self._by, self._rows
        by.check()
        if not len(rows):
            return
        regions, inside, profiles = self._find_regions()
        hits = self._hits.take(rows)
        by_regions = np.where(self._same[rows], 1.0, self._ratios_of_regions(regions, inside))
        self._ratios[rows] = np.minimum(self._ratios[rows], by_regions)
        self.log10_evalues[rows] = least_of(self._scales[rows], hits, self._ratios[rows])
        if by.kind == "full":
            evalues = self.log10_evalues[rows]
            plain = is_plain(self._ratios[rows], evalues) | self._same[rows]
            self._shuffle(np.flatnonzero((evalues <= limit) & ~plain), limit, profiles, regions, inside)
        if by.scheme.tracks:
            others = rows[~self._same[rows]]
            self.log10_evalues[others] = in_real_folds(self.log10_evalues[others], by.sequences)

    def shuffle_all(self) -> None:
        """Compare all hits with shuffles but those that are nearly the query itself."""
        self._by.check()
        if len(self._rows):
            regions, inside, profiles = self._find_regions()
            self._shuffle(np.flatnonzero(~self._same[self._rows]), np.inf, profiles, regions, inside)

    def _find_regions(self) -> tuple[Regions, Subjects, list[QueryScores]]:
        """Return the regions of the best alignments, those of the subjects as stretches, and the queries' scores."""
        by, hits = self._by, self._hits.take(self._rows)
        before, behind = np.zeros(len(hits), dtype=np.int64), np.full(len(hits), -1, dtype=np.int64)
        for share in self._shares:
            if share.by.windows:
                before[share.rows], behind[share.rows] = share.by.where_best(hits.take(share.rows))
        subjects = by.work.parts_of(by.database, hits.db_index, hits.strands, (before, behind))
        questions = [self._question(share, subjects, hits.scores) for share in self._shares]
        answers = by.work.regions_of(questions, threads=by.threads, check=by.check)
        regions = Regions.join(answers)
        self._regions.put(self._rows, regions.moved(0, before))
        lengths = regions.subject_end - regions.subject_start
        inside = Subjects(subjects.codes, subjects.starts + regions.subject_start, lengths)
        return regions, inside, [question.profile for question in questions]

    def corrected(self) -> HitColumns:
        """Return the hits with their corrections."""
        hits = replace(self._hits, regions=self._regions)
        return corrected_by(hits, self.log10_evalues, self._ratios, self._z)

    def _question(self, share: _QueryStrand, subjects: Subjects, scores: NDArray[np.int32]) -> RegionRequest:
        """Return the question for the best alignments of a share."""
        query, scheme = share.query, share.by.scheme
        costs = scheme.gap_first, scheme.gap_extend
        some = subjects.take(share.rows)
        return RegionRequest(scores_of(query, scheme), some, *costs, query.gaps, scores[share.rows], scheme.tracks)

    def _ratios_of_regions(self, regions: Regions, subjects: Subjects) -> Floats:
        """Return the ratios of lambdas of regions, those of one scale together."""
        codes = [share.query.codes for share in self._shares]
        begins = np.cumsum([0, *map(len, codes[:-1])])[self._share_of]
        own = Subjects(np.concatenate(codes), regions.query_start + begins, regions.query_end - regions.query_start)
        alphabet, work = self._by.scheme.alphabet, self._by.work
        of_query, other = (count_residues(stretches, alphabet, work) for stretches in (own, subjects))
        ratios = np.ones(len(regions))
        for lambdas, some, usual in scales_of_one_kind([share.by.lambdas for share in self._shares]):
            places = np.flatnonzero(among(self._share_of, np.array(some)))
            given = of_query[places], other[places], lambdas.region_pseudo, work
            ratios[places] = lambdas.ratios(*given, usual[self._share_of[places]])
        return ratios

    def _shuffle(
        self,
        asked: NDArray[np.int64],
        limit: float,
        profiles: Sequence[QueryScores],
        regions: Regions,
        subjects: Subjects,
    ) -> None:
        """Compare some of the hits that have regions with shuffles."""
        by = self._by
        groups: dict[str | int, list[int]] = {}
        for index in sorted(set(self._share_of[asked].tolist())):
            groups.setdefault(self._shares[index].batch_key or index, []).append(index)
        for some in groups.values():
            places = asked[among(self._share_of[asked], np.array(some))]
            if len(places):
                pairs = self._pairs(some, places, profiles, regions, subjects)
                rows = self._rows[places]
                scales = self._scales[rows]
                chances = chances_of(pairs, by.scheme, scales, limit, by.work, threads=by.threads, check=by.check)
                self.log10_evalues[rows] = np.fmax(self.log10_evalues[rows], chances.log10_evalues)
                self._z[rows] = chances.z

    def _pairs(
        self,
        some: Sequence[int],
        places: NDArray[np.int64],
        profiles: Sequence[QueryScores],
        regions: Regions,
        subjects: Subjects,
    ) -> RegionPairs:
        """Return regions of some shares as pairs of one query, in which theirs are consecutive."""
        share_of, rows, chosen = self._share_of[places], self._rows[places], regions.take(places)
        begins, lengths = (
            np.zeros(len(self._shares), dtype=np.int64),
            np.array([len(share.query) for share in self._shares]),
        )
        begins[some] = np.cumsum([0, *(len(profiles[index]) for index in some[:-1])])
        scores, inside = self._hits.scores[rows], subjects.take(places)
        sizes = lengths[share_of], chosen.query_end - chosen.query_start, inside.lengths
        trials = np.ones(len(places))
        for _, alike in _alike([self._shares[index].by.statistics for index in some]):
            those = np.flatnonzero(among(share_of, np.array(some)[alike]))
            by = self._shares[some[alike[0]]].by
            trials[those] = by.trials(scores[those], *(size[those] for size in sizes))
        return RegionPairs(
            profile=joined_scores([profiles[index] for index in some]),
            alphabet=self._by.scheme.alphabet,
            query_start=chosen.query_start + begins[share_of],
            query_length=sizes[1],
            subjects=inside,
            scores=scores,
            ratios=self._ratios[rows],
            log10_evalues=self.log10_evalues[rows],
            trials=trials,
            gaps=PositionGaps.joined([gaps for index in some if (gaps := self._shares[index].query.gaps) is not None]),
        )


def _alike(values: Sequence[T]) -> list[tuple[T, list[int]]]:
    """Return the distinct objects among some, and the places of each."""
    groups: dict[int, list[int]] = {}
    for index, value in enumerate(values):
        groups.setdefault(id(value), []).append(index)
    return [(values[some[0]], some) for some in groups.values()]


class _CorrectedLists:
    """The corrected lists of some queries, as far as they are made.

    Parameters
    ----------
    correctors : sequence of Corrector
    hits : sequence of HitColumns
        Subjects of each query within the E limit before the correction.
    """

    def __init__(self, correctors: Sequence[Corrector], hits: Sequence[HitColumns], limits: Limits) -> None:
        self._correctors, self._top = correctors, limits.top
        self.limit = float(np.log10(limits.max_evalue))
        sizes = [len(columns) for columns in hits]
        self._hits, self._of = HitColumns.join(hits), np.repeat(np.arange(len(hits)), sizes)
        self._whole = ratios_of_whole(correctors, self._hits, self._of)
        self._least = least_of(scales_of_hits(correctors, self._of), self._hits, self._whole)
        order = np.lexsort((self._least, self._of))
        self._order = order[self._least[order] <= self.limit]
        counts = np.bincount(self._of[self._order], minlength=len(hits))
        self._ends = np.cumsum(counts)
        self._first = self._ends - counts
        self._next = self._first.copy()
        self._found = [np.zeros(0) for _ in hits]  # E of those kept of each list, as long as it is open
        self._kept: list[tuple[HitColumns, NDArray[np.int64]]] = []
        self.total = len(self._order)

    @property
    def done(self) -> int:
        """Number of corrected hits."""
        return self.total - int((self._ends - self._next).sum())

    def open(self) -> list[int]:
        """Return the lists of which any of those left may be listed."""
        return [index for index in np.flatnonzero(self._next < self._ends).tolist() if self._may_change(index)]

    def _may_change(self, index: int) -> bool:
        if len(self._found[index]) < self._top:
            return True
        worst = np.partition(self._found[index], self._top - 1)[self._top - 1]
        return bool(worst >= self._least[self._order[self._next[index]]])

    def go_on(self, some: Sequence[int]) -> None:
        """Correct the next hits of some lists, those of all together."""
        begins, ends = self._next[some], np.minimum(self._next[some] + self._sizes(some), self._ends[some])
        rows = np.concatenate([self._order[a:b] for a, b in zip(begins.tolist(), ends.tolist(), strict=True)])
        self._next[some] = ends
        correction = _HitCorrection(self._correctors, self._hits.take(rows), self._of[rows], self._whole[rows])
        correction.correct(self.limit)
        within = np.flatnonzero(correction.log10_evalues <= self.limit)
        kept, of = correction.corrected().take(within), self._of[rows[within]]
        self._kept.append((kept, of))
        for index in some:
            if self._next[index] < self._ends[index]:
                self._found[index] = np.concatenate([self._found[index], kept.log10_evalues[of == index]])

    def _sizes(self, some: Sequence[int]) -> NDArray[np.int64]:
        """Return how many hits of some lists are likely to fill them, by the share of those so far that stayed."""
        found, done = np.array([len(self._found[index]) for index in some]), self._next[some] - self._first[some]
        kept = np.where(done > 0, np.maximum(found / np.maximum(done, 1), FEWEST_KEPT), 1.0)
        return np.clip((self._top - found) / kept, BATCH, LARGEST_BATCH).astype(np.int64)

    def listed(self) -> list[HitColumns]:
        """Return the lists, each in order."""
        if not self._kept:
            return [uncorrected(self._hits.take(slice(0, 0)))] * len(self._correctors)
        kept, of = HitColumns.join([columns for columns, _ in self._kept]), np.concatenate([of for _, of in self._kept])
        return in_order_each(kept, of, len(self._correctors), self._top)


def best_of(correctors: Sequence[Corrector], hits: Sequence[HitColumns], limits: Limits) -> Progress:
    """Return the corrected lists of queries, each in order; yields (done, total) candidates meanwhile.

    Parameters
    ----------
    correctors : sequence of Corrector
        One for each query, of one search.
    hits : sequence of HitColumns
        Subjects of each query within the E limit before the correction.

    Raises
    ------
    Stopped
        Once the search is stopped.
    """
    lists = _CorrectedLists(correctors, hits, limits)
    while some := lists.open():
        yield lists.done, lists.total
        lists.go_on(some)
    yield lists.total, lists.total
    return lists.listed()


def corrected_each(correctors: Sequence[Corrector], hits: HitColumns, of: NDArray[np.int64]) -> HitColumns:
    """Return hits of several queries in the same order, corrected whatever their E; errors as for `best_of`.

    Parameters
    ----------
    of : ndarray, shape=(k,), dtype=int64
        The corrector of each hit.
    """
    correction = _HitCorrection(correctors, hits, of, ratios_of_whole(correctors, hits, of))
    correction.correct(np.inf)
    return correction.corrected()


def by_shuffles(correctors: Sequence[Corrector], hits: Sequence[HitColumns]) -> list[HitColumns]:
    """Return the same hits in the same order, corrected by shuffles alone: of profiles, which have no lambda.

    Parameters
    ----------
    correctors : sequence of Corrector
        One for each query, of one search.
    hits : sequence of HitColumns
        Subjects of each query.
    """
    sizes = [len(columns) for columns in hits]
    together, of = HitColumns.join(hits), np.repeat(np.arange(len(hits)), sizes)
    correction = _HitCorrection(correctors, together, of, np.ones(len(together)))
    correction.shuffle_all()
    corrected = correction.corrected()
    assert corrected.composition is not None
    nothing = np.full(len(together), np.nan)
    corrected = replace(corrected, composition=replace(corrected.composition, lambda_ratio=nothing))
    ends = np.cumsum(sizes)
    return corrected.parts(list(map(slice, (ends - sizes).tolist(), ends.tolist())))


def scales_of_hits(correctors: Sequence[Corrector], of: NDArray[np.int64]) -> Floats:
    """Return lambda of the statistics of each hit's query, shape (k,)."""
    return np.array([by.scale for by in correctors])[of]


def least_of(scales: Floats, hits: HitColumns, ratios: Floats) -> Floats:
    """Return the decadic logarithm of E with these ratios of lambdas, shape (k,); of whole sequences the least."""
    return np.asarray(hits.log10_evalues + loss(scales, hits.scores, ratios))


def ratios_of_whole(correctors: Sequence[Corrector], hits: HitColumns, of: NDArray[np.int64]) -> Floats:
    """Return the ratios of lambdas that whole sequences give, of hits of queries, shape (k,); 1 for nearly the same.

    Parameters
    ----------
    of : ndarray, shape=(k,), dtype=int64
        The query of each hit.
    """
    ratios = np.ones(len(hits))
    signs = np.array(sorted(correctors[0].queries))
    strand = np.searchsorted(signs, hits.strands)
    for lambdas, some, usual in scales_of_one_kind([by.lambdas for by in correctors]):
        queries = [correctors[index].queries[sign] for index in some for sign in signs.tolist()]
        place = np.zeros(len(correctors), dtype=np.int64)
        place[some] = len(signs) * np.arange(len(some))
        rows = slice(None) if len(some) == len(correctors) else np.flatnonzero(among(of, np.array(some)))
        by, its = correctors[some[0]], place[of[rows]] + strand[rows]
        given = lambdas, queries, its, by.database, hits.take(rows), by.work, by.check
        ratios[rows] = ratios_whole(*given, usual[of[rows]])
    ratios[same_as_queries(correctors, hits, of)] = 1.0
    return ratios


def same_as_queries(correctors: Sequence[Corrector], hits: HitColumns, of: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return a mask of hits that nearly equal their query from end to end, shape (k,): their E stays uncorrected.

    Parameters
    ----------
    of : ndarray, shape=(k,), dtype=int64
        The query of each hit.
    """
    signs = np.array(sorted(correctors[0].queries))
    sizes = np.array([[by.sizes[sign] for sign in signs.tolist()] for by in correctors])
    lengths, bounds = sizes[of, np.searchsorted(signs, hits.strands)].T
    return nearly_identical(hits.scores, bounds, lengths, correctors[0].database.lengths_of(hits.db_index))


def ratios_whole(
    lambdas: LambdaScale,
    queries: Sequence[EncodedQuery],
    of: NDArray[np.int64],
    database: EncodedDatabase,
    hits: HitColumns,
    work: CorrectionWork,
    check: Callable[[], None] = lambda: None,
    usual: Floats | None = None,
) -> Floats:
    """Return ratios from the compositions of whole sequences, shape (k,); 1 where they are too long to have one.

    Parameters
    ----------
    of : ndarray, shape=(k,), dtype=int64
        The query of each hit.
    usual : ndarray, shape=(k,), optional
        As for `LambdaScale.lambdas`.
    """
    alphabet, ratios = lambdas.matrix.alphabet, np.ones(len(hits))
    told = np.array([len(query) <= LONGEST_WHOLE for query in queries], dtype=bool)
    rows = np.flatnonzero(told[of] & (database.lengths_of(hits.db_index) <= LONGEST_WHOLE))
    if not len(rows):
        return ratios
    ends = np.cumsum([0, *(len(query) if short else 0 for query, short in zip(queries, told, strict=True))])
    codes = np.concatenate([query.codes for query, short in zip(queries, told, strict=True) if short])
    of_queries = count_residues(Subjects.packed(codes, ends), alphabet, work)
    for start in range(0, len(rows), WHOLE_BATCH):
        check()
        some = rows[start : start + WHOLE_BATCH]
        subjects = Subjects.of(database, hits.db_index[some], hits.strands[some])
        counts = count_residues(subjects, alphabet, work)
        given = of_queries[of[some]], counts, WHOLE_PSEUDO, work
        ratios[some] = lambdas.ratios(*given, None if usual is None else usual[some])
    return ratios


def ratios_of_regions(
    lambdas: LambdaScale, of_query: Subjects, other: Subjects, work: CorrectionWork, usual: Floats | None = None
) -> Floats:
    """Return ratios from the compositions of aligned regions, shape (k,); `usual` as for `LambdaScale.lambdas`."""
    queries, subjects = (count_residues(side, lambdas.matrix.alphabet, work) for side in (of_query, other))
    return lambdas.ratios(queries, subjects, lambdas.region_pseudo, work, usual)


class HspCorrection:
    """By how much the decadic logarithm of E of the further alignments of hits grows.

    Each alignment has a lambda of its own, from the compositions of its two regions and of the whole sequences. What
    shuffles added to the hit's E beyond that, or its own part in the profile of an iterated search, they add to its
    other alignments by the same share of the score.

    Parameters
    ----------
    scores : ndarray, shape=(k,)
        QueryScores of the hits.
    added : ndarray, shape=(k,), dtype=float64
        Additions to the decadic logarithms of their E, apart from the effect of lambda.
    scale : ndarray, shape=(k,), or float
        Lambda of the statistics.
    kinds : sequence of (LambdaScale, ndarray of bool)
        Scale of the compositions, and the hits that it applies to; none if lambda did not correct E.
    whole : ndarray, shape=(k,), dtype=float64, optional
        Ratios that whole sequences give; NaN where E of the hit was not corrected.
    usual : ndarray, shape=(k,), dtype=float64, optional
        As for `LambdaScale.lambdas`.

    Attributes
    ----------
    at_least : ndarray, shape=(k,), dtype=float64
        Bits of the alignments of each hit, for each unit of the score.
    """

    def __init__(
        self,
        scores: _Ints,
        added: Floats,
        scale: Floats | float = 0.0,
        kinds: Sequence[tuple[LambdaScale, NDArray[np.bool_]]] = (),
        whole: Floats | None = None,
        usual: Floats | None = None,
    ) -> None:
        self._kinds, self._usual = kinds, usual
        self._scale = np.broadcast_to(np.asarray(scale, dtype=np.float64), len(scores))
        self._shuffled = np.maximum(np.nan_to_num(added), 0.0) / np.maximum(scores, 1)
        self._corrected = np.zeros(len(scores), dtype=np.bool_) if whole is None else np.isfinite(whole)
        self._whole = np.ones(len(scores)) if whole is None else np.nan_to_num(whole, nan=1.0)
        self.at_least = self._shuffled + loss(scale, np.ones(1), self._whole)

    def loss(
        self, places: NDArray[np.int64], scores: _Ints, of_query: Subjects, other: Subjects, work: CorrectionWork
    ) -> Floats:
        """Return it for alignments, shape (n,).

        Parameters
        ----------
        places : ndarray, shape=(n,)
            The hit of each.
        scores : ndarray, shape=(n,)
        of_query, other : Subjects
            The two regions of each.
        """
        grown: Floats = self._shuffled[places] * scores
        for lambdas, those in self._kinds:
            some = np.flatnonzero((self._corrected & those)[places])
            if len(some):
                own, sides = places[some], (of_query.take(some), other.take(some))
                usual = None if self._usual is None else self._usual[own]
                ratios = ratios_of_regions(lambdas, *sides, work, usual)
                grown[some] += loss(self._scale[own], scores[some], np.minimum(ratios, self._whole[own]))
        return grown


def corrected_by(hits: HitColumns, log10_evalues: Floats, ratios: Floats, z: Floats) -> HitColumns:
    """Return hits with another E, the bits that belong to it, and the effect of their compositions."""
    bits = bits_after(hits.bit_scores, log10_evalues - hits.log10_evalues)
    columns = CompositionColumns(hits.log10_evalues, ratios, z)
    return replace(hits, bit_scores=bits, log10_evalues=log10_evalues, composition=columns)


def uncorrected(hits: HitColumns) -> HitColumns:
    """Return hits with the columns of a correction that was not made: E as it was, the rest unknown."""
    unknown = np.full(len(hits), np.nan)
    return replace(hits, composition=CompositionColumns(hits.log10_evalues, unknown, unknown))
