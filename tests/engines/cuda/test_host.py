"""The host side of the CUDA engine without a GPU: sources, devices side by side, faults."""

from __future__ import annotations

import re
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import EngineFault, OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.engines.base import DeviceInfo
from swgui.engines.cuda import engine, modules
from swgui.engines.cuda.arithmetic import Twins
from swgui.engines.cuda.gpu import Gpu
from swgui.engines.cuda.streaming import batch as batch_module
from swgui.engines.cuda.streaming import search as search_module
from swgui.engines.cuda.streaming.batch import Batch, scans_beside
from swgui.engines.cuda.streaming.launch import plan_queries, twins_of
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.search import streaming_limits
from swgui.engines.cuda.streaming.tables import H200
from swgui.engines.cuda.streaming.tuning import TUNING
from tests.engines.conftest import database_of, query_of
from tests.fakes import FakeGpu

# ------------------------------------------------------------------ sources


def test_includes_are_put_in_place_once():
    text = modules.source("streaming.cu")
    assert "#include" not in text
    assert "#pragma once" not in text
    assert text.count("struct Cells {") == 1


def test_every_line_can_be_traced_to_its_file(repository):
    position = None
    for line in modules.source("streaming.cu").splitlines():
        if match := re.match(r'#line (\d+) "(.+)"', line):
            position = match[2], int(match[1])
            continue
        name, number = position
        home = repository / "kernels" / ("" if name.endswith(".cu") else "include") / name
        original = home.read_text().splitlines()[number - 1]
        assert line == original or "#pragma once" in original
        position = name, number + 1


def test_defines_stand_before_the_text():
    text = modules.with_defines("pack.cu", ("-DSW_LETTERS=27", "-DSW_FLAG"))
    first, second, rest = text.split("\n", 2)
    assert (first, second) == ("#define SW_LETTERS 27", "#define SW_FLAG 1")
    assert rest == modules.source("pack.cu")
    with pytest.raises(ValueError, match="is no -D option"):
        modules.with_defines("pack.cu", ("--maxrregcount=64",))


# ------------------------------------------------------------------ several devices


class FakeWorker:
    """Scores each subject by its length; fails after some chunks on request."""

    def __init__(self, name, fails_after=None, waits=None):
        self.gpu = SimpleNamespace(label=name)
        self.fails_after = fails_after
        self.waits = waits
        self.closed = False

    def run(self, take, queries, database, scheme, cancel):
        done = 0
        while not cancel.is_set() and (plan := take()) is not None:
            if self.waits is not None:
                self.waits.wait(60)
            if done == self.fails_after:
                raise EngineFault("The GPU is gone.")
            done += 1
            index = database.order[plan.start : plan.stop]
            yield ChunkScores(0, index, database.lengths[index], int(plan.residues), device=self.gpu.label)

    def chunk_limits(self, length, residues, devices):
        return streaming_limits(length, residues, devices)

    def close(self):
        self.closed = True


def cuda_engine(*searches):
    made = object.__new__(engine.CudaEngine)
    made.devices = tuple(DeviceInfo(str(i), search.gpu.label) for i, search in enumerate(searches))
    made.searches = list(searches)
    return made


@pytest.fixture
def small(protein_scheme):
    subjects = [np.full(n, 3, np.uint8) for n in range(1, 60)]
    database = database_of(subjects, PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=100))
    return [query_of(np.arange(5, dtype=np.uint8))], database, plans, protein_scheme


def test_devices_share_the_chunks(small):
    queries, database, plans, scheme = small
    made = cuda_engine(FakeWorker("a"), FakeWorker("b"), FakeWorker("c"))
    scores = np.full(len(database), -1)
    for chunk in made.score(queries, database, plans, scheme, threading.Event()):
        assert (scores[chunk.db_index] == -1).all()
        scores[chunk.db_index] = chunk.scores
    assert np.array_equal(scores, database.lengths)
    made.close()
    assert all(search.closed for search in made.searches)


def test_a_device_that_fails_ends_the_search_and_what_was_scored_is_kept(small):
    queries, database, plans, scheme = small
    go = threading.Event()
    made = cuda_engine(FakeWorker("good", waits=go), FakeWorker("bad", fails_after=2))
    results = made.score(queries, database, plans, scheme, threading.Event())
    kept = [next(results), next(results)]
    go.set()
    with pytest.raises(EngineFault, match="The GPU is gone"):
        kept.extend(results)
    assert len(kept) >= 2


def test_unexpected_errors_of_a_device_do_not_hang_the_search(small):
    queries, database, plans, scheme = small
    broken = FakeWorker("broken")
    broken.run = lambda *arguments: (_ for _ in ()).throw(ZeroDivisionError("oops"))
    with pytest.raises(EngineFault, match="broken failed"):
        list(cuda_engine(broken, FakeWorker("good")).score(queries, database, plans, scheme, threading.Event()))


def test_abandoning_the_search_ends_the_threads(small):
    queries, database, plans, scheme = small
    before = threading.active_count()
    results = cuda_engine(FakeWorker("a"), FakeWorker("b")).score(queries, database, plans, scheme, threading.Event())
    next(results)
    results.close()
    assert threading.active_count() == before


def test_chunks_for_several_devices_are_smaller():
    queries = [query_of(np.zeros(1000, dtype=np.uint8))]
    one, three = cuda_engine(FakeWorker("a")), cuda_engine(*(FakeWorker(n) for n in "abc"))
    large = SimpleNamespace(residues=1_000_000_000, packed=None)
    assert three.chunk_limits(queries, large).residues < one.chunk_limits(queries, large).residues


def test_scores_that_may_not_fit_32_bits_are_refused(protein_scheme):
    profile = np.full((200_000, 27), 16_000, dtype=np.int16)
    query = query_of(np.zeros(200_000, np.uint8))
    query = type(query)("q", query.codes, profile)
    database = database_of([np.zeros(200_000, np.uint8)], PROTEIN)
    plans = plan_chunks(database.offsets, ChunkLimits(residues=10**9))
    with pytest.raises(EngineFault, match="2,147,483,647"):
        list(cuda_engine(FakeWorker("a")).score([query], database, plans, protein_scheme, threading.Event()))


# ------------------------------------------------------------------ one device


class FakeCudaError(RuntimeError):
    status = 719


class FakeMemoryError(MemoryError):
    pass


class BrokenGpu(FakeGpu):
    """Its CUDA library is nothing but its exceptions."""

    def __init__(self):
        super().__init__(memory=1 << 20)
        pool = SimpleNamespace(free_all_blocks=lambda: None)
        self.cupy = SimpleNamespace(
            cuda=SimpleNamespace(
                memory=SimpleNamespace(OutOfMemoryError=FakeMemoryError),
                runtime=SimpleNamespace(CUDARuntimeError=FakeCudaError),
                driver=SimpleNamespace(CUDADriverError=FakeCudaError),
            ),
            get_default_memory_pool=lambda: pool,
            get_default_pinned_memory_pool=lambda: pool,
        )

    at_work, release = Gpu.at_work, Gpu.release


@pytest.mark.parametrize(
    ("error", "expected"), [(FakeCudaError("gone"), "stopped while computing"), (FakeMemoryError(), "MiB free")]
)
def test_faults_of_a_device_keep_what_was_scored(monkeypatch, small, error, expected):
    queries, database, _, scheme = small
    first = ChunkScores(0, database.order[:1], np.ones(1, np.int32), 1)

    class Failing:
        steps = 0

        def __init__(self, *arguments):
            pass

        def step(self, cancel):
            self.steps += 1
            if self.steps > 1:
                raise error
            return [first]

        def abandon(self):
            raise FakeCudaError("still gone")

    monkeypatch.setattr(search_module, "Batch", Failing)
    search = search_module.StreamingSearch(BrokenGpu(), 0, twin_queries=True)
    results = search.run(lambda: None, queries, database, scheme, threading.Event())
    assert next(results) is first
    with pytest.raises(EngineFault, match=expected):
        next(results)
    search.close()


# ------------------------------------------------------------------ blocks of queries at the same time


class OneOfSeveral:
    """A GPU whose kernels are all compiled."""

    dpx, shared_limit, multiprocessors, tables = True, 232_448, 132, H200

    def __init__(self, info):
        self.info, self.label, self.kernels = info, info.id, {}

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        pass

    def is_built(self, variant):
        return True

    def holds(self, variant):
        return variant in self.kernels

    def variant(self, variant):
        self.kernels[variant] = True


@pytest.mark.parametrize(
    ("memories", "limit", "residues", "expected"),
    [
        ((1000,), 0, 15, [("0", 0), ("0", 0)]),
        ((1000,), 0, 16, []),  # there is no room for it twice
        ((1000, 900), 0, 16, [("0", 0), ("1", 0)]),
        ((1000, 900), 0, 10, [("0", 0), ("0", 0), ("1", 0), ("1", 0)]),
        ((1000,), 800, 12, [("0", 400), ("0", 400)]),
        ((1000,), 700, 12, []),
    ],
)
def test_a_device_with_room_scores_two_blocks_at_a_time(monkeypatch, memories, limit, residues, expected):
    monkeypatch.setattr(engine, "Gpu", lambda _, info, **how: OneOfSeveral(info))
    devices = tuple(DeviceInfo(str(number), "", memory) for number, memory in enumerate(memories))
    settings = {"dpx": "auto", "pinned": "on", "twin_queries": "on"}
    whole = engine.CudaEngine(None, devices, settings, limit, 100)
    database = SimpleNamespace(residues=residues, offsets=np.array([0, residues]), cut=False)
    made = whole.side_by_side(database, None, ())
    searches = [search for one in made for search in one.searches]
    assert [(search.gpu.info.id, search.memory) for search in searches] == expected
    assert all(search.cells_of_twins > whole.searches[0].cells_of_twins for search in searches)
    brought = {search.gpu.label: search.gpu.kernels for search in whole.searches}
    assert all(search.gpu.kernels is brought[search.gpu.label] for search in searches)


def test_what_the_blocks_need_is_brought_before_the_first_of_them(monkeypatch, rng, protein_scheme):
    monkeypatch.setattr(engine, "Gpu", lambda _, info, **how: OneOfSeveral(info))
    whole = engine.CudaEngine(
        None, (DeviceInfo("0", "", 1 << 40),), {"dpx": "auto", "pinned": "on", "twin_queries": "on"}, 0
    )
    database = database_of([rng.integers(0, 20, length).astype(np.uint8) for length in (900, 500, 90)], PROTEIN)
    batches = [[query_of(database.subject(index))] for index in range(3)]
    first, _ = whole.side_by_side(database, protein_scheme, batches)
    lengths = {variant.tile.height for variant in first.searches[0].gpu.kernels}
    assert len(lengths) == 3


# ------------------------------------------------------------------ memory


class FakeOwner:
    """A GPU that holds `limit` blocks, that runs out of memory `failures` times."""

    def __init__(self, database, limit, failures):
        self.layout = DatabaseLayout.of(database.offsets)
        self.part_blocks = limit
        self.failures = failures
        self.shrunk = 0
        self.twin_queries, self.cells_of_twins = True, TUNING.cells_of_twins
        self.gpu = SimpleNamespace(
            info=SimpleNamespace(name=f"Fake {id(self)}"),
            label="Fake #0",
            dpx=True,
            shared_limit=99 * 1024,
            tables=H200,
            multiprocessors=4,
            variant=lambda variant: None,
            is_built=lambda variant: True,
            holds=lambda variant: False,
            wait=lambda *a: True,
            stop=lambda: None,
        )

    def device_database(self, database):
        return self

    def slots(self):
        return [SimpleNamespace(gpu=self.gpu) for _ in range(3)]

    def plan(self, indices, queries, scheme, layout):
        return plan_queries(indices, queries, scheme, self.gpu, layout)

    def shrink(self, error):
        self.shrunk += 1
        self.part_blocks //= 2
        if not self.part_blocks:
            raise error

    def stream(self, first_twin, last_twin):
        return SimpleNamespace(holds=lambda a, b: first_twin <= a and b <= last_twin)


class FakeScan:
    """Scores each subject by its position."""

    def __init__(self, slot, plan, device, letters, start, stop, blocks):
        assert letters.holds(*twins_of(start, stop))
        if device.failures:
            device.failures -= 1
            raise OutOfDeviceMemory("Fake #0", 10, 5)
        self.slot, self.indices, self.start, self.stop = slot, plan.indices, start, stop
        self.rescored = [0] * len(plan.indices)
        self.seconds_at_most, self.ended, self.done = 0.0, None, None

    def begin(self):
        pass

    def milliseconds_since(self, previous):
        return 1.0

    def finish(self):
        return np.tile(np.arange(self.start, self.stop, dtype=np.int32), (len(self.indices), 1))


@pytest.mark.parametrize(("lengths", "beside"), [([100], 1), ([400] * 6, 3), ([100] * 500, 4), ([5000, 100, 100], 1)])
def test_many_scans_of_a_small_database_share_a_gpu(lengths, beside):
    assert scans_beside([SimpleNamespace(length=length) for length in lengths]) == beside


def run_batch(monkeypatch, owner, queries, database, scheme, plans):
    monkeypatch.setattr(batch_module, "StreamingScan", FakeScan)
    left = iter(plans)
    made = Batch(owner, lambda: next(left, None), queries, database, scheme)
    got = np.full((len(queries), len(database)), -1)
    while results := made.step(threading.Event()):
        for chunk in results:
            assert (got[chunk.query_index, chunk.db_index] == -1).all()
            got[chunk.query_index, chunk.db_index] = chunk.scores
    return got, made


@pytest.mark.parametrize(("limit", "failures"), [(10**6, 0), (40, 0), (10**6, 4), (7, 1)])
def test_short_memory_means_smaller_parts_and_the_same_scores(monkeypatch, small, limit, failures):
    queries, database, plans, scheme = small
    queries = [*queries, query_of(np.arange(40, dtype=np.uint8) % 20), query_of(np.arange(39, dtype=np.uint8) % 20)]
    owner = FakeOwner(database, limit, failures)
    got, _ = run_batch(monkeypatch, owner, queries, database, scheme, plans)
    assert np.array_equal(got, np.tile(database.position, (3, 1)))
    assert owner.shrunk == failures


def test_memory_that_is_never_enough_ends_with_what_was_needed(monkeypatch, small):
    queries, database, plans, scheme = small
    with pytest.raises(OutOfDeviceMemory, match="MiB are needed"):
        run_batch(monkeypatch, FakeOwner(database, 64, 100), queries, database, scheme, plans)


def test_queries_of_similar_length_go_together(monkeypatch, small):
    _, database, _, scheme = small
    lengths = (100, 50, 98, 0, 51, 10)
    queries = [query_of(np.zeros(n, np.uint8)) for n in lengths]
    made = Batch(FakeOwner(database, 10**6, 0), lambda: None, queries, database, scheme)
    assert [plan.indices for plan in made.plans] == [(0, 2), (4, 1), (5,)]
    assert made.plans[0].arithmetic.twins is Twins.QUERIES


def test_kernels_are_there_before_a_scan_and_none_is_compiled_after_the_end(monkeypatch, small):
    queries, database, plans, scheme = small
    told = []

    class Kernels:
        def __init__(self, gpu, wanted):
            told.append(("plans", [plan.indices for plan in wanted]))

        def load_kept(self):
            told.append("kept")

        def load(self, plan, cancel):
            told.append(("load", plan.indices))
            return not cancel.is_set()

        def stop(self):
            told.append("stop")

    monkeypatch.setattr(batch_module, "Ahead", Kernels)
    owner = FakeOwner(database, 10**6, 0)
    _, made = run_batch(monkeypatch, owner, queries, database, scheme, plans)
    assert told == [("plans", [(0,)]), "kept", *[("load", (0,))] * len(plans)]
    made.abandon()
    assert told[-1] == "stop"

    cancel = threading.Event()
    monkeypatch.setattr(Kernels, "load", lambda self, plan, cancelled: cancel.set())  # while it is waited for
    assert Batch(owner, lambda: plans[0], queries, database, scheme).step(cancel) == []
