"""What a piece of work costs in each library: decides which one does it and how large pieces are.

Nothing here touches a score; a wrong figure costs time only. The figures were fitted to runs of pyopal
0.7.3 and parasail 1.3.4 on one AVX2 core (protein queries of 31 to 5,000 residues, 8-bit arithmetic), and of
the compiled library with AVX2 and AVX-512; on other processors their ratios move little.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

LANES: Final = 32  # subjects that Opal scores side by side (AVX2, 8 bit)
OPAL_COLUMN_NS: Final = 7.0  # building the scores of one subject residue, in one lane
OPAL_CELL_NS: Final = 1 / 15.5
COMPILED_COLUMN_NS: Final = 1.0
COMPILED_CELL_NS: Final = {32: 1 / 26, 64: 1 / 55}  # by lanes
STRIPED_COLUMN_NS: Final = 17.0
STRIPED_CELL_NS: Final = 1 / 20
SCAN_SLOWER: Final = 2.0  # the scan kernels against the striped ones
STRIPED_PAIR_NS: Final = 1_000.0  # one call
INTERPRETER_NS: Final = 1_500.0  # part of a call and its loop that only one thread at a time can do
NUMPY_CELL_NS: Final = 6.0
NUMPY_ROW_NS: Final = 20_000.0
NUMPY_MIN: Final = 4_096


def opal_ns(query_length: int, lengths: NDArray[np.integer]) -> float:
    """Estimate the time of one Opal call; a lane that holds a long subject is waited for.

    Parameters
    ----------
    lengths : ndarray, shape=(n,)
        Of the subjects.
    """
    if not len(lengths):
        return 0.0
    columns = max(float(lengths.sum()), float(lengths.max()) * LANES)
    return columns * (OPAL_COLUMN_NS + query_length * OPAL_CELL_NS)


def striped_ns(query_length: int, lengths: NDArray[np.integer], threads: int, *, scan: bool = False) -> float:
    """Estimate the time of one parasail call per subject, with `threads` threads doing the same."""
    column = STRIPED_COLUMN_NS + query_length * STRIPED_CELL_NS * (SCAN_SLOWER if scan else 1.0)
    pair = lengths * column + STRIPED_PAIR_NS
    return float(np.maximum(pair, threads * INTERPRETER_NS).sum())


def compiled_ns(query_length: int, lengths: NDArray[np.integer], lanes: int) -> float:
    """Estimate the time of one call of the compiled library with so many lanes; each group waits for its longest.

    Parameters
    ----------
    lengths : ndarray, shape=(n,)
        Of the subjects.
    """
    longest = np.sort(lengths)[::-1][::lanes]
    return float(longest.sum()) * lanes * (COMPILED_COLUMN_NS + query_length * COMPILED_CELL_NS[lanes])


def residues_for(ns: float, query_length: int, *, fast: bool) -> int:
    """Return how many residues of middling subjects take about `ns` nanoseconds."""
    if fast:
        return max(1, int(ns / (OPAL_COLUMN_NS + query_length * OPAL_CELL_NS)))
    # Below a few thousand residues a row is mostly the overhead of NumPy's calls.
    return max(NUMPY_MIN, int((ns / max(1, query_length) - NUMPY_ROW_NS) / NUMPY_CELL_NS))
