import pytest

from swgui.core.errors import InvalidParameter
from swgui.core.methods.occupancy import (
    BLOCKS,
    CARDS,
    GRID,
    REGISTERS,
    SHARED,
    THREADS,
    KernelNeeds,
    card_limits,
    occupancy,
)

HOPPER = CARDS["9.0"]


# What cudaOccupancyMaxActiveBlocksPerMultiprocessor answers by its published rules: (capability, threads, registers,
# shared bytes, blocks).
@pytest.mark.parametrize(
    ("capability", "threads", "registers", "shared", "blocks"),
    [
        ("9.0", 1024, 32, 0, 2),
        ("9.0", 1024, 64, 0, 1),
        ("9.0", 384, 168, 0, 1),
        ("9.0", 384, 80, 0, 2),
        ("9.0", 256, 255, 0, 1),
        ("9.0", 32, 16, 0, 32),
        ("9.0", 128, 32, 100 << 10, 2),
        ("9.0", 128, 32, 227 << 10, 1),
        ("9.0", 128, 32, 113 << 10, 2),
        ("9.0", 128, 32, 114 << 10, 1),  # 1 KiB of each block belongs to the system
        ("8.9", 1024, 32, 0, 1),
        ("8.9", 512, 32, 0, 3),
        ("7.5", 256, 64, 0, 4),
        ("7.5", 256, 64, 32 << 10, 2),
    ],
)
def test_blocks_are_counted_as_the_hardware_hands_them_out(capability, threads, registers, shared, blocks):
    assert occupancy(KernelNeeds(threads, registers, shared), CARDS[capability]).blocks == blocks


def test_the_limiting_resource_is_named():
    assert occupancy(KernelNeeds(256, 128, 0), HOPPER).limiting == (REGISTERS,)
    assert occupancy(KernelNeeds(64, 32, 100 << 10), HOPPER).limiting == (SHARED,)
    assert occupancy(KernelNeeds(1024, 16, 0), HOPPER).limiting == (THREADS,)
    assert occupancy(KernelNeeds(32, 16, 0), HOPPER).limiting == (BLOCKS,)
    assert set(occupancy(KernelNeeds(64, 32, 0), HOPPER).limiting) == {REGISTERS, THREADS, BLOCKS}
    few = occupancy(KernelNeeds(128, 32, 0), HOPPER, launch_blocks=132, multiprocessors=132)
    assert (few.blocks, few.limiting) == (1, (GRID,))


def test_a_block_that_does_not_fit_is_explained():
    found = occupancy(KernelNeeds(128, 32, 228 << 10), HOPPER)
    assert (found.blocks, found.ratio) == (0, 0.0)
    assert "Not even one block" in found.explain()
    assert occupancy(KernelNeeds(1024, 65, 0), HOPPER).blocks == 0


def test_what_is_used_never_exceeds_what_there_is():
    for card in CARDS.values():
        for threads in (32, 96, 128, 256, 384, 1024):
            for registers in (1, 24, 40, 63, 128, 255):
                for shared in (0, 1, 5_000, 48 << 10, card.shared_block_bytes):
                    found = occupancy(KernelNeeds(threads, registers, shared), card)
                    assert found.registers_used <= card.registers
                    assert found.shared_used <= card.shared_bytes
                    assert found.warps <= card.warps
                    assert 0 <= found.ratio <= 1
                    assert found.limiting


def test_a_newer_card_is_taken_for_the_newest_known_before_it():
    assert card_limits("9.5") is HOPPER
    assert card_limits("13.0") is CARDS["12.1"]
    for wrong in ("6.1", "", "nine"):
        with pytest.raises(InvalidParameter):
            card_limits(wrong)
