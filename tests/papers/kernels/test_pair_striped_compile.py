"""The striped and chunked kernels compile for every supported GPU, within their registers."""

from __future__ import annotations

import pytest

from swgui.engines.cuda.modules import source
from swgui.papers.striped.run import PHASE_1, PHASES_2_AND_3
from swgui.papers.striped.shape import States, StripShape
from tests.kernels.nvrtc import ARCHITECTURES, at_night, compile_kernel, library

pytestmark = pytest.mark.skipif(library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")

FIRST_DPX = 90
REGISTERS = {States.NONE: 120, States.STRIP: 128, States.CHUNK: 128}


def shape(states: States, dpx: bool, **others) -> StripShape:
    values = {
        "strip": 512,
        "chunk": 128 if states is States.CHUNK else 0,
        "batch": 32,
        "states": states,
        "letters": 16,
        "score_bytes": 1,
        "gap_first": 7,
        "gap_extend": 2,
        "column_first": True,
        "dpx": dpx,
    }
    return StripShape(**{**values, **others})


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("states", list(States), ids=lambda one: one.name)
@pytest.mark.sampled(3)
def test_phase_1(states, architecture):
    defines = shape(states, architecture >= FIRST_DPX).defines(states)
    used = compile_kernel(source(PHASE_1), architecture, defines)["strips"]
    assert used.registers <= REGISTERS[states]
    assert used.spilled <= 16


@pytest.mark.parametrize(
    "others", [{"strip": 1900, "score_bytes": 2}, *at_night({"strip": 64}, {"strip": 128}, {"score_bytes": 4})]
)
def test_other_shapes(others):
    one = shape(States.CHUNK, True, **others)
    used = compile_kernel(source(PHASE_1), 90, one.defines(States.CHUNK))["strips"]
    assert used.registers * one.threads <= 65_536
    assert used.spilled <= 16


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_phases_2_and_3(architecture):
    one = shape(States.CHUNK, architecture >= FIRST_DPX)
    assert "walk" in compile_kernel(source(PHASES_2_AND_3), architecture, one.defines(States.CHUNK))
    used = compile_kernel(source(PHASES_2_AND_3), architecture, one.defines(States.NONE, directions=True))["pieces"]
    assert used.registers <= 128
    assert used.spilled <= 16


@pytest.mark.parametrize("missing", ["STATES", "BYTES", "DPX", "COLS"])
def test_a_missing_constant_stops_the_compiler(missing):
    defines = shape(States.NONE, True).defines(States.NONE)
    with pytest.raises(SyntaxError, match="not given"):
        compile_kernel(source(PHASE_1), 90, tuple(one for one in defines if missing not in one))
