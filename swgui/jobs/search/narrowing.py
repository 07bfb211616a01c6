"""Windows of long subjects narrowed before lists are made, where an engine's device can."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.ranking import Statistics, in_one_go, measure
from swgui.core.hits.results import HitColumns
from swgui.core.hits.stretches import Subjects
from swgui.core.query_range import searched_length
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.translation.database import TranslatedDatabase
from swgui.core.translation.frames import query_frame
from swgui.core.translation.peaks import StrandPeaks
from swgui.core.translation.programs import shifting
from swgui.engines.base import DeviceEngine
from swgui.engines.narrowing import Narrowing, can_narrow, spans_of
from swgui.jobs.search.least import lowest_within
from swgui.jobs.search.ranking import Windows

log = logging.getLogger(__name__)

MAX_PAIRS: Final = 20_000  # pairs of a subject and a frame that are looked at for a query
_Ints = NDArray[np.int64]


class WindowNarrower:
    """Narrows windows of a search; several threads may ask.

    Parameters
    ----------
    peaks : StrandPeaks
        What finds them on a device, until its engine is closed.
    """

    def __init__(self, peaks: StrandPeaks, database: TranslatedDatabase, scheme: ScoringScheme, search: Search) -> None:
        self._peaks, self._database, self._scheme = peaks, database, scheme
        self._limits, self._strands, self._range = search.limits, search.strands, search.query_range
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
        if self._failed or not any(windows):
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
        listed = [hits.take(slice(0, self._limits.top)) for hits in candidates]
        lowest = self._lowest_of_each(queries, listed, statistics)
        proteins: list[NDArray[np.uint8]] = []
        of, least, keys = [], [], []
        for index, record in enumerate(queries):
            number: dict[int, int | None] = {}  # by frame; None of what has scores by position
            for key, low in self._wanted(listed[index], windows[index], lowest[index]):
                frame = query_frame(key[1])
                if frame not in number:
                    query = encode_part(record, self._scheme, key[1], self._range, self._database.translation)
                    number[frame] = len(proteins) if query.profile is None else None
                    proteins += [query.codes] if query.profile is None else []
                if (protein := number[frame]) is not None:
                    of.append(protein)
                    least.append(low)
                    keys.append((index, key))
        if not keys:
            return list(windows)
        packed = Subjects.stacked(proteins)
        db_index, strands = np.array([key for _, key in keys], dtype=np.int64).T
        boxes = Narrowing(
            self._peaks,
            packed,
            spans_of(packed, self._database, self._scheme),
            np.array(of, dtype=np.int64),
            self._peaks.strands.begins(db_index, strands),
            [windows[index][key] for index, key in keys],
            np.array(least, dtype=np.int64),
            by_base=shifting(self._database.translation),
        ).boxes()
        made = [dict(one) for one in windows]
        for (index, key), box in zip(keys, boxes, strict=True):
            made[index][key] = box
        return list(made)

    def _lowest_of_each(
        self, queries: Sequence[SequenceRecord], listed: Sequence[HitColumns], statistics: Sequence[Statistics | None]
    ) -> list[_Ints]:
        """Return the lowest score of each hit that may be listed; queries with the same statistics go together."""
        alike: dict[Statistics | None, list[int]] = {}
        for index, by in enumerate(statistics):
            alike.setdefault(by if in_one_go(by) else None, []).append(index)
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
        how = self._database.translation
        each = [searched_length(record, self._range, how) for record in queries]
        lengths, hits = np.repeat(np.array(each, dtype=np.int64), sizes), HitColumns.join(list(listed))

        def evalues(places: _Ints, scores: NDArray[np.int32]) -> NDArray[np.float64]:
            several = lengths[places] if len(each) > 1 else each[0]
            return measure(several, hits.db_index[places], scores, self._database, by, self._limits)[1]

        best, limit = hits.scores.astype(np.int64), float(np.log10(self._limits.max_evalue))
        low = lowest_within(best, hits.log10_evalues, by, limit, evalues)
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


def narrower_of(
    engine: DeviceEngine, database: EncodedDatabase, scheme: ScoringScheme, search: Search
) -> WindowNarrower | None:
    """Return what narrows the windows of a search on the device of an engine; None where nothing can."""
    peaks = engine.peaks_of(database, scheme) if can_narrow(database) else None
    return None if peaks is None or not can_narrow(database) else WindowNarrower(peaks, database, scheme, search)
