"""What a published method says of itself: how its kernel lies on a GPU, and what it chooses for one query.

A method is one module of `swgui.papers.search.methods` with the name of the method, beside the paper and the
kernel of that name; its figures stand in `swgui.papers.search.figures`. It overrides here what differs from one thread
for each subject.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda.arithmetic import Arithmetic
from swgui.engines.cuda.intra import UNIT_ROWS, WARP
from swgui.papers.search import figures
from swgui.papers.search.variants import MethodVariant


@dataclass(frozen=True, slots=True)
class CardLimits:
    """What a configuration depends on.

    Parameters
    ----------
    shared_limit : int
        Bytes of shared memory a block may have.
    threads : int
        Threads that a multiprocessor can hold.
    dpx : bool
        Whether fused 16-bit instructions are to be used.
    """

    multiprocessors: int
    shared_limit: int
    threads: int
    dpx: bool


@dataclass(frozen=True, slots=True)
class Task:
    """One query that a configuration is chosen for.

    Parameters
    ----------
    length : int
        Residues of the query.
    given : Mapping[str, int]
        What the user set, by the name of the setting.
    """

    length: int
    arithmetic: Arithmetic
    card: CardLimits
    given: Mapping[str, int]


class PublishedMethod:
    """A published method: one thread per subject, unless a method says otherwise.

    Parameters
    ----------
    name : str
        In `SEARCH_METHODS`; also the name of the kernel's file and entry point.
    """

    whole_blocks = False  # whether a block of threads scores one subject, so that no length is too long
    handed_to_warps = True  # whether subjects are handed out to warps, or to blocks
    largest_shared = False  # whether a kernel is allowed all shared memory, for its need grows with the query

    def __init__(self, name: str) -> None:
        self.name = name

    # -- what is chosen for a query

    def shape(self, task: Task) -> tuple[int, dict[str, int]]:
        """Return threads per block and the constants of the kernel's tile: those given, the others by estimate."""
        threads = task.given.get("threads", self.launch[0])
        height = figures.HEIGHTS[self.name].setting
        return threads, {height: self.best_height(task, threads)}

    def fault(self, tile: Mapping[str, int]) -> str:
        """Say why a tile cannot be, as one sentence; empty if it can."""
        return ""

    def too_large(self, variant: MethodVariant, length: int, needed: int, card: CardLimits) -> str:
        """Say that a block needs more shared memory than there is, `needed` bytes, as one sentence."""
        return (
            f"A block would need {needed:,} bytes of shared memory, and has {card.shared_limit:,} on this GPU: "
            f"fewer threads or rows fit."
        )

    def blocks(self, threads: int, shared_bytes: int, card: CardLimits) -> int:
        """Return blocks per multiprocessor where nothing is set."""
        usual, count = self.launch
        return max(1, usual * count // threads)

    @property
    def launch(self) -> tuple[int, int]:
        """Threads per block, and blocks per multiprocessor of so many threads, where nothing is set."""
        return figures.LAUNCH[self.name]

    def best_height(self, task: Task, threads: int, others: Mapping[str, int] | None = None) -> int:
        """Return the height given, or the one with the least estimated time whose blocks fit.

        Parameters
        ----------
        others : Mapping[str, int], optional
            Other constants of the tile.
        """
        setting, cost, heights = figures.HEIGHTS[self.name]
        if given := task.given.get(setting):
            return given

        def estimate(height: int) -> tuple[bool, float]:
            tile = {**(others or {}), setting: height}
            needed = self.variant(task.arithmetic, threads, 1, tile).shared_bytes(task.length)
            return needed > task.card.shared_limit, max(1, -(-task.length // height)) * (height + cost)

        return min(self.heights(heights, task.card), key=estimate)

    def heights(self, heights: tuple[int, ...], card: CardLimits) -> tuple[int, ...]:
        """Return those heights that a choice considers on a GPU."""
        return heights

    def variant(self, arithmetic: Arithmetic, threads: int, min_blocks: int, tile: Mapping[str, int]) -> MethodVariant:
        """Return what is compiled, with registers left for `min_blocks` blocks."""
        return MethodVariant(self.name, arithmetic, threads, min_blocks, tuple(sorted(tile.items())))

    # -- how the kernel lies on a GPU

    def height(self, variant: MethodVariant) -> int:
        """Return the number of query rows that a sweep over the subject takes; rows are padded to a multiple."""
        return variant.of(figures.HEIGHTS[self.name].setting)

    def strip(self, variant: MethodVariant) -> int:
        """Return the number of query rows that need no border."""
        return self.height(variant)

    def defines(self, variant: MethodVariant) -> dict[str, int]:
        """Return the kernel's own constants, without ``SW_``."""
        return {name.upper(): value for name, value in variant.tile}

    def shared_bytes(self, variant: MethodVariant, length: int) -> int:
        """Return the dynamic shared memory of a block, in bytes, for a query of `length` residues."""
        return 0

    def threads_per_subject(self, variant: MethodVariant) -> int:
        """Return how many threads work on one subject (or two)."""
        return 1

    def unit(self, variant: MethodVariant) -> int:
        """Return how many subjects are handed out at once."""
        return WARP // self.threads_per_subject(variant) * variant.arithmetic.subjects

    def border(self, variant: MethodVariant) -> int:
        """Return the border cells of a block for each column; 0 for none."""
        return variant.threads // self.threads_per_subject(variant)

    def arrange(self, profile: NDArray[np.int16], variant: MethodVariant) -> NDArray[np.int16]:
        """Return the units of a query profile in the order the kernel reads them.

        Parameters
        ----------
        profile : ndarray, shape=(rows, codes), dtype=int16
            With padding.

        Returns
        -------
        ndarray, dtype=int16
            Of any shape; ``rows / 4 x codes`` units of four in memory order.
        """
        return profile.reshape(-1, UNIT_ROWS, profile.shape[1]).transpose(0, 2, 1)


def fitting_blocks(card: CardLimits, threads: int, shared_bytes: int) -> int:
    """Return blocks that a multiprocessor can hold, up to about as many threads as keep it busy."""
    by_memory = card.shared_limit // (shared_bytes + 1024)  # the system keeps a KiB of each block's for itself
    return max(1, min(by_memory, figures.BUSY_THREADS // threads, 16))


def limited_blocks(card: CardLimits, threads: int, blocks: int) -> int:
    """Return for how many blocks registers are left: as many as are wanted, but never so that a kernel has too few."""
    resident = min(card.threads, figures.REGISTERS // figures.SPARE_REGISTERS)
    return max(1, min(blocks, resident // threads))
