"""Quantised profiles: what they lose, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.errors import InvalidParameter, ProfileError
from swgui.core.profiles.pairs import MAX_COLUMNS, PairGaps, ProfileSet, column_scores, quantised
from tests.engines.profile_pairs.examples import BACKGROUND, columns


def test_scores_are_the_logarithms_they_stand_for():
    profiles = columns(1, (200, 300))
    chance = BACKGROUND / BACKGROUND.sum()
    exact = np.log2((profiles[0] / chance) @ profiles[1].T)
    error = column_scores(*(quantised([profile], chance) for profile in profiles)) / 32 - exact
    aligned = error[exact > 0]
    assert np.abs(aligned).max() < 0.1
    assert abs(aligned.mean()) < 0.01
    assert np.abs(error[exact > -2]).max() < 0.3


def test_parts_and_copies_hold_the_same_columns():
    profiles = quantised(columns(2, (5, 1, 9)), BACKGROUND)
    assert profiles.lengths.tolist() == [5, 1, 9]
    taken = profiles.take(np.array([2, 0]))
    assert np.array_equal(taken.codes, np.concatenate([profiles[2].codes, profiles[0].codes]))
    assert np.array_equal(taken[1].scales, profiles.part(0, 1).scales)
    assert len(profiles.part(1, 1)) == 0


def test_shuffled_profiles_keep_their_columns():
    profiles = quantised(columns(3, (30, 2)), BACKGROUND)
    mixed = profiles.shuffled(np.random.default_rng(1))
    assert not np.array_equal(mixed.codes, profiles.codes)
    for number in range(2):
        rows = [{(*codes, scale) for codes, scale in zip(one.codes.tolist(), one.scales.tolist(), strict=True)}
                for one in (mixed[number], profiles[number])]  # fmt: skip
        assert rows[0] == rows[1]


def test_a_column_of_zeros_matches_nothing():
    profile = quantised([np.zeros((1, 20)), *columns(4, (1,))], BACKGROUND)
    assert column_scores(profile, profile)[0].max() < -500


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        (np.zeros((0, 20)), "Profile 1 has 0 columns"),
        (np.zeros((MAX_COLUMNS + 1, 20)), "and 65,536 are the most"),
        (np.zeros((3, 21)), "has the shape"),
        (np.full((3, 20), np.nan), "not a probability"),
        (np.full((3, 20), -0.1), "not a probability"),
    ],
)
def test_profiles_that_cannot_be_compared_are_refused(profile, sentence):
    with pytest.raises(ProfileError, match=sentence):
        quantised([profile], BACKGROUND)


@pytest.mark.parametrize("background", [np.full(19, 0.05), np.zeros(20), np.full(20, np.nan)])
def test_a_background_without_some_residue_is_refused(background):
    with pytest.raises(ProfileError, match="background"):
        quantised(columns(5, (3,)), background)


@pytest.mark.parametrize(
    ("codes", "scales", "offsets"),
    [
        (np.zeros((2, 20), np.uint8), np.ones(3, np.int16), [0, 2]),
        (np.zeros((2, 20), np.int16), np.ones(2, np.int16), [0, 2]),
        (np.zeros((2, 20), np.uint8), np.ones(2, np.int16), [0, 3]),
        (np.zeros((2, 20), np.uint8), np.zeros(2, np.int16), [0, 2]),
        (np.zeros((2, 20), np.uint8), np.ones(2, np.int16), [0, 0, 2]),
    ],
)
def test_damaged_sets_are_refused(codes, scales, offsets):
    with pytest.raises(ProfileError):
        ProfileSet(codes, scales, np.array(offsets, np.int64))


@pytest.mark.parametrize(("first", "extend"), [(1, 2), (-1, -1), (1 << 21, 0)])
def test_gap_costs_outside_their_range_are_refused(first, extend):
    with pytest.raises(InvalidParameter):
        PairGaps(first, extend)
