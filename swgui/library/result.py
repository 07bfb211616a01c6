"""Results of the library: whole or partial, with notes; those of rows with data frames and a table that is written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from swgui.core.table import Table
from swgui.io.outputs import check_outputs
from swgui.library.calls import public
from swgui.library.frames import Tabular, write_rows
from swgui.library.values import path_of


class Result:
    """What a call has found.

    Parameters
    ----------
    notes : sequence of str
        What users should know of it.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(self, notes: Sequence[str] = (), inputs: Sequence[tuple[str, Path]] = ()) -> None:
        self.notes, self._inputs = tuple(notes), tuple(inputs)

    @property
    def partial(self) -> bool:
        """Whether the work ended before all was done."""
        return False

    def _output(self, path: str | os.PathLike[str]) -> Path:
        """Return where an output goes; `InvalidParameter` if that is a file that was read."""
        place = path_of(path)
        check_outputs({"path": place}, self._inputs)
        return place


class RowsResult(Result, Tabular):
    """What a call has found, as rows of one table."""

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        raise NotImplementedError

    @public
    def write(self, path: str | os.PathLike[str], format: str = "") -> None:
        """Write the table that the command writes, whole or not at all.

        Parameters
        ----------
        format : {"tsv", "csv", "json", "xlsx"}, optional
            By the ending of the file if not given, else by tabs.

        Raises
        ------
        InvalidParameter
            If there is no such format, or the file was read for it.
        FileNotWritten
            If it cannot be written there.
        """
        write_rows(self._table(None), path, format, self._inputs)
