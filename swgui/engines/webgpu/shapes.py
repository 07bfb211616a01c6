"""The shape of the kernel that scores a query soonest, by speeds that were measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

from swgui.engines.webgpu.shader import NUMBERS, Shape

NARROW: Final = "f16"  # two subjects in a register; scores at its limit are computed again
WIDE: Final = ("f32", "i32")  # in the order in which they are tried
UNKNOWN: Final = 600.0  # GCUPS of a shape that was not measured


class Choice(msgspec.Struct, frozen=True):
    """Arithmetic, lanes and rows of a kernel: a `Shape` without what the search decides."""

    number: str
    lanes: int
    rows: int

    @property
    def key(self) -> str:
        """Name in files of speeds."""
        return f"{self.number}:{self.lanes}x{self.rows}"

    def shape(self, letters: int, *, gaps: bool = False) -> Shape:
        return Shape(self.number, self.lanes, self.rows, letters, gaps)

    def seconds(self, length: int, gcups: float) -> float:
        """Time of a query and one residue of a database, in units that choices can be compared by."""
        tile = self.lanes * self.rows
        return -(-length // tile) * tile / max(gcups, 1e-3)


# Rows must be a multiple of `Number.rows`; a cluster of at most eight lanes fits the subgroups of every adapter.
CHOICES: Final = tuple(
    Choice(number, lanes, rows)
    for number in NUMBERS
    for lanes, rows in ((1, 16), (4, 16), (4, 24), (4, 32), (4, 40), (8, 8), (8, 16), (8, 24), (8, 32))
)


def fitting(
    choices: Sequence[Choice], letters: int, limits: Mapping[str, int], features: Sequence[str], *, gaps: bool = False
) -> list[Choice]:
    """Return the choices that an adapter can run."""
    room = limits["max-compute-workgroup-storage-size"]
    width = min(limits["max-compute-invocations-per-workgroup"], limits["max-compute-workgroup-size-x"])
    shapes = ((one, one.shape(letters, gaps=gaps)) for one in choices)
    return [
        one
        for one, shape in shapes
        if shape.workgroup_bytes <= room and shape.width <= width and set(shape.features) <= set(features)
    ]


def best(choices: Sequence[Choice], length: int, speeds: Mapping[str, float]) -> list[Choice]:
    """Return choices, the one that ends first in front.

    Parameters
    ----------
    speeds : mapping of str to float
        GCUPS by `Choice.key` of a query that fills its tiles.
    """
    return sorted(choices, key=lambda one: one.seconds(length, speeds.get(one.key, UNKNOWN)))
