"""Hits come as one stream, a subject each; some formats need them query by query, others alignment by alignment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from swgui.core.hits.results import Hit, QueryResult, SearchResult


def by_alignment(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield every hit once for each of its alignments, best first; once if it has none."""
    for hit in hits:
        yield from hit.rows()


def by_query(result: SearchResult, hits: Iterable[Hit]) -> Iterator[tuple[QueryResult, list[Hit]]]:
    """Group hits that follow each other and belong to one query.

    Queries of the search without any hit come with an empty list, at their place; queries whose hits
    were not chosen for the export are not mentioned.
    """
    place = {id(of_query.query): number for number, of_query in enumerate(result.queries)}
    next_query = 0
    for _, group in groupby(hits, key=lambda hit: id(hit.query_record)):
        chosen = list(group)
        number = place.get(id(chosen[0].query_record))
        if number is None:  # equal, but not the same object
            number = next(n for n, q in enumerate(result.queries) if q.query == chosen[0].query_record)
        yield from _without_hits(result.queries[next_query:number])
        next_query = max(next_query, number + 1)
        yield result.queries[number], chosen
    yield from _without_hits(result.queries[next_query:])


def _without_hits(queries: tuple[QueryResult, ...]) -> Iterator[tuple[QueryResult, list[Hit]]]:
    for of_query in queries:
        if not len(of_query.hits):
            yield of_query, []
