"""Which kernels are compiled ahead, without a GPU."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from swgui.core.errors import KernelCompileError
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.engines.cuda import preparing
from swgui.engines.cuda.streaming.launch import load_of, plan_queries
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.variants import passes
from tests.engines.conftest import query_of, random_codes
from tests.fakes import FakeGpu

GPU = FakeGpu()


@pytest.mark.parametrize("length", [40, 144, 189, 300, 464, 1000])
@pytest.mark.parametrize("letters", [20, 4])
@pytest.mark.parametrize("longest", [0, 500, 36_000])
def test_they_are_the_kernels_of_single_queries(protein_scheme, length, letters, longest):
    layout = DatabaseLayout.of(np.cumsum([0, longest, *[350] * 20_000])) if longest else None
    load = load_of(layout, GPU.multiprocessors) if layout else None
    ahead = set(preparing.common_kernels(protein_scheme, GPU.shared_limit, load, dpx=True))
    query = query_of(random_codes(np.random.default_rng(length), length, letters))
    plan = plan_queries((0,), (query,), protein_scheme, GPU, layout)
    for _, variant in passes(plan.tile, plan.arithmetic, plan.length):
        assert ("streaming.cu", "streaming", variant.defines()) in ahead


def test_the_usual_lengths_come_first(protein_scheme):
    kernels = preparing.common_kernels(protein_scheme, GPU.shared_limit, dpx=True)
    assert kernels[0][:2] == ("pack.cu", "pack")
    plan = plan_queries((0,), (query_of(np.zeros(300, np.uint8)),), protein_scheme, GPU)
    assert kernels[1][2] == passes(plan.tile, plan.arithmetic, 300)[0][1].defines()
    assert 20 < len(kernels) < 200


@pytest.fixture
def loads(monkeypatch):
    found = EngineStatus("cuda", available=True, devices=(DeviceInfo("0", "Fake"),))
    done = []
    monkeypatch.setattr(preparing.device, "probe", lambda: found)
    monkeypatch.setattr(preparing.device, "import_cupy", lambda: None)
    monkeypatch.setattr(preparing, "Gpu", lambda *given: GPU)
    monkeypatch.setattr(preparing.modules, "build", lambda cupy, *kernel: done.append(kernel))
    return done


def test_all_are_loaded_and_counted(protein_scheme, loads):
    steps = list(preparing.prepare(protein_scheme, None, threading.Event()))
    total = len(loads)
    assert steps == [(done, total) for done in range(1, total + 1)]
    assert loads == preparing.common_kernels(protein_scheme, GPU.shared_limit, dpx=True)


def test_it_stops_when_told(protein_scheme, loads):
    cancel = threading.Event()
    steps = preparing.prepare(protein_scheme, None, cancel)
    next(steps)
    cancel.set()
    assert list(steps) == []
    assert len(loads) == 1


def test_what_the_compiler_says_is_passed_on(protein_scheme, loads, monkeypatch):
    def fail(cupy, *kernel):
        raise KernelCompileError("streaming", (), "line 1: no")

    monkeypatch.setattr(preparing.modules, "build", fail)
    with pytest.raises(KernelCompileError):
        list(preparing.prepare(protein_scheme, None, threading.Event()))


def test_without_a_device_there_is_nothing_to_do(protein_scheme, monkeypatch):
    monkeypatch.setattr(preparing.device, "probe", lambda: EngineStatus("cuda", available=False, reason="none"))
    assert list(preparing.prepare(protein_scheme, None, threading.Event())) == []


def test_several_are_compiled_at_the_same_time(protein_scheme, loads, monkeypatch):
    together = threading.Barrier(3, timeout=60)
    first = iter(range(3))

    def load(cupy, *kernel):
        if next(first, None) is not None:
            together.wait()  # continues only when three are being compiled
        loads.append(kernel)

    monkeypatch.setattr(preparing.modules, "build", load)
    steps = list(preparing.prepare(protein_scheme, None, threading.Event(), threads=3))
    assert steps == [(done, len(loads)) for done in range(1, len(loads) + 1)]
    assert set(loads) == set(preparing.common_kernels(protein_scheme, GPU.shared_limit, dpx=True))


def test_nothing_is_begun_after_whoever_asked_has_left(protein_scheme, loads, monkeypatch):
    more = threading.Semaphore(3)

    def load(cupy, *kernel):
        assert more.acquire(timeout=60)
        loads.append(kernel)

    monkeypatch.setattr(preparing.modules, "build", load)
    steps = preparing.prepare(protein_scheme, None, threading.Event(), threads=2)
    next(steps)
    more.release(10)
    steps.close()
    assert len(loads) <= 13
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("swgui-compile")]
