"""Numbers of long pairs on CPUs that were chosen by measurements."""

from __future__ import annotations

from typing import Final

import msgspec


class Tuning(msgspec.Struct, frozen=True):
    """Numbers, and the computer that they were measured on; a wrong one costs time alone."""

    measured_on: str
    call_cells: int  # of a pair that is scored in one call, about a second with its start
    anchored_cells: int  # cells below which everything is computed before anchors are found
    close_share: float  # share of the highest score there could be: from here on a band is narrow enough
    call_rate: float  # cells per second, of long pairs on one core
    path_seconds: float  # per residue of both sequences, of the traceback along the diagonal
    global_path: float  # times as long as the score, of the traceback through all of the matrix
    looked_up: float  # relative time of a cell whose score is looked up
    shortest_tile: int  # rows of a tile, at least: short rows waste time in NumPy's calls
    longest_tile: int  # at most: long ones leave the cache, and less can be left out
    sampled_words: int  # words of the shorter sequence that are looked for
    thinned: int  # of words that follow each other along a diagonal, one in so many is used
    threaded_rows: int  # rows of a tile from which on threads share it


TUNING: Final = Tuning(
    measured_on="two cores of an AMD EPYC with AVX-512, November 2026 (BENCHMARKS.md)",
    call_cells=3_000_000_000,
    anchored_cells=4_000_000,
    close_share=0.5,
    call_rate=4e9,
    path_seconds=2e-5,
    global_path=2.0,
    looked_up=4.0,
    shortest_tile=1 << 10,
    longest_tile=1 << 15,
    sampled_words=200_000,
    thinned=8,
    threaded_rows=1 << 13,
)
