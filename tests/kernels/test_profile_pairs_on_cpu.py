"""Profiles against profiles as a GPU scores them, on the CPU, against the compiled engine."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from swgui.core.errors import Stopped
from swgui.core.profiles.pairs import PairGaps
from swgui.engines.cuda.modules import with_defines
from swgui.engines.profile_pairs import device
from swgui.engines.profile_pairs.cpu import CpuPairs
from swgui.engines.profile_pairs.device import ROWS, DevicePairs, rows_of
from tests.engines.profile_pairs.examples import related
from tests.kernels import on_cpu
from tests.kernels.nvrtc import ARCHITECTURES, at_night, compile_kernel
from tests.kernels.nvrtc import library as compiler
from tests.kernels.on_cpu import COMPILER, library, pointer

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


class CpuGpu(on_cpu.CpuGpu):
    """The calls of `DevicePairs` to a GPU of two multiprocessors."""

    multiprocessors = 2

    def __init__(self):
        super().__init__()
        self.cancel_flag = np.zeros(1, np.int32)

    def kernel(self, file, name, defines):
        run = getattr(library("profile_pairs_on_cpu.cpp", defines), f"run_{name}")

        def launch(grid, block, arguments):
            self.launches.append(name)
            run(grid[0], *(_argument(value) for value in arguments))

        return launch

    def blocks_at_once(self, kernel, threads, shared):
        return 2

    def stop(self):
        self.launches.append("stop")


def _argument(value):
    if isinstance(value, np.ndarray):
        return pointer(value)
    return (ctypes.c_int64 if isinstance(value, np.int64) else ctypes.c_int)(int(value))


@pytest.mark.parametrize(
    ("sizes", "others"),
    [((1, 31, 32, 33, 64, 65), (1, 2, 30, 31, 32, 33, 100)), *at_night(((319, 320, 321, 700), (3, 90, 513)))],
)
def test_scores_are_those_of_the_compiled_engine(sizes, others, monkeypatch):
    monkeypatch.setattr(device, "CHUNK_COLUMNS", 70)
    monkeypatch.setattr(device, "LAUNCH_CELLS", 20_000)
    queries, targets = related(1, (*sizes, *others), split=len(sizes))
    gpu = CpuGpu()
    engine = DevicePairs(gpu)
    for gaps in (PairGaps(), PairGaps(40, 40), PairGaps(0, 0)):
        assert np.array_equal(engine.scores(queries, targets, gaps), CpuPairs(1).scores(queries, targets, gaps))
    assert gpu.launches.count("pair_pack") == 4  # targets once, queries each time


def test_strips_of_a_long_query(monkeypatch):
    monkeypatch.setattr(device, "ROWS", (1, 2))
    monkeypatch.setattr(device, "CHUNK_COLUMNS", 50)
    queries, targets = related(2, (63, 64, 65, 129, 150, 40, 1, 70), split=5)
    gpu = CpuGpu()
    found = DevicePairs(gpu).scores(queries, targets, PairGaps())
    assert np.array_equal(found, CpuPairs(1).scores(queries, targets, PairGaps()))
    assert device.IN_STRIPS in gpu.launches


def test_rows_of_a_lane_hold_the_query_in_the_fewest_strips():
    assert [rows_of(length) for length in (1, 32, 33, 200, 320, 321, 640, 641)] == [1, 1, 2, 7, 10, 6, 10, 7]


def test_a_stop_ends_the_kernels_under_way():
    queries, targets = related(3, (5, 9), split=1)
    gpu = CpuGpu()

    def stop():
        raise Stopped("Stopped.")

    with pytest.raises(Stopped):
        DevicePairs(gpu).scores(queries, targets, PairGaps(), stop)
    assert gpu.launches[-1] == "stop"


@pytest.mark.skipif(compiler() is None, reason="no NVRTC")
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("rows", [ROWS[-1], *at_night(*ROWS[:-1])])
def test_kernels_compile_without_spilling(rows, architecture):
    usage = compile_kernel(with_defines(device.FILE, (f"-DPAIR_ROWS={rows}",)), architecture, ())
    names = ("pair_pack", device.WHOLE, device.IN_STRIPS)
    assert [usage[name].spilled for name in names] == [0, 0, 0]
