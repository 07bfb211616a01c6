"""Measured speed of tiles: rows per thread, threads per block, and whether columns are interleaved.

Each entry is the best of the variants tried at its number of rows (H200, database of 164 million residues,
8 lanes, a query that fills the tile); entries below 10 rows and most of `WORDS` and `SINGLE` are estimates between
measured ones. They only steer the choice of a tile: on another card a neighbouring tile may be a little faster.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Rate(NamedTuple):
    """Speed of one height of tile.

    Parameters
    ----------
    rows : int
        Query rows per thread.
    threads : int
        Threads per block.
    skew : int
        Rows by which the second of two columns follows the first (`rows`: not interleaved).
    speed : float
        10^12 cells per second.
    halves : bool
        See `Tile`.
    """

    rows: int
    threads: int
    skew: int
    speed: float
    halves: bool = False


# fmt: off
# Two subjects, packed profile.
PACKED: Final = (
    Rate(2, 512, 2, 2.60), Rate(3, 512, 3, 3.30), Rate(4, 512, 4, 3.90), Rate(5, 512, 5, 4.30),
    Rate(6, 512, 6, 4.80), Rate(7, 512, 7, 5.10), Rate(8, 512, 8, 5.50), Rate(9, 512, 9, 5.70),
    Rate(10, 512, 4, 6.00), Rate(11, 512, 11, 6.13), Rate(12, 512, 12, 6.21), Rate(13, 512, 13, 6.27),
    Rate(14, 512, 14, 6.38), Rate(15, 512, 4, 6.51), Rate(16, 384, 4, 6.64), Rate(17, 512, 17, 6.60),
    Rate(18, 512, 18, 6.69), Rate(19, 512, 19, 6.89), Rate(20, 512, 20, 6.76), Rate(21, 512, 21, 6.72),
    Rate(22, 512, 22, 6.83), Rate(23, 384, 23, 7.04), Rate(24, 384, 4, 6.92), Rate(25, 384, 25, 6.87),
    Rate(26, 512, 26, 6.94), Rate(27, 384, 4, 6.99), Rate(28, 384, 28, 6.90), Rate(29, 384, 4, 6.88),
    Rate(30, 384, 30, 7.02), Rate(31, 384, 4, 7.05), Rate(32, 384, 32, 7.10), Rate(33, 384, 4, 6.96),
    Rate(34, 256, 4, 6.96), Rate(35, 256, 35, 6.91), Rate(36, 384, 36, 6.97), Rate(37, 256, 4, 6.86),
    Rate(38, 256, 38, 6.93), Rate(39, 256, 39, 6.95), Rate(40, 384, 40, 7.11), Rate(41, 256, 4, 7.00),
    Rate(42, 256, 4, 7.10), Rate(43, 384, 43, 7.00), Rate(44, 256, 4, 6.99), Rate(45, 256, 4, 6.99),
    Rate(46, 256, 4, 7.05), Rate(47, 256, 4, 6.93), Rate(48, 256, 4, 7.10), Rate(49, 256, 4, 7.09),
    Rate(50, 256, 4, 7.05), Rate(51, 256, 4, 7.02), Rate(52, 256, 4, 7.26), Rate(53, 256, 4, 7.17),
    Rate(54, 256, 4, 7.09), Rate(55, 256, 55, 6.94), Rate(56, 256, 56, 7.00), Rate(57, 256, 4, 7.04),
    Rate(58, 256, 4, 6.90), Rate(59, 256, 4, 6.85), Rate(60, 256, 60, 6.87),
)

# Two subjects, profile of words.
WORDS: Final = (
    Rate(2, 512, 2, 2.40), Rate(4, 512, 4, 3.60), Rate(8, 512, 8, 5.00), Rate(12, 512, 12, 5.60),
    Rate(16, 512, 16, 6.00), Rate(20, 512, 20, 6.20), Rate(24, 512, 24, 6.20), Rate(28, 384, 28, 6.20),
    Rate(32, 384, 32, 6.25), Rate(36, 384, 36, 6.20), Rate(40, 256, 40, 6.00), Rate(48, 256, 48, 6.10),
    Rate(56, 256, 56, 6.00),
)

# Two queries.
QUERIES: Final = (
    Rate(2, 512, 2, 3.00), Rate(4, 512, 4, 4.40), Rate(6, 512, 6, 5.20), Rate(8, 512, 8, 6.00),
    Rate(10, 512, 10, 6.40), Rate(12, 512, 12, 6.71), Rate(14, 512, 4, 6.93), Rate(16, 512, 4, 7.14),
    Rate(18, 512, 4, 7.18), Rate(20, 512, 20, 7.19), Rate(22, 512, 22, 7.32), Rate(24, 512, 24, 7.51),
    Rate(26, 512, 4, 7.45), Rate(28, 512, 28, 7.54), Rate(30, 512, 30, 7.62), Rate(32, 512, 4, 7.66),
    Rate(34, 384, 34, 7.54), Rate(36, 384, 4, 7.54), Rate(38, 384, 4, 7.76), Rate(40, 384, 4, 7.75),
    Rate(42, 384, 4, 7.38), Rate(44, 384, 44, 7.55), Rate(46, 384, 4, 7.67), Rate(48, 256, 48, 7.66),
    Rate(52, 256, 4, 7.65), Rate(56, 256, 56, 7.71), Rate(60, 256, 4, 7.32), Rate(64, 256, 64, 7.24),
    Rate(68, 256, 68, 7.55), Rate(72, 256, 4, 7.43), Rate(76, 256, 76, 7.66),
)

# One score of 32 bits.
SINGLE: Final = (
    Rate(2, 512, 2, 1.40), Rate(4, 512, 4, 2.20), Rate(8, 512, 8, 2.90), Rate(12, 512, 12, 3.30),
    Rate(16, 512, 16, 3.50), Rate(20, 512, 20, 3.60), Rate(24, 512, 24, 3.67), Rate(28, 384, 28, 3.70),
    Rate(32, 384, 32, 3.72), Rate(36, 384, 36, 3.74), Rate(48, 256, 48, 3.70), Rate(64, 256, 64, 3.66),
)
# fmt: on
