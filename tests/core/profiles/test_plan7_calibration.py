"""Scores of random sequences by a model of HMMER3, compared with the recurrences written out state by state."""

from __future__ import annotations

from functools import cache
from math import log, log2

import numpy as np
import pytest

from swgui.core.profiles.calibration import BESIDE, best_paths, calibrate, length_log_odds, location, sums, tail
from swgui.core.profiles.plan7 import TRANSITIONS, Plan7

LETTERS = 4
CHANCE = np.full(LETTERS, 1 / LETTERS)


def model(rng: np.random.Generator, positions: int) -> Plan7:
    parts = [rng.dirichlet(np.full(size, 2.0), positions + 1) for size in (3, 2, 2)]
    with np.errstate(divide="ignore"):
        return Plan7(rng.dirichlet(np.full(LETTERS, 0.5), positions), np.log(np.hstack(parts)))


def through_states(made: Plan7, residues: list[int], together, loop: float) -> float:
    """Return the value of all paths, or of the best one: `together` is sum or max."""
    odds, move, last = made.match / CHANCE, length_log_odds(len(residues))[1], len(made.match)
    cost = {name: np.exp(made.transitions[:, at]) for at, name in enumerate(TRANSITIONS)}
    enter = 2 / (last * (last + 1))

    @cache
    def match(k: int, i: int) -> float:
        if k < 1 or i < 1:
            return 0.0
        before = match(k - 1, i - 1) * cost["MM"][k - 1], insertion(k - 1, i - 1) * cost["IM"][k - 1]
        skipped = deletion(k - 1, i - 1) * cost["DM"][k - 1]
        return together((*before, skipped, begin(i - 1) * enter)) * odds[k - 1, residues[i - 1]]

    @cache
    def insertion(k: int, i: int) -> float:
        return together((match(k, i - 1) * cost["MI"][k], insertion(k, i - 1) * cost["II"][k])) if k and i else 0.0

    @cache
    def deletion(k: int, i: int) -> float:
        return together((match(k - 1, i) * cost["MD"][k - 1], deletion(k - 1, i) * cost["DD"][k - 1])) if k > 1 else 0.0

    def end(i: int) -> float:
        return together(state(k, i) for k in range(1, last + 1) for state in (match, deletion))

    @cache
    def passed(i: int) -> float:
        return together((passed(i - 1) * loop, end(i) / 2)) if i else 0.0

    def begin(i: int) -> float:
        return together((loop**i, passed(i))) * move

    return passed(len(residues)) * move


@pytest.mark.parametrize(("positions", "length"), [(1, 4), (2, 1), (3, 9), (6, 14)])
def test_scores_are_those_of_the_recurrences(rng, positions, length):
    made, residues = model(rng, positions), rng.integers(0, LETTERS, (length, 5))
    loop, _, null = length_log_odds(length)
    odds = made.match / CHANCE
    forward, viterbi = sums(odds, made.transitions, residues), best_paths(odds, made.transitions, residues)
    for number, column in enumerate(residues.T.tolist()):
        expected = log2(through_states(made, column, sum, loop)) - null / log(2)
        assert forward[number] == pytest.approx(expected, abs=1e-9)
        best = (log(through_states(made, column, max, 1.0)) - BESIDE - null) / log(2)
        assert viterbi[number] == pytest.approx(best, abs=1e-9)


def test_what_is_beside_a_model_costs_what_its_length_says():
    assert length_log_odds(6) == pytest.approx((2 / 3, 1 / 3, 6 * log(6 / 7) - log(7)))


def test_locations_and_tails_of_known_distributions_are_found(rng):
    slope, place = 0.7, 3.0
    bits = place - np.log(rng.exponential(1.0, 200_000)) / slope
    assert location(bits, slope) == pytest.approx(place, abs=0.02)
    # Beyond mu the tail of exp(-slope (x - mu)) is as probable as that of the distribution at its upper 4 %.
    begins = tail(bits, slope)
    x = place - log(-log(1 - 0.04)) / slope
    assert np.exp(-slope * (x - begins)) == pytest.approx(0.04, rel=0.03)


def test_a_calibration_has_its_slope_from_length_and_information(rng):
    made = model(rng, 12)
    entropy = (made.match * np.log2(made.match / CHANCE)).sum(axis=1).mean()
    *places, slope = calibrate(made, CHANCE)
    assert slope == pytest.approx(log(2) + 1.44 / (12 * entropy))
    assert np.isfinite(places).all()
    assert calibrate(made, CHANCE) == (*places, slope)
