"""E-values of searches with frameshifts corrected for composition: by lambda, of regions and of whole sequences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.judging.correction import Corrector
from swgui.core.statistics.composition import nearly_identical
from swgui.core.stretches import Subjects
from swgui.core.translation.frames import steps_of
from swgui.core.translation.genetic_codes import CODON
from swgui.jobs.search.shifts.finding import ShiftFinder


def corrected_shifts(
    correctors: Sequence[Corrector],
    lists: Sequence[HitColumns],
    windows: Sequence[Mapping[tuple[int, int], WindowScores]],
) -> list[HitColumns]:
    """Return lists of hits in the order given with E corrected, whatever it is, by the residues that alignments read.

    A protein and a gene that are nearly the same from end to end keep their E, as in searches without frameshifts.

    Parameters
    ----------
    correctors : sequence of Corrector
        Of each list, one or more.

    Raises
    ------
    Stopped
        If the search is stopped.
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    first, queries = correctors[0], [corrector.queries for corrector in correctors]
    finder = ShiftFinder(queries, first.database, first.scheme, windows, first.check, first.threads)
    aligned = [np.flatnonzero((hits.scores > 0) & np.isfinite(hits.log10_evalues)) for hits in lists]
    sizes = [len(rows) for rows in aligned]
    of, none = np.repeat(np.arange(len(lists)), sizes), Subjects.stacked([])
    sides, changed = (none, none), np.zeros(0, dtype=np.int64)
    if len(of):
        some = HitColumns.join([hits.take(rows) for hits, rows in zip(lists, aligned, strict=True)])
        dna_query = steps_of(int(next(iter(first.queries))))[0] > 1
        alignments = finder.find(some, of, some.scores.astype(np.int64), 1)
        sides = (alignments.codons, alignments.residues) if dna_query else (alignments.residues, alignments.codons)
        proteins, bounds, codons = finder.sides(some, of)
        strands = codons // CODON if dna_query else first.database.lengths_of(some.db_index)
        changed = np.flatnonzero(~nearly_identical(some.scores, bounds, proteins, strands))
    made, ends = [], np.cumsum(sizes)
    for number, (corrector, hits, rows) in enumerate(zip(correctors, lists, aligned, strict=True)):
        own = changed[of[changed] == number]
        before = int(ends[number]) - sizes[number]
        made.append(corrector.by_lambda(hits, rows[own - before], *(side.take(own) for side in sides)))
    return made
