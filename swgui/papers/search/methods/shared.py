"""One thread per subject, tiles of K x P cells in column order, the column between tiles in shared memory only.

L.-T. Huang, C.-C. Wu, L.-F. Lai, Y.-J. Li: Improving the mapping of Smith-Waterman sequence database searches onto
CUDA-enabled GPUs, BioMed Research International 2015:185179 (2015); the kernel is ``kernels/papers/shared.cu``. A block
of T threads needs 8 x T x (query rows) bytes; the paper's condition X >= T x Q, with X the shared memory in units of 8
bytes, is asked before, and a query that does not fit falls back to the program's own kernel.
"""

from __future__ import annotations

from typing import Final

from swgui.engines.cuda.intra import CELL_BYTES, WARP
from swgui.papers.search import figures
from swgui.papers.search.method import CardLimits, PublishedMethod, Task, fitting_blocks
from swgui.papers.search.variants import MethodVariant


class Shared(PublishedMethod):
    """No score goes through global memory."""

    largest_shared = True

    def shape(self, task: Task) -> tuple[int, dict[str, int]]:
        """Return threads and tile; as many threads as the query leaves room for."""
        threads = task.given.get("threads", 0)
        tile = {"k": task.given.get("k", figures.SHARED_COLUMNS)}
        tile["p"] = self.best_height(task, threads or WARP, tile)
        return threads or self._threads(task.length, tile["p"], task.card), tile

    def too_large(self, variant: MethodVariant, length: int, needed: int, card: CardLimits) -> str:
        """Say it as the paper does."""
        return (
            f"X >= T x Q does not hold: {variant.threads} threads x {variant.rows(length)} query rows x "
            f"{CELL_BYTES} bytes are {needed:,} bytes, and a block has {card.shared_limit:,} on this GPU."
        )

    def blocks(self, threads: int, shared_bytes: int, card: CardLimits) -> int:
        """Return as many blocks as find room."""
        return fitting_blocks(card, threads, shared_bytes)

    def shared_bytes(self, variant: MethodVariant, length: int) -> int:
        """Return H and E of the last column of a tile, for all rows and threads."""
        return CELL_BYTES * variant.threads * variant.rows(length)

    def border(self, variant: MethodVariant) -> int:
        """Return none."""
        return 0

    def _threads(self, length: int, height: int, card: CardLimits) -> int:
        """Return as many threads as shared memory allows, in two blocks if there are many."""
        rows = -(-max(length, 1) // height) * height
        allowed = min(card.shared_limit // (CELL_BYTES * rows), figures.BUSY_THREADS) // WARP * WARP
        if allowed >= 4 * WARP:
            allowed = allowed // 2 // WARP * WARP
        return max(allowed, WARP)


METHOD: Final = Shared("shared")
