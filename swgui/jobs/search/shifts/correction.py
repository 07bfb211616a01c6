"""E-values of searches with frameshifts corrected for composition: by lambda, of regions and of whole sequences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import spell_out
from swgui.core.frameshift import oriented
from swgui.core.hits.results import HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.hits.stretches import Subjects
from swgui.core.statistics.correction import Corrector
from swgui.core.translation.frames import steps_of
from swgui.jobs.search.shifts.finding import PlaceFinder


def corrected_shifts(
    corrector: Corrector, hits: HitColumns, windows: Mapping[tuple[int, int], WindowScores]
) -> HitColumns:
    """Return hits in the order given with E corrected, whatever it is, by the residues that best alignments read.

    Raises
    ------
    Stopped
        If the search is stopped.
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    aligned = np.flatnonzero((hits.scores > 0) & np.isfinite(hits.log10_evalues))
    queries, database = corrector.queries, corrector.database
    finder = PlaceFinder(queries, database, corrector.scheme, windows, corrector.check, corrector.threads)
    some, dna_query = hits.take(aligned), steps_of(int(next(iter(queries))))[0] > 1
    regions: tuple[list[NDArray[np.uint8]], ...] = [], []
    for at, (place,) in enumerate(finder.places(some, some.scores.astype(np.int64), 1)):
        corrector.check()
        alignment = oriented(place.path, dna_query=dna_query)
        columns, start = spell_out(alignment), alignment.subject_start
        subject = database.reading(int(some.db_index[at]), place.reading)[start : alignment.subject_end]
        sides = (queries[place.reading].codes, columns.query), (subject, columns.subject - start)
        for side, (codes, positions) in zip(regions, sides, strict=True):
            side.append(codes[positions[positions >= 0]])
    return corrector.by_lambda(hits, aligned, *map(Subjects.stacked, regions))
