"""Compiled fits of statistics against those of NumPy, and who is above a z-score."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.plain import replace
from swgui.core.statistics import regression
from swgui.core.statistics.fit import MIN_LENGTH, fit_statistics
from swgui.core.statistics.lengths import SubjectLengths
from swgui.core.statistics.regression import FitError
from swgui.engines.native.fitting import MARGIN, at_least, regress
from tests.core.statistics.test_fit import PROTEINS, simulated


@pytest.fixture(scope="module")
def scored():
    scores, lengths = simulated(5_000)
    return scores.astype(np.int32), lengths


@pytest.mark.parametrize("trims", [True, False])
@pytest.mark.parametrize("longest", [40, 200, 10**7])  # 15, 31 and 140 bins: sums of NumPy begin anew at 8 and 128
def test_a_line_is_that_of_numpy_to_the_last_bit(scored, longest, trims):
    scores, lengths = scored
    random = np.random.default_rng(longest)
    few = random.random(len(lengths)) < 0.2
    given = SubjectLengths.of(np.where(few, random.integers(10, longest, len(lengths)), np.minimum(lengths, longest)))
    found = regress(scores, given, 51.7, 95.0, trims=trims)
    assert found == regression.regress(scores, given, 51.7, 95.0, trims=trims)
    assert (found.related > 0) == trims
    assert found.used + found.related + found.odd_sequences == len(scores)


def test_what_is_left_out_is_the_same_either_way():
    random = np.random.default_rng(5)
    for _ in range(200):
        size = int(random.integers(3, 400))
        scores = random.integers(20, 20 + int(random.integers(1, 60)), size).astype(np.int32)
        lengths = SubjectLengths.of(random.integers(10, int(random.integers(12, 5000)), size))
        how = scores, lengths, float(random.choice([45.5, np.inf])), 75.0
        trims = bool(random.integers(2))
        try:
            expected = regression.regress(*how, trims=trims)
        except FitError as trouble:
            with pytest.raises(FitError, match=str(trouble)):
                regress(*how, trims=trims)
        else:
            assert regress(*how, trims=trims) == expected


@pytest.mark.parametrize("fitting", [regress, regression.regress])
def test_subjects_that_are_alike_are_fitted_as_groups(scored, fitting):
    pairs, times = np.unique(np.stack([scored[0], np.minimum(scored[1], 60)]), axis=1, return_counts=True)
    assert times.max() > 1
    spread = np.repeat(pairs, times, axis=1)
    whole = fit_statistics(spread[0].astype(np.int32), spread[1], 200, PROTEINS, regress=fitting)
    assert fit_statistics(pairs[0].astype(np.int32), pairs[1], 200, PROTEINS, regress=fitting, times=times) == whole


@pytest.mark.parametrize("rho", [4.0, -4.0])
def test_nobody_above_a_z_score_is_missed(scored, rho):
    scores, lengths = scored[0], np.where(np.arange(len(scored[0])) % 7, scored[1], MIN_LENGTH // 2)
    by = fit_statistics(*scored, 200, PROTEINS)
    by = replace(by, rho=rho)
    z_scores = by.z_scores(scores, lengths)
    limit = float(np.sort(z_scores)[-100])
    found = at_least(scores, SubjectLengths.of(lengths), by, limit)
    assert set(np.flatnonzero(z_scores >= limit).tolist()) <= set(found.tolist())
    assert (z_scores[found] >= limit - 10 * (MARGIN + 1e-6) / by.standard_deviation).all()
    assert np.array_equal(found, np.sort(found))
