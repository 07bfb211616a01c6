"""Many sequences aligned in the columns of one of them, the query; their residues between columns are separate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, overload

import msgspec
import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op
from swgui.core.alphabet import Alphabet
from swgui.core.errors import ProfileError
from swgui.core.records import SequenceRecord
from swgui.core.texts import PickedTexts

DELETION: Final = 254  # in a row: the column has no residue of it, but both sides have
OUTSIDE: Final = 255  # in a row: before its first or behind its last residue


@dataclass(frozen=True, slots=True, eq=False)
class AlignedRow:
    """One sequence, or a stretch of it, in the columns of the query."""

    id: str
    description: str
    # Code of the residue in each column, or `DELETION`, or `OUTSIDE`, shape (m,).
    codes: NDArray[np.uint8] = field(repr=False)
    # Upper-case residues behind a column, by its position from 0. None behind the last column that is covered.
    insertions: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    start: int = 0  # where the first residue lies in its sequence, from 0
    log10_evalue: float = float("nan")  # decadic logarithm of the E it was found with; NaN if unknown
    strand: int = 1  # -1 for the reverse complement of its sequence, which the row reads from `start` downwards

    def __post_init__(self) -> None:
        self.codes.setflags(write=False)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def residues(self) -> int:
        """Residues in columns."""
        return int((self.codes < DELETION).sum())

    @property
    def end(self) -> int:
        """Position behind the last residue in its sequence; below the last one on strand -1."""
        return self.start + self.strand * self.length

    @property
    def length(self) -> int:
        """Residues in columns and between them."""
        return self.residues + sum(map(len, self.insertions.values()))

    @property
    def place(self) -> str:
        """First and last residue in its sequence, from 1: ``3-40``, falling on strand -1."""
        return f"{self.start + 1}-{self.start + 1 + self.strand * (self.length - 1)}"


@dataclass(frozen=True, eq=False)
class RowTable(Sequence[AlignedRow]):
    """Rows as arrays, n of them: a row becomes an object on access, and stays that object."""

    alphabet: Alphabet
    ids: Sequence[str] = field(repr=False)
    descriptions: Sequence[str] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)  # as of `AlignedRow`, shape (n, m)
    starts: NDArray[np.int64] = field(repr=False)  # shape (n,)
    log10_evalues: NDArray[np.float64] = field(repr=False)  # shape (n,)
    # Row, preceding column and residues of each insertion; in the order of rows, shape (k, 3).
    places: NDArray[np.int64] = field(repr=False)
    inserted: NDArray[np.uint8] = field(repr=False)  # codes of the residues of all insertions, concatenated
    strands: NDArray[np.int8] | None = field(default=None, repr=False)  # 1 or -1, shape (n,); all 1 without it

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, index: int) -> AlignedRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[AlignedRow, ...]: ...
    def __getitem__(self, index: int | slice) -> AlignedRow | tuple[AlignedRow, ...]:
        """Return one row, or several."""
        if isinstance(index, slice):
            return tuple(map(self._row, range(*index.indices(len(self)))))
        return self._row(range(len(self))[index])

    def take(self, rows: NDArray[np.int64]) -> RowTable:
        """Return some rows, by their places in ascending order."""
        place = np.full(len(self), -1)
        place[rows] = np.arange(len(rows))
        places = self.places.copy()
        places[:, 0] = place[places[:, 0]]
        kept = places[:, 0] >= 0
        return RowTable(
            self.alphabet,
            _picked(self.ids, rows),
            _picked(self.descriptions, rows),
            self.codes[rows],
            self.starts[rows],
            self.log10_evalues[rows],
            places[kept],
            self.inserted[np.repeat(kept, places[:, 2])],
            None if self.strands is None else self.strands[rows],
        )

    @cached_property
    def _made(self) -> dict[int, AlignedRow]:
        return {}

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """Ends of the residues of each insertion."""
        return np.cumsum(self.places[:, 2])

    def _row(self, line: int) -> AlignedRow:
        if line not in self._made:
            first, last = np.searchsorted(self.places[:, 0], [line, line + 1]).tolist()
            insertions = {
                column: self.alphabet.decode(self.inserted[end - length : end])
                for (column, length), end in zip(
                    self.places[first:last, 1:].tolist(), self._ends[first:last].tolist(), strict=True
                )
            }
            evalue, strand = float(self.log10_evalues[line]), 1 if self.strands is None else int(self.strands[line])
            where = int(self.starts[line]), evalue, strand
            row = AlignedRow(self.ids[line], self.descriptions[line], self.codes[line], insertions, *where)
            self._made.setdefault(line, row)  # another thread may have been here
        return self._made[line]


class MasterAlignment(msgspec.Struct, frozen=True, eq=False):
    """An alignment in the columns of its first row, the query, which has a residue in each of them.

    Raises
    ------
    ProfileError
        If there is no row, rows differ in length, or the query has a gap.
    """

    alphabet: Alphabet
    # A tuple or a `RowTable`. The query first, the others best first.
    rows: Sequence[AlignedRow]
    # Members that are certain (`swgui.jobs.iterate.certain`), shape (rows,); None where that is not known.
    certain: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if isinstance(self.rows, RowTable) and self.rows.codes.size and self.rows.codes[0].max() < DELETION:
            return  # without an object for its query
        if not self.rows or not len(self.rows[0]):
            raise ProfileError("The alignment is empty.")
        for row in () if isinstance(self.rows, RowTable) else self.rows:
            if len(row) != len(self.query):
                raise ProfileError(
                    f"'{row.id}' has {len(row)} columns in an alignment of {len(self.query)}.",
                    hint="All rows of an alignment need as many columns as the first one.",
                )
        if (self.query.codes >= DELETION).any():
            raise ProfileError(f"'{self.query.id}', the first row of the alignment, has a gap in one of its columns.")

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def query(self) -> AlignedRow:
        """The first row."""
        return self.rows[0]

    @property
    def columns(self) -> int:
        """Residues of the query."""
        return self.rows.codes.shape[1] if isinstance(self.rows, RowTable) else len(self.query)

    @property
    def ids(self) -> list[str]:
        """Names of all rows."""
        return list(self.rows.ids) if isinstance(self.rows, RowTable) else [row.id for row in self.rows]

    @property
    def codes(self) -> NDArray[np.uint8]:
        """Codes of all rows, shape (rows, m)."""
        if isinstance(self.rows, RowTable):
            return self.rows.codes
        return np.stack([row.codes for row in self.rows])

    @property
    def insertions(self) -> NDArray[np.int64]:
        """Each insertion: its row, the column before it, and how many residues it has; shape (k, 3)."""
        if isinstance(self.rows, RowTable):
            return self.rows.places
        places = [
            (number, column, len(residues))
            for number, row in enumerate(self.rows)
            for column, residues in row.insertions.items()
        ]
        return np.array(places, dtype=np.int64).reshape(-1, 3)

    @property
    def inserted(self) -> NDArray[np.int32]:
        """Number of residues of each row behind each column, shape (rows, m)."""
        counts = np.zeros((len(self.rows), self.columns), dtype=np.int32)
        row, column, length = self.insertions.T
        counts[row, column] = length
        return counts

    def take(self, rows: NDArray[np.int64]) -> MasterAlignment:
        """Return the alignment of some rows, by their places in ascending order, the query's 0 first."""
        if isinstance(self.rows, RowTable):
            return MasterAlignment(self.alphabet, self.rows.take(rows))
        return MasterAlignment(self.alphabet, tuple(self.rows[row] for row in rows.tolist()))

    @property
    def of_certain(self) -> MasterAlignment:
        """The alignment of its certain members alone; itself where all are, or none is known to be in doubt."""
        if self.certain is None or self.certain.all():
            return self
        return self.take(np.flatnonzero(self.certain))

    @classmethod
    def of_query(cls, record: SequenceRecord, alphabet: Alphabet) -> MasterAlignment:
        """Return the alignment of a query alone."""
        return cls(alphabet, (AlignedRow(record.id, record.description, alphabet.encode(record.residues)),))

    def with_rows(self, rows: Sequence[AlignedRow]) -> MasterAlignment:
        """Return the query with other rows in place of those below it."""
        return MasterAlignment(self.alphabet, (self.query, *rows))


def _picked(texts: Sequence[str], rows: NDArray[np.int64]) -> PickedTexts:
    """Return some texts, by their places in ascending order."""
    return texts.take(rows) if isinstance(texts, PickedTexts) else PickedTexts(texts, rows)


def row_of(
    alignment: Alignment,
    columns: int,
    subject: NDArray[np.uint8],
    alphabet: Alphabet,
    *,
    id: str,
    description: str = "",
    log10_evalue: float = float("nan"),
) -> AlignedRow:
    """Write a pairwise alignment as a row in the columns of the query.

    Parameters
    ----------
    alignment : Alignment
        At least one pair is aligned.
    columns : int
        Residues of the query.
    subject : ndarray, shape=(n,), dtype=uint8
        Codes of the whole subject.
    """
    codes = np.full(columns, OUTSIDE, dtype=np.uint8)
    insertions: dict[int, bytes] = {}
    column, position = alignment.query_start, alignment.subject_start
    for op, length in zip(alignment.ops.tolist(), alignment.lengths.tolist(), strict=True):
        if op == Op.MATCH:
            codes[column : column + length] = subject[position : position + length]
        elif op == Op.INSERTION:  # of the query: the subject lacks these columns
            codes[column : column + length] = DELETION
        else:
            insertions[column - 1] = alphabet.decode(subject[position : position + length])
        column += length if op != Op.DELETION else 0
        position += length if op != Op.INSERTION else 0
    return AlignedRow(id, description, codes, insertions, alignment.subject_start, log10_evalue)


def close_ends(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a row in which gaps before its first and behind its last residue count as `OUTSIDE`.

    Parameters
    ----------
    codes : ndarray, shape=(m,), dtype=uint8
        As files have it: residues and `DELETION`.
    """
    closed = codes.copy()
    inside = np.flatnonzero(codes < DELETION)
    if not len(inside):
        closed[:] = OUTSIDE
        return closed
    closed[: inside[0]] = OUTSIDE
    closed[inside[-1] + 1 :] = OUTSIDE
    return closed
