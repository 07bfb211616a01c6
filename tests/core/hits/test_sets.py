"""Sets of whole numbers, against NumPy's own."""

import numpy as np
import pytest

from swgui.core.hits.scores import among, distinct


@pytest.mark.parametrize(("count", "others"), [(0, 3), (5, 0), (200, 40), (40, 200)])
def test_sets_are_those_of_numpy(rng, count, others):
    values, some = rng.integers(-50, 50, count), rng.integers(-50, 50, others)
    assert np.array_equal(among(values, some), np.isin(values, some))
    assert np.array_equal(distinct(values), np.unique(values))
