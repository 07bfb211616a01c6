"""Scanners of the rules as a GPU runs them, on the CPU, against the compiled ones, which definitions judge."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import Stopped
from swgui.core.rules.matching import masks, match_table
from swgui.engines.cuda.modules import source
from swgui.engines.rules import device
from swgui.engines.rules.device import DeviceScanner
from swgui.engines.rules.host import HostScanner
from swgui.engines.rules.scanner import patterns
from tests.kernels import on_cpu
from tests.kernels.nvrtc import ARCHITECTURES, compile_kernel
from tests.kernels.nvrtc import library as compiler
from tests.kernels.on_cpu import COMPILER, library, pointer

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
KERNELS = ("rule_mismatches", "rule_ends", "rule_scores")


class CpuGpu(on_cpu.CpuGpu):
    """The calls of `DeviceScanner` to a GPU."""

    def kernel(self, file, name, defines):
        run = getattr(library("rules_on_cpu.cpp", defines), f"run_{name}")

        def launch(grid, block, arguments):
            self.launches.append(name)
            run(grid[0], *(_argument(value) for value in arguments))

        return launch


def _argument(value):
    if isinstance(value, np.ndarray):
        return pointer(value)
    wide = {np.uint64: ctypes.c_uint64, np.int64: ctypes.c_int64}
    return wide.get(type(value), ctypes.c_int)(int(value))


def draw(rng, sizes):
    return [rng.integers(0, 4, size).astype(np.uint8) for size in sizes]


def assert_same_places(one, other, text, queries, most, allowed):
    """Ask two scanners everything about places with so many differences."""
    for question in (
        lambda scanner: scanner.mismatches(text, queries, most, lambda: None),
        lambda scanner: scanner.ends(text, queries, most, None, lambda: None),
        lambda scanner: scanner.ends(text, queries, most, allowed, lambda: None),
    ):
        answer, expected = question(one), question(other)
        assert np.array_equal(answer.query, expected.query)
        assert np.array_equal(answer.position, expected.position)
        assert np.array_equal(answer.differences, expected.differences)


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 1000, 2300])
def test_places_are_those_of_the_compiled_scanners(size, monkeypatch):
    monkeypatch.setattr(device, "ROOM", 5)
    monkeypatch.setattr(device, "STEPS", 3000)
    rng = np.random.default_rng(size)
    text = draw(rng, [size])[0]
    queries = patterns(draw(rng, (5, 9, 16, 17, 33, 64)), masks(match_table(PROTEIN, equate_il=True)))
    gpu = CpuGpu()
    here, there = DeviceScanner(gpu), HostScanner(1)
    allowed = (rng.random(size) < 0.5).astype(np.uint8)
    for most in (0, 2, 30):
        assert_same_places(here, there, text, queries, most, allowed)
    assert size == 0 or {"rule_mismatches", "rule_ends"} <= set(gpu.launches)


@pytest.mark.parametrize("border", [1 << 28, 100])
def test_scores_are_those_of_the_compiled_scanner(border, monkeypatch):
    monkeypatch.setattr(device, "BORDER", border)
    rng = np.random.default_rng(3)
    text = draw(rng, [900])[0]
    starts = rng.integers(0, 900, 140)
    ranges = np.stack([starts, np.minimum(starts + rng.integers(0, 60, 140), 900)]).astype(np.int64)
    queries = patterns(draw(rng, (1, 15, 16, 17, 40)), masks(match_table(PROTEIN)))
    for up, down in ((13, 7), (0, 1), (1, 0), (1, 9)):
        weights = (np.full(ranges.shape[1], one, np.int32) for one in (up, down))
        given = text, ranges, queries, *weights, lambda: None
        assert np.array_equal(DeviceScanner(CpuGpu()).scores(*given), HostScanner(1).scores(*given))


def test_a_stop_is_seen_before_a_launch():
    def stop():
        raise Stopped("Stopped.")

    text = np.zeros(300, np.uint8)
    queries = patterns([np.zeros(5, np.uint8)], masks(match_table(PROTEIN)))
    gpu = CpuGpu()
    for question in (
        lambda: DeviceScanner(gpu).mismatches(text, queries, 1, stop),
        lambda: DeviceScanner(gpu).scores(text, np.array([[0], [300]]), queries, *np.ones((2, 1), np.int32), stop),
    ):
        with pytest.raises(Stopped):
            question()
    assert gpu.launches == []


@pytest.mark.skipif(compiler() is None, reason="no NVRTC")
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_kernels_compile_without_spilling(architecture):
    usage = compile_kernel(source("rules.cu"), architecture, ())
    assert {name: usage[name].spilled for name in KERNELS} == dict.fromkeys(KERNELS, 0)
