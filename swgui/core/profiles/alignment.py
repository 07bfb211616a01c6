"""Many sequences aligned in the columns of one of them, the query; what they have between columns is kept beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alignment import Alignment, Op
from swgui.core.alphabet import Alphabet
from swgui.core.errors import ProfileError
from swgui.core.records import SequenceRecord

DELETION: Final = 254  # in a row: the column has no residue of it, but both sides have
OUTSIDE: Final = 255  # in a row: before its first or behind its last residue


@dataclass(frozen=True, slots=True, eq=False)
class AlignedRow:
    """One sequence, or a stretch of it, in the columns of the query.

    Parameters
    ----------
    id, description : str
    codes : ndarray, shape=(m,), dtype=uint8
        Code of the residue in each column, or `DELETION`, or `OUTSIDE`.
    insertions : mapping of int to bytes
        Upper-case residues behind a column, by its position from 0. None behind the last column that is covered.
    start : int
        Where the first residue lies in its sequence, from 0.
    log10_evalue : float
        Decadic logarithm of the E it was found with; NaN if unknown.
    """

    id: str
    description: str
    codes: NDArray[np.uint8] = field(repr=False)
    insertions: Mapping[int, bytes] = field(default_factory=dict, repr=False)
    start: int = 0
    log10_evalue: float = float("nan")

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
        """Position behind the last residue in its sequence."""
        return self.start + self.residues + sum(map(len, self.insertions.values()))


@dataclass(frozen=True, slots=True, eq=False)
class MasterAlignment:
    """An alignment in the columns of its first row, the query, which has a residue in each of them.

    Parameters
    ----------
    alphabet : Alphabet
    rows : tuple of AlignedRow
        The query first, the others best first.

    Raises
    ------
    ProfileError
        If there is no row, rows differ in length, or the query has a gap.
    """

    alphabet: Alphabet
    rows: tuple[AlignedRow, ...] = field(repr=False)

    def __post_init__(self) -> None:
        if not self.rows or not len(self.rows[0]):
            raise ProfileError("The alignment is empty.")
        for row in self.rows:
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
        return len(self.query)

    @property
    def codes(self) -> NDArray[np.uint8]:
        """Codes of all rows, shape (rows, m)."""
        return np.stack([row.codes for row in self.rows])

    @property
    def inserted(self) -> NDArray[np.int32]:
        """How many residues each row has behind each column, shape (rows, m)."""
        counts = np.zeros((len(self.rows), self.columns), dtype=np.int32)
        for number, row in enumerate(self.rows):
            for column, residues in row.insertions.items():
                counts[number, column] = len(residues)
        return counts

    @classmethod
    def of_query(cls, record: SequenceRecord, alphabet: Alphabet) -> MasterAlignment:
        """Return the alignment of a query with nobody."""
        return cls(alphabet, (AlignedRow(record.id, record.description, alphabet.encode(record.residues)),))

    def with_rows(self, rows: Sequence[AlignedRow]) -> MasterAlignment:
        """Return the query with other rows in place of those below it."""
        return MasterAlignment(self.alphabet, (self.query, *rows))


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
    at, position = alignment.query_start, alignment.subject_start
    for op, length in zip(alignment.ops.tolist(), alignment.lengths.tolist(), strict=True):
        if op == Op.MATCH:
            codes[at : at + length] = subject[position : position + length]
        elif op == Op.INSERTION:  # of the query: the subject lacks these columns
            codes[at : at + length] = DELETION
        else:
            insertions[at - 1] = alphabet.decode(subject[position : position + length])
        at += length if op != Op.DELETION else 0
        position += length if op != Op.INSERTION else 0
    return AlignedRow(id, description, codes, insertions, alignment.subject_start, log10_evalue)


def part_of_row(row: AlignedRow, first: int, last: int) -> AlignedRow | None:
    """Return what a row has in the columns from `first` up to and without `last`; None if that is no residue.

    It begins and ends with a residue; insertions at its ends are left out.
    """
    inside = np.flatnonzero(row.codes[first:last] < DELETION) + first
    if not len(inside):
        return None
    left, right = int(inside[0]), int(inside[-1]) + 1
    codes = np.full(len(row), OUTSIDE, dtype=np.uint8)
    codes[left:right] = row.codes[left:right]
    skipped = int((row.codes[:left] < DELETION).sum())
    skipped += sum(len(residues) for column, residues in row.insertions.items() if column < left)
    insertions = {column: residues for column, residues in row.insertions.items() if left <= column < right - 1}
    return AlignedRow(row.id, row.description, codes, insertions, row.start + skipped, row.log10_evalue)


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
