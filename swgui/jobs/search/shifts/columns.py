"""Alignments with frameshifts as columns of a list of hits."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.frameshift import ShiftOp
from swgui.core.frameshift.alignment import TURNED
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import HitList
from swgui.core.plain import replace
from swgui.core.query_range import positions_within
from swgui.core.statistics.composition import bits_after
from swgui.core.translation.genetic_codes import CODON
from swgui.engines.native.correction import HOST
from swgui.engines.native.shifting import totals
from swgui.jobs.search.hsps import HspFinder
from swgui.jobs.search.list_statistics import correction_of
from swgui.jobs.search.listed_rows import ListedRows
from swgui.jobs.search.shifts.finding import ShiftAlignments, ShiftFinder

_Ints = NDArray[np.int64]


class ShiftedHsps(HspFinder):
    """Finds the alignments of the subjects of lists of a search with frameshifts; parameters as of `HspFinder`."""

    def columns(self) -> Iterator[AlignedColumns]:
        """Yield the alignments of some hundred places at a time, in their order, the first that of the hit's score."""
        listed, most = self.listed, self.listed.result.search.max_hsps
        best = listed.hits.scores.astype(np.int64)
        least = np.maximum(best, 1)
        if most > 1 and len(listed):
            self._correction = correction_of(listed, self._statistics)
            least = np.clip(self._least_scores(), 1, least)
        self._least = least
        finder = self._finder()
        for start in range(0, len(listed), listed.batch):
            group = np.arange(start, min(start + listed.batch, len(listed)))
            scoring, alignments = group[best[group] > 0], None
            if len(scoring):
                may_reach = partial(self.may_reach, scoring) if most > 1 else None
                given = listed.hits.take(scoring), listed.of[scoring], least[scoring]
                alignments = finder.find(*given, most, may_reach)
            yield self._columns_of(group, scoring, alignments)

    def _finder(self) -> ShiftFinder:
        result, lists = self.listed.result, self.listed.lists
        queries = [
            {strand: result.searched_query(part.query_index, strand) for strand in result.search.strands}
            for part in lists
        ]
        windows = [part.query.windows for part in lists]
        return ShiftFinder(queries, result.searched, result.scheme, windows, self._check, self._threads)

    def _columns_of(self, group: _Ints, scoring: _Ints, alignments: ShiftAlignments | None) -> AlignedColumns:
        """Return the alignments of a group of places that are within the limit of E.

        Parameters
        ----------
        scoring : ndarray of int
            Those of the places that have any; hits of `alignments` are positions in it.
        """
        hits, aligned = self.listed.hits.take(group), [AlignedColumns.of([None])]
        places = scoring[alignments.hits] if alignments else scoring[:0]
        counts = np.bincount(places - group[0], minlength=len(group))
        hit = np.repeat(np.arange(len(group)), np.maximum(counts, 1))
        strands, bits, evalues = hits.strands[hit].astype(np.int64), hits.bit_scores[hit], hits.log10_evalues[hit]
        lines, order = np.flatnonzero(counts[hit] > 0), np.zeros(len(hit), dtype=np.int64)
        if alignments:
            order[lines] = 1 + np.arange(len(lines))
            scores = alignments.paths.regions.scores.astype(np.int32)
            first = np.append(True, places[1:] != places[:-1])
            of_bits, of_evalues = self._measure(places, scores)
            if self.listed.result.search.max_hsps > 1:
                sides = (
                    (alignments.codons, alignments.residues)
                    if self._dna_query
                    else (alignments.residues, alignments.codons)
                )
                grown = self._correction.loss(places, scores, *sides, HOST)
                of_bits, of_evalues = bits_after(of_bits, grown), of_evalues + grown
            strands[lines] = alignments.readings
            bits[lines] = np.where(first, bits[lines], of_bits)
            evalues[lines] = np.where(first, evalues[lines], of_evalues)
            aligned.append(self._aligned(places, alignments))
        columns = AlignedColumns.join(aligned).take(order).of_hits(hit, strands, bits, evalues)
        return columns.take(np.flatnonzero((columns.hsp == 0) | ~(evalues > np.log10(self._limits.max_evalue))))

    def _aligned(self, places: _Ints, alignments: ShiftAlignments) -> AlignedColumns:
        """Return alignments with their counts, at positions of whole queries and subjects."""
        paths, of_query = alignments.paths, self._starts_of_queries(places, alignments.readings)
        regions = paths.regions.moved(0, of_query) if self._dna_query else paths.regions.moved(of_query, 0)
        lengths = paths.lengths.astype(np.int64)
        shifts = np.isin(paths.ops, (ShiftOp.SKIP, ShiftOp.AGAIN))
        pairs, gaps = paths.ops == ShiftOp.PAIR, np.isin(paths.ops, (ShiftOp.RESIDUE, ShiftOp.CODON))
        columns, paired, in_gaps = (totals(paths, lengths * some) for some in (~shifts, pairs, gaps))
        protein = regions.query_start, regions.query_end
        strand = regions.subject_start, regions.subject_end
        query, subject = (strand, protein) if self._dna_query else (protein, strand)
        numbers = {
            "score": regions.scores,
            "query_start": query[0],
            "query_end": query[1],
            "subject_start": subject[0],
            "subject_end": subject[1],
            "length": columns,
            "nident": alignments.sums[:, 1],
            "positive": alignments.sums[:, 2],
            "mismatch": paired - alignments.sums[:, 1],
            "gaps": in_gaps,
            "gapopen": totals(paths, gaps.astype(np.int64)),
            "query_span": query[1] - query[0],
            "subject_span": subject[1] - subject[0],
            "frameshifts": totals(paths, shifts.astype(np.int64)),
        }
        ops = TURNED[paths.ops] if self._dna_query else paths.ops
        return AlignedColumns.counted(
            numbers, ops, lengths, paths.offsets, (CODON, 1) if self._dna_query else (1, CODON)
        )

    def _starts_of_queries(self, places: _Ints, readings: _Ints) -> _Ints:
        """Return where the part of its query that was searched with begins, of each alignment."""
        part, starts = self.listed.result.search.query_range, np.zeros(len(places), dtype=np.int64)
        if part is None:
            return starts
        asked, which = self.listed.queries(places, readings)
        for number, (of, reading) in enumerate(asked):
            residues = self.listed.lists[of].query.query.residues
            starts[which == number] = positions_within(part, len(residues), reading).start
        return starts

    @property
    def _dna_query(self) -> bool:
        translation = self.listed.result.translation
        return translation is not None and translation.of.translates_query


def best_columns(listed: HitList, rows: NDArray[np.int64], check: Check) -> Iterator[AlignedColumns]:
    """Yield the best alignments of the rows of a list, some hundred at a time; as `limits.align_rows`."""
    search = replace(listed.result.search, max_hsps=1)
    alone = HitList(replace(listed.result, search=search), listed.query_index, listed.columns)
    return ShiftedHsps(ListedRows([alone], [rows]), check, 0).columns()
