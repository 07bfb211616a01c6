"""Scores of several chunks in one call, by NumPy and by the library."""

import numpy as np
import pytest

from swgui.core.hits.scores import Gathering
from swgui.engines.native.gathering import CompiledGathering


@pytest.mark.parametrize("gathering", [Gathering(), CompiledGathering()])
def test_scores_are_gathered_from_several_chunks(gathering, rng):
    sizes = (0, 1, 700, 2_000)
    chunks = [(rng.integers(0, 50, size).astype(np.int32), rng.permutation(3_000)[:size]) for size in sizes]
    found = gathering.at_least(chunks, [0, 60, 40, 49])
    for (scores, db_index), least, (some, which) in zip(chunks, [0, 60, 40, 49], found, strict=True):
        assert some.tolist() == scores[scores >= least].tolist()
        assert which.tolist() == db_index[scores >= least].tolist()
    rows = np.full((len(sizes), 3_000), -1, dtype=np.int32)
    gathering.put(chunks, list(rows))
    for (scores, db_index), row in zip(chunks, rows, strict=True):
        expected = np.full(3_000, -1)
        expected[db_index] = scores
        assert row.tolist() == expected.tolist()
    assert gathering.at_least([], []) == []
