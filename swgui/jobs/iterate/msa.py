"""The alignment that an iterated search ends with, as deep as it is wanted."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from swgui.core.errors import Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.msa import RowLimits, filtered, together
from swgui.core.profiles.recipe import Recipe
from swgui.engines.native.rows import purge
from swgui.jobs.iterate.inclusion import Inclusion, included_hits
from swgui.jobs.iterate.rows import aligned_with


def deep_alignments(
    results: Sequence[SearchResult], evalue: float, limits: RowLimits, threads: int, cancel: threading.Event
) -> list[MasterAlignment]:
    """Return the alignment of every query with what its last searches found.

    Parameters
    ----------
    results : sequence of SearchResult
        Of the same queries, each in another database.
    evalue : float
        Up to which subjects are rows.
    limits : RowLimits
        Of the rows of all databases together.
    threads : int
        0 for all cores.

    Raises
    ------
    Stopped
        Once `cancel` is set.
    """
    made = []
    inclusion = Inclusion(evalue, max(query.hits.scores.size for result in results for query in result.queries) + 1)
    for index in range(len(results[0].queries)):
        if cancel.is_set():
            raise Stopped
        found = []
        for one in results:
            rounds, hits = one.queries[index].rounds, included_hits(one, index, inclusion)
            recipe = rounds.recipe if rounds is not None else Recipe()
            found.append(aligned_with(one, index, hits, inclusion, recipe, threads))
        made.append(filtered(together(found), limits, purge))
    return made
