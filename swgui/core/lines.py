"""Columns of tables in the form that compiled code writes them in (`swgui.io.lines`, kernels/cpu/lines.c)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
import numpy as np
from numpy.typing import NDArray

INTEGER, REAL, EVALUE, TEXT, CIGAR = range(5)
NO_FORMULAS, NO_BLANKS, PLAIN_LETTERS = 1, 2, 4  # texts with what is named are refused, so that Python writes them
MAX_DECIMALS: Final = 6
NOT_KNOWN, BELOW_ALL, ABOVE_ALL = -1, -2, -3  # in place of the first figures of E: NaN, minus infinity, infinity
_TYPES: Final = {INTEGER: np.int64, REAL: np.float64, EVALUE: np.int64, TEXT: np.uint8, CIGAR: np.uint8}


class Cells(msgspec.Struct, frozen=True, eq=False):
    """The cells of one column; the members are those of `line_column` in kernels/cpu/lines.c."""

    kind: int
    values: NDArray[Any]  # shape (n,), of texts all their bytes, of alignments the kinds of all runs
    how: int = 0
    # others, places, backwards: ndarrays, of what `line_column` says
    others: NDArray[np.int64] | None = None
    places: NDArray[np.int64] | None = None
    backwards: NDArray[np.bool_] | None = None

    @property
    def value_type(self) -> Any:
        """Type of `values` in compiled code."""
        return _TYPES[self.kind]


def packed_texts(texts: Sequence[str], rows: NDArray[np.int64] | None = None) -> Cells:
    """Return texts as cells.

    Parameters
    ----------
    rows : ndarray, shape=(n,), dtype=int64, optional
        Which of the texts each row has; that of its number if not given.
    """
    joined = "".join(texts)
    if joined.isascii():
        data, sizes = joined.encode("ascii"), list(map(len, texts))
    else:
        parts = [text.encode("utf-8", "surrogatepass") for text in texts]
        data, sizes = b"".join(parts), list(map(len, parts))
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return Cells(TEXT, np.frombuffer(data, dtype=np.uint8), others=offsets, places=rows)
