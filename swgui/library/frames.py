"""Tables as Python has them: arrays, and data frames of pandas, polars and Arrow."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.errors import InvalidParameter
from swgui.core.table import Column, Table, Value
from swgui.io.table_files import TABLE_FORMATS, form_of
from swgui.library.calls import public
from swgui.library.values import needed, path_of
from swgui.library.writing import is_open_file

_DTYPES: Final[Mapping[str, type]] = {"integer": np.int64, "real": np.float64, "evalue": np.float64}


def evalue_of(log10_evalue: float) -> float:
    """Return E of its decadic logarithm."""
    if log10_evalue > 308:
        return math.inf
    return float(10.0**log10_evalue)


def value_of(column: Column[Any], value: Any) -> Value:
    """Return a value as Python has it; E itself for a column of E."""
    plain: Value = value
    return evalue_of(float(value)) if column.kind == "evalue" and value is not None else plain


class Tabular:
    """A result with rows, which become arrays and data frames."""

    _own: tuple[Column[Any], ...] = ()  # columns of tables that were joined

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        """Return the rows with some columns; with the usual ones for None."""
        raise NotImplementedError

    def _with_own(self, columns: Sequence[str] | None) -> Table[Any]:
        """Return the rows with some columns, those of joined tables last: the named ones, or all if none is named."""
        if not self._own:
            return self._table(columns)
        own = {column.key: column for column in self._own}
        table = self._table(None if columns is None else [key for key in columns if key not in own])
        named = [own[key] for key in dict.fromkeys(columns or ()) if key in own]
        return Table([*table.available, *self._own], table.parts, [*table.columns, *(named or self._own)])

    @public
    def to_arrays(self, columns: str | Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
        """Return the rows as NumPy arrays, one for each column.

        Parameters
        ----------
        columns : sequence of str, optional
            Names of columns, as in the files of the command; the usual ones if not given.

        Returns
        -------
        dict of str to ndarray, shape=(rows,)
            Texts as objects; numbers with NaN where they are not known; E-values as such.

        Raises
        ------
        InvalidParameter
            If there is no such column.
        """
        table, values = self._filled(columns)
        return {column.name: _array(column, values[column.name]) for column in table.columns}

    def to_pandas(self, columns: str | Sequence[str] | None = None) -> Any:
        """Return a ``pandas.DataFrame``; as `to_arrays` otherwise. `MissingPackage` if pandas is not installed."""
        return needed("pandas", "dataframe").DataFrame(self.to_arrays(columns))

    @public
    def to_polars(self, columns: str | Sequence[str] | None = None) -> Any:
        """Return a ``polars.DataFrame``; as `to_arrays` otherwise. `MissingPackage` if polars is not installed."""
        polars = needed("polars", "dataframe")
        kinds = {"integer": polars.Int64, "real": polars.Float64, "evalue": polars.Float64}
        table, values = self._filled(columns)
        return polars.DataFrame(values, schema={one.name: kinds.get(one.kind, polars.String) for one in table.columns})

    @public
    def to_arrow(self, columns: str | Sequence[str] | None = None) -> Any:
        """Return a ``pyarrow.Table``; as `to_arrays` otherwise. `MissingPackage` if pyarrow is not installed."""
        arrow = needed("pyarrow", "dataframe")
        kinds = {"integer": arrow.int64(), "real": arrow.float64(), "evalue": arrow.float64()}
        table, values = self._filled(columns)
        return arrow.table(
            {one.name: arrow.array(values[one.name], kinds.get(one.kind, arrow.string())) for one in table.columns}
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Stream of Arrow of the usual columns, by which other packages read a result without swgui's help.

        ``pyarrow.table(hits)`` uses it, and so do other packages that read Arrow streams.

        Raises
        ------
        MissingPackage
            If pyarrow is not installed.
        """
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def _filled(self, columns: str | Sequence[str] | None) -> tuple[Table[Any], dict[str, list[Value]]]:
        table = self._with_own(columns.split(",") if isinstance(columns, str) else columns)
        values: dict[str, list[Value]] = {column.name: [] for column in table.columns}
        for part in table.parts():
            for column in table.columns:
                values[column.name] += [value_of(column, value) for value in column.values(part)]
        return table, values


def table_format(out: object, name: str | None) -> str:
    """Name of the format of a table: the one that is given, that of the ending of a file, or ``tsv``.

    Raises
    ------
    InvalidParameter
        If there is no such format.
    """
    if name:
        check_format(name, TABLE_FORMATS)
        return name
    return "tsv" if is_open_file(out) else form_of(str(path_of(out)))


def check_format(form: str, formats: Collection[str]) -> None:
    """Refuse a format that is none of some; `InvalidParameter` then."""
    if form not in formats:
        raise InvalidParameter("format", form, f"There is no format '{form}'.", hint=f"There are {', '.join(formats)}.")


def _array(column: Column[Any], values: list[Value]) -> NDArray[Any]:
    dtype = _DTYPES.get(column.kind)
    if dtype is None:
        return np.array(values, dtype=object)
    if None in values:
        return np.array([math.nan if value is None else value for value in values], dtype=np.float64)
    return np.array(values, dtype=dtype)
