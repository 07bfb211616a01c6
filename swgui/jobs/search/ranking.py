"""From the scores of a search to its lists: candidates, correction, limits, order. The same when limits move later."""

from __future__ import annotations

import math
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.results import HitColumns, JoinedHits, SearchResult
from swgui.core.hits.scores import WindowScores, best_indices
from swgui.core.judging.correction import BATCH, Corrector, best_of, by_shuffles, corrected_by, scales_of, uncorrected
from swgui.core.judging.correction_work import CorrectionWork
from swgui.core.judging.ranking import Statistics, in_order, least_scores, measure, rank_each, statistics_of
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange, searched_length
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.search import Correction
from swgui.core.statistics.composition import LambdaScale, bits_after
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.statistics.stops import random_dna_of, translated_scale
from swgui.core.translation.frames import query_frame
from swgui.core.translation.programs import Translation, shifting
from swgui.engines.native.correction import HOST
from swgui.io.statistics import load_statistics
from swgui.jobs.events import run_to_end
from swgui.jobs.search.subjects import JudgeRequest, work_of

Windows = Mapping[tuple[int, int], WindowScores]
ScoredQuery = tuple[SequenceRecord, NDArray[np.int64] | None, NDArray[np.int32], NDArray[np.int8] | None]
CANDIDATES: Final = 20_000  # subjects of a query, best first, that are looked at for a list


class RankRequest(msgspec.Struct, frozen=True, eq=False):
    """One or more queries whose lists are made."""

    queries: Sequence[SequenceRecord]
    statistics: Sequence[Statistics | None]  # of each
    windows: Sequence[Windows]  # where long subjects score, of each, by source index and strand, as far as it is known
    # Each in every strand, query by query, as `encode_part` encodes it; None where that is not known.
    encoded: Sequence[EncodedQuery] | None = None

    @property
    def calibrated(self) -> list[int]:
        """Places of the queries that have statistics."""
        return [place for place, by in enumerate(self.statistics) if by is not None]

    def take(self, places: Sequence[int]) -> RankRequest:
        """Return some of the queries."""
        if len(places) == len(self.queries):
            return self
        encoded = None
        if self.encoded is not None:
            strands = len(self.encoded) // len(self.queries)
            encoded = [one for place in places for one in self.encoded[place * strands : (place + 1) * strands]]
        return RankRequest(
            [self.queries[place] for place in places],
            [self.statistics[place] for place in places],
            [self.windows[place] for place in places],
            encoded,
        )


class Ranker(msgspec.Struct, frozen=True, eq=False):
    """Makes the lists of one search."""

    database: EncodedDatabase
    scheme: ScoringScheme
    limits: Limits
    composition: Correction
    strands: tuple[int, ...]
    query_range: QueryRange | None = None
    threads: int = 0  # for the correction; 0 for all cores
    work: CorrectionWork = HOST  # what finds regions and scores shuffles for it
    translation: Translation | None = None  # of a translated search, whose translated database this is

    def steps(
        self, wanted: RankRequest, candidates: JoinedHits, cancel: threading.Event
    ) -> Generator[tuple[int, int], None, list[HitColumns]]:
        """Return the lists of some queries; yields (done, total) while E-values are corrected.

        All queries are corrected together, which saves most of the time between the compiled parts.

        Parameters
        ----------
        candidates : JoinedHits
            What `candidates_of` returned.

        Raises
        ------
        Stopped
            Once `cancel` is set while E-values are corrected.
        """
        if self.composition == "none":
            if (judge := work_of(self.database.subject_kind).judged) is None:
                return candidates.first(self.limits.top).parts()
            each = zip(wanted.queries, candidates.parts(), wanted.statistics, strict=True)
            return [self._cut(judge(self.to_judge(*one))) for one in each]
        if shifting(self.translation):
            return [self._cut(hits) for hits in self.shifts_corrected(wanted, candidates, cancel)]
        if not (some := wanted.calibrated):
            return _uncorrected(candidates.first(self.limits.top))
        corrector = self.corrector(wanted.take(some), cancel)
        corrected = yield from best_of(corrector, candidates.lists_of(some), self.limits)
        return _in_place(corrected, some, candidates.first(self.limits.top))

    def to_judge(self, query: SequenceRecord, hits: HitColumns, statistics: Statistics | None) -> JudgeRequest:
        """Return hits of a query as what a kind of subjects judges."""
        by = self.scheme, self.limits, self.query_range, self.threads
        return JudgeRequest(query, hits, statistics, self.database, *by)

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
        return self.candidates_of([(query, db_index, scores, strands)], [statistics]).hits

    def candidates_of(self, asked: Sequence[ScoredQuery], statistics: Sequence[Statistics | None]) -> JoinedHits:
        """Return `candidates` of several queries.

        Parameters
        ----------
        asked : sequence of (SequenceRecord, ndarray or None, ndarray, ndarray or None)
            Of each query what `candidates` takes.
        """
        lengths = [searched_length(query, self.query_range, self.translation) for query, *_ in asked]
        least = least_scores(lengths, self.database, statistics, self.limits)
        bounds = np.maximum(np.array(least), self.limits.least_score)
        indices, found, signs = [], [], []
        for (_, db_index, scores, strands), bound in zip(asked, bounds.tolist(), strict=True):
            if db_index is None:
                chosen = (scores >= bound).nonzero()[0]
                db_index, scores, strands = chosen, scores[chosen], None if strands is None else strands[chosen]
            if len(scores) > CANDIDATES:
                best = best_indices(scores, db_index, CANDIDATES)
                db_index, scores, strands = db_index[best], scores[best], None if strands is None else strands[best]
            indices.append(db_index)
            found.append(scores)
            signs.append(strands)
        of = np.repeat(np.arange(len(asked)), [scores.size for scores in found])
        several = [strands for strands in signs if strands is not None]
        strands = np.concatenate(several) if several else np.full(len(of), self.strands[0], dtype=np.int8)
        columns = np.concatenate(indices), np.concatenate(found), strands, of
        if not (kept := columns[1] >= bounds[of]).all():
            columns = columns[0][kept], columns[1][kept], columns[2][kept], columns[3][kept]
        return rank_each(lengths, *columns, self.database, statistics, self.limits)

    def shifts_corrected(
        self, wanted: RankRequest, candidates: JoinedHits, cancel: threading.Event
    ) -> list[HitColumns]:
        """Return the candidates of queries of a search with frameshifts with E corrected by lambda, in their order."""
        if not (some := wanted.calibrated):
            return _uncorrected(candidates)
        from swgui.jobs.search.shifts.correction import corrected_shifts  # here: few searches have frameshifts

        corrector = self.corrector(wanted.take(some), cancel)
        return _in_place(corrected_shifts(corrector, candidates.lists_of(some)), some, candidates)

    def corrector(self, wanted: RankRequest, cancel: threading.Event) -> Corrector:
        """Return the corrector of the E-values of some queries, which must have statistics."""
        statistics = [by for by in wanted.statistics if by is not None]
        encoded = wanted.encoded or [one for query in wanted.queries for one in self._encoded(query)]
        codes = [one.codes for one in encoded[:: len(self.strands)]]
        scales = scales_of(statistics, self.scheme.matrix, codes, self.database.letter_shares, self.work)
        if self.translation is not None:
            given = zip(wanted.queries, statistics, scales, strict=True)
            scales = [self._lambdas(query, by) or scale for query, by, scale in given]
        return Corrector(
            self.composition,
            encoded,
            self.strands,
            self.database,
            self.scheme,
            statistics,
            self.limits,
            cancel,
            self.work,
            self.threads,
            wanted.windows,
            scales,
        )

    def _encoded(self, query: SequenceRecord) -> list[EncodedQuery]:
        """Return a query as it is searched, in every strand."""
        encoded: list[EncodedQuery] = []
        alike: dict[tuple[int, bool], int] = {}  # by the frame of the query: in others of the subject it is the same
        for place, sign in enumerate(self.strands):
            first = alike.setdefault((query_frame(sign), sign < 0), place)
            encoded.append(
                replace(encoded[first], strand=sign)
                if first < place
                else encode_part(query, self.scheme, sign, self.query_range, self.translation)
            )
        return encoded

    def _lambdas(self, query: SequenceRecord, statistics: Statistics) -> LambdaScale | None:
        """Return the codes by which compositions are compared if DNA is translated; None otherwise."""
        if self.translation is None or not isinstance(statistics, KarlinAltschul):
            return None
        return translated_scale(self.scheme.matrix, *random_dna_of(query, self.translation))


def _uncorrected(lists: JoinedHits) -> list[HitColumns]:
    """Return lists whose E cannot be corrected."""
    return replace(lists, hits=uncorrected(lists.hits)).parts()


def _in_place(corrected: JoinedHits, places: Sequence[int], lists: JoinedHits) -> list[HitColumns]:
    """Return lists with some of them corrected."""
    if len(places) == lists.lists:
        return corrected.parts()
    made = _uncorrected(lists)
    for place, hits in zip(places, corrected.parts(), strict=True):
        made[place] = hits
    return made


def ranker_of(result: SearchResult, limits: Limits) -> Ranker:
    """Return the maker of the lists of a finished search with these limits."""
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
    """Return the result of a new search with other limits, from the scores that were kept.

    Parameters
    ----------
    published : KarlinAltschul, optional
        Parameters of the result's scheme, as the search itself got them.

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
    """Return the hits of one query with other limits; parameters and errors as for `rerank`."""
    query = result.queries[query_index]
    if query.scores is None:
        raise InvalidParameter(
            "scores",
            query.query.id,
            "The scores of this search were not kept, so its limits cannot be moved.",
            hint="Search again with the new limits.",
        )
    if query.hits.directions is not None:
        return _in_both(query.hits, result, limits)
    statistics = statistics_of(result, query_index, published)
    ranker = ranker_of(result, limits)
    candidates = ranker.candidates(query.query, None, query.scores, query.strands, statistics)
    if query.rounds is not None and work_of(result.database.subject_kind).judged is None:
        return _in_rounds(result, query_index, candidates, ranker, statistics, cancel or threading.Event())
    if result.search.composition != "none" and result.database.at_hand is not None:
        return in_order(_corrected_before(candidates, query.hits, limits)).take(slice(0, limits.top))
    wanted = RankRequest([query.query], [statistics], [query.windows])
    steps = ranker.steps(wanted, JoinedHits.joined([candidates]), cancel or threading.Event())
    return run_to_end(steps)[0]


def corrected(result: SearchResult, query_index: int, columns: HitColumns) -> HitColumns:
    """Return subjects that are not listed, in the order given, with the E that counts, whatever it is.

    Parameters
    ----------
    columns : HitColumns
        With E before any correction.
    """
    query, judge = result.queries[query_index], work_of(result.database.subject_kind).judged
    if judge is not None:
        statistics = statistics_of(result, query_index, load_statistics(result.scheme))
        return judge(ranker_of(result, result.search.limits).to_judge(query.query, columns, statistics))
    if result.search.composition == "none":
        return columns
    statistics = statistics_of(result, query_index, load_statistics(result.scheme))
    if statistics is None:
        return uncorrected(columns)
    ranker, asked = ranker_of(result, result.search.limits), RankRequest([query.query], [statistics], [query.windows])
    if shifting(result.translation):
        return ranker.shifts_corrected(asked, JoinedHits.joined([columns]), threading.Event())[0]
    return ranker.corrector(asked, threading.Event()).all_of(columns, np.zeros(len(columns), dtype=np.int64))


def _in_both(hits: HitColumns, result: SearchResult, limits: Limits) -> HitColumns:
    """Return the hits of a query whose E is that of both directions, with narrower limits.

    Raises
    ------
    InvalidParameter
        If others may be within the limits.
    """
    sizes = [one.database_size(result.searched)[1] for one in (result.search.limits, limits)]
    moved = math.log10(sizes[1] / sizes[0])
    before = result.search.limits
    if np.log10(limits.max_evalue) - moved > np.log10(before.max_evalue) or limits.top > before.top:
        raise InvalidParameter(
            "limits",
            limits.max_evalue,
            "The other direction was scored of the listed hits alone, so wider limits need another search.",
            hint="Search again with the new limits.",
        )
    assert hits.directions is not None
    of = hits.directions
    by = hits.composition
    hits = replace(
        hits,
        log10_evalues=hits.log10_evalues + moved,
        directions=replace(of, forward=of.forward + moved, back=of.back + moved),
        composition=None if by is None else replace(by, log10_uncorrected=by.log10_uncorrected + moved),
    )
    hits = hits.take(~(hits.log10_evalues > np.log10(limits.max_evalue)) & (hits.scores >= limits.least_score))
    return in_order(hits).take(slice(0, limits.top))


def _in_rounds(
    result: SearchResult,
    query_index: int,
    candidates: HitColumns,
    ranker: Ranker,
    statistics: Statistics | None,
    cancel: threading.Event,
) -> HitColumns:
    """Return the hits of a query that was searched in rounds with other limits.

    Corrections of E by profiles without a member and by shuffles depend on the pair alone, so that hits keep them;
    others are compared with shuffles, best first, until no more can be listed.
    """
    query, limits, before = result.queries[query_index], ranker.limits, result.search.limits
    rounds, length = query.rounds, result.searched_length(query_index)
    assert rounds is not None
    by_fit = measure(length, candidates.db_index, candidates.scores, result.searched, statistics, before)[1]
    size = candidates.log10_evalues - by_fit  # change of log10(E) by the size of the database
    if not rounds.database:  # the database of the last round
        known, at = _places(candidates.db_index, rounds.last.db_index)
        moved = candidates.log10_evalues.copy()
        moved[known] = rounds.last.log10_evalues[at] + size[known]
        bits = bits_after(candidates.bit_scores, moved - candidates.log10_evalues)
        candidates = replace(candidates, log10_evalues=moved, bit_scores=bits)
    judged = query.hits.take(query.hits.log10_evalues <= np.log10(before.max_evalue))
    known, at = _places(candidates.db_index, judged.db_index)
    kept = judged.take(at)
    kept = replace(kept, log10_evalues=kept.log10_evalues + size[known])
    if (by := kept.composition) is not None:
        kept = replace(kept, composition=replace(by, log10_uncorrected=by.log10_uncorrected + size[known]))
    others = in_order(candidates.take(np.setdiff1d(np.arange(len(candidates)), known)))
    made = [kept]
    if result.database.at_hand is not None:
        others = others.take(slice(0, 0))
    elif by is None or statistics is None:
        made.append(others if by is None else uncorrected(others))
        others = others.take(slice(0, 0))
    for start in range(0, len(others), BATCH):
        listed = HitColumns.join(made).log10_evalues
        if (listed <= others.log10_evalues[start]).sum() >= limits.top:
            break
        some = others.take(slice(start, start + BATCH))
        corrector = ranker.corrector(RankRequest([query.query], [statistics], [query.windows]), cancel)
        made += by_shuffles(corrector, [some])
    hits = HitColumns.join(made)
    return in_order(hits.take(~(hits.log10_evalues > np.log10(limits.max_evalue)))).take(slice(0, limits.top))


def _places(wanted: NDArray[np.int64], among: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where those of some subjects that are among others stand, in both."""
    _, first, second = np.intersect1d(wanted, among, assume_unique=True, return_indices=True)
    return first, second


def _corrected_before(candidates: HitColumns, hits: HitColumns, limits: Limits) -> HitColumns:
    """Correct candidates as before, without their sequences; unlisted ones are left out.

    A correction multiplies E by a number that depends on the pair alone.
    """
    order = np.argsort(hits.db_index)
    listed = candidates.take(np.isin(candidates.db_index, hits.db_index))
    rows = order[np.searchsorted(hits.db_index, listed.db_index, sorter=order)]
    before = hits.take(rows)
    assert before.composition is not None  # or the result would not be called corrected
    by = before.composition
    log10_evalues = listed.log10_evalues + (before.log10_evalues - by.log10_uncorrected)
    moved = corrected_by(listed, log10_evalues, by.lambda_ratio, by.shuffle_z)
    return moved.take(~(moved.log10_evalues > np.log10(limits.max_evalue)))
