"""E-values of searches with frameshifts corrected for composition: by lambda, of regions and of whole sequences."""

from __future__ import annotations

import numpy as np

from swgui.core.hits.results import JoinedHits
from swgui.core.judging.correction import Corrector
from swgui.core.statistics.composition import nearly_identical
from swgui.core.stretches import Subjects
from swgui.core.translation.frames import steps_of
from swgui.core.translation.genetic_codes import CODON
from swgui.jobs.search.shifts.finding import ShiftFinder


def corrected_shifts(by: Corrector, lists: JoinedHits) -> JoinedHits:
    """Return lists of hits in the order given with E corrected, whatever it is, by the residues that alignments read.

    A protein and a gene that are nearly the same from end to end keep their E, as in searches without frameshifts.

    Parameters
    ----------
    by : Corrector
        Of each list.

    Raises
    ------
    Stopped
        If the search is stopped.
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    each = range(0, len(by.queries), len(by.strands))
    queries = [dict(zip(by.strands, by.queries[first : first + len(by.strands)], strict=True)) for first in each]
    finder = ShiftFinder(queries, by.database, by.scheme, by.windows, by.check, by.threads)
    rows = np.flatnonzero((lists.hits.scores > 0) & np.isfinite(lists.hits.log10_evalues))
    sides = (Subjects.stacked([]), Subjects.stacked([]))
    if len(rows):
        some, of = lists.hits.take(rows), lists.of[rows]
        dna_query = steps_of(int(by.strands[0]))[0] > 1
        alignments = finder.find(some, of, some.scores.astype(np.int64), 1)
        sides = (alignments.codons, alignments.residues) if dna_query else (alignments.residues, alignments.codons)
        proteins, bounds, codons = finder.sides(some, of)
        strands = codons // CODON if dna_query else by.database.lengths_of(some.db_index)
        changed = np.flatnonzero(~nearly_identical(some.scores, bounds, proteins, strands))
        rows, sides = rows[changed], (sides[0].take(changed), sides[1].take(changed))
    return by.by_lambda(lists, rows, *sides)
