"""The published methods for one long pair on a GPU, beyond what the contract of all methods asks."""

from __future__ import annotations

import threading
from contextlib import closing

import numpy as np
import pytest

from swgui.core.alignment import rescore
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.pair.problem import PairAligned, PairEnd, PairMode, PairProblem, PairScored
from swgui.core.scoring import EncodedQuery, ScoringScheme, match_mismatch
from swgui.engines.pair.registry import make_pair_engine
from swgui.engines.rowscan import local_end
from tests.asking import DNA_SCHEME

pytestmark = pytest.mark.gpu

LINEAR = ScoringScheme(match_mismatch(NUCLEOTIDE, 2, -3), 3, 3)
STRIPS = ("striped-score", "striped-align", "chunked-align-1", "chunked-align-2")


def relatives(length: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(length)
    one = rng.integers(0, 4, length).astype(np.uint8)
    other = np.resize(one, columns)
    drawn = rng.random(columns) < 0.12
    other[drawn] = rng.integers(0, 4, int(drawn.sum()))
    return one, np.delete(other, slice(columns // 3, columns // 3 + columns // 20))


@pytest.fixture(scope="module", params=[(1900, 2600), (4100, 3000)], ids=["wide", "tall"])
def pair(request):
    one, other = relatives(*request.param)
    ends = {
        scheme: local_end(scheme.matrix.scores[one], other, scheme.gap_first, scheme.gap_extend)
        for scheme in (DNA_SCHEME, LINEAR)
    }
    return EncodedQuery("q", one), other, ends


def steps_of(engine, query, subject, scheme, *, score_only):
    return list(engine.run(PairProblem(query, subject, scheme, score_only=score_only), threading.Event()))


def check(method, pair, scheme=DNA_SCHEME, **settings):
    query, subject, ends = pair
    with closing(make_pair_engine(method, EngineOptions(settings=settings))) as engine:
        score_only = method == "striped-score"
        plan = engine.plan(PairProblem.outline(len(query), len(subject), scheme, score_only=score_only))
        steps = steps_of(engine, query, subject, scheme, score_only=score_only)
    expected = ends[scheme]
    end = next(step.end for step in steps if isinstance(step, PairScored))
    assert end == PairEnd(expected.score, expected.query_end, expected.subject_end)
    if score_only:
        assert not any(isinstance(step, PairAligned) for step in steps)
        return
    aligned = steps[-1]
    assert isinstance(aligned, PairAligned)
    assert rescore(aligned.alignment, query, subject, scheme) == end.score
    assert (aligned.alignment.query_end, aligned.alignment.subject_end) == (end.query_end, end.subject_end)
    assert 0 < aligned.memory_bytes <= plan.memory_bytes


@pytest.mark.parametrize("strip", ["auto", "37", "64", "128", "300", "1024", "1900"])
@pytest.mark.parametrize("method", STRIPS)
def test_strip_widths(method, strip, pair):
    check(method, pair, strip=strip)


@pytest.mark.parametrize("threshold", ["8", "64", "256"])
@pytest.mark.parametrize("method", STRIPS)
def test_thresholds(method, threshold, pair):
    check(method, pair, strip="256", threshold=threshold)


@pytest.mark.parametrize("chunk", ["8", "100", "65536"])
@pytest.mark.parametrize("method", STRIPS[2:])
def test_chunk_heights(method, chunk, pair):
    check(method, pair, strip="128", chunk=chunk)


@pytest.mark.parametrize("blocks", [1, 2, 5000])
@pytest.mark.parametrize("method", STRIPS)
def test_any_number_of_blocks_comes_to_an_end(method, blocks, pair, monkeypatch):
    monkeypatch.setattr("swgui.papers.striped.engine.GpuMachine.resident", lambda *_: blocks)
    check(method, pair, strip="64")


@pytest.mark.parametrize("host_memory", ["pinned", "pageable"])
@pytest.mark.parametrize("scheme", [DNA_SCHEME, LINEAR], ids=["affine", "linear"])
@pytest.mark.parametrize("tile", ["auto", "128", "1024"])
@pytest.mark.parametrize("launch", ["streams", "graph", "dynamic"])
def test_tiles(launch, tile, scheme, host_memory, pair):
    try:
        check("tiled", pair, scheme, launch=launch, tile=tile, host_memory=host_memory)
    except InvalidParameter as error:
        if launch != "dynamic":
            raise
        pytest.skip(error.message)


@pytest.mark.parametrize("method", [*STRIPS, "tiled"])
def test_cancelled_work_ends_and_the_next_is_right(method, pair):
    long = relatives(60_000, 65_000)
    cancel = threading.Event()
    with closing(make_pair_engine(method, EngineOptions())) as engine:
        score_only = method == "striped-score"
        cancel.set()
        steps = list(
            engine.run(PairProblem(EncodedQuery("q", long[0]), long[1], DNA_SCHEME, score_only=score_only), cancel)
        )
        assert not any(isinstance(step, PairScored) for step in steps)
        query, subject, ends = pair
        end = next(
            step.end
            for step in steps_of(engine, query, subject, DNA_SCHEME, score_only=score_only)
            if isinstance(step, PairScored)
        )
        assert end.score == ends[DNA_SCHEME].score


@pytest.mark.parametrize("method", [*STRIPS, "tiled"])
def test_what_the_methods_are_not_for(method):
    with closing(make_pair_engine(method, EngineOptions())) as engine:
        for mode in (PairMode.GLOBAL, PairMode.SEMIGLOBAL):
            with pytest.raises(InvalidParameter, match="local") as caught:
                engine.plan(PairProblem.outline(100, 100, DNA_SCHEME, mode=mode, score_only=True))
            assert "wavefront or cpu" in str(caught.value)


def plan(method, rows, columns, *, score_only=False):
    with closing(make_pair_engine(method, EngineOptions())) as engine:
        return engine.plan(PairProblem.outline(rows, columns, DNA_SCHEME, score_only=score_only))


def test_too_long_and_too_large():
    with pytest.raises(InvalidParameter, match="65,536"):
        plan("tiled", 100, 65_537, score_only=True)
    with pytest.raises(InvalidParameter, match="cannot do 40,000,000 x 40,000,000"):
        plan("striped-align", 40_000_000, 40_000_000)
    with pytest.raises(InvalidParameter, match="not the alignment"):
        plan("striped-score", 100, 100)
    assert plan("striped-score", 5_000_000, 5_000_000, score_only=True).memory_bytes < 1 << 30
