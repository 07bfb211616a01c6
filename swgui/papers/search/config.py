"""Settings of a published method for one query on one GPU: the user's, and a choice for all others.

Pure functions. A method that cannot score a query gives the reason (`LaunchConfig.fallback`), and the engine's own
kernel takes over; this module refuses nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from swgui.core.methods.base import AUTO
from swgui.core.methods.search import SEARCH_METHODS
from swgui.core.packing import ChunkLimits
from swgui.engines.cuda.arithmetic import UNFRAMED, Costs, Twins, plan_arithmetic
from swgui.papers.search.methods import GpuLimits, MethodVariant, Task, limited_blocks, long_variant, published_method

LONGEST_ALONE: Final = 3_072  # residues: the length threshold of the paper
SHORTEST_ALONE: Final = 384
SHARE_ALONE: Final = 0.6  # of a search that one thread may take for its longest subject
AUTO_STREAMS: Final = 3
CELLS_PER_CHUNK: Final = 300_000_000_000  # 0.1 to 0.3 s on a large GPU: a thread's longest subject must be little of it
SMALLEST_CHUNK: Final = 4_000_000  # residues
CHUNKS_PER_DEVICE: Final = 6  # so that several GPUs end together
FEW: Final = 64  # subjects that overflow 16 bits, as a guess


@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """Configuration that scores one query."""

    method: str
    variant: MethodVariant  # of the method's own kernel
    blocks: int  # blocks per multiprocessor, 0 if `grid` was set
    grid: int  # blocks of a launch at most
    threshold: int  # longer subjects go to `long`; 0 leaves it to the database
    long: MethodVariant  # for long subjects, if there are many of them (else `long_variant`)
    exact: MethodVariant  # for subjects that overflow 16 bits
    streams: int
    remarks: tuple[str, ...] = ()  # notes for the user
    fallback: str = ""  # why the method cannot do it; empty if it can

    @property
    def settings(self) -> dict[str, str]:
        """Every setting of the method that has to do with a launch, and the value in use."""
        values: dict[str, str] = {name: str(value) for name, value in self.variant.tile}
        if not published_method(self.method).whole_blocks:
            values["threshold"] = str(self.threshold) if self.threshold else f"{AUTO}: {LONGEST_ALONE} at most"
        values["subjects"] = str(self.variant.arithmetic.subjects)
        values["threads"] = str(self.variant.threads)
        if self.blocks:
            values["blocks"] = str(self.blocks)
        values["grid"] = str(self.grid)
        values["streams"] = str(self.streams)
        return {s.name: values[s.name] for s in SEARCH_METHODS[self.method].settings if s.name in values}

    def threshold_for(self, residues: int) -> int:
        """Return the length above which a subject gets a block of its own.

        A thread that scores a long subject must not outlast all others: it may have `SHARE_ALONE` of the work of each
        thread.

        Parameters
        ----------
        residues : int
            Number of all subjects scored at the same time.
        """
        if self.threshold:
            return self.threshold
        variant = self.variant
        subjects = self.grid * variant.threads * variant.arithmetic.subjects
        subjects //= variant.method.threads_per_subject(variant)
        return max(SHORTEST_ALONE, min(LONGEST_ALONE, int(SHARE_ALONE * residues / max(subjects, 1))))


def configure(method: str, settings: Mapping[str, str], length: int, costs: Costs, gpu: GpuLimits) -> LaunchConfig:
    """Choose everything that the settings leave open.

    Parameters
    ----------
    method : str
        One of `SEARCH_METHODS` except the engine's own.
    settings : Mapping[str, str]
        Already checked by `Method.check`.
    """
    given = {name: int(value) for name, value in settings.items() if value not in (AUTO, "on", "off")}
    remarks: list[str] = []
    two = given.get("subjects", 2 if gpu.dpx else 1) == 2
    arithmetic = plan_arithmetic(Twins.SUBJECTS if two else Twins.NONE, costs, dpx=gpu.dpx, period=UNFRAMED)
    if two and arithmetic.subjects == 1:
        remarks.append(
            f"Scores of up to {costs.highest} leave 16 bits too little room: one subject per thread, 32 bits."
        )
    asked = published_method(method)
    threads, tile = asked.shape(Task(length, arithmetic, gpu, given))
    fallback = asked.fault(tile)
    shared_bytes = asked.variant(arithmetic, threads, 1, tile).shared_bytes(length)
    blocks = given.get("blocks") or asked.blocks(threads, shared_bytes, gpu)
    grid = given.get("grid", 0)
    resident = max(1, -(-grid // gpu.multiprocessors)) if grid else blocks
    variant = asked.variant(arithmetic, threads, limited_blocks(gpu, threads, resident), tile)
    if not fallback and shared_bytes > gpu.shared_limit:
        fallback = asked.too_large(variant, length, shared_bytes, gpu)
    exact = plan_arithmetic(Twins.NONE, costs, dpx=gpu.dpx, period=UNFRAMED)
    return LaunchConfig(
        method,
        variant,
        0 if grid else blocks,
        grid or blocks * gpu.multiprocessors,
        given.get("threshold", 0),
        variant if asked.whole_blocks else long_variant(length, arithmetic, gpu),
        long_variant(length, exact, gpu, FEW),
        given.get("streams", AUTO_STREAMS),
        tuple(remarks),
        fallback,
    )


def published_limits(length: int, residues: int, devices: int) -> ChunkLimits:
    """Return the limits by which a published method cuts a database: as large as cancelling and sharing allow.

    Parameters
    ----------
    length : int
        Mean residues of the queries.
    """
    most = CELLS_PER_CHUNK // length
    if devices > 1:
        most = min(most, residues // (CHUNKS_PER_DEVICE * devices))
    return ChunkLimits(residues=max(most, SMALLEST_CHUNK))
