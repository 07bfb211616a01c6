"""The host side of the published methods without a GPU: settings, choices, layout, whole searches on the CPU."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from swgui.core.alphabet import PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter, OutOfDeviceMemory
from swgui.core.hits.scores import ChunkScores
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS, search_method
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.core.scoring import EncodedQuery
from swgui.engines.base import EngineStatus
from swgui.engines.cuda import kernel_use as use
from swgui.engines.cuda import scans
from swgui.engines.cuda.arithmetic import UNFRAMED, Costs, Twins, plan_arithmetic
from swgui.engines.cuda.methods import TunedSearch, divide, make_search, plan_with
from swgui.engines.cuda.streaming.layout import DatabaseLayout
from swgui.engines.cuda.streaming.search import StreamingSearch
from swgui.engines.cuda.streaming.variants import fastest_tile
from swgui.papers.search import search as search_module
from swgui.papers.search.config import configure, published_limits
from swgui.papers.search.layout import GroupLayout, arrange_profile
from swgui.papers.search.methods import GpuLimits, MethodVariant, long_variant
from swgui.papers.search.search import FELL_BACK, PublishedSearch, Ranges
from tests.engines.conftest import database_of, judge, query_of, random_codes, relative
from tests.kernels.on_cpu import COMPILER
from tests.papers.kernels.methods_on_cpu import CpuGpu

PUBLISHED = [name for name in SEARCH_METHODS if name != DEFAULT_METHOD]
H200 = GpuLimits(132, 232_448, 2048, True)
T4 = GpuLimits(40, 65_536, 1024, False)
BLOSUM62 = Costs(27, 12, 1, -4, 11)

# ------------------------------------------------------------------ settings


def test_every_method_says_what_it_is():
    for name, method in SEARCH_METHODS.items():
        assert method.title
        assert method.summary.endswith(".")
        assert bool(method.paper) is bool(method.module)
        for setting in method.settings:
            assert setting.help.endswith(".")
            assert bool(setting.values) != bool(setting.names), f"{name}.{setting.name}"
            assert all(setting.allows(str(value)) for value in (*setting.values, *setting.names, "auto"))
            assert list(setting.values) == sorted(set(setting.values))
            assert method.setting(setting.name) is setting


def test_settings_are_divided():
    method, own, others = divide({"method": "simt", "threads": "128", "blocks": "auto", "dpx": "off"})
    assert method.name == "simt"
    assert own == {"threads": "128"}
    assert others == {"dpx": "off"}
    assert divide({})[0].name == DEFAULT_METHOD


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "fastest"}, "There is no search method 'fastest'. Choose auto, streaming, simt"),
        ({"method": "simt", "threads": "33"}, r"cannot be '33'\. It takes 32 to 1024 in multiples of 32, or auto"),
        ({"method": "simt", "threads": "-32"}, "cannot be '-32'"),
        ({"method": "simt", "threads": "many"}, "cannot be 'many'"),
        ({"method": "vsimd", "vector": "12"}, "It takes 4, 8, 16 or 32, or auto"),
        ({"method": "band", "pinned": "maybe"}, "It takes on or off, or auto"),
        ({"method": "simt", "band": "12"}, "The method 'simt' has no setting 'band'. It has rows, threshold"),
        ({"subjects": "2"}, "The method 'streaming' has no setting 'subjects'"),
        ({"method": "simt", "blocks": "2", "grid": "64"}, "Leave one of them to auto"),
    ],
)
def test_settings_that_cannot_be_are_refused(settings, words):
    with pytest.raises(InvalidParameter, match=words):
        divide(settings)


def test_the_methods_name_may_be_left_to_the_program():
    assert search_method("auto").name == DEFAULT_METHOD


# ------------------------------------------------------------------ choices


@given(
    method=st.sampled_from(PUBLISHED),
    length=st.integers(1, 40_000),
    gpu=st.sampled_from([H200, T4, GpuLimits(16, 99 * 1024, 1536, True)]),
    highest=st.sampled_from([0, 11, 8_000, 16_000]),
)
def test_automatic_choices_fit_the_gpu(method, length, gpu, highest):
    config = configure(method, {}, length, Costs(27, 12, 1, -4, highest), gpu)
    for variant in (config.variant, config.long, config.exact):
        assert variant.threads % 32 == 0
        assert variant.threads * variant.min_blocks <= gpu.threads
        assert variant.rows(length) >= length
    assert config.grid >= gpu.multiprocessors
    assert config.exact.arithmetic.subjects == 1
    for variant in (config.long, config.exact, long_variant(length, config.exact.arithmetic, gpu, 3)):
        assert variant.shared_bytes(length) <= gpu.shared_limit
    if method == "shared" and 8 * 32 * length > gpu.shared_limit:
        assert "X >= T x Q" in config.fallback
    else:
        assert not config.fallback
        assert config.variant.shared_bytes(length) <= gpu.shared_limit
    names = {setting.name for setting in SEARCH_METHODS[method].settings}
    assert set(config.settings) | {"chunk", "pinned"} == names - ({"blocks"} if not config.blocks else set())


@pytest.mark.parametrize("method", PUBLISHED)
def test_what_is_set_is_used(method):
    for setting in SEARCH_METHODS[method].settings:
        for value in setting.values:
            if setting.name == "chunk":
                continue
            config = configure(method, {setting.name: str(value)}, 60, BLOSUM62, H200)
            assert config.settings[setting.name] == str(value)
            if config.fallback:
                assert config.fallback[0].isupper()
                assert config.fallback.endswith(".")


def test_impossible_tiles_are_explained():
    assert (
        "vector of 32 threads" in configure("vsimd", {"vector": "32", "partition": "64"}, 90, BLOSUM62, H200).fallback
    )
    assert "256 threads x 464 query rows" in configure("shared", {"threads": "256"}, 464, BLOSUM62, H200).fallback
    assert "shared memory" in configure("intra", {"threads": "1024"}, 464, BLOSUM62, H200).fallback
    assert "shared memory" in configure("band", {"threads": "1024", "band": "32"}, 464, BLOSUM62, T4).fallback


def test_scores_too_large_for_16_bits_take_32():
    config = configure("simt", {"subjects": "2"}, 60, Costs(27, 12, 1, -4, 16_000), H200)
    assert config.settings["subjects"] == "1"
    assert "16000" in config.remarks[0]


def test_long_subjects_do_not_outlast_the_others():
    config = configure("simt", {}, 464, BLOSUM62, H200)
    assert config.threshold_for(10**7) < config.threshold_for(1_6 * 10**7) <= 3072
    assert config.threshold_for(10**12) == 3072
    assert configure("simt", {"threshold": "99"}, 464, BLOSUM62, H200).threshold_for(10**12) == 99


def test_few_long_subjects_get_more_threads_each():
    many, few = (
        long_variant(3000, configure("simt", {}, 9, BLOSUM62, H200).variant.arithmetic, H200, n) for n in (0, 5)
    )
    assert few.threads > many.threads


def test_chunks_of_published_methods():
    assert published_limits(1000, 10**9, 1).residues == 300_000_000
    assert published_limits(1000, 10**9, 2).residues < 10**8
    assert published_limits(100_000, 10**6, 1).residues == 4_000_000


@given(
    threshold=st.integers(1, 100),
    cut=st.tuples(st.integers(0, 200), st.integers(0, 200)).map(sorted),
)
def test_ranges_cover_every_subject_once(threshold, cut):
    lengths = np.sort(np.random.default_rng(4).integers(0, 100, 200))[::-1]
    layout = GroupLayout.of(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
    start, stop = cut[0], cut[1] + 1 if cut[0] == cut[1] else cut[1]
    stop = min(stop, 200)
    if start >= stop:
        return
    ranges = Ranges.of(layout, start, stop, "simt", threshold)
    assert ranges.begin % 32 == 0
    assert ranges.begin <= start < ranges.begin + 32
    assert ranges.others % 32 == 0 or ranges.others == stop
    assert ranges.first + ranges.long == max(ranges.others, ranges.first)
    assert (lengths[max(ranges.others, start) : stop] <= threshold).all()
    assert Ranges.of(layout, start, stop, "intra", threshold).long == stop - start


# ------------------------------------------------------------------ layout


def test_profiles_are_arranged_as_the_kernels_read_them():
    profile = np.arange(10 * 3, dtype=np.int16).reshape(10, 3) + 1
    arithmetic = plan_arithmetic(Twins.NONE, Costs(3, 12, 1, 1, 40), dpx=False, period=UNFRAMED)
    padded = np.zeros((64, 4), dtype=np.int16)
    padded[:10, :3] = profile
    simt = arrange_profile(profile, MethodVariant("simt", arithmetic, 32, 1, (("rows", 8),))).reshape(4, 4, 4)
    assert simt[1, 2].tolist() == padded[4:8, 2].tolist()
    intra = arrange_profile(profile, MethodVariant("intra", arithmetic, 32, 1, (("rows", 4),))).reshape(4, 3, 4)
    assert intra[2, 1].tolist() == padded[4:8, 2].tolist()
    tile = (("partition", 32), ("vector", 4))
    vsimd = arrange_profile(profile, MethodVariant("vsimd", arithmetic, 32, 1, tile)).reshape(1, 4, 2, 4, 4)
    # Partition 0, letter 1, second unit of the second thread: rows 8 + 4 to 8 + 7.
    assert vsimd[0, 1, 1, 1].tolist() == padded[12:16, 1].tolist()
    assert vsimd[0, 1, 0, 1].tolist() == padded[8:12, 1].tolist()


def test_groups_lie_one_behind_the_other():
    lengths = np.sort(np.random.default_rng(4).integers(0, 90, 100))[::-1]
    layout = GroupLayout.of(np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))
    assert layout.groups == 4
    assert layout.rows(0, 1) == -(-lengths[0] // 4)
    assert layout.longer_than(40) == (lengths > 40).sum()
    windows = layout.group_windows(0, 4, 1)
    assert windows == [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert layout.group_windows(0, 4, 10**6) == [(0, 4)]
    assert layout.columns(100) == 0


# ------------------------------------------------------------------ streaming with a tile of one's own


def test_a_tile_is_as_wanted():
    arithmetic = plan_arithmetic(Twins.SUBJECTS, BLOSUM62, dpx=True)
    for wanted in ({"lanes": 8}, {"rows": 33}, {"rows": 2, "lanes": 32}, {"threads": 128}, {"rows": 58, "lanes": 16}):
        tile = fastest_tile(464, arithmetic, H200.shared_limit, wanted=wanted)
        assert all(getattr(tile, name) == value for name, value in wanted.items())
    assert fastest_tile(464, arithmetic, T4.shared_limit, wanted={"lanes": 32, "rows": 60}) is None


def test_workers_are_made_for_methods():
    gpu, own = CpuGpu(), SEARCH_METHODS[DEFAULT_METHOD]
    assert type(make_search(gpu, 0, 0, own, twin_queries=True, settings={})) is StreamingSearch
    tuned = make_search(gpu, 0, 0, own, twin_queries=True, settings={"streams": "2", "lanes": "16"})
    assert type(tuned) is TunedSearch
    assert type(make_search(gpu, 0, 0, SEARCH_METHODS["band"], twin_queries=True, settings={})) is PublishedSearch


# ------------------------------------------------------------------ whole searches

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler")
SMALL = {"threads": "32", "blocks": "1"}
TILES = {
    "simt": {"rows": "8"},
    "shared": {"k": "4", "p": "4"},
    "band": {"band": "12"},
    "vsimd": {"vector": "8", "partition": "96"},
    "intra": {"rows": "4"},
}


@pytest.fixture(scope="module")
def mixed():
    """Queries, some with their own profile, and subjects of all lengths."""
    rng = np.random.default_rng(12)
    queries = [query_of(random_codes(rng, n, 20), f"q{n}") for n in (1, 30, 0, 75)]
    profile = rng.integers(-4, 300, (40, len(PROTEIN))).astype(np.int16)  # beyond 16 bits with a long relative
    queries.append(EncodedQuery("own", random_codes(rng, 40, 20), profile))
    subjects = [random_codes(rng, int(n), 20) for n in rng.integers(0, 60, 70)]
    subjects += [relative(rng, queries[i % 4].codes, 20) for i in range(20)]
    subjects += [random_codes(rng, 333, 20), np.zeros(0, np.uint8)]
    return queries, subjects, database_of(subjects, PROTEIN)


def search(worker, queries, database, scheme, residues=10**9):
    plans = iter(plan_chunks(database.offsets, ChunkLimits(residues=residues)))
    got = np.full((len(queries), len(database)), -1)
    for chunk in worker.run(lambda: next(plans, None), queries, database, scheme, threading.Event()):
        assert (got[chunk.query_index, chunk.db_index] == -1).all(), "once"
        got[chunk.query_index, chunk.db_index] = chunk.scores
    return got


def expected(queries, subjects, scheme):
    return [judge(query.scores(scheme), subjects, scheme.gap_first, scheme.gap_extend) for query in queries]


@needs_compiler
@pytest.mark.parametrize("method", PUBLISHED)
def test_a_search_gives_the_textbooks_scores(mixed, protein_scheme, method):
    queries, subjects, database = mixed
    chosen = [query for query in queries if len(query)]
    threshold = {"threshold": "50"} if method != "intra" else {}
    gpu = CpuGpu()
    worker = PublishedSearch(gpu, 0, twin_queries=True, method=method, settings={**SMALL, **TILES[method], **threshold})
    want = expected(chosen, subjects, protein_scheme)
    for residues in (10**9, 900):
        assert search(worker, chosen, database, protein_scheme, residues).tolist() == want
    assert {name for name, _ in gpu.launched} == {"interleave", "intra", method}
    worker.close()


@needs_compiler
def test_counters_of_a_slot_are_zero_however_often_it_is_used(protein_scheme, monkeypatch):
    monkeypatch.setattr(scans, "COUNTERS", 3)  # every scan takes two
    rng = np.random.default_rng(3)
    queries = [query_of(random_codes(rng, n, 20), f"q{n}") for n in range(5, 12)]
    subjects = [random_codes(rng, n, 20) for n in range(12, 108)]
    gpu = CpuGpu()
    settings = {**SMALL, **TILES["shared"], "threshold": "80", "streams": "1", "subjects": "1"}
    worker = PublishedSearch(gpu, 0, twin_queries=True, method="shared", settings=settings)
    got = search(worker, queries, database_of(subjects, PROTEIN), protein_scheme)
    assert got.tolist() == expected(queries, subjects, protein_scheme)
    assert [name for name, _ in gpu.launched[1:]] == ["intra", "shared"] * len(queries)


class ToldKernel:
    """A compiled kernel as the driver tells of it."""

    num_regs, local_size_bytes, shared_size_bytes = 40, 0, 16


@pytest.fixture
def told(monkeypatch, protein_scheme):
    """Return the resources that kernels use of a GPU like the H200."""

    class Gpu(CpuGpu):
        multiprocessors = 132

        def __init__(self, *_, **__):
            super().__init__(H200.shared_limit)
            self.cupy.cuda.runtime.getDeviceProperties = lambda i: {"maxThreadsPerMultiProcessor": 2048}

        def kernel(self, *_):
            return ToldKernel

        def variant(self, _):
            return ToldKernel

    found = EngineStatus("cuda", True, (CpuGpu.info,))
    monkeypatch.setattr(use.device, "probe", lambda: found)
    monkeypatch.setattr(use.device, "import_cupy", lambda: None)
    monkeypatch.setattr(use, "Gpu", Gpu)

    def tell(method, queries, database=None, **settings):
        options = EngineOptions(settings={"method": method, **settings})
        return use.kernel_use(options, queries, protein_scheme, database)

    return tell


def test_what_launches_take_is_told_for_the_database_at_hand(told):
    rng = np.random.default_rng(8)
    query = query_of(random_codes(rng, 464, 20))
    many = database_of([random_codes(rng, int(n), 20) for n in rng.gamma(2, 150, 4000)], PROTEIN)
    short = database_of([random_codes(rng, 90, 20)] * 500, PROTEIN)
    long = database_of([random_codes(rng, 9000, 20)] * 2, PROTEIN)
    assert [one.kernel for one in told("simt", (query,))] == ["simt", "intra"]
    assert told("simt", (query,))[0].settings["threshold"] == "auto: 3072 at most"
    assert told("simt", (query,))[0].settings["chunk"] == "auto"
    own, beside = told("simt", (query,), many)
    assert own.settings["chunk"] == f"{many.residues / 1e6:.4g}"
    assert told("simt", (query,), many, chunk="7")[0].settings["chunk"] == "7"
    assert [told(DEFAULT_METHOD, (query,), known)[0].settings["streams"] for known in (many, None)] == ["12", "3"]
    assert own.settings["threshold"] == "384"
    assert (own.kernel, beside.kernel) == ("simt", "intra")
    assert told("simt", (query,), many, threshold="500")[0].settings["threshold"] == "500"
    assert [one.kernel for one in told("simt", (query,), short)] == ["simt"]
    assert [one.kernel for one in told("simt", (query,), long)] == ["intra"]
    assert [one.kernel for one in told("intra", (query,), many)] == ["intra"]


def test_the_tile_that_is_told_is_the_one_a_search_takes(told, protein_scheme):
    rng = np.random.default_rng(8)
    query = query_of(random_codes(rng, 464, 20))
    database = database_of([random_codes(rng, 30_000, 20), *[random_codes(rng, 60, 20)] * 50], PROTEIN)
    gpu = use.Gpu()
    layout = DatabaseLayout.of(np.asarray(database.offsets))
    alone, of_many = (plan_with({}, (0,), (query,), protein_scheme, gpu, part)[0].tile for part in (layout, None))
    assert alone != of_many
    one = (query,)
    for queries, known, tile in ((one, database, alone), (one * 2, database, of_many), (one, None, of_many)):
        (found,) = told(DEFAULT_METHOD, queries, known)
        assert (found.settings["lanes"], found.settings["rows"]) == (str(tile.lanes), str(tile.rows))
    (instead,) = told("shared", (query,), database, threads="1024")
    assert instead.method == DEFAULT_METHOD
    assert instead.remarks[-1] == FELL_BACK


def band_worker(gpu, memory=0):
    return PublishedSearch(
        gpu, memory, twin_queries=True, method="band", settings={**SMALL, **TILES["band"], "threshold": "50"}
    )


def failing(gpu, monkeypatch, fails):
    """Let allocations of words (letters and borders) fail by turns."""
    plain, turns = gpu.empty, iter(fails)

    def empty(size, dtype):
        if dtype is np.uint32 and next(turns, False):
            raise OutOfDeviceMemory("CPU #0", size, 0)
        return plain(size, dtype)

    monkeypatch.setattr(gpu, "empty", empty)
    return turns


@needs_compiler
def test_short_memory_means_smaller_parts_and_the_same_scores(mixed, protein_scheme):
    queries, subjects, database = mixed
    worker = band_worker(CpuGpu(), 1600)
    got = search(worker, queries[:2], database, protein_scheme)
    assert got.tolist() == expected(queries[:2], subjects, protein_scheme)
    assert not worker.grouped_database(database).resident


@needs_compiler
def test_memory_that_is_short_until_a_scan_has_ended(mixed, protein_scheme, monkeypatch):
    queries, subjects, database = mixed
    gpu = CpuGpu()
    turns = failing(gpu, monkeypatch, [False, False, False, True])
    got = search(band_worker(gpu), queries[:2], database, protein_scheme, 500)
    assert got.tolist() == expected(queries[:2], subjects, protein_scheme)
    assert next(turns, None) is None


def test_memory_that_is_never_enough_ends_with_what_was_needed(mixed, protein_scheme, monkeypatch):
    queries, _, database = mixed
    gpu = CpuGpu()
    failing(gpu, monkeypatch, [True] * 100)
    with pytest.raises(OutOfDeviceMemory, match=r"MiB are needed\. The method 'band' needs more"):
        search(band_worker(gpu), queries[:2], database, protein_scheme)


@needs_compiler
def test_what_a_method_cannot_do_streams(mixed, protein_scheme, monkeypatch):
    queries, subjects, database = mixed
    asked = []

    def stream(self, take, queries, database, scheme, cancel):
        while (plan := take()) is not None:
            for index, query in enumerate(queries):
                asked.append(query.id)
                positions = database.order[plan.start : plan.stop]
                scores = judge(
                    query.scores(scheme), [database.subject(i) for i in positions], scheme.gap_first, scheme.gap_extend
                )
                yield ChunkScores(index, positions, np.array(scores, dtype=np.int32), 0)

    monkeypatch.setattr(search_module.StreamingSearch, "run", stream)
    gpu = CpuGpu(shared_limit=8 * 32 * 40)  # 40 query rows for one warp
    worker = PublishedSearch(
        gpu, 0, twin_queries=True, method="shared", settings={**TILES["shared"], "threshold": "50"}
    )
    chosen = [queries[3], queries[1]]  # 75 and 30 residues
    assert search(worker, chosen, database, protein_scheme, 900).tolist() == expected(chosen, subjects, protein_scheme)
    assert set(asked) == {"q75"}
    asked.clear()
    assert search(worker, chosen[:1], database, protein_scheme).tolist() == expected(
        chosen[:1], subjects, protein_scheme
    )
    assert asked == ["q75"]


@needs_compiler
def test_a_cancelled_search_yields_nothing_more(mixed, protein_scheme):
    queries, _, database = mixed
    worker = band_worker(CpuGpu())
    plans = plan_chunks(database.offsets, ChunkLimits(residues=500))
    left, cancel, parts = iter(plans), threading.Event(), []
    for part in worker.run(lambda: next(left, None), queries[:2], database, protein_scheme, cancel):
        parts.append(part)
        cancel.set()
    assert len(parts) == 1
