"""The other direction of a search with scores by context: the profile of each hit against the query.

The best subjects of the search get profiles of their own, which are scored against the query. E of each direction is
fitted to the same decoys, so that a pair has one E whichever of its sequences is the query
(`swgui.core.judging.directions`).
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.control import checking
from swgui.core.database import ArrayDatabase, EncodedDatabase, encode_database
from swgui.core.errors import Stopped
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.results import CompositionColumns, DirectionColumns, HitColumns, QueryResult, SearchResult, State
from swgui.core.judging.correction import uncorrected
from swgui.core.judging.directions import FITTED_IN_BOTH, Chance, of_both
from swgui.core.judging.ranking import in_order
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.profiles.context import context_profile
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.search import Search
from swgui.core.statistics.composition import bits_after
from swgui.core.statistics.fit import FittedStatistics
from swgui.core.statistics.regression import FitError
from swgui.core.stretches import Subjects
from swgui.core.words import count
from swgui.engines import registry
from swgui.engines.base import Engine
from swgui.engines.traceback.many import align_each
from swgui.jobs.events import Stage
from swgui.jobs.search.decoys import BATCH, DECOYS, DecoyFits, decoys_of, members_of
from swgui.jobs.search.events import SearchEvent
from swgui.jobs.search.queries import context_library
from swgui.jobs.search.ranking import Ranker, RankRequest
from swgui.jobs.search.request import SearchRequest

STAGE: Final = "Scoring the other direction"
FEW: Final = 60  # of these, that tell which candidates all of them are scored for
MARGIN: Final = 1.0  # powers of ten above the limit up to which E by a few decoys is looked at again
WIDER: Final = 3.0  # E of one direction up to which subjects are looked at, over the limit of E of both
USUAL: Final = 10.0  # such a limit at least
TIMES: Final = 2  # so many times as many subjects as may be listed are looked at
_NONE: Final = np.zeros(0, dtype=np.int64)
_Ints = NDArray[np.int64]
_Profiles = tuple[Sequence[SequenceRecord], Sequence[EncodedQuery]]


def candidates_of(search: Search) -> Search:
    """Return a search of the subjects whose other direction is scored, by one direction and without corrections."""
    limits = search.limits
    wider = max(WIDER * limits.max_evalue, USUAL)
    return replace(
        search, limits=replace(limits, max_evalue=wider, top=TIMES * limits.top), composition="none", max_hsps=1
    )


def both_directions(
    result: SearchResult, request: SearchRequest, cancel: threading.Event, use: registry.UseEngine
) -> Generator[SearchEvent, None, SearchResult]:
    """Return the result of a search with E of both directions, within the limits of a request.

    Parameters
    ----------
    result : SearchResult
        What `candidates_of` found.

    Raises
    ------
    SwguiError
        If the library of contexts cannot be read, or the engine fails.
    """
    asked = request.search
    limits, composition = asked.limits, asked.composition
    result = replace(
        result,
        search=replace(result.search, limits=limits, composition=composition),
        asked=replace(result.asked, limits=limits, composition=composition, max_hsps=asked.max_hsps),
    )
    try:
        if result.state != "complete":
            raise Stopped
        with use(result.engine, asked.options) as engine:
            return (yield from _Directions(result, engine, cancel).judged())
    except Stopped:
        state: State = "stopped" if result.state == "complete" else result.state
        said = "The other direction of the hits was not scored: E is that of one direction."
        message = " ".join(filter(None, (result.message, said)))
        queries = tuple(replace(query, hits=_cut(query.hits, asked.limits)) for query in result.queries)
        return replace(result, state=state, message=message, queries=queries)


def _cut(hits: HitColumns, limits: Limits) -> HitColumns:
    """Return hits within limits, in order."""
    within = hits.take(~(hits.log10_evalues > np.log10(limits.max_evalue)))
    return in_order(within).take(slice(0, limits.top))


class _Fitted(msgspec.Struct, frozen=True, eq=False):
    """Sequences that are scored with: their profiles, and the fit of each to decoys."""

    records: Sequence[SequenceRecord]
    queries: Sequence[EncodedQuery]
    fits: Sequence[FittedStatistics | None]

    def measured(
        self, of: _Ints, db_index: _Ints, scores: NDArray[np.integer], lengths: _Ints, size: tuple[float, float]
    ) -> HitColumns:
        """Return pairs with the E of one direction, by the place of each one's profile; NaN without a fit."""
        bits, log10_evalues = np.full((2, len(of)), np.nan)
        for number in np.unique(of).tolist():
            if (fit := self.fits[number]) is not None:
                some = np.flatnonzero(of == number)
                bits[some] = fit.bit_scores(scores[some], lengths[some])
                log10_evalues[some] = fit.log10_evalues(scores[some], fit.query_length, lengths[some], *size)
        return HitColumns(db_index, scores.astype(np.int32), np.ones(len(of), np.int8), bits, log10_evalues)


class _Pairs(msgspec.Struct, frozen=True, eq=False):
    """The candidates of all queries, concatenated."""

    of: _Ints  # query of each, shape (n,)
    hits: HitColumns

    def take(self, rows: _Ints) -> _Pairs:
        return _Pairs(self.of[rows], self.hits.take(rows))


class _Directions:
    """Scores and judges the candidates of one search in both directions."""

    def __init__(self, result: SearchResult, engine: Engine, cancel: threading.Event) -> None:
        self.result, self.cancel = result, cancel
        self.database, self.scheme, search = result.database, result.scheme, result.search
        self.contexts, self.maker = context_library(search.subject_context)
        self.check, self.threads = checking(cancel, "Scoring the other direction was stopped."), search.options.threads
        self.decoys, self.few = decoys_of(self.database, DECOYS), decoys_of(self.database, FEW)
        self.fitting = DecoyFits(engine, self.scheme, cancel, self.check)
        self.limits, self.size = search.limits, search.limits.database_size(self.database)

    def judged(self) -> Generator[SearchEvent, None, SearchResult]:
        """Return the result with E of both directions; queries whose scores allow no fit keep their lists."""
        result = self.result
        yield Stage(STAGE)
        encoded = [result.searched_query(index) for index in range(len(result.queries))]
        forward = self._fitted([query.query for query in result.queries], encoded, self.decoys)
        pairs = _Pairs(
            np.repeat(np.arange(len(result.queries)), [len(query.hits) for query in result.queries]),
            HitColumns.join([query.hits for query in result.queries]),
        )
        lengths = self.database.lengths_of(pairs.hits.db_index).astype(np.int64)
        ones = forward.measured(pairs.of, pairs.hits.db_index, pairs.hits.scores, lengths, self.size)
        pairs = _Pairs(pairs.of, ones).take(np.flatnonzero(np.isfinite(ones.log10_evalues)))
        chance = self.chance()
        found = yield from self._backwards(pairs, encoded, chance)
        hits = self._joint(*found, forward, chance)
        of = found[0].of
        queries = [
            self._unjudged(query) if fit is None else
            replace(query, hits=_cut(hits.take(np.flatnonzero(of == at)), self.limits), fit=fit, by_strand=None)
            for at, (query, fit) in enumerate(zip(result.queries, forward.fits, strict=True))
        ]  # fmt: skip
        return replace(result, queries=tuple(queries), statistics=in_words(len(self.decoys), chance))

    def _backwards(
        self, pairs: _Pairs, searched: Sequence[EncodedQuery], chance: Chance
    ) -> Generator[SearchEvent, None, tuple[_Pairs, HitColumns]]:
        """Return the pairs within the limit by both directions before corrections, and their other direction."""
        subjects, which = np.unique(pairs.hits.db_index, return_inverse=True)
        records = [SequenceRecord(str(at), "", PROTEIN.decode(query.codes)) for at, query in enumerate(searched)]
        queries = encode_database(records, PROTEIN)
        kept, others, limit = [pairs.take(_NONE)], [pairs.hits.take(_NONE)], np.log10(self.limits.max_evalue)
        for start in range(0, len(subjects), BATCH):
            yield Stage(STAGE, start, len(subjects))
            self.check()
            profiles = self._with_profiles([self.database.record(int(at)) for at in subjects[start : start + BATCH]])
            rows = np.flatnonzero((which >= start) & (which < start + BATCH))
            some, of = pairs.take(rows), which[rows] - start
            given = Subjects.of(queries, some.of, np.ones(len(rows), np.int8))
            scores = align_each(
                profiles[1], of, given, self.scheme, threads=self.threads, check=self.check
            ).totals.scores
            for decoys, margin in ((self.few, MARGIN), (self.decoys, 0.0)):
                used, of = np.unique(of, return_inverse=True)
                profiles = [profiles[0][at] for at in used.tolist()], [profiles[1][at] for at in used.tolist()]
                batch = self._fitted(*profiles, decoys)
                lengths = queries.lengths_of(some.of).astype(np.int64)
                back = batch.measured(of, some.of, scores, lengths, self.size)
                joint = of_both(some.hits.log10_evalues, back.log10_evalues, self.size[1], chance)
                near = np.flatnonzero(joint <= limit + margin)
                some, of, scores, back = some.take(near), of[near], scores[near], back.take(near)
            kept.append(some)
            others.append(self._corrected(self._ranker(queries), batch, of, back))
        of = np.concatenate([one.of for one in kept])
        return _Pairs(of, HitColumns.join([one.hits for one in kept])), HitColumns.join(others)

    def _joint(self, pairs: _Pairs, back: HitColumns, forward: _Fitted, chance: Chance) -> HitColumns:
        """Return pairs with E of both directions."""
        before, size = pairs.hits, self.size[1]
        ones = self._corrected(self._ranker(self.database), forward, pairs.of, before)
        log10_evalues = of_both(ones.log10_evalues, back.log10_evalues, size, chance)
        composition = None
        if (first := ones.composition) is not None and (second := back.composition) is not None:
            composition = CompositionColumns(
                of_both(first.log10_uncorrected, second.log10_uncorrected, size, chance),
                np.fmin(first.lambda_ratio, second.lambda_ratio),
                np.fmin(first.shuffle_z, second.shuffle_z),
            )
        return replace(
            ones,
            bit_scores=bits_after(before.bit_scores, log10_evalues - before.log10_evalues),
            log10_evalues=log10_evalues,
            composition=composition,
            directions=DirectionColumns(back.scores, ones.log10_evalues, back.log10_evalues),
        )

    def _unjudged(self, query: QueryResult) -> QueryResult:
        """Return a query with its list of one direction."""
        hits = _cut(query.hits, self.limits)
        hits = uncorrected(hits) if self.result.search.composition != "none" else hits
        unknown = np.full(len(hits), np.nan)
        return replace(query, hits=replace(hits, directions=DirectionColumns(np.full(len(hits), -1), unknown, unknown)))

    def _with_profiles(self, records: Sequence[SequenceRecord]) -> _Profiles:
        """Return sequences with their profiles by context, and encoded by these."""
        codes = [PROTEIN.encode(record.residues) for record in records]
        columns = self.maker.of_residues(codes, threads=self.threads, check=self.check)
        made = [
            replace(record, profile=context_profile(of, its, self.contexts, self.scheme), letters=None)
            for record, of, its in zip(records, codes, columns, strict=True)
        ]
        return made, [encode_part(record, self.scheme) for record in made]

    def _fitted(
        self, records: Sequence[SequenceRecord], queries: Sequence[EncodedQuery], decoys: ArrayDatabase
    ) -> _Fitted:
        """Return sequences with the fits of their scores against decoys."""
        fits = self.fitting.fits(queries, decoys)
        return _Fitted(records, queries, [None if isinstance(fit, FitError) else fit for fit in fits])

    def chance(self) -> Chance:
        """Return the distribution of both directions of pairs that are not related, from sequences of the database."""
        _, queries = self._with_profiles([self.database.record(at) for at in members_of(self.database)])
        return self.fitting.chance(queries, self.fitting.fits(queries, self.decoys))

    def _ranker(self, subjects: EncodedDatabase) -> Ranker:
        """Return the judge of one direction, whose E refer to the database of the search."""
        residues, sequences = subjects.search_space
        limits = replace(self.limits, effective_residues=max(round(self.size[1] * residues / max(sequences, 1)), 1))
        return Ranker(subjects, self.scheme, limits, self.result.search.composition, (1,), threads=self.threads)

    def _corrected(self, ranker: Ranker, profiles: _Fitted, of: _Ints, hits: HitColumns) -> HitColumns:
        """Return pairs of one direction, in the same order, corrected for composition as the search asks for."""
        if ranker.composition == "none" or not len(hits):
            return hits if ranker.composition == "none" else uncorrected(hits)
        used, which = np.unique(of, return_inverse=True)
        records, fits = ([column[at] for at in used.tolist()] for column in (profiles.records, profiles.fits))
        asked = RankRequest(records, fits, [{}] * len(used))
        return ranker.corrector(asked, self.cancel).all_of(hits, which)


def in_words(decoys: int, chance: Chance) -> str:
    """Return how E of both directions was obtained."""
    return (
        f"{FITTED_IN_BOTH} {count(decoys, 'decoy')} (sequences of the database read from the end, or shuffles of a "
        f"small one); z of both directions added, which has mean {chance.mean:.2f} and standard deviation "
        f"{chance.spread:.2f} for unrelated sequences"
    )
