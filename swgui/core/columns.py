"""Records of columns: some of their rows, and several of them as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import msgspec
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

Rows = NDArray[np.int64] | NDArray[np.bool_] | slice


class ColumnRecord(msgspec.Struct, frozen=True, eq=False):
    """A record whose fields are arrays of one length, records of them, or None where a column is not known."""

    def __len__(self) -> int:
        return len(getattr(self, self.__struct_fields__[0]))

    def take(self, rows: Rows) -> Self:
        """Return some of the rows, in the order given."""
        return type(self)(*[_some(column, rows) for column in astuple(self)])

    def parts(self, spans: Sequence[slice]) -> list[Self]:
        """Return `take` of each of some ranges of rows; many of them take less time together."""
        return list(map(type(self), *[_parts(column, spans) for column in astuple(self)]))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of one or more records, concatenated; a column that one of them lacks is None."""
        parts = [part for part in parts if len(part)] or parts[:1]
        return parts[0] if len(parts) == 1 else cls(*map(_joined, zip(*map(astuple, parts), strict=True)))


def _some(column: Any, rows: Rows) -> Any:
    if column is None:
        return None
    return column[rows] if isinstance(column, np.ndarray) else column.take(rows)


def _parts(column: Any, spans: Sequence[slice]) -> list[Any]:
    if column is None:
        return [None] * len(spans)
    return [column[span] for span in spans] if isinstance(column, np.ndarray) else column.parts(spans)


def _joined(columns: tuple[Any, ...]) -> Any:
    if len([column for column in columns if column is not None]) < len(columns):
        return None
    first = columns[0]
    return np.concatenate(columns) if isinstance(first, np.ndarray) else type(first).join(columns)
