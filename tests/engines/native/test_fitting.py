"""Compiled fits of statistics against those of NumPy, and who is above a z-score."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.plain import replace
from swgui.core.statistics import regression
from swgui.core.statistics.fit import MIN_LENGTH, fit_statistics
from swgui.core.statistics.lengths import SubjectLengths
from swgui.core.statistics.regression import FitError
from swgui.engines.native.fitting import count_beyond, regress
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
def test_subjects_beyond_z_scores_are_counted_but_those_listed(scored, rho, rng):
    lengths = np.where(np.arange(len(scored[0])) % 7, scored[1], MIN_LENGTH // 2)
    by = replace(fit_statistics(*scored, 200, PROTEINS), rho=rho)
    lists = [scored[0].astype(np.int32), rng.permutation(scored[0]).astype(np.int32)]
    z_scores = [by.z_scores(scores, lengths) for scores in lists]
    limits = np.sort(z_scores[0])[[-3, -100, -700]]
    listed = [np.flatnonzero(z_scores[0] >= limits[0])[:2], np.zeros(0, dtype=np.int64)]
    found = count_beyond([by, by], lists, listed, SubjectLengths.of(lengths), limits)
    for scores, own, few, counts in zip(lists, z_scores, listed, found, strict=True):
        others = np.isin(np.arange(len(scores)), few, invert=True) & (scores > 0)
        assert counts.tolist() == [int((own[others] >= limit).sum()) for limit in limits]
    assert found[0, 0] == 1
