"""Hits come as one stream, a subject each; some formats need them query by query, others alignment by alignment."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TypeVar

from swgui.core.hits.results import QueryResult, SearchResult
from swgui.core.hits.table import Hit, HitTable, tables_of
from swgui.core.records import SequenceRecord
from swgui.io.cells import free_name

T = TypeVar("T")


def by_alignment(hits: Iterable[Hit]) -> Iterator[Hit]:
    """Yield every hit once for each of its alignments, best first; once if it has none."""
    for hit in hits:
        yield from hit.rows()


def by_query(result: SearchResult, hits: Iterable[Hit]) -> Iterator[tuple[QueryResult, list[Hit]]]:
    """Group hits that follow each other and belong to one query.

    Queries of the search without any hit come with an empty list, at their place; queries whose hits
    were not chosen for the export are not mentioned.
    """
    return _grouped(result, hits, lambda hit: hit.query_record)


def tables_by_query(result: SearchResult, hits: Iterable[Hit]) -> Iterator[tuple[QueryResult, list[HitTable]]]:
    """Group hits as tables; as `by_query` otherwise."""
    return _grouped(result, tables_of(hits), lambda table: table.record)


def query_numbers(result: SearchResult) -> Callable[[SequenceRecord], int]:
    """Return a function from a query to its place in a run: of this object, else of the first equal one."""
    places = {id(of_query.query): number for number, of_query in enumerate(result.queries)}

    def number(record: SequenceRecord) -> int:
        if (place := places.get(id(record))) is not None:
            return place
        return next(n for n, of_query in enumerate(result.queries) if of_query.query == record)

    return number


class UniqueNames:
    """Names of the sequences in one file: one whose name another one has already gets its number in the search.

    Queries are numbered among the queries, subjects in the database; each side has its own names.

    Parameters
    ----------
    write : callable
        Makes an identifier fit for the format.
    """

    def __init__(self, result: SearchResult, write: Callable[[str], str]) -> None:
        self._write, self._query_number = write, query_numbers(result)
        self._queries: dict[int, str] = {}
        self._subjects: dict[int, str] = {}
        self._taken: tuple[set[str], set[str]] = set(), set()

    def query(self, hit: Hit) -> str:
        """Return the name of the query of a hit."""
        return self._name(self._queries, self._query_number(hit.query_record), hit.query_record)

    def subject(self, hit: Hit) -> str:
        """Return the name of the subject of a hit."""
        return self._name(self._subjects, hit.db_index, hit.subject)

    def _name(self, names: dict[int, str], number: int, record: SequenceRecord) -> str:
        if number not in names:
            taken = self._taken[names is self._queries]
            names[number] = free_name(self._write(record.id), number + 1, taken)
            taken.add(names[number])
        return names[number]


def _grouped(
    result: SearchResult, items: Iterable[T], record_of: Callable[[T], SequenceRecord]
) -> Iterator[tuple[QueryResult, list[T]]]:
    number_of, next_query = query_numbers(result), 0
    for _, group in groupby(items, key=lambda item: id(record_of(item))):
        chosen = list(group)
        number = number_of(record_of(chosen[0]))
        yield from _without_hits(result.queries[next_query:number])
        next_query = max(next_query, number + 1)
        yield result.queries[number], chosen
    yield from _without_hits(result.queries[next_query:])


def _without_hits(queries: tuple[QueryResult, ...]) -> Iterator[tuple[QueryResult, list[T]]]:
    for of_query in queries:
        if not len(of_query.hits):
            yield of_query, []
