"""Sum statistics, against worked numbers, the paper's formula, and chance itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from swgui.core.statistics.sums import LN10, MAX_TOGETHER, ln_probabilities, sum_log10_evalues
from swgui.engines.native import normal


def ln_probability(total, count):
    return float(ln_probabilities(np.array([total]), np.array([count]))[0])


def sum_log10_evalue(each, copies):
    return float(sum_log10_evalues(each, np.array([0]), np.array([copies]))[0])


def paper(total, count):
    """Return the natural logarithm of exp(-t) t^(r-1) / (r! (r-1)!)."""
    return -total + (count - 1) * math.log(total) - math.lgamma(count + 1) - math.lgamma(count)


def test_worked_numbers():
    # Two alignments of which chance gives exp(-10) and exp(-8) in the pair: t = 18, exp(-18) 18 / 2 = 1.37e-7.
    assert math.exp(-18) * 18 / 2 == pytest.approx(1.3707e-7, rel=1e-4)
    assert math.exp(ln_probability(18.0, 2)) == pytest.approx(1.3707e-7, rel=0.02)
    # Three with exp(-20) each: t = 60, exp(-60) 60^2 / (6 * 2) = 2.63e-24.
    assert math.exp(-60) * 3600 / 12 == pytest.approx(2.627e-24, rel=1e-3)
    assert math.exp(ln_probability(60.0, 3)) == pytest.approx(2.627e-24, rel=0.03)


@pytest.mark.parametrize(("count", "near"), [(2, 0.001), (3, 0.005), (7, 0.02), (100, 0.06)])
def test_as_the_paper_for_large_sums(count, near):
    total = 1000.0 * count
    assert ln_probability(total, count) == pytest.approx(paper(total, count), abs=near)
    assert ln_probability(10 * total, count) == pytest.approx(paper(10 * total, count), abs=near)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 8])
def test_as_chance_gives_it(rng, count):
    # The x of chance are -ln of the arrival times of a Poisson process.
    totals = -np.log(np.cumsum(rng.exponential(size=(200_000, count)), axis=1)).sum(axis=1)
    for total in (-2.0, 0.0, 2.0, 5.0):
        seen = (totals >= total).mean()
        assert math.exp(ln_probability(total, count)) == pytest.approx(seen, abs=4 * math.sqrt(seen / 200_000))


@pytest.mark.parametrize("count", [1, 2, 5, 30])
def test_it_falls_as_the_sum_grows_without_a_step(count):
    totals = np.concatenate([np.arange(-30, 400, 0.5), 8.0 * count + np.array([-1e-6, 1e-6])])
    found = np.array([ln_probability(total, count) for total in np.sort(totals)])
    assert (found <= 0).all()
    assert (np.diff(found) <= 1e-3).all()
    assert np.abs(np.diff(found)).max() < 1.2


def test_one_alignment_is_its_own_e():
    assert sum_log10_evalue(np.array([-12.5]), 1e4) == -12.5


def test_e_of_two_in_a_database():
    # E = 1e-3 and 1e-2 in a database of 100 times the subject: chance gives 1e-5 and 1e-4 of them in the pair.
    total = 9 * LN10
    expected = (ln_probability(total, 2) + math.log(100) + math.log(2)) / LN10
    assert sum_log10_evalue(np.array([-3.0, -2.0]), 100.0) == pytest.approx(expected)
    assert expected == pytest.approx(math.log10(1e-9 * total / 2 * 100 * 2), abs=0.01)
    assert expected < -5


def test_poor_alignments_take_nothing_away():
    alone = sum_log10_evalue(np.array([-20.0]), 1e5)
    assert sum_log10_evalue(np.array([-20.0, 0.9, 0.95, 1.0]), 1e5) <= alone
    assert sum_log10_evalue(np.array([0.5, 0.9, 1.0]), 1.0) <= 0.5


def test_seven_copies_do_not_underflow():
    assert sum_log10_evalue(np.full(7, -827.0), 1.0) == pytest.approx(-7 * 827 + math.log10(64), abs=25)


def test_unknown_stays_unknown():
    assert math.isnan(sum_log10_evalue(np.array([-3.0, float("nan")]), 10.0))


@pytest.mark.parametrize("copies", [1.0, 1e3, 1e8])
def test_the_best_number_of_alignments_is_found(rng, copies):
    for _ in range(20):
        each = np.sort(rng.uniform(-30, 1, int(rng.integers(2, 25))) * rng.choice([0.05, 1.0, 20.0]))
        totals = np.cumsum(math.log(copies) - each * LN10)
        every = [
            (ln_probability(float(total), r) + math.log(copies) + (r - 1) * math.log(2)) / LN10
            for r, total in enumerate(totals, start=1)
            if r > 1
        ]
        assert sum_log10_evalue(each, copies) == pytest.approx(min([each[0], *every]), abs=1e-3)


def test_series_of_the_library_are_those_of_numpy_bit_for_bit(rng, monkeypatch):
    totals, counts = rng.uniform(-20, 900, 60), rng.integers(2, MAX_TOGETHER, 60)
    compiled = ln_probabilities(totals, counts)
    monkeypatch.setattr(normal, "problem", lambda: "no library")
    assert compiled.tolist() == ln_probabilities(totals, counts).tolist()
