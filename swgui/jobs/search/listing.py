"""From the scores of a search to the lists of its queries, some queries at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import Stopped
from swgui.core.hits.results import HitColumns, JoinedHits, QueryResult, SearchResult
from swgui.core.hits.tally import Tally, best_vector, found_of
from swgui.core.judging.correction import STAGE, uncorrected
from swgui.core.judging.fitting import QueryFit, counted, fit_lengths, fit_scores, remember
from swgui.core.judging.ranking import (
    FITTED_AMONG_RELATIVES,
    FITTED_TO_ITSELF,
    Statistics,
    choose_statistics,
    published_for,
)
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.statistics.fit import FLOOD, FittedStatistics, share_of_relatives
from swgui.core.statistics.stops import uncalibrated
from swgui.jobs.events import Stage
from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.ranking import Ranker, RankRequest, ScoredQuery, Windows
from swgui.jobs.search.request import SearchRequest

if TYPE_CHECKING:
    from swgui.jobs.search.narrowing import WindowNarrower


class ScanResult(msgspec.Struct, frozen=True, eq=False):
    """A search whose lists are made when they are wanted."""

    result: SearchResult  # without any query
    listed: Callable[
        [Sequence[int]], list[QueryResult]
    ]  # makes lists of queries, by place; several threads may call it


class Listing:
    """Makes the lists of one search; several threads may.

    Parameters
    ----------
    queries : sequence of SequenceRecord
        As they are searched with.
    encoded : sequence of EncodedQuery
        Each in every strand, query by query.
    tally : Tally
        What was scored.

    Attributes
    ----------
    shuffled_fits, counted_fits : dict of int to FittedStatistics
        Fits to shuffled subjects: of a small database before lists are made, of queries with very many relatives with
        their lists; and what was fitted to counts of scores that are not kept.
    uncorrected : list of int
        Queries whose E-values were to be corrected, and are not.
    narrower : WindowNarrower, optional
        What narrows where long subjects score, while there is a device for it.
    """

    def __init__(
        self,
        request: SearchRequest,
        queries: Sequence[SequenceRecord],
        encoded: Sequence[EncodedQuery],
        tally: Tally,
        ranker: Ranker,
        published: KarlinAltschul | None,
    ) -> None:
        self.request, self.queries, self.encoded, self.tally = request, queries, encoded, tally
        self._strands = request.search.strands
        self.ranker, self.published = ranker, published
        self.shuffled_fits: dict[int, FittedStatistics] = {}
        self.counted_fits: dict[int, FittedStatistics] = {}
        self.uncorrected: list[int] = []
        self.narrower: WindowNarrower | None = None
        self._fitted = self._among_relatives = False

    @property
    def how_fitted(self) -> str:
        """How E was obtained without published parameters; empty where it was not."""
        if not self._fitted:
            return ""
        if self._among_relatives:
            return FITTED_AMONG_RELATIVES
        return self.ranker.database.subject_kind.fitted if self.shuffled_fits else FITTED_TO_ITSELF

    def rows_of(self, query_index: int) -> range:
        """Return the rows of the tally that a query has, one of each strand."""
        strands = len(self._strands)
        return range(query_index * strands, (query_index + 1) * strands)

    def query_results(
        self, group: Sequence[int], cancel: threading.Event
    ) -> Generator[SearchEvent, None, list[QueryResult]]:
        """Make the lists of some queries; where Stop ends the correction, with E-values as they are without it."""
        strands = len(self._strands)
        known = self.tally.scored.reshape(-1, strands).max(axis=1)
        scored = [index for index in group if known.item(index)]
        made = dict(zip(scored, (yield from self._ranked(scored, cancel)), strict=True)) if scored else {}
        return [made.get(index) or self._unscored(index) for index in group]

    def _ranked(self, group: Sequence[int], cancel: threading.Event) -> Generator[SearchEvent, None, list[QueryResult]]:
        """Make the lists of some queries that have scores."""
        yield from self._fits_among_relatives(group, cancel)
        asked, wanted, candidates = self._wanted(group)
        steps = self.ranker.steps(wanted, candidates, cancel)
        try:
            while True:
                done, total = next(steps)
                yield Stage(STAGE, done, total)
        except StopIteration as end:
            lists: list[HitColumns] = end.value
        except Stopped:
            self.uncorrected.extend(group)
            candidates = candidates.first(self.request.search.limits.top)
            lists = replace(candidates, hits=uncorrected(candidates.hits)).parts()
        results = self._results(group, asked, wanted, lists)
        for by, result in zip(wanted.statistics, results, strict=True):
            if isinstance(by, FittedStatistics):
                remember(result, QueryFit(by))
        return results

    def _unscored(self, index: int) -> QueryResult:
        """Return the result of a query that Stop came before: without hits."""
        scores, strands = best_vector(self.rows_of(index), self._strands, self.tally)
        nothing = np.zeros(0)
        indices, no_scores, no_strands = np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int8)
        hits = HitColumns(indices, no_scores, no_strands, nothing, nothing)
        corrected = self.request.search.composition != "none"
        return QueryResult(self.queries[index], uncorrected(hits) if corrected else hits, 0, scores, strands)

    def _wanted(self, group: Sequence[int]) -> tuple[list[ScoredQuery], RankRequest, JoinedHits]:
        """Return the scores of some queries, what their lists are made of, and the candidates for these."""
        strands, tally, statistics = self._strands, self.tally, self._statistics(group)
        each = list(map(self.rows_of, group))
        asked: list[ScoredQuery] = []
        for index, rows in zip(group, each, strict=True):
            vector, signs = best_vector(rows, strands, tally)
            found = found_of(rows, strands, tally) if vector is None else (None, vector, signs)
            asked.append((self.queries[index], *found))
        queries = [query for query, *_ in asked]
        windows: list[Windows] = [
            tally.windows_of(rows, strands) if any(tally.windows[rows.start : rows.stop]) else {} for rows in each
        ]
        candidates = self.ranker.candidates_of(asked, statistics)
        if self.narrower is not None:
            windows = self.narrower.narrowed(queries, candidates.parts(), statistics, windows)
        encoded = [self.encoded[row] for rows in each for row in rows]
        return asked, RankRequest(queries, statistics, windows, encoded), candidates

    def _results(
        self, group: Sequence[int], asked: Sequence[ScoredQuery], wanted: RankRequest, lists: Sequence[HitColumns]
    ) -> list[QueryResult]:
        """Return the results of some queries."""
        least, made = self.tally.scored.reshape(-1, len(self._strands)).min(axis=1), []
        for index, scored, windows, hits in zip(group, asked, wanted.windows, lists, strict=True):
            query, db_index, vector, signs = scored
            fit = self.shuffled_fits.get(index) or self.counted_fits.get(index)
            scores, strands = (vector, signs) if db_index is None else (None, None)
            by_strand = self.tally.by_strand(self.rows_of(index), self._strands, hits.db_index)
            given = query, hits, least.item(index), scores, strands, fit, windows
            made.append(QueryResult(*given, by_strand=by_strand))
        return made

    def _statistics(self, group: Sequence[int]) -> list[Statistics | None]:
        """Return the statistics of E of some queries."""
        ranker, by = self.ranker, self.published
        if uncalibrated(ranker.scheme.matrix, ranker.translation):
            return [None] * len(group)
        if by is not None and ranker.translation is None:
            return [by] * len(group)
        made: list[Statistics | None] = []
        for index in group:
            query = self.queries[index]
            fit = counted(self._fit(index), query, ranker.database) if by is None else None
            made.append(choose_statistics(published_for(by, query, ranker.scheme, ranker.translation), fit))
        self._fitted = self._fitted or any(isinstance(one, FittedStatistics) for one in made)
        return made

    def _fits_among_relatives(self, group: Sequence[int], cancel: threading.Event) -> Generator[Stage, None, None]:
        """Fit statistics to shuffles for queries with too many relatives: RNA databases hold many copies of a gene."""
        ranker, published = self.ranker, self.published is not None
        if published or not ranker.database.alphabet.complements:
            return
        if uncalibrated(ranker.scheme.matrix, ranker.translation):
            return
        flooded = [index for index in group if index not in self.shuffled_fits and self._is_flooded(index)]
        for number, index in enumerate(flooded):
            from swgui.jobs.search.kept_fits import FITTING, fit_among_relatives  # here: few searches have floods

            yield Stage(FITTING, number, len(flooded))
            if (fit := fit_among_relatives(self.request, index, ranker.database, cancel)) is not None:
                self.shuffled_fits[index], self._among_relatives = fit, True

    def _is_flooded(self, query_index: int) -> bool:
        """Return True if too many sequences are related to a query for a fit to their scores."""
        scores, lengths, times = self._scores_of(query_index)
        if scores is None:
            return False
        of = self.request.lengths[query_index], self.ranker.scheme, times
        return share_of_relatives(scores, lengths, *of) > FLOOD

    def _scores_of(
        self, query_index: int
    ) -> tuple[NDArray[np.int32] | None, NDArray[np.integer[Any]], NDArray[np.int64] | None]:
        """Return scores of a query, the lengths of their subjects, and how often each occurs where they are counted."""
        if self.tally.counts:
            return self.tally.counts[query_index].columns()
        vector, _ = best_vector(self.rows_of(query_index), self._strands, self.tally)
        return vector, self.ranker.database.lengths, None

    def _fit(self, query_index: int) -> QueryFit:
        """Fit statistics to the scores of a query, where none are fitted to shuffles."""
        from swgui.engines.native.fitting import regress  # here: most searches have published parameters

        ranker, length = self.ranker, self.request.lengths[query_index]
        if (known := self.shuffled_fits.get(query_index)) is not None:
            return QueryFit(known)
        scores, lengths, times = self._scores_of(query_index)
        if scores is None:
            return fit_scores(None, ranker.database, length, ranker.scheme, regress)
        fit = fit_lengths(scores, lengths, length, ranker.scheme, regress, times)
        if times is not None and fit.statistics is not None:
            self.counted_fits[query_index] = fit.statistics
        return fit
