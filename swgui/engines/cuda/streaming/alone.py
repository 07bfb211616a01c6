"""The longest subjects of a small database, each twin with a block of threads of its own, parallel to all others.

One group of threads takes longer for the longest subject than all groups for the rest, if the query is long and the
database small. Threads of a whole block share it in a fraction of that time (`swgui.engines.cuda.intra`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda import tiles
from swgui.engines.cuda.arithmetic import UNFRAMED, Arithmetic, Costs, Twins, plan_arithmetic
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.intra import UNIT_ROWS, BlockVariant, best_shape
from swgui.engines.cuda.streaming.layout import COLUMNS, DatabaseLayout
from swgui.engines.cuda.streaming.tuning import TUNING
from swgui.engines.cuda.streaming.variants import Load, least_seconds

SHORTEST_QUERY: Final = 1_001  # the kernels of shorter ones are compiled ahead, for all subjects alike


@dataclass(frozen=True, slots=True, eq=False)
class LongTwins:
    """Twins with a block of threads each, and how these score them."""

    count: int  # from the first, longest one on
    variant: BlockVariant
    profile: NDArray[np.int16] = field(repr=False)  # shape (values,): the query's, as the kernel wants it

    def border_words(self, layout: DatabaseLayout) -> int:
        """Return the words of the borders between strips of the query, for all blocks."""
        return 2 * self.count * self.columns(layout)

    def columns(self, layout: DatabaseLayout) -> int:
        """Return the columns of the longest twin."""
        return COLUMNS * layout.blocks(0, 1)

    def arguments(self, layout: DatabaseLayout, words: int, block_of: Any, device: dict[str, Any]) -> tuple[Any, ...]:
        """Return the arguments of the kernel.

        Parameters
        ----------
        words : int
            Address of the database on the device, from its first block on.
        device : dict of str to device array, or to an address
            ``profile``, ``border``, ``counter``, ``scores``, ``redo``, ``cancel``.
        """
        return (
            np.uint64(words),
            block_of,
            np.uint64(0),
            np.int32(0),
            np.int32(0),
            np.int32(min(2 * self.count, layout.subjects)),
            np.uint64(0),
            device["profile"],
            np.int32(self.profile.size // (UNIT_ROWS * self.variant.arithmetic.codes)),
            device["border"],
            np.int32(self.columns(layout)),
            *(device[name] for name in ("counter", "scores", "redo", "cancel")),
        )


def plan_long(
    profile: NDArray[np.int16], costs: Costs, arithmetic: Arithmetic, gpu: Gpu, layout: DatabaseLayout
) -> tuple[LongTwins | None, Load]:
    """Choose the number of twins with blocks of their own.

    Parameters
    ----------
    profile : ndarray, shape=(letters, m), dtype=int16
    layout : DatabaseLayout
        Not empty.

    Returns
    -------
    LongTwins or None
    Load
        What is left for groups of threads.
    """
    everything = Load(layout.blocks(0, layout.twins), layout.blocks(0, 1), gpu.multiprocessors)
    plain = plan_arithmetic(Twins.SUBJECTS, costs, dpx=gpu.dpx, period=UNFRAMED)
    length = profile.shape[1]
    able = arithmetic.twins is Twins.SUBJECTS and not arithmetic.positions and plain.subjects == 2
    if not able or length < SHORTEST_QUERY:
        return None, everything
    variant = BlockVariant(plain, *best_shape(length, plain, gpu.shared_limit, least=tiles.INTRA_THREADS[-1]))
    if variant.shared_bytes > gpu.shared_limit:
        return None, everything
    strips = -(-length // variant.strip)
    alone = strips * (everything.longest + variant.threads) * variant.rows * gpu.tables.intra_row_seconds
    seconds = {0: least_seconds(length, arithmetic, gpu.shared_limit, everything, gpu.tables) - TUNING.worth_seconds}
    loads = {0: everything}
    for count in (number for number in TUNING.counts_alone if number < min(layout.twins, gpu.multiprocessors // 2)):
        rest, longest = layout.blocks(count, layout.twins), layout.blocks(count, count + 1)
        loads[count] = Load(rest, round(TUNING.crowded * longest), gpu.multiprocessors - count // TUNING.freed)
        seconds[count] = max(alone, least_seconds(length, arithmetic, gpu.shared_limit, loads[count], gpu.tables))
    count = min(seconds, key=lambda number: seconds[number])
    if not count:
        return None, everything
    return LongTwins(count, variant, variant.arrange(profile)), loads[count]
