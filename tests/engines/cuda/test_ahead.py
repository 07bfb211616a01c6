"""Which kernels are compiled while a search runs, and when that ends: with a made-up compiler, without a GPU."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import wait
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.errors import KernelCompileError
from swgui.engines.cuda import ahead
from swgui.engines.cuda.ahead import Ahead, variants_of, wide_variants_of
from swgui.engines.cuda.streaming.launch import plan_queries
from swgui.engines.cuda.streaming.tables import H200
from tests.engines.conftest import query_of

LENGTHS = (5_000, 3_000, 2_000, 900, 800, 700, 600, 500, 400, 300, 250, 200, 170, 150, 120, 100, 80, 60)
PATIENCE = 60
names = itertools.count()


class Compiler:
    """Stands for CuPy: notes its calls, and can be held up."""

    def __init__(self, monkeypatch):
        self.kept = False  # whether all is compiled already
        self.ahead: list[tuple[str, ...]] = []  # by other threads
        self.gpus: list[str] = []
        self.go_on = threading.Event()
        self.go_on.set()
        self.at_work = threading.Semaphore(0)  # one for each that has begun
        self.together = self.most_together = 0
        self.broken = False
        self.lock = threading.Lock()
        monkeypatch.setattr(ahead.modules, "build", self.build)

    def build(self, cupy, file, kernel, defines):
        assert (file, kernel) == ("streaming.cu", "streaming")
        with self.lock:
            self.ahead.append(defines)
            self.gpus.append(cupy)
            self.together += 1
            self.most_together = max(self.most_together, self.together)
        self.at_work.release()
        assert self.go_on.wait(PATIENCE)
        with self.lock:
            self.together -= 1
        if self.broken:
            raise KernelCompileError(kernel, defines, "line 1: no")

    def gpu(self, name):
        """Return a GPU on which the search loads its kernels."""
        gpu = SimpleNamespace(
            cupy=name,
            info=SimpleNamespace(name=name),
            dpx=True,
            shared_limit=232_448,
            multiprocessors=132,
            tables=H200,
            held=[],
        )

        def variant(wanted):
            if wanted not in gpu.held:
                if self.broken:
                    raise KernelCompileError("streaming", wanted.defines(), "line 1: no")
                gpu.held.append(wanted)

        gpu.variant = variant
        gpu.is_built = lambda wanted: self.kept or wanted in gpu.held
        return Here(gpu)


class Here(SimpleNamespace):
    """A GPU that can be entered, as `swgui.engines.cuda.gpu.Gpu` can."""

    def __init__(self, gpu):
        super().__init__(**vars(gpu))

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass


@pytest.fixture
def compiler(monkeypatch):
    monkeypatch.setattr(ahead.host, "usable_cores", lambda: 4)
    monkeypatch.setattr(ahead, "permits", threading.BoundedSemaphore(ahead.MAX_THREADS))
    made = Compiler(monkeypatch)
    yield made
    made.go_on.set()


@pytest.fixture
def gpu(compiler):
    return compiler.gpu(f"made up {next(names)}")  # what one test has compiled, no other finds


@pytest.fixture
def plans(protein_scheme, gpu):
    queries = [query_of(np.arange(length, dtype=np.uint8) % 20) for length in LENGTHS]
    return [plan_queries((at,), queries, protein_scheme, gpu) for at in range(len(queries))]


def kernels(plans):
    return list(dict.fromkeys(variant for plan in plans for variant in variants_of(plan)))


def join(made):
    assert not wait(made.compiling, PATIENCE).not_done


def test_where_all_is_kept_no_thread_is_started(compiler, gpu, plans):
    compiler.kept = True
    made = Ahead(gpu, plans)
    assert all(made.load(plan, threading.Event()) for plan in plans)
    assert made.compiling == []
    assert compiler.ahead == []
    assert gpu.held == kernels(plans)


def test_all_that_is_missing_is_compiled_ahead_once_and_in_order(compiler, gpu, plans, monkeypatch):
    monkeypatch.setattr(ahead.host, "usable_cores", lambda: 2)  # one thread
    made = Ahead(gpu, plans)
    _, *others = kernels(plans)
    assert len(others) > 5
    assert made.load(plans[0], threading.Event())
    join(made)
    assert compiler.ahead == [variant.defines() for variant in others]
    assert all(made.load(plan, threading.Event()) for plan in plans)
    assert gpu.held == kernels(plans)  # the GPU has them all


def test_only_what_is_missing_is_compiled(compiler, gpu, plans):
    *kept, missing = kernels(plans)
    gpu.is_built = lambda variant: variant in kept
    made = Ahead(gpu, plans)
    assert all(made.load(plan, threading.Event()) for plan in plans)
    join(made)
    assert len(made.compiling) == 1
    assert compiler.ahead in ([missing.defines()], [])  # nothing, where the search was first
    assert gpu.held == kernels(plans)


@pytest.mark.parametrize(("cores", "threads"), [(1, 0), (2, 1), (4, 3), (64, 16)])
def test_one_core_is_left_to_the_search(compiler, gpu, plans, monkeypatch, cores, threads):
    monkeypatch.setattr(ahead.host, "usable_cores", lambda: cores)
    compiler.go_on.clear()
    made = Ahead(gpu, plans)
    assert made.load(plans[-1], threading.Event())
    assert len(made.compiling) == threads
    compiler.go_on.set()
    join(made)


def test_several_gpus_together_use_no_more_cores(compiler, plans, monkeypatch):
    monkeypatch.setattr(ahead, "permits", threading.BoundedSemaphore(2))
    compiler.go_on.clear()
    made = [Ahead(compiler.gpu(f"made up {next(names)}"), plans) for _ in range(3)]
    for search in made:
        assert search.load(plans[-1], threading.Event())
    assert compiler.at_work.acquire(timeout=PATIENCE)
    assert compiler.at_work.acquire(timeout=PATIENCE)
    assert not compiler.at_work.acquire(timeout=0.05)
    compiler.go_on.set()
    for search in made:
        join(search)
    assert compiler.most_together == 2


def test_gpus_of_one_kind_share_the_work(compiler, gpu, plans):
    made = [Ahead(one, plans) for one in (gpu, compiler.gpu(gpu.info.name))]
    for search in made:
        assert all(search.load(plan, threading.Event()) for plan in plans)
        join(search)
    assert len(compiler.ahead) == len(set(compiler.ahead)) <= len(kernels(plans))


def test_the_search_waits_for_a_kernel_under_way_until_it_is_cancelled(compiler, gpu, plans):
    compiler.go_on.clear()
    made = Ahead(gpu, plans)
    cancel = threading.Event()
    assert made.load(plans[-1], cancel)
    assert compiler.at_work.acquire(timeout=PATIENCE)
    threading.Timer(0.02, cancel.set).start()
    assert not made.load(plans[0], cancel)  # the first that is compiled ahead
    compiler.go_on.set()
    assert made.load(plans[0], threading.Event())
    join(made)


def test_nothing_more_is_begun_after_the_end(compiler, gpu, plans):
    compiler.go_on.clear()
    made = Ahead(gpu, plans)
    assert made.load(plans[-1], threading.Event())
    for _ in made.compiling:
        assert compiler.at_work.acquire(timeout=PATIENCE)
    made.stop()
    compiler.go_on.set()
    join(made)
    assert len(compiler.ahead) == len(made.compiling)
    compiler.kept = True
    assert Ahead(gpu, plans).load(plans[0], threading.Event())  # dropped memory is free


def test_what_the_compiler_says_reaches_the_search(compiler, gpu, plans):
    compiler.go_on.clear()
    made = Ahead(gpu, plans)
    assert made.load(plans[-1], threading.Event())
    compiler.broken = True
    compiler.go_on.set()
    join(made)
    assert len(compiler.ahead) == len(made.compiling)  # none continues after a fault
    with pytest.raises(KernelCompileError, match="line 1"):
        made.load(plans[0], threading.Event())


def test_what_a_search_will_need_is_compiled_before_it_comes(compiler, gpu, plans):
    made = Ahead(gpu, plans)
    made.begin()
    join(made)
    assert sorted(compiler.ahead) == sorted(variant.defines() for variant in kernels(plans))
    assert gpu.held == []


@pytest.mark.parametrize(("length", "overflows"), [(5_000, False), (7_000, True)])
def test_kernels_in_32_bits_are_compiled_where_a_perfect_match_overflows(
    compiler, gpu, protein_scheme, length, overflows
):
    query = query_of(np.arange(length, dtype=np.uint8) % 20)
    plan = plan_queries((0,), (query,), protein_scheme, gpu)
    wide = wide_variants_of(plan)
    assert bool(wide) == overflows
    assert {variant.arithmetic for variant in wide} <= {plan.wide}
    made = Ahead(gpu, [plan])
    made.begin()
    join(made)
    assert set(compiler.ahead) == {variant.defines() for variant in (*variants_of(plan), *wide)}
