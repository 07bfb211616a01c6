"""All alignments of hits' subjects within the limits of the search, of both strands, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import TwoTracks
from swgui.core.circular import turn_of, without_copies
from swgui.core.control import Check
from swgui.core.errors import ScoreMismatch
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.composition import bits_after
from swgui.core.stretches import Subjects, stack
from swgui.engines import native
from swgui.engines.native.correction import HOST
from swgui.engines.traceback.bulk import Found, Items, find_each
from swgui.engines.traceback.every import has_second
from swgui.engines.traceback.many import QueryAlignments
from swgui.jobs.search.aligning import align_places
from swgui.jobs.search.least import lowest_within
from swgui.jobs.search.list_statistics import ListStatistics, correction_of
from swgui.jobs.search.listed_rows import ListedRows

LONG_SUBJECT: Final = 100_000  # residues
CLEAR_IN_TRACKS: Final = 1e-3  # E
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]


class HspFinder:
    """Finds the alignments of the subjects of one or more lists; its most are those of the search.

    E of an alignment is computed as that of the hit, and corrected where that was. In two tracks those besides the
    best must have E up to `CLEAR_IN_TRACKS`: relatives that consist of helices have many alignments of one helix with
    another, which say nothing that the first one does not.

    Parameters
    ----------
    listed : ListedRows
        Of several lists only where no query scores by position.
    threads : int
        0 for all cores; below 0 for many lists side by side, as for `in_pieces`.
    """

    def __init__(self, listed: ListedRows, check: Check = lambda: None, threads: int = 0) -> None:
        self.listed = listed
        self._check = check
        self._threads = threads
        result = listed.result
        self._statistics = ListStatistics.of(listed.lists)
        self._limits = result.search.limits
        largest = self._limits.max_evalue
        clear = isinstance(result.scheme.alphabet, TwoTracks)
        self._largest = float(np.log10(min(largest, CLEAR_IN_TRACKS) if clear else largest))

    def columns(self) -> Iterator[AlignedColumns]:
        """Yield the alignments of some hundred places at a time, in their order, the first that of the hit's score.

        The next places are aligned while the last are looked at.

        Raises
        ------
        ScoreMismatch
            If an alignment does not add up to its score, or the best not to that of the search.
        """
        listed, hits = self.listed, self.listed.hits
        several = np.zeros(len(listed), dtype=bool)
        if listed.result.search.max_hsps > 1 and len(listed):
            self._correction = correction_of(listed, self._statistics)
            self._least = self._least_scores()
            several = (hits.scores > 0) & (self._least <= hits.scores)
        # Of a long subject only some boxes are computed, never the whole for its best alignment alone.
        long = several & ((listed.result.searched.lengths_of(hits.db_index) > LONG_SUBJECT) | self._in_windows())
        alone = _AlignmentReader(align_places(listed, np.flatnonzero(~long), self._threads, check=self._check))
        for start in range(0, len(listed), listed.batch):
            group = np.arange(start, min(start + listed.batch, len(listed)))
            single = group[~long[group]]
            aligned = alone.take(len(single))
            more = self._with_more(single, several[single], aligned)
            hsps = self._every(np.sort(np.concatenate([group[long[group]], more])))
            yield self._lines(group, single, aligned, hsps)

    def _lines(self, group: _Ints, single: _Ints, aligned: AlignedColumns, hsps: AlignedColumns) -> AlignedColumns:
        """Return the alignments of a group of places.

        Parameters
        ----------
        single : ndarray of int
            Those of them whose best alignments are in `aligned`.
        hsps : AlignedColumns
            All alignments of the others, and of those that have several; the hit of each is its place.
        """
        hits, places = self.listed.hits.take(group), hsps.number("hit")
        with_hsps = np.zeros(len(group), dtype=bool)
        with_hsps[places - group[0]] = True
        sizes = np.where(with_hsps, np.bincount(places - group[0], minlength=len(group)), 1)
        hit = np.repeat(np.arange(len(group)), sizes)
        of_found = with_hsps[hit]
        order = np.empty(len(hit), dtype=np.int64)
        order[of_found] = len(aligned) + np.arange(len(places))
        order[~of_found] = np.searchsorted(single, group[hit[~of_found]])
        strands, bits, evalues = hits.strands[hit].astype(np.int64), hits.bit_scores[hit], hits.log10_evalues[hit]
        strands[of_found] = hsps.number("strand")
        bits[of_found], evalues[of_found] = hsps.significance
        return AlignedColumns.join([aligned, hsps]).take(order).of_hits(hit, strands, bits, evalues)

    def _within(
        self, places: _Ints, scores: NDArray[np.int32], of_query: Subjects, other: Subjects
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
        first, hits = _first_of(places), self.listed.hits
        bits[first], evalues[first] = hits.bit_scores[places[first]], hits.log10_evalues[places[first]]
        kept = np.flatnonzero(first | ~(evalues > self._largest))
        return kept, bits[kept], evalues[kept]

    def _in_windows(self) -> NDArray[np.bool_]:
        """Return of which places it is known where their subjects score."""
        windows = [part.query.windows for part in self.listed.lists]
        if not any(windows):
            return np.zeros(len(self.listed), dtype=bool)
        hits = self.listed.hits
        rows = zip(self.listed.of.tolist(), hits.db_index.tolist(), hits.strands.tolist(), strict=True)
        return np.array([(db_index, strand) in windows[of] for of, db_index, strand in rows], dtype=bool)

    def _every(self, places: _Ints) -> AlignedColumns:
        """Return all alignments of some subjects within the limits; the hit of each is its place, ascending."""
        if not len(places):
            return AlignedColumns.of([])
        result, most = self.listed.result, self.listed.result.search.max_hsps
        of_items, strands = self._items(places)
        queries, numbers = zip(*self._by_query(places[of_items], strands), strict=True)
        own, query_of = np.concatenate(numbers), np.repeat(np.arange(len(queries)), [len(some) for some in numbers])
        items = self._items_of(places[of_items[own]], strands[own])
        paths, boxes, inside_of = self._found(queries, query_of, items)
        of = own[boxes.items]
        stacked = stack(queries, result.scheme)
        inside = replace(paths, regions=paths.regions.moved(stacked.begins[query_of[boxes.items]], 0))
        sums = native.add_up(stacked.query, inside_of, inside, result.scheme)
        regions = paths.regions
        of_query = Subjects(
            np.ascontiguousarray(stacked.query.codes),
            inside.regions.query_start,
            regions.query_end - regions.query_start,
        )
        other = Subjects(
            inside_of.codes, inside_of.starts + regions.subject_start, regions.subject_end - regions.subject_start
        )
        paths = replace(paths, regions=regions.moved(0, boxes.starts))

        own = self.listed.hits.strands[places].astype(np.int64)
        rank = np.where(strands[of] == own[of_items[of]], -1, self._rank_of_strand(strands[of]))
        order = np.lexsort((np.arange(len(of)), rank, -regions.scores, of_items[of]))
        of_places = of_items[of[order]]
        best = np.arange(len(order)) - np.searchsorted(of_places, of_places) < most
        order, of_places = order[best], of_places[best]
        self._compare(places, of_places, regions.scores[order], sums.scores[order])
        scores = regions.scores[order].astype(np.int32)
        kept, bits, evalues = self._within(places[of_places], scores, of_query.take(order), other.take(order))
        columns = QueryAlignments(paths, sums).columns().take(order[kept])
        return columns.of_hits(places[of_places[kept]], strands[of[order[kept]]], bits, evalues)

    def _found(self, queries: Sequence[EncodedQuery], of: _Ints, items: Items) -> Found:
        """Return the alignments of items, those of circular records once each."""
        result = self.listed.result
        wanted = most = result.search.max_hsps
        while True:
            given = queries, of, result.searched, result.scheme, items, most
            paths, boxes, inside_of = find_each(*given, threads=self._threads, check=self._check)
            turn = turn_of(result.searched, items.db_index)[boxes.items]
            if not turn.any():
                return paths, boxes, inside_of
            moved = replace(paths, regions=paths.regions.moved(0, boxes.starts))
            kept = without_copies(boxes.items, turn, [moved.alignment(number) for number in range(len(moved))])
            size = len(items.db_index)
            every, left = np.bincount(boxes.items, minlength=size), np.bincount(boxes.items[kept], minlength=size)
            if not ((every >= most) & (left < wanted)).any():
                behind = np.where((turn > 0) & (moved.regions.subject_start >= turn), turn, 0)  # the one of this module
                boxes = boxes.moved(-behind)
                some = np.flatnonzero(kept)
                return paths.take(some), boxes.take(some), inside_of.take(some)
            most *= 2  # some of those that were found are copies

    def _items(self, places: _Ints) -> tuple[_Ints, _Ints]:
        """Return the number of a place, ascending, and a strand that may hold an alignment of it, as two columns."""
        strands = np.array(self.listed.result.search.strands, dtype=np.int64)
        may = np.stack([self.may_reach(places, strand) for strand in strands.tolist()], axis=1)
        of, number = np.nonzero(may)
        return of, strands[number]

    def _items_of(self, places: _Ints, strands: _Ints) -> Items:
        """Return places in strands as they are looked at."""
        of, db_index = self.listed.of[places], self.listed.hits.db_index[places]
        windows_of = [part.query.windows for part in self.listed.lists]
        keys = zip(of.tolist(), db_index.tolist(), strands.tolist(), strict=True)
        least = np.maximum(self._least[places], 1)
        given = (windows_of[number].get((db_index, strand)) for number, db_index, strand in keys)
        windows = [one if one and one.known(low) else None for one, low in zip(given, least.tolist(), strict=True)]
        return Items(db_index, strands, least, windows)

    def _rank_of_strand(self, strands: _Ints) -> _Ints:
        order = np.array(self.listed.result.search.strands, dtype=np.int64)
        ascending = np.argsort(order)
        return np.asarray(ascending[np.searchsorted(order[ascending], strands)])

    def _by_query(self, places: _Ints, strands: _Ints) -> Iterator[tuple[EncodedQuery, _Ints]]:
        """Yield queries, those alike in several strands once, and which of some places are looked at with them."""
        alike: dict[tuple[int, bytes], tuple[int, EncodedQuery]] = {}
        asked, which = self.listed.queries(places, strands)
        first = []
        for of, strand in asked:
            query = self.listed.query(of, strand)
            first.append(alike.setdefault((of, query.codes.tobytes()), (len(alike), query))[0])
        number = np.array(first, dtype=np.int64)[which]
        order = np.argsort(number, kind="stable")
        edges = np.searchsorted(number[order], np.arange(len(alike) + 1)).tolist()
        for (_, query), start, stop in zip(alike.values(), edges[:-1], edges[1:], strict=True):
            yield query, order[start:stop]

    def _compare(self, places: _Ints, of: _Ints, scores: _Ints, sums: _Ints) -> None:
        """Raise `ScoreMismatch` where alignments do not add up, or the best one of a subject not to that of the search.

        Parameters
        ----------
        of : ndarray, shape=(n,), dtype=int64
            Which of the places each alignment is of.
        scores, sums : ndarray, shape=(n,), dtype=int64
            What the alignments should have, and what their residues add up to.
        """
        hits = self.listed.hits
        best, scored = hits.scores[places].astype(np.int64), np.zeros(len(places), dtype=np.int64)
        first = _first_of(of)
        scored[of[first]] = scores[first]
        wrong = [(row, best[row], scored[row]) for row in np.flatnonzero(scored != best)[:1].tolist()]
        wrong += [(int(of[row]), scores[row], sums[row]) for row in np.flatnonzero(sums != scores)[:1].tolist()]
        if wrong:
            row, expected, actual = min(wrong)
            raise ScoreMismatch(self.listed.result.database.ids[hits.db_index[places[row]]], int(expected), int(actual))

    def _with_more(self, places: _Ints, several: NDArray[np.bool_], aligned: AlignedColumns) -> _Ints:
        """Return the places whose subjects have a second alignment within the limits, ascending.

        Parameters
        ----------
        several : ndarray, shape=(k,), dtype=bool
            Which may have one at all.
        aligned : AlignedColumns
            The best alignment of each.
        """
        listed, result = self.listed, self.listed.result
        how: dict[str, Any] = {"threads": self._threads, "check": self._check}
        wanted = np.flatnonzero(several & aligned.there)
        if not len(wanted):
            return places[wanted]
        least, best = np.maximum(self._least[places], 1), native.Paths.of_columns(aligned)
        asked, which = listed.strands(places)
        given = listed.subjects(places), result.scheme, best, least, wanted
        more = has_second([listed.query(*key) for key in asked], which, *given, **how)
        if len(result.search.strands) > 1:
            for number, (of, strand) in enumerate(asked):
                own = wanted[which[wanted] == number]
                for other in result.search.strands:
                    left = own[~more[own] & self.may_reach(places[own], other)] if other != strand else own[:0]
                    if len(left):
                        query = listed.query(of, other)
                        turned = listed.subjects(places[left], np.full(len(left), other))
                        costs = result.scheme.gap_first, result.scheme.gap_extend
                        scored = native.scores(query.scores(result.scheme), turned, *costs, gaps=query.gaps, **how)
                        more[left] = scored >= least[left]
        return places[more]

    def may_reach(self, places: _Ints, strand: int) -> NDArray[np.bool_]:
        """Return which places may hold an alignment within the limits in a strand, as far as its scores tell.

        A stopped search lists no hits on strands that it had not scored.
        """
        known, scores, unknown = self._by_strand
        number = self.listed.result.search.strands.index(strand)
        may = unknown[places] | (self.listed.hits.strands[places] == strand)
        return np.asarray(np.where(known[places], scores[number, places] >= self._least[places], may), dtype=np.bool_)

    @cached_property
    def _by_strand(self) -> tuple[NDArray[np.bool_], NDArray[np.int32], NDArray[np.bool_]]:
        """Scores of places in each strand: where known, the scores, and which others may score anything."""
        listed = self.listed
        known, scores = (
            np.zeros(len(listed), dtype=bool),
            np.zeros((len(listed.result.search.strands), len(listed)), np.int32),
        )
        edges = np.searchsorted(listed.of, np.arange(len(listed.lists) + 1)).tolist()
        for part, start, stop in zip(listed.lists, edges[:-1], edges[1:], strict=True):
            if part.query.by_strand is not None:
                own = listed.hits.db_index[start:stop]
                known[start:stop], scores[:, start:stop] = part.query.by_strand.of(own)
        whole = [part.query.subjects_scored >= len(listed.result.database) for part in listed.lists]
        return known, scores, np.array(whole, dtype=bool)[listed.of]

    def _measure(self, places: _Ints, scores: NDArray[np.int32]) -> tuple[_Floats, _Floats]:
        """Return bits and log10 of E of scores of the subjects of places."""
        given = self.listed.of[places], self.listed.hits.db_index[places], scores
        return self._statistics.measure(*given, self.listed.lists[0], self._limits)

    def _least_scores(self) -> NDArray[np.int64]:
        """Return the lowest score within the limits of each subject; above its best where nothing else can be."""
        hits = self.listed.hits
        before = hits.composition.log10_uncorrected if hits.composition else hits.log10_evalues
        given = hits.scores.astype(np.int64), before, self._statistics.lambdas[self.listed.of], self._largest
        low = lowest_within(*given, lambda *some: self._measure(*some)[1], self._correction.at_least)
        return np.maximum(low, self._limits.minimums.score)


def _first_of(places: _Ints) -> NDArray[np.bool_]:
    """Return a mask of the first of each row of equals."""
    return np.append(True, places[1:] != places[:-1])[: len(places)]


class _AlignmentReader:
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
