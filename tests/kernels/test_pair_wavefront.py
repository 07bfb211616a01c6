"""The kernels of the wavefront method compile for every GPU within their registers."""

from __future__ import annotations

import pytest

from swgui.core.plain import replace
from swgui.engines.cuda.modules import source
from swgui.engines.cuda.pair.wavefront.cells import (
    PROFILE_SHAPES,
    PRUNED_SHAPES,
    SHAPES,
    PassGoal,
    SchemeFacts,
    Shape,
    plan_cells,
)
from swgui.engines.cuda.pair.wavefront.follow import SMALL
from swgui.engines.cuda.pair.wavefront.letters import TOOL_DEFINES, TOOLS
from tests.kernels.nvrtc import ARCHITECTURES, at_night, compile_kernel, library

needs_compiler = pytest.mark.skipif(library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")

FIRST_DPX = 90
# What does not fit goes to the first cache; only the highest bands need any, in their careful steps.
SPILL_BUDGET = 160  # bytes
DNA = SchemeFacts(16, 7, 2, -3, 2, True)
IUPAC = SchemeFacts(16, 7, 2, -3, 2, False)
HUGE = SchemeFacts(16, 9700, 700, -2000, 1000, False)
TASKS = {
    "best": PassGoal(True, 1),
    "pruned": PassGoal(True, 1, prune=True),
    "start": PassGoal(False, 2),
    "ends": PassGoal(False),
    "excluded": PassGoal(True, 1, excluded=True),
}


def check(scheme: SchemeFacts, shape: Shape, task: PassGoal, architecture: int) -> None:
    cells = plan_cells(scheme, shape, dpx=architecture >= FIRST_DPX)
    kernel = cells.kernel(task)
    used = compile_kernel(source(kernel.file), architecture, kernel.defines)[kernel.name]
    assert used.registers <= min(255, 65536 // (kernel.threads * cells.shape.blocks))
    assert used.spilled <= SPILL_BUDGET, (shape, task)


@needs_compiler
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.sampled(1)
def test_for_every_gpu(architecture):
    check(DNA, SMALL, TASKS["best"], architecture)
    check(HUGE, PROFILE_SHAPES[-1][0], TASKS["ends"], architecture)


@needs_compiler
@pytest.mark.parametrize(
    ("task", "shape"),
    [
        pytest.param(task, shape, id=f"{task}-{shape.tiers} x {shape.rows}", marks=marks)
        for task, shapes in (("best", SHAPES), ("pruned", PRUNED_SHAPES))
        for (shape, _), marks in zip(shapes, [*(pytest.mark.nightly,) * (len(shapes) - 1), ()], strict=True)
    ],  # the highest band needs most registers
)
@pytest.mark.sampled(1)
def test_shapes_for_few_letters(shape, task):
    check(DNA, shape, TASKS[task], 90)


@needs_compiler
@pytest.mark.parametrize("task", ["best", *at_night(*list(TASKS)[1:])])
def test_tasks(task):
    check(DNA, SMALL, TASKS[task], 90)
    check(IUPAC, PROFILE_SHAPES[-1][0], TASKS[task], 90)


@needs_compiler
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_tools_and_direct_alignment(architecture):
    tools = compile_kernel(source(TOOLS), architecture, TOOL_DEFINES)
    names = "open", "resume", "keep", "hear", "gather", "join", "highest"
    assert {f"pair_{name}" for name in names} == set(tools)
    defines = ("LETTERS=16", "FIRST=7", "FURTHER=2", "WORST=-15", "BARRED=1")
    given = tuple(f"-DPAIR_{one}" for one in defines)
    direct = compile_kernel(source("pair_wavefront_direct.cu"), architecture, given)["pair_direct"]
    assert direct.spilled <= 16


@needs_compiler
def test_what_is_missing_or_impossible_stops_the_compiler():
    defines = plan_cells(DNA, SMALL, dpx=True).kernel(TASKS["best"]).defines
    with pytest.raises(SyntaxError, match="the frame is not given"):
        compile_kernel(source("pair_wavefront.cu"), 90, tuple(one for one in defines if "SLACK" not in one))
    kernel = plan_cells(DNA, replace(SMALL, columns=3), dpx=True).kernel(TASKS["best"])
    with pytest.raises(SyntaxError, match="a step has 1, 2 or 4 columns"):
        compile_kernel(source("pair_wavefront.cu"), 90, kernel.defines)
