"""E-values of searches with frameshifts corrected for composition: by lambda, of regions and of whole sequences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from swgui.core.alignment import spell_out
from swgui.core.frameshift import oriented
from swgui.core.hits.results import CompositionColumns, HitColumns
from swgui.core.hits.scores import WindowScores
from swgui.core.hits.stretches import Subjects
from swgui.core.statistics.composition import REGION_PSEUDO, loss
from swgui.core.translation.frames import steps_of
from swgui.engines.native import composition
from swgui.jobs.search.composition import Corrector
from swgui.jobs.search.shifts.finding import PlaceFinder


def corrected_shifts(
    corrector: Corrector, hits: HitColumns, windows: Mapping[tuple[int, int], WindowScores]
) -> HitColumns:
    """Return hits in the order given with E corrected, whatever it is.

    Lambda is that of the residues that the best alignment reads on either side, or of the whole sequences, whichever is
    smaller; shuffles would not keep what makes frameshifts likely, and are not made.

    Raises
    ------
    Stopped
        If the search is stopped.
    ScoreMismatch
        If an alignment does not add up to its score.
    """
    ratios = np.ones(len(hits))
    aligned = np.flatnonzero((hits.scores > 0) & np.isfinite(hits.log10_evalues))
    queries, database = corrector.queries, corrector.database
    finder = PlaceFinder(queries, database, corrector.scheme, windows, corrector.check, corrector.threads)
    some, dna_query = hits.take(aligned), steps_of(int(next(iter(queries))))[0] > 1
    regions = []
    for at, (place,) in enumerate(finder.places(some, some.scores.astype(np.int64), 1)):
        corrector.check()
        columns = spell_out(oriented(place.path, dna_query=dna_query))
        subject = database.subject(int(some.db_index[at]), place.reading)
        sides = (queries[place.reading].codes, columns.query), (subject, columns.subject)
        regions.append([codes[positions[positions >= 0]] for codes, positions in sides])
    if regions:
        alphabet = corrector.scheme.alphabet
        of_query, other = (
            composition.count_residues(Subjects.stacked([one[side] for one in regions]), alphabet) for side in (0, 1)
        )
        own = composition.ratios(corrector.lambdas, of_query, other, REGION_PSEUDO)
        ratios[aligned] = np.minimum(own, corrector.ratios_whole(some))
    unknown = np.full(len(hits), np.nan)
    known = np.isfinite(hits.log10_evalues)
    return replace(
        hits,
        log10_evalues=hits.log10_evalues + loss(corrector.scale, hits.scores, ratios),
        composition=CompositionColumns(hits.log10_evalues, np.where(known, ratios, unknown), unknown),
    )
