"""The next best alignment of a pair across frameshifts, when the user asks for another one."""

from __future__ import annotations

from collections.abc import Sequence

from swgui.core.alignment import Alignment
from swgui.core.control import Check
from swgui.core.frameshift import oriented
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.query_range import positions_within
from swgui.jobs.search.shifts.finding import ShiftFinder


def next_shifted(
    result: SearchResult, query_index: int, hit: Hit, previous: Sequence[Alignment], check: Check
) -> Alignment | None:
    """Return the best alignment of a hit's pair that shares no base of the strand with `previous`; None without."""
    dna_query = result.translation is not None and result.translation.of.translates_query
    residues, start = result.queries[query_index].query.residues, 0
    if result.search.query_range is not None:
        start = positions_within(result.search.query_range, len(residues), hit.strand).start
    queries = {hit.strand: result.searched_query(query_index, hit.strand)}
    finder = ShiftFinder([queries], result.searched, result.scheme, [{}], check)
    held = [
        (path.query_start - start, path.query_end - start) if dna_query else (path.subject_start, path.subject_end)
        for path in previous
    ]
    path = finder.beside(hit.db_index, hit.strand, held)
    return None if path is None else oriented(path.moved(*((start,) if dna_query else (0, start))), dna_query=dna_query)
