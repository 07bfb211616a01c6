"""Records of columns: some of their rows, and several of them as one; facts that are found by an array itself."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any, Generic, Self, TypeVar

import msgspec
import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

Rows = NDArray[np.int64] | NDArray[np.bool_] | slice
T = TypeVar("T")


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


class ByIdentity(Generic[T]):
    """Values by the array itself, not by its content, during its life; it must not change any more."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[NDArray[Any]], T]] = {}

    def __len__(self) -> int:
        return len(self._known)

    def get(self, array: NDArray[Any]) -> T | None:
        """Return the value stored for an array; None without one."""
        entry = self._known.get(id(array))
        return entry[1] if entry is not None and entry[0]() is array else None

    def put(self, array: NDArray[Any], value: T) -> None:
        """Remember a value."""
        key = id(array)
        self._known[key] = weakref.ref(array, lambda _: self._known.pop(key, None)), value


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
