"""The kernels of the published methods compile for every supported GPU, within the registers that are left to them."""

from __future__ import annotations

import pytest

from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.engines.cuda.arithmetic import Costs
from swgui.engines.cuda.modules import source
from swgui.papers.search.config import configure
from swgui.papers.search.methods import REGISTERS, GpuLimits, MethodVariant, long_variant
from swgui.papers.search.search import KERNEL
from tests.kernels.nvrtc import ARCHITECTURES, compile_kernel, library

pytestmark = pytest.mark.skipif(library() is None, reason="the wheel nvidia-cuda-nvrtc is not installed")

PUBLISHED = [name for name in SEARCH_METHODS if name != DEFAULT_METHOD]
BLOSUM62 = Costs(27, 12, 1, -4, 11)
SPILL_BUDGET = 64  # bytes, with automatic settings
THREADS = {75: 1024, 86: 1536, 89: 1536, 120: 1536}  # a multiprocessor can hold
SHARED = {75: 64, 80: 163, 90: 227, 100: 227}  # KiB a block may have; others 99


def gpu(architecture: int) -> GpuLimits:
    shared = SHARED.get(architecture, 99) * 1024
    return GpuLimits(100, shared, THREADS.get(architecture, 2048), architecture >= 90)


def check(variant: MethodVariant, architecture: int, spilled: int = SPILL_BUDGET) -> None:
    used = compile_kernel(source(variant.file), architecture, variant.defines())[variant.kernel]
    assert used.registers <= REGISTERS // (variant.threads * variant.min_blocks), variant
    assert used.spilled <= spilled, variant


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("method", PUBLISHED)
@pytest.mark.sampled(2)
def test_automatic_choices(method, architecture):
    config = configure(method, {}, 200, BLOSUM62, gpu(architecture))
    assert not config.fallback
    check(config.variant, architecture)


@pytest.mark.nightly
@pytest.mark.parametrize("architecture", [75, 90])
@pytest.mark.parametrize("method", PUBLISHED)
def test_the_other_number_of_subjects(method, architecture):
    other = "1" if architecture >= 90 else "2"
    check(configure(method, {"subjects": other}, 200, BLOSUM62, gpu(architecture)).variant, architecture)


@pytest.mark.parametrize("subjects", [0, 300, 5])
@pytest.mark.sampled(1)
def test_long_and_rescored_subjects(subjects):
    config = configure("simt", {}, 3000, BLOSUM62, gpu(90))
    check(long_variant(3000, config.variant.arithmetic, gpu(90), subjects), 90)
    check(config.exact, 90)


@pytest.mark.nightly
@pytest.mark.parametrize("method", PUBLISHED)
def test_every_value_of_every_setting(method):
    # Threads and blocks of one's own may leave so few registers that some go to memory: slow, and as right.
    variants = {
        configure(method, {setting.name: str(value)}, 60, BLOSUM62, gpu(90)).variant
        for setting in SEARCH_METHODS[method].settings
        for value in setting.values
        if setting.name != "chunk"
    }
    for variant in variants:
        compile_kernel(source(variant.file), 90, variant.defines())


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_interleaving(architecture):
    file, name = KERNEL
    assert name in compile_kernel(source(file), architecture, ("-DSW_LETTERS=27",))


@pytest.mark.parametrize(
    ("missing", "words"),
    [
        ("SW_LIMIT", "the scheme is not given"),
        ("SW_THREADS", "the launch is not given"),
        ("SW_ROWS", "SW_ROWS is not given"),
    ],
)
def test_a_missing_constant_stops_the_compiler(missing, words):
    defines = configure("simt", {}, 200, BLOSUM62, gpu(90)).variant.defines()
    with pytest.raises(SyntaxError, match=words):
        compile_kernel(source("papers/simt.cu"), 90, tuple(one for one in defines if missing not in one))


@pytest.mark.parametrize(
    ("method", "wrong", "words"),
    [
        ("vsimd", {"SW_VECTOR": 12}, "a vector has 4, 8, 16 or 32 threads"),
        ("simt", {"SW_SUBJECTS": 3}, "1 or 2 subjects"),
        ("band", {"SW_THREADS": 48}, "whole warps"),
        ("shared", {"SW_K": 6}, "multiples of 4"),
        ("intra", {"SW_FIRST": 40_000}, "at most 32767"),
    ],
)
def test_an_unsupported_constant_stops_the_compiler(method, wrong, words):
    defines = list(configure(method, {}, 200, BLOSUM62, gpu(90)).variant.defines())
    for name, value in wrong.items():
        defines = [one for one in defines if f"-D{name}=" not in one] + [f"-D{name}={value}"]
    with pytest.raises(SyntaxError, match=words):
        compile_kernel(source(configure(method, {}, 200, BLOSUM62, gpu(90)).variant.file), 90, tuple(defines))
