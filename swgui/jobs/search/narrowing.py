"""Windows of long subjects narrowed before lists are made, where an engine's device can."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import EngineFault
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import WindowScores, distinct, highest
from swgui.core.judging.ranking import Statistics, measure, vectorises_over_lengths
from swgui.core.query_range import searched_length
from swgui.core.ranges import concatenated_ranges, range_offsets
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.stretches import Subjects
from swgui.core.translation.database import TranslatedDatabase, searched
from swgui.core.translation.frames import query_frame, reading
from swgui.core.translation.peaks import StrandPeaks
from swgui.core.translation.programs import Translation, shifting
from swgui.engines.base import DeviceEngine
from swgui.engines.narrowing import Narrowing, can_narrow, spans_of
from swgui.jobs.search.least import lowest_within
from swgui.jobs.search.ranking import Windows

log = logging.getLogger(__name__)

MAX_PAIRS: Final = 20_000  # pairs of a subject and a frame that are looked at for a query
_Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """The pairs for a device: proteins with strands of DNA, n of them."""

    proteins: Subjects
    # of, queries, strands, least: of each pair which of the proteins, the query it is of, its strand or reading, and
    # the lowest score that is wanted; shape (n,)
    of: _Ints
    queries: _Ints
    strands: _Ints
    least: _Ints
    windows: Sequence[WindowScores]  # where each scores, by source index of its subject
    firsts: _Ints  # as of `Narrowing`


class WindowNarrower:
    """Narrows windows of a search of DNA; several threads may ask.

    Parameters
    ----------
    peaks : StrandPeaks
        What finds them on a device, until its engine is closed.
    database : EncodedDatabase
        What is searched.
    strands : TranslatedDatabase
        The DNA in which `peaks` are found.
    """

    def __init__(
        self,
        peaks: StrandPeaks,
        database: EncodedDatabase,
        strands: TranslatedDatabase,
        scheme: ScoringScheme,
        search: Search,
    ) -> None:
        self._peaks, self._database, self._of, self._scheme = peaks, database, strands, scheme
        self._search, self._limits, self._strands, self._range = (
            search,
            search.limits,
            search.strands,
            search.query_range,
        )
        self._failed = False

    def narrowed(
        self,
        queries: Sequence[SequenceRecord],
        candidates: Sequence[HitColumns],
        statistics: Sequence[Statistics | None],
        windows: Sequence[Windows],
    ) -> list[Windows]:
        """Return the windows of some queries, of the best candidates as boxes; all as they are after a fault.

        Parameters
        ----------
        candidates : sequence of HitColumns
            What may be listed of each query, in order, with E before any correction.
        statistics : sequence of KarlinAltschul, FittedStatistics or None
            What E was computed with.
        windows : sequence of mapping of (int, int) to WindowScores
            Where long subjects score, by source index and strand.
        """
        if self._failed:
            return list(windows)
        try:
            return self._narrowed(queries, candidates, statistics, windows)
        except EngineFault as fault:
            self._failed = True
            log.info("Windows are narrowed on the CPU: %s", fault)
            return list(windows)

    def _narrowed(
        self,
        queries: Sequence[SequenceRecord],
        candidates: Sequence[HitColumns],
        statistics: Sequence[Statistics | None],
        windows: Sequence[Windows],
    ) -> list[Windows]:
        asked = self._asked(queries, candidates, statistics, windows)
        if not asked.windows:
            return list(windows)
        given = asked.of, asked.firsts, asked.windows, asked.least
        spans = spans_of(asked.proteins, self._of, self._scheme)
        shifts = shifting(self._of.translation)
        boxes = Narrowing(self._peaks, asked.proteins, spans, *given, by_base=shifts).boxes()
        made = [dict(one) for one in windows]
        for index, strand, box in zip(asked.queries.tolist(), asked.strands.tolist(), boxes, strict=True):
            if box.least:
                made[index][box.db_index, strand] = box
        return list(made)

    def _asked(
        self,
        queries: Sequence[SequenceRecord],
        candidates: Sequence[HitColumns],
        statistics: Sequence[Statistics | None],
        windows: Sequence[Windows],
    ) -> _Asked:
        """Return the pairs for a device: windows of subjects that may hold listed alignments."""
        listed = [hits.take(slice(0, self._limits.top)) for hits in candidates] if any(windows) else []
        lowest = self._lowest_of_each(queries, listed, statistics) if listed else []
        found = self._wanted(listed, windows, lowest)
        number: dict[tuple[int, int], int | None] = {}  # by query and frame; None of what has scores by position
        codes: list[NDArray[np.uint8]] = []
        rows = list[tuple[int, int, int, int]]()
        kept = list[WindowScores]()
        for index, strand, low, window in found:
            key = index, query_frame(strand)
            if key not in number:
                query = encode_part(queries[index], self._scheme, strand, self._range, self._of.translation)
                number[key] = len(codes) if query.profile is None else None
                codes += [query.codes] if query.profile is None else []
            if (protein := number[key]) is not None:
                rows.append((protein, index, strand, low))
                kept.append(window)
        of, asked_of, strands, least = np.array(rows, dtype=np.int64).reshape(-1, 4).T
        db_index = np.array([window.db_index for window in kept], dtype=np.int64)
        firsts = self._peaks.strands.begins(db_index, strands) if rows else db_index
        return _Asked(Subjects.stacked(codes), of, asked_of, strands, least.copy(), kept, firsts)

    def _lowest_of_each(
        self, queries: Sequence[SequenceRecord], listed: Sequence[HitColumns], statistics: Sequence[Statistics | None]
    ) -> list[_Ints]:
        """Return the lowest score of each hit that may be listed; queries with the same statistics go together."""
        alike: dict[Statistics | None, list[int]] = {}
        for index, by in enumerate(statistics):
            alike.setdefault(by if vectorises_over_lengths(by) else None, []).append(index)
        groups = [([index], statistics[index]) for index in alike.pop(None, [])]
        groups += [(some, by) for by, some in alike.items()]
        lowest: dict[int, _Ints] = {}
        for some, by in groups:
            found = self._lowest([queries[index] for index in some], [listed[index] for index in some], by)
            lowest.update(zip(some, found, strict=True))
        return [lowest[index] for index in range(len(queries))]

    def _lowest(
        self, queries: Sequence[SequenceRecord], listed: Sequence[HitColumns], by: Statistics | None
    ) -> list[_Ints]:
        """Return the lowest score of each hit that may be listed; queries have the same statistics."""
        sizes = [len(hits) for hits in listed]
        how = self._search.translation
        each = [searched_length(record, self._range, how) for record in queries]
        lengths, hits = np.repeat(np.array(each, dtype=np.int64), sizes), HitColumns.join(list(listed))

        def evalues(places: _Ints, scores: NDArray[np.int32]) -> NDArray[np.float64]:
            several = lengths[places] if len(each) > 1 else each[0]
            return measure(several, hits.db_index[places], scores, self._database, by, self._limits)[1]

        best, limit = hits.scores.astype(np.int64), float(np.log10(self._limits.max_evalue))
        low = lowest_within(best, hits.log10_evalues, by.lambda_ if by else np.nan, limit, evalues)
        low = np.clip(np.maximum(low, self._limits.minimums.score), 1, np.maximum(best, 1))
        return np.split(low, np.cumsum(sizes)[:-1])

    def _wanted(
        self, listed: Sequence[HitColumns], windows: Sequence[Windows], lowest: Sequence[_Ints]
    ) -> list[tuple[int, int, int, WindowScores]]:
        """Return which windows of hits may hold something that is listed, with the query, the strand and the score."""
        found = [
            (index, strand, low, window)
            for index, (hits, low_of) in enumerate(zip(listed, lowest, strict=True))
            for db_index, low in zip(hits.db_index.tolist(), low_of.tolist(), strict=True)
            for strand in self._strands
            if (window := windows[index].get((db_index, strand))) is not None
        ]
        enough = highest([window for *_, window in found]) >= np.array([low for _, _, low, _ in found], dtype=np.int64)
        kept = [one for one, there in zip(found, enough.tolist(), strict=True) if there]
        if len(kept) <= MAX_PAIRS:
            return kept
        of = np.array([index for index, *_ in kept], dtype=np.int64)
        rank = np.arange(len(of)) - np.searchsorted(of, of)
        return [kept[number] for number in np.flatnonzero(rank < MAX_PAIRS).tolist()]


class ReadNarrower(WindowNarrower):
    """Finds where on reads proteins of a database score: the DNA is that of the queries, whose reading may shift.

    All candidates of a read are looked at, since E of all of them is corrected by where their alignments lie.
    """

    def __init__(
        self,
        peaks: StrandPeaks,
        database: EncodedDatabase,
        reads: TranslatedDatabase,
        scheme: ScoringScheme,
        search: Search,
        queries: Sequence[SequenceRecord],
    ) -> None:
        super().__init__(peaks, database, reads, scheme, search)
        self._number = {id(record): number for number, record in enumerate(queries)}

    def _asked(
        self,
        queries: Sequence[SequenceRecord],
        candidates: Sequence[HitColumns],
        statistics: Sequence[Statistics | None],
        windows: Sequence[Windows],
    ) -> _Asked:
        """Return the pairs for a device: each candidate with both strands, or with its own if it has one alignment."""
        several = self._search.max_hsps > 1
        listed = [hits.take(slice(0, MAX_PAIRS // len(self._strands))) for hits in candidates]
        lowest, hits = self._lowest_of_each(queries, listed, statistics), HitColumns.join(listed)
        index = np.repeat(np.arange(len(listed)), [len(some) for some in listed])
        numbers = np.array([self._number[id(record)] for record in queries], dtype=np.int64)
        different = distinct(hits.db_index)
        windows_of = self._whole(hits, self._of.bases[numbers[index]].astype(np.int64))
        times = len(self._strands) if several else 1
        pair = np.repeat(np.arange(len(hits)), times)
        strands = np.tile(np.array(self._strands, np.int64), len(hits)) if several else hits.strands.astype(np.int64)
        turned = {strand: reading(0, query_frame(strand)) for strand in self._strands}
        readings = np.array([turned[strand] for strand in strands.tolist()], dtype=np.int64)
        least = np.concatenate(lowest) if several else hits.scores.astype(np.int64)
        return _Asked(
            self._proteins(different),
            np.searchsorted(different, hits.db_index)[pair],
            index[pair],
            strands,
            least[pair],
            [windows_of[number] for number in pair.tolist()],
            self._peaks.strands.begins(numbers[index][pair], readings),
        )

    def _proteins(self, db_index: _Ints) -> Subjects:
        """Return proteins of the database, and nothing else of it, since a device gets all of their codes."""
        some = Subjects.of(self._database, db_index)
        offsets = range_offsets(some.lengths)
        return Subjects.packed(some.codes[concatenated_ranges(some.starts, some.lengths)], offsets)

    @staticmethod
    def _whole(hits: HitColumns, bases: _Ints) -> list[WindowScores]:
        """Return the whole read as the window of each hit."""
        nothing, scores = np.zeros(1, dtype=np.int64), hits.scores.astype(np.int32)
        return [
            WindowScores(db_index, nothing, bases[number : number + 1], scores[number : number + 1])
            for number, db_index in enumerate(hits.db_index.tolist())
        ]


def narrower_of(
    engine: DeviceEngine,
    database: EncodedDatabase,
    scheme: ScoringScheme,
    search: Search,
    queries: Sequence[SequenceRecord],
) -> WindowNarrower | None:
    """Return the function that narrows the windows of a search on the device of an engine; None if there is none.

    Parameters
    ----------
    queries : sequence of SequenceRecord
        All queries of the search.
    """
    if can_narrow(database) and search.max_hsps > 1:
        peaks = engine.peaks_of(database, scheme)
        return None if peaks is None else WindowNarrower(peaks, database, database, scheme, search)
    reads = _reads(database, scheme, search, queries)
    peaks = engine.peaks_of(reads, scheme) if reads is not None else None
    return None if peaks is None or reads is None else ReadNarrower(peaks, database, reads, scheme, search, queries)


def _reads(
    database: EncodedDatabase, scheme: ScoringScheme, search: Search, queries: Sequence[SequenceRecord]
) -> TranslatedDatabase | None:
    """Return the queries as DNA that proteins are compared with; None where they are not that, or only in part."""
    how = search.translation
    if how is None or not shifting(how) or not how.of.translates_query or search.query_range is not None:
        return None
    if not np.array_equal(scheme.matrix.scores, scheme.matrix.scores.T):  # rows are to be those of proteins
        return None
    turned = Translation("tblastn", subject_code=how.query_code, frames=how.frames, shift=how.shift)
    reads = searched(encode_database(queries, NUCLEOTIDE, "reads"), turned)
    return reads if can_narrow(reads) else None
