"""Numbers of the measurement of tiles that were chosen by measurements."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec


class Tuning(msgspec.Struct, frozen=True):
    """Numbers, and the computer that they were measured on; a wrong one costs time alone."""

    measured_on: str
    worth: float  # gain from which on another variant takes the place of the one before: two runs differ by half of it
    # What `swgui.jobs.tiles.run` finds on that computer, whose figures in real searches are those of the tables
    # (`H200`): another GPU is as much better or worse in real searches as it is here.
    lanes_cost: Mapping[int, float]
    pass_rows: float
    step_rows: float
    row_seconds: float


TUNING: Final = Tuning(
    measured_on="one NVIDIA H200 (132 multiprocessors, 1.98 GHz), driver 580.159.04, 29 November 2026",
    worth=0.01,
    lanes_cost=MappingProxyType({4: 0.066, 8: 0.0, 16: -0.020, 32: -0.027}),
    pass_rows=10.7,
    step_rows=6.77,
    row_seconds=1.968e-8,
)
