"""Scanners of the rules on a GPU against the compiled ones."""

from __future__ import annotations

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.rules.matching import masks, match_table
from swgui.engines.rules import make_scanner
from swgui.engines.rules.host import HostScanner
from swgui.engines.rules.scanner import patterns

pytestmark = pytest.mark.gpu


@pytest.fixture(scope="module")
def scanner():
    return make_scanner("cuda")[0]


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 4095, 4097, 300_000])
def test_places_are_those_of_the_compiled_scanners(scanner, size):
    rng = np.random.default_rng(size)
    text = rng.integers(0, 20, size).astype(np.uint8)
    lengths = 9, 15, 16, 17, 32, 33, 64
    cut = [text[at : at + n].copy() for n in lengths for at in rng.integers(0, max(size - n, 1), 5) if size > 64]
    queries = patterns([*cut, rng.integers(0, 20, 12).astype(np.uint8)], masks(match_table(PROTEIN)))
    allowed = (rng.random(size) < 0.5).astype(np.uint8)
    for most in (0, 3):
        for question in (
            lambda one, most=most: one.mismatches(text, queries, most, lambda: None),
            lambda one, most=most: one.ends(text, queries, most, None, lambda: None),
            lambda one, most=most: one.ends(text, queries, most, allowed, lambda: None),
        ):
            answer, expected = question(scanner), question(HostScanner())
            assert np.array_equal(answer.query, expected.query)
            assert np.array_equal(answer.position, expected.position)
            assert np.array_equal(answer.differences, expected.differences)


def test_more_hits_than_there_was_room_for(scanner):
    text = np.zeros(3_000_000, np.uint8)
    queries = patterns([np.zeros(9, np.uint8)], masks(match_table(PROTEIN)))
    assert len(scanner.mismatches(text, queries, 0, lambda: None)) == len(text) - 8


@pytest.mark.parametrize("count", [1, 127, 129, 3000])
def test_scores_are_those_of_the_compiled_scanner(scanner, count):
    rng = np.random.default_rng(count)
    text = rng.integers(0, 6, 200_000).astype(np.uint8)
    starts = rng.integers(0, 199_000, count)
    ranges = np.stack([starts, starts + rng.integers(0, 900, count)]).astype(np.int64)
    queries = patterns(
        [rng.integers(0, 6, n).astype(np.uint8) for n in (1, 15, 16, 17, 80, 401)], masks(match_table(PROTEIN))
    )
    for up, down in ((13, 7), (0, 1)):
        weights = (rng.integers(one, one + 9, count).astype(np.int32) for one in (up, down))
        given = text, ranges, queries, *weights, lambda: None
        assert np.array_equal(scanner.scores(*given), HostScanner().scores(*given))
