"""Scores looked through in compiled code: what statistics are fitted to, and who is above a z-score."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.plain import replace
from swgui.core.statistics.fit import MIN_LENGTH, fit_statistics
from swgui.core.statistics.lengths import Line, SubjectLengths, collect_bins
from swgui.engines.native.fitting import MARGIN, at_least, collect
from tests.core.statistics.test_fit import PROTEINS, simulated

LINE = Line(4.0, 7.0, 4.5, 20.0, 95.0)


@pytest.fixture(scope="module")
def scored():
    scores, lengths = simulated(5_000)
    return scores.astype(np.int32), lengths


@pytest.mark.parametrize("line", [None, LINE])
def test_sums_are_those_of_numpy_to_the_last_bit(scored, line):
    scores, lengths = scored
    found, left_out = collect(scores, SubjectLengths.of(lengths), 51.7, line)
    expected, without = collect_bins(scores, SubjectLengths.of(lengths), 51.7, line)
    assert np.array_equal(found, expected)
    assert left_out == without
    assert (left_out > 0) == (line is not None)
    assert found[0].sum() == len(scores) - left_out


def test_a_fit_is_the_same_either_way(scored):
    scores, lengths = scored
    assert fit_statistics(scores, lengths, 200, PROTEINS, collect=collect) == fit_statistics(
        scores, lengths, 200, PROTEINS
    )


@pytest.mark.parametrize("adding", [collect, collect_bins])
def test_subjects_that_are_alike_are_fitted_as_groups(scored, adding):
    pairs, times = np.unique(np.stack([scored[0], np.minimum(scored[1], 60)]), axis=1, return_counts=True)
    assert times.max() > 1
    spread = np.repeat(pairs, times, axis=1)
    whole = fit_statistics(spread[0].astype(np.int32), spread[1], 200, PROTEINS, collect=adding)
    assert fit_statistics(pairs[0].astype(np.int32), pairs[1], 200, PROTEINS, collect=adding, times=times) == whole


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
