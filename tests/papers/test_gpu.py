"""The published methods on a GPU: every value a sweep can reach, every way of using memory, what launches take."""

from __future__ import annotations

import threading
import time
from contextlib import closing

import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.engines import EngineOptions
from swgui.core.methods.search import DEFAULT_METHOD, SEARCH_METHODS
from swgui.core.packing import ChunkLimits, plan_chunks
from swgui.engines.registry import kernel_use, make_engine, probe
from tests.engines.conftest import all_scores, database_of, query_of, random_codes, relative

pytestmark = pytest.mark.gpu

PUBLISHED = [name for name in SEARCH_METHODS if name != DEFAULT_METHOD]
CELLS = [
    (method.name, setting.name, value)
    for method in SEARCH_METHODS.values()
    for setting in method.settings
    for value in (*map(str, setting.values), *setting.names)
]


def engine_with(method, devices=(), **settings):
    return closing(make_engine("cuda", EngineOptions(devices=devices, settings={"method": method, **settings})))


@pytest.fixture(scope="module")
def mixed():
    """Queries on both sides of tile edges, related subjects of all lengths, some beyond 16 bits."""
    rng = np.random.default_rng(5)
    queries = [query_of(random_codes(rng, n, 20), f"q{n}") for n in (1, 12, 13, 64, 145, 256, 257, 700, 3300)]
    subjects = [random_codes(rng, int(n), 20) for n in rng.gamma(2, 120, 5000)]
    subjects += [relative(rng, queries[i % len(queries)].codes, 20) for i in range(100)]
    subjects += [np.tile(queries[-1].codes, 2), queries[-1].codes, np.zeros(0, np.uint8)]
    return queries, database_of(subjects, PROTEIN)


@pytest.fixture(scope="module")
def expected(mixed, protein_scheme):
    with engine_with(DEFAULT_METHOD) as engine:
        return all_scores(engine, *mixed, protein_scheme)


@pytest.mark.parametrize(("method", "setting", "value"), CELLS)
def test_every_value_of_every_setting_gives_the_same_scores(mixed, expected, protein_scheme, method, setting, value):
    with engine_with(method, **{setting: value}) as engine:
        assert np.array_equal(all_scores(engine, *mixed, protein_scheme), expected)


@pytest.mark.parametrize("method", PUBLISHED)
@pytest.mark.parametrize(
    "settings",
    [
        {"memory_mib": "1"},
        {"memory_mib": "1", "pinned": "off"},
        {"dpx": "off"},
        {"dpx": "off", "subjects": "2"},
        {"subjects": "1", "grid": "1", "streams": "1"},
    ],
)
def test_every_way_gives_the_same_scores(mixed, expected, protein_scheme, method, settings):
    with engine_with(method, **settings) as engine:
        for limits in (None, ChunkLimits(residues=33_333)):
            assert np.array_equal(all_scores(engine, *mixed, protein_scheme, limits), expected)


@pytest.mark.parametrize("method", PUBLISHED)
def test_best_subjects_are_ranked_as_by_all_scores(mixed, expected, protein_scheme, method):
    queries, database = mixed
    with engine_with(method) as engine:
        for query, scores in zip(queries, expected, strict=True):
            hits, milliseconds = engine.best(query, database, protein_scheme, 10)
            order = np.lexsort((np.arange(len(scores)), -scores))[:10]
            assert hits.db_index.tolist() == order.tolist()
            assert hits.scores.tolist() == scores[order].tolist()
            assert milliseconds >= 0


@pytest.mark.parametrize("method", PUBLISHED)
def test_several_devices_give_the_scores_of_one(mixed, expected, protein_scheme, method):
    if len(probe("cuda").devices) < 2:
        pytest.skip("there is one CUDA device")
    with engine_with(method, ("all",)) as engine:
        assert np.array_equal(all_scores(engine, *mixed, protein_scheme, ChunkLimits(residues=50_000)), expected)


@pytest.mark.parametrize("method", PUBLISHED)
def test_cancel_reaches_into_a_kernel(dna_scheme, method):
    # 5,000 x 2,000,000 cells for one thread or block: without asking it would be seconds to minutes.
    rng = np.random.default_rng(3)
    query = query_of(random_codes(rng, 5_000, 4))
    database = database_of([random_codes(rng, 2_000_000, 4)], NUCLEOTIDE)
    with engine_with(method, threshold="1000000000") if method != "intra" else engine_with(method) as engine:
        plans = plan_chunks(database.offsets, engine.chunk_limits([query], database))
        cancel = threading.Event()
        timer = threading.Timer(0.5, cancel.set)
        timer.start()
        parts = list(engine.score([query], database, plans, dna_scheme, cancel))
        timer.join()
        assert len(parts) <= 1
        short = database_of([random_codes(rng, 100, 4)], NUCLEOTIDE)
        assert all_scores(engine, [query], short, dna_scheme).shape == (1, 1)


@pytest.mark.parametrize("method", SEARCH_METHODS)
def test_what_launches_take_is_told(mixed, protein_scheme, method):
    queries, _ = mixed
    uses = kernel_use("cuda", EngineOptions(settings={"method": method}), queries[:6], protein_scheme)
    assert uses[0].method == method
    assert uses[0].kernel == method
    table = {setting.name for setting in SEARCH_METHODS[method].settings}
    for use in uses:
        assert 0 < use.registers <= 255
        assert use.threads % 32 == 0
        assert use.blocks >= 1
        assert use.resident_blocks >= 1
        assert set(use.settings) <= table
        assert "auto" not in {use.settings.get(name) for name in ("threads", "subjects", "rows")}


def test_a_method_that_cannot_says_so_and_streams(mixed, protein_scheme):
    queries, _ = mixed
    use, *_ = kernel_use("cuda", EngineOptions(settings={"method": "shared"}), queries[-1:], protein_scheme)
    assert use.method == DEFAULT_METHOD
    assert "X >= T x Q does not hold" in use.remarks[0]


def test_time_is_told_for_every_method(mixed, protein_scheme):
    queries, database = mixed
    for method in PUBLISHED:
        with engine_with(method) as engine:
            plans = plan_chunks(database.offsets, engine.chunk_limits(queries, database))
            began = time.perf_counter()
            parts = list(engine.score(queries, database, plans, protein_scheme, threading.Event()))
            assert 0 < sum(part.seconds for part in parts) <= time.perf_counter() - began
