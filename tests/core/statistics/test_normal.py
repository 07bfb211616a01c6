"""The tails of the normal distribution against what SciPy says (tests/data/statistics/normal.tsv)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from swgui.core.statistics.evalue import erfcx, log_ndtr

TABLE = Path(__file__).resolve().parents[2] / "data" / "statistics" / "normal.tsv"
AGREEMENT = 3e-13


def test_tails_agree_with_another_library() -> None:
    x, expected_log, expected_scaled = np.loadtxt(TABLE, skiprows=1, unpack=True)
    assert x[0] == -1e5
    assert x[-1] > 35
    np.testing.assert_allclose(log_ndtr(x), expected_log, rtol=AGREEMENT)
    np.testing.assert_allclose(erfcx(np.abs(x)), expected_scaled, rtol=AGREEMENT)


def test_what_lies_outside_has_its_limit() -> None:
    low, high, unknown = log_ndtr(np.array([-np.inf, np.inf, np.nan]))
    assert (low, high) == (-np.inf, 0.0)
    assert np.isnan(unknown)
    assert abs(erfcx(np.array([0.0]))[0] - 1.0) < 1e-14


def test_one_point_takes_its_shape() -> None:
    assert abs(log_ndtr(np.array(0.0)) - np.log(0.5)) < 1e-14
