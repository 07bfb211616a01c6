"""One thread per subject, horizontal bands swept over the subject, the band's left column in shared memory.

L. Ligowski, W. Rudnicki: An efficient implementation of Smith Waterman algorithm on GPU using CUDA, IEEE IPDPS
Workshops (2009); the kernel is ``kernels/papers/band.cu``. The paper's bands have 12 rows and its blocks 256 threads,
which wait for the longest subject among theirs; the height is a setting here, and the substitution matrix in shared
memory became the band's part of the query profile.
"""

from __future__ import annotations

from typing import Final

from swgui.engines.cuda.intra import CELL_BYTES, UNIT_ROWS
from swgui.papers.search import figures
from swgui.papers.search.method import CardLimits, PublishedMethod
from swgui.papers.search.variants import MethodVariant


class Band(PublishedMethod):
    """All threads of a block are in the same band."""

    handed_to_warps = False

    def heights(self, heights: tuple[int, ...], card: CardLimits) -> tuple[int, ...]:
        """Return all; without fused instructions only those whose values fit the registers."""
        return heights if card.dpx else tuple(height for height in heights if height <= figures.BAND_WITHOUT_DPX)

    def shared_bytes(self, variant: MethodVariant, length: int) -> int:
        """Return the band's part of the profile and H and E of its left column."""
        height = variant.of("band")
        return CELL_BYTES * (height // UNIT_ROWS * variant.arithmetic.codes + height * variant.threads) + 8

    def unit(self, variant: MethodVariant) -> int:
        """Return one subject (or two) for each thread of the block."""
        return variant.threads * variant.arithmetic.subjects


METHOD: Final = Band("band")
