"""All alignments of a hit's subject within the limits of the search, of both strands, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from heapq import merge
from itertools import islice
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, count_columns
from swgui.core.errors import ScoreMismatch, Stopped
from swgui.core.hits.aligned import AlignedColumns, HspColumns
from swgui.core.hits.ranking import choose_statistics, limits_of, measure
from swgui.core.hits.results import HitList
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.evalue import LN10
from swgui.core.statistics.fitting import fit_of
from swgui.engines import native
from swgui.engines.host import usable_cores
from swgui.engines.traceback.every import all_in_bulk, all_local, has_second, whole_in_bulk
from swgui.engines.traceback.many import Aligned
from swgui.io.statistics import load_statistics
from swgui.jobs.search.aligning import align_rows
from swgui.jobs.search.hsp_correction import HspCorrection, stretches

GROUP: Final = 256  # subjects that are worked on together
STRAIGHT: Final = 5  # steps after which a limit of E is looked for by halves
ASIDE: Final = np.array([[-1], [0], [1]])  # scores that are asked about together
LONG_SUBJECT: Final = 100_000  # residues
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Objects = list[tuple[Alignment, int]]


class HspFinder:
    """Finds the alignments of the subjects of a list; its most are those of the search.

    E of an alignment is computed as that of the hit, and corrected for composition where that was (`HspCorrection`).

    Parameters
    ----------
    listed : HitList
    rows : ndarray, shape=(k,), dtype=int64
        The rows that will be asked for.
    check : callable
        Called many times a second, by several threads; may raise to give up.
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.
    """

    def __init__(
        self, listed: HitList, rows: NDArray[np.int64], check: Callable[[], None] = lambda: None, threads: int = 0
    ) -> None:
        self._listed = listed
        self._user_check = check
        self._threads = threads
        self._left = False
        result, index = listed.result, listed.query_index
        published = load_statistics(result.scheme)
        self._statistics = choose_statistics(published, None if published else fit_of(result, index))
        self._limits = limits_of(result)
        self._length = result.searched_length(index)
        self._queries: dict[int, EncodedQuery] = {}
        self._rows = rows
        self._encoding = Lock()

    def query(self, strand: int) -> EncodedQuery:
        """Return the query of a strand."""
        with self._encoding:
            if strand not in self._queries:
                self._queries[strand] = self._listed.result.encoded_query(self._listed.query_index, strand)
            return self._queries[strand]

    def columns(self) -> Iterator[HspColumns]:
        """Yield the alignments of some hundred rows at a time, in their order, the first that of the hit's score.

        The next rows are aligned while the last are looked at.

        Raises
        ------
        ScoreMismatch
            If an alignment does not add up to its score, or the best not to that of the search.
        """
        result, rows = self._listed.result, self._rows
        best, db_index = self._listed.columns.scores[rows], self._listed.columns.db_index[rows]
        several = np.zeros(len(rows), dtype=bool)
        if result.max_hsps > 1:
            self._correction = HspCorrection(self._listed, rows, self._statistics)
            self._least = self._least_scores(rows)
            several = (best > 0) & (self._least <= best)
        # Of a long subject only some boxes are computed, never the whole for its best alignment alone.
        at_once = several & (result.searched.lengths[db_index] > LONG_SUBJECT)
        alone = _Aligned(align_rows(self._listed, rows[~at_once], self._threads))
        with ThreadPoolExecutor(abs(self._threads) or usable_cores(), thread_name_prefix="swgui-hsps") as pool:
            try:
                for start in range(0, len(rows), GROUP):
                    group = np.arange(start, min(start + GROUP, len(rows)))
                    running = {place: pool.submit(self._find, place) for place in group[at_once[group]].tolist()}
                    single = group[~at_once[group]]
                    aligned = alone.take(len(single))
                    more = self._with_more(single, several[single], aligned)
                    bulk = self._in_bulk(more)
                    running |= {place: pool.submit(self._find, place) for place in more[~bulk].tolist()}
                    together = self._found_together(more[bulk])
                    found = {place: running[place].result() for place in sorted(running)}
                    yield self._lines(group, single, aligned, _Found.join([together, self._listed_of(found)]))
            finally:
                self._left = True
                pool.shutdown(wait=False, cancel_futures=True)

    def _lines(self, group: _Ints, single: _Ints, aligned: AlignedColumns, found: _Found) -> HspColumns:
        """Return the alignments of a group of rows.

        Parameters
        ----------
        group : ndarray of int
            Places of the rows.
        single : ndarray of int
            Those of them whose best alignments are in `aligned`.
        found : _Found
            All alignments of the others, and of those that have several.
        """
        hits, places = self._listed.columns.take(self._rows[group]), found.places
        there = np.isin(group, places)
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
        hits, rows = self._listed.columns, self._rows[places]
        bits, evalues = self._measure(hits.db_index[rows], scores)
        evalues = evalues + self._correction.of(places, scores, of_query, other)
        first = _first_of(places)
        evalues[first] = hits.log10_evalues[rows[first]]
        kept = np.flatnonzero(first | ~(evalues > np.log10(self._limits.max_evalue)))
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
        regions = [(alignment, self.query(strand), of_subject[place, strand]) for place, alignment, strand in flat]
        scores = np.array([alignment.score for alignment, *_ in regions], dtype=np.int32)
        of_query = stretches([query.codes[a.query_start : a.query_end] for a, query, _ in regions])
        other = stretches([codes[a.subject_start : a.subject_end] for a, _, codes in regions])
        kept, bits, evalues = self._within(places, scores, of_query, other)
        some = (regions[at] for at in kept.tolist())
        made = AlignedColumns.of((one, count_columns(one, query, codes, result.scheme)) for one, query, codes in some)
        return _Found(places[kept], strands[kept], bits, evalues, made)

    def _in_bulk(self, places: _Ints) -> NDArray[np.bool_]:
        """Return which subjects have all their alignments found in one call: where one strand was searched."""
        result = self._listed.result
        strands = result.strands
        if len(strands) > 1 or not len(places):
            return np.zeros(len(places), dtype=bool)
        lengths = result.searched.lengths[self._listed.columns.db_index[self._rows[places]]]
        return whole_in_bulk(self.query(strands[0]), result.scheme, lengths.astype(np.int64))

    def _found_together(self, places: _Ints) -> _Found:
        """Return all alignments within the limits of subjects for which `_in_bulk` says so."""
        if not len(places):
            return _Found.none()
        result, hits, rows = self._listed.result, self._listed.columns, self._rows[places]
        query, subjects = self.query(result.strands[0]), self._subjects(places, result.strands[0])
        least, threads = np.maximum(self._least[places], 1), self._threads
        of, paths = all_in_bulk(
            query, subjects, result.scheme, least, result.max_hsps, threads=threads, check=self._check
        )
        each, at = subjects.take(of), paths.regions
        sums = native.add_up(query, each, paths, result.scheme)
        self._compare(places, of, at.scores, sums.scores)
        of_query = native.Subjects(np.ascontiguousarray(query.codes), at.query_start, at.query_end - at.query_start)
        other = native.Subjects(each.codes, each.starts + at.subject_start, at.subject_end - at.subject_start)
        kept, bits, evalues = self._within(places[of], at.scores.astype(np.int32), of_query, other)
        strands = hits.strands[rows][of[kept]].astype(np.int64)
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
        hits, rows = self._listed.columns, self._rows[places]
        best, found = hits.scores[rows].astype(np.int64), np.zeros(len(places), dtype=np.int64)
        first = _first_of(of)
        found[of[first]] = scores[first]
        wrong = [(at, best[at], found[at]) for at in np.flatnonzero(found != best)[:1].tolist()]
        wrong += [(int(of[at]), scores[at], sums[at]) for at in np.flatnonzero(sums != scores)[:1].tolist()]
        if wrong:
            at, expected, actual = min(wrong)
            raise ScoreMismatch(self._listed.result.database.ids[hits.db_index[rows[at]]], int(expected), int(actual))

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
        result, more = self._listed.result, np.zeros(len(places), dtype=bool)
        strands = self._listed.columns.strands[self._rows[places]]
        how: dict[str, Any] = {"threads": self._threads, "check": self._check}
        costs = result.scheme.gap_first, result.scheme.gap_extend
        for strand in np.unique(strands).tolist():
            lines = np.flatnonzero(several & (strands == strand) & aligned.there)
            if not len(lines):
                continue
            subjects, best = self._subjects(places[lines], strand), native.Paths.of_columns(aligned.take(lines))
            least = self._least[places[lines]]
            second = has_second(self.query(strand), subjects, result.scheme, best, np.maximum(least, 1), **how)
            if second is None:
                return places[several & aligned.there]
            for other in result.strands:
                if other != strand:
                    profile = self.query(other).scores(result.scheme)
                    left = np.flatnonzero(~second)
                    subjects = self._subjects(places[lines[left]], other)
                    second[left] = native.scores(profile, subjects, *costs, **how) >= least[left]
            more[lines] = second
        return places[more]

    def _subjects(self, places: _Ints, strand: int) -> native.Subjects:
        db_index = self._listed.columns.db_index[self._rows[places]]
        return native.Subjects.of(self._listed.result.searched, db_index, np.full(len(db_index), strand))

    def _subject(self, place: int, strand: int) -> NDArray[np.uint8]:
        db_index = int(self._listed.columns.db_index[self._rows[place]])
        return self._listed.result.searched.subject(db_index, strand)

    def _find(self, place: int) -> _Objects:
        """Return the alignments of one subject, best first, with their strands."""
        return list(islice(self._alignments(place), self._listed.result.max_hsps))

    def _alignments(self, place: int) -> Iterator[tuple[Alignment, int]]:
        """Yield alignments and their strands, best first; of equals those of the hit's strand come first."""
        result, hits, row = self._listed.result, self._listed.columns, self._rows[place]
        best, own, db_index = int(hits.scores[row]), int(hits.strands[row]), int(hits.db_index[row])
        name, least = result.database.ids[db_index], int(self._least[place])
        windows = self._listed.query.windows

        def of_strand(strand: int) -> Iterator[tuple[Alignment, int]]:
            known = windows.get((db_index, strand))
            found = all_local(
                self.query(strand),
                self._subject(place, strand),
                result.scheme,
                least,
                subject_id=name,
                windows=known,
                check=self._check,
            )
            return ((alignment, strand) for alignment in found)

        strands = sorted(result.strands, key=lambda strand: strand != own)
        every = merge(*map(of_strand, strands), key=lambda one: -one[0].score)
        first = next(every, None)
        if first is None or first[0].score != best:
            raise ScoreMismatch(name, best, first[0].score if first else 0)
        yield first
        yield from every

    def _measure(self, db_index: NDArray[np.int64], scores: NDArray[np.int32]) -> tuple[_Floats, _Floats]:
        database = self._listed.result.searched
        return measure(self._length, db_index, scores, database, self._statistics, self._limits)

    def _least_scores(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the lowest score within the limits of each subject; above its best where nothing else can be."""
        hits = self._listed.columns
        best = hits.scores[rows].astype(np.int64)
        if self._statistics is None:
            return best + 1
        database_index, at_least = hits.db_index[rows], self._correction.at_least
        limit = np.log10(self._limits.max_evalue)
        slope = np.maximum(self._statistics.lambda_ / LN10 - at_least, 1e-3)

        def nearer(scores: _Ints, above: _Floats) -> _Ints:
            """Follow the straight line that log10 of E is, nearly."""
            return scores + np.nan_to_num(np.ceil(above / slope), posinf=0, neginf=0).astype(np.int64)

        known = (hits.composition.log10_uncorrected if hits.composition else hits.log10_evalues)[rows]
        low, high, step, aside = np.ones_like(best), best + 1, 0, np.zeros((1, 1), dtype=np.int64)
        tried = nearer(best, known + at_least * best - limit)
        while (open_ := low < high).any():
            # Rows that are settled ask for a score that is theirs already.
            asked = np.clip(tried + aside, low, np.maximum(high - 1, low))
            _, found = self._measure(np.tile(database_index, len(asked)), asked.astype(np.int32).ravel())
            above = found.reshape(asked.shape) + at_least * asked - limit
            within = above <= 0
            high = np.where(open_, np.where(within, asked, high).min(axis=0), high)
            low = np.where(open_, np.where(within, low, asked + 1).max(axis=0), low)
            step += 1
            tried = nearer(asked[len(asked) // 2], above[len(asked) // 2]) if step < STRAIGHT else (low + high) // 2
            aside = ASIDE if step < STRAIGHT else aside[:1] * 0
        return np.maximum(low, self._limits.minimums.score)


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """All alignments of some subjects, n of them, those of a subject together and best first.

    Parameters
    ----------
    places : ndarray, shape=(n,), dtype=int64
        Of the rows, ascending.
    strands : ndarray, shape=(n,), dtype=int64
    bits, log10_evalues : ndarray, shape=(n,), dtype=float64
    aligned : AlignedColumns
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
