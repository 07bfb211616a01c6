"""Numbers of the engine, of regions and of frameshifts that were chosen by measurements."""

from __future__ import annotations

from typing import Final

import msgspec


class Tuning(msgspec.Struct, frozen=True):
    """Numbers, and the computer that they were measured on; a wrong one costs time alone."""

    measured_on: str
    engines_at_once: int  # engines of a device that score at the same time
    pieces_at_once: int  # pieces of a database on a GPU at a time: one arrives, one is scored, one returns its scores
    region_cells: int  # of a pair whose regions a GPU finds: a tenth of a second for one warp
    counted_cells: int  # the same if no list waits: work of three times the length ends within a second
    few_cells: int  # of a call that the host's thread has scored before an answer of the GPU comes back
    launch_cells: int  # of a launch, which cannot be stopped: a family may have 10^12 in a block
    launches_at_once: int  # launches that count at a time: as many as keep a device busy
    step_rows: int  # rows that take as much time as the rest of a lane's step
    calls_at_once: int  # calls in flight: the next fills the blocks that the last ones of a call leave free
    call_cells: int  # of a multiprocessor, worth a call: the longest protein, one warp's, is far less


TUNING: Final = Tuning(
    measured_on="one NVIDIA H200 with 16 cores, November 2026 (kernels/README.md)",
    engines_at_once=2,
    pieces_at_once=3,
    region_cells=60_000_000,
    counted_cells=200_000_000,
    few_cells=2_000_000,
    launch_cells=50_000_000_000,
    launches_at_once=2,
    step_rows=2,
    calls_at_once=2,
    call_cells=7_000_000_000,
)
