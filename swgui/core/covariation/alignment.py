"""An alignment of bases: their columns, and the pairs of a structure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import AlphabetMismatch
from swgui.core.profiles.alignment import MasterAlignment

BASES: Final = 4
LETTERS: Final = "ACGU"  # in the order of their codes
ABSENT: Final = 4  # code of gaps, and of letters that stand for several bases


def _codes_of_signs() -> NDArray[np.uint8]:
    table = np.full(256, ABSENT, dtype=np.uint8)
    for code, letter in enumerate(LETTERS):
        table[[ord(letter), ord(letter.lower())]] = code
    table[[ord("T"), ord("t")]] = LETTERS.index("U")
    return table


CODES: Final = _codes_of_signs()  # by ASCII; T is U


@dataclass(frozen=True, slots=True, eq=False)
class BaseAlignment:
    """Rows of bases in columns.

    Parameters
    ----------
    name : str
        Name of the family or of the query.
    ids : sequence of str
        Names of the rows.
    codes : ndarray, shape=(rows, columns), dtype=uint8
        0 to 3 for A, C, G, U; `ABSENT` for gaps and letters that stand for several bases.
    symbols : ndarray, shape=(rows, columns), dtype=uint8, optional
        ASCII, as a file has them; to show.
    partners : ndarray, shape=(columns,), dtype=int64, optional
        Column that each is paired with in a structure, from 0; -1 without. None if no structure is known.
    """

    name: str
    ids: Sequence[str] = field(repr=False)
    codes: NDArray[np.uint8] = field(repr=False)
    partners: NDArray[np.int64] | None = field(default=None, repr=False)
    symbols: NDArray[np.uint8] | None = field(default=None, repr=False)

    @property
    def consensus(self) -> NDArray[np.uint8]:
        """The most frequent base of each column, shape (columns,); `ABSENT` where no row has one."""
        counts = np.stack([(self.codes == base).sum(axis=0) for base in range(BASES)])
        return np.where(counts.max(axis=0) > 0, counts.argmax(axis=0), ABSENT).astype(np.uint8)

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Pairs of the structure, shape (pairs, 2): the left column, then the right one; none without a structure."""
        if self.partners is None:
            return np.zeros((0, 2), dtype=np.int64)
        left = np.flatnonzero(self.partners > np.arange(len(self.partners)))
        return np.stack([left, self.partners[left]], axis=1)


def symbols_of(rows: Iterable[bytes]) -> NDArray[np.uint8]:
    """Rows of one length as ASCII, shape (rows, columns)."""
    return np.stack([np.frombuffer(row, dtype=np.uint8) for row in rows])


def bases_of(alignment: MasterAlignment) -> BaseAlignment:
    """Columns of a query as an alignment of bases, without a structure.

    Raises
    ------
    AlphabetMismatch
        If it is of proteins.
    """
    if alignment.alphabet.name != NUCLEOTIDE.name:
        raise AlphabetMismatch(NUCLEOTIDE.name, alignment.alphabet.name, "alignment")
    letters = np.full(256, ord("-"), dtype=np.uint8)
    symbols = alignment.alphabet.letters.encode("ascii")
    letters[: len(symbols)] = np.frombuffer(symbols, dtype=np.uint8)
    ids = [row.id for row in alignment.rows]
    return BaseAlignment(alignment.query.id, ids, CODES[letters[alignment.codes]])
