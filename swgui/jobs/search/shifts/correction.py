"""E-values of searches with frameshifts corrected for composition: by lambda, of regions and of whole sequences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.hits.stretches import Subjects
from swgui.core.statistics.composition import nearly_identical
from swgui.core.statistics.correction import Corrector
from swgui.core.translation.frames import steps_of
from swgui.core.translation.genetic_codes import CODON
from swgui.jobs.search.shifts.finding import ShiftFinder


def corrected_shifts(
    corrector: Corrector, hits: HitColumns, windows: Mapping[tuple[int, int], WindowScores]
) -> HitColumns:
    """Return hits in the order given with E corrected, whatever it is, by the residues that best alignments read.

    A protein and a gene that are nearly the same from end to end keep their E, as in searches without frameshifts.

    Raises
    ------
    Stopped
        If the search is stopped.
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    aligned = np.flatnonzero((hits.scores > 0) & np.isfinite(hits.log10_evalues))
    queries, database = corrector.queries, corrector.database
    finder = ShiftFinder(queries, database, corrector.scheme, windows, corrector.check, corrector.threads)
    if not len(aligned):
        return corrector.by_lambda(hits, aligned, Subjects.stacked([]), Subjects.stacked([]))
    some, dna_query = hits.take(aligned), steps_of(int(next(iter(queries))))[0] > 1
    alignments = finder.find(some, some.scores.astype(np.int64), 1)
    sides = (alignments.codons, alignments.residues) if dna_query else (alignments.residues, alignments.codons)
    proteins, bounds = finder.proteins(some)
    strands = database.lengths[some.db_index]
    if dna_query:
        strands = np.array([len(queries[reading].codes) // CODON for reading in some.strands.tolist()])
    changed = np.flatnonzero(~nearly_identical(some.scores, bounds, proteins, strands))
    return corrector.by_lambda(hits, aligned[changed], *(side.take(changed) for side in sides))
