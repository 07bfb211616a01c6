"""Regions and shuffles as a GPU finds them, run on the CPU by the same code of the host."""

from __future__ import annotations

import contextlib
import ctypes
import threading

import numpy as np
import pytest

from swgui.core.control import checking
from swgui.core.errors import EngineFault, Stopped
from swgui.core.judging.correction_work import PERIODS, REVERSED, WHOLE, WINDOWS
from swgui.core.plain import replace
from swgui.core.score_profile import PositionGaps
from swgui.engines.cuda import regions as on_gpu
from swgui.engines.cuda.modules import source
from swgui.engines.cuda.regions import GpuRegions
from swgui.engines.native import Subjects, scores
from swgui.engines.native.correction import HOST
from tests.kernels import on_cpu
from tests.kernels.nvrtc import ARCHITECTURES, at_night, compile_kernel
from tests.kernels.nvrtc import library as compiler
from tests.kernels.on_cpu import COMPILER, library, pointer
from tests.region_data import (
    assert_counts_are_those_of_alignments,
    assert_same_regions,
    gaps_of,
    joined_request,
    region_request,
    track_data,
)

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")


class CpuGpu(on_cpu.CpuGpu):
    """The calls of `GpuRegions` to a GPU."""

    def __init__(self, dpx):
        super().__init__()
        self.dpx = dpx
        self.fault = None

    @contextlib.contextmanager
    def at_work(self):
        if self.fault:
            raise self.fault
        yield

    def kernel(self, file, name, defines):
        assert file == "regions.cu"
        run = getattr(library("regions_on_cpu.cpp", defines), f"run_{name}")

        def launch(grid, block, arguments, *, shared_mem):
            self.launches.append(name)
            run(grid[0], *(pointer(one) if isinstance(one, np.ndarray) else _word(one) for one in arguments))

        return launch


def _word(number):
    return ctypes.c_uint64(int(number)) if isinstance(number, np.uint64) else ctypes.c_int(int(number))


@pytest.fixture(params=[True, False], ids=["16 bits", "32 bits"])
def gpu(request, monkeypatch):
    monkeypatch.setattr(on_gpu, "TUNING", replace(on_gpu.TUNING, few_cells=0))
    return CpuGpu(request.param)


def profile_of(rng, rows, lowest=-4, highest=6):
    return rng.integers(lowest, highest + 1, (rows, 27)).astype(np.int16)


@needs_compiler
@pytest.mark.parametrize(
    ("rows", "costs"),
    [
        (1, (12, 1)),
        (16, (3, 1)),
        (17, (12, 1)),
        (257, (3, 1)),
        (512, (12, 1)),
        (513, (2, 2)),
        (300, (0, 0)),
        (1030, (12, 1)),
    ],
)
@pytest.mark.sampled
def test_regions_are_those_of_the_library(gpu, rng, rows, costs):
    profile = profile_of(rng, rows, -6)
    codes = rng.integers(0, 27, 3000).astype(np.uint8)
    codes[1000:1100] = np.tile(codes[:50], 2)  # the same score twice: the first end counts
    lengths = np.array([0, 1, 31, 32, 33, 400, 700, 3])
    subjects = Subjects(codes, np.array([5, 0, 900, 40, 41, 950, 100, 2997]), lengths)
    known = scores(profile, subjects, *costs)
    known[2] += 3 if known[2] else 0  # too high: found out, and answered by the library
    turned, high = profile[::-1][:30], profile * 40  # beyond a byte: answered by the library
    others = [region_request(one, subjects, scores(one, subjects, *costs), *costs) for one in (turned, high)]
    questions = [others[0], region_request(profile, subjects, known, *costs), others[1]]
    assert_same_regions(GpuRegions(gpu).regions_of(joined_request(questions)), list(map(HOST.regions_of, questions)))
    assert gpu.launches == ["find_regions"]


@needs_compiler
@pytest.mark.parametrize("score", [19_900, 20_100, 45_000])
def test_high_scores_are_found_in_32_bits(gpu, rng, score):
    rows = score // 100
    codes = rng.integers(0, 20, rows + 200).astype(np.uint8)
    profile = np.full((rows, 27), -20, np.int16)
    profile[np.arange(rows), codes[100 : 100 + rows]] = 100
    subjects = Subjects(codes, np.array([0, 90, 100]), np.array([rows + 200, 120, rows]))
    question = region_request(profile, subjects, scores(profile, subjects, 12, 1), 12, 1)
    assert question.scores[0] == score
    assert_same_regions(GpuRegions(gpu).regions_of(question), HOST.regions_of(question))
    given = codes, np.array([[0, rows, 100, rows, PERIODS, 1, 0, 2]], dtype=np.int64), 12, 1, 5
    shuffled = GpuRegions(gpu).shuffled_scores(profile, *given).tolist()
    assert shuffled == HOST.shuffled_scores(profile, *given).tolist() == [score] * 2


@needs_compiler
@pytest.mark.parametrize("gaps", [(11, 1), (2, 2), (0, 0)])
def test_what_is_counted_of_pairs_is_what_their_alignments_consist_of(gpu, rng, monkeypatch, gaps):
    monkeypatch.setattr(on_gpu, "TUNING", replace(on_gpu.TUNING, launch_cells=100_000))  # several launches
    assert_counts_are_those_of_alignments(GpuRegions(gpu), rng, gaps, [300, 40, 1, 20, 257], 16)
    assert gpu.launches.count("count_pairs") > 1
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        assert_counts_are_those_of_alignments(GpuRegions(gpu), rng, gaps, [40], 1, check=checking(stop))


@needs_compiler
@pytest.mark.parametrize(("rows", "refunds"), [(1, False), (40, True), (257, False), (600, True), (300, True)])
@pytest.mark.sampled
def test_regions_with_gap_costs_by_position_are_those_of_the_library(gpu, rng, rows, refunds):
    codes = rng.integers(0, 27, 3000).astype(np.uint8)
    codes[1000:1100] = np.tile(codes[:50], 2)
    subjects = Subjects(codes, np.array([5, 0, 900, 40, 41, 950, 100]), np.array([0, 1, 31, 33, 400, 700, 3]))
    questions = []
    for tall in (rows, 20, rows):
        profile, gaps = profile_of(rng, tall, -6), gaps_of(rng, tall, refunds)
        known = scores(profile, subjects, 0, 0, gaps=gaps)
        questions.append(region_request(profile, subjects, known, 12, 1, gaps))
    plain = profile_of(rng, 30)  # costs the same everywhere, in the same call
    question = region_request(plain, subjects, scores(plain, subjects, 12, 1), 12, 1)
    expected = list(map(HOST.regions_of, [question, *questions]))
    questions.insert(0, replace(question, gaps=PositionGaps.constant(30, 12, 1)))
    assert_same_regions(GpuRegions(gpu).regions_of(joined_request(questions)), expected)
    assert gpu.launches == ["find_regions"]


@needs_compiler
@pytest.mark.parametrize(("rows", "costs"), [(1, (12, 1)), (40, (12, 1)), (300, (3, 1))])
def test_regions_in_two_tracks_are_those_of_the_library(gpu, rng, rows, costs):
    alphabet, profile, codes = track_data(rng, rows, 2000)
    subjects = Subjects(codes, np.array([5, 0, 900, 40, 41, 950, 100]), np.array([0, 1, 31, 33, 400, 700, 3]))
    known = scores(profile.sums(), subjects, *costs)
    question = region_request(profile, subjects, known, *costs, tracks=alphabet)
    assert_same_regions(GpuRegions(gpu).regions_of(question), HOST.regions_of(question))
    assert gpu.launches == ["find_regions"]


JOBS = [
    [3, 40, 10, 50, WHOLE, 50, REVERSED, 16],
    [0, 620, 100, 300, WHOLE, 300, REVERSED, 3],
    [300, 300, 900, 77, WINDOWS, 10, 0, 9],
    [20, 30, 500, 61, PERIODS, 7, 4, 5],
    [5, 1, 1999, 1, WHOLE, 1, 0, 2],
    [7, 9, 8, 0, WHOLE, 0, 0, 2],
]


@needs_compiler
@pytest.mark.parametrize("kind", ["plain", "gaps", "refunds", "tracks"])
@pytest.mark.sampled
def test_shuffles_are_those_of_the_library(gpu, rng, monkeypatch, kind):
    monkeypatch.setattr(on_gpu, "ROOM", 7_300)  # several launches
    profile, codes, how = profile_of(rng, 620), rng.integers(0, 27, 2000).astype(np.uint8), {}
    if kind == "tracks":
        how["tracks"], profile, codes = track_data(rng, 620, 2000)
    elif kind != "plain":
        how["gaps"] = gaps_of(rng, 620, kind == "refunds")
    given = codes, np.array(JOBS, dtype=np.int64), 11, 1, 5
    work = GpuRegions(gpu)
    expected = HOST.shuffled_scores(profile, *given, **how).tolist()
    for _ in range(2):  # tables and codes are made once
        assert work.shuffled_scores(profile, *given, **how).tolist() == expected
    assert gpu.launches.count("score_copies") > 1
    others = codes[::-1].copy(), *given[1:]
    assert (
        work.shuffled_scores(profile, *others, **how).tolist() == HOST.shuffled_scores(profile, *others, **how).tolist()
    )


@needs_compiler
def test_what_a_gpu_cannot_do_is_done_by_the_library(gpu, rng, monkeypatch):
    codes, jobs = rng.integers(0, 20, 99).astype(np.uint8), np.array([[0, 30, 0, 60, WHOLE, 60, 0, 4]])
    work, wide = GpuRegions(gpu), profile_of(rng, 30, -300, 300)
    assert (
        work.shuffled_scores(wide, codes, jobs, 11, 1, 5).tolist()
        == HOST.shuffled_scores(wide, codes, jobs, 11, 1, 5).tolist()
    )
    assert not gpu.launches
    gpu.fault = EngineFault("It is gone.")
    profile = profile_of(rng, 30)
    expected = HOST.shuffled_scores(profile, codes, jobs, 11, 1, 5).tolist()
    assert work.shuffled_scores(profile, codes, jobs, 11, 1, 5).tolist() == expected
    gpu.fault = None  # it is not asked again
    assert work.shuffled_scores(profile, codes, jobs, 11, 1, 5).tolist() == expected
    assert not gpu.launches


@pytest.mark.skipif(compiler() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize(
    "defines",
    [
        (),
        ("-DSW_PACKED",),
        ("-DSW_PACKED", "-DSW_COUNTS"),
        *at_night((("-DSW_COUNTS",),), (("-DSW_TRACKS",),), (("-DSW_GAPS",),)),
    ],
)
@pytest.mark.sampled(3)
def test_the_kernels_compile(architecture, defines):
    used = compile_kernel(source("regions.cu"), architecture, defines)
    counts = {"-DSW_COUNTS"} & {*defines}
    assert set(used) == {"count_pairs"} if counts else {"find_regions", "score_copies"}
    assert used["count_pairs" if counts else "find_regions"].spilled == 0
