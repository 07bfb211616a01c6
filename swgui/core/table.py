"""Tables: columns, and rows that are read column by column, a block at a time.

A `Column` defines its values once, for the files of every command, for arrays and data frames in Python, for the window
and for the manual. Its keys are the names that BLAST's ``-outfmt`` gives where BLAST has such a column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, Generic, Literal, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter

S = TypeVar("S")  # source of the rows
T = TypeVar("T")

# ``text`` is a name or title of a user's file, ``word`` one of this program's words or signs, or residues; ``evalue``
# has log10(E) as its value and E as its text.
Kind = Literal["text", "word", "integer", "real", "evalue"]
TEXTS: Final = ("text", "word")
SHORTEST: Final = -1
Value = str | int | float | None
Values = NDArray[Any] | Sequence[Value]  # NaN in an array of floats, and None in a list, where not known
Read = Callable[[S], Values]  # returns the value of each row


class _Named(msgspec.Struct, frozen=True):
    key: str  # name in files and on the command line, as in BLAST where BLAST has the column
    title: str  # full name for people
    description: str  # one or two sentences: its content and its way of counting
    kind: Kind


class Column(_Named, Generic[S], frozen=True, kw_only=True):
    """One column of a table, with all that files, data frames, the window and the manual say of it."""

    read: Read[S] | None = None  # takes the source of the rows; None only if `values` is another function
    unit: str = ""  # for example ``"%"``; empty for plain counts and texts
    decimals: int = 0  # written digits of a ``real`` column; `SHORTEST` for as few as a number of a file had
    short: str = ""  # head where room is scarce; the heading if empty
    on_request: bool = False  # True if tables have it on request only

    @property
    def name(self) -> str:
        """Name in the head of a file."""
        return self.key

    @property
    def heading(self) -> str:
        """Title, with the sign of percentages."""
        return f"{self.title} %" if self.unit == "%" else self.title

    @property
    def head(self) -> str:
        """Heading for narrow columns."""
        return self.short or self.heading

    def read_all(self, source: S) -> Values:
        """Return the value of each row as it is read."""
        assert self.read is not None
        return self.read(source)

    def read_by(self, read: Callable[[T], Values]) -> Column[T]:
        """Return the same column of rows that are read from something else."""
        facts = self.key, self.title, self.description, self.kind
        more = {"unit": self.unit, "decimals": self.decimals, "short": self.short, "on_request": self.on_request}
        return Column(*facts, read=read, **more)  # type: ignore[arg-type]  # of several types

    def values(self, source: S) -> Sequence[Value]:
        """Return the value of each row; None where it is not known."""
        return listed(self.read_all(source))

    def numbers(self, source: S) -> NDArray[Any]:
        """Return the values of a column that is no text as an array (log10(E) of ``evalue`` columns).

        Returns
        -------
        ndarray, shape=(rows,)
            NaN where it is not known.
        """
        values = self.read_all(source)
        return values if isinstance(values, np.ndarray) else np.array(values, dtype=np.float64)


def listed(values: Values) -> Sequence[Value]:
    """Return values as Python's own, None where they are not known.

    Parameters
    ----------
    values : ndarray or sequence, shape=(rows,)
    """
    if not isinstance(values, np.ndarray):
        return values if isinstance(values, list) else list(values)
    plain: list[Value] = values.tolist()
    if values.dtype.kind != "f" or not np.isnan(values).any():
        return plain
    return [None if value != value else value for value in plain]


class Table(Generic[S]):
    """Columns, and rows that come some at a time.

    Parameters
    ----------
    available : sequence of Column
        All columns that there are.
    parts : callable
        Returns the source of the rows, in order; each call begins with the first row.
    columns : sequence of Column, optional
        Those of this table; all that are not `Column.on_request` if not given.
    """

    def __init__(
        self,
        available: Sequence[Column[S]],
        parts: Callable[[], Iterable[S]],
        columns: Sequence[Column[S]] | None = None,
    ) -> None:
        self.available, self.parts = tuple(available), parts
        usual = (column for column in available if not column.on_request)
        self.columns = tuple(usual if columns is None else columns)

    def choose(self, keys: Sequence[str] | None) -> Table[S]:
        """Return it with some columns, in this order; with the usual ones for None.

        Raises
        ------
        InvalidParameter
            If there is no such column.
        """
        known = {column.key: column for column in self.available}
        chosen = None if keys is None else [_named(key, known) for key in dict.fromkeys(keys)]
        return Table(self.available, self.parts, chosen)

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """Yield the values of one row after the other, in the order of the columns."""
        for part in self.parts():
            yield from zip(*(column.values(part) for column in self.columns), strict=True)


def _named(key: str, known: dict[str, Column[S]]) -> Column[S]:
    if key not in known:
        raise InvalidParameter("columns", key, f"There is no column '{key}'.", hint=f"Columns are {', '.join(known)}.")
    return known[key]
