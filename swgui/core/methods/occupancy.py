"""Occupancy of a GPU by a kernel: limits of the GPUs, the needs of a kernel, and the resource that ends first.

Blocks are counted as the hardware hands them out: registers to whole warps, shared memory in steps, whole blocks only;
that agrees with the driver's own count. The predictions of a paper are in `swgui.papers.occupancy.equations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from swgui.core.errors import InvalidParameter

WARP: Final = 32
REGISTER_STEP: Final = 256  # registers are given to a warp in this step
PARTITIONS: Final = 4  # of a multiprocessor; each has a quarter of the registers

REGISTERS, SHARED, THREADS, BLOCKS, GRID = "registers", "shared memory", "threads", "blocks", "launch"
WHY: Final[Mapping[str, str]] = MappingProxyType(
    {
        REGISTERS: "the registers of a multiprocessor are used up",
        SHARED: "its shared memory is used up",
        THREADS: "it holds no more threads",
        BLOCKS: "it holds no more blocks",
        GRID: "the launch has no more blocks",
    }
)


@dataclass(frozen=True, slots=True)
class CardLimits:
    """Limits of one multiprocessor (SM) of a compute capability."""

    capability: str  # for example ``"9.0"``
    # warps, blocks: that can be resident at a time
    warps: int
    blocks: int
    # shared_bytes, shared_block_bytes: shared memory of the SM; the most a block may have
    shared_bytes: int
    shared_block_bytes: int
    shared_reserved: int  # share of the system for each block
    cores: int  # 32-bit lanes
    registers: int = 65_536  # 32 bits each
    shared_step: int = 128  # shared memory is given in this step

    @property
    def threads(self) -> int:
        """Threads that can be resident."""
        return self.warps * WARP


def _card(capability: str, warps: int, blocks: int, shared: int, block: int, cores: int) -> CardLimits:
    reserved = 1024 if float(capability) >= 8 else 0
    return CardLimits(
        capability, warps, blocks, shared << 10, block << 10, reserved, cores, shared_step=128 if reserved else 256
    )


# CUDA C++ Programming Guide 13.0, section "Compute Capabilities": warps, blocks, KiB of shared memory per SM and per
# block, 32-bit lanes.
CARDS: Final[Mapping[str, CardLimits]] = MappingProxyType(
    {
        card.capability: card
        for card in (
            _card("7.0", 64, 32, 96, 96, 64),
            _card("7.2", 64, 32, 96, 96, 64),
            _card("7.5", 32, 16, 64, 64, 64),
            _card("8.0", 64, 32, 164, 163, 64),
            _card("8.6", 48, 16, 100, 99, 128),
            _card("8.7", 48, 16, 164, 163, 128),
            _card("8.9", 48, 24, 100, 99, 128),
            _card("9.0", 64, 32, 228, 227, 128),
            _card("10.0", 64, 32, 228, 227, 128),
            _card("10.3", 64, 32, 228, 227, 128),
            _card("11.0", 48, 24, 228, 227, 128),
            _card("12.0", 48, 24, 100, 99, 128),
            _card("12.1", 48, 24, 100, 99, 128),
        )
    }
)


def card_limits(capability: str) -> CardLimits:
    """Return the limits of a compute capability; of the nearest older one if it is not in the table.

    Raises
    ------
    InvalidParameter
        If it is no compute capability, or older than the table.
    """
    if capability in CARDS:
        return CARDS[capability]
    wanted = _version(capability)
    older = [name for name in CARDS if _version(name) <= wanted]
    if not older:
        raise InvalidParameter(
            "compute capability", capability, f"Nothing is known of compute capability '{capability}'."
        )
    return CARDS[max(older, key=_version)]


def _version(capability: str) -> tuple[int, ...]:
    try:
        major, minor = capability.split(".")
        return int(major), int(minor)
    except ValueError:
        return (0, 0)


@dataclass(frozen=True, slots=True)
class KernelNeeds:
    """Needs of one block of a kernel."""

    threads: int  # per block
    registers: int  # per thread
    shared_bytes: int  # per block, static and dynamic

    @property
    def warps(self) -> int:
        """Warps of a block."""
        return -(-self.threads // WARP)


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Number of blocks on a multiprocessor, and the reason why not more."""

    card: CardLimits
    needs: KernelNeeds
    blocks_by: Mapping[str, int]  # blocks that each resource alone would allow
    blocks: int  # resident blocks: the least of them
    # registers_used, shared_used: by all resident blocks, as the hardware hands them out
    registers_used: int
    shared_used: int

    @property
    def warps(self) -> int:
        """Resident warps."""
        return self.blocks * self.needs.warps

    @property
    def threads(self) -> int:
        """Resident threads."""
        return self.blocks * self.needs.threads

    @property
    def ratio(self) -> float:
        """Resident warps by the most that could be."""
        return self.warps / self.card.warps

    @property
    def limiting(self) -> tuple[str, ...]:
        """The resources that allow no more blocks."""
        return tuple(name for name, blocks in self.blocks_by.items() if blocks == self.blocks)

    def explain(self) -> str:
        """Return one sentence on the busy share and the reason why not more."""
        if not self.blocks:
            return "Not even one block fits a multiprocessor: " + " and ".join(WHY[n] for n in self.limiting) + "."
        because = " and ".join(WHY[name] for name in self.limiting)
        count = f"{self.blocks} block{'s' * (self.blocks != 1)}"
        return (
            f"Each multiprocessor holds {count} = {self.warps} of {self.card.warps} warps "
            f"({100 * self.ratio:.0f} %); then {because}."
        )


def occupancy(needs: KernelNeeds, card: CardLimits, *, launch_blocks: int = 0, multiprocessors: int = 0) -> Occupancy:
    """Count the blocks that fit one multiprocessor (equation 3: resident warps by the most that could be).

    Parameters
    ----------
    launch_blocks, multiprocessors : int, optional
        Blocks of the launch and multiprocessors of the GPU: a launch may have too few blocks to fill it.

    Raises
    ------
    InvalidParameter
        For a block without threads.
    """
    if needs.threads < 1:
        raise InvalidParameter("threads", needs.threads, "A block has at least one thread.")
    warp_registers = _round_up(needs.registers * WARP, REGISTER_STEP)
    block_registers = warp_registers * _round_up(needs.warps, PARTITIONS)
    by_registers = 0
    if block_registers <= card.registers:
        quarter = card.registers // PARTITIONS
        held = quarter // warp_registers * PARTITIONS if warp_registers else card.warps
        by_registers = held // needs.warps
    shared = _round_up(needs.shared_bytes + card.shared_reserved, card.shared_step)
    by_shared = card.shared_bytes // shared if shared else card.blocks
    if needs.shared_bytes > card.shared_block_bytes:
        by_shared = 0
    by = {
        REGISTERS: by_registers,
        SHARED: by_shared,
        THREADS: card.warps // needs.warps,
        BLOCKS: card.blocks,
    }
    if launch_blocks and multiprocessors:
        by[GRID] = -(-launch_blocks // multiprocessors)
    blocks = min(by.values())
    return Occupancy(
        card=card,
        needs=needs,
        blocks_by=MappingProxyType(by),
        blocks=blocks,
        registers_used=blocks * warp_registers * needs.warps,
        shared_used=blocks * shared,
    )


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step
