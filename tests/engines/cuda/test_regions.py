"""Input that the GPU's kernels for regions and shuffles cannot handle never reaches them; no GPU needed."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.judging.correction_work import WHOLE
from swgui.core.plain import replace
from swgui.engines.cuda import regions as on_gpu
from swgui.engines.native import Subjects, scores
from swgui.engines.native.correction import HOST
from tests.region_data import assert_same_regions, region_request


@pytest.fixture
def work(monkeypatch):
    monkeypatch.setattr(on_gpu, "TUNING", replace(on_gpu.TUNING, few_cells=0))
    made = on_gpu.GpuRegions(None)
    monkeypatch.setattr(made, "run_on_gpu", lambda do: pytest.fail("The GPU was asked."))
    return made


@pytest.mark.parametrize(("symbols", "highest"), [(400, 7), (27, 1000)])
def test_wide_codes_and_high_scores_are_answered_by_the_library(work, rng, symbols, highest):
    profile = rng.integers(-7, highest, (40, symbols)).astype(np.int16)
    codes = rng.integers(0, symbols, 900).astype(np.uint16 if symbols > 256 else np.uint8)
    subjects = Subjects.packed(codes, np.arange(0, 901, 90))
    known = scores(profile, subjects, 12, 1)
    question = region_request(profile, subjects, known, 12, 1)
    assert_same_regions(work.regions_of(question), HOST.regions_of(question))


def test_shuffles_with_high_scores_are_answered_by_the_library(work, rng):
    profile, codes = rng.integers(-7, 1000, (40, 27)).astype(np.int16), rng.integers(0, 27, 900).astype(np.uint8)
    given = profile, codes, np.array([[0, 40, 90, 90, WHOLE, 90, 0, 5]]), 12, 1, 1
    assert work.shuffled_scores(*given).tolist() == HOST.shuffled_scores(*given).tolist()


def test_portions_keep_to_the_room_and_leave_nothing_out(monkeypatch):
    monkeypatch.setattr(on_gpu, "ROOM", 10)
    sizes = np.array([4, 4, 4, 25, 0, 3, 9], dtype=np.int64)
    parts = on_gpu.portions(sizes)
    assert np.concatenate([np.arange(len(sizes))[part] for part in parts]).tolist() == list(range(len(sizes)))
    assert all(sizes[part][1:].sum() <= 10 for part in parts)
    assert on_gpu.portions(sizes[:0]) == []  # where all pairs are too large for one warp
