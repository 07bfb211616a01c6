"""Ends of alignments that are worth too little are cut off."""

import numpy as np

from swgui.core.profiles.alignment import DELETION, OUTSIDE
from swgui.core.score_profile import PositionGaps
from swgui.engines.native.rows import Rows, cut_ends
from tests.core.profiles.reference import CutRows

COLUMNS = 12
GAPS = PositionGaps.constant(COLUMNS, 6, 1)
NONE = np.zeros((0, 3), dtype=np.int64)


def scores_of(*gains: int) -> np.ndarray:
    """Scores by position, the same for every symbol."""
    return np.repeat(np.array(gains, dtype=np.int16)[:, np.newaxis], 26, axis=1)


def row(text: str) -> np.ndarray:
    return np.array([[{"-": DELETION, ".": OUTSIDE}.get(letter, 3) for letter in text]], dtype=np.uint8)


def cut(text, gains, places=NONE, least=1.5):
    inserted = np.arange(places[:, 2].sum(), dtype=np.uint8)
    return cut_rows(row(text), places, inserted, scores_of(*gains), least)


def cut_rows(codes, places, inserted, scores, least):
    kept, (before, behind) = cut_ends(Rows(codes, places, inserted), scores, GAPS, least)
    return CutRows(kept.codes, kept.places, kept.inserted, before, behind)


def test_ends_at_hardly_any_gain_go_and_the_middle_stays():
    found = cut(".RRRRRRRRRR.", (0, 1, 0, 1, 5, 0, 5, 5, 1, 0, 1, 0))
    assert np.array_equal(found.codes, row("....RRRR...."))
    assert (found.before.tolist(), found.behind.tolist()) == ([3], [3])


def test_without_a_cost_of_columns_an_alignment_stays_whole():
    whole = cut(".RRRRRRRRRR.", (0, 1, 0, 1, 5, 0, 5, 5, 1, 0, 1, 0), least=0.0)
    assert np.array_equal(whole.codes, row(".RRRRRRRRRR."))
    assert (whole.before.tolist(), whole.behind.tolist()) == ([0], [0])


def test_gaps_cost_what_they_cost_at_their_positions():
    gains = (0, 9, 9, 9, 0, 0, 9, 0, 0, 0, 0, 0)
    kept = cut(".RRR--R.....", gains, least=0.5)  # 9 - 0.5 - (6 + 1) - 1 is above 0
    assert np.array_equal(kept.codes, row(".RRR--R....."))
    gone = cut(".RRR--R.....", gains, least=1.0)
    assert np.array_equal(gone.codes, row(".RRR........"))
    assert gone.behind.tolist() == [1]


def test_insertions_go_with_the_ends_and_count_as_residues():
    places = np.array([[0, 2, 2], [0, 5, 3], [0, 8, 1]], dtype=np.int64)
    gains = (0, 1, 1, 1, 20, 20, 20, 20, 1, 1, 1, 0)
    found = cut(".RRRRRRRRRR.", gains, places, least=2.0)
    assert np.array_equal(found.codes, row("....RRRR...."))
    assert np.array_equal(found.places, [[0, 5, 3]])
    assert np.array_equal(found.inserted, [2, 3, 4])
    assert (found.before.tolist(), found.behind.tolist()) == ([3 + 2], [3 + 1])


def test_a_row_that_is_worth_nothing_anywhere_stays_as_it_is():
    found = cut("..RRRR......", (0,) * COLUMNS)
    assert np.array_equal(found.codes, row("..RRRR......"))


def test_many_rows_are_cut_as_each_alone():
    rng = np.random.default_rng(4)
    codes = rng.integers(0, 20, (40, COLUMNS)).astype(np.uint8)
    codes[rng.random(codes.shape) < 0.1] = DELETION
    scores = rng.integers(-4, 8, (COLUMNS, 26)).astype(np.int16)
    places = np.array([[at, 4, 2] for at in range(0, 40, 3)], dtype=np.int64)
    inserted = rng.integers(0, 20, 2 * len(places)).astype(np.uint8)
    together = cut_rows(codes, places, inserted, scores, 1.5)
    for at in range(40):
        own = places[:, 0] == at
        alone = cut_rows(codes[at : at + 1], places[own] * [0, 1, 1], inserted[np.repeat(own, 2)], scores, 1.5)
        assert np.array_equal(alone.codes[0], together.codes[at])
        assert (alone.before[0], alone.behind[0]) == (together.before[at], together.behind[at])
        assert np.array_equal(alone.inserted, together.inserted[np.repeat(together.places[:, 0] == at, 2)])
