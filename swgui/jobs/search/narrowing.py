"""Windows of long subjects narrowed before lists are made, where an engine's device can."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import EncodedDatabase, encode_database
from swgui.core.errors import EngineFault
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.judging.ranking import Statistics, measure, vectorises_over_lengths
from swgui.core.query_range import searched_length
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


@dataclass(slots=True)
class _Asked:
    """The pairs for a device: proteins with strands of DNA, n of them."""

    proteins: list[NDArray[np.uint8]] = field(default_factory=list)
    # queries, strands, protein, least: of each pair the query it is of, its strand or reading, which of the proteins,
    # and the lowest score that is wanted; shape (n,)
    queries: list[int] = field(default_factory=list)
    strands: list[int] = field(default_factory=list)
    protein: list[int] = field(default_factory=list)
    least: list[int] = field(default_factory=list)
    windows: list[WindowScores] = field(default_factory=list)  # where each scores, by source index of its subject
    firsts: _Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))  # as of `Narrowing`

    def add(self, query: int, strand: int, protein: int, window: WindowScores, least: int) -> None:
        """Take one more, without its first codon."""
        self.queries.append(query)
        self.strands.append(strand)
        self.protein.append(protein)
        self.windows.append(window)
        self.least.append(least)


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
        packed = Subjects.stacked(asked.proteins)
        boxes = Narrowing(
            self._peaks,
            packed,
            spans_of(packed, self._of, self._scheme),
            np.array(asked.protein, dtype=np.int64),
            asked.firsts,
            asked.windows,
            np.array(asked.least, dtype=np.int64),
            by_base=shifting(self._of.translation),
        ).boxes()
        made = [dict(one) for one in windows]
        for index, strand, box in zip(asked.queries, asked.strands, boxes, strict=True):
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
        asked = _Asked()
        if not any(windows):
            return asked
        listed = [hits.take(slice(0, self._limits.top)) for hits in candidates]
        lowest = self._lowest_of_each(queries, listed, statistics)
        for index, record in enumerate(queries):
            number: dict[int, int | None] = {}  # by frame; None of what has scores by position
            for key, low in self._wanted(listed[index], windows[index], lowest[index]):
                frame = query_frame(key[1])
                if frame not in number:
                    query = encode_part(record, self._scheme, key[1], self._range, self._of.translation)
                    number[frame] = len(asked.proteins) if query.profile is None else None
                    asked.proteins += [query.codes] if query.profile is None else []
                if (protein := number[frame]) is not None:
                    asked.add(index, key[1], protein, windows[index][key], low)
        db_index = np.array([window.db_index for window in asked.windows], dtype=np.int64)
        asked.firsts = self._peaks.strands.begins(db_index, np.array(asked.strands, dtype=np.int64))
        return asked

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

    def _wanted(self, hits: HitColumns, windows: Windows, lowest: _Ints) -> list[tuple[tuple[int, int], int]]:
        """Return which windows of hits may hold something that is listed, by source index and strand, and its score."""
        found: list[tuple[tuple[int, int], int]] = []
        for db_index, low in zip(hits.db_index.tolist(), lowest.tolist(), strict=True):
            for strand in self._strands:
                one = windows.get((db_index, strand))
                if one is not None and int(one.scores.max(initial=0)) >= low and len(found) < MAX_PAIRS:
                    found.append(((db_index, strand), low))
        return found


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
        asked, several = _Asked(), self._search.max_hsps > 1
        listed = [hits.take(slice(0, MAX_PAIRS // len(self._strands))) for hits in candidates]
        numbers, start = list[int](), np.zeros(1, dtype=np.int64)
        protein: dict[int, int] = {}  # by source index
        for index, lowest in enumerate(self._lowest_of_each(queries, listed, statistics)):
            hits, number = listed[index], self._number[id(queries[index])]
            stop = np.array([self._of.bases[number]], dtype=np.int64)
            columns = hits.db_index.tolist(), hits.scores.tolist(), hits.strands.tolist(), lowest.tolist()
            for db_index, score, own, low in zip(*columns, strict=True):
                if db_index not in protein:
                    protein[db_index] = len(asked.proteins)
                    asked.proteins.append(self._database.subject(db_index))
                window = WindowScores(db_index, start, stop, np.array([score], dtype=np.int32))
                for strand in self._strands if several else (own,):
                    asked.add(index, strand, protein[db_index], window, low if several else score)
                    numbers.append(number)
        readings = [reading(0, query_frame(strand)) for strand in asked.strands]
        given = np.array(numbers, dtype=np.int64), np.array(readings, dtype=np.int64)
        asked.firsts = self._peaks.strands.begins(*given)
        return asked


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
