"""Results of the library: whole or partial, with notes; those of rows with data frames and a table that is written."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from swgui.core.table import Table
from swgui.io.outputs import check_outputs
from swgui.io.table_files import write_table
from swgui.library.calls import public
from swgui.library.frames import Tabular, table_format
from swgui.library.values import path_of
from swgui.library.writing import Output, Writable, is_open_file, save_to


class Result:
    """The result of a call.

    Parameters
    ----------
    notes : sequence of str
        Remarks for the user.
    inputs : sequence of (str, path)
        Files that were read, which no output may replace.
    """

    def __init__(self, notes: Sequence[str] = (), inputs: Sequence[tuple[str, Path]] = ()) -> None:
        self.notes, self._inputs = tuple(notes), tuple(inputs)

    @property
    def partial(self) -> bool:
        """Whether the work ended before all was done."""
        return False

    def _save(self, out: Output, save: Callable[[Path], object]) -> None:
        """Write to a path, which must not be a file that was read, or to an open file, by a function of a path."""
        save_to(out if is_open_file(out) else self._output(out), save)

    def _output(self, path: Output) -> Path:
        """Return where an output goes; `InvalidParameter` if that is a file that was read."""
        place = path_of(path)
        check_outputs({"path": place}, self._inputs)
        return place


class Written(Result, Writable):
    """The result of a call that `write` writes to a file; each class names its formats."""

    @public
    def write(self, path: Output, format: str | None = None) -> None:
        """Write the result to a file, whole or not at all.

        Parameters
        ----------
        path : path, or open file
            A file that is open for text or for bytes; it needs a `format`, unless the result is a table.
        format : str, optional
            One of the formats of the class; by the ending of the file if not given, and a table is ``tsv`` where that
            names none.

        Raises
        ------
        InvalidParameter
            If there is no such format, the result has nothing that it could hold, or the file is one that was read.
        FileNotWritten
            If it cannot be written there.
        """
        self._save(path, self._saver(path, format))

    @abstractmethod
    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        """Return a function that writes to a path, in a format or in that of the ending of an output."""


class RowsResult(Written, Tabular):
    """The result of a call, as rows of one table: ``tsv``, ``csv``, ``json`` and ``xlsx``."""

    def _table(self, columns: Sequence[str] | None) -> Table[Any]:
        raise NotImplementedError

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        form = table_format(path, format)
        return lambda place: write_table(str(place), self._table(None), form)
