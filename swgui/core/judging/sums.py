"""Which hits of a search have the E of sums over all alignments."""

from __future__ import annotations

from swgui.core.hits.results import SearchResult
from swgui.core.profiles.bases import longest_summed


def summed_lengths(result: SearchResult) -> dict[int, float]:
    """Return the length up to which sequences are judged by sums, by the columns of queries; of those that have one."""
    if result.search.query_range is not None:
        return {}
    rounds = {len(query.query.residues): query.rounds for query in result.queries if query.rounds is not None}
    lengths = {columns: longest_summed(columns, of.recipe, of.bases) for columns, of in sorted(rounds.items())}
    return {columns: longest for columns, longest in lengths.items() if longest}
