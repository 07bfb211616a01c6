"""Other alignments of a pair that the user looks at: the next best ones, and how many are as good."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, count_columns
from swgui.core.control import checking
from swgui.core.errors import InvalidParameter
from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.judging.ranking import measure, statistics_of
from swgui.core.plain import replace
from swgui.core.translation.programs import shifting
from swgui.engines.traceback.alternatives import cooptimal_cells, count_cooptimal, next_local
from swgui.io.statistics import load_statistics


def next_hit(
    result: SearchResult, query_index: int, hit: Hit, previous: Sequence[Alignment], cancel: threading.Event
) -> Hit | None:
    """Return the best alignment of a hit's pair that shares no aligned pair, or no base, with any of `previous`.

    Parameters
    ----------
    hit : Hit
        The pair, with its best alignment.
    previous : sequence of Alignment
        What was shown before, the best alignment among it.

    Returns
    -------
    Hit or None
        The same hit with the other alignment and its own score, bits and E; None if nothing scores above 0.

    Raises
    ------
    Stopped
        If `cancel` was set.
    ScoreMismatch
        If the alignment does not add up.
    """
    check = checking(cancel, "Looking for another alignment was stopped.")
    subject = result.searched.subject(hit.db_index, hit.strand)
    if shifting(result.translation):
        from swgui.jobs.search.shifts.beside import next_shifted  # here: few searches have frameshifts

        best = next_shifted(result, query_index, hit, previous, check)
    else:
        best = next_local(hit.query, subject, result.scheme, previous, check=check)
    if best is None or not best.columns:
        return None
    alignment = best
    score = np.array([alignment.score], dtype=np.int32)
    index = np.array([hit.db_index], dtype=np.int64)
    statistics = statistics_of(result, query_index, load_statistics(result.scheme))
    length = result.searched_length(query_index)
    bits, log10_evalues = measure(length, index, score, result.searched, statistics, result.search.limits)
    unknown = np.full(1, np.nan)
    table = replace(
        hit.table.take_line(hit.line),
        scores=score.astype(np.int64),
        bit_scores=bits,
        log10_evalues=log10_evalues,
        aligned=AlignedColumns.of([(alignment, count_columns(alignment, hit.query, subject, result.scheme))]),
        z_scores=unknown,
        fitted=unknown,
    )
    return Hit(table, 0)


def equally_good(result: SearchResult, hit: Hit) -> int | None:
    """Return how many different alignments have the best score; None if they are too many to count.

    Raises
    ------
    InvalidParameter
        Of a search with frameshifts.
    """
    if shifting(result.translation):
        raise InvalidParameter(
            "alignment",
            hit.subject.id,
            "With frameshifts equally good alignments are not counted.",
            hint="The next best alignment can be looked for.",
        )
    return count_cooptimal(hit.query, result.searched.subject(hit.db_index, hit.strand), result.scheme)


def equally_good_cells(result: SearchResult, hit: Hit, *, most_cells: int, most_steps: int) -> NDArray[np.int64] | None:
    """Return the steps of all alignments that have the best score, as `cooptimal_cells` does."""
    if shifting(result.translation):
        return None
    subject = result.searched.subject(hit.db_index, hit.strand)
    return cooptimal_cells(hit.query, subject, result.scheme, most_cells=most_cells, most_steps=most_steps)
