"""Regions and shuffles on a GPU, against the compiled library."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest

from swgui.core.engines import EngineOptions
from swgui.core.statistics.correction_work import FROM_BEHIND, PERIODS, WHOLE, WINDOWS, RegionQuestion
from swgui.engines import registry
from swgui.engines.cuda import regions as on_gpu
from swgui.engines.native import Subjects, scores
from swgui.engines.native.correction import HOST

pytestmark = pytest.mark.gpu


@pytest.fixture
def work(monkeypatch):
    monkeypatch.setattr(on_gpu, "FEW_CELLS", 0)
    with closing(registry.make_engine("cuda", EngineOptions())) as engine:
        yield engine.correction_work()


@pytest.mark.parametrize(("rows", "costs"), [(1, (12, 1)), (300, (12, 1)), (257, (0, 0)), (1500, (3, 2))])
def test_regions_are_those_of_the_library(work, rng, rows, costs):
    profile = rng.integers(-7, 7, (rows, 27)).astype(np.int16)
    lengths = rng.integers(0, 2000, 200)
    subjects = Subjects.packed(rng.integers(0, 27, lengths.sum()).astype(np.uint8), np.append(0, np.cumsum(lengths)))
    known = scores(profile, subjects, *costs)
    known[:20] += 1
    few = profile[: rows // 2 + 1]
    questions = [
        RegionQuestion(profile, subjects, *costs, scores=known),
        RegionQuestion(few, subjects, *costs, scores=scores(few, subjects, *costs)),
    ]
    found, expected = (some.regions_of(questions) for some in (work, HOST))
    for one, same in zip(found, expected, strict=True):
        assert np.array_equal(np.stack(one.columns), np.stack(same.columns))
    assert not work._failed


def test_shuffles_are_those_of_the_library(work, rng):
    profile, codes = rng.integers(-7, 7, (1500, 27)).astype(np.int16), rng.integers(0, 27, 5000).astype(np.uint8)
    jobs = []
    for _ in range(300):
        kind, rows, length = int(rng.integers(3)), int(rng.integers(1, 700)), int(rng.integers(0, 700))
        row, start = int(rng.integers(1500 - rows)), int(rng.integers(5000 - length))
        width = {WHOLE: length, WINDOWS: 10, PERIODS: int(rng.integers(2, 70))}[kind]
        number = FROM_BEHIND if kind == WHOLE else int(rng.integers(50))
        jobs.append([row, rows, start, length, kind, width, number, int(rng.integers(1, 97))])
    given = profile, codes, np.array(jobs), 11, 1, 1
    assert work.shuffled_scores(*given).tolist() == HOST.shuffled_scores(*given).tolist()
    assert not work._failed
