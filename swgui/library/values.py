"""Columns of hits as values for Python, and results as a notebook shows them."""

from __future__ import annotations

import html
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter, MissingPackage
from swgui.core.hits.table import HitTable
from swgui.io.export.columns import Column

Value = str | int | float | None
_DTYPES: Final[Mapping[str, type]] = {"integer": np.int64, "real": np.float64, "evalue": np.float64}


def path_of(given: object, name: str = "path") -> Path:
    """Return a path that was given; `InvalidParameter` if it is none."""
    if isinstance(given, str | os.PathLike):
        with suppress(TypeError):  # one of bytes
            return Path(given)
    raise InvalidParameter(
        name, given, f"{name} is the name of a file, not {given!r:.80}.", hint="Give text or a Path."
    )


def needed(name: str, extra: str) -> ModuleType:
    """Return a package that is not always there.

    Raises
    ------
    MissingPackage
        If it is not.
    """
    try:
        return import_module(name)
    except ImportError as missing:
        raise MissingPackage(name, extra) from missing


def evalue_of(log10_evalue: float) -> float:
    """Return E of its decadic logarithm."""
    if log10_evalue > 308:
        return math.inf
    return float(10.0**log10_evalue)


def value_of(column: Column, value: Any) -> Value:
    """Return what a column says of a hit; E itself for a column of E."""
    plain: Value = value
    return evalue_of(float(value)) if column.kind == "evalue" and value is not None else plain


class Table:
    """Columns that grow as the hits of a search are described.

    Parameters
    ----------
    columns : sequence of Column
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self._values: dict[str, list[Value]] = {column.name: [] for column in columns}

    def fill(self, tables: Iterable[HitTable]) -> Table:
        """Add the lines of tables, and return this one."""
        for table in tables:
            for column in self.columns:
                self._values[column.name] += [value_of(column, value) for value in column.values(table)]
        return self

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return an array for each column: of objects for texts; numbers with NaN where they are not known."""
        return {column.name: _array(column, self._values[column.name]) for column in self.columns}

    def pandas(self) -> Any:
        """Return a ``pandas.DataFrame``."""
        return needed("pandas", "dataframe").DataFrame(self.arrays())

    def polars(self) -> Any:
        """Return a ``polars.DataFrame``."""
        polars = needed("polars", "dataframe")
        kinds = {"integer": polars.Int64, "real": polars.Float64, "evalue": polars.Float64, "text": polars.String}
        schema = {column.name: kinds[column.kind] for column in self.columns}
        return polars.DataFrame(self._values, schema=schema)

    def arrow(self) -> Any:
        """Return a ``pyarrow.Table``."""
        arrow = needed("pyarrow", "dataframe")
        kinds = {"integer": arrow.int64(), "real": arrow.float64(), "evalue": arrow.float64(), "text": arrow.string()}
        return arrow.table(
            {column.name: arrow.array(self._values[column.name], kinds[column.kind]) for column in self.columns}
        )


def _array(column: Column, values: list[Value]) -> NDArray[Any]:
    dtype = _DTYPES.get(column.kind)
    if dtype is None:
        return np.array(values, dtype=object)
    if None in values:
        return np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(values, dtype=dtype)


_DESCRIPTION: Final = "description"


def as_html(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]], notes: Iterable[str]) -> str:
    """Return a title, a table and notes below it; all texts are escaped, and only descriptions break into lines."""
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    opening = ["<td>" if text == _DESCRIPTION else '<td style="white-space: nowrap">' for text in heads]
    body = "".join(
        "<tr>" + "".join(f"{td}{html.escape(text)}</td>" for td, text in zip(opening, row, strict=True)) + "</tr>"
        for row in rows
    )
    below = "".join(f"<p>{html.escape(note)}</p>" for note in notes)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<div><p><b>{html.escape(title)}</b></p>{table}{below}</div>"
