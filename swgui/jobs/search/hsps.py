"""All alignments of hits' subjects within the limits of the search, of both strands, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from heapq import merge
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, count_columns
from swgui.core.alphabet import TwoTracks
from swgui.core.control import Check
from swgui.core.database import Residues
from swgui.core.errors import ScoreMismatch, Stopped
from swgui.core.hits.aligned import AlignedColumns, HspColumns
from swgui.core.hits.ranking import Statistics, measure, statistics_of
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.composition import bits_after, loss
from swgui.core.statistics.correction import HspCorrection, ratios_whole, scale_of
from swgui.core.statistics.evalue import LN10
from swgui.engines import native
from swgui.engines.host import usable_cores
from swgui.engines.native.correction import HOST
from swgui.engines.traceback.every import all_in_bulk, all_local, has_second, whole_in_bulk
from swgui.engines.traceback.many import Aligned, stack
from swgui.io.statistics import load_statistics
from swgui.jobs.search.aligning import ListedRows, align_places

STRAIGHT: Final = 5  # steps after which a limit of E is looked for by halves
ASIDE: Final = np.array([[-1], [0], [1]])  # scores that are asked about together
LONG_SUBJECT: Final = 100_000  # residues
CLEAR_IN_TRACKS: Final = 1e-3  # E
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Objects = list[tuple[Alignment, int]]


class HspFinder:
    """Finds the alignments of the subjects of one or more lists; its most are those of the search.

    E of an alignment is computed as that of the hit, and corrected where that was. In two tracks those besides the
    best must have E up to `CLEAR_IN_TRACKS`: relatives that consist of helices have many alignments of one helix with
    another, which say nothing that the first one does not.

    Parameters
    ----------
    listed : ListedRows
        Of several lists only where all have the same published statistics, and no query scores by position.
    check : callable
        Called many times a second, by several threads; may raise to give up.
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.
    """

    def __init__(self, listed: ListedRows, check: Check = lambda: None, threads: int = 0) -> None:
        self._listed = listed
        self._user_check = check
        self._threads = threads
        self._left = False
        result, indices = listed.result, [one.query_index for one in listed.lists]
        self._statistics = statistics_of(result, indices[0], load_statistics(result.scheme))
        self._limits = result.search.limits
        self._lengths = np.array([result.searched_length(index) for index in indices], dtype=np.int64)
        largest = self._limits.max_evalue
        clear = isinstance(result.scheme.alphabet, TwoTracks)
        self._largest = float(np.log10(min(largest, CLEAR_IN_TRACKS) if clear else largest))

    def columns(self) -> Iterator[tuple[int, HspColumns]]:
        """Yield the alignments of some hundred places at a time, in their order, the first that of the hit's score.

        With those of a list comes its number. The next places are aligned while the last are looked at.

        Raises
        ------
        ScoreMismatch
            If an alignment does not add up to its score, or the best not to that of the search.
        """
        listed, hits = self._listed, self._listed.hits
        several = np.zeros(len(listed), dtype=bool)
        if listed.result.search.max_hsps > 1 and len(listed):
            self._correction = correction_of(listed, self._statistics)
            self._least = self._least_scores()
            several = (hits.scores > 0) & (self._least <= hits.scores)
        # Of a long subject only some boxes are computed, never the whole for its best alignment alone.
        at_once = several & ((listed.result.searched.lengths[hits.db_index] > LONG_SUBJECT) | self._in_windows())
        alone = _Aligned(align_places(listed, np.flatnonzero(~at_once), self._threads, check=self._user_check))
        with ThreadPoolExecutor(abs(self._threads) or usable_cores(), thread_name_prefix="swgui-hsps") as pool:
            submit = pool.submit if self._threads >= 0 else _done  # beside other lists, which have threads of their own
            try:
                for start in range(0, len(listed), listed.at_once):
                    group = np.arange(start, min(start + listed.at_once, len(listed)))
                    running = {place: submit(self._find, place) for place in group[at_once[group]].tolist()}
                    single = group[~at_once[group]]
                    aligned = alone.take(len(single))
                    more = self._with_more(single, several[single], aligned)
                    bulk = self._in_bulk(more)
                    running |= {place: submit(self._find, place) for place in more[~bulk].tolist()}
                    together = self._found_together(more[bulk])
                    found = {place: running[place].result() for place in sorted(running)}
                    lines = self._lines(group, single, aligned, _Found.join([together, self._listed_of(found)]))
                    yield from lines.split(listed.of[group])
            finally:
                self._left = True
                pool.shutdown(wait=False, cancel_futures=True)

    def _lines(self, group: _Ints, single: _Ints, aligned: AlignedColumns, found: _Found) -> HspColumns:
        """Return the alignments of a group of places.

        Parameters
        ----------
        group : ndarray of int
        single : ndarray of int
            Those of them whose best alignments are in `aligned`.
        found : _Found
            All alignments of the others, and of those that have several.
        """
        hits, places = self._listed.hits.take(group), found.places
        there = np.zeros(len(group), dtype=bool)
        there[places - group[0]] = True
        sizes = np.where(there, np.bincount(places - group[0], minlength=len(group)), 1)
        hit = np.repeat(np.arange(len(group)), sizes)
        of_found = there[hit]
        order = np.empty(len(hit), dtype=np.int64)
        order[of_found] = len(aligned) + np.arange(len(places))
        order[~of_found] = np.searchsorted(single, group[hit[~of_found]])
        strands, bits, evalues = hits.strands[hit].astype(np.int64), hits.bit_scores[hit], hits.log10_evalues[hit]
        strands[of_found], bits[of_found], evalues[of_found] = found.strands, found.bits, found.log10_evalues
        return HspColumns(hit, strands, bits, evalues, AlignedColumns.join([aligned, found.aligned]).take(order))

    def _within(
        self, places: _Ints, scores: NDArray[np.int32], of_query: native.Subjects, other: native.Subjects
    ) -> tuple[_Ints, _Floats, _Floats]:
        """Return which alignments are within the limit of E, or the best of their subject, with bits and log10 of E.

        Parameters
        ----------
        places : ndarray, shape=(n,), dtype=int64
            Ascending; of each the best alignment comes first.
        scores : ndarray, shape=(n,), dtype=int32
        of_query, other : Subjects
            The two regions of each alignment.
        """
        bits, evalues = self._measure(places, scores)
        grown = self._correction.loss(places, scores, of_query, other, HOST)
        bits, evalues = bits_after(bits, grown), evalues + grown
        first, hits = _first_of(places), self._listed.hits
        bits[first], evalues[first] = hits.bit_scores[places[first]], hits.log10_evalues[places[first]]
        kept = np.flatnonzero(first | ~(evalues > self._largest))
        return kept, bits[kept], evalues[kept]

    def _listed_of(self, found: Mapping[int, _Objects]) -> _Found:
        """Return those alignments of some subjects that are within the limit of E."""
        result = self._listed.result
        flat = [(place, alignment, strand) for place, of_hit in found.items() for alignment, strand in of_hit]
        if not flat:
            return _Found.none()
        places = np.array([place for place, _, _ in flat], dtype=np.int64)
        strands = np.array([strand for _, _, strand in flat], dtype=np.int64)
        pairs = dict.fromkeys((place, strand) for place, _, strand in flat)
        of_subject = {pair: self._subject(*pair) for pair in pairs}
        queries = {pair: self._query(*pair) for pair in pairs}
        regions = [
            (one, queries[place, strand], of_subject[place, strand][one.subject_start : one.subject_end])
            for place, one, strand in flat
        ]
        scores = np.array([alignment.score for alignment, *_ in regions], dtype=np.int32)
        of_query = native.Subjects.stacked([query.codes[a.query_start : a.query_end] for a, query, _ in regions])
        other = native.Subjects.stacked([codes for _, _, codes in regions])
        kept, bits, evalues = self._within(places, scores, of_query, other)
        some = (regions[at] for at in kept.tolist())
        made = AlignedColumns.of(
            (one, count_columns(one.on_region(), query, codes, result.scheme)) for one, query, codes in some
        )
        return _Found(places[kept], strands[kept], bits, evalues, made)

    def _in_windows(self) -> NDArray[np.bool_]:
        """Return of which places it is known where their subjects score."""
        known = [one.query.windows for one in self._listed.lists]
        if not any(known):
            return np.zeros(len(self._listed), dtype=bool)
        hits = self._listed.hits
        rows = zip(self._listed.of.tolist(), hits.db_index.tolist(), hits.strands.tolist(), strict=True)
        return np.array([(db_index, strand) in known[of] for of, db_index, strand in rows], dtype=bool)

    def _in_bulk(self, places: _Ints) -> NDArray[np.bool_]:
        """Return which subjects have all their alignments found in one call: where one strand was searched."""
        listed, result = self._listed, self._listed.result
        bulk = np.zeros(len(places), dtype=bool)
        lengths = result.searched.lengths[listed.hits.db_index[places]].astype(np.int64)
        for own, query in self._by_query(places) if len(result.search.strands) == 1 else ():
            bulk[own] = whole_in_bulk(query, result.scheme, lengths[own])
        return bulk

    def _by_query(self, places: _Ints) -> Iterator[tuple[_Ints, EncodedQuery]]:
        """Yield which of some places have a query, in the strand of their hits, and that query."""
        asked, which = self._listed.strands(places)
        for number, one in enumerate(asked):
            yield np.flatnonzero(which == number), self._listed.query(*one)

    def _found_together(self, places: _Ints) -> _Found:
        """Return all alignments within the limits of subjects for which `_in_bulk` says so."""
        if not len(places):
            return _Found.none()
        result, most = self._listed.result, self._listed.result.search.max_hsps
        subjects, least = self._listed.subjects(places), np.maximum(self._least[places], 1)
        how: dict[str, Any] = {"threads": self._threads, "check": self._check}
        queries, of_each, paths_of_each = [], [], []
        for own, query in self._by_query(places):
            of, paths = all_in_bulk(query, subjects.take(own), result.scheme, least[own], most, **how)
            queries.append(query)
            of_each.append(own[of])
            paths_of_each.append(paths)
        stacked = stack(queries, [query.scores(result.scheme) for query in queries])
        of, paths = np.concatenate(of_each), native.Paths.join(paths_of_each)
        each, at = subjects.take(of), paths.regions
        begins = np.repeat(stacked.begins, [len(one) for one in of_each])
        inside = replace(paths, regions=at.moved(begins, 0))
        sums = native.add_up(stacked.query, each, inside, result.scheme)
        self._compare(places, of, at.scores, sums.scores)
        codes = np.ascontiguousarray(stacked.query.codes)
        of_query = native.Subjects(codes, inside.regions.query_start, at.query_end - at.query_start)
        other = native.Subjects(each.codes, each.starts + at.subject_start, at.subject_end - at.subject_start)
        kept, bits, evalues = self._within(places[of], at.scores.astype(np.int32), of_query, other)
        strands = self._listed.hits.strands[places][of[kept]].astype(np.int64)
        return _Found(places[of[kept]], strands, bits, evalues, Aligned(paths, sums).columns().take(kept))

    def _compare(self, places: _Ints, of: _Ints, scores: _Ints, sums: _Ints) -> None:
        """Raise `ScoreMismatch` where alignments do not add up, or the best one of a subject not to that of the search.

        Parameters
        ----------
        of : ndarray, shape=(n,), dtype=int64
            Which of the places each alignment is of.
        scores, sums : ndarray, shape=(n,), dtype=int64
            What the alignments should have, and what their residues add up to.
        """
        hits = self._listed.hits
        best, found = hits.scores[places].astype(np.int64), np.zeros(len(places), dtype=np.int64)
        first = _first_of(of)
        found[of[first]] = scores[first]
        wrong = [(at, best[at], found[at]) for at in np.flatnonzero(found != best)[:1].tolist()]
        wrong += [(int(of[at]), scores[at], sums[at]) for at in np.flatnonzero(sums != scores)[:1].tolist()]
        if wrong:
            at, expected, actual = min(wrong)
            raise ScoreMismatch(self._listed.result.database.ids[hits.db_index[places[at]]], int(expected), int(actual))

    def _check(self) -> None:
        if self._left:
            raise Stopped("The other alignments are not asked for any more.")
        self._user_check()

    def _with_more(self, places: _Ints, several: NDArray[np.bool_], aligned: AlignedColumns) -> _Ints:
        """Return the places whose subjects have a second alignment within the limits, ascending.

        Parameters
        ----------
        several : ndarray, shape=(k,), dtype=bool
            Which may have one at all.
        aligned : AlignedColumns
            The best alignment of each.
        """
        listed, result, more = self._listed, self._listed.result, np.zeros(len(places), dtype=bool)
        how: dict[str, Any] = {"threads": self._threads, "check": self._check}
        costs = result.scheme.gap_first, result.scheme.gap_extend
        wanted = np.flatnonzero(several & aligned.there)
        if not len(wanted):
            return places[more]
        subjects, best = listed.subjects(places[wanted]), native.Paths.of_columns(aligned.take(wanted))
        least = self._least[places[wanted]]
        asked, which = listed.strands(places[wanted])
        for number, (of, strand) in enumerate(asked):
            own = np.flatnonzero(which == number)
            some = subjects.take(own), result.scheme, best.take(own), np.maximum(least[own], 1)
            second = has_second(listed.query(of, strand), *some, **how)
            if second is None:
                more[wanted[own]] = True
                continue
            for other in result.search.strands:
                if other != strand:
                    profile = listed.query(of, other).scores(result.scheme)
                    left = np.flatnonzero(~second & self._may_reach(places[wanted[own]], other))
                    turned = listed.subjects(places[wanted[own[left]]], np.full(len(left), other))
                    second[left] = native.scores(profile, turned, *costs, **how) >= least[own[left]]
            more[wanted[own]] = second
        return places[more]

    def _may_reach(self, places: _Ints, strand: int) -> NDArray[np.bool_]:
        """Return which places may hold an alignment within the limits in a strand, as far as its scores tell.

        A search that was stopped lists nothing of the strands that it had not scored.
        """
        of, may = self._listed.of[places], np.asarray(self._listed.hits.strands[places] == strand)
        for number in sorted(set(of.tolist())):
            own, query = of == number, self._listed.lists[number].query
            some = places[own]
            if query.subjects_scored >= len(self._listed.result.database):
                may[own] = True
            if query.by_strand is not None:
                db_index, least = self._listed.hits.db_index[some], self._least[some]
                may[own] = query.by_strand.may_reach(db_index, strand, least, may[own])
        return may

    def _query(self, place: int, strand: int) -> EncodedQuery:
        return self._listed.query(int(self._listed.of[place]), strand)

    def _subject(self, place: int, strand: int) -> Residues:
        return self._listed.result.searched.reading(int(self._listed.hits.db_index[place]), strand)

    def _find(self, place: int) -> _Objects:
        """Return the alignments of one subject, best first, with their strands."""
        return list(islice(self._alignments(place), self._listed.result.search.max_hsps))

    def _alignments(self, place: int) -> Iterator[tuple[Alignment, int]]:
        """Yield alignments and their strands, best first; of equals those of the hit's strand come first."""
        result, hits = self._listed.result, self._listed.hits
        best, own, db_index = int(hits.scores[place]), int(hits.strands[place]), int(hits.db_index[place])
        name, least = result.database.ids[db_index], int(self._least[place])
        windows = self._listed.lists[self._listed.of[place]].query.windows

        def of_strand(strand: int) -> Iterator[tuple[Alignment, int]]:
            known = windows.get((db_index, strand))
            if not self._may_reach(np.array([place]), strand)[0] or (known and known.scores.max() < least):
                return iter(())
            found = all_local(
                self._query(place, strand),
                self._subject(place, strand),
                result.scheme,
                least,
                subject_id=name,
                windows=known,
                check=self._check,
            )
            return ((alignment, strand) for alignment in found)

        strands = sorted(result.search.strands, key=lambda strand: strand != own)
        every = merge(*map(of_strand, strands), key=lambda one: -one[0].score)
        first = next(every, None)
        if first is None or first[0].score != best:
            raise ScoreMismatch(name, best, first[0].score if first else 0)
        yield first
        yield from every

    def _measure(self, places: _Ints, scores: NDArray[np.int32]) -> tuple[_Floats, _Floats]:
        """Return bits and log10 of E of scores of the subjects of places."""
        several = len(self._lengths) > 1
        lengths = self._lengths[self._listed.of[places]] if several else int(self._lengths[0])
        db_index, database = self._listed.hits.db_index[places], self._listed.result.searched
        return measure(lengths, db_index, scores, database, self._statistics, self._limits)

    def _least_scores(self) -> NDArray[np.int64]:
        """Return the lowest score within the limits of each subject; above its best where nothing else can be."""
        hits = self._listed.hits
        best = hits.scores.astype(np.int64)
        if self._statistics is None:
            return best + 1
        everywhere, at_least = np.arange(len(best)), self._correction.at_least
        limit = self._largest
        slope = np.maximum(self._statistics.lambda_ / LN10 - at_least, 1e-3)

        def nearer(scores: _Ints, above: _Floats) -> _Ints:
            """Follow the straight line that log10 of E is, nearly."""
            return scores + np.nan_to_num(np.ceil(above / slope), posinf=0, neginf=0).astype(np.int64)

        known = hits.composition.log10_uncorrected if hits.composition else hits.log10_evalues
        low, high, step, aside = np.ones_like(best), best + 1, 0, np.zeros((1, 1), dtype=np.int64)
        tried = nearer(best, known + at_least * best - limit)
        while (open_ := low < high).any():
            # Rows that are settled ask for a score that is theirs already.
            asked = np.clip(tried + aside, low, np.maximum(high - 1, low))
            _, found = self._measure(np.tile(everywhere, len(asked)), asked.astype(np.int32).ravel())
            above = found.reshape(asked.shape) + at_least * asked - limit
            within = above <= 0
            high = np.where(open_, np.where(within, asked, high).min(axis=0), high)
            low = np.where(open_, np.where(within, low, asked + 1).max(axis=0), low)
            step += 1
            tried = nearer(asked[len(asked) // 2], above[len(asked) // 2]) if step < STRAIGHT else (low + high) // 2
            aside = ASIDE if step < STRAIGHT else aside[:1] * 0
        return np.maximum(low, self._limits.minimums.score)


def correction_of(listed: ListedRows, statistics: Statistics | None) -> HspCorrection:
    """Return what corrects E of the further alignments of hits as that of the hits was, or their part in a profile.

    Parameters
    ----------
    listed : ListedRows
        Of several lists only if these have the same statistics.
    statistics : KarlinAltschul or FittedStatistics, optional
        What E was computed with.
    """
    hits, result = listed.hits, listed.result
    scores, nothing = np.maximum(hits.scores, 1), np.zeros(len(listed))
    if statistics is None or not len(listed):
        return HspCorrection(scores, nothing)
    if listed.lists[0].query.rounds is not None:
        length = result.searched_length(listed.lists[0].query_index)
        _, fitted = measure(length, hits.db_index, hits.scores, result.searched, statistics, result.search.limits)
        return HspCorrection(scores, hits.log10_evalues - fitted)
    if hits.composition is None:
        return HspCorrection(scores, nothing)
    ratios, scale = hits.composition.lambda_ratio, statistics.lambda_
    corrected = np.isfinite(ratios)
    by_lambda = loss(scale, scores, np.where(corrected, ratios, 1.0))
    added = hits.log10_evalues - hits.composition.log10_uncorrected - by_lambda
    if not corrected.any():
        return HspCorrection(scores, added)
    asked, which = listed.strands(np.arange(len(listed)))
    queries = [result.searched_query(listed.lists[of].query_index, strand) for of, strand in asked]
    lambdas = scale_of(statistics, result.scheme.matrix, queries[0].codes, result.searched.letter_shares, HOST)
    whole = ratios_whole(lambdas, queries, which, result.searched, hits, HOST)
    return HspCorrection(scores, added, scale, lambdas, np.where(corrected, whole, np.nan))


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """All alignments of some subjects, n of them, those of a subject together and best first.

    Parameters
    ----------
    places : ndarray, shape=(n,), dtype=int64
        Ascending.
    strands : ndarray, shape=(n,), dtype=int64
    bits, log10_evalues : ndarray, shape=(n,), dtype=float64
    """

    places: _Ints
    strands: _Ints
    bits: _Floats
    log10_evalues: _Floats
    aligned: AlignedColumns

    @classmethod
    def none(cls) -> _Found:
        """Return none."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls(nothing, nothing, np.zeros(0), np.zeros(0), AlignedColumns.of([]))

    @classmethod
    def join(cls, parts: Sequence[_Found]) -> _Found:
        """Return what several found, each of other subjects."""
        some = [part for part in parts if len(part.places)]
        if len(some) < 2:
            return some[0] if some else parts[0]
        order = np.argsort(np.concatenate([part.places for part in some]), kind="stable")
        columns = zip(*((part.places, part.strands, part.bits, part.log10_evalues) for part in some), strict=True)
        places, strands, bits, evalues = (np.concatenate(column)[order] for column in columns)
        return cls(places, strands, bits, evalues, AlignedColumns.join([part.aligned for part in some]).take(order))


def _done(find: Callable[[int], _Objects], place: int) -> Future[_Objects]:
    """Do at once what an executor would do in a thread of its own."""
    future: Future[_Objects] = Future()
    future.set_result(find(place))
    return future


def _first_of(places: _Ints) -> NDArray[np.bool_]:
    """Return which are the first of equals that stand one behind the other."""
    return np.append(True, places[1:] != places[:-1])[: len(places)]


class _Aligned:
    """Alignments that come in parts, read as many at a time as are wanted."""

    def __init__(self, parts: Iterator[AlignedColumns]) -> None:
        self._parts = parts
        self._left = AlignedColumns.of([])

    def take(self, count: int) -> AlignedColumns:
        """Return the next alignments."""
        while len(self._left) < count:
            self._left = AlignedColumns.join([self._left, next(self._parts)])
        head, self._left = (self._left.take(part) for part in np.split(np.arange(len(self._left)), [count]))
        return head
