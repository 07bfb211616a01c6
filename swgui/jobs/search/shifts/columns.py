"""Alignments with frameshifts as columns of a list of hits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, AlignmentCounts, count_columns, spell_out
from swgui.core.control import Check
from swgui.core.frameshift import Shifted, oriented
from swgui.core.hits.aligned import AlignedColumns, HspColumns
from swgui.core.hits.results import HitList
from swgui.core.hits.stretches import Subjects
from swgui.core.query_range import positions_within
from swgui.core.scoring import EncodedQuery
from swgui.core.statistics.composition import bits_after
from swgui.engines.native.correction import HOST
from swgui.jobs.search.aligning import ListedRows
from swgui.jobs.search.hsps import HspFinder, correction_of
from swgui.jobs.search.shifts.finding import Place, PlaceFinder

GROUP: Final = 256  # subjects that are worked on together


class ShiftedHsps(HspFinder):
    """Finds the alignments of the subjects of lists of a search with frameshifts; parameters as of `HspFinder`."""

    def columns(self) -> Iterator[tuple[int, HspColumns]]:
        """Yield the alignments of some hundred places at a time, in their order, the first that of the hit's score.

        With those of a list comes its number.
        """
        listed, most = self._listed, self._listed.result.search.max_hsps
        best = listed.hits.scores.astype(np.int64)
        least = np.maximum(best, 1)
        if most > 1 and len(listed):
            self._correction = correction_of(listed, self._statistics)
            least = np.clip(self._least_scores(), 1, least)
        self._least = least
        for number, one in enumerate(listed.lists):
            places = np.flatnonzero(listed.of == number)
            finder = self._finder(one)
            for start in range(0, len(places), GROUP):
                group = places[start : start + GROUP]
                scoring = group[best[group] > 0]
                may_reach = partial(self._may_reach, scoring) if most > 1 else None
                found = finder.places(listed.hits.take(scoring), least[scoring], most, may_reach)
                yield number, self._columns_of(group, dict(zip(scoring.tolist(), found, strict=True)))

    def _finder(self, listed: HitList) -> PlaceFinder:
        result = listed.result
        queries = {strand: result.searched_query(listed.query_index, strand) for strand in result.search.strands}
        windows = listed.query.windows
        return PlaceFinder(queries, result.searched, result.scheme, windows, self._user_check, self._threads)

    def _columns_of(self, group: NDArray[np.int64], found: dict[int, list[Place]]) -> HspColumns:
        """Return the alignments of a group of places of a list that are within the limit of E."""
        hits = self._listed.hits.take(group)
        flat = [(at, place) for at in group.tolist() for place in found.get(at, [])]
        hit = np.array(
            sorted([at for at, _ in flat] + [at for at in group.tolist() if at not in found]), dtype=np.int64
        )
        strands, bits, evalues = (
            values[hit - group[0]] for values in (hits.strands.astype(np.int64), hits.bit_scores, hits.log10_evalues)
        )
        lines = np.flatnonzero(np.isin(hit, list(found)))
        made = [self._counted(at, place) for at, place in flat]
        if flat:
            places = hit[lines]
            scores = np.array([one.alignment.score for one in made], dtype=np.int32)
            of_query, other = (Subjects.stacked([one.codes[side] for one in made]) for side in (0, 1))
            first = np.append(True, places[1:] != places[:-1])
            of_bits, of_evalues = self._measure(places, scores)
            if self._listed.result.search.max_hsps > 1:
                grown = self._correction.loss(places, scores, of_query, other, HOST)
                of_bits, of_evalues = bits_after(of_bits, grown), of_evalues + grown
            strands[lines] = [place.reading for _, place in flat]
            bits[lines] = np.where(first, bits[lines], of_bits)
            evalues[lines] = np.where(first, evalues[lines], of_evalues)
        pairs: list[tuple[Alignment, AlignmentCounts] | None] = [None] * len(hit)
        for line, one in zip(lines.tolist(), made, strict=True):
            pairs[line] = one.alignment, one.counts
        columns = HspColumns(hit - group[0], strands, bits, evalues, AlignedColumns.of(pairs))
        return columns.take((columns.hsp == 0) | ~(evalues > np.log10(self._limits.max_evalue)))

    def _counted(self, at: int, place: Place) -> _Counted:
        """Return an alignment with its counts, and what it aligns of either side."""
        self._user_check()
        listed = self._listed
        alignment = oriented(self._whole(at, place), dna_query=self._dna_query)
        query = listed.query(int(listed.of[at]), place.reading)
        subject = listed.result.searched.reading(int(listed.hits.db_index[at]), place.reading)
        spans = (alignment.query_start, alignment.query_end), (alignment.subject_start, alignment.subject_end)
        codes = tuple(whole[start:end] for whole, (start, end) in zip((query.codes, subject), spans, strict=True))
        within = replace(
            alignment,
            query_start=0,
            query_end=alignment.query_end - alignment.query_start,
            subject_start=0,
            subject_end=alignment.subject_end - alignment.subject_start,
        )
        part = EncodedQuery(query.id, codes[0], strand=place.reading)
        columns = spell_out(within)
        read = codes[0][columns.query[columns.query >= 0]], codes[1][columns.subject[columns.subject >= 0]]
        return _Counted(alignment, count_columns(within, part, codes[1], listed.result.scheme, columns), read)

    def _whole(self, at: int, place: Place) -> Shifted:
        """Return an alignment with part of a query at the positions of the whole query."""
        part = self._listed.result.search.query_range
        if part is None:
            return place.path
        residues = self._listed.lists[int(self._listed.of[at])].query.query.residues
        start = positions_within(part, len(residues), place.reading).start
        return place.path.moved(start) if self._dna_query else place.path.moved(0, start)

    @property
    def _dna_query(self) -> bool:
        translation = self._listed.result.translation
        return translation is not None and translation.of.translates_query


def best_columns(
    listed: HitList, rows: NDArray[np.int64], threads: int = 0, check: Check = lambda: None
) -> Iterator[AlignedColumns]:
    """Yield the best alignments of the rows of a list, some hundred at a time; as `align_rows`."""
    search = replace(listed.result.search, max_hsps=1)
    alone = HitList(replace(listed.result, search=search), listed.query_index, listed.columns)
    return (columns.aligned for _, columns in ShiftedHsps(ListedRows([alone], [rows]), check, threads).columns())


@dataclass(frozen=True, slots=True, eq=False)
class _Counted:
    """An alignment with its counts, and the residues of query and subject that it reads."""

    alignment: Alignment
    counts: AlignmentCounts
    codes: tuple[NDArray[np.uint8], NDArray[np.uint8]]
