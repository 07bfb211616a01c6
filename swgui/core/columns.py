"""Records of columns: some of their rows, and several of them as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.int64] | NDArray[np.bool_] | slice


class ColumnRecord(msgspec.Struct, frozen=True, eq=False):
    """A record whose fields are arrays of one length, records of them, or None where a column is not known."""

    def __len__(self) -> int:
        return len(getattr(self, self.__struct_fields__[0]))

    def take(self, rows: Rows) -> Self:
        """Return some of the rows, in the order given."""
        return type(self)(*(_some(getattr(self, name), rows) for name in self.__struct_fields__))

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Return the rows of one or more records, concatenated; a column that one of them lacks is None."""
        parts = [part for part in parts if len(part)] or parts[:1]
        return cls(*(_joined([getattr(part, name) for part in parts]) for name in cls.__struct_fields__))


def _some(column: Any, rows: Rows) -> Any:
    return column.take(rows) if isinstance(column, ColumnRecord) else None if column is None else column[rows]


def _joined(columns: list[Any]) -> Any:
    if any(column is None for column in columns):
        return None
    first = columns[0]
    return type(first).join(columns) if isinstance(first, ColumnRecord) else np.concatenate(columns)
