"""Occupancy of a GPU and the best size of a tile, by the equations of the paper on tiling.

"Tiling and dynamic, concurrent kernels": equations 4 to 6 (`paper_ratios`) divide without rounding and therefore are
upper bounds of `swgui.core.methods.occupancy.occupancy`; `tile_limits` are its equations 7 to 9. Names as in table 2::

    GPU     Rg registers per SM   Tg threads per SM   Sg shared memory per SM   Wg warps per SM   G cores
    kernel   Ra registers          Ta threads/block    Sa shared memory/thread   Wa warps/block    Ba blocks  Za threads
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from swgui.core.errors import InvalidParameter
from swgui.core.methods.occupancy import REGISTERS, SHARED, THREADS, CardLimits, KernelNeeds


def paper_ratios(needs: KernelNeeds, gpu: CardLimits) -> Mapping[str, float]:
    """Return equations 4 to 6 of the tiling paper: the occupancy that each resource alone allows, 1 being full.

    Equation 4, registers: ``Za = Rg / Ra``, ``Za / Tg``. Equation 5, shared memory: ``Za = Sg / Sa``, ``Za / Tg``.
    Equation 6, size of blocks: ``Wa = Ta / 32``, whole blocks ``Ba`` only, ``Wa Ba / Wg``. Nothing else is rounded,
    and no value above 1 is cut: the paper speaks of more than 100 % where a resource would suffice for more.
    """
    by_registers = gpu.registers / needs.registers / gpu.threads if needs.registers else math.inf
    per_thread = needs.shared_bytes / needs.threads
    by_shared = gpu.shared_bytes / per_thread / gpu.threads if per_thread else math.inf
    active = min(gpu.blocks, gpu.threads // needs.threads)
    return MappingProxyType({REGISTERS: by_registers, SHARED: by_shared, THREADS: needs.warps * active / gpu.warps})


@dataclass(frozen=True, slots=True)
class TileLimits:
    """Limits of the size of a square tile of the score matrix (equations 7 to 9 of the tiling paper)."""

    smallest: int  # rows below which the diagonal is shorter than the GPU has cores: ``sqrt(2) t >= G``
    largest: int  # rows above which a tile does not fit the memory: ``t t s <= m``

    def contains(self, rows: int) -> bool:
        """Whether a tile of this many rows and columns keeps all cores busy and fits."""
        return self.smallest <= rows <= self.largest


def tile_limits(cores: int, memory: int, element_bytes: int) -> TileLimits:
    """Return t_min and t_max of equation 9.

    Parameters
    ----------
    cores : int
        Cores of the whole GPU: multiprocessors times `CardLimits.cores`.

    Raises
    ------
    InvalidParameter
        If a number is not above 0.
    """
    for name, value in (("cores", cores), ("memory", memory), ("element_bytes", element_bytes)):
        if value < 1:
            raise InvalidParameter(name, value, f"Tile limits need {name} above 0, not {value}.")
    return TileLimits(shortest_filling(cores), math.isqrt(memory // element_bytes))


def shortest_filling(cores: int) -> int:
    """Return the shortest of two equal sequences whose matrix has a diagonal as long as there are cores.

    Equation 2 of the tiling paper: ``sqrt(2) N >= G``.
    """
    return math.ceil(cores / math.sqrt(2))
