"""Compiled kernels are kept, found again by what decides them, and checked; with a made-up compiler."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from swgui.core.errors import KernelCompileError
from swgui.engines.cuda import cubins, modules

DEFINES = ("-DSW_LETTERS=27",)


class CompileException(Exception):
    pass


class Cupy:
    """Enough of CuPy to compile: notes every text."""

    __version__ = "14.0"

    def __init__(self, capability="90"):
        self.capability = capability
        self.texts = []
        self.fails = None
        compiler = SimpleNamespace(compile_using_nvrtc=self.compile, CompileException=CompileException)
        runtime = SimpleNamespace(runtimeGetVersion=lambda: 13000)
        device = SimpleNamespace(compute_capability=capability)
        self.cuda = SimpleNamespace(compiler=compiler, runtime=runtime, Device=lambda: device)

    def compile(self, text, options):
        if self.fails:
            raise self.fails
        self.texts.append(text)
        return f"{self.capability} {len(self.texts)}".encode(), {}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(cubins, "unwritten", {})
    return tmp_path / "cache" / "cubins"


def build(cupy, defines=DEFINES):
    return modules.build(cupy, "pack.cu", "pack", defines)


def test_a_kernel_is_compiled_once():
    first = Cupy()
    assert not cubins.any_kept()
    assert not modules.is_built(first, "pack.cu", DEFINES)
    assert build(first) == b"90 1"
    assert first.texts == [modules.with_defines("pack.cu", DEFINES)]
    assert cubins.any_kept()
    assert modules.is_built(first, "pack.cu", DEFINES)
    second = Cupy()  # another process
    assert build(second) == b"90 1"
    assert second.texts == []


def test_whatever_decides_a_kernel_makes_another_one():
    other = Cupy()
    other.__version__ = "14.1"
    newer = Cupy()
    newer.cuda.runtime.runtimeGetVersion = lambda: 13010
    build(Cupy())
    for cupy, defines in ((Cupy("80"), DEFINES), (Cupy(), ("-DSW_LETTERS=4",)), (other, DEFINES), (newer, DEFINES)):
        build(cupy, defines)
        assert len(cupy.texts) == 1


@pytest.mark.parametrize("damage", [lambda data: data[:-1], lambda data: data[:5], lambda data: data + b"x"])
def test_a_damaged_file_counts_as_none(folder, damage):
    build(Cupy())
    (kept,) = folder.glob("*.cubin")
    kept.write_bytes(damage(kept.read_bytes()))
    again = Cupy()
    assert build(again) == b"90 1"
    assert len(again.texts) == 1
    assert build(Cupy()) == b"90 1"


def test_where_no_file_can_be_written_it_is_kept_in_memory(folder):
    folder.parent.mkdir(parents=True)
    folder.write_text("not a folder")
    cupy = Cupy()
    assert build(cupy) == build(cupy) == b"90 1"
    assert len(cupy.texts) == 1
    assert modules.is_built(cupy, "pack.cu", DEFINES)
    assert cubins.any_kept()


@pytest.mark.parametrize("error", [CompileException("kern.cu(1): error: no"), RuntimeError("libnvrtc.so: not found")])
def test_what_goes_wrong_is_explained(error, folder):
    cupy = Cupy()
    cupy.fails = error
    with pytest.raises(KernelCompileError, match=r"'pack' could not be compiled: .*(no|not found)"):
        build(cupy)
    assert not folder.exists()


def test_a_kernel_tells_what_it_takes():
    asked = {1: 16, 3: 0, 4: 128}
    given = []
    driver = SimpleNamespace(
        funcGetAttribute=lambda attribute, pointer: asked[attribute] if pointer == 77 else None,
        funcSetAttribute=lambda *values: given.append(values),
    )
    launched = []

    class Function:
        ptr = 77

        def __call__(self, *values, **named):
            launched.append((values, named))

    kernel = modules.Kernel(SimpleNamespace(cuda=SimpleNamespace(driver=driver)), Function(), 200_000)
    assert given == [(77, 8, 200_000)]
    assert (kernel.num_regs, kernel.local_size_bytes, kernel.shared_size_bytes) == (128, 0, 16)
    kernel((3,), (256,), ("words",), shared_mem=200_000)
    assert launched == [(((3,), (256,), ("words",)), {"shared_mem": 200_000})]
