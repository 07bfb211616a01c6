"""E-values corrected for composition: a ranked list, hit by hit, until it cannot change any more.

Every E that is corrected is at least what it was, so a list is put together from the front: subjects in the order of
the E that their whole sequences allow, until the worst of those listed is better than all that are left.

A pair's E depends on the pair, the scheme and the size of the database alone: shuffles are drawn from a seed that the
aligned region of the subject gives, so engine, device, threads and order do not matter.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import EncodedDatabase
from swgui.core.errors import Stopped
from swgui.core.hits.ranking import Limits, Statistics, in_order
from swgui.core.hits.regions import Regions
from swgui.core.hits.results import CompositionColumns, Correction, HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.composition import REGION_PSEUDO, WHOLE_PSEUDO, LambdaScale, loss
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.engines.host import usable_cores
from swgui.engines.native import composition, scoring
from swgui.engines.native.subjects import Subjects
from swgui.jobs.search.region_shuffles import RegionPairs, chances_of

STAGE: Final = "Correcting for composition"
LONGEST_WHOLE: Final = 200_000  # residues of which a whole sequence's composition is told; of chromosomes none is
BATCH: Final = 256  # subjects corrected between two looks at Stop

Progress = Generator[tuple[int, int], None, HitColumns]


class Corrector:
    """Corrects the hits of one query.

    Parameters
    ----------
    kind : {"lambda", "full"}
        By lambda alone, or by shuffles as well.
    queries : Mapping[int, EncodedQuery]
        What was searched with, by strand.
    database : EncodedDatabase
    scheme : ScoringScheme
    statistics : KarlinAltschul or FittedStatistics
        What E was computed with.
    limits : Limits
    cancel : threading.Event
    threads : int
        0 for all cores.
    windows : mapping of (int, int) to WindowScores
        Where long subjects score, by source index and strand, as far as it is known.
    """

    def __init__(
        self,
        kind: Correction,
        queries: Mapping[int, EncodedQuery],
        database: EncodedDatabase,
        scheme: ScoringScheme,
        statistics: Statistics,
        limits: Limits,
        cancel: threading.Event,
        threads: int = 0,
        windows: Mapping[tuple[int, int], WindowScores] = MappingProxyType({}),
    ) -> None:
        self._kind = kind
        self._queries = queries
        self._database = database
        self._scheme = scheme
        self._scale = statistics.lambda_
        self._limits = limits
        self._cancel = cancel
        self._windows = windows
        self._threads = threads or usable_cores()
        self._lambdas = scale_of(statistics, scheme, next(iter(queries.values())))

    def best(self, hits: HitColumns, top: int) -> Progress:
        """Return the first `top` hits of the corrected list, in order; yields (done, total) candidates meanwhile.

        Parameters
        ----------
        hits : HitColumns
            All subjects within the E limit before the correction.

        Raises
        ------
        Stopped
            Once `cancel` is set.
        """
        whole = self._ratios_whole(hits)
        least = hits.log10_evalues + loss(self._scale, hits.scores, whole)
        limit = float(np.log10(self._limits.max_evalue))
        order = np.argsort(least, kind="stable")
        order = order[least[order] <= limit]
        kept: list[HitColumns] = []
        found = np.zeros(0)
        done = 0
        while done < len(order):
            if len(found) >= top and np.partition(found, top - 1)[top - 1] < least[order[done]]:
                break
            yield done, len(order)
            rows = order[done : done + BATCH]
            part = self._corrected(hits.take(rows), whole[rows], limit)
            part = part.take(part.log10_evalues <= limit)
            kept.append(part)
            found = np.concatenate([found, part.log10_evalues])
            done += len(rows)
        if not kept:
            return uncorrected(hits.take(slice(0, 0)))
        yield len(order), len(order)
        return in_order(HitColumns.join(kept)).take(slice(0, top))

    def all_of(self, hits: HitColumns) -> HitColumns:
        """Return the same hits in the same order, whatever their E; errors as for `best`."""
        return self._corrected(hits, self._ratios_whole(hits), np.inf)

    def _check(self) -> None:
        if self._cancel.is_set():
            raise Stopped("Correcting for composition was stopped.")

    def _ratios_whole(self, hits: HitColumns) -> NDArray[np.float64]:
        return ratios_whole(self._lambdas, self._queries, self._database, hits, self._check)

    def _corrected(self, hits: HitColumns, whole: NDArray[np.float64], limit: float) -> HitColumns:
        ratios, z, regions = whole.copy(), np.full(len(hits), np.nan), Regions.unknown(len(hits))
        evalues = hits.log10_evalues + loss(self._scale, hits.scores, ratios)
        for strand, query in self._queries.items():
            rows = np.flatnonzero((hits.strands == strand) & (hits.scores > 0) & np.isfinite(hits.log10_evalues))
            self._check()
            if len(rows):
                self._correct_strand(query, hits, rows, limit, ratios, evalues, z, regions)
        by = CompositionColumns(hits.log10_evalues, ratios, z)
        return replace(hits, log10_evalues=evalues, composition=by, regions=regions)

    def _correct_strand(
        self,
        query: EncodedQuery,
        hits: HitColumns,
        rows: NDArray[np.int64],
        limit: float,
        ratios: NDArray[np.float64],
        evalues: NDArray[np.float64],
        z: NDArray[np.float64],
        regions: Regions,
    ) -> None:
        pairs = self._pairs(query, hits, rows, regions)
        own = Subjects(np.ascontiguousarray(query.codes), pairs.query_start, pairs.query_length)
        counts = [composition.count_residues(some, self._scheme.alphabet) for some in (own, pairs.subjects)]
        ratios[rows] = np.minimum(ratios[rows], composition.ratios(self._lambdas, counts[0], counts[1], REGION_PSEUDO))
        evalues[rows] = hits.log10_evalues[rows] + loss(self._scale, hits.scores[rows], ratios[rows])
        if self._kind != "full":
            return
        pairs = replace(pairs, ratios=ratios[rows], log10_evalues=evalues[rows])
        asked = np.flatnonzero(~pairs.plain & (pairs.log10_evalues <= limit))
        found = chances_of(
            pairs.take(asked), self._scheme, self._scale, limit, threads=self._threads, check=self._check
        )
        evalues[rows[asked]] = np.fmax(evalues[rows[asked]], found.log10_evalues)
        z[rows[asked]] = found.z

    def _pairs(self, query: EncodedQuery, hits: HitColumns, rows: NDArray[np.int64], found: Regions) -> RegionPairs:
        """Return the regions of some hits, and keep them; what lambda says is left open."""
        scheme, scores = self._scheme, query.scores(self._scheme)
        subjects, before = self._where_best(hits, rows)
        regions = scoring.regions(
            scores,
            subjects,
            scheme.gap_first,
            scheme.gap_extend,
            gaps=query.gaps,
            known=hits.scores[rows],
            threads=self._threads,
            check=self._check,
        )
        found.put(rows, regions.moved(0, before))
        query_lengths = regions.query_end - regions.query_start
        lengths = regions.subject_end - regions.subject_start
        return RegionPairs(
            profile=scores,
            alphabet=scheme.alphabet,
            query_start=regions.query_start,
            query_length=query_lengths,
            subjects=Subjects(subjects.codes, subjects.starts + regions.subject_start, lengths),
            scores=hits.scores[rows],
            ratios=np.ones(len(rows)),
            log10_evalues=hits.log10_evalues[rows],
            trials=self._trials(len(query), query_lengths, lengths),
            gaps=query.gaps,
        )

    def _where_best(self, hits: HitColumns, rows: NDArray[np.int64]) -> tuple[Subjects, NDArray[np.int64]]:
        """Return the subjects of rows, of long ones only the first window that reaches the score, if it is known.

        The best alignment that ends first lies wholly in it. Returned as well is how many residues are left out before.
        """
        subjects, before = Subjects.of(self._database, hits.db_index[rows]), np.zeros(len(rows), dtype=np.int64)
        for place, row in enumerate(rows.tolist() if self._windows else ()):
            known = self._windows.get((int(hits.db_index[row]), int(hits.strands[row])))
            if known is None:
                continue
            reached = np.flatnonzero(known.scores == hits.scores[row]).tolist()
            if reached:
                start, stop = int(known.starts[reached[0]]), int(known.stops[reached[0]])
                before[place] = start
                subjects.starts[place] += start
                subjects.lengths[place] = stop - start
        return subjects, before

    def _trials(
        self, query_length: int, query_parts: NDArray[np.int64], subject_parts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return how many such pairs of regions the search has: one per subject; in genomes one per stretch."""
        residues, sequences = self._limits.database_size(self._database)
        if self._scheme.alphabet.name != NUCLEOTIDE.name:
            return np.full(len(subject_parts), float(sequences))
        stretches = np.maximum(residues / np.maximum(subject_parts, 1), 1.0)
        return stretches * np.maximum(query_length / np.maximum(query_parts, 1), 1.0)


def scale_of(statistics: Statistics, scheme: ScoringScheme, query: EncodedQuery) -> LambdaScale:
    """Return the lambdas that compositions are compared by: of the background, or for a fit of the query."""
    if isinstance(statistics, KarlinAltschul):
        return LambdaScale.of_background(scheme.matrix)
    return LambdaScale.of_query(scheme.matrix, query.codes)


def ratios_whole(
    lambdas: LambdaScale,
    queries: Mapping[int, EncodedQuery],
    database: EncodedDatabase,
    hits: HitColumns,
    check: Callable[[], None] = lambda: None,
) -> NDArray[np.float64]:
    """Return ratios from the compositions of whole sequences, shape (k,); 1 where they are too long to have one."""
    lengths = database.lengths[hits.db_index]
    ratios = np.ones(len(hits))
    for strand, query in queries.items():
        rows = np.flatnonzero((hits.strands == strand) & (lengths <= LONGEST_WHOLE))
        if len(query) > LONGEST_WHOLE:
            continue
        whole = Subjects.packed(query.codes, np.array([0, len(query)]))
        of_query = composition.count_residues(whole, lambdas.matrix.alphabet)
        for start in range(0, len(rows), 4 * BATCH):
            check()
            some = rows[start : start + 4 * BATCH]
            subjects = composition.count_residues(Subjects.of(database, hits.db_index[some]), lambdas.matrix.alphabet)
            ratios[some] = composition.ratios(lambdas, of_query, subjects, WHOLE_PSEUDO)
    return ratios


def uncorrected(hits: HitColumns) -> HitColumns:
    """Return hits with the columns of a correction that was not made: E as it was, the rest unknown."""
    unknown = np.full(len(hits), np.nan)
    return replace(hits, composition=CompositionColumns(hits.log10_evalues, unknown, unknown))
