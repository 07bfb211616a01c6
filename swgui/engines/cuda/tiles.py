"""Figures of tiles, all in one place: measurements of each family of kernels, which steer the choice.

The program's own search kernel (``streaming.cu``) has a table of measured speeds: rows per thread, threads per block,
and True for interleaved columns; `swgui.engines.cuda.streaming.variants.select_tile` chooses by it. Each entry is the
best of the variants tried at its number of rows (H200, database of 164 million residues, 8 lanes, a query that fills
the tile); entries below 16 rows of `SINGLE` are estimates. `PACKED`, `WORDS` and `QUERIES` are of 26 November 2026,
with NVRTC 13.0: where registers are full, bank conflicts decide, and another compiler may have others. For 53, 55, 58
and 60 rows the table has the variant with few of them in the middle passes of a long query as well. The tables only
steer the choice of a tile: on another GPU a neighbouring tile may be a little faster. `swgui bench --tune` measures
them on the GPU at hand; `swgui.engines.cuda.streaming.tables` has what was measured there.
"""

from __future__ import annotations

from typing import Final

from swgui.core.sweep.tile_rates import Rate

# Time above that of 8 lanes at equal rows: 4 lanes take units and note scores twice as often per column;
# more lanes lose a little where a database ends. A pass over borders costs as much as some more rows.
LANES_COST: Final = {4: 0.35, 8: 0.0, 16: 0.005, 32: 0.01}
PASS_ROWS: Final = 48
# A group whose GPU is otherwise idle takes 36 ns for a row of a block (and as long as for 8 rows for the rest of
# a step). The speeds below are those of all 132 multiprocessors.
STEP_ROWS: Final = 8
ROW_SECONDS: Final = 36e-9
MULTIPROCESSORS: Final = 132
# `intra.cu`: threads per block, rows per thread.
INTRA_THREADS: Final = (32, 64, 128, 256)
INTRA_ROWS: Final = (4, 8, 12, 16)
INTRA_ROW_SECONDS: Final = 6e-8  # a row of a step of a block that has a multiprocessor to itself


# fmt: off
# Two subjects, packed profile.
PACKED: Final = (
    Rate(2, 512, 2, 2.75), Rate(3, 512, 3, 3.98, True), Rate(4, 512, 4, 4.49, True), Rate(5, 512, 5, 4.68, True),
    Rate(6, 512, 6, 5.16, True), Rate(7, 512, 5, 5.45), Rate(8, 512, 5, 5.95), Rate(9, 512, 5, 5.98, True),
    Rate(10, 512, 4, 6.01), Rate(11, 512, 6, 6.08, True), Rate(12, 512, 12, 6.17, True), Rate(13, 512, 8, 6.29, True),
    Rate(14, 512, 8, 6.42), Rate(15, 512, 15, 6.61, True), Rate(16, 512, 5, 6.75, True), Rate(17, 512, 17, 6.72, True),
    Rate(18, 512, 18, 6.67), Rate(19, 512, 6, 6.73, True), Rate(20, 512, 5, 6.71, True), Rate(21, 384, 8, 6.74, True),
    Rate(22, 384, 4, 6.84), Rate(23, 384, 5, 6.90), Rate(24, 384, 24, 6.98), Rate(25, 384, 8, 6.89),
    Rate(26, 384, 5, 6.93), Rate(27, 384, 27, 7.05), Rate(28, 384, 6, 6.98, True), Rate(29, 384, 29, 6.96, True),
    Rate(30, 384, 30, 7.14, True), Rate(31, 384, 5, 7.05, True), Rate(32, 384, 4, 7.14), Rate(33, 384, 4, 7.11),
    Rate(34, 384, 4, 7.12, True), Rate(35, 384, 6, 7.06), Rate(36, 256, 4, 7.02), Rate(37, 256, 4, 7.11),
    Rate(38, 256, 6, 7.14), Rate(39, 256, 4, 7.11), Rate(40, 256, 4, 7.25), Rate(41, 256, 8, 7.09, True),
    Rate(42, 256, 6, 7.06, True), Rate(43, 256, 6, 7.09), Rate(44, 256, 4, 7.14, True), Rate(45, 256, 4, 7.11),
    Rate(46, 256, 4, 7.21), Rate(47, 256, 4, 7.21), Rate(48, 256, 8, 7.18, True), Rate(49, 256, 5, 7.19),
    Rate(50, 256, 50, 7.14, True), Rate(51, 256, 5, 7.21), Rate(52, 256, 6, 7.14, True), Rate(53, 256, 5, 7.05, True),
    Rate(54, 256, 5, 7.11), Rate(55, 256, 6, 7.10, True), Rate(56, 256, 56, 7.18, True), Rate(57, 256, 5, 7.22),
    Rate(58, 256, 5, 7.04, True), Rate(60, 256, 60, 7.13, True),
)

# Two subjects, profile of words.
WORDS: Final = (
    Rate(2, 512, 2, 2.72), Rate(4, 512, 4, 4.33), Rate(8, 512, 4, 5.49), Rate(12, 512, 5, 5.92, True),
    Rate(16, 512, 4, 6.12, True), Rate(20, 512, 4, 6.26), Rate(24, 384, 24, 6.41), Rate(28, 384, 28, 6.41),
    Rate(32, 384, 5, 6.68), Rate(36, 384, 4, 6.49, True), Rate(40, 384, 6, 6.50, True), Rate(44, 256, 6, 6.45),
    Rate(48, 256, 48, 6.39, True), Rate(52, 256, 52, 6.37, True), Rate(56, 256, 56, 6.38, True),
)

# Two queries.
QUERIES: Final = (
    Rate(2, 512, 2, 3.58, True), Rate(4, 512, 4, 5.07, True), Rate(6, 512, 4, 5.83, True), Rate(8, 512, 4, 6.46),
    Rate(10, 512, 8, 6.58), Rate(12, 512, 12, 6.84), Rate(14, 512, 6, 7.03, True), Rate(16, 512, 4, 7.09, True),
    Rate(18, 512, 8, 7.21, True), Rate(20, 384, 20, 7.30, True), Rate(22, 512, 6, 7.44), Rate(24, 384, 5, 7.59, True),
    Rate(26, 512, 8, 7.46), Rate(28, 512, 5, 7.50), Rate(30, 512, 4, 7.66), Rate(32, 512, 8, 7.73),
    Rate(34, 384, 6, 7.73), Rate(36, 384, 4, 7.64), Rate(38, 384, 8, 7.83), Rate(40, 384, 4, 7.82, True),
    Rate(42, 384, 4, 7.72), Rate(44, 384, 4, 7.78, True), Rate(46, 384, 6, 7.82), Rate(48, 384, 5, 7.84),
    Rate(50, 256, 4, 7.72), Rate(52, 256, 5, 7.76), Rate(54, 256, 4, 7.86), Rate(56, 256, 8, 7.72),
    Rate(58, 256, 8, 7.81), Rate(60, 256, 5, 7.74), Rate(62, 256, 8, 7.80), Rate(64, 256, 6, 7.81),
    Rate(66, 256, 4, 7.88), Rate(68, 256, 5, 7.73, True), Rate(70, 256, 8, 7.62), Rate(72, 256, 8, 7.63),
    Rate(74, 256, 5, 7.60, True), Rate(76, 256, 76, 7.34),
)

# One score of 32 bits.
SINGLE: Final = (
    Rate(2, 512, 2, 1.40), Rate(4, 512, 4, 2.20), Rate(8, 512, 8, 2.90), Rate(12, 512, 12, 3.30),
    Rate(16, 512, 4, 3.56, True), Rate(24, 512, 24, 3.70), Rate(28, 384, 4, 3.70, True),
    Rate(32, 384, 32, 3.76, True), Rate(36, 384, 36, 3.76), Rate(40, 256, 40, 3.67, True),
    Rate(48, 256, 4, 3.69, True), Rate(56, 256, 4, 3.82, True),
)
# Gap costs by position, two subjects, packed profile; they take 4 registers a row. Other pairings choose by it too.
POSITIONS: Final = (
    Rate(2, 512, 2, 2.22), Rate(3, 512, 3, 3.27), Rate(4, 512, 4, 3.68), Rate(5, 512, 2, 3.90),
    Rate(6, 512, 4, 4.12), Rate(7, 512, 2, 4.45), Rate(8, 512, 2, 4.41), Rate(9, 512, 9, 4.47),
    Rate(10, 512, 2, 4.59), Rate(11, 512, 11, 4.63), Rate(12, 512, 12, 4.72), Rate(13, 384, 2, 4.69),
    Rate(14, 384, 4, 4.63), Rate(15, 384, 15, 4.66), Rate(16, 384, 2, 4.80), Rate(17, 384, 17, 4.73),
    Rate(18, 256, 4, 4.86), Rate(19, 256, 4, 4.72), Rate(20, 256, 4, 4.88), Rate(21, 256, 2, 4.84),
    Rate(22, 256, 2, 4.93), Rate(23, 256, 2, 4.97), Rate(24, 256, 2, 5.01), Rate(25, 256, 4, 4.88),
    Rate(26, 256, 4, 5.05), Rate(27, 256, 27, 4.92), Rate(28, 256, 2, 5.06),
)
# First residues by position alone, as measured for packed profiles: 2 registers a row.
OPENINGS: Final = (
    Rate(2, 512, 4, 2.34), Rate(3, 512, 4, 3.25), Rate(4, 512, 4, 3.83), Rate(5, 512, 4, 3.98),
    Rate(6, 512, 4, 4.46), Rate(7, 512, 2, 4.74), Rate(8, 512, 4, 5.11), Rate(9, 512, 9, 5.05),
    Rate(10, 512, 10, 5.18), Rate(11, 512, 11, 5.35), Rate(12, 512, 12, 5.37), Rate(13, 512, 13, 5.49),
    Rate(14, 512, 2, 5.46), Rate(15, 512, 15, 5.59), Rate(16, 512, 2, 5.56), Rate(17, 384, 17, 5.59),
    Rate(18, 384, 2, 5.68), Rate(19, 384, 4, 5.74), Rate(20, 384, 4, 5.79), Rate(21, 384, 4, 5.79),
    Rate(22, 384, 22, 5.78), Rate(23, 256, 23, 5.78), Rate(24, 256, 2, 5.73), Rate(25, 256, 25, 5.70),
    Rate(26, 256, 2, 5.92), Rate(27, 256, 4, 5.94), Rate(28, 256, 4, 5.79), Rate(29, 256, 2, 5.75),
    Rate(30, 256, 4, 5.83), Rate(31, 256, 2, 5.96), Rate(32, 256, 32, 5.84), Rate(33, 256, 2, 5.85),
    Rate(34, 256, 2, 5.99), Rate(35, 256, 4, 5.59), Rate(36, 256, 4, 5.70), Rate(37, 256, 2, 5.82),
)
# Residues with letters of a second track, two subjects, packed profile; measured but for 2 and 3 rows. Other pairings
# choose by it too. Look-ups are by fours of rows, so multiples of four are best.
BESIDE: Final = (
    Rate(2, 512, 2, 1.90), Rate(3, 512, 3, 2.60), Rate(4, 384, 4, 3.06), Rate(6, 384, 4, 3.34),
    Rate(8, 384, 8, 4.09, True), Rate(10, 384, 4, 3.64), Rate(12, 384, 4, 4.30), Rate(14, 384, 4, 4.25),
    Rate(16, 384, 16, 4.61, True), Rate(18, 384, 4, 4.28), Rate(20, 384, 4, 4.63), Rate(22, 384, 4, 4.57),
    Rate(24, 384, 24, 4.79, True), Rate(26, 384, 26, 4.54, True), Rate(28, 384, 28, 4.78, True),
    Rate(30, 256, 4, 4.68, True), Rate(32, 256, 4, 4.83, True), Rate(34, 256, 4, 4.68, True),
    Rate(36, 256, 4, 4.84), Rate(38, 256, 4, 4.80), Rate(40, 256, 4, 4.91), Rate(42, 256, 4, 4.79, True),
    Rate(44, 256, 44, 4.89, True), Rate(48, 256, 48, 4.98, True),
)
# fmt: on
