"""Hits of several queries as one table: small tables are batched, as most of their time is overhead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from swgui.core.hits.aligned import AlignedColumns
from swgui.core.hits.table import OF_HITS, OF_LINES, Hit, HitTable
from swgui.core.plain import replace
from swgui.core.records import SequenceRecord
from swgui.core.texts import PickedTexts

T = TypeVar("T")
LINES: Final = 4096  # from which on a table is long enough
TABLES: Final = 64


class _JoinedTable(HitTable, frozen=True):
    """The hits of several tables, concatenated; questions about one query are answered by its table."""

    parts: tuple[HitTable, ...] = ()

    def of_query(self, read: Callable[[SequenceRecord], T]) -> list[T]:
        return [value for part in self.parts for value in part.of_query(read)]

    def query_texts(self, read: Callable[[SequenceRecord], str]) -> PickedTexts:
        texts = [read(part.record) for part in self.parts]
        return PickedTexts(texts, np.repeat(np.arange(len(texts)), [part.lines for part in self.parts]))

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
    columns["subjects"] = head.subjects.join([table.subjects for table in tables[1:]])
    if all(table.record is head.record and table.query_index == head.query_index for table in tables):
        return replace(head, **columns)
    return _JoinedTable(
        record=head.record,
        query=head.query,
        residues=head.residues,
        translation=head.translation,
        parts=tuple(tables),
        **columns,
    )


def alike(table: HitTable, other: HitTable) -> bool:
    """Return True if the hits of two tables can form one table: of one search, with the same data about hits."""
    return (
        type(table) is type(other) is HitTable
        and table.subjects.database is other.subjects.database
        and (table.aligned is None) == (other.aligned is None)
        and (table.rounds is None) == (other.rounds is None)
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


def joined(tables: Iterable[HitTable]) -> Iterator[HitTable]:
    """Yield the hits of tables in fewer and longer ones, as `grouped`."""
    return map(join, grouped(tables))
