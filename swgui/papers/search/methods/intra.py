"""All threads of a block on one subject, along anti-diagonals.

Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0; the kernel, ``kernels/intra.cu``, is one that the engine itself uses for
its longest subjects (`swgui.engines.cuda.intra`). The other methods use it for long subjects too, and for those that
overflow 16 bits (`long_variant`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda import intra, tiles
from swgui.engines.cuda.arithmetic import Arithmetic
from swgui.engines.cuda.intra import UNIT_ROWS, WARP
from swgui.papers.search import figures
from swgui.papers.search.method import CardLimits, PublishedMethod, Task, fitting_blocks, limited_blocks
from swgui.papers.search.variants import MethodVariant


class Intra(PublishedMethod):
    """A block for each subject."""

    whole_blocks = True
    handed_to_warps = False

    def shape(self, task: Task, least: int = WARP) -> tuple[int, dict[str, int]]:
        """Return threads per block and rows per thread with the least estimated time.

        Parameters
        ----------
        least : int
            Threads per block that are needed to fill the GPU.
        """
        given, limit = task.given, task.card.shared_limit
        threads, rows = given.get("threads", 0), given.get("rows", 0)
        chosen = intra.best_shape(task.length, task.arithmetic, limit, threads=threads, rows=rows, least=least)
        return chosen[0], {"rows": chosen[1]}

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
        return intra.shared_bytes(variant.arithmetic, variant.threads, variant.of("rows"))

    def unit(self, variant: MethodVariant) -> int:
        """Return one subject (or two)."""
        return variant.arithmetic.subjects

    def border(self, variant: MethodVariant) -> int:
        """Return one cell."""
        return 1

    def arrange(self, profile: NDArray[np.int16], variant: MethodVariant) -> NDArray[np.int16]:
        """Return all units of a symbol side by side."""
        return intra.arrange_units(profile)


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
    least, wanted = WARP, figures.FULL_THREADS * card.multiprocessors
    while subjects and least < tiles.INTRA_THREADS[-1] and least * subjects < wanted:
        least *= 2
    threads, tile = METHOD.shape(Task(length, arithmetic, card, {}), least)
    shared_bytes = METHOD.variant(arithmetic, threads, 1, tile).shared_bytes(length)
    blocks = limited_blocks(card, threads, fitting_blocks(card, threads, shared_bytes))
    return METHOD.variant(arithmetic, threads, blocks, tile)
