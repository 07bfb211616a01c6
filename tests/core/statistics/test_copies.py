"""Shuffled copies: what they keep, that every order is as likely, and that a copy depends on nothing but its number."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.judging.correction_work import PERIODS, REVERSED, WHOLE, WINDOWS
from tests.correction_reference import copies, mixed

CODES = np.random.default_rng(1).integers(0, 20, 103).astype(np.uint8)


def some(count, first=0):
    return np.arange(first, first + count)


def test_words_are_those_of_splitmix64():
    # The first three of the stream that begins with state 1234567, as the authors' program writes them.
    states = np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert mixed(states).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@pytest.mark.parametrize(("kind", "width"), [(WHOLE, 103), (WINDOWS, 10), (WINDOWS, 1000), (PERIODS, 7)])
def test_a_copy_depends_on_its_number_alone(kind, width):
    every = copies(CODES, kind, width, some(40), 1)
    assert len({row.tobytes() for row in every}) == 40
    assert np.array_equal(copies(CODES, kind, width, some(15, 25), 1), every[25:])
    assert np.array_equal(copies(CODES.copy(), kind, width, np.array([7]), 1)[0], every[7])
    assert not np.array_equal(copies(CODES, kind, width, some(40), 2), every)
    assert not np.array_equal(copies(CODES[1:], kind, width, some(40), 1), every[:, 1:])


def test_whole_copies_keep_the_composition_and_windows_that_of_each():
    whole, windows = copies(CODES, WHOLE, 103, some(30), 1), copies(CODES, WINDOWS, 10, some(30), 1)
    assert (np.sort(whole, axis=1) == np.sort(CODES)).all()
    for start in range(0, 103, 10):
        part = slice(start, start + 10)
        assert (np.sort(windows[:, part], axis=1) == np.sort(CODES[part])).all()
        assert not (np.sort(whole[:, part], axis=1) == np.sort(CODES[part])).all()


def test_copied_periods_stay_periods():
    codes = PROTEIN.encode(b"NITGDCNETDDC" * 8 + b"NIT")
    for row in copies(codes, PERIODS, 12, some(20), 1):
        assert np.array_equal(row[:84], row[12:96])
        assert np.array_equal(np.sort(row), np.sort(codes))


def test_one_copy_is_the_stretch_from_behind():
    made = copies(CODES, WHOLE, 103, np.array([REVERSED, 0]), 1)
    assert np.array_equal(made[0], CODES[::-1])
    assert np.array_equal(made[1], copies(CODES, WHOLE, 103, np.array([0]), 1)[0])


@pytest.mark.parametrize(("kind", "codes", "width"), [(WHOLE, [0, 1, 2, 3], 4), (PERIODS, [0, 1, 2, 3] * 2, 4)])
def test_every_order_is_as_likely(kind, codes, width):
    made = copies(np.array(codes, dtype=np.uint8), kind, width, some(24_000), 1)
    found = {order: int((made[:, :4] == order).all(axis=1).sum()) for order in itertools.permutations(range(4))}
    assert sum(found.values()) == 24_000
    # Chi-square with 23 degrees of freedom: 49.7 is passed once in a thousand seeds.
    assert sum((count - 1000) ** 2 / 1000 for count in found.values()) < 49.7


def test_every_residue_comes_to_every_place():
    made = copies(np.arange(32, dtype=np.uint8), WHOLE, 32, some(32_000), 1)
    counts = np.array([np.bincount(column, minlength=32) for column in made.T])
    assert ((counts - 1000) ** 2 / 1000).sum() < 961 + 3.1 * np.sqrt(2 * 961)


@pytest.mark.parametrize("length", [0, 1, 2])
def test_of_next_to_nothing_there_are_copies_too(length):
    codes = CODES[:length]
    for kind, width in ((WHOLE, length), (WINDOWS, 10)):
        assert (np.sort(copies(codes, kind, width, some(5), 1), axis=1) == np.sort(codes)).all()
