"""Profiles against profiles in compiled code (``kernels/cpu/profile_pairs.c``), on all cores."""

from __future__ import annotations

import ctypes
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.control import Check
from swgui.core.profiles.pairs import PairGaps, ProfileSet
from swgui.engines import host
from swgui.engines.native import library
from swgui.engines.native.scoring import checked, pointers
from swgui.engines.native.stopping import stop_flag
from swgui.engines.native.subjects import in_parallel

SIDE: Final = 16  # targets that the widest vectors hold: pieces of work are multiples of it
PIECE_CELLS: Final = 100_000_000  # a tenth of a second of one core, or less

_POINTER, _LONG, _INT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32


class CpuPairs:
    """Scores as many targets side by side as vectors have lanes, in compiled code.

    Parameters
    ----------
    threads : int
        0 for all cores.
    level : str
        Instruction set; the best without it.

    Raises
    ------
    EngineUnavailable
        If there is no compiled library.
    """

    def __init__(self, threads: int = 0, level: str = "") -> None:
        self._threads = threads or host.usable_cores()
        queries, targets = (*[_POINTER] * 3, _LONG), (*[_POINTER] * 4, _LONG)
        self._call = library.function(
            "profile_pairs", *queries, *targets, _INT, _INT, _LONG, _POINTER, _POINTER, level=level
        )

    def scores(
        self, queries: ProfileSet, targets: ProfileSet, gaps: PairGaps, check: Check = lambda: None
    ) -> NDArray[np.int32]:
        """Score every query against every target, see `PairEngine.scores`."""
        found = np.zeros((len(queries), len(targets)), dtype=np.int32)
        words, scales = queries.codes.astype(np.int16), queries.scales.astype(np.int32)
        begins = np.ascontiguousarray(queries.offsets)
        codes, target_scales = np.ascontiguousarray(targets.codes), np.ascontiguousarray(targets.scales)
        offsets = np.ascontiguousarray(targets.offsets)
        order = np.argsort(-targets.lengths, kind="stable")
        with stop_flag(check) as stop:

            def work(piece: tuple[int, int, int, int]) -> None:
                first, last, begin, end = piece
                asked = *pointers(words, scales, begins[first:]), last - first
                against = *pointers(codes, target_scales, offsets, order[begin:end]), end - begin
                costs = gaps.first, gaps.extend, len(targets)
                checked(self._call(*asked, *against, *costs, *pointers(found[first:], stop)))

            in_parallel(_pieces(queries, targets, order, self._threads), work, threads=self._threads, check=check)
        return found


def _pieces(
    queries: ProfileSet, targets: ProfileSet, order: NDArray[np.int64], threads: int
) -> list[tuple[int, int, int, int]]:
    """Cut the pairs into ranges of queries with ranges of targets of `order`, dearest first."""
    heights, widths = np.cumsum([0, *queries.lengths]), np.cumsum([0, *targets.lengths[order]])
    groups = list(range(0, len(order), SIDE))
    borders = [*groups, len(order)]
    size = max(PIECE_CELLS // max(int(heights[-1]), 1), 1)  # columns of the targets of a piece of all queries
    cuts, last = [0], 0
    for border in borders[1:]:
        if border == len(order) or widths[border] - widths[last] >= size:
            cuts.append(border)
            last = border
    rows = [0, len(queries)]
    if len(cuts) - 1 < 4 * threads:
        rows = np.unique(np.linspace(0, len(queries), min(len(queries), 4 * threads) + 1).astype(np.int64)).tolist()
    return [(*row, *cut) for cut in pairwise(cuts) for row in pairwise(rows)]
