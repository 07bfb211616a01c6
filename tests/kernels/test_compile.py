"""Every kernel compiles for every supported GPU, within the registers its variant leaves it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.plain import replace
from swgui.engines.cuda import intra, tiles
from swgui.engines.cuda.arithmetic import Costs, Gaps, Twins, plan_arithmetic
from swgui.engines.cuda.modules import source
from swgui.engines.cuda.streaming.alone import plan_long
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.ranking import BINS
from swgui.engines.cuda.streaming.tables import H200
from swgui.engines.cuda.streaming.variants import KernelVariant, Tile, family_of, passes, select_tile
from tests.kernels.nvrtc import ARCHITECTURES, at_night, compile_kernel, library

pytestmark = pytest.mark.skipif(library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")

FIRST_DPX = 90
REGISTERS = 65_536  # of a multiprocessor
SHARED = 99 * 1024  # the smallest of compute capability 8.6 and later
# Registers that do not fit go to the first cache. A few words per step cost little; the middle passes of the
# largest tiles need some.
SPILL_BUDGET = 160  # bytes
COSTS = {
    Gaps.SCHEME: lambda highest: Costs(27, 12, 1, -4, highest),
    Gaps.POSITIONS: lambda highest: Costs(27, 64, 0, -63, highest, positions=Gaps.POSITIONS),
    Gaps.OPENINGS: lambda highest: Costs(27, 64, 3, -57, highest, positions=Gaps.OPENINGS),
}
BY_POSITION = (Gaps.POSITIONS, Gaps.OPENINGS)
PASSES = (1, *at_night(0, 2))  # over a long query: those between the first and the last need most registers
TWINS = {
    "packed": (Twins.SUBJECTS, 11),
    "words": (Twins.SUBJECTS, 300),
    "queries": (Twins.QUERIES, 11),
    "32 bits": (Twins.NONE, 11),
}


TRACKS = {
    "packed": lambda: Costs(27, 12, 1, -21, 21, tracks=((27, -4, 11), (21, -17, 10))),
    "words": lambda: Costs(27, 30, 1, -400, 300, tracks=((27, -4, 11), (65, -396, 289))),
    "queries": lambda: Costs(27, 12, 1, -21, 21, tracks=((27, -4, 11), (37, -17, 10))),
    "32 bits": lambda: Costs(27, 12, 1, -21, 21, tracks=((27, -4, 11), (21, -17, 10))),
}


def check(variant: KernelVariant, architecture: int) -> None:
    used = compile_kernel(source("streaming.cu"), architecture, variant.defines())["streaming"]
    assert used.registers <= variant.tile.registers, variant
    assert used.spilled <= SPILL_BUDGET, variant


def variant_of(twins: str, length: int, dpx: bool, number: int = 0, gaps: Gaps = Gaps.SCHEME) -> KernelVariant:
    kind, highest = TWINS[twins]
    arithmetic = plan_arithmetic(kind, COSTS[gaps](highest), dpx=dpx)
    variants = [variant for _, variant in passes(select_tile(length, arithmetic, SHARED), arithmetic, length)]
    return variants[min(number, len(variants) - 1)]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("twins", TWINS)
@pytest.mark.sampled(2)
def test_streaming_kernel(twins, architecture):
    check(variant_of(twins, 200, architecture >= FIRST_DPX), architecture)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_several_twins_of_queries_in_one_launch(architecture):
    check(replace(variant_of("queries", 174, architecture >= FIRST_DPX), several=True), architecture)


@pytest.mark.parametrize("number", PASSES)
@pytest.mark.parametrize("twins", TWINS)
@pytest.mark.sampled(2)
def test_passes_over_a_long_query(twins, number):
    check(variant_of(twins, 3000, True, number), 90)


@pytest.mark.parametrize("architecture", [90, *at_night(75, 80, 120)])
@pytest.mark.parametrize("twins", TWINS)
@pytest.mark.parametrize("gaps", BY_POSITION)
@pytest.mark.sampled(2)
def test_gap_costs_by_position(gaps, twins, architecture):
    check(variant_of(twins, 174, architecture >= FIRST_DPX, gaps=gaps), architecture)


@pytest.mark.parametrize("number", PASSES)
@pytest.mark.parametrize("twins", TWINS)
@pytest.mark.parametrize("gaps", BY_POSITION)
@pytest.mark.sampled(2)
def test_passes_with_gap_costs_by_position(gaps, twins, number):
    check(variant_of(twins, 3000, True, number, gaps), 90)


@pytest.mark.parametrize("twins", TWINS)
@pytest.mark.parametrize(("architecture", "length"), [(90, 400), *at_night((75, 100), (120, 900))])
@pytest.mark.sampled(2)
def test_two_tracks(twins, architecture, length):
    arithmetic = plan_arithmetic(TWINS[twins][0], TRACKS[twins](), dpx=architecture >= FIRST_DPX)
    tile = select_tile(length, arithmetic, SHARED)
    check(list(passes(tile, arithmetic, length))[-1][1], architecture)


def test_without_dpx_on_a_gpu_that_has_it():
    check(variant_of("packed", 464, False), 90)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_long_pairs(architecture):
    costs, dpx = COSTS[Gaps.SCHEME](11), architecture >= FIRST_DPX
    layout = DatabaseLayout.of(np.concatenate([[0], np.cumsum([20_000, *[400] * 2_000])]))
    gpu = SimpleNamespace(
        multiprocessors=132, shared_limit=SHARED if architecture > 75 else 64 * 1024, dpx=dpx, tables=H200
    )
    arithmetic = plan_arithmetic(Twins.SUBJECTS, costs, dpx=dpx)
    long, _ = plan_long(np.ones((costs.letters, 5_478), np.int16), costs, arithmetic, gpu, layout)
    assert long is not None
    used = compile_kernel(source(intra.FILE), architecture, long.variant.defines())[intra.KERNEL]
    assert used.registers <= REGISTERS // long.variant.threads
    assert used.spilled == 0


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_packing_and_ranking(architecture):
    assert set(compile_kernel(source("pack.cu"), architecture, ("-DSW_LETTERS=27",))) == {
        "pack",
        "pack_planes",
        "pack_bases",
        "lay_runs",
        "pack_codons",
    }
    ranking = compile_kernel(source("ranking.cu"), architecture, (f"-DRANK_BINS={BINS}",))
    assert set(ranking) == {"count_scores", "find_threshold", "collect_scores"}


def test_a_missing_constant_stops_the_compiler():
    defines = variant_of("packed", 100, True).defines()
    with pytest.raises(SyntaxError, match="the scheme is not given"):
        compile_kernel(source("streaming.cu"), 90, tuple(one for one in defines if "FLOOR" not in one))


def test_an_unsupported_constant_stops_the_compiler():
    defines = (*variant_of("packed", 100, True).defines(), "-USW_LANES", "-DSW_LANES=12")
    with pytest.raises(SyntaxError, match="a group has 4, 8, 16 or 32 lanes"):
        compile_kernel(source("streaming.cu"), 90, defines)


@pytest.mark.nightly
@pytest.mark.parametrize("architecture", [80, 90])
@pytest.mark.parametrize("twins", TWINS)
@pytest.mark.parametrize("gaps", BY_POSITION)
def test_whole_table_of_positions(gaps, twins, architecture):
    kind, highest = TWINS[twins]
    arithmetic = plan_arithmetic(kind, COSTS[gaps](highest), dpx=architecture >= FIRST_DPX)
    for rate in H200.rates[family_of(arithmetic)]:
        check(KernelVariant(arithmetic, Tile(8, rate.rows, rate.threads, rate.skew, rate.halves)), architecture)


@pytest.mark.nightly
@pytest.mark.parametrize("architecture", [80, 90])
@pytest.mark.parametrize("table", ["PACKED", "WORDS", "QUERIES", "SINGLE"])
def test_whole_table(table, architecture):
    kind, highest = dict(zip(("PACKED", "WORDS", "QUERIES", "SINGLE"), TWINS.values(), strict=True))[table]
    arithmetic = plan_arithmetic(kind, Costs(27, 12, 1, -4, highest), dpx=architecture >= FIRST_DPX)
    for rate in getattr(tiles, table):
        check(KernelVariant(arithmetic, Tile(8, rate.rows, rate.threads, rate.skew, rate.halves)), architecture)
