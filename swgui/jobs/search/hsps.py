"""All alignments of a hit's subject within the limits of the search, of both strands, best first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from heapq import merge
from itertools import islice
from threading import Lock
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, count_columns
from swgui.core.errors import ScoreMismatch, Stopped
from swgui.core.hits.aligned import AlignedColumns, HspColumns
from swgui.core.hits.ranking import choose_statistics, limits_of, measure
from swgui.core.hits.results import STRANDS, HitList
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.evalue import LN10
from swgui.core.statistics.fitting import fit_of
from swgui.engines import native
from swgui.engines.host import usable_cores
from swgui.engines.traceback.every import all_local, rest_scores
from swgui.io.statistics import load_statistics
from swgui.jobs.search.aligning import align_rows
from swgui.jobs.search.hsp_correction import HspCorrection

GROUP: Final = 256  # subjects that are worked on together
STRAIGHT: Final = 5  # steps after which a limit of E is looked for by halves
LONG_SUBJECT: Final = 100_000  # residues
_Floats = NDArray[np.float64]
_Ints = NDArray[np.int64]
_Found = list[tuple[Alignment, int]]


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
    """

    def __init__(self, listed: HitList, rows: NDArray[np.int64], check: Callable[[], None] = lambda: None) -> None:
        self._listed = listed
        self._user_check = check
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
        at_once = several & (result.database.lengths[db_index] > LONG_SUBJECT)
        alone = _Aligned(align_rows(self._listed, rows[~at_once]))
        with ThreadPoolExecutor(usable_cores(), thread_name_prefix="swgui-hsps") as pool:
            try:
                for start in range(0, len(rows), GROUP):
                    group = np.arange(start, min(start + GROUP, len(rows)))
                    running = {place: pool.submit(self._find, place) for place in group[at_once[group]].tolist()}
                    single = group[~at_once[group]]
                    aligned = alone.take(len(single))
                    more = self._with_more(single, several[single], aligned)
                    running |= {place: pool.submit(self._find, place) for place in more}
                    found = {place: running[place].result() for place in sorted(running)}
                    yield self._lines(group, single, aligned, found)
            finally:
                self._left = True
                pool.shutdown(wait=False, cancel_futures=True)

    def _lines(self, group: _Ints, single: _Ints, aligned: AlignedColumns, found: Mapping[int, _Found]) -> HspColumns:
        """Return the alignments of a group of rows.

        Parameters
        ----------
        group : ndarray of int
            Places of the rows.
        single : ndarray of int
            Those of them whose best alignments are in `aligned`.
        found : mapping of int to list
            All alignments of the others, and of those that have several, with their strands.
        """
        hits = self._listed.columns.take(self._rows[group])
        places, made, *numbers = self._listed_of(found)
        sizes = np.where(np.isin(group, places), np.bincount(places - group[0], minlength=len(group)), 1)
        hit = np.repeat(np.arange(len(group)), sizes)
        of_found = np.isin(group, places)[hit]
        order = np.empty(len(hit), dtype=np.int64)
        order[of_found] = len(aligned) + np.arange(len(places))
        order[~of_found] = np.searchsorted(single, group[hit[~of_found]])
        strands, bits, evalues = hits.strands[hit].astype(np.int64), hits.bit_scores[hit], hits.log10_evalues[hit]
        strands[of_found], bits[of_found], evalues[of_found] = numbers
        return HspColumns(hit, strands, bits, evalues, AlignedColumns.join([aligned, made]).take(order))

    def _listed_of(self, found: Mapping[int, _Found]) -> tuple[_Ints, AlignedColumns, _Ints, _Floats, _Floats]:
        """Return which row each alignment within the limit of E is of, the alignments, strands, bits and log10 of E."""
        result, hits = self._listed.result, self._listed.columns
        flat = [(place, alignment, strand) for place, of_hit in found.items() for alignment, strand in of_hit]
        places = np.array([place for place, _, _ in flat], dtype=np.int64)
        strands = np.array([strand for _, _, strand in flat], dtype=np.int64)
        if not flat:
            return places, AlignedColumns.of([]), strands, np.zeros(0), np.zeros(0)
        rows = self._rows[places]
        of_subject = {place: result.database.subject(int(hits.db_index[self._rows[place]])) for place in found}
        regions = [(alignment, self.query(strand), of_subject[place]) for place, alignment, strand in flat]
        scores = np.array([alignment.score for alignment, *_ in regions], dtype=np.int32)
        bits, evalues = self._measure(hits.db_index[rows], scores)
        evalues += self._correction.of(places, scores, regions)
        first = np.append(True, places[1:] != places[:-1])
        evalues[first] = hits.log10_evalues[rows[first]]
        kept = np.flatnonzero(first | ~(evalues > np.log10(self._limits.max_evalue)))
        some = (regions[at] for at in kept.tolist())
        made = AlignedColumns.of((one, count_columns(one, query, codes, result.scheme)) for one, query, codes in some)
        return places[kept], made, strands[kept], bits[kept], evalues[kept]

    def _check(self) -> None:
        if self._left:
            raise Stopped("The other alignments are not asked for any more.")
        self._user_check()

    def _with_more(self, places: _Ints, several: NDArray[np.bool_], aligned: AlignedColumns) -> list[int]:
        """Return the places whose subjects have a second alignment within the limits.

        Parameters
        ----------
        several : ndarray, shape=(k,), dtype=bool
            Which may have one at all.
        aligned : AlignedColumns
            The best alignment of each.
        """
        result, more = self._listed.result, []
        strands = self._listed.columns.strands[self._rows[places]]
        for strand in STRANDS[result.strand]:
            lines = np.flatnonzero(several & (strands == strand) & aligned.there)
            if not len(lines):
                continue
            subjects = self._subjects(places[lines])
            best = [pair[0] for line in lines.tolist() if (pair := aligned.pair(line))]
            second = rest_scores(self.query(strand), subjects, result.scheme, best, check=self._check)
            if second is None:
                return list(places[several & aligned.there].tolist())
            if result.strand == "both":
                profile = self.query(-strand).scores(result.scheme)
                costs = result.scheme.gap_first, result.scheme.gap_extend
                second = np.maximum(second, native.scores(profile, subjects, *costs, check=self._check))
            more += places[lines][second >= self._least[places[lines]]].tolist()
        return more

    def _subjects(self, places: _Ints) -> native.Subjects:
        db_index = self._listed.columns.db_index[self._rows[places]]
        return native.Subjects.copied(self._listed.result.database, db_index)

    def _find(self, place: int) -> _Found:
        """Return the alignments of one subject, best first, with their strands."""
        result, row = self._listed.result, int(self._rows[place])
        codes = result.database.subject(int(self._listed.columns.db_index[row]))
        return list(islice(self._alignments(place, codes), result.max_hsps))

    def _alignments(self, place: int, codes: NDArray[np.uint8]) -> Iterator[tuple[Alignment, int]]:
        """Yield alignments and their strands, best first; of equals those of the hit's strand come first."""
        result, hits, row = self._listed.result, self._listed.columns, self._rows[place]
        best, own, db_index = int(hits.scores[row]), int(hits.strands[row]), int(hits.db_index[row])
        name, least = result.database.ids[db_index], int(self._least[place])
        windows = self._listed.query.windows

        def of_strand(strand: int) -> Iterator[tuple[Alignment, int]]:
            known = windows.get((db_index, strand))
            found = all_local(
                self.query(strand),
                codes,
                result.scheme,
                least,
                subject_id=name,
                windows=known,
                check=self._check,
            )
            return ((alignment, strand) for alignment in found)

        strands = sorted(STRANDS[result.strand], key=lambda strand: strand != own)
        every = merge(*map(of_strand, strands), key=lambda one: -one[0].score)
        first = next(every, None)
        if first is None or first[0].score != best:
            raise ScoreMismatch(name, best, first[0].score if first else 0)
        yield first
        yield from every

    def _measure(self, db_index: NDArray[np.int64], scores: NDArray[np.int32]) -> tuple[_Floats, _Floats]:
        database = self._listed.result.database
        return measure(self._length, db_index, scores, database, self._statistics, self._limits)

    def _least_scores(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the lowest score within the limits of each subject; above its best where nothing else can be."""
        hits = self._listed.columns
        best = hits.scores[rows].astype(np.int64)
        if self._statistics is None:
            return best + 1
        low, high, tried, step = np.ones_like(best), best + 1, best, 0
        slope = np.maximum(self._statistics.lambda_ / LN10 - self._correction.at_least, 1e-3)
        while (low < high).any():
            # Rows that are settled ask for a score that is theirs already.
            _, found = self._measure(hits.db_index[rows], tried.astype(np.int32))
            above = found + self._correction.at_least * tried - np.log10(self._limits.max_evalue)
            within, open_ = above <= 0, low < high
            high = np.where(within & open_, tried, high)
            low = np.where(~within & open_, tried + 1, low)
            # log10 of E falls with a straight line, nearly: two steps along it and one aside are enough for most.
            straight = tried + np.nan_to_num(np.ceil(above / slope), posinf=0, neginf=0).astype(np.int64)
            straight = np.where(straight == tried, tried - within, straight)
            step += 1
            tried = np.clip(straight, low, np.maximum(high - 1, low)) if step < STRAIGHT else (low + high) // 2
        return np.maximum(low, self._limits.minimums.score)


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
