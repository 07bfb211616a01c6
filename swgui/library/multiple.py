"""Many sequences in the columns of a query."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, overload

import numpy as np
from numpy.typing import NDArray

from swgui.core.profiles.alignment import DELETION, MasterAlignment
from swgui.core.words import count
from swgui.io.profiles.alignments import a3m_row
from swgui.io.profiles.base import ProfileFormat
from swgui.io.profiles.saving import Content, format_for
from swgui.io.whole_file import save_text
from swgui.library.result import Written
from swgui.library.values import path_of
from swgui.library.writing import Output, is_open_file

_SHOWN_ROWS: Final = 10
_SHOWN_COLUMNS: Final = 80


class MultipleAlignment(Sequence[str], Written):
    """Many sequences in the columns of a query: ``alignment[0]`` is the row of the query, then the others, best first.

    Rows have ``-`` in gaps; residues of a sequence between the columns of the query are left out of them, but not of
    the files that `write` makes, in the formats ``a3m``, ``sto`` and ``afa``.
    """

    _usual_format = "a3m"

    def __init__(self, alignment: MasterAlignment, inputs: Sequence[tuple[str, Path]] = ()) -> None:
        super().__init__(inputs=inputs)
        self.found = alignment

    @property
    def query_id(self) -> str:
        """Identifier of the query."""
        return self.found.query.id

    @property
    def ids(self) -> list[str]:
        """Identifiers of the rows, the query first."""
        return [row.id for row in self.found.rows]

    @property
    def columns(self) -> int:
        """Number of columns: the residues of the query."""
        return self.found.columns

    @property
    def log10_evalues(self) -> NDArray[np.float64]:
        """Decadic logarithm of the E-value of each row, shape (rows,); NaN for the query."""
        return np.array([row.log10_evalue for row in self.found.rows])

    def __len__(self) -> int:
        """Return the number of rows, the query included."""
        return len(self.found)

    @overload
    def __getitem__(self, key: int) -> str: ...
    @overload
    def __getitem__(self, key: slice) -> list[str]: ...

    def __getitem__(self, key: int | slice) -> str | list[str]:
        if isinstance(key, slice):
            return [self[index] for index in range(len(self))[key]]
        codes = self.found.rows[key].codes
        symbols = np.frombuffer(self.found.alphabet.letters.encode().ljust(256, b"-"), dtype=np.uint8)
        return symbols[codes].tobytes().decode("ascii")

    def to_array(self) -> NDArray[np.str_]:
        """Return the alignment as an array of single characters, shape (rows, columns)."""
        return np.array([list(row) for row in self])

    @property
    def depth(self) -> NDArray[np.int64]:
        """How many rows have a residue in each column, shape (columns,)."""
        depth: NDArray[np.int64] = (self.found.codes < DELETION).sum(axis=0)
        return depth

    def a3m(self) -> Iterator[tuple[str, str]]:
        """Yield identifier and residues of each row as A3M has them, insertions in lower case."""
        return ((row.id, a3m_row(self.found, row)) for row in self.found.rows)

    def _saver(self, path: Output, format: str | None) -> Callable[[Path], object]:
        write = profile_format(path, format, "alignment").write_alignment
        assert write is not None
        text = write(self.found)
        return lambda place: save_text(place, lambda out: out.write(text))

    def __repr__(self) -> str:
        return f"<MultipleAlignment of {self.query_id}: {count(len(self), 'row')}, {self.columns:,} columns>"

    def _repr_html_(self) -> str:
        from swgui.library.notebook import as_html  # here: for notebooks alone

        rows = [(name, row[:_SHOWN_COLUMNS]) for name, row in zip(self.ids, self[:_SHOWN_ROWS], strict=False)]
        more = [f"{len(self) - len(rows):,} more rows are not shown."] if len(self) > len(rows) else []
        return as_html(repr(self).strip("<>"), ("row", "residues"), rows, more)


def profile_format(path: Output, format: str | None, content: Content) -> ProfileFormat:
    """Return the format of an alignment or a profile: the one that is named, or that of the ending of a file.

    Raises
    ------
    InvalidParameter
        If there is no such format.
    """
    ending = "" if is_open_file(path) else str(path_of(path))
    return format_for(ending if format is None else f".{format}", content, "path")
