"""Facts of the published methods of a search: the layout of their kernels on a GPU and their choices for a query.

A method is a `PublishedMethod` or a class that overrides what differs from one thread for each subject; its kernel is
`kernels/papers/NAME.cu`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.engines.cuda import intra, tiles
from swgui.engines.cuda.arithmetic import Arithmetic
from swgui.engines.cuda.intra import CELL_BYTES, UNIT_ROWS, WARP, launch_defines

# Published methods: threads per block and blocks per multiprocessor where the user sets nothing, the best of those
# tried on an H200. Methods that are missing here use as many as fit.
LAUNCH: Final[Mapping[str, tuple[int, int]]] = {"simt": (128, 3), "vsimd": (192, 4), "band": (256, 2)}

# `vsimd`: rows per thread of a vector, and the time of a row in comparison with the best; few rows mean many votes,
# many rows few threads.
VECTOR_COST: Final[Mapping[int, float]] = {8: 1.5, 12: 1.25, 16: 1.06, 20: 1.0, 24: 1.0, 28: 1.1, 32: 1.25}
VECTORS: Final = (16, 8, 32, 4)  # the value of the paper stands first, so it wins a tie
SHARED_COLUMNS: Final = 8  # K of `shared`
BAND_WITHOUT_DPX: Final = 12  # rows of `band`: the paper's
FULL_THREADS: Final = 256  # threads of `intra` that keep a multiprocessor busy
BUSY_THREADS: Final = 512  # threads per multiprocessor that methods without a number of their own aim at
REGISTERS: Final = 65_536  # of a multiprocessor
SPARE_REGISTERS: Final = 40  # a thread is never left fewer


class Heights(NamedTuple):
    """Heights of a sweep over the subject that an automatic choice considers."""

    setting: str  # setting of the method that is the height
    cost: float  # cost of a sweep in addition to its rows, in rows
    heights: tuple[int, ...]  # query rows


@dataclass(frozen=True, slots=True)
class GpuLimits:
    """Limits of a GPU that a configuration depends on."""

    multiprocessors: int
    shared_limit: int  # bytes of shared memory a block may have
    threads: int  # threads that a multiprocessor can hold
    dpx: bool  # whether fused 16-bit instructions are to be used


@dataclass(frozen=True, slots=True)
class Task:
    """One query that a configuration is chosen for."""

    length: int  # residues of the query
    arithmetic: Arithmetic
    gpu: GpuLimits
    given: Mapping[str, int]  # the user's values, by the name of the setting


HEIGHTS: Final[Mapping[str, Heights]] = {
    "simt": Heights("rows", 2.5, (4, 8, 12, 16, 24, 32)),
    "band": Heights("band", 4.0, (4, 8, 12, 16, 24, 32)),
    "shared": Heights("p", 1.0, (4, 8, 16)),
}


@dataclass(frozen=True, slots=True)
class MethodVariant:
    """One compiled form of a method's kernel."""

    kernel: str  # entry point; the file is ``<kernel>.cu``
    arithmetic: Arithmetic
    threads: int  # threads per block
    min_blocks: int  # blocks per multiprocessor that registers are left for
    tile: tuple[tuple[str, int], ...]  # setting and value: the kernel's own constants

    @property
    def method(self) -> PublishedMethod:
        """Facts of the kernel's method."""
        return published_method(self.kernel)

    @property
    def file(self) -> str:
        """File in the kernels folder."""
        return intra.FILE if self.kernel == intra.KERNEL else f"papers/{self.kernel}.cu"

    def of(self, setting: str) -> int:
        """Value of one of the kernel's own constants."""
        return dict(self.tile)[setting]

    @property
    def height(self) -> int:
        """Query rows are padded to a multiple of this."""
        return self.method.height(self)

    def defines(self) -> tuple[str, ...]:
        own = self.method.defines(self)
        values = {**launch_defines(self.arithmetic, self.threads, self.min_blocks), **own}
        return tuple(f"-DSW_{name}={value}" for name, value in values.items())

    def rows(self, length: int) -> int:
        """Query rows with padding."""
        return max(1, -(-length // self.height)) * self.height

    def shared_bytes(self, length: int) -> int:
        return self.method.shared_bytes(self, length)

    def most_shared_bytes(self, length: int, limit: int) -> int:
        """Return the limit of the kernel's shared memory in bytes, the same for every query of this variant.

        The driver keeps one figure for a compiled kernel; a shorter query must not lower it.

        Parameters
        ----------
        limit : int
            Bytes that a block may have on the GPU.
        """
        return limit if self.method.largest_shared else self.shared_bytes(length)

    def unit(self) -> int:
        """Subjects that are handed out at once: to a warp, or to a block."""
        return self.method.unit(self)

    def border_words(self, columns: int) -> int:
        """Border cells of one block, for subjects of up to `columns` columns."""
        return self.method.border(self) * columns


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

    # -- choices for a query

    def shape(self, task: Task) -> tuple[int, dict[str, int]]:
        """Return threads per block and the constants of the kernel's tile: those given, the others by estimate."""
        threads = task.given.get("threads", self.launch[0])
        height = HEIGHTS[self.name].setting
        return threads, {height: self.best_height(task, threads)}

    def fault(self, tile: Mapping[str, int]) -> str:
        """Return the reason why a tile is impossible, as one sentence; empty if it is possible."""
        return ""

    def too_large(self, variant: MethodVariant, length: int, needed: int, gpu: GpuLimits) -> str:
        """Return the sentence that a block needs more shared memory than the GPU has, `needed` bytes."""
        return (
            f"A block would need {needed:,} bytes of shared memory, and has {gpu.shared_limit:,} on this GPU: "
            f"fewer threads or rows fit."
        )

    def blocks(self, threads: int, shared_bytes: int, gpu: GpuLimits) -> int:
        """Return blocks per multiprocessor where nothing is set."""
        usual, count = self.launch
        return max(1, usual * count // threads)

    @property
    def launch(self) -> tuple[int, int]:
        """Threads per block, and blocks of that size per multiprocessor, where nothing is set."""
        return LAUNCH[self.name]

    def best_height(self, task: Task, threads: int, others: Mapping[str, int] | None = None) -> int:
        """Return the height given, or the one with the least estimated time whose blocks fit.

        Parameters
        ----------
        others : Mapping[str, int], optional
            Other constants of the tile.
        """
        setting, cost, heights = HEIGHTS[self.name]
        if given := task.given.get(setting):
            return given

        def estimate(height: int) -> tuple[bool, float]:
            tile = {**(others or {}), setting: height}
            needed = self.variant(task.arithmetic, threads, 1, tile).shared_bytes(task.length)
            return needed > task.gpu.shared_limit, max(1, -(-task.length // height)) * (height + cost)

        return min(self.heights(heights, task.gpu), key=estimate)

    def heights(self, heights: tuple[int, ...], gpu: GpuLimits) -> tuple[int, ...]:
        """Return those heights that a choice considers on a GPU."""
        return heights

    def variant(self, arithmetic: Arithmetic, threads: int, min_blocks: int, tile: Mapping[str, int]) -> MethodVariant:
        """Return the variant to compile, with registers left for `min_blocks` blocks."""
        return MethodVariant(self.name, arithmetic, threads, min_blocks, tuple(sorted(tile.items())))

    # -- how the kernel lies on a GPU

    def height(self, variant: MethodVariant) -> int:
        """Return the number of query rows that a sweep over the subject takes; rows are padded to a multiple."""
        return variant.of(HEIGHTS[self.name].setting)

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
        """Return the number of threads that work on one subject (or two)."""
        return 1

    def unit(self, variant: MethodVariant) -> int:
        """Return the number of subjects handed out at once."""
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
            Any shape; ``rows / 4 x codes`` units of four in memory order.
        """
        return profile.reshape(-1, UNIT_ROWS, profile.shape[1]).transpose(0, 2, 1)


def fitting_blocks(gpu: GpuLimits, threads: int, shared_bytes: int) -> int:
    """Return blocks that a multiprocessor can hold, up to about as many threads as keep it busy."""
    by_memory = gpu.shared_limit // (shared_bytes + 1024)  # the system keeps a KiB of each block's for itself
    return max(1, min(by_memory, BUSY_THREADS // threads, 16))


def limited_blocks(gpu: GpuLimits, threads: int, blocks: int) -> int:
    """Return for how many blocks registers are left: as many as are wanted, but never so that a kernel has too few."""
    resident = min(gpu.threads, REGISTERS // SPARE_REGISTERS)
    return max(1, min(blocks, resident // threads))


class Simt(PublishedMethod):
    """One thread per subject, blocks of rows by four columns, the row between blocks in global memory.

    Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0, BMC Research Notes 3:93 (2010), section "Optimized SIMT
    Smith-Waterman algorithm"; the kernel is ``kernels/papers/simt.cu``. The paper's blocks are 8 x 4 cells and its
    queries are read as packed profiles; here the number of rows is a setting, and a thread can score two subjects
    in 16 bits.
    """


class Vectors(PublishedMethod):
    """A vector of threads per subject: the query in striped partitions, a column at a time, F set right afterwards.

    Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0, BMC Research Notes 3:93 (2010), section "Partitioned vectorized
    Smith-Waterman algorithm"; the kernel is ``kernels/papers/vsimd.cu``. VL threads, half a warp in the paper, are one
    vector, and a partition of the query has PL rows, PL / VL for each thread.
    """

    def shape(self, task: Task) -> tuple[int, dict[str, int]]:
        """Return threads, vector and partition; of equal estimates the paper's vector."""
        given = task.given
        candidates = [
            (max(1, -(-task.length // partition)) * partition * cost, order, vector, partition)
            for order, vector in enumerate((given["vector"],) if "vector" in given else VECTORS)
            for rows, cost in VECTOR_COST.items()
            for partition in (vector * rows,)
            if partition == given.get("partition", partition)
        ]
        threads = given.get("threads", self.launch[0])
        if not candidates:  # the settings contradict each other
            return threads, {"vector": given.get("vector", VECTORS[0]), "partition": given["partition"]}
        _, _, vector, partition = min(candidates)
        return threads, {"vector": vector, "partition": partition}

    def fault(self, tile: Mapping[str, int]) -> str:
        vector, partition = tile["vector"], tile["partition"]
        if partition % (4 * vector) or not 4 <= partition // vector <= 32:
            return (
                f"A partition of {partition} residues cannot lie on a vector of {vector} threads: "
                f"each thread takes 4 to 32 rows, in multiples of 4."
            )
        return ""

    def height(self, variant: MethodVariant) -> int:
        """Return the length of a partition."""
        return variant.of("partition")

    def defines(self, variant: MethodVariant) -> dict[str, int]:
        return {"VECTOR": variant.of("vector"), "ROWS": variant.of("partition") // variant.of("vector")}

    def threads_per_subject(self, variant: MethodVariant) -> int:
        return variant.of("vector")

    def arrange(self, profile: NDArray[np.int16], variant: MethodVariant) -> NDArray[np.int16]:
        """Return the striped profile: step by step, the units of all threads of a vector side by side."""
        vector = variant.of("vector")
        per_thread = variant.of("partition") // vector // UNIT_ROWS
        striped = profile.reshape(-1, vector, per_thread, UNIT_ROWS, profile.shape[1])
        return striped.transpose(0, 4, 2, 1, 3)


class Band(PublishedMethod):
    """One thread per subject, horizontal bands swept over the subject, the band's left column in shared memory.

    L. Ligowski, W. Rudnicki: An efficient implementation of Smith Waterman algorithm on GPU using CUDA, IEEE IPDPS
    Workshops (2009); the kernel is ``kernels/papers/band.cu``. The paper's bands have 12 rows and its blocks 256
    threads, which wait for the longest subject among theirs; the height is a setting here, and the substitution
    matrix in shared memory became the band's part of the query profile.
    """

    handed_to_warps = False

    def heights(self, heights: tuple[int, ...], gpu: GpuLimits) -> tuple[int, ...]:
        """Return all; without fused instructions only those whose values fit the registers."""
        return heights if gpu.dpx else tuple(height for height in heights if height <= BAND_WITHOUT_DPX)

    def shared_bytes(self, variant: MethodVariant, length: int) -> int:
        """Return the band's part of the profile and H and E of its left column."""
        height = variant.of("band")
        return CELL_BYTES * (height // UNIT_ROWS * variant.arithmetic.codes + height * variant.threads) + 8

    def unit(self, variant: MethodVariant) -> int:
        """Return one subject (or two) for each thread of the block."""
        return variant.threads * variant.arithmetic.subjects


class Shared(PublishedMethod):
    """One thread per subject, tiles of K x P cells in column order, the column between tiles in shared memory only.

    L.-T. Huang, C.-C. Wu, L.-F. Lai, Y.-J. Li: Improving the mapping of Smith-Waterman sequence database searches onto
    CUDA-enabled GPUs, BioMed Research International 2015:185179 (2015); the kernel is ``kernels/papers/shared.cu``. A
    block of T threads needs 8 x T x (query rows) bytes; the engine checks the paper's condition X >= T x Q, with X the
    shared memory in units of 8 bytes, before the launch, and a query that does not fit falls back to the program's own
    kernel.
    """

    largest_shared = True

    def shape(self, task: Task) -> tuple[int, dict[str, int]]:
        """Return threads and tile; as many threads as the query leaves room for."""
        threads = task.given.get("threads", 0)
        tile = {"k": task.given.get("k", SHARED_COLUMNS)}
        tile["p"] = self.best_height(task, threads or WARP, tile)
        return threads or self._threads(task.length, tile["p"], task.gpu), tile

    def too_large(self, variant: MethodVariant, length: int, needed: int, gpu: GpuLimits) -> str:
        return (
            f"X >= T x Q does not hold: {variant.threads} threads x {variant.rows(length)} query rows x "
            f"{CELL_BYTES} bytes are {needed:,} bytes, and a block has {gpu.shared_limit:,} on this GPU."
        )

    def blocks(self, threads: int, shared_bytes: int, gpu: GpuLimits) -> int:
        return fitting_blocks(gpu, threads, shared_bytes)

    def shared_bytes(self, variant: MethodVariant, length: int) -> int:
        """Return H and E of the last column of a tile, for all rows and threads."""
        return CELL_BYTES * variant.threads * variant.rows(length)

    def border(self, variant: MethodVariant) -> int:
        return 0

    def _threads(self, length: int, height: int, gpu: GpuLimits) -> int:
        """Return as many threads as shared memory allows, in two blocks if there are many."""
        rows = -(-max(length, 1) // height) * height
        allowed = min(gpu.shared_limit // (CELL_BYTES * rows), BUSY_THREADS) // WARP * WARP
        if allowed >= 4 * WARP:
            allowed = allowed // 2 // WARP * WARP
        return max(allowed, WARP)


class Intra(PublishedMethod):
    """All threads of a block on one subject, along anti-diagonals.

    Y. Liu, B. Schmidt, D. L. Maskell: CUDASW++2.0; the kernel, ``kernels/intra.cu``, is one that the engine itself
    uses for its longest subjects (`swgui.engines.cuda.intra`). The other methods use it for long subjects too, and
    for those that overflow 16 bits (`long_variant`).
    """

    whole_blocks = True
    handed_to_warps = False

    def shape(self, task: Task, least: int = WARP) -> tuple[int, dict[str, int]]:
        """Return threads per block and rows per thread with the least estimated time.

        Parameters
        ----------
        least : int
            Threads per block that are needed to fill the GPU.
        """
        given, limit = task.given, task.gpu.shared_limit
        threads, rows = given.get("threads", 0), given.get("rows", 0)
        chosen = intra.best_shape(task.length, task.arithmetic, limit, threads=threads, rows=rows, least=least)
        return chosen[0], {"rows": chosen[1]}

    def blocks(self, threads: int, shared_bytes: int, gpu: GpuLimits) -> int:
        return fitting_blocks(gpu, threads, shared_bytes)

    def height(self, variant: MethodVariant) -> int:
        """Return the rows of a profile unit: a strip may end within a thread's rows."""
        return UNIT_ROWS

    def strip(self, variant: MethodVariant) -> int:
        return variant.threads * variant.of("rows")

    def shared_bytes(self, variant: MethodVariant, length: int) -> int:
        """Return the shared memory for values between threads and for the strip's part of the profile, in bytes."""
        return intra.shared_bytes(variant.arithmetic, variant.threads, variant.of("rows"))

    def unit(self, variant: MethodVariant) -> int:
        return variant.arithmetic.subjects

    def border(self, variant: MethodVariant) -> int:
        return 1

    def arrange(self, profile: NDArray[np.int16], variant: MethodVariant) -> NDArray[np.int16]:
        return intra.arrange_units(profile)


_INTRA: Final = Intra("intra")
METHODS: Final[Mapping[str, PublishedMethod]] = {
    method.name: method for method in (Simt("simt"), Vectors("vsimd"), Band("band"), Shared("shared"), _INTRA)
}


def published_method(name: str) -> PublishedMethod:
    """Return the method of a name in `SEARCH_METHODS`; one of a search that is none of the program's own kernel."""
    return METHODS[name]


def long_variant(length: int, arithmetic: Arithmetic, gpu: GpuLimits, subjects: int = 0) -> MethodVariant:
    """Return the variant for long subjects.

    Parameters
    ----------
    subjects : int
        How many there are: few of them get more threads each; 0 for many.
    """
    least, wanted = WARP, FULL_THREADS * gpu.multiprocessors
    while subjects and least < tiles.INTRA_THREADS[-1] and least * subjects < wanted:
        least *= 2
    threads, tile = _INTRA.shape(Task(length, arithmetic, gpu, {}), least)
    shared_bytes = _INTRA.variant(arithmetic, threads, 1, tile).shared_bytes(length)
    blocks = limited_blocks(gpu, threads, fitting_blocks(gpu, threads, shared_bytes))
    return _INTRA.variant(arithmetic, threads, blocks, tile)
