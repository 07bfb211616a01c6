"""All threads of a block on one subject, along anti-diagonals.

Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0, BMC Research Notes 3:93 (2010), and CUDASW++, BMC Research Notes 2:73
(2009): the second stage, for subjects longer than a threshold; the kernel is ``kernels/intra.cu``. The other methods
use it for long subjects too, and for those that overflow 16 bits (`long_variant`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda import tiles
from swgui.engines.cuda.arithmetic import Arithmetic
from swgui.engines.cuda.published.method import CardLimits, PublishedMethod, Task, fitting_blocks, limited_blocks
from swgui.engines.cuda.published.variants import CELL_BYTES, UNIT_ROWS, WARP, MethodVariant


class Intra(PublishedMethod):
    """A block for each subject."""

    whole_blocks = True
    handed_to_warps = False

    def shape(self, task: Task, least: int = WARP) -> tuple[int, dict[str, int]]:
        """Return threads per block and rows per thread with the least estimated time.

        A strip of the query takes as many steps as the subject has blocks of four columns, plus one for each
        thread before the last gets its first; a step costs its rows and about six rows' worth of waiting.

        Parameters
        ----------
        least : int
            Threads per block that are needed to fill the GPU.
        """
        length, threads, rows = task.length, task.given.get("threads", 0), task.given.get("rows", 0)
        best: tuple[float, int, int] | None = None
        for many in (threads,) if threads else tiles.INTRA_THREADS:
            for high in (rows,) if rows else tiles.INTRA_ROWS:
                needed = self.variant(task.arithmetic, many, 1, {"rows": high}).shared_bytes(length)
                if needed > task.card.shared_limit and not (threads and rows):
                    continue
                used = min(many, -(-length // high))  # threads that have rows
                strips = max(1, -(-length // (many * high)))
                together = max(1, many / least)  # more threads than are needed to fill the GPU cost their time
                time = strips * together * (high + 6) * (300 + used)
                if best is None or time < best[0]:
                    best = time, many, high
        if best is None:
            return threads or WARP, {"rows": rows or tiles.INTRA_ROWS[0]}
        return best[1], {"rows": best[2]}

    def blocks(self, threads: int, shared_bytes: int, card: CardLimits) -> int:
        """Return as many blocks as find room."""
        return fitting_blocks(card, threads, shared_bytes)

    def height(self, variant: MethodVariant) -> int:
        """Return the rows of a profile unit: a strip may end within a thread's rows."""
        return UNIT_ROWS

    def strip(self, variant: MethodVariant) -> int:
        """Return the rows of all threads."""
        return variant.threads * variant.of("rows")

    def shared_bytes(self, variant: MethodVariant, length: int) -> int:
        """Return what threads hand to each other, and the strip's part of the profile."""
        passed = 2 * variant.threads * (32 + 4 * variant.arithmetic.subjects)
        table = CELL_BYTES * variant.arithmetic.codes * variant.threads * variant.of("rows") // UNIT_ROWS
        return passed + table + 8

    def unit(self, variant: MethodVariant) -> int:
        """Return one subject (or two)."""
        return variant.arithmetic.subjects

    def border(self, variant: MethodVariant) -> int:
        """Return one cell."""
        return 1

    def arrange(self, profile: NDArray[np.int16], variant: MethodVariant) -> NDArray[np.int16]:
        """Return all units of a symbol side by side."""
        return profile.reshape(-1, UNIT_ROWS, profile.shape[1]).transpose(2, 0, 1)


METHOD: Final = Intra("intra")


def long_variant(length: int, arithmetic: Arithmetic, card: CardLimits, subjects: int = 0) -> MethodVariant:
    """Return the variant for long subjects.

    Parameters
    ----------
    length : int
        Residues of the query.
    subjects : int
        How many there are: few of them get more threads each; 0 for many.
    """
    least = WARP
    while subjects and least < tiles.INTRA_THREADS[-1] and least * subjects < tiles.FULL_THREADS * card.multiprocessors:
        least *= 2
    threads, tile = METHOD.shape(Task(length, arithmetic, card, {}), least)
    shared_bytes = METHOD.variant(arithmetic, threads, 1, tile).shared_bytes(length)
    blocks = limited_blocks(card, threads, fitting_blocks(card, threads, shared_bytes))
    return METHOD.variant(arithmetic, threads, blocks, tile)
