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
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.columns import Rows
from swgui.core.control import checking
from swgui.core.database import EncodedDatabase
from swgui.core.hits.regions import Regions
from swgui.core.hits.results import CompositionColumns, HitColumns, JoinedHits
from swgui.core.hits.scores import WindowScores, among, distinct
from swgui.core.judging.correction_work import CorrectionWork, QueryScores, RegionRequest, joined_scores, scores_of
from swgui.core.judging.ranking import Statistics, alike, in_order_each, open_share
from swgui.core.judging.region_shuffles import LARGEST_SCORE, RegionPairs, chances_of, is_plain
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.ranges import concatenated_ranges
from swgui.core.score_profile import PositionGaps
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, bounds
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
from swgui.core.stretches import Stack, Subjects, stack

STAGE: Final = "Correcting for composition"
LONGEST_WHOLE: Final = 200_000  # largest whole sequence, in residues, whose composition is given; chromosomes have none
BATCH: Final = 256  # subjects of a list that are corrected together, at least
LARGEST_BATCH: Final = 2048  # and at most
FEWEST_KEPT: Final = 0.25  # share of corrected subjects that is counted on to stay within the limit, at least
WHOLE_BATCH: Final = 4096  # compositions of whole sequences between two such looks
FOLDS_BEGIN: Final = -0.6  # log10 of the chance of a pair in two tracks, where scores say that it is 1
FOLDS_SLOWER: Final = 0.68  # loss of the logarithm of scores; both fitted to half of SCOP's superfamilies
TOGETHER: Final = 1 << 14  # subjects of all lists that are corrected together
JOINED_SCORES: Final = 600_000  # of a query's profile that is copied to those of others

Progress = Generator[tuple[int, int], None, JoinedHits]
_Ints = NDArray[np.integer[Any]]


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
    """Corrects the hits of one or more queries of one search.

    Parameters
    ----------
    kind : {"lambda", "full"}
        By lambda alone, or by shuffles as well.
    queries : sequence of EncodedQuery
        What was searched with: each query in every strand, query by query.
    strands : sequence of int
        Strands searched, in their order.
    statistics : sequence of KarlinAltschul or FittedStatistics
        What E of each query was computed with.
    windows : sequence of mapping of (int, int) to WindowScores
        Where long subjects score, of each query, by source index and strand, as far as it is known.
    lambdas : sequence of LambdaScale
        Scale that compares compositions, of each query (`scales_of`).
    """

    def __init__(
        self,
        kind: Correction,
        queries: Sequence[EncodedQuery],
        strands: Sequence[int],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        statistics: Sequence[Statistics],
        limits: Limits,
        cancel: threading.Event,
        work: CorrectionWork,
        threads: int,
        windows: Sequence[Mapping[tuple[int, int], WindowScores]],
        lambdas: Sequence[LambdaScale],
    ) -> None:
        self.kind = kind
        self.queries, self.strands = queries, strands
        self.database = database
        self.scheme = scheme
        self._limits = limits
        self.check = checking(cancel, "Correcting for composition was stopped.")
        self.windows = windows
        self.threads = threads
        self.work = work
        self.kinds = scales_of_one_kind(lambdas)
        self._published = [(by, some) for by, some in alike(statistics) if isinstance(by, KarlinAltschul)]
        self.scales = np.array([by.lambda_ for by in statistics])
        self._by_sign = np.argsort(strands)
        # Of every query in every strand, shape (q * strands,).
        self.stack, self.bounds = stack(queries, scheme), bounds(queries, scheme)
        self.lengths = np.diff(self.stack.begins)
        self._alone, self._by_position = self._kinds_of_queries()

    def __len__(self) -> int:
        return len(self.scales)

    def numbers(self, hits: HitColumns, of: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the place of the query of each hit, in the strand of the hit, among `queries`; shape (k,)."""
        signs = self._by_sign
        if len(signs) == 1:
            return of
        return of * len(signs) + signs[np.searchsorted(np.array(self.strands)[signs], hits.strands)]

    def all_of(self, hits: HitColumns, of: NDArray[np.int64]) -> HitColumns:
        """Return hits of the queries `of` in the same order, corrected whatever their E; errors as for `best_of`."""
        correction = _HitCorrection(self, hits, of, self.ratios_of_whole(hits, of))
        correction.correct(np.inf)
        return correction.corrected()

    def by_lambda(self, lists: JoinedHits, rows: NDArray[np.int64], of_query: Subjects, other: Subjects) -> JoinedHits:
        """Return the same hits in the same order, corrected by lambda alone.

        Parameters
        ----------
        rows : ndarray, shape=(n,), dtype=int64
            Hits that have aligned regions, ascending.
        of_query, other : Subjects
            Those regions, on either side.
        """
        hits = lists.hits
        ratios, nothing = np.ones(len(hits)), np.full(len(hits), np.nan)
        if len(rows):
            whole = self.ratios_of_whole(hits.take(rows), lists.of[rows])
            ratios[rows] = np.minimum(whole, self.ratios_of_regions(lists.of[rows], of_query, other))
        shown = np.where(np.isfinite(hits.log10_evalues), ratios, np.nan)
        evalues = hits.log10_evalues + loss(self.scales[lists.of], hits.scores, ratios)
        return replace(lists, hits=corrected_by(hits, evalues, shown, nothing))

    def ratios_of_whole(self, hits: HitColumns, of: NDArray[np.int64]) -> Floats:
        """Return the ratios of lambdas that whole sequences give, shape (k,); 1 for nearly the same."""
        numbers = self.numbers(hits, of)

        def ratios(lambdas: LambdaScale, rows: Rows, usual: Floats) -> Floats:
            given = lambdas, self.stack, numbers[rows], self.database, hits.take(rows), self.work, self.check
            return ratios_whole(*given, usual)

        made = self._by_kind(of, ratios)
        made[self.same_as_queries(hits, numbers)] = 1.0
        return made

    def ratios_of_regions(self, of: NDArray[np.int64], of_query: Subjects, other: Subjects) -> Floats:
        """Return the ratios of lambdas of aligned regions, of hits of the queries `of`, shape (k,)."""
        counts = [count_residues(side, self.scheme.alphabet, self.work) for side in (of_query, other)]

        def ratios(lambdas: LambdaScale, rows: Rows, usual: Floats) -> Floats:
            return lambdas.ratios(counts[0][rows], counts[1][rows], lambdas.region_pseudo, self.work, usual)

        return self._by_kind(of, ratios)

    def _by_kind(self, of: NDArray[np.int64], ratios: Callable[[LambdaScale, Rows, Floats], Floats]) -> Floats:
        """Return ratios of hits of the queries `of`, those of scales of one kind at once, shape (k,).

        Parameters
        ----------
        ratios : callable
            Takes a scale, rows, and the usual lambda of each.
        """
        made = np.ones(len(of))
        for lambdas, some, usual in self.kinds:
            rows: Rows = slice(None) if len(some) == len(self) else np.flatnonzero(among(of, np.array(some)))
            made[rows] = ratios(lambdas, rows, usual[of[rows]])
        return made

    def same_as_queries(self, hits: HitColumns, numbers: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return a mask of hits that nearly equal their query from end to end, shape (k,): their E stays uncorrected.

        Parameters
        ----------
        numbers : ndarray, shape=(k,), dtype=int64
            As of `numbers`.
        """
        subjects = self.database.lengths_of(hits.db_index)
        return nearly_identical(hits.scores, self.bounds[numbers], self.lengths[numbers], subjects)

    def where_best(self, query: int, hits: HitColumns) -> tuple[_Ints, _Ints]:
        """Return the places of the best alignments of hits of a query: first residues, and ends; -1 for theirs.

        In long subjects that is only the first window that reaches the score, if it is known: the best alignment that
        ends first lies wholly in it.
        """
        before, behind = np.zeros(len(hits), dtype=np.int64), np.full(len(hits), -1, dtype=np.int64)
        for place in range(len(hits)):
            window = self.windows[query].get((int(hits.db_index[place]), int(hits.strands[place])))
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

    def trials(
        self, of: NDArray[np.int64], scores: _Ints, query_lengths: _Ints, query_parts: _Ints, subject_parts: _Ints
    ) -> Floats:
        """Return the number of such pairs of regions in the search: one per subject; in genomes one per stretch."""
        residues, sequences = self._limits.database_size(self.database)
        share = np.ones(len(of))
        for by, some in self._published:
            rows: Rows = slice(None) if len(some) == len(self) else np.flatnonzero(among(of, some))
            share[rows] = open_share(by, scores[rows], query_lengths[rows], residues)
        if not self.database.in_stretches:
            return sequences * len(self.strands) * share
        stretches = np.maximum(residues / np.maximum(subject_parts, 1), 1.0)
        return np.asarray(share * stretches * np.maximum(query_lengths / np.maximum(query_parts, 1), 1.0))

    def _kinds_of_queries(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return masks of `queries` whose shuffles are scored alone, and with gap costs by position.

        Alone are long queries, and those whose deletions may pay for others, which could then reach into the next one.
        """
        alone = self.lengths * len(self.scheme.alphabet) > JOINED_SCORES
        if self.bounds.sum() > LARGEST_SCORE:
            alone[:] = True
        by_position = np.zeros(len(alone), dtype=np.bool_)
        if self.stack.query.gaps is not None:
            gaps = [query.gaps for query in self.queries]
            by_position[:] = [one is not None for one in gaps]
            alone |= [one is not None and bool(one.deletion_extend.min(initial=0) < 0) for one in gaps]
        return alone, by_position

    def batches(self, asked: NDArray[np.int64]) -> list[NDArray[np.int64]]:
        """Return batches of `queries`, by number, whose shuffles are scored together: those asked for, or more."""
        if not (self._alone.any() or self._by_position.any()):
            return [np.arange(len(self.queries))]
        alone, by_position = self._alone[asked], self._by_position[asked]
        kinds = asked[~alone & by_position], asked[~alone & ~by_position], *asked[alone][:, np.newaxis]
        return [kind for kind in kinds if len(kind)]

    def joined(self, batch: NDArray[np.int64], scores: QueryScores) -> tuple[QueryScores, NDArray[np.int64]]:
        """Return the scores of a batch out of those of all, and the row with which each of `queries` begins in them."""
        if len(batch) == len(self.queries):
            return scores, self.stack.begins[:-1]
        begins = np.zeros(len(self.queries), dtype=np.int64)
        begins[batch] = np.cumsum(self.lengths[batch]) - self.lengths[batch]
        edges = np.stack([self.stack.begins[batch], self.stack.begins[batch + 1]], axis=1).tolist()
        return joined_scores([scores[start:stop] for start, stop in edges]), begins


class _HitCorrection:
    """Hits of one or more queries, corrected by lambda, then by shuffles: those of all queries together.

    Parameters
    ----------
    hits : HitColumns
        As they were, k of them.
    of : ndarray, shape=(k,), dtype=int64
        The query of each.
    whole : ndarray, shape=(k,), dtype=float64
        Their ratios of lambdas by whole sequences.
    """

    def __init__(self, by: Corrector, hits: HitColumns, of: NDArray[np.int64], whole: Floats) -> None:
        self._by, self._hits, self._of = by, hits, of
        numbers = by.numbers(hits, of)
        self._ratios = whole.copy()
        self._scales = by.scales[of]
        self._same = by.same_as_queries(hits, numbers)
        self.log10_evalues = least_of(self._scales, hits, whole)  # the one that counts, as far as it is known
        self._z = np.full(len(hits), np.nan)  # standard deviations above shuffles
        self._regions = Regions.unknown(len(hits))
        rows = np.flatnonzero((hits.scores > 0) & np.isfinite(hits.log10_evalues))
        self._rows = rows[np.argsort(numbers[rows], kind="stable")]  # hits that have regions, by query and strand
        self._numbers = numbers[self._rows]

    def correct(self, limit: float) -> None:
        """Correct by lambda, and by shuffles the hits within a decadic logarithm of E."""
        by, rows = self._by, self._rows
        by.check()
        if not len(rows):
            return
        regions, inside, profile = self._find_regions()
        starts = regions.query_start + by.stack.begins[self._numbers]
        own = Subjects(np.ascontiguousarray(by.stack.query.codes), starts, regions.query_end - regions.query_start)
        by_regions = np.where(self._same[rows], 1.0, by.ratios_of_regions(self._of[rows], own, inside))
        self._ratios[rows] = np.minimum(self._ratios[rows], by_regions)
        self.log10_evalues[rows] = least_of(self._scales[rows], self._hits.take(rows), self._ratios[rows])
        if by.kind == "full":
            evalues = self.log10_evalues[rows]
            plain = is_plain(self._ratios[rows], evalues) | self._same[rows]
            self._shuffle(np.flatnonzero((evalues <= limit) & ~plain), limit, profile, regions, inside)
        if by.scheme.tracks:
            others = rows[~self._same[rows]]
            self.log10_evalues[others] = in_real_folds(self.log10_evalues[others], by.sequences)

    def shuffle_all(self) -> None:
        """Compare all hits with shuffles but those that are nearly the query itself."""
        self._by.check()
        if len(self._rows):
            regions, inside, profile = self._find_regions()
            self._shuffle(np.flatnonzero(~self._same[self._rows]), np.inf, profile, regions, inside)

    def _find_regions(self) -> tuple[Regions, Subjects, QueryScores]:
        """Return the regions of the best alignments, those of subjects as stretches, and the scores of all queries."""
        by, hits, of = self._by, self._hits.take(self._rows), self._of[self._rows]
        before, behind = np.zeros(len(hits), dtype=np.int64), np.full(len(hits), -1, dtype=np.int64)
        for query, windows in enumerate(by.windows):
            if windows and len(places := np.flatnonzero(of == query)):
                before[places], behind[places] = by.where_best(query, hits.take(places))
        subjects = by.work.parts_of(by.database, hits.db_index, hits.strands, (before, behind))
        profile = scores_of(by.stack.query, by.scheme)
        pairs, costs = (self._numbers, subjects, hits.scores), (by.scheme.gap_first, by.scheme.gap_extend)
        asked = RegionRequest(profile, by.stack.begins, *pairs, *costs, by.stack.query.gaps, by.scheme.tracks)
        regions = by.work.regions_of(asked, threads=by.threads, check=by.check)
        self._regions.put(self._rows, regions.moved(0, before))
        lengths = regions.subject_end - regions.subject_start
        return regions, Subjects(subjects.codes, subjects.starts + regions.subject_start, lengths), profile

    def corrected(self) -> HitColumns:
        """Return the hits with their corrections."""
        hits = replace(self._hits, regions=self._regions)
        return corrected_by(hits, self.log10_evalues, self._ratios, self._z)

    def _shuffle(
        self,
        asked: NDArray[np.int64],
        limit: float,
        profile: QueryScores,
        regions: Regions,
        subjects: Subjects,
    ) -> None:
        """Compare some of the hits that have regions with shuffles."""
        by = self._by
        for batch in by.batches(distinct(self._numbers[asked])):
            places = asked[among(self._numbers[asked], batch)]
            pairs, rows = self._pairs(batch, places, profile, regions, subjects), self._rows[places]
            given = pairs, by.scheme, self._scales[rows], limit, by.work
            chances = chances_of(*given, threads=by.threads, check=by.check)
            self.log10_evalues[rows] = np.fmax(self.log10_evalues[rows], chances.log10_evalues)
            self._z[rows] = chances.z

    def _pairs(
        self,
        batch: NDArray[np.int64],
        places: NDArray[np.int64],
        profile: QueryScores,
        regions: Regions,
        subjects: Subjects,
    ) -> RegionPairs:
        """Return regions of a batch of queries as pairs of one query, in which these are consecutive."""
        by, rows, numbers, chosen = self._by, self._rows[places], self._numbers[places], regions.take(places)
        scores, inside = self._hits.scores[rows], subjects.take(places)
        sizes = by.lengths[numbers], chosen.query_end - chosen.query_start, inside.lengths
        own, begins = by.joined(batch, profile)
        return RegionPairs(
            profile=own,
            alphabet=by.scheme.alphabet,
            query_start=chosen.query_start + begins[numbers],
            query_length=sizes[1],
            subjects=inside,
            scores=scores,
            ratios=self._ratios[rows],
            log10_evalues=self.log10_evalues[rows],
            trials=by.trials(self._of[rows], scores, *sizes),
            gaps=PositionGaps.joined([gaps for number in batch if (gaps := by.queries[number].gaps) is not None]),
        )


class _CorrectedLists:
    """The corrected lists of some queries, as far as they are made.

    Parameters
    ----------
    candidates : JoinedHits
        Subjects of each query within the E limit before the correction.
    """

    def __init__(self, by: Corrector, candidates: JoinedHits, limits: Limits) -> None:
        self._by, self._top, self._candidates = by, limits.top, candidates
        self.limit = float(np.log10(limits.max_evalue))
        of = candidates.of
        self._whole = by.ratios_of_whole(candidates.hits, of)
        self._least = least_of(by.scales[of], candidates.hits, self._whole)
        order = np.lexsort((self._least, of))
        self._order = order[self._least[order] <= self.limit]
        counts = np.bincount(of[self._order], minlength=candidates.lists)
        self._ends = np.cumsum(counts)
        self._first = self._ends - counts
        self._next = self._first.copy()
        self._found = [np.zeros(0)] * candidates.lists  # E of those kept of each list, as long as it is open
        self._kept: list[JoinedHits] = []
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
        """Correct the next hits of some lists, those of several together."""
        sizes = np.minimum(self._sizes(some), self._ends[some] - self._next[some])
        several = max(int(np.searchsorted(np.cumsum(sizes), TOGETHER, side="right")), 1)
        some, sizes = some[:several], sizes[:several]
        rows = self._order[concatenated_ranges(self._next[some], sizes)]
        self._next[some] += sizes
        asked = self._candidates.take(rows)
        correction = _HitCorrection(self._by, asked.hits, asked.of, self._whole[rows])
        correction.correct(self.limit)
        within = np.flatnonzero(correction.log10_evalues <= self.limit)
        kept = replace(asked, hits=correction.corrected()).take(within)
        self._kept.append(kept)
        for index in some:
            if self._next[index] < self._ends[index]:
                self._found[index] = np.concatenate([self._found[index], kept.hits.log10_evalues[kept.of == index]])

    def _sizes(self, some: Sequence[int]) -> NDArray[np.int64]:
        """Return how many hits of some lists are likely to fill them, by the share of those so far that stayed."""
        found, done = np.array([len(self._found[index]) for index in some]), self._next[some] - self._first[some]
        kept = np.where(done > 0, np.maximum(found / np.maximum(done, 1), FEWEST_KEPT), 1.0)
        return np.clip((self._top - found) / kept, BATCH, LARGEST_BATCH).astype(np.int64)

    def listed(self) -> JoinedHits:
        """Return the lists, each in order."""
        if not self._kept:
            nothing = self._candidates.take(slice(0, 0))
            return replace(nothing, hits=uncorrected(nothing.hits))
        of = np.concatenate([kept.of for kept in self._kept])
        kept = JoinedHits(HitColumns.join([kept.hits for kept in self._kept]), of, self._candidates.lists)
        return in_order_each(kept).first(self._top)


def best_of(by: Corrector, candidates: JoinedHits, limits: Limits) -> Progress:
    """Return the corrected lists of queries, each in order; yields (done, total) candidates meanwhile.

    Parameters
    ----------
    candidates : JoinedHits
        Subjects of each query within the E limit before the correction.

    Raises
    ------
    Stopped
        Once the search is stopped.
    """
    lists = _CorrectedLists(by, candidates, limits)
    while some := lists.open():
        yield lists.done, lists.total
        lists.go_on(some)
    yield lists.total, lists.total
    return lists.listed()


def by_shuffles(by: Corrector, lists: Sequence[HitColumns]) -> list[HitColumns]:
    """Return the same hits in the same order, corrected by shuffles alone: of profiles, which have no lambda.

    Parameters
    ----------
    lists : sequence of HitColumns
        Subjects of each query.
    """
    together = JoinedHits.joined(lists)
    correction = _HitCorrection(by, together.hits, together.of, np.ones(len(together)))
    correction.shuffle_all()
    corrected = correction.corrected()
    assert corrected.composition is not None
    nothing = np.full(len(together), np.nan)
    corrected = replace(corrected, composition=replace(corrected.composition, lambda_ratio=nothing))
    return replace(together, hits=corrected).parts()


def least_of(scales: Floats, hits: HitColumns, ratios: Floats) -> Floats:
    """Return the decadic logarithm of E with these ratios of lambdas, shape (k,); of whole sequences the least."""
    return np.asarray(hits.log10_evalues + loss(scales, hits.scores, ratios))


def ratios_whole(
    lambdas: LambdaScale,
    queries: Stack,
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
    alphabet, ratios, lengths = lambdas.matrix.alphabet, np.ones(len(hits)), np.diff(queries.begins)
    told = lengths <= LONGEST_WHOLE
    rows = np.flatnonzero(told[of] & (database.lengths_of(hits.db_index) <= LONGEST_WHOLE))
    if not len(rows):
        return ratios
    own = Subjects(np.ascontiguousarray(queries.query.codes), queries.begins[:-1], np.where(told, lengths, 0))
    of_queries = count_residues(own, alphabet, work)
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
        Scores of the hits.
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
