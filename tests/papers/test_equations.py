import math

import pytest

from swgui.core.errors import InvalidParameter
from swgui.core.methods.occupancy import CARDS, REGISTERS, SHARED, THREADS, KernelNeeds, occupancy
from swgui.papers.occupancy.equations import paper_ratios, shortest_filling, tile_limits

HOPPER = CARDS["9.0"]


def test_the_equations_are_upper_bounds():
    for gpu in CARDS.values():
        for threads in (32, 96, 128, 256, 384, 1024):
            for registers in (1, 24, 40, 63, 128, 255):
                for shared in (0, 1, 5_000, 48 << 10, gpu.shared_block_bytes):
                    found = occupancy(KernelNeeds(threads, registers, shared), gpu)
                    ratios = paper_ratios(found.needs, gpu)
                    assert found.ratio <= min(ratios.values()) + 1e-9 or found.warps * 32 > found.threads


def test_the_equations_of_the_paper():
    needs = KernelNeeds(threads=256, registers=64, shared_bytes=32_768)
    ratios = paper_ratios(needs, HOPPER)
    assert ratios[REGISTERS] == pytest.approx(65_536 / 64 / 2048)  # 4: half of the threads
    assert ratios[SHARED] == pytest.approx(228 * 1024 / (32_768 / 256) / 2048)  # 5
    assert ratios[THREADS] == pytest.approx(8 * 8 / 64)  # 6
    assert paper_ratios(KernelNeeds(768, 0, 0), HOPPER)[THREADS] == pytest.approx(24 * 2 / 64)
    assert paper_ratios(KernelNeeds(768, 0, 0), HOPPER)[REGISTERS] == math.inf


def test_tile_limits():
    limits = tile_limits(cores=16_896, memory=141 << 30, element_bytes=4)
    assert limits.smallest == 11_948  # 16,896 / sqrt(2) = 11,947.3
    assert limits.largest**2 * 4 <= 141 << 30 < (limits.largest + 1) ** 2 * 4
    assert limits.contains(20_000)
    assert not limits.contains(10_000)
    assert shortest_filling(16_896) == limits.smallest
    assert 2**0.5 * limits.smallest >= 16_896 > 2**0.5 * (limits.smallest - 1)


@pytest.mark.parametrize("arguments", [(0, 1, 1), (1, 0, 1), (1, 1, 0)])
def test_tile_limits_refuse_nothing(arguments):
    with pytest.raises(InvalidParameter):
        tile_limits(*arguments)
