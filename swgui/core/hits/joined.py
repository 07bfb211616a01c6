"""Hits of several queries as one table: most of the time of small tables is overhead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.results import DirectionColumns
from swgui.core.hits.table import OF_HITS, OF_LINES, Hit, HitStream, HitTable, tables_of
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.scoring import EncodedQuery
from swgui.core.texts import PickedTexts

if TYPE_CHECKING:
    from swgui.core.hits.rounds import QueryRounds

T = TypeVar("T")
LINES: Final = 4096  # from which on a table is long enough
TABLES: Final = 64
_Ints = NDArray[np.int64]


class TableQuery(msgspec.Struct, frozen=True, eq=False):
    """A query of a table of several; fields as in `HitTable`."""

    record: SequenceRecord
    query: Callable[[int], EncodedQuery]
    query_index: int
    rounds: QueryRounds | None = None


class _JoinedTable(HitTable, frozen=True, kw_only=True):
    """The hits of several queries, those of a query together; `record` and `query` are those of the first."""

    queries: tuple[TableQuery, ...]
    of: _Ints  # the query of each hit, ascending from 0, none without a hit, shape (k,)

    @cached_property
    def _edges(self) -> _Ints:
        """The first hit of each query, and the number of hits, shape (q + 1,)."""
        return np.searchsorted(self.of, np.arange(len(self.queries) + 1))

    @cached_property
    def _line_edges(self) -> _Ints:
        """The first line of each query, and the number of lines, shape (q + 1,)."""
        return np.searchsorted(self.hit, self._edges)

    @cached_property
    def parts(self) -> tuple[HitTable, ...]:
        lines = self._line_edges.tolist()
        spans = zip(self.queries, pairwise(self._edges.tolist()), pairwise(lines), strict=True)
        return tuple(self._part(query, slice(*hits), slice(*some)) for query, hits, some in spans)

    def _part(self, query: TableQuery, hits: slice, lines: slice) -> HitTable:
        hit, aligned = self.hit[lines] - hits.start, self.aligned
        if aligned is not None:
            own = aligned.part(lines.start, lines.stop)
            aligned = own.of_hits(hit, own.number("strand"), *own.significance)
        return HitTable(
            subjects=self.subjects.take(hits),
            hit=hit,
            aligned=aligned,
            residues=self.residues,
            marks=self.marks,
            directions=None if self.directions is None else self.directions.take(hits),
            translation=self.translation,
            **{name: getattr(query, name) for name in TableQuery.__struct_fields__},
            **{name: getattr(self, name)[hits] for name in OF_HITS},
            **{name: getattr(self, name)[lines] for name in OF_LINES},
        )

    @property
    def counts(self) -> list[tuple[int, int]]:
        sizes = np.diff(self._edges).tolist()
        return [(query.query_index, size) for query, size in zip(self.queries, sizes, strict=True)]

    @property
    def lines_each(self) -> list[int]:
        sizes: list[int] = np.diff(self._line_edges).tolist()
        return sizes

    @property
    def numbers(self) -> _Ints:
        return np.arange(len(self)) - self._edges[self.of]

    def at(self, place: int) -> Hit:
        number = int(self.of[place])
        return Hit(self.parts[number], place - int(self._edges[number]))

    def of_query(self, read: Callable[[SequenceRecord], T]) -> list[T]:
        values = [read(query.record) for query in self.queries]
        return list(map(values.__getitem__, self.of[self.hit].tolist()))

    def query_texts(self, read: Callable[[SequenceRecord], str]) -> PickedTexts:
        return PickedTexts([read(query.record) for query in self.queries], self.of[self.hit])

    def by_part(self, read: Callable[[HitTable], Sequence[T]]) -> list[T]:
        return [value for part in self.parts for value in read(part)]

    @property
    def starred(self) -> NDArray[np.bool_]:
        return np.concatenate([part.starred for part in self.parts])

    @property
    def notes(self) -> list[str]:
        return [note for part in self.parts for note in part.notes]

    @cached_property
    def rows(self) -> list[Hit]:
        return [row for part in self.parts for row in part.rows]

    def hits(self) -> Iterator[Hit]:
        return (hit for part in self.parts for hit in part.hits())


def join(tables: Sequence[HitTable]) -> HitTable:
    """Return the hits of one or more tables that are `alike` as one."""
    if len(tables) == 1:
        return tables[0]
    head, before = tables[0], np.cumsum([0, *map(len, tables)]).tolist()
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(table, name) for table in tables]) for name in (*OF_HITS, *OF_LINES)
    }
    columns["hit"] = np.concatenate([table.hit + first for table, first in zip(tables, before, strict=False)])
    aligned = [table.aligned for table in tables if table.aligned is not None]
    columns["aligned"] = AlignedColumns.join(aligned) if aligned else None
    directions = [table.directions for table in tables if table.directions is not None]
    columns["directions"] = DirectionColumns.join(directions) if directions else None
    columns["subjects"] = head.subjects.join([table.subjects for table in tables[1:]])
    several = [table.queries if isinstance(table, _JoinedTable) else (_query_of(table),) for table in tables]
    queries = [query for some in several for query in some]
    if all(query.record is head.record and query.query_index == head.query_index for query in queries):
        return replace(head, **columns)
    sizes = [size for table in tables for _, size in table.counts]
    kept = {name: getattr(head, name) for name in ("residues", "marks", "translation")}
    return table_of(queries, np.repeat(np.arange(len(queries)), sizes), **columns, **kept)


def table_of(queries: Sequence[TableQuery], of: _Ints, **columns: Any) -> HitTable:
    """Return a table of one or more queries.

    Parameters
    ----------
    of : ndarray, shape=(k,)
        The query of each hit, ascending from 0; each has one, unless there is one query.
    **columns
        Other fields of `HitTable`.
    """
    first = {name: getattr(queries[0], name) for name in TableQuery.__struct_fields__}
    if len(queries) == 1:
        return HitTable(**first, **columns)
    return _JoinedTable(**(first | {"rounds": None}), queries=tuple(queries), of=of, **columns)


def _query_of(table: HitTable) -> TableQuery:
    return TableQuery(table.record, table.query, table.query_index, table.rounds)


def alike(table: HitTable, other: HitTable) -> bool:
    """Return True if the hits of two tables can form one table: of one search, with the same data about hits."""
    return (
        table.subjects.database is other.subjects.database
        and (table.aligned is None) == (other.aligned is None)
        and (table.directions is None) == (other.directions is None)
        and (table.rounds is None) == (other.rounds is None)
        and table.marks is other.marks
        and table.translation == other.translation
        and table.residues == other.residues
    )


def grouped(tables: Iterable[HitTable]) -> Iterator[list[HitTable]]:
    """Yield tables, in order, in groups that can be one; those before an error come before it."""
    given, some, lines, failed = iter(tables), list[HitTable](), 0, None
    while True:
        table = None
        try:
            table = next(given, None)
        except Exception as error:
            failed = error
        if some and (table is None or len(some) == TABLES or lines >= LINES or not alike(some[-1], table)):
            yield some
            some, lines = [], 0
        if table is None:
            break
        some.append(table)
        lines += table.lines
    if failed is not None:
        raise failed


def joined(hits: Iterable[Hit]) -> Iterator[HitTable]:
    """Yield hits in few and long tables, of one or more queries each."""
    return map(join, grouped(hits.several if isinstance(hits, HitStream) else tables_of(hits)))
